#!/usr/bin/env python3
"""Figures 1 to 3 and Table 1 of "Sparse support vector infinite push" (ICML 2012), with pare.

    run.py [DATA_FOLDER] [--pare PROGRAM] [--trials 20] [--splits 10] [--out FOLDER] [--explain]

Prints every table beside the paper's numbers where it gives any; draws the figures if matplotlib is there.
"""

import argparse
import json
import os
import subprocess
import tempfile
import warnings

import numpy as np
from scipy.stats import wilcoxon, wishart

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
warnings.filterwarnings("ignore", "(Sample size too small|Exact p-value)", UserWarning)  # of wilcoxon, with few splits
RATIOS = [0.5, 0.25, 0.1, 0.05, 0.02, 0.005]  # of lambda_max
RELEVANT = 10
METHODS = {
    "l1 IP": ["-m", "inf-push", "--penalty", "l1"],
    "l2 IP": ["-m", "inf-push", "--penalty", "l2"],
    "l1 Rank": ["-m", "rank-svm", "--penalty", "l1", "--tol", "1e-4"],
}


class Fitter:
    """Fits through the command line: pare standardises by the training part, as the paper does."""

    def __init__(self, program):
        self.program = program
        self.folder = tempfile.TemporaryDirectory()

    def fit(self, x, y, options):
        base = f"{self.folder.name}/d"
        np.save(f"{base}.npy", np.asfortranarray(x))
        np.savetxt(f"{base}.txt", y, fmt="%d")
        out = subprocess.run([self.program, "fit", f"{base}.npy", "--labels", f"{base}.txt", "--json",
                              "--timing", "--quiet", *options], capture_output=True, text=True, check=True)
        model = json.loads(out.stdout)
        w = np.zeros(x.shape[1])
        w[[s["index"] for s in model["selected"]]] = model["outputs"][0]["coef"]
        return w, model


    def eliminate(self, x, y):
        """The order of push-rfe, best first, and its lambda: one elimination serves every number of features."""
        ranking = f"{self.folder.name}/ranking.tsv"
        _, model = self.fit(x, y, ["-m", "push-rfe", "-k", "1", "--ranking", ranking])
        order = np.loadtxt(ranking, skiprows=1, usecols=2, dtype=int, delimiter="\t", ndmin=1)
        return order, model["settings"]["lambda"]

    def reduced(self, x, y, order, lam, k):
        """The l2 push on the first k of an order: the model that push-rfe -k gives."""
        w = np.zeros(x.shape[1])
        w[order[:k]], model = self.fit(x[:, order[:k]], y, ["-m", "inf-push", "--penalty", "l2", "--lambda", repr(lam)])
        return w, model


def top_rate(score, y):
    """Share of the positives above every negative; ties count against the model."""
    return np.mean(score[y == 1] > score[y == 0].max())


def tuned(fitter, name, x, y, rng):
    """The setting that is best at the top of a 30% validation part, fitted again on all of it."""
    for _ in range(100):
        order = rng.permutation(len(y))
        train, valid = order[:int(0.7 * len(y))], order[int(0.7 * len(y)):]
        if all(0 < y[part].sum() < len(part) for part in (train, valid)):
            break
    if name == "RFE IP":
        grid = sorted({k for k in (2, 5, 10, 15, 20, 30, 50, 100, 200, x.shape[1]) if k <= x.shape[1]})
        small, whole = fitter.eliminate(x[train], y[train]), None
        fit = lambda part, k: fitter.reduced(x[part], y[part], *(small if whole is None else whole), k)
    else:
        grid = RATIOS
        fit = lambda part, r: fitter.fit(x[part], y[part], METHODS[name] + ["--lambda-ratio", str(r)])
    rates = [top_rate(x[valid] @ fit(train, value)[0], y[valid]) for value in grid]
    if name == "RFE IP":
        whole = fitter.eliminate(x, y)
    return fit(np.arange(len(y)), grid[int(np.argmax(rates))])


