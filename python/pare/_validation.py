"""Does a model hold elsewhere? `pare validate` on arrays and frames."""

import ctypes
import json
import os

import numpy as np
from scipy import sparse

from ._call import Call
from ._data import Data, canonical_csc, label_text
from ._declared import ValidateOptions
from ._lib import PareValueError, byref, c_void_p, lib, strings, take_text
from ._model import Model, input_parts
from ._path_result import _axes
from ._targets import numbers_of, times_and_events
from ._tasks import predicts_time


def _model_of(model):
    found = getattr(model, "model_", model)
    if not isinstance(found, Model):
        raise PareValueError("model is %r; expected a fitted estimator or a pare.Model" % (type(found).__name__,))
    return found


def _columns(X, models):
    """X as the library reads it, and its names: of a frame the columns that the models know, as far as they are there."""
    X, names = input_parts(X)
    if names is not None and hasattr(X, "loc"):
        known = {n for m in models for n in m.needed_names + m.alternative_names}
        names = [n for n in names if n in known]
        X = X[names]
    x = canonical_csc(X) if sparse.issparse(X) else np.asfortranarray(np.asarray(X, dtype=np.float64))
    if x.ndim != 2:
        raise PareValueError("X has %d dimensions, 2 are needed: samples and features" % x.ndim)
    return x, names


def _set_target(data, model, y, n):
    if y is None:
        raise PareValueError("y is None: a validation needs the outcomes of the samples")
    if predicts_time(model.task):
        data.set_time_event(*times_and_events(y, n))
        return
    y = np.asarray(y)
    if y.shape != (n,):
        raise PareValueError("y has shape %s, X has %d samples" % (y.shape, n))
    if model.classes:
        texts, codes = np.unique([label_text(v) for v in y], return_inverse=True)
        data.set_codes(codes, texts.tolist())
    else:
        data.set_values(numbers_of(y))


def _open(model, others, X, y, cohort, offset, strata, sample_weight):
    x, names = _columns(X, [model] + others)
    data = Data(x, names)
    try:
        _set_target(data, model, y, x.shape[0])
        data.set_offset(offset)
        data.set_strata(strata)
        data.set_weights(sample_weight)
        if cohort is not None:
            if len(cohort) != x.shape[0]:
                raise PareValueError("cohort has %d entries, X has %d samples" % (len(cohort), x.shape[0]))
            data.set_fold_groups([label_text(c) for c in cohort])
    except BaseException:
        data.close()
        raise
    return data


def validate(model, X, y=None, *, cohort=None, absent="refuse", prevalence=None, cut=None, at=None, against=None,
             recalibrate="none", offset=None, strata=None, sample_weight=None, random_state=None, n_jobs=None):
    """Judge a model by samples that it was not fitted to.

    Parameters
    ----------
    model : fitted estimator or pare.Model
    X : array, sparse matrix or data frame with y; or a dict of several cohorts, name: (X, y)
        Of a frame the columns that the model needs are found by name; others are not looked at.
    y : outcomes, as `fit` takes them
    cohort : sequence of the cohort of each sample, default None: one cohort
    absent : {"refuse", "mean", "alternative"}
        What stands in for selected features that a frame lacks: nothing, the mean of the training samples, or a
        correlated column that the model keeps (``alternatives=3`` of the estimator).
    prevalence : float, of the positive class where the model is to be used, for the decision curve
    cut : float, a probability for a further confusion matrix
    at : float, survival: the time of the decision curve and of the calibration plot
    against : fitted estimator or pare.Model, to compare with on the same samples
    recalibrate : {"none", "intercept", "slope"}, makes ``result.model_``
    offset, strata, sample_weight : of the samples, where X is one data set
    random_state : seed of the resampling
    n_jobs : threads

    Returns
    -------
    ValidationResult
    """
    own, other = _model_of(model), None if against is None else _model_of(against)
    parts = list(X.items()) if isinstance(X, dict) else [("data", (X, y))]
    if isinstance(X, dict) and (y is not None or cohort is not None):
        raise PareValueError("X is a dict of cohorts, each with its y; y and cohort are for one data set")
    opened = []
    try:
        for _, (x, outcome) in parts:
            opened.append(_open(own, [other] if other else [], x, outcome, cohort, offset, strata, sample_weight))
        return _run(own, other, opened, [str(name) for name, _ in parts],
                    {"by_group": cohort is not None, "absent": absent.encode(), "recalibrate": recalibrate.encode(),
                     "prevalence": prevalence, "cut": cut, "at": at},
                    Call(n_jobs=n_jobs, random_state=random_state))
    finally:
        for data in opened:
            data.close()


def _run(model, other, opened, names, settings, call):
    options = ValidateOptions()
    lib.validate_options_init_sized(byref(options), ctypes.sizeof(options))
    for name, value in settings.items():
        if value is not None:
            setattr(options, name, value)
    options.against = other._p if other else None
    handles = (c_void_p * len(opened))(*[data.handle for data in opened])
    result, text, page = c_void_p(), c_void_p(), c_void_p()
    with call:
        lib.validate(byref(result), model._p, handles, strings(names), len(opened), byref(options), call.ref)
    try:
        lib.validation_json(byref(text), result, model._p, None)
        lib.validation_html(byref(page), result, model._p, None, None)
        again = None
        if settings["recalibrate"] != b"none":
            p = c_void_p()
            lib.validation_recalibrated(byref(p), result, model._p, None)
            again = Model(p)
            again._labels = model._labels
        return ValidationResult(json.loads(take_text(text)), take_text(page), again)
    finally:
        lib.validation_free(result)


