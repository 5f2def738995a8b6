// The page's pure logic, without a browser: node web/tests/logic.mjs. Prints ok or not ok for each case.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import {
  extensions, formatOf, listed, readable, fields, firstLines, separatorOf, readHead, withoutHeader, guess, guessRows,
  npyShape, textColumns,
} from "../page/table.js";
import * as plan from "../page/plan.js";
import { outcomeKind } from "../page/tasks.js";
import { exampleCsv, uniform } from "../page/example.js";
import { pageScript } from "../page_script.mjs";

let failed = 0;
function check(name, fine, detail = "") {
  console.log((fine ? "ok " : "not ok ") + name + (fine || detail === "" ? "" : ": " + JSON.stringify(detail)));
  failed += !fine;
}
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const is = (name, got, wanted) => check(name, same(got, wanted), got);

// ---- tables ----
const program = process.env.PARE || new URL("../../build/dev/pare", import.meta.url).pathname;
const listedFormats = JSON.parse(execFileSync(program, ["generate", "formats"], { encoding: "utf8" }));
const formats = readable(listedFormats);
is(
  "formats that lie in several files cannot be dropped",
  listedFormats.map((f) => f.name).filter((name) => !formats.some((f) => f.name === name && f.reads)),
  listedFormats.filter((f) => !f.reads || ["10x", "bed"].includes(f.name)).map((f) => f.name)
);
is(
  "a build that cannot read a format does not offer it",
  extensions(readable([
    { extensions: "csv txt", reads: true, alone: true },
    { extensions: "mat", reads: false, alone: true },
    { extensions: "RData rda", reads: true, alone: true },
    { extensions: "", reads: true, alone: false },
  ])),
  [".csv", ".txt", ".rdata", ".rda"]
);
is(
  "what is asked of a format",
  ["a.csv", "a.xlsx", "a.rds", "a.npy"].map((n) => formatOf(n, formats)).map((f) => [f.lines, f.part, f.holds_target]),
  [[true, "", true], [false, "sheet", true], [false, "object", true], [false, "", false]]
);
is(
  "formats are known by their extension",
  [
    "a.csv", "A.TSV.gz", "x.libsvm", "x.npy", "noext", "a.ods", "a.xlsx", "b.RData", "b.gz", "t.txt", "t.TXT.gz",
    "a.xls",
  ].map((n) => formatOf(n, formats)?.name ?? null),
  ["csv", "tsv", "svmlight", "npy", null, null, "xlsx", "rdata", null, "csv", "csv", "xlsx"]
);
is(
  "columns that the library lists are chosen from",
  listed([
    { name: null, kind: "id" }, { name: "type", kind: "target" }, { name: "site", kind: "text" },
    { name: "day", kind: "date" },
    { name: "g1", kind: "number" },
  ]),
  {
    head: { names: ["type", "site", "day", "g1"], rows: [], columns: [], unnamed: false },
    guess: { target: "type", id: null, text: ["site", "day"], times: null },
  }
);
is("a matrix without an outcome has none", listed([{ name: "g1", kind: "number" }]).guess, {
  target: null, id: null, text: [], times: null,
});
is("quotes hold separators and quotes", fields('a,"b,c","d""e", f ', ","), ["a", "b,c", 'd"e', "f"]);
is("a line break in quotes ends no line", firstLines('a,"b\nc"\n1,2\r\n3,4', 9, false), ['a,"b\nc"', "1,2"]);
is("a last line without an end counts if the file ends there", firstLines("a\nb", 9, true), ["a", "b"]);
is(
  "separators are found as the library finds them",
  [
    ["a,b", "1,2"], ["a;b;c", "1,5;2,5;3"], ["a\tb", "1\t2"], ["a|b", "1|2"], ['"a" "b c"', '"1" 2 3'],
    ["a b,c", "d e,f"],
  ].map((l) => separatorOf(l, "csv")),
  [",", ";", "\t", "|", " ", ","]
);
const clinic = readHead(
  "patient,age,sex,g1,g2,outcome\np1,40,f,0.5,1.5,yes\np2,50,m,0.25,2.5,no\np3,60,f,0.75,,yes\np4,61,m,0.1,3,no\n",
  "csv",
  true
);
is("outcome, id and text columns are guessed", guess(clinic), {
  target: "outcome", id: "patient", text: ["sex"], times: null,
});
is(
  "times and events are guessed by name where both are there, a text of two values too",
  [
    "survtime,status,g1\n1.5,1,2\n2,0,3\n3,1,4\n", "id,OS.time,OS,g1\na,1,0,2\nb,2,1,3\nc,4,1,4\n",
    "months,vital_status,g1\n1,dead,2\n2,alive,3\n3,dead,4\n", "time,dose,g1\n1,1,2\n2,0,3\n3,1,4\n",
    "time,status,g1\n1,1,2\n2,2,3\n3,3,4\n", "class,status,g1\n1,1,2\n2,0,3\n1,1,4\n",
  ].map((t) => guess(readHead(t, "csv", true)).times),
  [
    { time: "survtime", event: "status" }, null, { time: "months", event: "vital_status" }, null, null, null,
  ]
);
{
  const head = readHead("id,time,event,grade,g1\na,1,dead,I,2\nb,2,alive,II,3\nc,4,dead,I,4\n", "csv", true);
  is(
    "a column that is called like an outcome is text where the outcome is another",
    [["grade"], ["time", "event"]].map((outcome) => textColumns(head, guess(head), outcome)),
    [["event"], ["grade"]]
  );
}
is("the library's own names come first", guess(readHead("y,outcome,x\n1,a,2\n0,b,3\n", "csv", true)).target, "y");
is(
  "without a known name a column of few texts is the outcome",
  guess(readHead("arm,g1,g2\nA,1,2\nB,2,3\nA,3,4\nB,4,5\n", "csv", true)).target,
  "arm"
);
is("else the last", guess(readHead("g1,g2,g3\n1,2,3\n2,3,4\n", "csv", true)).target, "g3");
const rowNames = readHead(",g1,class\nr1,1,a\nr2,2,b\n", "csv", true);
check(
  "row names without a name are ids by themselves",
  rowNames.unnamed && guess(rowNames).id === null && guess(rowNames).target === "class"
);
const short = readHead("g1\tclass\nr1\t1\ta\nr2\t2\tb\n", "tsv", true);
check("a header one field short is R's", short.unnamed && short.names.length === 3);
is(
  "semicolons allow a decimal comma",
  readHead("a;y\n1,5;2\n2,5;3\n", "csv", true).columns.map((c) => c.numeric),
  [true, true]
);
check("a number is no id where it repeats", guess(readHead("sample,x,class\n1,2,a\n1,3,b\n", "csv", true)).id === null);
check(
  "an id of numbers needs a name that says so",
  guess(readHead("age,x,class\n41,2,a\n52,3,b\n", "csv", true)).id === null
);
is(
  "an id is a first column with a usual name and different values, as in the library",
  [
    "id,x,class\n1,2,a\n2,3,b\n", "Patient,x,class\np,2,a\nq,3,b\n", "accession,x,class\n1,2,a\n2,3,b\n",
    "x,id,class\n2,1,a\n3,2,b\n", "id,x,class\n1.5,2,a\n2,3,b\n", "id,x,class\n1,2,a\n,3,b\n",
  ].map((t) => guess(readHead(t, "csv", true)).id),
  ["id", "Patient", null, null, null, null]
);
const excel = (text, skip) => {
  const head = readHead(text, "csv", true, skip);
  return [head.separator, head.names.join("|"), head.rows.length];
};
is(
  "the head of what Excel writes",
  [
    excel("sep=;\r\na;b;y\r\n1,5;2;p\r\n"), excel("a,b,y\r1,2,p\r3,4,q\r"), excel("a,b,y,,\n1,2,p,,\n"),
    excel("Study\n\na,b,y\n1,2,p\n", 2), excel("\ufeffa\tb\ty\n1\t2\tp\n"),
  ],
  [[";", "a|b|y", 1], [",", "a|b|y", 2], [",", "a|b|y", 1], [",", "a|b|y", 1], ["\t", "a|b|y", 1]]
);
is(
  "codes of missing values make no column of text",
  guess(readHead("x,sign,class\n1,-,a\n#N/A,+,b\nNone,-,a\n", "csv", true)).text,
  ["sign"]
);
is(
  "an empty column at the end is no header of R's",
  readHead("a,b,y,\n1,2,p,\n3,4,q,\n", "csv", true).names,
  ["a", "b", "y"]
);
const bare = readHead("1,2,0\n3,4,1\n5,6,0\n", "csv", true);
is(
  "a table without names is seen, and can be read as one",
  [
    bare.headerLooksLikeData,
    withoutHeader(bare).names,
    withoutHeader(bare).rows.length,
    guess(withoutHeader(bare)).target,
  ],
  [true, ["x1", "x2", "x3"], 3, "x3"]
);
check(
  "a slip among numbers makes no column of text",
  same(guess(readHead("x,class\n1,a\n2,b\nthree,a\n4,b\n", "csv", true)).text, [])
);
check("an empty file is no reason to fail", guess(readHead("", "csv", true)).target === null);
check(
  "markup in names stays text",
  readHead('"<script>x</script>",class\n1,a\n2,b\n', "csv", true).names[0] === "<script>x</script>"
);
check(
  "rows are estimated by the first ones",
  guessRows(readHead("a,y\n1,a\n2,b\n", "csv", false), 4 + 4 * 500, false) === 500
);
const npy = new TextEncoder().encode(
  "xNUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (72, 7129), }"
);
npy[0] = 0x93;
is("a .npy says its shape", npyShape(npy), { n: 72, d: 7129 });

