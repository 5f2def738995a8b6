"""honest_path: what it gives, any splitter, the command line beside it, stopping it."""

import os
import pickle
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import (GroupKFold, KFold, LeaveOneGroupOut, PredefinedSplit, RepeatedStratifiedKFold,
                                     ShuffleSplit, StratifiedKFold, TimeSeriesSplit, cross_validate)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pare
from pare import HonestPath, honest_path

PARE = os.environ.get("PARE")


def problem(n=60, d=20, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    y = np.arange(n) % 2
    x[:, 3] += 2 * y
    x[:, 7] -= 2 * y
    return pd.DataFrame(x, columns=["g%d" % j for j in range(d)]), np.array(["well", "ill"])[y]


class Covariates(unittest.TestCase):
    """What the features add to the forced-in covariates, against scikit-learn on those alone."""

    def agrees(self, x, y, method, model, loss, weight=None, **settings):
        parts = list(KFold(4, shuffle=True, random_state=1).split(x))
        path = honest_path(x, y, method, sizes=[1, 3], cv=parts, keep=["g0", "g1"], sample_weight=weight, progress=False, **settings)
        run = path.result["runs"][0]
        own = x[["g0", "g1"]].to_numpy()
        scores = []
        for train, test in parts:
            model.fit(own[train], y[train], **({} if weight is None else {"sample_weight": weight[train]}))
            scores.append(loss(y[test], model.predict(own[test])))
        self.assertAlmostEqual(run["baseline"]["score"], np.mean(scores), places=6)
        difference = run["baseline"]["difference"]
        self.assertAlmostEqual(difference["value"], run["chosen"]["nested"]["mean"] - run["baseline"]["score"], places=12)
        self.assertLess(difference["low"], difference["value"])
        self.assertLess(difference["value"], difference["high"])
        self.assertTrue(any("covariates alone" in s for s in run["headline"]))
        return path

    def test_least_squares_and_unpenalised_log_odds(self):
        x, y = problem(80)
        rng = np.random.default_rng(4)
        values = x["g0"] + 2 * x["g3"].to_numpy() + rng.standard_normal(80)
        error, right = (lambda a, b: np.mean(np.abs(a - b))), (lambda a, b: np.mean(a == b))
        self.agrees(x, values.to_numpy(), "lasso", LinearRegression(), error)
        self.agrees(x, values.to_numpy(), "lasso", LinearRegression(), error, rng.uniform(0.5, 2, 80))
        path = self.agrees(x, y, "logistic", LogisticRegression(penalty=None, tol=1e-10), right)
        self.assertGreater(path.chosen["baseline_difference"].iloc[0], 0.1)

    def test_none_without_covariates_or_inner_folds(self):
        x, y = problem()
        plain = honest_path(x, y, "corr", sizes=[1, 2], cv=3, progress=False)
        self.assertNotIn("baseline", plain.result["runs"][0])
        single = honest_path(x, y, "corr", sizes=[1, 2], cv=3, inner=0, keep=["g0"], progress=False)
        baseline = single.result["runs"][0]["baseline"]
        self.assertIsNotNone(baseline["score"])
        self.assertIsNone(baseline["difference"]["value"])

    def test_every_kind_of_predictor_has_it(self):
        x, y = problem()
        for method in ("svm", "l1-svm", "svm-rfe", "kta", "dlsr", "lda-forward", "auto"):
            path = honest_path(x, y, method, sizes=[2], cv=3, keep=["g0"], progress=False)
            self.assertIsNotNone(path.result["runs"][0]["baseline"]["score"], method)


class Cohorts(unittest.TestCase):
    def test_each_is_left_out(self):
        x, y = problem(80)
        study = np.array(["a", "b", "c", "d"])[np.arange(80) // 2 % 4]
        path = honest_path(x, y, "corr", sizes=[1, 2], leave_out=study, progress=False)
        given = honest_path(x, y, "corr", sizes=[1, 2], progress=False,
                            cv=[(np.flatnonzero(study != s), np.flatnonzero(study == s)) for s in "abcd"])
        table = path.frame("cohorts")
        self.assertEqual(list(table.columns), ["method", "name", "n", "value", "low", "high", "n_features"])
        self.assertEqual(list(table.name), list("abcd"))
        self.assertEqual(list(table.value), path.result["runs"][0]["chosen"]["nested"]["metrics"]["accuracy"]["folds"])
        np.testing.assert_array_equal(path.frame().accuracy, given.frame().accuracy)
        self.assertEqual(len(given.frame("cohorts")), 0)

    def test_what_is_wrong_is_named(self):
        x, y = problem(20)
        for wrong, text in ((np.zeros(3), "leave_out has shape"), (np.zeros(20), "two or more are needed")):
            with self.assertRaisesRegex(pare.PareError, text):
                honest_path(x, y, "corr", sizes=[1], leave_out=wrong, progress=False)
        with self.assertRaisesRegex(pare.PareError, "leave cv out"):
            honest_path(x, y, "corr", sizes=[1], leave_out=np.arange(20) % 2, cv=3, progress=False)


class Model(unittest.TestCase):
    """The model at the end of a path, and estimators that are a path and its model."""

    def setUp(self):
        self.x, self.y = problem()

    def test_estimator_repeats_the_fit(self):
        for methods, best, settings in ((["corr", "svm-rfe"], "svm-rfe", {"C": 2}), ("auto", None, {"probability": True})):
            path = honest_path(self.x, self.y, methods, best=best, sizes=[1, 2, 5], cv=4, progress=False, **settings)
            made = path.estimator_
            again = clone(made).fit(self.x, self.y)
            self.assertEqual(path.best_method, best or "auto")
            self.assertEqual(made.k, path.chosen.n_features[path.best_method])
            np.testing.assert_array_equal(made.ranking_, again.ranking_)
            np.testing.assert_array_equal(made.decision_function(self.x), again.decision_function(self.x))
            np.testing.assert_array_equal(path.predict(self.x), again.predict(self.x))
            self.assertEqual(path.score(self.x, self.y), again.score(self.x, self.y))
            self.assertEqual(list(made.get_feature_names_out()), list(again.get_feature_names_out()))
        np.testing.assert_array_equal(path.predict_proba(self.x), again.predict_proba(self.x))

    def test_it_is_kept_in_files(self):
        path = honest_path(self.x, self.y, ["corr", "svm-rfe"], best="svm-rfe", sizes=[1, 2], cv=3, progress=False)
        said = path.predict(self.x)
        with tempfile.TemporaryDirectory() as folder:
            path.save(folder + "/path.zip")
            path.save(folder + "/path.json")
            again = HonestPath.load(folder + "/path.zip")
            np.testing.assert_array_equal(again.predict(self.x), said)
            self.assertEqual(again.best_method, "svm-rfe")
            with self.assertRaisesRegex(AttributeError, "read from JSON alone"):
                HonestPath.load(folder + "/path.json").model_
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(path)).predict(self.x), said)

    def test_categories_and_regression(self):
        frame = self.x.assign(colour=pd.Categorical(np.where(np.arange(60) % 3 == 0, "red", "blue")))
        path = honest_path(frame, self.x["g3"] * 2 + np.arange(60) % 3, "lasso", sizes=[1, 3], cv=3, progress=False)
        again = clone(path.estimator_).fit(frame, self.x["g3"] * 2 + np.arange(60) % 3)
        np.testing.assert_array_equal(path.predict(frame), again.predict(frame))
        np.testing.assert_array_equal(path.estimator_.support_, again.support_)

    def test_plots(self):
        path = honest_path(self.x, self.y, "corr", sizes=[1, 2], cv=3, progress=False)
        self.assertEqual(len(path.plot_features().patches), int(path.chosen.n_features["corr"]))
        self.assertEqual(len(path.plot_stability().lines), 1)

    def test_estimators_that_choose(self):
        path = honest_path(self.x, self.y, ["corr", "svm"], sizes=[1, 2, 5], cv=4, progress=False)
        chooses = pare.PareClassifierCV(["corr", "svm"], [1, 2, 5], cv=4).fit(self.x, self.y)
        self.assertEqual(chooses.path_.json, path.json)
        np.testing.assert_array_equal(chooses.coef_, path.estimator_.coef_)
        scores = cross_validate(make_pipeline(StandardScaler(), pare.PareClassifierCV(sizes=[1, 2], cv=3)), self.x, self.y,
                                cv=3)["test_score"]
        self.assertGreater(scores.mean(), 0.7)
        weighed = pare.PareClassifierCV("svm", [2], cv=3, class_weight={"ill": 3.0, "well": 1.0}).fit(self.x, self.y)
        plain = pare.PareClassifier("svm", 2, class_weight={"ill": 3.0, "well": 1.0}).fit(self.x, self.y)
        np.testing.assert_allclose(weighed.coef_, plain.coef_, rtol=1e-6)
        regressor = pare.PareRegressorCV("lasso", [1, 2], cv=3).fit(self.x, self.x["g3"])
        self.assertTrue(regressor.support_[3])
        with self.assertRaisesRegex(TypeError, "did you mean 'sizes'"):
            pare.PareRegressorCV(size=[1])


