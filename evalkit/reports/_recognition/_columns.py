"""What the columns of a table are for: as a format has it, as somebody said, or by
their documented names.

The column in which the baseline stands names the systems. What is not known then,
`proposal` asks.
"""

from dataclasses import replace

from evalkit.reports import schema
from evalkit.reports._faults import argument, examples, listed, refusal, shown
from evalkit.reports._recognition import _named, _wide
from evalkit.reports._recognition._places import no_baseline
from evalkit.reports._recognition._seen import (
    MAY_NAME,
    might_be_systems,
    one_search,
    spreads_of,
)
from evalkit.reports._recognition._table import (
    BY_FORMAT,
    BY_NAME,
    Table,
    as_name,
    as_text,
    as_tuple,
)
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
    parts = (options.unit or "").split(",")  # class and school
    if len(parts) > 1 and {*parts} <= {*frame} and options.unit not in frame:
        words = [as_text(frame[name]).astype(str) for name in parts]
        frame = frame.assign(**{options.unit: words[0].str.cat(words[1:], sep=" ")})
    said = options.named() | {options.baseline, options.metric}
    spreads = [name for name in spreads_of(frame) if name not in said]
    notes = [
        *facts.get("notes", ()),
        *(f"column {name}: a spread by its name" for name in spreads),
    ]
    facts = {**facts, "spreads": spreads, "notes": notes}
    table = _systems(_said(Table(frame, {}, {}, facts), options, roles), options)
    systems = table.column("system")
    taken = {*table.used(), *said, *spreads}
    known = schema.known_columns(table.frame, taken, table.roles, systems)
    for role, names in known.items():
        table = table.having(role, names, BY_NAME)
    return table


def _said(table, options, roles):
    """Give the columns the roles that the format knows, and over them those that
    somebody said.
    """
    frame, known = table.frame, options.named() | {options.baseline, options.metric}
    for role, names in roles.items():
        table = table.having(
            role, [name for name in as_tuple(names) if name not in known], BY_FORMAT
        )
    said = {
        role: tuple(
            n for name in names for n in ([name] if name in frame else name.split(","))
        )
        for role, names in options.columns.items()
    }
    for role, names in said.items():
        others = {
            n for other, own in said.items() for n in own if other not in (role, "item")
        }
        if role in ("setting", "note") and (both := others & {*names}):
            raise ValueError(
                f"columns: {examples(sorted(both))}: a {role}, and something else; say"
                " one of them"
            )
        if missing := [name for name in names if name not in frame]:
            there = examples(frame.columns, 12)
            raise ValueError(
                f"columns: no column is called {examples(missing)}; there are: {there}"
            )
        if (
            role == "numerator"
            and len(names) > 1
            and ({*names} <= options.named("system") or options.names)
        ):
            table = replace(table, facts={**table.facts, "counts": True})
            continue
        if role in ("step", "size", "numerator", "denominator"):
            odd = [
                name
                for name in names
                if len(names) > 1 or frame[name].dtype.kind == "O"
            ]
            if odd:
                add = "; add several up in one column first" * (len(names) > 1)
                raise ValueError(
                    f"columns: {role} must be one column of numbers; got"
                    f" {examples(odd)}{add}"
                )
        table = _several(table, role, names, options)
    if table.facts.get("arrays") and options.unit in ("item", "fold", "dataset"):
        if table.facts["misplaced"]:
            raise ValueError(table.facts["misplaced"])
        table = table.having(options.unit, "row", "the place in the arrays")
    return table


