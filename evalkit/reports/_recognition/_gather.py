"""From readings to one table: files joined, systems named, rows chosen, the kind of
data found.
"""

import os
from dataclasses import replace
from pathlib import Path

import pandas as pd

from evalkit.reports import schema
from evalkit.reports._bench import Bench
from evalkit.reports._checks import _joined
from evalkit.reports._faults import (
    argument,
    count,
    examples,
    listed,
    placed,
    refusal,
    shown,
)
from evalkit.reports._recognition import _columns, _named, _places, _seen
from evalkit.reports._recognition._metrics import ONE_METRIC, tokens
from evalkit.reports._recognition._table import (
    NAME_BY_FILE,
    RUN_BY_FILE,
    Table,
    as_text,
    as_tuple,
)

_SYSTEM = "system (by its file)"
_SET = "data set (by its file)"
_OF_RUNS = ("seed", "run", "trial")
_STRAY = 0.1
_TELLING = frozenset(
    [
        "seed",
        "run",
        "fold",
        "split",
        "trial",
        "dataset",
        "rater",
        "repeat",
        "item",
        "step",
    ]
)
_WHICH = "Which of them count, nothing says."


def one_table(readings, options):
    """Join what was read, and recognise its columns."""
    _refuse_kinds(readings)
    kept = _files_of_metric(readings, options)
    other = sum(len(r.frame) for r in readings) - sum(len(r.frame) for r in kept)
    readings, key = _key_apart(kept, options)
    roles, facts, left = _merged(readings)
    left += ((other, "files of other metrics"),) * bool(other)
    frames = [reading.frame for reading in readings]
    names = _places.named(readings, options.baseline)
    single = [kind for kind, found in names.items() if options.baseline in found]
    stands = any(_stands(options.baseline, frame, roles, options) for frame in frames)
    parts = _by_form(readings, options) if options.names and not stands else None
    if parts is None and options.names and single and len(readings) > 1:
        there = examples(
            dict.fromkeys(
                name for found in _all_names(readings).values() for name in found
            ),
            6,
        )
        raise ValueError(
            f"names: not all files have the form {options.names!r}; there are: {there}"
        )
    is_called = len(readings) > 1 and not stands and "system" not in roles and single
    if parts is not None or "given" in names or is_called:
        found = names.get("given", names.get([*single, ""][0]))
        found = [part["system"] for part in parts] if parts else found
        if parts:
            _refuse_one_name(readings, parts, options)
        if options.baseline not in found:
            raise _places.no_baseline(options.baseline, found)
        frames = [
            frame.assign(**{_SYSTEM: name})
            for frame, name in zip(frames, found, strict=True)
        ]
        if (
            facts.get("task_by_file")
            and len(set(found)) == len(found)
            and "system" not in options.columns
        ):
            # Systems, not tasks.
            frames = [frame.drop(columns=roles["dataset"]) for frame in frames]
        roles["system"] = _SYSTEM
        for role in {*(parts or [{}])[0]} - {"system"}:
            name = _SET if role == "dataset" else f"{role} (by its file)"
            frames = [
                frame.assign(**{name: part[role]})
                for frame, part in zip(frames, parts, strict=True)
            ]
            roles[role] = name
        if not parts or "fold" not in parts[0]:
            frames, roles = _runs_by_file(frames, found, readings, roles, options)
    elif len(readings) > 1 and not stands:
        raise _places.no_baseline(options.baseline, possible_systems(readings, options))
    elif len(readings) > 1 and not _TELLING & {
        *roles,
        *(schema.role_of(n) for f in frames for n in f),
    }:
        # Of a rater, a data set, a seed: it is asked.
        own = _names_within(readings, [""] * len(readings))
        if len({*own}) == len(own):
            frames = [
                frame.assign(**{NAME_BY_FILE: name})
                for frame, name in zip(frames, own, strict=True)
            ]
    if (
        status := roles.get("status")
    ) is not None:  # of a format that says it of what failed alone
        frames = [
            frame if status in frame else frame.assign(**{status: ""})
            for frame in frames
        ]
    frame = pd.concat(frames, ignore_index=True)
    if key is not None:
        frame = _with_key(frame, key, options)
    roles = {
        role: names for role, names in roles.items() if {*as_tuple(names)} <= {*frame}
    }
    of_files = [
        n for n in frame if all(n in f and f[n].eq(f[n].iloc[0]).all() for f in frames)
    ]
    of_files *= 1 < len(frames) < len(frame)
    facts = {**facts, "files": len(readings), "of files": of_files}
    table = _columns.recognise(frame, options, roles, facts)
    by_place = [role for role in roles if str(roles[role]).endswith(" (by its file)")]
    why = {**table.why, **dict.fromkeys(by_place, "the names of files and folders")}
    return replace(table, left_out=left, why=why)


