"""Chapter 3's explorer: each budget's best, and who wins, by sums over the scores in
order.
"""

import math
import statistics

import numpy as np
import pytest
from by_hand import recorded
from chapter_explorers import chapter_explorer
from duels import chance_ahead
from grids import grid

import evalkit as ek
from evalkit import explore

NETWORKS = {"LSTM": "lstm", "bag-of-words MLP": "mlp"}
RUNS = {
    name: recorded("pools/search.csv", system=system)
    for name, system in NETWORKS.items()
}
POOLS = {
    name: [float(run["validation"]) for run in runs] for name, runs in RUNS.items()
}
TESTS = {name: [float(run["test"]) for run in runs] for name, runs in RUNS.items()}
SECONDS = {
    name: statistics.fmean(float(run["seconds"]) for run in runs)
    for name, runs in RUNS.items()
}


BANDS = (
    "Bands are 95\xa0% intervals over settings and seeds, of each budget alone, up to a"
    " fifth of the trials"
)
FEW = " A band, of 95\xa0% intervals, takes 30 runs of a system."


def chosen_on(validation, n):
    """With what chance each run is the best of n drawn without replacement: equals
    share it.
    """
    order = sorted(range(len(validation)), key=validation.__getitem__)
    chances = dict(
        zip(
            order,
            (math.comb(i, n - 1) / math.comb(len(order), n) for i in range(len(order))),
            strict=True,
        )
    )
    equals = {
        score: [i for i in order if validation[i] == score] for score in set(validation)
    }
    return [statistics.fmean(chances[i] for i in equals[score]) for score in validation]


def curve(scores, cost, last):
    """Budgets and what they buy."""
    counts = range(1, min(int(last / cost), len(scores)) + 1)
    return [(cost * n, ek.expected_max(scores, n)) for n in counts]


def check_rows(rows, curves, cursor):
    assert list(rows) == ["budget", "system", "best", "low", "high", "cursor"]
    for name, points in curves.items():
        found = rows[rows.system == name]
        np.testing.assert_allclose(found[["budget", "best"]], points)
    assert len(rows) == sum(map(len, curves.values()))
    np.testing.assert_allclose(rows.cursor, cursor)


@grid("trials", [2, 10])
def test_equal_seconds_of_the_recorded_searches(trials):
    shown = chapter_explorer("tuning").show(
        unit="seconds", scores="validation", trials=trials
    )
    lstm, mlp = POOLS.values()
    budget, last = (n * SECONDS["LSTM"] for n in (trials, 15))
    check_rows(
        shown.rows,
        {name: curve(pool, SECONDS[name], last) for name, pool in POOLS.items()},
        budget,
    )
    bought = int(budget / SECONDS["bag-of-words MLP"])
    chance = chance_ahead(lstm, mlp, trials, n_b=bought)
    winner = "LSTM" if chance > 0.5 else "bag-of-words MLP"
    assert (
        shown.sentence
        == f"With {budget:.3g} seconds each, enough for {trials} of the LSTM and"
        f" {bought} of the bag-of-words MLP, the expected best is"
        f" {ek.expected_max(lstm, trials):.3f} for the LSTM and"
        f" {ek.expected_max(mlp, bought):.3f} for the bag-of-words MLP. In one"
        f" comparison of that size the {winner} wins with probability"
        f" {100 * max(chance, 1 - chance):.0f}\xa0%."
        f" {BANDS}{'; here there is none for the bag-of-words MLP' * (bought > 40)}."
    )


@grid("trials", [1, 7])
def test_on_test_counts_the_run_that_validation_chooses(trials):
    shown = chapter_explorer("tuning").show(unit="trials", scores="test", trials=trials)
    best, chances = {}, {}
    for name in NETWORKS:
        chances[name] = np.array(chosen_on(POOLS[name], trials))
        best[name] = float(chances[name] @ TESTS[name])
        found = shown.rows[(shown.rows.system == name) & (shown.rows.budget == trials)]
        assert found.best.item() == pytest.approx(best[name])
        ends = ek.expected_max_interval(POOLS[name], trials, test=TESTS[name])
        assert (found.low.item(), found.high.item()) == pytest.approx(tuple(ends))
    lstm, mlp = (np.array(TESTS[name]) for name in NETWORKS)
    ahead = (mlp[:, None] > lstm) + (mlp[:, None] == lstm) / 2
    chance = chances["bag-of-words MLP"] @ ahead @ chances["LSTM"]
    assert chance > 0.5
    times = "1 trial" if trials == 1 else f"{trials} trials"
    (on_lstm, on_mlp), winner = best.values(), "bag-of-words MLP"
    assert (
        shown.sentence
        == f"With {times} each, the best on validation is expected to score, on test,"
        f" {on_lstm:.3f} for the LSTM and {on_mlp:.3f} for the bag-of-words MLP. In"
        f" one comparison of that size the {winner} wins with probability"
        f" {100 * chance:.0f}\xa0%. {BANDS}."
    )


