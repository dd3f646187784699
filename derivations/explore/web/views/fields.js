// The fields view: what networks learn, snapshot by snapshot, with the theory beside them where there is one.

import { SHAPES, figuresOf } from "../fields/figures.js";
import { Film } from "../fields/film.js";
import { Player, timeText } from "../fields/player.js";
import { keyed } from "../fields/tables.js";
import { BATCHES, NETWORKS, REST } from "../fields/training.js";
import { Controls } from "../lib/controls.js";
import { h } from "../lib/dom.js";
import { Figures } from "../lib/figures.js";
import { View } from "../lib/view.js";
import { Work } from "../lib/work.js";

const REPLAYS = [["", "none"], ["1", "of the start"], ...["2", "3", "4", "5", "6", "7", "8"].map((p) => [p, `in ${p} pieces`]), ["end", "of the end"]];

export function mount(root, context) {
  return new Fields(root, context);
}

class Fields extends View {
  constructor(root, context) {
    const work = new Work(context, {
      label: "Train", kind: "fields", settings: () => context.settings, heard: ({ snapshots }) => this.#hear(snapshots),
    });
    super(root, context, { draw: (answer) => this.#draw(answer), controls: (answer) => this.#steer(answer), tools: [work.element] });
    this.work = work;
    this.snapshots = [];
    this.waiting = 0;
    this.player = new Player(() => this.#redraw());
    this.film = new Film(context);
    this.look = new Controls((name, value) => this.#look(name, value));
    this.plan = h("p", { class: "plan" });
    this.figures = new Figures(this.figure);
    const row = h("div", { class: "steer" }, this.player.element, this.look.element, this.film.element);
    root.querySelector(".tabs").before(row, this.plan);
  }

  // The problem or a setting of the training has changed: what was trained belongs to another question.
  async update() {
    clearTimeout(this.waiting);
    this.work.forget();
    this.snapshots = [];
    await super.update();
    clearTimeout(this.waiting);
    if (this.answer?.times && !this.answer.theory && this.context.settings.atOnce !== false) {
      this.waiting = setTimeout(() => this.work.begin(), REST);
    }
  }

  // A setting that the library refuses: what is wrong stands beside its control.
  refuse(error) {
    if (!this.controls.refuse(error.key, `${error.message} ${error.remedy}`)) super.refuse(error);
  }

  destroy() {
    clearTimeout(this.waiting);
    this.player.stop();
    this.film.stop();
  }

  #hear(snapshots) {
    this.snapshots = snapshots;
    this.player.reach(snapshots.length - 1);
    this.#redraw();
  }

  #look(name, value) {
    this.context.choose({ [name]: value });
    this.#redraw();
  }

  #redraw() {
    if (this.answer?.times) this.show(this.answer);
  }

  // Settings of the training: a change asks the server.
  #steer(answer) {
    const { settings } = this.context;
    return [
      { name: "networks", label: "networks of each model", kind: "slider", value: String(settings.networks ?? 8), values: NETWORKS, unit: ["network", "networks"] },
      { name: "batch", label: "batch", kind: "choice", value: String(settings.batch ?? 256), options: BATCHES },
      { name: "until", label: "train to t", kind: "text", value: settings.until || String(answer.times.at(-1)) },
      ...(answer.model === "gated-linear" ? [{ name: "beside", label: "beside it", kind: "choice", value: settings.beside ?? "relu", options: [["relu", "ReLU networks"], ["none", "nothing"]] }] : []),
      ...(answer.replays ? [{ name: "pieces", label: "replay with frozen gates", kind: "choice", value: settings.pieces ?? "", options: REPLAYS }] : []),
      ...(answer.theory ? [] : [{ name: "atOnce", label: "Train at once", kind: "switch", value: settings.atOnce !== false }]),
    ];
  }

  #behind({ times }, snapshot) {
    const reached = this.snapshots.length;
    if (reached === 0 || snapshot < reached) return "";
    return `They are trained up to t = ${timeText(times[reached - 1])}; the slider stands at t = ${timeText(times[snapshot])}.`;
  }

  // What the reader looks at: a change draws anew, and asks the server for nothing.
  #choices(answer) {
    const units = [["all", "all units"], ...answer.units.map((name, k) => [String(k), `unit ${name}`])];
    return [
      { name: "unit", label: "fields of", kind: "choice", value: this.#unit(answer), options: units },
      ...(answer.line ? [
        { name: "aligned", label: "Aligned by centre", kind: "switch", value: this.#aligned(answer) },
        { name: "shape", label: "shape over time", kind: "choice", value: this.context.settings.shape ?? SHAPES[0], options: SHAPES.map((name) => [name, name]) },
      ] : []),
    ];
  }

  #unit(answer) {
    const { unit = "all" } = this.context.settings;
    return unit === "all" || Number(unit) < answer.units.length ? unit : "all";
  }

  // Gates at given sites fix the place of a field; other networks choose it.
  #aligned(answer) {
    return this.context.settings.aligned ?? answer.model !== "gated-linear";
  }

  #draw(answer) {
    this.player.show(answer.times);
    this.look.show(this.#choices(answer));
    this.film.show();
    const { snapshot } = this.player;
    this.plan.textContent = [answer.said[0], this.#behind(answer, snapshot)].filter(Boolean).join(" ");
    this.context.choose({ snapshot, job: this.snapshots.length ? this.work.job.id : null });
    const tables = answer.times.map((_, place) => this.snapshots[place]?.rows ?? answer.rows[place]);
    answer.table = keyed(tables[snapshot]);
    this.figures.draw(figuresOf({
      answer, tables, snapshot,
      times: answer.times,
      shown: this.snapshots[snapshot]?.networks ?? {},
      first: this.snapshots[0]?.networks ?? {},
      unit: this.#unit(answer), aligned: this.#aligned(answer), shape: this.context.settings.shape ?? SHAPES[0],
    }));
  }
}
