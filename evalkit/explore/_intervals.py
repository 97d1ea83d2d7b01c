"""Chapter 4: the number of runs and the shape of their scores against coverage and width of intervals."""

import functools

import pandas as pd

from evalkit import runs
from evalkit.experiments.explorers import RUNS, SHAPES
from evalkit.explore._core import DATA, Control, Explorer, Shown, layered

KINDS = {"t": "t", "t, dividing by n": "t0", "percentile bootstrap": "percentile", "BCa bootstrap": "bca"}


@functools.cache
def _recorded():
    return runs.load_recorded("explorers", "intervals").set_index(["shape", "size"])


def show(*, shape, size):
    """Return how often each interval holds the mean, and how wide it is.

    Parameters
    ----------
    shape : str
        One of `evalkit.experiments.explorers.SHAPES`.
    size : int
        Number of runs.

    Returns
    -------
    Shown
        Columns `interval`, `held` and `width`, in standard deviations of the scores.
    """
    line = _recorded().loc[shape, size]
    rows = pd.DataFrame({
        "interval": list(KINDS),
        "held": [float(line[f"held_{key}"] / line.samples) for key in KINDS.values()],
        "width": [float(line[f"width_{key}"]) for key in KINDS.values()],
    })  # fmt: skip
    told = "; ".join(f"{r.interval} {r.held:.1%} (width {r.width:.2f})" for r in rows.itertuples())
    sentence = f"From {size} runs with {shape} scores, a 95 % interval holds the true mean: {told}."
    return Shown(rows, sentence.replace("with some runs fail scores", "of which some fail"))


def intervals():
    """Explore intervals for a mean: coverage and width.

    Returns
    -------
    Explorer
    """
    controls = (Control("size", "Number of runs", RUNS, 5), Control("shape", "Shape of the scores", SHAPES, "normal"))
    return Explorer("intervals", "Coverage of 95 % intervals for a mean", controls, show, _chart)


def _chart():
    import altair as alt

    bars = alt.Chart(alt.NamedData(DATA)).mark_bar(color="#0072B2").encode(
        y=alt.Y("interval:N", sort=None, title=None, axis=alt.Axis(labelLimit=220)),
        x=alt.X("held:Q", scale=alt.Scale(domain=[0, 1]), title="intervals that hold the mean", axis=alt.Axis(format="%")),
    )  # fmt: skip
    text = alt.Chart(alt.NamedData(DATA)).mark_text(align="left", dx=6, color="#ffffff", fontSize=13).encode(
        y=alt.Y("interval:N", sort=None), x=alt.value(0), text=alt.Text("width:Q", format=".2f"),
    )  # fmt: skip
    rule = alt.Chart(alt.NamedData(DATA)).mark_rule(color="#000000", strokeDash=[3, 3]).encode(x=alt.datum(0.95))
    return layered(bars, rule, text)
