"""Claims about what a model consists of: gates, dropout, embeddings, widths, and the length of the text."""

import itertools

import numpy as np

from evalkit.papers.judging import Finding, Judges, either
from evalkit.papers.melis2017 import audit
from evalkit.papers.melis2017.audit import BUDGETS, CLEAR, ROBUST
from evalkit.papers.melis2017.claims.statistics import (
    AMENDED,
    CELLS,
    contrast,
    listed,
    over_settings,
    percent,
    pool,
    words,
)
from evalkit.papers.melis2017.tasks.stages import (
    ABLATED,
    LENGTH_SEEDS,
    LENGTHS,
    RATIOS,
    SHARES,
    SIX,
    VOCABULARIES,
)
from evalkit.papers.melis2017.tasks.training import TOKENS

JUDGES = Judges("melis2017")

# Trials of a search among the settings of a variant.
TUNED = 10
GATES = ("base", "untied gates", "tied gates")


# ---------------------------------------------------------------------------------------------
# One feature changed, tuned alike
# ---------------------------------------------------------------------------------------------


def variant(record, cell, depth, name):
    """Return the trials of a variant.

    Parameters
    ----------
    record : evalkit.papers.rows.Rows
    cell : {"lstm", "rhn"}
    depth : int
    name : str

    Returns
    -------
    Pool
        The base of the LSTM of depth 1 are its neighbours: drawn from as wide ranges, with the same numbers.
    """
    if (cell, depth, name) == ("lstm", 1, "base"):
        return pool(record, "neighbours", ABLATED, share=SHARES[-1])
    return pool(record, "ablations", ABLATED, cell=cell, depth=depth, variant=name)


def changes(record, cell, depth, weights):
    """Resample a weighted sum of the expected test losses of the best of 10 of several variants.

    Parameters
    ----------
    record : evalkit.papers.rows.Rows
    cell : {"lstm", "rhn"}
    depth : int
    weights : dict of str to float

    Returns
    -------
    Resampled
        Drawn until the verdict against 0 is settled.
    """
    tried = [(variant(record, cell, depth, name), weight) for name, weight in weights.items()]
    found = over_settings(lambda counts: sum(w * of.chosen(counts, TUNED) for of, w in tried), ABLATED)
    found.settle(0)
    return found


@JUDGES.judge("rhn-unfair-dropout", criterion=AMENDED)
def _unfair_dropout(record):
    found, limit = changes(record, "lstm", 4, {"none between layers": 1, "base": -1}), percent(1)
    found.settle(-limit, limit)
    return Finding(
        either(-limit < found.low and found.high < limit, found.low > limit),
        "own run",
        f"The text and the tables agree: the deep LSTM has {len(audit.LISTED) + 1} hyperparameters, the RHN "
        f"{len(audit.LISTED)}. Without dropout between layers the expected test loss of the best of {TUNED} "
        f"changes by {words(found)}; 1 % in perplexity is {limit:.3f}.",
        (found,),
    )


@JUDGES.judge("untied-costs-six", criterion=AMENDED)
def _untied(record):
    rises = {
        f"{cell} {budget}": round(audit.rise(cell, "untied embeddings", budget), 1)
        for cell in ("LSTM", "RHN")
        for budget in BUDGETS
    }
    own = {
        cell: changes(record, cell, depth, {"untied embeddings": 1, "base": -1})
        for cell, depth in (("lstm", 1), ("rhn", 5))
    }
    within = [5 <= rise <= 7 for rise in rises.values()]
    lines = "; ".join(f"{name} {rise:.1f}" for name, rise in rises.items())
    return Finding(
        either(all(within) and all(x.low > 0 for x in own.values()), not all(within)),
        "printed figures",
        f"Printed rises of test perplexity: {lines}. Own, in test loss: {listed(own)}.",
        tuple(own.values()),
    )


@JUDGES.judge("deep-lstm-loses-likewise", criterion=AMENDED)
def _deep_loses(record):
    deep = audit.rise("LSTM", "no variational dropout", "24M")
    mean = float(np.mean([audit.rise("RHN", "no variational dropout", budget) for budget in BUDGETS]))
    own = changes(record, "lstm", 4, {"no state dropout": 1, "base": -1})
    within = mean / 2 <= deep <= 1.5 * mean
    return Finding(
        either(within and own.low > 0, not within),
        "printed figures",
        f"Printed: without variational dropout the deep LSTM loses {deep:.1f}, the RHNs {mean:.1f} on "
        f"average. Own LSTM of depth 4, in test loss: {words(own)}, among settings with little dropout on "
        f"states.",
        (own,),
    )


