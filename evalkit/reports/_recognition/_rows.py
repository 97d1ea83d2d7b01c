"""What tells the rows of a system apart: seeds, folds, items, data sets; proposed by the values, or asked."""

from dataclasses import replace
from itertools import combinations

import numpy as np

from evalkit.reports import schema
from evalkit.reports._faults import argument, examples, shown
from evalkit.reports._recognition import _metrics
from evalkit.reports._recognition._seen import as_shown, belongs_to_system, is_index, numbers_rows
from evalkit.reports._recognition._table import BY_NAME
from evalkit.reports._recognition._wide import option

_KEYS = ("seed", "split", "fold", "run", "trial", "item", "dataset", "repeat", "size")
_ITEMS = 100  # so many names, each once in every system, are items; fewer may be data sets
_COUNTS = 1000  # whole numbers beyond it are no counts: seeds are drawn so


def find(table, options):
    """Propose what the rows of a system are, where no column is known to say it.

    Parameters
    ----------
    table : Table
    options : Options

    Returns
    -------
    Table
    """
    table = _finer_items(table)
    if any(role in table.roles for role in _KEYS) or table.facts.get("trials") or table.facts.get("folds"):
        return table
    if options.unit == "trial" or options.search or _settings_vary(table):
        return table
    groups = table.roles.get("group", ()) if "prediction" not in table.roles else ()
    columns = [name for name in (*table.free(), *groups) if _may_be_key(table, name)]
    if groups:
        table = replace(table, roles={**table.roles, "group": tuple(n for n in groups if n not in columns)})
    unit = options.unit if options.unit in ("seed", "fold", "item", "dataset") else None
    if unit and len(columns) == 1:
        return table.having(unit, columns[0], f"{options.said('unit')}, --unit {unit}")
    if unit in ("item", "fold", "dataset") and "row" in table.facts:
        return table.having(unit, table.facts["row"], "each row has one score of each system")
    if unit == "seed" or (unit and not columns):
        return table
    if not columns and "prediction" in table.roles:
        return table  # answers are joined by a name or not at all: refused where items are read
    if not columns and (pair := _pair_of_keys(table)):
        return table.ask("unit", *_asked_pair(table, pair), pair)
    if len(columns) != 1:
        what = "Nothing says what a row is: a seed, an item, a fold or a data set."
        if columns:
            what += f" Which of {examples(columns, 6)} tells the rows of a system apart?"
            ways = [f"--map {role}={argument(columns[0])}" for role in ("seed", "item", "fold", "dataset")]
            return table.ask("unit", what, (*ways, "--unit seed"), columns)
        return table.ask(
            "unit", what, tuple(f"--unit {unit}" for unit in ("seed", "item", "fold", "dataset"))
        )
    (name,) = columns
    role, why = _likely_role(table, name)
    if role:
        return table.propose(role, name, why, f"--map {role}={argument(name)}")
    roles = ("seed", "fold", "split", "item", "dataset")
    what = f"What does {shown(name)} name ({examples(table.frame[name].map(as_shown).unique(), 5)})?"
    return table.ask("unit", what, [f"--map {role}={argument(name)}" for role in roles], columns)


def _finer_items(table):
    """Propose another column for the items, where the one so called holds several, or a group is one."""
    frame, roles = table.frame, table.roles
    if "item" in roles and table.why["item"] == BY_NAME:
        known = [roles[role] for role in (*_KEYS, "rater", "system") if role in roles]
        finer = [name for name in table.free() if _may_be_key(table, name)]
        if not frame.duplicated(known).any() or len(finer) != 1:
            return table
        (name,), coarse = finer, roles["item"]
        table = replace(table, roles={role: names for role, names in roles.items() if role != "item"})
        table = table.having("group", coarse, f"it holds several of {shown(name)}")
    elif {"prediction", "correct"} & {*roles} and not any(role in roles for role in _KEYS):
        whole = [n for n in roles.get("group", ()) if not frame.duplicated([roles["system"], n]).any()]
        if len(whole) != 1:
            return table
        (name,) = whole
        groups = tuple(group for group in roles["group"] if group != name)
        table = replace(table, roles={**roles, "group": groups})
    else:
        return table
    why = f"{frame[name].nunique()} values, each once in every system"
    return table.propose("item", name, why, option("item", [name]))


