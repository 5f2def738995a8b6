#!/usr/bin/env python3
"""What Figures 2 and 3 and the variables of Table 1 depend on, where the paper leaves it open.

    explain.py [DATA_FOLDER] [--pare PROGRAM] [--trials 20] [--splits 5]
"""

import argparse
import os
from itertools import product

import numpy as np

from run import METHODS, RATIOS, TABLE, Fitter, candidates, parts, read, recovery, top_rate, toy, tuned

STEPS = (10, 100, 1000)
LEAST = 1e-4
STOPS = [f"stopped after {k} steps" for k in STEPS] + [f"at {LEAST:g} of lambda_max after {k}" for k in STEPS]


def auc(score, y):
    """Share of the pairs in the right order; ties count a half."""
    off = score[y == 1][:, None] - score[y == 0][None, :]
    return np.mean((off > 0) + 0.5 * (off == 0))


def last_best(values):
    """The densest of the settings that are level."""
    return len(values) - 1 - int(np.argmax(values[::-1]))


class Descent:
    """l1 rank-svm by steps of the proximal gradient from w = 0, stopped before its end."""

    def __init__(self, x, y):
        self.shift, self.deviation = x.mean(0), np.maximum(x.std(0), 1e-12)
        z = (x - self.shift) / self.deviation
        self.pairs = (z[y == 1][:, None, :] - z[y == 0][None, :, :]).reshape(-1, x.shape[1])
        small = self.pairs.T @ self.pairs if x.shape[1] < len(self.pairs) else self.pairs @ self.pairs.T
        self.steepness = 2 * np.linalg.eigvalsh(small)[-1] / len(self.pairs)

    def weights(self, share):
        """w in raw units after each of STEPS, at a share of lambda_max."""
        w, found, count = np.zeros(self.pairs.shape[1]), [], len(self.pairs)
        threshold = share * np.abs(2 * self.pairs.mean(0)).max() / self.steepness
        for step in range(1, STEPS[-1] + 1):
            w += 2 / count / self.steepness * (np.maximum(1 - self.pairs @ w, 0) @ self.pairs)
            w = np.sign(w) * np.maximum(np.abs(w) - threshold, 0)
            if step in STEPS:
                found.append(w / self.deviation)
        return found


def stopped(x, y, rng):
    """After each of STEPS the weights at the lambda that is best at the top of a validation part, and those at LEAST."""
    train, valid = parts(rng, y, int(0.7 * len(y)))
    small, whole = Descent(x[train], y[train]), Descent(x, y)
    tried = [small.weights(share) for share in RATIOS]
    best = [int(np.argmax([top_rate(x[valid] @ w[k], y[valid]) for w in tried])) for k in range(len(STEPS))]
    found = [whole.weights(RATIOS[i])[k] for k, i in enumerate(best)] + whole.weights(LEAST)
    return zip(STOPS, found)


def rules(scores, valid):
    """The setting by each way to choose it."""
    top, pairs = [top_rate(s, valid) for s in scores], [auc(s, valid) for s in scores]
    return {"as in Figure 2": int(np.argmax(top)), "ties to the denser": last_best(top), "by pairs": int(np.argmax(pairs))}


def figure_2(fitter, trials):
    print(f"\nFigure 2, F-measure (number of variables) by reading, {trials} trials")
    names = ("l1 IP", "RFE IP", "l1 Rank")
    print("noisy\treading\t" + "\t".join(names))
    for noisy in (10, 50, 200):
        found = {}
        for trial, name in product(range(trials), names):
            keep = lambda rule, w: found.setdefault((rule, name), []).append(w)
            rng = np.random.default_rng([2, noisy, trial])
            x, y = toy(rng, noisy)(100)
            scores, valid, fit = candidates(fitter, name, x, y, rng)
            for rule, i in rules(scores, valid).items():
                keep(rule, fit(i)[0])
            for rule, w in stopped(x, y, rng) if name == "l1 Rank" else ():
                keep(rule, w)
            rng = np.random.default_rng([2, noisy, trial])
            keep("covariances a tenth", tuned(fitter, name, *toy(rng, noisy, scale=0.1)(100), rng)[0])
        for rule in dict.fromkeys(rule for rule, _ in found):
            cells = [found.get((rule, name)) for name in names]
            print(f"{noisy}\t{rule}\t" + "\t".join("" if w is None else
                  f"{np.mean([recovery(v)[2] for v in w]):.3f} ({np.mean([np.sum(v != 0) for v in w]):.1f})"
                  for w in cells), flush=True)


