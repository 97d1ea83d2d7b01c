"""What stands in a file twice: rows that come again, and systems that are copies of
each other.
"""

import numpy as np
import pandas as pd

from evalkit.reports._faults import an, argument, count, examples, listed, shown
from evalkit.reports._recognition._seen import as_shown
from evalkit.reports.schema import role_of

BEST_STEP = (
    "or write a row for each run, with the score at the step that a validation score"
    " chose."
)
# Roles that are averaged.
NUMBERS = (
    "score",
    "validation",
    "cost",
    "numerator",
    "denominator",
    "size",
)
_TELLING = 5  # different scores


def duplicates(frame, keys, bench, *, what, raw, is_repeat=False, ways=(), step=None):
    """Check that nothing is there twice, and average or drop what is; `ways` are the
    likeliest to go on.

    Rows that a column of steps tells apart are no repetitions.
    """
    apart = [key for key in keys if key != "system"]
    twice = frame.duplicated(keys, keep=False)
    # Such as the hour and the host.
    aside = [name for name in raw if role_of(name) == "note"]
    raw = raw.drop(columns=aside)
    whole = int(raw.duplicated().sum())
    if apart and not twice.any():
        bench.fine(
            "duplicates", f"No two rows share {' and '.join(['the system', *apart])}."
        )
        return frame
    if not apart and whole and _is_told_apart(raw, frame.system.nunique()):
        copied = count(whole, "row is a copy", "rows are copies")
        why = "A run that is counted twice makes the interval too short."
        way = "take the copies out of the file."
        bench.found("duplicates", f"{copied} of another, in every column.", why, way)
        return frame
    if not apart:
        bench.unchecked(
            "duplicates",
            f"No column tells one {what} of a system from another (a seed, say).",
        )
        return frame
    rows = frame[twice].drop_duplicates(keys)[keys]
    shown_rows = examples(rows.map(as_shown).agg(" ".join, axis=1))
    n_more = int(frame.duplicated(keys).sum())
    but = f" but {listed(aside)}" * bool(aside)
    copies = f" ({whole:,} of them the same in every column{but})" if whole else ""
    mean = "--duplicates mean: those that share these are averaged."
    reduced = "or write one row for each run, such as the mean of its last rows."
    column = "--map repeat=COLUMN names the column that counts the answers."
    where = (
        "--where COLUMN=VALUE keeps one filter, prompt or scorer, if that is what"
        " differs."
    )
    shared, told = " and ".join(keys), telling(frame, keys, raw)
    if step:
        share = count(n_more, "row shares", "rows share")
        what = (
            f"{share} the {shared} with another, and {shown(step)} counts them:"
            f" {shown_rows}."
        )
        why = "Steps of one run are not repetitions."
        last = f"--where {argument(step)}=last keeps its last step."
        bench.refuse("duplicates", what, why, last, BEST_STEP)
    bench.found(
        "duplicates",
        f"{count(n_more, 'row comes', 'rows come')} again with the same"
        f" {shared}{copies}: {shown_rows}."
        + f" What tells them apart is {listed(told)}."
        * bool(told),
        f"Counted twice, {an(what)} makes the interval too short.",
        *ways,
        *[
            f"--where {argument(name)}=VALUE keeps one value of it."
            for name in told[:1]
        ],
        *((mean, column, where) if is_repeat else (mean,)),
        *[reduced] * (what == "run"),
        decided=bench.options.duplicates
        and "You said --duplicates mean: rows that share these are averaged.",
    )
    bench.merged.append(f"rows that come again with the same {shared}, by their mean")
    return averaged(frame, keys)


def telling(frame, keys, raw):
    """Return the columns that tell rows apart which share some keys."""
    told = []
    for name, values in raw.items() if len(raw) == len(frame) else ():
        is_name = values.dtype.kind == "O" or (values % 1 == 0).all()
        # Else it is an hour, or a number of the row.
        is_name &= 2 * values.nunique() < len(values)
        if (
            is_name
            and not frame.assign(_=values.to_numpy()).duplicated([*keys, "_"]).any()
        ):
            told.append(name)
    return told


