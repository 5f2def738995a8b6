"""A fitted model: the same object that the command line saves and reads."""

import ctypes
import json
import os
from collections import namedtuple

import numpy as np
from scipy import sparse

from ._call import Call
from ._coding import coded_column
from ._data import Data, canonical_csc, label_keys, label_text, label_values
from ._declared import OUTCOME, Verdict
from ._lib import PareValueError, byref, c_void_p, lib, take_text
from ._targets import times_and_events
from ._tasks import predicts_class, predicts_time

Certificate = namedtuple("Certificate", "kind value relative")
Certificate.__doc__ = "The optimality certificate of a solve: its kind, its value, and that relative to the objective."
Solve = namedtuple("Solve", "objective outcome text certificate")
Solve.__doc__ = "What a solve reached: its objective, its outcome as a word and in words, its certificate."
Check = namedtuple("Check", "holds finished sentence objective certificate")
Check.__doc__ = "What became of recomputing a model's numbers from its training data."
#: Outcomes of solves that ran to their end.
FINISHED = tuple(lib.outcome_name(one).decode() for one in OUTCOME if lib.outcome_finished(one))


def _array(pointer, count, kind=np.float64):
    """A copy of `count` numbers behind a pointer."""
    if not pointer or count == 0:
        return np.zeros(0, kind)
    return np.ctypeslib.as_array(pointer, (count,)).astype(kind, copy=True)


def _texts(pointer, count):
    return [pointer[i].decode("utf-8") for i in range(count)]


def _solve(report):
    c = report.certificate
    return Solve(report.objective, lib.outcome_name(report.outcome).decode(), lib.outcome_text(report.outcome).decode(),
                 Certificate(lib.cert_name(c.kind).decode(), c.value, c.relative))


def input_parts(X):
    """X and its column names; a table's, an AnnData's, or None."""
    if hasattr(X, "var_names") and hasattr(X, "X"):
        return X.X, [str(v) for v in X.var_names]
    columns = getattr(X, "columns", None)
    if columns is not None and all(isinstance(c, str) for c in columns):
        return X, list(columns)
    return X, None


def _field(name, doc=None):
    """A property: that number or text of the library's struct."""
    def value(self):
        found = getattr(self._of, name)
        return found.decode() if isinstance(found, bytes) else found

    return property(value, doc=doc)


