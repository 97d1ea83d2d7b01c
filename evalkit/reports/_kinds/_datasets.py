"""Systems on data sets, one score each or the mean of several runs."""

import math
from dataclasses import replace

import numpy as np

from evalkit.reports._bench import ALPHA, Evidence
from evalkit.reports._checks import _choices, _common, _means, _twice
from evalkit.reports._checks._failed import failed
from evalkit.reports._checks._units import check_shared
from evalkit.reports._faults import RefusedError, count, examples, listed, shown
from evalkit.reports._recognition import _metrics, _seen, _where


def prepare(table, _, bench):
    """Examine the scores of systems on data sets."""
    if "dataset" not in table.roles:
        raise RefusedError(_seen.no_unit(table, "dataset", "data sets"))
    if "score" not in table.roles:
        raise ValueError("metric: no column holds the scores; --metric COLUMN says which does")
    table, several = _turned(table, bench)
    higher = several or _common.direction(table, bench) == "higher"
    frame = _common.tidy(table)
    metric = " or ".join(several) or table.roles["score"]
    _common.names(frame, bench)
    frame = _means.without_summaries(frame, bench)
    _common.scale(frame, "" if several else metric, higher, bench)
    keys = [name for name in ("system", "dataset", "seed", "item", "repeat") if name in frame]
    raw = table.frame[[n for n in table.frame.columns if n not in table.roles.get("note", ())]]
    frame = _twice.duplicates(frame, keys, bench, what="data set", raw=raw)
    full, n_empty = _with_scores(frame, bench)
    n_cells = full.dataset.nunique() * full.system.nunique()
    n_without = n_cells - len(full[["system", "dataset"]].drop_duplicates())
    kept, ways = failed(full, higher, bench, n_empty=n_without)
    n_runs = int(kept.groupby(["system", "dataset"]).size().max())
    if n_runs > 1:
        bench.merged.append(f"up to {n_runs} scores of a system on a data set, by their mean")
    systems, sets = frame.system.unique(), frame.dataset.unique()
    used, more = _filled(_cells(kept), systems, sets, higher, bench, n_empty)
    ways = {name: _filled(_cells(way), systems, sets, higher)[0] for name, way in ways.items()} | more
    _twice.copies(used, "dataset", bench)
    _choices.chosen_by_test(used, table, bench, search=False)
    floor = _few(used.dataset.nunique(), used.system.nunique() - 1, n_runs, bench)
    _choices.never_in_a_file(bench)
    facts = {"runs": n_runs, "floor": floor, "metrics": several}
    return Evidence.of(bench, used, metric, higher, facts, ways)


def _turned(table, bench):
    """Return a table whose losses have a minus sign, where data sets have several metrics; and these."""
    of = table.facts.get("metric_by_dataset", {})
    several = tuple(dict.fromkeys(of.values()))
    if len(several) < 2:
        return table, ()
    higher = table.facts.get("higher", {})
    by_name = {"higher": True, "lower": False}
    ways = {name: higher.get(name, by_name.get(_metrics.direction(name))) for name in several}
    if unknown := [name for name, way in ways.items() if way is None]:
        there = f"The data sets have {count(len(several), 'metric')}, and nothing says whether a higher or a"
        bench.refuse(
            "direction",
            f"{there} lower {listed(unknown)} is better.",
            "Where it is a loss the better system has the lower score.",
            "write them as documented metrics, such as auc and log_loss.",
            "or give the data sets of one metric.",
        )
    losses = [name for name, way in ways.items() if not way]
    dataset, score = table.roles["dataset"], table.roles["score"]
    words = f"The data sets have {count(len(several), 'metric')}: {listed(several)}. Their differences have "
    words += "no mean: they are compared by signed ranks, without an interval."
    if losses:
        words += f" Those in {listed(losses)} are turned, so that higher is better."
    bench.say("direction", "note", words)
    sign = table.frame[dataset].map(of).isin(losses).map({True: -1.0, False: 1.0})
    return replace(table, frame=table.frame.assign(**{score: table.frame[score] * sign})), several


