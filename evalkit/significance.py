"""Chapter 5: how to tell whether two systems differ.

Every test here is of pairs: score i of A and score i of B come from the same item,
split or data set. What a p-value speaks of is what those pairs are drawn from, and
nothing else.
"""

import math
import warnings
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import special, stats

from evalkit._checks import (
    as_array,
    check_aligned,
    check_choice,
    check_counted,
    check_int,
    check_level,
    check_rng,
    check_scores,
    check_statistic,
    check_table,
    check_work,
    join,
)
from evalkit._coins import (
    all_flips,
    coin_cdf,
    flip_pvalue,
    friedman_tail,
    random_flips,
    step_down,
)
from evalkit._labels import check_in_common, number_labels
from evalkit._limits import ALTERNATIVES, DIRECTIONS, DRAWN_AT_ONCE, MAX_RESAMPLES
from evalkit._looks import spent_by, stopping_bounds
from evalkit._scores import describe
from evalkit._ties import (
    as_type,
    coarsest,
    merge_ties,
    paired_differences,
    rounding,
    statistic_rounding,
)
from evalkit.proportions import possible_counts, proportion_interval
from evalkit.results import (
    Comparison,
    Contingency,
    Difference,
    Power,
    PValueRange,
    Significance,
    SpendingBounds,
)

_MCNEMAR = ("exact", "mid-p", "chi2", "chi2-corrected")  # the default first
_SMALLEST = math.ulp(0.0)  # the smallest float above 0

# Limits that the docstrings state; `benchmarks/bounds.py` holds the times to them.
_MAX_EXACT_PAIRS = 4000
_MAX_FLIPS = 2e9  # pairs x exchanges
_MAX_RANK_WORK = 5e11  # pairs of systems x (data sets)^3, linear beyond 1,000
_MOST_LOOKS, _NEAREST_LOOKS = 100, 0.001


def _result(statistic, pvalue, test, alternative="two-sided", **more):
    # Rounding can carry a p-value past 1, and underflow one to 0; an infinite statistic
    # has none but 0.
    pvalue = min(
        1.0, max(float(pvalue), _SMALLEST if math.isfinite(statistic) else 0.0)
    )
    return Significance(float(statistic), pvalue, test, alternative, **more)


# --------------------------------------------------------------------------------------
# Two fitted models, one test set
# --------------------------------------------------------------------------------------


def contingency(y_true, predictions_a, predictions_b, *, ids=None):
    """Count on which items two models are right.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        The right labels, numbers or strings.
    predictions_a, predictions_b : array_like, shape (n,)
        What each model says, for the same items in the same order.
    ids : three array_like, optional
        The ids of the items of `y_true`, `predictions_a` and `predictions_b`: they are
        joined by id, whatever their order. Without them, two files in different orders
        give a table that means nothing; but Series are paired by position only where
        their labels agree.

    Returns
    -------
    Contingency

    Raises
    ------
    ValueError
        Also if an id comes twice, or not in all three; and if none of the labels that a
        model gives is a right one anywhere, unless either is one label throughout.

    Notes
    -----
    Size: linear; a million items take 10 s.

    Examples
    --------
    >>> from evalkit import contingency
    >>> print(contingency([0, 1, 1, 0, 1], [0, 1, 1, 1, 1], [0, 1, 0, 1, 0]))
             B right  B wrong
    A right        2        2
    A wrong        0        1
    """
    y_true, predictions_a, predictions_b = join(
        ids, y_true=y_true, predictions_a=predictions_a, predictions_b=predictions_b
    )
    right = []
    for predictions, name in (
        (predictions_a, "predictions_a"),
        (predictions_b, "predictions_b"),
    ):
        said, truth, names = number_labels(predictions, y_true, name, "y_true")
        check_in_common(
            *(said, truth, names, name, "y_true"),
            "all are wrong, take contingency([True] * n, right_a, right_b)",
        )
        right.append(said == truth)
    a, b = right
    return Contingency(
        *(int(np.sum(cell)) for cell in (a & b, a & ~b, ~a & b, ~a & ~b))
    )


