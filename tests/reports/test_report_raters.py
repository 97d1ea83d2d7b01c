"""Raters are a role: crossed with the items, and never averaged in silence."""

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit import _ways as to
from evalkit.reports import RefusedError

N_ITEMS = 40


def points(n_raters, seed=0, shift=0.4):
    """A table of points, and the same as arrays of raters x items by system."""
    rng = np.random.default_rng(seed)
    # Towards one of the systems: what other raters may lean otherwise.
    leaning = rng.normal(0, 0.5, n_raters)
    of = {
        name: rng.normal(3, 1, (n_raters, N_ITEMS)) + by * (shift + leaning[:, None])
        for name, by in (("base", 0), ("new", 1))
    }
    rows = [
        {
            "system": name,
            "rater": f"r{r}",
            "item": f"q{i}",
            "points": float(scores[r, i]),
        }
        for name, scores in of.items()
        for r in range(n_raters)
        for i in range(N_ITEMS)
    ]
    return pd.DataFrame(rows).sample(frac=1, random_state=1), of


def ask(table, **more):
    return ek.report(
        table, baseline="base", metric="points", direction="higher", **more
    )


@pytest.mark.parametrize("seed", range(3))
def test_raters_are_crossed_with_items(seed):
    table, of = points(4, seed)
    found = ask(table)
    (one,) = found.findings.contrasts
    direct = ek.crossed_difference(of["new"], of["base"], rows="paired")
    assert (one.low, one.high, one.pvalue) == pytest.approx(
        (direct.low, direct.high, direct.pvalue)
    )
    # By hand: the mean over raters of their own differences, its error at least that of
    # the raters.
    gaps = (of["new"] - of["base"]).mean(axis=1)
    assert one.difference == pytest.approx(gaps.mean())
    assert one.interval.se >= gaps.std(ddof=1) / np.sqrt(4) - 1e-12
    assert found.findings.way is to.RATERS
    assert found.findings.quantity == "mean over 4 raters and items"
    assert "other raters and other items of this kind, at once" in str(found)
    assert "rows='paired'" in found.code


def test_a_rater_who_scored_one_system_alone_is_asked_about():
    table, of = points(4)
    lacks = table[~((table.rater == "r3") & (table.system == "new"))]
    with pytest.raises(
        RefusedError, match="Of 4 raters 3 scored every system: new lacks 1 \\(r3\\)"
    ):
        ask(lacks)
    found = ask(lacks, unmatched="drop")
    (one,) = found.findings.contrasts
    direct = ek.crossed_difference(of["new"][:3], of["base"][:3], rows="paired")
    assert (one.low, one.high) == pytest.approx((direct.low, direct.high))
    assert (
        N_ITEMS,
        "scores by raters who did not score every system",
    ) in found.bench.left_out


def test_a_missing_cell_is_asked_about_and_its_item_left_out():
    table, of = points(4)
    lacks = table[
        ~((table.rater == "r1") & (table["item"] == "q5") & (table.system == "new"))
    ]
    with pytest.raises(
        RefusedError, match="Of 40 items 39 are in all answers: new rater r1 lacks 1"
    ):
        ask(lacks)
    (one,) = ask(lacks, unmatched="drop").findings.contrasts
    kept = [i for i in range(N_ITEMS) if i != 5]
    direct = ek.crossed_difference(
        of["new"][:, kept], of["base"][:, kept], rows="paired"
    )
    assert (one.low, one.high) == pytest.approx((direct.low, direct.high))


@pytest.mark.parametrize("n_raters", [2, 4])
def test_few_raters_are_averaged_only_if_that_is_said(n_raters):
    table, of = points(n_raters)
    if n_raters == 2:
        with pytest.raises(
            RefusedError,
            match="--unit item: the interval is over items, for these raters only",
        ):
            ask(table)
    found = ask(table, unit="item")
    (one,) = found.findings.contrasts
    direct = ek.crossed_difference(of["new"].mean(axis=0), of["base"].mean(axis=0))
    assert (one.low, one.high) == pytest.approx((direct.low, direct.high))
    assert f"judged by these {n_raters} raters alone" in found.paper[0]
    assert "other raters" in found.write("markdown").split("What cannot be said")[1]
    assert any(
        "for these" in check.words and check.outcome == "decided"
        for check in found.bench.checks
    )


def test_raters_of_one_system_each_are_refused_whatever_is_said():
    table, _ = points(3)
    own = table.assign(rater=table.rater + table.system)
    for more in ({}, {"unit": "item"}, {"unmatched": "drop"}):
        with pytest.raises(RefusedError, match="No rater scored every system"):
            ask(own, **more)


def test_runs_of_a_system_beside_raters_are_refused():
    table, _ = points(3)
    both = pd.concat(
        [table.assign(seed=1.0), table.assign(seed=2.0, points=table.points + 0.1)]
    )
    with pytest.raises(RefusedError, match="several runs, and 3 raters"):
        ask(both)
    over_items = ask(both, unit="item").findings
    assert over_items.quantity == "mean over runs and items"
    sums = table.assign(above=table.points.abs(), below=6.0)
    columns = {"numerator": "above", "denominator": "below"}
    with pytest.raises(RefusedError, match="two sums for each item, and 3 raters"):
        ask(sums, columns=columns)
    assert ask(sums, columns=columns, unit="item").findings.way is to.SUMS
