/* The file of the report that knows tasks by name. */
var classifies = data.task === "binary" || data.task === "multiclass";
var ordersSamples = data.task === "ranking";
var predictsNumber = data.task === "regression";
var predictsRisk = data.task === "survival";
/* The truth of a time to an event is the time, beside whether it is censored. */
if (predictsRisk) {
  values.censored = values.truth.map(function (t) { return !t[1]; });
  values.truth = values.truth.map(function (t) { return t[0]; });
}
/* What predicts without features; never the mean of permutations. */
function baselineName() {
  return classifies ? "majority-class baseline" : ordersSamples || predictsRisk ?
    "baseline without any order" : "mean baseline";
}
