#!/usr/bin/env bash
# Probabilities: a model's own, and those calibrated on samples left out, from the numbers of the model
# file by a second computation.
. "$(dirname "$0")/harness.sh"

awk 'BEGIN { srand(11); print "s,a,b,c,d,y"; for (i = 0; i < 90; i++) { a = rand(); b = rand()
    print "n" i "," a "," b "," rand() "," rand() "," (a + 0.5 * rand() > 0.9 ? "up" : b + 0.3 * rand() > 0.6 ? "mid" : "low") } }' >three.csv
grep -v ',mid$' three.csv >two.csv
for set in 1 2 3 4 5 6; do
    awk -v set=$set 'BEGIN { srand(set); printf "y"; for (j = 0; j < 100; j++) printf ",g%d", j; print ""
        for (i = 0; i < 40; i++) { printf (i % 2 ? "yes" : "no"); for (j = 0; j < 100; j++) printf ",%g", rand(); print "" } }' >noise$set.csv
done

cat >reader.py <<'PY'
import csv, json, math
def rows(path): return list(csv.DictReader(open(path), delimiter="\t"))
def probabilities(model, scores):
    """Of the classes in order, from one sample's decision values: docs/model-file.md."""
    c = model["calibration"]
    if c["kind"] == "softmax":
        f = [0.0] + scores if len(scores) == 1 else scores
        e = [math.exp(x - max(f)) for x in f]
    elif c["kind"] == "temperature":
        assert c["from"] == "folds"
        f = [0.0] + scores if len(scores) == 1 else scores
        f = [math.log(q) + (x - math.log(q)) / c["value"] for q, x in zip(c["prior"], f)]
        e = [math.exp(x - max(f)) for x in f]
    elif len(scores) == 1:
        p = 1 / (1 + math.exp(c["a"] * scores[0] + c["b"]))
        e = [1 - p, p]
    else:
        e = [1 / (1 + math.exp(a * x + b)) for a, b, x in zip(c["a"], c["b"], scores)]
    return [x / sum(e) for x in e]
PY

while read -r kind data options; do
    case_begin "fit $options on $data: probabilities of kind $kind"
    run_ok fit "$PARE" fit $data --id s $options -o model.json
    run_ok scores "$PARE" predict model.json $data --id s -o scores.tsv
    run_ok predict "$PARE" predict model.json $data --id s --probability -o said.tsv
    check "other probabilities than those of the file" python3 - $kind <<'PY'
import sys
from reader import *
model = json.load(open("model.json"))
assert model["calibration"]["kind"] == sys.argv[1]
said, scores = rows("said.tsv"), rows("scores.tsv")
assert list(said[0]) == ["sample", "prediction"] + ["p(%s)" % c for c in model["classes"]]
assert len(said) == len(scores) > 50
for p, s in zip(said, scores):
    assert p["sample"] == s["sample"] and p["prediction"] == s["prediction"]
    mine = probabilities(model, [float(s[k]) for k in s if k.startswith("score")])
    theirs = [float(p["p(%s)" % c]) for c in model["classes"]]
    assert abs(sum(theirs) - 1) < 1e-12
    assert all(abs(a - b) < 1e-9 for a, b in zip(mine, theirs)), (mine, theirs)
PY
    run_ok check "$PARE" check model.json $data --id s
done <<'END'
softmax two.csv -m logistic
softmax three.csv -m logistic --probability
softmax two.csv -m sbmlr
temperature two.csv -k 2 --probability
temperature three.csv -k 2 --probability --class-weight balanced
temperature two.csv -m logistic -k 2 --probability
temperature three.csv -m logistic -k 2 --refit none --probability
temperature two.csv -m logistic --refit relaxed --probability
temperature two.csv -m sbmlr -k 2 --probability
temperature three.csv -m lda --probability
temperature two.csv -m corr -k 2 --classifier lda --probability
temperature three.csv -m svm-rfe -k 2 --classifier logistic --probability
sigmoid two.csv -m svm -k 2 --probability
sigmoid three.csv -m svm -k 2 --probability
sigmoid two.csv -m corr -k 2 --probability
sigmoid two.csv -m svm -k 2 --kernel rbf --probability
sigmoid three.csv -m lda -k 2 --predict 1nn --probability
END

