// The page in a real browser: node page.mjs PAGE_FOLDER PICTURES NATIVE_PARE. Numbers are compared with the native
// program's, sentences too. The page is served from here, opened from its file, and opened without a network.
import { chromium } from "playwright-core";
import { createServer } from "node:http";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
const { environment } = await import(pathToFileURL(join(process.env.PARE_ROOT, "web/page/plan.js")));

const [folder, pictures, native] = process.argv.slice(2).map((p) => resolve(p));
mkdirSync(pictures, { recursive: true });
let failed = 0;
function check(name, fine, detail = "") {
  console.log((fine ? "ok " : "not ok ") + name + (fine || detail === "" ? "" : ": " + detail));
  failed += !fine;
}

const types = { html: "text/html", js: "text/javascript", txt: "text/plain" };
const server = createServer((request, answer) => {
  const name = request.url === "/" ? "index.html" : request.url.slice(1);
  const file = join(folder, name);
  if (!/^[\w.-]+$/.test(name) || !existsSync(file)) return answer.writeHead(404).end();
  answer
    .writeHead(200, {
      "content-type": types[name.split(".").pop()] || "application/octet-stream",
      "cache-control": "no-store",
    })
    .end(readFileSync(file));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const site = `http://127.0.0.1:${server.address().port}/`;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
  ],
});
async function open(options = {}, url = site) {
  const context = await browser.newContext({
    viewport: { width: 1100, height: 900 },
    acceptDownloads: true,
    ...options,
  });
  const page = await context.newPage();
  page.wrong = [];
  page.asked = [];
  page.on("pageerror", (e) => page.wrong.push(String(e)));
  page.on("console", (m) => m.type() === "error" && page.wrong.push(m.text()));
  page.on("dialog", (d) => { page.wrong.push("dialog " + d.message()); d.dismiss(); });
  context.on("request", (r) => /^(data|blob):/.test(r.url()) || page.asked.push(r.url()));
  await page.goto(url);
  await page.waitForSelector("html[data-ready=yes]");
  return page;
}

/** Drops a file as a person does: through a drop event on the page. */
async function drop(page, name, content) {
  const bytes = Buffer.from(content).toString("base64");
  await page.evaluate(([fileName, packed]) => {
    const file = new File([Uint8Array.from(atob(packed), (c) => c.charCodeAt(0))], fileName);
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(file);
    document
      .getElementById("drop")
      .dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
  }, [name, bytes]);
}
/** Pictures to be looked at, screen by screen: what is far below a frame's visible part is not painted. */
async function look(page, name) {
  const steps = [
    ["header", "start"], ["#preview", "data"], ["#step-choice", "choice"], ["#step-report", "report"],
    ["#command", "end"],
  ];
  for (const [selector, part] of steps) {
    await page
      .locator(selector)
      .evaluate((n) => (n.closest("details") || n).scrollIntoView({ block: "start", behavior: "instant" }));
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(pictures, `${name}-${part}.png`) });
  }
}
const visible = (page, selector) => page.waitForSelector(selector, { state: "visible", timeout: 120000 });
const confirmed = async (page) => {
  await page.waitForFunction(() => !document.getElementById("confirm").disabled && document.querySelector("#facts dl"));
  await page.click("#confirm");
  await visible(page, "#step-choice");
};
async function saved(page, selector) {
  const [got] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
  return { name: got.suggestedFilename(), text: readFileSync(await got.path(), "utf8") };
}

/** The largest difference of two JSON values, in what is allowed: relative 1e-9, but the weights and scores that an
 * iterative solver leaves within its tolerance, 1e-5, and what is calibrated on such scores, 1e-4. */
function apart(a, b, at = "") {
  if (typeof a === "number" && typeof b === "number") {
    const calibrated = /\/(probability|log_loss|brier|calibration)(\/|$)/.test(at);
    const solved = /\/(coef|weight|score|correlation|loss)(\/|$)/.test(at);
    const loose = calibrated ? 1e-4 : solved ? 1e-5 : 1e-9;
    return {
      far: a === b ? 0 : Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b), 1e-3) / loose,
      at: `${at} ${a} ${b}`,
    };
  }
  if (a === null || typeof a !== "object") return { far: a === b ? 0 : Infinity, at: `${at} ${a} ${b}` };
  const keys = Object.keys(a);
  if (b === null || typeof b !== "object" || keys.join() !== Object.keys(b).join()) return { far: Infinity, at };
  return keys.map((k) => apart(a[k], b[k], `${at}/${k}`)).reduce((x, y) => (y.far > x.far ? y : x), { far: 0, at });
}
const runIn = (cwd, env, args) => spawnSync(native, args, { cwd, encoding: "utf8", env: { ...process.env, ...env } });
const pare = (cwd, ...args) => runIn(cwd, {}, args);
const pareInPage = (cwd, ...args) => runIn(cwd, environment(), args); // its sentences name the page's controls

