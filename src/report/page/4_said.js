/* What was predicted for samples that were not trained on. Scores of different parts are of different models:
 * curves are drawn within each part and averaged; only probabilities are pooled. */
var GRID = 51;

/* Rows of one part after the other, each {truth, said, score, probability}. */
function partsSaid(run) {
  var s = run.predictions, parts = {};
  s.part.forEach(function (part, i) {
    (parts[part] = parts[part] || []).push({
      truth: s.truth[i], said: s.prediction[i], score: s.score[i], probability: s.probability[i]
    });
  });
  return Object.keys(parts).map(function (key) { return parts[key]; });
}
/* Steps down the scores of one part: how many positives and others are above each distinct score. */
function steps(rows, positive, score) {
  var order = rows.slice().sort(function (a, b) { return score(b) - score(a); }), out = [], hits = 0, others = 0;
  order.forEach(function (r, i) {
    if (positive(r)) hits++; else others++;
    if (i + 1 === order.length || score(order[i + 1]) !== score(r)) out.push({hits: hits, others: others});
  });
  return {list: out, hits: hits, others: others};
}
/* The height of a part's ROC curve at a false positive rate, of its precision at a recall. */
function rocAt(st, x) {
  var before = {hits: 0, others: 0};
  for (var i = 0; i < st.list.length; i++) {
    var s = st.list[i], a = before.others / st.others, b = s.others / st.others;
    if (b > x || i + 1 === st.list.length && b >= x) {
      if (b === a) return s.hits / st.hits;
      return (before.hits + (s.hits - before.hits) * (x - a) / (b - a)) / st.hits;
    }
    before = s;
  }
  return 1;
}
function precisionAt(st, x) {
  var most = 0;
  st.list.forEach(function (s) {
    if (s.hits / st.hits >= x - 1e-12) most = Math.max(most, s.hits / (s.hits + s.others));
  });
  return most;
}
function averaged(run, positive, score, at) {
  var all = partsSaid(run)
      .map(function (rows) { return steps(rows, positive, score); })
      .filter(function (s) { return s.hits && s.others; }),
    out = [];
  if (!all.length) return null;
  for (var g = 0; g < GRID; g++) {
    var x = g / (GRID - 1), v = all.map(function (s) { return at(s, x); }), m = mean(v);
    out.push({x: x, mean: m, sd: Math.sqrt(mean(v.map(function (y) { return (y - m) * (y - m); })))});
  }
  return {points: out, parts: all.length};
}
/* Each class against the rest; of two classes the last alone. */
function sides(run) {
  if (data.classes.length <= 2)
    return [
      {
        name: data.classes[1],
        positive: function (r) { return r.truth === 1; },
        score: function (r) { return r.score[0]; }
      }
    ];
  return data.classes.slice(0, 8).map(function (name, k) {
    return {name: name, positive: function (r) { return r.truth === k; }, score: function (r) { return r.score[k]; }};
  });
}
function linesPlot(run, at, xTitle, yTitle, label, diagonal) {
  var p = plot(420, 340, 0, 1, 0, 1, xTitle, yTitle, label), list = sides(run);
  if (diagonal) p.svg.appendChild(make("line", {class: "chance", x1: p.x(0), y1: p.y(0), x2: p.x(1), y2: p.y(1)}));
  list.forEach(function (side, i) {
    var c = averaged(run, side.positive, side.score, at);
    if (!c) return;
    if (list.length === 1 && c.parts > 1)
      p.svg.appendChild(
        make("path", {
          d:
            "M" + c.points.map(function (q) { return p.x(q.x) + "," + p.y(Math.min(1, q.mean + q.sd)); }).join("L") +
            "L" + c.points
              .slice()
              .reverse()
              .map(function (q) { return p.x(q.x) + "," + p.y(Math.max(0, q.mean - q.sd)); })
              .join("L") +
            "Z",
          fill: color(i),
          "fill-opacity": 0.15
        })
      );
    p.svg.appendChild(
      make("polyline", {
        points: c.points.map(function (q) { return p.x(q.x) + "," + p.y(q.mean); }).join(" "),
        fill: "none",
        stroke: color(i),
        "stroke-width": 2.2,
        "stroke-linejoin": "round",
        "stroke-dasharray": dashes[i % 8] || null
      })
    );
  });
  if (list.length > 1) list.forEach(function (side, i) {
    var y = p.bottom - 12 - 16 * (list.length - 1 - i), x = diagonal ? p.right - 130 : p.left + 10;
    p.svg.appendChild(
      make("line", {
        x1: x, x2: x + 22, y1: y, y2: y, stroke: color(i), "stroke-width": 2.2,
        "stroke-dasharray": dashes[i % 8] || null
      })
    );
    p.svg.appendChild(make("text", {x: x + 28, y: y + 4, text: short(side.name, 14)}));
  });
  return p.svg;
}
/* Pooled probabilities in groups of equal size: how often what was said to be probable came true. */
function calibration(run) {
  var s = run.predictions, list = [], groups;
  s.probability.forEach(function (P, i) {
    if (P) P.forEach(function (p, k) { if (k > 0 || P.length > 2) list.push({p: p, hit: s.truth[i] === k ? 1 : 0}); });
  });
  if (!list.length) return null;
  list.sort(function (a, b) { return a.p - b.p; });
  groups = Math.max(2, Math.min(10, Math.floor(list.length / 12)));
  var p = plot(420, 340, 0, 1, 0, 1, "probability said", "share that came true", "calibration"), points = [];
  p.svg.appendChild(make("line", {class: "chance", x1: p.x(0), y1: p.y(0), x2: p.x(1), y2: p.y(1)}));
  for (var g = 0; g < groups; g++) {
    var part = list.slice(Math.floor((g * list.length) / groups), Math.floor(((g + 1) * list.length) / groups)),
      n = part.length;
    var said = mean(part.map(function (r) { return r.p; })),
      came = mean(part.map(function (r) { return r.hit; })),
      z = 1.96;
    var middle = (came + (z * z) / (2 * n)) / (1 + (z * z) / n),
      half = (z / (1 + (z * z) / n)) * Math.sqrt((came * (1 - came)) / n + (z * z) / (4 * n * n));
    points.push({x: said, y: came, low: Math.max(0, middle - half), high: Math.min(1, middle + half), n: n});
  }
  points.forEach(function (q) {
    p.svg.appendChild(
      make("line", {
        x1: p.x(q.x), x2: p.x(q.x), y1: p.y(q.low), y2: p.y(q.high), stroke: color(0), "stroke-opacity": 0.5,
        "stroke-width": 2
      })
    );
  });
  p.svg.appendChild(
    make("polyline", {
      points: points.map(function (q) { return p.x(q.x) + "," + p.y(q.y); }).join(" "),
      fill: "none",
      stroke: color(0),
      "stroke-width": 2.2
    })
  );
  points.forEach(function (q) {
    p.svg.appendChild(
      make("circle", {cx: p.x(q.x), cy: p.y(q.y), r: 4, fill: color(0)}, [
        make("title", {text: q.n + " predictions, said " + two(q.x) + ", came true " + two(q.y)})
      ])
    );
  });
  return p.svg;
}
/* Net benefit of the pooled probabilities of two classes. */
function decisionRows(run) {
  var s = run.predictions, p = [], hit = [], rows = [];
  s.probability.forEach(function (P, i) {
    if (P && P.length === 2) { p.push(P[1]); hit.push(s.truth[i] === 1); }
  });
  if (!p.length) return null;
  var share = hit.filter(Boolean).length / p.length;
  for (var k = 1; k < 100; k++) {
    var t = k / 100, odds = t / (1 - t), sum = 0;
    for (var i = 0; i < p.length; i++) if (p[i] >= t) sum += hit[i] ? 1 : -odds;
    rows.push({threshold: t, net_benefit: sum / p.length, treat_all: share - (1 - share) * odds, treat_none: 0});
  }
  return rows;
}
function confusionRows(run) {
  var n = data.classes.length,
    c = data.classes.map(function () { return data.classes.map(function () { return 0; }); });
  run.predictions.truth.forEach(function (t, i) { c[t][run.predictions.prediction[i]]++; });
  return c;
}
function confusion(run) {
  var c = confusionRows(run), body = make("tbody");
  c.forEach(function (row, t) {
    var total = row.reduce(function (a, b) { return a + b; }, 0) || 1;
    body.appendChild(
      make(
        "tr",
        {},
        [make("th", {scope: "row", class: "name", text: data.classes[t]})].concat(
          row.map(function (n, k) {
            var share = n / total;
            return make(
              "td",
              {
                style:
                  "background:rgba(var(" + (k === t ? "--heat" : "--wrong") + ")," + (0.85 * share).toFixed(3) + ");" +
                  (share > 0.55 ? "color:var(--page)" : "")
              },
              [text(count(n)), make("small", {text: " " + percent(share)})]
            );
          })
        )
      )
    );
  });
  return make("div", {class: "scroll"}, [
    make("table", {class: "confusion"}, [
      caption(
        "Rows: the true class; columns: what was predicted" +
          (data.folds.repeats > 1 && data.folds.kind !== "splits"
            ? "; every sample counts once for each of " + data.folds.repeats + " repeats"
            : "")
      ),
      make("thead", {}, [
        make(
          "tr",
          {},
          [make("th", {scope: "col", class: "name", text: "truth"})].concat(
            data.classes.map(function (k) { return make("th", {scope: "col", text: k}); })
          )
        )
      ]),
      body
    ])
  ]);
}
function scatter(run) {
  var s = run.predictions,
    all = s.truth.concat(s.prediction),
    lo = Math.min.apply(null, all),
    hi = Math.max.apply(null, all),
    pad = 0.04 * (hi - lo || 1);
  var p = plot(
    520,
    400,
    lo - pad,
    hi + pad,
    lo - pad,
    hi + pad,
    "true value",
    "predicted value",
    "predicted against true values"
  );
  p.svg.appendChild(make("line", {class: "chance", x1: p.x(lo), y1: p.y(lo), x2: p.x(hi), y2: p.y(hi)}));
  s.truth.forEach(function (t, i) {
    p.svg.appendChild(
      make("circle", {cx: p.x(t), cy: p.y(s.prediction[i]), r: 3.5, fill: color(0), "fill-opacity": 0.55})
    );
  });
  return p.svg;
}
function saidSection(run) {
  var box = make("div"), s = run.predictions, file = "pare-" + run.method.replace(/[^\w-]/g, "");
  if (!run.chosen) return make("p", {class: "soft", text: "No fold was finished."});
  if (predictsRisk) return riskSection(run, file);
  if (!s)
    return make("p", {
      class: "soft",
      text: "The predictions are too many to be listed here; --predictions FILE writes them."
    });
  if (predictsNumber) {
    box.appendChild(
      make("div", {class: "panels"}, [panel("Predicted against true values", file + "-predicted", scatter(run))])
    );
    return box;
  }
  var few = make("div", {class: "panels"});
  few.appendChild(
    panel(
      "ROC, averaged over the parts",
      file + "-roc",
      linesPlot(run, rocAt, "false positive rate", "true positive rate", "ROC curve", true)
    )
  );
  few.appendChild(
    panel(
      "Precision and recall, averaged over the parts",
      file + "-precision",
      linesPlot(run, precisionAt, "recall", "precision", "precision against recall", false)
    )
  );
  if (classifies) {
    var svg = calibration(run);
    few.appendChild(
      svg
        ? panel("Calibration, all parts together", file + "-calibration", svg)
        : make("figure", {class: "panel empty"}, [
            make("figcaption", {text: "Calibration"}),
            make("p", {
              class: "soft small",
              text:
                run.method +
                " has scores and no probabilities here: they are calibrated on the inner folds of each training " +
                "fold, of which there are none."
            })
          ])
    );
    var decisions = decisionRows(run);
    if (decisions)
      few.appendChild(
        panel(
          "Decision curve for " + short(data.classes[1], 20) + ", all parts together", file + "-decision",
          decisionPlot("the held-out samples", decisions)
        )
      );
    few.appendChild(
      make("figure", {class: "panel"}, [
        make("figcaption", {text: "Confusion"}),
        confusion(run),
        tableSaves(file + "-confusion", "the confusion matrix", function () {
          return [["truth"].concat(data.classes)].concat(
            confusionRows(run).map(function (row, t) { return [data.classes[t]].concat(row); })
          );
        })
      ])
    );
  }
  box.appendChild(few);
  return box;
}
