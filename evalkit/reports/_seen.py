"""What names and values tell of columns: spreads, numbers of rows, possible systems; and what they lack."""

import pandas as pd

from evalkit.reports._cells import are_scores
from evalkit.reports._faults import Fault, RefusedError, argument, examples, shown
from evalkit.reports._words import ABOUT, NOTES, ROLES, SYSTEM, direction, is_metric, of_spread, parts


def as_name(value):
    """Return a value of a column as the name of a system; None where it is empty.

    Parameters
    ----------
    value : object

    Returns
    -------
    str or None
    """
    if isinstance(value, float):
        return None if value != value else str(int(value)) if value.is_integer() else str(value)
    return value


def spreads_of(frame, baseline):
    """Return the columns that hold the spread of scores, and no scores.

    Parameters
    ----------
    frame : pandas.DataFrame
    baseline : str or None
        Where it is a column, its scores tell how large a spread may be.

    Returns
    -------
    list of str
    """
    out = []
    for name in frame.columns:
        stem = of_spread(name)
        if stem is None or parts(name) & {"param", "params"}:
            continue
        beside = [n for n in frame.columns if n != name and of_spread(n) is None and stem <= parts(n)]
        of = beside if stem else []
        of = of or [baseline] * (baseline in frame and baseline != name)
        if not stem or any(_is_spread_of(frame[name], frame[n]) for n in of):
            out.append(name)
    return out


def _is_spread_of(spread, scores):
    """Tell whether numbers are small enough: SE-ResNet is no standard error of ResNet."""
    if spread.dtype.kind != "f" or scores.dtype.kind != "f":
        return False
    return bool((spread.dropna() >= 0).all() and spread.median() <= scores.abs().median() / 2)


def is_index(frame, name):
    """Tell whether a column is the index that pandas writes: it numbers rows, and names nothing.

    Parameters
    ----------
    frame : pandas.DataFrame
    name : str

    Returns
    -------
    bool
    """
    return parts(name) == {"index"} and frame[name].dtype.kind == "f"


def holding_items(frame):
    """Return the columns that hold several items by their names; of those that may name items, the coarse.

    Parameters
    ----------
    frame : pandas.DataFrame

    Returns
    -------
    set of str
    """
    groups = {name for name in frame if parts(name) & ROLES["group"]}
    items = {name for name in frame if parts(name) & ROLES["item"] and not is_index(frame, name)}
    finest = max((frame[name].nunique() for name in items - groups), default=0)
    return {name for name in groups if name not in items or frame[name].nunique() < finest}


def numbers_rows(values):
    """Tell whether a column numbers the rows, as pandas writes the index of a table beside it.

    Parameters
    ----------
    values : pandas.Series

    Returns
    -------
    bool
    """
    if {word for word in parts(values.name) if not word.isdigit()} == {"unnamed"}:
        return True
    first = values.min() if values.dtype.kind == "f" and len(values) > 2 else None
    return first in (0, 1) and sorted(values) == [first + k for k in range(len(values))]


def role_of(name):
    """Return the first role that a column may have by its name.

    Parameters
    ----------
    name : str

    Returns
    -------
    str or None
    """
    return next((role for role, known in ROLES.items() if parts(name) & known), None)


def used_by(roles, but):
    """Return the columns that have a role.

    Parameters
    ----------
    roles : dict of str to str, or to tuple of str
    but : sequence of str
        Roles that do not count.

    Returns
    -------
    set of str
    """
    return {
        name
        for role, value in roles.items()
        if role not in but
        for name in ((value,) if isinstance(value, str) else value)
    }


def systems_beside(frame, baseline, known, spreads):
    """Return the columns that are systems, as that of the baseline is: of its kind, and of no other use.

    Parameters
    ----------
    frame : pandas.DataFrame
    baseline : str
        A column.
    known : dict of str to str, or to tuple of str
        The columns whose role is known.
    spreads : list of str
        The columns that hold the spread of scores.

    Returns
    -------
    list of str
    """
    is_marked = "label" in known or any(role_of(name) == "label" for name in frame)
    kinds = {n: "f" if not is_marked and are_scores(frame[n]) else frame[n].dtype.kind for n in frame}
    taken = used_by(known, but=())
    kind = kinds[baseline]
    domain = set(frame[baseline].dropna().unique())
    out = []
    for name in frame.columns:
        is_note = bool(parts(name)) and (parts(name) <= NOTES or bool(parts(name) & ABOUT))
        is_note |= name in spreads or numbers_rows(frame[name])
        is_label = name in taken or role_of(name) is not None or is_note
        other = name != baseline and is_label
        # Predictions are words: another column of words is a system if it says some of the same.
        alike = kind != "O" or domain & set(frame[name].dropna().unique())
        if not other and kinds[name] == kind and alike:
            out.append(name)
    if len(out) < 2:
        raise RefusedError(
            Fault(
                "baseline",
                f"The column {shown(baseline)!r} stands alone: no other column looks like a system.",
                "A comparison needs two systems.",
                ("--map system=COLUMN,COLUMN names the columns that are systems.",),
            )
        )
    return out


