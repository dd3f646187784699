// The formula view: a question to the engine, its answer with a badge, both sides in a figure, and the typeset proof.

import { lines } from "../figures/lines.js";
import { download, fresh, h, written } from "../lib/dom.js";
import { Figures } from "../lib/figures.js";
import { inWords } from "../lib/refusals.js";
import { View } from "../lib/view.js";
import { Work } from "../lib/work.js";
import { Links, questionOfAddress, viewOf } from "./formula/links.js";

const FIELDS = [
  { name: "line", label: "integrand, or equation between E[…]", rows: 3 },
  { name: "cov", label: "covariance of z1, z2, …", rows: 2 },
  { name: "mean", label: "mean (zero if empty)", rows: 1 },
  { name: "where", label: "domains of the parameters", rows: 1 },
  { name: "digits", label: "digits", rows: 1 },
];
const NAMED = { cov: "The covariance", mean: "The mean", where: "The domain", digits: "The digits" }; // how errors on them begin
const ERRORS = 2; // standard errors on each side of a mark
const START = { mean: "", digits: "30", against: null };
const WORDS = {
  proved: "proved", refuted: "refuted", supported: "supported by numbers, not proved", undecided: "undecided",
};

export function mount(root, context) {
  let examples = [];
  let shown = null; // the last answer
  const form = new Question(() => ask(question()), changed);
  const work = new Work(context, { label: "Answer", kind: "formula", settings: () => context.settings, heard, refused });
  work.start.type = "submit";
  work.start.onclick = null;
  const view = new View(root, context, { draw, controls, tools: [work.element] });
  root.querySelector(".steer").after(form.element);
  form.element.append(work.element);
  const stale = h("p", { class: "plan", role: "status", hidden: true }, "The question has changed: this is the answer to the one before. Press Answer.");
  const [verdict, grid, proof] = [h("div", { class: "verdict" }), h("div"), h("div", { class: "proof" })];
  const links = new Links(context);
  view.figure.replaceChildren(stale, verdict, links.copies, grid, proof, links.claims);
  const figures = new Figures(grid);

  function question() {
    return { ...START, ...form.values, against: null };
  }

  // An answer belongs to its question: it is grey while the texts are others.
  function changed() {
    form.accept();
    if (shown !== null) mark(true);
  }

  function mark(old) {
    stale.hidden = !old;
    view.figure.classList.toggle("stale", old);
  }

  function refused(error) {
    mark(false);
    shown = { parameters: [] };
    for (const part of [verdict, proof]) part.replaceChildren();
    figures.draw([]);
    form.refuse(error.message, inWords(error));
    return "Not answered.";
  }

  function ask(asked) {
    form.accept();
    if (shown !== null) mark(true);
    context.choose({ ...asked, job: null });
    context.address(viewOf(asked));
    work.begin();
  }

  function heard(answer) {
    shown = answer;
    mark(false);
    context.choose({ job: work.job.id });
    view.show({ ...view.answer, ...answer });
    links.show(context.settings);
  }

  function controls() {
    const options = [["", "choose an example"], ...examples.map(([name]) => [name, name])];
    const example = { name: "example", label: "examples", kind: "choice", value: "", options };
    if (!shown?.parameters.length) return [example];
    const axes = shown.parameters.map((name) => [name, name]);
    return [example, { name: "against", label: "horizontal axis", kind: "choice",
      value: context.settings.against ?? shown.parameters[0], options: axes }];
  }

  view.controls.moved = (name, value) => {
    if (name === "against") ask({ ...question(), against: value });
    else open(value);
  };

  function open(name) {
    const [, line, cov, where] = examples.find(([each]) => each === name);
    form.show({ ...START, line, cov, where });
    ask(question());
  }

  function draw(answer) {
    examples = answer.examples;
    if (shown === null) return begin();
    if (!shown.table) return null;
    verdict.replaceChildren(...verdictOf(shown));
    figures.draw(shown.figure ? figuresOf(shown) : []);
    proof.replaceChildren(...proofOf(shown, save));
  }

  // The question of the address, of an earlier look at this view, or the first example.
  function begin() {
    const given = questionOfAddress() ?? context.settings;
    if (!given.line) return open(examples[0][0]);
    form.show({ ...START, ...given });
    return ask({ ...question(), against: given.against ?? null });
  }

  async function save(want, file, type) {
    const found = await context.ask({ ...context.settings, want });
    if (found !== null) download(file, type, found.text);
  }

  // The problem plays no part, so that a change of it asks nothing anew.
  return {
    update: () => (shown === null ? view.update() : null),
    visit: () => questionOfAddress() && begin(),
    destroy: () => work.stop(),
  };
}

