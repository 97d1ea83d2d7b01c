"""A guided search: a Gaussian process with expected improvement, several trials at a
time, as the paper's.
"""

import warnings

import numpy as np

from evalkit import _extras
from lab.papers.melis2017.tasks.settings import RANGES, setting_at

# Random ones at first, then so many at a time, before the results of any are known.
AT_RANDOM, BATCH = 10, 5


def guided(objective, trials, seed):
    """Search for the setting with the lowest value.

    Parameters
    ----------
    objective : callable
        From a setting to a finite number.
    trials : int
    seed : int

    Returns
    -------
    list of dict
        The settings, in the order in which they were tried.
    ndarray of float, shape (trials,)
        Their values.
    """
    _extras.need("search", "a guided search")
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = optuna.samplers.GPSampler(seed=seed, n_startup_trials=AT_RANDOM)
    axes = {name: optuna.distributions.FloatDistribution(0.0, 1.0) for name in RANGES}
    study = optuna.create_study(direction="minimize", sampler=sampler)
    settings, values = [], []
    while len(values) < trials:
        size = AT_RANDOM if not values else BATCH
        asked = [study.ask(axes) for _ in range(min(size, trials - len(values)))]
        for trial in asked:
            settings.append(setting_at([trial.params[name] for name in RANGES]))
            values.append(objective(settings[-1]))
        for trial, value in zip(asked, values[-len(asked) :], strict=True):
            study.tell(trial, value)
    return settings, np.array(values)
