"""Raters who score the answers of every system: crossed with the items, and drawn as
they are.
"""

from evalkit._limits import FEWEST_SEEDS
from evalkit.reports._checks import _twice
from evalkit.reports._checks._joined import in_all, shared
from evalkit.reports._faults import examples, shown


def check(frame, table, bench):
    """Keep the raters who scored every system, or average over these raters if items or
    groups are the unit.

    Returns the rows, without the column `rater` where raters are not crossed with
    items; and over how many raters it is averaged, for them alone.
    """
    if "rater" not in frame:
        bench.unchecked("raters", "No column is known to name raters.")
        return frame, 0
    of = {
        shown(name): set(part.rater.dropna())
        for name, part in frame.groupby("system", sort=False)
    }
    common, unit = set.intersection(*of.values()), bench.options.unit
    n = len(common)
    are_averaged = unit == "item" or (
        unit not in (None, "seed", "rater", table.roles.get("rater"))
        and not _are_crossed(frame, n)
    )
    whole, outcome = (
        f"The same {n} for every system; raters and items are drawn at once.",
        "fine",
    )
    if n < 2:
        whole = "One rater scored everything."
    elif are_averaged:
        over = "items" if unit == "item" else f"the values of {shown(unit)}"
        whole = (
            f"You said --unit {shown(unit)}: the interval is over {over}, for these {n}"
            " raters only."
        )
        outcome = "decided"
    refusal = (
        "No rater scored every system",
        "A strict rater and a bad system look the same then.",
        "have the same raters score the answers of every system.",
    )
    words = "rater", "scored every system", whole, outcome
    anew = [
        "--map repeat=COLUMN in place of rater=COLUMN: each score is an answer, whoever"
        " gave it."
    ]
    why = "Where one system had the milder raters, they decide."
    shared(of, bench, "raters", words, why, refusal, anew * are_averaged)
    is_common = frame.rater.isin(common)
    bench.drop((~is_common).sum(), "scores by raters who did not score every system")
    frame = frame[is_common].reset_index(drop=True)
    if n < 2:
        return frame.drop(columns="rater"), n
    if are_averaged:
        return _over_these(frame, n, bench), n
    these = "--unit item: the interval is over items, for these raters only."
    if "seed" in frame or "numerator" in frame:
        what = "several runs" if "seed" in frame else "two sums for each item"
        bench.refuse(
            "raters",
            f"Each system has {what}, and {n} raters scored them.",
            "No interval here is known to hold where these vary with the raters and the"
            " items.",
            *["--where COLUMN=VALUE keeps one run of each."] * ("seed" in frame),
            these,
        )
    if n < FEWEST_SEEDS:
        bench.refuse(
            "raters",
            f"There are {n} raters: {examples(sorted(frame.rater.unique()))}.",
            f"Fewer than {FEWEST_SEEDS} do not show how far raters differ. An interval"
            " over items would be for these raters only: others may judge otherwise.",
            these,
            "have one more rater score all answers.",
        )
    return frame, 0


def _over_these(frame, n, bench):
    """Average over raters, those who scored every system on an item."""
    keys = [name for name in ("system", "item", "seed", "repeat") if name in frame]
    alone = ~in_all(frame, ["item", "rater"], "item")
    if alone.mean() < 0.5:  # else each system has raters of its own
        bench.drop(
            alone.sum(), "scores by a rater who did not score every system on that item"
        )
        frame = frame[~alone].reset_index(drop=True)
    counts = frame.groupby(keys, dropna=False).rater.nunique()
    some = (
        f"{counts.min()} to {counts.max()}"
        if counts.min() < counts.max()
        else f"{counts.max()}"
    )
    some += f" of {n}" * bool(counts.max() < n)
    bench.merged.append(f"the scores of {some} raters on an item, by their mean")
    return _twice.averaged(frame.drop(columns="rater"), keys)


def _are_crossed(frame, n):
    """Tell whether enough raters each scored every item of every system, once."""
    n_items = frame.groupby(["system", "rater"])["item"].nunique()
    is_whole = (
        len(n_items) == n * frame.system.nunique()
        and (n_items == frame["item"].nunique()).all()
    )
    return n >= FEWEST_SEEDS and is_whole and not {"seed", "numerator"} & {*frame}
