"""Chapter 7: what the best of n means, estimated without bias, with bands that hold.

Every estimator here is one sum. Let x(1) <= ... <= x(N) be the scores and P(k) the
probability that the best of n draws is at most x(k). Then

    E[best of n] = x(N) - sum over k < N of (x(k+1) - x(k)) * P(k),

with P(k) = (k/N)^n for draws with replacement (V) and C(k, n) / C(N, n) for draws
without (U). Written with gaps, no term cancels another: constant scores give the
constant, to the last bit, and a large offset does no harm. P(k) is computed without a
binomial coefficient, so nothing overflows.
"""

import functools
import itertools

import numpy as np
from scipy import integrate, special, stats

from evalkit._checks import (
    check_aligned,
    check_bounds,
    check_budgets,
    check_choice,
    check_direction,
    check_int,
    check_level,
    check_number,
    check_same_length,
    check_scores,
    check_work,
)
from evalkit._limits import FEWEST_TRIALS, FEWEST_VALUES, MAX_COUNT, TRIALS_PER_RUN
from evalkit._paired import clopper_pearson
from evalkit._scores import describe
from evalkit._ties import levels, rounding
from evalkit.results import Band, Difference, Interval

# P(k) below 2**-70 cannot change a double, unless a gap is large beside the result (see
# `_tiny`). Skipping such cells saves all but about N log N of the N * N.
_BITS = 70

# Cells are computed in blocks of about this many numbers: half a megabyte.
_CELLS_AT_ONCE = 2**16

# Limits that the docstrings state; `benchmarks/bounds.py` holds the times to them.
_MAX_POOL = 2_000_000
_MAX_NORMAL_BUDGETS = 50_000


# --------------------------------------------------------------------------------------
# The kernel: P(k) for each n, and the sum over gaps
# --------------------------------------------------------------------------------------


def _tiny(values):
    """Return the probability below which no gap of these values can change the result.

    The result is not far below the last value. One run that diverged can be 10^30 times
    as far away, and then even a very small probability of it counts.
    """
    spread = np.ptp(values)
    if spread == 0:
        return 2.0**-_BITS
    steps = np.abs(np.diff(values))
    scale = max(abs(values[-1]), steps[steps > 0][-1])
    return max(2.0**-_BITS * min(1.0, scale / spread), 1e-300)  # its logarithm is taken


