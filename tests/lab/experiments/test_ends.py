"""The answers of "Which test do I need?": what is drawn has the truth that it says, and
what the record holds is what pages and docstrings say of it.
"""

import numpy as np
import pytest
from grids import grid
from scipy import stats

from evalkit import group_interval, spending_bounds, time_blocks
from lab.experiments import ends
from lab.record.tables import load_recorded


def drawn(situation, case, seed):
    draw, cases, _ = ends.SITUATIONS[situation]
    return draw(np.random.default_rng(seed), *cases[case])


@grid("kind", ["autoregression 0.9, 300", "slow rate 0.9, 300", "ratings, 300"])
def test_values_in_time_have_their_mean(kind):
    found = [drawn("in time", kind, seed) for seed in range(1500)]
    means = np.array([values.mean() - truth for values, truth in found])
    assert abs(means.mean()) < 4 * stats.sem(means)
    assert {values.size for values, _ in found} == {300}


def test_an_autoregression_resembles_itself():
    values = ends._autoregression(np.random.default_rng(1), 100_000, 0.9)
    assert values.var() == pytest.approx(1, abs=0.1)
    assert np.corrcoef(values[1:], values[:-1])[0, 1] == pytest.approx(0.9, abs=0.01)


def test_groups_of_either_system_have_their_rate_and_resemblance():
    cases = ends.SITUATIONS["separate groups"][1]
    sizes, _, icc, rate = cases["8 and 8 equal, 0.8 right, ICC 0.3"]
    rng, of_group = np.random.default_rng(2), []
    for _ in range(800):
        (a, members), _ = ends._two_sets_of_groups(rng, sizes, sizes, icc, rate)[0]
        of_group.append(np.bincount(members, weights=a) / 20)
    means = np.concatenate(of_group)
    assert means.mean() == pytest.approx(rate, abs=0.01)
    of_means = rate * (1 - rate) * (icc + (1 - icc) / 20)
    assert means.var() == pytest.approx(of_means, rel=0.06)


@grid("swapped", [True, False])
def test_games_are_drawn_as_often_as_said_and_fair(swapped):
    rng = np.random.default_rng(3)
    (games, members), truth = ends._games(rng, 20_000, 2, swapped, 0.3)
    assert games.mean() == pytest.approx(truth, abs=0.01)
    assert np.mean(games == 0.5) == pytest.approx(0.3, abs=0.01)
    first, second = games.reshape(-1, 2).T
    alike = np.corrcoef(first, second)[0, 1]
    assert (alike < -0.3) if swapped else (alike > 0.3)
    assert np.bincount(members).tolist() == [2] * 20_000


@grid("share", [0.5, 0.95])
def test_times_differ_in_their_quantile_by_the_truth(share):
    (a, b, *_), gap = ends._times(np.random.default_rng(4), share, 1_000_000, 0.6)
    assert np.quantile(a, share) - np.quantile(b, share) == pytest.approx(gap, abs=0.01)


@grid("situation", ["separate scores", "families"])
def test_systems_are_equal_where_that_is_the_truth(situation):
    for case in ends.SITUATIONS[situation][1]:
        sums = [drawn(situation, case, seed)[0] for seed in range(400)]
        gaps = np.array([a.mean() - b.mean() for a, b, *_ in sums])
        assert abs(gaps.mean()) < 4.5 * stats.sem(gaps), case


def test_a_unit_by_hand(monkeypatch):
    monkeypatch.setattr(ends, "SAMPLES", 40)
    case = "autoregression 0.5, 100"
    way = "group_interval of time_blocks"
    found = ends.EXPERIMENT.run(
        {"table": "missed", "situation": "in time", "case": case, "way": way}
    )
    place = list(ends.SITUATIONS).index("in time")
    number = list(ends.SITUATIONS["in time"][1]).index(case)
    rng, missed, refused = np.random.default_rng([61, place, number]), 0, 0
    for _ in range(40):
        values, _ = drawn("in time", case, rng.integers(2**63))
        try:
            low, high = group_interval(values, time_blocks(values))
        except ValueError:
            refused += 1
            continue
        missed += not low <= 0 <= high
    assert (found["missed"], found["refused"]) == (missed, refused)
    assert 5 < refused < 35
    assert found["share"] == pytest.approx(missed / (40 - refused), abs=1e-4)


