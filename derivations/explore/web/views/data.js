// The data view: covariances, middle row, spectrum, marginal or means, and examples of each class.

import { colourOfClass } from "../figures/colours.js";
import { heat } from "../figures/heat.js";
import { lines } from "../figures/lines.js";
import { Figures } from "../lib/figures.js";
import { View } from "../lib/view.js";

const REST = 200; // milliseconds without a move, after which samples are drawn

export function mount(root, context) {
  const view = new View(root, context, { draw, controls });
  const figures = new Figures(view.figure);

  function draw(answer) {
    figures.draw(figuresOf(answer));
  }

  return view.rested({ sample: true }, REST);
}

// The pair of classes whose covariances are drawn, where there are more than two.
function controls({ classes, first }) {
  if (classes.length <= 2) return [];
  const options = classes.slice(1).map((name, c) => [String(c), `${classes[c]} and ${name}`]);
  return [{ name: "first", label: "covariances of", kind: "choice", value: String(first), options }];
}

function figuresOf(answer) {
  return [...answer.covariances.map((one) => covariance(answer, one)), row(answer), spectrum(answer),
    answer.marginal ? marginal(answer) : means(answer), ...(answer.examples ? [examples(answer)] : [])];
}

function covariance({ classes, shape, site, how, covariances }, { class: c, matrix }) {
  const limit = Math.max(...covariances.flatMap((one) => one.matrix.flat().map(Math.abs)));
  const onGrid = shape !== null;
  return {
    key: `covariance-${c}`,
    make: heat,
    data: { values: matrix },
    options: {
      title: `Covariance, ${classes[c]}`,
      caption: onGrid ? `Of every site with the middle one, site ${site}; ${how}.` : `Of every pair of sites; ${how}.`,
      x: { label: onGrid ? "column" : "site l", integer: true },
      y: { label: onGrid ? "row" : "site k", integer: true },
      value: { label: "Cov", unit: "x²" },
      square: true, down: true, limit: limit || 1,
    },
  };
}

// Curves of each class: exact as lines, sampled as marks.
function curves({ classes, how }, x, exact, sampled) {
  const colours = classes.map((_, c) => colourOfClass(c));
  const marks = sampled ?? [];
  return [
    ...marks.map((y, c) => ({ name: "sampled", colour: colours[c], x, y, look: "marks" })),
    ...exact.map((y, c) => ({ name: `${classes[c]}, ${how}`, colour: colours[c], x, y })),
  ];
}

function along(values) {
  return values[0].map((_, place) => place);
}

function row(answer) {
  return overSites(answer, "row", `Covariance with site ${answer.site}`, "How far the inputs of a class are alike.", "site k",
    { label: "Cov", unit: "x²", zero: true });
}

// Curves of each class over the sites of a line, or over a row of a grid.
function overSites(answer, key, title, caption, site, y) {
  const { row: place, exact, sampled } = answer[key];
  return {
    key, make: lines,
    data: { series: curves(answer, along(exact), exact, sampled) },
    options: { title: place === null ? title : `${title} along row ${place}`, caption, x: { label: place === null ? site : "column", integer: true }, y },
  };
}

function spectrum(answer) {
  const { exact, sampled } = answer.spectrum;
  const rank = along(exact).map((place) => place + 1);
  return {
    key: "spectrum", make: lines,
    data: { series: curves(answer, rank, exact, sampled) },
    options: {
      title: "Spectrum of the covariance",
      caption: "Eigenvalues in descending order; those of the size of rounding are left out.",
      x: { label: "rank", integer: true }, y: { label: "eigenvalue", unit: "x²", log: true },
    },
  };
}

function marginal(answer) {
  const { marginal: found, discrete, classes, how, samples } = answer;
  const drawn = samples ? `Sampled: ${samples.map((count, c) => `${count} examples of ${classes[c]}`).join(", ")}.` : "";
  const bins = found.map(({ bin }, c) => `${bin?.toPrecision(2)} for ${classes[c]}`).join(", ");
  const series = discrete ? classes.flatMap((name, c) => stems(found[c], c, name)) : classes.flatMap((name, c) => steps(found[c], c, name, how));
  return {
    key: "marginal", make: lines,
    data: { series },
    options: {
      title: "Marginal of one site",
      caption: `${discrete ? "The values of x with their probabilities." : `The probability of a bin over its width, in standard deviations: ${bins}.`} ${drawn}`,
      x: { label: "x" }, y: { label: discrete ? "probability" : "density", unit: discrete ? null : "1/x", zero: true },
    },
  };
}

const APART = 0.04; // of the classes at one value of x

function stems({ x, exact, sampled }, c, name) {
  const colour = colourOfClass(c);
  const at = x.map((value) => value + c * APART);
  const marks = sampled ? [{ name: "sampled", colour, x: at, y: sampled, look: "marks" }] : [];
  return [...at.map((value, k) => ({ name, colour, x: [value, value], y: [0, exact[k]] })), ...marks];
}

function steps({ x, exact, sampled }, c, name, how) {
  const colour = colourOfClass(c);
  const edges = exact.flatMap((_, k) => [x[k], x[k + 1]]);
  const heights = exact.flatMap((height) => [height, height]);
  const middle = exact.map((_, k) => (x[k] + x[k + 1]) / 2);
  const marks = sampled ? [{ name: "sampled", colour, x: middle, y: sampled, look: "marks" }] : [];
  return [...marks, { name: `${name}, ${how}`, colour, x: edges, y: heights }];
}

function means(answer) {
  return overSites(answer, "means", "Class means", "The sites are not alike: the mean of each site is drawn, because no one marginal is that of all.",
    "site", { label: "⟨x⟩", unit: "x", zero: true });
}

function examples(answer) {
  return answer.shape === null ? curvesOfExamples(answer) : tiles(answer);
}

function curvesOfExamples({ classes, examples: drawn }) {
  const all = drawn.flat(2);
  const shift = 1.15 * (Math.max(...all) - Math.min(...all)) || 1;
  const count = drawn[0].length;
  const series = drawn.flatMap((rows, c) => rows.map((y, k) => ({
    name: classes[c], colour: colourOfClass(c), x: along([y]), y: y.map((value) => value - (c * count + k) * shift),
  })));
  return {
    key: "examples", make: lines,
    data: { series },
    options: {
      title: "Examples", caption: `${count} of each class, one below the other.`,
      x: { label: "site", integer: true }, y: { label: "x, shifted", ticks: [] },
    },
  };
}

function tiles({ classes, shape, examples: drawn }) {
  const [rows, columns] = shape;
  const blank = Array(columns + 1).fill(null);
  const values = drawn.flatMap((of) => [
    ...Array.from({ length: rows }, (_, r) => of.flatMap((x) => [...x.slice(r * columns, (r + 1) * columns), null])),
    blank.concat(...of.slice(1).map(() => blank)),
  ]);
  return {
    key: "examples", make: heat,
    data: { values },
    options: {
      title: "Examples", caption: `A row of each class, from above: ${classes.join("; ")}.`,
      x: { label: "", ticks: [] }, y: { label: "", ticks: [] }, value: { label: "x" }, square: true, down: true,
    },
  };
}
