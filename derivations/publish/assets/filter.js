// Shows the rows of the claim index that have an entry with the verdict and the document chosen. The choice is in the
// address. Without this script the table shows all rows.
"use strict";
{
  const form = document.getElementById("filter");
  const rows = [...document.querySelectorAll("#claims tbody tr")];
  const count = document.getElementById("count");

  function show() {
    const { verdict, document: paper, text } = Object.fromEntries(new FormData(form));
    let left = 0;
    for (const row of rows) {
      const fits = row.dataset.entries.split(" ").some((entry) => {
        const [at, found] = entry.split(":");
        return (!verdict || verdict === found) && (!paper || paper === at);
      });
      row.hidden = !(fits && row.textContent.toLowerCase().includes(text.trim().toLowerCase()));
      left += !row.hidden;
    }
    count.textContent = `${left} of ${rows.length} claims`;
  }

  const given = new URLSearchParams(location.hash.slice(1));
  for (const [name, value] of given) if (form.elements[name]) form.elements[name].value = value;
  form.addEventListener("input", () => {
    const chosen = [...new FormData(form)].filter(([, value]) => value);
    history.replaceState(null, "", `#${new URLSearchParams(chosen)}`);
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  show();
}