def toy(rng, noisy):
    """Two Gaussian classes in 10 relevant variables: means +-mu, mu in {-1, 1}^10, covariances Wishart
    with 10 degrees of freedom and identity scale (the paper leaves both open); the rest is noise."""
    mu = rng.choice([-1.0, 1.0], RELEVANT)
    cov = [wishart.rvs(10, np.eye(RELEVANT), random_state=rng) for _ in range(2)]

    def draw(n):
        y = (np.arange(n) % 2).astype(int)
        x = rng.standard_normal((n, RELEVANT + noisy))
        for c in (0, 1):
            x[y == c, :RELEVANT] = rng.multivariate_normal((2 * c - 1) * mu, cov[c], int(np.sum(y == c)))
        return x, y

    return draw


def stars(values, name, against):
    """p of Wilcoxon's signed-rank test against another method; 1 if all pairs are equal."""
    off = np.array(values[name]) - np.array(values[against])
    return 1.0 if np.all(off == 0) else wilcoxon(off).pvalue


def figure_1(fitter, trials, out):
    names, sizes, curves = ["l1 IP", "RFE IP", "l1 Rank"], [50, 100, 200, 300, 400], {}
    for noisy in (20, 100):
        print(f"\nFigure 1: rate of positives at the top, {RELEVANT} relevant and {noisy} noisy variables, "
              f"{trials} trials (p: l1 IP against it)")
        print("examples\t" + "\t".join(f"{n} mean\tsd" + ("" if n == "l1 IP" else "\tp") for n in names))
        for n in sizes:
            values = {name: [] for name in names}
            for trial in range(trials):
                rng = np.random.default_rng([1, noisy, n, trial])
                draw = toy(rng, noisy)
                (x, y), (xt, yt) = draw(n), draw(1000)
                for name in names:
                    w, _ = tuned(fitter, name, x, y, rng)
                    values[name].append(top_rate(xt @ w, yt))
            cells = []
            for name in names:
                cells.append(f"{np.mean(values[name]):.3f}\t{np.std(values[name]):.3f}")
                if name != "l1 IP":
                    cells[-1] += f"\t{stars(values, 'l1 IP', name):.3f}"
                curves.setdefault((noisy, name), []).append(np.mean(values[name]))
            print(f"{n}\t" + "\t".join(cells), flush=True)
    plot(out, "figure1", [(f"{noisy} noisy", sizes, {name: curves[noisy, name] for name in names})
                          for noisy in (20, 100)], "training examples", "rate at top")


def figure_2(fitter, trials, out):
    names, noises = ["l1 IP", "RFE IP", "l1 Rank"], [10, 20, 50, 100, 200]
    curves = {name: [] for name in names}
    print(f"\nFigure 2: recovery of the {RELEVANT} relevant variables from 100 examples, {trials} trials")
    print("noisy\t" + "\t".join(f"{n} precision\trecall\tF" for n in names))
    for noisy in noises:
        cells = []
        for name in names:
            scores = []
            for trial in range(trials):
                rng = np.random.default_rng([2, noisy, trial])
                x, y = toy(rng, noisy)(100)
                w, _ = tuned(fitter, name, x, y, rng)
                hits, used = np.sum(w[:RELEVANT] != 0), np.sum(w != 0)
                precision, recall = hits / max(used, 1), hits / RELEVANT
                scores.append((precision, recall, 2 * hits / (used + RELEVANT)))
            mean = np.mean(scores, 0)
            curves[name].append(mean[2])
            cells.append("\t".join(f"{v:.3f}" for v in mean))
        print(f"{noisy}\t" + "\t".join(cells), flush=True)
    plot(out, "figure2", [("F-measure", noises, curves)], "noisy variables", "F")