alter() { # STATEMENT: other.json is model.json after it, with the model as m and its calibration as c
    python3 -c "
import json
m = json.load(open('model.json')); c = m['calibration']
$1
json.dump(m, open('other.json', 'w'))"
}

case_begin "a changed sigmoid, seed or kind is found"
run_ok fit "$PARE" fit two.csv --id s -m svm -k 2 --probability --seed 123456789012345678 -o model.json
run_ok check "$PARE" check model.json two.csv --id s
for change in 'c["a"] *= 1.01' 'c["b"] = c["b"] * 1.01 + 1e-3' 'c["folds"] += 1' 'c["seed"] += 1' 'c.clear(); c["kind"] = "softmax"'; do
    alter "$change"
    run "$PARE" check other.json two.csv --id s
    expect_exit 1
done
for change in 'c["kind"] = "magic"' 'c["a"] = [1, 2]' 'del c["b"]' 'del c["seed"]' 'm["calibration"] = 5'; do
    alter "$change"
    run "$PARE" predict other.json two.csv --id s
    expect_error 1 'calibration'
done

case_begin "a changed temperature or prior is found"
run_ok fit "$PARE" fit two.csv --id s -k 2 --probability --seed 5 -o model.json
run_ok check "$PARE" check model.json two.csv --id s
for change in 'c["value"] *= 1.01' 'c["prior"][0] *= 1.01' 'c["folds"] += 1' 'c["seed"] += 1' 'c.clear(); c["kind"] = "softmax"'; do
    alter "$change"
    run "$PARE" check other.json two.csv --id s
    expect_exit 1
done
for change in 'c["value"] = 0' 'c["value"] = "hot"' 'c["prior"][1] = 0' 'c["prior"].append(0.1)' 'del c["prior"]' 'del c["seed"]'; do
    alter "$change"
    run "$PARE" predict other.json two.csv --id s
    expect_error 1 'calibration'
done

cat >second.py <<'PY'
"""The temperature by a second computation: fits of the command line to each fold's other samples, and a search."""
import csv, json, math, os, subprocess
def table(path): return list(csv.DictReader(open(path)))
def held_out(rows, folds, options):
    """Scores of every row by the fit to the rows of the other folds."""
    scores = [None] * len(rows)
    for f in sorted(set(folds)):
        for name, on in (("train.csv", False), ("test.csv", True)):
            with open(name, "w") as out:
                w = csv.DictWriter(out, rows[0].keys())
                w.writeheader()
                w.writerows(r for r, g in zip(rows, folds) if (g == f) == on)
        pare = os.environ["PARE"]
        subprocess.run([pare, "fit", "train.csv", "--id", "s", "-o", "part.json", *options], check=True, capture_output=True)
        subprocess.run([pare, "predict", "part.json", "test.csv", "--id", "s", "-o", "part.tsv"], check=True, capture_output=True)
        said = {r["sample"]: [float(v) for k, v in r.items() if k.startswith("score")] for r in csv.DictReader(open("part.tsv"), delimiter="\t")}
        for i, r in enumerate(rows):
            if folds[i] == f:
                scores[i] = said[r["s"]]
    return scores
def tempered(score, prior, T):
    f = [0.0] + score if len(score) == 1 else score
    z = [math.log(q) + (x - math.log(q)) / T for q, x in zip(prior, f)]
    total = max(z) + math.log(sum(math.exp(v - max(z)) for v in z))
    return [v - total for v in z]  # logarithms
def temperature(scores, truth, prior):
    n, c = len(truth), len(prior)
    def entropy(T):
        return -sum((n * (k == t) + 1) / (n + c) * p for s, t in zip(scores, truth) for k, p in enumerate(tempered(s, prior, T)))
    low, high = -5.0, 10.0  # of ln T
    for _ in range(200):
        a, b = low + 0.382 * (high - low), low + 0.618 * (high - low)
        low, high = (low, b) if entropy(math.exp(a)) < entropy(math.exp(b)) else (a, high)
    return math.exp(low)
PY

for options in "-k 2" "-m corr --classifier logistic -k 3" "-m logistic -k 2"; do
    for data in two.csv three.csv; do
        case_begin "fit $options on $data: T has the least cross-entropy on five folds of the whole fit"
        awk -F, 'NR == 1 { print $0 ",g" } NR > 1 { print $0 "," "g" NR % 5 }' $data >five.csv
        # shellcheck disable=SC2086
        run_ok fit "$PARE" fit five.csv --target y --id s --fold-groups g $options --probability -o model.json
        check "another temperature" python3 - $data $options <<'PY'
