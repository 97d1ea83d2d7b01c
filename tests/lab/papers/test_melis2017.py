"""What is run, stage by stage."""

from collections import Counter

import pytest

from lab.papers.melis2017 import EXPERIMENT
from lab.papers.melis2017.tasks import runs, settings, stages
from lab.record.experiment import unit_key


def made_up(unit):
    """A row of results of which the first stages decide what later ones run."""
    result = {"validation": 5.0 + (unit.get("trial", 0) * 37 % 600) / 1000}
    if unit["table"] == "guided":
        result["best"] = settings.write(settings.drawn(unit["search_number"]))
    return {"unit": unit, "result": result}


def staged(scale, only=None):
    """All that is run in the end, and what is there by then."""
    rows = []
    while True:
        done = {unit_key(row["unit"]) for row in rows}
        units = [
            u
            for u in EXPERIMENT.plan(scale, rows)
            if only is None or u["table"] in only
        ]
        new = [unit for unit in units if unit_key(unit) not in done]
        if not new:
            return rows
        rows += map(made_up, new)


SOME = {"pool", "elsewhere", "guided", "seeds", "lengths"}


@pytest.fixture(scope="module")
def recorded():
    return staged("recorded")


def table_of(row):
    return row["unit"]["table"]


def test_the_pool_comes_before_what_stands_around_it():
    first = {unit["table"] for unit in EXPERIMENT.plan("recorded", [])}
    assert not first & {"seeds", "evaluated", "lengths", "final"}
    rows = [made_up(u) for u in EXPERIMENT.plan("recorded", []) if u["table"] == "pool"]
    # One trial of the LSTM is missing, so that only the others' best is known.
    rows.remove(next(row for row in rows if row["unit"]["cell"] == "lstm"))
    then = EXPERIMENT.plan("recorded", rows)
    assert {u["cell"] for u in then if u["table"] == "seeds"} == {"rhn", "nas"}


def test_how_much_is_run(recorded):
    counts = Counter(table_of(row) for row in recorded)
    assert set(counts) == set(EXPERIMENT.tables)
    assert counts["pool"] == 3 * 600
    assert counts["guided"] == 3 * 6
    # Of each cell twenty of the pool's and of the docstrings' best, one again; three of
    # each search's best.
    assert counts["seeds"] == 3 * (20 + 20 + 1) + 18 * 3
    assert counts["budget"] == 3 * 96
    assert len({unit_key(row["unit"]) for row in recorded}) == len(recorded)


def test_what_is_best_on_validation_is_run_again(recorded):
    for cell in runs.CELLS:
        pool = [
            row
            for row in recorded
            if table_of(row) == "pool" and row["unit"]["cell"] == cell
        ]
        best = min(pool, key=lambda row: row["result"]["validation"])
        chosen = settings.write(settings.drawn(best["unit"]["trial"]))
        around = [
            row["unit"]["setting"]
            for row in recorded
            if row["unit"].get("cell") == cell
            and (
                table_of(row) in ("lengths", "evaluated")
                or row["unit"].get("of") == "pool"
            )
        ]
        assert set(around) == {chosen}
    searched = {
        row["unit"]["of"]: row["unit"]["setting"]
        for row in recorded
        if table_of(row) == "seeds"
    }
    assert searched["search 3"] == settings.write(settings.drawn(3))


def test_the_first_of_equally_good_trials_is_taken():
    rows = [
        {
            "unit": {"table": "pool", "cell": "lstm", "trial": trial},
            "result": {"validation": 5 - (trial > 1)},
        }
        for trial in (3, 2, 1, 0)
    ]
    assert stages.best(rows, "pool", "lstm", 4) == settings.write(settings.drawn(2))
    assert stages.best(rows, "pool", "lstm", 2) == settings.write(settings.drawn(0))
    assert stages.best(rows, "pool", "lstm", 5) is None


def test_the_full_scale_has_more_of_the_same_and_the_same_around_it(recorded):
    full = staged("full", only=SOME)
    keys = {unit_key(row["unit"]) for row in full}
    shared = [row for row in recorded if table_of(row) in SOME]
    assert {unit_key(row["unit"]) for row in shared} < keys
