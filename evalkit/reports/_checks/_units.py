"""What is drawn when items are compared: items one by one, or in whole groups."""

from dataclasses import replace

import pandas as pd

from evalkit._limits import FEWEST_GROUPS
from evalkit.reports import schema
from evalkit.reports._faults import argument, count, examples, shown, unshared
from evalkit.reports._recognition._cells import are_dates
from evalkit.reports._recognition._seen import as_shown
from evalkit.reports._recognition._table import BEGINNING, as_text


def one_task(table, bench):
    """Return the table without rows of tasks that lack the score; items of several
    tasks are refused.
    """
    tasks = table.column("dataset")
    if tasks is not None and (n := int(tasks.isna().sum())):
        what = (
            f"{count(n, 'row')} of {len(tasks):,} {'has' if n == 1 else 'have'} no"
            f" {shown(tasks.name)}."
        )
        bench.refuse(
            "names", what, "Nobody can say what they are of.", "fill the cells in."
        )
    if tasks is not None and "score" in table.roles:
        has_score = table.column("score").notna().groupby(tasks).transform("any")
        name = shown(table.roles["score"])
        bench.drop(
            (~has_score).sum(), f"{examples(tasks[~has_score].unique())} has no {name}"
        )
        table = replace(table, frame=table.frame[has_score].reset_index(drop=True))
        tasks = table.column("dataset")
    if tasks is None or tasks.nunique() < 2:
        return table
    own = tasks.groupby(table.column("system"), sort=False).unique().map(list).to_dict()
    check_shared("task", own, bench)
    name, item = argument(table.roles["dataset"]), table.roles.get("item")
    pooled = [
        f"--map {argument(f'item={tasks.name},{item}')} --unit item pools them."
    ] * bool(item)
    common = [
        task
        for task in own[bench.options.baseline]
        if all(task in found for found in own.values())
    ]
    bench.refuse(
        "tasks",
        f"There are items of {tasks.nunique()} tasks: {examples(tasks.unique(), 6)}.",
        "Pooled, the largest task decides; a task is also a unit of its own, of which"
        " there are few.",
        *(
            f"--where {name}={argument(task)} compares on one of them."
            for task in common[: int("item" in table.roles)]
        ),
        f"--unit {name} compares the means of the tasks, one a task.",
        *pooled,
    )
    return table


def check_shared(what, own, bench):
    """Refuse systems that were never tried on what the baseline was; `own` are lists,
    by system.
    """
    baseline = bench.options.baseline
    if apart := {
        name: found
        for name, found in own.items()
        if set(found).isdisjoint(own[baseline])
    }:
        raise unshared(what, {baseline: own[baseline], **apart})


def refuse_folds(values, column, bench):
    """Refuse items or data sets of which all are called as folds of one data set are:
    Fold01.
    """
    if values.astype(str).str.fullmatch(schema.RESAMPLE).all():
        what = f"{shown(column)} names folds or splits: {examples(values.unique())}."
        way = (
            "--map fold=COLUMN, and repeat=COLUMN where there is one: their scores are"
            " not independent."
        )
        bench.refuse(
            "duplicates", what, "Folds of one data set share training data.", way
        )


def with_groups(frame, table, unit):
    """Return rows with the columns that say which items belong together."""
    names = (*table.roles.get("group", ()), table.roles.get(unit, unit))
    names = [name for name in names if name in table.frame and name not in frame]
    if unit == BEGINNING and unit not in table.frame:
        frame = frame.assign(
            **{unit: frame["item"].astype(str).map(beginnings(frame["item"]))}
        )
    return frame.assign(**{name: table.frame[name] for name in names})


