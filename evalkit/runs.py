"""Long experiments that survive being killed.

An experiment is a list of *units*: small dictionaries of parameters, each with a result that does
not depend on the others. Results go into an SQLite file one by one, as they arrive. Whatever kills
the run, what had arrived is there, what had not is run again, and nothing is counted twice, for a
unit's parameters are its key::

    experiment.plan() -> units -> joblib workers -> Store (SQLite) -> data/recorded/<name>/*.csv
                                                        ^------------ a fresh clone begins here
"""

import contextlib
import csv
import functools
import hashlib
import io
import json
import os
import platform
import subprocess
import sys
import threading
import time
import warnings
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Protocol

import numpy as np
import pandas as pd

from evalkit import _extras, _interrupts, clusters
from evalkit._checks import check_choice, check_int, check_rng
from evalkit._code import made_by, other_code
from evalkit._files import read_checked, sha256, write_together
from evalkit._store import Store as Store
from evalkit._store import short_hash, unit_key
from evalkit.datasets import DATA, CorpusChangedError
from evalkit.sources import SourceError

# The last two columns of every recorded table.
_PROVENANCE = ("finished", "environment")
_PROVENANCE_FILE = "provenance.json"

SCALES = ("slice", "recorded", "full")
BACKENDS = ("loky", "dask")
RECORDED = DATA / "recorded"

# What decides a number, besides our own code; recorded with every run.
_VERSIONED = ("numpy", "scipy", "pandas", "scikit-learn", "torch", "joblib")


class Experiment(Protocol):
    """What `execute` needs to know of an experiment.

    It may also have `extra_tables(rows)`, which returns a dict of name to DataFrame: tables to export
    that are not rows of units, but belong to them or follow from them.

    Attributes
    ----------
    name : str
        Also the folder in `data/recorded/`.
    compared : dict of str to float
        For each result that a second run must give again, how far it may be off on another kind of
        machine; on the same kind it must be equal. A table may lack some of them.
    """

    name: str
    compared: dict

    def plan(self, scale, rows):
        """Return the units wanted.

        Parameters
        ----------
        scale : {"recorded", "full"}
        rows : list of dict
            Those there are so far, as `Store.rows` returns them. A later stage may depend on an
            earlier one: it appears in the plan once its rows are there.

        Returns
        -------
        list of dict
            JSON values, with a "table" each: the CSV that the row of this unit belongs to.
        """

    def run(self, unit):
        """Run one unit.

        Parameters
        ----------
        unit : dict

        Returns
        -------
        dict
            Results as JSON values, `seconds` among them.
        """


def _cpu_model():
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


@functools.cache
def _source_hash():
    sources = (p.read_bytes() for p in sorted(Path(__file__).parent.rglob("*.py")))
    return hashlib.sha256(b"".join(sources)).hexdigest()[:12]


