"""Work sent to other machines, through a Dask scheduler.

joblib has a Dask backend of its own. It was tried and not taken: it counts the workers
once, so that one that comes later gets nothing to do, and it waits for ever when the
scheduler has gone. What is left is short: each item is a task of Dask's, and results
are handed on as they arrive.
"""

import contextlib
import logging
import os
import sys
import time
from concurrent.futures import CancelledError
from pathlib import Path

from lab import _extras

BACKENDS = ("loky", "dask")
MOST_JOBS = 1024

# A scheduler that is there answers in milliseconds, across a continent in one second.
TIMEOUT = 5
_POLL = 0.02

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def check_worker():
    """Raise a RuntimeError unless the Dask worker that calls this runs one thing at a
    time.

    Two units in two threads of a process would share torch's random state, and each
    other's cores.
    """
    from distributed import get_worker

    worker = get_worker()
    if worker.state.nthreads != 1:
        raise RuntimeError(
            f"the worker {worker.address} has {worker.state.nthreads} threads and needs"
            " one, for two units in a process disturb each other: dask worker"
            " --nthreads 1 --nworkers N"
        )
    if wrong := [variable for variable in THREADS if os.environ.get(variable) != "1"]:
        raise RuntimeError(
            f"the worker {worker.address} must be started with {wrong[0]}=1"
        )


def worker_address():
    """Return the address of the Dask worker that calls this.

    Returns
    -------
    str
    """
    from distributed import get_worker

    return get_worker().address


@contextlib.contextmanager
def _quiet():
    """Keep back what Dask writes when a connection ends, tracebacks mostly: we say it
    in a sentence.
    """
    # Dask sets a level for some of the names below these two, so it takes all of them.
    names = [
        n
        for n in logging.root.manager.loggerDict
        if n.partition(".")[0] in ("distributed", "tornado")
    ]
    levels = {name: logging.getLogger(name).level for name in names}
    try:
        for name in names:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


@contextlib.contextmanager
def _connected(scheduler):
    _extras.need("cluster", "the backend dask, here and on every worker,")
    from distributed import Client, comm

    where = {"address": scheduler}
    if str(scheduler).endswith(".json"):
        if not Path(
            scheduler
        ).exists():  # Dask would wait for it, for ever and in silence
            raise RuntimeError(
                f"there is no file {scheduler}; dask scheduler --scheduler-file"
                " writes it"
            )
        where = {"scheduler_file": str(scheduler)}
    else:
        try:
            comm.get_address_host_port(scheduler)
        except ValueError as error:
            raise RuntimeError(
                f"{scheduler} is not the address of a scheduler, as tcp://host:8786"
                f" ({error})"
            ) from None
    with _quiet():
        try:
            client = Client(**where, timeout=TIMEOUT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise RuntimeError(
                f"no Dask scheduler answers at {scheduler} ({_first_line(error)}); is"
                " it started, and is this its address?"
            ) from None
        with contextlib.closing(client):
            yield client


def _first_line(error):
    return (str(error).splitlines() or [type(error).__name__])[0]


def arriving(function, items, scheduler):
    """Yield `function(item)` for each of the items, in the order in which the workers
    of a cluster end.

    A worker may come at any time. What one had in hand when it went is given to
    another. Where there is no worker, standard error says so.

    Parameters
    ----------
    function : callable
        Of an item; both go to the workers by pickle, which must be able to import what
        they name.
    items : list
    scheduler : str
        The address of a Dask scheduler, or the file (`.json`) into which it wrote it.

    Yields
    ------
    object

    Raises
    ------
    RuntimeError
        If no scheduler answers, or it goes; if several workers ended with one item on
        them. What the function raises is raised here. Items that have begun then go on
        to their end, for nobody.
    """
    with _connected(scheduler) as client:
        import cloudpickle
        from distributed import as_completed
        from distributed.comm import CommClosedError

        work = cloudpickle.dumps(function)

        # Dask sends a function inside a function as it stands: so the scheduler, which
        # opens each task, need not have evalkit and lab, and what a worker lacks is an
        # error of its own task.
        def run(item):
            import pickle

            return pickle.loads(work)(item)

        # pure=False: a name of its own for each task, so that two runs on one cluster
        # stay apart.
        futures = client.map(run, items, pure=False)
        items_by_key = {
            future.key: item for future, item in zip(futures, items, strict=True)
        }
        done = as_completed(futures, loop=client.loop)
        # as_completed holds those that have not arrived; the others can be forgotten.
        del futures
        waiting = _Waiting(client, scheduler)
        try:
            while items_by_key:
                if not done.has_ready():
                    waiting.look()
                    time.sleep(_POLL)  # short: between two looks Ctrl-C works
                    continue
                for future in done.next_batch(block=False):
                    try:
                        result = future.result(timeout=TIMEOUT)
                    except TimeoutError:
                        # Its worker went before we had it: it is being run again.
                        done.add(future)
                        continue
                    except (CancelledError, CommClosedError):  # nobody here cancels
                        _gone(scheduler)
                    except Exception as error:
                        _explain(error, items_by_key[future.key])
                    del items_by_key[future.key]
                    yield result
        finally:
            if client.status == "running":
                client.cancel(list(done.futures))


class _Waiting:
    """While nothing arrives: look whether the scheduler is there, and has workers."""

    def __init__(self, client, scheduler):
        self.client, self.scheduler = client, scheduler
        self.next_look = time.monotonic() + 2
        self.said = False

    def look(self):
        if self.client.status != "running":
            _gone(self.scheduler)
        if time.monotonic() < self.next_look:
            return
        self.next_look = time.monotonic() + 2
        # It went in this moment: its status will say so.
        with contextlib.suppress(OSError):
            workers = self.client.scheduler_info(n_workers=1)["n_workers"]
            if not workers and not self.said:
                print(
                    f"no worker is connected to {self.scheduler}; waiting for one (dask"
                    f" worker {self.client.scheduler.address} --nthreads 1), Ctrl-C"
                    " stops",
                    file=sys.stderr,
                )
            self.said = not workers


def _gone(scheduler):
    raise RuntimeError(
        f"the connection to the Dask scheduler at {scheduler} is lost; what had arrived"
        " is saved, call again to go on"
    ) from None


def _explain(error, item):
    """Raise what the failure of one task means."""
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        # Dask suspects what was next in line on a worker as much as what ran on it.
        raise RuntimeError(
            f"{error.allowed_failures + 1} workers ended while {item} was on them,"
            " running or next in line: does it, or what ran before it, need more"
            " memory than they have?"
        )
    if isinstance(error, (ImportError, AttributeError)):
        raise RuntimeError(
            f"a worker cannot load the work ({error!r}): install evalkit and lab there"
            " from the same checkout"
        )
    raise error
