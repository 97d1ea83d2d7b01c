"""The recorded rows, as the judges ask for them."""

import functools
from dataclasses import dataclass

from evalkit.papers.bajgar2018.tasks.kept import Kept
from evalkit.papers.judging import MissingRunsError
from evalkit.papers.rows import Rows


@dataclass(frozen=True, eq=False)
class Record(Rows):
    """The recorded rows, unit by unit as well."""

    @functools.cached_property
    def _units(self):
        return {
            (row["unit"]["table"], frozenset((k, v) for k, v in row["unit"].items() if k != "table")): row[
                "result"
            ]
            for row in self.rows
        }

    def one(self, table, **unit):
        """Return the results of one unit; an error if it is not there.

        Parameters
        ----------
        table : str
        **unit
            Its parameters.

        Returns
        -------
        dict
        """
        try:
            return self._units[table, frozenset(unit.items())]
        except KeyError:
            raise MissingRunsError(f"no row of {table} with {unit}") from None

    def kept(self, name, table, **unit):
        """Return a statistic with its recorded interval.

        Parameters
        ----------
        name : str
            The column.
        table : str
        **unit

        Returns
        -------
        Kept
        """
        return Kept.read(self.one(table, **unit)[name])
