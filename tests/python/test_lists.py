"""What the library lists of formats and metrics, and what repeats such a list."""

import os
import re
import subprocess
import unittest

from pare._declared import Format, Metric
from pare._lib import byref, lib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def rows(struct, ask, *which):
    found = []
    while ask(byref(struct()), *which, len(found)):
        row = struct()
        ask(byref(row), *which, len(found))
        found.append(row)
    return found


class Lists(unittest.TestCase):
    def setUp(self):
        self.formats = rows(Format, lib.format_info)

    def test_the_page_knows_formats_as_the_library_does(self):
        with open(os.path.join(ROOT, "web/page/table.js"), encoding="utf-8") as file:
            page = dict(re.findall(r'\{ name: "(\w+)", ends: \[([^\]]*)\]', file.read()))
        known = {f.name.decode(): set(f.extensions.decode().split()) for f in self.formats}
        self.assertGreater(len(page), 8)
        for name, ends in page.items():
            # .xls is known so that the error says what it is; the library takes extensions in any letter case.
            wanted = {end.lower() for end in known[name]} - {"xls"}
            self.assertEqual(set(re.findall(r"\w+", ends)), wanted, name)

    def test_what_can_be_written(self):
        written = [f.name.decode() for f in self.formats if f.writes]
        self.assertEqual(written, ["csv", "tsv", "svmlight", "npy", "mtx", "pare"])
        self.assertEqual([f.name.decode() for f in self.formats if not f.holds_target], ["npy", "mtx"])

    def test_help_lists_formats_and_metrics(self):
        said = subprocess.run([os.environ["PARE"], "help", "path"], capture_output=True, text=True, check=True).stdout
        line = re.search(r"--format NAME +(.*)", said).group(1)
        self.assertTrue(line.startswith(" ".join(f.name.decode() for f in self.formats) + "; "), line)
        line = re.search(r"--metric NAME +(.*)", said).group(1)
        for task in ("binary", "ranking", "regression", "survival"):
            names = [m.name.decode() for m in rows(Metric, lib.metric_info, task.encode())]
            self.assertIn(" ".join(names), line)


if __name__ == "__main__":
    unittest.main()
