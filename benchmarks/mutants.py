"""Put faults into a copy of each module, one at a time, and see whether the tests
notice.

Cosmic Ray lists the faults. Places are drawn without replacement, then one fault at
each, so that an operator with many forms weighs no more than one with few; the first 10
of 20 are the draw of 10. From the root:

    python benchmarks/mutants.py                       every module of every wing: hours
    python benchmarks/mutants.py evalkit/splits.py     that module

Coverage.py tells, once for each wing, which tests run which line. For a fault those
run, the nearest first: the module's doctests, the tests that bear its name and the kept
pages of reports; of the others the quickest, eight seconds of them, and all of them
where none has noticed yet. Where tests of a file share what was computed once, the
whole file runs too. What runs on import has no tests of its own: for it those files
count that run anything of the module, and the one that looks at every module. Each
fault is a line of `data/measured/mutants.csv`; `noticed_by` names all tests that failed
(a file where it could not be loaded; nobody), so that it can be told which tests are
spare; it is empty in lines that are older than that. One that has its line is not run
again, unless `--again` names its status. The draw depends on the module's text: lines
of another text, or of no module, go. A fault that changes nothing anyone could see
gets, by hand, the status "equivalent" and a note that says why.
"""

import argparse
import ast
import contextlib
import csv
import difflib
import importlib
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from bisect import bisect
from collections import defaultdict
from itertools import accumulate, islice
from pathlib import Path

