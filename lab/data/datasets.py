"""The data that the book trains on and that every reader already has.

The text is the docstrings of six packages (numpy, scipy, pandas, matplotlib,
scikit-learn and torch; see `lab.data.docstrings`). The tables and images are the ones
that scikit-learn carries.
"""

import functools
import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn import datasets as sklearn_datasets

from evalkit._checks import check_choice
from evalkit.splits import near_duplicate_groups, tokenize
from lab.data import docstrings

PACKAGES = ("matplotlib", "numpy", "pandas", "scipy", "sklearn", "torch")
# Lines of each package in each part: what numpy, the smallest of the six, can fill
# without putting a module into two parts.
PARTS = {"train": 667, "validation": 167, "test": 500}


# --------------------------------------------------------------------------------------
# The docstring corpus
# --------------------------------------------------------------------------------------


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
    CorpusError
        If the text of a package is neither installed nor fetched.
    """
    return _docstrings().copy()


@functools.cache
def _docstrings():
    columns = ["module", "name", "kind", "text"]
    table = pd.concat(
        (
            pd.DataFrame(docstrings.load(p), columns=columns).assign(package=p)
            for p in PACKAGES
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
