#!/usr/bin/env bash
# Indicators of missing values: in the fit, the model file, new data, and the reader in docs/model-file.md.
. "$(dirname "$0")/harness.sh"

python3 - <<'PY'
import random
random.seed(5)
rows = []
for i in range(60):
    y = i % 2
    a, b, c = random.gauss(y, 1), random.gauss(0, 1), random.gauss(0, 1)
    lost = random.random() < (0.6 if y else 0.1)          # what is missing tells the class
    rows.append(("%.6f" % a, "NA" if lost else "%.6f" % b, "" if random.random() < 0.1 else "%.6f" % c, "pq"[y]))
open("all.csv", "w").write("a,b,c,class\n" + "".join(",".join(r) + "\n" for r in rows))
open("turned.csv", "w").write("c,junk,b,a\n" + "".join(",".join((r[2], "x", r[1], r[0])) + "\n" for r in rows))
open("whole.csv", "w").write("a,b,c\n" + "".join("%s,0.5,0.25\n" % r[0] for r in rows))
PY
awk '/^```python$/{on=1; next} /^```$/{on=0} on' "$ROOT/docs/model-file.md" >reader.py

case_begin "a model with indicators predicts raw data by name, in any order, as the reader does"
for m in svm logistic corr dlsr lda; do
    run "$PARE" fit all.csv -m $m --missing indicator -o $m.json
    expect_exit 0
    grep -q '"b=missing"' $m.json || fail "$m: no indicator of b"
    check "$m: an indicator of a, which lacks nothing" bash -c "! grep -q a=missing $m.json"
    "$PARE" predict $m.json all.csv >same.tsv
    "$PARE" predict $m.json turned.csv >turned.tsv
    check "$m: other order, other predictions" cmp -s same.tsv turned.tsv
    python3 reader.py $m.json all.csv | cut -f1 >read.txt
    cut -f2 same.tsv | tail -n +2 >said.txt
    check "$m: the reader says something else" cmp -s read.txt said.txt
    run "$PARE" check $m.json all.csv
    expect_exit 0
    "$PARE" predict $m.json whole.csv >whole.tsv
    check "$m: no prediction where nothing is missing" test "$(wc -l <whole.tsv)" = 61
done

case_begin "new data must have the column of an indicator, and not the indicator"
cut -d, -f1,3 all.csv >lost.csv
run "$PARE" predict svm.json lost.csv
expect_error 1 '"b"'

case_begin "indicators in a path, a ranking and monomials"
run "$PARE" path all.csv -m corr --missing indicator --folds 3 --inner 0 -o path.json
expect_exit 0
grep -q '"b=missing"' path.json || fail "the path does not know the indicator"
run "$PARE" fit all.csv -m corr --missing indicator --ranking ranking.tsv
expect_exit 0
grep -q 'c=missing' ranking.tsv || fail "the ranking has no indicator"
run "$PARE" fit all.csv -m poly-arom --missing indicator -o poly.json
expect_exit 0
run "$PARE" check poly.json all.csv
expect_exit 0
"$PARE" predict poly.json turned.csv >turned.tsv
check "poly-arom predicts" test "$(wc -l <turned.tsv)" = 61

case_begin "a column of the indicator's name is refused"
sed '1s/c,class/b=missing,class/' all.csv >taken.csv
run "$PARE" fit taken.csv -m svm --missing indicator
expect_error 1 'b=missing'

case_begin "predict says what it takes where a value is missing"
printf 'a,b,class\n1,2,p\n2,1,q\n1,3,p\n3,1,q\n2,3,p\n3,2,q\n' >train.csv
printf 'a,b,class\n1,2,p\n,1,q\n' >new.csv
for file in train new; do
    "$PARE" convert $file.csv $file.npy --labels-out $file.labels --quiet
done
for form in csv npy; do
    labels=() && [[ $form == csv ]] || labels=(--labels train.labels)
    run_ok fit "$PARE" fit train.$form "${labels[@]}" -m corr -o model.json
    run "$PARE" predict model.json new.$form
    expect_error 1 'missing' 'only a model fitted with --missing mean or median fills it in; --missing drop leaves the sample out'
    run_ok "as it says" "$PARE" predict model.json new.$form --missing drop
done
