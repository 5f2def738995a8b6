/* The data of the page of a path. */
var data = JSON.parse(document.getElementById("data").textContent);
var command = JSON.parse(document.getElementById("command").textContent);
var values = JSON.parse(document.getElementById("values").textContent);
var columns = JSON.parse(document.getElementById("columns").textContent);
var metrics = JSON.parse(document.getElementById("metrics").textContent);
var about = JSON.parse(document.getElementById("about").textContent);
var page = document.getElementById("page");
var runs = data.runs, sizes = runs[0].points.map(function (p) { return p.n_features; });
