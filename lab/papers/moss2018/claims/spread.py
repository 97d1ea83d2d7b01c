"""How far the partition moves an estimate and a choice, and what repetitions and fewer
folds do to that.
"""

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from lab.data import released
from lab.papers.judging import (
    Evidence,
    Jackknifed,
    Judges,
    Quantity,
    Resampled,
    pooled,
)
from lab.papers.moss2018 import audit, groups
from lab.papers.moss2018.audit import PAIRS
from lab.papers.moss2018.groups import (
    choices,
    choose,
    in_words,
    means_of,
    middle_span,
    pooled_sd,
)
from lab.papers.moss2018.tasks import Imdb

JUDGES = Judges("moss2018")

DRAWS = 200  # at first, of a statistic that groups thousands of partitions
FEWER = 100  # for another analysis
SHUFFLES = "(Of the tagger within shuffles of its sentences, t over five of them.)"
TIES = {
    "the last of equally good settings": "last",
    "any of equally good settings": "any",
}
# Released files whose rows are independent, and our own runs of the same tasks.
FILES = {"forest": "rf", "tagger": "pos", "SVM": "reuters", "LSTM": "lstm-reg"}
OWN = {"forest": "imdb", "tagger": "treebank", "SVM": "reuters", "LSTM": "twitter"}


# --------------------------------------------------------------------------------------
# Estimates of one setting
# --------------------------------------------------------------------------------------


def _best(scores):
    """Return the estimates of the setting that is best on average, in percent."""
    return 100 * scores[:, scores.mean(axis=0).argmax()]


