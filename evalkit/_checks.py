"""What bad input gets: an error that names the argument, what it got and what it needs.

Every public function calls these first, so that the mathematics below them has no
checks in it. Each returns the clean value; none changes its input, and none drops
anything in silence.
"""

import inspect
import math
import numbers
from collections.abc import Hashable, Iterator

import numpy as np
import pandas as pd

from evalkit._limits import MAX_COUNT

# Beyond these sizes sums leave the range of a double, and beyond the second, or below
# its inverse, sums of squares and cubes do.
_FAR, _LARGEST = 1e300, 1e75
# Levels nearer to 0 or 1 have tails that a double cannot tell from nothing.
_NEAREST = 1e-12
# A range takes no memory until it is an array: of this length 800 MB.
_LONGEST_RANGE = 100_000_000
_GENERATORS = (np.random.Generator, np.random.BitGenerator, np.random.SeedSequence)


def _show(value):
    try:
        text = repr(value)
    except (
        Exception
    ) as error:  # an object's own, or an int of more digits than Python writes
        text = (
            f"a value of the type {type(value).__name__} ({type(error).__name__} in its"
            " repr)"
        )
    return text if len(text) <= 60 else text[:57] + "..."


def _instead(values, name):
    """Say what to give in place of a table, a result, or the second system's None."""
    if isinstance(values, (pd.DataFrame, dict)):
        # a table of runs often begins with the seeds
        return (
            f": give table[{'score' if 'score' in values else next(iter(values), 0)!r}]"
        )
    one = values[0] if isinstance(values, (list, tuple)) and values else values
    if hasattr(one, "__dataclass_fields__"):
        return f": {type(one).__name__} is a result, with {', '.join(vars(one))}"
    return (
        ": give the scores of both systems, not their differences, which rounding"
        " leaves without their ties"
        if values is None and name == "scores_b"
        else ""
    )


