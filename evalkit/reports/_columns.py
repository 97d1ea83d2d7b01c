"""What the columns of a table are for: named by the format or by whoever asks, or guessed and shown.

The baseline's name does most of it: the column in which it stands names the systems, and where it is itself
the name of a column, the systems stand side by side.
"""

from dataclasses import dataclass, field, replace

import pandas as pd

from evalkit.reports._cells import are_scores, read_scores
from evalkit.reports._faults import Fault, RefusedError, argument, examples, shown
from evalkit.reports._places import no_baseline
from evalkit.reports._seen import (
    as_datasets,
    as_name,
    holding_items,
    is_index,
    is_shared,
    might_be_systems,
    no_answers,
    one_direction,
    one_search,
    role_of,
    spreads_of,
    systems_beside,
    used_by,
)
from evalkit.reports._words import (
    DOCUMENTS,
    NOTES,
    ROLES,
    SYSTEM,
    TEST,
    TRAIN,
    VALIDATION,
    direction,
    is_metric,
    is_summary,
    parts,
)

_MANY = ("setting", "note", "group")  # roles that more than one column may have
_LOGGED = ("seed", "fold", "dataset")  # trackers of experiments log them among the settings
_SETS, _DATA = (
    ROLES["dataset"] - {"data"},
    frozenset({"data", "set", "name", "test", "eval", "param", "params"}),
)
_BESIDE = ("seed", "fold", "dataset", "item", "repeat", "run")  # what stands beside systems in a wide table
_UNITS = ("seed", "fold", "dataset", "item")


@dataclass(frozen=True, eq=False)
class Table:
    """A long table, one row a run or an item, with what its columns are for.

    Attributes
    ----------
    frame : pandas.DataFrame
    roles : dict of str to str, or to tuple of str
    why : dict of str to str
        For each role how it is known.
    facts : dict
        What the formats said.
    left_out : tuple of (int, str)
    """

    frame: pd.DataFrame
    roles: dict
    why: dict
    facts: dict = field(default_factory=dict)
    left_out: tuple = ()

    def column(self, role):
        """Return the values of a role's column, or None."""
        return self.frame[self.roles[role]] if role in self.roles else None


def recognise(frame, options, roles, facts):
    """Find the systems and the roles of all columns.

    Parameters
    ----------
    frame : pandas.DataFrame
    options : Options
    roles : dict of str to str
        Those that the format names.
    facts : dict

    Returns
    -------
    Table
        With the role "system"; not yet with that of the score.
    """
    known, why = dict(roles), dict.fromkeys(roles, "the format has it so")
    said = {name for role, names in options.columns.items() if role not in options.guessed for name in names}
    said |= {options.baseline, options.metric}
    facts = {**facts, "spreads": [name for name in spreads_of(frame, options.baseline) if name not in said]}
    words = "a spread by its name: no system, no setting, and not compared"
    notes = [f"column {name}: {words}" for name in facts["spreads"]]
    facts["notes"] = [*facts.get("notes", ()), *notes]
    # What is said of a column holds, whatever the format has it for.
    known = {role: name for role, name in known.items() if name not in said}
    for role, names in options.columns.items():
        if role in options.guessed and not set(names) <= set(frame):
            continue  # another table than the one it was guessed of
        if missing := [name for name in names if name not in frame]:
            there = examples(frame.columns, 12)
            raise ValueError(f"columns: no column is called {examples(missing)}; there are: {there}")
        known[role] = names if role in _MANY or len(names) > 1 else names[0]
        why[role] = options.how(role)
    if facts.get("arrays") and options.unit in ("item", "fold", "dataset"):
        if facts["misplaced"]:
            raise ValueError(facts["misplaced"])
        known[options.unit], why[options.unit] = "row", "the place in the arrays"
    system = known.get("system")
    if isinstance(system, tuple) and options.baseline not in system:
        raise ValueError(
            f"columns: several columns for system are systems side by side, and {options.baseline!r} "
            f"must be one of them; got {examples(system, 8)}"
        )
    if isinstance(system, tuple):
        return _side_by_side(frame, list(system), known, why, facts, options.unit)
    if system is None:
        system = _system_column(frame, options.baseline, known)
        why["system"] = f"{shown(options.baseline)!r} stands in it"
    if system is None:
        if facts.get("folds") and "candidate" in frame:
            raise one_search(frame, options.baseline, facts["settings"])
        if options.baseline not in frame.columns:
            raise no_baseline(options.baseline, might_be_systems(frame, known))
        systems = systems_beside(frame, options.baseline, known, facts["spreads"])
        return _side_by_side(frame, systems, known, why, facts, options.unit)
    known["system"] = system
    frame = frame.assign(**{system: frame[system].map(as_name)})
    if options.baseline not in set(frame[system]):
        raise no_baseline(options.baseline, frame[system].dropna().unique())
    table = Table(frame, known, why, facts)
    if (wide := _spread_out(table, options)) is not None:
        return wide
    return _guess(table)


