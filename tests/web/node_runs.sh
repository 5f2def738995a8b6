#!/usr/bin/env bash
# Commands of the page's program, which `./dev web` builds, under node beside the native ones: the same text and files,
# numbers to the last digits (web/README.md says how many). Not in tests/web are the page (web/tests/page.mjs) and what
# can be seen without emscripten (tests/structure/web.sh).
. "$(dirname "${BASH_SOURCE[0]}")/../cli/harness.sh"
here=$ROOT/tests/web
WEB=${WEB:-$ROOT/build/web}
[[ -x $PARE ]] || PARE=$ROOT/build/release/pare
mkdir native web

# both INPUTS OUTPUTS ARGUMENT...: one command in both, which starts with these files and leaves those; what it prints
# is kept as the file stdout.
both() {
    local inputs=$1 outputs=$2 folder
    shift 2
    for folder in native web; do
        (cd "$folder" && rm -f stdout $outputs)
        [[ ! $inputs ]] || cp $inputs "$folder"
    done
    cd native && run_ok "native pare $*" "$PARE" "$@" && cp "$SCRATCH/.stdout" stdout
    cd ../web && run_ok "web pare $*" node "$here/run.mjs" "$WEB" "$inputs" "$outputs" "$@" && cp "$SCRATCH/.stdout" stdout
    cd ..
}

# expect_same TOLERANCE FILE [KEY...]: what both left is the same, but for the numbers of these keys.
expect_same() {
    local tolerance=$1 file=$2
    shift 2
    run node "$here/same.mjs" "web/$file" "native/$file" "$tolerance" "$@"
    check "$file: $run_err" test "$run_code" -eq 0
}

# expect_same_model: the features to the name, their weights and scores as far as the solvers go.
expect_same_model() {
    expect_same 1e-4 model.json iterations
    check "no features" grep -q '"name"' native/model.json
}

# 60 samples of 40 features, three classes and a value that hangs on the first three; two classes, and some with gaps.
awk 'BEGIN { srand(7); for (j = 0; j < 40; j++) printf "g%d,", j; print "value,class"
    for (i = 0; i < 60; i++) {
        sum = rand()
        for (j = 0; j < 40; j++) {
            x = sprintf("%.4f", 2 * (rand() + rand() + rand() - 1.5) + (j % 9 == 0) * (i % 3))
            if (j < 3) sum += x * (j + 1)
            printf "%s,", x
        }
        printf "%.4f,%s\n", sum, substr("abc", i % 3 + 1, 1)
    } }' >three.csv
awk -F, 'NR == 1 || $NF != "c"' three.csv >two.csv
awk -F, -v OFS=, 'NR % 7 == 3 { $4 = "" } { print }' two.csv >gaps.csv
classes=(--target class --drop value) values=(--target value --drop class)

case_begin "methods"
check "no $WEB/pare.wasm: ./dev web makes it" test -s "$WEB/pare.wasm"
both "" "" methods --json
expect_same 0 stdout
check "no method" grep -q svm-rfe native/stdout

case_begin "info"
both gaps.csv "" info gaps.csv --json
expect_same 1e-12 stdout

case_begin "convert"
both two.csv two.npy convert two.csv two.npy --drop class
expect_same_bytes web/two.npy native/two.npy

case_begin "fit, predict and check of an svm, and the native model there"
both two.csv model.json fit two.csv "${classes[@]}" -m svm -k 3 --probability -o model.json
expect_same_model
cp native/model.json model.json
both "model.json two.csv" "" predict model.json two.csv "${classes[@]}"
expect_same 1e-9 stdout
both "model.json two.csv" "" check model.json two.csv "${classes[@]}"
expect_same 1e-6 stdout

case_begin "its own model is certified by the native program"
both two.csv model.json fit two.csv "${classes[@]}" -m logistic -k 3 -o model.json
expect_same_model
run_ok "check" "$PARE" check web/model.json two.csv "${classes[@]}"

case_begin "fit of a linear program"
both two.csv model.json fit two.csv "${classes[@]}" -m l1-svm -k 4 -o model.json
expect_same_model

case_begin "fit of values, with missing ones"
both gaps.csv model.json fit gaps.csv "${values[@]}" -m lasso -k 3 --missing mean -o model.json
expect_same_model

case_begin "fit of kernels, three classes"
both three.csv model.json fit three.csv "${classes[@]}" -m smo-mkl -k 3 -o model.json
expect_same_model

case_begin "fit in single precision, of numbers in single precision"
run_ok "the data" node "$here/wide.mjs"
both "wide.npy labels.txt" model.json fit wide.npy --labels labels.txt -m svm-rfe -k 6 -o model.json
expect_same_model

case_begin "path of several methods, curves and what is chosen closer than weights"
both three.csv "path.json predictions.tsv" path three.csv "${classes[@]}" -m svm-rfe,t-test,l1-svm,kta --folds 4 \
    --sizes 1,2,5 --null 2 -o path.json --predictions predictions.tsv
expect_same 1e-9 path.json coef weight score correlation loss log_loss brier calibration probability
expect_same 1e-4 path.json
expect_same 1e-4 predictions.tsv
check "no curve" grep -q nested native/path.json

case_begin "an error is the same sentence"
run node "$here/run.mjs" "$WEB" two.csv "" fit two.csv -m nonsense
cp "$SCRATCH/.stderr" error
expect_exit 2
run "$PARE" fit two.csv -m nonsense
expect_same_bytes "$SCRATCH/.stderr" error

case_begin "files as other programs write them, by the page's own way"
run_ok "foreign files" node "$here/foreign.mjs" "$WEB"
