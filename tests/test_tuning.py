"""A search records what it did; budgets are compared by what they buy."""

import math
import time
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from duels import chance_ahead
from grids import grid
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from whole import reported

import evalkit as ek
from evalkit import tuning
from evalkit.results import Trials
from evalkit.tuning import winner_by_budget

SPACE = {
    "x": stats.uniform(-2, 4),
    "y": stats.loguniform(1e-3, 1e3),
    "k": ["a", "b", "c"],
    "n": stats.randint(3, 9),
}
LISTS = {"x": [-1, 0, 1], "k": ["a", "b"]}


def bowl(setting):
    return -(setting["x"] ** 2) - (setting["k"] != "b")


# --------------------------------------------------------------------------------------
# Searching
# --------------------------------------------------------------------------------------


@grid("method", ["random", "guided"])
def test_settings_come_from_the_space(method):
    table = ek.search(bowl, SPACE, method=method, n_trials=40, rng=0).table
    assert table.x.between(-2, 2).all()
    assert table.y.between(1e-3, 1e3).all()
    assert set(table.k) <= set("abc")
    assert set(table.n) <= set(range(3, 9))
    assert all(isinstance(n, (int, np.integer)) for n in table.n)
    assert list(table.columns) == [
        "x",
        "y",
        "k",
        "n",
        "score",
        "seconds",
        "stages",
        "pruned",
    ]
    assert (table.score == [bowl(row) for row in table.to_dict("records")]).all()


def test_random_search_draws_from_the_distributions():
    table = ek.search(lambda s: 0.0, SPACE, n_trials=4000, rng=1).table
    assert stats.kstest(table.x, stats.uniform(-2, 4).cdf).pvalue > 0.001
    assert stats.kstest(np.log10(table.y), stats.uniform(-3, 6).cdf).pvalue > 0.001
    assert stats.chisquare(table.k.value_counts()).pvalue > 0.001
    assert stats.chisquare(table.n.value_counts()).pvalue > 0.001


def test_grid_tries_each_setting_once():
    trials = ek.search(bowl, LISTS, method="grid", rng=3)
    assert sorted(zip(trials.table.x, trials.table.k, strict=True)) == sorted(
        (x, k) for x in (-1, 0, 1) for k in "ab"
    )
    assert trials.best.x == 0
    assert trials.best.k == "b"
    part = ek.search(bowl, LISTS, method="grid", n_trials=2, rng=3)
    assert part.table.drop(columns="seconds").equals(
        trials.table.drop(columns="seconds")[:2]
    )


@grid("method", ["random", "grid", "guided"])
def test_same_rng_same_search(method):
    space = LISTS if method == "grid" else SPACE
    a, b, other = (
        ek.search(bowl, space, method=method, n_trials=5, rng=rng).table.drop(
            columns="seconds"
        )
        for rng in (1, 1, 2)
    )
    assert a.equals(b)
    assert not a.equals(other)


def test_guided_search_learns():
    def distance(setting):
        return abs(setting["x"] - 1.234) + abs(math.log10(setting["y"]))

    ends = {
        method: [
            ek.search(
                distance,
                {k: SPACE[k] for k in "xy"},
                method=method,
                n_trials=40,
                minimize=True,
                rng=i,
            ).best.score
            for i in range(8)
        ]
        for method in ("random", "guided")
    }
    assert np.median(ends["guided"]) < np.median(ends["random"])


def test_guided_search_learns_from_the_final_score():
    def misleading(setting):
        yield -bowl(setting)
        yield bowl(setting)

    found, again = (
        ek.search(objective, SPACE, method="guided", n_trials=25, rng=0).table
        for objective in (bowl, misleading)
    )
    assert again[["x", "y", "k", "n", "score"]].equals(
        found[["x", "y", "k", "n", "score"]]
    )


def test_best_so_far_and_best():
    scores = iter([3.0, 5.0, 4.0, 5.0, 9.0])
    trials = ek.search(
        lambda s: next(scores), {"x": [1, 2, 3, 4, 5]}, method="grid", rng=0
    )
    assert trials.best_so_far.tolist() == [3, 5, 5, 5, 9]
    assert trials.best.score == 9


def test_a_pruned_trial_is_no_score_of_0():
    trials = Trials(table_of([math.nan, -0.5], [True, False]), "random", False)
    assert trials.best_so_far.tolist() == [-math.inf, -0.5]
    assert trials.best.x == 1


