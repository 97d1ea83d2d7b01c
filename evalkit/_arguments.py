"""The words of the command line: its commands and options.

What they do is in `evalkit.cli`.
"""

import argparse
import math

from evalkit._limits import DIRECTIONS
from evalkit._program import Parser, number, place

# What `evalkit.report` takes under these names, but for its columns (--map).
REPORT_OPTIONS = (
    "baseline",
    "metric",
    "direction",
    "ignore",
    "margin",
    "n_train",
    "n_test",
    "random",
    "n",
    "confirm",
)


def _pair(text):
    name, mark, value = text.partition("=")
    if not (name and mark and value):
        raise argparse.ArgumentTypeError(f"must be NAME=VALUE, got {text!r}")
    return name, value


def command_line(report_action, init_action):
    """Return the parser of the command line.

    Parameters
    ----------
    report_action, init_action : callable
        What is called with the options.

    Returns
    -------
    argparse.ArgumentParser
        Its options have `action`, and `parser`, that of the command; both None without
        a command.
    """
    parser = Parser(
        prog="evalkit",
        description="Compare your own results. (What ran for the book is run and checked by `lab`.)",
        epilog="exit status: 0 done; 1 failed, or a report was refused; 2 wrong usage; 130 stopped by "
        "Ctrl-C; 141 its output was closed",
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.set_defaults(parser=None, action=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_report(commands, report_action)
    _add_init(commands, init_action)
    return parser


def _add_report(commands, action):
    report = commands.add_parser(
        "report",
        help="compare your own results: from one long table to a page",
        description="Reads one long table, in which a row is a score and columns have exact names (system, "
        "seed, item, fold, dataset, trial, ...), refuses what contradicts itself with the lines that mend "
        "it, and writes one page with everything a strict reviewer asks for. What was said goes into "
        "evalkit.toml: `evalkit report` alone reads it the next time.",
        epilog="Exit status: 0 written; 1 refused; 2 columns are asked about, a file cannot be read, or wrong "
        "usage; with --check 0 the claim stands, 1 it does not, 2 nothing could be read.",
    )
    report.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        type=place,
        help="CSV, TSV or JSON lines; the rows of several with one header are put together",
    )
    report.add_argument(
        "--baseline",
        metavar="NAME",
        help="the system with which the others are compared",
    )
    report.add_argument("--metric", metavar="COLUMN", help="the column of the scores")
    report.add_argument("--direction", choices=DIRECTIONS, help="which score is better")
    report.add_argument(
        "--map",
        metavar="ROLE=COLUMN",
        type=_pair,
        action="append",
        default=[],
        help="the column of a role, where its name is another: system, seed, item, attempt, fold, dataset, "
        "trial, validation, setting, group, part, prediction, label",
    )
    report.add_argument(
        "--ignore",
        metavar="COLUMN",
        action="append",
        default=[],
        help="a column that varies and has nothing to do with it; rest: all of them, once you have read them",
    )
    real = number(float, math.isfinite, "a number")
    report.add_argument(
        "--margin",
        metavar="X",
        type=real,
        help="the largest difference that does not matter",
    )
    whole = number(int, lambda n: n >= 1, "a whole number from 1")
    report.add_argument(
        "--n-train", metavar="N", type=whole, help="items on which each fold trained"
    )
    report.add_argument(
        "--n-test", metavar="N", type=whole, help="items on which each fold was tested"
    )
    report.add_argument(
        "--random", action="store_true", help="settings of trials were drawn at random"
    )
    report.add_argument(
        "--n",
        metavar="N",
        type=whole,
        help="the budget of a search, in trials (default: a fifth of the smallest)",
    )
    report.add_argument(
        "-o",
        "--output",
        metavar="PAGE",
        type=place,
        action="append",
        help="where to: .html, .md, .tex or .py (default: report.html)",
    )
    report.add_argument(
        "--check",
        metavar="FILE",
        type=place,
        help="hold the results to the claim in these settings; prints Markdown",
    )
    report.add_argument(
        "--confirm",
        metavar="CODE",
        action="append",
        default=[],
        help="a suspicion that you have looked at: it is right as it stands, and the page says so",
    )
    report.set_defaults(action=action, parser=report)


def _add_init(commands, action):
    init = commands.add_parser(
        "init",
        help="a folder for your own experiment: training script, agreements, checklist",
        description="Makes a folder with a training script that writes long tables of runs and predictions, "
        "the checklist as a template of a pull request, a workflow that checks the claim, and a page for "
        "newcomers. Nothing that is there is overwritten.",
    )
    init.add_argument("folder", metavar="FOLDER", type=place)
    init.set_defaults(action=action, parser=init)
