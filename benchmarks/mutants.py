"""Put faults into a copy of each module, one at a time, and see whether the tests notice.

Cosmic Ray lists the faults. Places are drawn without replacement, then one fault at each, so that an operator
with many forms weighs no more than one with few; the first 10 of 20 are the draw of 10. From the root:

    .venv/bin/python benchmarks/mutants.py                       every module of every wing: hours
    .venv/bin/python benchmarks/mutants.py evalkit/splits.py     that module

A module's doctests and the tests that bear its name run first, then the wing's others, nearest first. Each
fault is a line of `data/measured/mutants.csv`. One that has its line is not run again, unless `--again` names
its status. The draw depends on the module's text: lines of another text, or of no module, go. A fault that
changes nothing anyone could see gets, by hand, the status "equivalent" and a note that says why.
"""

import argparse
import contextlib
import csv
import difflib
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from itertools import islice
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path.cwd()
COLUMNS = ["wing", "module", "seed", "operator", "line", "before", "after", "status", "seconds", "note"]
KEY = COLUMNS[:7]
# What asks a clock could fail beside other work, and would seem to notice a fault.
CLOCKS = "not (in_time or at_once or takes_no_jackknife or grows_as_the_table or costs_nothing)"
PYTEST = ["-m", "pytest", "-x", "-q", "-m", "not slow", "-k", CLOCKS, "-p", "no:cacheprovider"]
LEFT_OUT = (".git", ".venv", "_build", "runs", "__pycache__", ".*_cache", ".hypothesis", "*.egg-info")
# Tests of the house and not of a wing.
HOUSE = (
    *("build", "cells", "checklist_source", "contributing", "corners", "density", "editions", "extras"),
    *("handouts", "light", "links", "pdf", "serve", "style", "teaching", "values", "wheel"),
)
# Each wing: its modules, and its tests.
WINGS = {
    "statistics": (["evalkit/*.py"], ["tests/test_*.py"]),
    "explorers": (["evalkit/explore/*.py"], ["tests/explore/test_*.py"]),
    "reports": (["evalkit/reports/**/*.py"], ["tests/reports/test_*.py"]),
    "record": (["lab/record/*.py"], ["tests/lab/record/test_*.py", "tests/lab/test_lab_cli.py"]),
    "data": (["lab/data/**/*.py"], ["tests/lab/data/test_*.py"]),
    "scorecard": (
        ["lab/scorecard.py", "lab/papers/judging.py", "lab/papers/rows.py"],
        [
            "tests/lab/test_scorecard.py",
            "tests/lab/papers/test_judging.py",
            "tests/lab/papers/test_papers.py",
        ],
    ),
}
MEMORY = 64 << 30  # bytes of addresses, of which drawing takes half: a fault that asks for more is stopped


def is_annotation(node):
    """Whether the node stands in an annotation, which nothing runs."""
    if (parent := node.parent) is None:
        return False
    before = parent.children[parent.children.index(node) - 1]
    here = before == "->" or (before == ":" and parent.type in ("annassign", "tfpdef"))
    return here or is_annotation(parent)


def draw(code, seed):
    """Yield in random order (operator, line, its text, its text with the fault, all code with the fault)."""
    places = {}
    nodes = [node for node in ast_nodes(get_ast(code)) if not is_annotation(node)]
    # Those with arguments ask for names of variables.
    for name in (name for name in operator_names() if not get_operator(name).arguments()):
        starts = [at for node in nodes for at, _ in get_operator(name)().mutation_positions(node)]
        for occurrence, start in enumerate(starts):
            places.setdefault(start, []).append((name, occurrence))
    rng = random.Random(seed)
    for (line, _), faults in rng.sample(sorted(places.items()), len(places)):
        name, occurrence = rng.choice(faults)
        try:
            faulty = mutate_code(code, get_operator(name)(), occurrence)
            with warnings.catch_warnings(action="error"):
                compile(faulty, "faulty", "exec")
        except (AttributeError, SyntaxError):  # the tool cannot make it, or the compiler sees or warns of it
            continue
        changed = list(difflib.unified_diff(code.splitlines(), faulty.splitlines(), n=0))[2:]
        changed = [(text[0], text[1:].strip()) for text in changed if text[1:].strip()[:1] not in ("", "#")]
        texts = [" ".join(text for sign, text in changed if sign == wanted) for wanted in "-+"]
        yield name.removeprefix("core/"), line, *texts, faulty


def modules_of(wing):
    """List the modules of a wing."""
    found = (file for pattern in WINGS[wing][0] for file in ROOT.glob(pattern))
    return sorted(str(file.relative_to(ROOT)) for file in found)


