#!/usr/bin/env bash
# lasso and logistic through the command line.
. "$(dirname "$0")/harness.sh"

# 40 samples, 60 features, of which three count; the noise does not change from run to run.
awk 'BEGIN {
    for (j = 1; j <= 60; j++) printf "x%d,", j
    print "y"
    for (i = 1; i <= 40; i++) {
        for (j = 1; j <= 60; j++) { x[j] = sin(i * (j * 1.37 + 2.1) + j * j); printf "%.9g,", x[j] }
        printf "%.9g\n", 2 * x[1] - x[5] + 0.5 * x[9] + 0.1 * sin(37 * i)
    }
}' >values.csv
awk -F, 'NR == 1 { print; next } { $NF = $NF > 0 ? "up" : "down"; OFS = ","; print }' OFS=, values.csv >two.csv
awk -F, 'NR == 1 { print; next } { $NF = $NF > 0.7 ? "high" : $NF > -0.7 ? "mid" : "low"; print }' OFS=, \
    values.csv >three.csv

case_begin "each fits, predicts and is checked"
for fit in "values.csv -m lasso" "values.csv -m lasso --alpha 0.4 -k 7" "values.csv -m lasso --alpha 0" \
    "two.csv -m logistic" "two.csv -m logistic -k 3 --no-intercept" "three.csv -m logistic --penalty rows -k 4" \
    "values.csv -m lasso --adaptive" "values.csv -m lasso --adaptive -k 3 --lambda-path path.tsv" \
    "three.csv -m logistic --adaptive --adaptive-gamma 0.5 --adaptive-ridge 3" \
    "three.csv -m logistic --alpha 0.5 --class-weight balanced"; do
    # shellcheck disable=SC2086
    run_ok "fit $fit" "$PARE" fit $fit -o model.json
    expect_stdout_contains $'# outcome\toptimal'
    # shellcheck disable=SC2086
    run_ok "predict $fit" "$PARE" predict model.json ${fit%% *}
    check "not 41 lines" test "$(wc -l <<<"$run_out")" -eq 41
    # shellcheck disable=SC2086
    run_ok "check $fit" "$PARE" check model.json ${fit%% *}
    expect_stdout_contains "hold"
done

case_begin "k features are k features"
for k in 1 2 3 8; do
    run_ok "lasso $k" "$PARE" fit values.csv -m lasso -k "$k"
    expect_stdout_contains $'# selected\t'"$k"
done

case_begin "the path falls in lambda, the loss with it, and every gap is small"
for fit in "values.csv -m lasso" "two.csv -m logistic" "three.csv -m logistic --penalty rows"; do
    # shellcheck disable=SC2086
    run_ok "sweep $fit" "$PARE" fit $fit --lambda-path path.tsv --lambda-count 30
    check "31 lines" test "$(wc -l <path.tsv)" -ge 31
    check "order" awk 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        NR > 2 && ($1 >= lambda || $at["loss"] > loss * (1 + 1e-9)) { exit 1 }
        $at["gap"] > 1e-6 * $at["objective"] { exit 1 }
        { lambda = $1; loss = $at["loss"] }' path.tsv
done

case_begin "groups enter together"
awk 'BEGIN { for (j = 1; j <= 60; j++) printf "x%d\tg%d\n", j, (j - 1) % 12 }' >groups.tsv
run_ok "groups" "$PARE" fit values.csv -m lasso --groups groups.tsv --lambda-ratio 0.5 -o model.json
check "whole groups" awk '!/^#/ && $1 != "rank" { n++ } END { exit n % 5 != 0 || n == 0 }' <<<"$run_out"
run_ok "check" "$PARE" check model.json values.csv --groups groups.tsv
expect_stdout_contains "hold"

case_begin "a constant target and separated classes end with a sentence"
awk -F, 'NR > 1 { $NF = 3 } { print }' OFS=, values.csv >flat.csv
run "$PARE" fit flat.csv -m lasso
expect_error 1 'the target is 3 in all 40 samples' 'nothing to predict'
run_ok "separated" "$PARE" fit two.csv -m logistic --lambda 1e-300
expect_stdout_contains 'too small'
run_ok "to the end" "$PARE" fit two.csv -m logistic --lambda-path path.tsv --lambda-least 1e-12
expect_stdout_contains 'the path ended at lambda'
run "$PARE" fit two.csv -m logistic --lambda 0
expect_error 2 '--lambda' '"0"'
run "$PARE" fit two.csv -m logistic --alpha 1.5
expect_error 2 '--alpha' '"1.5"'
run "$PARE" fit two.csv -m logistic --adaptive --adaptive-gamma 0
expect_error 2 '--adaptive-gamma' '"0"'

