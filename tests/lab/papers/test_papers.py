"""What holds for the experiment of every paper that is run here."""

import importlib

import pytest

from lab import cli
from lab.record import tables

MODULES = sorted(name for name in cli.EXPERIMENTS.values() if name.startswith("lab.papers."))


@pytest.fixture(params=MODULES, ids=lambda name: name.rpartition(".")[2])
def experiment(request):
    return importlib.import_module(request.param).EXPERIMENT


def test_a_result_of_every_table_is_compared(experiment):
    rows = tables.recorded_rows(experiment.name)
    comparable = {row["unit"]["table"] for row in rows if set(experiment.compared) & set(row["result"])}
    assert comparable == set(experiment.tables)


def test_a_paper_s_judges_bear_its_name_and_judge_its_claims(experiment):
    claims = importlib.import_module(f"lab.papers.{experiment.name}.claims")
    verdicts = tables.load_recorded(experiment.name, "verdicts")
    assert [f"{claims.JUDGES.paper}/{claim}" for claim in claims.JUDGES] == verdicts.id.tolist()
    assert verdicts.id.str.startswith(f"{experiment.name}/").all()
