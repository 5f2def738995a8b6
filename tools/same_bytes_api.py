"""The Python package under same_bytes.py: a file for each method and task with all that its estimators say, one of
paths and one of errors. Run in a folder beside data/ with I/N, the share of the methods to do."""
import json
import sys
import warnings

import numpy as np
import pandas as pd
from scipy import sparse

import pare

SHEETS = {"binary": "two", "multiclass": "three", "regression": "real", "ranking": "two", "survival": "life",
          "none": "two"}
KINDS = {"regression": pare.PareRegressor, "ranking": pare.PareRanker, "none": pare.PareSelector,
         "survival": getattr(pare, "PareSurvival", None)}  # an old package has none, nor a method for it
ATTRIBUTES = ("classes_", "coef_", "intercept_", "support_", "ranking_", "scores_", "pvalues_", "qvalues_", "n_iter_",
              "n_features_in_", "objective_", "outcome_", "certificate_")
CALLS = ("decision_function", "predict", "predict_proba", "transform")


def read(sheet, kind=""):
    frame = pd.read_csv(f"data/{sheet}{kind}.csv")
    target = ["event", "time"] if sheet == "life" else "class"
    return frame.drop(columns=target), frame[target].to_numpy()


def plain(value):
    """What JSON has, every digit kept."""
    if sparse.issparse(value):
        value = value.toarray()
    if isinstance(value, pd.DataFrame):
        return {str(name): plain(value[name].to_numpy()) for name in value}
    if isinstance(value, np.ndarray):
        return {"shape": value.shape, "dtype": str(value.dtype), "values": value.ravel().tolist()}
    return value if isinstance(value, (str, int, float, type(None))) else str(value)


def describe(out, estimator, x, y, more):
    for name in ATTRIBUTES:
        if hasattr(estimator, name):
            print(f"{name} {json.dumps(plain(getattr(estimator, name)))}", file=out)
    offset = {"offset": more["offset"]} if "offset" in more else {}
    for name in CALLS:
        if hasattr(estimator, name):
            said = getattr(estimator, name)(x, **(offset if name != "transform" else {}))
            print(f"{name} {json.dumps(plain(said))}", file=out)
    if hasattr(estimator, "predict_survival_function"):
        for name, times in ("predict_survival_function", [[0.5, 1, 2]]), ("predict_median", []):
            print(f"{name} {json.dumps(plain(getattr(estimator, name)(x, *times, **offset)))}", file=out)
    model = estimator.model_
    for name in ("notes", "names", "needed", "pairs", "lambda_path", "weights", "selection"):
        print(f"model {name} {getattr(model, name)!r}", file=out)
    print(f"names {list(estimator.get_feature_names_out())}\n{model!r}\n{model.text}", file=out)
    if y is not None:
        print(f"check {model.check(x, y, **more)!r}", file=out)


def attempt(out, title, run):
    """What a call prints and warns of, or its error."""
    print(f"== {title}", file=out)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            run()
        except Exception as error:
            print(f"{type(error).__name__}: {error}", file=out)
    for warning in caught:
        print(f"{warning.category.__name__}: {warning.message}", file=out)


