"""Chapter 3: searching for a good setting, and recording what the search did.

A search that keeps every trial can be judged afterwards: what a shorter one would have found, what
it cost, and whether its trials may be treated as independent draws.
"""

import itertools
import math
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from evalkit._checks import check_bool, check_choice, check_int, check_number, check_rng, check_scores
from evalkit.expected_maximum import expected_max, probability_best

METHODS = ("random", "grid", "guided")


def first_best(scores, sizes, slack):
    """Return which column is the best of each row, the first of equals.

    Sums of the same numbers in another order differ in the last digits; that must not break a tie.

    Parameters
    ----------
    scores : ndarray of float, shape (n_rows, n_columns)
        Higher is better; minus infinity is out.
    sizes : ndarray of float, shape (n_rows, n_columns)
        The sums, without signs, of what was added up to each score: a sum of large numbers that is
        nearly 0 is as inexact as they are.
    slack : float
        The `rounding` of what came in.

    Returns
    -------
    ndarray of int, shape (n_rows,)
    """
    rows, best = np.arange(len(scores)), scores.argmax(axis=1)
    least = scores[rows, best] - slack / 2 * sizes[rows, best]
    return (scores + slack / 2 * sizes >= least[:, None]).argmax(axis=1)


@dataclass(frozen=True, eq=False)
class Trials:
    """What a search tried, in the order in which it did.

    Attributes
    ----------
    table : pandas.DataFrame
        One row for each trial: the setting, then `score`, `seconds` (by the clock), `stages` (scores
        that the objective reported) and `pruned`.
    method : str
        "random", "grid" or "guided".
    minimize : bool
    """

    table: pd.DataFrame
    method: str
    minimize: bool

    @property
    def independent(self):
        """Whether the trials are independent draws, as `evalkit.expected_max` needs them."""
        return self.method == "random" and not self.table.pruned.any()

    @property
    def best(self):
        """The row of the best trial that was not pruned; the first of equals."""
        finished = self.table.score[~self.table.pruned]
        return self.table.loc[finished.idxmin() if self.minimize else finished.idxmax()]

    @property
    def best_so_far(self):
        """The best score up to each trial; a pruned trial adds nothing."""
        worst = np.inf if self.minimize else -np.inf
        scores = self.table.score.where(~self.table.pruned, worst).to_numpy()
        return (np.minimum if self.minimize else np.maximum).accumulate(scores)

    def __len__(self):
        return len(self.table)

    def __str__(self):
        setting = self.best.drop(["score", "seconds", "stages", "pruned"])
        shown = ", ".join(f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in setting.items())
        return (
            f"{len(self)} trials of a {self.method} search ({self.table.pruned.sum()} pruned); "
            f"best {self.best.score:.4g} at {shown}"
        )


def search(objective, space, *, method="random", n_trials=None, prune_after=None, minimize=False, rng=None):
    """Search a space of settings, and record every trial.

    Parameters
    ----------
    objective : callable
        From a setting (a dict) to its score. Or a generator that yields a score after each stage of
        training, the last one being final: then a trial can be pruned.
    space : dict of str to sequence or scipy.stats distribution
        For each hyperparameter the values to choose from, or a frozen distribution to draw from, such
        as ``scipy.stats.loguniform(1e-4, 1e-1)``. A grid needs values.
    method : {"random", "grid", "guided"}, default "random"
        "grid" tries all combinations, in random order, so that its first part is no corner; "guided"
        is Optuna's tree-structured Parzen estimator.
    n_trials : int, optional
        By default all of a grid; the other methods need it.
    prune_after : int, optional
        From this stage on, stop a trial whose best score so far is worse than the median of the
        earlier trials after the same stage (Optuna's median rule, with five trials to warm up).
    minimize : bool, default False
        True for losses.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    Trials

    Raises
    ------
    ValueError
        Also if the objective gives NaN or infinity: what a failed trial scores is yours to decide.

    References
    ----------
    Bergstra and Bengio (2012), Random Search for Hyper-Parameter Optimization; Bergstra, Bardenet,
    Bengio and Kegl (2011), Algorithms for Hyper-Parameter Optimization.

    Examples
    --------
    >>> from evalkit import search
    >>> trials = search(lambda s: -(s["x"] - 3) ** 2, {"x": [0, 1, 2, 3, 4]}, method="grid", rng=0)
    >>> print(trials)
    5 trials of a grid search (0 pruned); best 0 at x=3
    """
    if not callable(objective):
        raise TypeError(f"objective must be a function of a setting, got {objective!r}")
    check_choice(method, "method", METHODS)
    minimize = check_bool(minimize, "minimize")
    if prune_after is not None:
        prune_after = check_int(prune_after, "prune_after")
    space = _check_space(space, method)
    if n_trials is not None:
        n_trials = check_int(n_trials, "n_trials")
    elif method != "grid":
        raise TypeError(f"n_trials must be given for a {method} search")
    rng = check_rng(rng)
    study = _study(method, minimize, prune_after, rng) if prune_after or method == "guided" else None
    rows = []
    for draw in _settings(space, method, n_trials, rng):
        trial = study.ask() if study else None
        setting = draw(trial)
        start = time.perf_counter()
        scores, pruned = _run(objective, setting, trial if prune_after else None)
        rows.append({**setting, "score": scores[-1], "seconds": time.perf_counter() - start,
                     "stages": len(scores), "pruned": pruned})  # fmt: skip
        if study:
            _tell(study, trial, scores[-1], pruned)
    return Trials(pd.DataFrame(rows), method, minimize)


