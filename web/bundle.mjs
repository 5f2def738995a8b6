// Puts the page together: one HTML file with its style, its scripts and the program, and beside it what keeps it for
// offline use and the licenses. node bundle.mjs BUILD OUT, where BUILD has pare.js and pare.wasm, sources/ beside it.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { mkdirSync, readFileSync, writeFileSync, readdirSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { exampleCsv } from "./page/example.js";
import { pageScript } from "./page_script.mjs";
import { runNode } from "./tests/run_node.mjs";

const here = dirname(fileURLToPath(import.meta.url)), [build, out] = process.argv.slice(2);
const read = (...path) => readFileSync(join(here, ...path), "utf8");

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** What the program's reports carry of script and style: the policy names exactly these. */
async function reportParts() {
  const run = await runNode(
    build,
    [
      "path", "e.csv", "-m", "corr", "--sizes", "1,2", "--folds", "2", "--inner", "0", "--target=diagnosis",
      "--id=patient", "--report", "r.html",
    ],
    [{ name: "e.csv", bytes: new TextEncoder().encode(exampleCsv(1, 12, 4)) }],
    ["r.html"]
  );
  if (run.code !== 0) throw new Error("the program does not run: " + run.err);
  const html = new TextDecoder().decode(run.files["r.html"]);
  return { script: /<script>([^]*?)<\/script>/.exec(html)[1], style: /<style>([^]*?)<\/style>/.exec(html)[1] };
}

/** The formats that the program in the page reads. */
async function formatList() {
  const run = await runNode(build, ["generate", "formats"]);
  if (run.code !== 0) throw new Error("the program does not list its formats: " + run.err);
  return run.out;
}

const version = /PARE_VERSION "(.*)"/.exec(read("..", "include", "pare", "version.h"))[1];
const report = await reportParts(), formats = await formatList();
const style = readdirSync(join(here, "../src/report/page")).filter((f) => f.endsWith(".css")).sort()
  .map((f) => read("../src/report/page", f)).join("") + read("page", "page.css");
const app = pageScript(), frame = read("page", "frame.js");
const policy = [
  "default-src 'none'", `script-src ${[app, frame, report.script].map(hash).join(" ")} 'wasm-unsafe-eval'`,
  `style-src ${[style, report.style].map(hash).join(" ")}`, "worker-src blob: 'self'", "connect-src 'none'",
  "img-src data: blob:", "base-uri 'none'", "form-action 'none'",
].join("; ");
const worker = readFileSync(join(build, "pare.js"), "utf8") + "\n" + read("page", "worker.js");
const program = gzipSync(readFileSync(join(build, "pare.wasm")), { level: 9 }).toString("base64");
const block = (id, text) => {
  if (/<\/script|<!--/i.test(text)) throw new Error(`${id} holds what would end its element`);
  return `<script type="text/plain" id="${id}">${text}</script>\n`;
};
const html = read("page", "index.html")
  .replace('<html lang="en">', () => `<html lang="en" data-version="${version}">`)
  .replace("<!--policy-->", () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
  .replace("<!--style-->", () => `<style>${style}</style>`)
  .replace(
    "<!--program-->",
    () =>
      block("formats", formats) + block("frame-source", frame) + block("worker-source", worker) +
      block("program", program) +
      `<script>${app}</script>`
  );

mkdirSync(out, { recursive: true });
writeFileSync(join(out, "index.html"), html);
const packages = ["jansson", "zlib", "clp", "coinutils", "lapack"];
writeFileSync(
  join(out, "licenses.txt"),
  [["pare", join(here, "..", "LICENSE")], ...packages.map((p) => [p, join(build, "sources", p, "debian", "copyright")])]
    .filter(([, file]) => existsSync(file))
    .map(([name, file]) => `==== ${name} ====\n\n${readFileSync(file, "utf8")}`)
    .join("\n\n") +
    "\n\n==== emscripten's C library (musl, MIT) and glue (MIT) ====\n\nCopyright the musl and Emscripten authors.\n"
);
writeFileSync(
  join(out, "sw.js"),
  read("page", "sw.js").replace("VERSION", createHash("sha256").update(html).digest("hex").slice(0, 16))
);
const kb = (n) => `${Math.round(n / 1024)} KB`;
const size = readFileSync(join(build, "pare.wasm")).length;
console.log(`page ${kb(html.length)} (${kb(gzipSync(html).length)} packed), program ${kb(size)}`);
