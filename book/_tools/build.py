"""Build the book: execute every page, and publish only what is whole. Without it a
build that fails or is stopped takes the last good book along.

    python book/_tools/build.py                       into _build/html
    python book/_tools/build.py --page splits         that page alone, into _build/page
    python book/_tools/build.py --edition student     without solutions; or teacher

The build works in _build/next; _build/html is replaced when it has succeeded and not
before, so the last good book stays readable while the next one fails, or is stopped.
What was executed and read is kept for the next build (book_cache.py); every page is
written anew, so that nothing is left of one that is gone.

A page alone is built into a copy of the last good book, and the other pages stay as
they are there. Where no book was built, the others are read, for their titles and
numbers, and not executed; only the first page is, for Sphinx writes it each time. What
was executed need not be again when the whole book is built.

An edition is the same book, executed once, and written for its readers: the student's
pages have no solutions (book_folds.py), the teacher's notebooks have them
(book_notebooks.py). Its folder has the notebooks to hand out beside the pages.
"""

import argparse
import difflib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from filelock import FileLock, Timeout
from sphinx_external_toc.parsing import parse_toc_yaml

from lab.data import cache_folder

ROOT = Path(__file__).resolve().parents[2]
NEXT = ROOT / "_build" / "next"
ALONE = ROOT / "_build" / "page"  # for a page alone
HTML = ROOT / "_build" / "html"
OLD = HTML.with_name("html.old")
EDITIONS = ("student", "teacher")
LOG = ROOT / "_build" / "build.log"

# One line a page; the rest of Sphinx's output goes to the log.
_PROGRESS = re.compile(
    r"(reading sources|writing output)\.\.\. \[ *\d+%\] \S+"
    # with its page: several are at work
    r"|[\w.]+: Execut(ing notebook|ed notebook in [\d.]+ seconds)"
)
_FAULT = re.compile(r"WARNING|ERROR|CRITICAL|Exception|Error\b")


# Parsing the sources of six packages takes half a minute, once: not on a page's time.
WARM = """
from lab.data import docstrings
for package in docstrings.frozen().index:
    try:
        docstrings.load(package)
    except docstrings.CorpusError as error:
        print(f"  {error}; cells that need it show recorded results")
"""

# Runs a command for no longer than the build: however that ends, its end of the pipe is
# closed. In a process of its own, for Sphinx may be deep in a regular expression and
# let no other thread run.
_LEASH = """
import contextlib, os, subprocess, sys, threading, psutil

def wait_and_end():
    os.read(0, 1)
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()

command = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
threading.Thread(target=wait_and_end, daemon=True).start()
sys.exit(command.wait())
"""

# As `jupyter-book build -n -W --keep-going`, which cannot write one page alone.
_SPHINX = """
import sys
from pathlib import Path
from jupyter_book.sphinx import build_sphinx

root, output, *alone = map(Path, sys.argv[1:])
status = build_sphinx(
    root,
    output / "_build" / "html",
    noconfig=True,
    path_config=root / "_config.yml",
    confoverrides={
        "external_toc_path": str(root / "_toc.yml"),
        "latex_individualpages": False,  # it has no default of its own
        "nitpicky": True,
    },
    filenames=alone,
    warningiserror=True,
    keep_going=True,
)
sys.exit(status != 0)
"""


def find_page(name):
    """Return the page that a name means, book/splits for one.

    Parameters
    ----------
    name : str
        A page as _toc.yml has it, with its suffix or without its folder as well.

    Raises
    ------
    ValueError
        If there is no such page; it names the nearest ones.
    """
    # A page and more on it have one name: book/splits is "splits", book/more/splits is
    # "more/splits".
    pages = {
        page.partition("/")[2] or page: page
        for page in parse_toc_yaml(ROOT / "_toc.yml")
    }
    wanted = re.sub(r"^(book|notebooks)/|\.\w+$", "", name)
    if wanted in pages:
        return pages[wanted]
    nearest = difflib.get_close_matches(wanted, pages) or sorted(pages)
    raise ValueError(f"There is no page {name!r}; there is {', '.join(nearest)}.")


def build(page=None, edition=None):
    """Build the book, a page of it alone or an edition, and return the exit status."""
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGHUP, _stop)
    LOG.parent.mkdir(exist_ok=True)
    lock = FileLock(LOG.with_name("build.lock"))
    try:
        try:
            lock.acquire(blocking=False)
        except Timeout:
            print("  waiting for another build of this book to end", flush=True)
            lock.acquire()
        return _build(page, edition)
    except KeyboardInterrupt:
        kept = "the pages that were executed need not be again"
        print(
            f"\nThe build was stopped; {_what_is_there()}, and {kept}.", file=sys.stderr
        )
        return 130
    finally:
        lock.release()


def _stop(number, frame):
    raise KeyboardInterrupt


