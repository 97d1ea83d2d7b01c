"""What code an experiment's results come from: what changes the hash, and what does
not.
"""

import ast
import csv
import importlib
import sys
import textwrap

import pytest

from lab import cli
from lab.record import hashes, tables
from lab.record.experiment import Experiment

FILES = {
    "__init__": "",
    "experiment": (
        """
        '''Doc.'''
        from toy import helpers
        from toy import other
        from toy import judging
        from toy.helpers import half as halve
        import functools
        from math import floor as whole
        from evalkit._checks import check_int
        from lab.record.experiment import Experiment

        RATE = 0.5
        TABLE = {}
        TABLE["a"] = 1
        UNUSED = 1

        class Base:
            def scale(self):
                return 3

        class Model(Base):
            def score(self, seed):
                share = halve(seed) * RATE * TABLE["a"] * self.scale()
                return whole(share) * helpers.tenth(seed) - other.tenth(seed)

        def plan(scale, rows):
            return [1]

        def _score(seed):
            '''Run one unit.'''
            if seed < 0:
                raise ValueError("seed must not be negative")
            from toy.helpers import late
            from lab.record.tables import pack
            return {"scores": pack([Model().score(late(check_int(seed, "seed")))], ".6f")}

        def extras(rows):
            return judging.verdicts(rows)

        EXPERIMENT = Experiment("toy", {}, plan, {"score": functools.partial(_score)}, extras)
    """
    ),
    "helpers": (
        """
        import math

        FACTOR = 10

        def half(x):
            # A comment.
            return x / 2

        def tenth(x):
            return x / FACTOR

        def late(x):
            return Ladder().up(x)

        class Ladder:
            def up(self, x):
                return x + 1

        def unrelated(x):
            return math.sin(x)
    """
    ),
    "other": "def tenth(x):\n    return 0.1 * x\n",
    "judging": "def verdicts(rows):\n    return 'good'\n",
}


@pytest.fixture
def code_of(tmp_path, monkeypatch):
    """Return a function that gives the hash of an experiment with some text changed, or
    a module moved.
    """
    monkeypatch.syspath_prepend(tmp_path)

    def code_of(old=None, new=None, moved=None):
        assert old is None or any(old in text for text in FILES.values())
        for name, text in FILES.items():
            changed = text.replace(old, new) if old else text
            if moved:
                changed = changed.replace(
                    f"toy import {moved}", f"toy.lower import {moved}"
                )
                changed = changed.replace(f"toy.{moved}", f"toy.lower.{moved}")
            file = tmp_path / "toy" / ("lower" if name == moved else "") / f"{name}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(textwrap.dedent(changed))
        for module in [name for name in sys.modules if name.partition(".")[0] == "toy"]:
            del sys.modules[module]
        importlib.invalidate_caches()
        hashes._hash_of.cache_clear()
        hashes._definitions.cache_clear()
        experiment = importlib.import_module("toy.experiment").EXPERIMENT
        assert experiment.run({"table": "score", "seed": 20})
        return hashes.code_hash(experiment)

    return code_of


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("RATE = 0.5", "RATE = 0.6"),
        ('TABLE["a"] = 1', 'TABLE["a"] = 2'),
        ("return x / 2", "return x / 3"),
        ("FACTOR = 10", "FACTOR = 11"),
        ("0.1 * x", "0.2 * x"),
        ("x + 1", "x + 2"),
        ("halve(seed) * RATE", "halve(seed) + RATE"),
        ("seed < 0", "seed < 1"),
        ("return 3", "return 4"),
        (
            "helpers.tenth(seed) - other.tenth(seed)",
            "other.tenth(seed) - helpers.tenth(seed)",
        ),
        ("import floor as whole", "import ceil as whole"),
        ("import half as halve", "import late as halve"),
    ],
)
def test_what_a_result_comes_from_changes_the_hash(code_of, old, new):
    assert code_of() != code_of(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("UNUSED = 1", "UNUSED = 2"),
        ("math.sin", "math.cos"),
        ("# A comment.", "# Another."),
        ("Run one unit.", "Run a unit."),
        ("seed must not be negative", "seed must be at least 0"),
        ("return 'good'", "return 'better'"),
        ("return [1]", "return [1, 2]"),
        ("x / 2", "(x  /  2)"),
    ],
)
def test_what_no_result_comes_from_does_not(code_of, old, new):
    assert code_of() == code_of(old, new)


@pytest.mark.parametrize("module", ["helpers", "other"])
def test_moving_a_module_changes_nothing(code_of, module):
    assert code_of() == code_of(moved=module)


def test_definitions_are_followed_from_every_package_of_ours(code_of):
    code_of()
    experiment = sys.modules["toy.experiment"].EXPERIMENT
    reached = hashes.reached_by(experiment.tables.values())
    assert {
        ("toy.helpers", "tenth"),
        ("toy.other", "tenth"),
        ("lab.record.tables", "pack"),
    } <= set(reached)
    assert ("evalkit._checks", "check_int") not in reached


def test_a_tree_is_the_same_by_every_python():
    """By hand, what versions add to a tree: an empty list of type parameters (3.12 and
    later), and an empty text at the end of a field's format (3.12.0 and 3.12.1).
    """
    (plain,), (newer,) = (
        ast.parse("def f(x, w): return f'{x:{w}.2f} of {x:{w}}', ['']").body
        for _ in range(2)
    )
    newer.type_params = []
    newer._fields = tuple(dict.fromkeys([*newer._fields, "type_params"]))
    for node in ast.walk(newer):
        if isinstance(node, ast.FormattedValue) and node.format_spec:
            node.format_spec.values.append(ast.Constant(""))
    assert hashes._canonical(newer) == hashes._canonical(plain)
    (other,) = ast.parse("def f(x, w): return f'{x:{w}.2f} of {x:{w}}', []").body
    assert hashes._canonical(other) != hashes._canonical(plain)


@pytest.mark.parametrize("name", cli.EXPERIMENTS)
def test_every_experiment_of_the_book_has_a_hash(name):
    experiment = importlib.import_module(cli.EXPERIMENTS[name]).EXPERIMENT
    assert len(hashes.code_hash(experiment)) == 12


def test_function_that_is_in_no_file_has_none():
    def local(seed):
        return {}

    for function in (local, lambda seed: {}, len):
        assert (
            hashes.code_hash(Experiment("toy", {}, None, {"score": function})) is None
        )


def test_the_map_of_hashes_is_of_recorded_rows():
    with hashes.SAME_CODE.open(encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines):
            rows = tables.recorded_rows(line["experiment"], table=line["table"])
            assert line["recorded"] in {
                row["environment"].get("source", "") for row in rows
            }
