"""The command line: `evalkit report`, `init`, `run`, `data list|fetch`, `scorecard`.

What takes time to import is imported by the command that needs it: `--help` answers at once.
"""

import argparse
import contextlib
import errno
import importlib
import os
import random
import select
import shlex
import shutil
import sys
from pathlib import Path
from pkgutil import iter_modules

from evalkit import _interrupts, experiments, papers
from evalkit._arguments import SLICE, command_line, meant

# By name; each is imported when it is asked for. A paper is a folder; three modules hold parts of others.
PAPERS = [module.name for module in iter_modules(papers.__path__) if module.ispkg]
EXPERIMENTS = {
    **{
        module.name: f"{experiments.__name__}.{module.name}"
        for module in iter_modules(experiments.__path__)
        if module.name not in ("edges", "overlaps", "percentile")
    },
    **{name: f"{papers.__name__}.{name}" for name in PAPERS},
}
_CHECKOUT = Path(__file__).resolve().parents[1]


# ---------------------------------------------------------------------------------------------
# The commands
# ---------------------------------------------------------------------------------------------


def _need_checkout(what):
    if not (_CHECKOUT / "data" / "registry.csv").is_file():
        raise RuntimeError(
            f"{what} needs the book's files, which are not part of the installed package: get the book's "
            "repository, and in it python -m pip install -e ."
        )


def _need_folder(folder, option):
    if not os.path.isdir(folder):
        is_what = "is not a folder" if os.path.lexists(folder) else "does not exist"
        raise ValueError(f"the folder {folder} of {option} {is_what}; give the one that was meant")


def _list(_):
    _need_checkout("evalkit data")
    import pandas as pd

    from evalkit import sources

    table = sources.registry()
    width = table.key.str.len().max()
    for facts in table.itertuples():
        size = "? kB" if pd.isna(facts.bytes) else f"{facts.bytes / 1000:,.0f} kB"
        place = sources.place(facts.key) or "not here"
        print(f"{facts.key:{width}}  {size:>9}  {place:8}  {facts.licence}")
    return 0


def _fetch(options):
    _need_checkout("evalkit data")
    from evalkit import sources

    known = list(sources.registry().key)
    for key in options.keys:  # all of them before the first is fetched
        if key not in known:
            near = meant(key, known, "`evalkit data list` names them")
            raise ValueError(f"no upstream file is called {key!r}; {near}")
    options.kept, options.watch.begun = "the files that are whole are kept", True
    for key in options.keys:
        print(sources.fetch(key), flush=True)
    return 0


def _check_scorecard(options):
    from evalkit import checking

    if options.csv or options.data:
        options.parser.error("--check derives the record of this checkout; it goes with --paper alone")
    _need_checkout("evalkit scorecard")
    status = 0
    options.watch.begun = True  # from here on there are workers to stop
    for name in [options.paper] if options.paper else sorted(EXPERIMENTS):
        lines, missing = checking.check(importlib.import_module(EXPERIMENTS[name]).EXPERIMENT, jobs=-1)
        print(
            "\n".join([*lines, *filter(None, [missing])] or [f"{name}: all comes out as recorded"]),
            flush=True,
        )
        status = max(status, int(bool(lines)))
    return status


def _scorecard(options):
    if options.check:
        return _check_scorecard(options)
    if options.paper:
        options.parser.error("--paper goes with --check")
    if options.data is None:
        _need_checkout("evalkit scorecard")
    else:
        _need_folder(options.data, "--data")
    from evalkit import scorecard

    folder = options.data or scorecard.DATA
    if options.csv:
        scorecard.to_csv(sys.stdout, folder)
        return 0
    table = scorecard.counts(folder)
    blocks = []
    for kind in table.columns.unique(0):
        counted = table[kind].assign(all=table[kind].sum(axis=1))
        counted.loc["all"] = counted.sum()
        blocks.append(counted.rename_axis(index=None, columns=kind).to_string())
    print("\n\n".join(blocks))
    return 0


