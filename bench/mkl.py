"""Multiple kernel learning: seconds a point of smo-mkl and l1-mkl-path against those of the lp-KTA paper's Table 4.

    mkl.py BUILD_FOLDER [DATA_FOLDER]

On arcene.csv.gz (100 x 10,000) and madelon.csv.gz (2,000 x 500) of the data folder, or, where there is none, on numbers of
the same shapes whose class three features decide. The paper's machine was a 2.4 GHz Xeon; ours is whatever this is.
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

from common import build_folder, row

SETS = [("arcene", 100, 10000, 5.7, 29.5), ("madelon", 2000, 500, 168.4, 83.1)]
NORMS = ("2", "1.01")  # the slowest of the paper's four values and the fastest
POINTS = 30


def made_up(folder, name, n, d):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(n, d))
    label = (np.abs(x[:, 0]) + x[:, 1] + 0.5 * np.abs(x[:, 2]) + 0.5 * rng.normal(size=n) > 1.2).astype(int)
    data, labels = os.path.join(folder, name + ".npy"), os.path.join(folder, name + ".txt")
    np.save(data, np.asfortranarray(x))
    np.savetxt(labels, label, fmt="%d")
    return [data, "--labels", labels]


def fit(data, *arguments):
    command = [os.path.join(build_folder(), "pare"), "fit", *data, "--json", "--timing", *arguments]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found["seconds"], found["certificate"]["relative"]


with tempfile.TemporaryDirectory() as scratch:
    for name, n, d, smo, path in SETS:
        real = os.path.join(sys.argv[2], name + ".csv.gz") if len(sys.argv) > 2 else ""
        data = [real] if os.path.exists(real) else made_up(scratch, name, n, d)
        what = f"{name if os.path.exists(real) else 'numbers'} {n} x {d}"
        for p in NORMS:
            seconds, gap = fit(data, "-m", "smo-mkl", "--p", p)
            row(f"smo-mkl, p {p}, {what}", seconds, smo, ">= 1x", note=f"the paper's seconds; relative gap {gap:.0e}")
        seconds, gap = fit(data, "-m", "l1-mkl-path", "--sweep", "--lambda-count", str(POINTS))
        row(f"l1-mkl-path, a point of {POINTS}, {what}", seconds / POINTS, path, ">= 1x",
            note=f"the paper's seconds; relative gap {gap:.0e}")
