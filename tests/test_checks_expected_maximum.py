"""The checks of the exercises on the expected maximum take what can be defended, and
refuse slips.
"""

import re
from itertools import combinations, product
from pathlib import Path

import numpy as np
from grids import grid

import evalkit as ek
from lab.data import boards
from lab.pages import check_answer

PAGE = Path(__file__).resolve().parents[1] / "book" / "expected_maximum.md"


def read_checks():
    """Return the seal and the tolerance of each answer on the page."""
    text = PAGE.read_text(encoding="utf-8")
    found = {
        name: (sealed, float(within))
        for name, sealed, within in re.findall(
            r'check_answer\((\w+), "([0-9a-f]{8})", within=([\d.]+)', text
        )
    }
    ties = re.findall(r'\("(first|last|shared)", "([0-9a-f]{8})"\)', text)
    return found | {name: (sealed, 0.001) for name, sealed in ties}


def takes(name, answer):
    """Return whether a check takes an answer."""
    sealed, within = read_checks()[name]
    try:
        check_answer(answer, sealed, hint="Again.", within=within)
    except AssertionError:
        return False
    return True


VALIDATION, TEST = [0.8, 0.8, 0.7, 0.6], [0.70, 0.76, 0.74, 0.62]


def mean_of_best(pairs, best):
    return np.mean([best(pair) for pair in pairs])


DIFFERENT = list(combinations(range(4), 2))
REPEATED = list(product(range(4), repeat=2))


def first(pair):
    return TEST[max(pair, key=lambda i: (VALIDATION[i], -i))]


def last(pair):
    return TEST[max(pair, key=lambda i: (VALIDATION[i], i))]


def validation(pair):
    return max(VALIDATION[i] for i in pair)


@grid(
    "name, answer, taken",
    [
        ("u_2", mean_of_best(DIFFERENT, validation), True),
        ("u_2", 0.783, True),
        ("u_2", mean_of_best(REPEATED, validation), False),
        ("u_2", 0.8, False),
        ("v_2", mean_of_best(REPEATED, validation), True),
        ("v_2", 0.769, True),
        ("v_2", mean_of_best(DIFFERENT, validation), False),
        ("first", mean_of_best(DIFFERENT, first), True),
        ("first", mean_of_best(DIFFERENT, last), False),
        ("first", mean_of_best(REPEATED, first), False),
        ("last", mean_of_best(DIFFERENT, last), True),
        ("last", mean_of_best(DIFFERENT, first), False),
        ("shared", ek.boo(VALIDATION, TEST, n=2), True),
        ("shared", ek.boo(VALIDATION, TEST, n=2, estimator="v"), False),
        ("shared", 0.75, False),  # the better half of the tests
    ],
)
def test_the_best_of_two_by_hand(name, answer, taken):
    assert takes(name, answer) == taken


NANO = boards.gpqa().query("model == 'gpt-5-nano-2025-08-07'")
SHARE = NANO.groupby("item").right.mean()
POOLED = 1 - (1 - SHARE.mean()) ** 5


@grid(
    "name, answer, taken",
    [
        ("by_u", (SHARE > 0).mean(), True),
        ("by_u", round((SHARE > 0).mean(), 3), True),
        ("by_u", (1 - (1 - SHARE) ** 5).mean(), False),
        ("by_u", POOLED, False),
        ("by_u", SHARE.mean(), False),
        ("by_v", (1 - (1 - SHARE) ** 5).mean(), True),
        ("by_v", (SHARE > 0).mean(), False),
        ("by_v", POOLED, False),
    ],
)
def test_at_least_one_of_five(name, answer, taken):
    assert takes(name, answer) == taken
