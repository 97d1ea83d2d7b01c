"""The rules of judging on made-up rows whose verdict is known, for each word that they can say."""

import numpy as np
import pytest

from evalkit.papers.judging import (
    Finding,
    Judges,
    MissingRunsError,
    Resampled,
    beyond,
    either,
    everywhere,
    held,
)
from evalkit.scorecard import CLAIM_VERDICTS, JUDGED_ON


def test_what_holds_is_replicated():
    assert held(True) == held(np.True_) == "replicated"
    assert held(False) == held(np.False_) == "not replicated"


@pytest.mark.parametrize(
    ("confirmed", "refuted", "verdict"),
    [
        (True, False, "replicated"),
        (True, True, "replicated"),
        (False, True, "not replicated"),
        (False, False, "inconclusive"),
    ],
)
def test_what_confirms_comes_before_what_refutes(confirmed, refuted, verdict):
    assert either(confirmed, refuted) == verdict


@pytest.mark.parametrize(
    ("interval", "above", "verdict"),
    [
        ((1.1, 2), True, "replicated"),
        ((0.1, 0.9), True, "not replicated"),
        ((0.5, 2), True, "inconclusive"),
        ((1, 2), True, "inconclusive"),
        ((0.5, 1), True, "inconclusive"),
        ((1.1, 2), False, "not replicated"),
        ((0.1, 0.9), False, "replicated"),
        ((0.5, 2), False, "inconclusive"),
        ((1, 2), False, "inconclusive"),
        ((0.5, 1), False, "inconclusive"),
    ],
)
def test_a_verdict_needs_an_interval_on_one_side(interval, above, verdict):
    assert beyond(*interval, 1, above=above) == verdict


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        (["replicated", "replicated"], "replicated"),
        (["replicated", "inconclusive"], "inconclusive"),
        (["inconclusive", "not replicated", "replicated"], "not replicated"),
        (["not replicated"], "not replicated"),
    ],
)
def test_what_must_hold_everywhere_is_as_good_as_its_worst_part(verdicts, verdict):
    assert everywhere(verdicts) == verdict
    assert everywhere(verdicts[::-1]) == verdict


def test_every_word_is_one_of_the_scorecard():
    words = {held(True), held(False), either(False, False)}
    assert words < set(CLAIM_VERDICTS)
    assert Finding("replicated", "exact", "So it is.").data in JUDGED_ON


# A mean of the rows 0 and 1, half of each: its resampled distribution is a binomial.
HALVES = np.repeat([0.0, 1.0], 50)


def test_an_interval_is_that_of_the_percentiles():
    sampled = Resampled(np.mean, HALVES, draws=4000)
    assert sampled.estimate == 0.5
    assert (sampled.low, sampled.high) == (pytest.approx(0.40, abs=0.011), pytest.approx(0.60, abs=0.011))
    again = np.random.default_rng(2018)
    first = HALVES[again.integers(100, size=100)].mean()
    assert sampled.values[0] == first


def test_samples_are_drawn_each_on_its_own():
    sampled = Resampled(lambda a, b: a.mean() - b.mean(), HALVES, HALVES, draws=2000)
    assert sampled.values.std() == pytest.approx(np.sqrt(2) * 0.05, rel=0.06)


@pytest.mark.parametrize(
    ("limit", "above", "verdict"),
    [
        (0.3, True, "replicated"),
        (0.7, True, "not replicated"),
        (0.5, True, "inconclusive"),
        (0.7, False, "replicated"),
        (0.3, False, "not replicated"),
        (0.5, False, "inconclusive"),
    ],
)
def test_each_word_of_a_resampled_verdict(limit, above, verdict):
    sampled = Resampled(np.mean, HALVES, draws=500)
    assert sampled.beyond(limit, above=above) == verdict
    assert len(sampled.values) == 500  # no end is near the limit


def test_more_is_drawn_where_the_draws_could_turn_the_verdict():
    rows = np.random.default_rng(1).normal(size=200)
    sampled = Resampled(np.mean, rows, draws=200)
    near = sampled.low
    sampled.beyond(near)
    assert len(sampled.values) > 200
    most = Resampled(np.mean, rows, draws=10)
    for _ in range(3):
        most.settle(most.low, most.high)
    assert len(most.values) <= 160


def test_the_error_of_an_end_holds_what_other_draws_find():
    rows = np.random.default_rng(0).normal(size=100)
    low, high = Resampled(np.mean, rows, draws=400, seed=1).error(0.025)
    others = [Resampled(np.mean, rows, draws=400, seed=seed).low for seed in range(2, 62)]
    # Two runs of draws differ by more than one does from the truth.
    assert np.mean([low <= other <= high for other in others]) > 0.85


def test_a_finding_names_its_draws_and_their_error():
    assert Finding("replicated", "exact", "So it is.").monte_carlo == ""
    sampled = Resampled(np.mean, HALVES, draws=400)
    text = Finding("replicated", "own run", "So it is.", (sampled,)).monte_carlo
    assert text.startswith("400 draws; an end is known to ")
    assert 0.03 < sampled.share < 0.3
    constant = Resampled(np.mean, np.ones(5), draws=10)
    assert constant.share == 0


def test_judges_keep_their_order_and_skip_what_lacks_runs():
    judges = Judges("paper")

    @judges.of("second")
    def _second(record):
        return Finding("replicated", "exact", f"There are {record}.")

    @judges.of("first", 3)
    def _first(record, limit):
        if record < limit:
            raise MissingRunsError("too few")
        return Finding("inconclusive", "own run", "It is.")

    assert list(judges) == ["second", "first"]
    assert judges.findings(2).id.tolist() == ["paper/second"]
    table = judges.findings(5)
    assert table.id.tolist() == ["paper/second", "paper/first"]
    assert table.verdict.tolist() == ["replicated", "inconclusive"]
    assert table.evidence[0] == "There are 5."
    with pytest.raises(ValueError, match="second"):
        judges.of("second")(_second)
