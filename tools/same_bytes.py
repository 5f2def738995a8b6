#!/usr/bin/env python3
"""Whether two builds of pare give the same bytes: for changes of the source that must change no result.

    same_bytes.py record CHECKOUT MANIFEST [--build DIR] [--jobs N] [--seed N] [--only PATTERN]
    same_bytes.py compare A B [--most N] [--except PATTERN]... [--only PATTERN]

`record` runs the command line, the Python package and the R package of CHECKOUT, a source tree with its build in
DIR (default: build/release), and writes a line for each artefact to MANIFEST:

    sha256 TAB exit code TAB what        (what: case: command > stdout, stderr or the file that it wrote)

MANIFEST.d/ keeps the artefacts, so that `compare` can show how they differ. A baseline is thus recorded once. What is
run is in same_bytes_cases.py: every method that the binary lists, on each of its tasks, with every choice of its
settings, on data drawn from --seed (default 1). PATTERN is a regular expression: --only takes the cases whose titles
have it, --except the artefacts that are expected to differ.

Both builds must run on one machine: BLAS takes other routines, and so other roundings, on another processor.
"""
import argparse
import concurrent.futures
import difflib
import gzip
import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from same_bytes_cases import cases
from same_bytes_data import draw_data

TIMEOUT_S = 3600  # of a command that hangs: on a busy machine one that works may take minutes
HELPERS = ("same_bytes_api.py", "same_bytes_api.R")
MAX_DIFF_LINES, MAX_LINE = 14, 200

# What is not expected to be the same in two runs: the closing line of --verbose has seconds and megabytes, Python's word
# for an object its address.
UNSTABLE = [(re.compile(rb"[\d.e+-]+ seconds, [\d.e+-]+ MB at most"), b"T seconds, M MB at most"),
            (re.compile(rb" object at 0x[0-9a-f]+"), b" object")]


# --- record ---


