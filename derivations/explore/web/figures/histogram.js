// Histograms with curves over them and null levels beside them.
import { colour } from "./colours.js";
import { framed, heightOf } from "./frame.js";
import { Plot, d3 } from "./libraries.js";
import { domainOf, marginOf, number, placeOf, scaleOf } from "./scales.js";
import { wordsAbove } from "./words.js";

const BINS = 24;
const RIGHT = 14; // pixels

/**
 * Draw `data.groups` of {name, colour, values} or, already counted, of {name, colour, edges, heights}.
 *
 * Bins are even, on a log axis in the logarithm. `data.curves` are {name, colour, x, y}, such as a density; `data.levels` are {name, x}, such as the value of a flat field.
 */
export const histogram = framed((data, options, width) => {
  const { groups, curves = [], levels = [] } = data;
  const values = groups.flatMap((group) => group.values ?? group.edges);
  const x = domainOf(options.x, [...values, ...curves.flatMap((curve) => curve.x), ...levels.map((level) => level.x)]);
  const bars = groups.flatMap((group) => barsOf(group, x, options.x.log));
  const tops = [...bars.map((bar) => bar.height), ...curves.flatMap((curve) => curve.y)];
  const height = heightOf(width);
  const y = scaleOf(options.y, "y", domainOf({ zero: true, ...options.y }, tops), height - 74);
  const marginLeft = marginOf(y);
  const title = (bar) => `${bar.name}\n${number(bar.x1)} to ${number(bar.x2)}\n${options.y.label}: ${number(bar.height)}`;
  const ends = [marginLeft, width - RIGHT];
  const words = wordsAbove(levels, placeOf(options.x, x, ends), ends);
  const drawing = Plot.plot({
    width, height, marginLeft, marginTop: 30 + words.height, marginRight: RIGHT, marginBottom: 44,
    x: scaleOf(options.x, "x", x, width - marginLeft), y: { ...y, grid: true },
    marks: [
      ...groups.map((group) => Plot.rectY(bars.filter((bar) => bar.name === group.name), {
        x1: "x1", x2: "x2", y1: 0, y2: "height", insetLeft: 0.5, insetRight: 0.5,
        fill: colour(group.colour), fillOpacity: groups.length > 1 ? 0.45 : 0.7,
      })),
      ...curves.map((curve) => Plot.line(d3.range(curve.x.length), {
        x: (k) => curve.x[k], y: (k) => curve.y[k], stroke: colour(curve.colour), strokeWidth: 2,
      })),
      ...levels.map((level) => Plot.ruleX([level.x], { stroke: colour("theory"), strokeDasharray: "3 3" })),
      words.mark,
      Plot.ruleY([0], { stroke: colour("line") }),
      Plot.tip(bars, Plot.pointerX({
        x: (bar) => (options.x.log ? Math.sqrt(bar.x1 * bar.x2) : (bar.x1 + bar.x2) / 2), y: "height", title, fill: colour("ground"), stroke: colour("line"),
      })),
    ],
  });
  const legend = [...groups.map((group) => ({ name: group.name, colour: colour(group.colour), mark: "band" })),
    ...curves.map((curve) => ({ name: curve.name, colour: colour(curve.colour) }))];
  return { drawing, legend: legend.length > 1 ? legend : [] };
});

function barsOf({ name, values, edges, heights }, domain, log) {
  if (edges) return heights.map((height, k) => ({ name, x1: edges[k], x2: edges[k + 1], height }));
  const [low, high] = domain;
  const thresholds = log ? d3.range(1, BINS).map((k) => low * (high / low) ** (k / BINS)) : BINS;
  const bins = d3.bin().domain(domain).thresholds(thresholds)(values);
  return bins.filter((bin) => bin.length).map((bin) => ({ name, x1: bin.x0, x2: bin.x1, height: bin.length }));
}
