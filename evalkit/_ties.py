"""Which numbers are equal: what the rounding of floats may hide, and what it may not.

A p-value counts ties, a search takes the first of equals, a rank is shared. On paper a
tie is plain; in floats two sums of the same scores in another order differ in the last
bits, and how much they do depends on the type in which the scores came. Everything here
answers in the units of the scores.
"""

import math
import warnings

import numpy as np
import pandas as pd

from evalkit._checks import check_same_length, check_scores


def coarsest(*scores):
    """Return the coarsest float type in which scores came: what came as float32 has
    seven digits.

    Parameters
    ----------
    *scores : array_like of numbers
        As the caller got them, before they are cast.

    Returns
    -------
    numpy.dtype
        float64 if none is coarser.
    """
    types = {np.dtype(float)}
    for given in scores:
        # Pandas has types of its own for columns with missing values.
        if isinstance(given, pd.DataFrame):
            held = [getattr(kind, "numpy_dtype", kind) for kind in given.dtypes]
        else:
            array = np.asarray(given)
            # A list may mix types, and NumPy takes the finest of them.
            held = (
                {array.dtype}
                if array.dtype.kind != "O"
                else {type(v) for v in array.ravel()}
            )
            held |= (
                {type(v) for v in given} if isinstance(given, (list, tuple)) else set()
            )
        types |= {np.dtype(kind) for kind in held if _is_float(kind)}
    return max(types, key=lambda kind: np.finfo(kind).eps)


def _is_float(kind):
    return getattr(kind, "kind", "") == "f" or (
        isinstance(kind, type) and issubclass(kind, np.floating)
    )


def as_type(array, kind):
    """Return doubles as they are in a coarser type; what is too far out for it stays as
    it is.
    """
    with np.errstate(over="ignore"):
        cast = array.astype(kind).astype(float)
    return np.where(np.isfinite(cast), cast, array)


def rounding(*scores):
    """Return by which share of their size two numbers made of these scores may differ
    and yet be equal.

    Two differences that are equal on paper, 0.8 - 0.7 and 0.9 - 0.8, differ in the last
    bits, and so do two sums of the same scores in another order; k / 3000 and (k + 1) /
    3000 differ by far more.

    Parameters
    ----------
    *scores : array_like of numbers
        As the caller got them, before they are cast.

    Returns
    -------
    float
        64 units in the last place of doubles, 4 in that of a coarser type: scores in it
        have been rounded once, and have no digits to spare.
    """
    kind = coarsest(*scores)
    if np.finfo(kind).eps > 1e-6:
        raise ValueError(
            "scores in half precision have three digits, too few to tell a tie from"
            " rounding: compute them in float32 or float64"
        )
    return float((64 if kind.itemsize >= 8 else 4) * np.finfo(kind).eps)


def paired_differences(scores_a, scores_b, *, min_size=1, squared=False):
    """Return paired differences, 0 where only rounding makes one, and how much of each
    may be rounding.
    """
    a = check_scores(scores_a, "scores_a", min_size=min_size, squared=squared)
    b = check_scores(scores_b, "scores_b", min_size=min_size, squared=squared)
    check_same_length(a, b, "scores_a", "scores_b")
    differences = a - b
    # What is 0 has no noise left: one run that diverged on both sides blurs no other
    # pair.
    noise = rounding(scores_a, scores_b) * np.maximum(np.abs(a), np.abs(b))
    equal = np.abs(differences) <= noise
    differences[equal] = noise[equal] = 0.0
    return differences, noise


def statistic_rounding(statistic, samples, share):
    """Estimate how far a statistic is off because its scores are rounded.

    The size of the statistic does not say it: 1 - mean and a standard deviation of
    scores near 100 are small, and made of numbers that are not; nor does the size of
    the scores, for a statistic may count in other units. So each score is moved by its
    own rounding, in a few ways.

    Parameters
    ----------
    statistic : callable
        From as many arrays as there are samples to a number.
    samples : sequence of ndarray of float
    share : float
        As `rounding` returns it.

    Returns
    -------
    float
    """
    estimate = float(statistic(*samples))
    # Towards 0 only, so that an accuracy of 1 stays an accuracy; all scores, half of
    # them or the other half, and of a second sample those that are left, for what moves
    # both alike may cancel.
    rng = np.random.default_rng(0)
    halves = [rng.integers(2, size=len(samples[0])) for _ in range(3)]
    halves += [
        np.ones(len(samples[0])),
        samples[0] > np.median(samples[0]),
        samples[0] < 0,
    ]
    errors = [rounding() * abs(estimate)]
    for half in halves:
        masks = [half, *(1 - np.resize(half, len(sample)) for sample in samples[1:])]
        opposite = [1 - mask for mask in masks]
        errors += [
            _linear_part(statistic, samples, moved, estimate, share)
            for moved in (masks, opposite)
        ]
    return max(errors)


