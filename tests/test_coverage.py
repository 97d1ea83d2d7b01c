"""Coverage of every interval and band, and error rates of every test, by simulation.

Where theory knows the rate, the simulation must agree with it; where a method promises
a rate, it must reach it; where a method is known to fail, it must fail in the known
way. At other sizes and shapes the rates are recorded: `lab.experiments.error_rates`.

A thousand samples tell a rate near 95 % to 0.7 points (one Monte Carlo error); the
interval of 99.9 % by which a rate is judged is 3.3 such errors wide on each side.
"""

import functools
import math

import numpy as np
import pytest
from grids import grid
from scipy import stats

from evalkit import (
    agreement,
    bootstrap_interval,
    budget_difference,
    compare_systems,
    corrected_t,
    coverage,
    crossed_difference,
    difference_interval,
    equivalence,
    expected_max_band,
    expected_max_interval,
    from_summary,
    group_interval,
    mcnemar,
    paired_proportion_interval,
    power,
    prediction_interval,
    proportion_interval,
    ratio_difference,
    sign_flip,
    t_interval,
    wilcoxon,
)
from lab.experiments.percentile import expected_max_bootstrap

pytestmark = pytest.mark.slow

N_SAMPLES = 1000


def known_to_lie_in(rate, n=N_SAMPLES):
    """The Clopper-Pearson interval of a simulated rate.

    At 99.9 %: of a hundred cases, five would lie outside their 95 % interval by chance.
    """
    return proportion_interval(round(float(rate) * n), n, confidence_level=0.999)


# --------------------------------------------------------------------------------------
# Intervals and bands
# --------------------------------------------------------------------------------------


def about(interval, **options):
    """The ends of an interval above the truth of its own sample, which comes last."""

    def ends(*sample):
        low, high = interval(*sample[:-1], **options)
        return low - sample[-1], high - sample[-1]

    return ends


def bootstrap(interval, method="bca", **options):
    """One generator for all samples: with the same resamples for each, the noise of
    that one set would stay in the rate.
    """
    options |= {"n_resamples": 999, "rng": np.random.default_rng(1)}
    return functools.partial(interval, method=method, **options)


def draw_pairs(rng, size=10):
    """The pairs differ much, and within a pair the scores differ little."""
    return rng.normal(0, 3, size) + rng.normal(size=(2, size))


def draw_groups(rng):
    """Ten groups of five items, as much variance between groups as within."""
    scores = rng.normal(size=(10, 1)) + rng.normal(size=(10, 5))
    return scores.ravel(), np.repeat(np.arange(10), 5)


def draw_right(rng, rate=0.95, sizes=(4, 6, 8, 10, 12, 14) * 2):
    """Answers in groups whose rates have a beta distribution."""
    members = np.repeat(np.arange(len(sizes)), sizes)
    of_groups = rng.beta(9 * rate, 9 * (1 - rate), len(sizes))
    return (rng.random(members.size) < of_groups[members]).astype(float), members


def draw_classes(rng):
    """Two classes of six groups of eight items, right in .95 and .6 of cases."""
    one, other = (draw_right(rng, rate, [8] * 6) for rate in (0.95, 0.6))
    return np.r_[one[0], other[0]], np.r_[one[1], 6 + other[1]]


def draw_rounded(rng):
    """Five runs a side, to two decimals, wherever the true means lie."""
    means = 87 + rng.random(2)
    a, b = np.round(means[:, None] + 0.2 * rng.normal(size=(2, 5))) / 100
    return a, b, (means[0] - means[1]) / 100


def draw_printed(rng):
    """Means and spreads of thirty runs, to one decimal."""
    means = 91 + rng.random(2)
    runs = means[:, None] + 0.2 * rng.normal(size=(2, 30))
    printed = [(r.mean().round(1), r.std(ddof=1).round(1), 30) for r in runs]
    return *printed, means[0] - means[1]


def draw_seeds(rng):
    """Five seeds of each system on sixty items, which are hard for both or neither."""
    of_seeds, rest = rng.normal(size=(2, 5, 1)), rng.normal(size=(2, 5, 60))
    return (
        rng.normal(size=60) + 0.4 * rng.normal(size=(2, 1, 60)) + 0.2 * of_seeds + rest
    )


def draw_spoken(rng):
    """Errors of two systems and words, by speakers who speak much or little."""
    members = np.repeat(np.arange(14), np.round(np.geomspace(8, 40, 14)).astype(int))
    words = 1 + rng.poisson(rng.lognormal(2, 0.3, 14)[members])
    odds = -1.7 + (rng.normal(0, 0.4, 14) + rng.normal(0, 0.2, (2, 14)))[:, members]
    a, b = rng.binomial(words, 1 / (1 + np.exp(-odds)))
    return a, words, b, words, members


def draw_raters(rng):
    """Labels of two raters, the same with probability .4 and else independent."""
    a, other = rng.choice(3, size=(2, 120), p=[0.6, 0.3, 0.1])
    return a, np.where(rng.random(120) < 0.4, a, other), np.arange(120) // 6


