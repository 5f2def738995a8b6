/* The methods paragraph: only what was done, with the settings in effect, and only what it cites. */
function selectedBy(a, cite) {
  function cited(name, citation) { return name + (citation ? " " + cite(citation) : ""); }
  var methods = a.parts.map(function (p) {
    var where = p.from === p.to ? count(p.from) : count(p.from) + " to " + count(p.to);
    return cited(p.method, p.citation) + (a.parts.length > 1 ? " at " + where + " features" : "");
  });
  return (
    (a.run === "auto" ? "the default pipeline, which is " : "") + list(methods) +
    (a.then ? " (prediction by " + cited(a.then, a.then_citation) + " on the selected features)" : "")
  );
}
/* Sentences on what was made of the numbers before the selection; runs that share one are named together. */
function prepared() {
  var scales = {
      standard: "centred by their mean and divided by their standard deviation",
      unit: "divided by their root mean square",
      minmax: "mapped to the range from 0 to 1",
      robust: "transformed by asinh((x - median) / spread), by their median and quartiles (robust scaling)",
      none: "used unscaled"
    },
    rows = {
      l1: "divided by its sum of absolute values",
      l2: "divided by its Euclidean norm",
      tfidf: "weighted by inverse document frequency (tf-idf) and divided by its Euclidean norm"
    },
    gaps = {mean: "the feature's mean", median: "the feature's median", indicator: "the mean, with indicator columns"},
    out = [];
  function by(value, sentence) {
    var groups = {};
    runs.forEach(function (run, i) {
      var v = value(run, about[i]);
      if (v) (groups[v] = groups[v] || []).push(run.method);
    });
    Object.keys(groups).forEach(function (v) {
      out.push(sentence(v) + (groups[v].length < runs.length ? " for " + list(groups[v]) : "") + ".");
    });
  }
  function at(run) { return (chosenPoint(run) || run.points[0]).settings; }
  by(
    function (run) { return gaps[at(run).missing]; },
    function (v) { return "Missing values were replaced by " + v + " in the training samples"; }
  );
  by(
    function (run) { return rows[at(run).row_scale]; },
    function (v) { return "Each sample was " + v; }
  );
  by(
    function (run, a) { return scales[a.scale]; },
    function (v) { return "Features were " + v + (v === scales.none ? "" : ", as estimated on the training samples"); }
  );
  by(
    function (run) { return at(run).class_weight === "none" ? null : at(run).class_weight; },
    function (v) { return "Classes were weighted (" + v + ")"; }
  );
  by(
    function (run) { return at(run).max_correlation < 1 ? String(at(run).max_correlation) : null; },
    function (v) { return "Features correlated above " + v + " with a selected one were passed over"; }
  );
  return out;
}
/* How features were adjusted for batches; "": they were not. */
function adjusted(cite) {
  var b = data.batch, by = {
    center: "by taking the mean of each batch to the overall mean",
    combat: "by ComBat without covariates "
  }, seen = {
    pooled: " Samples of batches without training samples stayed as they were.",
    adapt: " Batches without training samples were given the training samples' mean and deviation by their own " +
      "unlabelled samples."
  };
  if (!b) return "";
  return "Features were adjusted for " + count(b.batches) + " batches, " + by[b.method] +
    (b.method === "combat"
      ? cite(
        "W. E. Johnson, C. Li, A. Rabinovic. Adjusting batch effects in microarray expression data using empirical " +
          "Bayes methods. Biostatistics 8:118-127, 2007"
      )
      : "") +
    ", as estimated on the training samples without the outcome." + (seen[b.unseen] || "");
}
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
  out.push("Features were selected with " + list(about.map(function (a) { return selectedBy(a, cite); })) +
    ", as implemented in pare " + data.pare + ".");
  if (data.batch) out.push(adjusted(cite));
  out = out.concat(prepared());
  var changed = about.filter(function (a) { return Object.keys(a.changed).length; });
  if (changed.length)
    out.push(
      "Settings other than the defaults: " +
        list(changed.map(function (a) {
          var pairs = Object.keys(a.changed).map(function (k) { return k + " " + a.changed[k]; });
          return a.run + " (" + pairs.join(", ") + ")";
        })) +
        "."
    );
  out.push(
    "Performance on new samples was estimated on " + plural(data.n_samples, "sample", "samples") + " with " +
      plural(data.n_features, "feature", "features") + " by " + foldText() + ". " + inside()
  );
  if (run && run.chosen && sizes.length > 1)
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
  if (runs.some(function (r) { return r.chosen && ((r.chosen.nested || {}).interval || chosenPoint(r).interval); }))
    out.push(
      "95% confidence intervals are percentiles of a bootstrap over held-out " +
        (data.folds.kind === "grouped folds" ? "fold groups" : "samples") +
        ", widened for overlapping training folds" +
        (metrics[data.metric].proportion
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
      "P-values come from " + plural(data.null_runs, "permutation", "permutations") +
        ", with everything repeated on each " +
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
      "Probabilities are log odds drawn towards the proportions of the classes by one temperature, which was fitted " +
        "to the held-out samples of the inner folds of each training fold " +
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
