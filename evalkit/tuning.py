"""Chapter 3: searching for a good setting, and recording what the search did.

A search that keeps every trial can be judged afterwards: what a shorter one would have
found, what it cost, and whether its trials may be treated as independent draws.
"""

import math
import time
import warnings
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from evalkit import _extras
from evalkit._checks import (
    _show,
    as_array,
    check_bool,
    check_choice,
    check_direction,
    check_int,
    check_number,
    check_rng,
    check_scores,
    check_work,
)
from evalkit._limits import MAX_COUNT, SEARCHES
from evalkit._ties import coarsest, first_best, levels, rounding
from evalkit.expected_maximum import _rank_cells, expected_max
from evalkit.results import TRIAL_COLUMNS, Trials

# A guided search looks at all earlier trials before each, and at all values.
_MOST_TRIALS = {"random": 100_000, "grid": 100_000, "guided": 1000}
# Of one hyperparameter.
_MOST_VALUES = {
    "random": 1_000_000,
    "grid": 1_000_000,
    "guided": 1000,
}
_MOST_RANKED = 10_000_000  # scores, over all budgets
_SHUFFLED = 1_000_000  # combinations of a grid that are put into order all at once


def search(
    objective,
    space,
    *,
    method="random",
    n_trials=None,
    prune_after=None,
    minimize=False,
    rng=None,
):
    """Search a space of settings, and record every trial.

    Parameters
    ----------
    objective : callable
        From a setting (a dict) to its score. Or a generator that yields a score after
        each stage of training, the last one being final: then a trial can be pruned.
    space : dict of str to sequence or scipy.stats distribution
        For each hyperparameter the values to choose from, or a frozen distribution to
        draw from, such as ``scipy.stats.loguniform(1e-4, 1e-1)``. A grid needs values.
    method : {"random", "grid", "guided"}, default "random"
        "grid" tries all combinations, in random order, so that its first part is no
        corner; "guided" is Optuna's tree-structured Parzen estimator.
    n_trials : int, optional
        By default all of a grid; the other methods need it.
    prune_after : int, optional
        From this stage on, stop a trial whose best score so far is worse than the
        median of the earlier trials after the same stage (Optuna's median rule, with
        five trials to warm up).
    minimize : bool, default False
        True for losses.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    Trials

    Raises
    ------
    ValueError
        Also if the objective gives NaN or infinity: what a failed trial scores is yours
        to decide.

    Notes
    -----
    Size: beside the objective, 100,000 trials (of 1,000 values each, or of a grid of
    any size) take 30 s and 500 MB; guided, 1,000 trials of 10 hyperparameters take 120
    s.

    References
    ----------
    Bergstra and Bengio (2012), Random Search for Hyper-Parameter Optimization, Journal
    of Machine Learning Research; Bergstra, Bardenet, Bengio and Kegl (2011), Algorithms
    for Hyper-Parameter Optimization, NIPS.

    Examples
    --------
    >>> from evalkit import search
    >>> score = lambda setting: -(setting["x"] - 3) ** 2
    >>> trials = search(score, {"x": [0, 1, 2, 3, 4]}, method="grid", rng=0)
    >>> print(trials)
    5 trials of a grid search (0 pruned); best 0 at x=3
    """
    if not callable(objective):
        raise TypeError(f"objective must be a function of a setting, got {objective!r}")
    check_choice(method, "method", SEARCHES)
    minimize = check_bool(minimize, "minimize")
    if prune_after is not None:
        prune_after = check_int(prune_after, "prune_after")
    space = _check_space(space, method)
    if n_trials is not None:
        n_trials = check_int(n_trials, "n_trials")
    elif method != "grid":
        raise TypeError(f"n_trials must be given for a {method} search")
    if method == "grid":
        n_grid = math.prod(len(values) for values in space.values())
        n_trials = min(n_trials or n_grid, n_grid)
        what = f"space has {n_grid:,} combinations, and n_trials is {n_trials:,}"
    else:
        what = f"n_trials is {n_trials:,}"
    check_work(
        n_trials,
        _MOST_TRIALS[method],
        what,
        'give fewer n_trials, or take method="random"',
    )
    rng = check_rng(rng)
    study = (
        _study(method, minimize, prune_after, rng)
        if prune_after or method == "guided"
        else None
    )
    rows = []
    for draw in _settings(space, method, n_trials, rng):
        trial = study.ask() if study else None
        setting = draw(trial)
        start = time.perf_counter()
        scores, pruned = _run(objective, setting, trial if prune_after else None)
        seconds = time.perf_counter() - start
        came = {
            "score": scores[-1],
            "seconds": seconds,
            "stages": len(scores),
            "pruned": pruned,
        }
        rows.append({**setting, **came})
        if study:
            _tell(study, trial, scores[-1], pruned)
    return Trials(pd.DataFrame(rows), method, minimize)


