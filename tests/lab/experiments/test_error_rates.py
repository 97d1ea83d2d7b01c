"""The simulations of error rates: they draw what they say, and what came out is what
evalkit promises.
"""

import numpy as np
import pytest
from grids import grid
from upstream import needs

from evalkit import boo, proportion_interval
from lab.experiments import error_rates
from lab.record.tables import load_recorded


@pytest.mark.parametrize("kind", error_rates.KINDS)
@pytest.mark.parametrize("share", error_rates.SHARES)
def test_items_differ_by_nothing_on_average_and_groups_have_their_share(kind, share):
    rng, sizes = np.random.default_rng(0), (8,) * 4000
    differences, members = error_rates.draw_items(sizes, kind, share, rng)
    assert abs(differences.mean()) < 4 * (share + 1 / 8) ** 0.5 / 4000**0.5
    assert np.bincount(members).tolist() == list(sizes)
    if kind == "right or wrong":
        assert set(differences) == {-1, 0, 1}
    else:
        table = differences.reshape(4000, 8)
        within, between = (
            table.var(axis=1, ddof=1).mean(),
            table.mean(axis=1).var(ddof=1),
        )
        assert (between - within / 8) / (between + within * 7 / 8) == pytest.approx(
            share, abs=0.04
        )


@grid("sources", error_rates.SOURCES)
def test_runs_have_the_sources_that_they_name(sources):
    rng = np.random.default_rng(1)
    by_item, by_seed, rest = error_rates.SOURCES[sources]
    of_items, of_seeds = [], []
    for _ in range(300):
        a, b, members = error_rates.draw_runs("5 seeds", sources, "score", rng)
        assert members is None
        of_items.append((a.mean(axis=0) - b.mean(axis=0)).var(ddof=1))
        of_seeds.append(a.mean(axis=1).var(ddof=1))
    assert np.mean(of_items) == pytest.approx(
        2 * by_item**2 + 2 * rest**2 / 5, rel=0.05
    )
    assert np.mean(of_seeds) == pytest.approx(by_seed**2 + rest**2 / 200, rel=0.15)


@grid("design", error_rates.DESIGNS)
def test_designs_have_the_seeds_and_groups_that_they_name(design):
    seeds_a, seeds_b, n_items, groups = error_rates.DESIGNS[design]
    a, b, members = error_rates.draw_runs(
        design, "neither", "right or wrong", np.random.default_rng(2)
    )
    assert (len(a), len(b)) == (seeds_a, seeds_b)
    assert set(np.unique([*a.ravel(), *b.ravel()])) <= {0, 1}
    if groups is None:
        assert a.shape[1] == n_items
    else:
        assert np.bincount(members).tolist() == list(error_rates.GROUPS[groups])


@pytest.mark.parametrize(
    "pool",
    [
        pytest.param(
            pool, marks=[needs("tang2020/hedwig.tsv")] * pool.startswith("tang")
        )
        for pool in error_rates.POOLS
    ],
)
def test_pools_are_pairs_of_scores(pool):
    validation, test = error_rates.load_pool(pool)
    assert len(validation) == len(test) >= 100
    assert (test is validation) == pool.startswith("tang")
    assert boo(validation, test, n=5) < 1


# --------------------------------------------------------------------------------------
# What the docstrings and the chapters say of the record
# --------------------------------------------------------------------------------------


def rates(table, count):
    found = load_recorded("error_rates", table)
    return found, found[count] / found.samples


def test_t_with_one_fewer_than_groups_fails_and_cr2_hardly():
    found, t = rates("groups", "rejected_t")
    cr2 = found.rejected_cr2 / found.samples
    worst = (
        found.sizes.eq("12, half in one") & found.kind.eq("normal") & found.share.gt(0)
    )
    assert t[worst].min() > 0.18
    assert cr2[worst].max() < 0.055
    even = found.kind.ne("skewed")
    assert cr2[even].max() < 0.09
    assert cr2[even].mean() < 0.055
    assert cr2.max() < 0.13
    assert t[even].max() > 0.19
    assert found.rejected_cr2.isna().sum() == 9  # three groups are refused


def test_both_at_once_keep_the_level_where_one_alone_does_not():
    found, both = rates("seeds_and_items", "rejected_both")
    assert both.max() < 0.07
    seeds, items = (
        found.rejected_seeds / found.samples,
        found.rejected_items / found.samples,
    )
    many = found.design.eq("20 seeds") & found.sources.eq("items")
    assert seeds[many].min() > 0.5
    assert items[found.sources.eq("seeds")].max() > 0.7


def test_item_means_keep_the_level_and_means_of_samples_do_not():
    found, means = rates("answers", "rejected_item_means")
    assert all(
        0.05 in proportion_interval(n, 2000, confidence_level=0.999)
        for n in found.rejected_item_means
    )
    assert means.max() < 0.065
    assert (found.rejected_samples_of_all / found.samples)[
        found.answers.eq(20)
    ].max() > 0.3


def test_few_runs_want_welch_and_no_bootstrap():
    found, t = rates("unpaired", "held_t")
    few = found["size"] <= 10
    assert t.min() > 0.94
    assert (found.held_bca / found.samples)[few].max() < 0.92
    assert (found.held_percentile / found.samples)[few].max() < 0.92


def test_the_next_run_lies_in_order_statistics_whatever_the_pool():
    found = load_recorded("error_rates", "next_run")
    assert found.share_order.min() > 0.95
    assert found.share_t[found["size"] >= 10].between(0.93, 0.97).all()


def test_the_jackknife_of_u_holds_within_its_limits_and_no_bootstrap_beyond():
    found, held = rates("budgets", "held")
    # What the docstring of `expected_max_interval` says.
    assert (round(held[found.part == 5].min(), 2), round(held.max(), 2)) == (0.89, 0.99)
    assert held[found.part == 20].between(0.935, 0.975).all()
    assert held.median() > 0.96
    assert held.isna().equals(found.part < 5)
    assert (found.held_bootstrap / found.samples)[found.part < 5].max() < 0.93


def test_the_difference_at_equal_budgets_holds_for_two_pools_and_for_one_against_itself():
    found, held = rates("budget_differences", "held")
    # What the docstring of `budget_difference` says.
    assert (round(held.min(), 2), round(held.max(), 2)) == (0.94, 0.99)
    assert held.gt(0.945).sum() == len(held) - 1
    assert (found.truth == 0).equals(found.pool == found.other)
    assert set(found["size"]) == {30, 50, 100, 200}


def test_one_cross_validation_is_a_sample_for_a_stable_model_at_most():
    found, held = rates("folds", "held")
    held.index = [found.model, found["items"]]
    assert held["nearest mean"].min() > 0.93
    assert held["tree of depth 4", 100] < 0.89
    assert held["tree of depth 4", 300] < 0.78
