"""Ranks of a board, pass@k and pass^k: against R's csranks, paired t tests, brute force
and simulations.
"""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from grids import grid
from scipy import stats

import evalkit as ek

# PISA 2018, mathematics: mean and standard error of each country, as R's csranks ships
# and prints them.
COUNTRIES = {
    "Australia": (491.3600, 1.939833),
    "Austria": (498.9423, 2.970999),
    "Belgium": (508.0703, 2.262662),
    "Canada": (512.0169, 2.357476),
    "Chile": (417.4066, 2.415888),
    "Colombia": (390.9323, 2.989559),
    "Czech Republic": (499.4677, 2.460662),
    "Denmark": (509.3984, 1.735002),
    "Estonia": (523.4146, 1.743602),
    "Finland": (507.3014, 1.967920),
    "France": (495.4076, 2.320214),
    "Germany": (500.0438, 2.647083),
    "Greece": (451.3703, 3.091228),
    "Hungary": (481.0826, 2.319597),
    "Iceland": (495.1874, 1.953083),
    "Ireland": (499.6329, 2.198621),
    "Israel": (463.0345, 3.498563),
    "Italy": (486.5899, 2.780046),
    "Japan": (526.9733, 2.471475),
    "Korea": (525.9330, 3.121394),
    "Latvia": (496.1263, 1.962767),
    "Lithuania": (481.1912, 1.953282),
    "Luxembourg": (483.4215, 1.097632),
    "Mexico": (408.8015, 2.493226),
    "Netherlands": (519.2310, 2.632278),
    "New Zealand": (494.4897, 1.705943),
    "Norway": (500.9638, 2.219045),
    "Poland": (515.6479, 2.602085),
    "Portugal": (492.4874, 2.684570),
    "Slovak Republic": (486.1649, 2.555596),
    "Slovenia": (508.8975, 1.363878),
    "Spain": (481.3926, 1.462418),
    "Sweden": (502.3877, 2.654251),
    "Switzerland": (515.3147, 2.908004),
    "Turkey": (453.5078, 2.260407),
    "United Kingdom": (501.7699, 2.564428),
    "United States": (478.2447, 3.235444),
}
# What csranks prints: who may be among the best five, with 95 % and with 90 %.
AMONG_FIVE = {
    *("Belgium", "Canada", "Denmark", "Estonia", "Finland", "Japan"),
    *("Korea", "Netherlands", "Poland", "Slovenia", "Sweden", "Switzerland"),
}


def items_with(means, covariance, n, rng):
    """Items whose means are these, and whose means' estimated covariance is that."""
    apart = np.linalg.qr(np.c_[np.ones(n), rng.normal(size=(n, len(means)))])[0][:, 1:]
    return means + apart @ np.linalg.cholesky(covariance).T * math.sqrt(n * (n - 1))


def right(rng, n, rates, alike=0.5):
    """Right and wrong answers of systems to items that are hard or easy for all of
    them.
    """
    shared = stats.norm.ppf(rng.random((n, 1)))
    own = rng.normal(size=(n, len(rates)))
    return (
        math.sqrt(alike) * shared + math.sqrt(1 - alike) * own < stats.norm.ppf(rates)
    ).astype(float)


# --------------------------------------------------------------------------------------
# Ranks
# --------------------------------------------------------------------------------------


@grid(("level", "expected"), [(0.95, AMONG_FIVE), (0.9, AMONG_FIVE - {"Sweden"})])
def test_the_published_example_of_csranks(level, expected):
    means, errors = np.array(list(COUNTRIES.values())).T
    items = items_with(means, np.diag(errors**2), 4000, np.random.default_rng(0))
    ranks = ek.rank_intervals(
        pd.DataFrame(items, columns=list(COUNTRIES)), confidence_level=level
    )
    assert set(ranks.table.index[ranks.table.best <= 5]) == expected
    assert ranks.table["rank"].tolist()[:6] == [24, 18, 10, 7, 35, 37]  # its irank()


