"""Text: 500 of 62,000 words by chi2 and a linear SVM on rows of norm 1, against scikit-learn's chi2 and LinearSVC.

The documents are drawn: words by Zipf's law, every class with words of its own that it uses more often, lengths as those of
messages. Times are those of the processor: ours of the whole program, theirs of selection and fit.
"""

import os
import resource
import subprocess
import tempfile
import time

import numpy as np
import scipy.sparse as sparse
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.svm import LinearSVC

from common import build_folder, row

WORDS, CLASSES, K = 62000, 20, 500
RECIPE = ["-m", "chi2", "-k", str(K), "--row-scale", "l2", "--classifier-ridge", "0.5"]


def documents(n, rng, own=400, lift=8.0):
    """Counts (n, WORDS) and classes."""
    law = 1 / (10 + np.arange(WORDS)) ** 1.05
    words = np.array([np.random.default_rng(c).choice(np.arange(200, 20000), own, replace=False) for c in range(CLASSES)])
    y = rng.integers(0, CLASSES, n)
    rows, cols = [], []
    tables = []
    for c in range(CLASSES):
        p = law.copy()
        p[words[c]] *= lift
        tables.append(np.cumsum(p / p.sum()))
    for i in range(n):
        length = int(np.exp(rng.normal(4.4, 0.8))) + 5
        cols.append(np.searchsorted(tables[y[i]], rng.random(length)).clip(max=WORDS - 1))
        rows.append(np.full(length, i))
    x = sparse.coo_matrix((np.ones(sum(map(len, rows))), (np.concatenate(rows), np.concatenate(cols))), (n, WORDS))
    return x.tocsr(), y


def main():
    pare = os.path.join(build_folder(), "pare")
    rng = np.random.default_rng(0)
    for n in (3000, 16000):
        x, y = documents(n + 2000, rng)
        with tempfile.TemporaryDirectory() as folder:
            at = lambda name: os.path.join(folder, name)  # noqa: E731
            for name, part in (("train", slice(0, n)), ("test", slice(n, None))):
                sparse.save_npz(at(name + ".npz"), x[part])
                np.save(at(name + ".npy"), y[part])
            start = time.process_time()
            peer = make_pipeline(Normalizer(), SelectKBest(chi2, k=K), LinearSVC()).fit(x[:n], y[:n])
            theirs = time.process_time() - start
            right = peer.score(x[n:], y[n:])
            start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            subprocess.run([pare, "fit", at("train.npz"), "--labels", at("train.npy"), *RECIPE, "-o", at("m.json"), "--threads", "1"],
                           check=True, capture_output=True)
            ours = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start
            score = subprocess.run([pare, "predict", at("m.json"), at("test.npz"), "--labels", at("test.npy"), "--score"],
                                   check=True, capture_output=True, text=True).stdout
            accuracy = float(score.split("accuracy\t")[1].split()[0])
        row(f"text: chi2 and SVM, {n} x {WORDS}, {CLASSES} classes", ours, theirs, "", note="processor time, with reading and certificate")
        row(f"text: accuracy, {n} documents", accuracy, right, ">= 0.99", ratio=accuracy / right)


main()
