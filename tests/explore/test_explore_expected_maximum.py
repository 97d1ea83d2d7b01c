"""Chapter 7's explorer: its draws as plain whole numbers, its errors as sums over scores in order."""

import json
import math
from collections import Counter

import numpy as np
import pytest
from bs4 import BeautifulSoup
from by_hand import INK, Figure, expected_best, recorded
from chapter_explorers import chapter_explorer
from scipy import stats

from evalkit import explore, plots
from evalkit.explore import _expected_maximum
from evalkit.explore._draws import draw_places

OWN = [12.5, 11.0, 14.25, 13.0, 12.0, 19.5, 12.75]
SYSTEMS = {"LSTM": "lstm", "bag-of-words MLP": "mlp"}


def pool_of(name):
    return [float(run["validation"]) for run in recorded("pools/search.csv", system=SYSTEMS[name])]


def scramble(number):
    for factor in (0xD168AAAD, 0xAF723597):
        number = (number ^ (number >> 15)) * factor % 2**32
    return number ^ (number >> 15)


def places(seed, draws, size, count):
    """Each place by itself, in whole numbers without end."""
    return [
        [
            scramble((scramble((scramble(seed) + i) % 2**32) + scramble(j)) % 2**32) * count // 2**32
            for j in range(1, size + 1)
        ]
        for i in range(1, draws + 1)
    ]


def errors_of(scores, *, size, n, draws, seed, sign=1):
    """By how much U and V miss the truth, sample by sample."""
    signed = [sign * score for score in scores]
    truth = sign * expected_best(signed, n, replace=True)
    found = {"u": [], "v": []}
    for sample in places(seed, draws, size, len(scores)):
        drawn = [signed[place] for place in sample]
        if n <= size:
            found["u"].append(sign * expected_best(drawn, n) - truth)
        found["v"].append(sign * expected_best(drawn, n, replace=True) - truth)
    return truth, {name: np.array(errors) for name, errors in found.items() if errors}


def written(number, digits=2):
    text = f"{abs(number):.{digits}f}"
    return text if float(text) == 0 else f"{'−' if number < 0 else '+'}{text}"


def spread_of(errors):
    return np.std(errors, ddof=1) / math.sqrt(len(errors))


def verdict(errors):
    if len(errors) < 20:
        return "too few samples to judge"
    if abs(np.mean(errors)) <= 2 * spread_of(errors):
        return "zero is within two of these errors"
    return f"more than two of these errors {'below' if np.mean(errors) < 0 else 'above'} zero"


@pytest.mark.parametrize(
    ("seed", "draws", "size", "count"), [(0, 3, 5, 200), (999, 40, 100, 7), (2**32 - 1, 1, 2, 2**21)]
)
def test_places_are_drawn_as_whole_numbers_of_32_bits(seed, draws, size, count):
    assert draw_places(seed, draws, size, count).tolist() == places(seed, draws, size, count)


def test_more_draws_and_larger_samples_begin_with_the_fewer_and_smaller():
    whole = draw_places(3, 50, 40, 200)
    np.testing.assert_array_equal(draw_places(3, 20, 10, 200), whole[:20, :10])
    assert not np.array_equal(draw_places(4, 50, 40, 200), whole)


