#!/usr/bin/env bash
# Robust scaling, and the reader of docs/model-file.md on its models.
. "$(dirname "$0")/harness.sh"

python3 - >raw.csv <<'PY'
import math, random
random.seed(4)
print("a,b,c,d,e,class")
for i in range(60):
    c = i % 3
    x = [math.exp(random.gauss(c if j < 2 else 0, 1)) * 50 for j in range(4)]
    print(",".join("%.6g" % v for v in x) + ",%d,%s" % (random.random() < 0.5, "uvw"[c]))
PY
awk '/^```python$/{on=1; next} /^```$/{on=0} on' "$ROOT/docs/model-file.md" >reader.py

case_begin "a model of robust scaling predicts raw data, and so does the reader of the docs"
for classifier in svm lda; do
    run "$PARE" fit raw.csv -m corr -k 5 --scale robust --classifier $classifier -o robust.json
    expect_exit 0
    expect_stdout_contains "per transformed unit"
    run "$PARE" predict robust.json raw.csv
    expect_exit 0
    tail -n +2 .stdout | cut -f2 >own.txt
    python3 reader.py robust.json raw.csv | cut -f1 >theirs.txt
    check "the predictions differ" cmp own.txt theirs.txt
    check "the file does not say it" python3 - <<'PY'
import json
m = json.load(open("robust.json"))
s = m["scaling"]
two = [f["name"] for f in m["selected"]].index("e")
assert m["units"] == "transformed" and s["kind"] == "robust"
assert len(s["median"]) == len(s["spread"]) == 5
assert [q is None for q in s["spread"]] == [i == two for i in range(5)]
PY
    run "$PARE" check robust.json raw.csv
    expect_exit 0
done

case_begin "the reader takes votes of pairs of classes"
for scale in robust standard; do
    run "$PARE" fit raw.csv -m corr -k 3 --scale $scale --classifier-multiclass ovo -o pairs.json
    expect_exit 0
    expect_stdout_contains "weight u against w"
    run "$PARE" predict pairs.json raw.csv
    tail -n +2 .stdout | cut -f2 >own.txt
    python3 reader.py pairs.json raw.csv | cut -f1 >theirs.txt
    check "the predictions differ" cmp own.txt theirs.txt
    run "$PARE" check pairs.json raw.csv
    expect_exit 0
done
check "the file does not say the pairs" python3 - <<'PY'
import json
m = json.load(open("pairs.json"))
assert [o["pair"] for o in m["outputs"]] == [["u", "v"], ["u", "w"], ["v", "w"]]
assert all(o["class"] is None for o in m["outputs"]) and len(m["dual"]) == 3
PY

case_begin "the reader takes models of other scalings as well"
run "$PARE" fit raw.csv -m corr -k 3 -o standard.json
run "$PARE" predict standard.json raw.csv
tail -n +2 .stdout | cut -f2 >own.txt
python3 reader.py standard.json raw.csv | cut -f1 >theirs.txt
check "the predictions differ" cmp own.txt theirs.txt
check "raw units have no word for it" test -z "$(grep '"units"' standard.json)"

case_begin "a path with robust scaling gives the same bytes on any number of threads"
for threads in 1 3; do
    run "$PARE" path raw.csv -m svm-rfe,lda-forward,kta --scale robust --folds 3 --inner 2 --threads $threads \
        -o path$threads.json
    expect_exit 0
done
check "they differ" cmp path1.json path3.json

case_begin "a model that lacks its medians is refused"
python3 - <<'PY'
import json
m = json.load(open("robust.json"))
del m["scaling"]["median"]
json.dump(m, open("broken.json", "w"))
PY
run "$PARE" predict broken.json raw.csv
expect_error 1 'scaling' 'median and spread'
