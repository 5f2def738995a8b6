#!/usr/bin/env python3
"""Figures 1 to 3 and Table 1 of "Sparse support vector infinite push" (ICML 2012), with pare.

    run.py [DATA_FOLDER] [--pare PROGRAM] [--trials 20] [--splits 10] [--out FOLDER]

Prints every table beside the paper's numbers where it gives any; draws the figures as SVG if matplotlib is there.
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


def parts(rng, y, n):
    """Two parts of the samples, n of them in the first, drawn until both have both classes."""
    for _ in range(100):
        order = rng.permutation(len(y))
        found = order[:n], order[n:]
        if all(0 < y[part].sum() < len(part) for part in found):
            break
    return found


def candidates(fitter, name, x, y, rng):
    """For each setting, from the sparsest on: scores of a 30% validation part, whose labels come second; and fits of
    all samples."""
    train, valid = parts(rng, y, int(0.7 * len(y)))
    if name == "RFE IP":
        grid = sorted({k for k in (2, 5, 10, 15, 20, 30, 50, 100, 200, x.shape[1]) if k <= x.shape[1]})
        order = {part: fitter.eliminate(x[at], y[at]) for part, at in (("train", train), ("all", slice(None)))}
        fit = lambda part, at, k: fitter.reduced(x[at], y[at], *order[part], k)
    else:
        grid = RATIOS
        fit = lambda part, at, r: fitter.fit(x[at], y[at], METHODS[name] + ["--lambda-ratio", str(r)])
    scores = [x[valid] @ fit("train", train, value)[0] for value in grid]
    return scores, y[valid], lambda i: fit("all", slice(None), grid[i])


def tuned(fitter, name, x, y, rng):
    """The setting that is best at the top of the validation part, fitted again on all samples."""
    scores, valid, fit = candidates(fitter, name, x, y, rng)
    return fit(int(np.argmax([top_rate(score, valid) for score in scores])))


def toy(rng, noisy, scale=1):
    """Two Gaussian classes in 10 relevant variables: means +-mu, mu in {-1, 1}^10, covariances Wishart
    with 10 degrees of freedom and the identity as scale (the paper leaves both open); the rest is noise."""
    mu = rng.choice([-1.0, 1.0], RELEVANT)
    cov = [wishart.rvs(10, scale * np.eye(RELEVANT), random_state=rng) for _ in range(2)]

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


def recovery(w):
    """Precision, recall and F-measure of the variables with a weight."""
    hits, used = np.sum(w[:RELEVANT] != 0), np.sum(w != 0)
    return hits / max(used, 1), hits / RELEVANT, 2 * hits / (used + RELEVANT)


def figure_2(fitter, trials, out):
    names, noises = ["l1 IP", "RFE IP", "l1 Rank"], [10, 20, 50, 100, 200]
    curves = [{name: [] for name in names} for _ in range(3)]
    print(f"\nFigure 2: recovery of the {RELEVANT} relevant variables from 100 examples, {trials} trials")
    print("noisy\t" + "\t".join(f"{n} precision\trecall\tF" for n in names))
    for noisy in noises:
        cells = []
        for name in names:
            scores = []
            for trial in range(trials):
                rng = np.random.default_rng([2, noisy, trial])
                x, y = toy(rng, noisy)(100)
                scores.append(recovery(tuned(fitter, name, x, y, rng)[0]))
            mean = np.mean(scores, 0)
            for curve, value in zip(curves, mean):
                curve[name].append(value)
            cells.append("\t".join(f"{v:.3f}" for v in mean))
        print(f"{noisy}\t" + "\t".join(cells), flush=True)
    plot(out, "figure2", [(title, noises, curve) for title, curve in zip(("precision", "recall", "F-measure"), curves)],
         "noisy variables", "share")


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
    ("colon", "colon_alon.csv.gz", None, 43, ["0.41 ± 0.3/68.2 ± 25.4", "0.36 ± 0.2", "0.40 ± 0.3/572.4 ± 320.1"]),
    ("yeast", "brown_yeast208_recon.csv", "largest", 124, ["0.85 ± 0.2/25.9 ± 5.3", "0.53 ± 0.4", "0.86 ± 0.2/64.2 ± 2.8"]),
    ("sonar", "sonar.csv", None, 187, ["0.44 ± 0.2/23.7 ± 6.5", "0.48 ± 0.3", "0.39 ± 0.2/59.8 ± 0.4"]),
    ("wpbc", "wpbc.csv", None, 174, ["0.18 ± 0.3/26.0 ± 12.8", "0.34 ± 0.3", "0.34 ± 0.1/32.7 ± 0.7"]),
    ("iono", "ionosphere.csv", None, 245, ["0.64 ± 0.2/15.0 ± 5.1", "0.66 ± 0.1", "0.69 ± 0.1/33.0 ± 0.0"]),
    ("spectf", "spectf.csv", None, 215, ["0.14 ± 0.1/40.7 ± 4.4", "0.10 ± 0.1", "0.19 ± 0.2/43.9 ± 0.3"]),
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
            train, test = parts(rng, y, n_train)
            for method in names:
                w, _ = tuned(fitter, method, x[train], y[train], rng)
                tops[method].append(top_rate(x[test] @ w, y[test]))
                counts[method].append(np.sum(w != 0))
        for method, theirs in zip(names, paper):
            p = "" if method == "l1 IP" else f"{stars(tops, method, 'l1 IP'):.3f}"
            print(f"{data}\t{positive}\t{method}\t{np.mean(tops[method]):.2f}\t{np.std(tops[method]):.2f}\t"
                  f"{np.mean(counts[method]):.1f}\t{np.std(counts[method]):.1f}\t{p}\t[{theirs}]", flush=True)


def plot(out, name, panels, xlabel, ylabel, log=False):
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "push"})
    figure, axes = pyplot.subplots(1, len(panels), figsize=(4.4 * len(panels), 3.6), squeeze=False)
    for axis, (title, at, curves) in zip(axes[0], panels):
        for label, values in curves.items():
            axis.plot(at, values, marker="o", label=label)
        if log:
            axis.set_xscale("log")
            axis.set_yscale("log")
        axis.set(title=title, xlabel=xlabel, ylabel=ylabel)
        axis.legend()
    figure.tight_layout()
    figure.savefig(os.path.join(out, f"{name}.svg"), metadata={"Date": None, "Creator": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", nargs="?")
    parser.add_argument("--pare", default="pare")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--out", default=os.path.dirname(os.path.abspath(__file__)))
    options = parser.parse_args()
    fitter = Fitter(options.pare)
    figure_3(fitter, options.out)
    figure_2(fitter, options.trials, options.out)
    figure_1(fitter, options.trials, options.out)
    if options.data:
        table_1(fitter, options.data, options.splits)


if __name__ == "__main__":
    main()
