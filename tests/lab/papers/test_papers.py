"""What holds for the experiment of every paper that is run here."""

import importlib
import inspect

import pytest

from lab import cli
from lab.record import tables
from lab.record.experiment import unit_key

MODULES = sorted(name for name in cli.EXPERIMENTS.values() if name.startswith("lab.papers."))


@pytest.fixture(params=MODULES, ids=lambda name: name.rpartition(".")[2])
def experiment(request):
    return importlib.import_module(request.param).EXPERIMENT


def test_the_record_is_the_plan(experiment):
    rows = tables.recorded_rows(experiment.name)
    assert {unit_key(unit) for unit in experiment.plan("recorded", rows)} == {
        unit_key(row["unit"]) for row in rows
    }
    names = {name for row in rows for name in row["result"]}
    assert set(experiment.compared) <= names
    comparable = {row["unit"]["table"] for row in rows if set(experiment.compared) & set(row["result"])}
    assert comparable == set(experiment.tables)


def test_the_full_plan_goes_on_where_the_recorded_one_ends(experiment):
    rows = tables.recorded_rows(experiment.name)
    recorded_units, full = ({unit_key(u) for u in experiment.plan(s, rows)} for s in ("recorded", "full"))
    assert recorded_units < full


def test_each_planned_unit_fits_the_function_of_its_table(experiment):
    units = experiment.plan("full", tables.recorded_rows(experiment.name))
    assert {unit["table"] for unit in units} == set(experiment.tables)
    assert set(experiment.derived) <= set(experiment.tables)
    for unit in units:
        parameters = {name: value for name, value in unit.items() if name != "table"}
        inspect.signature(experiment.tables[unit["table"]]).bind(**parameters)


def test_a_paper_s_judges_bear_its_name_and_judge_its_claims(experiment):
    claims = importlib.import_module(f"lab.papers.{experiment.name}.claims")
    verdicts = tables.load_recorded(experiment.name, "verdicts")
    assert [f"{claims.JUDGES.paper}/{claim}" for claim in claims.JUDGES] == verdicts.id.tolist()
    assert verdicts.id.str.startswith(f"{experiment.name}/").all()
