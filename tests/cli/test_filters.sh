#!/usr/bin/env bash
# Filters through the command line: columns of p-values, what is refused, regression.
. "$(dirname "$0")/harness.sh"

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

cut -d, -f1-8 a.csv >plain.csv
case_begin "a selection without a target"
for method in laplacian spectrum; do
    run "$PARE" fit plain.csv -m $method --task none -k 3 -o none.json --ranking r.tsv
    expect_exit 0
    check "all features are ranked" test "$(wc -l <r.tsv)" -eq 9
    json none.json "d['task'] == 'none' and d['outputs'] == [] and d['classes'] == [] and len(d['selected']) == 3 and d['dual'] is None"
    run "$PARE" check none.json plain.csv
    expect_exit 0
done
python3 - <<'END'
import json
d = json.load(open("none.json"))
d["selected"][0]["score"] *= 1.01
json.dump(d, open("changed.json", "w"))
END
run "$PARE" check changed.json plain.csv
expect_exit 1

case_begin "what it cannot do has a sentence"
run "$PARE" predict none.json plain.csv
expect_error 2 'no predictor' 'task none'
run "$PARE" fit plain.csv -m anova --task none
expect_error 2 'task' 'allowed: classify regress'
run "$PARE" path plain.csv -m laplacian --task none
check "path refuses" test "$run_code" -ne 0

case_begin "storage by measured density, or as asked"
python3 - <<'END'
import random
random.seed(7)
rows = [[random.choice([1, 2]) if (i * 7 + j) % 50 == 0 or j < 1 else 0 for j in range(60)] for i in range(20)]
for i, row in enumerate(rows): row[0] = i % 2 * 3 if i % 5 else 0
open("thin.csv", "w").write(",".join(f"g{j}" for j in range(60)) + ",class\n" +
    "".join(",".join(map(str, r)) + f",{'ab'[i % 2]}\n" for i, r in enumerate(rows)))
END
for storage in auto dense sparse; do
    run "$PARE" fit thin.csv -m svm --scale unit -k 2 --storage $storage -o $storage.json
    expect_exit 0
done
expect_same_bytes auto.json sparse.json
run "$PARE" info thin.csv
expect_stdout_contains "sparse"
run "$PARE" info thin.csv --storage dense
expect_stdout_contains "dense"
run "$PARE" info a.csv --storage sparse
expect_stdout_contains "sparse"
run "$PARE" check dense.json thin.csv --storage dense
expect_exit 0
run "$PARE" fit thin.csv -m svm --storage thick
expect_error 2 'storage' '"thick"' 'auto dense sparse'