case_begin "pare path goes along lambda, groups included, and tunes alpha inside the folds"
for fit in "values.csv -m lasso" "three.csv -m logistic --penalty rows" "values.csv -m lasso --groups groups.tsv" \
    "values.csv -m lasso --tune" "three.csv -m logistic --adaptive"; do
    # shellcheck disable=SC2086
    run_ok "path $fit" "$PARE" path $fit --folds 4 --lambda-count 12 --json
    expect_stdout_contains '"lambda_ratio"'
done
run_ok "sizes" "$PARE" path values.csv -m lasso --folds 4 --sizes 1,3,5
expect_stdout_contains $'lasso\t5'

case_begin "sbmlr needs no lambda, is stationary, and dies in noise"
for fit in "two.csv -m sbmlr" "three.csv -m sbmlr --no-intercept" "three.csv -m sbmlr -k 2"; do
    # shellcheck disable=SC2086
    run_ok "fit $fit" "$PARE" fit $fit -o model.json
    expect_stdout_contains $'# outcome\tstationary'
    # shellcheck disable=SC2086
    run_ok "check $fit" "$PARE" check model.json ${fit%% *}
    expect_stdout_contains "hold"
done
awk -F, 'NR > 1 { $NF = NR % 2 ? "a" : "b" } { print $1, $2, $3, $NF }' OFS=, two.csv >noise.csv
run_ok "noise" "$PARE" fit noise.csv -m sbmlr
expect_stdout_contains 'all coefficients were eliminated'

case_begin "an offset is part of what is fitted, predicted and checked"
awk -F, 'NR == 1 { $NF = "id,off,y" } NR > 1 { o = 3 * cos(NR); $NF = "s" NR "," o "," $NF + o } { print }' OFS=, values.csv >off.csv
awk -F, 'NR == 1 { $NF = "id,off,class" } NR > 1 { $NF = "s" NR "," 3 * cos(NR) "," $NF }
    { print }' OFS=, two.csv >off2.csv
awk -F, -v OFS='\t' '{ print $61, $62 }' off.csv >table.tsv
awk -F, 'NR > 1 { print $62 }' off.csv >off.txt
run_ok "plain" "$PARE" fit values.csv -m lasso -k 3
plain=$(grep -v '^#' <<<"$run_out" | cut -f2,5)
for from in off off.txt table.tsv:off; do
    drop=$([ "$from" = off ] || echo "--drop off")
    # shellcheck disable=SC2086
    run_ok "fit $from" "$PARE" fit off.csv --id id -m lasso -k 3 --offset $from $drop -o model.json
    check "not the fit to target - offset" test "$(grep -v '^#' <<<"$run_out" | cut -f2)" = "$(cut -f1 <<<"$plain")"
    check "no field" grep -q '"offset": true' model.json
    # shellcheck disable=SC2086
    run_ok "check $from" "$PARE" check model.json off.csv --id id --offset $from $drop
    expect_stdout_contains "hold"
done
run_ok "predict" "$PARE" predict model.json off.csv --offset off --score --target y --json
expect_stdout_contains '"r2":0.9'
run "$PARE" predict model.json off.csv
expect_error 2 'the model was fitted beside an offset' '--offset'
run_ok "without" "$PARE" fit values.csv -m lasso -k 3 -o plain.json
run "$PARE" predict plain.json off.csv --offset off
expect_error 2 '--offset' 'fitted without one'
run "$PARE" fit off2.csv --id id -m svm --offset off
expect_error 2 '--offset' 'svm does not' 'lasso'
run "$PARE" path off2.csv --id id -m logistic,svm --offset off
expect_error 2 '--offset' 'svm does not'
awk -F, 'NR > 1 { $NF = NR % 3 } { print }' OFS=, off2.csv >off3.csv
run "$PARE" fit off3.csv --id id -m logistic --offset off
expect_error 2 '--offset' 'several classes'
run "$PARE" fit off.csv --id id -m lasso --offset nowhere
expect_error 1 'offsets "nowhere"'
for m in logistic sbmlr; do
    run_ok "$m" "$PARE" fit off2.csv --id id -m $m --offset off -o model.json
    run_ok "check $m" "$PARE" check model.json off2.csv --id id --offset off
    expect_stdout_contains "hold"
