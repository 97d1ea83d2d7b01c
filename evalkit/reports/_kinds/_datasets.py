"""Systems on data sets, one score each or the mean of several runs."""

import math

from evalkit.reports._bench import ALPHA, Evidence
from evalkit.reports._checks import _choices, _common, _means, _twice
from evalkit.reports._checks._failed import before_means, failed
from evalkit.reports._checks._joined import in_all
from evalkit.reports._checks._units import check_shared, refuse_folds
from evalkit.reports._faults import (
    RefusedError,
    an,
    argument,
    count,
    examples,
    listed,
    refusal,
    shown,
)
from evalkit.reports._kinds import _ratios
from evalkit.reports._recognition import _seen, _where
from evalkit.reports._recognition._seen import as_shown


def prepare(table, _, bench):
    """Examine the scores of systems on data sets."""
    if "dataset" not in table.roles:
        raise RefusedError(_seen.no_unit(table, "dataset", "data sets"))
    table = _ratios.with_score(table, bench.options.metric)
    if "score" not in table.roles:
        what = (
            "metric: no column holds the scores, and predictions are compared item by"
            " item alone"
        )
        raise ValueError(
            f"{what}; --metric COLUMN names the score of each, its error, say"
        )
    higher = _common.direction(table, bench) == "higher"
    frame = _common.tidy(table)
    own = [table.roles["system"], table.roles["dataset"]]
    settings = [
        n
        for n in _where.varying(table)
        if table.frame.groupby(own)[n].nunique().max() > 1
    ]
    tried = (
        frame.join(table.frame[settings]).drop_duplicates(["system", *settings]).system
    )
    metric = table.roles["score"]
    _common.names(frame, bench)
    refuse_folds(frame.dataset, table.roles["dataset"], bench)
    frame = _means.without_summaries(frame, table, bench)
    _common.scale(frame, metric, higher, bench)
    runs = "seed" if "seed" in frame else "run"
    keys = [
        n for n in ("system", "dataset", runs, "fold", "item", "repeat") if n in frame
    ]
    is_several = len(keys) == 2 and frame.duplicated(keys).any()
    told = _twice.telling(frame, keys, table.own()) if is_several else []
    there = frame.score.notna().groupby(frame.dataset).transform("any")
    if not there.any():
        way = "--metric COLUMN, if another column holds the scores."
        bench.refuse(
            "missing",
            f"No row has {shown(metric)}.",
            "There is nothing to compare.",
            way,
        )
    gone = frame.dataset[~there].unique()
    bench.drop((~there).sum(), f"no system has {shown(metric)} on {examples(gone)}")
    frame = frame[there].reset_index(drop=True)
    _refuse_unlike(frame, told)
    frame = before_means(frame, keys, higher, bench)
    step = None if "ended" in table.facts else table.roles.get("step")
    frame = _twice.duplicates(
        frame, keys, bench, what="data set", raw=table.own(), step=step
    )
    full, n_empty = _with_scores(frame, bench)
    n_cells = full.dataset.nunique() * full.system.nunique()
    n_without = n_cells - len(full[["system", "dataset"]].drop_duplicates())
    kept = _of_same_parts(
        failed(full, higher, bench, "row", n_empty=n_without), keys, bench
    )
    counts = kept.groupby(["system", "dataset"]).size()
    n_runs, fewest = int(counts.max()), int(counts.min())
    if n_runs > 1:
        of = f"{fewest} to {n_runs}" if fewest < n_runs else n_runs
        bench.merged.append(f"{of} scores of a system on a data set, by their mean")
    if settings and bench.merged:
        bench.merged[-1] += f", whatever their settings ({examples(settings, 4)})"
    wide = kept.pivot_table(index="dataset", columns="system", values="score")
    wide = wide.reindex(
        index=frame.dataset.unique(), columns=frame.system.unique()
    ).dropna(how="all")
    used = _without_gaps(wide, higher, n_empty, bench)
    used = used.rename_axis(index="dataset", columns="system").reset_index()
    used = used.melt("dataset", value_name="score")
    _twice.copies(used, "dataset", bench)
    _choices.chosen_by_test(used, table, bench, search=False)
    floor = _few(used, table.roles["dataset"], n_runs, bench)
    _choices.never_in_a_file(
        bench, tried=tried.value_counts(sort=False) if settings else None
    )
    return Evidence.of(bench, used, metric, higher, {"floor": floor, "runs": n_runs})


def _with_scores(frame, bench):
    """Return the rows with a score, and how many cells are empty on data sets that
    somebody was scored on.
    """
    # Of several runs.
    has_any = (
        frame.score.notna().groupby([frame.system, frame.dataset]).transform("any")
    )
    is_empty = ~has_any & ("status" not in frame and "seed" not in frame)
    nowhere = is_empty.groupby(frame.system, sort=False).all()
    if nowhere.any():
        what = f"Without a single score: {examples(nowhere.index[nowhere])}."
        mend = "fill the scores in, or take it out of the file."
        bench.refuse(
            "missing", what, "Nothing can be said of a system that was not run.", mend
        )
    full = frame[~is_empty]
    check_shared(
        "data set",
        full.groupby("system", sort=False).dataset.unique().map(list).to_dict(),
        bench,
    )
    return full, int(is_empty.sum())


