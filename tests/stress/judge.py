"""What must hold of a model, by hand: from its JSON and the raw numbers alone."""
import copy
import math

EXEMPT = ("settings", "asked", "dual", "iterations", "seconds")
SELECTING = ("dual", "columns", "z", "index", "coef", "intercept", "settings")


def outcome(model):
    """The word that a certificate above its tolerance does not bear out, or None."""
    tol = model["settings"].get("tol", 1e-5)
    tol = max(tol, 1e-5) if isinstance(tol, float) else 1e-5
    for what in (model, model.get("selection") or {}):
        c = what.get("certificate") or {}
        if c.get("kind", "none") == "none" or what["outcome"] not in ("optimal", "stationary", "computed", "greedy"):
            continue
        if c["value"] is None or (c["value"] != 0 and not c["relative"] <= tol):
            return f"{what['outcome']} at relative {c['relative']}"
    return None


def feature(selected, row):
    if "terms" not in selected:
        return row[selected["index"]]
    return math.prod(row[j] ** power for j, power in selected["terms"])


def scores(model, rows):
    """Decision values (value, size of its largest term) of a linear model; None: it is not linear."""
    if "neighbours" in model or any("pair" in o for o in model["outputs"]) or any(o.get("coef") is None for o in model["outputs"]):
        return None
    if model.get("units") == "transformed" or (model.get("row_scale") or {}).get("kind", "none") != "none":
        return None
    out = []
    for row in rows:
        x = [feature(s, row) for s in model["selected"]]
        terms = [[o["intercept"]] + [a * b for a, b in zip(o["coef"], x)] for o in model["outputs"]]
        out.append([(math.fsum(t), max(map(abs, t))) for t in terms])
    return out


def compare(model, rows, lines):
    """lines: what `pare predict` printed, split. None, or what differs."""
    mine = scores(model, rows)
    if mine is None:
        return None
    ranks = lines[0].index("score") if "score" in lines[0] else 2
    for i, (own, cells) in enumerate(zip(mine, lines[1:])):
        if model["task"] == "regression":
            said = [float(cells[1])]
        elif model["task"] == "ranking":
            said = [float(cells[ranks])]
        else:
            said = [float(c) for c in cells[2:]]
            best = max(said)
            word = cells[1]
            expect = model["classes"][said[0] > 0] if len(said) == 1 else model["classes"][said.index(best)]
            if word != expect:
                return f"sample {i + 1} is {word}, its scores say {expect}"
        for (v, size), s in zip(own, said):
            if math.isfinite(v) and abs(v - s) > 1e-9 * size:
                return f"sample {i + 1}: {s!r} predicted, {v!r} by hand"
    return None


def leaves(node, path=()):
    if isinstance(node, dict):
        for key, part in node.items():
            if key == "certificate" and abs(part.get("relative") or 0) < 1e-9:
                continue  # rounding alone
            if path == ("calibration",) and key == "seed":
                continue  # where the sigmoids come from, no more
            if node.get("type") not in (None, "poly") and key in ("degree", "coef0"):
                continue  # of another kernel
            if not (len(path) == 0 and key in EXEMPT) and not (path == ("selection",) and key in SELECTING):
                yield from leaves(part, path + (key,))
    elif isinstance(node, list):
        for i, part in enumerate(node):
            yield from leaves(part, path + (i,))
    elif isinstance(node, (int, float)) and not isinstance(node, bool) and node != 0:
        yield path


def tampered(r, model):
    """A copy with one number changed by a hundredth, and where; None: there is none to change."""
    paths = list(leaves(model))
    if not paths:
        return None, None
    path = r.choice(paths)
    other = copy.deepcopy(model)
    node = other
    for key in path[:-1]:
        node = node[key]
    old = node[path[-1]]
    node[path[-1]] = old + 1 if isinstance(old, int) else old * 1.01
    return other, "/".join(map(str, path))
