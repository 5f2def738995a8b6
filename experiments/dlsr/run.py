#!/usr/bin/python3
"""The tables and figures of the discriminative least squares paper, on those of its data that are at hand.

    run.py [DATA_FOLDER] [--pare PROGRAM] [--splits 20] [--sets NAME,...] [--keep FILE] [--jobs N] [--rank] [--times] [--table]

Without DATA_FOLDER only the demonstration of Figure 1 runs (figure1.svg). With it: Table III with the
t-tests of Table IV and the times of Table V, then Tables VII to IX with the t-tests of Table X and the
times of Table XI, and Figures 2 and 3 (figure2.svg, figure3.svg, and their numbers). What is done is kept in FILE, a line for each
split: a run goes on where the last one ended, and --table only prints what is there. --jobs works at several splits at
once; --rank does pare's work only, which needs no scikit-learn; --times measures the times of Tables V and XI, one after
the other on one thread. See README.md for what is as in the paper and what is not.
"""

import argparse
import concurrent.futures
import functools
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile

import numpy as np

import tables
from paper import METHODS, SELECTORS, TABLE_3, TABLE_7, TRAIN, keeps

FILES = {"Vehicle": "vehicle.csv", "AT&T": "ORL.mat", "Umist": "umist.npz", "Usps": "usps.csv.gz", "Coil20": "COIL20.mat",
         "Glioma": "GLIOMA.mat", "SRBCT": "srbct.csv.gz", "TOX-171": "TOX-171.mat"}
PARE_NAME = dict(zip(SELECTORS, ("mutual-info", "gini", "t-test", "fisher", "laplacian", "relieff", "mrmr", "sbmlr",
                                 "dlsr-fs")))
COST_ORDER = ("Glioma", "SRBCT", "Vehicle", "TOX-171", "Umist", "AT&T", "Coil20", "Usps")  # the cheapest first
LAMBDAS = (1e-4, 1e-3, 1e-2, 1e-1, 1, 10)
COSTS = (1e-3, 1e-2, 1e-1, 1, 10, 100)
JOINT_COSTS = (1e-4, *COSTS)
RATIOS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)  # of lambda_max
TIMED = 5  # splits
given = None  # what the command line says, set before other processes begin


