"""What neither a format nor the schema knows of a table: it is asked, with the options
that answer it.

One thing is proposed, the column in which the baseline stands; nothing is compared
before it is confirmed.
"""

from dataclasses import replace

import pandas as pd

from evalkit._limits import FEWEST_GROUPS
from evalkit.reports import schema
from evalkit.reports._faults import (
    Fault,
    RefusedError,
    argument,
    count,
    examples,
    listed,
    refusal,
    shown,
)
from evalkit.reports._recognition import _compared, _metrics, _rows, _where
from evalkit.reports._recognition._cells import are_dates
from evalkit.reports._recognition._seen import (
    as_shown,
    belongs_to_system,
    is_index,
    numbers_rows,
)
from evalkit.reports._recognition._table import NAME_BY_FILE, as_tuple
from evalkit.reports._recognition._wide import MEANINGS, one_direction, option


class UnconfirmedError(RefusedError):
    """Columns that are not known by their names, with what is proposed and what is
    asked.
    """

    def __init__(self, table):
        self.table, self.places, self.roles = table, (), {}
        faults = [
            Fault(
                "columns",
                f"{shown(line.column)}: taken for the {line.role}, for {line.why}.",
                "It is a proposal, and no page is written on one.",
                (
                    f"{line.option} confirms it.",
                    "--as-proposed confirms all that is proposed.",
                ),
            )
            for line in table.proposed
        ]
        faults += [
            Fault(
                question.about,
                question.what,
                "Nothing in the file says it.",
                question.ways,
            )
            for question in table.asked
        ]
        super().__init__(*faults)


def complete(table, options):
    """Give the columns that are known their roles, and list what must be asked of the
    others.
    """
    _check_named(table)
    table = _compared.find(table, options)
    _where.check_unit(table, options.unit)
    table = _rest(_rows.find(table, options), options)
    way, _ = _compared.score_direction(table, options)
    if "dataset" in table.roles and "score" in table.roles:
        names = [str(name) for name in table.column("dataset").dropna().unique()]
        one_direction(
            names, way, None if table.facts.get("melted") else table.roles["dataset"]
        )
    metrics = [
        name
        for question in table.asked
        if question.about == "metric"
        for name in question.columns
    ]
    known = [name for name in metrics if _metrics.direction(name)]
    is_open = len(metrics) > len(known) and not options.direction
    is_asked = any(
        question.about in ("metric", "direction") for question in table.asked
    )
    is_told = any(question.with_direction for question in table.asked)
    if not is_told and ((is_open and not known) or (way is None and not is_asked)):
        name = "score" if is_open else shown(table.roles.get("score", "rate"))
        called = " (--metric NAME says what it is called.)" * _compared.is_nameless(
            table, options
        )
        table = table.ask(
            "direction",
            f"Is a higher or a lower {name} better?{called}",
            _compared.DIRECTIONS,
        )
    return (
        table
        if options.unit
        else replace(table, asked=tuple(_with_groups(table, options)))
    )


def _with_groups(table, options):
    """Yield each question; where it offers a column as the items, with whether they are
    independent.
    """
    every, why = MEANINGS["item"].split(":")[0], "it is independent of the others"
    for question in table.asked:
        ways = {way: [way] for way in question.ways}
        for name in question.columns:
            item = option("item", [name])
            known = table.having("item", name, "")
            known = known.having("note", known.free(), "")
            units = [
                (g, f"all of one {shown(g)} belong together")
                for g in (
                    *_known_groups(known),
                    *_groups(known, options, is_strict=True),
                )
            ]
            units = [*units, ("item", why)] if units else []
            said = [
                f"{item} --unit {argument(unit)}, {every}, and {why}."
                for unit, why in units
            ]
            ways |= {
                way: said or [way]
                for way in ways
                if way == f"{item}, {MEANINGS['item']}."
            }
        yield replace(question, ways=tuple(way for own in ways.values() for way in own))


