// A film of the gain: the problem's slider moves by itself, and every view of the problem follows.

import { h } from "../lib/dom.js";

const FRAME = 350; // milliseconds
const NAME = "data.gain";

export class Film {
  constructor(context) {
    this.context = context;
    this.timer = 0;
    this.element = h("button", { type: "button", onclick: () => this.toggle() });
    this.show();
  }

  // The button is there for a law with one gain.
  show() {
    this.element.hidden = this.#gain === undefined;
    this.element.textContent = this.timer ? "❚❚ Pause the gain" : "▶ Play the gain";
  }

  toggle() {
    if (this.timer) this.stop();
    else {
      if (this.#place >= this.#gain.values.length - 1) this.context.set({ [NAME]: this.#gain.values[0] });
      this.timer = setInterval(() => this.#step(), FRAME);
    }
    this.show();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.show();
  }

  get #gain() {
    return this.context.problem.bar?.controls.find(({ name }) => name === NAME);
  }

  get #place() {
    return this.#gain.values.indexOf(this.#gain.value);
  }

  #step() {
    const next = this.#gain?.values[this.#place + 1];
    if (next === undefined) this.stop();
    else this.context.set({ [NAME]: next });
  }
}