@grid("grouped", [False, True])
@grid("kind", ["graded", "right or wrong", "per cent"])
def test_pairs_are_those_of_crossed_difference_by_holm(grouped, kind):
    rng, told = np.random.default_rng(3), 0
    for _ in range(5):
        x = right(rng, 90, np.linspace(0.4, 0.95, 6))
        if kind == "graded":
            x = x + rng.normal(0, 0.3, x.shape).round(2)
        x = 100 * x if kind == "per cent" else x
        groups = rng.integers(0, 15, 90) if grouped else None
        pairs = list(itertools.combinations(range(6), 2))
        found = [ek.crossed_difference(x[:, i], x[:, j], groups) for i, j in pairs]
        expected = np.zeros((6, 6), dtype=bool)
        adjusted = ek.holm([one.pvalue for one in found])
        for (i, j), one, p in zip(pairs, found, adjusted, strict=True):
            expected[(i, j) if one.difference > 0 else (j, i)] = p <= 0.05
        ranks = ek.rank_intervals(x, groups)
        assert ranks.effective_groups == found[0].effective_groups
        apart = ranks.apart.to_numpy()
        assert (apart == expected).all()
        told += apart.sum()
    assert 10 < told < 5 * len(pairs)


@grid("grouped", [False, True])
@grid("level", [0.8, 0.95])
def test_those_that_may_be_best_are_beaten_by_none(grouped, level):
    """The first place alone: each is compared with those ahead of it, k - 1 at most."""
    rng, sizes = np.random.default_rng(4), []
    for _ in range(6):
        x = right(rng, 150, np.linspace(0.85, 0.6, 6)[rng.permutation(6)])
        groups = rng.integers(0, 15, 150) if grouped else None
        kept = []
        for i in range(6):
            ahead = (x[:, j] for j in range(6) if x[:, j].mean() > x[:, i].mean())
            found = [ek.crossed_difference(a, x[:, i], groups).pvalue for a in ahead]
            if 5 * min(found, default=1) > 1 - level:
                kept.append(f"system {i}")
        ranks = ek.rank_intervals(x, groups, confidence_level=level)
        assert set(ranks.may_be_best) == set(kept) <= set(ranks.first)
        assert ranks.table["rank"][ranks.may_be_best].is_monotonic_increasing
        turned = ek.rank_intervals(
            1 - x, groups, direction="lower", confidence_level=level
        )
        assert turned.may_be_best == ranks.may_be_best
        sizes.append(len(kept))
    assert min(sizes) < max(sizes)


def test_a_pair_is_compared_whatever_the_others_are():
    """One that diverged on an item blurs no other; a graded one changes no kind."""
    rng = np.random.default_rng(12)
    x = right(rng, 60, [0.5, 0.95])
    alone = ek.rank_intervals(x).apart.to_numpy()
    assert alone.any()
    for other in (rng.normal(size=60), np.where(np.arange(60) == 3, 1e14, 5.0)):
        found = ek.rank_intervals(np.c_[x, other], confidence_level=1 - 0.05 / 3)
        assert (found.apart.to_numpy()[:2, :2] == alone).all()


def test_what_ranks_say_of_each_other():
    x = right(np.random.default_rng(5), 300, np.linspace(0.3, 0.9, 9))
    ranks = ek.rank_intervals(x)
    table, apart = ranks.table, ranks.apart.to_numpy()
    assert (table.best <= table["rank"]).all()
    assert (table["rank"] <= table.worst).all()
    assert not (apart & apart.T).any()
    assert (table.worst - table.best == 8 - apart.sum(axis=0) - apart.sum(axis=1)).all()
    assert ranks.first == table.sort_values("rank").index[: len(ranks.first)].tolist()


def test_direction_and_type_turn_nothing():
    rng = np.random.default_rng(6)
    x = pd.DataFrame(right(rng, 200, np.linspace(0.5, 0.8, 6)), columns=list("uvwxyz"))
    table = ek.rank_intervals(x).table
    errors = ek.rank_intervals(1 - x, direction="lower").table
    coarse = ek.rank_intervals((0.7 * x).astype(np.float32)).table
    for other in (errors, coarse):
        assert other.iloc[:, 1:].equals(table.iloc[:, 1:])


