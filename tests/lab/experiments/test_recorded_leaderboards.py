"""Leaderboards: what is drawn and computed against slow ways by hand, and what is
recorded.
"""

import numpy as np
import pytest
from grids import grid
from scipy import special, stats

from evalkit import proportion_interval, ratio_difference
from lab.data import boards
from lab.experiments import leaderboards
from lab.experiments.leaderboards import _released
from lab.record.tables import load_recorded

# --------------------------------------------------------------------------------------
# Samples
# --------------------------------------------------------------------------------------


@grid("correlation", [0.01, 0.3, 0.6])
def test_two_normal_numbers_are_both_below(correlation):
    joint = stats.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]])
    assert leaderboards.both_below((0.3, 1.2), correlation) == pytest.approx(
        joint.cdf([0.3, 1.2]), abs=1e-6
    )


@pytest.mark.parametrize("kind", ["score", "difference"])
@pytest.mark.parametrize(("rate", "icc"), [(0.5, 0.2), (0.9, 0.1), (0.9, 0.0)])
def test_systems_are_as_good_and_as_alike_in_families_as_they_should(kind, rate, icc):
    rng, single = np.random.default_rng(0), kind == "score"
    alike = 0.0 if single else leaderboards.ALIKE
    share = leaderboards.family_share(rate, icc, kind)
    right, members = leaderboards.draw_answers(
        [rate] * (1 if single else 2), (8,) * 20_000, share, rng, alike
    )
    assert np.bincount(members).tolist() == [8] * 20_000
    assert right.mean(axis=0) == pytest.approx(np.full(right.shape[1], rate), abs=0.006)
    table = (right[:, 0] if single else right[:, 0] - right[:, 1]).reshape(20_000, 8)
    within, between = table.var(axis=1, ddof=1).mean(), table.mean(axis=1).var(ddof=1)
    assert (between - within / 8) / (between + within * 7 / 8) == pytest.approx(
        icc, abs=0.012
    )


@pytest.mark.parametrize("board", leaderboards.RELEASED)
def test_a_released_board_is_drawn_problem_by_problem(board):
    scores, problems = _released.released(board)
    drawn, members, truth = leaderboards.draw_board(board, np.random.default_rng(1))
    assert (drawn.shape[1], len(truth)) == (scores.shape[1],) * 2
    assert members.max() == problems.max()
    whole = {
        scores[problems == number].tobytes() for number in range(problems.max() + 1)
    }
    groups = [drawn[members == number].tobytes() for number in range(members.max() + 1)]
    assert set(groups) < whole
    assert len(set(groups)) < len(groups)
    assert (np.argsort(truth) == np.argsort(scores.sum(axis=0))).all()
    assert len(set(truth)) == len(truth)


@pytest.mark.parametrize(
    "board", [*leaderboards.REPOSITORY_SHARES, "25 equals, 500 items, 0.95 right"]
)
def test_a_simulated_board_has_its_systems_and_items(board):
    rng = np.random.default_rng(2)
    means = []
    for _ in range(60):
        scores, members, truth = leaderboards.draw_board(board, rng)
        assert scores.shape == (500, 25)
        means.append(scores.mean(axis=0) - truth)
    assert members.max() == (11 if board.startswith("12") else 499)
    assert abs(np.mean(means)) < 4 * np.mean(means, axis=1).std() / np.sqrt(60)


# --------------------------------------------------------------------------------------
# Ways of making sets and intervals, one by one
# --------------------------------------------------------------------------------------


def test_paired_pvalues_are_scipy_s():
    scores = np.random.default_rng(3).integers(2, size=(40, 4)).astype(float)
    scores[:, 3] = scores[:, 0]
    pvalues, first, second = _released.paired_pvalues(scores)
    for p, i, j in zip(pvalues, first, second, strict=True):
        slow = (
            1.0
            if (i, j) == (0, 3)
            else stats.ttest_rel(scores[:, i], scores[:, j]).pvalue
        )
        assert p == pytest.approx(slow)


def test_a_rank_leaves_room_for_all_that_are_not_apart():
    rng = np.random.default_rng(4)
    scores = (rng.random((200, 6)) < np.linspace(0.8, 0.4, 6)).astype(float)
    best, worst = leaderboards.sets_of_ranks(scores, None, "unadjusted")
    pvalues, first, second = _released.paired_pvalues(scores)
    apart = set()
    for i, j in zip(first[pvalues <= 0.05], second[pvalues <= 0.05], strict=True):
        apart.add((i, j) if scores[:, i].mean() > scores[:, j].mean() else (j, i))
    assert 3 < len(apart) < 15
    assert best.tolist() == [
        1 + sum(loser == i for _, loser in apart) for i in range(6)
    ]
    assert worst.tolist() == [
        6 - sum(winner == i for winner, _ in apart) for i in range(6)
    ]


def test_one_that_is_no_better_is_wrongly_ranked_without_adjustment(monkeypatch):
    monkeypatch.setitem(leaderboards.SAMPLES, "ranks", 30)
    board = "25 equals, 200 items, 0.5 right"
    held = {
        way: leaderboards.EXPERIMENT.run(
            {"table": "ranks", "board": board, "way": way}
        )["held"]
        for way in ("rank_intervals", "unadjusted")
    }
    assert held["rank_intervals"] >= 25
    assert held["unadjusted"] <= 5


