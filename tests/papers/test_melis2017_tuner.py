"""Every judge of Melis et al. that reads searches, on made-up rows, for each word it can say."""

import numpy as np
import pytest
from melis_rows import CELLS, cells, normal, of_each_cell, places, reaching, row, search, seeds, trials

from evalkit.papers.judging import MissingRunsError
from evalkit.papers.melis2017 import audit
from evalkit.papers.melis2017.claims.tuner import JUDGES
from evalkit.papers.rows import Rows

REPLICATED, SMALLER, NOT, OPEN = "replicated", "replicated, smaller", "not replicated", "inconclusive"
CASES = []


def add(claim, verdict, shown, rows):
    CASES.append(pytest.param(claim, verdict, shown, rows, id=f"{claim}-{verdict}-{len(CASES)}"))


# ---------------------------------------------------------------------------------------------
# Guided, random, and on a grid
# ---------------------------------------------------------------------------------------------


def gridded(losses):
    return [
        row("grid", {"validation": v, "test": v, "processor": 8.0}, place=i) for i, v in enumerate(losses)
    ]


def searched(bests):
    return [search(i, reaching(5, best)) for i, best in enumerate(bests)]


LSTM = cells()[:600]


def against_grid(bests, grid=5.0):
    return searched(bests) + gridded(np.full(100, grid)) + LSTM


BEATS = "guided-beats-grid"
# A random search of 30 of evenly spread places comes to within 1 / 31 of the range.
add(BEATS, REPLICATED, "guided 4.500, grid 5.000, random 5.031", against_grid(normal(6, 4.5)))
add(BEATS, SMALLER, "", against_grid(normal(6, 4.997, 1e-4)))
add(BEATS, NOT, "", against_grid(normal(6, 5.5)))
add(BEATS, NOT, "", against_grid(np.full(6, 5.0)))
add(BEATS, OPEN, "", against_grid(normal(6, 4.9, 0.3)))
# Surely better than a grid whose cells are known, and not than a hundred that scatter as these do.
SCATTERED = np.r_[4.0, np.full(99, 5.5)]
add(BEATS, OPEN, "", searched(normal(6, 4.9)) + gridded(SCATTERED) + LSTM)


def until(reached, share, cell="lstm"):
    """Searches that come near the best at these trials, and so many percent of a grid that do."""
    return (
        [search(i, reaching(at), cell) for i, at in enumerate(reached)]
        + gridded(np.where(np.arange(100) < share, 5.0, 7.0))
        + seeds(cell=cell)
        + LSTM
    )


GRID = "tuner-cheaper-than-grid"
add(GRID, REPLICATED, "guided 4.5 of 6 searches (4, 4, 4, 5, 5, 5), grid 34.3", until([4, 4, 4, 5, 5, 5], 2))
# No cell of a hundred: the estimate is the least that this is compatible with.
add(GRID, REPLICATED, "grid 18.8 (18.8 to inf)", until([4, 4, 4, 5, 5, 5], 0))
add(GRID, NOT, "guided 31.0 of 6 searches (31", until([0] * 6, 60))
add(GRID, OPEN, "", until([0] * 6, 0))
add(GRID, OPEN, "", until([2, 4, 9, 12, 25, 0], 6))


def costs(reached, shares, wide):
    """Searches of three cells; such shares of their pools come near the best, and not far from it."""
    rows = []
    for cell, share, share_wide in zip(CELLS, shares, wide, strict=True):
        rank = places(600)
        losses = np.select([rank < share, rank < share_wide], [5.0, 5.07], 7.0)
        rows += trials("pool", losses, cell=cell) + seeds(cell=cell)
        rows += [search(i, reaching(at), cell) for i, at in enumerate(reached)]
    return rows


CHEAPER = "cheaper-evaluation"
FAST, SLOW = [4, 4, 4, 5, 5, 5], [0] * 6
add(CHEAPER, REPLICATED, "The LSTM, of which 40%", costs(FAST, [0.2, 0.02, 0.04], [0.4, 0.02, 0.04]))
add(CHEAPER, NOT, "", costs(SLOW, [0.2, 0.6, 0.5], [0.9, 0.6, 0.7]))
add(CHEAPER, OPEN, "The LSTM, of which 90%", costs(FAST, [0.02, 0.04, 0.04], [0.9, 0.04, 0.05]))
# All are equally sensitive: one is held against itself.
add(CHEAPER, OPEN, "1.00 (", costs(FAST, [0.02] * 3, [0.1] * 3))


def around(close, wide):
    return seeds() + [
        found
        for share, near in ((0.2, close), (0.6, wide))
        for found in trials(
            "neighbours",
            np.where(np.arange(60) < near, 5.04, 5.06),
            number="draw",
            share=share,
            setting="0.01",
        )
    ]


GOOD = "good-neighbourhood"
add(GOOD, REPLICATED, "56 of 60 settings", around(56, 20))
add(GOOD, NOT, "", around(30, 10))
add(GOOD, OPEN, "", around(56, 54))
add(GOOD, OPEN, "", around(45, 10))
add(GOOD, NOT, "", around(50, 60))  # the wider is better
add(GOOD, OPEN, "difference 0.00 (-0.06 to 0.06)", around(60, 60))


