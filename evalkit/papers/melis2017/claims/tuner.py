"""Claims about the tuner: what a guided search needs and finds, and how much of that was luck."""

import numpy as np
from scipy import stats

from evalkit.expected_maximum import expected_max
from evalkit.papers.judging import Finding, Jackknifed, Judges, either, sized
from evalkit.papers.melis2017 import audit
from evalkit.papers.melis2017.claims.pools import near_best
from evalkit.papers.melis2017.claims.statistics import (
    AMENDED,
    CELLS,
    NAMES,
    added,
    combined,
    contrast,
    log_median,
    log_trials_until,
    numbers,
    percent,
    pool,
    pooled_sd,
    pools,
    ratio,
    reruns,
    searches_over_seeds,
    share_difference,
    words,
)
from evalkit.papers.melis2017.tasks.stages import (
    GRID_PLACES,
    NEIGHBOURS,
    RERUNS,
    SEARCH_TRIALS,
    SEARCHES,
    SHARES,
    TRIALS,
)
from evalkit.proportions import proportion_interval

JUDGES = Judges("melis2017")


def _searches(record, cell):
    rows = record.table("guided", SEARCHES, cell=cell)
    return rows[rows.search_number < SEARCHES].sort_values("search_number")


def _again(record, cell, quantity):
    """Return the reruns of what each search chose, one array for each search."""
    return [
        reruns(record, cell, f"search {number}", RERUNS)[quantity].to_numpy(float)
        for number in range(SEARCHES)
    ]


# ---------------------------------------------------------------------------------------------
# Guided, random, and on a grid
# ---------------------------------------------------------------------------------------------


@JUDGES.judge("guided-beats-grid", criterion=AMENDED)
def _guided_beats_grid(record):
    guided = _searches(record, "lstm").validation.to_numpy(float)
    places = list(pool(record, "grid", GRID_PLACES).validation)
    grid = Jackknifed(lambda values: expected_max(np.array(values), SEARCH_TRIALS, minimize=True), places)
    found = added(
        [
            (guided.mean(), guided.var(ddof=1) / len(guided), len(guided) - 1),
            (-grid.estimate, grid.error**2, len(places) - 1),
        ]
    )
    beside = expected_max(pool(record, "pool", TRIALS, cell="lstm").validation, SEARCH_TRIALS, minimize=True)
    near = percent(0.5)
    return Finding(
        sized(found.high < 0, found.low > 0 or (-near < found.low and found.high < near)),
        "own run",
        f"Best validation loss of {SEARCH_TRIALS} trials: guided {guided.mean():.3f}, grid "
        f"{grid.estimate:.3f}, random {beside:.3f}; guided less grid {words(found)}.",
        intervals=1,
    )


def best_known(record, cell):
    """Return the mean validation loss of the reruns of the best setting of a cell's pool.

    Parameters
    ----------
    record : evalkit.papers.rows.Rows
    cell : str

    Returns
    -------
    float
    """
    return float(reruns(record, cell).validation.mean())


def until_near(record, cell, limit):
    """Return how many trials each guided search takes until a validation loss within a limit.

    Parameters
    ----------
    record : evalkit.papers.rows.Rows
    cell : str
    limit : float

    Returns
    -------
    ndarray of int, shape (6,)
        One more than there are trials where it never comes.
    """
    counts = []
    for cell_of_losses in _searches(record, cell).validations:
        near = numbers(cell_of_losses) <= limit
        counts.append(near.argmax() + 1 if near.any() else len(near) + 1)
    return np.array(counts)


def _within(found, limit):
    """Return the median trials of a random search until within a limit, as a logarithm with its interval."""
    return log_trials_until(int((found.validation <= limit).sum()), len(found))


@JUDGES.judge("tuner-cheaper-than-grid", criterion=AMENDED)
def _cheaper_than_grid(record):
    cells = audit.GRID_VALUES**audit.GRID_HYPERPARAMETERS
    limit = best_known(record, "lstm") + percent(5)
    counts = until_near(record, "lstm", limit)
    grid = _within(pool(record, "grid", GRID_PLACES), limit)
    drawn = _within(pool(record, "pool", TRIALS, cell="lstm"), limit)
    found = ratio(combined([log_median(counts), grid], (1, -1)))
    return Finding(
        either(cells > audit.TUNER_TRIALS and found.high < 1, found.low >= 1),
        "own run",
        f"The grid has {cells:,} cells. Trials until within 5 % of the best known perplexity, at the median: "
        f"guided {np.median(counts):.1f} of 6 searches ({_listed(counts)}), grid {words(ratio(grid), 1)}, "
        f"random {words(ratio(drawn), 1)}. Guided over grid {words(found, 2)}.",
        intervals=1,
    )


def _listed(counts):
    return ", ".join(f"{int(count)}" for count in counts)


