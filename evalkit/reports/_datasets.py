"""Systems on data sets, one score each or the mean of several runs."""

import math

import numpy as np
import pandas as pd

from evalkit.reports import _choices, _common, _gather, _means, _seen
from evalkit.reports._bench import ALPHA, Evidence
from evalkit.reports._faults import Fault, RefusedError, count, examples, shown, unshared

_NOWHERE = "data sets without a score of any system"


def prepare(table, _, bench):
    """Examine the scores of systems on data sets.

    Parameters
    ----------
    table : Table
    _ : pandas.DataFrame
    bench : Bench

    Returns
    -------
    Evidence
    """
    higher = _common.direction(table, bench) == "higher"
    frame, n_read = _common.tidy(table), len(table.frame)
    metric = table.roles.get("score", "accuracy")
    if "dataset" not in frame:
        raise RefusedError(_seen.no_unit(table, "dataset", "data sets"))
    if "score" not in frame:
        raise ValueError("metric: no column holds the scores; --metric COLUMN says which does")
    _common.names(frame, bench)
    frame = _means.without_summaries(frame, bench)
    _common.scale(frame, metric, higher, bench)
    keys = [name for name in ("system", "dataset", "seed", "item", "repeat") if name in frame]
    raw = table.frame[[n for n in table.frame.columns if n not in table.roles.get("note", ())]]
    frame = _common.duplicates(frame, keys, bench, what="data set", raw=raw)
    is_empty = (
        frame.score.isna() if "status" not in frame and "seed" not in frame else pd.Series(False, frame.index)
    )
    nowhere = is_empty.groupby(frame.system, sort=False).all()
    if nowhere.any():
        raise RefusedError(
            Fault(
                "missing",
                f"Without a single score: {examples(nowhere.index[nowhere])}.",
                "Nothing can be said of a system that was not run.",
                ("fill the scores in, or take it out of the file.",),
            )
        )
    bench.drop(is_empty.groupby(frame.dataset).transform("all").sum(), _NOWHERE)
    full = frame[~is_empty]
    own = full.groupby("system", sort=False).dataset.unique().map(list).to_dict()
    baseline = own.pop(bench.options.baseline)
    if apart := {name: sets for name, sets in own.items() if set(sets).isdisjoint(baseline)}:
        raise unshared("data set", {bench.options.baseline: baseline, **apart})
    n_cells = full.dataset.nunique() * full.system.nunique()
    n_without = n_cells - len(full[["system", "dataset"]].drop_duplicates())
    kept, ways = _common.failed(full, higher, bench, n_empty=n_without)
    n_runs = kept.groupby(["system", "dataset"]).size().max()
    if n_runs > 1:
        bench.merged.append(f"up to {n_runs} scores of a system on a data set, by their mean")
    cells = {name: _cells(way) for name, way in {"": kept, **ways}.items()}
    systems, sets = frame.system.unique(), frame.dataset.unique()
    n_empty = int(is_empty.sum()) - sum(n for n, why in bench.left_out if why == _NOWHERE)
    used, more = _filled(cells.pop(""), systems, sets, higher, bench, n_empty)
    ways = {name: _filled(way, systems, sets, higher)[0] for name, way in cells.items()} | more
    _common.copies(used, "dataset", bench)
    _choices.chosen_by_test(used, table, bench, search=False)
    others = tuple(name for name in used.system.unique() if name != bench.options.baseline)
    n_sets = used.dataset.nunique()
    # Whoever wins on all n sets has p = 2 / 2^n, and Holm multiplies the smallest p by the number of tests.
    floor = len(others) * 2 / 2**n_sets
    if n_sets < 2:
        bench.found(
            "few",
            "There is one data set.",
            "The answer would be about other data sets, and nothing shows how these differ.",
            ("add data sets, or compare runs on this one (--unit seed).",),
        )
        bench.stop_if_faulty()
    if floor > ALPHA:
        family = f" and {len(others)} comparisons" if len(others) > 1 else ""
        words = (
            f"{count(n_sets, 'data set')}{family}: two-sided, the signed-rank test cannot give "
            f"{'an adjusted' if family else 'a'} p-value below {min(floor, 1):.3g}, whatever the scores are."
        )
        fewest = math.ceil(math.log2(2 * len(others) / ALPHA))
        words += f" The page shows the differences, and tells no two systems apart; {fewest} data sets might."
        if n_runs > 2:
            words += " --where COLUMN=DATASET compares the runs on one of them."
        bench.say("few", "note", words)
    else:
        bench.fine("few", f"{count(n_sets, 'data set')}; the smallest possible p-value is {floor:.2g}.")
    _choices.never_in_a_file(bench)
    way = "higher" if higher else "lower"
    facts = {"runs": int(n_runs), "floor": floor, "metrics": ()}
    return Evidence("datasets", used, bench.options.baseline, others, metric, way, n_read, facts, ways)


def _cells(frame):
    return frame.groupby(["system", "dataset"], sort=False).score.mean().reset_index()


def _filled(cells, systems, sets, higher, bench=None, n_empty=0):
    """Decide about empty cells; return the table without them, and both ways."""
    wide = cells.pivot_table(index="dataset", columns="system", values="score").reindex(
        index=sets, columns=systems
    )
    wide = wide.dropna(how="all")  # where nobody has a score there is nothing to decide
    empty = wide.isna()
    if not empty.to_numpy().any():
        if bench is not None:
            bench.fine("missing", f"{wide.shape[0]} data sets x {wide.shape[1]} systems, no cell empty.")
        return _long(wide), {}
    whole = wide[~empty.any(axis=1)]
    low = _gather.worst(wide.melt().value, "higher" if higher else "lower")
    by_row = wide.min(axis=1) if higher else wide.max(axis=1)
    filled = wide.apply(lambda column: column.fillna(by_row))
    ways = {"data sets with an empty cell left out": _long(whole)} if len(whole) > 1 else {}
    if np.isfinite(low):
        ways["the worst score of the data set in each empty cell"] = _long(filled)
    if bench is None:
        return _long(whole if len(whole) > 1 else filled), ways
    cells = [
        f"{shown(s)} on {shown(d)}"
        for d, s in zip(*np.nonzero(empty.to_numpy()), strict=True)
        for d, s in [(wide.index[d], wide.columns[s])]
    ]
    if bench.options.missing == "drop" and len(whole) < 2:
        raise RefusedError(
            Fault(
                "missing",
                f"Only {count(len(whole), 'data set')} has a score of every system.",
                "Nothing is left to compare on.",
                ("--missing worst",),
            )
        )
    said = bench.options.missing
    done = {"drop": "those data sets are left out.", "worst": "the worst score of the data set stands in."}
    what = f"Empty {'cell' if len(cells) == 1 else 'cells'}, {len(cells)} of {empty.size}: {examples(cells)}."
    if said:
        bench.say("missing", "decided", f"{what} You said --missing {said}: {done[said]}")
    else:
        words = f"{what} The page shows both ways, and both must hold: --missing drop or worst."
        bench.say("missing", "open", words)
    used = ways.get("the worst score of the data set in each empty cell") if said == "worst" else _long(whole)
    if len(used) == 0:
        used = _long(filled)
    elif said != "worst":
        bench.drop(n_empty, "empty cells")
        bench.drop(
            int((~empty).to_numpy().sum() - whole.size), "scores on data sets without a score of every system"
        )
    return used, ways


def _long(wide):
    return (
        wide.rename_axis(index="dataset", columns="system").reset_index().melt("dataset", value_name="score")
    )
