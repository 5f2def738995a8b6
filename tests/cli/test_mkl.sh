#!/usr/bin/env bash
# smo-mkl, lp-mkl and l1-mkl-path through the command line: their life, paths and errors.
. "$(dirname "$0")/harness.sh"

"$PARE" demo -o toy.csv >/dev/null 2>&1

for method in smo-mkl lp-mkl l1-mkl-path; do
    case_begin "$method is fitted, checked and predicts by name"
    run_ok "fit" "$PARE" fit toy.csv -m $method -o model.json
    expect_stdout_contains "certificate	duality_gap"
    run_ok "check" "$PARE" check model.json toy.csv
    run_ok "predict" "$PARE" predict model.json toy.csv
    run_ok "linear" "$PARE" fit toy.csv -m $method --kernel linear -k 3 -o linear.json
    expect_stdout_contains "certificate	duality_gap"
    run_ok "check" "$PARE" check linear.json toy.csv

    case_begin "$method needs the intercept"
    run "$PARE" fit toy.csv -m $method --no-intercept
    expect_exit 2
    expect_stderr_contains "needs the intercept"
done

case_begin "a choice among more features has a certificate of its own"
run_ok "fit" "$PARE" fit toy.csv -m smo-mkl --p 2 -k 3
expect_stdout_contains "selection certificate	duality_gap"

case_begin "a changed weight is found out"
sed 's/"weight": *\[[0-9.e+-]*/"weight": [0.5/' model.json >other.json
check "nothing was changed" test "$(cmp -s model.json other.json; echo $?)" = 1
run "$PARE" check other.json toy.csv
expect_exit 1

case_begin "p must be above 1, and smo-mkl is for classes"
run "$PARE" fit toy.csv -m smo-mkl --p 1
expect_exit 2
expect_stderr_contains "p"
run "$PARE" fit toy.csv -m smo-mkl --task regress
expect_exit 2

case_begin "the paths go along p and lambda"
run_ok "path" "$PARE" path toy.csv -m smo-mkl --folds 3 --inner 0 --json
expect_stdout_contains '"p":1.01'
expect_stdout_contains '"p":2'
run_ok "path" "$PARE" path toy.csv -m l1-mkl-path --folds 3 --inner 0 --lambda-count 6 --json
expect_stdout_contains '"lambda_ratio":'

case_begin "the path of lp-mkl has junctures, unless they are not wanted"
run_ok "path" "$PARE" path toy.csv -m lp-mkl --folds 3 --inner 0 --p-step 0.25 --p 1.3 --eps 0.02 --json
expect_stdout_contains '"junctures":[{"index":'
run_ok "path" "$PARE" path toy.csv -m lp-mkl --folds 3 --inner 0 --p-step 0.25 --p 1.3 --eps 0.02
expect_stdout_contains "# juncture	x"
run_ok "path" "$PARE" path toy.csv -m lp-mkl --folds 3 --inner 0 --p-step 0.25 --no-junctures --json
check "they are there all the same" test -z "$(grep -o '"junctures":\[' <<<"$run_out")"

case_begin "weights below eps are left out, and the rest is solved again"
run_ok "fit" "$PARE" fit toy.csv -m lp-mkl --p 1.3 --eps 0.02 -o few.json
expect_stdout_contains "selection certificate	duality_gap"
run_ok "check" "$PARE" check few.json toy.csv
run_ok "fit" "$PARE" fit toy.csv -m lp-mkl --p 1.3 --eps 0.3
expect_stdout_contains "no weight is above --eps 0.3"

case_begin "every point of the path over lambda is written with its gap"
run_ok "fit" "$PARE" fit toy.csv -m l1-mkl-path --lambda-count 5 --lambda-path points.tsv --lambda-coef sizes.tsv
check "the header" grep -qx "lambda	objective	loss	penalty	gap	n_features" points.tsv
check "points" test "$(wc -l <points.tsv)" -ge 6
check "gaps" awk -F'\t' 'NR > 1 && !($5 <= 1e-6) { exit 1 }' points.tsv
check "the header" grep -qx "lambda	output	name	index	coef" sizes.tsv
check "an intercept for each" test "$(grep -c '(intercept)	-1' sizes.tsv)" = "$(($(wc -l <points.tsv) - 1))"
check "sizes, as many as features" awk -F'\t' 'NR == FNR { if (NR > 1) n += $6; next } FNR > 1 && $4 >= 0 { m++ }
    END { exit n != m }' points.tsv sizes.tsv

case_begin "probabilities sum to 1"
run_ok "fit" "$PARE" fit toy.csv -m l1-mkl-path -k 3 --probability -o model.json
run_ok "predict" "$PARE" predict model.json toy.csv --probability
expect_stdout_contains "p("
