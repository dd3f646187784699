// Shows the link that opens the question of a claim in the explorer. The explorer answers a tab that has the token of its
// session, so the link is shown where the explorer serves this page and such a tab opened it.
"use strict";
if (location.protocol.startsWith("http") && location.pathname.startsWith("/site/")) {
  const place = document.getElementById("in-explorer");
  if (sessionStorage.getItem("gdln-token")) {
    const link = document.createElement("a");
    link.href = `/${place.dataset.question}`;
    link.textContent = "Open this formula in the explorer";
    place.append(link);
    place.hidden = false;
  }
}