def groups(frame, table, bench):
    """Return the column of groups that are the unit, or None."""
    unit, n_items = bench.options.unit, frame["item"].nunique()
    if unit not in (None, "item", "seed", "rater", table.roles.get("rater")):
        name = unit if unit in frame else table.roles.get(unit, unit)
        _one_group_each(frame, name, bench)
        if frame[name].nunique() == n_items > 1 and name != table.roles["item"]:
            what = (
                f"No two items share a value of {shown(name)}: each would be a group of"
                " its own."
            )
            bench.refuse(
                "groups",
                what,
                "Then nothing is said of what they share.",
                "--unit item.",
            )
        values = f"the {frame[name].nunique():,} values of {shown(name)} are the unit."
        if name == BEGINNING and name not in table.frame:
            first = examples(frame[name].unique(), 2)
            values = (
                f"the {frame[name].nunique():,} beginnings of their names are the unit,"
                f" as {first}."
            )
        bench.say("groups", "decided", f"You said --unit {shown(unit)}: {values}")
        return name
    named = [name for name in table.roles.get("group", ()) if name in frame]
    named = [name for name in named if 2 <= frame[name].nunique() < n_items]
    if not named:
        items = as_text(table.column("item"))  # those of answers that are left out, too
        return _begin_alike(items, table.roles["item"], bench)
    name = named[0]
    n_groups, values = (
        frame[name].nunique(),
        examples(map(as_shown, frame[name].unique())),
    )
    items = f"items count one by one, although {shown(name)} has {n_groups:,} groups."
    bench.found(
        "groups",
        f"{n_items:,} items come from {n_groups:,} values of {shown(name)}, such as"
        f" {values}.",
        "Items of one document, author or family resemble each other: taken one by one"
        " they make the interval too short.",
        f"--unit {argument(name)}: whole groups are the unit.",
        "--unit item: they are independent all the same.",
        decided=f"You said --unit item: {items}" if unit == "item" else None,
    )
    return None


def beginnings(items):
    """Return with what names of items begin, by name, as those of images of one patient
    do; or nothing.
    """
    names = pd.Series(items.astype(str).unique())
    words = names.str.translate(_MARKS)
    for n_parts in (1, 2, 3):  # P003_02, P003_02.png or P003_02.nii.gz
        firsts = words.str.rsplit("_", n=n_parts).str[0]
        is_made_so = (words.str.count("_") >= n_parts).mean() > _NEARLY
        if is_made_so and FEWEST_GROUPS <= firsts.nunique() <= len(names) / 2:
            return dict(zip(names, firsts, strict=True))
    return {}


def _begin_alike(items, name, bench):
    """Ask about items whose names begin with the same part."""
    is_said, parts = bench.options.unit == "item", beginnings(items)
    if parts:
        n = len({*parts.values()})
        what = (
            f"The names of {len(parts):,} items, as {examples(parts)}, begin with one"
            f" of {n:,} parts."
        )
        why = (
            "If a part is a document, an author or a patient, items of one resemble"
            " each other."
        )
        group = f"--unit {BEGINNING}: items that begin alike belong together."
        item = "--unit item: they are independent all the same."
        bench.found(
            "groups", what, why, group, item, decided=_EACH if is_said else None
        )
    elif not is_said and schema.role_of(name) == "group":
        bench.fine("groups", f"Each value of {shown(name)} is an item.")
    elif are_dates(items):
        bench.say("groups", "note", (_EACH if is_said else _ALONE) + _IN_TIME)
    elif is_said:
        bench.say("groups", "decided", _EACH)
    else:
        bench.say("groups", "note", _ALONE)


_IN_TIME = (
    " Their names begin with dates: if neighbours in time resemble each other, the"
    " interval is too short."
)
_ALONE = (
    "Each item counts by itself: no column is known to say which come from one"
    " document, author or patient. If some do, --unit COLUMN names it."
)
_EACH = "You said --unit item: each item counts by itself."
_NEARLY = 0.95  # of the names: a row of means among them hides nothing
_MARKS = str.maketrans("-/:.", "____")


def _one_group_each(frame, name, bench):
    pairs = frame[["item", name]].drop_duplicates()
    lost, twice = (
        pairs["item"][pairs[name].isna()],
        pairs["item"][pairs["item"].duplicated()],
    )
    if len(twice) or len(lost):
        whose, what = (twice, "more than one value of") if len(twice) else (lost, "no")
        has = f"{count(whose.nunique(), 'item has', 'items have')} {what} {shown(name)}"
        why, mend = (
            "An item belongs to one group, the same for every system.",
            "mend the column.",
        )
        one = "--unit item: they are independent all the same."
        bench.refuse("groups", f"{has}: {examples(whose.unique())}.", why, mend, one)


def enough(frame, group, bench):
    """Refuse fewer items, or groups, than an interval is known to hold for."""
    n, what = frame[group or "item"].nunique(), "group" if group else "item"
    if n < FEWEST_GROUPS:
        there = f"There {'is' if n == 1 else 'are'} {count(n, what)}."
        why = f"With fewer than {FEWEST_GROUPS} no interval is known to hold."
        rated = (
            "--map item=RATER --duplicates mean, with its column: over raters, for"
            " these items only."
        )
        bench.refuse(
            "few", there, why, f"collect more {what}s.", *[rated] * ("rater" in frame)
        )
    bench.fine("few", f"{count(n, what)}.")
