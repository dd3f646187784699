// Chapters of the book behind a view: links where the server has the site of the book, else commands that make them.

import { copying } from "./copy.js";
import { h } from "./dom.js";

// `chapters` are {page, title}; null where there is none.
export function inTheBook(chapters, site, announce) {
  if (!chapters.length) return null;
  const entries = chapters.map(({ page, title }) => {
    const command = `gdln derive ${page}`;
    return site
      ? h("a", { href: `site/book/${page}.html`, target: "_blank", rel: "opener" }, title) // the tab keeps the token
      : h("span", {}, title, " ", copying(`Copy ${command}`, () => command, announce));
  });
  return h("p", { class: "in-book" }, "In the book: ", ...entries.flatMap((entry, k) => (k ? [" · ", entry] : [entry])));
}
