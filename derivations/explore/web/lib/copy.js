// A button that copies a text and says so.

import { h } from "./dom.js";

// `text()` is copied; `announce(words)` tells readers who cannot see the button.
export function copying(label, text, announce) {
  const button = h("button", { type: "button", class: "quiet" }, label);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text());
    announce("Copied.");
    button.textContent = "Copied";
  });
  return button;
}
