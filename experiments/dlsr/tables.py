"""Prints the tables beside the paper's and draws Figures 2 and 3, of what run.py has kept."""

import numpy as np

from paper import METHODS, SELECTORS, TABLE_3, TABLE_5, TABLE_7, TABLE_10, TABLE_11, TRAIN, keeps

GROUPS = {"figure2.svg": ("Vehicle", "AT&T", "Umist", "Usps"), "figure3.svg": ("Coil20", "Glioma", "SRBCT", "TOX-171")}


def better(a, b):
    """Paired t-test, one-sided at 0.95: is a > b?"""
    from scipy.stats import ttest_rel
    return "-" if np.allclose(a, b) else int(ttest_rel(a, b, alternative="greater").pvalue < 0.05)


def print_table(columns, rows):
    print("\n| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for cells in rows:
        print("| " + " | ".join(cells) + " |", flush=True)


def spread(values):
    return f"{np.mean(values):.2f} ± {np.std(values, ddof=1):.2f}"


def pair(found):
    return f"{found[0]:.2f} ± {found[1]:.2f}"


def seconds(kept, table, name, method, done, ratio):
    """The median of the times measured alone, else of those of the splits, with a mark."""
    alone = [v for k, v in kept.known.items() if k[:3] == ("time", name, method) and k[4] == ratio]
    return f"{np.median(alone):.4f}" if alone else f"{np.median([kept.known[table, name, method, s][1] for s in done]):.4f}*"


def table_3(kept, splits, sets):
    print("\n## Tables III to V\n\nAccuracy in %, mean and standard deviation over the splits; the paper's; DLSR better than the "
          "method (1: at 0.95); seconds of one\ntraining here (median of 5; *: while others ran); the paper's, on its own machine; "
          "the parameter chosen.")
    for name in (name for name in TABLE_3 if name in sets):
        done = kept.splits("III", name, METHODS, splits)
        if len(done) < 2:
            continue
        accuracy = {m: [kept.known["III", name, m, s][0] for s in done] for m in METHODS}
        print(f"\n{name}: {TRAIN[name]} for training, {len(done)} splits")
        rows = []
        for i, method in enumerate(METHODS):
            chosen = kept.known.get(("III", name, method, "chosen"))
            rows.append((method, spread(accuracy[method]), pair(TABLE_3[name][i]),
                         "" if method == "DLSR" else str(better(accuracy["DLSR"], accuracy[method])),
                         "" if i == 0 else seconds(kept, "III", name, method, done, chosen),
                         "" if i == 0 else f"{TABLE_5[name][i - 1]}",
                         "" if chosen is None else f"{chosen:g}"))
        print_table(("method", "accuracy", "paper", "DLSR >", "seconds", "paper", "chosen"), rows)


def table_7(kept, splits, sets):
    print("\n## Tables VII to XI\n\nAccuracy in % of a linear SVM on the selected features, mean and standard deviation; the paper's; "
          "DLSR-FS better than the\nmethod (1: at 0.95); the paper's verdict; seconds of one selection here (median of 5; *: while "
          "others ran); the paper's.")
    for name, paper in TABLE_7.items():
        done = kept.splits("VII", name, SELECTORS, splits)
        if name not in sets or len(done) < 2:
            continue
        accuracy = {m: [kept.known["VII", name, m, s][0][-1] for s in done] for m in SELECTORS}
        ratio, cost = kept.known["VII", name, "DLSR-FS", "chosen"]
        print(f"\n{name}: {TRAIN[name]} for training, {keeps(name)[0]} features, {len(done)} splits; chosen for DLSR-FS: "
              f"{ratio:g} lambda_max, C {cost:g}")
        rows = []
        for i, method in enumerate(SELECTORS):
            last = method == "DLSR-FS"
            rows.append((method, spread(accuracy[method]), pair(paper[i]),
                         "" if last else str(better(accuracy["DLSR-FS"], accuracy[method])),
                         "" if last else str(TABLE_10[name][i]),
                         seconds(kept, "VII", name, method, done, ratio if last else None), f"{TABLE_11[name][i]}"))
        print_table(("method", "accuracy", "paper", "DLSR-FS >", "paper", "seconds", "paper"), rows)


def drawing():
    """matplotlib's pyplot, to draw small files that are the same at every run; None without it."""
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "dlsr"})
    import matplotlib.pyplot as plot
    return plot


def save(figure, name):
    figure.tight_layout()
    figure.savefig(name, metadata={"Date": None})
    print(f"{name} written")


def figures_2_3(kept, splits, sets):
    """Of each group of sets a figure: mean and standard deviation of four selectors and DLSR-FS, then of the other four."""
    print("\n## Figures 2 and 3\n\nAccuracy in % against the number of selected features (the paper has pictures, no numbers).")
    plot = drawing()
    for file, group in GROUPS.items():
        names = [n for n in group if n in sets and len(kept.splits("VII", n, SELECTORS, splits)) > 1]
        if not names:
            continue
        figure, part = plot.subplots(len(names), 2, figsize=(10, 2.6 * len(names)), squeeze=False) if plot else (None, names)
        for row, name in zip(part, names):
            done, sizes = kept.splits("VII", name, SELECTORS, splits), list(keeps(name)[1])
            curve = {m: np.array([kept.known["VII", name, m, s][0] for s in done]) for m in SELECTORS}
            print(f"\n{name}, {len(done)} splits")
            print_table(("method", *map(str, sizes)), [(m, *(f"{v:.1f}" for v in curve[m].mean(0))) for m in SELECTORS])
            for axis, shown in zip(row, (SELECTORS[:4], SELECTORS[4:8])) if plot else ():
                for m in (*shown, "DLSR-FS"):
                    draw(axis, sizes, curve[m], m)
                axis.set(title=name, xlabel="selected features", ylabel="accuracy in %", xticks=sizes)
                axis.legend(fontsize=7)
        if plot:
            save(figure, file)


def draw(axis, sizes, curve, label):
    """The mean as a line; a deviation above and below, all of them one broken line, for a small file."""
    mean, deviation = curve.mean(0), curve.std(0, ddof=1)
    line, = axis.plot(sizes, mean, label=label, linewidth=1)
    ends = np.stack([mean - deviation, mean + deviation, np.full(len(mean), np.nan)], 1)
    axis.plot(np.repeat(sizes, 3), ends.ravel(), color=line.get_color(), linewidth=0.6)
