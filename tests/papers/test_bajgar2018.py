"""The pools of Bajgar et al., and what is drawn from them, against plain calculations and enumeration."""

import dataclasses
import functools
import itertools
import statistics

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from upstream import needs

from evalkit import boo, boo_gaussian, gaussian_expected_max, recorded, released
from evalkit.papers import judging
from evalkit.papers.bajgar2018 import EXPERIMENT, audit, tasks
from evalkit.papers.bajgar2018.audit import Runs
from evalkit.papers.bajgar2018.claims import choosing, estimators, exact, own_runs, variation
from evalkit.papers.bajgar2018.tasks import coverage, deployment, formulas, kept, samples

FILES = [f"bajgar2018/{name}.csv" for name in ("cifar100-resnet-oct17", "cbt_fixed_hyppar", "cbtrs_results")]
boo_v = functools.partial(boo, estimator="v")


def small(seed=0, size=12, levels=5):
    """A pool in which several runs tie in validation."""
    rng = np.random.default_rng(seed)
    return Runs.of(rng.integers(levels, size=size), rng.normal(60, 2, size))


POOL = small()


# ---------------------------------------------------------------------------------------------
# Pools and estimators
# ---------------------------------------------------------------------------------------------


def test_a_pool_hangs_on_no_order():
    order = np.random.default_rng(1).permutation(len(POOL))
    again = Runs.of(POOL.validation[order], POOL.test[order])
    assert (again.pairs == POOL.pairs).all()
    assert (np.diff(POOL.validation) >= 0).all()
    with pytest.raises(dataclasses.FrozenInstanceError):
        POOL.test = np.zeros(3)


@pytest.mark.parametrize("estimator", ["v", "u"])
@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_many_samples_at_once_are_single_ones(estimator, n):
    index = np.random.default_rng(2).integers(len(POOL), size=(20, 7))
    found = audit.boo_of(*POOL.tally(index), n, estimator)
    expected = [boo(POOL.validation[row], POOL.test[row], n=n, estimator=estimator) for row in index]
    assert found == pytest.approx(expected)
    assert audit.boo_pairs(POOL.pairs[index[0]], n) == pytest.approx(
        boo_v(POOL.validation[index[0]], POOL.test[index[0]], n=n)
    )


def test_gaussian_estimates_of_many_samples():
    index = np.random.default_rng(3).integers(len(POOL), size=(20, 7))
    index[0] = 3  # one run seven times
    found = audit.gaussian_boo_of(POOL.validation[index], POOL.test[index], 5)
    expected = [boo_gaussian(POOL.validation[row], POOL.test[row], n=5) for row in index]
    assert found == pytest.approx(expected)


def test_best_validation_run_and_its_ties():
    pool = Runs.of([1, 2, 2, 0], [10, 20, 30, 40])
    index = np.tile(np.arange(4), (4000, 1))
    found = pool.best(index, np.random.default_rng(0))
    assert set(found) == {20, 30}
    assert stats.binomtest(int((found == 20).sum()), 4000).pvalue > 0.001
    assert (pool.best(index[:, :2], np.random.default_rng(0)) == 10).all()


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_statistics_agree_with_scipy():
    scores = np.random.default_rng(4).gamma(3, size=(3, 50))
    for row, found in zip(scores, audit.anderson_darling(scores), strict=True):
        ordered = np.sort((row - row.mean()) / row.std(ddof=1))
        i = np.arange(1, 51)
        logs = stats.norm.logcdf(ordered) + stats.norm.logsf(ordered[::-1])
        assert found == pytest.approx(-50 - ((2 * i - 1) / 50 * logs).sum())
    assert audit.spearman(POOL.pairs) == pytest.approx(stats.spearmanr(*POOL.pairs.T)[0])


def test_tabled_values_hold_for_normal_scores():
    """Either table is near the 5 % quantile that a simulation gives."""
    drawn = audit.anderson_darling(np.random.default_rng(5).standard_normal((20_000, 60)))
    for value in audit.critical_values(60).values():
        assert (drawn > value).mean() == pytest.approx(0.05, abs=0.01)
    old, new = audit.critical_values(370).values()
    assert old > new


