"""Claims about noise: of seeds, of arithmetic, and of texts that end somewhere."""

import itertools

import numpy as np
from scipy import stats

from evalkit.papers.bajgar2018.audit import anderson_darling
from evalkit.papers.judging import Finding, Jackknifed, Judges, Trials, either
from evalkit.papers.melis2017.claims.statistics import (
    AMENDED,
    CELLS,
    NAMES,
    PAIRS,
    listed,
    numbers,
    pooled_sd,
    reruns,
    sd_of,
    sd_ratio,
    words,
)
from evalkit.papers.melis2017.tasks.stages import SEEDS, UNSEEN

JUDGES = Judges("melis2017")

TEXTS = {"pool": "Brown", "docstrings": "docstrings"}
# Normal samples to hold a statistic against; test sets, and resamples of each.
NORMAL_SAMPLES, TEST_SETS, RESAMPLES = 20_000, 4000, 1000
FILES, FEWER_FILES = 20, 10


# ---------------------------------------------------------------------------------------------
# Seeds and arithmetic
# ---------------------------------------------------------------------------------------------


@JUDGES.judge("arithmetic-as-noisy-as-seeds", criterion=AMENDED)
def _arithmetic(record):
    rows = record.table("arithmetic", SEEDS + 1).sort_values("order")
    as_they_come, orders = rows.validation.iloc[0], rows.validation.to_numpy(float)[1 : SEEDS + 1]
    seeds = reruns(record, "lstm").validation.to_numpy(float)
    found = sd_ratio(orders, seeds)
    same = "gives the same loss again" if as_they_come == seeds[0] else "does not give the same loss again"
    return Finding(
        either(found.estimate >= 0.8 and found.low > 0.5, found.high < 0.5),
        "own run",
        f"SD of validation loss over {len(orders)} orders of addition {orders.std(ddof=1):.4f}, over "
        f"{len(seeds)} seeds {seeds.std(ddof=1):.4f}; ratio {words(found, 2)}. The same order "
        f"run twice {same}.",
        intervals=1,
    )


def _by_seed(record):
    """Return the test losses of the reruns of each cell's best setting, by text and cell."""
    return {
        (text, cell): reruns(record, cell, of).test.to_numpy(float)
        for of, text in TEXTS.items()
        for cell in CELLS
    }


@JUDGES.judge("seed-noise-small", criterion=AMENDED)
def _seed_noise(record):
    found = {f"{NAMES[cell]} on {text}": sd_of(losses) for (text, cell), losses in _by_seed(record).items()}
    limit = 0.01
    return Finding(
        either(all(x.high < limit for x in found.values()), any(x.low > limit for x in found.values())),
        "own run",
        f"SD of test loss over {SEEDS} seeds: {listed(found, 4)}.",
        intervals=len(found),
    )


@JUDGES.judge("normal-with-equal-variance", criterion=AMENDED)
def _normal(record):
    found = _by_seed(record)
    rng = np.random.default_rng(2017)
    null = anderson_darling(rng.standard_normal((NORMAL_SAMPLES, SEEDS)))
    trials = {
        key: Trials(NORMAL_SAMPLES, int((null >= anderson_darling(losses)).sum()), (0.05,))
        for key, losses in found.items()
    }
    rejected = sum(drawn.cases / drawn.count < 0.05 for drawn in trials.values())
    unequal, ratios = {}, {}
    for text in TEXTS.values():
        of = {cell: found[text, cell] for cell in CELLS}
        unequal[text] = float(stats.levene(*of.values(), center="median").pvalue)
        ordered = sorted(CELLS, key=lambda cell, of=of: of[cell].std())
        ratios[text] = sd_ratio(of[ordered[-1]], of[ordered[0]])
    lines = "; ".join(
        f"{NAMES[cell]} on {text} {drawn.cases / drawn.count:.3f}" for (text, cell), drawn in trials.items()
    )
    tests = "; ".join(f"{text} p = {p:.3f}" for text, p in unequal.items())
    return Finding(
        either(
            rejected <= 1
            and all(p >= 0.05 for p in unequal.values())
            and all(x.estimate < 2 for x in ratios.values()),
            rejected >= 3 or any(x.estimate >= 2 and x.low > 1.5 for x in ratios.values()),
        ),
        "own run",
        f"Anderson-Darling, p by simulation: {lines}; Brown-Forsythe: {tests}. Largest SD over smallest: "
        f"{listed(ratios, 2)}.",
        tuple(trials.values()),
        intervals=len(ratios),
    )


# ---------------------------------------------------------------------------------------------
# Texts that end somewhere
# ---------------------------------------------------------------------------------------------