def _check_space(space, method):
    if not isinstance(space, dict) or not space:
        raise TypeError(
            f"space must be a dict of hyperparameters, not empty, got {space!r}"
        )
    clean = {}
    for name, values in space.items():
        if name in TRIAL_COLUMNS:
            raise ValueError(
                f"space must not use {name!r}: a column of the trials has that name"
            )
        if isinstance(
            getattr(values, "dist", None), (stats.rv_continuous, stats.rv_discrete)
        ):
            if method == "grid":
                raise ValueError(
                    f"space must list the values of {name} for a grid, got a"
                    " distribution"
                )
            if not np.isfinite(values.ppf([2**-53, 1 - 2**-53])).all():
                raise ValueError(
                    f"space must give {name} a distribution of finite numbers, got"
                    f" {_show(values)}"
                )
            clean[name] = values
            continue
        # Not an iterator, which might never end, nor a dict or a set, whose order says
        # nothing.
        listed = isinstance(values, (Sequence, np.ndarray, pd.Series, pd.Index))
        listed = (
            listed
            and not isinstance(values, (str, bytes))
            and getattr(values, "ndim", 1) > 0
        )
        if not (listed and len(values)):
            raise ValueError(
                f"space must give {name} a list of values or a frozen SciPy"
                f" distribution, got {_show(values)}"
            )
        what = f"space has {len(values):,} values of {name}"
        check_work(
            len(values), _MOST_VALUES[method], what, "give fewer, or a distribution"
        )
        clean[name] = list(values)
    return clean


def _value(values, quantile):
    """Return the value at a quantile in [0, 1): so one uniform number draws from
    anything.
    """
    if hasattr(values, "ppf"):
        drawn = values.ppf(max(quantile, 2**-53))  # at 0 it is below what can be drawn
        return (
            int(drawn) if isinstance(values.dist, stats.rv_discrete) else float(drawn)
        )
    return values[int(quantile * len(values))]


def _settings(space, method, n_trials, rng):
    """Yield functions from a trial of Optuna, or None, to the next setting."""
    if method == "grid":
        for combination in _combinations(
            [len(values) for values in space.values()], n_trials, rng
        ):
            setting = {
                name: values[i]
                for (name, values), i in zip(space.items(), combination, strict=True)
            }
            yield lambda _, setting=setting: setting
    elif method == "random":
        for _ in range(n_trials):
            setting = {
                name: _value(values, rng.random()) for name, values in space.items()
            }
            yield lambda _, setting=setting: setting
    else:
        # In quantiles, Optuna's uniform prior is the distribution that the user gave.
        def suggest(trial, name, values):
            if hasattr(values, "ppf"):
                return _value(values, trial.suggest_float(name, 0, 1 - 2**-53))
            return values[trial.suggest_categorical(name, range(len(values)))]

        for _ in range(n_trials):
            yield lambda trial: {
                name: suggest(trial, name, values) for name, values in space.items()
            }


def _combinations(shape, n, rng):
    """Return the indices of n different combinations of a grid, in random order,
    without building it.
    """
    total = math.prod(shape)
    if total <= _SHUFFLED:
        return np.transpose(np.unravel_index(rng.permutation(total)[:n], shape))
    drawn = {}  # n is far below the total, so that few are drawn twice
    while len(drawn) < n:
        drawn.update(
            dict.fromkeys(
                map(tuple, rng.integers(shape, size=(n, len(shape))).tolist())
            )
        )
    return list(drawn)[:n]


