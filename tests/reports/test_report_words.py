"""The sentences of a report are held to the style of the book, wherever they are
built.
"""

import ast
import re
import sys
from pathlib import Path

import pytest

from evalkit import reports

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import test_style  # noqa: E402

FILES = [
    path
    for path in sorted(Path(reports.__file__).parent.rglob("*.py"))
    if path.parent.name != "folder"
]
# Of pages alone, where numbers and spaces are set.
OF_PAGES = {"percent", "spaces", "comma", "minus", "twice"}
AGREEMENT = re.compile(
    r"\b(?:1|one) (?:rows|items|runs|files|cells|data sets|systems)\b|\b[2-9]"
    r" (?:row|item|run)\b"
)


def sentences(path):
    """Each text of four words or more that is no docstring, with an X for what is put
    into it.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    passed = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef))
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            passed |= {id(part) for part in ast.walk(node)} - {id(node)}
            yield (
                node.lineno,
                "".join(
                    (
                        getattr(part, "value", "X")
                        if isinstance(part, ast.Constant)
                        else "X"
                    )
                    for part in node.values
                ),
            )
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in passed
        ):
            yield node.lineno, node.value


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_sentence_is_as_one_would_say_it(path):
    found = [
        f"line {line}: {name}: {match[0]!r}"
        for line, text in sentences(path)
        if text.count(" ") > 2 and "<" not in text
        for name, pattern in {**test_style.PATTERNS, "number": AGREEMENT}.items()
        if name not in OF_PAGES
        for match in pattern.finditer(text)
    ]
    assert found == []


def test_sentences_are_found():
    assert (
        sum(text.count(" ") > 2 for path in FILES for _, text in sentences(path)) > 300
    )