def _with_scores(frame, bench):
    """Return the rows with a score, and how many cells are empty on data sets that somebody was scored on."""
    is_empty = frame.score.isna() & ("status" not in frame and "seed" not in frame)
    nowhere = is_empty.groupby(frame.system, sort=False).all()
    if nowhere.any():
        what = f"Without a single score: {examples(nowhere.index[nowhere])}."
        mend = "fill the scores in, or take it out of the file."
        bench.refuse("missing", what, "Nothing can be said of a system that was not run.", mend)
    n_nowhere = int(is_empty.groupby(frame.dataset).transform("all").sum())
    bench.drop(n_nowhere, "data sets without a score of any system")
    full = frame[~is_empty]
    check_shared("data set", full.groupby("system", sort=False).dataset.unique().map(list).to_dict(), bench)
    return full, int(is_empty.sum()) - n_nowhere


def _few(n_sets, n_others, n_runs, bench):
    """Return the smallest p-value that is possible on so few data sets."""
    if n_sets < 2:
        why = "The answer would be about other data sets, and nothing shows how these differ."
        ways = "add data sets, or compare runs on this one (--unit seed)."
        bench.refuse("few", "There is one data set.", why, ways)
    # Whoever wins on all n sets has p = 2 / 2^n, and Holm multiplies the smallest p by the number of tests.
    floor = n_others * 2 / 2**n_sets
    if floor <= ALPHA:
        bench.fine("few", f"{count(n_sets, 'data set')}; the smallest possible p-value is {floor:.2g}.")
        return floor
    family = f" and {n_others} comparisons" * (n_others > 1)
    fewest = math.ceil(math.log2(2 * n_others / ALPHA))
    words = f"{count(n_sets, 'data set')}{family}: two-sided, the signed-rank test cannot give "
    words += f"{'an adjusted' if family else 'a'} p-value below {min(floor, 1):.3g}, whatever the scores are."
    words += f" The page shows the differences, and tells no two systems apart; {fewest} data sets might."
    words += " --where COLUMN=DATASET compares the runs on one of them." * (n_runs > 2)
    bench.say("few", "note", words)
    return floor


def _cells(frame):
    return frame.groupby(["system", "dataset"], sort=False).score.mean().reset_index()


def _filled(cells, systems, sets, higher, bench=None, n_empty=0):
    """Decide about empty cells; return the table without them, and both ways."""
    wide = cells.pivot_table(index="dataset", columns="system", values="score")
    wide = wide.reindex(index=sets, columns=systems).dropna(how="all")
    empty, whole = wide.isna(), wide.dropna()
    if not empty.to_numpy().any():
        if bench is not None:
            bench.fine("missing", f"{wide.shape[0]} data sets x {wide.shape[1]} systems, no cell empty.")
        return _long(wide), {}
    low = _where.worst(wide.melt().value, "higher" if higher else "lower")
    by_row = wide.min(axis=1) if higher else wide.max(axis=1)
    filled = _long(wide.apply(lambda column: column.fillna(by_row)))
    ways = {"data sets with an empty cell left out": _long(whole)} if len(whole) > 1 else {}
    ways |= {"the worst score of the data set in each empty cell": filled} if np.isfinite(low) else {}
    if bench is None:
        return _long(whole) if len(whole) > 1 else filled, ways
    _empty_cells(wide, empty, whole, bench)
    if bench.options.missing == "worst" or whole.empty:
        return filled, ways
    bench.drop(n_empty, "empty cells")
    n_others = int((~empty).to_numpy().sum() - whole.size)
    bench.drop(n_others, "scores on data sets without a score of every system")
    return _long(whole), ways


def _empty_cells(wide, empty, whole, bench):
    """Say which cells are empty, and what is done about it."""
    said = bench.options.missing
    if said == "drop" and len(whole) < 2:
        few = f"Only {count(len(whole), 'data set')} has a score of every system."
        bench.refuse("missing", few, "Nothing is left to compare on.", "--missing worst")
    stacked = empty.stack()
    cells = [f"{shown(system)} on {shown(dataset)}" for dataset, system in stacked.index[stacked]]
    done = {
        "drop": "those data sets are left out.",
        "worst": "the worst score of the data set takes its place.",
    }
    what = f"Empty {'cell' if len(cells) == 1 else 'cells'}, {len(cells)} of {empty.size}: {examples(cells)}."
    if said:
        bench.say("missing", "decided", f"{what} You said --missing {said}: {done[said]}")
    else:
        words = f"{what} The page shows both ways, and both must hold: --missing drop or worst."
        bench.say("missing", "open", words)


def _long(wide):
    named = wide.rename_axis(index="dataset", columns="system").reset_index()
    return named.melt("dataset", value_name="score")
