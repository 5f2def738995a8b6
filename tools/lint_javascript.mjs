// How JavaScript is laid out: node lint_javascript.mjs FILE... names each line of more than 120 columns, with a tab
// or with a space at its end.
import { readFileSync } from "node:fs";

const COLUMNS = 120;
let wrong = 0;

for (const file of process.argv.slice(2))
  readFileSync(file, "utf8").split("\n").forEach((line, i) => {
    const width = [...line].length;
    const rules = [
      [width > COLUMNS, `${width} columns`],
      [/\t/.test(line), "a tab"],
      [/\s$/.test(line), "a space at the end"],
    ];
    const found = rules.filter(([broken]) => broken).map(([, what]) => what);
    if (!found.length) return;
    console.log(`${file}:${i + 1}: ${found.join(", ")}`);
    wrong++;
  });
if (wrong) console.log(`${wrong} lines are to be laid out again, in at most ${COLUMNS} columns`);
process.exit(wrong ? 1 : 0);
