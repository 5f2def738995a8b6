"""What the documents show runs: docstrings, docs/python.md, the examples."""

import doctest
import glob
import os
import re
import runpy
import sys
import tempfile
import unittest
import warnings

import pare
import pare._estimators
import pare._path
import pare._table

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Documents(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        self.before = os.getcwd()
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)
        self.out, sys.stdout = sys.stdout, open(os.devnull, "w")

    def tearDown(self):
        sys.stdout.close()
        sys.stdout = self.out
        os.chdir(self.before)
        self.folder.cleanup()

    def test_docstrings(self):
        tried = 0
        for module in (pare._table, pare._estimators, pare._path):
            result = doctest.testmod(module)
            self.assertEqual(result.failed, 0, module.__name__)
            tried += result.attempted
        self.assertGreater(tried, 20)

    def test_everything_public_is_documented(self):
        for name in pare.__all__:
            if callable(getattr(pare, name)):
                self.assertTrue(getattr(pare, name).__doc__, name)
        for cls in (pare.PareClassifier, pare.PareRegressor, pare.PareRanker, pare.PareSelector, pare.PareSurvival):
            for section in ("Parameters\n    ------", "Attributes\n    ------", "Examples\n    ------"):
                self.assertIn(section, cls.__doc__)

    def test_the_guide(self):
        with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as f:
            blocks = re.findall(r"```python\n(.*?)```", f.read(), re.S)
        self.assertGreater(len(blocks), 4)
        space = {}
        for block in blocks:
            exec(compile(block, "docs/python.md", "exec"), space)

    def test_the_examples(self):
        scripts = sorted(glob.glob(os.path.join(ROOT, "examples", "python", "*.py")))
        self.assertEqual(len(scripts), 3)
        arguments, sys.argv = sys.argv, ["example"]
        for script in scripts:
            runpy.run_path(script, run_name="__main__")
            self.assertTrue(os.path.getsize(os.path.basename(script)[:-3] + ".png") > 5000)
            self.assertTrue(os.path.exists(os.path.join(
                ROOT, "docs", "python-" + os.path.basename(script)[:-3] + ".png")), script)
        sys.argv = arguments


if __name__ == "__main__":
    sys.exit(unittest.main())