def tests_of(wing, module):
    """Return the tests in two stages: those that bear the module's name, and the others, nearest first."""
    stem = Path(module).parent.name if Path(module).stem == "__init__" else Path(module).stem
    files = [file for pattern in WINGS[wing][1] for file in sorted(ROOT.glob(pattern))]
    files = [file for file in files if file.stem.removeprefix("test_") not in HOUSE]
    named = [file for file in files if re.search(rf"_{stem.strip('_')}(_|$)", file.stem)]
    word = re.compile(rf"\b{stem}\b")
    users = [
        Path(other).stem for other in modules_of(wing) if word.search(Path(other).read_text(encoding="utf-8"))
    ]
    near = [
        word.search(file.read_text(encoding="utf-8")) or file.stem.endswith(tuple(users)) for file in files
    ]
    rest = [file for _, file in sorted(zip((not is_near for is_near in near), files, strict=True))]
    rest = [str(file.relative_to(ROOT)) for file in rest if file not in named]
    return [[module, *(str(file.relative_to(ROOT)) for file in named)], rest]


def run(tests, tree, timeout, python):
    """Return ("survived", "caught" or "timeout", the seconds, the end of what pytest output)."""
    environment = os.environ | {
        "PYTHONPATH": str(tree),
        "PYTHONDONTWRITEBYTECODE": "1",  # to its cache two faults of one second and one length are one
        "OMP_NUM_THREADS": "1",
        "TMPDIR": str(tree.parent),
    }
    start = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [python, *PYTEST, *tests],
            cwd=tree,
            env=environment,
            stdout=output,
            stderr=output,
            start_new_session=True,  # so that its workers end with it
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
        try:
            status = "survived" if process.wait(timeout) in (0, 5) else "caught"  # 5: there is no such test
        except subprocess.TimeoutExpired:
            status = "timeout"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        return status, time.monotonic() - start, output.read().decode()[-2000:]


def keep(rows, out):
    """Write all lines, whole or not at all."""
    new = out.with_suffix(".new")
    with new.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    new.replace(out)


class Campaign:
    """Faults of many modules, in one copy of the project."""

    def __init__(self, tree, args):
        self.tree, self.args, self.usual = tree, args, {}
        self.rows = {}
        if args.out.exists():
            with args.out.open(newline="", encoding="utf-8") as file:
                rows = [row for row in list(csv.reader(file))[1:] if (ROOT / row[1]).exists()]
            self.rows = {tuple(row[: len(KEY)]): row[len(KEY) :] for row in rows}

    def module(self, wing, module):
        """Run the faults of one module that have no line yet."""
        code = (ROOT / module).read_text(encoding="utf-8")
        drawn = list(islice(draw(code, self.args.seed), self.args.n))
        keys = [(wing, module, str(self.args.seed), fault[0], *map(str, fault[1:4])) for fault in drawn]
        self.rows = {key: row for key, row in self.rows.items() if key[1] != module or key in keys}
        for key, fault in zip(keys, drawn, strict=True):
            if key in self.rows and self.rows[key][0] not in self.args.again:
                continue
            status, seconds = self.fault(module, code, fault[4], tests_of(wing, module))
            self.rows[key] = [status, f"{seconds:.1f}", ""]
            print(*key[1:], status, f"{seconds:.1f}", sep=" | ", flush=True)
            keep(sorted([*key, *row] for key, row in self.rows.items()), self.args.out)

    def fault(self, module, code, faulty, stages):
        """Return what the tests make of one fault, and their seconds."""
        seconds = 0
        for tests in stages:
            if tuple(tests) not in self.usual:
                (self.tree / module).write_text(code, encoding="utf-8")
                status, usual, output = run(tests, self.tree, 1800, self.args.python)
                if status != "survived":
                    raise SystemExit(f"without a fault the tests do not pass:\n{output}")
                self.usual[tuple(tests)] = usual
            (self.tree / module).write_text(faulty, encoding="utf-8")
            status, took, _ = run(tests, self.tree, 60 + 5 * self.usual[tuple(tests)], self.args.python)
            (self.tree / module).write_text(code, encoding="utf-8")
            seconds += took
            if status != "survived":
                break
        return status, seconds


def main():
    """Run the faults that have no line yet."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("only", nargs="*", help="modules, such as evalkit/splits.py, or wings; else all")
    parser.add_argument("--n", type=int, default=10, help="faults a module")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--again", nargs="+", default=[], metavar="STATUS", help="such as survived")
    parser.add_argument("--python", default=sys.executable, type=os.path.abspath, help="what runs the tests")
    parser.add_argument("--out", type=Path, default=ROOT / "data" / "measured" / "mutants.csv")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*LEFT_OUT))
        campaign = Campaign(tree, args)
        for wing in WINGS:
            for module in modules_of(wing):
                if not args.only or wing in args.only or module in args.only:
                    campaign.module(wing, module)


if __name__ == "__main__":
    main()
