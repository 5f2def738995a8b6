#!/bin/bash
# The R package: installed against this library, its own tests, the command line's results.
. "$(dirname "$0")/../cli/harness.sh"

case_begin "the package installs against the library"
run_ok "install the library" cmake --install "$BUILD" --prefix "$SCRATCH/prefix"
cp -r "$ROOT/r" package && rm -f package/src/*.o package/src/*.so package/src/Makevars
mkdir -p library
export PKG_CONFIG_PATH=$SCRATCH/prefix/lib/pkgconfig:$SCRATCH/prefix/lib/$(cc -print-multiarch)/pkgconfig R_LIBS=$SCRATCH/library
run_ok "install the package" R CMD INSTALL --no-test-load -l library package

case_begin "the package's own tests"
run_ok "testthat" Rscript -e 'library(testthat); library(pare); test_dir("package/tests/testthat", package = "pare", load_package = "installed", stop_on_failure = TRUE)'

case_begin "the vignette's code runs"
run_ok "knit" Rscript -e 'knitr::opts_chunk$set(error = FALSE); knitr::knit("package/vignettes/pare.Rmd", "vignette.md", quiet = TRUE)'
check "no picture" test -s "$(find figure -name '*.png' | head -n 1)"

case_begin "model files, predictions and paths are the command line's"
cat >data.R <<'R'
set.seed(3)
x <- matrix(round(rnorm(50 * 80), 4), 50, dimnames = list(NULL, paste0("g", 1:80)))
y <- ifelse(x[, 4] + x[, 9] + rnorm(50) / 3 > 0, "yes", "no")
write.csv(data.frame(x, class = y), "data.csv", row.names = FALSE, quote = FALSE)
library(pare)
m <- pare(x, y, method = "svm-rfe", k = 6)
write_pare(m, "r.json")
write.table(data.frame(prediction = predict(m, x), score = sprintf("%.12g", predict(m, x, type = "link"))), "r.tsv",
            sep = "\t", row.names = FALSE, quote = FALSE)
path <- pare_path(x, y, "anova", nfolds = 5, sizes = c(2, 5), null_runs = 4)
writeLines(path$headline$anova, "headline.txt")
write.table(path$runs[c("nested_mean", "nested_low", "nested_high", "null_least")], "runs.tsv", sep = "\t", row.names = FALSE,
            quote = FALSE)
p <- as.data.frame(path)
write.table(p[c("n_features", "mean")], "path.tsv", sep = "\t", row.names = FALSE, quote = FALSE)
terms <- pare(x, y, method = "logistic", k = 3, keep = c("g7", "g8"), cost = c(g4 = 2), exclude = c("g9", "re:^g3"))
write_pare(terms, "r-terms.json")
back <- read_pare("cli.json")
stopifnot(identical(as.character(predict(back, x)), as.character(predict(m, x))))
R
Rscript -e 'set.seed(3); x <- matrix(round(rnorm(50 * 80), 4), 50, dimnames = list(NULL, paste0("g", 1:80)));
    y <- ifelse(x[, 4] + x[, 9] + rnorm(50) / 3 > 0, "yes", "no");
    write.csv(data.frame(x, class = y), "data.csv", row.names = FALSE, quote = FALSE)'
run_ok fit "$PARE" fit data.csv -m svm-rfe -k 6 -o cli.json
run_ok R Rscript data.R
expect_same_bytes r.json cli.json
printf 'g4\t2\n' >cost.tsv
printf 'g9\nre:^g3\n' >exclude.txt
run_ok "fit with terms" "$PARE" fit data.csv -m logistic -k 3 --keep g7,g8 --cost cost.tsv --exclude exclude.txt -o cli-terms.json
expect_same_bytes r-terms.json cli-terms.json
run_ok predict "$PARE" predict cli.json data.csv -o cli.tsv
check "other predictions" python3 - <<'PY'
r = [l.split("\t") for l in open("r.tsv").read().splitlines()[1:]]
c = [l.split("\t") for l in open("cli.tsv").read().splitlines()[1:]]
assert len(r) == len(c) == 50
for (label, score), row in zip(r, c):
    assert label == row[1] and abs(float(score) - float(row[2])) < 1e-9, (label, score, row)
PY
run_ok path "$PARE" path data.csv -m anova --folds 5 --sizes 2,5 --null 4 --json -o path.json
check "another curve" python3 - <<'PY'
import json
points = json.load(open("path.json"))["runs"][0]["points"]
for line, point in zip(open("path.tsv").read().splitlines()[1:], points):
    size, mean = line.split("\t")
    assert int(size) == point["n_features"] and abs(float(mean) - point["mean"]) < 1e-12, (line, point)
PY
check "another headline or interval" python3 - <<'PY'
import json
run = json.load(open("path.json"))["runs"][0]
assert open("headline.txt").read().splitlines() == run["headline"]
nested = run["chosen"]["nested"]
want = [nested["mean"], nested["interval"]["low"], nested["interval"]["high"], run["chosen"]["null"]["least"]]
got = [float(v) for v in open("runs.tsv").read().splitlines()[1].split("\t")]
assert all(abs(a - b) < 1e-12 for a, b in zip(want, got)), (want, got)
PY