def _build(page, edition):
    start = time.perf_counter()
    recover()
    if page:
        _copy_last()
    else:
        shutil.rmtree(NEXT / "_build" / "html", ignore_errors=True)
    environment = {
        **os.environ,
        "PYTHONWARNINGS": "ignore",  # of the tools; in the kernels warnings are errors
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        # There is a page on each core.
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
        "NO_COLOR": "1",
        "EVALKIT_CACHE": str(_writable_cache()),
        "EVALKIT_PAGE": page or "",
        "EVALKIT_EDITION": edition or "",
    }
    print(
        "  reading the docstrings of the installed packages (half a minute, the first"
        " time)",
        flush=True,
    )
    with _leashed(WARM, environment=environment) as process:
        print(process.stdout.read(), end="", flush=True)
    if process.returncode:
        return process.returncode
    lines = []
    arguments = [ROOT, ALONE, _source_of(page)] if page else [ROOT, NEXT]
    with (
        open(LOG, "w", encoding="utf-8") as file,
        _leashed(_SPHINX, *map(str, arguments), environment=environment) as process,
    ):
        for line in process.stdout:
            line = re.sub(r"\x1b\[[0-9;]*m", "", line.rstrip())
            file.write(line + "\n")
            lines.append(line)
            if found := _PROGRESS.search(line):
                print(f"  {found.group(0)}", flush=True)
    if process.returncode:
        _explain(lines)
        return process.returncode
    seconds = time.perf_counter() - start
    if page:
        written = ALONE / "_build" / "html" / f"{page}.html"
        print(
            f"\nThe page is built ({seconds:.0f} s); other pages are as they were built"
            " last. Open"
        )
    elif edition:
        written = _publish_edition(edition)
        print(f"\nThe {edition}'s edition is built ({seconds:.0f} s). Open")
    else:
        _publish()
        written = HTML / "index.html"
        print(f"\nThe book is built ({seconds:.0f} s). Open")
    print(f"  {written.as_uri()}")
    return 0


def _source_of(page):
    return next(
        file for file in (ROOT / f"{page}.md", ROOT / f"{page}.ipynb") if file.exists()
    )


def _copy_last():
    """Copy the last good book, and what Sphinx read of it, for a page alone."""
    shutil.rmtree(ALONE, ignore_errors=True)
    kept = [NEXT / "_build" / name for name in (".doctrees", "jupyter_execute")]
    if HTML.exists() and all(folder.exists() for folder in kept):
        for folder in kept:
            shutil.copytree(folder, ALONE / "_build" / folder.name)
        shutil.copytree(HTML, ALONE / "_build" / "html")


def _leashed(code, *arguments, environment):
    return subprocess.Popen(
        [sys.executable, "-c", _LEASH, sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=environment,
        cwd=ROOT,
    )


def _writable_cache():
    """Return the user's cache, or a folder of our own where that cannot be written, as
    without a HOME.
    """
    try:
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except (OSError, RuntimeError):  # the second where there is no HOME at all
        return ROOT / "_build" / "cache"


def _explain(lines):
    """Print what went wrong, with page, cell and traceback, and what to do."""
    out = sys.stderr
    failed = [i for i, line in enumerate(lines) if "Executing notebook failed" in line]
    faults = [
        i
        for i, line in enumerate(lines)
        if _FAULT.search(line) and "IPKernelApp" not in line
    ]
    for start in failed:
        # The page, the cell and its traceback; what follows is the tools' own story.
        ends = [
            i
            for i, line in enumerate(lines)
            if i >= start and line.endswith("[mystnb.exec]")
        ]
        end = (ends or [len(lines) - 1])[0]  # a build that was stopped leaves none
        print("\n".join(lines[start : end + 1]), file=out)
    if faults and not failed:
        print("\n".join(lines[faults[0] :]), file=out)
    print(
        f"\nThe book was not built; {_what_is_there()}. The whole log:"
        f" {LOG.relative_to(ROOT)}",
        file=out,
    )


def _what_is_there():
    return (
        "the last good book is still in _build/html"
        if HTML.exists()
        else "no book was built before"
    )


def _publish():
    """Put the new HTML in the place of the old, by renames."""
    shutil.rmtree(OLD, ignore_errors=True)
    if HTML.exists():
        HTML.rename(OLD)
    (NEXT / "_build" / "html").rename(HTML)
    shutil.rmtree(OLD, ignore_errors=True)


def _publish_edition(edition):
    """Put an edition in the place of the old, with its notebooks beside its pages;
    return its first page.
    """
    folder = ROOT / "_build" / edition
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (NEXT / "_build" / "html").rename(folder / "html")
    sources = folder / "html" / "_sources"
    for file in sources.rglob("*.ipynb"):
        copy = folder / "notebooks" / file.relative_to(sources)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    return folder / "html" / "index.html"


def recover():
    """Bring the old book back, if a build was killed between the two renames of
    `_publish`.
    """
    if OLD.exists() and not HTML.exists():
        OLD.rename(HTML)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Build the book.")
    parser.add_argument(
        "--page", metavar="NAME", help="build this page alone, splits say"
    )
    parser.add_argument("--edition", choices=EDITIONS, help="build for these readers")
    options = parser.parse_args()
    try:
        wanted = find_page(options.page) if options.page is not None else None
    except ValueError as error:
        sys.exit(str(error))
    sys.exit(build(wanted, options.edition))
