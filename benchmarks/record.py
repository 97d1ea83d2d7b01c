"""Write what was measured to data/measured/, with the machine and the versions it was
measured on.
"""

import json
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import pandas as pd

from lab.record import environment

MEASURED = Path(__file__).resolve().parents[1] / "data" / "measured"
PEERS = ("arch", "boon", "mlxtend", "opda", "scikits.bootstrap", "statsmodels")


def save(name, rows, packages=PEERS):
    """Write a table, and its line in provenance.json, with the versions of these
    packages too.
    """
    MEASURED.mkdir(exist_ok=True)
    pd.DataFrame(rows).to_csv(
        MEASURED / f"{name}.csv", index=False, lineterminator="\n"
    )
    describe(name, packages)
    print(f"written: {(MEASURED / name).relative_to(MEASURED.parents[1])}.csv")


def describe(name, packages):
    """Write the line of a table in provenance.json: where and by what it was
    measured.
    """
    path = MEASURED / "provenance.json"
    provenance = json.loads(path.read_text()) if path.exists() else {}
    made_in = dict(environment.environment())
    del made_in["seconds"]  # of the clock on the wall here
    made_in["packages"] = made_in["packages"] | {
        package: metadata.version(package) for package in packages
    }
    provenance[name] = {
        "finished": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        **made_in,
    }
    path.write_text(json.dumps(provenance, indent=1, sort_keys=True) + "\n")