def figure_3(fitter):
    sizes = (50, 100, 200, 400)
    print("\nFigure 3, seconds of one fit by the paper's algorithm on all pairs, to a relative gap of 0.01")
    for noisy in (20, 100):
        seconds = []
        for n in sizes:
            x, y = toy(np.random.default_rng([3, noisy]), noisy)(n)
            seconds.append(fitter.fit(x, y, METHODS["l1 IP"] + ["--algorithm", "pairwise", "--tol", "1e-2"])[1]["seconds"])
        slope = np.polyfit(np.log([n * n / 4 for n in sizes]), np.log(seconds), 1)[0]
        print(f"{noisy} noisy\t" + "\t".join(f"{n * n // 4} pairs {t:.2f}" for n, t in zip(sizes, seconds)) +
              f"\texponent in pairs {slope:.2f}", flush=True)


def table_1(fitter, folder, splits):
    shares = RATIOS + [0.002, 5e-4, 1e-4]
    print(f"\nTable 1's variables, {splits} splits: mean number at each share of lambda_max, and number and top rate by rule")
    print("data\tmethod\t" + "\t".join(map(str, shares)) + "\tas in Table 1\tties to the denser\tlambda down to 1e-4"
          "\tlambda by pairs, down to 1e-4\tabove 1e-3 of the largest\t" + "\t".join(STOPS))
    for data, name, positive, n_train, _ in TABLE:
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            continue
        x, y, _ = read(path, positive)
        for method in ("l1 IP", "l1 Rank"):
            counts, found = [], {}
            for split in range(splits):
                rng = np.random.default_rng([4, split])
                train, test = parts(rng, y, n_train)
                fit, valid = (train[part] for part in parts(rng, y[train], int(0.7 * n_train)))
                at = lambda part, r: fitter.fit(x[part], y[part], METHODS[method] + ["--lambda-ratio", str(r)])[0]
                whole = [at(train, r) for r in shares]
                scores = [x[valid] @ at(fit, r) for r in shares]
                top, pairs = [top_rate(s, y[valid]) for s in scores], [auc(s, y[valid]) for s in scores]
                counts.append([np.sum(w != 0) for w in whole])
                short = top[:len(RATIOS)]
                keep = lambda rule, w: found.setdefault(rule, []).append((np.sum(w != 0), top_rate(x[test] @ w, y[test])))
                for rule, i in enumerate((np.argmax(short), last_best(short), np.argmax(top), np.argmax(pairs))):
                    keep(rule, whole[i])
                w = whole[np.argmax(short)]
                size = np.abs(w) * x[train].std(0)
                keep("zero", np.where(size > 1e-3 * size.max(), w, 0))
                for rule, w in stopped(x[train], y[train], rng) if method == "l1 Rank" else ():
                    keep(rule, w)
            cells = [f"{np.mean([v[0] for v in r]):.1f} ({np.mean([v[1] for v in r]):.2f})" for r in found.values()]
            print(f"{data}\t{method}\t" + "\t".join(f"{v:.1f}" for v in np.mean(counts, 0)) + "\t" + "\t".join(cells),
                  flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", nargs="?")
    parser.add_argument("--pare", default="pare")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--splits", type=int, default=5)
    options = parser.parse_args()
    fitter = Fitter(options.pare)
    if options.data:
        table_1(fitter, options.data, options.splits)
    figure_2(fitter, options.trials)
    figure_3(fitter)


if __name__ == "__main__":
    main()
