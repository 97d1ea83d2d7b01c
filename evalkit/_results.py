"""What the statistics return: small frozen objects that print well and unpack."""

from dataclasses import dataclass

import numpy as np


def _percent(level):
    return f"{100 * level:.10g}%"


@dataclass(frozen=True)
class Interval:
    """A confidence interval; `low, high = interval` unpacks it.

    Attributes
    ----------
    low, high : float
    confidence_level : float
    method : str
        How it was made, and of what.
    """

    low: float
    high: float
    confidence_level: float
    method: str

    def __iter__(self):
        return iter((self.low, self.high))

    def __contains__(self, value):
        return bool(self.low <= value <= self.high)

    def __str__(self):
        return f"[{self.low:.4g}, {self.high:.4g}] ({_percent(self.confidence_level)}, {self.method})"

    @property
    def width(self):
        """The length of the interval."""
        return self.high - self.low


@dataclass(frozen=True, eq=False)  # arrays have no single truth value to compare by
class Band:
    """A confidence band over budgets; `low, high = band` unpacks it.

    Attributes
    ----------
    n : ndarray of int, shape (m,)
        The budgets.
    low, high : ndarray of float, shape (m,)
    confidence_level : float
    method : str
        How it was made, and of what.
    simultaneous : bool
        True if all budgets are covered at once with the confidence level; False if each is covered
        on its own.
    """

    n: np.ndarray
    low: np.ndarray
    high: np.ndarray
    confidence_level: float
    method: str
    simultaneous: bool

    def __iter__(self):
        return iter((self.low, self.high))

    def __str__(self):
        kind = "all n at once" if self.simultaneous else "each n alone"
        return (
            f"band over n = {self.n.min()}..{self.n.max()} "
            f"({_percent(self.confidence_level)}, {kind}, {self.method})"
        )

    @property
    def width(self):
        """The length of the band at each budget."""
        return self.high - self.low


@dataclass(frozen=True, eq=False)
class Coverage:
    """How often intervals or bands held the truth in a simulation.

    Attributes
    ----------
    rate : ndarray of float, shape () or (m,)
        The share of samples whose interval held the truth, at each budget of a band.
    interval : Interval
        Clopper-Pearson interval of `all_rate`.
    all_rate : float
        The share of samples whose band held the whole truth; for an interval the same as `rate`.
    below, above : ndarray of float, shape () or (m,)
        The share that lay wholly below the truth, and wholly above it.
    mean_width : ndarray of float, shape () or (m,)
    n_samples : int
    """

    rate: np.ndarray
    interval: Interval
    all_rate: float
    below: np.ndarray
    above: np.ndarray
    mean_width: np.ndarray
    n_samples: int

    def __str__(self):
        low, high = self.interval
        return f"{self.all_rate:.1%} of {self.n_samples:,} samples (95 % interval {low:.1%} to {high:.1%})"
