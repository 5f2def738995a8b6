// Step 1: a file, what it seems to hold, and the person's word for it.
import {
  formatOf, isText, listed, readHead, withoutHeader, guess, guessRows, npyShape, extensions, textColumns,
} from "./table.js";
import { infoArguments, limitOf, safeName, pathArguments, shellLine, count, defaultSizes } from "./plan.js";
import { byId, make, fill, show, complain, options, sentence, table } from "./dom.js";
import { TIMED } from "./tasks.js";
import { Cancelled } from "./engine.js";

const MAX_COLUMNS = 5000; // of which every one is described
const HEAD = 1 << 20, MOST = 96 << 20, LINES = 3; // bytes that the preview looks at, more where lines are long

function enough(bytes, size) {
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0 && lines < LINES; at = bytes.indexOf(10, at + 1)) lines++;
  return lines >= LINES || size >= MOST;
}

/** The first bytes of a file, unpacked if they are packed: some lines of a table at least. */
async function headBytes(file, gz) {
  let size = HEAD, bytes;
  do {
    bytes = gz ? await unpackHead(file, size) : new Uint8Array(await file.slice(0, size).arrayBuffer());
    if (bytes.length < size || enough(bytes, size)) break;
    size *= 4;
  } while (true);
  return { bytes, whole: bytes.length < size };
}

async function unpackHead(file, most) {
  const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const out = new Uint8Array(most);
  let size = 0;
  try {
    while (size < most) {
      const { done, value } = await reader.read();
      if (done) break;
      const part = value.subarray(0, most - size);
      out.set(part, size);
      size += part.length;
    }
  } catch { /* a damaged file: the library says what is wrong with it */ }
  reader.cancel().catch(() => {});
  return out.subarray(0, size);
}

/** By its byte order mark, else as the person says. */
function encodingOf(bytes, said) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return { cp1252: "windows-1252", latin1: "windows-1252", "utf-16": "utf-16le" }[said] || "utf-8";
}

/** Previews of tables also serve the file to be predicted. reading: encoding and lines to skip. */
export async function lookAt(file, formats, reading = {}) {
  const format = formatOf(file.name, formats);
  if (!format) return { file, format: null };
  const { bytes, whole } = await headBytes(file, format.gz);
  const look = { file, format, name: safeName(file.name), shape: null };
  if (format.name === "npy") look.shape = npyShape(bytes);
  if (!format.lines) return look;
  const text = new TextDecoder(encodingOf(bytes, reading.encoding)).decode(bytes);
  look.head = readHead(text, format.name, whole, reading.skip);
  look.guess = guess(look.head);
  look.shape = { n: guessRows(look.head, file.size, format.gz), d: Math.max(1, look.head.names.length - 2) };
  return look;
}