class Results(unittest.TestCase):
    def setUp(self):
        self.x, self.y = problem()
        self.path = honest_path(self.x, self.y, ["corr", "svm-rfe"], sizes=[1, 2, 5], cv=5, progress=False)

    def test_frames_agree(self):
        points, parts = self.path.frame(), self.path.frame("parts")
        self.assertEqual(len(points), 6)
        self.assertEqual(set(parts["part"]), {1, 2, 3, 4, 5})
        mean = parts[parts.metric == "accuracy"].groupby(["method", "n_features"]).score.mean()
        for _, row in points.iterrows():
            self.assertAlmostEqual(mean[row.method, row.n_features], row["mean"])
        features = self.path.frame("features")
        self.assertEqual(list(features[features.method == "corr"].name), self.path.chosen.features["corr"])
        self.assertIn(self.path.chosen.features["corr"][0], {"g3", "g7"})
        with self.assertRaises(ValueError):
            self.path.frame("nonsense")

    def test_error_control(self):
        path = honest_path(self.x, self.y, ["corr", "svm-rfe"], sizes=[2], cv=3, inner=0, error_control="pfer=1",
                           error_bound="plain", error_pairs=20, progress=False)
        control = path.frame("control")
        self.assertEqual(set(control[control.method == "corr"].name), {"g3", "g7"})
        one = path.result["runs"][0]["control"]
        self.assertEqual((one["bound"], one["pairs"], one["q"]), ("plain", 20, 4))
        self.assertTrue((control["share"] >= one["threshold"]).all())
        fdr = honest_path(self.x, self.y, "t-test", sizes=[2], cv=3, inner=0, error_control="fdr=0.05",
                          error_permutations=50, progress=False)
        self.assertLessEqual({"g3", "g7"}, set(fdr.frame("control").name))
        with self.assertRaisesRegex(ValueError, "global null"):
            honest_path(self.x, self.y, "svm", cv=3, error_control="fdr=0.1", progress=False)
        self.assertEqual(len(self.path.frame("control")), 0)

    def test_predictions_are_what_was_scored(self):
        table = self.path.predictions
        self.assertEqual(set(table.truth), {"well", "ill"})
        np.testing.assert_array_equal(table.truth, self.y[table["sample"]])
        parts = self.path.frame("parts").set_index(["method", "n_features", "part", "metric"]).score
        for key, one in table.groupby(["method", "n_features", "part"]):
            self.assertAlmostEqual(accuracy_score(one.truth, one.prediction), parts[key + ("accuracy",)])

    def test_a_path_along_a_setting_is_drawn_along_it(self):
        y = (self.x.iloc[:, 2] + self.x.iloc[:, 5]).to_numpy()
        path = honest_path(self.x, y, "lasso", cv=3, inner=0, progress=False, lambda_count=12)
        shown = path.plot()
        at = shown.lines_[0].get_xdata()
        self.assertEqual(shown.ax_.get_xlabel(), "lambda ratio")
        self.assertEqual(len(set(at)), len(at))
        run = path.result["runs"][0]
        np.testing.assert_allclose(sorted(at), sorted(p["settings"]["lambda_ratio"] for p in run["points"] if p["mean"] is not None))
        ring = shown.ax_.lines[1]
        self.assertEqual(ring.get_xdata()[0], run["points"][run["chosen"]["point"]]["settings"]["lambda_ratio"])

    def test_pictures_and_files(self):
        import matplotlib
        matplotlib.use("agg")
        shown = self.path.plot()
        self.assertIs(shown.figure_, shown.ax_.figure)
        self.assertEqual([line.get_label() for line in shown.lines_], ["corr", "svm-rfe"])
        np.testing.assert_allclose(shown.lines_[0].get_ydata(), self.path.frame()["mean"][:3])
        self.assertIn("<iframe", self.path._repr_html_())
        with tempfile.TemporaryDirectory() as folder:
            at = lambda name: os.path.join(folder, name)  # noqa: E731
            self.path.report(at("r.html"))
            with open(at("r.html"), encoding="utf-8") as f:
                page = f.read()
            self.assertIn("pare.honest_path(X, y, [&#39;corr&#39;, &#39;svm-rfe&#39;]", page.replace("'", "&#39;"))
            self.path.save(at("p.path"))
            self.path.save(at("p.json"))
            for again in (HonestPath.load(at("p.path")), pickle.loads(pickle.dumps(self.path))):
                pd.testing.assert_frame_equal(again.frame(), self.path.frame())
                pd.testing.assert_frame_equal(again.predictions, self.path.predictions)
                again.report(at("again.html"))
                with open(at("again.html"), encoding="utf-8") as f:
                    self.assertEqual(f.read(), page)
            alone = HonestPath.load(at("p.json"))
            pd.testing.assert_frame_equal(alone.chosen, self.path.chosen)
            with self.assertRaisesRegex(ValueError, "no report"):
                alone.report(at("r.html"))
        for method, said in self.path.headline.items():
            self.assertIn("  %s: %s\n    %s" % (method, said[0], said[1]), repr(self.path))
        self.assertIn("  %s is the best of 2 methods" % self.path.best, repr(self.path))

    def test_one_interval_for_one_number(self):
        chosen, points = self.path.chosen, self.path.frame()
        for run in self.path.result["runs"]:
            nested = run["chosen"]["nested"]
            row, i = chosen.loc[run["method"]], nested["interval"]
            self.assertEqual((row.nested_low, row.nested_high), (i["low"], i["high"]))
            self.assertEqual(row.nested_n_features, nested["n_features"])
            self.assertIn("%.2f (%s 95%% CI %.2f to %.2f)" % (nested["mean"], i["kind"].replace("w", "W"), i["low"],
                                                             i["high"]), self.path.headline[run["method"]][0])
        self.assertEqual(self.path.best, chosen.nested_mean.idxmax())
        self.assertTrue(((points.low < points["mean"]) & (points["mean"] <= points.high)).all())

    def test_the_permutation_test_names_its_least_p(self):
        path = honest_path(self.x, self.y, ["corr", "svm-rfe"], sizes=[2], cv=3, null_runs=4, progress=False)
        self.assertTrue((path.chosen.null_least == 0.2).all() and (path.frame().null_least == 0.2).all())
        self.assertTrue((path.chosen.null_p_methods >= 0.2).all())
        self.assertIn("p = 0.2, the least possible with 4 permutations", repr(path))

    def test_a_small_class_has_as_many_folds_as_it_can(self):
        keep = np.flatnonzero((self.y == "ill") | (np.arange(len(self.y)) < 12))
        path = honest_path(self.x.iloc[keep], self.y[keep], "corr", sizes=[1, 2], progress=False)
        self.assertEqual(path.result["folds"]["count"], 6)
        self.assertTrue(any("6 folds instead" in note for note in path.notes))

    @unittest.skipUnless(PARE, "PARE names the command line")
    def test_the_command_line_finds_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            csv, out = os.path.join(folder, "d.csv"), os.path.join(folder, "o.json")
            self.x.assign(**{"class": self.y}).to_csv(csv, index=False, float_format="%.17g")
            subprocess.run([PARE, "path", csv, "-m", "corr,svm-rfe", "--sizes", "1,2,5", "--folds", "5", "-o", out,
                            "--quiet"], check=True, capture_output=True)
            theirs = HonestPath.load(out)
        self.assertEqual(theirs.result["data"], self.path.result["data"])
        self.assertEqual(theirs.result["runs"], self.path.result["runs"])

    def test_same_seed_same_path(self):
        again = honest_path(self.x, self.y, ["corr", "svm-rfe"], sizes=[1, 2, 5], cv=5, n_jobs=3)
        self.assertEqual(again.json, self.path.json)
        other = honest_path(self.x, self.y, ["corr", "svm-rfe"], sizes=[1, 2, 5], cv=5, random_state=7)
        self.assertNotEqual(other.json, self.path.json)


