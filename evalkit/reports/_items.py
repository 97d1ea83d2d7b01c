"""Answers to items: predictions joined by id, or scores of evaluation logs."""

from dataclasses import replace

import numpy as np
import pandas as pd

from evalkit._limits import FEWEST_GROUPS
from evalkit.reports import _choices, _common, _repeats, _texts
from evalkit.reports._bench import Evidence
from evalkit.reports._faults import Fault, RefusedError, argument, count, examples, shown, unshared


def prepare(table, others, bench):
    """Examine answers to items.

    Parameters
    ----------
    table : Table
    others : pandas.DataFrame
        Rows of training and validation parts.
    bench : Bench

    Returns
    -------
    Evidence
    """
    higher = _common.direction(table, bench) == "higher"
    n_read = len(table.frame)
    table = _one_task(table, bench)
    frame = _common.tidy(table)
    if "item" not in frame:
        raise RefusedError(
            Fault(
                "unmatched",
                f"No column names the items; there are: {examples(table.frame.columns, 12)}.",
                "Answers are joined by the name of the item, never by the row in which they stand: two "
                "files may have another order.",
                (
                    "--map item=COLUMN, if a column does.",
                    "write an id beside each answer, the same in all files.",
                ),
            )
        )
    columns = {
        name: table.frame[name] for name in _group_columns(table, bench.options.unit) if name not in frame
    }
    frame = frame.assign(**columns)
    _key(frame, table, bench)
    if "score" not in frame:
        frame = _marked(frame)
    metric = table.roles.get("score", "accuracy")
    _common.names(frame, bench)
    _common.scale(frame, metric, higher, bench)
    _filters(frame, bench)
    keys = [name for name in ("system", "item", "seed", "repeat") if name in frame]
    raw = table.frame[[n for n in table.frame.columns if n not in table.roles.get("note", ())]]
    share, score, low = _repeats.lacking(frame, higher, bench)
    frame = _common.duplicates(frame, keys, bench, what="item", raw=raw, is_repeat="repeat" not in frame)
    frame, ways = _common.failed(frame, higher, bench, what="answer")
    runs = frame.groupby("system", sort=False).seed.nunique() if "seed" in frame else None
    if runs is not None and (runs < 2).all():
        frame, runs = frame.drop(columns="seed"), None
        ways = {name: way.drop(columns="seed") for name, way in ways.items()}
    _common.copies(frame.sort_values([k for k in keys if k in frame]), "item", bench)
    frame = _matched(frame, bench)
    ways = {name: _matched(way, None) for name, way in ways.items()}
    _texts.prompts(frame, table, bench)
    n_differ = _texts.other_text(frame, table, bench)
    _texts.same_text(frame, bench)
    group = _groups(frame, table, columns, bench)
    _enough(frame, group, bench)
    train = _trained(frame, others, table, bench)
    _choices.chosen_by_test(frame, table, bench, search=False)
    _choices.never_in_a_file(bench, train=train)
    n_answers = frame.groupby([k for k in ("system", "item", "seed") if k in frame]).size().max()
    keep = [k for k in ("system", "item", "seed") if k in frame]
    if n_answers > 1:
        bench.merged.append(f"up to {n_answers} answers to an item, by their mean")
        frame = _common.averaged(frame, keep)
        ways = {name: _common.averaged(way, keep) for name, way in ways.items()}
    if not share.empty:
        ways = {name: _repeats.filled(way, share, score) for name, way in ways.items()}
        ways["missing answers left out"] = frame
        ways[f"missing answers score {low:.4g}, the worst seen"] = _repeats.filled(frame, share, low)
        frame = _repeats.filled(frame, share, score)
    systems = [name for name in frame.system.unique() if name != bench.options.baseline]
    facts = {
        "runs": None if runs is None else runs.to_dict(),
        "answers": int(n_answers),
        "group": group,
        "groups": [name for name in columns if name != group and _varies(frame, name)],
        "other texts": n_differ,
        "binary": set(np.unique(frame.score)) <= {0.0, 1.0},
    }
    way = "higher" if higher else "lower"
    return Evidence("items", frame, bench.options.baseline, tuple(systems), metric, way, n_read, facts, ways)


