"""Runs the experiment's programs and prints the tables of the zero-norm paper beside its numbers.

    tables.py FOLDER_WITH_THE_PROGRAMS [DATA_FOLDER]

Called by run.sh. Every table is also kept as the raw TSV of the program that made it.
"""

import os
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
from scipy.stats import t as student
from scipy.stats import wilcoxon

import paper

OUT = sys.argv[1]
TRIALS = int(os.environ.get("TRIALS", 1000))
SPLITS = int(os.environ.get("SPLITS", 30))
SEED = 1
warnings.filterwarnings("ignore", "Sample size too small")  # of few trials that differ


def run(name, program, *arguments):
    """The program's table, also written to OUT/name.tsv."""
    path = os.path.join(OUT, name + ".tsv")
    with open(path, "w") as file:
        subprocess.run([os.path.join(OUT, program), *map(str, arguments)], check=True, stdout=file)
    return pd.read_csv(path, sep="\t")


def start_all(jobs):
    """Runs (name, program, arguments...) side by side, as many as there are processors."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda job: run(*job), jobs))


def mean_se(errors):
    errors = 100 * np.asarray(errors)
    return errors.mean(), errors.std(ddof=1) / np.sqrt(len(errors))


def draw_trials(scaled="train", labels="drawn", C="1"):
    """The trials of Table 1 for each number of points."""
    return dict(zip(paper.POINTS, start_all(
        [(f"table1-{n}-{scaled}-{labels}-{C}", "table1", n, TRIALS, C, scaled, labels, SEED)
         for n in paper.POINTS])))


def table1():
    results = draw_trials()
    print(f"\nTable 1, {TRIALS} trials, final SVM with C = 1: test error in percent (share of relevant, "
          "non-redundant pairs); z = difference over both standard errors")
    print(f"{'':9}" + "".join(f" | {f'{n} points':22} {'paper':22} {'z':>4}" for n in paper.POINTS))
    within = True
    for method, cells in paper.TABLE1.items():
        line = f"{method:9}"
        for n, (error, se, pairs) in zip(paper.POINTS, cells):
            table = results[n]
            ours, our_se = mean_se(table[method])
            z = (ours - error) / np.hypot(se, our_se)
            share = 100 * table[f"{method} pair"].mean()
            line += f" | {f'{ours:.2f} +- {our_se:.2f} ({share:.0f})':22} {f'{error:.2f} +- {se:.2f} ({pairs})':22} {z:4.1f}"
            if "arom" in method:
                within &= abs(z) <= 3
        print(line)
    print(f"every AROM cell within 3 standard errors of the paper: {'yes' if within else 'NO'}")
    return results


def variants(stated):
    """What the paper leaves open, as far as it moves the cells that differ."""
    print(f"\nTable 1 under other readings, {TRIALS} trials: error in percent with 10, 20, 30 points")
    print(f"{'':44}" + "".join(f"{m:>22}" for m in paper.TABLE1))
    rows = [("paper", None)] + [(f"scaled on {s} points, labels {l}, C {C}", (s, l, C)) for s, l, C in (
        ("train", "drawn", "1"), ("train", "balanced", "1"), ("all", "drawn", "1"), ("all", "balanced", "1"),
        ("train", "drawn", "1000"))]
    for name, how in rows:
        results = stated if how == ("train", "drawn", "1") else how and draw_trials(*how)
        line = f"{name:44}"
        for method, cells in paper.TABLE1.items():
            errors = [100 * results[n][method].mean() for n in paper.POINTS] if how else [cell[0] for cell in cells]
            line += f"{' '.join(f'{e:.1f}' for e in errors):>22}"
        print(line)


def wilcoxon_tests(results):
    best = ["fsv", "l2-arom", "l1-arom"]
    print("\nWilcoxon signed rank tests on the trials (p-values; on the first 100 trials, as many as the paper "
          "has, and on all)")
    for n in paper.POINTS[1:]:
        for first in best:
            line = f"{n} points, {first:8}"
            for method in paper.TABLE1:
                if method in ("naive-l1", "naive-l2", first):
                    continue
                p = []
                for count in (100, TRIALS):
                    a, b = results[n][first][:count], results[n][method][:count]
                    p.append(wilcoxon(a, b).pvalue if (a != b).any() else 1.0)
                better = "better than" if results[n][first].mean() < results[n][method].mean() else "worse than"
                line += f" | {better} {method} {p[0]:.1g}, {p[1]:.1g}"
            print(line)


def figure1():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    table = run("figure1", "figure1", 30, SEED)
    error = table.groupby(["target", "method", "points"], sort=False).error
    print("\nFigure 1, 30 trials: mean test error in percent (standard error)")
    print((100 * error.mean()).round(1).astype(str).str.cat(
        (100 * error.sem()).round(1).astype(str), sep=" (").add(")").unstack().to_string())
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "zero-norm"})
    style = {"poly-svm": "k--", "poly-arom": "k-", "linear-svm": "k:"}
    figure, axes = plt.subplots(3, 2, figsize=(8, 10), sharex=True)
    for ax, target in zip(axes.flat, table.target.unique()):
        for method, points in table[table.target == target].groupby("method"):
            mean = points.groupby("points").error.mean()
            ax.plot(mean.index, mean, style[method], label=method)
        ax.set_title(target)
        ax.set_ylim(bottom=0)
        ax.set_ylabel("error")
        ax.legend()
    for ax in axes[-1]:
        ax.set_xlabel("training points")
    figure.tight_layout()
    path = os.path.join(OUT, "figure1.svg")
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    print(f"drawn in {path}")


def write_data(folder, file, name, change=None):
    """A data set as the raw doubles that `splits` reads; returns (path, n, d)."""
    table = pd.read_csv(os.path.join(folder, file))
    x = table.drop(columns="class").to_numpy(float)
    if change:
        x = change(x)
    path = os.path.join(OUT, name + ".bin")
    with open(path, "wb") as out:
        out.write(x.tobytes(order="F"))
        out.write(table["class"].astype("category").cat.codes.to_numpy(float).tobytes())
    return path, *x.shape


def corrected_t(a, b, n_train, n_test):
    """Nadeau and Bengio's corrected resampled t-test: two-sided p-value."""
    difference = np.asarray(a) - np.asarray(b)
    variance = difference.var(ddof=1)
    if variance == 0:
        return 1.0
    statistic = difference.mean() / np.sqrt((1 / len(difference) + n_test / n_train) * variance)
    return 2 * student.sf(abs(statistic), len(difference) - 1)


