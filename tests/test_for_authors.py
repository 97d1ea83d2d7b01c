"""The commands of the page for the authors: each runs, and shows something."""

import contextlib
import functools
import io
import re
import shlex
import warnings
from pathlib import Path

import pytest

from lab import scorecard
from lab.data import sources

PAGE = Path(__file__).resolve().parents[1] / "book" / "for_authors.md"
TEXT = PAGE.read_text(encoding="utf-8")
COMMANDS = [
    command.strip()
    for command in re.findall(r"^```bash\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
]
# What requirements-bench.txt installs, and nothing else needs.
PEERS = {"boon", "mlxtend", "opda", "scikits", "statsmodels"}


@functools.cache
def csv_lines():
    """Return what `lab scorecard --csv` prints."""
    file = io.StringIO()
    scorecard.to_csv(file)
    return file.getvalue().splitlines()


def not_here(_, path):
    """Stand in for a download: tests load nothing."""
    raise sources.SourceError(
        f"{path.name}: neither in EVALKIT_MIRROR nor in the cache"
    )


def upstream_lines(fetch):
    """Return what the file has that `$(lab data fetch KEY)` names."""
    key = re.fullmatch(r"\$\(lab data fetch \\\n +(\S+)\)", fetch)[1]
    if not sources.available(key):
        pytest.skip(f"{key}: neither in EVALKIT_MIRROR nor in the cache")
    with sources.opened(key) as path:
        return path.read_text(encoding="utf-8").splitlines()


def grep(lines, arguments):
    """Return the lines that a call of grep lets through."""
    pattern = arguments[-1]
    assert arguments[:-1] in ([], ["-E"])
    return [line for line in lines if re.search(pattern, line)]


def shown_by_python(code):
    """Run what is behind `python -c`, and return what it prints."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some peers warn, and the page says so
            exec(compile(code, "command", "exec"), {})
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] not in PEERS:
            raise
        pytest.skip(f"{error.name} is not installed: make bench")
    except sources.SourceError as error:
        pytest.skip(str(error))
    return said.getvalue().strip()


def shown_by(command):
    """Return what a command of the page prints."""
    program, *words = shlex.split(command)
    if program == "python":
        flag, code = words
        assert flag == "-c"
        return shown_by_python(code)
    if program == "grep":
        _, pattern, fetch = command.split(maxsplit=2)
        return grep(upstream_lines(fetch), [pattern])
    first, *pipes = command.split(" | ")
    assert first == "lab scorecard --csv"
    return functools.reduce(
        lambda lines, pipe: grep(lines, shlex.split(pipe)[1:]), pipes, csv_lines()
    )


# Not a grid, for some of them are skipped.
@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_runs_and_shows_something(command, monkeypatch):
    monkeypatch.setattr(sources, "_download", not_here)
    assert max(map(len, command.splitlines())) <= 78, "78 columns at most"
    assert shown_by(command)


def test_each_line_has_one_command():
    lines = re.findall(r"^\*\*([TBMLPAK]\d+) \(", TEXT, re.MULTILINE)
    assert len(set(lines)) == len(lines) == len(COMMANDS)
    assert 25 <= len(lines) <= 35, "at most 35 lines: nobody reads more"
