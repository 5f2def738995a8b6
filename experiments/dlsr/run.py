#!/usr/bin/python3
"""The tables and figures of the discriminative least squares paper, on those of its data that are at hand.

    run.py [DATA_FOLDER] [--pare PROGRAM] [--splits 20] [--sets NAME,...] [--keep FILE] [--table]

Without DATA_FOLDER only the demonstration of Figure 1 runs (figure1.png). With it: Table III with the
t-tests of Table IV and the times of Table V, then Tables VII to IX with the t-tests of Table X and the
times of Table XI, and Figures 2 and 3 (figure2.png, and their numbers). What is done is kept in FILE, a line for each
split: a run goes on where the last one ended, and --table only prints what is there. See README.md for what is as in
the paper and what is not.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np

PAPER_3 = {  # baseline, LDA, linear SVM, logistic, LSR, DLSR
    "Vehicle": (68.58, 65.82, 70.06, 71.52, 65.89, 68.93),
    "AT&T": (91.81, 94.40, 93.48, 92.02, 93.10, 94.42),
    "Usps": (94.02, 91.14, 94.02, 92.63, 91.04, 93.07),
    "Coil20": (96.64, 98.09, 98.13, 95.07, 96.98, 98.56),
}
PAPER_5 = {  # seconds: LDA, linear SVM, logistic, LSR, DLSR
    "Vehicle": (0.012, 0.015, 0.037, 0.001, 0.015),
    "AT&T": (0.348, 0.082, 154.479, 0.019, 0.655),
    "Usps": (0.395, 0.113, 13.689, 0.042, 1.167),
    "Coil20": (0.239, 0.150, 20.806, 0.030, 0.988),
}
SELECTORS = ("MI", "Gini", "T-test", "FS", "LS", "ReliefF", "mRMR", "SBMLR", "DLSR-FS")
PAPER_7 = {  # accuracy with the top 80 features (Vehicle 16), in the order of SELECTORS
    "Vehicle": (70.81, 70.65, 69.60, 69.46, 71.05, 70.47, 70.23, 71.03, 71.40),
    "AT&T": (84.77, 87.25, 82.63, 83.98, 80.15, 81.81, 86.50, 88.38, 88.00),
    "Usps": (89.95, 88.28, 87.84, 91.54, 88.06, 91.58, 83.79, 93.55, 93.86),
    "Coil20": (96.20, 95.08, 89.46, 95.77, 87.63, 93.35, 95.45, 92.92, 97.35),
    "Glioma": (67.17, 63.17, 56.67, 66.17, 62.67, 62.83, 64.50, 64.50, 63.83),
    "SRBCT": (79.61, 96.57, 92.35, 96.57, 88.04, 96.27, 89.12, 91.27, 96.47),
    "TOX-171": (70.68, 67.14, 63.93, 66.84, 69.76, 68.84, 73.98, 63.40, 75.24),
}
PAPER_10 = {  # whether DLSR-FS is better, in the order of SELECTORS
    "Vehicle": (1, 1, 1, 1, 1, 1, 1, 0),
    "AT&T": (1, 0, 1, 1, 1, 1, 1, 0),
    "Usps": (1, 1, 1, 1, 1, 1, 1, 1),
    "Coil20": (1, 1, 1, 1, 1, 1, 1, 1),
    "Glioma": (0, 0, 1, 0, 0, 0, 0, 0),
    "SRBCT": (1, 0, 1, 0, 1, 0, 1, 1),
    "TOX-171": (1, 1, 1, 1, 1, 1, 0, 1),
}
PAPER_11 = {  # seconds, in the order of SELECTORS
    "Vehicle": (0.001, 0.02, 0.001, 0.01, 0.03, 0.12, 0.16, 0.43, 0.41),
    "AT&T": (0.19, 20.9, 0.01, 0.82, 0.05, 0.69, 296, 33.5, 0.16),
    "Usps": (0.04, 16.6, 0.01, 0.10, 0.81, 2.18, 98.8, 6.31, 5.34),
    "Coil20": (0.05, 9.61, 0.01, 0.18, 0.32, 1.94, 102, 7.39, 1.52),
    "Glioma": (0.14, 2.76, 0.04, 0.63, 0.06, 0.07, 62.3, 0.02, 0.08),
    "SRBCT": (0.05, 1.44, 0.02, 0.33, 0.05, 0.10, 8.42, 0.81, 0.07),
    "TOX-171": (0.17, 3.77, 0.05, 0.83, 0.20, 0.72, 7.69, 7.57, 0.61),
}
PARE_NAME = dict(zip(SELECTORS, ("mutual-info", "gini", "t-test", "fisher", "laplacian", "relieff", "mrmr", "sbmlr",
                                 "dlsr-fs")))
TRAIN = {"Vehicle": 340, "AT&T": 160, "Usps": 800, "Coil20": 580, "Glioma": 20, "SRBCT": 32, "TOX-171": 68}
COST_ORDER = ("Glioma", "SRBCT", "Vehicle", "TOX-171", "AT&T", "Coil20", "Usps")  # the cheapest first
LAMBDAS = (1e-4, 1e-3, 1e-2, 1e-1, 1, 10)
COSTS = (1e-3, 1e-2, 1e-1, 1, 10, 100)
JOINT_COSTS = (1e-4, *COSTS)
RATIOS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)  # of lambda_max


def load(folder, name):
    import pandas as pd
    from scipy.io import loadmat
    if name in ("Vehicle", "Usps", "SRBCT"):
        table = pd.read_csv(os.path.join(folder, {"Vehicle": "vehicle.csv", "Usps": "usps.csv.gz",
                                                  "SRBCT": "srbct.csv.gz"}[name]))
        y = table["class"].to_numpy()
        x = table.drop(columns="class").to_numpy(float)
    else:
        mat = loadmat(os.path.join(folder, {"AT&T": "ORL.mat", "Coil20": "COIL20.mat", "Glioma": "GLIOMA.mat",
                                            "TOX-171": "TOX-171.mat"}[name]))
        x, y = mat["X"].astype(float), mat["Y"].ravel()
    y = np.unique(y, return_inverse=True)[1]
    if name == "Usps":  # 200 images of each digit
        draw = np.random.default_rng(0)
        keep = np.concatenate([draw.permutation(np.where(y == k)[0])[:200] for k in range(10)])
        x, y = x[keep], y[keep]
    if name == "Coil20":  # 32 x 32 to 16 x 16 by means of four
        x = x.reshape(-1, 16, 2, 16, 2).mean((2, 4)).reshape(len(x), 256)
    if name in ("AT&T", "Coil20"):  # intensities to [0, 1]
        x = x / x.max()
    return x, y


def split(y, count, draw):
    """About count training samples, the same share of every class, at least one each."""
    train = []
    for k in np.unique(y):
        members = draw.permutation(np.where(y == k)[0])
        train.extend(members[:max(1, round(len(members) * count / len(y)))])
    train = np.array(sorted(train))
    return train, np.setdiff1d(np.arange(len(y)), train)


def folds(y, count, draw):
    part = np.empty(len(y), int)
    for k in np.unique(y):
        members = draw.permutation(np.where(y == k)[0])
        part[members] = (np.arange(len(members)) + draw.integers(count)) % count
    return [(np.where(part != f)[0], np.where(part == f)[0]) for f in range(count)]


class Pare:
    def __init__(self, program):
        self.program = program

    def fit(self, x, y, *options):
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/x.npy", x)
            np.savetxt(f"{folder}/y", y, "%d")
            out = subprocess.run([self.program, "fit", f"{folder}/x.npy", "--labels", f"{folder}/y", "--task", "classify",
                                  "--json", "--timing", "--threads", "1", *map(str, options)],
                                 capture_output=True, text=True)
        if out.returncode:
            raise SystemExit(out.stderr.strip())
        return json.loads(out.stdout)


def outputs(model, x):
    use = [f["index"] for f in model["selected"]]
    return np.stack([o["intercept"] + x[:, use] @ np.array(o["coef"]) for o in model["outputs"]], 1)


def decide(model, x, nearest=None):
    """Classes by the largest output, or by the nearest of the training samples `nearest` = (x, y)."""
    f = outputs(model, x)
    if nearest is not None:
        from sklearn.neighbors import KNeighborsClassifier
        return KNeighborsClassifier(1).fit(outputs(model, nearest[0]), nearest[1]).predict(f)
    labels = np.array([int(c) for c in model["classes"]])
    return labels[(f[:, 0] > 0).astype(int)] if f.shape[1] == 1 else labels[f.argmax(1)]


def linear(method, setting, neighbours):
    def run(pare, x, y, test, value):
        model = pare.fit(x, y, "-m", method, "--scale", "none", setting, value)
        return decide(model, test, (x, y) if neighbours else None), model["seconds"]
    return run


def logistic(pare, x, y, test, value):
    """All classes at once, with a ridge of weight 1 against the loss of all samples."""
    model = pare.fit(x, y, "-m", "logistic", "--scale", "none", "--alpha", 0, "--lambda", 1 / len(y), "--tol", 1e-4)
    return decide(model, test), model["seconds"]


def baseline(pare, x, y, test, value):
    from sklearn.neighbors import KNeighborsClassifier
    return KNeighborsClassifier(1).fit(x, y).predict(test), 0


RIVALS = [("1-NN", baseline, (None,)), ("LDA", linear("lda", "--gamma", True), LAMBDAS),
          ("SVM", linear("svm", "--C", False), COSTS), ("Logistic", logistic, (None,)),
          ("LSR", linear("lsr", "--lambda", True), LAMBDAS), ("DLSR", linear("dlsr", "--lambda", True), LAMBDAS)]


class Kept:
    """What was measured, by table, set, method and split, in a file of one line each."""
    def __init__(self, path):
        self.path, self.known = path, {}
        for line in open(path) if os.path.exists(path) else ():
            key, value = json.loads(line)
            self.known[tuple(key)] = value

    def get(self, key, make):
        if key not in self.known:
            self.known[key] = make()
            with open(self.path, "a") as file:
                file.write(json.dumps([key, self.known[key]]) + "\n")
            print(*key, file=sys.stderr, flush=True)
        return self.known[key]

    def splits(self, table, name, methods, most):
        """The splits that all of the methods have."""
        return [s for s in range(most) if all((table, name, m, s) in self.known for m in methods)]


def tune(run, grid, pare, x, y, count):
    if len(grid) == 1:
        return grid[0]
    parts = folds(y, count, np.random.default_rng(1))
    right = [np.mean([np.mean(run(pare, x[a], y[a], x[b], value)[0] == y[b]) for a, b in parts]) for value in grid]
    return grid[int(np.argmax(right))]


def better(a, b):
    """Paired t-test, one-sided at 0.95: is a > b?"""
    from scipy.stats import ttest_rel
    return "-" if np.allclose(a, b) else int(ttest_rel(a, b, alternative="greater").pvalue < 0.05)


def print_table(columns, rows):
    print("\n| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for cells in rows:
        print("| " + " | ".join(cells) + " |")
    print(flush=True)


def spread(values):
    return f"{np.mean(values):.2f} ± {np.std(values, ddof=1):.2f}"


def run_3(folder, pare, splits, name, kept):
    x, y = load(folder, name)
    for s in range(splits):
        train, test = split(y, TRAIN[name], np.random.default_rng(100 + s))
        first = split(y, TRAIN[name], np.random.default_rng(100))[0]
        for rival, run, grid in RIVALS:
            chosen = kept.get(("III", name, rival, "chosen"), lambda: tune(
                run, grid, pare, x[first], y[first], 3 if name == "AT&T" else 10))  # one per set, as the paper says

            def one():
                guess, spent = run(pare, x[train], y[train], x[test], chosen)
                return [100 * np.mean(guess == y[test]), spent]
            kept.get(("III", name, rival, s), one)


def table_3(kept, splits, sets):
    print("\n## Tables III to V\n\nAccuracy in %, mean and deviation over the splits; the paper's; DLSR better than the rival "
          "(1: at 0.95); seconds of one\ntraining here; the paper's, on its own machine; the parameter chosen.")
    for name in (name for name in PAPER_3 if name in sets):
        done = kept.splits("III", name, [r[0] for r in RIVALS], splits)
        if len(done) < 2:
            continue
        accuracy = {r[0]: [kept.known["III", name, r[0], s][0] for s in done] for r in RIVALS}
        seconds = {r[0]: [kept.known["III", name, r[0], s][1] for s in done] for r in RIVALS}
        print(f"\n{name}: {TRAIN[name]} for training, {len(done)} splits")
        rows = []
        for i, (rival, _, grid) in enumerate(RIVALS):
            chosen = kept.known["III", name, rival, "chosen"]
            rows.append((rival, spread(accuracy[rival]), f"{PAPER_3[name][i]:.2f}",
                         "" if rival == "DLSR" else str(better(accuracy["DLSR"], accuracy[rival])),
                         "" if i == 0 else f"{np.median(seconds[rival]):.4f}",
                         "" if i == 0 else f"{PAPER_5[name][i - 1]}",
                         "" if len(grid) == 1 else f"{chosen:g}"))
        print_table(("method", "accuracy", "paper", "DLSR >", "seconds", "paper", "chosen"), rows)


def ranking(pare, method, x, y, keep, ratio):
    """The best `keep` features, the seconds it took, and whether a smaller lambda would give the same."""
    options = ["-m", PARE_NAME[method], "-k", keep]
    if method == "DLSR-FS":
        options += ["--lambda-ratio", ratio, "--tol", 1e-4, "--refit", "none"]
    elif method != "SBMLR":
        options += ["--classifier", "lda"]  # whose time does not count beside that of the selection
    model = pare.fit(x, y, *options)
    vanish = any("all residuals vanish" in note for note in model["notes"])
    return [f["index"] for f in model["selected"]], model["seconds"], vanish


def classify(x, y, test, cost):
    from sklearn.svm import SVC
    mean, deviation = x.mean(0), x.std(0)
    deviation[deviation == 0] = 1
    return SVC(kernel="linear", C=cost).fit((x - mean) / deviation, y).predict((test - mean) / deviation)


def tune_jointly(pare, method, x, y, keep, count):
    ratios = RATIOS if method == "DLSR-FS" else (None,)
    right = np.zeros((len(ratios), len(JOINT_COSTS)))
    for a, b in folds(y, count, np.random.default_rng(1)):
        same = False
        for i, ratio in enumerate(ratios):
            if not same:
                use, _, same = ranking(pare, method, x[a], y[a], keep, ratio)
            for j, cost in enumerate(JOINT_COSTS):
                right[i, j] += np.sum(classify(x[a][:, use], y[a], x[b][:, use], cost) == y[b])
    i, j = np.unravel_index(right.argmax(), right.shape)
    return [ratios[i], JOINT_COSTS[j]]


def keeps(name):
    """How many features Tables VII to IX keep, and the sizes of Figures 2 and 3."""
    return (16, range(2, 17, 2)) if name == "Vehicle" else (80, range(10, 81, 10))


def run_7(folder, pare, splits, name, kept):
    x, y = load(folder, name)
    keep, sizes = keeps(name)
    first = split(y, TRAIN[name], np.random.default_rng(100))[0]
    for s in range(splits):  # outermost, so that what is there can be compared
        train, test = split(y, TRAIN[name], np.random.default_rng(100 + s))
        for method in SELECTORS:
            ratio, cost = kept.get(("VII", name, method, "chosen"), lambda: tune_jointly(
                pare, method, x[first], y[first], keep, 3 if TRAIN[name] < 200 else 10))

            def one():
                use, spent, _ = ranking(pare, method, x[train], y[train], keep, ratio)
                guess = [classify(x[train][:, use[:k]], y[train], x[test][:, use[:k]], cost) for k in sizes]
                return [[100 * np.mean(g == y[test]) for g in guess], spent]
            kept.get(("VII", name, method, s), one)


def table_7(kept, splits, sets):
    print("\n## Tables VII to XI\n\nAccuracy in % of a linear SVM on the selected features; the paper's; DLSR-FS better than "
          "the rival (1: at 0.95); the paper's\nverdict; seconds of one selection here; the paper's.")
    for name, paper in PAPER_7.items():
        methods = [m for m in SELECTORS if kept.splits("VII", name, [m], splits)]
        done = kept.splits("VII", name, methods, splits)
        if name not in sets or len(done) < 2 or "DLSR-FS" not in methods:
            continue
        accuracy = {m: [kept.known["VII", name, m, s][0][-1] for s in done] for m in methods}
        ratio, cost = kept.known["VII", name, "DLSR-FS", "chosen"]
        print(f"\n{name}: {TRAIN[name]} for training, {keeps(name)[0]} features, {len(done)} splits; chosen for DLSR-FS: "
              f"{ratio:g} lambda_max, C {cost:g}")
        rows = []
        for i, method in enumerate(SELECTORS):
            have = method in methods
            rows.append((method, spread(accuracy[method]) if have else "-", f"{paper[i]:.2f}",
                         str(better(accuracy["DLSR-FS"], accuracy[method])) if have and method != "DLSR-FS" else "",
                         str(PAPER_10[name][i]) if method != "DLSR-FS" else "",
                         f"{np.median([kept.known['VII', name, method, s][1] for s in done]):.3f}" if have else "-",
                         f"{PAPER_11[name][i]}"))
        print_table(("method", "accuracy", "paper", "DLSR-FS >", "paper", "seconds", "paper"), rows)


def figures_2_3(kept, splits, sets):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plot
    print("\n## Figures 2 and 3\n\nAccuracy in % against the number of selected features (the paper has pictures, no numbers).")
    names = [n for n in PAPER_7 if n in sets and len(kept.splits("VII", n, SELECTORS, splits)) > 1]
    if not names:
        return
    figure, part = plot.subplots(len(names), 2, figsize=(10, 3 * len(names)), squeeze=False)
    for row, name in zip(part, names):
        done, sizes = kept.splits("VII", name, SELECTORS, splits), list(keeps(name)[1])
        curve = {m: np.array([kept.known["VII", name, m, s][0] for s in done]) for m in SELECTORS}
        print(f"\n{name}, {len(done)} splits")
        print_table(("method", *map(str, sizes)), [(m, *(f"{v:.1f}" for v in curve[m].mean(0))) for m in SELECTORS])
        for axis, shown in zip(row, (SELECTORS[:4], SELECTORS[4:8])):
            for m in (*shown, "DLSR-FS"):
                axis.errorbar(sizes, curve[m].mean(0), curve[m].std(0, ddof=1), label=m, capsize=2, linewidth=1)
            axis.set_title(name)
            axis.set_xlabel("selected features")
            axis.set_ylabel("accuracy in %")
            axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig("figure2.png", dpi=70)
    print("figure2.png written")


def figure_1(pare):
    """60 samples of three classes in the plane: what dragging does to their images."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plot
    draw = np.random.default_rng(4)
    y = np.repeat(np.arange(3), 20)
    x = draw.standard_normal((60, 2)) * 0.5 + np.array([[0, 2], [-2, -1], [2, -1]])[y]
    change = [outputs(pare.fit(x, y, "-m", method, "--scale", "none", "--lambda", 0.1), x) for method in ("dlsr", "lsr")]
    change = change[0] - change[1]
    figure, part = plot.subplots(1, 4, figsize=(14, 3))
    for k in range(3):
        part[0].plot(*x[y == k].T, "o^s"[k])
        part[k + 1].plot(change[:, k])
        part[k + 1].axhline(0, color="grey", linewidth=0.5)
        part[k + 1].set_title(f"output {k + 1}: dlsr - lsr")
        part[k + 1].set_xlabel("sample, class by class")
    part[0].set_title("60 samples, three classes")
    figure.tight_layout()
    figure.savefig("figure1.png", dpi=120)
    for k in range(3):
        print(f"Figure 1, output {k + 1}: dlsr - lsr, mean of the own class {change[y == k, k].mean():+.3f}, of the "
              f"others {change[y != k, k].mean():+.3f}")
    print("figure1.png written")


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="?")
    parser.add_argument("--pare", default=os.path.join(os.path.dirname(__file__), "../../build/release/pare"))
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--sets", default=",".join(PAPER_7), help="data sets, separated by commas")
    parser.add_argument("--keep", default="dlsr.jsonl", help="the file of what is done")
    parser.add_argument("--table", action="store_true", help="print what is there")
    given = parser.parse_args()
    pare, kept, sets = Pare(given.pare), Kept(given.keep), given.sets.split(",")
    if not given.table:
        figure_1(pare)
    if given.data and not given.table:
        for name in sorted(sets, key=COST_ORDER.index):
            if name in PAPER_3:
                run_3(given.data, pare, given.splits, name, kept)
            run_7(given.data, pare, given.splits, name, kept)
    if given.data or given.table:
        table_3(kept, given.splits, sets)
        table_7(kept, given.splits, sets)
        figures_2_3(kept, given.splits, sets)
