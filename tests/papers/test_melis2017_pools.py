"""Every judge of Melis et al. that reads pools, on made-up rows, for each word it can say."""

import numpy as np
import pandas as pd
import pytest
from melis_rows import CELLS, as_it_is, cells, normal, of_each_cell, places, seeds, shifted, trials

from evalkit.papers import judging
from evalkit.papers.judging import MissingRunsError, Resampled
from evalkit.papers.melis2017.claims import pools
from evalkit.papers.melis2017.claims.pools import JUDGES
from evalkit.papers.rows import Rows

REPLICATED, SMALLER, NOT, OPEN = "replicated", "replicated, smaller", "not replicated", "inconclusive"
OUT = "out of reach"
CASES = []


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """Each verdict is a clear one: three hundred draws say it, and an open one stays open with more."""
    monkeypatch.setitem(Resampled.__init__.__kwdefaults__, "draws", 300)
    monkeypatch.setattr(judging, "MOST_DRAWS", 1)
    monkeypatch.setattr(pools, "TOGETHER_DRAWS", 1000)


def add(claim, verdict, shown, rows):
    CASES.append(pytest.param(claim, verdict, shown, rows, id=f"{claim}-{verdict}-{len(CASES)}"))


def everywhere(**change):
    return [row for table in ("pool", "budget", "elsewhere") for row in cells(table, **change)]


BEHIND, AHEAD = shifted(0.05), shifted(-0.05)
add(
    "plain-cell-holds-up",
    REPLICATED,
    "docstrings, best of 30: RHN minus LSTM 0.050 (0.050 to 0.050)",
    everywhere(rhn=BEHIND, nas=BEHIND),
)
add("plain-cell-holds-up", NOT, "", everywhere(rhn=AHEAD, nas=BEHIND))
add("plain-cell-holds-up", OPEN, "", everywhere(rhn=BEHIND))
# Better in two of three is not everywhere.
add(
    "plain-cell-holds-up",
    OPEN,
    "",
    cells("pool", rhn=AHEAD) + cells("budget", rhn=AHEAD) + cells("elsewhere", rhn=BEHIND),
)
add(
    "plain-cell-holds-up",
    OPEN,
    "",
    cells("pool", rhn=BEHIND, nas=BEHIND)
    + cells("budget", rhn=BEHIND, nas=BEHIND)
    + cells("elsewhere", noise=0.3, rhn=BEHIND, nas=BEHIND),
)


def spread(sd, of_seeds, diverged=()):
    rows = []
    for i, cell in enumerate(CELLS):
        losses = normal(600, 5.5, sd[i], seed=i)
        losses[list(diverged)] = 50
        rows += trials("pool", losses, cell=cell, diverged=diverged)
        rows += seeds(normal(20, 5.0, of_seeds), cell=cell)
    return rows


add("hyperparameters-matter-most", REPLICATED, "diverged: LSTM 0, RHN 0", spread([0.3] * 3, 0.01))
add("hyperparameters-matter-most", NOT, "RHN 1.0", spread([0.3, 0.01, 0.3], 0.01))
add("hyperparameters-matter-most", OPEN, "NAS 3.0", spread([0.3, 0.3, 0.03], 0.01))
# Those that diverge would make any SD large.
add("hyperparameters-matter-most", NOT, "LSTM 2", spread([0.01] * 3, 0.01, (0, 5)))

add("poor-control-misleads", REPLICATED, "LSTM before RHN", cells(rhn=shifted(0.03), nas=shifted(0.06)))
add("poor-control-misleads", NOT, "", cells(rhn=shifted(2), nas=shifted(4)))
add("poor-control-misleads", OPEN, "opposite order: none", cells())
# Single settings mislead, five of each do not.
add("poor-control-misleads", OPEN, "", cells(rhn=shifted(0.2), nas=shifted(0.4)))
# The better one comes second.
add("poor-control-misleads", REPLICATED, "RHN before LSTM", cells(rhn=shifted(-0.03), nas=shifted(0.03)))


def at_odds():
    """The test loss has nothing to do with validation: more trials do not make the choice any surer."""
    return [
        row
        for i, cell in enumerate(CELLS)
        for row in trials("pool", 5 + places(600), 5 + i + places(600, seed=7), cell=cell)
    ]


CAREFUL = "careful-control-possible-but-dear"
add(CAREFUL, REPLICATED, "LSTM comes out before the NAS", cells(rhn=shifted(0.05), nas=shifted(0.1)))
add(CAREFUL, REPLICATED, "NAS comes out before the LSTM", cells(rhn=shifted(-0.05), nas=shifted(-0.1)))
add(CAREFUL, NOT, "", at_odds())
add(CAREFUL, OPEN, "", cells(rhn=shifted(0.001)))


def flat_top(share):
    """So large a share of the settings is equally near the best."""
    return lambda place: np.where(place < share, 0.0, 1.0 + place)


