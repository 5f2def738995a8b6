#!/usr/bin/env bash
# kta through the command line: its life, its path along p, its errors.
. "$(dirname "$0")/harness.sh"

"$PARE" demo -o toy.csv >/dev/null 2>&1

case_begin "a kernel model is fitted, checked and predicts by name"
run_ok "fit" "$PARE" fit toy.csv -m kta --p 1.1 -o model.json
expect_stdout_contains "selection certificate	kkt"
run_ok "check" "$PARE" check model.json toy.csv
run_ok "predict" "$PARE" predict model.json toy.csv

case_begin "the path goes along p"
run_ok "path" "$PARE" path toy.csv -m kta --folds 3 --inner 0 --p 1.5 --p-step 0.1 --json
expect_stdout_contains '"p":1.5'
expect_stdout_contains '"p":1.8'

case_begin "uniform weights are certified"
run_ok "fit" "$PARE" fit toy.csv -m uniform
expect_stdout_contains "certificate	duality_gap"

case_begin "settings that have no solution are refused in one sentence"
for wrong in "--p 2.5" "--p 0.5" "--eps 0.4" "--gamma 0" "--gamma -1" "--kernel cubic"; do
    # shellcheck disable=SC2086
    run "$PARE" fit toy.csv -m kta $wrong
    expect_exit 2
    check "$wrong: not one line: $run_err" test "$(wc -l <"$SCRATCH/.stderr")" -eq 1
done
for wrong in "--lambda1 0 --lambda2 0" "--lambda1 0 --p 1" "--divergence kl --eta0 0" "--no-intercept"; do
    # shellcheck disable=SC2086
    run "$PARE" fit toy.csv -m kta $wrong
    check "$wrong: exit $run_code" test "$run_code" -ne 0
    check "$wrong: not one line: $run_err" test "$(wc -l <"$SCRATCH/.stderr")" -eq 1
done
