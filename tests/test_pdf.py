"""The printed book, read as a file: what leads where, and what stands on which page."""

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from pypdf import PdfReader

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "_build"
MARGIN, LINES = 57, 34  # below the text, and two lines and a bit, in points

pytestmark = pytest.mark.slow


def squeeze(text):
    """Drop spaces: a line that breaks has another one, or none."""
    return re.sub(r"[\s\u2060]+", "", text)


@pytest.fixture(scope="module")
def reader():
    if not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))):
        pytest.skip("no Chromium on this machine")
    if not (BUILD / "html" / "index.html").exists():
        pytest.skip("the book is not built: run `make book` first")
    subprocess.run(
        [sys.executable, ROOT / "book/_tools/pdf.py"], check=True, timeout=900
    )
    return PdfReader(BUILD / "book.pdf")


@pytest.fixture(scope="module")
def page(reader):
    """What was printed, as HTML."""
    return BeautifulSoup(
        (BUILD / "book.print.html").read_text(encoding="utf-8"), "html.parser"
    )


@pytest.fixture(scope="module")
def texts(reader):
    return [squeeze(page.extract_text()) for page in reader.pages]


@pytest.fixture(scope="module")
def links(reader):
    return [
        annotation.get_object()
        for page in reader.pages
        for annotation in page.get("/Annots", [])
        if annotation.get_object()["/Subtype"] == "/Link"
    ]


@pytest.fixture(scope="module")
def places(reader):
    """Return {name: (number of its page from 0, height on it)}."""
    return {
        name.removeprefix("/"): (
            reader.get_destination_page_number(place),
            float(place.top),
        )
        for name, place in reader.named_destinations.items()
    }


def test_every_link_inside_has_a_place(links, places, page):
    inside = [link["/Dest"].removeprefix("/") for link in links if "/Dest" in link]
    assert [name for name in inside if name not in places] == []
    assert {
        a["href"].removeprefix("#") for a in page.select("a[href^='#']") if a.get_text()
    } <= set(inside)


def test_every_other_link_goes_to_the_web(links):
    addresses = [link["/A"]["/URI"] for link in links if "/Dest" not in link]
    assert addresses
    assert [
        address
        for address in addresses
        if not address.startswith(("https://", "http://"))
    ] == []


def test_a_file_to_download_keeps_its_name(page, texts):
    built = BeautifulSoup(
        (BUILD / "html" / "book" / "first_report.html").read_text(encoding="utf-8"),
        "html.parser",
    )
    files = [link.get_text() for link in built.select("a.download")]
    assert "honest.csv" in files
    assert page.select("a.download, a[download]") == []
    assert [file for file in files if squeeze(file) not in "".join(texts)] == []


def test_no_page_says_where_it_was_built(texts):
    assert [n for n, text in enumerate(texts, 1) if squeeze(str(ROOT)) in text] == []


def test_each_name_is_given_once(page):
    names = Counter(element["id"] for element in page.select("[id]"))
    assert [name for name, times in names.items() if times > 1] == []


def test_contents_name_the_page_of_each_heading(page, places, texts):
    lines = page.select("nav.turn-to a")
    headings = page.select(
        ".page > section > h1, .page > h1, .page section > section > h2"
    )
    assert [squeeze(line.span.get_text()) for line in lines] == [
        squeeze(h.get_text()) for h in headings
    ]
    for line in lines:
        title, number = (span.get_text() for span in line.select("span"))
        assert places[line["href"].removeprefix("#")][0] + 1 == int(number)
        assert squeeze(title) in texts[int(number) - 1]
        assert squeeze(title + number) in "".join(texts[1:5]), (
            "the number is printed, too"
        )


def test_index_turns_to_the_page_of_each_place(page, places):
    links = page.select("ul.index a")
    assert links
    assert [
        a
        for a in links
        if int(a.get_text()) != places[a["href"].removeprefix("#")][0] + 1
    ] == []


def test_a_page_carries_its_number_and_no_page_is_blank(texts):
    assert [
        number
        for number, text in enumerate(texts, 1)
        if number > 1 and str(number) not in text[:80] + text[-8:]
    ] == []
    assert [
        number for number, text in enumerate(texts, 1) if len(text) < 60
    ] == []  # the head and the number


@pytest.mark.parametrize("kind", ["chapter", "section"])
def test_no_heading_is_left_alone(page, places, kind):
    names = [
        a["href"].removeprefix("#")
        for a in page.select(f"nav.turn-to .level-{1 + (kind == 'section')}")
    ]
    assert names
    assert [
        name
        for name in names
        if places[name][1] < (400 if kind == "chapter" else MARGIN + LINES)
    ] == []


def test_captions_are_those_of_the_pages_each_once(page, texts):
    built = Counter()
    for path in [
        *BUILD.glob("html/book/**/*.html"),
        *BUILD.glob("html/notebooks/*.html"),
    ]:
        source = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        built.update(
            number.get_text().strip()
            for number in source.select("figcaption .caption-number")
        )
    captions = {
        n.get_text().strip(): n.parent
        for n in page.select("figcaption .caption-number")
    }
    assert set(built.values()) == {1}
    assert set(captions) == set(built)
    whole = "".join(texts)
    for number, caption in captions.items():
        start = caption.select_one(".caption-text").find(string=True)
        assert whole.count(squeeze(f"{number} {start}")) == 1


def test_a_reference_leads_to_what_it_names(page, places, texts):
    references = page.select(
        "a:has(> .std-numref), a:has(> .eqref),"
        " a.reference.internal[href^='#book-references--']"
    )
    for link in references:
        number = places[link["href"].removeprefix("#")][0]
        # A work of many authors may go on overleaf.
        text = "".join(texts[number : number + 2])
        said = link.get_text()
        author = re.match(r"[\w-]+", said)
        assert squeeze(said) in text or (author and author.group() in text), said
    assert len(references) > 100


def test_nothing_is_there_that_paper_cannot_do(page, texts):
    assert (
        page.select(
            "script, form, input, button, select, summary, details, .headerlink"
        )
        == []
    )
    assert "Showcodecell" not in "".join(texts)
    whole, solutions = "".join(texts), []
    for path in BUILD.glob("html/book/**/*.html"):
        source = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        code = source.select(".tag_solution .highlight pre")
        solutions += [block.get_text().splitlines()[0] for block in code]
    assert len(solutions) > 20
    assert [
        line for line in solutions if squeeze(line) not in whole
    ] == []  # what computes is open


def test_outline_and_metadata(reader, page):
    parts = [item for item in reader.outline if not isinstance(item, list)]
    assert len(parts) >= 5
    assert reader.metadata.title == page.title.get_text()
    assert reader.metadata.author
    assert reader.root_object["/Lang"]


def test_fonts_are_embedded(reader):
    seen = []
    for page in reader.pages:
        for font in page["/Resources"].get("/Font", {}).values():
            for inner in font.get_object().get("/DescendantFonts", [font]):
                inner = inner.get_object()
                if inner["/Subtype"] != "/Type3":  # holds its glyphs itself
                    seen.append(
                        (
                            inner["/BaseFont"],
                            "/FontFile2" in inner["/FontDescriptor"]
                            or "/FontFile3" in inner["/FontDescriptor"],
                        )
                    )
    assert seen
    assert {name for name, embedded in seen if not embedded} == set()
