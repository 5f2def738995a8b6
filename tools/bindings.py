#!/usr/bin/env python3
"""The parts of the Python and R packages that repeat C declarations, made from those declarations.

    bindings.py            writes python/pare/_declared.py and r/src/routines.h
    bindings.py --check    says which of them is not what the headers give, with exit code 1

Python: every struct, enumeration and function of include/pare for ctypes. In an argument, a pointer to text that the
library only reads is c_char_p, one to a struct whose fields are public POINTER(Struct), any other c_void_p, which takes
None, an address and byref(). R: the routines `SEXP rpare_...` that the files of r/src define, with their registration.
"""
import difflib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUMBERS = {"bool": "c_bool", "char": "c_char", "int": "c_int", "double": "c_double", "float": "c_float", "size_t": "c_size_t",
           "int8_t": "c_int8", "int32_t": "c_int32", "int64_t": "c_int64", "uint64_t": "c_uint64"}
PYTHON_WORDS = {"lambda"}
PYTHON_HEAD = '''"""The C interface as ctypes sees it. Made by tools/bindings.py from include/pare: change the headers, then run it."""

from ctypes import (CFUNCTYPE, POINTER, Structure, %s)

'''
R_HEAD = """/* The routines that R may call. Made by tools/bindings.py from their definitions in this folder. */
#ifndef PARE_ROUTINES_H
#define PARE_ROUTINES_H
/* clang-format off */

"""


class Header:
    """The declarations of all public headers, in an order in which each type comes before its use."""

    def __init__(self, folder):
        self.enums, self.structs, self.callbacks, self.functions = {}, {}, {}, {}
        texts = {p.name: plain(p.read_text()) for p in sorted(folder.glob("*.h"))}
        for name in in_order(texts):
            self.read(texts[name])

    def read(self, text):
        for m in re.finditer(r"typedef enum \w+ \{([^}]*)\} (\w+);", text):
            self.enums[m.group(2)] = enumerators(m.group(1))
        for m in re.finditer(r"typedef ([^;{}]*\(\*(\w+)\)\([^;]*\));", text):
            self.callbacks[m.group(2)] = m.group(1)
        for m in re.finditer(r"typedef struct \w+ \{(.*?)\} (\w+);", text, re.S):
            self.structs[m.group(2)] = [one.strip() for one in m.group(1).split(";") if one.strip()]
        for m in re.finditer(r"PARE_API (?:PARE_NODISCARD )?([^;(]*?)(\w+)\(([^;]*)\);", text):
            self.functions[m.group(2)] = (m.group(1).strip(), split_arguments(m.group(3)))


def plain(text):
    """Without comments and lines for the preprocessor, white space folded."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^#include <pare/(\w+\.h)>$", r"@include \1;", text, flags=re.M)
    text = re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*$", " ", text, flags=re.M)
    return re.sub(r"\s+", " ", text)


def in_order(texts):
    """The headers' names, each behind those that it includes."""
    done = []

    def visit(name):
        if name not in done:
            for other in re.findall(r"@include (\w+\.h);", texts[name]):
                visit(other)
            done.append(name)

    for name in texts:
        visit(name)
    return done


def enumerators(text):
    values, next_value = {}, 0
    for one in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = (part.strip() for part in one.partition("="))
        values[name] = next_value = int(value) if value else next_value
        next_value += 1
    return values


def split_arguments(text):
    """The arguments of a declaration: commas inside parentheses do not count."""
    found, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            found.append("")
        else:
            found[-1] += c
    return [one.strip() for one in found if one.strip() not in ("", "void")]


# --- Python ---


def class_name(c_name):
    """pare_ctx -> Ctx, pare_path_options -> PathOptions."""
    return "".join(part.capitalize() for part in c_name[len("pare_"):].split("_"))


