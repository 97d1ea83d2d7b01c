"""`python -m evalkit`, and what the command `evalkit` calls."""

import sys

from evalkit._program import as_program


def main():
    """Run the command line as a program.

    Returns
    -------
    int
        The exit status.
    """
    return as_program("evalkit.cli")


if __name__ == "__main__":
    sys.exit(main())
