// Values with error bars, one row each.
import { colour } from "./colours.js";
import { framed } from "./frame.js";
import { Plot, d3 } from "./libraries.js";
import { domainOf, number, scaleOf, titled } from "./scales.js";

const ROW = 34; // pixels
const LETTER = 7;

/** Draw `data.bars` of {name, value, error, colour}; `data.levels` are {name, x}. */
export const bars = framed((data, options, width) => {
  const rows = data.bars.map((bar) => ({ error: 0, ...bar }));
  const { levels = [] } = data;
  const ends = rows.flatMap(({ value, error }) => [value - error, value + error]);
  const domain = domainOf({ zero: true, ...options.x }, [...ends, ...levels.map((level) => level.x)]);
  const marginLeft = Math.min(0.45 * width, LETTER * d3.max(rows, (row) => row.name.length) + 16);
  const title = ({ name, value, error }) =>
    `${name}\n${titled(options.x)}: ${number(value)}${error ? ` ± ${number(error, 2)}` : ""}`;
  const drawing = Plot.plot({
    width, height: ROW * rows.length + 74, marginLeft, marginTop: 28, marginBottom: 46, marginRight: 16,
    x: { ...scaleOf(options.x, "x", domain, width - marginLeft), grid: true },
    y: { type: "band", domain: rows.map((row) => row.name), label: null, padding: 0.3, tickSize: 0 },
    marks: [
      ...rows.map((row) => Plot.barX([row], { x1: 0, x2: "value", y: "name", fill: colour(row.colour), fillOpacity: 0.7 })),
      Plot.ruleY(rows, { x1: (row) => row.value - row.error, x2: (row) => row.value + row.error, y: "name",
        stroke: colour("theory"), strokeWidth: 1.5 }),
      Plot.ruleX([0], { stroke: colour("line") }),
      ...levels.flatMap((level) => [
        Plot.ruleX([level.x], { stroke: colour("muted"), strokeDasharray: "3 3" }),
        Plot.text([level.x], { x: (value) => value, text: () => level.name, frameAnchor: "top", dy: -8, fill: colour("muted") }),
      ]),
      Plot.tip(rows, Plot.pointerY({ x: "value", y: "name", title, fill: colour("ground"), stroke: colour("line") })),
    ],
  });
  return { drawing };
});
