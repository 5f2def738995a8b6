/* First what a person would quote, then what each method reached. */
function foldText() {
  var f = data.folds, kind = f.kind;
  if (kind === "splits")
    return f.folds + " hold-out splits, " + round(f.n_train, 4) + " samples train and " + round(f.n_test, 4) + " test";
  return (
    (f.repeats > 1 ? f.repeats + " times " : "") + f.folds +
    (kind === "given" ? " given folds" :
      kind === "cohorts" ? " cohorts, each left out in turn" :
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
/* The best run by the number to quote, as the file says. */
function best() {
  return runs.filter(function (run) { return run.method === data.best; })[0] || null;
}
/* "1 to 20, median 5": what the outer folds chose. */
function outerSizes(run) {
  var v = sorted(run.chosen.nested.n_features.filter(function (k) { return k !== null; }));
  return v[0] === v[v.length - 1]
    ? count(v[0])
    : count(v[0]) + " to " + count(v[v.length - 1]) + ", median " + round(quantile(v, 0.5), 6);
}
function permutationText(n) {
  return "p = " + round(n.p, 2) + " (least " + round(n.least, 2) + ")";
}
function trust(run) {
  var out = [];
  if (run.chosen.nested && sizes.length > 1)
    out.push(
      "For the estimate every training fold chose the number of features anew, and held-out samples, which had no " +
        "part in the choice, were predicted."
    );
  if ((run.chosen.nested || run.chosen).interval || chosenPoint(run).interval)
    out.push("The interval allows for overlapping training folds.");
  if (data.chance[data.metric] !== null && !run.chosen.null)
    out.push(
      "Whether the difference from the baseline could be luck was not tested; a permutation test (--null 199) would " +
        "say."
    );
  if (runs.length > 1)
    out.push("It is the best of " + runs.length + " methods by this estimate, which favours it a little.");
  out.push(
    (data.folds.kind === "cohorts"
      ? "Trust it for new cohorts that differ from these as these differ among themselves, one sample a subject"
      : "Trust it for new samples that come about as these did, one sample a subject") +
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
  if (runs.some(calibrated)) did.push("calibration");
  return (
    capital(list(did)) + " happened inside each training part; no test sample was seen by " +
    (did.length > 1 ? "any of them." : "it.")
  );
}
/* Whether its probabilities were fitted to the scores of the inner folds' held-out samples. */
function calibrated(run) { return run.calibration === "temperature" || run.calibration === "sigmoid"; }
function top_() {
  var name = dataName(), run = best();
  page.appendChild(
    make("header", {}, [
      make("p", {class: "soft small", text: name ? name : "pare path"}),
      make("h1", {id: "quote", text: run ? run.headline[0] : "No fold was finished."}),
      run &&
        runs.length > 1 &&
        make("p", {
          class: "soft",
          text: "By " + run.method + ", of " + list(runs.map(function (r) { return r.method; })) + "."
        }),
      run && make("p", {id: "headline", text: run.headline.slice(1).join(" ")}),
      run && make("p", {class: "soft", text: trust(run)}),
      make("p", {
        class: "soft small",
        text:
          plural(data.n_samples, "sample", "samples") + ", " + plural(data.n_features, "feature", "features") +
          (data.classes.length ? ", classes " + list(data.classes) : "") +
          (predictsRisk ? ", " + plural(data.events, "event", "events") +
            (data.median_follow_up ? ", median follow-up " + round(data.median_follow_up, 4) : "") : "") +
          ". " + capital(foldText()) + ". " + inside()
      })
    ])
  );
  if (!data.complete)
    page.appendChild(
      make("p", {class: "warn", role: "status", text: "This run was stopped early: the page shows what was finished."})
    );
  data.notes.forEach(function (note) {
    var warns = /leak|separates? the classes|fewer than 10/.test(note);
    page.appendChild(make("p", {class: warns ? "warn small" : "soft small", text: "Note: " + note + "."}));
  });
}
function card(run, i) {
  var c = run.chosen, rows = [], nested = c && c.nested && sizes.length > 1;
  function row(name, value) { rows.push(make("div", {}, [make("dt", {text: name}), make("dd", {text: value})])); }
  if (!c)
    return make("div", {class: "card", style: "--own:" + color(i)}, [
      make("h3", {text: run.method}),
      make("p", {text: "no fold was finished"})
    ]);
  if (nested) {
    row("nested CV " + words(data.metric), fixed(c.nested.mean));
    if (c.nested.interval) row(intervalName(c.nested), intervalText(c.nested));
    row("the outer " + (/splits|parts/.test(data.folds.kind) ? "splits" : "folds") + " chose", outerSizes(run));
  }
  row("CV " + words(data.metric) + " at this k", fixed(c.mean));
  if (!nested && chosenPoint(run).interval) row(intervalName(chosenPoint(run)), intervalText(chosenPoint(run)));
  row(baselineName(), fixed(data.chance[data.metric]));
  if (run.baseline) {
    row("forced-in covariates alone", fixed(run.baseline.score));
    row("what the features add", fixed(run.baseline.difference.value) + (run.baseline.difference.low === null ? "" :
      " (" + fixed(run.baseline.difference.low) + " to " + fixed(run.baseline.difference.high) + ")"));
  }
  if (c.null) {
    row("permutation mean", fixed(c.null.mean));
    row("permutation test", permutationText(c.null));
    if (c.null.p_methods !== undefined) row("best of " + runs.length + " methods", "p = " + round(c.null.p_methods, 2));
  }
  row(
    "stability",
    round(run.stability.index) +
      (run.stability.low === null
        ? ""
        : " (" + round(run.stability.low, 2) + " to " + round(run.stability.high, 2) + ")")
  );
  if (run.stability.frequency.length)
    row("stable core", plural(run.stability.core.length, "feature", "features"));
  if (run.control) row("controlled set", controlShort(run.control));
  columnsOf("page", "runs", runs).forEach(function (c) { row(c.words, shownText(fieldOf(run, c.field))); });
  return make("div", {class: "card", style: "--own:" + color(i)}, [
    make("h3", {text: run.method}),
    make("div", {class: "big", text: plural(c.n_features, "feature", "features")}),
    make("dl", {}, rows)]);
}
