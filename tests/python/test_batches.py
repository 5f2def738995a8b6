"""Batches: ComBat and centring against numpy and, where it is there, against sva; new data; what leaks."""

import csv
import json
import os
import shutil
import subprocess
import tempfile
import unittest

import numpy as np

PARE = os.environ.get("PARE")


def combat(x, batch):
    """ComBat of sva with mod = NULL, parametric; x: samples by features."""
    names = sorted(set(batch))
    rows = [np.flatnonzero(batch == b) for b in names]
    keep = np.all([x[r].var(axis=0, ddof=1) > 0 for r in rows], axis=0)
    out, data = x.copy(), x[:, keep]
    n = len(x)
    means = np.array([data[r].mean(axis=0) for r in rows])
    grand = sum(len(r) / n * m for r, m in zip(rows, means))
    pooled = np.sqrt(sum(((data[r] - m) ** 2).sum(axis=0) for r, m in zip(rows, means)) / n)
    s = (data - grand) / pooled
    for r in rows:
        own, size = s[r], len(r)
        g_hat, d_hat = own.mean(axis=0), own.var(axis=0, ddof=1)
        g_bar, t2 = g_hat.mean(), g_hat.var(ddof=1)
        m, s2 = d_hat.mean(), d_hat.var(ddof=1)
        a, b = (2 * s2 + m ** 2) / s2, (m * s2 + m ** 3) / s2
        g, d, change = g_hat, d_hat, 1
        while change > 1e-4:
            g_new = (t2 * size * g_hat + d * g_bar) / (t2 * size + d)
            d_new = (0.5 * ((own - g_new) ** 2).sum(axis=0) + b) / (size / 2 + a - 1)
            change = max((abs(g_new - g) / g).max(), (abs(d_new - d) / d).max())
            g, d = g_new, d_new
        s[r] = (own - g) / np.sqrt(d)
    out[:, keep] = s * pooled + grand
    return out


def centred(x, batch):
    out = x.copy()
    for b in set(batch):
        out[batch == b] += x.mean(axis=0) - x[batch == b].mean(axis=0)
    return out