def _scored(record):
    """Return tokens, mean loss and variance of each unseen file, by cell and seed."""
    found = {}
    for cell in CELLS:
        rows = record.table("unseen", UNSEEN, cell=cell).sort_values("seed")
        for row in rows.head(UNSEEN).itertuples():
            found[cell, row.seed] = [numbers(part) for part in (row.tokens, row.means, row.variances)]
    return found


def covered(tokens, means, variances, sets, resamples):
    """Tell in which test sets an interval covers the loss on all files.

    Parameters
    ----------
    tokens, means, variances : ndarray of float, shape (files,)
        Of each file how many tokens are scored, their mean loss, and its variance.
    sets : ndarray of int, shape (sets, drawn)
        Which files each test set has.
    resamples : ndarray of int, shape (resamples, drawn)
        How often a resample has each place of a test set.

    Returns
    -------
    dict of str to ndarray of bool, shape (sets,)
        For intervals of 95 %: normal ones over "tokens", and percentiles of resampled "files". These are
        expanded as Hesterberg (2015) has it, for else those of 20 files are too short even where files are
        independent and normal.
    """
    n = sets.shape[1]
    tail = stats.norm.cdf(stats.t.ppf(0.025, n - 1) * np.sqrt(n / (n - 1)))
    sums = tokens * means
    truth = sums.sum() / tokens.sum()
    size, total = tokens[sets].sum(axis=1), sums[sets].sum(axis=1)
    mean = total / size
    within = ((tokens - 1) * variances)[sets].sum(axis=1)
    between = (tokens[sets] * (means[sets] - mean[:, None]) ** 2).sum(axis=1)
    error = stats.norm.ppf(0.975) * np.sqrt((within + between) / (size - 1) / size)
    drawn = (resamples @ sums[sets].T) / (resamples @ tokens[sets].T)
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    return {"tokens": np.abs(mean - truth) <= error, "files": (low <= truth) & (truth <= high)}


@JUDGES.judge("no-bootstrap-on-one-text", criterion=AMENDED)
def _no_bootstrap(record):
    scored, rng = _scored(record), np.random.default_rng(2017)
    files = {len(tokens) for tokens, _, _ in scored.values()}
    (count,) = files
    sets = rng.integers(count, size=(TEST_SETS, FILES))
    resamples = rng.multinomial(FILES, np.full(FILES, 1 / FILES), size=RESAMPLES)
    found = [covered(*parts, sets, resamples) for parts in scored.values()]
    shares = {kind: float(np.mean([of[kind] for of in found])) for kind in ("tokens", "files")}
    limits = {"tokens": (0.90,), "files": (0.90, 0.93, 0.97)}
    trials = [Trials(TEST_SETS, round(TEST_SETS * shares[kind]), limits[kind]) for kind in shares]
    return Finding(
        either(max(shares.values()) < 0.90, 0.93 <= shares["files"] <= 0.97),
        "own run",
        f"Test sets of {FILES} of {count} files, on average over {len(scored)} models: intervals of 95 % "
        f"that take tokens as independent cover in {shares['tokens']:.1%}, those of a bootstrap over "
        f"files in {shares['files']:.1%}.",
        tuple(trials),
        intervals=0,
    )


@JUDGES.judge("gap-measures-sampling-noise", criterion=AMENDED)
def _gap_measures(record):
    scored = _scored(record)
    of_gaps = pooled_sd(
        [(again.validation - again.test).to_numpy(float) for again in (reruns(record, c) for c in CELLS)]
    )
    predicted = np.sqrt(2) * of_gaps.estimate
    seeds = sorted({seed for _, seed in scored})
    (count,) = {len(tokens) // FEWER_FILES for tokens, _, _ in scored.values()}

    def by_set(cell, seed):
        tokens, means, _ = (
            part[: count * FEWER_FILES].reshape(count, FEWER_FILES) for part in scored[cell, seed]
        )
        return (tokens * means).sum(axis=1) / tokens.sum(axis=1)

    apart = np.array([by_set(b, seed) - by_set(a, seed) for (a, b), seed in itertools.product(PAIRS, seeds)])

    def log_ratio(sets):
        return np.log(np.std(sets, axis=0, ddof=1).mean() / predicted)

    found = Jackknifed(log_ratio, list(apart.T))
    ratio, low, high = (float(np.exp(x)) for x in (found.estimate, found.low, found.high))
    return Finding(
        either(0.5 <= ratio <= 2, low > 2 or high < 0.5),
        "own run",
        f"SD over {count} test sets of {FEWER_FILES} files of the difference of two models' losses "
        f"{predicted * ratio:.4f}; from the gaps of models {predicted:.4f} is predicted. Ratio {ratio:.2f} "
        f"({low:.2f} to {high:.2f}).",
        intervals=1,
    )
