"""The tool that says which numbers of the book a change has changed."""

import sys
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[1]


def test_a_value_that_changed_came_or_went_is_named_and_no_other(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book" / "_tools")
    monkeypatch.delitem(sys.modules, "values", raising=False)
    import values

    columns = ["where", "name", "value"]
    before = [("a", "same", "1"), ("a", "other", "2"), ("a", "gone", "3"), ("b", "same", "1")]
    after = [("b", "same", "1"), ("a", "other", "2.1"), ("a", "new", "4"), ("a", "same", "1")]
    changed = values.changes(pd.DataFrame(before, columns=columns), pd.DataFrame(after, columns=columns))
    assert sorted(changed.itertuples(index=False, name=None)) == [
        ("a", "gone", "3", ""),
        ("a", "new", "", "4"),
        ("a", "other", "2", "2.1"),
    ]