def _v_cells(log_levels, budgets, tiny):
    """Yield (positions, first, P[:, first:]) per block of budgets, where P = exp(n *
    log_levels).

    `positions` says which budgets the rows are for. Below `first` P is less than `tiny`
    for all of them.
    """
    log_tiny = np.log(tiny)
    order = np.argsort(budgets, kind="stable")
    ordered = budgets[order]
    start = 0
    while start < len(ordered):
        # The smallest n needs the most cells. A sixth more than it, and the waste stays
        # small.
        smallest = ordered[start]
        first = np.searchsorted(log_levels, log_tiny / smallest)
        stop = np.searchsorted(ordered, smallest + smallest // 6, side="right")
        stop = min(
            stop, start + max(1, _CELLS_AT_ONCE // max(1, len(log_levels) - first))
        )
        yield (
            order[start:stop],
            first,
            np.exp(np.multiply.outer(ordered[start:stop], log_levels[first:])),
        )
        start = stop


def _u_cells(ranks, size, budgets, tiny):
    """Yield (positions, first, P[:, first:]) per block of budgets, where P = C(rank, n)
    / C(size, n).

    From P for n to P for n + 1 is one factor, (rank - n) / (size - n), so every n is
    visited in increasing order. A rank of n cannot hold n + 1 draws: its factor is
    zero.
    """
    order = np.argsort(budgets, kind="stable")
    ordered = budgets[order]
    start, n, first, cells = 0, 1, 0, ranks / size
    while start < len(ordered):
        # As many n as waste little on ranks that have become negligible, or fit into a
        # block.
        count = min(
            1 + n // 6,
            max(1, _CELLS_AT_ONCE // max(1, len(cells))),
            ordered[-1] + 1 - n,
        )
        steps = np.arange(n, n + count)[:, np.newaxis]
        # From the last n of a block goes on to the next, unless all have been drawn.
        factors = (ranks[first:] - steps) / np.maximum(size - steps, 1)
        rows = np.cumprod(np.vstack([cells, factors]), axis=0)
        stop = np.searchsorted(ordered, n + count)
        if stop > start:
            yield order[start:stop], first, rows[ordered[start:stop] - n]
        gone = np.searchsorted(rows[-1], tiny)
        start, n, first, cells = stop, n + count, first + gone, rows[-1, gone:]


def _rank_cells(ranks, size, budgets, estimator, tiny=2.0**-_BITS):
    if estimator == "u":
        return _u_cells(ranks, size, budgets, tiny)
    # log1p keeps the precision that log(rank / size) loses next to 1.
    return _v_cells(np.log1p(-(size - ranks) / size), budgets, tiny)


def _best_of(values, ranks, size, budgets, estimator):
    """Return E[value at the highest of n ranks] for each budget.

    `values[j]` belongs to the draws of rank up to `ranks[j]`; `ranks[-1]` is `size`.
    """
    budgets, position = np.unique(budgets, return_inverse=True)
    cells = _rank_cells(
        ranks[:-1].astype(float), size, budgets, estimator, _tiny(values)
    )
    return _subtract_gaps(values, cells, len(budgets))[position]


def _subtract_gaps(values, cells, n_budgets):
    """Return the highest value minus what each gap takes away."""
    gaps = np.diff(values)
    result = np.empty(n_budgets)
    for positions, first, p in cells:
        result[positions] = values[-1] - p @ gaps[first:]
    return result


def _check_curve(scores, n, estimator, *, pool="scores", name="n"):
    """Return the budgets as an array, and whether `n` was one number."""
    check_choice(estimator, "estimator", ("u", "v"))
    if estimator == "u":
        check_work(
            scores.size,
            _MAX_POOL,
            f"{pool}: {scores.size:,} with estimator='u'",
            f"take a random {_MAX_POOL:,} of them, or estimator='v', which at this size"
            " says the same",
        )
    high = scores.size if estimator == "u" else None
    any_n = 'estimator="v", Equation 7, is defined for any'
    return check_budgets(
        n,
        name,
        high=high,
        high_name=f'the number of {pool} ({high}) with "u" ({any_n})',
    )


def expected_max(scores, n, *, estimator="u", minimize=False):
    """Estimate the expected best score of n runs from the scores of N runs.

    Parameters
    ----------
    scores : array_like of float, shape (N,), or Trials
        Scores of independent runs: seeds, or draws of a random search. A grid, a guided
        search or pruned trials are not independent draws, and this estimate does not
        hold for them: `Trials` of these are refused, here and wherever scores are
        wanted; of bare numbers nobody can tell.
    n : int or array_like of int
        The budget, in runs; at least 1, and at most N for "u".
    estimator : {"u", "v"}, default "u"
        "u" averages the best over all subsets of n different runs and is unbiased. "v"
        (MeanMax) also draws runs more than once; it is biased downwards for n > 1, and
        defined for any n.
    minimize : bool, default False
        The lowest score is the best.

    Returns
    -------
    float or ndarray of float
        One value for an int `n`, an array for an array of them.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described.

    Notes
    -----
    For 0/1 scores "u" is the pass@k estimator of Chen and others.

    Size: "u" takes up to 2,000,000 scores, in 70 s and 500 MB with all budgets at once;
    "v" ten times as many.

    References
    ----------
    Tang and others (2020), Showing Your Work Doesn't Always Work, ACL, Theorem 1; Dodge
    and others (2019), Show Your Work: Improved Reporting of Experimental Results,
    EMNLP, Equation 7; Chen and others (2021), Evaluating Large Language Models Trained
    on Code, arXiv:2107.03374.

    Examples
    --------
    >>> from evalkit import expected_max
    >>> expected_max([0.6, 0.7, 0.9], 2)
    0.8333333333333334
    >>> expected_max([0.6, 0.7, 0.9], 2, estimator="v")
    0.8
    """
    minimize = check_direction(minimize, scores)
    scores = check_scores(scores, "scores")
    budgets, single = _check_curve(scores, n, estimator)
    if minimize:
        scores = -scores
    scores.sort()
    ranks = np.arange(1, scores.size + 1)
    curve = _best_of(scores, ranks, scores.size, budgets, estimator)
    curve = -curve if minimize else curve
    return float(curve[0]) if single else curve


def gaussian_expected_max(n):
    """Return the expected maximum of n independent standard normal draws.

    Parameters
    ----------
    n : int or array_like of int

    Returns
    -------
    float or ndarray of float
        With an absolute error below 1e-10.

    Notes
    -----
    Size: up to 50,000 different budgets, each in 1 ms.

    The integral of 1 - Phi(x)^n - Phi(-x)^n over x > 0: the expectation by tail
    probabilities, its negative half folded over.

    Examples
    --------
    >>> round(gaussian_expected_max(5), 4)
    1.163
    """
    budgets, single = check_budgets(n, "n")
    budgets, position = np.unique(budgets, return_inverse=True)
    check_work(
        budgets.size,
        _MAX_NORMAL_BUDGETS,
        f"n: {budgets.size:,} different budgets",
        "take fewer and interpolate: the curve is smooth in log(n)",
    )

    def tail(x, n):
        return -np.expm1(n * special.log_ndtr(x)) - np.exp(n * special.log_ndtr(-x))

    def expectation(n):
        if n == 1:
            return 0.0
        # The integrand is near 1 up to the typical maximum, then falls within a few
        # units.
        bend = -special.ndtri(0.5 / n)
        edges = [0.0, bend, bend + 3, bend + 10]
        return sum(
            integrate.quad(
                tail, a, b, args=(n,), epsabs=1e-13, epsrel=1e-13, limit=200
            )[0]
            for a, b in itertools.pairwise(edges)
        )

    values = np.array([expectation(n) for n in budgets])[position]
    return float(values[0]) if single else values


def boo(validation, test=None, *, n, minimize=False, estimator="u"):
    """Estimate Boo_n: the expected test score of the best of n runs, chosen on
    validation.

    Parameters
    ----------
    validation : array_like of float, shape (N,)
        What the best run is chosen by.
    test : array_like of float, shape (N,), optional
        What is reported of the chosen run; by default the validation score itself.
    n : int or array_like of int
        The budget, in runs; at most N for "u".
    minimize : bool, default False
        Lower is better, for both scores.
    estimator : {"u", "v"}, default "u"
        "u" averages over draws without replacement and is unbiased when validation
        scores have no ties. "v" is Bajgar's Equation 7, draws with replacement, and
        defined for any n.

    Returns
    -------
    float or ndarray of float

    Warnings
    --------
    "v" is biased downwards, and the more the smaller the pool is. Do not compare it
    between pools of different size, where the larger pool gains by being larger. "u"
    may be compared; `budget_difference` has an interval, too.

    Notes
    -----
    Runs that tie in validation share their weight equally; scores that differ by
    rounding alone tie. Series are paired by position only where their labels agree.

    Size: as for `expected_max`.

    References
    ----------
    Bajgar, Kadlec and Kleindienst (2018), A Boo(n) for Evaluating Architecture
    Performance, arXiv:1807.01961, Equation 7.

    Examples
    --------
    >>> from evalkit import boo
    >>> round(boo([0.6, 0.7, 0.9], [0.5, 0.8, 0.7], n=2), 4)
    0.7333
    >>> round(boo([0.6, 0.7, 0.9], [0.5, 0.8, 0.7], n=2, estimator="v"), 4)
    0.7111
    """
    validation, test, sign = _check_pool(validation, test, minimize)
    budgets, single = _check_curve(validation, n, estimator, pool="validation scores")
    means, counts, _ = _average_ties(validation, test)
    curve = sign * _best_of(
        means, np.cumsum(counts), validation.size, budgets, estimator
    )
    return float(curve[0]) if single else curve


def _check_pool(
    validation, test, minimize, names=("validation", "test"), min_size=1, squared=False
):
    """Return what runs are chosen by, what is reported of them, both higher better, and
    the sign for that.

    What runs are chosen by has equal numbers where only rounding makes a difference;
    and so has what is reported, if nothing else makes one in all of it.
    """
    sign = -1.0 if check_direction(minimize, validation, test) else 1.0
    check_aligned(**dict(zip(names, (validation, test), strict=True)))
    chosen_by = reported = sign * check_scores(
        validation, names[0], min_size=min_size, squared=squared
    )
    if test is not None:
        reported = sign * check_scores(
            test, names[1], min_size=min_size, squared=squared
        )
        check_same_length(chosen_by, reported, *names)
    noise = rounding(validation if test is None else test) * np.abs(reported).max()
    if np.ptp(reported) <= noise:
        reported = np.full(reported.size, reported.min())
    return levels(chosen_by, rounding(validation)), reported, sign


def _average_ties(validation, test):
    """Return the mean test score at each level of validation, the number of runs there,
    each run's level.
    """
    values, member = np.unique(validation, return_inverse=True)
    counts = np.bincount(member)
    # Chosen with equal probability among ties: the mean, taken about a member so that
    # equal test scores give exactly that score.
    anchor = np.zeros(len(values))
    anchor[member] = test
    return (
        anchor + np.bincount(member, weights=test - anchor[member]) / counts,
        counts,
        member,
    )


def boo_gaussian(validation, test=None, *, n, minimize=False):
    """Estimate Boo_n as if validation and test scores were normal together.

    Parameters
    ----------
    validation : array_like of float, shape (N,)
        At least two.
    test : array_like of float, shape (N,), optional
        By default the validation scores themselves.
    n : int or array_like of int
    minimize : bool, default False

    Returns
    -------
    float or ndarray of float
        mean(test) + correlation * sd(test) * `gaussian_expected_max(n)`, with ddof = 1.

    Notes
    -----
    If all validation scores are equal, the choice is a random one and the result is the
    mean. Scores that differ by rounding alone are equal. Series are paired by position
    only where their labels agree.

    Size: linear in the scores, 10 million take 6 s; budgets as for
    `gaussian_expected_max`.

    References
    ----------
    Bajgar, Kadlec and Kleindienst (2018), A Boo(n) for Evaluating Architecture
    Performance, arXiv:1807.01961, Equation 6 and Appendix A.
    """
    validation, test, sign = _check_pool(
        validation, test, minimize, min_size=2, squared=True
    )
    budgets, single = check_budgets(n, "n")
    mean = test[0] + np.mean(test - test[0])
    if np.ptp(validation) == 0 or np.ptp(test) == 0:
        slope = 0.0
    else:
        # correlation * sd(test) is the covariance over sd(validation).
        slope = np.cov(validation, test)[0, 1] / np.std(validation, ddof=1)
    curve = sign * (mean + slope * gaussian_expected_max(budgets))
    return float(curve[0]) if single else curve


# --------------------------------------------------------------------------------------
# Bands
# --------------------------------------------------------------------------------------


@functools.lru_cache  # SciPy inverts the statistic's distribution anew each time: 3 ms
def _cdf_half_width(size, confidence_level, method):
    """Return how far the empirical distribution function may be from the true one,
    anywhere.
    """
    if method == "dkw":
        return min(1.0, np.sqrt(np.log(2 / (1 - confidence_level)) / (2 * size)))
    return float(stats.kstwo.ppf(confidence_level, size))


def expected_max_band(
    scores, n, *, bounds, confidence_level=0.95, method="ks", minimize=False
):
    """Compute a band that holds the whole curve of the expected best of n at once.

    Parameters
    ----------
    scores : array_like of float, shape (N,)
        Scores of independent runs.
    n : int or array_like of int
        Budgets, of any size: the band holds for all of them together, also those above
        N.
    bounds : pair of float
        The lowest and the highest score there can be, (0, 1) for an accuracy. Where an
        end is infinite, so is that side of the band: a mean can be moved at will by
        rare extreme scores.
    confidence_level : float, default 0.95
    method : {"ks", "dkw"}, default "ks"
        "ks" takes the exact quantile of the Kolmogorov-Smirnov statistic for N; "dkw"
        the simpler and slightly wider Dvoretzky-Kiefer-Wolfowitz bound with Massart's
        constant.
    minimize : bool, default False

    Returns
    -------
    Band
        `simultaneous` is True. What varies in it is the sample of runs.

    Notes
    -----
    With the confidence level, the true distribution function F lies within the
    half-width of the empirical one everywhere. E[best of n] = b - integral of F(x)^n
    from a to b falls as F rises, so the two edges of the band around F give the two
    edges of the band for every n. It assumes no shape of F. It is conservative, more so
    when scores tie: a band of 95 % held the whole curve of normal scores in each of 500
    samples of 10, 30 and 100 (`lab.experiments.error_rates`, table `bands`).

    Size: 10 million scores take 5 s.

    References
    ----------
    Massart (1990), The Tight Constant in the Dvoretzky-Kiefer-Wolfowitz Inequality, The
    Annals of Probability; Lourie, Cho and He (2024), Show Your Work with Confidence:
    Confidence Bands for Tuning Curves, NAACL.
    """
    minimize = check_direction(minimize, scores)
    scores = check_scores(scores, "scores")
    low, high = check_bounds(bounds, scores)
    budgets, _ = check_budgets(n, "n")
    level = check_level(confidence_level)
    check_choice(method, "method", ("ks", "dkw"))
    if minimize:
        scores, low, high = -scores, -high, -low
    half_width = _cdf_half_width(scores.size, level, method)
    scores.sort()
    shares = np.arange(scores.size + 1) / scores.size
    # The highest F the band allows gives the lower edge, the lowest F the upper one.
    pessimistic = np.full(len(budgets), -np.inf)
    optimistic = np.full(len(budgets), np.inf)
    if np.isfinite(low):
        levels = np.minimum(shares[:-1] + half_width, 1)
        pessimistic = _expectation(np.append(low, scores), levels, budgets)
    if np.isfinite(high):
        levels = np.maximum(shares[1:] - half_width, 0)
        optimistic = _expectation(np.append(scores, high), levels, budgets)
    if minimize:
        pessimistic, optimistic = -optimistic, -pessimistic
    return Band(
        budgets,
        pessimistic,
        optimistic,
        level,
        f"{method} band, scores in {bounds}",
        True,
    )


def _expectation(points, levels, budgets):
    """Return points[-1] - integral of F^n, where F is levels[k] from points[k] to
    points[k + 1].
    """
    with np.errstate(divide="ignore"):
        log_levels = np.log(levels)
    return _subtract_gaps(
        points, _v_cells(log_levels, budgets, _tiny(points)), len(budgets)
    )


def _jackknife_of_u(validation, test, n, alone, names=("scores", "n")):
    """Return U of the best of n by validation, its variance by the jackknife, and
    degrees of freedom.

    The degrees of freedom are the number of runs that would carry the variance if they
    did so evenly: of the squared influences, the square of the sum over the sum of
    squares. A few runs carry most of it as soon as n is no small part of the pool;
    Student's t with N - 1 would be too sure.
    """
    size = validation.size
    if size < FEWEST_TRIALS or n * TRIALS_PER_RUN > size:
        raise ValueError(
            f"{names[0]} must hold at least {FEWEST_TRIALS} runs, and {TRIALS_PER_RUN}"
            f" times the budget {names[1]}, for an interval that holds; got {size:,}"
            f" runs for the best of {n:,}. expected_max_band holds at any size, and is"
            " wide"
        )
    means, counts, member = _average_ties(validation, test - test[0])
    ranks = np.cumsum(counts)
    # Without a run, a level has one less up to its own and above it, and as many below.
    below = _chances(np.minimum(ranks, size - 1), size - 1, n)
    above = _chances(ranks - 1, size - 1, n)
    from_below = np.cumsum(means * np.diff(below, prepend=0))
    from_above = means * np.diff(above, prepend=0)
    before = np.append(0, from_below[:-1])[member]
    after = np.append(np.cumsum(from_above[::-1])[::-1][1:], 0)[member]
    others = np.maximum(counts - 1, 1)[member]
    own = ((means * counts)[member] - (test - test[0])) / others
    left_out = before + own * (above - np.append(0, below[:-1]))[member] + after
    squares = (left_out - left_out.mean()) ** 2
    if alone and np.ptp(test):
        chances = np.diff(_chances(ranks, size, n), prepend=0) / counts
        _check_values(test, chances[member], names)
    estimate = test[0] + _best_of(means, ranks, size, np.array([n]), "u")[0]
    total = squares.sum() if np.ptp(test) else 0.0
    return (
        estimate,
        (size - 1) / size * total,
        total**2 / (squares**2).sum() if total else size - 1,
    )


def _check_values(test, chances, names):
    """Raise a ValueError where what the best run scores is nearly always one value.

    The chance of that value is not nearly normal, then.

    Parameters
    ----------
    test : ndarray of float, shape (N,)
    chances : ndarray of float, shape (N,)
        Of each run to be the best.
    names : pair of str
        The caller's names for the runs and the budget.
    """
    of_values = np.bincount(np.unique(test, return_inverse=True)[1], weights=chances)
    effective = 1 / (of_values**2).sum()
    if effective < FEWEST_VALUES:
        raise ValueError(
            f"{names[0]} must differ near the best for an interval: the best of "
            f"{names[1]} runs is the same score in {of_values.max():.0%} of cases, and "
            f"counts as {effective:.1f} different ones, fewer than {FEWEST_VALUES}. "
            "expected_max_band holds at any size; and where a run succeeds or fails, "
            "expected_max_interval of 0 and 1 does"
        )


def _chances(ranks, size, n):
    """Return C(rank, n) / C(size, n) for each rank."""
    chances = np.zeros(ranks.size)
    for _, first, p in _u_cells(ranks.astype(float), size, np.array([n]), 2.0**-_BITS):
        chances[first:] = p[0]
    return chances


def expected_max_interval(
    scores, n, *, test=None, minimize=False, confidence_level=0.95
):
    """Compute an interval for the expected best score of n runs, where many more were
    made.

    Parameters
    ----------
    scores : array_like of float, shape (N,), or Trials
        Scores of at least 30 independent runs; with `test`, those on validation, by
        which the best is chosen.
    n : int or array_like of int
        The budget, in runs: at most a fifth of N.
    test : array_like of float, shape (N,), optional
        What is reported of the chosen run: then the interval is for Boo_n.
    minimize : bool, default False
    confidence_level : float, default 0.95

    Returns
    -------
    Interval or Band
        A Band for an array of budgets, each covered on its own.

    Notes
    -----
    About the unbiased estimate U: its variance by the jackknife, and Student's t with
    as many degrees of freedom as runs carry the variance. Not a guarantee, as
    `expected_max_band` is, but many times as narrow. On six pools of recorded runs it
    held, nominally 95 %, in 89 to 99 % of the samples at n = N / 5, and in 94 to 97 %
    at N / 20; it was worst where a single run was far ahead of all others. Beyond these
    limits it is refused. No interval that resamples N runs can know of runs better than
    all of these.

    Runs that succeed or fail (0 or 1, 0 or 100) have Clopper and Pearson's interval of
    the rate p, transformed by 1 - (1 - p)^n: it covers 95 % or more at any N and n
    (`lab.experiments.error_rates`, table `tied`).
    Other runs that tie at the best, as at a ceiling, are refused where the best of n is
    nearly always that one score: as soon as its values count as fewer than two that
    are equally likely (one over the sum of their squared chances). What nobody can see
    is not refused: where three runs in five train nearly alike and the others collapse,
    it covers 78 to 97 % (table `tied`). Say how often runs fail, too.

    Runs whose validation scores differ by rounding alone tie. Series are paired by
    position only where their labels agree.

    Size: up to 2,000,000 scores; each budget in 30 s.

    Examples
    --------
    >>> import numpy as np
    >>> from evalkit import expected_max_interval
    >>> print(expected_max_interval(np.random.default_rng(0).random(100), 5))
    [0.840, 0.926] (95 %, jackknife of U, best of 5)
    """
    alone = test is None
    validation, test, sign = _check_pool(
        scores, test, minimize, ("scores", "test"), squared=True
    )
    budgets, single = check_budgets(n, "n")
    level = check_level(confidence_level)
    what = describe(sign * validation)
    remedy = f"take a random {_MAX_POOL:,} of them"
    check_work(validation.size, _MAX_POOL, f"scores: {validation.size:,}", remedy)
    if alone and what.counted:
        method = "Clopper-Pearson, right or wrong"
        best = 0.0 if sign < 0 else what.top
        n_best = np.count_nonzero(sign * validation == best)
        rates = np.array(clopper_pearson(n_best, validation.size, level))
        # What is lower better comes out of it the other way round.
        found = what.top * (1 - (1 - rates) ** budgets[:, None])
        ends = found if sign > 0 else what.top - found[:, ::-1]
    else:
        method = "jackknife of U"
        jackknifed = [
            _jackknife_of_u(validation, test, n, alone) for n in budgets.tolist()
        ]
        ends = [
            tuple(Difference.from_parts(sign * estimate, [part], level, method))
            for estimate, *part in jackknifed
        ]
    if single:
        low, high = map(float, ends[0])
        return Interval(low, high, level, f"{method}, best of {budgets[0]}")
    return Band(budgets, *np.transpose(ends), level, method, False)


def budget_difference(
    validation_a,
    test_a,
    validation_b,
    test_b,
    n,
    *,
    seconds=None,
    minimize=False,
    confidence_level=0.95,
):
    """Compare two systems at one budget: the test score of the best of n runs, chosen
    on validation.

    Parameters
    ----------
    validation_a : array_like of float, shape (N,), or Trials
        What the best run of A is chosen by; of at least 30 independent runs, such as a
        random search's.
    test_a : array_like of float, shape (N,), or None
        What is reported of the chosen run; None for the validation score, which is too
        good.
    validation_b : array_like of float, shape (M,), or Trials
        Of B; the pools need not be of the same size.
    test_b : array_like of float, shape (M,), or None
    n : int or float
        The budget, in runs of each, or in seconds if `seconds` is given. It may buy a
        fifth of each pool.
    seconds : pair of float, optional
        The mean cost of a run of A and of B. A budget then buys each as many runs as it
        pays for.
    minimize : bool, default False
        Lower is better, for all scores.
    confidence_level : float, default 0.95

    Returns
    -------
    Difference
        Boo_n of A minus that of B, by the unbiased estimate U; the interval is of both
        pools.

    Notes
    -----
    What varies is the search: settings and seeds. The test items stay. Other than
    Equation 7 of Bajgar and others, U does not favour the larger pool. Interval and
    limits are those of `expected_max_interval`. For two searches of 30 to 200 runs,
    drawn from a large pool each, and for two searches from one pool, it contains the
    truth in 94 to 99 % of samples (`lab.experiments.error_rates`).

    Runs whose validation scores differ by rounding alone tie. The validation and the
    test scores of a system, as Series, are paired by position only where their labels
    agree.

    Size: as for `expected_max_interval`.

    References
    ----------
    Bajgar, Kadlec and Kleindienst (2018), A Boo(n) for Evaluating Architecture
    Performance, arXiv:1807.01961; on U, Tang and others (2020), Showing Your Work
    Doesn't Always Work, ACL.

    Examples
    --------
    >>> import numpy as np
    >>> from evalkit import budget_difference
    >>> a, b = np.random.default_rng(0).beta(8, 2, size=(2, 50))
    >>> print(budget_difference(a, None, b, None, 5))
    −0.011 [−0.046, 0.025] (95 %, best of 5 and 5, by U), p = 0.52
    """
    pools = [
        _check_pool(
            validation, test, minimize, (f"validation_{x}", f"test_{x}"), squared=True
        )
        for validation, test, x in (
            (validation_a, test_a, "a"),
            (validation_b, test_b, "b"),
        )
    ]
    level = check_level(confidence_level)
    if seconds is None:
        bought = [check_int(n, "n")] * 2
    else:
        n = check_number(n, "n")
        costs = check_scores(seconds, "seconds", min_size=2)
        if (
            costs.size != 2
            or costs.min() <= 0
            or not costs.max() <= n <= MAX_COUNT * costs.min()
        ):
            raise ValueError(
                "seconds must be two costs above 0, and n must pay for a run of each;"
                f" got {costs} and {n:g}"
            )
        # A budget of exactly three times the cost buys three, whatever the rounding.
        bought = [
            int(count + min(rounding(seconds, [n]) * count, 0.4)) for count in n / costs
        ]
    chosen = (test_a is None, test_b is None)
    estimates = [
        _jackknife_of_u(validation, test, count, alone, (f"validation_{x}", "n"))
        for (validation, test, _), count, alone, x in zip(
            pools, bought, chosen, "ab", strict=True
        )
    ]
    (best_a, *part_a), (best_b, *part_b) = estimates
    name = f"best of {bought[0]} and {bought[1]}, by U"
    difference = best_a - best_b
    reported = (
        validation if test is None else test
        for validation, test in ((validation_a, test_a), (validation_b, test_b))
    )
    if abs(difference) <= rounding(*reported) * max(abs(best_a), abs(best_b)):
        difference = 0.0
    if not (part_a[0] and part_b[0]):  # a rare better run is what the best is about
        names, what = ("the scores of A", "the scores of B"), describe(difference)
        what.refuse_constant(names, difference, ask=False)
    return Difference.from_parts(
        pools[0][2] * difference + 0.0, [part_a, part_b], level, name
    )
