"""The words we do not write: those of the style sheet in WRITING.md that a machine can
find.

The style sheet has the reason for each, with an example of how not to and of how to
write it.
"""

import itertools
import json
import re
from pathlib import Path

from grids import grid

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    *sorted(ROOT.glob("book/**/*.md")),
    *sorted(ROOT.glob("notebooks/*.ipynb")),
    ROOT / "README.md",
]
NUMBER = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten)"
START = r"(?:^|(?<=[.:;?!]\s)|(?<=\n\n))"  # of a sentence
# A space here is any white space there, for lines are broken anywhere.
PATTERNS = {
    "seen": (
        r"\b(?:is|are|was|were|be|been) (?:not |hardly |only |also )?seen"
        r" (?:to|in|on)\b"
    ),
    "by it": r"\bby it\b",
    "less": (
        r"(?:\b(?-i:[A-Z])\w+|\bmaximum|\bmean|\bscore) less (?:(?:the|an?|its)"
        r" \w+|(?-i:[A-Z])\w+)"
    ),
    "is no": (
        r"(?<!there\s)\b(?:is|are|was|were) (?:\w+, )?no"
        r" (?!longer\b|one\b|more\b|such\b|\w+er\b)\w+"
    ),
    "again": r"\bmade again\b|\bafresh\b",
    "thinkable": r"\bthinkable\b",
    "told from": r"\btold from\b",
    "stands": (
        r"\bstands? (?:in(?! for\b)|on|under|above|below|around|the|there|here)\b"
    ),
    "counting": (
        rf"\b(?!one\b){NUMBER} (?!times\b|or\b|and\b)\w+s more\b(?!"
        r" (?:than|\w+(?:ate|ful))\b)"
    ),
    "who": rf"{START}Who(?:ever)? (?!(?:is|was|wins|has|does)\b)\w+s\b(?![^.?!]*\?)",
    "they are": rf"\bthey are {NUMBER}\b(?! \w)",
    "dear": r"\bdear(?:er|est)?\b",
    "turned": r"\bcan be turned\b|\bturn it yourself\b",
    "will do that": r"\bwill do that\b",
    "want": (
        r"(?<!you\s)(?<!they\s)(?<!we\s)\bwants? an?"
        r" (?:test|interval|band|split|figure)\b"
    ),
    "under": r"\bunder the (?:sum|root)\b",
    "twice": r"\b(the|an?|is|of|in|to|and|it|we|for|on|with) \1\b",
    "minus": r"(?<![\w)\]}.,/-])-\d",
    "percent": r"\d%",
    "spaces": r"\S[ ]{2,}\S",
    "comma": r"\w[ ][,;](?=\s)",
    "spelling": (
        r"\b(?:behavior|(?:dis|un)?color|favor|neighbor|honor|center|meter|fiber|gray|artifact|catalog|defens|offens)"
        r"(?:s|ed|ing|al|e|es|ite|able)?\b"
        r"|\b(?:label|model|travel|cancel|signal)(?:ed|ing|er)\b|\banalyz\w+"
    ),
    "-ise": (
        r"(?<![\w-])(?!(?:re|cap|over)?siz|priz|seiz)[a-z]{3,}iz(?:e[sd]?|ing|ations?)\b"
    ),
}
FLAGS = re.IGNORECASE | re.MULTILINE
PATTERNS = {
    name: re.compile(pattern.replace(" ", r"\s+").replace(r"[\s+]", "[ ]"), FLAGS)
    for name, pattern in PATTERNS.items()
}


def sheet():
    """Return the rows (not, but, why) of the table in WRITING.md that a test finds."""
    text = (ROOT / "WRITING.md").read_text(encoding="utf-8")
    table = text.split("## What a test finds")[1].split("## ")[0]
    rows = [
        line.strip("|").split("|")
        for line in table.splitlines()
        if line.startswith("|")
    ]
    return [tuple(cell[1:-1] for cell in row) for row in rows[2:]]


ROWS = sheet()


NO_PROSE = tuple(
    f"{{{name}}}"
    for name in (
        "code-cell",
        "eval-rst",
        "raw",
        "index",
        "bibliography",
        "code",
        "math",
        "toctree",
    )
)
OPENED = "\0"


def blank(found):
    """Return a stand-in of as many lines."""
    return "x" + "\n" * found[0].count("\n")


def outside_code(text):
    """Return a text with its lines where they were, those of code empty; a cell's
    caption is not code.
    """
    lines, open_fences, heading = [], [], False
    for number, line in enumerate(text.splitlines()):
        fence = re.match(r"(`{3,}|:{3,})(.*)$", line)
        if line == "---":
            in_code = bool(open_fences) and open_fences[-1][1]
            heading = not heading and (number == 0 or (in_code and lines[-1] == OPENED))
            lines.append("")
        elif (
            fence
            and open_fences
            and fence[1] == open_fences[-1][0]
            and not fence[2].strip()
        ):
            open_fences.pop()
            lines.append("")
        elif fence:
            left_out = not fence[2].startswith("{") or fence[2].startswith(NO_PROSE)
            open_fences.append((fence[1], left_out))
            lines.append(OPENED)
        else:
            left_out = any(left_out for _, left_out in open_fences) and not heading
            lines.append("" if left_out or (heading and not open_fences) else line)
    return "\n".join("" if line == OPENED else line for line in lines)


