/* Times to an event: Kaplan-Meier curves of held-out samples in groups of risk, with the numbers at risk
 * under them, and predicted against observed probabilities. */
var GROUP_COLORS = {low: "var(--m0)", middle: "var(--m7)", high: "var(--m1)"};
var GROUP_DASHES = {low: "", middle: "2 3", high: "7 3"};

/* The weight at risk just before t: nobody leaves between two of the curve's times. */
function atRisk(group, t) {
  var left = group.n;
  group.curve.leaves.some(function (at, i) {
    if (at >= t) return true;
    left = group.curve.left[i];
    return false;
  });
  return left;
}
function lastTime(groups) {
  return Math.max.apply(null, groups.map(function (g) {
    var v = g.curve.leaves;
    return v.length ? v[v.length - 1] : 0;
  }));
}
/* The steps of a curve, held to the last time of its group. */
function stepsOf(group, p) {
  var c = group.curve, d = "M" + p.x(0) + "," + p.y(1), end = c.leaves.length ? c.leaves[c.leaves.length - 1] : 0;
  c.time.forEach(function (t, i) { d += "H" + p.x(t) + "V" + p.y(c.survival[i]); });
  return d + "H" + p.x(end);
}
function groupLabel(group) {
  return group.group + " risk: " + round(group.n, 4) + " samples, " + round(group.events, 4) + " events";
}
function survivalPlot(groups, label) {
  var most = lastTime(groups) || 1, width = 460, height = 330, under = 22 + 16 * groups.length;
  var p = plot(width, height, 0, most, 0, 1, "time", "without an event", label);
  p.svg.setAttribute("viewBox", "0 0 " + width + " " + (height + under));
  groups.forEach(function (g, i) {
    var line = {stroke: GROUP_COLORS[g.group], "stroke-width": 2.2, "stroke-dasharray": GROUP_DASHES[g.group] || null};
    if (!g.n) return;
    p.svg.appendChild(
      make("path", Object.assign({d: stepsOf(g, p), fill: "none"}, line), [make("title", {text: groupLabel(g)})])
    );
    var key = {x1: p.right - 92, x2: p.right - 68, y1: 22 + 16 * i, y2: 22 + 16 * i};
    p.svg.appendChild(make("line", Object.assign(key, line)));
    p.svg.appendChild(make("text", {x: p.right - 62, y: 26 + 16 * i, text: g.group + " risk"}));
  });
  p.svg.appendChild(make("text", {x: 0, y: height + 12, text: "at risk"}));
  groups.forEach(function (g, i) {
    var y = height + 28 + 16 * i;
    p.svg.appendChild(make("text", {x: 0, y: y, text: g.group, style: "fill:" + GROUP_COLORS[g.group]}));
    ticks(0, most).forEach(function (t) {
      var count = String(Math.round(atRisk(g, t)));
      p.svg.appendChild(make("text", {x: p.x(t), y: y, "text-anchor": "middle", text: count}));
    });
  });
  return p.svg;
}
/* Each group's mean prediction against Kaplan-Meier's estimate, with its interval and number of samples. */
function survivalCalibration(run) {
  var p = plot(
    460, 380, 0, 1, 0, 1, "predicted probability of no event by " + round(data.at, 4), "observed (Kaplan-Meier)",
    "calibration at " + round(data.at, 4)
  );
  p.svg.appendChild(make("line", {class: "chance", x1: p.x(0), y1: p.y(0), x2: p.x(1), y2: p.y(1)}));
  run.calibration_at.forEach(function (g) {
    if (g.low !== null)
      p.svg.appendChild(
        make("line", {
          x1: p.x(g.predicted), x2: p.x(g.predicted), y1: p.y(g.low), y2: p.y(g.high), stroke: color(0),
          "stroke-opacity": 0.5, "stroke-width": 2
        })
      );
    p.svg.appendChild(
      make("circle", {cx: p.x(g.predicted), cy: p.y(g.observed), r: 4.5, fill: color(0)}, [
        make("title", {
          text: round(g.n, 4) + " samples, " + round(g.events, 4) + " events: predicted " + two(g.predicted) +
            ", observed " + two(g.observed)
        })
      ])
    );
    p.svg.appendChild(make("text", {x: p.x(g.predicted) + 7, y: p.y(g.observed) + 14, text: round(g.n, 4)}));
  });
  return p.svg;
}
/* A table of a list of the run, by the columns that the library describes. */
function listTable(run, field, words) {
  var shown = columnsOf("page", field, run[field]);
  return make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": words}, [
    make("table", {}, [
      caption(words),
      make("thead", {}, [make("tr", {}, shown.map(function (c) {
        return make("th", {scope: "col", class: c.type === "text" ? "text" : null, text: c.words});
      }))]),
      make("tbody", {}, run[field].map(function (row) {
        return make("tr", {}, shown.map(function (c) {
          return make("td", {class: c.type === "text" ? "text" : null, text: shownText(fieldOf(row, c.field))});
        }));
      }))
    ])
  ]);
}
function listRows(run, field) {
  var saved = columnsOf("csv", field, run[field]);
  return [saved.map(function (c) { return c.name; })].concat(
    run[field].map(function (row) { return saved.map(function (c) { return fieldOf(row, c.field); }); })
  );
}
function separationText(run) {
  var tests = [];
  run.risk_groups.forEach(function (g) {
    var n = g.chosen["null"], words = g.division + " " + permutationText(n || {p: null, least: null});
    if (n && tests.indexOf(words) < 0) tests.push(words);
  });
  if (tests.length)
    return (
      "Permutation test of the log-rank statistic between groups at " +
      plural(run.chosen.n_features, "feature", "features") + ", the choice of that number repeated in each of " +
      plural(data.null_runs, "permutation", "permutations") + ": " + tests.join("; ") + "."
    );
  return (
    "Whether groups like these would be as far apart by chance was not tested: a permutation test (--null 199) says. " +
    "A log-rank p-value of them would be too small, as the models of different folds share their samples."
  );
}
function riskSection(run, file) {
  var box = make("div"), panels = make("div", {class: "panels"}), divisions = [];
  if (!run.risk_groups.length)
    return make("p", {
      class: "soft",
      text: "The held-out risks are too many to be kept: --predictions FILE writes them."
    });
  run.risk_groups.forEach(function (g) { if (divisions.indexOf(g.division) < 0) divisions.push(g.division); });
  divisions.forEach(function (name) {
    var groups = run.risk_groups.filter(function (g) { return g.division === name; });
    var title = "Survival by predicted risk, cut at the " + name;
    panels.appendChild(panel(title, file + "-" + name, survivalPlot(groups, title)));
  });
  if (run.calibration_at.length)
    panels.appendChild(
      panel("Calibration at " + round(data.at, 4), file + "-calibration", survivalCalibration(run))
    );
  box.appendChild(panels);
  box.appendChild(
    make("p", {
      class: "soft small",
      text:
        "Held-out samples" +
        (data.folds.inner ? ", at the number of features that their training fold chose" : "") +
        ". The cuts are the median and the tertiles of the training fold's own risks, so groups need not be of equal " +
        "size. " +
        (data.folds.repeats > 1 ? "A sample counts for a share in each of its repeats. " : "") +
        "Calibration: samples in groups of similar predicted probability; bars are 95% intervals, " +
        "numbers are samples. " +
        separationText(run)
    })
  );
  [["risk_groups", "Groups of predicted risk"], ["calibration_at", "Predicted and observed at " + round(data.at, 4)]]
    .forEach(function (t) {
      box.appendChild(listTable(run, t[0], t[1]));
      box.appendChild(tableSaves(file + "-" + t[0], t[1], function () { return listRows(run, t[0]); }));
    });
  return box;
}
