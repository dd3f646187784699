// A view of networks that train: their settings, the work, its snapshots as they come, and the time that is shown.

import { h } from "../lib/dom.js";
import { Figures } from "../lib/figures.js";
import { View } from "../lib/view.js";
import { Work } from "../lib/work.js";
import { Player } from "./player.js";

const NETWORKS = Array.from({ length: 28 }, (_, place) => String(place + 5));
const BATCHES = ["32", "64", "128", "256", "512", "1024"].map((size) => [size, `${size} examples`]);
const REST = 500; // milliseconds without a change, after which networks are trained

export class TrainedView extends View {
  // `label` names the button, `kind` the job; the other functions are those of View.
  constructor(root, context, { label, kind, draw, controls }) {
    const work = new Work(context, { label, kind, settings: () => context.settings, heard: (snapshot) => this.#hear(snapshot) });
    super(root, context, { draw, controls, tools: [work.element] });
    this.work = work;
    this.snapshots = [];
    this.waiting = 0;
    this.frame = 0;
    const { opened, stays = null } = context.settings;
    this.player = new Player(() => this.redraw(), opened === context.problem.opened ? stays : null);
    this.steer = h("div", { class: "steer" }, this.player.element);
    root.querySelector(".tabs").before(this.steer);
    this.figures = new Figures(this.figure);
  }

  // The problem or a setting of the training has changed: what was trained belongs to another question.
  async update() {
    clearTimeout(this.waiting);
    this.work.forget();
    this.snapshots = [];
    this.#forgetTime();
    const answered = await this.ask();
    if (answered && this.work.resume()) return;
    clearTimeout(this.waiting);
    if (!answered) return; // a training would be refused for the same reason
    this.waiting = setTimeout(() => this.rest(), REST);
  }

  // What happens once the settings rest.
  async rest() {
    if (this.trains() && this.context.settings.atOnce !== false) this.work.begin();
  }

  destroy() {
    clearTimeout(this.waiting);
    this.work.leave();
    cancelAnimationFrame(this.frame);
    this.player.stop();
  }

  redraw() {
    if (this.answer?.times) this.show(this.answer);
  }

  // The job that has trained the networks, and the time that is shown: the files of the view have the same numbers. A
  // time that the reader has chosen is there again when the view is.
  keep() {
    const { snapshot, follows } = this.player;
    this.context.choose({ snapshot, stays: follows ? null : snapshot, job: this.snapshots.length ? this.work.job.id : null });
  }

  // Settings of the training: a change asks the server.
  training({ times, networks: count }, networks) {
    const { settings } = this.context;
    return [
      { name: "networks", label: networks, kind: "slider", value: String(settings.networks ?? count), values: NETWORKS, unit: ["network", "networks"] },
      { name: "batch", label: "batch", kind: "choice", value: String(settings.batch ?? 256), options: BATCHES },
      { name: "until", label: "train to t", kind: "text", value: settings.until || String(times?.at(-1) ?? "") },
    ];
  }

  get atOnce() {
    return { name: "atOnce", label: "train when a control changes", kind: "check", value: this.context.settings.atOnce !== false };
  }

  // Whether later changes train at once is no question: what has been trained stays.
  choose(settings) {
    if (!("atOnce" in settings)) {
      super.choose(settings);
      return;
    }
    this.context.choose(settings);
    this.redraw();
    if (this.work.job !== null) return;
    clearTimeout(this.waiting);
    this.rest();
  }

  // A typed time and a way to look at fields belong to the problem for which they were chosen, not to the next one.
  #forgetTime() {
    const { opened } = this.context.problem;
    if (this.context.settings.opened !== opened) this.context.choose({ opened, until: "", aligned: undefined });
  }

  // Several snapshots may come at once: they are drawn together.
  #hear(snapshot) {
    this.snapshots[snapshot.snapshot] = snapshot;
    this.player.reach(this.snapshots.length - 1);
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.redraw());
  }
}
