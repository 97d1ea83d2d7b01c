"""A rate over the whole set, which is a ratio of two sums, or a mean over items of
their own rates.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from evalkit._scores import describe
from evalkit.reports._faults import argument, examples, refusal, shown

_WHOLE = (
    0.98  # of the products that are whole, where a column counts what the rate is of
)
_CLEAR = 5  # products that could have been anything else


def with_score(table, metric=None):
    """Return a table of two sums with each item's own rate as its score, where it has
    none.
    """
    roles, frame = table.roles, table.frame
    if "denominator" not in roles:
        return table
    below = pd.to_numeric(frame[roles["denominator"]], errors="coerce")
    if "numerator" not in roles:
        _refuse_counts(frame[roles["score"]], below, roles)
        above, name = (
            (below * frame[roles["score"]]).round(),
            f"{roles['score']} x {roles['denominator']}",
        )
        return replace(
            table,
            frame=frame.assign(**{name: above}),
            roles={**roles, "numerator": name},
        )
    above = pd.to_numeric(frame[roles["numerator"]], errors="coerce")
    rates = above / below.mask(below == 0, 1.0)  # an insertion into silence
    sums = roles["numerator"], roles["denominator"]
    name = roles.get("score", " / ".join(sums) if metric in (None, *sums) else metric)
    return replace(
        table, frame=frame.assign(**{name: rates}), roles={**roles, "score": name}
    )


def _refuse_counts(scores, totals, roles):
    """Refuse whole numbers as rates, where none is above what they would be rates
    of.
    """
    known = scores.notna()
    if (
        (scores[known] % 1 == 0).all()
        and scores.max() > 1
        and (totals[known] % 1 == 0).all()
    ):
        name, of = shown(roles["score"]), shown(roles["denominator"])
        what = (
            f"{name} holds whole numbers, as {of} does: counts, it seems, and no rates."
        )
        both = (
            "--map numerator=COLUMN as well, if they count (with systems side by side:"
            " all of these)."
        )
        ways = (both, "write rates in whole per cents as shares, with their decimals.")
        raise refusal(
            "quantity",
            what,
            "A rate is multiplied by its total; a count is not.",
            *ways,
        )


def check(frame, table, metric, bench):
    """Find out whether a rate over all is meant, and ask where lengths stand beside
    rates.
    """
    if "denominator" in table.roles:
        above, below = names = table.roles["numerator"], table.roles["denominator"]
        bench.say(
            "quantity",
            "decided",
            f"The sum of {shown(above)} over the sum of {shown(below)}.",
        )
        if (
            frame.denominator.isna() | (frame.denominator < 0) | (frame.numerator < 0)
        ).any():
            what = (
                f"In {shown(above)} or {shown(below)} stand empty cells, or numbers"
                " below 0."
            )
            why = "What is counted is 0 or more, and known of every item."
            bench.refuse("quantity", what, why, "mend them.")
        return names
    lengths = _lengths(frame, table, metric, bench.options.columns.get("note", ()))
    if not lengths:
        bench.fine("quantity", "A mean over items, each counting alike.")
        return ()
    length, score = lengths[0], table.roles["score"]
    counts = _counts(frame, table, length)
    notes = " ".join(f"--map note={argument(name)}" for name in lengths)
    pooled = f"--map denominator={argument(length)}"
    pooled = f"--map numerator={argument(counts[0])} {pooled}" if counts else pooled
    rates = (
        f"{shown(score)} is a rate of each item, and {examples(lengths)} beside it says"
        " how long it is."
    )
    why = (
        "The rate over all, in which a long item counts for more, and the mean over"
        " items are two numbers"
    )
    bench.found(
        "quantity",
        rates,
        f"{why}, and may point in opposite ways.",
        f"{pooled}: the rate over all, a ratio of two sums.",
        f"{notes}: the mean over items, each counting alike.",
    )
    return ()


def _lengths(frame, table, metric, noted):
    """Return the columns that count what each item's rate is a share of, by their
    values.
    """
    if "score" not in table.roles or set(frame.score.dropna().unique()) <= {0.0, 1.0}:
        return []
    roles = {
        role: name
        for role, name in table.roles.items()
        if role not in ("note", "setting", "group")
    }
    passed = {*noted, *roles.values()}
    found = []
    for name in table.frame.columns:
        values = table.frame[name]
        if name in passed or values.dtype.kind != "f" or values.nunique() < 2:
            continue
        is_count = ((values >= 0) & (values % 1 == 0)).all()
        if (
            is_count
            and values.groupby(frame["item"]).nunique().max() == 1
            and _counts_of(frame.score, values)
        ):
            found.append(name)
    return found


def _counts_of(scores, lengths):
    """Tell whether rate times length is whole for nearly all items, and would not be
    for other lengths.
    """
    known = np.isfinite(scores)
    scores, lengths = scores[known].to_numpy(), lengths[known].to_numpy()
    if (
        scores.size
        and scores.max() > 1.5
        and _counts_of(pd.Series(scores / 100), pd.Series(lengths))
    ):
        return True  # per cents
    what = describe(scores)
    exact = what.counted or what.digits is None
    blur = 1e-6 if exact else 0.51 * 10.0**-what.digits
    clear = (scores % 1 != 0) & (lengths * blur < 0.1)
    if clear.sum() < _CLEAR:
        return False

    def share(of):
        products = (scores * of)[clear]
        return np.mean(np.abs(products - products.round()) <= (of * blur)[clear] + 1e-9)

    others = np.random.default_rng(0).permutation(lengths)
    return bool(share(lengths) >= _WHOLE and share(others) < 0.9)


def _counts(frame, table, length):
    """Return the columns that are rate times length."""
    others = table.frame.drop(columns=[length, table.roles["score"]]).select_dtypes(
        np.floating
    )
    is_near = others.sub(frame.score * table.frame[length], axis=0).abs() <= 0.1
    return others.columns[(others % 1 == 0).all() & (is_near.mean() >= _WHOLE)].tolist()
