(function () {
"use strict";
var data = JSON.parse(document.getElementById("data").textContent);
var command = JSON.parse(document.getElementById("command").textContent);
var page = document.getElementById("page");
var runs = data.runs, sizes = runs[0].points.map(function (p) { return p.n_features; });
var LISTED = 40; /* rows of the heat map */
var dashes = ["", "7 3", "2 3", "9 3 2 3", "4 4", "12 3", "1 2", "6 2 2 2"];

/* Every text reaches the page through textContent or setAttribute, so that a name is never markup. */
function make(name, attributes, children) {
  var svg = /^(svg|g|path|line|circle|rect|text|title|polyline|desc)$/.test(name);
  var node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  Object.keys(attributes || {}).forEach(function (key) {
    if (key === "text") node.textContent = attributes.text;
    else if (key.slice(0, 2) === "on") node.addEventListener(key.slice(2), attributes[key]);
    else if (attributes[key] !== null && attributes[key] !== undefined) node.setAttribute(key, attributes[key]);
  });
  (children || []).forEach(function (child) { if (child) node.appendChild(child); });
  return node;
}
function text(s) { return document.createTextNode(s); }
function clear(node) { while (node.firstChild) node.removeChild(node.firstChild); return node; }
function round(x, digits) { return x === null || x === undefined ? "\u2013" : String(Number(x.toPrecision(digits || 3))); }
function fixed(x) {
  if (x === null || x === undefined) return "\u2013";
  return Math.abs(x) >= 0.01 && Math.abs(x) < 1000 || x === 0 ? x.toFixed(3) : round(x);
}
function pm(e) { return e && e.mean !== null ? fixed(e.mean) + (e.se === null ? "" : " \u00b1 " + fixed(e.se)) : "\u2013"; }
function count(n) { return n.toLocaleString("en"); }
function percent(x) { return x === null ? "\u2013" : Math.round(100 * x) + "%"; }
function words(name) { return name === "auc" ? "AUC" : name.replace(/_/g, " "); }
function color(i) { return "var(--m" + i % 8 + ")"; }
function plural(n, one, many) { return count(n) + " " + (n === 1 ? one : many); }

/* Its words stay in view while a wide table moves under them. */
function caption(s) { return make("caption", {}, [make("span", {text: s})]); }

/* --- top --- */
function foldText() {
  var f = data.folds;
  if (f.kind === "splits") return f.folds + " hold-out splits, " + round(f.n_train, 4) + " samples train and " + round(f.n_test, 4) + " test";
  return (f.repeats > 1 ? f.repeats + " times " : "") + f.folds + (f.kind === "folds" ? " stratified folds" : f.kind === "given" ? " given folds" : " " + f.kind);
}
function capital(s) { return s.charAt(0).toUpperCase() + s.slice(1); }
function top_() {
  page.appendChild(make("header", {}, [
    make("h1", {text: capital(words(data.metric)) + " against number of features"}),
    make("p", {class: "soft", text: plural(data.n_samples, "sample", "samples") + ", " + plural(data.n_features, "feature", "features") +
      (data.classes.length ? ", classes " + data.classes.join(", ") : "") + ". " + capital(foldText()) +
      ". Imputation, scaling, selection and tuning happened inside each training part; no test sample was seen by any of them."})]));
  if (!data.complete) page.appendChild(make("p", {class: "warn", role: "status", text: "This run was stopped early: the page shows what was finished."}));
  data.notes.forEach(function (note) { page.appendChild(make("p", {class: "soft small", text: "Note: " + note + "."})); });
}
function card(run, i) {
  var c = run.chosen, rows = [];
  function row(name, value) { rows.push(make("div", {}, [make("dt", {text: name}), make("dd", {text: value})])); }
  if (!c) return make("div", {class: "card", style: "--own:" + color(i)}, [make("h3", {text: run.method}), make("p", {text: "no fold was finished"})]);
  row("at this size", pm(c));
  row("nested", pm(c.nested));
  if (c.null) row("permuted labels", "p = " + round(c.null.p));
  row("stability", round(run.stability.index) + (run.stability.low === null ? "" : " (" + round(run.stability.low, 2) + " to " + round(run.stability.high, 2) + ")"));
  row("stable core", plural(run.stability.core.length, "feature", "features"));
  return make("div", {class: "card", style: "--own:" + color(i)}, [
    make("h3", {text: run.method}),
    make("div", {class: "big", text: plural(c.n_features, "feature", "features")}),
    make("dl", {}, rows)]);
}

/* --- the curve --- */
var shown = runs.map(function () { return true; }), metric = data.metric;
var chart = make("div", {class: "chart"}), tip = make("div", {class: "tip", role: "status"});
function tipText(run, p) {
  var e = p.metrics[metric], s = run.method + ", " + plural(p.n_features, "feature", "features") + "\n" + words(metric) + " " + pm(e);
  if (Math.abs(p.used_mean - p.n_features) > 1e-9) s += "\nused on average " + round(p.used_mean, 4);
  if (p.null && metric === data.metric) s += "\npermuted labels " + fixed(p.null.mean) + ", p = " + round(p.null.p);
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
    return "\n" + run.method + "  " + pm(p.metrics[metric]) + (p.null && metric === data.metric ? "   p = " + round(p.null.p) : "") +
      (run.chosen && run.chosen.n_features === sizes[s] ? "   chosen" : "");
  }).join("");
}
function hideTip() { tip.classList.remove("on"); }
function ticks(lo, hi) {
  var step = Math.pow(10, Math.floor(Math.log10((hi - lo) / 4))), list = [];
  [1, 2, 5, 10].some(function (f) { if ((hi - lo) / (step * f) <= 6) { step *= f; return true; } return false; });
  for (var t = Math.ceil(lo / step - 1e-9) * step; t <= hi + 1e-9 * step; t += step) list.push(Math.abs(t) < step * 1e-9 ? 0 : t);
  return list;
}
function band(list, x, y, low, high) {
  var good = list.filter(function (p) { return low(p) !== null && high(p) !== null; });
  if (good.length < 2) return null;
  return "M" + good.map(function (p) { return x(p) + "," + y(high(p)); }).join("L") +
    "L" + good.slice().reverse().map(function (p) { return x(p) + "," + y(low(p)); }).join("L") + "Z";
}
function marker(shape, x, y, r) {
  if (shape === 0) return make("circle", {cx: x, cy: y, r: r});
  if (shape === 1) return make("rect", {x: x - r, y: y - r, width: 2 * r, height: 2 * r});
  if (shape === 2) return make("path", {d: "M" + x + "," + (y - r * 1.2) + "l" + 1.2 * r + "," + 2.1 * r + "h" + -2.4 * r + "Z"});
  return make("path", {d: "M" + x + "," + (y - 1.3 * r) + "l" + 1.3 * r + "," + 1.3 * r + "l" + -1.3 * r + "," + 1.3 * r + "l" + -1.3 * r + "," + -1.3 * r + "Z"});
}
function draw(width) {
  var height = Math.max(280, Math.min(440, width * 0.52)), left = 52, right = 14, upper = 12, lower = 46;
  var logs = sizes.map(Math.log10), span = Math.max(logs[logs.length - 1] - logs[0], 1e-9), lo = Infinity, hi = -Infinity;
  function value(p) { return p.metrics[metric].mean; }
  function low(p) { var e = p.metrics[metric]; return e.mean === null ? null : e.mean - (e.se || 0); }
  function high(p) { var e = p.metrics[metric]; return e.mean === null ? null : e.mean + (e.se || 0); }
  function nullLow(p) { return metric === data.metric && p.null ? p.null.low : null; }
  function nullHigh(p) { return metric === data.metric && p.null ? p.null.high : null; }
  runs.forEach(function (run, i) {
    if (shown[i]) run.points.forEach(function (p) {
      [low(p), high(p), nullLow(p), nullHigh(p)].forEach(function (v) { if (v !== null) { lo = Math.min(lo, v); hi = Math.max(hi, v); } });
    });
  });
  if (!(hi > lo)) { lo = isFinite(lo) ? lo - 0.1 : 0; hi = isFinite(hi) ? hi + 0.1 : 1; }
  var pad = 0.06 * (hi - lo), share = /accuracy|auc|precision|rate/.test(metric);
  lo -= pad; hi += pad;
  if (share) { lo = Math.max(0, lo); hi = Math.min(1.02, hi); }
  function x(p) { return +(left + (Math.log10(p.n_features) - logs[0]) / span * (width - left - right - 10) + 5).toFixed(2); }
  function y(v) { return +(upper + (hi - v) / (hi - lo) * (height - upper - lower)).toFixed(2); }
  var svg = make("svg", {viewBox: "0 0 " + width + " " + height, height: height, role: "group",
    "aria-label": words(metric) + " of each method against the number of features; every point can be focused, arrow keys move along a curve, the table below holds the same numbers"});
  ticks(lo, hi).forEach(function (t) {
    if (t > hi || t < lo) return;
    svg.appendChild(make("line", {class: "grid", x1: left, x2: width - right, y1: y(t), y2: y(t)}));
    svg.appendChild(make("text", {x: left - 7, y: y(t) + 4, "text-anchor": "end", text: String(+t.toPrecision(6))}));
  });
  var last = -Infinity;
  runs[0].points.forEach(function (p, s) {
    var label = count(p.n_features), wide = 7 * label.length + 6, at = x(p), end = s === sizes.length - 1;
    if (!end && (at - wide / 2 < last || at + wide / 2 > x(runs[0].points[sizes.length - 1]) - 3.5 * count(sizes[sizes.length - 1]).length - 6)) return;
    last = at + wide / 2;
    svg.appendChild(make("text", {x: at, y: height - lower + 18, "text-anchor": end ? "end" : "middle", text: label}));
  });
  svg.appendChild(make("line", {class: "grid", x1: left, x2: width - right, y1: height - lower, y2: height - lower}));
  svg.appendChild(make("text", {class: "title", x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle", text: "number of features (logarithmic)"}));
  runs.forEach(function (run, i) {
    var d = shown[i] && band(run.points, x, y, nullLow, nullHigh);
    if (d) svg.appendChild(make("path", {d: d, fill: "var(--soft)", "fill-opacity": 0.16 / Math.sqrt(runs.length)}));
  });
  runs.forEach(function (run, i) {
    var d = shown[i] && band(run.points, x, y, low, high);
    if (d) svg.appendChild(make("path", {d: d, fill: color(i), "fill-opacity": 0.18 / Math.sqrt(shown.filter(Boolean).length)}));
  });
  runs.forEach(function (run, i) {
    if (!shown[i]) return;
    var good = run.points.filter(function (p) { return value(p) !== null; }), nodes = [];
    svg.appendChild(make("polyline", {points: good.map(function (p) { return x(p) + "," + y(value(p)); }).join(" "), fill: "none",
      stroke: color(i), "stroke-width": 2.2, "stroke-linejoin": "round", "stroke-dasharray": dashes[i % 8] || null}));
    good.forEach(function (p, s) {
      var is = run.chosen && run.chosen.n_features === p.n_features, mark = marker(i % 4, x(p), y(value(p)), is ? 6 : 4);
      mark.setAttribute("fill", color(i));
      mark.setAttribute("class", "ring");
      var node = make("g", {class: "point", tabindex: s === 0 ? 0 : -1, role: "img", "data-method": run.method, "data-size": p.n_features,
        "aria-label": tipText(run, p).replace(/\n/g, "; ") + (is ? "; the chosen size" : ""),
        onfocus: function () { tipAt(mark, tipText(run, p)); }, onblur: hideTip,
        onkeydown: function (e) {
          var to = e.key === "ArrowRight" ? s + 1 : e.key === "ArrowLeft" ? s - 1 : -1;
          if (to >= 0 && to < nodes.length) { nodes[to].focus(); e.preventDefault(); }
        }}, [
        is && make("circle", {cx: x(p), cy: y(value(p)), r: 11, fill: "none", stroke: color(i), "stroke-width": 2}),
        mark]);
      nodes.push(node);
      svg.appendChild(node);
    });
  });
  var guide = make("line", {class: "guide", y1: upper, y2: height - lower, visibility: "hidden"});
  svg.insertBefore(guide, svg.firstChild);
  svg.addEventListener("pointermove", function (e) {
    var box = svg.getBoundingClientRect(), at = (e.clientX - box.left) * width / box.width, best = 0;
    runs[0].points.forEach(function (p, s) { if (Math.abs(x(p) - at) < Math.abs(x(runs[0].points[best]) - at)) best = s; });
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
    make("line", {x1: 0, x2: 30, y1: 6, y2: 6, stroke: color(i), "stroke-width": 2.2, "stroke-dasharray": dashes[i % 8] || null}), mark]);
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
    Object.keys(runs[0].points[0].metrics).map(function (name) {
      return make("option", {value: name, text: words(name), selected: name === metric ? "" : null});
    }));
  bar.appendChild(make("label", {for: "metric", class: "soft small", text: "Metric"}));
  bar.appendChild(select);
  page.appendChild(make("h2", {text: "The curve"}));
  page.appendChild(bar);
  page.appendChild(chart);
  page.appendChild(make("p", {class: "soft small", text: "Coloured bands: one standard error that counts overlapping training parts (Nadeau and Bengio). " +
    (data.null_runs ? "Grey bands: the middle 90% of " + plural(data.null_runs, "run", "runs") + " with permuted labels. " : "") +
    "A ring marks the size that the rule \u201c" + (runs[0].chosen ? runs[0].chosen.rule : "") + "\u201d chose."}));
  page.appendChild(make("details", {}, [make("summary", {text: "The same as a table"}), pointsTable()]));
}
function pointsTable() {
  var names = Object.keys(runs[0].points[0].metrics);
  var head = ["method", "features", "used"].concat(names.map(words), data.null_runs ? ["permuted", "p"] : [], ["stability"]);
  var body = make("tbody");
  runs.forEach(function (run) {
    run.points.forEach(function (p) {
      var is = run.chosen && run.chosen.n_features === p.n_features;
      var cells = [round(p.used_mean, 6)].concat(names.map(function (m) { return pm(p.metrics[m]); }),
        data.null_runs ? [p.null ? fixed(p.null.mean) : "\u2013", p.null ? round(p.null.p) : "\u2013"] : [], [round(p.stability.index)]);
      body.appendChild(make("tr", {class: is ? "chosen" : null}, [make("td", {class: "text", text: run.method}),
        make("td", {text: count(p.n_features) + (is ? " (chosen)" : "")})].concat(cells.map(function (c) { return make("td", {text: c}); }))));
    });
  });
  return make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "table of the curve"}, [make("table", {}, [
    make("thead", {}, [make("tr", {}, head.map(function (h, i) { return make("th", {scope: "col", class: i === 0 ? "text" : null, text: h}); }))]), body])]);
}

