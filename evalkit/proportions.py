"""Chapters 4 and 5: shares of items, counted and compared.

An accuracy is a count of independent items, two models on one test set are four counts,
and a measure of the whole set (a word error rate, F1) is a ratio of two sums. Exact
counts allow what scores do not.
"""

import math
import re

import numpy as np
from scipy import special, stats

from evalkit._checks import (
    _show,
    check_aligned,
    check_choice,
    check_counted,
    check_int,
    check_level,
    check_number,
    check_same_length,
    check_scores,
)
from evalkit._groups import (
    check_enough,
    check_groups,
    degrees_of_freedom,
    effective_groups,
)
from evalkit._limits import FEWEST_GROUPS
from evalkit._paired import spread_over
from evalkit._score import separate_ends
from evalkit._ties import rounding
from evalkit.results import (
    Difference,
    Interval,
    PairedProportions,
    SeparateProportions,
)

# Of `detectable_difference`: items on which one system alone is right, and how much of
# their share a difference may be. Simulations hold the power to 3 points from there.
_FEWEST_APART, _LARGEST_LEAD = 20, 0.63
# Of `ratio_difference`: items, or groups, on which A and B must differ; its intervals
# cover too little below.
_FEWEST_DIFFERING = 5


def proportion_interval(
    successes, trials=None, *, method="clopper-pearson", confidence_level=0.95
):
    """Compute an interval for a proportion: an accuracy on independent test items.

    Parameters
    ----------
    successes : int
        From 0 to `trials`.
    trials : int
        At least 1.
    method : {"clopper-pearson", "wilson"}, default "clopper-pearson"
        "clopper-pearson" never covers less than it says, "wilson" is shorter and covers
        it on average.
    confidence_level : float, default 0.95

    Returns
    -------
    Interval

    Notes
    -----
    What varies is the test items, not the training: it says how the same fitted model
    would do on other items of the same kind.

    Size: any counts up to 2^53; at once.

    Examples
    --------
    >>> from evalkit import proportion_interval
    >>> print(proportion_interval(90, 100))
    [0.82, 0.95] (95 %, clopper-pearson)
    """
    remedy = "proportion_interval(int(sum(hits)), len(hits))"
    check_counted(remedy, successes=successes, trials=trials)
    if trials is None:
        raise TypeError(f"trials must be the number of items, got None: {remedy}")
    trials = check_int(trials, "trials")
    successes = check_int(
        successes, "successes", low=0, high=trials, high_name=f"trials ({trials})"
    )
    check_choice(method, "method", ("clopper-pearson", "wilson"))
    level = check_level(confidence_level)
    if method == "wilson":
        low, high = stats.binomtest(successes, trials).proportion_ci(
            level, method="wilson"
        )
    else:
        # By the beta distribution: SciPy's own search for these ends stops 2e-12 away
        # from them.
        tail, failures = (1 - level) / 2, trials - successes
        low = stats.beta.ppf(tail, successes, failures + 1) if successes else 0.0
        high = stats.beta.isf(tail, successes + 1, failures) if failures else 1.0
    return Interval(float(low), float(high), level, method)


