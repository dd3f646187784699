// Shows the claims that have all words of the filter and the verdict, and opens the one that the address names.
const words = document.getElementById("words"), verdict = document.getElementById("verdict");
const claims = [...document.querySelectorAll("details[data-verdict]")];
function filter() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const claim of claims) {
    const text = claim.firstElementChild.textContent.toLowerCase();
    claim.hidden = !wanted.every((word) => text.includes(word)) || (verdict.value && verdict.value !== claim.dataset.verdict);
  }
  document.getElementById("count").value = `${claims.filter((claim) => !claim.hidden).length} of ${claims.length}`;
}
function open() {
  const claim = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (claim?.tagName === "DETAILS") claim.open = true;
}
words.addEventListener("input", filter);
verdict.addEventListener("change", filter);
addEventListener("hashchange", open);
filter();
open();
