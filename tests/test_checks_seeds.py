"""The checks of the chapter on seeds: they take each defensible answer, and refuse the
obvious slips.
"""

import re
from pathlib import Path

import numpy as np
from grids import grid

from lab.pages import check_answer

PAGE = Path(__file__).resolve().parents[1] / "book/seeds.md"
CHECK = re.compile(r'check_answer\((\w+), "(\w+)", within=([\d.]+)')

# Standard errors of the first twenty runs of each, and what comes of it.
RUNS, LINES, BOTH = 0.0021301, 0.0033666, 0.0036987


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
        ("over_runs", RUNS, True),
        ("over_runs", RUNS * 0.95**0.5, True),  # dividing by n
        ("over_runs", 0.0021, True),
        ("over_runs", 0.0018677, False),  # of one network
        ("over_runs", 0.0028919, False),  # errors added up, not their squares
        ("over_runs", RUNS * 20**0.5, False),  # of a run, not of a mean
        ("over_lines", LINES, True),
        ("over_lines", 0.0034, True),
        ("over_lines", 0.0109074, False),  # lines not paired
        ("over_lines", 0.0126716, False),  # as one run's shares
        ("over_lines", 0.0016316, False),  # 60,000 answers taken as independent
        ("over_both", BOTH, True),
        ("over_both", 0.0037220, True),  # run i with run i
        ("over_both", np.hypot(RUNS, LINES), False),  # the rest counted twice
        ("over_both", RUNS + LINES, False),
        ("over_both", LINES, False),  # as answers of one model
        ("over_both", 0.0045337, False),  # lines in modules
        ("needed", 41, True),  # by hand, and what the rule says
        ("needed", 40.96, True),
        ("needed", 42, True),
        ("needed", 16 * 0.8 / 0.5, False),  # not squared
        ("needed", 23, False),  # for pairs
        ("needed", 84, False),  # of both systems
        ("power_of_three", 0.0921, True),  # exact
        ("power_of_three", 0.099, True),
        ("power_of_three", 0.08, True),
        ("power_of_three", 0.1582, False),  # one-sided
        ("power_of_three", 0.05, False),  # the level
        ("power_of_three", 0.8, False),  # the power that was wanted
        ("power_of_three", 1 - 0.0921, False),
    ],
)
def test_the_checks_of_standard_errors_and_seeds(name, answer, taken):
    assert takes(name, answer) is taken
