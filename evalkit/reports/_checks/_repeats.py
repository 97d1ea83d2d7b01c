"""Answers that are missing: items that were answered less often than the others of
their system.
"""

from evalkit.reports._faults import count, examples, shown
from evalkit.reports._recognition._wide import option


def check(frame, told, bench):
    """Check that a system answered each of its items as often; `told` are columns that
    count its answers.
    """
    keys = [key for key in ("system", "item", "seed") if key in frame]
    if bench.options.failed == "drop" and "score" in frame:
        frame = frame[frame.score.notna()]
    n = frame.groupby(keys, sort=False).size()
    of_system = n.groupby("system", sort=False)
    whole = of_system.transform("max")
    if "repeat" not in frame:  # a few rows that come again are slips, and no repeats
        whole = whole.where(of_system.transform("median") > 1, 1)
    lacks = (whole - n).clip(lower=0)  # as many of every system make none look better
    short = n[lacks > lacks.groupby("item").transform("min")]
    if short.empty or not ("repeat" in frame or bench.options.duplicates == "mean"):
        most = ", ".join(
            f"{shown(name)} {size:,}" for name, size in of_system.max().items()
        )
        what = "Answers to an item, at most"
        what += ", with those that have no score" * bool(
            "score" in frame and frame.score.isna().any()
        )
        bench.fine("repeats", f"{what}: {most}.")
        return
    words = []
    for name, own in short.groupby("system", sort=False):
        items, most = own.index.unique("item"), whole[own.index[0]]
        gone = (
            f"{shown(name)} lacks {(whole - n)[own.index].sum():,}, and has fewer than"
            f" {most:,} answers to"
        )
        words.append(f"{gone} {count(items.size, 'item')} ({examples(items)})")
    done = "the mean of an item is of the answers that are left"
    counted = told and "repeat" not in frame
    is_decided = bench.options.failed == "drop" and not counted
    number = (
        f"{option('repeat', told[:1])}: then the answers of the others with that number"
        " go as well."
    )
    bench.found(
        "repeats",
        f"Answers are missing: {'; '.join(words)}.",
        "If wrong answers are those that are missing, the system looks better than"
        " it is.",
        *[f"--failed drop: {done}, and the page says so."]
        * (bench.options.failed is None and not counted),
        *[number] * bool(counted),
        "or give the rows that are missing, with what a missing answer scores.",
        decided=f"You said --failed drop: {done}." if is_decided else None,
    )
