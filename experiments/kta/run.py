#!/usr/bin/python3
"""Tables 2 to 4 and Figure 1 of the lp-KTA paper, as far as the data are there.

    run.py [DATA_FOLDER] [--pare PROGRAM] [--out FOLDER] [--only SET,...] [--rows METHOD,...] [--table] [--quick]

Without a data folder: a synthetic set whose rule no linear method can see. What is done is kept in kta.jsonl of the out
folder, a line for each run of pare: a run goes on where the last one ended, and --table only prints what is there.
"""

import argparse
import json
import os
import resource
import subprocess
import tempfile
import time

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

# The paper's numbers: Table 2 (accuracy, features; 5-fold), Table 3 (half the data, <= 200 features),
# Table 4 (seconds a point).
PAPER = {
    "arcene": ("Arcene", {"kta": (92.00, 3788), "kta-centered": (75.00, 134), "bahsic": (69.00, 100),
                          "l1-svm-path": (77.00, 273), "uniform": (81.00, 10000), "smo-mkl": (82.00, 9999),
                          "l1-mkl-path": (81.00, 87)},
               {"rbf": (76.80, 124), "linear": (73.40, 16), "info-gain": (72.00, 110), "chi2": (71.20, 120),
                "fisher": (66.20, 65), "mrmr": (68.20, 60), "relieff": (68.40, 170), "spectrum": (64.00, 195),
                "gini": (64.60, 185), "kruskal": (60.20, 95)},
               {"kta": 0.3, "kta-centered": 10.9, "smo-mkl": 5.7, "bahsic": 116.2, "l1-mkl-path": 29.5}),
    "madelon": ("Madelon", {"kta": (65.70, 12), "kta-centered": (62.45, 290), "bahsic": (53.90, 50),
                            "l1-svm-path": (61.25, 7), "uniform": (59.85, 500), "smo-mkl": (62.05, 1),
                            "l1-mkl-path": (62.76, 89)},
                {"rbf": (64.50, 14), "linear": (62.04, 12), "info-gain": (61.63, 5), "chi2": (61.69, 10),
                 "fisher": (61.47, 10), "mrmr": (61.87, 5), "relieff": (62.06, 15), "spectrum": (60.19, 25),
                 "gini": (59.43, 25), "kruskal": (55.04, 65)},
                {"kta": 2.4, "kta-centered": 2405.5, "smo-mkl": 168.4, "bahsic": 2265.8, "l1-mkl-path": 83.1}),
    "PCMAC": ("Pcmac", {"kta": (93.62, 2947), "kta-centered": (93.05, 498), "bahsic": (89.55, 500),
                        "l1-svm-path": (90.68, 190), "uniform": (92.49, 3289)},
              {"rbf": (89.76, 196), "linear": (88.88, 180), "info-gain": (88.99, 135), "chi2": (88.24, 155),
               "fisher": (88.02, 100), "mrmr": (83.34, 145), "relieff": (80.76, 200), "spectrum": (66.74, 185),
               "gini": (66.60, 185), "kruskal": (65.20, 200)},
              {"kta": 3.7, "kta-centered": 1099.6, "bahsic": 5906}),
    "dorothea": ("Dorothea", {"kta": (94.75, 20220), "bahsic": (90.63, 500), "l1-svm-path": (93.88, 499),
                              "uniform": (91.38, 100000)},
                 {"rbf": (93.75, 17), "linear": (93.60, 12), "info-gain": (93.33, 35), "chi2": (93.33, 20),
                  "fisher": (93.30, 20), "mrmr": (93.18, 155), "relieff": (93.33, 105), "spectrum": (90.28, 140),
                  "gini": (90.28, 140), "kruskal": (90.08, 65)},
                 {"kta": 12.5, "bahsic": 10976.3}),
}
LARGE = {"madelon", "PCMAC"}  # n > 1000: coarser steps and grids
GRID = "C_ratio 1 10 100, lambda2_ratio 0.05 0.2 0.5, lambda1_ratio 0.1 0.5"
GRID_LARGE = "C_ratio 1 10, lambda2_ratio 0.05 0.5"
GRID_RIVALS = "C_ratio 0.1 1 10 100"
FEW = "0.9"  # lambda2 as a share of the largest alignment: few features at p = 1
SIZES = "1,2,5,10,20,50,100,200,500"
FILTERS = ("info-gain", "chi2", "fisher", "mrmr", "relieff", "spectrum", "gini", "kruskal")
FILTER_SIZES = "5,10,15,20,25,35,50,65,80,95,110,125,140,155,170,185,200"
LEAST_P = ("1.01", "1.34", "1.67", "2")  # of smo-mkl
LAMBDAS = 30


