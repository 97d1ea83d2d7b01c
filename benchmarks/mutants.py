"""Put faults into a copy of one module, one at a time, and see whether its tests notice.

Cosmic Ray lists the faults. Places are drawn without replacement, then one fault at each, so that an operator
with many forms weighs no more than one with few; the first 12 of 20 are the draw of 12. From the root:

    .venv/bin/python benchmarks/mutants.py evalkit/splits.py --tests tests/test_splits.py evalkit/splits.py

Each fault is a line of `data/measured/mutants.csv`. One that has its line is not run again, unless `--again`
names its status; then it gets a further line, and the last one counts. The draw depends on the module's text.
"""

import argparse
import contextlib
import csv
import difflib
import os
import random
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
COLUMNS = ["module", "seed", "operator", "line", "before", "after", "status", "seconds"]
PYTEST = ["-m", "pytest", "-x", "-q", "-m", "not slow", "-p", "no:cacheprovider"]
LEFT_OUT = (".git", ".venv", "_build", "runs", "__pycache__", ".*_cache", ".hypothesis", "*.egg-info")
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
            status = "caught" if process.wait(timeout) else "survived"
        except subprocess.TimeoutExpired:
            status = "timeout"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        return status, time.monotonic() - start, output.read().decode()[-2000:]


def main():
    """Run the faults that have no line yet."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("module", help="such as evalkit/splits.py")
    parser.add_argument("--tests", nargs="+", required=True, help="what pytest runs")
    parser.add_argument("--wider", nargs="+", default=[], help="what it runs where those see nothing")
    parser.add_argument("-k", default="", help="pytest's -k, to leave slow ones out")
    parser.add_argument("--n", type=int, default=12)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--again", nargs="+", default=[], metavar="STATUS", help="such as survived")
    parser.add_argument("--python", default=sys.executable, type=os.path.abspath, help="what runs the tests")
    parser.add_argument("--out", type=Path, default=ROOT / "data" / "measured" / "mutants.csv")
    args = parser.parse_args()
    code = (ROOT / args.module).read_text(encoding="utf-8")
    statuses, usual = {}, {}
    if args.out.exists():
        with args.out.open(newline="", encoding="utf-8") as file:
            statuses = {tuple(row[:6]): row[6] for row in csv.reader(file)}
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*LEFT_OUT))
        for operator, line, *texts, faulty in islice(draw(code, args.seed), args.n):
            key = (args.module, str(args.seed), operator, str(line), *texts)
            if statuses.get(key, "new") not in ["new", *args.again]:
                continue
            seconds = 0
            for stage, tests in enumerate(filter(None, [args.tests, args.wider])):
                tests = [*tests, "-k", args.k]
                if stage not in usual:
                    (tree / args.module).write_text(code, encoding="utf-8")
                    status, usual[stage], output = run(tests, tree, 600, args.python)
                    if status != "survived":
                        raise SystemExit(f"without a fault the tests do not pass:\n{output}")
                (tree / args.module).write_text(faulty, encoding="utf-8")
                status, took, _ = run(tests, tree, 60 + 5 * usual[stage], args.python)
                seconds += took
                if status != "survived":
                    break
            row = [*key, status, f"{seconds:.1f}"]
            print(*row, sep=" | ", flush=True)
            with args.out.open("a", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows([row] if file.tell() else [COLUMNS, row])


if __name__ == "__main__":
    main()
