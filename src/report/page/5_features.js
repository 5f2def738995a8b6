/* The chosen features: direction, weight, values by class, stability, substitutes. */
var LISTED = 40, PLOTTED = 12;

function outputsOf(run) { return run.features.length ? run.features[0].weight.length : 0; }
/* The class that an output is for, or the two that it tells apart. */
function outputName(run, o) { return run.pairs ? run.pairs[o].join(" against ") : data.classes[o]; }
/* Which way a feature points: by its weight, or by the classes' mean values. */
function direction(run, f, i) {
  var n = f.weight.length, at = 0, v = valuesOf(run, i);
  if (n === 1 && f.weight[0] !== null && f.weight[0] !== 0) {
    if (predictsNumber) return f.weight[0] > 0 ? "\u2191 raises the prediction" : "\u2193 lowers the prediction";
    if (predictsRisk) return f.weight[0] > 0 ? "\u2191 raises the risk" : "\u2193 lowers the risk";
    if (ordersSamples) return f.weight[0] > 0 ? "\u2191 moves up" : "\u2193 moves down";
    return "\u2191 " + data.classes[f.weight[0] > 0 ? 1 : 0];
  }
  if (n > 1 && !run.pairs) {
    f.weight.forEach(function (w, o) { if (w > f.weight[at]) at = o; });
    return "\u2191 " + data.classes[at];
  }
  if (!v || !data.classes.length) return "\u2013";
  var means = data.classes.map(function (c, k) {
    var own = v.filter(function (x, e) { return x !== null && values.truth[e] === k; });
    return own.length ? mean(own) : -Infinity;
  });
  means.forEach(function (m, k) { if (m > means[at]) at = k; });
  return "\u2191 " + data.classes[at];
}
function valuesOf(run, i) { return values.runs[runs.indexOf(run)][i] || null; }
function featureTable(run) {
  var rows = run.features.map(function (f, i) { return {f: f, rank: i + 1, points: direction(run, f, i)}; });
  var core = {}, n = outputsOf(run), most = 0;
  run.stability.core.forEach(function (j) { core[j] = true; });
  run.features.forEach(function (f) { f.weight.forEach(function (w) { most = Math.max(most, Math.abs(w)); }); });
  var shown = [{name: "rank", get: function (r) { return r.rank; }},
    {name: "feature", text: true, get: function (r) { return r.f.name; }},
    {name: "score", get: function (r) { return r.f.score; }, show: function (r) { return round(r.f.score, 4); }},
    {name: "points to", text: true, get: function (r) { return r.points; }}];
  for (var o = 0; o < n; o++) (function (o) {
    shown.push({
      name: n === 1 ? "weight" : "weight " + outputName(run, o),
      weight: o,
      get: function (r) { return r.f.weight[o]; }
    });
  })(o);
  columnsOf("page", "features", run.features).forEach(function (c) {
    function get(r) { return fieldOf(r.f, c.field); }
    shown.push({name: c.words, text: c.type === "text", get: get, show: function (r) { return shownText(get(r)); }});
  });
  shown.push({name: "selected in", get: function (r) { return r.f.share; }, meter: true},
    {name: "substitutes", text: true, get: function (r) { return r.f.substitutes.length; }, list: true});
  var body = make("tbody"), heads = [];
  function cell(c, r) {
    if (c.meter)
      return make("td", {}, [
        make("span", {class: "meter", "aria-hidden": "true"}, [make("i", {style: "width:" + 100 * r.f.share + "%"})]),
        make("span", {class: "share", text: percent(r.f.share)})
      ]);
    if (c.weight !== undefined) {
      var w = r.f.weight[c.weight], wide = most > 0 && w !== null ? 50 * Math.abs(w) / most : 0;
      return make("td", {title: "in units of the input: " + round(r.f.coef[c.weight], 6)}, [
        n <= 2 &&
          make("span", {class: "signed", "aria-hidden": "true"}, [
            make("i", {
              class: w < 0 ? "less" : "more",
              style: "width:" + wide + "%;" + (w < 0 ? "right:50%" : "left:50%")
            })
          ]),
        make("span", {class: "share", text: round(w, 3)})
      ]);
    }
    if (c.list) {
      var said = r.f.substitutes.map(function (s) { return s.name + " (r\u00a0" + round(s.correlation, 2) + ")"; }),
        more = said.length - 3;
      return make("td", {
        class: "text wrap",
        title: more > 0 ? said.join(", ") : null,
        text: said.slice(0, 3).join(", ") + (more > 0 ? " and " + more + " more" : "") || "\u2013"
      });
    }
    return make("td", {
      class: c.name === "feature" ? "name" : c.text ? "text short" : null,
      title: c.name === "feature" ? "column " + r.f.index : null,
      text: c.show ? c.show(r) : String(c.get(r))
    });
  }
  function fill() {
    clear(body);
    rows.forEach(function (r) {
      body.appendChild(
        make("tr", {class: core[r.f.index] ? "core" : null}, shown.map(function (c) { return cell(c, r); }))
      );
    });
  }
  shown.forEach(function (c, i) {
    var head = make("th", {scope: "col", class: c.text ? "text" : null, "aria-sort": i === 0 ? "ascending" : "none"}, [
      make("button", {type: "button", text: c.name, onclick: function () {
        var down =
          head.getAttribute("aria-sort") === "ascending" ||
          (head.getAttribute("aria-sort") === "none" && !c.text && i > 0);
        heads.forEach(function (h) { h.setAttribute("aria-sort", "none"); });
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        rows.sort(function (a, b) {
          var u = c.get(a), v = c.get(b);
          var order = typeof u === "string" ? (u < v ? -1 : u > v ? 1 : 0) :
            (u === null ? -Infinity : u) - (v === null ? -Infinity : v);
          return (down ? -order : order) || a.rank - b.rank;
        });
        fill();
      }})]);
    heads.push(head);
  });
  fill();
  return make("div", {class: "scroll tall", tabindex: 0, role: "region", "aria-label": "feature table"}, [
    make("table", {class: "features"}, [
      caption(
        "The fit of " + run.method + " on all samples at the chosen size: " +
          plural(run.n_selected, "feature", "features") +
          (run.n_selected > run.features.length ? ", the best " + count(run.features.length) + " are listed" : "") +
          (n ? ". Weights are per standard deviation of the feature." : ".")
      ),
      make("thead", {}, [make("tr", {}, heads)]),
      body
    ])
  ]);
}
function featureRows(run) {
  var n = outputsOf(run), names = [], more = columnsOf("csv", "features", run.features);
  for (var o = 0; o < n; o++) names.push(n === 1 ? "" : " " + outputName(run, o));
  return [
    ["rank", "name", "index", "score", "points_to"].concat(
      names.map(function (s) { return "weight" + s; }),
      names.map(function (s) { return "coef" + s; }),
      ["selected_in", "substitutes"],
      more.map(function (c) { return c.name; })
    )
  ].concat(
    run.features.map(function (f, i) {
      return [i + 1, f.name, f.index, f.score, direction(run, f, i).slice(2)].concat(f.weight, f.coef, [
        f.share,
        f.substitutes.map(function (s) { return s.name; }).join("; ")
      ], more.map(function (c) { return fieldOf(f, c.field); }));
    })
  );
}

