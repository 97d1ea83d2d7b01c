"""Chapter 7's explorer: sums over scores in order, the band by SciPy's quantile, coverage by the record."""

import numpy as np
import pytest
from by_hand import Figure, expected_best, recorded
from scipy import stats

from evalkit import explore

OWN = [12.5, 11.0, 14.25, 13.0, 12.0, 19.5, 12.75]


def pool_of(system):
    return [float(run["validation"]) for run in recorded("pools/search.csv", system=system)]


def band(scores, budgets, low, high):
    """For each budget, the expected best under the highest and the lowest distribution that scores allow."""
    top = high if np.isfinite(high) else max(scores)  # from there on the highest one is 1
    gaps = np.diff([low, *sorted(scores), top])
    below = np.arange(len(scores) + 1) / len(scores)  # the share of scores up to each gap
    half = stats.kstwo.ppf(0.95, len(scores))
    highest, lowest = np.minimum(below + half, 1), np.maximum(below - half, 0)
    return [(top - gaps @ highest**n, top - gaps @ lowest**n if top == high else np.inf) for n in budgets]


def cut(ends, curves):
    """The band as it is drawn: a third of the curves' range beyond them."""
    bottom, top = min(map(min, curves)), max(map(max, curves))
    margin = (top - bottom) / 3
    return np.maximum([low for low, _ in ends], bottom - margin), np.minimum(
        [h for _, h in ends], top + margin
    )


@pytest.mark.parametrize(
    ("pool", "system", "size", "n"),
    [
        ("bag-of-words MLP", "mlp", 20, 7),
        ("LSTM", "lstm", 10, 30),
        ("bag-of-words MLP", "mlp", 100, 100),
        ("LSTM", "lstm", 33, 1),
    ],
)
def test_curves_are_those_of_the_recorded_pool(pool, system, size, n):
    scores = pool_of(system)
    # Samples of all sizes begin alike.
    sample = np.random.default_rng(7).choice(scores, 100)[:size]
    shown = explore.expected_maximum().show(pool=pool, size=size, n=n)
    budgets = range(1, max(size, n) + 1)
    truth = [expected_best(scores, k, replace=True) for k in budgets]
    v = [expected_best(sample, k, replace=True) for k in budgets]
    u = [expected_best(sample, k) for k in budgets if k <= size]
    ends = band(sample, budgets, 0, 1)
    assert list(shown.rows) == ["n", "truth", "u", "v", "low", "high", "cursor"]
    assert shown.rows.n.tolist() == list(budgets)
    assert set(shown.rows.cursor) == {n}
    np.testing.assert_allclose(shown.rows.truth, truth)
    np.testing.assert_allclose(shown.rows.v, v)
    np.testing.assert_allclose(shown.rows.u, u + [np.nan] * (len(budgets) - len(u)))
    np.testing.assert_allclose(shown.rows[["low", "high"]].T, cut(ends, (truth, u, v)))
    says = (
        f"{u[n - 1]:.3f} by U and {v[n - 1]:.3f} by V"
        if n <= size
        else f"{v[n - 1]:.3f} by V, and U has no answer for an n above N"
    )
    low, high = ends[n - 1]
    sentence = (
        f"Best of n = {n}, from N = {size} runs of the {pool}: the truth is {truth[n - 1]:.3f}. This sample "
        f"says {says}; its 95% band, for all n at once, goes from {low:.3f} to {high:.3f}."
    )
    if n <= size and size != 33:  # the page's sizes are recorded
        (row,) = recorded("explorers/bootstrap.csv", pool=system, size=size)
        share = int(row["held"].split()[n - 1]) / int(row["samples"])
        sentence += (
            f" A 95% bootstrap interval around U, for this n, holds the truth in {share:.0%} of such samples."
        )
    assert shown.sentence == sentence


def test_the_sizes_of_the_page_are_recorded_and_a_kernel_takes_any():
    assert explore.expected_maximum().start == {"pool": "LSTM", "size": 50, "n": 20}
    pool, size, n = explore.expected_maximum().controls
    assert {(system, str(s)) for system in ("lstm", "mlp") for s in size.values} == {
        (row["pool"], row["size"]) for row in recorded("explorers/bootstrap.csv")
    }
    assert pool.values == ("LSTM", "bag-of-words MLP")
    assert (size.live[0], size.live[-1], n.live[0], n.live[-1]) == (2, 100, 1, 100)
    assert (n.values[0], n.values[-1]) == (1, 100)


