"""check_links.py SITE: every local link of every page leads to a file, and to a part that is there."""
import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links = {""}, set()
        with open(path) as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.add(given.get("id", given.get("name", "")))
        self.links.update(given[name] for name in ("href", "src") if given.get(name))


def main(site):
    pages = {os.path.join(folder, name): None for folder, _, names in os.walk(site) for name in names if name.endswith(".html")}
    pages = {path: Page(path) for path in pages}
    wrong, count = [], 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            to = os.path.normpath(os.path.join(os.path.dirname(path), unquote(parts.path))) if parts.path else path
            if not os.path.exists(to) or (to in pages and unquote(parts.fragment) not in pages[to].ids):
                wrong.append(f"{os.path.relpath(path, site)}: {link}")
    print("\n".join(sorted(wrong)) or f"{count} links in {len(pages)} pages")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
