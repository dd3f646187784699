// A button that copies a text and says so.

import { h } from "./dom.js";

const SHOWN = 2000; // milliseconds for which the button says that it has copied

// `text()` is copied; `announce(words)` tells readers who cannot see the button.
export function copying(label, text, announce) {
  const button = h("button", { type: "button", class: "quiet" }, label);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text());
    announce("Copied.");
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = label), SHOWN);
  });
  return button;
}
