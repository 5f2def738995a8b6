"""Estimators that choose their number of features: a path, and the model at its end."""

import inspect

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from ._data import label_text
from ._estimators import PareClassifier, PareRanker, PareRegressor, PareSurvival
from ._lib import PareValueError
from ._path import honest_path
from ._table import with_settings
from ._targets import times_and_events
from ._tasks import CLASSIFY, RANK, REGRESS, SURVIVE, is_time

# What honest_path takes beside the data, the methods, the sizes and what every estimator takes.
_OWN = {name: p.default for name, p in inspect.signature(honest_path).parameters.items()
        if p.kind is p.KEYWORD_ONLY and name not in
        ("sizes", "groups", "sample_weight", "offset", "task", "keep", "cost", "sign", "feature_groups", "n_jobs", "random_state",
         "time_limit", "memory_limit", "device", "strata")}


class _Chooses:
    """fit is the path and the model at the number of features that it chose."""

    _first = {"methods": "auto", "sizes": None}
    _own = _OWN
    k = None  # it is chosen

    @property
    def method(self):
        """The method, of several the default one: scikit-learn's tags are of it."""
        return self.methods if isinstance(self.methods, str) and "," not in self.methods else "auto"

    def _choose(self, X, y, task, sample_weight, groups, offset, strata=None, **checks):
        if is_time(task, np.asarray(y)):
            x, _ = self._take_training(X, None, needs_y=False)
            taken = np.column_stack(times_and_events(y, x.shape[0])[::-1])
        else:
            taken = self._take_training(X, y, **checks)[1]
        if len(taken) < 2:
            raise PareValueError("n_samples = 1: folds need more samples")
        if task in (CLASSIFY, RANK):
            check_classification_targets(taken)
        given = {name: getattr(self, name, None) for name in self._get_param_names()}
        given["sizes"] = "auto" if self.sizes is None else self.sizes
        del given["verbose"]
        weights = given.get("class_weight")
        if hasattr(weights, "items"):
            given["class_weight"] = ",".join("%s=%r" % (label_text(c), float(w)) for c, w in weights.items())
        own = self._setting_names  # those that were not given are left to the methods
        self.path_ = honest_path(X, taken, task=task, groups=groups, sample_weight=sample_weight, offset=offset, strata=strata,
                                 **{n: v for n, v in given.items() if v is not None or n not in own})
        for name, value in vars(self.path_.estimator_).items():
            if name.endswith("_") or name in ("_place", "_coding"):
                setattr(self, name, value)
        return self


@with_settings
class PareClassifierCV(_Chooses, PareClassifier):
    """Sparse classifier that chooses its number of features by a nested cross-validated path.

    Parameters
    ----------
    methods : str, list of str or dict, default="auto"
        What is compared on the same folds; the model is of the best, or of the one that `best` names.
    sizes : list of int, default=None
        Numbers of features; None: 1, 2, 5, 10, ...
    cv : int, splitter, iterable of (train, test) or None
    best, inner, tune, grid, metric, choice, null_runs, **settings
        These and all others are those of :func:`pare.honest_path`; `class_weight` as for
        :class:`PareClassifier`.

    Attributes
    ----------
    path_ : pare.HonestPath, the curve and the nested CV estimate
    classes_, coef_, intercept_, support_, ranking_, scores_, objective_, outcome_, certificate_, model_
        Of the model at the chosen number of features, as for :class:`PareClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from pare import PareClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> c = PareClassifierCV("corr", sizes=[1, 2, 5], cv=3).fit(X, y)
    >>> c.path_.best_method, len(c.get_feature_names_out()) in (1, 2, 5)
    ('corr', True)
    """

    _own = {**_OWN, "class_weight": None}

    def fit(self, X, y, sample_weight=None, offset=None, groups=None):
        """Run the path and keep the model at the chosen number of features; groups are kept in one fold."""
        return self._choose(X, y, CLASSIFY, sample_weight, groups, offset)


@with_settings
class PareRegressorCV(_Chooses, PareRegressor):
    """Sparse regression that chooses its number of features; see :class:`PareClassifierCV`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from pare import PareRegressorCV
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> bool(PareRegressorCV("lasso", sizes=[1, 3, 5], cv=5).fit(X, y).score(X, y) > 0.4)
    True
    """

    def fit(self, X, y, sample_weight=None, offset=None, groups=None):
        """As :meth:`PareClassifierCV.fit`; y are numbers."""
        return self._choose(X, y, REGRESS, sample_weight, groups, offset, y_numeric=True)


@with_settings
class PareRankerCV(_Chooses, PareRanker):
    """Sparse ranking that chooses its number of features; see :class:`PareClassifierCV`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from pare import PareRankerCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(PareRankerCV(sizes=[1, 3], cv=3).fit(X, y).score(X, y) > 0.95)
    True
    """

    def fit(self, X, y, sample_weight=None, groups=None):
        """As :meth:`PareClassifierCV.fit`; y are two labels."""
        return self._choose(X, y, RANK, sample_weight, groups, None)


@with_settings
class PareSurvivalCV(_Chooses, PareSurvival):
    """Sparse Cox regression that chooses its number of features; see :class:`PareClassifierCV`.

    Examples
    --------
    >>> import numpy as np
    >>> from pare import PareSurvivalCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 20))
    >>> time, censored = rng.exponential(np.exp(-2 * X[:, 3])), rng.exponential(2, 100)
    >>> y = np.column_stack([time <= censored, np.minimum(time, censored)])
    >>> bool(PareSurvivalCV("cox", sizes=[1, 2], cv=3).fit(X, y).support_[3])
    True
    """

    def fit(self, X, y, sample_weight=None, offset=None, strata=None, groups=None):
        """As :meth:`PareClassifierCV.fit`; y are events and times, as for :class:`PareSurvival`."""
        return self._choose(X, y, SURVIVE, sample_weight, groups, offset, strata)
