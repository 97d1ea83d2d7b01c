"""The rules of judging on made-up quantities whose verdict is known, for each word that
they can say.
"""

import itertools
import re

import numpy as np
import pytest
from grids import grid
from scipy import stats

from evalkit import boo, expected_max_interval
from evalkit.intervals import t_interval
from lab.data import DataError
from lab.data.sources import SourceError
from lab.papers import judging, published
from lab.papers.judging import (
    AtOnce,
    Drawn,
    Evidence,
    Jackknifed,
    Judges,
    Measured,
    MissingRunsError,
    Quantity,
    Resampled,
    Share,
    best_of,
    decide,
    judged,
)
from lab.papers.published import Claim, Limit
from lab.record import tables
from lab.scorecard import CLAIM_VERDICTS, JUDGED_ON

LIMITS = "id,rule,quantity,confirms,refutes,no_effect,chosen_by"
# An effect, as large as 1.
SIZED = [Limit("effect*", ("low", ">", 0.0), ("high", "<", 1.0))]
BOTH = ("low", ">", 0.0), ("high", "<", 0.0)
ABOVE, BELOW, ACROSS = (
    Quantity(0.5, 0.2, 0.8),
    Quantity(-0.5, -0.8, -0.2),
    Quantity(0.1, -0.4, 0.6),
)


# --------------------------------------------------------------------------------------
# Rules
# --------------------------------------------------------------------------------------


@grid(
    "low, high, confirmed, refuted",
    [
        (0.2, 1.8, True, False),
        (0.2, 0.8, True, True),
        (-0.2, 0.8, False, True),
        (-0.2, 1.8, False, False),
    ],
)
def test_ends_are_held_against_limits(low, high, confirmed, refuted):
    assert decide(SIZED, {"effect": Quantity(0.5, low, high)}) == (confirmed, refuted)


def test_all_that_confirms_must_hold_and_anything_may_refute():
    rule = [Limit("a", *BOTH), Limit("b", *BOTH)]
    assert decide(rule, {"a": ABOVE, "b": ABOVE}) == (True, False)
    assert decide(rule, {"a": ABOVE, "b": ACROSS}) == (False, False)
    assert decide(rule, {"a": ABOVE, "b": BELOW}) == (False, True)
    # What is only refuted is never confirmed.
    assert decide([Limit("a", None, BOTH[1])], {"a": ABOVE}) == (False, False)
    # Nobody asks for c.
    assert decide(rule, {"a": ABOVE, "b": ABOVE, "c": BELOW}) == (True, False)


def test_a_star_means_all_names_that_begin_so():
    assert decide(SIZED, {"effect, one": ABOVE, "effect, two": ACROSS})[0] is False
    with pytest.raises(KeyError, match="no quantity is called 'effect"):
        decide(SIZED, {"other": ABOVE})


def test_draws_are_settled_by_the_limits_that_are_held_against_them():
    ones = in_order(100, lambda number: float(number > 0))
    decide([Limit("a", ("low", ">", 2.0), ("high", "<", 1.0))], {"a": ones})
    assert ones.count == 1600


def test_a_sentence_has_the_draws_that_the_verdict_has():
    def near(sentence):
        ones = in_order(100, lambda number: float(number > 0))
        rule = {"": [Limit("a", ("low", ">", 1.0), None)]}
        evidence = Evidence(
            "own run", sentence or (lambda: f"{ones.count} draws."), {"a": ones}
        )
        return judged(Claim("experiments"), rule, evidence)[0]

    assert near(None)["evidence"] == "1600 draws."
    with pytest.raises(
        ValueError,
        match="more was drawn since this was written, make it a function: 'So",
    ):
        near("So it is.")


@grid(
    "kind, words",
    [
        (
            "experiments",
            ["replicated", "replicated, smaller", "not replicated", "inconclusive"],
        ),
        ("itself", ["consistent", "consistent", "not consistent", "cannot say"]),
        ("advice", ["supported", "supported", "not supported", "cannot say"]),
    ],
)
def test_each_kind_has_its_own_words(kind, words):
    ends = [(0.2, 1.8), (0.2, 0.8), (-0.2, 0.8), (-0.2, 1.8)]
    found = [
        _judged({"effect": Quantity(0.5, *pair)}, kind=kind)["verdict"] for pair in ends
    ]
    assert found == words
    assert set(words) < set(CLAIM_VERDICTS[kind])


