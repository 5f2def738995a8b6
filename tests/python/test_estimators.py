"""The estimators as a user of scikit-learn meets them: inputs, attributes, errors, the command line beside them."""

import copy
import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import Lasso
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import pare
from pare import Model, PareClassifier, PareRanker, PareRegressor, PareSelector
from pare._data import label_text

PARE = os.environ.get("PARE")


def problem(n=40, d=60, seed=0, classes=2):
    """Noise but for two features."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    y = np.arange(n) % classes
    x[:, 3] += 2 * y
    x[:, 7] -= 2 * y
    return x, y


class Inputs(unittest.TestCase):
    def test_every_storage_gives_the_same_model(self):
        x, y = problem()
        x[np.abs(x) < 0.5] = 0
        wide = np.zeros((80, 120))
        wide[::2, ::2] = x
        backward = x[::-1, ::-1].copy()[::-1, ::-1]
        frame = pd.DataFrame(x, columns=["x%d" % (j + 1) for j in range(x.shape[1])])
        forms = [np.asfortranarray(x), np.ascontiguousarray(x), wide[::2, ::2], backward, frame, x.tolist(),
                 np.asfortranarray(wide)[::2, ::2]]
        texts = {PareClassifier("l1-svm", k=4).fit(form, y).model_.text for form in forms}
        self.assertEqual(len(texts), 1)
        csc = sparse.csc_matrix(x)
        shuffled = sparse.csc_matrix(x)
        shuffled.indices[:2] = shuffled.indices[[1, 0]]
        shuffled.data[:2] = shuffled.data[[1, 0]]
        shuffled.has_sorted_indices = shuffled.has_canonical_format = False
        long = csc.copy()
        long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
        forms = [csc, sparse.csr_matrix(x), sparse.coo_matrix(x), shuffled, long]
        before = shuffled.indices.copy()
        texts = {PareClassifier("l1-svm", k=4).fit(form, y).model_.text for form in forms}
        self.assertEqual(len(texts), 1)
        np.testing.assert_array_equal(shuffled.indices, before)

    def test_float32_and_integers(self):
        x, y = problem()
        x = x.astype(np.float32)
        want = PareClassifier("svm", k=3).fit(x.astype(np.float64), y).model_.text
        self.assertEqual(PareClassifier("svm", k=3).fit(x, y).model_.text, want)
        self.assertEqual(PareClassifier("svm", k=3).fit(np.asfortranarray(x), y).model_.text, want)
        whole = np.round(10 * x).astype(int)
        self.assertEqual(PareClassifier("svm", k=3).fit(whole, y).model_.text,
                         PareClassifier("svm", k=3).fit(whole.astype(float), y).model_.text)

    def test_anndata_by_its_looks(self):
        class Annotated:
            def __init__(self, X, var_names, obs):
                self.X, self.var_names, self.obs = X, pd.Index(var_names), obs

        x, y = problem()
        names = ["gene%d" % j for j in range(x.shape[1])]
        label = np.where(y == 1, "ill", "well")
        for storage in (np.asarray, sparse.csr_matrix, lambda v: sparse.csr_matrix(v.astype(np.float32))):
            a = Annotated(storage(x), names, pd.DataFrame({"state": label}))
            c = PareClassifier("svm", k=2).fit(a, "state")
            self.assertEqual(set(c.get_feature_names_out()), {"gene3", "gene7"})
            self.assertEqual(c.predict(a).shape, (40,))
            self.assertEqual(list(c.model_.predict(a)), list(c.predict(a)))
            a.var_names = a.var_names[::-1]
            with self.assertRaisesRegex(ValueError, "var_names"):
                c.predict(a)

    def test_names_of_a_frame(self):
        x, y = load_breast_cancer(return_X_y=True, as_frame=True)
        c = PareClassifier("svm", k=3).fit(x, y)
        self.assertEqual(list(c.feature_names_in_), list(x.columns))
        self.assertEqual(set(c.get_feature_names_out()), set(c.model_.names))
        other = x[x.columns[::-1]].assign(unused="text")
        self.assertEqual([int(v) for v in c.model_.predict(other)], list(c.predict(x)))
        with self.assertRaisesRegex(ValueError, "needs the column"):
            c.model_.predict(x.drop(columns=c.model_.names[0]))

    def test_categories_are_groups(self):
        rng = np.random.default_rng(0)
        colour = rng.choice(["red", "green", "blue"], 90)
        frame = pd.DataFrame({"noise": rng.standard_normal(90), "colour": pd.Categorical(colour),
                              "size": rng.standard_normal(90),
                              "shape": pd.Categorical(rng.choice(["round", "square"], 90))})
        value = 3.0 * (colour == "red") - 2.0 * (colour == "blue") + 0.01 * frame["size"]
        r = PareRegressor("lasso", lambda_ratio=0.3).fit(frame, value)
        self.assertEqual(list(r.get_feature_names_out()), ["colour"])
        self.assertEqual(set(r.model_.names), {"colour=blue", "colour=green", "colour=red"})
        self.assertEqual(r.n_features_in_, 4)
        self.assertEqual(r.ranking_[1], 1)
        self.assertEqual(sorted(r.ranking_), [1, 2, 3, 4])
        np.testing.assert_array_equal(r.predict(frame), pickle.loads(pickle.dumps(r)).predict(frame))
        self.assertGreater(r.score(frame, value), 0.7)
        other = frame.assign(colour=pd.Categorical(["violet"] * 90))
        self.assertEqual(len(np.unique(r.predict(other))), 1)
        c = PareClassifier("svm", k=2).fit(frame, colour == "red")
        self.assertGreater(c.score(frame, colour == "red"), 0.95)
        chosen = PareSelector("corr", k=1).set_output(transform="pandas").fit(frame, colour == "red").transform(frame)
        self.assertEqual(list(chosen.columns), ["colour"])
        self.assertEqual(pare.honest_path(frame, value, "lasso", sizes=[3], cv=3).result["n_features"], 7)
        with self.assertRaisesRegex(ValueError, "colour"):
            r.predict(frame.drop(columns="colour"))
        with self.assertRaisesRegex(ValueError, "data frame"):
            r.predict(np.zeros((2, 4)))
        frame.loc[3, "colour"] = None
        with self.assertRaisesRegex(ValueError, "NaN"):
            PareRegressor("lasso").fit(frame, value)
        self.assertEqual(PareRegressor("lasso", missing="mean").fit(frame, value).predict(frame).shape, (90,))

    def test_rows_scaled_as_a_whole(self):
        rng = np.random.default_rng(0)
        y = np.arange(60) % 2
        x = rng.poisson(1.0, (60, 40)).astype(float)
        x[:, 3] += 4 * y
        scaled = x / x.sum(1, keepdims=True)
        c = PareClassifier("svm", k=3, row_scale="l1").fit(x, y)
        self.assertEqual(c.support_.sum(), 3)
        np.testing.assert_allclose(scaled @ c.coef_[0] + c.intercept_[0], c.decision_function(x), atol=1e-8)
        s = PareSelector("corr", k=3, row_scale="tfidf").fit(sparse.csr_matrix(x), y)
        self.assertEqual(s.transform(x).shape, (60, 3))

    def test_missing_values(self):
        x, y = problem()
        x[3, 3] = np.nan
        with self.assertRaisesRegex(ValueError, "NaN"):
            PareClassifier("svm").fit(x, y)
        c = PareClassifier("svm", k=3, missing="mean").fit(x, y)
        self.assertEqual(c.predict(x).shape, y.shape)
        dropped = PareClassifier("svm", k=3, missing="drop").fit(x, y)
        kept = PareClassifier("svm", k=3).fit(np.delete(x, 3, 0), np.delete(y, 3))
        np.testing.assert_array_equal(dropped.coef_, kept.coef_)


class Attributes(unittest.TestCase):
    def test_coefficients_decide(self):
        x, y = load_iris(return_X_y=True)
        for labels in (y, np.array(["b", "a", "c"])[y], np.array(["10", "9", "-1"])[y]):
            c = PareClassifier("svm").fit(x, labels)
            np.testing.assert_array_equal(c.classes_, np.unique(labels))
            np.testing.assert_allclose(x @ c.coef_.T + c.intercept_, c.decision_function(x), atol=1e-9)
            np.testing.assert_array_equal(c.classes_[c.decision_function(x).argmax(1)], c.predict(x))
            self.assertGreater(c.score(x, labels), 0.9)

    def test_one_against_one_is_that_of_svc(self):
        x, y = problem(n=60, d=8, classes=4)
        for c, scale in ((1.0, "none"), (0.05, "none")):
            ours = PareClassifier("svm", C=c, scale=scale, multiclass="ovo", tol=1e-10).fit(x, y)
            pairs = SVC(kernel="linear", C=c, tol=1e-10, decision_function_shape="ovo").fit(x, y)
            votes = SVC(kernel="linear", C=c, tol=1e-10).fit(x, y)
            self.assertEqual(ours.coef_.shape, (6, 8))
            np.testing.assert_allclose(ours.coef_, -pairs.coef_, atol=1e-5)  # positive for the second class
            np.testing.assert_allclose(ours.intercept_, -pairs.intercept_, atol=1e-4)
            np.testing.assert_allclose(ours.decision_function(x), votes.decision_function(x), atol=1e-4)
            np.testing.assert_array_equal(ours.predict(x), pairs.predict(x))
            self.assertTrue(ours.model_.check(x, y).holds)

    def test_two_classes_in_any_order(self):
        x, y = problem()
        for labels in (y, np.array(["10", "9"])[y], np.array(["9", "10"])[y], y.astype(bool), y.astype(float)):
            for positive in (None, labels[0], labels[1]):
                c = PareClassifier("svm", positive=positive).fit(x, labels)
                f = c.decision_function(x)
                np.testing.assert_array_equal(c.classes_, np.unique(labels))
                np.testing.assert_array_equal(c.classes_[(f > 0).astype(int)], labels)
                np.testing.assert_allclose(x @ c.coef_[0] + c.intercept_[0], f, atol=1e-9)
                np.testing.assert_array_equal(c.predict(x), labels)

    def test_the_model_has_the_order_of_classes_(self):
        x, y = problem(classes=4)
        for labels in (np.array(["10", "9", "1e1x", "-1"])[y], np.array(["10", "9", "8", "1"], dtype=object)[y],
                       np.array([10.0, 9.0, 8.0, -1.0])[y], np.array(["10", "9"])[y % 2],
                       np.array(["10", "9"], dtype=object)[y % 2]):
            for c in (PareClassifier("logistic").fit(x, labels), PareClassifier("svm", multiclass="ovo").fit(x, labels)):
                again = Model.parse(c.model_.text)
                self.assertEqual(c.classes_.dtype, np.unique(labels).dtype)
                self.assertEqual(again.classes, [label_text(v) for v in c.classes_])
                np.testing.assert_array_equal(c.model_.labels, c.classes_)
                np.testing.assert_array_equal(c.coef_[:, c.model_.selected], again.coef)
                np.testing.assert_array_equal(c.decision_function(x), again.decision_function(x))
                np.testing.assert_array_equal(c.predict(x).astype(str), again.predict(x).astype(str))
                self.assertTrue(again.check(x, labels).holds)
        c = PareClassifier("logistic", positive="10").fit(x, labels)
        self.assertEqual(c.model_.classes, ["9", "10"])
        np.testing.assert_array_equal(c.predict_proba(x), c.model_.predict_proba(x)[:, ::-1])
        path = pare.honest_path(x, labels, "corr", sizes=[2], cv=3, inner=0)
        self.assertEqual(path.result["classes"], ["10", "9"])

    def test_probabilities(self):
        x, y = load_iris(return_X_y=True)
        labels = np.array(["9", "10", "8"])[y]
        for c in (PareClassifier("logistic"), PareClassifier("logistic", k=3, probability=True),
                  PareClassifier(k=3, probability=True), PareClassifier("corr", classifier="lda", probability=True),
                  PareClassifier("svm", probability=True)):
            self.assertTrue(hasattr(c, "predict_proba"))
            p = c.fit(x, labels).predict_proba(x)
            np.testing.assert_allclose(p.sum(1), 1)
            self.assertGreater(np.mean(c.classes_[p.argmax(1)] == labels), 0.85)
            np.testing.assert_allclose(np.log(p), c.predict_log_proba(x))
        for c in (PareClassifier(k=2), PareClassifier("svm"), PareClassifier("lda"), PareClassifier("logistic", k=2),
                  PareClassifier("logistic", refit="relaxed"), PareClassifier("corr", classifier="logistic")):
            self.assertFalse(hasattr(c, "predict_proba"))
            self.assertFalse(hasattr(c.fit(x, y), "predict_proba"))
        patient = np.arange(150) // 2
        c = PareClassifier(k=3, probability=True).fit(x, labels, groups=patient)
        other = PareClassifier(k=3, probability=True).fit(x, labels)
        np.testing.assert_array_equal(c.decision_function(x), other.decision_function(x))
        self.assertFalse(np.array_equal(c.predict_proba(x), other.predict_proba(x)))
        self.assertTrue(c.model_.check(x, labels, groups=patient).holds)
        with self.assertRaisesRegex(ValueError, "groups of samples"):
            c.model_.check(x, labels)
        path = pare.honest_path(x, labels, sizes=[2], cv=3)
        self.assertEqual(path.result["runs"][0]["calibration"], "temperature")
        self.assertLess(path.result["runs"][0]["points"][0]["metrics"]["log_loss"]["mean"], 0.4)

    def test_ranking_support_and_scores(self):
        x, y = problem()
        c = PareClassifier("corr", k=5).fit(x, y)
        self.assertEqual(sorted(c.ranking_), list(range(1, 61)))
        self.assertEqual(set(np.flatnonzero(c.ranking_ <= 5)), set(np.flatnonzero(c.support_)))
        self.assertTrue(c.support_[3] and c.support_[7])
        np.testing.assert_array_equal(np.sort(c.ranking_[c.model_.selected]), np.arange(1, 6))
        self.assertEqual(c.scores_[c.ranking_ == 1][0], c.scores_.max())
        self.assertIsInstance(c.n_iter_, int)

    def test_p_values(self):
        from sklearn.feature_selection import f_classif
        x, y = problem()
        s = PareSelector("anova", k=4).fit(x, y)
        f, p = f_classif(x, y)
        np.testing.assert_allclose(s.scores_, f)
        np.testing.assert_allclose(s.pvalues_, p, rtol=1e-6)
        self.assertTrue(np.all(s.qvalues_ >= s.pvalues_))
        self.assertFalse(hasattr(PareSelector("corr").fit(x, y), "pvalues_"))

    def test_models_without_coefficients(self):
        x, y = problem()
        c = PareClassifier("svm", kernel="rbf").fit(x, y)
        self.assertFalse(hasattr(c, "coef_"))
        self.assertFalse(hasattr(PareClassifier(), "coef_"))
        p = PareClassifier("poly-arom", k=2).fit(x[:, :9], y)
        self.assertFalse(hasattr(p, "coef_"))
        self.assertEqual(len(p.ranking_), 9)
        self.assertEqual(p.support_.sum(), len(p.model_.needed))

    def test_the_lambda_path(self):
        x, y = load_diabetes(return_X_y=True)
        path = PareRegressor("lasso", sweep=True, lambda_count=20).fit(x, y).model_.lambda_path
        self.assertGreaterEqual(len(path["lambda"]), 20)
        z = (x - x.mean(0)) / x.std(0)
        for at in (3, 10):
            want = Lasso(alpha=path["lambda"][at], tol=1e-12, max_iter=100000).fit(z, y)
            coef = np.zeros(10)
            coef[path["coef"][at][0]] = path["coef"][at][1][:, 0]
            np.testing.assert_allclose(coef * x.std(0), want.coef_, atol=0.05)
        self.assertIsNone(PareRegressor("lasso").fit(x, y).model_.lambda_path)


class Weights(unittest.TestCase):
    def test_whole_weights_are_copies(self):
        x, y = problem()
        w = np.arange(40) % 3
        for method in ("svm", "logistic", "corr"):
            a = PareClassifier(method, k=4, tol=1e-9 if method != "corr" else None).fit(x, y, w)
            b = clone(a).fit(np.repeat(x, w, 0), np.repeat(y, w))
            np.testing.assert_allclose(a.decision_function(x), b.decision_function(x), atol=1e-4)

    def test_class_weight(self):
        x, y = problem(n=60)
        y[::7] = 0
        for method in ("svm", "logistic"):
            balanced = PareClassifier(method, class_weight="balanced", scale="none", tol=1e-9).fit(x, y)
            n = np.bincount(y)
            by_hand = PareClassifier(method, class_weight={0: 30 / n[0], 1: 30 / n[1]}, scale="none",
                                     tol=1e-9).fit(x, y)
            np.testing.assert_allclose(balanced.decision_function(x), by_hand.decision_function(x), atol=1e-4)
        with self.assertRaisesRegex(ValueError, "not among the classes"):
            PareClassifier("svm", class_weight={5: 1}).fit(x, y)
        with self.assertRaisesRegex(ValueError, "allowed are"):
            PareClassifier("svm", class_weight="even").fit(x, y)

    def test_a_class_of_no_weight_is_absent(self):
        x, y = load_iris(return_X_y=True)
        c = PareClassifier("svm").fit(x, y, (y > 0).astype(float))
        np.testing.assert_array_equal(c.classes_, [1, 2])
        self.assertEqual(c.decision_function(x).shape, (150,))


class Words(unittest.TestCase):
    def wrong(self, text, *args, **settings):
        x, y = problem()
        with self.assertRaisesRegex(ValueError, text):
            PareClassifier(*args, **settings).fit(x, y)

    def test_wrong_settings_name_what_is_allowed(self):
        self.wrong("no method \"svn\"; did you mean svm[?]; there are auto, svm", "svn")
        self.wrong("`C`: \"-1\" is not allowed; expected a number > 0", "svm", C=-1)
        self.wrong("has no setting \"C\"; it has ", "corr", C=1)
        self.wrong("`k`: 61 features cannot be selected from 60", "svm", k=61)
        self.wrong("n_jobs", "svm", n_jobs=0)
        self.wrong("time_limit", "svm", time_limit=-1)
        self.wrong("memory_limit", "svm", memory_limit="much")
        self.wrong("random_state", "svm", random_state="x")
        self.wrong("device is 'gpu'; expected \"cpu\" or \"cuda\"", "svm", device="gpu")
        with self.assertRaisesRegex(TypeError, "did you mean 'lambda_'"):
            PareClassifier("svm", lamda=1)
        with self.assertRaises(ValueError):
            PareClassifier("svm").set_params(lamda=1)
        with self.assertRaises(MemoryError):
            x, y = problem(300, 400)
            PareClassifier("svm", memory_limit=1000).fit(x, y)

    def test_an_error_names_the_parameter_at_fault(self):
        x, y = problem()
        for name, call in (("C", lambda: PareClassifier("svm", C=-1).fit(x, y)),
                           ("lambda_", lambda: PareRegressor("lasso", lambda_=-1).fit(x, y == 1)),
                           ("task", lambda: pare.honest_path(x, y, "corr", task="rank")),
                           ("error_control", lambda: pare.honest_path(x, y, "corr", error_control="fdr=2")),
                           ("metric", lambda: pare.honest_path(x, y, "corr", metric="r2")),
                           (None, lambda: PareClassifier("svn").fit(x, y))):
            with self.assertRaises(pare.PareError) as raised:
                call()
            self.assertEqual(raised.exception.setting, name, str(raised.exception))
            if name:
                self.assertIn("`%s`" % name, str(raised.exception))

    def test_a_device_is_passed_on(self):
        code = ("import numpy as np, pare\n"
                "x, y = np.random.default_rng(1).standard_normal((40, 60)), np.arange(40) % 2\n"
                "try:\n"
                "    gpu, path = (f(device='cuda') for f in (lambda **d: pare.PareClassifier('svm-rfe', k=3, **d).fit(x, y),\n"
                "                                            lambda **d: pare.honest_path(x, y, 'anova', cv=3, **d)))\n"
                "    print(np.array_equal(gpu.scores_, pare.PareClassifier('svm-rfe', k=3).fit(x, y).scores_))\n"
                "except pare.PareDeviceError as error:\n"
                "    print(error.setting, error)\n")
        fake = os.path.join(os.path.dirname(os.environ["PARE_LIBRARY"]), "tests", "fake_cuda")
        for words, text in (("", "True"), ("no-device", "device ")):
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True,
                                  env={**os.environ, "LD_LIBRARY_PATH": fake, "PARE_FAKE_CUDA": words})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(done.stdout.startswith(text), done.stdout)

    def test_a_missing_library_is_one_sentence(self):
        for path, text in (("/nowhere/libpare.so", "pip install"), (os.__file__, "pip install")):
            done = subprocess.run([sys.executable, "-c", "import pare"], capture_output=True, text=True,
                                  env={**os.environ, "PARE_LIBRARY": path})
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("ImportError: pare's shared library was not found", done.stderr)
            self.assertIn(text, done.stderr)

    def test_labels_that_are_one(self):
        x, y = problem()
        with self.assertRaisesRegex(ValueError, "same number"):
            PareClassifier("svm").fit(x, np.array(["1", "1.0"])[y])
        with self.assertRaisesRegex(ValueError, "one class"):
            PareClassifier("svm").fit(x, np.zeros(40))

    def test_unfitted(self):
        for e in (PareClassifier(lambda_=1), PareRegressor(), PareRanker(), PareSelector()):
            with self.assertRaises(NotFittedError):
                (e.transform if isinstance(e, PareSelector) else e.predict)(np.zeros((2, 2)))

    def test_not_converged_is_a_warning(self):
        x, y = problem(400, 800)
        with self.assertWarnsRegex(ConvergenceWarning, "time_limit"):
            c = PareClassifier("dlsr-fs", time_limit=1e-9).fit(x, y)
        self.assertEqual(c.outcome_, "time_limit")

    def test_outcomes_say_what_was_solved(self):
        x, y = problem()
        for method, selection, words in (("svm-rfe", "greedy", "selection: greedy search, without a guarantee; predictor: optimal"),
                                         ("corr", "computed", "selection: computed by a formula; predictor: optimal")):
            c = PareClassifier(method, k=3).fit(x, y)
            self.assertEqual((c.selection_outcome_, c.outcome_), (selection, "optimal"))
            self.assertIn(words, repr(c.model_))
        c = PareClassifier("svm").fit(x, y)
        self.assertEqual((c.selection_outcome_, c.outcome_), (None, "optimal"))
        self.assertNotIn("selection", repr(c.model_))

    def test_interrupt(self):
        code = ("import os, signal, threading, numpy as np, pare\n"
                "x = np.random.default_rng(0).standard_normal((300, 3000)); y = np.arange(300) % 3\n"
                "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
                "c = pare.PareClassifier('dlsr-fs', lambda_ratio=1e-3, tol=1e-9, n_jobs=1)\n"
                "try:\n"
                "    for i in range(1000): c.fit(x, y)\n"
                "except KeyboardInterrupt: print('stopped')\n")
        start = time.time()
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout, "stopped\n", done.stderr)
        self.assertLess(time.time() - start, 20)


class ScikitLearn(unittest.TestCase):
    def test_pickle_copy_clone(self):
        x, y = problem()
        for e in (PareClassifier("svm", k=3, C=2), PareClassifier("1nn"), PareClassifier("kta"),
                  PareRegressor("lasso"), PareRanker(), PareSelector("corr", k=3)):
            e.fit(x, y)
            for other in (pickle.loads(pickle.dumps(e)), copy.deepcopy(e)):
                self.assertEqual(other.model_.text, e.model_.text)
                np.testing.assert_array_equal(other.ranking_, e.ranking_)
                if isinstance(e, PareSelector):
                    np.testing.assert_array_equal(other.transform(x), e.transform(x))
                else:
                    np.testing.assert_array_equal(other.predict(x), e.predict(x))
            self.assertEqual(clone(e).get_params(), e.get_params())
            self.assertIn(type(e).__name__, e._repr_html_())

    def test_pipeline_grid_and_columns(self):
        x, y = load_breast_cancer(return_X_y=True, as_frame=True)
        x, y = x[::4], y[::4]
        pipe = make_pipeline(StandardScaler(), PareSelector("corr"), PareClassifier("svm"))
        grid = GridSearchCV(pipe, {"pareselector__k": [2, 5], "pareclassifier__C": [0.1, 1]}, cv=3).fit(x, y)
        self.assertGreater(grid.best_score_, 0.85)
        both = ColumnTransformer([("a", PareSelector("corr", k=2), list(x.columns[:10])),
                                  ("b", PareSelector("svm-rfe", k=1), list(x.columns[10:]))])
        both.set_output(transform="pandas")
        out = both.fit_transform(x, y)
        self.assertEqual(out.shape, (len(x), 3))
        self.assertTrue(all(c.split("__")[1] in x.columns for c in out.columns))
        methods = GridSearchCV(PareClassifier(k=3), {"method": ["auto", "svm-rfe", "l2-arom"]}, cv=3).fit(x, y)
        self.assertGreater(methods.best_score_, 0.85)

    def test_auto_takes_the_settings_of_its_parts(self):
        x, y = load_breast_cancer(return_X_y=True)
        x, y = np.hstack([x, x ** 2, np.sqrt(x)])[::6], y[::6]
        grid = GridSearchCV(PareClassifier(k=60), {"C": [0.001, 1]}, cv=3, error_score="raise").fit(x, y)
        self.assertEqual(grid.best_estimator_.model_.method, "svm-rfe")
        scores = [PareClassifier(k=60, C=c).fit(x, y).model_.text for c in (0.001, 1)]
        self.assertEqual([json.loads(s)["settings"]["C"] for s in scores], [0.001, 1])
        self.assertNotEqual(*scores)
        own = PareClassifier("svm-rfe", k=60, C=0.001, scale="robust", classifier="lda").fit(x, y)
        np.testing.assert_array_equal(own.support_, PareClassifier(k=60, C=0.001).fit(x, y).support_)
        grid = GridSearchCV(PareRegressor(k=3), {"alpha": [0.5, 1]}, cv=3, error_score="raise").fit(x[:, 1:], x[:, 0])
        self.assertEqual(grid.best_estimator_.model_.method, "lasso")
        with self.assertRaisesRegex(ValueError, "C.*expected a number > 0"):
            PareClassifier(k=5, C=-1).fit(x, y)

    def test_workers_have_one_thread(self):
        from joblib import Parallel, delayed
        from pare._call import n_threads
        self.assertEqual(n_threads(None), 0)
        for backend in ("loky", "threading", "multiprocessing"):
            with self.subTest(backend):
                got = Parallel(n_jobs=2, backend=backend)(delayed(n_threads)(None) for _ in range(4))
                self.assertEqual(got, [1] * 4)
        self.assertEqual(n_threads(3), 3)
        self.assertGreaterEqual(n_threads(-1), 1)

    def test_joblib_after_threads(self):
        """Fork after a fit on several threads must not hang."""
        from joblib import parallel_backend
        x, y = problem()
        PareClassifier("svm", n_jobs=4).fit(x, y)
        scores = []
        for backend in ("loky", "threading", "multiprocessing"):
            with parallel_backend(backend, n_jobs=2):
                scores.append(cross_val_score(PareClassifier("svm-rfe", k=4), x, y, cv=4))
        for s in scores[1:]:
            np.testing.assert_array_equal(s, scores[0])

    def test_threads_fit_at_once(self):
        x, y = problem()
        want = PareClassifier("l2-arom", k=3).fit(x, y).model_.text
        got = []
        workers = [threading.Thread(target=lambda: got.append(PareClassifier("l2-arom", k=3).fit(x, y).model_.text))
                   for _ in range(4)]
        [w.start() for w in workers]
        [w.join() for w in workers]
        self.assertEqual(got, [want] * 4)

    def test_the_gil_is_released(self):
        x, y = problem(300, 3000)
        seen = []
        t = threading.Thread(target=lambda: PareClassifier("dlsr-fs", lambda_ratio=0.02, n_jobs=1).fit(x, y))
        t.start()
        while t.is_alive():
            seen.append(time.perf_counter())
        self.assertGreater(len(seen), 1000)

    def test_selector_tasks(self):
        x, y = problem()
        for target, task in ((y, "binary"), (np.arange(40) % 3, "multiclass"), (x[:, 3] + 0.5, "regression"),
                             (np.array(["a", "b"])[y], "binary")):
            s = PareSelector(k=3).fit(x, target)
            self.assertEqual(s.model_.task, task)
            self.assertEqual(s.transform(x).shape, (40, 3))
        self.assertEqual(PareSelector("kta", task="regress").fit(x, y).model_.task, "regression")
        self.assertEqual(PareSelector("inf-push").fit(x, y).model_.task, "ranking")
        self.assertEqual(PareSelector("corr", k=3).fit(sparse.csr_matrix(x), y).transform(sparse.csr_matrix(x)).shape,
                         (40, 3))

    def test_selection_without_a_target(self):
        x, y = problem()
        s = PareSelector("laplacian", k=4).fit(x)
        self.assertEqual(s.model_.task, "none")
        self.assertEqual(s.transform(x).shape, (40, 4))
        self.assertEqual(PareSelector("laplacian", k=4).fit_transform(x).shape, (40, 4))
        self.assertEqual(pickle.loads(pickle.dumps(s)).model_.text, s.model_.text)
        with self.assertRaisesRegex(ValueError, "requires y"):
            PareSelector("corr").fit(x)
        with self.assertRaisesRegex(ValueError, "requires y"):
            PareSelector("laplacian", task="classify").fit(x)

    def test_ranker(self):
        x, y = problem()
        r = PareRanker().fit(x, np.array(["top", "not"])[1 - y])
        self.assertGreater(r.score(x, np.array(["top", "not"])[1 - y]), 0.95)
        other = PareRanker(positive="not").fit(x, np.array(["top", "not"])[1 - y])
        np.testing.assert_array_less(other.coef_[7], 1)
        self.assertGreater(other.score(x, np.array(["top", "not"])[1 - y]), 0.95)


@unittest.skipUnless(PARE, "PARE names the command line")
class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.at = lambda name: os.path.join(self.folder.name, name)

    def tearDown(self):
        self.folder.cleanup()

    def run_pare(self, *words):
        return subprocess.run([PARE] + [str(w) for w in words], check=True, capture_output=True, text=True).stdout

    def test_the_same_bytes(self):
        x, y = problem(30, 20)
        cases = [(PareClassifier, m.name) for m in pare.methods() if "binary" in m.tasks and m.name != "fsv"]
        cases += [(PareRegressor, m.name) for m in pare.methods() if "regression" in m.tasks]
        cases += [(PareRanker, m.name) for m in pare.methods() if "ranking" in m.tasks]
        frame = pd.DataFrame(x, columns=["g%d" % j for j in range(20)])
        label = np.array(["well", "ill"])[y]
        value = x[:, 3] * 2 + 0.25 * x[:, 5]
        frame = frame.abs()  # chi2 takes no others
        frame.assign(**{"class": label}).to_csv(self.at("c.csv"), index=False, float_format="%.17g")
        frame.assign(target=value).to_csv(self.at("r.csv"), index=False, float_format="%.17g")
        for cls, method in cases:
            with self.subTest(cls.__name__ + " " + method), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                regress = cls is PareRegressor
                task = {PareRegressor: "regress", PareRanker: "rank"}.get(cls, "classify")
                k = 3 if method != "1nn" else None  # which cannot select
                self.run_pare("fit", self.at("r.csv" if regress else "c.csv"), "-m", method, "--task", task,
                              "-o", self.at("cli.json"), "--quiet", *(["-k", k] if k else []))
                e = cls(method, k=k).fit(frame, value if regress else label)
                e.model_.save(self.at("py.json"))
                with open(self.at("cli.json"), "rb") as a, open(self.at("py.json"), "rb") as b:
                    self.assertEqual(a.read(), b.read())

    def test_models_go_both_ways(self):
        x, y = load_breast_cancer(return_X_y=True, as_frame=True)
        x.assign(target=y).to_csv(self.at("d.csv"), index=False, float_format="%.17g")
        c = PareClassifier("auto", k=5).fit(x, y)
        c.model_.save(self.at("m.json"))
        table = pd.read_csv(self.at("d.csv"), float_precision="round_trip")
        out = pd.DataFrame([row.split("\t") for row in
                            self.run_pare("predict", self.at("m.json"), self.at("d.csv")).splitlines()[1:]])
        np.testing.assert_array_equal(out[1].astype(int), c.predict(x))
        np.testing.assert_array_equal(out[2].astype(float), c.decision_function(x))
        self.assertIn("hold", self.run_pare("check", self.at("m.json"), self.at("d.csv")))
        self.run_pare("fit", self.at("d.csv"), "-m", "auto", "-k", 5, "-o", self.at("cli.json"))
        loaded = pare.load(self.at("cli.json"))
        np.testing.assert_array_equal(loaded.decision_function(table), c.decision_function(x))
        self.assertEqual([int(v) for v in loaded.predict(table)], list(c.predict(x)))
        self.assertTrue(loaded.check(x, y).holds)
        with self.assertRaisesRegex(ValueError, "data"):
            loaded.check(x[::-1], y)
        self.assertEqual(json.loads(loaded.text)["method"], loaded.method)
        with self.assertRaises(OSError):
            pare.load(self.at("none.json"))


if __name__ == "__main__":
    sys.exit(unittest.main())
