"""The words of the laboratory's command line; what they do is in `lab.cli`."""

import math

from evalkit._program import Parser, number, place
from lab.clusters import BACKENDS, MOST_JOBS
from lab.record.experiment import SCALES

_UNITS, _LONGEST = 6, 60.0  # of a slice


def command_line(actions, experiments, papers):
    """Return the parser of the command line.

    Parameters
    ----------
    actions : dict of str to callable
        What is called with the options: "run", "check", "list", "fetch" and
        "scorecard".
    experiments, papers : iterable of str
        What `run` and `check`, and `scorecard --paper`, may name.

    Returns
    -------
    argparse.ArgumentParser
        Its options have `action`, and `parser`, that of the command; both None without
        a command.
    """
    parser = Parser(
        prog="lab",
        description=(
            "Run the experiments behind the book, check their record, fetch the data"
            " they read, see what came of it. (Your own results are compared by"
            " `evalkit report`.)"
        ),
        epilog=(
            "exit status: 0 done; 1 failed, or something differs from the record; 2"
            " wrong usage; 130 stopped by Ctrl-C; 141 its output was closed"
        ),
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.set_defaults(parser=None, action=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_run(commands, actions["run"], sorted(experiments))
    _add_check(commands, actions["check"], sorted(experiments))
    _add_scorecard(commands, actions["scorecard"], sorted(papers))
    _add_data(commands, actions["list"], actions["fetch"], actions["corpus"])
    return parser


def _add_run(commands, action, experiments):
    run = commands.add_parser(
        "run",
        help="run an experiment, from wherever it was left",
        description=(
            "Each finished unit is saved at once: stop it when you like and call it"
            " again. Rows that are recorded are taken from the record."
        ),
    )
    run.add_argument(
        "name",
        choices=experiments,
        metavar="NAME",
        help=f"the experiment: {', '.join(experiments)}",
    )
    run.add_argument(
        "--scale",
        choices=SCALES,
        default="recorded",
        help="recorded: what data/recorded/ holds; full: beyond it (default: recorded)",
    )
    run.add_argument(
        "--export",
        action="store_true",
        help="write the rows and their provenance as CSV",
    )
    _add_places(run, "NAME.sqlite", "where recorded rows are read and written")
    _add_work(run)
    run.set_defaults(action=action, parser=run)


def _add_check(commands, action, experiments):
    check = commands.add_parser(
        "check",
        help="run a random few recorded units again, and compare",
        description=(
            "Runs a slice of the record again: at most one unit of each table comes"
            " before a second of any. Without a NAME it takes every experiment in turn."
        ),
    )
    check.add_argument(
        "names",
        choices=experiments,
        nargs="*",
        metavar="NAME",
        help=f"experiments: {', '.join(experiments)}",
    )
    check.add_argument(
        "--units",
        metavar="N",
        default=_UNITS,
        type=number(
            int, lambda n: 1 <= n <= 10**6, "a whole number from 1 to 1,000,000"
        ),
        help=f"how many of each experiment (default: {_UNITS})",
    )
    check.add_argument(
        "--longest",
        metavar="SECONDS",
        default=_LONGEST,
        help=f"leave units out that took longer (default: {_LONGEST:.0f})",
        type=number(float, lambda s: 0 < s < math.inf, "seconds above 0"),
    )
    check.add_argument(
        "--seed",
        type=number(int, lambda n: n >= 0, "a whole number from 0"),
        metavar="N",
        help="which slice (default: a random one, which it names)",
    )
    check.add_argument(
        "--settle",
        action="store_true",
        help=(
            "take rows of other code than today's, and write down in data/same_code.csv"
            " of which tables they come out the same"
        ),
    )
    _add_places(check, "NAME.slice.sqlite", "where recorded rows are read")
    _add_work(check)
    check.set_defaults(action=action, parser=check)


def _add_places(parser, store, what):
    parser.add_argument(
        "--store",
        metavar="FILE",
        type=place,
        help=f"the SQLite file (default: runs/{store})",
    )
    parser.add_argument(
        "--folder",
        metavar="DIR",
        type=place,
        help=f"{what} (default: data/recorded/NAME)",
    )


def _add_work(parser):
    """Add the options for where units run."""
    parser.add_argument(
        "--jobs",
        metavar="N",
        help="processes of this machine (default: one a core)",
        type=number(
            int,
            lambda n: n == -1 or 1 <= n <= MOST_JOBS,
            f"a whole number from 1 to {MOST_JOBS:,}, or -1: one a core",
        ),
    )
    parser.add_argument(
        "--backend",
        choices=BACKENDS,
        default="loky",
        help="loky: this machine; dask: the workers of a cluster (default: loky)",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help=(
            "with --backend dask: its scheduler, as tcp://host:8786 or as the .json"
            " file that it wrote"
        ),
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar")


def _add_data(commands, list_action, fetch_action, corpus_action):
    data = commands.add_parser(
        "data",
        help="list and fetch the upstream files, and the book's text",
        description=(
            "Files are looked for in the folder EVALKIT_MIRROR, then in the cache, then"
            " at their addresses, and verified wherever they are."
        ),
    )
    data.set_defaults(parser=data)
    whats = data.add_subparsers(title="commands", metavar="COMMAND")
    listing = whats.add_parser("list", help="each file: size, place, licence")
    listing.set_defaults(action=list_action, parser=listing)
    fetch = whats.add_parser(
        "fetch", help="verify or download files, and print their paths"
    )
    fetch.add_argument(
        "keys", nargs="+", metavar="KEY", help="as `lab data list` prints it"
    )
    fetch.set_defaults(action=fetch_action, parser=fetch)
    corpus = whats.add_parser(
        "corpus",
        help="the book's text: what other versions are installed of, fetch as wheels",
        description=(
            "The text is the docstrings of six packages at the versions of"
            " data/docstrings.csv. Where another version is installed, pip fetches the"
            " wheel; its text is kept in the cache, and nothing is installed."
        ),
    )
    corpus.set_defaults(action=corpus_action, parser=corpus)


def _add_scorecard(commands, action, papers):
    card = commands.add_parser(
        "scorecard",
        help="what the papers print and claim, and what of it was found",
        description=(
            "Counts the verdicts, paper by paper. The words are explained on the book's"
            " page."
        ),
    )
    card.add_argument(
        "--csv",
        action="store_true",
        help="print every figure and every claim as CSV instead",
    )
    card.add_argument(
        "--check",
        action="store_true",
        help=(
            "derive every verdict and computed figure again from the recorded rows, and"
            " name what differs"
        ),
    )
    card.add_argument(
        "--paper",
        choices=papers,
        metavar="NAME",
        help=f"with --check: this paper alone, of {', '.join(papers)}",
    )
    card.add_argument(
        "--history",
        nargs="?",
        const="",
        metavar="CLAIM",
        help=(
            "print what git shows of a claim (potts2020/count-differing-items): each"
            " version of its criterion, limits, analyses and verdict; without a claim,"
            " write the earlier versions of all to data/published/history.csv"
        ),
    )
    card.set_defaults(action=action, parser=card)
