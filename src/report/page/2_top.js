/* First what a person would quote, then what each method reached. */
function foldText() {
  var f = data.folds, kind = f.kind;
  if (kind === "splits")
    return f.folds + " hold-out splits, " + round(f.n_train, 4) + " samples train and " + round(f.n_test, 4) + " test";
  return (
    (f.repeats > 1 ? f.repeats + " times " : "") + f.folds +
    (kind === "given" ? " given folds" :
      kind === "folds" ? (data.classes.length ? " stratified folds" : " folds") : " " + kind)
  );
}
/* The name of the data, from the command that made the page. */
function dataName() {
  var m = /^pare path ('(?:[^']|'\\'')*'|\S+)/.exec(command || "");
  if (!m || m[1] === "-") return null;
  return m[1].replace(/^'|'$/g, "").replace(/^.*\//, "");
}
function chosenPoint(run) { return run.chosen ? run.points[run.chosen.point] : null; }
/* The number to quote: the nested one, or without inner folds that of the chosen size. */
function quoted(run) {
  if (!run.chosen) return null;
  return run.chosen.nested && run.chosen.nested.mean !== null ? run.chosen.nested : run.chosen;
}
function partsOf(run) {
  var f = quoted(run);
  return f && f.metrics
    ? f.metrics[data.metric].folds.filter(function (x) { return x !== null; }).length
    : run.folds_done;
}
function best() {
  var good = runs.filter(function (run) { return quoted(run) && quoted(run).mean !== null; });
  good.sort(function (a, b) { return (quoted(b).mean - quoted(a).mean) * (data.higher_is_better ? 1 : -1); });
  return good[0] || null;
}
function verdict(run) {
  var p = run.chosen.null ? run.chosen.null.p : null;
  if (p === null) return "";
  return p <= 0.05
    ? "; better than chance (p = " + round(p, 2) + ")"
    : "; not shown to be better than chance (p = " + round(p, 2) + ")";
}
function sentence(run) {
  var e = quoted(run), range = interval(e, partsOf(run), data.metric), nested = e !== run.chosen;
  return (
    count(run.chosen.n_features) + " of " + plural(data.n_features, "feature", "features") + "; " +
    (nested ? "expected " : "") + words(data.metric) + " " + two(e.mean) +
    (range ? " (" + two(range[0]) + " to " + two(range[1]) + ")" : "") +
    (nested ? " on new samples" : " in the folds that chose the size") + verdict(run) + "."
  );
}
function trust(run) {
  var out = [], e = quoted(run), nested = e !== run.chosen, chance = data.chance[data.metric];
  if (nested)
    out.push(
      "This is the nested estimate: in every training part the number of features was chosen anew, and samples that " +
        "had no part in the choice judged it. The range is a 95% interval that allows for overlapping training parts."
    );
  else
    out.push(
      "The size was chosen on the same folds, so the number is a little too good; inner folds (--inner 3) give an " +
        "honest one."
    );
  if (chance !== null)
    out.push(
      "Guessing (" +
        (classifies ? "always the most frequent class" : ordersSamples ? "no order" : "always the mean") +
        ") reaches " + two(chance) + "." +
        (run.chosen.null
          ? ""
          : " Whether the difference could be luck was not tested; permuted labels (--null 99) would say.")
    );
  if (runs.length > 1)
    out.push("It is the best of " + runs.length + " methods by that number, which favours it a little.");
  out.push(
    "Trust it for new samples that come about as these did, one sample a subject" +
      (data.folds.kind === "grouped folds" ? " or group" : " (fold groups keep repeated measurements together)") +
      (data.notes.some(function (n) { return /leak/.test(n); })
        ? ", and only after the warnings below are cleared up."
        : ".")
  );
  return out.join(" ");
}
function inside() {
  var did = [];
  function any(name, off) {
    return runs.some(function (run) {
      return run.points.some(function (p) {
        return p.settings[name] !== undefined && off.indexOf(p.settings[name]) < 0;
      });
    });
  }
  if (any("missing", ["refuse", "drop"])) did.push("imputation");
  if (any("scale", predictsNumber ? ["none", "auto"] : ["none"])) did.push("scaling");
  did.push("selection");
  if (runs.some(function (run) { return run.tuned; })) did.push("tuning");
  if (any("probability", [false])) did.push("calibration");
  return (
    capital(list(did)) + " happened inside each training part; no test sample was seen by " +
    (did.length > 1 ? "any of them." : "it.")
  );
}
function top_() {
  var name = dataName(), run = best();
  page.appendChild(
    make("header", {}, [
      make("p", {class: "soft small", text: name ? name : "pare path"}),
      make("h1", {id: "quote", text: run ? sentence(run) : "No fold was finished."}),
      run &&
        runs.length > 1 &&
        make("p", {
          class: "soft",
          text: "By " + run.method + ", of " + list(runs.map(function (r) { return r.method; })) + "."
        }),
      run && make("p", {text: trust(run)}),
      make("p", {
        class: "soft small",
        text:
          plural(data.n_samples, "sample", "samples") + ", " + plural(data.n_features, "feature", "features") +
          (data.classes.length ? ", classes " + list(data.classes) : "") + ". " + capital(foldText()) + ". " + inside()
      })
    ])
  );
  if (!data.complete)
    page.appendChild(
      make("p", {class: "warn", role: "status", text: "This run was stopped early: the page shows what was finished."})
    );
  data.notes.forEach(function (note) {
    page.appendChild(make("p", {class: /leak|separates? the classes/.test(note) ? "warn small" : "soft small", text: "Note: " + note + "."}));
  });
}
function card(run, i) {
  var c = run.chosen, rows = [];
  function row(name, value) { rows.push(make("div", {}, [make("dt", {text: name}), make("dd", {text: value})])); }
  if (!c)
    return make("div", {class: "card", style: "--own:" + color(i)}, [
      make("h3", {text: run.method}),
      make("p", {text: "no fold was finished"})
    ]);
  if (c.nested) row(words(data.metric) + ", nested", pm(c.nested));
  if (c.nested && c.nested.interval && c.nested.interval[0] < c.nested.interval[1])
    row("95% by resampling", two(c.nested.interval[0]) + " to " + two(c.nested.interval[1]));
  row(words(data.metric) + " at this size", pm(c));
  row("guessing", fixed(data.chance[data.metric]));
  if (c.null) row("permuted labels", "p = " + round(c.null.p));
  row(
    "stability",
    round(run.stability.index) +
      (run.stability.low === null
        ? ""
        : " (" + round(run.stability.low, 2) + " to " + round(run.stability.high, 2) + ")")
  );
  row("stable core", plural(run.stability.core.length, "feature", "features"));
  if (run.control) row("controlled set", controlShort(run.control));
  return make("div", {class: "card", style: "--own:" + color(i)}, [
    make("h3", {text: run.method}),
    make("div", {class: "big", text: plural(c.n_features, "feature", "features")}),
    make("dl", {}, rows)]);
}
