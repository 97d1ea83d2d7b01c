"""Levels, shares and p-values in the words of a result."""

from evalkit._numbers import percent, places, typeset
from evalkit._numbers import pvalue as write_p


def _level(level):
    return typeset(f"{100 * level:.10g}%")


def _shares(interval, *shown):
    """Write an interval of a share, and the share before it if that is given."""
    # As far from the whole as from nothing: what is not 100 % does not read so.
    ends = [100 * end for end in interval]
    near = (min(value, 100 - value) for value in (*ends, *(100 * x for x in shown)))
    far = [0.0 if value < 1e-9 else value for value in near]
    digits = places((0.0, ends[1] - ends[0]), *far, at_least=1)
    of_ends = " to ".join(percent(end, digits) for end in interval)
    return f"{percent(shown[0], digits)} ({of_ends})" if shown else of_ends


def _with_level(interval):
    return f"{_level(interval.confidence_level)} interval {_shares(interval)}"


def _about(pvalue, level=0.95):
    """Say a p-value that rests on an approximation: far out its digits mean nothing."""
    return "p < 0.001" if pvalue < 0.001 else write_p(pvalue, 1 - level)
