// The frame of a view: its own controls, the tabs Figure, Table, Python, LaTeX and Save, notes and errors. An error
// keeps the last figure. A view gives `draw(answer)`, and may give controls of its own.

import { pngOf, svgOf } from "../figures/save.js";
import { LostError } from "./api.js";
import { Controls } from "./controls.js";
import { copying } from "./copy.js";
import { download, fresh, h } from "./dom.js";
import { inWords } from "./refusals.js";
import { table } from "./tables.js";

const PATIENCE = 300; // milliseconds after which a page says that it computes
const TABS = ["Figure", "Table", "Python", "LaTeX", "Save"];

export class View {
  // `draw(answer)` draws the answer; `controls(answer)` describes the view's own controls, `tools` are elements that
  // stand beside them, such as those of Work.
  constructor(root, context, { draw, controls = () => [], tools = [] }) {
    this.context = context;
    this.draw = draw;
    this.describe = controls;
    this.answer = null;
    this.asked = 0; // questions
    this.controls = new Controls((name, value) => this.choose({ [name]: value }));
    this.rows = [this.controls]; // all rows of controls of the view
    this.fault = h("div", { class: "refusal", role: "alert", hidden: true });
    this.notes = h("div", { class: "notes", role: "note", hidden: true });
    this.panels = new Map();
    this.buttons = new Map();
    const tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "What is shown" });
    const panels = TABS.map((name) => this.#tab(name, tabs));
    const steer = h("div", { class: "steer" }, this.controls.element, tools);
    this.computing = h("p", { class: "computing", role: "status" });
    root.replaceChildren(steer, tabs, this.fault, this.notes, this.computing, ...panels);
    this.open(TABS.includes(context.settings.tab) ? context.settings.tab : TABS[0]);
  }

  get figure() {
    return this.panels.get("Figure");
  }

  update(more = {}) {
    return this.ask(more);
  }

  // Asks for the answer anew, with the settings of the view and those that only this question has; gives whether it was
  // shown. Where it takes long, the old figure is greyed and the page says that it computes.
  ask(more = {}) {
    this.asked += 1;
    const { asked } = this;
    const waiting = setTimeout(() => this.#compute(true), PATIENCE);
    const answered = this.#answered(this.context.ask({ ...this.context.settings, ...more }), () => true);
    return answered.finally(() => {
      clearTimeout(waiting);
      if (asked === this.asked) this.#compute(false);
    });
  }

  // Asks for the same answer with more in it, such as samples beside formulas. That may take long: `ask` does not wait
  // for it, and it is not shown where the view has asked anew by then.
  add(more) {
    const { asked } = this;
    return this.#answered(this.context.ask({ ...this.context.settings, ...more }, "more"), () => asked === this.asked);
  }

  // The life of a view that asks for `more` once nothing has moved for `rest` milliseconds.
  rested(more, rest) {
    let waiting = 0;
    const update = async (first = {}) => {
      clearTimeout(waiting);
      await this.update(first);
      clearTimeout(waiting);
      waiting = setTimeout(() => this.add(more), rest);
    };
    return { update, destroy: () => clearTimeout(waiting) };
  }

  async #answered(answering, wanted) {
    try {
      const answer = await answering;
      if (answer === null || !wanted()) return false;
      this.show(answer);
      return true;
    } catch (error) {
      if (error instanceof LostError) return false;
      if (error.remedy === undefined) throw error;
      this.refuse(error);
      return false;
    }
  }

  #compute(busy) {
    this.computing.textContent = busy ? "Computing …" : "";
    this.figure.classList.toggle("stale", busy);
  }

  show(answer) {
    this.fault.hidden = true;
    this.answer = answer;
    this.say([...this.context.notes, ...(answer.missing ?? []), ...(answer.note ? [inWords(answer.note)] : [])]);
    const blank = Object.keys(answer).every((key) => key === "note");
    this.figure.classList.toggle("blank", blank);
    if (!blank) {
      this.controls.show(this.describe(answer));
      this.draw(answer);
    }
    this.figure.dataset.version = Number(this.figure.dataset.version ?? 0) + 1;
    if (this.opened !== "Figure") this.#fill(this.opened);
  }

  // What is wrong stands beside the control that the server names, or in the place that a view has for it.
  refuse(error) {
    if (this.rows.some((controls) => controls.refuse(error.key, inWords(error)))) return;
    this.fault.replaceChildren(h("strong", {}, error.message), ` ${error.remedy}`);
    this.fault.hidden = false;
  }

  say(notes) {
    this.notes.replaceChildren(...notes.map((note) => h("p", {}, note)));
    this.notes.hidden = notes.length === 0;
  }

  choose(settings) {
    this.context.choose(settings);
    this.update();
  }

  open(name) {
    this.opened = name;
    for (const [other, button] of this.buttons) {
      const chosen = other === name;
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      this.panels.get(other).hidden = !chosen;
    }
    this.context.choose({ tab: name });
    if (name !== "Figure" && this.answer !== null) this.#fill(name);
  }

  #tab(name, list) {
    const [tab, panel] = [fresh("tab"), fresh("panel")];
    const button = h("button", { type: "button", role: "tab", id: tab, "aria-controls": panel, onclick: () => this.open(name) }, name);
    button.addEventListener("keydown", (event) => this.#step(event, name));
    list.append(button);
    const content = h("div", { role: "tabpanel", id: panel, "aria-labelledby": tab, class: `panel panel-${name.toLowerCase()}` });
    this.buttons.set(name, button);
    this.panels.set(name, content);
    return content;
  }

  #step(event, name) {
    const place = TABS.indexOf(name);
    const to = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: TABS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = TABS[(to + TABS.length) % TABS.length];
    this.open(next);
    this.buttons.get(next).focus();
  }

  #fill(name) {
    const panel = this.panels.get(name);
    if (name === "Table") panel.replaceChildren(...this.#tables());
    else if (name === "Save") panel.replaceChildren(this.#files());
    else this.#text(panel, name.toLowerCase());
  }

  // An answer has one `table`, or several `tables` with titles.
  #tables() {
    const { table: one, tables = one ? [one] : [] } = this.answer;
    if (!tables.length) return [h("p", {}, "This view has no table.")];
    if (tables.length === 1) return [table(tables[0], "The numbers of the figure")];
    return tables.flatMap((each) => [h("h2", {}, each.title), table(each, each.title)]);
  }

  async #text(panel, want) {
    const text = await this.#wanted(want);
    if (text === null) return;
    const copy = copying("Copy", () => text, this.context.announce);
    panel.replaceChildren(h("div", { class: "code" }, copy, h("pre", { tabindex: 0 }, h("code", {}, text))));
  }

  async #wanted(want) {
    try {
      const found = await this.context.ask({ ...this.context.settings, want });
      return found === null ? null : found.note ? inWords(found.note) : found.text;
    } catch (error) {
      return error.remedy === undefined ? null : `${error.message} ${error.remedy}`;
    }
  }

  #files() {
    const { name } = this.context;
    const save = (label, run) => h("button", { type: "button", onclick: run }, label);
    return h("div", { class: "files" },
      save("Figure as SVG", () => this.#visible(() => download(`${name}.svg`, "image/svg+xml", svgOf(this.figure)))),
      save("Figure as PNG", () => this.#visible(async () => download(`${name}.png`, "image/png", await pngOf(this.figure)))),
      save("Figure as PDF (print)", () => this.#visible(() => window.print())),
      save("Numbers as CSV", async () => download(`${name}.csv`, "text/csv", await this.#wanted("csv"))),
      save("Problem as TOML", () => download("problem.toml", "application/toml", this.context.problem.toml)));
  }

  // A figure is measured as it is saved, so that its panel must be there for as long; it is drawn with the next frame.
  async #visible(run) {
    this.figure.hidden = false;
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    try {
      await run();
    } finally {
      this.figure.hidden = this.opened !== "Figure";
    }
  }
}
