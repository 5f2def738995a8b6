"""What an honest path found: frames, pictures, files."""

import html
import io
import json
import math
import zipfile
from collections import namedtuple
from functools import lru_cache

import numpy as np

from ._declared import COLUMN_SHOWN, COLUMN_TYPE, Column, Metric
from ._lib import PareValueError, byref, lib
from ._model import Model

_Column = namedtuple("_Column", "table field name type optional")
_SHOWN = {name: bit for bit, name in COLUMN_SHOWN.items()}


class HonestPath:
    """What :func:`honest_path` found; also read from the JSON file of `pare path -o`.

    Attributes
    ----------
    result : dict, the JSON of `pare path`
    complete : bool, whether every fold was finished
    metric : str
    methods : list of str
    headline : dict, for each method the sentences to quote: the nested CV estimate of the whole procedure with its
        95% confidence interval and the baseline, the sizes that the outer folds chose, the final model, the permutation test
    best : str, the method with the best nested CV estimate
    model_ : :class:`pare.Model`, fitted to all samples at the chosen number of features of `best_method`
    estimator_ : the same as an estimator of scikit-learn; ``predict``, ``predict_proba`` and ``score`` are its own
    chosen : DataFrame, for each method the nested CV estimate (`nested_mean`, its interval from `nested_low` to
        `nested_high`), the sizes that the outer folds chose (`nested_n_features`), the final model's `n_features` with its CV score
        (`mean`, optimistic), and its features
    predictions : DataFrame, what was said of every test sample of every part at every size; `sample` is its
        position in X, `part` counts from 1
    notes : list of str
    """

    _named = _estimator = _model = None
    _recipe, _input = {}, (None, None, None)  # of the estimator: settings of each method; categories, names, features

    def __init__(self, text, page=None, predictions=None, labels=None, model=None):
        self.result = json.loads(text)
        self._model = model
        if model is not None and labels:
            model.labels = np.array([labels[t] for t in model.classes])
        self._text, self._page, self._predictions, self._labels = text, page, predictions, labels or {}
        if self.result.get("kind") != "path":
            raise PareValueError("this is no path: its kind is %r" % (self.result.get("kind"),))

    @property
    def complete(self):
        return self.result["complete"]

    @property
    def metric(self):
        return self.result["metric"]

    @property
    def methods(self):
        return [run["method"] for run in self.result["runs"]]

    @property
    def notes(self):
        return self.result["notes"]

    @property
    def headline(self):
        return {run["method"]: run["headline"] for run in self.result["runs"]}

    @property
    def best(self):
        return self.result["best"]

    @property
    def json(self):
        """The text of `pare path -o FILE.json`."""
        return self._text

    def frame(self, of="points"):
        """A tidy data frame.

        Parameters
        ----------
        of : {"points", "parts", "features", "cohorts", "control", "risk_groups", "calibration_at"}
            "points": a row for each method and size; "parts": for each method, size, part and metric;
            "features": for each method and feature of the fit on all samples at the chosen size; "cohorts": for each method
            and cohort of `leave_out`; "control": for each method and feature of the controlled set, with its share of the
            half-samples or its q-value. Of survival "risk_groups": held-out samples by predicted risk; "calibration_at": predicted
            against observed probabilities.
        """
        import pandas as pd
        rows, text = [], {"method", "metric", "name"}
        for run in self.result["runs"]:
            if of == "control":
                rows += [{"method": run["method"], **f} for f in (run["control"] or {"selected": []})["selected"]]
            elif of == "parts":
                rows += [{"method": run["method"], "n_features": point["n_features"], **_budget(point), "part": j + 1,
                          "metric": name, "score": score} for point in run["points"]
                         for name, m in point["metrics"].items() for j, score in enumerate(m["folds"])]
            elif of in _tables():
                rows += [{"method": run["method"], **({"rank": i + 1} if of == "features" else {}), **_row(of, row)}
                         for i, row in enumerate(_value(run, _tables()[of]) or [])]
                text.update(c.name for c in _columns(of) if c.type == "TEXT")
            else:
                raise PareValueError("of is %r; allowed are %s, parts and control" % (of, ", ".join(_tables())))
        out = pd.DataFrame(rows)
        for name in out.columns.difference(list(text)):
            out[name] = pd.to_numeric(out[name])
        return out

    @property
    def chosen(self):
        import pandas as pd
        rows = [{"method": run["method"], **_row("runs", run), "features": [f["name"] for f in run["features"]]}
                for run in self.result["runs"]]
        return pd.DataFrame(rows).set_index("method")

    @property
    def predictions(self):
        import pandas as pd
        if self._predictions is None:
            raise AttributeError("this path was read from JSON, which has no table of predictions: result[\"runs\"] has "
                                 "those at the sizes that the training parts chose; save under another name than "
                                 "*.json to keep all")
        table = pd.read_csv(io.StringIO(self._predictions), sep="\t", dtype={"truth": str, "prediction": str},
                            keep_default_na=False, na_values={"score": [""]}, float_precision="round_trip")
        table["sample"] = table["sample"].astype(int) - 1  # counts from 0 as everything in Python does
        for name in ("truth", "prediction"):
            if name in table:
                table[name] = table[name].map(self._labels) if self._labels else pd.to_numeric(table[name])
        return table

    # --- the model ---

    @property
    def model_(self):
        """The model (:class:`pare.Model`) at the chosen number of features, fitted to all samples: `pare path --model`."""
        if self._model is None:
            raise AttributeError("this path has no model: %s" % (
                "it was stopped early" if not self.complete else "it was read from JSON alone; save it under another name than "
                "*.json to keep the model"))
        return self._model

    @property
    def best_method(self):
        """The method that the model is of: `best`, unless another was asked for."""
        return self.best if self._named is None else self._named

    @property
    def estimator_(self):
        """That model as a fitted estimator of scikit-learn, whose settings repeat the fit; made on first use."""
        if self._estimator is None:
            from ._estimators import fitted
            chosen = next(run["chosen"] for run in self.result["runs"] if run["method"] == self.best_method)
            k, more = (None, {"budget": chosen["budget"]}) if "budget" in chosen else (chosen["n_features"], {})
            settings = {**self._recipe.get(self.best_method, {}), **more}
            self._estimator = fitted(self.model_, self.best_method, k, settings, *self._input)
        return self._estimator

    def predict(self, X):
        """What the model predicts."""
        return self.estimator_.predict(X)

    def predict_proba(self, X):
        """Probabilities of the classes; the path must have been run with ``probability=True``."""
        return self.estimator_.predict_proba(X)

    def score(self, X, y):
        """The score of the model, as that of its estimator."""
        return self.estimator_.score(X, y)

    # --- pictures and files ---

    def plot_features(self, ax=None, most=30):
        """The features of the model, and the selection frequency of each over the outer folds; returns the axes."""
        features = self.frame("features")
        features = features[features["method"] == self.best_method].head(most)[::-1]
        ax = _axes(ax)
        ax.barh(range(len(features)), features["share"])
        ax.set_yticks(range(len(features)))
        ax.set_yticklabels(features["name"])
        ax.set_xlim(0, 1)
        ax.set_xlabel("selection frequency")
        return ax

    def plot_stability(self, ax=None):
        """The stability of the selection against the number of features; returns the axes."""
        points, ax = self.frame(), _axes(ax)
        for method in self.methods:
            one = points[points["method"] == method].dropna(subset=["stability"]).sort_values("n_features")
            ax.plot(one["n_features"], one["stability"], marker="o", markersize=3, label=method)
        ax.set_xscale("log")
        ax.set_xlabel("number of features")
        ax.set_ylabel("stability of the selection")
        ax.legend(frameon=False)
        return ax

    def plot(self, ax=None, **options):
        """Curves of the metric against the number of features; see :class:`PathDisplay`."""
        return PathDisplay(self).plot(ax=ax, **options)

    def report(self, path):
        """Write the report, one self-contained HTML page."""
        with open(path, "w", encoding="utf-8") as f:
            f.write(self._report_page())

    def _report_page(self):
        if self._page is None:
            raise PareValueError("this path was read from JSON alone, which has no report: save it under another "
                                 "name than *.json, or use `pare path --report`")
        return self._page

    def _repr_html_(self):
        if self._page is None:
            return self.frame()._repr_html_()
        return ('<iframe srcdoc="%s" width="100%%" height="640" style="border:0" sandbox="allow-scripts"></iframe>'
                % html.escape(self._page, quote=True))

    def save(self, path):
        """Keep the path in a file: as the command line's JSON if the name ends in .json, else with everything."""
        if str(path).endswith(".json"):
            with open(path, "w", encoding="utf-8") as f:
                f.write(self._text)
            return
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
            z.writestr("path.json", self._text)
            z.writestr("labels.json", json.dumps(_kinds(self._labels)))
            if self._page is not None:
                z.writestr("report.html", self._page)
            if self._predictions is not None:
                z.writestr("predictions.tsv", self._predictions)
            if self._model is not None:
                z.writestr("model.json", self._model.text)
                z.writestr("best.json", json.dumps(self._named))

    @classmethod
    def load(cls, path):
        """Read what :meth:`save` or `pare path -o FILE.json` wrote."""
        if not zipfile.is_zipfile(path):
            with open(path, encoding="utf-8") as f:
                return cls(f.read())
        with zipfile.ZipFile(path) as z:
            have = set(z.namelist())

            def read(name):
                return z.read(name).decode("utf-8") if name in have else None

            text = read("model.json")
            path = cls(read("path.json"), read("report.html"), read("predictions.tsv"),
                       json.loads(read("labels.json") or "{}"), text and Model.parse(text))
            path._named = json.loads(read("best.json") or "null")
            return path

    def __getstate__(self):
        return {k: v for k, v in self.__dict__.items() if k not in ("result", "_estimator")}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.result = json.loads(self._text)

    def __repr__(self):
        lines = ["<pare.HonestPath %s, %d samples, %d features, %s%s>" % (
            self.result["task"], self.result["n_samples"], self.result["n_features"], self.metric,
            "" if self.complete else ", stopped early")]
        for run in self.result["runs"]:
            said = run["headline"] or ["not finished"]
            lines += ["  %s: %s" % (run["method"], said[0])] + ["    " + sentence for sentence in said[1:]]
        if len(self.methods) > 1 and self.best is not None:
            lines.append("  %s is the best of %d methods by this estimate, which favours it a little" % (
                self.best, len(self.methods)))
        return "\n".join(lines)


