"""What the checks of chapter 4's exercises take, and what they refuse."""

import ast
import re
from pathlib import Path

import pytest
from grids import grid

from lab.pages import check_answer

PAGE = Path(__file__).resolve().parents[1] / "book" / "intervals.md"
# The name, an answer, and whether it is a defensible one.
ANSWERS = {
    "by the formula": ("items_a", 1.96**2 * 0.16 / 0.01**2, True),
    "with 2 for 1.96": ("items_a", 4 * 0.16 / 0.01**2, True),
    "one half for 0.8": ("items_a", 1.96**2 * 0.25 / 0.01**2, False),
    "one side alone": ("items_a", 1.645**2 * 0.16 / 0.01**2, False),
    "one point from end to end": ("items_a", 1.96**2 * 0.16 / 0.005**2, False),
    "the square of 1.8": ("items_b", 1.8**2 * 6147, True),
    "the same with 2 for 1.96": ("items_b", 1.8**2 * 6400, True),
    "1.8 and not its square": ("items_b", 1.8 * 6147, False),
    "no groups": ("items_b", 6147, False),
    "as by the formula": ("items_c", 2.8016**2 * 2 * 0.16 * 0.5 / 0.01**2, True),
    "tried in thousands": ("items_c", 13_000, True),
    "without the correlation": ("items_c", 25_200, False),
    "found one time in two": ("items_c", 6147, False),
    "GPT-4 minus Llama 2": ("lead_1", -7.0, True),
    "unread verdicts dropped from each": ("lead_1", -7.079, True),
    "the other way round": ("lead_1", 7.0, False),
    "a share and no points": ("lead_1", -0.07, False),
    "the first template for the fourth": ("lead_4", -7.0, False),
    "GPT-4 minus Llama 2 under the fourth": ("lead_4", 18.556, True),
    "the other way round under the fourth": ("lead_4", -18.556, False),
}


def sealed(name):
    """Return the seal and the tolerance that the page has for a name."""
    ((seal, within),) = re.findall(
        rf'check_answer\({name}, "(\w+)", within=([\d.]+)',
        PAGE.read_text(encoding="utf-8"),
    )
    return seal, ast.literal_eval(within)  # 200 is not sealed as 200.0


@grid(("name", "answer", "taken"), ANSWERS.values())
def test_a_check_takes_each_defensible_way_and_refuses_slips(name, answer, taken):
    seal, within = sealed(name)
    if taken:
        check_answer(answer, seal, within=within, hint="")
    else:
        with pytest.raises(AssertionError, match="Not yet"):
            check_answer(answer, seal, within=within, hint="")


def test_every_check_of_the_page_is_tried():
    asked = re.findall(r"check_answer\((\w+),", PAGE.read_text(encoding="utf-8"))
    assert {name for name, *_ in ANSWERS.values()} == set(asked)
