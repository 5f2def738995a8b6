"""Strong scaling over ranks against threads alone, on one machine: X as large whatever their number.

    mpi.py BUILD_FOLDER

Rows: ranks x threads against one process with as many threads in all; the note has what a rank sent
for one operation or one fit. Fits are of a .pare file, timed from inside (--timing).
"""

import json
import os
import re
import subprocess
import tempfile

import numpy as np

import common
from common import build_folder, row

ENV = dict(os.environ, OMP_WAIT_POLICY="passive", OPENBLAS_NUM_THREADS="1")
CORES = os.cpu_count()
SHAPES = [(1, 1), (1, 2), (2, 1)]  # ranks, threads


def mpirun(ranks, *words, **keywords):
    """One process too: what mpirun starts is scheduled apart from the shell's own."""
    start = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", str(ranks)]
    return subprocess.run([*start, *map(str, words)], check=True, text=True, capture_output=True,
                          env=ENV, **keywords)


def operations(program, n, d):
    found = {}
    for ranks, threads in SHAPES:
        out = mpirun(ranks, program, n, d, threads, 5).stdout
        found[ranks, threads] = {k: float(v) for k, v in (l.split() for l in out.splitlines())}
    for name in ("gram", "tmul_1", "tmul_20", "stats"):
        for (ranks, threads), value in found.items():
            if ranks == 1 and threads == 1:
                continue
            cpu = value[name + "_cpu"]
            row(f"{n} x {d}: {name}, {ranks} ranks x {threads} threads", value[name],
                found[1, 1][name], ">= 1.5x" if ranks * threads <= CORES else "",
                note=f"peer = one thread; {cpu:.3g} processor seconds in one rank, which sent "
                f"{value[name + '_moved']:.3g} MB")


def fits(pare, folder, n, d):
    x = np.random.default_rng(1).normal(size=(n, d)).astype(np.float32)
    x[::2, :20] += 0.8
    np.save(f"{folder}/x.npy", np.asfortranarray(x))
    with open(f"{folder}/y.txt", "w") as to:
        to.writelines("ab"[i % 2] + "\n" for i in range(n))
    subprocess.run([pare, "convert", "x.npy", "x.pare", "--labels", "y.txt", "--quiet"], check=True,
                   cwd=folder)
    for method in ("corr", "l2-arom", "l1-svm", "svm-rfe"):
        found, sent = {}, {}
        for ranks, threads in SHAPES:
            done = mpirun(ranks, pare, "fit", "x.pare", "-m", method, "-k", 10, "--threads", threads,
                          "--timing", "--verbose", "--json", cwd=folder)
            found[ranks, threads] = json.loads(done.stdout)["seconds"]
            moved = re.search(r"asked for ([0-9.e+]+) MB", done.stderr)
            sent[ranks, threads] = moved.group(1) if moved else "0"
        for (ranks, threads), seconds in found.items():
            if ranks * threads > 1:
                row(f"{n} x {d}: fit {method}, {ranks} ranks x {threads} threads", seconds,
                    found[1, 1], "", note=f"peer = one thread; a rank moved {sent[ranks, threads]} MB")


if __name__ == "__main__":
    operations(f"{build_folder()}/bench/bench_mpi", 200, 500_000)
    operations(f"{build_folder()}/bench/bench_mpi", 2000, 40_000)
    with tempfile.TemporaryDirectory() as temporary:
        fits(os.path.abspath(f"{build_folder()}/pare"), temporary, 200, 200_000)
