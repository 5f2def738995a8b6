"""PareSurvival: forms of y, risks and curves, scikit-learn's tools; and the integrated Brier score of the command line
by an independent computation."""

import json
import os
import subprocess
import tempfile
import unittest

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pare

PARE = os.environ.get("PARE")


def survivors(n=90, d=12, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    time, censored = rng.exponential(np.exp(-x[:, 3] - 0.7 * x[:, 5])), rng.exponential(1.5, n)
    return x, np.round(np.minimum(time, censored), 3) + 0.001, time <= censored


class Path(unittest.TestCase):
    def test_path_and_its_model(self):
        x, time, event = survivors()
        structured = np.array(list(zip(event, time)), dtype=[("dead", bool), ("years", float)])
        path = pare.honest_path(x, structured, ["cox", "cox-score"], best="cox", sizes=[1, 2, 4], cv=3, progress=False)
        self.assertEqual((path.metric, path.result["task"]), ("c_index", "survival"))
        self.assertEqual(list(path.predictions.columns), ["method", "n_features", "part", "sample", "time", "event", "risk"])
        again = clone(path.estimator_).fit(x, structured)
        np.testing.assert_array_equal(path.predict(x), again.predict(x))
        self.assertEqual(path.score(x, structured), again.score(x, structured))
        np.testing.assert_array_equal(path.estimator_.predict_survival_function(x[:3], [0.5, 1]),
                                      again.predict_survival_function(x[:3], [0.5, 1]))
        chooses = pare.PareSurvivalCV("cox", [1, 2, 4], cv=3).fit(x, np.column_stack([event, time]))
        np.testing.assert_array_equal(chooses.coef_, path.estimator_.coef_)
        self.assertTrue(chooses.support_[3])

    def test_strata_and_wrong_targets(self):
        x, time, event = survivors()
        y = np.column_stack([event, time])
        strata = ["a", "b"] * 45
        path = pare.honest_path(x, y, "cox", sizes=[2], cv=3, strata=strata, progress=False)
        self.assertEqual(path.estimator_.predict_survival_function(x[:2], [1], strata=strata[:2]).shape, (2, 1))
        with self.assertRaisesRegex(ValueError, "strata are of survival"):
            pare.honest_path(x, event, "svm", sizes=[2], cv=3, strata=strata, progress=False)
        with self.assertRaisesRegex(ValueError, "event and time"):
            pare.honest_path(x, time, "cox", task="survival", sizes=[2], cv=3, progress=False)


def kaplan_meier_of_censoring(time, event):
    def g(t, before):
        product = 1.0
        for s in np.unique(time[~event]):
            if s < t or (s == t and not before):
                at_risk = np.sum(time > s) + np.sum((time == s) & ~event)
                product *= 1 - np.sum((time == s) & ~event) / at_risk
        return product
    return g


def integrated_brier(time, event, risk, train_time, train_event, train_risk):
    g = kaplan_meier_of_censoring(train_time, train_event)

    def hazard(t):
        return sum(1 / np.exp(train_risk[train_time >= s]).sum() for s in train_time[train_event] if s <= t)
    grid = np.linspace(*np.quantile(train_time[train_event], (0.1, 0.9)), 100)
    scores = []
    for t in grid:
        s = np.exp(-hazard(t) * np.exp(risk))
        early = np.array([0 if ti > t or not e else 1 / g(ti, True) for ti, e in zip(time, event)])
        scores.append(np.mean(s ** 2 * early + (1 - s) ** 2 * (time > t) / g(t, False)))
    scores = np.array(scores)
    return np.sum((scores[1:] + scores[:-1]) / 2 * np.diff(grid)) / (grid[-1] - grid[0])


class Survival(unittest.TestCase):
    def test_forms_of_y_are_one(self):
        x, time, event = survivors()
        columns = np.column_stack([event, time])
        records = np.array(list(zip(event, time)), dtype=[("dead", bool), ("years", float)])
        a, b = (pare.PareSurvival(k=3).fit(x, y) for y in (columns, records))
        self.assertEqual(a.predict(x).tobytes(), b.predict(x).tobytes())
        self.assertEqual(a.score(x, columns), b.score(x, records))
        self.assertLess({3, 5}, set(np.flatnonzero(a.support_)))

    def test_the_score_counts_pairs(self):
        x, time, event = survivors()
        s = pare.PareSurvival(k=3).fit(x, np.column_stack([event, time]))
        risk = s.predict(x)
        self.assertAlmostEqual(risk.mean(), 0, places=12)
        later = (time[:, None] < time) | ((time[:, None] == time) & ~event)
        pairs = event[:, None] & later & ~np.eye(len(time), dtype=bool)
        right = (risk[:, None] > risk) + 0.5 * (risk[:, None] == risk)
        self.assertAlmostEqual(s.score(x, np.column_stack([event, time])), right[pairs].mean(), places=12)

    def test_curves(self):
        x, time, event = survivors()
        y = np.column_stack([event, time])
        s = pare.PareSurvival(k=3).fit(x, y)
        curves = s.predict_survival_function(x, [0, 0.5, 1, 2])
        self.assertEqual(curves.shape, (90, 4))
        self.assertTrue((curves[:, 0] == 1).all() and (np.diff(curves) <= 0).all())
        median = s.predict_median(x)
        risk = s.predict(x)
        hazard = sum((time[event] <= 1)[i] / np.exp(risk[time >= t]).sum() for i, t in enumerate(time[event]))
        np.testing.assert_allclose(curves[:, 2], np.exp(-hazard * np.exp(risk)), rtol=1e-10)
        known = ~np.isnan(median)
        at = np.array([s.predict_survival_function(x[i:i + 1], [median[i]])[0, 0] for i in np.flatnonzero(known)[:9]])
        self.assertTrue((at <= 0.5).all())

    def test_strata(self):
        x, time, event = survivors()
        y, strata = np.column_stack([event, time]), np.where(np.arange(90) % 3, "a", "b")
        s = pare.PareSurvival(k=3).fit(x, y, strata=strata)
        self.assertEqual(s.predict_survival_function(x, [1], strata=strata).shape, (90, 1))
        with self.assertRaisesRegex(pare.PareValueError, "fitted with strata"):
            s.predict_survival_function(x, [1])
        with self.assertRaisesRegex(pare.PareValueError, "stratum \"c\""):
            s.predict_survival_function(x, [1], strata=["c"] * 90)

    def test_tools_of_scikit_learn(self):
        x, time, event = survivors()
        y = np.column_stack([event, time])
        s = clone(pare.PareSurvival(k=2, alpha=0.7))
        self.assertEqual((s.k, s.alpha, s.method), (2, 0.7, "cox"))
        grid = GridSearchCV(make_pipeline(StandardScaler(), s), {"paresurvival__k": [1, 2, 4]}, cv=3).fit(x, y)
        self.assertGreater(grid.best_score_, 0.6)
        self.assertGreater(grid.score(x, y), 0.7)

    def test_wrong_targets(self):
        x, time, event = survivors()
        for y, message in ((time, "y has shape"), (np.column_stack([event + 1, time]), "is the event"),
                           (np.column_stack([event, -time]), "time of sample 1 is"),
                           (np.column_stack([event, time])[:5], "inconsistent numbers of samples"),
                           (np.column_stack([0 * event, time]), "none of the 90 samples has an event"),
                           (np.zeros(90, dtype=[("a", float), ("b", float)]), "fields a, b"), (None, "target y is None")):
            with self.assertRaisesRegex(ValueError, message):
                pare.PareSurvival(k=2).fit(x, y)

    @unittest.skipUnless(PARE, "PARE names the command line")
    def test_the_integrated_brier_score(self):
        x, time, event = survivors(60)
        fold = np.arange(60) % 2
        with tempfile.TemporaryDirectory() as folder:
            table, out = os.path.join(folder, "t.csv"), os.path.join(folder, "p.json")
            np.savetxt(table, np.column_stack([time, event, fold, x]), delimiter=",", comments="", fmt="%.17g",
                       header="time,event,fold," + ",".join("g%d" % j for j in range(x.shape[1])))
            subprocess.run([PARE, "path", table, "-m", "cox", "--time", "time", "--event", "event", "--fold-file", "fold",
                            "--sizes", "2,5", "--inner", "0", "-o", out], check=True, capture_output=True)
            with open(out, encoding="utf-8") as f:
                points = json.load(f)["runs"][0]["points"]
        for point in points:
            for part, value in enumerate(point["metrics"]["integrated_brier"]["folds"]):
                test = fold == part
                s = pare.PareSurvival(k=point["n_features"]).fit(x[~test], np.column_stack([event, time])[~test])
                own = integrated_brier(time[test], event[test], s.predict(x[test]), time[~test], event[~test],
                                       s.predict(x[~test]))
                self.assertAlmostEqual(value, own, places=9)


if __name__ == "__main__":
    unittest.main()