done
# What is scored in a fold is the fit and the offset: the errors are those of target - offset.
mae() { sed 's/.*"mean_absolute_error": *{"mean": *\([^,]*\).*/\1/;q' <<<"${1#*\"points\"}"; }
for sizes in "" "--sizes 2"; do
    # shellcheck disable=SC2086
    run_ok "path" "$PARE" path values.csv -m lasso --folds 4 --lambda-count 5 $sizes --json
    own=$(mae "$run_out")
    # shellcheck disable=SC2086
    run_ok "path" "$PARE" path off.csv --id id -m lasso --folds 4 --lambda-count 5 --offset off $sizes --json
    check "errors $own and $(mae "$run_out")" awk -v a="$own" -v b="$(mae "$run_out")" \
        'BEGIN { exit !(a > 0 && (a - b) ^ 2 < 1e-8 * a * a) }'
done

case_begin "refit relaxed: least squares, or a small ridge, on what was chosen"
for fit in "values.csv -m lasso -k 3" "values.csv -m lasso --lambda 1e9" "two.csv -m logistic -k 3" \
    "three.csv -m logistic --class-weight balanced" "off.csv --id id --offset off -m lasso -k 3"; do
    # shellcheck disable=SC2086
    run_ok "fit $fit" "$PARE" fit $fit --refit relaxed -o model.json
    case $fit in *lasso*) word=computed ;; *) word=optimal ;; esac
    expect_stdout_contains $'# outcome\t'$word
    read -r data rest <<<"${fit/-m*/}"
    # shellcheck disable=SC2086
    run_ok "check $fit" "$PARE" check model.json $data $rest
    expect_stdout_contains "hold"
done
run_ok "own" "$PARE" fit values.csv -m lasso -k 3 --refit none
shrunk=$(awk '$2 == "x1" { print $5 }' <<<"$run_out")
run_ok "relaxed" "$PARE" fit values.csv -m lasso -k 3 --refit relaxed -o model.json
check "2 is nearer" awk -v a="$shrunk" 'function abs(x) { return x < 0 ? -x : x }
    $2 == "x1" { found = abs($5 - 2) < 0.05 && abs($5 - 2) < abs(a - 2) } END { exit !found }' <<<"$run_out"
run_ok "path" "$PARE" path values.csv -m lasso --refit relaxed --folds 4
run "$PARE" fit two.csv -m svm --refit relaxed
expect_error 2 '--refit' 'relaxed is for' 'lasso'

case_begin "logistic with k, and at the sizes of a path, is relaxed; without k, along lambda, and lasso are their own"
for data in two.csv three.csv; do
    for refit in auto relaxed none; do
        run_ok "fit" "$PARE" fit $data -m logistic -k 4 --refit $refit -o $refit.json
        run_ok "path" "$PARE" path $data -m logistic --sizes 2,4 --folds 4 --refit $refit -o path-$refit.json
        run_ok "check" "$PARE" check $refit.json $data
        expect_stdout_contains "hold"
        run_ok "fit" "$PARE" fit $data -m logistic --lambda-ratio 0.2 --refit $refit -o own-$refit.json
    done
    run_ok "lasso" "$PARE" fit values.csv -m lasso -k 4 -o lasso-auto.json
    run_ok "lasso" "$PARE" fit values.csv -m lasso -k 4 --refit none -o lasso-none.json
    check "another predictor" python3 - <<'PY'
import json
of = lambda name: json.load(open(name + ".json"))
parts = lambda m: (m["outputs"], m["objective"], m["certificate"], m["selection"], m["dual"])
scores = lambda p: [[q["metrics"][m]["folds"] for m in ("auc", "log_loss")] for q in p["runs"][0]["points"]]
auto, relaxed, none = (of(name) for name in ("auto", "relaxed", "none"))
assert parts(auto) == parts(relaxed) and auto["outputs"] != none["outputs"]
assert auto["selection"]["certificate"]["kind"] == auto["certificate"]["kind"] == "duality_gap" and none["selection"] is None
assert max(auto[p]["relative"] if p == "certificate" else auto[p]["certificate"]["relative"] for p in ("certificate", "selection")) < 1e-5
assert sum(abs(c) for o in auto["outputs"] for c in o["coef"]) > 2 * sum(abs(c) for o in none["outputs"] for c in o["coef"])
assert scores(of("path-auto")) == scores(of("path-relaxed")) != scores(of("path-none"))
assert of("own-auto")["outputs"] == of("own-none")["outputs"] != of("own-relaxed")["outputs"]
assert of("lasso-auto")["outputs"] == of("lasso-none")["outputs"]
PY
done
# what the file says of the refit is held against the data
python3 - <<'PY'
import json
m = json.load(open("auto.json"))
m["outputs"][0]["coef"][0] *= 1.01
json.dump(m, open("other.json", "w"))
PY
run "$PARE" check other.json three.csv
expect_exit 1

