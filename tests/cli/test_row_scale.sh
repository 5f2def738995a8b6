#!/usr/bin/env bash
# --row-scale: against the same numbers scaled beforehand by the definition, and what prediction needs.
. "$(dirname "$0")/harness.sh"

python3 - <<'PY'
import math, random
random.seed(5)
n, d = 40, 30
x = [[(random.random() < 0.25) * random.randint(1, 4) + (i % 2 and j < 4) for j in range(d)] for i in range(n)]
x[7] = [0] * d # a text without words
def write(name, rows, keep=None):
    keep = range(n) if keep is None else keep
    with open(name + ".csv", "w") as f, open(name + ".svm", "w") as g:
        f.write(",".join(f"w{j}" for j in range(d)) + ",class\n")
        for i in keep:
            label = "ab"[i % 2]
            f.write(",".join(repr(float(v)) for v in rows[i]) + f",{label}\n")
            entries = [f"{j + 1}:{v!r}" for j, v in enumerate(rows[i]) if v or j == d - 1]
            g.write(" ".join([f"{i % 2}", *entries]) + "\n")
def scaled(kind, train):
    idf = [1] * d
    if kind == "tfidf":
        idf = [math.log((1 + len(train)) / (1 + sum(x[i][j] != 0 for i in train))) + 1 for j in range(d)]
    out = []
    for row in x:
        v = [a * b for a, b in zip(row, idf)]
        size = sum(map(abs, v)) if kind == "l1" else math.sqrt(sum(a * a for a in v))
        out.append([a / size if size else 0 for a in v])
    return out
write("raw", x)
train = [i for i in range(n) if i % 4]
test = [i for i in range(n) if i % 4 == 0]
write("train", x, train)
write("test", x, test)
open("folds.txt", "w").write("".join(f"f{i % 4}\n" for i in range(n)))
for kind in ("l1", "l2", "tfidf"):
    write("by_" + kind, scaled(kind, range(n)))
    z = scaled(kind, train)
    write("train_" + kind, z, train)
    write("test_" + kind, z, test)
PY

same() { # WHAT: the numbers of a.json and b.json agree: features, coefficients, intercepts, objective
    check "$1: not the same" python3 - <<'PY'
import json, math
a, b = json.load(open("a.json")), json.load(open("b.json"))
near = lambda x, y: math.isclose(x, y, rel_tol=1e-6, abs_tol=1e-7)
assert {f["index"] for f in a["selected"]} == {f["index"] for f in b["selected"]}
assert near(a["objective"], b["objective"]), (a["objective"], b["objective"])
for p, q in zip(a["outputs"], b["outputs"]):
    assert near(p["intercept"], q["intercept"])
    at = dict(zip((f["index"] for f in b["selected"]), q["coef"]))
    assert all(near(c, at[f["index"]]) for f, c in zip(a["selected"], p["coef"]))
PY
}

for kind in l1 l2 tfidf; do
    case_begin "$kind is the definition, dense and sparse"
    for form in csv svm; do
        for method in 'svm --tol 1e-10' 'corr -k 6' 'svm-rfe -k 5' 'svm --tol 1e-10 --scale standard'; do
            scale='--scale none'
            [[ $method == *--scale* ]] && scale=''
            run_ok "$method $form" "$PARE" fit raw.$form -m $method --row-scale $kind -o a.json
            run_ok "$method $form by hand" "$PARE" fit by_$kind.$form -m $method $scale -o b.json
            same "$method $form"
            run_ok "check" "$PARE" check a.json raw.$form
        done
    done

    case_begin "$kind: idf of the training part alone, in predict and in every fold"
    run_ok fit "$PARE" fit train.csv -m svm -k 8 --row-scale $kind -o model.json
    run_ok predict "$PARE" predict model.json test.csv -o ours.tsv
    run_ok "fit by hand" "$PARE" fit train_$kind.csv -m svm -k 8 --scale none -o plain.json
    run_ok "predict by hand" "$PARE" predict plain.json test_$kind.csv -o theirs.tsv
    run_ok path "$PARE" path raw.csv -m svm --row-scale $kind --sizes 8 --fold-file folds.txt --inner 0 --predictions path.tsv
    check "predictions differ" python3 - <<'PY'
rows = lambda name: [line.rstrip("\n").split("\t") for line in open(name)][1:]
ours, theirs = rows("ours.tsv"), rows("theirs.tsv")
assert len(ours) == 10 and all(abs(float(a[2]) - float(b[2])) < 1e-5 for a, b in zip(ours, theirs))
path = {r[3]: float(r[6]) for r in rows("path.tsv")}
assert all(abs(path[str(4 * i + 1)] - float(a[2])) < 1e-5 for i, a in enumerate(ours))
PY
done

case_begin "the model says what it needs"
check "fields" python3 - <<'PY'
import json
m = json.load(open("model.json"))
r = m["row_scale"]
assert r["kind"] == "tfidf" and len(r["idf"]) == 30 and r["names"][3] == "w3" and m["scaling"]["kind"] == "none"
PY
cut -d, -f2- test.csv >lacking.csv
run "$PARE" predict model.json lacking.csv
expect_error 1 'scales whole rows' 'all 30 columns' '"w0"'
python3 - <<'PY'
import json
for key, value in (("names", "w9"), ("idf", 1.5)):
    m = json.load(open("model.json"))
    m["row_scale"][key][3] = value
    json.dump(m, open(key + ".json", "w"))
PY
for key in names idf; do
    run "$PARE" check $key.json train.csv
    expect_exit 1
done
awk -F, -v OFS=, 'NR == 1 {print "more", $0; next} {print 9, $0}' test.csv >wider.csv
run_ok "other columns have no part" "$PARE" predict model.json wider.csv -o wider.tsv
check "other columns change it" cmp -s ours.tsv wider.tsv

case_begin "a row of one number is 1, whatever rounding leaves"
python3 -c 'import random
random.seed(1)
print("x,class")
for i in range(30): print(1e8 + random.random() * 9 + i % 2, "ab"[i % 2], sep=",")' >one.csv
for kind in l1 l2; do
    run_ok fit "$PARE" fit one.csv -m svm --row-scale $kind --scale standard -o one.json
    run_ok check "$PARE" check one.json one.csv
    check "selected" python3 -c 'import json; assert json.load(open("one.json"))["selected"] == []'
done

case_begin "what cannot be scaled is refused"
sed '3s/^[^,]*/NA/' raw.csv >missing.csv
run "$PARE" fit missing.csv -m svm --missing mean --row-scale l2
expect_error 1 'whole rows' 'missing values'
for i in $(seq 40); do echo $((i != 2)); done >weights.txt # the sample that lacks a value is absent
run "$PARE" fit missing.csv -m relieff -k 3 --missing mean --row-scale l2 --weights weights.txt
expect_error 1 'whole rows' 'missing values'
run "$PARE" path missing.csv -m corr --missing mean --row-scale l2 --weights weights.txt
expect_error 1 'whole rows' 'missing values'
run_ok "without it" "$PARE" fit missing.csv -m relieff -k 3 --missing drop --row-scale l2 -o dropped.json
run "$PARE" fit raw.csv -m svm --row-scale cosine
expect_error 2 '--row-scale' 'none l1 l2 tfidf'
run "$PARE" fit raw.csv -m poly-arom --row-scale l2
expect_error 2 'poly-arom'
