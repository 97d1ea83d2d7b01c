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

# What scores can be, in the words of a result.
RIGHT_OR_WRONG, WHOLE = "right or wrong", "whole numbers"
SHARES, GRADED = "shares", "graded"
_MOST_DECIMALS = 6  # that are read off
# A description that was read off must not turn the first of these p-values into more
# than the second.
_CLEAR, _UNCLEAR = 0.01, 0.2


@dataclass(frozen=True)
class Scores:
    """What the scores of two systems, or of one, are, taken together.

    Attributes
    ----------
    kind : {"right or wrong", "whole numbers", "shares", "graded"}
        Shares lie in [0, 1].
    top : float
        What a right answer counts: 100 where answers are counted in per cent, else 1.
    digits : int or None
        In how many decimals they are written; None if in no six.
    said : tuple of (int or None), or None
        To how many each system's were rounded, as the caller says.
    """

    kind: str
    top: float
    digits: int | None
    said: tuple | None

    @property
    def decimals(self):
        """To how many decimals each system's were rounded; None if they were not.

        What is right or wrong never is; whole numbers, and shares in tenths, are where
        the caller says so: ratings, counts, and the mean of ten answers are exact.
        """
        if self.said is not None:
            return self.said
        in_tenths = self.kind == SHARES and self.digits == 1
        exact = self.kind in (RIGHT_OR_WRONG, WHOLE) or in_tenths
        return (None, None) if exact else (self.digits, self.digits)

    @property
    def halves(self):
        """Half of the last digit of each system's scores; 0 where none is rounded."""
        return [0.0 if d is None else 0.5 * 10.0**-d for d in self.decimals]

    @property
    def counted(self):
        """Whether every score is right or wrong."""
        return self.kind == RIGHT_OR_WRONG

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
        known = [d for d in self.decimals if d is not None]
        if known and (rounded or self.said is not None):
            places = " and ".join(map(str, sorted(set(known))))
            places += " decimal" + "s" * (known != [1] * len(known))
            whose = "" if len(known) == len(self.decimals) else "one system "
            off = "" if self.said is not None else " (read off)"
            return f", {whose}rounded to {places}{off}"
        return f", {self.kind}" if self.kind in (RIGHT_OR_WRONG, WHOLE) else ""

    def rounding_parts(self, scores_a, scores_b, differences=None):
        """Return what rounding adds to the variance of a difference of means.

        If a system's scores hardly scatter, all of them may have been rounded the same
        way. Of scores on two neighbouring digits whose variance is s^2, the mean is off
        by at most the root of h^2 - s^2, where h is half a digit: anywhere up to that,
        it has a third of its square as variance. Where scores scatter more, rounding
        adds to the scatter that is seen; and where those of pairs do, to that of their
        differences: what these lack of it is added to their variance.

        Parameters
        ----------
        scores_a, scores_b : ndarray of float
        differences : ndarray of float, optional
            Of pairs.

        Returns
        -------
        list of (float, float)
            As `Difference.from_parts` takes them; empty where it adds nothing.
        """
        squares = [half**2 for half in self.halves]
        seen = [x.var(ddof=1) for x in (scores_a, scores_b)]
        added = sum(max(h - s, 0) / 3 for h, s in zip(squares, seen, strict=True))
        if differences is not None:
            lacking = sum(squares) / 3 - differences.var(ddof=1)
            added = max(added, lacking / differences.size)
        # What is left of equal sizes is no size.
        return [(float(added), math.inf)] if added > 1e-9 * max(squares) else []

    def check_decisive(self, without, rounded):
        """Raise a ValueError where only a rounding that was read off would decide.

        Parameters
        ----------
        without, rounded : float
            The p-values without what rounding adds, and with it.
        """
        if self.said is None and without < _CLEAR and rounded > _UNCLEAR:
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
        if ask and self.said is None and self.digits is not None:
            remedy = (
                f"If they were rounded, decimals={self.digits} says so, and the "
                "difference is known but for that; else give more of what varies"
            )
        raise ValueError(
            f"{' and '.join(names)} must vary for an interval or a test of their "
            f"difference, but the {unit} do not: from no scatter nothing follows. "
            f"{remedy}. If nothing can vary, the difference is "
            f"{difference + 0.0:+.6g}, and needs neither"
        )


def _on_grid(scores, slack, digits):
    """Tell which scores are written in so many decimals, but for floats' rounding."""
    return np.abs(np.round(scores, digits) - scores) <= slack


def describe(*given, decimals=None):
    """Describe the scores of all systems of a comparison together.

    Parameters
    ----------
    *given : array_like of float
        As the caller got them: what came as float32 has fewer digits.
    decimals : int, or pair of (int or None), optional
        What the caller says of them, or of each system: then they are no right and
        wrong.

    Returns
    -------
    Scores

    Raises
    ------
    ValueError
        Where scores have more decimals than were said.
    """
    parts = [np.asarray(part, dtype=float).ravel() for part in given]
    slacks = [rounding(*given) * np.abs(part) for part in parts]
    scores, slack = np.concatenate(parts), np.concatenate(slacks)
    top = 100.0 if (scores == 100).any() else 1.0
    digits = range(_MOST_DECIMALS + 1)
    written = next((d for d in digits if _on_grid(scores, slack, d).all()), None)
    if decimals is None and ((scores == 0) | (scores == top)).all():
        kind = RIGHT_OR_WRONG
    elif written == 0:
        kind = WHOLE
    else:
        kind = SHARES if scores.min() >= 0 and scores.max() <= 1 else GRADED
    if decimals is None:
        return Scores(kind, top, written, None)
    said = decimals if isinstance(decimals, (tuple, list)) else [decimals] * len(given)
    if len(said) != len(given):
        raise ValueError(f"decimals must be one or one for each system, got {decimals}")
    for own, its_slack, known in zip(parts, slacks, said, strict=True):
        if known is not None:
            known = check_int(known, "decimals", low=0, high=15)
            if not (fits := _on_grid(own, its_slack, known)).all():
                raise ValueError(
                    "decimals must be as many as the scores have, got "
                    f"{known} for {own[~fits][0].item()!r}"
                )
    return Scores(kind, top, written, tuple(said))


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
