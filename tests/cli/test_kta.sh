#!/usr/bin/env bash
# kta through the command line: its life, its path along p, its errors.
. "$(dirname "$0")/harness.sh"

"$PARE" demo -o toy.csv >/dev/null 2>&1

case_begin "a kernel model is fitted, checked and predicts by name"
run_ok "fit" "$PARE" fit toy.csv -m kta --p 1.1 -o model.json
expect_stdout_contains "selection certificate	kkt"
run_ok "check" "$PARE" check model.json toy.csv
run_ok "predict" "$PARE" predict model.json toy.csv

case_begin "a model without the weights it stands on is refused"
sed 's/"z": *\[[^]]*\]/"z": null/' model.json >bare.json
run "$PARE" check bare.json toy.csv
expect_exit 1
expect_stderr_contains "selecting columns"
sed 's/"combine": *"sum"/"combine": "product"/' model.json >product.json
run "$PARE" check product.json toy.csv
expect_exit 1
expect_stderr_contains '"kernel"'

case_begin "no two outputs in one file, and none left by a path that fails"
run "$PARE" path toy.csv -m kta --folds 3 --inner 0 -o both.json --report both.json
expect_exit 2
check "a file is left behind" test ! -e both.json
run "$PARE" path toy.csv -m kta --folds 3 --inner 0 --p 1.8 -o first.json --report nowhere/second.html
expect_exit 1
check "a file is left behind" test ! -e first.json

case_begin "the path goes along p"
run_ok "path" "$PARE" path toy.csv -m kta --folds 3 --inner 0 --p 1.5 --p-step 0.1 --json
expect_stdout_contains '"p":1.5'
expect_stdout_contains '"p":1.8'

case_begin "uniform weights are certified"
run_ok "fit" "$PARE" fit toy.csv -m uniform
expect_stdout_contains "certificate	duality_gap"

case_begin "rivals are fitted, checked and predict by name"
for method in kta-centered bahsic l1-svm-path; do
    run_ok "fit $method" "$PARE" fit toy.csv -m "$method" -k 4 -o rival.json
    run_ok "check $method" "$PARE" check rival.json toy.csv
    run_ok "predict $method" "$PARE" predict rival.json toy.csv
done

case_begin "weights are written at every point, and nested"
run_ok "path" "$PARE" path toy.csv -m kta --folds 3 --inner 0 --p 1.2 --p-step 0.2 --weights-out weights.tsv
check "header: $(head -1 weights.tsv)" test "$(head -1 weights.tsv)" = "$(printf 'p\tname\tindex\tweight')"
before=0
for p in 1.2 1.4 1.6 1.8 2; do
    count=$(awk -v p="$p" '$1 == p' weights.tsv | wc -l)
    check "$p: $count features after $before" test "$count" -ge "$before"
    before=$count
done
run_ok "fit" "$PARE" fit toy.csv -m kta --p 1.4 --weights-out one.tsv
check "fit and path differ at p = 1.4" diff <(awk '$1 == 1.4' weights.tsv) <(tail -n +2 one.tsv)
run "$PARE" fit toy.csv -m svm --weights-out no.tsv
expect_exit 2
run "$PARE" path toy.csv -m svm --folds 3 --weights-out no.tsv
check "a path over sizes has weights" test "$run_code" -ne 0
check "a file is left behind" test ! -e no.tsv

case_begin "C and both lambdas are tuned together"
run_ok "tune" "$PARE" path toy.csv -m kta --folds 3 --tune --p-step 0.25 --json
expect_stdout_contains '"tuned":"C_ratio lambda2_ratio lambda1_ratio"'
run_ok "grid" "$PARE" path toy.csv -m kta --folds 3 --tune --grid "gamma auto 0.5, C_ratio 1 5" --p-step 0.5 --json
expect_stdout_contains '"tuned":"gamma C_ratio"'
run "$PARE" path toy.csv -m kta --folds 3 --tune --grid "nothing 1 2"
check "an unknown setting: exit $run_code" test "$run_code" -ne 0
run "$PARE" path toy.csv -m kta --folds 3 --grid "C_ratio 1 2"
check "a grid without tuning: exit $run_code" test "$run_code" -ne 0

case_begin "the path over lambda is written"
run_ok "fit" "$PARE" fit toy.csv -m l1-svm-path --lambda-path path.tsv
check "breakpoints: $(wc -l <path.tsv)" test "$(wc -l <path.tsv)" -gt 5
run_ok "path" "$PARE" path toy.csv -m l1-svm-path --folds 3 --lambda-count 8 --json
expect_stdout_contains '"lambda_ratio":0.01'

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

case_begin "bahsic eliminates one at a time below 1,000 features, and only whole counts"
run_ok "auto" "$PARE" fit toy.csv -m bahsic -k 3 --ranking auto.tsv
run_ok "one at a time" "$PARE" fit toy.csv -m bahsic -k 3 --step 1 --ranking one.tsv
check "auto is not one at a time" cmp -s auto.tsv one.tsv
run "$PARE" fit toy.csv -m bahsic -k 3 --step 1.5
expect_exit 2
expect_stderr_contains "1.5 features cannot be eliminated at a time"
