"""How long a page is, how dense, and how long it takes to read: a chapter is a course
reading.
"""

import json
import re
from pathlib import Path

import pytest
from grids import grid

ROOT = Path(__file__).resolve().parents[1]
CHAPTERS = [
    p
    for p in sorted(ROOT.glob("book/*.md"))
    if "(chapter-" in p.read_text(encoding="utf-8")
]
FURTHER = sorted(ROOT.glob("book/more/*.md"))
CLAIM = re.compile(
    r"\*\*Reading time\*\*\s+is\s+about\s+(\d+)\s+minutes"
    r"(?:,\s+and\s+(\d+)\s+for\s+the\s+exercises|\s+without\s+the\s+exercises)"
)

CELL = re.compile(r"^```\{code-cell\}.*?^```[ \t]*$", re.DOTALL | re.MULTILINE)
CAPTION = re.compile(r"^    caption: >-\n((?:      .*\n)+)", re.MULTILINE)
SHOWN = re.compile(r"^ +name: fig-|plots\.table\(", re.MULTILINE)
LAID_OUT = re.compile(r"^\|[-:| ]+\|$", re.MULTILINE)  # the rule of a table
UNSEEN = re.compile(r"hide-input|hide-cell|remove-cell|remove-input")
FENCE = re.compile(
    r"^(`{3,}|:{3,})\{?([\w-]*)\}?.*?^\1[ \t]*$", re.DOTALL | re.MULTILINE
)
UNREAD = {
    "index",
    "math",
    "bibliography",
    "code",
    "code-block",
    "bash",
    "python",
    "toctree",
}