def test_gaps_are_those_of_the_published_scores():
    printed = audit.published()
    for pool, name, count in (("resnet", "cifar100", 12), ("asreader_fixed", "cbtcn", 7)):
        scores = sorted(float(printed[f"{name}_published/{i}"]) for i in range(count))
        gaps = [b - a for a, b in itertools.pairwise(scores)]
        assert audit.median_gap(pool) == pytest.approx(statistics.median(gaps))


@pytest.mark.parametrize(
    ("value", "printed", "fits"),
    [
        (63.25, "63.3", True),
        (63.35, "63.3", True),
        (63.249, "63.3", False),
        (74, "74", True),
        (75, "74", False),
    ],
)
def test_rounding_to_what_is_printed(value, printed, fits):
    assert audit.rounds_to(value, printed) is fits


# ---------------------------------------------------------------------------------------------
# The released files
# ---------------------------------------------------------------------------------------------


@needs(*FILES)
def test_rows_hold_the_runs_that_count():
    fixed = released.bajgar2018_rows("as-reader-fixed")
    kept_rows = fixed[(fixed.epochs > 0) & fixed.run.str.contains("/cbt-dist/")]
    assert len(kept_rows) == len(audit.runs("asreader_fixed")) == 370
    best = audit.evaluations().groupby("number").validation.max()
    assert np.sort(best) == pytest.approx(audit.runs("asreader_random").validation)
    rows = released.bajgar2018_rows("resnet")
    assert (rows.best_test >= rows.test - 1e-9).all()
    with pytest.raises(ValueError, match="pool must be one of"):
        released.bajgar2018_rows("as-reader")


@needs(*FILES)
def test_hours_of_a_run_by_hand():
    rows = released.bajgar2018_rows("as-reader-search")
    run = rows[rows.run.str.contains("/104/104_")]
    raw_hours = run.seconds.max() / 3600
    found = audit.hours().set_index("number").loc[104]
    assert found.whole == pytest.approx(raw_hours)
    best = run[run.validation == run.validation.max()]
    assert found.best == pytest.approx(best.seconds.max() / 3600)
    assert (audit.hours().best <= audit.hours().whole).all()
    assert found.minutes == pytest.approx(run.seconds.max() / 60 / (run.steps.max() / 1000))


def test_how_settings_were_drawn_is_seen_in_the_names_of_runs(monkeypatch):
    rng = np.random.default_rng(0)
    sizes = rng.integers(16, 513, size=(200, 2))
    batches = np.round(2 ** rng.uniform(4, 7, 200)).astype(int)
    names = [f"/x/7/7_-sed_{a}_-ehd_{b}_-b_{c}.out" for (a, b), c in zip(sizes, batches, strict=True)]
    rows = pd.DataFrame({"run": np.repeat(names, 3)})  # several evaluations of each
    monkeypatch.setattr(released, "bajgar2018_rows", {"as-reader-search": rows}.get)
    found = audit.settings()
    assert set(found.itertuples(index=False, name=None)) == set(zip(*sizes.T, batches, strict=True))
    p = audit.how_drawn()
    assert (p.uniform[["embedding", "hidden"]] > 0.01).all()
    assert (p.logarithm[["embedding", "hidden"]] < 1e-9).all()
    assert p.logarithm["batch size"] > 0.01 > 1e-9 > p.uniform["batch size"]


@needs(*FILES)
def test_other_ways_to_make_the_pool_leave_one_out_or_take_one_in():
    sizes = pd.Series({name: len(pool) for name, pool in audit.other_pools().items()})
    assert set(sizes) == {73, 74, 75}
    assert (sizes == 74).sum() == 2  # as loaded, and with the best test score along the way
    assert sizes["as loaded"] == 74