/* --- values --- */
function jitter(i) { return ((i * 2654435761 >>> 0) % 1000) / 1000 - 0.5; } /* the same at every look */
function strip(run, i) {
  var f = run.features[i], v = valuesOf(run, i), there = v.filter(function (x) { return x !== null; });
  var lo = Math.min.apply(null, there), hi = Math.max.apply(null, there), wide = 300, left = 84, step = 30;
  if (!(hi > lo)) { lo -= 0.5; hi += 0.5; }
  var names = data.classes, height = 26 + names.length * step + 22;
  function x(t) { return +(left + 8 + (t - lo) / (hi - lo) * (wide - left - 20)).toFixed(1); }
  var svg = make(
    "svg",
    {viewBox: "0 0 " + wide + " " + height, role: "img", "aria-label": "values of " + f.name + " by class"},
    [make("text", {class: "title", x: 4, y: 15, text: short(f.name, 38)})]
  );
  names.forEach(function (name, k) {
    var y = 26 + step * (k + 0.5),
      own = sorted(v.filter(function (t, e) { return t !== null && values.truth[e] === k; }));
    svg.appendChild(make("line", {class: "grid", x1: left, x2: wide - 6, y1: y, y2: y}));
    svg.appendChild(make("text", {x: left - 6, y: y + 4, "text-anchor": "end", text: short(name, 11)}));
    v.forEach(function (t, e) {
      if (t !== null && values.truth[e] === k)
        svg.appendChild(
          make("circle", {cx: x(t), cy: +(y + 14 * jitter(e)).toFixed(1), r: 2.2, fill: color(k), "fill-opacity": 0.5})
        );
    });
    if (!own.length) return;
    var a = x(quantile(own, 0.25)), b = x(quantile(own, 0.75)), m = x(quantile(own, 0.5));
    svg.appendChild(
      make("rect", {
        x: a, y: y - 9, width: Math.max(1, b - a), height: 18, fill: "none", stroke: color(k), "stroke-width": 1.2,
        rx: 2
      })
    );
    svg.appendChild(make("line", {x1: m, x2: m, y1: y - 9, y2: y + 9, stroke: color(k), "stroke-width": 2.4}));
  });
  svg.appendChild(make("text", {x: x(lo), y: height - 6, "text-anchor": "start", text: round(lo)}));
  svg.appendChild(make("text", {x: x(hi), y: height - 6, "text-anchor": "end", text: round(hi)}));
  return svg;
}
function against(run, i) {
  var f = run.features[i],
    v = valuesOf(run, i),
    xs = v.filter(function (t) { return t !== null; }),
    lo = Math.min.apply(null, xs),
    hi = Math.max.apply(null, xs);
  var y0 = Math.min.apply(null, values.truth), y1 = Math.max.apply(null, values.truth);
  var p = plot(
    300,
    220,
    lo,
    hi > lo ? hi : lo + 1,
    y0,
    y1 > y0 ? y1 : y0 + 1,
    short(f.name, 32),
    predictsRisk ? "time (open: censored)" : "target",
    (predictsRisk ? "time" : "target") + " against " + f.name
  );
  v.forEach(function (t, e) {
    if (t !== null)
      p.svg.appendChild(
        make("circle", {
          cx: p.x(t), cy: p.y(values.truth[e]), r: 2.4, fill: values.censored && values.censored[e] ? "none" : color(0),
          "fill-opacity": 0.5, stroke: values.censored && values.censored[e] ? color(0) : "none"
        })
      );
  });
  return p.svg;
}
function valuesPanels(run) {
  var shown = values.runs[runs.indexOf(run)].slice(0, PLOTTED), file = "pare-" + run.method.replace(/[^\w-]/g, "");
  return make("div", {class: "panels small"}, shown.map(function (v, i) {
    var svg = data.classes.length ? strip(run, i) : against(run, i);
    return make("figure", {class: "panel"}, [
      svg,
      figure(file + "-values-" + (i + 1), "values of " + run.features[i].name, svg)
    ]);
  }));
}

