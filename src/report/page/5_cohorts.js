/* The score of each cohort, predicted by a model of the others: a forest plot and its table. */
function forestRow(p, c, y, own) {
  var row = make("g", {}, [make("title", {text: c.name + ": " + fixed(c.value) +
    (c.low === null ? "" : ", 95% CI " + two(c.low) + " to " + two(c.high))})]);
  row.appendChild(make("text", {x: p.left - 7, y: y + 4, "text-anchor": "end", text: short(c.name, 20)}));
  if (c.low !== null)
    row.appendChild(make("line", {x1: p.x(c.low), x2: p.x(c.high), y1: y, y2: y, stroke: own, "stroke-width": 2}));
  if (c.value !== null)
    row.appendChild(make("rect", {x: p.x(c.value) - 5, y: y - 5, width: 10, height: 10, fill: own}));
  return row;
}
/* A vertical line with its name above. */
function forestLine(p, at, name, height) {
  return make("g", {}, [
    make("line", {x1: p.x(at), x2: p.x(at), y1: 18, y2: height - 44, stroke: "currentColor", "stroke-width": 1,
      "stroke-dasharray": "4 3"}),
    make("text", {x: p.x(at), y: 12, "text-anchor": "middle", text: name})
  ]);
}
function forest(run) {
  var height = 66 + 26 * run.cohorts.length, ends = [], label = "forest plot of the cohorts", nested = run.chosen &&
    run.chosen.nested;
  run.cohorts.forEach(function (c) { ends.push(c.value, c.low, c.high); });
  if (nested) ends.push(nested.mean);
  ends = ends.filter(function (v) { return v !== null; });
  if (!ends.length) return null;
  var least = Math.min.apply(null, ends), most = Math.max.apply(null, ends), edge = (most - least || 1) * 0.05;
  var p = {left: 150, right: 626};
  p.x = function (v) {
    return +(p.left + (v - least + edge) / (most - least + 2 * edge) * (p.right - p.left)).toFixed(2);
  };
  var svg = make("svg", {viewBox: "0 0 640 " + height, role: "img", "aria-label": label});
  ticks(least - edge, most + edge).forEach(function (t) {
    svg.appendChild(make("line", {class: "grid", x1: p.x(t), x2: p.x(t), y1: 18, y2: height - 44}));
    svg.appendChild(make("text", {x: p.x(t), y: height - 27, "text-anchor": "middle", text: tick(t)}));
  });
  svg.appendChild(make("text", {class: "title", x: (p.left + p.right) / 2, y: height - 8, "text-anchor": "middle",
    text: words(data.metric)}));
  if (nested) svg.appendChild(forestLine(p, nested.mean, "mean", height));
  run.cohorts.forEach(function (c, i) {
    svg.appendChild(forestRow(p, c, 34 + 26 * i, color(runs.indexOf(run))));
  });
  return make("div", {}, [make("div", {class: "chart"}, [svg]), figure("pare-cohorts", label, svg)]);
}
function cohortsSection(run) {
  var shown = columnsOf("page", "cohorts", run.cohorts), saved = columnsOf("csv", "cohorts", run.cohorts);
  function cells(c) {
    return shown.map(function (column) {
      var v = fieldOf(c, column.field);
      return column.field !== "value" ? shownText(v)
        : fixed(v) + (c.low === null ? "" : " (95% CI " + two(c.low) + " to " + two(c.high) + ")");
    });
  }
  return make("div", {}, [
    forest(run),
    make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "cohorts"}, [
      make("table", {}, [
        caption("Each cohort predicted by a model that was selected and fitted on the others alone"),
        make("thead", {}, [make("tr", {}, shown.map(function (c, i) {
          return make("th", {scope: "col", class: i ? null : "text", text: c.words});
        }))]),
        make("tbody", {}, run.cohorts.map(function (c) {
          return make("tr", {}, cells(c).map(function (s, i) {
            return make("td", {class: i ? null : "text", text: s});
          }));
        }))
      ])
    ]),
    tableSaves("pare-" + run.method.replace(/[^\w-]/g, "") + "-cohorts", "the cohorts", function () {
      return [saved.map(function (c) { return c.name; })].concat(run.cohorts.map(function (row) {
        return saved.map(function (c) { return fieldOf(row, c.field); });
      }));
    })
  ]);
}
