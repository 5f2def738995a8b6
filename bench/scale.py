"""Very many features: the path of five methods and kta on dense data, and genotypes in their file.

Every day a tenth of the size; `SCALE=full ./dev bench scale` measures 200 x 1,000,000 numbers (1.6 GB, made in
a folder for temporary files) and 500 x 10,000,000 genotypes (1.25 GB of .bed, 40 GB as doubles), and the growth
from 10,000 to 10,000,000 features. `SCALE=path`, `kta`, `genotypes` and `growth` measure one part of that.

Times are wall seconds, with the processor's own in the note: on a shared machine look at these. A Gram pass is
numpy's product of all numbers with themselves in the same run.
"""

import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from common import best, build_folder, row

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


def one_gram(x):
    columns = np.asfortranarray(x)
    return best(lambda: columns @ columns.T, 3)


def path_and_kta(folder, n, d):
    x = dense(folder, n, d)
    size, gram = x.nbytes, one_gram(x)
    labels = folder / "y.txt"
    del x
    if wanted("path"):
        wall, cpu, most = measure("path", folder / "x.npy", "--labels", labels, "-m", METHODS, "--folds", 5, "--inner",
                                  3, "--sizes", "5,10,20,50,100", "-o", folder / "path.json")
        goal = 60 * d / 1e6
        row(f"path of five methods, {n} x {d}", wall, goal, f"<= {goal:g} s",
            note=f"peer: the goal; {wall / gram:.0f} Gram passes of {gram:.2f} s; processor {cpu:.0f} s; {most / size:.2f} X of memory")
    if wanted("kta"):
        goal = 40 * d / 1e6
        wall, cpu, most = measure("fit", folder / "x.npy", "--labels", labels, "-m", "kta", "-k", 50, "-o",
                                  folder / "kta.json")
        row(f"kta, {n} x {d}", wall, goal, f"<= {goal:g} s", note=f"peer: the goal; processor {cpu:.0f} s; {most / size:.2f} X")


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
    if wanted("path") or wanted("kta"):
        path_and_kta(Path(name), 200, 1000000 if FULL else 100000)
        (Path(name) / "x.npy").unlink()
    for d in SIZES.get(WANTED, ()):
        fit_genotypes(Path(name), 500, d)
