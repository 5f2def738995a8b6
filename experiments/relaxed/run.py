#!/usr/bin/python3
"""Do refits predict better than shrunken weights? `logistic -k` and `lasso -k`, relaxed and not, on the same features.

    run.py [--pare build/release/pare] [--data ../shared/data] [--sets a,b] [--repeats 4] [--sizes 5,10,20,50,100]
           [--only logistic|lasso]

logistic: accuracy of `--refit none`, of `--refit relaxed` and of scikit-learn's linear SVM (C = 1, standardised) on the features
that both chose. lasso: the mean squared error on the test parts over that of the mean, for the most variable feature of each set
as the target (the others are the features), for scikit-learn's diabetes data with squares and products, and for gasoline
(near-infrared spectra and octane numbers, r-cran-pls) where R has it. Stratified or plain five folds. Prints Markdown.
"""
import argparse, json, os, subprocess, sys, tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "selection_quality"))
from run import Set, deal, machine, FOLDS  # noqa: E402

SETS = "colon_alon.csv.gz,srbct.csv.gz,GLIOMA.mat,alizadeh96.csv.gz,arcene.csv.gz,TOX-171.mat"


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit("%s: %s" % (" ".join(map(str, command)), done.stderr))
    return done.stdout


def fitted(o, folder, x, y, other, *options):
    """What is predicted for `other`, and the features, by importance."""
    at = lambda name: os.path.join(folder, name)
    np.save(at("x.npy"), x)
    np.save(at("other.npy"), other)
    open(at("y.txt"), "w").write("\n".join(map(str, y)) + "\n")
    run(o.pare, "fit", at("x.npy"), "--labels", at("y.txt"), *options, "-o", at("m.json"), "--quiet")
    said = [line.split("\t")[1] for line in run(o.pare, "predict", at("m.json"), at("other.npy"), "--quiet").splitlines()[1:]]
    return said, [f["index"] for f in json.load(open(at("m.json")))["selected"]]


def row(name, values):
    print("| %s | %s |" % (name, " | ".join("%.3f" % v for v in values)))


def logistic(o, sizes):
    mean = {}
    for file in o.sets.split(","):
        data = Set(os.path.join(o.data, file))
        score = {}
        for repeat in range(o.repeats):
            fold = deal(data.labels, repeat)
            for f in range(FOLDS):
                x, y, u, v = data.part(fold, f)
                for at, k in enumerate(sizes):
                    with tempfile.TemporaryDirectory() as folder:
                        none, chosen = fitted(o, folder, x, y, u, "-m", "logistic", "-k", k, "--refit", "none")
                        refit, same = fitted(o, folder, x, y, u, "-m", "logistic", "-k", k, "--refit", "relaxed")
                    assert sorted(chosen) == sorted(same)
                    svm = machine("ovo").fit(x[:, chosen], y).predict(u[:, chosen])
                    for name, said in (("--refit none", none), ("--refit relaxed", refit), ("linear SVM on the same", svm)):
                        score.setdefault(name, [[] for _ in sizes])[at].append(np.mean(np.array(said) == v))
        print("\n%s:\n\n| | %s |\n|---|%s" % (data.name, " | ".join(map(str, sizes)), "---|" * len(sizes)))
        for name, of in score.items():
            row(name, [np.mean(v) for v in of])
            mean.setdefault(name, []).append([np.mean(v) for v in of])
        sys.stdout.flush()
    print("\nAccuracy, mean over the sets:\n\n| | %s |\n|---|%s" % (" | ".join(map(str, sizes)), "---|" * len(sizes)))
    for name, of in mean.items():
        row(name, np.mean(of, axis=0))


def regressions(o):
    from sklearn.datasets import load_diabetes
    from sklearn.preprocessing import PolynomialFeatures
    x, y = load_diabetes(return_X_y=True)
    yield "diabetes, squares and products", PolynomialFeatures(2, include_bias=False).fit_transform(x / x.std(0)), y
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "g.csv")
        code = "data(gasoline, package = 'pls'); write.csv(cbind(gasoline$octane, unclass(gasoline$NIR)), '%s', row.names = FALSE)" % file
        if subprocess.run(["Rscript", "-e", code], capture_output=True).returncode == 0:
            table = np.loadtxt(file, delimiter=",", skiprows=1)
            yield "gasoline", table[:, 1:], table[:, 0]
    for file in o.sets.split(","):
        data = Set(os.path.join(o.data, file))
        mean = np.nanmean(data.x, axis=0)
        x = np.where(np.isnan(data.x), mean, data.x)
        j = x.var(axis=0).argmax()
        yield "%s, its most variable feature" % data.name, np.delete(x, j, axis=1), x[:, j]


def lasso(o, sizes):
    print("\nMean squared error over that of the mean:\n\n| | %s |\n|---|%s" % (" | ".join(map(str, sizes)), "---|" * len(sizes)))
    mean = {}
    for name, x, y in regressions(o):
        error = {refit: np.zeros(len(sizes)) for refit in ("none", "relaxed")}
        whole = 0
        for repeat in range(o.repeats):
            fold = np.random.default_rng(repeat).permutation(len(y)) % FOLDS
            for f in range(FOLDS):
                on, test = fold != f, fold == f
                whole += ((y[test] - y[on].mean()) ** 2).sum()
                for at, k in enumerate(sizes):
                    for refit in error:
                        with tempfile.TemporaryDirectory() as folder:
                            said, _ = fitted(o, folder, x[on], ["%.17g" % v for v in y[on]], x[test], "-m", "lasso", "-k", k,
                                             "--refit", refit)
                        error[refit][at] += ((np.array(said, float) - y[test]) ** 2).sum()
        for refit, e in error.items():
            row("%s, --refit %s" % (name, refit), e / whole)
            mean.setdefault(refit, []).append(e / whole)
        sys.stdout.flush()
    for refit, of in mean.items():
        row("median over the sets, --refit %s" % refit, np.median(of, axis=0))


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--pare", default="build/release/pare")
    a.add_argument("--data", default="../shared/data")
    a.add_argument("--sets", default=SETS)
    a.add_argument("--repeats", type=int, default=4)
    a.add_argument("--sizes", default="5,10,20,50,100")
    a.add_argument("--only", choices=["logistic", "lasso"])
    o = a.parse_args()
    sizes = [int(k) for k in o.sizes.split(",")]
    if o.only != "lasso":
        logistic(o, sizes)
    if o.only != "logistic":
        lasso(o, [k for k in sizes if k <= 50])


if __name__ == "__main__":
    main()