def _one_task(table, bench):
    tasks = table.column("dataset")
    if tasks is not None and tasks.nunique() >= 2 and "score" in table.roles:
        has_score = table.column("score").notna().groupby(tasks).transform("any")
        if not has_score.all():
            name = shown(table.roles["score"])
            bench.drop((~has_score).sum(), f"{examples(tasks[~has_score].unique())} has no {name}")
            table = replace(table, frame=table.frame[has_score].reset_index(drop=True))
            tasks = table.column("dataset")
    if tasks is not None and tasks.nunique() >= 2:
        own = tasks.groupby(table.column("system"), sort=False).unique().map(list).to_dict()
        baseline = own.pop(bench.options.baseline)
        if apart := {name: found for name, found in own.items() if set(found).isdisjoint(baseline)}:
            raise unshared("task", {bench.options.baseline: baseline, **apart})
        common = [task for task in baseline if all(task in found for found in own.values())]
        name = argument(table.roles["dataset"])
        ways = [f"--where {name}={argument(task)} compares on one of them." for task in common[:1]]
        raise RefusedError(
            Fault(
                "tasks",
                f"There are items of {tasks.nunique()} tasks: {examples(tasks.unique(), 6)}.",
                "Pooled, the largest task decides; a task is also a unit of its own, of which there are few.",
                (*ways, f"--unit {name} compares the means of the tasks, one a task."),
            )
        )
    return table


def _group_columns(table, unit):
    """Return the columns that may say which items belong together, those that say so by their name first."""
    named = list(table.roles.get("group", ()))
    systems = table.frame[table.roles["system"]]
    item = table.frame[table.roles["item"]] if "item" in table.roles else None
    n_items = item.nunique() if item is not None else 0
    for name in (*table.roles.get("setting", ()), *table.roles.get("note", ())):
        values = table.frame[name]
        of_item = pd.DataFrame({"item": item, "value": values}).drop_duplicates()
        if (
            name not in named
            and 2 <= values.nunique() <= n_items / 2
            and len(of_item) == n_items
            and pd.DataFrame({"s": systems, "v": values}).drop_duplicates().shape[0] > systems.nunique()
        ):
            named.append(name)
    return [*named, unit] if unit in table.frame and unit not in named else named


def _varies(frame, name):
    return frame[name].nunique() >= 2


def _key(frame, table, bench):
    name = "label" if "label" in frame else None
    values = frame.label if name else table.frame[table.roles["key"]] if "key" in table.roles else None
    if values is None:
        bench.unchecked("key", "The right answers are not in the file.")
        return
    pairs = pd.DataFrame({"item": frame["item"], "answer": values}).drop_duplicates()
    differ = pairs["item"][pairs["item"].duplicated()].unique().tolist()
    nearly = _nearly_right(frame)
    if nearly.any():
        systems = ", ".join(f"{shown(s)} {n:,}" for s, n in frame.system[nearly].value_counts().items())
        bench.found(
            "key",
            f"{count(int(nearly.sum()), 'prediction differs', 'predictions differ')} from the right answer "
            f"in case alone ({systems}): {examples(frame.prediction[nearly].unique())} for "
            f"{examples(frame.label[nearly].unique())}.",
            "They would count as wrong.",
            ("write predictions and answers in one way.",),
        )
    elif differ:
        bench.found(
            "key",
            f"The right answer of {count(len(differ), 'item')} differs from system to system: "
            f"{examples(differ)}.",
            "They are different questions under one name, or one key was mended and the other not.",
            ("evaluate all systems with one answer key.",),
        )
    else:
        bench.fine("key", f"{count(len(pairs), 'item')}, one answer each.")


def _nearly_right(frame):
    """Tell which predictions are the right answer but for case."""
    if "prediction" not in frame or "label" not in frame or "score" in frame:
        return pd.Series(False, index=frame.index)
    said, right = (frame[name].map(_as_word) for name in ("prediction", "label"))
    return (said != right) & (said.str.casefold() == right.str.casefold())


