"""Chapters 4 and 5: shares of items, counted and compared.

An accuracy is a count of independent items, two models on one test set are four counts, and a measure of the
whole set (a word error rate, F1) is a ratio of two sums. Exact counts allow what scores do not.
"""

import re

from scipy import stats

from evalkit._checks import _show, check_choice, check_int, check_level
from evalkit.results import Interval

_MAX_COUNT = 2**53


def proportion_interval(successes, trials, *, method="clopper-pearson", confidence_level=0.95):
    """Compute an interval for a proportion: an accuracy on independent test items.

    Parameters
    ----------
    successes : int
        From 0 to `trials`.
    trials : int
        At least 1.
    method : {"clopper-pearson", "wilson"}, default "clopper-pearson"
        "clopper-pearson" never covers less than it says, "wilson" is shorter and covers it on
        average.
    confidence_level : float, default 0.95

    Returns
    -------
    Interval

    Notes
    -----
    What varies is the test items, not the training: it says how the same fitted model would do on
    other items of the same kind.

    Size: any counts up to 2^53; at once.

    Examples
    --------
    >>> from evalkit import proportion_interval
    >>> print(proportion_interval(90, 100))
    [0.8238, 0.951] (95%, clopper-pearson)
    """
    trials = check_int(trials, "trials", high=_MAX_COUNT)
    successes = check_int(successes, "successes", low=0, high=trials, high_name=f"trials ({trials})")
    check_choice(method, "method", ("clopper-pearson", "wilson"))
    level = check_level(confidence_level)
    if method == "wilson":
        low, high = stats.binomtest(successes, trials).proportion_ci(level, method="wilson")
    else:
        # By the beta distribution: SciPy's own search for these ends stops 2e-12 away from them.
        tail, failures = (1 - level) / 2, trials - successes
        low = stats.beta.ppf(tail, successes, failures + 1) if successes else 0.0
        high = stats.beta.isf(tail, successes + 1, failures) if failures else 1.0
    return Interval(float(low), float(high), level, method)


_PRINTED = re.compile(r"\s*(\d*)(?:\.(\d*))?\s*(%?)\s*")


def possible_counts(printed, n):
    """Find the numbers of right answers among n that a printed accuracy can stand for.

    Parameters
    ----------
    printed : str
        As it is printed, with all its digits: "91.30" says more than "91.3". Above 1, or with a %, it is in
        per cent; otherwise a share.
    n : int
        The number of items.

    Returns
    -------
    range
        The counts k for which k / n rounds to what is printed, whichever way halves are rounded; empty if
        there is none. Then n is another number, or the score is a mean over runs, or weighted, or wrong.

    Notes
    -----
    Size: any n up to 2^53; at once.

    References
    ----------
    Brown and Heathers (2017), The GRIM Test.

    Examples
    --------
    >>> from evalkit import possible_counts
    >>> list(possible_counts("91.3", 300)), list(possible_counts("91.37", 300))
    ([274], [])
    """
    if not isinstance(printed, str):
        raise TypeError(
            f"printed must be a string, whose digits say how it was rounded, got {_show(printed)}"
        )
    n = check_int(n, "n", high=_MAX_COUNT)
    match = _PRINTED.fullmatch(printed)
    if not match or not (match[1] or match[2]):
        raise ValueError(f'printed must be a number from "0" to "100", or "%" after it, got {_show(printed)}')
    # In whole units of half the last digit, so that nothing is rounded here.
    whole, rest = match[1] or "0", match[2] or ""
    value, one = 2 * int(whole + rest), 2 * 10 ** len(rest)
    if match[3] or value > one:
        one *= 100
    if value > one:
        raise ValueError(f"printed must be at most 1 or 100 %, got {_show(printed)}")
    return range(max(0, -((1 - value) * n // one)), min(n, (value + 1) * n // one) + 1)