def _code_version():
    """Return the commit, with a mark if the package differs from it; outside git, a hash of the source."""
    package = Path(__file__).parent

    def git(*arguments):
        done = subprocess.run(["git", "-C", package, *arguments], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    try:
        # Results that were just written do not make the code another one: only the package is asked.
        return git("describe", "--always", "--abbrev=12") + "-dirty" * bool(git("status", "--porcelain", "."))
    except (OSError, subprocess.CalledProcessError):
        return "source-" + _source_hash()


@functools.cache
def environment():
    """Describe what a number computed here depends on.

    Returns
    -------
    dict
        `python`, `packages` (name to version), `cpu`, `system`, `code`.
    """
    return {
        "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in _VERSIONED},
        "cpu": _cpu_model(),
        "system": f"{platform.system()} {platform.machine()}",
        "code": _code_version(),
    }


def same_machine_kind(a, b):
    """Tell whether two environments should give equal numbers: same CPU, system and packages.

    Parameters
    ----------
    a, b : dict
        As `environment` returns them.

    Returns
    -------
    bool
    """
    return all(a[k] == b[k] for k in ("cpu", "system", "packages")) and (
        a["python"].rsplit(".", 1)[0] == b["python"].rsplit(".", 1)[0]
    )


# ---------------------------------------------------------------------------------------------
# Recorded rows: one CSV a table and one provenance file, readable by a person
# ---------------------------------------------------------------------------------------------


def _to_cell(value):
    # A string stands as it is, unless it would read back as something else.
    if isinstance(value, str) and value.isprintable() and value:
        try:
            json.loads(value)
        except ValueError:
            return value
    return json.dumps(value)


def _from_cell(cell):
    try:
        return json.loads(cell)
    except ValueError:
        return cell


def _cells(values, names):
    # What a row does not have is an empty cell; null would be a value.
    return [_to_cell(values[name]) if name in values else "" for name in names]


def _csv_bytes(lines):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()


def _by_size(cell):
    # Numbers by size, words by letter, and a column without a value first.
    value = _from_cell(cell)
    return (1, value, "") if type(value) in (int, float) else (0, 0, cell)


def _layout(table, members):
    """Return the names of the parameters and of the results of a table's rows."""
    parameters = list(dict.fromkeys(k for row in members for k in row["unit"] if k != "table"))
    results = list(dict.fromkeys(k for row in members for k in row["result"]))
    columns = [*parameters, *results, *_PROVENANCE]
    if twice := sorted({c for c in columns if columns.count(c) > 1}):
        raise ValueError(f"{table}.csv cannot have two columns called {', '.join(twice)}")
    return parameters, results


def export(experiment, rows, folder):
    """Write rows as CSV files with their provenance.

    Parameters
    ----------
    experiment : Experiment
    rows : list of dict
        As `Store.rows` returns them.
    folder : path-like
        Whenever this is cut off, the readers find the old rows or the new ones there, whole. Rows that
        were read from it and are written again give the same bytes.

    Returns
    -------
    list of pathlib.Path
        The files written.
    """
    tables, layout, environments, contents = {}, {}, {}, {}
    # In the order of the keys, whoever gives the rows: the order of the columns depends on it.
    for row in sorted(rows, key=lambda row: unit_key(row["unit"])):
        tables.setdefault(row["unit"]["table"], []).append(row)
    for table, members in sorted(tables.items()):
        parameters, results = _layout(table, members)
        lines = []
        for row in members:
            made_in = short_hash(json.dumps(row["environment"], sort_keys=True))
            environments[made_in] = row["environment"]
            cells = _cells(row["unit"], parameters) + _cells(row["result"], results)
            lines.append([*cells, row["finished"], made_in])
        lines.sort(key=lambda line: [_by_size(cell) for cell in line[: len(parameters)]])
        contents[f"{table}.csv"] = _csv_bytes([[*parameters, *results, *_PROVENANCE], *lines])
        layout[table] = {"rows": len(lines), "parameters": parameters, "results": results}
    extra_tables = getattr(experiment, "extra_tables", lambda rows: {})
    for name, frame in extra_tables(rows).items():
        contents[f"{name}.csv"] = frame.to_csv(index=False, lineterminator="\n").encode()
    provenance = {
        "command": f"evalkit run {experiment.name} --scale recorded --export",
        "tables": layout,
        "environments": dict(sorted(environments.items())),
        "sha256": {name: sha256(content) for name, content in sorted(contents.items())},
    }
    contents[_PROVENANCE_FILE] = (json.dumps(provenance, indent=1) + "\n").encode()
    return write_together(folder, contents, _PROVENANCE_FILE)


# What makes a provenance file one, and how to get it back.
_KEYS = {"command": str, "tables": dict, "environments": dict, "sha256": dict}
_LAYOUT = {"rows": int, "parameters": list, "results": list}
_RESTORE = "restore it (from git, for example), or remove the folder and export it again from its store"


def _has(described, kinds):
    return isinstance(described, dict) and all(isinstance(described.get(k), t) for k, t in kinds.items())


def _read_provenance(folder):
    """Return what a folder's provenance file says; None if nothing is recorded there."""
    path = folder / _PROVENANCE_FILE
    if not path.exists():
        if tables := sorted(p.name for p in folder.glob("*.csv")):
            raise ValueError(f"{path} is missing, which belongs to {', '.join(tables)}; {_RESTORE}")
        return None
    try:
        provenance = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} cannot be read ({error}); {_RESTORE}") from None
    if not _has(provenance, _KEYS) or not all(_has(t, _LAYOUT) for t in provenance["tables"].values()):
        raise ValueError(f"{path} is not what this version of evalkit writes; {_RESTORE}")
    return provenance


