#!/usr/bin/python3
"""Tables 2 to 4 and Figure 1 of the lp-KTA paper, as far as the data are there.

    run.py [DATA_FOLDER] [--pare PROGRAM] [--out FOLDER] [--quick]

Without a data folder: a synthetic set whose rule no linear method can see.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

# Paper: Table 2 (accuracy, features, 5-fold), Table 3 (rbf and linear, half the data, <= 200 features),
# Table 4 (seconds per point).
PAPER = {
    "arcene": ("Arcene", (92.00, 3788), (76.80, 124), (73.40, 16), 0.3, (81.00, 10000)),
    "madelon": ("Madelon", (65.70, 12), (64.50, 14), (62.04, 12), 2.4, (59.85, 500)),
    "PCMAC": ("Pcmac", (93.62, 2947), (89.76, 196), (88.88, 180), 3.7, (92.49, 3289)),
    "dorothea": ("Dorothea", (94.75, 20220), (93.75, 17), (93.60, 12), 12.5, (91.38, 100000)),
}


def run_path(options, data, *arguments):
    """A path as its JSON object, and the seconds it took."""
    start = time.perf_counter()
    out = subprocess.run([options.pare, "path", data, "--json", "--metric", "accuracy", *arguments],
                         check=True, capture_output=True, text=True).stdout
    return json.loads(out)["runs"][0], time.perf_counter() - start


def oracle(points, most=None):
    """The point with the best mean on the test parts: what the paper's tables print."""
    allowed = [p for p in points if most is None or p["used_mean"] <= most]
    best = max(allowed, key=lambda p: (p["mean"], -p["used_mean"])) if allowed else None
    return f"{100 * best['mean']:.2f} ({best['used_mean']:.0f})" if best else "-"


def nested(run):
    found = run["chosen"] and run["chosen"]["nested"]
    return f"{100 * found['mean']:.2f}" if found else "-"


def tables(options, name, data):
    title, table2, rbf, linear, seconds, uniform = PAPER.get(name, (name,) + (None,) * 5)
    print(f"\n== {title}")
    said = (lambda x: f"{x[0]:.2f} ({x[1]})" if x else "-")
    inner = ["--inner", "0" if options.quick else "3"]
    print("table\tmethod\tpaper (features)\toracle (features)\tnested")
    run, taken = run_path(options, data, "-m", "kta", "--folds", "5", "--C-ratio", "10", *inner)
    print(f"2\tkta rbf\t{said(table2)}\t{oracle(run['points'])}\t{nested(run)}")
    everything = str(max(p["n_features"] for p in run["points"]))
    plain, _ = run_path(options, data, "-m", "uniform", "--folds", "5", "--sizes", everything,
                        "--C-ratio", "10", "--inner", "0", "--substitutes", "0")
    print(f"2\tuniform\t{said(uniform)}\t{oracle(plain['points'])}\t-")
    for kernel, paper in (("rbf", rbf), ("linear", linear)):
        half, _ = run_path(options, data, "-m", "kta", "--kernel", kernel, "--splits", "5", "--train", "0.5",
                           "--C-ratio", "10", "--inner", "0")
        print(f"3\tkta {kernel}\t{said(paper)}\t{oracle(half['points'], 200)}\t-")
    count = len(run["points"])
    print(f"4\tseconds a point\t{seconds if seconds else '-'}\t{taken / (5 * count):.4f}"
          f"\t(whole path of {count} points, 5 folds: {taken:.1f} s)")
    return run


def weights(options, data, values):
    """Weights of all features at each p: {p: {column: weight}}."""
    found = {}
    for p in values:
        out = subprocess.run([options.pare, "fit", data, "-m", "kta", "--p", f"{p:g}", "--json"], check=True,
                             capture_output=True, text=True).stdout
        selection = json.loads(out)["selection"]
        found[p] = dict(zip(selection["columns"], selection["z"]))
    return found


def figure(options, name, run, data):
    """Figure 1: accuracy and features along the path; weights of some features, with junctures."""
    p = [float(point["settings"]["p"]) for point in run["points"]]
    fig, axes = plt.subplots(1, 3, figsize=(15, 4.2))
    axes[0].plot([q["used_mean"] for q in run["points"]], [100 * q["mean"] for q in run["points"]])
    axes[0].set(xscale="log", xlabel="features", ylabel="accuracy (%)", title="(a) selection path")
    axes[1].plot(p, [q["used_mean"] for q in run["points"]])
    axes[1].set(xlabel="p", ylabel="features", title="(b) features along p")
    values = np.round(np.linspace(1, 2, 6 if options.quick else 11), 9)
    found = weights(options, data, values)
    largest = sorted(found[2.0], key=found[2.0].get, reverse=True)
    for column in [largest[int(i)] for i in np.unique(np.linspace(0, len(largest) - 1, 8))]:
        line = [found[v].get(column, 0) for v in values]
        axes[2].plot(values, line, marker=".", label=f"x{column + 1}")
        gone = [v for v, w in zip(values, line) if w == 0]
        if gone:
            axes[2].axvline(max(gone), color="0.85", zorder=0)
    axes[2].set(yscale="symlog", xlabel="p", ylabel="weight", title="(c) weights; grey: dropped by then")
    axes[2].set_yscale("symlog", linthresh=1e-4)
    axes[2].legend(fontsize=7)
    path = os.path.join(options.out, f"{name}.png")
    fig.tight_layout()
    fig.savefig(path, dpi=110)
    plt.close(fig)
    print(f"figure\t{path}")


def synthetic(folder):
    """Class by |x1| and |x2| being large or not: both classes have the same means."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(300, 200))
    y = (np.abs(x[:, 0]) + np.abs(x[:, 1]) + 0.2 * rng.normal(size=300) > 1.6).astype(int)
    name = os.path.join(folder, "ring.csv")
    np.savetxt(name, np.column_stack([x, y]), delimiter=",", fmt="%.8g", comments="",
               header=",".join([f"f{j + 1}" for j in range(200)] + ["y"]))
    return name


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--pare", default=os.path.join(here, "..", "..", "build", "release", "pare"))
    parser.add_argument("--out", default=".")
    parser.add_argument("--quick", action="store_true", help="no nested estimate, coarser figure")
    parser.add_argument("--only", help="sets to run, comma-separated")
    options = parser.parse_args()
    if not options.folder:
        with tempfile.TemporaryDirectory() as scratch:
            data = synthetic(scratch)
            run = tables(options, "ring", data)
            linear, _ = run_path(options, data, "-m", "svm", "--folds", "5", "--inner", "0")
            print(f"-\tsvm, linear\t-\t{oracle(linear['points'])}\t-")
            figure(options, "ring", run, data)
        return
    for name in PAPER:
        if options.only and name not in options.only.split(","):
            continue
        for end in (".csv.gz", ".svm.gz", ".mat"):
            data = os.path.join(options.folder, name + end)
            if os.path.exists(data):
                figure(options, name, tables(options, name, data), data)
                break
        else:
            print(f"\n== {PAPER[name][0]}: not in {options.folder}")


main()
