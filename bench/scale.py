"""Very many features: the default pipeline, five methods, lasso, logistic and kta on dense data, genotypes in their
file, and what a start costs on small data.

Every day a tenth of the size; `SCALE=full ./dev bench scale` measures 200 x 1,000,000 numbers (1.6 GB, made in
a folder for temporary files) and 500 x 10,000,000 genotypes (1.25 GB of .bed, 40 GB as doubles), and the growth
from 10,000 to 10,000,000 features. `SCALE=default`, `path`, `glm`, `kta`, `small`, `genotypes` and `growth` measure
one part of that, `SCALE=threads` each method on 2 threads and on all.

A Gram pass is numpy's product of all numbers with themselves in the same run. Wall seconds and processor seconds
both stand in each row: on a shared machine other work changes the first, so ratios to a Gram pass are of processor
time, of both sides.
"""

import os
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from common import build_folder, row

PARE = str(Path(build_folder()) / "pare")
WANTED = os.environ.get("SCALE", "")
FULL = WANTED != ""
METHODS = "corr,svm-rfe,l2-arom,l1-svm,dlsr-fs"
GROWTH = (10000, 100000, 1000000, 10000000)
SIZES = {"": (100000,), "genotypes": (10000000,), "growth": GROWTH, "full": GROWTH}  # of genotypes


def wanted(part):
    return WANTED in ("", "full", part)


