"""The SVM dual against libsvm on the same Grams: cold, and warm along feature elimination."""

import os

from common import build_folder, row, run

CASES = [  # samples, features, C, kind of data, Grams in the sequence
    (60, 30, 1, "random", 20),
    (60, 600, 1, "random", 50),
    (60, 600, 1, "factors", 50),
    (60, 600, 100, "factors", 50),
    (500, 250, 1, "random", 50),
    (500, 250, 100, "random", 50),
    (500, 5000, 1, "random", 50),
    (500, 5000, 1, "factors", 50),
    (500, 5000, 100, "factors", 50),
    (2000, 1000, 1, "random", 20),
    (2000, 1000, 1, "factors", 20),
    (2000, 1000, 100, "factors", 20),
    (2000, 20000, 1, "random", 20),
    (2000, 20000, 1, "factors", 20),
]
program = os.path.join(build_folder(), "bench", "bench_svm_dual")
environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
for n, d, C, kind, steps in CASES:
    one = run(program, n, d, C, kind, steps, 0, env=environment)
    r = run(program, n, d, C, kind, steps, 0.01, env=environment)
    what = f"n {n} d {d} C {C} {kind}"
    apart = (r["dual_libsvm"] - r["dual_ours"]) / r["dual_ours"]
    row(f"{what}: cold, libsvm", r["cold_ours"], r["cold_libsvm"], ">= 1x",
        note=f"dual {r['dual_ours']:.9g}, libsvm {apart:+.0e} of it; {r['support']:.0f} support vectors")
    for way, q in (("one feature a step", one), ("1% of the features a step", r)):
        row(f"{what}: warm, {way}, libsvm", q["warm_ours"], q["warm_libsvm"], ">= 5x",
            note=f"warm and cold duals differ by {q['warm_difference']:.0e}; "
            f"{q['warm_cold'] / q['warm_ours']:.2g}x our own cold")
