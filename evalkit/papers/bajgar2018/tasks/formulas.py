"""The formulas for Boo_n against ten million draws, and the null of a test for normality."""

import numpy as np

from evalkit.papers.bajgar2018.audit import anderson_darling, runs
from evalkit.papers.bajgar2018.tasks.kept import generator
from evalkit.recorded import pack

FORMULA_DRAWS, FORMULA_BUDGETS = 10_000_000, (1, 2, 5, 10, 50)

LAWS = {
    "normal": lambda rng, size: rng.standard_normal(size),
    "uniform": lambda rng, size: rng.random(size),
    "exponential": lambda rng, size: rng.exponential(size=size),
}


def maxima(law):
    """Draw the best and the worst of n ten million times.

    Parameters
    ----------
    law : {"normal", "uniform", "exponential"}

    Returns
    -------
    dict
        `draws`; the mean of the best (`best`) and of the worst for n = 1, 2, 5, 10, 50, with
        standard errors; the best of 50 alone is the `estimate`.
    """
    rng, step = generator("maxima", law), 20_000
    sums = np.zeros((2, 2, len(FORMULA_BUDGETS)))  # worst and best; values and their squares
    for _ in range(FORMULA_DRAWS // step):
        drawn = LAWS[law](rng, (step, FORMULA_BUDGETS[-1]))
        for i, n in enumerate(FORMULA_BUDGETS):
            for j, values in enumerate((drawn[:, :n].min(axis=1), drawn[:, :n].max(axis=1))):
                sums[j, :, i] += values.sum(), (values**2).sum()
    mean, square = sums[:, 0] / FORMULA_DRAWS, sums[:, 1] / FORMULA_DRAWS
    error = np.sqrt((square - mean**2) / FORMULA_DRAWS)
    return {
        "draws": FORMULA_DRAWS,
        "estimate": float(mean[1, -1]),
        **{name: pack(mean[j], ".12g") for j, name in enumerate(("worst", "best"))},
        **{f"error_{name}": pack(error[j], ".6g") for j, name in enumerate(("worst", "best"))},
    }


CORRELATIONS, PAIR_BUDGETS = (-0.5, 0.0, 0.2, 0.8, 1.0), (2, 5, 20)


def chosen(block):
    """Draw bivariate normal scores, a million times n, and take the test score of the best validation.

    Parameters
    ----------
    block : int

    Returns
    -------
    dict
        `draws`; mean (`mean_2`, for n = 2) and mean square of the test score chosen, for each correlation;
        the last of all alone is the `estimate`.
    """
    rng, step, count = generator("chosen", block), 20_000, FORMULA_DRAWS // 10
    result = {"draws": count}
    for n in PAIR_BUDGETS:
        sums = np.zeros((2, len(CORRELATIONS)))
        for _ in range(count // step):
            validation, other = rng.standard_normal((2, step, n))
            place = validation.argmax(axis=1)[:, None]
            v, e = (np.take_along_axis(x, place, axis=1)[:, 0] for x in (validation, other))
            for i, rho in enumerate(CORRELATIONS):
                test = rho * v + np.sqrt(1 - rho**2) * e
                sums[:, i] += test.sum(), (test**2).sum()
        result[f"mean_{n}"] = pack(sums[0] / count, ".12g")
        result[f"square_{n}"] = pack(sums[1] / count, ".12g")
        result["estimate"] = float(sums[0, -1] / count)
    return result


def normality(pool, block):
    """Simulate the statistic of Anderson and Darling for as many normal scores as a pool has runs.

    Parameters
    ----------
    pool : str
    block : int

    Returns
    -------
    dict
        The `statistic` of the pool; how many of `draws` from a normal are as large (`beyond`); the 5 % and
        the 1 % critical value by these draws.
    """
    test, rng = runs(pool).test, generator("normality", pool, block)
    statistic = float(anderson_darling(test))
    drawn = np.concatenate([anderson_darling(rng.standard_normal((2000, len(test)))) for _ in range(100)])
    five, one = np.quantile(drawn, [0.95, 0.99])
    return {
        "statistic": statistic,
        "draws": len(drawn),
        "beyond": int((drawn >= statistic).sum()),
        "five": float(five),
        "one": float(one),
    }