def as_array(values, name, what="a one-dimensional array of numbers"):
    """Return `np.asarray(values)`, or an error that names the argument.

    Ragged lists, tensors that want a gradient, objects whose own conversion fails:
    NumPy's words for them, and other libraries', name no argument.
    """
    parts = values if isinstance(values, (list, tuple)) else ()
    if np.ma.is_masked(values) or any(
        isinstance(part, np.ma.MaskedArray) for part in parts
    ):
        raise ValueError(
            f"{name} must not be masked: evalkit drops no value in silence"
        )
    if isinstance(
        values, (dict, set, frozenset, Iterator, bytes, bytearray, memoryview)
    ):
        remedy = ": make it a list or a pandas.Series first"
        if isinstance(values, dict) and any(
            isinstance(v, (list, tuple, np.ndarray, pd.Series)) for v in values.values()
        ):
            remedy = (
                _instead(values, name)
                if "one-dimensional" in what
                else ": make it a pandas.DataFrame first"
            )
        raise TypeError(f"{name} must be {what}, got {_show(values)}{remedy}")
    # It takes no memory until it is read.
    if isinstance(values, range) and len(values) > _LONGEST_RANGE:
        raise ValueError(
            f"{name} must have at most {_LONGEST_RANGE:,} values, got {_show(values)}"
        )
    try:
        with np.errstate(over="ignore"):
            return np.asarray(values)
    except MemoryError:
        raise
    except Exception as error:  # whatever an object's own conversion raises
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
        Whether the caller squares them: then none may be so far out that its square is
        lost.

    Raises
    ------
    TypeError
        If the values are not real numbers.
    ValueError
        If the shape, the size or a value is wrong.
    """
    if isinstance(scores, pd.DataFrame):
        raise ValueError(
            f"{name} must be one-dimensional, got a table"
            f" {scores.shape}{_instead(scores, name)}"
        )
    array = as_array(scores, name)
    if array.dtype.kind == "O":
        # None and decimal.Decimal arrive here; the first is not a number, the second
        # is.
        if not all(isinstance(v, numbers.Number) for v in array.ravel()):
            raise TypeError(
                f"{name} must hold numbers only, got"
                f" {_show(scores)}{_instead(scores, name)}"
            )
    elif array.dtype.kind not in "biuf":
        raise TypeError(
            f"{name} must hold real numbers, got {_show(scores)} ({array.dtype})"
        )
    try:
        with np.errstate(over="ignore"):  # a long double's infinity is found below
            array = np.array(array, dtype=float)
    except OverflowError:
        raise ValueError(f"{name} must fit into floats, got {_show(scores)}") from None
    except Exception:  # whatever a number's own __float__ raises
        raise TypeError(f"{name} must hold real numbers, got {_show(scores)}") from None
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
    if array.size < min_size:
        needs = "at least one value" if min_size == 1 else f"at least {min_size} values"
        raise ValueError(f"{name} needs {needs}, got {array.size}")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise ValueError(
            f"{name} must be finite, but {bad.size} of {array.size} values are not; the"
            f" first is {name}[{bad[0]}] = {array[bad[0]]}. Decide what a failed run"
            " scores; evalkit drops none"
        )
    if np.abs(array).max(initial=0) > _FAR:
        raise ValueError(
            f"{name} must be at most {_FAR:g} in size, got {_show(scores)}: sums of"
            " larger numbers are lost"
        )
    if squared:
        sizes = np.abs(array)
        far = np.flatnonzero(
            (sizes > _LARGEST) | ((sizes > 0) & (sizes < 1 / _LARGEST))
        )
        if far.size:
            raise ValueError(
                f"{name} must be 0 or between {1 / _LARGEST:g} and {_LARGEST:g} in"
                f" size, but {name}[{far[0]}] = {array[far[0]]:g}, whose square is lost"
                " in floats. Rescale, or decide what a run that diverged scores"
            )
    return array


def check_table(scores, name, *, squared=False):
    """Return scores in rows and columns as a new float array, of as many dimensions as
    came in.
    """
    array = as_array(scores, name, "a table of numbers")
    return check_scores(array.ravel(), name, squared=squared).reshape(array.shape)


def check_work(work, limit, what, instead):
    """Raise a ValueError if a call would take more time or memory than its
    documentation promises.

    Parameters
    ----------
    work, limit : float
        In the same unit, whatever it is.
    what : str
        What is too much, with the argument's name and its size: "scores has 3,000,000
        values".
    instead : str
        What to do.
    """
    if work > limit:
        raise ValueError(
            f"{what}, more than this takes in reasonable time or memory: {instead}"
        )


def check_labels(values, name):
    """Return labels, or numbers, as a one-dimensional array: nothing missing, numbers
    and names not mixed.
    """
    array = as_array(values, name, "one-dimensional, a value for each item")
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional, a value for each item; got shape"
            f" {array.shape}{_instead(values, name)}"
        )
    if array.size == 0:
        raise ValueError(f"{name} needs at least one value, got none")
    # NumPy turns [1, "a", nan] into strings: look at what came in, unless it was an
    # array already.
    raw = isinstance(values, np.ndarray) and array.dtype.kind not in "OV"
    given = pd.Series(array) if raw else pd.Series(list(values), dtype=object)
    # Bytes equal no string, so they would silently match nothing.
    if array.dtype.kind in "cV" or not all(
        isinstance(v, Hashable) and not isinstance(v, bytes) for v in given
    ):
        raise TypeError(f"{name} must hold labels or real numbers, got {_show(values)}")
    try:
        missing = (pd.isna(given) | given.isin([np.inf, -np.inf])).to_numpy()
    except ArithmeticError as error:  # a signalling NaN of decimal's
        raise TypeError(
            f"{name} must hold labels or real numbers, got {_show(values)}: {error!r}"
        ) from None
    if array.dtype.kind == "f":  # tensors, which pandas does not look into
        missing = missing | ~np.isfinite(array)
    if missing.any():
        raise ValueError(
            f"{name} must have a value for each item, but {missing.sum()} are missing,"
            f" NaN or infinite; the first is {name}[{missing.argmax()}]"
        )
    if not raw and len({is_number(v) for v in given}) > 1:
        raise TypeError(
            f"{name} must hold numbers only or names only, got {_show(values)}"
        )
    # Whole numbers and truth values as what they are.
    if array.dtype.kind == "O" and is_number(array[0]):
        array = np.asarray(array.tolist())
    # Of whole numbers that fit into no type of 64 bits together, NumPy makes floats.
    if array.dtype.kind == "f" and np.any(given.to_numpy() != array.astype(object)):
        array = given.to_numpy()
    return array


def is_number(value):
    """Tell real numbers, booleans among them, from names."""
    return isinstance(value, (numbers.Real, np.bool_))


def check_counted(remedy, /, **counts):
    """Raise a TypeError that says how to count, if what should be counts are the
    answers themselves.
    """
    for value in counts.values():
        if (
            hasattr(value, "__len__")
            and getattr(value, "ndim", 1)
            and not isinstance(value, (str, bytes))
        ):
            raise TypeError(
                f"{' and '.join(counts)} must be counts, got {_show(value)}: take"
                f" {remedy}"
            )


def check_items(X, name, y, y_name="y"):
    """Raise an error unless `X` has as many items as `y`."""
    try:
        # A sparse matrix has no len.
        size = X.shape[0] if hasattr(X, "shape") else len(X)
    except (TypeError, IndexError):
        raise TypeError(
            f"{name} must hold one entry for each item, got {_show(X)}"
        ) from None
    if size != len(y):
        raise ValueError(
            f"{name} and {y_name} must be paired item by item: got {size} and {len(y)}"
        )


def check_same_length(a, b, name_a, name_b):
    """Raise a ValueError unless two arrays have the same length."""
    if len(a) != len(b):
        raise ValueError(
            f"{name_a} and {name_b} must be paired item by item: got {len(a)} and"
            f" {len(b)} values"
        )


def _labels(value, axis):
    """Return the labels of the items, or None, and in code how to ask for them and how
    to take their order.

    Of a table the items are along `axis`; a list of Series is a table whose rows have
    labels.
    """
    if isinstance(value, pd.Series):
        return value.index, "{}.index", "{}.loc[{}]"
    if isinstance(value, pd.DataFrame):
        by_row = axis == 0
        return (
            value.axes[axis],
            "{}.index" if by_row else "{}.columns",
            "{}.loc[{}]" if by_row else "{}[{}]",
        )
    if isinstance(getattr(value, "table", None), pd.DataFrame):  # Trials
        return value.table.index, "{}.table.index", "{}.table.score.loc[{}]"
    if (
        axis != 0
        and isinstance(value, (list, tuple))
        and len(value)
        and isinstance(value[0], pd.Series)
    ):
        return value[0].index, "{}[0].index", "[row.loc[{1}] for row in {0}]"
    return None, "", ""


def check_aligned(axis=-1, has_ids=False, /, **columns):
    """Raise a ValueError where the labels of items say that pairs by position are wrong
    ones.

    Series have labels, and so have DataFrames; arrays and lists have none, and are
    paired by position. So are labels that are the same in the same order, and row
    numbers (whole numbers without a name) of which none is in common: the rows of two
    systems in one table are numbered so. Refused are the same labels in another order,
    labels of which a part is in common, such as those of a table from which rows were
    left out, and others of which none is.

    Parameters
    ----------
    axis : {-1, 0}, default -1
        Along which axis of a table its items are: its columns, or its rows.
    has_ids : bool, default False
        Whether the caller has `ids=`, which pairs by label.
    **columns : object
        The arguments that are paired item by item, by their names; None where one was
        not given.
    """
    labelled = []
    for name, value in columns.items():
        labels, ask, order = _labels(value, axis)
        if labels is None:
            continue
        if ask.endswith("[0].index"):
            for i, row in enumerate(value):
                take = f"{name}[{i}].loc[{name}[0].index]"
                _check_agree(
                    f"{name}[0]",
                    value[0].index,
                    f"{name}[{i}]",
                    getattr(row, "index", None),
                    take,
                )
        where = "columns" if ask.endswith("columns") else "index"
        for first, its_labels, its_ask in labelled:
            remedy = "ids=" if has_ids else order.format(name, its_ask.format(first))
            _check_agree(first, its_labels, name, labels, remedy, where)
        labelled.append((name, labels, ask))


def _check_agree(first, its_labels, name, labels, remedy, where="index"):
    """Raise a ValueError unless two sequences of labels are the same, or those of one
    are row numbers and none is in common.
    """
    if (
        not isinstance(labels, pd.Index)
        or len(labels) != len(its_labels)
        or labels.equals(its_labels)
    ):
        return
    try:
        codes = pd.factorize(its_labels.append(labels), use_na_sentinel=False)[0]
    except TypeError:  # what cannot be hashed names nothing
        return
    codes_of_first, codes = np.split(codes, 2)
    if np.array_equal(codes_of_first, codes):  # of two types
        return
    by_position = "or .to_numpy() to pair them by position"
    if np.array_equal(np.sort(codes_of_first), np.sort(codes)):
        unique = its_labels.is_unique and labels.is_unique
        remedy = (
            f"in another order: give {remedy} to pair them by label"
            if unique
            else "in another order, and some of them twice: bring both into one order"
        )
        raise ValueError(
            f"{name} has the labels of {first} in its {where}, {remedy}, {by_position}"
        )
    alone = ~np.isin(codes, codes_of_first)
    # The row numbers of a table name no item.
    if alone.all() and (
        (
            len(set(labels)) > 1
            and all(
                own.dtype.kind not in "iu" or own.name is not None
                for own in (its_labels, labels)
            )
        )
        or {str(label).strip().lower().lstrip("0") for label in labels}
        == {str(label).strip().lower().lstrip("0") for label in its_labels}
    ):
        raise ValueError(
            f"{name} and {first} must have the same labels, but have none in common"
            f" ({_examples(labels)}; {_examples(its_labels)}): write them in one way,"
            f" {by_position}"
        )
    if not alone.all():
        which = (
            f"{alone.sum():,} of {len(labels):,} are in {name} alone "
            f"({_examples(labels[alone])}): leave out what one of them lacks"
            if alone.any()
            else "some come more often in one of them: name each item once"
        )
        raise ValueError(
            f"{name} and {first} must have the same labels, but {which}, {by_position}"
        )


def join(ids, /, groups=None, **columns):
    """Return columns of items in the order of the first one's, joined by id; never by
    row where ids are.

    Parameters
    ----------
    ids : sequence of array_like, or None
        The ids of each column's items. With None the columns are paired as they stand,
        if `check_aligned` lets them.
    groups : array_like, optional
        The groups of the items, in the order of the first column; refused where labels
        say another order.
    **columns : array_like, shape (..., n_items)
        By their names.

    Returns
    -------
    list of array_like
        As they came if nothing was to be done.
    """
    names, values = list(columns), list(columns.values())
    for name, value in columns.items() if ids is None else [(names[0], values[0])]:
        check_aligned(**{name: value, "groups": groups})
    if ids is None:
        check_aligned(-1, True, **columns)
        return values
    if isinstance(ids, (str, bytes, dict, set, Iterator)) or not hasattr(
        ids, "__len__"
    ):
        raise TypeError(
            f"ids must hold a sequence of ids for each of {', '.join(names)}, got"
            f" {_show(ids)}"
        )
    if len(ids) != len(values):
        raise ValueError(
            f"ids must hold a sequence of ids for each of {', '.join(names)}, got"
            f" {len(ids)} of them"
        )
    indexes = []
    for name, value, own in zip(names, values, ids, strict=True):
        index = pd.Index(check_labels(own, f"ids of {name}"))
        n_items = np.shape(as_array(value, name))[-1:]
        if n_items != (len(index),):
            raise ValueError(
                f"ids must hold one id for each item of {name}: got {len(index)} for"
                f" {n_items}"
            )
        if twice := list(index[index.duplicated()].unique()):
            raise ValueError(
                f"ids of {name} must name each item once, but {len(twice)} of"
                f" {index.nunique()} come more than once: {_examples(twice)}. Average"
                " several answers to an item first"
            )
        indexes.append(index)
    for name, index in zip(names[1:], indexes[1:], strict=True):
        alone, missing = index.difference(indexes[0]), indexes[0].difference(index)
        if len(alone) or len(missing):
            raise ValueError(
                f"ids of {names[0]} and {name} must be the same: {len(missing)} of"
                f" {len(indexes[0])} are only in the first ({_examples(missing)}),"
                f" {len(alone)} of {len(index)} only in the second"
                f" ({_examples(alone)}). Leave items out yourself, and say so"
            )
    # Numbers from 0 are the labels of who gave none; and labels may be those of the
    # column, which are no ids.
    named = isinstance(groups, pd.Series) and not isinstance(
        groups.index, pd.RangeIndex
    )
    if named and not groups.index.equals(_labels(values[0], -1)[0]):
        _check_agree(
            f"ids of {names[0]}",
            indexes[0],
            "groups",
            groups.index,
            "groups.loc[ids[0]]",
        )
    orders = [index.get_indexer(indexes[0]) for index in indexes]
    return [
        (
            # A list may mix types, and they say what a tie is.
            [value[i] for i in order]
            if isinstance(value, (list, tuple)) and np.ndim(value) == 1
            else as_array(value, name)[..., order]
        )
        for name, value, order in zip(names, values, orders, strict=True)
    ]


def _examples(values):
    shown = ", ".join(map(repr, pd.Index(values[:3]).tolist()))
    return shown + ", ..." if len(values) > 3 else shown or "none"


def check_int(value, name, *, low=1, high=MAX_COUNT, high_name=None):
    """Return `value` as an int in [low, high]; whole floats are refused, booleans
    too.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be an integer, got {_show(value)}")
    value = int(value)
    if value < low:
        raise ValueError(f"{name} must be at least {low}, got {_show(value)}")
    if value > high:
        raise ValueError(
            f"{name} must be at most {high_name or high}, got {_show(value)}"
        )
    return value


