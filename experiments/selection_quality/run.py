#!/usr/bin/env python3
"""Accuracy at 5 to 100 features on wide real data: pare's methods and the rivals at hand.

    python3 experiments/selection_quality/run.py [--pare build/release/pare] [--data ../shared/data]
                                                 [--sets a,b] [--repeats 4] [--sizes 5,10,20,50,100]

Every competitor sees the same 5 * repeats training parts. pare's methods end in their own classifier; what a rival selects
(glmnet where Rscript has it; scikit-learn where Python has it) goes to the linear SVM with C = 1. Prints Markdown.
"""
import argparse, csv, gzip, json, math, os, random, subprocess, sys, tempfile, time

SETS = ["colon_alon.csv.gz", "srbct.csv.gz", "arcene.csv.gz", "GLIOMA.mat", "TOX-171.mat",
        "PCMAC.mat", "ORL.mat"]
OURS = {"auto": [],
        "lda-forward": ["-m", "lda-forward"],
        "svm-rfe": ["-m", "svm-rfe"],
        "svm-rfe, robust, lda": ["-m", "svm-rfe", "--scale", "robust", "--classifier", "lda"],
        "corr": ["-m", "corr"],
        "l1-svm": ["-m", "l1-svm"],
        "dlsr-fs": ["-m", "dlsr-fs"]}
FOLDS = 5


def deal(labels, seed):
    """Stratified folds."""
    rng, fold = random.Random(seed), [0] * len(labels)
    at = 0
    for label in sorted(set(labels)):
        rows = [i for i, l in enumerate(labels) if l == label]
        rng.shuffle(rows)
        for i in rows:
            fold[i] = at % FOLDS
            at += 1
    return fold


class Set:
    def __init__(self, pare, path, work):
        self.name, self.csv = os.path.basename(path).split(".")[0], os.path.join(work, "data.csv")
        header = ["--header"] if ".csv" in path else []
        subprocess.run([pare, "convert", path, self.csv, *header], check=True, capture_output=True)
        with open(self.csv) as f:
            rows = list(csv.reader(f))
        for target in ("class", "target", "label", "y", rows[0][-1]):
            if target in rows[0]:
                break
        at = rows[0].index(target)
        self.labels = [r[at] for r in rows[1:]]
        self.header = rows[0][:at] + rows[0][at + 1:]
        self.x = [r[:at] + r[at + 1:] for r in rows[1:]]

    def write(self, path, rows, cols, labels=True):
        with open(path, "w", newline="") as f:
            out = csv.writer(f)
            out.writerow([self.header[j] for j in cols] + (["class"] if labels else []))
            for i in rows:
                out.writerow([self.x[i][j] for j in cols] + ([self.labels[i]] if labels else []))


def ours(pare, options, data, fold_file, sizes, work):
    """accuracy[size][part] and stability[size] of a method of pare."""
    out = os.path.join(work, "path.json")
    subprocess.run([pare, "path", data.csv, "--header", *options, "--fold-file", fold_file, "--inner", "0", "--sizes",
                    ",".join(map(str, sizes)), "-o", out, "--quiet"], check=True, capture_output=True)
    points = json.load(open(out))["runs"][0]["points"]
    return ({p["n_features"]: p["metrics"]["accuracy"]["folds"] for p in points},
            {p["n_features"]: p["stability"]["index"] for p in points})


def svm_accuracy(pare, data, fold, f, cols, work):
    train, test, model = (os.path.join(work, n) for n in ("train.csv", "test.csv", "svm.json"))
    data.write(train, [i for i in range(len(fold)) if fold[i] != f], cols)
    rows = [i for i in range(len(fold)) if fold[i] == f]
    data.write(test, rows, cols)
    subprocess.run([pare, "fit", train, "--header", "-m", "svm", "-o", model, "--quiet"], check=True, capture_output=True)
    said = subprocess.run([pare, "predict", model, test, "--header"], check=True, capture_output=True, text=True).stdout
    found = [line.split("\t")[1] for line in said.splitlines()[1:]]
    return sum(a == data.labels[i] for a, i in zip(found, rows)) / len(rows)


def glmnet(data, fold_file, most, work):
    x, y = os.path.join(work, "x.csv"), os.path.join(work, "labels.txt")
    if not os.path.exists(x):
        data.write(x, range(len(data.x)), range(len(data.header)), labels=False)
        open(y, "w").write("\n".join(data.labels) + "\n")
    here = os.path.dirname(os.path.abspath(__file__))
    said = subprocess.run(["Rscript", os.path.join(here, "glmnet.R"), x, y, fold_file, str(most)], check=True,
                          capture_output=True, text=True).stdout
    return [[int(j) - 1 for j in line.split("\t")] for line in said.splitlines()]


def sklearn_rankings():
    """name -> ranking(X, y, most), for what is installed."""
    try:
        import numpy as np
        from sklearn.ensemble import ExtraTreesClassifier
        from sklearn.feature_selection import RFE, f_classif
        from sklearn.svm import LinearSVC
    except ImportError:
        return {}
    best = lambda score, most: np.argsort(-np.nan_to_num(score), kind="stable")[:most].tolist()

    def rfe(X, y, most):
        selector = RFE(LinearSVC(dual=True, max_iter=20000), n_features_to_select=1, step=0.1).fit(X, y)
        return np.argsort(selector.ranking_, kind="stable")[:most].tolist()

    def l1(X, y, most):
        machine = LinearSVC(penalty="l1", dual=False, max_iter=20000).fit(X, y)
        return best(np.abs(machine.coef_).max(axis=0), most)

    trees = lambda X, y, most: best(ExtraTreesClassifier(500, random_state=0).fit(X, y).feature_importances_, most)
    return {"sklearn f_classif": lambda X, y, most: best(f_classif(X, y)[0], most), "sklearn RFE": rfe,
            "sklearn l1 LinearSVC": l1, "sklearn ExtraTrees": trees}


