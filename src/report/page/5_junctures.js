/* Where features enter or leave along the path's parameter, on all samples. */
function junctureParameter(run) {
  return Object.keys(run.junctures[0]).filter(function (k) { return ["index", "name", "gap"].indexOf(k) < 0; })[0];
}
function juncturesPart(run) {
  var box = make("div"), heads, key;
  box.appendChild(make("h3", {text: "Junctures"}));
  if (!run.junctures.length) {
    box.appendChild(make("p", {class: "soft", text: "No feature enters or leaves between the points of the path."}));
    return box;
  }
  key = junctureParameter(run);
  heads = ["feature", key + " from", "to", "gap", "gap"];
  box.appendChild(
    make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "junctures"}, [
      make("table", {}, [
        caption(
          "Between which " + key + " the weight of a feature passes the threshold of selection, on all samples, and " +
            "the relative duality gap at both"
        ),
        make("thead", {}, [
          make("tr", {}, heads.map(function (h, i) {
            return make("th", {scope: "col", class: i ? null : "text", text: h});
          }))
        ]),
        make("tbody", {}, run.junctures.map(function (j) {
          return make("tr", {}, [
            make("td", {class: "text", text: j.name}),
            make("td", {text: j[key][0].toFixed(4)}),
            make("td", {text: j[key][1].toFixed(4)}),
            make("td", {text: j.gap[0].toExponential(0)}),
            make("td", {text: j.gap[1].toExponential(0)})
          ]);
        }))
      ])
    ])
  );
  box.appendChild(
    tableSaves("pare-" + run.method.replace(/[^\w-]/g, "") + "-junctures", "the junctures", function () {
      return [["name", "index", key + "_from", key + "_to", "gap_from", "gap_to"]].concat(
        run.junctures.map(function (j) { return [j.name, j.index].concat(j[key], j.gap); })
      );
    })
  );
  return box;
}
