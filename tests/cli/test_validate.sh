#!/usr/bin/env bash
# pare validate: cohorts, what is absent or differs, recalibration, and every error.
. "$(dirname "$0")/harness.sh"

python3 - <<'PY'
import csv, math, random
random.seed(3)
names = ["g%d" % j for j in range(1, 13)]
def cohort(n, shift=0.0):
    rows = []
    for i in range(n):
        x = [random.gauss(0, 1) + shift for _ in names]
        x[9] = 0.9 * x[0] + 0.3 * random.gauss(0, 1)
        z = x[0] + 0.8 * x[1] - 0.6 * x[2] - 0.3
        rows.append(["s%d" % i] + ["%.5f" % v for v in x] + ["ABC"[i % 3], "yes" if random.random() < 1 / (1 + math.exp(-z)) else "no"])
    return rows
header = ["id"] + names + ["study", "class"]
def table(name, rows, head=header):
    with open(name, "w") as f:
        csv.writer(f, lineterminator="\n").writerows([head] + rows)
table("train.csv", cohort(150))
one, two = cohort(90), cohort(60, 0.5)
table("one.csv", one)
table("two.csv", two)
table("lacks.csv", [r[:10] + r[11:] for r in one], header[:10] + header[11:])
table("units.csv", [r[:2] + ["%g" % (1000 * float(r[2]))] + r[3:] for r in one])
table("yes.csv", [r for r in one if r[-1] == "yes"])
table("case.csv", [r[:-1] + [r[-1].upper()] for r in one])
table("words.csv", [r[:-1] + ["ill" if r[-1] == "yes" else "well"] for r in one])
table("gap.csv", [r[:2] + [""] + r[3:] for r in one])
PY
echo "g1,20" >costs.txt # so that g10, much like it, is selected in its place
"$PARE" fit train.csv -m logistic --cost costs.txt --drop study --lambda-ratio 0.05 --alternatives 2 -o model.json >fit.txt 2>&1
"$PARE" fit train.csv -m svm -k 3 --drop study -o plain.json >fit.txt 2>&1
look() { python3 -c 'import json, sys; v = json.load(open(sys.argv[1])); assert eval(sys.argv[2]), eval(sys.argv[2])' "$@"; }

case_begin "a cohort for each file, and all of them together"
run_ok "validate" "$PARE" validate model.json one.csv two.csv --drop study -o v.json
expect_stdout_contains $'cohort\tmetric\tvalue\tlow\thigh'
expect_stdout_contains $'one.csv\taccuracy\t'
expect_stdout_contains $'two.csv\tcalibration_slope\t'
expect_stdout_contains $'pooled\tauc\t'
check "JSON" look v.json '[c["name"] for c in v["cohorts"]] == ["one.csv", "two.csv"] and v["kind"] == "validation"'
check "table of thresholds" look v.json 'len(v["cohorts"][0]["decision"]) == 99 and v["cohorts"][0]["difference"] is None'
check "no prediction interval of two" look v.json 'v["pooled"]["auc"]["prediction_low"] is None and v["pooled"]["auc"]["low"] < v["pooled"]["auc"]["value"]'
check "intervals hold the values" look v.json 'all(m["low"] <= m["value"] <= m["high"] for c in v["cohorts"] for m in c["metrics"].values())'
run_ok "again" "$PARE" validate model.json one.csv two.csv --drop study -o w.json --threads 3
expect_same_bytes v.json w.json
run_ok "the same name twice" "$PARE" validate model.json one.csv one.csv --drop study
expect_stdout_contains $'one.csv#2\tauc\t'

case_begin "the numbers are those of predict --score"
"$PARE" predict model.json one.csv --drop study --score 2>/dev/null | grep -E '^(accuracy|auc|brier)' | sort >scores.txt
"$PARE" validate model.json one.csv --drop study 2>/dev/null | awk -F'\t' -v OFS='\t' '$2 ~ /^(accuracy|auc|brier)$/ { print $2, $3 }' | sort >metrics.txt
check "$(cat scores.txt metrics.txt)" cmp scores.txt metrics.txt

case_begin "one table is parted by a column"
run_ok "cohort" "$PARE" validate model.json one.csv --cohort study -o v.json
check "three" look v.json '[(c["name"], c["n"]) for c in v["cohorts"]] == [("A", 30), ("B", 30), ("C", 30)] and v["pooled"]["auc"]["prediction_low"] < v["pooled"]["auc"]["low"]'

