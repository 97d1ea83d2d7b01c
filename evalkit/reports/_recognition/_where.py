"""The rows that are compared: those that were asked for, and which kind of results they
are.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from evalkit._limits import FEWEST_TRIALS
from evalkit.reports import schema
from evalkit.reports._faults import argument, count, examples, refusal, shown
from evalkit.reports._recognition._metrics import PARTS, is_measured, split_name
from evalkit.reports._recognition._table import BEGINNING, NAME_BY_FILE


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
    frame = table.frame
    systems = frame[table.roles["system"]]
    about = {
        name: _meant(name.removesuffix("!"), table) for name in bench.options.where
    }
    aside = [table.roles.get(role) for role in ("system", "status", "step", "part")]
    first = table.roles["system"]  # what leaves a system out comes before what it lacks
    for place, value in sorted(
        bench.options.where.items(), key=lambda said: about[said[0]] != first
    ):
        is_other = place.endswith("!") and place not in frame
        system, name = _of_one_system(
            place.removesuffix("!") if is_other else place, frame, systems
        )
        name = _meant(name, table)
        if name not in frame:
            near = examples(frame.columns, 12)
            raise ValueError(
                f"where: no column is called {shown(name)!r}; there are: {near}"
            )
        words = frame[name].map(
            lambda v: f"{v:.15g}" if isinstance(v, float) else str(v)
        )
        words = words.mask(frame[name].isna(), "empty")
        is_last = value == "last" and not (words == "last").any()
        if is_last and (is_measured(name) or name == bench.options.metric):
            raise ValueError(
                f"where: {shown(name)} is a score; last is the last step of a run"
            )
        if is_last and frame[name].dtype.kind != "f" and frame[name].notna().any():
            raise ValueError(
                f"where: {shown(name)} holds words, of which none is the last; name one"
                " of them"
            )
        if is_last:
            keep = _last(table, frame, name, bench.options.metric)
            table = replace(
                table, facts={**table.facts, "measured": measured(table, frame, name)}
            )
        else:
            keep = words.isin(_values(value, words))
        keep = ~keep if is_other else keep
        if name == table.roles.get("status"):
            n_pruned = int(words[~keep].str.lower().eq("pruned").sum())
            table = replace(table, facts={**table.facts, "pruned": n_pruned})
        of = systems[frame.index]
        own = of == system if system is not None else pd.Series(True, frame.index)
        if not keep[own].any():
            there = (
                examples(dict.fromkeys(words[own & frame[name].notna()]), 8)
                or "nothing but empty cells"
            )
            raise ValueError(
                f"where: no row has {shown(place)} = {shown(value)}; there are: {there}"
            )
        keep |= ~own
        # A setting that a system does not have cannot tell its rows apart. Rows without
        # a system are a group as well: what is left of them is refused where the
        # systems are read.
        has_none = ~frame[name].notna().groupby(of, dropna=False).transform("any")
        keep |= has_none & (of.notna() | (value != "empty"))
        if lost := _lost(of, keep, name == table.roles["system"]):
            what = (
                f"where: {shown(name)} {'!=' if is_other else '='} {shown(value)}"
                " leaves no row of "
            )
            each = f"--where {argument(f'{lost[0]}:{name}')}=VALUE"
            leave = (
                f"--where {argument(table.roles['system'] + '!=' + ','.join(lost))}"
                " leaves them out"
            )
            ways = f"name a value that all have, or one for each ({each}); {leave}"
            raise ValueError(f"{what}{examples(lost)}; {ways}")
        n_values, n_kept = (
            values.nunique() for values in (frame[name], frame[name][keep])
        )
        is_look = n_values > 1 == n_kept and not (is_other or is_last or name in aside)
        bench.looks += [f"{shown(name)} has {n_values:,}"] * is_look
        why = f"{shown(name)} is {'' if is_other else 'not '}{shown(value)}"
        why = (
            f"{shown(name)} is not the last of its run with a score" if is_last else why
        )
        score = table.roles.get("score", bench.options.metric)
        n_without = (
            frame[score][~keep].isna().sum() * (not is_last) if score in frame else 0
        )
        without = f" ({n_without:,} of them without a score)" * bool(n_without)
        bench.drop(
            (~keep).sum(), f"{why}, {bench.options.whose('where', place)}{without}"
        )
        frame = frame[keep]
    if "last" in bench.options.where.values():
        table = replace(
            table,
            facts={**table.facts, "ended": _ended(table, frame, bench.options.metric)},
        )
    frame, others = _of_test(table, frame, bench)
    return replace(table, frame=frame.reset_index(drop=True)), others


def _of_test(table, frame, bench):
    """Return the rows of the test part, and those of the others."""
    others = frame.iloc[:0]
    if "part" in table.roles:
        part = frame[table.roles["part"]].map(lambda v: str(v).strip().lower())
        is_test = part.isin(PARTS["test"])
        _check_parts(part, is_test, frame[table.roles["system"]])
        is_other = part.isin(PARTS["train"] | PARTS["validation"]) & bool(is_test.any())
        others, frame = frame[is_other], frame[~is_other]
        bench.drop(is_other.sum(), "rows of a training or validation part")
    return frame, others


def _meant(name, table):
    """Return the column that a condition is about: by its name or its role."""
    if name in table.frame:
        return name
    if isinstance(table.roles.get(name), str):
        return table.roles[name]
    return name


def _check_parts(part, is_test, systems):
    """Refuse systems without a row of the test part, and scores of the training
    part.
    """
    without = [
        name
        for name, own in is_test.groupby(systems)
        if is_test.any() and not own.any()
    ]
    trained = [
        name
        for name, own in part.groupby(systems, sort=False)
        if own.isin(PARTS["train"]).all()
    ]
    if without or trained:
        named = examples(without or trained)
        which = (
            "no row of the test part"
            if without
            else "all rows are of the training part"
        )
        why = (
            "What was scored on other data cannot be compared, and what was learned by"
            " heart shows nothing."
        )
        raise refusal(
            "test-chose", f"{named}: {which}.", why, "give the scores on the test part."
        )


def _ended(table, frame, metric):
    """Say how far the runs went; and of a few that ended before all others which these
    are, and the end.
    """
    name, status = table.roles.get("step"), table.roles.get("status")
    if status is not None:  # what failed is asked about anyway
        frame = frame[~frame[status].astype(str).str.lower().isin(schema.FAILED)]
    score = table.roles.get("score", metric)  # what has none is asked about as well
    frame = frame[frame[score].notna()] if score in frame else frame
    if name is None or name not in frame or frame[name].nunique() < 2:
        return "", None
    of = table.roles.get("dataset")
    if of is not None and len({*frame[of]}) > 1:  # each data set has an end of its own
        is_early = frame[name] < frame.groupby(of)[name].transform("max")
        runs, stand = (
            count(int(is_early.sum()), "run"),
            ("stands" if is_early.sum() == 1 else "stand"),
        )
        words = (
            f"The last score of {runs} {stand} before those of others on the same data"
            " set."
        )
        return words * bool(is_early.any()), None
    end = frame[name].max()
    steps = f"The last steps with a score go from {frame[name].min():g} to {end:g}"
    early = frame[frame[name] < end]
    if len(early) > _EARLY * len(frame):
        return f"{steps}: some runs ended early, or lack a score at their end.", None
    each_of = examples(
        early[table.roles["system"]].map(shown) + early[name].map(" at {:g}".format)
    )
    last = f"The last score of {count(len(early), 'run')}"
    return f"{last} stands before those of all others, at {end:g}: {each_of}.", end


def _lost(systems, keep, is_about_systems):
    """Return the systems of which a condition leaves no row, unless it is about
    systems.
    """
    return (
        []
        if is_about_systems
        else [s for s in systems.dropna().unique() if s not in set(systems[keep])]
    )


def _values(value, words):
    """Return the values that a condition names: several with commas between them,
    unless that is one.
    """
    return [str(value)] if (words == str(value)).any() else str(value).split(",")


def _of_one_system(place, frame, systems):
    """Return the system and the column of a condition: SYSTEM:COLUMN is about that
    system alone.
    """
    ends = (
        [k for k, mark in enumerate(place) if mark == ":"] if place not in frame else []
    )
    known = set(systems)
    found = [
        (place[:k], place[k + 1 :])
        for k in ends
        if place[:k] in known and place[k + 1 :] in frame
    ]
    return found[0] if found else (None, place)


def _last(table, frame, name, metric):
    """Tell which rows are the last of their run that have a score."""
    keys = _run_keys(table, name)
    scores = [
        n
        for n in frame
        if is_measured(n) and split_name(n)[1] != "train" and frame[n].dtype.kind == "f"
    ]
    scores = [table.roles["score"]] if "score" in table.roles else scores
    scores = [metric] if metric in frame else scores
    has_score = (
        frame[scores].notna().any(axis=1) if scores else pd.Series(True, frame.index)
    )
    has_none = ~has_score.groupby([frame[key] for key in keys], dropna=False).transform(
        "any"
    )
    # Of a run without a score its last step says so.
    steps = frame[name].where(has_score | has_none)
    of = steps.groupby([frame[key] for key in keys], dropna=False)
    is_last = steps == of.transform("max")
    if {"dataset", "item", "fold", "split", "part"} & {*table.roles}:
        return is_last
    # A longer training may stand before the one that counts.
    again = steps.notna() & frame.assign(step=steps).duplicated([*keys, "step"])
    again = again.groupby([frame[key] for key in keys], dropna=False).transform("any")
    if n := int((is_last & again & (of.transform("last") < of.transform("max"))).sum()):
        what = (
            f"In {count(n, 'run')} {shown(name)} begins again, and ends below where it"
            " was before."
        )
        why = (
            "Two trainings stand one behind the other, and the longer need not be the"
            " one that counts."
        )
        raise refusal("duplicates", what, why, "leave one training in each run.")
    return is_last


def measured(table, frame, step):
    """Return the numbers that change from step to step within most runs: none of them
    was set for a run.

    Parameters
    ----------
    table : Table
    frame : pandas.DataFrame
        Its rows, or some of them.
    step : str
        The column that counts the steps.

    Returns
    -------
    list of str
    """
    names = [
        name for name in table.free() if frame[name].dtype.kind == "f" and name != step
    ]
    keys = _run_keys(table, step)
    within = frame.groupby(keys, dropna=False)[names].nunique()
    return [
        name
        for name in names
        if (within[name] > 1).mean() > 0.5 and len(within) < len(frame) / 2
    ]


def _run_keys(table, step=None):
    """Return the columns that say which rows are one run: its name where there is
    one.
    """
    of = [table.roles[role] for role in ("system", "run") if role in table.roles]
    if "run" in table.roles:
        return of
    of += [
        table.roles[role]
        for role in ("seed", "fold", "split", "dataset", "trial")
        if role in table.roles
    ]
    of += [NAME_BY_FILE] * (NAME_BY_FILE in table.frame)
    return of + [name for name in table.roles.get("setting", ()) if name != step]


_EARLY = 0.2  # of the runs: of more than these each ends in its own time
_UNITS = {
    "item": "items",
    "seed": "seeds",
    "fold": "folds",
    "dataset": "datasets",
    "trial": "search",
}


def check_unit(table, unit):
    """Refuse a unit that is neither a kind nor a column, or that holds the systems or
    the scores.
    """
    roles = table.roles
    if unit is None or unit in (*_UNITS, "rater", BEGINNING):
        return
    if unit in (roles["system"], roles.get("score")):
        raise ValueError(
            f"unit: {shown(unit)} holds the systems, or the scores, and no unit"
        )
    if unit not in table.frame and unit not in roles:
        there = ", ".join([*_UNITS, *map(shown, table.frame.columns[:8])])
        raise ValueError(
            "unit must be seed, item, fold, dataset, trial or a column;"
            f" {shown(unit)!r} is none of {there}"
        )


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
    if unit in _UNITS:
        return _UNITS[unit]
    if unit == BEGINNING and unit not in table.frame:
        return "items"
    n_sets = table.column("dataset").nunique() if "dataset" in roles else 0
    if unit is not None and unit == roles.get("dataset"):
        return "datasets"
    if "size" in roles and "score" in roles and unit is None and _sizes_vary(table):
        return "sizes"
    if (unit == "rater" and "rater" not in roles) or _are_judges(roles):
        return "agreement"
    if table.facts.get("folds"):
        return "folds"
    if table.facts.get("trials"):
        return "search"
    once = [table.column(role) for role in ("system", "dataset") if role in roles]
    is_once = "numerator" in roles and not pd.concat(once, axis=1).duplicated().any()
    if "item" in roles or ("score" not in roles and not (is_once and n_sets > 1)):
        return "items"
    if n_sets > 1:
        return "datasets"
    if "fold" in roles or "split" in roles:
        return "folds"
    is_drawn = varying(table) and (options.search or not _changed(table))
    return "search" if is_drawn or _counts_trials(table) else "seeds"


def _sizes_vary(table):
    """Tell whether every system has runs of several sizes."""
    counts = table.column("size").groupby(table.column("system")).nunique()
    return bool((counts > 1).all())


def _are_judges(roles):
    """Tell whether raters label items, and no system is judged."""
    said = {"prediction", "score", "correct", "numerator"} & {*roles}
    return "label" in roles and schema.role_of(roles["system"]) == "rater" and not said


def _counts_trials(table):
    """Tell whether a column numbers the trials of a search, though their settings are
    not in the file.
    """
    trials = table.column("trial")
    by_system = (
        trials.groupby(table.column("system"), sort=False)
        if trials is not None
        else None
    )
    return (
        "validation" in table.roles
        and by_system is not None
        and bool(by_system.nunique().max() > 1)
    )


def _changed(table):
    """Tell whether a setting was changed between runs: a few settings, and each has
    seeds of its own.
    """
    frame, roles = table.frame, table.roles
    if "trial" in roles:
        return False
    runs = frame.groupby(roles["system"])
    n_settings = (
        frame.drop_duplicates([roles["system"], *varying(table)])
        .groupby(roles["system"])
        .size()
    )
    return bool(
        (n_settings <= runs.size() / 2).all() and n_settings.max() < FEWEST_TRIALS
    )


def varying(table):
    """Return the settings that vary within a system."""
    by_system = table.frame.groupby(table.roles["system"], sort=False)
    names = table.roles.get("setting", ())
    return [name for name in names if by_system[name].nunique(dropna=False).max() > 1]


def worst(scores, direction):
    """Return the worst finite score."""
    finite = scores[np.isfinite(scores)]
    return float(finite.min() if direction == "higher" else finite.max())
