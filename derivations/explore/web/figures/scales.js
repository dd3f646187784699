// Numbers as text, ticks and the options of an axis.
import { d3 } from "./libraries.js";

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const LETTER = 7.2; // pixels of a digit in the text of a figure
const BELOW = 38; // pixels from the axis to the foot of its name, with room for descenders
const PIXELS_PER_TICK = { x: 64, y: 45 };

/** Return a number as text, with `digits` significant digits at most and a power of ten where it is very large or small. */
export function number(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size >= 6 || size < -4) {
    const [factor, exponent] = value.toExponential(digits - 1).split("e");
    const mantissa = String(Number(factor));
    const power = `10${superscript(Number(exponent))}`;
    return signed(mantissa === "1" ? power : mantissa === "-1" ? `-${power}` : `${mantissa} × ${power}`);
  }
  return signed(String(Number(value.toPrecision(digits))));
}

function signed(text) {
  return text.replace(/^-/, "−");
}

function superscript(integer) {
  const digits = [...String(Math.abs(integer))].map((digit) => SUPERSCRIPTS[Number(digit)]).join("");
  return integer < 0 ? `⁻${digits}` : digits;
}

/** Return the name of an axis with its unit. */
export function titled({ label, unit }) {
  return unit ? `${label} (${unit})` : label;
}

/** Return the ticks of a logarithmic axis: 1, 3, 10, 30 over few decades, powers of ten over many. */
export function logTicks([low, high], most) {
  const decades = d3.range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)) + 1);
  const inside = (tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9);
  const step = Math.max(1, Math.ceil(decades.length / most));
  const sparse = decades.filter((decade) => decade % step === 0).map((decade) => 10 ** decade).filter(inside);
  const [ones, threes, many] = [[1], [1, 3], [1, 2, 3, 5]].map((factors) =>
    decades.flatMap((decade) => factors.map((factor) => factor * 10 ** decade)).filter(inside));
  const fitting = [many.length <= 5 ? many : [], threes, ones].find((ticks) => ticks.length > 1 && ticks.length <= most + 1);
  return fitting ?? (sparse.length > 1 ? sparse : d3.ticks(low, high, Math.min(4, most)));
}

/** Return the smallest interval that holds the values and, where asked, zero; with a margin, so that no line is cut. */
export function domainOf(axis, values) {
  if (axis.domain) return axis.domain;
  const usable = values.filter((value) => Number.isFinite(value) && (!axis.log || value > 0));
  let [low, high] = usable.length ? d3.extent(usable) : [axis.log ? 1 : 0, axis.log ? 10 : 1];
  if (axis.zero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  if (low === high) [low, high] = axis.log ? [low / 2, high * 2] : [low - 0.5, high + 0.5];
  if (axis.tight || axis.log) return [low, high];
  const margin = 0.04 * (high - low);
  return [axis.zero && low === 0 ? 0 : low - margin, axis.zero && high === 0 ? 0 : high + margin];
}

/** Return Plot's options of the axis `side` ("x" or "y") of so many pixels, whose values lie in `domain`. */
export function scaleOf(axis, side, domain, pixels) {
  const most = Math.max(2, Math.floor(pixels / PIXELS_PER_TICK[side]));
  let ticks = axis.ticks ?? (axis.log ? logTicks(domain, most) : d3.ticks(...domain, most));
  if (axis.integer) ticks = ticks.filter(Number.isInteger);
  return {
    type: axis.log ? "log" : "linear",
    domain,
    ticks,
    tickFormat: (tick) => number(tick, 6),
    label: titled(axis),
    labelArrow: "none",
    ...(side === "x" ? { labelAnchor: "center", labelOffset: BELOW } : { labelAnchor: "top" }),
  };
}

/** Return a function that gives the pixel of a value on an axis with this domain between two ends in pixels. */
export function placeOf({ log }, domain, ends) {
  return (log ? d3.scaleLog : d3.scaleLinear)(domain, ends);
}

/** Return the width in pixels that the numbers beside the axis y need. */
export function marginOf(scale) {
  const longest = d3.max(scale.ticks, (tick) => scale.tickFormat(tick).length) ?? 1;
  return Math.ceil(LETTER * longest) + 14;
}
