"""Chapter 2: class imbalance against what each dummy scores, by metric."""

import pandas as pd

from evalkit.explore._core import DATA, Control, Explorer, Shown, layered

SHARES = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.94, 0.96, 0.98, 0.99)
METRICS = ("accuracy", "balanced accuracy", "macro F1", "F1 of the rare class")


def _f1(both, named, there):
    return 2 * both / (named + there) if named + there else 0.0


def score(metric, rare, answers):
    """Return what a dummy scores on endlessly many items of two classes.

    Parameters
    ----------
    metric : str
        One of `METRICS`.
    rare : float
        The share of the rare class.
    answers : float
        How often the dummy answers "rare", whatever the item.

    Returns
    -------
    float
    """
    common, otherwise = 1 - rare, 1 - answers
    of_rare = _f1(rare * answers, answers, rare)
    return {
        "accuracy": rare * answers + common * otherwise,
        "balanced accuracy": (answers + otherwise) / 2,
        "macro F1": (of_rare + _f1(common * otherwise, otherwise, common)) / 2,
        "F1 of the rare class": of_rare,
    }[metric]


def show(*, share, metric):
    """Return what each dummy scores.

    Parameters
    ----------
    share : float
        Of the common class.
    metric : str

    Returns
    -------
    Shown
        Columns `dummy` and `score`.
    """
    rare = 1 - share
    answers = {"most frequent": 0.0, "stratified": rare, "uniform": 0.5, "always the rare class": 1.0}
    rows = pd.DataFrame({"dummy": list(answers), "score": [score(metric, rare, a) for a in answers.values()]})
    best = rows.loc[rows.score.idxmax()]
    always = rows.score.iloc[0]
    sentence = (
        f"With {share:.0%} of the items in one class, always answering it scores {always:.3f} in {metric}. The best dummy "
        f"is \"{best.dummy}\", with {best.score:.3f}: a system has to beat that to have learned anything."
    )
    return Shown(rows, sentence)


def baselines():
    """Explore the dummies: what they score on imbalanced classes.

    Returns
    -------
    Explorer
    """
    controls = (Control("share", "Share of the common class", SHARES, 0.9), Control("metric", "Metric", METRICS, "accuracy"))
    return Explorer("baselines", "What each dummy scores", controls, show, _chart)


def _chart():
    import altair as alt

    return layered(
        alt.Chart(alt.NamedData(DATA)).mark_bar(color="#666666").encode(
            y=alt.Y("dummy:N", sort=None, title=None, axis=alt.Axis(labelLimit=220)),
            x=alt.X("score:Q", scale=alt.Scale(domain=[0, 1]), title="score"),
        )
    )  # fmt: skip