def _refuse_kinds(readings):
    """Refuse folders with several files each that hold other columns: settings in one,
    scores in another.
    """
    of = {}
    for reading in readings:
        of.setdefault(Path(reading.place).name, []).append(reading)
    of = {
        name: own
        for name, own in of.items()
        if 2 * len({Path(r.place).parent for r in own}) > len(own) > 1
    }
    columns = {
        name: {n for reading in own for n in reading.frame} for name, own in of.items()
    }
    apart = {
        name: [o for o in of if _share_little(columns[name], columns[o])] for name in of
    }
    if not any(apart.values()):
        return
    places = {
        name: [Path(reading.place) for reading in own] for name, own in of.items()
    }
    if len({place.is_absolute() for own in places.values() for place in own}) > 1:
        places = {
            name: [place.absolute() for place in own] for name, own in places.items()
        }
    top = os.path.commonpath([place.parent for own in places.values() for place in own])
    depth = {
        name: len(own[0].relative_to(top).parts) - 1 for name, own in places.items()
    }
    ways = [
        f"give {placed(top)}/{'*/' * depth[name]}{name}, if these hold the scores."
        for name in [*of][:4]
    ]
    odd = [name for name in of if len(apart[name]) == len(of) - 1 > 1]
    if len(odd) == 1 and not any(name[0] == odd[0][0] for name in of if name != odd[0]):
        pattern = f"{top}/{'*/' * depth[odd[0]]}[!{odd[0][0]}]*{Path(odd[0]).suffix}"
        ways = [
            f"give {argument(pattern)}: that leaves out {odd[0]}, which has hardly a"
            " column of the others."
        ]
    there = examples(
        [f"{name} in {count(len(own), 'folder')}" for name, own in of.items()], 4
    )
    what = f"Folders hold files with different columns: {there}."
    raise refusal(
        "files",
        what,
        "Files are not joined: settings would stand beside scores as rows.",
        *ways,
    )


def _share_little(names, others):
    """Tell whether two kinds of files have hardly a column in common."""
    return 5 * len(names & others) < min(len(names), len(others))


def _files_of_metric(readings, options):
    """Return the files of the metric that is compared, where each holds one, as
    TensorBoard's do.
    """
    found = list(
        dict.fromkeys(
            reading.roles["score"] for reading in readings if "score" in reading.roles
        )
    )
    if len(found) < 2:
        return readings
    if options.metric not in found:
        what = f"Each file holds one of {len(found)} metrics: {examples(found, 6)}."
        raise refusal(
            "metric",
            what,
            ONE_METRIC,
            *[f"--metric {argument(name)}" for name in found[:6]],
        )
    return [
        reading for reading in readings if reading.roles.get("score") == options.metric
    ]


def _by_form(readings, options):
    """Return system and run of each file by the form of its name, or None."""
    for found in _all_names(readings).values():
        parts = _named.parsed(found, options.names) if len(found) > 1 else None
        if parts and options.baseline in {part["system"] for part in parts}:
            return parts
    return None


def _all_names(readings):
    """Return the names of files by kind, and paths of folders and of files below what
    was given.
    """
    names = _places.by_kind(readings)
    steps = [*sorted(kind for kind in names if kind.startswith("folder")), "file"]
    paths = [
        [
            "/".join(filter(None, (r.names.get(kind) for kind in steps[:k])))
            for r in readings
        ]
        for k in range(2, len(steps) + 1)
    ]
    return {**names, **dict(enumerate(paths))}


def _stands(baseline, frame, roles, options):
    """Tell whether the baseline stands in a table: as a column, or in one that may name
    systems.
    """
    if baseline in frame.columns:
        return True
    other = {name for role, name in roles.items() if role != "system"} - {
        *options.columns.get("system", ())
    }
    columns = [
        name
        for name in frame.columns
        if name not in other and frame[name].dtype.kind == "O"
    ]
    columns = [
        name
        for name in columns
        if schema.role_of(name) not in ("prediction", "label", "text")
    ]
    held = [
        values
        for name in columns
        if baseline in set(values := frame[name].dropna().unique())
    ]
    # A word below many numbers, as trec_eval's runid below its scores, is a stray one.
    return any(
        pd.to_numeric(pd.Series(v), errors="coerce").isna().mean() > _STRAY
        for v in held
    )