def paired_proportion_interval(n11, n10, n01, n00, *, confidence_level=0.95):
    """Compute an interval for the difference of two accuracies on the same items, by
    Tango's score.

    Parameters
    ----------
    n11, n10, n01, n00 : int
        Items that both models get right; A alone; B alone; and neither: as
        `contingency` counts them.
    confidence_level : float, default 0.95

    Returns
    -------
    PairedProportions
        Of A minus B; unpacks into its ends. Its `pvalue` is that of the score,
        McNemar's without correction; `mcnemar` has the exact one. `equivalence` takes
        it.

    Notes
    -----
    The items must be independent; for groups, and for several runs of each model, see
    `crossed_difference`. All differences are held whose score test does not reject. It
    needs no scatter: of 30 items on which no two answers differ it says that the
    accuracies may lie 11 points apart. By exact summation over the trinomial
    distribution, for 20 to 500 items and shares of 0 to .5 on which A or B alone is
    right, it covers 93.0 % or more, where the t interval covers down to 4 %. Where both
    hold (500 items, A alone right on 3 %, B on 1 %) it is 7 % longer. Newcombe's
    interval covers down to 88 % (100 items, .02 and 0).

    Size: any counts up to 2^53; at once.

    References
    ----------
    Tango (1998), Equivalence Test and Confidence Interval for the Difference in
    Proportions for the Paired-Sample Design; Newcombe (1998), Improved Confidence
    Intervals for the Difference between Binomial Proportions Based on Paired Data.

    Examples
    --------
    >>> from evalkit import paired_proportion_interval
    >>> print(paired_proportion_interval(80, 15, 5, 100))
    +0.050 [0.007, 0.099] (95 %, items, Tango's score), p = 0.0253
    """
    cells = {"n11": n11, "n10": n10, "n01": n01, "n00": n00}
    n11, n10, n01, n00 = (
        check_int(count, name, low=0) for name, count in cells.items()
    )
    level, n = check_level(confidence_level), n11 + n10 + n01 + n00
    if n == 0:
        raise ValueError("n11, n10, n01 and n00 must count at least one item, got none")
    se = math.sqrt(max(n10 + n01 - (n10 - n01) ** 2 / n, 0.0) / n**2)
    return PairedProportions.from_counts(
        n10, n01, n, level, "items, Tango's score", se=se, df=math.inf
    )


def proportion_difference(
    successes_a, trials_a, successes_b, trials_b, *, confidence_level=0.95
):
    """Compute an interval and a test for the difference of two accuracies on separate
    items, by Newcombe's hybrid score.

    Parameters
    ----------
    successes_a, trials_a : int
        How many items A gets right, of how many.
    successes_b, trials_b : int
        The same for B, on items of its own.
    confidence_level : float, default 0.95

    Returns
    -------
    SeparateProportions
        Of A minus B; unpacks into its ends. Its `pvalue` is that of no difference, and
        is at most 0.05 just where the 95 % interval leaves out 0. `equivalence` takes
        it.

    Notes
    -----
    For items that A and B do not share, each drawn on its own: users who were sent to
    one of two systems, two test sets, two weeks. On the same items the pairs say far
    more, and this would be wrong: `paired_proportion_interval`. For items in groups
    see `group_interval`, for each system.

    The ends are those of the two Wilson intervals, put together. By exact summation,
    for 10 to 500 items of each and shares of .01 to .99, it covers 93 % or more where
    the shares lie at most .5 apart (88 % anywhere), and its test errs in at most 5.7 %;
    the usual standard error errs in up to 8 % of 20 items each, and in 45 % where one
    side has ten times as many. Non-inferiority errs in up to 7.6 % with 20 items on a
    side, and in 5.5 % with 100. `scipy.stats.boschloo_exact` never errs too often, and
    has no interval.

    Size: any counts up to 2^53; at once.

    References
    ----------
    Newcombe (1998), Interval Estimation for the Difference between Independent
    Proportions: Comparison of Eleven Methods, Statistics in Medicine.

    Examples
    --------
    >>> from evalkit import proportion_difference
    >>> print(proportion_difference(279, 300, 450, 500))
    +0.030 [−0.012, 0.068] (95 %, separate items, Newcombe's score), p = 0.151
    """
    level, counts = check_level(confidence_level), []
    pairs = {"a": (successes_a, trials_a), "b": (successes_b, trials_b)}
    for system, (successes, trials) in pairs.items():
        trials = check_int(trials, f"trials_{system}")
        name = f"trials_{system} ({trials})"
        successes = check_int(
            successes, f"successes_{system}", low=0, high=trials, high_name=name
        )
        counts += [successes, trials]
    a, b = counts[0] / counts[1], counts[2] / counts[3]
    low, high = separate_ends(counts, -float(special.ndtri((1 - level) / 2)))
    return SeparateProportions(
        low=low,
        high=high,
        confidence_level=level,
        method="separate items, Newcombe's score",
        difference=a - b,
        se=math.sqrt(a * (1 - a) / counts[1] + b * (1 - b) / counts[3]),
        df=math.inf,
        counts=tuple(counts),
    )