// The texts of a question; Enter in a short one and Ctrl-Enter in a long one answer it.
class Question {
  constructor(asked, changed) {
    this.inputs = new Map();
    this.faults = new Map();
    const labelled = FIELDS.map(({ name, label, rows }) => {
      const id = fresh(name);
      const input = rows > 1 ? h("textarea", { id, rows, spellcheck: "false" }) : h("input", { id, type: "text", spellcheck: "false" });
      input.addEventListener("keydown", (event) => event.key === "Enter" && event.ctrlKey && this.element.requestSubmit());
      input.addEventListener("input", changed);
      const fault = h("p", { class: "fault", id: fresh("fault"), role: "alert", hidden: true });
      input.setAttribute("aria-describedby", fault.id);
      this.inputs.set(name, input);
      this.faults.set(name, fault);
      return h("div", { class: `asked asked-${name}` }, h("label", { for: id }, label), input, fault);
    });
    this.element = h("form", { class: "question", "aria-label": "Question" }, labelled);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      asked();
    });
  }

  // Says what is wrong below the text that the error quotes or names; below the integrand where it names none.
  refuse(message, text) {
    const { line: _line, ...others } = this.values;
    const name = Object.keys(others).find((each) => (others[each] && message.startsWith(`'${others[each]}'`)) || message.startsWith(NAMED[each])) ?? "line";
    this.faults.get(name).textContent = text;
    this.faults.get(name).hidden = false;
    this.inputs.get(name).setAttribute("aria-invalid", "true");
  }

  accept() {
    for (const fault of this.faults.values()) fault.hidden = true;
    for (const input of this.inputs.values()) input.setAttribute("aria-invalid", "false");
  }

  get values() {
    return Object.fromEntries([...this.inputs].map(([name, input]) => [name, input.value.trim()]));
  }

  show(values) {
    for (const [name, input] of this.inputs) input.value = values[name] ?? "";
  }
}

function verdictOf({ formula, verdict, holds, steps, table }) {
  const derived = steps.every((step) => step.checked);
  const [word, good] = verdict === null ? [derived ? "derived, each step checked" : "derived, not each step checked", derived] : [WORDS[verdict], holds];
  const badge = h("p", {}, h("span", { class: "badge", "data-holds": String(good) }, word));
  const rows = table.rows.filter(([name]) => name !== "verdict").map(([name, answer]) => h("div", {}, h("dt", {}, name), h("dd", {}, answer)));
  return [badge, written("div", { class: "typeset" }, formula), h("dl", { class: "facts" }, rows)];
}

function figuresOf({ figure }) {
  const names = Object.keys(figure.sides);
  const last = names.at(-1);
  const fixed = Object.entries(figure.fixed).map(([name, value]) => `${name} = ${Number(value.toPrecision(4))}`).join(", ");
  const logarithmic = figure.axis.startsWith("log₁₀ ");
  const at = (x) => (logarithmic ? x.map((value) => 10 ** value) : x);
  const axis = { label: figure.axis.replace("log₁₀ ", "").replace("of the examples", "examples"), log: logarithmic };
  const marks = (name, y, error) => ({ name, x: at(figure.at), y, error: error.map((each) => ERRORS * each), colour: "gated-linear", look: "marks" });
  const colours = names.length > 1 ? ["class-1", "class-2"] : ["theory"];
  const curves = names.map((name, k) => ({ name, x: at(figure.x), y: figure.sides[name], colour: colours[k], look: k ? "dash" : "line" }));
  const samples = Object.entries(figure.sampled).map(([name, { mean, error }]) =>
    marks(names.length > 1 ? `${name}, sampled ± 2 standard errors` : "the integrand, sampled ± 2 standard errors", mean, error));
  const counter = figure.counterexample;
  const stars = (...values) => (counter === null ? [] : values.map((y) => ({ name: "counter-example", x: at([counter[0]])[0], y })));
  const differences = [
    ...names.slice(0, -1).map((name, k) => ({ name: `${name} − ${last}`, x: at(figure.x), colour: colours[k],
      y: figure.sides[name].map((value, place) => (value === null || figure.sides[last][place] === null ? null : value - figure.sides[last][place])) })),
    ...Object.entries(figure.sampled).map(([name, { mean, error }]) =>
      marks(`${name === last ? "sampled" : `${name}, sampled`} − ${last}`, mean.map((value, place) => value - figure.expected[last][place]), error)),
  ];
  return [{
    key: "sides", make: lines, data: { series: [...curves, ...samples], points: stars(counter?.[1], counter?.[2]) },
    options: {
      title: figure.running ? "The value beside running means" : `The formula against ${axis.label}`,
      caption: `Lines are formulas; marks are averages of the integrand over samples.${fixed ? ` ${fixed}.` : ""}`,
      x: axis, y: { label: "value", unit: "no unit" },
    },
  }, {
    key: "difference", make: lines, data: { series: differences, points: stars(counter?.[1] - counter?.[2]) },
    options: {
      title: "Difference", caption: "Samples scatter around 0 where the formula holds.", x: axis, y: { label: "difference", unit: "no unit", zero: true },
    },
  }];
}

function proofOf({ steps, holds }, save) {
  const files = h("div", { class: "files" },
    h("button", { type: "button", onclick: () => save("text", "formula.txt", "text/plain") }, "Answer as text"),
    h("button", { type: "button", onclick: () => save("steps", "formula-steps.csv", "text/csv") }, steps.length ? "Steps as CSV" : "Answer as CSV"));
  if (!steps.length) return [h("h2", {}, "Proof"), h("p", {}, holds === false ? "There is none: a number refutes the equation." : "No proof was found."), files];
  const all = steps.every((step) => step.checked);
  const items = steps.map(({ rule, checked, check, why, formula, text }) => h("li", {},
    h("div", { class: "line" }, formula === null ? h("code", {}, text) : written("div", { class: "typeset" }, formula),
      h("span", { class: "badge rule", "data-holds": String(checked), title: check }, rule)),
    written("p", { class: "why" }, why), checked ? null : h("p", { class: "fault" }, check)));
  return [h("h2", {}, "Proof"), h("p", {}, all ? `${steps.length} steps, each checked by the rule at its right.` : "Not every step is checked."),
    h("ol", { class: "steps" }, items), files];
}
