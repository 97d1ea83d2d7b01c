"""Rows that are no runs and no data sets: means, ranks and counts of the others, as in printed tables."""

import numpy as np
import pandas as pd
from scipy import stats

from evalkit._spread import decimals_of
from evalkit.reports._faults import argument, shown

_NAMES = frozenset(["mean", "average", "avg", "median", "std", "total", "overall"])
_BY_CHANCE = 1e-3  # so rarely a row that is none has the mean of the others in every column
_FEWEST, _CENTRAL = 6, 1 / 30  # data sets; and how near the mean, as one in thirty would be
_FAR = 10  # a score so many times beyond all others is on another scale


def without_summaries(frame, table, bench):
    """Ask about rows that are computed from the others, or on another scale, and return the others."""
    roles = ["dataset", "seed", "fold", "repeat", *["item"] * table.facts.get("melted", False)]
    roles = [role for role in roles if role in frame and frame[role].dtype.kind == "O"]
    found = _systems(frame, bench.options.baseline)
    roles = ["system"] if found else roles
    for role in roles[:1] if not found else ():
        wide = frame.pivot_table(index=role, columns="system", values="score", sort=False)
        wide = wide.dropna(how="all")
        while len(wide) > 2 and (new := _odd(wide)):
            found |= new
            wide = wide.drop(index=list(new))
        stems = wide.index.astype(str).str.rstrip("0123456789")  # of d1, d2 and d3 the last is as the others
        is_apart = len(wide) > 0 and stems[-1] not in stems[:-1]
        if not found and role == "dataset" and is_apart and _is_central(wide.to_numpy()):
            found = {wide.index[-1]: "the last one, and for every system near the mean of the others"}
    if not found:
        bench.fine("mean-row", "None is computed from the others, or on another scale.")
        return frame
    role = roles[0]
    column = table.roles[role] if role in table.roles else table.roles["split"]
    seen = "; ".join(f"{shown(name)} is {why}" for name, why in [*found.items()][:6])
    what = (
        f"{'This' if len(found) == 1 else 'These'} may be no {role.replace('dataset', 'data set')}: {seen}."
    )
    why = "A mean counts every score twice, and ranks, spreads and counts measure something else."
    condition = argument(f"{column}!={','.join(map(str, found))}")
    bench.found(
        "mean-row", what, why, f"--where {condition} leaves {'it' if len(found) == 1 else 'them'} out."
    )
    return (
        frame
        if "mean-row" in bench.options.accepted
        else frame[~frame[role].isin(found)].reset_index(drop=True)
    )


def _systems(frame, baseline):
    """Return the systems that are means of the others, on every data set or for every seed."""
    unit = next((role for role in ("dataset", "fold", "seed") if role in frame), None)
    if unit is None or frame.system.nunique() < 3:
        return {}
    wide = frame.pivot_table(index=unit, columns="system", values="score", sort=False)
    names = [name for name in wide if name != baseline]
    means = [name for name in names if _is_weighted_mean(wide[name].values, wide.drop(columns=name).values)]
    return dict.fromkeys(means[-1:], f"a mean of the others, for every {unit.replace('dataset', 'data set')}")


def _is_weighted_mean(scores, others):
    """Tell whether scores are a mean of others, weighted alike in each row, to the digits of all.

    With fewer rows than two more than columns any scores may be one.
    """
    known = np.isfinite(scores) & np.isfinite(others).all(axis=1)
    scores, others = scores[known], others[known]
    n_spare = len(scores) - others.shape[1] + 1
    decimals = decimals_of([scores, others])
    if n_spare < 3 or others.shape[1] < 2 or decimals is None:
        return False
    apart, of = others[:, 1:] - others[:, :1], scores - others[:, 0]
    weights = np.linalg.lstsq(apart, of, rcond=None)[0]
    weights = np.array([1 - weights.sum(), *weights])
    near = 1.01 * 10.0**-decimals
    chance = min(2 * near / max(float(np.ptp(of)), 1e-12), 1) ** n_spare
    is_near = (np.abs(others @ weights - scores) <= near).all()
    return bool(is_near and (weights > 0.01).all() and chance < 1e-3)