_PRINTED = re.compile(r"(\d*)(?:\.(\d*))?\s*(%?)")


def possible_counts(printed, n):
    """Find the numbers of right answers among n that a printed accuracy can stand for.

    Parameters
    ----------
    printed : str
        As it is printed, with all its digits: "91.30" says more than "91.3". Above 1,
        or with a %, it is in per cent; otherwise a share.
    n : int
        The number of items.

    Returns
    -------
    range
        The counts k for which k / n rounds to what is printed, whichever way halves are
        rounded; empty if there is none. Then n is another number, or the score is a
        mean over runs, or weighted, or wrong.

    Notes
    -----
    Size: any n up to 2^53; at once.

    References
    ----------
    Brown and Heathers (2017), The GRIM Test.

    Examples
    --------
    >>> from evalkit import possible_counts
    >>> list(possible_counts("91.3", 300)), list(possible_counts("91.37", 300))
    ([274], [])
    """
    if not isinstance(printed, str):
        raise TypeError(
            "printed must be a string, whose digits say how it was rounded, got"
            f" {_show(printed)}"
        )
    n = check_int(n, "n")
    match = _PRINTED.fullmatch(printed.strip())
    if not match or not (match[1] or match[2]):
        raise ValueError(
            'printed must be a number from "0" to "100", or "%" after it, got'
            f" {_show(printed)}"
        )
    # In whole units of half the last digit, so that nothing is rounded here.
    whole, decimals = match[1] or "0", match[2] or ""
    value, unit = 2 * int(whole + decimals), 2 * 10 ** len(decimals)
    if match[3] or value > unit:
        unit *= 100
    if value > unit:
        raise ValueError(f"printed must be at most 1 or 100 %, got {_show(printed)}")
    fewest = -((1 - value) * n // unit)  # rounded up, where // rounds down
    most = (value + 1) * n // unit
    return range(max(0, fewest), min(n, most) + 1)


def ratio_difference(
    numerators_a,
    denominators_a,
    numerators_b,
    denominators_b,
    groups,
    *,
    confidence_level=0.95,
):
    """Compute how far apart two systems are on a measure of the whole set that is a
    ratio of two sums.

    Parameters
    ----------
    numerators_a, denominators_a : array_like of float, shape (n,)
        What each item adds to the two sums of A, at least 0; at least five items. For a
        word error rate its errors and its reference words; for an accuracy per token
        the right tokens and all; for micro F1 2 TP and 2 TP + FP + FN.
    numerators_b, denominators_b : array_like of float, shape (n,)
        The same for B, on the same items in the same order. Series are paired by
        position only where their labels agree.
    groups : array_like, shape (n,), or None
        The group of each item: its speaker, its document. None says that each item is
        drawn on its own; there is no default, for sentences of one speaker are not.
    confidence_level : float, default 0.95

    Returns
    -------
    Difference
        sum(numerators_a) / sum(denominators_a) minus the same for B.
        `effective_groups`, where there are groups: as many that hold equal shares of
        the denominators would say as much.

    Raises
    ------
    ValueError
        Also where there are fewer than five groups, where they count as fewer than
        three by their share of the denominators of A or of B, where nothing varies, and
        where A and B differ on fewer than five items (or groups; two in five of few),
        counted as equal ones.

    Notes
    -----
    A mean over items of their own rates is another measure: in it a word of a short
    sentence counts more.

    By the delta method: the error of a ratio R is the sum over groups of numerator - R
    * denominator, divided by the sum of all denominators. Its variance is CR2 with each
    group's share of the denominators for its leverage, and the degrees of freedom are
    Bell and McCaffrey's. If all denominators are equal, that is the variance of
    `crossed_difference`, which is for such items. In simulations with 5 to 50 groups,
    equal or not, 95 % intervals held the truth in 94 to 96 % of samples; in 91 to 96 %
    where the rate of a group depends on how much it says; and in about 90 % where just
    five of many items are expected to differ.

    Size: linear; a million items take 1 s.

    References
    ----------
    Cochran (1977), Sampling Techniques, Chapter 6, on ratios; Bell and McCaffrey
    (2002), Bias Reduction in Standard Errors for Linear Regression with Multi-Stage
    Samples, Survey Methodology; Bisani and Ney (2004), Bootstrap Estimates for
    Confidence Intervals in ASR Performance Evaluation, on the same question.

    Examples
    --------
    >>> from evalkit import ratio_difference
    >>> words, speaker = [9, 4, 12, 7, 15, 6, 10, 8], list("aabbccde")
    >>> new, base = [1, 0, 2, 1, 1, 0, 2, 1], [2, 1, 2, 1, 4, 1, 2, 2]
    >>> print(ratio_difference(new, words, base, words, speaker))
    −0.10 [−0.24, 0.04] (95 %, ratios of sums over groups), p = 0.123
    """
    columns = {
        "numerators_a": numerators_a,
        "denominators_a": denominators_a,
        "numerators_b": numerators_b,
        "denominators_b": denominators_b,
    }
    check_aligned(**columns, groups=groups)
    level, values = check_level(confidence_level), {}
    for name, given in columns.items():
        values[name] = check_scores(given, name, min_size=FEWEST_GROUPS, squared=True)
        check_same_length(values["numerators_a"], values[name], "numerators_a", name)
        if values[name].min() < 0:
            raise ValueError(f"{name} must be at least 0, got {values[name].min():g}")
    first = values["numerators_a"]
    members = (
        np.arange(first.size)
        if groups is None
        else check_groups(groups, first, "numerators_a")
    )
    unit = "item by item" if groups is None else "group by group"
    shares, ratios, errors = [], [], []
    for system in "ab":
        numerators, name = values[f"numerators_{system}"], f"denominators_{system}"
        denominators, total = values[name], values[name].sum()
        if total == 0:
            raise ValueError(f"{name} must not all be 0: nothing is divided by nothing")
        check_enough(members, denominators, f"{name}, {unit},")
        ratio = numerators.sum() / total
        shares.append(np.bincount(members, weights=denominators) / total)
        ratios.append(ratio)
        errors.append(
            np.bincount(members, weights=numerators - ratio * denominators) / total
        )
    if np.abs(errors[0] - errors[1]).max() <= rounding(*columns.values()) * max(ratios):
        raise ValueError(
            "numerators_a and numerators_b must differ on some items more than on"
            " others: nothing varies, so nothing says how sure their difference is"
        )
    apart = sum(
        np.abs(values[f"{kind}_a"] - values[f"{kind}_b"])
        for kind in ("numerators", "denominators")
    )
    telling = spread_over(apart, members)
    wanted = min(_FEWEST_DIFFERING, 0.4 * effective_groups(members))
    if telling < wanted:
        raise ValueError(
            "numerators_a and numerators_b must differ on more of what is drawn,"
            f" {unit}: they count as {telling:.1f} that differ, and fewer than"
            f" {wanted:.3g} show too little of how the others might"
        )
    parts = [
        error / np.sqrt(1 - share) for error, share in zip(errors, shares, strict=True)
    ]
    variance, df = (
        np.sum((parts[0] - parts[1]) ** 2),
        degrees_of_freedom((shares[0] + shares[1]) / 2),
    )
    effective = (
        None if groups is None else 4 / float(np.sum((shares[0] + shares[1]) ** 2))
    )
    name = f"ratios of sums over {'items' if groups is None else 'groups'}"
    return Difference.from_parts(
        ratios[0] - ratios[1],
        [(float(variance), df)],
        level,
        name,
        effective_groups=effective,
    )


def detectable_difference(
    n, *, rate, correlation=0, icc=0, group_size=1, alpha=0.05, power=0.8
):
    """Compute the smallest difference of two accuracies that a test set of n items can
    show.

    Parameters
    ----------
    n : int
        The number of test items, at least 20.
    rate : float
        The accuracy near which both systems lie, between 0 and 1.
    correlation : float, default 0
        Of whether the one is right on an item with whether the other is (phi). 0, as if
        they had nothing in common, asks for the most items; similar systems reach 0.5
        and more.
    icc : float, default 0
        Where items come in groups: the correlation of two items of one group in the
        difference of the systems (right minus right), from 0 to 1.
    group_size : float, default 1
        How many items a group has; if they are unequal, the sum of their squared sizes
        over the sum of sizes.
    alpha : float, default 0.05
        The level of the two-sided test; at least 1e-9.
    power : float, default 0.8
        How often the difference is to be found; above `alpha`.

    Returns
    -------
    float
        In shares of the items: 0.02 is two points of accuracy.

    Raises
    ------
    ValueError
        Also where the items are so few, or the systems so much alike, that the normal
        approximation fails.

    Notes
    -----
    Both systems are right on some items and wrong on others; only those on which one
    alone is right say which is better, a share q = 2 * rate * (1 - rate) * (1 -
    correlation) of all. The difference of an item has about that variance, and its mean
    over n items sqrt(q * (1 + (group_size - 1) * icc) / n) for a standard error. What
    can be shown is that, times t(alpha / 2) + t(1 - power) with one degree of freedom
    fewer than groups.

    In simulations with power = 0.8, `crossed_difference` and the mid-p form of
    `mcnemar` find the difference in 79 to 84 % of cases, or more where groups differ in
    how often the systems disagree; the exact form of `mcnemar` in 75 to 79 %, for it
    rejects less often than it may. Fewer than 20 expected items on which one system
    alone is right, divided by 1 + (group_size - 1) * icc, are refused, and so are
    differences above 0.63 of the share of such items.

    Size: at once.

    References
    ----------
    Miettinen (1968), The Matched Pairs Design in the Case of All-or-None Responses;
    Card and others (2020), With Little Power Comes Great Responsibility, EMNLP.

    Examples
    --------
    >>> from evalkit import detectable_difference
    >>> round(detectable_difference(1000, rate=0.8, correlation=0.5), 3)
    0.035
    >>> grouped = {"icc": 0.1, "group_size": 20}
    >>> round(detectable_difference(1000, rate=0.8, correlation=0.5, **grouped), 3)
    0.062
    """
    n = check_int(n, "n", low=_FEWEST_APART)
    rate, alpha, power = (
        check_level(rate, "rate"),
        check_level(alpha, "alpha"),
        check_level(power, "power"),
    )
    correlation, icc = (
        check_number(correlation, "correlation"),
        check_number(icc, "icc"),
    )
    group_size = check_number(group_size, "group_size")
    lowest = -min(rate, 1 - rate) / max(rate, 1 - rate)
    if not lowest - 1e-9 <= correlation < 1:
        raise ValueError(
            f"correlation must be at least {lowest:.3g}, the lowest at this rate, and"
            f" below 1, got {correlation:g}"
        )
    if not 0 <= icc <= 1:
        raise ValueError(f"icc must lie between 0 and 1, got {icc:g}")
    if not 1 <= group_size <= n / FEWEST_GROUPS:
        raise ValueError(
            f"group_size must lie between 1 and {n / FEWEST_GROUPS:g}, for {n:,} items"
            f" to make at least {FEWEST_GROUPS} groups, got {group_size:g}"
        )
    if not 1e-9 <= alpha < power:
        raise ValueError(
            f"alpha must be at least 1e-9, and below power ({power:g}), got {alpha:g}"
        )
    share, effect = (
        2 * rate * (1 - rate) * (1 - correlation),
        1 + (group_size - 1) * icc,
    )
    quantiles = stats.norm.isf(alpha / 2) + stats.norm.isf(1 - power)
    least = effect * max(_FEWEST_APART, (quantiles / _LARGEST_LEAD) ** 2)
    if n * share < least:
        raise ValueError(
            f"n must be at least {math.ceil(least / share):,} at this rate and"
            f" correlation, got {n:,}: of these items one system alone is right on"
            f" {n * share:.3g}, and this needs {least:.3g}"
        )
    df = n / group_size - 1
    return float(stats.t.isf(alpha / 2, df) + stats.t.isf(1 - power, df)) * math.sqrt(
        share * effect / n
    )
