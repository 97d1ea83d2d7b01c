"""The laboratory's command line: `lab run`, `lab check`, `lab scorecard`, `lab data
list|fetch|corpus`.

What takes time to import is imported by the command that needs it: `--help` answers at
once.
"""

import contextlib
import functools
import importlib
import os
import random
import sys
from pkgutil import iter_modules

from evalkit import _program
from lab import experiments, papers
from lab.arguments import command_line

# By name; each is imported when it is asked for. A paper is a folder; three modules
# hold parts of others.
PAPERS = [module.name for module in iter_modules(papers.__path__) if module.ispkg]
EXPERIMENTS = {
    **{
        module.name: f"{experiments.__name__}.{module.name}"
        for module in iter_modules(experiments.__path__)
        if module.name not in ("edges", "overlaps", "percentile")
    },
    **{name: f"{papers.__name__}.{name}" for name in PAPERS},
}


def _need_folder(folder):
    if not os.path.isdir(folder):
        is_what = "is not a folder" if os.path.lexists(folder) else "does not exist"
        raise ValueError(
            f"the folder {folder} of --folder {is_what}; give the one that was meant"
        )


def _list(_):
    import pandas as pd

    from lab.data import sources

    table = sources.registry()
    width = table.key.str.len().max()
    for facts in table.itertuples():
        size = "? kB" if pd.isna(facts.bytes) else f"{facts.bytes / 1000:,.0f} kB"
        place = sources.location(facts.key) or "not here"
        print(f"{facts.key:{width}}  {size:>9}  {place:8}  {facts.licence}")
    return 0


def _fetch(options):
    from lab.data import sources

    known = list(sources.registry().key)
    for key in options.keys:  # all of them before the first is fetched
        if key not in known:
            near = _program.meant(key, known, "`lab data list` names them")
            raise ValueError(f"no upstream file is called {key!r}; {near}")
    options.kept = "the files that are whole are kept; the same command goes on"
    for key in options.keys:
        print(sources.fetch(key), flush=True)
    return 0


def _corpus(_):
    from lab.data import docstrings

    docstrings.fetch(functools.partial(print, flush=True))
    return 0


def _check_scorecard(options):
    from lab.papers import published
    from lab.record import checking

    if options.csv:
        options.parser.error("--check prints no CSV; it goes with --paper alone")
    published.check()
    status = 0
    for name in [options.paper] if options.paper else sorted(EXPERIMENTS):
        lines, missing = checking.check(_experiment(name), jobs=-1)
        print(
            "\n".join(
                [*lines, *filter(None, [missing])]
                or [f"{name}: all comes out as recorded"]
            ),
            flush=True,
        )
        status = max(status, int(bool(lines)))
    return status


def _scorecard(options):
    if options.check:
        return _check_scorecard(options)
    if options.paper:
        options.parser.error("--paper goes with --check")
    if options.history is not None:
        from lab import history

        if options.history:
            print(history.told(options.history))
        else:
            history.write()
        return 0
    from lab import scorecard

    if options.csv:
        scorecard.to_csv(sys.stdout)
        return 0
    table = scorecard.counts()
    blocks = []
    for kind in table.columns.unique(0):
        counted = table[kind].assign(all=table[kind].sum(axis=1))
        counted.loc["all"] = counted.sum()
        blocks.append(counted.rename_axis(index=None, columns=kind).to_string())
    print("\n\n".join(blocks))
    return 0


def _settle_work(options):
    """Refuse what would do nothing, and fill in what was left out, of the options for
    where units run.
    """
    is_dask, useless = options.backend == "dask", {}
    if options.scheduler is not None and not is_dask:
        useless["--scheduler"] = "it needs --backend dask"
    if options.jobs is not None and is_dask:
        useless["--jobs"] = (
            "it is for processes of this machine; with --backend dask each worker"
            " is one"
        )
    for option, why in useless.items():
        options.parser.error(f"{option} would do nothing: {why}")
    if is_dask and options.scheduler is None:
        options.parser.error(
            "--backend dask needs --scheduler, the address of a Dask scheduler"
            " (tcp://host:8786)"
        )
    from lab import clusters

    # Before torch or a BLAS is imported in any worker: each unit has one core to
    # itself.
    for variable in clusters.THREADS:
        os.environ.setdefault(variable, "1")
    from lab.record import runs

    jobs = -1 if options.jobs is None else options.jobs
    return runs.Work(jobs, options.backend, options.scheduler, not options.quiet)