import sys
from second import *
rows, model = table(sys.argv[1]), json.load(open("model.json"))
c = model["calibration"]
truth = [model["classes"].index(r["y"]) for r in rows]
scores = held_out(rows, [i % 5 for i in range(len(rows))], sys.argv[2:])
T = temperature(scores, truth, c["prior"])
assert c["folds"] == 5 and abs(math.log(T / c["value"])) < 1e-5, (T, c)
PY
    done
done

for data in two.csv three.csv; do
    case_begin "path on $data: T and the size that log loss chooses come from the scores of all inner folds"
    awk -F, 'NR > 1 { print NR % 3 }' $data >folds.txt
    run_ok path "$PARE" path $data --id s -m corr --classifier lda --sizes 1,2,4 --fold-file folds.txt --inner 2 --metric log_loss \
        --choice best -o path.json
    check "another temperature or size" python3 - $data <<'PY'
import sys
from second import *
rows, path = table(sys.argv[1]), json.load(open("path.json"))
run, names, fold = path["runs"][0], path["classes"], [(i + 2) % 3 for i in range(len(rows))]
assert [int(v) for v in open("folds.txt")] == fold and run["calibration"] == "temperature"
said = run["predictions"]
number = {}  # parts are numbered as their folds come
for f in fold:
    number.setdefault(f, len(number) + 1)
for f in range(3):
    on = [i for i in range(len(rows)) if fold[i] != f]
    train, inner = [rows[i] for i in on], [fold[i] for i in on]
    truth = [names.index(r["y"]) for r in train]
    prior = [truth.count(k) / len(truth) for k in range(len(names))]
    best = None
    for k in (1, 2, 4):
        scores = held_out(train, inner, ["-m", "corr", "--classifier", "lda", "-k", str(k)])
        T = temperature(scores, truth, prior)
        losses = [-tempered(s, prior, T)[t] for s, t in zip(scores, truth)]
        parts = [[l for l, g in zip(losses, inner) if g == h] for h in set(inner)]
        loss = sum(sum(p) / len(p) for p in parts) / len(parts)
        if best is None or loss < best[0]:
            best = (loss, k, T)
    assert run["chosen"]["nested"]["n_features"][number[f] - 1] == best[1], (f, best)
    for i, p in enumerate(said["part"]):
        if p == number[f]:
            assert fold[said["row"][i] - 1] == f
            mine = [math.exp(v) for v in tempered(said["score"][i], prior, best[2])]
            assert all(abs(a - b) < 1e-5 for a, b in zip(mine, said["probability"][i])), (mine, said["probability"][i])
PY
done

case_begin "the prior is the classes' proportions; groups of samples stay in one fold, and check asks for them"
awk -F, 'NR == 1 { print $0 ",g" } NR > 1 { print $0 ",g" int((NR - 2) / 3) }' two.csv >grouped.csv
run_ok fit "$PARE" fit grouped.csv --target y --id s --drop g -k 2 --probability -o plain.json
run_ok fit "$PARE" fit grouped.csv --target y --id s --fold-groups g -k 2 --probability -o grouped.json
run_ok check "$PARE" check grouped.json grouped.csv --target y --id s --fold-groups g
run "$PARE" check grouped.json grouped.csv --target y --id s --drop g
expect_error 2 '--fold-groups'
check "groups do not matter, or no prior" python3 -c '
import csv, json
a, b = (json.load(open(f + ".json")) for f in ("plain", "grouped"))
assert a["outputs"] == b["outputs"] and a["calibration"]["value"] != b["calibration"]["value"]
assert b["calibration"]["fold_groups"] is True and "fold_groups" not in a["calibration"]
y = [r["y"] for r in csv.DictReader(open("two.csv"))]
assert all(abs(p - y.count(c) / len(y)) < 1e-12 for p, c in zip(a["calibration"]["prior"], a["classes"]))'

case_begin "the sigmoids come from samples left out: in noise nothing is sure"
for set in 1 2 3 4 5 6; do
    run_ok fit "$PARE" fit noise$set.csv -m svm --probability -o model.json
    run_ok score "$PARE" predict model.json noise$set.csv --score --json -o score$set.json
    run_ok predict "$PARE" predict model.json noise$set.csv --probability -o said$set.tsv
