"""Folds and random splits of one data set: they overlap, and often they chose the settings as well."""

from evalkit._ties import levels, rounding
from evalkit.reports import _choices, _common, _failed, _gather, _means, _seen, _twice
from evalkit.reports._bench import Evidence
from evalkit.reports._faults import RefusedError, count, examples, shown, unshared


def prepare(table, _, bench):
    """Examine the scores of folds or splits.

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
    settings = _gather.varying(table)
    frame, n_read = _common.tidy(table).join(table.frame[settings]), len(table.frame)
    metric = table.roles["score"]
    if "fold" not in frame and "seed" in frame:
        frame = frame.rename(columns={"seed": "fold"})
    if "fold" not in frame:
        raise RefusedError(_seen.no_unit(table, "fold", "folds"))
    _common.names(frame, bench)
    frame = _means.without_summaries(frame, bench)
    tried = frame.drop_duplicates(["system", *settings]).system.value_counts(sort=False) if settings else None
    kept = _gather.kept_settings(table, _gather.varied(table))
    frame = _chosen(frame, settings, tried, higher, bench, kept)
    _common.scale(frame, metric, higher, bench)
    frame = _seeds_of_folds(frame, bench)
    keys = [name for name in ("system", "fold", "repeat", "seed") if name in frame]
    frame = _twice.duplicates(frame, keys, bench, what="fold", raw=table.frame)
    _twice.copies(frame, "fold", bench)
    _choices.chosen_by_test(frame, table, bench, search=False, by_folds=bool(settings))
    frame, ways = _failed.failed(frame, higher, bench, what="fold")
    pairs = keys[1:]
    frame = _same_folds(frame, pairs, bench)
    ways = {name: _same_folds(way, pairs, None) for name, way in ways.items()}
    n_folds = len(frame) // max(frame.system.nunique(), 1)
    _sizes(n_folds, table.facts.get("n_resources", ()), bench)
    _enough(n_folds, bench)
    _choices.never_in_a_file(bench, tried=tried)
    systems = [name for name in frame.system.unique() if name != bench.options.baseline]
    way = "higher" if higher else "lower"
    facts = {"n_train": bench.options.n_train, "n_test": bench.options.n_test}
    return Evidence("folds", frame, bench.options.baseline, tuple(systems), metric, way, n_read, facts, ways)


def _seeds_of_folds(frame, bench):
    """Ask what several seeds of a fold are: runs on the same split, or splits of their own."""
    runs = frame.groupby([k for k in ("system", "fold", "repeat") if k in frame], dropna=False).size().max()
    if "seed" not in frame or runs < 2:
        return frame
    if bench.options.duplicates:
        return frame.drop(columns="seed")
    bench.found(
        "duplicates",
        f"Each fold has up to {count(int(runs), 'seed')}.",
        "Several runs on one split are one score of it, their mean; other splits would be more scores.",
        (
            "--duplicates mean: the seeds of a fold are runs on the same split.",
            "--map repeat=COLUMN, with the column of the seeds: each seed shuffled the data anew.",
        ),
    )
    return frame


def _chosen(frame, settings, n, higher, bench, kept):
    """Keep the best setting of each system, if the same folds are to choose and to compare."""
    if not settings and kept:
        words = f"By --where you kept one setting: {kept}. If these folds chose it, its scores are too good"
        words += (
            "; if the settings are no answers to one question, the systems differ in more than their name."
        )
        bench.say("chosen", "note", words)
        return frame
    if not settings:
        bench.unchecked("chosen", "One setting a system: the file does not say what chose it.")
        return frame
    bench.found(
        "chosen",
        f"The folds were used to choose: {', '.join(f'{shown(k)} {v}' for k, v in n.items())} settings "
        f"({examples(settings, 4)}).",
        "The best of many settings is too good on the folds that chose it, and most for the system with the "
        "most settings.",
        (
            "--where COLUMN=VALUE keeps a setting that other data chose; --where SYSTEM:COLUMN=VALUE that of "
            "one system.",
            "or choose inside each training part (nested cross-validation), and report the outer folds.",
        ),
    )
    keys = ["system", *settings]
    means = frame.groupby(keys, sort=False, dropna=False).score.mean()
    # The first of equals, as a search takes it: the mean of the same folds in another order is no better.
    known = means.notna().to_numpy()
    means[known] = levels(means[known].to_numpy(float), rounding(frame.score))
    of_system = means.groupby("system", sort=False)
    best = of_system.idxmax() if higher else of_system.idxmin()
    kept = frame.set_index(keys).loc[list(best)].reset_index()
    bench.drop(len(frame) - len(kept), "settings that were not the best of their system")
    return kept


def _enough(n_folds, bench):
    if n_folds < 3:
        what, ways = f"There are {count(n_folds, 'fold')}.", ("split again, at least five times.",)
        bench.found("few", what, "Two folds have one difference of differences.", ways)
    else:
        bench.fine("few", f"{count(n_folds, 'fold')} or splits.")


def _same_folds(frame, pairs, bench):
    """Keep the folds that every system has, in the same order."""
    key = frame[pairs].astype(str).apply(tuple, axis=1)
    of = {name: set(own) for name, own in key.groupby(frame.system, sort=False)}
    common, every = set.intersection(*of.values()), set.union(*of.values())
    kept = frame[key.isin(common)].sort_values(["system", *pairs], kind="stable").reset_index(drop=True)
    if bench is None:
        return kept
    if not common:
        own = {name: [" ".join(fold) for fold in sorted(folds)] for name, folds in of.items()}
        raise unshared("fold", {bench.options.baseline: own.pop(bench.options.baseline), **own})
    if common == every:
        bench.fine("unmatched", f"The same {len(every)} for every system, as far as their numbers tell.")
        return kept
    lacking = [f"{shown(name)} lacks {len(every - own)}" for name, own in of.items() if every - own]
    said = bench.options.unmatched
    bench.found(
        "unmatched",
        f"Of {len(every)} folds {len(common)} are there for every system: {'; '.join(lacking)}.",
        "Folds are compared pair by pair.",
        (f"--unmatched drop compares on the {len(common)} that all have.",),
        decided=said and "You said --unmatched drop: the others are left out.",
    )
    bench.drop(sum(len(own - common) for own in of.values()), "folds that not every system has")
    return kept


def _sizes(n_folds, used, bench):
    n_train, n_test = bench.options.n_train, bench.options.n_test
    if len(used) > 1:
        bench.refuse(
            "sizes",
            f"The searches ended on different numbers of items: {examples(f'{n:,.0f}' for n in used)}.",
            "Folds of other sizes are other folds: there is nothing to pair.",
            ("search again with the same max_resources.",),
        )
    (n_items,) = used or (None,)
    of_test = n_items // n_folds if n_items else 0
    if n_items and n_train and n_test and n_train + n_test != n_items:
        differ = f"the last iteration of the search used {n_items:,.0f} items"
        if abs(n_test / n_train * (n_items - of_test) / of_test - 1) > 0.1:  # the p-value hangs on the share
            bench.refuse(
                "sizes",
                f"You said {n_train:,} and {n_test:,} items, and {differ}.",
                "By how much the training parts overlap decides the p-value.",
                (f"--n-train {n_items - of_test:.0f} --n-test {of_test:.0f}, if the folds are equal.",),
            )
        words = f"You said {n_train:,} items to train on and {n_test:,} to test on; {differ}, in the same shares."
        bench.say("sizes", "note", words)
        return
    if n_train and n_test and n_test > n_train:
        bench.found(
            "sizes",
            f"You said {n_train:,} items to train on and {n_test:,} to test on.",
            "Nearly all splits test on the smaller part, and the p-value hangs on which is which.",
            (f"--n-train {n_test} --n-test {n_train}, if they were swapped.",),
        )
        return
    if n_train and n_test:
        bench.say("sizes", "decided", f"You said {n_train:,} items to train on and {n_test:,} to test on.")
        return
    bench.found(
        "sizes",
        "The file does not say how many items each fold trained and tested on.",
        "Training parts overlap, and the test needs to know by how much: without it, ten folds would be "
        "taken for ten data sets.",
        (
            f"--n-train {n_items - of_test:.0f} --n-test {of_test:.0f}, if the {n_folds} folds are equal."
            if n_items
            else f"--n-train N --n-test N (of {n_folds} folds of 1,000 items: --n-train "
            f"{1000 - 1000 // max(n_folds, 2)} --n-test {1000 // max(n_folds, 2)}).",
        ),
        may_stay=False,
    )
