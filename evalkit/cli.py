"""The command line: `evalkit run NAME --scale ...`, `evalkit data list|fetch`, `evalkit scorecard`.

What takes time to import is imported by the command that needs it: `--help` answers at once.
"""

import argparse
import contextlib
import difflib
import errno
import importlib
import math
import os
import random
import select
import shlex
import shutil
import sys
from pathlib import Path
from pkgutil import iter_modules

from evalkit import _interrupts, experiments, papers

# By name; each is imported when it is asked for. A paper is a folder.
PAPERS = [module.name for module in iter_modules(papers.__path__) if module.ispkg]
EXPERIMENTS = {
    **{module.name: f"{experiments.__name__}.{module.name}" for module in iter_modules(experiments.__path__)},
    **{name: f"{papers.__name__}.{name}" for name in PAPERS},
}
# As evalkit.runs has them, which takes a second to import; a test holds them together.
SCALES = ("slice", "recorded", "full")
BACKENDS = ("loky", "dask")
MOST_JOBS = 1024

_SLICE = {"units": 6, "longest": 60.0, "seed": None}
_CHECKOUT = Path(__file__).resolve().parents[1]


# ---------------------------------------------------------------------------------------------
# Words
# ---------------------------------------------------------------------------------------------


def _near(word, words, otherwise=None):
    """Return the words that someone may have meant, as the end of a sentence; if none comes near, all."""
    words = list(words)
    near = (
        difflib.get_close_matches(word, words) or [w for w in words if word and word.lower() in w.lower()][:3]
    )
    return f"did you mean {' or '.join(near)}?" if near else otherwise or f"there are: {', '.join(words)}"


class _Parser(argparse.ArgumentParser):
    """A parser that ends in one sentence, with the words that come near to a wrong one."""

    def error(self, message):
        self.exit(2, f"{self.prog}: {message} ({self.prog} --help says more)\n")

    def _print_message(self, message, file=None):
        print(message, end="", file=file or sys.stderr, flush=True)  # argparse's own hides a closed pipe

    def _check_value(self, action, value):
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, f"{value!r} is unknown; {_near(value, action.choices)}")

    def parse_args(self, args=None, namespace=None):
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            parser = options.parser or self
            word = unknown[0].partition("=")[0]
            if not word.startswith("-"):
                parser.error(f"{word!r} is one word too many")
            known = [name for action in parser._actions for name in action.option_strings]
            parser.error(f"{word!r} is unknown; {_near(word, known)}")
        return options


def _number(convert, fits, needs):
    """Return a type for argparse: a number that fits, or a sentence that says what is needed."""

    def read(text):
        with contextlib.suppress(ValueError):
            if fits(value := convert(text)):
                return value
        raise argparse.ArgumentTypeError(f"must be {needs}, got {text!r}")

    return read


def _place(text):
    """Return the name of a file or a folder, for argparse; an empty one would silently be another."""
    if not text:
        raise argparse.ArgumentTypeError("must be a place, got ''")
    return text