def might_be_systems(frame, known):
    """Return the names that may be systems, by where they stand.

    Parameters
    ----------
    frame : pandas.DataFrame
    known : dict of str to str, or to tuple of str
        The columns whose role is known.

    Returns
    -------
    dict of str to list
    """
    if "system" in known:
        names = known["system"]
        single = isinstance(names, str)
        return {"": list(frame[names].dropna().map(as_name).unique()) if single else list(names)}
    taken = used_by(known, but=())
    free = [name for name in frame.columns if name not in taken and not numbers_rows(frame[name])]
    words = [n for n in free if frame[n].dtype.kind == "O" and 1 < frame[n].nunique() < 50]
    named = [name for name in words if parts(name) & SYSTEM]
    words = named or [n for n in words if role_of(n) in (None, "dataset") and not parts(n) & NOTES]
    out = {f"in the column {shown(name)}": list(frame[name].dropna().unique()) for name in words[:3]}
    spreads = spreads_of(frame, None)
    beside = [n for n in free if frame[n].dtype.kind == "f" and role_of(n) is None and n not in spreads]
    if not named and len(beside) > 1 and not any(map(is_metric, beside)):
        out["as columns"] = beside
    return out


def one_search(frame, baseline, settings):
    """Return the refusal of the cv_results_ of one search, where no other system is.

    Parameters
    ----------
    frame : pandas.DataFrame
    baseline : str
    settings : list of str

    Returns
    -------
    RefusedError
    """
    found = frame[["candidate", *settings]].drop_duplicates("candidate")
    each = []
    for number, *values in found.itertuples(index=False):
        words = [f"{v:g}" if isinstance(v, float) else shown(v) for v in values]
        pairs = ", ".join(f"{shown(n)}={v}" for n, v in zip(settings, words, strict=True))
        each.append(f"{number:g} ({pairs})")
    known = {f"{number:g}" for number in found.candidate}
    of = baseline if baseline in known else min(known, key=int)
    return RefusedError(
        Fault(
            "baseline",
            f"No system is called {shown(baseline)!r}: there is one search, with {len(each)} settings: "
            f"{'; '.join(each[:8])}{f' and {len(each) - 8} more' if len(each) > 8 else ''}.",
            "A search is one system, and a comparison needs two.",
            (
                "give the cv_results_ of the other system as a second file; each is called as its file.",
                f"--map system=candidate --baseline {of} takes each setting for a system, and compares "
                f"them with number {of}.",
            ),
        )
    )


def is_shared(values, systems):
    """Tell whether values stand beside more than one system each.

    Parameters
    ----------
    values, systems : pandas.Series

    Returns
    -------
    bool
    """
    pairs = pd.DataFrame({"value": values, "system": systems}).dropna().drop_duplicates()
    counts = pairs.groupby("value").size()
    return len(counts) > 2 and (counts > 1).mean() > 0.1


def no_answers(said):
    """Return the fault that predictions stand without the right answers.

    Parameters
    ----------
    said : pandas.Series
        The predictions.

    Returns
    -------
    Fault
    """
    return Fault(
        "key",
        f"There are predictions, such as {examples(said.dropna().unique())}, and no right answers.",
        "Without them nobody knows which predictions are right.",
        (
            "give the file of the right answers as one more FILE: the column of the items, called as in the "
            "others, and a column called label.",
            "--map label=COLUMN, if a column holds the right answers.",
            "--metric COLUMN, if a column says how good each prediction is.",
        ),
    )


def as_datasets(facts):
    """Return how to go on where the columns beside the systems may be data sets.

    Parameters
    ----------
    facts : dict

    Returns
    -------
    tuple of str
    """
    names = facts.get("beside", ())
    return (f"--unit dataset, if each column is a data set: {examples(names)}.",) if len(names) > 2 else ()


def one_direction(names, way):
    """Refuse data sets of which one is better the other way, by its name.

    Parameters
    ----------
    names : list of str
    way : str or None
        Which way all of them are said to be better.
    """
    against = [name for name in names if way and direction(name) not in (None, way)]
    if not against:
        return
    other = "lower" if way == "higher" else "higher"
    raise RefusedError(
        Fault(
            "direction",
            f"Of {len(names)} columns a {way} score is to be better, and by its name of "
            f"{examples(against)} a {other} one.",
            "Scores that are better in different ways cannot be counted as one metric on several data sets.",
            (
                f"--map note={argument(against[0])} leaves that column out.",
                "give each column the name of its data set alone.",
            ),
        )
    )


def no_unit(table, role, what):
    """Return the fault that no column names what was said to be the unit.

    Parameters
    ----------
    table : Table
    role, what : str
        Of the column, and what it would name.

    Returns
    -------
    Fault
    """
    return Fault(
        "unit",
        f"--unit {role} was said, and no column names the {what}; there are: "
        f"{examples(table.frame.columns, 12)}.",
        "Scores are compared where the systems share it.",
        (f"--map {role}=COLUMN, if a column names the {what}.", "or give it a column in the file."),
    )
