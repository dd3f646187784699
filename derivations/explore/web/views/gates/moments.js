// The moments through the gates of a network, exact and from samples, and the controls of its gates.

import { heat } from "../../figures/heat.js";
import { lines } from "../../figures/lines.js";
import { multiples } from "../../figures/multiples.js";

const KINDS = [["site", "site"], ["always", "always open"]];

export function controlsOfGates({ gates, most, sites, end, p, q }) {
  const units = gates.map((_, unit) => [String(unit), `unit ${unit}`]);
  const count = Array.from({ length: most }, (_, k) => String(k + 1));
  return [
    { name: "units", label: "gated units K", kind: "slider", value: String(gates.length), values: count, unit: ["unit", "units"] },
    { name: "p", label: "p of Σxx(p, q)", kind: "choice", value: String(p), options: units },
    { name: "q", label: "q of Σxx(p, q)", kind: "choice", value: String(q), options: units },
    ...gates.flatMap((gate, unit) => controlsOfGate(gate, unit, sites, end)),
  ];
}

function controlsOfGate({ kind, site, lo, hi, simple }, unit, sites, end) {
  const name = (part) => `gate.${unit}.${part}`;
  const options = simple ? KINDS : [[kind, "as given"], ...KINDS];
  const choice = { name: name("kind"), label: `gate ${unit}`, kind: "choice", value: kind, options };
  if (kind !== "site") return [choice];
  const places = Array.from({ length: sites }, (_, k) => String(k));
  return [
    choice,
    { name: name("site"), label: `gate ${unit}: site`, kind: "slider", value: String(site), values: places },
    bound(name("lo"), `gate ${unit}: open from (−${end}: unbounded)`, lo, end),
    bound(name("hi"), `gate ${unit}: open below (${end}: unbounded)`, hi, end),
  ];
}

// A slider of a bound in tenths; a bound at an end of it is none.
function bound(name, label, value, end) {
  const steps = Array.from({ length: 20 * end + 1 }, (_, k) => (k - 10 * end) / 10);
  const values = [...new Set([...steps, value])].sort((a, b) => a - b).map(String);
  return { name, label, kind: "slider", value: String(value), values };
}

export function figuresOfGates(answer) {
  return answer.shape === null ? onALine(answer) : onAGrid(answer);
}

function onALine(answer) {
  const { p, q, xx, site } = answer;
  return [...matrices(xx, "xx", `Σxx(${p}, ${q})`, "⟨g_p g_q x xᵀ⟩ of every pair of sites", "site l", "site k", "x²"),
    profile(answer, `Σxx(${p}, ${q}), row of site ${site}`, "site l"), labelled(answer, "site", "")];
}

function onAGrid(answer) {
  const { p, q, xx, images, site, row } = answer;
  const along = `, along row ${row}`;
  return [...matrices(xx, "xx", `Σxx(${p}, ${q}) with site ${site}`, "⟨g_p g_q x_site x⟩ over the grid", "column", "row", "x²"),
    profile(answer, `Σxx(${p}, ${q}) with site ${site}${along}`, "column"),
    ...matrices(images, "yx", `Σyx(${p})`, "⟨g_p y x⟩ over the grid", "column", "row", "x y"),
    labelled(answer, "column", along)];
}

// A matrix as it is known exactly, and as it is measured, in the same colours.
function matrices(known, key, title, caption, x, y, unit) {
  const limit = Math.max(...Object.values(known).flatMap((matrix) => matrix.flat().map(Math.abs))) || 1;
  return Object.entries(known).map(([how, values]) => ({
    key: `${key}-${how}`, make: heat,
    data: { values },
    options: { title: `${title}, ${how}`, caption: `${caption}.`, x: { label: x, integer: true }, y: { label: y, integer: true },
      value: { label: title.slice(0, 3), unit }, limit, square: true, down: true },
  }));
}

function profile({ profile: known }, title, label) {
  const series = Object.entries(known).map(([how, y]) => ({
    name: how, x: y.map((_, k) => k), y, colour: how === "exact" ? "theory" : "gated-linear", look: how === "exact" ? "line" : "marks",
  }));
  return {
    key: "profile", make: lines, data: { series },
    options: { title, caption: "One row of the matrix.", x: { label, integer: true }, y: { label: "Σxx", unit: "x²", zero: true } },
  };
}

function labelled({ yx }, label, along) {
  const panels = yx.map(({ unit, exact, measured, errors }) => ({
    title: `unit ${unit}`,
    series: [
      ...(measured === null ? [] : [{ name: "measured ± 2 standard errors", x: measured.map((_, k) => k), y: measured,
        error: errors.map((error) => 2 * error), colour: "gated-linear", look: "marks" }]),
      ...(exact === null ? [] : [{ name: "exact", x: exact.map((_, k) => k), y: exact, colour: "theory" }]),
    ],
  }));
  return {
    key: "labelled", make: multiples, data: { panels },
    options: { title: `Σyx of each unit${along}`, caption: "⟨g_p y x⟩: the inputs that pass a gate, weighted by their label.",
      x: { label, integer: true }, y: { label: "Σyx", unit: "x y", zero: true } },
  };
}