@lru_cache(maxsize=None)
def _described():
    """The columns that the library describes."""
    out, one = [], Column()
    while lib.path_column(byref(one), len(out)):
        kind = COLUMN_TYPE[one.type][len("PARE_COLUMN_"):]
        shown = bool(one.shown & _SHOWN["PARE_SHOWN_PYTHON"])
        out.append((_Column(one.table.decode(), one.field.decode(), one.name.decode(), kind,
                            bool(one.shown & _SHOWN["PARE_SHOWN_OPTIONAL"])), shown))
    return out


@lru_cache(maxsize=None)
def _columns(table):
    """The columns of a table's data frame."""
    return [c for c, shown in _described() if shown and c.table == table]


@lru_cache(maxsize=None)
def _tables():
    """Tables of a run that have a data frame, and where a run has them."""
    lists = {c.field.split(".")[-1]: c.field for c, _ in _described() if c.table == "runs" and c.type == "LIST"}
    return {table: field for table, field in lists.items() if _columns(table)}


def _value(row, field):
    for key in field.split("."):
        row = (row or {}).get(key)
    return row


def _row(table, source):
    """A row of a data frame: a column for each number of what is a list of outputs."""
    out = {}
    for c in _columns(table):
        value = _value(source, c.field)
        if c.type == "METRICS":
            out.update({name: m["mean"] for name, m in value.items()})
        elif c.type == "OTHER" and table == "features":
            out.update({c.name if len(value) == 1 else "%s_%d" % (c.name, o): v for o, v in enumerate(value)})
        elif value is not None or not c.optional:
            out[c.name] = 0 if value is None and c.type == "INTEGER" else value
    return out


