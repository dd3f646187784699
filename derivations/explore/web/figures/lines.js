// Curves with bands, marks with error bars, and vertical or horizontal levels.
import { colour } from "./colours.js";
import { framed, heightOf } from "./frame.js";
import { Plot, d3 } from "./libraries.js";
import { domainOf, marginOf, number, placeOf, scaleOf, titled } from "./scales.js";
import { widthOf, wordsAbove, wordsBeside } from "./words.js";

const DASHES = { dash: "6 4", dots: "2 4", thin: "4 3" };
const MARGINS = { marginTop: 30, marginRight: 14, marginBottom: 44 };

/**
 * Draw curves: `data.series` of {name, colour, x, y, low, high, error, look}.
 *
 * `look` is "line" (the default), "dash", "thin" (dashes), "dots", "marks" or "faint"; `low` and `high` are the ends of
 * a band, `error` half of an error bar. `data.levels` are {name, x} or {name, y}; `data.points` are {name, x, y}, single large marks.
 */
export const lines = framed((data, options, width) => ({
  drawing: chart(data, options, width, heightOf(width)),
  legend: legendOf(data),
}));

/** Return the items that explain the curves: one for each name that is not null. */
export function legendOf({ series, points = [] }) {
  const named = new Map();
  for (const { name, colour: meaning, look = "line", low } of series) {
    const mark = look === "line" && low ? "band" : look;
    if (name !== null && !named.has(name)) named.set(name, { name, colour: colour(meaning), mark });
  }
  const single = [...new Set(points.map(({ name }) => name))].map((name) => ({ name, colour: colour("refuted"), mark: "star" }));
  return named.size + single.length > 1 || single.length ? [...named.values(), ...single] : [];
}

/** Return the domains of both axes that hold everything that is drawn. */
export function domains({ series, levels = [], points = [] }, { x, y }) {
  const parts = [...series, ...points.map((point) => ({ x: [point.x], y: [point.y] }))];
  const across = parts.flatMap((part) => part.x).concat(levels.map((level) => level.x ?? NaN));
  const up = parts.flatMap(({ y: values, low = [], high = [], error }) => [
    ...values, ...low, ...high,
    ...(error ? values.flatMap((value, k) => [value - error[k], value + error[k]]) : []),
  ]).concat(levels.map((level) => level.y ?? NaN));
  return { x: domainOf({ tight: true, ...x }, across), y: domainOf(y, up) };
}

/** Return the SVG of the curves; `options.shared` are the domains of small multiples. */
export function chart(data, options, width, height) {
  const { x: acrossAxis, y: upAxis } = options;
  const found = options.shared ?? domains(data, options);
  const { levels = [], points = [] } = data;
  const [across, up] = ["x", "y"].map((side) => levels.filter((level) => level.name && level[side] !== undefined));
  const marginRight = up.length ? widthOf(up) : MARGINS.marginRight;
  const y = scaleOf(upAxis, "y", found.y, height - MARGINS.marginTop - MARGINS.marginBottom);
  const marginLeft = marginOf(y);
  const x = scaleOf(acrossAxis, "x", found.x, width - marginLeft - marginRight);
  const ends = [marginLeft, width - marginRight];
  const above = wordsAbove(across, placeOf(acrossAxis, found.x, ends), ends);
  const inside = (axis, [low, high]) => (axis.log ? 0 : low) <= 0 && high >= 0 && !axis.log;
  return Plot.plot({
    width, height, marginLeft, ...MARGINS, marginRight, marginTop: MARGINS.marginTop + above.height,
    x, y: { ...y, grid: true },
    marks: [
      inside(upAxis, found.y) ? Plot.ruleY([0], { stroke: colour("line"), strokeWidth: 1.25 }) : null,
      ...levels.map((level) => levelMark(level)),
      above.mark,
      wordsBeside(up),
      ...data.series.flatMap((one) => seriesMarks(one)),
      ...points.map((point) => Plot.dot([point], {
        x: "x", y: "y", symbol: "star", r: 7, fill: colour("refuted"), stroke: colour("ground"), strokeWidth: 1,
      })),
      tipMark([...data.series, ...points.map((point) => ({ ...point, x: [point.x], y: [point.y] }))], acrossAxis, upAxis),
    ],
  });
}

function seriesMarks({ x, y, low, high, error, colour: meaning, look = "line" }) {
  const stroke = colour(meaning);
  const at = d3.range(x.length).filter((k) => Number.isFinite(y[k] ?? NaN) && y[k] !== null);
  const across = (k) => x[k];
  const marks = [];
  if (low) {
    const band = d3.range(x.length).filter((k) => low[k] !== null && high[k] !== null);
    marks.push(Plot.areaY(band, { x: across, y1: (k) => low[k], y2: (k) => high[k], fill: stroke, fillOpacity: 0.2 }));
  }
  if (look === "marks") {
    if (error) marks.push(Plot.ruleX(at, { x: across, y1: (k) => y[k] - error[k], y2: (k) => y[k] + error[k], stroke }));
    marks.push(Plot.dot(at, { x: across, y: (k) => y[k], r: 3, stroke, fill: colour("ground"), strokeWidth: 1.5 }));
  } else {
    marks.push(Plot.lineY(d3.range(x.length), {
      x: across, y: (k) => y[k] ?? NaN, stroke,
      strokeWidth: look === "faint" ? 1 : look === "thin" ? 1.25 : 2,
      strokeOpacity: look === "faint" ? 0.3 : 1,
      strokeDasharray: DASHES[look],
    }));
  }
  return marks;
}

function levelMark({ x, y }) {
  const look = { stroke: colour("muted"), strokeDasharray: "2 3", strokeWidth: 1.25 };
  return x === undefined ? Plot.ruleY([y], look) : Plot.ruleX([x], look);
}

function tipMark(series, acrossAxis, upAxis) {
  const points = series.filter(({ look }) => look !== "faint").flatMap(({ name, x, y, error, low, high }) =>
    d3.range(x.length).filter((k) => y[k] !== null).map((k) => ({
      x: x[k], y: y[k], name,
      more: error ? ` ± ${number(error[k], 2)}` : low ? ` (${number(low[k])} to ${number(high[k])})` : "",
    })));
  const title = ({ name, x, y, more }) =>
    [name, `${titled(acrossAxis)}: ${number(x)}`, `${titled(upAxis)}: ${number(y)}${more}`].filter(Boolean).join("\n");
  return Plot.tip(points, Plot.pointer({ x: "x", y: "y", title, fill: colour("ground"), stroke: colour("line") }));
}
