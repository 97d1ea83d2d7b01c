"""An experiment that costs nothing: what the runner does with units, and with units that go wrong."""

import json

from evalkit._files import sha256

N_UNITS = 4
TABLES = ("first", "second", "third")
UNITS = [{"table": t, "number": i, "of": f"{t} {i}"} for t in TABLES for i in range(N_UNITS)]


def reseal(folder):
    """Make the tables in a folder of records those that were recorded, whatever was done to them."""
    path = folder / "provenance.json"
    provenance = json.loads(path.read_text())
    provenance["sha256"] = {table.name: sha256(table.read_bytes()) for table in folder.glob("*.csv")}
    path.write_text(json.dumps(provenance))


class Toy:
    """Twelve units in three tables; `spoil`, if given, is called with each unit before it is run."""

    name = "toy"

    def __init__(self, units=UNITS, spoil=None):
        self.compared = {"score": 0.05}
        self.units = units
        self.spoil = spoil
        self.ran = []  # seen by the caller only when one process does everything

    def plan(self, scale, rows):
        return self.units

    def run(self, unit):
        if self.spoil:
            self.spoil(unit)
        self.ran.append(unit)
        return {"score": 0.1 * unit["number"] + TABLES.index(unit["table"]), "seconds": 0.0}


EXPERIMENT = Toy()
