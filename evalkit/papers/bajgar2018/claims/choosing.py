"""The best-validation run: what choosing it is worth, and how that hangs on the number of runs."""

import dataclasses

import numpy as np
from scipy import special

from evalkit.expected_maximum import gaussian_expected_max
from evalkit.papers.bajgar2018 import audit
from evalkit.papers.bajgar2018.audit import FIXED, OTHERS, PAPERS, POOLS, SEARCH, boo_pairs, spearman
from evalkit.papers.bajgar2018.claims.statistics import (
    NAMES,
    by_pool,
    gain,
    on_itself,
    rise,
    sd,
    words,
)
from evalkit.papers.judging import (
    NOT_REPLICATED,
    REPLICATED,
    Finding,
    Judges,
    Resampled,
    either,
    everywhere,
    sized,
)

JUDGES = Judges("bajgar2018")


def _pairs(pool):
    return audit.runs(pool).pairs


@JUDGES.judge("selection-nearly-random")
def _selection_nearly_random(record):
    correlations = {pool: Resampled(spearman, _pairs(pool)) for pool in FIXED}
    gains = {pool: Resampled(lambda pairs: gain(pairs, 20), _pairs(pool)) for pool in FIXED}
    for pool in FIXED:
        correlations[pool].settle(-0.35, 0.35)
        gains[pool].settle(0.5)
    low = all(r.low > -0.35 and r.high < 0.35 for r in correlations.values())
    small = all(found.high < 0.5 for found in gains.values())
    return Finding(
        either(low and small, any(found.low > 0.5 for found in gains.values())),
        "released data",
        f"Spearman's correlation: {by_pool(correlations)}. Gain of the best-validation run of 20 over the "
        f"mean "
        f"test score, in SDs: {by_pool(gains)}.",
        (*correlations.values(), *gains.values()),
    )


@JUDGES.judge("search-raises-correlation", criterion="2026-11-22")
def _search_raises_correlation(record):
    apart = Resampled(lambda a, b: spearman(b) - spearman(a), _pairs("asreader_fixed"), _pairs(SEARCH))
    searched = {pool: Resampled(spearman, _pairs(pool)) for pool in (SEARCH, *OTHERS)}
    verdicts = [apart.beyond(0), *(found.beyond(0.5) for found in searched.values())]
    return Finding(
        either(set(verdicts) == {REPLICATED}, apart.low <= 0 or NOT_REPLICATED in verdicts[1:]),
        "released data",
        f"Spearman's correlation, under search minus fixed: {words(apart)}. Under search: "
        f"{by_pool(searched, 3)}.",
        (apart, *searched.values()),
    )


@JUDGES.judge("best-rises-with-n")
def _best_rises(record):
    rises = {
        f"from {low} to {high} runs": Resampled(lambda p, a=low, b=high: rise(p, a, b), _pairs(SEARCH))
        for low, high in ((1, 5), (5, 20), (1, 20))
    }
    first, second, whole = rises.values()
    confirmed = {found.beyond(0) for found in (first, second)} == {REPLICATED}
    whole.settle(1)
    others = [f"{NAMES[pool]} {rise(_pairs(pool), 1, 20):.1f}" for pool in OTHERS]
    return Finding(
        sized(confirmed, whole.high < 1),
        "released data",
        f"Rise of the expected test accuracy in points, random-search pool: {by_pool(rises)}. From 1 to 20, "
        f"{' and '.join(others)}.",
        tuple(rises.values()),
    )


def _rise_in_sds(pairs):
    return rise(pairs, 1, 20) / sd(pairs)


@JUDGES.judge("rise-needs-correlation", criterion="2026-11-23")
def _rise_needs_correlation(record):
    searched = Resampled(_rise_in_sds, _pairs(SEARCH))
    fixed = {pool: Resampled(_rise_in_sds, _pairs(pool)) for pool in FIXED}
    apart = {
        pool: Resampled(lambda a, b: _rise_in_sds(b) - _rise_in_sds(a), _pairs(pool), _pairs(SEARCH))
        for pool in FIXED
    }
    above = [found.beyond(0) for found in apart.values()]
    for found in fixed.values():
        found.settle(0.5)
    below_half = [found.high < 0.5 for found in fixed.values()]
    return Finding(
        either(set(above) == {REPLICATED} and all(below_half), any(x.estimate <= 0 for x in apart.values())),
        "released data",
        f"Rise from 1 to 20 runs, in SDs: {by_pool({SEARCH: searched, **fixed})}; the first minus each of "
        f"the others: {by_pool(apart)}.",
        (*fixed.values(), *apart.values()),
    )


