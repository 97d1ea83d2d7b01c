"""An experiment that costs nothing: what the runner does with units, and with units
that go wrong.
"""

import functools
import json

from lab.data.files import sha256
from lab.record.experiment import Experiment

N_UNITS = 4
TABLES = ("first", "second", "third")
UNITS = [
    {"table": table, "number": number, "label": f"{table} {number}"}
    for table in TABLES
    for number in range(N_UNITS)
]


def reseal(folder):
    """Make the tables in a folder of records those that were recorded, whatever was
    done to them.
    """
    path = folder / "provenance.json"
    provenance = json.loads(path.read_text())
    provenance["sha256"] = {
        table.name: sha256(table.read_bytes()) for table in folder.glob("*.csv")
    }
    path.write_text(json.dumps(provenance))


def _score(table, spoil, ran, **parameters):
    unit = {"table": table, **parameters}
    if spoil:
        spoil(unit)
    if ran is not None:
        ran.append(unit)
    return {"score": 0.1 * parameters["number"] + TABLES.index(table)}


def toy(*, plan=lambda scale, rows: UNITS, spoil=None, ran=None, **changed):
    """Return an experiment of twelve units in three tables.

    `spoil` is called with each unit before it is run; the list `ran` gets each unit
    that was, as long as one process does everything; `changed` are other fields of the
    experiment.
    """

    fields = {
        "name": "toy",
        "compared": {"score": 0.05},
        "plan": plan,
        "tables": {
            table: functools.partial(_score, table, spoil, ran) for table in TABLES
        },
    }
    return Experiment(**{**fields, **changed})


EXPERIMENT = toy()
