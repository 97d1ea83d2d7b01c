"""What runs of our own say: who is ahead once all are tuned alike, how little tuning
misleads, and luck.
"""

import functools

import numpy as np
import pandas as pd
from scipy import stats

from evalkit.expected_maximum import budget_difference
from evalkit.intervals import difference_interval, group_interval
from evalkit.seeds import crossed_difference
from lab.papers.judging import (
    Evidence,
    Judges,
    MissingRunsError,
    Quantity,
    Resampled,
    best_of_covers,
)
from lab.papers.melis2017.claims.statistics import (
    CELLS,
    NAMES,
    Pool,
    ahead,
    differences,
    of_searches,
    over_settings,
    pooled_sd,
    pools,
    reruns,
    searches,
)
from lab.papers.melis2017.tasks import stages
from lab.papers.melis2017.tasks.stages import RERUNS, SEARCHES, SEEDS, TRIALS
from lab.record.tables import unpack

JUDGES = Judges("melis2017")

NEWER = ("rhn", "nas")
# Of each pool: how many trials it has, and how many a search has, a fifth at most.
TUNED = 100
SIZES = {
    "pool": (TRIALS, TUNED),
    "budget": (stages.LARGER_TRIALS, stages.LARGER_TRIALS // 5),
    "elsewhere": (stages.SHARED, stages.SHARED // 5),
}
PLACES = {
    "pool": "Brown",
    "budget": "2.4 times the parameters",
    "elsewhere": "docstrings",
}

_sd, _welch = (
    functools.partial(np.std, ddof=1, axis=-1),
    functools.partial(difference_interval, paired=False),
)


# --------------------------------------------------------------------------------------
# Who is ahead
# --------------------------------------------------------------------------------------


@JUDGES.judge("plain-cell-holds-up")
def _plain_cell(record):
    behind = {
        table: _behind(_pools(record, table), n) for table, (_, n) in SIZES.items()
    }
    quantities = {
        f"{lead}, {PLACES[table]}": gap
        for table, gaps in behind.items()
        for lead, gap in gaps.items()
    }
    least = min(quantities, key=lambda name: quantities[name].low)
    return Evidence(
        "own run",
        "Lead of the LSTM in the expected test loss of the best by validation, in"
        " nats, by U and the jackknife over settings: from"
        f" {min(gap.estimate for gap in quantities.values()):.3f} to"
        f" {max(gap.estimate for gap in quantities.values()):.3f}. The least certain:"
        f" {least}, {quantities[least]:.3f}.",
        quantities,
        {
            **_of_pools(record),
            **_of_reruns(record),
        },
        no_first="It asked for a GRU and for WikiText-2, of which there are no runs.",
    )


def coverage(record):
    """Count how often an interval of the best of n holds the truth, for searches that
    are drawn from the pools.

    Parameters
    ----------
    record : lab.papers.rows.Rows

    Returns
    -------
    pandas.DataFrame
        `id` (a pool, n and a cell, or a lead of the LSTM), `held` and `samples`.
    """
    rows = []
    for table, (_, n) in SIZES.items():
        try:
            pools = _pools(record, table)
        except MissingRunsError:
            continue
        losses = {cell: (-of.validation, -of.test) for cell, of in pools.items()}
        for cell, own in losses.items():
            covered = best_of_covers(lambda one: one, own, one=(0, n))
            rows.append((f"{PLACES[table]}, best of {n}, {NAMES[cell]}", *covered))
        for cell in NEWER:
            covered = best_of_covers(
                lambda one, other: one - other,
                *(losses["lstm"], losses[cell]),
                one=(0, n),
                other=(1, n),
            )
            rows.append(
                (f"{PLACES[table]}, best of {n}, lead on {NAMES[cell]}", *covered)
            )
    return pd.DataFrame(rows, columns=["id", "held", "samples"])


def _pools(record, table="pool"):
    return pools(record, table, SIZES[table][0])


def _without_diverged(pools):
    """Return the pools without the settings with which any of the cells diverges."""
    ended = ~np.any([pool.diverged for pool in pools.values()], axis=0)
    return {cell: pool.only(ended) for cell, pool in pools.items()}


def _by_validation(pools):
    return {cell: pool.by_validation() for cell, pool in pools.items()}


def _newer(gap):
    """Return how far the LSTM is ahead of each of the newer cells."""
    return {f"lead on {NAMES[cell]}": gap(cell) for cell in NEWER}


def _behind(pools, n):
    """Return by how much the best of n of the newer cells loses more than that of the
    LSTM.
    """
    return _newer(lambda cell: ahead(pools, "lstm", cell, n))


def _resampled(pools, n, expected=Pool.chosen):
    """Resample the same by the plug-in V, or another expectation with a budget."""

    def gap(cell):
        one, other = pools["lstm"], pools[cell]
        return over_settings(
            lambda counts: expected(other, counts, n) - expected(one, counts, n),
            len(one),
        )

    return _newer(gap)


def _within(of, counts, seconds):
    return of.chosen(counts, of.bought(counts, seconds))


def _of_pools(record):
    """Return by how much the newer cells are behind in other searches of the pools."""
    brown = _pools(record)
    # The LSTM is the same with its own widths.
    wide = pools(record, "pool", stages.WIDTHS_TRIALS, ("lstm",)) | pools(
        record, "widths", stages.WIDTHS_TRIALS, NEWER
    )

    def independent(cell):
        losses = [
            part
            for of in (brown[cell], brown["lstm"])
            for part in (of.validation, of.test)
        ]
        result = budget_difference(*losses, TUNED, minimize=True)
        return Quantity.from_interval(result.difference, result)

    return {
        "best of 10": _behind(brown, 10),
        "1,000 seconds for each": _resampled(brown, 1000, _within),
        "validation loss": _behind(_by_validation(brown), TUNED),
        "V and its bootstrap": _resampled(brown, TUNED),
        "other settings for each cell": _newer(independent),
        "settings with which none diverges": _behind(_without_diverged(brown), TUNED),
        "equal widths, best of 8": _behind(wide, len(wide["lstm"]) // 5),
    }


def _of_reruns(record):
    """Return by how much the newer cells are behind where chosen settings were trained
    again.
    """

    def compared(values, difference=_welch):
        def gap(cell):
            result = difference(values(cell), values("lstm"))
            return Quantity.from_interval(result.difference, result)

        return _newer(gap)

    def of_table(name, count, column="test", **where):
        return compared(
            lambda cell: record.table(name, count, cell=cell, **where)[column]
        )

    def documents(cell):
        return np.array([unpack(packed) for packed in reruns(record, cell).documents])

    return {
        "guided searches": compared(
            lambda cell: of_searches(record, cell, "test").mean(axis=1)
        ),
        "one setting, other seeds": of_table("seeds", SEEDS, of="pool"),
        "the same, on docstrings": of_table("seeds", SEEDS, of="docstrings"),
        "one setting, other seeds and documents": compared(
            documents, crossed_difference
        ),
        "one setting, with a cache": of_table("evaluated", stages.EVALUATED, "cached"),
        **{
            f"{n:,} subwords, not tuned again": of_table(
                "lengths", stages.LENGTH_SEEDS, tokens=n, dropout=1
            )
            for n in stages.LENGTHS
        },
        "all of Brown, not tuned again": of_table("final", stages.WHOLE),
    }


# --------------------------------------------------------------------------------------
# How much settings matter, and how often little tuning misleads
# --------------------------------------------------------------------------------------


def _settled(gaps):
    """Return the pairs of cells of which the order is sure, the better one first."""
    pairs = {pair: gap for pair, gap in gaps.items() if gap.low > 0 or gap.high < 0}
    return [pair if gap.low > 0 else pair[::-1] for pair, gap in pairs.items()]


def _reversed(pools, pairs, n):
    """Resample how often two searches of n trials reverse each pair."""

    def share(better, worse):
        one, other = pools[better], pools[worse]
        return over_settings(lambda counts: one.beaten(counts, n, other), len(one))

    return [share(*pair) for pair in pairs]


def _of_pairs(pairs, one, several):
    """Name the shares of each pair that two searches reverse; without a settled pair
    they are not known.
    """
    names = ("one setting of each", "best of five of each")
    if not pairs:
        return dict.fromkeys(names, Quantity(np.nan, np.nan, np.nan))
    named = {}
    for (better, worse), single, few in zip(pairs, one, several, strict=True):
        order = f"{NAMES[better]} before {NAMES[worse]}"
        named |= {f"{names[0]}, {order}": single, f"{names[1]}, {order}": few}
    return named


@JUDGES.judge("poor-control-misleads")
def _poor_control(record):
    brown = _pools(record)
    gaps = differences(brown, TUNED)
    pairs = _settled(gaps)
    one, five, twenty = (_reversed(brown, pairs, n) for n in (1, 5, 20))
    quantities = _of_pairs(pairs, one, five)

    def asked(pools, n=TUNED):
        # What is settled on Brown need not be so elsewhere.
        settled = _settled(differences(pools, n))
        both = (_reversed(pools, settled, searched) for searched in (1, 5))
        return dict.fromkeys(quantities) | _of_pairs(settled, *both)

    def same_settings(pair, n, draws=2000):
        """Resample how often the worse cell wins where both try the same settings."""
        better, worse = (brown[cell] for cell in pair)
        places = (np.random.default_rng(n).random((draws, n)) * TRIALS).astype(int).T

        def share(index):
            tried = np.sort(index)[places]
            found = (of.by_rank[of.rank[tried].min(axis=0)] for of in (better, worse))
            ahead = np.sign(next(found) - next(found))
            return np.mean((ahead + 1) / 2)  # a tie is half a reversal

        return Resampled(share, np.arange(TRIALS))

    orders = ", ".join(f"{NAMES[a]} before {NAMES[b]}" for a, b in pairs) or "none"
    spans = [
        f"{min(x.estimate for x in found):.0%} to {max(x.estimate for x in found):.0%}"
        for found in (one, five)
        if found
    ]
    said = (
        " Single settings give the other order in"
        f" {' of draws, the best of five in '.join(spans)}."
    )
    return Evidence(
        "own run",
        f"By the best of {TUNED} the order is settled: {orders}.{said if spans else ''}"
        " Whether more care is needed than before is not asked.",
        quantities,
        {
            "one in five, for both": {},
            "one in four, for both": {},
            **{
                PLACES[t]: asked(_pools(record, t), SIZES[t][1])
                for t in ("elsewhere", "budget")
            },
            "validation loss": asked(_by_validation(brown)),
            "settings with which none diverges": asked(_without_diverged(brown)),
            "the same settings for both": _of_pairs(
                pairs, *([same_settings(p, n) for p in pairs] for n in (1, 5))
            ),
            "best of 20 in place of five": _of_pairs(pairs, one, twenty),
            "limits twice as high": {},
        },
        no_first=(
            "It does not say which of the two has the one trial; the verdict hangs"
            " on it."
        ),
    )


# --------------------------------------------------------------------------------------
# Luck
# --------------------------------------------------------------------------------------


@JUDGES.judge("retrain-the-chosen-setting")
def _retrain(record):
    cells = np.repeat(np.arange(len(CELLS)), SEARCHES)

    def surplus(quantity, strata=cells):
        """Return by how much the chosen run of each search is below the mean of its
        reruns.
        """
        again = [of_searches(record, cell, quantity).mean(axis=1) for cell in CELLS]
        lost = np.concatenate(again) - np.concatenate(
            [searches(record, cell)[quantity] for cell in CELLS]
        )
        return Quantity.from_interval(
            lost.mean(), group_interval(lost, np.arange(len(lost)), strata=strata)
        )

    optimism = surplus("validation")
    others = {
        "test loss": surplus("test"),
        "all cells taken as one": surplus("validation", None),
    }
    return Evidence(
        "own run",
        f"The chosen run's validation loss is below the mean of its {RERUNS} reruns by"
        f" {optimism:.4f}, over {len(CELLS)} times {SEARCHES} searches.",
        {"surplus": optimism},
        {name: {"surplus": x} for name, x in others.items()},
        no_first=f"It asked for ten reruns of each chosen setting; there are {RERUNS}.",
    )


@JUDGES.judge("tuner-uncertainty-left-out")
def _tuner_uncertainty(record):
    def ratio(cells, quantity="test"):
        """Return the SD over searches over that of seeds, whose part in a mean is taken
        out, by F.
        """
        groups = [of_searches(record, cell, quantity) for cell in cells]
        between = (
            RERUNS * pooled_sd([runs.mean(axis=1) for runs in groups]).estimate ** 2
        )
        within = pooled_sd(np.concatenate(groups)).estimate ** 2
        freedom = len(groups) * (SEARCHES - 1), len(groups) * SEARCHES * (RERUNS - 1)
        ends = (1.0, stats.f.ppf(0.975, *freedom), stats.f.ppf(0.025, *freedom))
        return Quantity(
            *(
                float(np.sqrt(max(between / within / end - 1, 0) / RERUNS))
                for end in ends
            )
        )

    noise = ratio(CELLS)
    others = {"validation loss": ratio(CELLS, "validation")}
    others |= {f"the {NAMES[cell]} alone": ratio([cell]) for cell in CELLS}
    return Evidence(
        "own run",
        "SD over searches of the tuned setting's test loss, the seeds' part taken out,"
        f" as a multiple of the seed SD: {noise:.2f}.",
        {"searches over seeds": noise},
        {name: {"searches over seeds": x} for name, x in others.items()},
        no_first=f"It asked for twelve searches of each cell; there are {SEARCHES}.",
    )