@grid("method", ["random", "grid", "guided"])
@grid("prune_after", [None, 1])
def test_a_search_for_losses_is_the_search_for_their_negative(method, prune_after):
    def losing(setting):
        return (-score for score in staged(setting))

    found, dual = (
        ek.search(
            objective,
            {"x": list(range(100))},
            method=method,
            n_trials=40,
            prune_after=prune_after,
            minimize=minimize,
            rng=3,
        )
        for objective, minimize in ((staged, False), (losing, True))
    )
    assert dual.table.score.tolist() == (-found.table.score).tolist()
    assert dual.table[["x", "stages", "pruned"]].equals(
        found.table[["x", "stages", "pruned"]]
    )
    assert dual.best_so_far.tolist() == (-found.best_so_far).tolist()
    assert dual.best.x == found.best.x


def test_independence_is_known():
    assert ek.search(bowl, SPACE, n_trials=3, rng=0).independent
    assert not ek.search(bowl, LISTS, method="grid", rng=0).independent
    assert not ek.search(bowl, SPACE, method="guided", n_trials=3, rng=0).independent


def staged(setting):
    """Ten stages that rise to x, so that a low x can be seen early."""
    for stage in range(1, 11):
        yield setting["x"] * stage / 10


@grid("method", ["random", "grid", "guided"])
def test_pruning_stops_the_hopeless_and_keeps_the_best(method):
    space = {"x": list(range(100))}
    trials = ek.search(staged, space, method=method, n_trials=60, prune_after=1, rng=0)
    table = trials.table
    assert table.pruned.any()
    assert not trials.independent
    assert (table.stages[~table.pruned] == 10).all()
    assert (table.stages[table.pruned] < 10).any()
    # Curves here never cross, so nothing that would have won is lost.
    assert trials.best.x == table.x.max()


def test_pruning_waits_for_its_stage():
    table = ek.search(
        staged,
        {"x": list(range(100))},
        method="grid",
        n_trials=60,
        prune_after=4,
        rng=0,
    ).table
    assert table.pruned.any()
    assert set(table.stages[table.pruned]) == {4}


def test_pruning_begins_with_the_sixth_trial():
    curves = iter([[score, score] for score in (5.0, 4.0, 3.0, 2.0, 1.0, 0.0, 9.0)])
    space = {"x": list(range(7))}
    trials = ek.search(
        lambda s: iter(next(curves)), space, method="grid", prune_after=1, rng=0
    )
    assert trials.table.pruned.tolist() == [False] * 5 + [True, False]
    assert trials.table.stages.tolist() == [2] * 5 + [1, 2]


def test_generator_without_pruning_runs_to_its_end():
    assert (
        ek.search(staged, {"x": [1, 2]}, method="grid", rng=0).table.stages == 10
    ).all()


@grid("wrong", [math.nan, math.inf, None, "0.5", True])
def test_a_failed_trial_is_not_dropped(wrong):
    with pytest.raises(
        (TypeError, ValueError),
        match=r"^objective must return finite numbers, for \{'x': 1\}",
    ):
        ek.search(lambda s: wrong, {"x": [1]}, method="grid")


def test_seconds_are_those_of_each_objective():
    waits = iter([0.0, 0.05, 0.0])
    start = time.perf_counter()
    seconds = ek.search(
        lambda s: time.sleep(next(waits)) or 1.0, {"x": [1, 2, 3]}, method="grid"
    ).table.seconds
    assert seconds.sum() <= time.perf_counter() - start
    assert (seconds >= [0, 0.05, 0]).all()


@grid(("quantile", "place"), [(0.0, 0), (0.3, 1), (0.6, 2), (1 - 2**-53, 3)])
def test_every_quantile_is_a_value(quantile, place):
    assert tuning._value(["a", "b", "c", "d"], quantile) == "abcd"[place]
    assert tuning._value(stats.randint(3, 7), quantile) == 3 + place
    assert math.isfinite(tuning._value(stats.norm(), quantile))


def test_objective_that_yields_nothing():
    with pytest.raises(ValueError, match="^objective must yield"):
        ek.search(lambda s: iter(()), {"x": [1]}, method="grid")


def test_objective_cannot_change_the_record():
    def spoil(setting):
        setting["x"] = 99
        return 1.0

    assert ek.search(spoil, {"x": [1]}, method="grid").table.x.tolist() == [1]


# --------------------------------------------------------------------------------------
# Who wins
# --------------------------------------------------------------------------------------

STEADY, WILD = [0.6, 0.61, 0.62, 0.63], [0.1, 0.2, 0.3, 0.9]


