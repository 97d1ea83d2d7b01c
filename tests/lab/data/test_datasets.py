"""The corpus is the frozen one, the task does not leak, and files are never left
half-written.
"""

from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from grids import grid

from evalkit.splits import tokenize
from lab.data import cache_folder, datasets

# --------------------------------------------------------------------------------------
# The corpus and the task
# --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def corpus():
    return datasets.load_docstrings()


def test_corpus_belongs_to_its_caller(corpus):
    corpus_of_another = datasets.load_docstrings()
    corpus_of_another["summary"] = ""
    pd.testing.assert_frame_equal(datasets.load_docstrings(), corpus)


def test_duplicates_have_the_same_words(corpus):
    words = corpus.summary.map(lambda s: tuple(t for t in tokenize(s) if t.isalnum()))
    assert (corpus.duplicate.to_numpy() == pd.factorize(words)[0]).all()
    # Word for word the same is nearly the same too, unless there is no word at all.
    near = corpus[words.map(bool)].groupby("duplicate").near_duplicate
    assert (near.min() == near.max()).all()


def parts_of(task):
    return {part: getattr(task, part) for part in datasets.PARTS}


def test_every_part_of_the_task_has_equal_classes_in_no_order(task):
    sizes = {part: len(frame) for part, frame in parts_of(task).items()}
    assert sizes == {"train": 4002, "validation": 1002, "test": 3000}
    for frame in parts_of(task).values():
        assert Counter(frame.label) == dict.fromkeys(range(6), len(frame) / 6)
        packages = frame.group.str.split(".").str[0]
        assert (np.array(task.classes)[frame.label] == packages).all()
        assert abs(np.corrcoef(np.arange(len(frame)), frame.label)[0, 1]) < 0.1


def test_task_keeps_modules_in_one_part(task):
    for a, b in combinations(parts_of(task).values(), 2):
        assert not set(a.group) & set(b.group)


def test_task_repeats_no_text(task):
    words = [
        " ".join(token for token in tokenize(text) if token.isalnum())
        for frame in parts_of(task).values()
        for text in frame.text
    ]
    assert len(set(words)) == len(words)


def test_task_leaves_out_short_lines_and_lines_of_two_packages(task, corpus):
    texts = {text for frame in parts_of(task).values() for text in frame.text}
    assert min(len(text.split()) for text in texts) == 3
    in_two_packages = corpus.groupby("duplicate").package.transform("nunique") > 1
    assert in_two_packages.any()
    assert not texts & set(corpus.summary[in_two_packages])


# --------------------------------------------------------------------------------------
# Files
# --------------------------------------------------------------------------------------


def test_cache_folder_can_be_moved(tmp_path, monkeypatch):
    monkeypatch.setenv("EVALKIT_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("EVALKIT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "of the user"))
    assert cache_folder() == tmp_path / "of the user" / "evalkit-book"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "evalkit-book"


# --------------------------------------------------------------------------------------
# scikit-learn's bundled sets
# --------------------------------------------------------------------------------------


@grid(
    ("name", "shape", "classes"),
    [
        ("digits", (1797, 64), {*"0123456789"}),
        ("breast-cancer", (569, 30), {"malignant", "benign"}),
        ("wine", (178, 13), {"class_0", "class_1", "class_2"}),
    ],
)
def test_bundled_shapes(name, shape, classes):
    X, y = datasets.load_bundled(name)
    assert X.shape == shape
    assert y.shape == shape[:1]
    assert {*y} == classes
    assert y.name == "class"
    assert X.notna().all(axis=None)
