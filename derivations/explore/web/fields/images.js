// Fields on a grid of sites as images: one of them, or all of them side by side.

import { heat } from "../figures/heat.js";
import { tiles } from "../figures/tiles.js";
import { count } from "./curves.js";
import { WEIGHT } from "./shared.js";

const MOST = 160; // tiles of a figure

function rowsOf(field, [rows, columns]) {
  return count(rows).map((row) => field.slice(row * columns, (row + 1) * columns));
}

// One field; `limit` is the weight at both ends of the colours.
export function image({ key, title, caption, field, shape, limit, value = WEIGHT }) {
  return {
    key, make: heat,
    data: { values: rowsOf(field, shape) },
    options: {
      title, caption, limit, value, square: true, down: true,
      x: { label: "column", integer: true }, y: { label: "row", integer: true },
    },
  };
}

// All fields of a kind of networks; `names` are those of the tiles.
export function everyField({ key, title, caption, fields, names, shape }) {
  const shown = fields.slice(0, MOST);
  const more = fields.length > MOST ? ` The first ${MOST} of ${fields.length}.` : "";
  return {
    key, make: tiles,
    data: { tiles: shown.map((field, k) => ({ name: names[k], values: rowsOf(field, shape) })) },
    options: { title, caption: `${caption}${more}`, value: WEIGHT },
  };
}

// The largest weight of some fields: one scale of colours for all of them.
export function largest(fields) {
  return Math.max(...fields.flatMap((field) => field.map((weight) => Math.abs(weight ?? 0) || 0))) || 1;
}
