"""Folds and random splits of one data set: they overlap, and often they chose the
settings as well.
"""

import itertools

from evalkit._ties import levels, rounding
from evalkit.reports import schema
from evalkit.reports._bench import Evidence
from evalkit.reports._checks import _choices, _common, _failed, _means, _twice
from evalkit.reports._checks._joined import shared
from evalkit.reports._faults import (
    RefusedError,
    argument,
    count,
    each,
    examples,
    shown,
    unshared,
)
from evalkit.reports._recognition import _seen, _where
from evalkit.reports._recognition._seen import as_shown

_NEAR = 0.05
_UNLIKE = 0.2  # of the share of training items to test items that equal folds have


def prepare(table, _, bench):
    """Examine the scores of folds or splits."""
    higher, settings = (
        _common.direction(table, bench) == "higher",
        _where.varying(table),
    )
    frame = _common.tidy(table).join(table.frame[settings])
    if "fold" not in frame and "seed" in frame:
        frame = frame.rename(columns={"seed": "fold"})
    if "fold" not in frame:
        raise RefusedError(_seen.no_unit(table, "fold", "folds"))
    if n := int(frame.fold.isna().sum()):
        what = (
            f"{count(n, 'row')} of {len(frame):,} {'has' if n == 1 else 'have'} no"
            " fold."
        )
        bench.refuse(
            "names", what, "Folds are paired by their names.", "fill the cells in."
        )
    if "dataset" in frame and (n := frame.dataset.nunique()) > 1:
        one = (
            f"--where {argument(f'dataset={as_shown(frame.dataset.iloc[0])}')} compares"
            " on one of them."
        )
        what, why = (
            f"There are folds of {n:,} data sets.",
            "Folds of two data sets have nothing in common.",
        )
        bench.refuse(
            "tasks",
            what,
            why,
            "--unit dataset compares the means of the data sets.",
            one,
        )
    _common.names(frame, bench)
    frame = _means.without_summaries(frame, table, bench)
    tried = (
        frame.drop_duplicates(["system", *settings]).system.value_counts(sort=False)
        if settings
        else None
    )
    keys = [name for name in ("system", "fold", "repeat", "seed") if name in frame]
    if settings and not frame.duplicated(keys).any():
        words = (
            f"Each fold has one setting of its own ({examples(settings, 4)}). If it was"
            " chosen inside "
        )
        words += (
            "the training part of the fold (nested cross-validation), no score is too"
            " good for that."
        )
        bench.say("chosen", "note", words)
        settings = []
    elif settings or table.facts.get("n_tried"):
        _chosen(settings, tried, table, bench)
    else:
        bench.unchecked(
            "chosen", "One setting a system: the file does not say what chose it."
        )
    if settings:
        frame = _best_settings(frame, settings, higher, bench)
    _common.scale(frame, table.roles["score"], higher, bench)
    frame = _seeds_of_folds(frame, bench)
    keys = [name for name in ("system", "fold", "repeat", "seed") if name in frame]
    frame = _failed.before_means(frame, keys, higher, bench)
    step = None if "ended" in table.facts else table.roles.get("step")
    frame = _twice.duplicates(
        frame, keys, bench, what="fold", raw=table.own(), step=step
    )
    _twice.copies(frame, "fold", bench)
    _choices.chosen_by_test(frame, table, bench, search=False, by_folds=bool(settings))
    frame = _failed.failed(frame, higher, bench, what="fold")
    frame = _same_folds(frame, keys[1:], bench)
    n_folds = len(frame) // max(frame.system.nunique(), 1)
    if n_folds < 3:
        what, why = (
            f"There are {count(n_folds, 'fold')}.",
            "Two folds have one difference of differences.",
        )
        bench.found("few", what, why, "split again, at least five times.")
    else:
        bench.fine("few", f"{count(n_folds, 'fold')} or splits.")
    _sizes(frame.fold.nunique(), table, bench)
    _choices.never_in_a_file(bench, tried=tried)
    facts = {"n_train": bench.options.n_train, "n_test": bench.options.n_test}
    return Evidence.of(bench, frame, table.roles["score"], higher, facts)


def _seeds_of_folds(frame, bench):
    """Ask what several seeds of a fold are: runs on the same split, or splits of their
    own.
    """
    runs = (
        frame.groupby(
            [k for k in ("system", "fold", "repeat") if k in frame], dropna=False
        )
        .size()
        .max()
    )
    if "seed" not in frame or runs < 2:
        return frame
    if bench.options.duplicates:
        return frame.drop(columns="seed")
    what = f"Each fold has up to {count(int(runs), 'seed')}."
    why = (
        "Several runs on one split are one score of it, their mean; other splits would"
        " be more scores."
    )
    mean = "--duplicates mean: the seeds of a fold are runs on the same split."
    anew = (
        "--map repeat=COLUMN, with the column of the seeds: each seed shuffled the data"
        " anew."
    )
    bench.found("duplicates", what, why, mean, anew)
    return frame


def _chosen(settings, tried, table, bench):
    """Ask whether the same folds may choose and compare."""
    of = f"halving tried {table.facts.get('n_tried')} settings on parts of them"
    of = f"{each(tried)} settings ({examples(settings, 4)})" if settings else of
    keep = (
        "--where COLUMN=VALUE keeps a setting that other data chose; --where"
        " SYSTEM:COLUMN=VALUE that of "
    )
    bench.found(
        "chosen",
        f"The folds were used to choose: {of}.",
        "The best of many settings is too good on the folds that chose it, and most for"
        " the system with the most settings.",
        *[f"{keep}one system."] * bool(settings),
        "choose inside each training part (nested cross-validation), and report the"
        " outer folds.",
    )


