#!/usr/bin/env python3
"""Does error control hold its level? Realised false selections beside the nominal ones, from drawn problems.

    ./run.py [--pare PATH] [--draws 200] [--work FOLDER] [--data FOLDER] [--table]

Four designs of N samples and D features, five of which make the labels (fixed places, logistic model): independent normal
features; blocks of ten with correlation 0.5 and 0.9 inside, each signal in a block of its own; and D columns of a real set
(TOX-171, its own rows) with labels drawn for every draw. In the last, all features of the half that holds the signals go along
with some of them more or less; the rows of the other half are put in another order for every draw, all alike, so that its features are as
they are in nature and have nothing to do with the labels. On each draw `pare path` runs with pfer=1 (three bounds) and
fdr=0.1, for five methods each. Every draw is kept in FOLDER and not run again; --table prints what is there.

False, for pfer, by the bound's own definition: features whose share of halves, averaged over all draws, is at most q/d.
Beside it the number of selected features that are independent of all signals (not in their blocks; in the real design the half
in another order): a reader's definition. False, for fdr: the same.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

N, D, BLOCK, EFFECT = 100, 200, 10, 1.5
SIGNAL = np.arange(5) * 20  # in the first half of the features, each in a block of its own
DESIGNS = ["independent", "blocks 0.5", "blocks 0.9", "real"]
PFER, FDR = 1, 0.1
JOINT = "svm-rfe,lda-forward,svm,mrmr,corr"  # svm-rfe eliminates a third at a time
ALONE = "t-test,corr,kruskal,fisher"  # null scores pooled
APART = "mutual-info"  # each feature has its own
BOUNDS = ["plain", "unimodal", "r-concave"]
HERE = Path(__file__).resolve().parent


def real_columns(args):
    """D columns of the real set, the same in all draws, standardised."""
    from scipy.io import loadmat
    x = loadmat(args.data / "TOX-171.mat")["X"].astype(float)
    rng = np.random.default_rng(7)
    x = x[:, rng.choice(x.shape[1], D, replace=False)]
    return (x - x.mean(0)) / x.std(0)


def problem(args, design, draw):
    """X and labels; the signals' places do not depend on the draw."""
    rng = np.random.default_rng([DESIGNS.index(design), draw])
    sign = np.where(np.arange(len(SIGNAL)) % 2, 1.0, -1.0)
    if design == "real":
        x = real_columns(args)
        x[:, D // 2:] = x[rng.permutation(len(x)), D // 2:]
    elif design == "independent":
        x = rng.standard_normal((N, D))
    else:
        r = float(design.split()[1])
        common = rng.standard_normal((N, D // BLOCK)).repeat(BLOCK, axis=1)
        x = np.sqrt(r) * common + np.sqrt(1 - r) * rng.standard_normal((N, D))
    eta = EFFECT * x[:, SIGNAL] @ sign
    return x, rng.random(len(x)) < 1 / (1 + np.exp(-eta))


def along(design):
    """Features that are a signal or depend on one."""
    if design == "real":
        return np.arange(D) < D // 2
    if design == "independent":
        return np.isin(np.arange(D), SIGNAL)
    return np.isin(np.arange(D) // BLOCK, SIGNAL // BLOCK)


def path(args, folder, methods, *options):
    command = [args.pare, "path", str(folder / "x.npy"), "--labels", str(folder / "y.txt"), "-m", methods, "--folds", "2",
               "--inner", "0", "--sizes", "1", "--substitutes", "0", "--threads", "1", "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{methods}: {done.stderr}")
    return {run["method"]: run["control"] for run in json.loads(done.stdout)["runs"]}


PARTS = {"pooled": (ALONE, "fdr", ["--error-control", f"fdr={FDR}"]),
         "pfer": (JOINT, "pfer", ["--error-control", f"pfer={PFER}", "--step", "0.3"]),
         "own": (APART, "fdr", ["--error-control", f"fdr={FDR}", "--error-permutations", "400"])}


def run_draw(args, design, draw, part):
    """What one draw gives: for pfer all listed shares (the bounds differ in the threshold alone), for fdr the selected."""
    x, y = problem(args, design, draw)
    methods, kind, options = PARTS[part]
    out = {"design": design, "draw": draw, "part": part, kind: {}}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "x.npy", x)
        (folder / "y.txt").write_text("".join(f"{int(v)}\n" for v in y))
        for method, c in path(args, folder, methods, *options).items():
            if kind == "pfer":
                out["pfer"][method], out["q"] = [[f["index"], f["share"]] for f in c["listed"]], c["q"]
            else:
                out["fdr"][method] = [f["index"] for f in c["selected"]]
    return out


def thresholds(args):
    """Of the three bounds, from the program itself."""
    rng = np.random.default_rng(1)
    out = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "x.npy", rng.standard_normal((N, D)))
        (folder / "y.txt").write_text("0\n1\n" * (N // 2))
        for bound in BOUNDS:
            c = path(args, folder, "corr", "--error-control", f"pfer={PFER}", "--error-bound", bound)["corr"]
            out[bound] = c["threshold"]
    return out


def mean_se(values):
    v = np.asarray(values, float)
    return v.mean(), v.std(ddof=1) / np.sqrt(len(v))


def pm(values, digits=2):
    m, s = mean_se(values)
    return f"{m:.{digits}f} ± {s:.{digits}f}"


def table(args, kept):
    limit = thresholds(args)
    print(f"n = {N} (real: 171), d = {D}, {len(SIGNAL)} signals.\n")
    print(f"pfer={PFER}: selected features that are low (the bound's definition), that are independent of all signals, and "
          "share of the signals found; mean ± standard error.\n")
    print("| design | draws | method | " + " | ".join(f"{b}: low | false | power" for b in BOUNDS) + " |")
    print("|---|---|---|" + "---|" * 9)
    worst = []
    for design in DESIGNS:
        rows = [r for r in kept if r["design"] == design and r["part"] == "pfer"]
        if len(rows) < 2:
            continue
        near = along(design)
        for method in JOINT.split(","):
            share = np.zeros((len(rows), D))
            for i, r in enumerate(rows):
                for index, value in r["pfer"][method]:
                    share[i, index] = value
            low = share.mean(0) <= rows[0]["q"] / D
            cells = []
            for bound in BOUNDS:
                chosen = share >= limit[bound] - 1e-9
                cells += [pm((chosen & low).sum(1)), pm((chosen & ~near).sum(1)), f"{chosen[:, SIGNAL].mean():.2f}"]
                for what, is_false in (("low", low), ("false", ~near)):
                    m, s = mean_se((chosen & is_false).sum(1))
                    if m > PFER + 2 * s:
                        worst.append(f"{design}, {method}, {bound}, {what}: {m:.2f} ± {s:.2f}")
            print(f"| {design} | {len(rows)} | {method} | " + " | ".join(cells) + " |")
    print(f"\nfdr={FDR}: share of the selected that are independent of all signals, their number, and the share of the signals found.\n")
    print("| design | draws | method | false discovery share | false | selected | power |\n|---|---|---|---|---|---|---|")
    for design in DESIGNS:
        near = along(design)
        for method in (ALONE + "," + APART).split(","):
            rows = [r for r in kept if r["design"] == design and method in r.get("fdr", {})]
            if len(rows) < 2:
                continue
            false = [sum(not near[j] for j in r["fdr"][method]) for r in rows]
            chosen = [len(r["fdr"][method]) for r in rows]
            rate = [f / max(c, 1) for f, c in zip(false, chosen)]
            power = np.mean([np.isin(SIGNAL, r["fdr"][method]).mean() for r in rows])
            print(f"| {design} | {len(rows)} | {method} | {pm(rate, 3)} | {pm(false)} | {np.mean(chosen):.1f} | {power:.2f} |")
            m, s = mean_se(rate)
            if m > FDR + 2 * s:
                worst.append(f"{design}, {method}, fdr: {m:.3f} ± {s:.3f}")
    print("\nAbove nominal by more than two standard errors: " + ("; ".join(worst) if worst else "nothing") + ".")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pare", default=str(HERE.parents[1] / "build/release/pare"))
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--work", type=Path, default=Path("error_control_draws"))
    parser.add_argument("--data", type=Path, default=HERE.parents[2] / "shared/data")
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    args.work.mkdir(exist_ok=True)
    keep = args.work / "draws.jsonl"
    kept = [json.loads(line) for line in keep.read_text().splitlines()] if keep.exists() else []
    done = {(r["design"], r["draw"], r["part"]) for r in kept}
    todo = [(design, draw, part) for part in PARTS for draw in range(args.draws) for design in DESIGNS]
    for one in [] if args.table else [t for t in todo if t not in done]:
        kept.append(run_draw(args, *one))
        with keep.open("a") as out:
            out.write(json.dumps(kept[-1]) + "\n")
    table(args, kept)


if __name__ == "__main__":
    main()
