"""Kept features and costs through the estimators and the path."""

import unittest

import numpy as np
import pandas as pd

import pare

rng = np.random.default_rng(4)
X = pd.DataFrame(rng.normal(size=(40, 6)), columns=["age", "a", "b", "c", "d", "e"])
y = (X["a"] + X["age"] + 0.3 * rng.normal(size=40) > 0).astype(int)


class Terms(unittest.TestCase):
    def test_kept_features_are_selected_beside_k(self):
        for keep in (["age"], [0], [-6], np.arange(6) == 0, "age"):
            m = pare.PareClassifier("corr", k=2, keep=keep).fit(X, y)
            self.assertTrue(m.support_[0])
            self.assertEqual(m.support_.sum(), 3)
        self.assertEqual(pare.PareClassifier("corr", keep=["age"]).get_params()["keep"], ["age"])

    def test_costs_by_name_and_number_are_the_same(self):
        target = X["a"] - X["d"]
        by_name = pare.PareRegressor("lasso", k=2, cost={"a": 3.0, "d": 0.5}).fit(X, target)
        by_number = pare.PareRegressor("lasso", k=2, cost=[1, 3, 1, 1, 0.5, 1]).fit(X, target)
        np.testing.assert_array_equal(by_name.coef_, by_number.coef_)
        plain = pare.PareClassifier("corr", k=1).fit(X, y)
        costly = pare.PareClassifier("corr", budget=3, cost=[1, 4, 1, 1, 1, 1]).fit(X, y)
        self.assertEqual(costly.scores_[1], plain.scores_[1] / 4)
        self.assertFalse(costly.support_[1])
        self.assertEqual(costly.support_.sum(), 3)

    def test_groups_are_selected_whole(self):
        group = ["p", "p", "q", "q", "r", "r"]
        for method in ("corr", "l1-svm", "dlsr-fs"):
            m = pare.PareClassifier(method, k=2, feature_groups=group).fit(X, y)
            self.assertEqual(m.support_.sum(), 4)
            self.assertTrue(all(m.support_[i] == m.support_[i + 1] for i in (0, 2, 4)))
        by_name = pare.PareClassifier("corr", k=1, feature_groups={"age": 1, "a": 1}).fit(X, y)
        self.assertEqual(list(np.flatnonzero(by_name.support_)), [0, 1])
        p = pare.honest_path(X, y, "corr", sizes=[1], cv=4, inner=0, feature_groups=group)
        self.assertEqual(len(p.frame("features")), 2)

    def test_signs_of_all_and_by_name(self):
        target = X["a"] - X["d"]
        up = pare.PareRegressor("lasso", sign="+").fit(X, target)
        self.assertTrue((up.coef_ >= 0).all() and up.coef_.any())
        free = pare.PareRegressor("lasso", lambda_=0.1).fit(X, target)
        self.assertLess(free.coef_[list(X).index("d")], 0)
        named = pare.PareRegressor("lasso", lambda_=0.1, sign={"d": "+"}).fit(X, target)
        self.assertEqual(named.coef_[list(X).index("d")], 0)
        numbers = [0] * X.shape[1]
        numbers[list(X).index("d")] = 1
        by_number = pare.PareRegressor("lasso", lambda_=0.1, sign=numbers).fit(X, target)
        np.testing.assert_array_equal(named.coef_, by_number.coef_)
        with self.assertRaisesRegex(ValueError, "sign is 'up'"):
            pare.PareRegressor("lasso", sign="up").fit(X, target)
        with self.assertRaisesRegex(ValueError, "no feature"):
            pare.PareRegressor("lasso", sign={"z": "+"}).fit(X, target)
        with self.assertRaisesRegex(ValueError, "svm cannot limit"):
            pare.PareClassifier("svm", sign="+").fit(X, y)
        path = pare.honest_path(X, target, "lasso", sizes=[1, 2], cv=3, inner=0, sign="+")
        self.assertTrue((path.estimator_.coef_ >= 0).all())

    def test_positive_of_a_regression_names_sign(self):
        with self.assertRaisesRegex(ValueError, "sign"):
            pare.PareRegressor("lasso", positive=True).fit(X, X["a"])

    def test_what_cannot_be_is_one_sentence(self):
        for terms, said in (({"keep": ["agee"]}, 'did you mean "age"'), ({"keep": [9]}, "no feature 9"),
                            ({"feature_groups": ["a"]}, "shape"), ({"feature_groups": {"z": 1}}, "no feature"),
                            ({"feature_groups": ["a"] * 6}, "one group"), ({"keep": [True]}, "shape"), ({"cost": [1, 2]}, "shape"),
                            ({"cost": {"z": 1}}, "no feature"), ({"cost": [0, 1, 1, 1, 1, 1]}, "above 0")):
            with self.assertRaisesRegex(ValueError, said):
                pare.PareClassifier("corr", **terms).fit(X, y)

    def test_a_path_keeps_them_in_every_fold(self):
        p = pare.honest_path(X, y, "corr", sizes=[1, 2], cv=4, inner=0, keep=["age"], cost={"a": 2.0})
        self.assertEqual(list(p.frame("features")["name"])[0], "age")
        self.assertEqual(list(p.frame()["used_mean"]), [1, 2])


if __name__ == "__main__":
    unittest.main()
