// Runs the script of a validation's report on a document that only records: node validation_page.mjs PAGE.html
// Prints every text that the page would show, a line each; NaN and undefined in what is drawn are an error.
import { readFileSync } from "node:fs";

const html = readFileSync(process.argv[2], "utf8");
const parts = {};
const elements = /<script type="application\/json" id="(\w+)">([\s\S]*?)<\/script>/g;
for (const [, id, json] of html.matchAll(elements)) parts[id] = json;
const script = html.slice(html.lastIndexOf("<script>") + 8, html.lastIndexOf("</script>"));

function element(name) {
  const node = { name, attributes: {}, childNodes: [], style: {}, textContent: "" };
  node.appendChild = (child) => (node.childNodes.push(child), child);
  node.insertBefore = (child, before) => {
    const at = node.childNodes.indexOf(before);
    node.childNodes.splice(at < 0 ? node.childNodes.length : at, 0, child);
    return child;
  };
  node.removeChild = (child) => node.childNodes.splice(node.childNodes.indexOf(child), 1);
  node.setAttribute = (key, value) => {
    if (/NaN|undefined|Infinity/.test(String(value))) throw new Error(`${name} has ${key}="${value}"`);
    node.attributes[key] = value;
  };
  node.addEventListener = () => {};
  Object.defineProperty(node, "firstChild", { get: () => node.childNodes[0] });
  return node;
}
const page = element("main");
const document = {
  getElementById: (id) => (id === "page" ? page : { textContent: parts[id] ?? "null" }),
  createElement: element,
  createElementNS: (_, name) => element(name),
  createTextNode: (text) => ({ textContent: text, childNodes: [] }),
};
new Function("document", "window", script)(document, {});
function print(node) {
  if (node.textContent) console.log(node.textContent);
  if (/NaN|undefined/.test(node.textContent)) throw new Error(node.textContent);
  node.childNodes.forEach(print);
}
print(page);