def figure_3(fitter, out):
    print("\nFigure 3: seconds of one fit at 0.1 lambda_max against the number of pairs "
          "(the paper's exponents are about 1 for both)")
    sizes, panels = [50, 100, 200, 400, 800, 1600], []
    for noisy in (20, 100):
        times = {name: [] for name in ("l1 IP", "l1 Rank")}
        for n in sizes:
            x, y = toy(np.random.default_rng([3, noisy]), noisy)(n)
            for name in times:
                times[name].append(min(fitter.fit(x, y, METHODS[name])[1]["seconds"] for _ in range(3)))
        print(f"{noisy} noisy, pairs\t" + "\t".join(str(n * n // 4) for n in sizes))
        for name, t in times.items():
            slope = np.polyfit(np.log([n * n / 4 for n in sizes]), np.log(t), 1)[0]
            print(f"  {name}\t" + "\t".join(f"{v:.4f}" for v in t) + f"\texponent in pairs {slope:.2f}")
        panels.append((f"{noisy} noisy", [n * n // 4 for n in sizes], times))
    plot(out, "figure3", panels, "pairs", "seconds", log=True)


# name, file, positive label, training examples, the paper's (top, variables) for l1 IP, l2 IP, l1 Rank
TABLE = [
    ("colon", "colon_alon.csv.gz", None, 43, ["0.41/68.2", "0.36", "0.40/572.4"]),
    ("yeast", "brown_yeast208_recon.csv", "largest", 124, ["0.85/25.9", "0.53", "0.86/64.2"]),
    ("sonar", "sonar.csv", None, 187, ["0.44/23.7", "0.48", "0.39/59.8"]),
    ("wpbc", "wpbc.csv", None, 174, ["0.18/26.0", "0.34", "0.34/32.7"]),
    ("iono", "ionosphere.csv", None, 245, ["0.64/15.0", "0.66", "0.69/33.0"]),
    ("spectf", "spectf.csv", None, 215, ["0.14/40.7", "0.10", "0.19/43.9"]),
]


def read(path, positive):
    import pandas as pd
    table = pd.read_csv(path)
    label = table.pop("class").astype(str)
    if positive == "largest":  # several classes: the largest against the rest, gaps filled by means
        positive = label.value_counts().idxmax()
        table = table.fillna(table.mean())
    keep = table.notna().all(axis=1)
    positive = positive or label.value_counts().idxmin()  # the rarer one
    return table[keep].to_numpy(float), (label[keep] == positive).to_numpy(int), positive


def table_1(fitter, folder, splits):
    names = ["l1 IP", "l2 IP", "l1 Rank"]
    print(f"\nTable 1: rate at the top and number of variables, {splits} splits; p: Wilcoxon against l1 IP; "
          "in brackets the paper's top/variables")
    print("data\tpositive\talgorithm\ttop\tsd\tvariables\tsd\tp\tpaper")
    for data, name, positive, n_train, paper in TABLE:
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            print(f"{data}\tno file {name}")
            continue
        x, y, positive = read(path, positive)
        tops, counts = {n: [] for n in names}, {n: [] for n in names}
        for split in range(splits):
            rng = np.random.default_rng([4, split])
            while True:
                order = rng.permutation(len(y))
                train, test = order[:n_train], order[n_train:]
                if 0 < y[test].sum() < len(test):
                    break
            for method in names:
                w, _ = tuned(fitter, method, x[train], y[train], rng)
                tops[method].append(top_rate(x[test] @ w, y[test]))
                counts[method].append(np.sum(w != 0))
        for method, theirs in zip(names, paper):
            p = "" if method == "l1 IP" else f"{stars(tops, method, 'l1 IP'):.3f}"
            print(f"{data}\t{positive}\t{method}\t{np.mean(tops[method]):.2f}\t{np.std(tops[method]):.2f}\t"
                  f"{np.mean(counts[method]):.1f}\t{np.std(counts[method]):.1f}\t{p}\t[{theirs}]", flush=True)


def auc(score, y):
    """Share of the pairs in the right order; ties count a half."""
    off = score[y == 1][:, None] - score[y == 0][None, :]
    return np.mean((off > 0) + 0.5 * (off == 0))


def explain(fitter, folder, splits):
    """What the variables of Table 1 depend on: how lambda is chosen, how far it goes down, what counts as zero."""
    shares = RATIOS + [0.002, 5e-4, 1e-4]
    print(f"\nTable 1's variables, {splits} splits: mean number at each share of lambda_max, and number and top rate by rule")
    print("data\tmethod\t" + "\t".join(map(str, shares)) + "\tas in Table 1\tties to the denser\tlambda down to 1e-4"
          "\tlambda by pairs, down to 1e-4\tabove 1e-3 of the largest")
    for data, name, positive, n_train, _ in TABLE:
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            continue
        x, y, _ = read(path, positive)
        for method in ("l1 IP", "l1 Rank"):
            counts, rules = [], {}
            for split in range(splits):
                rng = np.random.default_rng([4, split])
                while True:
                    order = rng.permutation(len(y))
                    train, test = order[:n_train], order[n_train:]
                    if 0 < y[test].sum() < len(test):
                        break
                while True:
                    inner = rng.permutation(train)
                    fit, valid = inner[:int(0.7 * n_train)], inner[int(0.7 * n_train):]
                    if all(0 < y[part].sum() < len(part) for part in (fit, valid)):
                        break
                at = lambda part, r: fitter.fit(x[part], y[part], METHODS[method] + ["--lambda-ratio", str(r)])[0]
                whole = [at(train, r) for r in shares]
                scores = [x[valid] @ at(fit, r) for r in shares]
                top, pairs = [top_rate(s, y[valid]) for s in scores], [auc(s, y[valid]) for s in scores]
                used = [np.sum(w != 0) for w in whole]
                counts.append(used)
                short = len(RATIOS)
                chosen = {"table": np.argmax(top[:short]), "denser": short - 1 - np.argmax(top[:short][::-1]),
                          "long": np.argmax(top), "pairs": np.argmax(pairs)}
                for rule, i in chosen.items():
                    rules.setdefault(rule, []).append((used[i], top_rate(x[test] @ whole[i], y[test])))
                w = np.abs(whole[chosen["table"]]) * x[train].std(0)
                rules.setdefault("zero", []).append((np.sum(w > 1e-3 * w.max()), np.nan))
            cells = [f"{np.mean([v[0] for v in r]):.1f} ({np.mean([v[1] for v in r]):.2f})" for r in rules.values()]
            print(f"{data}\t{method}\t" + "\t".join(f"{v:.1f}" for v in np.mean(counts, 0)) + "\t" + "\t".join(cells),
                  flush=True)


def plot(out, name, panels, xlabel, ylabel, log=False):
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(1, len(panels), figsize=(5 * len(panels), 4), squeeze=False)
    for axis, (title, at, curves) in zip(axes[0], panels):
        for label, values in curves.items():
            axis.plot(at, values, marker="o", label=label)
        if log:
            axis.set_xscale("log")
            axis.set_yscale("log")
        axis.set(title=title, xlabel=xlabel, ylabel=ylabel)
        axis.legend()
    figure.tight_layout()
    figure.savefig(os.path.join(out, f"{name}.png"), dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", nargs="?")
    parser.add_argument("--pare", default="pare")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--out", default=".")
    parser.add_argument("--explain", action="store_true", help="only what the variables of Table 1 depend on")
    options = parser.parse_args()
    fitter = Fitter(options.pare)
    if options.explain:
        return explain(fitter, options.data, options.splits)
    figure_3(fitter, options.out)
    figure_2(fitter, options.trials, options.out)
    figure_1(fitter, options.trials, options.out)
    if options.data:
        table_1(fitter, options.data, options.splits)


if __name__ == "__main__":
    main()
