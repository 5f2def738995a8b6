#!/usr/bin/env bash
# On a machine with a GPU, in the folder that ./dev cuda-bundle made: the conformance of every method and the
# measurements of docs/gpu.md. `run.sh conform`, `run.sh bench [N D]`, or both without a word.
set -euo pipefail
cd "$(dirname "$0")"
what=${1:-all}
threads=$(nproc)

if [[ $what == all || $what == conform ]]; then
    # Few samples and as many features as make a pass worth a launch; settings at their defaults.
    (cd "$(mktemp -d)" && time env OPENBLAS_NUM_THREADS=1 TESTS_SHORT=1 PARE_DEVICE_COLUMNS=6000 \
        timeout 480 "$OLDPWD/bin/tests_conform" test_conform_device)
fi
if [[ $what == all || $what == bench ]]; then
    OPENBLAS_NUM_THREADS=1 bin/bench_device "${2:-200}" "${3:-1000000}" "$threads"
fi
