// Light or dark: as the system has it, or as chosen here.

const KEY = "gdln-theme";

export class Theme {
  constructor() {
    this.#apply();
  }

  get chosen() {
    return localStorage.getItem(KEY) ?? "auto";
  }

  choose(name) {
    localStorage.setItem(KEY, name);
    this.#apply();
  }

  #apply() {
    const name = this.chosen;
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
  }
}