case_begin "deviance and degrees of freedom stand behind the path's other columns"
run_ok "columns" "$PARE" fit three.csv -m logistic --lambda-path path.tsv --lambda-count 5
check "header" test "$(head -1 path.tsv)" = $'lambda\tobjective\tloss\tpenalty\tgap\tn_features\tdeviance\tdf'
check "deviance is twice the loss of 40 samples, df at least n_features" awk 'NR > 1 {
    off = $7 - 80 * $3; if (off * off > 1e-12 || $8 < $6) exit 1 }' path.tsv

case_begin "what is wrong with the data is said, or does no harm"
awk -F, 'NR > 1 { $NF = "up" } { print }' OFS=, two.csv >one.csv
awk -F, 'NR > 1 { $NF = NR == 2 ? "up" : "down" } { print }' OFS=, two.csv >single.csv
awk -F, '{ print $1, $1, $2, NR == 1 ? "z" : $1 + $2, $0 }' OFS=, values.csv |
    sed '1s/.*/a,b,c,z,&/; 1s/x1,x1,x2,z,//' >twins.csv
awk -F, 'NR == 1 { $NF = "w,y" } NR > 1 { $NF = (NR % 4 > 0) "," $NF } { print }' OFS=, values.csv >weighted.csv
awk -F, 'NR == 1 || $61 == 1 { $61 = ""; print }' OFS=, weighted.csv | sed 's/,,/,/' >present.csv
for method in logistic sbmlr; do
    run "$PARE" fit one.csv -m $method
    expect_error 1 'class'
    run_ok "$method, a class of one sample" "$PARE" fit single.csv -m $method -o model.json
    run_ok "check $method" "$PARE" check model.json single.csv
    expect_stdout_contains "hold"
done
for fit in "twins.csv -m lasso" "twins.csv -m lasso --alpha 0.5" "twins.csv -m lasso --refit relaxed" \
    "twins.csv -m lasso --lambda 1e-9"; do
    # shellcheck disable=SC2086
    run_ok "fit $fit" "$PARE" fit $fit -o model.json
    case $fit in *relaxed*) word=computed ;; *) word=optimal ;; esac
    expect_stdout_contains $'# outcome\t'$word
    run_ok "check $fit" "$PARE" check model.json twins.csv
    expect_stdout_contains "hold"
done
run_ok "weights of 0" "$PARE" fit weighted.csv -m lasso --weights w
with=$(grep -v '^#' <<<"$run_out")
run_ok "without them" "$PARE" fit present.csv -m lasso
check "a sample of weight 0 counts" test "$with" = "$(grep -v '^#' <<<"$run_out")"
awk -F, 'NR > 1 { $61 = 0 } { print }' OFS=, weighted.csv >none.csv
run "$PARE" fit none.csv -m lasso --weights w
expect_error 1 'all sample weights are 0'

case_begin "a ridge on wide data is solved over the samples"
awk -F, 'NR > 1 { printf "%s", $NF; for (j = 1; j < NF; j++) if (($j > 0.5) + ($j < -0.5)) printf " %d:%s", j, $j; print "" }' \
    three.csv | sed 's/^high/2/; s/^mid/1/; s/^low/0/' >three.svm
for fit in "three.csv -m logistic" "three.csv -m logistic --penalty rows --no-intercept" "three.svm -m logistic" \
    "values.csv -m lasso --scale none" "off.csv --id id --offset off -m lasso" "weighted.csv --weights w -m lasso"; do
    # shellcheck disable=SC2086
    run_ok "fit $fit" "$PARE" fit $fit --alpha 0 -o model.json
    expect_stdout_contains $'# outcome\toptimal'
    expect_stdout_contains $'# selected\t60'
    read -r data rest <<<"${fit/-m*/}"
    # shellcheck disable=SC2086
    run_ok "check $fit" "$PARE" check model.json $data $rest
    expect_stdout_contains "hold"
done
