"""Chapter 4: how far off could this number be?

Whatever the formula, an interval speaks of what was drawn again and again: seeds, splits or test
items. Say which. None of these holds for the K scores of one cross-validation, whose training sets
overlap.
"""

import inspect
import warnings

import numpy as np
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
    """Return (statistic, whether it takes `axis`) after one try on the data itself."""
    if not callable(statistic):
        raise TypeError(f"statistic must be a function of one array, got {statistic!r}")
    try:
        vectorized = "axis" in inspect.signature(statistic).parameters
    except ValueError:  # some built-in functions have no signature
        vectorized = False
    for sample in samples:
        value = statistic(sample)
        if np.ndim(value) or not np.isfinite(value):
            raise ValueError(f"statistic must return one finite number for the scores, got {value!r}")
    return vectorized


def _bootstrap(samples, statistic, vectorized, paired, method, level, n_resamples, rng):
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
    check_choice(method, "method", _METHODS)
    level = check_level(confidence_level)
    n_resamples = check_int(n_resamples, "n_resamples")
    rng = check_rng(rng)
    vectorized = _check_statistic(statistic, scores)
    if np.ptp(scores) == 0:
        value = float(statistic(scores))
        return Interval(value, value, level, method)
    low, high = _bootstrap((scores,), statistic, vectorized, False, method, level, n_resamples, rng)
    return Interval(low, high, level, method)


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
    check_choice(method, "method", _METHODS)
    level = check_level(confidence_level)
    n_resamples = check_int(n_resamples, "n_resamples")
    rng = check_rng(rng)
    vectorized = _check_statistic(statistic, scores_a, scores_b)
    name = f"{'paired' if paired else 'unpaired'} {method}"
    if np.ptp(scores_a) == 0 and np.ptp(scores_b) == 0:
        value = float(statistic(scores_a) - statistic(scores_b))
        return Interval(value, value, level, name)

    def difference(a, b, axis=-1):
        return statistic(a, axis=axis) - statistic(b, axis=axis)

    def difference_of_one(a, b):
        return statistic(a) - statistic(b)

    low, high = _bootstrap(
        (scores_a, scores_b), difference if vectorized else difference_of_one, vectorized,
        bool(paired), method, level, n_resamples, rng,
    )  # fmt: skip
    return Interval(low, high, level, name)


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
    groups = np.asarray(groups)
    if groups.ndim != 1:
        raise ValueError(f"groups must be one-dimensional, got shape {groups.shape}")
    check_same_length(scores, groups, "scores", "groups")
    if groups.dtype.kind == "f" and not np.isfinite(groups).all():
        raise ValueError("groups must have no NaN or infinite value: every item needs a group")
    members = np.unique(groups, return_inverse=True)[1]
    n_groups = members.max() + 1
    if n_groups < 2:
        raise ValueError("groups must hold at least two groups: one group cannot vary")
    check_choice(method, "method", _METHODS)
    level = check_level(confidence_level)
    n_resamples = check_int(n_resamples, "n_resamples")
    rng = check_rng(rng)
    _check_statistic(statistic, scores)
    name = f"{method}, whole groups"
    if np.ptp(scores) == 0:
        value = float(statistic(scores))
        return Interval(value, value, level, name)
    if statistic is np.mean:
        # Sums and counts of groups are all a mean needs: 9,999 resamples in one product.
        sums, counts = np.bincount(members, weights=scores), np.bincount(members)

        def of_groups(drawn, axis=-1):
            return sums[drawn].sum(axis=axis) / counts[drawn].sum(axis=axis)

    else:
        items = [scores[members == group] for group in range(n_groups)]

        def of_groups(drawn):
            return statistic(np.concatenate([items[group] for group in drawn]))

    low, high = _bootstrap(
        (np.arange(n_groups),), of_groups, statistic is np.mean, False, method, level, n_resamples, rng
    )
    return Interval(low, high, level, name)


def coverage(interval, draw, truth, *, n_samples=1000, rng=None):
    """Simulate how often an interval, or a band, holds the truth.

    Parameters
    ----------
    interval : callable
        From a sample to an `Interval`, a `Band`, or any object with `low` and `high`.
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
    if np.ndim(truth) == 0:
        truth = check_scores([truth], "truth")[0]
    else:
        truth = check_scores(truth, "truth")
    n_samples = check_int(n_samples, "n_samples")
    rng = check_rng(rng)
    made = [interval(draw(rng)) for _ in range(n_samples)]
    low, high = np.array([m.low for m in made]), np.array([m.high for m in made])
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