/* --- samples and features at once --- */
/* Samples by class, within it by the sum of what the features say; features by what they point to. */
function sampleOrder(run, z, sign) {
  var n = values.truth.length, sum = [], order = [];
  for (var e = 0; e < n; e++) {
    sum.push(z.reduce(function (a, row, i) { return a + (row[e] || 0) * sign[i]; }, 0));
    order.push(e);
  }
  return order.sort(function (a, b) { return values.truth[a] - values.truth[b] || sum[a] - sum[b] || a - b; });
}
function heat(z) {
  if (z === null) return [128, 128, 128, 60];
  var t = Math.max(-1, Math.min(1, z / 2.5)), to = t < 0 ? [33, 102, 172] : [202, 82, 20], s = Math.abs(t);
  return [245 + (to[0] - 245) * s, 245 + (to[1] - 245) * s, 245 + (to[2] - 245) * s, 255];
}
function samplesMap(run) {
  var raw = values.runs[runs.indexOf(run)], n = values.truth.length;
  if (!raw.length || !n) return null;
  var z = raw.map(function (v) {
    var there = v.filter(function (x) { return x !== null; }),
      m = mean(there),
      sd = Math.sqrt(mean(there.map(function (x) { return (x - m) * (x - m); }))) || 1;
    return v.map(function (x) { return x === null ? null : (x - m) / sd; });
  });
  var last = data.classes.length - 1;
  var sign = z.map(function (row, i) { /* towards the last class, or larger values */
    var up = row.filter(function (x, e) {
      return x !== null && (last < 0 ? values.truth[e] > mean(values.truth) : values.truth[e] === last);
    });
    return up.length && mean(up) < 0 ? -1 : 1;
  });
  var towards = z.map(function (row, i) { /* the class of the highest mean; values: up or down */
    var means = data.classes.map(function (c, k) {
      var own = row.filter(function (x, e) { return x !== null && values.truth[e] === k; });
      return own.length ? mean(own) : -Infinity;
    });
    return last < 0 ? -sign[i] : means.indexOf(Math.max.apply(null, means));
  });
  var rows = z.map(function (r, i) { return i; }).sort(function (a, b) { return towards[a] - towards[b] || a - b; });
  var order = sampleOrder(run, z, sign),
    high = 17,
    left = 170,
    wide = 1000,
    top = 30,
    canvas = document.createElement("canvas");
  canvas.width = n;
  canvas.height = rows.length;
  var context = canvas.getContext("2d"), image = context.createImageData(n, rows.length);
  rows.forEach(function (i, r) {
    order.forEach(function (e, c) {
      var rgb = heat(z[i][e]);
      for (var q = 0; q < 4; q++) image.data[4 * (r * n + c) + q] = rgb[q];
    });
  });
  context.putImageData(image, 0, 0);
  var height = top + high * rows.length + 42;
  var svg = make("svg", {
    viewBox: "0 0 " + wide + " " + height,
    role: "img",
    "aria-label": "heat map of the chosen features; samples ordered by class"
  });
  function x(c) { return left + c / n * (wide - left - 8); }
  if (data.classes.length) for (var from = 0; from < n;) {
    var k = values.truth[order[from]], to = from;
    while (to < n && values.truth[order[to]] === k) to++;
    svg.appendChild(make("rect", {x: x(from), y: top - 10, width: x(to) - x(from) - 1, height: 7, fill: color(k)}));
    svg.appendChild(
      make("text", {
        x: (x(from) + x(to)) / 2,
        y: top - 15,
        "text-anchor": "middle",
        text: short(data.classes[k], Math.max(3, Math.floor((x(to) - x(from)) / 8)))
      })
    );
    from = to;
  }
  var picture = make("image", {
    x: left, y: top, width: wide - left - 8, height: high * rows.length, preserveAspectRatio: "none",
    style: "image-rendering:pixelated", href: canvas.toDataURL()
  });
  svg.appendChild(picture);
  rows.forEach(function (i, r) {
    svg.appendChild(
      make("text", {
        x: left - 8, y: top + high * (r + 0.5) + 4, "text-anchor": "end", text: short(run.features[i].name, 22)
      })
    );
  });
  [-2.5, 0, 2.5].forEach(function (t, i) {
    svg.appendChild(
      make("rect", {
        x: left + 70 * i,
        y: height - 22,
        width: 14,
        height: 12,
        fill: "rgb(" + heat(t).slice(0, 3).map(Math.round).join(",") + ")",
        stroke: "var(--line)"
      })
    );
    svg.appendChild(make("text", {x: left + 70 * i + 20, y: height - 12, text: ["low", "mean", "high"][i]}));
  });
  return svg;
}