def pare(*arguments):
    out = subprocess.run([given.pare, *map(str, arguments)], capture_output=True, text=True,
                         env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    if out.returncode:
        raise SystemExit(out.stderr.strip())
    return out.stdout


def fit(x, y, *options):
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/x.npy", x)
        np.savetxt(f"{folder}/y", y, "%d")
        return json.loads(pare("fit", f"{folder}/x.npy", "--labels", f"{folder}/y", "--task", "classify", "--json",
                               "--timing", "--threads", 1, *options))


@functools.lru_cache(2)
def load(name):
    with tempfile.TemporaryDirectory() as folder:
        pare("convert", os.path.join(given.data, FILES[name]), f"{folder}/x.npy", "--labels-out", f"{folder}/y")
        x = np.load(f"{folder}/x.npy").astype(float)
        y = open(f"{folder}/y").read().splitlines()
    y = np.unique(np.array(y, float) if all(label.isdigit() for label in y) else y, return_inverse=True)[1]
    if name == "Usps":  # 200 images of each digit
        draw = np.random.default_rng(0)
        keep = np.concatenate([draw.permutation(np.where(y == k)[0])[:200] for k in range(10)])
        x, y = x[keep], y[keep]
    if name == "Coil20":  # 32 x 32 to 16 x 16 by means of four
        x = x.reshape(-1, 16, 2, 16, 2).mean((2, 4)).reshape(len(x), 256)
    if name in ("AT&T", "Umist", "Coil20"):  # intensities to [0, 1]
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


def folds(y, count):
    draw, part = np.random.default_rng(1), np.empty(len(y), int)
    for k in np.unique(y):
        members = draw.permutation(np.where(y == k)[0])
        part[members] = (np.arange(len(members)) + draw.integers(count)) % count
    return [(np.where(part != f)[0], np.where(part == f)[0]) for f in range(count)]


def parts(name, s):
    """Split s: training samples, their classes, test samples, their classes."""
    x, y = load(name)
    train, test = split(y, TRAIN[name], np.random.default_rng(100 + s))
    return x[train], y[train], x[test], y[test]


def outputs(model, x):
    use = [f["index"] for f in model["selected"]]
    return np.stack([o["intercept"] + x[:, use] @ np.array(o["coef"]) for o in model["outputs"]], 1)


def nearest(x, y, test):
    """The class of the nearest training sample."""
    return y[((x ** 2).sum(1) - 2 * test @ x.T).argmin(1)]


def decide(model, x, train=None):
    """Classes by the largest output, or by the nearest of the training samples (x, y)."""
    f = outputs(model, x)
    if train is not None:
        return nearest(outputs(model, train[0]), train[1], f)
    labels = np.array([int(c) for c in model["classes"]])
    return labels[(f[:, 0] > 0).astype(int)] if f.shape[1] == 1 else labels[f.argmax(1)]


def linear(method, setting, neighbours):
    def run(x, y, test, value):
        model = fit(x, y, "-m", method, "--scale", "none", setting, value)
        return decide(model, test, (x, y) if neighbours else None), model["seconds"]
    return run


def logistic(x, y, test, value):
    """All classes at once, with a ridge of weight 1 against the loss of all samples."""
    model = fit(x, y, "-m", "logistic", "--scale", "none", "--alpha", 0, "--lambda", 1 / len(y), "--tol", 1e-4)
    return decide(model, test), model["seconds"]


def baseline(x, y, test, value):
    return nearest(x, y, test), 0


RUN_3 = dict(zip(METHODS, ((baseline, (None,)), (linear("lda", "--gamma", True), LAMBDAS),
                           (linear("svm", "--C", False), COSTS), (logistic, (None,)),
                           (linear("lsr", "--lambda", True), LAMBDAS), (linear("dlsr", "--lambda", True), LAMBDAS))))


class Kept:
    """What was measured, by table, set, method and split, in a file of one line each."""
    def __init__(self, path, jobs):
        self.path, self.jobs, self.known = path, jobs, {}
        for line in open(path) if os.path.exists(path) else ():
            key, value = json.loads(line)
            self.known[tuple(key)] = value

    def put(self, key, value):
        self.known[key] = value
        with open(self.path, "a") as file:
            file.write(json.dumps([key, value]) + "\n")
        print(*key, file=sys.stderr, flush=True)

    def do(self, tasks):
        """Keeps the values of those of the tasks (key, function, arguments...) that are not known."""
        missing = [task for task in tasks if task[0] not in self.known]
        if self.jobs == 1:
            for key, function, *arguments in missing:
                self.put(key, function(*arguments))
            return
        with concurrent.futures.ProcessPoolExecutor(self.jobs, multiprocessing.get_context("fork")) as pool:
            running = {pool.submit(function, *arguments): key for key, function, *arguments in missing}
            for one in concurrent.futures.as_completed(running):
                self.put(running[one], one.result())

    def splits(self, table, name, methods, most):
        """The splits that all of the methods have."""
        return [s for s in range(most) if all((table, name, m, s) in self.known for m in methods)]


def tuned_3(name, method):
    """One choice per set, as the paper says."""
    run, grid = RUN_3[method]
    if len(grid) == 1:
        return grid[0]
    x, y, _, _ = parts(name, 0)
    right = [np.mean([np.mean(run(x[a], y[a], x[b], value)[0] == y[b]) for a, b in folds(y, 3 if name == "AT&T" else 10)])
             for value in grid]
    return grid[int(np.argmax(right))]


def one_3(name, method, s, chosen):
    x, y, test, truth = parts(name, s)
    guess, spent = RUN_3[method][0](x, y, test, chosen)
    return [100 * np.mean(guess == truth), spent]


def fold_count(name):
    return 3 if TRAIN[name] < 200 else 10


def rank(name, method, s, fold, ratio):
    """The features by rank on the training samples of split s, or of a fold of them; and the seconds."""
    x, y, _, _ = parts(name, s)
    if fold is not None:
        use = folds(y, fold_count(name))[fold][0]
        x, y = x[use], y[use]
    options = ["-m", PARE_NAME[method], "-k", keeps(name)[0]]
    if method == "DLSR-FS":
        options += ["--lambda-ratio", ratio, "--tol", 1e-4, "--refit", "none"]
    elif method != "SBMLR":
        options += ["--classifier", "lda"]  # whose time does not count beside that of the selection
    model = fit(x, y, *options)
    return [[f["index"] for f in model["selected"]], model["seconds"]]


def classify(x, y, test, cost):
    from sklearn.svm import SVC
    mean, deviation = x.mean(0), x.std(0)
    deviation[deviation == 0] = 1
    return SVC(kernel="linear", C=cost).fit((x - mean) / deviation, y).predict((test - mean) / deviation)


def tuned_7(name, ranks):
    """The ratio, of those with the rankings of each fold, and the SVM's C."""
    x, y, _, _ = parts(name, 0)
    right = np.zeros((len(ranks), len(JOINT_COSTS)))
    for i, rankings in enumerate(ranks.values()):
        for use, (a, b) in zip(rankings, folds(y, fold_count(name))):
            for j, cost in enumerate(JOINT_COSTS):
                right[i, j] += np.sum(classify(x[a][:, use], y[a], x[b][:, use], cost) == y[b])
    i, j = np.unravel_index(right.argmax(), right.shape)
    return [list(ranks)[i], JOINT_COSTS[j]]


def one_7(name, s, ranking, cost):
    x, y, test, truth = parts(name, s)
    use, spent = ranking
    return [[100 * np.mean(classify(x[:, use[:k]], y, test[:, use[:k]], cost) == truth) for k in keeps(name)[1]], spent]


def ratios(kept, name, method):
    """The chosen one, or all."""
    chosen = kept.known.get(("VII", name, method, "chosen"))
    return [chosen[0]] if chosen else RATIOS if method == "DLSR-FS" else [None]


def run_3(kept, splits, sets):
    pairs = [(name, method) for name in sets if name in TABLE_3 for method in METHODS]
    kept.do([(("III", *pair, "chosen"), tuned_3, *pair) for pair in pairs])
    kept.do([(("III", *pair, s), one_3, *pair, s, kept.known["III", *pair, "chosen"]) for s in range(splits) for pair in pairs])


def ranks(kept, splits, sets, everything):
    """Rankings of the folds of those sets and methods that have not chosen; and of the splits, at every ratio left."""
    tasks = []
    for name in sets:
        for method in SELECTORS:
            choose = ("VII", name, method, "chosen") not in kept.known
            places = [(0, f) for f in range(fold_count(name))] if choose else []
            places += [(s, None) for s in range(splits)] if everything else []
            tasks += [(("rank", name, method, *place, ratio), rank, name, method, *place, ratio)
                      for place in places for ratio in ratios(kept, name, method)]
    kept.do(tasks)


def run_7(kept, splits, sets):
    pairs = [(name, method) for name in sets for method in SELECTORS]
    ranks(kept, splits, sets, given.rank)
    if given.rank:
        return
    kept.do([(("VII", name, method, "chosen"), tuned_7, name,
              {ratio: [kept.known["rank", name, method, 0, f, ratio][0] for f in range(fold_count(name))]
               for ratio in ratios(kept, name, method)})
             for name, method in pairs if ("VII", name, method, "chosen") not in kept.known])
    ranks(kept, splits, sets, True)
    for_split = [(name, method, *kept.known["VII", name, method, "chosen"], s) for s in range(splits) for name, method in pairs]
    kept.do([(("VII", name, method, s), one_7, name, s, kept.known["rank", name, method, s, None, ratio], cost)
             for name, method, ratio, cost, s in for_split])


def times(kept, sets):
    """Seconds of one training and of one selection, on the first splits."""
    kept.jobs = 1
    for name in sets:
        for method in METHODS[1:] if name in TABLE_3 else ():
            chosen = kept.known.get(("III", name, method, "chosen"))
            if chosen is not None or method == "Logistic":
                kept.do([(("time", name, method, s, chosen), lambda *a: one_3(*a)[1], name, method, s, chosen)
                         for s in range(TIMED)])
        for method in SELECTORS:
            among = ratios(kept, name, method)
            kept.do([(("time", name, method, s, ratio), lambda *a: rank(*a)[1], name, method, s, None, ratio)
                     for ratio in among for s in range(TIMED if len(among) == 1 else 1)])


def figure_1():
    """60 samples of three classes in the plane: what dragging does to their images."""
    draw = np.random.default_rng(4)
    y = np.repeat(np.arange(3), 20)
    x = draw.standard_normal((60, 2)) * 0.5 + np.array([[0, 2], [-2, -1], [2, -1]])[y]
    change = [outputs(fit(x, y, "-m", method, "--scale", "none", "--lambda", 0.1), x) for method in ("dlsr", "lsr")]
    change = change[0] - change[1]
    for k in range(3):
        print(f"Figure 1, output {k + 1}: dlsr - lsr, mean of the own class {change[y == k, k].mean():+.3f}, of the "
              f"others {change[y != k, k].mean():+.3f}")
    plot = tables.drawing()
    if not plot:
        return
    figure, part = plot.subplots(1, 4, figsize=(14, 3))
    for k in range(3):
        part[0].plot(*x[y == k].T, "o^s"[k])
        part[k + 1].plot(change[:, k])
        part[k + 1].axhline(0, color="grey", linewidth=0.5)
        part[k + 1].set(title=f"output {k + 1}: dlsr - lsr", xlabel="sample, class by class")
    part[0].set_title("60 samples, three classes")
    tables.save(figure, "figure1.svg")


def main():
    global given
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="?")
    parser.add_argument("--pare", default=os.path.join(os.path.dirname(__file__), "../../build/release/pare"))
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--sets", default=",".join(TABLE_7), help="data sets, separated by commas")
    parser.add_argument("--keep", default="dlsr.jsonl", help="the file of what is done")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--rank", action="store_true", help="Table III and the rankings of Tables VII to IX only")
    parser.add_argument("--times", action="store_true", help="measure the times of Tables V and XI only")
    parser.add_argument("--table", action="store_true", help="print what is there")
    given = parser.parse_args()
    kept = Kept(given.keep, given.jobs)
    sets = [name for name in COST_ORDER if name in given.sets.split(",")]
    if given.data and not given.table:
        for name in [name for name in sets if not os.path.exists(os.path.join(given.data, FILES[name]))]:
            print(f"{name}: no {FILES[name]} in {given.data}", file=sys.stderr)
            sets.remove(name)
        if given.times:
            times(kept, sets)
        else:
            run_3(kept, given.splits, sets)
            run_7(kept, given.splits, sets)
    elif not given.table:
        figure_1()
    if given.table or given.data and not (given.rank or given.times):
        for show in (tables.table_3, tables.table_7, tables.figures_2_3):
            show(kept, given.splits, sets)


if __name__ == "__main__":
    main()
