// The graph view: loss, strengths of paths and sizes of weights over time, the drawing of the graph, and its flow.

import { lines } from "../figures/lines.js";
import { h, written } from "../lib/dom.js";
import { Figures } from "../lib/figures.js";
import { View } from "../lib/view.js";
import { Work } from "../lib/work.js";

const NAMES = { w0: "initial weights times", tau: "tau times", batch: "batch size", networks: "networks" };
const START = { w0: "1", tau: "1", batch: "256", networks: "8" };
const ERRORS = 2; // standard errors on each side of a mark

export function mount(root, context) {
  const work = new Work(context, { label: "Train", kind: "graph", settings: () => context.settings, heard });
  const race = h("button", { type: "button", hidden: true, onclick: () => context.borrow(view.answer.example) }, "Open the race");
  const view = new View(root, context, { draw, controls, tools: [work.element, race] });
  const [said, grid, picture, flow] = [h("p"), h("div"), h("div", { class: "typeset", tabindex: 0 }), h("pre", { tabindex: 0, class: "typeset" })];
  view.figure.replaceChildren(said, grid, picture, h("details", {}, h("summary", {}, "The flow of each weight"), flow));
  const figures = new Figures(grid);
  let question = null;

  context.choose({ job: null });

  function heard(trained) {
    context.choose({ job: work.job.id });
    draw({ ...view.answer, trained });
    if (Object.keys(trained).length) view.update();
  }

  function draw(answer) {
    const graph = answer.example === undefined;
    race.hidden = graph;
    work.element.hidden = !graph;
    view.figure.classList.toggle("blank", !graph);
    if (!graph) return;
    forget();
    said.textContent = answer.said;
    figures.draw(answer.panels.map((panel) => panelOf(panel, answer)));
    picture.replaceChildren(written("div", {}, answer.drawing));
    flow.textContent = answer.equations;
  }

  // Networks of another problem, or of other settings, are not shown beside this one.
  function forget() {
    const now = JSON.stringify([context.problem.toml, ...Object.keys(START).map((name) => context.settings[name] ?? START[name])]);
    if (question !== null && question !== now) work.forget();
    question = now;
  }

  view.controls.moved = (name, value) => {
    view.choose({ [name]: value, ...(name === "through" ? {} : { job: null }) });
  };

  async function update() {
    const now = context.problem.toml;
    if (question !== null && JSON.parse(question)[0] !== now) context.choose({ job: null });
    await view.update();
  }

  function controls(answer) {
    if (answer.example !== undefined) return [];
    const choices = Object.entries(answer.choices).map(([name, options]) => ({
      name, label: NAMES[name], kind: "choice", value: context.settings[name] ?? START[name], options: options.map((each) => [each, each]),
    }));
    const through = { name: "through", label: "highlight the paths through", kind: "choice", value: answer.through ?? "",
      options: [["", "(none)"], ...answer.weights.map((name) => [name, name])] };
    return [...choices, through];
  }

  return { update, destroy: () => work.stop() };
}

function panelOf({ what, title, label, unit, all, curves }, { times, tau, trained }) {
  const found = trained[what] ?? {};
  const theory = curves.map(({ name, y }, k) => ({
    name: what === "loss" ? "gradient descent, exact moments" : name, x: times, y, colour: what === "loss" ? "theory" : k,
  }));
  const networks = curves.flatMap(({ name }, k) => (found[name] ? [{
    name: what === "loss" ? "networks ± 2 standard errors" : null, look: "marks", colour: what === "loss" ? "gated-linear" : k,
    x: times.slice(0, found[name].mean.length), y: found[name].mean, error: found[name].error.map((each) => ERRORS * each),
  }] : []));
  return {
    key: what, make: lines,
    data: { series: [...theory, ...networks] },
    options: {
      title: all > curves.length ? `${title}, the ${curves.length} largest of ${all}` : title,
      caption: `Lines are gradient descent on the exact moments; marks are means of trained networks. Time t is that of τ dW/dt = −∂L/∂W with τ = ${tau}.`,
      x: { label: "time t", log: true }, y: { label, unit, zero: true },
    },
  };
}