def test_a_band_ends_at_a_fifth_of_the_trials():
    rows = (
        chapter_explorer("tuning").show(unit="seconds", scores="test", trials=10).rows
    )
    counts = (
        rows.assign(has=rows.low.notna()).groupby("system").has.agg(["sum", "size"])
    )
    assert counts.loc["LSTM"].tolist() == [15, 15]
    assert counts.loc["bag-of-words MLP"].tolist() == [
        40,
        int(15 * SECONDS["LSTM"] / SECONDS["bag-of-words MLP"]),
    ]
    assert ((rows.low <= rows.best) & (rows.best <= rows.high) | rows.low.isna()).all()
    own = explore.tuning({name: pool[:30] for name, pool in POOLS.items()}).show(
        trials=7
    )
    assert own.rows.low.notna().sum() == 2 * 6
    assert own.sentence.endswith("; here there is none for LSTM and bag-of-words MLP.")


def test_the_last_budget_of_the_page_can_be_paid_and_no_more():
    shown = chapter_explorer("tuning").show(unit="seconds", trials=15)
    assert "wins with probability" in shown.sentence
    # A kernel does not offer it, but may ask.
    more = chapter_explorer("tuning").show(unit="seconds", trials=17).sentence
    assert more.endswith(
        "of the bag-of-words MLP: the bag-of-words MLP has only 200 runs."
    )


OWN = {"old": [3.0, 1.0, 2.5, 4.0, 4.0], "new": [2.0, 4.0, 1.5]}


@grid("minimize", [False, True])
@grid("trials", [1, 3])
def test_searches_of_ones_own_by_trials(trials, minimize):
    sign = -1 if minimize else 1
    signed = {name: [sign * score for score in scores] for name, scores in OWN.items()}
    shown = explore.tuning(OWN, minimize=minimize).show(trials=trials)
    curves = {
        name: [(n, sign * best) for n, best in curve(scores, 1, 3)]
        for name, scores in signed.items()
    }
    check_rows(shown.rows, curves, trials)
    old, new = (curves[name][trials - 1][1] for name in ("old", "new"))
    chance = chance_ahead(signed["old"], signed["new"], trials, n_b=trials)
    winner = "old" if chance >= 0.5 else "new"
    times = "1 trial" if trials == 1 else f"{trials} trials"
    assert shown.sentence == (  # the scores spread over 3
        f"With {times} each, the expected best is {old:.2f} for old and {new:.2f} for"
        f" new. In one comparison of that size {winner} wins with probability"
        f" {100 * max(chance, 1 - chance):.0f}\xa0%.{FEW}"
    )


def test_searches_of_ones_own_by_seconds():
    explorer = explore.tuning(OWN, seconds={"old": 2, "new": 5})
    shown = explorer.show(unit="seconds", trials=5)
    curves = {"old": curve(OWN["old"], 2, 10), "new": curve(OWN["new"], 5, 10)}
    check_rows(shown.rows, curves, 10)
    chance = chance_ahead(OWN["old"], OWN["new"], 5, n_b=2)
    assert (
        shown.sentence
        == "With 10 seconds each, enough for 5 of old and 2 of new, the expected best"
        f" is {curves['old'][-1][1]:.2f} for old and {curves['new'][-1][1]:.2f} for"
        " new. In one comparison of that size old wins with probability"
        f" {100 * chance:.0f}\xa0%.{FEW}"
    )
    shown = explorer.show(unit="seconds", trials=2)
    check_rows(shown.rows, curves, 4)
    assert (
        shown.sentence
        == "With 4 seconds each, enough for 2 of old and 0 of new: new cannot pay for"
        " one trial."
    )
    shown = explorer.show(unit="trials", trials=4)
    assert shown.sentence == "With 4 trials each: new has only 3 runs."
    short = explore.tuning({"a": [0.5, 0.6, 0.7], "b": [0.5]}, seconds={"a": 1, "b": 1})
    assert (
        short.show(unit="trials", trials=2).sentence
        == "With 2 trials each: b has only 1 run."
    )


def test_a_budget_of_six_prices_buys_six_whatever_the_rounding():
    scores = {"a": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "b": [0.3] * 6}
    rows = (
        explore.tuning(scores, seconds={"a": 0.7, "b": 0.7})
        .show(unit="seconds", trials=6)
        .rows
    )
    assert rows.groupby("system").size().tolist() == [6, 6]
    assert rows.budget.max() == rows.cursor[0]


def test_a_system_that_can_never_pay_has_no_curve_and_keeps_its_colour():
    explorer = explore.tuning(
        {"dear": [0.5, 0.6], "cheap": [0.3, 0.4]}, seconds={"dear": 1, "cheap": 9}
    )
    shown = explorer.show(unit="seconds", trials=2)
    assert set(shown.rows.system) == {"dear"}
    line = explorer.spec(shown.rows)["layer"][2]["encoding"]
    assert line["color"]["scale"]["domain"] == ["dear", "cheap"]


def test_names_may_be_any_words_or_numbers():
    explorer = explore.tuning({1: [0.5, 0.6], 2.5: [0.3, 0.4]}, seconds={2.5: 1, 1: 2})
    assert explorer.controls[1].label == "Trials of 1"
    assert (
        "2 of 1 and 4 of 2.5: 2.5 has only 2 runs."
        in explorer.show(unit="seconds", trials=2).sentence
    )
    (trials,) = explore.tuning(OWN).controls
    assert (trials.values, trials.live, trials.label) == (
        (1, 2, 3),
        range(1, 4),
        "Trials of old",
    )
