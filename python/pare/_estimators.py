"""The estimators: pare as scikit-learn knows a classifier, a regressor, a ranker, a selector."""

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ._base import PareBase
from ._data import label_texts
from ._table import methods, with_settings
from ._targets import times_and_events, by_class, class_weights, names_out, numbers_of
from ._tasks import (CLASSES, CLASSIFY, NONE, RANK, RANKING, REGRESS, REGRESSION, SURVIVAL, SURVIVE, WITH_TARGET, is_number, lacks_target,
                     may_lack_target, settings_of, takes_many_classes, takes_two_labels_alone, usual_task)


class _Labelled(PareBase):
    """Estimators whose target is labels."""

    def _fit_labels(self, X, y, sample_weight, task, offset=None, groups=None):
        x, y = self._take_training(X, y)
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        texts = label_texts(classes)
        settings = self._settings(task)
        class_weight = getattr(self, "class_weight", None)
        if class_weight is not None:
            if isinstance(class_weight, str) and class_weight == "balanced":
                settings.set("class_weight", class_weight)
            else:
                w = np.ones(x.shape[0]) if sample_weight is None else _check_sample_weight(sample_weight, x)
                sample_weight = w * class_weights(class_weight, classes, codes, w)
        self._fit(x, lambda data: data.set_codes(codes, texts), settings, sample_weight, offset, groups)
        return self._take_classes(classes, texts)

    def _take_classes(self, classes, texts):
        # those that are left of the classes, in the same order but for `positive`, which is the model's last
        at = {t: i for i, t in enumerate(texts)}
        kept = np.array([at[t] for t in self.model_.classes])
        self.model_.labels = classes[kept]
        self.classes_ = classes[np.sort(kept)]
        self._place = np.argsort(kept)
        return self


def _has_probability_or_says(estimator):
    if estimator._has_probability():
        return True
    raise AttributeError("%s has no predict_proba: its scores are not calibrated; make it with probability=True"
                         % type(estimator).__name__)


