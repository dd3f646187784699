// The time of the figures: a slider over the snapshots, and a film of them.

import { Controls } from "../lib/controls.js";
import { h } from "../lib/dom.js";

const FRAME = 160; // milliseconds
const CALM = 800; // for readers who want little motion

// A time as the slider shows it.
export function timeText(time) {
  return String(Number(time.toPrecision(4)));
}

export class Player {
  // `moved(snapshot)` follows the slider and the film; `first` is the time at which to begin, null for the last one.
  constructor(moved, first = null) {
    this.moved = moved;
    this.first = first;
    this.times = [];
    this.snapshot = 0;
    this.follows = true; // the newest snapshot, until the reader chooses one
    this.timer = 0;
    this.controls = new Controls((_name, value) => this.#choose(value));
    this.button = h("button", { type: "button", onclick: () => this.toggle() });
    this.element = h("div", { class: "player" }, this.button, this.controls.element);
    this.#say();
  }

  get playing() {
    return this.timer !== 0;
  }

  // Shows these times; the slider keeps its place where the number of times stays.
  show(times) {
    if (times.length !== this.times.length) {
      this.stop();
      this.follows = this.first === null || this.first >= times.length;
      this.snapshot = this.follows ? times.length - 1 : this.first;
      this.first = null;
    }
    this.times = times;
    this.#draw();
  }

  // The newest snapshot of networks in training.
  reach(snapshot) {
    if (!this.follows || this.playing) return;
    this.snapshot = snapshot;
    this.#draw();
  }

  toggle() {
    if (this.playing) {
      this.stop();
      return;
    }
    this.follows = false;
    if (this.snapshot >= this.times.length - 1) this.snapshot = -1;
    this.timer = setInterval(() => this.#step(), matchMedia("(prefers-reduced-motion: reduce)").matches ? CALM : FRAME);
    this.#say();
    this.#step();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.#say();
  }

  #step() {
    this.snapshot += 1;
    if (this.snapshot >= this.times.length - 1) this.stop();
    this.#draw();
    this.moved(this.snapshot);
  }

  // A time of the slider, or the nearest one to a typed number.
  #choose(text) {
    this.stop();
    const wanted = Number(text);
    if (!Number.isFinite(wanted) || text === "") {
      this.controls.refuse("snapshot", `${text} is no time.`);
      return;
    }
    const apart = this.times.map((time) => Math.abs(time - wanted));
    this.snapshot = apart.indexOf(Math.min(...apart));
    this.follows = this.snapshot === this.times.length - 1;
    this.#draw();
    this.moved(this.snapshot);
  }

  #draw() {
    const values = this.times.map(timeText);
    const value = values[this.snapshot] ?? values[0];
    this.controls.show([{ name: "snapshot", label: "time t", kind: "slider", value, values }]);
  }

  #say() {
    this.button.textContent = this.playing ? "❚❚ Pause" : "▶ Play";
    this.button.setAttribute("aria-label", this.playing ? "Pause the film" : "Play the film of the training");
  }
}