def _system_column(frame, baseline, known):
    taken = {name for value in known.values() for name in ((value,) if isinstance(value, str) else value)}
    holding = [
        name
        for name in frame.columns
        if name not in taken and baseline in set(frame[name].dropna().map(as_name).unique())
    ]
    # A seed may be called 1 as well, and a prediction may be a model's name.
    return min(holding, key=lambda name: (not parts(name) & SYSTEM, frame[name].nunique()), default=None)


# ---------------------------------------------------------------------------------------------
# Wide tables: systems side by side, or runs and data sets beside their system
# ---------------------------------------------------------------------------------------------


def _side_by_side(frame, systems, known, why, facts, unit):
    labels = [name for name in frame.columns if name not in systems]
    known = {role: name for role, name in known.items() if role != "system"}
    if unit in _UNITS and unit not in known and len(labels) == 1 and role_of(labels[0]) in (None, "item"):
        known[unit], why = labels[0], {**why, unit: "the one column beside the systems"}
    is_label = "label" in known or any(role_of(name) == "label" for name in labels)
    value = "prediction" if is_label else "score"
    if value == "score":
        rows = frame[labels[0]] if labels else pd.Series(range(1, len(frame) + 1), frame.index)
        frame, notes = read_scores(frame, systems, rows)
        facts = {**facts, "notes": [*facts["notes"], *notes]}
    names = {"system": "system", value: value}
    names = {role: name + "_" * (name in labels) for role, name in names.items()}
    long = frame.melt(labels, systems, var_name=names["system"], value_name=names[value])
    why = {**why, "system": f"they stand side by side: {examples(systems, 6)}"}
    known |= names
    why[value] = "the numbers below the systems"
    rows = "row" + "_" * ("row" in long)
    table = _name_labels(_guess(Table(long, known, why, {**facts, "wide": True})), labels)
    role = "item" if value == "prediction" else unit
    if role in table.roles or role not in ("item", "fold", "dataset") or (value == "score" and labels):
        return table
    # What belongs together stands in one row: nothing has to be joined.
    frame = table.frame.assign(**{rows: [str(k) for k in range(len(frame))] * len(systems)})
    roles, why = {**table.roles, role: rows}, {**table.why, role: f"each row has one {value} of each system"}
    return replace(table, frame=frame, roles=roles, why=why)


def _name_labels(table, labels):
    """Give the one column beside the systems a role, where its name gave it none."""
    if any(role in table.roles for role in _BESIDE):
        return table
    rest = [name for name in labels if name not in used_by(table.roles, but=("setting", "note"))]
    rest = [name for name in rest if name not in table.facts["spreads"] and not is_index(table.frame, name)]
    if len(rest) != 1:
        return table
    values = table.frame[rest[0]]
    is_item = "prediction" in table.roles or set(table.frame[table.roles["score"]].dropna()) <= {0.0, 1.0}
    if is_item or values.dtype.kind == "O":
        role = "item" if is_item else "dataset"
        roles = {**table.roles, role: rest[0]}
        for many in ("setting", "note"):
            roles[many] = tuple(name for name in roles.get(many, ()) if name != rest[0])
        return replace(table, roles=roles, why={**table.why, role: "it stands beside the scores"})
    return table


