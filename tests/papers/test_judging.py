"""The rules of judging on made-up rows whose verdict is known, for each word that they can say."""

import itertools

import numpy as np
import pytest
from scipy import stats

from evalkit import recorded
from evalkit.intervals import t_interval
from evalkit.papers import judging
from evalkit.papers.judging import (
    Finding,
    Jackknifed,
    Judges,
    Measured,
    MissingRunsError,
    Resampled,
    beyond,
    either,
    everywhere,
    held,
    sized,
)
from evalkit.scorecard import CLAIM_VERDICTS, JUDGED_ON
from evalkit.sources import SourceError


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
    ("confirmed", "refuted", "verdict"),
    [
        (True, False, "replicated"),
        (True, True, "replicated, smaller"),
        (False, True, "not replicated"),
        (False, False, "inconclusive"),
    ],
)
def test_an_effect_may_be_there_and_smaller(confirmed, refuted, verdict):
    assert sized(confirmed, refuted) == verdict


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


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.1, 2, "replicated"),
        (1, 2, "inconclusive"),
        (0.1, 1, "inconclusive"),
        (-1, 2, "inconclusive"),
        (0.1, 0.9, "replicated, smaller"),
        (0, 0.9, "not replicated"),
        (-2, -1, "not replicated"),
    ],
)
def test_an_effect_is_as_large_as_claimed_or_smaller(low, high, verdict):
    assert judging.as_large(low, high, 1) == verdict
    assert judging.as_large(low + 1, high + 1, 2, none=1) == verdict
    assert everywhere(["replicated", verdict]) == verdict


def test_a_judge_says_which_criterion_it_follows():
    judges = judges_of("old")

    @judges.judge("new", criterion="2026-01-02")
    def _new(record):
        return Finding("replicated", "exact", "So it is.", intervals=7)

    table = (judges | judges_of("last")).findings(1)
    assert table.criterion.tolist() == ["", "2026-01-02", ""]
    assert table.intervals.tolist() == [0, 7, 0]


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


def in_order(draws, value=float):
    """Draws whose values are those of 0, 1, 2, ..., so that every quantile is known."""
    numbers = itertools.count(-1)  # the first number is that of the samples themselves
    return Resampled(lambda sample: value(next(numbers)), np.zeros(2), draws=draws)


def test_the_ends_are_the_percentiles_of_the_draws():
    sampled = in_order(1001)
    assert tuple(sampled) == (-1, 25, 975)
    assert (sampled.estimate, sampled.low, sampled.high) == (-1, 25, 975)


@pytest.mark.parametrize("tail", [0.025, 0.975])
def test_the_error_of_an_end_is_that_of_a_binomial_rank(tail):
    low, high = in_order(4000).error(tail)
    assert (low, high) == pytest.approx(stats.binom.interval(0.99, 4000, tail), abs=1)
    low, high = in_order(10).error(tail)  # ranks below the first and above the last there are not
    assert (low, high) == (
        (0, pytest.approx(1.37, abs=0.01)) if tail < 0.5 else (pytest.approx(7.63, abs=0.01), 9)
    )


def test_the_share_is_that_of_the_worse_end():
    # Squares lie farther apart at the upper end, whose rank has an SD of 9.87 among 4,000.
    sampled = in_order(4000, lambda number: float(number**2))
    reach = stats.norm.isf(0.005) * np.sqrt(4000 * 0.025 * 0.975)
    ends = 0.025 * 3999, 0.975 * 3999
    error = ((ends[1] + reach) ** 2 - (ends[1] - reach) ** 2) / 2
    assert sampled.share == pytest.approx(error / (ends[1] ** 2 - ends[0] ** 2), rel=1e-3)


@pytest.mark.parametrize(
    ("limits", "draws"),
    [((1,), 1600), ((2,), 100), ((-1,), 100), ((2, 1), 1600), ((), 100)],
)
def test_draws_double_up_to_sixteen_times_as_many(limits, draws):
    ones = in_order(100, lambda number: float(number > 0))  # but for the first: both of its ends are 1
    ones.settle(*limits)
    assert len(ones.values) == draws


