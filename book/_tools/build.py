"""Build the book: execute every page, check every link, and publish only what is whole.

    python book/_tools/build.py            build into _build/html
    python book/_tools/build.py --serve    serve _build/html on this machine

The build works in _build/next; _build/html is replaced when it has succeeded and not before, so the
last good book stays readable while the next one fails, or is stopped. What was executed and read is kept
for the next build (book_cache.py); every page is written anew, so that nothing is left of one that is gone.
"""

import argparse
import errno
import functools
import http.server
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

from lab.data import cache_folder

ROOT = Path(__file__).resolve().parents[2]
NEXT = ROOT / "_build" / "next"
HTML = ROOT / "_build" / "html"
OLD = HTML.with_name("html.old")
LOG = ROOT / "_build" / "build.log"

# One line a page; the rest of Sphinx's output goes to the log.
_PROGRESS = re.compile(
    r"(reading sources|writing output)\.\.\. \[ *\d+%\] \S+|Executing notebook.*"
    r"|Executed notebook in [\d.]+ seconds"
)
_FAULT = re.compile(r"WARNING|ERROR|CRITICAL|Exception|Error\b")


# Parsing the sources of six packages takes half a minute, once: not on a page's time.
_WARM = """
from lab.data import datasets
try:
    datasets.package_task()
except datasets.CorpusChangedError as error:
    print(f"  {error}")
"""

# Runs a command for no longer than the build: however that ends, its end of the pipe is closed. In a process
# of its own, for Sphinx may be deep in a regular expression and let no other thread run.
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

_SPHINX = "from jupyter_book.cli.main import main; main()"


def build():
    """Build the book and return the exit status."""
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
        return _build()
    except KeyboardInterrupt:
        kept = "the pages that were executed need not be again"
        print(f"\nThe build was stopped; {_what_is_there()}, and {kept}.", file=sys.stderr)
        return 130
    finally:
        lock.release()


def _stop(number, frame):
    raise KeyboardInterrupt


def _build():
    start = time.perf_counter()
    recover()
    shutil.rmtree(NEXT / "_build" / "html", ignore_errors=True)
    environment = {
        **os.environ,
        "PYTHONWARNINGS": "ignore",  # of the tools; in the kernels warnings are errors
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "2"),
        "NO_COLOR": "1",
        "EVALKIT_CACHE": str(_writable_cache()),
    }
    print("  reading the docstrings of the installed packages (half a minute, the first time)", flush=True)
    with _leashed(_WARM, environment=environment) as process:
        print(process.stdout.read(), end="", flush=True)
    if process.returncode:
        return process.returncode
    lines = []
    arguments = ["build", "-n", "-W", "--keep-going", "--path-output", str(NEXT), str(ROOT)]
    with (
        open(LOG, "w", encoding="utf-8") as file,
        _leashed(_SPHINX, *arguments, environment=environment) as process,
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
    _publish()
    seconds = time.perf_counter() - start
    print(f"\nThe book is built ({seconds:.0f} s). Open\n  {(HTML / 'index.html').as_uri()}")
    return 0


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
    """Return the user's cache, or a folder of our own where that cannot be written, as without a HOME."""
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
    starts = [i for i, line in enumerate(lines) if "Executing notebook failed" in line] or [
        i for i, line in enumerate(lines) if _FAULT.search(line) and "IPKernelApp" not in line
    ]
    if starts:
        # The page, the cell and its traceback come first; what follows is the tools' own story.
        ends = [i for i, line in enumerate(lines) if i > starts[0] and line.startswith("Traceback ")][1:2]
        print("\n".join(lines[starts[0] : (ends or [len(lines)])[0]]), file=out)
    print(f"\nThe book was not built; {_what_is_there()}. The whole log: {LOG.relative_to(ROOT)}", file=out)


def _what_is_there():
    return "the last good book is still in _build/html" if HTML.exists() else "no book was built before"


def _publish():
    """Put the new HTML in the place of the old, by renames."""
    shutil.rmtree(OLD, ignore_errors=True)
    if HTML.exists():
        HTML.rename(OLD)
    (NEXT / "_build" / "html").rename(HTML)
    shutil.rmtree(OLD, ignore_errors=True)


def recover():
    """Bring the old book back, if a build was killed between the two renames of `_publish`."""
    if OLD.exists() and not HTML.exists():
        OLD.rename(HTML)


def serve(port):
    """Serve the built book on this machine until Ctrl-C."""
    recover()
    if not HTML.exists():
        print("There is no book yet: run `make book` first.", file=sys.stderr)
        return 1
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(HTML))
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except (OSError, OverflowError) as error:
        why = "is in use" if getattr(error, "errno", None) == errno.EADDRINUSE else f"cannot be had ({error})"
        print(
            f"Port {port} of this machine {why}; take another, --port 8080 say, or for make: "
            "make serve PORT=8080",
            file=sys.stderr,
        )
        return 1
    with server:
        print(f"http://127.0.0.1:{port}/ (Ctrl-C stops)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Build the book, or serve it.")
    parser.add_argument("--serve", action="store_true", help="serve the built book")
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args()
    sys.exit(serve(options.port) if options.serve else build())
