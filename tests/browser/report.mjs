// The report in a real browser: drawn without errors or network, hover, keyboard, sorting, dark,
// phone, print; hostile names stay text. Usage: node report.mjs PAGE.html FOLDER_FOR_PICTURES
// The page must come from `pare path` with two methods and hold a feature called <script>.
import { chromium } from "playwright-core";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { readFileSync, writeFileSync } from "node:fs";

const [file, folder] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
  ],
});
let failed = 0;
function check(name, fine) {
  console.log((fine ? "ok " : "not ok ") + name);
  failed += !fine;
}
async function open(options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.wrong = [];
  page.on("pageerror", (e) => page.wrong.push(String(e)));
  page.on("console", (m) => m.type() === "error" && page.wrong.push(m.text()));
  page.on("dialog", (d) => { page.wrong.push("dialog " + d.message()); d.dismiss(); });
  page.on("request", (r) => /^(file|data|blob):/.test(r.url()) || page.wrong.push("request " + r.url()));
  await page.goto(pathToFileURL(resolve(file)).href);
  return page;
}

const page = await open({ viewport: { width: 1100, height: 900 } });
check("the curve is drawn", (await page.locator(".chart polyline").count()) === 2);
check(
  "a name that looks like markup is text",
  (await page.locator(".features td.name", { hasText: "<script>" }).count()) > 0
);
check("no markup came from names", (await page.locator("main script, main b").count()) === 0);

const estimate = /accuracy (0\.\d\d) \((?:Wilson|bootstrap) 95% CI (0\.\d\d to [01]\.\d\d)\)/;
const baseline = /; majority-class baseline 0\.33\.$/;
const quote = await page.locator("#quote").textContent();
const quoted = baseline.test(quote) && estimate.exec(quote);
check("the sentence quotes the nested estimate, its interval and the baseline", !!quoted);
check(
  "then the outer folds, the final model and the permutation test",
  new RegExp(
    "^(The outer folds chose \\d+ to \\d+ features|Every outer fold chose \\d+).*The final model has k = \\d+ of " +
      "40 features.*is optimistic on average, because k was chosen on it\\..*p = 0\\.\\d+(, the least| where " +
      "0\\.05 is the least) possible with 19 permutations"
  ).test(await page.locator("#headline").textContent())
);
const cards = await page.locator(".card").allTextContents();
check("the card has the interval of the headline", quoted && cards.some((c) => c.includes(quoted[2])));
check(
  "one interval for one number",
  cards.every((c) => c.split("95% CI").length === 2) && cards.every((c) => !c.includes("\u00b1"))
);
check(
  "baseline and permutation mean are two numbers with two names",
  cards.every((c) => [/majority-class baseline0\.333/, /permutation mean0\.\d+/, /least 0\.05/].every((r) => r.test(c)))
);
const said = await page.locator("main").textContent();
check("nothing is claimed that did not happen", !/tuning|[Ii]mputation/.test(said) && said.includes("stratified"));
check("the baseline has its line", (await page.locator(".chart line.chance").count()) === 1);
check("axes have titles", (await page.locator(".chart text.title").allTextContents()).join().includes("accuracy"));
check("a method chooser shows one method's features", (await page.locator("table.features").count()) === 1);
check(
  "ROC, precision, calibration and confusion are drawn",
  (await page.locator("figure.panel figcaption").allTextContents()).length === 4
);
const truth = (await page.locator("table.confusion tbody td").allTextContents()).map((s) => parseInt(s));
check("every sample is in the confusion matrix", truth.length === 9 && truth.reduce((a, b) => a + b) === 90);
check(
  "calibration is drawn from probabilities",
  (await page.locator('svg[aria-label="calibration"] circle').count()) > 1
);
check("values by class are drawn", (await page.locator('svg[aria-label^="values of"] circle').count()) >= 90);
check("samples have a heat map", (await page.locator('svg[aria-label^="heat map"] image').count()) === 1);
check(
  "the controlled set has its sentence",
  /selects on average at most 1 feature that is hardly better than chance/.test(
    await page.locator("p.control").textContent()
  )
);
check(
  "shares are drawn with the threshold",
  (await page.locator('svg[aria-label^="proportion of half-samples"] rect').count()) >= 3 &&
    (await page.locator('svg[aria-label^="proportion of half-samples"] line.threshold').count()) === 1
);
check(
  "the methods paragraph cites",
  /\[1\].*pare \d/.test(await page.locator("#paste").textContent()) && (await page.locator("#paste li").count()) >= 3
);
async function download(name) {
  const [got] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name, exact: true }).first().click(),
  ]);
  return { name: got.suggestedFilename(), text: readFileSync(await got.path()) };
}
const svg = await download("download the curve as SVG");
check(
  "a figure downloads as SVG with its colours",
  svg.name === "pare-curve.svg" && /<svg[^>]*xmlns=/.test(svg.text) && !String(svg.text).includes("var(")
);
const png = await download("download the curve as PNG");
check("a figure downloads as PNG", png.text.subarray(1, 4).toString() === "PNG" && png.text.length > 5000);
const table = await download("download the features as CSV");
check(
  "a table downloads as CSV with names quoted",
  String(table.text).startsWith("rank,name,index") && /"a""b&c"/.test(String(table.text))
);
check("a name that a spreadsheet would run is text there", /,'=1\+1,/.test(String(table.text)));
const whole = await download("download the whole result as JSON");
check("the whole result downloads as JSON", JSON.parse(whole.text).kind === "path");

await page.locator(".chart svg").first().hover();
const told = await page.locator(".tip.on").textContent();
check("hover shows the values of all methods", /features?\n.*svm.*±.*corr.*±/s.test(told));
await page.screenshot({ path: folder + "/hover.png" });
await page.locator(".point").first().focus();
const before = await page.locator(".tip.on").textContent();
await page.keyboard.press("ArrowRight");
check("arrow keys move along the curve", (await page.locator(".tip.on").textContent()) !== before);

const names = () => page.locator(".features td.name").allTextContents();
const ranked = await names();
await page.getByRole("button", { name: "feature", exact: true }).click();
const sorted = await names();
check(
  "a click sorts by name",
  sorted.join("\n") === [...sorted].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).join("\n") &&
    sorted.length === ranked.length
);
check(
  "the sorted column says so",
  (await page.locator('.features th[aria-sort="ascending"]').textContent()) === "feature"
);
await page.getByRole("button", { name: "score", exact: true }).click();
const scores = (await page.locator(".features tbody tr td:nth-child(3)").allTextContents()).map(Number);
check("a click sorts numbers as numbers", scores.every((x, i) => i === 0 || scores[i - 1] >= x));
await page.getByRole("button", { name: "svm" }).first().click();
check("a legend key hides its curve", (await page.locator(".chart polyline").count()) === 1);
await page.getByRole("button", { name: "svm" }).first().click();
await page.selectOption("#metric", "auc");
check(
  "another metric can be shown",
  (await page.locator(".chart svg").first().getAttribute("aria-label")).startsWith("AUC")
);
await page.selectOption("#metric", "accuracy");
await page.selectOption("#method", "1");
check(
  "the other method's features are shown",
  (await page.locator(".features caption").textContent()).includes("fit of corr on all samples")
);
const unnamed = await page.evaluate(
  () =>
    [...document.querySelectorAll("button, select, [role=region], [role=img], [role=group]")].filter(
      (n) => !(n.textContent.trim() || n.getAttribute("aria-label") || n.labels?.length)
    ).length
);
check("every control has a name", unnamed === 0);
await page.mouse.move(0, 0);
await page.screenshot({ path: folder + "/light.png", fullPage: true });
check("nothing went wrong: " + page.wrong.join("; "), page.wrong.length === 0);

