"""Answers that are missing: items that were answered less often than the others of their system."""

from evalkit.reports._faults import count, examples, shown
from evalkit.reports._recognition import _where


def lacking(frame, higher, bench):
    """Check that a system answered each of its items as often."""
    keys = [key for key in ("system", "item", "seed") if key in frame]
    n = frame.groupby(keys, sort=False).size()
    of_system = n.groupby("system", sort=False)
    whole = of_system.transform("max")
    if "repeat" not in frame:  # a few rows that come again are slips, and no repeats
        whole = whole.where(of_system.transform("median") > 1, 1)
    share, low = (1 - n / whole).clip(lower=0), _where.worst(frame.score, "higher" if higher else "lower")
    if not share.any() or not ("repeat" in frame or bench.options.duplicates == "mean"):
        most = ", ".join(f"{shown(name)} {size:,}" for name, size in of_system.max().items())
        bench.fine("repeats", f"Answers to an item: {most}.")
        return share[:0], None, low
    short = share[share > 0]
    words = []
    for name, own in short.groupby("system", sort=False):
        items, most = own.index.unique("item"), whole[own.index[0]]
        gone = f"{shown(name)} lacks {(whole - n)[own.index].sum():,}, and has fewer than {most:,} answers to"
        words.append(f"{gone} {count(items.size, 'item')} ({examples(items)})")
    said = bench.options.failed
    score = None if said == "drop" else low if said in (None, "worst") else float(said)
    done = "the mean of an item is of the answers that are there"
    how = done if score is None else f"each that is missing scores {score:.4g}"
    bench.found(
        "repeats",
        f"Answers are missing: {'; '.join(words)}.",
        "If wrong answers are those that are missing, the system looks better than it is.",
        f"--failed worst: each that is missing scores the worst that was seen, {low:.4g}.",
        "--failed SCORE: each scores what you name.",
        f"--failed drop: {done}, and the page says so.",
        "or give the rows that are missing.",
        decided=said and f"You said --failed {said}: {how}.",
    )
    return share, score, low


def filled(frame, share, score):
    """Return the mean scores of items, with a score for the answers that are missing."""
    if score is None or share.empty:
        return frame
    keys = [key for key in share.index.names if key in frame]
    part = share.groupby(keys, sort=False).mean().reindex(frame.set_index(keys).index).fillna(0).to_numpy()
    return frame.assign(score=frame.score * (1 - part) + score * part)
