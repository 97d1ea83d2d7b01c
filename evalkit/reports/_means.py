"""Rows that are no runs: means and spreads of the others, as a pivot table or a spreadsheet leaves them."""

import numpy as np

from evalkit.reports._faults import examples
from evalkit.reports._words import SUMMARIES, is_summary


def without_summaries(frame, bench):
    """Leave out rows that are the mean or the spread of the others, if they are to the digits printed.

    Parameters
    ----------
    frame : pandas.DataFrame
    bench : Bench

    Returns
    -------
    pandas.DataFrame
    """
    roles = [r for r in ("dataset", "seed", "fold", "repeat") if r in frame and frame[r].dtype.kind == "O"]
    role = next((role for role in roles if frame[role].map(is_summary).any()), None)
    if role is None:
        bench.fine("mean-row", "None is called a mean, or a spread.")
        return frame
    found = frame[role].map(is_summary)
    rest = frame[~found].groupby("system").score
    tables = {name: rest.agg(name) for name in ("mean", "std", "sem", "median", "min", "max")}
    tables["std of all"] = rest.std(ddof=0)
    names = examples(frame[role][found].unique())

    def is_one(row):
        ways = SUMMARIES[str(row[role]).strip().lower()]
        ways = (*ways, "std of all") if "std" in ways else ways
        near = 0.051 * max(1, abs(row.score) / 100) if abs(row.score) > 1.5 else 0.00051
        return any(abs(tables[way].get(row.system, np.nan) - row.score) <= near for way in ways)

    if frame[found].apply(is_one, axis=1).all():
        bench.say("mean-row", "decided", f"{names}: computed from the other rows, and left out.")
        bench.drop(int(found.sum()), "means and spreads of the other rows")
        return frame[~found].reset_index(drop=True)
    bench.found(
        "mean-row",
        f"{names} stands among the {role}s, and is not quite what the other rows give.",
        "A mean that is counted as a row counts every score twice, and a spread is no score.",
        ("take it out of the file.",),
    )
    return frame