def _is_told_apart(raw, n_systems):
    """Tell whether rows have more than one number: of accuracies alone two may be equal
    by chance.
    """
    return (
        sum(raw[n].dtype.kind == "f" and raw[n].nunique() > n_systems for n in raw) > 1
    )


def averaged(frame, keys):
    """Return a frame with one row for each combination of keys, the scores averaged."""
    numbers = [name for name in NUMBERS if name in frame and name not in keys]
    rest = dict.fromkeys(
        [name for name in frame.columns if name not in (*keys, *numbers)], "first"
    )
    how = dict.fromkeys(numbers, "mean") | rest
    return frame.groupby(keys, sort=False, dropna=False).agg(how).reset_index()


def copies(frame, unit, bench):
    """Check that no two systems have the same scores throughout, and that the seeds of
    one differ.
    """
    seen, same, still = {}, [], []
    for name, part in frame.groupby("system", sort=False):
        # So many scores are the same in no two systems, whichever seeds they are said
        # to have.
        by = "" if unit == "seed" and part.score.nunique() >= _TELLING else unit
        ordered = part.sort_values(by) if by in part else part.sort_values("score")
        columns = [c for c in ("prediction", by, "score", "validation") if c in ordered]
        key = (
            pd.util.hash_pandas_object(ordered[columns], index=False)
            .to_numpy()
            .tobytes()
        )
        if len(ordered) > 2 and np.ptp(ordered.score) > 0:
            same += [(seen[key], name)] if key in seen else []
            seen.setdefault(key, name)
        if unit == "seed" and not any(
            fault.code == "duplicates" for fault in bench.faults
        ):
            # Else rows are no runs yet.
            still += [f"{shown(name)} {what}" for what in _of_one(part)]
    if same or still:
        alike = [
            b if a == bench.options.baseline else a for a, b in same if "," not in a + b
        ]
        leave = (
            f"--where {argument('system!=' + ','.join(alike))} leaves out what must"
            " have the same scores."
        )
        pairs = "; ".join(
            f"{shown(a)} and {shown(b)} have the same scores throughout"
            for a, b in same[:3]
        )
        bench.found(
            "copies",
            "; ".join(filter(None, [pairs, *still[:3]])) + ".",
            _COPIED + _UNUSED * (unit == "seed"),
            "give the file that was meant, or run again with seeds that are used.",
            *[leave] * bool(alike),
        )
    else:
        bench.fine("copies", "No two systems have the same scores throughout.")


_COPIED = "One file may have been read twice, or a run copied."
_UNUSED = (
    " Or the seed was never used. (Without chance there are no seeds to vary: accept"
    " it, and say so.)"
)


def _of_one(part):
    """Yield how the runs of one system are copies; accuracies of a few runs may be
    equal by chance.
    """
    columns = [name for name in ("score", "validation") if name in part]
    # Else answers, which are averaged.
    is_run = "seed" not in part or part.seed.is_unique
    if (
        is_run
        and len(part) >= 5 - len(columns)
        and not np.ptp(part[columns].to_numpy(), axis=0).any()
    ):
        rows = count(len(part), "seed" if "seed" in part else "row")
        yield f"scores {part.score.iloc[0]:.6g} with {rows}"
    n, scores = len(part), part.score.to_numpy()
    folds = [scores.reshape(-1, size) for size in range(3, n // 2 + 1) if n % size == 0]
    if any(len({*fold[0]}) > 2 and (fold == fold[0]).all() for fold in folds):
        yield "has its scores again, in the same order"
    if {"seed", "run"} <= {*part} and part.duplicated(["seed", "score"]).any():
        yield "has runs with the same seed and the same score"
