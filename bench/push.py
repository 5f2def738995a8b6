"""The infinite push: growth with the samples, against the paper's algorithm on pairs and against HiGHS
on the same reduced linear program, all at lambda = 0.1 lambda_max on data with lambda_max > 0.2.

    push.py BUILD_FOLDER
"""

import os
import tempfile
import time

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from common import build_folder, row, run

os.environ["OMP_WAIT_POLICY"] = "passive"
HIGHS_LIMIT = 400  # seconds; a run that reaches it counts as that long


def data(m, n, d, seed=1, informative=10, shift=2.5):
    x = np.random.default_rng(seed).standard_normal((m + n, d))
    x[:m, :informative] += shift
    return np.asfortranarray((x - x.mean(0)) / x.std(0))


class Problem:
    def __init__(self, program, folder, m, n, d):
        self.program, self.sizes = program, (m, n, d)
        self.x = data(m, n, d)
        self.path = f"{folder}/{m}_{n}_{d}"
        self.x.T.tofile(self.path)
        self.lambda_max = self.run(0)["lambda_max"]
        assert self.lambda_max > 0.2, self.lambda_max
        self.lam = 0.1 * self.lambda_max

    def run(self, lam, algorithm="auto", tol=1e-4, repeats=1):
        return run(self.program, self.path, *self.sizes, repr(lam), algorithm, tol, repeats)


def growth(program, folder):
    sizes = [500, 1000, 2000, 4000, 8000, 16000]
    times = []
    for half in sizes:
        p = Problem(program, folder, half, half, 100)
        out = p.run(p.lam, repeats=7)
        assert out["gap"] <= 1e-4
        times.append(out["seconds"])
        os.remove(p.path)
        row(f"inf-push l1, {half} + {half} x 100, lambda_max {p.lambda_max:.3g}", out["seconds"],
            out["seconds"], "", note=f"objective {out['objective']:.6f}")
    exponent = np.polyfit(np.log(2 * np.array(sizes)), np.log(times), 1)[0]
    row("inf-push: growth exponent, 1,000 to 32,000 samples, d = 100", times[-1], times[0],
        "<= 1.15", ratio=exponent, note="pairs would be 2")


def against_pairs(program, folder):
    p = Problem(program, folder, 300, 300, 120)
    ours = p.run(p.lam, repeats=5)
    theirs = p.run(p.lam, "pairwise", tol=1e-2)
    note = f"objectives {ours['objective']:.6f} and {theirs['objective']:.6f}"
    assert ours["objective"] <= theirs["objective"] * (1 + 1e-9)
    row("inf-push against pairwise, 300 + 300 x 120", ours["seconds"], theirs["seconds"], ">= 100x",
        note=note)


def highs(x, m, lam):
    n, d = len(x) - m, x.shape[1]
    cost = np.r_[np.full(2 * d, lam), 0, np.full(m, 1 / m)]
    top = sp.hstack([-x[:m], x[:m], np.ones((m, 1)), -sp.identity(m)])
    low = sp.hstack([x[m:], -x[m:], -np.ones((n, 1)), sp.csr_matrix((n, m))])
    bounds = [(0, None)] * (2 * d) + [(None, None)] + [(0, None)] * m
    start = time.perf_counter()
    out = linprog(cost, sp.vstack([top, low]).tocsc(), np.r_[-np.ones(m), np.zeros(n)],
                  bounds=bounds, method="highs", options={"time_limit": HIGHS_LIMIT})
    return time.perf_counter() - start, out


def against_highs(program, folder):
    p = Problem(program, folder, 2000, 20000, 100)
    ours = p.run(p.lam, repeats=3)
    seconds, out = highs(p.x, 2000, p.lam)
    if out.status == 0:
        off = abs(ours["objective"] / out.fun - 1)
        assert off <= 1e-4, off
        note = f"objectives differ by {off:.1e}"
    else:
        note = f"HiGHS stopped at {HIGHS_LIMIT} s; our gap is {ours['gap']:.1e}"
    row("inf-push against HiGHS on the reduced program, 2,000 + 20,000 x 100", ours["seconds"],
        seconds, ">= 10x", note=note)


if __name__ == "__main__":
    bench = f"{build_folder()}/bench/bench_push"
    with tempfile.TemporaryDirectory() as scratch:
        growth(bench, scratch)
        against_pairs(bench, scratch)
        against_highs(bench, scratch)
