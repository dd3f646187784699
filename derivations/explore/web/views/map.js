// The map view: a quantity over two parameters, row by row as the server finds it; a click opens the fields there.

import { image } from "../fields/images.js";
import { heat } from "../figures/heat.js";
import { multiples } from "../figures/multiples.js";
import { Controls } from "../lib/controls.js";
import { h } from "../lib/dom.js";
import { Figures } from "../lib/figures.js";
import { View } from "../lib/view.js";
import { Work } from "../lib/work.js";

const REST = 300; // milliseconds without a change, after which the map is computed
const W = { label: "w", unit: "y/x" };
const SIZES = ["12", "24", "40", "64"];
const SPACINGS = [["log", "by their logarithm"], ["even", "evenly"]];

export function mount(root, context) {
  const work = new Work(context, { label: "Compute the map", kind: "map", settings: () => context.settings, heard });
  const use = h("button", { type: "button", hidden: true, onclick: () => context.borrow(view.answer.at.toml) },
    "Use the chosen place in all views");
  const ranges = new Controls((name, value) => view.choose({ [name]: value }));
  const fold = h("details", { class: "ranges" }, h("summary", {}, "Ranges, resolution, networks of a sweep"), ranges.element);
  const view = new View(root, context, { draw, controls, tools: [work.element, use] });
  view.rows.push(ranges);
  root.querySelector(".steer").after(fold);
  const figures = new Figures(view.figure);
  let map = { question: null, values: null, rows: 0 }; // the last result, and the question that it answers
  let waiting = 0;

  function heard({ values, rows, refused, reason }) {
    map = { ...map, values, rows };
    context.choose({ job: work.job.id });
    if (refused) view.say([`${refused} places have no value. The first: ${reason}`]);
    draw(view.answer);
  }

  function draw(answer) {
    const question = JSON.stringify([context.problem.toml, ...["axes", "x", "y", "quantity", "unit", "time"].map((key) => answer[key])]);
    if (question !== map.question) {
      work.forget();
      context.choose({ job: null });
      map = { question, values: null, rows: 0 };
      clearTimeout(waiting);
      waiting = setTimeout(() => work.begin(), REST);
    }
    use.hidden = answer.at === null;
    ranges.show(controlsOfRanges(answer, context.settings));
    figures.draw([mapOf(answer, map, choose), ...(answer.at?.fields ? fieldsOf(answer) : [])]);
  }

  function choose(row, column) {
    const { axes, x, y } = view.answer;
    view.choose({ at: { [axes.x.field]: String(x[column]), [axes.y.field]: String(y[row]) } });
  }

  return {
    update: () => view.update(),
    destroy() {
      clearTimeout(waiting);
    },
  };
}

function controls({ parameters, quantities, quantity, axes, unit, units, times, time }) {
  const ofField = quantity.name === "ratio" || quantity.name === "low";
  const unitsListed = Array.from({ length: units }, (_, k) => [String(k), `unit ${k}`]);
  return [
    { name: "quantity", label: "quantity", kind: "choice", value: quantity.name, options: quantities },
    ...(ofField && units > 1 ? [{ name: "unit", label: "of", kind: "choice", value: String(unit), options: unitsListed }] : []),
    ...(quantity.name === "excess" ? [] : [{
      name: "time", label: "at", kind: "choice", value: time,
      options: times.map((each) => [each, each === "infinity" ? "t → ∞" : `t = ${each}`]),
    }]),
    parameterOf("x", "across", axes.x, parameters, axes.y),
    parameterOf("y", "up", axes.y, parameters, axes.x),
  ];
}

function parameterOf(side, label, axis, parameters, other) {
  return { name: side, label, kind: "choice", value: axis.field, options: parameters.filter(([field]) => field !== other.field) };
}

function controlsOfRanges({ axes, size }, { store }) {
  return [
    ...rangeOf("x", axes.x), ...rangeOf("y", axes.y),
    { name: "size", label: "values along an axis", kind: "choice", value: SIZES.includes(String(size)) ? String(size) : "24",
      options: SIZES.map((each) => [each, each]) },
    { name: "store", label: "trained networks: folder of a sweep", kind: "text", value: store ?? "" },
  ];
}

function rangeOf(side, axis) {
  return [
    { name: `${side}.low`, label: `${axis.label}, from`, kind: "text", value: String(Number(axis.low.toPrecision(6))) },
    { name: `${side}.high`, label: `${axis.label}, to`, kind: "text", value: String(Number(axis.high.toPrecision(6))) },
    ...(axis.counts ? [] : [{ name: `${side}.spacing`, label: `${axis.label}, spaced`, kind: "choice",
      value: axis.log ? "log" : "even", options: SPACINGS }]),
  ];
}

function mapOf({ axes, x, y, quantity, dots, at, time, reversed }, { values, rows }, onSelect) {
  const chosen = at === null ? null : [y.indexOf(at.y), x.indexOf(at.x)];
  const blank = y.map(() => x.map(() => null));
  const when = quantity.name === "excess" ? "" : time === "infinity" ? ", t → ∞" : `, t = ${time}`;
  return {
    key: "map", make: heat, size: "wide",
    data: {
      values: values ?? blank, known: rows, x, y, chosen, here: { x: axes.x.now, y: axes.y.now },
      dots: dots.map((dot) => ({ ...dot, name: `${dot.networks} trained networks (standard error ${dot.error.toPrecision(2)}); ${dot.name}` })),
    },
    options: {
      title: `${quantity.title[0].toUpperCase()}${quantity.title.slice(1)}${when}`,
      caption: `${[sayingOf(quantity), reversed].filter(Boolean).join(" ")} The cross is the present problem; a click, or Enter, chooses a place.`,
      x: { label: axes.x.label, log: axes.x.log, integer: axes.x.counts },
      y: { label: axes.y.label, log: axes.y.log, integer: axes.y.counts },
      value: { label: quantity.symbol },
      tallest: 720,
      palette: quantity.signed ? "saturating" : "sequential", ends: quantity.ends, means: quantity.means, onSelect,
      contour: quantity.signed ? `${quantity.symbol} = 0` : null, missing: "no value", waiting: "not computed yet",
    },
  };
}

function sayingOf({ name }) {
  return {
    ratio: "1 is a field at one site, 1/n a flat one.",
    low: "White noise has a share near one half.",
    loss: "The mean squared error of the exact solution.",
    excess: "Under the closure for one ReLU neuron, an approximation. Whether trained networks localize is measured in Compare.",
  }[name];
}

function fieldsOf({ at, axes, table }) {
  const title = `Fields at ${axes.x.label} = ${at.x}, ${axes.y.label} = ${at.y}`;
  if (at.shape !== null) {
    return at.fields.map((field, unit) => image({
      key: `field-${unit}`, title: `${title}, unit ${unit}`, caption: "The exact solution over the grid of sites.", field, shape: at.shape, value: W,
    }));
  }
  const sites = at.fields[0].map((_, site) => site);
  return [{
    key: "fields", make: multiples, size: "wide",
    data: { panels: at.fields.map((field, unit) => ({
      title: `unit ${unit}`, series: [{ name: "exact solution", x: sites, y: field, colour: "theory" }],
    })) },
    options: { title, caption: `The exact solution; ${table.rows.at(-1)[0]} is ${table.rows.at(-1)[1].toPrecision(4)}.`,
      x: { label: "site", integer: true }, y: W },
  }];
}
