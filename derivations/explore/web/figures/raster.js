// Which gates are open for which examples, and which of them changed.
import { colour } from "./colours.js";
import { framed } from "./frame.js";
import { Plot, d3 } from "./libraries.js";
import { marginOf, scaleOf } from "./scales.js";

const STATES = [
  { name: "closed", meaning: null },
  { name: "open", meaning: "gated-linear" },
  { name: "opened since the first time", meaning: "class-1" },
  { name: "closed since the first time", meaning: "class-2" },
];
const ROW = 12;
const MARGINS = { marginTop: 28, marginRight: 14, marginBottom: 44 };

/** Draw `data.values`, a row for each unit of the states 0 closed, 1 open, 2 opened and 3 closed since the first time. */
export const raster = framed((data, options, width) => {
  const [rows, columns] = [data.values.length, data.values[0].length];
  const height = Math.max(120, Math.min(360, ROW * rows));
  const y = { ...scaleOf({ ...options.y, integer: true }, "y", [0, rows - 1], height), domain: [rows - 0.5, -0.5] };
  const marginLeft = marginOf(y);
  const domain = [-0.5, columns - 0.5];
  const layers = STATES.flatMap(({ meaning }, state) => (meaning ? [{ state, meaning }] : []));
  const drawing = Plot.plot({
    width, height: height + MARGINS.marginTop + MARGINS.marginBottom, marginLeft, ...MARGINS,
    x: { ...scaleOf({ ...options.x, integer: true }, "x", domain, width), domain }, y,
    marks: [
      ...layers.map(({ state, meaning }) => (_index, scales) => layer(data.values, state, meaning, scales)),
      Plot.frame({ stroke: colour("line") }),
    ],
  });
  const present = new Set(data.values.flat());
  const shown = STATES.filter((_, state) => present.has(state));
  const legend = shown.map(({ name, meaning }) => (meaning
    ? { name, colour: colour(meaning), mark: "band" } : { name, colour: colour("line"), mark: "blank" }));
  return { drawing, legend };
});

function layer(values, state, meaning, { scales }) {
  const mask = d3.create("svg:g").attr("fill", colour(meaning));
  const [x, y] = [scales.x.apply, scales.y.apply];
  values.forEach((row, unit) => {
    for (const [from, to] of runs(row, state)) {
      mask.append("rect").attr("x", x(from - 0.5)).attr("width", x(to + 0.5) - x(from - 0.5))
        .attr("y", y(unit - 0.45)).attr("height", y(unit + 0.45) - y(unit - 0.45));
    }
  });
  return mask.node();
}

/** Return the first and last index of each run of a state. */
function runs(row, state) {
  const found = [];
  row.forEach((value, index) => {
    if (value !== state) return;
    if (found.length && found.at(-1)[1] === index - 1) found.at(-1)[1] = index;
    else found.push([index, index]);
  });
  return found;
}