case_begin "a feature that is not there is an error, the mean, or an alternative"
run "$PARE" validate model.json lacks.csv --drop study
expect_error 1 'the model needs the column "g10", which "lacks.csv" does not have; --absent mean or alternative puts something in its place'
run_ok "mean" "$PARE" validate model.json lacks.csv --drop study --absent mean -o v.json
expect_stderr_contains '"lacks.csv" lacks "g10": the mean of the training samples'
check "absent" look v.json 'v["cohorts"][0]["absent"] == ["g10"] and v["cohorts"][0]["replaced"] == [{"name": "g10", "by": None}]'
run_ok "alternative" "$PARE" validate model.json lacks.csv --drop study --absent alternative -o w.json
expect_stderr_contains '"g1" stands in for it (correlation 0.9'
check "by" look w.json 'v["cohorts"][0]["replaced"] == [{"name": "g10", "by": "g1"}]'
check "an alternative is better than the mean" python3 -c '
import json
mean, other = (json.load(open(f))["cohorts"][0]["metrics"]["auc"]["value"] for f in ("v.json", "w.json"))
assert other > mean, (mean, other)'
"$PARE" fit train.csv -m svm --only g2,g10 --drop study -o bare.json >fit.txt 2>&1
run "$PARE" validate bare.json lacks.csv --drop study --absent alternative
expect_error 2 '--absent alternative: the model keeps none; fit it again with --alternatives'

case_begin "recalibration: a model that says so, calibrated on its samples, with the same outputs and certificate"
run_ok "slope" "$PARE" validate model.json one.csv --drop study --recalibrate slope --model-out again.json
check "named" look again.json 'v["recalibration"]["kind"] == "slope" and len(v["recalibration"]["data"]) == 64'
run_ok "again" "$PARE" validate again.json one.csv --drop study -o v.json
check "calibrated" look v.json 'abs(v["cohorts"][0]["calibration"]["slope"]["value"] - 1) < 1e-9 and abs(v["cohorts"][0]["calibration"]["intercept"]["value"]) < 1e-9'
"$PARE" predict model.json two.csv --drop study >before.tsv 2>/dev/null
"$PARE" predict again.json two.csv --drop study >after.tsv 2>/dev/null
expect_same_bytes before.tsv after.tsv
"$PARE" predict model.json two.csv --drop study --probability >before.tsv 2>/dev/null
"$PARE" predict again.json two.csv --drop study --probability >after.tsv 2>/dev/null
check "probabilities are others" test "$(cmp before.tsv after.tsv)"
run_ok "check" "$PARE" check again.json train.csv --drop study --cost costs.txt
run_ok "against" "$PARE" validate model.json one.csv --drop study --against again.json -o v.json
check "paired" look v.json 'v["cohorts"][0]["difference"]["auc"] == {"value": 0.0, "low": None, "high": None} and v["cohorts"][0]["difference"]["brier"]["value"] > 0'
awk '/^```python$/{on=1; next} /^```$/{on=0} on' "$ROOT/docs/model-file.md" >reader.py
check "the reader of docs/model-file.md" python3 - <<'PY'
import csv, json
import reader
model = json.load(open("again.json"))
shown = list(csv.reader(open("after.tsv"), delimiter="\t"))[1:]
for row, (_, _, *p) in zip(csv.DictReader(open("two.csv")), shown, strict=True):
    own = reader.probabilities(model, reader.scores(model, row))
    assert all(abs(a - float(b)) < 1e-12 for a, b in zip(own, p)), (own, p)
PY

case_begin "decisions of the model's cut and of another, and another prevalence"
run_ok "cut" "$PARE" validate model.json one.csv --drop study --cut 0.3 --prevalence 0.05 -o v.json
check "tables" look v.json '[c["cut"] for c in v["cohorts"][0]["confusion"]] == [None, 0.3] and sum(map(sum, v["cohorts"][0]["confusion"][1]["counts"])) == 90'
check "prevalence" look v.json 'abs(v["cohorts"][0]["decision"][9]["treat_all"] - (0.05 - 0.95 * 0.1 / 0.9)) < 1e-12'

