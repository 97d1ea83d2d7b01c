"""Run the pages that can do without torch both ways: with it, and as if it were not
installed.

    python book/_tools/without_torch.py               do all cells show the same?
    python book/_tools/without_torch.py --record      write what cells show with torch
    python book/_tools/without_torch.py splits ...    only these pages

Without it a record that has grown old shows other numbers than the cells beside it. The
pages are those that call `lab.light.use_record`. Every cell must show the same; of a
record from another kind of machine the numbers may differ by a thousandth. A page whose
record is old, or that has come to need torch elsewhere, is named. What the last book
has executed with torch, from the same cells and all that they read, is not run again.
"""

import argparse
import json
import math
import operator
import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import book_cache
import book_kernels
import joblib
import jupytext
import nbformat
from jupyter_cache import get_cache
from nbclient import NotebookClient

from evalkit._files import write_atomically
from lab import light
from lab.data import cache_folder
from lab.record import environment

ROOT = Path(__file__).resolve().parents[2]
_CALL = re.compile(r"use_record\(\\?\"([\w/]+)\\?\"\)")
# The marks of Matplotlib's parts and of pandas' tables, and the time of a figure.
_DRAWN = re.compile(r"(?<=[#\"_])[A-Za-z]?_?[0-9a-f]{5,}|<dc:date>.*?</dc:date>")
_RUN_HERE = re.compile(
    r"One of the recorded units, run again[^\"]*|Not run here: .*?recorded"
    r" rows\.|<IPython[^\"]*>"
)
_NUMBER = re.compile(r"(\d+(?:\.\d+)?(?:e[-+]?\d+)?)")
_NO_TORCH = """
import importlib.abc
import sys
from importlib import metadata

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")

def from_name(name, found=metadata.distribution):
    if name == "torch":
        raise metadata.PackageNotFoundError(name)
    return found(name)

sys.meta_path.insert(0, Finder())
metadata.distribution = from_name
metadata.version = lambda name: from_name(name).version
"""


def pages():
    """Return the pages that have a record: by its name, the file."""
    files = [*ROOT.glob("book/**/*.md"), *ROOT.glob("notebooks/*.ipynb")]
    found = {}
    for file in sorted(files):
        for name in _CALL.findall(file.read_text(encoding="utf-8")):
            found[name] = file
    return found


def hide_torch(folder):
    """Write what hides torch from every Python that has this folder on its path, and a
    cache beside it without torch's text.

    Parameters
    ----------
    folder : path
    """
    Path(folder, "sitecustomize.py").write_text(_NO_TORCH, encoding="utf-8")
    Path(folder, "cache").mkdir()
    for path in cache_folder().glob("*"):  # where there is one
        if not path.name.startswith("docstrings-torch"):
            Path(folder, "cache", path.name).symlink_to(path)


def in_book(file):
    """Return the code cells of a page as the last book executed it, if nothing that
    they see has changed since.

    Parameters
    ----------
    file : Path
    """
    page = file.relative_to(ROOT).with_suffix("").as_posix()
    if not (folder := book_cache.cache_of(page)).exists():
        return None
    cache = get_cache(folder)
    records = cache.list_cache_records()
    return _code(cache.get_cache_bundle(records[0].pk).nb) if records else None


def _code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def executed(file, folder=None):
    """Run a page; return its code cells, and the keys of those that showed their
    record.

    Parameters
    ----------
    file : Path
    folder : path, optional
        Before all others on the path.
    """
    notebook = jupytext.read(file)
    notebook.cells.append(
        nbformat.v4.new_code_cell("from lab import light; print(*light.stood_in)")
    )
    path = os.pathsep.join(
        map(str, filter(None, (folder, ROOT, os.environ.get("PYTHONPATH"))))
    )
    resources = {"metadata": {"path": str(file.parent)}}
    client = NotebookClient(
        notebook, timeout=600, resources=resources, kernel_name="python3"
    )
    cache = {"EVALKIT_CACHE": str(Path(folder, "cache"))} if folder else {}
    client.execute(env={**os.environ, "PYTHONPATH": path, **cache})
    *cells, last = _code(notebook)
    return cells, last.outputs[0]["text"].split()


def shown(cell):
    """Return what a cell shows, without what differs from one run to the next."""
    outputs = json.loads(re.sub(r" at 0x[0-9a-f]+", "", json.dumps(cell.outputs)))
    kept = []
    for output in outputs:
        if output.pop("execution_count", None):
            output["output_type"] = "display_data"
        stream = output.get("name")  # it may come in pieces
        if stream and kept and kept[-1].get("name") == stream:
            kept[-1]["text"] += output["text"]
        else:
            kept.append(output)
    return kept


def _comparable(cell):
    """Return what a cell shows, without marks that each run draws anew and what a run
    says of itself.
    """
    text = _DRAWN.sub("", json.dumps(shown(cell), sort_keys=True))
    return _RUN_HERE.sub("run again", text)


def near(here, there):
    """Tell whether two texts differ only in their numbers, and by no more than a
    thousandth of each.
    """
    parts = [_NUMBER.split(text) for text in (here, there)]
    words, numbers = ([part[k::2] for part in parts] for k in (0, 1))
    if words[0] != words[1]:
        return False
    values = zip(*([float(number) for number in part] for part in numbers), strict=True)
    return all(math.isclose(a, b, rel_tol=1e-3) for a, b in values)


def write(name, cells):
    """Write the record of a page, with where it was made."""
    made = {"environment": environment.environment(), "cells": cells}
    target = light.PAGES / f"{name}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(
        target, (json.dumps(made, indent=1, ensure_ascii=False) + "\n").encode()
    )


def work(name, file, folder, record):
    """Run a page both ways, and write its record where that is wanted; return what is
    wrong with it.
    """
    cells = (not record and in_book(file)) or executed(file)[0]
    every = {light.cell_key(cell.source): shown(cell) for cell in cells}
    if record:
        write(name, every)  # which of the cells need torch, the next run tells
    without, stood_in = executed(file, folder)
    if record:
        write(name, {key: outputs for key, outputs in every.items() if key in stood_in})
    made = json.loads((light.PAGES / f"{name}.json").read_text(encoding="utf-8"))
    exact = environment.same_machine_kind(
        made["environment"], environment.environment()
    )
    kept, same = made["cells"], operator.eq if exact else near
    differ = [
        a.source
        for a, b in zip(cells, without, strict=True)
        if not same(_comparable(a), _comparable(b))
    ]
    print(f"  {name}: {len(stood_in)} of {len(cells)} cells are recorded", flush=True)
    return [
        f"{name}, a cell that shows something else:\n{source}" for source in differ
    ] + [
        f"{name}: the record has a cell that is not there, {key}"
        for key in sorted({*kept} - {*stood_in})
    ]


def main(names, record):
    """Work on the pages; return how many things are wrong."""
    known = pages()
    book_kernels._settle_kernels(None, None)
    with (
        tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(joblib.cpu_count()) as pool,
    ):
        hide_torch(folder)
        done = pool.map(
            lambda name: work(name, known[name], folder, record),
            names or known,
        )
        wrong = [line for lines in done for line in lines]
    print("\n".join(wrong), end="\n" * bool(wrong))
    return len(wrong)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Run pages with torch and without.")
    parser.add_argument(
        "names", nargs="*", metavar="PAGE", help="by default all that have a record"
    )
    parser.add_argument("--record", action="store_true", help="write the records anew")
    options = parser.parse_args()
    sys.exit(main(options.names, options.record) > 0)
