"""From readings to one table: files joined, systems named, rows chosen, the kind of data found."""

import os
from dataclasses import replace
from pathlib import Path

import pandas as pd

from evalkit.reports import schema
from evalkit.reports._bench import Bench
from evalkit.reports._checks import _joined
from evalkit.reports._faults import Fault, RefusedError, argument, count, examples, shown
from evalkit.reports._recognition import _columns, _named, _places, _seen
from evalkit.reports._recognition._metrics import tokens
from evalkit.reports._recognition._table import Proposed, Table, as_text

_SYSTEM = "system (by its file)"
_RUN = "run (by its file)"
_SET = "data set (by its file)"
_OF_RUNS = ("seed", "run", "trial")


def one_table(readings, options):
    """Join what was read, and recognise its columns."""
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
        frames, roles = _runs_by_file(frames, found, readings, roles, options)
    elif len(readings) > 1 and not stands:
        raise _places.no_baseline(options.baseline, possible_systems(readings, options))
    elif key is not None and not stands and not possible_systems(readings, options):
        raise _one_system(readings[0], key)
    frame = pd.concat(frames, ignore_index=True)
    if key is not None:
        frame = _with_key(frame, key, options)
    roles = {role: names for role, names in roles.items() if _are_in(names, frame)}
    table = _columns.recognise(frame, options, roles, {**facts, "files": len(readings)})
    by_place = {
        role: "the names of files and folders" for role in roles if roles[role] in (_SYSTEM, _RUN, _SET)
    }
    table = replace(table, left_out=left, why={**table.why, **by_place})
    table = replace(table, proposed=(*table.proposed, *table_of_key))
    if form and not options.names:
        why = f"names of files hold system and run: {examples(dict.fromkeys(found), 6)}"
        return table.propose(None, (), why, f"--names {argument(form)}", {"names": form})
    return table


def _one_system(reading, key):
    return RefusedError(
        Fault(
            "baseline",
            f"{shown(key.place)} has right answers and no predictions: beside it, {shown(reading.place)} "
            "alone has predictions.",
            "A comparison needs two systems, and of each its predictions.",
            (
                f"--map prediction=COLUMN, if a column of {shown(key.place)} holds predictions.",
                "give the predictions of another system as well.",
            ),
        )
    )


def _by_form(names, options):
    """Return system and run of each file by the form of its name, and that form, said or suggested."""
    for found in names.values():
        form = options.names or _named.suggested(found, options.baseline)
        parts = _named.parsed(found, form) if form and len(found) > 1 else None
        if parts and options.baseline in {part["system"] for part in parts}:
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


def _runs_by_file(frames, found, readings, roles, options):
    """Let each file of a system be a run, where nothing in the files names runs."""
    tasks = [frame[roles["dataset"]].iloc[0] if roles.get("dataset") in frame else "" for frame in frames]
    runs = pd.Series(found).groupby([found, tasks]).cumcount()
    named = {name for role in _OF_RUNS for name in options.columns.get(role, ())}
    known = any(
        schema.role_of(name) in _OF_RUNS or name in named or name in map(roles.get, _OF_RUNS)
        for frame in frames
        for name in frame.columns
    )
    if known or not runs.any():
        return frames, roles
    stems = pd.Series([Path(reading.place).name.partition(".")[0] for reading in readings])
    sets = {frozenset(own) for _, own in stems.groupby(found)}
    if (
        len(sets) == 1 < len(set(stems)) and not stems.str.contains("[0-9]").any()
    ):  # mmlu.csv and arc.csv of every system: data sets
        frames = [frame.assign(**{_SET: stem}) for frame, stem in zip(frames, stems, strict=True)]
        return frames, {**roles, "dataset": _SET}
    frames = [frame.assign(**{_RUN: str(run)}) for frame, run in zip(frames, runs, strict=True)]
    return frames, {**roles, "seed": _RUN}


def possible_systems(readings, options):
    """Return the names that may be systems, by where they stand."""
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
        gold = os.path.realpath(options.gold)
        keys = [reading for reading in readings if os.path.realpath(reading.place) == gold]
        others = [reading for reading in readings if reading not in keys]
        if len(keys) != 1 or not others:
            raise ValueError(f"gold: {shown(options.gold)} must be one file, beside those of the systems")
        return others, keys[0], ()
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
        return others, keys[0], () if _is_called_key(keys[0]) else (_as_key(keys[0], _NO_PREDICTIONS),)
    return _proposed_key(readings, has)


_OF_KEYS = frozenset(
    ["gold", "key", "answers", "truth", "label", "labels", "reference", "references", "target", "targets"]
)
_NO_PREDICTIONS = (
    "it has right answers and no predictions: the key, if its column of predictions is not missing"
)


def _is_called_key(reading):
    return bool(_OF_KEYS & {*tokens(reading.names.get("given") or Path(reading.place).stem)})


def _as_key(reading, why):
    option = f"--gold {argument(reading.place)}" if reading.place else "as_proposed=True"
    name = shown(reading.place or reading.names.get("given", "a table"))
    return Proposed(option, (), "key", f"{name}: {why}", {"gold": reading.place} if reading.place else {})


def _proposed_key(readings, has):
    """Propose the one file without predictions, or that is called as a key, as that of the right answers."""
    said = [reading for reading in readings if has(reading, "prediction")]
    rest = [reading for reading in readings if reading not in said]
    called = [reading for reading in said if _is_called_key(reading)]
    if len(rest) == 1 and len(said) > 1 and has(rest[0], "item"):
        (key,) = rest
    elif not rest and len(called) == 1 and len(said) > 2:
        (key,) = called
    else:
        return readings, None, ()
    why = "it is the one without predictions" if rest else "it is called as a key"
    return [reading for reading in readings if reading is not key], key, (_as_key(key, why),)


def _with_key(frame, key, options):
    ids = [n for n in key.frame.columns if n in frame.columns and schema.role_of(n) == "item"]
    ids = [name for name in options.columns.get("item", ()) if name in key.frame] or ids
    in_both = [name for name in key.frame.columns if name in frame.columns]
    if len(ids) != 1:
        unique = [name for name in in_both if key.frame[name].is_unique]
        ways = tuple(f"--map {argument(f'item={name}')}, if it names the items." for name in unique)
        raise RefusedError(
            Fault(
                "key",
                f"{shown(key.place)} holds the right answers, and no column is known to name the items in "
                f"it and in the predictions: it has {examples(key.frame.columns)}.",
                "Answers are joined by the name of the item, never by the row in which they stand.",
                ways or ("give the column of the items one name in all files, such as id.",),
            )
        )
    name = ids[0]
    is_said = any(schema.role_of(n) in ("prediction", "correct") for n in frame) or options.metric
    if len(in_both) == 2 and not is_said and "prediction" not in options.columns:
        (other,) = {*in_both} - {name}
        what = f"{shown(other)} is in {shown(key.place)} and in the files of the systems."
        why = "There it may be the right answer, and here what a system predicts."
        way = f"--map {argument(f'prediction={other}')}, if that is so."
        raise RefusedError(Fault("key", what, why, (way, "--metric COLUMN, if another column is compared.")))
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
                f"{shown(key.place)} has no answer to {count(len(strangers), 'item')} among those predicted: "
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