def _judged(quantities, *, rules=None, claim=(), kind="experiments", **evidence):
    rules = {"": SIZED} if rules is None else rules
    found, _ = judged(
        Claim(kind, **dict(claim)),
        rules,
        Evidence("own run", "So it is.", quantities, **evidence),
    )
    return found


def test_the_first_rule_is_read_beside_the_one_in_force():
    rules = {
        "": [Limit("effect", *BOTH)],
        "2026-01-02": [Limit("effect", ("low", ">", 0.5), None)],
    }
    claim = {"amended": "2026-01-02"}
    found = _judged({"effect": ABOVE}, claim=claim, rules=rules)
    assert (found["verdict"], found["first_verdict"]) == ("inconclusive", "replicated")
    assert found["criterion"] == "2026-01-02"
    without = _judged(
        {"effect": ABOVE}, claim=claim, rules=rules, no_first="no such runs."
    )
    assert without["first_verdict"] == ""
    assert without["evidence"] == "So it is. By the first rule: no such runs."
    # One rule, one answer.
    assert _judged({"effect": ABOVE})["first_verdict"] == "replicated, smaller"


@grid(
    "lost, word",
    [
        ({"lacks": "models of that size"}, "out of reach"),
        ({"copy": "half of a sentence"}, "cannot say from our copy"),
        ({"lacks": "models", "copy": "a table"}, "cannot say from our copy"),
    ],
)
def test_what_our_data_or_our_copy_cannot_say_is_observed_all_the_same(lost, word):
    found = _judged({"effect": ABOVE}, claim=lost)
    assert (found["verdict"], found["first_verdict"]) == (word, "replicated, smaller")
    assert found["evidence"] == "So it is."
    assert all(word in words for words in CLAIM_VERDICTS.values())


def test_other_analyses_are_held_against_the_same_limits_or_their_own():
    rules = {
        "": [Limit("effect*", *BOTH)],
        "half a point": [Limit("effect", ("low", ">", 0.5), None)],
    }
    analyses = {
        "other text": {"effect": BELOW},
        "median": {"effect": ABOVE},
        "half a point": {},
        # Nothing is left there of what was judged.
        "of another": {"effect": None, "effect, other": ABOVE},
    }
    evidence = Evidence("own run", "So.", {"effect": ABOVE, "aside": BELOW}, analyses)
    _, lines = judged(Claim("experiments"), rules, evidence)
    assert [(line["analysis"], line["quantity"]) for line in lines] == [
        ("as judged", "effect"),
        ("other text", "effect"),
        ("median", "effect"),
        ("half a point", "effect"),
        ("of another", "effect, other"),
    ]
    assert [line["verdict"] for line in lines] == [
        *("replicated", "not replicated", "replicated", "inconclusive", "replicated")
    ]


def test_a_verdict_without_limits_says_why():
    found = _judged(
        {}, rules={}, verdict="out of reach", why="The runs were not released."
    )
    assert (found["verdict"], found["evidence"]) == (
        "out of reach",
        "So it is. The runs were not released.",
    )


def test_intervals_and_draws_are_counted_where_a_limit_is_held_against_them():
    quantities = {
        "effect, drawn": Drawn(0.5, 0.2, 1.8, count=50, share=0.07),
        "effect, counted": Quantity.exact(2),
        "effect, trials": Share(10, 100),
        "other": ACROSS,
    }
    found = _judged(quantities)
    assert found["intervals"] == 2
    # Ten of 100: by Clopper and Pearson the share lies between the beta quantiles 99
    # times in 100.
    low, high = stats.beta.ppf([0.005, 0.995], [10, 11], [91, 90])
    assert (
        found["monte_carlo"]
        == "50 draws; an end is known to 7% of the interval's length; 100 trials; a"
        f" share is known to {100 * (high - low) / 2:.1f} points"
    )
    near = _judged({"effect": Drawn(0.5, 0.05, 1.8, count=50, share=0.07)})
    assert near["monte_carlo"].endswith("and in 1 of 1 the limit lies that near")