// ---- the built-in example ----
let page = await open();
const loaded = Date.now();
page.asked.length = 0;
await page.click("#example");
await visible(page, "#step-report");
const report = page.frameLocator("#report");
await report.locator(".chart polyline").first().waitFor();
const seconds = (Date.now() - loaded) / 1000;
const timing = await page.evaluate(() => performance.now() / 1000);
check(`the example: ${timing.toFixed(1)} s from page load to report`, timing < 10, String(seconds));
check("the report is drawn inside the page", (await report.locator(".chart polyline").count()) === 3);
check(
  "the report's sentence is there",
  /^Nested CV estimate of the whole procedure: accuracy/.test(await report.locator("#quote").textContent())
);
const [picture] = await Promise.all([
  page.waitForEvent("download"),
  report.getByRole("button", { name: "download the curve as PNG" }).first().click(),
]);
check(
  "its pictures download from inside the page",
  readFileSync(await picture.path())
    .subarray(1, 4)
    .toString() === "PNG"
);
const height = await page.locator("#report").evaluate((f) => f.offsetHeight);
check("the report is shown whole, without a scroll bar of its own", height > 1500, String(height));
const command = await page.locator("#command").textContent();
const example = await page.evaluate(() => document.getElementById("preview-title").textContent);
check("the example has a name", example === "example.csv");
const json = await saved(page, "[data-file='path.json']");
const html = await saved(page, "[data-file='report.html']");
const predictions = await saved(page, "[data-file='predictions.tsv']");
check("the report downloads as one page", /<!doctype html>/.test(html.text) && html.name === "example-report.html");
check("predictions download", /^method\tn_features\tpart\tsample\ttruth/.test(predictions.text));

const { exampleCsv } = await import("./example.js");
const work = join(pictures, "work");
mkdirSync(work, { recursive: true });
writeFileSync(join(work, "example.csv"), exampleCsv());
const words = command.trim().split(" ").slice(1, -2);
const nativeRun = pare(work, ...words, "-o", "native.json", "--predictions", "native.tsv");
check("the native program takes the command that is shown", nativeRun.status === 0, nativeRun.stderr);
const far = apart(JSON.parse(readFileSync(join(work, "native.json"), "utf8")), JSON.parse(json.text));
check(`its numbers are the page's: at most ${far.far.toPrecision(2)} of what is allowed apart`, far.far <= 1, far.at);
check(
  "nothing was asked of any network after loading",
  page.asked.filter((u) => !/sw\.js$|licenses\.txt$|\/$/.test(u)).length === 0,
  page.asked.join(" ")
);
const blocked = await page.evaluate(() => fetch("/licenses.txt").then(() => "sent", () => "refused"));
check("the policy forbids the page to connect", blocked === "refused");
page.wrong = page.wrong.filter((w) => !/connect-src|licenses\.txt/.test(w));
check("nothing went wrong", page.wrong.length === 0, page.wrong.join("; "));
await look(page, "light");

// ---- one worker or several ----
async function again(target, workers) {
  await target.evaluate((n) => {
    const select = document.getElementById("workers");
    select.replaceChildren(new Option(n, n, true, true));
  }, String(workers));
  await target.click("#start");
  await target.waitForFunction(() => /Done/.test(document.getElementById("stage").textContent));
  return (await saved(target, "[data-file='path.json']")).text;
}
check("one worker and three give the same bytes", (await again(page, 1)) === (await again(page, 3)));

