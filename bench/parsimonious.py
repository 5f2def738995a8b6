"""llna and plna against the same linear programs through HiGHS (scipy)."""

import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csc_matrix, eye, hstack

import common

ALPHA = 5


def paper_example(seed=1):
    """26 samples of a sum of two exponentials and a constant, ten rates to choose from."""
    rates = np.array([0, 4, 7, 0.1, 2, 3, 3.9, 4.1, 6.9, 7.1])
    a = np.exp(-np.outer(0.04 * np.arange(26), rates))
    x = np.r_[0.5, 2, -1.5, np.zeros(7)]
    return np.asfortranarray(a), a @ x + np.random.default_rng(seed).standard_normal(26)


def wide_example(n, d, seed=1, informative=10):
    random = np.random.default_rng(seed)
    a = random.standard_normal((n, d))
    a += 0.7 * random.standard_normal((n, 20))[:, random.integers(0, 20, d)]
    x = np.zeros(d)
    x[random.choice(d, informative, replace=False)] = 2 * random.standard_normal(informative)
    return np.asfortranarray(a), a @ x + random.laplace(size=n)


class Highs:
    """The full program with costs c on |x|: x+, x- and the two sides of each residual."""

    def __init__(self, a, b, lam):
        n, self.d = a.shape
        self.b, self.loss, self.n_solved = b, np.full(2 * n, 1 - lam), 0
        self.matrix = hstack([csc_matrix(a), -csc_matrix(a), eye(n), -eye(n)], format="csc")

    def solve(self, c):
        found = linprog(np.r_[c, c, self.loss], A_eq=self.matrix, b_eq=self.b, method="highs")
        self.n_solved += 1
        return found.x[:self.d] - found.x[self.d:2 * self.d], found.fun


def plna_highs(a, b, lam, starts):
    """Algorithm 3.1 from the llna solution and from the points `starts`; the best objective."""
    program, best = Highs(a, b, lam), np.inf
    error = lambda x: (1 - lam) * np.abs(a @ x - b).sum()
    floor = 1e-8 * (1 - lam) * np.abs(a).max(axis=0)
    slopes = lambda x: np.maximum(floor, lam * ALPHA * np.exp(-ALPHA * np.abs(x)))
    for c in [np.full(a.shape[1], lam)] + [slopes(x) for x in starts]:
        x, _ = program.solve(c)
        while True:
            c = slopes(x)
            better, value = program.solve(c)
            here = error(x) + c @ np.abs(x)
            if not value < here - 1e-9 * here:
                break
            x = better
        best = min(best, error(x) + lam * (1 - np.exp(-ALPHA * np.abs(x))).sum())
    return best, program.n_solved


def bench_program():
    return os.path.join(common.build_folder(), "bench", "bench_parsimonious")


def starting_points(d, restarts):
    """Those that plna draws."""
    out = subprocess.run([bench_program(), "starts", str(d), str(restarts)], check=True, text=True,
                         capture_output=True).stdout
    return np.array(out.split(), dtype=float).reshape(restarts, d)


def ours(method, a, b, lam, restarts, repeats):
    one_thread = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    with tempfile.NamedTemporaryFile() as file:
        file.write(a.tobytes(order="F") + b.tobytes())
        file.flush()
        return common.run(bench_program(), method, file.name, *a.shape, lam, restarts, repeats,
                          env=one_thread)


def median_time(function, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        value = function()
        times.append(time.perf_counter() - start)
    return statistics.median(times), value


def compare(what, mine, seconds, objective, goal, tolerance, note):
    difference = (mine["objective"] - objective) / objective
    common.row(what, mine["seconds"], seconds, goal, note=f"objectives {difference:.1e} {note}")
    if not abs(difference) <= tolerance:
        sys.exit("the objectives differ")


def main():
    print("what\tours s\tpeer s\tratio\tgoal\tnote")
    a, b = paper_example()
    for restarts in 0, 10:
        mine = ours("plna", a, b, 0.3, restarts, 101)
        starts = starting_points(a.shape[1], restarts)
        seconds, (best, programs) = median_time(lambda: plna_highs(a, b, 0.3, starts), 9)
        compare(f"plna 26x10 restarts {restarts}", mine, seconds, best, ">= 20x", 1e-7,
                f"programs {mine['iterations']:.0f} and {programs}")
    for n, d, repeats in (50, 4000, 9), (100, 50000, 5):
        a, b = wide_example(n, d)
        for lam in 0.8, 0.2:
            mine = ours("llna", a, b, lam, 0, repeats)
            seconds, (_, best) = median_time(lambda: Highs(a, b, lam).solve(np.full(d, lam)),
                                             3 if d < 10000 else 1)
            compare(f"llna {n}x{d} lambda {lam}", mine, seconds, best, ">= 10x", 1e-7,
                    f"pivots {mine['iterations']:.0f} support {mine['support']:.0f}")


main()
