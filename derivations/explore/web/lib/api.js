// Questions to the server. Each carries the problem that it is about: the server keeps none.

const KEY = "gdln-token";

// The token stands in the fragment of the printed address, perhaps with a view and its question:
// #token=...&view=formula?line=... It leaves the address bar and stays with this tab.
function takeToken() {
  const given = /^#token=([\w-]+)(?:&view=(\w+(?:\?.*)?))?$/.exec(location.hash);
  if (given) {
    sessionStorage.setItem(KEY, given[1]);
    const view = given[2] ? `#/${given[2]}` : "";
    history.replaceState(null, "", `${location.pathname}${location.search}${view}`);
  }
  return sessionStorage.getItem(KEY) ?? "";
}

const token = takeToken();

// A printed address that is opened in a tab of the explorer changes the fragment alone: the page begins anew with it.
addEventListener("hashchange", () => {
  if (!location.hash.startsWith("#token=")) return;
  takeToken();
  location.reload();
});

// The address that opens a view in another tab, for as long as the server runs.
export function addressOf(view) {
  return `${location.origin}/#token=${token}&view=${view}`;
}

// The library refuses a question: what is wrong, what to do, and the control that it is about.
export class RefusedError extends Error {
  constructor({ message, remedy, key }) {
    super(message);
    this.remedy = remedy;
    this.key = key;
  }
}

// The server does not answer, or does not know this page.
export class LostError extends Error {}

// The server answers, but this tab has never had a token.
export class TokenError extends LostError {}

// `signal` gives a question up: it then rejects with the signal's reason.
export async function ask(path, body = {}, signal = null) {
  return request(path, { method: "POST", body: JSON.stringify(body), signal });
}

export async function look(path) {
  return request(path, { method: "GET" });
}

// It arrives also where the page is closed meanwhile.
export async function end(path) {
  return request(path, { method: "DELETE", keepalive: true });
}

async function request(path, options) {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  let response;
  try {
    response = await fetch(`/api/${path}`, { ...options, headers });
  } catch {
    options.signal?.throwIfAborted();
    throw new LostError("The server does not answer.");
  }
  if (response.status === 401 && token === "") throw new TokenError("This tab lacks the token of the explorer.");
  if (response.status === 401) throw new LostError("This page belongs to a server that has ended.");
  const text = await response.text();
  if (response.ok) return JSON.parse(text, unpacked);
  if (response.status === 422) throw new RefusedError(JSON.parse(text).error);
  throw new RefusedError({ message: `The server failed (${response.status}).`, remedy: text.slice(0, 200), key: "" });
}

// Arrays in single precision come as base64 with their shape.
function unpacked(_key, value) {
  if (typeof value?.float32 !== "string") return value;
  const bytes = Uint8Array.from(atob(value.float32), (letter) => letter.charCodeAt(0));
  return nested(new Float32Array(bytes.buffer), value.shape);
}

function nested(numbers, shape) {
  if (shape.length < 2) return Array.from(numbers);
  const size = numbers.length / shape[0];
  return Array.from({ length: shape[0] }, (_, row) => nested(numbers.subarray(row * size, (row + 1) * size), shape.slice(1)));
}

// At most one question is under way and one waits; a newer question replaces the one that waits, which gets null.
export function latest(answer) {
  let running = false;
  let waiting = null;

  async function run(given) {
    running = true;
    try {
      return await answer(...given);
    } finally {
      running = false;
      if (waiting !== null) {
        const { given: next, settle } = waiting;
        waiting = null;
        settle(run(next));
      }
    }
  }

  return (...given) => {
    if (!running) return run(given);
    waiting?.settle(null);
    return new Promise((settle) => {
      waiting = { given, settle };
    });
  };
}
