// The words of levels: each stands beside its line, and none upon another.
import { colour } from "./colours.js";
import { d3 } from "./libraries.js";

const LINE = 16; // pixels of a line of text
const LETTER = 7.6; // pixels of a letter at most, in the larger type of wide screens
const LEAD = 12; // pixels from a level to its word

/** Return the places nearest to `wanted`, which ascend, so that neighbours are `gap` apart and all lie below `high`. */
export function spread(wanted, gap, high) {
  const found = [];
  for (const place of wanted) found.push(Math.max(place, (found.at(-1) ?? -Infinity) + gap));
  for (let k = found.length - 1; k >= 0; k -= 1) found[k] = Math.min(found[k], (found[k + 1] ?? high + gap) - gap);
  return found;
}

/** Return the row of each word, from 0, so that words of one row do not meet; `spans` are their ends [left, right]. */
export function rowsOf(spans) {
  const rows = [];
  return spans.map(([left, right]) => {
    const free = rows.findIndex((row) => row.every((other) => right < other[0] || left > other[1]));
    const row = free < 0 ? rows.push([]) - 1 : free;
    rows[row].push([left, right]);
    return row;
  });
}

/** Return the width in pixels beside a drawing that the words of its horizontal levels need. */
export function widthOf(levels) {
  return LEAD + 6 + LETTER * d3.max(levels, ({ name }) => name.length);
}

/** Return a mark of the words of horizontal levels {name, y}, in the margin at the right, each led to from its line. */
export function wordsBeside(levels) {
  return (_index, { y }, _channels, { width, height, marginRight, marginBottom }) => {
    const sorted = d3.sort(levels, (level) => y(level.y));
    const places = spread(sorted.map((level) => y(level.y)), LINE, height - marginBottom);
    const group = d3.create("svg:g").attr("text-anchor", "start");
    const edge = width - marginRight;
    sorted.forEach((level, k) => {
      group.append("path").attr("d", `M${edge},${y(level.y)}L${edge + LEAD - 2},${places[k]}`)
        .attr("stroke", colour("muted")).attr("fill", "none");
      group.append("text").attr("class", "level-word").attr("x", edge + LEAD).attr("y", places[k]).attr("dy", "0.32em")
        .attr("fill", colour("muted")).text(level.name);
    });
    return group.node();
  };
}

/**
 * Return the rows that the words of vertical levels {name, x} need above a drawing, and the mark that writes them;
 * `place` gives the pixel of a value, and `[left, right]` are the pixels of both ends of the axis.
 */
export function wordsAbove(levels, place, [left, right]) {
  const spans = levels.map(({ name, x }) => {
    const [at, size] = [place(x), LETTER * name.length];
    return at > (left + right) / 2 ? [at - size, at] : [at, at + size];
  });
  const rows = rowsOf(spans);
  const mark = (_index, { x }, _channels, { marginTop }) => {
    const group = d3.create("svg:g");
    levels.forEach((level, k) => {
      group.append("text").attr("class", "level-word").attr("x", x(level.x)).attr("y", marginTop - 6 - LINE * rows[k])
        .attr("text-anchor", place(level.x) > (left + right) / 2 ? "end" : "start").attr("fill", colour("muted")).text(level.name);
    });
    return group.node();
  };
  return { height: LINE * (1 + (d3.max(rows) ?? -1)), mark };
}
