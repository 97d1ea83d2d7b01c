"""A long table with what its columns are for, and what about them nobody has confirmed
yet.
"""

from dataclasses import dataclass, field, replace

import pandas as pd

from evalkit.reports.schema import SEVERAL

BY_FORMAT, BY_NAME = "the format has it so", "its documented name"
RUN_BY_FILE = "run (by its file)"  # a number of our own
NAME_BY_FILE = "name (by its file)"
BEGINNING = "beginning"  # the unit of items whose names begin alike


@dataclass(frozen=True)
class Proposed:
    """A role of a column that its values suggest; an option confirms it.

    Attributes
    ----------
    option : str
    column, role : str
    why : str
    """

    option: str
    column: str
    role: str
    why: str


@dataclass(frozen=True)
class Question:
    """What neither names nor values tell.

    Attributes
    ----------
    about : str
        "metric", "direction", "unit", "columns" or "system".
    what : str
    ways : tuple of str
        The options that answer it.
    columns : tuple of str
    with_direction : bool
        Whether the options say which way a score is better as well.
    """

    about: str
    what: str
    ways: tuple
    columns: tuple = ()
    with_direction: bool = False


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
    proposed : tuple of Proposed
    asked : tuple of Question
    """

    frame: pd.DataFrame
    roles: dict
    why: dict
    facts: dict = field(default_factory=dict)
    left_out: tuple = ()
    proposed: tuple = ()
    asked: tuple = ()

    def column(self, role):
        """Return the values of a role's column, or None."""
        return self.frame[self.roles[role]] if role in self.roles else None

    def own(self):
        """Return the rows without numbers of rows that are ours."""
        return self.frame.drop(
            columns=[name for name in [self.facts.get("row")] if name in self.frame]
        )

    def used(self, but=()):
        """Return the columns that have a role other than these."""
        return used_by(self.roles, but)

    def free(self):
        """Return the columns without a role, in their order."""
        used = self.used()
        return [name for name in self.frame.columns if name not in used]

    def having(self, role, names, why):
        """Return the table with a role for a column, or for several."""
        names = as_tuple(names)
        if not names:
            return self
        several = (
            tuple(dict.fromkeys((*self.roles.get(role, ()), *names)))
            if role in SEVERAL
            else ()
        )
        value, before = several or names[0], self.why.get(role, "")
        if role in SEVERAL and before and why not in before:
            why = f"{before}, or {why}"
        return replace(
            self, roles={**self.roles, role: value}, why={**self.why, role: why}
        )

    def propose(self, role, name, why, option):
        """Return the table with a role that has to be confirmed."""
        line = Proposed(option, name, role, why)
        return replace(self.having(role, name, why), proposed=(*self.proposed, line))

    def ask(self, about, what, ways, columns=(), *, with_direction=False):
        """Return the table with one more question."""
        question = Question(about, what, tuple(ways), tuple(columns), with_direction)
        return replace(self, asked=(*self.asked, question))


def used_by(roles, but=()):
    """Return the columns that have a role.

    Parameters
    ----------
    roles : dict of str to str, or to tuple of str
    but : sequence of str
        Roles that do not count.

    Returns
    -------
    set of str
    """
    return {
        name
        for role, names in roles.items()
        if role not in but
        for name in as_tuple(names)
    }


def as_tuple(names):
    """Return the name of a column, or those of several, as a tuple."""
    return (names,) if isinstance(names, str) else tuple(names)


def as_name(value):
    """Return a value of a column as the name of a system; None where it is empty."""
    if isinstance(value, float):
        return (
            None
            if value != value
            else str(int(value))
            if value.is_integer()
            else str(value)
        )
    return value


def as_text(values):
    """Return identifiers as text: 7 and 7.0 and "7" are one."""
    return values.map(
        lambda v: str(int(v)) if isinstance(v, float) and v.is_integer() else v
    )