import coverage
import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path.cwd()
OUT = ROOT / "data" / "measured" / "mutants.csv"
COLUMNS = [
    "wing",
    "module",
    "seed",
    "operator",
    "line",
    "before",
    "after",
    "status",
    "seconds",
    "noticed_by",
    "note",
]
KEY = COLUMNS[:7]
# What asks a clock could fail beside other work, and would seem to notice a fault.
CLOCKS = (
    "not (in_time or at_once or takes_no_jackknife or grows_as_the_table or"
    " costs_nothing)"
)
PYTEST = ["-q", "--tb=no", "-m", "not slow", "-k", CLOCKS, "-p", "no:cacheprovider"]
# In a file of tests: one test runs what others ask, of this file or of several.
SHARES, SHARES_ABROAD = (
    re.compile("scope=|cache"),
    re.compile("import .*chapter_explorer"),
)
LEFT_OUT = (
    ".git",
    ".venv",
    "_build",
    "runs",
    "__pycache__",
    ".*_cache",
    ".hypothesis",
    "*.egg-info",
)
# Tests of the house and not of a wing.
HOUSE = (
    *(
        "build",
        "cells",
        "checklist_source",
        "contributing",
        "corners",
        "density",
        "editions",
    ),
    *("handouts", "light", "serve", "style", "teaching", "wheel"),
)
# Each wing: its modules, and its tests.
PROGRAM = (
    "__init__",
    "__main__",
    "_arguments",
    "_extras",
    "_files",
    "_program",
    "cli",
)
WINGS = {
    "statistics": (["evalkit/*.py"], ["tests/test_*.py"]),
    "program": (
        [f"evalkit/{name}.py" for name in PROGRAM],
        [
            *(
                f"tests/test_{name}.py"
                for name in (
                    "arguments",
                    "cli",
                    "extras",
                    "files",
                    "main",
                    "public",
                )
            ),
            *(
                "tests/lab/test_lab_cli.py",
                "tests/lab/record/test_*.py",
                "tests/reports/test_report_files.py",
            ),
        ],
    ),
    "explorers": (["evalkit/explore/*.py"], ["tests/explore/test_*.py"]),
    "reports": (["evalkit/reports/**/*.py"], ["tests/reports/test_*.py"]),
    "record": (
        ["lab/record/*.py"],
        ["tests/lab/record/test_*.py", "tests/lab/test_lab_cli.py"],
    ),
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
# They look at every module: at what runs on import, at what an explorer shows, and at
# each word of reports.
PUBLIC, SHOWN = "tests/test_public.py", "tests/explore/test_explore_shown.py"
KEPT = "tests/reports/test_report.py"
# It starts the script of `evalkit init` as a process of its own.
FIRST_DAY = "tests/reports/test_first_day.py"
# Imported once, and not for each fault.
HEAVY = ("matplotlib.pyplot", "pandas", "scipy.stats", "sklearn.model_selection")
# An example that fails need not be made small; this follows what all tests share.
ONE_EXAMPLE = """
from hypothesis import Phase

found = settings(settings.get_profile("evalkit"), phases=[Phase.explicit, Phase.generate])
settings.register_profile("faults", found, report_multiple_bugs=False)
settings.load_profile("faults")
"""
MOST_SECONDS = 8  # of tests that do not bear the module's name
MEMORY = 8 << 30  # bytes of data: a fault that asks for more is stopped


def is_annotation(node):
    """Whether the node stands in an annotation, which nothing runs."""
    if (parent := node.parent) is None:
        return False
    before = parent.children[parent.children.index(node) - 1]
    here = before == "->" or (before == ":" and parent.type in ("annassign", "tfpdef"))
    return here or is_annotation(parent)


def draw(code, seed):
    """Yield in random order (operator, line, its text, its text with the fault, all
    code with the fault).
    """
    places = {}
    nodes = [node for node in ast_nodes(get_ast(code)) if not is_annotation(node)]
    # Those with arguments ask for names of variables.
    for name in (
        name for name in operator_names() if not get_operator(name).arguments()
    ):
        starts = [
            at
            for node in nodes
            for at, _ in get_operator(name)().mutation_positions(node)
        ]
        for occurrence, start in enumerate(starts):
            places.setdefault(start, []).append((name, occurrence))
    rng = random.Random(seed)
    for (line, _), faults in rng.sample(sorted(places.items()), len(places)):
        name, occurrence = rng.choice(faults)
        try:
            faulty = mutate_code(code, get_operator(name)(), occurrence)
            with warnings.catch_warnings(action="error"):
                compile(faulty, "faulty", "exec")
        except (
            AttributeError,
            SyntaxError,
        ):  # the tool cannot make it, or the compiler sees or warns of it
            continue
        changed = list(
            difflib.unified_diff(code.splitlines(), faulty.splitlines(), n=0)
        )[2:]
        changed = [
            (text[0], text[1:].strip())
            for text in changed
            if text[1:].strip()[:1] not in ("", "#")
        ]
        texts = [
            " ".join(text for sign, text in changed if sign == wanted)
            for wanted in "-+"
        ]
        yield name.removeprefix("core/"), line, *texts, faulty


def modules_of(wing):
    """List the modules of a wing."""
    found = (file for pattern in WINGS[wing][0] for file in ROOT.glob(pattern))
    return sorted(
        str(file.relative_to(ROOT))
        for file in found
        if wing == "program"
        or file.parent.name != "evalkit"
        or file.stem not in PROGRAM
    )


def tests_of(wing):
    """List the wing's files of tests, without those of the house."""
    files = (file for pattern in WINGS[wing][1] for file in sorted(ROOT.glob(pattern)))
    return [
        str(file.relative_to(ROOT))
        for file in files
        if file.stem.removeprefix("test_") not in HOUSE
    ]


def bears_the_name(module):
    """Return what finds the module's name in that of a file of tests."""
    stem = (
        Path(module).parent.name
        if Path(module).stem == "__init__"
        else Path(module).stem
    )
    return re.compile(rf"_{stem.strip('_')}(_|\.py$)")


def file_of(test):
    """Return the file of a test."""
    return test.partition("::")[0]


def statement(code, line):
    """List the lines of the statement at a line, of a longer one its head; none if it
    runs on import.
    """
    statements = [
        node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.stmt)
    ]
    functions = [node for node in statements if isinstance(node, ast.FunctionDef)]
    if not any(node.body[0].lineno <= line <= node.end_lineno for node in functions):
        return []
    around = [node for node in statements if node.lineno <= line <= node.end_lineno]
    smallest = min(around, key=lambda node: node.end_lineno - node.lineno)
    end = (
        smallest.body[0].lineno
        if hasattr(smallest, "body")
        else smallest.end_lineno + 1
    )
    return range(smallest.lineno, end) if line < end else [line]


