"""The checks of the chapter on splits: they take each defensible answer, and refuse the
obvious slips.
"""

import re
from pathlib import Path

from grids import grid

from lab.pages import check_answer

PAGE = Path(__file__).resolve().parents[1] / "book/splits.md"
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


@grid(
    "name, answer, taken",
    [
        ("related", 1 - 0.2**3, True),
        ("related", 0.9920958, True),  # drawn without putting back
        ("related", 0.99, True),  # "about 99 %"
        ("related", 1.0, False),  # one split without a patient that is only in test
        ("related", 1 - 0.2**4, False),  # that the item itself is in test is given
        ("related", 1 - 0.2**2, False),
        ("related", 1 - 0.8**3, False),
        ("n_tested", 500 * (1 - 0.8**4), True),
        ("n_tested", 295.35, True),  # drawn without putting back
        ("n_tested", 295, True),
        ("n_tested", 100, False),  # held out by patient
        ("n_tested", 400, False),  # X-rays
        ("n_tested", 500 * (1 - 0.8**3), False),
        ("n_tested", 500 * 4 * 0.2 * 0.8, False),
        ("n_alone", 500 * 0.2**4, True),
        ("n_alone", 0.79, True),
        ("n_alone", 1, True),  # rounded
        ("n_alone", 0, False),
        ("n_alone", 0.2**4, False),  # a share, not a number
        ("n_alone", 500 * 0.2**3, False),
        ("n_alone", 4 * 500 * 0.2**4, False),  # X-rays
    ],
)
def test_the_check_of_x_rays(name, answer, taken):
    assert takes(name, answer) is taken
