#!/usr/bin/python3
"""What the paper's gini may have been on word counts: 66.60% on Pcmac with 185 words, where ours has 88.

    gini.py PCMAC.mat

Accuracy in % of a linear SVM on the best 50, 100, 150 and 200 words of one half of the data, on the other half, over five draws,
by the impurity after the cut between the samples with and without a word: of both sides, weighted by their samples; the same
upside down; and of the samples with the word alone, not weighted, which puts words first that are rare.
"""

import sys

import numpy as np
import scipy.io
from sklearn.svm import LinearSVC

SIZES = (50, 100, 150, 200)


def impurity(count, first):
    """2 p (1 - p) of the share p of the first class among count samples; 1 where there are none."""
    p = np.divide(first, count, out=np.full(len(count), 0.5), where=count > 0)
    return np.where(count > 0, 2 * p * (1 - p), 1)


def orders(x, first):
    """The words from the best to the worst by each reading; those that do not occur last."""
    count, with_first = (x != 0).sum(0), ((x != 0) & first[:, None]).sum(0)
    rest, rest_first = len(x) - count, first.sum() - with_first
    both = (count * impurity(count, with_first) + rest * impurity(rest, rest_first)) / len(x)
    absent = count == 0
    return {"both sides": np.lexsort((both, absent)), "upside down": np.lexsort((-both, absent)),
            "the samples with the word alone": np.lexsort((impurity(count, with_first), absent))}


def main():
    data = scipy.io.loadmat(sys.argv[1])
    x = data["X"]
    x = np.asarray(x.todense() if hasattr(x, "todense") else x, float)
    first = data["Y"].ravel() == data["Y"].min()
    found = {}
    for draw in range(5):
        half = np.random.default_rng(draw).permutation(len(x))
        train, test = half[:len(x) // 2], half[len(x) // 2:]
        width = x[train].std(0)
        width[width == 0] = 1
        for reading, order in orders(x[train], first[train]).items():
            for size in SIZES:
                use = order[:size]
                machine = LinearSVC(C=1, dual=False).fit(x[train][:, use] / width[use], first[train])
                right = machine.predict(x[test][:, use] / width[use]) == first[test]
                found.setdefault(reading, {}).setdefault(size, []).append(100 * right.mean())
    for reading, by_size in found.items():
        print(f"{reading}: " + ", ".join(f"{np.mean(v):.1f} ({size})" for size, v in by_size.items()))


main()
