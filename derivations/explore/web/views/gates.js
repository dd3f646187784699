// The gates view: a gate on weights that the reader draws, or the moments through the gates of the problem.

import { h } from "../lib/dom.js";
import { Figures } from "../lib/figures.js";
import { View } from "../lib/view.js";
import { WEIGHTS, controlsOfWeights, figuresOfWeights } from "./gates/weights.js";
import { controlsOfGates, figuresOfGates } from "./gates/moments.js";

const REST = 200; // milliseconds without a move, after which samples are drawn
const PARTS = [[WEIGHTS, "a gate on weights that you draw"], ["gates", "the gates of the network"]];

export function mount(root, context) {
  const adopt = h("button", { type: "button", hidden: true, onclick: () => context.borrow(view.answer.toml) }, "Make it gated-linear");
  const view = new View(root, context, { draw, controls, tools: [adopt] });
  const figures = new Figures(view.figure);
  view.controls.moved = moved;
  const { update, destroy } = view.rested({ sample: true }, REST);

  function controls(answer) {
    const part = { name: "part", label: "look at", kind: "choice", value: answer.part, options: PARTS };
    return [part, ...(answer.part === WEIGHTS ? controlsOfWeights(answer) : controlsOfGates(answer))];
  }

  function draw(answer) {
    adopt.hidden = answer.part === WEIGHTS || answer.own;
    if (!adopt.hidden) context.choose({ chosen: answer.toml });
    figures.draw(answer.part === WEIGHTS ? figuresOfWeights(answer, drawn) : figuresOfGates(answer));
  }

  function drawn(w) {
    context.choose({ w });
    update();
  }

  // A control of a gate changes the problem, or the gates that are shown beside another network; others are settings.
  async function moved(name, value) {
    const gate = /^gate\.(\d+)\.(\w+)$/.exec(name);
    if (name !== "units" && !gate) {
      context.choose(name === "preset" ? { preset: value, w: null } : { [name]: value });
      await update();
      return;
    }
    const move = gate ? { unit: gate[1], what: gate[2], value } : { what: "units", value };
    await view.update({ moved: move });
    if (view.answer.own && view.answer.toml !== context.problem.toml) await context.move(view.answer.toml);
  }

  return { update, destroy };
}