@needs(*FILES)
def test_a_pool_described():
    found = audit.describe("asreader_random")
    counts = recorded.unpack(found["scatter"]).reshape(audit.BINS, audit.BINS)
    assert (counts.sum(axis=0) == recorded.unpack(found["histogram"])).all()
    assert counts.sum() == found["runs"] == 197
    curve = recorded.unpack(found["boo"])
    pool = audit.runs("asreader_random")
    assert curve[19] == pytest.approx(boo_v(pool.validation, pool.test, n=20))
    assert curve[0] == pytest.approx(found["mean"])


@needs(*FILES)
def test_budgets_that_give_a_printed_value():
    pool = audit.runs("asreader_random")
    found = audit.budgets_that_give("63.3")
    assert found == [n for n in range(1, 201) if f"{boo_v(pool.validation, pool.test, n=n):.1f}" == "63.3"]


# ---------------------------------------------------------------------------------------------
# Intervals that are recorded
# ---------------------------------------------------------------------------------------------


def test_what_is_kept_reads_back():
    values = np.random.default_rng(6).normal(size=1000)
    found = kept.Kept.read(kept.keep(0.25, values))
    assert (found.estimate, found.count) == (0.25, 1000)
    assert [found.low, found.high] == pytest.approx(np.quantile(values, [0.025, 0.975]), rel=1e-6)
    assert found.beyond(found.low - 0.1) == "replicated"
    assert found.beyond(found.high + 0.1) == "not replicated"
    assert found.beyond(0, above=False) == "inconclusive"
    assert found.draws(found.low).undecided
    assert found.draws(0.0, found.high).undecided
    assert not found.draws(0.0).undecided


def test_a_statistic_over_pools_has_its_standard_error():
    pool = Runs.of(*np.random.default_rng(7).normal(size=(2, 100)))
    cells = kept.over_pools(
        pool, lambda of, rng, count: {"mean": of.test.mean()}, np.random.default_rng(0), 1000
    )
    found = kept.Kept.read(cells["mean"])
    assert cells["estimate"] == pytest.approx(pool.test.mean())
    width = 2 * 1.96 * pool.test.std() / 10
    assert found.high - found.low == pytest.approx(width, rel=0.1)


@pytest.mark.parametrize(("limit", "draws"), [(5.0, 50), (1.9, 800)])
def test_more_is_drawn_where_a_limit_is_near(limit, draws):
    """Sixteen times as many at most; what nothing is held against asks for none."""
    values = itertools.cycle(stats.norm.ppf((np.arange(50) + 0.5) / 50))
    found = kept.settled(lambda: {"a": next(values), "b": 0.0}, {"a": limit, "c": 0.0}, 50)
    assert [len(values) for values in found.values()] == [draws, draws]


def test_drawing_stops_once_the_end_is_clear():
    rng = np.random.default_rng(3)
    found = kept.settled(lambda: {"a": rng.normal(2.15, 1)}, {"a": 0.0}, 200)["a"]
    assert 200 < len(found) < 16 * 200
    assert not judging.near_a_limit(found, 0.0)


def test_a_statistic_over_pools_is_drawn_until_its_end_is_clear():
    pool = Runs.of(*np.random.default_rng(7).normal(size=(2, 50)))

    def drawn(limits):
        cells = kept.over_pools(
            pool,
            lambda of, rng, count: {"mean": of.test.mean()},
            np.random.default_rng(0),
            100,
            limits=limits,
        )
        return kept.Kept.read(cells["mean"])

    assert drawn({}).count == drawn({"mean": 9.0}).count == 100
    assert drawn({"mean": drawn({}).high}).count > 100


# ---------------------------------------------------------------------------------------------
# Samples
# ---------------------------------------------------------------------------------------------


def test_kernel_is_scott_s():
    root = samples.kernel(POOL)
    assert root @ root.T == pytest.approx(stats.gaussian_kde(POOL.pairs.T).covariance)


