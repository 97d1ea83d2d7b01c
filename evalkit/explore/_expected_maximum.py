"""Chapter 7: samples of runs are drawn, and the errors of U and V pile up around the truth."""

import functools

import numpy as np
import pandas as pd

from evalkit._checks import check_bool, check_scores, check_work
from evalkit._ties import levels, rounding
from evalkit.expected_maximum import expected_max
from evalkit.explore._core import DATA, INK, REFERENCE, Button, Control, Explorer, View, layered
from evalkit.explore._draws import draw_places
from evalkit.explore._tables import NETWORKS, check_recorded, runs_of_networks
from evalkit.explore._words import decimals, signed
from evalkit.plots import COLOURS, NAMES

__all__ = ["expected_maximum"]

SIZES = (5, 10, 20, 50, 100)
BUDGETS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
MOST_DRAWS = 1000
BINS = 40
TOPS = (
    10,
    15,
    20,
    30,
    50,
    75,
    100,
    150,
    200,
    300,
    500,
    750,
    1000,
    1500,
)  # where the axis of the counts may end
_JUDGED = 20  # samples from which a mean is held against its Monte Carlo error
_HALF_AXIS = 5.0  # points
_MOST_RUNS = 5000

# `explorer.js` fills the same sentences.
_SENTENCES = {
    "one": "One sample of N = {size} {source}. The best of n = {n} is truly {truth}; ",
    "many": "{draws} samples of N = {size} {source}. The best of n = {n} is truly {truth}. ",
    "one u": "U is off by {u}UNIT and ",
    "one v": "V is off by {v}UNIT. One error shows no bias: draw more samples.",
    "many u": "U is off by {u}UNIT on average, with a Monte Carlo error of {u_error}: {u_says}. ",
    "many v": "V is off by {v}UNIT on average, with a Monte Carlo error of {v_error}: {v_says}.",
    "nearer": " V was nearer to the truth than U in {nearer} of the samples.",
    "no u": "U has no answer for an n above N. ",
    "few": "too few samples to judge",
    "near": "zero is within two of these errors",
    "below": "more than two of these errors below zero",
    "above": "more than two of these errors above zero",
}


@functools.cache
def weights(size, n):
    """Return how U and V weigh scores in order, the lowest first.

    Parameters
    ----------
    size, n : int

    Returns
    -------
    dict of str to ndarray of float, shape (size,)
        Without "u", if n is above `size`.
    """
    # Both are linear in the scores in order, so scores of 0 and 1 show how much each place counts.
    steps = np.tri(size + 1, size, -1)[:, ::-1].astype(float)
    names = ("u", "v") if n <= size else ("v",)
    reached = {name: [expected_max(step, n, estimator=name) for step in steps] for name in names}
    return {name: np.diff(shares)[::-1] for name, shares in reached.items()}


def draw_errors(scores, *, size, n, draws, seed=0, minimize=False):
    """Draw samples of runs, and return by how much U and V miss the truth in each.

    Parameters
    ----------
    scores : ndarray of float
        All runs that there are: samples are drawn from them with replacement.
    size : int
        N, the runs of a sample.
    n : int
    draws : int
        Number of samples.
    seed : int, default 0
    minimize : bool, default False

    Returns
    -------
    truth : float
        The expected best of n draws from the scores.
    errors : dict of str to ndarray of float, shape (draws,)
        By estimator, the estimate minus the truth; without "u" if n is above N.
    """
    sign = -1 if minimize else 1
    truth = expected_max(scores, n, estimator="v", minimize=minimize)
    samples = np.sort(sign * scores[draw_places(seed, draws, size, len(scores))], axis=1)
    return truth, {name: sign * (samples @ shares) - truth for name, shares in weights(size, n).items()}


def _pile_up(errors, end):
    """Return the rows of the chart: how many errors fall into each bin, and what is marked beside them."""
    width = 2 * end / BINS
    rows = pd.DataFrame({"low": -end + width * np.arange(BINS)})
    rows["high"] = rows.low + width
    for name in ("u", "v"):
        found = errors.get(name, np.array([]))
        # An error of 0 stands on an edge: which bin it is in must not hang on its last bit.
        places = np.clip(np.floor(np.round((found + end) / width, 9)).astype(int), 0, BINS - 1)
        rows[name] = np.bincount(places, minlength=BINS)
        mean, margin, last = (np.nan,) * 3
        if found.size:
            last = float(np.clip(found[-1], -end, end))
        if found.size > 1:
            mean, margin = found.mean(), 2 * _monte_carlo_error(found)
        ends = {"mean": mean, "from": mean - margin, "to": mean + margin, "last": last}
        for mark, value in ends.items():
            rows[f"{name}_{mark}"] = value
    most = max(rows.u.max(), rows.v.max())
    rows["top"] = next(top for top in TOPS if top >= 1.3 * most)  # above the pile, room for the mean
    return rows


