"""Paths of lasso, logistic and multinomial regression against glmnet (Rscript) and scikit-learn: the same
data, standardised, the same 100 lambdas down to 0.01 lambda_max. Ours stops at a certified gap of 1e-5 of the
objective; the note says by how much glmnet's objective is above ours, and our certified gap.

    glm.py BUILD_FOLDER [small]      small: sizes for a busy machine
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse as sp

from common import build_folder, row, run

os.environ["OMP_WAIT_POLICY"] = "passive"
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # its threads would spin for a while after they start, which is not our time
HERE = os.path.dirname(os.path.abspath(__file__))
SMALL = "small" in sys.argv[2:]
TOL, COUNT, LEAST = 1e-5, 100, 0.01


def standard(x):
    x -= x.mean(0)
    x /= x.std(0)
    return np.asfortranarray(x)


def classes(scores):
    return np.eye(scores.shape[1])[scores.argmax(1)]


class Problem:
    """Data in a file that bench_glm and glmnet.R read."""

    def __init__(self, folder, name, x, y, loss, count=COUNT, least=LEAST):
        self.count, self.least = count, least
        self.path, self.points, self.loss = f"{folder}/{name}", f"{folder}/{name}.points", loss
        self.n, self.d = x.shape
        self.c = 1 if y.ndim == 1 else y.shape[1]
        self.stored = x.nnz if sp.issparse(x) else 0
        with open(self.path, "wb") as file:
            if self.stored:
                x = sp.csc_matrix(x)
                x.sort_indices()
                for array, kind in ((x.indptr, np.int64), (x.indices, np.int32), (x.data, np.float64)):
                    array.astype(kind).tofile(file)
            else:
                x.T.tofile(file)
            np.ascontiguousarray(y, dtype=float).tofile(file)
        self.x, self.y = x, y

    def sizes(self):
        return self.path, self.n, self.d, self.c, self.loss, self.stored

    def ours(self, build):
        return run(f"{build}/bench/bench_glm", *self.sizes(), TOL, self.count, self.least, self.points)

    def glmnet(self, *more):
        out = subprocess.run(["Rscript", f"{HERE}/glmnet.R", *map(str, self.sizes()), self.points,
                              f"{self.path}.theirs", *map(str, more)],
                             check=True, capture_output=True, text=True).stdout
        return {key: float(value) for key, value in (line.split() for line in out.splitlines())}


def against_glmnet(problem, build, what, goal):
    ours, peer = problem.ours(build), problem.glmnet()
    note = (f"wall {ours['seconds']:.3g} against {peer['seconds']:.3g} s; glmnet above by "
            f"{peer['excess']:.1e}, our gap {ours['gap']:.1e}, {ours['passes']:.1f} passes, peak "
            f"{ours['peak_over_before']:.2f} of the data; glmnet took {peer['lambdas']:.0f} lambdas")
    row(f"{what}: processor time", ours["processor"], peer["processor"], goal, note=note)
    row(f"{what}: wall time", ours["seconds"], peer["seconds"], goal)


def wide(rng, folder, build):
    n, d = 200, 50_000 if SMALL else 500_000
    x = standard(rng.standard_normal((n, d)))
    f = x[:, :10] @ np.array([3, -3, 2, -2, 2, -1, 1, -1, 1, 1.0]) + rng.standard_normal(n)
    y = (f - f.mean()) / f.std()
    against_glmnet(Problem(folder, "lasso", x, y, "squared"), build, f"lasso path, {n} x {d} dense",
                   ">= 5x")
    against_glmnet(Problem(folder, "logistic", x, (f > 0) * 1.0, "logistic"), build,
                   f"logistic path, {n} x {d} dense", ">= 5x")


def survival(rng, folder, build):
    """140 events among 200 samples, to a twentieth of the largest lambda; and the score tests of all features."""
    n, d = 200, 50_000 if SMALL else 500_000
    x = standard(rng.standard_normal((n, d)))
    time = rng.exponential(size=n) * np.exp(-x[:, :10] @ np.array([3, -3, 2, -2, 2, -1, 1, -1, 1, 1.0]) / 3)
    y = np.where(rng.permutation(n) < 140, -time, time)
    p = Problem(folder, "cox", x, y, "cox", least=0.05)
    against_glmnet(p, build, f"cox path, {n} x {d} dense, 140 events", ">= 5x")
    ours = p.ours(build)
    row(f"cox-score, {n} x {d}, against four passes of statistics: wall time", ours["score"], 4 * ours["stats"], ">= 1x")
    n, d = 20_000, 200 if SMALL else 1_000
    x = standard(rng.standard_normal((n, d)))
    y = np.where(rng.uniform(size=n) < 0.7, -1, 1) * rng.exponential(size=n) * np.exp(-x[:, :5].sum(1) / 2)
    seconds = []
    for part in (n // 4, n):
        p = Problem(folder, f"tall{part}", np.asfortranarray(x[:part]), y[:part], "cox", least=0.05)
        seconds.append(p.ours(build)["processor"])
    row(f"cox path, {n} x {d}: processor time, over that of a quarter of the samples", seconds[1], seconds[0], "",
        note="linear in n where the ratio is a quarter")


def text(rng, folder, build):
    """Words by Zipf's law in documents of two kinds: scaled to unit root mean square, not centred."""
    n, d, words = (4_000, 15_000, 60) if SMALL else (15_935, 62_061, 80)
    share = 1 / np.arange(1, d + 1)
    tilt = np.where(rng.uniform(size=d) < 0.05, rng.normal(0, 1.0, d), 0)
    y = np.arange(n) % 2
    columns = np.concatenate([rng.choice(d, words, p=(p := share * np.exp(tilt * (2 * k - 1))) / p.sum())
                              for k in y])
    x = sp.csc_matrix((np.ones(n * words), (np.repeat(np.arange(n), words), columns)), shape=(n, d))
    x.data = np.log1p(x.data)
    rms = np.sqrt(np.asarray(x.multiply(x).mean(0)).ravel())
    x = sp.csc_matrix(x @ sp.diags(np.where(rms > 0, 1 / np.where(rms > 0, rms, 1), 0)))
    against_glmnet(Problem(folder, "text", x, y * 1.0, "logistic"), build,
                   f"logistic path, {n} x {d} sparse text", ">= 3x")