def test_a_quantity_is_written_with_its_interval():
    assert f"{ABOVE:.1f}" == "0.5 (0.2 to 0.8)"
    assert f"{Quantity.exact(3):g}" == "3"
    assert f"{Share(5, 10):.0%}" == "50% (19% to 81%)"
    assert (
        f"{Quantity.from_interval(1.0, t_interval([0.0, 1, 2])):.1f}"
        == "1.0 (-1.5 to 3.5)"
    )
    assert f"{Jackknifed(np.mean, [0.0, 1.0, 2.0]):.1f}" == "1.0 (-1.5 to 3.5)"


@grid("text", ["low >", "low > high", "low > 1 and high < 2", "mean > 1", "1 < low"])
def test_a_limit_is_an_end_a_sign_and_a_number(data, text):
    (data / "published/limits.csv").write_text(f"{LIMITS}\nx/y,,a,{text},,,\n")
    with pytest.raises(DataError, match="limits.csv, x/y, a: must be like"):
        published.limits(data)


def test_a_limit_says_what_no_effect_is_and_who_chose_the_number(data):
    assert published.limits(data)["paper/a"] == {
        "": [Limit("effect", *BOTH, no_effect=0.0, chosen_by="the book")]
    }


def test_the_limits_of_the_book_are_of_its_claims():
    claims = published.claims()
    dated = {
        claim: {rule for rule in rules if re.fullmatch(r"\d{4}-\d\d-\d\d", rule)}
        for claim, rules in published.limits().items()
    }
    assert set(dated) <= set(claims)
    odd = [claim for claim in dated if not dated[claim] <= {claims[claim].amended}]
    assert not odd, f"limits of a rule that is not in force: {odd}"


# --------------------------------------------------------------------------------------
# Judges
# --------------------------------------------------------------------------------------


@pytest.fixture
def data(tmp_path):
    """Return a folder with a paper of four claims, whose rules ask for what is above
    zero.
    """
    folder = tmp_path / "published"
    folder.mkdir()
    lines = [f"paper/{name},paper,,,,,,experiments,,," for name in "abcd"]
    (folder / "claims.csv").write_text(
        "\n".join([",".join(published.CLAIM), *lines]) + "\n"
    )
    (folder / "paper.csv").write_text("id\n")
    (folder / "amendments.csv").write_text(
        "id,date,status,known,confirms,refutes,why\n"
    )
    limits = [f"paper/{name},,effect,low > 0,high < 0,0,the book" for name in "abcd"]
    (folder / "limits.csv").write_text("\n".join([LIMITS, *limits]) + "\n")
    return tmp_path


def judges_of(*claims):
    judges = Judges("paper")
    for claim in claims:
        judges.judge(claim)(
            lambda record, c=claim: Evidence(
                "exact", f"{c}: {record}.", {"effect": ABOVE}
            )
        )
    return judges


def test_judges_keep_their_order_and_skip_what_lacks_runs(data):
    judges = judges_of("b")

    @judges.judge("a", 3)
    def _first(record, least):
        if record < least:
            raise MissingRunsError("too few")
        return Evidence("own run", "It is.", {"effect": ACROSS})

    assert list(judges) == ["b", "a"]
    verdicts, _ = judges.findings(2, data)
    assert verdicts.id.tolist() == ["paper/b"]
    verdicts, analyses = judges.findings(5, data)
    assert verdicts.id.tolist() == analyses.id.tolist() == ["paper/b", "paper/a"]
    assert verdicts.verdict.tolist() == ["replicated", "inconclusive"]
    assert verdicts.evidence[0] == "b: 5."
    assert set(verdicts.data) <= set(JUDGED_ON)
    with pytest.raises(ValueError, match="a of paper has a judge already"):
        judges.judge("a")(_first)


def test_a_judge_that_lacks_upstream_data_is_named(data):
    judges = judges_of("b")

    @judges.judge("a")
    def _without(record):
        raise SourceError("far/away.csv is not here")

    for table in judges.findings(1, data):
        assert table.id.tolist() == ["paper/b"]
        assert table.attrs == {tables.LACKING: {"paper/a": "far/away.csv is not here"}}


