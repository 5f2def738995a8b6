#!/usr/bin/python3
"""Accuracy at 5 to 100 features on wide real data: pare's methods and the rivals at hand.

    run.py [--pare build/release/pare] [--data ../shared/data] [--keep build/selection_quality.jsonl]
           [--sets a,b] [--repeats 4] [--sizes 5,10,20,50,100] [--only NAME,...] [--table]

Every competitor sees the same 5 * repeats training parts (stratified folds). pare's methods end in the classifier that
they end in by themselves, or that their row names; what a rival selects goes to scikit-learn's linear SVM with C = 1 on
standardised features, for several classes one against one or one against the rest, whichever is better on average over
all. What is done is kept, a line for each set, competitor and repeat: a run goes on where the last one ended, and --table
only prints what is there. Prints Markdown.
"""
import argparse, json, math, os, random, resource, subprocess, sys, tempfile, time

import numpy as np

# Wide: more than two features a sample.
SETS = ["colon_alon.csv.gz", "srbct.csv.gz", "GLIOMA.mat", "alizadeh96.csv.gz", "arcene.csv.gz", "TOX-171.mat", "ORL.mat"]
SVM = ["--classifier", "svm"]
OURS = {"auto": [],
        "auto, svm ovr": [*SVM, "--classifier-multiclass", "ovr"],
        "auto, svm ovo": [*SVM, "--classifier-multiclass", "ovo"],
        "lda-forward": ["-m", "lda-forward"],
        "svm-rfe": ["-m", "svm-rfe"],
        "svm-rfe, ovo": ["-m", "svm-rfe", "--classifier-multiclass", "ovo"],
        "svm-rfe, robust, lda": ["-m", "svm-rfe", "--scale", "robust", "--classifier", "lda"],
        "anova": ["-m", "anova"],
        "anova, ovo": ["-m", "anova", "--classifier-multiclass", "ovo"],
        "l1-svm-path": ["-m", "l1-svm-path"],
        "l2-arom": ["-m", "l2-arom"],
        "dlsr-fs": ["-m", "dlsr-fs"],
        "logistic, refit none": ["-m", "logistic", "--refit", "none"],
        "logistic": ["-m", "logistic"],
        "mrmr": ["-m", "mrmr"]}
FOLDS = 5
FORMS = ("ovr", "ovo")  # of a rival's final SVM


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
    """x as in the file (missing: NaN), labels as text."""
    def __init__(self, path):
        self.name = os.path.basename(path).split(".")[0]
        if path.endswith(".mat"):
            from scipy.io import loadmat
            mat = loadmat(path)
            self.x, y = np.asarray(mat["X"], float), mat["Y"].ravel()
        else:
            import pandas as pd
            table = pd.read_csv(path)
            y, self.x = table["class"].to_numpy(), table.drop(columns="class").to_numpy(float)
        self.labels = [str(v) for v in y]
        self.missing = bool(np.isnan(self.x).any())
        self.classes = len(set(self.labels))

    def part(self, fold, f):
        """Training and test part for scikit-learn: imputed by means, standardised."""
        test = np.array(fold) == f
        x = self.x[~test]
        mean = np.nanmean(x, axis=0)
        x, other = (np.where(np.isnan(v), mean, v) for v in (x, self.x[test]))
        dev = x.std(axis=0)
        dev[dev == 0] = 1
        y = np.array(self.labels)
        return (x - mean) / dev, y[~test], (other - mean) / dev, y[test]


class Work:
    """Files of one set for the programs outside."""
    def __init__(self, data, folder):
        self.x, self.y, self.folds = (os.path.join(folder, n) for n in ("x.npy", "y.txt", "folds.txt"))
        self.csv, self.out = os.path.join(folder, "x.csv"), os.path.join(folder, "path.json")
        np.save(self.x, data.x)
        open(self.y, "w").write("\n".join(data.labels) + "\n")

    def deal(self, fold):
        open(self.folds, "w").write("\n".join(map(str, fold)) + "\n")


