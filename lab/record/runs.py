"""Long experiments that survive being killed.

An experiment is a list of *units*: small dictionaries of parameters, each with a result
that does not depend on the others. Results go into an SQLite file one by one, as they
arrive. Whatever kills the run, what had arrived is there, what had not is run again,
and nothing is counted twice, for a unit's parameters are its key::

    experiment.plan() -> units -> joblib workers -> Store (SQLite) ->
    data/recorded/<name>/*.csv
                                                        ^------------ a fresh clone
                                                        begins here
"""

import contextlib
import csv
import functools
import io
import itertools
import json
import math
import os
import platform
import signal
import sys
import threading
import time
import warnings
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd

from evalkit._checks import check_choice, check_int, check_rng
from evalkit._extras import MissingExtraError
from lab import clusters
from lab.data import DATA, DataError
from lab.data.files import sha256, write_together
from lab.record.environment import environment, same_machine_kind, source_hash
from lab.record.experiment import SCALES, unit_key
from lab.record.hashes import (
    made_by,
    of_other_code,
    other_code,
    settle,
    version_of,
)
from lab.record.store import Store as Store
from lab.record.store import short_hash
from lab.record.tables import (
    LACKING,
    ORIGIN,
    PROVENANCE,
    by_size,
    in_order,
    recorded_folder,
    recorded_number,
    recorded_rows,
    to_cell,
    unpack,
)

# --------------------------------------------------------------------------------------
# Recorded rows: one CSV a table and one provenance file, readable by a person
# --------------------------------------------------------------------------------------


def _cells(values, names):
    # What a row does not have is an empty cell; null would be a value.
    return [to_cell(values[name]) if name in values else "" for name in names]


