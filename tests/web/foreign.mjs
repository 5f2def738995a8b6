// Ten files as other programs write them, by the page's own way: it looks at the bytes, takes its first guess of the
// columns, and asks the WebAssembly program: node foreign.mjs BUILD. What stands against a file names the page's
// controls. Prints the cases that are wrong.
import { gzipSync } from "node:zlib";
import { lookAt } from "../../web/page/data_step.js";
import { environment, infoArguments, sentences } from "../../web/page/plan.js";
import { readable } from "../../web/page/table.js";
import { runNode } from "../../web/tests/run_node.mjs";

const build = process.argv[2];
const formats = readable(JSON.parse((await runNode(build, ["generate", "formats"])).out));
const utf8 = (text) => new TextEncoder().encode(text);
const latin1 = (text) => Uint8Array.from(Buffer.from(text, "latin1"));
const utf16 = (text) => Uint8Array.from(Buffer.from("\ufeff" + text, "utf16le"));

/** name:kind:missing:suspect of each column, or the sentence; controls: what was set under “How the file is read”. */
async function asked(name, bytes, controls = {}) {
  const look = await lookAt(new File([bytes], name), formats, controls);
  const { target, text } = look.guess;
  const data = { file: look.name, format: look.format.name, target, drop: text, ...controls };
  const run = await runNode(build, infoArguments(data, true), [{ name: look.name, bytes }], [], environment());
  if (run.code !== 0) return sentences(run.err).pop();
  const columns = JSON.parse(run.out).columns.map((c) => [c.name, c.kind, c.missing, ...c.suspect].join(":"));
  return columns.join(" ");
}

const rows = ["f,1.5,3,yes", "m,2.5,4,no", "f,3.5,5,yes", "m,4.5,6,no"];
const table = (header, lines, end = "\n") => [header, ...lines, ""].join(end);
const comma = rows.map((row) => row.replaceAll(",", ";").replaceAll(".", ","));
const named = "class:target:0 bmi:number:0 age:number:0";
const cases = [
  ["Excel, semicolons and decimal commas", "a.csv", utf8(table("sep=;\r\nsex;bmi;age;class", comma, "\r\n")), named],
  ["Excel, Unicode text", "b.txt", utf16(table("sex,bmi,age,class", rows, "\r\n").replaceAll(",", "\t")), named],
  ["Excel of old Macs", "c.csv", utf8(table("sex,bmi,age,class", rows, "\r")), named],
  [
    "Excel, an error value and an empty column", "d.csv",
    utf8(table("sex,bmi,age,class,", rows.map((row) => row.replace("2.5", "#N/A") + ","))),
    "class:target:0 bmi:number:1 age:number:0",
  ],
  [
    "R's write.table", "e.txt",
    utf8(table('"bmi" "age" "class"', rows.map((row, i) => `"${i}" ` + row.slice(2).replaceAll(",", " ")))),
    ":id:0 class:target:0 bmi:number:0 age:number:0",
  ],
  [
    "pandas, with its index, packed", "f.csv.gz",
    gzipSync(utf8(table(",sex,bmi,age,class", rows.map((row, i) => `${i},${row}`)))),
    ":id:0 " + named,
  ],
  ["a system in cp1252", "g.csv", latin1(table("sex,größe,age,class", rows)), /“Encoding”/],
  [
    "the same, as it says", "g.csv", latin1(table("sex,größe,age,class", rows)),
    "class:target:0 größe:number:0 age:number:0", { encoding: "cp1252" },
  ],
  ["a title above the names", "h.csv", utf8("Study 7\n" + table("sex,bmi,age,class", rows)), /“Lines above the names”/],
  ["the same, as it says", "h.csv", utf8("Study 7\n" + table("sex,bmi,age,class", rows)), named, { skip: 1 }],
  [
    "names that repeat", "i.csv", utf8(table("sex,g,g,class", rows)),
    "class:target:0 g:number:0 g#2:number:0:repeated name",
  ],
  [
    "the same, as it says", "i.csv", utf8(table("sex,g,g,class", rows)),
    "class:target:0 g:number:0 g#2:number:0:repeated name", { numbered: true },
  ],
  [
    "a laboratory's codes", "j.csv", utf8(table("sex,bmi,age,class", rows).replace("4.5", "n.d.")),
    "class:target:0 bmi:number:1 age:number:0", { na: "n.d." },
  ],
];
let wrong = 0;
for (const [what, name, bytes, wanted, controls] of cases) {
  const got = await asked(name, bytes, controls);
  const fine = wanted instanceof RegExp ? wanted.test(got) && !/ --\w/.test(got) : got === wanted;
  if (!fine) console.error(`${what} (${name}): ${got}`);
  wrong += !fine;
}
process.exitCode = wrong ? 1 : 0;
