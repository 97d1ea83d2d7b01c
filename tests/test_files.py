"""Files are written whole or not at all."""

import os
import stat

import pytest

from evalkit._files import write_atomically


def test_write_makes_the_folder_and_replaces(tmp_path):
    path = tmp_path / "new" / "file.csv"
    for content in (b"old", b"newer"):
        write_atomically(path, content)
        assert path.read_bytes() == content
    assert [p.name for p in path.parent.iterdir()] == ["file.csv"]


def test_a_new_file_can_be_read_by_all_and_an_old_one_keeps_its_mode(tmp_path):
    path = tmp_path / "file.csv"
    write_atomically(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    path.chmod(0o600)
    write_atomically(path, b"newer")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def fail(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("content", "breaks", "error"),
    [
        ("not bytes", None, TypeError),
        (b"new", "replace", KeyboardInterrupt),
        (b"new", "chmod", KeyboardInterrupt),
    ],
)
def test_a_failed_write_leaves_the_old_file(
    tmp_path, monkeypatch, content, breaks, error
):
    path = tmp_path / "file.csv"
    path.write_bytes(b"old")
    if breaks:
        monkeypatch.setattr(os, breaks, fail)
    with pytest.raises(error):
        write_atomically(path, content)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["file.csv"]