def _csv_bytes(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _layout(table, members):
    """Return the names of the parameters and of the results of a table's rows."""
    parameters = list(
        dict.fromkeys(k for row in members for k in row["unit"] if k != "table")
    )
    results = list(dict.fromkeys(k for row in members for k in row["result"]))
    columns = [*parameters, *results, *ORIGIN]
    if twice := sorted({c for c in columns if columns.count(c) > 1}):
        raise ValueError(
            f"{table}.csv cannot have two columns called {', '.join(twice)}"
        )
    return parameters, results


def extra_csv(frame):
    """Write a table that follows from the rows as it is recorded.

    Parameters
    ----------
    frame : pandas.DataFrame

    Returns
    -------
    bytes
    """
    return frame.to_csv(index=False, lineterminator="\n").encode()


def export(experiment, rows, folder):
    """Write rows as CSV files with their provenance.

    Parameters
    ----------
    experiment : lab.record.experiment.Experiment
    rows : list of dict
        As `Store.rows` returns them.
    folder : path-like
        Whenever this is cut off, the readers find the old rows or the new ones there,
        whole. Rows that were read from it and are written again give the same bytes.

    Returns
    -------
    list of pathlib.Path
        The files written.
    """
    tables, layout, environments, contents = {}, {}, {}, {}
    # In the order of the keys, whoever gives the rows: the order of the columns depends
    # on it.
    rows = sorted(rows, key=lambda row: unit_key(row["unit"]))
    for row in rows:
        tables.setdefault(row["unit"]["table"], []).append(row)
    for table, members in sorted(tables.items()):
        parameters, results = _layout(table, members)
        lines = []
        for row in members:
            made_in = short_hash(json.dumps(row["environment"], sort_keys=True))
            environments[made_in] = row["environment"]
            cells = _cells(row["unit"], parameters) + _cells(row["result"], results)
            lines.append([*cells, row["finished"], made_in])
        lines.sort(key=lambda line: [by_size(cell) for cell in line[: len(parameters)]])
        contents[f"{table}.csv"] = _csv_bytes(
            [[*parameters, *results, *ORIGIN], *lines]
        )
        layout[table] = {
            "rows": len(lines),
            "parameters": parameters,
            "results": results,
        }
    extras = experiment.extras(in_order(rows))
    for name, frame in extras.items():
        for identity, why in frame.attrs.get(LACKING, {}).items():
            raise DataError(f"{name}.csv cannot be written without {identity}: {why}")
        contents[f"{name}.csv"] = extra_csv(frame)
    provenance = {
        "command": f"lab run {experiment.name} --export",
        "tables": layout,
        "extras": {name: len(frame) for name, frame in sorted(extras.items())},
        # Of which clock the column `seconds` is: environments of today say it
        # themselves.
        "seconds": {
            made_in: environments[made_in].get("seconds", experiment.seconds)
            for made_in in sorted(environments)
        },
        "environments": dict(sorted(environments.items())),
        "sha256": {name: sha256(content) for name, content in sorted(contents.items())},
    }
    contents[PROVENANCE] = (json.dumps(provenance, indent=1) + "\n").encode()
    return write_together(folder, contents, PROVENANCE)


# --------------------------------------------------------------------------------------
# Running
# --------------------------------------------------------------------------------------


@functools.cache  # one watch in each worker, however many units it runs
def _end_with(parent):
    """Let this worker end soon after its parent has, however that came: joblib's stay
    for minutes.
    """

    def watch():
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextlib.contextmanager
def spared():
    """Let the processes that are started in this block ignore Ctrl-C; one that comes
    meanwhile waits.

    Yields
    ------
    None
    """
    from multiprocessing import resource_tracker  # not needed, and slow, for --help

    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    # multiprocessing starts this process beside the first others, and would then
    # unblock the signal.
    resource_tracker.ensure_running()
    # Processes and threads inherit what is blocked; here it stays pending. A thread
    # from before, such as BLAS's, may still be handed it: it is kept for the end.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    came = []
    handler = signal.signal(signal.SIGINT, lambda *_: came.append(True))
    # loky's process that removes what an interrupt left behind would warn that it did.
    given = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(
        filter(None, [given, "ignore:resource_tracker"])
    )
    try:
        yield
    finally:
        if given is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = given
        signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if came:
            signal.raise_signal(signal.SIGINT)


class _Enough(Exception):  # noqa: N818 - it is none
    """What is thrown into a generator to end it."""


def close(arriving):
    """Close a generator of joblib's, whose workers may still be at it.

    Parameters
    ----------
    arriving : generator
    """
    # Its own `close` lets joblib warn of what an interrupt means to do.
    with contextlib.suppress(_Enough):
        arriving.throw(_Enough)


def _run_unit(experiment, unit):
    try:
        result = experiment.run(unit)
        json.dumps(result, allow_nan=False)
    except MissingExtraError:
        raise  # it says the way on
    except Exception as error:
        raise RuntimeError(f"unit {json.dumps(unit)} failed: {error!r}") from error
    finished = datetime.now(UTC).isoformat(timespec="seconds")
    return unit, result, environment(), finished


def _run_here(experiment, unit, parent):
    if os.name == "posix" and os.getpid() != parent:
        _end_with(parent)
    return _run_unit(experiment, unit)


def _software():
    """Return what must be equal on all machines of a run; their CPUs and systems may
    differ.
    """
    return {
        "Python": platform.python_version().rpartition(".")[0],
        **environment()["packages"],
        "evalkit and lab": source_hash(),
    }


def _run_on_worker(unit, *, experiment, software):
    # With each unit and not once at the start: a worker can come late, or begin anew
    # after an update.
    clusters.check_worker()
    here = _software()
    if differing := [name for name in software if here.get(name) != software[name]]:
        versions = ", ".join(
            f"{name} {here.get(name)} there, {software[name]} here"
            for name in differing
        )
        raise RuntimeError(
            f"the worker {clusters.worker_address()} has other versions than the"
            f" submitter ({versions}); bring it to the same ones and start it again"
        )
    return _run_unit(experiment, unit)


@dataclass(frozen=True)
class Work:
    """How units are carried out; it decides no number.

    Attributes
    ----------
    jobs : int, default -1
        Worker processes of this machine; -1 is one per core.
    backend : {"loky", "dask"}
        Processes of this machine, or the workers of a Dask cluster. These must have the
        same code and the same versions, and one thread each; one that has not ends the
        run with a RuntimeError.
    scheduler : str, optional
        For "dask": the scheduler's address, or the `.json` file into which it wrote it.
    progress : bool, default True
        Show a bar with the time to go on standard error.
    """

    jobs: int = -1
    backend: str = "loky"
    scheduler: str | None = None
    progress: bool = True


def execute(experiment, units, store, work=Work()):
    """Run the units that the store does not have, committing each as it ends.

    Parameters
    ----------
    experiment : Experiment
    units : list of dict
    store : Store
        Only this process writes it, wherever the units are run.
    work : Work

    Returns
    -------
    int
        How many units were run.
    """
    wanted = {unit_key(unit): unit for unit in units}
    done = store.keys()
    pending = [unit for key, unit in wanted.items() if key not in done]
    if not pending:
        return 0
    if work.backend == "dask":
        on_worker = functools.partial(
            _run_on_worker, experiment=experiment, software=_software()
        )
        start = functools.partial(clusters.arriving, on_worker, pending, work.scheduler)
    else:
        import joblib

        # batch_size=1: joblib would otherwise hold finished units back until their
        # batch is full.
        workers = joblib.Parallel(
            n_jobs=work.jobs, return_as="generator_unordered", batch_size=1
        )
        start = functools.partial(
            workers,
            (
                joblib.delayed(_run_here)(experiment, unit, os.getpid())
                for unit in pending
            ),
        )
    from tqdm import tqdm

    with contextlib.ExitStack() as stack:
        # An interrupt means to cancel tasks; wherever it strikes, joblib need not warn.
        stack.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", ".*tasks.*(cancelled|not used)")
        with spared():  # this process alone stops the workers
            arriving = start()
            # Not left to the garbage collector.
            stack.callback(close, arriving)
        bar = tqdm(
            arriving,
            total=len(wanted),
            initial=len(wanted) - len(pending),
            desc=experiment.name,
            unit="run",
            smoothing=0.05,
            disable=not work.progress,
            file=sys.stderr,
        )
        for unit, result, made_in, finished in bar:
            store.add(unit, result, made_by(experiment, made_in), finished)
    return len(pending)


def run_experiment(
    experiment,
    scale,
    *,
    store,
    work=Work(),
    recorded=None,
):
    """Run an experiment at "recorded" or "full" scale, from wherever it was left.

    Parameters
    ----------
    experiment : Experiment
    scale : {"recorded", "full"}
    store : Store
    work : Work
    recorded : path-like, optional
        Where the recorded rows are; by default `data/recorded/<name>`.

    Returns
    -------
    dict
        How many rows the store had (`before`), took from the recorded ones
        (`recorded`), and ran (`run`).
    """
    check_choice(scale, "scale", SCALES)
    before = len(store)
    for row in recorded_rows(experiment.name, folder=recorded):
        store.add(row["unit"], row["result"], row["environment"], row["finished"])
    taken = len(store) - before
    if changed := other_code(experiment, store.rows()):
        folder = recorded_folder(experiment.name, recorded)
        print(
            f"{changed}. They stay, and new rows will stand beside them. To have all"
            f" from this version, move {store.path} and {folder} away; to go on with"
            " the other, check it out",
            file=sys.stderr,
        )
    ran = 0
    # A stage can depend on the rows of the one before: plan again until nothing is left
    # to do.
    while new := execute(experiment, experiment.plan(scale, store.rows()), store, work):
        ran += new
    return {"before": before, "recorded": taken, "run": ran}


def check_slice(
    experiment,
    store,
    *,
    n_units,
    rng=None,
    work=Work(),
    recorded=None,
    longest=60.0,
    settles=False,
):
    """Run a random few of the recorded units afresh and hold them against the record.

    Parameters
    ----------
    experiment : Experiment
    store : Store
        Holds the fresh rows, so that a slice that was cut off resumes, apart from those
        of runs, which it never touches. They go when it is done, and so does what other
        code or another machine left of a slice.
    n_units : int
        How many; at most one in each recorded table comes before a second in any.
    rng : None, int or numpy.random.Generator
    work : Work
    recorded : path-like, optional
        Where the recorded rows are; by default `data/recorded/<name>`.
    longest : float, default 60
        Units that took more seconds than this are left out, unless all of them did.
    settles : bool, default False
        Run rows of other code than today's, one at least of each table and version that
        has a unit as short as `longest`, and write down what came out the same.

    Returns
    -------
    pandas.DataFrame
        One row per unit and compared result: `unit`, `column`, `recorded`, `fresh`,
        `allowed` and `agrees`.
    """
    check_int(n_units, "n_units")
    rng = check_rng(rng)
    record = recorded_rows(experiment.name, folder=recorded)
    if not record:
        where = recorded_folder(experiment.name, recorded)
        raise ValueError(
            f"nothing is recorded for {experiment.name} in {where}; "
            f"`lab run {experiment.name} --export` records it"
        )
    asked = of_other_code(experiment, record) if settles else record
    quick = [row for row in asked if recorded_number(row, "seconds") <= longest]
    if settles:
        n_units = max(n_units, len(set(map(version_of, quick))))
        chosen = _turn_about(quick, rng, version_of)[:n_units]
    else:
        chosen = _turn_about(quick or asked, rng, _table_of)[:n_units]
    fresh = _run_afresh(experiment, chosen, store, work)
    lines, compared = [], []
    for row, again in zip(chosen, fresh, strict=True):
        found = list(compare_results(experiment, row, again))
        lines += found
        compared.append((row, again, all(line["agrees"] for line in found)))
    if settles:
        settle(experiment, record, compared)
    # Named, for a row may have nothing to compare: a printed figure that is out of
    # reach.
    return pd.DataFrame(
        lines, columns=["unit", "column", "recorded", "fresh", "allowed", "agrees"]
    )


def _table_of(row):
    return row["unit"]["table"]


def _turn_about(rows, rng, part):
    """Shuffle rows, part by part in turn, so that a slice of a few units still touches
    each.
    """
    by_key, parts = {unit_key(row["unit"]): row for row in rows}, {}
    for key in rng.permutation(sorted(by_key)):
        parts.setdefault(part(by_key[key]), []).append(by_key[key])
    turns = itertools.zip_longest(*parts.values())
    return [row for turn in turns for row in turn if row is not None]


def _run_afresh(experiment, rows, store, work):
    """Run the units of recorded rows afresh, one slice of them."""
    store, here = store.of_slice(), made_by(experiment, environment())
    # A slice that was cut off is of no use to other code or packages.
    if any(row["environment"] != here for row in store.rows()):
        store.clear()
    execute(experiment, [row["unit"] for row in rows], store, work)
    fresh = {unit_key(row["unit"]): row for row in store.rows()}
    store.clear()  # the next slice runs its units again, even with the same seed
    return [fresh[unit_key(row["unit"])] for row in rows]


def compare_results(experiment, row, again):
    """Hold a fresh row against the recorded one.

    Parameters
    ----------
    experiment : Experiment
    row, again : dict
        As the record and the store of a slice have them.

    Yields
    ------
    dict
        For each compared result a row of the table that `check_slice` returns.
    """
    is_exact = same_machine_kind(row["environment"], again["environment"])
    for column, tolerance in experiment.compared.items():
        # Tables need not share their results, and a method may refuse where others
        # answer.
        if (
            column not in row["result"]
            or row["result"][column] is again["result"][column] is None
        ):
            continue
        if callable(tolerance):
            tolerance = tolerance(row["result"])
        allowed = 0.0 if is_exact else tolerance
        old, new = _recorded_and_fresh(row, again, column)
        yield {
            "unit": " ".join(f"{k}={v}" for k, v in row["unit"].items()),
            "column": column,
            "recorded": old,
            "fresh": new,
            "allowed": allowed,
            "agrees": abs(old - new) <= allowed,
        }


def _recorded_and_fresh(row, again, column):
    """Return a recorded result and the fresh one; of two vectors, the elements that are
    farthest apart.
    """
    old, new = row["result"][column], again["result"][column]
    if not (isinstance(old, str) and " " in old):
        return recorded_number(row, column), new
    old, new = unpack(old), unpack(new)
    if len(old) != len(new):
        return float(old[0]), math.nan  # which agrees with nothing
    farthest = np.argmax(np.abs(old - new))
    return float(old[farthest]), float(new[farthest])


def default_store(name, *, of_slice=False):
    """Return the path of an experiment's store: `runs/` in the checkout, or
    `EVALKIT_RUNS`.

    Parameters
    ----------
    name : str
    of_slice : bool, default False
        The file for slices: one may be run while the experiment is.

    Returns
    -------
    pathlib.Path
    """
    folder = Path(os.environ.get("EVALKIT_RUNS") or DATA.parent / "runs")
    return folder / f"{name}{'.slice' if of_slice else ''}.sqlite"
