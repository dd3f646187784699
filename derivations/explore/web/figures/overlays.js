// What stands upon the cells of a map: the line where values change their sign, and hatching where there is no value.
import { colour } from "./colours.js";
import { d3 } from "./libraries.js";

/** Return the sides [x1, y1, x2, y2] between neighbouring cells of which one is above 0 and the other is not. */
export function signSides(values, { x, y }) {
  const above = (row, column) => (Number.isFinite(values[row]?.[column] ?? NaN) ? values[row][column] > 0 : null);
  const sides = [];
  values.forEach((line, row) => line.forEach((_, column) => {
    const [here, right, up] = [above(row, column), above(row, column + 1), above(row + 1, column)];
    if (here === null) return;
    if (right !== null && right !== here) sides.push([x[column + 1], y[row], x[column + 1], y[row + 1]]);
    if (up !== null && up !== here) sides.push([x[column], y[row + 1], x[column + 1], y[row + 1]]);
  }));
  return sides;
}

/** Return the cells [row, column] of the first `rows` rows that have no number. */
export function missingCells(values, rows) {
  return values.slice(0, rows).flatMap((line, row) =>
    line.flatMap((value, column) => (value === null || !Number.isFinite(value) ? [[row, column]] : [])));
}

/** Return a mark of lines along these sides, seen on every colour. */
export function contour(sides) {
  return (_index, { scales }) => {
    const path = sides.map(([x1, y1, x2, y2]) =>
      `M${scales.x.apply(x1)},${scales.y.apply(y1)}L${scales.x.apply(x2)},${scales.y.apply(y2)}`).join("");
    const group = d3.create("svg:g").attr("aria-label", "contour").attr("fill", "none").attr("stroke-linecap", "square");
    group.append("path").attr("d", path).attr("stroke", colour("ground")).attr("stroke-width", 4);
    group.append("path").attr("d", path).attr("stroke", colour("theory")).attr("stroke-width", 1.75);
    return group.node();
  };
}

/** Return a mark that hatches these cells between the edges of columns and rows. */
export function hatched(cells, { x, y }) {
  return (_index, { scales }) => {
    const group = d3.create("svg:g").attr("aria-label", "no value").attr("fill", colour("line")).attr("stroke", colour("muted"));
    const corners = cells.map(([row, column]) => [
      ...[x[column], x[column + 1]].map(scales.x.apply), ...[y[row], y[row + 1]].map(scales.y.apply)]);
    group.append("path").attr("fill-opacity", 0.5).attr("stroke", "none")
      .attr("d", corners.map(([left, right, bottom, top]) => `M${left},${bottom}H${right}V${top}H${left}Z`).join(""));
    group.append("path").attr("stroke-width", 0.75)
      .attr("d", corners.map(([left, right, bottom, top]) => `M${left},${bottom}L${right},${top}`).join(""));
    return group.node();
  };
}

/** Return a mark that covers these cells with one grey, which is no colour of a value. */
export function covered(cells, { x, y }) {
  return (_index, { scales }) => {
    const group = d3.create("svg:g").attr("aria-label", "not computed yet").attr("fill", colour("line"));
    group.append("path").attr("d", cells.map(([row, column]) => {
      const [left, right] = [x[column], x[column + 1]].map(scales.x.apply);
      const [bottom, top] = [y[row], y[row + 1]].map(scales.y.apply);
      return `M${left},${bottom}H${right}V${top}H${left}Z`;
    }).join(""));
    return group.node();
  };
}
