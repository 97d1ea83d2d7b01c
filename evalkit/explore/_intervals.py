"""Chapter 4: intervals are drawn one by one, and those that miss the mean are
counted.
"""

import numpy as np

from evalkit._checks import check_scores, check_work
from evalkit._limits import MOST_PLAYED
from evalkit.explore._controls import Control
from evalkit.explore._play import Guess, Play
from evalkit.explore._words import decimals

__all__ = ["intervals"]

KINDS = {"t": "t", "t0": "t, dividing by n", "percentile": "percentile bootstrap"}
SHAPES = {
    "normal": "normal",
    "skewed": "skewed",
    "some runs fail": "one run in ten fails",
}
SIZES = (2, 3, 5, 7, 10, 20, 50)


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
        Control("size", "Number of runs", SIZES, 5),
        Control("kind", "95 % interval", tuple(KINDS), "t", text=KINDS.get),
    )
    if scores is None:
        shape = Control(
            "shape", "Shape of the scores", tuple(SHAPES), "normal", text=SHAPES.get
        )
        controls = (*controls, shape)
        data = {"truth": 0, "axis": [-3, 3]}
        title, digits = "score, in standard deviations (dashed: the mean)", 2
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
        "intervals",
        controls,
        data,
        {
            "axis": [title],
            "digits": digits,
            "lanes": {"interval": ""},
            "kinds": {"held": "holds the mean", "missed": "misses the mean"},
            "strip": {"sample": "the runs of the uppermost interval"},
            "hint": "Point or use arrows for an interval's ends.",
            "tally": ["missed", "held"],
            "sentence": (
                "Each line is the interval of {size} fresh runs; the last 40 are shown."
            ),
            "later": (
                "An interval that keeps its promise misses the mean in 5 of 100. In"
                " brackets: 95 %, for more such draws."
            ),
        },
        {"missed": "two", "held": "one"},
        Guess("Guess first: of 100 such intervals, how many miss the mean?", "missed"),
    )
