// What the page asks of the command line: arguments, limits, estimates, words. Pure.
import { suitable, usualMethods } from "./tasks.js";

const GB = 1e9;
export const TAB = 3.2 * GB; // of the 4 GB that a tab's memory may grow to

/** One, two, five, ten, ... up to a hundred, or to d. */
export function defaultSizes(d) {
  const sizes = [1, 2, 5, 10, 20, 50, 100].filter((k) => k < d);
  if (d <= 100) sizes.push(d);
  return sizes;
}

/** Numbers of features as typed; a sentence instead if they are none. */
export function parseSizes(text, d) {
  const words = text.split(/[\s,;]+/).filter(Boolean);
  if (!words.length) return { sizes: null };
  const sizes = words.map(Number);
  const wrong = words.find((w, i) => !/^\d+$/.test(w) || sizes[i] < 1 || sizes[i] > d);
  if (wrong !== undefined) return { wrong: `“${wrong}” is no number of features: allowed are 1 to ${d}` };
  return { sizes: [...new Set(sizes)].sort((a, b) => a - b) };
}

/** As many folds as every class, or the events, have a sample for. */
export function mostFolds(info, kind) {
  const target = info.target || {};
  if (target.kind === "times") return target.events;
  return target.kind === "classes" && kind === "classes"
    ? Math.min(...target.classes.map((c) => c.count))
    : info.n_samples;
}

export function defaultFolds(info) {
  return Math.max(2, Math.min(5, mostFolds(info, (info.target || {}).kind)));
}

/** A file as an argument: never taken for an option or for standard input. */
export function fileArgument(name) {
  return name.startsWith("-") ? "./" + name : name;
}

/** A name that the file may have inside: no folders, nothing that is no name. */
export function safeName(name) {
  const plain = name.replace(/[/\\\0]/g, "_").slice(-120);
  return plain === "" || plain === "." || plain === ".." ? "data" : plain;
}

/** Options that say how to read the data. */
export function readArguments(data) {
  const out = [];
  if (data.format && data.forced) out.push(`--format=${data.format}`);
  if (data.target) out.push(`--target=${data.target}`);
  if (data.time) out.push(`--time=${data.time}`);
  if (data.event) out.push(`--event=${data.event}${data.eventValue ? "=" + data.eventValue : ""}`);
  if (data.strata) out.push(`--strata=${data.strata}`);
  if (data.id) out.push(`--id=${data.id}`);
  if (data.drop && data.drop.length) out.push(`--drop=${data.drop.join(",")}`);
  if (data.labels) out.push(`--labels=${data.labels}`);
  if (data.noHeader) out.push("--no-header");
  if (data.header) out.push("--header");
  if (data.inRows) out.push("--features-in-rows");
  if (data.categorical) out.push("--categorical");
  if (data.na) out.push(`--na=${data.na}`);
  if (data.skip) out.push(`--skip=${data.skip}`);
  if (data.encoding) out.push(`--encoding=${data.encoding}`);
  if (data.numbered) out.push("--duplicate-names=number");
  if (data.mergeCase) out.push("--merge-case");
  if (data.sheet) out.push(`--sheet=${data.sheet}`);
  if (data.object) out.push(`--object=${data.object}`);
  return out;
}

/** The page's controls for the settings, or values of them, that the program's sentences name. */
export const CONTROLS = {
  sheet: "“Sheet or object”", object: "“Sheet or object”",
  na: "“Codes of missing values”", skip: "“Lines above the names”", encoding: "“Encoding”",
  time: "“Column of times”", event: "“Column of events”", strata: "“Column of strata”",
  id: "“Column that names the samples”", target: "“Outcome column”", labels: "“File with the outcomes”",
  drop: "“Columns to leave out”", categorical: "“one feature for each of their values”",
  missing: "“Missing values”", "missing drop": "“Missing values”: “leave their samples out”",
  duplicate_names: "“names that repeat get numbers”", "duplicate_names number": "“names that repeat get numbers”",
  merge_case: "“labels that differ in letter case only are one class”",
  no_header: "“the first line is a sample too”", header: "“the first line holds the names”",
  features_in_rows: "“the table is turned round”",
  probability: "“probabilities from the saved model”", sizes: "“Numbers of features”", folds: "“Folds”",
  null: "“Permutation test”",
};

