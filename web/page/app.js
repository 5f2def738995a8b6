// The page: steps 2 to 5, and what ties all together.
import { createEngine, runPath, Cancelled } from "./engine.js";
import { readable } from "./table.js";
import { dataStep, lookAt } from "./data_step.js";
import { exampleCsv } from "./example.js";
import {
  defaultSizes, parseSizes, defaultFolds, mostFolds, pathArguments, pathPlan, fitArguments, modelArguments,
  probeArguments, predictArguments,
  shellLine, workersFor, estimate, duration, clock, count, methodsFor, readTsv, withoutFormulas, bestRun,
} from "./plan.js";
import { outcomeKind } from "./tasks.js";
import { byId, make, fill, show, complain, options, table, save, goTo, sentence } from "./dom.js";

const PROBE = 4; // seconds that a method gets to show how fast it is
const state = {
  look: null, labels: null, data: null, path: null, inputs: [], info: null, task: "auto", readSeconds: 0, files: {},
  model: null, choice: null,
};
const engine = createEngine(byId("worker-source").textContent, byId("program").textContent);
const formats = readable(JSON.parse(byId("formats").textContent));
let methods = [];
const ready = engine.run(["methods", "--json"], [], []).then((result) => { methods = JSON.parse(result.out); });

// ---- 2: what to try ----

function methodBox(m, checked) {
  return make("label", { class: "method" }, [
    make("input", { type: "checkbox", name: "method", value: m.name, checked }),
    make("span", {}, [make("strong", { text: m.name }), document.createTextNode(" " + m.summary)]),
  ]);
}

function chosenMethods() {
  return [...document.querySelectorAll("input[name=method]:checked")].map((n) => n.value);
}

function drawChoice() {
  const info = state.info,
    kind = outcomeKind(state.task, info.target.kind);
  const classes = info.target.kind === "classes" ? info.target.classes.length : 2;
  const { fine, usual } = methodsFor(methods, kind, classes);
  const known = [
    { name: "auto", summary: "pare's own choice: what did best on many data sets" },
    ...fine.filter((m) => m.name !== "auto"),
  ];
  const first = usual.map((name) => known.find((m) => m.name === name)).filter(Boolean);
  fill(byId("methods"), first.map((m) => methodBox(m, true)));
  fill(byId("all-methods"), known.filter((m) => !first.includes(m)).map((m) => methodBox(m, false)));
  byId("sizes").value = defaultSizes(info.n_features).join(", ");
  const best = defaultFolds(info), most = mostFolds(info, kind);
  options(
    byId("folds"),
    [...new Set([best, 3, 5, 10])]
      .filter((f) => f <= most || f === best)
      .sort((a, b) => a - b)
      .map((f) => [String(f), String(f)]),
    String(best)
  );
  show("missing-field", info.missing > 0 || state.unlabelled);
  if (state.unlabelled) byId("missing").value = "drop";
  show("probability-field", kind === "classes");
  const workers = workersFor(info.n_samples, info.n_features, navigator.hardwareConcurrency, navigator.deviceMemory);
  options(
    byId("workers"),
    [...Array(workers).keys()].map((i) => [String(i + 1), i ? `${i + 1} workers` : "1 worker"]),
    String(workers)
  );
  show("workers-field", workers > 1);
}

/** What the person chose; a sentence in its place if that cannot be. */
function readChoice() {
  complain("choice-error", null);
  const { sizes, wrong } = parseSizes(byId("sizes").value, state.info.n_features);
  const chosen = chosenMethods();
  const why = wrong || (chosen.length === 0 ? "choose a method" : null);
  if (why) {
    complain("choice-error", why);
    return null;
  }
  return {
    methods: chosen, sizes, folds: Number(byId("folds").value), nulls: Number(byId("nulls").value), task: state.task,
    missing: state.info.missing > 0 || state.unlabelled ? byId("missing").value : null,
    probability: byId("probability").checked && !byId("probability-field").hidden,
    workers: Number(byId("workers").value) || 1,
  };
}

