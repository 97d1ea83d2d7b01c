"""What tells the rows of a system apart: seeds, folds, items or data sets, by
documented names, or asked.

Names that each system has once may be any of these. Values exclude some columns
(fractions number nothing, and what one system alone has pairs nothing), and choose
none.
"""

import itertools
from dataclasses import replace

from evalkit._limits import FEWEST_TRIALS
from evalkit.reports import schema
from evalkit.reports._faults import argument, examples, listed, refusal, shown
from evalkit.reports._recognition._cells import are_dates, is_number
from evalkit.reports._recognition._seen import (
    as_shown,
    belongs_to_system,
    is_index,
    numbers_rows,
)
from evalkit.reports._recognition._table import BY_FORMAT, BY_NAME, as_text
from evalkit.reports._recognition._wide import MEANINGS, option

_KEYS = (
    "seed",
    "split",
    "fold",
    "run",
    "trial",
    "item",
    "dataset",
    "repeat",
    "rater",
    "size",
    "step",
)
_MANY = 100  # nobody trains so many times, and gives each a name
_MOSTLY = 0.9
_MOST = 3  # columns of which it is asked
_FEW = 50  # values by which it is seen that a column holds words


def find(table, options):
    """Ask what the rows of a system are, where no column is known to say it."""
    facts = table.facts
    if (
        facts.get("trials")
        or facts.get("folds")
        or options.unit == "trial"
        or options.search
    ):
        return table
    _refuse_ids_apart(table)
    _refuse_words(table)
    last = {"step"} if "ended" in facts else set()  # of which one is left for each run
    known = [role for role in _KEYS if role in {*table.roles} - last]
    if "trial" in known:
        return table
    if _settings_vary(table):
        crossed = [
            n
            for n in _crossed(table)
            if not {"seed", "item"} & {*known} and n not in options.named()
        ]
        return (
            _asked(table, crossed, [role for role in known if role != "run"])
            if crossed
            else table
        )
    if not known and not table.frame[table.roles["system"]].duplicated().any():
        return table  # one row a system: whatever it is, nothing varies
    keys = [table.roles[role] for role in ("system", *known)]
    # Whose name tells rows apart, and does not say what they share.
    if known == ["run"]:
        known, keys = [], keys[:1]
    if {*known} - {"repeat", "rater"} and not table.frame.duplicated(keys).any():
        return table
    columns = [
        name
        for name in _candidates(table)
        if not table.frame.duplicated([*keys, name]).any()
    ]
    if "run" in table.roles and not known and not columns:
        return table
    if (
        options.unit == "item"
        and "prediction" in table.roles
        and "item" not in known
        and "row" in facts
    ):
        return table.having(
            "item", facts["row"], "each row has one answer of each system"
        )
    unit = options.unit if options.unit in ("seed", "fold", "item", "dataset") else None
    if unit and not known:
        if len(columns) == 1:
            why = f"{options.whose('unit')}, --unit {unit}"
            return _ungrouped(table, columns).having(unit, columns[0], why)
        if unit != "seed" and "row" in facts:
            return table.having(
                unit, facts["row"], "each row has one score of each system"
            )
        return table
    if not columns and "item" not in known:
        columns = _candidates(table)  # of which two may do it together
        pairs = itertools.combinations(columns[:9], 2)
        columns = next(
            (p for p in pairs if not table.frame.duplicated([*keys, *p]).any()), columns
        )
    if columns:
        return _asked(_ungrouped(table, columns), columns[:_MOST], known)
    # Answers are joined by a name or not at all; of what else is the unit, its kind
    # knows what it needs.
    if {*known} - {"repeat"} or "prediction" in table.roles or options.unit:
        return table
    if known:
        name = table.roles["repeat"]
        what = (
            f"{shown(name)} tells answers to one item apart, and no column names the"
            " items."
        )
        run = f"{option('seed', [name])}, if each is a run of its own."
        return table.ask(
            "unit", what, ["--map item=COLUMN, for the column that names them.", run]
        )
    what = (
        "Nothing says what a row is: a seed, an item, a fold, a data set or a trial of"
        " a search."
    )
    alone = [
        n
        for n in table.free()
        if table.frame[n].dtype.kind == "O" and table.frame[n].is_unique
    ]
    alone = [name for name in alone if not are_dates(table.frame[name])]
    units = ["seed", "item", "fold", "dataset"]
    if table.column("system").value_counts().min() >= FEWEST_TRIALS:
        units.append("trial")
    ways = [
        f"--unit {argument(n)}, if each is a person, a shop or the like, with one"
        " system."
        for n in alone
    ]
    several = "if each is a person, a class or the like, with several rows"
    nested = [
        *table.roles.get("group", ()),
        *filter(lambda n: _is_nested(table, n), table.free()),
    ]
    ways += [f"{option('run', [n])} --duplicates mean, {several}." for n in nested]
    counts = [n for n in table.free() if is_index(table.frame[n])]
    counts = [n for n in counts if not table.frame.duplicated([*keys, n]).any()]
    ways += [
        f"{option(role, [n])}, {MEANINGS[role]}."
        for role in ("fold", "seed")
        for n in counts
    ]
    return table.ask(
        "unit", what, [*(f"--unit {unit}, {MEANINGS[unit]}." for unit in units), *ways]
    )


