"""Claims that pools of random settings decide: who is ahead, at which budget, and how surely."""

import numpy as np

from evalkit.expected_maximum import expected_max
from evalkit.papers.judging import OUT_OF_REACH, Finding, Judges, Resampled, either, sized
from evalkit.papers.melis2017.claims.statistics import (
    AMENDED,
    CELLS,
    NAMES,
    PAIRS,
    differences,
    listed,
    named,
    over_settings,
    percent,
    pool,
    pools,
    reruns,
    words,
)
from evalkit.papers.melis2017.tasks.stages import LARGER_TRIALS, SHARED, TRIALS, WIDTHS_TRIALS
from evalkit.recorded import load_recorded

JUDGES = Judges("melis2017")

# Of each pool: how many trials it has, and how many a search has that is drawn from it.
SIZES = {"pool": (TRIALS, 100), "budget": (LARGER_TRIALS, 40), "elsewhere": (SHARED, 30)}
PLACES = {"pool": "Brown", "budget": "Brown, 2.4 times the parameters", "elsewhere": "docstrings"}
TUNED = 100
BUDGETS = {"trials": (1, 3, 10, 30, 100), "seconds": (10, 30, 100, 300, 1000)}
# Of ten intervals, so that together they err by chance in one case of twenty; their ends rest on few draws.
TOGETHER, TOGETHER_DRAWS = 0.995, 8000


@JUDGES.judge("plain-cell-holds-up", criterion=AMENDED)
def _plain_cell(record):
    pairs = (("lstm", "rhn"), ("lstm", "nas"))
    found = {table: differences(pools(record, table, count), n, pairs) for table, (count, n) in SIZES.items()}
    drawn = [x for of in found.values() for x in of.values()]
    lines = ". ".join(
        f"{PLACES[table]}, best of {SIZES[table][1]}: {listed(of)}" for table, of in found.items()
    )
    return Finding(
        either(
            all(x.low > 0 for x in drawn),
            any(all(of[pair].high < 0 for of in found.values()) for pair in pairs),
        ),
        "own run",
        f"Expected test loss of the best by validation, in nats. {lines}.",
        tuple(drawn),
    )


@JUDGES.judge("hyperparameters-matter-most", criterion=AMENDED)
def _hyperparameters_matter(record):
    ratios, left_out = {}, {}
    for cell in CELLS:
        rows = record.table("pool", TRIALS, cell=cell)
        rows = rows[rows.trial < TRIALS].sort_values("trial")
        kept = rows[rows.diverged == 0]
        left_out[cell] = len(rows) - len(kept)
        ratios[cell] = Resampled(
            lambda settings, seeds: settings.std(ddof=1) / seeds.std(ddof=1),
            kept.test.to_numpy(float),
            reruns(record, cell).test.to_numpy(float),
        )
        ratios[cell].settle(3)
    return Finding(
        either(all(x.low > 3 for x in ratios.values()), any(x.high < 3 for x in ratios.values())),
        "own run",
        f"SD of test loss over random settings, as a multiple of that over seeds: {listed(ratios, 1)}. Left "
        f"out, as they diverged: {', '.join(f'{NAMES[c]} {n}' for c, n in left_out.items())}.",
        tuple(ratios.values()),
    )


def _opposite(found, pair, n):
    """Resample how often single searches of n order two cells otherwise than the best of many."""
    better, worse = pair
    one, other = found[better], found[worse]
    return over_settings(lambda counts: one.beaten(counts, n, other, counts), len(one))


@JUDGES.judge("poor-control-misleads", criterion=AMENDED)
def _poor_control(record):
    found, shares = pools(record, "pool", TRIALS), {}
    tuned = differences(found, TUNED)
    for (a, b), x in tuned.items():
        if x.low > 0 or x.high < 0:
            pair = (a, b) if x.low > 0 else (b, a)
            shares[pair] = [_opposite(found, pair, n) for n in (1, 5)]
            for share, limit in zip(shares[pair], (0.10, 0.05), strict=True):
                share.settle(limit)
    lines = "; ".join(
        f"{NAMES[a]} before {NAMES[b]}, {words(one)} of single settings and {words(five)} of the best of 5"
        for (a, b), (one, five) in shares.items()
    )
    return Finding(
        either(
            bool(shares) and all(one.low > 0.10 and five.low > 0.05 for one, five in shares.values()),
            bool(shares) and all(one.high < 0.10 for one, _ in shares.values()),
        ),
        "own run",
        f"Best of {TUNED}: {listed(tuned)}. Settled, and the share of the opposite order: {lines or 'none'}.",
        (*tuned.values(), *(share for both in shares.values() for share in both)),
    )


