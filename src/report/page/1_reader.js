/* What a reader will ask: the items of TRIPOD+AI (G. S. Collins et al. BMJ 2024;385:e078378) that a program can
   answer, and those that are the author's, as a table to copy. */
var AUTHORS = "The author's to write.";
/* rows: item, what it asks, the answer; null: the author's. */
function readerTable(rows, name) {
  var label = "what a reader will ask";
  return make("div", {}, [
    make("p", {
      class: "soft small",
      text: "Items of the reporting guideline TRIPOD+AI (Collins et al., BMJ 2024;385:e078378), with what this " +
        "program " +
        "knows. What it cannot know is marked; check every line before it goes into a paper."
    }),
    make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": label}, [
      make("table", {}, [
        make("thead", {}, [make("tr", {}, ["item", "asks for", "answer"].map(function (s) {
          return make("th", {scope: "col", class: "text", text: s});
        }))]),
        make("tbody", {}, rows.map(function (row) {
          return make("tr", {}, [
            make("td", {class: "text", text: row[0]}),
            make("td", {class: "text", text: row[1]}),
            make("td", {class: row[2] === null ? "text wrap soft" : "text wrap", text: row[2] === null ? AUTHORS :
              row[2]})
          ]);
        }))
      ])
    ]),
    tableSaves(name, label, function () {
      return [["item", "asks for", "answer"]].concat(rows.map(function (row) {
        return [row[0], row[1], row[2] === null ? AUTHORS : row[2]];
      }));
    })
  ]);
}
