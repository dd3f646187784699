// Long work on the server, followed by long polls; it ends with the page, by Stop, or with the server.

import { ask, end, look } from "./api.js";

const WAIT = 1; // seconds of a poll: the share that is done moves between two results

// Starts a job and calls `heard({share, running, results, error})` with every news; `failed(error)` where it cannot start
// or the server is gone.
export function begin(kind, question, heard, failed) {
  let stopped = false;
  let id = null;

  async function follow() {
    id = (await ask(`jobs/${kind}`, question)).id;
    let after = -1;
    let running = true;
    while (running && !stopped) {
      const state = await look(`jobs/${id}?after=${after}&seconds=${WAIT}`);
      ({ version: after, running } = state);
      if (!stopped) heard(state);
    }
    if (stopped && running) await end(`jobs/${id}`);
  }

  const done = follow().catch(failed);
  return {
    done,
    // Its number on the server, which keeps its results; null before it has begun.
    get id() {
      return id;
    },
    // The result so far stays; `heard` is told that nothing runs any more.
    async stop() {
      if (stopped) return;
      stopped = true;
      if (id !== null) await end(`jobs/${id}`).catch(() => {});
      heard({ running: false, stopped: true, results: [], error: null });
    },
  };
}
