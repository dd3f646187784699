// One figure of each kind, of made-up numbers.
import { bars } from "/figures/bars.js";
import { heat } from "/figures/heat.js";
import { histogram } from "/figures/histogram.js";
import { lines } from "/figures/lines.js";
import { multiples } from "/figures/multiples.js";
import { raster } from "/figures/raster.js";
import { pngOf, svgOf } from "/figures/save.js";
import { scatter } from "/figures/scatter.js";
import { tiles } from "/figures/tiles.js";

const range = (count) => [...Array(count).keys()];
const sites = range(41);
const bump = (width, sign = 1) => sites.map((site) => sign * Math.exp(-(((site - 20) / width) ** 2)));
const noisy = (values, size) => values.map((value, k) => value + size * Math.sin(12.9898 * (k + 1) + 78.2 * size));
const times = range(25).map((k) => 10 ** (-1 + k / 8));
const site = { label: "site", integer: true };

const field = lines(
  {
    series: [
      { name: "network 1", x: sites, y: noisy(bump(5), 0.08), colour: "relu", look: "faint" },
      { name: "ReLU networks, mean", x: sites, y: noisy(bump(5), 0.02), low: bump(4), high: bump(6), colour: "relu" },
      { name: "exact solution", x: sites, y: bump(5), colour: "theory" },
      { name: "networks ± 2 standard errors", x: sites, y: noisy(bump(4.6), 0.03), error: sites.map(() => 0.05),
        colour: "gated-linear", look: "marks" },
    ],
    levels: [{ name: "gate", x: 20 }],
  },
  { title: "Field of unit 1", caption: "The mean of the networks follows the exact solution.", x: site, y: { label: "w", unit: "y/x" } },
);

const losses = lines(
  { series: [{ name: "theory", x: times, y: times.map((t) => 0.28 + 0.22 * Math.exp(-t / 4)), colour: "theory" },
             { name: "flow limit", x: times, y: times.map((t) => 0.27 + 0.22 * Math.exp(-t / 3)), colour: "muted", look: "dash" }],
    points: [{ name: "counter-example", x: 10, y: 0.42 }] },
  { title: "Loss over time", caption: "Time is logarithmic.", x: { label: "t", unit: "τ", log: true }, y: { label: "⟨(y − ŷ)²⟩", unit: "y²" } },
);

const close = [["one site", 1], ["random", 3 / 786], ["sinusoid", 1.5 / 784], ["flat", 1 / 784]];
const levels = lines(
  { series: [{ name: "ratio", x: times, y: times.map((t) => 0.004 + 0.01 / (1 + t)), colour: "relu" }],
    levels: [...close.map(([name, y]) => ({ name, y })), ...["first", "second", "third"].map((name, k) => ({ name, x: 10 + k }))] },
  { title: "Levels close together", caption: "No word stands upon another.", height: 200, x: { label: "t", log: true }, y: { label: "ratio", log: true } },
);

const counted = histogram(
  { groups: [{ name: "ReLU", colour: "relu", values: range(64).map((k) => 0.1 + 0.05 * Math.sin(k * k)) }],
    levels: close.map(([name, x]) => ({ name, x })) },
  { title: "A histogram with levels close together", caption: "No word stands upon another.", x: { label: "ratio", domain: [0, 1] }, y: { label: "fields" } },
);

const images = tiles(
  { tiles: range(7).map((unit) => ({ name: `network 0, unit ${unit}`, values: range(6).map((row) => range(8).map((column) => Math.sin(unit + row * column))) })) },
  { title: "Every field", caption: "All units of one network.", value: { label: "w", unit: "y/x" } },
);

const small = multiples(
  { panels: range(4).map((unit) => ({ title: `unit ${unit + 1}`, series: [
    { name: "theory", x: sites, y: bump(3 + unit, unit % 2 ? -1 : 1), colour: "theory" },
    { name: "networks", x: sites, y: noisy(bump(3 + unit, unit % 2 ? -1 : 1), 0.04), colour: "gated-linear", look: "marks" }] })) },
  { title: "Fields of four units", caption: "All panels share both axes.", x: site, y: { label: "w", unit: "y/x" } },
);

