"""The pages for the lecturer and the reviewer hold what they promise: minutes,
exercises, calls.
"""

import re
from pathlib import Path

from grids import grid

import evalkit

ROOT = Path(__file__).resolve().parents[1]
CHAPTERS = {4: "intervals", 5: "significance"}


def page(name):
    text = (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8")
    return re.sub(r"\A---.*?^---$", "", text, count=1, flags=re.DOTALL | re.MULTILINE)


def plan(label="teaching-session"):
    """Return the rows of a plan: the clock, the minutes and what happens."""
    text = page("teaching").split(f"({label})=")[1].split("\n(teaching-")[0]
    return re.findall(r"^\| (\d):(\d\d) \| (\d+) \| (.*?) \|", text, re.MULTILINE)


@grid(("name", "most"), [("teaching", 2200), ("ask", 1200), ("first_report", 1400)])
def test_the_page_is_short(name, most):
    words = re.sub(r"^```.*?^```$", "", page(name), flags=re.DOTALL | re.MULTILINE)
    assert len(words.split()) <= most


@grid(("label", "in_all"), [("teaching-session", 90), ("teaching-chapter", 75)])
def test_a_plan_adds_up_by_the_clock(label, in_all):
    clock = 0
    for hour, minute, minutes, _ in plan(label):
        assert 60 * int(hour) + int(minute) == clock
        clock += int(minutes)
    assert clock == in_all


def test_the_exercises_of_the_plan_exist_and_fit():
    named = []
    for _, _, minutes, what in plan():
        for exercise, chapter in re.findall(r"exercise (\d) of chapter (\d)", what):
            text = page(CHAPTERS[int(chapter)])
            takes = re.search(
                rf"^\*\*{exercise}\. .*?\*\* \((\d+) minutes\)", text, re.MULTILINE
            )
            at_home = "at home" in what
            assert at_home or int(takes[1]) <= int(minutes)
            named.append(at_home)
    assert named == [False, False, True, True]


def test_the_rubric_has_a_hundred_points_and_none_for_the_result():
    rows = re.findall(r"^\| \*\*(.*?)\*\* (\d+) \|", page("teaching"), re.MULTILINE)
    assert sum(int(points) for _, points in rows) == 100
    criteria = [re.search("metric|methods|limits", what)[0] for what, _ in rows]
    assert criteria == ["metric", "methods", "limits"]


def test_the_hand_outs_of_the_page_are_those_that_exist():
    listed = re.findall(r"^(\d)\. \*(.*?)\*: after", page("teaching"), re.MULTILINE)
    pages = ROOT.glob("book/handouts/*/handout.md")
    titles = [
        re.match(r"# Hand-out (\d): (.*)", text.read_text(encoding="utf-8")).groups()
        for text in pages
    ]
    assert listed == sorted(titles)


def test_each_of_ten_questions_leads_to_a_section_and_is_true():
    asked = page("ask").split("(reviewing)=")[1]
    parts = re.split(r"^(\d+)\. \*\*", asked, flags=re.MULTILINE)
    assert [int(number) for number in parts[1::2]] == list(range(1, 11))
    assert all(re.search(r"\{(?:ref|doc)\}`|\]\(\w+\.md", text) for text in parts[2::2])
    ours, theirs = (91.3, 0.4, 5), (90.5, 0.5, 5)
    sd, se = (evalkit.from_summary(ours, theirs, spread=s) for s in ("sd", "se"))
    assert sd.low > 0 > se.low
    assert not len(evalkit.possible_counts("71.4", 240))
    assert round(evalkit.gaussian_expected_max(40), 1) == 2.2  # "two"
