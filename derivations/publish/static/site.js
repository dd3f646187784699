// From the disk a page may not read others, so the search shows no passages there.
DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = location.protocol !== "file:";
// The link that opens the question of a claim in the explorer, where the explorer serves this page to a tab with its token.
addEventListener("DOMContentLoaded", () => {
  document.body.dataset.theme = localStorage.getItem("theme") || "auto"; // the explorer runs no script within a page
  const place = document.getElementById("in-explorer");
  if (place && location.pathname.startsWith("/site/") && sessionStorage.getItem("gdln-token")) {
    place.firstElementChild.href = `/${place.dataset.question}`;
    place.hidden = false;
  }
});