def test_a_claim_with_a_judge_and_no_row_is_named(data):
    with pytest.raises(
        DataError, match=r"claims\.csv must have a row .* add paper/e, paper/f$"
    ):
        judges_of("a", "e", "f").findings(1, data)


def test_a_claim_without_its_limits_is_named(data):
    path = data / "published" / "limits.csv"
    path.write_text(path.read_text().replace("paper/b,", "paper/a,"))
    with pytest.raises(
        DataError,
        match=r"^paper/b: no limits are written by the rule first written; add them",
    ):
        judges_of("a", "b").findings(1, data)


def test_judges_are_joined_in_their_order():
    joined = judges_of("b", "a") | judges_of("d", "c")
    assert list(joined) == ["b", "a", "d", "c"]
    assert joined["d"](7).sentence == "d: 7."
    with pytest.raises(ValueError, match="claim a of paper has a judge already"):
        judges_of("a") | judges_of("b", "a")


# --------------------------------------------------------------------------------------
# What is drawn
# --------------------------------------------------------------------------------------

# A mean of the rows 0 and 1, half of each: its resampled distribution is a binomial.
HALVES = np.repeat([0.0, 1.0], 50)


def test_draws_that_are_counted_at_once_are_the_same():
    one, other = np.arange(30.0) ** 2, np.arange(20.0)
    slow = Resampled(lambda a, b: a.mean() - b.mean(), one, other, draws=600)
    fast = AtOnce(lambda a, b: a.mean(axis=1) - b.mean(axis=1), one, other, draws=600)
    assert fast.estimate == slow.estimate
    assert fast.values.tolist() == slow.values.tolist()
    for sampled in (slow, fast):
        sampled.settle(slow.low)
    assert fast.values.tolist() == slow.values.tolist()
    assert fast.drew_more


def test_samples_are_drawn_each_on_its_own():
    sampled = Resampled(lambda a, b: a.mean() - b.mean(), HALVES, HALVES, draws=2000)
    assert sampled.values.std() == pytest.approx(np.sqrt(2) * 0.05, rel=0.06)


def in_order(draws, value=float):
    """Draws whose values are those of 0, 1, 2, ..., so that every quantile is known."""
    numbers = itertools.count(-1)  # the first number is that of the samples themselves
    return Resampled(lambda sample: value(next(numbers)), np.zeros(2), draws=draws)


def test_the_ends_are_the_percentiles_of_the_draws():
    sampled = in_order(1001)
    assert (sampled.estimate, sampled.low, sampled.high) == (-1, 25, 975)


@grid("tail", [0.025, 0.975])
def test_the_error_of_an_end_is_that_of_a_binomial_rank(tail):
    low, high = in_order(4000).error(tail)
    assert (low, high) == pytest.approx(stats.binom.interval(0.99, 4000, tail), abs=1)
    # Ranks below the first and above the last there are not.
    low, high = in_order(10).error(tail)
    assert (low, high) == (
        (0, pytest.approx(1.37, abs=0.01))
        if tail < 0.5
        else (pytest.approx(7.63, abs=0.01), 9)
    )


def test_the_share_is_that_of_the_worse_end():
    # Squares lie farther apart at the upper end, whose rank has an SD of 9.87 among
    # 4,000.
    sampled = in_order(4000, lambda number: float(number**2))
    reach = stats.norm.isf(0.005) * np.sqrt(4000 * 0.025 * 0.975)
    ends = 0.025 * 3999, 0.975 * 3999
    error = ((ends[1] + reach) ** 2 - (ends[1] - reach) ** 2) / 2
    assert sampled.share == pytest.approx(
        error / (ends[1] ** 2 - ends[0] ** 2), rel=1e-3
    )


@grid(
    "limits, draws",
    [((1,), 1600), ((2,), 100), ((-1,), 100), ((2, 1), 1600), ((), 100)],
)
def test_draws_double_up_to_sixteen_times_as_many(limits, draws):
    # But for the first: both of its ends are 1.
    ones = in_order(100, lambda number: float(number > 0))
    ones.settle(*limits)
    assert len(ones.values) == draws


