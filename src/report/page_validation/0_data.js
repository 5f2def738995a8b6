/* The data of the page of a validation. */
var data = JSON.parse(document.getElementById("data").textContent);
var command = JSON.parse(document.getElementById("command").textContent);
var metrics = JSON.parse(document.getElementById("metrics").textContent);
var model = JSON.parse(document.getElementById("model").textContent);
var columns = {}, page = document.getElementById("page");
var cohorts = data.cohorts, names = Object.keys(cohorts[0].metrics);
/* What most readers look at first. */
var metric = ["auc", "c_index"].filter(function (m) { return names.indexOf(m) >= 0; })[0] || names[0];
