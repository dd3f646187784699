// Heat maps: matrices of moments, examples, phase maps; with values under the pointer and cells that can be chosen.
import { cellAt, edgesOf, pictureOf } from "./cells.js";
import { ENDS, colour, diverging, saturating, sequential } from "./colours.js";
import { framed } from "./frame.js";
import { Plot, d3 } from "./libraries.js";
import { contour, covered, hatched, missingCells, signSides } from "./overlays.js";
import { domainOf, marginOf, number, scaleOf, titled } from "./scales.js";

const TALLEST = 480;
const WIDEST = 2; // times the height
const MARGINS = { marginTop: 28, marginRight: 14, marginBottom: 44 };
const STEPS = 24; // of the scale of colours
const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [-1, 0] };

/**
 * Draw `data.values`, rows of numbers; null leaves a cell clear. `data.x` and `data.y` are the centres of the columns
 * and rows, equidistant (in the logarithm on a log axis) and ascending; 0, 1, 2, ... where they are left out.
 *
 * `data.dots` are {x, y, value, name}, in the colours of the cells. `options.value` names the value and its unit;
 * `options.palette` is "diverging", which is clear at 0 and symmetric; "saturating", the same with half of the colour at
 * the median size of the values, where a few large ones would hide the rest; or "sequential" between the ends
 * `options.ends`. `options.means` says in words what the two ends of the scale stand for. `options.contour` names the line that is drawn where the sign changes, and `options.missing` the cells
 * without a value, which are hatched in the first `data.known` rows. The cells after those rows
 * are grey, and `options.waiting` names them. `options.down` has row 0 on top, `options.square` makes cells square, `options.onSelect(row, column)`
 * hears of a click or Enter; `data.chosen` is the cell [row, column] with a frame, and `data.here` the place {x, y} of a
 * cross, where it lies on the map.
 */
export const heat = framed((data, options, width) => {
  const { values, dots = [], chosen, here } = data;
  const [rows, columns] = [values.length, values[0].length];
  const x = data.x ?? d3.range(columns);
  const y = data.y ?? d3.range(rows);
  const edges = { x: edgesOf(x, options.x.log), y: edgesOf(y, options.y.log) };
  const palette = paletteOf(options, [...values.flat(), ...dots.map((dot) => dot.value)]);
  const { paint } = palette;
  const domain = {
    x: [edges.x[0], edges.x.at(-1)],
    y: options.down ? [edges.y.at(-1), edges.y[0]] : [edges.y[0], edges.y.at(-1)],
  };
  const yTicks = [...domain.y].sort(d3.ascending);
  const yScale = { ...scaleOf(options.y, "y", yTicks, TALLEST / 2), domain: domain.y };
  const marginLeft = marginOf(yScale);
  const widest = width - marginLeft - MARGINS.marginRight;
  const wanted = options.square ? (widest * rows) / columns : 0.62 * widest;
  const inner = Math.min(wanted, options.tallest ?? TALLEST);
  const across = options.square ? Math.round((inner * columns) / rows) : Math.min(widest, WIDEST * inner);
  const xScale = scaleOf(options.x, "x", domain.x, across);
  const picture = pictureOf(values, paint);
  const sides = options.contour ? signSides(values, edges) : [];
  const missing = options.missing ? missingCells(values, data.known ?? rows) : [];
  const ahead = options.waiting ? missingCells(values, values.length).filter(([row]) => row >= (data.known ?? rows)) : [];
  const svg = Plot.plot({
    width: across + marginLeft + MARGINS.marginRight,
    height: inner + MARGINS.marginTop + MARGINS.marginBottom,
    marginLeft, ...MARGINS, x: xScale, y: yScale,
    marks: [
      (_index, scales) => imageOf(picture, scales, domain, options.down),
      missing.length ? hatched(missing, edges) : null,
      ahead.length ? covered(ahead, edges) : null,
      sides.length ? contour(sides) : null,
      Plot.frame({ stroke: colour("line") }),
      ...dots.map((dot) => Plot.dot([dot], {
        x: "x", y: "y", r: 5, fill: cssOf(paint(dot.value)), stroke: colour("theory"), strokeWidth: 1.25,
      })),
      here && cellAt(edges.x, here.x) !== null && cellAt(edges.y, here.y) !== null ? crossAt(here) : null,
      chosen ? Plot.rect([chosen], {
        x1: ([, column]) => edges.x[column], x2: ([, column]) => edges.x[column + 1],
        y1: ([row]) => edges.y[row], y2: ([row]) => edges.y[row + 1], stroke: colour("theory"), strokeWidth: 2,
      }) : null,
    ],
  });
  const drawing = document.createElement("div");
  drawing.className = "figure-heat";
  drawing.append(svg);
  hover(drawing, svg, { values, x, y, edges, options, dots });
  const legend = [
    scaleOfColours(options, palette),
    ...meaningsOf(options, palette),
    ...(sides.length ? [{ name: options.contour, colour: colour("theory") }] : []),
    ...(missing.length ? [{ name: options.missing, colour: colour("muted"), mark: "band" }] : []),
    ...(ahead.length ? [{ name: options.waiting, colour: colour("line"), mark: "full" }] : []),
  ];
  return { drawing, legend };
});

