#!/usr/bin/env python3
"""Do the intervals of a path hold the truth as often as they say?

    ./coverage.py [--pare PATH] [--draws 200] [--work FOLDER] [--no-reference] [--table]

N samples with D independent features, five of which make the labels. The procedure: the ten best by corr, then the linear svm.
Its accuracy by ten folds, with the interval by Nadeau and Bengio's standard error and Student's t, the interval that pare
gives (the union of a bootstrap and Wilson's), and as the reference the nested cross-validation of Bates, Hastie and Tibshirani
(JASA 2024), REPEATS of it. The truth: the accuracy of the fit on all N samples on fresh ones (of this draw), and its mean over all draws. The nested
estimate (the size chosen among 2, 5, 10, 20 inside) has all but the last.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy import stats

N, D, SIGNALS, EFFECT, FRESH, FOLDS, REPEATS = 90, 100, 5, 1.2, 4000, 10, 3
HERE = Path(__file__).resolve().parent


def draw_data(seed, n):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, D))
    y = rng.random(n) < 1 / (1 + np.exp(-EFFECT * x[:, :SIGNALS].sum(1)))
    return x, y.astype(int)


def write(folder, name, x, y):
    np.save(folder / f"{name}.npy", x)
    (folder / f"{name}.txt").write_text("".join(f"{v}\n" for v in y))
    return [str(folder / f"{name}.npy"), "--labels", str(folder / f"{name}.txt")]


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def path(args, data, *options):
    return json.loads(run(args.pare, "path", *data, "-m", "corr", "--substitutes", "0", "--threads", "1", "--json", *options))


def losses(args, folder, x, y, fold):
    """Whether each sample is predicted right when its fold is left out."""
    data = write(folder, "part", x, y)
    (folder / "folds.txt").write_text("".join(f"{f}\n" for f in fold))
    run(args.pare, "path", *data, "-m", "corr", "--substitutes", "0", "--threads", "1", "--inner", "0", "--sizes", "10",
        "--fold-file", folder / "folds.txt", "--predictions", folder / "said.tsv")
    rows = [line.split("\t") for line in (folder / "said.tsv").read_text().splitlines()[1:]]
    right = np.full(len(y), np.nan)
    for row in rows:
        right[int(row[3]) - 1] = row[4] == row[5]
    return right


def bates(args, folder, x, y, rng):
    """Algorithm 1 of their paper, with its bias correction and its limits of the standard error."""
    a, b, inside, whole = [], [], [], []
    for _ in range(REPEATS):
        fold = np.empty(len(y), int)
        for c in (0, 1):
            rows = rng.permutation(np.flatnonzero(y == c))
            fold[rows] = (np.arange(len(rows)) + c * 5) % FOLDS
        right = losses(args, folder, x, y, fold)
        whole.append(right)
        for k in range(FOLDS):
            others, own = fold != k, right[fold == k]
            e = losses(args, folder, x[others], y[others], fold[others])
            a.append((e.mean() - own.mean()) ** 2)
            b.append(own.var(ddof=1) / len(own))
            inside.append(e.mean())
    plain = np.std(whole[0], ddof=1) / np.sqrt(len(y))
    mse = (FOLDS - 1) / FOLDS * (np.mean(a) - np.mean(b))
    se = min(max(np.sqrt(max(mse, 0)), plain), np.sqrt(FOLDS) * plain)
    bias = (1 + (FOLDS - 2) / FOLDS) * (np.mean(inside) - np.mean(whole))
    centre = np.mean(inside) - bias
    return [centre - 1.96 * se, centre + 1.96 * se]


def ends(e):
    return [e["interval"]["low"], e["interval"]["high"]]


def student(e, parts):
    half = stats.t.ppf(0.975, parts - 1) * e["se"]
    return [e["mean"] - half, e["mean"] + half]


def run_draw(args, draw):
    x, y = draw_data([1, draw], N)
    fresh, truth = draw_data([2, draw], FRESH)
    out = {"draw": draw}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data, test = write(folder, "x", x, y), write(folder, "fresh", fresh, truth)
        for k in (2, 5, 10, 20):
            run(args.pare, "fit", *data, "-m", "corr", "-k", k, "-o", folder / "model.json", "--threads", "1")
            score = json.loads(run(args.pare, "predict", folder / "model.json", *test, "--score", "--json"))
            out[f"true {k}"] = score["metrics"]["accuracy"]
        fixed = path(args, data, "--inner", "0", "--sizes", "10", "--seed", str(draw))["runs"][0]["points"][0]
        nested = path(args, data, "--sizes", "2,5,10,20", "--seed", str(draw))["runs"][0]["chosen"]
        out["fixed"] = {"mean": fixed["mean"], "Nadeau-Bengio": student(fixed, FOLDS), "path": ends(fixed)}
        if args.reference:
            out["fixed"]["Bates et al."] = bates(args, folder, x, y, np.random.default_rng([3, draw]))
        out["nested"] = {"mean": nested["nested"]["mean"], "k": nested["n_features"],
                         "Nadeau-Bengio": student(nested["nested"], FOLDS), "path": ends(nested["nested"])}
    return out


def table(kept):
    print(f"{len(kept)} draws, n = {N}, d = {D}, accuracy.\n")
    print("| estimate | interval (95%) | holds the accuracy of this fit | holds the mean accuracy | mean width |\n|---|---|---|---|---|")
    for kind in ("fixed", "nested"):
        own = np.array([r["true 10"] if kind == "fixed" else r[f"true {r['nested']['k']}"] for r in kept])
        for name in ("Nadeau-Bengio", "path", "Bates et al."):
            if name not in kept[0][kind]:
                continue
            lo, hi = np.array([r[kind][name] for r in kept]).T
            rates = [np.mean((lo <= t) & (t <= hi)) for t in (own, own.mean())]
            se = [np.sqrt(p * (1 - p) / len(kept)) for p in rates]
            print(f"| {'ten features' if kind == 'fixed' else 'nested'} | {name} | {rates[0]:.3f} ± {se[0]:.3f} | {rates[1]:.3f} ± {se[1]:.3f} | {np.mean(hi - lo):.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pare", default=str(HERE.parents[1] / "build/release/pare"))
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--work", type=Path, default=Path("error_control_draws"))
    parser.add_argument("--no-reference", dest="reference", action="store_false", help="without Bates et al., much faster")
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    args.work.mkdir(exist_ok=True)
    keep = args.work / "coverage.jsonl"
    kept = [json.loads(line) for line in keep.read_text().splitlines()] if keep.exists() else []
    done = {r["draw"] for r in kept}
    for draw in range(0 if args.table else args.draws):
        if draw in done:
            continue
        kept.append(run_draw(args, draw))
        with keep.open("a") as out:
            out.write(json.dumps(kept[-1]) + "\n")
    table(kept)


if __name__ == "__main__":
    main()
