#!/usr/bin/env bash
# How good predictions are: predict --score, and the out-of-fold predictions of a path, by a second
# computation of every metric.
. "$(dirname "$0")/harness.sh"

awk 'BEGIN { srand(5); print "s,a,b,c,y,v"; for (i = 0; i < 45; i++) { a = rand(); b = rand(); c = rand()
    print "n" i "," a "," b "," c "," (a + 0.4 * rand() > 0.7 ? "up" : b > 0.6 ? "mid" : "low") "," a - b + 0.3 * rand() } }' >all.csv
head -n 31 all.csv >train.csv
{ head -n 1 all.csv && tail -n 14 all.csv; } >test.csv
grep -v ',mid,' train.csv >train2.csv
grep -v ',mid,' test.csv >test2.csv

cat >metrics.py <<'PY'
import math
def classes(truth, said, names):
    n = len(truth)
    c = [[sum(t == a and p == b for t, p in zip(truth, said)) for b in names] for a in names]
    rows, cols = [sum(r) for r in c], [sum(r[k] for r in c) for k in range(len(names))]
    hit = sum(c[k][k] for k in range(len(names)))
    f = [2 * c[k][k] / (rows[k] + cols[k]) for k in range(len(names)) if rows[k] + cols[k]]
    top = math.sqrt((n * n - sum(x * x for x in cols)) * (n * n - sum(x * x for x in rows)))
    f1 = f[-1] if len(names) == 2 else sum(f) / len(f)
    return {"accuracy": hit / n, "f1": f1, "mcc": (hit * n - sum(a * b for a, b in zip(rows, cols))) / top if top else 0.0,
            "chance_accuracy": max(rows) / n,
            "balanced_accuracy": (lambda s: sum(s) / len(s))([c[k][k] / rows[k] for k in range(len(names)) if rows[k]])}, c
def values(truth, said):
    n = len(truth)
    mean = sum(truth) / n
    sse, spread = sum((t - p) ** 2 for t, p in zip(truth, said)), sum((t - mean) ** 2 for t in truth)
    return {"mean_absolute_error": sum(abs(t - p) for t, p in zip(truth, said)) / n, "mean_squared_error": sse / n,
            "root_mean_squared_error": math.sqrt(sse / n), "r2": 1 - sse / spread,
            "chance_root_mean_squared_error": math.sqrt(spread / n)}
def close(a, b):
    assert abs(a - b) <= 1e-9 * (1 + abs(b)), (a, b)
PY

for case in 'svm y v train.csv test.csv' 'svm y v train2.csv test2.csv' 'lasso v y train.csv test.csv'; do
    set -- $case
    case_begin "$1 on $5 is scored"
    run_ok fit "$PARE" fit "$4" -m "$1" -k 2 --target "$2" --drop "$3" --id s -o model.json
    run_ok predict "$PARE" predict model.json "$5" --id s -o said.tsv
    run_ok score "$PARE" predict model.json "$5" --target "$2" --score --json -o score.json
    check "another metric" python3 - "$2" "$5" <<'PY'
import csv, json, sys
from metrics import *
score = json.load(open("score.json"))
truth = [r[sys.argv[1]] for r in csv.DictReader(open(sys.argv[2]))]
said = [r["prediction"] for r in csv.DictReader(open("said.tsv"), delimiter="\t")]
assert list(score) == ["kind", "n", "metrics", "classes", "confusion"] and score["kind"] == "score"
assert score["n"] == len(truth)
if score["classes"]:
    want, confusion = classes(truth, said, score["classes"])
    assert confusion == score["confusion"]
else:
    want = values([float(t) for t in truth], [float(p) for p in said])
for name, value in want.items():
    close(score["metrics"][name], value)
PY
    run_ok table "$PARE" predict model.json "$5" --target "$2" --score
    check "not a table of metrics" test "$(head -n 1 .stdout)" = $'metric\tvalue'
done

case_begin "what cannot be scored is one sentence"
run "$PARE" predict model.json test.csv --target y --score
expect_error 1 'not a number'
"$PARE" fit train2.csv -m svm --target y --drop v --id s -o model.json >/dev/null
run "$PARE" predict model.json test.csv --target y --score --id s
expect_error 1 'n' '"mid"' 'no class of the model'
run "$PARE" predict model.json test.csv --json
expect_error 2 '--score'