def mcnemar(n10, n01=None, *, method="exact", alternative="two-sided"):
    """Test whether two fitted models are right equally often, from the items on which
    one is.

    Parameters
    ----------
    n10 : int or Contingency
        Items that A gets right and B wrong; or, alone, what `contingency` counted.
    n01 : int, optional
        Items that B gets right and A wrong.
    method : {"exact", "mid-p", "chi2", "chi2-corrected"}, default "exact"
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        "greater": A is better.

    Returns
    -------
    Significance
        The statistic is the chi-squared one for the two "chi2"; else n10, or for
        "two-sided" the smaller of the two counts.

    Notes
    -----
    Under the null hypothesis each of the n10 + n01 items on which they disagree is a
    coin throw. "exact" sums the binomial probabilities, and rejects at most as often as
    it says; "mid-p" counts half of the probability of what was seen; "chi2" is (n10 -
    n01)^2 / (n10 + n01), and "chi2-corrected" takes 1 off the absolute difference
    first. The items must be independent, and the answer is about these two fitted
    models: another seed is another model.

    If the counts are equal, the two-sided p-value is 1; of "mid-p", as Fagerland and
    others have it, 1 - f / 2, where f is the probability of just these counts. Without
    any item on which the models disagree there is nothing to count half of, and the
    p-value is 1.

    Size: any counts up to 2^53; at once.

    References
    ----------
    McNemar (1947), Note on the Sampling Error of the Difference Between Correlated
    Proportions or Percentages, Psychometrika; Fagerland, Lydersen and Laake (2013), The
    McNemar test for binary matched-pairs data: mid-p and asymptotic are better than
    exact conditional, BMC Medical Research Methodology.

    Examples
    --------
    >>> from evalkit import mcnemar
    >>> print(mcnemar(15, 5))
    McNemar (exact), two-sided: statistic 5, p = 0.0414
    """
    remedy = (
        "table = contingency(y_true, predictions_a, predictions_b), then"
        " mcnemar(table.n10, table.n01)"
    )
    if isinstance(n10, Contingency) and n01 is None:
        n10, n01 = n10.n10, n10.n01
    check_counted(remedy, n10=n10, n01=n01)
    n10 = check_int(n10, "n10", low=0)
    n01 = check_int(n01, "n01", low=0)
    check_choice(method, "method", _MCNEMAR)
    check_choice(alternative, "alternative", ALTERNATIVES)
    n, difference = n10 + n01, n10 - n01
    if alternative == "two-sided":
        sides, lead = 2, abs(difference)
    else:  # "less" is "greater" with the models exchanged
        sides, lead = 1, difference if alternative == "greater" else -difference
    correction = 1 if method == "chi2-corrected" else 0
    if method.startswith("chi2"):
        root = math.sqrt(max(n, 1))
        statistic = (max(abs(difference) - correction, 0) / root) ** 2
        pvalue = sides * special.ndtr((correction - lead) / root)
    else:
        losses = (n - lead) // 2
        statistic = losses if sides == 2 else n10
        tail = coin_cdf(losses, n)
        pvalue = sides * tail
        if method == "mid-p":
            probability = tail - coin_cdf(losses - 1, n)  # of just these counts
            pvalue = sides * (tail - probability / 2)
            if sides == 2 and difference == 0:  # both tails hold them
                pvalue = 1 - probability / 2
    if n == 0 and (sides == 2 or correction):
        pvalue = 1.0
    return _result(statistic, pvalue, f"McNemar ({method})", alternative)


