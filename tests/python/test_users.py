"""What users trip over: words of errors, labels and categories of loaded models, offsets, newer versions of scikit-learn."""

import os
import pickle
import sys
import tempfile
import types
import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit

import pare
from pare import PareClassifier, PareRegressor, PareSelector, PareWarning, honest_path


def problem(n=40, d=12, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    y = np.arange(n) % 2
    x[:, 3] += 2 * y
    return x, y


class Words(unittest.TestCase):
    def test_missing_values_name_the_parameter(self):
        x, y = problem()
        x[2, 1] = np.nan
        frame = pd.DataFrame(x[:, :2], columns=["a", "b"]).assign(c=pd.Categorical(np.array(["p", "q"])[y]))
        good = PareClassifier("corr", k=2).fit(np.nan_to_num(x), y)
        for call in (lambda: PareClassifier().fit(x, y), lambda: PareRegressor().fit(x, y), lambda: good.predict(x),
                     lambda: honest_path(x, y, "corr"), lambda: PareClassifier().fit(frame, y),
                     lambda: honest_path(frame, y, "corr")):
            with self.assertRaisesRegex(ValueError, "Input X contains NaN: `missing` says .*mean.*median"):
                call()
        with self.assertRaisesRegex(ValueError, "Input y contains NaN"):
            PareRegressor().fit(np.nan_to_num(x), x[:, 1])

    def test_text_among_the_features(self):
        x, y = problem()
        frame = pd.DataFrame(x[:, :4], columns=list("abcd")).assign(stage=np.array(["I", "II"])[y])
        coded = frame.astype({"stage": "category"})
        for call in (lambda: PareClassifier().fit(frame, y), lambda: honest_path(frame, y, "corr"),
                     lambda: PareClassifier().fit(coded.assign(more=frame["stage"]), y)):
            with self.assertRaisesRegex(ValueError, "the column \"(stage|more)\" holds text: .*category.*drop"):
                call()
        self.assertTrue(PareClassifier("corr", k=1).fit(coded, y).support_[4])

    def test_settings_have_pythons_names(self):
        x, y = problem()
        with self.assertRaisesRegex(ValueError, "`cv`"):
            honest_path(x, y, "corr", cv=25)
        with self.assertRaisesRegex(ValueError, "cv is 1; two or more"):
            honest_path(x, y, "corr", cv=1)
        with self.assertRaisesRegex(ValueError, "`offset`: corr does not fit beside one"):
            PareClassifier("corr").fit(x, y, offset=np.ones(40))

    def test_one_split_has_no_error(self):
        x, y = problem()
        path = honest_path(x, y, "corr", sizes=[1], cv=ShuffleSplit(1, random_state=0), inner=0)
        self.assertTrue(np.isnan(path.frame()["se"]).all())
        self.assertTrue(np.isfinite(honest_path(x, y, "corr", sizes=[1], cv=4).frame()["se"]).all())

    def test_bands_stay_possible(self):
        import matplotlib
        matplotlib.use("agg")
        x, y = problem(seed=10)
        x[:, 3] += y
        path = honest_path(x, y, "corr", sizes=[1, 2, 3], cv=4, metric="auc", inner=0)
        points = path.frame()
        self.assertGreater((points["mean"] + points["se"]).max(), 1)
        band = path.plot().ax_.collections[0].get_paths()[0].vertices[:, 1]
        self.assertLessEqual(band.max(), 1)

    def test_monomials_of_more_features_than_k(self):
        rng = np.random.default_rng(1)
        x = rng.standard_normal((60, 6))
        y = (x[:, 0] * x[:, 1] > 0).astype(int)
        with self.assertWarnsRegex(PareWarning, "1 monomials are made of 2 features"):
            s = PareSelector("poly-arom", k=1).fit(x, y)
        self.assertEqual(list(np.flatnonzero(s.support_)), [0, 1])


class Loaded(unittest.TestCase):
    def again(self, estimator):
        with tempfile.TemporaryDirectory() as folder:
            at = os.path.join(folder, "m.json")
            estimator.model_.save(at)
            return pare.load(at)

    def test_labels_are_what_was_given(self):
        x, y = problem()
        for labels in (y, y.astype(float), y.astype(bool), np.array(["no", "yes"])[y], 2 * y - 1):
            c = PareClassifier("svm", k=3).fit(x, labels)
            got = self.again(c).predict(x)
            np.testing.assert_array_equal(got, c.predict(x))
            self.assertEqual(got.dtype.kind, labels.dtype.kind.replace("U", "O"))
        c = PareClassifier("svm", k=3).fit(x, np.array(["0", "1"])[y])  # text, which a file cannot know
        self.assertEqual(list(c.model_.predict(x)), list(c.predict(x)))
        self.assertEqual(list(pickle.loads(pickle.dumps(c)).model_.predict(x)), list(c.predict(x)))
        signed = PareClassifier("svm", k=3).fit(x, np.array(["-1", "+1"])[y])
        self.assertEqual(sorted(set(self.again(signed).predict(x).tolist())), [-1, 1])
        self.assertTrue(self.again(signed).check(x, 2 * y - 1).holds)

    def test_categories_from_a_frame(self):
        rng = np.random.default_rng(0)
        colour = rng.choice(["red", "green", "blue"], 90)
        frame = pd.DataFrame({"noise": rng.standard_normal(90), "colour": pd.Categorical(colour)})
        value = 3.0 * (colour == "red") - 2.0 * (colour == "blue")
        r = PareRegressor("lasso", lambda_ratio=0.1).fit(frame, value)
        model = self.again(r)
        np.testing.assert_array_equal(model.predict(frame), r.predict(frame))
        np.testing.assert_array_equal(model.predict(frame.astype({"colour": object})[["colour", "noise"]]),
                                      r.predict(frame))
        with self.assertRaisesRegex(ValueError, "needs the column \"colour="):
            model.predict(frame[["noise"]])
        with self.assertRaisesRegex(ValueError, "needs the column \"colour="):
            model.predict(frame.assign(colour=1.0))
        with self.assertWarnsRegex(PareWarning, "\"colour\" has the value \"violet\""):
            r.predict(frame.assign(colour=pd.Categorical(["violet"] * 90)))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            r.predict(frame)


class Offsets(unittest.TestCase):
    def test_regression(self):
        x, y = problem()
        value, offset = x[:, 3] + 0.1 * x[:, 5], np.linspace(-3, 3, 40)
        a = PareRegressor("lasso", lambda_=0.01, tol=1e-10).fit(x, value + offset, offset=offset)
        b = PareRegressor("lasso", lambda_=0.01, tol=1e-10).fit(x, value)
        np.testing.assert_allclose(a.predict(x, offset=offset), b.predict(x) + offset, atol=1e-6)
        np.testing.assert_array_equal(a.model_.predict(x, offset=offset), a.predict(x, offset=offset))
        self.assertTrue(a.model_.check(x, value + offset, offset=offset).holds)
        with self.assertRaisesRegex(ValueError, "`offset`"):
            a.predict(x)
        with self.assertRaisesRegex(ValueError, "offset has shape"):
            a.predict(x, offset=offset[:5])
        with self.assertRaisesRegex(ValueError, "fitted without one"):
            b.predict(x, offset=offset)
        path = honest_path(x, value + offset, "lasso", sizes=[2], cv=4, offset=offset)
        self.assertGreater(path.frame()["r2"][0], 0.9)

    def test_two_classes(self):
        """A feature of fixed weight 1 is what an offset is."""
        x, y = problem()
        offset = np.sin(np.arange(40))
        c = PareClassifier("logistic", lambda_=0.01, alpha=0, scale="none", tol=1e-10).fit(x, y, offset=offset)
        p = c.predict_proba(x, offset=offset)[:, 1]
        slope = x.T @ (p - y) / 40 + 0.01 * c.coef_[0]
        np.testing.assert_allclose(slope, 0, atol=1e-4)
        np.testing.assert_allclose(x @ c.coef_[0] + c.intercept_[0] + offset, c.decision_function(x, offset=offset))
        np.testing.assert_array_equal(c.predict(x, offset=offset), (c.decision_function(x, offset=offset) > 0) * 1)
        other = PareClassifier("logistic", lambda_=0.01, alpha=0, scale="none", tol=1e-10, positive=0)
        other.fit(x, y, offset=-offset)
        np.testing.assert_allclose(other.coef_, c.coef_, atol=1e-5)

    def test_without_one_it_is_scikit_learns(self):
        x, y = problem()
        c = PareClassifier("logistic", lambda_=0.05, alpha=0, scale="none", tol=1e-10).fit(x, y)
        want = LogisticRegression(C=1 / (0.05 * 40), tol=1e-10, max_iter=10000).fit(x, y)
        np.testing.assert_allclose(c.coef_, want.coef_, atol=1e-4)


class Newer(unittest.TestCase):
    """scikit-learn 1.6 has validate_data and tags as objects; here stand-ins of them where it is older."""

    def test_validate_data_is_used_where_it_is(self):
        import importlib
        import sklearn.utils.validation as validation
        if hasattr(validation, "validate_data"):
            self.skipTest("it is here: every other test uses it")
        asked = []

        def validate_data(estimator, X="no_validation", y="no_validation", reset=True, validate_separately=False,
                          skip_check_array=False, **checks):
            asked.append(set(checks))
            checks["force_all_finite"] = checks.pop("ensure_all_finite")
            return estimator._validate_data(X, y, reset=reset, **checks)

        import pare._base
        kept = dict(pare._base.__dict__)
        validation.validate_data = validate_data
        try:
            importlib.reload(pare._base)
            x, y = problem()
            c = PareClassifier("corr", k=2)
            take = pare._base.PareBase._take_training
            got, labels = take(c, x, y)
            self.assertEqual(got.shape, x.shape)
            self.assertEqual(pare._base.PareBase._take_new(c, x).shape, x.shape)
            self.assertEqual(c.n_features_in_, 12)
            self.assertTrue(all("ensure_all_finite" in a for a in asked) and len(asked) == 2)
        finally:
            del validation.validate_data
            pare._base.__dict__.update(kept)

    def test_tags(self):
        import sklearn.base
        if hasattr(sklearn.base.BaseEstimator, "__sklearn_tags__"):
            self.assertTrue(PareClassifier().__sklearn_tags__().input_tags.sparse)
            return

        def made(self):
            return types.SimpleNamespace(
                input_tags=types.SimpleNamespace(sparse=False, allow_nan=False, positive_only=False),
                target_tags=types.SimpleNamespace(required=False),
                classifier_tags=types.SimpleNamespace(multi_class=True))

        sklearn.base.BaseEstimator.__sklearn_tags__ = made
        try:
            self.assertTrue(PareClassifier("svm", missing="mean").__sklearn_tags__().input_tags.allow_nan)
            self.assertFalse(PareClassifier("fsv").__sklearn_tags__().classifier_tags.multi_class)
            self.assertTrue(PareClassifier("chi2").__sklearn_tags__().input_tags.positive_only)
            self.assertFalse(PareClassifier("svm").__sklearn_tags__().input_tags.positive_only)
            self.assertTrue(PareRegressor().__sklearn_tags__().target_tags.required)
            self.assertFalse(PareSelector("laplacian").__sklearn_tags__().target_tags.required)
        finally:
            del sklearn.base.BaseEstimator.__sklearn_tags__


if __name__ == "__main__":
    sys.exit(unittest.main())
