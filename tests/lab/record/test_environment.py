"""What is recorded of the machine and of the code."""

import platform
import subprocess
from pathlib import Path

import pytest

from lab.record import environment


@pytest.mark.parametrize(
    ("lines", "model"),
    [
        (
            "model name\t: Fast 7\ncpu family\t: 6\nmodel\t\t: 85\n",
            "Fast 7 (family 6, model 85)",
        ),
        (
            "model name\t: Fast 7\nmodel\t\t: 85\n\nmodel name\t: Slow\n",
            "Fast 7 (model 85)",
        ),
        ("model name\t: Fast 7\n", "Fast 7"),
        ("processor\t: 0\n", platform.processor() or platform.machine()),
        (None, platform.processor() or platform.machine()),
    ],
)
def test_the_processor_is_named_with_family_and_model(
    tmp_path, monkeypatch, lines, model
):
    file = tmp_path / "cpuinfo"
    if lines is not None:
        file.write_text(lines, encoding="utf-8")
    monkeypatch.setattr(environment, "Path", {"/proc/cpuinfo": file}.__getitem__)
    assert environment._cpu_model() == model


def test_the_code_is_a_commit_and_is_marked_where_a_package_differs_from_it(
    tmp_path, monkeypatch
):
    def git(*words):
        name = ["-c", "user.name=x", "-c", "user.email=x@y.z"]
        said = subprocess.run(
            ["git", *name, *words],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        )
        return said.stdout.strip()

    code, result = tmp_path / "evalkit" / "a.py", tmp_path / "rows.csv"
    (tmp_path / "lab").mkdir()
    code.parent.mkdir()
    code.write_text("a = 1\n", encoding="utf-8")
    monkeypatch.setattr(environment, "_CHECKOUT", tmp_path)
    environment.source_hash.cache_clear()
    assert environment._code_version() == "source-" + environment.source_hash()
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    commit = git("rev-parse", "--short=12", "HEAD")
    result.write_text("1\n", encoding="utf-8")
    assert environment._code_version() == commit
    code.write_text("a = 2\n", encoding="utf-8")
    assert environment._code_version() == commit + "-dirty"
    environment.source_hash.cache_clear()


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({}, True),
        ({"python": "3.11.9"}, True),
        ({"python": "3.12.2"}, False),
        ({"cpu": "y"}, False),
        ({"system": "y"}, False),
        ({"packages": {}}, False),
        ({"code": "y"}, True),
    ],
)
def test_a_kind_of_machine_is_processor_system_packages_and_minor_version(change, same):
    one = {
        "python": "3.11.2",
        "cpu": "x",
        "system": "x",
        "packages": {"numpy": "2"},
        "code": "x",
    }
    assert environment.same_machine_kind(one, one | change) == same


def test_one_is_described_once_and_is_not_of_a_checkout_that_is_none():
    assert environment.environment() is environment.environment()
    assert Path(environment._CHECKOUT, "lab", "record", "environment.py").exists()
