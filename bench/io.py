"""How fast and in how much memory the readers are, against scikit-learn, NumPy and pandas.

Sparse svmlight, a wide csv (the hard shape for a column-major matrix) and the same cells long; peak
memory above an idle process as a multiple of the matrix, from a plain file and from .gz. Seconds are
processor time: all of these run on one thread, and a shared machine delays them unequally.
"""

import gzip
import os
import shutil
import subprocess
import tempfile
import time

import numpy
import pandas
from sklearn.datasets import load_svmlight_file

from common import build_folder, row, run

program = os.path.join(build_folder(), "bench", "bench_io")


def ours(path, repeats=5, **keywords):
    """The fastest of several runs, each a process of its own."""
    return min((run(program, "read", path, **keywords) for _ in range(repeats)),
               key=lambda result: result["seconds"])


def best(function, repeats):
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def make(kind, path, *shape):
    subprocess.run([program, "make", kind, path, *map(str, shape)], check=True)
    return path


def mb(path):
    return os.path.getsize(path) / 2**20


with tempfile.TemporaryDirectory() as folder:
    svm = make("svm", f"{folder}/a.svm", 2000, 20000, 0.05)
    row("svmlight 2000 x 20000, 5%", ours(svm)["seconds"], best(lambda: load_svmlight_file(svm), 3),
        ">= 5x sklearn", note=f"{mb(svm):.0f} MB")

    wide = make("csv", f"{folder}/wide.csv", 100, 100000)
    result = ours(wide)
    peer = best(lambda: numpy.loadtxt(wide, delimiter=",", skiprows=1), 2)
    row("csv 100 x 100000", result["seconds"], peer, ">= 3x numpy.loadtxt", note=f"{mb(wide):.0f} MB")
    narrow = make("csv", f"{folder}/long.csv", 100000, 100)
    row("csv 100000 x 100", ours(narrow)["seconds"], best(lambda: pandas.read_csv(narrow), 2),
        "pandas.read_csv, for information", note=f"{mb(narrow):.0f} MB")
    per_byte = ours(narrow)["seconds"] / mb(narrow)
    row("csv wide against long, s/MB", result["seconds"] / mb(wide), per_byte, "about 1x")
    full = make("csv", f"{folder}/full.csv", 100, 100000, 0.5)
    peer = best(lambda: numpy.loadtxt(full, delimiter=",", skiprows=1), 2)
    row("csv 100 x 100000, 17 digits", ours(full)["seconds"], peer, ">= 3x numpy.loadtxt",
        note=f"{mb(full):.0f} MB")

    big = make("csv", f"{folder}/big.csv", 100, 200000)
    packed = f"{folder}/big.csv.gz"
    with open(big, "rb") as source, gzip.open(packed, "wb", 1) as target:
        shutil.copyfileobj(source, target)
    for name, path, goal in (("plain", big, "< 1.5"), (".gz", packed, "< 2.2")):
        result = ours(path, 1)
        row(f"peak memory, csv 100 x 200000 {name}, MB", result["peak_mb"], result["matrix_mb"], goal,
            ratio=result["peak_mb"] / result["matrix_mb"])
    for name, stdin in (("plain", False), ("stdin", True)):
        if stdin:
            with open(svm, "rb") as source:
                result = run(program, "read", "-", "svmlight", stdin=source)
        else:
            result = ours(svm, 1)
        row(f"peak memory, svmlight {name}, MB", result["peak_mb"], result["matrix_mb"],
            "< 2.2" if stdin else "< 1.5", ratio=result["peak_mb"] / result["matrix_mb"])