@JUDGES.judge("careful-control-possible-but-dear", criterion=AMENDED)
def _careful_control(record):
    found = pools(record, "pool", TRIALS)

    def falls(cell, few, many):
        of = found[cell]
        drawn = over_settings(lambda counts: of.scatter(counts, many) / of.scatter(counts, few), len(of))
        drawn.settle(1)
        return drawn

    ratios = {
        (cell, few, many): falls(cell, few, many) for cell in CELLS for few, many in ((5, 20), (20, 80))
    }
    whole = {cell: falls(cell, 5, 80) for cell in CELLS}
    evenly = np.ones(TRIALS)
    gaps = {(a, b): found[b].chosen(evenly, TUNED) - found[a].chosen(evenly, TUNED) for a, b in PAIRS}
    a, b = max(gaps, key=lambda pair: abs(gaps[pair]))
    better, worse = (a, b) if gaps[a, b] > 0 else (b, a)
    right = {n: 1 - found[better].beaten(evenly, n, found[worse], evenly) for n in (5, 80)}
    lines = "; ".join(
        f"{NAMES[cell]} {few} to {many} {words(x, 2)}" for (cell, few, many), x in ratios.items()
    )
    return Finding(
        either(
            all(x.high < 1 for x in ratios.values()) and right[80] >= 0.95 and right[5] < right[80],
            any(x.high >= 1 for x in whole.values()),
        ),
        "own run",
        f"SD over searches of the chosen setting's test loss, after more trials as a multiple of that after "
        f"fewer: {lines}; from 5 to 80: {listed(whole, 2)}. The {NAMES[better]} comes out before the "
        f"{NAMES[worse]} in {right[5]:.0%} of pairs of searches of 5 and {right[80]:.0%} of those of 80.",
        (*ratios.values(), *whole.values()),
    )


@JUDGES.judge("not-only-language-models")
def _not_only_language_models(record):
    search, seeds = (load_recorded("pools", name) for name in ("search", "seeds"))
    drawn = {name: search[search.system == name].test.to_numpy(float) for name in ("mlp", "lstm")}
    again = {name: seeds[seeds.system == name].test.to_numpy(float) for name in drawn}
    ratios = {
        name: Resampled(lambda a, b: a.std(ddof=1) / b.std(ddof=1), drawn[name], again[name])
        for name in drawn
    }
    better, worse = sorted(again, key=lambda name: -again[name].mean())

    def opposite(one, other):
        ordered = np.sort(other)
        below, up_to = (np.searchsorted(ordered, one, side) for side in ("left", "right"))
        return 1 - (below + up_to).mean() / 2 / len(other)

    share = Resampled(opposite, drawn[better], drawn[worse])
    for x, limit in ((share, 0.10), *((x, 3) for x in ratios.values())):
        x.settle(limit)
    titles = {"mlp": "MLP", "lstm": "LSTM"}
    return Finding(
        either(
            all(x.low > 3 for x in ratios.values()) and share.low > 0.10,
            all(x.high < 3 for x in ratios.values()) and share.high < 0.10,
        ),
        "own run",
        f"Docstring classification: SD of test accuracy over settings as a multiple of that over seeds, "
        f"{'; '.join(f'{titles[name]} {words(x, 1)}' for name, x in ratios.items())}. Tuned, the "
        f"{titles[better]} is ahead; of pairs of single settings {words(share)} have the opposite order. "
        f"Machine translation is out of reach.",
        (*ratios.values(), share),
    )


def near_best(of, counts):
    """Return the share of settings within 10 % in perplexity of the best by validation.

    Parameters
    ----------
    of : Pool
    counts : ndarray of float, shape (N,)
        How often each was drawn; the best is the best of these.

    Returns
    -------
    float
    """
    limit = of.validation[counts > 0].min() + percent(10)
    return counts @ (of.validation <= limit) / counts.sum()


@JUDGES.judge("report-sensitivity", criterion=AMENDED)
def _report_sensitivity(record):
    found = pools(record, "pool", TRIALS)
    tuned, apart, evenly = differences(found, TUNED), {}, np.ones(TRIALS)
    for pair, x in tuned.items():
        if abs(x.estimate) <= percent(2):
            one, other = (found[cell] for cell in pair)
            apart[pair] = over_settings(
                lambda counts, one=one, other=other: near_best(other, counts) - near_best(one, counts),
                TRIALS,
            )
            apart[pair].settle(0, -0.05, 0.05)
    shares = ", ".join(f"{NAMES[cell]} {near_best(found[cell], evenly):.3f}" for cell in CELLS)
    return Finding(
        sized(
            any(x.low > 0 or x.high < 0 for x in apart.values()),
            bool(apart) and all(x.low > -0.05 and x.high < 0.05 for x in apart.values()),
        ),
        "own run",
        f"Best of {TUNED}: {listed(tuned)}. Share of settings within 10 % of the best: {shares}. Differences "
        f"for pairs within 2 %: {listed(apart) or 'no pair is that close'}.",
        (*tuned.values(), *apart.values()),
    )