class Kept:
    """What is done, by the data and the arguments of pare."""

    def __init__(self, path):
        self.path, self.known = path, {}
        if os.path.exists(path):
            for line in open(path):
                one = json.loads(line)
                self.known[tuple(one["key"])] = one["found"]

    def get(self, options, key, make):
        if tuple(key) not in self.known:
            if options.table:
                return None
            self.known[tuple(key)] = make()
            with open(self.path, "a") as file:
                file.write(json.dumps({"key": key, "found": self.known[tuple(key)]}) + "\n")
        return self.known[tuple(key)]


def slim(run):
    """Of a path what the tables need."""
    keep = ("n_features", "used_mean", "mean", "se", "settings")
    return {"points": [{k: p[k] for k in keep} for p in run["points"]], "chosen": run["chosen"]}


def run_path(options, data, *arguments):
    """A path as its JSON object, and the seconds it took; None: not done yet, and --table does nothing."""
    def make():
        start = time.perf_counter()
        out = subprocess.run([options.pare, "path", data, "--json", "--metric", "accuracy", "--threads",
                              str(options.threads), *arguments], check=True, capture_output=True, text=True).stdout
        return slim(json.loads(out)["runs"][0]), time.perf_counter() - start
    return options.kept.get(options, [os.path.basename(data), "path", *arguments], make) or (None, None)


def run_fit(options, data, *arguments):
    """Processor seconds of a fit on all samples, with reading, and how many features it selects."""
    def make():
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        out = subprocess.run([options.pare, "fit", data, "--json", "--threads", str(options.threads), *arguments],
                             check=True, capture_output=True, text=True).stdout
        taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        return taken, len(json.loads(out)["selected"])
    return options.kept.get(options, [os.path.basename(data), "fit", *arguments], make) or (None, None)


def oracle(points, most=None):
    """The point with the best mean on the test parts: what the paper's tables print."""
    allowed = [p for p in points if most is None or p["used_mean"] <= most]
    best = max(allowed, key=lambda p: (p["mean"], -p["used_mean"])) if allowed else None
    return f"{100 * best['mean']:.2f} ({best['used_mean']:.0f})" if best else "-"


def nested(run):
    found = run["chosen"] and run["chosen"]["nested"]
    return f"{100 * found['mean']:.2f}" if found else "-"


def row(table, method, paper, run, nests, most=None, taken=None):
    if run is None:
        return
    said = f"{paper[0]:.2f} ({paper[1]})" if paper else "-"
    seconds = f"{taken:.1f}" if taken else "-"
    print(f"{table}\t{method}\t{said}\t{oracle(run['points'], most)}\t{nested(run) if nests else '-'}\t{seconds}", flush=True)


