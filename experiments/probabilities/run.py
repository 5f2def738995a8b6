#!/usr/bin/python3
"""Are the probabilities true? Log loss, Brier score and calibration slope of pare's on held-out samples.

    run.py [--pare build/release/pare] [--data ../shared/data] [--sets a,b] [--repeats 4] [--sizes 5,20]
           [--draws 20] [--samples N:SHARE,...] [--only real|noise] [--no-glmnet]

real: wide real sets, stratified folds, the same for all; `fit --probability` on the training part, `predict --probability` on
the rest; the same model's scores taken for log odds as they are; `path` at the sizes that its training parts chose; cv.glmnet at lambda.min and lambda.1se; the class proportions.
noise: 2,000 normal features that mean nothing, the log loss on 2,000 new samples less that of the training set's proportions.
Prints Markdown.
"""
import argparse, csv, json, math, os, subprocess, sys, tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "selection_quality"))
from run import Set, deal, FOLDS  # noqa: E402

SETS = "colon_alon.csv.gz,srbct.csv.gz,GLIOMA.mat,alizadeh96.csv.gz,arcene.csv.gz,TOX-171.mat"
FITS = {"auto": [], "corr, logistic": ["-m", "corr", "--classifier", "logistic"], "logistic": ["-m", "logistic"],
        "corr, svm": ["-m", "corr"]}


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit("%s: %s" % (" ".join(map(str, command)), done.stderr))
    return done.stdout


def table(text):
    rows = list(csv.reader(text.splitlines(), delimiter="\t"))
    return rows[0][2:], np.array([[float(v) for v in r[2:]] for r in rows[1:]])


