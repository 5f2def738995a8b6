"""What all estimators share: from arrays to a fit and back."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ._call import Call
from ._coding import Coding, has_categories, text_columns
from ._data import (Data, canonical_csc, columns_together, costs_of_features, groups_of_features, kept_features, signs_of_features,
                    label_text)
from ._lib import PareCancelled, PareInfeasibleError, PareValueError, PareWarning, byref, c_int64, c_void_p, lib
from ._model import FINISHED, Model
from ._table import INFEASIBLE, NEEDED, Settings, methods, python_name, settings

try:  # scikit-learn 1.6 and later
    from sklearn.utils.validation import validate_data as _validate
    _FINITE = "ensure_all_finite"
except ImportError:
    def _validate(estimator, *args, **kwargs):
        return estimator._validate_data(*args, **kwargs)
    _FINITE = "force_all_finite"

#: Checks of scikit-learn that cannot hold, and why.
EXPECTED_FAILURES = {
    ("PareClassifier", "1nn"):
        {"check_class_weight_classifiers": "the nearest sample decides alone, whatever it weighs"},
    ("PareClassifier", "chi2"):
        {"check_class_weight_classifiers": "its data have negative values, which the tag does not keep from it"},
    ("PareClassifier", "t-test"):
        {"check_class_weight_classifiers": "it leaves a class the weight of a hundredth sample, which has no variance"},
    **{(name, "auto"): {"check_sample_weights_invariance": "folds are drawn in the order of the samples, which it shuffles"}
       for name in ("PareClassifierCV", "PareRegressorCV", "PareRankerCV")},
}


def is_anndata(X):
    return hasattr(X, "var_names") and hasattr(X, "obs") and hasattr(X, "X")


def checked(check, *args, **kwargs):
    """What a check of scikit-learn gives; where it meets missing values, the parameter that allows them is named, and
    a column of text in a frame with what can be done about it."""
    try:
        return check(*args, **kwargs)
    except ValueError as error:
        text = next((c for x in args for c in text_columns(x)), None)
        if text is not None and "could not convert" in str(error):
            raise PareValueError("the column \"%s\" holds text: X.astype({\"%s\": \"category\"}) makes it a category, "
                                 "X.drop(columns=\"%s\") leaves it out" % (text, text, text)) from None
        if not str(error).startswith("Input X contains NaN"):
            raise
        raise PareValueError(MISSING % allowed_missing()) from None


MISSING = "Input X contains NaN: `missing` says what is to be done with missing values, %s"


def allowed_missing():
    return next(s.allowed for s in settings("auto") if s.name == "missing")


def takes_counts(method):
    """Whether it refuses negative values."""
    return any(m.name == method and m.counts for m in methods())


class PareBase(BaseEstimator):
    """Base of pare's estimators."""

    _tasks = ()
    _first = {"method": "auto", "k": None}
    _own = {}  # parameters beside those and those of every estimator

    # --- parameters ---

    def _call(self):
        return Call(self.n_jobs, self.random_state, self.time_limit, self.memory_limit, self.verbose,
                    device=self.device)

    def get_params(self, deep=True):
        """Parameters by name; settings that were not given are None."""
        return {name: getattr(self, name, None) for name in self._get_param_names()}

    def _setting(self, name):
        return getattr(self, name, None)

    def _settings(self, task):
        s = Settings(self.method)
        s.set("task", task)
        needed = dict(NEEDED.get(self.method, {}))
        if self.k is not None:
            needed["k"] = self.k
        for name, value in needed.items():
            s.set(name, value)
        for name in self._setting_names:
            value = self._setting(name)
            if value is not None:
                s.set(name, label_text(value) if name == "positive" else value)
        return s

    def __sklearn_is_fitted__(self):  # by itself scikit-learn takes lambda_ for a fitted attribute
        return "model_" in self.__dict__

    # --- input ---

    def _allows_missing(self):
        return self._setting("missing") not in (None, "refuse")

    def _checks(self):
        return {"accept_sparse": "csc", "dtype": [np.float64, np.float32],
                _FINITE: "allow-nan" if self._allows_missing() else True}

    def _take_training(self, X, y, **more):
        """X and y checked as scikit-learn checks them; the names of an AnnData are kept."""
        names = None
        self._coding = None
        needs_y = more.pop("needs_y", True)
        if y is None and needs_y:
            raise ValueError("%s requires y to be passed, but the target y is None" % type(self).__name__)
        if has_categories(X):
            return self._take_frame(X, y)
        if is_anndata(X):
            if isinstance(y, str):
                y = np.asarray(X.obs[y])
            X, names = X.X, [str(v) for v in X.var_names]
        both = (X,) if y is None else (X, y)
        taken = checked(_validate, self, *both, reset=True, **self._checks(), **more)
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)
        return (taken, None) if y is None else taken

    def _take_frame(self, X, y):
        """A frame with categories: its own columns are the features, the library's are those that code them."""
        from sklearn.utils.validation import check_consistent_length, column_or_1d
        self._coding = Coding(X)
        self.feature_names_in_ = np.asarray(self._coding.columns, dtype=object)
        self.n_features_in_ = len(self._coding.columns)
        if y is not None:
            y = column_or_1d(y, warn=True)
            check_consistent_length(X, y)
        return checked(self._coding.encode, X, self._allows_missing()), y

    def _take_new(self, X):
        if getattr(self, "_coding", None) is not None:
            if not hasattr(X, "columns"):
                raise ValueError("X must be a data frame: the model was fitted to one with categories")
            return checked(self._coding.encode, X, self._allows_missing())
        if is_anndata(X):
            names = [str(v) for v in X.var_names]
            if hasattr(self, "feature_names_in_") and names != list(self.feature_names_in_):
                raise PareValueError("the var_names of X are not those of the training data, or not in that order")
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="X does not have valid feature names")
                return checked(_validate, self, X.X, reset=False, **self._checks())
        return checked(_validate, self, X, reset=False, **self._checks())

    # --- fit ---

    def _fit(self, x, set_target, settings, sample_weight, offset=None, fold_groups=None):
        """Fits to x with the target that set_target(data) sets; leaves the attributes of every estimator."""
        coding = self._coding
        names = getattr(self, "feature_names_in_", None) if coding is None else coding.names
        groups = self._groups()
        x = canonical_csc(x) if sparse.issparse(x) else columns_together(x)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, x, dtype=np.float64)
        with Data(x, None if names is None else list(names), groups) as data:
            set_target(data)
            data.set_weights(sample_weight)
            data.set_offset(offset)
            data.set_terms(*self._terms())
            if fold_groups is not None:
                data.set_fold_groups([label_text(g) for g in fold_groups])
            if self._setting("missing") == "drop":
                lib.data_drop_missing(data.handle, byref(c_int64()), None)
            try:
                model = self._run(data, settings)
            except PareInfeasibleError as error:
                model = self._run(data, self._relaxed(settings, error))
        self.model_ = model
        self._describe(model)
        return self

    def _groups(self):
        """The group of each of the library's features; None: there are none."""
        names = getattr(self, "feature_names_in_", None)
        own = groups_of_features(self.feature_groups, names, self.n_features_in_)
        if self._coding is None:
            return own
        return self._coding.groups if own is None else [own[j] for j in self._coding.owner]

    def _terms(self):
        """Which of the library's features are kept, what they cost, and their signs; None: none, 1 each, none."""
        names = getattr(self, "feature_names_in_", None)
        owner = slice(None) if self._coding is None else self._coding.owner
        kept = kept_features(self.keep, names, self.n_features_in_)
        cost = costs_of_features(self.cost, names, self.n_features_in_)
        sign = signs_of_features(self.sign, names, self.n_features_in_)
        return tuple(None if t is None else t[owner] for t in (kept, cost, sign))

    def _run(self, data, settings):
        p = c_void_p()
        call = self._call()
        try:
            with call:
                lib.fit(byref(p), data.handle, settings.handle, call.ref)
        except PareCancelled:
            call.finish()
            raise KeyboardInterrupt from None
        model = Model(p)
        call.finish()
        if call.interrupted:
            raise KeyboardInterrupt
        return model

    def _relaxed(self, settings, error):
        """Settings that have a solution, where the user chose none of them."""
        instead = {n: v for n, v in INFEASIBLE.get(self.method, {}).items() if self._setting(python_name(n)) is None}
        if not instead:
            raise error
        for name, value in instead.items():
            settings.set(name, value)
        warnings.warn("%s: %s; %s is taken" % (
            self.method, error, ", ".join("%s=%s" % (python_name(n), v) for n, v in instead.items())),
            PareWarning, stacklevel=5)
        return settings

    def take_model(self, model, coding, names, d):
        """Becomes fitted with a model that a path made."""
        self._coding = coding
        self.n_features_in_ = d
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)
        self.model_ = model
        self._describe(model)
        if model.classes:
            self._take_classes(*_classes_of(model))

    def _describe(self, model):
        report, selection = model.report, model.selection
        self.n_iter_ = model.iterations
        self.objective_ = report.objective
        self.outcome_ = report.outcome
        self.selection_outcome_ = None if selection is None else selection.outcome
        self.certificate_ = report.certificate
        if report.outcome in FINISHED and selection is not None and selection.outcome not in FINISHED:
            self.outcome_ = selection.outcome
        owner = None if self._coding is None else self._coding.owner
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[model.columns if owner is None else owner[model.columns]] = True
        if self.k is not None and model.ranks_monomials and self.support_.sum() > self.k:
            warnings.warn("%s: its %d monomials are made of %d features, which support_ has"
                          % (model.method, len(model.selected), self.support_.sum()), PareWarning, stacklevel=4)
        self.ranking_, self.scores_ = _ranks(model, model.n_features)
        if owner is not None:
            self.ranking_, self.scores_ = _of_owners(self.ranking_, self.scores_, owner, self.n_features_in_)
        self.__dict__.pop("pvalues_", None)
        self.__dict__.pop("qvalues_", None)
        if model.ranking_p is not None and owner is None:
            index = model.ranking[0]
            own = index < self.n_features_in_
            self.pvalues_, self.qvalues_ = np.empty(self.n_features_in_), np.empty(self.n_features_in_)
            self.pvalues_[index[own]], self.qvalues_[index[own]] = (v[own] for v in model.ranking_p)
        if self.outcome_ not in FINISHED:
            warnings.warn(
                "%s ended with outcome %s: the relative certificate is %.2g (see certificate_ and model_.notes)"
                % (model.method, self.outcome_, self.certificate_.relative), ConvergenceWarning, stacklevel=4)

    def _decide(self, X, probability=False, offset=None):
        check_is_fitted(self)
        x = self._take_new(X)
        return self.model_.decision_on(x, self._call(), probability, offset)

    # --- attributes that follow from the model ---

    def _linear(self, what):
        """Coefficients (outputs, features) and intercepts in the model's order."""
        model = self.__dict__.get("model_")
        if model is None or not model.is_linear:
            raise AttributeError("%s has no %s: %s" % (
                type(self).__name__, what, "it is not fitted" if model is None else
                "the %s model is not linear in its features" % model.method))
        coef = np.zeros((model.n_outputs, model.n_features))
        coef[:, model.selected] = model.coef
        return coef, model.intercept

    # --- scikit-learn's tags, before 1.6 and since ---

    def _more_tags(self):
        tags = {"allow_nan": self._allows_missing(), "requires_y": True,
                "requires_positive_X": takes_counts(self.method)}
        reasons = EXPECTED_FAILURES.get((type(self).__name__, self.method))
        if reasons:
            tags["_xfail_checks"] = reasons
        return tags

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._allows_missing()
        tags.input_tags.positive_only = takes_counts(self.method)
        tags.target_tags.required = True
        return tags


