"""Run a slice of recorded rows again after their code has changed, and keep the old hash beside the new.

    python book/_tools/same_code.py [NAME ...] [--units N]

Rows are never stamped anew. Where every result of a slice comes out as recorded, bit for bit on the same kind
of machine, the hashes of the recorded code and of today's stand in data/same_code.csv, with how many units
were run and how many results were equal to the last bit. Where one differs, nothing is written, and the rows
have to be run again.
"""

import argparse
import importlib
import sys
from datetime import UTC, datetime

import numpy as np
import pandas as pd

from evalkit._files import write_atomically
from lab.cli import EXPERIMENTS
from lab.record import runs, tables
from lab.record.hashes import SAME_CODE, code_hash


def compare(name, n_units):
    """Run a slice of the rows of other code; return a line for the map for each of its hashes, or None."""
    experiment = importlib.import_module(EXPERIMENTS[name]).EXPERIMENT
    here, known = code_hash(experiment), pd.read_csv(SAME_CODE) if SAME_CODE.exists() else None
    rows = tables.recorded_rows(name)
    before = {row["environment"].get("source") for row in rows} - {here, None}
    if known is not None:
        before -= set(known.recorded[(known.experiment == name) & (known.now == here)])
    if not before:
        return []
    with runs.Store(runs.default_store(name, of_slice=True)) as store:
        found = runs.check_slice(experiment, store, n_units=n_units, rng=np.random.default_rng(0))
    if not found.agrees.all():
        print(found[~found.agrees].to_string(), file=sys.stderr)
        return None
    equal = f"{int((found.recorded == found.fresh).sum())} of {len(found)}"
    ran = {"now": here, "units": found.unit.nunique(), "equal": equal}
    ran["date"] = datetime.now(UTC).date().isoformat()
    return [{"experiment": name, "recorded": old, **ran} for old in sorted(before)]


def main():
    """Compare each experiment, and write what came out the same."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="experiments (default: all)")
    parser.add_argument("--units", type=int, default=12, help="of each experiment (default: 12)")
    options = parser.parse_args()
    status = 0
    for name in options.names or sorted(EXPERIMENTS):
        lines = compare(name, options.units)
        print(f"{name}: {'differs' if lines is None else f'{len(lines)} hashes'}", flush=True)
        status = max(status, int(lines is None))
        if lines:
            old = pd.read_csv(SAME_CODE) if SAME_CODE.exists() else pd.DataFrame()
            table = pd.concat([old, pd.DataFrame(lines)]).drop_duplicates(["experiment", "recorded", "now"])
            table = table.sort_values(["experiment", "recorded", "now"])
            write_atomically(SAME_CODE, table.to_csv(index=False, lineterminator="\n").encode())
    return status


if __name__ == "__main__":
    sys.exit(main())
