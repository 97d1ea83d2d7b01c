"""The checks of the chapter's exercises: what they take, and what they refuse."""

import re
from pathlib import Path

import evalkit as ek
import pytest
from grids import grid

from lab.pages import check_answer

PAGE = Path(__file__).resolve().parents[1] / "book" / "significance.md"
SEALS = dict(
    re.findall(
        r"(?:check_answer\(|for end, sealed in \(\(|, \()(\w+), \"(\w{8})\"",
        PAGE.read_text(encoding="utf-8"),
    )
)
WITHIN = {"out": 0.005, "half": 0.005, "low": 0.001, "high": 0.001}
TANGO = ek.paired_proportion_interval(367, 35, 40, 58, confidence_level=0.9)
WALD = (75 / 500**2 - 25 / 500**3) ** 0.5  # a standard error

CASES = [
    # McNemar's exact test of 34 against 20, and of 57 against 43.
    ("out", ek.mcnemar(34, 20).pvalue, True),
    ("out", 0.08, True),
    ("out", ek.mcnemar(34, 20, method="mid-p").pvalue, False),  # not what is asked
    ("out", ek.mcnemar(34, 20).pvalue / 2, False),  # one-sided
    ("out", ek.mcnemar(34, 66).pvalue, False),  # ties to the other side
    ("out", ek.mcnemar(57, 43).pvalue, False),
    ("half", ek.mcnemar(57, 43).pvalue, True),
    ("half", 0.19, True),
    ("half", ek.mcnemar(34, 20).pvalue, False),
    ("half", ek.mcnemar(57, 43).pvalue / 2, False),
    # The 90 % interval of small minus large: by t, the normal distribution, scores.
    ("low", -0.01 - 1.648 * WALD, True),
    ("low", -0.01 - 1.645 * WALD, True),
    ("low", TANGO.low, True),
    ("low", -0.01 - 1.96 * WALD, False),  # 95 %
    ("low", -3.9, False),  # in points
    ("low", 0.01 - 1.645 * WALD, False),  # large minus small
    ("high", -0.01 + 1.648 * WALD, True),
    ("high", -0.01 + 1.645 * WALD, True),
    ("high", TANGO.high, True),
    ("high", -0.01 + 1.96 * WALD, False),
    ("high", 0.01 + 1.645 * WALD, False),
    ("high", 1.9, False),
]


def test_each_seal_of_the_page_is_tried():
    assert SEALS.keys() == WITHIN.keys() == {name for name, _, _ in CASES}
    text = PAGE.read_text(encoding="utf-8")
    assert sorted(re.findall(r"within=([\d.]+)", text)) == ["0.001", "0.005", "0.005"]


@grid(("name", "answer", "taken"), CASES)
def test_a_check_takes_what_is_right_and_refuses_slips(name, answer, taken):
    if taken:
        check_answer(answer, SEALS[name], within=WITHIN[name], hint="")
    else:
        with pytest.raises(AssertionError, match="Not yet"):
            check_answer(answer, SEALS[name], within=WITHIN[name], hint="")
