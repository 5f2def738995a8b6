// What a dropped file seems to hold: its format, the first rows, and which column is what. Pure: text in,
// plain objects out. The library reads the file itself; here a person is only shown what it will see.

const TARGETS = ["class", "target", "label", "y"]; // as the library takes them
/** A pattern of whole names, in any case. */
const whole = (...names) => new RegExp(`^(${names.join("|")})$`, "i");
const LIKE_TARGET = whole(
  "classes|labels?|outcome|diagnosis|disease|status|response|group|phenotype|type|tumou?r|cancer|grade|case|survival",
  "condition|result"
);
const LIKE_TIME = whole(
  "(surv(ival)?|event|follow_?up|fu|os|pfs|dfs|rfs|efs|dss)?[_. ]?(time|days?|months?|years?)|" +
    "(os|pfs|dfs|rfs|efs|dss)[_. ]?t"
);
const LIKE_EVENT = whole(
  "(os|pfs|dfs|rfs|efs|dss|surv(ival)?)?[_. ]?(events?|status|dead|died|death|deceased|relapsed?|vital_status)"
);
const LIKE_ID = whole("id|sample|sample_id|name|barcode|patient"); // of a first column, as in the library
const MISSING = new Set(["", "na", "nan", "?", "n/a", "#n/a"]);
const MISSING_NUMBER = new Set([
  "null", "none", ".", "-", "#nv", "#div/0!", "#value!", "#ref!", "#num!", "#name?",
]); // among numbers alone

/** Of the library's list, what one dropped file can hold. */
export const readable = (formats) => formats.filter((f) => f.reads && f.alone);

const ends = (format) => format.extensions.toLowerCase().split(" ");

/** One of these formats, by the extension as the library does it; null: it would not know. */
export function formatOf(fileName, formats) {
  const name = fileName.toLowerCase(), gz = name.endsWith(".gz");
  const end = (gz ? name.slice(0, -3) : name).split(".").pop();
  const found = formats.find((f) => ends(f).includes(end));
  return found ? { ...found, gz } : null;
}

/** Every extension of these formats. */
export function extensions(formats) {
  return [...new Set(formats.flatMap(ends))].map((end) => "." + end);
}

/** One line of a table into fields; quotes as in RFC 4180. */
export function fields(line, separator) {
  if (!line.includes('"')) return line.split(separator).map((f) => f.trim());
  const out = [];
  let field = "", quoted = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (quoted && c === '"' && line[i + 1] === '"') { field += '"'; i++; }
    else if (c === '"' && (quoted || field.trim() === "")) { quoted = !quoted; if (quoted) field = ""; }
    else if (!quoted && c === separator) { out.push(field); field = ""; }
    else field += c;
  }
  out.push(field);
  return out.map((f) => f.trim());
}

/** Whole lines at the start of a text, at most `most`; a line break in quotes ends none. */
export function firstLines(text, most, whole) {
  const out = [];
  let start = 0, quoted = false;
  const plain = !text.includes('"');
  for (let i = 0; i < text.length && out.length < most; i++) {
    if (plain) i = text.indexOf("\n", i); // as below, many times as fast
    if (i < 0) break;
    if (text[i] === '"') quoted = !quoted;
    if (text[i] !== "\n" || quoted) continue;
    out.push(text.slice(start, i).replace(/\r$/, ""));
    start = i + 1;
  }
  if (whole && out.length < most && start < text.length) out.push(text.slice(start).replace(/\r$/, ""));
  return out.filter((line) => line.trim() !== "");
}

/** The separator that cuts the first two lines alike, in the library's order; a space where there is no other. */
export function separatorOf(lines, format) {
  if (format === "tsv") return "\t";
  const counts = lines.slice(0, 2).map((line) => {
    const plain = line.includes('"') ? line.replace(/"(?:[^"]|"")*"/g, "") : line;
    return [",", ";", "\t", "|", " "].map((s) => plain.split(s).length - 1);
  });
  if (!counts.length) return ",";
  const second = counts[1] || counts[0];
  const agrees = (k) => second[k] > 0 && (counts[0][k] === second[k] || counts[0][k] + 1 === second[k]);
  if (agrees(1) && second[0] <= second[1] + 1) return ";";
  for (let k = 0; k < 4; k++) if (agrees(k)) return [",", ";", "\t", "|"][k];
  const others = counts.some((c) => c.slice(0, 4).some(Boolean));
  if (!others && counts[1] && agrees(4)) return " ";
  const known = counts[0].slice(0, 4);
  return [",", ";", "\t", "|"][known.indexOf(Math.max(...known))];
}

export function isNumber(cell, separator) {
  const c = separator === ";" ? cell.replace(",", ".") : cell;
  return c !== "" && Number.isFinite(Number(c));
}
const isMissing = (cell) => MISSING.has(cell.toLowerCase());

function column(name, index, cells, separator) {
  const seen = cells.filter((c) => !isMissing(c));
  const values = seen.filter((c) => !MISSING_NUMBER.has(c.toLowerCase()));
  const numbers = values.filter((c) => isNumber(c, separator)).length;
  return {
    name, index, seen: seen.length, distinct: new Set(seen).size, gaps: cells.length - seen.length,
    numeric: values.length > 0 && numbers === values.length,
    text: seen.length > 0 && (values.length === 0 || numbers < values.length / 2), // else the library names the slip
    whole: seen.length > 0 && seen.every((c) => /^[+-]?\d+$/.test(c)),
  };
}

