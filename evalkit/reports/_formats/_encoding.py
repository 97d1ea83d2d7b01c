"""Text as characters: UTF-8, what a mark at its beginning says, or what was said; nothing is guessed."""

import io
import itertools
import re
import unicodedata

from evalkit.reports._faults import listed, unreadable

_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_EUROPEAN = ("cp1252", "cp1250", "cp1251", "cp1253", "cp1254")
_PROPOSED = (*_EUROPEAN, "cp1255", "cp1256", "cp932", "gb18030", "big5", "cp949", "mac_roman")
_MOST = 3
_WORD = re.compile(r"[^\W\d_]+")
_CELL = re.compile(r"[^\s,;|\"]+")
_OTHER = re.compile(r"[^\x00-\x7f\w]|[\uff61-\uff9f]")  # signs, and the narrow letters of old terminals
_EAST = ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "FULLWIDTH", "IDEOGRAPHIC")
_LINES = 200  # that are looked at for a proposal


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
        raise _unknown(path, data, marked or said, getattr(error, "start", 0)) from None
    if said and not marked and not data.isascii() and (plain := _tried(data, "utf-8")) not in (None, text):
        what = f"it is UTF-8 text, and not {said}: it says {listed(_words(plain), 4)}"
        raise unreadable(path, what, "leave --encoding out, after the others were saved as UTF-8 too.")
    return io.StringIO(text, newline=None).read()


def _tried(data, encoding):
    try:
        return data.decode(encoding)
    except UnicodeError:
        return None


def _unknown(path, data, said, place):
    """Return the refusal of text whose encoding is unknown, with at most three by which it can be read."""
    sample = b"\n".join(itertools.islice((line for line in data.splitlines() if not line.isascii()), _LINES))
    found = {}  # by what they make of it: encodings that differ nowhere here are one
    for name in _PROPOSED:
        if _tried(data, name) is not None and (text := _tried(sample, name)) is not None:
            found.setdefault(text, name)
    fewest = min(map(_n_odd, found), default=0)
    kept = [(name, listed(_words(text), 4)) for text, name in found.items() if _n_odd(text) == fewest][:_MOST]
    what = f"byte {place:,} is not {said or 'UTF-8'} text"
    what += "".join(f"; read as {name} it says {words}" for name, words in kept)
    ways = [f"--encoding {name}, if {words} is right." for name, words in kept]
    return unreadable(path, what, *ways, "save it as UTF-8 (in a spreadsheet: CSV UTF-8).")


def _words(text):
    """Return the words of a text that are not of ASCII alone."""
    return list(dict.fromkeys(word for word in _CELL.findall(text) if not word.isascii()))


def _n_odd(text):
    """Count the words of more scripts than one, and the signs that are neither letters nor of ASCII."""
    return len(_OTHER.findall(text)) + sum(len(set(map(_script, word))) > 1 for word in _WORD.findall(text))


def _script(letter):
    script = unicodedata.name(letter, "NONE").split()[0]
    return "EAST" if script in _EAST else script
