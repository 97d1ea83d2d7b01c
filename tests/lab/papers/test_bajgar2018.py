"""The pools of Bajgar et al., and what is drawn from them, against plain calculations
and enumeration.
"""

import functools
import itertools

import numpy as np
import pytest
from grids import grid
from scipy import stats
from upstream import needs

from evalkit import boo, boo_gaussian, gaussian_expected_max
from lab.data import released
from lab.papers import judging
from lab.papers.bajgar2018 import audit, claims
from lab.papers.bajgar2018.audit import Runs
from lab.papers.bajgar2018.tasks import (
    coverage,
    deployment,
    described,
    gaussianity,
    kept,
    samples,
)
from lab.record import tables

FILES = [
    f"bajgar2018/{name}.csv"
    for name in ("cifar100-resnet-oct17", "cbt_fixed_hyppar", "cbtrs_results")
]
boo_v = functools.partial(boo, estimator="v")


def small(seed=0, size=12, levels=5):
    """A pool in which several runs tie in validation."""
    rng = np.random.default_rng(seed)
    return Runs.of(rng.integers(levels, size=size), rng.normal(60, 2, size))


POOL = small()


# --------------------------------------------------------------------------------------
# Pools and estimators
# --------------------------------------------------------------------------------------


def test_a_pool_hangs_on_no_order():
    order = np.random.default_rng(1).permutation(len(POOL))
    again = Runs.of(POOL.validation[order], POOL.test[order])
    assert (again.pairs == POOL.pairs).all()


@grid("estimator", ["v", "u"])
@grid("n", [1, 2, 5, 6])
def test_many_samples_at_once_are_single_ones(estimator, n):
    index = np.random.default_rng(2).integers(len(POOL), size=(20, 7))
    found = audit.boo_of(*POOL.tally(index), n, estimator)
    expected = [
        boo(POOL.validation[row], POOL.test[row], n=n, estimator=estimator)
        for row in index
    ]
    assert found == pytest.approx(expected)


def test_gaussian_estimates_of_many_samples():
    index = np.random.default_rng(3).integers(len(POOL), size=(20, 7))
    index[0] = 3  # one run seven times
    found = audit.gaussian_boo_of(POOL.validation[index], POOL.test[index], 5)
    expected = [
        boo_gaussian(POOL.validation[row], POOL.test[row], n=5) for row in index
    ]
    assert found == pytest.approx(expected)


def test_best_validation_run_and_its_ties():
    pool = Runs.of([1, 2, 2, 0], [10, 20, 30, 40])
    index = np.tile(np.arange(4), (4000, 1))
    found = pool.best(index, np.random.default_rng(0))
    assert set(found) == {20, 30}
    assert stats.binomtest(int((found == 20).sum()), 4000).pvalue > 0.001
    assert (pool.best(index[:, :2], np.random.default_rng(0)) == 10).all()


def test_statistics_by_their_definitions():
    scores = np.random.default_rng(4).gamma(3, size=(3, 50))
    for row, found in zip(scores, audit.anderson_darling(scores), strict=True):
        ordered = np.sort((row - row.mean()) / row.std(ddof=1))
        i = np.arange(1, 51)
        logs = stats.norm.logcdf(ordered) + stats.norm.logsf(ordered[::-1])
        assert found == pytest.approx(-50 - ((2 * i - 1) / 50 * logs).sum())
    assert audit.spearman(POOL.pairs) == pytest.approx(
        stats.spearmanr(*POOL.pairs.T)[0]
    )


def test_tabled_values_hold_for_normal_scores():
    """Either table is near the 5 % quantile that a simulation gives."""
    drawn = audit.anderson_darling(
        np.random.default_rng(5).standard_normal((20_000, 60))
    )
    for value in audit.critical_values(60).values():
        assert (drawn > value).mean() == pytest.approx(0.05, abs=0.01)


@needs(*FILES)
def test_rows_hold_the_runs_that_count():
    fixed = released.bajgar2018_rows("as-reader-fixed")
    kept_rows = fixed[(fixed.epochs > 0) & fixed.run.str.contains("/cbt-dist/")]
    assert len(kept_rows) == len(audit.runs("asreader_fixed")) == 370
    searched = released.bajgar2018_rows("as-reader-search")
    runs = searched.groupby("run")
    best = 100 * runs.validation.max()[runs.steps.max() > 0]
    assert np.sort(best) == pytest.approx(audit.runs("asreader_random").validation)


