// The compare view: A is the problem of the tab, B a law that differs from it in one statistic, or a problem of its own.

import { GainSweep } from "../fields/gain_sweep.js";
import { figuresOf } from "../fields/pair_figures.js";
import { keyed } from "../fields/tables.js";
import { TrainedView } from "../fields/trained_view.js";
import { h } from "../lib/dom.js";
import { inWords } from "../lib/refusals.js";
import { ToRing } from "../lib/ring.js";

const OWN = { name: "own", title: "a problem of its own", says: "a law and a network of its own, trained as A is" };

export function mount(root, context) {
  return new Compare(root, context);
}

class Compare extends TrainedView {
  constructor(root, context) {
    super(root, context, {
      label: "Train both", kind: "compare", draw: (answer) => this.#draw(answer), controls: (answer) => this.#steer(answer),
    });
    this.choices = h("div", { class: "pairs", role: "group", "aria-label": "Compare A with" });
    this.verdict = h("div", { class: "verdict", role: "status" });
    this.reasons = h("div", { class: "plan" });
    this.rule = h("div", { class: "plan" });
    this.reason = h("p", { class: "reason", hidden: true });
    this.why = h("section", { class: "why-section" }, h("h2", {}, "Why"), this.reasons,
      h("h2", {}, "How the verdict is reached"), this.rule);
    this.text = h("textarea", { rows: 14, spellcheck: "false", "aria-label": "The problem B as TOML" });
    this.wrong = h("p", { class: "fault", role: "alert", hidden: true });
    this.editor = h("div", { class: "own", hidden: true }, this.text, this.wrong,
      h("button", { type: "button", onclick: () => this.choose({ other: this.text.value }) }, "Use as B"));
    this.ring = new ToRing(context);
    this.sweep = new GainSweep(context, () => this.redraw());
    this.figure.append(this.sweep.element, this.why);
    root.prepend(this.choices, this.editor);
    this.steer.after(this.verdict, this.sweep.start, this.reason, this.ring.element);
  }

  async update() {
    this.sweep.forget();
    await super.update();
  }

  destroy() {
    super.destroy();
    this.sweep.work.leave();
  }

  // The gain at which a flat field changes its stability takes longer than a slider's move.
  async rest() {
    if (await this.ask({ rest: true })) await super.rest(); // the view may have been left
  }

  // What is wrong with the text of B stands below it.
  refuse(error) {
    this.wrong.hidden = error.key !== "other";
    this.wrong.textContent = inWords(error);
    if (this.wrong.hidden) super.refuse(error);
  }

  trains() {
    return Boolean(this.answer?.sides);
  }

  #steer(answer) {
    const { settings } = this.context;
    const gated = this.context.problem.bar.summary.model === "gated-linear";
    const units = [["relu", "ReLU in place of the gates"], ["given", "as the problem says"]];
    return [
      ...(gated ? [{ name: "units", label: "networks", kind: "choice", value: settings.units ?? "relu", options: units }] : []),
      ...this.training(answer, "networks of each side"),
      this.atOnce,
    ];
  }

  #draw(answer) {
    this.wrong.hidden = true;
    this.#choosePair(answer);
    const known = Boolean(answer.sides);
    this.ring.show(known);
    this.sweep.show(answer);
    for (const element of [this.player.element, this.verdict, this.why]) element.hidden = !known;
    this.reason.hidden = !answer.reason;
    this.reason.textContent = `Why? ${answer.reason}`;
    if (!known) {
      answer.table = null;
      this.figures.draw([]);
      return;
    }
    this.player.show(answer.times);
    this.keep();
    const { snapshot } = this.player;
    const now = this.snapshots[snapshot];
    this.verdict.classList.toggle("pending", snapshot < answer.times.length - 1);
    this.verdict.replaceChildren(...(now?.said ?? []).map((text) => h("p", {}, text)));
    this.reasons.replaceChildren(...answer.reasons.map((text) => h("p", {}, text)));
    this.rule.replaceChildren(h("p", {}, answer.rule));
    answer.table = keyed([...(now?.rows ?? []), ...answer.statistics.map((row) => ({ ...row, "A ±": null, "B ±": null, "B − A ±": null }))]);
    const { table } = this.sweep;
    answer.tables = table === null ? undefined : [{ title: "A and B", ...answer.table }, { title: "A along the gain", ...table }];
    this.figures.draw(figuresOf({ answer, snapshot, now, times: answer.times, tables: this.snapshots.map(({ rows }) => rows) }));
  }

  // One click gives a matched pair. The buttons stay, so that they keep the focus.
  #choosePair({ pairs, pair, other }) {
    const all = [...pairs, OWN];
    const shape = JSON.stringify(all);
    if (this.choices.dataset.shape !== shape) {
      this.choices.dataset.shape = shape;
      this.choices.replaceChildren(h("span", { class: "lead" }, "Compare A with"), ...all.map(({ name, title, says }) =>
        h("button", { type: "button", class: "pair", title: says, onclick: () => this.choose({ pair: name }) },
          h("span", { class: "pair-title" }, title), h("span", { class: "pair-says" }, says))));
    }
    [...this.choices.querySelectorAll("button")].forEach((button, k) => button.setAttribute("aria-pressed", String(all[k].name === pair)));
    this.editor.hidden = pair !== OWN.name;
    if (!this.editor.hidden && this.text.value === "") this.text.value = this.context.settings.other ?? other ?? "";
  }
}
