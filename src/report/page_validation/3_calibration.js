/* Calibration with the counts behind it, and decision curves. */
function each(what, k) { return Array.isArray(what) ? what[k] : what; }
function parts(c) {
  if (!c.calibration) return [];
  if (!Array.isArray(c.calibration.slope)) return [0];
  return data.classes.map(function (name, k) { return k; });
}
function called(c, k) {
  return c.name + (data.classes.length > 2 ? ", " + data.classes[k] : "");
}
function groupsOf(c, k) { return data.classes.length > 2 ? c.calibration.groups[k] : c.calibration.groups; }
function axisEnds(groups) {
  if (data.task !== undefined && data.classes.length + (data.at !== null ? 1 : 0) > 0) return [0, 1];
  var v = [];
  groups.forEach(function (g) { v.push(g.predicted, g.observed, g.low, g.high); });
  v = v.filter(function (x) { return x !== null; });
  return [Math.min.apply(null, v), Math.max.apply(null, v)];
}
function outcomeName(k) {
  if (data.at !== null) return "an event by " + tick(data.at);
  return data.classes.length ? data.classes[data.classes.length > 2 ? k : 1] : "the outcome";
}
function calibrationPlot(c, k) {
  var groups = groupsOf(c, k), ends = axisEnds(groups), shares = data.classes.length || data.at !== null;
  var strip = ends[0] - 0.13 * (ends[1] - ends[0]); /* below the points: their numbers */
  var p = plot(420, 430, ends[0], ends[1], strip, ends[1],
    shares ? "predicted probability of " + short(outcomeName(k), 24) : "predicted", shares ? "observed proportion" :
      "observed mean",
    "calibration of " + called(c, k));
  p.svg.appendChild(make("line", {class: "chance", x1: p.x(ends[0]), y1: p.y(ends[0]), x2: p.x(ends[1]),
    y2: p.y(ends[1])}));
  p.svg.appendChild(make("polyline", {
    points: groups.map(function (g) { return p.x(g.predicted) + "," + p.y(g.observed); }).join(" "), fill: "none",
    stroke: color(0), "stroke-width": 1.6, opacity: 0.6
  }));
  groups.forEach(function (g, i) {
    var x = p.x(g.predicted);
    if (g.low !== null)
      p.svg.appendChild(make("line", {
        x1: x, x2: x, y1: p.y(Math.max(g.low, ends[0])), y2: p.y(Math.min(g.high, ends[1])), stroke: color(0),
          "stroke-width": 2,
        opacity: 0.5
      }));
    p.svg.appendChild(make("circle", {cx: x, cy: p.y(g.observed), r: 4, fill: color(0)}, [make("title", {
      text: g.n + " samples: predicted " + two(g.predicted) + ", observed " + two(g.observed)
    })]));
    /* in two lines, so that neighbours do not meet */
    p.svg.appendChild(make("text", {x: x, y: p.bottom - 6 - 16 * (i % 2), "text-anchor": "middle", text: g.n}));
  });
  return p.svg;
}
function calibrationText(c, k) {
  var own = c.calibration;
  return ["intercept " + estimate(each(own.intercept, k)), "slope " + estimate(each(own.slope, k)),
    "observed / expected " + estimate(each(own.observed_expected,
      k))].filter(function (s) { return !/\u2013$/.test(s); }).join("; ");
}
function calibrationPart() {
  var list = [], panels = make("div", {class: "panels"});
  cohorts.forEach(function (c) { parts(c).forEach(function (k) { list.push([c, k]); }); });
  if (!list.length) return;
  section("Are they right on the whole, and not too extreme?",
    "Groups of samples with similar predictions: what was predicted for them against what was observed, with 95% " +
      "intervals and, below, their " +
    "numbers. Perfect: on the line; intercept 0, slope 1, observed / expected 1. A slope below 1: predictions are " +
      "too extreme.");
  list.forEach(function (one) {
    var c = one[0], k = one[1], name = "pare-calibration-" + called(c, k).replace(/[^\w-]/g, "");
    var drawn = groupsOf(c, k).length ? panel(called(c, k), name, calibrationPlot(c, k)) : make("figure",
      {class: "panel"}, [
      make("figcaption", {text: called(c, k)})]);
    drawn.insertBefore(make("p", {class: "small", text: calibrationText(c, k)}), drawn.childNodes[1] || null);
    panels.appendChild(drawn);
  });
  page.appendChild(panels);
  if (cohorts.some(function (c) { return c.calibration && !groupsOf(c, 0).length; }))
    page.appendChild(make("p", {class: "soft small", text: "--at T draws the calibration of the probability of an " +
      "event by T."}));
}
function decisionPart() {
  var panels = make("div", {class: "panels"}), any = false;
  cohorts.forEach(function (c) {
    if (!c.decision) return;
    parts(c).forEach(function (k) {
      any = true;
      panels.appendChild(panel(called(c, k), "pare-decision-" + called(c, k).replace(/[^\w-]/g, ""),
        decisionPlot(c.name, data.classes.length > 2 ? c.decision[k] : c.decision)));
    });
  });
  if (!any) return;
  section("Would acting on them do more good than harm?",
    "Net benefit: true positives less false positives, these weighted by the odds of the probability at which one " +
      "would act, per sample. The " +
    "model is of use where its curve is above both others" + (data.prevalence === null ? "." :
      "; for a prevalence of " + data.prevalence + "."));
  page.appendChild(panels);
}
