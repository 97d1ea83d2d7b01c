"""Open each page of the built book as a reader far away with an old phone does: `make
weight`.

Chromium gives the page 9 Mbit/s, 170 ms of latency and a quarter of the processor, at
two widths. The server, on this machine, is as a plain host of files: HTTP/1.1 with
sockets that stay open (a browser takes six), text compressed by gzip, nothing kept by
the browser from the load before, no certificate. Of three loads counts the shortest
time, for another program on this machine makes a load longer and none shorter, and the
largest shift. A load ends when nothing has happened for a second; no reader has
scrolled or touched anything.

Name pages, book/splits say, to open only these; then nothing is recorded. Where the
goal is missed the line says by what, and the exit status is 1.
"""

import argparse
import contextlib
import functools
import gzip
import http.server
import os
import shutil
import sys
import threading
from pathlib import Path

import record
from selenium import webdriver

ROOT = Path(__file__).resolve().parents[1]
HTML = ROOT / "_build" / "html"
WIDTHS = (1440, 390)
LOADS = 3
NETWORK = {
    "offline": False,
    "latency": 170,
    "downloadThroughput": 9e6 / 8,
    "uploadThroughput": 9e6 / 8,
}
GOAL = {"first_paint_s": 1.8, "longest_task_ms": 200, "shift": 0.02}
TEXT = {".html", ".css", ".js", ".svg"}
WATCH = """
window.seen = {tasks: [0], shift: 0, last: 0};
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    seen.last = performance.now();
    if (entry.entryType === 'longtask') seen.tasks.push(entry.duration);
    if (entry.entryType === 'layout-shift') seen.shift += entry.value;
  }
}).observe({entryTypes: ['longtask', 'layout-shift', 'resource']});
"""
MEASURE = """
const done = arguments[0];
const wait = () => {
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  const quiet = performance.now() - seen.last > 1000;
  if (document.readyState !== 'complete' || !paint || !quiet) return setTimeout(wait, 100);
  const files = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  const bytes = files.reduce((sum, file) => sum + file.transferSize, 0);
  done([paint.startTime, Math.max(...seen.tasks), seen.shift, bytes]);
};
wait();
"""


class PlainHost(http.server.SimpleHTTPRequestHandler):
    """Files as a plain host sends them: text compressed, the socket kept open."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        """Send a file."""
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        content = packed(path)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(content)))
        if path.suffix in TEXT:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Say nothing."""


@functools.cache
def packed(path):
    """Return the bytes of a file as they are sent."""
    content = path.read_bytes()
    return gzip.compress(content) if path.suffix in TEXT else content


@contextlib.contextmanager
def host(folder):
    """Serve a folder; give its address."""
    handler = functools.partial(PlainHost, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def load(browser, address):
    """Open a page with nothing kept from before; return (paint, longest task in ms,
    shift, bytes).
    """
    browser.get("about:blank")
    browser.execute_cdp_cmd("Network.clearBrowserCache", {})
    browser.get(address)
    return browser.execute_async_script(MEASURE)


def measure(browser, address, page, width):
    """Return the row of a page at a width."""
    size = {
        "width": width,
        "height": 900,
        "deviceScaleFactor": 1,
        "mobile": width < 500,
    }
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    loads = [load(browser, f"{address}/{page}.html") for _ in range(LOADS)]
    paints, tasks, shifts, sizes = zip(*loads, strict=True)
    return {
        "page": page,
        "width": width,
        "first_paint_s": round(min(paints) / 1000, 2),
        "longest_task_ms": round(min(tasks)),
        "shift": round(max(shifts), 3),
        "bytes": min(sizes),
    }


def missed(row):
    """Say by how much a row misses the goal, or nothing."""
    return ", ".join(
        f"{name} {row[name]} > {most}"
        for name, most in GOAL.items()
        if row[name] > most
    )


def main(wanted, folder):
    """Open the pages that are wanted, or all, and record these; return how many miss
    the goal.
    """
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which(
        "chromium-browser"
    )
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    for flag in (
        "--headless=new",
        "--disable-gpu",
        "--disable-background-networking",
        *root,
    ):
        options.add_argument(flag)
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    files = [*folder.glob("book/**/*.html"), *folder.glob("notebooks/*.html")]
    pages = sorted(
        file.relative_to(folder).with_suffix("").as_posix() for file in files
    )
    rows = []
    with host(folder) as address, webdriver.Chrome(options, service) as browser:
        browser.set_script_timeout(60)
        for command, settings in (
            ("Network.enable", {}),
            ("Network.emulateNetworkConditions", NETWORK),
            ("Emulation.setCPUThrottlingRate", {"rate": 4}),
            ("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH}),
        ):
            browser.execute_cdp_cmd(command, settings)
        for page in wanted or pages:
            for width in WIDTHS:
                rows.append(measure(browser, address, page, width))
                print(*rows[-1].values(), missed(rows[-1]), flush=True)
    if not wanted:
        record.save("weight", rows, ("selenium",))
    return sum(bool(missed(row)) for row in rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="*")
    parser.add_argument(
        "--html",
        type=Path,
        default=HTML,
        metavar="FOLDER",
        help="of another build of the book",
    )
    options = parser.parse_args()
    sys.exit(main(options.pages, options.html) > 0)
