"""The command line: `evalkit run NAME --scale ...`, `evalkit data list|fetch`, `evalkit scorecard`."""

import argparse
import importlib
import os
import sqlite3
import sys
from pkgutil import iter_modules

import pandas as pd

from evalkit import clusters, experiments, papers, runs, scorecard, sources

# By name; each is imported when it is asked for.
EXPERIMENTS = {
    module.name: f"{package.__name__}.{module.name}"
    for package in (experiments, papers)
    for module in iter_modules(package.__path__)
    if not module.name.startswith("_")
}


def _parser():
    parser = argparse.ArgumentParser(
        prog="evalkit",
        description="Run the experiments behind the book; fetch the data they read; see what came of it.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser(
        "run",
        help="run an experiment, from wherever it was left",
        description="Each finished unit is saved at once: stop it when you like and call it again. "
        "slice runs a random few recorded units afresh and compares; recorded makes the rows in "
        "data/recorded/; full goes beyond them.",
    )
    run.add_argument("name", choices=sorted(EXPERIMENTS), help="the experiment")
    run.add_argument("--scale", choices=runs.SCALES, default="slice", help="how much (default: slice)")
    run.add_argument("--export", action="store_true", help="write the rows and their provenance as CSV")
    run.add_argument("--store", metavar="FILE", help="the SQLite file (default: runs/NAME.sqlite)")
    run.add_argument("--folder", metavar="DIR", help="where recorded rows are read and written "
                     "(default: data/recorded/NAME)")  # fmt: skip
    run.add_argument("--jobs", type=int, default=-1, metavar="N", help="processes (default: one a core)")
    run.add_argument("--backend", choices=runs.BACKENDS, default="loky",
                     help="loky: this machine; dask: the workers of a cluster (default: loky)")  # fmt: skip
    run.add_argument("--scheduler", metavar="ADDRESS", help="with --backend dask: its scheduler, as "
                     "tcp://host:8786 or as the .json file that it wrote")  # fmt: skip
    run.add_argument("--units", type=int, default=6, metavar="N", help="units of a slice (default: 6)")
    run.add_argument("--longest", type=float, default=60, metavar="SECONDS",
                     help="leave units out of a slice that took longer (default: 60)")  # fmt: skip
    run.add_argument("--seed", type=int, metavar="N", help="which slice (default: a random one)")
    run.add_argument("--quiet", action="store_true", help="no progress bar")
    run.set_defaults(action=_run)
    data = commands.add_parser(
        "data",
        help="list and fetch the upstream files",
        description="Files are looked for in the folder EVALKIT_MIRROR, then in the cache, then at their "
        "addresses, and verified wherever they are.",
    ).add_subparsers(dest="what", required=True)
    data.add_parser("list", help="each file: size, place, licence").set_defaults(action=_list)
    fetch = data.add_parser("fetch", help="verify or download files, and print their paths")
    fetch.add_argument("keys", nargs="+", metavar="KEY", help="as `evalkit data list` prints it")
    fetch.set_defaults(action=_fetch)
    card = commands.add_parser(
        "scorecard",
        help="what the papers print and claim, and what of it was found",
        description="Counts the verdicts, paper by paper. The words are explained on the book's page.",
    )
    card.add_argument("--csv", action="store_true", help="print every figure and every claim as CSV instead")
    card.add_argument("--data", metavar="DIR", default=scorecard.DATA, help="the folder with published/ "
                      "and recorded/ (default: that of this checkout)")  # fmt: skip
    card.set_defaults(action=_scorecard)
    return parser


def _list(_):
    table = sources.registry()
    width = table.key.str.len().max()
    for facts in table.itertuples():
        size = "? kB" if pd.isna(facts.bytes) else f"{facts.bytes / 1000:,.0f} kB"
        place = sources.place(facts.key) or "not here"
        print(f"{facts.key:{width}}  {size:>9}  {place:8}  {facts.licence}")
    return 0


def _fetch(options):
    for key in options.keys:
        print(sources.fetch(key))
    return 0


def _scorecard(options):
    if options.csv:
        scorecard.to_csv(sys.stdout, options.data)
        return 0
    table = scorecard.counts(options.data)
    blocks = []
    for kind in table.columns.unique(0):
        counted = table[kind].assign(all=table[kind].sum(axis=1))
        counted.loc["all"] = counted.sum()
        blocks.append(counted.rename_axis(index=None, columns=kind).to_string())
    print("\n\n".join(blocks))
    return 0


def _slice(experiment, store, options):
    compared = runs.check_slice(
        experiment, store, n_units=options.units, rng=options.seed, n_jobs=options.jobs,
        progress=not options.quiet, recorded=options.folder, backend=options.backend,
        scheduler=options.scheduler, longest=options.longest,
    )  # fmt: skip
    for line in compared.itertuples():
        verdict = "agrees " if line.agrees else "DIFFERS"
        print(f"{verdict} {line.column:>12}: recorded {line.recorded:.6f}, fresh {line.fresh:.6f}, "
              f"allowed {line.allowed:g}  [{line.unit[:70]}]")  # fmt: skip
    print(f"{compared.agrees.sum()} of {len(compared)} values agree with the record")
    return 0 if compared.agrees.all() else 1


def _run(options):
    # Before torch or a BLAS is imported in any worker: each unit has one core to itself.
    for variable in clusters.THREADS:
        os.environ.setdefault(variable, "1")
    experiment = importlib.import_module(EXPERIMENTS[options.name]).EXPERIMENT
    path = options.store or runs.default_store(options.name, options.scale)
    try:
        with runs.Store(path) as store:
            if options.scale == "slice":
                return _slice(experiment, store, options)
            counts = runs.run_experiment(
                experiment, options.scale, store=store, n_jobs=options.jobs,
                progress=not options.quiet, recorded=options.folder, backend=options.backend,
                scheduler=options.scheduler,
            )  # fmt: skip
            print(f"{options.name}: {counts['run']} units run, {counts['recorded']} taken from the "
                  f"record, {counts['before']} were there; {path} holds {len(store)}")  # fmt: skip
            if options.export:
                folder = options.folder or runs.RECORDED / options.name
                for file in runs.export(experiment, store.rows(), folder):
                    print(f"wrote {file}")
    except KeyboardInterrupt:
        print(f"stopped; what was finished is in {path}, call again to go on", file=sys.stderr)
        return 130
    return 0


def main(arguments=None):
    """Run the command line.

    Parameters
    ----------
    arguments : list of str, optional
        By default those of the process.

    Returns
    -------
    int
        The exit status: 0, or 1 if something failed or did not agree.
    """
    options = _parser().parse_args(arguments)
    try:
        return options.action(options)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    except (RuntimeError, ValueError, OSError, sqlite3.Error) as error:
        print(f"evalkit: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