def check_budgets(n, name, *, high=None, high_name=None):
    """Return (array of ints, whether `n` was a single int) for a budget or an array of
    budgets.
    """
    array = as_array(n, name, "an int or a one-dimensional array of ints")
    if high is None:
        high, high_name = MAX_COUNT, "2**53, beyond which floats cannot count"
    if array.ndim == 0:
        single = n[()] if isinstance(n, np.ndarray) else n
        return np.array([check_int(single, name, high=high, high_name=high_name)]), True
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be an int or one-dimensional, got shape {array.shape}"
        )
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
    if value > 1 - _NEAREST:
        raise ValueError(f"{name} must be at most 1 - {_NEAREST:g}, got {value!r}")
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
        raise TypeError(
            f"{name} must be a pair (low, high), got {_show(bounds)}"
        ) from None
    for end in (low, high):
        if isinstance(end, (bool, np.bool_)) or not isinstance(end, numbers.Real):
            raise TypeError(f"{name} must hold two real numbers, got {_show(bounds)}")
        if _FAR < abs(end) < math.inf:
            raise ValueError(
                f"{name} must hold numbers up to {_FAR:g}, or infinity, got"
                f" {_show(bounds)}"
            )
    if isinstance(bounds, (set, frozenset, dict)):
        raise TypeError(
            f"{name} must be a pair (low, high), got {_show(bounds)}, which has no"
            " order"
        )
    if math.isnan(low) or math.isnan(high) or not low < high:
        raise ValueError(
            f"{name} must be (low, high) with low < high, got {_show(bounds)}"
        )
    if scores.min() < low or scores.max() > high:
        raise ValueError(
            f"{name} must hold every score: {_show(bounds)} does not reach from"
            f" {scores.min()} to {scores.max()}"
        )
    return float(low), float(high)


