"""What is drawn when items are compared: items one by one, or in whole groups."""

from dataclasses import replace

import pandas as pd

from evalkit._limits import FEWEST_GROUPS
from evalkit.reports._faults import Fault, RefusedError, argument, count, examples, shown, unshared


def one_task(table, bench):
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


def group_columns(table, unit):
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


def groups(frame, table, columns, bench):
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


def enough(frame, group, bench):
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
