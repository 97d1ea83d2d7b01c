"""The checks of the exercises on tuning take what can be defended, and refuse slips."""

import re
from pathlib import Path

import numpy as np
import pytest
from grids import grid

import evalkit as ek
from lab.pages import check_answer
from lab.record import tables

PAGE = Path(__file__).resolve().parents[1] / "book" / "tuning.md"
BUDGETS = (1, 3, 5, 10, 40)


def read_check(name):
    """Return the seals of an answer on the page, and its tolerance."""
    code = next(
        cell
        for cell in re.findall(
            r"remove-cell, check\]\n(.*?)^```",
            PAGE.read_text(encoding="utf-8"),
            re.DOTALL | re.MULTILINE,
        )
        if f"`{name}`" in cell
    )
    (within,) = re.findall(r"within=([\d.]+)", code)
    return re.findall(r'"([0-9a-f]{8})"', code), float(within)


def takes(answer, sealed, within):
    """Return whether a check takes an answer."""
    try:
        check_answer(answer, sealed, hint="Again.", within=within)
    except AssertionError:
        return False
    return True


POOL = tables.load_recorded("pools", "search")
MLP, LSTM = (POOL[POOL.system == s].reset_index(drop=True) for s in ("mlp", "lstm"))
BOTH = MLP.validation, MLP.test, LSTM.validation, LSTM.test
COSTS = MLP.seconds.mean(), LSTM.seconds.mean()
P = np.array([ek.budget_difference(*BOTH, n).pvalue for n in BUDGETS])
ADJUSTED = ek.holm(P)
# By hand, from the smallest on.
BY_HAND = np.maximum.accumulate(np.sort(P) * np.arange(5, 0, -1))[P.argsort().argsort()]


@grid(
    "name, adjusted, taken",
    [
        ("Holm's method", ADJUSTED, True),
        ("by hand", BY_HAND, True),
        ("to three digits", ADJUSTED.round(3), True),
        ("not corrected", P, False),
        ("Bonferroni", np.minimum(1, 5 * P), False),
        ("eleven budgets", np.minimum(1, 11 * P), False),
        ("the first three alone", ek.holm(P[:3]), False),
        ("sorted", np.sort(ADJUSTED), False),
    ],
)
def test_five_p_values(name, adjusted, taken):
    seals, within = read_check("adjusted")
    found = [takes(p, s, within) for p, s in zip(adjusted, seals, strict=False)]
    assert all(found) == taken


def lead(*, cost, seconds):
    return 100 * ek.budget_difference(*BOTH, seconds, seconds=cost).difference


FAST = COSTS[0], COSTS[1] / 2
MLPS = int(3 * FAST[1] / COSTS[0])


@grid(
    "name, answer, taken",
    [
        ("budget_difference", lead(cost=FAST, seconds=3 * FAST[1]), True),
        (
            "boo for each",
            100 * (ek.boo(*BOTH[:2], n=MLPS) - ek.boo(*BOTH[2:], n=3)),
            True,
        ),
        ("to one digit", round(lead(cost=FAST, seconds=3 * FAST[1]), 1), True),
        ("not in points", lead(cost=FAST, seconds=3 * FAST[1]) / 100, False),
        ("as slow as before", lead(cost=COSTS, seconds=3 * COSTS[1]), False),
        ("twice the trials", lead(cost=FAST, seconds=3 * COSTS[1]), False),
        ("half of the time", lead(cost=COSTS, seconds=1.5 * COSTS[1]), False),
        ("three trials each", 100 * ek.budget_difference(*BOTH, 3).difference, False),
        ("the wrong way round", -lead(cost=FAST, seconds=3 * FAST[1]), False),
    ],
)
def test_a_lead_in_time(name, answer, taken):
    (sealed,), within = read_check("lead_fast")
    assert takes(answer, sealed, within) == taken


def test_a_check_that_is_not_there_is_noticed():
    with pytest.raises(StopIteration):
        read_check("nothing")
