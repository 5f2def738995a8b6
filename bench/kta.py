"""kta: alignments against plain kernel sums in numpy, and the whole path on data of Dorothea's shape."""

import os
import re
import subprocess
import tempfile
import time

import numpy as np

from common import build_folder, row, run

PLAIN = 4  # features that numpy does; its time is that of one times their number


def plain(x, y):
    """y'HKHy / tr(HKH) of one feature, by the n x n kernel."""
    distance = x[:, None] - x[None, :]
    kernel = np.exp(-distance**2 / (2 * x.var()))
    mean = kernel.mean(0)
    kernel += mean.mean() - mean[:, None] - mean[None, :]
    return y @ kernel @ y / np.trace(kernel)


def alignments(what, x, storage, goal, folder):
    n, d = x.shape
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, n)
    path = os.path.join(folder, "data")
    with open(path, "wb") as file:
        x.T.astype(float).tofile(file)
        labels.astype(float).tofile(file)
    ours = run(os.path.join(build_folder(), "bench", "bench_kta"), path, n, d, storage)
    start = time.perf_counter()
    reference = [plain(x[:, j].astype(float), 2.0 * labels - 1) for j in range(PLAIN)]
    peer = (time.perf_counter() - start) / PLAIN * d
    apart = max(abs(ours[f"a{j}"] - a) / max(a, 1) for j, a in enumerate(reference))
    row(f"kta alignments, {what}", ours["seconds"], peer, goal, note=f"differ by {apart:.0e}")


def path_of_dorothea_shape(folder):
    rng = np.random.default_rng(2)
    n, d = 800, 100_000
    share = np.minimum(0.5, 0.0013 / rng.random(d))  # few frequent features; 0.9% are set
    label = rng.random(n) < 0.1
    columns = [np.flatnonzero(rng.random(n) < (s * np.where(label, 2, 1) if j < 500 else s))
               for j, s in enumerate(share)]
    rows = [[] for _ in range(n)]
    for j, members in enumerate(columns):
        for i in members:
            rows[i].append(j + 1)
    name = os.path.join(folder, "shape.svm")
    with open(name, "w") as file:
        for i in range(n):
            file.write(("1 " if label[i] else "-1 ") + " ".join(f"{j}:1" for j in rows[i]) + "\n")
    command = [os.path.join(build_folder(), "pare"), "path", name, "-m", "kta", "--folds", "5",
               "--inner", "0", "--n-features", str(d)]
    timed = ["/usr/bin/time", "-f", "measured %e %U %M"] if os.path.exists("/usr/bin/time") else []
    start = time.perf_counter()
    out = subprocess.run(timed + command, check=True, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    note = ""
    found = re.search(r"measured (\S+) (\S+) (\S+)", out.stderr)
    if found:
        note = f"{float(found[2]):.1f} s of processor time, {float(found[3]) / 1000:.0f} MB (goal 600)"
    row("kta path, 800 x 100,000 sparse binary, 101 points, 5 folds", seconds, 15, "<= 15 s", note=note)


def settings_cost_nothing(folder):
    """Another (p, lambda) is a matter of the alignments alone: time of the weights per setting."""
    rng = np.random.default_rng(3)
    seconds = []
    for d in (500, 4000):
        data, labels = os.path.join(folder, "wide.npy"), os.path.join(folder, "wide.txt")
        np.save(data, rng.normal(size=(200, d)))
        np.savetxt(labels, rng.integers(0, 2, 200), fmt="%d")
        times = {}
        for step in (0.005, 0.00125):  # 201 and 801 points
            command = [os.path.join(build_folder(), "pare"), "path", data, "--labels", labels, "-m", "kta", "--folds", "2",
                       "--inner", "0", "--substitutes", "0", "--p-step", str(step)]
            times[step] = np.inf
            for _ in range(3):
                start = time.perf_counter()
                subprocess.run(command, check=True, capture_output=True)
                times[step] = min(times[step], time.perf_counter() - start)
        seconds.append((times[0.00125] - times[0.005]) / 600 / 2)
    row("kta path, one more point: d 500 against 4,000", seconds[0], seconds[1], "~ 1x")


with tempfile.TemporaryDirectory() as scratch:
    generator = np.random.default_rng(0)
    counts = generator.poisson(0.03, size=(2000, 5000))
    alignments("2,000 x 5,000 sparse counts", counts, "sparse", ">= 1000x", scratch)
    alignments("2,000 x 500 continuous", generator.normal(size=(2000, 500)), "dense", ">= 200x", scratch)
    path_of_dorothea_shape(scratch)
    settings_cost_nothing(scratch)
