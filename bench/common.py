"""What the benches share: timing as a ratio in one run, and one table format.

Each bench/NAME.py takes the release build folder as its argument and prints, through row(), one
line per measurement: what, our seconds, the peer's seconds, ratio, goal. Absolute times mean little
on a shared machine; the ratio of two things measured in turn in one run does.
"""

import subprocess
import sys
import time


def best(function, repeats=5):
    """The smallest wall time of several calls: the run least disturbed by neighbours."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def run(program, *arguments, **keywords):
    """Runs one of our bench programs; its stdout lines are `key value`, returned as a dict."""
    out = subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True,
                         **keywords).stdout
    return {key: float(value) for key, value in (line.split() for line in out.splitlines())}


def row(what, ours, peer, goal, ratio=None, note=""):
    """Prints one measurement. goal is the text of the aim, such as '>= 5x'."""
    ratio = peer / ours if ratio is None else ratio
    print(f"{what}\t{ours:.4g}\t{peer:.4g}\t{ratio:.3g}\t{goal}\t{note}")
    sys.stdout.flush()


def build_folder():
    return sys.argv[1] if len(sys.argv) > 1 else "build/release"
