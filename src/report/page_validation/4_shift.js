/* How the cohorts differ from the training samples, feature by feature, and the counts of decisions. */
function shiftPart() {
  var rows = [];
  cohorts.forEach(function (c) {
    c.shift.forEach(function (s) {
      if (s.difference === null && s.outside === null) return;
      var noted = Math.abs(s.difference) > 0.5 || s.outside > 0.05;
      rows.push({mark: noted, size: Math.abs(s.difference || 0), cells: [s.name, c.name, fixed(s.difference),
        percent(s.outside)]});
    });
  });
  var absent = [];
  cohorts.forEach(function (c) {
    c.replaced.forEach(function (a) {
      absent.push(c.name + " lacks " + a.name + ": " + (a.by === null ? "the mean of the training samples" : a.by) +
        " stands in for it");
    });
  });
  if (!rows.length && !absent.length) return;
  section("Are these the same features?", "Difference of the mean from that of the training samples, in their " +
    "standard deviations, and the " +
    "proportion of values outside their range; marked above 0.5 or 5%.");
  absent.forEach(function (s) { page.appendChild(make("p", {class: "warn", text: s + "."})); });
  rows.sort(function (a, b) { return b.size - a.size; });
  if (rows.length)
    page.appendChild(tableOf(["feature", "cohort", "difference in SD", "outside the range"], rows,
      "shift of features", "pare-shift"));
}
function confusionPart() {
  var panels = make("div", {class: "panels"});
  if (!cohorts[0].confusion) return;
  section("Which decisions follow from them?", "Rows: the true class; columns: the predicted one.");
  cohorts.forEach(function (c) {
    c.confusion.forEach(function (t) {
      var title = c.name + (t.cut === null ? ", the model's decision" : ", probability from " + t.cut + " on");
      panels.appendChild(make("figure", {class: "panel"}, [
        make("figcaption", {text: title}),
        tableOf(["truth"].concat(data.classes), t.counts.map(function (row, k) {
          return {cells: [data.classes[k]].concat(row.map(count))};
        }), "confusion of " + title, "pare-confusion")
      ]));
    });
  });
  page.appendChild(panels);
}
