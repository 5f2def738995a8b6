#!/usr/bin/env python3
"""Random problems, tampering, faults and kills against the command line, for so many minutes.

    stress.py MINUTES PARE SHIM FOLDER [SEED]

Every trial has a number from which it is drawn, so that SEED repeats it. What goes wrong is kept in
FOLDER/finding-NUMBER/ with the command in `command`. The last line says what was run.
"""
import collections
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import judge
import problems

LIMIT = 8  # seconds that a fit may take, by --time-limit
GRACE = 30  # and how much later it must have ended


class Finding(Exception):
    pass


class Trial:
    def __init__(self, number, pare, shim):
        self.r = random.Random(number)
        self.number, self.pare, self.shim = number, pare, shim
        self.commands = []

    def run(self, *words, env=None, ends=(0, 1, 2, 3)):
        command = [self.pare, *words]
        shown = [f"{k}={v}" for k, v in (env or {}).items()] + command
        self.commands.append(" ".join(map(shlex.quote, shown)))
        try:
            done = subprocess.run(command, capture_output=True, timeout=LIMIT + GRACE, env={**os.environ, **(env or {})})
        except subprocess.TimeoutExpired:
            raise Finding("does not end")
        if done.returncode not in ends:
            raise Finding(f"exit {done.returncode}: {done.stderr[-300:].decode(errors='replace')}")
        said = [line for line in done.stderr.decode(errors="replace").splitlines() if "warning: " not in line]
        if done.returncode in (1, 2) and len(said) != 1:
            raise Finding(f"an error of {len(said)} lines: {said}")
        return done

    def problem(self, method):
        task = self.r.choice(method["tasks"].split(", "))
        data, rows, d, missing = problems.table(self.r, task, "data")
        fill = ["--missing", self.r.choice(["mean", "median"])] if missing else []
        return data, rows, [*fill, "-m", method["name"], *problems.settings(self.r, method, task, d), "--time-limit", str(LIMIT), "--quiet"]

    def fit(self, data, words, out, *more, **options):
        done = self.run("fit", *data, *words, "-o", out, *more, **options)
        if done.returncode != 0:
            if os.path.exists(out):
                raise Finding("a failed fit left a model")
            return None
        with open(out, "rb") as f:
            return f.read()


def parsed(text):
    def refuse(word):
        raise Finding(f"the model holds {word}")
    return json.loads(text, parse_constant=refuse)


def is_cut(model):
    parts = [model, model.get("selection") or model]
    return any(p["outcome"] in ("time_limit", "cancelled") for p in parts)


def fit_trial(t, method):
    """Certificate, check, hand prediction and threads of one random fit."""
    data, rows, words = t.problem(method)
    text = t.fit(data, words, "one.json", "--threads", "1")
    if text is None:
        return "refused"
    model = parsed(text)
    wrong = judge.outcome(model)
    if wrong:
        raise Finding(wrong)
    if is_cut(model):
        return "stopped"
    if t.fit(data, words, "three.json", "--threads", "3") != text:
        if not is_cut(parsed(open("three.json").read())):
            raise Finding("three threads give other bytes than one")
    done = t.run("check", "one.json", *data, "--time-limit", str(3 * LIMIT))
    if done.returncode != 0 and b"time limit" not in done.stderr and b"stopped" not in done.stderr:
        raise Finding("check refuses an honest model: " + done.stderr.decode(errors="replace").strip())
    done = t.run("predict", "one.json", *data)
    if done.returncode != 0:
        raise Finding("no prediction: " + done.stderr.decode(errors="replace").strip())
    if rows:
        wrong = judge.compare(model, rows, [line.split("\t") for line in done.stdout.decode().splitlines()])
        if wrong:
            raise Finding(wrong)
    return "fitted"


def tamper_trial(t, method):
    data, _, words = t.problem(method)
    text = t.fit(data, words, "model.json")
    if text is None or is_cut(parsed(text)):
        return "refused"
    if t.run("check", "model.json", *data).returncode != 0:
        return "refused"  # the fit trials judge that
    model, where = judge.tampered(t.r, parsed(text))
    if model is None:
        return "refused"
    with open("tampered.json", "w") as f:
        json.dump(model, f)
    if t.run("check", "tampered.json", *data).returncode == 0:
        raise Finding(f"check blesses a changed {where}")
    return "tampered"


