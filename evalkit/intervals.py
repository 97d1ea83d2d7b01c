"""Chapter 4: how far off a number could be.

Whatever the formula, an interval speaks of what was drawn again and again: seeds,
splits or test items. Say which. None of these holds for the K scores of one
cross-validation, whose training sets overlap.
"""

import math
import warnings

import numpy as np
import pandas as pd
from scipy import special, stats

from evalkit._checks import (
    _show,
    as_array,
    check_aligned,
    check_bool,
    check_choice,
    check_int,
    check_level,
    check_number,
    check_rng,
    check_same_length,
    check_scores,
    check_statistic,
    check_work,
    is_number,
    join,
)
from evalkit._groups import (
    check_enough,
    check_groups,
    check_strata,
    correlation_time,
    effective_groups,
    mean_variance_parts,
)
from evalkit._limits import (
    ALTERNATIVES,
    DRAWN_AT_ONCE,
    FEWEST_BLOCKS,
    FEWEST_POSITIONS,
    LONGEST_IGNORED,
    MAX_RESAMPLES,
    MOST_BLOCKS,
    SPREADS,
    TIMES_PER_BLOCK,
)
from evalkit._paired import clustered_share, paired_difference
from evalkit._scores import describe, refuse_one_sided
from evalkit._ties import paired_differences, rounding, statistic_rounding
from evalkit.results import Difference, Equivalence, Interval

_BOOTSTRAPS = ("bca", "percentile", "basic")  # the default first
_FEWEST = 10  # runs, or groups, below which no bootstrap is recommended

# Limits that the docstrings state; `benchmarks/bounds.py` holds the times to them.
_MAX_DRAWN = 1e9  # scores x resamples
_MAX_JACKKNIFE = 20_000  # scores, each left out once


def t_interval(scores, *, confidence_level=0.95):
    """Compute Student's t interval for the mean of independent scores.

    Parameters
    ----------
    scores : array_like of float, shape (n,)
        At least two, each from a draw of its own: seeds, or whole data sets.
    confidence_level : float, default 0.95

    Returns
    -------
    Interval
        (c, c) if every score is c, which says that no spread was seen, and not that
        there is none.

    Notes
    -----
    mean -+ t(n - 1) * s / sqrt(n), where s divides by n - 1 (ddof = 1). Exact for
    normal scores; for skewed ones it is off, more so for few of them: see `coverage`.
    Of answers that are right or wrong it covers too little near 0 and 1: take
    `proportion_interval`.

    Runs that share something are not independent. Of nine runs that are three
    initialisations in three orders of the data, it covers 67 % where the initialisation
    makes all of the variance, and 82 % where it makes half; of the three means per
    initialisation 94 to 95 % (`lab.experiments.error_rates`, table `conditions`).

    Size: linear; 10 million scores take 1 s.

    Examples
    --------
    >>> from evalkit import t_interval
    >>> print(t_interval([0.80, 0.82, 0.84]))
    [0.770, 0.870] (95 %, t)
    """
    scores = check_scores(scores, "scores", min_size=2, squared=True)
    level = check_level(confidence_level)
    if np.ptp(scores) == 0:
        return Interval(float(scores[0]), float(scores[0]), level, "t")
    low, high = stats.t.interval(
        level, scores.size - 1, loc=scores.mean(), scale=stats.sem(scores)
    )
    return Interval(float(low), float(high), level, "t")


def prediction_interval(scores, *, method="auto", confidence_level=0.95):
    """Compute an interval for the next score: that of one more run.

    Parameters
    ----------
    scores : array_like of float, shape (n,)
        Of independent runs, at least two.
    method : {"auto", "t", "order"}, default "auto"
        "t" takes the scores for normal; "order" takes two of the scores themselves and
        assumes no shape, but needs 39 of them at 95 %. "auto" takes "order" as soon as
        there are enough.
    confidence_level : float, default 0.95

    Returns
    -------
    Interval
        (c, c) if every score is c.

    Notes
    -----
    "t": mean -+ t(n - 1) * s * sqrt(1 + 1 / n), exact for normal scores alone: unlike
    that of a mean, this interval does not become right with more scores. "order": with
    k = floor((n + 1) * (1 - level) / 2), from the k-th smallest score to the k-th
    largest. By symmetry the next one is as likely to fall into each of the n + 1 gaps,
    so it lies between them with probability 1 - 2 * k / (n + 1) or, where scores tie,
    more.

    Size: linear; 10 million scores take 2 s.

    References
    ----------
    Hahn and Meeker (1991), Statistical Intervals, Sections 4.7 and 5.4.

    Examples
    --------
    >>> from evalkit import prediction_interval
    >>> print(prediction_interval([0.80, 0.82, 0.84]))
    [0.72, 0.92] (95 %, t, one more run)
    """
    scores = check_scores(scores, "scores", min_size=2, squared=True)
    check_choice(method, "method", ("auto", "t", "order"))
    level = check_level(confidence_level)
    # A whole number but for rounding is one: (39 + 1) * 0.025 is 1.
    rank = math.floor((scores.size + 1) * (1 - level) / 2 + 1e-9)
    if method == "auto":
        method = "order" if rank else "t"
    name = f"{'t' if method == 't' else 'order statistics'}, one more run"
    if method == "order":
        if not rank:
            needed = math.ceil(2 / (1 - level) - 1 - 1e-9)
            raise ValueError(
                f"scores needs at least {needed:,} values for method='order', got"
                f" {scores.size}"
            )
        ends = [rank - 1, scores.size - rank]
        low, high = np.partition(scores, ends)[ends]
    elif np.ptp(scores) == 0:
        low = high = scores[0]
    else:
        scale = scores.std(ddof=1) * math.sqrt(1 + 1 / scores.size)
        low, high = stats.t.interval(
            level, scores.size - 1, loc=scores.mean(), scale=scale
        )
    return Interval(float(low), float(high), level, name)