@pytest.mark.parametrize(
    ("minimize", "bounds", "n"), [(False, (0, 40), 4), (True, (5, 20), 7), (False, (10, np.inf), 1)]
)
def test_runs_of_ones_own_take_the_place_of_the_pool(minimize, bounds, n):
    shown = explore.expected_maximum(OWN, minimize=minimize, bounds=bounds).show(n=n)
    sign = -1 if minimize else 1
    signed = [sign * score for score in OWN]
    u = [sign * expected_best(signed, k) for k in range(1, 8)]
    v = [sign * expected_best(signed, k, replace=True) for k in range(1, 8)]
    low, high = sorted(sign * end for end in bounds)
    ends = [sorted(sign * end for end in both) for both in band(signed, range(1, 8), low, high)]
    assert list(shown.rows) == ["n", "u", "v", "low", "high", "cursor"]
    assert shown.rows.n.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert set(shown.rows.cursor) == {n}
    np.testing.assert_allclose(shown.rows.u, u)
    np.testing.assert_allclose(shown.rows.v, v)
    np.testing.assert_allclose(shown.rows[["low", "high"]].T, cut(ends, (u, v)))
    # The scores spread over 8.5, so two decimals tell them apart.
    low, high = (f"{end:.2f}" for end in ends[n - 1])
    assert shown.sentence == (
        f"Best of n = {n}, from your 7 runs: {u[n - 1]:.2f} by U and {v[n - 1]:.2f} by V; the 95% band, for "
        f"all n at once, goes from {low} to {high}."
    )


def test_runs_of_ones_own_that_are_all_alike_have_a_figure():
    shown = explore.expected_maximum([0.5, 0.5, 0.5]).show(n=2)
    assert "0.5 by U and 0.5 by V" in shown.sentence
    assert shown.rows.low.tolist() == [0.49] * 3
    assert shown.rows.high.tolist() == [0.51] * 3


@pytest.mark.parametrize(("runs", "start"), [(3, 1), (12, 2), (50, 10)])
def test_it_starts_at_a_fifth_of_ones_own_runs(runs, start):
    (n,) = explore.expected_maximum(np.linspace(0.1, 0.2, runs)).controls
    assert (n.start, n.values, n.live) == (start, tuple(range(1, runs + 1)), range(1, runs + 1))


@pytest.mark.parametrize(
    ("explorer", "setting", "curves"),
    [
        (
            explore.expected_maximum(),
            {"pool": "LSTM", "size": 20, "n": 30},
            ("truth", "U, unbiased", "V, biased"),
        ),
        (explore.expected_maximum(OWN, bounds=(0, 20)), {"n": 5}, ("U, unbiased", "V, biased")),
    ],
)
def test_lines_stand_where_the_axes_say(explorer, setting, curves):
    rows, figure = explorer.show(**setting).rows, Figure(explorer, **setting)
    styles = {"truth": "truth", "U, unbiased": "u", "V, biased": "v"}
    assert tuple(figure.legend()) == curves
    assert figure.colours() == {styles[curve] for curve in curves}
    points = figure.marks("line")
    for label, (colour, _) in figure.legend().items():
        wanted = rows[["n", styles[label]]].dropna().to_numpy()
        found = [point for point in points if point["stroke"] == colour]
        np.testing.assert_allclose(figure.values("bottom", [p["x"] for p in found]), wanted[:, 0], atol=0.05)
        np.testing.assert_allclose(figure.values("left", [p["y"] for p in found]), wanted[:, 1], rtol=0.005)
    assert figure.rules() == [pytest.approx(setting["n"], abs=0.05)]
    assert np.ptp([point["y"] for point in points]) > 120  # neither from 0 nor with all of the band
    area = figure.marks("area")
    edges = np.array([figure.values("left", [p["y"], p["y2"]]) for p in area])
    np.testing.assert_allclose(np.sort(edges, axis=1), rows[["low", "high"]], rtol=0.01)
