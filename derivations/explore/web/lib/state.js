// The problem of this tab, and the settings of each view. Tabs are independent unless they are joined.

import { ask, latest } from "./api.js";

const PROBLEM = "gdln-problem";
const SETTINGS = "gdln-settings";
const JOINED = "gdln-joined";
const DIALECT = "gdln-dialect";
const OPENED = "gdln-opened";
const BEFORE = "gdln-before";
const OWN = "gdln-own";

export class Problem {
  // `changed(how)` follows every new problem: "moved" by its controls, "opened" as a whole, "heard" from another tab or
  // "restored" by the browser's Back. `refused(error, names)` follows a change that the library does not take.
  constructor({ changed, refused }) {
    this.changed = changed;
    this.refused = refused;
    this.bar = null;
    this.wanted = {};
    this.send = latest((question) => ask("problem", question));
    this.channel = new BroadcastChannel("gdln-problem");
    this.channel.onmessage = ({ data }) => this.joined && this.hear(data);
  }

  get toml() {
    return this.bar.toml;
  }

  // The reader's own problem, where a view has put another in its place; null while theirs is shown.
  get before() {
    return sessionStorage.getItem(BEFORE);
  }

  // Whether the problem is the reader's: theirs by a file, a text or a moved control.
  get #own() {
    return sessionStorage.getItem(OWN) === "yes";
  }

  set #own(own) {
    sessionStorage.setItem(OWN, own ? "yes" : "no");
  }

  // When a problem was opened as a whole: moved controls leave it as it is.
  get opened() {
    return sessionStorage.getItem(OPENED) ?? "";
  }

  get joined() {
    return sessionStorage.getItem(JOINED) === "yes";
  }

  // The conventions in which the numbers of the problem are also shown; "" for those of the workbench alone.
  get dialect() {
    return sessionStorage.getItem(DIALECT) ?? "";
  }

  async speak(dialect) {
    sessionStorage.setItem(DIALECT, dialect);
    this.#take(await ask("problem", { toml: this.toml, dialect }), "moved");
  }

  join(joined) {
    sessionStorage.setItem(JOINED, joined ? "yes" : "no");
    if (joined) this.#tell();
  }

  // The problem that this tab had before it was loaded again, or the server's first one.
  async begin(first) {
    this.bar = first;
    if (sessionStorage.getItem(OWN) === null) this.#own = first.given;
    const kept = sessionStorage.getItem(PROBLEM);
    if (kept !== null && kept !== first.toml) {
      try {
        this.bar = await ask("problem", { toml: kept, dialect: this.dialect });
      } catch {
        sessionStorage.removeItem(PROBLEM);
      }
    }
  }

  // Moved controls by name. A refused value stays wanted: it may fit once another control has moved.
  async set(values) {
    if ("data.law" in values) this.wanted = {};
    Object.assign(this.wanted, values);
    const wanted = { ...this.wanted };
    await this.#ask({ toml: this.toml, values: wanted, dialect: this.dialect }, Object.keys(values), () => {
      for (const [name, value] of Object.entries(wanted)) if (this.wanted[name] === value) delete this.wanted[name];
      this.#own = true;
    });
  }

  // The reader's own text; rejects where the library does not take it.
  async replace(toml) {
    await this.#open(toml, "opened", () => sessionStorage.removeItem(BEFORE));
    this.#own = true;
  }

  // The problem after a control of a view has moved.
  async move(toml) {
    await this.#open(toml, "moved");
    this.#own = true;
  }

  // A problem that a view offers in the place of the reader's own, which is kept for the way back. The first problem is
  // nobody's own: who chooses a `preset` instead needs no way back to it.
  async borrow(toml, preset) {
    const { toml: present } = this;
    const keep = present !== toml && (this.#own || (!preset && this.before === null));
    await this.#open(toml, "opened", () => {
      if (keep) sessionStorage.setItem(BEFORE, present);
      this.#own = false;
    });
  }

  // Shows the reader's own problem again.
  async back() {
    await this.#open(this.before, "opened", () => sessionStorage.removeItem(BEFORE));
    this.#own = true;
  }

  // The problem of an earlier place in the browser's history.
  async restore(toml) {
    await this.#open(toml, "restored");
  }

  async #open(toml, how, accepted = () => {}) {
    const bar = await ask("problem", { toml, dialect: this.dialect });
    this.wanted = {};
    if (bar.toml !== this.toml) sessionStorage.setItem(OPENED, String(Date.now()));
    accepted();
    if (bar.toml === this.before) sessionStorage.removeItem(BEFORE);
    this.#take(bar, how);
  }

  async #ask(question, names, accepted) {
    try {
      const bar = await this.send(question);
      if (bar === null) return;
      accepted();
      this.#take(bar, "moved");
    } catch (error) {
      this.refused(error, names);
    }
  }

  #tell() {
    this.channel.postMessage({ toml: this.toml, opened: this.opened });
  }

  async hear({ toml, opened }) {
    if (toml === this.toml) return;
    sessionStorage.setItem(OPENED, opened);
    this.bar = await ask("problem", { toml, dialect: this.dialect });
    sessionStorage.setItem(PROBLEM, toml);
    this.changed("heard");
  }

  #take(bar, how) {
    this.bar = bar;
    sessionStorage.setItem(PROBLEM, bar.toml);
    if (this.joined) this.#tell();
    this.changed(how);
  }
}

// The settings of a view, which outlive a change to another view and a reload.
export function settingsOf(view) {
  return JSON.parse(sessionStorage.getItem(`${SETTINGS}-${view}`) ?? "{}");
}

export function keepSettings(view, settings) {
  sessionStorage.setItem(`${SETTINGS}-${view}`, JSON.stringify(settings));
}
