// The figures of the compare view: A and B on shared axes, and the difference of the two.

import { multiples } from "../figures/multiples.js";
import { banded, count, line, overTime } from "./curves.js";
import { RATIO, SHAPES } from "./figures.js";
import { everyField, image, largest } from "./images.js";
import { timeText } from "./player.js";
import { CHANCE, MOST_CURVES, OF_CHANCE, RATIO_AXIS, SHARE, SPECTRUM, TIME, WEIGHT, centreOf, inputSpectra, ratioHistogram } from "./shared.js";

const SIDES = ["A", "B"];
const COLOUR = { A: 3, B: 4 };
const APART = "B − A";
const SINGLE = 2 ** -22; // two roundings of numbers in single precision

// `state` has {answer, times, tables, snapshot, now}: `now` is the snapshot that is shown, undefined before training.
export function figuresOf(state) {
  const { answer, now } = state;
  const [lines, grids] = [true, false].map((line) => SIDES.filter((side) => answer.sides[side].line === line));
  return [
    ...(now && lines.length ? [fields(state, lines)] : []),
    ...(now && grids.length ? images(state, grids) : []),
    ...(now ? [overTimes(state, RATIO, "Participation ratio", RATIO_AXIS, answer.levels), ratios(state)] : []),
    ...(now && lines.length === 2 ? [overTimes(state, SHAPES[0], "Width of the fields", { label: "width", unit: "sites" }, {})] : []),
    ...(now ? [overTimes(state, "loss (y²)", "Loss", { label: "⟨(y − ŷ)²⟩", unit: "y²", zero: true }, {})] : []),
    ...(answer.sides.A.spectra && answer.sides.B.spectra ? [spectra(state)] : []),
  ];
}

function titleOf({ answer }, side) {
  return `${side}: ${answer.sides[side].title}`;
}

function at({ times, snapshot }) {
  return `t = ${timeText(times[snapshot])}`;
}

// The aligned fields along a line, and the difference of their means.
function fields(state, sides) {
  const { answer, now } = state;
  const along = (n) => count(n).map((site) => site - Math.floor(n / 2));
  const panels = sides.map((side) => {
    const x = along(answer.sides[side].n);
    const { fields: each, mean, chance } = now.sides[side];
    return {
      title: titleOf(state, side),
      series: [
        ...each.slice(0, MOST_CURVES).map((y) => line(x, y, null, COLOUR[side], "faint")),
        line(x, mean, `mean field of ${side}`, COLOUR[side]),
        line(x, chance, CHANCE, "theory", "thin"),
      ],
    };
  });
  if (now.difference && sides.length === 2) {
    panels.push({ title: `${APART}: difference of the mean fields`, series: [line(along(answer.sides.A.n), now.difference, APART, "theory")] });
  }
  return {
    key: "fields", make: multiples, size: "wide",
    data: { panels },
    options: {
      title: `Fields aligned by their centre, ${at(state)}`,
      caption: `The fields of all units and networks are faint (${MOST_CURVES} at most), with the sign of their largest weight; the axes are the same. ${OF_CHANCE} ${centreOf({ ring: sides.every((side) => answer.sides[side].ring) })}`,
      x: { label: "site from the centre", integer: true }, y: WEIGHT,
    },
  };
}

// On grids: the mean field of each side, their difference in the same colours, and every field of every network.
function images(state, gridded) {
  const { answer, now } = state;
  const shapes = gridded.map((side) => answer.sides[side].shape);
  const limit = largest(gridded.map((side) => now.sides[side].mean));
  const means = gridded.map((side, k) => image({
    key: `image-${side}`, title: `Mean field of ${titleOf(state, side)}`, shape: shapes[k], field: now.sides[side].mean, limit,
    caption: `All fields aligned by their centre, each with the sign of its largest weight, ${at(state)}.`,
  }));
  const apart = now.difference && gridded.length === 2 ? [image({
    key: "image-apart", title: `${APART}: difference of the mean fields`, shape: shapes[0], field: now.difference, limit,
    caption: "In the colours of the mean fields.",
  })] : [];
  const every = gridded.map((side, k) => {
    const { fields: each } = now.sides[side];
    const units = answer.sides[side].units;
    return everyField({
      key: `every-${side}`, title: `${side}: every field, ${at(state)}`, shape: shapes[k], fields: each,
      caption: "All units of all networks, aligned by their centre; sites beyond the grid are left out.",
      names: each.map((_, place) => `network ${Math.floor(place / units.length)}, unit ${units[place % units.length]}`),
    });
  });
  return [...means, ...apart, ...every];
}

// A quantity of both against time, and beside it the difference.
function overTimes(state, quantity, title, axis, levels) {
  const both = SIDES.map((side) => {
    const curve = banded(overTime(state, quantity, undefined, side), titleOf(state, side), COLOUR[side]);
    return side === "B" ? { ...curve, look: "dash" } : curve;
  });
  const now = { name: "", x: state.times[state.snapshot] };
  const apart = banded(overTime(state, quantity, undefined, APART), APART, "theory");
  return {
    key: title, make: multiples, size: quantity === RATIO ? "wide" : undefined,
    data: {
      panels: [
        { title: "A and B", series: both, levels: [...Object.entries(levels).map(([name, y]) => ({ name, y })), now], axes: { y: axis } },
        { title: APART, series: [apart], levels: [now], axes: { y: { ...axis, label: `difference of ${axis.label}`, log: false, zero: true } } },
      ],
    },
    options: {
      title, caption: "The mean over networks with one standard error; the difference is taken network by network.",
      x: TIME, y: axis, own: true, columns: 2,
    },
  };
}

function ratios(state) {
  const { answer, now } = state;
  return ratioHistogram({
    groups: SIDES.map((side) => ({ name: titleOf(state, side), colour: COLOUR[side], values: now.sides[side].ratio.flat().filter(Number.isFinite) })),
    levels: answer.levels, n: Math.max(...SIDES.map((side) => answer.sides[side].n)),
    title: `Participation ratio of every field, ${at(state)}`, caption: "All units of all networks of both.",
  });
}

// Whether both laws have the same class spectra, as far as single precision tells.
function alike({ A, B }) {
  const [a, b] = [A, B].map(({ spectra: own }) => own.flat());
  const most = Math.max(...a.map(Math.abs));
  return a.length === b.length && a.every((value, k) => Math.abs(value - b[k]) <= SINGLE * most);
}

function spectra(state) {
  const { answer, now } = state;
  const panels = SIDES.map((side) => {
    const { spectra: classes, classes: names } = answer.sides[side];
    return inputSpectra(`inputs of ${titleOf(state, side)}`, classes, names);
  });
  if (now && SIDES.every((side) => now.sides[side].power)) {
    panels.push({
      title: `fields, ${at(state)}`,
      series: SIDES.map((side) => line(count(now.sides[side].power.length), now.sides[side].power, `mean field power of ${side}`, COLOUR[side], side === "A" ? "line" : "dash")),
      axes: SHARE,
    });
  }
  return {
    key: "spectra", make: multiples, size: "wide",
    data: { panels },
    options: {
      title: now ? "Spectra of both laws, and of the fields" : "Spectra of both laws",
      caption: alike(answer.sides) ? "Both laws have the same spectra: the order of the lengths is no reason for a difference." : "",
      ...SPECTRUM,
    },
  };
}
