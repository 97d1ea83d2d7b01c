"""Answers to items: predictions joined by id, or scores of evaluation logs."""

import numpy as np

from evalkit._limits import FEWEST_SEEDS
from evalkit.reports._bench import Evidence
from evalkit.reports._checks import (
    _choices,
    _common,
    _joined,
    _key,
    _means,
    _repeats,
    _texts,
    _twice,
    _units,
)
from evalkit.reports._checks._failed import before_means, failed, gaps
from evalkit.reports._faults import RefusedError, argument, count, examples, shown
from evalkit.reports._kinds import _raters, _ratios
from evalkit.reports._recognition import _seen
from evalkit.reports._recognition._table import as_text
from evalkit.reports.schema import is_shared

_KEYS = ("system", "item", "rater", "seed", "repeat")  # what tells answers apart


def prepare(table, others, bench):
    """Examine answers to items."""
    table = _ratios.with_score(_units.one_task(table, bench), bench.options.metric)
    higher = _common.direction(table, bench) == "higher"
    frame = _read(table, bench)
    _texts.check(frame, table, bench)
    metric = table.roles.get("score", "accuracy")
    _common.names(frame, bench)
    _common.scale(frame, metric, higher, bench)
    frame = _means.without_summaries(frame, table, bench)
    _filters(frame, bench)
    ratio = _ratios.check(frame, table, metric, bench)
    frame = _each_once(frame, table, higher, bench)
    if "seed" in frame and (frame.groupby("system").seed.nunique() < 2).all():
        frame = frame.drop(columns="seed")
    gaps(frame, table, bench)
    if "seed" in frame:  # what was never trained has none, and is one
        frame = frame.assign(seed=frame.seed.fillna(0))
    by = [name for name in _KEYS if name in frame]
    _twice.copies(frame.sort_values(by), "item", bench)
    frame, these = _raters.check(frame, table, bench)
    is_row = table.roles["item"] == table.facts.get("row")
    frame = _joined.matched(frame, bench, "rows" if is_row else "names")
    group = _units.groups(frame, table, bench)
    _units.enough(frame, group, bench)
    train = _trained(frame, others, table, bench)
    _choices.chosen_by_test(frame, table, bench, search=False)
    _choices.never_in_a_file(bench, train=train)
    frame, n_answers = _one_score_each(frame, ratio, metric, bench)
    runs = (
        frame.groupby("system", sort=False).seed.nunique() if "seed" in frame else None
    )
    rows = "answers" if runs is None or runs.min() < FEWEST_SEEDS else "nested"
    facts = {
        "runs": None if runs is None else runs.to_dict(),
        "answers": n_answers,
        "noun": "utterance" if table.roles["item"] == "utt_id" else "item",
        "group": group,
        "binary": set(np.unique(frame.score)) <= {0.0, 1.0} and not ratio,
        "ratio": ratio,
        "raters": frame.rater.nunique() if "rater" in frame else 0,
        "these raters": these,
        "rows": "paired" if "rater" in frame else rows,
    }
    return Evidence.of(bench, frame, metric, higher, facts)


def _read(table, bench):
    """Return the rows with their scores, and what says which items belong together."""
    frame = _common.tidy(table)
    if "item" not in frame:
        raise RefusedError(
            *bench.faults, _seen.no_unit(table, "item", "items", _names_of_items(table))
        )
    if (
        table.roles.get("score") in table.facts.get("of files", ())
        and frame["item"].nunique() > 1
    ):
        what = (
            f"{shown(table.roles['score'])} is the same in all rows of each file: it is"
            " not of an item."
        )
        why = "One number counted again for each item makes the interval far too short."
        bench.refuse("duplicates", what, why, "--metric COLUMN, a score of each item.")
    _units.refuse_folds(frame["item"], table.roles["item"], bench)
    frame = _units.with_groups(frame, table, bench.options.unit)
    _joined.refuse_shifted(frame, bench)
    _key.check(frame, table, bench)
    return frame if "score" in frame else _key.marked(frame, bench)