def _several(table, role, names, options):
    """Give a role to the columns that somebody named.

    Several for an item are its name together; for a rater or the like they stand side
    by side.
    """
    said = options.whose("columns", role)
    if role in SEVERAL or role == "system" or len(names) == 1:
        value = names if role in SEVERAL or len(names) > 1 else names[0]
        return replace(
            table, roles={**table.roles, role: value}, why={**table.why, role: said}
        )
    # Of one row a system no name is put together.
    if role != "item" and options.metric in table.frame and options.metric not in names:
        what = (
            f"columns: several for {role} are scores side by side, and"
            f" {options.metric!r} is none of them"
        )
        way = ", or --map fold=COLUMN --map repeat=COLUMN" * (role == "fold")
        raise ValueError(f"{what}; write their names together into one column{way}")
    if role != "item" or _has_one_row(table.frame, options.baseline):
        if odd := [
            n
            for n in names
            if (of := schema.role_of(n)) and schema.fits(of, table.frame[n])
        ]:
            hold = (
                "hold what their names say"
                if len(odd) > 1
                else "holds what its name says"
            )
            what = f"{examples(odd)} {hold}"
            raise ValueError(
                f"columns: several columns for {role} hold scores, side by side; {what}"
            )
        return _wide.melted(table, names, role, said)
    joined = " and ".join(map(shown, names))
    parts = [as_text(table.frame[name]).astype(str) for name in names]
    frame = table.frame.assign(**{joined: parts[0].str.cat(parts[1:], sep=" ")})
    table = replace(table, frame=frame).having("item", joined, said)
    # Items of a document resemble it.
    around = [name for name in names if schema.role_of(name) == "group"]
    table = table.having("group", around, BY_NAME)
    return table.having(
        "note", [name for name in names[1:] if name not in around], said
    )


def _has_one_row(frame, baseline):
    """Tell whether the baseline stands in one row."""
    return sum(int((frame[name].map(as_name) == baseline).sum()) for name in frame) == 1


def _systems(table, options):
    system = table.roles.get("system")
    if isinstance(system, tuple):
        if options.baseline not in system:
            raise ValueError(
                "columns: several columns for system are systems side by side, and"
                f" {options.baseline!r} must be one of them; got {examples(system, 8)}"
            )
        if both := {*system} & {*table.used(but=("system",))}:
            raise ValueError(
                f"columns: {examples(sorted(both))} cannot be a system and something"
                " else"
            )
        return _wide.side_by_side(table, list(system), options.right)
    table = table if system else _system_column(table, options)
    if "system" not in table.roles:
        if options.baseline in table.frame.columns:
            raise _wide.side_by_side_unsaid(table, options)
        if table.facts.get("folds") and "candidate" in table.frame:
            raise one_search(options.baseline, table.frame)
        _refuse_nested(options.baseline, table.frame)
        raise no_baseline(options.baseline, might_be_systems(table))
    name = table.roles["system"]
    table = replace(
        table, frame=table.frame.assign(**{name: table.frame[name].map(as_name)})
    )
    if (
        options.names
        and name in options.named("system")
        and _named.parsed(table.frame[name], options.names)
    ):
        table = _named.split_column(table, name, options.names)
        name = table.roles["system"]
    if options.baseline not in set(table.frame[name]):
        raise no_baseline(options.baseline, table.frame[name].dropna().unique())
    return _wide.spread_out(table, options)


def _refuse_nested(baseline, frame):
    """Refuse a system that is the name of an object within an object."""
    if inside := [name for name in frame if f".{baseline}." in f".{name}."]:
        what = (
            f"{shown(baseline)!r} is the name of an object within an object:"
            f" {examples(inside, 4)}."
        )
        why = (
            "What such objects hold, lists among it, is not read as the scores of"
            " systems."
        )
        way = (
            "write a row for each score, with its system, its seed or item, and the"
            " score."
        )
        raise refusal("baseline", what, why, way)


