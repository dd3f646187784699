// The start page: a card for each problem to begin with, and one for the user's own.

import { LostError } from "../lib/api.js";
import { h } from "../lib/dom.js";

const [WIDTH, HEIGHT, MARGIN] = [240, 96, 6];
const LINES = 6; // of a problem file
const SPACE = "http://www.w3.org/2000/svg";

export function mount(root, context) {
  const cards = h("ul", { class: "cards" });
  root.replaceChildren(h("p", { class: "finding" },
    "Begin with a problem; every view then shows it, and the controls above change it."), cards);
  let drawn = false;

  async function open({ toml, view }) {
    await context.choosePreset(toml, view);
  }

  // The first lines of the present problem: the picture of a problem file.
  function beginning() {
    return h("pre", { class: "card-text", "aria-hidden": "true" }, context.problem.toml.split("\n").slice(0, LINES).join("\n"));
  }

  function show({ presets }) {
    cards.replaceChildren(...presets.map((preset) => card(preset, picture([]), () => open(preset))),
      card({ title: "Your own", draws: "The present problem as TOML", says: "Any problem file: edit the present one, or start gdln explore FILE." }, beginning(), context.edit));
  }

  // The cards stay, so that one of them may have the focus.
  function fill({ pictures }) {
    for (const [place, svg] of cards.querySelectorAll("svg").entries()) svg.replaceWith(picture(pictures[place].curves));
  }

  return {
    // The cards do not depend on the problem: they are drawn once, at first without pictures.
    async update() {
      if (drawn) return;
      drawn = true;
      try {
        for (const [question, draw] of [[{}, show], [{ pictures: true }, fill]]) {
          const answer = await context.ask(question);
          if (answer === null) return; // the page was left
          draw(answer);
        }
      } catch (error) {
        if (!(error instanceof LostError)) throw error;
      }
    },
    destroy: () => {},
  };
}

function card({ title, says, draws }, image, open) {
  return h("li", {}, h("button", { type: "button", class: "card", onclick: open },
    image, h("span", { class: "card-draws" }, draws), h("span", { class: "card-title" }, title), h("span", { class: "card-says" }, says)));
}

// Curves on one scale, without axes: the words below say what they are.
function picture(curves) {
  const svg = document.createElementNS(SPACE, "svg");
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("aria-hidden", "true");
  const all = curves.flatMap((curve) => curve.y);
  const [low, high] = [Math.min(0, ...all), Math.max(...all)];
  for (const { y, colour } of curves) {
    const line = document.createElementNS(SPACE, "polyline");
    const across = (place) => MARGIN + (place / (y.length - 1)) * (WIDTH - 2 * MARGIN);
    const up = (value) => HEIGHT - MARGIN - ((value - low) / (high - low)) * (HEIGHT - 2 * MARGIN);
    line.setAttribute("points", y.map((value, place) => `${across(place)},${up(value)}`).join(" "));
    line.style.stroke = `var(--${colour})`;
    svg.append(line);
  }
  return svg;
}