def _check_space(space, method):
    if not isinstance(space, dict) or not space:
        raise TypeError(f"space must be a dict of hyperparameters, not empty, got {space!r}")
    clean = {}
    for name, values in space.items():
        if name in ("score", "seconds", "stages", "pruned"):
            raise ValueError(f"space must not use {name!r}: a column of the trials has that name")
        if hasattr(values, "ppf"):
            if method == "grid":
                raise ValueError(f"space must list the values of {name} for a grid, got a distribution")
            clean[name] = values
            continue
        try:
            clean[name] = [] if isinstance(values, str) else list(values)
        except TypeError:
            clean[name] = []
        if not clean[name]:
            raise ValueError(f"space must give {name} a list of values or a frozen SciPy distribution")
    return clean


def _value(values, quantile):
    """Return the value at a quantile in [0, 1): so one uniform number draws from anything."""
    if hasattr(values, "ppf"):
        drawn = values.ppf(quantile)
        return int(drawn) if isinstance(values.dist, stats.rv_discrete) else float(drawn)
    return values[int(quantile * len(values))]


def _settings(space, method, n_trials, rng):
    """Yield functions from a trial of Optuna, or None, to the next setting."""
    if method == "grid":
        every = [dict(zip(space, values, strict=True)) for values in itertools.product(*space.values())]
        for i in rng.permutation(len(every))[:n_trials]:
            yield lambda _, i=i: every[i]
    elif method == "random":
        for _ in range(n_trials):
            setting = {name: _value(values, rng.random()) for name, values in space.items()}
            yield lambda _, setting=setting: setting
    else:
        # In quantiles, Optuna's uniform prior is the distribution that the user gave.
        def suggest(trial, name, values):
            if hasattr(values, "ppf"):
                return _value(values, trial.suggest_float(name, 0, 1 - 2**-53))
            return values[trial.suggest_categorical(name, range(len(values)))]

        for _ in range(n_trials):
            yield lambda trial: {name: suggest(trial, name, values) for name, values in space.items()}


