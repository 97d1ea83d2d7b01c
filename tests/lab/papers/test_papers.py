"""What holds for the experiment of every paper that is run here."""

import importlib

import pytest

from lab import cli
from lab.papers import published
from lab.papers.judging import COPY, MissingRunsError
from lab.papers.rows import Rows
from lab.record import tables

MODULES = sorted(
    name for name in cli.EXPERIMENTS.values() if name.startswith("lab.papers.")
)


@pytest.fixture(params=MODULES, ids=lambda name: name.rpartition(".")[2])
def experiment(request):
    return importlib.import_module(request.param).EXPERIMENT


def test_a_result_of_every_table_is_compared(experiment):
    rows = tables.recorded_rows(experiment.name)
    comparable = {
        row["unit"]["table"]
        for row in rows
        if set(experiment.compared) & set(row["result"])
    }
    assert comparable == set(experiment.tables)


def test_a_paper_s_judges_bear_its_name_and_judge_its_claims(experiment):
    claims = importlib.import_module(f"lab.papers.{experiment.name}.claims")
    verdicts = tables.load_recorded(experiment.name, "verdicts")
    assert [
        f"{claims.JUDGES.paper}/{claim}" for claim in claims.JUDGES
    ] == verdicts.id.tolist()
    assert verdicts.id.str.startswith(f"{experiment.name}/").all()
    lost = {name for name, claim in published.claims().items() if claim.copy}
    assert set(verdicts.id[verdicts.verdict == COPY]) == lost & set(verdicts.id)


def test_rows_are_those_of_a_table_with_the_values_that_are_asked_for():
    units = [("runs", 0, "a"), ("runs", 1, "a"), ("runs", 1, "b"), ("pools", 1, "a")]
    rows = [
        {
            "unit": {"table": table, "seed": seed, "system": system},
            "result": {"score": 10 * seed},
        }
        for table, seed, system in units
    ]
    found = Rows(rows)
    assert found.table("runs", 3)["score"].tolist() == [0, 10, 10]
    assert found.table("runs", seed=1)["system"].tolist() == ["a", "b"]
    assert len(found.table("runs", seed=1, system="b")) == 1
    assert found.table("none", 0, seed=1).empty
    with pytest.raises(MissingRunsError, match="2 of 3 rows of runs with {'seed': 1}"):
        found.table("runs", 3, seed=1)