/* --- how often --- */
function frequencyTable(run) {
  var list = run.stability.frequency.slice(0, LISTED), at = run.chosen ? run.chosen.point : -1;
  if (!list.length)
    return make("p", {class: "soft", text: "No frequencies: the chosen size has more features than are listed."});
  return make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "selection frequency"}, [
    make("table", {class: "heat"}, [
      caption(
        "Share of the " + plural(run.folds_done, "training part", "training parts") +
          " that selected a feature, at each size" +
          (run.stability.selected_ever > list.length
            ? "; the " + list.length + " most frequent of " + count(run.stability.selected_ever)
            : "")
      ),
      make("thead", {}, [
        make(
          "tr",
          {},
          [make("th", {scope: "col", class: "name", text: "feature"})].concat(
            sizes.map(function (k, s) {
              return make("th", {scope: "col", class: s === at ? "on" : null, text: count(k)});
            })
          )
        )
      ]),
      make(
        "tbody",
        {},
        list.map(function (f) {
          return make(
            "tr",
            {},
            [make("td", {class: "name", text: f.name})].concat(
              f.shares.map(function (v, s) {
                return make("td", {
                  title: f.name + ", " + plural(sizes[s], "feature", "features") + ": " + percent(v),
                  style:
                    v === null
                      ? null
                      : "background:rgba(var(--heat)," + (0.05 + 0.85 * v).toFixed(3) + ");" +
                        (v > 0.55 ? "color:var(--page)" : ""),
                  text: v === null ? "" : Math.round(100 * v)
                });
              })
            )
          );
        })
      )
    ])
  ]);
}
function frequencyRows(run) {
  return [["name", "index"].concat(sizes)].concat(
    run.stability.frequency.map(function (f) { return [f.name, f.index].concat(f.shares); })
  );
}
function featuresSection(run) {
  var box = make("div"), file = "pare-" + run.method.replace(/[^\w-]/g, ""), map;
  if (!run.features.length)
    box.appendChild(make("p", {class: "soft", text: "There is no fit on all samples: the run was stopped early."}));
  else {
    box.appendChild(featureTable(run));
    box.appendChild(tableSaves(file + "-features", "the features", function () { return featureRows(run); }));
    box.appendChild(
      make("p", {
        class: "soft small",
        text:
          "A bar at the left marks the stable core: selected in 90% of the training parts or more. " +
          (outputsOf(run)
            ? "Points to: where higher values of the feature push the prediction, the others held still. "
            : "Points to: the class with the highest mean. ") +
          "Substitutes are correlated features whose exchange inside the folds costs at most one standard error; r " +
          "is the correlation." +
          (predictsRisk
            ? " Hazard ratios are per standard deviation; only forced-in covariates have intervals, since those of " +
              "features that were chosen by the same samples would be too narrow. The test of proportional hazards " +
              "(PH) asks whether a ratio changes with time (scaled Schoenfeld residuals); a small p says that it does."
            : "")
      })
    );
    if (values.runs[runs.indexOf(run)].length) {
      box.appendChild(
        make("h3", {text: data.classes.length ? "Their values by class" : "The target against their values"})
      );
      box.appendChild(valuesPanels(run));
      map = samplesMap(run);
      box.appendChild(make("h3", {text: "All samples at once"}));
      box.appendChild(make("div", {class: "chart"}, [map]));
      box.appendChild(figure(file + "-samples", "the heat map of samples", map));
      box.appendChild(
        make("p", {
          class: "soft small",
          text:
            "Each column is a sample, " +
            (data.classes.length
              ? "ordered by class and within it by what the features say together"
              : "ordered by the target") +
            "; colours are deviations from the feature's mean. All samples were used to choose these features, so " +
            "this picture shows what they are, not how well they predict."
        })
      );
    }
  }
  box.appendChild(make("h3", {text: "How often each feature was selected"}));
  box.appendChild(frequencyTable(run));
  if (run.stability.frequency.length)
    box.appendChild(
      tableSaves(file + "-frequency", "the selection frequencies", function () { return frequencyRows(run); })
    );
  if (run.junctures) box.appendChild(juncturesPart(run));
  return box;
}