done
check "trusts its training scores" python3 - <<'PY'
from reader import *
sure = []
for i in range(1, 7):
    assert json.load(open("score%d.json" % i))["metrics"]["accuracy"] == 1
    sure += [abs(float(r["p(yes)"]) - 0.5) for r in rows("said%d.tsv" % i)]
assert sum(sure) / len(sure) < 0.3, sum(sure) / len(sure)
PY

case_begin "in noise, at 50 and 20% positives, the default's are no worse than the class proportions"
cat >noise.py <<'PY'
import random, sys
share, seed = float(sys.argv[1]), int(sys.argv[2])
r = random.Random(seed)
for name, n in (("train.csv", 60), ("test.csv", 400)):
    with open(name, "w") as f:
        f.write(",".join("x%d" % j for j in range(300)) + ",y\n")
        for i in range(n):
            f.write(",".join("%.4g" % r.gauss(0, 1) for j in range(300)) + (",yes\n" if i < share * n else ",no\n"))
PY
for share in 0.5 0.2; do
    for seed in 1 2 3 4 5 6; do
        python3 noise.py $share $seed
        run_ok fit "$PARE" fit train.csv -k 10 --probability -o model.json
        run_ok score "$PARE" predict model.json test.csv --score --json -o score-$share-$seed.json
    done
done
run_ok path "$PARE" path train.csv -m auto,logistic --sizes 5,20 -o path.json
check "surer than the proportions" python3 - <<'PY'
import json, math
for share in ("0.5", "0.2"):
    p = float(share)
    guess = -(p * math.log(p) + (1 - p) * math.log(1 - p))
    loss = [json.load(open("score-%s-%d.json" % (share, s)))["metrics"]["log_loss"] - guess for s in range(1, 7)]
    mean = sum(loss) / 6
    se = (sum((v - mean) ** 2 for v in loss) / 30) ** 0.5
    assert mean < 0.02 + se and max(loss) < 0.3, (share, loss)
path = json.load(open("path.json"))
for run in path["runs"]:
    for point in run["points"]:
        assert point["metrics"]["log_loss"]["mean"] < path["chance"]["log_loss"] + 0.1, point["metrics"]
PY

case_begin "same seed, same bytes on any number of threads; another seed, another sigmoid"
run_ok one "$PARE" fit three.csv --id s -m svm-rfe -k 3 --probability --threads 1 -o one.json
run_ok four "$PARE" fit three.csv --id s -m svm-rfe -k 3 --probability --threads 4 -o four.json
run_ok other "$PARE" fit three.csv --id s -m svm-rfe -k 3 --probability --seed 2 -o other.json
check "other bytes" cmp one.json four.json
check "the seed deals no folds" python3 -c '
import json
a, b = (json.load(open(f)) for f in ("one.json", "other.json"))
assert a["calibration"]["a"] != b["calibration"]["a"] and a["outputs"] == b["outputs"]'

case_begin "what cannot be had is one sentence"
for options in "-m svm -k 2" "-k 2" "-m logistic -k 2" "-m lda" "-m corr --classifier logistic" "-m sbmlr -k 2"; do
    # shellcheck disable=SC2086
    run_ok fit "$PARE" fit two.csv --id s $options -o model.json
    run "$PARE" predict model.json two.csv --id s --probability -o refused.tsv
    expect_error 2 'fit it again with --probability'
    expect_no_file refused.tsv
done
run "$PARE" path two.csv --id s --metric log_loss --inner 0 -o no.json
expect_error 2 'log_loss' '--inner'
expect_no_file no.json
run "$PARE" predict model.json two.csv --id s --probability --score
expect_error 2 '--score' '--probability'
run "$PARE" fit two.csv --target a --drop y,s -m lasso --probability
expect_error 2 '--probability' 'regression'
run "$PARE" fit two.csv --id s -m inf-push --probability
expect_error 2 '--probability' 'ranking'
{ head -n 12 three.csv | grep -v ,up && grep ,up three.csv | head -n 1; } >single.csv
run "$PARE" fit single.csv --id s -m svm --probability -o no.json
expect_error 1 'one sample' '"up"'
expect_no_file no.json

