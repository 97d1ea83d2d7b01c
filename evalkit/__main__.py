"""`python -m evalkit`, and what the command `evalkit` calls; `lab` begins in the same
way.

What is imported here comes before an interrupt can be answered, so it is next to
nothing.
"""

import os
import sys


def _open_closed():
    """Give a program that was started without its standard streams (`>&-`) ones that
    lead nowhere.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # The lowest number that is free is that of the stream; workers inherit it.
            number = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, mode))


def run_program(module):
    """Run a command line as the program of this process.

    Parameters
    ----------
    module : str
        That of its `main`.

    Returns
    -------
    int
        The exit status.
    """
    try:
        _open_closed()
        import importlib

        return importlib.import_module(module).main()
    except KeyboardInterrupt:
        print("stopped; nothing was begun, the same command begins it", file=sys.stderr)
        return 130
    finally:
        import signal

        # What is left is Python's own end, which would print where a second interrupt
        # fell.
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def main():
    """Run the command line as a program.

    Returns
    -------
    int
        The exit status.
    """
    return run_program("evalkit.cli")


if __name__ == "__main__":
    sys.exit(main())
