"""The honest path against doing the same with scikit-learn, and the zero-norm paper's Table 2 protocol."""

import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from common import build_folder, row
from sklearn.feature_selection import RFE
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

PARE = str(Path(build_folder()) / "pare")


def write(folder, n, d, positives, shift, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(n) < positives
    x = rng.standard_normal((n, d))
    x[:, :30] += shift * y[:, None]
    np.save(folder / "x.npy", x)
    (folder / "y.txt").write_text("".join(f"{int(label)}\n" for label in y))
    return x, y


def path(folder, *options):
    start = time.perf_counter()
    subprocess.run([PARE, "path", folder / "x.npy", "--labels", folder / "y.txt", "--inner", "0", "--substitutes", "0", *options],
                   check=True, capture_output=True)
    return time.perf_counter() - start


def rfe_against_sklearn(folder):
    """10 x 10 folds, every feature eliminated one at a time. RFECV runs one such elimination per fold; one is
    measured, and taken a hundred times. Its scoring at each size, which ours includes, is not counted."""
    x, y = write(folder, 72, 7129, 47, 1.0, 1)
    ours = path(folder, "-m", "svm-rfe", "--step", "1", "--repeats", "10")
    train, _ = next(StratifiedKFold(10, shuffle=True, random_state=1).split(x, y))
    part = (x[train] - x[train].mean(0)) / x[train].std(0)
    start = time.perf_counter()
    RFE(SVC(kernel="linear", C=1), n_features_to_select=1, step=1).fit(part, y[train])
    peer = 100 * (time.perf_counter() - start)
    row("svm-rfe path, 10 x 10 folds of 72 x 7129", ours, peer, ">= 100x", note="sklearn RFECV, one fold x 100")


def table_two(folder):
    write(folder, 62, 2000, 40, 0.8, 2)
    ours = path(folder, "-m", "corr,svm-rfe,r2w2,fsv,l2-arom", "--step", "1", "--splits", "30", "--train", "50", "--sizes",
                "20,50,100,250,500,1000,2000")
    row("five methods, 30 splits of 62 x 2000, 7 sizes", ours, 10, "< 10 s", note="peer: the goal")


def halves(folder):
    """Error control of svm-rfe: 50 pairs of halves of data as large as the colon set, beside a path of two folds."""
    write(folder, 62, 2000, 40, 0.8, 2)
    ours = path(folder, "-m", "svm-rfe", "--folds", "2", "--sizes", "10", "--error-control", "pfer=1")
    row("svm-rfe on 100 halves of 62 x 2000", ours, 5, "< 5 s", note="peer: the goal")


with tempfile.TemporaryDirectory() as name:
    table_two(Path(name))
    halves(Path(name))
    rfe_against_sklearn(Path(name))
