"""Printed numbers: a mean, what stands behind its ±, and how many runs; or an accuracy and its items."""

import re

import pandas as pd

from evalkit import possible_counts
from evalkit.reports._bench import Evidence
from evalkit.reports._faults import Fault, RefusedError, count, examples, shown
from evalkit.reports._metrics import direction
from evalkit.reports._readers._values import one_spaced

FORMAT = "printed numbers"
# What follows the name, with one space for every run of them.
_FORM = re.compile(
    r"(?P<mean>-?\d+(?:[.,]\d+)?) ?(?P<percent>%?) ?"
    r"(?:(?:\u00b1|\+/-|\+-|\\pm) ?(?P<spread>\d+(?:[.,]\d+)?) ?%?)? ?"
    r"(?:\bn ?= ?(?P<n>\d{1,15}))? ?(?:\bitems ?= ?(?P<items>\d{1,15}))? ?"
)
_LONGEST = 200  # characters of it


def prepare(options, bench):
    """Examine printed numbers."""
    rows = [_parsed(text) for text in options.summary]
    frame = pd.DataFrame(rows)
    names = frame.system.tolist()
    if len(set(names)) < len(names) or len(names) < 2:
        raise ValueError(f"summary must name each system once, two at least; got {examples(names)}")
    if options.baseline not in names:
        from evalkit.reports._places import no_baseline

        raise no_baseline(options.baseline, names)
    metric = options.metric or "score"
    way = options.direction or (options.metric and direction(metric))
    if way:
        how = "as you said" if options.direction else f"by its name, {shown(metric)}"
        bench.fine("direction", f"{shown(metric)}: {way} is better, {how}.")
    else:
        bench.found(
            "direction",
            f"Nothing says whether a higher or a lower {shown(metric)} is better.",
            "With losses every sentence would say the opposite.",
            "--direction higher",
            "--direction lower",
        )
    bench.fine("names", examples(names, 8) + ".")
    ends = f"{frame['mean'].min():g} to {frame['mean'].max():g}"
    if 0 < frame["mean"].min() <= 1 and frame["mean"].max() > 20 * max(1, frame["mean"].min()):
        bench.found(
            "scale",
            f"The printed numbers go from {ends}.",
            "Shares beside per cents: their difference means nothing.",
            "write all of them as shares, or all in per cent.",
        )
    else:
        bench.fine("scale", f"From {ends}.")
    by_items = frame["items"].notna().all() and frame.spread.isna().all()
    _possible(frame, bench)
    if by_items:
        bench.fine("spread", "No \u00b1 is printed: the items are what varies.")
        bench.say("one-run", "note", "One accuracy each: the answer is about these fitted models.")
        if frame["items"].nunique() >= 2:
            raise ValueError(f"summary must give all systems the same items, got {examples(frame['items'])}")
    else:
        _spread(frame, options, bench)
    bench.unchecked("few", "What was run is known from these numbers alone.")
    for code, words in (
        ("train-items", "The training data are not in the file."),
        ("test-chose", "A printed number does not show what chose it."),
        ("tuned", "Printed numbers do not say how many settings of each system were tried."),
        ("told", "Other metrics, data sets and variants that were tried belong into the family."),
    ):
        bench.unchecked(code, words)
    others = tuple(name for name in names if name != options.baseline)
    used = frame.assign(score=frame["mean"])
    return Evidence(
        "summary",
        used,
        options.baseline,
        others,
        metric,
        way or "higher",
        len(frame),
        {"by_items": by_items, "spread": options.spread},
    )


def _parsed(text):
    name, _, rest = text.partition("=")
    found = _FORM.fullmatch(one_spaced(rest)) if len(rest) <= _LONGEST else None
    if not found or not name.strip():
        raise ValueError(
            f'summary must read "NAME=91.3\u00b10.4 n=5" or "NAME=91.3 items=1000", got {shown(text)!r}'
        )
    mean, spread = (text and text.replace(",", ".") for text in (found["mean"], found["spread"]))
    row = {"system": name.strip(), "mean": float(mean), "printed": mean + found["percent"]}
    row["spread"] = float(spread) if spread else None
    if row["spread"] == 0:
        raise ValueError(
            f"summary: a \u00b1 of 0 is a rounded one; write it with more digits, got {shown(text)!r}"
        )
    return row | {name: int(found[name]) if found[name] else None for name in ("n", "items")}


def _spread(frame, options, bench):
    lacking = frame.system[frame.spread.isna() | frame.n.isna() | (frame.n < 2)].tolist()
    if lacking:
        raise RefusedError(
            *bench.faults,
            Fault(
                "one-run",
                f"{examples(lacking)}: without a \u00b1 and a number of runs of at least two.",
                "A mean alone does not show how far another run would lie.",
                (
                    '--summary "NAME=91.3\u00b10.4 n=5"',
                    '--summary "NAME=91.3 items=1000", if it is an accuracy on one test set',
                ),
            ),
        )
    runs = ", ".join(f"{shown(row.system)} {row.n:.0f}" for row in frame.itertuples())
    bench.fine("one-run", f"{runs} runs.")
    if options.spread:
        words = {"sd": "a standard deviation of runs", "se": "a standard error of the mean"}[options.spread]
        bench.say("spread", "decided", f"You said --spread {options.spread}: the \u00b1 is {words}.")
    else:
        bench.say(
            "spread",
            "open",
            "A \u00b1 may be a standard deviation or a standard error, which is smaller by the root of n. "
            "The page shows both ways, and both must hold: --spread sd or se.",
        )


def _possible(frame, bench):
    known = frame[frame["items"].notna()]
    if known.empty or not frame.n.isna().all():
        bench.unchecked("possible", "Without the number of items, or of a mean over runs, nobody can tell.")
        return
    impossible = [
        f"{row.printed} of {row.items:,.0f} ({shown(row.system)})"
        for row in known.itertuples()
        if not len(possible_counts(row.printed, int(row.items)))
    ]
    if impossible:
        bench.found(
            "possible",
            f"{count(len(impossible), 'printed score')} cannot come from that many items: "
            f"{examples(impossible)}.",
            "The number of items is another, or the score is a mean over runs, or a slip of the pen.",
            "look the number of items up.",
        )
    else:
        bench.fine("possible", "Each is a whole number of right answers.")
