"""Print the whole book as one PDF: _build/book.pdf.

    python book/_tools/pdf.py python book/_tools/pdf.py student        the student's
    edition: _build/student/book.pdf

The pages are those that `make book` built, one behind the other: a figure has the same
number on paper as on the screen. Each name on a page gets the page's before it, for
"exercises" is in every chapter, and each link between pages becomes one inside.
Chromium prints. The contents and the index need the numbers of the pages, which are
known when it has been printed: so it is printed twice.
"""

import io
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import yaml
from bs4 import BeautifulSoup
from pypdf import PdfReader, PdfWriter
from pypdf.generic import Fit

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "_build" / "".join(sys.argv[1:])
HTML = BUILD / "html"
SHEET = Path(__file__).with_name("print.css")
PRINTED = BUILD / "book.print.html"
PDF = BUILD / "book.pdf"

# What only a screen needs. The code above a result is in the notebooks; that of a
# solution is printed.
_OFF_PAPER = (
    "script, summary, .headerlink, .toctree-wrapper, .genindex-jumpbox,"
    " .scorecard-filter, .tag_hide-input > details, .setup, .explorer-controls,"
    " .explorer-chart, .explorer-sentence, figure.play > :not(.play-paper),"
    " form.which-test, [class^='your-scores']"
)

_SHEETS = ("basic.css", "pygments.css", "book.css")  # the theme's are for a screen


class Heading(NamedTuple):
    """A line of the contents: part (0), page (1) or section (2)."""

    level: int
    title: str
    name: str


def read_toc():
    """Yield (caption of a part, its pages)."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    yield "", [toc["root"]]
    for part in toc["parts"]:
        pages = [
            page
            for chapter in part["chapters"]
            for page in (chapter, *chapter.get("sections", ()))
        ]
        yield part["caption"], [page["file"] for page in pages]


def read_page(file):
    """Return a built page as a section whose names and links fit into the one
    document.
    """
    page = BeautifulSoup(
        (HTML / f"{file}.html").read_text(encoding="utf-8"), "html.parser"
    )
    section = page.select_one("article.bd-article")
    section.name, section.attrs = "section", {"class": "page", "id": name_of(file)}
    for element in section.select(_OFF_PAPER):
        element.decompose()
    for folded in section.select("details"):
        folded.name, folded["class"] = "div", "details"
    for style in section.select("style"):  # of a table, by its name
        style.string = re.sub(r"#(?=T_)", f"#{name_of(file, '')}", style.string)
    for element in section.select("svg *"):  # a clip path is called by its name, too
        for key, value in element.attrs.items():
            element[key] = str(value).replace("url(#", f"url(#{name_of(file, '')}")
    for element in section.select("[id]"):
        element["id"] = name_of(file, element["id"])
    for heading in section.select("section section > :is(h1, h2, h3, h4)"):
        # A heading that moves to the next page takes its names along.
        for mark in heading.find_previous_siblings("span"):
            heading.insert(0, mark.extract())
        heading["id"] = heading.parent.attrs.pop("id")
    for image in section.select("img"):
        image["src"] = f"html/{_resolve(file, image['src'])}"
    # Of a file beside the page: on paper, only its name.
    for link in section.select("a.download"):
        link.unwrap()
    for link in section.select("a[href]"):
        if not re.match("[a-z]+:", link["href"]):
            link["href"] = "#" + target_of(file, link["href"])
    return section


def name_of(file, anchor=None):
    """Return the name, in the one document, of a page or of a place on it."""
    return re.sub(r"[^\w.-]", "-", file if anchor is None else f"{file}--{anchor}")


def target_of(file, address):
    """Return the name of the place that a page's link leads to."""
    path, _, anchor = address.partition("#")
    return name_of(
        _resolve(file, path).removesuffix(".html") if path else file, anchor or None
    )


def _resolve(file, address):
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), address))


def write_page():
    """Put all pages into one; return it, with its headings."""
    page = BeautifulSoup(
        '<!DOCTYPE html><html lang="en" data-theme="light"><head><meta'
        ' charset="utf-8"></head><body><main class="bd-content"><article'
        ' class="bd-article"></article></main></body></html>',
        "html.parser",
    )
    headings, heads = [], []
    for caption, files in read_toc():
        for file in files:
            section = read_page(file)
            if caption and file == files[0]:
                headings.append(Heading(0, caption, section["id"]))
            title = _text(section.h1)
            headings.append(Heading(1, title, section["id"]))
            headings += [
                Heading(2, _text(h), h["id"])
                for h in section.select("section > section > h2")
            ]
            # A page of its own kind: it starts a new sheet, and has its own running
            # head.
            kind = f"p{len(heads)}"
            section["style"] = f"page: {kind}"
            head = json.dumps(title, ensure_ascii=False)
            heads.append(f"@page {kind} {{ @top-center {{ content: {head} }} }}")
            page.article.append(section)
    for sheet in (*(f"html/_static/{sheet}" for sheet in _SHEETS), SHEET.as_uri()):
        _add(page, page.head, "link", rel="stylesheet", href=sheet)
    _add(page, page.head, "style", "\n".join(heads))
    names = {element["id"] for element in page.select("[id]")}
    if dead := {a["href"] for a in page.select("a[href^='#']")} - {
        f"#{name}" for name in names
    }:
        sys.exit(f"links that lead nowhere: {', '.join(sorted(dead))}")
    return page, headings


