"""Open each page as Binder does, run all its cells, and record what that takes: `make
binder`.

Each page of the built book, as the notebook that is downloaded, is opened in Chromium
by the address of its launch link, on a server of its own that has one core, a new HOME
and `.binder/postBuild`. Measured are the peak of the memory of server and kernel
together, and the time of the kernel. A page that needs more than a Binder has is a
fault. So that it runs out of memory there and then, as root on Linux:

    mkdir /sys/fs/cgroup/binder && echo 1G > /sys/fs/cgroup/binder/memory.max
    .venv/bin/python benchmarks/binder.py --limit /sys/fs/cgroup/binder

Name pages, book/splits say, to run only these, and keep what is recorded of the others.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import pandas as pd
import psutil
import record
from selenium import webdriver

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "book" / "_tools"))

from without_torch import hide_torch  # noqa: E402

NOTEBOOKS = ROOT / "_build" / "html" / "_sources"
MEMORY = 1024  # MiB that a Binder has for certain
PATIENCE = 900  # seconds for one page
SERVER = [
    *("-m", "notebook", "--no-browser", "--allow-root", "--expose-app-in-browser"),
    *("--ServerApp.ip=127.0.0.1", "--ServerApp.port=0", "--IdentityProvider.token="),
]
RUN_ALL = """
(async () => {
  while (!window.jupyterapp?.shell?.currentWidget?.sessionContext)
    await new Promise((again) => setTimeout(again, 100));
  const page = jupyterapp.shell.currentWidget;
  await page.context.ready;
  await page.sessionContext.ready;
  await jupyterapp.commands.execute('notebook:run-all-cells');
  await page.context.save();
})().then(() => { window.ended = 'ran'; }, (error) => { window.ended = String(error); });
"""


def new_home(folder):
    """Return an environment with nothing of the user's, after what a Binder does
    once.
    """
    own = ("JUPYTER", "EVALKIT", "IPYTHON", "XDG", "MPL", "PYTHON")
    inherited = {
        key: value for key, value in os.environ.items() if not key.startswith(own)
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    hide_torch(folder)  # a Binder has none
    environment = inherited | {
        "HOME": str(folder),
        "PATH": path,
        "PYTHONPATH": str(folder),
    }
    subprocess.run(
        ["bash", ROOT / ".binder" / "postBuild"], env=environment, cwd=ROOT, check=True
    )
    return environment


@contextlib.contextmanager
def server_in(folder, environment, limit):
    """Start a server on one core, of the memory group `limit`; give (its process, its
    address).
    """

    def confine():
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        if limit:
            (limit / "cgroup.procs").write_text(str(os.getpid()))

    log = Path(environment["HOME"], "server.log")
    command = [sys.executable, *SERVER, f"--ServerApp.root_dir={folder}"]
    with (
        log.open("w") as out,
        psutil.Popen(
            command, env=environment, stdout=out, stderr=out, preexec_fn=confine
        ) as server,
    ):
        try:
            file = Path(
                environment["HOME"],
                f".local/share/jupyter/runtime/jpserver-{server.pid}.json",
            )
            while not (file.exists() and file.stat().st_size):
                if server.poll() is not None:
                    raise RuntimeError(log.read_text())
                time.sleep(0.1)
            yield server, json.loads(file.read_text())["url"]
        finally:
            server.terminate()  # it ends its kernels
            server.wait(60)


def look(server):
    """Return (MiB that the server has had, MiB that its kernel has had, seconds that
    the kernel worked).
    """
    memory, seconds = [0.0, 0.0], 0.0
    for process in (server, *server.children(recursive=True)):
        with contextlib.suppress(
            psutil.NoSuchProcess, FileNotFoundError, ProcessLookupError, StopIteration
        ):
            status = Path(f"/proc/{process.pid}/status").read_text().splitlines()
            peak = next(line for line in status if line.startswith("VmHWM:"))
            memory[process.pid != server.pid] += int(peak.split()[1]) / 1024
            if process.pid != server.pid:
                seconds += sum(process.cpu_times()[:2])
    return *memory, seconds


def without_answers(path):
    """Take the cells for answers out of a notebook, and their checks: the first stops
    what follows.
    """
    notebook = nbformat.read(path, 4)
    notebook.cells = [
        c
        for c in notebook.cells
        if c.source.strip() and "check" not in c.metadata.get("tags", ())
    ]
    nbformat.write(notebook, path)


def run(page, browser, folder, environment, limit):
    """Open a page, run its cells, and return what that took, and what went wrong."""
    with server_in(folder, environment, limit) as (server, address):
        browser.get(f"{address}notebooks/{page}.ipynb")
        browser.execute_script(RUN_ALL)
        start, seen, kernels, ended = time.monotonic(), (0.0, 0.0, 0.0), set(), None
        while not ended and time.monotonic() - start < PATIENCE:
            seen = tuple(map(max, seen, look(server)))
            kernels.update(server.children())
            ended = browser.execute_script("return window.ended")
            time.sleep(0.05)
        seconds = time.monotonic() - start
        # Jupyter starts another kernel in the place of one that was ended.
        if any(
            not kernel.is_running() or kernel.status() == psutil.STATUS_ZOMBIE
            for kernel in kernels
        ):
            ended = "it needs more memory than a Binder has: the kernel was ended"
        browser.get("about:blank")
    cells = [
        c
        for c in nbformat.read(folder / f"{page}.ipynb", 4).cells
        if c.cell_type == "code"
    ]
    wrong = [
        f"{o.ename}: {o.evalue}"
        for c in cells
        for o in c.outputs
        if o.output_type == "error"
    ]
    left = sum(c.execution_count is None for c in cells)
    if ended == "ran" and not wrong:
        wrong = [f"{left} cells did not run"] * bool(left)
        wrong += ["it needs more memory than a Binder has"] * (
            seen[0] + seen[1] > MEMORY
        )
    elif not wrong:
        wrong = [ended or f"it did not end within {PATIENCE} s"]
    return {
        "page": page,
        "mib": round(seen[0] + seen[1]),
        "server_mib": round(seen[0]),
        "kernel_seconds": round(seen[2], 1),
        "seconds": round(seconds, 1),
        "fault": "".join(wrong[:1]),
    }


def main(wanted, limit):
    """Run the pages that are wanted, or all, and record them; return how many have a
    fault.
    """
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which(
        "chromium-browser"
    )
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu"):
        options.add_argument(flag)
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    with (
        tempfile.TemporaryDirectory() as home,
        webdriver.Chrome(options, service) as browser,
    ):
        environment, folder, rows = new_home(home), Path(home, "pages"), []
        shutil.copytree(NOTEBOOKS, folder)
        pages = sorted(
            path.relative_to(folder).with_suffix("").as_posix()
            for path in folder.glob("*/**/*.ipynb")
        )
        for page in wanted or pages:
            without_answers(folder / f"{page}.ipynb")
            rows.append(run(page, browser, folder, environment, limit))
            print(*rows[-1].values(), flush=True)
    kept = (
        pd.read_csv(record.MEASURED / "binder.csv", keep_default_na=False)
        if wanted
        else pd.DataFrame()
    )
    others = [row for row in kept.to_dict("records") if row["page"] not in wanted]
    record.save(
        "binder",
        sorted(others + rows, key=lambda row: row["page"]),
        ("jupyterlab", "notebook"),
    )
    return sum(bool(row["fault"]) for row in rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="*")
    parser.add_argument(
        "--limit",
        type=Path,
        metavar="FOLDER",
        help="a memory control group for the server",
    )
    options = parser.parse_args()
    sys.exit(main(options.pages, options.limit) > 0)