def test_smoothing_adds_the_kernel_to_the_moments():
    found = samples.aggregated(POOL, 1, "smoothed", 200_000, np.random.default_rng(0), n=1)
    expected = POOL.test.var() + stats.gaussian_kde(POOL.pairs.T).covariance[1, 1]
    for name in ("mean", "boo", "best"):  # of one run all three are its score
        assert found[name].var() == pytest.approx(expected, rel=0.02)
        assert found[name].mean() == pytest.approx(POOL.test.mean(), abs=0.03)


def test_plain_samples_are_those_of_the_bootstrap():
    pool = Runs.of([1.0, 2.0, 3.0], [10.0, 50.0, 30.0])
    every = list(itertools.product(range(3), repeat=3))
    found = samples.aggregated(pool, 3, "plain", 100_000, np.random.default_rng(0), n=2)
    boos = [boo_v(pool.validation[list(s)], pool.test[list(s)], n=2) for s in every]
    best = [pool.test[max(s)] for s in every]
    assert found["boo"].mean() == pytest.approx(np.mean(boos), abs=0.1)
    assert found["boo"].std() == pytest.approx(np.std(boos), rel=0.02)
    assert found["best"].mean() == pytest.approx(np.mean(best), abs=0.1)


def test_weights_of_ranks():
    validation, test = np.arange(7.0), np.random.default_rng(0).normal(size=7)
    assert samples.rank_weights(7, 5) @ test == pytest.approx(boo_v(validation, test, n=5))


def test_subsets_are_subsets():
    found = samples.subsets(9, 4, 500, np.random.default_rng(0))
    assert found.shape == (500, 4)
    assert all(len(set(row)) == 4 for row in found.tolist())
    assert np.bincount(found.ravel(), minlength=9) == pytest.approx(500 * 4 / 9, rel=0.2)


def test_normal_scores_have_the_pool_s_moments():
    drawn = samples.normal_like(POOL, np.random.default_rng(0), (100_000,))
    assert np.cov(drawn.T) == pytest.approx(np.cov(POOL.pairs.T), rel=0.05, abs=0.02)
    assert drawn.mean(axis=0) == pytest.approx(POOL.pairs.mean(axis=0), abs=0.05)


def test_a_pool_mirrored_twice_is_itself():
    twice = samples._mirrored(samples._mirrored(POOL))
    assert np.sort(twice.test) == pytest.approx(np.sort(POOL.test))
    assert stats.skew(samples._mirrored(POOL).test) == pytest.approx(-stats.skew(POOL.test))


@pytest.fixture
def tiny(monkeypatch):
    """Every pool is a small one, and units draw little."""
    pool = Runs.of(*np.random.default_rng(8).multivariate_normal([60, 60], [[1, 0.6], [0.6, 1]], 80).T)
    for module in (samples, coverage, deployment, formulas):
        monkeypatch.setattr(module, "runs", lambda name: pool)
    monkeypatch.setattr(samples, "FIGURE_SAMPLES", 4000)
    monkeypatch.setattr(samples, "POOL_DRAWS", 10)
    monkeypatch.setattr(coverage, "TRIALS", 100)
    monkeypatch.setattr(coverage, "RESAMPLES", 200)
    return pool


def test_figure_2_draws_what_it_says(tiny):
    found = samples.aggregates("resnet", 20, "plain")
    mean, low, high, sd = recorded.unpack(found["mean"])
    assert mean == pytest.approx(tiny.test.mean(), abs=0.02)
    assert sd == pytest.approx(tiny.test.std() / np.sqrt(20), rel=0.05)
    assert high - low == pytest.approx(2 * 1.96 * sd, rel=0.05)
    pairs = tiny.validation, tiny.test
    expected = exact.expected_plug_in(boo_v(*pairs, n=np.arange(1, 6)), 20)
    assert found["estimate"] == pytest.approx(expected, abs=0.02)
    assert recorded.unpack(found["best"])[0] == pytest.approx(boo_v(*pairs, n=20), abs=0.05)


