"""What bad input gets: an error that names the argument, what it got and what it needs.

Every public function calls these first, so that the mathematics below them has no checks in it.
Each returns the clean value; none changes its input, and none drops anything in silence.
"""

import inspect
import math
import numbers
from collections.abc import Hashable, Iterator

import numpy as np
import pandas as pd

_MAX_BUDGET = 2**53

# Beyond this size, and below its inverse, sums of squares and cubes leave the range of a double.
_LARGEST = 1e75
_LONGEST_RANGE = 100_000_000


def _show(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def as_array(values, name, what="a one-dimensional array of numbers"):
    """Return `np.asarray(values)`, or an error that names the argument.

    Ragged lists, tensors that want a gradient, objects whose own conversion fails: NumPy's words for
    them, and other libraries', name no argument.
    """
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must not be masked: evalkit drops no value in silence")
    if isinstance(values, (dict, set, frozenset, Iterator)):
        raise TypeError(f"{name} must be {what}, got {_show(values)}: make it a list first")
    if isinstance(values, range) and len(values) > _LONGEST_RANGE:  # it takes no memory until it is read
        raise ValueError(f"{name} must have at most {_LONGEST_RANGE:,} values, got {_show(values)}")
    try:
        return np.asarray(values)
    except (ValueError, TypeError, RuntimeError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name} must be {what}: {error}") from None


def check_scores(scores, name, *, min_size=1, squared=False):
    """Return `scores` as a new one-dimensional float array of finite values.

    Parameters
    ----------
    scores : array_like of numbers
        Lists, tuples, arrays and pandas Series; booleans count as 0 and 1.
    name : str
        The caller's name for the argument.
    min_size : int, default 1
    squared : bool, default False
        Whether the caller squares them: then none may be so far out that its square is lost.

    Raises
    ------
    TypeError
        If the values are not real numbers.
    ValueError
        If the shape, the size or a value is wrong.
    """
    array = as_array(scores, name)
    if array.dtype.kind == "O":
        # None and decimal.Decimal arrive here; the first is not a number, the second is.
        if not all(isinstance(v, numbers.Number) for v in array.ravel()):
            raise TypeError(f"{name} must hold numbers only, got {_show(scores)}")
    elif array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold real numbers, got {_show(scores)} ({array.dtype})")
    try:
        with np.errstate(over="ignore"):  # a long double's infinity is found below
            array = np.array(array, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must hold real numbers, got {_show(scores)}") from None
    except OverflowError:
        raise ValueError(f"{name} must fit into floats, got {_show(scores)}") from None
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
    if array.size < min_size:
        needs = "at least one value" if min_size == 1 else f"at least {min_size} values"
        raise ValueError(f"{name} needs {needs}, got {array.size}")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise ValueError(
            f"{name} must be finite, but {bad.size} of {array.size} values are not; the first is "
            f"{name}[{bad[0]}] = {array[bad[0]]}. Decide what a failed run scores; evalkit drops none"
        )
    with np.errstate(over="ignore"):
        if np.isinf(np.ptp(array)):
            raise ValueError(f"{name} must not differ by more than a float can hold, got {_show(scores)}")
    if squared:
        sizes = np.abs(array)
        far = np.flatnonzero((sizes > _LARGEST) | ((sizes > 0) & (sizes < 1 / _LARGEST)))
        if far.size:
            raise ValueError(
                f"{name} must be 0 or between {1 / _LARGEST:g} and {_LARGEST:g} in size, but "
                f"{name}[{far[0]}] = {array[far[0]]:g}, whose square is lost in floats. Rescale, or decide "
                "what a run that diverged scores"
            )
    return array


def check_table(scores, name, *, squared=False):
    """Return scores in rows and columns as a new float array, of as many dimensions as came in."""
    array = as_array(scores, name, "a table of numbers")
    return check_scores(array.ravel(), name, squared=squared).reshape(array.shape)


def coarsest(*scores):
    """Return the coarsest float type in which scores came: what came as float32 has seven digits.

    Parameters
    ----------
    *scores : array_like of numbers
        As the caller got them, before they are cast.

    Returns
    -------
    numpy.dtype
        float64 if none is coarser.
    """
    types = [np.dtype(float)]
    for given in scores:
        held = given.dtypes if isinstance(given, pd.DataFrame) else [np.asarray(given).dtype]
        types += [kind for kind in held if isinstance(kind, np.dtype) and kind.kind == "f"]
    return max(types, key=lambda kind: np.finfo(kind).eps)


def rounding(*scores):
    """Return by which share of their size two numbers made of these scores may differ and yet be equal.

    Two differences that are equal on paper, 0.8 - 0.7 and 0.9 - 0.8, differ in the last bits, and so do
    two sums of the same scores in another order; k / 3000 and (k + 1) / 3000 differ by far more.

    Parameters
    ----------
    *scores : array_like of numbers
        As the caller got them, before they are cast.

    Returns
    -------
    float
        64 units in the last place of doubles, 4 in that of a coarser type: scores in it have been
        rounded once, and have no digits to spare.
    """
    kind = coarsest(*scores)
    if np.finfo(kind).eps > 1e-6:
        raise ValueError(
            "scores in half precision have three digits, too few to tell a tie from rounding: "
            "compute them in float32 or float64"
        )
    return float((64 if kind.itemsize >= 8 else 4) * np.finfo(kind).eps)


def check_work(work, limit, what, instead):
    """Raise a ValueError if a call would take more time or memory than its documentation promises.

    Parameters
    ----------
    work, limit : float
        In the same unit, whatever it is.
    what : str
        What is too much, with the argument's name and its size: "scores has 3,000,000 values".
    instead : str
        What to do.
    """
    if work > limit:
        raise ValueError(f"{what}, more than this takes in reasonable time or memory: {instead}")


def check_labels(values, name):
    """Return labels, or numbers, as a one-dimensional array: nothing missing, numbers and names not mixed."""
    array = as_array(values, name, "one-dimensional, a value for each item")
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, a value for each item; got shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} needs at least one value, got none")
    # NumPy turns [1, "a", nan] into strings: look at what came in, unless it was an array already.
    raw = isinstance(values, np.ndarray) and array.dtype.kind not in "OV"
    given = pd.Series(array) if raw else pd.Series(list(values), dtype=object)
    # Bytes equal no string, so they would silently match nothing.
    if array.dtype.kind in "cV" or not all(
        isinstance(v, Hashable) and not isinstance(v, bytes) for v in given
    ):
        raise TypeError(f"{name} must hold labels or real numbers, got {_show(values)}")
    missing = (pd.isna(given) | given.isin([np.inf, -np.inf])).to_numpy()
    if missing.any():
        raise ValueError(
            f"{name} must have a value for each item, but {missing.sum()} are missing, NaN or infinite; "
            f"the first is {name}[{missing.argmax()}]"
        )
    if not raw and len({is_number(v) for v in given}) > 1:
        raise TypeError(f"{name} must hold numbers only or names only, got {_show(values)}")
    if array.dtype.kind == "O" and is_number(array[0]):  # whole numbers and truth values as what they are
        array = np.asarray(array.tolist())
    return array


def is_number(value):
    """Tell real numbers, booleans among them, from names."""
    return isinstance(value, (numbers.Real, np.bool_))


def check_items(X, name, y, y_name="y"):
    """Raise an error unless `X` has as many items as `y`."""
    try:
        size = X.shape[0] if hasattr(X, "shape") else len(X)  # a sparse matrix has no len
    except (TypeError, IndexError):
        raise TypeError(f"{name} must hold one entry for each item, got {_show(X)}") from None
    if size != len(y):
        raise ValueError(f"{name} and {y_name} must be paired item by item: got {size} and {len(y)}")


def check_same_length(a, b, name_a, name_b):
    """Raise a ValueError unless two arrays have the same length."""
    if len(a) != len(b):
        raise ValueError(
            f"{name_a} and {name_b} must be paired item by item: got {len(a)} and {len(b)} values"
        )


def check_int(value, name, *, low=1, high=None, high_name=None):
    """Return `value` as an int in [low, high]; whole floats are refused, booleans too."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be an integer, got {_show(value)}")
    if value < low:
        raise ValueError(f"{name} must be at least {low}, got {value}")
    if high is not None and value > high:
        raise ValueError(f"{name} must be at most {high_name or high}, got {value}")
    return int(value)


def check_budgets(n, name, *, high=None, high_name=None):
    """Return (array of ints, whether `n` was a single int) for a budget or an array of budgets."""
    array = as_array(n, name, "an int or a one-dimensional array of ints")
    if high is None:
        high, high_name = _MAX_BUDGET, "2**53, beyond which floats cannot count"
    if array.ndim == 0:
        single = n[()] if isinstance(n, np.ndarray) else n
        return np.array([check_int(single, name, high=high, high_name=high_name)]), True
    if array.ndim != 1:
        raise ValueError(f"{name} must be an int or one-dimensional, got shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} needs at least one value, got none")
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers, got {_show(n)} ({array.dtype})")
    for extreme in (array.min(), array.max()):
        check_int(extreme, name, high=high, high_name=high_name)
    return array.astype(np.int64), False


def check_level(value, name="confidence_level"):
    """Return a probability strictly between 0 and 1."""
    value = check_number(value, name)
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1, got {value}")
    return value


def check_number(value, name):
    """Return a finite real number as a float."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a real number, got {_show(value)}")
    try:
        value = float(value)
    except OverflowError:
        raise ValueError(f"{name} must fit into a float, got {_show(value)}") from None
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value}")
    return value


