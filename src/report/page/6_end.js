/* Comparison, how the page was made; then everything in its order. */
function comparison() {
  var c = data.comparison;
  if (!c) return;
  section("Comparison on the same folds");
  page.appendChild(
    make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "comparison"}, [
      make("table", {id: "comparison"}, [
        caption(
          "Differences in " + words(data.metric) +
            (c.scores === "nested" ? ", at the size that each training part chose for itself" : ", at the chosen sizes")
        ),
        make("thead", {}, [
          make(
            "tr",
            {},
            ["pair", "difference", "corrected t-test p", "Wilcoxon p"].map(function (h, i) {
              return make("th", {scope: "col", class: i ? null : "text", text: h});
            })
          )
        ]),
        make(
          "tbody",
          {},
          c.pairs.map(function (p) {
            return make("tr", {}, [
              make("td", {class: "text", text: p.a + " \u2212 " + p.b}),
              make("td", {text: pm({mean: p.difference, se: p.se})}),
              make("td", {text: round(p.t_test.p)}),
              make("td", {text: round(p.wilcoxon.p)})
            ]);
          })
        )
      ])
    ])
  );
  page.appendChild(tableSaves("pare-comparison", "the comparison", function () {
    return [["a", "b", "difference", "se", "t_test_p", "wilcoxon_p"]].concat(
      c.pairs.map(function (p) { return [p.a, p.b, p.difference, p.se, p.t_test.p, p.wilcoxon.p]; })
    );
  }));
  var ranks = c.ranks.slice().sort(function (a, b) { return a.mean_rank - b.mean_rank; });
  page.appendChild(
    make("p", {
      class: "small",
      text:
        "Mean rank over " + plural(c.folds, "part", "parts") + ": " +
        ranks.map(function (r) { return r.method + " " + round(r.mean_rank); }).join(", ") +
        ". Ranks that differ by less than the critical difference " + round(c.critical_difference) +
        " are not told apart at the 5% level (Nemenyi). " +
        "The Wilcoxon test and the ranks take the parts for independent; the corrected t-test does not."
    })
  );
}

function facts() {
  var table = make("dl", {class: "facts"});
  function fact(name, value) {
    table.appendChild(make("dt", {text: name}));
    table.appendChild(make("dd", {text: value}));
  }
  section("How this was made");
  if (command) page.appendChild(make("pre", {}, [make("code", {text: command})]));
  fact("version", "pare " + data.pare);
  fact("seed", String(data.seed));
  fact("data, SHA-256", data.data.sha256);
  fact("evaluation", foldText() + (data.folds.inner ? "; " + data.folds.inner + " inner folds" : ""));
  columnsOf("page", "path", [data]).forEach(function (c) { fact(c.words, shownText(fieldOf(data, c.field))); });
  about.forEach(function (a) {
    if (a.selection) fact("selection by " + a.run + ", all samples", a.selection);
    if (a.predictor) fact("predictor of " + a.run + ", all samples", a.predictor);
  });
  runs.forEach(function (run) {
    var at = chosenPoint(run) || run.points[0];
    fact(
      "settings of " + run.method + (run.tuned ? " (" + run.tuned + " tuned)" : ""),
      Object.keys(at.settings)
        .filter(function (k) { return at.settings[k] !== "" && at.settings[k] !== null; })
        .map(function (k) { return k + " " + at.settings[k]; })
        .join(", ")
    );
  });
  page.appendChild(table);
  page.appendChild(make("div", {class: "saves"}, [button("JSON", "the whole result", function () {
    save("pare-path.json", "application/json", document.getElementById("data").textContent);
  })]));
}

/* --- one method at a time on the screen, all of them in print --- */
var current = Math.max(0, runs.indexOf(best())), boxes = [];
function perMethod(title, make_) {
  var box = make("div");
  section(title);
  page.appendChild(box);
  boxes.push({box: box, make: make_});
}
function fill(all) {
  boxes.forEach(function (b) {
    clear(b.box);
    runs.forEach(function (run, i) {
      if (!all && i !== current) return;
      if (all && runs.length > 1) b.box.appendChild(make("h3", {text: run.method}));
      b.box.appendChild(b.make(run));
    });
  });
}
function chooser() {
  if (runs.length < 2) return;
  var select = make(
    "select",
    {id: "method", onchange: function () { current = Number(select.value); fill(false); }},
    runs.map(function (run, i) {
      return make("option", {value: i, text: run.method, selected: i === current ? "" : null});
    })
  );
  page.appendChild(
    make("div", {class: "bar choose"}, [
      make("label", {for: "method", class: "soft", text: "Below: one method at a time"}),
      select
    ])
  );
}

clear(page);
document.title = (dataName() ? dataName() + ": " : "") + (best() ? best().headline[0] : "pare path");
top_();
page.appendChild(make("div", {class: "cards"}, runs.map(card)));
curves();
comparison();
chooser();
if (runs.some(function (run) { return run.cohorts; })) perMethod("Each cohort from the others", cohortsSection);
perMethod("The features", featuresSection);
if (runs.some(function (run) { return run.control; })) perMethod("How many of them may be false", controlSection);
perMethod("What was predicted for samples left out", saidSection);
fill(false);
methods();
readerPart();
facts();
redraw();
if (window.ResizeObserver) new ResizeObserver(redraw).observe(chart);
else window.addEventListener("resize", redraw);
window.addEventListener("beforeprint", function () {
  fill(true);
  draw(680);
  document.querySelectorAll("details").forEach(function (d) { d.open = true; });
});
window.addEventListener("afterprint", function () { fill(false); redraw(); });
