// The browser's history: each entry has the problem that was shown, so that Back and Forward restore it with its view.

const REST = 1000; // milliseconds between two moves of controls that are two steps of the history
const LARGEST = 200_000; // letters: a longer problem, with examples written out, is not kept

export class Past {
  // `problem()` is the text of the present problem; `restore(toml)` shows another, and returns when it is there.
  constructor({ problem, restore }) {
    this.problem = problem;
    this.restore = restore;
    this.moved = 0;
    this.restoring = Promise.resolve();
    addEventListener("popstate", ({ state }) => this.#popped(state));
  }

  // Takes note of a problem that is shown from now on. Moves that follow each other at once are one step.
  note(how) {
    const now = performance.now();
    const step = how === "opened" || (how === "moved" && now - this.moved > REST);
    if (how === "moved") this.moved = now;
    if (step && history.state?.problem !== this.problem()) history.pushState(this.#state, "");
    else this.stamp();
  }

  // Gives the present entry its problem, and `address` where one is given.
  stamp(address = undefined) {
    history.replaceState(this.#state, "", address);
  }

  get #state() {
    const problem = this.problem();
    return problem.length > LARGEST ? {} : { problem };
  }

  // A link to another view makes an entry without a state: it shows the present problem.
  #popped(state) {
    if (state === null) this.stamp();
    else if (state.problem && state.problem !== this.problem()) this.restoring = this.restore(state.problem);
  }
}
