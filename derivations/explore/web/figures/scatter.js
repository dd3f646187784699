// Points of examples or networks in two quantities.
import { colour } from "./colours.js";
import { framed, heightOf } from "./frame.js";
import { Plot } from "./libraries.js";
import { domainOf, marginOf, number, scaleOf, titled } from "./scales.js";

/**
 * Draw `data.groups` of {name, colour, x, y, labels}.
 *
 * `options.equal` gives both axes one domain and a square; `options.onSelect(group, index)` hears of a click on a point.
 */
export const scatter = framed((data, options, width) => {
  const points = data.groups.flatMap((group) => group.x.map((x, index) => ({ group, index, x, y: group.y[index] })));
  const side = Math.min(width, 480);
  const [across, height] = options.equal ? [side, side] : [width, options.height ?? heightOf(width)];
  const all = points.flatMap(({ x, y }) => [x, y]);
  const both = options.equal ? { domain: domainOf(options.x, all) } : {};
  const [xAxis, yAxis] = [{ ...options.x, ...both }, { ...options.y, ...both }];
  const y = scaleOf(yAxis, "y", domainOf(yAxis, points.map((point) => point.y)), height - 74);
  const marginLeft = marginOf(y);
  const x = scaleOf(xAxis, "x", domainOf(xAxis, points.map((point) => point.x)), across - marginLeft);
  const title = ({ group, index, x: first, y: second }) => [
    group.labels?.[index] ?? group.name, `${titled(xAxis)}: ${number(first)}`, `${titled(yAxis)}: ${number(second)}`,
  ].join("\n");
  const drawing = Plot.plot({
    width: across, height, marginLeft, marginTop: 30, marginRight: 14, marginBottom: 44,
    x: { ...x, grid: true }, y: { ...y, grid: true },
    marks: [
      ...data.groups.map((group) => Plot.dot(points.filter((point) => point.group === group), {
        x: "x", y: "y", r: points.length > 400 ? 1.75 : 3, fill: colour(group.colour), fillOpacity: 0.6,
      })),
      Plot.tip(points, Plot.pointer({ x: "x", y: "y", title, fill: colour("ground"), stroke: colour("line") })),
    ],
  });
  if (options.onSelect) {
    drawing.addEventListener("click", () => {
      if (drawing.value) options.onSelect(drawing.value.group, drawing.value.index);
    });
  }
  const legend = data.groups.map((group) => ({ name: group.name, colour: colour(group.colour), mark: "dot" }));
  return { drawing, legend: legend.length > 1 ? legend : [] };
});
