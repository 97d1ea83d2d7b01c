"""`python -m evalkit`, and what the command `evalkit` calls."""

import os
import sys


def _open_closed():
    """Give a program that was started without its standard streams (`>&-`) ones that lead nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # The lowest number that is free is that of the stream; workers inherit it.
            number = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, mode))


def main():
    """Run the command line as a program.

    Returns
    -------
    int
        The exit status.
    """
    try:
        _open_closed()
        # Not above: an interrupt may come while it is imported.
        from evalkit import cli

        return cli.main()
    except KeyboardInterrupt:
        print("stopped; nothing was begun, the same command begins it", file=sys.stderr)
        return 130
    finally:
        import signal

        # What is left is Python's own end, which would print where a second interrupt fell.
        signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