def sensitive(lstm, rhn):
    return cells(lstm=flat_top(lstm), rhn=flat_top(rhn), nas=shifted(1))


add("report-sensitivity", REPLICATED, "LSTM 0.600, RHN 0.300", sensitive(0.6, 0.3))
add("report-sensitivity", SMALLER, "", sensitive(0.31, 0.3))
add("report-sensitivity", NOT, "", sensitive(0.3, 0.3))
add("report-sensitivity", OPEN, "no pair is that close", cells(rhn=shifted(0.5), nas=shifted(1)))

CAPACITY = "cells-equal-in-capacity"
add(CAPACITY, REPLICATED, "", cells(lstm=lambda p: 0.01 + p, rhn=lambda p: 3 * p, nas=lambda p: 2 * p))
add(CAPACITY, NOT, "ratio 1.00 (1.00 to 1.00)", cells(rhn=shifted(0.1), nas=shifted(0.2)))
add(CAPACITY, OPEN, "", cells(rhn=lambda p: 0.1 + 1.17 * p))


def cheap_at_first(place):
    return 0.3 + 0.1 * place


add("leagues", REPLICATED, "RHN minus LSTM at 100 trials 0.2", cells(rhn=cheap_at_first, nas=shifted(2)))
add("leagues", NOT, "budget: none", cells(rhn=shifted(0.1), nas=shifted(0.2)))
add("leagues", OPEN, "RHN minus LSTM", cells(noise=0.3, rhn=lambda p: 0.003 + 0.995 * p))
# Surely behind with many trials, and ahead with one, but not surely.
add("leagues", OPEN, "RHN minus LSTM at 1 trial -0.0", cells(noise=0.3, rhn=lambda p: 0.3 + 0.39 * p))
# Alike by trials, but not by seconds: a trial of the one takes ten times as long.
DEAR = {"lstm": 8.0, "rhn": 80.0, "nas": 8.0}
add("leagues", REPLICATED, "1,000 seconds", cells(seconds=DEAR, rhn=lambda p: p - 0.1, nas=shifted(2)))


def texts(change, **more):
    """Settings that are as good on one text as on the other, but for what changes on docstrings."""
    rows = cells("pool")
    for cell in CELLS:
        place = places(600)[:60]
        rows += trials("elsewhere", 5 + more.get(cell, change)(place), cell=cell)
    return rows


def reversed_(place):
    return 1 - place


def odd_best(place):
    return np.where(place == place.min(), 0.5, place)


add("tuned-elsewhere-reasonable", REPLICATED, "LSTM, Brown to docstrings 0.000", texts(as_it_is))
add("tuned-elsewhere-reasonable", NOT, "", texts(as_it_is, nas=reversed_))
add("tuned-elsewhere-reasonable", OPEN, "", texts(as_it_is, rhn=odd_best))

SAME = "tune-on-the-same-data"
add(SAME, REPLICATED, "", texts(as_it_is, rhn=reversed_))
add(SAME, NOT, "", texts(as_it_is))
add(SAME, OPEN, "", texts(reversed_))  # a gain, but the same for all


def hardly_apart():
    """A gain that is there, and too small to matter."""
    rows = []
    for cell, size in zip(CELLS, (0.001, 0.002, 0.003), strict=True):
        place = places(600)
        rows += trials("pool", 5 + size * place, cell=cell)
        rows += trials("elsewhere", 5 + size * (1 - place[:60]), cell=cell)
    return rows


add(SAME, SMALLER, "", hardly_apart())


def two(change, seed=0):
    names = "learning_rate weight_decay"
    return cells("pool") + trials("two", 5 + change(places(600, seed)[:60]), names=names)


FEW = "few-hyperparameters"
add(FEW, REPLICATED, "Tuning learning rate and weight decay alone", two(as_it_is))
add(FEW, REPLICATED, "-0.050", two(AHEAD))
add(FEW, NOT, "0.050 (0.050 to 0.050)", two(BEHIND))
add(FEW, OPEN, "", two(as_it_is, seed=1))


def widths(seed=0, **change):
    rows, place = cells("pool"), places(600, seed)[:40]
    for cell in ("rhn", "nas"):
        rows += trials("widths", 5 + change.get(cell, as_it_is)(place), cell=cell)
    return rows


EQUAL = "compare-at-equal-parameters"
add(EQUAL, REPLICATED, "NAS -0.050", widths(nas=AHEAD))
add(EQUAL, SMALLER, "", widths(rhn=shifted(0.003)))
add(EQUAL, NOT, "RHN 0.000", widths())
add(EQUAL, OPEN, "", widths(seed=1))

# A random search of 200 of evenly spread places comes to within 1 / 201 of the range, of 600 to 1 / 1200.
add("thousands-of-trials", OUT, "LSTM 0.003", cells())


@pytest.mark.parametrize(("claim", "verdict", "shown", "rows"), CASES)
def test_each_word_of_a_judge(claim, verdict, shown, rows):
    finding = JUDGES[claim](Rows(rows))
    assert finding.verdict == verdict, finding.evidence
    assert shown in finding.evidence
    assert finding.evidence.endswith((".", ")"))
    assert finding.data == "own run"


