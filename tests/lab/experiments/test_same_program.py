"""Two runs of one program: each fast test against a slow one, the jackknife by hand,
and the record.
"""

import numpy as np
import pytest
from grids import grid
from scipy import stats

from evalkit import mcnemar, sign_flip, t_interval
from lab.experiments import same_program
from lab.record import tables

RIGHT, MODULE = same_program.load_right("lstm")
COUNTS = same_program._counts(RIGHT)
SOME = [(0, 1), (3, 50), (98, 99)]  # pairs of runs


def place(pair):
    return int(
        np.flatnonzero(
            (same_program.PAIRS[0] == pair[0]) & (same_program.PAIRS[1] == pair[1])
        )[0]
    )


def test_one_linear_model_and_a_hundred_runs():
    linear, module = same_program.load_right("linear")
    best = (
        tables.load_recorded("pools", "baselines")
        .query("system == 'linear'")
        .nlargest(1, "validation")
    )
    assert linear.shape == (1, same_program.LINES)
    assert linear.mean() == pytest.approx(best.test.item(), abs=1e-6)
    assert (module == MODULE).all()
    runs = tables.load_recorded("pools", "seeds").query("system == 'lstm'")
    assert RIGHT.mean(axis=1) == pytest.approx(runs.test.to_numpy(), abs=1e-6)


@grid("pair", SOME)
def test_tests_on_the_lines_are_those_of_each_pair(pair):
    a, b = RIGHT[pair[0]], RIGHT[pair[1]]
    n10, n01 = int(np.sum(a & ~b)), int(np.sum(b & ~a))
    at = place(pair)
    assert (COUNTS[0][at], COUNTS[1][at]) == (n10, n01)
    for form in ("exact", "mid-p", "chi2"):
        fast = same_program.ON_LINES[f"mcnemar {form}"](*COUNTS)[at]
        assert fast == pytest.approx(mcnemar(n10, n01, method=form).pvalue)
    slow = stats.ttest_rel(a.astype(float), b.astype(float)).pvalue
    assert same_program.ON_LINES["paired t"](*COUNTS)[at] == pytest.approx(slow)


@grid("pair", SOME)
def test_the_bootstrap_is_that_of_the_lines(pair):
    gap = RIGHT[pair[0]].astype(int) - RIGHT[pair[1]]
    rng = np.random.default_rng(0)
    drawn = np.array([rng.choice(gap, gap.size).sum() for _ in range(999)])
    slow = 2 * min(np.mean(drawn <= 0), np.mean(drawn >= 0))
    fast = same_program._bootstrap(*COUNTS, np.random.default_rng(1))[place(pair)]
    assert fast == pytest.approx(slow, abs=0.1)


@grid("pair", SOME)
def test_tests_on_the_modules_are_those_of_each_pair(pair):
    sums = same_program._sums("lstm")
    a, b = (np.bincount(MODULE, RIGHT[run]) for run in pair)
    assert (sums[place(pair)] == a - b).all()
    rng = np.random.default_rng(0)
    fast = same_program.ON_MODULES["modules t"](sums, COUNTS, rng)[place(pair)]
    assert fast == pytest.approx(stats.ttest_rel(a, b).pvalue)
    fast = same_program.ON_MODULES["modules exchanged"](sums, COUNTS, rng)[place(pair)]
    assert fast == pytest.approx(sign_flip(a, b, rng=0).pvalue, abs=0.06)


def test_swapped_modules_keep_what_a_pair_disagrees_on():
    class Heads:
        def choice(self, sides, size):
            return np.ones(size)

    p = same_program._modules_swapped(same_program._sums("lstm"), COUNTS, Heads())
    assert p == pytest.approx(same_program._exact(*COUNTS))


def test_the_jackknife_leaves_out_one_run_at_a_time():
    called = np.random.default_rng(0).random(len(same_program.PAIRS[0])) < 0.3
    first, second = same_program.PAIRS
    without = [
        called[(first != run) & (second != run)].mean()
        for run in range(same_program.RUNS)
    ]
    pseudo = same_program.RUNS * called.mean() - (same_program.RUNS - 1) * np.array(
        without
    )
    interval = t_interval(pseudo)
    assert same_program.over_runs(called) == pytest.approx(
        (called.mean(), interval.low, interval.high)
    )


def test_each_recorded_share_lies_in_its_interval():
    record = tables.load_recorded("same_program", "called")
    assert (record.low <= record.share).all()
    assert (record.share <= record.high).all()