// ---- a model, and other samples ----
await page.click("#fit");
await visible(page, "#save-model");
const chosenModel = JSON.parse((await saved(page, "#save-model")).text);
const whole = JSON.parse((await saved(page, "[data-file='path.json']")).text);
const itsRun = whole.runs.find((run) => run.method === whole.best); // auto, of which the model names the method
check(
  "the model at the chosen number of features carries the path's estimate",
  chosenModel.selected.length === itsRun.chosen.n_features &&
    chosenModel.path.nested.mean === itsRun.chosen.nested.mean,
  JSON.stringify(chosenModel.path)
);
check("and says it", /Nested CV estimate of the path/.test(await page.locator("#fit-said").textContent()));
await page.selectOption("#model-method", "corr");
await page.fill("#model-size", "5");
await page.click("#fit");
await page.locator("#fit-said", { hasText: "corr on 5" }).waitFor();
const model = await saved(page, "#save-model");
writeFileSync(join(work, "page-model.json"), model.text);
const others = exampleCsv(11, 30).split("\n").map((line) => line.split(",").reverse().join(",")).join("\n");
writeFileSync(join(work, "others.csv"), others);
await page.setInputFiles("#new-file", join(work, "others.csv"));
await page.waitForFunction(() => !document.getElementById("predict").disabled);
check("a last column is not taken for the ids", (await page.locator("#new-id").inputValue()) === "");
await page.selectOption("#new-id", "patient");
await page.click("#predict");
await visible(page, "#save-predicted");
const predicted = await saved(page, "#save-predicted");
const id = ["--target=diagnosis", "--id=patient"];
pare(work, "fit", "example.csv", ...id, "-m", "corr", "-k", "5", "-o", "native-model.json");
const wanted = pare(work, "predict", "native-model.json", "others.csv", "--id=patient");
const cells = (t) => t.trim().split("\n").map((l) => l.split("\t").map((c, i) => (i > 1 && !isNaN(c) ? Number(c) : c)));
const off = apart(cells(wanted.stdout), cells(predicted.text), "/score");
check("predictions are the native ones", off.far <= 1, off.at);
check(
  "the native program takes the page's model",
  pare(work, "predict", "page-model.json", "others.csv", "--id=patient").stdout.length > 100
);

// ---- a model from a file, and what cannot be predicted ----
const fresh = await open();
await drop(fresh, "my model.json", model.text);
await fresh.waitForFunction(() => /corr, 5 features/.test(document.getElementById("model-said").textContent));
await fresh.setInputFiles("#new-file", { name: "few.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n") });
await fresh.waitForFunction(() => !document.getElementById("predict").disabled);
await fresh.click("#predict");
await visible(fresh, "#predict-error");
writeFileSync(join(work, "few.csv"), "a,b\n1,2\n");
const refusal = pare(work, "predict", "page-model.json", "few.csv")
  .stderr.trim()
  .replace(/^pare: /, "")
  .replace("page-model.json", "model.json");
const shown = await fresh.locator("#predict-error").textContent();
check(
  "what is missing is said in the library's words",
  shown.toLowerCase().startsWith(refusal.toLowerCase()),
  shown + " / " + refusal
);
await drop(fresh, "no model.json", '{"kind": "path"}');
await fresh.waitForFunction(() => /no model/.test(document.getElementById("predict-error").textContent));
check("a file that is no model is refused", true);

// ---- names that would be markup or options; three classes ----
const hostile = execFileSync("bash", [join(process.env.PARE_ROOT, "tests/browser/data.sh")]);
const evil = `-m <img src=x onerror=alert(1)> $(x) 'q'.csv`;
await drop(fresh, evil, hostile);
await confirmed(fresh);
check(
  "hostile names stay text",
  (await fresh.locator("main script, main b, main img").count()) === 0 &&
    (await fresh.locator("#rows th").first().textContent()) === "<script>alert(1)</script>"
);
await fresh.fill("#sizes", "1 3 40");
await fresh.locator("input[value=l1-svm]").uncheck().catch(() => {});
await fresh.locator("#time", { hasText: "will take" }).waitFor();
await fresh.click("#start");
await visible(fresh, "#step-report");
await fresh.frameLocator("#report").locator(".chart polyline").first().waitFor();
check(
  "a file with a hostile name runs",
  (await fresh.frameLocator("#report").locator("main script, main b, main img").count()) === 0
);
const hostileCommand = await fresh.locator("#command").textContent();
writeFileSync(join(work, evil), hostile);
const bash = spawnSync(
  "bash",
  ["-c", hostileCommand.replace(/^pare/, native).replace("--report report.html", "-o hostile.json")],
  { cwd: work, encoding: "utf8" }
);
const three = apart(
  JSON.parse(readFileSync(join(work, "hostile.json"), "utf8")),
  JSON.parse((await saved(fresh, "[data-file='path.json']")).text)
);
check(
  `three classes: at most ${three.far.toPrecision(2)} of what is allowed apart`,
  bash.status === 0 && three.far <= 1,
  three.at + bash.stderr
);