@pytest.mark.parametrize("end", ["low", "high"])
def test_drawing_ends_when_an_end_has_left_the_limit(end):
    # Of 1,000 draws the ends are 25 and 974, with an error of 13; later draws lie in between.
    sampled = in_order(1000, lambda number: float(number) if number < 1000 else 500.0)
    sampled.settle(getattr(sampled, end))
    assert len(sampled.values) == 2000


def test_a_finding_names_its_draws_and_their_error():
    assert Finding("replicated", "exact", "So it is.").monte_carlo == ""
    sampled = Resampled(np.mean, HALVES, draws=400)
    text = Finding("replicated", "own run", "So it is.", (sampled,)).monte_carlo
    assert text.startswith("400 draws; an end is known to ")
    assert 0.03 < sampled.share < 0.3
    assert text.endswith(f"to {100 * sampled.share:.0f}% of the interval's length")
    constant = Resampled(np.mean, np.ones(5), draws=1600)
    assert constant.share == 0
    for draws in ((sampled, constant), (constant, sampled)):
        both = Finding("replicated", "own run", "So it is.", draws).monte_carlo
        assert (
            both
            == f"400 to 1,600 draws; an end is known to {100 * sampled.share:.0f}% of the interval's length"
        )


def test_trials_state_the_error_of_a_share():
    # Ten of 100: by Clopper and Pearson the share lies between the beta quantiles 99 times in 100.
    low, high = stats.beta.ppf([0.005, 0.995], [10, 11], [91, 90])
    trials = judging.Trials(100, 10)
    assert trials.error == pytest.approx((high - low) / 2)
    assert not trials.undecided
    assert judging.Trials(100, 10, (0.5, high - 0.001)).undecided
    assert not judging.Trials(100, 10, (0.5, high + 0.001)).undecided
    words = f"100 trials; a share is known to {100 * trials.error:.1f} points"
    assert Finding("replicated", "own run", "So it is.", (trials,)).monte_carlo == words
    near = judging.Trials(400, 40, (0.1,))
    both = Finding("replicated", "own run", "So it is.", (judging.Draws(50, 0.07, False), trials, near))
    assert both.monte_carlo == (
        "50 draws; an end is known to 7% of the interval's length; 100 to 400 trials; a share is known to "
        f"{100 * trials.error:.1f} points, and in 1 of 3 comparisons the limit lies that near"
    )


def test_a_judge_that_lacks_upstream_data_is_named():
    judges = judges_of("b")

    @judges.judge("a")
    def _without(record):
        raise SourceError("far/away.csv is not here")

    table = judges.findings(1)
    assert table.id.tolist() == ["paper/b"]
    assert table.attrs == {recorded.LACKING: {"paper/a": "far/away.csv is not here"}}


def test_by_default_two_thousand_are_drawn():
    assert len(Resampled(np.mean, HALVES).values) == 2000


def test_judges_keep_their_order_and_skip_what_lacks_runs():
    judges = Judges("paper")

    @judges.judge("second")
    def _second(record):
        return Finding("replicated", "exact", f"There are {record}.")

    @judges.judge("first", 3)
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
        judges.judge("second")(_second)


def judges_of(*claims):
    judges = Judges("paper")
    for claim in claims:
        judges.judge(claim)(lambda record, claim=claim: Finding("replicated", "exact", f"{claim}: {record}."))
    return judges


def test_judges_are_joined_in_their_order():
    joined = judges_of("b", "a") | judges_of("d", "c")
    assert list(joined) == ["b", "a", "d", "c"]
    assert joined.paper == "paper"
    assert joined["d"](7).evidence == "d: 7."
    with pytest.raises(ValueError, match="claim a of paper has a judge already"):
        judges_of("a") | judges_of("b", "a")


def test_the_end_of_endlessly_many_draws_lies_in_its_range():
    # The range is that of binomial ranks: 99 of 100 hold the quantile, by an exact count of draws below it.
    rng, truth = np.random.default_rng(5), stats.norm.ppf(0.975)
    ranges = [judging.end_range(rng.normal(size=1000), 0.975) for _ in range(2000)]
    held = sum(low <= truth <= high for low, high in ranges)
    assert stats.binomtest(held, 2000, 0.99).pvalue > 1e-4