const ratios = histogram(
  { groups: [{ name: "ReLU", colour: "relu", values: range(64).map((k) => 0.5 + 0.2 * Math.sin(k * k)) },
             { name: "gated linear", colour: "gated-linear", values: range(64).map((k) => 0.3 + 0.1 * Math.cos(3 * k * k)) }],
    levels: [{ name: "flat field", x: 0.025 }, { name: "noise", x: 0.075 }] },
  { title: "Participation ratio of 64 networks", caption: "The dashed levels are those of fields without a bump.",
    x: { label: "participation ratio", domain: [0, 1] }, y: { label: "networks" } },
);

const moments = heat(
  { values: sites.map((k) => sites.map((l) => 0.5 * Math.exp(-(((k - l) / 4) ** 2)) - 0.3 * Math.exp(-(((k + l - 40) / 9) ** 2)))) },
  { title: "Σxx(0, 1)", caption: "White (dark: the ground) is zero; both ends have the same size.", x: { ...site, label: "site l" },
    y: { ...site, label: "site k" }, value: { label: "Σxx", unit: "x²" }, down: true, square: true },
);

const gains = range(20).map((k) => 10 ** (-1 + k / 8));
const lengths = range(16).map((k) => 1 + k / 4);
const phase = { x: gains, y: lengths, dots: [{ x: 3, y: 3, value: 0.8, name: "64 networks" }], chosen: [4, 7],
  values: lengths.map((xi, j) => gains.map((gain, k) => (j * 20 + k > 250 ? null : 1 / (1 + (2 / gain) ** 2) / xi))) };
const map = heat(phase, {
  title: "Participation ratio", caption: "A click opens the field; dots are trained networks.",
  x: { label: "gain", log: true }, y: { label: "ξ₁", unit: "sites" }, value: { label: "participation ratio" },
  palette: "sequential", ends: [0, 1],
  onSelect: (row, column) => map.update({ ...phase, chosen: [row, column] }),
});

const gates = raster(
  { values: range(12).map((unit) => range(200).map((example) => (example * (unit + 3)) % 7 < 3 ? 1 : example % 29 === unit ? 2 : example % 31 === unit ? 3 : 0)) },
  { title: "Gates at t = 3 τ", caption: "Each row is a unit, each column an example.", x: { label: "example" }, y: { label: "unit" } },
);

const points = scatter(
  { groups: ["class-1", "class-2"].map((colour, c) => ({ name: `y = ${1 - c}, ξ = ${2 - c}`, colour,
    x: range(150).map((k) => Math.sin(k * (c + 2.3)) + 0.4 * Math.cos(k * k)), y: range(150).map((k) => Math.sin(k * (c + 2.3)) - 0.4 * Math.cos(k * k * (c + 1))) })) },
  { title: "Neighbouring sites", caption: "Each point is an example.", x: { label: "x₂₀" }, y: { label: "x₂₁" }, equal: true },
);

const strengths = bars(
  { bars: [{ name: "x → h → right → y", value: 1.2, error: 0.08, colour: "class-1" }, { name: "x → h → left → y", value: 0.7, error: 0.1, colour: "class-2" },
           { name: "x → h → y", value: -0.2, error: 0.05, colour: "muted" }], levels: [{ name: "theory", x: 1.1 }] },
  { title: "Strengths of paths", caption: "Bars are means of networks, lines two standard errors.", x: { label: "strength", unit: "y/x" } },
);

document.querySelector("main").append(field, losses, levels, counted, images, small, ratios, moments, map, gates, points, strengths);
Object.assign(window, { gallery: { field, map, moments, small, svgOf, pngOf, bump } });
