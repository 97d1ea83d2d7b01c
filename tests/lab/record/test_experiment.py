"""Experiments as values: the key of a unit, the time it took, and plans and tables that
fit the record.
"""

import importlib
import inspect
import json
import time

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lab import cli
from lab.record import runs, tables
from lab.record.experiment import Experiment, unit_key

MODULES = sorted(cli.EXPERIMENTS.values())
OWN = [name for name in MODULES if name.startswith("lab.experiments.")]
# At the full scale there is nothing to add, or (xor) each unit is larger.
COMPLETE = [
    "ends",
    "error_rates",
    "explorers",
    "judges",
    "leaderboards",
    "repeats",
    "same_program",
    "twelve_models",
    "xor",
]
UNITS = st.dictionaries(
    st.text(max_size=3),
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(),
    ),
    max_size=5,
)

# --------------------------------------------------------------------------------------
# Units
# --------------------------------------------------------------------------------------


@given(UNITS, st.randoms(use_true_random=False))
def test_unit_key_does_not_see_the_order_of_parameters(unit, random):
    items = list(unit.items())
    random.shuffle(items)
    assert unit_key(dict(items)) == unit_key(unit)


@given(UNITS, UNITS)
@example({"a": 1}, {"a": 1.0})
@example({"a": 1}, {"a": "1"})
@example({"a": 1}, {"a": True})
@example({"a": 0.0}, {"a": -0.0})
@example({"a": None}, {})
def test_unit_key_differs_exactly_when_the_units_do(one, other):
    same = sorted(map(repr, one.items())) == sorted(map(repr, other.items()))
    assert (unit_key(one) == unit_key(other)) == same


def test_unit_key_is_the_same_for_ever():
    # Stores on readers' disks hold these keys: a new way to make them would run
    # everything again.
    key = unit_key({"table": "seeds", "seed": 3, "learning_rate": 0.001})
    assert key == "f400eb8e9caa0d5214932fd710b4a29e"


def test_unit_key_refuses_what_json_cannot_hold():
    with pytest.raises(ValueError, match="JSON"):
        unit_key({"learning_rate": float("nan")})


# --------------------------------------------------------------------------------------
# Running one
# --------------------------------------------------------------------------------------


def one_table(function):
    return Experiment(
        "some", compared={}, plan=lambda scale, rows: [], tables={"t": function}
    )


def test_a_table_gets_the_parameters_and_its_results_get_the_time():
    found = one_table(lambda **parameters: {"got": parameters}).run(
        {"seed": 3, "table": "t", "rate": 0.1}
    )
    assert list(found) == ["got", "seconds"]
    assert found["got"] == {"seed": 3, "rate": 0.1}


def test_seconds_are_those_of_the_processor():
    def work(idle):
        end = time.process_time() + 0.2
        time.sleep(idle)
        while time.process_time() < end:
            pass
        return {}

    assert 0.2 <= one_table(work).run({"table": "t", "idle": 1})["seconds"] < 0.9


def test_without_extras_there_are_no_more_tables():
    assert one_table(dict).extras([]) == {}


# --------------------------------------------------------------------------------------
# The book's own, and those of the papers
# --------------------------------------------------------------------------------------


def last(name):
    return name.rpartition(".")[2]


@pytest.fixture(params=MODULES, ids=last)
def experiment(request):
    return importlib.import_module(request.param).EXPERIMENT


def test_an_experiment_has_the_name_of_its_module(request, experiment):
    assert experiment.name == last(request.node.callspec.params["experiment"])


@pytest.mark.parametrize("scale", ["recorded", "full"])
def test_each_planned_unit_fits_the_function_of_its_table(experiment, scale):
    units = experiment.plan(scale, tables.recorded_rows(experiment.name))
    assert len(set(map(unit_key, units))) == len(units)  # none twice
    assert (
        {unit["table"] for unit in units}
        == set(experiment.tables)
        >= set(experiment.derived)
    )
    for unit in units:
        parameters = {name: value for name, value in unit.items() if name != "table"}
        inspect.signature(experiment.tables[unit["table"]]).bind(**parameters)


def test_the_record_is_the_plan(experiment):
    rows = tables.recorded_rows(experiment.name)
    planned = {unit_key(unit) for unit in experiment.plan("recorded", rows)}
    assert {unit_key(row["unit"]) for row in rows} == planned


@pytest.mark.parametrize(
    "experiment",
    [name for name in MODULES if last(name) not in COMPLETE],
    ids=last,
    indirect=True,
)
def test_the_full_plan_goes_on_where_the_recorded_one_ends(experiment):
    rows = tables.recorded_rows(experiment.name)
    recorded, full = (
        {unit_key(u) for u in experiment.plan(s, rows)} for s in ("recorded", "full")
    )
    assert recorded < full, (
        'let the plan have more units at the scale "full" than at "recorded", or name'
        " the experiment in COMPLETE"
    )


def test_a_compared_result_is_recorded_somewhere(experiment):
    names = {
        name for row in tables.recorded_rows(experiment.name) for name in row["result"]
    }
    assert set(experiment.compared) <= names


@pytest.mark.parametrize("experiment", OWN, ids=last, indirect=True)
def test_recorded_rows_are_exported_again_byte_for_byte(experiment, tmp_path):
    rows = tables.recorded_rows(experiment.name)
    np.random.default_rng(0).shuffle(rows)
    runs.export(experiment, rows, tmp_path)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {
        p.name: p.read_bytes() for p in (tables.RECORDED / experiment.name).iterdir()
    }


@pytest.mark.parametrize("experiment", OWN, ids=last, indirect=True)
def test_a_slice_compares_a_result_of_every_table(experiment):
    for row in tables.recorded_rows(experiment.name):
        assert set(experiment.compared) & set(row["result"]), json.dumps(row["unit"])