def micro_array(title, data, n_train, cells, C):
    path, n, d = data
    counts = sorted(cells, reverse=True)
    methods = list(paper.MICRO_ARRAY_METHODS)
    name = os.path.basename(path)[:-4]
    jobs = [(f"{name}-{m}-{C}", "splits", path, n, d, SPLITS, n_train, C, SEED, ",".join(map(str, counts)),
             "svm-rfe:step=1" if m == "svm-rfe" else m) for m in methods]
    table = pd.concat(start_all(jobs))
    table["method"] = table.method.str.replace(":step=1", "")
    error = {(m, k): group.sort_values("split").error.to_numpy() for (m, k), group in table.groupby(["method", "k"])}
    print(f"\n{title}, {SPLITS} random splits into {n_train} training and {n - n_train} test samples, final SVM with "
          f"C = {C}: test error in percent, the paper's (30 splits) in brackets")
    print("features" + "".join(f"{m:>28}" for m in methods))
    for k in counts:
        line = f"{k:8}"
        for m, (theirs, se) in zip(methods, cells[k]):
            ours, our_se = mean_se(error[m, k])
            line += f"{f'{ours:.2f}+-{our_se:.2f} [{theirs:.4g}+-{se:.2g}]':>28}"
        print(line)
    print("corrected resampled t-test: each method's smallest p-value against the others, by number of features")
    for m in methods:
        line = f"  {m:8}"
        for k in counts[1:]:
            p = min(corrected_t(error[m, k], error[o, k], n_train, n - n_train) for o in methods if o != m)
            line += f"  {k}: {p:.2g}"
        print(line)
    return table


def times(table):
    print("\nCPU seconds of one training run on the lymphoma data, 20 features (the paper's machine: 2003)")
    for method, seconds in paper.CPU_SECONDS.items():
        k = 4026 if method == "svm" else 20
        rows = table[(table.method == ("corr" if method == "svm" else method)) & (table.k == k)]
        note = " (all features: corr's scores and the SVM)" if method == "svm" else ""
        print(f"  {method:8} ours {rows.seconds.median():8.4f}   paper {seconds}{note}")


def table4(folder):
    repeats = 5
    path, n, d = write_data(folder, "brown_yeast208_recon.csv", "yeast")
    counts = list(paper.TABLE4)
    methods = {"AROM M-SVM": "l2-arom:multiclass=ww", "AROM 1vsR-SVM": "l2-arom:multiclass=ovr",
               "RFE 1vsR-SVM": "svm-rfe:step=1"}
    parts = start_all([(f"yeast-{seed}", "splits", path, n, d, 8, 0, "inf", seed, ",".join(map(str, counts)),
                        *methods.values()) for seed in range(1, repeats + 1)])
    print(f"\nTable 4, yeast, 8-fold cross-validation, {repeats} times: error in percent, the mean standard error "
          "of one cross-validation, the paper's single one in brackets")
    print("features" + "".join(f"{m:>26}" for m in methods))
    for k in counts:
        line = f"{k:8}"
        for (theirs, se), method in zip(paper.TABLE4[k], methods.values()):
            runs = [part[(part.method == method) & (part.k == k)].error for part in parts]
            ours = np.mean([100 * r.mean() for r in runs])
            our_se = np.mean([100 * r.std(ddof=1) / np.sqrt(8) for r in runs])
            line += f"{f'{ours:.1f} +- {our_se:.1f} [{theirs:.2g} +- {se:.2g}]':>26}"
        print(line)


def main():
    results = table1()
    wilcoxon_tests(results)
    variants(results)
    figure1()
    if len(sys.argv) < 3:
        print("\nTables 2, 3 and 4 need a data folder: run.sh DATA_FOLDER")
        return
    folder = sys.argv[2]
    micro_array("Table 2, colon cancer", write_data(folder, "colon_alon.csv.gz", "colon", np.log10), 50,
                paper.TABLE2, "inf")
    lymphoma = micro_array("Table 3, lymphoma", write_data(folder, "alizadeh96.csv.gz", "lymphoma"), 60,
                           paper.TABLE3, "inf")
    times(lymphoma)
    table4(folder)


main()
