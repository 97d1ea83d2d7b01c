"""How numbers are written for readers: 95 % and −0.3, as the book sets them.

What is written for code (a `repr`, an attribute, a file) is plain ASCII. An output that
lacks the two signs, such as a file that Windows opens in its old encoding, gets plain
ones too: printing must not fail.
"""

import math
import re
import sys

_PERCENT = re.compile(r"(?<=\d)\s?%(?!\w)")
# Before a number; none in 3-5 and 1e-05.
_HYPHEN = re.compile(r"(?<![\w.,;:/)\]%-])-(?=\.?\d)")
# A text has words if letters are left without those that numbers are written with.
_LETTER, _OF_NUMBERS = (
    re.compile(r"[^\W\d_]"),
    re.compile(r"\bto\b|(?<=\d)e(?=[-+]\d)|&[lg]t;"),
)
_CELL = re.compile(r"(?<=<td)([^>]*>)([^<]*)(?=</td>)")


def _sign(sign, plain):
    """Return a sign, or the plain one where the standard output cannot write it."""
    try:
        sign.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeError, LookupError):
        return plain
    return sign


def typeset(text):
    """Set the percentages and the minus signs of a text that has no names in it.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    text = _HYPHEN.sub(_sign("\N{MINUS SIGN}", "-"), text)
    return _PERCENT.sub(_sign("\N{NO-BREAK SPACE}", " ") + "%", text)


def has_words(text):
    """Say whether a text has letters, but for those of numbers: 3 to 5, 1e-05, &lt;
    0.1.

    Parameters
    ----------
    text : str

    Returns
    -------
    bool
    """
    return bool(_LETTER.search(_OF_NUMBERS.sub("", text)))


def set_cells(table):
    """Typeset the cells of a table that are numbers.

    Parameters
    ----------
    table : str
        HTML.

    Returns
    -------
    str
    """
    return _CELL.sub(
        lambda cell: cell[0] if has_words(cell[2]) else cell[1] + typeset(cell[2]),
        table,
    )


def number(value, spec):
    """Write a number.

    Parameters
    ----------
    value : float
    spec : str
        As `format` takes it.

    Returns
    -------
    str
    """
    return typeset(format(value, spec))


def percent(share, digits=0):
    """Write a share as a percentage.

    Parameters
    ----------
    share : float
    digits : int, default 0
        After the point.

    Returns
    -------
    str
    """
    return number(share, f".{digits}%")


def places(ends, *shown, at_least=0):
    """Return to how many places the numbers of an interval are written.

    Its width then has two significant digits; and more where a number that is not 0
    would read 0 without.

    Parameters
    ----------
    ends : pair of float
    *shown : float
        Other numbers that are written beside them.
    at_least : int, default 0

    Returns
    -------
    int
    """
    low, high = ends
    width = high - low
    if not (width > 0 and math.isfinite(width)):
        return 6
    digits = max(at_least, 1 - math.floor(math.log10(width)))
    small = min((abs(value) for value in (*ends, *shown) if value), default=1.0)
    # Three more at most: what is nearer to 0 than that may be read as 0.
    return digits + sum(round(small, digits + more) == 0 for more in range(3))


def pvalue(p, alpha=0.05):
    """Write a p-value to three digits, or as many as tell it from a level.

    Parameters
    ----------
    p : float
    alpha : float, default 0.05

    Returns
    -------
    str
    """
    if p < 1e-300:
        return "p < 1e-300"
    alpha = round(alpha, 12)  # 1 - 0.95 is not quite 0.05
    texts = (f"{p:.{digits}g}" for digits in range(3, 16))
    return "p = " + next(
        (t for t in texts if (float(t) < alpha) == (p < alpha)), f"{p}"
    )


def count(n, noun):
    """Write a number of things: 1 item, 2,000 items."""
    return f"{n:,} {noun}{'s' * (n != 1)}"