// ---- files that are wrong ----
async function sentenceOf(name, content) {
  await drop(fresh, name, content);
  await fresh.waitForFunction(
    (n) =>
      !document.getElementById("data-error").hidden && document.getElementById("data-error").textContent.includes(n),
    name
  );
  return fresh.locator("#data-error").textContent();
}
for (const [name, content] of [
  ["text.csv", "id,x1,x2,class\na,1,2,p\nb,1,zwei,q\nc,3,4,p\nd,5,6,q\n"],
  ["ragged.csv", "x1,x2,class\n1,2,a\n1,2\n"],
  ["empty.csv", ""],
  ["cut.csv.gz", gzipSync(Buffer.from("x1,x2,class\n" + "1,2,a\n3,4,b\n".repeat(999))).subarray(0, 40)],
  ["binary.svm", Buffer.from([0, 1, 2, 255, 254, 10, 65])],
]) {
  const text = await sentenceOf(name, content);
  writeFileSync(join(work, name), content);
  const args = name === "text.csv" ? ["--target=class"] : [];
  const said = pareInPage(work, "info", name, ...args).stderr.trim().split("\n").pop().replace(/^pare: /, "");
  check(
    `${name} is refused in the library's words, and the page's controls`,
    text.toLowerCase().replace(/\.$/, "") === said.toLowerCase().replace(/\.$/, ""),
    `${text} / ${said}`
  );
}
check(
  "a spreadsheet is refused with what is allowed",
  /extension does not tell.*\.csv/.test(await sentenceOf("book.ods", "PK"))
);
const wide = "g".repeat(3) + Array.from({ length: 1000000 }, (_, j) => ",g" + j).join("") + "\n";
const row = "1" + ",0.5".repeat(1000000) + "\n";
const big = await fresh.evaluate(([head, line]) => {
  const file = new File([head, ...Array(300).fill(line)], "big.csv");
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(file);
  document
    .getElementById("drop")
    .dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
  return file.size;
}, [wide, row]);
await fresh.waitForFunction(() => /big\.csv has about/.test(document.getElementById("data-error").textContent), null, {
  timeout: 60000,
});
check(
  `a file too large for a tab (${Math.round(big / 1e6)} MB) is told so, with the command`,
  /pare path big\.csv/.test(await fresh.locator("#data-error pre").textContent())
);

// ---- cancel ----
await drop(fresh, "again.csv", exampleCsv(3, 80, 300));
await confirmed(fresh);
await fresh.selectOption("#nulls", "99");
await fresh.click("#start");
await fresh.waitForFunction(() => document.getElementById("progress").value > 0, null, { timeout: 60000 });
const asked = Date.now();
await fresh.click("#cancel");
await fresh.waitForFunction(() => /Cancelled/.test(document.getElementById("stage").textContent));
const told = Date.now() - asked;
for (let i = 0; i < 20 && fresh.workers().length; i++) await fresh.waitForTimeout(100);
check(
  "cancel ends at once, and the workers with it",
  told < 5000 && fresh.workers().length === 0,
  `${told} ms, ${fresh.workers().length} workers`
);
check("after a cancel all can be started again", await fresh.locator("#start").isEnabled());
check("nothing went wrong there either", fresh.wrong.length === 0, fresh.wrong.join("; "));

