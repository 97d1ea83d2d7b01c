"""Runs that were copied under another seed or name: no two have all their numbers in common by chance."""

from evalkit.reports._faults import count, examples, shown
from evalkit.reports._seen import used_by

_FEWEST = 5  # runs that differ, below which nobody can say how rarely two agree


def again(table, settings):
    """Say which runs have every number that was measured from another run.

    Scores that are printed with few digits agree by chance. So one column must tell all other runs apart, and
    the rest of them too: then two runs agree in either only if they agree in both. Columns that order runs in
    one way, such as an accuracy and its error rate, count once.

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
    measured = [name for name in measured if frame[name].nunique() > 1]
    numbers = frame[measured].dropna()
    distinct = numbers.drop_duplicates()
    if len(distinct) == len(numbers) or len(distinct) < _FEWEST:
        return ""
    if not any(_is_told_twice(distinct, name) for name in measured):
        return ""
    named = frame[ids].map(lambda v: f"{v:g}" if isinstance(v, float) else shown(v)).agg(" ".join, axis=1)
    same = named[numbers.index].groupby([numbers[name] for name in measured], sort=False).agg(list)
    pairs = [f"{one} and {other}" for one, *others in same for other in others]
    return f"{count(len(pairs), 'pair')} of runs with the same numbers throughout: {examples(pairs)}"


def _is_told_twice(numbers, name):
    """Tell whether one column tells all runs apart, and so do the others that order them in another way."""
    alike = numbers.corrwith(numbers[name], method="spearman").abs() > 0.999
    rest = numbers.loc[:, ~alike]
    return numbers[name].is_unique and not rest.empty and not rest.duplicated().any()
