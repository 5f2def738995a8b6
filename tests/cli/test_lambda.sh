#!/usr/bin/env bash
# The path over lambda and its coefficients, for every method that has one.
. "$(dirname "$0")/harness.sh"

awk 'BEGIN { srand(3); print "a,b,c,d,e,y"; for (i = 0; i < 40; i++) { s = ""; v = 0
    for (j = 0; j < 5; j++) { x = 2 * rand() - 1; s = s x ","; v += (j < 2) * x } print s v + 0.1 * rand() } }' >real.csv
awk -F, -v OFS=, 'NR > 1 { $6 = $6 > 0.05 ? "up" : "down" } 1' real.csv >two.csv

# Every method of the registry with the setting `sweep`.
methods=$("$PARE" methods --json | python3 -c '
import json, sys
print(*[m["name"] for m in json.load(sys.stdin) if m["tasks"] != "survival"])')
case_begin "methods are listed"
check "no methods: $methods" test -n "$methods"
for method in $methods; do
    "$PARE" methods "$method" | grep -q 'sweep' || continue
    case_begin "$method: points and coefficients agree"
    data=two.csv
    "$PARE" fit real.csv -m "$method" -k 1 --quiet >/dev/null 2>&1 && data=real.csv
    run_ok fit "$PARE" fit "$data" -m "$method" --lambda-path path.tsv --lambda-coef coef.tsv --quiet
    check "they do not agree" python3 - "$data" "$method" <<'PY'
import csv, sys
def rows(name, cells=None):
    return list(csv.DictReader(open(name), delimiter="\t" if name.endswith("tsv") else ","))
path, coef, data = rows("path.tsv"), rows("coef.tsv"), rows(sys.argv[1])
columns = list(path[0])
assert columns[:6] == ["lambda", "objective", "loss", "penalty", "gap", "n_features"], columns
assert columns[6:] == (["deviance", "df"] if sys.argv[2] in ("lasso", "logistic") else []), columns
assert list(coef[0]) == ["lambda", "output", "name", "index", "coef"], coef[0]
points = []                                   # in the order of the path: equal lambdas may follow
for r in coef:
    if r["name"] == "(intercept)" and (not points or points[-1][0]["output"] == r["output"] or
                                       r["lambda"] != points[-1][0]["lambda"]):
        points.append([])
    points[-1].append(r)
assert len(points) == len(path), (len(points), len(path))
names = "abcde"
for p, rs in zip(path, points):
    assert all(r["lambda"] == p["lambda"] for r in rs)
    assert len({r["name"] for r in rs} - {"(intercept)"}) <= int(p["n_features"]) + 1
    assert all(r["index"] == ("-1" if r["name"] == "(intercept)" else str(names.index(r["name"]))) for r in rs)
    if sys.argv[2] == "lasso":
        f = [sum(float(r["coef"]) * (1 if r["index"] == "-1" else float(d[r["name"]])) for r in rs) for d in data]
        loss = sum((float(d["y"]) - v) ** 2 for d, v in zip(data, f)) / (2 * len(data))
        assert abs(loss - float(p["loss"])) <= 1e-9 * (1 + loss), (loss, p)
PY
    [[ -n $(awk -F'\t' 'NR == 2 { print $5 }' path.tsv) ]] || continue # an exact path has its breakpoints
    for own in "" "--lambda 0.0123" "--lambda-ratio 0.1"; do
        # shellcheck disable=SC2086
        "$PARE" fit "$data" -m "$method" --lambda-path path.tsv --lambda-count 10 --lambda-least 0.01 $own --quiet >/dev/null 2>said ||
            continue
        check "$(wc -l <path.tsv) lines with $own" test "$(wc -l <path.tsv)" -le 11
        [[ $method == dlsr-fs ]] || check "$(wc -l <path.tsv) lines with $own" test "$(wc -l <path.tsv)" -eq 11
    done
done

case_begin "a method without a path says so"
run "$PARE" fit two.csv -m corr --lambda-coef coef2.tsv
expect_error 2 '--lambda-coef' 'corr'
expect_no_file coef2.tsv