// ---- arguments ----
const data = { file: "a b.csv", target: "out come", id: "-id", drop: ["sex", "x"] };
is("reading", plan.readArguments(data), ["--target=out come", "--id=-id", "--drop=sex,x"]);
is("a sheet", plan.readArguments({ sheet: "May 2", object: null }), ["--sheet=May 2"]);
is("an object", plan.readArguments({ object: "m" }), ["--object=m"]);
is("a file that looks like an option is a file", ["-m.csv", "-", "a.csv"].map(plan.fileArgument), [
  "./-m.csv", "./-", "a.csv",
]);
is("names have no folders", ["../../etc/x.csv", "a\\b.csv", "", ".."].map(plan.safeName), [
  ".._.._etc_x.csv", "a_b.csv", "data", "data",
]);
const choice = { methods: ["auto", "corr"], sizes: [1, 5], folds: 5, nulls: 19, missing: "median", task: "auto" };
is("a path", plan.pathArguments({ file: "d.csv", target: "y" }, choice), [
  "path", "d.csv", "--target=y", "-m", "auto,corr", "--sizes", "1,5", "--folds", "5", "--null", "19", "--missing",
  "median",
]);
const shards = plan.pathPlan({ file: "d.csv" }, choice, 3);
check(
  "shards are 1/3 to 3/3 and merged in order",
  same(
    shards.shards.map((s) => s.args[s.args.indexOf("--shard") + 1]),
    ["1/3", "2/3", "3/3"]
  ) && same(shards.last.slice(0, 4), ["merge", "shard-1.txt", "shard-2.txt", "shard-3.txt"])
);
check("a shard has no result", shards.shards.every((s) => !s.args.includes("-o") && !s.args.includes("--report")));
const one = plan.pathPlan({ file: "d.csv" }, choice, 1);
check("one worker needs no shard", one.shards.length === 0 && one.last.join(" ").includes("--checkpoint path.txt"));
is(
  "the model is made from what the path has finished",
  [plan.modelArguments(shards, "corr"), plan.modelArguments(one, "corr").slice(-6)],
  [
    ["merge", "shard-1.txt", "shard-2.txt", "shard-3.txt", "--best", "corr", "--model", "model.json"],
    ["--checkpoint", "path.txt", "--best", "corr", "--model", "model.json"],
  ]
);
check(
  "a model with probabilities is asked of the path itself",
  plan.pathArguments({ file: "d.csv" }, { ...choice, probability: true }).includes("--probability")
);
is(
  "a shell takes the words as they are",
  plan.shellLine(["path", "it's a file.csv", "--target=$(rm x)"]),
  "pare path 'it'\\''s a file.csv' '--target=$(rm x)'"
);
const timed = { file: "d.csv", time: "survtime", event: "status", eventValue: "dead", strata: "site" };
is(
  "times to an event are read from their columns by every command",
  [plan.infoArguments(timed, false), plan.pathArguments(timed, { ...choice, task: "survival" })].map((a) =>
    a.filter((word) => /^--(time|event|strata|target)/.test(word))
  ),
  Array(2).fill(["--time=survtime", "--event=status=dead", "--strata=site"])
);
is("without a value 1 is the event", plan.readArguments({ ...timed, eventValue: null })[1], "--event=status");
is("times are an outcome of their own", outcomeKind("survival", "times"), "times");
{
  const some = ["cox", "cox-score", "cox-forward"].map((name) => ({ name, tasks: "survival" }));
  const found = plan.methodsFor([...some, { name: "svm", tasks: "binary, multiclass" }], "times", 2);
  is("times have methods of their own", [found.fine.map((m) => m.name), found.usual], [
    ["cox", "cox-score", "cox-forward"], ["auto", "cox-score"],
  ]);
}
is("sizes are read", plan.parseSizes("5, 1 20;5", 100).sizes, [1, 5, 20]);
check(
  "sizes that cannot be have a sentence",
  plan.parseSizes("0", 9).wrong &&
    plan.parseSizes("10", 9).wrong &&
    plan.parseSizes("1.5", 9).wrong &&
    plan.parseSizes("-2", 9).wrong
);
is(
  "default sizes end at the features there are",
  [plan.defaultSizes(3), plan.defaultSizes(100), plan.defaultSizes(7129)],
  [
    [1, 2, 3], [1, 2, 5, 10, 20, 50, 100], [1, 2, 5, 10, 20, 50, 100],
  ]
);
is(
  "no class has fewer samples than folds",
  [
    plan.defaultFolds({ n_samples: 20, target: { kind: "classes", classes: [{ count: 3 }, { count: 17 }] } }),
    plan.defaultFolds({ n_samples: 20, target: { kind: "numbers" } }),
    plan.defaultFolds({ n_samples: 20, target: { kind: "times", events: 4 } }),
  ],
  [3, 5, 4]
);

