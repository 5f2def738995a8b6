"""Random tables and random settings, drawn from what `pare methods METHOD --json` allows."""
import json
import random
import re
import subprocess

FULL = ["", "", "", "", "2", "8", "150"]  # exponents of the columns' scales


def methods(pare):
    names = subprocess.run([pare, "methods"], capture_output=True, text=True, check=True).stdout
    return [describe(pare, line.split()[0]) for line in names.splitlines() if line.strip()]


def describe(pare, name):
    text = subprocess.run([pare, "methods", name, "--json"], capture_output=True, text=True, check=True)
    return json.loads(text.stdout)


def columns(r, n, d, y):
    """Signal in the first columns; ties, copies, constants, zeros, offsets and wild scales."""
    wide = r.choice(FULL)
    signal, zeros = r.choice([0, 0.5, 2, 5]), r.choice([0, 0, 0, 0.5, 0.9])
    ties, offset = r.random() < 0.2, r.choice([0, 0, 0, 0, 10, 1e4, 1e8])
    out = []
    for j in range(d):
        scale = 10 ** r.uniform(-float(wide), float(wide)) if wide else 1.0
        col = [r.gauss(0, 1) + (signal * ((y[i] + j) % 3) if j < 3 else 0) for i in range(n)]
        if ties:
            col = [round(v) for v in col]
        col = [0.0 if r.random() < zeros else (v + offset) * scale for v in col]
        if r.random() < 0.03:
            col = [col[0]] * n
        if out and r.random() < 0.05:
            col = list(r.choice(out))
        out.append(col)
    return out


def table(r, task, path):
    """Writes a table; returns (arguments for pare, rows or None where they are sparse or have missing
    values, number of features, whether values are missing)."""
    n, d = r.choice([4, 6, 8, 12, 20, 40, 60]), r.choice([1, 2, 3, 5, 10, 20, 60])
    classes = 2 if task in ("binary", "ranking") else r.choice([3, 3, 4, 5, 8, 30])
    classes = min(classes, max(2, n // 2))
    y = [i % classes for i in range(n)]
    r.shuffle(y)
    cols = columns(r, n, d, y)
    label = [f"{r.gauss(0, 1) + 3 * cols[0][i]:.17g}" if task == "regression" else f"c{y[i]:02d}" for i in range(n)]
    weight = [r.choice(["0", "1", "2", "0.5"]) for _ in range(n)] if r.random() < 0.15 else None
    missing = r.random() < 0.1
    if r.random() < 0.2 and not missing and not weight:
        return sparse(cols, label, y, task, path + ".svm")
    path += ".csv"
    with open(path, "w") as f:
        f.write(",".join([f"f{j}" for j in range(d)] + (["w"] if weight else []) + ["class"]) + "\n")
        for i in range(n):
            cells = ["" if missing and r.random() < 0.05 else repr(cols[j][i]) for j in range(d)]
            f.write(",".join(cells + ([weight[i]] if weight else []) + [label[i]]) + "\n")
    rows = None if missing else [[cols[j][i] for j in range(d)] for i in range(n)]
    return [path] + (["--weights", "w"] if weight else []), rows, d, missing


def sparse(cols, label, y, task, path):
    with open(path, "w") as f:
        for i in range(len(y)):
            cells = [f"{j + 1}:{cols[j][i]!r}" for j in range(len(cols)) if cols[j][i] != 0]
            f.write(" ".join([label[i] if task == "regression" else str(y[i])] + cells) + "\n")
    return [path, "--n-features", str(len(cols))], None, len(cols), False


def value(r, s):
    """A legal value of a setting, or None: its default."""
    allowed = s["allowed"]
    if s["type"] == "choice":
        return r.choice(allowed.split(":")[1].split())
    if s["type"] == "flag":
        return r.choice(["true", "false"])
    if s["type"] == "text":
        return None
    if " inf" in allowed and r.random() < 0.15:
        return "inf"
    low = re.search(r">=? (\S+)", allowed)
    high = re.search(r"<=? (\S+)", allowed)
    low, high = float(low[1]) if low else 0.0, float(high[1]) if high else float("inf")
    if s["name"] == "degree":  # monomials and powers grow with it
        return str(r.randint(1, 3))
    if s["type"] == "integer":
        return str(r.randint(int(low), int(min(high, low + 6))))
    if s["name"] == "tol":
        return r.choice(["1e-3", "1e-6", "1e-8"])
    if high < float("inf"):
        return repr(r.uniform(max(low, 1e-6 * high), high * 0.999))
    return repr(10 ** r.uniform(-4, 4))


def settings(r, method, task, d):
    out = ["--task", {"regression": "regress", "ranking": "rank"}.get(task, "classify")]
    for s in method["settings"]:
        if s["name"] in ("task", "positive", "missing", "k", "sweep") or r.random() < 0.75:
            continue
        v = value(r, s)
        name = "--" + s["name"].replace("_", "-")
        if s["type"] == "flag":
            if v != s["default"]:
                out += [name if v == "true" else "--no-" + name[2:]]
        elif v is not None:
            out += [name, v]
    if r.random() < 0.6:
        out += ["-k", str(r.randint(1, d))]
    return out
