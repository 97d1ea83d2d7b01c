"""Of the faults put into each module the tests notice most; none is of a module that is
gone.
"""

import ast
from pathlib import Path

import pandas as pd
from grids import grid

ROOT = Path(__file__).resolve().parents[1]
FAULTS = pd.read_csv(ROOT / "data" / "measured" / "mutants.csv", keep_default_na=False)
WINGS = {
    "program": "evalkit/*.py",
    "statistics": "evalkit/*.py",
    "explorers": "evalkit/explore/*.py",
    "reports": "evalkit/reports/**/*.py",
    "record": "lab/record/*.py",
    "data": "lab/data/**/*.py",
    "scorecard": "lab/*/*.py",
}


def test_a_fault_is_of_a_module_that_is_there():
    for wing, modules in FAULTS.groupby("wing").module:
        there = {str(path.relative_to(ROOT)) for path in ROOT.glob(WINGS[wing])}
        assert set(modules) <= there | {"lab/scorecard.py"}


def test_who_says_that_nobody_could_see_a_fault_says_why():
    assert set(FAULTS.status) <= {"caught", "survived", "timeout", "equivalent"}
    assert (FAULTS.note != "").equals(FAULTS.status == "equivalent")


def test_nine_in_ten_faults_are_noticed_in_every_wing_and_all_but_three_in_a_module():
    counted = FAULTS[FAULTS.status != "equivalent"]
    is_noticed = counted.status.isin(["caught", "timeout"])
    assert is_noticed.groupby(counted.wing).mean().min() >= 0.9
    assert (~is_noticed).groupby(counted.module).sum().max() <= 3


def has_functions(path):
    """Not in its texts, which may show code."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return any(isinstance(node, ast.FunctionDef) for node in nodes)


@grid("wing", WINGS)
def test_every_module_with_a_function_was_drawn(wing):
    there = [path for path in ROOT.glob(WINGS[wing]) if has_functions(path)]
    if wing == "scorecard":
        there = [
            path
            for path in there
            if path.parent.name == "papers" and path.stem in ("judging", "rows")
        ]
    assert {str(path.relative_to(ROOT)) for path in there} <= {*FAULTS.module}
