"""Discriminative least squares against liblinear and against the paper's own algorithm, in one run.

    dlsr.py BUILD_FOLDER

liblinear: L2-regularised squared hinge, one against the rest, through scikit-learn's LinearSVC with a
large bias scaling (its bias is penalised, ours is not), the faster of its primal and dual solver.
IRLS: Algorithm 2 of the paper in numpy by its eq. (48), limits T = 30 and stopping rule as printed, D by
the rows of T, a floor under the norms.
"""

import json
import os
import subprocess
import tempfile
import time
import warnings

import numpy as np
from sklearn.svm import LinearSVC

from common import build_folder, row, run


THREADS = os.cpu_count()  # ours and numpy's, against IRLS; liblinear has one, and so do we against it
# Our threads call BLAS side by side; one that OpenBLAS starts besides only spins, for the first 50 ms.
QUIET = dict(os.environ, OPENBLAS_NUM_THREADS="1")


def images(n, d, classes, seed):
    """Class prototypes that vary smoothly over the features, noise that does too; standardised."""
    draw = np.random.default_rng(seed)
    smooth = np.exp(-0.5 * np.arange(-8, 9) ** 2 / 9)
    soften = lambda m: np.apply_along_axis(lambda r: np.convolve(r, smooth, "same"), 1, m)
    y = np.arange(n) % classes
    x = soften(draw.standard_normal((classes, d)))[y] + soften(draw.standard_normal((n, d)))
    x += 0.3 * draw.standard_normal((n, d))
    return (x - x.mean(0)) / x.std(0), y


def genes(n, d, classes, seed, informative=60):
    draw = np.random.default_rng(seed)
    y = np.arange(n) % classes
    x = draw.standard_normal((n, d)) + draw.standard_normal((n, 20)) @ draw.standard_normal((20, d)) / 6
    x[:, :informative] += draw.standard_normal((classes, informative))[y]
    return (x - x.mean(0)) / x.std(0), y


def residuals(f, y):
    own = np.zeros(f.shape, bool)
    own[np.arange(len(y)), y] = True
    return np.where(own, np.minimum(f - 1, 0), np.maximum(f, 0))


def dlsr_objective(x, y, w, t, lam):
    return (residuals(x @ w + t, y) ** 2).sum() + lam * (w ** 2).sum()


def against_liblinear(pare, n, d, classes, ratio):
    x, y = images(n, d, classes, 1)
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/x.npy", x)
        np.savetxt(f"{folder}/y", y, "%d")
        best = {}
        for _ in range(5):
            model = json.loads(subprocess.run(
                [pare, "fit", f"{folder}/x.npy", "--labels", f"{folder}/y", "-m", "dlsr", "--scale", "none",
                 "--lambda-ratio", str(ratio), "--threads", "1", "--timing", "--json"],
                check=True, capture_output=True, text=True).stdout)
            if not best or model["seconds"] < best["seconds"]:
                best = model
    lam, ours = best["settings"]["lambda"], best["objective"]
    peer, value = np.inf, np.nan
    for dual in (False, True):
        fit = LinearSVC(loss="squared_hinge", C=1 / (2 * lam), dual=dual, intercept_scaling=100, tol=1e-4,
                        max_iter=5000)
        start = time.perf_counter()
        fit.fit(x, y)
        seconds = time.perf_counter() - start
        if seconds < peer:
            peer = seconds
            value = dlsr_objective(x, y, fit.coef_.T / 2, (fit.intercept_ + 1) / 2, lam)
    row(f"dlsr {n} x {d}, {classes} classes, lambda_ratio {ratio}, one thread", best["seconds"], peer, ">= 2x",
        note=f"liblinear's objective over ours - 1: {value / ours - 1:.1e}; our relative gap "
             f"{best['certificate']['relative']:.0e}, certified in the same time")


def irls(x, y, classes, lam, limit=30, u=1e4, floor=1e-10):
    """Algorithm 2; returns W (d x c), t."""
    n = len(y)
    xt = np.hstack([x, np.full((n, 1), u)])
    target = np.eye(classes)[y]
    b = 2 * target - 1
    m = np.zeros_like(target)
    w0 = np.zeros((x.shape[1] + 1, classes))
    for _ in range(limit):
        t = target + b * m
        sigma, d = np.ones(xt.shape[1]), np.ones(n)
        inner = np.zeros_like(w0)
        for _ in range(limit):
            t4 = (xt * d[:, None]).T / sigma[:, None]
            w = t4 @ np.linalg.solve(xt @ t4 + lam * np.eye(n), t)
            sigma = 1 / np.maximum(np.sqrt((w ** 2).sum(1)), floor)
            d = 1 / np.maximum(np.sqrt(((xt @ w - t) ** 2).sum(1)), floor)
            if ((w - inner) ** 2).sum() < 1e-4:
                break
            inner = w
        p = xt @ w - target
        m = np.maximum(b * p, 0)
        if ((w - w0) ** 2).sum() < 1e-4:
            break
        w0 = w
    return w[:-1], u * w[-1]


def fs_objective(x, y, w, t, lam):
    r = residuals(x @ w + t, y)
    return np.sqrt((r ** 2).sum(1)).sum() + lam * np.sqrt((w ** 2).sum(1)).sum()


def against_irls(program, n, d, classes, ratio, goal, count):
    x, y = genes(n, d, classes, 2)
    with tempfile.TemporaryDirectory() as folder:
        x.T.astype(np.float64).tofile(f"{folder}/x")
        y.astype(np.int32).tofile(f"{folder}/y")
        ours = min((run(program, folder, n, d, classes, THREADS, ratio, 1e-5, 0, env=QUIET) for _ in range(5)),
                   key=lambda once: once["seconds"])
        if count:
            ours.update({key: value for key, value in run(program, folder, n, d, classes, THREADS, ratio, 1e-5, count, env=QUIET).items()
                         if key.startswith("path")})
    peer = np.inf
    for _ in range(2):
        start = time.perf_counter()
        w, t = irls(x, y, classes, ours["lambda"])
        peer = min(peer, time.perf_counter() - start)
    above = fs_objective(x, y, w, t, ours["lambda"]) / ours["objective"] - 1
    name = f"dlsr-fs {n} x {d}, {classes} classes, {ratio} lambda_max"
    row(name, ours["seconds"], peer, goal,
        note=f"IRLS ends {above:.1%} above our objective; our gap {ours['gap']:.0e}, {ours['live']:.0f} features; "
             f"memory X ({ours['x_mb']:.0f} MB) + {ours['peak_over_x_mb']:.0f} MB")
    if count:
        row(f"{name}: path of {count} lambdas against one IRLS", ours["path_seconds"], peer, "time <= 5x",
            ratio=ours["path_seconds"] / peer,
            note=f"ratio = ours / peer; worst gap {ours['path_worst_gap']:.0e}")


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    build = build_folder()
    for ratio in (0.1, 0.001):
        against_liblinear(f"{build}/pare", 580, 256, 20, ratio)
        against_liblinear(f"{build}/pare", 240, 2576, 20, ratio)
    against_irls(f"{build}/bench/bench_dlsr", 72, 49151, 4, 0.1, ">= 10x", 0)
    against_irls(f"{build}/bench/bench_dlsr", 144, 16000, 14, 0.1, "none of its own", 50)
    against_irls(f"{build}/bench/bench_dlsr", 600, 100, 300, 0.1, "none of its own", 0)
