/* The curve: every method against the number of features, with the line of the baseline. */
var shown = runs.map(function () { return true; }), metric = data.metric;
var chart = make("div", {class: "chart"}), tip = make("div", {class: "tip", role: "status"});
/* Paths along a parameter have several points of one size. */
function isChosen(run, p) { return run.chosen !== null && run.points[run.chosen.point] === p; }
/* The metric at a point; a method without probabilities lacks some. */
function of(p) { return p.metrics[metric] || {mean: null, se: null, folds: []}; }
function metricNames() {
  var names = [];
  runs.forEach(function (run) {
    Object.keys(run.points[0].metrics).forEach(function (n) { if (names.indexOf(n) < 0) names.push(n); });
  });
  return names;
}
function tipText(run, p) {
  var e = of(p),
    s = run.method + ", " + plural(p.n_features, "feature", "features") + "\n" + words(metric) + " " + pm(e);
  if (Math.abs(p.used_mean - p.n_features) > 1e-9) s += "\nused on average " + round(p.used_mean, 4);
  if (p.null && metric === data.metric)
    s += "\npermutation mean " + fixed(p.null.mean) + ", " + permutationText(p.null);
  if (metric === data.metric && p.interval) s += "\n" + intervalName(p) + " " + intervalText(p);
  if (p.stability.index !== null) s += "\nstability " + round(p.stability.index);
  return s;
}
/* Beside x, y of the chart, on the side where there is room. */
function showTip(x, y, s) {
  tip.textContent = s;
  var left = x + 16;
  if (left + tip.offsetWidth > chart.clientWidth - 4) left = x - tip.offsetWidth - 16;
  tip.style.left = Math.max(4, left) + "px";
  tip.style.top = Math.max(4, Math.min(y - tip.offsetHeight / 2, chart.clientHeight - tip.offsetHeight - 4)) + "px";
  tip.classList.add("on");
}
function tipAt(node, s) {
  var box = chart.getBoundingClientRect(), at = node.getBoundingClientRect();
  showTip(at.left - box.left + at.width / 2, at.top - box.top + at.height / 2, s);
}
/* Curves cross and points cover each other: the pointer shows all methods at the nearest size. */
function tipOfSize(s) {
  return plural(sizes[s], "feature", "features") + runs.map(function (run, i) {
    var p = run.points[s];
    if (!shown[i]) return "";
    return (
      "\n" + run.method + "  " + pm(of(p)) + (p.null && metric === data.metric ? "   p = " + round(p.null.p) : "") +
      (isChosen(run, p) ? "   chosen" : "")
    );
  }).join("");
}
function hideTip() { tip.classList.remove("on"); }
function band(list, x, y, low, high) {
  var good = list.filter(function (p) { return low(p) !== null && high(p) !== null; });
  if (good.length < 2) return null;
  return "M" + good.map(function (p) { return x(p) + "," + y(high(p)); }).join("L") +
    "L" + good.slice().reverse().map(function (p) { return x(p) + "," + y(low(p)); }).join("L") + "Z";
}
function marker(shape, x, y, r) {
  if (shape === 0) return make("circle", {cx: x, cy: y, r: r});
  if (shape === 1) return make("rect", {x: x - r, y: y - r, width: 2 * r, height: 2 * r});
  if (shape === 2)
    return make("path", {d: "M" + x + "," + (y - r * 1.2) + "l" + 1.2 * r + "," + 2.1 * r + "h" + -2.4 * r + "Z"});
  return make("path", {
    d:
      "M" + x + "," + (y - 1.3 * r) + "l" + 1.3 * r + "," + 1.3 * r + "l" + -1.3 * r + "," + 1.3 * r + "l" + -1.3 * r +
      "," + -1.3 * r + "Z"
  });
}
function draw(width) {
  var height = Math.max(280, Math.min(440, width * 0.52)), left = 62, right = 14, upper = 12, lower = 46;
  var logs = sizes.map(Math.log10),
    span = Math.max(logs[logs.length - 1] - logs[0], 1e-9),
    lo = Infinity,
    hi = -Infinity;
  var chance = data.chance[metric];
  function value(p) { return of(p).mean; }
  function low(p) { var e = of(p); return e.mean === null ? null : clip(e.mean - (e.se || 0), metric); }
  function high(p) { var e = of(p); return e.mean === null ? null : clip(e.mean + (e.se || 0), metric); }
  function nullLow(p) { return metric === data.metric && p.null ? p.null.low : null; }
  function nullHigh(p) { return metric === data.metric && p.null ? p.null.high : null; }
  runs.forEach(function (run, i) {
    if (shown[i]) run.points.forEach(function (p) {
      [low(p), high(p), nullLow(p), nullHigh(p)].forEach(
        function (v) { if (v !== null) { lo = Math.min(lo, v); hi = Math.max(hi, v); } }
      );
    });
  });
  if (chance !== null && isFinite(lo)) { lo = Math.min(lo, chance); hi = Math.max(hi, chance); }
  if (!(hi > lo)) { lo = isFinite(lo) ? lo - 0.1 : 0; hi = isFinite(hi) ? hi + 0.1 : 1; }
  var pad = 0.06 * (hi - lo), can = range(metric);
  lo = Math.max(can[0], lo - pad); hi = Math.min(can[1], hi + pad);
  function x(p) {
    return +(left + ((Math.log10(p.n_features) - logs[0]) / span) * (width - left - right - 10) + 5).toFixed(2);
  }
  function y(v) { return +(upper + (hi - v) / (hi - lo) * (height - upper - lower)).toFixed(2); }
  var svg = make("svg", {
    viewBox: "0 0 " + width + " " + height,
    height: height,
    role: "group",
    "aria-label":
      words(metric) +
      " of each method against the number of features; every point can be focused, arrow keys move along a curve, " +
      "the table below holds the same numbers"
  });
  ticks(lo, hi).forEach(function (t) {
    if (t > hi || t < lo) return;
    svg.appendChild(make("line", {class: "grid", x1: left, x2: width - right, y1: y(t), y2: y(t)}));
    svg.appendChild(make("text", {x: left - 7, y: y(t) + 4, "text-anchor": "end", text: String(+t.toPrecision(6))}));
  });
  var last = -Infinity;
  runs[0].points.forEach(function (p, s) {
    var label = count(p.n_features), wide = 7 * label.length + 6, at = x(p), end = s === sizes.length - 1;
    if (
      !end &&
      (at - wide / 2 < last ||
        at + wide / 2 > x(runs[0].points[sizes.length - 1]) - 3.5 * count(sizes[sizes.length - 1]).length - 6)
    )
      return;
    last = at + wide / 2;
    svg.appendChild(make("text", {x: at, y: height - lower + 18, "text-anchor": end ? "end" : "middle", text: label}));
  });
  svg.appendChild(make("line", {class: "grid", x1: left, x2: width - right, y1: height - lower, y2: height - lower}));
  svg.appendChild(
    make("text", {
      class: "title", x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle",
      text: "number of features (logarithmic)"
    })
  );
  var middle = (upper + height - lower) / 2;
  svg.appendChild(
    make("text", {
      class: "title",
      x: 14,
      y: middle,
      "text-anchor": "middle",
      transform: "rotate(-90 14 " + middle + ")",
      text: words(metric) + (metrics[metric].higher ? "" : " (lower is better)")
    })
  );
  if (chance !== null) {
    svg.appendChild(make("line", {class: "chance", x1: left, x2: width - right, y1: y(chance), y2: y(chance)}));
    svg.appendChild(
      make("text", {
        x: width - right - 4, y: y(chance) + (y(chance) > height - lower - 20 ? -6 : 15), "text-anchor": "end",
        text: baselineName() + " " + two(chance)
      })
    );
  }
  runs.forEach(function (run, i) {
    var d = shown[i] && band(run.points, x, y, nullLow, nullHigh);
    if (d) svg.appendChild(make("path", {d: d, fill: "var(--soft)", "fill-opacity": 0.16 / Math.sqrt(runs.length)}));
  });
  runs.forEach(function (run, i) {
    var d = shown[i] && band(run.points, x, y, low, high);
    if (d)
      svg.appendChild(
        make("path", {d: d, fill: color(i), "fill-opacity": 0.18 / Math.sqrt(shown.filter(Boolean).length)})
      );
  });
  runs.forEach(function (run, i) {
    if (!shown[i]) return;
    var good = run.points.filter(function (p) { return value(p) !== null; }), nodes = [];
    svg.appendChild(
      make("polyline", {
        points: good.map(function (p) { return x(p) + "," + y(value(p)); }).join(" "),
        fill: "none",
        stroke: color(i),
        "stroke-width": 2.2,
        "stroke-linejoin": "round",
        "stroke-dasharray": dashes[i % 8] || null
      })
    );
    good.forEach(function (p, s) {
      var is = isChosen(run, p), mark = marker(i % 4, x(p), y(value(p)), is ? 6 : 4);
      mark.setAttribute("fill", color(i));
      mark.setAttribute("class", "ring");
      var node = make(
        "g",
        {
          class: "point",
          tabindex: s === 0 ? 0 : -1,
          role: "img",
          "data-method": run.method,
          "data-size": p.n_features,
          "aria-label": tipText(run, p).replace(/\n/g, "; ") + (is ? "; the chosen size" : ""),
          onfocus: function () { tipAt(mark, tipText(run, p)); },
          onblur: hideTip,
          onkeydown: function (e) {
            var to = e.key === "ArrowRight" ? s + 1 : e.key === "ArrowLeft" ? s - 1 : -1;
            if (to >= 0 && to < nodes.length) {
              nodes[to].focus();
              e.preventDefault();
            }
          }
        },
        [
          is && make("circle", {cx: x(p), cy: y(value(p)), r: 11, fill: "none", stroke: color(i), "stroke-width": 2}),
          mark
        ]
      );
      nodes.push(node);
      svg.appendChild(node);
    });
  });
  var guide = make("line", {class: "guide", y1: upper, y2: height - lower, visibility: "hidden"});
  svg.insertBefore(guide, svg.firstChild);
  svg.addEventListener("pointermove", function (e) {
    var box = svg.getBoundingClientRect(), at = (e.clientX - box.left) * width / box.width, best = 0;
    runs[0].points.forEach(function (p, s) {
      if (Math.abs(x(p) - at) < Math.abs(x(runs[0].points[best]) - at)) best = s;
    });
    var on = x(runs[0].points[best]);
    guide.setAttribute("x1", on);
    guide.setAttribute("x2", on);
    guide.setAttribute("visibility", "visible");
    showTip(on * box.width / width + 7, e.clientY - box.top, tipOfSize(best));
  });
  svg.addEventListener("pointerleave", function () { guide.setAttribute("visibility", "hidden"); hideTip(); });
  clear(chart).appendChild(svg);
  chart.appendChild(tip);
}
function redraw() { var w = chart.clientWidth - 14; if (w > 0) draw(w); }
function legendSample(i) {
  var mark = marker(i % 4, 15, 6, 4);
  mark.setAttribute("fill", color(i));
  return make("svg", {width: 30, height: 12, "aria-hidden": "true"}, [
    make("line", {
      x1: 0, x2: 30, y1: 6, y2: 6, stroke: color(i), "stroke-width": 2.2, "stroke-dasharray": dashes[i % 8] || null
    }),
    mark
  ]);
}
function curves() {
  var bar = make("div", {class: "bar"});
  runs.forEach(function (run, i) {
    var key = make("button", {class: "key", type: "button", "aria-pressed": "true", onclick: function () {
      shown[i] = !shown[i];
      key.setAttribute("aria-pressed", String(shown[i]));
      redraw();
    }}, [legendSample(i), text(run.method)]);
    bar.appendChild(key);
  });
  var select = make("select", {id: "metric", onchange: function () { metric = select.value; redraw(); }},
    metricNames().map(function (name) {
      return make("option", {value: name, text: words(name), selected: name === metric ? "" : null});
    }));
  bar.appendChild(make("label", {for: "metric", class: "soft small", text: "Metric"}));
  bar.appendChild(select);
  section(capital(words(data.metric)) + " against number of features");
  page.appendChild(bar);
  page.appendChild(chart);
  page.appendChild(figure("pare-curve", "the curve", function () { return chart.querySelector("svg"); }));
  page.appendChild(
    make("p", {
      class: "soft small",
      text:
        "Dashed line: the " + baselineName() + ". Coloured bands: one standard error that counts overlapping " +
          "training folds (Nadeau and Bengio). " +
        (data.null_runs
          ? "Grey bands: the middle 90% of " + plural(data.null_runs, "permutation", "permutations") + ". "
          : "") +
        (sizes.length > 1
          ? "A ring marks the size that the rule \u201c" + (runs[0].chosen ? runs[0].chosen.rule : "") + "\u201d chose."
          : "")
    })
  );
  page.appendChild(
    make("details", {}, [
      make("summary", {text: "The same as a table"}),
      tableSaves("pare-curve", "the curve", pointsRows),
      pointsTable()
    ])
  );
}
function allPoints() {
  return runs.reduce(function (all, run) { return all.concat(run.points); }, []);
}
function pointsTable() {
  var names = metricNames(), shown = columnsOf("page", "points", allPoints()), head = ["method"];
  var body = make("tbody");
  shown.forEach(function (c) {
    if (c.type === "metrics") head = head.concat(names.map(words));
    else head.push(c.field === "interval" ? c.words + " of " + words(data.metric) : c.words);
  });
  runs.forEach(function (run) {
    run.points.forEach(function (p) {
      var is = isChosen(run, p), cells = [];
      shown.forEach(function (c) {
        if (c.type === "metrics") cells = cells.concat(names.map(function (m) { return pm(p.metrics[m]); }));
        else if (c.name === "n_features") cells.push(count(p.n_features) + (is ? " (chosen)" : ""));
        else cells.push(shownText(fieldOf(p, c.field)));
      });
      body.appendChild(
        make(
          "tr",
          {class: is ? "chosen" : null},
          [make("td", {class: "text", text: run.method})].concat(
            cells.map(function (c) { return make("td", {text: c}); })
          )
        )
      );
    });
  });
  return make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "table of the curve"}, [
    make("table", {}, [
      make("thead", {}, [
        make(
          "tr",
          {},
          head.map(function (h, i) {
            return make("th", {scope: "col", class: i === 0 ? "text" : null, text: h});
          })
        )
      ]),
      body
    ])
  ]);
}
function pointsRows() {
  var names = metricNames(), saved = columnsOf("csv", "points", allPoints()), out = [["method"]];
  saved.forEach(function (c) {
    if (c.type === "metrics") names.forEach(function (n) { out[0].push(n, n + "_se"); });
    else out[0].push(c.name);
  });
  runs.forEach(function (run) {
    run.points.forEach(function (p) {
      var row = [run.method];
      saved.forEach(function (c) {
        if (c.type === "metrics")
          names.forEach(function (n) { var e = p.metrics[n] || {}; row.push(e.mean, e.se); });
        else if (c.name === "chosen") row.push(isChosen(run, p) ? "*" : "");
        else row.push(fieldOf(p, c.field));
      });
      out.push(row);
    });
  });
  return out;
}
