"""From readings to one table: files joined, systems named, rows chosen, the kind of data found."""

from dataclasses import replace

import numpy as np
import pandas as pd

from evalkit.reports import _columns, _places, _seen
from evalkit.reports._faults import Fault, RefusedError, argument, count, examples, shown
from evalkit.reports._words import ROLES, SYSTEM, TEST, TRAIN, VALIDATION, parts

_SYSTEM = "system (by its file)"
_RUN = "run (by its file)"


def one_table(readings, options):
    """Join what was read, and recognise its columns.

    Parameters
    ----------
    readings : list of Reading
    options : Options

    Returns
    -------
    Table
    """
    readings, key = _key_apart(readings)
    roles, facts, left = _merged(readings)
    frames = [reading.frame for reading in readings]
    names = _places.named(readings, options.baseline)
    # What the format has for something else names no system, unless somebody says so.
    other = {name for role, name in roles.items() if role != "system"} - {*options.columns.get("system", ())}
    in_column = any(
        options.baseline in set(frame[name].dropna().unique())
        for frame in frames
        for name in frame.columns
        if name not in other and frame[name].dtype.kind == "O" and not parts(name) & ROLES["prediction"]
    )
    single = [kind for kind, found in names.items() if options.baseline in found]
    if "given" in names or (len(readings) > 1 and not in_column and "system" not in roles and single):
        found = names.get("given", names.get(single[0]) if single else None)
        frames = [f.assign(**{_SYSTEM: name}) for f, name in zip(frames, found, strict=True)]
        if facts.get("task_by_file") and len(set(found)) == len(found) and "system" not in options.columns:
            frames = [f.drop(columns=roles["dataset"]) for f in frames]  # the files are systems, not tasks
        tasks = [f[roles["dataset"]].iloc[0] if roles.get("dataset") in f else "" for f in frames]
        runs = pd.Series(found).groupby([found, tasks]).cumcount()
        if runs.any() and not any(_has_seed(f) for f in frames) and facts.get("items"):
            frames = [f.assign(**{_RUN: str(run)}) for f, run in zip(frames, runs, strict=True)]
            roles["seed"] = _RUN
        roles["system"] = _SYSTEM
        if options.baseline not in found:
            raise _places.no_baseline(options.baseline, found)
    elif len(readings) > 1 and not in_column and not any(options.baseline in f.columns for f in frames):
        raise _places.no_baseline(options.baseline, possible_systems(readings, options))
    frame = pd.concat(frames, ignore_index=True)
    if key is not None:
        frame = _with_key(frame, key)
    roles = {role: name for role, name in roles.items() if name in frame}
    table = _columns.recognise(frame, options, roles, facts)
    by_file = {role: "the names of files and folders" for role in roles if roles[role] in (_SYSTEM, _RUN)}
    return replace(table, left_out=left, why={**table.why, **by_file})


def possible_systems(readings, options):
    """Return the names that may be systems, by where they stand.

    Parameters
    ----------
    readings : list of Reading
    options : Options

    Returns
    -------
    dict of str to list
    """
    readings, _ = _key_apart(readings)
    roles, facts, _ = _merged(readings)
    frame = pd.concat([reading.frame for reading in readings], ignore_index=True)
    known = {role: name for role, name in roles.items() if name in frame}
    known |= {role: n if len(n) > 1 else n[0] for role, n in options.columns.items() if set(n) <= set(frame)}
    kinds = _places.named(readings, "")
    if "given" in kinds:
        return {"": kinds["given"]}
    found = _seen.might_be_systems(frame, known)
    if "system" in known or any(parts(n) & SYSTEM for n in frame if f"in the column {shown(n)}" in found):
        return found
    if len(readings) > 1:
        words = {"file": "by their files"}
        apart = {words.get(k, "by their folders"): v for k, v in kinds.items() if len(set(v)) > 1}
        return apart or found
    if facts.get("folds"):
        return {"by its file": kinds.get("file", [])}
    return found


def _has_seed(frame):
    return any(parts(name) & ROLES["seed"] for name in frame.columns)


def _merged(readings):
    roles, facts, left = {}, {"notes": [], "higher": {}, "metrics": []}, []
    for reading in readings:
        roles |= reading.roles
        left += reading.left_out
        for name, value in reading.facts.items():
            if isinstance(value, dict):
                facts[name] = {**facts.get(name, {}), **value}
            elif isinstance(value, list):
                facts[name] = [*facts.get(name, []), *(v for v in value if v not in facts.get(name, []))]
            elif name == "guided":
                facts[name] = ", ".join(dict.fromkeys(filter(None, (facts.get(name), value))))
            else:
                facts[name] = value
    if not facts["metrics"]:
        facts.pop("metrics")
    return roles, facts, tuple(left)


