"""What an experiment is: a plan of units, and a function for each table of results.

A *unit* is a small dictionary of parameters, one of which names the table that its
result belongs to; no unit depends on the order in which they are run. An experiment is
a value: it holds functions and no state, so a unit gives the same result here, in a
worker and on another machine.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

SCALES = ("recorded", "full")


def _nothing(rows):
    return {}


@dataclass(frozen=True, eq=False)
class Experiment:
    """What is run, recorded and compared.

    Attributes
    ----------
    name : str
        Also the folder in `data/recorded/`.
    compared : dict of str to float or callable
        For each result that a second run must give again, how far it may be off on
        another kind of machine; on the same kind it must be equal. A table may lack
        some of them. Where it depends on the run, a function from the recorded results
        of a row to that number.
    plan : callable
        From a scale, "recorded" or "full", and the rows there are so far to the units
        wanted. A later stage may depend on an earlier one: it appears in the plan once
        its rows are there.
    tables : dict of str to callable
        For each table the function that makes its rows: from the parameters of a unit,
        as keywords, to a dict of results, all JSON values.
    extras : callable, optional
        From all rows, sorted, to a dict of name to DataFrame: tables that are not rows
        of units but belong to them, or follow from them.
    seconds : {"processor", "clock"}
        What the `seconds` of its oldest rows are: those of today are always of the
        processor.
    derived : tuple of str
        Tables that are no runs but computed from released data: each of their units
        takes seconds, and `lab scorecard --check` computes them again.
    """

    name: str
    compared: Mapping[str, float | Callable]
    plan: Callable
    tables: Mapping[str, Callable]
    extras: Callable = _nothing
    seconds: str = "processor"
    derived: tuple = ()

    def run(self, unit):
        """Run one unit, and take the time.

        Parameters
        ----------
        unit : dict
            As `plan` returns them.

        Returns
        -------
        dict
            The results, and `seconds` of processor time.
        """
        parameters = {name: value for name, value in unit.items() if name != "table"}
        start = time.process_time()
        result = self.tables[unit["table"]](**parameters)
        return {**result, "seconds": round(time.process_time() - start, 2)}


def unit_key(unit):
    """Return the identity of a unit: a hash of its parameters, whatever their order.

    Parameters
    ----------
    unit : dict of JSON values

    Returns
    -------
    str
        32 hexadecimal digits.
    """
    canonical = json.dumps(unit, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]
