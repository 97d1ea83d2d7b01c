"""Print the whole book as one PDF: _build/book.pdf.

    python book/_tools/pdf.py

Sphinx writes all pages into one, with one count of figures and with references that stay inside;
Chromium prints it. The contents need the numbers of the pages, which are known when it has been printed:
so it is printed twice.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bs4 import BeautifulSoup
from pypdf import PdfReader

ROOT = Path(__file__).resolve().parents[2]
SINGLE = ROOT / "_build" / "single" / "_build" / "singlehtml"
PDF = ROOT / "_build" / "book.pdf"


def write_page():
    """Build all pages as one, and return it."""
    command = [
        sys.executable, "-c", "from jupyter_book.cli.main import main; main()",
        "build", "--builder", "singlehtml", "--path-output", str(SINGLE.parents[1]), str(ROOT),
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if found.returncode:
        sys.exit(f"the book could not be put together:\n{found.stdout[-2000:]}{found.stderr[-2000:]}")
    (path,) = SINGLE.rglob("intro.html")
    page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    page.html["data-theme"] = "light"
    for script in page.find_all("script"):  # nothing moves on paper
        script.decompose()
    page.head.append(page.new_tag("link", rel="stylesheet", href="_static/print.css"))
    return page


def mark_chapters(page):
    """Give the heads of pages and sections names of their own; return (level, title, name) of each."""
    found = []
    for start in page.select("span[id^='document-']"):
        heading = start.find_next(["h1", "h2", "h3"])
        below = f"h{int(heading.name[1]) + 1}"
        heads = [(1, heading), *((2, h) for h in heading.find_parent("section").select(f"section > {below}"))]
        for level, head in heads:
            name = f"contents-{len(found)}"  # "exercises" is in every chapter
            found.append((level, _title(head), name))
            head.insert(0, page.new_tag("span", id=name))
    return found


def _title(heading):
    return heading.get_text().strip().rstrip("#").strip()


def add_contents(page, chapters, numbers):
    """Put the contents behind the title, with the numbers of the pages where they are known."""
    for old in page.select("nav.printed-contents"):
        old.decompose()
    nav = page.new_tag("nav", attrs={"class": "printed-contents"})
    title = page.new_tag("h2")
    title.string = "Contents"
    nav.append(title)
    for level, name, anchor in chapters:
        line = page.new_tag("a", href=f"#{anchor}", attrs={"class": f"level-{level}"})
        for part in (name, str(numbers.get(anchor, ""))):
            span = page.new_tag("span")
            span.string = part
            line.append(span)
        nav.append(line)
    page.select_one("article.bd-article section").insert_before(nav)


def print_page(page, chromium):
    """Print, and return the page on which each anchor lies."""
    path = SINGLE / "print.html"  # beside _static, where its addresses lead
    path.write_text(str(page), encoding="utf-8")
    with tempfile.TemporaryDirectory() as profile:
        command = [
            chromium, "--headless", "--disable-gpu", "--no-pdf-header-footer",
            "--generate-pdf-document-outline",
            f"--user-data-dir={profile}", *(["--no-sandbox"] if os.getuid() == 0 else []),
            f"--print-to-pdf={PDF}", path.as_uri(),
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=300)
    reader = PdfReader(PDF)
    return {
        name.lstrip("/"): reader.get_destination_page_number(place) + 1
        for name, place in reader.named_destinations.items()
    }


def main():
    """Print the book."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        sys.exit("no Chromium on this machine; on Debian: apt install chromium")
    page = write_page()
    chapters, numbers = mark_chapters(page), {}
    for _ in range(2):
        add_contents(page, chapters, numbers)
        numbers = print_page(page, chromium)
    print(f"The book is printed: {PDF.as_uri()}")


if __name__ == "__main__":
    main()
