"""l1-svm against HiGHS (scipy) on the full program; it, fsv and l1-arom in passes over wide data."""

import os
import sys
import tempfile

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import eye, hstack

import common

L1_SVM_PASSES = 40  # what l1-svm may take on 100 x 100,000; fsv and l1-arom five times that


def problem(n, d, seed=1, informative=10):
    """Correlated standardised features, a sparse truth, noisy labels."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((n, d))
    x += 0.7 * random.standard_normal((n, 20))[:, random.integers(0, 20, d)]
    w = np.zeros(d)
    w[random.choice(d, informative, replace=False)] = 2 * random.standard_normal(informative)
    z = x @ w
    y = np.where(z + 0.3 * np.std(z) * random.standard_normal(n) > 0, 1.0, -1.0)
    return np.asfortranarray((x - x.mean(0)) / x.std(0)), y


def highs(x, y, lam):
    """The objective of the full program: w+, w-, b and the slacks as columns. lam 0: hard margins."""
    n, d = x.shape
    bounds = [(0, None)] * (2 * d) + [(None, None)] + [(0, None if lam else 0)] * n
    a = hstack([-y[:, None] * x, y[:, None] * x, -y[:, None], -eye(n)], format="csc")
    cost = np.r_[np.full(2 * d, lam or 1), 0, np.full(n, 1 / n if lam else 0)]
    return linprog(cost, A_ub=a, b_ub=-np.ones(n), bounds=bounds, method="highs").fun


def main():
    program = os.path.join(common.build_folder(), "bench", "bench_zero_norm_lp")
    # HiGHS runs on one thread, so we do too
    one_thread = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    peers = [("l1-svm", 60, 4026, lam) for lam in (0.07, 0.007, 0)]
    wide = [("l1-svm", 100, 100000, lam) for lam in (0.05, 0.005, 0)]
    wide += [("fsv", 100, 100000, lam) for lam in (0, 0.05)]
    wide += [("l1-arom", 100, 100000, C) for C in (0, 1)]
    print("what\tours s\tpeer s\tratio\tgoal\tnote")
    for cases in (peers, wide):
        n, d = cases[0][1:3]
        x, y = problem(n, d)
        with tempfile.NamedTemporaryFile() as file:
            file.write(x.tobytes(order="F") + y.tobytes())
            file.flush()
            for method, n, d, value in cases:
                ours = common.run(program, method, file.name, n, d, value, 9 if d < 10000 else 5,
                                  env=one_thread)
                note = f"support {ours['support']:.0f} steps {ours['iterations']:.0f}"
                name = {"l1-svm": "lambda", "fsv": "lambda", "l1-arom": "C"}[method]
                what = f"{method} {n}x{d} {name} {value}" if value or method == "l1-svm" \
                    else f"{method} {n}x{d} hard margins"
                if cases is wide:
                    passes = L1_SVM_PASSES * (1 if method == "l1-svm" else 5)
                    used = ours["seconds"] / ours["pass_seconds"]
                    common.row(what, ours["seconds"], passes * ours["pass_seconds"],
                               f"<= {passes} passes", note=f"{used:.0f} passes {note}")
                    continue
                objective = []
                seconds = common.best(lambda: objective.append(highs(x, y, value)), 3)
                difference = abs(objective[0] - ours["objective"]) / ours["objective"]
                common.row(what, ours["seconds"], seconds, ">= 15x",
                           note=f"objectives {difference:.1e} {note}")
                if not difference <= 1e-7:
                    sys.exit("the objectives differ")


main()