def prose(text):
    """Return a page's prose, every line where it was: no code, formula, link, citation
    or quotation.
    """
    text = outside_code(text)
    for left_out in (
        r"<!--.*?-->",
        r"\$\$.*?\$\$",
        r"^%[^\n]*",
        r"^[ ]*>[^\n]*",
        r"^\|[ :|-]+\|$",
        r"^:[\w-]+:.*?$",
    ):
        text = re.sub(
            left_out,
            lambda m: "\n" * m[0].count("\n"),
            text,
            flags=re.DOTALL | re.MULTILINE,
        )
    text = re.sub(r"\{glue:\w*\}`[^`]*`", "0", text)
    text = re.sub(
        r"\{(?!cite)[\w:]+\}`([^`<]*?)\s*(?:<[^`]*>)?`",
        lambda m: m[1] if "<" in m[0] else blank(m),
        text,
    )
    for left_out in (
        r"\{cite\w*:?\w*\}`[^`]*`",
        r"`[^`]+`",
        r"\$[^$\n]+(?:\n[^$\n]+)?\$",
        r"(?<=\])\([^()\s]*\)",
        r"https?://\S+",
        r"</?\w[^<>]*>",
        r"[\"\u201c][^\"\u201c\u201d]{1,400}[\"\u201d]",
        r"\{[^{}\n]*\}",
    ):
        text = re.sub(left_out, blank, text)
    return text


def texts(page):
    """Yield the name of each text of a page, and its prose."""
    name = page.relative_to(ROOT).as_posix()
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".md":
        yield name, prose(text)
        return
    for number, cell in enumerate(json.loads(text)["cells"]):
        if cell["cell_type"] == "markdown":
            yield f"{name} cell {number}", prose("".join(cell["source"]))


def findings(name, text):
    """Return what is found in a text, each with its line."""
    return [
        f"{name}:{text[: found.start()].count(chr(10)) + 1}:"
        f" {' '.join(found[0].split())!r} ({kind})"
        for kind, pattern in PATTERNS.items()
        for found in pattern.finditer(text)
    ]


@grid(("bad", "good", "why"), ROWS)
def test_the_style_sheet_and_the_patterns_agree(bad, good, why):
    assert len([name for name, pattern in PATTERNS.items() if pattern.search(bad)]) == 1
    assert findings("", prose(good)) == []
    assert why


def test_each_pattern_is_in_the_style_sheet():
    found = {
        name
        for name, pattern in PATTERNS.items()
        if any(pattern.search(bad) for bad, _, _ in ROWS)
    }
    assert found == set(PATTERNS)


@grid(
    "left_out",
    [
        '"He is told from her"',
        "`76%`",
        "$-3$",
        "$$\n-3\n$$",
        "{cite:t}`dear2020`",
        "[here](dear.md)",
        "```python\nx = -3\n```",
        "```{code-cell} ipython3\n:tags: [hide-input]\n\ncolor = -3\n```",
        "> It is dear.",
        "---\ncolor: dear\n---",
    ],
)
def test_what_is_no_prose_of_ours_is_left_out(left_out):
    assert findings("", prose(left_out)) == []


@grid(
    "read",
    [
        "It is\n  dear.",
        "```{admonition} For you\nIt is dear.\n```",
        (
            "```{code-cell} ipython3\n---\nfigure:\n  caption: >-\n    It is"
            " dear.\n---\nx = 1\n```"
        ),
        "{term}`a dear trial <trial>`",
        "A code `x` is dear, and so is\n`y`.",
    ],
)
def test_prose_is_read(read):
    (found,) = findings("page", prose(read))
    line = next(
        number for number, text in enumerate(read.splitlines(), 1) if "dear" in text
    )
    assert found == f"page:{line}: 'dear' (dear)"


@grid("page", PAGES)
def test_no_page_has_them(page):
    assert [found for name, text in texts(page) for found in findings(name, text)] == []


@grid("page", sorted(ROOT.glob("book/**/*.md")))
def test_no_sentence_is_lost_as_a_comment(page):
    """A line that begins with a percent sign is a comment to MyST; ours follow an empty
    line or a comment.
    """
    lines = ["", *page.read_text(encoding="utf-8").splitlines()]
    lost = [
        b
        for a, b in itertools.pairwise(lines)
        if b.startswith("%") and a and not a.startswith("%")
    ]
    assert [line for line in lost if not re.match(r"%[a-z]", line)] == []
