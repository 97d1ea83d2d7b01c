"""Results that are in Python already: tables, arrays by system, cv_results_."""

from dataclasses import replace

import numpy as np
import pandas as pd

from evalkit._checks import check_aligned, check_scores
from evalkit.reports import schema
from evalkit.reports._faults import examples
from evalkit.reports._formats import SHAPED, _values, cv_results
from evalkit.reports._recognition._places import the_one
from evalkit.reports._recognition._reading import Reading

_AS_TABLE = (
    "results must be files, a table (pandas.DataFrame(results) is one), or arrays of"
    " scores by system"
)


def readings(results, is_name=_values.names_systems):
    """Return what `evalkit.report` was given as readings, or None where it is files.

    Parameters
    ----------
    results : object
    is_name : callable, optional
        As `_values.columns` takes it.

    Returns
    -------
    list of Reading or None
    """
    if isinstance(results, pd.DataFrame):
        return [_of_frame(results, is_name)]
    if isinstance(results, dict) and results:
        if "params" in results and any(
            str(k).startswith("split0_test_") for k in results
        ):
            return [_of_cv(results)]
        if all(isinstance(value, pd.DataFrame) for value in results.values()):
            return [
                _given(name, _of_frame(frame, is_name))
                for name, frame in results.items()
            ]
        if all(isinstance(v, dict) and "params" in v for v in results.values()):
            return [_given(name, _of_cv(value)) for name, value in results.items()]
        # A table.
        if any(
            schema.role_of(n) == "system" and _holds_words(v)
            for n, v in results.items()
        ):
            return [_of_frame(pd.DataFrame(results), is_name)]
        return [_of_arrays(results)]
    return None


def _given(name, reading):
    return replace(reading, names={"given": _values.one_form(str(name))})


def _of_frame(frame, is_name):
    what = "a DataFrame"
    if frame.columns.has_duplicates or {*frame.columns} & {*frame.index.names}:
        raise ValueError("results must name each column once")
    if frame.empty:
        raise ValueError(
            f"results must have rows and columns, got a table of shape {frame.shape}"
        )
    if frame.columns.nlevels > 1:  # what pivot and agg give
        joined = [
            ".".join(str(part) for part in name if part != "") for name in frame.columns
        ]
        return _of_frame(frame.set_axis(joined, axis=1), is_name)
    # Numbers without a name count the rows; words are data.
    is_data = (
        any(name is not None for name in frame.index.names)
        or frame.index.inferred_type == "string"
    )
    index = frame.reset_index() if is_data else frame.reset_index(drop=True)
    named = index.rename(columns=lambda name: _values.one_form(str(name)))
    clean, facts = _values.columns(named, is_name=is_name)
    reading = Reading(what, clean, facts=facts)
    known = the_one((r for r in SHAPED if r.fits(list(clean.columns))), what)
    return known.shape(reading) if known else reading


def _of_arrays(results):
    try:
        scores = {
            _values.one_form(str(name)): check_scores(values, f"results[{name!r}]")
            for name, values in results.items()
        }
    except (TypeError, ValueError) as error:
        if any(
            isinstance(value, dict) or _holds_words(value) for value in results.values()
        ):
            raise TypeError(_AS_TABLE) from None
        if isinstance(error, ValueError):
            raise
        raise TypeError(
            f"results must be files, a table, or arrays of scores by system: {error}"
        ) from None
    try:
        check_aligned(
            **{f"results[{name!r}]": values for name, values in results.items()}
        )
        misplaced = ""
    except ValueError as error:  # which matters to who pairs them
        misplaced = str(error)
    longest = max(map(len, scores.values()))
    if short := [name for name, values in scores.items() if len(values) < longest]:
        misplaced = (
            f"results are paired by place, and there are fewer than {longest} of"
            f" {examples(short)}"
        )
        misplaced += (
            ": give as many for each system, or a table with the names of what was"
            " scored"
        )
    table = {
        name: np.r_[values, np.full(longest - len(values), np.nan)]
        for name, values in scores.items()
    }
    long = pd.DataFrame(table).rename_axis("row").reset_index()
    melted = long.melt("row", var_name="system", value_name="score").dropna(
        subset=["score"]
    )
    facts = {"arrays": True, "misplaced": misplaced}
    return Reading(
        "arrays", melted, {"system": "system", "score": "score"}, facts=facts
    )


def _holds_words(values):
    return np.ndim(values) == 1 and any(isinstance(value, str) for value in values)


def _of_cv(results):
    frame = pd.DataFrame(
        {k: v for k, v in results.items() if k != "params" and np.ndim(v) == 1}
    )
    clean, facts = _values.columns(frame)
    return cv_results.shape(Reading(cv_results.FORMAT, clean, facts=facts))