def recorded_content(folder, table):
    """Read a recorded file as it was written.

    Parameters
    ----------
    folder : path-like
        Where `export` wrote it.
    table : str
        Its name, without `.csv`.

    Returns
    -------
    bytes or None
        None if there is no such table.

    Raises
    ------
    ValueError
        If it, or the provenance beside it, is not what `export` wrote.
    """
    path = Path(folder) / f"{table}.csv"
    expected = (_read_provenance(path.parent) or {"sha256": {}})["sha256"].get(path.name)
    if expected is None:
        if path.exists():
            raise ValueError(f"{path} is not in {_PROVENANCE_FILE} beside it, so nobody knows what made it; "
                             "remove it, or export the folder again from its store")  # fmt: skip
        return None
    content = read_checked(path, expected)
    if content is None:
        raise ValueError(f"{path} is not the table that {_PROVENANCE_FILE} was written with: it was cut or "
                         f"edited, or is missing; {_RESTORE}")  # fmt: skip
    return content


def _read_table(folder, table, provenance):
    """Yield the rows of one recorded CSV; a ValueError names the file if it is not what was written."""
    path, layout, environments = (
        folder / f"{table}.csv",
        provenance["tables"][table],
        provenance["environments"],
    )
    header = [*layout["parameters"], *layout["results"], *_PROVENANCE]
    split = len(layout["parameters"])
    content = recorded_content(folder, table) or b""
    lines = list(csv.reader(io.StringIO(content.decode(), newline="")))
    if not lines or lines[0] != header or len(lines) - 1 != layout["rows"]:
        raise ValueError(
            f"{path} must have {layout['rows']} rows of {', '.join(header)}; it or {_PROVENANCE_FILE} was "
            "edited"
        )
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(header) or line[-1] not in environments:
            raise ValueError(f"{path}, line {number}, is not whole; it or {_PROVENANCE_FILE} was edited")
        cells = [(name, _from_cell(cell)) for name, cell in zip(header, line, strict=True) if cell != ""]
        values = dict(cells)
        yield {
            "unit": {"table": table, **{n: values[n] for n in header[:split] if n in values}},
            "result": {n: values[n] for n in layout["results"] if n in values},
            "environment": environments[line[-1]],
            "finished": line[-2],
        }


def recorded_rows(name, *, folder=None, table=None):
    """Read the recorded rows of an experiment back, as `Store.rows` would return them.

    Parameters
    ----------
    name : str
    folder : path-like, optional
        Where `export` wrote them; by default `data/recorded/<name>`.
    table : str, optional
        Only the rows of this table.

    Returns
    -------
    list of dict
        Empty if nothing was recorded.

    Raises
    ------
    ValueError
        If a file is not what `export` wrote.
    """
    folder = Path(folder) if folder is not None else RECORDED / name
    provenance = _read_provenance(folder)
    return [
        row
        for name in (provenance["tables"] if provenance else {})
        if table in (None, name)
        for row in _read_table(folder, name, provenance)
    ]


def load_recorded(name, table):
    """Load one recorded table for analysis.

    Parameters
    ----------
    name : str
        The experiment, a folder of `data/recorded/`.
    table : str
        The file in it, without `.csv`.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    ValueError
        If there is none, or it is not what `export` wrote.
    """
    content = recorded_content(RECORDED / name, table)
    if content is None:
        there = sorted(str(p.relative_to(RECORDED).with_suffix("")) for p in RECORDED.rglob("*.csv"))
        raise ValueError(f"no recorded table {name}/{table}; there are: {', '.join(there) or 'none'}")
    # A short hash such as 12e45678 would be read as a number.
    return pd.read_csv(io.BytesIO(content), dtype={"environment": str})


