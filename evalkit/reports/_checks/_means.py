"""Rows that are no runs: means and spreads of the others, as a pivot table or a spreadsheet leaves them."""

import numpy as np

from evalkit._spread import decimals_of
from evalkit.reports._faults import examples

# What is computed from the rows beside it, by the function of pandas that gives it.
_MEANS = "mean average avg avg. overall total macro all ave ave."
_SPREADS = "std sd stdev std. stddev se sem stderr error"
SUMMARIES = {
    **dict.fromkeys(_MEANS.split(), ("mean",)),
    **dict.fromkeys(_SPREADS.split(), ("std", "std of all", "sem")),
    **{name: (name,) for name in ("median", "min", "max")},
}


def is_summary(name):
    """Tell whether a name is that of a mean, a spread or the like."""
    return str(name).strip().lower() in SUMMARIES


def without_summaries(frame, bench):
    """Leave out rows that are the mean or the spread of the others, if they are to the digits printed."""
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
    hidden = _half(decimals_of([frame.score[~found].dropna()]))

    def is_one(row):
        # It was rounded, and the scores from which it comes may have been as well.
        near = hidden + _half(decimals_of([[row.score]]), abs(row.score) <= 1.5)
        near += 1e-9 * max(1, abs(row.score))
        ways = [tables[way].get(row.system, np.nan) for way in SUMMARIES[str(row[role]).strip().lower()]]
        return any(abs(value - row.score) <= near for value in ways)

    if frame[found].apply(is_one, axis=1).all():
        bench.say("mean-row", "decided", f"{names}: computed from the other rows, and left out.")
        bench.drop(int(found.sum()), "means and spreads of the other rows")
        return frame[~found].reset_index(drop=True)
    what = f"{names} stands among the {role}s, and is not quite what the other rows give."
    why = "A mean that is counted as a row counts every score twice, and a spread is not a score."
    bench.found("mean-row", what, why, "take it out of the file.")
    return frame


def _half(decimals, is_share=False):
    """Return how far off a number of so many decimals may be; 1.0 of shares was hardly rounded to a whole."""
    return 0.0 if decimals is None else 0.51 * 10.0 ** -max(decimals, 2 * is_share)
