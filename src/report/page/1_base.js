/* Small tools, downloads, axes: of all pages. All files of a page run one after the other inside one function. */
var dashes = ["", "7 3", "2 3", "9 3 2 3", "4 4", "12 3", "1 2", "6 2 2 2"];

/* Every text reaches the page through textContent or setAttribute, so that a name is never markup. */
function make(name, attributes, children) {
  var svg = /^(svg|g|path|line|circle|rect|text|title|polyline|desc|image)$/.test(name);
  var node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  Object.keys(attributes || {}).forEach(function (key) {
    if (key === "text") node.textContent = attributes.text;
    else if (key === "style")
      node.style.cssText = attributes.style || ""; /* as an attribute a page's policy may forbid it */
    else if (key.slice(0, 2) === "on") node.addEventListener(key.slice(2), attributes[key]);
    else if (attributes[key] !== null && attributes[key] !== undefined) node.setAttribute(key, attributes[key]);
  });
  (children || []).forEach(function (child) { if (child) node.appendChild(child); });
  return node;
}
function text(s) { return document.createTextNode(s); }
function clear(node) { while (node.firstChild) node.removeChild(node.firstChild); return node; }
function round(x, digits) {
  return x === null || x === undefined ? "\u2013" : String(Number(x.toPrecision(digits || 3)));
}
function fixed(x) {
  if (x === null || x === undefined) return "\u2013";
  return Math.abs(x) >= 0.01 && Math.abs(x) < 1000 || x === 0 ? x.toFixed(3) : round(x);
}
/* As the headline has it. */
function two(x) {
  var size = Math.abs(x);
  return (x !== 0 && size < 0.01) || size >= 1e6 ? round(x, 3) : x.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0);
}
function pm(e) {
  return e && e.mean !== null ? fixed(e.mean) + (e.se === null ? "" : " \u00b1 " + fixed(e.se)) : "\u2013";
}
function count(n) { return n.toLocaleString("en"); }
function percent(x) { return x === null ? "\u2013" : Math.round(100 * x) + "%"; }
function words(name) {
  return metrics[name].words.replace(/^R2$/, "R\u00b2");
}
function capital(s) { return s.charAt(0).toUpperCase() + s.slice(1); }
function color(i) { return "var(--m" + i % 8 + ")"; }
function plural(n, one, many) { return count(n) + " " + (n === 1 ? one : many); }
function list(words) {
  return words.length < 2 ? words.join("") : words.slice(0, -1).join(", ") + " and " + words[words.length - 1];
}
function short(s, most) { return s.length > most ? s.slice(0, most - 1) + "\u2026" : s; }
function mean(v) { return v.reduce(function (a, b) { return a + b; }, 0) / v.length; }
function sorted(v) { return v.slice().sort(function (a, b) { return a - b; }); }
function quantile(v, q) {
  var at = q * (v.length - 1),
    i = Math.floor(at);
  return i + 1 < v.length ? v[i] + (at - i) * (v[i + 1] - v[i]) : v[i];
}

/* What a metric can be at all. */
function range(name) {
  var m = metrics[name];
  return [m.least === null ? -Infinity : m.least, m.most === null ? Infinity : m.most];
}
function clip(x, name) { var r = range(name); return x === null ? null : Math.max(r[0], Math.min(r[1], x)); }
/* "0.72 to 0.93" of the file's interval, the only one of its number; null: there is none. */
function intervalText(e) { return e && e.interval ? two(e.interval.low) + " to " + two(e.interval.high) : null; }
function intervalName(e) {
  return (e.interval.kind === "wilson" ? "Wilson " : "bootstrap ") + Math.round(100 * e.interval.level) + "% CI";
}

/* The columns of a table, as the library describes them: what is added there is shown without a line here. */
function fieldOf(row, field) {
  return field.split(".").reduce(function (at, key) {
    return at === null || at[key] === undefined ? null : at[key];
  }, row);
}
function columnsOf(document, table, rows) {
  return columns[document].filter(function (c) {
    return c.table === table &&
      (!c.optional || rows.some(function (row) { return fieldOf(row, c.field) !== null; }));
  });
}
function shownText(v) {
  if (v === null || v === undefined) return "\u2013";
  if (typeof v === "boolean") return v ? "yes" : "no";
  if (typeof v === "object") return v.low === undefined ? String(v) : two(v.low) + " to " + two(v.high);
  return typeof v === "number" ? round(v, Math.abs(v) < 100 ? 3 : 6) : v;
}

/* Its words stay in view while a wide table moves under them. */
function caption(s) { return make("caption", {}, [make("span", {text: s})]); }
function section(title, note) {
  page.appendChild(make("h2", {text: title}));
  if (note) page.appendChild(make("p", {class: "soft small", text: note}));
}

