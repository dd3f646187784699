// Small multiples: the same kind of curves for several units or classes, on shared axes.
import { framed } from "./frame.js";
import { chart, domains, legendOf } from "./lines.js";

const NARROWEST = 250; // pixels of a panel
const GAP = 16;

/** Draw `data.panels` of {title, series, levels, points} beside each other; `options.own` gives each its own y. */
export const multiples = framed((data, options, width) => {
  const { panels } = data;
  const fitting = Math.max(1, Math.floor((width + GAP) / (NARROWEST + GAP)));
  const columns = Math.min(panels.length, options.columns ?? fitting, fitting);
  const each = Math.floor((width - GAP * (columns - 1)) / columns);
  const height = Math.round(Math.max(190, Math.min(300, each * 0.7)));
  const all = {
    series: panels.flatMap((panel) => panel.series),
    levels: panels.flatMap((panel) => panel.levels ?? []),
    points: panels.flatMap((panel) => panel.points ?? []),
  };
  const shared = options.own ? undefined : domains(all, options);
  const drawing = document.createElement("div");
  drawing.className = "figure-panels";
  drawing.style.gridTemplateColumns = `repeat(${columns}, ${each}px)`;
  for (const panel of panels) {
    const box = document.createElement("div");
    const title = document.createElement("div");
    title.className = "panel-title";
    title.textContent = panel.title;
    box.append(title, chart(panel, { ...options, shared, ...panel.axes }, each, height));
    drawing.append(box);
  }
  return { drawing, legend: legendOf(all) };
});