def accuracies(rows):
    """Turn recorded counts of right answers into accuracies.

    Parameters
    ----------
    rows : pandas.DataFrame
        With `right`, the counts of all settings as text, and `items`, of how many.

    Returns
    -------
    ndarray of float, shape (n_rows, n_settings)
    """
    counts = np.array([[int(count) for count in str(text).split()] for text in rows.right])
    return counts / rows["items"].to_numpy()[:, None]


def load_provenance(name):
    """Load the provenance of a recorded experiment.

    Parameters
    ----------
    name : str

    Returns
    -------
    dict
        `command`, `tables` (rows and columns of each), `environments` (by id) and `sha256` (by file).

    Raises
    ------
    ValueError
        If there is none, or it is not what `export` wrote.
    """
    provenance = _read_provenance(RECORDED / name)
    if provenance is None:
        raise ValueError(f"nothing is recorded in {RECORDED / name}")
    return provenance


# ---------------------------------------------------------------------------------------------
# Running
# ---------------------------------------------------------------------------------------------


@functools.cache  # one watch in each worker, however many units it runs
def _end_with(parent):
    """Let this worker end soon after its parent has, however that came: joblib's stay for minutes."""

    def watch():
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _run_unit(experiment, unit):
    try:
        result = experiment.run(unit)
        json.dumps(result, allow_nan=False)
    except Exception as error:
        raise RuntimeError(f"unit {json.dumps(unit)} failed: {error!r}") from error
    return unit, result, environment(), datetime.now(UTC).isoformat(timespec="seconds")


def _run_here(experiment, unit, parent):
    if os.name == "posix" and os.getpid() != parent:
        _end_with(parent)
    return _run_unit(experiment, unit)


def _software():
    """Return what must be equal on all machines of a run; their CPUs and systems may differ."""
    return {
        "Python": platform.python_version().rpartition(".")[0],
        **environment()["packages"],
        "evalkit": _source_hash(),
    }


def _run_on_worker(unit, *, experiment, software):
    # With each unit and not once at the start: a worker can come late, or begin anew after an update.
    clusters.check_worker()
    here = _software()
    if differing := [name for name in software if here.get(name) != software[name]]:
        told = ", ".join(f"{name} {here.get(name)} there, {software[name]} here" for name in differing)
        raise RuntimeError(
            f"the worker {clusters.worker_address()} has other versions than the submitter ({told}); "
            "bring it to the same ones and start it again"
        )
    return _run_unit(experiment, unit)


def _check_backend(backend, scheduler, n_jobs):
    check_choice(backend, "backend", BACKENDS)
    if backend == "dask" and scheduler is None:
        raise ValueError(
            "the backend dask needs scheduler, the address of a Dask scheduler (tcp://host:8786)"
        )
    if backend == "dask" and n_jobs != -1:
        raise ValueError(f"n_jobs is for processes of this machine, got {n_jobs} with the backend dask: "
                         "there each worker is one")  # fmt: skip
    if backend != "dask" and scheduler is not None:
        raise ValueError(f"scheduler is for the backend dask, got {scheduler!r} with the backend {backend}")


def _close(arriving):
    with warnings.catch_warnings():
        # Of joblib's, when it is closed early: it advises against what an interrupt means to do.
        warnings.filterwarnings("ignore", message=".*tasks")
        arriving.close()