def _monte_carlo_error(errors):
    return errors.std(ddof=1) / np.sqrt(len(errors))


def _judge(errors):
    if len(errors) < _JUDGED:
        return _SENTENCES["few"]
    mean, margin = errors.mean(), 2 * _monte_carlo_error(errors)
    return _SENTENCES["near" if abs(mean) <= margin else "below" if mean < 0 else "above"]


def show(pool, *, size, n, draws, seed):
    """Return how the errors of U and V pile up.

    Parameters
    ----------
    pool : dict
        As `describe_pool` returns it.
    size : int
        N, the runs of a sample.
    n : int
        Of so many runs the best is taken.
    draws : int
        Samples, drawn with replacement from all runs of the pool.
    seed : int
        Of the draws.

    Returns
    -------
    View
        A bin of errors a row. Columns `low` and `high`, its ends; `u` and `v`, the samples in it; the same
        in every row, for each estimator: `u_mean`, its mean error, `u_from` and `u_to`, two Monte Carlo
        errors around it, and `u_last`, the last error; `top`, where the axis of the counts ends.
    """
    truth, errors = draw_errors(
        np.array(pool["scores"]), size=size, n=n, draws=draws, seed=seed, minimize=pool["sign"] < 0
    )
    errors = {name: pool["scale"] * found for name, found in errors.items()}
    digits, many = pool["digits"], "one" if draws == 1 else "many"
    words = {"size": size, "n": n, "source": pool["source"], "draws": f"{draws:,}"}
    words["truth"] = f"{truth:.{pool['truth_digits']}f}"
    for name, found in errors.items():
        words[name] = signed(found.mean(), digits)
        if draws > 1:
            words |= {
                f"{name}_error": f"{_monte_carlo_error(found):.{digits}f}",
                f"{name}_says": _judge(found),
            }
    parts = [many, f"{many} u" if "u" in errors else "no u", f"{many} v"]
    if draws > 1 and n > 1 and "u" in errors:
        ahead = abs(errors["u"]) - abs(errors["v"])
        words["nearer"] = int(np.count_nonzero(ahead > 1e-9 * pool["end"]))  # what rounding makes is no lead
        parts.append("nearer")
    sentence = "".join(_sentences(pool)[part] for part in parts).format_map(words)
    return View(_pile_up(errors, pool["end"]), sentence)


def _sentences(pool):
    return {name: text.replace("UNIT", pool["unit"]) for name, text in _SENTENCES.items()}


def describe_pool(scores, source, *, minimize=False, points=False):
    """Return what `show` and `explorer.js` need to know of a pool.

    Parameters
    ----------
    scores : sequence of float
    source : str
        "runs of ...", as a sentence has it.
    minimize : bool, default False
    points : bool, default False
        Whether the scores are shares, whose errors are told in points.

    Returns
    -------
    dict
    """
    # The mean of equal scores may be off by rounding, and so no longer be equal to them.
    spread = float(np.std(scores)) if np.ptp(scores) else 0.0
    own = {"scale": 1, "unit": "", "end": 0.4 * spread or 1.0}
    own["digits"] = own["truth_digits"] = decimals(spread)
    of_shares = {"scale": 100, "unit": " points", "end": _HALF_AXIS, "digits": 2, "truth_digits": 3}
    kind = of_shares if points else own
    return {"scores": list(map(float, scores)), "source": source, "sign": -1 if minimize else 1, **kind}


def _show_pool(pools, *, pool, **setting):
    return show(pools[pool], **setting)


