"""What people say, name or number in a way that a report could take for something else."""

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit import cli
from evalkit.reports import RefusedError


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*arguments):
    return cli.main(["report", *map(str, arguments)])


def runs(names=("base", "ours"), n=8, **columns):
    """Scores of systems, a row a run, the second a little better."""
    rng = np.random.default_rng(0)
    score = rng.normal(np.repeat([0.80, 0.82], n), 0.01).round(4)
    table = pd.DataFrame({"system": np.repeat(names, n), "seed": [*range(n)] * 2, "accuracy": score})
    return table.assign(**columns)


def write(table, name="results.csv"):
    table.to_csv(name, index=False)
    return name


# ---------------------------------------------------------------------------------------------
# Names that are numbers
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["system", "version"])
@pytest.mark.parametrize("names", [("7.1", "7.10"), ("1.0", "10"), ("1.0", "2.0"), ("7.10", "007.1")])
def test_a_system_is_called_as_the_file_calls_it(names, column):
    table = runs(names).rename(columns={"system": column})
    for results in (write(table), table):
        found = ek.report(results, baseline=names[0], columns={"system": column})
        assert found.evidence.systems == (names[1],)
        of = dict(zip(names, np.split(table.accuracy.to_numpy(), 2), strict=True))
        assert found.findings.contrasts[0].difference == pytest.approx(
            of[names[1]].mean() - of[names[0]].mean()
        )


def test_a_column_with_the_number_of_the_baseline_is_proposed_with_its_own_text(capsys):
    write(runs(("7.1", "7.10")).rename(columns={"system": "version"}))
    assert run("results.csv", "--baseline", "7.10") == 2
    assert "--map system=version   ('7.10' occurs in it, among 7.1, 7.10)" in capsys.readouterr().out


def test_other_numbers_stay_numbers():
    table = runs(accuracy=[f"{k % 7 / 10:.2f}" for k in range(16)])
    assert ek.report(table, baseline="base").used.score.dtype.kind == "f"


# ---------------------------------------------------------------------------------------------
# What a failed run scores
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "factor", "said", "reason"),
    [
        ("accuracy", 1, 90, "shares here, per cents there"),
        ("accuracy", 100, 0.5, "shares here, per cents there"),
        ("accuracy", 1, -1, "no share is below 0"),
        ("reward", 1, 0.99, "would be better than every other"),
        ("loss", 1, 0.1, "would be better than every other"),
        ("reward", 1, -20, None),
        ("loss", 1, 12, None),
        ("accuracy", 1, 0, None),
        ("accuracy", 100, 50, None),
    ],
)
def test_a_failed_run_scores_on_the_scale_of_the_others(metric, factor, said, reason):
    table = runs().rename(columns={"accuracy": metric})
    table[metric] *= factor
    table.loc[3, metric] = np.nan
    ask = {"baseline": "base", "failed": said}
    if reason is None:
        assert float(said) in set(ek.report(table, **ask).used.score)
        return
    with pytest.raises(RefusedError, match=reason) as refused:
        ek.report(table, **ask)
    assert [fault.code for fault in refused.value.faults] == ["scale"]
    assert ek.report(table, **ask, accept="scale").bench.options.failed == str(said)


# ---------------------------------------------------------------------------------------------
# Items that are numbered anew
# ---------------------------------------------------------------------------------------------


def answers(within, n_within=40, n=5):
    rng = np.random.default_rng(1)
    rows = [
        (name, f"{within[0]}{k}", i, int(rng.random() < chance))
        for name, chance in (("base", 0.6), ("ours", 0.8))
        for k in range(n_within)
        for i in range(n - k % 2)
    ]
    return pd.DataFrame(rows, columns=["system", within, "item", "correct"])


@pytest.mark.parametrize("within", ["fold", "chunk", "Document"])
def test_items_numbered_anew_are_named_by_both_columns(within, capsys):
    table = answers(within)
    write(table)
    assert run("results.csv", "--baseline", "base") == 1
    way = re.search(r"--map item=\S+,item", capsys.readouterr().err)[0]
    unit = ["--unit", within] if within == "Document" else []
    assert run("results.csv", "--baseline", "base", *shlex.split(way), *unit) == 0
    assert f"{len(table) // 2} items" in capsys.readouterr().out
    assert f'"item" = "{within},item"' in Path("evalkit.toml").read_text(encoding="utf-8")
    assert run() == 0


def test_items_of_a_document_that_names_them_are_still_its_items():
    with pytest.raises(RefusedError, match="180 items come from 40 values of document"):
        ek.report(answers("document"), baseline="base", columns={"item": ["document", "item"]})
