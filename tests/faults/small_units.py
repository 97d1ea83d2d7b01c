"""Small units in two stages, for killing: on one machine, or a cluster of processes.

Called as a program it is `lab` with this one experiment. `SMALL_LOG` names a file that
gets a line for each unit that starts: its session, stage and number. What else happens
is asked for by files beside it, so that a test decides when: where there is one called
`hold`, the unit in the middle of the first stage takes its name away and sleeps until
its process is killed; `fail` lets that unit fail, and `die` end its process.
"""

import contextlib
import functools
import os
import signal
import sys
import time
from pathlib import Path

from lab import __main__, cli
from lab.record.experiment import Experiment

FIRST, SECOND = 24, 16


def plan(scale, rows):
    """Return draws, then more draws that start at the largest of the first."""
    first = [{"table": "first", "number": i} for i in range(FIRST)]
    found = [row["result"]["score"] for row in rows if row["unit"]["table"] == "first"]
    if len(found) < FIRST:
        return first
    return first + [
        {"table": "second", "number": i, "start": max(found)} for i in range(SECOND)
    ]


def _draw(table, number, start=0.0):
    # not above: an interrupt before the command line begins is nobody's to explain
    import numpy as np

    log = Path(os.environ["SMALL_LOG"])
    file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    # One write of a few bytes at the end of a file is not torn, whoever else writes.
    os.write(file, f"{os.getsid(0)} {table} {number}\n".encode())
    os.close(file)
    if table == "first" and number == FIRST // 2:
        with contextlib.suppress(FileNotFoundError):
            (log.parent / "hold").rename(log.parent / f"held by {os.getpid()}")
            time.sleep(300)
        if (log.parent / "fail").exists():
            raise ZeroDivisionError("on purpose")
        if (log.parent / "die").exists():
            os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.1)
    rng = np.random.default_rng([FIRST, number])
    return {"score": start + rng.normal(size=10_000).max()}


EXPERIMENT = Experiment(
    name="small_units",
    compared={},
    plan=plan,
    tables={table: functools.partial(_draw, table) for table in ("first", "second")},
)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    cli.EXPERIMENTS["small_units"] = "small_units"
    sys.exit(__main__.main())
