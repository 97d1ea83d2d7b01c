"""Chapter 5's explorers: p values against SciPy's distributions, error rates against the record."""

import numpy as np
import pytest
from by_hand import Figure, recorded
from chapter_explorers import chapter_explorer
from scipy import stats

METHODS = ["exact", "mid-p", "chi-squared", "corrected"]


def pvalues(a, b):
    """McNemar's four, of counts that are not both 0."""
    n, low = a + b, min(a, b)
    half = stats.binom(n, 0.5)
    return [
        stats.binomtest(a, n).pvalue,
        2 * half.cdf(low) - half.pmf(low),  # Fagerland et al. (2013)
        stats.chi2.sf((a - b) ** 2 / n, df=1),
        stats.chi2.sf((abs(a - b) - 1) ** 2 / n, df=1),
    ]


@pytest.mark.parametrize(
    ("a", "b", "items", "verdict"),
    [
        (20, 9, "20 items, B alone on 9", "only mid-p and chi-squared fall below 0.05"),
        (15, 6, "15 items, B alone on 6", "only chi-squared falls below 0.05"),
        (3, 12, "3 items, B alone on 12", "all four fall below 0.05"),
        (1, 0, "1 item, B alone on 0", "all four stay above 0.05"),
        (1000, 2, "1,000 items, B alone on 2", "all four fall below 0.05"),
    ],
)
def test_p_values_are_those_of_scipy(a, b, items, verdict):
    shown, found = chapter_explorer("mcnemar").show(a_only=a, b_only=b), pvalues(a, b)
    assert shown.rows.method.tolist() == METHODS
    np.testing.assert_allclose(shown.rows.pvalue, found, rtol=1e-9)
    np.testing.assert_allclose(shown.rows.clipped, np.maximum(found, 1e-6), rtol=1e-9)
    exact, mid_p, chi_squared, corrected = (f"{p:.4g}" for p in found)
    assert shown.sentence == (
        f"A alone is right on {items}. The p value is {exact} by the exact test, {mid_p} by mid-p, "
        f"{chi_squared} by chi-squared, and {corrected} with its continuity correction: {verdict}."
    )


def test_without_an_item_that_one_alone_has_right_nothing_is_shown_to_differ():
    shown = chapter_explorer("mcnemar").show(a_only=0, b_only=0)
    assert shown.rows.pvalue.tolist() == [1, 1, 1, 1]
    assert shown.sentence.endswith("all four stay above 0.05.")


def test_a_count_can_be_set_from_none_to_a_thousand():
    assert chapter_explorer("mcnemar").start == {
        "a_only": 15,
        "b_only": 6,
    }  # where only one of four falls below 0.05
    for control in chapter_explorer("mcnemar").controls:
        assert (control.values[0], control.values[-1]) == (0, 100)
        assert (control.live[0], control.live[-1]) == (0, 1000)


@pytest.mark.parametrize(("a", "b"), [(2, 9), (0, 100)])
def test_dots_stand_where_the_axis_says(a, b):
    explorer = chapter_explorer("mcnemar")
    figure = Figure(explorer, a_only=a, b_only=b)
    dots = figure.marks("symbol")
    assert figure.categories("left", [dot["y"] for dot in dots]) == METHODS
    seen = figure.values("bottom", [dot["x"] for dot in dots], log=True)
    np.testing.assert_allclose(seen, np.maximum(pvalues(a, b), 1e-6), rtol=0.02)
    (reference,) = {
        float(x) for x in figure.values("bottom", [r["x"] for r in figure.marks("rule")], log=True)
    }
    assert reference == pytest.approx(0.05, rel=0.01)
    assert [float(label) for label in figure.labels("bottom")] == [1e-6, 1e-4, 0.01, 1]
    assert figure.title("bottom") == "p value (dashed: 0.05)"
    assert figure.colours() == {"one"}


@pytest.mark.parametrize(
    ("splits", "effect", "subject", "meaning"),
    [
        (5, 0.0, "Two systems that are equal", "Every one of these is an error, and 5% are allowed."),
        (30, 0.0, "Two systems that are equal", "Every one of these is an error, and 5% are allowed."),
        (
            20,
            0.25,
            "Two systems whose difference is 0.25 times the standard deviation of one split's",
            "This is power, but only a test that keeps its 5% at a difference of 0 has earned it.",
        ),
        (
            5,
            2.0,
            "Two systems whose difference is 2 times the standard deviation of one split's",
            "This is power, but only a test that keeps its 5% at a difference of 0 has earned it.",
        ),
    ],
)
def test_tests_over_splits_are_those_of_the_record(splits, effect, subject, meaning):
    (row,) = recorded("explorers/repeated.csv", splits=splits, effect=effect)
    found = {
        name: int(row[f"rejected_{column}"]) / int(row["samples"])
        for name, column in {
            "Wilcoxon": "wilcoxon",
            "paired t": "paired_t",
            "corrected t": "corrected_t",
        }.items()
    }
    shown = chapter_explorer("repeated_splits").show(splits=splits, effect=effect)
    assert dict(zip(shown.rows.test, shown.rows.rejected, strict=True)) == found
    assert shown.rows.test.tolist() == list(found)
    listing = ", ".join(f"{name} in {share:.1%}" for name, share in found.items())
    smallest = stats.wilcoxon([1, 2, 3, 4, 5]).pvalue
    few = f" Five differences cannot make Wilcoxon's p smaller than {smallest}." if splits == 5 else ""
    assert shown.sentence == (
        f"{subject}, {splits} random splits of one data set: declared different by {listing} of the cases. "
        f"{meaning}{few}"
    )


def test_every_recorded_test_can_be_set():
    settings = {(s["splits"], s["effect"]) for s in chapter_explorer("repeated_splits").settings()}
    assert chapter_explorer("repeated_splits").start == {"splits": 10, "effect": 0}
    rows = recorded("explorers/repeated.csv")
    assert settings == {(int(row["splits"]), float(row["effect"])) for row in rows}


def test_bars_of_tests_end_where_the_axis_says():
    explorer = chapter_explorer("repeated_splits")
    rows, figure = explorer.show(splits=30, effect=1.0).rows, Figure(explorer, splits=30, effect=1.0)
    assert figure.bars() == pytest.approx(dict(zip(rows.test, rows.rejected, strict=True)), abs=1e-3)
    assert figure.rules() == [0.05]
    assert figure.title("bottom") == "declared different (dashed: 5%)"
    assert figure.colours() == {"one"}
