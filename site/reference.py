"""reference.py ROOT PARE OUT: the pages that the program's own tables, R's manual and the headers fill."""
import html
import json
import os
import re
import subprocess
import sys


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def cell(text):
    return html.escape(text, quote=False).replace("|", "\\|").replace("*", "\\*").replace("_", "\\_").replace("<br>", "")


def command_page(pare, name):
    """A command's help as a section: what it does, then a table for each group of options."""
    lines = said(pare, "help", name).split("\n")
    usage, *rest = lines
    out, table, intro = [f"\n## pare {name}\n\n```\n{usage.removeprefix('Usage: ')}\n```\n"], False, []
    for line in rest:
        option = re.match(r"  ((?:-\w(?:, --\S+)?|--\S+)(?: \S*[|A-Z]\S*)?) +(\S.*)$", line)
        heading = re.match(r"(\S.*):$", line)
        if option:
            if not table:
                out.append("\n| option | meaning |\n|---|---|")
            table = True
            out.append(f"| `{option[1]}` | {cell(option[2])} |".replace(option[1], option[1].replace('|', '\\|'), 1))
        elif heading:
            out.append(f"\n**{heading[1]}**")
            table = False
        elif table and line.strip():
            out[-1] = out[-1][:-2] + " " + cell(line.strip()) + " |"
        elif not table:
            intro.append(line)
            out.append(f"```\n{line.strip()}\n```" if line.startswith("  ") else line)
    return "\n".join(out)


def commands(pare):
    names = sorted(set(re.findall(r"^  pare (\w+)", said(pare, "help"), re.M)) - {"help"},
                   key=lambda name: said(pare, "help").index(f"  pare {name}"))
    return "# Commands\n\nAs `pare help COMMAND` prints them.\n" + "".join(command_page(pare, name) for name in names)


def settings(pare):
    out = ["# Settings\n\nEach is an option of `fit` and `path` (`--C 10`), a keyword in Python (`C=10`) and an argument in R. "
           "`pare methods METHOD` prints the same.\n"]
    methods, common = json.loads(said(pare, "methods", "--json")), {}
    for method in methods:
        rows = json.loads(said(pare, "methods", method["name"], "--json"))["settings"]
        common.update({s["name"]: s for s in rows if s["common"]})
        own = [s for s in rows if not s["common"]]
        page = f"[{method['name']}](../docs/methods/{method['name']}.md)"
        out.append(f"\n## {method['name']}\n\n{page}: {cell(method['summary'])}. Tasks: {method['tasks']}.\n")
        out.append(table(own) if own else "No settings of its own.\n")
    out.insert(1, "\n## Of every method\n\n" + table(common.values()))
    return "\n".join(out)


def table(rows):
    lines = "".join(f"| `{s['name'].replace('_', '-')}` | {cell(s['doc'])} | {cell(s['allowed'])} | {cell(s['default'])} |\n" for s in rows)
    return "| setting | meaning | allowed | default |\n|---|---|---|---|\n" + lines


def python_page(root):
    sys.path.insert(0, os.path.join(root, "python"))
    import pare
    out = ["# Python\n\nThe names of the package `pare`; [the guide](../docs/python.md) shows them at work.\n"]
    for name in pare.__all__:
        if name.startswith("_"):
            continue
        thing = getattr(pare, name)
        if isinstance(thing, type):
            own = issubclass(thing, Exception)
            kind = f"autoclass:: pare.{name}" + ("" if own else "\n   :members:" + documented(thing))
        elif callable(thing):
            kind = f"autofunction:: pare.{name}"
        else:
            continue
        out.append(f"\n## {name}\n\n```{{eval-rst}}\n.. {kind}\n```\n")
    return "".join(out)


def documented(thing):
    """Leaves out members that the docstring lists as attributes already."""
    named = re.findall(r"^ *(\w+) : ", thing.__doc__ or "", re.M)
    lost = [n for n in named if n in dir(thing)]
    return f"\n   :exclude-members: {', '.join(lost)}" if lost else ""


def r_page(root):
    out = ["# R\n\nThe manual of the package; [the guide](../docs/r.md) shows it at work.\n"]
    folder = os.path.join(root, "r", "man")
    for name in sorted(os.listdir(folder)):
        page = said("R", "CMD", "Rdconv", "--type=html", os.path.join(folder, name))
        body = re.search(r"<body>(.*)</body>", page, re.S)[1]
        body = re.sub(r"<table[^>]*>\s*<tr>\s*<td>[^<]*</td>\s*<td[^>]*>R Documentation.*?</table>", "", body, count=1, flags=re.S)
        title = re.search(r"<h2>(.*?)</h2>", body, re.S)[1].strip()
        body = re.sub(r"<h2>.*?</h2>", "", body, count=1, flags=re.S).replace("<h3>", "<h4>").replace("</h3>", "</h4>")
        body = re.sub(r"</?div[^>]*>|<hr[^>]*>", "", body)
        body = re.sub(r"<a href=\"[^\"]*\">(.*?)</a>", r"\1", body, flags=re.S)
        out.append(f"\n## {name[:-3]}\n\n{title}.\n\n```{{raw}} html\n{body}\n```\n")
    return "".join(out)


def c_page(root):
    out = ["# C\n\nThe headers under `include/pare`, `#include <pare/pare.h>` takes all of them.\n"]
    folder = os.path.join(root, "include", "pare")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name)) as file:
            about = re.match(r"/\* (.*?) \*/", file.read(), re.S)
        if name in ("pare.h", "export.h"):
            continue
        out.append(f"\n## {name}\n\n{plain(about[1])}\n\n"
                   f"```{{eval-rst}}\n.. doxygenfile:: {name}\n   :project: pare\n   :sections: func define enum typedef var innerclass public-attrib\n```\n")
    return "".join(out)


def plain(comment):
    """A comment's text without the stars at the left."""
    return re.sub(r"(?m)^ \* ?", "", comment)


def main(root, pare, out):
    pages = {"commands": commands(pare), "settings": settings(pare), "python": python_page(root), "r": r_page(root), "c": c_page(root)}
    os.makedirs(os.path.join(out, "reference"), exist_ok=True)
    for name, text in pages.items():
        with open(os.path.join(out, "reference", name + ".md"), "w") as file:
            file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