def test_figure_3_s_biases_are_those_of_the_formula(tiny):
    found = samples.estimators("asreader_fixed", 20)
    truths = boo(tiny.validation, tiny.test, n=np.arange(1, 6), estimator="u")
    expected = exact.expected_plug_in(truths, 20) - truths[-1]
    assert found["bias_rank"] == pytest.approx(expected, abs=0.02)
    ratio = kept.Kept.read(found["variance_ratio"])
    assert ratio.estimate == pytest.approx(found["variance_gaussian"] / found["variance_rank"], rel=0.1)
    assert len(recorded.unpack(found["square_ratios"])) == ratio.count == 10


def test_errors_of_normal_scores(tiny):
    """The SD of a mean of m normal scores is known; of Boo_5 it is near that of Equation 6."""
    found = samples.errors("resnet", 20, "normal")
    slope = np.corrcoef(tiny.pairs.T)[0, 1] * tiny.sd
    assert found["truth"] == pytest.approx(tiny.test.mean() + slope * gaussian_expected_max(5))
    square, sd = (recorded.unpack(found[name]).mean() for name in ("square", "sd"))
    bias = exact.expected_plug_in(slope * gaussian_expected_max(np.arange(1, 6)), 20)
    bias -= slope * gaussian_expected_max(5)
    assert square == pytest.approx(sd**2 + bias**2, rel=0.05)


def test_errors_of_subsets_are_corrected_for_the_finite_pool(tiny):
    subsets, plain = (
        recorded.unpack(samples.errors("resnet", 40, kind)["sd"]).mean() for kind in ("subsets", "plain")
    )
    assert subsets == pytest.approx(plain, rel=0.05)


def test_biases_on_samples(tiny):
    found = samples.biases("asreader_random", 40, 5)
    truths = boo_v(tiny.validation, tiny.test, n=np.arange(1, 6))
    assert found["truth"] == pytest.approx(truths[-1])
    expected = exact.expected_plug_in(truths, 40) - truths[-1]
    assert abs(found["rank"] - expected) < 4 * found["error_rank"]


# ---------------------------------------------------------------------------------------------
# Intervals
# ---------------------------------------------------------------------------------------------


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
    again = coverage.intervals("resnet", 20, 0)
    assert found == again
    assert coverage.intervals("resnet", 20, 1) != found
    assert (found["samples"], found["pairs"]) == (200, 100)
    rng, held = np.random.default_rng(0), 0
    for _ in range(200):
        sample = rng.choice(tiny.test, 20)
        means = rng.choice(sample, (200, 20)).mean(axis=1)
        low, high = np.quantile(means, [0.025, 0.975])
        held += low <= tiny.test.mean() <= high
    assert found["held_mean"] == pytest.approx(held, abs=14)
    assert found["width"] == pytest.approx(found["span"], rel=0.3)
    assert 0 <= found["excluded"] < 30


def test_intervals_from_a_fitted_normal_hold(tiny):
    found = coverage.normal_intervals(20, 0)
    assert found["held_fitted"] >= 85
    assert found["different_fitted"] >= found["different_bootstrap"]


def test_distance_of_distributions_is_kolmogorov_s():
    one, other = np.random.default_rng(9).normal(size=(2, 40))
    assert coverage._distance(one, other) == pytest.approx(stats.ks_2samp(one, other).statistic)


def test_teams_and_orders(tiny, monkeypatch):
    monkeypatch.setattr(coverage, "median_gap", lambda pool: 0.0)
    found = coverage.teams("resnet")
    assert found["apart"] == pytest.approx(found["draws"], rel=0.001)
    rng = np.random.default_rng(0)
    share = coverage._orders(tiny, rng, 20_000, 1.0)
    sd = tiny.test.std() * np.sqrt(2 / 10)
    assert share["mean"] == pytest.approx(stats.norm.cdf(1 / sd), abs=0.01)
    assert share["mean_less_best"] == pytest.approx(share["mean"] - share["best"])
    same = coverage._orders(tiny, rng, 20_000, 0.0)
    assert [same["mean"], same["best"]] == pytest.approx([0.5, 0.5], abs=0.02)