class Recorder:
    """Runs cases, each in a fresh folder, and keeps what they print and write."""

    def __init__(self, checkout, build, manifest, scratch):
        self.store = Path(f"{manifest}.d")
        self.store.mkdir(parents=True, exist_ok=True)
        self.scratch, self.data = scratch, scratch / "data"
        self.data.mkdir()
        for name in HELPERS:
            shutil.copy(Path(__file__).with_name(name), self.data)
        self.programs = {"pare": str(build / "pare"), "python": "/usr/bin/python3", "R": "Rscript"}
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(scratch), "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive",
            "PYTHONPATH": str(checkout / "python"), "PARE_LIBRARY": str(build / "libpare.so"),
            "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", "MPLBACKEND": "agg"}
        self.artefacts = {}

    def run(self, words, folder, stdin=b""):
        command = [self.programs.get(words[0], words[0]), *words[1:]]
        try:
            return subprocess.run(command, cwd=folder, env=self.environment, capture_output=True, input=stdin,
                                  timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise SystemExit(f"same_bytes.py: {shlex.join(words)}: no end after {TIMEOUT_S} seconds") from None

    def ask(self, *words):
        """What the binary says of itself."""
        done = self.run(("pare", *words), self.data)
        if done.returncode != 0:
            raise SystemExit(f"same_bytes.py: pare {shlex.join(words)}: {done.stderr.decode()}")
        return done.stdout.decode()

    def works(self, *words):
        return self.run(("pare", *words), self.data).returncode == 0

    def keep(self, what, code, content):
        for pattern, instead in UNSTABLE:
            content = pattern.sub(instead, content)
        digest = hashlib.sha256(content).hexdigest()
        if what in self.artefacts:
            raise SystemExit(f"same_bytes.py: two artefacts are called {what}")
        self.artefacts[what] = (digest, code)
        kept = self.store / f"{digest}.gz"
        if not kept.exists():
            aside = kept.with_suffix(f".{threading.get_ident()}")
            aside.write_bytes(gzip.compress(content, 3, mtime=0))
            aside.replace(kept)

    def run_case(self, number, case):
        """The commands of a case follow one another in one folder; relative names make the same messages anywhere. What
        a case asks of the model m.json is left out where the fit was refused."""
        folder = self.scratch / f"case-{number}"
        folder.mkdir()
        (folder / "data").symlink_to("../data")
        known = {}
        for words in case.commands:
            if words[2:3] == ["m.json"] and "m.json" not in known:
                continue
            done = self.run(words, folder, case.stdin)
            said = f"{case.title}: {shlex.join(words)}"
            self.keep(f"{said} > stdout", done.returncode, done.stdout)
            if done.stderr:
                self.keep(f"{said} > stderr", done.returncode, done.stderr)
            for path in sorted(p for p in folder.rglob("*") if p.is_file()):
                name, content = str(path.relative_to(folder)), path.read_bytes()
                if known.get(name) != content:
                    known[name] = content
                    self.keep(f"{said} > {name}", done.returncode, content)
        shutil.rmtree(folder)


def install_r(recorder, checkout, build):
    """Installs the R package of the checkout against its build, in a library of its own, as tests/r/test_r.sh does."""
    if not shutil.which("Rscript"):
        print("same_bytes.py: no Rscript here: the R package is left out", file=sys.stderr)
        return False
    scratch, environment = recorder.scratch, recorder.environment
    prefix, package, library = scratch / "prefix", scratch / "r-package", scratch / "r-library"
    library.mkdir()
    made = shutil.ignore_patterns("*.o", "*.so", "Makevars", "core", "core-build")
    shutil.copytree(checkout / "r", package, ignore=made)
    triplet = subprocess.run(["cc", "-print-multiarch"], capture_output=True, text=True).stdout.strip()
    environment["PKG_CONFIG_PATH"] = f"{prefix}/lib/pkgconfig:{prefix}/lib/{triplet}/pkgconfig"
    environment["R_LIBS"] = str(library)
    for words in (["cmake", "--install", str(build), "--prefix", str(prefix)],
                  ["R", "CMD", "INSTALL", "--no-test-load", "--no-docs", "-l", str(library), str(package)]):
        done = subprocess.run(words, env=environment, cwd=scratch, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"same_bytes.py: {shlex.join(words)} failed:\n{done.stdout}{done.stderr}")
    return True


def has_python(recorder):
    found = recorder.run(("python", "-c", "import numpy, scipy, sklearn, pandas"), recorder.scratch).returncode == 0
    if not found:
        print("same_bytes.py: no numpy, scipy, scikit-learn and pandas here: the Python package is left out",
              file=sys.stderr)
    return found


def record(arguments):
    started = time.monotonic()
    checkout, manifest = Path(arguments.checkout).resolve(), Path(arguments.manifest).resolve()
    build = (checkout / arguments.build).resolve()
    for needed in (build / "pare", build / "libpare.so", checkout / "python/pare", checkout / "r"):
        if not needed.exists():
            raise SystemExit(f"same_bytes.py: {needed} is not there; build with: cmake --preset release && "
                     f"cmake --build --preset release")
    with tempfile.TemporaryDirectory(prefix="same-bytes-") as scratch:
        recorder = Recorder(checkout, build, manifest, Path(scratch))
        draw_data(recorder.data, arguments.seed, recorder.ask)
        every = list(cases(recorder.ask, recorder.works))
        wanted = [c for c in every if re.search(arguments.only, c.title)]
        languages = {"Python": has_python, "R": lambda r: install_r(r, checkout, build)}
        for name, usable in languages.items():
            if any(c.title.startswith(name) for c in wanted) and not usable(recorder):
                wanted = [c for c in wanted if not c.title.startswith(name)]
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            runs = [pool.submit(recorder.run_case, i, case) for i, case in enumerate(wanted)]
            try:
                for run in concurrent.futures.as_completed(runs):
                    run.result()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
    lines = [f"{digest}\t{code}\t{what}\n" for what, (digest, code) in sorted(recorder.artefacts.items())]
    manifest.write_text("".join(lines))
    forget_others(recorder.store, {digest for digest, _ in recorder.artefacts.values()})
    print(f"{len(lines)} artefacts of {len(wanted)} cases in {time.monotonic() - started:.0f} seconds")


def forget_others(store, used):
    """Removes what an earlier manifest of this name kept."""
    for path in store.glob("*.gz"):
        if re.fullmatch("[0-9a-f]{64}", path.stem) and path.stem not in used:
            path.unlink()


# --- compare ---


def read_manifest(path, only):
    """{what: (sha256, exit code)} of the cases whose titles have the pattern."""
    rows = (line.split("\t", 2) for line in Path(path).read_text().splitlines())
    return {what: (digest, code) for digest, code, what in rows if re.search(only, what.split(": ")[0])}


def pieces(manifest, digest):
    """An artefact's lines, long ones cut after commas and tags; None: binary, or not kept."""
    try:
        text = gzip.decompress(Path(f"{manifest}.d", f"{digest}.gz").read_bytes()).decode()
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    if "\0" in text:
        return None
    return [piece for line in text.split("\n")
            for piece in (re.split(r"(?<=[,>\]])", line) if len(line) > MAX_LINE else [line])]


def show_difference(a, b, manifests):
    (old, old_code), (new, new_code) = a, b
    if old_code != new_code:
        print(f"    exit code {old_code}, now {new_code}")
    before, after = pieces(manifests[0], old), pieces(manifests[1], new)
    if before is None or after is None:
        print("    binary, or not kept")
        return
    diff = list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]
    for line in diff[:MAX_DIFF_LINES]:
        print("    " + line[:MAX_LINE])
    if len(diff) > MAX_DIFF_LINES:
        print(f"    ... {len(diff) - MAX_DIFF_LINES} more lines")


