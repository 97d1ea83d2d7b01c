"""Rows that are no runs and no data sets, as printed tables have them: means of the
others, ranks, counts.
"""

import numpy as np
import pandas as pd
from scipy import stats

from evalkit._scores import describe
from evalkit.reports._faults import argument, shown
from evalkit.reports._recognition import _metrics

_NAMES = frozenset(
    [
        "mean",
        "average",
        "avg",
        "median",
        "std",
        "sd",
        "total",
        "overall",
        "accuracy",
        "rank",
        "count",
    ]
)
_MANY = 30  # items: of so many each has a scale of its own
_LAST = 4  # of many items: means, medians and spreads stand there
# Data sets; and how near the mean, as one in thirty would be.
_FEWEST, _CENTRAL = (
    6,
    1 / 30,
)
_NEAR = (
    0.1  # of itself: a mean that is weighted by sizes is no further from the plain one
)
_BY_CHANCE = (
    1e-3  # so rarely a row that is none has the mean of the others in every column
)


def without_summaries(frame, table, bench):
    """Ask about rows that are computed from the others, and return the others."""
    roles = ("dataset", "seed", "fold", "repeat", "item")
    role = next(
        (role for role in roles if role in frame and frame[role].dtype.kind == "O"),
        None,
    )
    is_many = role == "item" and not table.facts.get("melted")
    found, central = {}, None
    if role is not None:
        found, wide = _apart(frame, role, "score", is_many)
        if not found and "numerator" in frame:
            found, _ = _apart(frame, role, "numerator", is_many)
        # Of d1, d2 and d3 the last is as the others.
        stems = wide.index.astype(str).str.rstrip("0123456789")
        is_apart = role == "dataset" and len(wide) > 0 and stems[-1] not in stems[:-1]
        central = (
            wide.index[-1]
            if not found and is_apart and _is_central(wide.to_numpy())
            else None
        )
    if not found and (spread := _spread_beside(table)):
        name = shown(table.roles["score"])
        words = (
            f"{name} is a mean, as its name and that of {shown(spread)} say; of what,"
            " nothing says."
        )
        bench.say("mean-row", "note", words)
        return frame
    if central is not None:  # one in thirty is so by chance
        words = (
            f"{shown(central)} is the last data set, and for every system near the mean"
            " of the others: if it "
        )
        leave = argument(f"{table.roles[role]}!={central}")
        bench.say(
            "mean-row",
            "note",
            f"{words}is a mean of them, --where {leave} leaves it out.",
        )
        return frame
    if not found:
        # Of many items it alone is seen.
        which = "The last row does not look" if is_many else "No row looks"
        bench.fine("mean-row", f"{which} computed from the others.")
        return frame
    column = table.roles[role] if role in table.roles else table.roles["split"]
    is_one, of = len(found) == 1, role.replace("dataset", "data set")
    seen = "; ".join(f"{shown(name)} is {why}" for name, why in [*found.items()][:6])
    condition = argument(f"{column}!={','.join(map(str, found))}")
    bench.found(
        "mean-row",
        f"{'This' if is_one else 'These'} may be no {of if is_one else of + 's'}:"
        f" {seen}.",
        "A mean counts every score twice, and a spread or a count measures something"
        " else.",
        f"--where {condition} leaves {'it' if is_one else 'them'} out.",
    )
    bench.stop_if_faulty()  # what else is counted would count them
    return frame


def _apart(frame, role, values, is_many):
    """Return the rows that may be none, and why; and the others as a table with a
    column a system.
    """
    wide, found = (
        frame.pivot_table(index=role, columns="system", values=values, sort=False),
        {},
    )
    wide = wide.dropna(how="all")
    while len(wide) > 2 and (new := _computed(wide, is_many)):
        found |= new
        wide = wide.drop(index=list(new))
    return found, wide


def _spread_beside(table):
    """Return the column with the spread of a score that is called a mean, or None."""
    own = {*_metrics.tokens(table.roles.get("score", ""))}
    beside = [
        n
        for n in table.facts.get("spreads", ())
        if own - {*_metrics.tokens(n)} == {"mean"}
    ]
    return next((n for n in beside if len({*_metrics.tokens(n)} - own) == 1), None)


