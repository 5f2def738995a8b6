/* Comparison, the paragraph for a paper, how the page was made; then everything in its order. */
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

/* --- the paragraph: only what was done, and only what it cites --- */
function paragraph() {
  var refs = [],
    out = [],
    run = best(),
    rules = {
      best: "with the best mean",
      "1se": "by the one-standard-error rule",
      tolerance: "that loses least within the tolerance"
    };
  function cite(s) { var at = refs.indexOf(s); if (at < 0) at = refs.push(s) - 1; return "[" + (at + 1) + "]"; }
  var tuned = runs.filter(function (r) { return r.tuned; });
  out.push(
    "Features were selected with " +
      list(
        about.map(function (a) {
          return (
            a.method + (a.citation ? " " + cite(a.citation) : "") +
            (a.then
              ? " (prediction by " +
                a.then +
                (a.then_citation ? " " + cite(a.then_citation) : "") +
                " on the selected features)"
              : "")
          );
        })
      ) +
      ", as implemented in pare " + data.pare + "."
  );
  out.push(
    "Performance on new samples was estimated on " + plural(data.n_samples, "sample", "samples") + " with " +
      plural(data.n_features, "feature", "features") + " by " + foldText() + ". " + inside()
  );
  if (run && run.chosen)
    out.push(
      "The number of features was chosen " + (rules[run.chosen.rule] || "by the rule " + run.chosen.rule) + " of " +
        words(data.metric) +
        (run.chosen.nested
          ? "; the performance reported is that of the whole procedure, with the size chosen anew in " +
            data.folds.inner + " inner folds of each training part"
          : "") +
        "."
    );
  if (tuned.length)
    out.push(
      "Settings tuned in the inner folds: " +
        list(tuned.map(function (r) { return r.method + " (" + r.tuned.replace(/ /g, ", ") + ")"; })) + "."
    );
  out.push(
    "Standard errors allow for overlapping training parts " +
      cite("C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52:239-281, 2003") + "."
  );
  if (runs.some(function (r) { return r.chosen && r.chosen.nested && r.chosen.nested.interval; }))
    out.push(
      "95% confidence intervals are percentiles of a bootstrap over held-out samples, widened for overlapping " +
        "training folds" +
        (/^(accuracy|balanced_accuracy|auc|f1)$/.test(data.metric)
          ? ", and extended to Wilson's interval at the effective number of samples " +
            cite(
              "E. B. Wilson. Probable inference, the law of succession, and statistical inference. Journal of the " +
                "American Statistical Association 22:209-212, 1927"
            )
          : "") +
        "."
    );
  if (data.null_runs)
    out.push(
      "P-values come from " + count(data.null_runs) + " permutations, with everything repeated on each " +
        cite(
          "M. Ojala, G. C. Garriga. Permutation tests for studying classifier performance. JMLR 11:1833-1863, 2010"
        ) +
        "."
    );
  if (runs.some(function (r) { return r.stability.index !== null; }))
    out.push(
      "The stability of the selection is the index of Nogueira et al. " +
        cite(
          "S. Nogueira, K. Sechidis, G. Brown. On the stability of feature selection algorithms. JMLR 18(174):1-54, " +
            "2018"
        ) +
        "."
    );
  if (runs.some(function (r) { return r.calibration === "temperature"; }))
    out.push(
      "Probabilities are log odds drawn towards the proportions of the classes by one temperature, which was fitted to " +
        "the held-out samples of the inner folds of each training fold " +
        cite(
          "C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger. On calibration of modern neural networks. ICML 2017"
        ) +
        "."
    );
  if (runs.some(function (r) { return r.calibration === "sigmoid"; }))
    out.push(
      "Probabilities were calibrated by sigmoids on the held-out samples of the inner folds of each training fold " +
        cite(
          "J. Platt. Probabilistic outputs for support vector machines and comparisons to regularized likelihood " +
            "methods. Advances in Large Margin Classifiers, 61-74, 1999"
        ) +
        "."
    );
  runs
    .filter(function (r) { return r.control; })
    .slice(0, 1)
    .forEach(function (r) { out.push(controlCited(r.control, cite)); });
  if (run) out.push("Result (" + run.method + "): " + run.headline.join(" "));
  return {text: out.join(" "), refs: refs};
}
function methods() {
  var p = paragraph(),
    plain = p.text + "\n\n" + p.refs.map(function (r, i) { return "[" + (i + 1) + "] " + r; }).join("\n");
  section("For a methods section");
  page.appendChild(make("div", {class: "paste", id: "paste"}, [make("p", {text: p.text}),
    make("ol", {}, p.refs.map(function (r) { return make("li", {text: r}); }))]));
  page.appendChild(
    make("div", {class: "saves"}, [
      button("TXT", "the methods paragraph", function () { save("pare-methods.txt", "text/plain", plain + "\n"); })
    ])
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
perMethod("The features", featuresSection);
if (runs.some(function (run) { return run.control; })) perMethod("How many of them may be false", controlSection);
perMethod("What was predicted for samples left out", saidSection);
fill(false);
methods();
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
