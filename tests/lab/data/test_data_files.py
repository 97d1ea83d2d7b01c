"""Files that belong together are all old or all new, wherever their writing is cut
off.
"""

import os

import pytest

from lab.data import files

OLD = {"a.csv": b"old a", "b.csv": b"old b", "index.json": b"old"}
NEW = {"a.csv": b"new a", "b.csv": b"new b", "index.json": b"new"}


@pytest.fixture
def folder(tmp_path):
    files.write_together(tmp_path / "new", OLD, "index.json")
    return tmp_path / "new"


def found(folder, contents):
    """What is read of the files whose hashes the index of these contents would hold."""
    return {
        name: files.read_checked(folder / name, files.sha256(contents[name]))
        for name in ("a.csv", "b.csv")
    }


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_files_are_written_and_written_over(folder):
    assert content(folder) == OLD
    places = files.write_together(folder, NEW, "index.json")
    assert places == [folder / name for name in NEW]
    assert content(folder) == NEW
    assert found(folder, OLD) == {"a.csv": None, "b.csv": None}


@pytest.mark.parametrize("written", [0, 1, 2])
def test_what_is_cut_off_before_the_index_is_the_old(folder, monkeypatch, written):
    left, write = [None] * written, files.write_atomically

    def cut(path, content):
        if not left:
            raise KeyboardInterrupt
        left.pop()
        write(path, content)

    monkeypatch.setattr(files, "write_atomically", cut)
    with pytest.raises(KeyboardInterrupt):
        files.write_together(folder, NEW, "index.json")
    assert content(folder) == OLD


@pytest.mark.parametrize("moved", [0, 1])
def test_what_is_cut_off_behind_the_index_is_the_new_and_is_ended_by_the_next(
    folder, monkeypatch, moved
):
    left, replace = [None] * moved, os.replace

    def cut(path, to):
        if str(path).endswith(".new"):
            if not left:
                raise KeyboardInterrupt
            left.pop()
        replace(path, to)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", cut)
        with pytest.raises(KeyboardInterrupt):
            files.write_together(folder, NEW, "index.json")
    assert (folder / "index.json").read_bytes() == NEW["index.json"]
    assert found(folder, NEW) == {"a.csv": b"new a", "b.csv": b"new b"}
    files.write_together(folder, NEW, "index.json")
    assert content(folder) == NEW


def test_what_a_killed_one_left_goes(folder):
    (folder / "a.csv.01234567.new").write_bytes(b"of one that was killed")
    files.write_together(folder, NEW, "index.json")
    assert content(folder) == NEW


def test_a_file_that_is_another_or_gone_is_none(folder):
    (folder / "a.csv").write_bytes(b"changed")
    (folder / "b.csv").unlink()
    assert found(folder, OLD) == {"a.csv": None, "b.csv": None}
