// The figures of the fields view, from the state of the page: answer, snapshots, and what the reader has chosen.

import { lines } from "../figures/lines.js";
import { multiples } from "../figures/multiples.js";
import { raster } from "../figures/raster.js";
import { banded, colourOf, count, line, marked, overTime, titleOf } from "./curves.js";
import { everyField, image } from "./images.js";
import { timeText } from "./player.js";
import { CHANCE, MOST_CURVES, OF_CHANCE, RATIO_AXIS, SHARE, SPECTRUM, TIME, WEIGHT, centreOf, inputSpectra, ratioHistogram } from "./shared.js";

export const RATIO = "participation ratio";
const RATIO_OF_MEAN = "participation ratio of the mean field";
const [LOSS, LOSS_OF_MEAN] = ["loss (y²)", "loss of the mean network (y²)"];
const FLIPPED = "gates flipped since the first time";
const DISTANCE = "distance to theory, 99 % band";
export const SHAPES = ["width (sites)", "spectral peak (cycles along the sites)", "low-frequency share", "centre (site)"];
const MOST_PANELS = 3; // units side by side
const LOOKS = ["line", "dash", "dots"]; // of the theory of the first, second and third of them

// `state` has {answer, times, tables, snapshot, shown, first, behind, unit, aligned, shape}: `shown` are the networks at
// the snapshot by name, `first` those at the first one, and `tables` the rows of every snapshot.
export function figuresOf(state) {
  const { answer, shown } = state;
  const trained = Object.keys(shown).length > 0;
  if (!trained && !answer.theory) return answer.spectra ? [spectrum(state)] : [];
  return [
    ...(answer.line ? [fields(state)] : images(state)),
    ratio(state),
    ...(trained ? [ratios(state)] : []),
    loss(state),
    ...(trained && answer.line ? [shape(state)] : []),
    ...(Object.values(shown).some((one) => one.raster) ? [flips(state)] : []),
    ...(trained && answer.theory ? [distance(state)] : []),
    ...(answer.spectra ? [spectrum(state)] : []),
    ...(Object.values(shown).some((one) => one.raster) ? [gates(state)] : []),
  ];
}

function at({ answer, snapshot }) {
  return `t = ${timeText(answer.times[snapshot])}`;
}

function unitsOf({ answer, unit }) {
  if (unit !== "all") return [Number(unit)];
  return count(Math.min(MOST_PANELS, answer.units.length));
}

// Which units are shown, where they are not all that were asked for.
function firstOf(state) {
  const { units } = state.answer;
  const shown = unitsOf(state).length;
  return state.unit === "all" && shown < units.length ? ` The first ${shown} of ${units.length} units are shown.` : "";
}

function fields(state) {
  return state.aligned && Object.keys(state.shown).length ? alignedFields(state) : unitFields(state);
}

// All fields of each model, shifted to their centre and with the sign of their largest weight.
function alignedFields(state) {
  const { answer, shown, unit } = state;
  const x = count(answer.n).map((site) => site - Math.floor(answer.n / 2));
  const own = (one) => (unit === "all" ? one.aligned.flat() : one.aligned.map((network) => network[Number(unit)]));
  const place = unit === "all" ? answer.units.length : Number(unit);
  const panels = Object.entries(shown).map(([name, one]) => ({
    title: titleOf(name),
    series: [
      ...own(one).slice(0, MOST_CURVES).map((y) => line(x, y, "each field", colourOf(name), "faint")),
      line(x, one.aligned_mean[place], "their mean", colourOf(name)),
      line(x, one.chance[place], CHANCE, "theory", "thin"),
    ],
  }));
  return {
    key: "fields", make: multiples, size: "wide",
    data: { panels },
    options: {
      title: `Fields aligned by their centre, ${at(state)}`,
      caption: `${unit === "all" ? "All units of all networks" : `Unit ${answer.units[Number(unit)]} of all networks`}, each with the sign of its largest weight. ${OF_CHANCE} ${centreOf(answer)}`,
      x: { label: "site from the centre", integer: true }, y: WEIGHT,
    },
  };
}

// Whether the units with one number differ from network to network: only given gates make them alike.
function unlike({ separate }, name) {
  return separate && name !== "gated-linear";
}