export function dataStep(engine, formats, state, onConfirm) {
  let asked = 0; // which question about the data is the last
  byId("file").accept = [...extensions(formats), ".gz", ".json"].join(",");
  byId("known").textContent = extensions(formats).join(" ");

  function drawRows(head) {
    const wide = Math.min(head.names.length, 9), more = head.names.length - wide;
    const last = head.names.length - 1;
    const shown = more > 0 ? [...Array(wide - 1).keys(), last] : [...Array(wide).keys()];
    const cells = (row, tag) =>
      shown
        .flatMap((j, k) => [
          more > 0 && k === wide - 1
            ? make(tag, { text: tag === "th" ? `… ${count(more)} more …` : "…", class: "soft" })
            : null,
          make(tag, { text: row[j] ?? "", class: "name", scope: tag === "th" ? "col" : null }),
        ])
        .filter(Boolean);
    fill(byId("rows"), [
      make("thead", {}, [make("tr", {}, cells(head.names, "th"))]),
      make("tbody", {}, head.rows.slice(0, 6).map((row) => make("tr", {}, cells(row, "td")))),
    ]);
  }

  function drawText(names) {
    show("text-field", names.length > 0);
    byId("text-names").textContent = names.slice(0, 12).join(", ") + (names.length > 12 ? ", …" : "");
  }

  function drawColumns(look) {
    const head = look.head, names = head.names.filter((name, i) => name !== "" && !(head.unnamed && i === 0));
    const known = [...new Set(names)].slice(0, 5000);
    if (look.guess.target !== null && !known.includes(look.guess.target)) known.push(look.guess.target);
    const none = look.guess.target === null ? [["", "in a file of its own"]] : [];
    options(byId("target"), [...none, ...known.map((n) => [n, n])], look.guess.target ?? "");
    const first = head.unnamed ? "the first, without a name" : look.guess.id || "none";
    options(byId("id"), [["", `found by itself: ${first}`], ["none", "none"], ...known.map((n) => [n, n])], "");
    const times = look.guess.times || { time: names[0], event: names[0] };
    for (const part of ["time", "event"]) options(byId(part + "-column"), known.map((n) => [n, n]), times[part]);
    options(byId("strata-column"), [["", "none"], ...known.map((n) => [n, n])], "");
    drawText(look.guess.text);
  }

  const isTimed = () => byId("kind").value === TIMED && !!state.look.head;

  /** The columns of the outcome, as many as its kind has. */
  function drawKind() {
    const here = !!state.look.head && !byId("in-rows").checked;
    show("target-field", here && !isTimed());
    for (const field of document.querySelectorAll(".timed")) field.hidden = !here || !isTimed();
  }

  /** The columns of times to an event. */
  function timesOf(data) {
    const of = (id) => byId(id).value.trim() || null;
    data.target = null;
    return Object.assign(data, {
      time: of("time-column"), event: of("event-column"), eventValue: of("event-value"), strata: of("strata-column"),
    });
  }

  function dataOf(look) {
    const data = { file: look.name, format: look.format.name };
    if (look.format.part) {
      data[look.format.part] = byId("part").value.trim() || null;
      Object.assign(data, reading(), { inRows: byId("in-rows").checked });
    }
    const left = byId("drop-names").value.split(",").map((n) => n.trim()).filter(Boolean);
    if (left.length) data.drop = left;
    if (look.head) {
      const rows = byId("in-rows").checked;
      data.inRows = rows;
      data.noHeader = byId("no-header").checked;
      data.header = byId("header").checked && !data.noHeader;
      data.target = rows || state.labels ? null : byId("target").value || null;
      data.id = rows ? null : byId("id").value || null;
      if (!rows && isTimed()) timesOf(data);
      const outcome = [data.target, data.id, data.time, data.event, data.strata];
      const text = textColumns(look.head, look.guess, outcome);
      drawText(text);
      const treat = document.querySelector("input[name=text]:checked").value;
      if (!rows && text.length && treat === "drop")
        data.drop = [...new Set([...text.filter((n) => !n.includes(",")), ...left])];
      Object.assign(data, reading());
      if (!rows && text.length && treat === "categorical") data.categorical = true;
    }
    if (state.labels) data.labels = state.labels.name;
    return data;
  }

  /** What the controls under "How the file is read" say. */
  function reading() {
    return {
      na: byId("na").value.trim() || null, skip: Number(byId("skip").value) || 0,
      encoding: byId("encoding").value || null, numbered: byId("numbered").checked,
      mergeCase: byId("merge-case").checked,
    };
  }

  const inputs = () => [{ name: state.look.name, file: state.look.file }, ...(state.labels ? [state.labels] : [])];

  /** What the library took every column for. */
  function drawAllColumns(columns) {
    show("all-columns", !!columns);
    if (!columns) return;
    const number = (x) => (x === null ? "" : String(Number(x.toPrecision(4))));
    fill(byId("column-table"), [
      table(
        ["name", "taken for", "missing", "distinct", "least", "largest", "suspect"],
        columns.map((c) => [
          c.name ?? "", c.kind, count(c.missing), count(c.distinct), number(c.least), number(c.largest),
          c.suspect.join(", "),
        ]),
        2
      ),
    ]);
  }

  function facts(info, remarks, seconds) {
    const target = info.target || { kind: "none" };
    const lines = [["samples", count(info.n_samples)], ["features", count(info.n_features)]];
    if (target.kind === "classes")
      lines.push([
        `${target.classes.length} classes`,
        target.classes
          .slice(0, 12)
          .map((c) => `${c.label}: ${count(c.count)}`)
          .join(", ") + (target.classes.length > 12 ? ", …" : ""),
      ]);
    else if (target.kind === "none") lines.push(["outcome", "none"]);
    else if (target.kind === "times")
      lines.push([
        "times to an event",
        `${Number(target.min.toPrecision(4))} to ${Number(target.max.toPrecision(4))}, ${count(target.events)} events`,
      ]);
    else lines.push(["outcome", "a number"]);
    lines.push([
      "missing values",
      info.missing ? `${count(info.missing)} in ${count(info.features_with_missing)} features` : "none",
    ]);
    if (info.constant_features) lines.push(["constant features", `${count(info.constant_features)}, never chosen`]);
    const ids = (info.columns || []).find((c) => c.kind === "id");
    if (ids) lines.push(["samples are named by", ids.name ? ids.name : "the first column, without a name"]);
    fill(byId("facts"), [
      make(
        "dl",
        { class: "facts" },
        lines.flatMap(([k, v]) => [make("dt", { text: k }), make("dd", { text: v })])
      ),
      remarks.length
        ? make("ul", { class: "soft small" }, remarks.map((r) => make("li", { text: sentence(r) })))
        : null,
    ]);
    drawAllColumns(info.columns);
    state.unlabelled = remarks.some((r) => r.includes("have no target and are left out"));
    state.readSeconds = seconds;
  }

  async function ask() {
    const question = ++asked;
    complain("data-error", null);
    byId("confirm").disabled = true;
    show("step-choice", false);
    const look = state.look;
    state.data = dataOf(look);
    state.inputs = inputs();
    const shape = look.shape, over = shape && limitOf(shape.n, shape.d, look.file.name);
    if (over) {
      const line = shellLine([
        ...pathArguments(state.data, { methods: ["auto"], sizes: defaultSizes(shape.d) }),
        "--report",
        "report.html",
      ]);
      fill(byId("facts"), []);
      complain("data-error", over);
      byId("data-error").append(make("pre", { text: line }));
      return;
    }
    if (!look.format.holds_target && !state.labels) {
      fill(byId("facts"), [
        make("p", { class: "soft", text: "This format holds no outcomes: choose their file above." }),
      ]);
      return;
    }
    fill(byId("facts"), [make("p", { class: "soft", text: "Reading …" })]);
    const start = performance.now();
    try {
      const kind = byId("kind").value;
      const few = !shape || shape.d <= MAX_COLUMNS;
      const result = await engine.run(infoArguments(state.data, few), state.inputs, []);
      if (question !== asked) return;
      state.info = JSON.parse(result.out);
      if (look.format.part && !look.head && !state.data.inRows && state.info.columns) {
        Object.assign(look, listed(state.info.columns));
        drawColumns(look);
        show("id-field");
        drawKind();
        if (look.guess.text.length) return ask(); // without them, unless they are to be codes
      }
      const text = (state.info.columns || []).some(isText);
      if (text && !state.data.categorical) {
        drawAllColumns(state.info.columns);
        await engine.run(infoArguments(state.data, false), state.inputs, []); // rejects it, and names the value
      }
      if (question !== asked) return;
      state.task = kind;
      facts(state.info, result.remarks, (performance.now() - start) / 1000);
      byId("confirm").disabled = !state.info.target;
      if (!state.info.target) complain("data-error", "the file holds no outcomes: choose their file above");
    } catch (e) {
      if (question !== asked || e instanceof Cancelled) return;
      fill(byId("facts"), []);
      complain("data-error", e.message);
    }
  }

  /** Shows a file; resolves when the library has read it, or said why not. */
  async function take(file) {
    for (const id of ["na", "drop-names", "part", "event-value"]) byId(id).value = "";
    byId("skip").value = "0";
    byId("encoding").value = "";
    byId("numbered").checked = byId("merge-case").checked = false;
    const look = await lookAt(file, formats);
    engine.cancel();
    state.look = look;
    state.labels = null;
    byId("labels").value = "";
    byId("in-rows").checked = byId("no-header").checked = byId("header").checked = false;
    for (const id of ["step-choice", "step-run", "step-report"]) show(id, false);
    if (!look.format) {
      show("preview", false);
      complain(
        "data-error",
        `${file.name}: the extension does not tell the format; known are ${byId("known").textContent}, each also .gz`
      );
      return;
    }
    byId("preview-title").textContent = file.name;
    if (look.guess && look.guess.times) byId("kind").value = TIMED;
    else if (byId("kind").value === TIMED) byId("kind").value = "auto";
    show("id-field", !!look.head);
    drawKind();
    for (const id of ["rows-field", "reading"]) show(id, !!look.head || !!look.format.part);
    show("part-field", !!look.format.part);
    show("all-columns", false);
    for (const id of ["header-field", "names-field"]) show(id, !!look.head && look.head.headerLooksLikeData);
    show("labels-field", !look.format.lines);
    byId("rows").parentElement.hidden = !look.head;
    show("text-field", false);
    if (look.head) {
      drawRows(look.head);
      drawColumns(look);
    }
    show("preview");
    await ask();
  }

  byId("kind").addEventListener("change", () => drawKind());
  for (const id of ["time-column", "event-column", "event-value", "strata-column"])
    byId(id).addEventListener("change", () => ask());
  for (const id of ["target", "id", "kind", "header", "na", "drop-names", "numbered", "merge-case"])
    byId(id).addEventListener("change", () => ask());
  /** Other bytes or lines are another table. */
  async function lookAgain() {
    const look = await lookAt(state.look.file, formats, reading());
    look.name = state.look.name;
    state.look = look;
    if (look.head) {
      drawRows(look.head);
      drawColumns(look);
    }
    await ask();
  }
  byId("part").addEventListener("change", () => lookAgain());
  for (const id of ["skip", "encoding"]) byId(id).addEventListener("change", () => lookAgain());
  for (const radio of document.querySelectorAll("input[name=text]")) radio.addEventListener("change", () => ask());
  byId("no-header").addEventListener("change", () => {
    const look = state.look;
    look.named = look.named || look.head;
    look.head = byId("no-header").checked ? withoutHeader(look.named) : look.named;
    look.guess = guess(look.head);
    drawRows(look.head);
    drawColumns(look);
    ask();
  });
  byId("in-rows").addEventListener("change", () => {
    const rows = byId("in-rows").checked;
    show("labels-field", rows || !state.look.format.lines);
    show("id-field", !rows && !!state.look.head);
    drawKind();
    if (!rows) state.labels = null;
    ask();
  });
  byId("labels").addEventListener("change", () => {
    const file = byId("labels").files[0];
    state.labels = file ? { name: safeName(file.name), file } : null;
    if (state.labels && state.labels.name === state.look.name) state.labels.name = "labels-" + state.labels.name;
    ask();
  });
  byId("confirm").addEventListener("click", () => onConfirm());
  return { take };
}
