#!/usr/bin/env bash
# --device: without a driver, on a driver that runs the kernels on the processor (tests/fake_cuda/README.md), and with
# every way in which a GPU fails.
. "$(dirname "$0")/harness.sh"
fake=$BUILD/tests/fake_cuda

# table D: 48 samples of two classes and D features, three of which say something.
table() {
    awk -v d="$1" 'BEGIN {
    srand(3)
    for (j = 1; j <= d; j++) printf "f%d,", j
    print "class"
    for (i = 0; i < 48; i++) {
        for (j = 1; j <= d; j++) printf "%.6f,", rand() + (j < 4) * (i % 2) / 2
        print i % 2 ? "a" : "b"
    }
    }'
}
table 200 >data.csv
table 3000 >wide.csv

# cuda WORDS ARGUMENTS...: pare on a GPU with these faults.
cuda() {
    local words=$1
    shift
    run env LD_LIBRARY_PATH="$fake" PARE_FAKE_CUDA="$words" "$PARE" "$@"
}

case_begin "a device that is none is a usage error"
wrong 2 "--device" "gpu" "cpu cuda" -- fit data.csv -m svm --device gpu
wrong 2 "--device" -- predict data.csv data.csv --device cuda

if ! ldconfig -p 2>/dev/null | grep -q libcuda.so.1; then
    case_begin "without a driver the run fails in one line"
    run "$PARE" fit data.csv -m svm --target class --device cuda --quiet -o model.json
    expect_error 1 "--device cuda" "libcuda.so.1" "--device cpu"
    expect_no_file model.json
fi

case_begin "no GPU, an old one, an old driver and little memory are said in one line"
for fault in "no-device:no GPU" "old-device:8.0" "old-driver:11.0" "memory=5000:not enough memory"; do
    cuda "${fault%%:*}" fit data.csv -m svm --device cuda --quiet -o model.json
    expect_error 1 "--device cuda" "${fault#*:}"
    expect_no_file model.json
done

# A solver that starts from other last digits stops elsewhere within its tolerance.
case_begin "the same features and numbers as on the processor, and the same bytes on any threads"
for method in svm svm-rfe lasso l1-svm anova auto; do
    task=classify
    [[ $method != lasso ]] || task=regress
    data=data.csv
    [[ $method != lasso ]] || { sed '1!s/,a$/,1/; 1!s/,b$/,0/' data.csv >numbers.csv && data=numbers.csv; }
    run "$PARE" fit $data -m $method --task $task -k 5 -o cpu.json --quiet
    expect_exit 0
    for threads in 1 4; do
        cuda "" fit $data -m $method --task $task -k 5 --device cuda --threads $threads -o gpu$threads.json --quiet
        expect_exit 0
    done
    expect_same_bytes gpu1.json gpu4.json
    check "$method differs" python3 - <<'PY'
import json
a, b = json.load(open("cpu.json")), json.load(open("gpu1.json"))
assert [s["index"] for s in a["selected"]] == [s["index"] for s in b["selected"]]
assert all(abs(x - y) <= 1e-4 * max(1, abs(x)) for o, p in zip(a["outputs"], b["outputs"]) for x, y in zip(o["coef"], p["coef"]))
PY
    run "$PARE" check gpu1.json $data
    expect_exit 0
done

case_begin "a path is that of the processor, in blocks too, and does not name the device"
run "$PARE" path wide.csv -m anova,svm-rfe,auto --folds 3 --sizes 1,5 --json
cp .stdout cpu.json
for memory in 1000000000 1700000; do
    cuda memory=$memory path wide.csv -m anova,svm-rfe,auto --folds 3 --sizes 1,5 --json --device cuda --verbose
    expect_exit 0
    expect_stderr_contains "X is $(((memory > 2000000)) && echo in its memory || echo sent in blocks)"
    check "cuda is in the result" test "$(grep -c cuda .stdout)" -eq 0
    cp .stdout gpu.json
    json gpu.json "[p['mean'] for r in d['runs'] for p in r['points']] == [p['mean'] for r in json.load(open('cpu.json'))['runs'] for p in r['points']]"
done

case_begin "a GPU that is lost in the middle ends the run, with nothing half-written"
for launch in 1 2 5 9 14; do
    for threads in 1 4; do
        cuda launch=$launch path data.csv -m anova,svm-rfe --folds 3 --device cuda --threads $threads --quiet -o path.json --report page.html
        expect_error 1 "--device cuda" "CUDA_ERROR_LAUNCH_FAILED"
        expect_no_file path.json
        expect_no_file page.html
    done
done

case_begin "sparse data stay on the processor, which is said once, with the same bytes"
awk -F, 'NR > 1 { printf "%d", $NF == "a" ? 1 : 2; for (j = 1; j <= 6; j++) printf " %d:%s", 5 * j, $j; print "" }' data.csv >data.svm
run "$PARE" fit data.svm -m svm -o cpu.json --quiet
cuda "" fit data.svm -m svm -o gpu.json --device cuda
expect_exit 0
check "not said once" test "$(grep -c 'stored sparse' .stderr)" -eq 1
expect_same_bytes cpu.json gpu.json
