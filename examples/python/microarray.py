"""From a microarray to a signature: how few genes do, which ones, and a model that a colleague can use.

    python microarray.py [TABLE.csv]

TABLE has a row for each sample, a column `class` and otherwise genes. Without it one is drawn: 80 patients, 3,000 genes on
the scale of raw intensities, of which 12 differ between the two groups. Writes microarray.png, signature.json and
report.html.
"""

import sys

import numpy as np
import pandas as pd

import pare


def draw(n=80, d=3000, seed=0):
    rng = np.random.default_rng(seed)
    ill = np.arange(n) % 2
    log = rng.normal(8, 1.5, d) + rng.normal(0, 0.6, (n, d))
    log[:, :12] += ill[:, None] * rng.choice([-1, 1], 12) * 0.8
    return pd.DataFrame(2 ** log, columns=["gene%04d" % j for j in range(d)]), np.where(ill, "tumour", "normal")


def main():
    if len(sys.argv) > 1:
        table = pd.read_csv(sys.argv[1])
        x, y = table.drop(columns="class"), table["class"]
    else:
        x, y = draw()

    # How good is a model on few genes? Scaling, selection and fit are inside the folds, so this is what new
    # patients can expect, and chance would score as chance.
    path = pare.honest_path(x, y, ["auto", "svm-rfe", "t-test"], sizes=[1, 2, 5, 10, 20, 50], cv=5, metric="auc")
    print(path)
    path.plot().figure_.savefig("microarray.png", dpi=100, bbox_inches="tight")
    path.report("report.html")

    # The signature: that many genes, fitted on all patients, with the proof that the fit is optimal.
    k = int(path.chosen.n_features["auto"])
    signature = pare.PareClassifier("auto", k=k).fit(x, y)
    print("%d genes: %s" % (k, ", ".join(signature.get_feature_names_out())))
    print("%s, %s" % (signature.outcome_, signature.certificate_))
    signature.model_.save("signature.json")

    # Whoever has the file needs those genes alone: here, or with `pare predict signature.json new.csv`.
    new = x[signature.get_feature_names_out()]
    print(pd.Series(pare.load("signature.json").predict(new)).value_counts().to_string())


if __name__ == "__main__":
    main()