def _runs_by_file(frames, found, readings, roles, options):
    """Let each file of a system be a run, where nothing in the files names runs."""
    tasks = [
        frame[roles["dataset"]].iloc[0] if roles.get("dataset") in frame else ""
        for frame in frames
    ]
    runs = pd.Series(found).groupby([found, tasks]).cumcount()
    named = {name for role in _OF_RUNS for name in options.columns.get(role, ())}
    named |= {*map(roles.get, _OF_RUNS)}
    columns = {name for frame in frames for name in frame.columns}
    if (
        any(schema.role_of(name) in _OF_RUNS or name in named for name in columns)
        or not runs.any()
    ):
        return frames, roles
    items = [
        n
        for n in columns
        if n in options.columns.get("item", ()) or schema.role_of(n) == "item"
    ]
    if len(items) == 1 and _each_has_its_own(frames, found, items[0]):
        return frames, roles  # folds, or other parts of the data
    _refuse_levels(readings, found, tasks)
    names = pd.Series(_names_within(readings, found))
    # For the name of the system may stand in each.
    if not schema.is_shared(names, pd.Series(found)):
        names = pd.Series(
            [
                name.replace(system, "")
                for name, system in zip(names, found, strict=True)
            ]
        )
    words = {name.rstrip("0123456789").rstrip("_-. ") for name in names}
    word = schema.role_of(words.pop()) if len(words) == 1 else None
    if word not in ("seed", "run", "fold", "split") and schema.is_shared(
        names, pd.Series(found)
    ):
        # sts12.csv of every system may be a data set, s01.csv a person and 0.csv a
        # seed: it is asked.
        frames = [
            frame.assign(**{NAME_BY_FILE: name})
            for frame, name in zip(frames, names, strict=True)
        ]
        return frames, roles
    role = "fold" if word in ("fold", "split") else "seed"
    is_run = word in (None, "run") or names.groupby(found).nunique().sum() < len(names)
    column, values = (
        (RUN_BY_FILE, map(str, runs)) if is_run else (f"{role} (by its file)", names)
    )
    frames = [
        frame.assign(**{column: value})
        for frame, value in zip(frames, values, strict=True)
    ]
    return frames, {**roles, role: column}


def _are_apart(*columns):
    """Tell whether no two places have the same in all of some lists."""
    return len({*zip(*columns, strict=True)}) == len(columns[0])


def _refuse_one_name(readings, parts, options):
    """Refuse several files that are one run by the form of their names."""
    names = [tuple(part.values()) for part in parts]
    if (
        {"seed", "run"} & {*parts[0]}
        and "*" not in options.names
        and not _are_apart(names)
    ):
        again = max(names, key=names.count)
        places = [
            reading.place
            for reading, own in zip(readings, names, strict=True)
            if own == again
        ]
        what = (
            f"{listed(places, 2)}: each is {' '.join(map(shown, again))} by the form"
            f" {options.names!r}."
        )
        way = (
            "give the files that count alone, FOLDER/*/*/scores.json say, or a form"
            " that tells all apart."
        )
        raise refusal("files", what, "Two files are not one run.", way)


def _refuse_levels(readings, found, tasks):
    """Refuse files of a system that no one level of their folders tells apart:
    MRPC/base/seed_3.
    """
    kinds = _places.by_kind(readings)
    levels = [
        kinds[kind]
        for kind in (*sorted(k for k in kinds if k.startswith("folder")), "file")
    ]
    if any(_are_apart(found, tasks, names) for names in levels):
        return
    parts = []
    for names in levels:
        stems = {name and name.rstrip("0123456789") for name in names}
        stem = stems.pop() or ""
        role = schema.role_of(stem.rstrip("_-. ")) or (
            "seed" if not stem else "dataset"
        )
        is_numbered = not stems and len({*names}) > 1
        part = (
            f"{stem}{{{role}}}"
            if is_numbered
            else "{dataset}"
            if len({*names}) > 1
            else names[0]
        )
        parts.append("{system}" if names == found else part)
    while parts and "{" not in parts[-1]:
        parts.pop()
    vary = [names for names in levels if len({*names}) > 1 and names != found]
    what = "The files of a system differ in more than one part of their paths: "
    what += "; ".join(examples(dict.fromkeys(names)) for names in vary) + "."
    why = "Which of these are runs, data sets or something else, nothing says."
    form = (
        f"--names {argument('/'.join(parts))}, if that is so: other roles may be in"
        " braces."
    )
    is_told = "{system}" in parts and _are_apart(found, tasks, *levels)
    other = (
        "write them as one table"
        if is_told
        else "give the one folder in which all of them lie"
    )
    raise refusal(
        "columns", what, why, *[form] * (is_told and len(vary) < 3), f"{other}."
    )


