// The methods paragraph of a report as a browser would make it: node paragraph.mjs PAGE.html
// Prints JSON: the text, the references and the run's facts.
import { readFileSync } from "node:fs";

const page = readFileSync(process.argv[2], "utf8");
const parts = {};
for (const [, id, json] of page.matchAll(/<script type="application\/json" id="(\w+)">([\s\S]*?)<\/script>/g))
  parts[id] = json;
const script = page.slice(page.lastIndexOf("<script>") + 8, page.lastIndexOf("</script>"));
const until = script.indexOf("clear(page);"); // there the drawing begins
if (until < 0) throw new Error("the page's script has changed");
const element = new Proxy(function () {}, {
  get: (_, key) => (key === Symbol.toPrimitive ? () => "" : element),
  apply: () => element,
});
const document = {
  getElementById: (id) => ({ textContent: parts[id] ?? "null" }),
  createElement: () => element,
  createElementNS: () => element,
};
const body = script.slice(script.indexOf('"use strict";'), until);
const made = new Function("document", "window", body + "return {p: paragraph(), about: about};")(document, {});
console.log(JSON.stringify({ text: made.p.text, refs: made.p.refs, about: made.about }));
