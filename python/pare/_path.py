"""The honest path: how good a model is at each number of features, and what is chosen from it."""

import ctypes
import os
import sys
import time
import warnings

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from sklearn.utils.validation import _check_sample_weight

from ._base import _FINITE, checked, is_anndata
from ._call import Call
from ._coding import Coding, has_categories
from ._data import (Data, canonical_csc, columns_together, costs_of_features, groups_of_features, kept_features, signs_of_features,
                    label_text, label_texts)
from ._declared import PathOptions
from ._lib import PareCancelled, PareValueError, byref, c_int8, c_void_p, lib, take_text
from ._model import Model
from ._path_result import HonestPath
from ._table import Settings, python_name, table_name, value_text
from ._targets import times_and_events
from ._tasks import SURVIVE, is_number, is_time, settings_of, usual_task


# --- progress ---


class _Bar:
    """A progress bar: tqdm's if it is there, else one line on a terminal."""

    def __init__(self, wanted):
        self._tqdm = None
        self._shown = False
        self._last = 0.0
        self._on = wanted is True or (wanted is None and (sys.stderr.isatty() or _in_notebook()))
        if not self._on:
            return
        try:
            from tqdm.auto import tqdm
            self._tqdm = tqdm(total=100, desc="honest path", unit="%", bar_format="{l_bar}{bar}| {elapsed}")
        except ImportError:
            pass

    def __call__(self, stage, fraction):
        now = time.monotonic()
        if not self._on or fraction < 0 or now - self._last < 0.1:
            return
        self._last = now
        if self._tqdm is not None:
            self._tqdm.update(max(0, round(100 * fraction) - self._tqdm.n))
        else:
            self._shown = True
            sys.stderr.write("\rhonest path: %3d%%" % round(100 * fraction))
            sys.stderr.flush()

    def close(self, complete):
        if self._tqdm is not None:
            if complete:
                self._tqdm.update(100 - self._tqdm.n)
            self._tqdm.close()
        elif self._shown:
            sys.stderr.write("\rhonest path: %s\n" % ("done" if complete else "stopped"))


def _in_notebook():
    try:
        from IPython import get_ipython
        return "IPKernelApp" in get_ipython().config
    except Exception:
        return False


# --- what was asked ---


def _take_methods(methods):
    """[(name, its own settings)] from a name, names, or a dict of settings."""
    if isinstance(methods, str):
        methods = [m.strip() for m in methods.split(",")]
    if hasattr(methods, "items"):
        return [(name, dict(own or {})) for name, own in methods.items()]
    return [(m, {}) for m in methods]


def _given(own, common):
    """A method's settings by the names of its table: its own value before the common one; None means not given."""
    return {table_name(key): value for one in (common, own) for key, value in one.items() if value is not None}


def _python_names(given):
    return {python_name(key): value for key, value in given.items()}


def _make_settings(asked, task, common):
    known = set()
    out = []
    for name, own in asked:
        s = Settings(name)
        s.set("task", task)
        has = {key: value for key, value in common.items() if s.has(table_name(key))}
        known.update(has)
        for key, value in _given(own, has).items():
            s.set(key, label_text(value) if key == "positive" else value)
        out.append(s)
    wrong = [k for k, v in common.items() if v is not None and k not in known]
    if wrong:
        raise TypeError("honest_path has no parameter '%s', and none of the methods %s has such a setting"
                        % (wrong[0], ", ".join(name for name, _ in asked)))
    return out


def _task_of(asked, task, y):
    if task != "auto":
        return task
    return usual_task(set.intersection(*[settings_of(name) for name, _ in asked]), y)


def _roles(cv, x, y, groups):
    """n_parts x n: 0 left out, 1 trains, 2 tests."""
    n = x.shape[0]
    parts = cv.split(np.zeros((n, 1)), y, groups) if hasattr(cv, "split") else cv
    rows = []
    for train, test in parts:
        role = np.zeros(n, np.int8)
        train, test = np.arange(n)[train], np.arange(n)[test]
        for which, at in ((1, train), (2, test)):
            if len(np.unique(at)) < len(at):
                raise PareValueError("cv: part %d has a sample twice among those that %s; use sample_weight"
                                     % (len(rows) + 1, "train" if which == 1 else "test"))
            role[at] = which
        if np.intersect1d(train, test).size:
            raise PareValueError("cv: part %d has a sample that trains and tests" % (len(rows) + 1))
        rows.append(role)
    if not rows:
        raise PareValueError("cv gives no parts")
    return np.ascontiguousarray(rows)


