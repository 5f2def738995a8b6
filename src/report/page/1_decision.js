/* A decision curve (Vickers and Elkin 2006): rows of threshold, net_benefit, treat_all. */
function decisionPlot(name, rows) {
  var top = 0.05, low = -0.05;
  rows.forEach(function (r) { top = Math.max(top, r.net_benefit || 0, r.treat_all || 0); });
  var p = plot(420, 340, 0, 1, low, top * 1.05, "probability from which on one would act", "net benefit",
    "decision curve of " + name);
  /* Where a curve is below the plot it has a gap. */
  function curve(key, own, dash) {
    var d = "", down = false;
    rows.forEach(function (r) {
      var shown = r[key] !== null && r[key] >= low;
      if (shown) d += (down ? "L" : "M") + p.x(r.threshold) + "," + p.y(r[key]);
      down = shown;
    });
    if (d) p.svg.appendChild(make("path", {d: d, fill: "none", stroke: own, "stroke-width": 2,
      "stroke-dasharray": dash}));
  }
  curve("treat_all", "var(--soft)", "5 4");
  curve("treat_none", "var(--soft)", "1 3");
  curve("net_benefit", color(0), null);
  [
    ["the model", color(0), null], ["act on all", "var(--soft)", "5 4"], ["act on none", "var(--soft)", "1 3"]
  ].forEach(function (l, i) {
    var y = p.upper + 12 + 16 * i;
    p.svg.appendChild(make("line", {
      x1: p.right - 118, x2: p.right - 94, y1: y, y2: y, stroke: l[1], "stroke-width": 2, "stroke-dasharray": l[2]
    }));
    p.svg.appendChild(make("text", {x: p.right - 88, y: y + 4, text: l[0]}));
  });
  return p.svg;
}
