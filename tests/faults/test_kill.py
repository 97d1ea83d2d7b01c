"""Kill `lab run` at random moments, again and again: the end must be as if nothing had
happened.

`EVALKIT_KILLS` says how often (3). Everything here is real: a process of its own,
worker processes, SIGKILL. Every process inherits the pipe behind its parent's
standard error, so the pipe ends when the last of them has ended; that is how these
tests see workers that linger.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import small_units

from lab.record import runs

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL"),
]

KILLS = int(os.environ.get("EVALKIT_KILLS", "3"))
N_JOBS = 2
N_ROWS = small_units.FIRST + small_units.SECOND
# joblib hands each worker one unit and queues one more for it; one more still can have
# ended and be on its way to the store. A run may lose no more than these.
IN_FLIGHT = 3 * N_JOBS
# Workers without a parent are of no use to anyone.
LINGER_SECONDS = 10


class Run:
    """`lab run small_units` in a process of its own; `folder` holds all that it
    writes.
    """

    def __init__(self, folder):
        self.store, self.recorded = folder / "small_units.sqlite", folder / "recorded"
        self.log = folder / "log"
        self.started = time.perf_counter()
        command = [
            sys.executable,
            Path(small_units.__file__),
            "run",
            "small_units",
            "--quiet",
            "--export",
            "--jobs",
            str(N_JOBS),
            "--store",
            self.store,
            "--folder",
            self.recorded,
        ]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # a process group of its own, so that we can kill all of it
            start_new_session=True,
            env=os.environ | {"SMALL_LOG": str(self.log)},
        )

    def ended_by(self, moment):
        """Wait until `moment` seconds after the start; tell whether the run ended
        before.
        """
        try:
            self.process.wait(max(0, self.started + moment - time.perf_counter()))
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self, group):
        """Kill the run and return its exit status: 0 if it was over in that very
        moment.
        """
        (os.killpg if group else os.kill)(self.process.pid, signal.SIGKILL)
        return self.process.wait(10)

    def wait_for_all(self, timeout):
        """Wait until the last process of this run has ended and return what they
        wrote.
        """
        return self.process.communicate(timeout=timeout)

    def finish(self):
        """Wait for the good end of the run; `seconds` says how long it took."""
        out, error = self.wait_for_all(600)
        assert self.process.returncode == 0, error
        assert error == ""
        assert f"holds {N_ROWS}\n" in out
        self.seconds = time.perf_counter() - self.started

    def clean_up(self):
        """Let no process of this run go on."""
        if not self.process.stderr.closed:
            with contextlib.suppress(ProcessLookupError):  # they ended by themselves
                os.killpg(self.process.pid, signal.SIGKILL)
            self.wait_for_all(10)
        # Killed together, no process is left to remove the shared names of locks and
        # folders.
        for pattern in (
            f"sem.loky-{self.process.pid}-*",
            f"joblib_memmapping_folder_{self.process.pid}_*",
        ):
            for path in Path("/dev/shm").glob(pattern):
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def starts(self):
        """Return (session, stage, number) of every unit that was started, in this run
        and in earlier ones.
        """
        return (
            [line.split() for line in self.log.read_text().splitlines()]
            if self.log.exists()
            else []
        )

    def own_starts(self):
        """Count the units that this run and its workers started."""
        return sum(session == str(self.process.pid) for session, *_ in self.starts())

    def rows(self):
        """Open the store, as the next run will, and return its rows."""
        with runs.Store(self.store) as store:
            rows = store.rows()  # raises if a row is not whole
            assert len(store) == len(rows)
        return rows


def outcome(run):
    """Return all that must not depend on how often a run was killed."""
    rows = run.rows()
    result = [
        {k: v for k, v in row["result"].items() if k != "seconds"}
        | {"unit": row["unit"]}
        for row in rows
    ]
    frames = {}
    for path in sorted(run.recorded.glob("*.csv")):
        # The code's version is left out too: someone may commit while this test runs.
        frames[path.name] = pd.read_csv(path).drop(
            columns=["seconds", "finished", "environment"]
        )
    text = {name: frame.to_csv() for name, frame in frames.items()}
    return {"rows": result, "csv": text}


@pytest.fixture(scope="module")
def start():
    """Return a function that starts a run in a folder; none goes on after these
    tests.
    """
    started = []

    def start(folder):
        started.append(Run(folder))
        return started[-1]

    yield start
    for run in started:
        run.clean_up()


@pytest.fixture(scope="module")
def undisturbed(start, tmp_path_factory):
    """Return the outcome of a run that nobody kills, and its seconds."""
    run = start(tmp_path_factory.mktemp("undisturbed"))
    run.finish()
    assert len(run.starts()) == N_ROWS
    expected = outcome(run)
    assert len(expected["rows"]) == N_ROWS
    assert {*expected["csv"]} == {"first.csv", "second.csv"}
    return expected, run.seconds


def run_killed(start, folder, group, rng, duration, at_most):
    """Run to the end, killed at a random moment after each start; check the store after
    each kill.

    Moments are uniform over `duration`, that of a whole run: imports, two stages,
    export. Return the last run and, for each kill, the killed run and the numbers of
    rows before and after.
    """
    kills, rows = [], []
    while True:
        run = start(folder)
        if (
            len(kills) == at_most
            or run.ended_by(rng.uniform(0, duration))
            or run.kill(group) == 0
        ):
            run.finish()
        # Workers whose parent was killed may have gone on beside this run, but no
        # longer.
        if kills:
            kills[-1][0].clean_up()
        before, rows = rows, run.rows()
        # What was there is there, and nothing in it has changed.
        assert [row for row in rows if row in before] == before
        if run.process.returncode == 0:
            return run, kills
        kills.append((run, len(before), len(rows)))


@pytest.mark.parametrize("group", [True, False], ids=["all processes", "parent only"])
def test_killed_runs_end_as_undisturbed_ones(start, undisturbed, tmp_path, group):
    expected, duration = undisturbed
    rng = np.random.default_rng(2020 + group)
    lost, stores = [], 0
    # A run that is done before its moment has come leaves kills over for another store.
    while stores == 0 or len(lost) < KILLS:
        stores += 1
        folder = tmp_path / f"store {stores}"
        folder.mkdir()
        run, kills = run_killed(
            start, folder, group, rng, duration, at_most=KILLS - len(lost)
        )
        if not kills:
            # The machine is less busy than before: let fewer runs escape.
            duration = min(duration, run.seconds)
        assert outcome(run) == expected
        lost_here = [
            killed.own_starts() - (after - before) for killed, before, after in kills
        ]
        assert all(0 <= n <= IN_FLIGHT for n in lost_here)
        # Each unit was run once, and once more for each time that it was in flight at a
        # kill.
        assert len({(stage, n) for _, stage, n in run.starts()}) == N_ROWS
        assert len(run.starts()) == N_ROWS + sum(lost_here)
        lost += lost_here
    assert len(lost) == KILLS


def wait_for_starts(run):
    """Wait until some rows are there."""
    deadline = time.perf_counter() + 600
    while len(run.starts()) < 5 + IN_FLIGHT and time.perf_counter() < deadline:
        time.sleep(0.05)
    assert run.process.poll() is None


def test_workers_do_not_outlive_their_parent(start, tmp_path):
    run = start(tmp_path)
    wait_for_starts(run)
    assert run.kill(group=False) == -signal.SIGKILL
    try:
        run.wait_for_all(LINGER_SECONDS)
    except subprocess.TimeoutExpired:
        pytest.fail(
            f"workers still there {LINGER_SECONDS} s after their parent was killed"
        )


def test_interrupt_from_the_keyboard(start, undisturbed, tmp_path):
    run = start(tmp_path)
    wait_for_starts(run)
    # A terminal sends it to parent and workers alike.
    os.killpg(run.process.pid, signal.SIGINT)
    _, error = run.wait_for_all(30)
    assert run.process.returncode == 130
    assert (  # workers say nothing
        error
        == f"stopped; what was finished is in {run.store}; the same command goes on\n"
    )
    assert 5 <= len(run.rows()) < N_ROWS
    again = start(tmp_path)
    again.finish()
    assert outcome(again) == undisturbed[0]