def _system_column(table, options):
    """Find the column in which the baseline stands: the one that is called so, or the
    only one.
    """
    frame, baseline = table.frame, options.baseline
    rated = [name for name in table.free() if schema.role_of(name) == "rater"]
    if len(rated) == 1 and baseline in {
        as_name(value) for value in frame[rated[0]].unique()
    }:
        # How far they agree.
        return table.having("system", rated[0], "raters are compared")
    # Trackers log the system among the settings.
    free = [
        name
        for name in frame.columns
        if name not in table.used(but=("setting", "note"))
    ]
    holding = [
        name
        for name in free
        if baseline in {*map(as_name, frame[name].dropna().unique())}
    ]
    known = [name for name in holding if schema.role_of(name) == "system"]
    if known:
        order = schema.ROLES["system"][0]
        known.sort(
            key=lambda name: (
                order.index(schema.plain(name)) if schema.plain(name) in order else 9
            )
        )
        return _without(table, known[0]).having("system", known[0], BY_NAME)
    if options.names:
        return _by_pattern(table, options)
    words = [name for name in free if frame[name].dtype.kind == "O"]
    if twins := [
        (a, b)
        for a in holding
        for b in words
        if a != b and _are_pairs(frame[a], frame[b])
    ]:
        what = f"Each row compares two systems, those of {listed(twins[0])}."
        why = "A report compares scores that each system has by itself."
        rows = (
            "write two rows for each: the question as item, the system, and its score:"
            " 1 if it won, 0 if it "
        )
        raise refusal("baseline", what, why, f"{rows}lost, 0.5 of a tie.")
    # A seed may be called 1 as well, and a prediction may be a model's name.
    holding = [n for n in holding if schema.role_of(n) in MAY_NAME]
    holding = [
        n
        for k, n in enumerate(holding)
        if not any(frame[n].equals(frame[m]) for m in holding[:k])
    ]
    if (
        not holding
        or table.facts.get("folds")
        or (baseline in frame.columns and len(holding) > 1)
    ):
        return table
    if len(holding) > 1:
        ways = tuple(f"--map system={argument(name)}" for name in holding)
        what = (
            f"{shown(baseline)!r} occurs in {len(holding)} columns:"
            f" {examples(holding)}."
        )
        raise refusal("baseline", what, "One of them names the systems.", *ways)
    values = frame[holding[0]].dropna().map(as_name).unique()
    why = f"{shown(baseline)!r} occurs in it, among {examples(values, 4)}"
    table = _without(table, holding[0])
    if options.answers():  # who answered has read what is proposed
        return table.having("system", holding[0], why)
    why += "; any answer confirms it"
    return table.propose("system", holding[0], why, _wide.option("system", holding))


def _are_pairs(values, others):
    """Tell whether each row has two of the same few names, never one twice: two systems
    that met.
    """
    names = {*values.dropna()}
    return (
        1 < len(names) < len(values) / 5
        and names == {*others.dropna()}
        and bool((values != others).all())
    )


def _without(table, column):
    """Return a table without a column among its settings and notes."""
    kept = {
        role: tuple(name for name in table.roles[role] if name != column)
        for role in ("setting", "note")
        if role in table.roles
    }
    facts = {
        **table.facts,
        "settings": [n for n in table.facts.get("settings", ()) if n != column],
    }
    return replace(
        table,
        roles={**table.roles, **kept},
        facts=facts if facts["settings"] else table.facts,
    )


def _beside(name, systems):
    """Yield what a name of a column has beside that of a system, before it or behind
    it.
    """
    for system in systems:
        if name.startswith(system):
            yield name[len(system) :]
        if name.endswith(system):
            yield name[: -len(system)]


def _by_pattern(table, options):
    """Return a table whose runs have names that hold system and number, by the form
    that was said.
    """
    frame = table.frame
    beside = [name for name in table.free() if _named.parsed([name], options.names)]
    beside = [name for name in beside if name not in table.facts["spreads"]]
    if len(beside) > 1:
        systems = [part["system"] for part in _named.parsed(beside, options.names)]
        ends = {name: {*_beside(str(name), systems)} for name in frame}
        ends = {
            name: own
            for name, own in ends.items()
            if name not in beside and "" not in own
        }
        # Their scores.
        other = [
            n for n, own in ends.items() if any(own & ends[m] for m in ends if m != n)
        ]
        table = table.having("note", other, "other scores of these systems")
        long = _wide.called(_wide.side_by_side(table, beside, options.right), options)
        return _named.split_column(long, long.roles["system"], options.names)
    words = [
        name
        for name in frame.columns
        if frame[name].dtype.kind == "O" and frame[name].notna().all()
    ]
    found = [
        name for name in words if _named.parsed(frame[name].unique(), options.names)
    ]
    if not found:
        there = (
            examples([v for name in words for v in frame[name].unique()[:2]], 6)
            or "no words"
        )
        raise ValueError(
            f"names: no column has {options.names!r} throughout; there are: {there}"
        )
    return _named.split_column(table, found[0], options.names)