/** One fit of each method says how fast this machine is with this data; asked again when the choice changes. */
const speed = new Map();
let probing = 0;
async function tellTime() {
  const turn = ++probing, choice = readChoice();
  if (!choice) return void (byId("time").textContent = "");
  const k = Math.min(10, state.info.n_features),
    key = (m) => JSON.stringify([state.data, choice.task, choice.missing, m]);
  for (const m of choice.methods) {
    if (speed.has(key(m))) continue;
    byId("time").textContent = `Measuring how long ${m} takes here …`;
    try {
      const result = await engine.run(probeArguments(state.data, choice, m, k, PROBE), state.inputs, []);
      speed.set(key(m), JSON.parse(result.out).seconds);
    } catch (e) {
      if (e instanceof Cancelled) return;
      if (turn === probing) byId("time").textContent = sentence(e.message);
      return;
    }
    if (turn !== probing) return;
  }
  const seconds = choice.methods.map((m) => speed.get(key(m)));
  const slow = seconds.some((s) => s >= PROBE) ? "at least " : "";
  byId("time").textContent =
    `This will take ${slow}${duration(estimate(seconds, choice, choice.workers, state.readSeconds))} here.`;
}

function confirmData() {
  drawChoice();
  show("step-choice");
  goTo("choice-title");
  tellTime();
}

// ---- 3: running ----

async function start() {
  const choice = readChoice();
  if (!choice) return;
  probing++;
  engine.cancel();
  state.choice = choice;
  complain("run-error", null);
  show("step-report", false);
  show("step-run");
  show("cancel");
  byId("start").disabled = true;
  byId("progress").value = 0;
  byId("run-title").lastChild.textContent = " Running";
  goTo("run-title");
  const began = performance.now();
  let share = 0, stage = "reading the table";
  const draw = () => {
    const gone = (performance.now() - began) / 1000;
    const left = share > 0.03 && share < 0.95 ? `, ${duration((gone * (1 - share)) / share)} left` : "";
    byId("stage").textContent = `${stage ? stage + ", " : ""}${Math.round(100 * share)}%, ${clock(gone)} so far${left}`;
    byId("progress").value = share;
  };
  const ticking = setInterval(draw, 500);
  draw();
  try {
    const parts = choice.folds * choice.methods.length * (1 + choice.nulls);
    const plan = pathPlan(state.data, choice, Math.min(choice.workers, parts));
    const result = await runPath(engine, plan, state.inputs, (at, what) => {
      share = Math.max(share, at);
      stage = what || stage;
      draw();
    });
    state.files = result.files;
    state.path = { plan, checkpoints: result.checkpoints };
    share = 1;
    byId("progress").value = 1;
    byId("stage").textContent = `Done in ${clock((performance.now() - began) / 1000)}.`;
    byId("run-title").lastChild.textContent = " Done";
    drawReport(result.remarks);
  } catch (e) {
    byId("stage").textContent = e instanceof Cancelled ? "Cancelled." : "";
    byId("run-title").lastChild.textContent = e instanceof Cancelled ? " Cancelled" : " Ended early";
    if (!(e instanceof Cancelled)) complain("run-error", e.message);
    goTo("run-title");
  } finally {
    clearInterval(ticking);
    byId("start").disabled = false;
    show("cancel", false);
  }
}

// ---- 4: the report ----

const text = (bytes) => new TextDecoder().decode(bytes);

function drawReport(remarks) {
  const result = JSON.parse(text(state.files["path.json"]));
  state.model = null;
  show("save-model", false);
  byId("fit-said").textContent = "";
  complain("fit-error", null);
  fill(byId("remarks"), [...new Set(remarks)].map((r) => make("li", { text: sentence(r) })));
  const frame = byId("report");
  frame.srcdoc = text(state.files["report.html"]).replace(
    /<\/body>/,
    () => `<script>${byId("frame-source").textContent}<\/script></body>`
  );
  byId("command").textContent = shellLine([...pathArguments(state.data, state.choice), "--report", "report.html"]);
  const best = bestRun(result);
  state.path.runs = result.runs;
  options(byId("model-method"), result.runs.map((run) => [run.method, run.method]), best.method);
  const sizeOf = (name) => result.runs.find((run) => run.method === name).chosen?.n_features || 1;
  byId("model-size").max = state.info.n_features;
  byId("model-size").value = sizeOf(best.method);
  byId("model-method").onchange = () => { byId("model-size").value = sizeOf(byId("model-method").value); };
  show("step-report");
  goTo("report-title");
}

