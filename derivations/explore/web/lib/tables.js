// Tables: numbers right-aligned under fixed columns; a column without any value is left out.

import { h } from "./dom.js";

// `columns` are {name, unit, digits}; `rows` are lists of texts, numbers and null. A cell keeps its number in full.
export function table({ columns, rows }, caption) {
  const kept = columns.map((_, place) => place).filter((place) => rows.some((row) => row[place] !== null));
  const numeric = (place) => rows.every((row) => typeof row[place] !== "string");
  const head = kept.map((place) => {
    const { name, unit } = columns[place];
    const words = unit ? [name, h("span", { class: "unit" }, ` ${unit}`)] : [name];
    return h("th", { scope: "col", class: numeric(place) ? "number" : "word" }, words);
  });
  const body = rows.map((row) => h("tr", {}, kept.map((place) => cell(row[place], columns[place], numeric(place)))));
  return h("div", { class: "table", tabindex: 0, role: "region", "aria-label": caption },
    h("table", {}, h("caption", { class: "unseen" }, caption), h("thead", {}, h("tr", {}, head)), h("tbody", {}, body)));
}

function cell(value, { name, digits = 6 }, numeric) {
  const given = { class: numeric ? "number" : "word", "data-column": name };
  if (typeof value !== "number") return h("td", given, value ?? "–");
  return h("td", { ...given, "data-value": String(value) }, shown(value, digits));
}

// A number to so many significant digits, with a true minus sign.
export function shown(value, digits) {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) {
    const [factor, power] = value.toExponential(digits - 1).split("e");
    return `${Number(factor)}e${Number(power)}`.replaceAll("-", "−");
  }
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}