def _names_within(readings, found):
    """Return the names of files, or else of the folders, that tell those of one system
    apart.
    """
    kinds = [
        "file",
        *sorted(
            {kind for r in readings for kind in r.names if kind.startswith("folder")}
        )[::-1],
    ]
    names = {
        kind: [str(reading.names.get(kind, "")) for reading in readings]
        for kind in kinds
    }
    telling = [kind for kind in kinds if _are_apart(found, names[kind])]
    return names[[*telling, "file"][0]]


def _each_has_its_own(frames, found, item):
    """Tell whether no item is in two files of a system."""
    if not all(item in frame for frame in frames):
        return False
    names = pd.concat(
        [frame[item].drop_duplicates() for frame in frames], keys=range(len(frames))
    )
    systems = names.index.get_level_values(0).map(dict(enumerate(found)))
    return (
        not pd.DataFrame({"system": systems, "item": names.to_numpy()})
        .duplicated()
        .any()
    )


def possible_systems(readings, options):
    """Return the names that may be systems, by where they stand."""
    readings, _ = _key_apart(readings, options)
    kinds = _places.named(readings, "")
    if "given" in kinds:
        return {"": kinds["given"]}
    roles, facts, _ = _merged(readings)
    frame = pd.concat([reading.frame for reading in readings], ignore_index=True)
    known = {
        role: name for role, name in roles.items() if {*as_tuple(name)} <= {*frame}
    }
    known |= {
        role: n if len(n) > 1 else n[0]
        for role, n in options.columns.items()
        if set(n) <= set(frame)
    }
    found = _seen.might_be_systems(Table(frame, known, {}))
    if "system" in known or any(schema.role_of(name) == "system" for name in frame):
        return found
    if len(readings) > 1:
        words, apart = (
            iter(("by their folders", "by the folders in these", "by those below")),
            {},
        )
        for kind, names in sorted(kinds.items(), key=lambda item: item[0] == "file"):
            if len(set(names)) > 1:
                inside = (
                    next(words, "in folders")
                    if kind.startswith("folder")
                    else "in the files"
                )
                apart["by their files" if kind == "file" else inside] = names
        return apart or found
    return {"by its file": kinds.get("file", [])} if facts.get("folds") else found


def _merged(readings):
    roles, facts, left = {}, {"notes": [], "higher": {}, "metrics": []}, {}
    for reading in readings:
        for role, names in reading.roles.items():
            is_several = isinstance(names, tuple)
            roles[role] = (
                tuple(dict.fromkeys((*roles.get(role, ()), *names)))
                if is_several
                else names
            )
        for n, why in reading.left_out:
            left[why] = left.get(why, 0) + n
        for name, value in reading.facts.items():
            if isinstance(value, dict):
                facts[name] = {**facts.get(name, {}), **value}
            elif isinstance(value, list):
                facts[name] = [
                    *facts.get(name, []),
                    *(v for v in value if v not in facts.get(name, [])),
                ]
            elif name == "guided":
                facts[name] = ", ".join(
                    dict.fromkeys(filter(None, (facts.get(name), value)))
                )
            else:
                facts[name] = value
    if not facts["metrics"]:
        facts.pop("metrics")
    return roles, facts, tuple((n, why) for why, n in left.items())


# --------------------------------------------------------------------------------------
# A file with the right answers, beside those with the predictions
# --------------------------------------------------------------------------------------