def test_equal_systems_share_a_rank_and_are_never_apart():
    x = right(np.random.default_rng(7), 100, [0.6, 0.9])
    ranks = ek.rank_intervals(np.c_[x, x[:, 0], x[:, 0]])
    assert ranks.table["rank"].tolist() == [2, 1, 2, 2]
    assert ranks.table.best.tolist() == [2, 1, 2, 2]
    assert ranks.table.worst.tolist() == [4, 1, 4, 4]
    same = ek.rank_intervals(np.ones((30, 3))).table
    assert (same["rank"].tolist(), same.best.tolist(), same.worst.tolist()) == (
        [1] * 3,
        [1] * 3,
        [3] * 3,
    )


def test_rounding_makes_no_difference():
    thirds = np.tile([[0.1 + 0.2, 0.3, 0.3], [0.7, 0.1 * 7, 0.7]], (20, 1))
    table = ek.rank_intervals(thirds).table
    assert table["rank"].tolist() == [1, 1, 1]
    assert table.worst.tolist() == [3, 3, 3]


@grid(("n", "apart"), [(5, False), (30, True)])
def test_a_constant_difference_is_held_to_what_equal_systems_would_do(n, apart):
    for x in (np.c_[np.ones(n), np.full(n, 0.5)], np.c_[np.zeros(n), np.full(n, 0.1)]):
        assert ek.rank_intervals(x).apart.to_numpy().any() == apart


@grid(
    ("scores", "message"),
    [
        (np.ones((3, 40)), r"give scores\.T"),
        (pd.DataFrame(np.eye(3), columns=list("aba")), "name each system once"),
        (np.zeros((3000, 2500)), "pairs of systems"),
    ],
)
def test_what_is_no_board_is_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        ek.rank_intervals(scores)


@pytest.mark.slow
@grid(
    ("n", "rates", "sizes"),
    [
        (500, [0.6] * 25, None),
        (100, [0.95] * 10, None),
        (400, np.repeat([0.3, 0.5, 0.7], 8), None),
        (None, [0.6] * 10, (231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1)),
        (None, [0.3] * 37, (5,) * 92),
    ],
)
def test_sets_hold_the_true_ranks_of_all_systems_at_once(n, rates, sizes):
    rng, rates = np.random.default_rng(9), np.asarray(rates)
    groups = None if sizes is None else np.repeat(np.arange(len(sizes)), sizes)
    best = 1 + (rates[:, None] < rates).sum(axis=1)
    worst = len(rates) - (rates[:, None] > rates).sum(axis=1)
    held = 0
    for _ in range(300):
        if groups is None:
            x = right(rng, n, rates)
        else:
            # Each group has a difficulty, and is easier for some systems than for others.
            bent = 0.5 * rng.normal(size=(len(sizes), len(rates)))
            x = (
                rng.normal(size=(groups.size, len(rates))) + bent[groups] < 0.3
            ).astype(float)
        table = ek.rank_intervals(x, groups).table
        held += bool(((table.best <= best) & (table.worst >= worst)).all())
    # 95 %, less three Monte Carlo errors of 300 samples.
    assert held / 300 >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 300)


# --------------------------------------------------------------------------------------
# Several answers to a problem
# --------------------------------------------------------------------------------------


def by_choices(n_right, n_answers, k, rule):
    answers = [True] * n_right + [False] * (n_answers - n_right)
    return np.mean([rule(chosen) for chosen in itertools.combinations(answers, k)])


@grid(("function", "rule"), [(ek.pass_at_k, any), (ek.pass_hat_k, all)])
def test_rates_are_those_of_all_choices(function, rule):
    rights, answers = [0, 1, 2, 3, 5, 5, 4], [3, 5, 4, 3, 5, 6, 5]
    for k in (1, 2, 3):
        expected = np.mean(
            [by_choices(c, n, k, rule) for c, n in zip(rights, answers, strict=True)]
        )
        result = function(rights, answers, k)
        assert result.rate == pytest.approx(expected, rel=1e-12)
        assert result.low < result.rate < result.high
        assert (result.k, result.n_problems) == (k, 7)


