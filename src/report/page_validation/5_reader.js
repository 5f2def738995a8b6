/* What a reader of the validation will ask. */
/* Risks of survival are against the training samples' mean. */
function constantOf(o) { return model.center === undefined ? o.intercept : -model.center; }
function equationOf(o) {
  var scored = data.classes.length === 2 ? "score" : o["class"] === null ? "score" : "score of " + o["class"];
  var unit = model.units === "transformed" ? "t(" : "", end = unit ? ")" : "";
  if (model.center !== undefined) scored = "risk";
  return scored + " = " + round(constantOf(o), 6) + o.coef.map(function (b, j) {
    return (b < 0 ? " \u2212 " : " + ") + round(Math.abs(b), 6) + " \u00d7 " + unit + model.selected[j].name + end;
  }).join("");
}
/* The score of a sample with the training means of all features (transformed: the medians, where t is 0). */
function workedScore(o) {
  if (model.units === "transformed") return constantOf(o);
  if (!model.mean) return null;
  return constantOf(o) + o.coef.reduce(function (sum, b, j) { return sum + b * model.mean[j]; }, 0);
}
function probabilityOf(f) {
  var how = model.calibration, z = f;
  if (!how || data.classes.length !== 2) return null;
  if (how.kind === "sigmoid") z = -(how.a * f + how.b);
  if (how.kind === "temperature") {
    var prior = Math.log(how.prior[1]) - Math.log(how.prior[0]);
    z = prior + (f - prior) / how.value;
  }
  if (model.recalibration) z = model.recalibration.a + model.recalibration.b * z;
  return 1 / (1 + Math.exp(-z));
}
function specification() {
  var linear = model.outputs && model.outputs.every(function (o) { return o.coef; });
  if (!linear) return "In the model file: its predictor is not linear.";
  if (model.selected.length > 40) return model.selected.length + " features: all coefficients are in the model file.";
  var out = model.outputs.map(equationOf).join("; ");
  if (model.units === "transformed") out += ", t(x) = asinh((x \u2212 median) / spread) with the numbers in the " +
    "model file";
  var f = workedScore(model.outputs[0]), p = f === null ? null : probabilityOf(f);
  if (model.center !== undefined) out += "; the probability of no event up to t is exp(\u2212H(t) exp(risk)), H in " +
    "the model file";
  if (f === null || model.outputs.length > 1) return out + ".";
  return out + ". For a sample with the training " + (model.units ? "medians" : "means") + " of all features: " +
    round(f, 4) +
    (p === null ? "" : ", probability of " + data.classes[1] + " " + round(p, 3)) + ".";
}
function trained() {
  var p = model.path, s = model.settings;
  return model.method + " on " + count(model.n_samples) + " samples and " + count(model.n_features) + " features, " +
    count(model.selected.length) + " selected; scaling " + model.scaling.kind + (p
    ? "; the number of features chosen by " + p.metric + ", rule " + p.rule + ", " + (p.nested ?
      "with a nested CV estimate" : "without a nested estimate")
    : s.k ? "; the number of features was given" : "") + (model.calibration && model.calibration.kind !== "softmax" ?
    "; probabilities calibrated on held-out folds" : "") + ".";
}
function sizes() {
  return cohorts.map(function (c) { return c.name + ": " + sizeText(c); }).join("; ") + ".";
}
function performance() {
  return cohorts.map(function (c) {
    return c.name + ": " + names.map(function (n) { return words(n) + " " + estimate(c.metrics[n]); }).join(", ") +
      parts(c).map(function (k) {
        return "; calibration" + (data.classes.length > 2 ? " of " + data.classes[k] : "") + ": " +
          calibrationText(c, k);
      }).join("");
  }).join(". ") + ".";
}
function heterogeneity() {
  if (!data.pooled) return "One cohort: not assessed.";
  var e = data.pooled[metric];
  return words(metric) + " over cohorts (random effects): " + estimate(e) + (e.prediction_low === null ? "" :
    "; a further cohort is expected from " + two(e.prediction_low) + " to " + two(e.prediction_high)) + ".";
}
function shifted() {
  var far = 0, all = 0;
  cohorts.forEach(function (c) {
    c.shift.forEach(function (s) {
      if (s.difference === null) return;
      all++;
      far += Math.abs(s.difference) > 0.5;
    });
  });
  return all ? far + " of " + all + " means of selected features differ from the training samples' by more than " +
    "half a standard deviation." : null;
}
function missing() {
  var lost = [];
  cohorts.forEach(function (c) { c.absent.forEach(function (a) { lost.push(a + " in " + c.name); }); });
  return "Treatment of missing values: " + (model.settings.missing || "refuse") + ", fitted on the training samples" +
    (lost.length ? "; features that were absent and replaced: " + lost.join(", ") :
      "; no selected feature was absent") + ".";
}
function readerPart() {
  section("What a reader will ask");
  page.appendChild(readerTable([
    ["5a, 5b", "sources of the data, dates", null],
    ["6a\u2013c", "setting, eligibility, treatments", null],
    ["8a\u2013c", "definition of the outcome, and who assessed it", null],
    ["9a\u2013c", "predictors: choice, definition, how they were measured",
      count(model.selected.length) + " of " + count(model.n_features) + " candidate features, chosen by " +
        model.method +
      ". How they were measured is the author's to write."],
    ["10, 21", "sample size, number of events", sizes()],
    ["11", "missing data", missing()],
    ["12c", "type of model, selection, tuning, internal validation", trained()],
    ["12e", "measures of performance", "Metrics with 95% confidence intervals (1,000 bootstrap samples; " +
      "proportions and areas with Wilson's), " +
      "calibration intercept and slope, observed / expected, net benefit."],
    ["12f, 24", "updating of the model", model.recalibration ? "Recalibrated (" + model.recalibration.kind +
      "): log odds or risk a + b z, a = " +
      round(model.recalibration.a, 4) + ", b = " + round(model.recalibration.b, 4) + "." :
        "None: the model was judged as it was fitted."],
    ["12g", "how predictions were made", "By the model file with pare " + model.pare + ", without refitting."],
    ["13", "class imbalance", "class weights: " + (model.settings.class_weight || "none") + "."],
    ["14", "fairness: groups of people", null],
    ["16", "training against evaluation data", shifted()],
    ["17, 19", "ethics, involvement of patients", null],
    ["18a\u2013f", "funding, interests, protocol, registration, data, code", "Checksum of the training data: " +
      model.data.sha256 +
      ". The rest is the author's to write."],
    ["20a\u2013c", "flow and characteristics of participants", null],
    ["22", "the full model", specification()],
    ["23a", "performance with confidence intervals", performance()],
    ["23b", "heterogeneity of performance", heterogeneity()],
    ["25\u201327", "interpretation, limitations, use", null]
  ], "pare-tripod"));
}