def _classes_of(model):
    """The labels of a model's classes as numpy sorts them, and their texts."""
    texts = np.array(model.classes, dtype=object)
    order = np.argsort(model.labels, kind="stable")
    return model.labels[order], list(texts[order])


def _ranks(model, d):
    """For each feature its rank, 1 the best, and its score; where monomials were ranked, by the needed. Of a model from a
    file the selected alone are ranked."""
    if model.ranking is None:
        rank, scores = np.full(d, len(model.selected) + 1), np.zeros(d)
        own = model.selected < d
        rank[model.selected[own]] = np.arange(1, len(model.selected) + 1)[own]
        scores[model.selected[own]] = model.scores[own]
        return rank, scores
    ranking, score = model.ranking
    rank, scores = np.empty(d, np.int64), np.zeros(d)
    if model.setting("missing") == "indicator":  # NAME=missing counts on behind the features
        ranking, score = ranking[ranking < d], score[ranking < d]
        rank[ranking] = np.arange(1, len(ranking) + 1)
        scores[ranking] = score
    elif model.ranks_monomials:
        rank[:] = len(model.columns) + 1
        rank[model.columns] = np.arange(1, len(model.columns) + 1)
    else:
        rank[ranking] = np.arange(1, len(ranking) + 1)
        scores[ranking] = score
    return rank, scores


def _of_owners(rank, scores, owner, d):
    """Of columns that categories became: a category has the best rank and score of its values."""
    best, score = np.full(d, len(rank) + 1), np.full(d, -np.inf)
    np.minimum.at(best, owner, rank)
    np.maximum.at(score, owner, scores)
    out = np.empty(d, np.int64)
    out[np.argsort(best, kind="stable")] = np.arange(1, d + 1)
    return out, score