// ---- limits and time ----
check("200 x 500,000 fits into a tab", plan.limitOf(200, 500000, "a.csv") === null);
check("200 x 2,000,000 does not, and is told so", /command line/.test(plan.limitOf(200, 2000000, "a.csv")));
check(
  "workers share the memory",
  plan.workersFor(72, 7129, 8, 8) === 8 &&
    plan.workersFor(200, 500000, 8, 8) < 4 &&
    plan.workersFor(200, 500000, 8, 8) >= 1 &&
    plan.workersFor(10, 10, undefined, undefined) === 1
);
const slow = plan.estimate([1, 2], { folds: 5, nulls: 0 }, 1, 0.5),
  fast = plan.estimate([1, 2], { folds: 5, nulls: 0 }, 4, 0.5);
check(
  "an estimate grows with fits and falls with workers",
  slow > 3 * 15 &&
    slow < 3 * 20 &&
    fast < slow / 2 &&
    plan.estimate([1, 2], { folds: 5, nulls: 19 }, 1, 0.5) > 15 * slow
);
is("time in words", [0.4, 30, 95, 200, 7300, 400000].map(plan.duration), [
  "about a second", "about 30 seconds", "about 95 seconds", "about 3 minutes", "about 2 hours", "about 5 days",
]);
is(
  "progress lines of the command line are understood",
  [
    plan.progressOf("corr 40%, about 3 s left   "),
    plan.progressOf("reading 3 s"),
    plan.progressOf("pare: no such thing"),
  ],
  [{ stage: "corr", share: 0.4 }, { stage: "reading", share: 0 }, null]
);
is(
  "sentences are the library's",
  plan.sentences("\rcorr 40%, about 3 s left\r      \rpare: d.csv, line 2: expected a number\n"),
  ["d.csv, line 2: expected a number"]
);
is("a table of predictions", plan.readTsv("sample\tprediction\na\\tb\tx\\\\y\n"), [
  ["sample", "prediction"],
  ["a\tb", "x\\y"],
]);
const methods = [
  { name: "corr", tasks: "binary, multiclass" }, { name: "lasso", tasks: "regression" },
  { name: "l1-svm", tasks: "binary" },
];
is(
  "methods are those of the task",
  [plan.methodsFor(methods, "classes", 3).usual, plan.methodsFor(methods, "numbers", 0).fine.map((m) => m.name)],
  [["auto", "corr"], ["lasso"]]
);