def test_many_answers_lose_no_digits():
    exact = 1 - math.comb(900, 100) / math.comb(1000, 100)
    assert ek.pass_at_k([100, 100], 1000, 100).rate == pytest.approx(exact, rel=1e-12)
    exact = math.comb(999, 500) / math.comb(1000, 500)
    assert ek.pass_hat_k([999, 999], 1000, 500).rate == pytest.approx(exact, rel=1e-11)


def test_one_answer_each_is_a_share():
    found = ek.pass_at_k([1] * 500 + [0] * 500, 1, 1)
    assert [*found] == pytest.approx([*ek.proportion_interval(500, 1000)], abs=1e-4)


@grid("few", [1, 2, 4])
def test_passing_is_failing_turned_over(few):
    passed = np.r_[np.full(few, 9), np.full(60 - few, 10)]
    passes, fails = (ek.pass_at_k(c, 10, 1) for c in (passed, 10 - passed))
    assert (passes.low, passes.high) == pytest.approx((1 - fails.high, 1 - fails.low))


def test_where_all_pass_the_interval_is_that_of_the_problems():
    result = ek.pass_hat_k([4] * 50, 4, 4)
    assert result.rate == result.high == 1
    assert result.low == pytest.approx(ek.proportion_interval(50, 50).low)
    assert (
        str(result) == "pass^4 100.0\u00a0% (92.9\u00a0% to 100.0\u00a0%), 50 problems"
    )


def test_problems_in_groups_are_those_of_group_interval():
    rights, groups = [1, 0, 1, 1, 0, 1, 0, 0, 1, 1], [0, 0, 1, 1, 2, 3, 4, 4, 5, 5]
    grouped = ek.group_interval(rights, groups)
    result = ek.pass_at_k(rights, 1, 1, groups)
    assert tuple(result) == pytest.approx(tuple(grouped))
    assert result.effective_groups == grouped.effective_groups


@grid(
    ("arguments", "message"),
    [
        (([1, 2], 1, 1), "right must be at most answers, but 1 of 2"),
        (([1, 0], [3, 1], 2), "k must be at most the answers to each problem, but 2"),
        (([0.5, 1], 2, 1), "right must be counts"),
        (([1, -1], 2, 1), "right must be counts"),
        (([1], 2, 1), "at least two problems"),
        (([1, 1, 1], [2, 2], 1), "right and answers must be paired"),
        (([1, 1], 2, 1, [1, 2, 3]), "right and groups must be paired"),
    ],
)
def test_counts_that_cannot_be_are_refused(arguments, message):
    for function in (ek.pass_at_k, ek.pass_hat_k):
        with pytest.raises(ValueError, match=message):
            function(*arguments)


@pytest.mark.slow
@grid("n", [50, 182, 400])
@grid("skill", [(0.3, 0.3), (0.5, 20), (5, 0.2), (8, 0.05)])
@grid("k", [1, 5])
def test_intervals_hold_the_rate_of_all_such_problems(n, skill, k):
    """Problems whose chance of a right answer is a beta's, from all or nothing to
    nearly always right.
    """
    rng = np.random.default_rng(n + k)
    for function in (ek.pass_at_k, ek.pass_hat_k):
        failing = function is ek.pass_at_k
        a, b = skill[::-1] if failing else skill
        moment = math.exp(
            math.lgamma(a + k)
            + math.lgamma(a + b)
            - math.lgamma(a)
            - math.lgamma(a + b + k)
        )
        truth = 1 - moment if failing else moment
        held = 0
        for _ in range(400):
            rights = rng.binomial(10, rng.beta(*skill, size=n))
            held += truth in function(rights, 10, k)
        assert held / 400 >= 0.93 - 2 * math.sqrt(0.05 * 0.95 / 400)