case_begin "a model without probabilities says what gives them"
run_ok "plain" "$PARE" validate plain.json one.csv --drop study -o v.json
expect_stderr_contains "calibration and net benefit need probabilities, which the model does not have: fit it again with --probability"
check "null" look v.json 'v["cohorts"][0]["calibration"] is None and v["cohorts"][0]["decision"] is None'
for option in '--cut 0.5' '--prevalence 0.5'; do
    # shellcheck disable=SC2086
    run "$PARE" validate plain.json one.csv --drop study $option
    expect_error 2 "needs probabilities, which the model does not have: fit it again with --probability"
done
run "$PARE" validate plain.json one.csv --drop study --recalibrate slope --model-out no.json
expect_error 2 "the model has no probabilities; fit it again with --probability"
expect_no_file no.json

case_begin "one class, other units, other words"
run_ok "one class" "$PARE" validate model.json yes.csv --drop study -o v.json
expect_stderr_contains 'of "yes.csv" are of class "yes": what compares classes is not defined there'
check "null" look v.json 'v["cohorts"][0]["metrics"]["auc"]["value"] is None and v["cohorts"][0]["calibration"]["slope"]["value"] is None and v["cohorts"][0]["metrics"]["accuracy"]["value"] > 0'
run_ok "units" "$PARE" validate model.json units.csv --drop study
expect_stderr_contains 'times larger in "units.csv" than in the training samples'
run "$PARE" validate model.json case.csv --drop study
expect_error 1 'which is no class of the model: write it as the model does, "'
run_ok "case" "$PARE" validate model.json case.csv --drop study --merge-case
run "$PARE" validate model.json one.csv words.csv --drop study
expect_error 1 'words.csv: the target of sample s'
expect_stderr_contains 'which is no class of the model ("no", "yes")'
run "$PARE" validate model.json gap.csv --drop study
expect_error 1 'missing'

case_begin "survival: events, the slope of Cox's model, and decisions at a time"
awk 'BEGIN { srand(4); print "a,b,c,time,event"; for (i = 0; i < 80; i++) { a = rand(); print a "," rand() "," rand() "," (1.2 - a) * (0.2 + rand()) "," (rand() < 0.7) } }' >times.csv
run_ok "fit" "$PARE" fit times.csv -m cox --time time --event event -o cox.json
run_ok "validate" "$PARE" validate cox.json times.csv --time time --event event --at 0.4 -o v.json
check "observed as expected" look v.json 'abs(v["cohorts"][0]["calibration"]["observed_expected"]["value"] - 1) < 1e-9 and len(v["cohorts"][0]["decision"]) == 99'
run_ok "recalibrate" "$PARE" validate cox.json times.csv --time time --event event --recalibrate slope --model-out again.json
run_ok "again" "$PARE" validate again.json times.csv --time time --event event -o v.json
check "calibrated" look v.json 'abs(v["cohorts"][0]["calibration"]["slope"]["value"] - 1) < 1e-9'
"$PARE" predict cox.json times.csv >before.tsv 2>/dev/null
"$PARE" predict again.json times.csv >after.tsv 2>/dev/null
expect_same_bytes before.tsv after.tsv
"$PARE" predict cox.json times.csv --times 0.4 >before.tsv 2>/dev/null
"$PARE" predict again.json times.csv --times 0.4 >after.tsv 2>/dev/null
check "curves are others" test "$(cmp before.tsv after.tsv)"

case_begin "several classes have a calibration each, ranking and values what they can"
awk 'BEGIN { srand(5); print "a,b,c,class,value"; for (i = 0; i < 90; i++) { a = rand(); b = rand(); print a "," b "," rand() "," (a + 0.4 * rand() > 0.8 ? "up" : b > 0.5 ? "mid" : "low") "," a - b + 0.3 * rand() } }' >many.csv
run_ok "fit" "$PARE" fit many.csv --drop value --target class -m logistic -o many.json
run_ok "validate" "$PARE" validate many.json many.csv --drop value --target class -o v.json
check "arrays" look v.json 'len(v["cohorts"][0]["calibration"]["slope"]) == 3 and len(v["cohorts"][0]["decision"]) == 3'
run_ok "fit" "$PARE" fit many.csv --drop class --target value -m lasso --lambda-ratio 0.2 -o values.json
run_ok "validate" "$PARE" validate values.json many.csv --drop class --target value -o v.json
check "slope" look v.json 'v["cohorts"][0]["calibration"]["slope"]["value"] > 1 and v["cohorts"][0]["calibration"]["observed_expected"]["value"] is None'
run "$PARE" validate values.json many.csv --drop class --target value --recalibrate slope --model-out no.json
expect_error 2 "models of two classes and of survival can be recalibrated, this one is of task regression"
run_ok "fit" "$PARE" fit one.csv --drop study --task rank -m rank-svm -o rank.json
run_ok "validate" "$PARE" validate rank.json two.csv --drop study -o v.json
check "null" look v.json 'v["cohorts"][0]["calibration"] is None'

