"""Text as characters: UTF-8, what a mark at its beginning says, or what was said; nothing is guessed."""

import io
import re

from evalkit.reports._faults import listed, unreadable

_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_AS_UTF8 = "save it as UTF-8 (in a spreadsheet: CSV UTF-8)."
_CELL = re.compile(r"[^\s,;|\"]+")


def check(name):
    """Refuse what is no encoding of text."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=name).write("a")
    except (LookupError, ValueError):
        raise ValueError(f"encoding must be one of text, such as cp1252 or cp932, got {name!r}") from None


def decoded(path, said=None):
    """Return the text of a file.

    Parameters
    ----------
    path : pathlib.Path
    said : str, optional
        Its encoding, where nothing in the file says it.

    Returns
    -------
    str
    """
    data = path.read_bytes()
    marked = next((name for mark, name in _MARKS.items() if data.startswith(mark)), None)
    try:
        text = data.decode(marked or said or "utf-8")
    except UnicodeError as error:
        what = f"byte {getattr(error, 'start', 0):,} is not {marked or said or 'UTF-8'} text"
        ways = "--encoding NAME, as whoever wrote it knows: cp1252 in the west of Europe, say.", _AS_UTF8
        raise unreadable(path, what, *ways) from None
    if said and not marked and not data.isascii() and (plain := _tried(data, "utf-8")) not in (None, text):
        what = f"it is UTF-8 text, and not {said}: it says {listed(_words(plain), 4)}"
        raise unreadable(path, what, "leave --encoding out, after the others were saved as UTF-8 too.")
    return io.StringIO(text, newline=None).read()


def _tried(data, encoding):
    try:
        return data.decode(encoding)
    except UnicodeError:
        return None


def _words(text):
    """Return the words of a text that are not of ASCII alone."""
    return list(dict.fromkeys(word for word in _CELL.findall(text) if not word.isascii()))