def _linear_part(statistic, samples, masks, estimate, share):
    """Return how far a statistic moves with some of its scores, jumps left out.

    A score that stands on a threshold, or is compared with a label, makes a jump of one
    size however little it is moved: it cancels in the difference of two moves. What is
    in proportion does not.
    """
    moves = []
    for step in (share, share / 4, share / 16):
        moved = [
            s * (1 - 2 * step * mask) for s, mask in zip(samples, masks, strict=True)
        ]
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                moves.append(float(statistic(*moved)) - estimate)
        except Exception:  # a statistic of labels may refuse what is none
            return 0.0
    linear = min(abs(moves[0] - moves[1]) * 4 / 3, abs(moves[1] - moves[2]) * 16 / 3)
    return linear if math.isfinite(linear) else 0.0


def merge_ties(values, noise):
    """Return the values with those that differ by rounding alone made equal: to the
    lowest of them.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
    noise : ndarray of float, shape (n,)
        How much of each may be rounding.

    Returns
    -------
    ndarray of float, shape (n,)
    """
    order = np.argsort(values, kind="stable")
    ordered, slack = values[order], noise[order]
    starts = np.r_[True, np.diff(ordered) > np.maximum(slack[1:], slack[:-1])]
    if starts.all():
        return values.copy()
    # Numbers may stand so near each other all along a row whose ends are far apart: a
    # row that is wider than rounding is cut into steps that are not.
    firsts, lengths = (
        np.flatnonzero(starts),
        np.diff(np.flatnonzero(np.append(starts, True))),
    )
    widest = np.maximum.reduceat(slack, firsts)
    wide = ordered[firsts + lengths - 1] - ordered[firsts] > widest
    if wide.any():
        places, parts = np.flatnonzero(np.repeat(wide, lengths)), lengths[wide]
        from_first = ordered[places] - np.repeat(ordered[firsts[wide]], parts)
        steps = np.maximum(np.ceil(from_first / np.repeat(widest[wide], parts)), 1)
        starts[places[1:]] |= np.diff(steps) > 0
    merged = np.empty_like(values)
    merged[order] = ordered[starts][np.cumsum(starts) - 1]
    return merged


def levels(values, share):
    """Return scores with those that differ by rounding alone made equal.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
    share : float
        As `rounding` returns it, of the scores as they came.

    Returns
    -------
    ndarray of float, shape (n,)
    """
    return merge_ties(values, share * np.abs(values))


def equals(scores, sizes, slack):
    """Return which columns are as good as the best of each row.

    Sums of the same numbers in another order differ in the last digits; that must not
    break a tie.

    Parameters
    ----------
    scores : ndarray of float, shape (n_rows, n_columns)
        Higher is better; minus infinity is out.
    sizes : ndarray of float, shape (n_rows, n_columns)
        The sums, without signs, of what was added up to each score: a sum of large
        numbers that is nearly 0 is as inexact as they are.
    slack : float
        The `rounding` of what came in.

    Returns
    -------
    ndarray of bool, shape (n_rows, n_columns)
    """
    rows, best = np.arange(len(scores)), scores.argmax(axis=1)
    least = scores[rows, best] - slack / 2 * sizes[rows, best]
    return scores + slack / 2 * sizes >= least[:, None]


def first_best(scores, sizes, slack):
    """Return which column is the best of each row, the first of equals.

    Parameters
    ----------
    scores, sizes, slack
        As for `equals`.

    Returns
    -------
    ndarray of int, shape (n_rows,)
    """
    return equals(scores, sizes, slack).argmax(axis=1)


def ratio(top, bottom):
    """Return top / bottom; where nothing varies, 0 or an infinity."""
    if bottom:
        return float(top / bottom)
    return math.copysign(math.inf, top) if top else 0.0
