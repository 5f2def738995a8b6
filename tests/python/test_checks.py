"""scikit-learn's own checks, of every method of the registry in every estimator that its tasks allow; with TESTS_SHORT
in the environment, of one method among those that are alike in all that scikit-learn sees."""

import multiprocessing
import os
import sys
import unittest
import warnings

import numpy as np
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator

try:  # scikit-learn 1.6 and later
    from sklearn.utils import get_tags
except ImportError:
    def get_tags(estimator):
        return estimator._get_tags()

import pare
from pare._tasks import tasks_of
from pare._base import EXPECTED_FAILURES  # each with its reason; nothing else may fail or be skipped


def choosing():
    """Estimators that choose their number of features, on few folds."""
    return [cls("auto", cv=3, inner=2) for cls in (pare.PareClassifierCV, pare.PareRegressorCV, pare.PareRankerCV)]


def estimators():
    every = ("binary", "multiclass", "ranking", "regression")
    for name, tasks in [("auto", every)] + [(m.name, m.tasks) for m in pare.methods() if set(m.tasks) & set(every)]:
        if "binary" in tasks:
            yield pare.PareClassifier, name
        if "regression" in tasks:
            yield pare.PareRegressor, name
        if "ranking" in tasks:
            yield pare.PareRanker, name
        yield pare.PareSelector, name


def signature(case):
    """What scikit-learn sees of an estimator: its class, tags, tasks and what it has once it is fitted."""
    cls, name = case
    rng = np.random.default_rng(0)
    x, y = np.abs(rng.standard_normal((24, 5))), np.arange(24) % 2
    x[:, 2] += y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = cls(name)
        tags = str(get_tags(made))
        made.fit(x, x[:, 2] + rng.standard_normal(24) if cls is pare.PareRegressor else y)
        return cls, tasks_of(name), tags, tuple(a for a in dir(made) if hasattr(made, a))


def representatives(cases):
    first = {}
    for case in cases:
        first.setdefault(signature(case), case)
    return list(first.values())


def wrong_checks(case):
    cls, name = case
    return wrong_checks_of(cls(name), cls, name)


def wrong_checks_of(made, cls, name):
    warnings.simplefilter("ignore")
    warnings.simplefilter("ignore", SkipTestWarning)
    wrong, count = [], 0
    for estimator, check in check_estimator(made, generate_only=True):
        count += 1
        title = getattr(check, "func", check).__name__
        try:
            check(estimator)
        except unittest.SkipTest as skipped:
            if title == "wrapped":  # what scikit-learn makes of an expected failure with parameters
                title = str(skipped).split()[1]
            if title not in EXPECTED_FAILURES.get((cls.__name__, name), {}):
                wrong.append("%s(%r) %s: skipped, %s" % (cls.__name__, name, title, skipped))
        except Exception as error:
            wrong.append("%s(%r) %s: %s: %s" % (cls.__name__, name, title, type(error).__name__, error))
    return count, wrong


def wrong_checks_of_choosing(made):
    return wrong_checks_of(made, type(made), "auto")


class Checks(unittest.TestCase):
    def test_every_method(self):
        jobs = int(os.environ.get("JOBS", 0)) or os.cpu_count()
        cases = list(estimators())
        if os.environ.get("TESTS_SHORT"):
            cases = representatives(cases)
            self.assertEqual({cls for cls, _ in cases}, {cls for cls, _ in estimators()})
        with multiprocessing.Pool(jobs) as pool:
            done = pool.map(wrong_checks, cases, chunksize=1)
            done += pool.map(wrong_checks_of_choosing, choosing(), chunksize=1)
        self.assertGreater(min(count for count, _ in done), 20)
        self.assertEqual([w for _, wrong in done for w in wrong], [])


if __name__ == "__main__":
    sys.exit(unittest.main())