def _report(options):
    from evalkit.reports import _command

    return _command.report(options)


def _init(options):
    from evalkit.reports import _folder

    for line in _folder.make(options.folder):
        print(line)
    return 0


def _check_run(options):
    """Refuse what would do nothing, and fill in what was left out."""
    is_slice, is_dask = options.scale == "slice", options.backend == "dask"
    useless = {}
    if options.export and is_slice:
        useless["--export"] = "a slice is compared, never exported: it needs --scale recorded or full"
    for name in SLICE:
        if getattr(options, name) is not None and not is_slice:
            useless[f"--{name}"] = f"it chooses a slice, and --scale is {options.scale}"
    if options.scheduler is not None and not is_dask:
        useless["--scheduler"] = "it needs --backend dask"
    if options.jobs is not None and is_dask:
        useless["--jobs"] = "it is for processes of this machine; with --backend dask each worker is one"
    for option, why in useless.items():
        options.parser.error(f"{option} would do nothing: {why}")
    if is_dask and options.scheduler is None:
        options.parser.error(
            "--backend dask needs --scheduler, the address of a Dask scheduler (tcp://host:8786)"
        )
    if options.jobs is None:
        options.jobs = -1
    if is_slice:
        if options.seed is None:
            options.seed = random.SystemRandom().randrange(10**6)
            options.again += ["--seed", str(options.seed)]
        for name, default in SLICE.items():
            if getattr(options, name) is None:
                setattr(options, name, default)


def _work(options):
    from evalkit import runs

    return runs.Work(options.jobs, options.backend, options.scheduler, not options.quiet)


def _slice(experiment, store, options):
    from evalkit import runs

    print(f"{options.name}: a slice, --seed {options.seed}", flush=True)
    compared = runs.check_slice(
        experiment,
        store,
        n_units=options.units,
        rng=options.seed,
        work=_work(options),
        recorded=options.folder,
        longest=options.longest,
    )
    for line in compared.itertuples():
        verdict = "agrees " if line.agrees else "DIFFERS"
        print(
            f"{verdict} {line.column:>12}: recorded {line.recorded:.6f}, fresh {line.fresh:.6f}, "
            f"allowed {line.allowed:g}  [{line.unit[:70]}]"
        )
    print(f"{compared.agrees.sum()} of {len(compared)} values agree with the record")
    return 0 if compared.agrees.all() else 1


def _run(options):
    _check_run(options)
    _need_checkout("evalkit run")
    if options.folder is not None and (os.path.lexists(options.folder) or not options.export):
        _need_folder(options.folder, "--folder")
    import sqlite3

    from evalkit import clusters, runs

    # Before torch or a BLAS is imported in any worker: each unit has one core to itself.
    for variable in clusters.THREADS:
        os.environ.setdefault(variable, "1")
    experiment = importlib.import_module(EXPERIMENTS[options.name]).EXPERIMENT
    path = options.store if options.store is not None else runs.default_store(options.name, options.scale)
    try:
        return _run_into(path, experiment, options)
    except sqlite3.Error as error:
        raise RuntimeError(
            f"{path}: {error}; what was finished before is in it, and the same command goes on"
        ) from None


def _run_into(path, experiment, options):
    from evalkit import runs
    from evalkit.recorded import recorded_folder

    options.watch.begun = True
    with runs.Store(path) as store:
        options.kept = f"what was finished is in {path}"
        if options.scale == "slice":
            return _slice(experiment, store, options)
        counts = runs.run_experiment(
            experiment, options.scale, store=store, work=_work(options), recorded=options.folder
        )
        print(
            f"{options.name}: {counts['run']} units run, {counts['recorded']} taken from the "
            f"record, {counts['before']} were there; {path} holds {len(store)}",
            flush=True,
        )
        if options.export:
            folder = recorded_folder(options.name, options.folder)
            for file in runs.export(experiment, store.rows(), folder):
                print(f"wrote {file}")
    return 0


