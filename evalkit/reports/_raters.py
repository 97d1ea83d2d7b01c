"""Raters who score the answers of every system: crossed with the items, and drawn as they are."""

from evalkit._limits import FEWEST_SEEDS
from evalkit.reports import _twice
from evalkit.reports._faults import count, examples, shown


def check(frame, bench):
    """Keep the raters who scored every system, or average over these raters if that was said.

    Parameters
    ----------
    frame : pandas.DataFrame
    bench : Bench

    Returns
    -------
    frame : pandas.DataFrame
        Without the column `rater`, where raters are not crossed with items.
    these : int
        Over how many raters it is averaged, for them alone.
    """
    if "rater" not in frame:
        bench.fine("raters", "No column names raters.")
        return frame, 0
    of = {name: set(part.rater.dropna()) for name, part in frame.groupby("system", sort=False)}
    common, every = set.intersection(*of.values()), sorted(set.union(*of.values()))
    if lacking := [
        f"{shown(name)} lacks {examples(sorted({*every} - own))}"
        for name, own in of.items()
        if {*every} - own
    ]:
        if not common:
            bench.refuse(
                "raters",
                f"No rater scored every system: {'; '.join(lacking)}.",
                "A strict rater and a bad system look the same then.",
                "have the same raters score the answers of every system.",
            )
        said = bench.options.unmatched
        bench.found(
            "raters",
            f"Of {count(len(every), 'rater')} {len(common)} scored every system: {'; '.join(lacking)}.",
            "Where one system had the milder raters, they decide.",
            (f"--unmatched drop compares by the {len(common)} who did.",),
            decided=said and "You said --unmatched drop: the others are left out.",
        )
        bench.drop((~frame.rater.isin(common)).sum(), "scores by raters who did not score every system")
        return _few(frame[frame.rater.isin(common)].reset_index(drop=True), bench, is_said=bool(said))
    return _few(frame, bench)


def _few(frame, bench, is_said=False):
    n, unit = frame.rater.nunique(), bench.options.unit
    if n < 2:
        if not is_said:
            bench.fine("raters", "One rater scored everything.")
        return frame.drop(columns="rater"), n
    if unit == "item":
        words = f"You said --unit item: the interval is over items, for these {n} raters only."
        if not is_said:
            bench.say("raters", "decided", words)
        bench.merged.append(f"the scores of {n} raters on an item, by their mean")
        keys = [name for name in ("system", "item", "seed", "repeat") if name in frame]
        return _twice.averaged(frame.drop(columns="rater"), keys), n
    if "seed" in frame or "numerator" in frame:
        what = "several runs" if "seed" in frame else "two sums for each item"
        more = {"--where COLUMN=VALUE keeps one run of each.": "seed" in frame}
        bench.refuse(
            "raters",
            f"Each system has {what}, and {n} raters scored them.",
            "No interval here is known to hold where these vary with the raters and the items.",
            *(way for way, leads_on in more.items() if leads_on),
            "--unit item: the interval is over items, for these raters only.",
        )
    if n < FEWEST_SEEDS:
        bench.refuse(
            "raters",
            f"There are {n} raters: {examples(sorted(frame.rater.unique()))}.",
            f"Fewer than {FEWEST_SEEDS} do not show how far raters differ. An interval over items would be "
            "for these raters only: others may judge otherwise.",
            "--unit item: the interval is over items, for these raters only.",
            "have one more rater score all answers.",
        )
    if not is_said:
        bench.fine("raters", f"The same {n} for every system; raters and items are drawn at once.")
    return frame, 0


def crossed(way, frame):
    """Return other rows of the same table, treated as these were.

    Parameters
    ----------
    way, frame : pandas.DataFrame

    Returns
    -------
    pandas.DataFrame
    """
    if "rater" not in way:
        return way
    if "rater" in frame:
        return way[way.rater.isin(frame.rater.unique())]
    return _twice.averaged(
        way.drop(columns="rater"), [n for n in ("system", "item", "seed", "repeat") if n in way]
    )
