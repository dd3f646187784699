// Many small images of one shape side by side, in the same colours: the fields of all units of all networks.
import { pictureOf } from "./cells.js";
import { colour } from "./colours.js";
import { framed } from "./frame.js";
import { paletteOf, scaleOfColours } from "./heat.js";
import { d3 } from "./libraries.js";

const GAP = 6; // pixels
const [SMALLEST, LARGEST] = [44, 110]; // pixels of a side of a tile

/** Draw `data.tiles` of {name, values}: rows of numbers, white (dark: the ground) at 0; `options.value` names them. */
export const tiles = framed((data, options, width) => {
  const shape = [data.tiles[0].values.length, data.tiles[0].values[0].length];
  const longest = Math.max(...shape);
  const side = Math.max(SMALLEST, Math.min(LARGEST, Math.floor((width + GAP) / Math.ceil(Math.sqrt(3 * data.tiles.length))) - GAP));
  const [height, across] = shape.map((count) => Math.round((side * count) / longest));
  const columns = Math.max(1, Math.floor((width + GAP) / (across + GAP)));
  const palette = paletteOf(options, data.tiles.flatMap(({ values }) => values.flat()));
  const { paint } = palette;
  const rows = Math.ceil(data.tiles.length / columns);
  const used = Math.min(columns, data.tiles.length);
  const svg = d3.create("svg").attr("width", used * (across + GAP) - GAP).attr("height", rows * (height + GAP) - GAP);
  data.tiles.forEach(({ name, values }, k) => {
    const [left, top] = [(k % columns) * (across + GAP), Math.floor(k / columns) * (height + GAP)];
    const place = svg.append("g").attr("transform", `translate(${left} ${top})`);
    place.append("title").text(name);
    place.append("image").attr("href", pictureOf(values, paint)).attr("preserveAspectRatio", "none")
      .attr("width", across).attr("height", height).style("image-rendering", "pixelated");
    place.append("rect").attr("x", 0.5).attr("y", 0.5).attr("width", across - 1).attr("height", height - 1)
      .attr("fill", "transparent").attr("stroke", colour("line"));
  });
  return { drawing: svg.node(), legend: [scaleOfColours(options, palette)] };
});