@needs(*FILES)
def test_a_pool_described():
    found = described.describe("asreader_random")
    counts = tables.unpack(found["scatter"]).reshape(described.BINS, described.BINS)
    assert (counts.sum(axis=0) == tables.unpack(found["histogram"])).all()
    assert counts.sum() == found["runs"] == 197
    curve = tables.unpack(found["boo"])
    pool = audit.runs("asreader_random")
    assert curve[19] == pytest.approx(boo_v(pool.validation, pool.test, n=20))
    assert curve[0] == pytest.approx(found["mean"])


# --------------------------------------------------------------------------------------
# Intervals that are recorded
# --------------------------------------------------------------------------------------


def test_what_is_kept_reads_back():
    values = np.random.default_rng(6).normal(size=1000)
    found = kept.read(kept.keep(0.25, values))
    assert (found.estimate, found.count) == (0.25, 1000)
    assert [found.low, found.high] == pytest.approx(
        np.quantile(values, [0.025, 0.975]), rel=1e-6
    )
    assert found.share == pytest.approx(judging.monte_carlo_share(values))


@grid(("limit", "draws"), [(5.0, 50), (1.9, 800)])
def test_more_is_drawn_where_a_limit_is_near(limit, draws):
    """Sixteen times as many at most; what nothing is held against asks for none."""
    values = itertools.cycle(stats.norm.ppf((np.arange(50) + 0.5) / 50))
    found = kept.settled(
        lambda: {"a": next(values), "b": 0.0}, {"a": limit, "c": 0.0}, 50
    )
    assert [len(values) for values in found.values()] == [draws, draws]


def test_a_statistic_over_pools_has_its_standard_error_and_an_end_that_is_clear():
    pool = Runs.of(*np.random.default_rng(7).normal(size=(2, 100)))
    mean = lambda of, rng, count: {"mean": of.test.mean()}  # noqa: E731
    cells = kept.over_pools(pool, mean, np.random.default_rng(0), 1000)
    found = kept.read(cells["mean"])
    assert cells["estimate"] == pytest.approx(pool.test.mean())
    se = pool.test.std() / 10
    assert found.high - found.low == pytest.approx(2 * 1.96 * se, rel=0.1)
    near = {"mean": found.high}
    more = kept.over_pools(pool, mean, np.random.default_rng(0), 1000, limits=near)
    assert kept.read(more["mean"]).count > found.count == 1000


# --------------------------------------------------------------------------------------
# Samples
# --------------------------------------------------------------------------------------


def test_smoothing_adds_scott_s_kernel_to_the_moments():
    root = samples.kernel(POOL)
    covariance = stats.gaussian_kde(POOL.pairs.T).covariance
    assert root @ root.T == pytest.approx(covariance)
    found = samples.aggregated(
        POOL, 1, "smoothed", 200_000, np.random.default_rng(0), n=1
    )
    for name in ("mean", "boo", "best"):  # of one run all three are its score
        assert found[name].var() == pytest.approx(
            POOL.test.var() + covariance[1, 1], rel=0.02
        )
        assert found[name].mean() == pytest.approx(POOL.test.mean(), abs=0.03)


def test_spreads_are_ratios_of_sds():
    """Of more than fifty runs the best hardly varies, and has no ratio."""
    drawn = samples.aggregated(POOL, 6, "plain", 2000, np.random.default_rng(0))
    sd = {name: np.std(values) for name, values in drawn.items()}
    found = samples.spread_ratios(POOL, np.random.default_rng(0), 2000, 6, "plain")
    assert found["boo_over_best"] == pytest.approx(sd["boo"] / sd["best"])
    assert found["boo_over_mean"] == pytest.approx(sd["boo"] / sd["mean"])
    many = samples.spread_ratios(POOL, np.random.default_rng(0), 9, 51, "plain")
    assert set(many) == {"boo_over_mean"}


def test_weights_of_ranks():
    validation, test = np.arange(7.0), np.random.default_rng(0).normal(size=7)
    assert samples.rank_weights(7, 5) @ test == pytest.approx(
        boo_v(validation, test, n=5)
    )


@pytest.fixture
def tiny(monkeypatch):
    """Every pool is a small one, and units draw little."""
    pool = Runs.of(
        *np.random.default_rng(8)
        .multivariate_normal([60, 60], [[1, 0.6], [0.6, 1]], 80)
        .T
    )
    for module in (samples, coverage, deployment, gaussianity):
        monkeypatch.setattr(module, "runs", lambda name: pool)
    monkeypatch.setattr(samples, "FIGURE_SAMPLES", 4000)
    monkeypatch.setattr(samples, "POOL_DRAWS", 10)
    monkeypatch.setattr(coverage, "TRIALS", 100)
    monkeypatch.setattr(coverage, "RESAMPLES", 200)
    return pool