def child(args, tree, seconds, seen):
    """Run pytest on the copy; with `seen`, under coverage. Ends the process with
    pytest's status.
    """
    os.setpgid(0, 0)  # so that what it starts ends with it
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    output = os.open(tree.parent / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(tree)
    sys.path[0] = str(tree)
    sys.dont_write_bytecode = (
        True  # to its cache two faults of one second and one length are one
    )
    os.environ |= {
        "PYTHONPATH": str(tree),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(tree.parent),
    }
    tempfile.tempdir = None
    if seen is None:
        os._exit(pytest.main(args, plugins=[Noticed(tree.parent)]))
    lines = coverage.Coverage(data_file=tree.parent / "lines", include=seen.lines)
    with lines.collect():
        pytest.main(args, plugins=[seen])
    lines.save()
    (tree.parent / "seen").write_text(
        json.dumps([seen.seconds, seen.failed]), encoding="utf-8"
    )
    os._exit(0)


def run(args, tree, seconds, seen=None):
    """Return what the tests make of the copy in so many seconds of a core: survived,
    caught or timeout.
    """
    process = multiprocessing.get_context("fork").Process(
        target=child, args=(args, tree, int(seconds), seen)
    )
    process.start()
    process.join(4 * seconds)  # on the clock, for what waits
    # 5: there is no test.
    ends = {
        None: "timeout",
        -signal.SIGXCPU: "timeout",
        0: "survived",
        5: "survived",
    }
    status = ends.get(process.exitcode, "caught")
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.join()
    return status


class Noticed:
    """Which tests fail: a plugin that writes each at once, for a fault may end the
    process.
    """

    def __init__(self, folder):
        self.failed, self.at_work = folder / "failed", folder / "at_work"

    def pytest_runtest_logstart(self, nodeid):
        """Keep which test runs: it notices a fault that never ends."""
        self.at_work.write_text(nodeid, encoding="utf-8")

    def pytest_runtest_logreport(self, report):
        """Keep a test that failed."""
        self.pytest_collectreport(report)

    def pytest_collectreport(self, report):
        """Keep a file that could not be loaded."""
        if report.failed:
            with self.failed.open("a", encoding="utf-8") as file:
                file.write(report.nodeid + "\n")

    def pytest_sessionfinish(self):
        """Leave none at work."""
        self.at_work.unlink(missing_ok=True)


def noticed_by(folder):
    """Return the tests that failed or did not end, without their cases; forget them."""
    files = [folder / "failed", folder / "at_work"]
    lines = [
        line for file in files if file.exists() for line in file.read_text().split("\n")
    ]
    for file in files:
        file.unlink(missing_ok=True)
    return {line.partition("[")[0].removeprefix("tests/") for line in lines if line}


class Seen:
    """Which tests of a wing run which line: a plugin for one run of all of them,
    without a fault.
    """

    def __init__(self, wing, tree):
        self.files, self.seconds, self.failed = tests_of(wing), defaultdict(float), []
        self.lines = {str(tree / module): module for module in modules_of(wing)}
        asked = [*PYTEST, *self.lines.values(), *self.files]
        if run(asked, tree, 7200, seen=self) == "survived":
            self.seconds, self.failed = json.loads(
                (tree.parent / "seen").read_text(encoding="utf-8")
            )
        if not self.seconds:  # a file that cannot be loaded stops them all
            raise SystemExit(
                (tree.parent / "output").read_text(encoding="utf-8")[-2000:]
            )
        data = coverage.CoverageData(tree.parent / "lines")
        data.read()
        self.lines = {
            module: data.contexts_by_lineno(file) for file, module in self.lines.items()
        }
        print(
            f"{wing}: {len(self.seconds)} tests; without a fault fail"
            f" {self.failed or 'none'}",
            flush=True,
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        """Say to coverage which test runs."""
        coverage.Coverage.current().switch_context(item.nodeid)
        result = yield
        coverage.Coverage.current().switch_context("")
        return result

    def pytest_runtest_logreport(self, report):
        """Count a test's seconds."""
        self.seconds[report.nodeid] += report.duration
        self.failed += [report.nodeid] * report.failed

    def stages(self, module, code, line):
        """Return the nearest tests that run a line, the quickest others, the quickest
        files whose tests share what ran, and what is left of both.
        """
        own, name = self.lines[module], bears_the_name(module)
        kept = FIRST_DAY if "/folder/" in module else KEPT
        shown, kept = ({file} & {*self.files} for file in (SHOWN, kept))
        near = {module, *kept, *filter(name.search, self.files)}
        tests = {
            test for at in statement(code, line) for test in own.get(at, ()) if test
        }
        if not tests:  # it runs on import
            files = {
                file_of(test) for contexts in own.values() for test in contexts if test
            }
            near |= {PUBLIC, *shown}
            groups = near, files - near
        else:
            home = {
                test for test in tests if file_of(test) in near or name.search(test)
            }
            texts = {
                file: Path(file).read_text("utf-8")
                for file in {*self.files, *map(file_of, tests)}
            }
            shares = {
                file for file in map(file_of, tests) if SHARES.search(texts[file])
            }
            shares |= {file for file in texts if SHARES_ABROAD.search(texts[file])}
            groups = home | shown, tests - home, shares - shown
        nearest, *others = (sorted(group, key=self.takes) for group in groups)
        quick = list(map(self.quickest, others))
        rest = [
            test
            for every, some in zip(others, quick, strict=True)
            for test in every[len(some) :]
        ]
        return [nearest, *quick, rest]

    def quickest(self, tests):
        """Return the first of the tests, as many as take eight seconds, and one at
        least.
        """
        return tests[
            : max(1, bisect(list(accumulate(map(self.takes, tests))), MOST_SECONDS))
        ]

    def takes(self, tests):
        """Return the seconds of a test, or of a file."""
        return self.seconds.get(tests) or sum(
            self.seconds[test] for test in self.seconds if file_of(test) == tests
        )


def keep(rows, out):
    """Write all lines, whole or not at all."""
    new = out.with_suffix(".new")
    with new.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    new.replace(out)


class Campaign:
    """Faults of many modules, in one copy of the project."""

    def __init__(self, tree, args):
        self.tree, self.args, self.seen = tree, args, {}
        self.rows = {}
        if args.out.exists():
            with args.out.open(newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    if (ROOT / row["module"]).exists():
                        values = [row.get(name, "") for name in COLUMNS]
                        self.rows[tuple(values[: len(KEY)])] = values[len(KEY) :]

    def module(self, wing, module):
        """Run the faults of one module that have no line yet."""
        code = (ROOT / module).read_text(encoding="utf-8")
        drawn = [
            (seed, fault)
            for seed in self.args.seed
            for fault in islice(draw(code, seed), self.args.n)
        ]
        keys = [
            (wing, module, str(seed), fault[0], *map(str, fault[1:4]))
            for seed, fault in drawn
        ]
        self.rows = {
            key: row
            for key, row in self.rows.items()
            if key[1] != module or key in keys
        }
        for key, (_, fault) in zip(keys, drawn, strict=True):
            if key in self.rows and self.rows[key][0] not in self.args.again:
                continue
            if wing not in self.seen:
                self.seen[wing] = Seen(wing, self.tree)
            (self.tree / module).write_text(fault[4], encoding="utf-8")
            status, seconds, by = self.fault(self.seen[wing], module, code, fault[1])
            (self.tree / module).write_text(code, encoding="utf-8")
            by = " ".join(sorted(by)) or "nobody"
            self.rows[key] = [status, f"{seconds:.1f}", by, ""]
            print(*key[1:], status, f"{seconds:.1f}", by[:60], sep=" | ", flush=True)
            keep(sorted([*key, *row] for key, row in self.rows.items()), self.args.out)

    def fault(self, seen, module, code, line):
        """Return what the tests make of one fault, their seconds, and who notices."""
        start, found, by = time.monotonic(), {"survived"}, set()
        fails = [f"--deselect={test}" for test in seen.failed]
        *first, rest = seen.stages(module, code, line)
        for tests in (*first, rest):
            if not tests or (tests is rest and found != {"survived"}):
                continue
            usual = sum(map(seen.takes, tests))
            found.add(run([*PYTEST, *fails, *tests], self.tree, 60 + 3 * usual))
            by |= noticed_by(self.tree.parent)
        status = next(s for s in ("caught", "timeout", "survived") if s in found)
        return status, time.monotonic() - start, by


def main():
    """Run the faults that have no line yet."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "only", nargs="*", help="modules, such as evalkit/splits.py, or wings; else all"
    )
    parser.add_argument("--n", type=int, default=10, help="faults a module")
    parser.add_argument("--seed", type=int, nargs="+", default=[2026], help="of draws")
    parser.add_argument(
        "--again", nargs="+", default=[], metavar="STATUS", help="such as survived"
    )
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    for package in HEAVY:
        importlib.import_module(package)
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*LEFT_OUT))
        with (tree / "tests" / "conftest.py").open("a", encoding="utf-8") as file:
            file.write(ONE_EXAMPLE)
        campaign = Campaign(tree, args)
        for wing in WINGS:
            for module in modules_of(wing):
                if not args.only or wing in args.only or module in args.only:
                    campaign.module(wing, module)
    if args.out == OUT:  # not before a fork, for it imports lab
        importlib.import_module("record").describe(
            "mutants", ("cosmic-ray", "coverage")
        )


if __name__ == "__main__":
    main()