def _best_settings(frame, settings, higher, bench):
    """Keep the best setting of each system."""
    keys = ["system", *settings]
    means = frame.groupby(keys, sort=False, dropna=False).score.mean()
    # The first of equals, as a search takes it: the mean of the same folds in another
    # order is no better.
    known = means.notna().to_numpy()
    means[known] = levels(means[known].to_numpy(float), rounding(frame.score))
    of_system = means.groupby("system", sort=False)
    best = of_system.idxmax() if higher else of_system.idxmin()
    kept = frame.set_index(keys).loc[list(best)].reset_index()
    named = [
        name for name in settings if name != "candidate"
    ] or settings  # whose number says nothing
    words = []
    for system, own in (
        kept.drop_duplicates("system").set_index("system")[named].iterrows()
    ):
        words.append(
            f"{shown(system)}"
            f" {', '.join(f'{n} {as_shown(v)}' for n, v in own.dropna().items())}"
        )
    of_each = "; ".join(words)
    bench.drop(
        len(frame) - len(kept),
        f"settings that were not the best of their system: {of_each}",
    )
    return kept


def _same_folds(frame, pairs, bench):
    """Keep the folds that every system has, in the same order."""
    key = (
        frame[pairs].astype(str).replace(r"\.0$", "", regex=True).agg(" ".join, axis=1)
    )
    of = {name: set(own) for name, own in key.groupby(frame.system, sort=False)}
    common = set.intersection(*of.values())
    if not common:
        raise unshared(
            "fold", {name: sorted(of[name]) for name in (bench.options.baseline, *of)}
        )
    whole = f"The same {len(common)} for every system, as far as their numbers tell."
    words = "fold", "are there for every system", whole, "fine"
    named = {shown(name): own for name, own in of.items()}
    shared(named, bench, "unmatched", words, "Folds are compared pair by pair.", ())
    bench.drop(
        sum(len(own - common) for own in of.values()), "folds that not every system has"
    )
    kept = frame[key.isin(common)]
    return kept.sort_values(["system", *pairs], kind="stable").reset_index(drop=True)


def _counted(table, n_folds):
    """Yield the option with the numbers of two columns that are as training and test
    parts of equal folds.
    """
    frame = table.own()
    means = {
        n: frame[n].mean()
        for n in frame
        if frame[n].dtype.kind == "f" and not (frame[n].dropna() % 1).any()
    }
    for (train, a), (test, b) in itertools.permutations(means.items(), 2):
        if (
            b > 1
            and abs(a / b - (n_folds - 1)) < _NEAR * n_folds
            and (frame[train] + frame[test]).nunique() == 1
        ):
            sizes = f"--n-train {round(a)} --n-test {round(b)}"
            yield f"{sizes}, if {shown(train)} and {shown(test)} count these items."


def _sizes(n_folds, table, bench):
    """Ask how many items each fold trained and tested on; of a search it may be known
    how many there were.
    """
    n_train, n_test = bench.options.n_train, bench.options.n_test
    overlap = "By how much the training parts overlap decides the p-value."
    used = table.facts.get("n_resources", ())
    if len(used) > 1:
        ended = examples(f"{n:,.0f}" for n in used)
        what = f"The searches ended on different numbers of items: {ended}."
        why = "Folds of other sizes are other folds: there is nothing to pair."
        bench.refuse("sizes", what, why, "search again with the same max_resources.")
    n_items = used[0] if used else 1000  # as an example
    of_test = n_items // max(n_folds, 2)
    equal = f"--n-train {n_items - of_test:.0f} --n-test {of_test:.0f}"
    if_equal = f"{equal}, if the {n_folds} folds are equal."
    are_folds = schema.role_of(
        table.roles.get("fold", "")
    ) == "fold" and not table.facts.get("folds")
    if not n_train or not n_test:
        example = f" (of {n_folds} folds of 1,000 items: {equal})" * are_folds
        many = f"--n-train N --n-test N{example}. Only their ratio counts."
        what = (
            "No column is known to say how many items each fold trained and tested on."
        )
        why = "The test needs to know by how much the training parts overlap."
        bench.refuse(
            "sizes", what, why, *_counted(table, n_folds), if_equal if used else many
        )
    said = f"You said training to test items as {n_train:,} to {n_test:,}"
    if (
        are_folds
        and n_folds > 1
        and abs(n_train / n_test / (n_folds - 1) - 1) > _UNLIKE
    ):
        what = f"{said}; of {n_folds} equal folds, {n_folds - 1} train and 1 tests."
        bench.found(
            "sizes",
            what,
            overlap,
            f"{equal} of {n_items:,.0f} items, if the folds are equal.",
        )
    elif used and n_train + n_test != n_items:
        differ = f"the last iteration of the search used {n_items:,.0f} items"
        # The p-value hangs on the share.
        if abs(n_test / n_train * (n_items - of_test) / of_test - 1) > 0.1:
            bench.refuse("sizes", f"{said}, and {differ}.", overlap, if_equal)
        bench.say("sizes", "note", f"{said}; {differ}, in the same shares.")
    elif n_test > n_train:
        swapped = f"--n-train {n_test} --n-test {n_train}, if they were swapped."
        bench.found(
            "sizes",
            f"{said}.",
            f"Nearly all splits test on the smaller part. {overlap}",
            swapped,
        )
    else:
        bench.say("sizes", "decided", f"{said}.")