def spent():
    """Processor seconds of this process and of those that it started and that ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def ours(pare, options, data, work, sizes):
    command = [pare, "path", work.x, "--labels", work.y, "--task", "classify", *options, "--fold-file", work.folds,
               "--inner", "0", "--threads", "1", "--sizes", ",".join(map(str, sizes)), "-o", work.out, "--quiet"]
    if data.missing:
        command += ["--missing", "mean"]
    start = spent()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit("%s: %s" % (" ".join(command), done.stderr))
    points = json.load(open(work.out))["runs"][0]["points"]
    return {"accuracy": {"": [p["metrics"]["accuracy"]["folds"] for p in points]},
            "stability": [p["stability"]["index"] for p in points], "seconds": spent() - start}


def best(score, most):
    return np.argsort(-np.nan_to_num(score), kind="stable")[:most].tolist()


def f_classif(x, y, most):
    from sklearn.feature_selection import f_classif
    return best(f_classif(x, y)[0], most)


def rfe(x, y, most):
    from sklearn.feature_selection import RFE
    from sklearn.svm import LinearSVC
    selector = RFE(LinearSVC(dual=True, max_iter=20000), n_features_to_select=1, step=0.1).fit(x, y)
    return np.argsort(selector.ranking_, kind="stable")[:most].tolist()


def l1(x, y, most):
    from sklearn.svm import LinearSVC
    machine = LinearSVC(penalty="l1", dual=False, max_iter=20000).fit(x, y)
    return best(np.abs(machine.coef_).max(axis=0), most)


def trees(x, y, most):
    from sklearn.ensemble import ExtraTreesClassifier
    return best(ExtraTreesClassifier(500, random_state=0).fit(x, y).feature_importances_, most)


RIVALS = {"sklearn f_classif": f_classif, "sklearn l1 LinearSVC": l1, "sklearn ExtraTrees": trees, "sklearn RFE": rfe,
          "glmnet": None}


def glmnet(data, work, most):
    if not os.path.exists(work.csv):
        mean = np.nanmean(data.x, axis=0)
        np.savetxt(work.csv, np.where(np.isnan(data.x), mean, data.x), "%.9g", ",",
                   header=",".join("x%d" % j for j in range(data.x.shape[1])), comments="")
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run(["Rscript", os.path.join(here, "glmnet.R"), work.csv, work.y, work.folds, str(most)],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return [[int(j) - 1 for j in line.split("\t")] for line in done.stdout.splitlines()]


def stability(chosen, d):
    """The index of Nogueira et al. over the parts' sets, all of one size."""
    m, k = len(chosen), len(chosen[0])
    share = {}
    for s in chosen:
        for j in s:
            share[j] = share.get(j, 0) + 1 / m
    spread = sum(m / (m - 1) * p * (1 - p) for p in share.values()) / d
    return 1 - spread / (k / d * (1 - k / d)) if k < d else None


def machine(form):
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import SVC
    return SVC(kernel="linear", C=1) if form == "ovo" else OneVsRestClassifier(SVC(kernel="linear", C=1))


def rival(name, data, work, fold, sizes):
    start, most = spent(), max(sizes)
    parts = [data.part(fold, f) for f in range(FOLDS)]
    order = glmnet(data, work, most) if name == "glmnet" else [RIVALS[name](x, y, most) for x, y, _, _ in parts]
    seconds = spent() - start
    forms = FORMS if data.classes > 2 else FORMS[1:]
    accuracy = {form: [[float(np.mean(machine(form).fit(x[:, o[:k]], y).predict(u[:, o[:k]]) == v))
                        for (x, y, u, v), o in zip(parts, order)] for k in sizes] for form in forms}
    if data.classes == 2:
        accuracy["ovr"] = accuracy["ovo"]
    return {"accuracy": accuracy, "seconds": seconds,
            "stability": [stability([o[:k] for o in order], data.x.shape[1]) for k in sizes]}


def measure(o, sizes, kept):
    """All that is not kept yet: repeat by repeat, so that what is there is whole."""
    wanted = [n for n in [*OURS, *RIVALS] if not o.only or n in o.only.split("|")]
    for r in range(o.repeats):
        for file in o.sets.split(","):
            name = file.split(".")[0]
            left = [n for n in wanted if (name, n, r) not in kept]
            if not left:
                continue
            data = Set(os.path.join(o.data, file))
            with tempfile.TemporaryDirectory() as folder:
                work, fold = Work(data, folder), deal(data.labels, r)
                work.deal(fold)
                for n in left:
                    if data.classes == 2 and n.endswith(FORMS):
                        continue
                    found = ours(o.pare, OURS[n], data, work, sizes) if n in OURS else rival(n, data, work, fold, sizes)
                    kept[name, n, r] = found
                    with open(o.keep, "a") as f:
                        f.write(json.dumps({"set": name, "who": n, "repeat": r, "n": len(data.labels), "d": data.x.shape[1],
                                            "classes": data.classes, "sizes": sizes, **found}) + "\n")
                    print("%s, %s, repeat %d: %.0f s" % (name, n, r, found["seconds"]), file=sys.stderr, flush=True)


def load(path, sizes):
    kept = {}
    if os.path.exists(path):
        for line in open(path):
            one = json.loads(line)
            if one["sizes"] == sizes:
                kept[one["set"], one["who"], one["repeat"]] = one
    return kept


def mean(v):
    v = [x for x in v if x is not None and not math.isnan(x)]
    return sum(v) / len(v) if v else float("nan")


def error(v):
    m = mean(v)
    return math.sqrt(sum((x - m) ** 2 for x in v) / (len(v) - 1) / len(v)) if len(v) > 1 else float("nan")