def test_what_stays_undecided_says_so():
    values = np.linspace(0, 1, 1001)
    assert judging.near_a_limit(values, 0.975)
    assert judging.near_a_limit(values, 5, 0.025)
    assert not judging.near_a_limit(values, 0.5, 1.5)
    assert judging.monte_carlo_share(np.ones(10)) == 0
    half = 2.576 * np.sqrt(0.025 * 0.975 / 1001)
    assert judging.monte_carlo_share(values) == pytest.approx(half / 0.95, abs=1e-3)
    finding = judging.Finding(
        "inconclusive",
        "released data",
        "",
        (judging.Draws(1000, 0.08, False), judging.Draws(16_000, 0.02, True)),
    )
    assert finding.monte_carlo == (
        "1,000 to 16,000 draws; an end is known to 8% of the interval's length, "
        "and in 1 of 2 comparisons the limit lies that near"
    )
    sampled = Resampled(np.mean, np.arange(20.0), draws=100)
    limit = sampled.low
    sampled.settle(limit)
    assert sampled.count > 100
    assert sampled.undecided == judging.near_a_limit(sampled.values, limit)


def test_what_was_measured_gets_another_error():
    covariance = np.array([[4.0, 3, 0], [3, 4, 0], [0, 0, 0]])
    truth = Measured(np.array([1.0, 2, 3]), covariance)
    rng = np.random.default_rng(0)
    drawn = np.array([truth.redrawn(rng) for _ in range(20_000)])
    assert drawn.mean(axis=0) == pytest.approx([1, 2, 3], abs=0.05)
    assert np.cov(drawn.T) == pytest.approx(covariance, abs=0.15)
    assert (drawn[:, 2] == 3).all()
    # A matrix before it: of a sum and a difference, whose variances are 14 and 2.
    both = np.array([[1, 1, 0], [1, -1, 0]]) @ truth
    assert both.values.tolist() == [3, -1]
    assert both.covariance.tolist() == [[14, 0], [0, 2]]


def test_a_statistic_is_resampled_with_what_was_measured():
    truth = Measured(np.array([0.0, 10]), np.diag([0, 4.0]))
    chosen = np.array([0, 1] * 200)
    gap = Resampled(lambda rows, worth: worth[rows].mean(), chosen, truth, draws=4000)
    assert gap.estimate == 5
    # The variance of the mean of 400 choices, 25 / 400, and that of half of the error, 4 / 4.
    assert (gap.high - gap.low) / 2 == pytest.approx(1.96 * np.sqrt(25 / 400 + 1), rel=0.05)


def test_a_constant_is_known_on_its_limit():
    zero = Resampled(lambda rows: 0.0, np.zeros(5), draws=100)
    assert zero.beyond(0) == "inconclusive"
    assert (zero.count, zero.undecided) == (100, False)


def test_few_groups_are_left_out_one_by_one():
    values = [1.0, 2, 4, 4, 9]
    found = Jackknifed(np.mean, values)
    interval = t_interval(values)
    assert (found.estimate, found.low, found.high) == pytest.approx((4, interval.low, interval.high))
    # An error that all share has its variance added.
    wider = Jackknifed(np.mean, values, variance=3.0)
    error = np.sqrt(np.var(values, ddof=1) / 5 + 3)
    assert wider.high == pytest.approx(4 + stats.t.ppf(0.975, 4) * error)
    # Of a ratio of sums, the values without each group by hand.
    pairs = [(1.0, 2.0), (2.0, 2.0), (3.0, 5.0)]
    ratio = Jackknifed(lambda groups: sum(a for a, _ in groups) / sum(b for _, b in groups), pairs)
    without = np.array([5 / 7, 4 / 7, 3 / 4])
    error = np.sqrt(2 / 3 * ((without - without.mean()) ** 2).sum())
    assert ratio.estimate == 6 / 9
    assert ratio.low == pytest.approx(6 / 9 - stats.t.ppf(0.975, 2) * error)
    # What cannot be negative has no interval that is.
    scattered = Jackknifed(np.mean, [0.0, 0.0, 1.0], least=0.0)
    assert (scattered.low, scattered.high) == (0, t_interval([0.0, 0.0, 1.0]).high)
