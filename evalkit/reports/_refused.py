"""What stands between a table and a report, said so that a beginner can act on it."""

import re
from dataclasses import dataclass
from shlex import quote

from evalkit.reports import schema

# Control characters, and those that turn the direction of writing: a name in a file
# must not move the cursor of a terminal, nor show itself as another. Between Arabic and
# Indic letters joiners are spelling.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
    "|(?<![\u0600-\u0dff])[\u200c\u200d]"
)
_LONGEST = 80


def visible(value):
    """Return a value with its unseen characters written out."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", str(value))


def shown(value):
    """Return a value of a file as it may be printed: short, on one line, nothing unseen
    in it.
    """
    text = visible(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def placed(path):
    """Return the place of a file as it may be printed: of a long one its end."""
    text = str(path)
    return shown(text) if len(text) <= _LONGEST else "..." + shown(text[3 - _LONGEST :])


def listed(values, n=6):
    """Return the first few of some values as a sentence has them, with an "and" before
    the last.
    """
    words = list(map(shown, values))
    words, rest = words[:n], len(words) - n
    words += [f"{rest:,} more"] if rest > 0 else []
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def examples(values, n=3):
    """Return the first three of some values, and how many more there are."""
    return listed(values, n)


def count(n, one, many=None):
    """Return a number with its noun."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def each(counts):
    """Return how many there are of each name: "base 5, ours 4"."""
    return ", ".join(f"{shown(name)} {n:,}" for name, n in counts.items())


@dataclass(frozen=True)
class Say:
    """An option that goes on: what is said, and when it is right to say it."""

    said: dict
    when: str = ""

    def in_python(self):
        """Return it as arguments of `evalkit.report`."""
        return ", ".join(f"{name}={value!r}" for name, value in self.said.items())

    def in_shell(self):
        """Return it as options of the command."""
        words = []
        for name, value in self.said.items():
            option = f"--{'map' if name == 'columns' else name.replace('_', '-')}"
            if isinstance(value, dict):
                value = [f"{role}={column}" for role, column in value.items()]
            for one in value if isinstance(value, (list, tuple)) else [value]:
                mark = "=" if str(one).startswith("-") else " "
                words.append(
                    option + (one is not True) * f"{mark}{quote(visible(one))}"
                )
        return " ".join(words)


@dataclass(frozen=True)
class Fault:
    """Something in a table that makes a comparison wrong, or leaves it open.

    Attributes
    ----------
    code : str
        A key of `schema.CONTRADICTIONS` or `schema.SUSPICIONS`.
    what : str
        What is there, with counts and the first examples.
    why : str
        What goes wrong if nothing is done.
    ways : tuple of str or Say
        By which one goes on, each for itself: lines of Python on `table`, an option, or
        work, in words.
    """

    code: str
    what: str
    why: str
    ways: tuple

    @property
    def lines(self):
        """The ways that are lines of Python."""
        return tuple(w for w in self.ways if isinstance(w, str) and _is_code(w))

    def words(self, shell=False):
        """Return it as text, with options for Python or for the command."""
        parts = [self.what, self.why]
        lead = "To go on:" if len(self.ways) == 1 else "To go on, one of these:"
        parts.append(lead)
        for way in self.ways:
            if isinstance(way, Say):
                said = way.in_shell() if shell else way.in_python()
                way = f"{said}  # {way.when}" if way.when else said
            parts.append("    " + way.replace("\n", "\n    "))
        return "\n".join(filter(None, parts)) + f"\n({self.code})"


def _is_code(text):
    return text.startswith(("table", "seen =", "runs =", "full =", "scores ="))


class RefusedError(ValueError):
    """A table that is not compared: what it has, why that is wrong, what mends it.

    Attributes
    ----------
    faults : tuple of Fault
    code : str
        Of the first.
    """

    def __init__(self, *faults):
        self.faults = faults
        self.code = faults[0].code
        super().__init__("\n\n".join(fault.words() for fault in faults))

    def in_shell(self):
        """Return it as text, with options of the command."""
        return "\n\n".join(fault.words(shell=True) for fault in self.faults)


def fault(code, what, *ways):
    """Return a fault, with what its code says goes wrong."""
    why = (schema.CONTRADICTIONS | schema.SUSPICIONS)[code]
    return Fault(code, what, why, ways)


def refusal(code, what, *ways):
    """Return the refusal for one fault."""
    return RefusedError(fault(code, what, *ways))


def unreadable(place, what, *ways):
    """Return the refusal of a file that cannot be read."""
    ways = ways or ("mend the file, or export it again.",)
    return refusal("unreadable", f"{placed(place)}: {what}.", *ways)
