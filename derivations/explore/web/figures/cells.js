// The geometry and the picture of a rectangle of cells.

/** Return the edges of cells around their centres, halfway between them; halfway in the logarithm on a log axis. */
export function edgesOf(centres, log) {
  const [into, back] = log ? [Math.log, Math.exp] : [(value) => value, (value) => value];
  const at = centres.map(into);
  if (at.length === 1) return [back(at[0] - 0.5), back(at[0] + 0.5)];
  const middles = at.slice(1).map((value, k) => (value + at[k]) / 2);
  return [2 * at[0] - middles[0], ...middles, 2 * at.at(-1) - middles.at(-1)].map(back);
}

/** Return the cells as an image of one pixel each; `paint` gives the colour of a value, and what is no number stays clear. */
export function pictureOf(values, paint) {
  const canvas = document.createElement("canvas");
  [canvas.height, canvas.width] = [values.length, values[0].length];
  const pixels = canvas.getContext("2d");
  const image = pixels.createImageData(canvas.width, canvas.height);
  values.flat().forEach((value, index) => {
    if (!Number.isFinite(value)) return;
    const [red, green, blue, opacity] = paint(value);
    image.data.set([red, green, blue, Math.round(255 * opacity)], 4 * index);
  });
  pixels.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

/** Return the number of the interval between neighbouring edges that holds `value`, or null. */
export function cellAt(edges, value) {
  const cell = edges.findIndex((edge, k) => k + 1 < edges.length && value >= edge && value < edges[k + 1]);
  return cell < 0 ? null : cell;
}
