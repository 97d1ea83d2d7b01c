"""How a sentence writes numbers and lists."""

import math


def enumeration(words):
    """Return words as a list in a sentence: "a, b and c".

    Parameters
    ----------
    words : list of str
        At least one.

    Returns
    -------
    str
    """
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def decimal(number, spread):
    """Return a number to as many decimals as show three digits of a spread.

    Scores near 12,000 that differ by 0.01 must not all read 1.2e+04.

    Parameters
    ----------
    number : float
    spread : float
        How far apart the numbers are that are to be told apart; of 0, six digits are
        shown.

    Returns
    -------
    str
    """
    if not spread > 0 or math.isinf(spread):
        return f"{number:.6g}"
    return f"{number:,.{decimals(spread)}f}"


def decimals(spread):
    """Return how many decimals show three digits of a spread.

    Parameters
    ----------
    spread : float

    Returns
    -------
    int
        From 0 to 15; of a spread that is none, 6.
    """
    if not spread > 0 or math.isinf(spread):
        return 6
    return min(max(2 - math.floor(math.log10(spread)), 0), 15)


def signed(number, digits):
    """Return a number with its sign, unless it reads as zero.

    Parameters
    ----------
    number : float
    digits : int
        Decimals.

    Returns
    -------
    str
    """
    text = f"{abs(number):.{digits}f}"
    sign = "" if not float(text) else "\N{MINUS SIGN}" if number < 0 else "+"
    return sign + text