def _gates(budget, part):
    return {name: audit.ablated(f"LSTM{suffix}", budget, part) for name, suffix in audit.GATES.items()}


@JUDGES.judge("gates-do-not-matter", criterion=AMENDED)
def _gates_do_not_matter(record):
    spread = {
        (budget, part): round(float(np.ptp(list(_gates(budget, part).values()))), 1)
        for budget in BUDGETS
        for part in ("validation", "test")
    }
    own, limit = {}, percent(2)
    for a, b in itertools.combinations(GATES, 2):
        own[f"{b} minus {a}"] = x = changes(record, "lstm", 1, {b: 1, a: -1})
        x.settle(-limit, limit)
    lines = "; ".join(f"{budget} {part} {gap:.1f}" for (budget, part), gap in spread.items())
    return Finding(
        either(
            max(spread.values()) <= ROBUST and all(-limit < x.low and x.high < limit for x in own.values()),
            any(spread[budget, "test"] > CLEAR for budget in BUDGETS),
        ),
        "printed figures",
        f"Printed perplexities of the three variants span: {lines}. Own LSTM of depth 1, in test loss: "
        f"{listed(own)}; 2 % in perplexity is {limit:.3f}.",
        tuple(own.values()),
    )


@JUDGES.judge("deep-lstms-like-bounded-states", criterion=AMENDED)
def _bounded_states(record):
    # How much the bounded variant that gains less, and the other, gain on untied gates.
    gains = {
        budget: sorted(
            round(of["untied"] - of[name], 1)
            for part in ("validation", "test")
            for of in [_gates(budget, part)]
            for name in ("capped", "tied")
        )
        for budget in BUDGETS
    }

    def both_beat(budget, least, part):
        of = _gates(budget, part)
        return all(round(of["untied"] - of[name], 1) > least for name in ("capped", "tied"))

    parts = ("validation", "test")
    deep = all(both_beat("24M", ROBUST, part) for part in parts)
    shallow_neither = gains["10M"][-1] <= ROBUST
    refuted = not all(both_beat("24M", 0, part) for part in parts) or all(
        both_beat("10M", ROBUST, part) for part in parts
    )
    weights = {"untied gates": 1.0, "base": -0.5, "tied gates": -0.5}
    tried = [
        (variant(record, "lstm", depth, name), sign * weight)
        for depth, sign in ((4, 1), (1, -1))
        for name, weight in weights.items()
    ]
    own = over_settings(lambda counts: sum(w * of.chosen(counts, TUNED) for of, w in tried), ABLATED)
    own.settle(0)
    by_depth = {f"depth {depth}": changes(record, "lstm", depth, weights) for depth in (1, 4)}
    return Finding(
        either(deep and shallow_neither and own.low > 0, refuted),
        "printed figures",
        f"Printed gains of bounded states on untied gates: {gains['24M'][0]:.1f} to {gains['24M'][-1]:.1f} "
        f"at depth 4, {gains['10M'][0]:.1f} to {gains['10M'][-1]:.1f} at depth 1. Own, in test loss: "
        f"{listed(by_depth)}; difference {words(own)}.",
        (own,),
    )


# ---------------------------------------------------------------------------------------------
# Several features at once
# ---------------------------------------------------------------------------------------------

FEATURES = ("tied", "state", "capped")
SHOWN = {"tied": "tied embeddings", "state": "dropout on states", "capped": "capped gates"}


def effects(record):
    """Return the effects on test loss of three features of the LSTM, alone and by twos.

    Parameters
    ----------
    record : evalkit.papers.rows.Rows

    Returns
    -------
    dict of tuple of str to Interval
        By one feature: the mean with it less the mean without. By two: half of what having the one changes
        in the effect of the other.
    """
    rows = record.table("factorial", 2 ** len(FEATURES) * SIX)
    groups = rows.groupby(list(FEATURES)).test.agg(list)
    found = {}
    for size in (1, 2):
        for names in itertools.combinations(FEATURES, size):
            places = [FEATURES.index(name) for name in names]
            signs = [np.prod([1 if cell[place] else -1 for place in places]) for cell in groups.index]
            found[names] = contrast(list(groups), [2 * sign / len(groups) for sign in signs])
    return found