def fault_trial(t, method):
    """One failing call: the old files or the new ones, whole, and nothing beside them."""
    data, _, words = t.problem(method)
    text = t.fit(data, words, "model.json", "--ranking", "ranking.tsv", "--threads", "1")
    if text is None or is_cut(parsed(text)):
        return "refused"
    good = {"model.json": text, "ranking.tsv": open("ranking.tsv", "rb").read()}
    old = {name: b"of last week\n" for name in good}
    for name, words_of_old in old.items():
        with open(name, "wb") as f:
            f.write(words_of_old)
    before = sorted(os.listdir("."))
    name = t.r.choice(["write", "fwrite", "fflush", "fsync", "rename", "mmap", "read"])
    fault = f"{name}:{t.r.randint(1, 4 if name != 'mmap' else 60)}"
    done = t.run("fit", *data, *words, "-o", "model.json", "--ranking", "ranking.tsv", "--threads", "1",
                 env={"LD_PRELOAD": t.shim, "FAULT": fault})
    now = {n: open(n, "rb").read() for n in good}
    if sorted(os.listdir(".")) != before:
        raise Finding(f"{fault} leaves files behind: {sorted(set(os.listdir('.')) - set(before))}")
    if any(now[n] not in (old[n], good[n]) for n in good):
        raise Finding(f"{fault} leaves a file that is neither old nor new")
    if done.returncode == 0 and now != good:
        raise Finding(f"{fault}: exit 0 without the files")
    if name == "read" and done.returncode != 0:
        raise Finding("a short read is an error")
    return "faulted"


def kill_trial(t, method):
    """A path killed at a random moment and taken up again gives the bytes of one run."""
    if "ranking" in method["tasks"] or method["tasks"] == "regression":
        return "refused"
    data, _, _ = t.problem(method)
    command = ["path", *data, "-m", method["name"], "--missing", "mean", "--task", "classify", "--folds", "2", "--repeats", "3", "--quiet"]
    began = time.time()
    try:
        whole = subprocess.run([t.pare, *command, "-o", "whole.json"], capture_output=True, timeout=GRACE)
    except subprocess.TimeoutExpired:
        return "refused"
    if whole.returncode != 0:
        return "refused"
    took = time.time() - began
    again = command + ["-o", "again.json", "--checkpoint", "kept"]
    for _ in range(3):
        t.commands.append(" ".join(map(shlex.quote, [t.pare, *again])) + " # killed")
        p = subprocess.Popen([t.pare, *again], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(t.r.uniform(0, took))
        p.send_signal(t.r.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
        p.wait(timeout=GRACE)
    done = t.run(*again)
    if done.returncode != 0:
        raise Finding("cannot be taken up again: " + done.stderr.decode(errors="replace").strip())
    if open("again.json", "rb").read() != open("whole.json", "rb").read():
        raise Finding("taken up again it gives other bytes")
    return "killed"


TRIALS = [fit_trial] * 14 + [tamper_trial] * 3 + [fault_trial] * 2 + [kill_trial]


def main():
    minutes, pare, shim, folder = float(sys.argv[1]) * 2 / 3, os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3]), os.path.abspath(sys.argv[4])
    only = int(sys.argv[5]) if len(sys.argv) > 5 else None
    number = only if only is not None else int(time.time() * 1000)
    known, tally, found = problems.methods(pare), collections.Counter(), []
    os.makedirs(folder, exist_ok=True)
    end = time.time() + 60 * minutes
    asked = []  # to stop: the tally is printed all the same
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: asked.append(True))
    while (time.time() < end or only is not None) and not asked:
        t = Trial(number, pare, shim)
        place = tempfile.mkdtemp(prefix="stress-")
        os.chdir(place)
        kind, method = t.r.choice(TRIALS), t.r.choice(known)
        try:
            tally[kind(t, method)] += 1
        except Finding as what:
            tally["found"] += 1
            kept = os.path.join(folder, f"finding-{number}")
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(place, kept)
            with open(os.path.join(kept, "command"), "w") as f:
                f.write("\n".join([f"# {what}", *t.commands]) + "\n")
            print(f"finding {number} ({method['name']}, {kind.__name__}): {what}", flush=True)
        os.chdir("/")
        shutil.rmtree(place, ignore_errors=True)
        number += 1
        if only is not None:
            break
    trials = sum(tally.values())
    print(f"{trials} trials: " + ", ".join(f"{n} {what}" for what, n in tally.most_common()))
    return 1 if tally["found"] else 0


if __name__ == "__main__":
    sys.exit(main())
