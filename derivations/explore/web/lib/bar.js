// The problem bar on top of every view: the law, its definition, its classes, its controls and its text.

import { Controls } from "./controls.js";
import { inWords } from "./refusals.js";
import { h, written } from "./dom.js";

const FOLDED = { more: "More of the law", network: "Network" };

export class Bar {
  constructor(root, { problem, theme }) {
    this.problem = problem;
    const moved = (name, value) => problem.set({ [name]: value });
    this.groups = { law: new Controls(moved), more: new Controls(moved), network: new Controls(moved) };
    this.definition = h("p", { class: "definition" });
    this.classes = h("ul", { class: "classes", "aria-label": "Classes" });
    this.dialect = h("p", { class: "dialect", role: "note", hidden: true });
    this.fault = h("p", { class: "fault", role: "alert", hidden: true });
    this.editor = new Editor(problem);
    this.folds = Object.entries(FOLDED).map(([name, title]) => {
      const fold = h("details", { class: "fold", "data-group": name }, h("summary", {}, title), this.groups[name].element);
      fold.addEventListener("toggle", () => fold.open && this.#closeOthers(fold));
      return fold;
    });
    root.replaceChildren(
      h("div", { class: "brand" }, h("a", { href: "#/start" }, "gdln explore")),
      h("div", { class: "say" }, this.definition, this.classes, this.dialect),
      h("div", { class: "tools" }, this.folds,
        h("button", { type: "button", class: "quiet", onclick: () => this.edit() }, "TOML"),
        dialects(problem), joiner(problem), themes(theme)),
      h("div", { class: "steer" }, this.groups.law.element, this.fault),
    );
    root.append(this.editor.dialog);
    document.addEventListener("click", (event) => !root.contains(event.target) && this.#closeOthers(null));
    root.addEventListener("keydown", (event) => event.key === "Escape" && this.#closeWithFocus());
  }

  show() {
    const { bar, wanted } = this.problem;
    const kept = new Set(Object.keys(wanted));
    for (const [name, controls] of Object.entries(this.groups)) {
      controls.show(bar.controls.filter((control) => control.group === name), kept);
    }
    this.folds.at(-1).hidden = !bar.controls.some((control) => control.group === "network");
    const { definition, seen, classes, network } = bar.summary;
    this.definition.replaceChildren(written("span", { class: "formula" }, definition), written("span", { class: "seen" }, ` ${seen}`));
    this.classes.replaceChildren(
      ...classes.map((name, c) => h("li", { "data-class": c + 1 }, name)),
      h("li", { class: "network" }, network));
    this.#speak(bar.dialect);
    this.fault.hidden = true;
  }

  #speak(dialect) {
    this.dialect.hidden = !dialect;
    if (!dialect) return;
    const numbers = Object.values(dialect.numbers).join(" · ");
    this.dialect.textContent = [`In the conventions of the ${dialect.word}: ${numbers}`, ...dialect.refused].join(" ");
  }

  // Opens the problem as text.
  edit() {
    this.editor.open();
  }

  // Says what is wrong with a value beside its control; returns whether there is one.
  refuse(error, names) {
    const text = inWords(error);
    const name = names.find((each) => Object.values(this.groups).some((controls) => controls.refuse(each, text)));
    if (name) return true;
    this.fault.textContent = text;
    this.fault.hidden = false;
    return false;
  }

  // The focus goes back to the button of the fold that it was in.
  #closeWithFocus() {
    this.folds.find((fold) => fold.contains(document.activeElement))?.querySelector("summary").focus();
    this.#closeOthers(null);
  }

  #closeOthers(kept) {
    for (const fold of this.folds) if (fold !== kept) fold.open = false;
  }
}

// Tabs of one browser are independent; joined ones share the problem.
function joiner(problem) {
  const button = h("button", { type: "button", class: "quiet", role: "switch", "aria-checked": String(problem.joined),
    title: "Joined tabs of this browser share one problem" }, "Join tabs");
  button.addEventListener("click", () => {
    problem.join(!problem.joined);
    button.setAttribute("aria-checked", String(problem.joined));
  });
  return button;
}

const DIALECTS = [["", "Conventions"], ["notes", "Notes"], ["PNAS paper", "PNAS paper"], ["conv_emerge", "conv_emerge (code)"],
  ["Localization", "Localization (code)"]];

// The conventions of the sources: the problem stays as it is, and its numbers are shown in theirs too.
function dialects(problem) {
  const select = h("select", { "aria-label": "Conventions", onchange: () => problem.speak(select.value) },
    DIALECTS.map(([value, text]) => h("option", { value }, text)));
  select.value = problem.dialect;
  return select;
}

function themes(theme) {
  const select = h("select", { "aria-label": "Theme", onchange: () => theme.choose(select.value) },
    [["auto", "System theme"], ["light", "Light"], ["dark", "Dark"]].map(([value, text]) => h("option", { value }, text)));
  select.value = theme.chosen;
  return select;
}

// The problem as text, in a dialog.
class Editor {
  constructor(problem) {
    this.problem = problem;
    this.text = h("textarea", { rows: 24, spellcheck: "false", "aria-label": "the problem as TOML" });
    this.fault = h("p", { class: "fault", role: "alert", hidden: true });
    this.dialog = h("dialog", { "aria-label": "Problem as TOML" },
      h("h2", {}, "The problem as TOML"), this.text, this.fault,
      h("div", { class: "files" },
        h("button", { type: "button", class: "primary", onclick: () => this.use() }, "Use this problem"),
        h("button", { type: "button", onclick: () => this.dialog.close() }, "Close")));
  }

  open() {
    this.text.value = this.problem.toml;
    this.fault.hidden = true;
    this.dialog.showModal();
    this.text.setSelectionRange(0, 0);
    this.text.scrollTop = 0;
  }

  async use() {
    try {
      await this.problem.replace(this.text.value);
      this.dialog.close();
    } catch (error) {
      this.fault.textContent = inWords(error);
      this.fault.hidden = false;
    }
  }
}