def execute(experiment, units, store, *, n_jobs=-1, progress=True, backend="loky", scheduler=None):
    """Run the units that the store does not have, committing each as it ends.

    Parameters
    ----------
    experiment : Experiment
    units : list of dict
    store : Store
        Only this process writes it, wherever the units are run.
    n_jobs : int, default -1
        Worker processes, as in joblib; -1 is one per core.
    progress : bool, default True
        Show a bar with the time to go on standard error.
    backend : {"loky", "dask"}
        Processes of this machine, or the workers of a Dask cluster. These must have the same evalkit and
        the same versions, and one thread each; one that has not ends the run with a RuntimeError.
    scheduler : str, optional
        For "dask": the scheduler's address, or the `.json` file into which it wrote it.

    Returns
    -------
    int
        How many units were run.
    """
    _check_backend(backend, scheduler, n_jobs)
    wanted = {unit_key(unit): unit for unit in units}
    done = store.keys()
    pending = [unit for key, unit in wanted.items() if key not in done]
    if not pending:
        return 0
    if backend == "dask":
        on_worker = functools.partial(_run_on_worker, experiment=experiment, software=_software())
        start = functools.partial(clusters.arriving, on_worker, pending, scheduler)
    else:
        import joblib

        # batch_size=1: joblib would otherwise hold finished units back until their batch is full.
        workers = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
        start = functools.partial(
            workers, (joblib.delayed(_run_here)(experiment, unit, os.getpid()) for unit in pending)
        )
    from tqdm import tqdm

    with contextlib.ExitStack() as stack:
        with _interrupts.spared():  # this process alone stops the workers
            arriving = start()
            stack.callback(_close, arriving)  # not left to the garbage collector
        bar = tqdm(arriving, total=len(wanted), initial=len(wanted) - len(pending), desc=experiment.name,
                   unit="run", smoothing=0.05, disable=not progress, file=sys.stderr)  # fmt: skip
        for unit, result, made_in, finished in bar:
            store.add(unit, result, made_by(experiment, made_in), finished)
    return len(pending)


def run_experiment(
    experiment,
    scale,
    *,
    store,
    n_jobs=-1,
    progress=True,
    recorded=None,
    backend="loky",
    scheduler=None,
    say=lambda line: print(line, file=sys.stderr),
):
    """Run an experiment at "recorded" or "full" scale, from wherever it was left.

    Parameters
    ----------
    experiment : Experiment
    scale : {"recorded", "full"}
    store : Store
    n_jobs, progress
        As for `execute`.
    recorded : path-like, optional
        Where the recorded rows are; by default `data/recorded/<name>`.
    backend, scheduler
        As for `execute`.
    say : callable, optional
        Gets a sentence when rows that are there come from another version of the experiment's code; by
        default it goes to standard error.

    Returns
    -------
    dict
        How many rows the store had (`before`), took from the recorded ones (`recorded`), and ran
        (`run`).
    """
    check_choice(scale, "scale", SCALES[1:])
    _check_backend(backend, scheduler, n_jobs)
    before = len(store)
    for row in recorded_rows(experiment.name, folder=recorded):
        store.add(row["unit"], row["result"], row["environment"], row["finished"])
    taken = len(store) - before
    if told := other_code(experiment, store.rows()):
        folder = recorded or RECORDED / experiment.name
        say(f"{told}. To have all from this version, move {store.path} and {folder} away; to go on with the "
            "other, check it out")  # fmt: skip
    ran = 0
    where = {"n_jobs": n_jobs, "progress": progress, "backend": backend, "scheduler": scheduler}
    # A stage can depend on the rows of the one before: plan again until nothing is left to do.
    while new := execute(experiment, experiment.plan(scale, store.rows()), store, **where):
        ran += new
    return {"before": before, "recorded": taken, "run": ran}


