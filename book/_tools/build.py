"""Build the book: execute every page, check every link, and publish only what is whole.

    python book/_tools/build.py            build into _build/html
    python book/_tools/build.py --serve    serve _build/html on this machine

The build works in _build/next; _build/html is replaced when it has succeeded and not before, so the
last good book stays readable while the next one fails.
"""

import argparse
import errno
import functools
import http.server
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NEXT = ROOT / "_build" / "next"
HTML = ROOT / "_build" / "html"

# One line a page; the rest of Sphinx's output goes to the log.
_PROGRESS = re.compile(
    r"(reading sources|writing output)\.\.\. \[ *\d+%\] \S+|Executing notebook.*"
    r"|Executed notebook in [\d.]+ seconds"
)
_FAULT = re.compile(r"WARNING|ERROR|CRITICAL|Exception|Error\b")


# Parsing the sources of six packages takes half a minute, once: not on a page's time.
_WARM = """
from evalkit import datasets
try:
    datasets.package_task()
except datasets.CorpusChangedError as error:
    print(f"  {error}")
"""


def build():
    """Build the book and return the exit status."""
    start = time.perf_counter()
    print("  reading the docstrings of the installed packages (half a minute, the first time)", flush=True)
    subprocess.run([sys.executable, "-c", _WARM], cwd=ROOT, check=True)
    command = [
        sys.executable, "-c", "from jupyter_book.cli.main import main; main()",
        "build", "-n", "-W", "--keep-going", "--path-output", str(NEXT), str(ROOT),
    ]  # fmt: skip
    environment = {
        **os.environ,
        "PYTHONWARNINGS": "ignore",  # of the tools; pages make their own warnings errors
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "2"),
        "NO_COLOR": "1",
    }
    log = ROOT / "_build" / "build.log"
    log.parent.mkdir(exist_ok=True)
    lines = []
    with (
        open(log, "w", encoding="utf-8") as file,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8",
            errors="replace", env=environment, cwd=ROOT,
        ) as process,
    ):  # fmt: skip
        for line in process.stdout:
            line = re.sub(r"\x1b\[[0-9;]*m", "", line.rstrip())
            file.write(line + "\n")
            lines.append(line)
            if found := _PROGRESS.search(line):
                print(f"  {found.group(0)}", flush=True)
    if process.returncode:
        _explain(lines, log)
        return process.returncode
    _publish()
    seconds = time.perf_counter() - start
    print(f"\nThe book is built ({seconds:.0f} s). Open\n  {(HTML / 'index.html').as_uri()}")
    return 0


def _explain(lines, log):
    """Print what went wrong, with page, cell and traceback, and what to do."""
    out = sys.stderr
    starts = [i for i, line in enumerate(lines) if "Executing notebook failed" in line] or [
        i for i, line in enumerate(lines) if _FAULT.search(line) and "IPKernelApp" not in line
    ]
    if starts:
        # The page, the cell and its traceback come first; what follows is the tools' own story.
        ends = [i for i, line in enumerate(lines) if i > starts[0] and line.startswith("Traceback ")][1:2]
        print("\n".join(lines[starts[0] : (ends or [len(lines)])[0]]), file=out)
    there = "the last good book is still in _build/html" if HTML.exists() else "no book was built before"
    print(f"\nThe book was not built; {there}. The whole log: {log.relative_to(ROOT)}", file=out)


def _publish():
    """Put the new HTML in the place of the old, by renames."""
    fresh, old = HTML.with_name("html.new"), HTML.with_name("html.old")
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    shutil.copytree(NEXT / "_build" / "html", fresh, ignore=shutil.ignore_patterns("reports"))
    if HTML.exists():
        HTML.rename(old)
    fresh.rename(HTML)
    shutil.rmtree(old, ignore_errors=True)


def serve(port):
    """Serve the built book on this machine until Ctrl-C."""
    if not HTML.exists():
        print("There is no book yet: run `make book` first.", file=sys.stderr)
        return 1
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(HTML))
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except (OSError, OverflowError) as error:
        why = "is in use" if getattr(error, "errno", None) == errno.EADDRINUSE else f"cannot be had ({error})"
        print(f"Port {port} of this machine {why}; take another, --port 8080 say, or for make: "
              "make serve PORT=8080", file=sys.stderr)  # fmt: skip
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
