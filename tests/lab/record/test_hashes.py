"""What code an experiment's results come from: what changes the hash, and what does not."""

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
    "experiment": """
        '''Doc.'''
        from lab import helpers, judging
        from lab.helpers import half as halve
        import functools
        from evalkit._checks import check_int
        from lab.record.experiment import Experiment

        RATE = 0.5
        TABLE = {}
        TABLE["a"] = 1
        UNUSED = 1

        class Base:
            def scale(self):
                return 3

        class Lab(Base):
            def score(self, seed):
                return halve(seed) * RATE * helpers.tenth(seed) * TABLE["a"] * self.scale()

        def plan(scale, rows):
            return [1]

        def _score(seed):
            '''Run one unit.'''
            if seed < 0:
                raise ValueError("seed must not be negative")
            from lab.helpers import late
            return Lab().score(late(seed))

        def extras(rows):
            return judging.verdicts(rows)

        EXPERIMENT = Experiment("lab", {}, plan, {"score": functools.partial(_score)}, extras)
    """,
    "helpers": """
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
    """,
    "judging": "def verdicts(rows):\n    return 'good'\n",
}


@pytest.fixture
def code_of(tmp_path, monkeypatch):
    """Return a function that gives the hash of an experiment with some text changed."""
    (tmp_path / "lab").mkdir()
    monkeypatch.syspath_prepend(tmp_path)

    def code_of(old=None, new=None):
        assert old is None or any(old in text for text in FILES.values())
        for name, text in FILES.items():
            changed = text.replace(old, new) if old else text
            (tmp_path / "lab" / f"{name}.py").write_text(textwrap.dedent(changed))
        for module in [name for name in sys.modules if name.partition(".")[0] == "lab"]:
            del sys.modules[module]
        importlib.invalidate_caches()
        hashes._hash_of.cache_clear()
        hashes._definitions.cache_clear()
        return hashes.code_hash(importlib.import_module("lab.experiment").EXPERIMENT)

    return code_of


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("RATE = 0.5", "RATE = 0.6"),
        ('TABLE["a"] = 1', 'TABLE["a"] = 2'),
        ("return x / 2", "return x / 3"),
        ("FACTOR = 10", "FACTOR = 11"),
        ("x + 1", "x + 2"),
        ("halve(seed) * RATE", "halve(seed) + RATE"),
        ("seed < 0", "seed < 1"),
        ("return 3", "return 4"),
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


@pytest.mark.parametrize("name", cli.EXPERIMENTS)
def test_every_experiment_of_the_book_has_a_hash(name):
    experiment = importlib.import_module(cli.EXPERIMENTS[name]).EXPERIMENT
    found = hashes.code_hash(experiment)
    assert found == hashes.code_hash(experiment)
    assert len(found) == 12


def test_function_that_is_in_no_file_has_none():
    def local(seed):
        return {}

    for function in (local, lambda seed: {}, len):
        assert hashes.code_hash(Experiment("lab", {}, None, {"score": function})) is None


def test_rows_of_code_that_came_out_the_same_are_not_of_other_code(tmp_path, monkeypatch):
    experiment = importlib.import_module("lab.experiments.films").EXPERIMENT
    here, rows = hashes.code_hash(experiment), [{"environment": {"source": "before", "code": "abc"}}]
    monkeypatch.setattr(hashes, "SAME_CODE", tmp_path / "same_code.csv")
    assert "1 of the 1 rows of films" in hashes.other_code(experiment, rows)
    for name, now, known in (("films", here, True), ("grids", here, False), ("films", "later", False)):
        hashes.SAME_CODE.write_text(f"experiment,recorded,now\n{name},before,{now}\n")
        assert (hashes.other_code(experiment, rows) == "") == known


def test_the_map_of_hashes_is_of_recorded_rows():
    with hashes.SAME_CODE.open(encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines):
            made_in = tables.load_provenance(line["experiment"])["environments"].values()
            assert line["recorded"] in {environment.get("source") for environment in made_in}
