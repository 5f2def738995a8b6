#!/usr/bin/env bash
# What takes long says so before it starts, and which option makes it fast.
. "$(dirname "$0")/harness.sh"

python3 - <<'PY'
import random
random.seed(1)
with open("wide.csv", "w") as f:
    f.write(",".join("g%d" % j for j in range(20000)) + ",class\n")
    for i in range(8):
        f.write(",".join("%.2f" % random.gauss(0, 1) for j in range(20000)) + ",%s\n" % "pq"[i % 2])
PY

case_begin "a slow choice is announced with the option that makes it fast"
run "$PARE" fit wide.csv -m svm-rfe --kernel rbf --time-limit 0.1 --threads 1
expect_stderr_contains 'pare: svm-rfe: this will take about 10 seconds; --step 0.5 is many times as fast'
run "$PARE" fit wide.csv -m push-rfe --task rank --time-limit 0.1 --threads 1 --step 1
expect_stderr_contains 'push-rfe: this will take about' 'minutes; --step 0.5'
run "$PARE" fit wide.csv -m svm-rfe --kernel rbf --time-limit 0.1 --threads 1 --quiet
expect_stderr_empty
run "$PARE" path wide.csv -m bahsic --sizes 2 --folds 2 --time-limit 0.1 --threads 1
expect_stderr_contains 'bahsic: this will take about' '--step 0.5' '--kernel linear takes seconds'

case_begin "it comes before the work, also where nobody watches"
"$PARE" fit wide.csv -m svm-rfe --kernel rbf --threads 1 >/dev/null 2>early.txt &
check "neither said nor ended" wait_until has_lines_or_ended early.txt 1 $!
check "the run ended before" kill -0 $!
kill $!
wait $! 2>/dev/null
check "not said" grep -q 'this will take' early.txt

case_begin "what is quick says nothing"
for method in svm-rfe corr relieff l2-arom; do
    run "$PARE" fit wide.csv -m "$method" -k 5 --target class
    check "$method: $run_err" test -z "$(grep 'this will take' <<<"$run_err")"
done