def _is_nested(table, name):
    """Tell whether a column of words has several values in each system, with several
    rows, as classes do.
    """
    frame, system = table.frame, table.column("system")
    counts = frame[name].groupby(system).nunique()
    is_words = frame[name].dtype.kind == "O" and not schema.is_shared(
        frame[name], system
    )
    return is_words and counts.min() > 1 and 2 * frame[name].nunique() <= len(frame)


def _asked(table, columns, known):
    """Return a table with the question what some columns name, an option for each
    answer.
    """
    frame = table.frame
    named = [
        f"{shown(name)} ({examples(map(as_shown, frame[name].unique()), 4)})"
        for name in columns
    ]
    what = (
        f"What does {named[0]} name?"
        if len(columns) == 1
        else f"What do these name: {'; '.join(named)}?"
    )
    ways = []
    for name in columns:
        # What is known by its name alone may be something coarser.
        is_by_name = all(table.why[role] == BY_NAME for role in known)
        closed = {*known} - {"item"} if is_by_name else {*known}
        closed |= (
            set()
            if {"item", "fold"} & {*known} or len(columns) > 1
            else {"repeat", "rater"}
        )
        is_words, n = frame[name].dtype.kind == "O", frame[name].nunique()
        closed |= (
            {"trial"}
            if n < FEWEST_TRIALS or {"seed", "run", "fold"} & {*known}
            else set()
        )
        closed |= (
            {"step", "trial", *(("seed", "fold") if n >= _MANY else ())}
            if is_words
            else set()
        )
        last = {"step": f" --where {argument(f'{name}=last')}"}
        meant = {role: why for role, why in MEANINGS.items() if role not in closed}
        ways += [
            f"{option(role, [name])}{last.get(role, '')}, {why}."
            for role, why in meant.items()
        ]
        if schema.fits("part", frame[name]):
            ways.append(
                f"{option('part', [name])}, if it says which part of the data was"
                " scored."
            )
        # Else it is no column of the file.
        if "item" in known and table.why["item"] in (
            BY_NAME,
            BY_FORMAT,
        ):
            parts = sorted(
                [name, table.roles["item"]],
                key=lambda part: frame[part].dtype.kind == "f",
            )
            within = argument(f"item={','.join(parts)}")
            ways.append(f"--map {within}, if items are numbered anew in each.")
        if not is_words and n >= _MANY:
            ways.append(
                "resamples of one test set are none of these: give each system's scores"
                " of the items."
            )
    if (
        len(columns) == 2
        and not known
        and frame.duplicated([table.roles["system"], columns[0]]).any()
    ):
        ways.append(
            f"--map {argument('item=' + ','.join(columns))}, if items are numbered anew"
            " in each."
        )
    ways.append(
        "--where COLUMN=VALUE keeps one value, if it is a checkpoint, metric, filter or"
        " prompt."
    )
    return table.ask("unit", what, ways, columns)