@grid("end", ["low", "high"])
def test_drawing_ends_when_an_end_has_left_the_limit(end):
    # Of 1,000 draws the ends are 25 and 974, with an error of 13; later draws lie in
    # between.
    sampled = in_order(1000, lambda number: float(number) if number < 1000 else 500.0)
    sampled.settle(getattr(sampled, end))
    assert len(sampled.values) == 2000


def test_what_stays_undecided_says_so():
    values = np.linspace(0, 1, 1001)
    assert judging.near_a_limit(values, 0.975)
    assert judging.near_a_limit(values, 5, 0.025)
    assert not judging.near_a_limit(values, 0.5, 1.5)
    assert judging.monte_carlo_share(np.ones(10)) == 0
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
    # The variance of the mean of 400 choices, 25 / 400, and that of half of the error,
    # 4 / 4.
    assert (gap.high - gap.low) / 2 == pytest.approx(
        1.96 * np.sqrt(25 / 400 + 1), rel=0.05
    )


def test_a_constant_is_known_on_its_limit():
    zero = Resampled(lambda rows: 0.0, np.zeros(5), draws=100)
    zero.settle(0)
    assert (zero.count, zero.undecided) == (100, False)


def test_few_groups_are_left_out_one_by_one():
    values = [1.0, 2, 4, 4, 9]
    found = Jackknifed(np.mean, values)
    interval = t_interval(values)
    assert (found.estimate, found.low, found.high) == pytest.approx(
        (4, interval.low, interval.high)
    )
    # An error that all share has its variance added.
    wider = Jackknifed(np.mean, values, variance=3.0)
    error = np.sqrt(np.var(values, ddof=1) / 5 + 3)
    assert wider.high == pytest.approx(4 + stats.t.ppf(0.975, 4) * error)
    # Of a ratio of sums, the values without each group by hand.
    pairs = [(1.0, 2.0), (2.0, 2.0), (3.0, 5.0)]
    ratio = Jackknifed(
        lambda groups: sum(a for a, _ in groups) / sum(b for _, b in groups), pairs
    )
    without = np.array([5 / 7, 4 / 7, 3 / 4])
    error = np.sqrt(2 / 3 * ((without - without.mean()) ** 2).sum())
    assert ratio.estimate == 6 / 9
    assert ratio.low == pytest.approx(6 / 9 - stats.t.ppf(0.975, 2) * error)
    # What cannot be negative has no interval that is.
    scattered = Jackknifed(np.mean, [0.0, 0.0, 1.0], least=0.0)
    assert (scattered.low, scattered.high) == (0, t_interval([0.0, 0.0, 1.0]).high)


# --------------------------------------------------------------------------------------
# The best of n
# --------------------------------------------------------------------------------------


# Validation and test scores of forty settings, of two systems; many tie on validation.
POOLS = np.random.default_rng(0).normal(size=(2, 2, 40))
POOLS[:, 0] = POOLS[:, 0].round()


def test_the_best_of_one_pool_has_the_interval_of_the_package():
    found = best_of(lambda best: best, POOLS[0], best=(0, 8))
    interval = expected_max_interval(POOLS[0, 0], 8, test=POOLS[0, 1])
    assert found.estimate == pytest.approx(boo(*POOLS[0], n=8, estimator="u"))
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_two_pools_are_without_the_same_setting():
    """As by hand: the difference of both, without each setting in turn."""

    def ahead(kept):
        one, other = POOLS[..., kept]
        return boo(*one, n=8, estimator="u") - boo(*other, n=5, estimator="u")

    found = best_of(lambda a, b: a - b, *POOLS, a=(0, 8), b=(1, 5))
    without = np.array([ahead(np.arange(40) != left) for left in range(40)])
    squares = (without - without.mean()) ** 2
    freedom = squares.sum() ** 2 / (squares**2).sum()
    reach = stats.t.ppf(0.975, freedom) * np.sqrt(39 / 40 * squares.sum())
    assert found.estimate == pytest.approx(ahead(slice(None)))
    assert (found.estimate - found.low, found.high - found.estimate) == pytest.approx(
        (reach, reach)
    )