# ---------------------------------------------------------------------------------------------
# Luck
# ---------------------------------------------------------------------------------------------


def retrained(luck, sd=0.01, of_searches=0.0, luck_of_test=0.0, chosen=None):
    """Searches whose chosen run is so much better than the mean of its three reruns."""
    rows = []
    for c, cell in enumerate(CELLS):
        means = normal(6, 5.0, of_searches, seed=c)
        luck_of = normal(6, luck, sd / 4, seed=c + 10)
        test_of = normal(6, luck_of_test, sd / 4, seed=c + 20)
        for i in range(6):
            losses = normal(3, means[i], sd, seed=6 * c + i)
            best, test = means[i] - luck_of[i], means[i] - test_of[i]
            if chosen is not None:
                test = chosen[i]
            rows.append(search(i, reaching(5, best), cell, test))
            rows += seeds(losses, f"search {i}", cell)
    return rows


RETRAIN, LUCK, TUNER = "retrain-the-chosen-setting", "tuner-fits-little-noise", "tuner-uncertainty-left-out"
add(RETRAIN, REPLICATED, "0.0100", retrained(0.01))
add(RETRAIN, NOT, "", retrained(0.0))
add(RETRAIN, NOT, "", retrained(-0.1))
# Better, and not surely.
add(RETRAIN, NOT, "0.0010 (-0.0", retrained(0.001))

POOLS = of_each_cell(lambda cell: seeds(cell=cell)) + cells()
add(LUCK, REPLICATED, "validation 1.00", retrained(0.01, 0.01) + POOLS)
add(LUCK, NOT, "", retrained(0.04) + POOLS)
add(LUCK, NOT, "", retrained(-0.001) + POOLS)
add(LUCK, OPEN, "", retrained(0.0055) + POOLS)
# What is lucky on the test as well was no luck.
add(LUCK, OPEN, "", retrained(0.01, luck_of_test=0.01) + POOLS)

add(TUNER, REPLICATED, "", retrained(0.0, of_searches=0.03))
add(TUNER, NOT, "0.00 (0.00 to 0.00)", [
    found
    for cell in CELLS
    for i in range(6)
    for found in seeds(normal(3, 5.0, 0.01, seed=i), f"search {i}", cell)
])  # fmt: skip
add(TUNER, OPEN, "", retrained(0.0, of_searches=0.006))


def chosen_with(sd):
    return retrained(0.0, chosen=normal(6, 5.0, sd))


RULE = "one-perplexity-rule"
add(RULE, NOT, "below 27", chosen_with(0.087))
# By the printed noise, under each reading.
add(RULE, NOT, "0.4 as difference, 0.12 as SD 5.9%", chosen_with(0.002))


@pytest.mark.parametrize(("claim", "verdict", "shown", "rows"), CASES)
def test_each_word_of_a_judge(claim, verdict, shown, rows):
    finding = JUDGES[claim](Rows(rows))
    assert finding.verdict == verdict, finding.evidence
    assert shown in finding.evidence, finding.evidence
    assert finding.evidence.endswith((".", ")"))
    assert finding.data == "own run"
    assert finding.intervals > 0


def test_every_judge_has_its_words():
    said = {claim: {case.values[1] for case in CASES if case.values[0] == claim} for claim in JUDGES}
    assert {claim for claim, words in said.items() if len(words) < 3} == {RETRAIN, RULE}
    assert said[RETRAIN] == {REPLICATED, NOT}


@pytest.mark.parametrize("claim", list(JUDGES))
def test_a_judge_without_all_of_its_rows_waits(claim):
    rows = next(case.values[3] for case in CASES if case.values[0] == claim)
    JUDGES[claim](Rows(rows))
    waits = {row["unit"]["table"]: False for row in rows}
    for table in waits:
        first = next(i for i, row in enumerate(rows) if row["unit"]["table"] == table)
        try:
            JUDGES[claim](Rows(rows[:first] + rows[first + 1 :]))
        except MissingRunsError:
            waits[table] = True
    reads = {TUNER: {"seeds"}, RULE: {"guided"}}.get(claim, set(waits))
    assert {table for table, missed in waits.items() if missed} == reads


def test_the_rule_of_one_perplexity_by_the_printed_noise(monkeypatch):
    rows = Rows(chosen_with(0.002))
    monkeypatch.setattr(audit, "chances_of_a_gap", lambda: {"one": 0.01, "other": 0.04})
    assert JUDGES[RULE](rows).verdict == REPLICATED
    monkeypatch.setattr(audit, "chances_of_a_gap", lambda: {"one": 0.06, "other": 0.3})
    assert JUDGES[RULE](rows).verdict == NOT
    monkeypatch.setattr(audit, "chances_of_a_gap", lambda: {"one": 0.04, "other": 0.3})
    assert JUDGES[RULE](rows).verdict == OPEN


def test_the_grid_must_be_larger_than_the_tuner_s_trials(monkeypatch):
    rows = Rows(until([4, 4, 4, 5, 5, 5], 2))
    monkeypatch.setattr(audit, "TUNER_TRIALS", 20_000)
    assert JUDGES[GRID](rows).verdict == OPEN
