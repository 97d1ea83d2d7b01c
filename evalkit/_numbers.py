"""How numbers are written for readers: 95 % and −0.3, as the book sets them.

What is written for code (a `repr`, an attribute, a file) is plain ASCII. An output that
lacks the two signs, such as a file that Windows opens in its old encoding, gets plain
ones too: printing must not fail.
"""

import re
import sys

_PERCENT = re.compile(r"(?<=\d)\s?%(?!\w)")
# Before a number; none in 3-5 and 1e-05.
_HYPHEN = re.compile(r"(?<![\w.,;:/)\]%-])-(?=\.?\d)")
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
