// Fits of the trained fields on a grid, made when the reader asks for them.

import { h } from "../lib/dom.js";
import { table } from "../lib/tables.js";
import { Work } from "../lib/work.js";
import { timeText } from "./player.js";

export class Fits {
  // `settings()` name the networks and the snapshot to fit.
  constructor(context, settings) {
    this.found = h("div");
    this.title = h("h2", {}, "Fits of the fields");
    this.work = new Work(context, { label: "Fit the fields", kind: "fits", settings, heard: (answer) => this.#show(answer) });
    this.element = h("section", { class: "fits", hidden: true }, this.title, this.work.element, this.found);
    this.time = null;
  }

  // Shows whether fields at the time `time` can be fitted; fits at another time are forgotten.
  show(possible, time) {
    this.element.hidden = !possible;
    if (possible && time === this.time) return;
    this.forget();
    this.time = time;
    this.title.textContent = possible ? `Fits of the fields at t = ${timeText(time)}` : "";
  }

  forget() {
    this.work.forget();
    this.found.replaceChildren();
    this.time = null;
  }

  #show({ table: found, said }) {
    this.found.replaceChildren(...said.map((text) => h("p", { class: "plan" }, text)), table(found, "The fits of the fields"));
  }
}
