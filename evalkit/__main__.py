"""`python -m evalkit`, and what the command `evalkit` calls."""

import sys


def main():
    """Run the command line as a program.

    Returns
    -------
    int
        The exit status.
    """
    try:
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
