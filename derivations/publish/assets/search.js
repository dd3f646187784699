// Searches the sections of the book and the claims for all words of the question. The index is a script, which a page
// may load without a server.
"use strict";
{
  const MOST = 40;
  const BEFORE = 60, AFTER = 160; // characters shown around the first word found
  const input = document.querySelector("main input[name=q]");
  const list = document.getElementById("results");
  const count = document.getElementById("count");
  const index = window.GDLN_INDEX.map((entry) => ({ ...entry, low: `${entry.title} ${entry.page} ${entry.text}`.toLowerCase() }));

  const wordsOf = (question) => question.toLowerCase().split(/\s+/).filter(Boolean);

  // A word in the title or the name of the page counts more than one in the text, and the whole title most.
  function score(entry, words) {
    const title = `${entry.title} ${entry.page}`.toLowerCase();
    if (!words.every((word) => entry.low.includes(word))) return 0;
    const inTitle = words.filter((word) => title.includes(word)).length;
    return 1 + 10 * inTitle + (entry.title.toLowerCase() === words.join(" ") ? 100 : 0);
  }

  function marked(text, words) {
    const low = text.toLowerCase();
    const first = Math.min(...words.map((word) => low.indexOf(word)).filter((at) => at >= 0), text.length);
    const early = Math.max(0, first - BEFORE);
    const start = first === text.length || early === 0 ? 0 : text.indexOf(" ", early) + 1;
    const piece = text.slice(start, start + BEFORE + AFTER);
    const paragraph = document.createElement("p");
    if (start > 0) paragraph.append("… ");
    const lowPiece = piece.toLowerCase();
    let at = 0;
    while (at < piece.length) {
      const next = words.map((word) => [lowPiece.indexOf(word, at), word.length]).filter(([where]) => where >= 0);
      if (!next.length) break;
      const [where, length] = next.reduce((a, b) => (b[0] < a[0] ? b : a));
      const mark = document.createElement("mark");
      mark.textContent = piece.slice(where, where + length);
      paragraph.append(piece.slice(at, where), mark);
      at = where + length;
    }
    paragraph.append(piece.slice(at));
    if (start + piece.length < text.length) paragraph.append(" …");
    return paragraph;
  }

  function item(entry, words) {
    const line = document.createElement("li");
    const link = document.createElement("a");
    link.href = entry.url;
    link.textContent = entry.title;
    const where = document.createElement("small");
    where.textContent = ` ${entry.page}`;
    line.append(link, where, marked(entry.text, words));
    return line;
  }

  function search() {
    const words = wordsOf(input.value);
    const found = words.length ? index.map((entry) => [score(entry, words), entry]).filter(([value]) => value > 0) : [];
    found.sort(([a], [b]) => b - a);
    const rest = found.length > MOST ? `, the first ${MOST} of them` : "";
    count.textContent = words.length ? `${found.length} found${rest}` : "Type words; all of them must occur.";
    list.replaceChildren(...found.slice(0, MOST).map(([, entry]) => item(entry, words)));
  }

  input.value = new URLSearchParams(location.search).get("q") ?? "";
  input.addEventListener("input", search);
  search();
}