# ---------------------------------------------------------------------------------------------
# A file with the right answers, beside those with the predictions
# ---------------------------------------------------------------------------------------------


def _key_apart(readings):
    """Return the readings without the one that holds the right answers alone, and that one."""

    def has(reading, role):
        return role in reading.roles or any(parts(name) & ROLES[role] for name in reading.frame.columns)

    keys = [r for r in readings if has(r, "label") and not has(r, "prediction") and not has(r, "correct")]
    others = [r for r in readings if r not in keys]
    apart = len(keys) == 1 and len(others) > 0 and all(has(r, "prediction") for r in others)
    return (others, keys[0]) if apart and not any(has(r, "label") for r in others) else (readings, None)


def _with_key(frame, key):
    ids = [name for name in key.frame.columns if name in frame.columns and parts(name) & ROLES["item"]]
    if len(ids) != 1:
        raise RefusedError(
            Fault(
                "key",
                f"{shown(key.place)} holds the right answers, but no one column that names the items is in "
                f"it and in the predictions: it has {examples(key.frame.columns)}.",
                "Answers are joined by the name of the item, never by the row in which they stand.",
                ("give the column of the items one name in all files, such as id.",),
            )
        )
    name = ids[0]
    right = key.frame.assign(**{name: _as_text(key.frame[name])})
    left = frame.assign(**{name: _as_text(frame[name])})
    if twice := right[name][right[name].duplicated()].unique().tolist():
        raise RefusedError(
            Fault(
                "key",
                f"{shown(key.place)} has {count(len(twice), 'item')} more than once: {examples(twice)}.",
                "An item has one right answer.",
                ("take the second of them out.",),
            )
        )
    strangers = sorted(set(left[name]) - set(right[name]))
    if strangers:
        raise RefusedError(
            Fault(
                "key",
                f"{shown(key.place)} has no answer for {count(len(strangers), 'item')} that were predicted: "
                f"{examples(strangers)}.",
                "What has no right answer can be neither right nor wrong.",
                ("add the answers, or take the predictions out.",),
            )
        )
    return left.merge(right, on=name, how="left", suffixes=("", " (of the answers)"))


def _as_text(values):
    return values.map(lambda v: str(int(v)) if isinstance(v, float) and v.is_integer() else v)


# ---------------------------------------------------------------------------------------------
# Rows that were asked for
# ---------------------------------------------------------------------------------------------


def chosen_rows(table, bench):
    """Keep the rows that `where` asks for, and those of the test part.

    Parameters
    ----------
    table : Table
    bench : Bench
        What is left out is written down there.

    Returns
    -------
    table : Table
    others : pandas.DataFrame
        Rows of training and validation parts.
    """
    frame, whole = table.frame, table.frame
    systems = frame[table.roles["system"]]
    for place, value in bench.options.where.items():
        system, name = _of_one_system(place, frame, systems)
        if name not in frame:
            near = examples(frame.columns, 12)
            raise ValueError(f"where: no column is called {shown(name)!r}; there are: {near}")
        words = frame[name].map(lambda v: f"{v:g}" if isinstance(v, float) else str(v))
        keep = _last(table, frame, name) if value == "last" else words == str(value)
        of = systems[frame.index]
        own = of == system if system is not None else pd.Series(True, frame.index)
        if not keep[own].any():
            there = examples(dict.fromkeys(words[own & frame[name].notna()]), 8) or "nothing but empty cells"
            raise ValueError(f"where: no row has {shown(place)} = {shown(value)}; there are: {there}")
        keep |= ~own
        # A setting that a system does not have cannot tell its rows apart. Rows without a system are a
        # group as well: what is left of them is refused where the systems are read.
        keep |= ~frame[name].notna().groupby(of, dropna=False).transform("any")
        if lost := [s for s in of.dropna().unique() if s not in set(of[keep])]:
            raise ValueError(
                f"where: {shown(name)} = {shown(value)} leaves no row of {examples(lost)}; name a value "
                f"that every system has, or one for each system: --where "
                f"{argument(f'{lost[0]}:{name}')}=VALUE"
            )
        bench.drop((~keep).sum(), f"{shown(place)} is not {shown(value)}, as you said")
        frame = frame[keep]
    if bench.options.where:
        table = replace(table, facts={**table.facts, "whole": whole})
    others = frame.iloc[:0]
    if "part" in table.roles:
        part = frame[table.roles["part"]].map(lambda v: str(v).lower())
        is_other = part.isin(TRAIN | VALIDATION) & bool(part.isin(TEST).any())
        others, frame = frame[is_other], frame[~is_other]
        bench.drop(is_other.sum(), "rows of a training or validation part")
    return replace(table, frame=frame.reset_index(drop=True)), others