class Splitters(unittest.TestCase):
    def test_any_splitter(self):
        x, y = problem()
        groups = np.arange(60) // 6
        for cv in (KFold(4, shuffle=True, random_state=0), StratifiedKFold(3), GroupKFold(3), LeaveOneGroupOut(),
                   ShuffleSplit(5, test_size=0.3, random_state=1), TimeSeriesSplit(3),
                   RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), PredefinedSplit(groups % 3),
                   list(KFold(3).split(x))):
            with self.subTest(str(cv)[:40]):
                path = honest_path(x, y, "corr", sizes=[1, 3], cv=cv, groups=groups)
                want = list(cv.split(x, y, groups)) if hasattr(cv, "split") else cv
                table = path.predictions
                self.assertEqual(path.result["folds"]["count"], len(want))
                for part, (_, test) in enumerate(want):
                    one = table[(table.part == part + 1) & (table.n_features == 1)]
                    self.assertEqual(sorted(one["sample"]), sorted(test))

    def test_scores_are_those_of_the_estimator(self):
        """Selection, scaling and fit inside the training part, as a pipeline of scikit-learn would."""
        x, y = problem()
        cv = ShuffleSplit(4, test_size=0.3, random_state=1)
        path = honest_path(x, y, "corr", sizes=[2], cv=cv)
        scores = [pare.PareClassifier("corr", k=2).fit(x.iloc[a], y[a]).score(x.iloc[b], y[b]) for a, b in cv.split(x)]
        parts = path.frame("parts")
        np.testing.assert_allclose(parts[parts.metric == "accuracy"].score, scores)

    def test_groups_stay_together(self):
        x, y = problem()
        groups = np.arange(60) // 5
        table = honest_path(x, y, "corr", sizes=[1], cv=3, groups=groups).predictions
        self.assertEqual(table.groupby(groups[table["sample"]]).part.nunique().max(), 1)

    def test_wrong_parts(self):
        x, y = problem()
        for cv, text in (([([0, 1, 2], [2, 3])], "trains and tests"), ([([0, 0, 1], [2])], "twice"), ([], "no parts"),
                         ([(range(0, 60, 2), range(1, 60, 2))], "no sample of class")):
            with self.assertRaisesRegex(ValueError, text):
                honest_path(x, y, "corr", cv=cv)


