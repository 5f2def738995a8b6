#!/usr/bin/python3
"""The exact against the approximate path over p of the lp-KTA paper (end of section 6): seconds and deviations.

    approximate.py DATA_FOLDER [--build FOLDER]

FOLDER (default build/release) needs pare and bench/bench_kta_path, that is -DPARE_BENCH=ON. The alignments are pare's; the
seconds are of the weights alone, on one thread.
"""

import argparse
import os
import subprocess
import tempfile

import numpy as np

SETS = {"Madelon": ("madelon.csv.gz", ("> 3", 7.3e-6)), "Dorothea": ("dorothea.svm.gz", ("almost 4", 3.6e-4))}
EPS, STEPS, LAMBDA1 = 1e-4, 100, 0.5
LAMBDA2 = (0.2, 0.9)  # of the largest alignment, as LAMBDA1: pare's default, and what Figure 1 has


def alignments(pare, data):
    """Of the features that are not constant."""
    with tempfile.TemporaryDirectory() as folder:
        ranking = os.path.join(folder, "ranking.tsv")
        subprocess.run([pare, "fit", data, "-m", "kta", "-k", "1", "--ranking", ranking, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        lines = [line.rstrip("\n").split("\t") for line in open(ranking) if not line.startswith("#")]
    score = lines[0].index("score")
    found = np.array([float(line[score]) for line in lines[1:]])
    return found[found > 0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--build", default=os.path.join(os.path.dirname(__file__), "../../build/release"))
    options = parser.parse_args()
    print("| set | lambda2 | exact: direct | warm starts | predictor | approximate | times faster | paper | objective off | weights off | paper |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name, (file, (paper_times, paper_off)) in SETS.items():
        data = os.path.join(options.data, file)
        if not os.path.exists(data):
            continue
        a = alignments(os.path.join(options.build, "pare"), data)
        for share in LAMBDA2:
            with tempfile.NamedTemporaryFile() as raw:
                a.tofile(raw.name)
                out = subprocess.run([os.path.join(options.build, "bench", "bench_kta_path"), raw.name, str(len(a)), repr(LAMBDA1 * a.max()),
                                      repr(share * a.max()), repr(EPS), str(STEPS)], check=True, capture_output=True, text=True).stdout
            found = {key: float(value) for key, value in (line.split() for line in out.splitlines())}
            seconds = [found[key] for key in ("direct", "warm", "predicted", "approx")]
            times = " / ".join(f"{one / seconds[3]:.1f}" for one in seconds[:3])
            print(f"| {name}, {len(a)} | {share} | " + " | ".join(f"{1000 * one:.3g} ms" for one in seconds) +
                  f" | {times} | {paper_times} | {found['objective']:.1e} | {found['weights']:.1e} | {paper_off:.1e} |", flush=True)


if __name__ == "__main__":
    main()