def _settings_vary(table):
    """Tell whether settings tell the rows of a system apart, as in a search."""
    names = [
        *table.roles.get("setting", ()),
        *(n for n in table.facts.get("settings", ()) if n in table.frame),
    ]
    return any(not belongs_to_system(table, name) for name in names)


def _pair_of_keys(table):
    """Return two columns that tell the rows of a system apart together, if only two do."""
    frame, system = table.frame, table.roles["system"]
    names = [n for n in table.free() if n not in table.used() and frame[n].nunique() > 1]
    names = [n for n in names if n not in _own_rows(table) and not numbers_rows(frame[n])]
    names = [n for n in names if frame[n].dtype.kind == "O" or (frame[n].dropna() % 1 == 0).all()]
    names = [n for n in names if schema.is_shared(frame[n].fillna("nothing"), frame[system])]
    names = [n for n in names if not any(m != n and _hangs_on(frame, n, m) for m in names)]
    pairs = [pair for pair in combinations(names[:8], 2) if not frame.duplicated([system, *pair]).any()]
    return list(pairs[0]) if len(pairs) == 1 else None


def _hangs_on(frame, name, other):
    """Tell whether a column says nothing that another does not say."""

    def is_function(one, of):
        return bool((frame.groupby(of, dropna=False)[one].nunique(dropna=False) < 2).all())

    return is_function(name, other) and not is_function(other, name)


def _asked_pair(table, pair):
    """Return the question what two columns are, and the options that answer it."""
    coarse, fine = sorted(pair, key=lambda name: table.frame[name].nunique())
    shown_values = "; ".join(
        f"{shown(n)}: {examples(table.frame[n].map(as_shown).unique(), 4)}" for n in pair
    )
    what = f"{shown(pair[0])} and {shown(pair[1])} tell the rows of a system apart together ({shown_values})."
    one, other = argument(f"item={fine}"), argument(f"repeat={coarse}")
    is_small = all(table.frame[n].dtype.kind == "f" and table.frame[n].nunique() <= 30 for n in pair)
    folds = (
        f"--map {argument(f'fold={fine}')} --map {argument(f'repeat={coarse}')}, or the other way round, if "
    )
    folds += "they are the folds of a repeated cross-validation."
    ways = [folds] * is_small + [
        f"--map {one} --map {other}, if each item was answered several times.",
        f"--map {one} --map {argument(f'rater={coarse}')}, if each was scored by several raters.",
        f"--map {argument(f'item={coarse},{fine}')} --unit {argument(coarse)}, if numbered within it.",
        f"--map {argument(f'dataset={fine}')} --map {argument(f'seed={coarse}')}, or the other way round.",
        "--where COLUMN=VALUE keeps one value of a column that only repeats the rest.",
    ]
    return what + " What are they?", ways


def _may_be_key(table, name):
    """Tell whether a column tells the rows of a system apart, by values that the systems share."""
    frame, system = table.frame, table.roles["system"]
    values = frame[name]
    if name in {*table.used(but=("group",)), *_own_rows(table)} or values.isna().any():
        return False
    if numbers_rows(values) or is_index(values):
        return False
    if values.dtype.kind == "f" and (values % 1 != 0).any():
        return False
    is_unique = not frame.duplicated([system, name]).any()
    return is_unique and schema.is_shared(values, frame[system])


def _own_rows(table):
    """Return the columns that we numbered rows by ourselves."""
    return {table.facts.get("row"), "row" if table.facts.get("arrays") else None}


def _likely_role(table, name):
    """Return the role that the values of a key suggest, and why; None where they may be several things."""
    values, words = table.frame[name], set(_metrics.tokens(name))
    n, score = values.nunique(), table.column("score")
    is_number = values.dtype.kind == "f"
    called = next((role for role in ("seed", "fold", "split", "item", "dataset") if role in words), None)
    if called and schema.fits(called, values):
        return called, f"{n} values, each once in a system, and {called!r} in its name"
    steps = np.diff(np.sort(values.unique())) if is_number else ()
    if is_number and values.abs().max() >= _COUNTS and n < _ITEMS and len(set(steps)) > 1:
        return "seed", f"{n} whole numbers that count nothing, the same in each system"
    is_right = score is not None and set(score.dropna().unique()) <= {0.0, 1.0}
    if is_right or "prediction" in table.roles or (n >= _ITEMS and not is_number):
        return "item", f"{n} values, each once in every system" + ", beside right or wrong" * is_right
    if not is_number:
        return "dataset", f"{n} names, each once in every system: {examples(values.unique(), 4)}"
    return None, ""
