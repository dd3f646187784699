// The fields view: what networks learn, snapshot by snapshot, with the theory beside them where there is one.

import { SHAPES, figuresOf } from "../fields/figures.js";
import { Film } from "../fields/film.js";
import { Fits } from "../fields/fits.js";
import { timeText } from "../fields/player.js";
import { keyed } from "../fields/tables.js";
import { TrainedView } from "../fields/trained_view.js";
import { Controls } from "../lib/controls.js";
import { h } from "../lib/dom.js";

const REPLAYS = [["", "none"], ["1", "of the start"], ...["2", "3", "4", "5", "6", "7", "8"].map((p) => [p, `in ${p} pieces`]), ["end", "of the end"]];

export function mount(root, context) {
  return new Fields(root, context);
}

class Fields extends TrainedView {
  constructor(root, context) {
    super(root, context, {
      label: "Train", kind: "fields", draw: (answer) => this.#draw(answer), controls: (answer) => this.#steer(answer),
    });
    this.film = new Film(context);
    this.look = new Controls((name, value) => this.#look(name, value));
    this.plan = h("p", { class: "plan" });
    this.said = h("div", { class: "verdict", role: "status" });
    this.fits = new Fits(context, () => ({ ...context.settings, trained: this.work.job?.id }));
    this.steer.append(this.look.element, this.film.element);
    this.steer.after(this.said, this.plan);
    this.figure.append(this.fits.element);
  }

  async update() {
    this.fits.forget();
    await super.update();
  }

  // Networks beside a theory are trained when the reader asks for them.
  trains() {
    return Boolean(this.answer?.times && !this.answer.theory);
  }

  destroy() {
    super.destroy();
    this.film.stop();
  }

  #look(name, value) {
    this.context.choose({ [name]: value });
    this.redraw();
  }

  #steer(answer) {
    const { settings } = this.context;
    return [
      ...this.training(answer, "networks of each model"),
      ...(answer.model === "gated-linear" ? [{ name: "beside", label: "beside it", kind: "choice", value: settings.beside ?? "relu", options: [["relu", "ReLU networks"], ["none", "nothing"]] }] : []),
      ...(answer.replays ? [{ name: "pieces", label: "replay with frozen gates", kind: "choice", value: settings.pieces ?? "", options: REPLAYS }] : []),
      ...(answer.theory ? [] : [this.atOnce]),
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
    this.keep();
    const { snapshot } = this.player;
    const shown = this.snapshots[snapshot]?.networks ?? {};
    this.said.replaceChildren(...(this.snapshots[snapshot]?.said ?? []).map((text) => h("p", {}, text)));
    this.plan.textContent = [answer.said[0], this.#behind(answer, snapshot)].filter(Boolean).join(" ");
    const tables = answer.times.map((_, place) => this.snapshots[place]?.rows ?? answer.rows[place]);
    answer.table = keyed(tables[snapshot]);
    this.figures.draw(figuresOf({
      answer, tables, snapshot, shown,
      times: answer.times,
      first: this.snapshots[0]?.networks ?? {},
      unit: this.#unit(answer), aligned: this.#aligned(answer), shape: this.context.settings.shape ?? SHAPES[0],
    }));
    this.fits.show(answer.fits && Object.keys(shown).length > 0, answer.times[snapshot]);
  }
}
