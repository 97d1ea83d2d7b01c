"""No sentence, no line of code and no word of a solution is in the student's edition,
wherever one looks.
"""

import json
import re
from html import unescape
from pathlib import Path

import jupytext
import pytest
from bs4 import BeautifulSoup
from sphinx.search.en import SearchEnglish

ROOT = Path(__file__).resolve().parents[1]
BUILT = ROOT / "_build"
SOURCES = [
    page
    for page in (
        *ROOT.glob("book/*.md"),
        *ROOT.glob("book/more/*.md"),
        *ROOT.glob("notebooks/*.ipynb"),
    )
    if "kernelspec" in page.read_text(encoding="utf-8")
]
FENCE = re.compile(
    r"^(`{3,})\{admonition\} Solution\n:class: dropdown\n(.*?)^\1$",
    re.DOTALL | re.MULTILINE,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all((BUILT / name).exists() for name in ("html", "student/html")),
        reason="an edition is not built: run `make book student` first",
    ),
]


def squeeze(text):
    """Drop spaces, for lines are broken anywhere, and set minus signs alike."""
    return re.sub(r"\s+", "", text).replace("\N{MINUS SIGN}", "-")


def said(text):
    """Return the sentences of five words or more."""
    found = re.split(r"(?<=[.?!:;])\s+", " ".join(text.split()))
    return {squeeze(sentence) for sentence in found if sentence.count(" ") >= 4}


def written(code):
    """Return the lines that say something, of code or of what it prints."""
    return {line for line in map(squeeze, code.splitlines()) if len(line) >= 12}


def in_source(page):
    """Return what is in the solutions of a page, and all else that is in its source."""
    found, rest = set(), []
    for cell in jupytext.read(page).cells:
        if cell.cell_type == "markdown":
            for solution in FENCE.finditer(cell.source):
                found |= said(solution[2])
            rest.append(FENCE.sub("", cell.source))
        elif "solution" in cell.metadata.get("tags", ()):
            alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
            found |= written(cell.source) | said(alt)
        else:
            rest.append(cell.source)
    return found, squeeze("\n".join(rest))


@pytest.fixture(scope="module")
def on_pages():
    """For each page of the book that has solutions: these, and the page without
    them.
    """
    pages = {}
    for file in sorted(BUILT.glob("html/*/*.html")):
        page = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")
        folds = [
            fold
            for fold in page.select(".admonition.dropdown")
            if fold.select_one(".admonition-title").get_text() == "Solution"
        ]
        if folds:
            name = file.relative_to(BUILT / "html").with_suffix("").as_posix()
            pages[name] = [fold.extract() for fold in folds], page
    return pages


def text_of(file):
    """Return the text of a page, a notebook or a script, its tags and without them."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".ipynb":
        return squeeze("\n".join(cell["source"] for cell in jupytext.read(file).cells))
    if file.suffix == ".html":
        return squeeze(unescape(re.sub(r"<[^>]*>", "", text))) + squeeze(unescape(text))
    return squeeze(text)


def read_all(name):
    """Return the text of each file of a folder that can be read."""
    kinds = {".html", ".ipynb", ".md", ".js", ".txt", ".json", ".svg"}
    return {
        file.relative_to(BUILT): text_of(file)
        for file in sorted((BUILT / name).rglob("*"))
        if file.suffix in kinds and "_static" not in file.parts
    }


def test_nothing_of_a_solution_is_in_the_student_s_edition(on_pages):
    needles, rest = set(), ""
    for page in SOURCES:
        found, other = in_source(page)
        needles |= found
        rest += other
    for folds, page in on_pages.values():
        for fold in folds:
            for element in fold.select("p:not(.admonition-title), li, td"):
                needles |= said(element.get_text())
            for element in fold.select("pre"):
                needles |= written(element.get_text())
        rest += squeeze(page.get_text())
    needles = {needle for needle in needles if needle not in rest}
    assert len(needles) > 500

    known = "".join(read_all("html").values())
    assert len([needle for needle in needles if needle not in known]) < 0.1 * len(
        needles
    )
    student = read_all("student")
    assert len(student) > 100
    assert {
        file: n for file, text in student.items() for n in needles if n in text
    } == {}


def index_of(folder):
    """Return the pages of a search index, and for each stem the numbers of those that
    have it.
    """
    text = (BUILT / folder / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    numbers = {
        stem: {at} if isinstance(at, int) else {*at}
        for stem, at in index["terms"].items()
    }
    return index["docnames"], numbers


def test_the_search_does_not_know_the_words_of_solutions(on_pages):
    stem = SearchEnglish({}).stem

    def stems(text):
        # Numbers are everywhere.
        return {stem(word) for word in re.findall(r"[^\W\d_]{3,}", text.lower())}

    (book, in_book), (student, in_student) = index_of("html"), index_of("student/html")
    known, told = [], []
    for name, (folds, page) in on_pages.items():
        alone = stems(" ".join(fold.get_text(" ") for fold in folds)) - stems(
            page.get_text(" ")
        )
        known += [book.index(name) in in_book.get(word, ()) for word in alone]
        told += [
            (name, word)
            for word in alone
            if student.index(name) in in_student.get(word, ())
        ]
    assert told == []
    assert sum(known) > 0.8 * len(known) > 0


@pytest.mark.parametrize("page", SOURCES, ids=lambda page: page.stem)
def test_in_the_place_of_each_solution_is_an_empty_cell_and_nothing_is_kept(page):
    name = page.relative_to(ROOT).with_suffix(".ipynb")
    cells = jupytext.read(BUILT / "student" / "notebooks" / name).cells
    source = jupytext.read(page).cells
    solutions = sum(
        len(FENCE.findall(cell.source))
        for cell in source
        if cell.cell_type == "markdown"
    )
    assert sum(cell.source == "" for cell in cells) == solutions
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    assert re.findall(r"^ *(?:assert|keep|glue)\b.*", code, re.MULTILINE) == []
    checks = [
        cell.source for cell in source if "check" in cell.metadata.get("tags", ())
    ]
    given = [cell for cell in cells if "check" in cell.metadata.get("tags", ())]
    assert [cell.source for cell in given] == checks
    assert all("raises-exception" in cell.metadata["tags"] for cell in given)