def _computed(wide, is_many):
    """Return the rows of a table, data sets by systems, that may be none, and why; of
    many items the last.
    """
    names, n = pd.Series(wide.index.astype(str), wide.index), len(wide)
    may, few = np.arange(n) >= (n - 1) * is_many, 2 if is_many else n / 2
    is_called = names.map(_last_word).isin(_NAMES).to_numpy() & (
        np.arange(n) >= (n - _LAST) * is_many
    )
    words = pd.to_numeric(names, errors="coerce").isna()
    if 0 < words.sum() < few and (words & may).any():
        return dict.fromkeys(wide.index[words & may], "a word among numbers")
    scores = wide.to_numpy()
    # Many items have no one scale.
    scaled = range(n - 1 if n <= _MANY else n, n) if is_many else range(n)
    if n_last := 0 if is_many else _summaries(scores):
        return dict.fromkeys(
            wide.index[-n_last:], "a mean, a median or a spread of the rows above"
        )
    sums = np.nansum(scores, axis=0) - np.nan_to_num(scores)
    means = sums / np.maximum((~np.isnan(scores)).sum(axis=0) - 1, 1)
    if ranks := [
        wide.index[k]
        for k in scaled
        if n > 3 and _are_ranks(scores[k], np.delete(scores, k, 0))
    ]:
        return dict.fromkeys(ranks, "the mean rank of each system among the others")
    half, is_top = (
        _half(scores, may),
        (scores > np.partition(scores, -2, axis=0)[-2]).all(axis=1),
    )
    # Systems do well on the same data sets: only how they differ makes a second
    # coincidence.
    apart = pd.DataFrame(
        np.column_stack([scores[:, :1], scores[:, 1:] - scores[:, :1]])
    )
    spans = np.maximum((apart.max() - apart.min()).to_numpy(), 1e-12)
    chance = np.minimum(2 * half / spans, 1).prod(axis=1)
    for of, others in (
        ("mean", means),
        ("sum", np.where(is_top[:, None], sums, np.inf)),
    ):
        is_near = ((np.abs(scores - others) <= half) | np.isnan(scores)).all(axis=1)
        # Of many items the last is looked at; of the others one in so many has the mean
        # by chance.
        found = is_near & (
            is_called | ((n > 3) & (chance < np.where(may, _BY_CHANCE, _BY_CHANCE / n)))
        )
        if found.any():
            return dict.fromkeys(wide.index[found], f"the {of} of the others")
    if is_called.any():
        return dict.fromkeys(wide.index[is_called], "called so")
    stems = names.str.rstrip("0123456789")
    odd = (stems == names) & (len({*stems[stems != names]}) == 1)
    return (
        dict.fromkeys(wide.index[odd & may], "a word among numbered ones")
        if odd.sum() < few
        else {}
    )


def _last_word(name):
    """Return the last word of a name: "sd" of S.D., "avg" of Sum/Avg."""
    return (
        name.lower()
        .replace(".", "")
        .replace("/", "_")
        .replace(" ", "_")
        .rstrip("_")
        .rpartition("_")[2]
    )


def _summaries(scores):
    """Return how many of the last rows, two to four, are a mean, a median or a spread
    of those above.
    """
    for n in range(_LAST, 1, -1):
        above, last = scores[:-n], scores[-n:]
        if (
            len(above) < 3
            or not np.isfinite(scores).all()
            or not np.ptp(above, axis=0).all()
        ):
            continue
        known = (
            above.mean(axis=0),
            np.median(above, axis=0),
            *(above.std(axis=0, ddof=k) for k in (0, 1)),
        )
        half = _half(scores, np.arange(len(scores)) >= len(above))[-n:]
        if all(
            any((np.abs(row - of) <= own).all() for of in known)
            for row, own in zip(last, half, strict=True)
        ):
            return n
    return 0


def _are_ranks(row, others):
    """Tell whether a row has the mean rank of each system in other rows, as far as it
    was rounded.
    """
    n, known = len(row), _digits(row)
    blur = 1e-9 if known is None else 0.51 * 10.0**-known
    if (
        not np.isfinite(row).all()
        or (row % 1 == 0).all()
        or abs(row.sum() - n * (n + 1) / 2) > n * blur
    ):
        return False
    whole = others[np.isfinite(others).all(axis=1)]
    # A mean may stand above it.
    tables = [of for of in (others, whole, others[:-1], whole[:-1]) if len(of)]
    ranks = [
        stats.rankdata(sign * of, axis=1, nan_policy="omit")
        for of in tables
        for sign in (1, -1)
    ]
    return any((np.abs(np.nanmean(of, axis=0) - row) <= blur).all() for of in ranks)


def _is_central(scores):
    """Tell whether the last row is nearer to the mean of the others than one in thirty
    is by chance.

    A mean that is weighted by sizes which are not in the file, or rounded, shows itself
    by nothing else.
    """
    if (
        len(scores) < _FEWEST
        or not np.isfinite(scores).all()
        or (scores[:, :1] == scores).all()
    ):
        return False
    apart = np.column_stack([scores[:, :1], scores[:, 1:] - scores[:, :1]])
    others, last = apart[:-1], apart[-1]
    spread = others.std(axis=0, ddof=1) * np.sqrt(1 + 1 / len(others))
    spread = np.where(spread > 0, spread, np.inf)
    far = (((last - others.mean(axis=0)) / spread) ** 2).sum()
    is_near = (
        np.abs(scores[-1] - scores[:-1].mean(axis=0)) <= _NEAR * np.abs(scores[-1])
    ).all()
    return bool(is_near and stats.chi2.cdf(far, scores.shape[1]) < _CENTRAL)


def _digits(scores):
    """Return in how many decimals scores are written; None if right and wrong."""
    what = describe(scores[~np.isnan(scores)])
    return None if what.counted else what.digits


def _half(scores, may):
    """Return how far each number may be off, for it was rounded, and those from which
    it comes as well.
    """
    all_decimals = _digits(scores)
    per_row = [
        _digits(row) if own else None for row, own in zip(scores, may, strict=True)
    ]
    own = np.array(
        [0.51 * 10.0**-known if known is not None else 0.0 for known in per_row]
    )[:, None]
    hidden = 0.51 * 10.0**-all_decimals if all_decimals is not None else 0.0
    return np.broadcast_to(
        own + hidden + 1e-9 * np.maximum(1, np.abs(np.nan_to_num(scores))), scores.shape
    )
