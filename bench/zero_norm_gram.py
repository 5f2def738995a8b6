"""svm-rfe against sklearn's RFE, and l2-arom in passes over the data and peak memory, in one run.

    zero_norm_gram.py BUILD_FOLDER
"""

import json
import os
import subprocess
import tempfile
import time
import warnings

import numpy as np
from sklearn.feature_selection import RFE
from sklearn.svm import SVC

from common import build_folder, row, run

THREADS = os.cpu_count()


def write(folder, name, X, y):
    """X as .npy in Fortran order, y as one label a line; returns the arguments of pare."""
    data, labels = os.path.join(folder, name + ".npy"), os.path.join(folder, name + ".txt")
    np.save(data, np.asfortranarray(X))
    with open(labels, "w") as out:
        out.writelines(f"{label}\n" for label in y)
    return [data, "--labels", labels]


def fit(pare, data, *arguments):
    """Seconds of the fit alone, and what the model says."""
    command = [pare, "fit", *data, "--json", "--timing", *arguments]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    model = json.loads(out)
    return model["seconds"], model


def peak_memory(command):
    """Largest resident size of the program in bytes. ru_maxrss would count this process before the
    exec as well."""
    child, peak = subprocess.Popen(command, stdout=subprocess.DEVNULL), 0
    while child.poll() is None:
        try:
            with open(f"/proc/{child.pid}/status") as status:
                lines = [line for line in status if line.startswith("VmHWM")]
            peak = max([peak, *(int(line.split()[1]) * 1024 for line in lines)])
        except OSError:
            pass
        time.sleep(0.02)
    return peak


def elimination(pare, folder):
    n, d, k = 60, 4026, 50
    rng = np.random.default_rng(0)
    y = np.repeat([-1, 1], n // 2)
    X = rng.standard_normal((n, d))
    X[y == 1, :50] += 1
    data = write(folder, "rfe", X, y)
    Z = (X - X.mean(0)) / X.std(0)
    ours, model = min((fit(pare, data, "-m", "svm-rfe", "--step", "1", "-k", str(k), "--threads", "1")
                       for _ in range(5)), key=lambda pair: pair[0])  # the peer has one thread
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = RFE(SVC(kernel="linear", C=1), n_features_to_select=k, step=1).fit(Z, y)
    theirs = time.perf_counter() - start
    common = len({f["index"] for f in model["selected"]} & set(np.flatnonzero(peer.support_)))
    row(f"svm-rfe {n} x {d}, one at a time to {k}, against sklearn RFE", ours, theirs, ">= 200x",
        note=f"{common} of {k} features in common; with its tol at 1e-9 instead of 1e-3, all")


def wide(pare, program, folder):
    n, d, k = 200, 500_000, 50
    rng = np.random.default_rng(1)
    y = np.repeat([-1, 1], n // 2)
    X = np.asfortranarray(rng.standard_normal((n, d)))
    X[y == 1, :20] += 0.5
    data = write(folder, "wide", X, y)
    size = X.nbytes
    del X
    seconds, grams = [], []
    for _ in range(3):  # in turn, so that both meet the same neighbours
        grams.append(run(program, n, d, THREADS)["gram"])
        seconds.append(fit(pare, data, "-m", "l2-arom", "-k", str(k), "--threads",
                           str(THREADS))[0])
    ours, gram = min(seconds), min(grams)
    row(f"l2-arom {n} x {d}, to {k}, in gram passes", ours, gram, "time <= 4.5x", ratio=ours / gram,
        note="ratio = ours / one gram")
    command = [pare, "fit", *data, "-m", "l2-arom", "-k", str(k), "--threads", str(THREADS)]
    peak = peak_memory(command)
    row(f"l2-arom {n} x {d}, peak memory over X", peak / 1e9, size / 1e9, "<= 1.2x",
        ratio=peak / size, note="GB, with reading")


if __name__ == "__main__":
    build = build_folder()
    with tempfile.TemporaryDirectory() as folder:
        elimination(f"{build}/pare", folder)
        wide(f"{build}/pare", f"{build}/bench/bench_zero_norm_gram", folder)
