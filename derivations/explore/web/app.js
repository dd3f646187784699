// Start, navigation and routing: the address #/fields shows web/views/fields.js below the problem bar.

import { LostError, TokenError, addressOf, ask, latest } from "./lib/api.js";
import { Bar } from "./lib/bar.js";
import { inTheBook } from "./lib/chapters.js";
import { copying } from "./lib/copy.js";
import { h } from "./lib/dom.js";
import { begin } from "./lib/jobs.js";
import { Past } from "./lib/past.js";
import { Problem, keepSettings, settingsOf } from "./lib/state.js";
import { printing } from "./lib/print.js";
import { Theme } from "./lib/theme.js";

const [banner, barRoot, folds, nav, main, live] = ["banner", "bar", "folds", "nav", "main", "live"].map((id) => document.getElementById(id));
const FIRST = "start";
let views = [];
let site = false; // whether the server has the site of the book
let wanted = null; // the name of the view that is shown or loads
let shown = null; // {name, context, view}; null while a view loads
const left = new Map(); // work that goes on while another view is shown, by its kind

const theme = new Theme();
const problem = new Problem({ changed: onChange, refused: onRefusal });
const bar = new Bar(barRoot, folds, { problem, theme });
const past = new Past({ problem: () => problem.toml, restore: (toml) => problem.restore(toml).catch(onRefusal) });

function announce(text) {
  live.textContent = text;
}

function onChange(how) {
  // It belongs to another problem now.
  for (const job of left.values()) job.stop();
  left.clear();
  bar.show();
  past.note(how);
  shown?.view.update();
}

function onRefusal(error, names = []) {
  if (error instanceof LostError) lost(error);
  else if (error.remedy === undefined) throw error;
  else bar.refuse(error, names);
}

// The server runs, but this tab was opened without the token: the printed address has it.
function locked(error) {
  const view = location.hash.replace(/^#\//, "");
  banner.replaceChildren(h("p", {}, h("strong", {}, `${error.message} `), "Each tab needs it once. Open the address that ",
    h("code", {}, "gdln explore"), " printed, or a link that an open tab of the explorer gives",
    ...(view ? ["; to open what this address asks for, put ", h("code", {}, `&view=${view}`), " behind the token."] : ["."])));
  banner.hidden = false;
}

// The server is gone: the page keeps what it shows, and says how to come back with this problem.
function lost(error) {
  if (!banner.hidden) return;
  if (error instanceof TokenError) {
    locked(error);
    return;
  }
  const text = h("textarea", { readonly: true, rows: 6, "aria-label": "The problem as TOML" });
  text.value = problem.bar?.toml ?? "";
  const copy = copying("Copy the problem", () => text.value, announce);
  banner.replaceChildren(
    h("p", {}, h("strong", {}, `${error.message} `), "What you see stays. To go on, save this problem as problem.toml and run ",
      h("code", {}, "gdln explore problem.toml"), "."),
    problem.bar === null ? "" : h("details", {}, h("summary", {}, "The problem"), text), problem.bar === null ? "" : copy);
  banner.hidden = false;
}

// What a view may do, and what it knows.
function contextOf(name) {
  const jobs = new Set();
  const channels = new Map();
  const gone = new AbortController();
  let settings = settingsOf(name);
  let moved = [];
  return {
    name,
    problem,
    theme,
    announce,
    addressOf,
    jobs,
    site,
    get settings() {
      return settings;
    },
    get notes() {
      return problem.bar.notes;
    },
    // The answer of the server's view; null where a newer question has replaced this one, or the view was left.
    // Questions on one channel wait for each other.
    async ask(given = settings, channel = given.want ?? "") {
      if (!channels.has(channel)) channels.set(channel, latest((question) => ask(`views/${name}`, question, gone.signal)));
      try {
        return await channels.get(channel)({ toml: problem.toml, settings: given });
      } catch (error) {
        if (gone.signal.aborted) return null;
        if (error instanceof LostError) lost(error);
        throw error;
      }
    },
    job(kind, given, heard) {
      const job = begin(kind, { toml: problem.toml, settings: { view: name, ...given } }, heard, (error, listener) => {
        if (error instanceof LostError) lost(error);
        else listener({ running: false, results: [], error });
      });
      jobs.add(job);
      job.done.finally(() => jobs.delete(job));
      return job;
    },
    // Nobody waits any more for what this view has asked.
    leaveAll() {
      gone.abort();
      for (const job of jobs) job.stop();
    },
    leave(kind, job) {
      jobs.delete(job);
      left.set(kind, job);
    },
    resume(kind) {
      const job = left.get(kind) ?? null;
      if (left.delete(kind)) jobs.add(job);
      return job;
    },
    choose(change) {
      settings = { ...settings, ...change };
      keepSettings(name, settings);
    },
    set: (values) => problem.set(values),
    move: (toml) => problem.move(toml),
    edit: () => bar.edit(),
    // Shows the address of a question of this view, in the present place of the history.
    address: (view) => past.stamp(`#/${view}`),
    // Shows a problem that this view offers.
    borrow: (toml) => problem.borrow(toml, false),
    // Opens a preset in a view: one step of the history.
    async choosePreset(toml, view) {
      await problem.borrow(toml, true);
      past.stamp(`#/${view}`);
      await route();
    },
  };
}

async function open(name) {
  const known = views.find((view) => view.name === name) ?? views[0];
  if (wanted === known.name) {
    shown?.view.visit?.();
    return;
  }
  wanted = known.name;
  shown?.view.destroy();
  shown?.context.leaveAll();
  shown = null;
  for (const link of nav.querySelectorAll("a")) {
    if (link.dataset.view === known.name) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else link.removeAttribute("aria-current");
  }
  document.body.dataset.view = known.name;
  document.title = `${known.title} · gdln explore`;
  const root = h("div", { class: `view view-${known.name}` });
  main.replaceChildren(...[h("h1", {}, known.question), inTheBook(known.chapters, site, announce), root].filter(Boolean));
  const module = await import(`./views/${known.name}.js`);
  if (!root.isConnected) return;
  const context = contextOf(known.name);
  shown = { name: known.name, context, view: module.mount(root, context) };
  await shown.view.update();
}

function nameInAddress() {
  return /^#\/(\w+)/.exec(location.hash)?.[1] ?? FIRST;
}

async function route() {
  await past.restoring;
  await open(nameInAddress());
}

async function start() {
  try {
    import(`./views/${nameInAddress()}.js`).catch(() => null); // loads while the server answers; `open` uses it or another
    const first = await ask("start");
    ({ views, site } = first);
    nav.replaceChildren(h("ul", {}, views.map(({ name, title }) => h("li", {}, h("a", { href: `#/${name}`, "data-view": name }, title)))));
    await problem.begin(first);
    bar.show();
    past.stamp();
    addEventListener("hashchange", route);
    // Nobody follows the work of a page that is closed or loaded again.
    addEventListener("pagehide", () => {
      for (const job of [...(shown?.context.jobs ?? []), ...left.values()]) job.stop();
    });
    // What stays in its place while the page scrolls stands below the bar, however high it is.
    new ResizeObserver(() => document.documentElement.style.setProperty("--bar", `${barRoot.offsetHeight}px`)).observe(barRoot);
    await route();
  } catch (error) {
    if (!(error instanceof LostError)) throw error;
    main.replaceChildren();
    lost(error);
  }
}

printing(() => main.querySelector(".panel-figure:not([hidden])"));
start();
