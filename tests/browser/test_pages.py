"""What a reader's browser says of each built page: light and wide, and dark and on a
phone.
"""

import functools
import gzip
import itertools
import json
import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from bs4 import BeautifulSoup
from conftest import AXE, HTML, PAGES, asked_for, set_theme, set_width, settle

RUN_AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations']}).then((result) => done(
    result.violations.flatMap((v) => v.nodes.map((n) => [v.id, n.target.join(' '), n.html.slice(0, 200)]))));
"""
# The theme's own faults, by rule and by what marks the place, each with the reason why
# it stands.
OF_THE_THEME = {
    # The name of the book above the navigation is in no landmark; it leads to the first
    # page.
    ("region", "sidebar-primary-item"),
    # The button shows an icon and has a fitting label; axe takes the hidden names of
    # its icons for text.
    ("label-content-name-mismatch", "theme-switch-button"),
}


# Colours depend on the theme and the layout on the width, so each page is opened in two
# ways; these, one of each kind, in all four.
KINDS = [
    "book/intro.html",
    "book/splits.html",
    "book/scorecard.html",
    "book/api/splits.html",
]
WAYS = [
    *itertools.product([("light", 1280), ("dark", 390)], PAGES),
    *itertools.product([("light", 390), ("dark", 1280)], KINDS),
]


@dataclass(frozen=True)
class Opened:
    """A page in the browser, and what happened while it loaded."""

    theme: str
    width: int
    asked: list
    severe: list


@pytest.fixture(
    scope="module",
    params=WAYS,
    ids=lambda way: f"{way[0][0]}-{way[0][1]}-{way[1]}",
)
def opened(request, chromium, address):
    (theme, width), page = request.param
    set_theme(chromium, address, theme)
    set_width(chromium, width)
    chromium.get_log("browser")  # reading a log empties it
    chromium.get(f"{address}/{page}")
    chromium.execute_script("window.scrollTo(0, document.body.scrollHeight)")
    # When it has time, the page asks each block whether it scrolls; what is asked later
    # comes after.
    settle(chromium, 100)
    severe = [
        e["message"] for e in chromium.get_log("browser") if e["level"] == "SEVERE"
    ]
    asked = [url for url in asked_for(chromium) if url.startswith("http")]
    return Opened(theme, width, asked, severe)


def test_page_is_whole(opened, chromium, address):
    assert (
        chromium.execute_script("return document.documentElement.dataset.theme")
        == opened.theme
    )
    assert [url for url in opened.asked if not url.startswith(address)] == [], (
        "a page asks no other host"
    )
    assert opened.severe == []
    assert (
        chromium.execute_script("return document.documentElement.scrollWidth")
        <= opened.width
    )
    shown = (
        "return [...document.querySelectorAll('h1')].filter((h) =>"
        " h.checkVisibility()).length"
    )
    assert chromium.execute_script(shown) == 1


def test_axe_finds_nothing_of_our_making(opened, chromium):
    if not AXE.exists():
        pytest.skip(
            "axe-core is not there: npm install --prefix _build/axe axe-core@4.14.1"
        )
    chromium.execute_script(AXE.read_text(encoding="utf-8"))
    ours = [
        (rule, target, html)
        for rule, target, html in chromium.execute_async_script(RUN_AXE)
        if not any(
            rule == known and mark in target + html for known, mark in OF_THE_THEME
        )
    ]
    assert ours == []


def test_figures_say_what_is_seen(opened, chromium):
    script = (  # at once, also those that a reader has to come near
        "const done = arguments[0], images = [...document.querySelectorAll('main img')];"
        "images.forEach((i) => { i.loading = 'eager'; });"
        "Promise.allSettled(images.map((i) => i.decode())).then(() => done(images.map("
        "(i) => [i.alt, i.naturalWidth, i.currentSrc])))"
    )
    for alt, natural_width, source in chromium.execute_async_script(script):
        assert natural_width > 0, f"{source} does not load"
        # myst-nb's default is the name of the file; a sentence has words.
        assert len(alt.split()) > 8, f"alt text of {source}: {alt!r}"
        assert not re.search(r"\.(svg|png)\b|[0-9a-f]{20}", alt)


def test_formulas_are_drawn(opened, chromium):
    assert not chromium.execute_script(
        "return document.querySelector('merror') !== null"
    )
    sizes = (
        "return [...document.querySelectorAll('main math')].map(m =>"
        " m.getBoundingClientRect().height)"
    )
    assert all(height > 0 for height in chromium.execute_script(sizes))


@functools.cache
def sent(path):
    """Return how many bytes a server that compresses text sends of a file."""
    content = path.read_bytes()
    return (
        len(gzip.compress(content))
        if path.suffix in {".html", ".css", ".js", ".svg"}
        else len(content)
    )


def test_a_page_weighs_little_before_its_explorer(opened):
    files = {HTML / unquote(urlsplit(url).path).lstrip("/") for url in opened.asked}
    assert any(file.suffix == ".html" for file in files)
    assert (
        sum(sent(file) for file in files if file.name not in {"vega.js", "explorer.js"})
        <= 600_000
    )


WIDE = "main :is(.cell_input, .cell_output) pre"


def test_code_does_not_scroll_sideways(opened, chromium):
    """On a phone its lines are broken, as an output everywhere; a page has room for 78
    characters.
    """
    script = """
        document.querySelectorAll('main details').forEach(d => d.open = true);
        document.querySelectorAll('main .toggle-hidden').forEach(d => d.classList.remove('toggle-hidden'));
        const code = [...document.querySelectorAll(arguments[0])];
        const wide = code.filter(p => p.scrollWidth > p.clientWidth + 1);
        return wide.map(p => p.textContent);
    """
    assert (
        chromium.execute_script(script, "main pre" if opened.width < 500 else WIDE)
        == []
    )


def test_a_formula_that_is_too_wide_can_be_scrolled(opened, chromium):
    script = """
        const boxes = [...document.querySelectorAll('main div.math-display')];
        return boxes.map(box => [getComputedStyle(box).overflowX, box.tabIndex]);
    """
    assert all(found == ["auto", 0] for found in chromium.execute_script(script))


MARKUP = (
    r"\{[\w:]+\}`|^ *(?:`{3,}|:{3,})\{|^:{3,}|^\([\w-]+\)=|^%"
    r" |\]\{[#.]|\]\([^)]*\.md\b|<script"
)


def test_notebooks_have_their_figures_tables_and_text_for_who_only_reads(address):
    for name in ("splits", "significance", "twelve_models"):
        file = HTML / "_sources" / "book" / f"{name}.ipynb"
        shown = [
            output
            for cell in nbformat.read(file, as_version=4).cells
            for output in cell.get("outputs", ())
        ]
        page = BeautifulSoup(
            (HTML / "book" / f"{name}.html").read_bytes(), "html.parser"
        )
        figures = page.select(".cell_output figure:not(.play) img, figure.play")
        kinds = [kind for output in shown for kind in output.get("data", ())]
        assert kinds.count("image/svg+xml") == len(figures) > 0
        tables = page.select(".cell_output table.dataframe")
        assert kinds.count("text/html") == len(tables)
        assert 'class="play"' not in str(shown)


@pytest.mark.parametrize("page", PAGES)
def test_the_notebook_of_a_page_shows_no_markup_of_the_book(address, page):
    notebook = HTML / "_sources" / page.replace(".html", ".ipynb")
    if not notebook.exists():
        pytest.skip("a page without cells")
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    prose = [
        "".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"
    ]
    assert [
        found for text in prose for found in re.findall(MARKUP, text, re.MULTILINE)
    ] == []
