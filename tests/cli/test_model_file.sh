#!/usr/bin/env bash
# The reader in docs/model-file.md predicts what pare predict does, from models of every kind.
. "$(dirname "$0")/harness.sh"

python3 - <<'PY'
import math, random
random.seed(11)
def table(name, rows, header="a,b,c,d,e,class"):
    open(name, "w").write(header + "\n" + "".join(",".join(map(str, r)) + "\n" for r in rows))
def sample(i, classes):
    c = i % classes
    x = [math.exp(random.gauss(c if j < 2 else 0, 1)) for j in range(4)] + [int(random.random() < 0.3 + 0.2 * c)]
    return ["%.6g" % v for v in x]
two = [sample(i, 2) + ["pq"[i % 2]] for i in range(60)]
table("two.csv", two)
table("three.csv", [sample(i, 3) + ["uvw"[i % 3]] for i in range(60)])
table("lacking.csv", [[v if random.random() > 0.15 else random.choice(["NA", "n/a", "#N/A", " ?", "nan", ""]) for v in r[:4]] + r[4:] for r in two])
table("values.csv", [r[:5] + ["%.6g" % (3 * float(r[0]) - float(r[1]) + random.gauss(0, 1))] for r in two])
PY
awk '/^```python$/{on=1; next} /^```$/{on=0} on' "$ROOT/docs/model-file.md" >reader.py
cat >compare.py <<'PY'
import csv, json, sys
import reader
model, table, said = json.load(open(sys.argv[1])), csv.DictReader(open(sys.argv[2])), sys.argv[3]
need = sys.argv[4:]
for key in need:
    at = model
    for part in key.split("."):
        at = at[int(part)] if part.isdigit() else at.get(part)
    assert at, "the model has no " + key
expected = list(csv.reader(open(said), delimiter="\t"))
shown = expected[0][2:]
count = 0
for row, (sample, decided, *own) in zip(table, expected[1:], strict=True):
    f = reader.scores(model, row)
    found = f
    if shown and shown[0].startswith("p("):
        found = reader.probabilities(model, f)
    elif model["task"] in ("binary", "multiclass"):  # of pare's scores: ours may break a tie by rounding
        label = reader.decide(model, [float(v) for v in own])
        assert label == decided, (sample, label, decided)
    shown_values = own if model["classes"] and model["task"] != "ranking" else [decided]
    for a, b in zip(found, shown_values, strict=True):
        assert abs(a - float(b)) <= 1e-9 * max(1, abs(a)), (sample, a, b)
    count += 1
assert count == 60
PY

while read -r data need options; do
    case_begin "the reader of the page: $options on $data"
    run_ok "fit" "$PARE" fit $data $options -o model.json
    run_ok "predict" "$PARE" predict model.json $data -o said.tsv
    run_ok "the reader" python3 compare.py model.json $data said.tsv ${need//,/ }
    if grep -q '"calibration"' model.json; then
        run_ok "predict --probability" "$PARE" predict model.json $data --probability -o likely.tsv
        run_ok "the reader's probabilities" python3 compare.py model.json $data likely.tsv
    fi
done <<'END'
two.csv outputs.0.coef -m svm -k 3
three.csv outputs.2.coef -m corr -k 3
two.csv units,scaling.spread -m corr -k 4 --scale robust
three.csv units,calibration.prior.2 -m lda-forward -k 3 --scale robust --classifier lda --probability
two.csv units,calibration.value -k 3 --probability
two.csv kernel -m svm --kernel rbf
two.csv kernel,units -m svm --kernel rbf --scale robust
three.csv kernel -m svm-rfe -k 3 --kernel poly
two.csv kernel.weight -m kta -k 3
three.csv kernel.weight -m uniform
two.csv kernel.weight -m kta-centered --kernel delta
two.csv outputs.0.coef -m kta --kernel linear -k 3
three.csv kernel.weight -m smo-mkl
two.csv neighbours -m 1nn
three.csv neighbours,units -m 1nn --scale robust
three.csv neighbours,outputs.0.coef -m dlsr --predict 1nn
two.csv features,selected.0.terms -m poly-arom -k 3
two.csv features,units -m poly-arom -k 3 --scale robust
lacking.csv features,impute -m poly-arom -k 3 --missing mean
three.csv outputs.0.pair -m corr -k 3 --classifier-multiclass ovo
three.csv outputs.0.pair,calibration -m corr -k 3 --classifier-multiclass ovo --probability
values.csv outputs.0.coef --task regress -m lasso -k 3
values.csv kernel --task regress -m kta -k 3
two.csv outputs.0.coef --task rank -m inf-push -k 3
two.csv calibration.kind -m logistic
two.csv calibration.value,selection -m logistic -k 3 --probability
three.csv calibration.a -m svm -k 3 --probability
two.csv calibration -m svm --kernel rbf --probability
two.csv row_scale -m svm -k 3 --row-scale l1
three.csv row_scale -m svm -k 3 --row-scale l2
two.csv row_scale.idf -m svm -k 3 --row-scale tfidf
two.csv row_scale,units -m corr -k 3 --row-scale l2 --scale robust
lacking.csv impute -m corr -k 4 --missing median
lacking.csv impute,units -m corr -k 4 --missing mean --scale robust
lacking.csv selected -m svm --missing indicator
END

case_begin "a setting that the numbers contradict is found"
for options in "-m svm" "-m logistic -k 3" "-m l1-svm"; do
    # shellcheck disable=SC2086
    run_ok "fit $options" "$PARE" fit two.csv --target class $options -o true.json
    sed 's/"intercept":true/"intercept":false/' true.json >false.json
    check "the settings of $options name no intercept" test "$(cmp true.json false.json | wc -l)" = 1
    run "$PARE" check false.json two.csv --target class
    check "check $options: exit $run_code" test "$run_code" = 1
    check "check $options says nothing of the intercept: $run_err" grep -q 'intercept' <<<"$run_err"
done
sed 's/"scaling": {"kind":"[a-z]*"/"scaling": {"kind":"unit"/' true.json >kind.json
run "$PARE" check kind.json two.csv --target class
expect_exit 1
expect_stderr_contains 'the kind that the setting scale has'

for method in center combat; do
    for scale in standard robust; do
        case_begin "the reader of the page: batches by $method, scale $scale"
        awk -F, -v OFS=, 'NR == 1 {print $0, "site"} NR > 1 {print $0, "s" NR % 3}' two.csv >sites.csv
        run_ok "fit" "$PARE" fit sites.csv --target "$(head -n 1 two.csv | sed 's/.*,//')" --batch site --batch-method $method --scale $scale -m svm -k 3 -o model.json
        run_ok "predict" "$PARE" predict model.json sites.csv --batch site -o said.tsv
        run_ok "the reader" python3 compare.py model.json sites.csv said.tsv batch.names.2
        run_ok "check" "$PARE" check model.json sites.csv --target "$(head -n 1 two.csv | sed 's/.*,//')" --batch site
    done
done