def test_seconds_buy_trials():
    table = winner_by_budget(
        {"steady": STEADY, "wild": WILD},
        [0.5, 1, 4, 12, 13.5],
        seconds={"steady": 1.0, "wild": 4.0},
    )
    assert table["n steady"].tolist() == [0, 1, 4, 12, 13]
    assert table["n wild"].tolist() == [0, 0, 1, 3, 3]
    assert pd.isna(table.ahead[0.5])
    assert table.ahead.tolist()[1:3] == ["steady", "steady"]
    assert table.probability[4] == pytest.approx(chance_ahead(STEADY, WILD, 4, n_b=1))
    # More than there are: who is ahead is not known.
    assert math.isnan(table["best steady"][12])
    assert pd.isna(table.ahead[12])
    assert math.isnan(table.probability[12])


def test_searches_may_be_given_whole():
    a = ek.search(bowl, SPACE, n_trials=20, rng=0)
    b = ek.search(bowl, SPACE, n_trials=20, rng=1)
    whole = winner_by_budget({"a": a, "b": b}, [1, 5])
    assert whole.equals(
        winner_by_budget({"a": a.table.score, "b": b.table.score}, [1, 5])
    )


@grid(
    ("kind", "options"),
    [
        ("grid", {"method": "grid"}),
        ("guided", {"method": "guided"}),
        ("pruned", {"prune_after": 1}),
    ],
)
def test_dependent_trials_are_refused(kind, options):
    a = ek.search(staged, {"x": list(range(100))}, n_trials=40, rng=0, **options)
    with pytest.raises(
        ValueError, match=f"^pools must .*; a: .* trials of a {kind} search"
    ):
        winner_by_budget({"a": a, "b": STEADY}, [1])


# --------------------------------------------------------------------------------------
# Trials
# --------------------------------------------------------------------------------------


def test_trials_print_and_count():
    trials = ek.search(bowl, LISTS, method="grid", rng=0)
    assert len(trials) == 6
    assert str(trials).startswith(
        "6 trials of a grid search (0 pruned); best 0 at x=0, k=b"
    )


# --------------------------------------------------------------------------------------
# Against whole numbers
# --------------------------------------------------------------------------------------


def exact_best(whole, n, minimize):
    """The expected best of n different ones, as a fraction."""
    ordered = sorted(whole.tolist(), reverse=minimize)
    ways = [math.comb(i, n - 1) for i in range(len(ordered))]
    return Fraction(sum(w * x for w, x in zip(ways, ordered, strict=True)), sum(ways))


def of_pools(n):
    return st.integers(1, 4).map(lambda size: (n, size))


@settings(max_examples=100)
@given(reported(of_pools(3), signed=True), st.booleans(), st.data())
def test_who_is_ahead_is_who_the_whole_numbers_say(scores, minimize, data):
    scores, whole, unit = scores
    # One pool in float32 makes all no better than that.
    kinds = st.sampled_from([np.float64, np.float32])
    turned = [
        np.array(data.draw(st.permutations(list(pool / unit))), dtype=data.draw(kinds))
        for pool in whole
    ]
    pools = dict(zip("abc", turned, strict=True))
    budgets = range(1, scores.shape[1] + 1)
    table = winner_by_budget(pools, budgets, minimize=minimize)
    for n in budgets:
        best = {
            name: exact_best(of, n, minimize)
            for name, of in zip("abc", whole, strict=True)
        }
        # Stable.
        ranked = sorted(best, key=lambda name: best[name] if minimize else -best[name])
        assert table.ahead[n] == ranked[0]
        assert [table[f"best {name}"][n] for name in best] == pytest.approx(
            [float(exact / unit) for exact in best.values()], rel=1e-6, abs=1e-6 / unit
        )
        one, other = (whole["abc".index(name)].tolist() for name in ranked[:2])
        best_of, sign = (min, -1) if minimize else (max, 1)
        duels = [
            sign * np.sign(best_of(some) - best_of(others))
            for some in combinations(one, n)
            for others in combinations(other, n)
        ]
        assert table.probability[n] == pytest.approx((1 + np.mean(duels)) / 2)


