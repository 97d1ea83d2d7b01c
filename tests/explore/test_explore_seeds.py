"""Chapter 6's explorer against the exact distribution of a difference of two means.

A recorded score counts right answers of 3,000, so the sum over seeds is a whole number, and its
distribution a power of the pool's by convolution.
"""

import itertools
import re

import numpy as np
import pytest
from by_hand import Figure, recorded
from chapter_explorers import chapter_explorer
from scipy.signal import fftconvolve

from evalkit import explore

ITEMS = 3000
DRAWS = 20_000
CASES = [
    ("LSTM", "lstm", 4, 0.5),
    ("bag-of-words MLP", "mlp", 1, 0.1),
    ("LSTM", "lstm", 1, 3.0),
    ("LSTM", "lstm", 25, 0.0),
]


def distribution(system, count):
    """The differences of two means of so many seeds, in points, and the probability of each."""
    right = np.array(
        [round(float(run["test"]) * ITEMS) for run in recorded("pools/seeds.csv", system=system)]
    )
    pool = np.bincount(right - right.min()) / len(right)
    total = np.ones(1)
    for _ in range(count):
        total = np.convolve(total, pool)
    chances = np.clip(fftconvolve(total, total[::-1]), 0, None)
    return 100 * np.arange(-len(total) + 1, len(total)) / count / ITEMS, chances / chances.sum()


def near(chance, rounding=0.0):
    """A share of the draws, within four standard errors and the rounding of a sentence."""
    return pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / DRAWS) + 1e-4 + rounding)


def share_within(differences, chances, low, high, end):
    """The probability of a bin: the ends hold the rest, and a tie is half on either side of 0."""
    inside = (differences >= low) & (differences < high)
    inside |= (differences < low) & (low == -end) | (differences >= high) & (high == end)
    tie = chances[differences == 0].sum() / 2
    return chances[inside].sum() + tie * (high == 0) - tie * (low == 0)


@pytest.mark.parametrize(("network", "system", "count", "gain"), CASES)
def test_differences_scatter_as_the_recorded_seeds_do(network, system, count, gain):
    differences, chances = distribution(system, count)
    differences = np.round(differences + gain, 9)
    shown = chapter_explorer("seeds").show(network=network, count=count, gain=gain)
    edges = [-4 + i / 4 for i in range(33)]
    assert shown.rows.low.tolist() == edges[:-1]
    assert shown.rows.high.tolist() == edges[1:]
    assert shown.rows.winner.tolist() == ["A ahead"] * 16 + ["B ahead"] * 16
    for low, high, share in zip(edges[:-1], edges[1:], shown.rows.share, strict=True):
        assert share == near(share_within(differences, chances, low, high, 4))
    halves = 2 * DRAWS * shown.rows.share
    np.testing.assert_allclose(halves, np.round(halves))
    assert shown.rows.share.sum() == pytest.approx(1)
    seeds = "1 seed" if count == 1 else f"{count} seeds"
    low, high = (float(end) for end in re.findall(r"[+-]\d+\.\d+", shown.sentence))
    for end, chance in ((low, 0.025), (high, 0.975)):
        below, above = (chances[differences <= end + side].sum() for side in (-0.02, 0.02))
        assert below - 0.005 < chance < above + 0.005
    assert shown.sentence.endswith(
        f" The measured difference lies between {low:+} and {high:+} in 95 of 100."
    )
    if gain:
        wrong = chances[differences < 0].sum() + chances[differences == 0].sum() / 2
        start = (
            f"With {seeds} of each system, and B truly better by {gain:.{2 - (gain >= 1)}f}, A is ahead in "
        )
        percent = re.match(re.escape(start) + r"([\d.]+)% of the comparisons\. ", shown.sentence)[1]
        assert float(percent) / 100 == near(wrong, rounding=0.0005)
    else:
        start = f"With {seeds} of each and no true difference, one is ahead by "
        margin = re.match(re.escape(start) + r"([\d.]+) or more 5 times in 100\. ", shown.sentence)[1]
        more, less = (chances[abs(differences) > float(margin) + side].sum() for side in (0.02, -0.02))
        assert more - 0.006 < 0.05 < less + 0.006