def _check_named(table):
    """Refuse rows that name no system, before anything else is asked of them."""
    nameless = int(table.column("system").isna().sum())
    if not nameless:
        return
    what = (
        f"{count(nameless, 'row')} of {len(table.frame):,} name{'s' * (nameless == 1)}"
        " no system."
    )
    why = "Nobody can say whose scores they are."
    leave = argument(f"{table.roles['system']}!=empty")
    ways = [
        f"--where {leave} leaves {'it' if nameless == 1 else 'them'} out.",
        "fill the names in.",
    ]
    if table.facts.get("files", 1) > 1:
        why += (
            " Files of one folder are not joined: what one says of a run, another does"
            " not know."
        )
        ways[1] = "NAME=FILE, for each file, if it is of one system."
        ways.append(
            "join them by a column that both have (DataFrame.merge), and give the one"
            " table."
        )
    if nameless > len(table.frame) / 2:  # as of merged cells
        ways.reverse()
    raise refusal("names", what, why, *ways)


def confirm(table, options):
    """Raise what is not confirmed."""
    open_lines = () if options.as_proposed else table.proposed
    if open_lines or table.asked:
        raise UnconfirmedError(replace(table, proposed=open_lines))


def _rest(table, options):
    """Set aside what cannot matter, and ask of the rest whether it was set, once a row
    is known to be one.
    """
    facts = table.facts
    if any(question.about == "unit" for question in table.asked):
        return table
    settings = [name for name in facts.get("settings", ()) if name in table.free()]
    table = table.having("setting", settings, "the format has it so")
    # Of two columns, and none of the file.
    joined = options.unit if "," in (options.unit or "") else None
    aside = {"row", facts.get("row"), joined, *facts.get("metrics", ())}
    # test_set is no score.
    words = [name for name in table.free() if table.frame[name].dtype.kind == "O"]
    table = table.having("note", _measured(table), "not compared")
    free = [
        n
        for n in table.free()
        if n not in aside and (n in words or not _metrics.is_measured(n))
    ]
    is_items = facts.get("items") or (
        {"item", "label"} & {*table.roles} and options.unit != "seed"
    )
    # Of which another is known.
    known = [n for n in free if schema.role_of(n) in ("cost", "step", "note")]
    # Of Optuna: what a trial wrote down.
    known += [n for n in free if str(n).startswith("user_attrs_")]
    # Which tells no rows apart, or it had been asked.
    known += [NAME_BY_FILE] * (NAME_BY_FILE in free)
    quiet = [
        n
        for n in free
        if is_items or n in (*facts["spreads"], *known) or _cannot_matter(table, n)
    ]
    table = table.having("note", quiet, "not compared")
    if is_items and not options.unit:
        table = _asked_groups(table, options)
    asked = {
        options.unit,
        *(name for question in table.asked for name in question.columns),
    }
    left = [name for name in free if name not in quiet and name not in asked]
    if not left or facts.get("folds"):
        return table.having("note", left, "not compared")
    if (
        facts.get("trials")
        or options.unit == "trial"
        or options.search
        or "trial" in table.roles
    ):
        ends = [name for name in left if name in words and _tells_gaps(table, name)]
        table = table.having("note", ends, "it goes with the scores that are not there")
        role = "note" if "setting" in options.columns else "setting"
        return table.having(
            role, [name for name in left if name not in ends], "the rest of a search"
        )
    is_one = len(left) == 1
    what = (
        f"In the runs of one system {listed(left)} {'varies' if is_one else 'vary'}:"
        f" {_varied(table, left)}. "
    )
    was = "Was it set, as a learning rate is, or may it be overlooked?"
    what += (
        was
        if is_one
        else "Which were set, as a learning rate is, and which may be overlooked?"
    )
    shared = [
        n
        for n in left
        if n in words and schema.is_shared(table.frame[n], table.column("system"))
    ]
    apart = [
        n
        for n in shared
        if not table.frame.duplicated([table.roles["system"], n]).any()
    ]
    again = [n for n in left if n in words and n not in apart]
    run = "if each is a run, a school, a shop or a person with several rows."
    ways = [f"{option('run', [n])}, {run}" for n in again if "run" not in table.roles]
    met = [
        (n, role)
        for n in shared
        if n in again
        for role in ("item", "dataset")
        if role not in table.roles
    ]
    met += [(n, role) for n in apart for role in ("item", "seed", "fold", "dataset")]
    ways += [option("setting", left), option("note", left)]
    own = {
        name: table.frame.groupby(table.roles["system"])[name].agg(frozenset)
        for name in left
    }
    # As sizes are, and times are not.
    alike = [name for name in left if len({*own[name]}) == 1]
    others = [name for name in left if name not in alike]
    ways += [f"{option('setting', alike)} {option('note', others)}"] * (
        0 < len(alike) < len(left)
    )
    if "validation" not in table.roles and not is_one and not {*left} <= {*words}:
        ways.append(
            "--map validation=COLUMN, if it is the score by which settings were chosen."
        )
    ways += [f"{option(role, [n])}, {MEANINGS[role]}." for n, role in met]
    ways += [
        f"--where {argument(n)}=VALUE, if rows with others, of a trial run say, do not"
        " count."
        for n in again
    ]
    seeds = [
        name
        for name in left
        if _metrics.tokens(name)[-1:] == ["seed"] and "seed" not in table.roles
    ]
    ways = [f"{option('seed', seeds[:1])}, if each is a training run."] * bool(
        seeds
    ) + ways
    return table.ask("columns", what, ways, left)