@contextlib.contextmanager
def _store(name, options, *, of_slice):
    """Open the store of a run; an error of the database names the file, and what is in
    it.

    What runs into it is imported before: with workers to stop, an interrupt can be lost
    in an import.
    """
    from lab.record import runs

    path = (
        options.store
        if options.store is not None
        else runs.default_store(name, of_slice=of_slice)
    )
    with runs.Store(path) as store:
        seed = f" with --seed {options.seed}" if of_slice else ""
        options.kept = f"what was finished is in {path}; the same command{seed} goes on"
        yield store


def _experiment(name):
    return importlib.import_module(EXPERIMENTS[name]).EXPERIMENT


def _run(options):
    work = _settle_work(options)
    if options.folder is not None and (
        os.path.lexists(options.folder) or not options.export
    ):
        _need_folder(options.folder)
    from lab.record import runs
    from lab.record.tables import recorded_folder

    experiment = _experiment(options.name)
    with _store(options.name, options, of_slice=False) as store:
        counts = runs.run_experiment(
            experiment, options.scale, store=store, work=work, recorded=options.folder
        )
        print(
            f"{options.name}: {counts['run']} units run, {counts['recorded']} taken"
            f" from the record, {counts['before']} were there; {store.path} holds"
            f" {len(store)}",
            flush=True,
        )
        if options.export:
            folder = recorded_folder(options.name, options.folder)
            for file in runs.export(experiment, store.rows(), folder):
                print(f"wrote {file}")
    return 0


def _check(options):
    if len(options.names) != 1:
        for option in ("store", "folder"):
            if getattr(options, option) is not None:
                options.parser.error(
                    f"--{option} is of one experiment: it needs one NAME"
                )
    work = _settle_work(options)
    if options.folder is not None:
        if options.settle:
            options.parser.error("--settle is of data/recorded: leave --folder out")
        _need_folder(options.folder)
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(10**6)
    chosen = {
        name: _experiment(name)
        for name in dict.fromkeys(options.names) or sorted(EXPERIMENTS)
    }
    return max(
        _check_slice(name, experiment, work, options)
        for name, experiment in chosen.items()
    )


def _check_slice(name, experiment, work, options):
    """Run a random few units of an experiment again; return 1 if one differs from the
    record.
    """
    from lab.record import hashes, runs, tables

    print(f"{name}: a slice, --seed {options.seed}", flush=True)
    with _store(name, options, of_slice=True) as store:
        compared = runs.check_slice(
            experiment,
            store,
            n_units=options.units,
            rng=options.seed,
            work=work,
            recorded=options.folder,
            longest=options.longest,
            settles=options.settle,
        )
    for line in compared.itertuples():
        verdict = "agrees " if line.agrees else "DIFFERS"
        print(
            f"{verdict} {line.column:>12}: recorded {line.recorded:.6f}, fresh"
            f" {line.fresh:.6f}, allowed {line.allowed:g}  [{line.unit[:70]}]"
        )
    print(
        f"{compared.agrees.sum()} of {len(compared)} values agree with the record",
        flush=True,
    )
    rows = tables.recorded_rows(name, folder=options.folder)
    if others := hashes.other_code(experiment, rows):
        print(others, flush=True)
    return 0 if compared.agrees.all() else 1


def _command_line():
    actions = {
        "run": _run,
        "check": _check,
        "list": _list,
        "fetch": _fetch,
        "corpus": _corpus,
        "scorecard": _scorecard,
    }
    return command_line(actions, EXPERIMENTS, PAPERS)


def main(arguments=None):
    """Run the command line.

    Parameters
    ----------
    arguments : list of str, optional
        By default those of the process.

    Returns
    -------
    int
        The exit status: 0; 1 if something failed or did not agree; 130 if it was
        interrupted, 141 if its output was closed.
    """
    return _program.run("lab", _command_line, arguments)
