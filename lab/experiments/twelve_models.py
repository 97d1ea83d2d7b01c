"""Nine results on twelve language models that were asked one question.

It is: "Does this answer contain an error?" The data are `boards.realmistake`.

A table for each chapter, named after its module, and a row in it for each way of
counting:

- `splits`: a template is chosen on some tasks; how far its score is from the promised
  one on a task that is new, and on new answers of the same tasks;
- `baselines`: how many of the sixty cells (a model under a template) do better than
  always saying "error";
- `tuning`: the best cell of all on a few answers: what it promises, and what it keeps;
- `intervals`: how often a score under one template lies in the interval of the same
  model's under another;
- `significance`: how many of the sixty cells, as judges, see which of two writers has
  fewer errors;
- `seeds`: what a second to fifth answer to the same items adds, on GPQA and on 150 of
  the answers;
- `expected_maximum`: what the best of n templates is above a template at random;
- `jkfold`: a panel of all twelve models is trained; whether another shuffle would have
  chosen another template for it;
- `leaderboards`: how many pairs of models have one order under some template and the
  other under another (`low`: surely; `high`: all but those surely in one order).

Answers with the same input stand or fall together: they are one group. Intervals of
shares and of differences are evalkit's; others reach 1.96 standard errors to either
side, from inputs drawn with replacement, and speak of other inputs of these tasks, for
these models and templates. (Percentiles would have the bias of a best of several
twice.)
"""

import functools
import itertools
from dataclasses import dataclass, replace

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from evalkit.expected_maximum import expected_max
from evalkit.intervals import group_interval, t_interval
from evalkit.jkfold import choice_variability
from evalkit.seeds import crossed_difference
from evalkit.significance import holm
from lab.data import boards
from lab.record.experiment import Experiment
from lab.samples import jackknife_ends

DRAWS = 1000  # of inputs: a standard error is good to 2 %
AVERAGED = (1, 4, 16)  # shuffles
TASKS = ("maths", "facts", "answerability")


@dataclass(frozen=True)
class Choice:
    """A way to count.

    Attributes
    ----------
    metric : {"accuracy", "balanced"}
        The share of right verdicts; or the mean of the shares among answers with an
        error and without one.
    missing : {"wrong", "left out"}
        What a verdict that could not be read is.
    templates : tuple of str
    task : str, optional
        Of all three, one.
    shared : bool
        Whether only inputs count that both writers answered.
    """

    metric: str = "accuracy"
    missing: str = "wrong"
    templates: tuple = boards.TEMPLATES
    task: str | None = None
    shared: bool = False


BASE = "as in the text"
CHOICES = {
    BASE: Choice(),
    "balanced accuracy": Choice(metric="balanced"),
    "missing verdicts left out": Choice(missing="left out"),
    "without the template of steps": Choice(templates=boards.TEMPLATES[:4]),
    **{f"{task} alone": Choice(task=task) for task in TASKS},
    "inputs with both writers": Choice(shared=True),
}

# --------------------------------------------------------------------------------------
# Cells and their scores
# --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cells:
    """What the models said of some answers.

    Attributes
    ----------
    verdicts : ndarray of float, shape (n_items, n_models, n_templates)
        1 for "error", 0 for "no error", NaN.
    label, input, task, system : ndarray, shape (n_items,)
    models : tuple of str
    """

    verdicts: np.ndarray
    label: np.ndarray
    input: np.ndarray
    task: np.ndarray
    system: np.ndarray
    models: tuple

    def where(self, kept):
        """Return some of the items.

        Parameters
        ----------
        kept : ndarray of bool or int
            Which, or their places in a new order.

        Returns
        -------
        Cells
        """
        names = ("verdicts", "label", "input", "task", "system")
        return replace(self, **{name: getattr(self, name)[kept] for name in names})


@functools.cache
def cells(choice):
    """Return the cells that a choice speaks of.

    Parameters
    ----------
    choice : Choice

    Returns
    -------
    Cells
    """
    rows = boards.realmistake()
    wide = rows.pivot_table("verdict", "item", ["model", "template"], dropna=False)
    items = rows.drop_duplicates("item").sort_values("item")
    models = tuple(sorted(set(rows.model)))
    verdicts = np.stack(
        [[wide[model, template] for template in choice.templates] for model in models]
    )
    facts = (items[name].to_numpy() for name in ("label", "input", "task", "system"))
    every = Cells(np.moveaxis(verdicts, 2, 0), *facts, models)
    kept = (
        np.full(len(items), True) if choice.task is None else every.task == choice.task
    )
    if choice.shared:
        kept = (
            kept & (items.groupby("input").system.transform("nunique") == 2).to_numpy()
        )
    return every.where(kept)


