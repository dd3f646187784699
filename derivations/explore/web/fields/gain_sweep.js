// Networks of side A at several gains, trained when the reader asks for them.

import { lines } from "../figures/lines.js";
import { Figures } from "../lib/figures.js";
import { h } from "../lib/dom.js";
import { Work } from "../lib/work.js";
import { timeText } from "./player.js";
import { RATIO_AXIS } from "./shared.js";
import { keyed } from "./tables.js";

const COLOUR = 3; // that of side A
const TRAINING = ["units", "networks", "batch", "until"]; // the settings on which the networks of A depend

export class GainSweep {
  // `heard()` follows every result.
  constructor(context, heard) {
    this.context = context;
    this.found = null;
    this.heard = heard;
    this.work = new Work(context, { label: "Train along the gain", kind: "gains", settings: () => context.settings, heard: (found) => this.#hear(found) });
    this.plan = h("p", { class: "plan" });
    this.said = h("div", { class: "verdict pending", role: "status" });
    const place = h("div");
    this.figures = new Figures(place);
    // The question and what is found stand beside the verdict, the figure below those of the one gain.
    this.start = h("div", { class: "sweep-start", hidden: true }, "At which gain do the networks of A localize?", this.work.element, this.said);
    this.element = h("section", { class: "sweep", hidden: true }, h("h2", {}, "A along the gain"), this.plan, place);
  }

  // The rows of the table; null before a gain is trained.
  get table() {
    return this.found && keyed(this.found.rows);
  }

  // Shows the question for a law with a gain. What was trained for it in this session is there again at once.
  show({ gain, networks, times }) {
    this.element.hidden = this.start.hidden = gain === null || !times;
    if (this.element.hidden) return;
    this.plan.textContent = `${networks} networks at each of five gains from 0.1 to 10, then others at two more gains where the verdict changes; all to t = ${timeText(times.at(-1))}.`;
    if (this.work.job !== null || this.work.resume()) return;
    if (this.context.settings.swept === this.#question) this.work.begin();
  }

  forget() {
    this.work.forget();
    this.found = null;
    this.context.choose({ sweep: null });
    this.said.replaceChildren();
    this.figures.draw([]);
  }

  get #question() {
    const { problem, settings } = this.context;
    return JSON.stringify([problem.toml, ...TRAINING.map((name) => settings[name] ?? "")]);
  }

  #hear(found) {
    this.found = found;
    this.context.choose({ sweep: this.work.job.id, ...(found.done ? { swept: this.#question } : {}) });
    this.said.replaceChildren(...found.said.map((text) => h("p", {}, text)));
    this.figures.draw([ratios(found)]);
    this.heard();
  }
}

function ratios({ rows, levels, predicted, gain, networks, until, level, most }) {
  const known = rows.filter((row) => row["participation ratio"] !== null);
  const y = known.map((row) => row["participation ratio"]);
  return {
    key: "gains", make: lines,
    data: {
      series: [{ name: "networks of A", colour: COLOUR, look: "marks", x: known.map((row) => row.gain), y, error: known.map((row, k) => row["together 99 %: to"] - y[k]) }],
      levels: [
        ...Object.entries(levels).map(([name, y]) => ({ name, y })), { name: "this gain", x: gain },
        ...(predicted === null ? [] : [{ name: `flat field: g = ${predicted.toPrecision(3)}`, x: predicted }]),
      ],
    },
    options: {
      title: "Participation ratio along the gain",
      caption: `Means over ${networks} networks of A at t = ${timeText(until)}. With probability ${100 * (1 - level)} % all intervals hold their means together: as each of up to ${most} could miss, each alone has the level ${(100 * (1 - level / most)).toFixed(2)} % (Bonferroni), and is wider than that of a single verdict. A gain is undecided where its interval holds both dashed levels.${predicted === null ? "" : ` At g = ${predicted.toPrecision(3)} a flat field changes its stability under the closure.`}`,
      x: { label: "gain g", log: true }, y: RATIO_AXIS,
    },
  };
}