/** The environment in which the program writes its sentences with them. */
export function environment() {
  return { PARE_NAMES: Object.entries(CONTROLS).map(([name, control]) => `${name}\t${control}\n`).join("") };
}

/** Options of a fit and of a path alike. */
function commonArguments(choice) {
  const out = [];
  if (choice.task && choice.task !== "auto") out.push("--task", choice.task);
  if (choice.missing) out.push("--missing", choice.missing);
  if (choice.seed && choice.seed !== 1) out.push("--seed", String(choice.seed));
  return out;
}

/** columns: a line for every one as well. */
export function infoArguments(data, columns) {
  return ["info", fileArgument(data.file), ...readArguments(data), ...(columns ? ["--columns"] : []), "--json"];
}

export function pathArguments(data, choice) {
  const out = ["path", fileArgument(data.file), ...readArguments(data), "-m", choice.methods.join(",")];
  if (choice.sizes) out.push("--sizes", choice.sizes.join(","));
  if (choice.folds && choice.folds !== 10) out.push("--folds", String(choice.folds));
  if (choice.repeats > 1) out.push("--repeats", String(choice.repeats));
  if (choice.nulls) out.push("--null", String(choice.nulls));
  if (choice.tune) out.push("--tune");
  if (choice.probability) out.push("--probability");
  return out.concat(commonArguments(choice));
}

/** The runs that give one result: one alone, or shards and then their merge. `again` takes up their checkpoints. */
export function pathPlan(data, choice, workers) {
  const path = pathArguments(data, choice),
    results = ["-o", "path.json", "--report", "report.html", "--predictions", "predictions.tsv"];
  if (workers <= 1) {
    const again = [...path, "--checkpoint", "path.txt"];
    return { shards: [], checkpoint: "path.txt", last: [...again, ...results], again };
  }
  const shards = [];
  for (let i = 1; i <= workers; i++) {
    const checkpoint = `shard-${i}.txt`;
    shards.push({
      checkpoint,
      args: [...path, "--predictions", "predictions.tsv", "--shard", `${i}/${workers}`, "--checkpoint", checkpoint],
    });
  }
  const again = ["merge", ...shards.map((s) => s.checkpoint)];
  return { shards, last: [...again, ...results], again };
}

/** The model of a path that has run: fitted to all samples at the method's chosen number of features. */
export function modelArguments(plan, method) {
  return [...plan.again, "--best", method, "--model", "model.json"];
}

/** A model at another number of features. */
export function fitArguments(data, choice, method, k) {
  return [
    "fit",
    fileArgument(data.file),
    ...readArguments(data),
    "-m",
    method,
    ...(k ? ["-k", String(k)] : []),
    ...commonArguments(choice),
    ...(choice.probability ? ["--probability"] : []),
    "-o",
    "model.json",
  ];
}

/** Its time is asked for: one fit of each method, cut off after `limit` seconds. */
export function probeArguments(data, choice, method, k, limit) {
  return [
    "fit",
    fileArgument(data.file),
    ...readArguments(data),
    "-m",
    method,
    "-k",
    String(k),
    ...commonArguments(choice),
    "--timing",
    "--time-limit",
    String(limit),
    "--json",
  ];
}

export function predictArguments(model, data, probability) {
  return [
    "predict",
    fileArgument(model),
    fileArgument(data.file),
    ...readArguments(data),
    ...(probability ? ["--probability"] : []),
    "-o",
    "predicted.tsv",
  ];
}

/** A line that a shell takes as these words. */
export function shellLine(args) {
  const word = (w) => (/^[A-Za-z0-9_.\/,=+:@%-]+$/.test(w) ? w : "'" + w.replaceAll("'", "'\\''") + "'");
  return ["pare", ...args].map(word).join(" ");
}

/** Bytes that a run on n x d dense numbers needs: the table, blocks while it is read, and statistics. */
export function bytesFor(n, d) {
  return 8 * n * d * 1.6 + 200 * d + 24 * n * n + 60e6;
}

