// Small tools for the page. Every text reaches it through textContent, so that a name is never markup.
export const byId = (id) => document.getElementById(id);

export function make(name, attributes = {}, children = []) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") node.textContent = value;
    else if (value === true) node.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value);
  }
  node.append(...children.filter(Boolean));
  return node;
}

export function fill(node, children) {
  node.replaceChildren(...children.filter(Boolean));
  return node;
}

export function show(id, shown = true) {
  byId(id).hidden = !shown;
}

/** A sentence in a place for errors; nothing hides it. */
export function complain(id, text) {
  const node = byId(id);
  node.textContent = text ? sentence(text) : "";
  node.hidden = !text;
}

/** Begins with a capital, unless it begins with a name. */
export function sentence(text) {
  const s = /^[a-z]+[ ,]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.?!]$/.test(s) ? s : s + ".";
}

export function options(select, entries, chosen) {
  fill(select, entries.map(([value, text]) => make("option", { value, text, selected: value === chosen })));
}

export function table(head, rows, numbersFrom = 1) {
  const cell = (tag) => (text, i) =>
    make(tag, { text, class: i < numbersFrom ? "text" : null, scope: tag === "th" ? "col" : null });
  return make("table", {}, [
    make("thead", {}, [make("tr", {}, head.map(cell("th")))]),
    make("tbody", {}, rows.map((row) => make("tr", {}, row.map(cell("td"))))),
  ]);
}

export function save(name, content, type = "application/octet-stream") {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = make("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Moves on: the heading of the next step is where the keyboard and the screen reader are. */
export function goTo(id) {
  const node = byId(id);
  node.focus({ preventScroll: true });
  node.scrollIntoView({
    behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
    block: "start",
  });
}