case_begin "errors name the option"
run "$PARE" validate model.json one.csv --drop study --recalibrate slope
expect_error 2 "--recalibrate makes a new model: name its file with --model-out"
run "$PARE" validate model.json one.csv two.csv --drop study --recalibrate slope --model-out no.json
expect_error 2 "--recalibrate goes by one data set; 2 were given"
run "$PARE" validate model.json one.csv --drop study --at 3
expect_error 2 "--at is for models of survival, this one is of task binary"
run "$PARE" validate model.json one.csv --drop study --cut 1.5
expect_error 2 "--cut: 1.5 is not allowed; it is between 0 and 1"
run "$PARE" validate model.json one.csv two.csv --cohort study
expect_error 2 "--cohort parts one data set; 2 were given, which are a cohort each"
run "$PARE" validate model.json one.csv --drop study --against many.json
expect_error 2 "--against: the models are of different outcomes"
run "$PARE" validate model.json one.csv --drop study -o one.csv
expect_error 2 "one.csv is read here and cannot be written as well"

case_begin "for people"
run_ok "text" "$PARE" validate model.json one.csv two.csv --drop study --as text
expect_stdout_contains 'one.csv: 90 samples'
expect_stdout_contains 'Calibration; perfect is intercept 0, slope 1'

case_begin "the report is one page that runs, whatever the names are"
awk -F, -v OFS=, 'NR == 1 { $2 = "</script><b>"; print; next } { print }' train.csv >odd.csv
awk -F, -v OFS=, 'NR == 1 { $2 = "</script><b>"; print; next } { print }' one.csv >'odd<i>.csv'
run_ok "fit" "$PARE" fit odd.csv -m logistic --drop study -o odd.json
run_ok "report" "$PARE" validate odd.json 'odd<i>.csv' two.csv --absent mean --drop study --cut 0.4 --report page.html
check "names are no markup" test "$(grep -c '<b>\|<i>' page.html)" -eq 0
check "names its command" grep -q "pare validate odd.json 'odd\\\\u003ci>.csv' two.csv --absent mean" page.html
run_ok "report" "$PARE" validate cox.json times.csv --time time --event event --at 0.4 --report survival.html
run_ok "report" "$PARE" validate values.json many.csv --drop class --target value --report values.html
run_ok "report" "$PARE" validate many.json many.csv --drop value --target class --report many.html
run_ok "report" "$PARE" validate plain.json yes.csv --drop study --report yes.html
if command -v node >/dev/null; then
    for page in page survival values many yes; do
        run_ok "the script of $page.html runs" node "$ROOT/tests/cli/validation_page.mjs" $page.html
        expect_stdout_contains "What a reader will ask"
    done
fi

case_begin "R's glm has the same intercept and slope"
if command -v Rscript >/dev/null; then
    "$PARE" predict model.json one.csv --drop study --probability >p.tsv 2>/dev/null
    "$PARE" validate model.json one.csv --drop study >v.tsv 2>/dev/null
    run_ok "glm" Rscript -e '
p <- read.delim("p.tsv", check.names = FALSE); d <- read.csv("one.csv"); v <- read.delim("v.tsv")
y <- d$class == "yes"; z <- qlogis(p[["p(yes)"]]); tight <- glm.control(epsilon = 1e-14)
m0 <- glm(y ~ 1 + offset(z), family = binomial, control = tight); m1 <- glm(y ~ z, family = binomial, control = tight)
own <- function(name) as.numeric(v[v$metric == name, c("value", "low", "high")])
stopifnot(all.equal(own("calibration_intercept"), as.numeric(c(coef(m0), confint.default(m0))), tolerance = 1e-8),
          all.equal(own("calibration_slope"), as.numeric(c(coef(m1)[2], confint.default(m1)[2, ])), tolerance = 1e-8),
          all.equal(own("observed_expected")[1], sum(y) / sum(plogis(z)), tolerance = 1e-12))'
else
    check "R is not installed: nothing to compare with" true
fi
