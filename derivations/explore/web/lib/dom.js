// Elements of the page: made from a name, attributes and children.

// h("button", { class: "quiet", onclick: run }, "Run"): text is never read as HTML.
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked" || key === "disabled" || key === "open") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// An element whose content the server has written as HTML: law's definitions, steps of a proof.
export function written(name, attributes, html) {
  const element = h(name, attributes);
  element.innerHTML = html;
  return element;
}

let count = 0;

// A name that no other element of the page has.
export function fresh(prefix) {
  count += 1;
  return `${prefix}-${count}`;
}

export function download(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
