"""What one file held: the common form of all formats."""

from dataclasses import dataclass, field

import pandas as pd

from evalkit.reports._faults import count, placed


@dataclass(frozen=True, eq=False)
class Reading:
    """What one file held.

    Attributes
    ----------
    format : str
        In words.
    frame : pandas.DataFrame
        A row as the format has them, numbers as floats, everything else as strings or
        None.
    roles : dict of str to str, or to tuple of str
        The columns that the format itself names: no guess.
    names : dict of str to str
        What the system may be called, by where the name comes from, where one file is
        one system.
    facts : dict
        What the format says beside its rows, such as the direction of its metrics:
        `notes`, `items`, `metrics`, `higher`, `trials`, `settings`, `folds`,
        `n_resources`, `guided`, `task_by_file`, and `two_ways` (columns that stay
        words, for their numbers can be read in two ways).
    left_out : tuple of (int, str)
        Rows that are not in the frame, and why.
    place : str
        The file.
    inputs : tuple of str
        Every file that was opened for it, this one first, by their real paths.
    sha256 : str
    """

    format: str
    frame: pd.DataFrame
    roles: dict = field(default_factory=dict)
    names: dict = field(default_factory=dict)
    facts: dict = field(default_factory=dict)
    left_out: tuple = ()
    place: str = ""
    inputs: tuple = ()
    sha256: str = ""

    @property
    def n_rows(self):
        """Of the file, with those that are left out."""
        return len(self.frame) + sum(n for n, _ in self.left_out)


def listing(readings):
    """Return what was read as lines: the first files, and how many more there are."""
    lines = [
        f"{placed(r.place)}: {r.format}, {count(r.n_rows, 'row')}" for r in readings[:3]
    ]
    if more := readings[3:]:
        lines.append(
            f"and {count(len(more), 'more file')},"
            f" {count(sum(r.n_rows for r in more), 'row')}"
        )
    return lines
