"""How the program begins and ends, in this process; in one of its own,
tests/test_cli.py and tests/faults.
"""

import os
import signal
import sys
import types
from importlib import metadata

import programs
import pytest

import evalkit
from evalkit import __main__ as program


@pytest.fixture
def module(monkeypatch):
    """A module of a command line, whose `main` is still to be given; the answer to
    Ctrl-C is put back.
    """
    module = types.ModuleType("a_command_line")
    monkeypatch.setitem(sys.modules, "a_command_line", module)
    answer = signal.getsignal(signal.SIGINT)
    yield module
    signal.signal(signal.SIGINT, answer)


def test_status_is_that_of_the_command_line(module):
    module.main = lambda: 7
    assert program.run_program("a_command_line") == 7
    assert signal.getsignal(signal.SIGINT) == signal.SIG_DFL  # of Python's own end


def test_stopped_before_it_began(module, capsys):
    def main():
        raise KeyboardInterrupt

    module.main = main
    assert program.run_program("a_command_line") == 130
    assert capsys.readouterr() == (
        "",
        "stopped; nothing was begun, the same command begins it\n",
    )


@programs.POSIX
def test_streams_that_are_closed_lead_nowhere(monkeypatch):
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    program._open_closed()
    opened = [sys.stdin, sys.stdout, sys.stderr]
    monkeypatch.undo()
    assert [(stream.name > 2, stream.mode) for stream in opened] == [
        (True, "r"),
        (True, "w"),
        (True, "w"),
    ]
    assert all(os.get_inheritable(stream.fileno()) for stream in opened)
    assert opened[0].read() == ""
    for stream in opened:
        stream.close()


def test_streams_that_are_open_stay():
    before = sys.stdin, sys.stdout, sys.stderr
    program._open_closed()
    assert (sys.stdin, sys.stdout, sys.stderr) == before


def test_version_of_a_checkout_that_was_not_installed(monkeypatch):
    def version(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", version)
    monkeypatch.delitem(vars(evalkit), "__version__", raising=False)
    assert evalkit.__version__ == "unknown"
    monkeypatch.delitem(vars(evalkit), "__version__")
