"""Check that every link inside the built book leads somewhere; no network is needed.

    python book/_tools/links.py [FOLDER]        _build/html, unless another is named

Looked at are the addresses in every page (links, images, scripts, style sheets,
downloads) and in every style sheet: the file must be there, and in a page the anchor
too. Addresses on other hosts are for Sphinx's own builder: `make linkcheck EXTERNAL=1`.

LinkChecker (10.6, with its plugin AnchorCheck) was tried first: on these pages it had
not ended after five minutes. This takes seconds.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]
HTML = ROOT / "_build" / "html"

_IN_CSS = re.compile(r"""url\(\s*["']?([^"')]+?)["']?\s*\)|@import\s+["']([^"']+)""")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


class Page(HTMLParser):
    """The addresses in a page or a style sheet, and the anchors that others can lead
    to.
    """

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors, self._in_style = [], {"", "top"}, False
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".css":
            self._read_css(text)
        else:
            self.feed(text)
            self.close()

    def handle_starttag(self, tag, attrs):
        """Note what the attributes of an element name."""
        self._in_style = tag == "style"
        given = {name: value for name, value in attrs if value is not None}
        self.anchors |= {
            given[name]
            for name in ("id", "name")[: 2 if tag == "a" else 1]
            if name in given
        }
        self.links += [
            given[name]
            for name in ("href", "src", "poster", "xlink:href")
            if name in given
        ]
        self.links += [given["data"]] if tag == "object" and "data" in given else []
        self.links += [
            part.split()[0]
            for part in given.get("srcset", "").split(",")
            if part.strip()
        ]
        self._read_css(given.get("style", ""))
        if given.get("http-equiv", "").lower() == "refresh":
            self.links += re.findall(
                r"url=['\"]?([^'\"]+)", given["content"], re.IGNORECASE
            )

    def handle_data(self, data):
        """Note the addresses in a style sheet within the page."""
        if self._in_style:
            self._read_css(data)

    def handle_endtag(self, tag):
        """Leave a style sheet."""
        self._in_style = False

    def _read_css(self, text):
        self.links += [a or b for a, b in _IN_CSS.findall(_COMMENT.sub("", text))]


def dead_links(folder):
    """Return (file, address, what is missing) of each link that leads nowhere."""
    folder = Path(folder).resolve()
    # The theme leaves pieces of its templates in _static; nobody opens them.
    files = [f for f in folder.rglob("*.html") if "_static" not in f.parts] + [
        *folder.rglob("*.css")
    ]
    pages = {file.relative_to(folder).as_posix(): Page(file) for file in sorted(files)}
    found = []
    for name, page in pages.items():
        for link in dict.fromkeys(page.links):
            if missing := _missing(link, name, folder, pages):
                found.append((name, link, missing))
    return found


def _missing(link, name, folder, pages):
    """Say what is not there of the place that a link leads to."""
    address = urlsplit(link.strip())
    if address.scheme or address.netloc:
        return None
    if address.path.startswith("/"):
        return "it begins with /, and the book may stand in a subfolder"
    place = (
        (folder / name).parent / unquote(address.path)
        if address.path
        else folder / name
    )
    place = place.resolve()
    if not place.is_relative_to(folder):
        return "it leads out of the book"
    if place.is_dir():
        place /= "index.html"
    target = place.relative_to(folder).as_posix()
    if not place.is_file():
        return f"no file {target}"
    anchor = unquote(address.fragment)
    if (
        target in pages
        and target.endswith(".html")
        and anchor not in pages[target].anchors
    ):
        return f"no anchor {anchor} in {target}"
    return None


def main(folder=HTML):
    """Print the dead links, and return the exit status."""
    if not Path(folder, "index.html").exists():
        print("There is no book yet: run `make book` first.", file=sys.stderr)
        return 1
    found = dead_links(folder)
    for name, link, missing in found:
        print(f"{name}: {link}\n    {missing}", file=sys.stderr)
    print(
        f"{len(found)} dead links."
        if found
        else "Every link inside the book leads somewhere."
    )
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
