"""The checks of the chapter on J-K-fold cross-validation: they take each defensible
answer, and refuse the obvious slips.
"""

import re
from pathlib import Path

from grids import grid

from lab.pages import check_answer

PAGE = Path(__file__).resolve().parents[1] / "book/jkfold.md"
SEALS = re.compile(r'\("(first|last|random)", "(\w+)"\)')
WITHIN = re.compile(r"check_answer\(returned\[name\], sealed, within=([\d.]+)")


def takes(name, answer):
    """Return whether the page's check takes an answer."""
    text = PAGE.read_text(encoding="utf-8")
    (within,) = WITHIN.findall(text)
    sealed = dict(SEALS.findall(text))[name]
    try:
        check_answer(answer, sealed, within=float(within), hint="No.")
    except AssertionError:
        return False
    return True


@grid(
    "name, answer, taken",
    [
        ("first", 1, True),
        ("first", 0.5, False),  # how often A is alone
        ("first", 5 / 6, False),
        ("last", 1 / 2, True),
        ("last", 0.503, True),  # simulated
        ("last", 1 / 4, False),  # both take A; both may take C
        ("last", 1, False),
        ("random", 1 / 2, True),
        ("random", 0.48, True),  # simulated
        ("random", 0.52, True),
        ("random", (2 / 3) ** 2, False),  # both take A; B and C are forgotten
        ("random", 2 / 3, False),  # how often A is taken
        ("random", 1 / 3, False),
        ("random", 1 / 4 + 1 / 4 / 3, False),  # ties of both only
    ],
)
def test_the_check_of_three_settings(name, answer, taken):
    assert takes(name, answer) is taken
