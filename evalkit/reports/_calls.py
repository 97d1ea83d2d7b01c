"""A call of evalkit that a report makes and shows: what is computed is what is printed."""

from dataclasses import dataclass

import evalkit


@dataclass(frozen=True)
class Scores:
    """The scores of a system, an argument of a call.

    Attributes
    ----------
    system : str
    column : str
        "score" or "validation".
    """

    system: str
    column: str = "score"

    def value(self, evidence, frame):
        """Return them as an array."""
        return evidence.scores(self.system, self.column, frame)

    def __str__(self):
        more = "" if self.column == "score" else f", {self.column!r}"
        return f"found.scores({self.system!r}{more})"


@dataclass(frozen=True)
class Groups:
    """The group of each item, an argument of a call.

    Attributes
    ----------
    column : str
    """

    column: str

    def value(self, evidence, frame):
        """Return them as an array."""
        return evidence.groups(self.column, frame)

    def __str__(self):
        return f"found.groups({self.column!r})"


@dataclass(frozen=True)
class Call:
    """A call of a public function of evalkit.

    Attributes
    ----------
    function : str
    arguments : tuple
        Plain values, `Scores` and `Groups`.
    named : dict
    """

    function: str
    arguments: tuple
    named: dict

    def run(self, evidence, frame):
        """Return what the function returns.

        Parameters
        ----------
        evidence : Evidence
        frame : pandas.DataFrame
            The rows that are compared.
        """

        def value(of):
            return of.value(evidence, frame) if hasattr(of, "value") else of

        function = getattr(evalkit, self.function)
        return function(*map(value, self.arguments), **{k: value(v) for k, v in self.named.items()})

    def __str__(self):
        def source(of):
            return str(of) if hasattr(of, "value") else repr(of)

        named = [f"{name}={source(of)}" for name, of in self.named.items()]
        return f"ek.{self.function}({', '.join([*map(source, self.arguments), *named])})"


def call(function, *arguments, **named):
    """Return a call.

    Parameters
    ----------
    function : str
    *arguments, **named

    Returns
    -------
    Call
    """
    return Call(function, arguments, named)