@pytest.mark.parametrize("gain", [0.0, 0.03])
def test_seeds_of_ones_own_scatter_as_new_seeds_would(gain):
    scores = np.array([0.1, 0.17, 0.4])
    sd = np.std(scores, ddof=1)
    wider = (scores - scores.mean()) * np.sqrt(3 / 2)  # the variance of a draw from them is then sd**2
    pairs = np.array([b - a for a, b in itertools.product(wider, wider)]) + gain
    shown = explore.seeds(scores).show(count=1, gain=gain)
    edges = np.linspace(-4 * sd, 4 * sd, 33)
    np.testing.assert_allclose(shown.rows[["low", "high"]], np.c_[edges[:-1], edges[1:]], atol=1e-12)
    for low, high, share in zip(edges[:-1], edges[1:], shown.rows.share, strict=True):
        low, high = (0.0 if abs(edge) < 1e-12 else edge for edge in (low, high))
        assert share == near(share_within(pairs, np.full(9, 1 / 9), low, high, edges[-1]))
    if gain:
        wrong = re.search(r"better by 0\.030, A is ahead in ([\d.]+)%", shown.sentence)[1]
        assert float(wrong) / 100 == near(np.mean(pairs < 0), rounding=0.0005)
    else:  # each of the two outermost pairs is drawn once in nine times
        assert f"ahead by {max(pairs):.3f} or more" in shown.sentence
        assert f"between -{max(pairs):.3f} and +{max(pairs):.3f} in 95" in shown.sentence


def test_a_tie_is_half_a_win_whatever_the_rounding():
    # Where B gains the distance of the only two seeds, it ties when A has the better of them, once in four.
    shown = explore.seeds([0.0, 1.0]).show(count=1, gain=4 * np.std([0, 1], ddof=1) / 2)
    assert float(re.search(r"A is ahead in ([\d.]+)%", shown.sentence)[1]) / 100 == near(1 / 8, 0.0005)
    assert shown.rows.share[15:17].tolist() == [near(1 / 8), near(1 / 8)]


def test_controls_reach_from_one_seed_and_no_difference():
    assert chapter_explorer("seeds").start == {"network": "LSTM", "count": 3, "gain": 0.5}
    network, count, gain = chapter_explorer("seeds").controls
    assert network.values == ("LSTM", "bag-of-words MLP")
    assert (count.values[0], count.values[-1], count.live[0], count.live[-1]) == (1, 30, 1, 100)
    assert (gain.values[0], gain.values[-1], gain.live) == (0, 3, (0, 4, 0.05))
    _, gain = explore.seeds([0.1, 0.2, 0.3]).controls
    assert (gain.values, gain.start) == (
        pytest.approx((0, 0.05)),
        pytest.approx(0.05),
    )  # half a standard deviation
    assert gain.live == pytest.approx((0, 0.4, 0.005))
    assert gain.text(gain.start) == "0.05"


def test_bars_stand_where_the_axes_say():
    explorer = chapter_explorer("seeds")
    setting = {"network": "LSTM", "count": 2, "gain": 1.0}
    rows, figure = explorer.show(**setting).rows, Figure(explorer, **setting)
    bars = sorted(figure.marks("rect"), key=lambda bar: bar["x"])
    middles = figure.values("bottom", [bar["x"] + bar["width"] / 2 for bar in bars])
    np.testing.assert_allclose(middles, (rows.low + rows.high) / 2, atol=0.03)
    np.testing.assert_allclose(figure.values("left", [bar["y"] for bar in bars]), rows.share, atol=0.003)
    colours = {bar["fill"] for bar in bars[:16]}, {bar["fill"] for bar in bars[16:]}
    assert [len(some) for some in colours] == [1, 1]
    assert colours[0] != colours[1]
    assert "%" in figure.labels("left")[-1]
    assert figure.colours() == Figure(explore.seeds([0.1, 0.2, 0.4])).colours() == {"one", "two"}
