// The frame of every figure: title, caption, legend, and a drawing as wide as the place it stands in.

const NARROWEST = 200; // pixels; a place without a width yet is not drawn into

/**
 * Return a function `(data, options) -> figure element` from `draw(data, options, width, before)`.
 *
 * `before` is the drawing that is replaced, or null. `draw` returns `{drawing, legend}`: an element, and the items
 * {name, colour, mark} that explain it, or elements.
 * `options` have a `title` and a `caption` (a sentence on what is seen), also for readers who cannot see it. The element
 * has `update(data, options)`, which draws again in place.
 */
export function framed(draw) {
  return (data, options) => {
    const figure = document.createElement("figure");
    figure.className = "figure";
    figure.innerHTML = `<figcaption><span class="figure-title"></span> <span class="figure-caption"></span></figcaption>
      <ul class="figure-legend"></ul><div class="figure-area"></div>`;
    const [title, caption, legend, area] = [".figure-title", ".figure-caption", ".figure-legend", ".figure-area"].map(
      (part) => figure.querySelector(part),
    );
    let now = { data, options };
    let drawn = 0;

    function redraw(width) {
      drawn = width;
      if (width < NARROWEST) return;
      const before = area.firstElementChild;
      const focused = before?.contains(document.activeElement);
      const made = draw(now.data, now.options, width, before);
      describe(made.drawing, `${now.options.title}. ${now.options.caption ?? ""}`);
      area.replaceChildren(made.drawing);
      if (focused) made.drawing.focus(); // the keys go on with the new drawing
      legend.replaceChildren(...(made.legend ?? []).map(legendItem));
    }

    figure.update = (nextData, nextOptions = now.options) => {
      now = { data: nextData, options: nextOptions };
      title.textContent = nextOptions.title;
      caption.textContent = nextOptions.caption ?? "";
      redraw(drawn); // to measure the place anew would lay out the page once for each figure
    };
    new ResizeObserver(() => {
      const width = Math.floor(area.clientWidth);
      if (width !== drawn) redraw(width);
    }).observe(area);
    figure.update(data, options);
    return figure;
  };
}

function describe(drawing, words) {
  if (!drawing.hasAttribute("role")) drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", words);
  for (const part of drawing.querySelectorAll("svg")) part.setAttribute("aria-hidden", "true");
}

function legendItem(item) {
  const entry = document.createElement("li");
  if (item instanceof Element) {
    entry.append(item);
    return entry;
  }
  const swatch = document.createElement("span");
  swatch.className = `swatch swatch-${item.mark ?? "line"}`;
  swatch.style.setProperty("--swatch", item.colour);
  entry.append(swatch, item.name);
  return entry;
}

/** Return a height for a drawing of this width: `share` of it, within limits that suit a phone and a projector. */
export function heightOf(width, share = 0.55) {
  return Math.round(Math.max(220, Math.min(440, width * share)));
}
