"""What the library lists of formats and metrics, and what repeats such a list."""

import json
import os
import re
import subprocess
import unittest

from pare._declared import Format, Metric
from pare._lib import byref, lib


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

    def test_the_page_is_given_the_list_of_formats(self):
        said = json.loads(self.printed("generate", "formats"))
        self.assertEqual([row["name"] for row in said], [f.name.decode() for f in self.formats])
        for row, f in zip(said, self.formats):
            for field, value in row.items():
                mine = getattr(f, field)
                self.assertEqual(value, mine if isinstance(mine, bool) else mine.decode(), (row["name"], field))
        lines = [f.name.decode() for f in self.formats if f.lines]
        self.assertEqual((lines, [f.name.decode() for f in self.formats if not f.alone]), (["csv", "tsv"], ["10x", "bed"]))

    def test_help_of_convert_lists_what_can_be_written(self):
        said = self.printed("help", "convert")
        self.assertIn(" ".join("." + f.extensions.decode().split()[0] for f in self.formats if f.writes), said)

    def printed(self, *arguments):
        return subprocess.run([os.environ["PARE"], *arguments], capture_output=True, text=True, check=True).stdout

    def test_what_can_be_written(self):
        written = [f.name.decode() for f in self.formats if f.writes]
        self.assertEqual(written, ["csv", "tsv", "svmlight", "npy", "mtx", "pare"])
        self.assertEqual([f.name.decode() for f in self.formats if not f.holds_target], ["npy", "mtx"])

    def test_help_lists_formats_and_metrics(self):
        said = self.printed("help", "path")
        line = re.search(r"--format NAME +(.*)", said).group(1)
        self.assertTrue(line.startswith(" ".join(f.name.decode() for f in self.formats) + "; "), line)
        line = re.search(r"--metric NAME +(.*)", said).group(1)
        for task in ("binary", "ranking", "regression", "survival"):
            names = [m.name.decode() for m in rows(Metric, lib.metric_info, task.encode())]
            self.assertIn(" ".join(names), line)


if __name__ == "__main__":
    unittest.main()
