#!/bin/sh
# The first example of the README with what is installed: demonstration.sh [python] [r]. PARE is the command.
set -eu
pare=${PARE:-pare}
cd "$(mktemp -d)"

"$pare" demo -o toy.csv >demo.txt
grep 'are true' demo.txt
"$pare" path toy.csv -m corr,svm-rfe,l2-arom --sizes 1,2,3,6,12,25,50,100 --report path.html >path.tsv 2>path.log
grep '^# chosen' path.tsv
test "$(wc -c <path.html)" -gt 10000
"$pare" fit toy.csv -m l2-arom -k 3 -o model.json 2>fit.log | tail -n 4
cut -d, -f2-8 toy.csv >new.csv
"$pare" predict model.json new.csv -o predictions.tsv 2>predict.log
test "$(wc -l <predictions.tsv)" -eq 61
"$pare" check model.json toy.csv 2>check.log | tail -n 1

for language; do
    case $language in
    python)
        python3 - <<'PYTHON'
import csv
import json
import numpy
import pare
rows = list(csv.reader(open("toy.csv")))
X = numpy.array([[float(v) for v in r[:-1]] for r in rows[1:]], order="F")
model = pare.PareClassifier("l2-arom", k=3).fit(X, [r[-1] for r in rows[1:]])
found = numpy.flatnonzero(model.support_).tolist()
assert found == sorted(f["index"] for f in json.load(open("model.json"))["selected"])
print("python: pare", pare.__version__, "selects", [rows[0][j] for j in found])
PYTHON
        ;;
    r)
        R --no-save --no-restore --quiet -e 'library(pare); d <- read.csv("toy.csv", colClasses = c(class = "character"))
            x <- as.matrix(d[names(d) != "class"]); m <- pare(x, d$class, "l2-arom", k = 3); print(m)
            of_command <- read_pare("model.json"); told <- read.delim("predictions.tsv", colClasses = "character")
            stopifnot(setequal(m$selected$name, of_command$selected$name), predict(of_command, x) == told$prediction)'
        ;;
    esac
done
echo "the demonstration ran"