@JUDGES.judge("cells-equal-in-capacity", criterion=AMENDED)
def _equal_capacity(record):
    found = pools(record, "pool", TRIALS)
    ordered = {cell: np.argsort(found[cell].test, kind="stable") for cell in CELLS}

    def median(cell, counts):
        order = ordered[cell]
        return found[cell].test[order][np.searchsorted(np.cumsum(counts[order]), counts.sum() / 2)]

    def gaps(counts):
        untuned = np.ptp([median(cell, counts) for cell in CELLS])
        return untuned, np.ptp([found[cell].chosen(counts, TUNED) for cell in CELLS])

    drawn = over_settings(lambda counts: np.divide(*gaps(counts)), TRIALS)
    drawn.settle(1.5, 2)
    untuned, tuned = gaps(np.ones(TRIALS))
    return Finding(
        either(drawn.low > 2, drawn.high < 1.5),
        "own run",
        f"The largest gap in test loss between cells is {untuned:.3f} at the median setting and {tuned:.3f} "
        f"for the best of {TUNED}; ratio {words(drawn, 2)}.",
        (drawn,),
    )


def _expected(of, counts, budget, unit):
    """Return the expected test loss of what a budget buys, parts of a trial included, at least one."""
    n = budget if unit == "trials" else max(budget / (counts @ of.seconds / counts.sum()), 1.0)
    return of.chosen(counts, n)


@JUDGES.judge("leagues", criterion=AMENDED)
def _leagues(record):
    found, evenly = pools(record, "pool", TRIALS), np.ones(TRIALS)
    tails = (1 - TOGETHER) / 2, (1 + TOGETHER) / 2
    lines, drawn, surely = [], [], False
    for unit, budgets in BUDGETS.items():
        for pair in PAIRS:

            def gap(counts, budget, unit=unit, pair=pair):
                one, other = (_expected(found[cell], counts, budget, unit) for cell in pair)
                return other - one

            signs = {budget: np.sign(gap(evenly, budget)) for budget in budgets}
            if not {-1, 1} <= set(signs.values()):
                continue
            sure = set()
            for budget, sign in signs.items():
                x = over_settings(
                    lambda counts, budget=budget, gap=gap: gap(counts, budget), TRIALS, draws=TOGETHER_DRAWS
                )
                low, high = np.quantile(x.values, tails)
                drawn.append(x)
                if low > 0 or high < 0:
                    sure.add(sign)
                bought = f"{budget:,} {unit if budget > 1 else unit[:-1]}"
                lines.append(f"{named(pair)} at {bought} {x.estimate:.3f} ({low:.3f} to {high:.3f})")
            surely = surely or sure >= {-1, 1}
    return Finding(
        either(surely, not drawn),
        "own run",
        f"Pairs of the three cells, on Brown, whose order changes with the budget: "
        f"{'; '.join(lines) or 'none'}. (Intervals of {TOGETHER:.1%}.)",
        tuple(drawn),
    )


# ---------------------------------------------------------------------------------------------
# Two texts
# ---------------------------------------------------------------------------------------------


def _borrowed(chosen_on, used_on, counts):
    """Return by how much the setting chosen on one text loses more than that chosen on the text itself."""
    drawn = np.flatnonzero(counts)
    theirs, own = (drawn[of.validation[drawn].argmin()] for of in (chosen_on, used_on))
    return used_on.test[theirs] - used_on.test[own]


def _texts(record):
    return {
        cell: {
            "Brown": pool(record, "pool", SHARED, cell=cell),
            "docstrings": pool(record, "elsewhere", SHARED, cell=cell),
        }
        for cell in CELLS
    }


DIRECTIONS = (("Brown", "docstrings"), ("docstrings", "Brown"))


