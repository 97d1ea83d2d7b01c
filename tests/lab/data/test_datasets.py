"""The corpus is the frozen one, the task does not leak, and files are never left
half-written.
"""

import functools
import gzip
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from grids import grid
from upstream import damaged

from evalkit.splits import tokenize
from lab.data import datasets

# --------------------------------------------------------------------------------------
# The corpus and the task
# --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def corpus():
    return datasets.load_docstrings()


def test_corpus_is_the_frozen_one():
    frozen = pd.read_csv(datasets.DATA / "docstrings.csv")
    pd.testing.assert_frame_equal(datasets.describe_corpus(), frozen)


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


def test_another_corpus_is_refused_by_package(tmp_path, monkeypatch):
    frozen = pd.read_csv(datasets.DATA / "docstrings.csv")
    frozen.loc[frozen.package == "scipy", ["version", "sha256"]] = ["0.19.1", "0" * 64]
    frozen.to_csv(tmp_path / "docstrings.csv", index=False)
    monkeypatch.setattr(datasets, "DATA", tmp_path)
    # The cached corpus stays for other tests.
    monkeypatch.setattr(
        datasets, "_docstrings", functools.cache(datasets._docstrings.__wrapped__)
    )
    with pytest.raises(
        datasets.CorpusChangedError, match=r"scipy .*needed: 0\.19\.1"
    ) as caught:
        datasets.load_docstrings()
    assert "numpy" not in str(caught.value)
    caught.match("pip install -r requirements.txt")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr(datasets.util, "find_spec", lambda name: None)
    with pytest.raises(datasets.CorpusChangedError, match=r"^pandas is not installed"):
        next(datasets._read_package("pandas"))


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


@pytest.mark.parametrize(
    "content", [b"", b"package\nnumpy", b"package,version,sha256\nnumpy,1,2", b"\xff"]
)
def test_damaged_freeze_is_named(tmp_path, monkeypatch, content):
    monkeypatch.setattr(datasets, "DATA", tmp_path)
    (tmp_path / "docstrings.csv").write_bytes(content)
    with pytest.raises(ValueError, match=r"docstrings\.csv"):
        datasets._check_frozen()


@pytest.fixture
def two_packages(monkeypatch, tmp_path):
    """A corpus that is read at once, and a place of its own to keep it."""
    monkeypatch.setattr(datasets, "PACKAGES", ("a", "b"))
    monkeypatch.setattr(datasets, "_installed_versions", lambda: {"a": "1", "b": "2"})
    monkeypatch.setattr(
        datasets, "_read_package", lambda package: [(package, "", "module", "Text.")]
    )
    monkeypatch.setattr(datasets.inspect, "getsource", repr)
    monkeypatch.setenv("EVALKIT_CACHE", str(tmp_path / "cache"))
    return {"a": [["a", "", "module", "Text."]], "b": [["b", "", "module", "Text."]]}


def test_a_damaged_cache_is_made_anew(two_packages, tmp_path):
    assert datasets._read_corpus() == two_packages
    (file,) = (tmp_path / "cache").iterdir()
    whole = file.read_bytes()
    rng = np.random.default_rng(5)
    for content in (b"", whole[:49], *(damaged(whole, rng) for _ in range(30))):
        file.write_bytes(content)
        assert datasets._read_corpus() == two_packages
        # What does not change the content, such as the time in its head, may stay.
        assert gzip.decompress(file.read_bytes()) == gzip.decompress(whole)


def test_a_cache_that_cannot_be_written_is_done_without(two_packages, tmp_path):
    (tmp_path / "cache").write_text("no folder")
    assert datasets._read_corpus() == two_packages
    assert (tmp_path / "cache").read_text() == "no folder"


def test_cache_folder_can_be_moved(tmp_path, monkeypatch):
    monkeypatch.setenv("EVALKIT_CACHE", str(tmp_path))
    assert datasets.cache_folder() == tmp_path
    monkeypatch.delenv("EVALKIT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "of the user"))
    assert datasets.cache_folder() == tmp_path / "of the user" / "evalkit-book"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert datasets.cache_folder() == Path.home() / ".cache" / "evalkit-book"


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