def measure(*command):
    """Wall and processor seconds, and the largest resident set in bytes, which the system counts from what this process
    has when it starts the other: no news where that is more, as in the small cases of every day."""
    start = time.perf_counter()
    process = subprocess.Popen([PARE, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{command}: {said}")
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss


def dense(folder, n, d):
    """Column by column in the file, as it is used; 30 features say something."""
    rng = np.random.default_rng(1)
    y = np.arange(n) % 2
    x = np.lib.format.open_memmap(folder / "x.npy", "w+", np.float64, (n, d), fortran_order=True)
    for at in range(0, d, 10000):
        block = rng.standard_normal((min(10000, d - at), n))
        if at == 0:
            block[:30] += 0.8 * y
        x[:, at:at + len(block)] = block.T
    x.flush()
    (folder / "y.txt").write_text("".join(f"{label}\n" for label in y))
    return x


class Gram:
    """One Gram pass: the best of three, by the clock and by the processor."""

    def __init__(self, x):
        columns, runs = np.asfortranarray(x), []
        for _ in range(3):
            start = time.perf_counter(), time.process_time()
            columns @ columns.T
            runs.append((time.perf_counter() - start[0], time.process_time() - start[1]))
        self.wall, self.cpu = (min(values) for values in zip(*runs))


def in_grams(what, goal, gram, size, *command):
    wall, cpu, most = measure(*command)
    row(what, cpu, gram.cpu, f"<= {goal} Grams", ratio=cpu / gram.cpu,
        note=f"processor seconds, the peer's of one Gram pass; {wall:.3g} s wall, {wall / gram.wall:.0f} Gram passes of {gram.wall:.2f} s; {most / size:.2f} X of memory")


NESTED = ("--folds", 5, "--inner", 3, "--sizes", "5,10,20,50,100")


def default_pipeline(folder, data, of, gram, size):
    in_grams(f"default path, {of}", 100, gram, size, "path", *data, *NESTED, "-o", folder / "path.json")
    in_grams(f"default fit -k 100, {of}", 25, gram, size, "fit", *data, "-k", 100, "-o", folder / "model.json")


def penalised(folder, data, of, gram, size):
    for method in ("lasso", "logistic"):
        in_grams(f"path of {method}, {of}", 100, gram, size, "path", *data, *NESTED, "-m", method, "-o", folder / "path.json",
                 *(("--task", "regress") if method == "lasso" else ()))


def five_methods(folder, data, of, gram, size, d):
    wall, cpu, most = measure("path", *data, "-m", METHODS, *NESTED, "-o", folder / "path.json")
    goal = 60 * d / 1e6
    row(f"path of five methods, {of}", wall, goal, f"<= {goal:g} s",
        note=f"peer: the goal; {wall / gram.wall:.0f} Gram passes of {gram.wall:.2f} s; processor {cpu:.0f} s; {most / size:.2f} X of memory")


def kta(folder, data, of, size, d):
    goal = 40 * d / 1e6
    wall, cpu, most = measure("fit", *data, "-m", "kta", "-k", 50, "-o", folder / "kta.json")
    row(f"kta, {of}", wall, goal, f"<= {goal:g} s", note=f"peer: the goal; processor {cpu:.0f} s; {most / size:.2f} X")


def sum_seconds(x, threads):
    """A plain sum over X: what the memory gives to so many threads."""
    parts = np.array_split(np.arange(x.shape[1]), threads)
    with ThreadPoolExecutor(threads) as pool:
        start = time.perf_counter()
        list(pool.map(lambda part: x[:, part[0]:part[-1] + 1].sum(), parts))
        return time.perf_counter() - start


def on_threads(folder, data, of, x):
    most = os.cpu_count()
    sums = [min(sum_seconds(x, threads) for _ in range(3)) for threads in (2, most)]
    row(f"plain sum over {of}, {most} threads and 2", sums[1], sums[0], "", note="numpy")
    for method in ("auto", *METHODS.split(","), "lasso", "logistic"):
        used = [measure("path", *data, *NESTED, "-m", method, "--threads", threads, "-o", folder / "path.json",
                        *(("--task", "regress") if method == "lasso" else ())) for threads in (2, most)]
        row(f"path of {method}, {of}, {most} threads and 2", used[1][0], used[0][0], ">= 5x on 16",
            note=f"peer: 2 threads; processor {used[1][1]:.3g} and {used[0][1]:.3g} s")


def dense_parts(folder, n, d):
    x = np.asfortranarray(dense(folder, n, d))
    gram, size, of = Gram(x), x.nbytes, f"{n} x {d}"
    data = (folder / "x.npy", "--labels", folder / "y.txt")
    if WANTED == "threads":
        on_threads(folder, data, of, x)
    del x
    if wanted("default"):
        default_pipeline(folder, data, of, gram, size)
    if wanted("path"):
        five_methods(folder, data, of, gram, size, d)
    if wanted("glm"):
        penalised(folder, data, of, gram, size)
    if wanted("kta"):
        kta(folder, data, of, size, d)


def small(folder, n, d):
    """The best of five: a start is as short as what disturbs it."""
    dense(folder, n, d)
    data = (folder / "x.npy", "--labels", folder / "y.txt")
    for what, goal, command in (("path", 0.5, ("path", "-o", folder / "path.json")), ("fit", 0.05, ("fit", "-o", folder / "m.json"))):
        runs = [measure(command[0], *data, *command[1:]) for _ in range(5)]
        wall, cpu = min(run[0] for run in runs), min(run[1] for run in runs)
        row(f"default {what}, {n} x {d}", wall, goal, f"<= {goal:g} s", note=f"peer: the goal; processor {cpu:.3g} s")


def genotypes(folder, n, d):
    """A PLINK file set; every twentieth of 400 variants says something."""
    rng = np.random.default_rng(2)
    y = np.arange(n) % 2
    codes = np.array([3, 3, 2, 0], np.uint8)
    with open(folder / "g.bed", "wb") as bed, open(folder / "g.bim", "w") as bim:
        bed.write(b"\x6c\x1b\x01")
        for at in range(0, d, 20000):
            count = min(20000, d - at)
            drawn = rng.integers(0, 4, (count, n), dtype=np.uint8)
            if at == 0:
                drawn[:400:20] = np.clip(drawn[:400:20].astype(int) + (2 * y - 1) * (rng.random((20, n)) < 0.6)[:, :], 0, 3)
            c = codes[drawn]
            bed.write((c[:, 0::4] | c[:, 1::4] << 2 | c[:, 2::4] << 4 | c[:, 3::4] << 6).tobytes())
            bim.write("".join(f"1\trs{j}\t0\t{j + 1}\tA\tG\n" for j in range(at, at + count)))
    (folder / "g.fam").write_text("".join(f"F{i} I{i} 0 0 1 {y[i] + 1}\n" for i in range(n)))
    return folder / "g.bed"


def fit_genotypes(folder, n, d):
    bed = genotypes(folder, n, d)
    doubles = 8.0 * n * d
    for method in ("corr", "l1-svm", "l2-arom", "svm-rfe"):
        wall, cpu, most = measure("fit", bed, "-m", method, "-k", 50, "-o", folder / "model.json")
        goal = 600 * d / 1e7
        row(f"{method}, {n} x {d} genotypes", wall, goal, f"<= {goal:g} s",
            note=f"peer: the goal; processor {cpu:.3g} s; {most * 1e-9:.3g} GB, doubles would take {doubles * 1e-9:.1f}")


with tempfile.TemporaryDirectory(dir=os.environ.get("SCALE_FOLDER")) as name:
    if any(wanted(part) for part in ("default", "path", "glm", "kta", "threads")):
        dense_parts(Path(name), 200, 1000000 if FULL else 100000)
    if wanted("small"):
        small(Path(name), 62, 2000)
    (Path(name) / "x.npy").unlink(missing_ok=True)
    for d in SIZES.get(WANTED, ()):
        fit_genotypes(Path(name), 500, d)
