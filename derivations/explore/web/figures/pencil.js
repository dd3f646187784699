// Weights that the reader draws: a stem for each site, moved by the pointer or by the arrow keys.
import { colour } from "./colours.js";
import { framed, heightOf } from "./frame.js";
import { Plot, d3 } from "./libraries.js";
import { marginOf, number, scaleOf } from "./scales.js";

const LIMIT = 1.1; // weights reach from -1 to 1: a gate depends on their direction alone
const STEP = 0.05;
const FINE = 3; // decimals
const MARGINS = { marginTop: 30, marginRight: 14, marginBottom: 44 };

/**
 * Draw `data.values`, a number from -1 to 1 for each site; `options.onDraw(values)` hears of every change.
 *
 * The pointer sets the weight of the site below it. With the focus, left and right choose a site, up and down move its
 * weight, 0 or Delete clears it.
 */
export const pencil = framed((data, options, width, before) => {
  const values = [...data.values];
  const height = heightOf(width, 0.35);
  const y = scaleOf(options.y, "y", [-LIMIT, LIMIT], height - 74);
  const marginLeft = marginOf(y);
  const x = scaleOf({ ...options.x, integer: true }, "x", [-0.5, values.length - 0.5], width - marginLeft);
  const drawing = document.createElement("div");
  drawing.className = "figure-pencil";
  drawing.tabIndex = 0;
  drawing.setAttribute("role", "application");
  const said = document.createElement("div");
  said.className = "unseen";
  said.setAttribute("role", "status");
  let svg = null;
  let site = Math.min(before?.site ?? Math.floor(values.length / 2), values.length - 1);
  // An answer replaces the drawing while its reader may still listen to what the last key did.
  if (before?.said) say();

  function say() {
    said.textContent = `site ${site}: ${number(values[site])}`;
    drawing.said = true;
  }

  function redraw() {
    drawing.site = site; // for the drawing that replaces this one
    svg = Plot.plot({
      width, height, marginLeft, ...MARGINS, x, y: { ...y, grid: true },
      marks: [
        Plot.ruleY([0], { stroke: colour("line"), strokeWidth: 1.25 }),
        Plot.ruleX(values, { x: (_, k) => k, y1: 0, y2: (value) => value, stroke: colour("accent"), strokeWidth: 1.5 }),
        Plot.dot(values, {
          x: (_, k) => k, y: (value) => value, r: (_, k) => (k === site ? 5.5 : 4), fill: colour("accent"), stroke: colour("ground"),
        }),
      ],
      r: { type: "identity" },
    });
    drawing.replaceChildren(svg, said);
  }

  function set(value) {
    values[site] = Number(Math.max(-1, Math.min(1, value)).toFixed(FINE));
    say();
    redraw();
    options.onDraw([...values]);
  }

  // A fast pointer passes sites between two events; they get the weights of the line that it draws.
  function follow(event, before) {
    const { left, top } = svg.getBoundingClientRect();
    const at = { site: svg.scale("x").invert(event.clientX - left), value: svg.scale("y").invert(event.clientY - top) };
    const here = { site: Math.max(0, Math.min(values.length - 1, Math.round(at.site))), value: at.value };
    const steps = before ? d3.range(before.site, here.site, Math.sign(here.site - before.site) || 1).slice(1) : [];
    for (const passed of steps) {
      const share = (passed - before.site) / (here.site - before.site);
      values[passed] = Number(Math.max(-1, Math.min(1, before.value + share * (here.value - before.value))).toFixed(FINE));
    }
    site = here.site;
    set(here.value);
    return here;
  }

  let last = null;
  drawing.addEventListener("pointerdown", (event) => {
    drawing.setPointerCapture(event.pointerId);
    last = follow(event, null);
  });
  drawing.addEventListener("pointermove", (event) => {
    if (last !== null) last = follow(event, last);
  });
  for (const end of ["pointerup", "pointercancel"]) drawing.addEventListener(end, () => (last = null));
  drawing.addEventListener("keydown", (event) => {
    const across = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const up = { ArrowUp: STEP, ArrowDown: -STEP }[event.key];
    if (across === undefined && up === undefined && event.key !== "0" && event.key !== "Delete") return;
    event.preventDefault();
    if (across !== undefined) {
      site = Math.max(0, Math.min(values.length - 1, site + across));
      say();
      redraw();
    } else set(up === undefined ? 0 : values[site] + up);
  });
  redraw();
  return { drawing };
});
