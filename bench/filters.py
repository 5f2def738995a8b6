"""Filters against scikit-learn and numpy, and against passes and sorts of the same data in the same run.

    filters.py BUILD_FOLDER [small]      small: sizes for a busy machine
"""

import os
import sys
import tempfile
import time

import numpy as np
from sklearn.feature_selection import chi2, f_classif, mutual_info_classif

from common import build_folder, row, run

SMALL = "small" in sys.argv[2:]
THREADS = os.cpu_count()
MOMENTS = ["t-test", "anova", "fisher", "chi2"]
SORTING = ["mutual-info", "info-gain", "gini", "kruskal"]


def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def load(path, n, d):
    x = np.fromfile(path, count=n * d).reshape(d, n).T
    return x, np.fromfile(path, offset=8 * n * d)


def wide(build, folder):
    n, d = 200, 50000 if SMALL else 500000
    ours = run(f"{build}/bench/bench_filters", f"{folder}/x", n, d, THREADS, 3, *MOMENTS, *SORTING)
    x, y = load(f"{folder}/x", n, d)
    peer = {"anova": seconds(lambda: f_classif(x, y)), "chi2": seconds(lambda: chi2(x, y))}
    some = d // 100
    peer["mutual-info"] = seconds(lambda: mutual_info_classif(x[:, :some], y)) * d / some
    size = f"{n} x {d}"
    for name in MOMENTS:
        row(f"{name} {size}, in passes of stats", ours[name], ours["stats"], "time <= 3x",
            ratio=ours[name] / ours["stats"], note="ratio = ours / peer")
    for name, goal in (("anova", ">= 5x"), ("chi2", ">= 5x"), ("mutual-info", ">= 50x")):
        note = f"sklearn's, which uses neighbours, on {some} features" if name == "mutual-info" else "sklearn"
        row(f"{name} {size}", ours[name], peer[name], goal, note=note)
    for name in SORTING:
        row(f"{name} {size}, in sorts of each column", ours[name], ours["sort"], "time <= 3x",
            ratio=ours[name] / ours["sort"], note="ratio = ours / peer, libc's qsort")


def tall(build, folder):
    n, d = (1000, 5000) if SMALL else (2000, 20000)
    ours = run(f"{build}/bench/bench_filters", f"{folder}/x", n, d, THREADS, 1, "relieff")
    row(f"relieff {n} x {d}, in Gram passes", ours["relieff"], ours["gram"], "time <= 3x and updates",
        ratio=ours["relieff"] / ours["gram"], note="ratio = ours / peer")


def bins_of(x, count=5):
    edges = np.quantile(x, [b / count for b in range(1, count)], axis=0)
    return (x[None] > edges[:, None]).sum(0).astype(np.int8)


def information(own, other, count=5):
    """Of one column of bins with all others, every cell of the table a comparison of whole arrays."""
    n = own.shape[0]
    sum_ = np.zeros(other.shape[1])
    for a in range(count):
        mine = own == a
        pa = mine.mean()
        for b in range(count):
            theirs = other == b
            both, pb = (theirs & mine[:, None]).sum(0) / n, theirs.mean(0)
            there = both > 0
            sum_[there] += both[there] * np.log(both[there] / (pa * pb[there]))
    return sum_


def numpy_mrmr(x, y, steps):
    bins = bins_of(x)
    relevance = information(y.astype(np.int8), bins)
    redundancy, taken = np.zeros(x.shape[1]), []
    for step in range(steps):
        value = relevance - redundancy / max(step, 1)
        value[taken] = -np.inf
        taken.append(int(value.argmax()))
        redundancy += information(bins[:, taken[-1]], bins)


def mrmr(build, folder):
    n, d = 200, 10000 if SMALL else 100000
    ours = run(f"{build}/bench/bench_filters", f"{folder}/x", n, d, THREADS, 1, "mrmr")
    x, y = load(f"{folder}/x", n, d)
    some = 3
    first, last = (seconds(lambda k=k: numpy_mrmr(x, y, k)) for k in (1, 1 + some))
    row(f"mrmr {n} x {d}, 100 features", ours["mrmr"], first + 99 * (last - first) / some, ">= 50x",
        note=f"vectorised numpy, {some} steps measured")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for part in (wide, tall, mrmr):
            part(build_folder(), folder)