# ---------------------------------------------------------------------------------------------
# How it ends
# ---------------------------------------------------------------------------------------------


def _program():
    """Return the words that call this program again."""
    name = Path(sys.argv[0]).name
    if name == "__main__.py":
        return [sys.executable, "-m", "evalkit"]
    if name.endswith(".py"):
        return [sys.executable, sys.argv[0]]
    found = shutil.which(name)
    is_found = found and os.path.exists(sys.argv[0]) and os.path.samefile(found, sys.argv[0])
    return [name if is_found else sys.argv[0]]


_ADVICE = {
    errno.ENOSPC: "the disk is full; make room, and the same command goes on",
    errno.EDQUOT: "the disk is full for you; make room, and the same command goes on",
    errno.EACCES: "there is no permission for it; change that, or name another place",
    errno.EPERM: "there is no permission for it; change that, or name another place",
    errno.EROFS: "its disk cannot be written; name another place",
    errno.EISDIR: "it is a folder, where a file should be; move it away, or name another file",
    errno.ENOTDIR: "it leads through a file, where a folder should be; name another place",
    errno.EEXIST: "it is a file, where a folder should be; move it away, or name another place",
    errno.ENOENT: "it does not exist; name one that does",
}


def _sentence(error):
    """Say what went wrong: our own errors say it themselves, the system's say it in its words."""
    if isinstance(error, OSError) and error.filename is not None and error.errno in _ADVICE:
        return f"{error.filename}: {_ADVICE[error.errno]}"
    if isinstance(error, OSError) and error.errno in _ADVICE:
        return _ADVICE[error.errno]
    return str(error)


def _reader_gone():
    """Tell whether whoever read standard output has closed it."""
    if not hasattr(select, "poll"):  # Windows
        return True
    poll = select.poll()
    poll.register(1, select.POLLOUT)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _drop_output():
    # Python writes what is left when it ends, and would fail once more.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def main(arguments=None):
    """Run the command line.

    Parameters
    ----------
    arguments : list of str, optional
        By default those of the process.

    Returns
    -------
    int
        The exit status: 0; 1 if something failed or did not agree; 130 if it was interrupted, 141 if
        its output was closed.
    """
    program = ["evalkit"] if arguments is not None else _program()
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    options = argparse.Namespace(kept="nothing was begun", again=[*program, *arguments])

    def stopped():
        print(
            f"stopped; {options.kept}; go on with: {shlex.join(options.again)}", file=sys.stderr, flush=True
        )
        return 130

    with _interrupts.Watch(leave=lambda: os._exit(stopped())) as watch:
        options.watch = watch
        try:
            actions = {
                "report": _report,
                "init": _init,
                "run": _run,
                "list": _list,
                "fetch": _fetch,
                "scorecard": _scorecard,
            }
            parser = command_line(actions, EXPERIMENTS, PAPERS)
            parser.parse_args(arguments, options)
            if options.version:
                from evalkit import __version__

                print(f"evalkit {__version__}")
                status = 0
            elif options.action is None:
                (options.parser or parser).print_help()
                status = 0
            else:
                status = options.action(options)
            sys.stdout.flush()
            return status
        except KeyboardInterrupt:
            pass
        except Exception as error:
            # What an import makes of an interrupt is not to be explained, but said to be one.
            if not watch.pressed:
                return _failed(error)
        return stopped()


def _failed(error):
    """Say what went wrong and return the exit status; what is nobody's fault but ours is raised."""
    if isinstance(error, BrokenPipeError) and _reader_gone():
        _drop_output()
        return 141
    if not isinstance(error, (RuntimeError, ValueError, OSError, ImportError)):
        raise error
    print(f"evalkit: {_sentence(error)}", file=sys.stderr)
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        return 1
    _drop_output()  # it is standard output itself that fails
    return 1


if __name__ == "__main__":
    sys.exit(main())
