// Figures that the fields and the compare view have in common.

import { colourOfClass } from "../figures/colours.js";
import { histogram } from "../figures/histogram.js";
import { count, line } from "./curves.js";

export const TIME = { label: "t", log: true };
export const WEIGHT = { label: "weight w", unit: "y/x" };
// How the fields of a figure are aligned.
export function centreOf({ ring }) {
  const centre = ring ? "the circular mean of the sites" : "the mean of the sites";
  return `The centre is ${centre}, weighted by w²; the mean is drawn where at least half of the fields have a site.`;
}

// The mean that alignment alone makes, beside the mean of trained fields.
export const CHANCE = "mean by chance: the same spectra, random phases";
export const OF_CHANCE = "Thin dashes: the mean of fields with the same power spectra and random phases, aligned alike. Alignment makes this bump by itself; only what exceeds it comes from the phases of the fields.";

export const MOST_CURVES = 60; // faint fields in one figure
export const RATIO_AXIS = { label: "Σw⁴/(Σw²)²", log: true };
export const SPECTRUM = { x: { label: "q", unit: "cycles along the sites", integer: true }, y: { label: "power" }, own: true };
export const SHARE = { y: { label: "share of power per mode", zero: true } };

// The participation ratios of single fields; a field over all n sites has 1/n at least, and one site has 1.
export function ratioHistogram({ groups, levels, n, title, caption }) {
  return {
    key: "ratios", make: histogram,
    data: { groups, levels: Object.entries(levels).map(([name, x]) => ({ name, x })) },
    options: { title, caption, x: { ...RATIO_AXIS, domain: [0.9 / n, 1.1] }, y: { label: "fields" } },
  };
}

// The spectra of the inputs, a curve for each class.
export function inputSpectra(title, classes, names) {
  return {
    title, axes: { y: { label: "S(q)", unit: "x²", log: true } },
    series: classes.map((y, c) => line(count(y.length), y, names[c], colourOfClass(c))),
  };
}
