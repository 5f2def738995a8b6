"""assemble.py ROOT OUT: the site's sources, in the repository's own folders, with the pages of contents.py."""
import fnmatch
import os
import re
import shutil
import subprocess
import sys

from contents import CHILDREN, SECTIONS

LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")


def tracked(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True, check=True)
    return listed.stdout.split("\n")[:-1]


def pages_of(names, patterns):
    """Pages in the order of the patterns; `**` stands for any folders."""
    taken = []
    for pattern in patterns:
        found = sorted(n for n in names if fnmatch.fnmatch(n, pattern) and (n.count("/") == pattern.count("/") or "**" in pattern))
        taken += [n for n in found if n not in taken]
    return taken


def settle_links(text, page, root, wanted):
    """Links to folders go to their README; what else is linked to is copied too. Returns the text."""
    def settle(match):
        target = match[2]
        if re.match(r"[a-z]+:", target):
            return match[0]
        path = os.path.normpath(os.path.join(os.path.dirname(page), target))
        if os.path.isdir(os.path.join(root, path)):
            path, target = path + "/README.md", target.rstrip("/") + "/README.md"
        if not os.path.exists(os.path.join(root, path)):
            sys.exit(f"{page}: the link to {match[2]} leads nowhere")
        wanted.add(path)
        if path == "README.md":
            target = target.removesuffix("README.md") + "index.md"
        return match[1] + target + match[3]
    return "".join(part if k % 2 else LINK.sub(settle, part) for k, part in enumerate(re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)))


def toctree(pages, hidden=""):
    return f"\n```{{toctree}}\n:maxdepth: 1\n{hidden}\n" + "".join(f"/{p.removesuffix('.md')}\n" for p in pages) + "```\n"


def texts_of(root, out):
    """The text of every page by its path; ends with an error where a page has no place."""
    names = [n for n in tracked(root) if n.endswith(".md") and os.path.exists(os.path.join(root, n))]
    generated = [f"reference/{n}" for n in sorted(os.listdir(os.path.join(out, "reference")))]
    left, texts = [n for n in names if n != "README.md"] + generated, {}

    def take(patterns):
        pages = pages_of(left, patterns)
        left[:] = [n for n in left if n not in pages]
        for page in pages:
            with open(os.path.join(out if page in generated else root, page)) as file:
                texts[page] = file.read()
        return pages
    for page, patterns in CHILDREN.items():
        take([page])
        texts[page] += toctree(take(patterns), ":hidden:\n")
    for name, title, about, patterns in SECTIONS:
        pages = [p for q in patterns for p in ([q] if q in texts else take([q]))]
        texts[name + ".md"] = f"# {title}\n\n{about}\n{toctree(pages)}"
    with open(os.path.join(root, "README.md")) as file:
        texts["index.md"] = file.read() + toctree([name for name, *_ in SECTIONS], ":hidden:\n")
    lost = [n for n in left if n not in ("SECURITY.md", "CONTRIBUTING.md") and not n.startswith((".", "r/"))]
    if lost:
        sys.exit(f"in no section of site/contents.py: {', '.join(lost)}")
    return texts


def main(root, out):
    wanted, texts = set(), texts_of(root, out)
    sections = {name + ".md" for name, *_ in SECTIONS}
    for page, text in texts.items():
        if page not in sections and not page.startswith("reference/"):
            text = settle_links(text, page, root, wanted)
        path = os.path.join(out, page)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
    for path in wanted - set(texts) - {"README.md"}:
        os.makedirs(os.path.dirname(os.path.join(out, path)), exist_ok=True)
        shutil.copy(os.path.join(root, path), os.path.join(out, path))


if __name__ == "__main__":
    main(*sys.argv[1:])
