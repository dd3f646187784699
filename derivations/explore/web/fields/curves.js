// Curves over time out of the tables of all snapshots, and the colours and names of networks.

const COLOURS = { "gated-linear": "gated-linear", relu: "relu", "leaky-relu": "relu", erf: "erf", sigmoid: "sigmoid" };
const TITLES = { relu: "ReLU", "leaky-relu": "leaky ReLU" };

// The colour of networks by their model; gates that are replayed belong to gated-linear networks.
export function colourOf(name) {
  return COLOURS[name] ?? "gated-linear";
}

export function titleOf(name) {
  return TITLES[name] ?? name;
}

// The numbers of one quantity in the column `name`, with their errors, at the times at which they are known.
export function overTime({ times, tables }, quantity, unit, name) {
  const found = { x: [], y: [], error: [] };
  tables.forEach((rows, snapshot) => {
    const row = rows.find((one) => one.quantity === quantity && one.unit === unit);
    const value = row?.[name];
    if (value === null || value === undefined) return;
    found.x.push(times[snapshot]);
    found.y.push(value);
    found.error.push(row[`${name} ±`] ?? 0);
  });
  return found;
}

// A mean over networks as a line with a band of one standard error.
export function banded({ x, y, error }, name, colour) {
  const reach = (sign) => y.map((value, k) => value + sign * error[k]);
  return { name, colour, x, y, low: reach(-1), high: reach(1) };
}

export function marked({ x, y, error }, name, colour) {
  return { name, colour, x, y, error, look: "marks" };
}

export function line(x, y, name, colour, look = "line") {
  return { name, colour, x, y, look };
}

export function count(length) {
  return Array.from({ length }, (_, place) => place);
}
