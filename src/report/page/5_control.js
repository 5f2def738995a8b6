/* The controlled set: which features, what its bound says of them, and no more than that. */
function isStability(c) { return c.kind === "stability"; }
function controlAmount(c) { return c.level === 1 ? "1 feature that is" : round(c.level, 4) + " features that are"; }
/* One line for the card, and the sentence to quote. */
function controlShort(c) {
  return (
    plural(c.selected.length, "feature", "features") +
    (isStability(c)
      ? ", at most " + round(c.level, 4) + " false on average"
      : ", a share of at most " + round(c.level, 4) + " false")
  );
}
function controlSentence(run) {
  var c = run.control;
  if (isStability(c))
    return (
      plural(c.selected.length, "feature is", "features are each") + " among the best " + count(c.q) + " of " +
      run.method + " in at least " + percent(c.threshold) + " of " + count(2 * c.pairs) +
      " random half-samples. A procedure like this selects on average at most " + controlAmount(c) +
      " hardly better than chance."
    );
  return (
    plural(c.selected.length, "feature has", "features have") + " a q-value of at most " + round(c.level, 4) + " by " +
    run.method + ". In a procedure like this on average a share of at most " + round(c.level, 4) +
    " of the selected features has nothing to do with the target."
  );
}
function controlWords(run) {
  var c = run.control, k = run.chosen ? run.chosen.n_features : null, out = [];
  if (isStability(c))
    out.push(
      "Hardly better than chance means that a half of the samples selects the feature with a probability of at most " +
        count(c.q) + "/" + count(data.n_features) + ", what drawing " + count(c.q) +
        " features blindly would do. The number is an average over repetitions of the whole procedure on other " +
        "samples, by the " +
        c.bound + " bound; it is not a probability for any one feature."
    );
  else
    out.push(
      (c.pooled ? "Null scores of all features together" : "Null scores of each feature by itself") + ", from " +
        plural(c.permutations, "permutation", "permutations") + " of the labels; an estimated " +
        percent(c.true_nulls) +
        " of the features have nothing to do with the target. It is an average over repetitions, not a statement on " +
        "any one feature; a feature that merely goes along with one that matters is not false in this sense."
    );
  out.push("Assumed: " + c.assumes + ".");
  if (k !== null)
    out.push(
      "The size chosen above, " + plural(k, "feature", "features") +
        ", is the one that predicts well; this set is the one whose false features are bounded. They answer " +
        "different questions and need not agree."
    );
  return out.join(" ");
}
function controlPlot(run) {
  var c = run.control,
    shown = c.listed.slice(0, LISTED),
    key = isStability(c) ? "share" : "q",
    step = 19,
    wide = 760,
    left = 190,
    top = 26;
  var chosen = {}, height = top + step * shown.length + 40;
  run.features.forEach(function (f) { chosen[f.index] = true; });
  function x(v) { return +(left + v * (wide - left - 120)).toFixed(1); }
  var svg = make("svg", {
    viewBox: "0 0 " + wide + " " + height,
    role: "img",
    "aria-label":
      (isStability(c) ? "proportion of half-samples that selected each feature" : "q-value of each feature") +
      ", with the threshold"
  });
  [0, 0.25, 0.5, 0.75, 1].forEach(function (t) {
    svg.appendChild(make("line", {class: "grid", x1: x(t), x2: x(t), y1: top, y2: height - 36}));
    svg.appendChild(make("text", {x: x(t), y: height - 20, "text-anchor": "middle", text: String(t)}));
  });
  shown.forEach(function (f, i) {
    var y = top + step * i, is = i < c.selected.length;
    svg.appendChild(make("text", {x: left - 8, y: y + 13, "text-anchor": "end", text: short(f.name, 24)}));
    svg.appendChild(
      make(
        "rect",
        {
          x: left, y: y + 3, width: Math.max(1, x(f[key]) - left), height: step - 6,
          fill: is ? color(0) : "var(--soft)", "fill-opacity": is ? 0.85 : 0.4
        },
        [make("title", {text: f.name + ": " + key + " " + round(f[key], 4)})]
      )
    );
    svg.appendChild(
      make("text", {
        x: x(f[key]) + 6,
        y: y + 13,
        text: (isStability(c) ? percent(f[key]) : round(f[key], 2)) + (chosen[f.index] ? " \u2022" : "")
      })
    );
  });
  svg.appendChild(
    make("line", {
      class: "threshold", x1: x(c.threshold), x2: x(c.threshold), y1: top - 6, y2: height - 36,
      stroke: "var(--ink)", "stroke-width": 1.6, "stroke-dasharray": "5 3"
    })
  );
  svg.appendChild(
    make("text", {x: x(c.threshold), y: top - 11, "text-anchor": "middle", text: "threshold " + round(c.threshold, 3)})
  );
  svg.appendChild(
    make("text", {
      class: "title",
      x: x(0.5),
      y: height - 4,
      "text-anchor": "middle",
      text: isStability(c) ? "proportion of half-samples that selected it" : "q-value"
    })
  );
  return svg;
}
function controlSection(run) {
  var box = make("div"), c = run.control, file = "pare-" + run.method.replace(/[^\w-]/g, "") + "-control", svg;
  if (!c) return make("p", {class: "soft", text: "The error control was not finished: the run was stopped early."});
  box.appendChild(make("p", {class: "control", text: controlSentence(run)}));
  box.appendChild(make("p", {class: "soft small", text: controlWords(run)}));
  if (!c.listed.length) return box;
  svg = controlPlot(run);
  box.appendChild(make("div", {class: "chart"}, [svg]));
  box.appendChild(make("div", {class: "saves"}, [
    button("SVG", "the shares", function () { save(file + ".svg", "image/svg+xml", standalone(svg)); }),
    button("PNG", "the shares", function () { savePng(file + ".png", svg); }),
    button("CSV", "the controlled set", function () {
      return save(
        file + ".csv",
        "text/csv",
        csv(
          [["name", "index", isStability(c) ? "share" : "q", "selected"]].concat(
            c.listed.map(function (f, i) {
              return [f.name, f.index, isStability(c) ? f.share : f.q, i < c.selected.length ? 1 : 0];
            })
          )
        )
      );
    })]));
  box.appendChild(
    make("p", {
      class: "soft small",
      text:
        "Dark bars are selected. A dot marks features that are also in the fit at the chosen size." +
        (c.listed.length > LISTED ? " The first " + LISTED + " are drawn; the CSV has " + c.listed.length + "." : "")
    })
  );
  return box;
}
function controlCited(c, cite) {
  if (isStability(c))
    return (
      "The expected number of selected features of low selection probability (at most q/d in one half of the " +
      "samples) was bounded by complementary pairs stability selection " +
      cite(
        "R. D. Shah, R. J. Samworth. Variable selection with error control: another look at stability selection. " +
          "JRSS B 75:55-80, 2013"
      ) +
      " with " + plural(c.pairs, "pair", "pairs") + " of half-samples, " + plural(c.q, "feature", "features") +
      " in each, a threshold of " + round(c.threshold, 3) + " and the " + c.bound + " bound: at most " +
      round(c.level, 4) + "."
    );
  return (
    "False discoveries were held at a rate of " + round(c.level, 4) + " by q-values from " +
    plural(c.permutations, "permutation", "permutations") + " of the labels " +
    cite("J. D. Storey. A direct approach to false discovery rates. JRSS B 64:479-498, 2002") + "."
  );
}