@JUDGES.judge("one-feature-at-a-time", criterion=AMENDED)
def _one_at_a_time(record):
    depths = {budget: audit.best_depth(budget) for budget in BUDGETS}
    found = effects(record)
    pairs = [names for names in found if len(names) == 2]
    least = {names: min(abs(found[(name,)].estimate) for name in names) for names in pairs}
    matters = any(
        abs(found[names].estimate) >= least[names] / 2 and not found[names].low <= 0 <= found[names].high
        for names in pairs
    )
    vanishes = all(max(-found[names].low, found[names].high) < least[names] / 10 for names in pairs)
    as_printed = depths == {"10M": 1, "24M": 4}
    shown = {" and ".join(SHOWN[name] for name in names): x for names, x in found.items()}
    return Finding(
        either(as_printed and matters, not as_printed or vanishes),
        "own run",
        f"The lowest printed validation perplexity is at depth {depths['10M']} at 10M and {depths['24M']} at "
        f"24M. Effects on test loss, and interactions: {listed(shown)}.",
        intervals=len(found),
    )


# ---------------------------------------------------------------------------------------------
# Vocabulary, and length of the text
# ---------------------------------------------------------------------------------------------


@JUDGES.judge("down-projection-vocabulary", criterion=AMENDED)
def _down_projection(record):
    without, gains, parts = RATIOS[-1], {}, []
    for vocabulary, sign in zip(VOCABULARIES, (-1, 1), strict=True):
        by_ratio = {
            ratio: record.table("vocabularies", SIX, vocabulary=vocabulary, ratio=ratio) for ratio in RATIOS
        }
        better = min(RATIOS[:-1], key=lambda ratio: by_ratio[ratio].validation.mean())
        # Per word, so that vocabularies can be compared.
        per_word = [
            (rows.test * rows.tokens / rows.words).to_numpy(float)
            for rows in (by_ratio[without], by_ratio[better])
        ]
        gains[f"{vocabulary:,} subwords"] = contrast(per_word, [1, -1])
        parts += [(per_word[0], sign), (per_word[1], -sign)]
    growth = contrast(*zip(*parts, strict=True))
    large = list(gains.values())[-1]
    return Finding(
        either(large.low > 0 and growth.low > 0, growth.high <= 0 or large.high <= 0),
        "own run",
        f"What down-projection gains in test loss per word, untuned but for the ratio of the widths: "
        f"{listed(gains)}; difference {words(growth)}.",
        intervals=2,
    )


def _of_length(record, cell, tokens, dropout):
    rows = record.table("lengths", LENGTH_SEEDS, cell=cell, tokens=tokens, dropout=dropout)
    return rows.test.to_numpy(float)


@JUDGES.judge("regularisation-matters-least-on-large-text", criterion=AMENDED)
def _large_text(record):
    losses = {
        (cell, tokens, dropout): _of_length(record, cell, tokens, dropout)
        for cell in CELLS
        for tokens in LENGTHS
        for dropout in (0, 1)
    }
    each = 1 / len(CELLS)
    gains, spreads = {}, {}
    for tokens in LENGTHS:
        gains[tokens] = {
            (cell, tokens, dropout): weight for cell in CELLS for dropout, weight in ((0, each), (1, -each))
        }
        ordered = sorted(CELLS, key=lambda cell, tokens=tokens: losses[cell, tokens, 1].mean())
        spreads[tokens] = {(ordered[-1], tokens, 1): 1.0, (ordered[0], tokens, 1): -1.0}

    def interval(weights):
        return contrast([losses[key] for key in weights], list(weights.values()))

    def change(of):
        """Return what is more on the shortest text than on the longest."""
        shortest, longest = of[LENGTHS[0]], of[LENGTHS[-1]]
        return interval(shortest | {key: -weight for key, weight in longest.items()})

    found = [change(of) for of in (gains, spreads)]
    lines = [
        "; ".join(f"{tokens:,} tokens {words(interval(weights))}" for tokens, weights in of.items())
        for of in (gains, spreads)
    ]
    return Finding(
        either(all(x.low > 0 for x in found), any(x.high < 0 for x in found)),
        "own run",
        f"Enwik8 is out of reach. Own, with settings tuned at {TOKENS:,} tokens: test loss that dropout "
        f"gains, {lines[0]}; spread between cells, {lines[1]}. From the longest to the shortest they grow by "
        f"{words(found[0])} and {words(found[1])}.",
        intervals=len(found),
    )