def test_figure_2_draws_what_it_says(tiny):
    found = samples.aggregates("resnet", 20, "plain")
    mean, low, high, sd = tables.unpack(found["mean"])
    assert mean == pytest.approx(tiny.test.mean(), abs=0.02)
    assert sd == pytest.approx(tiny.test.std() / np.sqrt(20), rel=0.05)
    assert high - low == pytest.approx(2 * 1.96 * sd, rel=0.05)
    pairs = tiny.validation, tiny.test
    expected = claims.expected_plug_in(boo_v(*pairs, n=np.arange(1, 6)), 20)
    assert found["estimate"] == pytest.approx(expected, abs=0.02)
    assert tables.unpack(found["best"])[0] == pytest.approx(
        boo_v(*pairs, n=20), abs=0.05
    )


def test_figure_3_s_biases_are_those_of_the_formula(tiny):
    found = samples.estimators("asreader_fixed", 20)
    truths = boo(tiny.validation, tiny.test, n=np.arange(1, 6), estimator="u")
    expected = claims.expected_plug_in(truths, 20) - truths[-1]
    assert found["bias_rank"] == pytest.approx(expected, abs=0.02)
    ratio = kept.read(found["variance_ratio"])
    assert ratio.estimate == pytest.approx(
        found["variance_gaussian"] / found["variance_rank"], rel=0.1
    )
    assert len(tables.unpack(found["square_ratios"])) == ratio.count == 10


def test_errors_of_normal_scores_and_of_subsets(tiny):
    """The truth of normal scores is Equation 6; subsets are corrected for the finite
    pool.
    """
    found = samples.errors("resnet", 20, "normal")
    slope = np.corrcoef(tiny.pairs.T)[0, 1] * tiny.sd
    assert found["truth"] == pytest.approx(
        tiny.test.mean() + slope * gaussian_expected_max(5)
    )
    square, sd = (tables.unpack(found[name]).mean() for name in ("square", "sd"))
    bias = claims.expected_plug_in(slope * gaussian_expected_max(np.arange(1, 6)), 20)
    bias -= slope * gaussian_expected_max(5)
    assert square == pytest.approx(sd**2 + bias**2, rel=0.05)
    subsets, plain = (
        tables.unpack(samples.errors("resnet", 40, kind)["sd"]).mean()
        for kind in ("subsets", "plain")
    )
    assert subsets == pytest.approx(plain, rel=0.05)


def test_the_null_of_normality(tiny, monkeypatch):
    monkeypatch.setattr(
        gaussianity, "runs", lambda name: Runs.of(np.arange(50), np.arange(50.0) ** 4)
    )
    found = gaussianity.normality("resnet", 0)
    assert found["beyond"] == 0 < found["five"] < found["one"] < found["statistic"]


# --------------------------------------------------------------------------------------
# Intervals, and what predicts
# --------------------------------------------------------------------------------------


def test_a_bootstrap_sample_is_a_sample_of_the_sample():
    values, means = coverage._resampled_boo(
        np.array([1.0, 2.0]), np.array([10.0, 30.0]), np.random.default_rng(0), 4000
    )
    # Both runs, in either order: the better one has the weight 1 - 1/2^5.
    both = 10 / 32 + 30 * 31 / 32
    assert set(values.round(6)) == {10, 30, round(both, 6)}
    assert (means == 20).mean() == pytest.approx(0.5, abs=0.03)


def test_intervals_hold_about_as_often_as_a_plain_loop_says(tiny):
    found = coverage.intervals("resnet", 20, 0)
    assert (
        found
        == coverage.intervals("resnet", 20, 0)
        != coverage.intervals("resnet", 20, 1)
    )
    assert (found["samples"], found["pairs"]) == (200, 100)
    rng, held = np.random.default_rng(0), 0
    for _ in range(200):
        sample = rng.choice(tiny.test, 20)
        means = rng.choice(sample, (200, 20)).mean(axis=1)
        low, high = np.quantile(means, [0.025, 0.975])
        held += low <= tiny.test.mean() <= high
    assert found["held_mean"] == pytest.approx(held, abs=14)
    assert found["width"] == pytest.approx(found["span"], rel=0.3)