def _marked(frame):
    """Score predictions as right or wrong."""
    if "prediction" not in frame or "label" not in frame:
        raise RefusedError(
            Fault(
                "metric",
                "The items have neither a score nor both a prediction and a right answer.",
                "Without them nobody knows which answers are right.",
                (
                    "--map label=COLUMN, and --map prediction=COLUMN.",
                    "--metric COLUMN, if one holds the scores.",
                ),
            )
        )
    missing = frame.prediction.isna()
    if frame.label.isna().any():
        n = int(frame.label.isna().sum())
        raise RefusedError(
            Fault(
                "key",
                f"{count(n, 'row')} have no right answer.",
                "They can be neither right nor wrong.",
                ("fill the answers in, or take the items out.",),
            )
        )
    said, right = (frame[name].map(_as_word) for name in ("prediction", "label"))
    known = set(right)
    is_number = frame.label.dtype.kind == "f" and frame.prediction.dtype.kind == "f"
    if is_number and said.isin(known).mean() < 0.5:
        raise RefusedError(
            Fault(
                "metric",
                f"Predictions such as {examples(said.unique())} are numbers, and few are one of the "
                f"right answers, {examples(right.unique())}.",
                "Of numbers that are predicted, or of probabilities, none is right or wrong.",
                (
                    "write the error or the score of each item beside it, and name it: --metric abs_error.",
                    "or write the class that each system chose.",
                ),
            )
        )
    if not (said.isin(known)).any():
        raise RefusedError(
            Fault(
                "key",
                f"No prediction is one of the right answers: predictions are {examples(said.unique())}, "
                f"answers {examples(right.unique())}.",
                "They are written in two ways: class numbers and names, perhaps.",
                ("write both in one way.",),
            )
        )
    return frame.assign(score=(said == right).astype(float).mask(missing))


def _as_word(value):
    if isinstance(value, float):
        return "" if value != value else f"{value:g}"
    return "" if value is None else str(value).strip()


def _filters(frame, bench):
    if "filter" not in frame or frame["filter"].nunique() < 2:
        bench.fine("filters", "One score an answer.")
        return
    found = frame["filter"].value_counts()
    bench.found(
        "filters",
        f"Each answer was scored by {count(len(found), 'filter')}: "
        + ", ".join(f"{shown(name)} ({n:,} rows)" for name, n in found.items())
        + ".",
        "Two filters of one answer are two metrics, not two answers.",
        [f"--where filter={argument(name)}" for name in found.index],
    )
    bench.stop_if_faulty()


def _matched(frame, bench):
    """Keep the items that every run of every system answered, in the same order."""
    units = ["system", "seed"] if "seed" in frame else ["system"]
    by_run = {}
    for key, part in frame.groupby(units, sort=False):
        name = shown(key[0]) + (f" run {_common.as_text(key[1])}" if len(key) > 1 else "")
        by_run[name] = set(part["item"])
    common, every = set.intersection(*by_run.values()), set.union(*by_run.values())
    if bench is not None:
        if common == every:
            bench.fine("unmatched", f"All {len(every):,} items, joined by their names.")
        else:
            _unmatched(by_run, common, every, bench)
    kept = frame[frame["item"].isin(common)]
    places = pd.DataFrame({name: pd.factorize(kept[name])[0] for name in [*units, "item"]}, index=kept.index)
    return kept.loc[places.sort_values([*units, "item"], kind="stable").index].reset_index(drop=True)


def _unmatched(by_run, common, every, bench):
    parts = [
        f"{shown(name)} lacks {len(every - items):,} ({examples(sorted(every - items))})"
        for name, items in by_run.items()
        if every - items
    ]
    plain = {name: {str(i).strip().lower().lstrip("0") for i in items} for name, items in by_run.items()}
    alike = set.intersection(*plain.values())
    hint = " Spaces, case or leading zeros are all that keeps more of them apart." * (
        len(alike) > len(common)
    )
    if not common:
        raise RefusedError(
            Fault(
                "unmatched",
                f"No item is in all answers: {'; '.join(parts)}.{hint}",
                "Answers are joined by the name of the item, never by the row in which they stand.",
                ("--map item=COLUMN, if another column names the items.", "or write the names in one way."),
            )
        )
    said = bench.options.unmatched
    bench.found(
        "unmatched",
        f"Of {len(every):,} items {len(common):,} are in all answers: {'; '.join(parts)}.{hint}",
        "Joined by row, strangers would be paired; left out in silence, the hard items may be gone.",
        (f"--unmatched drop compares on the {len(common):,} that all have, and the page says so.",),
        decided=said and "You said --unmatched drop: the others are left out.",
    )
    n_rows = sum(len(items - common) for items in by_run.values())
    bench.drop(n_rows, "answers to items that not every system has")


