"""Formulas in block comments that a formatter, or a wrapped line, has broken; one line `FILE:LINE: why` for each.

A formula stands on one line, or the next begins with an operator and is indented deeper. A section of a header
comment, LABEL and text, is indented to its text; what follows the sections begins with a sentence.
"""
import re
import sys

OPERATOR = r"(?:=|\+|-|<=|>=|<|>|/|\*)"
ENDS = re.compile(r"\w[^`]* %s$" % OPERATOR)
BEGINS = re.compile(r"(?:=|\+|<=|>=|/) \S")
SECTION = re.compile(r"( *)([A-Z]{2,}(?:[ ,]+[A-Z]{2,})*)( +)(?=\S)")
LABELS = {"PROBLEM", "SYMBOLS", "ALGORITHM", "COST", "GUARANTEE", "STOPPING", "DEVIATIONS"}
INSIDE = re.compile(r"[^.:;,] (?:%s) [a-z]" % "|".join(sorted(LABELS)))


def blocks(text):
    """Block comments of two lines and more: the number of the first line, and the lines without their stars."""
    for found in re.finditer(r"/\*.*?\*/", text, re.S):
        lines = found.group().split("\n")
        if len(lines) > 1:
            lines = [re.sub(r"\*/\s*$", "", re.sub(r"^\s*(?:/\*| ?\*)", "", line)).rstrip() for line in lines]
            yield text.count("\n", 0, found.start()) + 1, lines


def indent(line):
    return len(line) - len(line.lstrip())


def judge(lines):
    """Pairs of a line's place in the comment and what is wrong with it."""
    column = None  # of the text of the section that the line is in
    before = ""
    for at, line in enumerate(lines):
        text = line.strip()
        label = SECTION.match(line)
        words = set(label[2].replace(",", " ").split()) if label else set()
        is_label = label and (len(label[3]) > 1 or (column and words <= LABELS))
        if ENDS.search(text):
            yield at, "the line ends in an operator"
        if before and BEGINS.match(text) and indent(line) <= indent(before):
            yield at, "the line begins with an operator and is not indented"
        if not text:
            column = None
        elif is_label:
            column = label.end()
        elif column and indent(line) < column:
            if not re.match("[A-Z`]", text):
                yield at, "a section goes on left of its text"
            column = None
        if INSIDE.search(text) and not is_label:
            yield at, "a label inside a line"
        before = line


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        for first, lines in blocks(file.read()):
            for at, why in judge(lines):
                print(f"{path}:{first + at}: {why}: {lines[at].strip()[:60]}")