def table2(options, name, data, paper):
    """5-fold: the whole path of kta, tuned inside each training part, and its rivals."""
    large = name in LARGE
    step = ["--p-step", "0.05" if large else "0.02"]
    tune = ["--inner", "0"] if options.quick else ["--tune", "--grid", GRID_LARGE if large else GRID, "--inner", "3"]
    if options.row("kta"):
        run, taken = run_path(options, data, "-m", "kta", "--folds", "5", *step, *tune)
        row(2, "kta", paper.get("kta"), run, not options.quick, taken=taken)
    wide = usable(options, data)
    own = support(options, data, "kta-centered") if options.row("kta-centered") else None
    for rival, settings, has_c in [("uniform", ["--sizes", wide], True),
                                   ("kta-centered", ["--sizes", str(own)], True),
                                   ("bahsic", ["--sizes", cut(SIZES, int(wide) if wide.isdigit() else 500)], False),
                                   ("smo-mkl", ["--p-step", "0.33"], not large and name != "dorothea"),
                                   ("l1-mkl-path", ["--lambda-count", str(LAMBDAS)], False),
                                   ("l1-svm-path", ["--lambda-count", "51"], False)]:
        if not options.row(rival) or "None" in settings:
            continue
        nests = has_c and not options.quick
        tune = ["--tune", "--grid", GRID_RIVALS, "--inner", "3"] if nests else ["--inner", "0"]
        found, taken = run_path(options, data, "-m", rival, "--folds", "5", "--substitutes", "0", *settings, *tune)
        row(2, rival, paper.get(rival), found, nests, taken=taken)


def table3(options, data, paper):
    """Half the data, at most 200 features: kta with p from 1 up to where more would be selected; filters by sizes."""
    for kernel in ("rbf", "linear"):
        if not options.row("kta"):
            break
        base = ["-m", "kta", "--kernel", kernel, "--lambda2-ratio", FEW]
        look, _ = run_path(options, data, *base, "--p-start", "1.4", "--folds", "2", "--inner", "0")
        allowed = [p["settings"]["p"] for p in look["points"] if p["n_features"] <= 200] if look else []
        if not allowed:
            print(f"3\tkta {kernel}\t-\tno point has so few features\t-\t-")
            continue
        tune = ["--inner", "0"] if options.quick else ["--tune", "--grid", "C_ratio 1 10 100, lambda1_ratio 0.1 0.5",
                                                        "--inner", "3"]
        run, taken = run_path(options, data, *base, "--p-start", f"{max(allowed):g}", "--splits", "5", "--train", "0.5",
                              *tune)
        row(3, f"kta {kernel}", paper.get(kernel), run, not options.quick, 200, taken)
    for method in FILTERS:
        if not options.row(method):
            continue
        run, taken = run_path(options, data, "-m", method, "--splits", "5", "--train", "0.5", "--inner", "0", "--substitutes",
                              "0", "--sizes", FILTER_SIZES)
        row(3, method, paper.get(method), run, False, 200, taken)


def table4(options, data, paper):
    """Seconds for one point. kta: path of 101 points, 5 folds, an SVM at each, no tuning, wall time; the rivals on all
    samples, processor time."""
    def said(method, seconds, whole):
        print(f"4\t{method}, seconds a point\t{paper.get(method, '-')}\t{seconds:.4f}\t-\t{whole:.1f}", flush=True)

    run = None
    if options.row("kta"):
        run, taken = run_path(options, data, "-m", "kta", "--lambda2-ratio", FEW, "--folds", "5", "--inner", "0",
                              "--substitutes", "0")
        if run:
            said("kta", taken / (5 * len(run["points"])), taken)
    times = {"kta-centered": [["-m", "kta-centered"]], "smo-mkl": [["-m", "smo-mkl", "--p", p] for p in LEAST_P],
             "bahsic": [["-m", "bahsic", "-k", "1"]],
             "l1-mkl-path": [["-m", "l1-mkl-path", "--sweep", "--lambda-count", str(LAMBDAS)]]}
    for method, fits in times.items():
        if not options.row(method):
            continue
        found = [run_fit(options, data, *fit)[0] for fit in fits]
        if None in found:
            continue
        points = {"l1-mkl-path": LAMBDAS, "bahsic": 500}.get(method, len(fits))
        said(method, sum(found) / points, sum(found))
    return run


