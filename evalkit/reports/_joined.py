"""Answers of several systems to the same items: joined by the name of the item, never by the row."""

import numpy as np
import pandas as pd

from evalkit.reports._faults import examples, shown
from evalkit.reports._twice import as_text

_FEWEST = 20  # predictions, to be judged by how often they are right


def matched(frame, bench):
    """Keep the items that every run of every system answered, in the same order.

    Parameters
    ----------
    frame : pandas.DataFrame
    bench : Bench or None
        None where nothing is to be said.

    Returns
    -------
    pandas.DataFrame
    """
    units = ["system", *(name for name in ("rater", "seed") if name in frame)]
    by_run = {}
    for key, part in frame.groupby(units, sort=False):
        what = "rater" if "rater" in units else "run"
        name = shown(key[0]) + (f" {what} {as_text(key[1])}" if len(key) > 1 else "")
        by_run[name] = set(part["item"].to_numpy(object))
    common, every = set.intersection(*by_run.values()), set.union(*by_run.values())
    if bench is not None:
        if common == every:
            bench.fine("unmatched", f"All {len(every):,} items, joined by their names.")
        else:
            _unmatched(by_run, common, every, bench, "rater" in units)
    kept = frame[frame["item"].isin(common)]
    places = pd.DataFrame({name: pd.factorize(kept[name])[0] for name in [*units, "item"]}, index=kept.index)
    return kept.loc[places.sort_values([*units, "item"], kind="stable").index].reset_index(drop=True)


def _unmatched(by_run, common, every, bench, is_rated):
    parts = [
        f"{name} lacks {len(every - items):,} ({examples(sorted(every - items))})"
        for name, items in by_run.items()
        if every - items
    ]
    plain = {name: {str(i).strip().lower().lstrip("0") for i in items} for name, items in by_run.items()}
    alike = set.intersection(*plain.values())
    hint = " Spaces, case or leading zeros are all that keeps more of them apart." * (
        len(alike) > len(common)
    )
    if not common:
        bench.refuse(
            "unmatched",
            f"No item is in all answers: {'; '.join(parts[:6])}.{hint}",
            "Answers are joined by the name of the item, never by the row in which they stand.",
            "--map item=COLUMN, if another column names the items.",
            "or write the names in one way.",
            *(["--unit item: whoever scored an item, for these raters only."] if is_rated else []),
        )
    said = bench.options.unmatched
    bench.found(
        "unmatched",
        f"Of {len(every):,} items {len(common):,} are in all answers: {'; '.join(parts[:6])}.{hint}",
        "Joined by row, strangers would be paired; left out in silence, the hard items may be gone.",
        (f"--unmatched drop compares on the {len(common):,} that all have, and the page says so.",),
        decided=said and "You said --unmatched drop: the others are left out.",
    )
    bench.drop(
        sum(len(items - common) for items in by_run.values()), "answers to items that not every system has"
    )


# ---------------------------------------------------------------------------------------------
# Numbers that count from 0 in one file and from 1 in the other
# ---------------------------------------------------------------------------------------------


def are_shifted(ids, others):
    """Tell whether numbers count the same things from 0 here and from 1 there.

    Parameters
    ----------
    ids, others : collection of str

    Returns
    -------
    bool
        Whether the one are the others moved by 1, all of them.
    """
    ids, others = _whole(ids), _whole(others)
    return bool(ids and others and ids != others and len(ids) > 1) and (
        {k + 1 for k in ids} == others or {k - 1 for k in ids} == others
    )


def _whole(ids):
    return {int(k) for k in ids if str(k).isdecimal()} if all(str(k).isdecimal() for k in ids) else set()


def refuse_shifted(frame, bench):
    """Refuse systems of which one numbers the items from 0 and another from 1.

    Parameters
    ----------
    frame : pandas.DataFrame
    bench : Bench
    """
    of = {
        name: set(part["item"].dropna().to_numpy(object))
        for name, part in frame.groupby("system", sort=False)
    }
    baseline = bench.options.baseline
    for name, ids in of.items():
        if name != baseline and baseline in of and are_shifted(ids, of[baseline]):
            refuse(shown(name), shown(baseline), ids, of[baseline], bench)
    if not {"prediction", "label"} <= set(frame):
        return
    right = frame.dropna(subset=["label"]).drop_duplicates("item").set_index("item").label
    for name, part in frame.groupby("system", sort=False):
        if fits := _fits_better(part.drop_duplicates("item"), right):
            by, moved, as_it_is = fits
            bench.refuse(
                "unmatched",
                f"The predictions of {shown(name)} are right on {as_it_is:.1%} of the items, and on "
                f"{moved:.1%} of those whose number is {'larger' if by > 0 else 'smaller'} by 1.",
                _WHY,
                _MEND,
            )


def _fits_better(part, right):
    """Return by how much the items' numbers of a system are off, if it is right far more often for it."""
    if not _whole(part["item"]):
        return None
    numbers = part["item"].astype(int)
    hits = {}
    for by in (-1, 0, 1):
        there = (numbers + by).astype(str).map(right)
        known = there.notna()
        hits[by] = (known.sum(), (part.prediction[known].astype(str) == there[known].astype(str)).mean())
    by = max((-1, 1), key=lambda by: hits[by][1])
    n, moved, as_it_is = min(hits[by][0], hits[0][0]), hits[by][1], hits[0][1]
    if n < _FEWEST:
        return None
    # Far beyond chance: five standard errors of the difference of two shares.
    clear = 5 * np.sqrt(0.5 / n)
    return (by, moved, as_it_is) if moved - as_it_is > max(clear, 0.2) else None


_WHY = (
    "One file counts from 0 and the other from 1, it seems: joined as they are, each answer is held against "
    "the item beside it."
)
_MEND = "number the items in one way in all files: add 1 to those that begin at 0."


def refuse(name, other, ids, others, bench):
    """Refuse ids that are those of another file moved by 1.

    Parameters
    ----------
    name, other : str
    ids, others : collection of str
    bench : Bench
    """
    ends = [f"{min(of):,} to {max(of):,}" for of in (_whole(ids), _whole(others))]
    what = f"The items of {name} are numbered {ends[0]}, those of {other} {ends[1]}: the same, moved by 1."
    bench.refuse("unmatched", what, _WHY, _MEND)