# ---------------------------------------------------------------------------------------------
# What predicts
# ---------------------------------------------------------------------------------------------


def test_predictions_are_means_over_halves():
    pool, size = small(seed=3, size=12), 12
    found = deployment.predictions(pool, np.ones(size), np.random.default_rng(0), 20_000)
    errors = []
    for chosen in itertools.combinations(range(size), size // 2):
        here = np.isin(np.arange(size), chosen)
        given = boo_v(pool.validation[here], pool.test[here], n=5)
        mean, median = pool.test[here].mean(), np.median(pool.test[here])
        there = ~here
        # Squared errors by the moments of the deployed score, of which the variance cancels.
        best = boo(pool.validation[there], pool.test[there], n=5, estimator="u")
        any_run = pool.test[there].mean()
        errors.append(
            [
                (given - best) ** 2 - (mean - best) ** 2,
                (given - best) ** 2 - (median - best) ** 2,
                (mean - any_run) ** 2 - (given - any_run) ** 2,
            ]
        )
    expected = np.mean(errors, axis=0)
    names = ("boo less mean", "boo less median", "mean less boo")
    assert [found[name] for name in names] == pytest.approx(expected, abs=0.08)


def test_copies_of_a_run_are_in_one_half():
    """With each run five times, a half knows its own runs alone: as with each run once."""
    pool = small(seed=3)
    once = deployment.predictions(pool, np.ones(12), np.random.default_rng(0), 5000)
    five = deployment.predictions(pool, np.full(12, 5.0), np.random.default_rng(0), 5000)
    assert five["mean less boo"] == pytest.approx(once["mean less boo"])


def test_median_with_weights():
    test = np.array([1.0, 2.0, 5.0, 9.0])
    weights = np.array([[1, 1, 1, 1], [0, 3, 1, 1], [2, 0, 0, 3], [1, 1, 0, 0]], dtype=float)
    expected = [np.median(np.repeat(test, row.astype(int))) for row in weights]
    assert deployment._weighted_median(test, weights) == pytest.approx(expected)


def test_a_range_that_holds_all_gains_nothing():
    size = 400  # so many that no range is empty
    every = np.ones(size)
    pool = Runs.of(np.arange(size), np.random.default_rng(0).normal(size=size))
    rng = np.random.default_rng(0)
    assert deployment._gain_of_range(every, pool, every, rng, 20) == 0
    # The rate says how good a run is: the range leaves the worse ones out.
    ordered = Runs.of(np.arange(size), np.arange(size))
    gain = deployment._gain_of_range(np.arange(size), ordered, every, rng, 50)
    # The best of five of the upper quarter, about, less that of all.
    assert gain == pytest.approx(size * (3 / 4 + 5 / 24 - 5 / 6), rel=0.1)


# ---------------------------------------------------------------------------------------------
# Formulas
# ---------------------------------------------------------------------------------------------


def test_maxima_and_chosen_by_few_draws(monkeypatch):
    monkeypatch.setattr(formulas, "FORMULA_DRAWS", 400_000)
    found = formulas.maxima("uniform")
    best, error = (recorded.unpack(found[name]) for name in ("best", "error_best"))
    assert best == pytest.approx([n / (n + 1) for n in (1, 2, 5, 10, 50)], abs=0.002)
    assert error[0] == pytest.approx(np.sqrt(1 / 12 / 400_000), rel=0.01)
    chosen = formulas.chosen(0)
    assert chosen["draws"] == 40_000
    assert recorded.unpack(chosen["mean_5"]) == pytest.approx(
        np.array(formulas.CORRELATIONS) * gaussian_expected_max(5), abs=0.03
    )


@pytest.mark.parametrize("law", ["normal", "uniform", "exponential"])
@pytest.mark.parametrize("n", [1, 2, 5, 50])
def test_integrals_are_closed_forms(law, n):
    assert exact.integrated(law, n) == pytest.approx(exact._CLOSED[law][0](n), abs=1e-9)


@pytest.mark.parametrize("m", [2, 3, 4])
def test_expected_plug_in_is_the_mean_over_every_sample(m):
    values, n = np.array([0.0, 1.0, 5.0]), 3
    truths = [np.mean([max(d) for d in itertools.product(values, repeat=k)]) for k in (1, 2, 3)]
    every = [boo_v(np.array(s), n=n) for s in itertools.product(values, repeat=m)]
    assert exact.expected_plug_in(truths, m) == pytest.approx(np.mean(every))
    assert exact.distinct_chances(n, m).sum() == pytest.approx(1)


def test_expected_plug_in_of_subsets_of_a_pool():
    pool = small(seed=5, size=8, levels=4)
    truths = boo(pool.validation, pool.test, n=np.arange(1, 4), estimator="u")
    every = [
        boo_v(pool.validation[list(s)], pool.test[list(s)], n=3) for s in itertools.combinations(range(8), 5)
    ]
    assert exact.expected_plug_in(truths, 5) == pytest.approx(np.mean(every))


@pytest.mark.parametrize("m", [3, 4])
def test_expected_median_is_the_mean_over_every_subset(m):
    every = [np.median(s) for s in itertools.combinations(POOL.test, m)]
    assert exact.expected_median(POOL.test, m) == pytest.approx(np.mean(every))


def test_truths_of_shapes_by_simulation():
    rng = np.random.default_rng(0)
    peaks = rng.standard_normal((200_000, 5)) + rng.choice([-2, 2], (200_000, 5))
    truths, sd = exact._two_peaks(5)
    assert truths == pytest.approx(np.maximum.accumulate(peaks, axis=1).mean(axis=0), abs=0.02)
    assert sd == pytest.approx(peaks.std(), rel=0.01)
    v = rng.standard_normal((200_000, 5))
    best = np.maximum.accumulate(v, axis=1)
    expected = 0.8 * ((1 - best**2) / np.sqrt(2)).mean(axis=0)
    assert exact._bent(5, 0.8) == pytest.approx(expected, abs=0.01)


def test_weights_are_listed_with_ties():
    level = np.array([0, 1, 1])
    assert exact._listed_weights(level, 2) == exact._formula_weights(level, 2)
    assert sum(exact._listed_weights(level, 3)) == 1


def test_pairs_of_different_runs():
    test = np.array([1.0, 2.0, 4.0, 4.5])
    share = variation.pair_share(test, 1.0)
    assert share(np.arange(4)) == pytest.approx(4 / 6)
    # Two copies of the first and one of the third: two pairs of different runs, both apart.
    assert share(np.array([0, 0, 2])) == 1
    assert share(np.array([2, 3, 3])) == 0


def test_chance_of_a_run_far_above_the_other_half():
    test = np.array([0.0, 0.1, 0.2, 3.0, 3.1, 9.0])
    sd, found = test.std(ddof=1), []
    for i in range(6):
        others = [j for j in range(6) if j != i]
        halves = list(itertools.combinations(others, 3))
        found.append(np.mean([test[i] > max(test[list(half)]) + sd for half in halves]))
    assert variation._beats_by_a_sd(test) == pytest.approx(np.mean(found))


def test_chances_of_two_teams():
    found, count = np.zeros((7, 7)), 0
    for large in itertools.combinations(range(7), 3):
        for few in itertools.combinations([i for i in range(7) if i not in large], 2):
            found[max(large), max(few)] += 1
            count += 1
    assert choosing.win_chances(7, 3, 2) == pytest.approx(found / count)


def test_runs_that_carry_the_best():
    pool = Runs.of(np.arange(10.0), np.arange(10.0))
    weights = np.diff((np.arange(11) / 10) ** 20)[::-1]
    expected = int((weights.cumsum() < 0.95).sum()) + 1
    assert estimators.runs_that_carry(pool, 20, 0.95) == expected
    tied = Runs.of(np.zeros(10), np.arange(10.0))
    assert estimators.runs_that_carry(tied, 20, 0.95) == 10


def test_pairs_told_apart_by_items():
    right = np.random.default_rng(0).integers(2, size=(4, 60)).astype(float)
    right[0] = 1
    found = own_runs.told_apart(right, np.arange(60))
    assert found.any()
    for i, j in itertools.combinations(range(4), 2):
        pvalue = stats.ttest_1samp(right[i] - right[j], 0).pvalue
        assert found[i, j] == found[j, i] == (pvalue < 0.05)
    assert not np.diag(found).any()


def test_pairs_told_apart_by_families():
    """By the definition, item by item."""
    rng = np.random.default_rng(1)
    families = np.sort(rng.integers(12, size=90))
    right = (rng.random((5, 90)) < np.linspace(0.3, 0.9, 5)[:, None]).astype(float)
    found = own_runs.told_apart(right, families)
    assert 0 < found[np.triu_indices(5, 1)].sum() < 10
    for i, j in itertools.combinations(range(5), 2):
        off = (right[i] - right[j]) - (right[i] - right[j]).mean()
        sums = [off[families == k].sum() for k in range(12)]
        error = np.sqrt(sum(np.square(sums)) * 12 / 11) / 90
        assert found[i, j] == (abs((right[i] - right[j]).mean()) > stats.t.ppf(0.975, 11) * error)


def test_families_that_go_alike_are_told_apart_as_often_as_stated():
    """Runs of one system, whose families of up to four items go alike: 5 %, where single items give more."""
    rng = np.random.default_rng(2)
    families = np.repeat(np.arange(200), rng.integers(1, 5, size=200))
    right = np.repeat(rng.random((150, 200)) < 0.5, np.bincount(families), axis=1).astype(float)
    pairs = np.triu_indices(150, 1)
    assert own_runs.told_apart(right, families)[pairs].mean() == pytest.approx(0.05, abs=0.02)
    assert own_runs.told_apart(right, np.arange(len(families)))[pairs].mean() > 0.2


def test_one_set_in_the_place_of_two(monkeypatch):
    scores = np.random.default_rng(0).normal(size=500)
    monkeypatch.setattr(audit, "runs", lambda pool: Runs.of(scores, scores))
    rng, drawn = np.random.default_rng(1), []
    for _ in range(2000):
        sample = rng.choice(scores, 10, replace=False)
        drawn.append([boo_v(sample, n=5), boo_gaussian(sample, n=5)])
    rank, gaussian = np.var(drawn, axis=0)
    assert estimators.one_set_ratio(10) == pytest.approx(gaussian / rank, rel=0.06)


def test_neighbours_are_compared_by_rank():
    """Runs that fail are the lowest, however low: their scores alone would decide, and narrowly."""
    scores = np.random.default_rng(4).normal(90, 2, 60)
    failing = np.where(scores < 87, 10.0 + scores / 100, scores)
    one, other = (own_runs._neighbours(x) for x in (scores, failing))
    assert tuple(one) == tuple(other)
    ranks = stats.rankdata(scores)
    assert one.estimate == pytest.approx(np.corrcoef(ranks[:-1], ranks[1:])[0, 1])


def test_short_forms_of_judges():
    scores = np.random.default_rng(0).normal(size=38)
    assert variation.quartile_range(scores) == pytest.approx(stats.iqr(scores))
    found = choosing.equation_6(POOL.pairs, gaussian_expected_max(20))
    assert found == pytest.approx(boo_gaussian(*POOL.pairs.T, n=20))


# ---------------------------------------------------------------------------------------------
# The plan
# ---------------------------------------------------------------------------------------------


def test_judges_find_all_rows_of_the_plan():
    units = EXPERIMENT.plan("recorded", [])
    rows = [{"unit": unit, "result": {"x": i}} for i, unit in enumerate(units)]
    record = tasks.Record(rows)
    for i, unit in enumerate(units):
        parameters = {name: value for name, value in unit.items() if name != "table"}
        assert record.one(unit["table"], **parameters) == {"x": i}
