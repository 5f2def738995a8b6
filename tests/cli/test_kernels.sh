#!/usr/bin/env bash
# The same bytes under the same kernel of the linear algebra, which is shown, kept by shards and compared by merge.
. "$(dirname "$0")/harness.sh"

unset OPENBLAS_CORETYPE # the processor's own choice, but where a case says otherwise
kernel() { "$PARE" --version | sed -n 's/^BLAS kernel //p'; }
"$PARE" demo -o toy.csv >/dev/null 2>&1

case_begin "the kernel is printed, and no result has it"
own=$(kernel)
check "no kernel" test -n "$own" -a "$own" != unknown
run_ok "verbose" "$PARE" fit toy.csv -m svm -k 3 --verbose -o model.json
expect_stderr_contains "BLAS kernel $own"
check "a result names it" test -z "$(grep -w -- "$own" model.json)"

# What can be forced here: kernels of processors with AVX2, and one that all x86-64 processors run.
if ! grep -qw avx2 /proc/cpuinfo 2>/dev/null || [[ $(uname -m) != x86_64 ]]; then
    case_begin "no AVX2: kernels are not forced"
    check "skipped" true
    exit
fi

case_begin "a processor's own choice is overruled by OPENBLAS_CORETYPE"
for name in Haswell Nehalem; do
    check "$name is not taken" test "$(OPENBLAS_CORETYPE=$name kernel)" = "$name"
done

# wide NAME KERNEL...: everything that a path and a fit print and write under that kernel
awk 'BEGIN { srand(9); for (j = 0; j < 400; j++) printf "x%d,", j; print "class"
    for (i = 0; i < 50; i++) { for (j = 0; j < 400; j++) printf "%.5f,", rand() + (j < 5) * (i % 2) / 3; print i % 2 ? "a" : "b" } }' >wide.csv
results() {
    for method in l2-arom svm-rfe lda-forward dlsr; do "$PARE" fit wide.csv -m $method -k 20 --json --quiet --threads "$1"; done
    "$PARE" path wide.csv -m svm,corr --sizes 5,20 --folds 3 --inner 2 --json --quiet --threads "$1"
}
case_begin "two kernels round differently, a fixed one gives the same bytes"
OPENBLAS_CORETYPE=Haswell results 1 >haswell.json
OPENBLAS_CORETYPE=Nehalem results 1 >nehalem.json
OPENBLAS_CORETYPE=Haswell results 2 >again.json
check "the kernels do not differ: this test shows nothing" test -n "$(cmp haswell.json nehalem.json 2>&1)"
expect_same_bytes haswell.json again.json
check "more than rounding differs" python3 - <<'PY'
import re
a, b = (re.findall(r"-?\d[\d.]*(?:e-?\d+)?", open(f + ".json").read()) for f in ("haswell", "nehalem"))
names = [re.findall(r'"name": ?"(x\d+)"', open(f + ".json").read()) for f in ("haswell", "nehalem")]
assert names[0] == names[1] and len(names[0]) > 80
PY

case_begin "merge warns of shards from several kernels"
words=(toy.csv -m svm --folds 3 --inner 0 --sizes 2,5 --null 1 --quiet)
shard() { OPENBLAS_CORETYPE=$1 "$PARE" path "${words[@]}" --shard "$2/2" --checkpoint "$3"; }
shard Haswell 1 h1 && shard Haswell 2 h2 && shard Nehalem 2 n2
run env OPENBLAS_CORETYPE=Haswell "$PARE" merge h1 h2 --json
expect_exit 0
check "a warning without a reason: $run_err" test -z "$(grep kernel <<<"$run_err")"
cp .stdout fixed.json
run env OPENBLAS_CORETYPE=Haswell "$PARE" path "${words[@]}" --json
expect_same_bytes .stdout fixed.json
run env OPENBLAS_CORETYPE=Haswell "$PARE" merge h1 n2 --json
expect_exit 0
expect_stderr_contains "n2 was made with the BLAS kernel Nehalem, this run uses Haswell"
expect_stderr_contains "OPENBLAS_CORETYPE=Haswell"
check "the result has the kernel" test -z "$(grep -iE 'haswell|nehalem' .stdout)"
run env OPENBLAS_CORETYPE=Nehalem "$PARE" merge h1 h2 --json
expect_stderr_contains "h1 was made with the BLAS kernel Haswell, this run uses Nehalem"

# Other processors, emulated: the kernel, and what the C library chooses by the processor.
case_begin "emulated processors with AVX2 give the bytes of this one under OPENBLAS_CORETYPE=Haswell"
if command -v qemu-x86_64 >/dev/null; then
    check "an old processor has its own kernel" test "$(qemu-x86_64 -cpu Nehalem "$PARE" --version 2>/dev/null | sed -n 's/^BLAS kernel //p')" = Nehalem
    for cpu in Haswell EPYC; do
        for method in l2-arom logistic; do
            OPENBLAS_CORETYPE=Haswell "$PARE" fit toy.csv -m $method -k 5 --json --quiet --threads 1 >here.json
            OPENBLAS_CORETYPE=Haswell qemu-x86_64 -cpu $cpu "$PARE" fit toy.csv -m $method -k 5 --json --quiet --threads 1 >there.json 2>/dev/null
            expect_same_bytes here.json there.json
        done
    done
else
    check "skipped" true
fi