def _spread_out(table, options):
    """Return a table with one row a system as a long one, or None where it is long already."""
    frame, system = table.frame, table.roles["system"]
    if frame[system].duplicated().any() or len(frame) < 2:
        return None
    columns = [n for n in frame if n != system and (frame[n].dtype.kind == "f" or are_scores(frame[n]))]
    taken = used_by(table.roles, but=())
    columns = [name for name in columns if name not in taken and not parts(name) & ROLES["cost"]]
    # A spread among the rows' numbers is left out below, if it is that of the others.
    columns = [name for name in columns if name not in table.facts["spreads"] or is_summary(name)]
    if len(columns) < 2:
        return None
    # Beside the runs may stand their mean and spread: these are found, and left out, as rows.
    single = [name for name in columns if not is_summary(name)]
    numbered = [parts(name) & {"seed", "run", "fold", "split", "trial"} for name in single]
    if all(numbered) and all(any(word.isdigit() for word in parts(name)) for name in single):
        role = "fold" if "fold" in numbered[0] else "seed"
    elif options.unit != "dataset" and any(
        is_metric(name) or parts(name) & (TRAIN | TEST | VALIDATION) for name in columns
    ):
        table.facts["beside"] = columns
        return None  # metrics of one run each, or data sets, of which some are called as a metric
    else:
        role = "dataset"
        one_direction(columns, options.direction)
    rest = [name for name in frame.columns if name not in columns]
    frame, notes = read_scores(frame, columns, frame[system])
    long = frame.melt(rest, columns, var_name=role, value_name="score")
    why = {**table.why, role: f"the columns beside each system: {examples(columns, 6)}"}
    why["score"] = "the numbers below them"
    roles = {**table.roles, role: role, "score": "score"}
    facts = {**table.facts, "wide": True, "notes": [*table.facts["notes"], *notes]}
    return _guess(replace(table, frame=long, roles=roles, why=why, facts=facts))


# ---------------------------------------------------------------------------------------------
# Long tables: a role for each column
# ---------------------------------------------------------------------------------------------


def _guess(table):
    frame, roles, why = table.frame, dict(table.roles), dict(table.why)
    many = {role: roles.get(role, ()) for role in _MANY}
    many = {role: [names] if isinstance(names, str) else list(names) for role, names in many.items()}
    used, by_system = used_by(roles, but=()), frame.groupby(roles["system"], sort=False, dropna=False)
    # Those whose name is nothing but the role come first: "id" before "run_id", "label" before "true_label";
    # those that may hold several items come last: "sentence_id" before "doc".
    free = sorted((n for n in frame.columns if n not in used), key=lambda name: len(parts(name)))
    coarse = holding_items(frame[free])
    free.sort(key=lambda name: name in coarse)
    for name in free:
        words, values = parts(name), frame[name]
        # Marks that Optuna's samplers leave, and spreads of scores.
        if name.startswith("system_attrs_") or name in table.facts["spreads"]:
            many["note"].append(name)
            continue
        is_setting = name in table.facts.get("settings", ()) or words & {"param", "params"}
        fitting = [r for r, known in ROLES.items() if words & known and (not is_setting or r in _LOGGED)]
        role = next((r for r in fitting if _fits(r, values, words, table, roles)), None)
        if role == "group":
            many["group"].append(name)
        elif role is not None:
            roles[role] = name
            why[role] = f"its name; {values.nunique():,} different values"
        elif is_setting:
            many["setting"].append(name)
        elif (is_metric(name) and values.dtype.kind == "f") or words & (TRAIN | TEST | VALIDATION):
            continue  # a metric: which one is compared is asked later
        elif (
            (fitting and not words & DOCUMENTS)
            or words & NOTES
            or name.startswith("system_attrs_")
            or (by_system[name].nunique(dropna=False) < 2).all()
        ):
            many["note"].append(name)  # says when and where, or belongs to the system
        else:
            many["setting"].append(name)
    roles |= {role: tuple(dict.fromkeys(names)) for role, names in many.items()}
    if spreads := [name for name in table.facts["spreads"] if name in many["note"]]:
        why["note"] = f"no setting, and no score; {examples(spreads, 6)}: a spread, by its name"
    return replace(table, roles=roles, why=why)