const dark = await open({ viewport: { width: 1100, height: 900 }, colorScheme: "dark" });
const [r, g, b] = (await dark.evaluate(() => getComputedStyle(document.body).backgroundColor))
  .match(/\d+/g)
  .map(Number);
check("dark is dark", r + g + b < 150);
await dark.screenshot({ path: folder + "/dark.png", fullPage: true });

const phone = await open({
  viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true,
});
check(
  "a phone does not scroll sideways",
  await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
);
await phone.screenshot({ path: folder + "/phone.png", fullPage: true });

// The page computes no interval of its own: another one in its data is the one that is shown, and none is none.
const data = /(<script[^>]*id="data"[^>]*>)([^]*?)(<\/script>)/;
const text = readFileSync(file, "utf8"), result = JSON.parse(data.exec(text)[2]);
const certain = { level: 0.95, low: 0.96, high: 1, kind: "wilson" };
Object.assign(result.runs[0].chosen.nested, { mean: 1, se: 0, interval: certain });
Object.assign(result.runs[1].chosen.nested, { interval: null });
writeFileSync(
  folder + "/perfect.html",
  text.replace(data, (all, begin, old, end) => begin + JSON.stringify(result).replaceAll("<", "\\u003c") + end)
);
await dark.goto(pathToFileURL(resolve(folder + "/perfect.html")).href);
const shown = await dark.locator(".card").allTextContents();
check("no error is not certainty", /nested CV accuracy1\.000Wilson 95% CI0\.96 to 1\.00/.test(shown[0]));
check("no interval is none", !shown[1].includes("95% CI"));

await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
check("all methods are in print", (await page.locator("table.features").count()) === 2);
await page.evaluate(() => dispatchEvent(new Event("afterprint")));
await page.pdf({
  path: folder + "/print.pdf",
  format: "A4",
  margin: { top: "15mm", bottom: "15mm", left: "15mm", right: "15mm" },
});
await browser.close();
console.log(failed ? failed + " failed" : "all passed");
process.exit(failed ? 1 : 0);