def _refuse_unlike(frame, told):
    """Refuse means of unlike rows, where a column that nobody named tells the rows of a
    data set apart.
    """
    counts = (
        frame[frame.score.notna()]
        .groupby(["dataset", "system"])
        .size()
        .groupby("dataset")
        .nunique()
    )
    if told and (counts > 1).any():
        what = (
            f"On {examples(map(as_shown, counts.index[counts > 1]))} one system has"
            " more scores than "
        )
        what += (
            f"another, and {listed(told)} {'tells' if len(told) == 1 else 'tell'} them"
            " apart."
        )
        why = (
            "A mean over some of them is not one over others, which may be the harder"
            " ones."
        )
        way = (
            f"--map {argument(f'item={told[0]}')}: then those that all systems have are"
            " compared."
        )
        raise refusal("unmatched", what, why, way)


def _of_same_parts(frame, keys, bench):
    """Keep of a data set the folds, or items, of which every system that was tried on
    it has a score.
    """
    parts = ["dataset", *(name for name in keys if name in ("fold", "item", "repeat"))]
    if parts[1:2] in ([], ["repeat"]):  # an attempt is of its system alone
        return frame
    is_whole = in_all(frame, parts, "dataset")
    if is_whole.mean() < 0.5:
        bench.fine(
            "unmatched",
            f"On a data set systems have {parts[1]}s of their own: they are not"
            " paired.",
        )
        return frame
    if is_whole.all():
        bench.fine(
            "unmatched", f"On each data set every system has the same {parts[1]}s."
        )
        return frame
    odd = frame[~is_whole].drop_duplicates(parts)
    named = [" ".join(map(as_shown, row)) for row in odd[parts].itertuples(index=False)]
    n = int((~is_whole).sum())
    bench.found(
        "unmatched",
        f"Not every system has a score of {examples(named)}.",
        f"A mean over some {parts[1]}s is not one over others, which may be the harder"
        " ones.",
        f"--unmatched drop: of each data set the {parts[1]}s are compared that all"
        " systems have.",
        decided=bench.options.unmatched
        and "You said --unmatched drop: they are left out.",
    )
    bench.drop(n, f"scores of {an(parts[1])} that another system lacks")
    return frame[is_whole]


def _few(used, column, n_runs, bench):
    """Return the smallest p-value that is possible on so few data sets."""
    n_sets, n_others, only = (
        used.dataset.nunique(),
        used.system.nunique() - 1,
        used.dataset.iloc[0],
    )
    if n_sets < 2:
        why = (
            "The answer would be about other data sets, and nothing shows how these"
            " differ."
        )
        way = (
            "add data sets, or compare runs on this one: --where"
            f" {argument(f'{column}={as_shown(only)}')}."
        )
        bench.refuse("few", "There is one data set.", why, way)
    # Whoever wins on all n sets has p = 2 / 2^n, and Holm multiplies the smallest p by
    # the number of tests.
    floor = n_others * 2 / 2**n_sets
    if floor <= ALPHA:
        of = "adjusted " * (n_others > 1)
        bench.fine(
            "few",
            f"{count(n_sets, 'data set')}; the smallest possible {of}p-value is"
            f" {floor:.2g}.",
        )
        return floor
    family = f" and {n_others} comparisons" * (n_others > 1)
    fewest = math.ceil(math.log2(2 * n_others / ALPHA))
    words = (
        f"{count(n_sets, 'data set')}{family}: two-sided, the signed-rank test cannot"
        " give "
    )
    words += (
        f"{'an adjusted' if family else 'a'} p-value below {min(floor, 1):.3g},"
        " whatever the scores are."
    )
    words += (
        f" The page shows the differences, and tells no two systems apart; {fewest}"
        " data sets might."
    )
    words += (
        f" --where {argument(f'dataset={as_shown(only)}')} compares on that one alone."
        * (n_runs > 2)
    )
    bench.say("few", "note", words)
    return floor


def _without_gaps(wide, higher, n_empty, bench):
    """Ask about empty cells, and return the data sets that are compared."""
    said, empty, whole = bench.options.missing, wide.isna(), wide.dropna()
    if not empty.any(axis=None):
        bench.fine(
            "missing",
            f"{len(wide)} data sets x {wide.shape[1]} systems, no cell empty.",
        )
        return wide
    may_drop = len(whole) > 1
    if said == "drop" and not may_drop:
        few = f"Only {count(len(whole), 'data set')} has a score of every system."
        bench.refuse(
            "missing", few, "Nothing is left to compare on.", "--missing worst"
        )
    stacked = empty.stack()
    cells = [
        f"{shown(system)} on {as_shown(dataset)}"
        for dataset, system in stacked.index[stacked]
    ]
    dropped, filled = (
        "those data sets are left out",
        "the worst score of the data set takes its place",
    )
    done = {"drop": dropped, "worst": filled}.get(said)
    bench.found(
        "missing",
        f"Empty {'cell' if len(cells) == 1 else 'cells'}, {len(cells)} of {empty.size}:"
        f" {examples(cells)}.",
        "If a system was not run where it is bad, leaving the data set out"
        " flatters it.",
        *[f"--missing drop: {dropped}."] * may_drop,
        f"--missing worst: {filled}.",
        decided=done and f"You said --missing {said}: {done}.",
    )
    if said != "drop":
        bench.n_filled += len(cells)
        worst = wide.min(axis=1) if higher else wide.max(axis=1)
        return wide.apply(lambda column: column.fillna(worst))
    bench.drop(n_empty, "empty cells")
    n_others = wide.size - len(cells) - whole.size
    bench.drop(n_others, "scores on data sets without a score of every system")
    return whole
