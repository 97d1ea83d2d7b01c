"""The book's text is what was frozen, wherever it comes from: an installed package, the
cache or a wheel.
"""

import gzip
import hashlib
import json
import zipfile

import numpy as np
import pytest
from upstream import damaged

from lab.data import DATA, docstrings

MODULES = {
    "toypack/__init__.py": '"""A package."""\n\n\ndef f():\n    """Do it."""\n',
    "toypack/part.py": 'if True:\n\n    class C:\n        """One."""\n',
    "toypack/tests/test_part.py": '"""Not its own."""\n',
    "toypack/template.py": "import {{ name }}\n",
}
ROWS = (
    ("toypack", "", "module", "A package."),
    ("toypack", "f", "function", "Do it."),
    ("toypack.part", "C", "class", "One."),
)
NAME = "toypack-1.0-cp311-cp311-macosx_14_0_arm64.whl"


def sha256(content):
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def toy(monkeypatch, tmp_path):
    """A corpus of one package, whose wheel pip alone knows; nothing is installed."""
    info = {
        "toypack-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: toypack\nVersion: 1.0\n",
        "toypack-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n"
        "Tag: cp311-cp311-macosx_14_0_arm64\n",
        "toypack-1.0.dist-info/RECORD": "",
    }
    wheel = tmp_path / "links" / NAME
    wheel.parent.mkdir()
    with zipfile.ZipFile(wheel, "w") as file:
        for name, text in {**MODULES, **info}.items():
            file.writestr(name, text)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    monkeypatch.setenv("EVALKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(docstrings, "DATA", tmp_path)
    rows = b"".join(json.dumps(row).encode() + b"\n" for row in ROWS)
    freeze(tmp_path, sha256(rows), sha256(wheel.read_bytes()))
    docstrings.load.cache_clear()
    yield tmp_path
    docstrings.load.cache_clear()


def freeze(folder, text, wheel):
    head = "package,version,docstrings,words,sha256,wheel,wheel_sha256"
    line = f"toypack,1.0,3,5,{text},{NAME},{wheel}"
    (folder / "docstrings.csv").write_text(f"{head}\n{line}\n")


def install(folder, monkeypatch, version="1.0"):
    for name, text in MODULES.items():
        path = folder / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    info = folder / "site" / f"toypack-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: toypack\nVersion: {version}\n"
    )
    monkeypatch.syspath_prepend(folder / "site")


def test_the_frozen_numbers_are_those_of_the_text():
    for package, wanted in docstrings.frozen().iterrows():
        rows = docstrings.load(package)
        assert len(rows) == int(wanted.docstrings)
        assert sum(len(row[3].split()) for row in rows) == int(wanted.words)


def test_pip_fetches_a_wheel_whatever_the_machine_and_its_text_alone_is_kept(toy):
    with pytest.raises(docstrings.CorpusError, match="`lab data corpus`"):
        docstrings.load("toypack")
    told = []
    docstrings.fetch(told.append)
    assert docstrings.load("toypack") == ROWS
    assert told == ["toypack 1.0: 3 docstrings, from a wheel of 0 MB"]
    docstrings.fetch(told.append)  # nothing is left to fetch
    assert told[1:] == ["toypack 1.0: 3 docstrings"]
    (kept,) = (toy / "cache").iterdir()
    assert kept.suffixes[-2:] == [".json", ".gz"]


def test_a_build_of_the_version_is_read_where_it_is_installed(toy, monkeypatch):
    install(toy, monkeypatch, "1.0+cpu")
    assert docstrings.load("toypack") == ROWS


def test_another_version_that_is_installed_is_not_read(toy, monkeypatch):
    install(toy, monkeypatch, "1.1")
    with pytest.raises(docstrings.CorpusError, match=r"toypack 1\.0, and 1\.1 is inst"):
        docstrings.load("toypack")


@pytest.mark.parametrize(
    ("text", "wheel", "says"),
    [
        ("0" * 64, None, "are not those"),
        (None, "0" * 64, "could not fetch toypack-1.0"),
    ],
)
def test_another_text_and_another_wheel_are_refused(toy, text, wheel, says):
    wanted = docstrings.frozen().loc["toypack"]
    freeze(toy, text or wanted.sha256, wheel or wanted.wheel_sha256)
    with pytest.raises(docstrings.CorpusError, match=says):
        docstrings.fetch()
    assert not (toy / "cache").exists()


def test_a_changed_file_of_an_installed_package_is_noticed(toy, monkeypatch):
    install(toy, monkeypatch)
    (toy / "site/toypack/part.py").write_text('"""Edited."""\n')
    with pytest.raises(docstrings.CorpusError, match="its files were changed"):
        docstrings.load("toypack")


def test_a_damaged_cache_is_made_anew(toy, monkeypatch):
    install(toy, monkeypatch)
    assert docstrings.load("toypack") == ROWS
    (file,) = (toy / "cache").iterdir()
    whole = file.read_bytes()
    rng = np.random.default_rng(5)
    for content in (b"", whole[:49], *(damaged(whole, rng) for _ in range(30))):
        file.write_bytes(content)
        docstrings.load.cache_clear()
        assert docstrings.load("toypack") == ROWS
        # What does not change the content, such as the time in its head, may stay.
        assert gzip.decompress(file.read_bytes()) == gzip.decompress(whole)


def test_a_cache_that_cannot_be_written_is_done_without(toy, monkeypatch):
    install(toy, monkeypatch)
    (toy / "cache").write_text("no folder")
    assert docstrings.load("toypack") == ROWS
    assert (toy / "cache").read_text() == "no folder"


@pytest.mark.parametrize("content", [b"", b"package\nnumpy", b"\xff"])
def test_a_damaged_freeze_is_named(toy, content):
    (toy / "docstrings.csv").write_bytes(content)
    with pytest.raises(ValueError, match=r"docstrings\.csv"):
        docstrings.frozen()


def test_each_wheel_is_named_by_its_distribution_and_version():
    for package, wanted in docstrings.frozen().iterrows():
        name, version = wanted.wheel.split("-")[:2]
        assert version == wanted.version
        assert name == {"sklearn": "scikit_learn"}.get(package, package)
    assert (DATA / "docstrings.csv").stat().st_size < 3000  # and no text