def kappa_interval(a, b, members):
    return agreement(a, b, members).kappa_interval


def of_next(scores, **options):
    return about(prediction_interval, **options)(scores[:-1], scores[-1])


BUDGETS = np.array([1, 2, 5, 20, 60])
CLASSES = np.repeat([0, 1], 48)
# By theory, of endless resamples whose distribution is normal: z for t, and n for n - 1.
BY_Z = [
    1 - 2 * stats.t.sf(stats.norm.isf(0.025) * math.sqrt(0.9), df) for df in (9, 18)
]
paired, unpaired = (
    functools.partial(difference_interval, paired=kind) for kind in (True, False)
)
# The interval, what it is of, the truth, and between which rates it holds that.
HOLDING = {
    "t": (t_interval, lambda rng: (rng.normal(2, 3, 10),), 2, 0.95, 0.95),
    "t of skewed scores": (
        t_interval,
        lambda rng: (rng.lognormal(size=10),),
        math.exp(0.5),
        0.8,
        0.88,
    ),
    "bootstrap": (
        bootstrap(bootstrap_interval),
        lambda rng: rng.normal(size=(1, 10)),
        0,
        BY_Z[0] - 0.01,
        BY_Z[0] + 0.01,
    ),
    "bootstrap of skewed scores": (
        bootstrap(bootstrap_interval),
        lambda rng: rng.exponential(size=(1, 20)),
        1,
        0.9,
        0.94,
    ),
    "paired bootstrap": (
        bootstrap(paired, "percentile"),
        draw_pairs,
        0,
        BY_Z[0] - 0.01,
        BY_Z[0] + 0.01,
    ),
    "unpaired bootstrap": (
        bootstrap(unpaired, "basic"),
        lambda rng: rng.normal(size=(2, 10)),
        0,
        BY_Z[1] - 0.01,
        BY_Z[1] + 0.01,
    ),
    "bootstrap of groups": (
        bootstrap(group_interval),
        draw_groups,
        0,
        BY_Z[0] - 0.01,
        BY_Z[0] + 0.01,
    ),
    "pairs taken for strangers": (unpaired, draw_pairs, 0, 0.99, 1),
    "groups taken for items": (
        lambda scores, members: t_interval(scores),
        draw_groups,
        0,
        0.7,
        0.78,
    ),
    "Clopper-Pearson": (
        lambda k: proportion_interval(k, 50),
        lambda rng: [rng.binomial(50, 0.9)],
        0.9,
        0.95,
        1,
    ),
    "Wilson": (
        lambda k: proportion_interval(k, 50, method="wilson"),
        lambda rng: [rng.binomial(50, 0.4)],
        0.4,
        0.93,
        0.97,
    ),
    "paired proportions": (
        paired_proportion_interval,
        lambda rng: rng.multinomial(50, [0.5, 0.1, 0.02, 0.38]),
        0.08,
        0.93,
        1,
    ),
    "paired t": (paired, draw_pairs, 0, 0.95, 0.95),
    "Welch": (
        unpaired,
        lambda rng: (rng.normal(0, 3, 3), rng.normal(0, 1, 20)),
        0,
        0.92,
        0.97,
    ),
    "rounded scores": (about(unpaired, decimals=2), draw_rounded, 0, 0.94, 1),
    "printed means": (
        about(from_summary, spread="sd", decimals=1),
        draw_printed,
        0,
        0.94,
        1,
    ),
    "groups": (group_interval, draw_groups, 0, 0.95, 0.95),
    "right answers in groups": (group_interval, draw_right, 0.95, 0.9, 1),
    "classes": (
        functools.partial(group_interval, strata=CLASSES),
        draw_classes,
        0.775,
        0.93,
        0.98,
    ),
    "seeds x items": (crossed_difference, draw_seeds, 0, 0.935, 0.97),
    "ratios of sums": (ratio_difference, draw_spoken, 0, 0.91, 0.985),
    "kappa": (kappa_interval, draw_raters, 0.4, 0.92, 0.98),
    "the next run by t": (of_next, lambda rng: rng.normal(2, 3, (1, 6)), 0, 0.95, 0.95),
    "the next run by order": (
        functools.partial(of_next, method="order"),
        lambda rng: rng.lognormal(0, 2, (1, 40)),
        0,
        0.95,
        0.95,
    ),
    "ks band": (
        functools.partial(expected_max_band, n=BUDGETS, bounds=(0, 1)),
        lambda rng: rng.random((1, 20)),
        BUDGETS / (BUDGETS + 1),
        0.95,
        1,
    ),
    "dkw band of losses": (
        functools.partial(
            expected_max_band,
            n=BUDGETS,
            bounds=(0, math.inf),
            method="dkw",
            minimize=True,
        ),
        lambda rng: rng.exponential(size=(1, 20)),
        1 / BUDGETS,
        0.95,
        1,
    ),
    "best of ten": (
        functools.partial(expected_max_interval, n=10),
        lambda rng: 1 - rng.exponential(size=(1, 50)),
        0.9,
        0.92,
        0.97,
    ),
    "difference at a budget": (
        lambda a, b: budget_difference(a, None, b, None, 6),
        lambda rng: (rng.beta(5, 2, 60), rng.beta(5, 2, 35)),
        0,
        0.94,
        0.99,
    ),
}