def softmax(f):
    e = np.exp(f - f.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def fitted(o, folder, x, labels, other, options):
    """Probabilities of the samples `other` by a fit to x: calibrated, and the scores taken for log odds."""
    at = lambda name: os.path.join(folder, name)
    np.save(at("x.npy"), x)
    np.save(at("other.npy"), other)
    open(at("y.txt"), "w").write("\n".join(labels) + "\n")
    missing = ["--missing", "mean"] if np.isnan(x).any() or np.isnan(other).any() else []
    run(o.pare, "fit", at("x.npy"), "--labels", at("y.txt"), "--task", "classify", *options, *missing, "--probability", "-o",
        at("m.json"), "--quiet")
    names, P = table(run(o.pare, "predict", at("m.json"), at("other.npy"), "--probability", "--quiet"))
    _, F = table(run(o.pare, "predict", at("m.json"), at("other.npy"), "--quiet"))
    if F.shape[1] == 1:
        F = np.column_stack([np.zeros(len(F)), F])
    return [n[2:-1] for n in names], P, softmax(F)


def own_size(o, folder, x, labels, fold, options):
    """Probabilities of all samples by the models of a path's folds, each at the size that its training fold chose."""
    at = lambda name: os.path.join(folder, name)
    np.save(at("x.npy"), x)
    open(at("y.txt"), "w").write("\n".join(labels) + "\n")
    open(at("folds.txt"), "w").write("\n".join(map(str, fold)) + "\n")
    missing = ["--missing", "mean"] if np.isnan(x).any() else []
    run(o.pare, "path", at("x.npy"), "--labels", at("y.txt"), "--task", "classify", *options, *missing, "--fold-file",
        at("folds.txt"), "--substitutes", 0, "-o", at("path.json"), "--quiet")
    said = json.load(open(at("path.json")))["runs"][0]["predictions"]
    P = np.empty((len(x), len(said["probability"][0])))
    P[np.array(said["row"]) - 1] = said["probability"]
    return P


def log_loss(truth, P):
    return -np.log(np.maximum(P[np.arange(len(truth)), truth], 2.2e-16)).mean()


def brier(truth, P):
    """Of the last of two classes; summed over several."""
    square = (P - np.eye(P.shape[1])[truth]) ** 2
    return square[:, 1].mean() if P.shape[1] == 2 else square.sum(axis=1).mean()


def slope(truth, P):
    """b of the likeliest p' = softmax(a_k + b ln p_k): 1 if the probabilities are neither too sure nor too modest."""
    from scipy.optimize import minimize
    L = np.log(np.clip(P, 1e-12, 1))
    def loss(v):
        f = np.r_[0, v[1:]] + v[0] * L
        return (np.log(np.exp(f - f.max(1, keepdims=True)).sum(1)) + f.max(1) - f[np.arange(len(truth)), truth]).sum()
    return minimize(loss, np.r_[1, np.zeros(P.shape[1] - 1)]).x[0]


def glmnet(folder, x, labels, other):
    at = lambda name: os.path.join(folder, name)
    mean = np.nanmean(x, axis=0)
    for name, v in (("x.bin", x), ("other.bin", other)):
        np.where(np.isnan(v), mean, v).astype(np.float64).tofile(at(name))
    open(at("y.txt"), "w").write("\n".join(labels) + "\n")
    here = os.path.dirname(os.path.abspath(__file__))
    out = {}
    for line in run("Rscript", os.path.join(here, "glmnet.R"), folder, x.shape[1]).splitlines():
        rule, *p = line.split("\t")
        out.setdefault(rule, []).append([float(v) for v in p])
    return {rule: np.array(P) for rule, P in out.items()}


def real(o):
    sizes = [int(k) for k in o.sizes.split(",")]
    everything = {}  # of each row and set: pooled truth and probabilities of each repeat
    for file in o.sets.split(","):
        data = Set(os.path.join(o.data, file))
        y = np.array(data.labels)
        names = sorted(set(data.labels), key=lambda l: (float(l) if l.lstrip("+-").isdigit() else 0, l))
        code = np.array([names.index(l) for l in y])
        for repeat in range(o.repeats):
            fold = np.array(deal(data.labels, repeat))
            said = {}
            for metric in ("accuracy", "log_loss"):
                for choice in ("best", "1se"):
                    with tempfile.TemporaryDirectory() as folder:
                        P = own_size(o, folder, data.x, y, fold, ["--metric", metric, "--choice", choice])
                    said["auto, size by %s, %s" % (metric, choice)] = [(code[fold == f], P[fold == f]) for f in range(FOLDS)]
            for f in range(FOLDS):
                on, test = fold != f, fold == f
                rows = {}
                with tempfile.TemporaryDirectory() as folder:
                    for k in sizes:
                        for name, options in FITS.items():
                            order, P, raw = fitted(o, folder, data.x[on], y[on], data.x[test], [*options, "-k", k])
                            assert order == names, (order, names)
                            rows["%s, k %d" % (name, k)] = P
                            if name != "corr, svm":
                                rows["%s, k %d, scores as log odds" % (name, k)] = raw
                    if not o.no_glmnet:
                        rows.update(("cv.glmnet, " + rule, P) for rule, P in glmnet(folder, data.x[on], y[on], data.x[test]).items())
                share = np.bincount(code[on], minlength=len(names)) / on.sum()
                rows["class proportions"] = np.tile(share, (test.sum(), 1))
                for name, P in rows.items():
                    said.setdefault(name, []).append((code[test], P))
            for name, parts in said.items():
                truth, P = np.concatenate([t for t, _ in parts]), np.concatenate([p for _, p in parts])
                everything.setdefault(name, {}).setdefault(data.name, []).append(
                    (log_loss(truth, P), brier(truth, P), slope(truth, P) if name != "class proportions" else math.nan,
                     (P.argmax(axis=1) == truth).mean()))
        print(data.name, file=sys.stderr)
    for at, what in enumerate(("log loss", "Brier score", "calibration slope", "accuracy of the likeliest class")):
        sets = list(next(iter(everything.values())))
        middle = np.median if what == "calibration slope" else np.mean  # it has no bound where classes separate
        print("\n%s:\n\n| | %s | %s |\n|---|%s" % (what.capitalize(), " | ".join(sets), middle.__name__, "---|" * (len(sets) + 1)))
        for name, of in everything.items():
            v = [np.mean([r[at] for r in of[s]]) for s in sets]
            print("| %s | %s | %.3f |" % (name, " | ".join("%.3f" % w for w in v), middle(v)))


def noise(o):
    print("\nNoise, log loss less that of the proportions, mean and standard error over %d draws:\n" % o.draws)
    fits = {**{"auto, k %s" % k: ["-k", k] for k in o.sizes.split(",")}, "logistic, k 10": ["-m", "logistic", "-k", 10],
            "corr, logistic, k 10": ["-m", "corr", "--classifier", "logistic", "-k", 10],
            "logistic": ["-m", "logistic"], "logistic, half": ["-m", "logistic", "--lambda-ratio", 0.5], "sbmlr": ["-m", "sbmlr"]}
    print("| n, positives | %s |\n|---|%s" % (" | ".join(fits), "---|" * len(fits)))
    for n, share in (map(float, c.split(":")) for c in o.samples.split(",")):
        n = int(n)
        gain, sure = {name: [] for name in fits}, {name: [] for name in fits}
        for draw in range(o.draws):
            rng = np.random.default_rng([draw, n, int(100 * share)])
            truth = rng.permutation(np.arange(n) < share * n).astype(int)
            other = (rng.random(2000) < share).astype(int)
            x, u = rng.standard_normal((n, 2000)), rng.standard_normal((2000, 2000))
            p = truth.mean()
            guess = log_loss(other, np.tile([1 - p, p], (2000, 1)))
            with tempfile.TemporaryDirectory() as folder:
                for name, options in fits.items():
                    _, P, raw = fitted(o, folder, x, [str(t) for t in truth], u, options)
                    gain[name].append(log_loss(other, P) - guess)
                    sure[name].append(log_loss(other, raw) - guess)
        cell = lambda v: "%+.3f +- %.3f" % (np.mean(v), np.std(v, ddof=1) / math.sqrt(len(v)))
        print("| %d, %.0f%% | %s |" % (n, 100 * share, " | ".join(cell(gain[name]) for name in fits)))
        print("| the same, scores as log odds | %s |" % " | ".join(cell(sure[name]) for name in fits), flush=True)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--pare", default="build/release/pare")
    a.add_argument("--data", default="../shared/data")
    a.add_argument("--sets", default=SETS)
    a.add_argument("--repeats", type=int, default=4)
    a.add_argument("--sizes", default="5,20")
    a.add_argument("--draws", type=int, default=20)
    a.add_argument("--samples", default="60:0.5,60:0.2,100:0.5,100:0.2,200:0.2", help="N:SHARE of positives,...")
    a.add_argument("--only", choices=["real", "noise"])
    a.add_argument("--no-glmnet", action="store_true")
    o = a.parse_args()
    if o.only != "noise":
        real(o)
    if o.only != "real":
        noise(o)


if __name__ == "__main__":
    main()
