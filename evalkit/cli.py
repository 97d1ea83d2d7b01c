"""The command line for somebody's own results: `evalkit report` and `evalkit init`."""

import sys

from evalkit import _program
from evalkit._arguments import command_line

# To the laboratory, in the third edition.
_MOVED = {"run": "lab run", "scorecard": "lab scorecard", "data": "lab data"}


def _report(options):
    from evalkit.reports import _command

    return _command.report(options)


def _init(options):
    from evalkit.reports import _folder

    for line in _folder.make(options.folder):
        print(line)
    return 0


def _command_line():
    return command_line(_report, _init, _MOVED)


def _version():
    from evalkit import __version__

    return __version__


def main(arguments=None):
    """Run the command line.

    Parameters
    ----------
    arguments : list of str, optional
        By default those of the process.

    Returns
    -------
    int
        The exit status: 0; 1 if something failed or was refused; 130 if it was interrupted, 141 if its
        output was closed.
    """
    return _program.run("evalkit", _command_line, _version, arguments)


if __name__ == "__main__":
    sys.exit(main())
