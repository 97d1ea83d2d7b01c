"""A main claim as a picture: its effect, with its interval, on the scale of its own
limit.

On that scale the limit is at 1, and what is claimed lies to its right. No effect is at
0, or at 2 where the claim is that something is small. Where the limit is no effect
itself, the unit is half the length of the interval.
"""

import math
from dataclasses import dataclass

# What is drawn of the scale, and how large.
FROM, _TO = -1.25, 3.25
WIDTH, _HEIGHT = 270, 24
_RADIUS = {"estimate": 4.5, "other": 2.5}
PER_UNIT = WIDTH / (_TO - FROM)


@dataclass(frozen=True)
class Effect:
    """A quantity that was held against a limit.

    Attributes
    ----------
    verdict : str
        What the analysis says that measured it.
    limit : lab.papers.published.Limit
    estimate, low, high : float
    """

    verdict: str
    limit: object
    estimate: float
    low: float
    high: float

    @property
    def condition(self):
        """What the limit asks: which end, a sign and a number."""
        return self.limit.confirms or self.limit.refutes

    @property
    def _claims_more(self):
        """Whether the claimed side is that of larger values."""
        return (self.condition[1][0] == ">") == bool(self.limit.confirms)

    @property
    def slope(self):
        """By how much the scale goes up where the quantity grows by 1."""
        away = abs(self.condition[2] - self.limit.no_effect)
        unit = away or (self.high - self.low) / 2 or 1.0
        return 1 / unit if self._claims_more else -1 / unit

    def place(self, value):
        """Return where a value lies on the scale.

        Parameters
        ----------
        value : float

        Returns
        -------
        float
        """
        return 1 + (value - self.condition[2]) * self.slope

    @property
    def ends(self):
        """The interval on the scale, the lower end first."""
        return tuple(sorted((self.place(self.low), self.place(self.high))))

    @property
    def margin(self):
        """How far the interval is from what its limit asks: negative if it fails."""
        low, high = self.ends
        # A limit that refutes alone asks that not all of the interval is beyond it.
        return (low if self.limit.confirms else high) - 1

    @property
    def short_of_failing(self):
        """How far the interval is from refuting; without end where nothing does."""
        refutes = self.limit.refutes
        return self.ends[1] - self.place(refutes[2]) if refutes else math.inf


def effects(claim, rules, analyses):
    """Return the effects of a claim under each analysis, the one that decides first.

    Parameters
    ----------
    claim : str
        The name of the criterion in force.
    rules : dict of str to list of Limit
        Of this claim.
    analyses : pandas.DataFrame
        Its rows of `lab.scorecard.analyses`.

    Returns
    -------
    dict of str to list of Effect
        By analysis, first the one that judges. Where it fails, the effect decides that
        lies farthest on that side; elsewhere the one that is nearest to not holding.
    """
    found = {}
    for name, rows in analyses.groupby("analysis", sort=False):
        rule = rules.get(name, rules[claim])
        pairs = [
            Effect(row.verdict, limit, row.estimate, row.low, row.high)
            for row in rows.itertuples()
            for limit in rule
            if limit.fits(row.quantity)
        ]
        failed = pairs[0].verdict.startswith("not ")
        found[name] = sorted(
            pairs, key=lambda e: e.short_of_failing if failed else e.margin
        )
    return found


# --------------------------------------------------------------------------------------
# Drawing
# --------------------------------------------------------------------------------------


def x(place):
    """Return where a place on the scale is drawn; what lies outside, at the edge.

    Parameters
    ----------
    place : float

    Returns
    -------
    float
        From 0 to `WIDTH`.
    """
    return round((min(max(place, FROM), _TO) - FROM) * PER_UNIT, 1)


def _sides(effect):
    """Draw where an interval must lie for the claim to hold, and where it fails."""
    limit, parts = effect.limit, []
    for kind, condition in (("held", limit.confirms), ("failed", limit.refutes)):
        if condition:
            # Wide enough to be moved with the limit.
            at = x(effect.place(condition[2])) - 2 * WIDTH * (kind == "failed")
            parts.append(
                f'<rect class="{kind}" x="{at:g}" y="2" width="{2 * WIDTH}"'
                f' height="{_HEIGHT - 4}"/>'
            )
    return "".join(parts)


def _mark(place, y, kind, word):
    """Draw an estimate; at the edge, an arrow that points beyond it."""
    at, said = x(place), f'class="{kind}" data-word="{word}"'
    if FROM <= place <= _TO:
        return f'<circle {said} cx="{at}" cy="{y}" r="{_RADIUS[kind]}"/>'
    way = 6 if place > _TO else -6
    return f'<path {said} d="M{at - way},{y - 5}l{way},5l{-way},5z"/>'


def strip(effect, others=()):
    """Draw an effect on the scale of its limit.

    Parameters
    ----------
    effect : Effect
    others : iterable of Effect
        Of other analyses: small marks.

    Returns
    -------
    str
        SVG. What it says stands beside it in words.
    """
    low, high = effect.ends
    middle = _HEIGHT / 2
    zero, limit = x(effect.place(effect.limit.no_effect)), x(1)
    marks = "".join(
        _mark(other.place(other.estimate), _HEIGHT - 4, "other", other.verdict)
        for other in others
    )
    estimate = _mark(effect.place(effect.estimate), middle, "estimate", effect.verdict)
    return (
        f'<svg class="strip" viewBox="0 0 {WIDTH} {_HEIGHT}" aria-hidden="true">'
        f'<g class="rule">{_sides(effect)}<path class="limit"'
        f' d="M{limit},0V{_HEIGHT}"/></g><path class="zero"'
        f' d="M{zero},0V{_HEIGHT}"/>{marks}'
        f'<path class="interval" d="M{x(low)},{middle}H{x(high)}"/>'
        f"{estimate}</svg>"
    )