@JUDGES.judge("selection-metric-rises-most")
def _selection_metric_rises_most(record):
    apart = {
        pool: Resampled(lambda p: gain(on_itself(p[:, 0]), 20) - gain(p, 20), _pairs(pool)) for pool in PAPERS
    }
    verdict = everywhere([found.beyond(0) for found in apart.values()])
    return Finding(
        either(verdict == REPLICATED, any(found.low <= 0 for found in apart.values())),
        "released data",
        f"Best of 20 minus the mean, in SDs, validation minus test: {by_pool(apart)}.",
        tuple(apart.values()),
    )


@JUDGES.judge("keep-validation-and-test-apart", criterion="2026-11-22")
def _keep_apart(record):
    surplus = {
        pool: Resampled(lambda p: gain(on_itself(p[:, 1]), 20) - gain(p, 20), _pairs(pool)) for pool in PAPERS
    }
    for found in surplus.values():
        found.settle(0, 0.5)
    confirmed = all(found.low > 0 and found.estimate >= 0.5 for found in surplus.values())
    return Finding(
        either(confirmed, any(found.high < 0.5 for found in surplus.values())),
        "released data",
        "Choosing the best of 20 by test accuracy reports more than choosing it by validation, in SDs: "
        f"{by_pool(surplus)}.",
        tuple(surplus.values()),
    )


def _gap_moved(claim, high):
    @JUDGES.judge(claim, criterion="2026-11-22" if claim == "publish-number-of-runs" else "")
    def judge(record):
        moved = Resampled(lambda p: rise(p, 1, high), _pairs(SEARCH))
        beside = Resampled(lambda p: rise(p, 5, 20), _pairs(SEARCH))
        gap = audit.median_gap(SEARCH)
        return Finding(
            moved.beyond(gap),
            "released data",
            f"From 1 to {high} runs the expected test accuracy of the best-validation run moves by "
            f"{words(moved)} "
            f"points, from 5 to 20 by {words(beside)}; the median published gap is "
            f"{gap:.2f}.",
            (moved, beside),
            intervals=1,
        )


_gap_moved("budgets-not-comparable", 20)
_gap_moved("publish-number-of-runs", 50)


def win_chances(size, large, small):
    """Return the chances of where the best-validation runs of two teams stand in a pool.

    Parameters
    ----------
    size : int
        Runs in the pool.
    large, small : int
        Runs of each team, all different.

    Returns
    -------
    ndarray of float, shape (size, size)
        By the place of the larger team's best, then by that of the smaller's, in order of validation.
    """
    place = np.arange(size)
    big, little = place[:, None], place
    # Whoever has the lower best draws its others below it; the other team then below its own, without those.
    ahead = special.comb(little, small - 1) * special.comb(np.maximum(big - small, 0), large - 1)
    behind = special.comb(big, large - 1) * special.comb(np.maximum(little - large, 0), small - 1)
    chances = np.where(big > little, ahead, np.where(big < little, behind, 0.0))
    return chances / chances.sum()


@JUDGES.judge("more-runs-win")
def _more_runs_win(record):
    wins = {}
    for pool in PAPERS:
        chances = win_chances(len(_pairs(pool)), 20, 5)
        rng = np.random.default_rng(2018)

        def share(pairs, chances=chances, rng=rng):
            found = []
            for _ in range(4):  # ties in validation are broken at random
                order = np.lexsort((rng.random(len(pairs)), pairs[:, 0]))
                test = pairs[order, 1]
                found.append((chances * (np.sign(test[:, None] - test) + 1) / 2).sum())
            return np.mean(found)

        # Only that pool decides; the others stand beside it.
        wins[pool] = Resampled(share, _pairs(pool), draws=1000 if pool == SEARCH else 200)
    decides = wins[SEARCH]
    decides.settle(0.5, 0.55)
    return Finding(
        sized(decides.low > 0.5, decides.high < 0.55),
        "released data",
        f"How often the team with 20 runs reports more than the one with 5: {by_pool(wins)}.",
        (decides,),
    )


def equation_6(pairs, constant):
    """Return Equation 6 of one sample.

    Parameters
    ----------
    pairs : ndarray of float, shape (m, 2)
    constant : float
        The expected maximum of n standard normal draws.

    Returns
    -------
    float
    """
    v, t = (pairs - pairs.mean(axis=0)).T
    return float(pairs[:, 1].mean() + (v @ t) / np.sqrt((v @ v) * (len(v) - 1)) * constant)