def _study(method, minimize, prune_after, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its progress bar, which is not shown, looks for widgets
        import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna.create_study(
        direction="minimize" if minimize else "maximize",
        sampler=optuna.samplers.TPESampler(seed=int(rng.integers(2**31))) if method == "guided" else None,
        pruner=optuna.pruners.MedianPruner(n_startup_trials=5, n_warmup_steps=(prune_after or 1) - 1),
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
    for stage, score in enumerate(outcome if isinstance(outcome, Iterator) else [outcome]):
        try:
            scores.append(check_number(score, "objective"))
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"objective must return finite numbers, for {setting} it did not: {error}"
            ) from None
        if trial is not None:
            trial.report(scores[-1], stage)
            if trial.should_prune():
                return scores, True
    if not scores:
        raise ValueError(f"objective must yield at least one score, for {setting} it yielded none")
    return scores, False


def cv_objective(estimator, X, y, *, cv, scoring):
    """Make an objective for `search`: the mean cross-validation score of a scikit-learn estimator.

    Parameters
    ----------
    estimator : estimator object
        A clone of it gets each setting through `set_params`.
    X, y : array_like
    cv : splitter
        Such as that of `evalkit.jk_fold`; it must give the same folds each time.
    scoring : str or callable
        Must be named; see the chapter on splits for what `None` would mean.

    Returns
    -------
    callable
    """
    if not hasattr(estimator, "set_params"):
        raise TypeError(f"estimator must be a scikit-learn estimator, got {estimator!r}")
    if not hasattr(cv, "split"):
        raise TypeError(f"cv must be a splitter, such as jk_fold(1, 5), got {cv!r}")
    if scoring is None:
        raise ValueError("scoring must be named, got None")

    def objective(setting):
        model = clone(estimator).set_params(**setting)
        return float(cross_val_score(model, X, y, cv=cv, scoring=scoring, error_score="raise").mean())

    return objective


@dataclass(frozen=True)
class SearchCost:
    """How many models a search trains.

    Attributes
    ----------
    settings : int
    fits : int
        Models that are trained to compare settings.
    refits : int
        Models that are trained with the chosen setting on all training data: one for each split.
    """

    settings: int
    fits: int
    refits: int

    def __str__(self):
        return (
            f"{self.settings:,} settings: {self.fits:,} models, and {self.refits:,} more with what was chosen"
        )


def search_cost(settings, *, folds=1, splits=1):
    """Count the models that a search trains.

    Parameters
    ----------
    settings : int or dict of str to sequence
        Their number, or a grid.
    folds : int, default 1
        Of the cross-validation by which each setting is judged; 1 for a single validation set.
    splits : int, default 1
        Train/test splits, if each gets a search of its own.

    Returns
    -------
    SearchCost

    Examples
    --------
    >>> from evalkit import search_cost
    >>> print(search_cost({"a": range(5), "b": range(10), "c": range(2)}, folds=5))
    100 settings: 500 models, and 1 more with what was chosen
    """
    if isinstance(settings, dict):
        try:
            settings = math.prod(len(values) for values in _check_space(settings, "grid").values())
        except (TypeError, ValueError) as error:
            raise type(error)(f"settings must be a number or a grid: {error}") from None
    settings = check_int(settings, "settings")
    folds, splits = check_int(folds, "folds"), check_int(splits, "splits")
    return SearchCost(settings, settings * folds * splits, splits)


def winner_by_budget(pools, budgets, *, seconds=None, minimize=False):
    """Say which system is ahead at each budget, and how surely.

    Parameters
    ----------
    pools : dict of str to array_like of float, or to Trials
        For each of at least two systems the scores of independent trials.
    budgets : array_like of int or float
        In trials, or in seconds if `seconds` is given.
    seconds : dict of str to float, optional
        The mean cost of one trial of each system. A budget then buys each as many trials as it pays.
    minimize : bool, default False
        True for losses.

    Returns
    -------
    pandas.DataFrame
        One row for each budget: for each system `n <name>`, the trials that the budget buys, and
        `best <name>`, the expected best of so many (NaN where it buys none, or more than there are);
        `ahead`, the system with the best expectation among those that can afford a trial;
        `probability`, how probable it is that its best beats the best of the runner-up in fresh
        searches of that size. Both are missing where a budget buys more trials than were made.

    Raises
    ------
    ValueError
        Also for trials that are not independent: of a grid, guided, or pruned.
    """
    if not isinstance(pools, dict) or len(pools) < 2:
        raise TypeError("pools must be a dict of at least two systems")
    minimize = check_bool(minimize, "minimize")
    pools = {name: _independent(name, pool) for name, pool in pools.items()}
    price = _check_seconds(seconds, pools)
    budgets = check_scores(budgets, "budgets")
    if seconds is None and not (budgets == np.round(budgets)).all():
        raise ValueError("budgets must be whole numbers of trials, unless seconds is given")
    if budgets.min() <= 0:
        raise ValueError(f"budgets must be above 0, got {budgets.min():g}")
    rows = []
    for budget in budgets:
        # A budget of exactly three times the price buys three, whatever the rounding.
        bought = {name: int(budget / price[name] * (1 + 1e-12)) for name in pools}
        known = all(bought[name] <= len(pools[name]) for name in pools)
        able = [name for name in pools if 1 <= bought[name] <= len(pools[name])]
        best = {name: expected_max(pools[name], bought[name], minimize=minimize) for name in able}
        row = {"budget": budget if seconds else int(budget)}
        row |= {f"n {name}": bought[name] for name in pools}
        row |= {f"best {name}": best.get(name, np.nan) for name in pools}
        ranked = sorted(able, key=best.get, reverse=not minimize) if known else []
        row["ahead"] = ranked[0] if ranked else np.nan
        row["probability"] = (
            probability_best(
                pools[ranked[0]],
                pools[ranked[1]],
                bought[ranked[0]],
                n_b=bought[ranked[1]],
                minimize=minimize,
            )
            if len(ranked) > 1
            else np.nan
        )
        rows.append(row)
    return pd.DataFrame(rows).set_index("budget")


def _independent(name, pool):
    if isinstance(pool, Trials):
        if not pool.independent:
            kind = "pruned" if pool.method == "random" else pool.method
            raise ValueError(
                f"pools must hold independent draws, but {name} is a {kind} search; "
                "compare the best so far over several restarts of it"
            )
        pool = pool.table.score
    try:
        return check_scores(pool, "scores")
    except (TypeError, ValueError) as error:
        raise type(error)(f"pools must hold finite numbers; {name}: {error}") from None


def _check_seconds(seconds, pools):
    if seconds is None:
        return dict.fromkeys(pools, 1)
    if not isinstance(seconds, dict) or set(seconds) != set(pools):
        raise ValueError(f"seconds must have one number for each of {', '.join(pools)}, got {seconds!r}")
    price = {name: check_number(value, "seconds") for name, value in seconds.items()}
    if min(price.values()) <= 0:
        raise ValueError(f"seconds must be above 0, got {min(price.values()):g}")
    return price


def main_effects(settings, scores, *, n_bins=5):
    """Estimate how much of the variation of a search's scores each hyperparameter explains by itself.

    Parameters
    ----------
    settings : pandas.DataFrame
        One row for each trial, one column for each hyperparameter.
    scores : array_like of float, shape (n_trials,)
    n_bins : int, default 5
        Numbers with more different values than that are cut into as many bins of equal size.

    Returns
    -------
    pandas.Series
        For each hyperparameter omega squared, the share of the variance of the scores that lies between
        its bins, less what chance alone would put there; 0 if chance explains it all.

    Notes
    -----
    A main effect only: two hyperparameters that matter together and not alone are not seen. The
    settings must be drawn independently of each other, as a random search draws them.
    """
    scores = check_scores(scores, "scores", min_size=3)
    if not isinstance(settings, pd.DataFrame) or not len(settings.columns):
        raise TypeError("settings must be a DataFrame with a column for each hyperparameter")
    if len(settings) != len(scores):
        raise ValueError(f"settings must have one row for each of {len(scores)} scores, got {len(settings)}")
    if missing := settings.columns[settings.isna().any()].tolist():
        raise ValueError(f"settings must have no missing values, but {', '.join(map(str, missing))} has")
    n_bins = check_int(n_bins, "n_bins", low=2)
    shares = {}
    total = ((scores - scores.mean()) ** 2).sum()
    for name, values in settings.items():
        if pd.api.types.is_numeric_dtype(values) and values.nunique() > n_bins:
            values = pd.qcut(values, n_bins, duplicates="drop")
        groups = pd.Series(scores).groupby(values.to_numpy(), observed=True)
        between = (groups.size() * (groups.mean() - scores.mean()) ** 2).sum()
        degrees = groups.ngroups - 1
        noise = (total - between) / max(len(scores) - degrees - 1, 1)
        shares[name] = max(0.0, (between - degrees * noise) / (total + noise)) if total else 0.0
    return pd.Series(shares, name="share of variance").sort_values(ascending=False)


def early_scores(curves, final):
    """Ask how well the score after a few stages predicts the final one.

    Parameters
    ----------
    curves : sequence of array_like of float
        For each trial its score after each stage; higher is better. A curve that ends early stands at
        the best that it reached, as a network that is rewound does.
    final : array_like of float, shape (n_trials,)
        The final score of each trial.

    Returns
    -------
    pandas.DataFrame
        One row for each stage: `correlation`, Spearman's, of the best score so far with the final
        one; `chosen`, the final score of the trial that is ahead at this stage (mean over ties);
        `kept_best`, whether the trial that is best in the end is in the better half; `cost`, the share
        of all stages that were trained up to here.
    """
    final = check_scores(final, "final", min_size=2)
    curves = [check_scores(curve, "curves") for curve in curves]
    if len(curves) != len(final):
        raise ValueError(f"curves must be one for each of {len(final)} trials, got {len(curves)}")
    lengths = np.array([len(curve) for curve in curves])
    n_stages = lengths.max()
    so_far = np.array([np.maximum.accumulate(np.pad(c, (0, n_stages - len(c)), "edge")) for c in curves])
    constant = np.ptp(final) == 0
    rows = []
    for stage in range(n_stages):
        now = so_far[:, stage]
        undefined = constant or np.ptp(now) == 0
        rows.append(
            {
                "correlation": np.nan if undefined else float(stats.spearmanr(now, final).statistic),
                "chosen": final[now == now.max()].mean(),
                "kept_best": bool(now[final.argmax()] >= np.median(now)),
                "cost": np.minimum(lengths, stage + 1).sum() / lengths.sum(),
            }
        )
    return pd.DataFrame(rows, index=pd.RangeIndex(1, n_stages + 1, name="stage"))
