"""The checks of the chapter on leaderboards: they take each defensible answer, and
refuse the obvious slips.
"""

import re
from pathlib import Path

from grids import grid

from lab.pages import check_answer

PAGE = Path(__file__).resolve().parents[1] / "book/leaderboards.md"
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
        ("at_least_one", 4, True),
        ("at_least_one", 3, False),  # who is first, and not who may be
        ("at_least_one", 2, False),  # template 1 alone, or balanced accuracy
        ("at_least_one", 5, False),  # templates
        ("at_least_one", 10, False),  # a model once for each template
        ("under_all", 0, True),
        ("under_all", 1, False),
        ("under_all", 3, False),
        ("lowest", 2 * 0.5**10, True),
        ("lowest", 0.002, True),
        ("lowest", 2 * 0.5**8, False),  # counts 174 and 166 alone
        ("lowest", 0.0, False),
        ("highest", 0.518959, True),
        ("highest", 0.52, True),
        ("highest", 0.366, False),  # counts 174 and 166 alone
        ("highest", 1.0, False),
        ("needed", 628, True),
        ("needed", 630, True),  # in steps of ten
        ("needed", 650, True),  # in steps of fifty
        ("needed", 625, True),  # by the formula with the share that differ
        ("needed", 700, False),  # rate .83
        ("needed", 560, False),  # rate .87
        ("needed", 200, False),
        ("outcomes", 562, True),
        ("outcomes", 561, False),  # of all four
        ("outcomes", 730, False),
        ("on_common", 240 / 561, True),
        ("on_common", 0.428, True),
        ("on_common", 240 / 562, False),  # its own items
        ("on_common", 0.328767, False),
        ("as_failed", 240 / 730, True),
        ("as_failed", 0.329, True),
        ("as_failed", 240 / 562, False),
        ("as_failed", 240 / 561, False),
    ],
)
def test_the_checks_of_leaderboards(name, answer, taken):
    assert takes(name, answer) is taken