class Model:
    """A fitted model, as `pare fit -o` writes it.

    Made by an estimator (``estimator.model_``) or by :func:`pare.load`. It holds the selected features
    alone: prediction needs no other columns.

    Attributes
    ----------
    method, task : str
    classes : list of str, in the order of the model file; empty unless a classifier
    labels : ndarray, the same as the estimator was given them; of a model from a file as pandas reads them: numbers
        where all are numbers
    n_samples, n_features : int
    selected : ndarray of int, columns of the training data, best first
    scores : ndarray of float, of the selected
    names : list of str, of the selected
    coef : ndarray of shape (n_outputs, n_selected), or None unless linear
    intercept : ndarray of shape (n_outputs,), or None unless linear
    objective, outcome, certificate : what the solve of the predictor reached; outcome is "optimal", "stationary",
        "computed" (by a formula), "greedy" (a search without a guarantee), or why it was not finished
    selection : the same of the problem that selected, or None where that is the predictor's own
    notes : list of str, sentences a user should read
    """

    def __init__(self, handle):
        self._p = handle
        self._labels = None

    # --- in and out ---

    @classmethod
    def parse(cls, text, labels=None):
        """A model from the text of a model file; labels: what its classes were in Python."""
        data = text.encode("utf-8") if isinstance(text, str) else bytes(text)
        p = c_void_p()
        lib.model_parse(byref(p), data, len(data), None)
        model = cls(p)
        model._labels = labels
        return model

    @property
    def text(self):
        """The model file's text."""
        out = c_void_p()
        lib.model_text(byref(out), self._p, None)
        return take_text(out)

    def save(self, path):
        """Write the model file, for `pare predict`, `pare check` and :func:`pare.load`."""
        lib.model_save(self._p, os.fsencode(path), None)

    def __reduce__(self):
        return Model.parse, (self.text, self._labels)

    def __del__(self):
        if getattr(self, "_p", None):
            lib.model_free(self._p)
            self._p = None

    # --- what it is ---

    method, task, n_samples, n_features = (_field(name) for name in ("method", "task", "n_samples", "n_features"))
    n_outputs, iterations, imputes = (_field(name) for name in ("n_outputs", "iterations", "imputes"))
    n_scores = _field("n_scores", "Scores of a sample: one, or one per class; the outputs, unless those are of pairs, "
                      "which vote.")
    has_probability = _field("has_probability", "Whether it has probabilities: fitted with ``probability=True``, or "
                             "logistic or sbmlr without `k`.")

    @property
    def _of(self):
        """All there is to know of it, in the library's own memory."""
        return lib.model_get(self._p).contents

    @property
    def pairs(self):
        """Positions in `classes` of the two classes of each output, which is positive for the second; None: not pairs."""
        of = self._of
        pairs = _array(of.pairs, 2 * of.n_outputs, np.int64).reshape(-1, 2)
        return [(int(a), int(b)) for a, b in pairs] if of.pairs else None

    @property
    def classes(self):
        return _texts(self._of.classes, self._of.n_classes)

    @property
    def labels(self):
        return label_values(self.classes) if self._labels is None else self._labels

    @labels.setter
    def labels(self, labels):
        self._labels = labels

    @property
    def selected(self):
        return _array(self._of.index, self._of.n_selected, np.int64)

    @property
    def scores(self):
        return _array(self._of.score, self._of.n_selected)

    @property
    def names(self):
        return _texts(self._of.name, self._of.n_selected)

    @property
    def needed(self):
        """Columns that prediction needs: the selected, or what selected monomials are made of."""
        return _array(self._of.needed_index, self._of.n_needed, np.int64)

    @property
    def needed_names(self):
        return _texts(self._of.needed_name, self._of.n_needed)

    @property
    def alternative_names(self):
        """Columns that can stand in for selected ones, where the fit was asked for `alternatives`."""
        return _texts(self._of.alternative_name, self._of.n_alternatives)

    @property
    def scales_rows(self):
        """Whether samples are scaled as a whole (row_scale), for which prediction needs all columns."""
        return self.setting("row_scale") != "none"

    @property
    def columns(self):
        """Columns of the training data that were selected, or that selected monomials are made of."""
        return self.selected if self.scales_rows else self.needed

    @property
    def is_linear(self):
        """Whether prediction is intercept + coef times the selected columns, as `scale` and `row_scale` leave them."""
        return bool(self._of.coef) and np.array_equal(self.columns, self.selected)

    @property
    def coef(self):
        of = self._of
        return _array(of.coef, of.n_selected * of.n_outputs).reshape(of.n_outputs, -1) if of.coef else None

    @property
    def intercept(self):
        return _array(self._of.intercept, self._of.n_outputs) if self._of.coef else None

    def setting(self, name):
        """The value in effect of a setting, as text."""
        buffer = ctypes.create_string_buffer(256)
        lib.model_setting(self._p, name.rstrip("_").encode(), buffer, 256)
        return buffer.value.decode("utf-8")

    @property
    def ranking(self):
        """(columns best first, scores in that order) of all features; None for a model from a file."""
        of = self._of
        return (_array(of.ranking, of.n_ranked, np.int64), _array(of.ranking_score, of.n_ranked)) if of.ranking else None

    @property
    def ranking_p(self):
        """(p-values, least false discovery rates) in the order of the ranking; None where the method has none."""
        of = self._of
        return (_array(of.ranking_p, of.n_ranked), _array(of.ranking_q, of.n_ranked)) if of.ranking_p else None

    @property
    def ranks_monomials(self):
        return bool(self._of.ranking_name)

    @property
    def weights(self):
        """(columns, weights) that kta, uniform and kta-centered gave their features; empty for others."""
        of = self._of
        return _array(of.weight_index, of.n_weights, np.int64), _array(of.weight, of.n_weights)

    @property
    def lambda_path(self):
        """The path over lambda where `sweep` was set, as a dict of arrays; None otherwise.

        `coef` is a list with, for every lambda, (columns, coefficients of shape (columns, outputs)).
        """
        path = self._of.lambda_path
        count = path.count
        if count == 0:
            return None
        points = [path.point[i] for i in range(count)]
        start = _array(path.start, count + 1, np.int64)
        c = path.n_outputs
        index = _array(path.index, int(start[-1]), np.int64)
        coef = _array(path.coef, int(start[-1]) * c).reshape(-1, c)
        out = {name: np.array([getattr(p, name + "_" if name == "lambda" else name) for p in points])
               for name in ("lambda", "objective", "loss", "penalty", "gap", "n_features", "deviance",
                            "df")}
        out["intercept"] = _array(path.intercept, count * c).reshape(count, c)
        out["coef"] = [(index[a:b], coef[a:b]) for a, b in zip(start[:-1], start[1:])]
        return out

    @property
    def report(self):
        return _solve(self._of.predictor)

    @property
    def objective(self):
        return self.report.objective

    @property
    def outcome(self):
        return self.report.outcome

    @property
    def certificate(self):
        return self.report.certificate

    @property
    def selection(self):
        return _solve(self._of.selection) if self._of.has_selection else None

    @property
    def notes(self):
        return _texts(self._of.notes, self._of.n_notes)

    # --- what it does ---

    def _scores(self, data, n, call, probability=False):
        rows = len(self.classes) if probability else self.n_scores
        out = np.empty((rows, n))
        run = lib.predict_probability if probability else lib.predict
        run(out.ctypes.data, self._p, data.handle, call.ref)
        return out

    def survival_on(self, x, times, call, offset=None, strata=None):
        """S(t) of the samples (rows) at times, on an array or CSC matrix that has the training columns; and the median
        time of each, NaN where S does not fall to a half."""
        times = np.ascontiguousarray(times, dtype=np.float64)
        x = canonical_csc(x) if sparse.issparse(x) else np.asfortranarray(x)
        n = x.shape[0]
        out, median = np.empty((len(times), n)), np.empty(n)
        with Data(x) as data:
            data.set_offset(offset)
            data.set_strata(strata)
            lib.predict_survival(out.ctypes.data, median.ctypes.data, self._p, data.handle, times.ctypes.data,
                                 len(times), call.ref)
        return out.T, median

    def score_on(self, x, set_target, call, offset=None, sample_weight=None):
        """The metrics of the task on samples whose target set_target(data) sets."""
        text = c_void_p()
        with Data(canonical_csc(x) if sparse.issparse(x) else np.asfortranarray(x)) as data:
            set_target(data)
            data.set_offset(offset)
            data.set_weights(sample_weight)
            lib.score_text(byref(text), self._p, data.handle, True, call.ref)
        return json.loads(take_text(text))["metrics"]

    def decision_on(self, x, call=None, probability=False, offset=None):
        """Decision values (n_scores, n), or probabilities, on an array or CSC matrix that has the training
        columns."""
        call = call or Call()
        names = None
        if sparse.issparse(x):
            x = canonical_csc(x)
        elif len(self.needed) and x.shape[1] > 4 * len(self.needed):
            # So few columns are needed that the library need not look at the others.
            columns, names = self._needed_in_order()
            x = np.asfortranarray(x[:, columns])
        with Data(x, names) as data:
            data.set_offset(offset)
            return self._scores(data, x.shape[0], call, probability)

    def _needed_in_order(self):
        """Needed columns and their names in the order of the training data, which rounding depends on."""
        order = np.argsort(self.needed)
        texts = self.needed_names
        return self.needed[order], [texts[i] for i in order]

    def _from_frame(self, frame, names):
        """The needed columns of a frame, and their names; those of categories are made from what it has of text."""
        wanted = self._needed_in_order()[1] or names[:1]
        known = set(names)
        if known.issuperset(wanted):
            return frame[wanted], wanted
        columns = [frame[c] if c in known else coded_column(frame, c) for c in wanted]
        lost = [c for c, column in zip(wanted, columns) if column is None]
        if lost:
            raise PareValueError("the model needs the column \"%s\", which the data do not have" % lost[0])
        return np.array(columns, dtype=np.float64).T, wanted

    def _on_input(self, X, probability, offset):
        X, names = input_parts(X)
        if names is not None and hasattr(X, "loc"):
            X, names = self._from_frame(X, names)
        if sparse.issparse(X):
            x = canonical_csc(X)
        else:
            x = np.asarray(X)
            if x.dtype != np.float32:
                x = np.asarray(x, dtype=np.float64)
        if x.ndim != 2:
            raise PareValueError("X has %d dimensions, 2 are needed: samples and features" % x.ndim)
        with Data(x, names) as data:
            data.set_offset(offset)
            return self._scores(data, x.shape[0], Call(), probability)

    def decision_function(self, X, offset=None):
        """Decision values of each sample: (n,) for one score, else (n, n_classes).

        Columns are matched by name where X has names (a data frame, an AnnData), in any order, whatever
        else it holds; by position otherwise. What the training data had as categories may be a column of text or
        of categories. `offset`: that of the samples, for a model that was fitted beside one.
        """
        f = self._on_input(X, False, offset)
        return f[0] if f.shape[0] == 1 else np.ascontiguousarray(f.T)

    def decide(self, f):
        """Positions in `classes` that decision values (n_scores, n) stand for."""
        return (f[0] > 0).astype(np.intp) if f.shape[0] == 1 else np.argmax(f, axis=0)

    def predict(self, X, offset=None):
        """Class labels (see `labels`); values of a regression; scores of a ranking."""
        f = self._on_input(X, False, offset)
        return self.labels[self.decide(f)] if predicts_class(self.task) else f[0]

    def predict_proba(self, X, offset=None):
        """Probabilities (n, n_classes) in the order of `classes`."""
        return np.ascontiguousarray(self._on_input(X, True, offset).T)

    def check(self, X, y, sample_weight=None, offset=None, groups=None, strata=None):
        """Recompute objective and certificate from the training data, given as they were to the fit: `pare check`.

        Returns
        -------
        Check : namedtuple (holds, finished, sentence, objective, certificate)
        """
        X, names = input_parts(X)
        x = canonical_csc(X) if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        verdict = Verdict()
        with Data(x, names) as data:
            if self.classes:
                known = {t: i for i, t in enumerate(label_keys(self.classes))}
                texts = label_keys([label_text(v) for v in np.asarray(y)])
                wrong = [t for t in texts if t not in known]
                if wrong:
                    raise PareValueError("\"%s\" is not among the model's classes, %s" % (wrong[0], self.classes))
                data.set_codes([known[t] for t in texts], self.classes)
            elif predicts_time(self.task):
                data.set_time_event(*times_and_events(y, x.shape[0]))
                data.set_strata(strata)
            else:
                data.set_values(y)
            data.set_weights(sample_weight)
            data.set_offset(offset)
            if groups is not None:
                data.set_fold_groups([label_text(g) for g in groups])
            call = Call()
            lib.verify(byref(verdict), self._p, data.handle, call.ref)
        report = _solve(verdict.predictor)
        return Check(bool(verdict.holds), bool(verdict.finished), verdict.sentence.decode("utf-8"),
                     report.objective, report.certificate)

    def __repr__(self):
        selection = self.selection
        return "<pare.Model %s, %s: %d of %d features, %s%s>" % (
            self.method, self.task, len(self.selected), self.n_features,
            "selection: %s; predictor: " % selection.text if selection else "", self.report.text)


def load(path):
    """Read a model file that the command line or ``model_.save`` wrote.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    Model
    """
    p = c_void_p()
    lib.model_load(byref(p), os.fsencode(path), None)
    return Model(p)


