"""What does not vary shows nothing: the one rule for everything that compares.

A t statistic divides by the scatter that was seen. Where none was seen, or less than
the last digit of the scores could hide, it would be certain of a difference that it
cannot know. So a comparison is refused where nothing varies, and a difference is given
as much leeway as rounding may have taken.
"""

import numpy as np

from evalkit._checks import check_int
from evalkit._ties import rounding

_MOST_DECIMALS = 6


def check_decimals(decimals):
    """Return in how many decimals scores were given, or None if that is to be seen from
    them.
    """
    if decimals is None:
        return None
    return check_int(decimals, "decimals", low=0, high=15)


def decimals_of(given, decimals=None):
    """Return in how many decimals scores are written exactly; None if in no six, or if
    right and wrong.

    Parameters
    ----------
    given : sequence of array_like
        As the caller got them: what came as float32 has fewer digits.
    decimals : int, optional
        What the caller says of them.

    Returns
    -------
    int or None
    """
    if decimals is not None:
        return decimals
    scores = np.concatenate([np.asarray(part, dtype=float).ravel() for part in given])
    if ((scores == 0) | (scores == 1)).all():
        return None
    slack = rounding(*given) * np.abs(scores)
    exact = (
        d
        for d in range(_MOST_DECIMALS + 1)
        if (np.abs(np.round(scores, d) - scores) <= slack).all()
    )
    return next(exact, None)


def hidden_by_rounding(given, spreads, decimals=None):
    """Return how far off the difference of two means may be because their scores were
    rounded.

    Where scores scatter by less than half of their last digit, the mean of the rounded
    ones may be off by as much, however many there are; where they scatter more,
    rounding adds to the scatter that is seen.

    Parameters
    ----------
    given : sequence of array_like
        The scores of each system: one may be given in fewer digits than the other.
    spreads : sequence of float
        The standard deviation of the scores of each; or that of their paired
        differences, alone.
    decimals : int, optional

    Returns
    -------
    hidden : float
    note : str
        What a result says of it; empty where it is 0.
    """
    if decimals is None and min(spreads) >= 0.5:  # the last digit is a whole at most
        return 0.0, ""
    digits = [decimals_of([part], decimals) for part in given]
    halves = [0.0 if known is None else 0.5 * 10.0**-known for known in digits]
    of_each = spreads if len(spreads) == len(halves) else [spreads[0]] * len(halves)
    coarse = [
        (half, known)
        for half, known, spread in zip(halves, digits, of_each, strict=True)
        if spread < half
    ]
    if not coarse:
        return 0.0, ""
    hidden = sum(half for half, _ in coarse)
    return hidden, f", scores to {min(known for _, known in coarse)} decimals"


def refuse_constant(given, names, difference, decimals=None, *, unit="scores"):
    """Raise the ValueError of a comparison in which nothing varies.

    Parameters
    ----------
    given : sequence of array_like
        The scores of both systems.
    names : tuple of str
        The caller's names for them.
    difference : float
        Of the means.
    decimals : int, optional
    unit : str, default "scores"
        What would have to vary.
    """
    digits = decimals_of(given, decimals)
    written = "" if digits is None else f", as given to {digits} decimals"
    leeway = "" if digits is None else f", give or take {10.0**-digits:g}"
    places = 6 if digits is None else max(digits, 1)
    shown = f"{difference:+.{places}f}".rstrip("0").rstrip(".")
    raise ValueError(
        f"{' and '.join(names)} must vary for an interval or a test of their"
        f" difference, but the {unit} do not{written}: from no scatter nothing follows."
        " Give more digits (decimals= says how many there are), or more of what"
        f" varies; if nothing can vary, the difference is {shown}{leeway}, and needs"
        " neither"
    )


def is_constant(scores, noise, decimals=None):
    """Tell whether scores are the same but for rounding: that of floats, or to the
    decimals stated.

    Parameters
    ----------
    scores : ndarray of float
    noise : float
        How far apart equal ones may be.
    decimals : int, optional

    Returns
    -------
    bool
    """
    if decimals is not None:
        scores = np.round(scores, decimals)
    return bool(np.ptp(scores) <= noise)
