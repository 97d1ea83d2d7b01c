"""The words of the command line: its commands and options, and what a wrong one is told.

What they do is in `evalkit.cli`.
"""

import argparse
import contextlib
import difflib
import math
import sys

# As evalkit.runs has them, which takes a second to import; a test holds them together.
SCALES = ("slice", "recorded", "full")
BACKENDS = ("loky", "dask")
MOST_JOBS = 1024

# What a slice is when its options are left out; None: a random seed.
SLICE = {"units": 6, "longest": 60.0, "seed": None}


def meant(word, words, otherwise=None):
    """Return the words that someone may have meant, as the end of a sentence.

    Parameters
    ----------
    word : str
    words : iterable of str
        Those there are.
    otherwise : str, optional
        What is said if none comes near; by default all words.

    Returns
    -------
    str
    """
    words = list(words)
    close = difflib.get_close_matches(word, words)
    if word and not close:
        close = [known for known in words if word.lower() in known.lower()][:3]
    if close:
        return f"did you mean {' or '.join(close)}?"
    return otherwise or f"there are: {', '.join(words)}"


class _Parser(argparse.ArgumentParser):
    """A parser that ends in one sentence, with the words that come near to a wrong one."""

    def error(self, message):
        self.exit(2, f"{self.prog}: {message} ({self.prog} --help says more)\n")

    def _print_message(self, message, file=None):
        print(message, end="", file=file or sys.stderr, flush=True)  # argparse's own hides a closed pipe

    def _check_value(self, action, value):
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, f"{value!r} is unknown; {meant(value, action.choices)}")

    def parse_args(self, args=None, namespace=None):
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            parser = options.parser or self
            word = unknown[0].partition("=")[0]
            if not word.startswith("-"):
                parser.error(f"{word!r} is one word too many")
            known = [name for action in parser._actions for name in action.option_strings]
            parser.error(f"{word!r} is unknown; {meant(word, known)}")
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