// ---- other formats ----
writeFileSync(
  join(work, "toy.tsv"),
  "x1\tx2\ty\n" +
    Array.from({ length: 24 }, (_, i) => `${i % 5}\t${(i * 7) % 11}\t${(i % 5) * 1.37 + 0.1 * ((i * 3) % 7)}`).join(
      "\n"
    ) +
    "\n"
);
await drop(fresh, "toy.tsv.gz", gzipSync(readFileSync(join(work, "toy.tsv"))));
await confirmed(fresh);
check(
  "values are predicted too, and a packed table is read",
  /a number/.test(await fresh.locator("#facts").textContent()) &&
    (await fresh.locator("input[name=method][value=lasso]").count()) === 1
);
await drop(
  fresh,
  "bare.csv",
  Array.from({ length: 24 }, (_, i) => `${i % 5},${(i * 7) % 11},${i % 2}`).join("\n") + "\n"
);
await visible(fresh, "#header-field");
await fresh.check("#no-header");
await confirmed(fresh);
check(
  "a table without names is read as one",
  /24/.test(await fresh.locator("#facts").textContent()) && (await fresh.locator("#target").inputValue()) === "x3"
);
const npy = (values) => { // one dimension or two, little-endian doubles
  const shape = Array.isArray(values[0]) ? `(${values.length}, ${values[0].length})` : `(${values.length},)`;
  const head = `{'descr': '<f8', 'fortran_order': False, 'shape': ${shape}, }`.padEnd(117) + "\n";
  return Buffer.concat([
    Buffer.from([0x93, 78, 85, 77, 80, 89, 1, 0, 118, 0]),
    Buffer.from(head),
    Buffer.from(new Float64Array(values.flat()).buffer),
  ]);
};
await drop(fresh, "x.npy", npy(Array.from({ length: 20 }, (_, i) => [i % 2, (i * 7) % 5, i])));
await fresh.waitForFunction(() => /choose their file/.test(document.getElementById("facts").textContent));
await fresh.setInputFiles("#labels", {
  name: "y.npy",
  mimeType: "",
  buffer: npy(Array.from({ length: 20 }, (_, i) => i % 2)),
});
await confirmed(fresh);
check("an array with its labels is read", /20/.test(await fresh.locator("#facts").textContent()));

// ---- keyboard and screen reader ----
const keys = await open();
await keys.keyboard.press("Tab");
check(
  "the first stop of the keyboard skips to the data",
  (await keys.evaluate(() => document.activeElement.className)) === "skip"
);
await keys.keyboard.press("Tab");
check("then the file chooser, which shows it", (await keys.evaluate(() => document.activeElement.id)) === "file");
await keys.keyboard.press("Tab");
await keys.keyboard.press("Enter");
await visible(keys, "#step-report");
await keys.waitForFunction(() => document.activeElement.id === "report-title");
check("the keyboard alone gets to the report, and is there", true);
const unnamed = await keys.evaluate(() =>
  [...document.querySelectorAll("button, select, input, iframe, [role=region], progress")]
    .filter(
      (n) =>
        !(
          n.textContent.trim() ||
          n.getAttribute("aria-label") ||
          n.getAttribute("aria-labelledby") ||
          n.title ||
          n.labels?.length
        )
    )
    .map((n) => n.id || n.outerHTML.slice(0, 80))
);
check("every control has a name", unnamed.length === 0, unnamed.join());

// ---- without a network, and from a file ----
await keys.waitForFunction(() => navigator.serviceWorker.controller || navigator.serviceWorker.ready.then(() => true));
await keys.evaluate(async () => {
  for (let i = 0; i < 50 && !(await caches.match("./")); i++) await new Promise((r) => setTimeout(r, 100));
});
await keys.context().setOffline(true);
await keys.reload();
await keys.waitForSelector("html[data-ready=yes]");
await keys.click("#example");
await visible(keys, "#step-report");
check("it works without a network", true);
const file = await open({}, pathToFileURL(join(folder, "index.html")).href);
await file.click("#example");
await visible(file, "#step-report");
await file.frameLocator("#report").locator(".chart polyline").first().waitFor();
check("it works from a file", file.wrong.length === 0, file.wrong.join("; "));

// ---- dark and phone ----
check("a wide screen does not either", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
const dark = await open({ colorScheme: "dark" });
await dark.click("#example");
await visible(dark, "#step-report");
await dark.frameLocator("#report").locator(".chart polyline").first().waitFor();
const [r, g, b] = (await dark.evaluate(() => getComputedStyle(document.body).backgroundColor))
  .match(/\d+/g)
  .map(Number);
check("dark is dark", r + g + b < 150);
await look(dark, "dark");
const phone = await open({
  viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true,
});
await phone.screenshot({ path: join(pictures, "phone-start.png") });
await phone.click("#example");
await visible(phone, "#step-report");
await phone.frameLocator("#report").locator(".chart polyline").first().waitFor();
await phone.waitForTimeout(500);
check(
  "a phone does not scroll sideways",
  await phone.evaluate(() => document.documentElement.scrollWidth <= screen.width)
);
await look(phone, "phone");

await browser.close();
server.close();
console.log(failed ? failed + " failed" : "all passed");
process.exit(failed ? 1 : 0);