def _tells_gaps(table, name):
    """Tell whether a column of words says which rows have no score: how a trial ended
    was not set.
    """
    score = table.column("score")
    if score is None or not score.isna().any():
        return False
    shares = score.notna().groupby(table.frame[name].fillna("")).mean()
    return bool(shares.isin([0, 1]).all())


def _measured(table):
    """Return the numbers that are no setting of a run: they changed from step to step,
    or are one a fold.
    """
    frame, roles = table.frame, table.roles
    keys = [
        roles[role] for role in ("system", "fold", "split", "repeat") if role in roles
    ]
    is_once = {"fold", "split"} & {*roles} and not frame.duplicated(keys).any()
    numbers = [name for name in table.free() if frame[name].dtype.kind == "f"]
    # As far as the rows of all steps showed it.
    changed = {*table.facts.get("measured", ())}
    if "step" in roles and not is_once:
        changed |= {*_where.measured(table, frame, roles["step"])}
    # As MLflow has it.
    logged = [name for name in numbers if str(name).startswith("metrics.")]
    return (
        numbers
        if is_once
        else [*logged, *(name for name in numbers if name in changed)]
    )


def _asked_groups(table, options):
    """Ask of what items share whether they belong together."""
    if not (names := _groups(table, options)):
        return table
    what = (
        f"Several items share a value of {listed(names)}, for every system. Do they"
        " belong together?"
    )
    ways = [f"--unit {argument(name)}: whole groups are the unit." for name in names]
    pairs = table.frame[names[:2]].drop_duplicates()
    if len(names) > 1 and len(pairs) <= _SHARED * table.column("item").nunique():
        both = argument(",".join(names[:2]))
        ways.append(f"--unit {both}: only items with the same of both belong together.")
    return table.ask(
        "columns",
        what,
        [*ways, "--unit item: they are independent all the same."],
        names,
    )


def _known_groups(table):
    """Return the columns with the documented name of a group, if each holds several
    items.
    """
    frame, item = table.frame, table.column("item")
    names = [
        n
        for n in table.roles.get("group", ())
        if 1 < frame[n].nunique() < item.nunique()
    ]
    return [
        n
        for n in names
        if len(frame[[item.name, n]].drop_duplicates()) == item.nunique()
    ]


