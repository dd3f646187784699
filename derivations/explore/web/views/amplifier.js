// The amplifier view: phi(a), its elasticity, the growth of waves on a flat field, and all of it along the gain.

import { lines } from "../figures/lines.js";
import { h } from "../lib/dom.js";
import { Figures } from "../lib/figures.js";
import { View } from "../lib/view.js";
import { inWords } from "../lib/refusals.js";

const REST = 250; // milliseconds without a move, after which the law is followed along its gain
const A = { label: "correlation a of pixel and preactivation" };

export function mount(root, context) {
  const ring = h("button", { type: "button", hidden: true, onclick: () => context.set({ "data.boundary": "ring" }) }, "Put the sites on a ring");
  const view = new View(root, context, { draw, controls, tools: [ring] });
  const said = h("p", { class: "finding" });
  const place = h("div");
  view.figure.replaceChildren(said, place);
  const figures = new Figures(place);
  let waiting = 0;
  let gains = null; // the last ones, until new ones are there

  function draw(answer) {
    ({ gains = gains } = answer);
    if (answer.flat === null || answer.gain === null) gains = null;
    said.textContent = answer.refused ? `No flat state: ${inWords(answer.refused)}` : answer.said.join(" ");
    ring.hidden = !(answer.refused && !context.problem.bar.summary.ring && hasRing());
    figures.draw(figuresOf(answer, gains));
  }

  function hasRing() {
    const boundary = context.problem.bar.controls.find(({ name }) => name === "data.boundary");
    return boundary?.options.some(([value]) => value === "ring") ?? false;
  }

  return {
    async update() {
      clearTimeout(waiting);
      await view.update();
      clearTimeout(waiting);
      waiting = setTimeout(() => view.update({ scan: true }), REST);
    },
    destroy: () => clearTimeout(waiting),
  };
}

function controls({ classes, class: chosen }) {
  const options = classes.map((name, c) => [String(c), name]);
  return [{ name: "class", label: "marginal of one site in the class", kind: "choice", value: String(chosen), options }];
}

function figuresOf(answer, gains) {
  const { flat } = answer;
  return [marginal(answer), phi(answer), elasticity(answer), ...(flat ? [rates(answer)] : []),
    ...(gains ? [alongGains(answer, gains)] : [])];
}

function own(answer) {
  const c = answer.class;
  return { name: answer.classes[c], colour: c < 4 ? `class-${c + 1}` : c };
}

const GAUSSIAN = { name: "Gaussian", colour: "muted", look: "dash" };

function marginal(answer) {
  const { x, p, discrete } = answer.marginal;
  const series = discrete
    ? x.map((value, k) => ({ ...own(answer), x: [value, value], y: [0, p[k]] }))
    : [{ ...own(answer), x, y: p }];
  const normal = Array.from({ length: 81 }, (_, k) => -4 + k / 10);
  if (!discrete) series.push({ ...GAUSSIAN, x: normal, y: normal.map((value) => Math.exp((-value * value) / 2) / Math.sqrt(2 * Math.PI)) });
  return {
    key: "marginal", make: lines, data: { series },
    options: {
      title: "Marginal of one site", caption: "Scaled to mean 0 and variance 1.",
      x: { label: "x" }, y: { label: discrete ? "probability" : "density", zero: true },
    },
  };
}

function phi(answer) {
  const { a, flat } = answer;
  return {
    key: "phi", make: lines,
    data: {
      series: [{ ...own(answer), x: a, y: answer.phi }, { ...GAUSSIAN, x: a, y: answer.gaussian }],
      points: flat ? [{ name: "flat field", x: flat.a, y: flat.phi }] : [],
    },
    options: {
      title: "Amplifier φ(a)", caption: "φ(a) = E[X sign h] for a preactivation h of correlation a with the pixel X.",
      x: A, y: { label: "φ(a)", zero: true },
    },
  };
}

function elasticity(answer) {
  const { a, flat } = answer;
  return {
    key: "elasticity", make: lines,
    data: {
      series: [{ ...own(answer), x: a, y: answer.elasticity }, { ...GAUSSIAN, x: a, y: a.map(() => 1) }],
      points: flat ? [{ name: "flat field", x: flat.a, y: flat.elasticity }] : [],
      levels: flat ? [{ name: "critical", y: flat.critical }] : [],
    },
    options: {
      title: "Elasticity d ln φ / d ln a",
      caption: "A flat field is unstable where its elasticity exceeds the critical value.",
      x: A, y: { label: "elasticity" },
    },
  };
}

function rates(answer) {
  const { rates: found, fastest } = answer.flat;
  return {
    key: "rates", make: lines,
    data: {
      series: [{ name: "rate", colour: "theory", x: found.map((_, q) => q), y: found, look: "marks" }],
      points: [{ name: "fastest wave", x: fastest, y: found[fastest] }],
    },
    options: {
      title: "Growth of waves on a flat field",
      caption: "A wave with a positive rate grows; mode 0 is the flat field itself.",
      x: { label: "periods on the ring", integer: true }, y: { label: "rate", unit: "1/τ", zero: true },
    },
  };
}

function alongGains({ gain }, { gain: x, excess, critical }) {
  return {
    key: "gains", make: lines,
    data: {
      series: [{ name: "elasticity − critical value", colour: "theory", x, y: excess }],
      levels: [{ name: "this gain", x: gain }, ...critical.map((value) => ({ name: `g = ${value.toPrecision(3)}`, x: value }))],
    },
    options: {
      title: "Through the transition",
      caption: critical.length
        ? `The flat field is unstable where the curve is above 0; it changes at the gain ${critical.map((value) => value.toPrecision(4)).join(" and ")}.`
        : "The flat field is unstable where the curve is above 0: it does not change over these gains.",
      x: { label: "gain g", log: true }, y: { label: "elasticity − critical value", zero: true },
    },
  };
}