def test_every_judge_has_its_words():
    said = {
        claim: {case.values[1] for case in CASES if case.values[0] == claim}
        for claim in JUDGES
        if claim != "not-only-language-models"
    }
    single = {claim for claim, words in said.items() if len(words) < 3}
    assert single == {"thousands-of-trials"}


@pytest.mark.parametrize("claim", [claim for claim in JUDGES if claim != "not-only-language-models"])
def test_a_judge_without_all_of_its_rows_waits(claim):
    rows = next(case.values[3] for case in CASES if case.values[0] == claim)
    JUDGES[claim](Rows(rows))
    # The last trial of each table is the first of its rows; which tables a judge reads is its own affair.
    tables = {row["unit"]["table"] for row in rows}
    waits = []
    for table in tables:
        first = next(i for i, row in enumerate(rows) if row["unit"]["table"] == table)
        try:
            JUDGES[claim](Rows(rows[:first] + rows[first + 1 :]))
        except MissingRunsError:
            waits.append(table)
    # Of a pool some judges want only the settings that other tables share.
    shared = (
        {"pool"} if claim in ("tune-on-the-same-data", EQUAL, FEW, "tuned-elsewhere-reasonable") else set()
    )
    assert set(waits) == tables - shared


def test_of_a_larger_pool_the_first_trials_are_taken():
    rows = cells(rhn=BEHIND, nas=BEHIND) + [
        row for cell in CELLS for row in trials("pool", [1.0], cell=cell, number="trial")
    ]
    for row in rows[-3:]:
        row["unit"]["trial"] = 600
    found = JUDGES[CAPACITY](Rows(rows))
    assert found.evidence == JUDGES[CAPACITY](Rows(rows[:-3])).evidence


# ---------------------------------------------------------------------------------------------
# Docstring classification
# ---------------------------------------------------------------------------------------------


@pytest.fixture
def classifiers(monkeypatch):
    """A function that puts accuracies in the place of the recorded ones, by system."""

    def put(search, again):
        tables = {
            name: pd.DataFrame(
                [(system, score) for system, scores in of.items() for score in scores],
                columns=["system", "test"],
            )
            for name, of in {"search": search, "seeds": again}.items()
        }
        monkeypatch.setattr(pools, "load_recorded", lambda experiment, name: tables[name])
        return JUDGES["not-only-language-models"](Rows([]))

    return put


def test_not_only_language_models(classifiers):
    near = {"mlp": normal(100, 0.60, 0.01), "lstm": normal(100, 0.62, 0.01)}
    wide = {"mlp": normal(200, 0.50, 0.10), "lstm": normal(200, 0.52, 0.10, seed=1)}
    found = classifiers(wide, near)
    assert found.verdict == REPLICATED
    assert "the LSTM is ahead" in found.evidence
    # What is claimed of single settings is claimed of both, or of neither.
    apart = {"mlp": normal(200, 0.20, 0.10), "lstm": normal(200, 0.92, 0.10, seed=1)}
    assert classifiers(apart, near).verdict == OPEN
    narrow = {"mlp": normal(200, 0.20, 0.01), "lstm": normal(200, 0.92, 0.01, seed=1)}
    assert classifiers(narrow, near).verdict == NOT


def test_which_network_is_ahead_decides_what_is_the_opposite(classifiers):
    near = {"mlp": normal(100, 0.62, 0.01), "lstm": normal(100, 0.60, 0.01)}
    wide = {"mlp": normal(200, 0.40, 0.10), "lstm": normal(200, 0.60, 0.10, seed=1)}
    found = classifiers(wide, near)
    assert "the MLP is ahead; of pairs of single settings 0.9" in found.evidence
    equal = {"mlp": np.full(200, 0.5), "lstm": np.full(200, 0.5)}
    assert "of pairs of single settings 0.500" in classifiers(equal, near).evidence


def test_ties_of_the_best_do_not_move_the_order():
    # All settings of a cell are alike: nothing can be chosen, and the order is that of the cells.
    rows = [row for i, cell in enumerate(CELLS) for row in trials("pool", np.full(600, 5.0 + i), cell=cell)]
    found = JUDGES["poor-control-misleads"](Rows(rows))
    assert found.verdict == NOT
    assert "0.000 (0.000 to 0.000) of single settings" in found.evidence


def test_all_trials_diverged_but_two():
    rows = of_each_cell(lambda cell: seeds(normal(20), cell=cell))
    for i, cell in enumerate(CELLS):
        losses = normal(600, 5.5, 0.3, seed=i)
        rows += trials("pool", losses, cell=cell, diverged=set(range(2, 600)))
    found = JUDGES["hyperparameters-matter-most"](Rows(rows))
    assert found.verdict == OPEN
    assert "LSTM 598" in found.evidence
