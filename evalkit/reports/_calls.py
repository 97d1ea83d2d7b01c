"""A call of evalkit that a report makes and shows: what is computed is what is
printed.
"""

from dataclasses import dataclass, field

import evalkit


@dataclass(frozen=True)
class Given:
    """What a call takes: as it is printed, and what returns it of an evidence."""

    words: str
    run: object = field(repr=False)

    def __str__(self):
        return self.words


def scores(system, column="score"):
    """Return the scores of a system, or another column of numbers."""
    more = "" if column == "score" else f", {column!r}"
    return Given(
        f"found.scores({system!r}{more})", lambda of: of.scores(system, column)
    )


def groups():
    """Return the group of each item."""
    return Given("found.groups()", lambda of: of.groups())


@dataclass(frozen=True)
class Call:
    """A call of a public function, "ek.NAME"; what it takes has `run` as well."""

    function: str
    arguments: tuple
    named: dict

    def run(self, evidence):
        """Return what the function returns."""
        named = {key: given.run(evidence) for key, given in self.named.items()}
        function = getattr(evalkit, self.function.removeprefix("ek."))
        return function(*(given.run(evidence) for given in self.arguments), **named)

    def __str__(self):
        named = [f"{key}={given}" for key, given in self.named.items()]
        return f"{self.function}({', '.join([*map(str, self.arguments), *named])})"


def call(function, *arguments, **named):
    """Return a call with plain values, with what is `Given`, and with other calls."""

    def given(value):
        return value if hasattr(value, "run") else Given(repr(value), lambda _: value)

    return Call(
        function,
        tuple(map(given, arguments)),
        {key: given(v) for key, v in named.items()},
    )
