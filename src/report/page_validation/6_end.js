function notesPart() {
  data.notes.forEach(function (n) { page.appendChild(make("p", {class: "warn", text: capital(n) + "."})); });
}
function factsPart() {
  section("How this was made");
  if (command) page.appendChild(make("pre", {}, [make("code", {text: command})]));
  page.appendChild(make("dl", {class: "facts"}, [
    make("dt", {text: "version"}), make("dd", {text: "pare " + model.pare}),
    make("dt", {text: "model"}), make("dd", {text: model.method + ", fitted to " + plural(model.n_samples,
      "sample", "samples") + ", " +
      plural(model.selected.length, "feature", "features") + " of " + count(model.n_features)}),
    make("dt", {text: "training data, SHA-256"}), make("dd", {text: model.data.sha256})
  ]));
  page.appendChild(make("div", {class: "saves"}, [button("JSON", "the whole result", function () {
    save("pare-validation.json", "application/json", document.getElementById("data").textContent);
  })]));
}
clear(page);
document.title = headline();
page.appendChild(make("header", {}, [
  make("p", {class: "soft", text: "pare validate: " + model.method + " model with " + plural(model.selected.length,
    "feature", "features")}),
  make("h1", {text: headline()}),
  make("p", {text: sizes()}),
  pathText() ? make("p", {text: pathText()}) : null
]));
notesPart();
cohortsPart();
metricsPart();
calibrationPart();
decisionPart();
confusionPart();
shiftPart();
readerPart();
factsPart();
