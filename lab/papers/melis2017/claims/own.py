"""What runs of our own say: who is ahead once all are tuned alike, how little tuning
misleads, and luck.
"""

import functools

import numpy as np
from scipy import stats

from evalkit.expected_maximum import budget_difference
from evalkit.intervals import difference_interval, group_interval
from evalkit.seeds import crossed_difference
from lab.papers.judging import AtOnce, Evidence, Judges, Quantity, Resampled
from lab.papers.melis2017 import audit
from lab.papers.melis2017.claims.statistics import (
    CELLS,
    NAMES,
    Pool,
    differences,
    listed,
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
from lab.samples import boo_of_samples

JUDGES = Judges("melis2017")

NEWER = ("rhn", "nas")
# Of each pool: how many trials it has, and how many a search has that is drawn from it.
TUNED = 100
SIZES = {
    "pool": (TRIALS, TUNED),
    "budget": (stages.LARGER_TRIALS, 40),
    "elsewhere": (stages.SHARED, 30),
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
    for lead in behind["pool"]:
        largest = max(
            (gaps[lead] for gaps in behind.values()), key=lambda gap: gap.high
        )
        quantities[f"largest {lead}"] = largest
    phrases = [
        f"{PLACES[table]}, best of {SIZES[table][1]}: {listed(gaps)}"
        for table, gaps in behind.items()
    ]
    return Evidence(
        "own run",
        "Lead of the LSTM in the expected test loss of the best by validation, in"
        f" nats. {'. '.join(phrases)}.",
        quantities,
        {
            **_of_pools(record),
            **_of_reruns(record),
            "as printed": _as_printed(),
            "as printed, one layer": _as_printed(depth=1),
        },
        no_first="It asked for a GRU and for WikiText-2, of which there are no runs.",
    )


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


def _behind(pools, n, expected=Pool.chosen):
    """Resample by how much the newer cells lose more than the LSTM with a budget, in
    some expectation.
    """

    def gap(cell):
        one, other = pools["lstm"], pools[cell]
        return over_settings(
            lambda counts: expected(other, counts, n) - expected(one, counts, n),
            len(one),
        )

    return _newer(gap)


def _within(of, counts, seconds):
    return of.chosen(counts, of.bought(counts, seconds))


def _without_replacement(of, counts, n):
    # The draws are equally large: a row of the pool for each run that one holds.
    drawn = np.nonzero(np.arange(counts.max()) < counts[..., None])[1]
    drawn = drawn.reshape(len(counts), -1)
    return -boo_of_samples(-of.validation, -of.test, drawn, [n])[:, 0]


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
        "1,000 seconds for each": _behind(brown, 1000, _within),
        "validation loss": _behind(_by_validation(brown), TUNED),
        "searches without replacement": _behind(brown, TUNED, _without_replacement),
        "other settings for each cell": _newer(independent),
        "settings with which none diverges": _behind(_without_diverged(brown), TUNED),
        "equal widths, best of 20": _behind(wide, 20),
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


def _as_printed(**how):
    """Return by how much the newer cells are at least behind in the paper's own Table
    1, as losses.
    """
    losses = np.log([audit.three(budget, **how) for budget in audit.BUDGETS])
    least = (losses[:, 1:] - losses[:, :1]).min(axis=0)
    return _newer(lambda cell: Quantity.exact(least[NEWER.index(cell)]))


# --------------------------------------------------------------------------------------
# How much settings matter, and how often little tuning misleads
# --------------------------------------------------------------------------------------


@JUDGES.judge("hyperparameters-matter-most")
def _hyperparameters_matter(record):
    brown = _pools(record)

    def ratios(pools, of="pool", quantity="test", spread=_sd):
        return {
            NAMES[cell]: AtOnce(
                lambda settings, seeds: spread(settings) / spread(seeds),
                getattr(tried, quantity)[~tried.diverged],
                reruns(record, cell, of)[quantity].to_numpy(float),
            )
            for cell, tried in pools.items()
        }

    quantities = ratios(brown)
    left_out = [
        f"{NAMES[cell]} {tried.diverged.sum()}" for cell, tried in brown.items()
    ]
    return Evidence(
        "own run",
        "SD of test loss over random settings, as a multiple of that over seeds:"
        f" {listed(quantities, '.1f')}. Left out, as they diverged:"
        f" {', '.join(left_out)}.",
        quantities,
        {
            "docstrings": ratios(_pools(record, "elsewhere"), "docstrings"),
            "validation loss": ratios(brown, quantity="validation"),
            "quartiles in place of SDs": ratios(
                brown, spread=functools.partial(stats.iqr, axis=-1)
            ),
        },
        no_first=(
            "It asked for a GRU and a plain recurrent network, of which there are no"
            " runs."
        ),
    )


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


def _extremes(one, several):
    """Return the share of the pair that is reversed least, and of that which is
    reversed most.
    """
    nothing = Quantity(np.nan, np.nan, np.nan)  # where no pair is settled
    return {
        "one setting of each": min(one, key=lambda x: x.low, default=nothing),
        "one setting of each, at most": max(one, key=lambda x: x.high, default=nothing),
        "best of five of each": min(several, key=lambda x: x.low, default=nothing),
    }


@JUDGES.judge("poor-control-misleads")
def _poor_control(record):
    brown = _pools(record)
    gaps = differences(brown, TUNED)
    pairs = _settled(gaps)
    one, five, twenty = (_reversed(brown, pairs, n) for n in (1, 5, 20))

    def asked(pools, n=TUNED):
        settled = _settled(differences(pools, n))
        return _extremes(_reversed(pools, settled, 1), _reversed(pools, settled, 5))

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

    phrases = "; ".join(
        f"{NAMES[a]} before {NAMES[b]}, {x:.3f} of single settings and {y:.3f} of the"
        " best of 5"
        for (a, b), x, y in zip(pairs, one, five, strict=True)
    )
    return Evidence(
        "own run",
        f"Best of {TUNED}: {listed(gaps)}. Settled, and the share of the opposite"
        f" order: {phrases or 'none'}.",
        _extremes(one, five),
        {
            **{
                PLACES[t]: asked(_pools(record, t), SIZES[t][1])
                for t in ("elsewhere", "budget")
            },
            "validation loss": asked(_by_validation(brown)),
            "settings with which none diverges": asked(_without_diverged(brown)),
            "the same settings for both": _extremes(
                *([same_settings(p, n) for p in pairs] for n in (1, 5))
            ),
            "best of 20 in place of five": _extremes(one, twenty),
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


@JUDGES.judge("seed-noise-small")
def _seed_noise(record):
    quantities = {
        f"{NAMES[cell]} on {text}": pooled_sd(
            [reruns(record, cell, of).test.to_numpy(float)]
        )
        for of, text in (("pool", "Brown"), ("docstrings", "docstrings"))
        for cell in CELLS
    }
    return Evidence(
        "own run",
        f"SD of test loss over {SEEDS} seeds of our small models:"
        f" {listed(quantities, '.4f')}.",
        quantities,
        no_first="It asked for WikiText-2, of which there are no runs.",
    )


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
