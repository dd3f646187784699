// Controls from their descriptions: sliders with a typed value, choices, texts, switches and boxes to tick.

import { fresh, h } from "./dom.js";

// A row of controls; `moved(name, value)` follows every change of the user's.
export class Controls {
  constructor(moved) {
    this.element = h("div", { class: "controls" });
    this.moved = moved;
    this.made = new Map();
  }

  // Shows the described controls. One that is there already keeps its element, so that it keeps the focus; a value that
  // the user has changed and nobody has accepted yet stays (`kept` are the names of those).
  show(descriptions, kept = new Set()) {
    const old = this.made;
    this.made = new Map();
    for (const description of descriptions) {
      const before = old.get(description.name);
      const same = before && before.shape === shapeOf(description);
      const control = same ? before : MAKERS[description.kind](description, this.moved);
      control.shape = shapeOf(description);
      if (!kept.has(description.name)) {
        control.set(description);
        this.#say(control, "");
      }
      this.made.set(description.name, control);
    }
    const elements = [...this.made.values()].map((control) => control.element);
    const unchanged = elements.length === this.element.children.length
      && elements.every((element, place) => element === this.element.children[place]);
    if (!unchanged) this.element.replaceChildren(...elements);
  }

  // Says beside a control what is wrong with its value; returns whether it is one of these controls.
  refuse(name, text) {
    const control = this.made.get(name);
    if (control) this.#say(control, text);
    return Boolean(control);
  }

  #say(control, text) {
    if (control.fault.textContent === text) return;
    control.fault.textContent = text;
    control.fault.hidden = text === "";
    for (const input of control.inputs) input.setAttribute("aria-invalid", text === "" ? "false" : "true");
  }
}

// What makes a control another one although its name is the same.
function shapeOf({ kind, label, part, options }) {
  return JSON.stringify([kind, label, part, options]);
}

function wrap(description, inputs, ...children) {
  const fault = h("p", { class: "fault", id: fresh("fault"), role: "alert", hidden: true });
  for (const input of inputs) input.setAttribute("aria-describedby", fault.id);
  const element = h("div", { class: `control control-${description.kind}`, "data-name": description.name }, children, fault);
  return { element, fault, inputs };
}

function labelOf({ label, part }, id) {
  return h("label", { for: id }, label, part ? h("span", { class: "part" }, ` ${part}`) : null);
}

// "40 sites": the value as it is read out.
export function spoken(value, unit) {
  return unit ? `${value} ${unit[Number(value) === 1 ? 0 : 1]}` : String(value);
}

function slider(description, moved) {
  const id = fresh("slider");
  const name = [description.label, description.part].filter(Boolean).join(", ");
  const range = h("input", { type: "range", id, min: 0, step: 1 });
  const typed = h("input", { type: "text", inputmode: "decimal", class: "number", "aria-label": `${name}, typed` });
  const unit = h("span", { class: "unit" });
  let now = description;

  function show(value) {
    range.setAttribute("aria-valuetext", spoken(value, now.unit));
    unit.textContent = now.unit ? now.unit[Number(value) === 1 ? 0 : 1] : "";
  }

  range.addEventListener("input", () => {
    const value = now.values[Number(range.value)];
    typed.value = value;
    show(value);
    moved(now.name, value);
  });
  typed.addEventListener("change", () => moved(now.name, typed.value.trim()));
  const row = h("div", { class: "slide" }, range, typed, unit);
  const control = wrap(description, [range, typed], labelOf(description, id), row);
  return {
    ...control,
    set(next) {
      now = next;
      range.max = now.values.length - 1;
      range.value = now.values.indexOf(now.value);
      if (typed !== document.activeElement || typed.value !== now.value) typed.value = now.value;
      show(now.value);
    },
  };
}

function choice(description, moved) {
  const id = fresh("choice");
  const options = description.options.map(([value, text]) => h("option", { value }, text));
  const select = h("select", { id, onchange: () => moved(description.name, select.value) }, options);
  return {
    ...wrap(description, [select], labelOf(description, id), select),
    set: ({ value }) => (select.value = value),
  };
}

function text(description, moved) {
  const id = fresh("text");
  const input = h("input", { type: "text", id, spellcheck: "false", autocomplete: "off" });
  input.addEventListener("change", () => moved(description.name, input.value));
  return {
    ...wrap(description, [input], labelOf(description, id), input),
    set: ({ value }) => (input.value = value),
  };
}

function toggle(description, moved) {
  const button = h("button", { type: "button", class: "switch", role: "switch" }, description.label);
  button.addEventListener("click", () => moved(description.name, button.getAttribute("aria-checked") !== "true"));
  return {
    ...wrap(description, [button], button),
    set: ({ value }) => button.setAttribute("aria-checked", String(value)),
  };
}

function check(description, moved) {
  const id = fresh("check");
  const input = h("input", { type: "checkbox", id, onchange: () => moved(description.name, input.checked) });
  return {
    ...wrap(description, [input], input, labelOf(description, id)),
    set: ({ value }) => (input.checked = value),
  };
}

const MAKERS = { slider, choice, text, switch: toggle, check };