def mcnemar_range(correct_a, correct_b, n, *, method="exact"):
    """Find between which p-values McNemar's test must lie, from two accuracies on the
    same items.

    Parameters
    ----------
    correct_a, correct_b : int or str
        How many of the items each model gets right; or its accuracy as printed, "91.3",
        whose digits say how it was rounded. Of one run each: a mean over runs is no
        count, and is refused where it shows.
    n : int
        The number of items.
    method : {"exact", "mid-p", "chi2", "chi2-corrected"}, default "exact"

    Returns
    -------
    PValueRange
        Two-sided, with the counts that give its ends.

    Notes
    -----
    On how many items the models disagree is not known. At least on as many as the
    accuracies differ by: then one is never wrong where the other is right, and p is
    smallest. At most on so many that they are never wrong together. A rounded accuracy
    may stand for several counts (`possible_counts`); the range holds for all of them.

    Size: any counts up to 2^53; at once.

    Examples
    --------
    >>> from evalkit import mcnemar_range
    >>> print(mcnemar_range("91.3", "90.8", 1000))
    p from 0.0625 (n10, n01 = (5, 0)) to 0.765 (92, 87)
    """
    n = check_int(n, "n")
    check_choice(method, "method", _MCNEMAR)
    counts = []
    for correct, name in ((correct_a, "correct_a"), (correct_b, "correct_b")):
        if not isinstance(correct, str):
            if isinstance(correct, (float, np.floating)):
                raise TypeError(
                    f"{name} must be a count, or a string as printed, got {correct!r}:"
                    " a float does not say how it was rounded, and a mean over runs is"
                    " no count"
                )
            count = check_int(correct, name, low=0, high=n, high_name=f"n ({n})")
            counts.append((count, count))
            continue
        try:
            possible = possible_counts(correct, n)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        if not possible:
            raise ValueError(
                f"{name} must be what some count of {n:,} items rounds to, got"
                f" {correct!r}: is it a mean over runs, weighted, or of another number"
                " of items?"
            )
        counts.append((possible[0], possible[-1]))
    (low_a, high_a), (low_b, high_b) = counts
    # As far apart as they may be, and as near; the extremes of p are among these.
    far = max((high_a - low_b, low_a - high_b), key=abs)
    if low_a > high_b:
        near, right_a = low_a - high_b, low_a
    elif low_b > high_a:
        near, right_a = high_a - low_b, high_a
    else:
        # Of equal counts, those nearest to half of the items leave most room.
        near, right_a = 0, min(max(low_a, low_b, n // 2), high_a, high_b)
    candidates = [(max(lead, 0), max(-lead, 0)) for lead in (far, near)]
    # B alone is right on at most as many items as A gets wrong, and as B gets right.
    most = min(n - right_a, right_a - near)
    candidates += [(k + near, k) for k in (most, min(most, 1)) if k + near >= 0]
    pvalues = {pair: mcnemar(*pair, method=method).pvalue for pair in candidates}
    lowest, highest = min(pvalues, key=pvalues.get), max(pvalues, key=pvalues.get)
    return PValueRange(pvalues[lowest], pvalues[highest], lowest, highest)


# --------------------------------------------------------------------------------------
# Pairs of scores
# --------------------------------------------------------------------------------------


def wilcoxon(
    scores_a,
    scores_b=None,
    *,
    method="auto",
    zero_method="wilcox",
    alternative="two-sided",
    ids=None,
):
    """Run Wilcoxon's signed-rank test on paired scores, exact with ties and zeros too.

    Parameters
    ----------
    scores_a, scores_b : array_like of float, shape (n,)
        Pairs that are independent of each other, such as data sets. Seeds of two
        systems are no pairs.
    method : {"auto", "exact", "approx"}, default "auto"
        "auto" is exact up to 1,000 pairs.
    zero_method : {"wilcox", "pratt", "zsplit"}, default "wilcox"
        What pairs without a difference do. "wilcox" leaves them out before ranking,
        "pratt" after it, "zsplit" gives half of their ranks to each side.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        "greater": A is better.
    ids : pair of array_like, optional
        The ids of the pairs in A and in B: they are joined by id, whatever their order.
        Without them, Series are paired by position only where their labels agree.

    Returns
    -------
    Significance
        The statistic is the rank sum of the pairs that A wins; for "two-sided", the
        smaller of the two. `n_zero` counts the pairs that did not differ. If none did,
        the p-value is 1.

    Notes
    -----
    "exact" conditions on the ranks that were seen, ties included: under the null
    hypothesis the differences are symmetric about 0, so each nonzero one has its sign
    by a coin throw, and the distribution of the rank sum follows by convolution. A zero
    has no sign to throw. So "zsplit" adds the same constant to both sides, and has the
    exact p-value of "pratt".

    "approx" is SciPy's normal approximation, corrected for ties, without continuity
    correction.

    Scores are floats: 0.8 - 0.7 and 0.9 - 0.8 differ in the last bit. Differences that
    lie within 64 units in the last place of the scores (4, if they came as float32)
    count as equal, or as 0. That is why the scores of both systems are asked for, and
    not their differences, as in SciPy: these do not say how large the scores were. The
    smallest p-value of n pairs, two-sided, is 2 / 2^n.

    Size: "exact" takes up to 4,000 pairs, in 20 s and 300 MB; the work grows with their
    cube. "approx" takes a million in 2 s.

    References
    ----------
    Wilcoxon (1945), Individual Comparisons by Ranking Methods, Biometrics Bulletin;
    Pratt (1959), Remarks on Zeros and Ties in the Wilcoxon Signed Rank Procedures,
    Journal of the American Statistical Association.

    Examples
    --------
    >>> from evalkit import wilcoxon
    >>> print(wilcoxon([0.81, 0.83, 0.82, 0.85, 0.80], [0.79, 0.80, 0.81, 0.80, 0.76]))
    Wilcoxon signed-rank (exact), two-sided: statistic 0, p = 0.0625
    """
    check_choice(method, "method", ("auto", "exact", "approx"))
    check_choice(zero_method, "zero_method", ("wilcox", "pratt", "zsplit"))
    check_choice(alternative, "alternative", ALTERNATIVES)
    scores_a, scores_b = join(ids, scores_a=scores_a, scores_b=scores_b)
    differences, noise = paired_differences(scores_a, scores_b)
    if method == "auto":
        method = "exact" if differences.size <= 1000 else "approx"
    if method == "exact":
        check_work(
            differences.size,
            _MAX_EXACT_PAIRS,
            f"scores_a: {differences.size:,} pairs, method='exact'",
            f"beyond {_MAX_EXACT_PAIRS:,} use method='approx', which is as good there",
        )
    sizes = merge_ties(np.abs(differences), noise)
    zero = differences == 0
    sizes[zero] = 0.0
    ranked = ~zero if zero_method == "wilcox" else np.full(zero.shape, True)
    doubled = np.zeros(zero.size, dtype=np.int64)  # midranks are halves
    doubled[ranked] = np.round(2 * stats.rankdata(sizes[ranked]))
    plus, minus = (
        int(doubled[differences > 0].sum()),
        int(doubled[differences < 0].sum()),
    )
    split = int(doubled[zero].sum()) / 2 if zero_method == "zsplit" else 0
    statistic = (
        min(plus, minus) if alternative == "two-sided" else plus
    ) / 2 + split / 2
    if zero.all():
        pvalue = 1.0
    elif method == "exact":
        pvalue = flip_pvalue(doubled[~zero], plus, alternative)
    else:
        pvalue = stats.wilcoxon(
            np.sign(differences) * sizes,
            zero_method=zero_method,
            method="asymptotic",
            alternative=alternative,
        ).pvalue
    test = f"Wilcoxon signed-rank ({method})"
    return _result(statistic, pvalue, test, alternative, n_zero=int(zero.sum()))


def sign_flip(
    scores_a,
    scores_b,
    *,
    statistic=np.mean,
    n_resamples=9999,
    alternative="two-sided",
    ids=None,
    rng=None,
):
    """Test whether the names of two systems can be exchanged within pairs.

    Parameters
    ----------
    scores_a, scores_b : array_like of float, shape (n,)
        Pairs that are independent of each other, at least two. For items in groups, one
        sum a group.
    statistic : callable, default numpy.mean
        From an array to a number; tested is statistic(A) - statistic(B).
    n_resamples : int, default 9999
        If there are no more than this many ways to exchange, all are used and the test
        is exact.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        "greater": A is better.
    ids : pair of array_like, optional
        The ids of the pairs in A and in B: they are joined by id, whatever their order.
        Without them, Series are paired by position only where their labels agree.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    Significance

    Notes
    -----
    To exchange A and B within a pair flips the sign of its difference. The p-value of
    random exchanges counts the data as one of them, so it is never below 1 /
    (n_resamples + 1) per side.

    The p-value is the share of exchanges that come out as far from 0 as the data do, so
    it hangs on ties. With scores of three digits there are many, and floats break them:
    the last bits of a sum depend on its signs. What lies as near to the value seen as
    the rounding of the scores can move the statistic counts as that value.
    (`scipy.stats.permutation_test` allows for rounding by the size of the difference,
    which is too little where the difference is small beside the scores.)

    Size: up to 10,000,000 exchanges, and pairs times exchanges up to 2,000,000,000, in
    20 s and 500 MB for a mean: 200,000 pairs with `n_resamples` as it is. Another
    statistic takes as long as its calls do.

    Examples
    --------
    >>> from evalkit import sign_flip
    >>> print(sign_flip([0.81, 0.83, 0.82, 0.85], [0.79, 0.80, 0.81, 0.80]))
    sign flips (exact), two-sided: statistic 0.0275, p = 0.125
    """
    scores_a, scores_b = join(ids, scores_a=scores_a, scores_b=scores_b)
    differences, noise = paired_differences(scores_a, scores_b, min_size=2)
    a, b = check_scores(scores_a, "scores_a"), check_scores(scores_b, "scores_b")
    n_resamples = check_int(n_resamples, "n_resamples", high=MAX_RESAMPLES)
    check_choice(alternative, "alternative", ALTERNATIVES)
    rng = check_rng(rng)
    is_mean = statistic is np.mean
    statistic, vectorized = check_statistic(statistic, a, b)
    exact = a.size < 63 and 2**a.size <= n_resamples
    n_exchanges = 2**a.size if exact else n_resamples
    check_work(
        a.size * n_exchanges,
        _MAX_FLIPS,
        f"scores_a has {a.size:,} pairs with n_resamples={n_resamples:,}",
        f"pairs times resamples may be {_MAX_FLIPS:,.0f}; take fewer resamples, sums of"
        " groups of items, or t_interval of the differences, which at this size says"
        " the same",
    )
    a = np.where(differences == 0, b, a)
    of_rows = (
        statistic
        if vectorized
        else lambda table: np.array([statistic(row) for row in table])
    )
    drawn, step = np.empty(n_exchanges), max(1, DRAWN_AT_ONCE // a.size)
    for start in range(0, n_exchanges, step):
        block = slice(start, min(start + step, n_exchanges))
        flips = (
            all_flips(block, a.size)
            if exact
            else random_flips(block.stop - start, a.size, rng)
        )
        if is_mean:
            drawn[block] = differences.mean() - 2 * (flips @ differences) / a.size
        else:
            drawn[block] = of_rows(np.where(flips, b, a)) - of_rows(
                np.where(flips, a, b)
            )
    if not np.isfinite(drawn).all():
        raise ValueError(
            "statistic must be defined however the pairs are exchanged; it was not"
            " finite"
        )
    if is_mean:
        estimate, slack = differences.mean(), noise.mean()
    else:
        estimate = statistic(a) - statistic(b)
        slack = statistic_rounding(
            lambda x, y: statistic(x) - statistic(y),
            (a, b),
            rounding(scores_a, scores_b),
        )
    # The rounding of a sum grows with its length.
    slack *= max(1.0, math.sqrt(a.size) / 16)
    own = 0 if exact else 1  # the data are one of the exchanges, drawn or not
    as_large = (np.count_nonzero(drawn >= estimate - slack) + own) / (n_exchanges + own)
    as_small = (np.count_nonzero(drawn <= estimate + slack) + own) / (n_exchanges + own)
    if alternative == "two-sided":
        pvalue = 2 * min(as_large, as_small)
    else:
        pvalue = as_large if alternative == "greater" else as_small
    return _result(
        estimate, pvalue, f"sign flips ({'exact' if exact else 'random'})", alternative
    )


# --------------------------------------------------------------------------------------
# Several splits of one data set
# --------------------------------------------------------------------------------------


def corrected_t(
    scores_a, scores_b, *, n_train, n_test, decimals=None, alternative="two-sided"
):
    """Run Nadeau and Bengio's corrected resampled t-test over random splits of one data
    set.

    Parameters
    ----------
    scores_a, scores_b : array_like of float, shape (J,)
        At least two, score j of both from random split j.
    n_train, n_test : int
        Items in the training part and in the test part of each split.
    decimals : int, optional
        As for `difference_interval`, which says what rounding adds.
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        "greater": A is better.

    Returns
    -------
    Significance
        With `df` = J - 1, or more where rounding makes a part of the variance.

    Raises
    ------
    ValueError
        Also where the differences do not vary, unless `decimals` says that they were
        rounded: nothing is known of what was not seen to vary. And where a rounding
        that was read off would alone decide.

    Notes
    -----
    The training parts overlap, so the differences are correlated, and their variance
    over J must not be divided by J alone: t = mean / sqrt((1 / J + n_test / n_train) *
    variance). The second term does not shrink, so more splits of the same data cannot
    prove anything one likes. A heuristic: its correlation, n_test / (n_test + n_train),
    is an assumption. Where the true one is lower, the test is too cautious: on two
    texts, .10 and not .20, it rejects a true hypothesis at 5 % in 0.2 and 0.6 % of
    samples. Where it is higher, the test is too bold: for trees of depth 4 on 300
    digits it does so in 15 % (20 random splits) and 19 % (10 times 10 folds;
    `lab.experiments.error_rates`, `resampled`).

    Series are paired by position only where their labels agree.

    Size: linear; 10 million pairs take 3 s.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the Generalization Error, Machine Learning.

    Examples
    --------
    >>> from evalkit import corrected_t
    >>> print(corrected_t([0.8, 0.9, 0.7], [0.7, 0.7, 0.6], n_train=90, n_test=10))
    corrected resampled t, two-sided: statistic 3.464, p = 0.0742, df = 2
    """
    check_aligned(scores_a=scores_a, scores_b=scores_b)
    differences, noise = paired_differences(
        scores_a, scores_b, min_size=2, squared=True
    )
    n_train = check_int(n_train, "n_train")
    n_test = check_int(n_test, "n_test")
    check_choice(alternative, "alternative", ALTERNATIVES)
    what = describe(scores_a, scores_b, decimals=decimals)
    mean, df = float(differences.mean()), differences.size - 1
    varies = np.ptp(differences) > noise.max()
    variance = float(differences.var(ddof=1)) if varies else 0.0
    scored = (np.asarray(x, dtype=float) for x in (scores_a, scores_b))
    rounded = what.rounding_parts(*scored, differences)
    if not variance and not (rounded and what.said):
        names = ("scores_a", "scores_b")
        what.refuse_constant(names, mean, "differences", ask=bool(rounded))
    variance *= 1 / differences.size + n_test / n_train
    by_t = Difference.from_parts(mean, [(variance, df), *rounded], 0.95, "")
    if rounded:
        exact = Difference.from_parts(mean, [(variance, df)], 0.95, "")
        what.check_decisive(exact.pvalue, by_t.pvalue)
    t, df = by_t.statistic, by_t.df if rounded else df
    if alternative == "two-sided":
        pvalue = 2 * stats.t.sf(abs(t), df)
    else:
        pvalue = stats.t.sf(t, df) if alternative == "greater" else stats.t.cdf(t, df)
    return _result(
        t,
        pvalue,
        f"corrected resampled t{what.words(rounded=bool(rounded))}",
        alternative,
        df=df,
    )


# --------------------------------------------------------------------------------------
# Many comparisons, several data sets
# --------------------------------------------------------------------------------------


def holm(pvalues):
    """Adjust p-values for how many there are, by Holm's step-down method.

    Parameters
    ----------
    pvalues : array_like of float, shape (m,), or list of results
        One for each comparison that was made, those not shown included; or results that
        have one, as their `pvalue`.

    Returns
    -------
    ndarray of float, shape (m,)
        In the order given. To reject where this is at most alpha keeps the chance of
        one false rejection or more at alpha, however the tests depend on each other.

    Notes
    -----
    Size: a million p-values take 1 s.

    References
    ----------
    Holm (1979), A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian
    Journal of Statistics.

    Examples
    --------
    >>> from evalkit import holm
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    if isinstance(pvalues, (list, tuple)):
        pvalues = [getattr(one, "pvalue", one) for one in pvalues]
    pvalues = check_scores(pvalues, "pvalues")
    if pvalues.min() < 0 or pvalues.max() > 1:
        raise ValueError(
            f"pvalues must lie in [0, 1], got {pvalues.min()} to {pvalues.max()}"
        )
    return step_down(pvalues)


def compare_systems(scores, *, control=None, direction="higher", missing="refuse"):
    """Compare several systems over several data sets: Friedman, then Wilcoxon for the
    pairs.

    Parameters
    ----------
    scores : DataFrame or array_like of float, shape (data sets, systems)
        One score per data set and system. At least two data sets, three systems. Papers
        often print the systems in rows: such a table is warned of if its columns differ
        far more than its rows. Of a bare array nobody can tell.
    control : str or other label, optional
        A column: the system with which each other one is compared, and no pair else is
        adjusted for. By default all pairs are.
    direction : {"higher", "lower"} or sequence of these, default "higher"
        Which scores are better; with a sequence, on each data set. A Series is paired
        with the rows by position only where their labels agree.
    missing : {"refuse", "drop"}, default "refuse"
        What NaN does. "drop" leaves out each data set that lacks a score, and says so
        in the result; a system that fails on what is hard gains by it.

    Returns
    -------
    Comparison

    Warns
    -----
    UserWarning
        If the columns of a DataFrame whose rows have labels, and whose axes have no
        names, differ far more than the rows.

    Notes
    -----
    What varies is the data set, so the answer is about other data sets like these.
    Friedman's test is Demsar's first step; exact for as many data sets as two seconds
    allow (some hundred for 3 systems, 25 for 4, 8 for 5), else by chi-squared, which
    for few is far from it: eight data sets that agree on three systems have p = 3.6e-6,
    and .00034 by chi-squared. For the pairs he takes Nemenyi's test on the
    mean ranks, whose verdict on two systems depends on the others; Benavoli, Corani and
    Mangili advise signed-rank tests instead. The pairwise tests here are these, exact
    and adjusted by Holm. With n data sets no two-sided p-value is below 2 / 2^n before
    the adjustment; a control has fewer to adjust.

    A table with a float32 column is compared in float32, where 0.7 is 0.7 in every
    column.

    Size: 30 systems on 1,000 data sets, 190 on 300, 3 on 1,000,000, in 100 s: each pair
    is a `wilcoxon`.

    References
    ----------
    Demsar (2006), Statistical Comparisons of Classifiers over Multiple Data Sets,
    Journal of Machine Learning Research; Benavoli, Corani and Mangili (2016), Should We
    Really Use Post-Hoc Tests Based on Mean-Ranks?, Journal of Machine Learning
    Research.

    Examples
    --------
    >>> import pandas as pd
    >>> from evalkit import compare_systems
    >>> table = {"ours": [9, 8, 7], "old": [8, 7, 6], "tree": [7, 8, 5]}
    >>> pairs = compare_systems(pd.DataFrame(table), control="ours").pairs
    >>> pairs[["a", "b", "wins", "loses"]].to_numpy().tolist()
    [['ours', 'old', 3, 0], ['ours', 'tree', 2, 0]]
    """
    table, kind, share = (
        _check_systems(scores, control),
        coarsest(scores),
        rounding(scores),
    )
    check_choice(missing, "missing", ("refuse", "drop"))
    systems = list(table)
    if control is not None and control not in systems:
        turned = (
            ", but one of its rows: give scores.T"
            if control in table.index
            else f": {systems}"
        )
        raise ValueError(
            f"control must be a column of scores, got {control!r}, which is"
            f" none{turned}"
        )
    check_aligned(0, scores=table, direction=direction)
    directions = (
        [direction] * len(table) if isinstance(direction, str) else list(direction)
    )
    if len(directions) != len(table):
        raise ValueError(
            "direction must be one for all data sets or one for each, got"
            f" {len(directions)}"
        )
    signs = [
        1 if check_choice(way, "direction", DIRECTIONS) == "higher" else -1
        for way in directions
    ]
    absent = table.isna()
    dropped = tuple(table.index[absent.any(axis=1)]) if missing == "drop" else ()
    if absent.to_numpy().any() and not dropped:
        row, column = np.argwhere(absent.to_numpy())[0]
        raise ValueError(
            f"scores must have no missing cell, but {absent.to_numpy().sum()} of"
            f" {table.size} are; the first is that of {systems[column]} on"
            f" {table.index[row]}. Run it, or leave out such data sets by"
            " missing='drop' and say so"
        )
    whole = ~absent.any(axis=1).to_numpy()
    if whole.sum() < 2:
        raise ValueError(
            "scores must have two data sets or more without a missing cell, got"
            f" {whole.sum()}"
        )
    array = check_table(table[whole], "scores") * np.array(signs)[whole, None]
    if control is None:
        couples = list(combinations(range(len(systems)), 2))
    else:
        couples = [
            (systems.index(control), i)
            for i, name in enumerate(systems)
            if name != control
        ]
    check_work(
        len(couples) * (np.clip(len(array), 300, 1000) ** 3.0 + 1e4 * len(array)),
        _MAX_RANK_WORK,
        f"scores: {len(couples):,} pairs of systems on {len(array):,} data sets",
        "compare each with one baseline by control=",
    )
    best_first = [
        stats.rankdata(merge_ties(-row, share * np.abs(row))) for row in array
    ]
    # Where all are equal everywhere, SciPy divides 0 by 0.
    statistic, pvalue, way = 0, 1, "exact"
    if np.ptp(best_first):
        statistic, pvalue = stats.friedmanchisquare(*np.transpose(best_first))
        exact = friedman_tail(np.array(best_first))
        pvalue, way = (pvalue, "chi-squared") if exact is None else (exact, "exact")
    friedman = _result(
        statistic, pvalue, f"Friedman ({way})", None, df=len(systems) - 1
    )
    rows = []
    for i, j in couples:
        scores_a, scores_b = (as_type(array[:, k], kind).astype(kind) for k in (i, j))
        differences, _ = paired_differences(scores_a, scores_b)
        wins, loses = int(np.sum(differences > 0)), int(np.sum(differences < 0))
        difference, pvalue = (
            float(differences.mean()),
            wilcoxon(scores_a, scores_b).pvalue,
        )
        rows.append((systems[i], systems[j], difference, wins, loses, pvalue))
    pairs = pd.DataFrame(
        rows, columns=["a", "b", "difference", "wins", "loses", "pvalue"]
    )
    pairs["adjusted"] = holm(pairs.pvalue)
    ranks = pd.Series(np.mean(best_first, axis=0), index=systems)
    return Comparison(friedman, ranks, pairs, len(array), dropped)


def _check_systems(scores, control):
    """Return the scores as a table with named columns, or say that it lies on its
    side.
    """
    table, array = scores, as_array(scores, "scores", "a table of numbers")
    absent = (
        scores.isna()
        if isinstance(scores, pd.DataFrame)
        else array.dtype.kind == "f" and np.isnan(array)
    )
    check_table(np.where(absent, 0.0, array) if np.any(absent) else array, "scores")
    if array.ndim != 2 or array.shape[0] < 2 or array.shape[1] < 3:
        raise ValueError(
            "scores must have shape (data sets, systems), at least (2, 3), got"
            f" {array.shape}; for two systems use wilcoxon"
        )
    if not isinstance(scores, pd.DataFrame):
        table = pd.DataFrame(
            array, columns=[f"system {i}" for i in range(array.shape[1])]
        )
    if not table.columns.is_unique:
        raise ValueError(
            f"scores must name each system once, got {list(table.columns)}"
        )
    across, down = table.mean(axis=0).var(), table.mean(axis=1).var()
    # Data sets differ more than systems do. Which way round the table is, is known from
    # a name that the warning gives, or a control that is a column. No other name says
    # so: a pivot names both axes, also where it is turned.
    named = table.index.name == "data set" or table.columns.name == "system"
    known = named or control is not None
    if not (known or isinstance(table.index, pd.RangeIndex)) and across > 2 * down:
        warnings.warn(
            "the columns of scores differ far more than its rows: papers often print"
            " the systems in rows, and columns are compared here. Give scores.T if that"
            ' is so; if not, name the axes: scores.rename_axis(index="data set",'
            ' columns="system")',
            stacklevel=3,
        )
    return table


# --------------------------------------------------------------------------------------
# Before running
# --------------------------------------------------------------------------------------


def power(procedure, draw, *, alpha=0.05, n_simulations=1000, rng=None):
    """Simulate how often a test rejects: its power, or where nothing is to find its
    error rate.

    Parameters
    ----------
    procedure : callable
        The test: from a sample to a p-value, or to a result that has a `pvalue`.
    draw : callable
        From a `numpy.random.Generator` to a sample.
    alpha : float, default 0.05
        The test rejects if its p-value is at most this.
    n_simulations : int, default 1000
    rng : None, int or numpy.random.Generator

    Returns
    -------
    Power

    Notes
    -----
    Size: as long as `n_simulations` calls of `draw` and `procedure` take.

    Examples
    --------
    >>> from evalkit import mcnemar, power
    >>> def disagreements(rng):
    ...     n10 = int(rng.binomial(100, 0.65))
    ...     return n10, 100 - n10
    >>> test = lambda sample: mcnemar(*sample)
    >>> print(power(test, disagreements, n_simulations=200, rng=0))
    82.0 % of 200 simulations reject at 0.05 (95 % interval 76.0 % to 87.1 %)
    """
    for function, name in ((procedure, "procedure"), (draw, "draw")):
        if not callable(function):
            raise TypeError(f"{name} must be a function, got {function!r}")
    alpha = check_level(alpha, "alpha")
    n_simulations = check_int(n_simulations, "n_simulations")
    rng = check_rng(rng)
    results = [procedure(draw(rng)) for _ in range(n_simulations)]
    try:
        pvalues = np.array(
            [getattr(result, "pvalue", result) for result in results], dtype=float
        )
    except (OverflowError, TypeError, ValueError):
        raise TypeError(
            f"procedure must return a p-value or a result with one, got {results[0]!r}"
        ) from None
    if pvalues.ndim != 1 or not np.all((pvalues >= 0) & (pvalues <= 1)):
        raise ValueError(
            "procedure must return a p-value between 0 and 1 each time, and no NaN"
        )
    rejected = int(np.sum(pvalues <= alpha))
    return Power(
        rejected / n_simulations,
        proportion_interval(rejected, n_simulations),
        n_simulations,
        alpha,
    )


def spending_bounds(fractions, *, spending="obrien-fleming", confidence_level=0.95):
    """Compute how far out a result must be at each look, if you look before all results
    are there.

    Parameters
    ----------
    fractions : array_like of float, shape (n_looks,)
        At each look, which share of the planned runs, items or games is there:
        increasing, above 0 and at most 1. At most 100 looks, a thousandth apart or
        more.
    spending : {"obrien-fleming", "pocock"}, default "obrien-fleming"
        How the level is spent. "obrien-fleming": very little early, and nearly the
        ordinary level at the end; "pocock": about the same p at each look.
    confidence_level : float, default 0.95
        1 minus the level that all looks together may use.

    Returns
    -------
    SpendingBounds
        Of two-sided tests: stop at the first look whose z reaches `z` on either side,
        or whose p-value is at most `pvalue`.

    Notes
    -----
    By a fraction t of the information, Lan and DeMets' functions have spent 4 - 4 *
    Phi(z(alpha / 4) / sqrt(t)), where z(q) has the chance q above it, or alpha * log(1
    + (e - 1) * t). Each bound follows from those before it, by integration, to 1e-9.
    The functions must be chosen, and the planned total, before the first look; the
    looks themselves need not be, as long as no result decides when they are.

    The sums are taken for normal, with independent steps: means of many runs, counts of
    many items. Simulated (`lab.experiments.ends`, table `missed`), looks at Welch's t
    of 5 to 50 runs a side err in 3.8 to 5.2 % altogether, and at the exact p-value of
    10 to 400 items on which two systems differ in 2.8 to 4.5 %; p <= 0.05 at each look
    errs in 8 to 14 %. The mean that is seen at an early stop is too far out on average.

    Size: 100 looks take 5 s.

    References
    ----------
    Lan and DeMets (1983), Discrete Sequential Boundaries for Clinical Trials,
    Biometrika; Armitage, McPherson and Rowe (1969), Repeated Significance Tests on
    Accumulating Data, Journal of the Royal Statistical Society, Series A.

    Examples
    --------
    >>> from evalkit import spending_bounds
    >>> bounds = spending_bounds([0.5, 1])
    >>> bounds.z.round(3).tolist(), bounds.pvalue.round(5).tolist()
    ([2.963, 1.969], [0.00305, 0.049])
    """
    fractions = check_scores(fractions, "fractions")
    check_choice(spending, "spending", ("obrien-fleming", "pocock"))
    level = check_level(confidence_level)
    if fractions.size > _MOST_LOOKS:
        raise ValueError(
            f"fractions must be of at most {_MOST_LOOKS} looks, got {fractions.size:,}"
        )
    nearest = np.diff(fractions, prepend=0.0).min()
    if nearest < _NEAREST_LOOKS * (1 - 1e-9) or fractions[-1] > 1:
        raise ValueError(
            "fractions must increase from above 0 to at most 1, in steps of"
            f" {_NEAREST_LOOKS:g} or more, got {fractions[:5].tolist()}"
        )
    spent = spent_by(spending, fractions, 1 - level)
    bounds = stopping_bounds(fractions, spent)
    pvalues = 2 * special.ndtr(-bounds)
    return SpendingBounds(fractions, bounds, pvalues, spent, level, spending)
