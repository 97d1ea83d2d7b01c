"""What is run, stage by stage."""

from lab.papers.melis2017 import EXPERIMENT
from lab.papers.melis2017.tasks import settings, stages


def test_the_pool_comes_before_what_stands_around_it():
    first = {unit["table"] for unit in EXPERIMENT.plan("recorded", [])}
    assert not first & {"seeds", "evaluated", "lengths", "final"}
    rows = [
        {"unit": unit, "result": {"validation": 5.0}}
        for unit in EXPERIMENT.plan("recorded", [])
        if unit["table"] == "pool"
    ]
    # One trial of the LSTM is missing, so that only the others' best is known.
    rows.remove(next(row for row in rows if row["unit"]["cell"] == "lstm"))
    then = EXPERIMENT.plan("recorded", rows)
    assert {u["cell"] for u in then if u["table"] == "seeds"} == {"rhn", "nas"}


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
