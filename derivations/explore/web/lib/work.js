// A button that starts long work, its progress, and Stop, which is there only while something runs.

import { h } from "./dom.js";
import { inWords } from "./refusals.js";

export class Work {
  // `label` names the button ("Train"), `kind` the job on the server; `settings()` are those of the job, and
  // `heard(result)` follows its results. `refused(error)` may show an error elsewhere, and returns what is said here.
  constructor(context, { label, kind, settings, heard, refused = inWords }) {
    this.context = context;
    this.given = { kind, settings, heard, refused };
    this.job = null;
    this.start = h("button", { type: "button", class: "primary", onclick: () => this.begin() }, label);
    this.end = h("button", { type: "button", hidden: true, onclick: () => this.stop() }, "Stop");
    this.bar = h("progress", { max: 1, "aria-label": `${label}: share done`, hidden: true });
    this.said = h("span", { class: "said", role: "status" });
    this.element = h("div", { class: "work", "data-state": "none" }, this.start, this.end, this.bar, this.said);
  }

  get running() {
    return this.element.dataset.state === "running";
  }

  begin() {
    this.stop();
    this.#begun(`${this.start.textContent}: it has begun.`);
    const job = this.context.job(this.given.kind, this.given.settings(), (state) => this.job === job && this.#hear(state));
    this.job = job;
  }

  // Lets the work go on while another view is shown.
  leave() {
    if (this.running) this.context.leave(this.given.kind, this.job);
    this.job = null;
  }

  // Takes up the work that went on while another view was shown; returns whether there is any.
  resume() {
    const job = this.context.resume(this.given.kind);
    if (job === null) return false;
    this.#begun("It went on while another view was shown.");
    this.job = job;
    job.listen((state) => this.job === job && this.#hear(state));
    return true;
  }

  // Before the first news the bar moves without a share.
  #begun(text) {
    this.#state("running", text);
    this.bar.removeAttribute("value");
  }

  // Ends the work; what it has found stays.
  stop() {
    if (this.running) this.job.stop();
  }

  // Ends the work and forgets that there was any: its results belong to another problem.
  forget() {
    const { job } = this;
    this.job = null;
    job?.stop();
    this.#state("none", "");
  }

  #hear({ share, running, stopped, results, error }) {
    if (share) this.bar.value = share;
    if (results.length) this.said.textContent = "";
    results.forEach((result) => this.given.heard(result));
    if (error) this.#state("failed", this.given.refused({ message: error.message, remedy: error.remedy }));
    else if (stopped) this.#state("stopped", `Stopped at ${Math.round(100 * this.bar.value)} %.`);
    else if (!running) this.#state("done", "Done.");
  }

  #state(name, text) {
    this.element.dataset.state = name;
    this.end.hidden = this.bar.hidden = name !== "running";
    this.said.textContent = text;
  }
}