def _fits(role, values, words, table, roles):
    """Tell whether a column of that name can have that role, by its values and the roles that are taken."""
    is_number, systems = values.dtype.kind == "f", table.frame[roles["system"]]
    said = any(parts(name) & ROLES["prediction"] for name in table.frame.columns)
    is_items = table.facts.get("items") or said or "prediction" in roles
    known = (
        {str(value).lower() for value in values.dropna().unique()} if role in ("part", "correct") else set()
    )
    asked = {
        "seed": lambda: not is_number or (values.dropna() % 1 == 0).all(),
        "label": lambda: not (is_number and is_metric(" ".join(words - ROLES["label"]))),
        "prediction": lambda: not (is_number and is_metric(" ".join(words - ROLES["prediction"]))),
        "correct": lambda: is_number or known <= {"true", "false", "yes", "no"},
        # Else it names a run, not what all systems answer; and an index says where a row stood.
        "item": lambda: words != {"index"} and (said or is_shared(values, systems)),
        "repeat": lambda: is_items or "epoch" not in words,
        "step": lambda: not is_items,
        # "data" alone names more than data sets: data_order, data_size.
        "dataset": lambda: len(values.dropna().unique()) > 1 and (words & _SETS or words <= _DATA),
        "group": lambda: (
            len(values.dropna().unique()) > 1
            and (is_items or "item" in roles or words & ROLES["group"] - DOCUMENTS)
        ),
        "part": lambda: bool(known & (TRAIN | TEST | VALIDATION)),
        "text": lambda: not is_number,
        "cost": lambda: is_number,
    }
    return role not in roles and (role not in asked or asked[role]())


# ---------------------------------------------------------------------------------------------
# The score
# ---------------------------------------------------------------------------------------------


def choose_metric(table, options):
    """Find the column that is compared, and the validation score that belongs to it.

    Parameters
    ----------
    table : Table
    options : Options

    Returns
    -------
    Table
        With the role "score", and "validation" where there is one.
    """
    table = _of_one_metric(table)
    if "metric" in options.guessed and not _named(options.metric, table.frame.columns):
        options = replace(options, metric=None)  # another table than the one it was guessed of
    frame, roles, why = table.frame, dict(table.roles), dict(table.why)
    if "score" in roles and options.metric and options.metric not in frame and _is_bare(table):
        # Scores without a heading: what is said names them.
        frame = frame.rename(columns={roles["score"]: options.metric})
        return replace(
            table,
            frame=frame,
            roles={**roles, "score": options.metric},
            why={**why, "score": options.how("metric")},
        )
    if options.metric is None and "score" not in roles and "correct" in roles:
        roles["score"], why["score"] = roles["correct"], why["correct"]
    if options.metric is None and "score" in roles:
        return replace(table, roles=roles, why=why)
    free = [n for n in frame.columns if n not in used_by(roles, but=("note", "setting", "correct", "score"))]
    if options.metric is None:
        free = [name for name in free if name not in table.facts["spreads"]]
    numeric = [name for name in free if frame[name].dtype.kind == "f"]
    if options.metric is not None:
        found = _named(options.metric, free)
        if len(found) != 1:
            there = examples(numeric, 12)
            raise RefusedError(
                _which_metric(
                    f"No one column is called {shown(options.metric)!r}; numbers are in: {there}.", numeric
                )
            )
        roles["score"], why["score"] = found[0], options.how("metric")
    else:
        known = [name for name in free if name in numeric or are_scores(frame[name])]
        named = [n for n in known if (is_metric(n) or parts(n) & TEST) and not parts(n) & TRAIN]
        candidates = [n for n in table.facts.get("metrics", named) if frame[n].notna().any()]
        tested = [name for name in candidates if parts(name) & TEST]
        others = [name for name in candidates if not parts(name) & VALIDATION]
        chosen = tested or others or candidates
        if not chosen and "prediction" in roles and "label" in roles:
            return replace(table, roles=roles, why=why)
        if len(chosen) != 1:
            if "prediction" in roles and not chosen:
                raise RefusedError(no_answers(frame[roles["prediction"]]))
            if chosen:
                what = f"The file has {len(chosen)} scores: {examples(chosen, 8)}."
            else:
                what = f"No column looks like a score; numbers are in: {examples(numeric, 12) or 'none'}."
            fault = _which_metric(what, chosen or numeric)
            raise RefusedError(replace(fault, ways=(*fault.ways, *as_datasets(table.facts))))
        roles["score"] = chosen[0]
        why["score"] = (
            "the only score"
            if len(candidates) == 1
            else "the only one of a test set"
            if tested
            else "its name"
        )
    if "validation" not in roles:
        score = parts(roles["score"])
        alike = [
            name
            for name in numeric
            if parts(name) & VALIDATION
            and parts(name) - VALIDATION == score - TEST
            and name != roles["score"]
        ]
        if not alike and not score & VALIDATION:
            alike = [name for name in numeric if parts(name) & VALIDATION and is_metric(name)]
        if table.facts.get("trials") and not alike and roles["score"] != "value" and "value" in frame:
            alike = ["value"]  # the objective of the search chose
        if len(alike) == 1:
            roles["validation"], why["validation"] = alike[0], "its name"
    for many in ("note", "setting"):
        roles[many] = tuple(
            n for n in roles.get(many, ()) if n not in (roles["score"], roles.get("validation"))
        )
    return replace(table, roles=roles, why=why)


