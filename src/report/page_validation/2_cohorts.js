/* The metrics of each cohort: what would be quoted, a forest plot, and all of them as a table. */
function estimate(e) {
  if (!e || e.value === null) return "\u2013";
  return fixed(e.value) + (e.low === null ? "" : " (" + two(e.low) + " to " + two(e.high) + ")");
}
/* "233 samples, 60 events" */
function sizeText(c) {
  var n = plural(c.n, "sample", "samples");
  if (data.classes.length === 2) return n + ", " + count(c.events) + " of class " + data.classes[1];
  return data.at !== undefined && c.events ? n + ", " + plural(c.events, "event", "events") : n;
}
function headline() {
  var own = cohorts.length > 1 && data.pooled ? data.pooled[metric] : cohorts[0].metrics[metric];
  return capital(words(metric)) + " " + estimate(own) + (cohorts.length > 1 ? " over " + cohorts.length + " cohorts" :
    " on " + cohorts[0].name);
}
function pathText() {
  var p = data.path;
  if (!p || !p.nested) return null;
  return "The path that chose this model estimated " + words(p.metric) + " " + fixed(p.nested.mean) +
    (p.nested.interval ? " (" + two(p.nested.interval.low) + " to " + two(p.nested.interval.high) + ")" : "") +
    " by nested cross-validation of its training samples.";
}
function forestMark(p, e, y, diamond) {
  var own = color(0), g = make("g", {}, [make("title", {text: estimate(e)})]), x = e.value === null ? null :
    p.x(e.value);
  if (e.low !== null && !diamond)
    g.appendChild(make("line", {x1: p.x(e.low), x2: p.x(e.high), y1: y, y2: y, stroke: own, "stroke-width": 2}));
  if (x !== null && !diamond) g.appendChild(make("rect", {x: x - 5, y: y - 5, width: 10, height: 10, fill: own}));
  if (x !== null && diamond)
    g.appendChild(make("path", {
      d: "M" + [[p.x(e.low), y], [x, y - 7], [p.x(e.high), y], [x, y + 7]].join("L") + "Z", fill: color(1)
    }));
  if (e.prediction_low !== undefined && e.prediction_low !== null)
    g.appendChild(make("line", {
      x1: p.x(e.prediction_low), x2: p.x(e.prediction_high), y1: y, y2: y, stroke: color(1), "stroke-width": 1.5
    }));
  return g;
}
/* Rows: cohorts, their mean, and the estimate of the path. */
function forestRows(name) {
  var rows = cohorts.map(function (c) { return {name: c.name, e: c.metrics[name]}; });
  if (data.pooled && data.pooled[name].value !== null)
    rows.push({name: "mean of cohorts", e: data.pooled[name], pooled: true});
  var p = data.path;
  if (p && p.metric === name && p.nested)
    rows.push({
      name: "nested CV, training",
      e: {
        value: p.nested.mean, low: p.nested.interval ? p.nested.interval.low : null,
        high: p.nested.interval ? p.nested.interval.high : null
      }
    });
  return rows;
}
function forestOf(name) {
  var rows = forestRows(name), height = 60 + 28 * rows.length, ends = [];
  rows.forEach(function (r) { ends.push(r.e.value, r.e.low, r.e.high, r.e.prediction_low, r.e.prediction_high); });
  ends = ends.filter(function (v) { return v !== null && v !== undefined; });
  if (!ends.length) return make("p", {class: "soft", text: "No cohort defines it."});
  var least = Math.min.apply(null, ends), most = Math.max.apply(null, ends), edge = (most - least || 1) * 0.05;
  var p = {left: 170, right: 520}, label = "forest plot of " + words(name);
  p.x = function (v) {
    return +(p.left + (v - least + edge) / (most - least + 2 * edge) * (p.right - p.left)).toFixed(2);
  };
  var svg = make("svg", {viewBox: "0 0 700 " + height, role: "img", "aria-label": label});
  ticks(least - edge, most + edge).forEach(function (t) {
    svg.appendChild(make("line", {class: "grid", x1: p.x(t), x2: p.x(t), y1: 8, y2: height - 44}));
    svg.appendChild(make("text", {x: p.x(t), y: height - 27, "text-anchor": "middle", text: tick(t)}));
  });
  svg.appendChild(make("text", {
    class: "title", x: (p.left + p.right) / 2, y: height - 8, "text-anchor": "middle", text: words(name)
  }));
  rows.forEach(function (r, i) {
    var y = 24 + 28 * i;
    svg.appendChild(make("text", {x: p.left - 10, y: y + 4, "text-anchor": "end", text: short(r.name, 22)}));
    svg.appendChild(make("text", {x: p.right + 12, y: y + 4, text: estimate(r.e)}));
    svg.appendChild(forestMark(p, r.e, y, r.pooled && r.e.low !== null));
  });
  return make("div", {}, [make("div", {class: "chart"}, [svg]), figure("pare-forest", label, svg)]);
}
function cohortsPart() {
  var box = make("div"), select = make("select", {id: "metric", onchange: function () {
    clear(box).appendChild(forestOf(select.value));
  }}, names.map(function (n) {
    return make("option", {value: n, text: words(n), selected: n === metric ? "" : null});
  }));
  section("How good are the predictions?", "Values with 95% confidence intervals" + (data.pooled ?
    "; the diamond is the mean over cohorts by random effects, the line through it where a further cohort is " +
      "expected." : "."));
  page.appendChild(make("div", {class: "bar"}, [make("label", {for: "metric", class: "soft", text: "metric"}),
    select]));
  box.appendChild(forestOf(metric));
  page.appendChild(box);
}
function tableOf(heads, rows, label, name, note) {
  return make("div", {}, [
    make("div", {class: "scroll tall", tabindex: 0, role: "region", "aria-label": label}, [make("table", {}, [
      note ? caption(note) : null,
      make("thead", {}, [make("tr", {}, heads.map(function (h, i) {
        return make("th", {scope: "col", class: i ? null : "text", text: h});
      }))]),
      make("tbody", {}, rows.map(function (row) {
        return make("tr", {class: row.mark ? "chosen" : null}, row.cells.map(function (s, i) {
          return make("td", {class: i ? null : "name", title: i ? null : s, text: s});
        }));
      }))
    ])]),
    tableSaves(name, label, function () {
      return [heads].concat(rows.map(function (row) { return row.cells; }));
    })
  ]);
}
function metricsPart() {
  var rows = cohorts.map(function (c) {
    return {cells: [c.name, count(c.n)].concat(names.map(function (n) { return estimate(c.metrics[n]); }))};
  });
  if (data.pooled)
    rows.push({cells: ["mean of cohorts", ""].concat(names.map(function (n) { return estimate(data.pooled[n]); }))});
  page.appendChild(tableOf(["cohort", "n"].concat(names.map(words)), rows, "all metrics", "pare-metrics"));
  if (!cohorts[0].difference) return;
  page.appendChild(tableOf(["cohort"].concat(names.map(words)), cohorts.map(function (c) {
    return {cells: [c.name].concat(names.map(function (n) { return estimate(c.difference[n]); }))};
  }), "differences", "pare-differences", "This model minus the other one, on the same samples"));
}
