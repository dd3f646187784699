// The inspector: a gate that opens where w·x >= 0, for weights that the reader draws.

import { image } from "../../fields/images.js";
import { lines } from "../../figures/lines.js";
import { pencil } from "../../figures/pencil.js";

export const WEIGHTS = "weights";
const COLOURS = { exact: "theory", "gate on the latent": 0, "central limit": 1, "large gain": 3 };

export function controlsOfWeights({ classes, class: c, presets }) {
  return [
    { name: "class", label: "inputs of", kind: "choice", value: String(c), options: classes.map((name, k) => [String(k), name]) },
    { name: "preset", label: "weights to start from", kind: "choice", value: presets[0], options: presets.map((name) => [name, name]) },
  ];
}

export function figuresOfWeights(answer, onDraw) {
  const share = answer.opened === null ? "" : ` It is open for ${opened(answer.opened)} % of the inputs.`;
  return [{
    key: "weights", make: pencil,
    data: { values: answer.w },
    options: {
      title: "Weights w of the gate",
      caption: `Draw them with the pointer, or with the arrow keys. The gate opens where w·x ≥ 0.${share}`,
      x: { label: "site" }, y: { label: "w" }, onDraw,
    },
  }, moment(answer), ...(answer.shape === null ? [] : [image({
    key: "image", title: "Weights over the grid", caption: "The sites of the grid row by row.", field: answer.w, shape: answer.shape, value: { label: "w" },
  })])];
}

// In per cent, with the ends of its interval: as many decimals as tell the ends apart.
function opened(share) {
  const per = share.map((own) => 100 * own);
  const decimals = Math.min(4, Math.max(1, Math.ceil(-Math.log10(per[2] - per[1]) + 1e-9)));
  const [middle, low, high] = per.map((own) => own.toFixed(decimals));
  return `${middle} (95 %: ${low} to ${high})`;
}

function moment({ w, moments, measured, errors, classes, class: c }) {
  const x = w.map((_, site) => site);
  // Where a formula is exact, the other exact ones are the same curve.
  const shown = moments.filter(({ name, exact }) => !exact || name === "exact");
  const samples = measured === null ? [] : [{ name: "samples ± 2 standard errors", colour: "gated-linear", x, y: measured,
    error: errors.map((error) => 2 * error), look: "marks" }];
  return {
    key: "moment", make: lines,
    data: { series: [...samples, ...shown.map(({ name, values, exact }) => ({
      name: exact ? name : `approximation: ${name}`, colour: COLOURS[name], x, y: values, look: exact ? "line" : "dash",
    }))] },
    options: {
      title: `Moment through the gate, ${classes[c]}`,
      caption: shown.some(({ exact }) => exact)
        ? "The inputs that pass the gate, on average: the exact formula, and samples that know none."
        : "The inputs that pass the gate, on average: no exact formula is known here; approximations and samples.",
      x: { label: "site k", integer: true }, y: { label: "E[1[w·x ≥ 0] x_k]", unit: "x", zero: true },
    },
  };
}