def _check_drawn(size, n_resamples):
    check_work(
        size * n_resamples,
        _MAX_DRAWN,
        f"scores: {size:,} with n_resamples={n_resamples:,}",
        f"scores times resamples may be {_MAX_DRAWN:,.0f}; take fewer resamples, or"
        " t_interval for a mean and proportion_interval for a proportion, which at"
        " this size say the same",
    )


def _bootstrap(
    samples,
    statistic,
    vectorized,
    *,
    left_out,
    slack,
    paired=False,
    method,
    level,
    n_resamples,
    rng,
):
    """Return the ends of a bootstrap interval.

    Parameters
    ----------
    samples : tuple of ndarray
    statistic : callable
    vectorized, paired : bool
        As for `scipy.stats.bootstrap`, which draws.
    left_out : list of ndarray, or None
        For each sample the statistic without each of its items, where that has a
        formula; computed item by item if None. Paired samples are one.
    slack : float
        What differs by no more from the estimate is equal to it but for rounding.
    method, level, n_resamples, rng
        As `_check_bootstrap` returns them.
    """
    size = max(len(sample) for sample in samples)
    _check_drawn(size, n_resamples)
    if method == "bca" and left_out is None:
        check_work(
            size,
            _MAX_JACKKNIFE,
            f"scores: {size:,} with method='bca' and this statistic",
            f"the jackknife computes it once without each of at most {_MAX_JACKKNIFE:,}"
            " scores; use method='percentile'",
        )
    with warnings.catch_warnings():
        # A constant has its own answer below.
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        result = stats.bootstrap(
            samples,
            statistic,
            paired=paired,
            vectorized=vectorized,
            confidence_level=level,
            method="percentile" if method == "bca" else method,
            n_resamples=n_resamples,
            rng=rng,
            batch=max(1, DRAWN_AT_ONCE // size),
        )
    drawn = result.bootstrap_distribution
    if undefined := np.count_nonzero(~np.isfinite(drawn)):
        raise ValueError(
            f"statistic must be defined on every resample; on {undefined} of"
            f" {drawn.size} it was not finite"
        )
    if np.ptp(drawn) <= slack:
        return float(drawn[0]), float(drawn[0])
    if method != "bca":
        return tuple(map(float, result.confidence_interval))
    if left_out is None:
        left_out = _each_left_out(samples, statistic, paired)
    return _bca_ends(drawn, float(statistic(*samples)), left_out, level, slack)


def _each_left_out(samples, statistic, paired):
    """Return, for each sample that is drawn on its own, the statistic without each of
    its items.
    """
    if paired:
        pairs = range(len(samples[0]))
        return [
            np.array(
                [
                    statistic(*(np.delete(sample, i) for sample in samples))
                    for i in pairs
                ]
            )
        ]
    left_out = []
    for j, sample in enumerate(samples):
        before, after = samples[:j], samples[j + 1 :]
        values = [
            statistic(*before, np.delete(sample, i), *after) for i in range(len(sample))
        ]
        left_out.append(np.array(values))
    return left_out


def _bca_ends(drawn, estimate, left_out, level, slack):
    """Return the ends of Efron's BCa interval, its bias correction right for ties.

    SciPy's takes a resample that equals the estimate on paper for smaller or larger as
    the last bit of its sum falls. Of scores with few digits, that is every tenth
    resample or more.
    """
    share = (np.mean(drawn < estimate - slack) + np.mean(drawn <= estimate + slack)) / 2
    if share in (0, 1):
        raise ValueError(
            "statistic: every resample lies on one side of the estimate, so BCa has no"
            " bias correction; use method='percentile'"
        )
    # The influence of each item; where the jackknife sees none, there is no skewness
    # for it to see.
    influence = [
        (len(values) - 1) * (values.mean() - values) / len(values)
        for values in left_out
    ]
    largest = max(np.abs(values).max() for values in influence)
    acceleration = 0.0
    if largest > rounding() * max(np.abs(values).max() for values in left_out):
        # Cubes of small numbers stay numbers.
        influence = [values / largest for values in influence]
        cubes = sum((values**3).sum() for values in influence)
        squares = sum((values**2).sum() for values in influence)
        acceleration = cubes / (6 * squares**1.5)
    bias, ends = special.ndtri(share), []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = bias + special.ndtri(tail)
        # Past its pole the formula turns back: there the end is the last resample on
        # that side.
        stretched = (
            z / (1 - acceleration * z)
            if acceleration * z < 1
            else np.copysign(np.inf, z)
        )
        ends.append(np.quantile(drawn, special.ndtr(bias + stretched)))
    return float(ends[0]), float(ends[1])


def _check_bootstrap(method, confidence_level, n_resamples, rng):
    """Return the options that every bootstrap here shares, as `_bootstrap` takes
    them.
    """
    return {
        "method": check_choice(method, "method", _BOOTSTRAPS),
        "level": check_level(confidence_level),
        "n_resamples": check_int(n_resamples, "n_resamples", low=2, high=MAX_RESAMPLES),
        "rng": check_rng(rng),
    }


def bootstrap_interval(
    scores,
    statistic=np.mean,
    *,
    method="bca",
    confidence_level=0.95,
    n_resamples=9999,
    rng=None,
):
    """Compute a bootstrap interval for a statistic of independent scores.

    Parameters
    ----------
    scores : array_like of float, shape (n,)
        At least two; the interval of two ends at these.
    statistic : callable, default numpy.mean
        From an array to a number; with an `axis` argument it is called once for all
        resamples.
    method : {"bca", "percentile", "basic"}, default "bca"
    confidence_level : float, default 0.95
    n_resamples : int, default 9999
    rng : None, int or numpy.random.Generator
        The same seed gives the same interval.

    Returns
    -------
    Interval
        (c, c) if the statistic is c for every resample.

    Raises
    ------
    ValueError
        Also if `statistic` does not return one finite number, or BCa is not defined for
        it.

    Notes
    -----
    Resamples are drawn by `scipy.stats.bootstrap`; the ends of BCa are our own. In its
    bias correction a resample that equals the estimate on paper counts as equal, which
    SciPy leaves to the last bit of a sum, and where the jackknife sees no variation,
    where SciPy gives NaN, the acceleration is 0. No bootstrap mends a sample of three
    to five scores: it has seen no others. For a maximum it fails at any size; see
    `evalkit.expected_max_band`. Scores that are all right, or all wrong, are refused:
    of ten with a success rate of .95 that is six samples in ten, and (1, 1) would miss
    the truth in each. Where both were seen, BCa covers 95 % or more of the success
    rates .5 to .95 from 20 scores on (`lab.experiments.error_rates`, table
    `success_rates`); `proportion_interval` needs one score.

    Size: up to 10,000,000 resamples, and scores times resamples up to 1,000,000,000, in
    20 s and 500 MB for a mean: 100,000 scores with `n_resamples` as it is. The
    jackknife of a mean is linear; of another statistic it takes as many calls as there
    are scores, and BCa at most 20,000 of them.

    References
    ----------
    Efron (1987), Better Bootstrap Confidence Intervals, Journal of the American
    Statistical Association.
    """
    given, scores = scores, check_scores(scores, "scores", min_size=2, squared=True)
    options = _check_bootstrap(method, confidence_level, n_resamples, rng)
    left_out = [_means_left_out(scores)] if statistic is np.mean else None
    statistic, vectorized = check_statistic(statistic, scores)
    refuse_one_sided(scores)
    if np.ptp(scores) == 0:
        low = high = float(statistic(scores))
    else:
        slack = statistic_rounding(statistic, (scores,), rounding(given))
        low, high = _bootstrap(
            (scores,), statistic, vectorized, left_out=left_out, slack=slack, **options
        )
    return Interval(low, high, options["level"], method)


def _means_left_out(scores):
    """Return the mean without each score, about one of them so that equal scores give
    equal means.
    """
    above = scores - scores[0]
    return scores[0] + (above.sum() - above) / (scores.size - 1)


def _choose_method(method, is_mean, size, name="scores_a and scores_b", unit="values"):
    """Return "t" for a mean and "bca" for anything else, if "auto" is asked for and
    there is enough.
    """
    check_choice(method, "method", ("auto", "t", *_BOOTSTRAPS))
    if method == "t" and not is_mean:
        raise ValueError(
            "method must be a bootstrap for a statistic other than the mean, got 't'"
        )
    if method == "auto" and not is_mean and size < _FEWEST:
        raise ValueError(
            f"{name} must hold at least {_FEWEST} {unit} for a statistic other than the"
            f" mean, got {size:.3g}: a bootstrap of fewer covers too little. Show the"
            " scores themselves, or take the mean"
        )
    if method == "auto":
        return "t" if is_mean else "bca"
    return method


def difference_interval(
    scores_a,
    scores_b,
    statistic=np.mean,
    *,
    paired,
    method="auto",
    ids=None,
    decimals=None,
    confidence_level=0.95,
    n_resamples=9999,
    rng=None,
):
    """Compute an interval for the difference of a statistic between two systems.

    Parameters
    ----------
    scores_a, scores_b : array_like of float
        At least two each; of equal length and order if paired. Scores, not their mean
        and standard deviation: for these there is `from_summary`.
    statistic : callable, default numpy.mean
    paired : bool
        True if score i of both comes from the same split, seed or item; there is no
        default, for the wrong one gives an interval that is too wide or too narrow.
    method : {"auto", "t", "bca", "percentile", "basic"}, default "auto"
        "t", for means, is Welch's if unpaired, and Student's of the differences if
        paired. "auto" is that for means and "bca" for another statistic, which it
        refuses below ten scores each.
    ids : pair of array_like, optional
        The ids of the items of A and of B, if paired: they are joined by id, whatever
        their order. Without them, Series are paired by position only where their labels
        agree.
    decimals : int or pair of (int or None), optional
        To how many decimals the scores were rounded, or those of each system: (2, None)
        if A's were and B's were not. Without it this is read off both systems together,
        six at most. Whole numbers, and shares in tenths, are taken for exact unless it
        is said that they were rounded. A coarser grid cannot be said.
    confidence_level, n_resamples, rng
        As for `bootstrap_interval`.

    Returns
    -------
    Difference or Interval
        For statistic(A) - statistic(B). With "t" a Difference, which has the test as
        well (`pvalue`).

    Raises
    ------
    ValueError
        Also where the scores do not vary, unless `decimals` says that they were
        rounded: nothing is known of what was not seen to vary. And where a rounding
        that was read off would alone decide.

    Notes
    -----
    The method names what the scores are taken for: right or wrong, whole numbers, or
    rounded. Scores of a system that scatter by less than half of their last digit, h,
    may all have been rounded the same way: by "t" the variance of its mean is then
    larger by a third of h^2 - s^2, where s^2 is their own; and pairs whose differences
    scatter less than rounding makes them get what they lack. That holds on average over
    where the true means lie between two digits, not at the worst place. Simulated for
    3 to 10 runs a side, SDs of a fiftieth of a digit to two, it covers 94 % or more
    (`lab.experiments.error_rates`, table `rounded`). A bootstrap takes no account of
    rounding. Where few pairs tell two systems apart, right or wrong, "t" gives Tango's
    score interval, as `crossed_difference` does.

    A bootstrap of few runs is too short, whichever its kind; the chapter on intervals
    counts how often.

    Size: "t" is linear; the others as for `bootstrap_interval`, by the longer of the
    two.

    References
    ----------
    Welch (1947), The Generalization of "Student's" Problem when Several Different
    Population Variances are Involved, Biometrika.

    Examples
    --------
    >>> from evalkit import difference_interval
    >>> print(difference_interval([0.81, 0.83, 0.82], [0.79, 0.80, 0.81], paired=False))
    +0.020 [−0.003, 0.043] (95 %, Welch t), p = 0.0705
    """
    paired = check_bool(paired, "paired")
    if ids is not None and not paired:
        raise ValueError(
            "ids must be left out where paired is False: nothing is joined"
        )
    if paired:
        scores_a, scores_b = join(ids, scores_a=scores_a, scores_b=scores_b)
    given = scores_a, scores_b
    scores_a, scores_b = (
        _check_runs(scores_a, "scores_a"),
        _check_runs(scores_b, "scores_b"),
    )
    if paired:
        check_same_length(scores_a, scores_b, "scores_a", "scores_b")
    is_mean = statistic is np.mean
    statistic, vectorized = check_statistic(statistic, scores_a, scores_b)
    method = _choose_method(method, is_mean, min(scores_a.size, scores_b.size))
    what = describe(*given, decimals=decimals)
    options = _check_bootstrap(
        "bca" if method == "t" else method, confidence_level, n_resamples, rng
    )
    samples, share = (scores_a, scores_b), rounding(*given)
    if paired:
        differences, noise = paired_differences(*given)
        compared, noises = [differences], [noise]
    else:
        compared = list(samples)
        noises = [share * np.abs(scores) for scores in samples]
    # The variance of equal numbers is not quite 0.
    parts = [
        (
            part.std(ddof=1) ** 2 / part.size * (np.ptp(part) > noise.max()),
            part.size - 1,
        )
        for part, noise in zip(compared, noises, strict=True)
    ]
    names, by_count = ("scores_a", "scores_b"), paired and what.counted
    varies = by_count or any(part for part, _ in parts)
    if not varies and not (what.said and method == "t"):
        unit = "differences" if paired else "scores of either"
        difference, ask = scores_a.mean() - scores_b.mean(), method == "t"
        what.refuse_constant(names, difference, unit, ask=ask)
    if method == "t":
        return _difference_by_t(what, samples, compared, parts, options["level"])
    if paired and is_mean:
        # The same, with one rounding less: a large score that both share drowns no
        # difference.
        left_out, slack = [_means_left_out(differences)], noise.mean()
        ends = _bootstrap(
            (differences,),
            statistic,
            vectorized,
            left_out=left_out,
            slack=slack,
            **options,
        )
    else:
        ends = _difference_by_bootstrap(
            samples, statistic, vectorized, is_mean, share, paired, options
        )
    if ends[0] == ends[1]:
        unit = "statistic is the same in every resample, or the scores"
        what.refuse_constant(names, ends[0], unit, ask=False)
    return Interval(
        *ends, options["level"], f"{'paired' if paired else 'unpaired'} {method}"
    )


def _check_runs(scores, name):
    runs = check_scores([scores] if is_number(scores) else scores, name, squared=True)
    if runs.size < 2:
        raise ValueError(
            f"{name} must hold the scores of two runs or more, got {runs[0]:g}: for"
            " means take from_summary((mean, sd, n_runs), (mean, sd, n_runs),"
            " spread='sd'); for one run beside several, prediction_interval(several);"
            " for one run each, mcnemar_range(correct_a, correct_b, n)"
        )
    return runs


def _difference_by_bootstrap(
    samples, statistic, vectorized, is_mean, share, paired, options
):
    """Return the ends of the bootstrap interval of the statistic of A minus that of
    B.
    """

    def difference(a, b, **axis):
        return statistic(a, **axis) - statistic(b, **axis)

    left_out = None
    if is_mean:
        scores_a, scores_b = samples
        left_out = [
            _means_left_out(scores_a) - scores_b.mean(),
            scores_a.mean() - _means_left_out(scores_b),
        ]
    slack = statistic_rounding(difference, samples, share)
    return _bootstrap(
        samples,
        difference,
        vectorized,
        left_out=left_out,
        slack=slack,
        paired=paired,
        **options,
    )


def _difference_by_t(what, scores, compared, parts, level):
    """Return Welch's interval of two samples, and Student's of paired differences.

    Parameters
    ----------
    what : Scores
    scores : pair of ndarray of float
        Of both systems.
    compared : list of ndarray of float
        The same two, or one of their paired differences.
    parts : list of (float, float)
        Of the variance, one for each of what is compared.
    level : float

    Returns
    -------
    Difference
    """
    pairs = compared[0] if len(compared) == 1 else None
    rounded = what.rounding_parts(*scores, pairs)
    words = what.words(rounded=bool(rounded))
    difference = float(scores[0].mean() - scores[1].mean())
    if not (what.counted or any(part for part, _ in parts + rounded)):
        what.refuse_constant(("scores_a", "scores_b"), difference, "scores", ask=False)

    def interval(parts):
        if pairs is None:
            return Difference.from_parts(difference, parts, level, f"Welch t{words}")
        return paired_difference(pairs, parts, level, f"paired t{words}", what=what)

    result = interval(parts + rounded)
    if rounded:
        what.check_decisive(interval(parts).pvalue, result.pvalue)
    return result


def from_summary(a, b, *, spread, decimals=None, confidence_level=0.95):
    """Compute Welch's interval and test of a difference from what papers print: mean,
    spread, number of runs.

    Parameters
    ----------
    a, b : tuple of (float, float, int)
        For each system its mean, its spread and how many runs they are of, at least
        two: (91.3, 0.4, 5).
    spread : {"sd", "se"}
        Whether the spread is the standard deviation of the runs, or the standard error
        of their mean. There is no default: for five runs the one is more than twice the
        other.
    decimals : int or pair of (int or None), optional
        To how many decimals the means are printed, or each of them: (1, None) for a
        printed one and one of your own. Without it the fewest that write both, six at
        most. Whole numbers are taken for exact unless 0 says otherwise.
    confidence_level : float, default 0.95

    Returns
    -------
    Difference

    Raises
    ------
    ValueError
        Also where both spreads are 0 to the digits printed, unless `decimals` says how
        many these are: nothing follows from no scatter.

    Notes
    -----
    The runs must be independent: seeds, or different data. Splits of one data set are
    not. The same as `difference_interval` gives for the runs themselves, but for the
    rounding of what was printed: each mean is up to half a digit off, however many runs
    it is of, and a third of the square of that is added to the variance for each. So it
    holds on average over where the true means lie between two digits, not at the worst
    place. Simulated for 3 to 10 runs whose SD is a fiftieth to two of the last digit,
    it covers 94 % or more. A spread printed as 0 is taken for half of its last digit.

    Size: at once.

    Examples
    --------
    >>> from evalkit import from_summary
    >>> result = from_summary((91.3, 0.4, 5), (90.6, 0.5, 3), spread="sd")
    >>> round(result.difference, 2), round(result.pvalue, 3), result.method
    (0.7, 0.116, 'Welch t, from summaries, rounded to 1 decimal (read off)')
    """
    check_choice(spread, "spread", SPREADS)
    level = check_level(confidence_level)
    means, widths, counts = [], [], []
    for triple, name in ((a, "a"), (b, "b")):
        if as_array(triple, name).shape != (3,):
            raise TypeError(
                f"{name} must be a mean, a spread and a number of runs, got"
                f" {_show(triple)}"
            )
        mean, width, n = check_scores(triple, name, squared=True).tolist()
        n = check_int(
            int(n) if n.is_integer() else n, f"{name}, its number of runs,", low=2
        )
        if width < 0:
            raise ValueError(f"{name} must have a spread of at least 0, got {width:g}")
        means.append(mean)
        widths.append(width)
        counts.append(n)
    what = describe(means[:1], means[1:], decimals=decimals)
    # A spread of 0 is half of a digit at most, of as many as are printed.
    printed = max(d or 0 for d in (*what.decimals, describe(widths).digits))
    least = 0.5 * 10.0**-printed if any(what.halves) else 0.0
    if max(widths) <= least / 2 and what.said is None:
        names = "the spreads of a", "the spreads of b"
        what.refuse_constant(names, means[0] - means[1], "runs")
    # A standard error is that of the mean already.
    divisors = counts if spread == "sd" else [1, 1]
    parts = [
        ((width or least) ** 2 / divisor, n - 1)
        for width, divisor, n in zip(widths, divisors, counts, strict=True)
    ]
    if not sum(part for part, _ in parts):
        what.refuse_constant(("a", "b"), means[0] - means[1], "runs")
    # Each mean was rounded once, after averaging.
    parts += [(half**2 / 3, math.inf) for half in what.halves if half]
    name = f"Welch t, from summaries{what.words(rounded=True)}"
    return Difference.from_parts(means[0] - means[1], parts, level, name)


def equivalence(difference, margin, *, alpha=0.05, alternative="two-sided"):
    """Ask whether two systems are as good as each other, up to a margin that would not
    matter.

    Parameters
    ----------
    difference : Difference
        As `difference_interval`, `from_summary`, `crossed_difference` and
        `budget_difference` return it.
    margin : float
        The largest difference that does not matter, above 0. Fix it before you look.
    alpha : float, default 0.05
        Below 0.5.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        What is to be shown. "two-sided": that neither is better by more than the
        margin. "greater": that A is not lower by more, whatever it gains
        (non-inferiority, where higher is better); "less": that A is not higher by more.

    Returns
    -------
    Equivalence

    Notes
    -----
    The systems are equivalent if the interval of the level 1 - 2 alpha lies inside the
    margin: the same as two one-sided t tests that both reject at alpha. A large p-value
    of a test of no difference does not say this; it may come from too little data.
    Non-inferiority asks for one end of that interval alone, and for one of the tests.

    The chances `better`, `same` and `worse` are those of a Bayesian who knew nothing
    before: the difference minus its estimate, over its standard error, has Student's t
    distribution (for paired differences exactly so, under the flat prior; for Welch's t
    and others nearly).

    Where few items tell two systems apart the test is Tango's, corrected for
    continuity, and keeps its level (at most 5 %, by exact summation); Student's t would
    err in up to 40 %. From 20 such items on it is Student's: if nearly all of them
    speak for one system it errs in 6 %, and in 9 % at worst
    (`lab.experiments.error_rates`, table `near_one`). For skewed scores it keeps no
    level: of five paired differences that are exponential it errs in about one case of
    six, of twenty in one of nine (table `skewed_pairs`).

    Size: at once.

    References
    ----------
    On two one-sided tests, Schuirmann (1987), A Comparison of the Two One-Sided Tests
    Procedure and the Power Approach for Assessing the Equivalence of Average
    Bioavailability, Journal of Pharmacokinetics and Biopharmaceutics; on the region of
    practical equivalence, Benavoli, Corani, Demsar and Zaffalon (2017), Time for a
    Change: A Tutorial for Comparing Multiple Classifiers Through Bayesian Analysis,
    Journal of Machine Learning Research.

    Examples
    --------
    >>> from evalkit import equivalence, from_summary
    >>> difference = from_summary((91.3, 0.4, 9), (91.2, 0.4, 9), spread="sd")
    >>> result = equivalence(difference, 0.6)
    >>> result.equivalent, round(result.same, 2)
    (True, 0.99)
    """
    if not isinstance(difference, Difference):
        raise TypeError(
            "difference must be a Difference, as difference_interval gives it, got"
            f" {_show(difference)}"
        )
    margin, alpha = check_number(margin, "margin"), check_level(alpha, "alpha")
    if margin <= 0:
        raise ValueError(f"margin must be above 0, got {margin:g}")
    if alpha >= 0.5:
        raise ValueError(f"alpha must be below 0.5, got {alpha:g}")
    check_choice(alternative, "alternative", ALTERNATIVES)
    tests = dict(
        zip(("greater", "less"), difference.one_sided(-margin, margin), strict=True)
    )
    pvalue = tests.get(alternative, max(tests.values()))
    worse, better = difference.one_sided(-margin, margin, cautious=False)
    same, interval = max(1 - better - worse, 0.0), difference.at(1 - 2 * alpha)
    shown = {"greater": -margin < interval.low, "less": interval.high < margin}
    return Equivalence(
        shown.get(alternative, all(shown.values())),
        margin,
        interval,
        pvalue,
        better,
        same,
        worse,
        alternative,
    )


def group_interval(
    scores,
    groups=None,
    statistic=np.mean,
    *,
    method="auto",
    strata=None,
    confidence_level=0.95,
    n_resamples=9999,
    rng=None,
):
    """Compute an interval when scores come in groups that stand or fall together.

    Parameters
    ----------
    scores : array_like of float, shape (n,)
        One score per item: 1 for a right answer, 0 for a wrong one.
    groups : array_like, shape (n,)
        The group of each item: its document, its speaker, its module. At least two
        groups. Series are paired by position only where their labels agree.
    statistic : callable, default numpy.mean
        Of the items of all groups together.
    method : {"auto", "t", "bca", "percentile", "basic"}, default "auto"
        "t", for a mean, takes the CR2 variance and Bell and McCaffrey's degrees of
        freedom; the others draw whole groups with replacement. "auto" is "t" for a
        mean, and "bca" for another statistic.
    strata : array_like, shape (n,), optional
        The class of each item, if the test set fixes how many items of each class there
        are, and groups lie within classes. The mean is then sure of those shares. At
        least two groups of each; for a mean by "t".
    confidence_level, n_resamples, rng
        As for `bootstrap_interval`.

    Returns
    -------
    Interval
        With its `effective_groups`: as many equal groups would say as much.

    Raises
    ------
    ValueError
        Also, with "auto" and "t", where the groups are so few or unequal that no
        interval is known to hold: for a mean fewer than five, or three effective ones;
        for another statistic fewer than ten of these.

    Notes
    -----
    Items of one document resemble each other, so that an interval of single items is
    too short. With few or unequal groups Student's t with one degree of freedom fewer
    than groups fails as well: of twelve groups with half of the items in one it rejects
    a true hypothesis several times too often. CR2 with degrees of freedom of its own
    stays near its level, less near if a few groups are far better or worse than the
    rest.

    Of scores that are all right or wrong, "t" gives Korn and Graubard's interval, which
    stays within [0, 1]: Clopper and Pearson's, on as many independent items as would
    have the same CR2 variance, fewer for the degrees of freedom. Where the rarer of
    right and wrong falls into fewer than four effective groups, each group counts as
    one item. Simulated with 5 to 50 groups, equal and unequal, accuracies .5 to .99 and
    intraclass correlations .02 to .4, it covers 90 % or more everywhere, mostly more
    than 95 % (`lab.experiments.error_rates`, table `group_rates`); Student's t covers
    20 % with five groups at .99. There the size of a group says nothing of its rate.
    Where larger groups are harder, graded scores of 20 groups cover 92 %, of 50 groups
    93 % (table `conditions`), and less where sizes are more unequal.

    Size: "t" is linear, 10 million items take 20 s; a bootstrap of a mean as
    `bootstrap_interval`, with groups for scores; of another statistic items times
    resamples up to 1,000,000,000.

    References
    ----------
    Bell and McCaffrey (2002), Bias Reduction in Standard Errors for Linear Regression
    with Multi-Stage Samples, Survey Methodology; Pustejovsky and Tipton (2018),
    Small-Sample Methods for Cluster-Robust Variance Estimation; Korn and Graubard
    (1998), Confidence Intervals for Proportions with Small Expected Number of Positive
    Counts Estimated from Survey Data.
    """
    if groups is None:
        raise ValueError(
            "groups must name the group of each item, got None: without any,"
            " t_interval(scores)"
        )
    check_aligned(scores=scores, groups=groups, strata=strata)
    given, scores = scores, check_scores(scores, "scores", min_size=2, squared=True)
    members = check_groups(groups, scores)
    classes = (
        np.zeros(scores.size, dtype=int)
        if strata is None
        else check_strata(strata, members)
    )
    effective, is_mean = effective_groups(members), statistic is np.mean
    statistic, _ = check_statistic(statistic, scores)
    method = _choose_method(method, is_mean, effective, "groups", "effective groups")
    options = _check_bootstrap(
        "bca" if method == "t" else method, confidence_level, n_resamples, rng
    )
    if method == "t":
        check_enough(members)
    elif strata is not None:
        raise ValueError(
            f"strata must be left out for a bootstrap, got method={method!r}"
        )
    units = "whole groups" if strata is None else "whole groups in strata"
    level, name = options["level"], f"{method}, {units}"
    what = describe(given)
    if method == "t" and what.counted:
        right = scores / what.top
        parts = mean_variance_parts(right, members, classes)
        low, high = (
            what.top * x for x in clustered_share(right, members, parts, level)
        )
        return Interval(low, high, level, f"Korn and Graubard, {units}", effective)
    if is_mean:
        refuse_one_sided(scores)
    if np.ptp(scores) == 0:
        constant = float(statistic(scores))
        return Interval(constant, constant, level, name, effective)
    if method == "t":
        parts = mean_variance_parts(scores, members, classes)
        low, high = Difference.from_parts(scores.mean(), parts, level, name)
        return Interval(low, high, level, name, effective)
    if is_mean:
        # Sums and counts of groups are all a mean needs: 9,999 resamples in one
        # product.
        sums, counts = np.bincount(members, weights=scores), np.bincount(members)
        left_out = [(sums.sum() - sums) / (counts.sum() - counts)]

        def statistic_of(drawn, axis=-1):
            return sums[drawn].sum(axis=axis) / counts[drawn].sum(axis=axis)

    else:
        left_out = None
        _check_drawn(scores.size, options["n_resamples"])
        items = np.split(
            scores[np.argsort(members, kind="stable")],
            np.cumsum(np.bincount(members))[:-1],
        )

        def statistic_of(drawn):
            return statistic(np.concatenate([items[group] for group in drawn]))

    groups = (np.arange(members.max() + 1),)
    slack = statistic_rounding(statistic, (scores,), rounding(given))
    low, high = _bootstrap(
        groups, statistic_of, is_mean, left_out=left_out, slack=slack, **options
    )
    return Interval(low, high, level, name, effective)


def time_blocks(differences, *, n_blocks=None):
    """Cut a window of time into blocks that may be taken for independent, or say that
    it is too short.

    Parameters
    ----------
    differences : array_like of float, shape (n,)
        Of A and B at each position (day, request, game), or the scores of one system:
        in the order of time, at even steps, at least 40 of them.
    n_blocks : int, optional
        From 8 to as many as the window allows. By default that many, up to 12.

    Returns
    -------
    ndarray of int, shape (n,)
        The block of each position, from 0: the `groups` of `group_interval` and
        `crossed_difference`. Lengths differ by one at most.

    Raises
    ------
    ValueError
        Also where the window is too short for how long its values hang together, and
        where they do not vary.

    Notes
    -----
    Values that follow each other are often alike, and an interval that takes them for
    independent is too short. The integrated autocorrelation time says by how many times
    the variance of their mean grows; it is estimated with a window that ends itself,
    and by an autoregression, whichever is larger. Eight blocks of 3.5 times that are
    needed. A trend counts as a long time: it has no mean that later weeks would
    share.

    Simulated (`lab.experiments.ends`, table `missed`), it refuses 1 to 4 % of windows
    of 40 independent values, and hardly any from 100 on. Where each value resembles the
    one before (a correlation of .9), it refuses all windows of 100, 98 % of 300 and 2 %
    of 1,000. `group_interval` over its blocks then misses in 4 to 8 % from 100
    positions on, where so many as are asked for are there; of the one window in fifty
    that is wrongly answered, in a third. With a correlation of .5 it answers three in
    ten windows of 40, and 18 % of those miss: watch for 100 positions or more. A slow
    change that makes a tenth of the variance shows in no short window: of 300 positions
    21 % miss, of 5,000 6 %.

    Size: linear; 10 million positions take 10 s.

    References
    ----------
    Geyer (1992), Practical Markov Chain Monte Carlo, Statistical Science; Sokal (1997),
    Monte Carlo Methods in Statistical Mechanics: Foundations and New Algorithms.

    Examples
    --------
    >>> import numpy as np
    >>> from evalkit import group_interval, time_blocks
    >>> daily = np.random.default_rng(0).normal(0.02, 0.05, size=60)
    >>> blocks = time_blocks(daily)
    >>> np.bincount(blocks).tolist()
    [8, 7, 8, 7, 8, 7, 8, 7]
    >>> print(group_interval(daily, blocks))
    [0.003, 0.045] (95 %, t, whole groups)
    """
    values = check_scores(
        differences, "differences", min_size=FEWEST_POSITIONS, squared=True
    )
    index = getattr(differences, "index", None)
    dated = isinstance(index, (pd.DatetimeIndex, pd.PeriodIndex))
    if dated and not index.is_monotonic_increasing:
        raise ValueError(
            "differences must be in the order of time, and its index is not: give"
            " differences.sort_index()"
        )
    n = values.size
    if np.ptp(values) <= rounding(differences) * np.abs(values).max():
        raise ValueError(
            f"differences must vary, got {values[0]:g} {n:,} times: nothing shows how"
            " long they hang together, so no interval over time follows"
        )
    time = correlation_time(values)
    needed = math.ceil(FEWEST_BLOCKS * TIMES_PER_BLOCK * time)
    if time > LONGEST_IGNORED and n < needed:
        raise ValueError(
            f"differences must reach over some {needed:,} positions or more, got"
            f" {n:,}: each is like those around it, so that about {time:.3g} count as"
            f" one (a trend does the same), and {FEWEST_BLOCKS} blocks of"
            f" {TIMES_PER_BLOCK} times that are needed. Watch for longer, or speak of"
            " this window alone"
        )
    most = max(FEWEST_BLOCKS, int(n / (TIMES_PER_BLOCK * time)))
    if n_blocks is None:
        n_blocks = min(most, MOST_BLOCKS)
    n_blocks = check_int(
        n_blocks,
        "n_blocks",
        low=FEWEST_BLOCKS,
        high=most,
        high_name=f"{most} here, where about {time:.3g} positions count as one",
    )
    return np.arange(n) * n_blocks // n
