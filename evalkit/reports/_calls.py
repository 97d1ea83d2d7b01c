"""A call of evalkit that a report makes and shows: what is computed is what is printed."""

from dataclasses import dataclass, field

from scipy import stats

import evalkit


@dataclass(frozen=True)
class Given:
    """What a call takes from the report.

    Attributes
    ----------
    words : str
        As it is printed.
    run : callable
        What returns it, of an evidence and the rows that are compared.
    """

    words: str
    run: object = field(repr=False)

    def __str__(self):
        return self.words


def scores(system, column="score"):
    """Return the scores of a system, or another column of numbers."""
    more = "" if column == "score" else f", {column!r}"
    return Given(f"found.scores({system!r}{more})", lambda of, frame: of.scores(system, column, frame))


def scores_of(system, side, limit):
    """Return the scores of the sizes on one side of a limit, such as ">=", 64."""
    whole, size = scores(system), scores(system, "size")

    def run(of, frame):
        sizes = size.run(of, frame)
        return whole.run(of, frame)[sizes >= limit if side == ">=" else sizes <= limit]

    return Given(f"{whole}[{size} {side} {limit:g}]", run)


def groups(column):
    """Return the group of each item."""
    return Given(f"found.groups({column!r})", lambda of, frame: of.groups(column, frame))


@dataclass(frozen=True)
class Call:
    """A call of a public function of evalkit, or of `scipy.stats`.

    Attributes
    ----------
    function : str
    arguments : tuple
        Plain values, what is `Given`, and other calls.
    named : dict
    """

    function: str
    arguments: tuple
    named: dict

    def run(self, evidence, frame):
        """Return what the function returns."""

        def value(of):
            return of.run(evidence, frame) if hasattr(of, "run") else of

        name = self.function.removeprefix("stats.")
        function = getattr(evalkit if name == self.function else stats, name)
        return function(*map(value, self.arguments), **{k: value(v) for k, v in self.named.items()})

    def __str__(self):
        def source(of):
            return str(of) if hasattr(of, "run") else repr(of)

        named = [f"{name}={source(of)}" for name, of in self.named.items()]
        function = self.function if self.function.startswith("stats.") else f"ek.{self.function}"
        return f"{function}({', '.join([*map(source, self.arguments), *named])})"


def call(function, *arguments, **named):
    """Return a call."""
    return Call(function, arguments, named)
