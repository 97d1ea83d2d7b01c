"""Chapter 4: intervals are drawn one by one, and those that miss the mean are
counted.
"""

import functools

import numpy as np

from evalkit._checks import check_scores, check_work
from evalkit._limits import MOST_PLAYED
from evalkit.explore._controls import Control
from evalkit.explore._drawn import Drawn, Row
from evalkit.explore._play import Guess, Law, Play, Series
from evalkit.explore._words import decimals
from evalkit.intervals import t_interval

__all__ = ["intervals"]

KINDS = {"t": "t", "t0": "t with ddof=0", "percentile": "bootstrap"}
SHAPES = {
    "normal": "normal",
    "skewed": "skewed",
    "some runs fail": "one in ten fails",
}
SIZES = (2, 3, 5, 7, 10, 20, 50)
RESAMPLES = 399


def intervals(scores=None):
    """Explore intervals for a mean: draw runs, and see which intervals miss the mean.

    Parameters
    ----------
    scores : array_like of float, shape (n_runs,), optional
        Your own runs, taken as if they were all there are; otherwise runs are drawn
        from known shapes.

    Returns
    -------
    Play

    Notes
    -----
    Size: up to 5,000 runs of your own, a page of them in 1 s and 100 MB.
    """
    controls = (
        Control("size", "n, runs", SIZES, 5, live=(2, 100, 1), short="n"),
        Control("kind", "95 % interval", tuple(KINDS), "percentile", text=KINDS.get),
    )
    if scores is None:
        shape = Control(
            "shape", "Shape of the scores", tuple(SHAPES), "normal", text=SHAPES.get
        )
        controls = (*controls, shape)
        data = {"truth": 0, "axis": [-3, 3]}
        title, digits = "score, in SDs (dashed: the true mean)", 2
    else:
        own = check_scores(scores, "scores", min_size=2, squared=True)
        check_work(
            len(own),
            MOST_PLAYED,
            f"scores has {len(own):,} values",
            "take a random part of them",
        )
        mean, spread = float(own.mean()), float(np.std(own)) or 1.0
        data = {
            "truth": mean,
            "axis": [mean - 3 * spread, mean + 3 * spread],
            "scores": own.tolist(),
        }
        title, digits = (
            f"score (dashed: the mean of your {len(own):,} runs)",
            decimals(spread),
        )
    return Play(
        "intervals",
        "95 % intervals for a mean, and which of them miss it",
        "Change n. How many intervals miss the true mean? Then take t instead.",
        "intervals",
        controls,
        data,
        {
            "axis": [title],
            "digits": digits,
            "lanes": {"interval": ""},
            "kinds": {"held": "holds the mean", "missed": "misses the mean"},
            "strip": {"sample": "the runs of the uppermost interval"},
            "hint": "Point, tap or use arrows for an interval's ends.",
            "tally": ["missed", "held"],
            "told": 2,
            "sentence": (
                "Each line is an interval ({kind}) for the mean of {size} fresh runs;"
                " the last 40 are shown. At 95 %, 5 of 100 should miss."
            ),
        },
        {"missed": "lstm", "held": "dummy"},
        Law(
            "size",
            ("Intervals that miss the mean,", "in 100"),
            "n, runs",
            SIZES,
            (0, 100),
            (Series("missed", "interval", "missed"),),
            by="kind",
            by_names=("t", "t, ddof=0", "bootstrap"),
            log=True,
            line=5,
        ),
        Guess(
            "Guess: of 100 such intervals of 2 runs, how many miss?",
            2,
            says="With 2 runs {truth} in 100 miss ({kind}).",
        ),
        functools.partial(_draw, data),
        _in_the_end,
    )


def _in_the_end(setting):
    """Return what Student's theorem says of normal scores; of the rest nothing."""
    is_exact = setting["kind"] == "t" and setting.get("shape") == "normal"
    return {"missed": 5.0} if is_exact else None


def _scores(data, setting, luck, size):
    if "scores" in data:
        own = np.array(data["scores"])
        return own[luck.places(size, len(own))]
    if setting["shape"] == "normal":
        return luck.normals(size)
    if setting["shape"] == "skewed":
        return -np.log(luck.take(size)) - 1
    drawn = luck.take(3 * size)
    fails = drawn[:, ::3] < 0.1
    normal = np.sqrt(-2 * np.log(drawn[:, 1::3])) * np.cos(2 * np.pi * drawn[:, 2::3])
    return (normal * 0.2 - 10 * fails + 1) / np.sqrt(0.04 + 100 * 0.09)


def _draw(data, setting, luck):
    size, kind = int(setting["size"]), setting["kind"]
    samples = _scores(data, setting, luck, size)
    centre = samples.mean(axis=1)
    if kind == "percentile":
        places = luck.places(RESAMPLES * size, size).reshape(-1, RESAMPLES, size)
        rows = np.arange(luck.draws)[:, None, None]
        means = np.sort(samples[rows, places].mean(axis=2), axis=1)
        ends = means[:, [round(q * (RESAMPLES + 1)) - 1 for q in (0.025, 0.975)]]
    else:
        ends = np.array([[*t_interval(sample)] for sample in samples])
        if kind == "t0":
            narrower = np.sqrt((size - 1) / size)
            ends = centre[:, None] + narrower * (ends - centre[:, None])
    slack = 1e-12 * np.abs(ends).max(axis=1)  # rounding makes no miss
    truth = data["truth"]
    held = (ends[:, 0] - slack <= truth) & (truth <= ends[:, 1] + slack)
    kinds = np.where(held, "held", "missed").astype(object)
    return Drawn(
        {"interval": (centre, kinds)},
        tuple(data["axis"]),
        mark=truth,
        rows=(Row("sample", samples[-1]),),
        ends=ends,
    )
