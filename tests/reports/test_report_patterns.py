"""No text keeps a report busy: every pattern takes time in proportion to what it is
held against.
"""

import ast
import contextlib
import importlib
import itertools
import pkgutil
import random
import re
import signal
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit import _ways, proportions, reports
from evalkit.reports import RefusedError
from evalkit.reports._formats import _values
from evalkit.reports._pages import _paper
from evalkit.reports._recognition import _named

MODULES = [
    proportions,
    _ways,
    *(
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(reports.__path__, "evalkit.reports.")
    ),
]
PATTERNS = {
    f"{module.__name__.removeprefix('evalkit.')}.{name}": value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str)
}
SHORT = 250  # characters, and four times as many
COMMON = " 1.,%aA\\(-\u00b1*_=`{\n"
# What leads into the middle of a pattern.
BEGINNINGS = [
    "",
    "1",
    "a=1",
    "1 ",
    "(",
    "(a",
    "^{",
    "^",
    "_{\u00b1",
    "**",
    "samples_a",
    "split1_test_",
    "You said --a",
]


@contextlib.contextmanager
def at_most(seconds):
    """Fail where a block takes longer."""

    def stop(*_):
        pytest.fail(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def units(pattern):
    """What is repeated: each character of the pattern and of all others, its words, and
    pairs of them.
    """
    own = re.sub(r"\\[a-zA-Z]", "", pattern.pattern)
    single = sorted({*COMMON, *own})
    words = re.findall(r"[A-Za-z_ -]{2,}", own)
    pairs = ["".join(pair) for pair in itertools.product(COMMON, repeat=2)]
    rng = random.Random(0)
    mixed = ["".join(rng.choices(single, k=3)) for _ in range(20)]
    return [*single, *words, *pairs, *mixed, "\\aaa"]


def seconds(search, text):
    start = time.thread_time()  # without what others take of a busy machine
    search(text)
    return time.thread_time() - start


@pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="nothing stops a pattern there"
)
@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_takes_four_times_as_long_for_four_times_as_much(name):
    pattern = PATTERNS[name]
    for search, beginning in itertools.product(
        (pattern.fullmatch, pattern.findall), BEGINNINGS
    ):
        with at_most(10):
            for unit in units(pattern):
                short, long = (
                    f"{beginning}{unit * (n // len(unit))}\0x"
                    for n in (SHORT, 4 * SHORT)
                )
                if seconds(search, long) < 0.002:
                    continue
                both = [
                    min(seconds(search, text) for _ in range(3))
                    for text in (short, long)
                ]
                assert both[1] < 0.1, (beginning, unit)
                assert both[1] < max(0.002, 10 * both[0]), (beginning, unit)


def test_the_patterns_are_found():
    assert {
        "proportions._PRINTED",
        "reports._formats._values._PRINTED",
    } <= set(PATTERNS)
    assert len(PATTERNS) > 15


def calls(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, (ast.FunctionDef, ast.Lambda))
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node, id(node) in inside


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in sorted(Path(reports.__file__).parent.rglob("*.py"))
        if path.parent.name != "folder"
    ],
    ids=lambda path: path.name,
)
def test_every_pattern_stands_where_it_is_tried(path):
    """A pattern within a function would escape the test above, and so would one that is
    a plain string.
    """
    for call, is_inside in calls(path):
        of = call.func.value
        if isinstance(of, ast.Name) and of.id == "re":
            assert call.func.attr in ("compile", "escape"), f"line {call.lineno}"
            # The form of names that somebody says is tried below.
            assert not is_inside or path.name == "_named.py", f"line {call.lineno}"
        if isinstance(of, ast.Attribute) and of.attr == "str":
            texts = [one.value for one in call.args if isinstance(one, ast.Constant)]
            assert not any(
                re.search(r"[*+{]", text) for text in texts if isinstance(text, str)
            ), call.lineno