def _groups(frame, table, columns, bench):
    """Return the column of groups that are the unit, or None."""
    unit = bench.options.unit
    named = [name for name in table.roles.get("group", ()) if name in frame and _may_group(frame, name)]
    if unit and unit not in ("item", "seed"):
        role = table.roles.get(unit, unit)
        name = unit if unit in frame else role
        if name not in frame:
            raise ValueError(
                f"unit: no column is called {shown(unit)!r}; there are: {examples(frame.columns, 12)}"
            )
        _one_group_each(frame, name)
        values = f"the {frame[name].nunique():,} values of {shown(name)} are the unit."
        bench.say("groups", "decided", f"You said --unit {shown(unit)}: {values}")
        return name
    if named and unit != "item":
        name = named[0]
        n_items, n_groups = frame["item"].nunique(), frame[name].nunique()
        bench.found(
            "groups",
            f"{n_items:,} items come from {n_groups:,} values of {shown(name)}, such as "
            f"{examples(frame[name].unique())}.",
            "Items of one document, author or family resemble each other: taken one by one they make the "
            "interval too short.",
            (
                f"--unit {argument(name)}: whole groups are the unit.",
                "--unit item: they are independent all the same.",
            ),
        )
    elif named:
        n = frame[named[0]].nunique()
        words = f"You said --unit item: items count one by one, although {shown(named[0])} has {n:,} groups."
        bench.say("groups", "decided", words)
    elif columns:
        bench.unchecked(
            "groups", f"No column names groups; {examples(columns, 4)} might: see the sensitivity."
        )
    else:
        bench.unchecked("groups", "No column says which items come from one document, author or source.")
    return None


def _one_group_each(frame, name):
    pairs = frame[["item", name]].drop_duplicates()
    lost, twice = pairs["item"][pairs[name].isna()], pairs["item"][pairs["item"].duplicated()]
    if len(twice) or len(lost):
        whose, what = (twice, "more than one value of") if len(twice) else (lost, "no")
        raise RefusedError(
            Fault(
                "groups",
                f"{count(whose.nunique(), 'item has', 'items have')} {what} {shown(name)}: "
                f"{examples(whose.unique())}.",
                "An item belongs to one group, the same for every system.",
                ("mend the column.", "--unit item: they are independent all the same."),
            )
        )


def _may_group(frame, name):
    n_items = frame["item"].nunique()
    return 2 <= frame[name].nunique() < n_items


def _enough(frame, group, bench):
    n = frame[group].nunique() if group else frame["item"].nunique()
    what = "group" if group else "item"
    if n < FEWEST_GROUPS:
        bench.found(
            "few",
            f"There are {count(n, what)}.",
            f"With fewer than {FEWEST_GROUPS} no interval is known to hold.",
            (f"collect more {what}s.",),
        )
        bench.stop_if_faulty()
    bench.fine("few", f"{count(n, what)}.")


def _trained(frame, others, table, bench):
    """Look for the test items in the training part, where the file has one."""
    if others.empty:
        return None
    item, text = table.roles["item"], table.roles.get("text")
    both = {}
    for name, column in (("item", item), *([("text", text)] if text else [])):
        known = set(_common._gather._as_text(others[column].dropna()))
        both[name] = [value for value in dict.fromkeys(frame[name].dropna()) if value in known]
    found = both["item"] if len(both["item"]) >= len(both.get("text", ())) else both["text"]
    if found:
        bench.found(
            "train-items",
            f"{count(len(found), 'test item')} are in a training or validation part as well: "
            f"{examples(found)}.",
            "A system that has seen the answer shows memory, and the one that remembers best wins.",
            ("take them out of the test part, and say how many there were.",),
        )
    else:
        words = (
            f"None of {frame['item'].nunique():,} test items is among {len(others):,} rows of other parts."
        )
        bench.fine("train-items", words)
    return True