@grid("name", HOLDING)
def test_each_interval_holds_the_truth_as_often_as_is_known(name):
    interval, draw, truth, least, most = HOLDING[name]
    found = coverage(
        lambda sample: interval(*sample), draw, truth, n_samples=N_SAMPLES, rng=0
    )
    lies_in = known_to_lie_in(found.all_rate)
    assert lies_in.high >= least
    assert lies_in.low <= most


@grid("level", [0.8, 0.95])
@grid("trials", [1, 10, 50])
def test_clopper_pearson_keeps_its_promise_on_each_side(trials, level):
    # A side is missed most often where p has just left an interval.
    counts = np.arange(trials + 1)
    ends = (proportion_interval(k, trials, confidence_level=level) for k in counts)
    low, high = np.array([[*interval] for interval in ends]).T
    p = np.clip(np.r_[low - 1e-9, low + 1e-9, high - 1e-9, high + 1e-9], 1e-9, 1 - 1e-9)
    chances = stats.binom.pmf(counts, trials, p[:, None])
    for missed in (high < p[:, None], low > p[:, None]):
        most = (chances * missed).sum(axis=1).max()
        assert most == pytest.approx((1 - level) / 2, abs=1e-6)


def test_bootstrap_of_the_best_of_all_runs_is_two_order_statistics():
    # P(best of a resample <= score of rank k) = (k / 20)^20: 0.012 for 16, 0.039 for
    # 17, 0.642 for 19.
    assert 0.8**20 < 0.025 < 0.85**20 < 0.95**20 < 0.975
    options = {"n_resamples": 1999, "rng": np.random.default_rng(1)}
    truth = 20 / 21
    found = coverage(
        lambda scores: expected_max_bootstrap(scores, [20], estimator="u", **options),
        *(lambda rng: rng.random(20), [truth]),
        n_samples=N_SAMPLES,
        rng=0,
    )
    # From the 17th score to the best one; and the best one is below the truth like all
    # twenty.
    below, above = truth**20, stats.binom.sf(3, 20, 1 - truth)
    assert below == pytest.approx(0.377, abs=0.001)
    assert below in known_to_lie_in(found.below[0])
    assert above in known_to_lie_in(found.above[0])


# --------------------------------------------------------------------------------------
# Tests where nothing is to be found
# --------------------------------------------------------------------------------------


def draw_splits(rng):
    """Normal differences, every two with the correlation that `corrected_t` assumes."""
    shared, own = math.sqrt(40) * rng.normal(), math.sqrt(160) * rng.normal(size=10)
    return shared + own, np.zeros(10)


def smallest(*systems):
    return compare_systems(np.transpose(systems)).pairs.adjusted.min()


def equivalent(a, b):
    return equivalence(difference_interval(a, b, paired=False), 1.0)


# Two-sided, and 25 is the whole part of 0.025 * 1024: 25 of the 1,024 subsets of the
# ranks 1 to 10 have a sum of at most 8, and 25 of the 1,024 mean differences are the
# highest. Random flips reject if the data are among the 25 highest or lowest of 1,000.
ERRING = {
    "McNemar": (
        lambda k: mcnemar(k, 30 - k),
        lambda rng: [rng.binomial(30, 0.5)],
        2 * stats.binom.cdf(9, 30, 0.5),
        2 * stats.binom.cdf(9, 30, 0.5),
    ),
    "Wilcoxon": (wilcoxon, draw_pairs, 50 / 1024, 50 / 1024),
    "Wilcoxon with ties": (
        wilcoxon,
        lambda rng: rng.integers(0, 4, (2, 15)) / 10,
        0.03,
        0.05,
    ),
    "sign flips, exact": (
        functools.partial(sign_flip, n_resamples=1024),
        draw_pairs,
        50 / 1024,
        50 / 1024,
    ),
    "sign flips, random": (
        functools.partial(sign_flip, n_resamples=999, rng=np.random.default_rng(8)),
        functools.partial(draw_pairs, size=20),
        0.05,
        0.05,
    ),
    "corrected t": (
        functools.partial(corrected_t, n_train=160, n_test=40),
        draw_splits,
        0.05,
        0.05,
    ),
    "Holm, any of six": (smallest, lambda rng: rng.normal(size=(4, 12)), 0.02, 0.05),
    "equivalence, at the margin": (
        equivalent,
        lambda rng: rng.normal([[1], [0]], 0.6, (2, 20)),
        0.05,
        0.05,
    ),
}


@grid("name", ERRING)
def test_each_test_errs_as_often_as_is_known(name):
    test, draw, least, most = ERRING[name]
    found = power(lambda pair: test(*pair), draw, n_simulations=N_SAMPLES, rng=4)
    lies_in = known_to_lie_in(found.rate)
    assert lies_in.high >= least
    assert lies_in.low <= most