for case in 'svm,corr y v' 'lasso v y'; do
    set -- $case
    case_begin "out-of-fold predictions of $1 give the metrics of its path"
    run_ok path "$PARE" path all.csv -m "$1" --target "$2" --drop "$3" --id s --sizes 1,3 --folds 4 --repeats 2 \
        --inner 0 -o path.json --predictions said.tsv
    check "they do not" python3 - "$2" <<'PY'
import csv, json, sys
from metrics import *
path = json.load(open("path.json"))
truth = {r["s"]: r[sys.argv[1]] for r in csv.DictReader(open("all.csv"))}
rows = list(csv.DictReader(open("said.tsv"), delimiter="\t"))
assert list(rows[0])[:6] == ["method", "n_features", "part", "sample", "truth", "prediction"]
names = sorted(set(truth.values()))
for run in path["runs"]:
    for point in run["points"]:
        mine = [r for r in rows if r["method"] == run["method"] and int(r["n_features"]) == point["n_features"]]
        assert sorted(r["sample"] for r in mine) == sorted(2 * list(truth))
        real = "r2" in point["metrics"]
        for part in range(1, 9):
            here = [r for r in mine if r["part"] == str(part)]
            if real:
                want = values([float(r["truth"]) for r in here], [float(r["prediction"]) for r in here])
            else:
                assert all(r["truth"] == truth[r["sample"]] for r in here)
                want, _ = classes([r["truth"] for r in here], [r["prediction"] for r in here], names)
            for name in want:
                if not name.startswith("chance"):
                    close(point["metrics"][name]["folds"][part - 1], want[name])
        assert bool(point["pooled"]) == real
        if real:
            close(point["pooled"]["r2"], values([float(r["truth"]) for r in mine], [float(r["prediction"]) for r in mine])["r2"])
PY
done

cat >probable.py <<'PY'
import math
def probable(truth, P):
    """truth: class numbers; P: a row of probabilities each."""
    n, c = len(truth), len(P[0])
    loss = -sum(math.log(max(p[t], 2.220446049250313e-16)) for t, p in zip(truth, P)) / n
    brier = sum((p[k] - (t == k)) ** 2 for t, p in zip(truth, P) for k in range(c == 2, c)) / n
    return {"log_loss": loss, "brier": brier}
PY

