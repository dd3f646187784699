// The figures of a panel side by side: one that is there already is drawn again in place.

import { h } from "./dom.js";

export class Figures {
  constructor(panel) {
    this.grid = h("div", { class: "figures" });
    this.made = new Map();
    panel.replaceChildren(this.grid);
  }

  // Draws `list` of {key, make, data, options, size}: `make` is a function of figures/, `size` "wide" or left out.
  draw(list) {
    const old = this.made;
    this.made = new Map();
    for (const { key, make, data, options, size } of list) {
      const before = old.get(key);
      if (before?.make === make) before.figure.update(data, options);
      const figure = before?.make === make ? before.figure : make(data, options);
      figure.dataset.size = size ?? "normal";
      this.made.set(key, { make, figure });
    }
    const figures = [...this.made.values()].map(({ figure }) => figure);
    const same = figures.length === this.grid.children.length
      && figures.every((figure, place) => figure === this.grid.children[place]);
    if (!same) this.grid.replaceChildren(...figures);
  }
}
