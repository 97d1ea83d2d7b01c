"""Chapter 1: how the data are divided against how the estimate scatters."""

import functools

import pandas as pd

from evalkit import runs
from evalkit.experiments.explorers import FOLDS, LINES, SCHEMES
from evalkit.explore._core import DATA, Control, Explorer, Shown, layered

WAYS = ("one split", "cross-validation")
COLUMNS = {"one split": "one_split", "cross-validation": "accuracy"}


@functools.cache
def _recorded():
    return runs.load_recorded("explorers", "divided").set_index(["scheme", "folds"]).sort_index()


def show(*, scheme, folds):
    """Return the estimates of many divisions of the same lines.

    Parameters
    ----------
    scheme : {"random", "stratified", "grouped"}
    folds : int
        K; a single split leaves out one part of K.

    Returns
    -------
    Shown
        Columns `way` and `accuracy`.
    """
    found = _recorded().loc[(scheme, folds)].sort_values("shuffle")
    rows = pd.concat([pd.DataFrame({"way": way, "accuracy": found[COLUMNS[way]]}) for way in WAYS])
    mean, sd = (100 * getattr(rows.groupby("way").accuracy, name)() for name in ("mean", "std"))
    told = " and ".join(f"{mean[way]:.1f} % with a standard deviation of {sd[way]:.1f} points for {way}" for way in WAYS)
    kind = {"random": "at random", "stratified": "stratified by class", "grouped": "by whole modules"}[scheme]
    sentence = (
        f"{LINES:,} lines divided {kind} into {folds} parts, {len(found)} times: the estimates are {told}. Each "
        f"model is trained on {1 - 1 / folds:.0%} of the lines."
    )
    return Shown(rows.reset_index(drop=True), sentence)


def splits():
    """Explore splits: how far an estimate depends on the division of the data.

    Returns
    -------
    Explorer
    """
    controls = (
        Control("scheme", "Division", SCHEMES, "stratified"),
        Control("folds", "K, parts", FOLDS, 5),
    )
    return Explorer("splits", "Estimates of one model on the same lines", controls, show, _chart)


def _chart():
    import altair as alt

    return layered(
        alt.Chart(alt.NamedData(DATA)).mark_tick(thickness=2, height=60, color="#0072B2", opacity=0.5).encode(
            x=alt.X("accuracy:Q", scale=alt.Scale(domain=[0.5, 0.9], clamp=True), title="estimated accuracy", axis=alt.Axis(format="%")),
            y=alt.Y("way:N", sort=list(WAYS), title=None, axis=alt.Axis(labelLimit=220)),
        )
    )  # fmt: skip
