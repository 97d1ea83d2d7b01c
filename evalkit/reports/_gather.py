"""From readings to one table: files joined, systems named, rows chosen, the kind of data found."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from evalkit.reports import _columns, _joined, _named, _places, _seen, schema
from evalkit.reports._bench import Bench
from evalkit.reports._faults import Fault, RefusedError, argument, count, examples, shown
from evalkit.reports._table import Proposed, Table, as_text
from evalkit.reports.metrics import PARTS, is_metric, split_name, tokens

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
    readings, key, table_of_key = _key_apart(readings, options)
    roles, facts, left = _merged(readings)
    frames = [reading.frame for reading in readings]
    names = _places.named(readings, options.baseline)
    single = [kind for kind, found in names.items() if options.baseline in found]
    stands = any(_stands(options.baseline, frame, roles, options) for frame in frames)
    parts, form = (None, None) if single or stands else _by_form(names, options)
    by_file = (
        parts is not None
        or "given" in names
        or (len(readings) > 1 and not stands and "system" not in roles and single)
    )
    if by_file:
        found = (
            [part["system"] for part in parts] if parts else names.get("given", names.get([*single, ""][0]))
        )
        if options.baseline not in found:
            raise _places.no_baseline(options.baseline, found)
        frames = [frame.assign(**{_SYSTEM: name}) for frame, name in zip(frames, found, strict=True)]
        if facts.get("task_by_file") and len(set(found)) == len(found) and "system" not in options.columns:
            frames = [
                frame.drop(columns=roles["dataset"]) for frame in frames
            ]  # files are systems, not tasks
        roles["system"] = _SYSTEM
        if parts and "seed" in parts[0]:
            frames = [frame.assign(**{_RUN: part["seed"]}) for frame, part in zip(frames, parts, strict=True)]
            roles["seed"] = _RUN
        frames, roles = _runs_by_file(frames, found, roles, options)
    elif len(readings) > 1 and not stands:
        raise _places.no_baseline(options.baseline, possible_systems(readings, options))
    frame = pd.concat(frames, ignore_index=True)
    if key is not None:
        frame = _with_key(frame, key, options)
    roles = {role: names for role, names in roles.items() if _are_in(names, frame)}
    table = _columns.recognise(frame, options, roles, {**facts, "files": len(readings)})
    by_place = {role: "the names of files and folders" for role in roles if roles[role] in (_SYSTEM, _RUN)}
    table = replace(table, left_out=left, why={**table.why, **by_place})
    table = replace(table, proposed=(*table.proposed, *table_of_key))
    if form and not options.names:
        why = f"names of files hold system and run: {examples(dict.fromkeys(found), 6)}"
        return table.propose(None, (), why, f"--names {argument(form)}")
    return table


def _by_form(names, options):
    """Return system and run of each file by the form of its name, and that form, said or suggested."""
    for found in names.values():
        form = options.names or _named.suggested(found, options.baseline)
        if form and len(found) > 1 and (parts := _named.parsed(found, form)):
            return parts, form
    return None, None


def _are_in(names, frame):
    return all(name in frame for name in ((names,) if isinstance(names, str) else names))


def _stands(baseline, frame, roles, options):
    """Tell whether the baseline stands in a table: as a column, or in one that may name systems."""
    if baseline in frame.columns:
        return True
    other = {name for role, name in roles.items() if role != "system"} - {*options.columns.get("system", ())}
    columns = [name for name in frame.columns if name not in other and frame[name].dtype.kind == "O"]
    columns = [name for name in columns if schema.role_of(name) not in ("prediction", "label", "text")]
    return any(baseline in set(frame[name].dropna().unique()) for name in columns)


def _runs_by_file(frames, found, roles, options):
    """Let each file of a system be a run, where nothing in the files names runs."""
    tasks = [frame[roles["dataset"]].iloc[0] if roles.get("dataset") in frame else "" for frame in frames]
    runs = pd.Series(found).groupby([found, tasks]).cumcount()
    named = {name for role in ("seed", "run") for name in options.columns.get(role, ())}
    known = any(
        schema.role_of(name) in ("seed", "run")
        or name in named
        or name in (roles.get("seed"), roles.get("run"))
        for frame in frames
        for name in frame.columns
    )
    if known or not runs.any():
        return frames, roles
    frames = [frame.assign(**{_RUN: str(run)}) for frame, run in zip(frames, runs, strict=True)]
    return frames, {**roles, "seed": _RUN}


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
    readings, _, _ = _key_apart(readings, options)
    kinds = _places.named(readings, "")
    if "given" in kinds:
        return {"": kinds["given"]}
    roles, facts, _ = _merged(readings)
    frame = pd.concat([reading.frame for reading in readings], ignore_index=True)
    known = {role: name for role, name in roles.items() if _are_in(name, frame)}
    known |= {role: n if len(n) > 1 else n[0] for role, n in options.columns.items() if set(n) <= set(frame)}
    found = _seen.might_be_systems(Table(frame, known, {}))
    if "system" in known or any(schema.role_of(name) == "system" for name in frame):
        return found
    if len(readings) > 1:
        words = {"file": "by their files"}
        apart = {words.get(k, "by their folders"): v for k, v in kinds.items() if len(set(v)) > 1}
        return apart or found
    return {"by its file": kinds.get("file", [])} if facts.get("folds") else found


def _merged(readings):
    roles, facts, left = {}, {"notes": [], "higher": {}, "metrics": []}, []
    for reading in readings:
        for role, names in reading.roles.items():
            is_several = isinstance(names, tuple)
            roles[role] = tuple(dict.fromkeys((*roles.get(role, ()), *names))) if is_several else names
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


def _key_apart(readings, options):
    """Return the readings without the file of the right answers, that file, and what of it is proposed."""
    if options.gold is not None:
        keys = [r for r in readings if r.place == options.gold]
        return [r for r in readings if r not in keys], keys[0], ()
    said = {role: set(names) for role, names in options.columns.items()}

    def has(reading, role):
        names = [n for n in reading.frame.columns if schema.role_of(n) == role and n not in used]
        return (
            role in reading.roles or bool(names) or bool(said.get(role, set()) & set(reading.frame.columns))
        )

    used = {name for names in said.values() for name in names}
    keys = [r for r in readings if has(r, "label") and not has(r, "prediction") and not has(r, "correct")]
    others = [r for r in readings if r not in keys]
    if len(keys) == 1 and others and all(has(r, "prediction") and not has(r, "label") for r in others):
        return others, keys[0], ()
    return _proposed_key(readings, has)


_OF_KEYS = frozenset(["gold", "key", "answers", "truth", "labels", "reference", "references"])


def _proposed_key(readings, has):
    """Propose the one file without predictions, or that is called as a key, as that of the right answers."""
    said = [reading for reading in readings if has(reading, "prediction")]
    rest = [reading for reading in readings if reading not in said]
    called = [reading for reading in said if _OF_KEYS & {*tokens(Path(reading.place).stem)}]
    if len(rest) == 1 and len(said) > 1 and has(rest[0], "item"):
        (key,) = rest
    elif not rest and len(called) == 1 and len(said) > 2:
        (key,) = called
    else:
        return readings, None, ()
    why = "it is the one without predictions" if rest else "it is called as a key"
    line = Proposed(f"--gold {argument(key.place)}", (), "key", f"{shown(key.place)}: {why}")
    return [reading for reading in readings if reading is not key], key, (line,)


def _with_key(frame, key, options):
    ids = [n for n in key.frame.columns if n in frame.columns and schema.role_of(n) == "item"]
    ids = [name for name in options.columns.get("item", ()) if name in key.frame] or ids
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
    right = key.frame.assign(**{name: as_text(key.frame[name])})
    left = frame.assign(**{name: as_text(frame[name])})
    if twice := right[name][right[name].duplicated()].unique().tolist():
        raise RefusedError(
            Fault(
                "key",
                f"{shown(key.place)} has {count(len(twice), 'item')} more than once: {examples(twice)}.",
                "An item has one right answer.",
                ("take the second of them out.",),
            )
        )
    if _joined.are_shifted(set(left[name]), set(right[name])):
        _joined.refuse("the predictions", shown(key.place), set(left[name]), set(right[name]), Bench(options))
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
    said = options.columns.get("prediction", ())
    # What is called alike in both is a prediction in the one, and in the other the right answer.
    right = right.rename(columns={n: f"{n} (of the answers)" for n in right if n in left and n != name})
    answers = [n for n in right if n != name and right[n].dtype == left[said[0]].dtype] if said else []
    if said and f"{said[0]} (of the answers)" in answers:
        right = right.rename(columns={f"{said[0]} (of the answers)": "gold"})
    return left.merge(right, on=name, how="left")


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
        is_other = place.endswith("!") and place not in frame
        system, name = _of_one_system(place.removesuffix("!") if is_other else place, frame, systems)
        if name not in frame:
            near = examples(frame.columns, 12)
            raise ValueError(f"where: no column is called {shown(name)!r}; there are: {near}")
        words = frame[name].map(lambda v: f"{v:g}" if isinstance(v, float) else str(v))
        words = words.mask(frame[name].isna(), "empty")
        keep = _last(table, frame, name) if value == "last" else words.isin(_values(value, words))
        keep = ~keep if is_other else keep
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
        bench.drop((~keep).sum(), f"{shown(name)} is {'' if is_other else 'not '}{shown(value)}, as you said")
        frame = frame[keep]
    if bench.options.where:
        table = replace(table, facts={**table.facts, "whole": whole})
    others = frame.iloc[:0]
    if "part" in table.roles:
        part = frame[table.roles["part"]].map(lambda v: str(v).strip().lower())
        is_test = part.isin(PARTS["test"])
        is_other = part.isin(PARTS["train"] | PARTS["validation"]) & bool(is_test.any())
        others, frame = frame[is_other], frame[~is_other]
        bench.drop(is_other.sum(), "rows of a training or validation part")
    return replace(table, frame=frame.reset_index(drop=True)), others


def _values(value, words):
    """Return the values that a condition names: several with commas between them, unless that is one."""
    return [str(value)] if (words == str(value)).any() else str(value).split(",")


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
    """Tell which rows are the last of their run that have a score."""
    keys = _run_keys(table, name)
    scores = [n for n in frame if is_metric(n) and split_name(n)[1] != "train" and frame[n].dtype.kind == "f"]
    scores = [table.roles["score"]] if "score" in table.roles else scores
    has_score = frame[scores].notna().any(axis=1) if scores else pd.Series(True, frame.index)
    steps = frame[name].where(has_score)
    return has_score & (steps == steps.groupby([frame[key] for key in keys], dropna=False).transform("max"))


def _run_keys(table, step=None):
    """Return the columns that say which rows are one run: its name where there is one."""
    of = [table.roles[role] for role in ("system", "run") if role in table.roles]
    if "run" in table.roles:
        return of
    of += [table.roles[role] for role in ("seed", "fold", "split", "dataset", "trial") if role in table.roles]
    return of + [name for name in table.roles.get("setting", ()) if name != step]


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
    if unit not in (None, "rater") and unit not in table.frame and unit not in roles:
        there = ", ".join([*units, *map(shown, table.frame.columns[:8])])
        raise ValueError(
            f"unit must be seed, item, fold, dataset, trial or a column; {shown(unit)!r} is none of {there}"
        )
    n_sets = table.column("dataset").nunique() if "dataset" in roles else 0
    if unit is not None and unit == roles.get("dataset"):
        return "datasets"
    if "size" in roles and "score" in roles:
        return "sizes"
    if unit == "rater" or _are_judges(roles):
        return "agreement"
    if table.facts.get("folds"):
        return "folds"
    if table.facts.get("trials"):
        return "search"
    if "item" in roles or "score" not in roles:
        return "items"
    if n_sets > 1:
        return "datasets"
    if "fold" in roles or "split" in roles:
        return "folds"
    return "search" if varying(table) or _counts_trials(table) else "seeds"


def _are_judges(roles):
    """Tell whether raters label items, and no system is judged."""
    said = {"prediction", "score", "correct", "numerator"} & {*roles}
    return "label" in roles and schema.role_of(roles["system"]) == "rater" and not said


def _counts_trials(table):
    """Tell whether a column numbers the trials of a search, though their settings are not in the file."""
    trials = table.column("trial")
    by_system = trials.groupby(table.column("system"), sort=False) if trials is not None else None
    return "validation" in table.roles and by_system is not None and bool(by_system.nunique().max() > 1)


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
