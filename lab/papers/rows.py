"""The recorded rows of a paper's experiment, as its judges ask for them."""

import functools
from dataclasses import dataclass

import pandas as pd

from lab.papers.judging import MissingRunsError


@dataclass(frozen=True, eq=False)
class Rows:
    """Recorded rows, table by table.

    Attributes
    ----------
    rows : list of dict
        As `lab.record.tables.recorded_rows` returns them.
    """

    rows: list

    @functools.cached_property
    def _tables(self):
        by_table = {}
        for row in self.rows:
            by_table.setdefault(row["unit"]["table"], []).append(
                {**row["unit"], **row["result"]}
            )
        return {name: pd.DataFrame(members) for name, members in by_table.items()}

    def table(self, name, at_least=1, **where):
        """Return the rows of a table with given values; an error if too few are there.

        Parameters
        ----------
        name : str
        at_least : int, default 1
        **where
            A value for each of some columns.

        Returns
        -------
        pandas.DataFrame
        """
        table = self._tables.get(name, pd.DataFrame(columns=list(where)))
        for column, value in where.items():
            table = table[table[column] == value]
        if len(table) < at_least:
            raise MissingRunsError(
                f"{len(table)} of {at_least} rows of {name} with {where}"
            )
        return table
