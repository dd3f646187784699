// The compare view: A is the problem of the tab, B a law that differs from it in one statistic, or a problem of its own.

import { figuresOf } from "../fields/pair_figures.js";
import { keyed } from "../fields/tables.js";
import { TrainedView } from "../fields/trained_view.js";
import { h } from "../lib/dom.js";
import { inWords } from "../lib/refusals.js";

const OWN = { name: "own", title: "a problem of its own", says: "a law and a network of its own, trained as A is", why: "" };

export function mount(root, context) {
  return new Compare(root, context);
}

class Compare extends TrainedView {
  constructor(root, context) {
    super(root, context, {
      label: "Train both", kind: "compare", draw: (answer) => this.#draw(answer), controls: (answer) => this.#steer(answer),
    });
    this.pairs = null; // known once the server has made them
    this.choices = h("div", { class: "pairs", role: "group", "aria-label": "Compare A with" });
    this.verdict = h("div", { class: "verdict", role: "status" });
    this.reasons = h("div", { class: "plan" });
    this.text = h("textarea", { rows: 14, spellcheck: "false", "aria-label": "The problem B as TOML" });
    this.wrong = h("p", { class: "fault", role: "alert", hidden: true });
    this.editor = h("div", { class: "own", hidden: true }, this.text, this.wrong,
      h("button", { type: "button", onclick: () => this.choose({ other: this.text.value }) }, "Use as B"));
    root.prepend(this.choices, this.editor);
    this.steer.after(this.verdict, this.reasons);
  }

  // Pairs, and the gain at which a flat field changes its stability, take longer than a slider's move.
  first() {
    return this.pairs === null ? { rest: true } : {};
  }

  async rest() {
    await this.ask({ rest: true });
    await super.rest();
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
    this.pairs = answer.pairs ?? this.pairs;
    this.wrong.hidden = true;
    this.#choosePair(answer);
    const known = Boolean(answer.sides);
    for (const element of [this.player.element, this.verdict, this.reasons]) element.hidden = !known;
    if (!known) {
      answer.table = null;
      this.figures.draw([]);
      return;
    }
    this.player.show(answer.times);
    this.keep();
    const { snapshot } = this.player;
    const now = this.snapshots[snapshot];
    this.verdict.replaceChildren(...(now?.said ?? []).map((text) => h("p", {}, text)));
    this.reasons.replaceChildren(...[...(now ? [answer.rule] : []), ...answer.reasons].map((text) => h("p", {}, text)));
    answer.table = keyed([...(now?.rows ?? []), ...answer.statistics.map((row) => ({ ...row, "A ±": null, "B ±": null, "B − A ±": null }))]);
    this.figures.draw(figuresOf({ answer, snapshot, now, times: answer.times, tables: this.snapshots.map(({ rows }) => rows) }));
  }

  // One click gives a matched pair; a pair that does not exist says why.
  #choosePair({ pair, other }) {
    this.choices.replaceChildren(h("span", { class: "lead" }, "Compare A with"), ...[...this.pairs, OWN].map((one) =>
      h("button", { type: "button", class: "pair", disabled: Boolean(one.why), "data-pair": one.name,
        "aria-pressed": String(one.name === pair), onclick: () => this.choose({ pair: one.name }) },
      h("span", { class: "pair-title" }, one.title), h("span", { class: "pair-says" }, one.why || one.says))));
    this.editor.hidden = pair !== OWN.name;
    if (!this.editor.hidden && this.text.value === "") this.text.value = this.context.settings.other ?? other ?? "";
  }
}
