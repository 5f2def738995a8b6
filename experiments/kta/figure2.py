#!/usr/bin/python3
"""Figure 2 of the lp-KTA paper: a kernel's weight in lp-MKL that falls to 0 and returns as p decreases.

    figure2.py DATA_FOLDER [--pare PROGRAM] [--out FOLDER]

Two features of parkinsons.csv with linear kernels, which are of rank one; lambda2 by Theorem 4, such that the first weight is
0 exactly at p = 1.5. Writes figure2.svg and prints a table and the junctures at eps 1e-8.
"""

import argparse
import csv
import json
import os
import subprocess
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

FEATURES = ("NHR", "MDVP:Jitter")
LAMBDA1, VANISHES = 0.05, 1.5
EPS = 1e-8
TABLE = (2, 1.8, 1.6, 1.5, 1.4, 1.3, 1.2)


def theorem4(U, y):
    """lambda2 such that u1'a = 0 at p = VANISHES: needs y'K2 K1 y > y'K1 y > 0."""
    (r1, r2), both, c = U.T @ y, U[:, 0] @ U[:, 1], 1 / (2 * LAMBDA1)
    assert r2 * both * r1 > r1 * r1 > 0
    rho = r1 / (both * r2)
    eta2 = c * rho / (1 - rho)
    return r2 * r2 / (2 * (eta2 + c) ** 2 * VANISHES * eta2 ** (VANISHES - 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--pare", default=os.path.join(os.path.dirname(__file__), "../../build/release/pare"))
    parser.add_argument("--out", default=os.path.dirname(os.path.abspath(__file__)))
    options = parser.parse_args()
    rows = list(csv.DictReader(open(os.path.join(options.data, "parkinsons.csv"))))
    X = np.array([[float(row[name]) for name in FEATURES] for row in rows])
    y = np.array([2.0 * int(row["status"]) - 1 for row in rows])
    U = X - X.mean(axis=0)
    U /= np.sqrt((U**2).sum(axis=0))
    lambda2 = theorem4(U, y - y.mean())
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "two.csv")
        np.savetxt(table, np.column_stack([X, y]), fmt="%.17g", delimiter=",", header=",".join(FEATURES) + ",y", comments="")
        how = [table, "--target", "y", "--task", "regress", "-m", "lp-mkl", "--kernel", "linear", "--scale", "standard", "--lambda1",
               str(LAMBDA1), "--lambda2", repr(lambda2), "--eps", "1e-300", "--quiet"]

        def run(*words):
            return subprocess.run([options.pare, *words], check=True, capture_output=True, text=True).stdout

        def weights(p):
            found = json.loads(run("fit", *how, "--p", repr(float(p)), "--tol", "1e-11", "--json"))
            score = {one["name"]: one["score"] for one in found["selected"]}
            return [score.get(name, 0) for name in FEATURES], found["certificate"]["relative"]

        print(f"lambda1 {LAMBDA1}, lambda2 {lambda2:.9g}\n\n| p | weight of {FEATURES[0]} | weight of {FEATURES[1]} | relative gap |")
        print("|---|---|---|---|")
        for p in TABLE:
            (first, second), gap = weights(p)
            print(f"| {p} | {first:.3g} | {second:.3g} | {max(gap, 0):.0e} |")
        grid = np.round(np.linspace(2, 1.15, 86), 9)
        eta = np.array([weights(p)[0] for p in grid])
        how[how.index("--eps") + 1] = repr(EPS)
        path = json.loads(run("path", *how, "--p", "1.15", "--p-step", "0.05", "--folds", "2", "--inner", "0", "--json"))
    print()
    for one in path["runs"][0]["junctures"]:
        print(f"{one['name']}: passes {EPS:g} between p {one['p'][0]:.6g} and {one['p'][1]:.6g}, "
              f"relative gaps {max(one['gap'][0], 0):.0e} and {max(one['gap'][1], 0):.0e}")
    matplotlib.rcParams.update({"svg.hashsalt": "pare", "svg.fonttype": "none", "font.size": 10})
    figure, sides = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    for side, scale in zip(sides, ("linear", "log")):
        side.plot(grid, eta[:, 0], color="tab:blue", label=FEATURES[0])
        side.plot(grid, eta[:, 1], color="tab:gray", label=FEATURES[1])
        side.axvline(VANISHES, color="black", linewidth=0.8, linestyle=":")
        side.set(xlabel="p", ylabel="weight", yscale=scale, xlim=(2, 1.15))
    sides[0].set_ylim(0, 2)
    sides[1].set_ylim(1e-9, 200)
    sides[1].legend(frameon=False)
    figure.savefig(os.path.join(options.out, "figure2.svg"), metadata={"Date": None})


if __name__ == "__main__":
    main()