class Python:
    def __init__(self, header):
        self.header = header

    def base(self, words):
        """The ctypes name of a type without pointers, or None for one that is opaque."""
        name = words.replace("const ", "").replace("struct ", "").strip()
        if name in NUMBERS:
            return NUMBERS[name]
        if name in self.header.enums:
            return "c_int"
        return class_name(name) if name in self.header.structs else None

    def value(self, declared, argument):
        """The ctypes of `const double *x`, `char buffer[32]`, ..., and the name declared."""
        callback = re.match(r"(.*)\(\*(\w+)\)\((.*)\)$", declared)
        if callback:
            return self.callback(callback.group(1), callback.group(3)), callback.group(2)
        m = re.match(r"(.*?)([\s*]*(?:const)?[\s*]*)\b(\w+)(\[\w*\])?$", declared)
        words, stars, name, size = m.group(1).strip(), m.group(2).count("*"), m.group(3), m.group(4)
        if size and argument:
            stars += 1
        kind = self.base(words)
        if words in self.header.callbacks:
            return "c_void_p", name
        if stars == 0:
            kind = kind or "c_void_p"
            return (kind + " * " + size.strip("[]") if size else kind), name
        return self.pointer(words, kind, stars, argument), name

    def pointer(self, words, kind, stars, argument):
        text = kind == "c_char" and words.startswith("const")
        public = words.replace("const ", "").replace("struct ", "").strip() in self.header.structs
        if stars == 1 and text:
            return "c_char_p"
        if stars == 1 and public and kind != "Ranks":
            return "POINTER(%s)" % kind
        if argument or kind is None or kind == "Ranks":
            return "c_void_p"
        if stars == 2 and text:
            return "POINTER(c_char_p)"
        return "POINTER(%s)" % kind

    def callback(self, result, arguments):
        given = [self.value(one, True)[0] for one in split_arguments(arguments)]
        return "CFUNCTYPE(%s)" % ", ".join([self.result(result)] + given)

    def result(self, declared):
        if declared.strip() == "void":
            return "None"
        return self.value(declared + " result", False)[0]

    def text(self):
        parts = []
        for name, values in self.header.enums.items():
            parts.append("%s = {%s}" % (name[len("pare_"):].upper(), ", ".join(
                '%d: "%s"' % (value, one) for one, value in values.items())))
        for name, fields in self.header.structs.items():
            parts.append("\n\nclass %s(Structure):\n    _fields_ = [%s]" % (class_name(name), ",\n                ".join(
                '("%s", %s)' % self.field(one) for one in fields_of(fields))))
        parts.append("\n\n#: Of each function of the library its result and its arguments.\nFUNCTIONS = {")
        for name, (result, arguments) in self.header.functions.items():
            given = [self.value(one, True)[0] for one in arguments]
            parts.append('    "%s": (%s, [%s]),' % (
                name, '"status"' if result == "pare_status" else self.result(result), ", ".join(given)))
        body = wrapped("\n".join(parts + ["}"]))
        used = sorted({one for one in re.findall(r"\bc_\w+", body)})
        return wrapped(PYTHON_HEAD % ", ".join(used)) + body + "\n"

    def field(self, declared):
        kind, name = self.value(declared, False)
        return name + "_" if name in PYTHON_WORDS else name, kind


def fields_of(lines):
    """`double mean, se` as two declarations."""
    for line in lines:
        parts = [one for one in split_arguments(line)]
        yield parts[0]
        start = re.match(r"(.*?)[\s*]*\b\w+(\[\w*\])?$", parts[0])
        for one in parts[1:]:
            yield start.group(1) + " " + one


def wrapped(text, width=120):
    """Lines broken behind commas, and indented by four or to the opening bracket."""
    out = []
    for line in text.split("\n"):
        indent = None
        while len(line) > width:
            if indent is None:
                at = max(line.find("["), line.find("{"), line.find("(") if line.startswith("from") else -1)
                indent = " " * (8 if line.startswith('    "pare') else at + 1)
            cut = line.rfind(", ", 0, width) + 1
            out.append(line[:cut])
            line = indent + line[cut + 1:]
        out.append(line)
    return "\n".join(out)


# --- R ---


def routines(folder):
    """The name of each routine that a file defines, and of its arguments."""
    found = []
    for path in sorted(folder.glob("*.c")):
        for m in re.finditer(r"^SEXP (rpare_\w+)\(([^)]*)\) \{", path.read_text(), re.M):
            arguments = re.sub(r"\s+", " ", m.group(2))
            if all(one.startswith("SEXP ") for one in split_arguments(arguments)):
                found.append((m.group(1), arguments))
    return found


def r_text(folder):
    found = routines(folder)
    lines = [wrapped_c("SEXP %s(%s);" % one) for one in found]
    rows = ["    {\"%s\", (DL_FUNC)&%s, %d}," % (name[len("rpare_"):], name, len(split_arguments(arguments)))
            for name, arguments in found]
    return "%s%s\n\n#define RPARE_ROUTINES \\\n%s \\\n    {NULL, NULL, 0}\n\n#endif\n" % (
        R_HEAD, "\n".join(lines), " \\\n".join(rows))


def wrapped_c(line, width=100):
    if len(line) <= width:
        return line
    cut = line.rfind(", ", 0, width) + 1
    return line[:cut] + "\n" + " " * (line.index("(") + 1) + line[cut + 1:]


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    made = {ROOT / "python/pare/_declared.py": Python(Header(ROOT / "include/pare")).text(),
            ROOT / "r/src/routines.h": r_text(ROOT / "r/src")}
    wrong = 0
    for path, text in made.items():
        there = path.read_text() if path.exists() else ""
        if arguments and there != text:
            wrong = 1
            print("%s is not what tools/bindings.py makes: run it" % path.relative_to(ROOT))
            print("\n".join(list(difflib.unified_diff(there.split("\n"), text.split("\n"), lineterm="", n=0))[:20]))
        if not arguments:
            path.write_text(text)
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