class ValidationResult:
    """What became of :func:`pare.validate`.

    Attributes
    ----------
    result : dict, the object that `pare validate -o` writes: docs/validation.md
    cohorts : list of dict, its cohorts
    pooled : dict or None, the mean of each metric over cohorts
    notes : list of str, what is not defined and why, what differs
    model_ : pare.Model, recalibrated; None unless asked for
    html : str, the report as one page
    """

    def __init__(self, result, html, model):
        self.result, self.html, self.model_ = result, html, model
        self.cohorts, self.pooled, self.notes = result["cohorts"], result["pooled"], result["notes"]

    def __repr__(self):
        return "ValidationResult of %s" % ", ".join("%s (n = %d)" % (c["name"], c["n"]) for c in self.cohorts)

    def save(self, path):
        """Write the JSON, or with the extension .html the report."""
        with open(os.fspath(path), "w", encoding="utf-8") as f:
            if os.fspath(path).endswith(".html"):
                f.write(self.html)
            else:
                json.dump(self.result, f)

    def frame(self):
        """A pandas data frame: a row for each number of each cohort, with its interval."""
        import pandas

        rows = []
        for c in self.cohorts:
            rows += [dict(cohort=c["name"], metric=m, **e) for m, e in c["metrics"].items()]
            for name in ("intercept", "slope", "observed_expected") if c["calibration"] else ():
                found = c["calibration"][name]
                for label, e in zip(self.result["classes"], found) if isinstance(found, list) else [("", found)]:
                    rows.append(dict(cohort=c["name"], metric=("calibration " + name + " " + str(label)).strip(), **e))
        for m, e in (self.pooled or {}).items():
            rows.append({"cohort": "pooled", "metric": m, "value": e["value"], "low": e["low"], "high": e["high"]})
        return pandas.DataFrame(rows, columns=["cohort", "metric", "value", "low", "high"])

    def _tables(self, key, label):
        """(cohort's name, its list) of every cohort that has one; of several classes that of one."""
        for c in self.cohorts:
            found = c["decision"] if key == "decision" else (c["calibration"] or {}).get("groups")
            if found and isinstance(found[0], list):
                at = self.result["classes"].index(self.result["classes"][-1] if label is None else label_text(label))
                found = found[at]
            if found:
                yield c["name"], found

    def plot_calibration(self, ax=None, label=None):
        """Observed against predicted, in groups of similar predictions; label: of several classes which."""
        ax = _axes(ax)
        for name, groups in self._tables("groups", label):
            x, y = [g["predicted"] for g in groups], [g["observed"] for g in groups]
            ends = [[max(0.0, v - (g["low"] if g["low"] is not None else v)) for g, v in zip(groups, y)],
                    [max(0.0, (g["high"] if g["high"] is not None else v) - v) for g, v in zip(groups, y)]]
            ax.errorbar(x, y, yerr=ends, marker="o", markersize=4, capsize=2, label=name)
            for g in groups:
                ax.annotate(str(g["n"]), (g["predicted"], g["observed"]), textcoords="offset points", xytext=(4, -9), fontsize=7)
        ax.axline((0, 0), slope=1, color="grey", linestyle="--", linewidth=1)
        ax.set_xlabel("predicted")
        ax.set_ylabel("observed")
        ax.legend()
        return ax

    def plot_decision(self, ax=None, label=None):
        """Net benefit of each cohort, and of acting on all and on none."""
        ax = _axes(ax)
        for name, rows in self._tables("decision", label):
            t = [r["threshold"] for r in rows]
            line, = ax.plot(t, [r["net_benefit"] for r in rows], label=name)
            ax.plot(t, [r["treat_all"] for r in rows], color=line.get_color(), linestyle="--", linewidth=1, label=name + ", act on all")
        ax.axhline(0, color="grey", linestyle=":", linewidth=1, label="act on none")
        ax.set_ylim(bottom=-0.05)
        ax.set_xlabel("probability from which on one would act")
        ax.set_ylabel("net benefit")
        ax.legend()
        return ax

    def plot_forest(self, metric=None, ax=None):
        """A metric of each cohort with its interval, and the mean over cohorts; default: the first metric."""
        ax = _axes(ax)
        metric = metric or next(iter(self.cohorts[0]["metrics"]))
        rows = [(c["name"], c["metrics"][metric]) for c in self.cohorts]
        if self.pooled and self.pooled[metric]["value"] is not None:
            rows.append(("mean of cohorts", self.pooled[metric]))
        for at, (name, e) in enumerate(rows):
            if e["low"] is not None:
                ax.plot([e["low"], e["high"]], [at, at], color="C0" if at < len(self.cohorts) else "C1")
            if e["value"] is not None:
                ax.plot([e["value"]], [at], marker="s" if at < len(self.cohorts) else "D", color="C0" if at < len(self.cohorts) else "C1")
        ax.set_yticks(range(len(rows)), [name for name, _ in rows])
        ax.invert_yaxis()
        ax.set_xlabel(metric)
        return ax