/** Of a wide table those at both ends, where an id or an outcome stands, and those called like one. */
function columnsOf(names, rows, separator) {
  const ends = 2000, out = [];
  names.forEach((name, i) => {
    if (i < ends || i >= names.length - ends || TARGETS.includes(name.toLowerCase()) || LIKE_TARGET.test(name))
      out.push(column(name, i, rows.map((r) => r[i] ?? ""), separator));
  });
  return out;
}

/** The text from its header on: without a mark, Excel's line "sep=;" and so many lines; and the separator it tells. */
function fromHeader(text, skip) {
  let rest = text.replace(/^\ufeff/, "");
  if (!rest.includes("\n")) rest = rest.replaceAll("\r", "\n");
  const told = /^"?sep=([,;\t|])"?\r?\n/.exec(rest);
  for (let i = skip || (told ? 1 : 0); i > 0; i--)
    rest = rest.includes("\n") ? rest.slice(rest.indexOf("\n") + 1) : "";
  return { rest, told: told && told[1] };
}

/** The head of a table: names, rows, columns; `unnamed` where the first column holds row names. */
export function readHead(text, format, whole, skip = 0) {
  const { rest, told } = fromHeader(text, skip);
  const lines = firstLines(rest, 60, whole);
  const separator = told || separatorOf(lines, format);
  let names = lines.length ? fields(lines[0], separator) : [];
  const given = names.length;
  while (names.length > 1 && names[names.length - 1] === "") names.pop(); // empty columns at the end
  const few = names.length > 20000 ? 7 : lines.length; // a wide table is seen by its first rows
  const rows = lines.slice(1, few).map((line) => fields(line, separator));
  const short = rows.length > 0 && given + 1 === rows[0].length;
  if (short) names = [""].concat(names);
  const unnamed = names.length > 1 && (names[0] === "" || names[0] === "Unnamed: 0");
  const numbers = names.length > 1 && names.every((n) => isNumber(n, separator));
  const columns = columnsOf(names, rows, separator);
  return {
    names,
    rows,
    columns,
    separator,
    unnamed,
    headerLooksLikeData: numbers,
    lines: lines.length,
    characters: lines.slice(1).reduce((a, line) => a + line.length + 1, 0),
    first: (lines[0] || "").length,
  };
}

/** The same table if its first line is a sample: the library calls the columns x1, x2, ... then. */
export function withoutHeader(head) {
  const names = head.names.map((_, i) => `x${i + 1}`), rows = [head.names, ...head.rows];
  return { ...head, names, rows, unnamed: false, columns: columnsOf(names, rows, head.separator) };
}

/** Columns that are features only as codes of their values. */
export const isText = (column) => column.kind === "text" || column.kind === "date";

/** What a table that only the library can read has, from what it says of every column. */
export function listed(columns) {
  const own = columns.filter((c) => c.name !== null && c.name !== "");
  const of = (kind) => own.filter((c) => c.kind === kind).map((c) => c.name);
  return {
    head: { names: own.map((c) => c.name), rows: [], columns: [], unnamed: false },
    guess: {
      target: of("target")[0] ?? null, id: of("id")[0] ?? null,
      text: own.filter(isText).map((c) => c.name), times: null,
    },
  };
}

/** The columns of times and of events, where both are called so; null: they are not. */
function timesOf(columns) {
  const time = columns.find((c) => c.numeric && c.distinct > 2 && LIKE_TIME.test(c.name));
  const event = columns.find((c) => c !== time && c.distinct === 2 && LIKE_EVENT.test(c.name));
  return time && event ? { time: time.name, event: event.name } : null;
}

/** Columns of text that can be no feature as they are; outcome: the columns that are none anyway. */
export function textColumns(head, guessed, outcome) {
  const own = head.columns.filter((c) => c.text && !(head.unnamed && c.index === 0)).map((c) => c.name);
  const none = [...outcome, guessed.id];
  return [...new Set([...guessed.text, ...own])].filter((name) => !none.includes(name));
}

/** Which column is the outcome, which the samples' id by the library's rule, and which cannot be a feature. */
export function guess(head) {
  const columns = head.columns, usable = columns.filter((c) => !(head.unnamed && c.index === 0));
  const lower = (c) => c.name.toLowerCase();
  let target = TARGETS.map((t) => usable.find((c) => c.name === t)).find(Boolean) ||
    usable.find((c) => TARGETS.includes(lower(c)) || LIKE_TARGET.test(c.name));
  const times = timesOf(usable);
  const few = (c) => c.text && c.distinct >= 2 && c.distinct <= Math.max(2, c.seen / 2);
  if (!target) target = [...usable].reverse().find(few) || usable[usable.length - 1] || null;
  const first = !head.unnamed && columns.length > 1 && columns[0].index === 0 ? columns[0] : null;
  const unique = first && first !== target && !first.gaps && first.seen > 0 && first.distinct === first.seen;
  const id = unique && LIKE_ID.test(first.name) && (first.text || first.whole) ? first : null;
  const text = usable.filter((c) => c.text && c !== target && c !== id);
  return {
    target: target ? target.name : null, id: id ? id.name : null, text: text.map((c) => c.name), times,
  };
}

/** Rows of a whole file by the length of the first ones. */
export function guessRows(head, fileSize, gz) {
  if (head.lines < 2) return 1;
  return Math.max(1, Math.round((fileSize * (gz ? 2.5 : 1) - head.first) / (head.characters / (head.lines - 1))));
}

/** Samples and features that the header of a .npy file says; null if it is none. */
export function npyShape(bytes) {
  const text = new TextDecoder("latin1").decode(bytes.subarray(0, 512));
  const found = text.startsWith("\x93NUMPY") && /'shape': *\((\d+), *(\d+)\)/.exec(text);
  return found ? { n: Number(found[1]), d: Number(found[2]) } : null;
}