// A cross in the colour of the page with a rim of the opposite one, so that it is seen on every colour.
function crossAt(place) {
  const look = { x: "x", y: "y", symbol: "times", r: 6 };
  return [
    Plot.dot([place], { ...look, stroke: colour("ground"), strokeWidth: 5 }),
    Plot.dot([place], { ...look, stroke: colour("theory"), strokeWidth: 2 }),
  ];
}

/** Return the colours of the values, the two ends of their scale, and the value of half of the colour where it saturates. */
export function paletteOf({ palette = "diverging", limit, ends }, values) {
  const known = values.filter((value) => value !== null && Number.isFinite(value));
  if (palette === "saturating") {
    const most = d3.max(known, Math.abs) || 1;
    const half = d3.median(known.filter((value) => value !== 0), Math.abs) ?? most;
    return { paint: saturating(half), ends: [-most, most], half };
  }
  if (palette === "diverging") {
    const most = limit ?? (d3.max(known, Math.abs) || 1);
    return { paint: diverging(most), ends: [-most, most] };
  }
  const between = ends ?? domainOf({ tight: true }, known);
  return { paint: sequential(between, (share) => d3.rgb(d3.interpolateViridis(share))), ends: between };
}

function cssOf([red, green, blue, opacity]) {
  return `rgb(${red} ${green} ${blue} / ${opacity})`;
}

function imageOf(picture, { scales }, domain, down) {
  const left = scales.x.apply(domain.x[0]);
  const right = scales.x.apply(domain.x[1]);
  const [bottom, top] = [scales.y.apply(domain.y[0]), scales.y.apply(domain.y[1])];
  const image = d3.create("svg:image").attr("href", picture).attr("preserveAspectRatio", "none")
    .attr("x", left).attr("y", Math.min(top, bottom)).attr("width", right - left).attr("height", Math.abs(bottom - top))
    .style("image-rendering", "pixelated");
  // Row 0 of the picture is on top; where row 0 belongs at the bottom, the picture is turned over.
  if (!down) image.attr("transform", `translate(0 ${top + bottom}) scale(1 -1)`);
  return image.node();
}

/** Return the scale of the colours between two ends, for a legend; evenly in the colour where it saturates. */
export function scaleOfColours({ value }, { ends, paint, half }) {
  const box = document.createElement("span");
  box.className = "figure-colours";
  const ramp = d3.create("svg").attr("width", 120).attr("height", 12).attr("aria-hidden", "true");
  for (const step of d3.range(STEPS)) {
    const share = (step + 0.5) / STEPS;
    const at = half ? valueAt(2 * share - 1, ends[1], half) : ends[0] + share * (ends[1] - ends[0]);
    ramp.append("rect").attr("x", (120 * step) / STEPS).attr("width", 120 / STEPS + 0.3).attr("height", 12)
      .style("fill", cssOf(paint(at)));
  }
  const [low, high] = ends.map((end) => Object.assign(document.createElement("span"), { textContent: number(end, 3) }));
  const name = Object.assign(document.createElement("span"), { textContent: titled(value) });
  box.append(name, low, ramp.node(), high);
  if (half) box.append(`half of the colour at ±${number(half, 2)}`);
  return box;
}

