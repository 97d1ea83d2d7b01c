"""What names and values tell of columns: spreads, numbers of rows, possible systems;
and what they lack.
"""

from evalkit.reports import schema
from evalkit.reports._faults import Fault, argument, examples, refusal, shown
from evalkit.reports._formats._values import names_systems
from evalkit.reports._recognition import _metrics
from evalkit.reports._recognition._table import as_name

_SPREADS = frozenset(
    ["std", "sd", "se", "sem", "stderr", "stdev", "stddev", "var", "variance", "ci"]
)


def spreads_of(frame):
    """Return the columns that hold a spread by their names: accuracy_std, or std where
    one is called mean.
    """
    words = {name: _metrics.tokens(name) for name in frame.columns}
    has_mean = any("mean" in own for own in words.values())
    rests = {
        name: [word for word in own if word not in _SPREADS]
        for name, own in words.items()
    }
    found = [name for name, own in words.items() if len(rests[name]) < len(own)]
    return [
        n
        for n in found
        if _metrics.direction("_".join(rests[n])) or (has_mean and not rests[n])
    ]


def namer(options):
    """Return what tells whether a column names systems, by its name or by what was
    said.

    Parameters
    ----------
    options : Options

    Returns
    -------
    callable
        As `_values.columns` takes it.
    """
    said = options.columns.get("system", ())

    def is_name(name, texts):
        if names_systems(name, texts) or (name,) == said:
            return True
        may_name = schema.role_of(name) in MAY_NAME and not _metrics.is_measured(name)
        return may_name and not said and bool((texts == options.baseline).any())

    return is_name


# Roles of columns in which systems may stand.
MAY_NAME = (
    None,
    "note",
    "run",
    "setting",
    "text",
    "group",
)


def numbers_rows(values):
    """Tell whether a column numbers the rows, as pandas writes the index of a table
    beside it.
    """
    if is_index(values) and {
        word for word in _metrics.tokens(values.name) if not word.isdigit()
    } == {"unnamed"}:
        return True
    first = values.min() if values.dtype.kind == "f" and len(values) > 2 else None
    return first in (0, 1) and sorted(values) == [first + k for k in range(len(values))]


def is_index(values):
    """Tell whether a column of numbers is called as pandas calls the numbers of the
    rows of a file.
    """
    return values.dtype.kind == "f" and schema.plain(values.name).startswith(
        ("unnamed", "index")
    )


def belongs_to_system(table, name):
    """Tell whether a column is the same in all rows of a system."""
    by_system = table.frame.groupby(table.roles["system"], dropna=False)[name]
    return bool((by_system.nunique() < 2).all())


def as_shown(value):
    """Return a value of a column as it is printed."""
    return (
        f"{value:{'.15g' if value % 1 == 0 else 'g'}}"
        if isinstance(value, float)
        else shown(value)
    )


def might_be_systems(table):
    """Return the names that may be systems, by where they stand."""
    frame, system = table.frame, table.roles.get("system")
    if system is not None:
        single = isinstance(system, str)
        return {
            "": (
                list(frame[system].dropna().map(as_name).unique())
                if single
                else list(system)
            )
        }
    names = [n for n in (*table.free(), table.roles.get("run")) if n is not None]
    words = [
        n for n in names if frame[n].dtype.kind == "O" and 1 < frame[n].nunique() < 50
    ]
    named = [name for name in words if schema.role_of(name) == "system"]
    words = named or [n for n in words if schema.role_of(n) in (None, "dataset", "run")]
    out = {
        f"in the column {shown(name)}": list(frame[name].dropna().unique())
        for name in words[:3]
    }
    beside = [n for n in table.free() if schema.role_of(n) is None]
    return out if named or len(beside) < 2 else {**out, "as columns": beside}


def one_search(baseline, frame):
    """Return the refusal of the cv_results_ of one search, where no other system is."""
    candidates = frame["candidate"].unique()
    first = f"then --baseline {as_shown(candidates[0])} is the first."
    words = [
        n
        for n in frame
        if n.startswith("param_")
        and frame[n].dtype.kind == "O"
        and frame[n].nunique() > 1
    ]
    what = (
        f"No system is called {shown(baseline)!r}"
        if baseline
        else "No baseline is named"
    )
    what += ": there is one search."
    ways = (
        (
            "give the cv_results_ of the other system as a second file; each is called"
            " as its file."
        ),
        *[
            f"--map {argument(f'system={name}')} compares the values set there."
            for name in words[:3]
        ],
        *[f"--map system=candidate takes each setting for a system: {first}"]
        * (len(candidates) > 1),
    )
    return refusal(
        "baseline", what, "A search is one system, and a comparison needs two.", *ways
    )


def no_answers(said):
    """Return the fault that predictions stand without the right answers.

    Parameters
    ----------
    said : pandas.Series
        The predictions.

    Returns
    -------
    Fault
    """
    return Fault(
        "key",
        f"There are predictions, such as {examples(said.dropna().unique())}, and no"
        " right answers.",
        "Without them nobody knows which predictions are right.",
        (
            (
                "--gold FILE: the file of the right answers; its items are called as in"
                " the others."
            ),
            "--map label=COLUMN, if a column holds the right answers.",
            "--metric COLUMN, if a column says how good each prediction is.",
        ),
    )


def no_unit(table, role, what, ways=()):
    """Return the fault that no column names what was said to be the unit.

    Parameters
    ----------
    table : Table
    role, what : str
        Of the column, and what it would name.
    ways : sequence of str
        Options that are known to name them.

    Returns
    -------
    Fault
    """
    return Fault(
        "unit",
        f"No column names the {what}; there are: {examples(table.frame.columns, 12)}.",
        f"Systems are compared by {what}, joined by their names.",
        (
            *(ways or [f"--map {role}=COLUMN, if a column names the {what}."]),
            "or write such a column.",
        ),
    )


_NEARLY = 0.95  # of the rows: an utterance may have more errors than words


def counted_of(frame, name, names):
    """Return the columns of which a column of numbers may count a part: whole, and
    hardly ever smaller.
    """

    def counts(column):
        return (
            column.dtype.kind == "f"
            and (column.dropna() % 1 == 0).all()
            and column.min() >= 0
        )

    part = frame[name]
    if not counts(part) or not part.max() > 1:
        return []
    whole = [
        n for n in names if n != name and frame[n].notna().all() and counts(frame[n])
    ]
    whole = [
        n
        for n in whole
        if (frame[n] >= part.fillna(0)).mean() > _NEARLY and frame[n].min() > 0
    ]
    # 5 of 2026 is none.
    return [n for n in whole if part.min() == 0 or 20 * part.max() >= frame[n].max()]
