#!/usr/bin/env python3
"""How often does the interval of the nested estimate hold the truth, and where does its pessimism come from?

    ./nested.py [--pare PATH] [--sets 200] [--folds 3 5 10] [--work FOLDER] [--table]

Sets of 40 to 100 samples and D independent features, some of which make the labels, with effects from weak to so strong that folds
have no error. The default procedure chooses among the sizes 1 to 50. The truth is the accuracy, on FRESH new samples, of the
model on all samples at the chosen size. Beside it the same of the models on all samples at the sizes that the outer folds
chose: what the truth loses against them is due to sizes chosen on fewer samples, the rest to fewer samples that train.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

D, FRESH, SIZES = 200, 10000, "1,2,5,10,20,50"
HERE = Path(__file__).resolve().parent


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def draw_samples(rng, n, effect):
    x = rng.standard_normal((n, D))
    return x, (rng.random(n) < 1 / (1 + np.exp(-x[:, :len(effect)] @ effect))).astype(int)


def write(folder, name, x, y):
    np.save(folder / f"{name}.npy", x)
    (folder / f"{name}.txt").write_text("".join(f"{v}\n" for v in y))
    return [folder / f"{name}.npy", "--labels", folder / f"{name}.txt"]


def truth_of(args, folder, data, k, fresh, y):
    """Accuracy on the new samples, of which only the chosen columns are written."""
    run(args.pare, "fit", *data, "-k", k, "-o", folder / "model.json", "--threads", "1", "--quiet")
    columns = [f["index"] for f in json.loads((folder / "model.json").read_text())["selected"]]
    test = np.zeros_like(fresh, dtype=np.float32)
    test[:, columns] = fresh[:, columns]
    score = run(args.pare, "predict", folder / "model.json", *write(folder, "fresh", test, y), "--score", "--json", "--quiet")
    return json.loads(score)["metrics"]["accuracy"]


def run_set(args, number):
    rng = np.random.default_rng([5, number])
    n, signals = int(rng.integers(40, 101)), int(rng.integers(1, 11))
    effect = rng.choice([-1, 1], signals) * rng.choice([1.0, 2.0, 4.0, 12.0]) / np.sqrt(signals)
    x, y = draw_samples(rng, n, effect)
    fresh, later = draw_samples(rng, FRESH, effect)
    out, true = {"set": number, "n": n, "folds": {}}, {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = write(folder, "x", x, y)
        for folds in args.folds:
            path = json.loads(run(args.pare, "path", *data, "--folds", folds, "--sizes", SIZES, "--substitutes", "0", "--threads", "1",
                                  "--seed", number + 1, "--json", "--quiet"))
            chosen = path["runs"][0]["chosen"]
            nested = chosen["nested"]
            for k in {chosen["n_features"], *nested["n_features"]} - set(true):
                true[k] = truth_of(args, folder, data, k, fresh, later)
            out["folds"][folds] = {"k": chosen["n_features"], "cv": chosen["mean"], "nested": nested["mean"], "se": nested["se"],
                                   "interval": nested["interval"], "truth": true[chosen["n_features"]],
                                   "sizes": nested["n_features"], "of sizes": float(np.mean([true[k] for k in nested["n_features"]]))}
    return out


def points(values):
    v = 100 * np.asarray(values)
    return f"{v.mean():+.1f} ± {v.std(ddof=1) / np.sqrt(len(v)):.1f}"


def rate(hits):
    p = np.mean(hits)
    return f"{p:.3f} ± {np.sqrt(p * (1 - p) / len(hits)):.3f}"


def table(kept):
    print(f"{len(kept)} sets of 40 to 100 samples, {D} features; truth on {FRESH} new samples.\n")
    print("| folds | interval holds the truth | mean ± 2 SE does | mean width | truth below, above the interval | no error in any fold |\n"
          "|---|---|---|---|---|---|")
    of = {folds: [r["folds"][folds] for r in kept] for folds in kept[0]["folds"]}
    for folds, rows in of.items():
        nested, truth = (np.array([r[key] for r in rows]) for key in ("nested", "truth"))
        low, high, se = (np.array([get(r) for r in rows]) for get in (lambda r: r["interval"]["low"],
                                                                      lambda r: r["interval"]["high"], lambda r: r["se"]))
        print(f"| {folds} | {rate((low <= truth) & (truth <= high))} | {rate(np.abs(nested - truth) <= 2 * se)} | {np.mean(high - low):.3f} | "
              f"{np.sum(truth < low)}, {np.sum(truth > high)} | {np.sum(nested == 1)} |")
    print("\n| folds | nested - truth, points | of that: sizes chosen on fewer samples | fewer samples train | CV at the chosen k - truth |\n"
          "|---|---|---|---|---|")
    for folds, rows in of.items():
        nested, truth, sizes, cv = (np.array([r[key] for r in rows]) for key in ("nested", "truth", "of sizes", "cv"))
        print(f"| {folds} | {points(nested - truth)} | {points(sizes - truth)} | {points(nested - sizes)} | {points(cv - truth)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pare", default=str(HERE.parents[1] / "build/release/pare"))
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--folds", nargs="+", default=["3", "5", "10"])
    parser.add_argument("--work", type=Path, default=Path("nested_sets"))
    parser.add_argument("--table", action="store_true", help="of what is there already")
    args = parser.parse_args()
    args.work.mkdir(exist_ok=True)
    keep = args.work / "nested.jsonl"
    kept = [json.loads(line) for line in keep.read_text().splitlines()] if keep.exists() else []
    done = {r["set"] for r in kept}
    for number in range(0 if args.table else args.sets):
        if number in done:
            continue
        kept.append(run_set(args, number))
        with keep.open("a") as out:
            out.write(json.dumps(kept[-1]) + "\n")
    table(kept)


if __name__ == "__main__":
    main()