@with_settings
class PareClassifier(ClassifierMixin, _Labelled):
    """Sparse classifier on few features.

    Parameters
    ----------
    method : str, default="auto"
        A method for classes: see :func:`pare.methods` and :func:`pare.settings`. "auto" is the choice that did
        best on many wide data sets; ``model_.method`` says which it was.
    k : int, default=None
        How many features to select; None: as many as the method itself keeps, or the best 50 of a ranking.
    class_weight : dict, "balanced" or None, default=None
    keep : sequence of names, of column numbers or of bool, default=None
        Features that are always selected, beside the k others, which are chosen given them.
    cost : array of shape (n_features,) or dict of costs by name, default=None
        Numbers above 0: weights of the penalty, or what scores are divided by; 1 where a dict says nothing. The setting
        `budget` is what the costs of the selected features may sum to, instead of k.
    sign : "+", "-" or dict of them by name, default=None
        Coefficients have that sign or are 0; features that a dict does not name are free. For "lasso", "logistic", "cox",
        "l1-svm" and "llna", and two classes at most.
    feature_groups : array of shape (n_features,) or dict of groups by name, default=None
        Features of one group are selected or left as a whole, and k counts groups (``count="features"``: features). Those
        that a dict does not name are a group for themselves. Columns of categories are groups in any case.
    n_jobs : int, default=None
        Threads; None: all processors, or 1 inside a worker of joblib. Never changes a result.
    random_state : int, RandomState or None, default=None
        Seed of every random draw; None is 1: a fit is the same each time.
    time_limit : float, default=None
        Seconds after which a fit ends with its best so far, and a ConvergenceWarning.
    memory_limit : int or str, default=None
        Work known to need more than so many bytes ("2G") is refused.
    device : "cpu" or "cuda", default="cpu"
        Where the passes over the features run; "cuda" is NVIDIA's first GPU, and needs its driver only.
    verbose : int, default=0
    **settings
        Every setting of the methods, as ``pare.settings(method)`` lists them; None is the table's default.
        Python cannot spell `lambda`: it is `lambda_`, and the setting `predict` is `predict_`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1 or n_classes, n_features), or a row per pair of classes (one against one)
        Of linear models, 0 for features that were not selected; per unit of the raw input (with ``scale``
        robust, which "auto" takes for dense data, per transformed unit).
    intercept_ : ndarray of shape (1 or n_classes,)
    support_ : ndarray of bool, the selected features
    ranking_ : ndarray of int, 1 for the best feature
    scores_ : ndarray of float, what ranks the features
    pvalues_, qvalues_ : ndarray of float, of filters that are tests, and their least false discovery rates
    n_features_in_, feature_names_in_, n_iter_
    objective_, outcome_, certificate_
        What the solve of the predictor reached, and its certificate; see :class:`pare.Model`.
    selection_outcome_
        The same word for the selection, "greedy" of an elimination; None where it is the predictor's own.
    model_ : pare.Model
        ``model_.save("model.json")`` is the file of the command line.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from pare import PareClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> c = PareClassifier("corr", k=3).fit(X, y)
    >>> list(c.get_feature_names_out())
    ['mean concave points', 'worst perimeter', 'worst concave points']
    >>> round(c.score(X, y), 2)
    0.94
    >>> c.selection_outcome_, c.outcome_, c.certificate_.kind
    ('computed', 'optimal', 'duality_gap')
    """

    _tasks = CLASSES
    _own = {"class_weight": None}

    def fit(self, X, y, sample_weight=None, offset=None, groups=None):
        """Fit the model.

        Parameters
        ----------
        X : array, sparse matrix, data frame or AnnData of shape (n_samples, n_features)
            Fortran-order float64 and float32 and CSC of float64 are read where they are; others are copied once.
        y : array of labels, or the name of a column of an AnnData's `obs`
        sample_weight : array of shape (n_samples,), default=None
            0 is absence, 2 the sample twice.
        offset : array of shape (n_samples,), default=None
            Added to the decision value of the second of two classes (or of ``positive``), for methods that fit
            beside one: see :func:`pare.methods`. Prediction then needs that of the new samples.
        groups : array of shape (n_samples,), default=None
            With ``probability=True``: samples of one group (a patient, a site) are kept in one fold of the calibration.

        Returns
        -------
        self
        """
        return self._fit_labels(X, y, sample_weight, CLASSIFY, offset, groups)

    def decision_function(self, X, offset=None):
        """Scores: (n,) for two classes, positive for the second; else (n, n_classes)."""
        f = by_class(self._decide(X, offset=offset), self._place)
        return f[0] if f.shape[0] == 1 else np.ascontiguousarray(f.T)

    def predict(self, X, offset=None):
        """The label of each sample."""
        f = self._decide(X, offset=offset)
        return self.model_.labels[self.model_.decide(f)]

    def _has_probability(self):
        if "model_" in self.__dict__:
            return self.model_.has_probability
        own = any(m.name == self.method and m.probability for m in methods())
        refitted = self.k is not None or self._setting("budget") is not None or self._setting("refit") == "relaxed"
        return bool(self._setting("probability")) or (own and not refitted)

    @available_if(_has_probability_or_says)
    def predict_proba(self, X, offset=None):
        """Probabilities of the classes, (n, n_classes).

        With ``probability=True``, which calibrates the scores on samples held out of the fit, selection included;
        `logistic` and `sbmlr` without `k` have their own.
        """
        return np.ascontiguousarray(by_class(self._decide(X, True, offset), self._place).T)

    @available_if(_has_probability_or_says)
    def predict_log_proba(self, X, offset=None):
        """Logarithms of ``predict_proba``."""
        return np.log(self.predict_proba(X, offset))

    def get_feature_names_out(self, input_features=None):
        """Names of the selected features."""
        return names_out(self, input_features)

    @property
    def coef_(self):
        return by_class(self._linear("coef_")[0], self._place, self.model_.pairs)

    @property
    def intercept_(self):
        return by_class(self._linear("intercept_")[1], self._place, self.model_.pairs)

    def _binary_only(self):
        return not takes_many_classes(self.method)

    def _more_tags(self):
        return {**super()._more_tags(), "binary_only": self._binary_only()}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = not self._binary_only()
        return tags


@with_settings
class PareRegressor(RegressorMixin, PareBase):
    """Sparse regression on few features.

    Parameters
    ----------
    method : str, default="auto"
        A method for regression, such as "lasso" (what "auto" is), "llna" or "kta".
    k : int, default=None
        How many features to select.
    keep, cost, sign, feature_groups, n_jobs, random_state, time_limit, memory_limit, device, verbose, **settings
        As for :class:`PareClassifier`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    support_, ranking_, scores_, n_iter_, objective_, outcome_, selection_outcome_, certificate_, model_
        As for :class:`PareClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from pare import PareRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> r = PareRegressor("lasso", k=3).fit(X, y)
    >>> list(r.get_feature_names_out())
    ['bmi', 'bp', 's5']
    """

    _tasks = REGRESSION

    def fit(self, X, y, sample_weight=None, offset=None):
        """Fit the model; the parameters are those of :meth:`PareClassifier.fit`, y are numbers."""
        x, y = self._take_training(X, y, y_numeric=True)
        return self._fit(x, lambda data: data.set_values(y), self._settings(REGRESS), sample_weight, offset)

    def predict(self, X, offset=None):
        """The value of each sample."""
        return self._decide(X, offset=offset)[0]

    def get_feature_names_out(self, input_features=None):
        """Names of the selected features."""
        return names_out(self, input_features)

    @property
    def coef_(self):
        return self._linear("coef_")[0][0]

    @property
    def intercept_(self):
        return float(self._linear("intercept_")[1][0])


