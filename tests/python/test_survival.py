"""PareSurvival: forms of y, risks and curves, scikit-learn's tools; and the integrated Brier score of the command line
by an independent computation."""

import json
import os
import subprocess
import tempfile
import unittest
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import pare

PARE = os.environ.get("PARE")


def survivors(n=90, d=12, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    time, censored = rng.exponential(np.exp(-x[:, 3] - 0.7 * x[:, 5])), rng.exponential(1.5, n)
    return x, np.round(np.minimum(time, censored), 3) + 0.001, time <= censored


class Timed(pare.PareSurvival):
    """Numbers as times, all of an event: what scikit-learn's checks can give."""

    def fit(self, X, y=None, **more):
        return super().fit(X, self.times(y), **more)

    def score(self, X, y, **more):
        return super().score(X, self.times(y), **more)

    @staticmethod
    def times(y):
        if y is None:
            return None
        y = np.asarray(y)
        y = np.unique(y, return_inverse=True)[1] if y.dtype.kind in "OUS" else y
        y = np.asarray(y, float).reshape(len(y), -1)[:, 0]
        return np.column_stack([np.ones(len(y)), y - min(0, y.min())]) if np.isfinite(y).all() else y


class Checks(unittest.TestCase):
    def test_those_of_scikit_learn_that_apply(self):
        ran = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for estimator, check in check_estimator(Timed(), generate_only=True):
                check(estimator)
                ran += 1
        self.assertGreater(ran, 20)


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

    def test_the_training_data_are_checked_again(self):
        x, time, event = survivors()
        y, strata = np.column_stack([event, time]), np.where(np.arange(90) % 3, "a", "b")
        self.assertTrue(pare.PareSurvival(k=3).fit(x, y).model_.check(x, y).holds)
        model = pare.PareSurvival(k=3).fit(x, y, strata=strata).model_
        self.assertTrue(model.check(x, y, strata=strata).holds)
        with self.assertRaisesRegex(pare.PareValueError, "not the data the model was fitted to"):
            model.check(x, y)

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


def kaplan_meier(time, event, at):
    """S at each time of `at`."""
    return np.array([np.prod([1 - np.sum((time == s) & event) / np.sum(time >= s) for s in np.unique(time[event & (time <= t)])])
                     for t in at])


def log_rank(time, event, group):
    """What is observed less what is expected of all groups but the last, and its covariance."""
    names = np.arange(group.max() + 1)[:-1]
    u, v = np.zeros(len(names)), np.zeros((len(names), len(names)))
    for t in np.unique(time[event]):
        risk, now = time >= t, (time == t) & event
        share, n, d = np.array([np.mean(group[risk] == g) for g in names]), risk.sum(), now.sum()
        u += [np.sum(now & (group == g)) for g in names] - d * share
        if n > 1:
            v += d * (n - d) / (n - 1) * (np.diag(share) - np.outer(share, share))
    return u, v


class RiskGroups(unittest.TestCase):
    """Groups of held-out samples against the estimator on each training fold."""

    def setUp(self):
        self.x, self.time, self.event = survivors(120, seed=3)
        self.y = np.column_stack([self.event, self.time])
        fold = np.arange(120) % 4
        self.folds = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(4)]

    def path(self, **more):
        return pare.honest_path(self.x, self.y, "cox", sizes=[3], cv=self.folds, inner=0, progress=False, **more)

    def held_out(self, at):
        group, survival = np.zeros((2, 120), int), np.zeros(120)
        for train, test in self.folds:
            s = pare.PareSurvival(k=3).fit(self.x[train], self.y[train])
            own, risk = s.predict(self.x[train]), s.predict(self.x[test])
            group[0][test] = risk > np.median(own)
            group[1][test] = np.searchsorted(np.quantile(own, [1 / 3, 2 / 3]), risk)
            survival[test] = s.predict_survival_function(self.x[test], [at])[:, 0]
        return group, survival

    def test_curves_and_statistic(self):
        path = self.path()
        groups, _ = self.held_out(1)
        rows, place = path.result["runs"][0]["risk_groups"], 0
        for group in groups:
            u, v = np.zeros(group.max()), np.zeros((group.max(), group.max()))
            for _, test in self.folds:
                own = log_rank(self.time[test], self.event[test], group[test])
                u, v = u + own[0], v + own[1]
            for g in range(group.max() + 1):
                row, place, own = rows[place], place + 1, group == g
                self.assertEqual((row["n"], row["events"]), (own.sum(), self.event[own].sum()))
                np.testing.assert_allclose(row["curve"]["survival"],
                                           kaplan_meier(self.time[own], self.event[own], row["curve"]["time"]), atol=1e-12)
                np.testing.assert_allclose(row["curve"]["left"], [np.sum(self.time[own] > t) for t in row["curve"]["leaves"]])
                self.assertAlmostEqual(row["chosen"]["log_rank"], u @ np.linalg.solve(v, u), places=8)
                self.assertIsNone(row["chosen"]["null"])
        self.assertEqual(place, len(rows))
        frame = path.frame("risk_groups")
        self.assertEqual(frame["group"].tolist(), ["low", "high", "low", "middle", "high"])
        self.assertTrue(frame["null_p"].isna().all())

    def test_calibration_at_a_time(self):
        path = self.path(at=0.4)
        _, survival = self.held_out(0.4)
        self.assertEqual(path.result["at"], 0.4)
        rows, order, start = path.result["runs"][0]["calibration_at"], np.argsort(survival, kind="stable"), 0
        self.assertEqual(len(rows), 5)
        for row in rows:
            own = order[start:start + int(row["n"])]
            start += len(own)
            self.assertAlmostEqual(row["predicted"], survival[own].mean(), places=10)
            self.assertAlmostEqual(row["observed"], kaplan_meier(self.time[own], self.event[own], [0.4])[0], places=12)
            self.assertEqual(row["events"], (self.event[own] & (self.time[own] <= 0.4)).sum())
            self.assertTrue(row["low"] < row["observed"] < row["high"])
        self.assertEqual(start, 120)

    def test_the_default_time_and_the_follow_up(self):
        result = self.path().result
        self.assertEqual(result["at"], np.median(self.time[self.event]))
        self.assertEqual(result["events"], self.event.sum())
        left = np.array([kaplan_meier_of_censoring(self.time, self.event)(t, False) for t in np.sort(self.time)])
        self.assertEqual(result["median_follow_up"], np.sort(self.time)[np.argmax(left <= 0.5)])
        with self.assertRaisesRegex(ValueError, "`at`: 99 is not allowed; a time above 0 and up to the last one"):
            self.path(at=99)
        with self.assertRaisesRegex(ValueError, "`at` is a time to an event, and the task is binary"):
            pare.honest_path(self.x, self.event, "corr", sizes=[2], cv=3, at=1, progress=False)

    def test_repeats_share_a_sample(self):
        path = pare.honest_path(self.x, self.y, "cox", sizes=[2], cv=3, repeats=2, progress=False)
        for division, rows in path.frame("risk_groups").groupby("division"):
            self.assertAlmostEqual(rows["n"].sum(), 120, places=9, msg=division)
            self.assertAlmostEqual(rows["events"].sum(), self.event.sum(), places=9, msg=division)
        self.assertAlmostEqual(path.frame("calibration_at")["n"].sum(), 120, places=9)

    def test_permutations(self):
        frame = self.path(null_runs=9).frame("risk_groups")
        self.assertEqual(frame["null_least"].tolist(), [0.1] * 5)
        self.assertEqual(frame["null_p"].tolist(), [0.1] * 5)  # two features order these samples clearly

    def test_noise_is_not_told_apart(self):
        p, rng = [], np.random.default_rng(8)
        for _ in range(12):
            self.x = rng.standard_normal((120, 30))
            p.append(self.path(null_runs=19).frame("risk_groups")["null_p"][0])
        self.assertGreater(np.mean(p), 0.3)
        self.assertLess(np.mean(np.array(p) <= 0.1), 0.35)

    def test_other_tasks_have_none(self):
        path = pare.honest_path(self.x, self.event, "corr", sizes=[2], cv=3, progress=False)
        for name in ("risk_groups", "calibration_at", "events_per_feature", "ph_p"):
            self.assertNotIn(name, path.result["runs"][0])
        for name in ("events", "at", "median_follow_up"):
            self.assertNotIn(name, path.result)
        self.assertEqual(len(path.frame("risk_groups")), 0)


