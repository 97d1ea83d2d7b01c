"""What a report says of what it saw: whatever it claims to show must stand on the page."""

import numpy as np
import pandas as pd
import pytest

import evalkit as ek

SETS = [f"set-{k}" for k in range(9)]


def check_of(found, code):
    return next(check for check in found.bench.checks if check.code == code)


@pytest.fixture
def gapped():
    """Six systems on nine data sets, one cell empty."""
    rng = np.random.default_rng(2)
    ease = rng.uniform(60, 90, len(SETS))
    shift = {"bert": 0, "bilstm": -6, "roberta": 3, "electra": 2, "xlnet": 0.8, "ours": 3}
    table = pd.DataFrame({name: ease + by + rng.normal(0, 0.6, len(SETS)) for name, by in shift.items()})
    table.insert(0, "dataset", SETS)
    table.loc[7, "xlnet"] = np.nan
    return table


def test_both_ways_of_an_empty_cell_are_shown_for_every_system(gapped):
    found = ek.report(gapped, baseline="bert", metric="accuracy")
    assert "The page shows both ways" in check_of(found, "missing").words
    ways = dict(found.findings.sensitivity)
    page = found.write("markdown")
    whole = page.split("If it were done otherwise")[1].split("\n## ")[0]
    rows = [line for line in whole.splitlines() if line.count("|") > 5]
    assert len(ways) == 2
    assert len(rows) == 2 + sum(map(len, ways.values()))
    for name in ("bilstm", "roberta", "electra", "xlnet", "ours"):
        assert sum(f"| {name} |" in row for row in rows) == 2
    assert "all 5" not in whole
    assert "computed both ways" in found.paper[2]


def test_what_was_decided_is_still_short(gapped):
    found = ek.report(gapped, baseline="bert", metric="accuracy", missing="drop")
    assert "all 5" in found.write("markdown")


@pytest.mark.parametrize("failed", ["worst", "drop", "0.5"])
def test_a_seed_that_is_missing_is_told_where_another_run_crashed(failed):
    rng = np.random.default_rng(4)
    rows = [
        {"system": name, "seed": seed, "status": "finished", "f1": 0.8 + shift + rng.normal(0, 0.01)}
        for name, shift in {"bert": 0, "electra": 0.02, "deberta": 0.03}.items()
        for seed in (13, 42, 87, 100, 2024)
        if (name, seed) != ("electra", 2024)
    ]
    table = pd.DataFrame(rows)
    crashed = (table.system == "bert") & (table.seed == 100)
    table.loc[crashed, ["status", "f1"]] = "crashed", np.nan
    found = ek.report(table, baseline="bert", failed=failed)
    told = check_of(found, "seeds")
    assert told.outcome == "note"
    assert "electra has no run with seed 2024, which others have" in told.words
    assert "bert" not in told.words  # its run was there, and crashed
    assert told.words in str(found)
    lines = found.write("markdown").splitlines()
    assert next(line for line in lines if "Failures:" in line).startswith("- [ ]")
    [sizes] = [line for line in lines if "How many runs a number rests on" in line]
    assert f"electra: 4 and {4 if failed == 'drop' else 5} runs" in sizes
