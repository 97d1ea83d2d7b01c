"""Chapter 1's explorer against the recorded divisions."""

import statistics

import numpy as np
import pytest
from by_hand import Figure, recorded
from chapter_explorers import chapter_explorer

from lab.experiments.explorers import DRAWS, TYPICAL


@pytest.mark.parametrize(
    ("scheme", "folds", "manner", "share", "others"),
    [
        ("random", 20, "at random", "95%", "{accuracy:.1%} of {lines:,.0f} others"),
        ("stratified", 3, "stratified by class", "67%", "{accuracy:.1%} of {lines:,.0f} others"),
        (
            "grouped",
            2,
            "by whole modules",
            "about 50%",
            "{new_accuracy:.1%} of {new_lines:,.0f} others, all from modules that it has not seen",
        ),
    ],
)
def test_it_shows_the_recorded_divisions(scheme, folds, manner, share, others):
    runs = sorted(
        recorded("explorers/divided.csv", scheme=scheme, folds=folds), key=lambda run: int(run["shuffle"])
    )
    outside = {
        name: float(value)
        for name, value in recorded("explorers/outside.csv")[0].items()
        if "." in value or value.isdigit()
    }
    single, crossed = ([float(run[column]) for run in runs] for column in ("one_split", "accuracy"))
    shown = chapter_explorer("splits").show(scheme=scheme, folds=folds)
    assert shown.rows.way.tolist() == ["one split"] * len(runs) + ["cross-validation"] * len(runs)
    assert shown.rows.accuracy.tolist() == single + crossed
    assert set(shown.rows.truth) == {outside["new_accuracy" if scheme == "grouped" else "accuracy"]}
    (one, one_sd), (all_folds, all_sd) = (
        (100 * statistics.mean(found), 100 * statistics.stdev(found)) for found in (single, crossed)
    )
    assert shown.sentence == (
        f"1,000 lines divided {manner} into {folds} parts, {len(runs)} times, each model trained on {share} "
        f"of them: the estimates are on average {one:.1f}% (standard deviation {one_sd:.1f} points) for one "
        f"split and {all_folds:.1f}% (standard deviation {all_sd:.1f} points) for cross-validation. A "
        f"model of all 1,000 lines is right on {others.format(**outside)}."
    )
    # Each line is tested once, so the share that is right counts thousandths.
    assert all(np.isclose(1000 * accuracy, round(1000 * accuracy)) for accuracy in crossed)


def test_every_recorded_division_can_be_set():
    explorer = chapter_explorer("splits")
    settings = {(s["scheme"], s["folds"]) for s in explorer.settings()}
    assert settings == {(row["scheme"], int(row["folds"])) for row in recorded("explorers/divided.csv")}
    assert explorer.start == {"scheme": "stratified", "folds": 5}
    assert [explorer.controls[1].text(folds) for folds in (2, 5)] == ["2 (50%)", "5 (80%)"]


@pytest.mark.parametrize(("scheme", "folds"), [("grouped", 20), ("random", 2)])
def test_ticks_and_truth_stand_where_the_axis_says(scheme, folds):
    explorer = chapter_explorer("splits")
    rows, figure = (
        explorer.show(scheme=scheme, folds=folds).rows,
        Figure(explorer, scheme=scheme, folds=folds),
    )
    ticks = figure.marks("rect")
    seen = figure.values("bottom", [tick["x"] + tick["width"] / 2 for tick in ticks])
    np.testing.assert_allclose(seen, rows.accuracy, atol=0.001)  # none is cut off at the ends
    assert figure.categories("left", [tick["y"] + tick["height"] / 2 for tick in ticks]) == rows.way.tolist()
    assert figure.rules() == [pytest.approx(rows.truth[0], abs=0.001)]
    assert figure.colours() == {"one"}
    assert figure.title("bottom") == "estimated accuracy (dashed: on other lines)"


def test_the_lines_shown_are_those_of_a_typical_draw():
    differences = {
        int(row["draw"]): float(row["accuracy"]) - float(row["outside"])
        for row in recorded("explorers/draws.csv")
    }
    assert sorted(differences) == list(range(DRAWS))
    assert statistics.median_low(differences.values()) == differences[TYPICAL]
    (worth,) = (row["outside"] for row in recorded("explorers/draws.csv", draw=TYPICAL))
    assert worth == recorded("explorers/outside.csv")[0]["accuracy"]
    # So with the most folds, which train on nearly all lines, the ticks are near the dashed line.
    rows = chapter_explorer("splits").show(scheme="stratified", folds=20).rows
    crossed = rows[rows.way == "cross-validation"]
    assert abs((crossed.accuracy - crossed.truth).mean()) < 0.01
