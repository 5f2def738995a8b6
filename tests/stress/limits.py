#!/usr/bin/env python3
"""Sizes at their limits against the command line: each must end well, or be refused with one sentence.

    limits.py PARE [SHARE]

SHARE (1) makes all sizes so much smaller. Prints a line for each; the exit is 1 if one ended otherwise.
"""
import os
import subprocess
import sys
import tempfile
import time


def sparse(name, n, d, per_row, classes):
    """Row i has per_row entries of its own class's columns and of others."""
    with open(name, "w") as f:
        for i in range(n):
            cols = sorted({1 + (i * 7919 + k * 104729) % d for k in range(per_row)} | {1 + i % classes})
            f.write(f"{i % classes} " + " ".join(f"{j}:{1 + (i + j) % 5}" for j in cols) + "\n")


def table(name, names, n):
    with open(name, "w") as f:
        f.write(",".join(names) + ",class\n")
        for i in range(n):
            f.write(",".join(str((i * 31 + j * 17) % 101 + 50 * (j == i % 2)) for j in range(len(names))) + f",{i % 2}\n")


def many_samples(s):
    sparse("samples.svm", int(2**16 * s), 30, 3, 2)
    return ["samples.svm", "-m", "corr", "-k", "3", "--classifier", "lda"]


def many_features(s):
    d = int(10**7 * s)
    sparse("features.svm", 20, d, 100, 2)
    return ["features.svm", "--n-features", str(d), "-m", "corr", "-k", "3"]


def many_classes(s):
    classes = int(5000 * s)
    sparse("classes.svm", 2 * classes, classes + 10, 4, classes)
    return ["classes.svm", "-m", "corr", "-k", "3", "--classifier", "lda"]


def long_names(s):
    table("names.csv", ["a" * int(10**6 * s), "b" * int(10**6 * s), "c", "d"], 20)
    return ["names.csv", "-m", "svm", "-k", "2"]


def many_groups(s):
    d = int(10**6 * s)
    sparse("groups.svm", 20, d, 50, 2)
    with open("groups.txt", "w") as f:
        f.writelines(f"x{j + 1}\tg{j}\n" for j in range(d))
    return ["groups.svm", "--n-features", str(d), "--groups", "groups.txt", "-m", "inf-push", "--task", "rank", "--penalty", "group"]


def run(pare, make, share):
    words = make(share)
    began = time.time()
    try:
        fit = subprocess.run([pare, "fit", *words, "-o", "model.json", "--quiet", "--time-limit", "120"], capture_output=True, timeout=400)
        took = time.time() - began
        said = fit.stderr.decode(errors="replace").strip().splitlines()
        if fit.returncode in (1, 2) and len([w for w in said if "warning: " not in w]) == 1:
            return True, f"refused in {took:.1f} s: {said[-1][:200]}"
        if fit.returncode != 0:
            return False, f"exit {fit.returncode}: {said[-3:]}"
        data = words[: words.index("-m")]
        check = subprocess.run([pare, "check", "model.json", *data, "--time-limit", "120"], capture_output=True, timeout=400)
        if check.returncode != 0:
            return False, "check: " + check.stderr.decode(errors="replace").strip()[:300]
        return True, f"fitted in {took:.1f} s and checked"
    except subprocess.TimeoutExpired:
        return False, "does not end"


def main():
    pare, share = os.path.abspath(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    fine = True
    with tempfile.TemporaryDirectory(prefix="limits-") as place:
        os.chdir(place)
        for make in (many_samples, many_features, many_classes, long_names, many_groups):
            good, words = run(pare, make, share)
            fine &= good
            print(f"{'ok' if good else 'not ok'} {make.__name__.replace('_', ' ')}: {words}", flush=True)
        os.chdir("/")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
