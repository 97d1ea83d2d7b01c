"""The command line for somebody's own results: `evalkit report` and `evalkit init`."""

from evalkit import _program
from evalkit._arguments import command_line


def _report(options):
    from evalkit.reports import _command

    return _command.report(options)


def _init(options):
    from evalkit.reports import _first_day

    for line in _first_day.make(options.folder):
        print(line)
    return 0


def _command_line():
    return command_line(_report, _init)


def main(arguments=None):
    """Run the command line.

    Parameters
    ----------
    arguments : list of str, optional
        By default those of the process.

    Returns
    -------
    int
        The exit status: 0; 1 if something failed or was refused; 130 if it was
        interrupted, 141 if its output was closed.
    """
    return _program.run("evalkit", _command_line, arguments)
