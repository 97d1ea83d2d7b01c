"""Looking at the built book: what `make serve` does where it cannot."""

import importlib.util
import socket
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def build(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location(
        "build", ROOT / "book/_tools/build.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "HTML", tmp_path)
    return module


def test_busy_port_is_one_sentence(build, capsys):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert build.serve(port) == 1
    told = capsys.readouterr().err
    assert told.startswith(
        f"Port {port} of this machine is in use; take another, --port 8080 say"
    )
    assert told.count("\n") == 1


def test_port_that_does_not_exist_is_one_sentence(build, capsys):
    assert build.serve(99_999) == 1
    assert "Port 99999 of this machine cannot be had" in (
        told := capsys.readouterr().err
    )
    assert told.count("\n") == 1
