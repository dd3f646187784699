// The compare view: A is the problem of the tab, B a law that differs from it in one statistic, or a problem of its own.

import { figuresOf } from "../fields/pair_figures.js";
import { Player } from "../fields/player.js";
import { keyed } from "../fields/tables.js";
import { h } from "../lib/dom.js";
import { Figures } from "../lib/figures.js";
import { View } from "../lib/view.js";
import { Work } from "../lib/work.js";
import { BATCHES, NETWORKS, REST } from "../fields/training.js";

const OWN = "own";

export function mount(root, context) {
  return new Compare(root, context);
}

class Compare extends View {
  constructor(root, context) {
    const work = new Work(context, {
      label: "Train both", kind: "compare", settings: () => context.settings, heard: ({ snapshots }) => this.#hear(snapshots),
    });
    super(root, context, { draw: (answer) => this.#draw(answer), controls: (answer) => this.#steer(answer), tools: [work.element] });
    this.work = work;
    this.snapshots = [];
    this.waiting = 0;
    this.player = new Player(() => this.#redraw());
    this.says = h("p", { class: "plan" });
    this.pairs = h("div", { class: "pairs", role: "group", "aria-label": "The law or problem B" });
    this.verdict = h("div", { class: "verdict", role: "status" });
    this.reasons = h("div", { class: "plan" });
    this.text = h("textarea", { rows: 14, spellcheck: "false", "aria-label": "The problem B as TOML" });
    this.editor = h("div", { class: "own", hidden: true }, this.text,
      h("button", { type: "button", onclick: () => this.choose({ other: this.text.value }) }, "Use as B"));
    this.figures = new Figures(this.figure);
    root.prepend(this.pairs, this.says, this.editor);
    root.querySelector(".tabs").before(h("div", { class: "steer" }, this.player.element), this.verdict, this.reasons);
  }

  // The problem or a setting has changed: what was trained belongs to another question.
  async update() {
    clearTimeout(this.waiting);
    this.work.forget();
    this.snapshots = [];
    await super.update();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.#rest(), REST);
  }

  // A setting that the library refuses: what is wrong stands beside its control.
  refuse(error) {
    if (!this.controls.refuse(error.key, `${error.message} ${error.remedy}`)) super.refuse(error);
  }

  destroy() {
    clearTimeout(this.waiting);
    this.player.stop();
  }

  // The gain at which a flat field changes its stability takes a tenth of a second, and training seconds.
  async #rest() {
    await super.update({ rest: true });
    if (this.answer?.sides && this.context.settings.atOnce !== false) this.work.begin();
  }

  #hear(snapshots) {
    this.snapshots = snapshots;
    this.player.reach(snapshots.length - 1);
    this.#redraw();
  }

  #redraw() {
    if (this.answer?.sides) this.show(this.answer);
  }

  #steer(answer) {
    const { settings } = this.context;
    const gated = this.context.problem.bar.summary.model === "gated-linear";
    return [
      ...(gated ? [{ name: "units", label: "networks", kind: "choice", value: settings.units ?? "relu", options: [["relu", "ReLU in place of the gates"], ["given", "as the problem says"]] }] : []),
      { name: "networks", label: "networks of each side", kind: "slider", value: String(settings.networks ?? 8), values: NETWORKS, unit: ["network", "networks"] },
      { name: "batch", label: "batch", kind: "choice", value: String(settings.batch ?? 256), options: BATCHES },
      { name: "until", label: "train to t", kind: "text", value: settings.until || String(answer.times?.at(-1) ?? "") },
      { name: "atOnce", label: "Train at once", kind: "switch", value: settings.atOnce !== false },
    ];
  }

  #draw(answer) {
    this.#choosePair(answer.pairs);
    const known = Boolean(answer.sides);
    for (const element of [this.player.element, this.verdict, this.reasons]) element.hidden = !known;
    if (!known) {
      answer.table = null;
      this.figures.draw([]);
      return;
    }
    this.player.show(answer.times);
    const { snapshot } = this.player;
    this.context.choose({ snapshot, job: this.snapshots.length ? this.work.job.id : null });
    const now = this.snapshots[snapshot];
    this.verdict.replaceChildren(...(now?.said ?? []).map((text) => h("p", {}, text)));
    this.reasons.replaceChildren(...answer.reasons.map((text) => h("p", {}, text)));
    answer.table = keyed([...(now?.rows ?? []), ...answer.statistics.map((row) => ({ ...row, "A ±": null, "B ±": null, "B − A ±": null }))]);
    this.figures.draw(figuresOf({ answer, snapshot, now, times: answer.times, tables: this.snapshots.map(({ rows }) => rows) }));
  }

  // One click gives a matched pair.
  #choosePair(pairs) {
    const chosen = this.context.settings.pair ?? pairs[0].name;
    const all = [...pairs, { name: OWN, title: "a problem of its own", says: "a law and a network of its own; it is trained as A is" }];
    const place = all.findIndex(({ name }) => name === chosen);
    if (this.pairs.children.length === 0) {
      this.pairs.append(h("span", { class: "lead" }, "Compare A with"), ...all.map(({ name, title, says }) =>
        h("button", { type: "button", title: says, onclick: () => this.#choose(name) }, title)));
    }
    [...this.pairs.querySelectorAll("button")].forEach((button, k) => button.setAttribute("aria-pressed", String(k === place)));
    this.says.textContent = `B has ${all[place].says}.`;
    this.editor.hidden = chosen !== OWN;
    if (!this.editor.hidden && this.text.value === "") this.text.value = this.context.settings.other ?? this.answer.other ?? "";
  }

  #choose(name) {
    this.choose({ pair: name });
  }
}
