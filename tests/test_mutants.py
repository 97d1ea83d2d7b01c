"""The recorded faults are of modules that exist, and one that nobody could see says why."""

from pathlib import Path

import pandas as pd

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