is(
  "what the person said of the outcome counts",
  [outcomeKind("auto", "numbers"), outcomeKind("classify", "numbers"), outcomeKind("regress", "classes")],
  ["numbers", "classes", "numbers"]
);

const runs = [{ method: "corr" }, { method: "svm" }];
is(
  "the best run is the one that the result names",
  [plan.bestRun({ best: "svm", runs }), plan.bestRun({ best: null, runs })].map((run) => run.method),
  ["svm", "corr"]
);

// ---- sentences ----
is(
  "how a file is read, as options",
  plan.readArguments({ na: "n.d.,-9", skip: 2, encoding: "cp1252", numbered: true, mergeCase: true }),
  ["--na=n.d.,-9", "--skip=2", "--encoding=cp1252", "--duplicate-names=number", "--merge-case"]
);
is(
  "the program is told the page's controls, a line each",
  plan.environment().PARE_NAMES.split("\n").filter((line) => line.startsWith("missing")),
  ["missing\t“Missing values”", "missing drop\t“Missing values”: “leave their samples out”"]
);
const page = readFileSync(new URL("../page/index.html", import.meta.url), "utf8");
const found = [...page.matchAll(/<(label|option)[^>]*>(.*?)<\/\1>/g)];
const labels = found.map((one) => one[2].replace(/<[^>]*>/g, "").trim());
const named = Object.values(plan.CONTROLS).flatMap((text) => text.match(/[^“”]+(?=”)/g));
const unlabelled = named.filter((name) => !labels.some((l) => l.startsWith(name)));
is("every control that a sentence names is on the page", unlabelled, []);

