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
        What is called with the options: "run", "list", "fetch" and "scorecard".
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
