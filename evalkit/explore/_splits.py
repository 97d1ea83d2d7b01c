"""Chapter 1: how the data are divided against how the estimate scatters."""

import functools

import pandas as pd

from evalkit._checks import check_int
from evalkit.explore._core import DATA, REFERENCE, Control, Explorer, View, layered
from evalkit.explore._tables import check_recorded
from evalkit.plots import COLOURS

__all__ = ["splits"]

WAYS = {"one split": "one_split", "cross-validation": "accuracy"}
KINDS = {"random": "at random", "stratified": "stratified by class", "grouped": "by whole modules"}
_NEEDED = {
    "divided": ("scheme", "folds", "shuffle", *WAYS.values()),
    "outside": ("lines", "accuracy", "new_lines", "new_accuracy"),
}


def show(divided, outside, n_lines, *, scheme, folds):
    """Return the estimates of many divisions of the same lines.

    Parameters
    ----------
    divided : DataFrame
        A division a row, by `scheme` and `folds`.
    outside : Series
        What a model of all the lines is worth on others, and on those of new modules.
    n_lines : int
        The lines that are divided.
    scheme : {"random", "stratified", "grouped"}
    folds : int
        K; a single split leaves out one part of K, so a share of 1 - 1/K is trained on.

    Returns
    -------
    View
        Columns `way`, `accuracy` and `truth`, the accuracy outside of a model of all the lines.
    """
    estimates = divided.loc[(scheme, folds)].sort_values("shuffle")
    rows = pd.concat(
        [pd.DataFrame({"way": way, "accuracy": estimates[column]}) for way, column in WAYS.items()],
        ignore_index=True,
    )
    grouped = scheme == "grouped"
    rows["truth"] = outside.new_accuracy if grouped else outside.accuracy
    mean, sd = (100 * getattr(rows.groupby("way").accuracy, name)() for name in ("mean", "std"))
    levels = " and ".join(
        f"{mean[way]:.1f}% (standard deviation {sd[way]:.1f} points) for {way}" for way in WAYS
    )
    n_others = outside.new_lines if grouped else outside.lines
    sentence = (
        f"{n_lines:,} lines divided {KINDS[scheme]} into {folds} parts, {len(estimates)} times, each model "
        f"trained on {'about ' * grouped}{1 - 1 / folds:.0%} of them: the estimates are on average {levels}. "
        f"A model of all {n_lines:,} lines is right on {rows.truth[0]:.1%} of {n_others:,} others"
        f"{', all from modules that it has not seen' if grouped else ''}."
    )
    return View(rows, sentence)


def splits(*, recorded=None, n_lines=None):
    """Explore splits: how far an estimate depends on the division of the data.

    Parameters
    ----------
    recorded : dict of str to DataFrame
        The chapter's tables: `divided`, estimates from many divisions of the same lines, and `outside`, what
        a model of all these lines is worth on others.
    n_lines : int
        How many lines were divided.

    Returns
    -------
    Explorer
    """
    given = check_recorded(recorded, _NEEDED)
    n_lines = check_int(n_lines, "n_lines", low=1)
    folds = tuple(sorted(given["divided"].folds.unique().tolist()))
    controls = (
        Control("scheme", "Division", tuple(KINDS), "stratified"),
        Control(
            "folds", "K, parts (and share trained on)", folds, 5, text=lambda k: f"{k} ({1 - 1 / k:.0%})"
        ),
    )
    divided = given["divided"].set_index(["scheme", "folds"]).sort_index()
    show_division = functools.partial(show, divided, given["outside"].iloc[0], n_lines)
    return Explorer("splits", "Estimates of one model from the same lines", controls, show_division, _chart)


def _chart():
    import altair as alt

    data = alt.Chart(alt.NamedData(DATA))
    scale = alt.Scale(domain=[0.4, 0.9], clamp=True)
    title = ["estimated accuracy", "(dashed: on other lines)"]
    ticks = data.mark_tick(thickness=2, height=70, color=COLOURS["one"], opacity=0.5).encode(
        x=alt.X("accuracy:Q", scale=scale, title=title, axis=alt.Axis(format="%")),
        y=alt.Y("way:N", sort=list(WAYS), title=None),
    )
    return layered(ticks, data.mark_rule(**REFERENCE).encode(x="max(truth):Q"))