addEventListener("message", (e) => {
  const frame = byId("report");
  if (e.source !== frame.contentWindow || typeof e.data?.height !== "number") return;
  frame.style.height = Math.min(60000, Math.max(300, Math.ceil(e.data.height))) + "px";
});

function stem() {
  return state.look.file.name.replace(/\.gz$/i, "").replace(/\.[^.]*$/, "").replace(/[^\w.-]+/g, "_") || "pare";
}

/** At the chosen number of features the path's own model, which carries its estimate; else a fit. */
function makeModel(method, k) {
  const run = state.path.runs.find((one) => one.method === method);
  return run.chosen?.n_features === k
    ? engine.run(modelArguments(state.path.plan, method), [...state.inputs, ...state.path.checkpoints], ["model.json"])
    : engine.run(fitArguments(state.data, state.choice, method, k), state.inputs, ["model.json"]);
}

const estimateOf = (model) => {
  const nested = model.path?.nested, { low, high } = nested?.interval || {};
  const digits = (x) => String(Number(x.toPrecision(3)));
  if (!nested) return "";
  const range = low === undefined ? "" : ` (${digits(low)} to ${digits(high)})`;
  return ` Nested CV estimate of the path: ${model.path.metric} ${digits(nested.mean)}${range}.`;
};

async function fitModel() {
  const k = Number(byId("model-size").value);
  complain("fit-error", null);
  if (!Number.isInteger(k) || k < 1 || k > state.info.n_features)
    return complain("fit-error", `the number of features must be from 1 to ${state.info.n_features}`);
  byId("fit").disabled = true;
  byId("fit-said").textContent = "fitting …";
  try {
    const result = await makeModel(byId("model-method").value, k);
    state.model = { name: "model.json", bytes: result.files["model.json"] };
    const model = JSON.parse(text(state.model.bytes));
    byId("fit-said").textContent = `${model.method} on ${count(model.selected.length)} features.${estimateOf(model)}`;
    show("save-model");
    tellModel("the model fitted above");
  } catch (e) {
    byId("fit-said").textContent = "";
    if (!(e instanceof Cancelled)) complain("fit-error", e.message);
  } finally {
    byId("fit").disabled = false;
  }
}

// ---- 5: prediction ----

let other = null; // the samples to predict

function tellModel(said) {
  const model = JSON.parse(text(state.model.bytes));
  state.model.probability = !!model.calibration && Array.isArray(model.classes) && model.classes.length > 0;
  byId("model-said").textContent = `${said}: ${model.method}, ${count(model.selected.length)} features`;
  byId("new-file").disabled = false;
  byId("predict").disabled = !other;
}

async function takeModel(file) {
  complain("predict-error", null);
  try {
    const bytes = new Uint8Array(await file.arrayBuffer()), model = JSON.parse(text(bytes));
    if (model.kind !== "model" || !Array.isArray(model.selected)) throw new Error("no model");
    state.model = { name: "model.json", bytes };
    tellModel(file.name);
  } catch {
    complain("predict-error", `${file.name} is no model that pare wrote`);
  }
}

async function takeSamples(file) {
  complain("predict-error", null);
  other = await lookAt(file, formats, state.data || {});
  if (!other.format) {
    complain("predict-error", `${file.name}: the extension does not tell the format`);
    other = null;
  } else if (other.head) {
    const named = other.head.names.filter((n, i) => n !== "" && !(other.head.unnamed && i === 0));
    options(
      byId("new-id"),
      [
        ["", `found by itself: ${other.head.unnamed ? "the first, without a name" : other.guess.id || "none"}`],
        ["none", "none"],
        ...[...new Set(named)].slice(0, 5000).map((n) => [n, n]),
      ],
      ""
    );
  }
  show("new-id-field", !!(other && other.head));
  byId("predict").disabled = !other || !state.model;
}