class Inputs(unittest.TestCase):
    def test_weights_sparse_and_regression(self):
        x, y = problem()
        w = np.ones(60)
        w[:6] = 0
        a = honest_path(x, y, "corr", sizes=[1, 2], cv=KFold(3), sample_weight=w)
        self.assertEqual(set(a.predictions["sample"]), set(range(6, 60)))
        s = honest_path(sparse.csr_matrix(x.values), y, "corr", sizes=[1, 2], cv=3, scale="standard")
        d = honest_path(x.values, y, "corr", sizes=[1, 2], cv=3, scale="standard")
        np.testing.assert_allclose(s.frame()["mean"], d.frame()["mean"])
        value = x["g3"] * 2 + x["g7"]
        path = honest_path(x, value, ["lasso", "llna"], sizes=[1, 2], cv=3)
        self.assertEqual(path.result["task"], "regression")
        self.assertEqual(path.predictions.truth.dtype, float)
        ranked = honest_path(x, y, "inf-push", sizes=[1, 2], cv=3)
        self.assertEqual(ranked.result["task"], "ranking")

    def test_settings(self):
        x, y = problem()
        path = honest_path(x, y, {"svm-rfe": {"C": 10}, "corr": None}, sizes=[1], cv=3, classifier="lda")
        got = [run["points"][0]["settings"] for run in path.result["runs"]]
        self.assertEqual(got[0]["C"], 10)
        self.assertEqual({g["classifier"] for g in got}, {"lda"})
        tuned = honest_path(x, y, "svm", sizes=[2], cv=3, grid={"C": [0.1, 1]})
        self.assertIn("C", tuned.result["runs"][0]["tuned"])
        with self.assertRaisesRegex(TypeError, "no parameter 'lamda'"):
            honest_path(x, y, "corr", lamda=1)
        with self.assertRaisesRegex(ValueError, "metric"):
            honest_path(x, y, "corr", metric="nonsense")
        with self.assertRaisesRegex(ValueError, "shares no task"):
            honest_path(x, y, ["corr", "lasso"], task="classify")
        with self.assertRaisesRegex(ValueError, "shape"):
            honest_path(x, y[:5])

    def test_a_methods_own_settings_go_before_common_ones(self):
        x, y = problem()
        own = {"svm-rfe": {"classifier": "lda", "scale": "minmax", "C": None}, "corr": None}
        path = honest_path(x, y, own, sizes=[1], cv=3, inner=0, classifier="1nn", scale="standard", C=7)
        got = [run["points"][0]["settings"] for run in path.result["runs"]]
        self.assertEqual([(g["classifier"], g["scale"]) for g in got], [("lda", "minmax"), ("1nn", "standard")])
        self.assertEqual(got[0]["C"], 7)

    def test_missing_values_are_each_methods_own(self):
        x, y = problem()
        x.iloc[3, 1] = np.nan

        def used(methods, **common):
            path = honest_path(x, y, methods, sizes=[1], cv=3, inner=0, **common)
            return [run["points"][0]["settings"]["missing"] for run in path.result["runs"]]

        self.assertEqual(used({"corr": {"missing": "mean"}}), ["mean"])
        self.assertEqual(used({"corr": {"missing": "mean"}, "svm-rfe": {"missing": "median"}}), ["mean", "median"])
        self.assertEqual(used({"corr": {"missing": "mean"}, "svm-rfe": None}, missing="median"), ["mean", "median"])
        with self.assertRaisesRegex(ValueError, "Input X contains NaN"):
            used({"corr": {"missing": "refuse"}}, missing="mean")
        for first, second in (("mean", "refuse"), ("refuse", "mean")):
            with self.assertRaisesRegex(ValueError, "missing values: .* for " + ("svm-rfe" if first == "mean" else "corr")):
                used({"corr": {"missing": first}, "svm-rfe": {"missing": second}})
        for first, second in (("mean", "indicator"), ("indicator", "mean")):
            each = {"corr": {"missing": first}, "svm-rfe": {"missing": second}}
            both = honest_path(x, y, each, sizes=[1, 2], cv=3, inner=0)
            for run in both.result["runs"]:
                name = run["method"]
                single = honest_path(x, y, {name: each[name]}, sizes=[1, 2], cv=3, inner=0)
                self.assertEqual(run, single.result["runs"][0])

    def test_a_constant_target_is_an_error(self):
        x, _ = problem()
        flat = np.full(len(x), 3.0)
        for fit in (lambda: honest_path(x, flat, "lasso", task="regress", cv=3), lambda: pare.PareRegressor("lasso").fit(x, flat)):
            with self.assertRaisesRegex(ValueError, "the target is 3 in all .* samples: there is nothing to predict"):
                fit()

    def test_budgets(self):
        x, y = problem()
        names = list(x.columns)
        cost = {n: 2.0 for n in names[:5]}
        path = honest_path(x, y, "corr", budgets=[2.5, 1], cost=cost, cv=3)
        self.assertEqual(path.frame()["budget"].tolist(), [1, 2.5])
        with self.assertRaisesRegex(ValueError, "cheapest feature"):
            honest_path(x, y, "corr", budgets=[0.1], cv=3)
        with self.assertRaisesRegex(ValueError, "instead of"):
            honest_path(x, y, "corr", budgets=[3], sizes=[1], cv=3)

    def test_interrupt_keeps_what_is_done(self):
        code = ("import os, signal, warnings, numpy as np, pare, pare._path\n"
                "warnings.simplefilter('ignore')\n"
                "class Bar(pare._path._Bar):\n"
                "    def __call__(self, stage, fraction):\n"
                "        if fraction > 0.4: os.kill(os.getpid(), signal.SIGINT)\n"
                "pare._path._Bar = Bar\n"
                "x = np.random.default_rng(0).standard_normal((60, 50)); y = np.arange(60) % 2\n"
                "p = pare.honest_path(x, y, 'svm-rfe', repeats=5, inner=0, n_jobs=1)\n"
                "print(p.complete, 5 < p.result['runs'][0]['folds_done'] < 50, len(p.frame()) > 0)\n"
                "run = p.result['runs'][0]\n"
                "print('Stopped early: %d of 50 folds are behind these numbers.' % run['folds_done'] in run['headline'])\n")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout.split(), ["False", "True", "True", "True"], done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
