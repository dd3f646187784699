// A figure as a file: SVG with its colours written out, or PNG.

const PROPERTIES = ["fill", "stroke", "color", "font-family", "font-size", "font-weight", "opacity"];
const SPACE = "http://www.w3.org/2000/svg";
const MARGIN = 12;
const DENSITY = 2; // pixels of a PNG for each pixel of the page

/** Return the text of an SVG with the title, the legend and the drawing of a figure, as they stand on the page. */
export function svgOf(figure) {
  const box = figure.getBoundingClientRect();
  const [width, height] = [Math.ceil(box.width) + 2 * MARGIN, Math.ceil(box.height) + 2 * MARGIN];
  const whole = element("svg", { xmlns: SPACE, width, height, viewBox: `0 0 ${width} ${height}` });
  whole.append(element("rect", { width, height, fill: getComputedStyle(document.body).backgroundColor }));
  const place = (part) => {
    const at = part.getBoundingClientRect();
    return { x: at.left - box.left + MARGIN, y: at.top - box.top + MARGIN, width: at.width, height: at.height };
  };
  for (const swatch of figure.querySelectorAll(".swatch")) whole.append(markOf(swatch, place(swatch)));
  for (const text of textsOf(figure)) whole.append(...linesOf(text, place));
  for (const svg of figure.querySelectorAll("svg")) {
    const copy = written(svg);
    for (const [name, value] of Object.entries(place(svg))) copy.setAttribute(name, value);
    copy.setAttribute("overflow", "visible");
    whole.append(copy);
  }
  return new XMLSerializer().serializeToString(whole);
}

/** Return a figure as a PNG, at twice the density of the page. */
export async function pngOf(figure) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgOf(figure))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width * DENSITY, image.height * DENSITY];
  const pixels = canvas.getContext("2d");
  pixels.scale(DENSITY, DENSITY);
  pixels.drawImage(image, 0, 0);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

/** Return an element of SVG with these attributes. */
export function element(name, attributes) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** Return a copy of an SVG whose colours and letters no longer depend on the style sheets of the page. */
function written(svg) {
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((part, index) => {
    const style = getComputedStyle(originals[index]);
    for (const property of PROPERTIES) part.style.setProperty(property, style.getPropertyValue(property));
  });
  return copy;
}

function markOf(swatch, { x, y, width, height }) {
  const style = getComputedStyle(swatch);
  const colour = style.borderTopColor;
  const filled = style.backgroundColor !== "rgba(0, 0, 0, 0)";
  const fill = filled ? style.backgroundColor : height > 4 ? "none" : colour;
  const radius = style.borderRadius === "50%" ? width / 2 : 0;
  const outline = filled || height <= 4 ? {} : { stroke: colour, "stroke-width": 2 };
  return element("rect", { x, y, width, height, rx: radius, fill, opacity: style.opacity, ...outline });
}

function textsOf(figure) {
  const walker = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!parent.closest("svg, .figure-tip") && walker.currentNode.data.trim()) found.push(walker.currentNode);
  }
  return found;
}

/** Return a text of the page as lines of SVG text, broken where the page breaks them. */
function linesOf(text, place) {
  const style = getComputedStyle(text.parentElement);
  const range = document.createRange();
  const lines = [];
  for (const word of text.data.matchAll(/\S+/g)) {
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].length);
    const at = place(range);
    const last = lines.at(-1);
    if (last && Math.abs(last.y - at.y) < at.height / 2) last.words.push(word[0]);
    else lines.push({ ...at, words: [word[0]] });
  }
  return lines.map(({ x, y, height, words }) => {
    const line = element("text", {
      x, y: y + 0.78 * height, fill: style.color,
      "font-family": style.fontFamily, "font-size": style.fontSize, "font-weight": style.fontWeight,
    });
    line.textContent = words.join(" ");
    return line;
  });
}