for case in 'lda --probability test.csv train.csv' 'logistic --probability test2.csv train2.csv' 'svm --probability test.csv train.csv'; do
    set -- $case
    case_begin "probabilities of $case are scored"
    run_ok fit "$PARE" fit "${@: -1}" -m ${@:1:$#-2} -k 2 --target y --drop v --id s -o model.json
    run_ok predict "$PARE" predict model.json "${@: -2:1}" --id s --probability -o said.tsv
    run_ok score "$PARE" predict model.json "${@: -2:1}" --target y --score --json -o score.json
    check "another metric" python3 - "${@: -2:1}" <<'PY'
import csv, json, sys
from metrics import close
from probable import *
score = json.load(open("score.json"))
truth = [score["classes"].index(r["y"]) for r in csv.DictReader(open(sys.argv[1]))]
P = [[float(r["p(%s)" % c]) for c in score["classes"]] for r in csv.DictReader(open("said.tsv"), delimiter="\t")]
for name, value in probable(truth, P).items():
    close(score["metrics"][name], value)
PY
done

for case in 'all.csv svm,lda --probability' 'train2.csv corr,logistic'; do
    set -- $case
    case_begin "path $case: predictions in the JSON give the nested metrics, and chance is what guessing reaches"
    run_ok path "$PARE" path "$1" -m "$2" ${3:-} --target y --drop v --id s --sizes 1,2,3 --folds 3 --inner 2 -o path.json \
        --predictions said.tsv --checkpoint "kept.$2"
    run_ok again "$PARE" path "$1" -m "$2" ${3:-} --target y --drop v --id s --sizes 1,2,3 --folds 3 --inner 2 -o again.json \
        --predictions again.tsv --checkpoint "kept.$2"
    check "other bytes from the checkpoint" cmp path.json again.json
    check "other predictions from the checkpoint" cmp said.tsv again.tsv
    check "they do not" python3 - "$1" "${3:-}" <<'PY'
import csv, json, math, sys
from metrics import *
from probable import *
path, rows = json.load(open("path.json")), list(csv.DictReader(open(sys.argv[1])))
names, tsv = path["classes"], list(csv.DictReader(open("said.tsv"), delimiter="\t"))
for run in path["runs"]:
    said, nested = run["predictions"], run["chosen"]["nested"]
    assert said["sizes"] == "nested" and "log_loss" in nested["metrics"]
    for part in range(1, 4):
        at = [i for i, p in enumerate(said["part"]) if p == part]
        truth, mine = [said["truth"][i] for i in at], [said["prediction"][i] for i in at]
        assert all(rows[said["row"][i] - 1]["y"] == names[said["truth"][i]] for i in at)
        want, _ = classes([names[t] for t in truth], [names[p] for p in mine], names)
        want.update(probable(truth, [said["probability"][i] for i in at]))
        if run["method"] in ("lda", "logistic"):  # one temperature around the training fold's proportions
            train = [t for t, p in zip(said["truth"], said["part"]) if p != part]
            prior = [math.log(train.count(c) / len(train)) for c in range(len(names))]
            rise, fall = [], []
            for i in at:
                f = ([0] + said["score"][i]) if len(names) == 2 else said["score"][i]
                for c in range(1, len(names)):
                    rise.append(math.log(said["probability"][i][c] / said["probability"][i][0]) - prior[c] + prior[0])
                    fall.append(f[c] - f[0] - prior[c] + prior[0])
            cold = sum(a * b for a, b in zip(rise, fall)) / sum(b * b for b in fall)
            assert cold > 0 and all(abs(a - cold * b) < 1e-6 for a, b in zip(rise, fall)), (cold, rise, fall)
        for name in want:
            if not name.startswith("chance"):
                close(nested["metrics"][name]["folds"][part - 1], want[name])
        size = nested["n_features"][part - 1]
        table = [r for r in tsv if r["method"] == run["method"] and int(r["n_features"]) == size and int(r["part"]) == part]
        assert [r["prediction"] for r in table] == [names[p] for p in mine]
parts = path["runs"][0]["predictions"]
guess = {"accuracy": 0, "log_loss": 0, "brier": 0}
for part in range(1, 4):
    test = [t for t, p in zip(parts["truth"], parts["part"]) if p == part]
    train = [t for t, p in zip(parts["truth"], parts["part"]) if p != part]
    share = [train.count(c) / len(train) for c in range(len(names))]
    most = max(range(len(names)), key=lambda c: share[c])
    one = probable(test, [share] * len(test))
    one["accuracy"] = test.count(most) / len(test)
    for name in guess:
        guess[name] += one[name] / 3
for name, value in guess.items():
    close(path["chance"][name], value)
assert path["chance"]["auc"] == 0.5
PY
done

case_begin "a metric of probabilities needs some"
run "$PARE" path all.csv -m svm --target y --drop v --id s --metric log_loss --inner 0 -o no.json
expect_error 2 'log_loss' '--inner'
expect_no_file no.json
run "$PARE" path all.csv -m lasso --target v --drop y --id s --probability
expect_error 2 '--probability' 'regression'
run_ok path "$PARE" path all.csv -m svm --target y --drop v --id s --metric log_loss --sizes 1,2,3 --folds 3 --null 1 -o path.json
run_ok without "$PARE" path all.csv -m svm,lda --target y --drop v --id s --inner 0 --sizes 1,2 --folds 3 -o without.json
check "not the best log loss" python3 -c '
import json
run = json.load(open("path.json"))["runs"][0]
means = [p["mean"] for p in run["points"]]
assert run["chosen"]["mean"] <= min(means) + 1 and 0 < run["chosen"]["nested"]["mean"] < 2
assert run["points"][0]["null"]["mean"] > 0
for run in json.load(open("without.json"))["runs"]:
    assert all("log_loss" not in p["metrics"] and "brier" not in p["metrics"] for p in run["points"])'


case_begin "a selection without a predictor cannot be scored"
"$PARE" demo -o toy.csv >/dev/null 2>&1
run_ok "fit" "$PARE" fit toy.csv -m spectrum --task none -o none.json
run "$PARE" predict none.json toy.csv --target class --score
expect_error 2 'no predictor' 'task none'
