// Long work on the server, followed by long polls; it ends with the page, by Stop, or with the server.

import { ask, end, look } from "./api.js";

const WAIT = 1; // seconds of a poll: the share that is done moves between two results

// Starts a job and calls `heard({share, running, results, error})` with every news; `failed(error, heard)` where it
// cannot start or the server is gone.
export function begin(kind, question, heard, failed) {
  let stopped = false;
  let id = null;
  let listener = heard;
  let running = true;
  let done = start().catch((error) => failed(error, listener));

  async function start() {
    id = (await ask(`jobs/${kind}`, question)).id;
    await follow();
  }

  // An answer that was on its way to an earlier listener is asked for again.
  async function follow() {
    let [told, after] = [listener, -1];
    while (running && !stopped) {
      const state = await look(`jobs/${id}?after=${after}&seconds=${WAIT}`);
      if (told !== listener) [told, after] = [listener, -1];
      else {
        ({ version: after, running } = state);
        if (!stopped) listener(state);
      }
    }
    if (stopped && running) await end(`jobs/${id}`);
  }

  return {
    get done() {
      return done;
    },
    // Tells another listener all results, from the first one, and whatever follows.
    listen(other) {
      listener = other;
      if (running) return;
      running = true;
      done = follow().catch((error) => failed(error, listener));
    },
    // Its number on the server, which keeps its results; null before it has begun.
    get id() {
      return id;
    },
    // The result so far stays; `heard` is told that nothing runs any more.
    async stop() {
      if (stopped) return;
      stopped = true;
      if (id !== null) await end(`jobs/${id}`).catch(() => {});
      listener({ running: false, stopped: true, results: [], error: null });
    },
  };
}
