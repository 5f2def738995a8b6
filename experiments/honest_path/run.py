#!/usr/bin/env python3
"""Pure noise must look like noise: `pare path` on data whose labels mean nothing.

    ./run.py [--pare PATH] [--methods all] [--draws 20] [--null-methods svm] [--runs 100] [--null 19]
             [--samples 100 --features 10000]

1. DRAWS sets of 100 x 10,000 normal numbers with balanced labels: the mean accuracy and AUC over the draws, for
   every method that classifies or ranks and every size, must be within 3 standard errors of 1/2. Beside it, what the usual
   mistake shows on the same data: features selected on all samples, then cross-validated.
2. RUNS such sets, each with `--null N`: the p-values must be uniform on 1/(N+1), ..., 1.
"""
import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

N, D = 100, 10_000
MONOMIALS = {"poly-arom": 140}  # features whose monomials up to degree 2 are about D
OPTIONS = {"svm-rfe": ["--step", "0.1"]}


def noise(seed, folder, d=D, n=N):
    rng = np.random.default_rng(seed)
    np.save(folder / "x.npy", rng.standard_normal((n, d)))
    (folder / "y.txt").write_text("".join(f"{label}\n" for label in rng.permutation([0, 1] * (n // 2))))
    return [str(folder / "x.npy"), "--labels", str(folder / "y.txt")]


def path(args, data, methods, *options):
    for method in methods.split(","):
        options += tuple(OPTIONS.get(method, []))
    command = [args.pare, "path", *data, "-m", methods, "--inner", "0", "--substitutes", "0", "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{methods}: {done.stderr}")
    return json.loads(done.stdout)


def two_class_methods(args):
    """All methods that the command line lists with two classes or for ranking them."""
    lines = subprocess.run([args.pare, "methods"], check=True, capture_output=True, text=True).stdout.splitlines()
    return [line.split()[0] for line in lines if any(task in line.rsplit("(", 1)[1] for task in ("binary", "ranking"))]


def leaky_auc(folder, k=20):
    """The mistake: the k features most different between the classes in all samples, then a nearest-mean
    classifier cross-validated on them."""
    x, y = np.load(folder / "x.npy"), np.loadtxt(folder / "y.txt")
    gap = x[y == 1].mean(0) - x[y == 0].mean(0)
    x = x[:, np.argsort(-abs(gap))[:k]]
    fold, scores = np.arange(N) % 10, []
    for f in range(10):
        train, test = fold != f, fold == f
        w = x[train & (y == 1)].mean(0) - x[train & (y == 0)].mean(0)
        s = x[test] @ w
        if 0 < y[test].sum() < test.sum():
            scores.append((s[y[test] == 1][:, None] > s[y[test] == 0]).mean())
    return np.mean(scores)


def chance(args, folder):
    """Size by size; a method's time is that of all its draws."""
    values, leaky, seconds = {}, [], {}
    for draw in range(args.draws):
        for method in args.methods.split(","):
            data = noise(1000 + draw, folder, MONOMIALS.get(method, D))
            sizes = ["--sizes", "1,10,100,1000," + str(10_010 if method in MONOMIALS else D)]
            start = time.perf_counter()
            result = path(args, data, method, *(sizes if method != "1nn" else []))
            seconds[method] = seconds.get(method, 0) + time.perf_counter() - start
            for point in result["runs"][0]["points"]:
                for metric in [m for m in ("accuracy", "auc") if m in point["metrics"]]:  # ranking has no accuracy
                    values.setdefault((method, metric), {}).setdefault(point["n_features"], []).append(point["metrics"][metric]["mean"])
        print(f"draw {draw + 1} of {args.draws}", file=sys.stderr)
        noise(1000 + draw, folder)
        leaky.append(leaky_auc(folder))
    worst, beyond, means = 0, 0, 0
    print(f"{args.draws} draws of {N} x {D} noise: the mean over the draws, and its distance from 1/2 in standard errors\n")
    print("method\tmetric\tsizes\tlowest mean\thighest mean\tlargest se\tfarthest (at size)\tseconds")
    for (method, metric), of_size in values.items():
        mean = np.array([np.mean(v) for v in of_size.values()])
        se = np.array([np.std(v, ddof=1) for v in of_size.values()]) / np.sqrt(args.draws)
        off = np.where(mean == 0.5, 0, (mean - 0.5) / np.where(se > 0, se, 1e-300))
        at = np.argmax(abs(off))
        worst, beyond, means = max(worst, abs(off[at])), beyond + np.sum(abs(off) > 3), means + len(mean)
        print(f"{method}\t{metric}\t{len(mean)}\t{mean.min():.4f}\t{mean.max():.4f}\t{se.max():.4f}\t{off[at]:+.2f} ({list(of_size)[at]})\t{seconds[method]:.0f}", flush=True)
    print(f"\nof {means} means {beyond} are more than 3 standard errors from chance; the farthest is {worst:.2f} away")
    print(f"the same data, 20 features selected on all samples first: AUC {np.mean(leaky):.3f}\n", flush=True)
    return beyond == 0


def uniform(args, folder):
    p_values, sizes = {}, ",".join(str(k) for k in (1, 10, 100, 1000) if k < args.features)
    for run_number in range(args.runs):
        print(f"run {run_number + 1} of {args.runs}", file=sys.stderr)
        seed = args.first_seed + run_number  # also of folds and permutations: the same ones in every run would tie the runs together
        data = noise(seed, folder, args.features, args.samples)
        result = path(args, data, args.null_methods, "--seed", str(seed), "--null", str(args.null), "--metric", "auc", "--sizes", sizes)
        for run in result["runs"]:
            p_values.setdefault((run["method"], "chosen"), []).append(run["chosen"]["null"]["p"])
            for point in run["points"]:
                p_values.setdefault((run["method"], point["n_features"]), []).append(point["null"]["p"])
    fine, steps = True, args.null + 1
    # Kolmogorov's at 1% for all distances together; conservative for a discrete law
    bound = np.sqrt(np.log(2 * len(p_values) / 0.01) / 2 / args.runs)
    print(f"{args.runs} runs with {args.null} permutations each\n\nmethod\tsize\tmean p\tshare p <= 0.1\tlargest distance from uniform")
    for (method, size), v in p_values.items():
        grid = np.arange(1, steps + 1) / steps
        distance = max(abs(np.mean(np.array(v) <= t + 1e-12) - t) for t in grid)
        fine &= distance <= bound
        print(f"{method}\t{size}\t{np.mean(v):.3f}\t{np.mean(np.array(v) <= 0.1 + 1e-12):.3f}\t{distance:.3f}")
    print(f"\nallowed distance (1% level, all together): {bound:.3f}")
    return fine


def main():
    root = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pare", default=str(root / "build/release/pare"))
    parser.add_argument("--methods", default="all")
    parser.add_argument("--null-methods", default="svm")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--samples", type=int, default=N, help="of the second part")
    parser.add_argument("--features", type=int, default=D, help="of the second part")
    parser.add_argument("--null", type=int, default=19)
    parser.add_argument("--first-seed", type=int, default=5000, help="of the data of the second part")
    args = parser.parse_args()
    if args.methods == "all":
        args.methods = ",".join(two_class_methods(args))
    with tempfile.TemporaryDirectory() as name:
        fine = chance(args, Path(name)) if args.draws else True
        if args.runs:
            fine &= uniform(args, Path(name))
    print("\n" + ("as it should be" if fine else "NOT as it should be"))
    sys.exit(not fine)


if __name__ == "__main__":
    main()