def _ungrouped(table, columns):
    """Return a table without columns among its groups."""
    groups = tuple(name for name in table.roles.get("group", ()) if name not in columns)
    return (
        replace(table, roles={**table.roles, "group": groups})
        if "group" in table.roles
        else table
    )


def _refuse_words(table):
    """Refuse a row of means or totals that leaves empty what all others have: it would
    hide that column.
    """
    frame = table.frame
    empty = [
        frame[n].isna()
        for n in table.free()
        if 0 < frame[n].isna().sum() < len(frame) / 5
    ]
    columns = [
        n for n in table.free() if frame[n].dtype.kind == "O" and frame[n].notna().all()
    ]
    for name in columns if empty else ():
        known = list(map(as_shown, frame[name].unique()))
        if sum(not is_number(word) for word in known[:_FEW]) > 2:
            continue
        words = [word for word in known if not is_number(word)]
        if 0 < len(words) < 3 and any(
            of.equals(frame[name].isin(words)) for of in empty
        ):
            what = (
                f"{shown(name)} holds numbers, and {listed(words)}: a row of means or"
                " totals, it seems."
            )
            leave = f"--where {argument(f'{name}!=' + ','.join(words))} leaves it out."
            raise refusal(
                "mean-row",
                what,
                "A mean counts every score twice.",
                leave,
                "or mend the cell.",
            )


def _refuse_ids_apart(table):
    """Refuse names of items that systems share but for how they are written: 0007 and
    7.
    """
    frame = table.frame
    names = [n for n in table.free() if schema.role_of(n) == "item"]
    names = [n for n in names if not schema.is_shared(frame[n], table.column("system"))]
    for name in names if "item" not in table.roles else ():
        plain = as_text(frame[name]).map(
            lambda v: str(v).strip().lower().lstrip("0"), na_action="ignore"
        )
        if schema.is_shared(plain, table.column("system")):
            first = frame.drop_duplicates(table.roles["system"])[name].map(as_shown)
            what = (
                f"No {shown(name)} is in all answers (spaces, case or leading zeros are"
                " all that keeps "
            )
            what += f"more of them apart): {examples(first)}."
            why = (
                "Answers are joined by the name of the item, never by the row in which"
                " they stand."
            )
            raise refusal("unmatched", what, why, "write the names in one way.")


def _candidates(table):
    """Return the columns that may tell the rows of a system apart, by values that the
    systems share.
    """
    frame, own = table.frame, _own_rows(table)
    text = (
        [table.roles["text"]]
        if "text" in table.roles and "item" not in table.roles
        else []
    )
    names = [
        name
        for name in (*table.free(), *table.roles.get("group", ()), *text)
        if name not in own
    ]
    names = [n for n in names if frame[n].nunique() > 1 and frame[n].notna().all()]
    names = [n for n in names if not numbers_rows(frame[n]) and not is_index(frame[n])]
    names = [
        n for n in names if frame[n].dtype.kind == "O" or (frame[n] % 1 == 0).all()
    ]
    names = [name for name in names if not are_dates(frame[name])]
    return [
        name for name in names if schema.is_shared(frame[name], table.column("system"))
    ]


def _settings_vary(table):
    """Tell whether settings tell the rows of a system apart, as in a search."""
    logged = [name for name in table.facts.get("settings", ()) if name in table.frame]
    return any(
        not belongs_to_system(table, name)
        for name in (*table.roles.get("setting", ()), *logged)
    )


def _crossed(table):
    """Return a setting that nearly every system has with each of its values, once: it
    may be no setting.
    """
    frame, system, n_rows = table.frame, table.column("system"), len(table.frame)
    names = [
        n for n in table.roles.get("setting", ()) if not belongs_to_system(table, n)
    ]
    whole = {
        name: frame.groupby(name)[system.name].nunique() == system.nunique()
        for name in names
    }
    names = [
        name for name in names if len(whole[name]) > 2 and whole[name].mean() > _MOSTLY
    ]
    once = [
        n
        for n in names
        if len(frame[[system.name, n]].drop_duplicates()) > _MOSTLY * n_rows
    ]
    return once[:1]


def _own_rows(table):
    """Return the columns that we numbered rows by ourselves."""
    return {table.facts.get("row"), "row" if table.facts.get("arrays") else None}
