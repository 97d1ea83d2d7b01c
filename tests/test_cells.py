"""The cells of the pages: what a reader may see, and what they load."""

import ast
import builtins
import json
import re
import subprocess
import symtable
import sys
from pathlib import Path

import pytest
from grids import grid

from lab.pages import keep

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("book/**/*.md"), *ROOT.glob("notebooks/*.ipynb")])
CELL = re.compile(
    r"^```\{code-cell\}[^\n]*\n((?:---\n.*?\n---\n|(?::[^\n]*\n)+)?)\n?(.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


def sources(page):
    """Yield the options of each cell, and its code."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".md":
        yield from CELL.findall(text)
    else:
        for cell in json.loads(text)["cells"]:
            if cell["cell_type"] == "code":
                yield str(cell["metadata"]), "".join(cell["source"])


def cells(page):
    """Yield whether a cell is removed from the page, and the syntax tree of its
    code.
    """
    for options, code in sources(page):
        yield "remove-cell" in options, ast.parse(re.sub(r"(?m)^[%!].*$", "", code))


def names(tree):
    """Return the global names that a cell binds, and those that it loads."""
    bound, taken = set(), set()
    scopes = [symtable.symtable(ast.unparse(tree), "cell", "exec")]
    for scope in scopes:  # grows by the scopes within
        scopes += scope.get_children()
        outermost = scope.get_type() == "module"
        for symbol in scope.get_symbols():
            if outermost and (symbol.is_assigned() or symbol.is_imported()):
                bound.add(symbol.get_name())
            if symbol.is_referenced() and (outermost or symbol.is_global()):
                taken.add(symbol.get_name())
    return bound, taken


CHAPTERS = [
    page
    for page in ROOT.glob("book/*.md")
    if "(chapter-" in page.read_text(encoding="utf-8")
]
PARTS = (
    r"you can\*\*$",
    r"^## (Take-aways|What to take away)$",
    r"^```\{admonition\} For your own paper$",
    r"^## Exercises$",
    r"^## Further reading$",
)


def prose(page):
    """Return the Markdown of a page."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".md":
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join(
        "".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"
    )


@grid("page", [*CHAPTERS, *ROOT.glob("notebooks/*.ipynb")])
def test_every_chapter_and_paper_has_all_its_parts_in_order(page):
    text = prose(page)
    places = [
        [found.start() for found in re.finditer(part, text, re.MULTILINE)]
        for part in PARTS
    ]
    assert {
        part: len(found) for part, found in zip(PARTS, places, strict=True)
    } == dict.fromkeys(PARTS, 1)
    assert places == sorted(places), "keep the parts in the order of book/splits.md"
    exercises = text[places[-2][0] : places[-1][0]]
    numbers = [
        int(number) for number in re.findall(r"^\*\*(\d+)\. ", exercises, re.MULTILINE)
    ]
    assert numbers == [*range(1, len(numbers) + 1)], "number the exercises from 1"
    assert len(numbers) >= 3, "three exercises or more"
    if page in CHAPTERS:
        timed = re.findall(
            r"^\*\*(\d+)\. [^*]+\*\* \(\d+ minutes\) ", exercises, re.MULTILINE
        )
        assert [int(number) for number in timed] == numbers, (
            "say of each exercise how long it takes: **1. Title.** (5 minutes)"
        )


@grid("page", PAGES)
def test_no_line_of_code_is_wider_than_a_page(page):
    hidden = ("remove-cell", "remove-input")
    shown = [
        code
        for options, code in sources(page)
        if not any(tag in options for tag in hidden)
    ]
    shown += re.findall(
        r"^ *```+ *(?:python|\{code-block\} python)\n(.*?)^ *```",
        prose(page),
        re.DOTALL | re.MULTILINE,
    )
    long = [line for code in shown for line in code.splitlines() if len(line) > 78]
    assert not long, "code that is shown has 78 columns at most"


@grid("page", PAGES)
def test_every_figure_says_what_is_seen(page):
    # Without words of its own a figure is read aloud as the name of its file.
    drawn = [
        kind
        for kind, code in sources(page)
        if "plt.show()" in code and "remove-cell" not in kind
    ]
    assert [kind for kind in drawn if "alt" not in kind] == []


@grid("page", PAGES)
def test_the_set_up_is_what_comes_first(page):
    """The build moves it to the end of the page, with the words "Run this first"."""
    tagged = [
        re.search(r"tags\W[^]]*\bsetup\b", options) is not None
        for options, _ in sources(page)
    ]
    assert tagged == sorted(tagged, reverse=True)


@grid("page", PAGES)
def test_book_keeping_stands_in_removed_cells(page):
    for removed, tree in cells(page):
        called = {
            node.func.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert "glue" not in called
        asserted = any(isinstance(node, ast.Assert) for node in ast.walk(tree))
        assert removed or not (asserted or "keep" in called), ast.unparse(tree)[:300]


@grid("page", PAGES)
def test_what_a_reader_sees_runs_without_what_is_removed(page):
    removed_names = set()  # bound by a removed cell last
    for removed, tree in cells(page):
        bound, taken = names(tree)
        if removed:
            removed_names |= bound
        else:
            assert not (taken - bound) & removed_names, ast.unparse(tree)[:300]
            removed_names -= bound


@grid("page", PAGES)
def test_what_a_student_is_given_runs_without_the_solutions(page):
    solved = set()  # names that only a solution binds, or it last
    for options, code in sources(page):
        bound, taken = names(ast.parse(re.sub(r"(?m)^[%!].*$", "", code)))
        if re.search(r"\bsolution\b", options):
            solved |= bound
        elif "remove-cell" not in options:
            assert not (taken - bound) & solved, code[:300]
            solved -= bound


@grid("page", PAGES)
def test_a_check_says_which_names_it_takes_and_no_answer(page):
    """It needs what the student names, by the comment above it, and what the page has
    shown.
    """
    shown, asked = {*dir(builtins)}, set()
    for options, code in sources(page):
        bound, taken = names(ast.parse(re.sub(r"(?m)^[%!].*$", "", code)))
        if re.search(r"\bcheck\b", options):
            assert "remove-cell" in options
            long = [line for line in code.splitlines() if len(line) > 78]
            assert not long, "a check has 78 columns at most"
            comment = re.match(r"(?:\s*#.*\n)+", code)[0]
            asked = set(re.findall(r"`(\w+)`", comment))
            assert taken - bound - shown <= asked, code
            assert not asked & shown, "it would judge what the page has computed"
            assert all(
                re.search(rf"\b{name}\b", code[len(comment) :]) for name in asked
            ), code
            assert not re.search(r"\bassert\b|==|\bseal\(|\bkeep\(", code)
        elif "remove-cell" not in options and not re.search(r"\bsolution\b", options):
            shown |= bound


def test_a_page_reads_the_record_and_runs_nothing():
    """The store, the workers and the downloads are loaded by what runs an experiment,
    not by a page.
    """
    lines = {
        ast.unparse(node)
        for page in PAGES
        for _, tree in cells(page)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        and re.match(r"(from|import) (evalkit|lab)\b", ast.unparse(node))
    }
    assert len(lines) > 15
    code = "\n".join(
        ["import sys", *sorted(lines), "import evalkit._api", "print(*sys.modules)"]
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    runners = {
        "sqlite3",
        "dask",
        "filelock",
        "pooch",
        "lab.record.runs",
        "lab.record.store",
    }
    assert not loaded & {*runners, "torch", "optuna"}


def test_keep_gives_a_sentence_its_numbers(monkeypatch):
    kept = {}
    monkeypatch.setattr(
        "myst_nb.glue",
        lambda name, value, display: kept.update({name: (value, display)}),
    )
    keep({"mean of a": 1}, low=0.5)
    assert kept == {"mean of a": (1, False), "low": (0.5, False)}


def test_a_plain_notebook_has_no_sentences_to_keep_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "myst_nb", None)
    keep(low=0.5)


@pytest.mark.slow
def test_the_tasks_for_a_class_run(capsys):
    page = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
    (code,) = re.findall(
        r"^```python\n(import evalkit.*?)^```", page, re.DOTALL | re.MULTILINE
    )
    exec(compile(code, "teaching.md", "exec"), {})
    # Two models, two searches, an interval and the mean of its pool, a network, four
    # settings.
    assert capsys.readouterr().out.count("\n") == 2 + 2 + 2 + 1 + 4
