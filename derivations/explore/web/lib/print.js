// A view on paper: its question, the law, and all its figures on one page, without controls.
//
// The texts have one size. The figures share what they leave of the page, all at one scale, so that their letters have
// one size too. Reasons, a proof and links to the book follow on further pages.

import { d3 } from "../figures/libraries.js";
import { element, svgOf } from "../figures/save.js";
import { h, written } from "./dom.js";

const WIDTH = 703; // pixels of 186 mm: the narrower of A4 and Letter inside their margins, here A4
const GAP = 12; // pixels between figures as they stand on the screen
const FOLLOWS = ".why-section, .proof, .links"; // texts beside which the figures would be too small to be read
const FINDINGS = ".view > .verdict, .sweep-start > .verdict, .reason"; // sentences above the panel

// Puts the page of `panel()`, the open panel of figures, on paper whenever the browser prints.
export function printing(panel) {
  let page = null;
  addEventListener("beforeprint", () => {
    const figures = panel();
    if (figures === null) return;
    const { dataset } = document.documentElement;
    const { theme } = dataset;
    dataset.theme = "light"; // ink on white: the colours are written out
    page = pageOf(figures);
    document.body.append(page);
    if (theme === undefined) delete dataset.theme;
    else dataset.theme = theme;
  });
  addEventListener("afterprint", () => page?.remove());
}

function pageOf(panel) {
  const parts = [...panel.children].filter((part) => !part.hidden);
  const figures = parts.flatMap((part) => [...part.querySelectorAll("figure")]).filter((figure) => figure.checkVisibility());
  const whole = element("svg", { class: "on-paper" });
  const first = parts.findIndex((part) => part.querySelector("figure"));
  const texts = parts.map((part, place) => [part, place === first ? whole : "", withoutFigures(part)]);
  const leaf = h("div", { class: "leaf" }, ["#main h1", "#bar .say"].map((name) => document.querySelector(name).cloneNode(true)),
    [...document.querySelectorAll(FINDINGS)].filter((found) => found.checkVisibility()).map((found) => found.cloneNode(true)),
    texts.filter(([part]) => !part.matches(FOLLOWS)).flatMap(([, figure, text]) => [figure, text]));
  const follow = texts.filter(([part]) => part.matches(FOLLOWS) && part.textContent).map(([, , text]) => text);
  const page = h("div", { class: "printed" }, leaf, follow);
  if (figures.length) fill(whole, figures.map(copyOf), roomIn(page, whole));
  return page;
}

function withoutFigures(part) {
  const copy = part.cloneNode(true);
  for (const figure of copy.querySelectorAll("figure")) figure.remove();
  return copy;
}

function copyOf(figure) {
  const own = written("div", {}, svgOf(figure)).firstChild;
  return { own, width: Number(own.getAttribute("width")), height: Number(own.getAttribute("height")) };
}

// The height that the texts leave on the page, measured as it is laid out for paper.
function roomIn(page, whole) {
  const { dataset } = document.documentElement;
  dataset.measured = "";
  document.body.append(page);
  const { height } = whole.getBoundingClientRect();
  delete dataset.measured;
  return height;
}

// Places the figures in rows of the width at which they are printed largest.
function fill(whole, figures, room) {
  const widest = d3.max(figures, ({ width }) => width);
  const side = d3.sum(figures, ({ width }) => width + GAP);
  const widths = d3.range(0, 1.01, 0.02).map((share) => Math.max(WIDTH, widest + share * (side - widest)));
  const scaleOf = (rows) => Math.min(WIDTH / rows.width, room / rows.height);
  const rows = d3.greatest(widths.map((width) => inRows(figures, width)), (one, other) => scaleOf(one) - scaleOf(other));
  whole.setAttribute("viewBox", `0 0 ${rows.width} ${rows.height}`);
  whole.setAttribute("preserveAspectRatio", "xMidYMin");
  rows.places.forEach(([x, y], place) => {
    const { own } = figures[place];
    own.setAttribute("x", x);
    own.setAttribute("y", y);
    whole.append(own);
  });
}

// Figures side by side while they fit into a width, then in a further row.
function inRows(figures, width) {
  const places = [];
  let [x, y, tallest] = [0, 0, 0];
  for (const figure of figures) {
    if (x > 0 && x + figure.width > width) [x, y, tallest] = [0, y + tallest + GAP, 0];
    places.push([x, y]);
    x += figure.width + GAP;
    tallest = Math.max(tallest, figure.height);
  }
  return { places, width, height: y + tallest };
}
