// Whether two JSON values, or else two texts, are the same but for the last digits of their numbers:
// node same.mjs GOT WANTED TOLERANCE [KEY...], where TOLERANCE is relative to max(1, |number|) and what stands under a
// KEY may be anything.
import { readFileSync } from "node:fs";

const [got, wanted, tolerance, ...free] = process.argv.slice(2);
const near = (a, b) => Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b));

function differ(at, a, b) {
  console.error(`${at}: ${JSON.stringify(a)} in ${got}, ${JSON.stringify(b)} in ${wanted}`);
  process.exit(1);
}

function compare(a, b, at) {
  if (a === b || (typeof a === "number" && typeof b === "number" && near(a, b))) return;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) differ(at, a, b);
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
    if (!free.includes(key)) compare(a[key], b[key], `${at}/${key}`);
}

/** JSON as it is; another text as its numbers and what stands between them. */
function read(file) {
  const text = readFileSync(file, "utf8");
  try {
    return JSON.parse(text);
  } catch {
    return text.split(/(-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/).map((part, i) => (i % 2 ? Number(part) : part));
  }
}

compare(read(got), read(wanted), "");
