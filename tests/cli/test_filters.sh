#!/usr/bin/env bash
# Filters through the command line: columns of p-values, what is refused, regression.
. "$(dirname "$0")/harness.sh"

json() { # FILE EXPRESSION: a Python expression of the object d is true
    check "not so: $2" python3 -c "import json; d = json.load(open('$1')); assert $2"
}

python3 - <<'END'
import random
random.seed(4)
with open("a.csv", "w") as f:
    f.write(",".join(f"g{j}" for j in range(8)) + ",class\n")
    for i in range(24):
        row = [random.gauss((i % 2) * (2 if j < 2 else 0), 1) for j in range(8)]
        f.write(",".join(f"{v:.6f}" for v in row) + f",{'ab'[i % 2]}\n")
END

case_begin "tests have p-values, and they are checked"
for method in t-test anova kruskal; do
    run "$PARE" fit a.csv -m $method -k 2 --ranking r.tsv -o m.json
    check "$method ends well" test "$run_code" -eq 0
    check "$method: columns p and q" test "$(head -1 r.tsv)" = $'rank\tname\tindex\tscore\tp\tq'
    json m.json "len(d['selected']) == 2 and all(0 <= f['p'] <= f['q'] <= 1 for f in d['selected'])"
    run "$PARE" check m.json a.csv
    check "$method is checked" test "$run_code" -eq 0
done
case_begin "a score alone has none"
run "$PARE" fit a.csv -m fisher -k 2 --ranking r.tsv -o m.json
check "fisher has no p" test "$(head -1 r.tsv)" = $'rank\tname\tindex\tscore'
json m.json "all('p' not in f for f in d['selected'])"

case_begin "what a filter cannot take is said"
run "$PARE" fit a.csv -m chi2 -k 2
expect_error 1 'chi2' 'not negative' 'sample'
run "$PARE" fit a.csv -m mutual-info --bins 1
expect_error 2 '--bins' '"1"'
case_begin "regression by bins"
run "$PARE" fit a.csv -m mutual-info --bins 3 --drop class --target g0 -k 2
check "regression ends well" test "$run_code" -eq 0
