"""Wide linear programs against HiGHS (scipy) on the full program, and against passes over X."""

import os
import sys
import tempfile

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import eye, hstack

import common


def problem(kind, n, d, seed=1, informative=10):
    """Correlated features, a sparse truth, noise: labels for margin, values for fit."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((n, d))
    x += 0.7 * random.standard_normal((n, 20))[:, random.integers(0, 20, d)]
    w = np.zeros(d)
    w[random.choice(d, informative, replace=False)] = 2 * random.standard_normal(informative)
    z = x @ w
    if kind == "margin":
        y = np.where(z + 0.3 * np.std(z) * random.standard_normal(n) > 0, 1.0, -1.0)
    else:
        y = z + random.laplace(size=n)
    return np.asfortranarray(x), y


def highs(kind, x, y, lam):
    """The objective of the full program: w+, w-, b and the slacks as columns."""
    n, d = x.shape
    one = np.ones((n, 1))
    bounds = [(0, None)] * (2 * d) + [(None, None)] + [(0, None)] * (n if kind == "margin" else 2 * n)
    if kind == "margin":
        a = hstack([-y[:, None] * x, y[:, None] * x, -y[:, None] * one, -eye(n)], format="csc")
        cost = np.r_[np.full(2 * d, lam), 0, np.full(n, 1 / n)]
        found = linprog(cost, A_ub=a, b_ub=-np.ones(n), bounds=bounds, method="highs")
    else:
        a = hstack([x, -x, one, eye(n), -eye(n)], format="csc")
        cost = np.r_[np.full(2 * d, lam), 0, np.full(2 * n, 1 - lam)]
        found = linprog(cost, A_eq=a, b_eq=y, bounds=bounds, method="highs")
    return found.fun


def main():
    program = os.path.join(common.build_folder(), "bench", "bench_lp")
    # HiGHS runs on one thread, so we do too
    one_thread = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    cases = [("margin", 60, 4026, 0.07, ">= 15x", True), ("margin", 60, 4026, 0.007, ">= 15x", True),
             ("margin", 100, 100000, 0.05, "<= 40 passes", False),
             ("margin", 100, 100000, 0.005, "<= 40 passes", False),
             ("fit", 50, 4000, 0.8, ">= 10x", True), ("fit", 50, 4000, 0.2, ">= 10x", True),
             ("fit", 100, 50000, 0.8, ">= 10x", True), ("fit", 100, 50000, 0.2, ">= 10x", True)]
    print("what\tours s\tpeer s\tratio\tgoal\tnote")
    for kind, n, d, lam, goal, compare in cases:
        x, y = problem(kind, n, d)
        with tempfile.NamedTemporaryFile() as file:
            file.write(x.tobytes(order="F") + y.tobytes())
            file.flush()
            ours = common.run(program, kind, file.name, n, d, lam, 9 if d < 10000 else 5,
                              env=one_thread)
        gap = (ours["objective"] - ours["bound"]) / ours["objective"]
        note = f"gap {gap:.1e} passes {ours['passes']:.0f} pivots {ours['pivots']:.0f} " \
               f"columns {ours['generated']:.0f}"
        what = f"{kind} {n}x{d} lambda {lam}"
        if compare:
            value = []
            seconds = common.best(lambda: value.append(highs(kind, x, y, lam)), 3 if d < 10000 else 1)
            difference = abs(value[0] - ours["objective"]) / ours["objective"]
            common.row(what, ours["seconds"], seconds, goal, note=f"objectives {difference:.1e} {note}")
            if not difference <= 1e-7:
                sys.exit("the objectives differ")
        else:
            common.row(what, ours["seconds"], 40 * ours["pass_seconds"], goal,
                       note=f"pass {ours['pass_seconds']:.4f} s {note}")


main()
