"""Answers of several systems to the same items: joined by the name of the item, never
by the row.
"""

import numpy as np
import pandas as pd

from evalkit._numbers import percent
from evalkit.reports._faults import count, examples, shown
from evalkit.reports._recognition._seen import as_shown

_DIGITS = "0123456789"
_FEWEST = 20  # predictions, to be judged by how often they are right


def shared(of, bench, code, words, why, refusal, ways=()):
    """Check that every system has the same, of sets by name; ask whether to leave out
    the rest.

    `words` are the noun, what the rest lacks ("are in all answers"), and what is said,
    with its outcome, where nothing is lacking; `refusal` is what is said, and to be
    done, where nothing is shared; `ways` are other options.
    """
    (one, are, whole, outcome), every = words, set.union(*of.values())
    common = set.intersection(*of.values())
    if common == every:
        bench.say(code, outcome, whole)
        return
    gaps = {name: sorted(every - own) for name, own in of.items() if every - own}
    lacking = "; ".join(
        f"{name} lacks {len(gap):,} ({examples(gap)})"
        for name, gap in [*gaps.items()][:6]
    )
    if not common:
        what, *rest = refusal
        bench.refuse(code, f"{what}: {lacking}.", *rest)
    said = bench.options.unmatched
    bench.found(
        code,
        f"Of {count(len(every), one)} {len(common):,} {are}: {lacking}.",
        why,
        f"--unmatched drop compares on the {len(common):,} that all have, and the page"
        " says so.",
        *ways,
        decided=said and "You said --unmatched drop: the others are left out.",
    )


def in_all(frame, keys, within):
    """Tell which rows, of a fold say, every system has that has some of their whole, of
    a data set say.
    """
    n_there, n_of = (
        frame.groupby(of).system.transform("nunique") for of in (keys, within)
    )
    return n_there == n_of


_FOR_THESE = (
    "--unit item: whoever scored an item, for these raters only.",
    (
        "--unit COLUMN: the same, if items of one document, say, belong together: the"
        " column that names it."
    ),
    (
        "--map item=RATER,ITEM --unit RATER, in place of rater=RATER: each rater has"
        " items of their own."
    ),
)


def matched(frame, bench, by="names"):
    """Keep the items that every run of every system answered, in the same order."""
    units = ["system", *(name for name in ("rater", "seed") if name in frame)]
    what, of = "rater" if "rater" in units else "run", {}
    for key, part in frame.groupby(units, sort=False):
        name = shown(key[0]) + (f" {what} {as_shown(key[1])}" if len(key) > 1 else "")
        of[name] = set(part["item"].to_numpy(object))
    common = set.intersection(*of.values())
    whole = f"All {len(common):,} items, joined by their {by}."
    why = (
        "Joined by row, strangers would be paired; left out in silence, the hard items"
        " may be gone."
    )
    refusal = [
        "No item is in all answers",
        (
            "Answers are joined by the name of the item, never by the row in which they"
            " stand."
        ),
        "--map item=COLUMN, if another column names the items.",
        (
            "--map run=COLUMN --duplicates mean, in place of item: people, say, who met"
            " one system each."
        ),
        "or write the names in one way.",
    ]
    if "rater" in units:
        why_all = (
            "Where raters and items are drawn at once, each rater has to score each"
            " item."
        )
        refusal = ["No item was scored by all raters", why_all, *_FOR_THESE]
    words = "item", "are in all answers", whole, "fine"
    shared(
        of, bench, "unmatched", words, why, refusal, _FOR_THESE[:1] * ("rater" in units)
    )
    gone = sum(len(items - common) for items in of.values())
    bench.drop(gone, "answers to items that not every system has")
    kept = frame[frame["item"].isin(common)]
    places = pd.DataFrame(
        {name: pd.factorize(kept[name])[0] for name in [*units, "item"]},
        index=kept.index,
    )
    return kept.loc[
        places.sort_values([*units, "item"], kind="stable").index
    ].reset_index(drop=True)


# --------------------------------------------------------------------------------------
# Numbers that count from 0 in one file and from 1 in the other
# --------------------------------------------------------------------------------------


def are_shifted(ids, others):
    """Tell whether numbers count the same things from 0 here and from 1 there."""
    if {*ids}.isdisjoint(others):  # they have other names, whatever their numbers
        return False
    ids, others = {*_whole(ids)}, {*_whole(others)}
    return ids != others and others in ({k + by for k in ids} for by in (-1, 1))


def _whole(ids):
    """Return the numbers in which ids end, if they differ in nothing else."""
    words = [str(k) for k in ids]
    stem = words[0].rstrip(_DIGITS) if words else ""
    ends = [word[len(stem) :] for word in words if word.startswith(stem)]
    is_one = len(ends) == len(words) and all(
        end.isdecimal() and len(end) < 19 for end in ends
    )
    return [int(end) for end in ends] if is_one else []


def refuse_shifted(frame, bench):
    """Refuse systems of which one numbers the items from 0 and another from 1."""
    parts, baseline = (
        dict([*frame.groupby("system", sort=False)]),
        bench.options.baseline,
    )
    of = {
        name: set(part["item"].dropna().to_numpy(object))
        for name, part in parts.items()
    }
    for name, ids in of.items():
        if name != baseline and baseline in of and are_shifted(ids, of[baseline]):
            refuse(shown(name), shown(baseline), ids, of[baseline], bench)
    if not {"prediction", "label"} <= set(frame):
        return
    right = (
        frame.dropna(subset=["label"]).drop_duplicates("item").set_index("item").label
    )
    for name, part in parts.items():
        if fits := _fits_better(part.drop_duplicates("item"), right):
            by, moved, as_it_is = fits
            seen = (
                f"The predictions of {shown(name)} are right on {percent(as_it_is, 1)}"
                " of the items, and "
            )
            side = "larger" if by > 0 else "smaller"
            larger = f"on {percent(moved, 1)} of those whose number is {side} by 1."
            bench.refuse("unmatched", seen + larger, _WHY, _MEND)


def _fits_better(part, right):
    """Return by how much the items' numbers of a system are off, if it is right far
    more often for it.
    """
    numbers, of_right = _whole(part["item"]), _whole(right.index)
    if not numbers or len({*of_right}) < len(right):
        return None
    numbers, right, hits = pd.Series(numbers, part.index), right.set_axis(of_right), {}
    for by in (-1, 0, 1):
        there = (numbers + by).map(right)
        known = there.notna()
        hits[by] = (
            known.sum(),
            (part.prediction[known].astype(str) == there[known].astype(str)).mean(),
        )
    by = max((-1, 1), key=lambda by: hits[by][1])
    n, moved, as_it_is = min(hits[by][0], hits[0][0]), hits[by][1], hits[0][1]
    # Far beyond chance: five standard errors of the difference of two shares.
    is_clear = n >= _FEWEST and moved - as_it_is > max(5 * np.sqrt(0.5 / n), 0.2)
    return (by, moved, as_it_is) if is_clear else None


_WHY = (
    "One file counts from 0 and the other from 1, it seems: answers would be held"
    " against other items."
)
_MEND = "number the items in one way in all files: add 1 to those that begin at 0."


def refuse(name, other, ids, others, bench):
    """Refuse ids that are those of another file moved by 1."""
    ends = [f"{min(of):,} to {max(of):,}" for of in (_whole(ids), _whole(others))]
    what = (
        f"The items of {name} are numbered {ends[0]}, those of {other} {ends[1]}: the"
        " same, moved by 1."
    )
    bench.refuse("unmatched", what, _WHY, _MEND)
