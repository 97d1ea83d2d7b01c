"""scikit-learn's cv_results_, as a table that was saved: one row a setting, one column a fold."""

import re

import numpy as np

from evalkit.reports._readers import tables
from evalkit.reports._reading import Reading

FORMAT = "cv_results_ of scikit-learn"
_FOLD = re.compile(r"split(\d+)_(test|train)_(\w+)")


def recognise(path, head):
    """Tell whether a table has the columns of cv_results_."""
    return b"split0_test_" in head and b"mean_test_" in head


def read(path):
    """Read it as one row a setting and fold."""
    return folds(tables.read(path).frame)


def folds(frame):
    """Return cv_results_ as one row for each setting and fold.

    Parameters
    ----------
    frame : pandas.DataFrame

    Returns
    -------
    Reading
    """
    settings = [c for c in frame.columns if c.startswith("param_")]
    scores = [c for c in frame.columns if (found := _FOLD.fullmatch(c)) and found[2] == "test"]
    frame = frame.assign(candidate=np.arange(len(frame), dtype=float))
    long = frame.melt(["candidate", *settings], scores, var_name="column", value_name="value")
    parts = long.column.str.extract(_FOLD)
    long = long.assign(fold=parts[0].astype(float), metric=parts[2]).drop(columns="column")
    wide = long.pivot_table(
        index=["candidate", "fold"], columns="metric", values="value", dropna=False
    ).reset_index()
    wide = wide.rename_axis(columns=None).merge(frame[["candidate", *settings]], on="candidate")
    facts = {"folds": True, "metrics": sorted(parts[2].unique()), "settings": settings}
    facts["higher"] = {"score": True}  # of what scikit-learn calls so the greater is always the better
    return Reading(FORMAT, wide, {"fold": "fold", "setting": "candidate"}, facts=facts)
