"""What stands between a file and a report, said so that a beginner can act on it.

A `Fault` is found by a check; a `RefusedError` is raised with all faults that nobody
has decided about. What a check found and somebody decided, and what no check can see,
is `Checked`: the page lists all of it.
"""

import re
from dataclasses import dataclass
from shlex import quote

# Control characters, and those that turn the direction of writing: a name in a file
# must not move the cursor of a terminal, nor show itself as another. Between Arabic and
# Indic letters joiners are spelling.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
    "|(?<![\u0600-\u0dff])[\u200c\u200d]"
)
_ESCAPED = re.compile(r"\\u(?!d[89a-f])([0-9a-f]{4})")
_LONGEST = 80


def shown(value):
    """Return a value of a file as it may be printed: short, on one line, nothing unseen
    in it.
    """
    text = visible(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def visible(value):
    """Return a value with its unseen characters written out."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", str(value))


def typed(text):
    """Return a name that somebody pasted, with the unseen characters that `shown` wrote
    out.
    """

    def sign(found):
        return char if _UNSEEN.match(char := chr(int(found[1], 16))) else found[0]

    return _ESCAPED.sub(sign, text) if isinstance(text, str) else text


def placed(path):
    """Return the place of a file as it may be printed: of a long one its end."""
    text = str(path)
    return shown(text) if len(text) <= _LONGEST else "..." + shown(text[3 - _LONGEST :])


def argument(text):
    """Return a name of a file as it may be typed into a shell: whole, so that it can be
    pasted.
    """
    return quote(visible(text))


def examples(values, n=3):
    """Return the first few of some values, and how many more there are."""
    values = list(values)
    more = f" and {len(values) - n:,} more" if len(values) > n else ""
    return ", ".join(map(shown, values[:n])) + more


def listed(values, n=6):
    """Return the first few of some values as a sentence has them, with an "and" before
    the last.
    """
    words = list(map(shown, values))
    words, rest = words[:n], len(words) - n
    words += [f"{rest:,} more"] if rest > 0 else []
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def count(n, one, many=None):
    """Return a number with its noun."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def each(counts):
    """Return how many there are of each name in a Series or a dict: "base 5, ours
    4".
    """
    return ", ".join(f"{shown(name)} {n:,}" for name, n in counts.items())


def an(noun):
    """Return a noun with its article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


@dataclass(frozen=True)
class Fault:
    """Something in a file that makes a comparison wrong, or leaves it open.

    Attributes
    ----------
    code : str
        The name of the check that found it.
    what : str
        What is there, with counts and the first examples.
    why : str
        What goes wrong if nothing is done.
    ways : tuple of str
        The options, or the work, by which one goes on.
    """

    code: str
    what: str
    why: str
    ways: tuple

    def __str__(self):
        lead = "To go on: " if len(self.ways) == 1 else "To go on, one of these:\n  - "
        return f"{self.what}\n{self.why}\n{lead}" + "\n  - ".join(self.ways)


class RefusedError(ValueError):
    """No report is written before somebody has decided."""

    def __init__(self, *faults):
        self.faults = faults
        self.columns = ()  # how the columns were understood, as far as that had come
        super().__init__("\n\n".join(map(str, faults)))


def refusal(code, what, why, *ways):
    """Return the refusal for one fault."""
    return RefusedError(Fault(code, what, why, ways))


@dataclass(frozen=True)
class Checked:
    """What became of one check.

    Attributes
    ----------
    code : str
    question : str
        What was asked of the file.
    outcome : str
        "fine"; "decided": found, and an option says what to do; "note": found, and
        shown; or "unchecked".
    words : str
        What was seen, or why it cannot be.
    """

    code: str
    question: str
    outcome: str
    words: str


def unshared(what, has):
    """Return the refusal of systems that were never tried on what the baseline, the
    first of `has`, was.
    """
    baseline, *others = has
    lines = [f"{shown(name)} on {examples(has[name])}" for name in (*others, baseline)]
    seen = (
        f"{listed(others)} and {shown(baseline)} share no {what}: {'; '.join(lines)}."
    )
    why = (
        f"Scores are compared {what} by {what}; what was scored on others cannot take"
        " its place."
    )
    ways = (
        f"write the name of each {what} in one way.",
        f"or run the systems on the same {what}s.",
    )
    return refusal("unmatched", seen, why, *ways)


def unreadable(place, what, *ways):
    """Return the refusal of a file that cannot be read."""
    why = (
        "So nothing of it was read: a part of a file may say something else than the"
        " whole."
    )
    ways = ways or ("mend the file, or export it again.",)
    return refusal("unreadable", f"{placed(place)}: {what}.", why, *ways)
