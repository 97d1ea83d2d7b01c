"""Statistics of pools that several judges ask for, and their words."""

NAMES = {
    "resnet": "ResNet",
    "asreader_fixed": "AS Reader",
    "asreader_random": "AS Reader under search",
    "deberta": "DeBERTa",
    "deberta_v3": "DeBERTa V3",
}


def words(found, digits=2):
    """Write a statistic with its interval.

    Parameters
    ----------
    found : Resampled or Kept
    digits : int, default 2

    Returns
    -------
    str
    """
    return f"{found.estimate:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"


def by_pool(found, digits=2):
    """Write a statistic of several pools, each with its interval.

    Parameters
    ----------
    found : dict of str to Resampled or Kept
    digits : int, default 2

    Returns
    -------
    str
    """
    return "; ".join(f"{NAMES.get(name, name)} {words(x, digits)}" for name, x in found.items())
