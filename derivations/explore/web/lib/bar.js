// The problem bar on top of every view: the law, its definition, its classes, its controls and its text.

import { Controls } from "./controls.js";
import { inWords } from "./refusals.js";
import { h, written } from "./dom.js";

const FOLDED = { more: "More of the law", network: "Network" };
const JOIN = "Share the problem between tabs";
const JOINED = `This problem is shared: a change in one tab changes it in all tabs of this browser in which “${JOIN}” is on.`;
const CONTROLS = "Controls"; // of the problem, which a narrow page folds away

export class Bar {
  // The folded controls stand in `room`, below the bar, so that they cover neither its sliders nor a figure.
  constructor(root, room, { problem, theme }) {
    this.problem = problem;
    const moved = (name, value) => problem.set({ [name]: value });
    this.groups = { law: new Controls(moved), more: new Controls(moved), network: new Controls(moved) };
    this.definition = h("p", { class: "definition" });
    this.classes = h("ul", { class: "classes", "aria-label": "Classes" });
    this.dialect = h("p", { class: "dialect", role: "note", hidden: true });
    this.fault = h("p", { class: "fault", role: "alert", hidden: true });
    this.joined = h("p", { class: "joined", role: "status", hidden: true }, JOINED);
    this.back = h("button", { type: "button", hidden: true, onclick: () => problem.back() }, "Back to your problem");
    this.editor = new Editor(problem);
    this.folds = Object.entries(FOLDED).map(([name, title]) => new Fold(name, title, this.groups[name].element, (fold) => this.#closeOthers(fold)));
    this.all = button(CONTROLS, () => this.#unfold(root.dataset.open === undefined));
    this.all.classList.add("unfold");
    this.root = root;
    root.replaceChildren(
      h("div", { class: "brand" }, h("a", { href: "#/start" }, "gdln explore")),
      h("div", { class: "say" }, this.definition, this.classes, this.back, this.dialect, this.joined),
      this.all,
      h("div", { class: "tools" }, this.folds.map((fold) => fold.button),
        h("button", { type: "button", class: "quiet", onclick: () => this.edit() }, "TOML"),
        dialects(problem), joiner(problem, () => this.#sayWhetherJoined()), themes(theme)),
      h("div", { class: "steer" }, this.groups.law.element, this.fault),
    );
    root.append(this.editor.dialog);
    room.replaceChildren(...this.folds.map((fold) => fold.panel));
    for (const part of [root, room]) part.addEventListener("keydown", (event) => event.key === "Escape" && this.#closeWithFocus());
    this.#unfold(false);
  }

  show() {
    const { bar, wanted } = this.problem;
    const kept = new Set(Object.keys(wanted));
    for (const [name, controls] of Object.entries(this.groups)) {
      controls.show(bar.controls.filter((control) => control.group === name), kept);
    }
    for (const fold of this.folds) fold.exists(bar.controls.some((control) => control.group === fold.name));
    const { law, definition, seen, classes, network } = bar.summary;
    this.definition.replaceChildren(written("span", { class: "formula" }, definition), written("span", { class: "seen" }, ` ${seen}`),
      " ", h("code", { class: "word", title: "The name of this law in problem files" }, law));
    this.classes.replaceChildren(
      ...classes.map((name, c) => h("li", { "data-class": c + 1 }, name)),
      h("li", { class: "network" }, network));
    this.#speak(bar.dialect);
    this.back.hidden = this.problem.before === null;
    this.#sayWhetherJoined();
    this.fault.hidden = true;
  }

  #sayWhetherJoined() {
    this.joined.hidden = !this.problem.joined;
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
    if (name) this.#unfold(true);
    if (name) return true;
    this.fault.textContent = text;
    this.fault.hidden = false;
    return false;
  }

  // Shows or folds away all controls but the law's name; a wide page shows them in any case.
  #unfold(open) {
    this.root.toggleAttribute("data-open", open);
    this.all.setAttribute("aria-expanded", String(open));
  }

  // The focus goes back to the button of the fold that it was in.
  #closeWithFocus() {
    this.folds.find((fold) => fold.panel.contains(document.activeElement))?.button.focus();
    this.#closeOthers(null);
  }

  #closeOthers(kept) {
    for (const fold of this.folds) if (fold !== kept) fold.show(false);
  }
}

// A button in the bar, and the controls below the bar that it shows.
class Fold {
  constructor(name, title, element, opened) {
    this.name = name;
    this.panel = h("section", { class: "fold", id: `fold-${name}`, "data-group": name, "aria-label": title }, element);
    this.button = button(title, () => {
      this.show(this.panel.hidden);
      if (this.panel.hidden) return;
      opened(this);
      this.panel.scrollIntoView({ block: "nearest" });
    });
    this.button.setAttribute("aria-controls", this.panel.id);
    this.show(false);
  }

  show(open) {
    this.panel.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
  }

  exists(does) {
    this.button.hidden = !does;
    if (!does) this.show(false);
  }
}

// A button that shows and hides something; its arrow is drawn by its state.
function button(title, onclick) {
  return h("button", { type: "button", class: "quiet discloses", onclick }, title);
}

// Tabs of one browser are independent; joined ones share the problem.
function joiner(problem, switched) {
  const button = h("button", { type: "button", class: "quiet", role: "switch", "aria-checked": String(problem.joined) }, JOIN);
  button.addEventListener("click", () => {
    problem.join(!problem.joined);
    button.setAttribute("aria-checked", String(problem.joined));
    switched();
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
