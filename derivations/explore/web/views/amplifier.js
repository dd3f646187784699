// The amplifier view: phi(a), its elasticity, the growth of waves on a flat field, and all of it along the gain.

import { colourOfClass } from "../figures/colours.js";
import { histogram } from "../figures/histogram.js";
import { lines } from "../figures/lines.js";
import { h } from "../lib/dom.js";
import { Figures } from "../lib/figures.js";
import { ToRing } from "../lib/ring.js";
import { View } from "../lib/view.js";
import { inWords } from "../lib/refusals.js";

const REST = 250; // milliseconds without a move, after which the law is followed along its gain
const A = { label: "correlation a of pixel and preactivation" };

export function mount(root, context) {
  const ring = new ToRing(context);
  const link = h("a", { href: "#/compare" }, "Compare trains networks along the gain");
  const headline = h("p", { class: "finding headline", role: "status" });
  const view = new View(root, context, { draw, controls, tools: [ring.element] });
  const said = h("p", { class: "finding" });
  const about = h("div", { class: "plan" });
  const place = h("div");
  view.figure.replaceChildren(headline, said, about, place);
  const figures = new Figures(place);
  let gains = null; // the last ones, until new ones are there

  function draw(answer) {
    ({ gains = gains } = answer);
    if (answer.flat === null || answer.gain === null) gains = null;
    said.textContent = answer.refused ? `No flat state: ${inWords(answer.refused)}` : answer.said.join(" ");
    headline.hidden = answer.gain === null;
    headline.replaceChildren(gains ? `${gains.said} ` : "", link, ": at which one do they localize?");
    about.replaceChildren(...answer.about.map((text) => h("p", {}, text)));
    answer.tables = [answer.table, answer.waves, gains?.table].filter(Boolean);
    ring.show(answer.refused !== null);
    figures.draw(figuresOf(answer, gains));
  }

  return view.rested({ scan: true }, REST);
}

function controls({ classes, class: chosen }) {
  const options = classes.map((name, c) => [String(c), name]);
  return [{ name: "class", label: "marginal of one site in the class", kind: "choice", value: String(chosen), options }];
}

function figuresOf(answer, gains) {
  const { flat } = answer;
  return [marginal(answer), phi(answer), elasticity(answer), ...(flat ? [nearFlat(answer), rates(answer)] : []),
    ...(gains ? [alongGains(answer, gains)] : [])];
}

function own(answer) {
  return { name: answer.classes[answer.class], colour: colourOfClass(answer.class) };
}

const GAUSSIAN = { name: "Gaussian", colour: "muted", look: "dash" };

function marginal(answer) {
  const { x, p, edges, heights, discrete } = answer.marginal;
  const options = {
    title: "Marginal of one site", caption: "Scaled to mean 0 and variance 1.",
    x: { label: "x" }, y: { label: discrete ? "probability" : "density", unit: discrete ? null : "1/x", zero: true },
  };
  if (discrete) {
    return { key: "marginal", make: lines, data: { series: x.map((value, k) => ({ ...own(answer), x: [value, value], y: [0, p[k]] })) }, options };
  }
  const normal = Array.from({ length: 81 }, (_, k) => -4 + k / 10);
  const bell = { ...GAUSSIAN, x: normal, y: normal.map((value) => Math.exp((-value * value) / 2) / Math.sqrt(2 * Math.PI)) };
  return {
    key: "marginal-density", make: histogram,
    data: { groups: [{ ...own(answer), edges, heights }], curves: [bell] },
    options: { ...options, caption: `${options.caption} The probability of a bin over its width, ${(edges[1] - edges[0]).toPrecision(2)} standard deviations.` },
  };
}

function phi(answer) {
  const { a, flat } = answer;
  return {
    key: "phi", make: lines,
    data: {
      series: [{ ...own(answer), x: a, y: answer.phi, ...band(answer) }, { ...GAUSSIAN, x: a, y: answer.gaussian }],
      points: flat ? [{ name: "flat field", x: flat.a, y: flat.phi }] : [],
    },
    options: {
      title: "Amplifier φ(a)",
      caption: `φ(a) = E[X sign h] for a preactivation h of correlation a with the pixel X.${answer.errors ? " Band: ± 2 standard errors." : ""}`,
      x: A, y: { label: "φ(a)", zero: true },
    },
  };
}

function band({ phi: middle, errors }) {
  if (errors === null) return {};
  return { low: middle.map((y, k) => y - 2 * errors[k]), high: middle.map((y, k) => y + 2 * errors[k]) };
}

function elasticity(answer) {
  const { a, flat } = answer;
  return {
    key: "elasticity", make: lines,
    data: {
      series: [{ ...own(answer), x: a, y: answer.elasticity }, { ...GAUSSIAN, x: a, y: a.map(() => 1) }],
      points: flat ? [{ name: "flat field", x: flat.a, y: flat.elasticity }] : [],
    },
    options: {
      title: "Elasticity d ln φ / d ln a",
      caption: "By how many percent the drive φ grows where the correlation a grows by one.",
      x: A, y: { label: "elasticity" },
    },
  };
}

// The curve about the flat field: there the critical value and that of Gaussian pixels are told apart.
function nearFlat(answer) {
  const { a, flat } = answer;
  const known = [1, flat.critical, flat.elasticity];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const margin = (high - low) / 3;
  const leaves = a.findIndex((_, k) => answer.elasticity[k] < low - margin || answer.elasticity[k] > high + margin);
  const shown = a.slice(0, leaves < 0 ? a.length : leaves);
  const ends = [0, Math.max(shown.at(-1) ?? 0, 1.1 * flat.a)];
  return {
    key: "near", make: lines,
    data: {
      series: [{ ...own(answer), x: shown, y: answer.elasticity.slice(0, shown.length) }, { ...GAUSSIAN, x: ends, y: [1, 1] }],
      points: [{ name: "flat field", x: flat.a, y: flat.elasticity }],
      levels: [{ name: "critical", y: flat.critical }],
    },
    options: {
      title: "Elasticity near the flat field",
      caption: "Under the closure the flat field is unstable where its elasticity exceeds the critical value.",
      x: A, y: { label: "elasticity", domain: [low - margin, high + margin] },
    },
  };
}

// Without mode 0, the flat field itself, which decays too fast for the scale of the others.
function rates(answer) {
  const { rates: [, ...found], fastest } = answer.flat;
  return {
    key: "rates", make: lines,
    data: {
      series: [{ name: "rate", colour: "theory", x: found.map((_, k) => k + 1), y: found, look: "marks" }],
      points: [{ name: "fastest wave", x: fastest, y: found[fastest - 1] }],
    },
    options: {
      title: "Growth of waves on a flat field",
      caption: "Under the closure a wave with a positive rate grows.",
      x: { label: "periods on the ring", integer: true, domain: [0, found.length] }, y: { label: "rate", unit: "1/τ", zero: true },
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
        ? `Under the closure the flat field is unstable where the curve is above 0; it changes at the gain ${critical.map((value) => value.toPrecision(4)).join(" and ")}. Trained networks need not localize at once above it.`
        : "Under the closure the flat field is unstable where the curve is above 0: it does not change over these gains.",
      x: { label: "gain g", log: true }, y: { label: "elasticity − critical value", zero: true },
    },
  };
}