def _names_of_items(table):
    """Return the options that name the items of predictions, by a column that tells
    them apart, or by row.
    """
    frame, system, row = table.frame, table.roles["system"], table.facts.get("row")
    if "prediction" not in table.roles:
        return ()
    names = [
        name
        for name in frame
        if name not in (row, system, *map(table.roles.get, ("label", "prediction")))
    ]
    names = [
        n
        for n in names
        if not frame.duplicated([system, n]).any()
        and is_shared(frame[n], frame[system])
    ]
    ways = [
        f"--map {argument(f'item={name}')}, if it names the items." for name in names
    ]
    ways += [
        "--unit item: each row of the file is an item, with an answer of each system."
    ] * bool(row)
    return ways


def _filters(frame, bench):
    found = frame["filter"].value_counts() if "filter" in frame else ()
    if len(found) < 2:
        is_one = "rater" not in frame and not frame.duplicated(_apart(frame)).any()
        words = "One score an answer." if is_one else "No answer has two filters."
        return bench.fine("filters", words)
    of_each = ", ".join(f"{shown(name)} ({n:,} rows)" for name, n in found.items())
    what, why = (
        count(len(found), "filter"),
        "Two filters of one answer are two metrics, not two answers.",
    )
    ways = [f"--where filter={argument(name)}" for name in found.index]
    bench.refuse("filters", f"Each answer was scored by {what}: {of_each}.", why, *ways)


def _apart(frame):
    """Return the columns that tell answers apart."""
    return [name for name in _KEYS if name in frame]


def _each_once(frame, table, higher, bench):
    """Decide about answers that are missing, come again, or failed."""
    keys, item = _apart(frame), table.roles["item"]
    anew = [
        f"--map {argument(f'item=COLUMN,{item}')}, if items are numbered anew in each"
        " value of COLUMN."
    ]
    raw = table.own()
    _repeats.check(
        frame,
        _twice.telling(frame, keys, raw) if frame.duplicated(keys).any() else [],
        bench,
    )
    frame = before_means(frame, keys, higher, bench, what="answer")
    frame = _twice.duplicates(
        frame,
        keys,
        bench,
        what="item",
        raw=raw,
        is_repeat="repeat" not in frame,
        ways=anew,
    )
    frame = _with_partners(failed(frame, higher, bench, what="answer"), bench)
    # An answer that failed adds to the sum what its score says.
    if "numerator" in frame:
        frame = frame.assign(
            numerator=frame.numerator.fillna(frame.score * frame.denominator)
        )
    return frame


def _with_partners(frame, bench):
    """Leave out answers, of a rater or a repeat, that another system which has the item
    lacks.
    """
    keys = [name for name in ("item", "rater", "repeat") if name in frame]
    if bench.options.failed != "drop" or len(keys) < 2:
        return frame
    is_whole = _joined.in_all(frame, keys, "item")
    if is_whole.mean() < 0.5:  # each system has raters or repeats of its own
        return frame
    bench.drop(
        (~is_whole).sum(),
        f"answers whose {keys[1]} has no score of another system on that item",
    )
    return frame[is_whole].reset_index(drop=True)


def _one_score_each(frame, ratio, metric, bench):
    """Average the answers to an item; a ratio is one of these models, whatever their
    seeds.
    """
    keys = [
        name
        for name in _KEYS
        if name in frame and name != "repeat" and not (ratio and name == "seed")
    ]
    n_answers = int(frame.groupby(keys).size().max())
    if n_answers > 1:
        best = _choices.best_of_several(metric)
        bench.faults += [best] if best else []
        bench.merged.append(f"up to {n_answers} answers to an item, by their mean")
        frame = _twice.averaged(frame, keys)
    return frame, n_answers


def _trained(frame, others, table, bench):
    """Look for the test items in the training part, where the file has one."""
    if others.empty:
        return None
    both = {}
    for role in {"item", "text"} & set(table.roles):
        known = set(as_text(others[table.roles[role]].dropna()))
        both[role] = [
            value for value in dict.fromkeys(frame[role].dropna()) if value in known
        ]
    found = max(both.values(), key=len)
    if not found:
        n = frame["item"].nunique()
        bench.fine(
            "train-items",
            f"None of {n:,} test items is among {len(others):,} rows of other parts.",
        )
        return True
    items = (
        f"{count(len(found), 'test item')} are in a training or validation part as well"
    )
    why = (
        "A system that has seen the answer shows memory, and the one that remembers"
        " best wins."
    )
    mend = "take them out of the test part, and say how many there were."
    bench.found("train-items", f"{items}: {examples(found)}.", why, mend)
    return True
