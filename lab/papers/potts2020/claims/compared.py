"""Claims about two classifiers: items that differ, intervals of a few runs, and
McNemar's test.
"""

import itertools

import numpy as np
from scipy import stats
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from evalkit.significance import mcnemar
from lab.experiments import nine_datasets
from lab.papers.judging import AtOnce, Evidence, Judges, Share
from lab.papers.potts2020.claims import common
from lab.papers.potts2020.claims.common import NAMES, NETWORKS, exactly, kth
from lab.papers.potts2020.tasks import simulated

JUDGES = Judges("potts2020")

ENDS = {"fewest": min, "most": max}
# Scores are floats: what should be equal differs in the last bits.
NOISE = 1e-9


def _span(values, digits=1):
    """Write the smallest and the largest of some numbers; once, if they are written
    alike.
    """
    return " to ".join(
        dict.fromkeys(f"{end:.{digits}f}" for end in (min(values), max(values)))
    )


# --------------------------------------------------------------------------------------
# Items on which two models differ
# --------------------------------------------------------------------------------------


def _differ(first, second):
    """Return the percentage of items that each two runs answer differently, shape
    (runs, runs).
    """
    return 100 * np.array([(second != one).mean(axis=1) for one in first])


def seeds_over_systems(first, second):
    """Return on how many items two seeds of a system differ, as a share of what two
    systems do.

    Parameters
    ----------
    first, second : ndarray, shape (runs, items)
        Answers.

    Returns
    -------
    AtOnce
        Over the runs of both.
    """
    within, between = _differ(first, first), _differ(first, second)

    def statistic(rows, columns):
        across = between[rows[:, :, None], columns[:, None]].mean(axis=(1, 2))
        return common.mean_over_pairs(within, rows) / across

    return AtOnce(statistic, *map(np.arange, between.shape))


def _near(first, second, true):
    """Return the shares of items on which runs differ whose accuracies are less than
    half a point apart.
    """
    one, other = ((answers == true).sum(axis=1) for answers in (first, second))
    near = 200 * abs(one[:, None] - other) < len(true)
    return _differ(first, second)[np.triu(near, 1) if first is second else near]


@JUDGES.judge("count-differing-items")
def _count_differing(record):
    true, mlp, lstm, linear = (
        common.true_classes(),
        *map(common.answers, ("mlp", "lstm", "linear")),
    )

    def extremes(*shares):
        return exactly({"fewest": min(map(min, shares)), "most": max(map(max, shares))})

    def of_seeds(lines):
        return [
            _near(part, part, true[lines]) for part in (mlp[:, lines], lstm[:, lines])
        ]

    def ratios(**pairs):
        quantities = {
            f"ratio, {name.upper()}": seeds_over_systems(*pair)
            for name, pair in pairs.items()
        }
        return {**quantities, "smaller ratio": kth(quantities, 2, from_above=True)}

    shares, across = of_seeds(slice(None)), _near(mlp, lstm, true)
    mean = [f"{x.mean():.1f} % ({_span(x)}; {len(x):,} pairs)" for x in shares]
    beside, apart = ratios(mlp=(mlp, lstm), lstm=(lstm, mlp)), _differ(mlp, lstm).mean()
    return Evidence(
        "own run",
        lambda: (
            f"Of the {len(true):,} test lines two seeds of one network, less than half"
            " a point apart, answer so many differently: MLP"
            f" {mean[0]}; LSTM {mean[1]}. An MLP and an LSTM differ on {apart:.1f} %."
            " So the"
            " count shows what equal accuracies hide. It does not tell two systems"
            " from two seeds, which the rule does not ask."
        ),
        {**extremes(*shares), **beside},
        {
            **({"an MLP beside an LSTM": extremes(across)} if across.size else {}),
            "10 % of the items, not 5 %": {},
            "every second line": extremes(*of_seeds(slice(0, None, 2))),
            "the lines between": extremes(*of_seeds(slice(1, None, 2))),
            "seeds below half of systems": {},
            "seeds below 0.8 of systems": {},
            "the same, with the linear model": ratios(
                mlp=(mlp, linear), lstm=(lstm, linear)
            ),
        },
    )


def _predicted(data):
    """Return the classes of the items, from 0, and what the linear model answers."""
    if data == "docstrings":
        return common.true_classes(), common.answers("linear")[0]
    X, y, _ = nine_datasets.load(data)
    true = np.unique(y, return_inverse=True)[1]
    return true, _out_of_fold(X, true)


def _out_of_fold(X, true):
    """Return what the linear model answers on items that it was not trained on."""
    folds = StratifiedKFold(nine_datasets.FOLDS, shuffle=True, random_state=0)
    system = nine_datasets.build("linear", text=False)
    return cross_val_predict(system, X, true, cv=folds)


def answers_needed(true, predicted):
    """Count how many right answers of one class must become another one for each score
    to fall by 0.01.

    Parameters
    ----------
    true, predicted : ndarray of int, shape (items,)
        Classes from 0.

    Returns
    -------
    dict of str to list of float
        Under "accuracy", "macro F1" and "F1 of a class", for each class that the
        answers come from and each that they become (for the F1 of a class, if it is one
        of these two), how many of 1,000 items it takes; infinite where the score does
        not fall so far.
    """
    n, classes = len(true), int(max(true.max(), predicted.max())) + 1
    table = np.zeros((classes, classes))
    np.add.at(table, (true, predicted), 1)
    needed = {"accuracy": [], "macro F1": [], "F1 of a class": []}
    for source, target in itertools.permutations(range(classes), 2):
        wrong = np.arange(table[source, source] + 1)[:, None]
        leaves, enters = np.eye(classes)[[source, target]]
        right = np.diag(table) - wrong * leaves
        f1 = (
            2
            * right
            / (table.sum(axis=0) + table.sum(axis=1) + wrong * (enters - leaves))
        )
        scores = [("accuracy", right.sum(axis=1) / n), ("macro F1", f1.mean(axis=1))]
        for name, score in [
            *scores,
            *(("F1 of a class", f1[:, c]) for c in (source, target)),
        ]:
            fallen = score[0] - score >= 0.01 - NOISE
            needed[name].append(1000 / n * fallen.argmax() if fallen.any() else np.inf)
    return needed