@with_settings
class PareRanker(_Labelled):
    """Sparse ranking: the positives at the top, by few features.

    Parameters
    ----------
    method : str, default="auto"
        "inf-push" (what "auto" is), "rank-svm" or "push-rfe".
    k, keep, cost, sign, feature_groups, n_jobs, random_state, time_limit, memory_limit, device, verbose, **settings
        As for :class:`PareClassifier`. ``positive`` names the label that belongs at the top; None: the last.

    Attributes
    ----------
    classes_ : ndarray of two labels, the positive one last unless ``positive`` says otherwise
    coef_ : ndarray of shape (n_features,)
    support_, ranking_, scores_, n_iter_, objective_, outcome_, selection_outcome_, certificate_, model_
        As for :class:`PareClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from pare import PareRanker
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bool(PareRanker(k=5).fit(X, y).score(X, y) > 0.97)
    True
    """

    _tasks = RANKING

    def fit(self, X, y, sample_weight=None):
        """Fit the model; the parameters are those of :meth:`PareClassifier.fit`, y are two labels."""
        return self._fit_labels(X, y, sample_weight, RANK)

    def decision_function(self, X):
        """The score of each sample: the higher, the nearer to the top."""
        return self._decide(X)[0]

    def predict(self, X):
        """The score of each sample, as ``decision_function``."""
        return self.decision_function(X)

    def score(self, X, y, sample_weight=None):
        """Area under the ROC curve: the share of pairs in order."""
        from sklearn.metrics import roc_auc_score
        y = np.asarray(y) == self.model_.labels[-1]
        return roc_auc_score(y, self.decision_function(X), sample_weight=sample_weight)

    def get_feature_names_out(self, input_features=None):
        """Names of the selected features."""
        return names_out(self, input_features)

    @property
    def coef_(self):
        return self._linear("coef_")[0][0]

    def _more_tags(self):
        return {**super()._more_tags(), "binary_only": True}

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags
        tags = super().__sklearn_tags__()
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags


@with_settings
class PareSurvival(PareBase):
    """Sparse Cox regression of times to an event, on few features.

    Parameters
    ----------
    method : str, default="cox"
        A method for survival: see :func:`pare.methods`.
    k : int, default=None
        How many features to select.
    keep, cost, sign, feature_groups, n_jobs, random_state, time_limit, memory_limit, device, verbose, **settings
        As for :class:`PareClassifier`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Log hazard ratios per unit of the raw input.
    support_, ranking_, scores_, n_iter_, objective_, outcome_, selection_outcome_, certificate_, model_
        As for :class:`PareClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from pare import PareSurvival
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 50))
    >>> time, censored = rng.exponential(np.exp(-X[:, 3])), rng.exponential(2, 200)
    >>> y = np.column_stack([time <= censored, np.minimum(time, censored)])
    >>> c = PareSurvival(k=1).fit(X, y)
    >>> np.flatnonzero(c.support_), round(c.score(X, y), 1)
    (array([3]), 0.8)
    >>> c.predict_survival_function(X[:2], [0.5, 1]).shape
    (2, 2)
    """

    _tasks = SURVIVAL
    _first = {"method": "cox", "k": None}

    def fit(self, X, y, sample_weight=None, offset=None, strata=None):
        """Fit the model.

        Parameters
        ----------
        X, sample_weight
            As of :meth:`PareClassifier.fit`.
        y : structured array of an event (bool) and a time (float), as scikit-survival has it, or two columns event, time
        offset : array of shape (n_samples,), default=None
            Added to the risk of each sample; prediction then needs that of the new samples.
        strata : sequence of names, default=None
            Samples are compared within a stratum, which has a baseline hazard of its own.

        Returns
        -------
        self
        """
        x, _ = self._take_training(X, None, needs_y=False)
        time, event = times_and_events(y, x.shape[0])

        def set_target(data):
            data.set_time_event(time, event)
            data.set_strata(strata)
        return self._fit(x, set_target, self._settings(SURVIVE), sample_weight, offset)

    def predict(self, X, offset=None):
        """The risk of each sample: the higher, the earlier the event. 0 is the mean of the training samples."""
        return self._decide(X, offset=offset)[0]

    def predict_survival_function(self, X, times, offset=None, strata=None):
        """The probability of no event until each of the times, (n_samples, n_times)."""
        check_is_fitted(self)
        return self.model_.survival_on(self._take_new(X), times, self._call(), offset, strata)[0]

    def predict_median(self, X, offset=None, strata=None):
        """The first time of the baseline at which that is at most a half; NaN where there is none."""
        check_is_fitted(self)
        return self.model_.survival_on(self._take_new(X), [], self._call(), offset, strata)[1]

    def score(self, X, y, sample_weight=None, offset=None, strata=None):
        """The c-index: the proportion of comparable pairs in which the sample with the earlier event has the higher risk."""
        check_is_fitted(self)
        x = self._take_new(X)
        time, event = times_and_events(y, x.shape[0])

        def set_target(data):
            data.set_time_event(time, event)
            data.set_strata(strata)
        c = self.model_.score_on(x, set_target, self._call(), offset, sample_weight)["c_index"]
        return np.nan if c is None else c

    def get_feature_names_out(self, input_features=None):
        """Names of the selected features."""
        return names_out(self, input_features)

    @property
    def coef_(self):
        return self._linear("coef_")[0][0]