@JUDGES.judge("characterise-fully", criterion="2026-11-22")
def _characterise_fully(record):
    constants = {n: gaussian_expected_max(n) for n in (5, 20)}  # at n = 1 both are the mean
    off = {
        (pool, n): Resampled(
            lambda p, n=n, constant=constant: equation_6(p, constant) - boo_pairs(p, n), _pairs(pool)
        )
        for pool in PAPERS
        for n, constant in constants.items()
    }
    for found in off.values():
        found.settle(-0.25, 0.25)
    within = all(found.low > -0.25 and found.high < 0.25 for found in off.values())
    beyond = any(found.low > 0.25 or found.high < -0.25 for found in off.values())
    spread = {
        pool: [
            Resampled(lambda p, n=n: boo_pairs(p, n), _pairs(pool), draws=500).values.std()
            for n in (5, 20, 50)
        ]
        for pool in PAPERS
    }
    grows = all((np.diff(values) > 0).all() for values in spread.values())
    lines = [f"{NAMES[pool]}, n = {n}: {words(found)}" for (pool, n), found in off.items()]
    sds = [f"{NAMES[pool]} {', '.join(f'{x:.2f}' for x in values)}" for pool, values in spread.items()]
    return Finding(
        either(within and grows, beyond),
        "released data",
        f"Equation 6 minus Equation 7 in points: {'; '.join(lines)}. SD of Boo_n over bootstrap samples for "
        f"n = 5, "
        f"20, 50: {'; '.join(sds)}.",
        tuple(off.values()),
    )


@JUDGES.judge("one-number-not-enough")
def _one_number(record):
    def apart(fixed, searched):
        shift = boo_pairs(fixed, 5) - boo_pairs(searched, 5)
        return np.quantile(fixed[:, 1], 0.1) - np.quantile(searched[:, 1] + shift, 0.1)

    found = Resampled(apart, _pairs("asreader_fixed"), _pairs(SEARCH))
    return Finding(
        found.beyond(1),
        "released data",
        f"With the same Boo_5, the 10 % quantiles of the two AS Reader pools are {words(found)} points "
        f"apart.",
        (found,),
    )


def _predicts(record, pools, names, evidence):
    """Judge whether one prediction is better than others, on all of some pools."""
    kept = {
        (pool, name): record.kept(name.replace(" ", "_"), "deployed", pool=pool)
        for pool in pools
        for name in names
    }
    lines = [
        f"{NAMES[pool]}, {name.replace(' less ', ' minus ')}: {words(found, 3)}"
        for (pool, name), found in kept.items()
    ]
    return Finding(
        everywhere([found.beyond(0, above=False) for found in kept.values()]),
        "released data",
        f"{evidence} {'; '.join(lines)}.",
        tuple(found.draws(0) for found in kept.values()),
    )


@JUDGES.judge("boo-predicts-deployed", criterion="2026-11-22")
def _boo_predicts(record):
    return _predicts(
        record,
        POOLS,
        ("boo less mean", "boo less median"),
        "Mean squared error, in points squared, of predicting the best-validation run of 5:",
    )


@JUDGES.judge("mean-right-for-one-model", criterion="2026-11-22")
def _mean_right(record):
    finding = _predicts(
        record, POOLS, ("mean less boo",), "Mean squared error, in points squared, of predicting one run:"
    )
    beside = {pool: record.kept("median_less_boo", "deployed", pool=pool) for pool in POOLS}
    evidence = f"{finding.evidence} The median minus Boo_5: {by_pool(beside, 3)}."
    return dataclasses.replace(finding, evidence=evidence)


@JUDGES.judge("n-as-practitioner-trains", criterion="2026-11-22")
def _n_as_practitioner(record):
    names = [f"{n} less {k} for {n}" for n in (1, 5, 20) for k in (1, 5, 20) if k != n]
    return _predicts(
        record,
        (SEARCH, *OTHERS),
        names,
        "Mean squared error, in points squared, with the matching n minus another one:",
    )


@JUDGES.judge("tuning-not-compensated", criterion="2026-11-22")
def _tuning_not_compensated(record):
    gains = {pool: record.kept("gain", "narrowed", pool=pool) for pool in OTHERS}
    confirmed = all(found.low > 0 for found in gains.values())
    return Finding(
        sized(confirmed, any(found.high < 0.5 for found in gains.values())),
        "released data",
        "Boo_5 within the range of learning rates of the best quarter of other runs, minus Boo_5 of all, in "
        f"points: {by_pool(gains, 3)}.",
        tuple(found.draws(0, 0.5) for found in gains.values()),
    )


@JUDGES.judge("five-runs-overnight", criterion="2026-11-22")
def _five_runs(record):
    hours = audit.hours()
    total = Resampled(lambda whole: 5 * whole.mean(), np.sort(hours.whole.to_numpy()))
    to_best = Resampled(lambda best: 5 * best.mean(), np.sort(hours.best.to_numpy()))
    longest = audit.boo_pairs(on_itself(hours.whole.to_numpy()), 5)
    verdict = total.beyond(12, above=False)
    return Finding(
        verdict,
        "released data",
        f"Five runs of the random search take {words(total, 1)} hours one after another, by the log; to the "
        f"evaluation that counts {words(to_best, 1)}; side by side the longest of five takes {longest:.1f}. "
        f"One run takes {hours.whole.mean():.1f} on average, {hours.whole.median():.1f} in the middle, and a "
        f"thousand batches take {hours.minutes.median():.0f} minutes, if the log counts seconds.",
        (total, to_best),
        intervals=1,
    )
