"""Runs on a Dask cluster: a real scheduler and real workers, processes of this machine,
some of them killed.

Whatever is killed, the rows are those of a run on one machine, or there is one sentence
that says why not.
"""

import contextlib
import importlib.util
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
import small_units

import evalkit
from lab.record import runs
from lab.record.experiment import unit_key

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL"),
    pytest.mark.skipif(
        importlib.util.find_spec("distributed") is None,
        reason="Dask is not installed: make cluster",
    ),
]

N_ROWS = small_units.FIRST + small_units.SECOND
PATHS = [str(Path(evalkit.__file__).parents[1]), str(Path(small_units.__file__).parent)]


def until(condition, seconds=40):
    """Wait until a condition holds and return what it returned."""
    deadline = time.perf_counter() + seconds
    while not (found := condition()):
        assert time.perf_counter() < deadline, f"waited {seconds} s in vain"
        time.sleep(0.02)
    return found


class Cluster:
    """The processes of one test; `folder` holds all that they write."""

    def __init__(self, folder):
        self.folder, self.processes = folder, []
        self.store, self.log = folder / "small_units.sqlite", folder / "log"
        (folder / "recorded").mkdir()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"

    def start(self, *command, paths=PATHS, **environment):
        """Start a Python program in a session of its own, its output in a file."""
        one_thread = dict.fromkeys(
            ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
        )
        path = self.folder / f"output {len(self.processes)}"
        with open(path, "w") as output:
            process = subprocess.Popen(
                [sys.executable, *map(str, command)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                cwd=self.folder,
                env={
                    **os.environ,
                    **one_thread,
                    "PYTHONPATH": os.pathsep.join(paths),
                    "SMALL_LOG": str(self.log),
                    **environment,
                },
            )
        process.output = path
        self.processes.append(process)
        return process

    def scheduler(self, **environment):
        # It needs nothing of ours: only workers load the work.
        scheduler = self.start(
            "-m",
            "dask",
            "scheduler",
            "--host",
            self.address,
            "--dashboard-address",
            "127.0.0.1:0",
            "--no-dashboard",
            "--scheduler-file",
            self.folder / "scheduler.json",
            paths=[],
            **environment,
        )
        until((self.folder / "scheduler.json").exists)
        return scheduler

    def worker(self, threads=1, **options):
        # Without a nanny: killing this process is killing the worker.
        return self.start(
            "-m",
            "dask",
            "worker",
            self.address,
            "--nthreads",
            threads,
            "--no-nanny",
            "--no-dashboard",
            **options,
        )

    def run(self, *more, scheduler=None):
        where = ("--backend", "dask", "--scheduler", scheduler or self.address)
        return self.start(
            small_units.__file__,
            "run",
            "small_units",
            "--quiet",
            "--store",
            self.store,
            "--folder",
            self.folder / "recorded",
            *(more or where),
        )

    def end(self, run, seconds=90):
        """Wait for the end of a run and return its status and output."""
        status = run.wait(seconds)
        return status, run.output.read_text()

    def starts(self):
        """Return (process, stage, number) of every unit that was started."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [(int(line.split()[0]), *line.split()[1:]) for line in lines]

    def held(self):
        """Return the process that sleeps in the middle of the first stage, if one
        does.
        """
        return next(
            (int(path.name.split()[-1]) for path in self.folder.glob("held by *")), None
        )

    def rows(self):
        """Return what must not depend on where the units were run; each unit is there
        once.
        """
        with runs.Store(self.store) as store:
            rows = store.rows()
            assert (
                len(store) == len(rows) == len({unit_key(row["unit"]) for row in rows})
            )
        return [
            (
                row["unit"],
                {
                    name: value
                    for name, value in row["result"].items()
                    if name != "seconds"
                },
            )
            for row in rows
        ]

    def clean_up(self):
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path)
    yield made
    made.clean_up()


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """Return the rows of a run on this machine."""
    made = Cluster(tmp_path_factory.mktemp("local"))
    try:
        status, output = made.end(made.run("--jobs", "2"))
    finally:
        made.clean_up()
    assert status == 0, output
    assert len(made.rows()) == N_ROWS
    return made.rows()


def one_sentence(output):
    """Return the one line that a run ended with."""
    assert output.startswith("lab: ")
    assert output.count("\n") == 1, output
    return output


# --------------------------------------------------------------------------------------
# Killed
# --------------------------------------------------------------------------------------


def test_a_worker_is_killed_and_one_that_comes_late_gets_its_work(cluster, local):
    (cluster.folder / "hold").touch()
    cluster.scheduler()
    run = cluster.run(scheduler=cluster.folder / "scheduler.json")
    until(lambda: "no worker is connected" in run.output.read_text())
    first = cluster.worker()
    assert until(cluster.held) == first.pid
    second = cluster.worker()
    # It has taken over all that was not yet begun.
    until(lambda: len(cluster.starts()) == small_units.FIRST)
    assert run.poll() is None
    first.kill()
    status, output = cluster.end(run)
    assert status == 0, output
    assert f"{N_ROWS} units run, 0 taken from the record, 0 were there" in output
    assert output.count("no worker is connected") == 1
    assert cluster.rows() == local
    assert {pid for pid, *_ in cluster.starts()} == {first.pid, second.pid}
    starts = Counter(start[1:] for start in cluster.starts())
    held = "first", str(small_units.FIRST // 2)
    assert starts - Counter({*starts}) == Counter([held])  # once more than the others


def test_the_submitter_is_killed_half_way(cluster, local):
    cluster.scheduler()
    for _ in range(2):
        cluster.worker()
    run = cluster.run()
    until(lambda: len(cluster.starts()) >= N_ROWS // 2)
    run.kill()
    run.wait()
    before = cluster.rows()
    status, output = cluster.end(cluster.run())
    assert status == 0, output
    assert (
        f"{N_ROWS - len(before)} units run, 0 taken from the record, {len(before)} were"
        " there" in output
    )
    assert 0 < len(before) < N_ROWS
    assert cluster.rows() == local
    # Run twice: what the workers had in hand, and what was on its way.
    assert len(cluster.starts()) <= N_ROWS + 6


def test_the_scheduler_is_killed(cluster, local):
    scheduler = cluster.scheduler()
    for _ in range(2):
        cluster.worker()
    run = cluster.run()
    until(lambda: len(cluster.starts()) >= N_ROWS // 2)
    scheduler.kill()
    status, output = cluster.end(run, 20)
    assert status == 1
    assert (
        f"the connection to the Dask scheduler at {cluster.address} is lost"
        in one_sentence(output)
    )
    before = cluster.rows()
    assert 0 < len(before) < N_ROWS
    # The store is that of any run: this machine can go on alone.
    status, output = cluster.end(cluster.run("--jobs", "2"))
    assert f" {len(before)} were there" in output
    assert cluster.rows() == local


def test_interrupt_from_the_keyboard(cluster):
    cluster.scheduler()
    cluster.worker()
    run = cluster.run()
    until(lambda: len(cluster.starts()) >= 5)
    run.send_signal(signal.SIGINT)
    status, output = cluster.end(run, 20)
    assert status == 130
    assert (
        output
        == f"stopped; what was finished is in {cluster.store}; the same command goes"
        " on\n"
    )
    assert 0 < len(cluster.rows()) < N_ROWS
    # The scheduler has forgotten the rest: no more is begun.
    time.sleep(1)
    begun = len(cluster.starts())
    time.sleep(1)
    assert len(cluster.starts()) == begun < N_ROWS


# --------------------------------------------------------------------------------------
# Refused
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scheduler", "message"),
    [
        ("nowhere.json", "there is no file nowhere.json"),
        ("ftp://there:1", "is not the address"),
        (None, "no Dask scheduler answers at tcp://127.0.0.1:"),
    ],
)
def test_no_scheduler(cluster, scheduler, message):
    status, output = cluster.end(cluster.run(scheduler=scheduler), 30)
    assert status == 1
    assert message in one_sentence(output)


def refused(cluster, **options):
    cluster.scheduler()
    cluster.worker(**options)
    status, output = cluster.end(cluster.run())
    assert status == 1
    assert cluster.starts() == []
    return one_sentence(output)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threads": 2}, "has 2 threads and needs one"),
        ({"MKL_NUM_THREADS": "2"}, "must be started with MKL_NUM_THREADS=1"),
        ({"paths": PATHS[:1]}, "a worker cannot load the work"),
    ],
)
def test_a_worker_that_is_started_wrongly(cluster, options, message):
    assert message in refused(cluster, **options)


def test_a_worker_with_other_code(cluster):
    for name in ("evalkit", "lab", "data"):
        shutil.copytree(f"{PATHS[0]}/{name}", cluster.folder / "other" / name)
    with open(cluster.folder / "other/lab/models.py", "a") as file:
        file.write("# changed\n")
    message = refused(cluster, paths=[str(cluster.folder / "other"), *PATHS[1:]])
    assert "has other versions than the submitter (evalkit and lab " in message


def test_a_failing_unit_is_named(cluster, local):
    (cluster.folder / "fail").touch()
    cluster.scheduler()
    cluster.worker()
    status, output = cluster.end(cluster.run())
    assert status == 1
    named = json.dumps({"table": "first", "number": small_units.FIRST // 2})
    assert f"lab: unit {named} failed: ZeroDivisionError('on purpose')" in one_sentence(
        output
    )
    (cluster.folder / "fail").unlink()
    assert cluster.end(cluster.run())[0] == 0
    assert cluster.rows() == local


def test_a_unit_that_ends_its_workers(cluster):
    # What the system does to the one that asks for too much memory.
    (cluster.folder / "die").touch()
    cluster.scheduler(DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="1")
    for _ in range(3):
        cluster.worker()
    status, output = cluster.end(cluster.run())
    assert status == 1
    # Which unit is named depends on which stood next in line: Dask suspects that one
    # too.
    assert re.search(
        r"2 workers ended while \{'table': 'first', 'number': \d+\} was on",
        one_sentence(output),
    )
    assert len(cluster.rows()) > 0