@pytest.mark.parametrize(
    "form", ["{system}*{seed}", "*{system}{seed}", "a{system}a{seed}a*a"]
)
def test_the_form_of_a_name_is_looked_at_for_a_bounded_time(form):
    for letters in ("a" * 300, "ab" * 150, "0" * 300):
        with at_most(5):
            assert _named.parsed([letters + "\n"], form) in (
                None,
                _named.parsed([letters], form),
            )


# --------------------------------------------------------------------------------------
# Whole reports
# --------------------------------------------------------------------------------------

N = 20_000
LONG = {
    "spaces": "1" + " " * N + "x",
    "digits": "1" * N + "x",
    "points": "1." * N + "x",
    "commas": "1,234" * N + "x",
    "percent": "1" + "%" * N + "x",
    "plus-minus": "1 \u00b1 " + "1" * N + "x",
    "brackets": "1 (" + "a" * N + "x",
    "open brackets": "1 " + "(a" * N,
    "marks": "1^{" + "\\aaa" * N + "x",
    "stars": "1" + "*" * N + "x",
}


@contextlib.contextmanager
def soon():
    """Fail where a block takes 2 s of work; on a busy machine it may take longer."""
    start = time.process_time()
    with at_most(30):
        yield
    assert time.process_time() - start < 2


@pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="nothing stops a pattern there"
)
@pytest.mark.parametrize("kind", LONG)
def test_long_answers_keep_no_report_busy(tmp_path, kind):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "system": np.repeat(["base", "ours"], 30),
            "item": [f"i{k}" for k in range(30)] * 2,
            "answer": [f"{LONG[kind]}{k}" for k in range(60)],
            "correct": rng.integers(0, 2, 60),
        }
    )
    table.to_csv(tmp_path / "a.csv", index=False)
    with soon():
        found = ek.report(
            tmp_path / "a.csv", baseline="base", columns={"note": "answer"}
        )
        found.write("html")
    assert len(found.used) == 60


@pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="nothing stops a pattern there"
)
@pytest.mark.parametrize("kind", LONG)
def test_a_long_cell_among_scores_is_refused_soon(tmp_path, kind):
    table = pd.DataFrame(
        {
            "base": ["71.3*", "80.2", "65.1", "90.0"],
            "ours": ["72.3", "81.2", "66", LONG[kind]],
        }
    )
    table.to_csv(tmp_path / "a.csv", index_label="dataset")
    with (
        soon(),
        pytest.raises(RefusedError, match="Among the scores 1 cell is not a number"),
    ):
        ek.report(
            tmp_path / "a.csv",
            baseline="base",
            direction="higher",
            columns={"system": "base,ours"},
        )


@pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="nothing stops a pattern there"
)
@pytest.mark.parametrize(
    "words", [" " * N, "You said --a " * N, "You said --" + "a" * N]
)
def test_long_words_for_a_paper_are_mended_soon(words):
    with soon():
        _paper.without_options(words)


# --------------------------------------------------------------------------------------
# They read what they read before
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("77.1  \u00b1   0.4  $^\\dagger$", None),
        ("77.1^{ \\dagger , \\ddagger }", None),
        ("77.1 (0.4)", 77.1),
        ("77.1 ( 3 seeds )", None),
        ("**77.1**", 77.1),
        ("\\textbf{ 77.1 } \\%", None),
        ("10^{3}", None),
        ("10^3", None),
        ("77.1 (3)(a)", None),
        ("1" * 150, None),  # of so many digits a number keeps 15
        ("77.1" + " " * 300 + "%", None),
    ],
)
def test_cells_are_read_with_their_marks(cell, number):
    frame, _ = _values.columns(pd.DataFrame({"a": pd.Series([cell], dtype=object)}))
    assert frame.a.tolist() == [cell if number is None else number]


def test_what_a_cell_may_be_is_bounded():
    assert _values.as_printed("1" * _values.LONGEST)
    assert _values.as_printed("1" * (_values.LONGEST + 1)) is None


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "Two rows. You said --failed drop: they are left out.",
            "Two rows. They are left out.",
        ),
        ("You said --failed 0.5", "You said --failed 0.5"),
    ],
)
def test_what_goes_into_a_paper_is_said_to_its_reader(words, expected):
    assert _paper.without_options(words) == expected