class Hazards(unittest.TestCase):
    def test_ratios_and_intervals(self):
        x, time, event = survivors()
        path = pare.honest_path(x, np.column_stack([event, time]), "cox", sizes=[2], cv=3, keep=[7], progress=False)
        rows = path.result["runs"][0]["features"]
        for row in rows:
            self.assertAlmostEqual(row["hazard_ratio"], np.exp(row["coef"][0] * x[:, row["index"]].std()), places=12)
            self.assertTrue(0 <= row["ph_p"] <= 1)
            self.assertEqual("hazard_low" in row, row["index"] == 7)  # not of features that these samples chose
        kept = rows[0]
        self.assertTrue(kept["hazard_low"] < kept["hazard_ratio"] < kept["hazard_high"])
        self.assertAlmostEqual(kept["hazard_low"] * kept["hazard_high"], kept["hazard_ratio"] ** 2, places=10)
        self.assertEqual(path.result["runs"][0]["events_per_feature"], event.sum() / 3)

    def test_few_events_are_a_warning(self):
        x, time, event = survivors(40)
        path = pare.honest_path(x, np.column_stack([event, time]), "cox", sizes=[8], cv=3, progress=False)
        self.assertTrue(any("fewer than 10" in note for note in path.result["notes"]), path.result["notes"])


if __name__ == "__main__":
    unittest.main()
