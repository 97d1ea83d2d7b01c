"""Statistics over divisions, seeds and settings that several judges ask for, and their words."""

import numpy as np

from evalkit.papers.judging import Resampled

NAMES = {
    "docstrings": "docstrings",
    "all_docstrings": "docstrings",
    "sst2": "SST-2",
    "imdb": "IMDb",
    "reuters": "Reuters",
    "tweets": "tweets",
    "digits": "digits",
    "breast-cancer": "breast cancer",
    "wine": "wine",
    "artificial": "artificial data",
}


def words(found, digits=2):
    """Write a statistic with its interval.

    Parameters
    ----------
    found : Resampled or Jackknifed
    digits : int, default 2

    Returns
    -------
    str
    """
    return f"{found.estimate:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"


def by_data(found, digits=2):
    """Write a statistic of several data sets, each with its interval.

    Parameters
    ----------
    found : dict of str to Resampled or Jackknifed
    digits : int, default 2

    Returns
    -------
    str
    """
    return "; ".join(f"{NAMES.get(name, name)} {words(x, digits)}" for name, x in found.items())


def count_of(verdicts, verdict):
    """Count how many of some verdicts are a certain one.

    Parameters
    ----------
    verdicts : iterable of str
    verdict : str

    Returns
    -------
    int
    """
    return sum(found == verdict for found in verdicts)


def mean(values, **options):
    """Return the mean of some scores with the interval over them.

    Parameters
    ----------
    values : array_like of float, shape (n,)
    **options
        Of `Resampled`.

    Returns
    -------
    Resampled
    """
    return Resampled(np.mean, np.asarray(values, dtype=float), **options)


def sd(values, **options):
    """Return the SD of some scores with the interval over them.

    Parameters
    ----------
    values : array_like of float, shape (n,)
    **options
        Of `Resampled`.

    Returns
    -------
    Resampled
    """
    return Resampled(lambda x: x.std(ddof=1), np.asarray(values, dtype=float), **options)


def sd_ratio(pairs, **options):
    """Return the SD of the first column as a multiple of that of the second, paired by row.

    Parameters
    ----------
    pairs : array_like of float, shape (n, 2)
    **options
        Of `Resampled`.

    Returns
    -------
    Resampled
    """

    def ratio(drawn):
        first, second = drawn.std(axis=0, ddof=1)
        return first / second if second else np.inf

    return Resampled(ratio, np.asarray(pairs, dtype=float), **options)
