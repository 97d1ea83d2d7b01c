"""Run a slice of recorded rows again after their code has changed, and keep the old
hash beside the new.

    python book/_tools/same_code.py [NAME ...] [--units N] [--longest SECONDS]

Rows are never stamped anew. Of each table, and of each version of the code that made
rows of it, a few units are run. Where every result of an experiment comes out as
recorded, to the last bit on the same kind of machine and elsewhere as near as `lab
check` asks, data/same_code.csv has a line for each: the hash of the recorded code
(empty where rows are older than such hashes) and of today's, how many units were run,
and how many results were equal to the last bit. Where one differs, nothing is written,
and the rows have to be run again. Lines of rows that are no longer recorded go.
"""

import argparse
import importlib
import os
import sys
from datetime import UTC, datetime

import numpy as np
import pandas as pd

from evalkit._files import write_atomically
from lab import _extras, clusters
from lab.cli import EXPERIMENTS
from lab.data.files import read_csv
from lab.record import runs, tables
from lab.record.hashes import SAME_CODE, code_hash

_COLUMNS = ["experiment", "table", "recorded", "now", "units", "equal", "date"]


def chosen(experiment, n_units, longest):
    """Return the units to run: by table and hash of the recorded code, rows of other
    code than today's.
    """
    here, rng = code_hash(experiment), np.random.default_rng(0)
    rows = {}
    for row in tables.in_order(tables.recorded_rows(experiment.name)):
        recorded = row["environment"].get("source", "")
        if recorded != here and not _extras.lacking(experiment.needs(row["unit"])):
            rows.setdefault((row["unit"]["table"], recorded), []).append(row)
    slices = {}
    for key, members in sorted(rows.items()):
        members = sorted(
            members, key=lambda row: tables.recorded_number(row, "seconds")
        )
        quick = [
            row for row in members if tables.recorded_number(row, "seconds") <= longest
        ]
        # Where all take long, the quickest has to do.
        slices[key] = list(rng.permutation(quick)[:n_units]) or members[:1]
    return slices


def compare(name, n_units, longest):
    """Run a slice of the rows of other code; return the lines of the map for it, or
    None if one differs.
    """
    experiment = importlib.import_module(EXPERIMENTS[name]).EXPERIMENT
    lines, differing, day = [], [], datetime.now(UTC).date().isoformat()
    with runs.Store(runs.default_store(name, of_slice=True)) as store:
        for (table, recorded), rows in chosen(experiment, n_units, longest).items():
            equal = count = 0
            for row, again in zip(
                rows, runs.run_afresh(experiment, rows, store), strict=True
            ):
                unequal = [
                    column for column in row["result"] if not _same(row, again, column)
                ]
                equal += len(row["result"]) - 1 - len(unequal)
                count += len(row["result"]) - 1  # without the seconds
                if runs.must_be_equal(experiment, row, again):
                    differing += [f"{row['unit']}: {column}" for column in unequal]
                else:
                    compared = runs.compare_results(experiment, row, again)
                    differing += [str(line) for line in compared if not line["agrees"]]
            lines.append(
                (
                    name,
                    table,
                    recorded,
                    code_hash(experiment),
                    len(rows),
                    f"{equal} of {count}",
                    day,
                )
            )
    print("\n".join(differing), end="\n" * bool(differing), file=sys.stderr)
    return None if differing else lines


def _same(row, again, column):
    """Tell whether a result is equal to the last bit."""
    return column == "seconds" or again["result"].get(column) == row["result"][column]


def write(name, lines):
    """Put the lines of one experiment in the place of those it had, and drop what is of
    no recorded row.
    """
    before = (
        read_csv(SAME_CODE, _COLUMNS)
        if SAME_CODE.exists()
        else pd.DataFrame(columns=_COLUMNS)
    )
    known = {
        (experiment, row["unit"]["table"], row["environment"].get("source", ""))
        for experiment in EXPERIMENTS
        for row in tables.recorded_rows(experiment)
    }
    kept = [
        line
        for line in before.itertuples(index=False)
        if line.experiment != name
        and (line.experiment, line.table, line.recorded) in known
    ]
    table = pd.DataFrame([*kept, *lines], columns=_COLUMNS).sort_values(_COLUMNS[:3])
    write_atomically(SAME_CODE, table.to_csv(index=False, lineterminator="\n").encode())


def main():
    """Compare each experiment, and write what came out the same."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="experiments (default: all)"
    )
    parser.add_argument(
        "--units", type=int, default=2, help="of each table and version (default: 2)"
    )
    parser.add_argument(
        "--longest",
        type=float,
        default=60.0,
        help="seconds that one took (default: 60)",
    )
    options = parser.parse_args()
    if unknown := sorted(set(options.names) - set(EXPERIMENTS)):
        parser.error(
            f"unknown: {', '.join(unknown)}; there are:"
            f" {', '.join(sorted(EXPERIMENTS))}"
        )
    # As `lab run` has it, before a worker imports torch or a BLAS: each unit has one
    # core to itself.
    for variable in clusters.THREADS:
        os.environ.setdefault(variable, "1")
    status = 0
    for name in options.names or sorted(EXPERIMENTS):
        lines = compare(name, options.units, options.longest)
        if lines is None:
            status = 1
        else:
            write(name, lines)
        said = (
            "differs"
            if lines is None
            else f"{sum(line[4] for line in lines)} units agree"
        )
        print(f"{name}: {said}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