function unitFields(state) {
  const { answer, shown, snapshot } = state;
  const { theory } = answer;
  const x = count(answer.n);
  const panels = unitsOf(state).map((k) => ({
    title: `unit ${answer.units[k]}`,
    series: [
      ...Object.entries(shown).flatMap(([name, one]) => one.weights.slice(0, MOST_CURVES)
        .map((network) => line(x, network[k], null, colourOf(name), "faint"))),
      ...(theory ? [
        line(x, theory.end[k], "theory, t → ∞", "muted", "dash"),
        line(x, theory.flow[snapshot][k], "gradient flow", "muted"),
        line(x, theory.descent[snapshot][k], "theory: gradient descent", "theory"),
      ] : []),
      ...Object.entries(shown).filter(([name]) => !unlike(answer, name)).map(([name, one]) => (theory
        ? { ...line(x, one.mean[k], `${titleOf(name)}, mean of networks`, colourOf(name)), look: "marks" }
        : line(x, one.mean[k], `${titleOf(name)}, mean of networks`, colourOf(name)))),
    ],
  }));
  const apart = Object.keys(shown).some((name) => unlike(answer, name))
    ? ` Networks start apart, so that their units with one number are not alike: they have no mean${answer.line ? "; align them by their centre" : ""}.` : "";
  const beside = (theory ? "The line is the exact mean of networks; marks are the mean of trained ones, each of them faint." : "Each network is faint.") + apart;
  return {
    key: "fields", make: multiples, size: "wide",
    data: { panels },
    options: { title: `Fields of the units, ${at(state)}`, caption: `${beside}${firstOf(state)}`, x: { label: "site", integer: true }, y: WEIGHT },
  };
}

// Fields on a grid: the theory of each unit and the mean of its networks, then every field of every network.
function images(state) {
  const { answer, shown, snapshot, unit } = state;
  const { shape, theory } = answer;
  const means = unitsOf(state).flatMap((k) => [
    ...(theory ? [["theory", theory.descent[snapshot][k], at(state)], ["theory", theory.end[k], "t → ∞"]] : []),
    ...(theory ? Object.entries(shown).map(([name, one]) => [`${titleOf(name)}, mean of networks`, one.mean[k], at(state)]) : []),
  ].map(([name, field, time]) => image({
    key: `image-${k}-${name}-${time === at(state)}`, field, shape,
    title: `Field of unit ${answer.units[k]}: ${name}`, caption: `At ${time}, over the grid of sites.`,
  })));
  const every = Object.entries(shown).map(([name, one]) => {
    const chosen = answer.units.map((_, k) => k).filter((k) => unit === "all" || k === Number(unit));
    return everyField({
      key: `every-${name}`, shape, title: `${titleOf(name)}: every field, ${at(state)}`,
      caption: `${unit === "all" ? "All units" : `Unit ${answer.units[chosen[0]]}`} of all networks.`,
      fields: one.weights.flatMap((network) => chosen.map((k) => network[k])),
      names: one.weights.flatMap((_, network) => chosen.map((k) => `network ${network}, unit ${answer.units[k]}`)),
    });
  });
  return [...means, ...every];
}

function now(state) {
  return { name: "", x: state.answer.times[state.snapshot] };
}

function ratio(state) {
  const { answer, shown, unit } = state;
  const one = unit === "all" ? "all" : answer.units[Number(unit)];
  const predicted = unitsOf(state).map((k, place) => ({ ...overTime(state, RATIO_OF_MEAN, answer.units[k], "theory"), k, look: LOOKS[place] }))
    .filter(({ x }) => x.length);
  const series = [
    ...Object.keys(shown).map((name) => banded(overTime(state, RATIO, one, name), `${titleOf(name)}, mean over networks`, colourOf(name))),
    ...predicted.map(({ x, y, k, look }) => line(x, y, `theory, field of unit ${answer.units[k]}`, "theory", look)),
    ...(answer.model in shown ? predicted.map(({ k }) =>
      marked(overTime(state, RATIO_OF_MEAN, answer.units[k], answer.model), `of the mean ${titleOf(answer.model)} field`, colourOf(answer.model))) : []),
  ];
  return {
    key: "ratio", make: lines,
    data: { series, levels: [...Object.entries(answer.levels).map(([name, y]) => ({ name, y })), now(state)] },
    options: {
      title: "Participation ratio",
      caption: predicted.length
        ? `The theory predicts the mean field of each unit: marks are its ratio, without the bias of noise. Bands are means over networks of the ratio of each.${firstOf(state)}`
        : "The mean over networks of the ratio of each, with one standard error; dashed are fields that are not local, twice the random ratio, above which they are, and one site.",
      x: TIME, y: RATIO_AXIS,
    },
  };
}

function ratios(state) {
  const { answer, shown, unit } = state;
  const values = (one) => (unit === "all" ? one.ratio.flat() : one.ratio.map((network) => network[Number(unit)])).filter(Number.isFinite);
  return ratioHistogram({
    groups: Object.entries(shown).map(([name, one]) => ({ name: titleOf(name), colour: colourOf(name), values: values(one) })),
    levels: answer.levels, n: answer.n,
    title: `Participation ratio of every field, ${at(state)}`,
    caption: `${unit === "all" ? "All units" : `Unit ${answer.units[Number(unit)]}`} of all networks.`,
  });
}