@JUDGES.judge("one-percent-f1")
def _one_percent_f1(record):
    needed = {
        data: answers_needed(*_predicted(data))
        for data in ("docstrings", "breast-cancer", "wine")
    }
    names = ("accuracy", "macro F1", "F1 of a class")
    every = {name: [c for n in needed.values() for c in n[name]] for name in names}
    phrases = ", ".join(f"{_span(every[name])} for {name}" for name in names)

    def of(needed):
        counts = {
            name: [count for by_name in needed.values() for count in by_name[name]]
            for name in names
        }
        ends = {
            f"{name}, {word}": end(c)
            for name, c in counts.items()
            for word, end in ENDS.items()
        }
        return exactly(ends)

    rare = {"it is an 8, or not": answers_needed(*_rare_class())}
    return Evidence(
        "own run",
        "Answers per 1,000 that must turn wrong for a score to fall by 0.01:"
        f" {phrases}. The course's code computes macro F1. Where a class is rare, as"
        " on whether a digit is an 8, fewer answers are enough.",
        of(needed),
        {
            "the F1 of a class, too": {},
            "9 to 11 items": {},
            "5 to 20 items": {},
            **{f"{NAMES[data]} alone": of({data: needed[data]}) for data in needed},
            "a class of one item in ten": of(rare),
        },
    )


def _rare_class():
    """Return whether each digit is an 8, and what the linear model answers."""
    X, y, _ = nine_datasets.load("digits")
    is_eight = (y == "8").astype(int).to_numpy()
    return is_eight, _out_of_fold(X, is_eight)


# --------------------------------------------------------------------------------------
# Intervals of a few runs, and McNemar's test
# --------------------------------------------------------------------------------------

POPULATIONS = {"normal": "Gaussian scores", **NETWORKS, "as_reader": "AS Reader"}


@JUDGES.judge("get-ci-is-95")
def _get_ci(record):
    covers, phrases = {}, []
    for name, words in POPULATIONS.items():
        rows = record.table(
            "coverage", len(simulated.SIZES), population=name
        ).sort_values("n")
        covers[name] = {
            f"coverage at {row.n}": Share(row.get_ci, row.draws)
            for row in rows.itertuples()
        }
        zero, one = (
            ", ".join(f"{x:.1%}" for x in rows[column] / rows.draws)
            for column in ("get_ci", "t")
        )
        phrases.append(f"{words} {zero} (ddof=1: {one})")
    return Evidence(
        "own run",
        "Samples in which get_ci, with ddof=0 as printed, covers the true mean, at "
        f"{', '.join(map(str, simulated.SIZES))} scores: {'; '.join(phrases)}.",
        covers["normal"],
        {
            **{
                f"{POPULATIONS[name]} as population": covers[name]
                for name in (*NETWORKS, "as_reader")
            },
            "94 to 96 %": {},
            "with 20 scores alone": {},
        },
    )


DISCORDANT = np.array([5, 10, 25, 50, 100, 400])
NUMBERS = np.arange(1, DISCORDANT[-1] + 1)


def rejection_chances(method):
    """Return how often McNemar's test at 5 % calls two models different that are right
    equally often.

    Parameters
    ----------
    method : str
        As `evalkit.mcnemar` takes it.

    Returns
    -------
    ndarray of float, shape (400,)
        In percent; where one of the two is right on 1 item, on 2, and so on.
    """
    # The more unequal the two numbers, the smaller is p, and what is rejected on one
    # side is on the other; with one item more as many are rejected, or more.
    few, chances = 0, []
    for n in NUMBERS.tolist():
        while mcnemar(few, n - few, method=method).pvalue <= 0.05:
            few += 1
        chances.append(200 * stats.binom.cdf(few - 1, n, 0.5))
    return np.array(chances)


@JUDGES.judge("mcnemar-chi-squared")
def _chi_squared(record):
    printed, exact = (
        rejection_chances(method) for method in ("chi2-corrected", "exact")
    )
    off, few = (
        abs(printed - exact),
        dict(zip(DISCORDANT.tolist(), printed[DISCORDANT - 1], strict=True)),
    )
    far = ", ".join(map(str, NUMBERS[(NUMBERS >= 25) & (off > 0.5)]))
    ends = {"highest of all": printed.max(), "farthest off": off[24:].max()}
    at = {f"at {n}": chance for n, chance in few.items()} | {
        f"off at {n}": off[n - 1] for n in few
    }
    return Evidence(
        "exact",
        "Chance to reject at 5 % when both models are right equally often, by how many"
        " items one of them is right on:"
        f" {', '.join(f'{n}: {chance:.2f} %' for n, chance in few.items())}. Over all"
        f" numbers up to {NUMBERS[-1]} it is at most {printed.max():.2f} %. From 25 up"
        f" it is more than half a point off the exact test's at {far or 'none'}, by up"
        f" to {off[24:].max():.2f} points.",
        exactly({**ends, **at}),
        {
            "the rule of 2026-11-23, at six numbers": {},
            "within a whole point": {},
            "from 100 discordant items up": exactly({"farthest off": off[99:].max()}),
        },
    )