/* --- features --- */
var current = 0;
function weightColumns(run) {
  var n = run.features.length ? run.features[0].coef.length : 0, list = [];
  for (var o = 0; o < n; o++) list.push(n === 1 ? "weight" : "weight " + data.classes[o]);
  return list;
}
function featureTable(run) {
  var rows = run.features.map(function (f, i) { return {f: f, rank: i + 1}; });
  var core = {};
  run.stability.core.forEach(function (j) { core[j] = true; });
  var columns = [{name: "rank", get: function (r) { return r.rank; }},
    {name: "feature", text: true, get: function (r) { return r.f.name; }},
    {name: "score", get: function (r) { return r.f.score; }, show: function (r) { return round(r.f.score, 4); }}];
  weightColumns(run).forEach(function (name, o) {
    columns.push({name: name, get: function (r) { return r.f.coef[o]; }, show: function (r) { return round(r.f.coef[o], 4); }});
  });
  columns.push({name: "selected in", get: function (r) { return r.f.share; }, meter: true},
    {name: "substitutes", text: true, get: function (r) { return r.f.substitutes.length; }, list: true});
  var body = make("tbody"), heads = [];
  function fill() {
    clear(body);
    rows.forEach(function (r) {
      body.appendChild(make("tr", {class: core[r.f.index] ? "core" : null}, columns.map(function (c) {
        if (c.meter) return make("td", {}, [make("span", {class: "meter", "aria-hidden": "true"}, [make("i", {style: "width:" + 100 * r.f.share + "%"})]), make("span", {class: "share", text: percent(r.f.share)})]);
        if (c.list) return make("td", {class: "text wrap", text: r.f.substitutes.map(function (s) { return s.name + " (r\u00a0" + round(s.correlation, 2) + ")"; }).join(", ") || "\u2013"});
        return make("td", {class: c.name === "feature" ? "name" : c.text ? "text" : null, title: c.name === "feature" ? "column " + r.f.index : null, text: c.show ? c.show(r) : String(c.get(r))});
      })));
    });
  }
  columns.forEach(function (c, i) {
    var head = make("th", {scope: "col", class: c.text ? "text" : null, "aria-sort": i === 0 ? "ascending" : "none"}, [
      make("button", {type: "button", text: c.name, onclick: function () {
        var down = head.getAttribute("aria-sort") === "ascending" || (head.getAttribute("aria-sort") === "none" && !c.text && i > 0);
        heads.forEach(function (h) { h.setAttribute("aria-sort", "none"); });
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        rows.sort(function (a, b) {
          var u = c.get(a), v = c.get(b), order = typeof u === "string" ? (u < v ? -1 : u > v ? 1 : 0) : (u === null ? -Infinity : u) - (v === null ? -Infinity : v);
          return (down ? -order : order) || a.rank - b.rank;
        });
        fill();
      }})]);
    heads.push(head);
  });
  fill();
  return make("div", {class: "scroll tall", tabindex: 0, role: "region", "aria-label": "feature table"}, [make("table", {id: "features"}, [
    caption("The fit on all samples at the chosen size: " + plural(run.n_selected, "feature", "features") +
      (run.n_selected > run.features.length ? ", the best " + count(run.features.length) + " are listed" : "") + ". Weights are in the units of the input."),
    make("thead", {}, [make("tr", {}, heads)]), body])]);
}
function heatMap(run) {
  var list = run.stability.frequency.slice(0, LISTED), at = run.chosen ? run.chosen.n_features : -1;
  if (!list.length) return make("p", {class: "soft", text: "No frequencies: the chosen size has more features than are listed."});
  return make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "selection frequency"}, [make("table", {class: "heat"}, [
    caption("Share of the " + plural(run.folds_done, "training part", "training parts") + " that selected a feature, at each size" +
      (run.stability.selected_ever > list.length ? "; the " + list.length + " most frequent of " + count(run.stability.selected_ever) : "")),
    make("thead", {}, [make("tr", {}, [make("th", {scope: "col", class: "name", text: "feature"})].concat(sizes.map(function (k) {
      return make("th", {scope: "col", class: k === at ? "on" : null, text: count(k)});
    })))]),
    make("tbody", {}, list.map(function (f) {
      return make("tr", {}, [make("td", {class: "name", text: f.name})].concat(f.shares.map(function (v, s) {
        return make("td", {title: f.name + ", " + plural(sizes[s], "feature", "features") + ": " + percent(v),
          style: v === null ? null : "background:rgba(var(--heat)," + (0.05 + 0.85 * v).toFixed(3) + ");" + (v > 0.55 ? "color:var(--page)" : ""),
          text: v === null ? "" : Math.round(100 * v)});
      })));
    }))])]);
}
function features() {
  var box = make("div"), select = make("select", {id: "method", onchange: function () { current = Number(select.value); fill(); }},
    runs.map(function (run, i) { return make("option", {value: i, text: run.method}); }));
  function fill() {
    var run = runs[current];
    clear(box);
    if (run.features.length) box.appendChild(featureTable(run));
    else box.appendChild(make("p", {class: "soft", text: "There is no fit on all samples: the run was stopped early."}));
    box.appendChild(make("p", {class: "soft small", text: "A bar at the left marks the stable core: selected in 90% of the training parts or more. " +
      "Substitutes are correlated features whose exchange inside the folds costs at most one standard error; r is the correlation."}));
    box.appendChild(make("h2", {text: "How often each feature was selected"}));
    box.appendChild(heatMap(run));
  }
  page.appendChild(make("h2", {text: "The features"}));
  if (runs.length > 1) page.appendChild(make("div", {class: "bar"}, [make("label", {for: "method", class: "soft small", text: "Method"}), select]));
  page.appendChild(box);
  fill();
}