@JUDGES.judge("tuned-elsewhere-reasonable", criterion=AMENDED)
def _tuned_elsewhere(record):
    texts, drawn = _texts(record), {}
    for cell in CELLS:
        for a, b in DIRECTIONS:
            of = texts[cell]
            drawn[f"{NAMES[cell]}, {a} to {b}"] = x = over_settings(
                lambda counts, one=of[a], other=of[b]: _borrowed(one, other, counts), SHARED
            )
            x.settle(percent(10))
    return Finding(
        either(
            all(x.high <= percent(10) for x in drawn.values()),
            any(x.low > percent(10) for x in drawn.values()),
        ),
        "own run",
        f"Test loss of the setting chosen on the first text less that of the one chosen on the second, on "
        f"the second: {listed(drawn)}; 10 % in perplexity is {percent(10):.3f}.",
        tuple(drawn.values()),
    )


@JUDGES.judge("tune-on-the-same-data", criterion=AMENDED)
def _same_data(record):
    texts = _texts(record)

    def gain(counts, cells=CELLS, directions=DIRECTIONS):
        return np.mean([_borrowed(texts[c][a], texts[c][b], counts) for c in cells for a, b in directions])

    overall = over_settings(gain, SHARED)
    overall.settle(0)
    by_cell = {cell: over_settings(lambda counts, cell=cell: gain(counts, [cell]), SHARED) for cell in CELLS}
    for x in by_cell.values():
        x.settle(percent(0.5))
    apart = {}
    for direction in DIRECTIONS:
        for pair in PAIRS:

            def difference(counts, direction=direction, pair=pair):
                one, other = (gain(counts, [cell], [direction]) for cell in pair)
                return other - one

            apart[f"{named(pair)}, {' to '.join(direction)}"] = x = over_settings(difference, SHARED)
            x.settle(0)
    return Finding(
        sized(
            overall.low > 0 and any(x.low > 0 or x.high < 0 for x in apart.values()),
            all(x.high < percent(0.5) for x in by_cell.values()),
        ),
        "own run",
        f"What choosing on the text at hand gains in test loss: {words(overall)}; {listed(by_cell)}. "
        f"Differences between cells: {listed(apart)}.",
        (overall, *by_cell.values(), *apart.values()),
    )


# ---------------------------------------------------------------------------------------------
# Fewer hyperparameters, other widths, more trials
# ---------------------------------------------------------------------------------------------


@JUDGES.judge("few-hyperparameters", criterion=AMENDED)
def _few_hyperparameters(record):
    names = " and ".join(name.replace("_", " ") for name in record.table("two", SHARED).names.iloc[0].split())
    two, six = pool(record, "two", SHARED), pool(record, "pool", SHARED, cell="lstm")
    drawn = over_settings(lambda counts: two.chosen(counts, 30) - six.chosen(counts, 30), SHARED)
    limit = percent(0.5)
    drawn.settle(limit)
    return Finding(
        either(drawn.high < limit, drawn.low > limit),
        "own run",
        f"Tuning {names} alone, the expected test loss of the best of 30 is higher than with all six by "
        f"{words(drawn)}; 0.5 % in perplexity is {limit:.3f}. The others stand where the released settings "
        f"for the Penn Treebank have them, which is far from where they are good here.",
        (drawn,),
    )


@JUDGES.judge("compare-at-equal-parameters", criterion=AMENDED)
def _equal_parameters(record):
    drawn, n = {}, 20
    for cell in ("rhn", "nas"):
        equal = pool(record, "pool", WIDTHS_TRIALS, cell=cell)
        wide = pool(record, "widths", WIDTHS_TRIALS, cell=cell)
        # The LSTM, from which both are counted, is the same with its own widths.
        drawn[cell] = x = over_settings(
            lambda counts, wide=wide, equal=equal: wide.chosen(counts, n) - equal.chosen(counts, n),
            WIDTHS_TRIALS,
        )
        x.settle(0, -percent(0.5), percent(0.5))
    return Finding(
        sized(
            any(x.low > 0 or x.high < 0 for x in drawn.values()),
            all(-percent(0.5) < x.low and x.high < percent(0.5) for x in drawn.values()),
        ),
        "own run",
        f"Change of the gap to the LSTM in the expected test loss of the best of {n}, from equal parameters "
        f"to equal widths: {listed(drawn)}.",
        tuple(drawn.values()),
    )


@JUDGES.judge("thousands-of-trials", criterion=AMENDED)
def _thousands(record):
    found = pools(record, "pool", TRIALS)
    gains = {
        cell: expected_max(of.validation, 200, minimize=True) - of.validation.min()
        for cell, of in found.items()
    }
    return Finding(
        OUT_OF_REACH,
        "own run",
        f"It needs a guided search that is run until it converges, and no trials of theirs were released. "
        f"Our random search gains from 200 to {TRIALS} trials, in validation loss: "
        f"{', '.join(f'{NAMES[cell]} {gain:.3f}' for cell, gain in gains.items())}.",
    )