def write(path, x, y, batch, columns=None):
    with open(path, "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["class", "site"] + (columns or ["g%d" % j for j in range(x.shape[1])]))
        for row, label, b in zip(x, y, batch):
            w.writerow([label, b] + ["" if np.isnan(v) else repr(float(v)) for v in row])


def problem(n=60, d=30, batches=3, seed=0, effect=2.0):
    rng = np.random.default_rng(seed)
    batch = np.array(["b%d" % (i % batches) for i in range(n)])
    y = np.array(["no", "yes"])[np.arange(n) // batches % 2]
    x = rng.standard_normal((n, d)) + 5
    for k in range(batches):
        own = batch == "b%d" % k
        x[own] = x[own] * rng.uniform(0.5, 2, d) + effect * rng.standard_normal(d)
    x[:, :3] += 1.5 * (y == "yes")[:, None]
    return x, y, batch


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def at(self, name):
        return os.path.join(self.folder, name)

    def run_pare(self, *words, code=0):
        done = subprocess.run([PARE, *words], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout, done.stderr

    def fit(self, *words, data="data.csv"):
        self.run_pare("fit", data, "--batch", "site", *words, "-o", "model.json", "--quiet")
        with open(self.at("model.json")) as f:
            return json.load(f)

    def adjusted(self, model, x, batch):
        """z of the selected features in their order in the data, by the model's own numbers."""
        own, out = model["batch"], np.full(x.shape, np.nan)
        for i, f in enumerate(model["selected"]):
            for q, name in enumerate(own["names"]):
                r = batch == name
                out[r, f["index"]] = (x[r, f["index"]] - own["shift"][q][i]) * own["scale"][q][i]
        return out


class Numbers(Case):
    def test_combat_and_centring_are_their_definitions(self):
        for seed in range(4):
            x, y, batch = problem(n=45 + 7 * seed, d=12 + 20 * seed, batches=2 + seed, seed=seed)
            x[batch == "b1", 5] = 3.25  # constant within a batch: left as it is
            write(self.at("data.csv"), x, y, batch)
            for method, truth in (("combat", combat), ("center", centred)):
                model = self.fit("-m", "svm", "--batch-method", method)
                self.assertEqual(len(model["selected"]), x.shape[1])
                self.assertEqual(model["units"], "batch-adjusted")
                self.assertEqual(model["batch"]["column"], "site")
                expected = truth(x, batch)
                expected[:, 5] = x[:, 5]
                got = self.adjusted(model, x, batch)
                self.assertLess(np.abs(got - expected).max(), 1e-9 * np.abs(expected).max())
                self.run_pare("check", "model.json", "data.csv", "--batch", "site")

    def test_combat_is_that_of_sva(self):
        if not shutil.which("Rscript") or subprocess.run(["Rscript", "-e", "library(sva)"], capture_output=True).returncode:
            self.skipTest("R's package sva is not installed")
        for seed in range(3):
            x, y, batch = problem(n=40, d=200, batches=3, seed=seed)
            write(self.at("data.csv"), x, y, batch)
            model = self.fit("-m", "svm", "--batch-method", "combat")
            script = ("d <- read.csv('data.csv'); x <- t(as.matrix(d[-(1:2)])); z <- sva::ComBat(x, d$site);"
                      "write.table(format(t(z), digits = 17), 'sva.txt', quote = FALSE, row.names = FALSE, col.names = FALSE)")
            subprocess.run(["Rscript", "-e", script], check=True, capture_output=True, cwd=self.folder)
            theirs = np.loadtxt(self.at("sva.txt"))
            self.assertLess(np.abs(self.adjusted(model, x, batch) - theirs).max(), 1e-9 * np.abs(theirs).max())

    def test_weights_are_copies(self):
        x, y, batch = problem(n=36, d=8)
        weight = np.arange(36) % 3 + 1
        write(self.at("twice.csv"), np.repeat(x, weight, axis=0), np.repeat(y, weight), np.repeat(batch, weight))
        write(self.at("data.csv"), np.c_[x, weight], y, batch, ["g%d" % j for j in range(8)] + ["w"])
        for method in ("combat", "center"):
            one = self.fit("-m", "svm", "--batch-method", method, "--weights", "w")
            two = self.fit("-m", "svm", "--batch-method", method, data="twice.csv")
            by_name = lambda m: {f["name"]: (m["batch"]["shift"][0][i], m["batch"]["scale"][0][i])
                                 for i, f in enumerate(m["selected"])}
            for name, pair in by_name(one).items():
                np.testing.assert_allclose(pair, by_name(two)[name], rtol=1e-9)

    def test_missing_values_are_filled_first(self):
        x, y, batch = problem(n=60, d=10)
        x[::7, 2] = x[3, 4] = np.nan
        write(self.at("data.csv"), x, y, batch)
        filled = np.where(np.isnan(x), np.nanmean(x, axis=0), x)
        for method, truth in (("combat", combat), ("center", centred)):
            model = self.fit("-m", "svm", "--missing", "mean", "--batch-method", method)
            expected = truth(filled, batch)
            self.assertLess(np.abs(self.adjusted(model, filled, batch) - expected).max(), 1e-9 * np.abs(expected).max())
            for i, f in enumerate(model["selected"]):
                self.assertAlmostEqual(model["impute"][i], np.nanmean(x[:, f["index"]]), places=9)
            self.run_pare("check", "model.json", "data.csv", "--batch", "site")


class NewData(Case):
    def scores(self, data, *words):
        text, _ = self.run_pare("predict", "model.json", data, *words, "--quiet")
        return np.array([float(line.split("\t")[2]) for line in text.splitlines()[1:]])

    def test_unseen_batches(self):
        x, y, batch = problem(n=72, d=20)
        old = batch != "b2"
        write(self.at("data.csv"), x[old], y[old], batch[old])
        write(self.at("new.csv"), x[~old], y[~old], batch[~old])
        write(self.at("few.csv"), x[~old][:7], y[~old][:7], batch[~old][:7])
        for method in ("combat", "center"):
            for scale in ("standard", "robust"):
                model = self.fit("-m", "lda", "-k", "5", "--batch-method", method, "--scale", scale)
                own = model["batch"]
                _, err = self.run_pare("predict", "model.json", "new.csv", "--batch", "site", code=1)
                self.assertIn('batch "b2" has no training samples', err)
                _, err = self.run_pare("predict", "model.json", "new.csv", code=2)
                self.assertIn("fitted with batches", err)
                _, err = self.run_pare("predict", "model.json", "few.csv", "--batch", "site", "--batch-unseen", "adapt", code=1)
                self.assertIn("7 samples, too few", err)
                cols = [f["index"] for f in model["selected"]]
                new = x[~old][:, cols]
                for how in ("pooled", "adapt"):
                    z = new if how == "pooled" else ((new - new.mean(axis=0)) / new.std(axis=0, ddof=1) * own["deviation"]
                                                     + own["mean"])
                    if scale == "robust":
                        z = np.arcsinh((z - model["scaling"]["median"]) / model["scaling"]["spread"])
                    expected = z @ model["outputs"][0]["coef"] + model["outputs"][0]["intercept"]
                    got = self.scores("new.csv", "--batch", "site", "--batch-unseen", how)
                    np.testing.assert_allclose(got, expected, atol=1e-9 * np.abs(expected).max())
                # rows of the training data, one at a time, are scored alike: nothing of the file counts
                whole = self.scores("data.csv", "--batch", "site")
                write(self.at("one.csv"), x[old][:1], y[old][:1], batch[old][:1])
                np.testing.assert_allclose(self.scores("one.csv", "--batch", "site"), whole[:1], rtol=1e-12)

    def test_a_model_without_batches_takes_none(self):
        x, y, batch = problem()
        write(self.at("data.csv"), x, y, batch)
        self.run_pare("fit", "data.csv", "--drop", "site", "-m", "svm", "-o", "model.json")
        _, err = self.run_pare("predict", "model.json", "data.csv", "--batch", "site", code=2)
        self.assertIn("fitted without batches", err)


class Leaks(Case):
    def test_noise_stays_at_chance_where_batches_go_with_the_class(self):
        means = {"center": [], "combat": []}
        for seed in range(6):
            rng = np.random.default_rng(seed)
            n, d = 60, 200
            batch = np.array(["b%d" % (i % 3) for i in range(n)])
            y = np.array(["no", "yes"])[(rng.random(n) < np.choose(np.arange(n) % 3, [0.15, 0.5, 0.85])).astype(int)]
            x = rng.standard_normal((n, d))  # no batch has an effect, and no feature tells the classes apart
            write(self.at("data.csv"), x, y, batch)
            for method in means:
                text, err = self.run_pare("path", "data.csv", "-m", "corr", "--sizes", "5", "--folds", "5", "--inner", "0",
                                          "--metric", "balanced_accuracy", "--batch", "site", "--batch-method", method, "--json")
                means[method].append(json.loads(text)["runs"][0]["points"][0]["mean"])
                self.assertIn("Cramer's V", err)
                self.assertIn("--leave-out", err)
        for method, values in means.items():
            self.assertLess(np.mean(values), 0.58, method)

    def test_what_is_in_a_fold_comes_from_its_training_samples(self):
        # the test samples of a split change nothing in their training fold: other ones score alike but for themselves
        x, y, batch = problem(n=48, d=10)
        folds = np.arange(48) // 3 % 4
        results = []
        for change in (0, 100.0):
            z = x.copy()
            z[folds == 1] += change
            write(self.at("data.csv"), z, y, batch)
            with open(self.at("folds.txt"), "w") as f:
                f.write("\n".join(map(str, folds)) + "\n")
            self.run_pare("path", "data.csv", "-m", "svm", "--sizes", "3", "--fold-file", "folds.txt", "--inner", "0", "--batch", "site",
                          "--batch-method", "combat", "-o", "path.json", "--quiet")
            with open(self.at("path.json")) as f:
                run = json.load(f)["runs"][0]
            results.append(run["predictions"])
        part = np.array(results[0]["part"])
        same = [s for s, p in zip(results[0]["score"], part) if p != 2]
        other = [s for s, p in zip(results[1]["score"], part) if p != 2]
        self.assertNotEqual(same, other)  # they train on the changed samples
        moved = np.array([s for s, p in zip(results[0]["score"], part) if p == 2])
        again = np.array([s for s, p in zip(results[1]["score"], part) if p == 2])
        shift = (again - moved).ravel()  # the model of that fold is the same, so a shift in x is one of the scores
        scale = np.array([b == batch[i] for b, i in zip(batch[folds == 1], np.flatnonzero(folds == 1))])
        self.assertTrue(scale.all())
        for b in set(batch):
            own = shift[batch[folds == 1] == b]
            np.testing.assert_allclose(own, own[0], rtol=1e-9)


if __name__ == "__main__":
    unittest.main()
