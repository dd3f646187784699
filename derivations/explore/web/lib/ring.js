// A button that puts the sites of the problem on a ring, for views that need one.

import { h } from "./dom.js";

export class ToRing {
  constructor(context) {
    this.context = context;
    this.element = h("button", { type: "button", hidden: true, onclick: () => context.set({ "data.boundary": "ring" }) }, "Put the sites on a ring");
  }

  // Shown where a ring is `wanted`, the sites lie on none, and the law has one.
  show(wanted) {
    const { summary, controls } = this.context.problem.bar;
    const boundary = controls.find(({ name }) => name === "data.boundary");
    const possible = boundary?.options.some(([value]) => value === "ring") ?? false;
    this.element.hidden = !(wanted && !summary.ring && possible);
  }
}