def _study(method, minimize, prune_after, rng):
    _extras.need("search", "a guided or pruned search")
    with warnings.catch_warnings():
        # Its progress bar, which is not shown, looks for widgets.
        warnings.simplefilter("ignore")
        import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna.create_study(
        direction="minimize" if minimize else "maximize",
        sampler=(
            optuna.samplers.TPESampler(seed=int(rng.integers(2**31)))
            if method == "guided"
            else None
        ),
        pruner=optuna.pruners.MedianPruner(
            n_startup_trials=5, n_warmup_steps=(prune_after or 1) - 1
        ),
    )


def _tell(study, trial, score, pruned):
    from optuna.trial import TrialState

    if pruned:
        study.tell(trial, state=TrialState.PRUNED)
    else:
        study.tell(trial, score)


def _run(objective, setting, trial):
    """Return the scores of all stages, and whether the trial was stopped early."""
    outcome = objective(dict(setting))
    scores = []
    for stage, score in enumerate(
        outcome if isinstance(outcome, Iterator) else [outcome]
    ):
        try:
            number = check_number(score, "objective")
            # NumPy's floats stay in their type, which says what a tie is.
            scores.append(score if isinstance(score, np.floating) else number)
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"objective must return finite numbers, for {setting} it did not:"
                f" {error}"
            ) from None
        if trial is not None:
            trial.report(scores[-1], stage)
            if trial.should_prune():
                return scores, True
    if not scores:
        raise ValueError(
            f"objective must yield at least one score, for {setting} it yielded none"
        )
    return scores, False


def winner_by_budget(pools, budgets, *, seconds=None, minimize=False):
    """Say which system is ahead at each budget, and how surely.

    Parameters
    ----------
    pools : dict of str to array_like of float, or to Trials
        For each of at least two systems the scores of independent trials.
    budgets : array_like of int or float
        In trials, or in seconds if `seconds` is given.
    seconds : dict of str to float, optional
        The mean cost of one trial of each system. A budget then buys each as many
        trials as it pays.
    minimize : bool, default False
        True for losses.

    Returns
    -------
    pandas.DataFrame
        One row for each budget: for each system `n <name>`, the trials that the budget
        buys, and `best <name>`, the expected best of so many (NaN where it buys none,
        or more than there are); `ahead`, the system with the best expectation among
        those that can afford a trial; `probability`, how probable it is that its best
        beats the best of the runner-up in fresh searches of that size. Both are missing
        where a budget buys more trials than were made.

    Raises
    ------
    ValueError
        Also for trials that are not independent: of a grid, guided, or pruned.

    Notes
    -----
    Among equals the system that is named first is ahead. Scores that came in different
    types are compared in the coarsest of them.

    Size: budgets times scores, up to 10 million, in 90 s and 500 MB.
    """
    if not isinstance(pools, dict) or len(pools) < 2:
        raise TypeError(
            f"pools must be a dict of at least two systems, got {_show(pools)}"
        )
    if len(set(map(str, pools))) < len(pools):
        raise ValueError(
            "pools must have names that differ in print, got"
            f" {', '.join(map(repr, pools))}"
        )
    minimize = check_direction(minimize, *pools.values())
    given = [
        pool.table.score if isinstance(pool, Trials) else pool
        for pool in pools.values()
    ]
    pools = {name: _independent(name, pool) for name, pool in pools.items()}
    kind, slack = coarsest(*given), rounding(*given)
    pools = {name: pool.astype(kind).astype(float) for name, pool in pools.items()}
    price = _check_seconds(seconds, pools)
    # A budget of exactly three times the price buys three, whatever the rounding.
    paid = rounding(as_array(budgets, "budgets"), *seconds.values()) if seconds else 0.0
    budgets = check_scores(budgets, "budgets")
    if seconds is None and not (budgets == np.round(budgets)).all():
        raise ValueError(
            "budgets must be whole numbers of trials, unless seconds is given"
        )
    if budgets.min() <= 0:
        raise ValueError(f"budgets must be above 0, got {budgets.min():g}")
    if float(budgets.max()) / min(price.values()) > MAX_COUNT:
        raise ValueError(
            "budgets must buy at most 2**53 trials, beyond which floats cannot count,"
            f" got {budgets.max():g}"
        )
    n_scores = sum(map(len, pools.values()))
    what = f"budgets are {len(budgets):,}, for {n_scores:,} scores in pools"
    check_work(len(budgets) * n_scores, _MOST_RANKED, what, "ask for fewer budgets")
    rows = []
    for budget in budgets:
        counts = {name: float(budget) / price[name] for name in pools}
        bought = {
            name: math.floor(count + min(paid * count, 0.4))
            for name, count in counts.items()
        }
        known = all(bought[name] <= len(pools[name]) for name in pools)
        able = [name for name in pools if 1 <= bought[name] <= len(pools[name])]
        best = {
            name: expected_max(pools[name], bought[name], minimize=minimize)
            for name in able
        }
        row = {"budget": budget if seconds else int(budget)}
        row |= {f"n {name}": bought[name] for name in pools}
        row |= {f"best {name}": best.get(name, np.nan) for name in pools}
        ranked, probability = [], np.nan
        if known:
            sizes = {
                name: _without_sign(pools[name], bought[name], minimize)
                for name in able
            }
            ranked = _first_two(best, sizes, slack, minimize)
        if len(ranked) > 1:
            first, second = ranked
            probability = _probability_ahead(
                pools[first], pools[second], bought[first], bought[second], minimize
            )
        row["ahead"] = ranked[0] if ranked else np.nan
        row["probability"] = probability
        rows.append(row)
    return pd.DataFrame(rows).set_index("budget")


