"""Chapter 4's explorer against the record, and on scores of one's own against SciPy."""

import re

import numpy as np
import pytest
from by_hand import Figure, recorded
from chapter_explorers import chapter_explorer
from scipy import stats

from evalkit import explore

COLUMNS = {"t": "t", "t, dividing by n": "t0", "percentile bootstrap": "percentile", "BCa bootstrap": "bca"}
OWN = np.round(np.random.default_rng(3).exponential(size=25), 3)


@pytest.mark.parametrize(
    ("shape", "size", "scores"),
    [
        ("some runs fail", 2, "each of which fails one time in ten"),
        ("skewed", 50, "with skewed scores"),
        ("normal", 3, "with normal scores"),
    ],
)
def test_it_shows_the_recorded_coverage(shape, size, scores):
    (row,) = recorded("explorers/intervals.csv", shape=shape, size=size)
    shown = chapter_explorer("intervals").show(shape=shape, size=size)
    held = [int(row[f"held_{column}"]) / int(row["samples"]) for column in COLUMNS.values()]
    widths = [f"{float(row[f'width_{column}']):.2f}" for column in COLUMNS.values()]
    assert shown.rows.to_dict("list") == {"interval": list(COLUMNS), "coverage": held, "width": widths}
    listing = "; ".join(
        f"{name} in {share:.0%}, {width} SDs wide"
        for name, share, width in zip(COLUMNS, held, widths, strict=True)
    )
    assert shown.sentence == (
        f"Samples of {size} runs {scores}: how many 95% intervals hold the true mean, and their mean width: "
        f"{listing}."
    )


@pytest.mark.parametrize("size", [2, 5, 50])
def test_of_normal_scores_the_recorded_t_intervals_hold_what_they_should(size):
    (row,) = recorded("explorers/intervals.csv", shape="normal", size=size)
    samples = int(row["samples"])
    assert stats.binomtest(int(row["held_t"]), samples, 0.95).pvalue > 1e-4


def test_every_recorded_sample_can_be_set():
    assert chapter_explorer("intervals").start == {"shape": "normal", "size": 5}  # as the chapter says
    settings = {(s["shape"], s["size"]) for s in chapter_explorer("intervals").settings()}
    assert settings == {(row["shape"], int(row["size"])) for row in recorded("explorers/intervals.csv")}


def test_bars_end_where_the_axis_says_and_hold_the_width():
    explorer = chapter_explorer("intervals")
    rows, figure = explorer.show(shape="skewed", size=3).rows, Figure(explorer, shape="skewed", size=3)
    assert figure.bars() == pytest.approx(dict(zip(rows.interval, rows.coverage, strict=True)), abs=1e-3)
    assert figure.rules() == [0.95]
    assert figure.colours() == {"two"}  # dark enough for white figures
    texts = figure.marks("text")
    names = figure.categories("left", [text["y"] for text in texts])
    widths = dict(zip(rows.interval, rows.width, strict=True))
    assert dict(zip(names, (text["text"] for text in texts), strict=True)) == widths
    for text in texts:  # within the bar, at its left end
        assert 0 < text["x"] + text["dx"] < figure.marks("rect")[0]["width"] / 2
        assert text["align"] == "left"


@pytest.mark.parametrize(("level", "percent"), [(0.5, "50%"), (0.99, "99%"), (0.975, "97.5%")])
def test_intervals_of_ones_own_runs_are_those_of_scipy(level, percent):
    shown = explore.intervals(OWN).show(level=level)
    rows = shown.rows.set_index("interval")
    assert list(rows.index) == ["t", "percentile bootstrap", "BCa bootstrap"]
    found = {"t": stats.t.interval(level, len(OWN) - 1, OWN.mean(), stats.sem(OWN))}
    for method in ("percentile", "BCa"):
        found[f"{method} bootstrap"] = stats.bootstrap(
            (OWN,), np.mean, confidence_level=level, method=method, rng=1
        ).confidence_interval
    widest = max(high - low for low, high in found.values())
    for name, interval in found.items():
        assert tuple(rows.loc[name, ["low", "high"]]) == pytest.approx(
            tuple(interval), abs=1e-9 if name == "t" else 0.04 * widest
        )
    assert set(rows["mean"]) == {OWN.mean()}
    decimals = 3 if widest < 1 else 2  # of a spread below 1, the third digit is a thousandth
    listing = "; ".join(
        f"{name} {row.low:.{decimals}f} to {row.high:.{decimals}f}" for name, row in rows.iterrows()
    )
    assert shown.sentence == (
        f"The mean of your 25 runs is {OWN.mean():.{decimals}f}; at {percent}: {listing}."
    )


def test_intervals_of_ones_own_stand_where_the_axis_says():
    explorer = explore.intervals(OWN)
    rows, figure = explorer.show(level=0.9).rows, Figure(explorer, level=0.9)
    rules, dots = figure.marks("rule"), figure.marks("symbol")
    assert figure.categories("left", [rule["y"] for rule in rules]) == rows.interval.tolist()
    assert np.ptp([end for rule in rules for end in (rule["x"], rule["x2"])]) > 220  # the axis is not from 0
    for end, column in (("x", "low"), ("x2", "high")):
        ends = [max(r["x"], r["x2"]) if end == "x2" else min(r["x"], r["x2"]) for r in rules]
        np.testing.assert_allclose(figure.values("bottom", ends), rows[column], atol=0.01)
    np.testing.assert_allclose(figure.values("bottom", [dot["x"] for dot in dots]), OWN.mean(), atol=0.01)
    assert figure.categories("left", [dot["y"] for dot in dots]) == rows.interval.tolist()
    assert figure.colours() == {"one"}


def test_levels_can_be_set_from_a_half_on():
    (level,) = explore.intervals(OWN).controls
    assert level.start == 0.95
    assert (level.values, level.live) == ((0.5, 0.8, 0.9, 0.95, 0.98, 0.99), (0.5, 0.999, 0.001))
    assert level.text(0.98) == "98%"


def test_two_runs_are_enough_and_digits_that_differ_are_written():
    sentence = explore.intervals([1000.01, 1000.02]).show(level=0.95).sentence
    low, high = stats.t.interval(0.95, 1, 1000.015, 0.005)
    assert re.search(r"your 2 runs is 1,000\.015; at 95%: t ([\d,.]+) to ([\d,.]+);", sentence).groups() == (
        f"{low:.3f}",
        f"{high:,.3f}",
    )
