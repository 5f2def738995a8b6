#!/usr/bin/env bash
# Sizes at their limits, at a hundredth; `./dev stress` takes them whole.
. "$(dirname "$0")/harness.sh"

case_begin "many samples, features, classes and groups, and long names"
run env PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/tests/stress/limits.py" "$PARE" 0.01
expect_exit 0
for what in samples features classes names groups; do
    check "$what are fitted" grep -q "^ok .*$what: fitted" <<<"$run_out"
done
