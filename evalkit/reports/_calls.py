"""A call of evalkit that a report makes and shows: what is computed is what is printed."""

from dataclasses import dataclass

from scipy import stats

import evalkit


@dataclass(frozen=True)
class Scores:
    """The scores of a system, an argument of a call.

    Attributes
    ----------
    system : str
    column : str
        "score", or another column of numbers.
    sizes : tuple of (str, float)
        Only those of the sizes on this side of a limit: (">=", 64).
    """

    system: str
    column: str = "score"
    sizes: tuple = ()

    def run(self, evidence, frame):
        """Return them as an array."""
        scores = evidence.scores(self.system, self.column, frame)
        if not self.sizes:
            return scores
        size, (side, limit) = evidence.scores(self.system, "size", frame), self.sizes
        return scores[size >= limit if side == ">=" else size <= limit]

    def __str__(self):
        more = "" if self.column == "score" else f", {self.column!r}"
        whole = f"found.scores({self.system!r}{more})"
        if not self.sizes:
            return whole
        side, limit = self.sizes
        return f"{whole}[found.scores({self.system!r}, 'size') {side} {limit:g}]"


@dataclass(frozen=True)
class Groups:
    """The group of each item, an argument of a call.

    Attributes
    ----------
    column : str
    """

    column: str

    def run(self, evidence, frame):
        """Return them as an array."""
        return evidence.groups(self.column, frame)

    def __str__(self):
        return f"found.groups({self.column!r})"


@dataclass(frozen=True)
class Call:
    """A call of a public function of evalkit, or of `scipy.stats`.

    Attributes
    ----------
    function : str
    arguments : tuple
        Plain values, `Scores`, `Groups`, and other calls.
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