@JUDGES.judge("partitions-random")
def _partitions_random(record):
    def sds(estimates):
        return {
            f"SD, {name}": Resampled(lambda e: e.std(ddof=1), e)
            for name, e in estimates.items()
        }

    own = {name: record.scores(task, 5) for name, task in OWN.items()}
    quantities = sds({name: _best(scores) for name, scores in own.items()})
    return Evidence(
        "own run",
        lambda: (
            "SD over partitions of 5-fold estimates of the best setting, in points:"
            f" {in_words(quantities)}. (An SD is never below 0, so that only a limit"
            " above it can fail.) The LSTM's seed also sets its weights and which"
            " tweets decide when to stop; the other three carry the claim."
        ),
        quantities,
        {
            "a tenth of a point, not a twentieth": {},
            "a quarter of a point": {},
            "the released files": sds(
                {name: _best(audit.scores(task, 5)) for name, task in FILES.items()}
            ),
            "ten folds": {
                "SD, LSTM": None,
                **sds(
                    {
                        n: _best(record.scores(OWN[n], 10))
                        for n in ("forest", "tagger", "SVM")
                    }
                ),
            },
            "the middle setting of the grid": sds(
                {
                    name: 100 * scores[:, scores.shape[1] // 2]
                    for name, scores in own.items()
                }
            ),
            "stratified folds, of one forest": sds(
                {"forest": 100 * record.forest_estimates("strata", 5)}
            ),
        },
    )


@JUDGES.judge("estimates-vary")
def _estimates_vary(record):
    def span(estimates, length=middle_span):
        return {"span": Resampled(length, estimates)}

    by_k = {k: 100 * record.forest_estimates("folds", k) for k in (5, 10, 20)}
    quantities = span(by_k[5])
    return Evidence(
        "own run",
        lambda: (
            f"95 % of {len(by_k[5])} 5-fold estimates of one forest span"
            f" {quantities['span']:.1f} points. (The paper speaks of differences of"
            " less than 1 point; that a span is held against it is our choice.)"
        ),
        quantities,
        {
            "ten folds": span(by_k[10]),
            "twenty folds": span(by_k[20]),
            "2 points in place of 1": {},
            "one SD in place of the span": span(
                by_k[5], lambda drawn: drawn.std(ddof=1)
            ),
            "stratified folds": span(100 * record.forest_estimates("strata", 5)),
            "3.92 SDs, as if they were normal": span(
                by_k[5], lambda drawn: 3.92 * drawn.std(ddof=1)
            ),
            **{
                f"the released {name}": span(_best(audit.scores(task, 5)))
                for name, task in FILES.items()
            },
        },
    )


@JUDGES.judge("one-training-set")
def _one_training_set(record):
    n_sets, n_partitions, fixed = Imdb.SAMPLES, 4, record.fixed_setting
    sets = [
        100
        * record.scores("imdb", 5, sample=sample, at_least=n_partitions)[:n_partitions]
        for sample in range(n_sets)
    ]
    estimates = [scores[:, fixed] for scores in sets]
    within = np.mean([scores.var(ddof=1) for scores in estimates])
    of_means = np.var([scores.mean() for scores in estimates], ddof=1)
    # The mean square between sets, n (between + within / n), is chi-squared.
    ends = of_means * (n_sets - 1) / stats.chi2.ppf([0.975, 0.025], n_sets - 1)
    between = np.maximum(0, np.array([of_means, *ends]) - within / n_partitions)
    ratio = Quantity(*np.sqrt(between / within))
    pvalue = stats.f_oneway(*estimates).pvalue
    of_tuned = stats.f_oneway(*(scores.max(axis=1) for scores in sets)).pvalue
    return Evidence(
        "own run",
        f"Between {n_sets} training sets the estimate varies by an SD of"
        f" {between[0] ** 0.5:.2f} points, between partitions of one by"
        f" {within**0.5:.2f}: {ratio:.1f} times as much. F test, p = {pvalue:.2g}.",
        {"p": Quantity.exact(pvalue), "between over within": ratio},
        {"the estimate of the tuned setting": {"p": Quantity.exact(of_tuned)}},
    )


# --------------------------------------------------------------------------------------
# What is chosen
# --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Search:
    """A search, ours or released.

    Attributes
    ----------
    grid : pandas.DataFrame
        With the hyperparameters that are asked for.
    parts : callable
        From K to the accuracies of its partitions, an array for each data set; read
        once.
    same_seeds : bool
        Whether row i has one shuffle for every K.
    """

    grid: pd.DataFrame
    parts: Callable
    same_seeds: bool = True


@functools.cache
def _own(record, variant=""):
    """Return our own searches; those of the SVM in a variant."""

    def parts(task):
        return functools.cache(lambda k: [record.scores(task, k, at_least=20)])

    return {
        "forest": Search(record.grids["imdb"], parts("imdb")),
        "SVM": Search(record.grids["reuters"], parts(f"reuters{variant}")),
        "tagger": Search(record.grids["treebank"], functools.cache(record.shuffles)),
    }


@functools.cache
def _released(record):
    """Return the released searches, without a penalty of which one setting was decoded
    as another.
    """
    return {
        name: Search(
            released.moss2018_grid(task, as_run=name == "LSTM").drop(
                columns="input", errors="ignore"
            ),
            lambda k, task=task: [audit.scores(task, k)],
            same_seeds=name != "LSTM",
        )
        for name, task in FILES.items()
    }


AS_JUDGED = "the first of equally good settings, its value"
# What else can be asked of a choice, by the name of the analysis.
OTHER_VALUES = (*TIES, "places on the grid, not values", "the estimate, not the choice")


def _values(grid, means):
    """Return, by hyperparameter and way of asking, the value that each group chooses,
    or what else is asked.
    """
    chosen, values = choices(means), {}
    first = chosen["first"]
    for column in grid:
        of = grid[column].to_numpy()
        places = np.unique(of, return_inverse=True)[1]
        asked = (*(of[chosen[tie]] for tie in TIES.values()), places[first])
        asked = dict(zip(OTHER_VALUES, (*asked, means.max(axis=1)), strict=True))
        values |= {(column, way): found for way, found in asked.items()}
        values[column, AS_JUDGED] = of[first]
    return values


def _scatter(search, column, *, k=5, tie="first"):
    """Return over which share of an axis all choices reach, nine in ten, and the
    commonest one's share.
    """
    values, place = np.unique(search.grid[column], return_inverse=True)
    (scores,) = search.parts(k)
    chosen, length = place[choose(scores, tie)], len(values) - 1
    return {
        "reach": Quantity.exact(np.ptp(chosen) / length),
        "middle": Resampled(
            lambda drawn: np.subtract(*np.quantile(drawn, [0.95, 0.05])) / length,
            chosen,
        ),
        "commonest": Resampled(
            lambda drawn: np.bincount(drawn).max() / len(drawn), chosen
        ),
    }


@JUDGES.judge("choice-scatters")
def _choice_scatters(record):
    searches = _released(record)
    of_forest = partial(_scatter, searches["forest"], "max_features")
    quantities, own = of_forest(), _scatter(_own(record)["forest"], "max_features")

    def said():
        lines = [
            f"{name} reach over {s['reach']:.0%} of the grid, nine in ten over"
            f" {s['middle']:.0%}, and the commonest has {s['commonest']:.0%}"
            for name, s in (("of the released forest", quantities), ("of our own", own))
        ]
        return f"The choices of single partitions, {'; '.join(lines)}."

    return Evidence(
        "released data",
        said,
        quantities | {f"own {name}": quantity for name, quantity in own.items()},
        {
            "three quarters of the grid, not half": {},
            "nine in ten over a quarter of the grid": {},
            "a commonest choice of one in ten": {},
            **{name: of_forest(tie=tie) for name, tie in TIES.items()},
            "ten folds": of_forest(k=10),
            "twenty folds": of_forest(k=20),
            "our own forest": own,
            **{
                f"the {name}'s {column}": _scatter(search, column)
                for name, search in searches.items()
                for column in search.grid
                if name != "forest"
            },
        },
    )


@JUDGES.judge("lstm-reg-choice")
def _lstm_reg_choice(record):
    wanted = (
        (released.moss2018_grid("lstm-reg", as_run=True) == 1e-3).all(axis=1).to_numpy()
    )
    rows = audit.scores("lstm-reg", 5)

    def share(tie="first"):
        return {
            "share": Resampled(
                lambda r: wanted[choose(*means_of(3000, (r, 8)), tie)].mean(),
                rows,
                draws=300,
            )
        }

    quantities = share()
    blocks = wanted[choose(audit.grouped(rows, 8, len(rows) // 8))].mean()
    return Evidence(
        "released data",
        lambda: (
            f"Of random groups of eight partitions {quantities['share']:.0%} choose"
            " 0.001 for both penalties."
        ),
        quantities,
        {
            **{name: share(tie) for name, tie in TIES.items()},
            "blocks of the file": {"share": Quantity.exact(blocks)},
        },
    )


# --------------------------------------------------------------------------------------
# Repetitions
# --------------------------------------------------------------------------------------


def _sds(grid, parts, j, n_groups):
    """Return the SD of what J partitions choose, within data sets, by hyperparameter
    and way of asking.
    """
    found = [_values(grid, *means_of(n_groups, (rows, j))) for rows in parts]
    return {asked: pooled_sd([part[asked] for part in found]) for asked in found[0]}


@functools.cache  # all statistics of a search resample the same partitions
def _sds_of_draw(search, drawn, j):
    (rows,) = search.parts(5)
    return _sds(search.grid, [rows[np.frombuffer(drawn, np.int16)]], j, 1000)


def _fall(sds, *, j=8):
    """Return the SD of a choice by J partitions over that by one."""
    one, more = sds(1), sds(j)
    # Of a few partitions drawn anew all may choose alike.
    return more / one if one else 1.0


def _of_searches(label, statistic, searches, way=AS_JUDGED):
    """Measure a statistic of each search and hyperparameter: over partitions, or data
    sets if several.
    """
    measured = {}
    for name, search in searches.items():
        parts = search.parts(5)
        for column in search.grid:

            def of(parts, n_groups=1000, grid=search.grid[[column]], column=column):
                return statistic(lambda j: _sds(grid, parts, j, n_groups)[column, way])

            def of_drawn(index, search=search, column=column):
                drawn = index.astype(np.int16).tobytes()
                return statistic(lambda j: _sds_of_draw(search, drawn, j)[column, way])

            measured[f"{label}, {name} {column}"] = (
                Jackknifed(of, parts)
                if len(parts) > 1
                else Resampled(
                    of_drawn,
                    np.arange(len(parts[0])),
                    draws=DRAWS,
                    estimate=of(parts, groups.MANY),
                )
            )
    return measured


@JUDGES.judge("choice-steadier")
def _choice_steadier(record):
    measured, own = partial(_of_searches, "ratio"), _own(record)
    quantities = measured(_fall, own)
    tweets = {
        "LSTM": Search(record.grids["twitter"], lambda k: [record.scores("twitter", k)])
    }
    return Evidence(
        "own run",
        lambda: (
            f"SD of the choice at J = 8 over that at J = 1: {in_words(quantities)}."
            f" {SHUFFLES}"
        ),
        quantities | _of_searches("first", _fall, tweets),
        {
            **{way: measured(_fall, own, way) for way in OTHER_VALUES},
            "four repetitions in place of eight": measured(partial(_fall, j=4), own),
            "the released files": measured(_fall, _released(record)),
            "the SVM's documents once each": measured(_fall, _own(record, "-once")),
            "the SVM on all single words": measured(_fall, _own(record, "-words")),
        },
    )


# --------------------------------------------------------------------------------------
# Fewer folds at equal cost
# --------------------------------------------------------------------------------------


def _ratios(searches, way=AS_JUDGED, *, whose="", pairs=PAIRS, draws=FEWER):
    """Compare the SDs of two procedures, b over a, for each pair, search and
    hyperparameter.
    """
    ratios = {}
    for name, search in searches.items():
        for column, (a, b) in itertools.product(search.grid, pairs):
            ratios[f"ratio, {whose}{name} {column} {b} over {a}"] = _ratio(
                search, column, way, a, b, draws
            )
    return ratios


def _ratio(search, column, way, a, b, draws):
    """Compare the SDs of two procedures over partitions, or over data sets if
    several.
    """
    before, after = (search.parts(k) for _, k in map(_numbers, (a, b)))
    if len(before) > 1:  # within the shuffles of the tagger's sentences

        def of_parts(parts):
            sds = (pooled_sd([part[i][column, way] for part in parts]) for i in (1, 0))
            return np.divide(*sds)

        found = [
            _values_of_two(search.grid, a, b, pair, 3000)
            for pair in zip(before, after, strict=True)
        ]
        return Jackknifed(of_parts, found)
    (one,), (other,) = before, after
    shared = min(len(one), len(other)) if search.same_seeds else 0

    def of_drawn(*index):
        drawn = tuple(places.astype(np.int16).tobytes() for places in index)
        return _ratios_of_draw(search, a, b, drawn)[column, way]

    return Resampled(
        of_drawn,
        np.arange(shared),
        *(np.arange(shared, len(rows)) for rows in (one, other)),
        draws=draws,
        estimate=_ratios_of(search.grid, a, b, (one, other), groups.MANY)[column, way],
    )


def _numbers(procedure):
    return tuple(map(int, procedure.split("-")))


def _values_of_two(grid, a, b, samples, n_groups):
    sizes = (j for j, _ in map(_numbers, (a, b)))
    means = means_of(n_groups, *zip(samples, sizes, strict=True))
    return [_values(grid, of_procedure) for of_procedure in means]


def _ratios_of(grid, a, b, samples, n_groups=2000):
    one, other = _values_of_two(grid, a, b, samples, n_groups)
    return {asked: other[asked].std(ddof=1) / one[asked].std(ddof=1) for asked in one}


@functools.cache  # all statistics of a search resample the same partitions
def _ratios_of_draw(search, a, b, drawn):
    both, *alone = (np.frombuffer(places, np.int16) for places in drawn)
    samples = []
    for (_, k), rest in zip(map(_numbers, (a, b)), alone, strict=True):
        (rows,) = search.parts(k)
        samples.append(rows[np.append(both, rest)])
    return _ratios_of(search.grid, a, b, samples)


@JUDGES.judge("lower-k")
def _lower_k(record):
    def chosen(searches, *names):
        return {name: searches[name] for name in names}

    def own(way=AS_JUDGED, variant="", **kinds):
        # Our own forest has ten partitions with ten folds, too few to be resampled.
        return _ratios(
            chosen(_own(record, variant), "SVM", "tagger"),
            way,
            whose="own ",
            **kinds,
        )

    def ratios(way=AS_JUDGED, **kinds):
        # The paper has two pairs of the forest. The SVM's file that is named for ten
        # folds holds five.
        of_forest = _ratios(forest, way, pairs=PAIRS[:2], **kinds)
        return of_forest | _ratios(others, way, **kinds) | own(way, **kinds)

    forest, others = (
        chosen(_released(record), "forest"),
        chosen(_released(record), "tagger", "LSTM"),
    )
    each = ratios(draws=DRAWS)

    def together(found):
        # Those of a search are drawn from the same partitions.
        searches = [f"{whose}{name} " for whose in ("own ", "") for name in FILES]
        return {
            "all ratios": pooled(
                found, lambda ratio: next(s for s in searches if s in f"{ratio} ")
            )
        }

    def some(*said):
        return together({n: x for n, x in each.items() if any(w in n for w in said)})

    quantities = together(each)
    return Evidence(
        "own run",
        lambda: (
            "SD of the chosen value at the lower K over that at the higher, as a mean"
            f" over {len(each)} pairs of procedures, hyperparameters and tasks:"
            f" {quantities['all ratios']:.2f}. Of the {len(each)} intervals"
            f" {sum(ratio.high < 1 for ratio in each.values())} lie below 1 and"
            f" {sum(ratio.low > 1 for ratio in each.values())} above it."
        ),
        quantities | each,
        {
            f"each of the {len(each)}": {},
            "the released files alone": some(", forest", ", tagger", ", LSTM"),
            "our own runs alone": some("own "),
            "the first pair alone, 2-5 after 1-10": some("2-5 over"),
            **{way: together(ratios(way)) for way in OTHER_VALUES},
            "the SVM's documents once each": together(own(variant="-once")),
            "the SVM on all single words": together(own(variant="-words")),
            "twenty folds too, of the forest": together(
                _ratios(forest, pairs=audit.FOREST_PAIRS[2:])
            ),
        },
    )
