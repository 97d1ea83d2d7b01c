"""Intervals by resampling, and what two teams make of the same runs."""

import numpy as np

from evalkit.papers.bajgar2018 import audit
from evalkit.papers.bajgar2018.audit import FIXED, PAPERS
from evalkit.papers.bajgar2018.claims.statistics import NAMES, words
from evalkit.papers.judging import Finding, Judges, Trials, either, everywhere
from evalkit.proportions import proportion_interval

JUDGES = Judges("bajgar2018")


def _within(trials, low, high):
    """Return the verdict on "a share lies between two limits", by the interval of the simulation."""
    share = proportion_interval(trials.cases, trials.count, confidence_level=0.99)
    return either(low <= share.low and share.high <= high, share.high < low or share.low > high)


def _shares(record, column, of, sizes, limits):
    """Return the trials of each pool and size, from all blocks."""
    found = {}
    for pool in PAPERS:
        for m in sizes:
            rows = record.table("intervals", pool=pool, m=m)
            found[pool, m] = Trials(int(rows[of].sum()), int(rows[column].sum()), limits)
    return found


def _lines(trials):
    pools = dict.fromkeys(pool for pool, _ in trials)
    return "; ".join(
        f"{NAMES[pool]} "
        + ", ".join(f"{t.cases / t.count:.1%} (m = {m})" for (of, m), t in trials.items() if of == pool)
        for pool in pools
    )


@JUDGES.judge("always-compare-with-statistics")
def _always_compare(record):
    trials = {}
    for pool in FIXED:
        found = record.one("teams", pool=pool)
        trials[pool] = Trials(found["draws"], found["apart"], (0.05,))
    shares = {
        pool: proportion_interval(t.cases, t.count, confidence_level=0.99) for pool, t in trials.items()
    }
    lines = [f"{NAMES[pool]} {t.cases / t.count:.1%}" for pool, t in trials.items()]
    return Finding(
        either(
            all(share.low > 0.05 for share in shares.values()),
            all(share.high <= 0.05 for share in shares.values()),
        ),
        "released data",
        "Two teams with five runs each of the same system differ in Boo_5 by more than half the median gap "
        "in: "
        f"{'; '.join(lines)}.",
        tuple(trials.values()),
    )


@JUDGES.judge("zero-outside-is-significant")
def _zero_outside(record):
    trials = _shares(record, "excluded", "pairs", (10, 20, 40), (0.025, 0.075))
    return Finding(
        everywhere([_within(t, 0.025, 0.075) for t in trials.values()]),
        "released data",
        f"Zero lies outside the interval of the gain of one sample over another of the same pool in: "
        f"{_lines(trials)}.",
        tuple(trials.values()),
    )


@JUDGES.judge("bootstrap-interval-covers")
def _covers(record):
    trials = _shares(record, "held_boo", "samples", (10, 20, 50), (0.93, 0.97))
    few = _shares(record, "held_boo", "samples", (5,), ())
    means = _shares(record, "held_mean", "samples", (10, 20, 50), ())
    return Finding(
        everywhere([_within(t, 0.93, 0.97) for t in trials.values()]),
        "released data",
        f"Nominally 95 %, for Boo_5: {_lines(trials)}; with five runs {_lines(few)}; for the mean "
        f"{_lines(means)}.",
        tuple(trials.values()),
    )


@JUDGES.judge("bootstrap-converges-to-performance")
def _converges(record):
    falls, shrinks, lines = [], [], []
    sizes = (10, 40, 160, 370)
    for statistic, label in (("mean", "mean"), ("boo", "Boo_5")):
        rows = [record.one("convergence", statistic=statistic, m=m) for m in sizes]
        distance, sd, centred = (
            np.array([row[name] for row in rows]) for name in ("distance", "sd", "centred")
        )
        falls.append((np.diff(distance) < 0).all())
        shrinks.append((np.diff(sd) < 0).all() and centred[-1] < centred[0])
        lines.append(
            f"{label}: distance to single runs {', '.join(f'{x:.2f}' for x in distance)}, SD "
            f"{', '.join(f'{x:.2f}' for x in sd)}, centred distance to the estimate's own distribution "
            f"{centred[0]:.2f} to {centred[-1]:.2f}"
        )
    return Finding(
        either(all(falls), not any(falls) and all(shrinks)),
        "released data",
        f"Bootstrap distribution from 10, 40, 160 and 370 runs, {'; '.join(lines)}.",
    )


@JUDGES.judge("interval-shows-enough-runs")
def _shows_enough(record):
    shares, falls, lines = {}, [], []
    for pool in PAPERS:
        widths = []
        for m in (5, 10, 20, 40):
            rows = record.table("intervals", pool=pool, m=m)
            widths.append(rows.width.mean())
            shares[pool, m] = widths[-1] / rows.span.mean()
        falls.append((np.diff(widths) < 0).all())
        lines.append(
            f"{NAMES[pool]} {', '.join(f'{w:.2f}' for w in widths)} "
            f"({', '.join(f'{shares[pool, m]:.2f}' for m in (5, 10, 20, 40))})"
        )
    confirmed = all(falls) and all(0.75 <= share <= 1.25 for share in shares.values())
    return Finding(
        either(confirmed, any(share < 0.75 for (_, m), share in shares.items() if m >= 10)),
        "released data",
        "Median width of the interval of Boo_5 from 5, 10, 20 and 40 runs in points, and its share of what "
        "holds "
        f"95 % of the estimates: {'; '.join(lines)}.",
    )


@JUDGES.judge("monte-carlo-smoother", criterion="2026-11-23")
def _smoother(record):
    verdicts, drawn, lines = [], [], []
    for m in (5, 10, 20):
        rows = record.table("normal_intervals", m=m)
        count = int(rows.samples.sum())
        fitted, plain = (Trials(count, int(rows[f"held_{name}"].sum())) for name in ("fitted", "bootstrap"))
        drawn += [fitted, plain]
        off = [abs(t.cases / t.count - 0.95) for t in (fitted, plain)]
        error = np.hypot(fitted.error, plain.error)
        # From twenty runs on hardly two of a thousand resamples are alike.
        more = m == 20 or rows.different_fitted.mean() > rows.different_bootstrap.mean()
        verdicts.append(either(off[1] - off[0] > error and more, off[0] - off[1] > error))
        lines.append(
            f"m = {m}: {fitted.cases / count:.1%} against {plain.cases / count:.1%}, with "
            f"{rows.different_fitted.mean():.0f} and {rows.different_bootstrap.mean():.0f} different values "
            f"of 1,000"
        )
    return Finding(
        everywhere(verdicts),
        "released data",
        f"Coverage by the fitted normal against the bootstrap, for normal scores: {'; '.join(lines)}.",
        tuple(drawn),
    )


@JUDGES.judge("spend-runs-on-repeats")
def _spend_runs(record):
    mean, best, apart = (
        record.kept(name, "orders", pool="asreader_fixed") for name in ("mean", "best", "mean_less_best")
    )
    return Finding(
        either(apart.low > 0, apart.estimate <= 0),
        "released data",
        f"Two systems {audit.median_gap('asreader_fixed'):.2f} points apart, ten runs each, are ordered "
        f"rightly by "
        f"means in {words(mean)}, by best-validation runs in {words(best)}; the difference is "
        f"{words(apart)}.",
        (apart.draws(0),),
    )
