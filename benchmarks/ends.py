"""Compute every page's bootstraps again under twenty other seeds, and record how far
what a sentence prints moves.

    python benchmarks/ends.py                      every page
    python benchmarks/ends.py book/seeds           only these, and keep the others' rows

A number that a sentence glues is recorded when other seeds change it at all. Varied are
the resampling of evalkit (intervals, exchanges, power) and that of a cell of the page
that takes quantiles of its own draws. `tests/test_bootstrap_ends.py` holds the record: nothing
that is printed may move by more than a unit of its last digit.
"""

import ast
import contextlib
import io
import json
import os
import re
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import jupytext
import numpy as np
import pandas as pd
import record

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "data" / "measured" / "ends.csv"
SEEDS = 20
GLUED = re.compile(r"\{glue:text\}`([\w.]+)(?::([^`]*))?`")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
OWN = re.compile(r"0\.025,\s*0\.975|0\.975,\s*0\.025")  # a bootstrap of a cell


def moves(values, form):
    """Return how far what is printed of values moves, in units of its last digit.

    Parameters
    ----------
    values : list of float or list of str
        One for each seed; words are laid out already.
    form : str
        A format string, or none.

    Returns
    -------
    float
    """
    if form and not isinstance(values[0], str):
        digits = int(re.search(r"\.(\d+)", form)[1]) + 2 * form.endswith("%")
        return float(np.ptp(np.array(values, dtype=float)) * 10**digits)
    printed = [NUMBER.findall(str(value)) for value in values]
    if len({*map(len, printed)}) != 1:
        return np.inf
    digits = np.array([len(n.partition(".")[2]) for n in printed[0]])
    of = np.array([[float(n) for n in numbers] for numbers in printed])
    return float((np.ptp(of, axis=0) * 10**digits).max(initial=0))


def cells_of(page):
    """Yield the code of a page's cells, with whether it bootstraps by itself."""
    for cell in jupytext.read(page).cells:
        tags = cell.metadata.get("tags", ())
        if cell.cell_type == "code" and "check" not in tags:
            yield (
                re.sub(r"(?m)^[%!].*$", "", cell.source),
                bool(OWN.search(cell.source)),
            )


class _Shifted(ast.NodeTransformer):
    """A cell whose asserts may fail, for that is what is measured, and whose own
    generators, if it bootstraps, have other seeds; those of what it calls have not.
    """

    def __init__(self, is_own):
        self.is_own = is_own

    def visit_Assert(self, node):
        return ast.Pass()

    def visit_Call(self, node):
        self.generic_visit(node)
        if self.is_own and ast.unparse(node.func) == "np.random.default_rng":
            node.func = ast.Name("shifted_rng", ast.Load())
        return node


def run(page, shift):
    """Execute a page under shifted seeds and return what it kept.

    Parameters
    ----------
    page : Path
    shift : int
        0 for the seeds of the page.

    Returns
    -------
    kept : dict of str to object
    resampled : bool
        Whether anything was.
    """
    from evalkit import intervals, significance
    from lab import pages

    kept, calls = {}, []

    def shifted(rng=None):
        calls.append(rng)
        if isinstance(rng, np.random.Generator):
            rng = int(rng.integers(2**31))  # it goes on where it was
        given = [] if rng is None else [*np.atleast_1d(rng)]
        return np.random.default_rng([*map(int, given), shift] if shift else rng)

    def keep(values=None, /, **named):
        kept.update(values or {}, **named)

    pages.keep = keep
    for module in (intervals, significance):
        module.check_rng = lambda rng, name="rng": shifted(rng)
    space = {"__name__": "__main__", "shifted_rng": shifted}
    for code, is_own in cells_of(page):
        tree = ast.fix_missing_locations(_Shifted(is_own).visit(ast.parse(code)))
        with contextlib.suppress(SystemExit):
            exec(compile(tree, str(page), "exec"), space)
    return kept, bool(calls)


def measure(name):
    """Return a row for each printed number of a page that other seeds move.

    Parameters
    ----------
    name : str
        "book/seeds", say.

    Returns
    -------
    list of dict
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    warnings.simplefilter("ignore")
    page = next(p for s in (".md", ".ipynb") if (p := ROOT / (name + s)).exists())
    os.chdir(page.parent)
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells)
    runs = []
    for shift in range(SEEDS + 1):
        with contextlib.redirect_stdout(io.StringIO()):
            kept, resampled = run(page, shift)
        plt.close("all")
        runs.append(kept)
        if not resampled:
            return []
    rows = [{"page": name}]  # it resamples, though it print nothing of it
    for key, form in sorted({(k, f) for k, f in GLUED.findall(text)}):
        values = [kept[key] for kept in runs if key in kept]
        if len({*map(str, values)}) > 1:
            printed = format(values[0], form) if form else str(values[0])
            row = {"page": name, "name": key, "form": form, "printed": printed}
            rows.append({**row, "moves": round(moves(values, form), 2)})
    return rows


def main(names):
    """Measure pages, two at a time, and record them."""
    every = [
        str(p.relative_to(ROOT).with_suffix(""))
        for p in [*ROOT.glob("book/**/*.md"), *ROOT.glob("notebooks/*.ipynb")]
        if "lab.pages import" in p.read_text(encoding="utf-8")
    ]
    names = names or sorted(every)
    with ProcessPoolExecutor(2, max_tasks_per_child=1) as pool:
        rows = [row for found in pool.map(measure, names) for row in found]
    table = pd.DataFrame(rows)
    if RECORD.exists():
        before = pd.read_csv(RECORD)
        table = pd.concat([before[~before.page.isin(names)], table])
    record.save("ends", table.sort_values(["page", "name"]), packages=())
    print(table[table.moves > 1].to_string())


if __name__ == "__main__":
    main(sys.argv[1:])
