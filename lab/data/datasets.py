"""The data that the book trains on and that every reader already has.

The text is the docstrings of six pinned packages (numpy, scipy, pandas, matplotlib,
scikit-learn and torch), read from their installed sources: nothing is downloaded and
nothing is imported. The tables and images are the ones that scikit-learn carries.

The corpus is frozen: `data/docstrings.csv` holds the version of each package and a hash
of what was read from it, and `load_docstrings` refuses to go on with anything else.
"""

import ast
import contextlib
import functools
import gzip
import hashlib
import inspect
import json
import re
import zlib
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn import datasets as sklearn_datasets

from evalkit._checks import check_choice
from evalkit._files import write_atomically
from evalkit.splits import near_duplicate_groups, tokenize
from lab.data import DATA, DataError, cache_folder
from lab.data.files import read_csv

PACKAGES = ("matplotlib", "numpy", "pandas", "scipy", "sklearn", "torch")
_DISTRIBUTIONS = {"sklearn": "scikit-learn"}

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

# Lines of each package in each part: what numpy, the smallest of the six, can fill
# without putting a module into two parts.
PARTS = {"train": 667, "validation": 167, "test": 500}


class CorpusChangedError(DataError):
    """The installed packages are not the ones that the corpus was frozen from."""


# --------------------------------------------------------------------------------------
# The docstring corpus
# --------------------------------------------------------------------------------------


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


def _read_package(package):
    """Yield (module, name, kind, text) for each docstring in an installed package's
    sources.
    """
    # For a top-level name this finds, and does not import.
    spec = util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise CorpusChangedError(
            f"{package} is not installed; run `pip install -r requirements.txt`"
        )
    root = Path(next(iter(spec.submodule_search_locations)))
    for path in sorted(
        root.rglob("*.py"), key=lambda p: p.relative_to(root).as_posix()
    ):
        parts = path.relative_to(root.parent).with_suffix("").parts
        if _FOREIGN.intersection(parts):
            continue
        try:
            tree = ast.parse(path.read_bytes())
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


def _installed_versions():
    # "2.13.0+cpu" and "2.13.0" are builds of the same sources.
    return {
        p: metadata.version(_DISTRIBUTIONS.get(p, p)).split("+")[0] for p in PACKAGES
    }


def _content_hash(rows):
    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps(row, ensure_ascii=True).encode() + b"\n")
    return digest.hexdigest()


def _read_corpus():
    """Read the six packages, through the cache: parsing 4,000 files takes half a
    minute.
    """
    versions = _installed_versions()
    reader = [inspect.getsource(_definitions), inspect.getsource(_read_package)]
    reader += [sorted(_FOREIGN), repr(_MAY_DEFINE)]
    tag = hashlib.sha256(json.dumps([versions, reader]).encode()).hexdigest()[:16]
    cached = cache_folder() / f"docstrings-{tag}.json.gz"
    # Missing or damaged: made anew.
    with contextlib.suppress(OSError, EOFError, ValueError, zlib.error):
        return json.loads(gzip.decompress(cached.read_bytes()))
    corpus = {
        package: [list(row) for row in _read_package(package)] for package in PACKAGES
    }
    # No place for it: the next process reads the sources again.
    with contextlib.suppress(OSError):
        write_atomically(cached, gzip.compress(json.dumps(corpus).encode(), 6, mtime=0))
    return corpus


def describe_corpus():
    """Describe the docstrings of the installed packages, as `data/docstrings.csv`
    freezes them.

    Returns
    -------
    pandas.DataFrame
        Per package: its version, the number of docstrings and words, and the SHA-256 of
        the rows.
    """
    versions = _installed_versions()
    return pd.DataFrame(
        {
            "package": package,
            "version": versions[package],
            "docstrings": len(rows),
            "words": sum(len(row[3].split()) for row in rows),
            "sha256": _content_hash(rows),
        }
        for package, rows in _read_corpus().items()
    )


def _check_frozen():
    path = DATA / "docstrings.csv"
    frozen = read_csv(path, ["package", "version", "sha256"]).set_index("package")
    if missing := sorted(set(PACKAGES) - set(frozen.index)):
        raise ValueError(
            f"{path} must have a row for each package; it lacks {', '.join(missing)}"
        )
    installed = describe_corpus().set_index("package")
    wrong = [
        f"{p} {installed.version[p]} (needed: {frozen.version[p]}, as frozen)"
        for p in PACKAGES
        if installed.sha256[p] != frozen.sha256[p]
    ]
    if wrong:
        raise CorpusChangedError(
            "the docstrings of these packages are not the ones this book was computed"
            " from: "
            + "; ".join(wrong)
            + ". Install the pinned versions: pip install -r requirements.txt"
        )