class Table:
    """What all competitors of a table have: sets and repeats that each has finished."""
    def __init__(self, kept, names, sizes, several=False):
        self.sizes, self.kept, self.several = sizes, kept, several
        sets = sorted({s for s, _, _ in kept if not several or self.classes(s) > 2})
        self.names = [n for n in names if any((s, n, r) in kept for s in sets for r in range(99))]
        self.done = {s: [r for r in range(99) if all((s, n, r) in kept for n in self.names)] for s in sets}
        self.done = {s: r for s, r in self.done.items() if r}
        self.forms = {n: "" for n in self.names}
        for n in self.names:
            if n in RIVALS:
                self.forms[n] = max(FORMS, key=lambda form: mean([self.of(s, n, q, form) for s in self.done
                                                                 for q in range(len(sizes))]))

    def classes(self, s):
        return next(one.get("classes", 2) for (t, _, _), one in self.kept.items() if t == s)

    def parts(self, s, n, q, form=None):
        form = self.forms[n] if form is None else form
        return [a for r in self.done[s] for a in self.kept[s, n, r]["accuracy"][form][q]]

    def of(self, s, n, q, form=None):
        return mean(self.parts(s, n, q, form))

    def all(self, n, q):
        return mean([self.of(s, n, q) for s in self.done])

    def difference(self, a, b, q):
        off = [self.of(s, a, q) - self.of(s, b, q) for s in self.done]
        return "%+.1f ± %.1f" % (100 * mean(off), 100 * error(off))

    def show(self):
        middle = len(self.sizes) // 2
        print("| | " + " | ".join("%d" % k for k in self.sizes) + " | stability at %d | seconds |" % self.sizes[middle])
        print("|---" * (len(self.sizes) + 3) + "|")
        for n in self.names:
            cells = ["%.1f" % (100 * self.all(n, q)) for q in range(len(self.sizes))]
            own = [self.kept[s, n, r] for s, rs in self.done.items() for r in rs]
            cells += ["%.2f" % mean([one["stability"][middle] for one in own]),
                      "%.1f" % (sum(one["seconds"] for one in own) / len(own) / FOLDS)]
            print("| %s%s | %s |" % (n, ", svm " + self.forms[n] if self.forms[n] else "", " | ".join(cells)))
        rivals = [n for n in self.names if n in RIVALS]
        if "auto" in self.names and rivals:
            cells = []
            for q in range(len(self.sizes)):
                top = max(rivals, key=lambda n: self.all(n, q))
                cells.append("%s (%s)" % (self.difference("auto", top, q), top.replace("sklearn ", "")))
            print("| auto less the best rival | %s | | |" % " | ".join(cells))
        print()


def tables(kept, sizes):
    everyone = [n for n in [*OURS, *RIVALS] if not n.endswith(FORMS)]
    t = Table(kept, everyone, sizes)
    count = sum(len(r) * FOLDS for r in t.done.values())
    print("## All sets\n\nMean accuracy in %% over %s (%d training parts in all).\n" % (", ".join(t.done), count))
    t.show()
    for s in t.done:
        one = Table({k: v for k, v in kept.items() if k[0] == s}, everyone, sizes)
        v = next(iter(one.kept.values()))
        print("## %s: %d samples, %d features, %d classes, %d parts\n" % (s, v["n"], v["d"], v["classes"],
                                                                         FOLDS * len(one.done[s])))
        one.show()
    forms = [("svm-rfe", "svm-rfe, ovo"), ("anova", "anova, ovo"), ("auto, svm ovr", "auto, svm ovo")]
    print("## One against one less one against the rest\n\nSets of several classes; errors over the sets.\n")
    print("| selection | " + " | ".join(map(str, sizes)) + " | sets |\n" + "|---" * (len(sizes) + 2) + "|")
    for ovr, ovo in forms:
        t = Table(kept, [ovr, ovo], sizes, several=True)
        if len(t.names) == 2 and t.done:
            print("| %s | %s | %s |" % (ovr.split(",")[0], " | ".join(t.difference(ovo, ovr, q) for q in range(len(sizes))),
                                        ", ".join(t.done)))
    for n in RIVALS:
        t = Table(kept, [n], sizes, several=True)
        if t.names and t.done:
            off = [[t.of(s, n, q, "ovo") - t.of(s, n, q, "ovr") for s in t.done] for q in range(len(sizes))]
            print("| %s | %s | %s |" % (n, " | ".join("%+.1f ± %.1f" % (100 * mean(v), 100 * error(v)) for v in off),
                                        ", ".join(t.done)))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pare", default="build/release/pare")
    p.add_argument("--data", default="../shared/data")
    p.add_argument("--keep", default="build/selection_quality.jsonl")
    p.add_argument("--sets", default=",".join(SETS))
    p.add_argument("--repeats", type=int, default=4)
    p.add_argument("--sizes", default="5,10,20,50,100")
    p.add_argument("--only", default="", help="competitors, separated by |")
    p.add_argument("--table", action="store_true")
    o = p.parse_args()
    sizes = [int(k) for k in o.sizes.split(",")]
    kept = load(o.keep, sizes)
    if not o.table:
        measure(o, sizes, kept)
    tables(load(o.keep, sizes), sizes)


if __name__ == "__main__":
    sys.exit(main())
