"""pare.validate: the numbers of the command line, cohorts in every form, what is absent, figures."""

import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

import pare

try:
    import pandas
except ImportError:
    pandas = None
PARE = os.environ.get("PARE")


def samples(n, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, 10)) + shift
    x[:, 9] = 0.9 * x[:, 0] + 0.3 * rng.standard_normal(n)
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-x[:, 0] - x[:, 1] + 0.5)), "ill", "well")
    return x, y


class Validate(unittest.TestCase):
    def setUp(self):
        x, y = samples(150, 0)
        self.fitted = pare.PareClassifier("logistic", lambda_ratio=0.1).fit(x, y)
        self.x, self.y = samples(90, 1)

    def test_numbers_are_consistent(self):
        v = pare.validate(self.fitted, self.x, self.y, cut=0.4)
        cohort = v.cohorts[0]
        self.assertEqual(cohort["metrics"]["accuracy"]["value"], self.fitted.score(self.x, self.y))
        p = self.fitted.predict_proba(self.x)[:, list(self.fitted.classes_).index("well")]
        well = self.y == "well"
        self.assertAlmostEqual(cohort["calibration"]["observed_expected"]["value"], well.sum() / p.sum(), 12)
        self.assertEqual(cohort["confusion"][1]["counts"][1][1], int(((p >= 0.4) & well).sum()))
        row = cohort["decision"][29]
        net = ((p >= 0.3) & well).mean() - ((p >= 0.3) & ~well).mean() * 0.3 / 0.7
        self.assertAlmostEqual(row["net_benefit"], net, 12)
        again = pare.validate(self.fitted.model_, self.x, self.y, cut=0.4, n_jobs=2)
        self.assertEqual(v.result, again.result)

    def test_cohorts(self):
        several = pare.validate(self.fitted, {"one": (self.x, self.y), "two": samples(80, 2), "three": samples(70, 3)})
        self.assertEqual([c["name"] for c in several.cohorts], ["one", "two", "three"])
        self.assertLess(several.pooled["auc"]["prediction_low"], several.pooled["auc"]["low"])
        parted = pare.validate(self.fitted, self.x, self.y, cohort=["AB"[i % 2] for i in range(90)])
        self.assertEqual([(c["name"], c["n"]) for c in parted.cohorts], [("A", 45), ("B", 45)])
        with self.assertRaisesRegex(pare.PareValueError, "cohort has 2 entries, X has 90 samples"):
            pare.validate(self.fitted, self.x, self.y, cohort=["A", "B"])

    def test_recalibration(self):
        v = pare.validate(self.fitted, self.x, self.y, recalibrate="slope")
        after = pare.validate(v.model_, self.x, self.y).cohorts[0]["calibration"]
        self.assertAlmostEqual(after["slope"]["value"], 1, 9)
        self.assertAlmostEqual(after["intercept"]["value"], 0, 9)
        against = pare.validate(self.fitted, self.x, self.y, against=v.model_)
        self.assertEqual(against.cohorts[0]["difference"]["auc"]["value"], 0)

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_frames(self):
        names = ["g%d" % j for j in range(10)]
        x, y = samples(150, 0)
        cost = np.ones(10)
        cost[0] = 20  # g9, much like it, is selected in its place
        frame = pandas.DataFrame(self.x, columns=names)
        frame["note"] = "text"
        fitted = pare.PareClassifier("logistic", lambda_ratio=0.3, alternatives=1, cost=cost).fit(pandas.DataFrame(x, columns=names), y)
        whole = pare.validate(fitted, frame, self.y)
        lacks = frame.drop(columns="g9")
        with self.assertRaisesRegex(pare.PareValueError, "needs the column \"g9\""):
            pare.validate(fitted, lacks, self.y)
        v = pare.validate(fitted, lacks, self.y, absent="alternative")
        self.assertEqual(v.cohorts[0]["replaced"], [{"name": "g9", "by": "g0"}])
        self.assertIn("stands in for it", v.notes[0])
        table = v.frame()
        self.assertEqual(list(table.columns), ["cohort", "metric", "value", "low", "high"])
        self.assertIn("calibration slope", set(table["metric"]))
        self.assertGreater(whole.cohorts[0]["metrics"]["auc"]["value"], 0.5)

    def test_other_outcomes(self):
        rng = np.random.default_rng(5)
        x = rng.standard_normal((100, 6))
        y = x[:, 0] + 0.5 * rng.standard_normal(100)
        v = pare.validate(pare.PareRegressor("lasso", lambda_ratio=0.3).fit(x, y), x, y)
        self.assertGreater(v.cohorts[0]["calibration"]["slope"]["value"], 1)
        outcome = np.column_stack([rng.random(100) < 0.7, rng.exponential(np.exp(-x[:, 0]))])
        v = pare.validate(pare.PareSurvival("cox", k=2).fit(x, outcome), x, outcome, at=0.5)
        self.assertAlmostEqual(v.cohorts[0]["calibration"]["observed_expected"]["value"], 1, 9)
        self.assertEqual(len(v.cohorts[0]["decision"]), 99)

    def test_errors(self):
        with self.assertRaisesRegex(pare.PareValueError, "no class of the model"):
            pare.validate(self.fitted, self.x, np.where(self.y == "ill", "sick", "well"))
        with self.assertRaisesRegex(pare.PareValueError, "y is None"):
            pare.validate(self.fitted, self.x)
        with self.assertRaisesRegex(pare.PareValueError, "`absent`"):
            pare.validate(self.fitted, self.x, self.y, absent="maybe")

    def test_figures_and_files(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not installed")
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
        v = pare.validate(self.fitted, {"one": (self.x, self.y), "two": samples(60, 4)})
        self.assertEqual(len(v.plot_forest("auc").get_yticks()), 3)
        self.assertEqual(v.plot_calibration().get_ylabel(), "observed")
        self.assertEqual(v.plot_decision().get_ylabel(), "net benefit")
        plt.close("all")
        with tempfile.TemporaryDirectory() as folder:
            v.save(os.path.join(folder, "v.json"))
            v.save(os.path.join(folder, "v.html"))
            with open(os.path.join(folder, "v.json"), encoding="utf-8") as f:
                self.assertEqual(json.load(f), v.result)
            with open(os.path.join(folder, "v.html"), encoding="utf-8") as f:
                self.assertTrue(f.read().startswith("<!doctype html>"))

    @unittest.skipIf(not PARE, "PARE does not name the command line")
    def test_the_command_line_says_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            self.fitted.model_.save(os.path.join(folder, "m.json"))
            with open(os.path.join(folder, "data"), "w") as f:
                f.write(",".join(self.fitted.model_.names and ["x%d" % (j + 1) for j in range(10)]) + ",class\n")
                for row, label in zip(self.x, self.y):
                    f.write(",".join(repr(float(v)) for v in row) + "," + label + "\n")
            out = os.path.join(folder, "v.json")
            subprocess.run([PARE, "validate", os.path.join(folder, "m.json"), os.path.join(folder, "data"), "--format", "csv",
                            "-o", out, "--quiet"], check=True, stdout=subprocess.DEVNULL)
            with open(out, encoding="utf-8") as f:
                own, theirs = pare.validate(self.fitted, self.x, self.y).result, json.load(f)
            self.assertEqual(own, theirs)


if __name__ == "__main__":
    unittest.main()
