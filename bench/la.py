"""The matrix operations against BLAS, numpy and scipy on the same shapes, in one run.

    la.py BUILD_FOLDER
"""

import functools
import os
import tempfile

import numpy as np
import scipy.sparse as sp

import common
from common import best, build_folder, row, run

THREADS = os.cpu_count()
MANY = 20


def dense(program, n, d):
    ours = run(program, "dense", n, d, THREADS)
    name = f"dense {n} x {d}"
    syrk = min(ours["syrk"], ours["syrk_again"])
    row(f"{name}: gram, standardised, against one dsyrk", ours["gram"], syrk, "time <= 1.3x",
        ratio=ours["gram"] / syrk, note="ratio = ours / peer")
    row(f"{name}: gram, as it is, against one dsyrk", ours["gram_raw"], syrk, "time <= 1.3x",
        ratio=ours["gram_raw"] / syrk, note="ratio = ours / peer")
    row(f"{name}: gram of 5 folds, one pass against five", ours["gram_many"], ours["gram_folds"],
        ">= 1x", note="peer = five calls of ours")
    x = np.random.default_rng(1).random((d, n)).T  # column-major, as ours
    u1, uc = np.ones(n), np.ones((n, MANY), order="F")
    w1, wc = np.ones(d), np.ones((d, MANY), order="F")
    row(f"{name}: X'u, standardised", ours["tmul_1"], best(lambda: x.T @ u1), ">= 1x",
        note="numpy does not scale")
    row(f"{name}: X'U, {MANY} columns, standardised", ours[f"tmul_{MANY}"], best(lambda: x.T @ uc),
        ">= 1x", note="numpy does not scale")
    row(f"{name}: X w, standardised", ours["mul_1"], best(lambda: x @ w1), ">= 1x",
        note="numpy does not scale")
    row(f"{name}: X W, {MANY} columns, standardised", ours[f"mul_{MANY}"], best(lambda: x @ wc),
        ">= 1x", note="numpy does not scale")
    row(f"{name}: mean, variance, min, max, counts", ours["stats"],
        best(lambda: (x.mean(0), x.var(0), x.min(0), x.max(0)), 2), ">= 1x")


def sparse(program, n, d, density):
    generator = np.random.default_rng(2)
    x = sp.random(n, d, density, format="csc", random_state=generator)
    x.data[:] = 1
    x.sort_indices()
    with tempfile.TemporaryDirectory() as folder:
        x.indptr.astype(np.int64).tofile(f"{folder}/indptr")
        x.indices.astype(np.int32).tofile(f"{folder}/indices")
        x.data.astype(np.float64).tofile(f"{folder}/data")
        ours = run(program, "sparse", folder, n, THREADS)
        alone = run(program, "sparse", folder, n, 1)
    name = f"sparse {n} x {d}, {density:.1%}"
    best = functools.partial(common.best, repeats=20)
    peer = min(best(lambda: x @ x.T), best(lambda: x.tocsr() @ x.T))
    row(f"{name}: gram", ours["gram_raw"], peer, ">= 5x", note="scipy CSC and CSR, the faster")
    row(f"{name}: gram, one thread", alone["gram_raw"], peer, ">= 5x", note="as scipy has one")
    row(f"{name}: gram, standardised", ours["gram"], peer, ">= 5x", note="scipy does not scale")
    u1, uc = np.ones(n), np.ones((n, MANY))
    w1, wc = np.ones(d), np.ones((d, MANY))
    row(f"{name}: X'u", ours["tmul_raw_1"], best(lambda: x.T @ u1), ">= 1x")
    row(f"{name}: X'U, {MANY} columns", ours[f"tmul_raw_{MANY}"], best(lambda: x.T @ uc), ">= 1x")
    row(f"{name}: X'u, one thread", alone["tmul_raw_1"], best(lambda: x.T @ u1), ">= 1x")
    row(f"{name}: X'U, {MANY} columns, one thread", alone[f"tmul_raw_{MANY}"],
        best(lambda: x.T @ uc), ">= 1x")
    row(f"{name}: X'U, {MANY} columns, standardised", ours[f"tmul_{MANY}"], best(lambda: x.T @ uc),
        ">= 1x", note="scipy does not scale")
    row(f"{name}: X w, standardised", ours["mul_1"], best(lambda: x @ w1), ">= 1x",
        note="scipy does not scale")
    row(f"{name}: X W, {MANY} columns, standardised", ours[f"mul_{MANY}"], best(lambda: x @ wc),
        ">= 1x", note="scipy does not scale")


if __name__ == "__main__":
    bench_la = f"{build_folder()}/bench/bench_la"
    dense(bench_la, 200, 500_000)
    dense(bench_la, 2000, 20_000)
    sparse(bench_la, 800, 100_000, 0.009)
