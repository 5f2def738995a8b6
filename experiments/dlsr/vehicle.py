#!/usr/bin/python3
"""Vehicle in Table III under other readings: inputs scaled or not, fewer training samples, more shrinkage.

    vehicle.py DATA_FOLDER [--pare PROGRAM] [--splits 20]

Accuracy in %, mean and standard deviation over the splits. The parameter is chosen as in run.py (10-fold cross-validation on
the first split's training part), but in the last table, where it is what the column says.
"""

import argparse
import os

import numpy as np

import run
from paper import METHODS, TABLE_3
from tables import pair, print_table, spread

SIZES = (340, 170, 85)
SHRUNK = {"LDA": (0.1, 1, 10), "LSR": (1, 10, 100), "DLSR": (1, 10, 100), "SVM": (0.01, 0.1, 1)}


def unchanged(x):
    return np.zeros(x.shape[1]), np.ones(x.shape[1])


def to_range(x):
    return x.min(0), x.max(0) - x.min(0)


def standardised(x):
    return x.mean(0), x.std(0)


SCALES = {"as they are": unchanged, "to [0, 1]": to_range, "standardised": standardised}


def right(method, value, scale, x, y, test, truth):
    """The percentage of right classes, with inputs scaled by what is seen in training."""
    shift, width = scale(x)
    width[width == 0] = 1
    return 100 * np.mean(run.RUN_3[method][0]((x - shift) / width, y, (test - shift) / width, value)[0] == truth)


def drawn(x, y, size, s):
    train, test = run.split(y, size, np.random.default_rng(100 + s))
    return x[train], y[train], x[test], y[test]


def tuned(method, scale, x, y):
    grid = run.RUN_3[method][1]
    folds = run.folds(y, 10)
    return max(grid, key=lambda value: np.mean([right(method, value, scale, x[a], y[a], x[b], y[b]) for a, b in folds])
               if len(grid) > 1 else 0)


def row(x, y, size, scale, splits):
    cells = []
    for method in METHODS:
        value = tuned(method, scale, *drawn(x, y, size, 0)[:2])
        found = [right(method, value, scale, *drawn(x, y, size, s)) for s in range(splits)]
        cells.append(spread(found) + ("" if value is None else f" ({value:g})"))
    return cells


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data")
    parser.add_argument("--pare", default=os.path.join(os.path.dirname(__file__), "../../build/release/pare"))
    parser.add_argument("--splits", type=int, default=20)
    run.given = parser.parse_args()
    x, y = run.load("Vehicle")
    rows = [("paper", "340", *map(pair, TABLE_3["Vehicle"]))]
    for size in SIZES:
        for name, scale in SCALES.items():
            if size == SIZES[0] or scale is not unchanged:
                rows.append((name, str(size), *row(x, y, size, scale, run.given.splits)))
    print_table(("inputs", "for training", *METHODS), rows)
    rows = []
    for name, scale in list(SCALES.items())[1:]:
        for method, values in SHRUNK.items():
            rows.append((name, method, ", ".join(
                f"{np.mean([right(method, v, scale, *drawn(x, y, SIZES[0], s)) for s in range(run.given.splits)]):.1f} ({v:g})"
                for v in values)))
    print_table(("inputs", "method", "accuracy (gamma, lambda or C)"), rows)


main()
