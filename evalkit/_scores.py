"""What scores are: said once, of all systems together, and obeyed by every function.

Scores are right or wrong, whole numbers, or graded. They may have been rounded, and
then their mean may be off however many there are. What is read off them is how they
were written, and not why: it may widen an interval, but where it alone would decide,
the caller is asked. Ties of floats are the business of `_ties`.
"""

import math
from dataclasses import dataclass

import numpy as np

from evalkit._checks import check_int
from evalkit._ties import rounding

RIGHT_OR_WRONG, WHOLE, GRADED = "right or wrong", "whole numbers", "graded"
_MOST_DECIMALS = 6  # that are read off
# A description that was read off must not turn the first of these p-values into more
# than the second.
_CLEAR, _UNCLEAR = 0.01, 0.2


@dataclass(frozen=True)
class Scores:
    """What the scores of one or more systems are, taken together.

    Attributes
    ----------
    kind : {"right or wrong", "whole numbers", "graded"}
    top : float
        What a right answer counts: 100 where answers are counted in per cent, else 1.
    digits : int or None
        In how many decimals they are written; None if in no six.
    said : bool
        Whether the caller said so, or it was read off the scores.
    """

    kind: str
    top: float
    digits: int | None
    said: bool

    @property
    def decimals(self):
        """To how many decimals they were rounded; None if they were not.

        What is right or wrong never is; whole numbers are where the caller says so.
        """
        rounded = self.kind == GRADED or (self.kind == WHOLE and self.said)
        return self.digits if rounded else None

    @property
    def counted(self):
        """Whether every score is right or wrong."""
        return self.kind == RIGHT_OR_WRONG

    @property
    def last_digit(self):
        """The unit of the last digit; 0 where nothing was rounded."""
        return 0.0 if self.decimals is None else 10.0**-self.decimals

    def words(self, rounded=False):
        """Describe the scores for the method of a result, with what is to be known.

        Parameters
        ----------
        rounded : bool, default False
            Whether their rounding entered the result.

        Returns
        -------
        str
            Begins with a comma; empty for graded scores whose rounding is no matter.
        """
        if self.decimals is not None and (rounded or self.said):
            places = f"{self.digits} decimal{'s' * (self.digits != 1)}"
            places = places if self.digits else "whole numbers"
            return f", rounded to {places}" + ("" if self.said else " (read off)")
        return "" if self.kind == GRADED else f", {self.kind}"

    def rounding_parts(self, *samples):
        """Return what rounding adds to the variance of a difference of means.

        Where scores scatter by less than half of their last digit, all of them may have
        been rounded the same way. A mean is then off by up to half a digit; if it may
        lie anywhere between two digits, with a variance of a third of the square of
        that. Where scores scatter more, rounding adds to the scatter that is seen.

        Parameters
        ----------
        *samples : ndarray of float
            The scores of each system.

        Returns
        -------
        list of (float, float)
            As `Difference.from_parts` takes them.
        """
        half = self.last_digit / 2
        coarse = (sample for sample in samples if sample.std(ddof=1) < half)
        return [(half**2 / 3, math.inf) for _ in coarse]

    def check_decisive(self, without, rounded):
        """Raise a ValueError where only a rounding that was read off would decide.

        Parameters
        ----------
        without, rounded : float
            The p-values without what rounding adds, and with it.
        """
        if not self.said and without < _CLEAR and rounded > _UNCLEAR:
            raise ValueError(
                f"decimals must be given: the scores show {self.digits}, and whether "
                f"they were rounded to these decides (p = {rounded:.2g} if so, and "
                f"{without:.2g} if not). decimals={self.digits} says that they were; "
                f"decimals={self.digits + 3}, that more digits would be zeros"
            )

    def refuse_constant(self, names, difference, unit="scores", *, ask=True):
        """Raise the ValueError of a comparison in which nothing varies.

        Parameters
        ----------
        names : tuple of str
            The caller's names for the scores of both systems.
        difference : float
            Of the means.
        unit : str, default "scores"
            What would have to vary.
        ask : bool, default True
            Whether the caller can say `decimals`.
        """
        remedy = "Give more of what varies"
        if ask and not self.said and not self.counted and self.digits is not None:
            remedy = (
                f"If they were rounded, decimals={self.digits} says so, and the "
                "difference is known but for that; else give more of what varies"
            )
        shown = f"{difference:+.{max(self.digits or 6, 1)}f}".rstrip("0").rstrip(".")
        raise ValueError(
            f"{' and '.join(names)} must vary for an interval or a test of their "
            f"difference, but the {unit} do not: from no scatter nothing follows. "
            f"{remedy}. If nothing can vary, the difference is {shown}, and needs "
            "neither"
        )


def describe(*given, decimals=None):
    """Describe the scores of all systems of a comparison together.

    Parameters
    ----------
    *given : array_like of float
        As the caller got them: what came as float32 has fewer digits.
    decimals : int, optional
        What the caller says of them.

    Returns
    -------
    Scores

    Raises
    ------
    ValueError
        Where scores have more decimals than were said.
    """
    scores = np.concatenate([np.asarray(part, dtype=float).ravel() for part in given])
    slack = rounding(*given) * np.abs(scores)

    def written_in(digits):
        return bool((np.abs(np.round(scores, digits) - scores) <= slack).all())

    top = 100.0 if (scores == 100).any() else 1.0
    if ((scores == 0) | (scores == top)).all():
        kind = RIGHT_OR_WRONG
    else:
        kind = WHOLE if written_in(0) else GRADED
    if decimals is None:
        digits = next(filter(written_in, range(_MOST_DECIMALS + 1)), None)
        return Scores(kind, top, digits, said=False)
    decimals = check_int(decimals, "decimals", low=0, high=15)
    if not written_in(decimals):
        more = scores[np.abs(np.round(scores, decimals) - scores) > slack][0]
        raise ValueError(
            f"decimals must be as many as the scores have, got {decimals} for {more:g}"
        )
    return Scores(kind, top, decimals, said=True)


def refuse_one_sided(scores):
    """Raise a ValueError where all is right, or wrong: of the other nothing was seen.

    Parameters
    ----------
    scores : ndarray of float
    """
    what = describe(scores)
    if what.counted and np.ptp(scores) == 0:
        right = int(scores.sum() // what.top)
        raise ValueError(
            f"scores must hold right and wrong, got {scores[0]:g} {scores.size:,} "
            "times. For independent items, "
            f"proportion_interval({right}, {scores.size}) knows what that says of the "
            "other"
        )
