"""What names and values tell of columns: spreads, numbers of rows, possible systems; and what they lack."""

import re

import numpy as np

from evalkit._spread import decimals_of
from evalkit.reports import schema
from evalkit.reports._faults import Fault, RefusedError, examples, shown
from evalkit.reports._formats._values import names_systems
from evalkit.reports._recognition import _metrics
from evalkit.reports._recognition._table import as_name

_SPREADS = frozenset(["std", "sd", "se", "sem", "stderr", "stdev", "stddev", "var", "variance", "ci"])
_PLUS_MINUS = re.compile(r"\u00b1|\+/-|\+-|\\pm")
_OF_A_SPREAD = frozenset(
    ["dev", "err", "error", "low", "high", "lower", "upper", "lo", "hi", "bound", "mean"]
)


def of_spread(name):
    """Return the words of what a column is the spread of, if its name is that of a spread.

    Parameters
    ----------
    name : str

    Returns
    -------
    frozenset of str, or None
        Empty where the name says nothing but that it is a spread; None where it is none.
    """
    words = {*_metrics.tokens(name)}
    if not words & _SPREADS and not _PLUS_MINUS.search(str(name)):
        return None
    of_parts = frozenset().union(*_metrics.PARTS.values())
    return frozenset(word for word in words - _SPREADS - _OF_A_SPREAD - of_parts if not word.isdigit())


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
        if stem is None or schema.role_of(name) == "setting":
            continue
        beside = [
            n for n in frame.columns if n != name and of_spread(n) is None and stem <= {*_metrics.tokens(n)}
        ]
        of = beside if stem else [n for n in frame.columns if n != name and _metrics.is_measured(n)]
        of = of or [baseline] * (baseline in frame and baseline != name)
        if not stem or any(_is_spread_of(frame[name], frame[n]) for n in of):
            out.append(name)
    return out


def _is_spread_of(spread, scores):
    """Tell whether numbers are small enough: SE-ResNet is no standard error of ResNet."""
    if spread.dtype.kind != "f" or scores.dtype.kind != "f":
        return False
    return bool((spread.dropna() >= 0).all() and spread.median() <= scores.abs().median() / 2)


def namer(options):
    """Return what tells whether a column names systems, by its name or by what was said.

    Parameters
    ----------
    options : Options

    Returns
    -------
    callable
        As `_values.columns` takes it.
    """
    said = options.columns.get("system", ())

    def is_name(name, texts):
        if names_systems(name, texts) or (name,) == said:
            return True
        may_name = schema.role_of(name) in MAY_NAME and not _metrics.is_measured(name)
        return may_name and not said and bool((texts == options.baseline).any())

    return is_name


MAY_NAME = (None, "note", "run", "setting", "text")  # roles of columns in which systems may stand


def numbers_rows(values):
    """Tell whether a column numbers the rows, as pandas writes the index of a table beside it."""
    if is_index(values) and {word for word in _metrics.tokens(values.name) if not word.isdigit()} == {
        "unnamed"
    }:
        return True
    first = values.min() if values.dtype.kind == "f" and len(values) > 2 else None
    return first in (0, 1) and sorted(values) == [first + k for k in range(len(values))]


def is_index(values):
    """Tell whether a column of numbers is called as pandas calls the numbers of the rows of a file."""
    return values.dtype.kind == "f" and schema.plain(values.name).startswith(("unnamed", "index"))


def is_weighted_mean(scores, others):
    """Tell whether scores are a mean of others, weighted alike in each row, to the digits of all.

    Parameters
    ----------
    scores : ndarray of float, shape (n,)
    others : ndarray of float, shape (n, k)
        With fewer rows than two more than columns any scores may be one.

    Returns
    -------
    bool
    """
    known = np.isfinite(scores) & np.isfinite(others).all(axis=1)
    scores, others = scores[known], others[known]
    n_spare = len(scores) - others.shape[1] + 1
    decimals = decimals_of([scores, others])
    if n_spare < 3 or others.shape[1] < 2 or decimals is None:
        return False
    apart, of = others[:, 1:] - others[:, :1], scores - others[:, 0]
    weights = np.linalg.lstsq(apart, of, rcond=None)[0]
    weights = np.array([1 - weights.sum(), *weights])
    near = 1.01 * 10.0**-decimals
    chance = min(2 * near / max(float(np.ptp(of)), 1e-12), 1) ** n_spare
    is_near = (np.abs(others @ weights - scores) <= near).all()
    return bool(is_near and (weights > 0.01).all() and chance < 1e-3)


def belongs_to_system(table, name):
    """Tell whether a column is the same in all rows of a system."""
    by_system = table.frame.groupby(table.roles["system"], dropna=False)[name]
    return bool((by_system.nunique() < 2).all())


def as_shown(value):
    """Return a value of a column as it is printed."""
    return f"{value:g}" if isinstance(value, float) else shown(value)


def might_be_systems(table):
    """Return the names that may be systems, by where they stand."""
    frame, system = table.frame, table.roles.get("system")
    if system is not None:
        single = isinstance(system, str)
        return {"": list(frame[system].dropna().map(as_name).unique()) if single else list(system)}
    free = [name for name in table.free() if not numbers_rows(frame[name])]
    words = [n for n in free if frame[n].dtype.kind == "O" and 1 < frame[n].nunique() < 50]
    named = [name for name in words if schema.role_of(name) == "system"]
    words = named or [n for n in words if schema.role_of(n) in (None, "dataset", "run")]
    out = {f"in the column {shown(name)}": list(frame[name].dropna().unique()) for name in words[:3]}
    spreads = spreads_of(frame, None)
    beside = [
        n for n in free if frame[n].dtype.kind == "f" and schema.role_of(n) is None and n not in spreads
    ]
    if not named and len(beside) > 1 and not any(map(_metrics.is_measured, beside)):
        out["as columns"] = beside
    return out


def one_search(frame, baseline, settings):
    """Return the refusal of the cv_results_ of one search, where no other system is."""
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
            "--gold FILE: the file of the right answers; its items are called as in the others.",
            "--map label=COLUMN, if a column holds the right answers.",
            "--metric COLUMN, if a column says how good each prediction is.",
        ),
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