// What the colours of both ends mean, each beside its colour.
function meaningsOf({ means = [], palette = "diverging" }, { ends, paint }) {
  return means.map((meaning, k) => ({ name: `${ENDS[palette][k]}: ${meaning}`, colour: cssOf(paint(ends[k])), mark: "full" }));
}

// The value whose colour is `share` of that of the largest one, on a scale that saturates.
function valueAt(share, most, half) {
  const size = (Math.abs(share) * most) / (most + half);
  return (Math.sign(share) * half * size) / (1 - size);
}

/** Show the value under the pointer or under the cursor of the arrow keys, and choose a cell by a click or Enter. */
function hover(drawing, svg, { values, x, y, edges, options, dots }) {
  const tip = document.createElement("div");
  tip.className = "figure-tip";
  tip.hidden = true;
  const scales = { x: svg.scale("x"), y: svg.scale("y") };
  let cursor = null;

  function show(row, column, text) {
    tip.textContent = text ?? [
      `${titled(options.x)}: ${number(x[column])}`,
      `${titled(options.y)}: ${number(y[row])}`,
      `${titled(options.value)}: ${number(values[row][column])}`,
    ].join("\n");
    tip.hidden = false;
    const [left, top] = [scales.x.apply(x[column]), scales.y.apply(y[row])];
    const before = left > svg.clientWidth / 2;
    tip.style.left = before ? "auto" : `${left + 12}px`;
    tip.style.right = before ? `${drawing.clientWidth - left + 12}px` : "auto";
    tip.style.top = `${Math.max(0, top - 24)}px`;
  }

  function cellUnder(event) {
    const { left, top } = svg.getBoundingClientRect();
    const at = [event.clientX - left, event.clientY - top];
    const column = cellAt(edges.x, scales.x.invert(at[0]));
    const row = cellAt(edges.y, scales.y.invert(at[1]));
    const dot = dots.find((one) => Math.hypot(scales.x.apply(one.x) - at[0], scales.y.apply(one.y) - at[1]) < 8);
    return row === null || column === null ? null : { row, column, dot };
  }

  drawing.addEventListener("pointermove", (event) => {
    const found = cellUnder(event);
    if (found) show(found.row, found.column, found.dot && `${found.dot.name}\n${titled(options.value)}: ${number(found.dot.value)}`);
    else tip.hidden = true;
  });
  drawing.addEventListener("pointerleave", () => (tip.hidden = true));
  drawing.append(tip);
  if (!options.onSelect) return;
  drawing.classList.add("figure-chooses");
  drawing.tabIndex = 0;
  drawing.setAttribute("role", "application");
  tip.setAttribute("role", "status");
  drawing.addEventListener("click", (event) => {
    const found = cellUnder(event);
    if (found) options.onSelect(found.row, found.column);
  });
  drawing.addEventListener("keydown", (event) => {
    const [up, right] = ARROWS[event.key] ?? [0, 0];
    if (up || right) {
      event.preventDefault();
      const [row, column] = cursor ?? [0, 0];
      const step = options.down ? -up : up;
      cursor = cursor
        ? [clamp(row + step, values.length), clamp(column + right, values[0].length)]
        : [Math.floor(values.length / 2), Math.floor(values[0].length / 2)];
      show(...cursor);
    } else if (event.key === "Enter" && cursor) options.onSelect(...cursor);
    else if (event.key === "Escape") tip.hidden = true;
  });
}

function clamp(index, count) {
  return Math.max(0, Math.min(count - 1, index));
}