def _of_one_system(place, frame, systems):
    """Return the system and the column of a condition: SYSTEM:COLUMN is about that system alone."""
    ends = [k for k, mark in enumerate(place) if mark == ":"] if place not in frame else []
    known = set(systems)
    found = [(place[:k], place[k + 1 :]) for k in ends if place[:k] in known and place[k + 1 :] in frame]
    return found[0] if found else (None, place)


def kept_settings(table, settings):
    """Say which setting of each system a condition left, and out of how many.

    Parameters
    ----------
    table : Table
    settings : list of str
        Those that varied in the whole file.

    Returns
    -------
    str
        Empty where no condition chose among settings.
    """
    whole, system = table.facts.get("whole"), table.roles["system"]
    if whole is None:
        return ""
    words = []
    for name, part in table.frame.groupby(system, sort=False):
        own = whole[whole[system] == name][settings].drop_duplicates()
        left = part[settings].drop_duplicates()
        if len(left) == 1 < len(own):
            values = left.iloc[0].dropna()
            values = [
                f"{shown(k)}={f'{v:g}' if isinstance(v, float) else shown(v)}" for k, v in values.items()
            ]
            words.append(f"of {shown(name)} {', '.join(values)}, out of {len(own)}")
    return "; ".join(words)


def varied(table):
    """Return the settings that vary within a system before any condition.

    Parameters
    ----------
    table : Table

    Returns
    -------
    list of str
    """
    return varying(replace(table, frame=table.facts.get("whole", table.frame)))


def _last(table, frame, name):
    """Tell which rows are the last step of their run."""
    ids = [n for n in table.roles.get("note", ()) if parts(n) & {"run", "uuid", "id"}]
    keys = [table.roles[r] for r in ("system", "seed", "fold", "dataset") if r in table.roles] + ids
    keys += [n for n in table.roles.get("setting", ()) if n != name]
    return frame[name] == frame.groupby(keys, dropna=False)[name].transform("max")


def kind_of(table, options):
    """Return which kind of results a table holds.

    Parameters
    ----------
    table : Table
        With its score.
    options : Options

    Returns
    -------
    str
        As in `Evidence`.
    """
    roles, unit = table.roles, options.unit
    units = {"item": "items", "seed": "seeds", "fold": "folds", "dataset": "datasets", "trial": "search"}
    if unit in units:
        return units[unit]
    if unit is not None and unit not in table.frame and unit not in roles:
        there = ", ".join([*units, *map(shown, table.frame.columns[:8])])
        raise ValueError(
            f"unit must be seed, item, fold, dataset, trial or a column; {shown(unit)!r} is none of {there}"
        )
    n_sets = table.column("dataset").nunique() if "dataset" in roles else 0
    if unit is not None and unit == roles.get("dataset"):
        return "datasets"
    if table.facts.get("folds"):
        return "folds"
    if table.facts.get("trials"):
        return "search"
    if "item" in roles or "score" not in roles:
        return "items"
    if n_sets > 1:
        return "datasets"
    if "fold" in roles:
        return "folds"
    is_bare = table.facts.get("wide") or table.facts.get("arrays")
    if is_bare and "seed" not in roles:
        no_unit = Fault(
            "unit",
            "Nothing says what a row is: no column beside the systems names a seed, an item, a fold or "
            "a data set.",
            "What varies from row to row decides the test, and what the result speaks of.",
            ("--unit seed", "--unit item", "--unit fold", "--unit dataset"),
        )
        known, _ = _columns.score_direction(table, options)
        raise RefusedError(no_unit, *([] if known else [_columns.unknown_direction(table)]))
    return "search" if varying(table) or _counts_trials(table) else "seeds"


def _counts_trials(table):
    """Tell whether a column numbers the trials of a search, though their settings are not in the file."""
    named = [n for n in table.roles.get("note", ()) if parts(n) & {"trial", "trials"}]
    by_system = table.frame.groupby(table.roles["system"], sort=False)
    return "validation" in table.roles and any(by_system[n].nunique().max() > 1 for n in named)


def varying(table):
    """Return the settings that vary within a system.

    Parameters
    ----------
    table : Table

    Returns
    -------
    list of str
    """
    by_system = table.frame.groupby(table.roles["system"], sort=False)
    names = table.roles.get("setting", ())
    return [name for name in names if by_system[name].nunique(dropna=False).max() > 1]


def worst(scores, direction):
    """Return the worst finite score.

    Parameters
    ----------
    scores : pandas.Series
    direction : str

    Returns
    -------
    float
    """
    finite = scores[np.isfinite(scores)]
    return float(finite.min() if direction == "higher" else finite.max())
