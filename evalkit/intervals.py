"""Chapter 4: how far off a number could be.

Whatever the formula, an interval speaks of what was drawn again and again: seeds, splits or test
items. Say which. None of these holds for the K scores of one cross-validation, whose training sets
overlap.
"""

import inspect
import warnings
from numbers import Real

import numpy as np
import pandas as pd
from scipy import special, stats

from evalkit._checks import (
    check_choice,
    check_int,
    check_level,
    check_rng,
    check_same_length,
    check_scores,
)
from evalkit._results import Coverage, Interval

_METHODS = ("bca", "percentile", "basic")


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
        (c, c) if every score is c.

    Notes
    -----
    mean -+ t(n - 1) * s / sqrt(n), where s divides by n - 1 (ddof = 1). Exact for normal scores;
    for skewed ones it is off, more so for few of them: see `coverage`.

    Examples
    --------
    >>> from evalkit import t_interval
    >>> print(t_interval([0.80, 0.82, 0.84]))
    [0.7703, 0.8697] (95%, t)
    """
    scores = check_scores(scores, "scores", min_size=2)
    level = check_level(confidence_level)
    if np.ptp(scores) == 0:
        return Interval(float(scores[0]), float(scores[0]), level, "t")
    low, high = stats.t.interval(level, scores.size - 1, loc=scores.mean(), scale=stats.sem(scores))
    return Interval(float(low), float(high), level, "t")


def _check_statistic(statistic, *samples):
    """Return (a function that never changes its input, whether it takes `axis`), tried on the data."""
    if not callable(statistic):
        raise TypeError(f"statistic must be a function of one array, got {statistic!r}")
    try:
        takes_axis = "axis" in inspect.signature(statistic).parameters
    except ValueError:  # some built-in functions have no signature
        takes_axis = False

    # A statistic may sort in place; SciPy hands it views of the data.
    def of_rows(sample, axis=-1):
        return statistic(sample.copy(), axis=axis)

    def of_one(sample):
        return statistic(sample.copy())

    for sample in samples:
        value = of_rows(sample) if takes_axis else of_one(sample)
        if not isinstance(value, (Real, np.ndarray)) or np.ndim(value) or not np.isfinite(value):
            raise ValueError(f"statistic must return one finite number for the scores, got {value!r}")
        if takes_axis and np.shape(of_rows(np.stack([sample, sample]))) != (2,):
            raise ValueError("statistic takes `axis` but does not work along it: give it without `axis`")
    return (of_rows, True) if takes_axis else (of_one, False)


def _bootstrap(samples, statistic, vectorized, *, method, level, n_resamples, rng, paired=False):
    """Call SciPy's bootstrap, and mend what it leaves undefined in BCa."""
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)  # mended below
        result = stats.bootstrap(
            samples, statistic, paired=paired, vectorized=vectorized, method=method,
            confidence_level=level, n_resamples=n_resamples, rng=rng,
            batch=max(1, 2_000_000 // max(len(s) for s in samples)),
        )  # fmt: skip
    low, high = result.confidence_interval
    drawn = result.bootstrap_distribution
    if undefined := np.count_nonzero(~np.isfinite(drawn)):
        raise ValueError(
            f"statistic must be defined on every resample; on {undefined} of {drawn.size} it was not finite"
        )
    if np.ptp(drawn) == 0:
        return float(drawn[0]), float(drawn[0])
    if not (np.isfinite(low) and np.isfinite(high)):
        # The jackknife values are all equal, so SciPy's acceleration is 0/0: there is no skewness
        # for it to see, and BCa with acceleration 0 is the bias-corrected interval.
        estimate = statistic(*samples)
        share = (np.mean(drawn < estimate) + np.mean(drawn <= estimate)) / 2
        if share in (0, 1):
            raise ValueError(
                "statistic: every resample lies on one side of the estimate, so BCa has no bias "
                "correction; use method='percentile'"
            )
        z = 2 * special.ndtri(share)
        tail = special.ndtri((1 - level) / 2)
        low, high = np.quantile(drawn, [special.ndtr(z + tail), special.ndtr(z - tail)])
    return float(low), float(high)


def _check_bootstrap(method, confidence_level, n_resamples, rng):
    """Return the options that every bootstrap here shares, as `_bootstrap` takes them."""
    return {
        "method": check_choice(method, "method", _METHODS),
        "level": check_level(confidence_level),
        "n_resamples": check_int(n_resamples, "n_resamples", low=2),
        "rng": check_rng(rng),
    }


def bootstrap_interval(
    scores, statistic=np.mean, *, method="bca", confidence_level=0.95, n_resamples=9999, rng=None
):
    """Compute a bootstrap interval for a statistic of independent scores.

    Parameters
    ----------
    scores : array_like of float, shape (n,)
        At least two.
    statistic : callable, default numpy.mean
        From an array to a number; with an `axis` argument it is called once for all resamples.
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
        Also if `statistic` does not return one finite number, or BCa is not defined for it.

    Notes
    -----
    By `scipy.stats.bootstrap`. Where the jackknife sees no variation and SciPy gives NaN, the
    acceleration of BCa is taken as 0. No bootstrap mends a sample of three to five scores: it has
    seen no others. For a maximum it fails at any size; see `evalkit.expected_max_band`.

    References
    ----------
    Efron (1987), Better Bootstrap Confidence Intervals.
    """
    scores = check_scores(scores, "scores", min_size=2)
    options = _check_bootstrap(method, confidence_level, n_resamples, rng)
    statistic, vectorized = _check_statistic(statistic, scores)
    if np.ptp(scores) == 0:
        low = high = float(statistic(scores))
    else:
        low, high = _bootstrap((scores,), statistic, vectorized, **options)
    return Interval(low, high, options["level"], method)


def difference_interval(
    scores_a, scores_b, statistic=np.mean, *, paired, method="bca", confidence_level=0.95,
    n_resamples=9999, rng=None,
):  # fmt: skip
    """Compute a bootstrap interval for the difference of a statistic between two systems.

    Parameters
    ----------
    scores_a, scores_b : array_like of float
        At least two each; of equal length and order if paired.
    statistic : callable, default numpy.mean
    paired : bool
        True if score i of both comes from the same split, seed or item; there is no default, for
        the wrong one gives an interval that is too wide or too narrow.
    method, confidence_level, n_resamples, rng
        As for `bootstrap_interval`.

    Returns
    -------
    Interval
        For statistic(A) - statistic(B).
    """
    scores_a = check_scores(scores_a, "scores_a", min_size=2)
    scores_b = check_scores(scores_b, "scores_b", min_size=2)
    if not isinstance(paired, (bool, np.bool_)):
        raise TypeError(f"paired must be True or False, got {paired!r}")
    if paired:
        check_same_length(scores_a, scores_b, "scores_a", "scores_b")
    options = _check_bootstrap(method, confidence_level, n_resamples, rng)
    statistic, vectorized = _check_statistic(statistic, scores_a, scores_b)

    def difference(a, b, **axis):
        return statistic(a, **axis) - statistic(b, **axis)

    if np.ptp(scores_a) == 0 and np.ptp(scores_b) == 0:
        low = high = float(difference(scores_a, scores_b))
    else:
        samples = (scores_a, scores_b)
        low, high = _bootstrap(samples, difference, vectorized, paired=bool(paired), **options)
    return Interval(low, high, options["level"], f"{'paired' if paired else 'unpaired'} {method}")


def proportion_interval(successes, trials, *, method="clopper-pearson", confidence_level=0.95):
    """Compute an interval for a proportion: an accuracy on independent test items.

    Parameters
    ----------
    successes : int
        From 0 to `trials`.
    trials : int
        At least 1.
    method : {"clopper-pearson", "wilson"}, default "clopper-pearson"
        "clopper-pearson" never covers less than it says, "wilson" is shorter and covers it on
        average.
    confidence_level : float, default 0.95

    Returns
    -------
    Interval

    Notes
    -----
    What varies is the test items, not the training: it says how the same fitted model would do on
    other items of the same kind.

    Examples
    --------
    >>> from evalkit import proportion_interval
    >>> print(proportion_interval(90, 100))
    [0.8238, 0.951] (95%, clopper-pearson)
    """
    trials = check_int(trials, "trials")
    successes = check_int(successes, "successes", low=0, high=trials, high_name=f"trials ({trials})")
    check_choice(method, "method", ("clopper-pearson", "wilson"))
    level = check_level(confidence_level)
    exact = "exact" if method == "clopper-pearson" else "wilson"
    low, high = stats.binomtest(successes, trials).proportion_ci(level, method=exact)
    return Interval(float(low), float(high), level, method)


def group_interval(
    scores, groups, statistic=np.mean, *, method="bca", confidence_level=0.95, n_resamples=9999,
    rng=None,
):  # fmt: skip
    """Compute a bootstrap interval when scores come in groups that stand or fall together.

    Parameters
    ----------
    scores : array_like of float, shape (n,)
        One score per item: 1 for a right answer, 0 for a wrong one.
    groups : array_like, shape (n,)
        The group of each item: its document, its speaker, its module. At least two groups.
    statistic : callable, default numpy.mean
        Of the items of all drawn groups together.
    method, confidence_level, n_resamples, rng
        As for `bootstrap_interval`.

    Returns
    -------
    Interval

    Notes
    -----
    Whole groups are drawn with replacement. Items of one document resemble each other, so drawing
    them one by one makes the interval too short.
    """
    scores = check_scores(scores, "scores", min_size=2)
    members = _check_groups(groups, scores)
    options = _check_bootstrap(method, confidence_level, n_resamples, rng)
    is_mean = statistic is np.mean
    statistic, _ = _check_statistic(statistic, scores)
    if np.ptp(scores) == 0:
        low = high = float(statistic(scores))
        return Interval(low, high, options["level"], f"{method}, whole groups")
    if is_mean:
        # Sums and counts of groups are all a mean needs: 9,999 resamples in one product.
        sums, counts = np.bincount(members, weights=scores), np.bincount(members)

        def of_groups(drawn, axis=-1):
            return sums[drawn].sum(axis=axis) / counts[drawn].sum(axis=axis)

    else:
        items = [scores[members == group] for group in range(members.max() + 1)]

        def of_groups(drawn):
            return statistic(np.concatenate([items[group] for group in drawn]))

    low, high = _bootstrap((np.arange(members.max() + 1),), of_groups, is_mean, **options)
    return Interval(low, high, options["level"], f"{method}, whole groups")


def _check_groups(groups, scores):
    """Return the number of each item's group, from 0."""
    try:
        # Unlike NumPy, pandas keeps a missing group missing among strings. Sorted, so that the order
        # of the items does not matter.
        members = pd.factorize(pd.Series(groups).replace([np.inf, -np.inf], np.nan), sort=True)[0]
    except (TypeError, ValueError) as error:
        raise ValueError(f"groups must be one-dimensional, a name or number for each item: {error}") from None
    check_same_length(scores, members, "scores", "groups")
    if missing := np.count_nonzero(members < 0):
        raise ValueError(
            f"groups must name a group for each item, but {missing} are missing, NaN or infinite"
        )
    if members.max() < 1:
        raise ValueError("groups must hold at least two groups: one group cannot vary")
    return members


def coverage(interval, draw, truth, *, n_samples=1000, rng=None):
    """Simulate how often an interval, or a band, holds the truth.

    Parameters
    ----------
    interval : callable
        From a sample to an `Interval`, a `Band`, or any other pair of low and high.
    draw : callable
        From a `numpy.random.Generator` to a sample.
    truth : float or array_like of float, shape (m,)
        The quantity that the interval is meant to hold; for a band its value at each budget.
    n_samples : int, default 1000
    rng : None, int or numpy.random.Generator

    Returns
    -------
    Coverage

    Examples
    --------
    >>> from evalkit import coverage, t_interval
    >>> result = coverage(t_interval, lambda rng: rng.normal(size=5), 0.0, n_samples=400, rng=0)
    >>> 0.95 in result.interval
    True
    """
    for function, name in ((interval, "interval"), (draw, "draw")):
        if not callable(function):
            raise TypeError(f"{name} must be a function, got {function!r}")
    truth = check_scores(truth, "truth") if np.iterable(truth) else check_scores([truth], "truth")[0]
    n_samples = check_int(n_samples, "n_samples")
    rng = check_rng(rng)
    made = [interval(draw(rng)) for _ in range(n_samples)]
    try:
        low, high = (np.array(ends, dtype=float) for ends in zip(*made, strict=True))
    except (TypeError, ValueError):
        raise TypeError(f"interval must return an Interval, a Band or a pair, got {made[0]!r}") from None
    if np.isnan(low).any() or np.isnan(high).any():
        raise ValueError("interval must not return NaN: a coverage would count it as a miss")
    if low.shape != (n_samples, *np.shape(truth)):
        raise ValueError(f"interval must give one low for each truth: {low.shape[1:]} for {np.shape(truth)}")
    held = (low <= truth) & (truth <= high)
    all_held = held.reshape(n_samples, -1).all(axis=1)
    return Coverage(
        rate=held.mean(axis=0),
        interval=proportion_interval(int(all_held.sum()), n_samples),
        all_rate=float(all_held.mean()),
        below=(high < truth).mean(axis=0),
        above=(low > truth).mean(axis=0),
        mean_width=(high - low).mean(axis=0),
        n_samples=n_samples,
    )
