#!/usr/bin/env python3
"""Pure noise must look like noise: `pare path` on data whose labels mean nothing.

    ./run.py [--pare PATH] [--methods svm,corr] [--draws 20] [--runs 100] [--null 19]

1. DRAWS sets of 100 x 10,000 normal numbers with balanced labels: the mean accuracy and AUC over the draws, for
   every method and size, must be within 3 standard errors of 1/2. Beside it, what the usual mistake shows on the
   same data: features selected on all samples, then cross-validated.
2. RUNS such sets, each with `--null N`: the p-values must be uniform on 1/(N+1), ..., 1.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

N, D = 100, 10_000


def noise(seed, folder):
    rng = np.random.default_rng(seed)
    np.save(folder / "x.npy", rng.standard_normal((N, D)))
    (folder / "y.txt").write_text("".join(f"{label}\n" for label in rng.permutation([0, 1] * (N // 2))))
    return [str(folder / "x.npy"), "--labels", str(folder / "y.txt")]


def path(args, data, *options):
    command = [args.pare, "path", *data, "-m", args.methods, "--inner", "0", "--substitutes", "0", "--json", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


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
    values, leaky = {}, []
    for draw in range(args.draws):
        result = path(args, noise(1000 + draw, folder))
        leaky.append(leaky_auc(folder))
        for run in result["runs"]:
            for point in run["points"]:
                for metric in ("accuracy", "auc"):
                    values.setdefault((run["method"], metric, point["n_features"]), []).append(point["metrics"][metric]["mean"])
    worst = 0
    print(f"{args.draws} draws of {N} x {D} noise\n\nmethod\tmetric\tfeatures\tmean\tse\t(mean - 1/2)/se")
    for (method, metric, size), v in values.items():
        se = np.std(v, ddof=1) / np.sqrt(len(v))
        off = (np.mean(v) - 0.5) / se
        worst = max(worst, abs(off))
        print(f"{method}\t{metric}\t{size}\t{np.mean(v):.4f}\t{se:.4f}\t{off:+.2f}")
    print(f"\nlargest distance from chance: {worst:.2f} standard errors (allowed: 3)")
    print(f"the same data, 20 features selected on all samples first: AUC {np.mean(leaky):.3f}\n")
    return worst <= 3


def uniform(args, folder):
    p_values = {}
    for run_number in range(args.runs):
        result = path(args, noise(5000 + run_number, folder), "--null", str(args.null), "--metric", "auc", "--sizes", "1,10,100,1000")
        for run in result["runs"]:
            p_values.setdefault((run["method"], "chosen"), []).append(run["chosen"]["null"]["p"])
            for point in run["points"]:
                p_values.setdefault((run["method"], point["n_features"]), []).append(point["null"]["p"])
    fine, steps = True, args.null + 1
    bound = 1.63 / np.sqrt(args.runs)  # Kolmogorov's at 1%; conservative for a discrete law
    print(f"{args.runs} runs with {args.null} permutations each\n\nmethod\tsize\tmean p\tshare p <= 0.1\tlargest distance from uniform")
    for (method, size), v in p_values.items():
        grid = np.arange(1, steps + 1) / steps
        distance = max(abs(np.mean(np.array(v) <= t + 1e-12) - t) for t in grid)
        fine &= distance <= bound
        print(f"{method}\t{size}\t{np.mean(v):.3f}\t{np.mean(np.array(v) <= 0.1 + 1e-12):.3f}\t{distance:.3f}")
    print(f"\nallowed distance (1% level): {bound:.3f}")
    return fine


def main():
    root = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pare", default=str(root / "build/release/pare"))
    parser.add_argument("--methods", default="svm,corr")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--null", type=int, default=19)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        fine = chance(args, Path(name))
        if args.runs:
            fine &= uniform(args, Path(name))
    print("\n" + ("as it should be" if fine else "NOT as it should be"))
    sys.exit(not fine)


if __name__ == "__main__":
    main()
