"""Printed tables without scores of runs or items: metrics, counts, confusion matrices, means with spreads."""

from evalkit.reports import schema
from evalkit.reports._faults import Fault, RefusedError, argument, examples, listed, shown
from evalkit.reports._recognition._metrics import direction
from evalkit.reports._recognition._seen import numbers_rows

_RIGHT = frozenset(["1", "1.0", "true", "yes"])
_TRUTH = _RIGHT | {"0", "0.0", "false", "no"}


def refuse_counts(table, systems):
    """Refuse metrics, or counts of right and wrong, where systems should stand side by side."""
    frame, cells = table.frame, table.frame[systems]
    if all(direction(name) for name in systems):
        what = f"{listed(systems)} are metrics by their names, and no systems."
        why = "Two metrics of one system measure different things: none is better than the other."
        way = "--baseline NAME, a system of the file, with --metric COLUMN."
        raise RefusedError(Fault("baseline", what, why, (way,)))
    is_four = cells.shape == (2, 2) and all(_is_whole(cells[name]) for name in cells)
    if is_four and cells.to_numpy().max() > 1:
        what = f"{listed(systems)} hold four whole numbers: counts, as in a table for McNemar's test."
        way = "evalkit.mcnemar(n10, n01), with the two counts of where one is right and the other wrong."
        raise RefusedError(
            Fault(
                "scale", what, "Each cell counts items; it is not the score of a data set.", (way, _ONE_A_ROW)
            )
        )
    words = cells.map(lambda value: str(value).strip().lower())
    counts = [n for n in frame if n not in systems and schema.role_of(n) is None and _is_whole(frame[n])]
    is_pattern = len(words) > 2 and words.isin(_TRUTH).all(axis=None) and not words.duplicated().any()
    if is_pattern and len(counts) == 1 and not numbers_rows(frame[counts[0]]):
        right, (one, other) = words.isin(_RIGHT), systems[:2]
        n10, n01 = (frame[counts[0]][right[a] & ~right[b]].sum() for a, b in ((one, other), (other, one)))
        what = f"Each row is a pattern of right and wrong, and {shown(counts[0])} says how often it occurs."
        way = f"evalkit.mcnemar({n10:.0f}, {n01:.0f}), for {shown(one)} and {shown(other)}."
        raise RefusedError(Fault("scale", what, "A row stands for many items.", (way, _ONE_A_ROW)))


def _is_whole(values):
    return values.dtype.kind == "f" and bool((values % 1 == 0).all())


_ONE_A_ROW = "or give one row an item."


def refuse_confusion(table, columns):
    """Refuse a confusion matrix: the rows are called as the columns.

    Parameters
    ----------
    table : Table
    columns : list of str
        Of numbers.
    """
    rows = {str(value) for value in table.column("system")}
    if len(columns) > 1 and {*map(str, columns)} <= rows:
        what = f"The rows are called as the columns, {examples(columns)}: a confusion matrix."
        why = "It counts the answers of one system, and has no scores of two."
        ways = ("give a row an item, with its label and the prediction of each system.",)
        raise RefusedError(Fault("scale", what, why, ways))


def refuse_summaries(table, scores, baseline):
    """Refuse one mean of each system with its spread and a number of runs: printed numbers are given as such.

    Parameters
    ----------
    table : Table
    scores : pandas.DataFrame
        Its columns of numbers, without spreads.
    baseline : str
    """
    frame, spreads = table.frame, table.facts["spreads"]
    whole = [name for name in scores if (scores[name] % 1 == 0).all() and (scores[name] > 1).all()]
    means = [name for name in scores if name not in whole]
    if not len(spreads) == len(means) == len(whole) == 1:
        return
    (mean,), (spread,), (runs,) = means, spreads, whole
    rows = frame[[table.roles["system"], mean, spread, runs]].itertuples(index=False)
    given = [argument(f"{s}={m:.15g}\u00b1{d:.15g} n={n:.0f}") for s, m, d, n in rows]
    what = (
        f"{shown(mean)} is one number a system, and {shown(spread)} stands beside it: a mean and its spread."
    )
    why = "The runs themselves are not in the file; from printed means another test is made."
    kind = "se" if "se" in spread.lower().replace("seed", "") else "sd"
    way = f"evalkit report --baseline {argument(baseline)} {' '.join(f'--summary {text}' for text in given)} "
    way += f"--spread {kind}, if {shown(runs)} counts runs."
    raise RefusedError(Fault("few", what, why, (way,)))
