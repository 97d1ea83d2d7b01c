"""The words of the command line: its commands and options.

What they do is in `evalkit.cli`.
"""

import argparse
import math

from evalkit._limits import DIRECTIONS, SEARCHES
from evalkit._program import Parser, number, place

# Here and not in evalkit.reports, which needs the statistics.
REPORT_CHOICES = {
    "direction": DIRECTIONS,
    "unmatched": ("drop",),
    "missing": ("drop", "worst"),
    "duplicates": ("mean",),
    "search": SEARCHES,
}
REPORT_WORDS = {
    "names": (
        "FORM",
        'names of files, or of runs in a column, hold system and run: "{system}_seed{seed}"; any role may '
        "stand in braces ({fold}, {dataset}); * is anything",
    ),
    "right": ("WORD", "the word among the scores that counts as 1, the rest as 0"),
    "gold": ("FILE", "the FILE that holds the right answers"),
}
_SAID = {
    "direction": "which score is better",
    "unmatched": "compare on the items, or folds, that all systems have",
    "missing": "what an empty cell of systems x data sets does",
    "duplicates": "average rows that come again",
    "search": "how the trials were drawn",
}


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
        help="compare your own results: from a file to a page",
        description="Reads results, shows what it recognised, refuses what would make the comparison wrong, "
        "and writes one page with everything a strict reviewer asks for. What was recognised and decided "
        "goes into evalkit.toml: `evalkit report` alone reads it the next time.",
        epilog="FILE: a table of runs or of predictions (CSV, Parquet, JSON lines), an export of W&B, a "
        "local store of MLflow, cv_results_, a database of Optuna, samples of lm-evaluation-harness or "
        "logs of inspect (a folder), systems x data sets. NAME=FILE names its system. Exit status: 0 "
        "written; 1 refused; 2 columns are proposed or asked, and nothing is written; with --check 0 the "
        "claim stands, 1 it does not, 2 nothing could be read.",
    )
    report.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        type=place,
        help="results; NAME=FILE names their system",
    )
    report.add_argument(
        "--baseline",
        metavar="NAME",
        help="the system with which the others are compared",
    )
    report.add_argument(
        "-o",
        "--output",
        metavar="PAGE",
        type=place,
        action="append",
        help="where to: .html, .md or .py (default: report.html)",
    )
    report.add_argument("--metric", metavar="COLUMN", help="the column of the scores")
    report.add_argument("--map", metavar="ROLE=COLUMN", type=_pair, action="append", default=[],
                        help="what a column is for, where its name does not say it: system, seed, item, "
                        "label, prediction, dataset, fold, group, rater, numerator, denominator, "
                        "setting, note ...")  # fmt: skip
    report.add_argument(
        "--where",
        metavar="COLUMN=VALUE",
        type=_pair,
        action="append",
        default=[],
        help="only these rows; COLUMN!=VALUE all others; SYSTEM:COLUMN=VALUE is about "
        "one system; last is the last step of each run, empty an empty cell",
    )
    report.add_argument(
        "--unit",
        help="what is independent: seed, item, fold, dataset, trial, or a column of groups (A,B for two; "
        "beginning: items whose names begin alike)",
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
        "--failed",
        metavar="HOW",
        help="what a failed run scores: drop, worst, or a number",
    )
    for name, choices in REPORT_CHOICES.items():
        report.add_argument(
            f"--{name}", choices=choices, help=f"{_SAID[name]} ({' or '.join(choices)})"
        )
    for name, (word, says) in REPORT_WORDS.items():
        report.add_argument(f"--{name}", metavar=word, help=says)
    report.add_argument(
        "--as-proposed",
        action="store_true",
        help="take columns for what was proposed; read the proposal first",
    )
    report.add_argument(
        "--accept",
        metavar="CODE",
        action="append",
        default=[],
        help="go on with a fault as it is; the page says so",
    )
    report.add_argument(
        "--config", metavar="FILE", type=place, help="settings (default: evalkit.toml)"
    )
    report.add_argument(
        "--check",
        metavar="FILE",
        type=place,
        help="hold the results to the claim in these settings; prints Markdown",
    )
    report.set_defaults(action=action, parser=report)


def _add_init(commands, action):
    init = commands.add_parser(
        "init",
        help="a folder for your own experiment: runs table, check, checklist",
        description="Makes a folder with a runs table and its validator, a training script that logs into "
        "it, a place for predictions, the checklist as a template of a pull request, a workflow that "
        "checks the claim, and a page for newcomers. Nothing that is there is overwritten.",
    )
    init.add_argument("folder", metavar="FOLDER", type=place)
    init.set_defaults(action=action, parser=init)