case_begin "small classes have fewer folds, and are told so"
{ head -n 14 three.csv | grep -v ,up && grep ,up three.csv | head -n 3; } >small.csv
run_ok fit "$PARE" fit small.csv --id s -m svm --probability -o small.json
expect_stdout_contains '2 folds'
run_ok check "$PARE" check small.json small.csv --id s

case_begin "the final svm's several classes are a choice of their own"
run_ok ovr "$PARE" fit three.csv --id s -m corr -k 2 -o ovr.json
run_ok ww "$PARE" fit three.csv --id s -m corr -k 2 --classifier-multiclass ww -o ww.json
run_ok svm "$PARE" fit three.csv --id s -m svm --multiclass ww --drop c,d -o svm.json
run_ok check "$PARE" check ww.json three.csv --id s
run_ok arom "$PARE" fit three.csv --id s -m l2-arom --ridge 1 --multiclass ww --classifier-multiclass ovr -k 2 -o arom.json
run_ok check "$PARE" check arom.json three.csv --id s
check "not the machine that was asked for" python3 -c '
import json
ovr, ww, svm = (json.load(open(f + ".json")) for f in ("ovr", "ww", "svm"))
assert sorted(f["name"] for f in ww["selected"]) == ["a", "b"] and ovr["outputs"] != ww["outputs"]
assert abs(ww["objective"] - svm["objective"]) < 1e-4 * svm["objective"]'
run "$PARE" fit three.csv --id s -m corr --classifier-multiclass all
expect_error 2 '--classifier-multiclass' 'ovr ww ovo'

case_begin "one against one: scores are per class, in predict, path and with probabilities"
run_ok ovo "$PARE" fit three.csv --id s -m corr -k 2 --classifier-multiclass ovo --probability -o ovo.json
run_ok check "$PARE" check ovo.json three.csv --id s
run "$PARE" predict ovo.json three.csv --id s
cp .stdout scores.tsv
run "$PARE" predict ovo.json three.csv --id s --probability
cp .stdout likely.tsv
run_ok path "$PARE" path three.csv --id s -m corr --sizes 2 --folds 3 --inner 0 --classifier-multiclass ovo \
    --predictions left.tsv --report left.html -o left.json
run_ok score "$PARE" predict ovo.json three.csv --id s --score
check "not one score a class whose largest is the prediction" python3 -c '
import csv, json
for f, first in (("scores.tsv", 2), ("likely.tsv", 2), ("left.tsv", 6)):
    rows = list(csv.reader(open(f), delimiter="\t"))
    names = [n.replace("score ", "").replace("p(", "").rstrip(")") for n in rows[0][first:]]
    assert names == json.load(open("ovo.json"))["classes"], names
    for r in rows[1:]:
        v = [float(x) for x in r[first:]]
        assert f == "likely.tsv" or r[first - 1] == names[v.index(max(v))], r
        assert f != "likely.tsv" or abs(sum(v) - 1) < 1e-12
        assert f == "likely.tsv" or abs(sum(round(x) for x in v) - 3) < 1e-9
assert len(json.load(open("left.json"))["runs"][0]["pairs"]) == 3'
run "$PARE" fit three.csv --id s -m corr -k 2 --classifier lda --classifier-multiclass ovo
expect_error 2 '--classifier-multiclass' 'the classifier is lda'
run "$PARE" fit three.csv --id s --task regress --target a -m lasso --drop y --classifier-multiclass ovo
expect_error 2 '--classifier-multiclass' 'regression'
run "$PARE" fit three.csv --id s -m svm --multiclass ovo --slack zero
expect_error 2 'slack' 'ovo'

case_begin "weights of classes do not reach the probabilities: those of noise are the classes' proportions"
run_ok fit "$PARE" fit noise1.csv -m lda -k 2 --class-weight yes=5,no=1 --probability -o heavy.json
run_ok path "$PARE" path noise1.csv -m lda --sizes 2 --folds 4 --class-weight yes=5,no=1 -o heavy_path.json
check "the classes' weights count as samples" python3 -c '
import json
assert json.load(open("heavy.json"))["calibration"]["prior"] == [0.5, 0.5]
assert json.load(open("heavy_path.json"))["runs"][0]["points"][0]["metrics"]["log_loss"]["mean"] < 0.8'
