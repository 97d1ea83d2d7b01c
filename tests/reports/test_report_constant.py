"""Scores that do not vary, and systems that few items tell apart: a sentence, or the
interval that holds.
"""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit import cli
from evalkit.reports import RefusedError

FLAT = {"base": [0.8] * 6, "ours": [0.85] * 6}
EASE = [0.8, 0.7, 0.6, 0.9, 0.5, 0.4]
SHIFTED = {"base": EASE, "ours": [round(e + 0.05, 2) for e in EASE]}
FOLDS = {"unit": "fold", "n_train": 90, "n_test": 10}


def crossed(score, n_runs=4, n_items=12):
    """A row for each answer of each run to each item."""
    return pd.DataFrame(
        [
            {
                "system": s,
                "seed": r,
                "item": f"i{k}",
                "doc": f"d{k % 6}",
                "quality": score(s, r, k),
            }
            for s, r, k in itertools.product(
                ("base", "ours"), range(n_runs), range(n_items)
            )
        ]
    )


CONSTANT = {
    "runs": (FLAT, {"unit": "seed"}),
    "folds": (FLAT, FOLDS),
    "folds, one shift": (SHIFTED, FOLDS),
    "data sets": (FLAT, {"unit": "dataset"}),
    "data sets, one shift": (SHIFTED, {"unit": "dataset"}),
    "items": (FLAT, {"unit": "item"}),
    "items, one shift": (SHIFTED, {"unit": "item"}),
    "runs and items": (
        crossed(lambda s, r, k: 0.5 + 0.1 * (s == "ours")),
        {"unit": "item"},
    ),
    "runs and groups": (
        crossed(lambda s, r, k: 0.5 + 0.1 * (s == "ours")),
        {"unit": "doc"},
    ),
}


@pytest.mark.parametrize("margin", [None, 0.01, 0.04, 0.1])
@pytest.mark.parametrize("kind", CONSTANT)
def test_scores_that_do_not_vary_are_refused_in_a_sentence(kind, margin):
    results, options = CONSTANT[kind]
    with pytest.raises(RefusedError) as refused:
        ek.report(
            results,
            baseline="base",
            metric="quality",
            direction="higher",
            margin=margin,
            accept=["copies"],
            **options,
        )
    (fault,) = refused.value.faults
    assert fault.code == "few"
    assert (
        fault.what
        == "ours and base: nothing varies in what is compared, to the digits written."
    )
    assert any("more digits" in way for way in fault.ways)


def test_the_command_and_the_check_refuse_them_in_a_sentence(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    table = (
        pd.DataFrame(FLAT)
        .rename_axis("seed")
        .reset_index()
        .melt("seed", var_name="system", value_name="acc")
    )
    table.to_csv("flat.csv", index=False)
    asked = "report", "flat.csv", "--baseline", "base", "--accept", "copies"
    assert cli.main([*asked]) == 1
    assert (
        "evalkit: ours and base: nothing varies in what is compared"
        in capsys.readouterr().err
    )
    assert [path.name for path in Path().iterdir()] == ["flat.csv"]
    Path("evalkit.toml").write_text(
        'files = ["flat.csv"]\nbaseline = "base"\naccepted ='
        ' ["copies"]\n[claim]\nbetter = ["ours"]\n'
    )
    assert cli.main(["report", "--check", "evalkit.toml"]) == 1
    assert (
        "## ours and base: nothing varies in what is compared"
        in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("function", "options"),
    [
        ("difference_interval", {"unit": "seed"}),
        ("difference_interval", {"unit": "dataset"}),
        ("crossed_difference", {"unit": "item"}),
        ("corrected_t", FOLDS),
    ],
)
def test_whatever_a_statistic_refuses_is_a_refusal_of_the_report(
    function, options, monkeypatch
):
    """Of the systems it is said which, for there may be many."""

    def refuse(*_, **__):
        raise ValueError("the moon is full.")

    monkeypatch.setattr(ek, function, refuse)
    rng = np.random.default_rng(0)
    results = {name: rng.normal(0.8, 0.01, 8) for name in FLAT}
    with pytest.raises(RefusedError, match=r"^ours and base: the moon is full\.\n"):
        ek.report(
            results, baseline="base", metric="quality", direction="higher", **options
        )


# --------------------------------------------------------------------------------------
# Few tell them apart
# --------------------------------------------------------------------------------------


def test_an_interval_by_tangos_score_is_called_so():
    """Fifteen items tell them apart: too few for t, and enough for the call that the
    page shows.
    """
    base, ours = np.zeros(200), np.zeros(200)
    ours[:12], base[12:15] = 1, 1
    found = ek.report(
        {"base": base, "ours": ours},
        baseline="base",
        metric="accuracy",
        unit="item",
        margin=0.1,
    )
    (one,), direct = found.findings.contrasts, ek.crossed_difference(ours, base)
    assert (one.low, one.high) == (direct.low, direct.high)
    assert (one.method, one.test) == (
        "Tango's score over items",
        "McNemar's exact test",
    )
    for form in ("html", "markdown"):
        assert "Tango" in found.write(form)
        assert "t over items" not in found.write(form).replace(
            "Tango's score over items", ""
        )
    assert one.equivalence == ek.equivalence(direct, 0.1)
    assert one.verdict == "equivalent" or not one.equivalence.equivalent


@pytest.mark.parametrize("unit", ["item", "doc"])
def test_runs_that_few_items_tell_apart_are_compared_by_the_score(unit):
    table = crossed(
        lambda s, r, k: float(s == "ours" and k in (0, 6, 13) and (r + k) % 4 > 0),
        n_items=60,
    )
    found = ek.report(
        table, baseline="base", metric="quality", direction="higher", unit=unit
    )
    (one,) = found.findings.contrasts
    groups = None if unit == "item" else found.groups("doc")
    direct = ek.crossed_difference(found.scores("ours"), found.scores("base"), groups)
    assert "Tango" in direct.method
    assert (one.low, one.high, one.pvalue) == (direct.low, direct.high, direct.pvalue)
    units = "items" if unit == "item" else "groups of items (CR2)"
    assert one.test == one.method == f"Tango's score over seeds and {units}"


def test_data_sets_that_hardly_differ_are_compared_by_the_score():
    base = np.linspace(60, 90, 12).round(1)
    ours = base + np.r_[np.zeros(9), 0.3, 0.4, 0.8]
    found = ek.report(
        {"base": base, "ours": ours}, baseline="base", metric="accuracy", unit="dataset"
    )
    (one,), direct = (
        found.findings.contrasts,
        ek.difference_interval(ours, base, paired=True),
    )
    assert "Tango" in direct.method
    assert (one.low, one.high) == (direct.low, direct.high)
    assert (one.method, one.test) == (
        "Tango's score over data sets",
        "Wilcoxon's signed ranks",
    )


@pytest.mark.parametrize("last", [0.02, 0.03, 0.05])
def test_the_p_of_folds_has_the_leeway_of_its_test(last):
    """Scores in few digits: the test takes off what rounding may have added, and there
    is no interval.
    """
    d = np.array([0.01, 0.01, 0.02, 0.01, last])
    scores = {"base": np.array(EASE[:5]), "ours": np.round(EASE[:5] + d, 2)}
    found = ek.report(scores, baseline="base", metric="accuracy", **FOLDS)
    (one,) = found.findings.contrasts
    direct = ek.corrected_t(scores["ours"], scores["base"], n_train=90, n_test=10)
    assert one.pvalue == direct.pvalue
    assert np.isnan([one.low, one.high]).all()
    assert (one.verdict == "better") == (one.pvalue <= 0.05)