def _mean_of(x, counted):
    """Return numbers whose mean is that of x where it counts, taken as linear around
    its value: they scatter as it does. Where all counts, they are x.
    """
    n = counted.sum(axis=0)
    weight = counted * (len(x) / n)
    return weight * x + (1 - weight) * ((x * counted).sum(axis=0) / n)


def values(part, choice):
    """Return numbers whose mean over the items is each cell's score, and whose scatter
    is that of the score.

    Parameters
    ----------
    part : Cells
    choice : Choice

    Returns
    -------
    ndarray of float, shape (n_items, n_models, n_templates)
        Right or wrong, 1 or 0, where every verdict counts.
    """
    right = (part.verdicts == part.label[:, None, None]).astype(float)
    answered = ~np.isnan(part.verdicts) | (choice.missing == "wrong")
    if choice.metric == "accuracy":
        return _mean_of(right, answered)
    classes = (answered & (part.label == c)[:, None, None] for c in (0, 1))
    return sum(_mean_of(right, counted) for counted in classes) / 2


def scores(part, choice):
    """Return the score of each cell.

    Parameters
    ----------
    part : Cells
    choice : Choice

    Returns
    -------
    ndarray of float, shape (n_models, n_templates)
    """
    return values(part, choice).mean(axis=0)


def with_ends(statistic, part):
    """Return a number and the ends of its 95 % interval over inputs.

    Parameters
    ----------
    statistic : callable
        From cells to a number.
    part : Cells

    Returns
    -------
    dict of str to float
        `value`, `low` and `high`.
    """
    of_input = np.argsort(part.input, kind="stable")
    places = np.split(
        of_input, np.unique(np.sort(part.input), return_index=True)[1][1:]
    )
    rng, drawn = np.random.default_rng(0), []
    for _ in range(DRAWS):
        some = rng.integers(len(places), size=len(places))
        drawn.append(statistic(part.where(np.concatenate([places[i] for i in some]))))
    value, reach = statistic(part), 1.96 * np.std(drawn, ddof=1)
    return {"value": value, "low": value - reach, "high": value + reach}


def _rounded(found):
    return {
        name: value if isinstance(value, (str, int)) else round(float(value), 6)
        for name, value in found.items()
    }


# --------------------------------------------------------------------------------------
# The nine
# --------------------------------------------------------------------------------------


def promised_and_got(part, choice, on, new):
    """Return what each model's best template promises, and what it keeps.

    Parameters
    ----------
    part : Cells
    choice : Choice
    on, new : ndarray of bool, shape (n_items,)
        The items on which the template is chosen, and others.

    Returns
    -------
    promised, got : ndarray of float, shape (n_models,)
    """
    there, here = (scores(part.where(kept), choice) for kept in (on, new))
    best = there.argmax(axis=1)[:, None]
    return tuple(np.take_along_axis(x, best, axis=1)[:, 0] for x in (there, here))


def _off(part, choice, on, new):
    promised, got = promised_and_got(part, choice, on, new)
    return np.abs(promised - got).mean()


