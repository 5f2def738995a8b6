"""run_page.py PAGE FOLDER: runs the code blocks of a page of Markdown, in order, in the folder.

```sh, ```python and ```r blocks run (bash, python3, Rscript), each language's blocks as one session would: what a Python or R block
makes is there for the next. A ```text block after one is what it prints: `...` stands for any text in a line, or for any lines.
The folder then has what the blocks wrote. PAGE_UPDATE=1 writes what was printed into the page instead of comparing.
"""
import os
import re
import subprocess
import sys

BLOCK = re.compile(r"^```(sh|python|r|text)\n(.*?)^```$\n?", re.M | re.S)
PROGRAM = {"sh": ["bash", "-euo", "pipefail"], "python": ["/usr/bin/python3", "-W", "ignore"], "r": ["Rscript", "--vanilla"]}
MARK = "--- the next block ---"
SAY = {"python": f'print("{MARK}", flush=True)\n', "r": f'cat("{MARK}\\n")\n'}


def run(language, code, folder):
    path = os.path.abspath(os.path.join(folder, f".block.{language}"))
    with open(path, "w") as file:
        file.write(code)
    done = subprocess.run([*PROGRAM[language], path], cwd=folder, capture_output=True, text=True)
    os.remove(path)
    if done.returncode:
        sys.exit(f"{language}:\n{code}\nexit {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def outputs(blocks, folder):
    """What each block prints; the earlier blocks of a language run again before it, as their session would have."""
    printed, before = [], {"sh": "", "python": "", "r": ""}
    for language, code in blocks:
        if language == "sh":
            printed.append(run("sh", code, folder))
            continue
        before[language] += SAY[language] + code
        printed.append(run(language, before[language], folder).split(MARK + "\n")[-1])
    return printed


def differs(wanted, printed):
    """The first line of the page that is not printed, or None."""
    pattern = "".join(r"(.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n" for line in wanted.rstrip("\n").split("\n"))
    if re.fullmatch(pattern, printed):
        return None
    have = printed.split("\n")
    lost = [w for w in wanted.split("\n") if w != "..." and not any(re.fullmatch(".*".join(map(re.escape, w.split("..."))), h) for h in have)]
    return lost[0] if lost else "(the same lines in another order, or among others)"


def main(page, folder):
    with open(page) as file:
        text = file.read()
    os.makedirs(folder, exist_ok=True)
    found = [(m[1], m[2], m) for m in BLOCK.finditer(text)]
    code = [(language, body) for language, body, _ in found if language != "text"]
    if not code:
        sys.exit(f"{page}: there is no code in it")
    printed, at, compared = outputs(code, folder), -1, 0
    for language, body, match in reversed(found):
        if language != "text":
            continue
        at = sum(1 for of, _, m in found if of != "text" and m.start() < match.start()) - 1
        compared += 1
        if os.environ.get("PAGE_UPDATE"):
            lines = "\n".join(line.rstrip() for line in printed[at].rstrip("\n").split("\n"))
            text = text[:match.start()] + f"```text\n{lines}\n```\n" + text[match.end():]
            continue
        shown = "\n".join(line.rstrip() for line in printed[at].rstrip("\n").split("\n")) + "\n"
        wrong = differs(body, shown)
        if wrong is not None:
            sys.exit(f"{page}: not printed: {wrong}\nbut\n{shown}")
    if os.environ.get("PAGE_UPDATE"):
        with open(page, "w") as file:
            file.write(text)
    print(f"{len(code)} blocks, {compared} compared")


if __name__ == "__main__":
    main(*sys.argv[1:])