def expected_maximum(scores=None, *, recorded=None, minimize=False):
    """Explore the expected maximum: draw samples, and see by how much U and V miss the truth.

    Parameters
    ----------
    scores : array_like of float, shape (n_runs,), optional
        Your own runs, taken as if they were all there are.
    recorded : DataFrame, optional
        The chapter's table instead: `validation`, a share, of each run of each network, its `system`.
    minimize : bool, default False
        Whether lower is better in your scores.

    Returns
    -------
    Explorer

    Notes
    -----
    Size: up to 5,000 runs of your own, a page of them in 30 s and 500 MB.
    """
    recorded = check_recorded(recorded, ("system", "validation"), scores, "scores")
    controls = (
        Control("size", "N, runs in a sample", SIZES, 20, range(2, SIZES[-1] + 1)),
        Control("n", "n, runs of which the best is taken", BUDGETS, 10, range(1, BUDGETS[-1] + 1)),
        Control("draws", f"Samples drawn, up to {MOST_DRAWS:,}", range(1, MOST_DRAWS + 1), 100, typed=True),
        Control("seed", "Seed of the draws", range(1000), 0, typed=True),
    )
    if recorded is not None:
        controls = (Control("pool", "Network", tuple(NETWORKS), "LSTM"), *controls)
        pools = {
            name: describe_pool(runs.validation, f"runs of the {name}", points=True)
            for name, runs in runs_of_networks(recorded).items()
        }
        show_setting = functools.partial(_show_pool, pools)
    else:
        own = levels(check_scores(scores, "scores", squared=True), rounding(scores))
        check_work(len(own), _MOST_RUNS, f"scores has {len(own):,} values", "take a random part of them")
        source = f"runs, drawn from your {len(own):,} as if those were all there are"
        pool = describe_pool(own, source, minimize=check_bool(minimize, "minimize"))
        pools, show_setting = {"": pool}, functools.partial(show, pool)
    buttons = (
        Button("Draw one", {"draws": 1}),
        Button("Draw 100", {"draws": 100}),
        Button("Start again, with new draws", {"draws": -MOST_DRAWS, "seed": 1}),
    )
    pools = {name: {**pool, "sentences": _sentences(pool)} for name, pool in pools.items()}
    sampler = {"name": "errors of U and V", "pools": pools, "bins": BINS, "tops": TOPS, "judged": _JUDGED}
    unit = next(iter(pools.values()))["unit"]
    return Explorer(
        "expected-maximum",
        "Errors of U and V, sample by sample",
        controls,
        show_setting,
        functools.partial(_chart, unit),
        buttons,
        sampler,
    )


def _chart(unit):
    import altair as alt

    data = alt.Chart(alt.NamedData(DATA))
    layers = [
        # Nothing to see: it makes the axis of the counts as long on both sides.
        data.transform_calculate(below="-datum.top")
        .mark_rule(opacity=0, color=INK)
        .encode(y="max(top):Q", y2="min(below):Q", x=alt.datum(0))
    ]
    axis = alt.Axis(labelExpr="format(abs(datum.value), 'd')", tickCount=6, grid=False)
    title = [
        "estimate minus truth" + (f", in{unit}" if unit else ""),
        "dot: mean ± 2 Monte Carlo errors",
        "diamond: latest sample; ends: the rest",
    ]
    for name, side in (("u", 1), ("v", -1)):
        half = data.transform_calculate(
            count=f"{side} * datum.{name}",
            high_up=f"{side * 0.88} * datum.top",
            base=f"{side * 0.04} * datum.top",
        )
        top = {"y": alt.Y("max(high_up):Q")}
        layers += [
            half.mark_bar(color=COLOURS[name], binSpacing=1).encode(
                x=alt.X("low:Q", bin="binned", title=title),
                x2="high:Q",
                y=alt.Y("count:Q", title="samples", axis=axis, scale=alt.Scale(nice=False)),
            ),
            half.mark_rule(strokeWidth=2, color=INK).encode(
                x=f"max({name}_from):Q", x2=f"max({name}_to):Q", **top
            ),
            half.mark_point(filled=True, size=60, color=INK, opacity=1).encode(
                x=f"max({name}_mean):Q", **top
            ),
            half.mark_point(
                shape="diamond", filled=True, size=50, color="#ffffff", stroke=INK, opacity=1
            ).encode(x=f"max({name}_last):Q", y="max(base):Q"),
            half.mark_text(align="left", fontSize=13, color=INK, dx=4).encode(
                x="min(low):Q", text=alt.datum(NAMES[name]), **top
            ),
        ]
    return layered(*layers, data.mark_rule(**REFERENCE).encode(x=alt.datum(0)))