async function predict() {
  complain("predict-error", null);
  byId("predict-said").textContent = "predicting …";
  byId("predict").disabled = true;
  try {
    const name = other.name === "model.json" ? "samples-" + other.name : other.name;
    const { na, skip, encoding, numbered } = (other.head && state.data) || {};
    const data = { file: name, id: other.head ? byId("new-id").value || null : null, na, skip, encoding, numbered };
    const result = await engine.run(
      predictArguments("model.json", data, state.model.probability),
      [
        { name: state.model.name, bytes: state.model.bytes },
        { name, file: other.file },
      ],
      ["predicted.tsv"]
    );
    state.predicted = result.files["predicted.tsv"];
    const [head, ...rows] = readTsv(text(state.predicted));
    fill(byId("predicted"), [table(head, rows.slice(0, 500).map((row) => row.map(short)), 2)]);
    const shown = rows.length > 500 ? ", the first 500 below" : "";
    byId("predict-said").textContent =
      `${count(rows.length)} samples${shown}. ${result.remarks.map(sentence).join(" ")}`;
    show("predicted");
    show("save-predicted");
  } catch (e) {
    byId("predict-said").textContent = "";
    show("predicted", false);
    show("save-predicted", false);
    if (!(e instanceof Cancelled)) complain("predict-error", e.message);
  } finally {
    byId("predict").disabled = false;
  }
}

const short = (cell) => (/^-?\d+\.\d{5,}/.test(cell) ? String(Number(Number(cell).toPrecision(5))) : cell);

// ---- all together ----

const step1 = dataStep(engine, formats, state, confirmData);

async function take(file) {
  await ready;
  if (/\.json$/i.test(file.name)) {
    await takeModel(file);
    return goTo("predict-title");
  }
  await step1.take(file);
  goTo("preview-title");
}

function listen() {
  const drop = byId("drop");
  byId("file").addEventListener("change", () => {
    const file = byId("file").files[0];
    byId("file").value = ""; // the same one may be chosen again when it has changed
    if (file) take(file);
  });
  for (const kind of ["dragover", "dragleave", "drop"])
    addEventListener(kind, (e) => {
      e.preventDefault();
      drop.classList.toggle("over", kind === "dragover");
      if (kind !== "drop" || !e.dataTransfer.files[0]) return;
      if (byId("start").disabled) complain("run-error", "this still runs: cancel it first, then drop the file again");
      else take(e.dataTransfer.files[0]);
    });
  byId("example").addEventListener("click", async () => {
    await ready;
    await step1.take(new File([exampleCsv()], "example.csv", { type: "text/csv" }));
    if (byId("confirm").disabled) return;
    drawChoice();
    show("step-choice");
    start();
  });
  for (const id of ["sizes", "folds", "nulls", "missing", "workers", "probability"])
    byId(id).addEventListener("change", tellTime);
  for (const id of ["methods", "all-methods"]) byId(id).addEventListener("change", tellTime);
  byId("start").addEventListener("click", start);
  byId("cancel").addEventListener("click", () => engine.cancel());
  const types = {
    "report.html": "text/html",
    "path.json": "application/json",
    "predictions.tsv": "text/tab-separated-values",
  };
  for (const button of byId("downloads").children)
    button.addEventListener("click", () => {
      const name = button.dataset.file, content = state.files[name];
      save(`${stem()}-${name}`, name.endsWith(".tsv") ? withoutFormulas(text(content)) : content, types[name]);
    });
  byId("fit").addEventListener("click", fitModel);
  byId("save-model").addEventListener("click", () =>
    save(`${stem()}-model.json`, state.model.bytes, "application/json")
  );
  byId("model-file").addEventListener(
    "change",
    () => byId("model-file").files[0] && takeModel(byId("model-file").files[0])
  );
  byId("new-file").addEventListener(
    "change",
    () => byId("new-file").files[0] && takeSamples(byId("new-file").files[0])
  );
  byId("predict").addEventListener("click", predict);
  byId("save-predicted").addEventListener("click", () =>
    save("pare-predictions.tsv", withoutFormulas(text(state.predicted)), types["predictions.tsv"])
  );
}

async function begin() {
  listen();
  byId("version").textContent = document.documentElement.dataset.version || "";
  try {
    await ready;
    document.documentElement.dataset.ready = "yes";
  } catch (e) {
    complain("failure", `this browser cannot run the page: ${e.message}`);
  }
  if (location.protocol.startsWith("http") && "serviceWorker" in navigator)
    navigator.serviceWorker.register("sw.js").catch(() => {});
}
begin();