def test_how_often_two_systems_are_ordered_rightly(tiny):
    rng = np.random.default_rng(0)
    share = coverage.order_shares(tiny, rng, 20_000, 1.0)
    sd = tiny.test.std() * np.sqrt(2 / 10)
    assert share["mean"] == pytest.approx(stats.norm.cdf(1 / sd), abs=0.01)
    assert share["mean_less_best"] == pytest.approx(share["mean"] - share["best"])
    same = coverage.order_shares(tiny, rng, 20_000, 0.0, runs_each=3)
    assert [same["mean"], same["best"]] == pytest.approx([0.5, 0.5], abs=0.02)


def test_predictions_are_means_over_halves():
    pool, size = small(seed=3, size=12), 12
    found = deployment.predictions(
        pool, np.ones(size), np.random.default_rng(0), 20_000
    )
    errors = []
    for chosen in itertools.combinations(range(size), size // 2):
        here = np.isin(np.arange(size), chosen)
        given = boo_v(pool.validation[here], pool.test[here], n=5)
        mean, median = pool.test[here].mean(), np.median(pool.test[here])
        # Squared errors by the moments of the deployed score, of which the variance
        # cancels.
        best = boo(pool.validation[~here], pool.test[~here], n=5, estimator="u")
        errors.append(
            [(given - best) ** 2 - (other - best) ** 2 for other in (mean, median)]
        )
    names = ("boo less mean", "boo less median")
    assert [found[name] for name in names] == pytest.approx(
        np.mean(errors, axis=0), abs=0.08
    )


def test_copies_of_a_run_are_in_one_half():
    """With each run five times, a half knows its own runs alone: as with each run
    once.
    """
    pool = small(seed=3)
    once = deployment.predictions(pool, np.ones(12), np.random.default_rng(0), 5000)
    five = deployment.predictions(
        pool, np.full(12, 5.0), np.random.default_rng(0), 5000
    )
    assert five["mean less boo"] == pytest.approx(once["mean less boo"])


def test_median_with_weights():
    test = np.array([1.0, 2.0, 5.0, 9.0])
    weights = np.array(
        [[1, 1, 1, 1], [0, 3, 1, 1], [2, 0, 0, 3], [1, 1, 0, 0]], dtype=float
    )
    expected = [np.median(np.repeat(test, row.astype(int))) for row in weights]
    assert deployment._weighted_median(test, weights) == pytest.approx(expected)


# --------------------------------------------------------------------------------------
# What the judges compute exactly
# --------------------------------------------------------------------------------------


@grid("m", [2, 3, 4])
def test_expected_plug_in_is_the_mean_over_every_sample(m):
    values, n = np.array([0.0, 1.0, 5.0]), 3
    truths = [
        np.mean([max(d) for d in itertools.product(values, repeat=k)])
        for k in (1, 2, 3)
    ]
    every = [boo_v(np.array(s), n=n) for s in itertools.product(values, repeat=m)]
    assert claims.expected_plug_in(truths, m) == pytest.approx(np.mean(every))


def test_a_score_that_is_highest_in_the_middle():
    best = np.maximum.accumulate(
        np.random.default_rng(0).standard_normal((200_000, 5)), axis=1
    )
    expected = 0.8 * ((1 - best**2) / np.sqrt(2)).mean(axis=0)
    assert claims._bent(5, 0.8) == pytest.approx(expected, abs=0.01)


def test_weights_are_listed_with_ties():
    """Of two draws from three runs, of which the last two tie: 1 of 9, and half of the
    other 8 each.
    """
    assert [9 * weight for weight in claims.listed_weights(np.array([0, 1, 1]), 2)] == [
        1,
        4,
        4,
    ]


def test_pairs_of_different_runs():
    share = claims.far_apart(np.array([1.0, 2.0, 4.0, 4.5]), 1.0)
    assert share(np.arange(4)[None]) == pytest.approx(4 / 6)
    # Two copies of the first and one of the third: two pairs of different runs, both
    # apart.
    assert share(np.array([[0, 0, 2], [2, 3, 3]])).tolist() == [1, 0]


def test_one_set_in_the_place_of_two(monkeypatch):
    scores = np.random.default_rng(0).normal(size=500)
    monkeypatch.setattr(audit, "runs", lambda pool: Runs.of(scores, scores))
    rng, drawn = np.random.default_rng(1), []
    for _ in range(2000):
        sample = rng.choice(scores, 10, replace=False)
        drawn.append([boo_v(sample, n=5), boo_gaussian(sample, n=5)])
    rank, gaussian = np.var(drawn, axis=0)
    assert claims.one_set_ratio(10) == pytest.approx(gaussian / rank, rel=0.06)
