#!/usr/bin/python3
"""Would knockoffs hold their level on wide data? Realised false discovery share beside the nominal one.

    ./knockoffs.py [--draws 200] [--data FOLDER] [--designs a,b]

Gaussian second-order knockoffs (Candes et al. 2018, equicorrelated) after a screening: one half of the samples takes the SCREEN
features with the largest |t|, the other half makes knockoffs of those and selects by knockoff+ at LEVEL, from the places at which a
feature and its knockoff enter the lasso path. The covariance of the screened features is estimated on the second half,
shrunk to its diagonal (Ledoit and Wolf), or, for comparison, known ("known", drawn designs alone). False is a feature that says nothing
about the labels given the other screened ones: all but the signals and, in blocks, those that stand in for a signal that was not
screened. In the real design the signals are always among the screened, so that the same holds there.
"""
import argparse
import warnings
from pathlib import Path

import numpy as np
from sklearn.covariance import LedoitWolf
from sklearn.linear_model import lars_path

D, SIGNALS, BLOCK, EFFECT = 1000, 20, 10, 1.0
SCREEN, LEVEL = 60, 0.2
HERE = Path(__file__).resolve().parent


def real_columns(folder):
    from scipy.io import loadmat
    x = loadmat(folder / "TOX-171.mat")["X"].astype(float)
    x = x[:, np.random.default_rng(7).choice(x.shape[1], D, replace=False)]
    return (x - x.mean(0)) / x.std(0)


def draw_problem(design, n, rng, columns):
    """X, labels, the signals and the covariance of the features (None: not known)."""
    known = None
    if design == "real":
        x = columns[rng.permutation(len(columns))]
        signal = rng.choice(D, SIGNALS, replace=False)
    else:
        r = float(design)
        common = rng.standard_normal((n, D // BLOCK)).repeat(BLOCK, axis=1)
        x = np.sqrt(r) * common + np.sqrt(1 - r) * rng.standard_normal((n, D))
        signal = rng.choice(D // BLOCK, SIGNALS, replace=False) * BLOCK
        known = lambda some: (1 - r) * np.eye(len(some)) + r * np.equal.outer(some // BLOCK, some // BLOCK)
    sign = rng.choice([-1.0, 1.0], SIGNALS)
    eta = EFFECT * x[:, signal] @ sign
    return x, rng.random(len(x)) < 1 / (1 + np.exp(-eta)), signal, known


def screened(x, y, count):
    a, b = x[y], x[~y]
    t = (a.mean(0) - b.mean(0)) / np.sqrt(a.var(0) / len(a) + b.var(0) / len(b) + 1e-12)
    return np.sort(np.argsort(-np.abs(t))[:count])


def knockoffs(x, mean, sigma, rng):
    """Equicorrelated: s = min(2 lambda_min, 1) of the correlation."""
    scale = np.sqrt(np.diag(sigma))
    corr = sigma / np.outer(scale, scale)
    s = min(1.0, 2 * np.linalg.eigvalsh(corr)[0]) * (1 - 1e-8)
    z = (x - mean) / scale
    solved = np.linalg.solve(corr, np.eye(len(corr)))
    centre = z - s * (z @ solved)
    cov = 2 * s * np.eye(len(corr)) - s * s * solved
    values, vectors = np.linalg.eigh((cov + cov.T) / 2)
    noise = rng.standard_normal(z.shape) * np.sqrt(np.maximum(values, 0)) @ vectors.T
    return z, centre + noise


def entries(x, y):
    """The largest lambda at which each column is on the lasso path."""
    x = (x - x.mean(0)) / x.std(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lambdas, _, coef = lars_path(x, y - y.mean(), method="lasso", max_iter=4 * len(y))
    at = (coef != 0).argmax(1)
    return np.where((coef != 0).any(1), lambdas[np.maximum(at - 1, 0)], 0.0)


def select(w, level):
    for t in np.sort(np.abs(w[w != 0])):
        if (1 + (w <= -t).sum()) / max((w >= t).sum(), 1) <= level:
            return np.where(w >= t)[0]
    return np.array([], int)


def run(design, n, form, draw, columns):
    rng = np.random.default_rng([draw, n, int(form == "known")] + [ord(c) for c in design])
    x, y, signal, known = draw_problem(design, n, rng, columns)
    half = rng.permutation(len(x)) < len(x) // 2
    some = screened(x[half], y[half], SCREEN)
    if design == "real":
        rest = screened(x[half], y[half], SCREEN + SIGNALS)
        some = np.sort(np.r_[signal, rest[~np.isin(rest, signal)][:SCREEN - SIGNALS]])
    x, y = x[~half][:, some], y[~half]
    if form == "known":
        mean, sigma = np.zeros(SCREEN), known(some)
    else:
        fitted = LedoitWolf().fit(x)
        mean, sigma = fitted.location_, fitted.covariance_
    z, copy = knockoffs(x, mean, sigma, rng)
    z = np.hstack([z, copy])
    swap = rng.random(SCREEN) < 0.5  # neither comes first
    order = np.r_[np.where(swap, np.arange(SCREEN) + SCREEN, np.arange(SCREEN)),
                  np.where(swap, np.arange(SCREEN), np.arange(SCREEN) + SCREEN)]
    enter = np.empty(2 * SCREEN)
    enter[order] = entries(z[:, order], y.astype(float))
    own, copied = enter[:SCREEN], enter[SCREEN:]
    w = np.maximum(own, copied) * np.sign(own - copied)
    chosen = some[select(w, LEVEL)]
    stands_in = np.isin(chosen // BLOCK, signal[~np.isin(signal, some)] // BLOCK) & (design not in ("0", "real"))
    false = ~np.isin(chosen, signal) & ~stands_in
    return len(chosen), false.sum(), false.sum() / max(len(chosen), 1), np.isin(signal, chosen).mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--data", type=Path, default=HERE.parents[1].parent / "shared" / "data")
    parser.add_argument("--designs", default="0,0.5,0.9,real")
    args = parser.parse_args()
    print(f"d = {D}, {SIGNALS} signals, the best {SCREEN} of one half, knockoff+ at {LEVEL} on the other; {args.draws} draws.\n")
    print("| design | samples | covariance | false discovery share | selected | draws that select | power |\n|---|---|---|---|---|---|---|")
    for design in args.designs.split(","):
        columns = real_columns(args.data) if design == "real" else None
        for n in ((171,) if design == "real" else (100, 200, 400, 1000)):
            for form in (("estimated",) if design == "real" else ("estimated", "known")):
                got = np.array([run(design, n, form, draw, columns) for draw in range(args.draws)])
                share, se = got[:, 2].mean(), got[:, 2].std(ddof=1) / np.sqrt(len(got))
                above = ", above" if share > LEVEL + 2 * se else ""
                name = design if design == "real" else "independent" if design == "0" else f"blocks {design}"
                print(f"| {name} | {n} | {form} | {share:.3f} ± {se:.3f}{above} | {got[:, 0].mean():.1f} | {(got[:, 0] > 0).mean():.2f} "
                      f"| {got[:, 3].mean():.2f} |", flush=True)


if __name__ == "__main__":
    main()
