"""The checks of the chapter on baselines: they take each defensible answer, and refuse the
obvious slips.
"""

import re
from pathlib import Path

from grids import grid

from lab.pages import check_answer

PAGE = Path(__file__).resolve().parents[1] / "book/baselines.md"
CHECK = re.compile(r'check_answer\((\w+), "(\w+)", within=([\d.]+)')


def takes(name, answer):
    """Return whether the page's check takes an answer."""
    checks = {
        of: (sealed, within)
        for of, sealed, within in CHECK.findall(PAGE.read_text(encoding="utf-8"))
    }
    sealed, within = checks[name]
    within = float(within) if "." in within else int(within)
    try:
        check_answer(answer, sealed, within=within, hint="No.")
    except AssertionError:
        return False
    return True


BY_SHARES = (0.8 + 0.2) / 2  # macro F1: of each class, its share


@grid(
    "name, answer, taken",
    [
        ("always", (2 * 0.8 / 1.8) / 2, True),
        ("always", 0.44, True),
        ("always", 2 * 0.8 / 1.8, False),  # F1 of the positive class alone
        ("always", 0.5, False),  # balanced accuracy
        ("always", 0.8, False),
        ("always", 0.4, False),  # half of the accuracy
        ("guessing", 0.8**2 + 0.2**2, True),
        ("guessing", 0.8, False),  # the majority's
        ("guessing", 0.8**2, False),  # the positive items alone
        ("guessing", 0.5, False),  # guessing evenly
        ("floor", BY_SHARES, True),
        ("floor", 0.497, True),  # simulated on a hundred items
        ("floor", (2 * 0.8 / 1.8) / 2, False),  # always positive
        ("floor", (2 * 0.4 / 1.3 + 2 * 0.1 / 0.7) / 2, False),  # guessing evenly
        ("floor", 2 * 0.8 / 1.8, False),
    ],
)
def test_the_check_of_dummies(name, answer, taken):
    assert takes(name, answer) is taken