def _is_central(scores):
    """Tell whether the last row is nearer to the mean of the others than one in thirty is by chance.

    A mean that is weighted by sizes which are not in the file shows itself by nothing else.
    """
    if len(scores) < _FEWEST or not np.isfinite(scores).all() or (scores[:, :1] == scores).all():
        return False
    apart = np.column_stack([scores[:, :1], scores[:, 1:] - scores[:, :1]])
    others, last = apart[:-1], apart[-1]
    spread = others.std(axis=0, ddof=1) * np.sqrt(1 + 1 / len(others))
    spread = np.where(spread > 0, spread, np.inf)
    far = (((last - others.mean(axis=0)) / spread) ** 2).sum()
    return bool(stats.chi2.cdf(far, scores.shape[1]) < _CENTRAL)


def _odd(wide):
    """Return the rows of a table, data sets by systems, that may be none, and why: of one kind at a time."""
    names, n = pd.Series(wide.index.astype(str), wide.index), len(wide)
    words = pd.to_numeric(names, errors="coerce").isna()
    if 0 < words.sum() < n / 2:
        return dict.fromkeys(wide.index[words], "a word among numbers")
    scores = wide.to_numpy()
    if off := [name for k, name in enumerate(wide.index) if _is_off(scores[k], np.delete(scores, k, axis=0))]:
        return dict.fromkeys(off, "on another scale than the others")
    ranks = np.minimum(wide.rank(axis=1), wide.rank(axis=1, ascending=False)).to_numpy()
    computed = {}
    for kind, of in {"mean": scores, "mean rank": ranks}.items():
        others = (np.nansum(of, axis=0) - np.nan_to_num(of)) / np.maximum((~np.isnan(of)).sum(axis=0) - 1, 1)
        near = np.abs(scores - others) <= _half(scores)
        # Systems do well on the same data sets: only how they differ makes a second coincidence.
        apart = pd.DataFrame(np.column_stack([scores[:, :1], scores[:, 1:] - scores[:, :1]]))
        spans = np.maximum((apart.max() - apart.min()).to_numpy(), 1e-12)
        chance = np.minimum(2 * _half(scores) / spans, 1).prod(axis=1) * _fewer_digits(scores)
        for k in np.flatnonzero((near | np.isnan(scores)).all(axis=1)):
            if names.iloc[k].strip(" .").lower() in _NAMES or (n > 3 and chance[k] < _BY_CHANCE):
                computed[wide.index[k]] = f"the {kind} of the others"
    called = [name for name in wide.index if str(name).strip(" .").lower() in _NAMES]
    if computed or called:
        return computed or dict.fromkeys(called, "called so, and not quite what the others give")
    stems = names.str.rstrip("0123456789")
    odd = (stems == names) & (len({*stems[stems != names]}) == 1)
    return dict.fromkeys(wide.index[odd], "a word among numbered ones") if odd.sum() < n / 2 else {}


def _is_off(row, others):
    """Tell whether a score lies far beyond all of other rows, which are on one scale; 0 may be a failure."""
    row, others = row[~np.isnan(row) & (row != 0)], others[~np.isnan(others) & (others != 0)]
    if not len(row) or not len(others) or others.min() <= 0:
        return False
    if others.max() <= 1 and (row > 1).any():
        return True
    is_one = others.max() < _FAR * others.min()
    return is_one and bool(((row < others.min() / _FAR) | (row > others.max() * _FAR)).any())


def _fewer_digits(scores):
    """Return how rarely each row has as few digits as it has: 0.7 among 0.684 and 0.751."""
    most = decimals_of([scores[~np.isnan(scores)]]) or 0
    own = [decimals_of([row[~np.isnan(row)]]) for row in scores]
    fewer = np.array([most - known if known is not None else 0 for known in own])
    return np.minimum(len(scores) * 10.0 ** (-fewer * scores.shape[1]), 1)


def _half(scores):
    """Return how far each number may be off, for it was rounded, and those from which it comes as well."""
    all_decimals = decimals_of([scores[~np.isnan(scores)]])
    per_row = [decimals_of([row[~np.isnan(row)]]) for row in scores]
    own = np.array([0.51 * 10.0**-known if known is not None else 0.0 for known in per_row])[:, None]
    hidden = 0.51 * 10.0**-all_decimals if all_decimals is not None else 0.0
    return np.broadcast_to(own + hidden + 1e-9 * np.maximum(1, np.abs(np.nan_to_num(scores))), scores.shape)