@with_settings
class PareSelector(SelectorMixin, PareBase):
    """Feature selection in front of any estimator.

    Parameters
    ----------
    method : str, default="auto"
        Any method of the library.
    k : int, default=None
        How many features to select; None: as many as the method itself keeps, or the best 50 of a ranking.
    task : {"auto", "classify", "regress", "rank", "none"}, default="auto"
        "auto": the method's only task; else classes where y is not numbers or at most 20 different integers; "none"
        where y is None, for methods that look at X alone (laplacian, spectrum).
    keep, cost, sign, feature_groups, n_jobs, random_state, time_limit, memory_limit, device, verbose, **settings
        As for :class:`PareClassifier`.

    Attributes
    ----------
    support_, ranking_, scores_, n_features_in_, feature_names_in_, n_iter_, objective_, outcome_, selection_outcome_, certificate_, model_
        As for :class:`PareClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from pare import PareSelector
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> s = PareSelector("svm-rfe", k=4).set_output(transform="pandas")
    >>> s.fit_transform(X, y).shape
    (569, 4)
    >>> round(make_pipeline(PareSelector(k=4), KNeighborsClassifier()).fit(X, y).score(X, y), 1)
    0.9
    """

    _tasks = WITH_TARGET
    _own = {"task": "auto"}

    def fit(self, X, y=None, sample_weight=None):
        """Select features.

        Parameters
        ----------
        X : array, sparse matrix, data frame or AnnData of shape (n_samples, n_features)
        y : array of labels or numbers, or the name of a column of an AnnData's `obs`
        sample_weight : array of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        x, y = self._take_training(X, y, needs_y=not self._may_lack_target())
        task = NONE if y is None else self._task_of(y)
        settings = self._settings(task)
        if lacks_target(task):
            return self._fit(x, lambda data: None, settings, sample_weight)
        if is_number(task):
            y = numbers_of(y)
            return self._fit(x, lambda data: data.set_values(y), settings, sample_weight)
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        texts = label_texts(classes)
        return self._fit(x, lambda data: data.set_codes(codes, texts), settings, sample_weight)

    def _may_lack_target(self):
        return may_lack_target(self.method, self.task)

    def _task_of(self, y):
        return usual_task(settings_of(self.method), y) if self.task == "auto" else self.task

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def _more_tags(self):
        return {**super()._more_tags(), "binary_only": takes_two_labels_alone(self.method),
                "requires_y": not self._may_lack_target()}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = not self._may_lack_target()
        if takes_two_labels_alone(self.method):
            from sklearn.utils import ClassifierTags
            tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags


def fitted(model, method, k, settings, coding, names, d):
    """An estimator with this model, as if fitted with these settings to d features of these names."""
    cls = next(c for c in (PareClassifier, PareRegressor, PareRanker, PareSurvival) if model.task in c._tasks)
    estimator = cls(method, k, **settings)
    estimator.take_model(model, coding, names, model.n_features if d is None else d)
    return estimator