def parts(page):
    """Return the Markdown of a page with its captions, and its cells."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".md":
        text = re.sub(
            r"\A---.*?^---$", "", text, count=1, flags=re.DOTALL | re.MULTILINE
        )
        text = re.split(r"^## Exercises$", text, flags=re.MULTILINE)[0]
        cells = CELL.findall(text)
        return CELL.sub("", text), cells, CAPTION.findall("\n".join(cells))
    words, cells, captions = [], [], []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        if re.search(r"^## Exercises$", source, re.MULTILINE):
            break
        figure = cell["metadata"].get("mystnb", {}).get("figure", {})
        (words if cell["cell_type"] == "markdown" else cells).append(
            # As it would be fenced, between its tags and its end.
            f"{cell['metadata'].get('tags')}\n\n{source}\n{' name: fig-' * bool(figure)}"
        )
        captions.append(figure.get("caption", ""))
    return "\n\n".join(words), cells, captions


def measure(page):
    """Return the words of a page before its exercises, and of its numbers and sentences
    what is counted.
    """
    text, cells, captions = parts(page)
    for _ in range(3):  # what is fenced may hold what is fenced

        def unfenced(found):
            opened = re.sub(
                r"^(`{3,}|:{3,}).*$|^:\w+:.*$", "", found[0], flags=re.MULTILINE
            )
            return "" if found[2] in UNREAD else opened

        text = FENCE.sub(unfenced, text)
    text = "\n\n".join([text, *captions])
    laid_out = len(LAID_OUT.findall(text))
    text = re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL)
    text = re.sub(r"^\|.*$|^%.*$|^\(.*\)=$|^#+ .*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\{glue:text\}`[^`]*`", " NUMBER ", text)
    text = re.sub(r"\{[\w:]+\}`([^`<]*)(?:<[^`]*)?`", r"\1", text)
    text = re.sub(r"\$[^$]*\$", " x ", text)
    text = re.sub(r"(?<![\w.])\d[\d,.]*(?!\w)", " NUMBER ", text)
    paragraphs = re.split(r"\n\s*\n|\n(?=\s*[-*] |\d+\. )", text)
    counts = [paragraph.count("NUMBER") for paragraph in paragraphs]
    seen = [cell for cell in cells if not UNSEEN.search(cell.split("\n\n")[0])]
    found = {
        "words": len(text.split()),
        "numbers": sum(counts),
        "crowded": [
            " ".join(paragraph.split())[:60]
            for paragraph, count in zip(paragraphs, counts, strict=True)
            if count > 3
        ],
        "shown": laid_out + sum(len(SHOWN.findall(cell)) for cell in cells),
        "explorers": sum(len(re.findall(r"^explore\.\w+\(", c, re.M)) for c in cells),
        "code": sum(bool(line.strip()) for c in seen for line in c.splitlines()[1:-1]),
    }
    # Words at 120 a minute, 90 seconds for what is looked at, two minutes of play, and
    # 20 lines of code.
    found["minutes"] = (
        found["words"] / 120
        + 1.5 * found["shown"]
        + 2 * found["explorers"]
        + found["code"] / 20
    )
    return found


def exercise_minutes(page):
    """Return the sum of what the exercises of a page say of themselves."""
    text = page.read_text(encoding="utf-8")
    return sum(map(int, re.findall(r"^\*\*\d+\. [^*]+\*\* \((\d+) min", text, re.M)))


@grid("page", CHAPTERS)
def test_a_chapter_is_a_course_reading(page):
    found = measure(page)
    assert found["words"] <= 2600, f"2,600 words at most, not {found['words']}"
    assert found["words"] >= 45 * found["numbers"], (
        "a number in every 45 words at most: leave to the figure what it shows; got"
        f" {found['numbers']} in {found['words']}"
    )
    assert not found["crowded"], "three numbers in a paragraph at most"
    assert found["shown"] <= 8, f"8 figures and tables at most, not {found['shown']}"
    assert found["minutes"] <= 45, f"45 minutes at most, not {found['minutes']:.0f}"
    assert exercise_minutes(page) <= 30, "exercises take 30 minutes at most"
    text = page.read_text(encoding="utf-8").split("\n## Exercises")[0]
    assert text.count("plots.choices(") == 1, "one figure of other choices"
    assert text.count("plots.all_choices(") == 1, "its whole list, folded below it"


@grid("page", FURTHER)
def test_more_on_it_is_no_second_chapter(page):
    found = measure(page)
    assert found["words"] <= 2600, "2,600 words at most: drop what nobody looks up"
    assert found["words"] >= 25 * found["numbers"], (
        "a number in every 25 words at most: leave to the figure what it shows"
    )
    chapter = page.parents[1] / page.name
    anchor = f"more-{page.stem.replace('_', '-')}"
    is_linked = f"`{anchor}`" in chapter.read_text(encoding="utf-8")
    assert is_linked, f"the chapter has no link to {anchor}"


@grid(
    "page", [p for p in sorted(ROOT.glob("book/**/*.md")) if "handouts" not in p.parts]
)
def test_a_page_is_described_in_one_or_two_lines(page):
    described = re.search(
        r"description: >-\n((?:      .*\n)+)", page.read_text(encoding="utf-8")
    )
    assert 50 <= len(" ".join(described[1].split())) <= 200, (
        "the description of a page has 50 to 200 characters"
    )


def test_each_chapter_has_its_further_page():
    assert [page.name for page in FURTHER] == [page.name for page in CHAPTERS], (
        "each chapter of book/ has a page of its name in book/more/, and no other page"
    )


@grid("page", [*CHAPTERS, *sorted(ROOT.glob("notebooks/*.ipynb"))])
def test_reading_times(page):
    text = page.read_text(encoding="utf-8").replace("\\n", " ")
    ((reading, exercises),) = CLAIM.findall(re.sub(r'",\s*"', "", text))
    minutes = measure(page)["minutes"]
    assert int(reading) == pytest.approx(minutes, abs=1.5), (
        f"write that the reading time is about {minutes:.0f} minutes"
    )
    if page in CHAPTERS:
        of_exercises = exercise_minutes(page)
        assert exercises == str(of_exercises), f"{of_exercises} minutes of exercises"


@grid("page", [*CHAPTERS, *FURTHER, *sorted(ROOT.glob("notebooks/*.ipynb"))])
def test_figures_have_the_colours_and_the_type_of_the_book(page):
    """Type of 12 points in a figure 5.2 inches wide is 11 pixels on a phone."""
    code = "\n".join(parts(page)[1])
    small = [size for size in re.findall(r"fontsize=(\d+)", code) if int(size) < 12]
    assert not small, "give type 12 points or more"
    literal = re.findall(r"[\"'](#[0-9A-Fa-f]{6}|C\d|tab:\w+)[\"']", code)
    # Grey is no series.
    own = [colour for colour in literal if not re.fullmatch(r"#(..)\1\1", colour)]
    assert not own, "take colours from evalkit/plots.py"
    wide = set(re.findall(r"figsize=\((\d[\d.]*),", code)) - {"5.2"}
    assert not wide, "make each figure 5.2 inches wide"


def test_the_readme_is_short():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 120, "120 lines at most: say the rest on book/about.md"