/** Can a tab hold it? Otherwise the sentence that says so. */
export function limitOf(n, d, fileName) {
  if (bytesFor(n, d) <= TAB) return null;
  const size = (8e-9 * n * d).toPrecision(2);
  return (
    `${fileName} has about ${count(n)} samples and ${count(d)} features, ${size} GB of numbers: a tab of a browser ` +
    "holds about 1 GB of them, such as 200 × 500,000. The command line has no such limit."
  );
}

/** Workers side by side: processors, and memory for one copy of the data each. */
export function workersFor(n, d, processors, deviceGB) {
  const room = Math.min(deviceGB ? deviceGB * GB * 0.5 : 2 * TAB, 4 * TAB);
  const byMemory = Math.floor(room / bytesFor(n, d));
  return Math.max(1, Math.min(processors || 1, 8, byMemory));
}

/** The run that the result calls the best by the nested CV estimate. */
export function bestRun(result) {
  return result.runs.find((run) => run.method === result.best) || result.runs[0];
}

/** Seconds of a path from those of one fit of each method. Three folds inside each training part choose the size, each
 * on two thirds of it; every fit goes on to each size, and sharing what training parts have in common takes about as
 * much back. */
export function estimate(fitSeconds, choice, workers, readSeconds) {
  const parts = choice.folds * (choice.repeats || 1), inner = 3 * (2 / 3);
  const fits = parts * (1 + inner) * (1 + (choice.nulls || 0)) * (choice.tune ? 5 : 1);
  const one = fitSeconds.reduce((a, b) => a + b, 0);
  return readSeconds * 2 + (one * fits) / Math.max(1, Math.min(workers, parts * fitSeconds.length)) + one;
}

/** About how long, in words; two digits at most. */
export function duration(seconds) {
  if (seconds < 2) return "about a second";
  const [unit, size] = [
    ["days", 86400], ["hours", 3600], ["minutes", 60], ["seconds", 1],
  ].find(([, s]) => seconds >= 2 * s);
  const n = seconds / size, digits = n < 10 ? 1 : 2;
  return `about ${Number(n.toPrecision(digits))} ${unit}`;
}

export function clock(seconds) {
  const s = Math.floor(seconds);
  return s < 60 ? `${s} s` : `${Math.floor(s / 60)} min ${String(s % 60).padStart(2, "0")} s`;
}

export function count(n) {
  return Number(n).toLocaleString("en");
}

/** "corr 40%, about 3 s left", as the command line writes it to a terminal; null: another line. */
export function progressOf(line) {
  const found = /^(.*?) (\d+)%, about (\d+) s left\s*$/.exec(line) || /^(.*?) (\d+) s\s*$/.exec(line);
  if (!found) return null;
  return found.length === 4 ? { stage: found[1], share: Number(found[2]) / 100 } : { stage: found[1], share: 0 };
}

/** The sentences of stderr, without the program's name; progress lines left out. */
export function sentences(stderr) {
  return stderr
    .split(/[\r\n]/)
    .map((s) => s.trim())
    .filter((s) => s && !progressOf(s))
    .map((s) => s.replace(/^pare: /, ""));
}

/** A tab-separated table; \t \n \\ in cells are undone. */
export function readTsv(text) {
  const undo = (s) => s.replace(/\\([tnr\\])/g, (all, c) => ({ t: "\t", n: "\n", r: "\r", "\\": "\\" })[c]);
  return text.split("\n").filter(Boolean).map((line) => line.split("\t").map(undo));
}

/** The same table for a spreadsheet, which would run a cell that begins like a formula; a sign alone is none. */
export function withoutFormulas(text) {
  const inert = (cell) => (/^([=@]|[+-].)/.test(cell) && Number.isNaN(Number(cell)) ? "'" + cell : cell);
  return text.split("\n").map((line) => line.split("\t").map(inert).join("\t")).join("\n");
}

/** Which of the methods suit an outcome, and which are tried unless a person says otherwise. */
export function methodsFor(methods, kind, classes) {
  const fine = suitable(methods, kind, classes);
  const usual = usualMethods(kind).filter((name) => name === "auto" || fine.some((m) => m.name === name));
  return { fine, usual };
}