def command_line(actions, experiments, papers):
    """Return the parser of the command line.

    Parameters
    ----------
    actions : dict of str to callable
        What is called with the options: "report", "init", "run", "list", "fetch" and "scorecard".
    experiments, papers : iterable of str
        What `run` and `scorecard --paper` may name.

    Returns
    -------
    argparse.ArgumentParser
        Its options have `action`, and `parser`, that of the command; both None without a command.
    """
    experiments, papers = sorted(experiments), sorted(papers)
    parser = _Parser(
        prog="evalkit",
        description="Compare your own results; run the experiments behind the book, fetch the data they "
        "read, see what came of it.",
        epilog="exit status: 0 done; 1 failed, a report was refused, or a slice differs from the record; 2 "
        "wrong usage; 130 stopped by Ctrl-C; 141 its output was closed",
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.set_defaults(parser=None, action=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_report(commands, actions)
    run = commands.add_parser(
        "run",
        help="run an experiment, from wherever it was left",
        description="Each finished unit is saved at once: stop it when you like and call it again. slice "
        "runs a random few recorded units afresh and compares; recorded makes the rows in data/recorded/; "
        "full goes beyond them.",
    )
    run.add_argument(
        "name",
        choices=experiments,
        metavar="NAME",
        help=f"the experiment: {', '.join(experiments)}",
    )
    run.add_argument("--scale", choices=SCALES, default="slice", help="how much (default: slice)")
    run.add_argument(
        "--export", action="store_true", help="write the rows and their provenance as CSV (not of a slice)"
    )
    run.add_argument(
        "--store", metavar="FILE", type=_place, help="the SQLite file (default: runs/NAME.sqlite)"
    )
    run.add_argument(
        "--folder",
        metavar="DIR",
        type=_place,
        help="where recorded rows are read and written (default: data/recorded/NAME)",
    )
    run.add_argument(
        "--jobs",
        metavar="N",
        help="processes of this machine (default: one a core)",
        type=_number(
            int,
            lambda n: n == -1 or 1 <= n <= MOST_JOBS,
            f"a whole number from 1 to {MOST_JOBS:,}, or -1: one a core",
        ),
    )
    run.add_argument(
        "--backend",
        choices=BACKENDS,
        default="loky",
        help="loky: this machine; dask: the workers of a cluster (default: loky)",
    )
    run.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="with --backend dask: its scheduler, as tcp://host:8786 or as the .json file that it wrote",
    )
    run.add_argument(
        "--units",
        metavar="N",
        type=_number(int, lambda n: 1 <= n <= 10**6, "a whole number from 1 to 1,000,000"),
        help=f"units of a slice (default: {SLICE['units']})",
    )
    run.add_argument(
        "--longest",
        metavar="SECONDS",
        help=f"leave units out of a slice that took longer (default: {SLICE['longest']:.0f})",
        type=_number(float, lambda s: 0 < s < math.inf, "seconds above 0"),
    )
    run.add_argument(
        "--seed",
        type=_number(int, lambda n: n >= 0, "a whole number from 0"),
        metavar="N",
        help="which slice (default: a random one, which it names)",
    )
    run.add_argument("--quiet", action="store_true", help="no progress bar")
    run.set_defaults(action=actions["run"], parser=run)
    data = commands.add_parser(
        "data",
        help="list and fetch the upstream files",
        description="Files are looked for in the folder EVALKIT_MIRROR, then in the cache, then at their "
        "addresses, and verified wherever they are.",
    )
    data.set_defaults(parser=data)
    whats = data.add_subparsers(title="commands", metavar="COMMAND")
    listing = whats.add_parser("list", help="each file: size, place, licence")
    listing.set_defaults(action=actions["list"], parser=listing)
    fetch = whats.add_parser("fetch", help="verify or download files, and print their paths")
    fetch.add_argument("keys", nargs="+", metavar="KEY", help="as `evalkit data list` prints it")
    fetch.set_defaults(action=actions["fetch"], parser=fetch)
    card = commands.add_parser(
        "scorecard",
        help="what the papers print and claim, and what of it was found",
        description="Counts the verdicts, paper by paper. The words are explained on the book's page.",
    )
    card.add_argument("--csv", action="store_true", help="print every figure and every claim as CSV instead")
    card.add_argument(
        "--data",
        metavar="DIR",
        type=_place,
        help="the folder with published/ and recorded/ (default: that of this checkout)",
    )
    card.add_argument(
        "--check",
        action="store_true",
        help="derive every verdict and computed figure again from the recorded rows, and name what differs",
    )
    card.add_argument(
        "--paper",
        choices=papers,
        metavar="NAME",
        help=f"with --check: this paper alone, of {', '.join(papers)}",
    )
    card.set_defaults(action=actions["scorecard"], parser=card)
    return parser


# ---------------------------------------------------------------------------------------------
# Somebody's own results
# ---------------------------------------------------------------------------------------------

# Here and not in evalkit.reports, which needs the statistics.
REPORT_CHOICES = {
    "direction": ("higher", "lower"),
    "unmatched": ("drop",),
    "missing": ("drop", "worst"),
    "duplicates": ("mean", "first"),
    "search": ("random", "grid", "guided"),
    "spread": ("sd", "se"),
}
_SAID = {
    "direction": "which score is better",
    "unmatched": "compare on the items, or folds, that all systems have",
    "missing": "what an empty cell of systems x data sets does",
    "duplicates": "rows that come again: average them, or take the first",
    "search": "how the trials were drawn",
    "spread": "what stands behind the \u00b1 of --summary",
}


def _pair(text):
    name, mark, value = text.partition("=")
    if not (name and mark and value):
        raise argparse.ArgumentTypeError(f"must be NAME=VALUE, got {text!r}")
    return name, value


def _add_report(commands, actions):
    """Add the commands for somebody's own results: `report` and `init`."""
    report = commands.add_parser(
        "report",
        help="compare your own results: from a file to a page",
        description="Reads results, shows what it recognised, refuses what would make the comparison wrong, "
        "and writes one page with everything a strict reviewer asks for. What was recognised and decided "
        "goes into evalkit.toml: `evalkit report` alone reads it the next time.",
        epilog="FILE: a table of runs or of predictions (CSV, Parquet, JSON lines), an export or a local "
        "store of W&B or MLflow, cv_results_, a database of Optuna, samples of lm-evaluation-harness or "
        "logs of inspect (a folder), systems x data sets. NAME=FILE names its system. Exit status: 0 "
        "written; 1 refused; with --check 0 the claim stands, 1 it does not, 2 nothing could be read.",
    )
    report.add_argument(
        "files", nargs="*", metavar="FILE", type=_place, help="results; NAME=FILE names their system"
    )
    report.add_argument("--baseline", metavar="NAME", help="the system with which the others are compared")
    report.add_argument("-o", "--output", metavar="PAGE", type=_place, action="append",
                        help="where to: .html, .md, .tex, .json or .py (default: report.html)")  # fmt: skip
    report.add_argument("--metric", metavar="COLUMN", help="the column of the scores")
    report.add_argument("--map", metavar="ROLE=COLUMN", type=_pair, action="append", default=[],
                        help="what a column is for: system, seed, item, label, prediction, validation, "
                        "group, dataset, fold, repeat, status, setting, note ...")  # fmt: skip
    report.add_argument("--where", metavar="COLUMN=VALUE", type=_pair, action="append", default=[],
                        help="only these rows; SYSTEM:COLUMN=VALUE is about one system; COLUMN=last keeps "
                        "the last step of each run")  # fmt: skip
    report.add_argument(
        "--unit", help="what is independent: seed, item, fold, dataset, trial, or a column of groups"
    )
    number = _number(float, math.isfinite, "a number")
    report.add_argument(
        "--margin", metavar="X", type=number, help="the largest difference that does not matter"
    )
    whole = _number(int, lambda n: n >= 1, "a whole number from 1")
    report.add_argument("--n-train", metavar="N", type=whole, help="items on which each fold trained")
    report.add_argument("--n-test", metavar="N", type=whole, help="items on which each fold was tested")
    report.add_argument("--failed", metavar="HOW", help="what a failed run scores: drop, worst, or a number")
    for name, choices in REPORT_CHOICES.items():
        report.add_argument(f"--{name}", choices=choices, help=f"{_SAID[name]} ({' or '.join(choices)})")
    report.add_argument(
        "--summary",
        metavar="TEXT",
        action="append",
        default=[],
        help='printed numbers: "Ours=91.3\u00b10.4 n=5", or "Ours=91.3 items=1000"',
    )
    report.add_argument("--accept", metavar="CODE", action="append", default=[],
                        help="go on with a fault as it is; the page says so")  # fmt: skip
    report.add_argument("--config", metavar="FILE", type=_place, help="settings (default: evalkit.toml)")
    report.add_argument("--check", metavar="FILE", type=_place,
                        help="hold the results to the claim in these settings; prints Markdown")  # fmt: skip
    report.set_defaults(action=actions.get("report"), parser=report)
    init = commands.add_parser(
        "init",
        help="a folder for your own experiment: runs table, check, checklist",
        description="Makes a folder with a runs table and its validator, a training script that logs into "
        "it, a place for predictions, the checklist as a template of a pull request, a workflow that "
        "checks the claim, and a page for newcomers. Nothing that is there is overwritten.",
    )
    init.add_argument("folder", metavar="FOLDER", type=_place)
    init.set_defaults(action=actions.get("init"), parser=init)