def fits(sheet):
    """Title, settings, X, y and what else goes to fit."""
    frame, y = read(sheet)
    x = frame.to_numpy()
    gaps = read(sheet, "-gaps")[0]
    text = read(sheet, "-text")[0].astype({"site": "category"})
    weight = np.loadtxt("data/weights")
    yield "array", {}, np.asfortranarray(x), y, {}
    yield "k", {"k": 3}, x, y, {}
    yield "frame", {"k": 3}, frame, y, {}
    yield "sparse", {"k": 3}, sparse.csc_matrix(x), y, {}
    yield "sparse rows", {}, sparse.csr_matrix(x.astype(np.float32)), y, {}
    yield "float32", {"k": 3}, np.asfortranarray(x, dtype=np.float32), y, {}
    yield "categories", {"k": 2}, text, y, {}
    yield "weights", {"k": 3}, x, y, {"sample_weight": weight}
    yield "offset", {"k": 3}, x, y, {"offset": np.loadtxt("data/offset")}
    yield "gaps", {"k": 3, "missing": "median"}, gaps, y, {}
    pairs = [str(j // 2) for j in range(len(frame.columns))]
    yield "terms", {"k": 3, "keep": ["g7", "g8"], "cost": {"g1": 2.5}, "feature_groups": pairs}, frame, y, {}
    yield "lists", {"k": 3, "scale": "robust", "random_state": 4}, x.tolist(), list(y), {}
    yield "probability", {"k": 3, "probability": True}, x, y, {}
    yield "balanced", {"k": 3, "class_weight": "balanced"}, x, y, {}
    yield "sweep", {"sweep": True}, x, y, {}


def write_fits(method, task):
    with open(f"{method}-{task}.txt", "w") as out:
        for title, settings, x, y, more in fits(SHEETS[task]):
            y = None if task == "none" else y

            def run():
                estimator = KINDS.get(task, pare.PareClassifier)(method, **settings).fit(x, y, **more)
                describe(out, estimator, x, y, more)
            attempt(out, title, run)
    with open(f"{method}-{task}-path.txt", "w") as out:
        frame, y = read(SHEETS[task])
        word = {"regression": "regress", "ranking": "rank", "survival": "survival"}.get(task, "classify")
        attempt(out, "path", lambda: write_path(out, frame, y, method, task=word))


def write_path(out, x, y, methods, **options):
    path = pare.honest_path(x, y, methods, **{"sizes": [1, 4], "cv": 3, "inner": 2, "substitutes": 1, **options})
    print(path.json, path, path.notes, sep="\n", file=out)
    for of in ("points", "parts", "features"):
        print(of, json.dumps(plain(path.frame(of))), file=out)
    print(json.dumps(plain(path.chosen)), json.dumps(plain(path.predictions)), sep="\n", file=out)
    if not isinstance(methods, str):
        print(path._repr_html_(), file=out)


def write_paths():
    from sklearn.model_selection import KFold
    frame, y = read("three")
    x, names = frame.to_numpy(), [m.name for m in pare.methods() if "multiclass" in m.tasks]
    asked = {
        "several": (names[:3], {"null_runs": 2}),
        "splitter": (names[3:6], {"cv": KFold(3)}),
        "groups": (names[:2], {"groups": np.arange(len(x)) // 2}),
        "tuned": ({names[0]: {"scale": "none"}}, {"tune": True}),
        "control": (names[1:2], {"error_control": "pfer=2", "error_pairs": 3}),
        "sparse": (names[1:3], {"splits": 3}),
        "offset": (names, {"offset": np.ones(len(x))}),
        "budgets": (names[1:3], {"sizes": "auto", "budgets": [2, 5]})}
    with open("paths.txt", "w") as out:
        for title, (methods, options) in asked.items():
            data = sparse.csc_matrix(x) if title == "sparse" else frame
            attempt(out, title, lambda: write_path(out, data, y, methods, **options))


def write_errors():
    """What is refused, and the words for it."""
    (frame, y), gaps, text = read("two"), read("two", "-gaps")[0], read("two", "-text")[0]
    x, make, path = frame.to_numpy(), pare.PareClassifier, pare.honest_path
    good = make(k=2)
    wrong = {
        "method": lambda: make("svm_rfe").fit(x, y),
        "type of method": lambda: make(3).fit(x, y),
        "value": lambda: make("corr", k=0).fit(x, y),
        "unknown setting": lambda: make(cee=1),
        "setting of another": lambda: make("corr", gamma=1).fit(x, y),
        "k": lambda: make(k=99).fit(x, y),
        "gaps": lambda: good.fit(gaps, y),
        "no y": lambda: good.fit(x, None),
        "rows": lambda: good.fit(x, y[:-1]),
        "one class": lambda: good.fit(x, ["a"] * len(x)),
        "infinite": lambda: good.fit(np.where(x == 0, np.inf, x), y),
        "one dimension": lambda: good.fit(x[0], y),
        "text": lambda: good.fit(text, y),
        "weights": lambda: good.fit(x, y, sample_weight=-np.ones(len(x))),
        "unfitted": lambda: make().predict(x),
        "columns": lambda: good.fit(x, y).predict(x[:, :3]),
        "columns of a frame": lambda: good.fit(frame, y).predict(frame.iloc[:, :3]),
        "order of a frame": lambda: good.fit(frame, y).predict(frame[frame.columns[::-1]]),
        "probability": lambda: make("corr", k=2).fit(x, y).predict_proba(x),
        "keep": lambda: make(keep=["no"]).fit(frame, y),
        "cost": lambda: make(cost=np.zeros(len(frame.columns))).fit(x, y),
        "regression of text": lambda: pare.PareRegressor().fit(x, y),
        "file": lambda: pare.load("nowhere.json"),
        "many folds": lambda: path(x, y, cv=99),
        "one fold": lambda: path(x, y, cv=1),
        "sizes": lambda: path(x, y, "corr", sizes=[99]),
        "unknown option": lambda: path(x, y, "corr", cee=1),
        "metric": lambda: path(x, y, "corr", metric="r2", cv=3)}
    with open("errors.txt", "w") as out:
        for title, run in wrong.items():
            attempt(out, title, run)


def write_tables():
    with open("tables.txt", "w") as out:
        for method in pare.methods():
            print(method, *pare.settings(method.name), sep="\n", file=out)


def main():
    at, parts = map(int, sys.argv[1].split("/"))
    every = [(m.name, task) for m in pare.methods() for task in m.tasks if task in SHEETS]
    has = {task for m in pare.methods() for task in m.tasks}
    every += [("auto", task) for task in SHEETS if task != "none" and task in has]
    for method, task in every[at::parts]:
        write_fits(method, task)
    for i, write in enumerate((write_paths, write_errors, write_tables)):
        if i % parts == at:
            write()


main()
