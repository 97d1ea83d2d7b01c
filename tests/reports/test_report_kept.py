"""Whole pages as they were looked at: each word, number and mark of a report.

`PYTHONPATH=.:tests/reports python tests/reports/test_report_kept.py` writes them anew;
look at what changed.
"""

from pathlib import Path

import faulty
import numpy as np
import pandas as pd
from grids import grid

import evalkit as ek

KEPT = Path(__file__).parent / "kept"
SUSPECTS = ("missing-runs", "names", "copies", "scale", "constant")


def _plain(name, seed=4):
    plant, more = faulty.HONEST[name]
    return plant(np.random.default_rng(seed)), {"baseline": "base", **more}


def _runs(n_systems, spread, metric="test_accuracy"):
    rng = np.random.default_rng(n_systems)
    rows = [
        {"system": name, "seed": k, metric: rng.normal(0.6 + 0.01 * place, spread)}
        for place, name in enumerate(["base", *"abcdefghijklmnopq"[:n_systems]])
        for k in range(7)
    ]
    return pd.DataFrame(rows)


def _cases():
    for name in faulty.HONEST:
        table, more = _plain(name)
        yield name, table, more
    items, more = _plain("items")
    yield "groups", items.assign(group=items["item"].str[-1]), more
    yield "many", _runs(14, 0.004), {"baseline": "base"}
    yield "two", _runs(2, 0.004), {"baseline": "base"}
    yield "margin", _runs(3, 0.002), {"baseline": "base", "margin": 0.012}
    yield "loss", _runs(1, 0.03, "loss"), {"baseline": "a", "margin": 0.1}
    equal = items.assign(**{c: 1 for c in items if c == "accuracy"})
    yield "few apart", equal.query("system != 'theirs'"), more
    constant = _runs(1, 0.01)
    constant.loc[constant["system"] == "base", "test_accuracy"] = 0.5
    yield "confirmed", constant, {"baseline": "base"}
    sets, more = _plain("datasets")
    yield (
        "few data sets",
        sets[sets["dataset"].isin(sets["dataset"].unique()[:4])],
        more,
    )


CASES = {name: (table, more) for name, table, more in _cases()}


def page(name):
    """Return all forms of a page that hold something of their own."""
    table, more = CASES[name]
    found = ek.report(table, confirm=SUSPECTS, **more)
    html = found.write("html").partition("</style>")[2].replace("</", "\n</")
    return "\n\n".join(
        [str(found), found.write("markdown"), found.write("latex"), html]
    )


@grid("name", CASES)
def test_a_page_is_the_one_that_was_looked_at(name):
    path = KEPT / f"{name.replace(' ', '_')}.txt"
    assert page(name) == path.read_text(encoding="utf-8")


if __name__ == "__main__":
    KEPT.mkdir(exist_ok=True)
    for case in CASES:
        place = KEPT / f"{case.replace(' ', '_')}.txt"
        place.write_text(page(case), encoding="utf-8")