def check_bounds(bounds, scores, name="bounds"):
    """Return (low, high) with every score between them; an end may be infinite."""
    try:
        low, high = bounds
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a pair (low, high), got {_show(bounds)}") from None
    for end in (low, high):
        if isinstance(end, (bool, np.bool_)) or not isinstance(end, numbers.Real):
            raise TypeError(f"{name} must hold two real numbers, got {_show(bounds)}")
    if math.isnan(low) or math.isnan(high) or not low < high:
        raise ValueError(f"{name} must be (low, high) with low < high, got {_show(bounds)}")
    if scores.min() < low or scores.max() > high:
        raise ValueError(
            f"{name} must hold every score: {_show(bounds)} does not reach from {scores.min()} "
            f"to {scores.max()}"
        )
    return float(low), float(high)


def check_statistic(statistic, *samples):
    """Return (a function that never changes its input, whether it takes `axis`), tried on the data."""
    if not callable(statistic):
        raise TypeError(f"statistic must be a function of one array, got {statistic!r}")
    try:
        takes_axis = "axis" in inspect.signature(statistic).parameters
    except ValueError:  # some built-in functions have no signature
        takes_axis = False

    # A statistic may sort in place; SciPy hands it views of the data.
    def of_rows(sample, axis=-1):
        return statistic(sample.copy(), axis=axis)

    def of_one(sample):
        return statistic(sample.copy())

    for sample in samples:
        value = of_rows(sample) if takes_axis else of_one(sample)
        if not isinstance(value, (numbers.Real, np.ndarray)) or np.ndim(value) or not np.isfinite(value):
            raise ValueError(f"statistic must return one finite number for the scores, got {value!r}")
        if takes_axis and np.shape(of_rows(np.stack([sample, sample]))) != (2,):
            raise ValueError("statistic takes `axis` but does not work along it: give it without `axis`")
    return (of_rows, True) if takes_axis else (of_one, False)


def check_choice(value, name, choices):
    """Return `value` if it is one of `choices`."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be one of {', '.join(map(repr, choices))}, got {_show(value)}")
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")
    return value


def check_bool(value, name):
    """Return `value` if it is a boolean."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {_show(value)}")
    return bool(value)


def check_rng(rng, name="rng"):
    """Return a `numpy.random.Generator` made from None, a seed or a generator."""
    if isinstance(rng, (bool, np.bool_, float, str, range)):
        raise TypeError(f"{name} must be None, an integer seed or a numpy Generator, got {_show(rng)}")
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} must be None, an integer seed or a numpy Generator: {error}") from None
