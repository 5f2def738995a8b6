"""A fitted model: the same object that the command line saves and reads."""

import ctypes
import os
from collections import namedtuple

import numpy as np
from scipy import sparse

from ._call import Call
from ._coding import coded_column
from ._data import Data, canonical_csc, label_keys, label_text, label_values
from ._declared import LambdaPath, Report, Verdict
from ._lib import PareValueError, byref, c_double, c_int64, c_void_p, lib, take_text
from ._tasks import predicts_class

Certificate = namedtuple("Certificate", "kind value relative")
Certificate.__doc__ = "What proves a solve: its kind, its value, and that relative to the objective."
Solve = namedtuple("Solve", "objective outcome text certificate")
Solve.__doc__ = "What a solve reached: its objective, its outcome as a word and in words, its certificate."
Check = namedtuple("Check", "holds finished sentence objective certificate")
Check.__doc__ = "What became of recomputing a model's numbers from its training data."
FINISHED = ("optimal", "stationary", "computed", "greedy")


def _array(pointer, count, kind=np.float64):
    """A copy of `count` numbers behind a pointer."""
    if not pointer or count == 0:
        return np.zeros(0, kind)
    return np.ctypeslib.as_array(pointer, (count,)).astype(kind, copy=True)


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
        self._needed = self._labels = None

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

    @property
    def method(self):
        return lib.model_method(self._p).decode()

    @property
    def task(self):
        return lib.model_task(self._p).decode()

    @property
    def n_samples(self):
        return lib.model_n_samples(self._p)

    @property
    def n_features(self):
        return lib.model_n_features(self._p)

    @property
    def n_outputs(self):
        return lib.model_n_outputs(self._p)

    @property
    def n_scores(self):
        """Scores of a sample: one, or one per class; the outputs, unless those are of pairs, which vote."""
        return lib.model_n_scores(self._p)

    @property
    def pairs(self):
        """Positions in `classes` of the two classes of each output, which is positive for the second; None: not pairs."""
        a, b, found = c_int64(), c_int64(), []
        for o in range(self.n_outputs):
            if not lib.model_pair(self._p, o, byref(a), byref(b)):
                return None
            found.append((a.value, b.value))
        return found

    @property
    def iterations(self):
        return lib.model_iterations(self._p)

    @property
    def imputes(self):
        return lib.model_imputes(self._p)

    @property
    def classes(self):
        return [lib.model_class(self._p, i).decode("utf-8") for i in range(lib.model_n_classes(self._p))]

    @property
    def labels(self):
        return label_values(self.classes) if self._labels is None else self._labels

    @labels.setter
    def labels(self, labels):
        self._labels = labels

    def _selected(self):
        index, score = ctypes.POINTER(c_int64)(), ctypes.POINTER(c_double)()
        k = lib.model_selected(self._p, byref(index), byref(score))
        return _array(index, k, np.int64), _array(score, k)

    @property
    def selected(self):
        return self._selected()[0]

    @property
    def scores(self):
        return self._selected()[1]

    @property
    def names(self):
        return [lib.model_name(self._p, i).decode("utf-8") for i in range(len(self.selected))]

    @property
    def needed(self):
        """Columns that prediction needs: the selected, or what selected monomials are made of."""
        if self._needed is None:
            count = lib.model_n_needed(self._p)
            self._needed = np.array([lib.model_needed_index(self._p, i) for i in range(count)], np.int64)
        return self._needed

    @property
    def needed_names(self):
        return [lib.model_needed_name(self._p, i).decode("utf-8") for i in range(len(self.needed))]

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
        return bool(lib.model_coefs(self._p, None)) and np.array_equal(self.columns, self.selected)

    @property
    def coef(self):
        k, outputs = len(self.selected), self.n_outputs
        pointer = lib.model_coefs(self._p, None)
        return _array(pointer, k * outputs).reshape(outputs, k) if pointer else None

    @property
    def intercept(self):
        b = ctypes.POINTER(c_double)()
        pointer = lib.model_coefs(self._p, byref(b))
        return _array(b, self.n_outputs) if pointer else None

    def setting(self, name):
        """The value in effect of a setting, as text."""
        buffer = ctypes.create_string_buffer(256)
        lib.model_setting(self._p, name.rstrip("_").encode(), buffer, 256)
        return buffer.value.decode("utf-8")

    @property
    def ranking(self):
        """(columns best first, scores in that order) of all features; None for a model from a file."""
        score = ctypes.POINTER(c_double)()
        index = lib.model_ranking(self._p, byref(score))
        if not index:
            return None
        count = lib.model_n_ranked(self._p)
        return _array(index, count, np.int64), _array(score, count)

    @property
    def ranking_p(self):
        """(p-values, least false discovery rates) in the order of the ranking; None where the method has none."""
        p, q = ctypes.POINTER(c_double)(), ctypes.POINTER(c_double)()
        if not lib.model_ranking_p(self._p, byref(p), byref(q)):
            return None
        count = lib.model_n_ranked(self._p)
        return _array(p, count), _array(q, count)

    @property
    def ranks_monomials(self):
        return lib.model_n_ranked(self._p) > 0 and lib.model_ranking_name(self._p, 0) is not None

    @property
    def weights(self):
        """(columns, weights) that kta, uniform and kta-centered gave their features; empty for others."""
        index, weight = ctypes.POINTER(c_int64)(), ctypes.POINTER(c_double)()
        count = lib.model_weights(self._p, byref(index), byref(weight))
        return _array(index, count, np.int64), _array(weight, count)

    @property
    def lambda_path(self):
        """The path over lambda where `sweep` was set, as a dict of arrays; None otherwise.

        `coef` is a list with, for every lambda, (columns, coefficients of shape (columns, outputs)).
        """
        path = LambdaPath()
        count = lib.model_lambda_path(byref(path), self._p)
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
        r = Report()
        lib.model_report(byref(r), self._p)
        return _solve(r)

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
        r = Report()
        return _solve(r) if lib.model_selection(byref(r), self._p) else None

    @property
    def notes(self):
        return [lib.model_note(self._p, i).decode("utf-8") for i in range(lib.model_n_notes(self._p))]

    # --- what it does ---

    def _scores(self, data, n, call, probability=False):
        rows = len(self.classes) if probability else self.n_scores
        out = np.empty((rows, n))
        run = lib.predict_probability if probability else lib.predict
        run(out.ctypes.data, self._p, data.handle, call.ref)
        return out

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

    @property
    def has_probability(self):
        """Whether it has probabilities: fitted with ``probability=True``, or logistic or sbmlr without `k`."""
        return bool(lib.model_has_probability(self._p))

    def predict_proba(self, X, offset=None):
        """Probabilities (n, n_classes) in the order of `classes`."""
        return np.ascontiguousarray(self._on_input(X, True, offset).T)

    def check(self, X, y, sample_weight=None, offset=None, groups=None):
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