@JUDGES.judge("cheaper-evaluation", criterion=AMENDED)
def _cheaper_evaluation(record):
    found, evenly = pools(record, "pool", TRIALS), np.ones(TRIALS)
    guided, drawn, lines = [], {}, []
    for cell in CELLS:
        limit = best_known(record, cell) + percent(5)
        counts = until_near(record, cell, limit)
        guided.append(log_median(counts))
        drawn[cell] = _within(found[cell], limit)
        lines.append(f"{NAMES[cell]} {np.median(counts):.1f} guided, {words(ratio(drawn[cell]), 1)} random")
    each = 1 / len(CELLS)
    saved = ratio(combined([*guided, *drawn.values()], [each] * len(CELLS) + [-each] * len(CELLS)))
    shares = {cell: near_best(found[cell], evenly) for cell in CELLS}
    wide, narrow = max(shares, key=shares.get), min(shares, key=shares.get)
    robust = ratio(combined([drawn[wide], drawn[narrow]], (1, -1)))
    both = (saved, robust)
    return Finding(
        either(all(x.high < 1 for x in both), all(x.low >= 1 for x in both)),
        "own run",
        f"Median trials until within 5 % of the best known perplexity: {'; '.join(lines)}. Guided over "
        f"random, over the cells: {words(saved, 2)}. The {NAMES[wide]}, of which {shares[wide]:.0%} of "
        f"settings are within 10 % of its best, over the {NAMES[narrow]} with {shares[narrow]:.0%}: "
        f"{words(robust, 2)}.",
        intervals=len(both),
    )


@JUDGES.judge("good-neighbourhood", criterion=AMENDED)
def _good_neighbourhood(record):
    limit = best_known(record, "lstm") + percent(5)
    close, wide = (
        pool(record, "neighbours", NEIGHBOURS, share=share).validation <= limit for share in SHARES
    )
    share = proportion_interval(int(close.sum()), len(close))
    found = share_difference(close, wide)
    return Finding(
        either(
            close.mean() >= 0.8 and share.low > 0.7 and found.low > 0,
            share.high < 0.7 or found.high <= 0,
        ),
        "own run",
        f"Within 5 % of the best setting's perplexity lie {close.sum()} of {len(close)} settings from a "
        f"fifth of each range ({share.low:.2f} to {share.high:.2f}) and {wide.sum()} of {len(wide)} from "
        f"three fifths; difference {words(found, 2)}.",
        intervals=2,
    )


# ---------------------------------------------------------------------------------------------
# Luck
# ---------------------------------------------------------------------------------------------


def _surplus(record, quantity):
    """Return by how much the chosen run of each search is below the mean of its reruns, by cell."""
    return [
        np.array([runs.mean() for runs in _again(record, cell, quantity)])
        - _searches(record, cell)[quantity].to_numpy(float)
        for cell in CELLS
    ]


def _mean(groups, scale=1.0):
    """Return the mean over cells of the mean over searches, with a t interval."""
    return contrast([values / scale for values in groups], [1 / len(groups)] * len(groups))


@JUDGES.judge("retrain-the-chosen-setting", criterion=AMENDED)
def _retrain(record):
    found = _mean(_surplus(record, "validation"))
    return Finding(
        either(found.low > 0, found.low <= 0),
        "own run",
        f"The chosen run's validation loss is below the mean of its {RERUNS} reruns by {words(found, 4)}, "
        f"over {len(CELLS)} times {SEARCHES} searches.",
        intervals=1,
    )


@JUDGES.judge("tuner-fits-little-noise", criterion=AMENDED)
def _little_noise(record):
    found = {}
    for quantity in ("validation", "test"):
        sd = pooled_sd([runs for cell in CELLS for runs in _again(record, cell, quantity)]).estimate
        found[quantity] = _mean(_surplus(record, quantity), sd)
    validation, test = found["validation"], found["test"]
    winners = []
    for cell in CELLS:
        of, again = pool(record, "pool", TRIALS, cell=cell), reruns(record, cell).validation
        winners.append(f"{NAMES[cell]} {(again.mean() - of.validation.min()) / again.std(ddof=1):.1f}")
    return Finding(
        either(
            validation.low >= 0.5 and validation.high <= 1.5 and test.high < 0.5,
            validation.low > 1.5 or validation.estimate <= 0,
        ),
        "own run",
        f"The chosen run is below the mean of its reruns by so many SDs over seeds: validation "
        f"{words(validation, 2)}, test {words(test, 2)}. The winners of the pools of {TRIALS}: "
        f"{', '.join(winners)}.",
        intervals=2,
    )


@JUDGES.judge("tuner-uncertainty-left-out", criterion=AMENDED)
def _tuner_uncertainty(record):
    found = searches_over_seeds([_again(record, cell, "test") for cell in CELLS])
    return Finding(
        either(found.estimate >= 0.5 and found.low > 0, found.high < 0.25),
        "own run",
        f"SD over searches of the tuned setting's test loss, the seeds' part taken out, as a multiple of the "
        f"seed SD: {words(found, 2)}.",
        intervals=1,
    )


@JUDGES.judge("one-perplexity-rule", criterion=AMENDED)
def _one_perplexity(record):
    chances = audit.chances_of_a_gap()
    sd = pooled_sd([_searches(record, cell).test.to_numpy(float) for cell in CELLS])
    of_two = stats.norm.ppf(0.975) * np.sqrt(2)
    low, middle, high = (100 * np.expm1(of_two * end) for end in (sd.low, sd.estimate, sd.high))
    limit = 1.7
    lines = "; ".join(f"{name} {chance:.1%}" for name, chance in chances.items())
    return Finding(
        either(
            max(chances.values()) < 0.05 and high < limit,
            min(chances.values()) > 0.05 or low > limit,
        ),
        "own run",
        f"Chance that equal models differ by more than {audit.ROBUST:.1f}, by the printed noise: {lines}. "
        f"Own searches: 95 % of differences are below {middle:.2f} % of perplexity ({low:.2f} "
        f"to {high:.2f}).",
        intervals=1,
    )
