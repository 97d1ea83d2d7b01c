"""What the columns of a table are for: as a format has it, as somebody said, or by their documented names.

The baseline's name does most of it: the column in which it stands names the systems, and where it is itself
the name of a column, the systems stand side by side. What is not known then, `proposal` asks.
"""

from dataclasses import replace

from evalkit.reports import _wide, metrics, schema
from evalkit.reports._faults import Fault, RefusedError, argument, examples, shown
from evalkit.reports._places import no_baseline
from evalkit.reports._seen import might_be_systems, one_search, spreads_of
from evalkit.reports._table import BY_FORMAT, BY_NAME, SAID, Table, as_name
from evalkit.reports.schema import SEVERAL


def recognise(frame, options, roles, facts):
    """Find the systems and the columns that are known.

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
        Long, with the role "system".
    """
    said = {name for names in options.columns.values() for name in names} | {options.baseline, options.metric}
    spreads = [name for name in spreads_of(frame, options.baseline) if name not in said]
    words = "a spread by its name and size: no system, no setting, and not compared"
    notes = [*facts.get("notes", ()), *(f"column {name}: {words}" for name in spreads)]
    facts = {**facts, "spreads": spreads, "notes": notes, "said_direction": options.direction}
    table = _systems(_said(Table(frame, {}, {}, facts), options, roles), options)
    systems = table.column("system")
    known = schema.known_columns(table.frame, {*table.used(), *table.roles, *said, *spreads}, systems)
    for role, names in known.items():
        table = table.having(role, names, BY_NAME)
    return table


def _said(table, options, roles):
    """Give the columns the roles that the format knows, and over them those that somebody said."""
    frame, said = table.frame, {name for names in options.columns.values() for name in names}
    said |= {options.baseline, options.metric}
    for role, names in roles.items():
        names = (names,) if isinstance(names, str) else names
        table = table.having(role, [name for name in names if name not in said], BY_FORMAT)
    for role, names in options.columns.items():
        if missing := [name for name in names if name not in frame]:
            there = examples(frame.columns, 12)
            raise ValueError(f"columns: no column is called {examples(missing)}; there are: {there}")
        value = names if role in SEVERAL or len(names) > 1 else names[0]
        table = replace(table, roles={**table.roles, role: value}, why={**table.why, role: SAID})
    if table.facts.get("arrays") and options.unit in ("item", "fold", "dataset"):
        if table.facts["misplaced"]:
            raise ValueError(table.facts["misplaced"])
        table = table.having(options.unit, "row", "the place in the arrays")
    return table


def _systems(table, options):
    system = table.roles.get("system")
    if isinstance(system, tuple):
        if options.baseline not in system:
            raise ValueError(
                f"columns: several columns for system are systems side by side, and {options.baseline!r} "
                f"must be one of them; got {examples(system, 8)}"
            )
        return _wide.side_by_side(table, list(system), options)
    table = table if system else _system_column(table, options)
    if "system" not in table.roles:
        if options.baseline in table.frame.columns:
            return _wide.systems_beside(table, options)
        if table.facts.get("folds") and "candidate" in table.frame:
            raise one_search(table.frame, options.baseline, table.facts["settings"])
        raise no_baseline(options.baseline, might_be_systems(table))
    name = table.roles["system"]
    table = replace(table, frame=table.frame.assign(**{name: table.frame[name].map(as_name)}))
    if options.baseline not in set(table.frame[name]):
        raise no_baseline(options.baseline, table.frame[name].dropna().unique())
    return _wide.spread_out(table, options)


def _system_column(table, options):
    """Find the column in which the baseline stands: the one that is called so, or the only one."""
    frame, baseline = table.frame, options.baseline
    holding = [name for name in table.free() if baseline in set(frame[name].dropna().map(as_name).unique())]
    known = [name for name in schema.ROLES["system"][0] for column in holding if schema.plain(column) == name]
    if known:
        column = next(name for name in holding if schema.plain(name) == known[0])
        return table.having("system", column, BY_NAME)
    # A seed may be called 1 as well, and a prediction may be a model's name.
    holding = [n for n in holding if schema.role_of(n) in (None, "note", "run", "setting")]
    if not holding or (baseline in frame.columns and len(holding) > 1):
        return table
    if len(holding) > 1:
        ways = tuple(f"--map system={argument(name)}" for name in holding)
        what = f"{shown(baseline)!r} stands in {len(holding)} columns: {examples(holding)}."
        raise RefusedError(Fault("baseline", what, "One of them names the systems.", ways))
    values = frame[holding[0]].dropna().map(as_name).unique()
    why = f"{shown(baseline)!r} stands in it, among {examples(values, 4)}"
    return table.propose("system", holding[0], why, _wide.option("system", holding))


# ---------------------------------------------------------------------------------------------
# The score
# ---------------------------------------------------------------------------------------------


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
    return bool(table.facts.get("wide") or table.facts.get("arrays")) and options.metric is None


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
        return options.direction, SAID
    name = table.roles.get("score")
    if name is None:
        return "higher", "right answers are counted"
    higher = table.facts.get("higher", {})
    if name in higher:
        return ("higher" if higher[name] else "lower"), "the format says it"
    if name == table.roles.get("correct"):
        return "higher", "1 is right and 0 wrong"
    if is_nameless(table, options):
        is_right = set(table.frame[name].dropna()) <= {0.0, 1.0}
        return ("higher", "1 is right and 0 wrong") if is_right else (None, "")
    if table.facts.get("trials") and metrics.direction(name) is None and "value" in higher:
        return ("higher" if higher["value"] else "lower"), "as the objective of the search"
    return metrics.direction(name), f"by its name, {shown(name)}"


def unknown_direction(table):
    """Return the fault that nothing says which way the score is better.

    Parameters
    ----------
    table : Table

    Returns
    -------
    Fault
    """
    return Fault(
        "direction",
        f"Nothing says whether a higher or a lower {shown(table.roles['score'])} is better.",
        "With losses the better system has the lower score, and every sentence would say the opposite.",
        ("--direction higher", "--direction lower"),
    )