def test_looks_stop_where_a_bound_says():
    pvalues = np.array([0.02, 0.03])
    bounds = spending_bounds([0.5, 1]).pvalue
    assert bounds[0] < 0.02 < 0.03 < bounds[1]
    assert ends._by_spending("obrien-fleming", (pvalues, (10, 20)), None)
    assert not ends._by_spending("obrien-fleming", (pvalues + 0.02, (10, 20)), None)


# --------------------------------------------------------------------------------------
# The record
# --------------------------------------------------------------------------------------


def recorded(situation, way, *cases):
    table = load_recorded("ends", "missed").query("situation == @situation")
    rows = table[table.way == way].set_index("case")
    return rows.loc[[*cases]] if cases else rows


# For each situation the call that the page gives, and how often it misses at most.
@grid(
    ("situation", "most"),
    [
        ("separate answers", 0.065),
        ("separate groups", 0.08),
        ("looks at runs", 0.055),
        ("looks at answers", 0.05),
        ("games", 0.06),
        ("quantiles, separate", 0.07),
        ("quantiles, paired", 0.07),
        ("families", 0.06),
        ("several metrics", 0.055),
    ],
)
def test_the_call_of_the_page_holds_what_it_promises(situation, most):
    ways = ends.SITUATIONS[situation][2]
    way = "spending_bounds" if situation.startswith("looks") else next(iter(ways))
    others = [other for other in ways if other != way]
    found = recorded(situation, way)
    assert found.share.max() <= most
    if not situation.startswith("quantiles"):
        worst = max(recorded(situation, other).share.max() for other in others)
        assert worst > 0.1


def test_what_the_docstring_of_time_blocks_says():
    found = recorded("in time", "group_interval of time_blocks")
    refused = found.refused / found.samples
    alone = [f"autoregression 0.0, {n}" for n in (100, 300, 1000, 5000)]
    alone += [
        f"{kind}, 300" for kind in ("paired answers", "ratings", "right or wrong")
    ]
    assert refused[alone].max() < 0.002
    of_40 = ("autoregression 0.0", "paired answers", "ratings", "right or wrong")
    assert min(refused[f"{kind}, 40"] for kind in of_40) > 0.005
    assert max(refused[f"{kind}, 40"] for kind in of_40) < 0.04
    of_90 = [refused[f"autoregression 0.9, {n}"] for n in (100, 300, 1000)]
    assert [f"{share:.0%}" for share in of_90] == ["100%", "98%", "2%"]
    long = [f"autoregression {rho}, 5000" for rho in (0.0, 0.5, 0.9, 0.97)]
    held = [*alone, *long, "autoregression 0.5, 100", "autoregression 0.9, 1000"]
    assert found.share[held].max() < 0.08
    assert f"{found.share['autoregression 0.5, 40']:.0%}" == "18%"
    slow = [found.share[f"slow tenth 0.97, {n}"] for n in (300, 5000)]
    assert [f"{share:.0%}" for share in slow] == ["21%", "6%"]


def test_what_the_docstring_of_spending_bounds_says():
    for situation, low, high in (
        ("looks at runs", "3.8%", "5.2%"),
        ("looks at answers", "2.8%", "4.5%"),
    ):
        shares = np.r_[
            recorded(situation, "spending_bounds").share,
            recorded(situation, "spending_bounds, pocock").share,
        ]
        assert [f"{x:.1%}" for x in (shares.min(), shares.max())] == [low, high]
        each = recorded(situation, "p <= 0.05 at each look").share
        assert 0.08 < each.min() < each.max() < 0.145
