// The problem of this tab, and the settings of each view. Tabs are independent unless they are joined.

import { ask, latest } from "./api.js";

const PROBLEM = "gdln-problem";
const SETTINGS = "gdln-settings";
const JOINED = "gdln-joined";
const DIALECT = "gdln-dialect";
const OPENED = "gdln-opened";

export class Problem {
  // `changed()` follows every new problem; `refused(error, names)` a change that the library does not take.
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
    await this.replace(this.toml);
  }

  join(joined) {
    sessionStorage.setItem(JOINED, joined ? "yes" : "no");
    if (joined) this.#tell();
  }

  // The problem that this tab had before it was loaded again, or the server's first one.
  async begin(first) {
    this.bar = first;
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
    });
  }

  // Another problem as a whole, written in TOML; rejects where the library does not take it.
  async replace(toml) {
    const bar = await ask("problem", { toml, dialect: this.dialect });
    this.wanted = {};
    if (bar.toml !== this.toml) sessionStorage.setItem(OPENED, String(Date.now()));
    this.#take(bar);
  }

  async #ask(question, names, accepted) {
    try {
      const bar = await this.send(question);
      if (bar === null) return;
      accepted();
      this.#take(bar);
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
    this.changed();
  }

  #take(bar) {
    this.bar = bar;
    sessionStorage.setItem(PROBLEM, bar.toml);
    if (this.joined) this.#tell();
    this.changed();
  }
}

// The settings of a view, which outlive a change to another view and a reload.
export function settingsOf(view) {
  return JSON.parse(sessionStorage.getItem(`${SETTINGS}-${view}`) ?? "{}");
}

export function keepSettings(view, settings) {
  sessionStorage.setItem(`${SETTINGS}-${view}`, JSON.stringify(settings));
}
