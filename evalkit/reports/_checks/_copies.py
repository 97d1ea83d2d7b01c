"""Runs that were copied under another seed or name: no two have all their numbers in common by chance."""

import numpy as np

from evalkit.reports._faults import count, examples, shown
from evalkit.reports._recognition._table import used_by

_RARE = 0.001  # pairs of runs that agree in everything by chance, where a copy is suspected


def again(table, settings):
    """Say which runs have every number that was measured from another run.

    Scores that are printed with few digits agree by chance, and those of a system that hardly hangs on its
    seed do so often. So how often each column agrees alone tells how many runs would agree in all of them,
    and a system whose runs agree in one column and not in the others is passed over.

    Parameters
    ----------
    table : Table
        With its score.
    settings : list of str
        The columns of the settings that vary: what shares them, and the seed, is looked for elsewhere.

    Returns
    -------
    str
        Empty where nothing was found.
    """
    frame, roles = table.frame, table.roles
    ids = [roles[role] for role in ("system", "seed") if role in roles]
    if len(keys := [*ids, *settings]) > 1:
        frame = frame.drop_duplicates(keys)
    counted = used_by(roles, but=("score", "validation", "cost"))
    measured = [name for name in frame if name not in counted and frame[name].dtype.kind == "f"]
    numbers = frame[[name for name in measured if frame[name].nunique() > 1]].dropna()
    if not numbers.duplicated().any() or _by_chance(numbers.drop_duplicates()) > _RARE:
        return ""
    scores = numbers.drop(columns=roles.get("cost", ()), errors="ignore")
    systems = frame[roles["system"]][numbers.index]
    numbers = numbers[systems.map({name: _is_moved(own) for name, own in scores.groupby(systems)})]
    named = frame[ids].map(lambda v: f"{v:g}" if isinstance(v, float) else shown(v)).agg(" ".join, axis=1)
    same = named[numbers.index].groupby([numbers[name] for name in numbers], sort=False).agg(list)
    pairs = [f"{one} and {other}" for one, *others in same for other in others]
    words = f"{count(len(pairs), 'pair')} of runs with the same numbers throughout: {examples(pairs)}"
    return words if pairs else ""


def _ties(numbers):
    """Return how many pairs of rows agree in each column, and how many pairs there are."""
    ties = [int(numbers[name].value_counts().map(lambda n: n * (n - 1) // 2).sum()) for name in numbers]
    return np.array(ties), len(numbers) * (len(numbers) - 1) // 2


def _by_chance(distinct):
    """Return how many pairs of runs are to be expected that agree in all columns."""
    alike = distinct.corr("spearman").abs().to_numpy() > 0.999  # an accuracy and its error rate are one
    ties, n_pairs = _ties(distinct.loc[:, ~np.triu(alike, 1).any(axis=0)])
    return n_pairs * float(np.prod((ties + 0.5) / (n_pairs + 1)))


def _is_moved(own):
    """Tell whether the runs of a system that differ do so in nearly all numbers: the seed is at work."""
    ties, n_pairs = _ties(own.drop_duplicates())
    return n_pairs > 2 and bool((ties <= max(1, 0.1 * n_pairs)).all())
