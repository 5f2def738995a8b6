/* The file of the report that knows tasks by name. */
var classifies = data.task === "binary" || data.task === "multiclass";
var ordersSamples = data.task === "ranking";
var predictsNumber = data.task === "regression";
/* What predicts without features; never the mean of permutations. */
function baselineName() {
  return classifies ? "majority-class baseline" : ordersSamples ? "baseline without any order" : "mean baseline";
}
