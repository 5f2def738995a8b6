// The page's modules as one script, which a page that is a single file can hold.
import { readFileSync } from "node:fs";

const MODULES = ["table", "tasks", "plan", "dom", "engine", "data_step", "example", "app"]; // each after what it uses

const source = (module) => readFileSync(new URL(`./page/${module}.js`, import.meta.url), "utf8");

/** Imports and exports go; names are unique over all modules. */
export function pageScript() {
  const text = MODULES.map((m) => source(m).replace(/^import [^;]*;\n/gm, "").replace(/^export /gm, ""));
  const names = text.flatMap((t) =>
    [...t.matchAll(/^(?:async )?(?:function\*?|const|let|class) ([A-Za-z_$][\w$]*)/gm)].map((m) => m[1])
  );
  const twice = names.find((n, i) => names.indexOf(n) !== i);
  if (twice) throw new Error(`two modules of the page have a ${twice}`);
  if (text.some((t) => /<\/script/i.test(t))) throw new Error("the page's script holds what would end its element");
  return `(() => {\n"use strict";\n${text.join("\n")}})();\n`;
}
