"""`python -m lab`, and what the command `lab` calls."""

import sys

from evalkit.__main__ import run_program


def main():
    """Run the command line as a program.

    Returns
    -------
    int
        The exit status.
    """
    return run_program("lab.cli")


if __name__ == "__main__":
    sys.exit(main())