def support(options, data, method):
    """How many features the method selects by itself on all samples."""
    return run_fit(options, data, "-m", method)[1]


def usable(options, data):
    """How many features are not constant, as text."""
    return str(run_fit(options, data, "-m", "uniform")[1])


def cut(sizes, most):
    return ",".join(s for s in sizes.split(",") if int(s) <= most)


def tables(options, name, data):
    title, accuracy, half, seconds = PAPER.get(name, (name, {}, {}, {}))
    print(f"\n== {title}")
    print("table\tmethod\tpaper (features)\toracle (features)\tnested\tseconds")
    if options.wants("4"):
        whole = table4(options, data, seconds)
        if whole and not options.table:
            figure(options, name, whole, data)
    if options.wants("3"):
        table3(options, data, half)
    if options.wants("2"):
        table2(options, name, data, accuracy)


def weights(options, data):
    """Weights of all features at each p: {p: {column: weight}}."""
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run([options.pare, "path", data, "-m", "kta", "--lambda2-ratio", FEW, "--folds", "2", "--inner", "0",
                        "--weights-out", file.name], check=True, capture_output=True)
        found = {}
        for line in open(file.name).read().splitlines()[1:]:
            p, _, column, weight = line.split("\t")
            found.setdefault(float(p), {})[int(column)] = float(weight)
    return found


def figure(options, name, run, data):
    """Figure 1: accuracy and features along the path; weights of some features, with junctures."""
    p = [float(point["settings"]["p"]) for point in run["points"]]
    fig, axes = plt.subplots(1, 3, figsize=(15, 4.2))
    axes[0].plot([q["used_mean"] for q in run["points"]], [100 * q["mean"] for q in run["points"]])
    axes[0].set(xscale="log", xlabel="features", ylabel="accuracy (%)", title="(a) selection path")
    axes[1].plot(p, [q["used_mean"] for q in run["points"]])
    axes[1].set(xlabel="p", ylabel="features", title="(b) features along p")
    found = weights(options, data)
    values = sorted(found)
    largest = sorted(found[2.0], key=found[2.0].get, reverse=True)
    for column in [largest[int(i)] for i in np.unique(np.linspace(0, len(largest) - 1, 8))]:
        line = [found[v].get(column, np.nan) for v in values]
        axes[2].plot(values, line, label=f"x{column + 1}")
        gone = [v for v, w in zip(values, line) if np.isnan(w)]
        if gone:
            axes[2].axvline(max(gone), color="0.85", zorder=0)
    axes[2].set(xlabel="p", ylabel="weight", title="(c) weights; grey: junctures")
    axes[2].set_yscale("log")
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
    parser.add_argument("--tables", default="4,3,2", help="which to make; 4 comes with Figure 1")
    parser.add_argument("--only", help="sets to run, comma-separated")
    parser.add_argument("--rows", help="methods to run, comma-separated")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--table", action="store_true", help="only print what is done")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    options.kept = Kept(os.path.join(options.out, "kta.jsonl"))
    options.row = lambda method: not options.rows or method in options.rows.split(",")
    options.wants = lambda table: table in options.tables.split(",")
    if not options.folder:
        with tempfile.TemporaryDirectory() as scratch:
            data = synthetic(scratch)
            tables(options, "ring", data)
            linear, _ = run_path(options, data, "-m", "svm", "--folds", "5", "--inner", "0")
            print(f"-\tsvm, linear\t-\t{oracle(linear['points'])}\t-")
        return
    for name in PAPER:
        if options.only and name not in options.only.split(","):
            continue
        for end in (".csv.gz", ".svm.gz", ".mat"):
            data = os.path.join(options.folder, name + end)
            if os.path.exists(data):
                tables(options, name, data)
                break
        else:
            print(f"\n== {PAPER[name][0]}: not in {options.folder}")


main()