// ---- tables that a spreadsheet opens ----
is(
  "the page's tables hold no formulas",
  plan.withoutFormulas("sample\tprediction\n=1+1\t-0.5\n@a\t+\n-a\t-\n+1+1\t=\n"),
  "sample\tprediction\n'=1+1\t-0.5\n'@a\t+\n'-a\t-\n'+1+1\t'=\n"
);
const reportTools = readFileSync(new URL("../../src/report/page/1_base.js", import.meta.url), "utf8");
const toolNamed = (name) => reportTools.match(new RegExp(`\\nfunction ${name}\\([^]*?\\n}\\n`))[0];
const reportCsv = new Function(toolNamed("inert") + toolNamed("csv") + "return csv;")();
is(
  "the report's tables hold no formulas",
  reportCsv([["=1+1", "@x", "-a", "+", "-", "+b", "\t=1", -1.5, "-2e-3", null, 'a"b', "x,y"]]),
  `'=1+1,'@x,'-a,+,-,'+b,'\t=1,-1.5,-2e-3,,"a""b","x,y"\r\n`
);

// ---- the page's one script ----
function wrongScript() {
  try {
    return new Function(pageScript()) && null; // compiled, not run
  } catch (e) {
    return e.message;
  }
}
is("the modules of the page join into one script", wrongScript(), null);

// ---- the example ----
check("the example is the same every time", exampleCsv() === exampleCsv() && exampleCsv(1) !== exampleCsv(2));
const example = readHead(exampleCsv(), "csv", true);
check(
  "its columns are guessed right",
  same(guess(example), { target: "diagnosis", id: "patient", text: [], times: null }) && example.names.length === 202
);
const draw = uniform(1), drawn = Array.from({ length: 4000 }, draw);
check(
  "its numbers are spread evenly",
  Math.abs(drawn.reduce((a, b) => a + b) / 4000 - 0.5) < 0.02 && Math.min(...drawn) >= 0 && Math.max(...drawn) < 1
);

console.log(failed ? `${failed} failed` : "all passed");
process.exit(failed ? 1 : 0);