def _key_apart(readings, options):
    """Return the readings without the file of the right answers, and that file, if one
    was said to be it.
    """
    if options.gold is not None:
        gold = os.path.realpath(options.gold)
        keys = [
            reading for reading in readings if os.path.realpath(reading.place) == gold
        ]
        others = [reading for reading in readings if reading not in keys]
        if len(keys) != 1 or not others:
            raise ValueError(
                f"gold: {shown(options.gold)} must be one file, beside those of the"
                " systems"
            )
        return others, keys[0]
    keys = [r for r in readings if _is_key(r)]
    others = [r for r in readings if r not in keys]
    names = {
        role: {n for r in others for n in _called(r, role)}
        for role in ("prediction", "label")
    }
    if not keys or not names["prediction"]:
        return readings, None
    if len(keys) > 1 or names["label"]:
        places = [key.place for key in keys]
        beside = ", and beside the predictions" * bool(names["label"])
        ways = [f"--gold {argument(place)}: those in it count." for place in places]
        raise refusal(
            "key", f"Right answers are in {listed(places)}{beside}.", _WHICH, *ways
        )
    return others, keys[0]


def _called(reading, role):
    return [name for name in reading.frame.columns if schema.role_of(name) == role]


def _is_key(reading):
    """Tell whether a file has right answers and no predictions, and is called as a key:
    gold, answers.
    """
    words = tokens(reading.names.get("given") or Path(reading.place).stem)
    is_called = _OF_KEYS & {word.removesuffix("s") for word in words}
    has_label = _called(reading, "label") and not _called(reading, "correct")
    return bool(is_called and has_label and not _called(reading, "prediction"))


_OF_KEYS = frozenset(["gold", "key", "answer", "truth", "label", "reference", "target"])


def _with_key(frame, key, options):
    ids = [
        n
        for n in key.frame.columns
        if n in frame.columns and schema.role_of(n) == "item"
    ]
    ids = [name for name in options.columns.get("item", ()) if name in key.frame] or ids
    in_both = [name for name in key.frame.columns if name in frame.columns]
    if len(ids) != 1:
        unique = [name for name in in_both if key.frame[name].is_unique]
        ways = tuple(
            f"--map {argument(f'item={name}')}, if it names the items."
            for name in unique
        )
        what = (
            f"{shown(key.place)} holds the right answers, and no column is known to"
            " name the items in "
        )
        what += f"it and in the predictions: it has {examples(key.frame.columns)}."
        why = (
            "Answers are joined by the name of the item, never by the row in which they"
            " stand."
        )
        ways = ways or (
            "give the column of the items one name in all files, such as id.",
        )
        raise refusal("key", what, why, *ways)
    name = ids[0]
    is_said = (
        any(schema.role_of(n) in ("prediction", "correct") for n in frame)
        or options.metric
    )
    if len(in_both) == 2 and not is_said and "prediction" not in options.columns:
        (other,) = {*in_both} - {name}
        what = (
            f"{shown(other)} is in {shown(key.place)} and in the files of the systems."
        )
        why = "There it may be the right answer, and here what a system predicts."
        way = f"--map {argument(f'prediction={other}')}, if that is so."
        raise refusal(
            "key", what, why, way, "--metric COLUMN, if another column is compared."
        )
    if options.gold:  # it counts, whatever else is called the right answer
        own = {n for n in frame if schema.role_of(n) == "label"} - options.named()
        frame = frame.drop(columns=own)
    right = key.frame.assign(**{name: as_text(key.frame[name])})
    left = frame.assign(**{name: as_text(frame[name])})
    if twice := right[name][right[name].duplicated()].unique().tolist():
        what = (
            f"{shown(key.place)} has {count(len(twice), 'item')} more than once:"
            f" {examples(twice)}."
        )
        raise refusal(
            "key", what, "An item has one right answer.", "take the second of them out."
        )
    if _joined.are_shifted(set(left[name]), set(right[name])):
        _joined.refuse(
            "the predictions",
            shown(key.place),
            set(left[name]),
            set(right[name]),
            Bench(options),
        )
    said = [name for name in options.columns.get("prediction", ()) if name in left]
    # What is called alike in both is a prediction in the one, and in the other the
    # right answer.
    right = right.rename(
        columns={n: f"{n} (of the answers)" for n in right if n in left and n != name}
    )
    answers = (
        [n for n in right if n != name and right[n].dtype == left[said[0]].dtype]
        if said
        else []
    )
    if said and f"{said[0]} (of the answers)" in answers:
        right = right.rename(columns={f"{said[0]} (of the answers)": "gold"})
    return left.merge(right, on=name, how="left")