def _groups(table, options, *, is_strict=False):
    """Return the columns of which items share values; numbers beside known items must
    be codes.
    """
    if "group" in table.roles or "item" not in table.roles:
        return []
    said = options.columns.get("item", ())
    # Which of two parts is the number.
    is_said = len(said) > 1 or any("," in name for name in said)
    is_known = is_strict or is_said or schema.role_of(table.roles["item"]) == "item"
    frame, item = table.frame, table.column("item")
    # Of a name of several parts one is a number in the others, unless one of these
    # names items alone: the only one that counts, or the last if its name says so.
    parts = [
        part for name in options.columns.get("item", [""]) for part in name.split(",")
    ]
    counts = [part for part in parts if part in frame and frame[part].dtype.kind == "f"]
    number = (
        counts[0]
        if len(counts) == 1
        else parts[-1] * (schema.role_of(parts[-1]) == "item")
    )
    around = [part for part in parts if part != number]
    is_whole = any(
        name in frame and frame[name].nunique() == item.nunique() for name in around
    )
    said = {*options.named("note"), *[number] * (not is_whole)}
    notes = [
        n
        for n in table.roles.get("note", ())
        if n not in said and not belongs_to_system(table, n)
    ]
    whole = [
        n
        for n in notes
        if frame[n].dtype.kind == "O" or not (frame[n].dropna() % 1).any()
    ]
    whole = [
        n
        for n in whole
        if not is_known or frame[n].dtype.kind == "O" or _are_codes(frame[n])
    ]
    shared = [
        n
        for n in whole
        if FEWEST_GROUPS <= frame[n].nunique() <= _SHARED * item.nunique()
    ]
    return [
        n
        for n in shared
        if len(frame[[item.name, n]].drop_duplicates()) == item.nunique()
    ]


_SHARED = 0.8  # of the items: with more values hardly two share one


def _are_codes(values):
    """Tell whether numbers count from 0 or 1 and come again, as those of schools do,
    not as lengths do.
    """
    counts = values.value_counts().sort_index()
    return (
        counts.index[0] in (0, 1)
        and counts.index[-1] - counts.index[0] < counts.size
        and counts.min() > 3
    )


def _varied(table, names):
    values = [
        f"{shown(name)}"
        f" {examples(map(as_shown, table.frame[name].dropna().unique()), 3)}"
        for name in names
    ]
    return "; ".join(values[:4]) + (
        f" and {len(values) - 4} more" if len(values) > 4 else ""
    )


def _cannot_matter(table, name):
    """Tell whether a column is not a setting that varies within a system."""
    frame = table.frame
    values = frame[name].dropna()
    within = [
        table.roles[role] for role in ("system", "dataset") if role in table.roles
    ]
    is_constant = (frame.groupby(within, dropna=False)[name].nunique() < 2).all()
    if (
        values.empty
        or are_dates(values)
        or is_index(frame[name])
        or numbers_rows(frame[name])
        or is_constant
    ):
        return True
    return values.dtype.kind == "O" and len(values) > 3 and values.is_unique


def lines(table, places):
    """Return what is known, proposed and asked, as lines to print.

    Parameters
    ----------
    table : Table
    places : sequence of str
        What was read, in words.

    Returns
    -------
    list of str
    """
    by_column = {
        name: role for role in table.roles for name in as_tuple(table.roles[role])
    }
    open_columns = {line.column for line in table.proposed}
    asked = {name for question in table.asked for name in question.columns}
    rows = []
    for name in (
        name for name in table.frame.columns if name != table.facts.get("row")
    ):
        values = table.frame[name].dropna()
        taken = (
            "?"
            if name in asked
            else by_column.get(name, "") + " ?" * (name in open_columns)
        )
        rows.append((shown(name), examples(map(as_shown, values.unique()), 3), taken))
    shape = pd.DataFrame(rows, columns=["column", "values", "taken for"])
    out = [*places, "", shape.to_string(index=False, justify="left", max_colwidth=42)]
    if table.proposed:
        out += [
            "",
            (
                "Proposed, and to be confirmed: each by its option, or all by"
                " --as-proposed"
            ),
        ]
        out += [f"  {line.option}   ({line.why})" for line in table.proposed]
    if table.asked:
        out += ["", "To be said, for nothing in the file says it"]
        for question in table.asked:
            # several columns may have one role for one reason: a line for them all
            by_reason = {}
            for option, mark, why in (way.partition(", if ") for way in question.ways):
                by_reason.setdefault(mark + why or option, []).append(option)
            lead = [
                f"    {' or '.join(ways)}{why * (why != ways[0])}"
                for why, ways in by_reason.items()
            ]
            out += [f"  {question.what}", *lead]
    return out
