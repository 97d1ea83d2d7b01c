"""What a design could have found: the smallest true difference that its own test finds in 80 % of cases."""

import functools
import math

import numpy as np
from scipy import stats

import evalkit
from evalkit.reports._bench import ALPHA
from evalkit.reports._faults import count, shown

POWER = 0.8
_DRAWS = 4000  # the power of a test at one difference has a standard error of 0.006
_FEW_PAIRS = 30  # beyond, the t-test's efficiency gives what simulating signed ranks gives, to 2 %


def sentences(evidence, found, margin):
    """Say what the design could have found, and how much more a smaller difference takes."""
    if evidence.kind in ("sizes", "agreement"):
        return ()
    if evidence.facts.get("floor", 0) > ALPHA:
        return ("No difference, however large: the p-values of so few data sets cannot be small enough.",)
    least = [(one, value) for one in found if (value := _smallest_difference(evidence, one))]
    if not least:
        return ()
    before = ", before the adjustment" * (len(found) > 1)
    often = f"would have been distinguished from zero in 80 % of such comparisons (at 5 %{before})."
    # By t also where the score's interval is given: as a guess of what more of the same would show.
    by = found[0].test.replace("Tango's score", "t")
    how = f"By {by}, with scores as spread as those seen."
    if len(found) > 3:
        low, high = (f"{end(value for _, value in least):.2g}" for end in (min, max))
        span = low if low == high else f"{low} to {high}, depending on the system,"
        return f"A true difference of about {span} {often}", how
    out = []
    for one, value in least:
        out.append(f"{shown(one.system)}: a true difference of about {value:.2g} {often}")
        target, what = (margin, "the margin") if margin else (abs(one.difference), "what was seen")
        if (margin or one.verdict == "undecided") and (more := _size_needed(evidence, one, target)):
            out.append(f"To tell {what}, {target:.2g}, from zero as often would take about {more}.")
        if margin:  # the verdict "better" asks for more than the margin
            more = f"takes a true difference of about {value + margin:.2g}."
            out.append(f"To find it larger than the margin as often {more}")
    return (*out, how)


def _smallest_difference(evidence, one):
    """Return the smallest difference that is found often enough, or None where nobody can say."""
    if one.test.startswith("McNemar") and evidence.kind == "items":
        n, share = _discordant(evidence, one)
        return _bisected(lambda gap: mcnemar_power(n, max(share, gap), gap), 1.0)
    if not one.se or not math.isfinite(one.se):
        return None
    if evidence.kind == "datasets":
        n = len(evidence.scores(one.system))
        return signed_ranks_effect(n) * one.se * math.sqrt(n)
    return float(stats.t.isf(ALPHA / 2, one.df) + stats.t.isf(1 - POWER, one.df)) * one.se


@functools.lru_cache
def signed_ranks_effect(n):
    """Return what Wilcoxon's signed ranks find often enough on n pairs with normal differences."""
    if n > _FEW_PAIRS:
        t = stats.t.isf(ALPHA / 2, n - 1) + stats.t.isf(1 - POWER, n - 1)
        return float(t * math.sqrt(math.pi / 3 / n))
    ways = np.ones(1)  # how many of the 2^n choices of signs give each sum of ranks
    for rank in range(1, n + 1):
        ways = np.convolve(ways, [1.0, *[0.0] * (rank - 1), 1.0])
    critical = int((2 * ways.cumsum() / 2**n <= ALPHA).sum()) - 1
    if critical < 0:
        return math.inf
    noise = np.random.default_rng(0).standard_normal((_DRAWS, n))

    def power(shift):
        moved = noise + shift
        lost = np.where(moved < 0, stats.rankdata(np.abs(moved), axis=1), 0).sum(axis=1)
        return np.mean((lost <= critical) | (lost >= n * (n + 1) / 2 - critical))

    return _bisected(power, 10.0)


def mcnemar_power(n, share, gap):
    """Return how often McNemar's exact test finds a difference, by simulation."""
    rng = np.random.default_rng(0)
    apart = rng.binomial(n, share, _DRAWS)
    won = rng.binomial(apart, (1 + gap / share) / 2)
    pvalue = 2 * stats.binom.cdf(np.minimum(won, apart - won), apart, 0.5)
    return float(np.mean(pvalue <= ALPHA))


def _discordant(evidence, one):
    a, b = (evidence.scores(name) for name in (one.system, evidence.baseline))
    return len(a), max(1, int((a != b).sum())) / len(a)


def _bisected(power, high):
    """Return, to a thousandth, where a power that grows reaches what is wanted."""
    low = 0.0
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle) < POWER else (low, middle)
    return high


def _size_needed(evidence, one, target):
    """Return how many runs or items find a difference often enough, in words, or None."""
    facts, (a, b) = evidence.facts, (evidence.scores(name) for name in (one.system, evidence.baseline))
    is_paired = evidence.kind == "items" and a.ndim == 1 and not facts["group"] and not facts["ratio"]
    if evidence.kind != "seeds" and not is_paired:
        return None
    sd = float((a - b).std(ddof=1)) if is_paired else math.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
    if not sd or not 1e-3 < target / sd < 1e4:
        return None
    n = evalkit.seeds_needed(target, sd, paired=is_paired)
    if not is_paired:
        return f"{count(n, 'run')} of each"
    if not one.test.startswith("McNemar"):
        return f"{count(n, facts['noun'])} in all"
    share = max(_discordant(evidence, one)[1], target)
    # The t-test needs a little less, so twice as many are always enough.
    n = math.ceil(_bisected(lambda n: mcnemar_power(math.ceil(n), share, target), 2 * n + 20))
    return f"{float(f'{n:.3g}'):,.0f} {facts['noun']}s in all"
