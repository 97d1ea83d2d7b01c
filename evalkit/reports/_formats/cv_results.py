"""scikit-learn's cv_results_, as a table that was saved: one row a setting and fold.

A search by successive halving has `iter` and `n_resources` beside: scikit-learn chooses
among the candidates of the last iteration, and folds of fewer resources are other
folds, so the earlier ones are left out. Bounds are those of a table.
"""

import re

import numpy as np

from evalkit.reports._faults import examples
from evalkit.reports._formats import _text, _values
from evalkit.reports._recognition._reading import Reading

FORMAT = "cv_results_ of scikit-learn"
_HALVING = ("iter", "n_resources")
_FOLD = re.compile(r"split(\d+)_(test|train)_(\w+)")


def fits(names):
    """Tell whether columns are those of cv_results_."""
    return any(name.startswith("split0_test_") for name in names) and any(
        n.startswith("mean_test_") for n in names
    )


def recognise(path, head):
    """Tell whether a table has the columns of cv_results_."""
    return fits(_text.lines(head)[0]) or (
        b"split0_test_" in head and b"mean_test_" in head
    )


def shape(reading, place="cv_results_"):
    """Return cv_results_ as one row for each setting and fold.

    Parameters
    ----------
    reading : Reading
        Of a table.
    place : path-like
        The file, for who reads a refusal.

    Returns
    -------
    Reading
    """
    frame = reading.frame
    settings = [c for c in frame.columns if c.startswith("param_")]
    scores = [
        c for c in frame.columns if (found := _FOLD.fullmatch(c)) and found[2] == "test"
    ]
    _values.check_numbers(place, frame, [c for c in (*scores, *_HALVING) if c in frame])
    frame, left, facts = _last(
        frame.assign(candidate=np.arange(len(frame), dtype=float)), settings
    )
    kept = [
        "candidate",
        *settings,
        *(["n_resources"] if "n_resources" in facts else []),
    ]
    long = frame.melt(["candidate"], scores, var_name="column", value_name="value")
    parts = long.column.str.extract(_FOLD)
    long = long.assign(fold=parts[0].astype(float), metric=parts[2]).drop(
        columns="column"
    )
    wide = long.pivot_table(
        index=["candidate", "fold"], columns="metric", values="value", dropna=False
    ).reset_index()
    wide = wide.rename_axis(columns=None).merge(frame[kept], on="candidate")
    facts |= {
        **reading.facts,
        "folds": True,
        "metrics": sorted(parts[2].unique()),
        "settings": settings,
    }
    # Of what scikit-learn calls so the greater is always the better.
    facts["higher"] = {"score": True}
    roles = {"fold": "fold", "setting": "candidate"}
    return Reading(
        FORMAT, wide, roles, facts=facts, left_out=(*reading.left_out, *left)
    )


def _last(frame, settings):
    """Return the candidates of the last iteration of halving, those left out, and the
    resources of a fold.
    """
    if not {*_HALVING} <= {*frame.columns}:
        return frame, (), {}
    is_last = frame.iter == frame.iter.max()
    earlier = examples(f"{n:g}" for n in frame.n_resources[~is_last].unique())
    why = f"candidates of earlier iterations of halving, with {earlier} resources"
    left = ((int((~is_last).sum()), why),) if not is_last.all() else ()
    # Where a setting is the resource, such as the number of trees, the folds are whole.
    is_items = not any(
        frame[name].equals(frame.n_resources.rename(name)) for name in settings
    )
    n_resources = sorted(set(frame.n_resources[is_last])) if is_items else []
    facts = {"n_tried": len(frame[settings].drop_duplicates())}
    facts |= {"n_resources": n_resources} if n_resources else {}
    return (
        frame[is_last],
        left,
        facts if left else {k: v for k, v in facts.items() if k != "n_tried"},
    )