def test_places_are_as_good_as_random():
    drawn = draw_places(1, 4000, 50, 200)
    assert stats.chisquare(np.bincount(drawn.ravel(), minlength=200)).pvalue > 1e-4
    # Neither neighbours in a sample nor the same member of two samples know of each other.
    for a, b in ((drawn[:, :-1], drawn[:, 1:]), (drawn[:-1], drawn[1:])):
        pairs = np.bincount((a // 20 * 10 + b // 20).ravel(), minlength=100)
        assert stats.chisquare(pairs).pvalue > 1e-4
    # Means of samples scatter as means of independent draws do.
    variance = np.var(drawn.mean(axis=1), ddof=1) / ((200**2 - 1) / 12 / 50)
    assert variance == pytest.approx(1, abs=4 * math.sqrt(2 / 4000))


@pytest.mark.parametrize(
    ("pool", "size", "n", "draws", "seed"),
    [
        ("LSTM", 20, 10, 100, 0),
        ("bag-of-words MLP", 10, 10, 37, 5),
        ("LSTM", 10, 30, 25, 1),
        ("bag-of-words MLP", 33, 1, 20, 2),
        ("LSTM", 5, 3, 7, 9),
        ("LSTM", 50, 41, 2, 3),
    ],
)
def test_errors_are_those_of_the_recorded_pool(pool, size, n, draws, seed):
    truth, errors = errors_of(pool_of(pool), size=size, n=n, draws=draws, seed=seed)
    errors = {name: 100 * found for name, found in errors.items()}
    shown = chapter_explorer("expected_maximum").show(pool=pool, size=size, n=n, draws=draws, seed=seed)
    marks = [f"{name}_{mark}" for name in "uv" for mark in ("mean", "from", "to", "last")]
    assert sorted(shown.rows) == sorted(["low", "high", "u", "v", "top", *marks])
    np.testing.assert_allclose(shown.rows.low, np.arange(-5, 5, 0.25))
    np.testing.assert_allclose(shown.rows.high, np.arange(-4.75, 5.25, 0.25))
    for name in "uv":
        row = shown.rows.iloc[0]
        if name not in errors:
            assert not shown.rows[name].any()
            assert shown.rows[[f"{name}_mean", f"{name}_last"]].isna().all(axis=None)
            continue
        found = errors[name]
        bins = Counter(min(max(math.floor(error / 0.25) + 20, 0), 39) for error in found)
        assert shown.rows[name].tolist() == [bins[i] for i in range(40)]
        assert row[f"{name}_mean"] == pytest.approx(found.mean())
        assert row[f"{name}_to"] - row[f"{name}_mean"] == pytest.approx(2 * spread_of(found))
        assert row[f"{name}_mean"] - row[f"{name}_from"] == pytest.approx(2 * spread_of(found))
        assert row[f"{name}_last"] == pytest.approx(min(max(found[-1], -5), 5))
    most = max(shown.rows.u.max(), shown.rows.v.max())
    assert 1.3 * most <= shown.rows.top.max() <= max(10, 2 * 1.3 * most)
    sentence = f"{draws} samples of N = {size} runs of the {pool}. The best of n = {n} is truly {truth:.3f}. "
    said = [
        f"{name.upper()} is off by {written(found.mean())} points on average, with a Monte Carlo error of "
        f"{spread_of(found):.2f}: {verdict(found)}."
        for name, found in errors.items()
    ]
    if "u" not in errors:
        said.insert(0, "U has no answer for an n above N.")
    elif n > 1:
        nearer = sum(abs(v) < abs(u) for u, v in zip(errors["u"], errors["v"], strict=True))
        said.append(f"V was nearer to the truth than U in {nearer} of the samples.")
    assert shown.sentence == sentence + " ".join(said)


def test_one_sample_is_told_as_one():
    truth, errors = errors_of(pool_of("LSTM"), size=20, n=10, draws=1, seed=4)
    u, v = (written(100 * errors[name][0]) for name in "uv")
    shown = chapter_explorer("expected_maximum").show(pool="LSTM", size=20, n=10, draws=1, seed=4)
    assert shown.sentence == (
        f"One sample of N = 20 runs of the LSTM. The best of n = 10 is truly {truth:.3f}; U is off by {u} "
        f"points and V is off by {v} points. One error shows no bias: draw more samples."
    )
    assert shown.rows.u.sum() == shown.rows.v.sum() == 1
    assert shown.rows[["u_mean", "v_from"]].isna().all(axis=None)
    assert shown.rows.top.max() == 10


@pytest.mark.parametrize(("size", "n"), [(10, 10), (20, 10)])
def test_a_thousand_samples_show_which_one_is_biased(size, n):
    pool = np.array(pool_of("LSTM"))
    shown = chapter_explorer("expected_maximum").show(pool="LSTM", size=size, n=n, draws=1000, seed=0)
    row = shown.rows.iloc[0]
    u_error, v_error = ((row[f"{name}_to"] - row[f"{name}_mean"]) / 2 for name in "uv")
    assert abs(row.u_mean) < 4 * u_error
    assert row.v_mean < -4 * v_error
    # As large as in samples of NumPy's.
    truth = expected_best(pool, n, replace=True)
    samples = np.random.default_rng(0).choice(pool, (2000, size))
    bias = [100 * (expected_best(sample, n, replace=True) - truth) for sample in samples]
    assert row.v_mean == pytest.approx(np.mean(bias), abs=4 * math.hypot(v_error, spread_of(bias)))
    assert "zero is within two of these errors. V is off" in shown.sentence
    assert "more than two of these errors below zero" in shown.sentence
    assert shown.sentence.startswith("1,000 samples")


@pytest.mark.parametrize(("size", "n"), [(7, 1), (7, 4), (7, 7), (5, 30), (100, 60)])
def test_weights_are_chances_to_be_the_best(size, n):
    found = _expected_maximum.weights(size, n)
    assert ("u" in found) == (n <= size)
    v = [(k / size) ** n - ((k - 1) / size) ** n for k in range(1, size + 1)]
    np.testing.assert_allclose(found["v"], v, atol=1e-12)
    if n <= size:
        u = [math.comb(k - 1, n - 1) / math.comb(size, n) for k in range(1, size + 1)]
        np.testing.assert_allclose(found["u"], u, atol=1e-12)


@pytest.mark.parametrize("minimize", [False, True])
def test_runs_of_ones_own_take_the_place_of_the_pool(minimize):
    setting = {"size": 5, "n": 3, "draws": 60, "seed": 8}
    truth, errors = errors_of(OWN, **setting, sign=-1 if minimize else 1)
    shown = explore.expected_maximum(OWN, minimize=minimize).show(**setting)
    u, v = errors["u"], errors["v"]
    # The scores' standard deviation is 2.6, so two decimals tell errors apart.
    assert shown.sentence == (
        "60 samples of N = 5 runs, drawn from your 7 as if those were all there are. The best of n = 3 is "
        f"truly {truth:.2f}. U is off by {written(u.mean())} on average, with a Monte Carlo error of "
        f"{spread_of(u):.2f}: {verdict(u)}. V is off by {written(v.mean())} on average, with a Monte Carlo "
        f"error of {spread_of(v):.2f}: {verdict(v)}. V was nearer to the truth than U in "
        f"{sum(abs(v) < abs(u))} of the samples."
    )
    assert shown.rows.high.max() == pytest.approx(0.4 * np.std(OWN))
    assert (v.mean() > u.mean()) == minimize  # V is the worse one: higher, if lower is better


@pytest.mark.parametrize("scores", [[0.5, 0.5, 0.5], [0.3, 0.3, 0.3], [0.1 + 0.2, 0.3, 0.3]])
def test_runs_of_ones_own_that_are_all_alike_have_no_errors(scores):
    shown = explore.expected_maximum(scores).show(size=10, n=2, draws=30, seed=0)
    assert f"truly {scores[0]:.6f}. U is off by 0.000000 on average" in shown.sentence
    assert "V was nearer to the truth than U in 0 of the samples" in shown.sentence
    assert shown.rows[["u", "v"]].sum().tolist() == [30, 30]


def test_it_starts_with_a_hundred_samples_and_buttons_draw_more():
    explorer = chapter_explorer("expected_maximum")
    assert explorer.start == {"pool": "LSTM", "size": 20, "n": 10, "draws": 100, "seed": 0}
    controls = {control.name: control for control in explorer.controls}
    assert controls["pool"].values == tuple(SYSTEMS)
    assert (controls["size"].live[0], controls["size"].live[-1]) == (2, 100)
    assert (controls["n"].live[0], controls["n"].live[-1]) == (1, 100)
    steps = {button.label: button.steps for button in explorer.buttons}
    assert steps["Draw one"] == {"draws": 1}
    assert steps["Draw 100"] == {"draws": 100}
    box = explorer.live()
    draws, seed = box.children[3:5]
    _, more, again = box.children[-2].children
    assert {button.layout.height for button in (more, again)} == {"44px"}
    more.click()
    assert draws.value == 200
    for _ in range(9):
        more.click()
    assert draws.value == 1000  # not more than it says
    again.click()
    assert (draws.value, seed.value) == (1, 1)
    shown = BeautifulSoup(box.children[-1].value, "html.parser")
    assert shown.p.text == explorer.show(**(explorer.start | {"draws": 1, "seed": 1})).sentence


def test_the_page_holds_the_scores_and_no_setting():
    page = BeautifulSoup(chapter_explorer("expected_maximum").page(), "html.parser")
    data = json.loads(page.find("script", type="application/json").string)
    assert "states" not in data
    for name in SYSTEMS:
        assert data["sampler"]["pools"][name]["scores"] == pool_of(name)
    steps = {b.text: json.loads(b["data-steps"]) for b in page.find_all("button", type="button")}
    assert steps == {button.label: button.steps for button in chapter_explorer("expected_maximum").buttons}
    for name in ("draws", "seed"):
        assert page.find("input", attrs={"name": name})["type"] == "number"


@pytest.mark.parametrize(
    ("explorer", "setting"),
    [
        (chapter_explorer("expected_maximum"), {"draws": 150}),
        (chapter_explorer("expected_maximum"), {"size": 5, "n": 20, "draws": 40}),
        (explore.expected_maximum(OWN), {"size": 10, "n": 5}),
    ],
)
def test_errors_pile_up_where_the_axes_say(explorer, setting):
    rows, figure = explorer.show(**(explorer.start | setting)).rows, Figure(explorer, **setting)
    bars = [bar for bar in figure.marks("rect") if bar["height"] > 0.01]
    wanted = [
        (row.low, sign * count, plots.COLOURS[name])
        for name, sign in (("u", 1), ("v", -1))
        for row, count in zip(rows.itertuples(), rows[name], strict=True)
        if count
    ]
    zero, ten = (figure.size[1] / 2, figure.size[1] / 2 / rows.top.max())
    width = rows.high[0] - rows.low[0]
    found = [
        (
            figure.values("bottom", [bar["x"]])[0],
            (zero - bar["y"]) / ten if bar["y"] < zero - 0.01 else -bar["height"] / ten,
            bar["fill"],
        )
        for bar in bars
    ]
    assert len(found) == len(wanted)
    for (low, count, colour), (at, height, fill) in zip(wanted, found, strict=True):
        assert at == pytest.approx(low, abs=0.3 * width)
        assert height == pytest.approx(count, abs=0.05)
        assert fill.lower() == colour.lower()
    points = [p for p in figure.marks("symbol") if p["fill"] == INK]
    means = figure.values("bottom", [p["x"] for p in points])
    expected = [rows[f"{name}_mean"][0] for name in "uv" if not np.isnan(rows[f"{name}_mean"][0])]
    np.testing.assert_allclose(means, expected, atol=0.05 * width)
    assert [text["text"] for text in figure.marks("text")] == ["U, unbiased", "V, biased"]
    assert figure.colours() <= {"u", "v"}