def _budget(point):
    return {"budget": point["budget"]} if "budget" in point else {}


def _range(task, metric):
    """What a metric can be at all."""
    one, i = Metric(), 0
    while lib.metric_info(byref(one), task.encode(), i):
        if one.name.decode() == metric:
            return one.least, one.most
        i += 1
    return -math.inf, math.inf


def _kinds(labels):
    """Labels that JSON keeps as they are; others become text."""
    return {t: v if isinstance(v, (bool, int, float, str)) else str(v) for t, v in labels.items()}


def _axes(ax):
    """The axes, or those of a new figure."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plot needs matplotlib: pip install matplotlib, or apt-get install python3-matplotlib") from None
    return plt.subplots()[1] if ax is None else ax


def _setting_along(runs):
    """The setting that all runs are paths along (lambda_ratio of the lasso), or None: along the number of features."""
    found = set()
    for run in runs:
        settings = [p.get("settings") or {} for p in run["points"]]
        sizes = [p["n_features"] for p in run["points"]]
        differ = [k for k, v in settings[0].items() if isinstance(v, float) and len({s.get(k) for s in settings}) == len(settings)]
        found.add(differ[0] if len(set(sizes)) < len(sizes) and differ else None)
    return found.pop() if len(found) == 1 else None


class PathDisplay:
    """The curves of an honest path, drawn with matplotlib.

    Parameters
    ----------
    path : HonestPath

    Attributes
    ----------
    ax_ : matplotlib axes
    figure_ : matplotlib figure
    lines_ : list of the curves, one for each method
    """

    def __init__(self, path):
        self.path = path

    def plot(self, ax=None, *, errors=True, chosen=True, chance=True):
        """Draw.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None: a new figure.
        errors, chosen, chance : bool, default=True
            Bands of one standard error, a ring at each chosen size, a line at the majority-class (or mean) baseline.

        Returns
        -------
        self
        """
        self.ax_ = _axes(ax)
        self.figure_ = self.ax_.figure
        self.lines_ = []
        points, runs = self.path.frame(), self.path.result["runs"]
        setting = _setting_along(runs)
        for run in runs:
            one = points[points["method"] == run["method"]].reset_index(drop=True)
            one["x"] = [p["settings"][setting] for p in run["points"]] if setting else one["n_features"]
            at = one["x"][run["chosen"]["point"]] if run["chosen"] and setting else run["chosen"] and run["chosen"]["n_features"]
            one = one.dropna(subset=["mean"]).sort_values("x")
            line, = self.ax_.plot(one["x"], one["mean"], marker="o", markersize=3, label=run["method"])
            self.lines_.append(line)
            if errors:
                low, high = _range(self.path.result["task"], self.path.metric)
                self.ax_.fill_between(one["x"], (one["mean"] - one["se"]).clip(lower=low),
                                      (one["mean"] + one["se"]).clip(upper=high), color=line.get_color(),
                                      alpha=0.15, linewidth=0)
            if chosen and run["chosen"]:
                self.ax_.plot([at], [run["chosen"]["mean"]], marker="o", markersize=9,
                              markerfacecolor="none", color=line.get_color(), linestyle="none")
        guess = (self.path.result.get("chance") or {}).get(self.path.metric)
        if chance and guess is not None:
            self.ax_.axhline(guess, color="grey", linewidth=1, linestyle=":", label="baseline")
        self.ax_.set_xscale("log")
        if setting:
            self.ax_.invert_xaxis() # more features to the right, as with their number
            self.ax_.set_xlabel(setting.replace("_", " "))
        else:
            sizes = sorted(set(points["n_features"]))
            self.ax_.set_xticks(sizes)
            self.ax_.set_xticklabels([str(s) for s in sizes])
            self.ax_.minorticks_off()
            self.ax_.set_xlabel("number of features")
        self.ax_.set_ylabel(self.path.metric.replace("_", " "))
        self.ax_.legend(frameon=False)
        return self
