"""A main claim as a picture: its effect, with its interval, on the scale of its own
limit.

On that scale 0 is no effect and 1 is the limit. Where the limit is no effect itself, it
lies at 0, and the unit is half the length of the interval.
"""

from dataclasses import dataclass

# What is drawn of the scale, and how large.
_FROM, _TO = -1.25, 3.25
WIDTH, _HEIGHT = 270, 24
_RADIUS = {"estimate": 4.5, "other": 2.5}
PER_UNIT = WIDTH / (_TO - _FROM)


@dataclass(frozen=True)
class Effect:
    """A quantity that was held against a limit.

    Attributes
    ----------
    name, analysis, verdict : str
        Of the quantity; of the analysis that measured it, and what this analysis says.
    limit : lab.papers.published.Limit
    estimate, low, high : float
    """

    name: str
    analysis: str
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
    def unit(self):
        """What 1 on the scale is, negative where the limit lies below no effect."""
        away = self.condition[2] - self.limit.no_effect
        if away:
            return away
        half = (self.high - self.low) / 2 or 1.0
        return half if self._claims_more else -half

    @property
    def _claims_more(self):
        """Whether the claimed side is that of larger values."""
        return (self.condition[1][0] == ">") == bool(self.limit.confirms)

    def place(self, value):
        """Return where a value lies on the scale.

        Parameters
        ----------
        value : float

        Returns
        -------
        float
        """
        return (value - self.limit.no_effect) / self.unit

    @property
    def upwards(self):
        """Whether the claimed side of the scale is the right one."""
        return self._claims_more == (self.unit > 0)

    @property
    def ends(self):
        """The interval on the scale, the lower end first."""
        return tuple(sorted((self.place(self.low), self.place(self.high))))

    @property
    def margin(self):
        """How far the interval is from what its limit asks: negative if it fails."""
        low, high = self.ends
        at = self.place(self.condition[2])
        if self.limit.confirms:
            return low - at if self.upwards else at - high
        # A limit that refutes alone: how far the interval is from being beyond it.
        return high - at if self.upwards else at - low


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
        By analysis, first the one that judges. The nearest to its limit, or the
        farthest beyond, decides.
    """
    found = {}
    for name, rows in analyses.groupby("analysis", sort=False):
        rule = rules.get(name, rules[claim])
        pairs = [
            Effect(
                row.quantity, name, row.verdict, limit, row.estimate, row.low, row.high
            )
            for row in rows.itertuples()
            for limit in rule
            if limit.fits(row.quantity)
        ]
        found[name] = sorted(pairs, key=lambda effect: effect.margin)
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
    return round((min(max(place, _FROM), _TO) - _FROM) * PER_UNIT, 1)


def _sides(effect):
    """Draw where an interval must lie for the claim to hold, and where it fails."""
    limit, parts = effect.limit, []
    for kind, condition, right in (
        ("held", limit.confirms, effect.upwards),
        ("failed", limit.refutes, not effect.upwards),
    ):
        if condition:
            at = x(effect.place(condition[2]))
            start, end = (at, WIDTH) if right else (0, at)
            width = round(end - start, 1)
            parts.append(
                f'<rect class="{kind}" x="{start}" y="2" width="{width}"'
                f' height="{_HEIGHT - 4}"/>'
            )
    return "".join(parts)


def _mark(place, y, kind, word):
    """Draw an estimate; at the edge, an arrow that points beyond it."""
    at, said = x(place), f'class="{kind}" data-word="{word}"'
    if _FROM <= place <= _TO:
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
    zero, limit = x(0), x(effect.place(effect.condition[2]))
    marks = "".join(
        _mark(other.place(other.estimate), _HEIGHT - 4, "other", other.verdict)
        for other in others
    )
    estimate = _mark(effect.place(effect.estimate), middle, "estimate", effect.verdict)
    return (
        f'<svg class="strip" viewBox="0 0 {WIDTH} {_HEIGHT}" aria-hidden="true">'
        f'{_sides(effect)}<path class="zero" d="M{zero},0V{_HEIGHT}"/>'
        f'<path class="limit" d="M{limit},0V{_HEIGHT}"/>{marks}'
        f'<path class="interval" d="M{x(low)},{middle}H{x(high)}"/>'
        f"{estimate}</svg>"
    )