@given(
    cents=st.integers(101, 199),
    price=st.integers(1, 9999),
    exact=st.booleans(),
    kinds=st.tuples(*[st.sampled_from([np.float64, np.float32])] * 2),
)
def test_money_buys_what_whole_numbers_buy(cents, price, exact, kinds):
    cents = cents % 100 * price if exact else cents
    budgets, cost = np.array([cents / 100], dtype=kinds[0]), kinds[1](price / 100)
    table = winner_by_budget(
        {"a": STEADY, "b": WILD}, budgets, seconds={"a": cost, "b": 1.0}
    )
    assert table["n a"].tolist() == [cents // price]


@given(reported(st.tuples(st.integers(1, 9)), signed=True), st.booleans(), st.data())
def test_the_best_trial_is_that_of_the_whole_numbers(scores, minimize, data):
    scores, whole, _ = scores
    noise = data.draw(
        st.lists(st.sampled_from([-1, 0, 1]), min_size=len(whole), max_size=len(whole))
    )
    # Added up in another order.
    scores = scores + np.spacing(scores) * (scores != 0) * np.array(noise)
    pruned = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(whole), max_size=len(whole)))
    )
    trials = Trials(table_of(scores, pruned), "random", minimize)
    left = [(-w if minimize else w, -i) for i, w in enumerate(whole) if not pruned[i]]
    if left:
        assert trials.best.x == -max(left)[1]
    else:
        with pytest.raises(
            ValueError, match="^table must hold a trial that was not pruned"
        ):
            trials.best  # noqa: B018
        assert "all pruned" in str(trials)


# --------------------------------------------------------------------------------------
# What is refused
# --------------------------------------------------------------------------------------


def table_of(scores, pruned=False):
    return pd.DataFrame(
        {
            "x": range(len(scores)),
            "score": scores,
            "seconds": 0.0,
            "stages": 1,
            "pruned": pruned,
        }
    )


@grid(
    ("changed", "message"),
    [
        (
            {"table": table_of([0.5, math.nan])},
            "^table must have a finite score for each trial.* = nan",
        ),
        ({"table": table_of([0.5, -math.inf])}, "^table must have a finite score"),
        ({"table": table_of(["a"])}, "^table must have a finite score"),
        ({"table": table_of([])}, "^table must have a row"),
        (
            {"table": table_of([0.5]).drop(columns="pruned")},
            "^table must have the columns .*; pruned is not",
        ),
        (
            {"table": table_of([0.5], pruned=2)},
            "^table must say True or False under pruned",
        ),
        ({"table": [[0.5]]}, "^table must be a DataFrame"),
        ({"method": "halving"}, "^method must be one of"),
        ({"method": None}, "^method must be one of"),
        ({"minimize": 1}, "^minimize must be"),
    ],
)
def test_trials_that_are_none_are_refused(changed, message):
    arguments = {
        "table": table_of([0.5, 0.6]),
        "method": "random",
        "minimize": False,
    } | changed
    with pytest.raises((TypeError, ValueError), match=message):
        Trials(**arguments)


def test_three_trials_of_an_enormous_grid():
    space = {f"x{i}": range(100) for i in range(20)}
    table = ek.search(lambda s: 1.0, space, method="grid", n_trials=3, rng=0).table
    assert len(table.drop_duplicates(list(space))) == 3
    drawn = tuning._combinations([1000, 1001], 20_000, np.random.default_rng(0))
    assert len(set(drawn)) == 20_000


@grid(
    ("changed", "message"),
    [
        (
            {"space": {"x": range(10_000), "y": range(10_000)}, "n_trials": None},
            "^space has 100,000,000 comb",
        ),
        ({"space": {"x": range(10**9)}}, "^space has 1,000,000,000 values of x"),
        (
            {"space": {"x": range(1_000_001)}, "method": "random"},
            "^space has 1,000,001 values of x",
        ),
        (
            {"space": {"x": range(100_001)}, "n_trials": None},
            "^space has 100,001 combinations",
        ),
        ({"method": "random", "n_trials": 100_001}, "^n_trials is 100,001, "),
        ({"method": "guided", "n_trials": 1001}, "^n_trials is 1,001, "),
        (
            {"method": "guided", "space": {"x": range(1001)}},
            "^space has 1,001 values of x",
        ),
        ({"space": {"x": iter([1, 2])}}, "^space must give x a list"),
        ({"space": {"x": {"a": 1}}}, "^space must give x a list"),
        ({"space": {"x": {1, 2}}}, "^space must give x a list"),
        ({"method": "random", "n_trials": 10**9}, "^n_trials is 1,000,000,000"),
        (
            {"method": "random", "space": {"x": stats.norm(math.nan)}},
            "^space must give x a distribution",
        ),
    ],
)
def test_spaces_and_numbers_that_no_search_ends_with_are_refused_at_once(
    changed, message
):
    with pytest.raises((TypeError, ValueError), match=message):
        ek.search(
            **{
                "objective": lambda s: 1.0,
                "space": {"x": [1]},
                "method": "grid",
                "n_trials": 3,
            }
            | changed
        )


def test_values_may_be_tuples_of_any_length():
    layers = [(64,), (64, 64), ()]
    assert set(
        ek.search(lambda s: 1.0, {"layers": layers}, method="grid").table.layers
    ) == set(layers)
