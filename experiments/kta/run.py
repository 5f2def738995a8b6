#!/usr/bin/python3
"""Tables 2 to 4 and Figure 1 of the lp-KTA paper, as far as the data are there.

    run.py [DATA_FOLDER] [--pare PROGRAM] [--out FOLDER] [--only SET,...] [--rows METHOD,...] [--table] [--quick]
           [--jobs N] [--deals N] [--stepwise]

Without a data folder: a synthetic set whose rule no linear method can see. What is done is kept in kta.jsonl of the out
folder, a line for each run of pare: a run goes on where the last one ended, and --table only prints what is there.
--jobs runs several pare at once; --deals repeats Table 2 over so many deals of the folds.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile

# The paper's numbers: Table 2 (accuracy, features; 5-fold), Table 3 (half the data, <= 200 features),
# Table 4 (seconds a point).
PAPER = {
    "arcene": ("Arcene", {"kta": (92.00, 3788), "kta-centered": (75.00, 134), "bahsic": (69.00, 100),
                          "l1-svm-path": (77.00, 273), "uniform": (81.00, 10000), "smo-mkl": (82.00, 9999),
                          "l1-mkl-path": (81.00, 87)},
               {"rbf": (76.80, 124), "linear": (73.40, 16), "info-gain": (72.00, 110), "chi2": (71.20, 120),
                "fisher": (66.20, 65), "mrmr": (68.20, 60), "relieff": (68.40, 170), "spectrum": (64.00, 195),
                "gini": (64.60, 185), "kruskal": (60.20, 95)},
               {"kta": 0.3, "kta-centered": 10.9, "smo-mkl": 5.7, "bahsic": 116.2, "l1-mkl-path": 29.5}),
    "madelon": ("Madelon", {"kta": (65.70, 12), "kta-centered": (62.45, 290), "bahsic": (53.90, 50),
                            "l1-svm-path": (61.25, 7), "uniform": (59.85, 500), "smo-mkl": (62.05, 1),
                            "l1-mkl-path": (62.76, 89)},
                {"rbf": (64.50, 14), "linear": (62.04, 12), "info-gain": (61.63, 5), "chi2": (61.69, 10),
                 "fisher": (61.47, 10), "mrmr": (61.87, 5), "relieff": (62.06, 15), "spectrum": (60.19, 25),
                 "gini": (59.43, 25), "kruskal": (55.04, 65)},
                {"kta": 2.4, "kta-centered": 2405.5, "smo-mkl": 168.4, "bahsic": 2265.8, "l1-mkl-path": 83.1}),
    "RELATHE": ("Relathe", {"kta": (92.57, 3644), "kta-centered": (90.40, 542), "bahsic": (85.07, 500),
                            "l1-svm-path": (89.00, 510), "uniform": (90.96, 4322), "l1-mkl-path": (85.67, 287)},
                {"rbf": (89.40, 183), "linear": (88.39, 190), "info-gain": (84.39, 190), "chi2": (83.48, 180),
                 "fisher": (83.35, 180), "mrmr": (75.01, 60), "relieff": (77.08, 200), "spectrum": (69.99, 175),
                 "gini": (69.50, 180), "kruskal": (70.97, 200)},
                {"kta": 2.4, "kta-centered": 2093.8, "bahsic": 3764.2, "l1-mkl-path": 240.0}),
    "PCMAC": ("Pcmac", {"kta": (93.62, 2947), "kta-centered": (93.05, 498), "bahsic": (89.55, 500),
                        "l1-svm-path": (90.68, 190), "uniform": (92.49, 3289)},
              {"rbf": (89.76, 196), "linear": (88.88, 180), "info-gain": (88.99, 135), "chi2": (88.24, 155),
               "fisher": (88.02, 100), "mrmr": (83.34, 145), "relieff": (80.76, 200), "spectrum": (66.74, 185),
               "gini": (66.60, 185), "kruskal": (65.20, 200)},
              {"kta": 3.7, "kta-centered": 1099.6, "bahsic": 5906}),
    "BASEHOCK": ("Basehock", {"kta": (98.59, 4262), "kta-centered": (97.29, 584), "bahsic": (93.58, 500),
                              "l1-svm-path": (97.24, 264), "uniform": (97.99, 4862)},
                 {"rbf": (95.46, 184), "linear": (94.76, 189), "info-gain": (95.26, 200), "chi2": (95.28, 160),
                  "fisher": (94.61, 200), "mrmr": (88.88, 70), "relieff": (86.05, 200), "spectrum": (69.79, 200),
                  "gini": (69.49, 200), "kruskal": (70.37, 200)},
                 {"kta": 4.8, "kta-centered": 3302.6, "bahsic": 7847.1}),
    "dorothea": ("Dorothea", {"kta": (94.75, 20220), "bahsic": (90.63, 500), "l1-svm-path": (93.88, 499),
                              "uniform": (91.38, 100000)},
                 {"rbf": (93.75, 17), "linear": (93.60, 12), "info-gain": (93.33, 35), "chi2": (93.33, 20),
                  "fisher": (93.30, 20), "mrmr": (93.18, 155), "relieff": (93.33, 105), "spectrum": (90.28, 140),
                  "gini": (90.28, 140), "kruskal": (90.08, 65)},
                 {"kta": 12.5, "bahsic": 10976.3}),
}
LARGE = {"madelon", "RELATHE", "PCMAC", "BASEHOCK"}  # n > 1000: coarser steps and grids
GRID = "C_ratio 1 10 100, lambda2_ratio 0.05 0.2 0.5, lambda1_ratio 0.1 0.5"
GRID_LARGE = "C_ratio 1 10, lambda2_ratio 0.05 0.5"
GRID_COMPARATORS = "C_ratio 0.1 1 10 100"
FEW = "0.9"  # lambda2 as a share of the largest alignment: few features at p = 1
SIZES = "1,2,5,10,20,50,100,200,500"
FILTERS = ("info-gain", "chi2", "fisher", "mrmr", "relieff", "spectrum", "gini", "kruskal")
FILTER_SIZES = "5,10,15,20,25,35,50,65,80,95,110,125,140,155,170,185,200"
MKL_NORMS = ("1.01", "1.34", "1.67", "2")  # of smo-mkl
LAMBDAS = 30
GAMMAS = ("0.05", "0.16", "0.5", "1.6", "5")  # of standardised features, where the default is 0.5


class Kept:
    """What is done, by the data and the arguments of pare. With a pool what is missing is begun there, and None for now."""

    def __init__(self, path, pool):
        self.path, self.pool, self.known, self.running, self.failed = path, pool, {}, {}, set()
        for line in open(path) if os.path.exists(path) else ():
            one = json.loads(line)
            self.known[tuple(one["key"])] = one["found"]

    def get(self, options, key, make):
        key = tuple(key)
        if key not in self.known and not options.table:
            if not self.pool:
                self.keep(key, make)
            elif key not in self.failed and key not in self.running.values():
                self.running[self.pool.submit(make)] = key
        return self.known.get(key)

    def keep(self, key, make):
        """Keeps what make() gives; of a run that pare refuses, the sentence goes to stderr."""
        try:
            self.put(key, make())
            print(*key, file=sys.stderr, flush=True)
        except RuntimeError as problem:
            self.failed.add(key)
            print(*key, problem, sep=": ", file=sys.stderr, flush=True)

    def put(self, key, found):
        self.known[key] = found
        with open(self.path, "a") as file:
            file.write(json.dumps({"key": key, "found": found}) + "\n")

    def fill(self, ask):
        """Repeats ask(), which begins what it can, until nothing is left to do."""
        while True:
            with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
                ask()
            if not self.running:
                return
            for one in concurrent.futures.wait(self.running, return_when=concurrent.futures.FIRST_COMPLETED).done:
                self.keep(self.running.pop(one), one.result)


def show(*cells):
    """A row of a table in Markdown."""
    print("|", " | ".join(map(str, cells)), "|", flush=True)


def head(*names):
    show(*names)
    print("|" + "---|" * len(names))


def slim(run):
    """Of a path what the tables need."""
    keep = ("n_features", "used_mean", "mean", "se")
    points = [{**{k: p[k] for k in keep}, "settings": {"p": p["settings"].get("p")}} for p in run["points"]]
    return {"points": points, "chosen": run["chosen"]}


def call(options, *arguments):
    """What pare prints, and the processor seconds it took, reading included."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as problem:
        process = subprocess.Popen([options.pare, *arguments, "--threads", str(options.threads)], stdout=out,
                                   stderr=problem, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            problem.seek(0)
            raise RuntimeError(problem.read().decode().strip() or f"exit status {process.returncode}")
        out.seek(0)
        return json.load(out), used.ru_utime + used.ru_stime


def run_path(options, data, *arguments):
    """A path as its JSON object, and the seconds it took; None: not done yet."""
    def make():
        found, seconds = call(options, "path", data, "--json", "--metric", "accuracy", *arguments)
        return slim(found["runs"][0]), seconds
    return options.kept.get(options, [os.path.basename(data), "path", *arguments], make) or (None, None)


def run_fit(options, data, *arguments):
    """Seconds of a fit on all samples, and how many features it selects."""
    def make():
        found, seconds = call(options, "fit", data, "--json", *arguments)
        return seconds, len(found["selected"])
    return options.kept.get(options, [os.path.basename(data), "fit", *arguments], make) or (None, None)


def best(points, most=None):
    """The point with the best mean on the test parts: what the paper's tables print."""
    allowed = [p for p in points if most is None or p["used_mean"] <= most]
    return max(allowed, key=lambda p: (p["mean"], -p["used_mean"]), default=None)


def oracle(points, most=None):
    point = best(points, most)
    return f"{100 * point['mean']:.2f} ({point['used_mean']:.0f})" if point else "-"


def nested(run):
    found = run["chosen"] and run["chosen"]["nested"]
    return f"{100 * found['mean']:.2f}" if found else "-"


def row(table, method, paper, run, nests, most=None, taken=None):
    if run is None:
        return
    said = f"{paper[0]:.2f} ({paper[1]})" if paper else "-"
    seconds = f"{taken:.1f}" if taken else "-"
    show(table, method, said, oracle(run["points"], most), nested(run) if nests else "-", seconds)


def rows2(options, name, data):
    """Table 2's methods: (method, arguments, whether it has a nested estimate). 5-fold: the whole path of kta, tuned inside
    each training part, and its comparators."""
    large = name in LARGE
    wide = usable(options, data)
    own = support(options, data, "kta-centered") if options.row("kta-centered") else None
    step = ["--p-step", "0.05" if large else "0.02"]
    found = []
    for method, settings, grid in [
            ("kta", step, GRID_LARGE if large else GRID),
            ("uniform", ["--sizes", wide], GRID_COMPARATORS),
            ("kta-centered", ["--sizes", str(own)], GRID_COMPARATORS),
            ("bahsic", ["--step", "0.1", "--sizes", cut(SIZES, int(wide) if wide.isdigit() else 500)], None),
            ("smo-mkl", ["--p-step", "0.33"], None if large or name == "dorothea" else GRID_COMPARATORS),
            ("l1-mkl-path", ["--lambda-count", str(LAMBDAS)], None),
            ("l1-svm-path", ["--lambda-count", "51"], None)]:
        if options.row(method) and "None" not in settings:
            nests = bool(grid) and not options.quick
            tune = ["--tune", "--grid", grid, "--inner", "3"] if nests else ["--inner", "0"]
            more = [] if method == "kta" else ["--substitutes", "0"]
            found.append((method, ["-m", method, "--folds", "5", *more, *settings, *tune], nests))
    return found


def table2(options, name, data, paper):
    for method, arguments, nests in rows2(options, name, data):
        run, taken = run_path(options, data, *arguments)
        row(2, method, paper.get(method), run, nests, taken=taken)


def deals(options, name, data, paper):
    """Table 2 over several deals of the folds; on the same deals kta without tuning at several gammas, and with the
    settings that are best on the test folds."""
    rows = [(method, [arguments], nests) for method, arguments, nests in rows2(options, name, data)]
    if options.row("kta"):
        untuned = ["-m", "kta", "--folds", "5", "--p-step", "0.02", "--inner", "0"]
        rows += [(f"kta, gamma {gamma}", [[*untuned, "--gamma", gamma]], False) for gamma in GAMMAS]
        rows.append(("kta, settings by the test folds", [
            [*untuned, "--C-ratio", c, "--lambda2-ratio", share]
            for c in ("1", "10", "100", "1000") for share in ("0.05", "0.2", "0.5", "0.9")], False))
    head("method", "paper", "deals", "oracle", "least", "most", "nested", "deals at the paper's or above")
    for method, among, nests in rows:
        runs = [[run_path(options, data, *arguments, *(["--seed", str(deal)] if deal > 1 else []))[0] for arguments in among]
                for deal in range(1, options.deals + 1)]
        runs = [each for each in runs if None not in each]
        if len(runs) < 2:
            continue
        means = [max(100 * best(run["points"])["mean"] for run in each) for each in runs]
        inside = [100 * run["chosen"]["nested"]["mean"] for run, in runs] if nests else []
        said = paper.get(method.split(",")[0], (None,))[0]
        show(method, f"{said:.2f}" if said else "-", len(runs), spread(means), f"{min(means):.0f}", f"{max(means):.0f}",
             spread(inside) if inside else "-", sum(m >= said - 1e-9 for m in means) if said else "-")


def spread(values):
    return f"{statistics.mean(values):.2f} ± {statistics.stdev(values):.2f}"


def table3(options, data, paper):
    """Half the data, at most 200 features: kta with p from 1 up to where more would be selected; filters by sizes."""
    for kernel in ("rbf", "linear"):
        if not options.row("kta"):
            break
        base = ["-m", "kta", "--kernel", kernel, "--lambda2-ratio", FEW]
        look, _ = run_path(options, data, *base, "--p-start", "1.4", "--folds", "2", "--inner", "0")
        if not look:
            continue
        allowed = [p["settings"]["p"] for p in look["points"] if p["n_features"] <= 200]
        if not allowed:
            show(3, f"kta {kernel}", "-", "no point has so few features", "-", "-")
            continue
        tune = ["--inner", "0"] if options.quick else ["--tune", "--grid", "C_ratio 1 10 100, lambda1_ratio 0.1 0.5",
                                                        "--inner", "3"]
        run, taken = run_path(options, data, *base, "--p-start", f"{max(allowed):g}", "--splits", "5", "--train", "0.5",
                              *tune)
        row(3, f"kta {kernel}", paper.get(kernel), run, not options.quick, 200, taken)
    for method in FILTERS:
        if not options.row(method):
            continue
        run, taken = run_path(options, data, "-m", method, "--splits", "5", "--train", "0.5", "--inner", "0", "--substitutes",
                              "0", "--sizes", FILTER_SIZES)
        row(3, method, paper.get(method), run, False, 200, taken)


def table4(options, name, data, paper):
    """Processor seconds for one point. kta: path of 101 points, 5 folds, an SVM at each, no tuning; the comparators on all
    samples."""
    def said(method, seconds, whole):
        show(4, f"{method}, seconds a point", paper.get(method, "-"), f"{seconds:.4f}", "-", f"{whole:.1f}")

    run = None
    if options.row("kta"):
        run, taken = run_path(options, data, "-m", "kta", "--lambda2-ratio", FEW, "--folds", "5", "--inner", "0",
                              "--substitutes", "0")
        if run:
            said("kta", taken / (5 * len(run["points"])), taken)
    times = {"kta-centered": [["-m", "kta-centered"]], "smo-mkl": [["-m", "smo-mkl", "--p", p] for p in MKL_NORMS],
             "bahsic": [["-m", "bahsic", "-k", "1", "--step", "0.1"]], "bahsic, one at a time": [["-m", "bahsic", "-k", "1", "--step", "1"]],
             "l1-mkl-path": [["-m", "l1-mkl-path", "--sweep", "--lambda-count", str(LAMBDAS)]]}
    most = usable(options, data) if options.row("bahsic") else ""
    most = min(500, int(most)) if most.isdigit() else 500
    for method, fits in times.items():
        if not options.row(method.split(",")[0]) or method == "bahsic, one at a time" and not options.stepwise:
            continue
        found = [run_fit(options, data, *fit)[0] for fit in fits]
        if None in found:
            continue
        points = {"l1-mkl-path": LAMBDAS}.get(method, most if method.startswith("bahsic") else len(fits))
        said(method, sum(found) / points, sum(found))
    return run


def support(options, data, method):
    """How many features the method selects by itself on all samples."""
    return run_fit(options, data, "-m", method)[1]


def usable(options, data):
    """How many features are not constant, as text."""
    return str(run_fit(options, data, "-m", "uniform")[1])


def cut(sizes, most):
    return ",".join(s for s in sizes.split(",") if int(s) <= most)


def tables(options, name, data):
    title, accuracy, half, seconds = PAPER.get(name, ("Synthetic", {}, {}, {}))
    print(f"\n### {title}\n")
    if options.deals:
        return deals(options, name, data, accuracy)
    head("table", "method", "paper (features)", "oracle (features)", "nested", "seconds")
    if options.wants("4"):
        whole = table4(options, name, data, seconds)
        lines = weights(options, data) if options.row("kta") else None
        if whole and lines and not options.kept.pool:
            figure(options, name, whole, lines)
    if options.wants("3"):
        table3(options, data, half)
    if options.wants("2"):
        table2(options, name, data, accuracy)


def weights(options, data):
    """Weights of eight features, from the largest to the smallest at p = 2, at each p: {column: [[p, weight], ...]}."""
    arguments = ["-m", "kta", "--lambda2-ratio", FEW, "--folds", "2", "--inner", "0"]

    def make():
        found = {}
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, "weights")
            call(options, "path", data, "--json", *arguments, "--weights-out", path)
            for line in open(path).read().splitlines()[1:]:
                p, _, column, weight = line.split("\t")
                found.setdefault(int(column), []).append([float(p), float(weight)])
        order = sorted((c for c in found if found[c][-1][0] == 2), key=lambda c: -found[c][-1][1])
        return {str(c): found[c] for c in order[::max(1, (len(order) - 1) // 7)]}
    return options.kept.get(options, [os.path.basename(data), "weights", *arguments], make)


def figure(options, name, run, lines):
    """Figure 1: accuracy and features along the path; weights of some features, with junctures."""
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "kta", "path.simplify_threshold": 0.5})
    import matplotlib.pyplot as plt
    p = [float(point["settings"]["p"]) for point in run["points"]]
    fig, axes = plt.subplots(1, 3, figsize=(15, 4.2))
    axes[0].plot([q["used_mean"] for q in run["points"]], [100 * q["mean"] for q in run["points"]])
    axes[0].set(xscale="log", xlabel="features", ylabel="accuracy (%)", title="(a) selection path")
    axes[1].plot(p, [q["used_mean"] for q in run["points"]])
    axes[1].set(xlabel="p", ylabel="features", title="(b) features along p")
    for column, line in lines.items():
        axes[2].plot(*zip(*line), label=f"x{int(column) + 1}")
        if line[0][0] > min(p):
            axes[2].axvline(line[0][0], color="0.85", zorder=0)
    axes[2].set(xlabel="p", ylabel="weight", title="(c) weights; grey: junctures")
    axes[2].set_yscale("log")
    axes[2].legend(fontsize=7)
    path = os.path.join(options.out, f"figure1-{name.lower()}.svg")
    fig.tight_layout()
    fig.savefig(path, metadata={"Date": None})
    plt.close(fig)
    print(f"{path} written", file=sys.stderr)


def synthetic(folder):
    """Class by |x1| and |x2| being large or not: both classes have the same means."""
    import numpy as np
    rng = np.random.default_rng(7)
    x = rng.normal(size=(300, 200))
    y = (np.abs(x[:, 0]) + np.abs(x[:, 1]) + 0.2 * rng.normal(size=300) > 1.6).astype(int)
    name = os.path.join(folder, "ring.csv")
    np.savetxt(name, np.column_stack([x, y]), delimiter=",", fmt="%.8g", comments="",
               header=",".join([f"f{j + 1}" for j in range(200)] + ["y"]))
    return name


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--pare", default=os.path.join(here, "..", "..", "build", "release", "pare"))
    parser.add_argument("--out", default=".")
    parser.add_argument("--quick", action="store_true", help="no nested estimate, coarser figure")
    parser.add_argument("--tables", default="4,3,2", help="which to make; 4 comes with Figure 1")
    parser.add_argument("--only", help="sets to run, comma-separated")
    parser.add_argument("--rows", help="methods to run, comma-separated")
    parser.add_argument("--deals", type=int, default=0, help="Table 2 of arcene, or of --only, over so many deals of the folds")
    parser.add_argument("--jobs", type=int, default=1, help="how many pare run at once")
    parser.add_argument("--threads", type=int, default=1, help="of each pare")
    parser.add_argument("--stepwise", action="store_true", help="table 4: bahsic also one feature at a time (many minutes)")
    parser.add_argument("--table", action="store_true", help="only print what is done")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    pool = concurrent.futures.ThreadPoolExecutor(options.jobs) if options.jobs > 1 and options.folder else None
    options.kept = Kept(os.path.join(options.out, "kta.jsonl"), pool)
    if options.deals and not options.only:
        options.only = "arcene"
    options.row = lambda method: not options.rows or method in options.rows.split(",")
    options.wants = lambda table: table in options.tables.split(",")
    if pool and not options.table:
        options.kept.fill(lambda: everything(options))
        options.table, options.kept.pool = True, None
    everything(options)


def everything(options):
    if not options.folder:
        with tempfile.TemporaryDirectory() as scratch:
            data = synthetic(scratch)
            tables(options, "ring", data)
            linear, _ = run_path(options, data, "-m", "svm", "--folds", "5", "--inner", "0")
            if linear:
                show("-", "svm, linear", "-", oracle(linear["points"]), "-", "-")
        return
    for name in PAPER:
        if options.only and name not in options.only.split(","):
            continue
        for end in (".csv.gz", ".svm.gz", ".mat"):
            data = os.path.join(options.folder, name + end)
            if os.path.exists(data):
                tables(options, name, data)
                break
        else:
            print(f"{PAPER[name][0]}: not in {options.folder}", file=sys.stderr)


main()