def check_statistic(statistic, *samples):
    """Return (a function that never changes its input, whether it takes `axis`), tried
    on the data.
    """
    if not callable(statistic):
        raise TypeError(f"statistic must be a function of one array, got {statistic!r}")
    try:
        takes_axis = "axis" in inspect.signature(statistic).parameters
    except ValueError:  # some built-in functions have no signature
        takes_axis = False

    # A statistic may sort in place, and SciPy hands it views of the data; a count is a
    # whole number.
    def along_axis(sample, axis=-1):
        return np.asarray(statistic(sample.copy(), axis=axis), dtype=float)[()]

    def of_sample(sample):
        return float(statistic(sample.copy()))

    for sample in samples:
        value = (
            statistic(sample.copy(), axis=-1)
            if takes_axis
            else statistic(sample.copy())
        )
        single = (
            isinstance(value, (numbers.Real, np.ndarray, np.bool_))
            and np.ndim(value) == 0
        )
        try:
            fits = single and not np.iscomplexobj(value) and math.isfinite(value)
        except (OverflowError, TypeError):
            fits = False
        if not fits:
            raise ValueError(
                "statistic must return one finite number for the scores, got"
                f" {_show(value)}"
            )
        if takes_axis and np.shape(along_axis(np.stack([sample, sample]))) != (2,):
            raise ValueError(
                "statistic takes `axis` but does not work along it: give it without"
                " `axis`"
            )
    return (along_axis, True) if takes_axis else (of_sample, False)


