// A view on paper: its question, the law, and its figures with titles and captions on one page, without controls.

import { d3 } from "../figures/libraries.js";
import { svgOf } from "../figures/save.js";
import { h, written } from "./dom.js";

const PAPER = [180, 220]; // millimetres for figures, inside the margins of A4 and Letter and below the question
const MOST = 4; // columns
const GAP = 4; // millimetres

// Puts the page of `panel()`, the open panel of figures, on paper whenever the browser prints.
export function printing(panel) {
  let page = null;
  addEventListener("beforeprint", () => {
    const figures = panel();
    if (figures === null) return;
    const { theme } = document.documentElement.dataset;
    document.documentElement.dataset.theme = "light"; // ink on white: the colours are written out
    page = h("div", { class: "printed" }, ["#main h1", "#bar .say"].map(copyOf), [...figures.children].map(onPaper));
    if (theme === undefined) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    document.body.append(page);
  });
  addEventListener("afterprint", () => page?.remove());
}

function copyOf(selector) {
  return document.querySelector(selector).cloneNode(true);
}

function onPaper(part) {
  const figures = [...part.querySelectorAll("figure")];
  return figures.length ? grid(figures) : part.cloneNode(true);
}

// The figures in as few columns as let them stand on one page; a wide one has a row of its own.
function grid(figures) {
  const cells = figures.map((figure) => {
    const cell = written("div", { "data-size": figure.dataset.size }, svgOf(figure));
    const svg = cell.firstChild;
    const share = svg.getAttribute("height") / svg.getAttribute("width");
    for (const side of ["width", "height"]) svg.removeAttribute(side);
    return { cell, share, wide: figure.dataset.size === "wide" };
  });
  let columns = 1;
  while (columns < MOST && heightOf(cells, columns) > PAPER[1]) columns += 1;
  return h("div", { class: "on-paper", style: `grid-template-columns: repeat(${columns}, 1fr)` }, cells.map(({ cell }) => cell));
}

function heightOf(cells, columns) {
  const width = (PAPER[0] - (columns - 1) * GAP) / columns;
  const rows = [];
  let room = 0;
  for (const { share, wide } of cells) {
    if (wide || room === 0) rows.push(0);
    room = wide ? 0 : (room || columns) - 1;
    rows.push(Math.max(rows.pop(), share * (wide ? PAPER[0] : width)));
  }
  return d3.sum(rows) + GAP * rows.length;
}