/* --- downloads: everything is made here, nothing is fetched --- */
function save(name, type, content) {
  var url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], {type: type}));
  var link = make("a", {href: url, download: name});
  document.body.appendChild(link);
  link.click();
  link.remove();
  setTimeout(function () { URL.revokeObjectURL(url); }, 1000);
}
/* A figure by itself: the page's colours and fonts are written into it. */
function standalone(svg) {
  var copy = svg.cloneNode(true),
    box = svg.viewBox.baseVal,
    from = svg.querySelectorAll("*"),
    to = copy.querySelectorAll("*");
  var kept = [
    "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity",
    "visibility", "font-size", "font-family", "font-weight", "text-anchor"
  ];
  for (var i = 0; i < from.length; i++) {
    var style = getComputedStyle(from[i]);
    kept.forEach(function (key) {
      if (style.getPropertyValue(key)) to[i].setAttribute(key, style.getPropertyValue(key));
    });
    ["class", "tabindex", "style"].forEach(function (key) { to[i].removeAttribute(key); });
  }
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", box.width);
  copy.setAttribute("height", box.height);
  copy.insertBefore(
    make("rect", {width: box.width, height: box.height, fill: getComputedStyle(document.body).backgroundColor}),
    copy.firstChild
  );
  return new XMLSerializer().serializeToString(copy);
}
function savePng(name, svg) {
  var box = svg.viewBox.baseVal, image = new Image(), canvas = document.createElement("canvas");
  image.onload = function () {
    canvas.width = 3 * box.width;
    canvas.height = 3 * box.height;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob(function (blob) { save(name, "image/png", blob); });
  };
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(standalone(svg));
}
/* A spreadsheet runs a text that begins like a formula; behind an apostrophe it shows it. A sign alone
   runs nothing. */
function inert(s) {
  return /^([=@\t\r]|[+-].)/.test(s) && isNaN(Number(s)) ? "'" + s : s;
}
function csv(rows) {
  return rows.map(function (row) {
    return row.map(function (cell) {
      var s = cell === null || cell === undefined ? "" : inert(String(cell));
      return /[",\n\r]/.test(s) ? "\"" + s.replace(/"/g, "\"\"") + "\"" : s;
    }).join(",");
  }).join("\r\n") + "\r\n";
}
function button(label, what, act) {
  return make("button", {
    type: "button", class: "save", "aria-label": "download " + what + " as " + label, text: label, onclick: act
  });
}
/* A drawing with its downloads; draw() gives the svg that is there at the moment. */
function figure(name, label, svg) {
  var get = typeof svg === "function" ? svg : function () { return svg; };
  return make("div", {class: "saves"}, [
    button("SVG", label, function () { save(name + ".svg", "image/svg+xml", standalone(get())); }),
    button("PNG", label, function () { savePng(name + ".png", get()); })]);
}
function tableSaves(name, label, rows) {
  return make("div", {class: "saves"}, [
    button("CSV", label, function () { save(name + ".csv", "text/csv", csv(rows())); })
  ]);
}

function panel(title, name, svg) {
  return make("figure", {class: "panel"}, [make("figcaption", {text: title}), svg, figure(name, title, svg)]);
}

/* --- axes --- */
function ticks(lo, hi) {
  var step = Math.pow(10, Math.floor(Math.log10((hi - lo) / 4))), out = [];
  [1, 2, 5, 10].some(function (f) { if ((hi - lo) / (step * f) <= 6) { step *= f; return true; } return false; });
  for (var t = Math.ceil(lo / step - 1e-9) * step; t <= hi + 1e-9 * step; t += step)
    out.push(Math.abs(t) < step * 1e-9 ? 0 : t);
  return out;
}
function tick(t) {
  return Math.abs(t) >= 1e5 || (t !== 0 && Math.abs(t) < 1e-4) ? t.toExponential(0) : String(+t.toPrecision(6));
}
/* An empty plot with titled axes: x and y map values to the drawing. */
function plot(width, height, x0, x1, y0, y1, xTitle, yTitle, label) {
  var left = 54, right = 14, upper = 12, lower = 44;
  function x(v) { return +(left + (v - x0) / (x1 - x0) * (width - left - right)).toFixed(2); }
  function y(v) { return +(upper + (y1 - v) / (y1 - y0) * (height - upper - lower)).toFixed(2); }
  var svg = make("svg", {viewBox: "0 0 " + width + " " + height, role: "img", "aria-label": label});
  ticks(x0, x1).forEach(function (t) {
    svg.appendChild(make("line", {class: "grid", x1: x(t), x2: x(t), y1: upper, y2: height - lower}));
    svg.appendChild(make("text", {x: x(t), y: height - lower + 17, "text-anchor": "middle", text: tick(t)}));
  });
  ticks(y0, y1).forEach(function (t) {
    svg.appendChild(make("line", {class: "grid", x1: left, x2: width - right, y1: y(t), y2: y(t)}));
    svg.appendChild(make("text", {x: left - 7, y: y(t) + 4, "text-anchor": "end", text: tick(t)}));
  });
  svg.appendChild(
    make("text", {class: "title", x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle", text: xTitle})
  );
  var middle = (upper + height - lower) / 2;
  svg.appendChild(
    make("text", {
      class: "title", x: 13, y: middle, "text-anchor": "middle", transform: "rotate(-90 13 " + middle + ")",
      text: yTitle
    })
  );
  return {svg: svg, x: x, y: y, left: left, right: width - right, upper: upper, bottom: height - lower};
}