def load_docstrings():
    """Load the docstring corpus.

    Returns
    -------
    pandas.DataFrame
        One row per docstring: `package`, `module`, `name` and `kind` ("module", "class"
        or "function") say where it stands, `text` is the docstring, `summary` its first
        paragraph on one line. `duplicate` and `near_duplicate` number the summaries:
        rows with the same number have the same words in the same order, or nearly the
        same set of them.

    Raises
    ------
    CorpusChangedError
        If the installed packages differ from the frozen ones in `data/docstrings.csv`.
    """
    return _docstrings().copy()


@functools.cache
def _docstrings():
    _check_frozen()
    columns = ["module", "name", "kind", "text"]
    table = pd.concat(
        (
            pd.DataFrame(rows, columns=columns).assign(package=p)
            for p, rows in _read_corpus().items()
        ),
        ignore_index=True,
    )[["package", *columns]]
    table["summary"] = [
        re.sub(r"\s+", " ", re.split(r"\n\s*\n", t)[0]).strip() for t in table.text
    ]
    words = [
        " ".join(token for token in tokenize(s) if token.isalnum())
        for s in table.summary
    ]
    table["duplicate"] = pd.factorize(pd.Series(words))[0]
    table["near_duplicate"] = near_duplicate_groups(words)
    return table


@dataclass(frozen=True, eq=False)  # compared and hashed as the one object it is
class TextTask:
    """A text classification task, split into train, validation and test.

    Attributes
    ----------
    name : str
    classes : tuple of str
    train, validation, test : pandas.DataFrame
        With `text`, `label` (an index into `classes`), `group` (items of one group are
        never in two parts) and `near_duplicate`.
    """

    name: str
    classes: tuple
    train: pd.DataFrame
    validation: pd.DataFrame
    test: pd.DataFrame

    def __repr__(self):
        sizes = ", ".join(f"{part} {len(getattr(self, part)):,}" for part in PARTS)
        return f"TextTask({self.name}: {len(self.classes)} classes; {sizes})"


@functools.cache
def package_task():
    """Return the book's own task: to tell from which of six packages a summary line
    comes.

    Every package has the same number of lines in every part, so always answering the
    same package scores 1/6. Whole modules are kept together: a line is never tested by
    a model that was trained on its neighbours. Lines of fewer than three words are left
    out, and so are lines that stand word for word in two packages; repetitions within a
    package count once.

    Returns
    -------
    TextTask
        The same one on every machine: the corpus is frozen and the split has a fixed
        seed.
    """
    summaries = _docstrings()
    summaries = summaries[summaries.summary.str.split().str.len() >= 3]
    summaries = summaries[
        summaries.groupby("duplicate").package.transform("nunique") == 1
    ]
    summaries = summaries.drop_duplicates("duplicate")
    rng = np.random.default_rng(2020)
    parts = {part: [] for part in PARTS}
    for package, of_package in summaries.groupby("package"):
        filled = {part: [] for part in PARTS}
        sizes = of_package.groupby("module").size()
        for module in rng.permutation(sizes.index.to_numpy()):
            # The part that is farthest from full takes the next module.
            part = min(PARTS, key=lambda p: sizes[filled[p]].sum() / PARTS[p])
            filled[part].append(module)
        for part, modules in filled.items():
            pool = of_package[of_package.module.isin(modules)]
            if len(pool) < PARTS[part]:
                raise RuntimeError(f"{package} has only {len(pool)} lines for {part}")
            parts[part].append(
                pool.iloc[rng.choice(len(pool), PARTS[part], replace=False)]
            )
    frames = {}
    for part, pools in parts.items():
        chosen = pd.concat(pools)
        chosen = chosen.iloc[rng.permutation(len(chosen))]
        frames[part] = pd.DataFrame(
            {
                "text": chosen.summary.to_numpy(),
                "label": chosen.package.map(PACKAGES.index).to_numpy(),
                "group": chosen.module.to_numpy(),
                "near_duplicate": chosen.near_duplicate.to_numpy(),
            }
        )
    return TextTask("package of a docstring", PACKAGES, **frames)


# --------------------------------------------------------------------------------------
# scikit-learn's bundled sets
# --------------------------------------------------------------------------------------

_BUNDLED = {
    "digits": sklearn_datasets.load_digits,
    "breast-cancer": sklearn_datasets.load_breast_cancer,
    "wine": sklearn_datasets.load_wine,
}


def load_bundled(name):
    """Load a table that scikit-learn carries.

    Parameters
    ----------
    name : {"digits", "breast-cancer", "wine"}

    Returns
    -------
    X : pandas.DataFrame
        The features, one row per item.
    y : pandas.Series
        The class of each item, by name.
    """
    check_choice(name, "name", tuple(_BUNDLED))
    bunch = _BUNDLED[name](as_frame=True)
    y = bunch.target.map(lambda i: str(bunch.target_names[i])).rename("class")
    return bunch.data, y