def multinomial(rng, folder, build):
    n, d, c = 144, 4_000 if SMALL else 16_063, 14
    centres = np.zeros((c, d))
    for k in range(c):
        centres[k, rng.choice(d, 40, replace=False)] = rng.normal(0, 1.5, 40)
    own = np.arange(n) % c
    x = standard(centres[own] + rng.standard_normal((n, d)))
    y = np.eye(c)[own]
    against_glmnet(Problem(folder, "multinomial", x, y, "logistic"), build,
                   f"multinomial path, {n} x {d}, {c} classes", ">= 5x")
    against_glmnet(Problem(folder, "rows", x, y, "rows"), build,
                   f"multinomial path by rows, {n} x {d}, {c} classes", "")


def faces(rng, folder, build):
    """Like the 400 pictures of 40 people in ORL: neighbouring pixels are almost one column."""
    n, c, side = 400, 40, 16 if SMALL else 32
    own = np.repeat(np.arange(c), n // c)
    picture = rng.standard_normal((c, side, side))[own] + 0.7 * rng.standard_normal((n, side, side))
    for axis in (1, 2):
        for _ in range(3):
            picture = picture + np.roll(picture, 1, axis) + np.roll(picture, -1, axis)
    x = standard(picture.reshape(n, side * side))
    p = Problem(folder, "faces", x, np.eye(c)[own], "rows", 26, 0.31)
    against_glmnet(p, build, f"multinomial path by rows, {n} x {side * side} pixels, {c} classes, to 0.31",
                   ">= 1x")


def cross_validated(rng, folder, build):
    n, d = 72, 7_129
    x = standard(rng.standard_normal((n, d)))
    f = x[:, :10].sum(1) + rng.standard_normal(n)
    p = Problem(folder, "cv", x, (f > np.median(f)) * 1.0, "logistic")
    p.ours(build)
    peer = p.glmnet("cv", 10)
    np.save(f"{folder}/cv.npy", x)
    np.savetxt(f"{folder}/cv.labels", p.y, fmt="%d")
    start, used = time.perf_counter(), os.times()
    subprocess.run([f"{build}/pare", "path", f"{folder}/cv.npy", "--labels", f"{folder}/cv.labels", "-m",
                    "logistic", "--scale", "none", "--folds", "10", "--repeats", "1", "--inner", "0", "--tol", str(TOL),
                    "--lambda-count", "100", "-o", f"{folder}/cv.json"], check=True, capture_output=True)
    wall, after = time.perf_counter() - start, os.times()
    processor = after.children_user + after.children_system - used.children_user - used.children_system
    row("logistic path in 10 folds, 72 x 7129: processor time", processor, peer["processor"], ">= 10x",
        note="the whole process with reading against cv.glmnet alone")
    row("logistic path in 10 folds, 72 x 7129: wall time", wall, peer["seconds"], ">= 10x")


def against_sklearn(rng, folder, build):
    from sklearn.linear_model import LogisticRegression, lasso_path

    n, d = 200, 20_000
    x = standard(rng.standard_normal((n, d)))
    f = x[:, :10].sum(1) + rng.standard_normal(n)
    p = Problem(folder, "sk", x, (f - f.mean()) / f.std(), "squared")
    ours = p.ours(build)
    lambdas, objectives = np.loadtxt(p.points)[:, :2].T
    start = time.process_time()
    _, coefs, _ = lasso_path(x, p.y, alphas=lambdas, tol=1e-5)
    seconds = time.process_time() - start
    r = p.y[:, None] - x @ coefs
    theirs = (r * r).mean(0) / 2 + lambdas * np.abs(coefs).sum(0)
    row(f"lasso path, {n} x {d}, against sklearn's lasso_path: processor time", ours["processor"], seconds,
        "", note=f"sklearn above by {(theirs / objectives - 1).max():.1e}")
    q = Problem(folder, "sk2", x, (f > 0) * 1.0, "logistic")
    ours = q.ours(build)
    lam = np.loadtxt(q.points)[COUNT // 2, 0]
    start = time.process_time()
    LogisticRegression(penalty="l1", solver="liblinear", C=1 / (lam * n), tol=1e-5,
                       intercept_scaling=100).fit(x, q.y)
    row(f"logistic, {n} x {d}: our whole path against one lambda of liblinear: processor time",
        ours["processor"], time.process_time() - start, "")


def main():
    build = build_folder()
    with tempfile.TemporaryDirectory() as folder:
        for bench in (wide, survival, text, multinomial, faces, cross_validated, against_sklearn):
            bench(np.random.default_rng(1), folder, build)
            for name in os.listdir(folder):
                os.remove(f"{folder}/{name}")


if __name__ == "__main__":
    main()
