"""Chapter 4: the number of runs and the shape of their scores against coverage and width of intervals."""

import functools

import pandas as pd

from evalkit._checks import check_scores, check_work
from evalkit.explore._core import DATA, INK, Control, Explorer, View, bars, layered
from evalkit.explore._tables import check_recorded
from evalkit.explore._words import decimal
from evalkit.intervals import bootstrap_interval, t_interval
from evalkit.plots import COLOURS

__all__ = ["intervals"]

KINDS = {"t": "t", "t, dividing by n": "t0", "percentile bootstrap": "percentile", "BCa bootstrap": "bca"}
DESCRIPTIONS = {
    "normal": "with normal scores",
    "skewed": "with skewed scores",
    "some runs fail": "each of which fails one time in ten",
}
_MOST_RUNS = 5000
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99)
_NEEDED = (
    "shape",
    "size",
    "samples",
    *(f"{what}_{kind}" for what in ("held", "width") for kind in KINDS.values()),
)


def show(simulated, *, shape, size):
    """Return how often each interval holds the mean, and how wide it is.

    Parameters
    ----------
    simulated : DataFrame
        By `shape` and `size`: of so many samples, how many intervals of each kind held the mean, and their
        mean width.
    shape : str
        One of `DESCRIPTIONS`.
    size : int
        Number of runs.

    Returns
    -------
    View
        Columns `interval`, `coverage` and `width`, in standard deviations of the scores, as text.
    """
    line = simulated.loc[shape, size]
    rows = pd.DataFrame(
        {
            "interval": list(KINDS),
            "coverage": [float(line[f"held_{key}"] / line.samples) for key in KINDS.values()],
            # In figures, as the sentence has them: a chart that rounds for itself may round otherwise.
            "width": [f"{line[f'width_{key}']:.2f}" for key in KINDS.values()],
        }
    )
    listing = "; ".join(f"{r.interval} in {r.coverage:.0%}, {r.width} SDs wide" for r in rows.itertuples())
    sentence = (
        f"Samples of {size} runs {DESCRIPTIONS[shape]}: how many 95% intervals hold the true mean, and their "
        f"mean width: {listing}."
    )
    return View(rows, sentence)


def _show_own(scores, *, level):
    ends = {
        "t": t_interval(scores, confidence_level=level),
        **{
            f"{method} bootstrap": bootstrap_interval(
                scores, method=method.lower(), confidence_level=level, rng=4
            )
            for method in ("percentile", "BCa")
        },
    }
    rows = pd.DataFrame(
        [(kind, *interval) for kind, interval in ends.items()], columns=["interval", "low", "high"]
    )
    rows["mean"] = scores.mean()
    spread = float((rows.high - rows.low).max())
    listing = "; ".join(
        f"{r.interval} {decimal(r.low, spread)} to {decimal(r.high, spread)}" for r in rows.itertuples()
    )
    mean = decimal(scores.mean(), spread)
    return View(rows, f"The mean of your {len(scores)} runs is {mean}; at {100 * level:g}%: {listing}.")


def intervals(scores=None, *, recorded=None):
    """Explore intervals for a mean: coverage and width.

    Parameters
    ----------
    scores : array_like of float, shape (n_runs,), optional
        Your own runs, and how far from their mean each interval goes.
    recorded : DataFrame, optional
        The chapter's table instead: how often each kind held a mean that is known.

    Returns
    -------
    Explorer

    Notes
    -----
    Size: up to 5,000 runs of your own, a page of them in 60 s and 1 GB.
    """
    recorded = check_recorded(recorded, _NEEDED, scores, "scores")
    if scores is not None:
        own = check_scores(scores, "scores", min_size=2, squared=True)
        check_work(len(own), _MOST_RUNS, f"scores has {len(own):,} values", "take a random part of them")
        show_level = functools.partial(_show_own, own)
        level = Control("level", "Confidence level", LEVELS, 0.95, (0.5, 0.999, 0.001), "{:.0%}".format)
        return Explorer("intervals", "Intervals for the mean of your runs", (level,), show_level, _chart_own)
    controls = (
        Control("size", "Number of runs", tuple(sorted(recorded["size"].unique().tolist())), 5),
        Control("shape", "Shape of the scores", tuple(recorded["shape"].unique()), "normal"),
    )
    show_sample = functools.partial(show, recorded.set_index(["shape", "size"]))
    return Explorer("intervals", "Coverage of 95% intervals for a mean", controls, show_sample, _chart)


def _chart():
    import altair as alt

    data = alt.Chart(alt.NamedData(DATA))
    place = alt.Y("interval:N", sort=None)
    title = ["intervals that hold the mean", "(in the bar: width, in SDs)"]
    lengths = bars("interval", "coverage", title, style="two", reference=0.95)  # dark behind white figures
    # The width in figures: an axis of its own would run from 0.3 to 14.
    width = data.mark_text(align="left", dx=6, color="#ffffff", fontSize=13).encode(
        y=place, x=alt.datum(0), text="width:N"
    )
    return layered(lengths, width)


def _chart_own():
    import altair as alt

    data = alt.Chart(alt.NamedData(DATA))
    place = alt.Y("interval:N", sort=None, title=None, axis=alt.Axis(labelLimit=220))
    scale = alt.Scale(zero=False)
    return layered(
        data.mark_rule(color=COLOURS["one"], strokeWidth=4).encode(
            x=alt.X("low:Q", scale=scale, title="score"), x2="high:Q", y=place
        ),
        data.mark_point(filled=True, size=90, color=INK).encode(x="mean:Q", y=place),
    )
