/* What a reader of the path will ask. */
function classCounts() {
  var run = runs.filter(function (r) { return r.predictions; })[0], seen = {};
  if (!run || !data.classes.length) return "";
  var number = data.classes.map(function () { return 0; }), s = run.predictions;
  s.row.forEach(function (row, i) {
    if (seen[row]) return;
    seen[row] = true;
    number[s.truth[i]]++;
  });
  return "; held out at least once: " + list(data.classes.map(function (c, k) { return count(number[k]) +
    " of class " + c; }));
}
function preparedText() { return prepared().join(" "); }
function performanceText() {
  return runs.map(function (run) { return run.method + ": " + run.headline.join(" "); }).join(" ");
}
function fairPoint() {
  var run = best();
  if (!run || !run.chosen) return null;
  return count(run.chosen.n_features) + " features, in the table of this page with their weights; pare path " +
    "--model FILE writes the model " +
    "with its intercept, and pare validate --report prints its equation with a worked prediction.";
}
function readerPart() {
  section("What a reader will ask");
  page.appendChild(readerTable([
    ["5a, 5b", "sources of the data, dates", null],
    ["6a\u2013c", "setting, eligibility, treatments", null],
    ["7, 12b", "preparation of the data", preparedText()],
    ["8a\u2013c", "definition of the outcome, and who assessed it", null],
    ["9a\u2013c", "predictors: choice, definition, how they were measured", count(data.n_features) +
      " candidate features. How they were " +
      "measured is the author's to write."],
    ["10, 21", "sample size, number of events", plural(data.n_samples, "sample", "samples") + classCounts() + "."],
    ["12a, 16", "use of the data: training and testing", foldText() + (data.folds.inner ? "; " + data.folds.inner +
      " inner folds" : "") + ". " +
      inside()],
    ["12c", "type of model, selection, tuning, internal validation", paragraph().text],
    ["12e", "measures of performance", list(Object.keys(runs[0].points[0].metrics).map(words)) + "; chosen by " +
      words(data.metric) + "."],
    ["13", "class imbalance", "class weights: " + (runs[0].points[0].settings.class_weight || "none") + "."],
    ["14", "fairness: groups of people", null],
    ["17, 19", "ethics, involvement of patients", null],
    ["18a\u2013f", "funding, interests, protocol, registration, data, code", "pare " + data.pare + ", seed " +
      data.seed +
      ", checksum of the data " + data.data.sha256 + (command ? ", command: " + command : "") +
        ". The rest is the author's to write."],
    ["20a\u2013c", "flow and characteristics of participants", null],
    ["22", "the full model", fairPoint()],
    ["23a", "performance with confidence intervals", performanceText()],
    ["23b", "heterogeneity of performance", runs[0].cohorts ?
      "One cohort left out after the other: see the forest plot." :
      "Not assessed: --leave-out COLUMN leaves out one cohort after the other, pare validate judges the model by " +
        "others."],
    ["25\u201327", "interpretation, limitations, use", null]
  ], "pare-tripod"));
}