def _probability_ahead(scores_a, scores_b, n_a, n_b, minimize):
    """Return the probability that the best of n_a scores beats the best of n_b others;
    equals are ahead half of the time.
    """
    both = np.concatenate([scores_a, scores_b])
    both = levels(-both if minimize else both, rounding())
    scores_a, scores_b = np.split(both, [len(scores_a)])
    values = np.unique(both)
    at_most_a = _best_at_most(values, scores_a, n_a)
    at_most_b = _best_at_most(values, scores_b, n_b)
    # A ends at a value with the step of its distribution function there; B is below or
    # equal.
    return float((np.diff(at_most_a) * (at_most_b[1:] + at_most_b[:-1]) / 2).sum())


def _best_at_most(values, scores, n):
    """Return P(best of n scores <= value) for each value, with a zero before them."""
    ranks = np.searchsorted(np.sort(scores), values, side="right")
    probabilities = np.concatenate([[0.0], ranks == scores.size])
    inner = np.flatnonzero((ranks > 0) & (ranks < scores.size))
    of_ranks = ranks[inner].astype(float)
    for _, first, p in _rank_cells(of_ranks, scores.size, np.array([n]), "u"):
        probabilities[1 + inner[first:]] = p
    return probabilities


def _first_two(best, sizes, slack, minimize):
    """Return the system with the best expectation and the runner-up, the first of
    equals.
    """
    ranked, left = [], list(best)
    while left and len(ranked) < 2:
        scores = np.array([[-best[name] if minimize else best[name] for name in left]])
        sizes_of_left = np.array([[sizes[name] for name in left]])
        ranked.append(left.pop(first_best(scores, sizes_of_left, slack).item()))
    return ranked


def _without_sign(pool, n, minimize):
    """Return the expected size of the best of n: what its expectation was added up
    from.
    """
    above = expected_max(np.clip(pool, 0, None), n, minimize=minimize)
    below = expected_max(np.clip(pool, None, 0), n, minimize=minimize)
    return above - below


def _independent(name, pool):
    try:
        return check_scores(pool, "scores", squared=True)
    except (TypeError, ValueError) as error:
        raise type(error)(f"pools must hold finite numbers; {name}: {error}") from None


def _check_seconds(seconds, pools):
    if seconds is None:
        return dict.fromkeys(pools, 1)
    if not isinstance(seconds, dict) or set(seconds) != set(pools):
        names = ", ".join(map(str, pools))
        raise ValueError(
            f"seconds must have one number for each of {names}, got {_show(seconds)}"
        )
    price = {name: check_number(value, "seconds") for name, value in seconds.items()}
    if min(price.values()) <= 0:
        raise ValueError(f"seconds must be above 0, got {min(price.values()):g}")
    return price