def check_slice(
    experiment,
    store,
    *,
    n_units,
    rng=None,
    n_jobs=-1,
    progress=True,
    recorded=None,
    backend="loky",
    scheduler=None,
    longest=60.0,
):
    """Run a random few of the recorded units afresh and hold them against the record.

    Parameters
    ----------
    experiment : Experiment
    store : Store
        Holds the fresh rows, so that a slice that was cut off resumes, apart from those of runs, which
        it never touches. They go when it is done, and so does what other code or another machine left
        of a slice.
    n_units : int
        How many; at most one in each recorded table comes before a second in any.
    rng : None, int or numpy.random.Generator
    n_jobs, progress
        As for `execute`.
    recorded : path-like, optional
        Where the recorded rows are; by default `data/recorded/<name>`.
    backend, scheduler
        As for `execute`.
    longest : float, default 60
        Units that took more seconds than this are left out, unless all of them did.

    Returns
    -------
    pandas.DataFrame
        One row per unit and compared result: `unit`, `column`, `recorded`, `fresh`, `allowed` and
        `agrees`.
    """
    check_int(n_units, "n_units")
    _check_backend(backend, scheduler, n_jobs)
    rng = check_rng(rng)
    record = {unit_key(row["unit"]): row for row in recorded_rows(experiment.name, folder=recorded)}
    if not record:
        where = recorded or RECORDED / experiment.name
        raise ValueError(f"nothing is recorded for {experiment.name} in {where}; run it at scale 'recorded' "
                         "first")  # fmt: skip
    quick = {key: row for key, row in record.items() if row["result"].get("seconds", 0) <= longest}
    record = quick or record
    # Table by table in turn, so that a slice of a few units still touches each file.
    shuffled = rng.permutation(sorted(record))
    turn = pd.Series([record[k]["unit"]["table"] for k in shuffled])
    order = np.argsort(turn.groupby(turn).cumcount().to_numpy(), kind="stable")
    chosen = [record[k] for k in shuffled[order][:n_units]]
    store = store.of_slice()
    if any(row["environment"] != made_by(experiment, environment()) for row in store.rows()):
        store.clear()
    where = {"n_jobs": n_jobs, "progress": progress, "backend": backend, "scheduler": scheduler}
    execute(experiment, [row["unit"] for row in chosen], store, **where)
    fresh = {unit_key(row["unit"]): row for row in store.rows()}
    store.clear()  # the next slice runs its units again, even with the same seed
    lines = []
    for row in chosen:
        again = fresh[unit_key(row["unit"])]
        equal_machines = same_machine_kind(row["environment"], again["environment"])
        for column, tolerance in experiment.compared.items():
            if column not in row["result"]:  # tables need not share their results
                continue
            allowed = 0.0 if equal_machines else tolerance
            old, new = row["result"][column], again["result"][column]
            lines.append(
                {
                    "unit": " ".join(f"{k}={v}" for k, v in row["unit"].items()),
                    "column": column,
                    "recorded": old,
                    "fresh": new,
                    "allowed": allowed,
                    "agrees": abs(old - new) <= allowed,
                }
            )
    return pd.DataFrame(lines)


def run_again(experiment, *, rng, fits=lambda row: True):
    """Run one recorded unit afresh, and say in a sentence whether it agrees: for a page.

    Parameters
    ----------
    experiment : Experiment
    rng : None, int or numpy.random.Generator
        Which one.
    fits : callable, optional
        From a row, as `recorded_rows` returns them, to whether it may be chosen: a page has seconds.

    Returns
    -------
    str
    """
    rows = [row for row in recorded_rows(experiment.name) if fits(row)]
    if not rows:
        raise ValueError(f"fits must leave a recorded row of {experiment.name} to choose from, it left none")
    recorded = rows[check_rng(rng).integers(len(rows))]
    unit = recorded["unit"]
    label = ", ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in unit.items())
    try:
        _extras.need("run", "running a unit again")
        fresh = experiment.run(unit)
    except (CorpusChangedError, SourceError, _extras.MissingExtraError) as error:
        return f"Not run here: {str(error).rstrip('.')}. The page shows the recorded rows."
    machine = (
        "on the same kind of machine"
        if same_machine_kind(recorded["environment"], environment())
        else "on another kind of machine, where the last digits may differ"
    )
    values = "; ".join(
        f"{column} recorded as {recorded['result'][column]:.4f}, now {fresh[column]:.4f}"
        for column in experiment.compared
        if column in recorded["result"]
    )
    return f"One recorded unit ({label}) {machine}: {values}."


def default_store(name, scale):
    """Return the path of an experiment's store: `runs/` in the checkout, or `EVALKIT_RUNS`.

    Parameters
    ----------
    name : str
    scale : {"slice", "recorded", "full"}

    Returns
    -------
    pathlib.Path
    """
    check_choice(scale, "scale", SCALES)
    folder = Path(os.environ.get("EVALKIT_RUNS", DATA.parent / "runs"))
    # The slice checks the record, so it must not share its rows.
    return folder / f"{name}{'.slice' if scale == 'slice' else ''}.sqlite"