function loss(state) {
  const { answer, shown } = state;
  const theory = overTime(state, LOSS_OF_MEAN, "", "theory");
  const series = [
    ...Object.keys(shown).map((name) => banded(overTime(state, LOSS, "", name), `${titleOf(name)}, mean over networks`, colourOf(name))),
    ...(theory.x.length ? [line(theory.x, theory.y, "theory, mean network", "theory")] : []),
    ...(theory.x.length && answer.model in shown
      ? [marked(overTime(state, LOSS_OF_MEAN, "", answer.model), `of the mean ${titleOf(answer.model)} network`, colourOf(answer.model))] : []),
  ];
  return {
    key: "loss", make: lines,
    data: { series, levels: [...(answer.theory ? [{ name: "least", y: answer.theory.least }] : []), now(state)] },
    options: {
      title: "Loss",
      caption: theory.x.length ? "Networks scatter around their mean, so that their mean loss is larger than that of the mean network." : "The mean over networks with one standard error.",
      x: TIME, y: { label: "⟨(y − ŷ)²⟩", unit: "y²", zero: true },
    },
  };
}

// Both class spectra above the field's: the order of the lengths decides where the class y = 1 has more power.
function spectrum(state) {
  const { answer, shown, snapshot, unit } = state;
  const { classes, field } = answer.spectra;
  const q = count(classes[0].length);
  const own = [
    ...(field ? unitsOf(state).map((k, place) => line(q, field[snapshot][k], `theory, unit ${answer.units[k]}`, "theory", LOOKS[place])) : []),
    ...Object.entries(shown).map(([name, one]) => line(q, one.power[unit === "all" ? answer.units.length : Number(unit)], `${titleOf(name)}, mean over networks`, colourOf(name))),
  ];
  const panels = [
    inputSpectra("inputs of each class", classes, answer.classes),
    ...(own.length ? [{ title: `fields, ${at(state)}`, series: own, axes: SHARE }] : []),
  ];
  return {
    key: "spectrum", make: multiples, size: "wide",
    data: { panels },
    options: {
      title: "Spectrum of the field beside those of both classes",
      caption: [...answer.said.slice(1), shown[answer.model]?.said ?? "", field ? firstOf(state).trim() : ""].join(" "),
      ...SPECTRUM,
    },
  };
}

function shape(state) {
  const { answer, shown, unit, shape: quantity } = state;
  const one = unit === "all" ? "all" : answer.units[Number(unit)];
  const [, label, measured] = /^(.*?)(?: \((.*)\))?$/.exec(quantity);
  return {
    key: "shape", make: lines,
    data: {
      series: Object.keys(shown).map((name) => banded(overTime(state, quantity, one, name), titleOf(name), colourOf(name))),
      levels: [now(state)],
    },
    options: {
      title: `${label[0].toUpperCase()}${label.slice(1)} of the fields`,
      caption: quantity.startsWith("centre") && (answer.ring || unit === "all")
        ? "A mean of centres has a meaning for one unit on an open line alone: choose a unit there."
        : "The mean over networks with one standard error.",
      x: TIME, y: { label, unit: measured },
    },
  };
}

function distance(state) {
  const { shown } = state;
  const series = Object.keys(shown).flatMap((name) => {
    const [low, high] = ["from", "to"].map((end) => overTime(state, `${DISTANCE} ${end}`, "", name));
    return low.x.length ? [{ name: titleOf(name), colour: colourOf(name), x: low.x, y: low.y.map((y, k) => (y + high.y[k]) / 2), low: low.y, high: high.y }] : [];
  });
  return {
    key: "distance", make: lines,
    data: { series, levels: [now(state)] },
    options: {
      title: "Distance of the mean field to the theory",
      caption: "A band that covers all times together with probability 99 %; the line is its middle.",
      x: TIME, y: { label: "|E w − theory|/|theory|", zero: true },
    },
  };
}

function flips(state) {
  const { answer, shown, unit } = state;
  const one = unit === "all" ? "all" : answer.units[Number(unit)];
  const series = Object.entries(shown).filter(([, found]) => found.flipped)
    .map(([name]) => banded(overTime(state, FLIPPED, one, name), titleOf(name), colourOf(name)));
  return {
    key: "flips", make: lines,
    data: { series, levels: [{ name: "unrelated", y: 0.5 }, now(state)] },
    options: {
      title: "Gates flipped since the first time", caption: "The share of fresh examples on which a gate differs; unrelated gates differ on half.",
      x: TIME, y: { label: "share of examples", zero: true },
    },
  };
}

// Units × examples: open gates, and those that have opened or closed since the first snapshot.
function gates(state) {
  const { answer, shown, first } = state;
  const [name, one] = Object.entries(shown).find(([, found]) => found.raster);
  const before = first[name].raster;
  const values = one.raster.map((row, k) => [...row].map((open, m) => {
    const was = before[k][m] === "1";
    return open === "1" ? (was ? 1 : 2) : was ? 3 : 0;
  }));
  const border = one.categories.indexOf(1);
  return {
    key: "gates", make: raster, size: "wide",
    data: { values },
    options: {
      title: `Gates of one ${titleOf(name)} network, ${at(state)}`,
      caption: border > 0 ? `Examples 0 to ${border - 1}: ${answer.classes[0]}; then ${answer.classes[1]}.` : "One column an example.",
      x: { label: "example" }, y: { label: "unit" },
    },
  };
}