def _text(heading):
    return " ".join(heading.get_text().split())


def _add(page, parent, tag, text="", **attributes):
    """Append an element, and return it."""
    element = page.new_tag(
        tag, attrs={key.rstrip("_"): value for key, value in attributes.items()}
    )
    if text:
        element.string = text
    parent.append(element)
    return element


def add_title(page, about):
    """Put a title page in front."""
    _add(page, page.head, "title", about["title"])
    title = page.new_tag("section", attrs={"class": "title-page"})
    _add(page, title, "h1", about["title"])
    question = page.select_one("blockquote.epigraph").get_text().strip()
    _add(page, title, "p", question, class_="question")
    cover = page.select_one("figure img")
    _add(page, title, "img", src=cover["src"], alt="")
    _add(page, title, "p", about["abstract"].strip(), class_="abstract")
    _add(
        page,
        title,
        "p",
        ", ".join(author["name"] for author in about["authors"]),
        class_="authors",
    )
    _add(page, title, "p", f"Version {about['version']}{_commit()}")
    _add(page, title, "p", "Text and figures: CC BY 4.0. Code: BSD-3-Clause.")
    page.article.insert(0, title)


def _commit():
    """Say which commit this is and of when; nothing outside a checkout."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=, %cs (%h)"]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def add_contents(page, headings):
    """Put the contents behind the title page; return (element, name of the place whose
    page it is to say).
    """
    nav = page.new_tag("nav", attrs={"class": "turn-to"})
    _add(page, nav, "h1", "Contents", id="contents")
    found = []
    for heading in headings:
        if heading.level == 0:
            _add(page, nav, "p", heading.title)
            continue
        line = _add(
            page, nav, "a", href=f"#{heading.name}", class_=f"level-{heading.level}"
        )
        _add(page, line, "span", heading.title)
        found.append((_add(page, line, "span"), heading.name))
    page.select_one(".title-page").insert_after(nav)
    return found


def open_index(page):
    """Give the index pages to turn to, in place of links on the words; return as
    `add_contents` does.
    """
    for table in page.select("table.genindextable"):
        listing = page.new_tag("ul", attrs={"class": "index"})
        for entry in table.select("td > ul > li"):
            listing.append(entry)
        table.replace_with(listing)
    found = []
    for link in page.select("ul.index li > a"):
        # A further place of the same word.
        if not re.fullmatch(r"\[\d+\]", link.get_text()):
            words = page.new_tag("span")
            words.extend(list(link.contents))
            link.insert_before(words, ", ")
        found.append((link, link["href"].removeprefix("#")))
    return found


def print_page(page, chromium):
    """Print; return what was printed, and {name: (number of its page, height on it)} of
    each place.
    """
    PRINTED.write_text(str(page), encoding="utf-8")
    with tempfile.TemporaryDirectory() as profile:
        command = [
            chromium,
            "--headless",
            "--disable-gpu",
            "--no-pdf-header-footer",
            f"--user-data-dir={profile}",
            *(["--no-sandbox"] if hasattr(os, "getuid") and os.getuid() == 0 else []),
            f"--print-to-pdf={profile}/book.pdf",
            PRINTED.as_uri(),
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=600)
        reader = PdfReader(io.BytesIO(Path(profile, "book.pdf").read_bytes()))
    return reader, {
        name.removeprefix("/"): (reader.get_destination_page_number(place), place.top)
        for name, place in reader.named_destinations.items()
    }


def publish(reader, headings, places, about):
    """Add the outline and who wrote the book, which Chromium leaves out, and replace
    the old PDF.
    """
    writer = PdfWriter(clone_from=reader)
    parents = [None] * 3
    for level, title, name in headings:
        number, top = places[name]
        parents[level] = writer.add_outline_item(
            title=title,
            page_number=number,
            parent=parents[level - 1] if level else None,
            fit=Fit.xyz(top=top),
        )
    writer.page_mode = "/UseOutlines"
    writer.add_metadata(
        {
            "/Title": about["title"],
            "/Author": ", ".join(author["name"] for author in about["authors"]),
            "/Subject": about["abstract"].strip(),
        }
    )
    writer.compress_identical_objects()
    fresh = PDF.with_suffix(".new")
    writer.write(fresh)
    fresh.replace(PDF)


def main():
    """Print the book."""
    chromium = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if not chromium:
        sys.exit("no Chromium on this machine; on Debian: apt install chromium")
    if not HTML.exists():
        sys.exit("there is no book yet: run `make book` first")
    start = time.perf_counter()
    about = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    page, headings = write_page()
    add_title(page, about)
    turn_to = [*add_contents(page, headings), *open_index(page)]
    numbers, places = {}, dict.fromkeys([name for _, name in turn_to], (999, 0))
    while numbers != (
        numbers := {name: number + 1 for name, (number, _) in places.items()}
    ):
        for element, name in turn_to:
            element.string = str(numbers[name])
        reader, places = print_page(page, chromium)
    publish(reader, headings, places, about)
    print(
        f"The book is printed ({time.perf_counter() - start:.0f} s). Open\n "
        f" {PDF.as_uri()}"
    )


if __name__ == "__main__":
    main()