def check_choice(value, name, choices):
    """Return `value` if it is one of `choices`."""
    if not isinstance(value, str):
        raise TypeError(
            f"{name} must be one of {', '.join(map(repr, choices))}, got {_show(value)}"
        )
    if value not in choices:
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}"
        )
    return value


def check_bool(value, name):
    """Return `value` if it is a boolean."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {_show(value)}")
    return bool(value)


def check_direction(minimize, *pools):
    """Return `minimize`, if it is what a pool of `Trials` was searched by."""
    minimize = check_bool(minimize, "minimize")
    for pool in pools:
        searched = getattr(pool, "minimize", minimize)
        if isinstance(searched, bool) and searched != minimize:
            raise ValueError(
                f"minimize must be {searched}, as in the search that made the trials"
            )
    return minimize


def _is_seed(value):
    return isinstance(value, numbers.Integral) and not isinstance(
        value, (bool, np.bool_)
    )


def check_rng(rng, name="rng"):
    """Return a `numpy.random.Generator` made from None, a seed, several seeds or a
    generator.
    """
    is_valid = rng is None or isinstance(rng, _GENERATORS) or _is_seed(rng)
    if not is_valid:
        # Of an array its numbers alone: a table of them, or a subclass, is no sequence
        # of seeds.
        several = isinstance(rng, (list, tuple)) or (
            type(rng) is np.ndarray and rng.ndim == 1
        )
        is_valid = several and len(rng) > 0 and all(map(_is_seed, rng))
    if not is_valid:
        raise TypeError(
            f"{name} must be None, an integer seed or a numpy Generator, got"
            f" {_show(rng)}"
        )
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"{name} must be None, an integer seed or a numpy Generator: {error}"
        ) from None
