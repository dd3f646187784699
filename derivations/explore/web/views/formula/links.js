// Links of a question: its address, the command that opens it, and the claims of the book on its average.

import { LostError } from "../../lib/api.js";
import { copying } from "../../lib/copy.js";
import { h, written } from "../../lib/dom.js";

const NAMES = ["line", "cov", "mean", "where", "digits", "against"];

// The question of the page's address; null where it has none.
export function questionOfAddress() {
  const given = Object.fromEntries(new URLSearchParams(location.hash.split("?")[1] ?? ""));
  return given.line ? given : null;
}

// The view with a question, as an address has it: formula?line=...
export function viewOf(question) {
  const given = NAMES.filter((name) => question[name]).map((name) => [name, question[name]]);
  return `formula?${new URLSearchParams(given)}`;
}

export class Links {
  constructor(context) {
    this.context = context;
    this.claims = h("div", { class: "links" });
    this.copies = h("div", { class: "files" });
  }

  // Shows the links of an answered question; the claims follow, as the server takes a second to load their catalog.
  async show(question) {
    const { announce, addressOf } = this.context;
    const view = viewOf(question);
    this.copies.replaceChildren(
      copying("Copy a link to this formula, for this session", () => addressOf(view), announce),
      copying("Copy the command that opens it", () => `gdln explore --at '#/${view}'`, announce));
    this.claims.replaceChildren();
    try {
      const found = await this.context.ask({ ...question, want: "claims" });
      if (found) this.claims.replaceChildren(...this.#inTheBook(found.claims));
    } catch (error) {
      if (!(error instanceof LostError)) throw error;
    }
  }

  #inTheBook(claims) {
    if (!claims.length) return [h("p", {}, "No claim of the book states this average.")];
    return [h("h2", {}, "Where the book derives this"), h("ul", {}, claims.map((claim) => this.#item(claim)))];
  }

  #item({ id, title, page }) {
    const command = `gdln derive ${page}`;
    const name = h("code", {}, id);
    const place = this.context.site
      ? h("a", { href: `site/claims/${id}.html`, target: "_blank", rel: "opener" }, name) // the tab keeps the token
      : [name, " ", copying(`Copy ${command}`, () => command, this.context.announce)];
    return h("li", {}, h("div", {}, written("span", {}, title)), place);
  }
}