/* --- comparison, facts --- */
function comparison() {
  var c = data.comparison;
  if (!c) return;
  page.appendChild(make("h2", {text: "Comparison on the same folds"}));
  page.appendChild(make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "comparison"}, [make("table", {id: "comparison"}, [
    caption("Differences in " + words(data.metric) + (c.scores === "nested" ? ", at the size that each training part chose for itself" : ", at the chosen sizes")),
    make("thead", {}, [make("tr", {}, ["pair", "difference", "corrected t-test p", "Wilcoxon p"].map(function (h, i) { return make("th", {scope: "col", class: i ? null : "text", text: h}); }))]),
    make("tbody", {}, c.pairs.map(function (p) {
      return make("tr", {}, [make("td", {class: "text", text: p.a + " \u2212 " + p.b}), make("td", {text: pm({mean: p.difference, se: p.se})}),
        make("td", {text: round(p.t_test.p)}), make("td", {text: round(p.wilcoxon.p)})]);
    }))])]));
  var ranks = c.ranks.slice().sort(function (a, b) { return a.mean_rank - b.mean_rank; });
  page.appendChild(make("p", {class: "small", text: "Mean rank over " + plural(c.folds, "part", "parts") + ": " +
    ranks.map(function (r) { return r.method + " " + round(r.mean_rank); }).join(", ") +
    ". Ranks that differ by less than the critical difference " + round(c.critical_difference) + " are not told apart at the 5% level (Nemenyi). " +
    "The Wilcoxon test and the ranks take the parts for independent; the corrected t-test does not."}));
}
function facts() {
  var list = make("dl", {class: "facts"});
  function fact(name, value) { list.appendChild(make("dt", {text: name})); list.appendChild(make("dd", {text: value})); }
  page.appendChild(make("h2", {text: "How this was made"}));
  if (command) page.appendChild(make("pre", {}, [make("code", {text: command})]));
  fact("version", "pare " + data.pare);
  fact("seed", String(data.seed));
  fact("data, SHA-256", data.data.sha256);
  fact("evaluation", foldText() + (data.folds.inner ? "; " + data.folds.inner + " inner folds" : ""));
  runs.forEach(function (run) {
    var at = run.points.filter(function (p) { return run.chosen && p.n_features === run.chosen.n_features; })[0] || run.points[0];
    fact("settings of " + run.method + (run.tuned ? " (" + run.tuned + " tuned)" : ""), Object.keys(at.settings).filter(function (k) { return at.settings[k] !== "" && at.settings[k] !== null; })
      .map(function (k) { return k + " " + at.settings[k]; }).join(", "));
  });
  page.appendChild(list);
}

clear(page);
top_();
page.appendChild(make("div", {class: "cards"}, runs.map(card)));
curves();
features();
comparison();
facts();
redraw();
if (window.ResizeObserver) new ResizeObserver(redraw).observe(chart);
else window.addEventListener("resize", redraw);
window.addEventListener("beforeprint", function () { draw(680); document.querySelectorAll("details").forEach(function (d) { d.open = true; }); });
window.addEventListener("afterprint", redraw);
})();
