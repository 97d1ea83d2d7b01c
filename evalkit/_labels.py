"""Which labels are equal: those of two raters, or of a model and the truth.

On paper that is plain. In arrays 0.7 comes in float32 and in float64, a large whole
number is rounded to a float, and two files write one label in two ways.
"""

import numpy as np
import pandas as pd

from evalkit._checks import _examples, check_labels, check_same_length, is_number
from evalkit._ties import as_type, coarsest


def number_labels(a, b, name_a, name_b):
    """Return two columns of labels as numbers from 0, and the labels.

    Parameters
    ----------
    a, b : array_like, shape (n,)
        As the caller got them.
    name_a, name_b : str
        The caller's names for them.

    Returns
    -------
    of_a, of_b : ndarray of int, shape (n,)
        Equal where the labels are.
    names : ndarray
        Each label once.
    """
    labels = [check_labels(a, name_a), check_labels(b, name_b)]
    check_same_length(*labels, name_a, name_b)
    if is_number(labels[0][0]) != is_number(labels[1][0]):
        raise TypeError(
            f"{name_a} and {name_b} must both hold numbers or both hold strings: none"
            " would match"
        )
    labels = [  # 0.7 in float32 is 0.7
        as_type(own, coarsest(a, b)) if own.dtype.kind == "f" else own for own in labels
    ]
    if labels[0].dtype.kind != labels[1].dtype.kind:
        # Python compares whole numbers with floats as they are; NumPy rounds them.
        labels = [own.astype(object) for own in labels]
    codes, names = pd.factorize(np.concatenate(labels))
    return *np.split(codes, 2), names


def check_in_common(of_a, of_b, names, name_a, name_b, otherwise):
    """Raise a ValueError where no label of one column is in the other: they may be
    written in two ways.

    Parameters
    ----------
    of_a, of_b, names, name_a, name_b
        As `number_labels` returns and takes them.
    otherwise : str
        What else may be so, and what to call then.
    """
    held = [np.unique(codes) for codes in (of_a, of_b)]
    # One label throughout may well be wrong throughout.
    if min(map(len, held)) > 1 and not np.isin(*held).any():
        raise ValueError(
            f"{name_a} and {name_b} must have a label in common, got"
            f" {_examples(names[held[0]])} and {_examples(names[held[1]])}: write them"
            f" in one way; if {otherwise}"
        )