def _sizes_text(sizes):
    if isinstance(sizes, str):
        return sizes
    return ",".join(str(int(s)) for s in np.atleast_1d(sizes))


def _grid_text(grid):
    """{"C": [1, 10]} as the library reads it."""
    if grid is None or isinstance(grid, str):
        return grid
    return ", ".join("%s %s" % (table_name(k), " ".join(value_text(v) for v in values)) for k, values in grid.items())


# --- the run ---


def honest_path(X, y, methods="auto", *, best=None, sizes="auto", budgets=None, cv=None, groups=None, sample_weight=None, offset=None,
                repeats=1, splits=0, train=0.8, task="auto", metric=None, choice="1se", tolerance=0.02, inner=3, tune=False,
                grid=None, null_runs=0, substitutes=5, error_control=None, error_bound="unimodal", error_pairs=50,
                error_permutations=None, checkpoint=None, keep=None, cost=None, sign=None, feature_groups=None, n_jobs=None,
                random_state=None, time_limit=None, memory_limit=None, device="cpu", progress=None, strata=None, leave_out=None,
                at=None, **settings):
    """Accuracy against number of features, with everything that looks at the labels done inside the folds.

    Parameters
    ----------
    X : array, sparse matrix, data frame or AnnData of shape (n_samples, n_features)
    y : array of labels or numbers, the name of a column of an AnnData's `obs`, or for survival a structured array of an event
        (bool) and a time or two columns event, time
    methods : str, list of str or dict, default="auto"
        What is compared on the same folds; a dict gives each its own settings: ``{"svm-rfe": {"C": 10}}``.
    best : str, default=None
        The method that ``estimator_`` and ``model_`` are of; None: the only one, or that with the best nested CV estimate.
    sizes : "auto" or list of int
        Numbers of features; "auto": 1, 2, 5, 10, ... or, for one method with a path of its own, along that.
    budgets : list of float, default=None
        Instead of `sizes`: what the `cost` of the chosen features may sum to, the ranking gone through by what still fits.
        ``frame()`` has a column ``budget`` then.
    cv : int, splitter, iterable of (train, test) or None
        Folds, or any splitter of scikit-learn; None: ten stratified folds, or with a note as many as the smallest class
        allows, at least three.
    groups : array of shape (n_samples,), default=None
        Samples of one group are kept in one fold (and are handed to `cv`).
    leave_out : array of shape (n_samples,), default=None
        The cohort of each sample: a fold for each, with a score of its own in ``frame("cohorts")``; inner folds leave out one of
        the others where there are three or more. In the place of `cv`.
    sample_weight : array of shape (n_samples,), default=None
    offset : array of shape (n_samples,), default=None
        Added to the decision values, for methods that fit beside one.
    repeats, splits, train
        Without `cv`: repeats of the folds; or `splits` hold-outs with a share `train` to train on.
    task : {"auto", "classify", "regress", "rank", "survival"}
    strata : sequence of names, default=None
        Of survival: samples are compared within a stratum, which has a baseline hazard of its own.
    at : float, default=None
        Of survival: the time at which predicted probabilities are compared with what was observed, in
        ``frame("calibration_at")``; None: the median time of the events.
    metric : str, default=None
        What means, choices and tests are of; None: the task's first.
    choice : {"1se", "best", "tolerance"}
        How the size is chosen; `tolerance` is the share of the best mean that the last may lose.
    inner : int, default=3
        Folds inside each training part, for the nested estimate and for tuning; 0: none.
    tune : bool, default=False
        Choose each method's main settings inside each training part, from `grid` (a dict) if given.
    null_runs : int, default=0
        Permutations of the permutation test, the choice of the size included; the least possible p is 1/(null_runs + 1), so
        0.05 needs 19 and 0.01 needs 99, and 199 are a good number.
    substitutes : int, default=5
        Candidates tried to stand in for each chosen feature.
    error_control : str, default=None
        "pfer=1": the features of which in expectation at most one has a low selection probability, by stability selection over
        `error_pairs` pairs of half-samples and the bound `error_bound` ("plain", "unimodal" or "r-concave");
        "fdr=0.1": those of which a tenth is false, by `error_permutations` permutations of the labels, for methods that score
        each feature by itself. ``frame("control")`` has them.
    checkpoint : path, default=None
        Finished folds are kept there and not run again.
    keep, cost, sign, feature_groups, n_jobs, random_state, time_limit, memory_limit, device
        As for :class:`PareClassifier`; sizes count what is not kept.
    progress : bool, default=None
        None: a bar on a terminal and in a notebook.
    **settings
        Settings of all methods that have them, such as ``scale`` or ``classifier``; a method's own value in `methods`
        takes precedence.

    Returns
    -------
    HonestPath

    Notes
    -----
    Ctrl-C and the time limit end the run early; the path then holds what was finished (``complete`` is False).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> import pare
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> path = pare.honest_path(X, y, ["corr", "svm-rfe"], sizes=[1, 2, 5], cv=3)
    >>> path.frame()[["method", "n_features"]].values.tolist()
    [['corr', 1], ['corr', 2], ['corr', 5], ['svm-rfe', 1], ['svm-rfe', 2], ['svm-rfe', 5]]
    >>> list(path.chosen.columns)[:4]
    ['nested_mean', 'nested_se', 'nested_low', 'nested_high']
    >>> path.headline["corr"][0][:49]
    'Nested CV estimate of the whole procedure: accura'
    """
    said = _command(methods, dict(sizes=sizes, budgets=budgets, cv=cv, repeats=repeats, splits=splits, tune=tune,
                                  metric=metric, choice=choice, null_runs=null_runs, error_control=error_control, random_state=random_state),
                    settings)
    names = coding = None
    asked = _take_methods(methods)
    missing = any(_given(own, settings).get("missing", "refuse") != "refuse" for _, own in asked)
    if has_categories(X):
        coding = Coding(X)
        X, names = checked(coding.encode, X, missing), coding.names
    if is_anndata(X):
        if isinstance(y, str):
            y = np.asarray(X.obs[y])
        X, names = X.X, [str(v) for v in X.var_names]
    elif hasattr(X, "columns") and all(isinstance(c, str) for c in X.columns):
        names = list(X.columns)
    x = checked(check_array, X, input_name="X", accept_sparse="csc", dtype=[np.float64, np.float32],
                **{_FINITE: "allow-nan" if missing else True})
    x = canonical_csc(x) if sparse.issparse(x) else columns_together(x)
    y = np.asarray(y)
    times = is_time(task, y)
    if times:
        time, y = times_and_events(y, x.shape[0])  # what follows divides the samples by their events
    elif strata is not None:
        raise PareValueError("strata are of survival: y must be events and times")
    if y.ndim != 1 or len(y) != x.shape[0]:
        raise PareValueError("y has shape %s, X has %d samples" % (y.shape, x.shape[0]))
    kind = SURVIVE if times else _task_of(asked, task, y)
    made = _make_settings(asked, kind, settings)

    options = PathOptions()
    lib.path_options_init_sized(byref(options), ctypes.sizeof(options))
    kept = []  # what the options point to

    def text(value):
        kept.append(value.encode("utf-8"))
        return kept[-1]

    options.sizes = text(_sizes_text(sizes))
    if budgets is not None:
        options.budgets = text(",".join("%.17g" % b for b in np.atleast_1d(budgets)))
    options.repeats, options.splits, options.train = repeats, splits, train
    options.choice, options.tolerance = text(choice), tolerance
    options.inner, options.tune, options.null_runs, options.substitutes = inner, tune, null_runs, substitutes
    options.predictions = options.model = True
    if best is not None:
        options.best = text(best)
    if error_control is not None:
        options.error_control, options.error_bound = text(error_control), text(error_bound)
        options.error_pairs, options.error_permutations = error_pairs, error_permutations or 0
    if metric is not None:
        options.metric = text(metric)
    if at is not None:
        options.at = at
    if grid is not None:
        options.grid = text(_grid_text(grid))
        options.tune = True
    if checkpoint is not None:
        kept.append(os.fsencode(checkpoint))
        options.checkpoint = kept[-1]
    if groups is not None:
        groups = np.asarray(groups)
        if groups.shape != y.shape:
            raise PareValueError("groups has shape %s, X has %d samples" % (groups.shape, x.shape[0]))
    if leave_out is not None:
        leave_out = np.asarray(leave_out)
        if leave_out.shape != y.shape:
            raise PareValueError("leave_out has shape %s, X has %d samples" % (leave_out.shape, x.shape[0]))
        if cv is not None:
            raise PareValueError("leave_out gives the folds: leave cv out")
        options.leave_out = True
    if isinstance(cv, (int, np.integer)):
        if cv < 2:
            raise PareValueError("cv is %d; two or more folds are needed" % cv)
        options.folds = int(cv)
    elif cv is not None:
        role = _roles(cv, x, y, groups)
        kept.append(role)
        options.n_parts = role.shape[0]
        options.part_of = role.ctypes.data_as(ctypes.POINTER(c_int8))

    if sample_weight is not None:
        sample_weight = _check_sample_weight(sample_weight, x, dtype=np.float64)
    labels = {}
    bar = _Bar(progress)
    columns, owner = (names, slice(None)) if coding is None else (coding.columns, coding.owner)
    d = x.shape[1] if coding is None else len(columns)
    terms = [None if t is None else t[owner]
             for t in (kept_features(keep, columns, d), costs_of_features(cost, columns, d),
                       signs_of_features(sign, columns, d))]
    own = groups_of_features(feature_groups, columns, d)
    if coding is not None:
        own = coding.groups if own is None else [own[j] for j in owner]
    p = c_void_p()
    call = Call(n_jobs, random_state, time_limit, memory_limit, 0, bar, device)
    with Data(x, names, own) as data:
        if times:
            data.set_time_event(time, y)
            data.set_strata(strata)
        elif is_number(kind):
            data.set_values(y.astype(np.float64))
        else:
            classes, codes = np.unique(y, return_inverse=True)
            texts = label_texts(classes)
            labels = dict(zip(texts, classes.tolist()))
            data.set_codes(codes, texts)
        data.set_weights(sample_weight)
        data.set_offset(offset)
        data.set_terms(*terms)
        if groups is not None:
            data.set_fold_groups([label_text(g) for g in groups])
        if leave_out is not None:
            data.set_folds([label_text(c) for c in leave_out])
        handles = (c_void_p * len(made))(*[s.handle for s in made])
        try:
            with call:
                lib.path_run(byref(p), data.handle, handles, len(made), byref(options), call.ref)
        except PareCancelled:
            bar.close(False)
            call.finish()
            raise KeyboardInterrupt from None
        except BaseException:
            bar.close(False)
            raise
        try:
            complete = lib.path_complete(p)
            bar.close(complete)
            model = lib.path_model(p)
            path = HonestPath(_text(lib.path_json, p), _text(lib.path_html, p, said.encode("utf-8")),
                              _text(lib.path_predictions, p, data.handle), labels,
                              None if not model else Model(c_void_p(model)))
        finally:
            lib.path_free(p)
    call.finish()
    given = dict(keep=keep, cost=cost, sign=sign, feature_groups=feature_groups, n_jobs=n_jobs, random_state=random_state,
                 time_limit=time_limit, memory_limit=memory_limit, device=device)
    path._recipe = {name: {**given, **_python_names(_given(own, {k: v for k, v in settings.items()
                                                                  if Settings(name).has(table_name(k))}))}
                    for name, own in asked}
    path._input, path._named = (coding, columns, d), best
    if not complete:
        warnings.warn("the path was stopped early: it holds what was finished", ConvergenceWarning, stacklevel=2)
    return path


def _text(function, *arguments):
    out = c_void_p()
    function(byref(out), *arguments, None)
    return take_text(out)


def _command(methods, asked, settings):
    """The call as the report shows it."""
    words = [repr(methods)]
    fallback = dict(sizes="auto", budgets=None, cv=None, repeats=1, splits=0, tune=False, metric=None, choice="1se", null_runs=0,
                    error_control=None, random_state=None)
    words += ["%s=%r" % (k, v) for k, v in asked.items() if not (isinstance(v, type(fallback[k])) and v == fallback[k])]
    words += ["%s=%r" % (k, v) for k, v in settings.items()]
    return "pare.honest_path(X, y, %s)" % ", ".join(words)
