"""What judges of several sections measure, and how they write it."""

import numpy as np
from scipy import stats

from evalkit.significance import mcnemar
from lab.data.datasets import PACKAGES
from lab.experiments.pools import unpack_predictions
from lab.papers.judging import TAILS, AtOnce, Jackknifed, Quantity
from lab.record import tables
from lab.samples import counted

NETWORKS = {"mlp": "MLP", "lstm": "LSTM"}
NAMES = {
    "docstrings": "docstrings",
    "sst2": "SST-2",
    "reuters": "Reuters",
    "tweets": "tweets",
    "digits": "digits",
    "breast-cancer": "breast cancer",
    "wine": "wine",
}


def listed(quantities, spec=".2f"):
    """Write quantities, each with its name and its interval.

    Parameters
    ----------
    quantities : dict of str to Quantity
    spec : str, default ".2f"

    Returns
    -------
    str
    """
    return "; ".join(
        f"{NAMES.get(name, name)} {quantity:{spec}}"
        for name, quantity in quantities.items()
    )


def exactly(numbers):
    """Return numbers without an interval as quantities.

    Parameters
    ----------
    numbers : dict of str to float

    Returns
    -------
    dict of str to Quantity
    """
    return {name: Quantity.exact(value) for name, value in numbers.items()}


def kth(quantities, k, *, from_above=False):
    """Return the k-th of quantities by the end that counts: k of them are beyond a
    limit if this one is.

    Parameters
    ----------
    quantities : dict of str to Quantity
    k : int
    from_above : bool, default False
        The k-th largest by the lower ends; by default the k-th smallest by the upper
        ends.

    Returns
    -------
    Quantity
    """

    def end(quantity):
        return -quantity.low if from_above else quantity.high

    return sorted(quantities.values(), key=end)[k - 1]


def sd(values):
    """Return the SD of some scores, with n - 1.

    Parameters
    ----------
    values : array_like of float, shape (..., n)

    Returns
    -------
    float or ndarray of float, shape (...)
    """
    return np.std(values, ddof=1, axis=-1)


def ratio(statistic, *samples):
    """Return a positive statistic, such as a ratio of two SDs, with the interval over
    the rows of samples.

    Parameters
    ----------
    statistic : callable
        From one array for each sample to a positive number.
    *samples : ndarray, shape (n_i, ...)
        Independent of each other; what belongs together is one row.

    Returns
    -------
    Quantity
        By the jackknife of its logarithm: percentiles of 50 resampled SDs hold that of
        a normal distribution 91 times in 100, these ends 94 times.
    """
    parts = []
    for i, sample in enumerate(samples):

        def logarithm(rows, i=i):
            return np.log(statistic(*samples[:i], np.array(rows), *samples[i + 1 :]))

        parts.append(Jackknifed(logarithm, list(sample)))
    error = np.hypot.reduce([part.error for part in parts])
    reach = stats.t.ppf(TAILS[1], min(map(len, samples)) - 1) * error
    return Quantity(*np.exp(parts[0].estimate + reach * np.array([0, -1, 1])).tolist())


def mean_over_pairs(matrix, drawn):
    """Return the mean of a matrix over pairs of drawn runs; a run makes no pair with
    itself.

    Parameters
    ----------
    matrix : ndarray of float, shape (runs, runs)
        Symmetric.
    drawn : ndarray of int, shape (draws, n)
        Runs, as often as they were drawn.

    Returns
    -------
    ndarray of float, shape (draws,)
    """
    counts = counted(drawn, len(matrix))
    squares = counts**2
    among = ((counts @ matrix) * counts).sum(axis=1) - squares @ np.diag(matrix)
    return among / (drawn.shape[1] ** 2 - squares.sum(axis=1))


def called_different(system):
    """Return the share of pairs of seeds that McNemar's test calls different at 5 %.

    Parameters
    ----------
    system : {"mlp", "lstm"}

    Returns
    -------
    AtOnce
        Over seeds.
    """
    right = (answers(system) == true_classes()).astype(float)
    first = np.rint(right @ (1 - right.T)).astype(int)
    both = np.column_stack([first.ravel(), first.T.ravel()])
    pairs, place = np.unique(both, axis=0, return_inverse=True)
    marked = np.array([mcnemar(a, b).pvalue <= 0.05 for a, b in pairs.tolist()])
    marked = marked[place].reshape(first.shape).astype(float)
    return AtOnce(lambda drawn: mean_over_pairs(marked, drawn), np.arange(len(marked)))


def true_classes():
    """Return the classes of the test lines of the docstrings, in the order of the
    recorded answers.

    Returns
    -------
    ndarray of int, shape (items,)
    """
    return (
        tables.load_recorded("pools", "test_items")
        .package.map(PACKAGES.index)
        .to_numpy()
    )


def answers(system):
    """Return what each recorded seed of a network, or the linear model, answers on the
    test lines.

    Parameters
    ----------
    system : {"mlp", "lstm", "linear"}

    Returns
    -------
    ndarray of int, shape (runs, items)
        In the order of the seeds; of the linear model the one that does best on
        validation.
    """
    rows = pool("baselines" if system == "linear" else "seeds", system)
    if system == "linear":
        rows = rows.iloc[[int(rows.validation.to_numpy().argmax())]]
    items = len(true_classes())
    return np.array([unpack_predictions(p, items) for p in rows.test_predictions])


def pool(table, system):
    """Return the recorded runs of a system on the docstrings, in the order of draws and
    seeds.

    Parameters
    ----------
    table : {"search", "seeds", "baselines"}
    system : {"mlp", "lstm", "linear"}

    Returns
    -------
    pandas.DataFrame
        `validation` and `test` in percent.
    """
    rows = tables.load_recorded("pools", table).query("system == @system")
    rows = rows.sort_values([name for name in ("draw", "seed", "C") if name in rows])
    return rows.assign(validation=100 * rows.validation, test=100 * rows.test)