def sklearn_orders(ranking, data, fold, most):
    import numpy as np
    X, y, orders = np.array(data.x, float), np.array(data.labels), []
    for f in range(FOLDS):
        on = np.array(fold) != f
        mean, dev = X[on].mean(axis=0), X[on].std(axis=0)
        orders.append(ranking((X[on] - mean) / np.where(dev > 0, dev, 1), y[on], most))
    return orders


def stability(chosen, d):
    """The index of Nogueira et al. over the parts' sets, all of one size."""
    m, k = len(chosen), len(chosen[0])
    share = {}
    for s in chosen:
        for j in s:
            share[j] = share.get(j, 0) + 1 / m
    spread = sum(m / (m - 1) * p * (1 - p) for p in share.values()) / d
    return 1 - spread / (k / d * (1 - k / d)) if k < d else float("nan")


def measure(pare, data, repeats, sizes, work):
    """result[competitor] = (accuracy[size] list over parts, stability[size] list over repeats, seconds)."""
    result = {}

    def add(name, accuracy, stable, seconds):
        a, s, t = result.setdefault(name, ({k: [] for k in sizes}, {k: [] for k in sizes}, [0]))
        t[0] += seconds
        for k in sizes:
            a[k] += accuracy[k]
            s[k].append(stable[k] if stable[k] is not None else float("nan"))

    rivals = sklearn_rankings()
    has_r = subprocess.run(["sh", "-c", "Rscript -e 'library(glmnet)'"], capture_output=True).returncode == 0
    for r in range(repeats):
        fold = deal(data.labels, r)
        fold_file = os.path.join(work, "folds.txt")
        open(fold_file, "w").write("\n".join(map(str, fold)) + "\n")
        for name, options in OURS.items():
            start = time.time()
            add(name, *ours(pare, options, data, fold_file, sizes, work), time.time() - start)
        orders = {}
        for name, ranking in rivals.items():
            start = time.time()
            orders[name] = sklearn_orders(ranking, data, fold, max(sizes)), time.time() - start
        if has_r:
            start = time.time()
            orders["glmnet"] = glmnet(data, fold_file, max(sizes), work), time.time() - start
        for name, (order, seconds) in orders.items():
            accuracy = {k: [svm_accuracy(pare, data, fold, f, order[f][:k], work) for f in range(FOLDS)] for k in sizes}
            add(name, accuracy, {k: stability([o[:k] for o in order], len(data.header)) for k in sizes}, seconds)
    return result


def mean(v):
    v = [x for x in v if not math.isnan(x)]
    return sum(v) / len(v) if v else float("nan")


def table(results, sizes):
    names = list(next(iter(results.values())))
    print("| | " + " | ".join("%d" % k for k in sizes) + " | stability at %d | seconds |" % sizes[len(sizes) // 2])
    print("|---" * (len(sizes) + 3) + "|")
    for name in names:
        cells = ["%.1f" % (100 * mean([mean(r[name][0][k]) for r in results.values()])) for k in sizes]
        cells.append("%.2f" % mean([mean(r[name][1][sizes[len(sizes) // 2]]) for r in results.values()]))
        cells.append("%.1f" % sum(r[name][2][0] for r in results.values()))
        print("| %s | %s |" % (name, " | ".join(cells)))
    rivals = [n for n in names if n not in OURS]
    cells = []
    for k in sizes:
        if not rivals:
            cells.append("")
            continue
        best = max(rivals, key=lambda n: mean([mean(r[n][0][k]) for r in results.values()]))
        off = [mean(r["auto"][0][k]) - mean(r[best][0][k]) for r in results.values()]
        se = math.sqrt(sum((x - mean(off)) ** 2 for x in off) / max(1, len(off) - 1) / len(off))
        cells.append("%+.1f ± %.1f (%s)" % (100 * mean(off), 100 * se, best))
    print("| auto less the best rival, over the sets | %s | | |" % " | ".join(cells))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pare", default="build/release/pare")
    p.add_argument("--data", default="../shared/data")
    p.add_argument("--sets", default=",".join(SETS))
    p.add_argument("--repeats", type=int, default=4)
    p.add_argument("--sizes", default="5,10,20,50,100")
    o = p.parse_args()
    sizes, results = [int(k) for k in o.sizes.split(",")], {}
    for name in o.sets.split(","):
        with tempfile.TemporaryDirectory() as work:
            data = Set(o.pare, os.path.join(o.data, name), work)
            results[data.name] = measure(o.pare, data, o.repeats, sizes, work)
        print("## %s: %d samples, %d features\n" % (data.name, len(data.x), len(data.header)))
        table({data.name: results[data.name]}, sizes)
        print(flush=True)
    print("## all %d sets\n" % len(results))
    table(results, sizes)


if __name__ == "__main__":
    sys.exit(main())