def _of_one_metric(table):
    """Return a table whose scores have the name that a column of metrics gives them."""
    known = {"metric", "metrics", "measure"}
    of = [n for n in table.frame if parts(n) & known and parts(n) <= known | {"name"}]
    of = [name for name in of if table.frame[name].dtype.kind == "O"]
    values = table.frame[of[0]].dropna().unique() if of else ()
    if len(values) > 1:
        raise RefusedError(
            Fault(
                "metric",
                f"{shown(of[0])} names {len(values)} metrics: {examples(values, 6)}.",
                "One metric is compared, and chosen before its results are seen.",
                tuple(f"--where {argument(of[0])}={argument(value)}" for value in values[:4]),
            )
        )
    bare = [n for n in table.frame if parts(n) and parts(n) <= {"value", "score", "result"}]
    if len(values) != 1 or len(bare) != 1 or values[0] in table.frame or bare[0] in table.roles.values():
        return table
    return replace(table, frame=table.frame.rename(columns={bare[0]: values[0]}))


def _is_bare(table):
    return table.facts.get("wide") or table.facts.get("arrays")


def is_nameless(table, options):
    """Tell whether "score" is our own word, for numbers without a heading: it says nothing of them.

    Parameters
    ----------
    table : Table
    options : Options

    Returns
    -------
    bool
    """
    return bool(_is_bare(table)) and options.metric is None


def _named(metric, names):
    if metric in names:
        return [metric]
    return [name for name in names if name.endswith(("/" + metric, "." + metric, "_" + metric))]


def _which_metric(what, names):
    return Fault(
        "metric",
        what,
        "One metric is compared, and chosen before its results are seen: the best of several is no finding.",
        tuple(f"--metric {argument(name)}" for name in _likely(names)[:4]) or ("--metric COLUMN",),
    )


def _likely(names):
    return sorted(names, key=lambda name: (not parts(name) & TEST, not is_metric(name)))


def score_direction(table, options):
    """Return which way the score is better, and how that is known; None where nothing says it.

    Parameters
    ----------
    table : Table
    options : Options

    Returns
    -------
    (str or None, str)
    """
    if options.direction:
        return options.direction, options.how("direction")
    name = table.roles.get("score")
    if name is None:
        return "higher", "right answers are counted"
    higher = table.facts.get("higher", {})
    if name in higher:
        return ("higher" if higher[name] else "lower"), "the format says it"
    if is_nameless(table, options):
        is_right = set(table.frame[name].dropna()) <= {0.0, 1.0}
        return ("higher", "1 is right and 0 wrong") if is_right else (None, "")
    if table.facts.get("trials") and direction(name) is None and "value" in higher:
        return ("higher" if higher["value"] else "lower"), "as the objective of the search"
    return direction(name), f"by its name, {shown(name)}"


def unknown_direction(table):
    """Return the fault that nothing says which way the score is better.

    Parameters
    ----------
    table : Table

    Returns
    -------
    Fault
    """
    named = ("--metric NAME, such as accuracy or loss, if the name says it.",) if _is_bare(table) else ()
    return Fault(
        "direction",
        f"Nothing says whether a higher or a lower {shown(table.roles['score'])} is better.",
        "With losses the better system has the lower score, and every sentence would say the opposite.",
        ("--direction higher", "--direction lower", *named),
    )