def test_the_error_of_a_cluster_sums_over_its_pairs():
    rng = np.random.default_rng(5)
    scores, members = rng.normal(size=30), rng.integers(4, size=30)
    around = scores - scores.mean()
    pairs = [
        (i, j)
        for i in range(30)
        for j in range(30)
        if i != j and members[i] == members[j]
    ]
    total = sum(around[i] * around[j] for i, j in pairs)
    slow = np.sqrt(scores.var(ddof=1) / 30 + total / 30**2)
    assert leaderboards.miller_error(scores, members) == pytest.approx(slow)


def test_intervals_lie_around_the_mean_and_t_is_wider_than_the_normal():
    rng = np.random.default_rng(6)
    right, members = leaderboards.draw_answers([0.5, 0.5], (10,) * 9, 0.1, rng)
    found = leaderboards.intervals(right, members, rng)
    assert tuple(found) == leaderboards.INTERVALS
    width = {name: high - low for name, (low, high) in found.items()}
    assert width["t"] / width["miller"] == pytest.approx(
        stats.t.isf(0.025, 8) / stats.norm.isf(0.025)
    )
    # Of equal groups CR2 is the usual variance between their means.
    gaps = (right[:, 0] - right[:, 1]).reshape(9, 10).mean(axis=1)
    assert found["cr2"] == pytest.approx(
        tuple(stats.ttest_1samp(gaps, 0).confidence_interval())
    )


def test_resemblance_is_that_of_the_groups_drawn():
    rng, sizes = np.random.default_rng(9), np.tile([3, 9, 30], 2000)
    members = np.repeat(np.arange(6000), sizes)
    of_group, own = rng.normal(size=(6000, 2)), rng.normal(size=(members.size, 2))
    shares = np.array([0.15, 0.0])
    scores = np.sqrt(shares) * of_group[members] + np.sqrt(1 - shares) * own
    assert _released.resemblance(scores, members) == pytest.approx(shares, abs=0.01)
    equal = np.repeat(np.arange(6), 4)
    of_groups = [scores[:24][equal == number, 0] for number in range(6)]
    f = stats.f_oneway(*of_groups).statistic
    assert _released.resemblance(scores[:24], equal)[0] == pytest.approx(
        (f - 1) / (f + 3)
    )


# --------------------------------------------------------------------------------------
# The record
# --------------------------------------------------------------------------------------


@grid("table", leaderboards.SAMPLES)
def test_each_simulation_has_as_many_samples_as_it_says(table):
    assert set(load_recorded("leaderboards", table).samples) == {
        leaderboards.SAMPLES[table]
    }


def test_one_contradicted_run_is_not_ranked():
    table = load_recorded("leaderboards", "swebench").set_index("system")
    assert table.ranked.sum() == _released.RANKED
    assert table.index[table.ranked == 0].tolist() == ["Claude 3.7 Sonnet (20250219)"]
    assert (
        table.right[table.ranked == 0] + table["items"][table.ranked == 0]
    ).tolist() == [551]
    ranked = table[table.ranked == 1]
    assert ((ranked.best <= ranked["rank"]) & (ranked["rank"] <= ranked.worst)).all()
    assert (
        ranked["rank"].tolist()
        == ranked.right.rank(ascending=False, method="min").tolist()
    )
    wide = ranked.worst_repositories - ranked.best_repositories
    assert wide.mean() > 2 * (ranked.worst - ranked.best).mean()


def test_few_neighbours_differ_and_most_pairs_do():
    (row,) = load_recorded("leaderboards", "apart").itertuples()
    assert (row.neighbours, row.pairs) == (_released.RANKED - 1, 276)
    assert row.neighbours_apart < 8 < row.pairs_apart


@pytest.mark.slow
@pytest.mark.parametrize("platform", ["leetcode", "atcoder"])
@pytest.mark.parametrize("icc", [0.0, 0.3])
def test_the_interval_of_what_newer_problems_cost_covers_at_the_sizes_of_the_board(
    platform, icc
):
    """As More on leaderboards computes it: a mean on either side of a date, contests
    vary.
    """
    items, _ = boards.livecodebench("generation")
    items = items[items.platform == platform]
    newer = (items.date > boards.cutoffs().max()).to_numpy()
    members = np.unique(items.date, return_inverse=True)[1]
    hardness = np.array([0.0, 0.5])  # of the older problems, of the newer ones
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    means = (weights[:, None] * special.expit(2.5 * nodes[:, None] - hardness)).sum(
        axis=0
    ) / weights.sum()
    rng, n_samples, n_covered = np.random.default_rng(20261127), 500, 0
    for _ in range(n_samples):
        skill = np.sqrt(icc) * rng.normal(size=members.max() + 1)[members]
        skill = skill + np.sqrt(1 - icc) * rng.normal(size=len(items))
        score = rng.binomial(10, special.expit(2.5 * skill - hardness[newer * 1])) / 10
        pairs = [
            part for n in (1.0 * ~newer, 1.0 * newer) for part in ((1 + score) * n, n)
        ]
        interval = ratio_difference(*pairs, members)
        n_covered += interval.low <= means[0] - means[1] <= interval.high
    assert proportion_interval(n_covered, n_samples, confidence_level=0.999).high > 0.95
    assert n_covered / n_samples < 0.985
