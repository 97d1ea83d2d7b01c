"""The checklist: every box has its own name, a reason and a section, and the example
answers every line.
"""

import re
from pathlib import Path

from grids import grid

BOOK = Path(__file__).resolve().parents[1] / "book"
PAGE = (BOOK / "checklist.md").read_text(encoding="utf-8")
LIST, EXAMPLE = PAGE.split("(checklist-example)=")
ITEMS = [
    " ".join(item.split())
    for item in re.findall(r"^- \[ \] .*\n(?:  .*\n)*", LIST, re.MULTILINE)
]
NAMED = re.compile(
    r"- \[ \]"
    r" \[\*\*(?P<title>[^*]+)\*\*\]\{#check-(?P<id>[a-z]+)(?P<marks>[^}]*)\}(?P<rest>.*)"
)
LINK = re.compile(
    r" (?:\[[^\]]*\]\((?P<page>[\w/]+)\.md#(?P<section>[\w-]+)\)|\{ref\}`(?P<label>[\w-]+)`|\{doc\}`\w+`)$"
)
# Readers' browsers keep their ticks by these names: one may be added, none may change.
IDS = """
new fitted floor simple tuned chosen runs metric pairs interval many rows
divided groups duplicates looks
part ceiling league
search fixed width compute partition
init failures best
unit test matters power
version prompts decoding extraction contamination samples judge agreement
people asked ties raters
environment command
"""


def test_the_names_of_the_boxes_are_kept():
    # The comment that explains them has one.
    assert len(ITEMS) == LIST.count("- [ ] ") - 1
    found = [NAMED.match(item)["id"] for item in ITEMS]
    assert len(set(found)) == len(found)
    assert set(IDS.split()) <= set(found)


@grid("item", ITEMS)
def test_a_line_has_a_reason_and_one_section(item):
    rest = NAMED.match(item)["rest"]
    link = LINK.search(rest)
    assert link
    said = rest[: link.start()]
    assert re.search(r"\. \S+ \S+ \S+.*\.$", said), "a sentence that says why"
    assert len(said.split()) <= 40
    if link["page"]:
        headings = re.findall(
            r"^##+ (.*)$",
            (BOOK / f"{link['page']}.md").read_text("utf-8"),
            re.MULTILINE,
        )
        slugs = {
            re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in headings
        }
        assert link["section"] in slugs


def test_must_haves_come_first():
    marks = [NAMED.match(item)["marks"] for item in ITEMS]
    n_must = marks.count(" .must")
    assert marks[:n_must] == [" .must"] * n_must
    assert n_must >= 10
    assert set(marks[n_must:]) == {"", " .must-if"}


def test_the_example_answers_every_line_that_applies():
    answers = re.findall(
        r"^- \*\*(Yes|In part|No|Does not apply)\.\*\* \[[^]]+\]\(#check-(\w+)\)",
        EXAMPLE,
        re.MULTILINE,
    )
    assert len(answers) == EXAMPLE.count("\n- **")
    apart = LIST.index("## Language models"), LIST.index("## The record")
    applies = [
        NAMED.match(item)["id"]
        for item in ITEMS
        if not apart[0]
        < LIST.index(NAMED.match(item)["title"] + "**]{#check-")
        < apart[1]
    ]
    assert [name for _, name in answers] == applies
    assert {"Yes", "In part", "No"} <= {word for word, _ in answers}