def compare(arguments):
    manifests = arguments.a, arguments.b
    a, b = (read_manifest(m, arguments.only) for m in manifests)
    expected, differ, missing = [], [], []
    for what in sorted(a.keys() | b.keys()):
        if a.get(what) == b.get(what):
            continue
        if any(re.search(pattern, what) for pattern in arguments.expected):
            expected.append(what)
        else:
            (differ if what in a and what in b else missing).append(what)
    for what in expected:
        print(f"expected: {what}")
    for what in missing:
        print(f"missing from {manifests[what in a]}: {what}")
    for number, what in enumerate(differ):
        print(f"differs: {what}")
        if number < arguments.most:
            show_difference(a[what], b[what], manifests)
    if expected:
        print(f"{len(expected)} artefacts differ or are missing as expected")
    equal = len(a.keys() | b.keys()) - len(expected) - len(differ) - len(missing)
    print(f"{equal} artefacts equal, {len(differ)} differ, {len(missing)} missing")
    return 1 if differ or missing else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    recording = commands.add_parser("record", help="run a build and write the manifest of its artefacts")
    recording.add_argument("checkout")
    recording.add_argument("manifest")
    recording.add_argument("--build", default="build/release", help="build folder, default build/release")
    recording.add_argument("--jobs", type=int, default=2, help="commands at a time, default 2")
    recording.add_argument("--seed", type=int, default=1, help="of the data, default 1")
    recording.set_defaults(run=record)
    comparing = commands.add_parser("compare", help="show what differs between two manifests")
    comparing.add_argument("a")
    comparing.add_argument("b")
    comparing.add_argument("--most", type=int, default=5, help="differences shown in detail, default 5")
    comparing.add_argument("--except", dest="expected", action="append", default=[], metavar="PATTERN",
                           help="artefacts that are expected to differ; may be repeated")
    comparing.set_defaults(run=compare)
    for each in (recording, comparing):
        each.add_argument("--only", default="", metavar="PATTERN", help="the cases whose titles have this")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the scratch folder goes
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