def _splits(choice):
    way = CHOICES[choice]
    # A task alone is the one that is new.
    new = TASKS if way.task is None else (way.task,)
    part = cells(replace(way, task=None))

    def off(some):
        return np.mean([_off(some, way, some.task != t, some.task == t) for t in new])

    always = [
        np.abs(np.subtract(*(scores(part.where(k), way) for k in (t, ~t)))).mean()
        for t in (part.task == name for name in new)
    ]
    found = with_ends(off, part) | {"every_cell": np.mean(always)}
    if way.task is None:
        rng, inputs, same = np.random.default_rng(0), np.unique(part.input), []
        for _ in range(200):
            third = rng.permutation(inputs)[: len(inputs) // 3]
            held = np.isin(part.input, third)
            same.append(_off(part, way, ~held, held))
        found["same_tasks"] = np.mean(same)
    return _rounded(found)


def _surely(differences, groups):
    """Return which means of columns are above 0, and which below, all at once at 95 %
    (Holm).
    """
    zero = np.zeros(len(groups))
    found = [crossed_difference(x, zero, groups=groups) for x in differences.T]
    sure = holm([one.pvalue for one in found]) <= 0.05
    positive = np.array([one.difference > 0 for one in found])
    return sure & positive, sure & ~positive


def _counted(differences, groups):
    """Return how many means of columns are above 0, and between which numbers that is
    sure.
    """
    above, below = _surely(differences, groups)
    of = differences.shape[1]
    value = int((differences.mean(axis=0) > 1e-12).sum())
    ends = {"low": int(above.sum()), "high": of - int(below.sum())}
    return {"value": value, **ends, "of": of}


def _baselines(choice):
    way = CHOICES[choice]
    part = cells(way)
    ours = values(part, way).reshape(len(part.label), -1)
    always = replace(part, verdicts=np.ones((len(part.label), 1, 1)))
    floor = values(always, way)[:, 0]
    found = {"constant": floor.mean(), "best": ours.mean(axis=0).max()}
    return _rounded(_counted(ours - floor, part.input) | found)


def _tuning(choice, n, searches=2000):
    way = CHOICES[choice]
    part = cells(way)
    rng, promised, kept = np.random.default_rng(1), [], []
    while len(promised) < searches:
        # Whole inputs, but for the last.
        turn = rng.permutation(part.input.max() + 1)[part.input]
        on = np.zeros(len(part.label), dtype=bool)
        on[np.argsort(turn, kind="stable")[:n]] = True
        if way.metric == "balanced" and len(set(part.label[on])) < 2:
            continue  # no score
        there, rest = (scores(part.where(k), way).ravel() for k in (on, ~on))
        best = rng.choice(np.flatnonzero(there >= there.max() - 1e-12))
        promised.append(there[best])
        kept.append(rest[best])
    over = np.subtract(promised, kept)
    low, high = np.quantile(over, [0.025, 0.975])
    found = {"value": over.mean(), "low": low, "high": high}
    found |= {"promised": np.mean(promised), "kept": np.mean(kept)}
    return _rounded(found | {"searches": searches, "se": over.std() / searches**0.5})


def _intervals(choice):
    way = CHOICES[choice]
    part = cells(way)
    x = values(part, way)
    # Those of all inputs, also where some are left out.
    half = np.apply_along_axis(lambda c: group_interval(c, part.input).width / 2, 0, x)
    pairs = list(itertools.permutations(range(x.shape[2]), 2))

    def held(some):
        score = scores(some, way)
        return np.mean(
            [np.abs(score[:, t] - score[:, u]) <= half[:, u] for t, u in pairs]
        )

    score = x.mean(axis=0)
    apart = [np.abs(score[:, t] - score[:, u]) for t, u in pairs]
    found = {"half_width": np.median(half), "apart": np.median(apart)}
    return _rounded(with_ends(held, part) | found)


def writers_apart(choice):
    """Return by how much each cell, as a judge, finds Llama 2 worse than GPT-4.

    Parameters
    ----------
    choice : Choice

    Returns
    -------
    gaps : ndarray of float, shape (n_inputs, n_models * n_templates)
        1 if it finds an error in Llama 2's answer alone, -1 if in GPT-4's alone, on
        the inputs that both answered. A missing verdict is "no error", or its input
        does not count.
    people : float
        The mean of the same by the experts.
    """
    part = cells(replace(choice, shared=True))
    part = part.where(np.lexsort([part.system, part.input]))
    # Of two answers with one input Llama 2's comes first.
    llama, gpt = (part.where(slice(start, None, 2)) for start in (0, 1))
    said = [x.verdicts.reshape(len(x.label), -1) for x in (llama, gpt)]
    if choice.missing == "wrong":
        said = [np.nan_to_num(x) for x in said]
    gaps = said[0] - said[1]
    gaps = _mean_of(np.nan_to_num(gaps), ~np.isnan(gaps))
    return gaps, (llama.label - gpt.label).mean()


def _significance(choice):
    gaps, people = writers_apart(CHOICES[choice])
    return _rounded(_counted(gaps, np.arange(len(gaps))) | {"people": people})


_REPEATED = {
    "GPQA, the difference": ("gpqa", None),
    "GPQA, gpt-5-nano": ("gpqa", "gpt-5-nano-2025-08-07"),
    "GPQA, gpt-5.4-mini": ("gpqa", "gpt-5.4-mini-2026-03-17"),
    "150 answers, gpt-3.5-turbo": ("realmistake", "gpt-3.5-turbo-0125"),
    "150 answers, gpt-4-0125": ("realmistake", "gpt-4-0125-preview"),
    "150 answers, Mixtral": ("realmistake", "Mixtral-8x7B-Instruct-v0.1"),
}


def repeated(choice):
    """Return what was right at each repeat, or by how much a model was ahead.

    Parameters
    ----------
    choice : str
        As the rows of the table `seeds` name them.

    Returns
    -------
    ndarray of float, shape (n_items, 5)
    """
    data, model = _REPEATED[choice]
    if data == "gpqa":
        right = boards.gpqa().pivot_table("right", "item", ["model", "epoch"])
        first, second = sorted(set(right.columns.get_level_values("model")))
        part = right[first] - right[second] if model is None else right[model]
        return part.to_numpy()
    rows = boards.realmistake_repeats()
    rows = rows[rows.model == model]
    rows = rows.assign(right=rows.verdict == rows.label)
    return rows.pivot_table("right", "item", "repeat").to_numpy(dtype=float)


def _narrower(right):
    """Return the half-width with all answers over that with one."""
    k = right.shape[1]
    within = right.var(axis=1, ddof=1).mean()
    between = right.mean(axis=1).var(ddof=1) - within / k
    return ((between + within / k) / (between + within)) ** 0.5


def _seeds(choice):
    right = repeated(choice)
    left_out = [_narrower(np.delete(right, i, axis=0)) for i in range(len(right))]
    means = right.mean(axis=0)
    low, high = jackknife_ends(np.array(_narrower(right)), np.array(left_out))
    found = {"value": _narrower(right), "low": low, "high": high}
    found |= {"as_if_items": right.shape[1] ** -0.5, "mean": means.mean()}
    found |= {"half_width": t_interval(right.mean(axis=1)).width / 2}
    found |= {"lowest": means.min(), "highest": means.max()}
    if choice.endswith("difference"):
        sure = [crossed_difference(x, 0 * x).pvalue <= 0.05 for x in right.T]
        found["apart"] = int(np.sum(sure))
    return _rounded(found)


def _expected_maximum(choice, n):
    way = CHOICES[choice]
    part = cells(way)
    score = scores(part, way)

    def gain(some):
        score = scores(some, way)
        return np.mean([expected_max(row, n) - row.mean() for row in score])

    # Chosen on one half of the inputs, scored on the other.
    rng, inputs, fresh = np.random.default_rng(2), np.unique(part.input), []
    for _ in range(200):
        half = np.isin(part.input, rng.permutation(inputs)[: len(inputs) // 2])
        there, here = (scores(part.where(k), way) for k in (half, ~half))
        for some in itertools.combinations(range(score.shape[1]), n):
            chosen = there[:, some].argmax(axis=1)
            fresh.append(
                np.mean(here[:, some][np.arange(12), chosen] - here.mean(axis=1))
            )
    mean, best = score.mean(axis=1), score.max(axis=1)
    worse = mean[:, None] < mean - 1e-12
    found = {
        "on_new_items": np.mean(fresh),
        "best_above_mean": (best[:, None] > mean)[worse].mean(),
        "best_above_best": (best[:, None] > best)[worse].mean(),
    }
    return _rounded(with_ends(gain, part) | found)


_PANELS = {
    BASE: {},
    "balanced accuracy, classes weighted alike": {"metric": "balanced"},
    "without the template of steps": {"templates": boards.TEMPLATES[:4]},
    "inputs kept together": {"together": True},
    "ten folds": {"k": 10},
}


def panel_scores(
    task,
    *,
    shuffles=200,
    k=5,
    metric="accuracy",
    templates=boards.TEMPLATES,
    together=False,
):
    """Return the K-fold score of a logistic regression on the twelve verdicts under
    each template, for many shuffles.

    Parameters
    ----------
    task : str or None
    shuffles, k : int
    metric, templates
        As in `Choice`; for balanced accuracy both classes weigh the same when it is
        trained, too. What is missing lies between both verdicts.
    together : bool
        Whether answers with the same input are in one fold.

    Returns
    -------
    ndarray of float, shape (shuffles, n_templates)
    """
    part = cells(Choice(task=task, templates=templates))
    balanced = metric == "balanced"
    model = LogisticRegression(class_weight="balanced" if balanced else None)
    features, label = np.nan_to_num(part.verdicts, nan=0.5), part.label
    kind = StratifiedGroupKFold if together else StratifiedKFold
    out = np.zeros((shuffles, len(templates)))
    weight = 1 / np.bincount(label)[label] if balanced else np.ones(label.size)
    for shuffle, t in np.ndindex(*out.shape):
        x, of_fold = features[:, :, t], []
        folds = kind(k, shuffle=True, random_state=shuffle)
        for train, test in folds.split(x, label, part.input if together else None):
            right = model.fit(x[train], label[train]).predict(x[test]) == label[test]
            of_fold.append(np.average(right, weights=weight[test]))
        out[shuffle, t] = np.mean(of_fold)
    return out


def _jkfold(choice, task):
    # Where two templates nearly tie, 200 shuffles hold too few sets of sixteen.
    shuffles = 1000 if choice == BASE else 200
    by_shuffle = panel_scores(
        None if task == "all" else task, shuffles=shuffles, **_PANELS[choice]
    )
    found = choice_variability(by_shuffle, AVERAGED, ties="random", rng=0).table
    names = _PANELS[choice].get("templates", boards.TEMPLATES)
    means = dict(zip(names, by_shuffle.mean(axis=0), strict=True))
    return _rounded(
        {f"agreement_{j}": found.agreement[j] for j in AVERAGED}
        | {f"score_{name}": score for name, score in means.items()}
        | {"chosen": f"template {max(means, key=means.get)}"}
    )


def _leaderboards(choice):
    way = CHOICES[choice]
    part = cells(way)
    x = values(part, way)
    first, second = np.triu_indices(x.shape[1], 1)
    gaps = x[:, first] - x[:, second]  # item, pair, template
    above, below = (
        sure.reshape(gaps.shape[1:])
        for sure in _surely(gaps.reshape(len(gaps), -1), part.input)
    )
    turned = int((above.any(axis=1) & below.any(axis=1)).sum())
    same = int((above.all(axis=1) | below.all(axis=1)).sum())
    order = np.sign(gaps.mean(axis=0).round(12))
    both_ways = int(((order > 0).any(axis=1) & (order < 0).any(axis=1)).sum())
    ends = {"low": turned, "high": first.size - same}
    return {"value": both_ways, **ends, "of": first.size, "same": same}


# --------------------------------------------------------------------------------------
# What is recorded
# --------------------------------------------------------------------------------------

SIZES = (25, 50, 100, 200)
BUDGETS = (2, 3, 4, 5)


def _plan(scale, rows):
    """Return the units; none depends on another."""
    alike = ("splits", "baselines", "intervals", "leaderboards")
    units = [{"table": t, "choice": c} for t in alike for c in CHOICES]
    # Shares of "error" are no accuracies, and whoever compares writers needs both.
    neither = ("balanced accuracy", "inputs with both writers")
    units += [
        {"table": "significance", "choice": c} for c in CHOICES if c not in neither
    ]
    units += [{"table": "tuning", "choice": c, "n": n} for c in CHOICES for n in SIZES]
    units += [{"table": "seeds", "choice": c} for c in _REPEATED]
    units += [
        {"table": "expected_maximum", "choice": c, "n": n}
        for c in CHOICES
        for n in BUDGETS
        if n <= len(CHOICES[c].templates)
    ]
    return units + [
        {"table": "jkfold", "choice": c, "task": task}
        for c in _PANELS
        for task in (*TASKS, "all")
    ]


EXPERIMENT = Experiment(
    name="twelve_models",
    # A fit may turn an answer on another machine; counts and shares do not.
    compared=dict.fromkeys(
        ("value", "low", "high", *(f"agreement_{j}" for j in AVERAGED)), 0.01
    ),
    plan=_plan,
    tables={
        "splits": _splits,
        "baselines": _baselines,
        "tuning": _tuning,
        "intervals": _intervals,
        "significance": _significance,
        "seeds": _seeds,
        "expected_maximum": _expected_maximum,
        "jkfold": _jkfold,
        "leaderboards": _leaderboards,
    },
)