def _parser():
    parser = _Parser(
        prog="evalkit",
        description="Run the experiments behind the book; fetch the data they read; see what came of it.",
        epilog="exit status: 0 done; 1 failed, or a slice differs from the record; 2 wrong usage; "
        "130 stopped by Ctrl-C; 141 its output was closed",
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.set_defaults(parser=None, action=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    run = commands.add_parser(
        "run",
        help="run an experiment, from wherever it was left",
        description="Each finished unit is saved at once: stop it when you like and call it again. "
        "slice runs a random few recorded units afresh and compares; recorded makes the rows in "
        "data/recorded/; full goes beyond them.",
    )
    run.add_argument("name", choices=sorted(EXPERIMENTS), metavar="NAME",
                     help=f"the experiment: {', '.join(sorted(EXPERIMENTS))}")  # fmt: skip
    run.add_argument("--scale", choices=SCALES, default="slice", help="how much (default: slice)")
    run.add_argument("--export", action="store_true",
                     help="write the rows and their provenance as CSV (not of a slice)")  # fmt: skip
    run.add_argument(
        "--store", metavar="FILE", type=_place, help="the SQLite file (default: runs/NAME.sqlite)"
    )
    run.add_argument("--folder", metavar="DIR", type=_place, help="where recorded rows are read "
                     "and written (default: data/recorded/NAME)")  # fmt: skip
    run.add_argument("--jobs", metavar="N", help="processes of this machine (default: one a core)",
                     type=_number(int, lambda n: n == -1 or 1 <= n <= MOST_JOBS,
                                  f"a whole number from 1 to {MOST_JOBS:,}, or -1: one a core"))  # fmt: skip
    run.add_argument("--backend", choices=BACKENDS, default="loky",
                     help="loky: this machine; dask: the workers of a cluster (default: loky)")  # fmt: skip
    run.add_argument("--scheduler", metavar="ADDRESS", help="with --backend dask: its scheduler, as "
                     "tcp://host:8786 or as the .json file that it wrote")  # fmt: skip
    run.add_argument("--units", metavar="N",
                     type=_number(int, lambda n: 1 <= n <= 10**6, "a whole number from 1 to 1,000,000"),
                     help=f"units of a slice (default: {_SLICE['units']})")  # fmt: skip
    run.add_argument("--longest", metavar="SECONDS", help="leave units out of a slice that took longer "
                     f"(default: {_SLICE['longest']:.0f})",
                     type=_number(float, lambda s: 0 < s < math.inf, "seconds above 0"))  # fmt: skip
    run.add_argument("--seed", type=_number(int, lambda n: n >= 0, "a whole number from 0"), metavar="N",
                     help="which slice (default: a random one, which it names)")  # fmt: skip
    run.add_argument("--quiet", action="store_true", help="no progress bar")
    run.set_defaults(action=_run, parser=run)
    data = commands.add_parser(
        "data",
        help="list and fetch the upstream files",
        description="Files are looked for in the folder EVALKIT_MIRROR, then in the cache, then at their "
        "addresses, and verified wherever they are.",
    )
    data.set_defaults(parser=data)
    whats = data.add_subparsers(title="commands", metavar="COMMAND")
    listing = whats.add_parser("list", help="each file: size, place, licence")
    listing.set_defaults(action=_list, parser=listing)
    fetch = whats.add_parser("fetch", help="verify or download files, and print their paths")
    fetch.add_argument("keys", nargs="+", metavar="KEY", help="as `evalkit data list` prints it")
    fetch.set_defaults(action=_fetch, parser=fetch)
    card = commands.add_parser(
        "scorecard",
        help="what the papers print and claim, and what of it was found",
        description="Counts the verdicts, paper by paper. The words are explained on the book's page.",
    )
    card.add_argument("--csv", action="store_true", help="print every figure and every claim as CSV instead")
    card.add_argument("--data", metavar="DIR", type=_place, help="the folder with published/ and "
                      "recorded/ (default: that of this checkout)")  # fmt: skip
    card.add_argument("--check", action="store_true", help="derive every verdict and computed figure again "
                      "from the recorded rows, and name what differs")  # fmt: skip
    card.add_argument("--paper", choices=sorted(PAPERS), metavar="NAME", help="with --check: this paper "
                      f"alone, of {', '.join(sorted(PAPERS))}")  # fmt: skip
    card.set_defaults(action=_scorecard, parser=card)
    return parser


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
            near = _near(key, known, "`evalkit data list` names them")
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
    for name in [options.paper] if options.paper else sorted(PAPERS):
        lines, missing = checking.check(importlib.import_module(EXPERIMENTS[name]).EXPERIMENT)
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


def _check_run(options):
    """Refuse what would do nothing, and fill in what was left out."""
    is_slice, is_dask = options.scale == "slice", options.backend == "dask"
    useless = {
        "--export": options.export and is_slice and "a slice is compared, never exported: it needs "
        "--scale recorded or full",
        **{f"--{name}": getattr(options, name) is not None and not is_slice and f"it chooses a slice, and "
           f"--scale is {options.scale}" for name in _SLICE},
        "--scheduler": options.scheduler is not None and not is_dask and "it needs --backend dask",
        "--jobs": options.jobs is not None and is_dask and "it is for processes of this machine; with "
        "--backend dask each worker is one",
    }  # fmt: skip
    for option, why in useless.items():
        if why:
            options.parser.error(f"{option} would do nothing: {why}")
    if is_dask and options.scheduler is None:
        options.parser.error("--backend dask needs --scheduler, the address of a Dask scheduler "
                             "(tcp://host:8786)")  # fmt: skip
    if options.jobs is None:
        options.jobs = -1
    if is_slice:
        if options.seed is None:
            options.seed = random.SystemRandom().randrange(10**6)
            options.again += ["--seed", str(options.seed)]
        for name, default in _SLICE.items():
            if getattr(options, name) is None:
                setattr(options, name, default)


def _work(options):
    from evalkit import runs

    return runs.Work(options.jobs, options.backend, options.scheduler, not options.quiet)


def _slice(experiment, store, options):
    from evalkit import runs

    print(f"{options.name}: a slice, --seed {options.seed}", flush=True)
    compared = runs.check_slice(
        experiment, store, n_units=options.units, rng=options.seed, work=_work(options),
        recorded=options.folder, longest=options.longest,
    )  # fmt: skip
    for line in compared.itertuples():
        verdict = "agrees " if line.agrees else "DIFFERS"
        print(f"{verdict} {line.column:>12}: recorded {line.recorded:.6f}, fresh {line.fresh:.6f}, "
              f"allowed {line.allowed:g}  [{line.unit[:70]}]")  # fmt: skip
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
        print(f"{options.name}: {counts['run']} units run, {counts['recorded']} taken from the "
              f"record, {counts['before']} were there; {path} holds {len(store)}", flush=True)  # fmt: skip
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
            parser = _parser()
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
