"""scikit-learn's own checks, of every method of the registry in every estimator that its tasks allow."""

import multiprocessing
import os
import sys
import unittest
import warnings

from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator

import pare
from pare._base import EXPECTED_FAILURES  # each with its reason; nothing else may fail or be skipped

def estimators():
    every = ("binary", "multiclass", "ranking", "regression")
    for name, tasks in [("auto", every)] + [(m.name, m.tasks) for m in pare.methods()]:
        if "binary" in tasks:
            yield pare.PareClassifier, name
        if "regression" in tasks:
            yield pare.PareRegressor, name
        if "ranking" in tasks:
            yield pare.PareRanker, name
        yield pare.PareSelector, name


def wrong_checks(case):
    cls, name = case
    warnings.simplefilter("ignore")
    warnings.simplefilter("ignore", SkipTestWarning)
    wrong, count = [], 0
    for estimator, check in check_estimator(cls(name), generate_only=True):
        count += 1
        title = getattr(check, "func", check).__name__
        try:
            check(estimator)
        except unittest.SkipTest as skipped:
            if title not in EXPECTED_FAILURES.get((cls.__name__, name), {}):
                wrong.append("%s(%r) %s: skipped, %s" % (cls.__name__, name, title, skipped))
        except Exception as error:
            wrong.append("%s(%r) %s: %s: %s" % (cls.__name__, name, title, type(error).__name__, error))
    return count, wrong


class Checks(unittest.TestCase):
    def test_every_method(self):
        jobs = int(os.environ.get("JOBS", 0)) or os.cpu_count()
        with multiprocessing.Pool(jobs) as pool:
            done = pool.map(wrong_checks, list(estimators()), chunksize=1)
        self.assertGreater(sum(count for count, _ in done), 2000)
        self.assertEqual([w for _, wrong in done for w in wrong], [])


if __name__ == "__main__":
    sys.exit(unittest.main())
