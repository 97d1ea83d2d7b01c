"""Printed numbers: a mean, what stands behind its ±, and how many runs; or an accuracy and its items."""

import re

import pandas as pd

from evalkit import possible_counts
from evalkit.reports._bench import Evidence
from evalkit.reports._checks import _common
from evalkit.reports._faults import count, each, examples, shown
from evalkit.reports._formats._values import one_spaced
from evalkit.reports._recognition._metrics import direction
from evalkit.reports._recognition._places import no_baseline

# What follows the name, with one space for every run of them.
_FORM = re.compile(
    r"(?P<mean>-?\d+(?:[.,]\d+)?) ?(?P<percent>%?) ?"
    r"(?:(?:\u00b1|\+/-|\+-|\\pm) ?(?P<spread>\d+(?:[.,]\d+)?) ?%?)? ?"
    r"(?:\bn ?= ?(?P<n>\d{1,15}))? ?(?:\bitems ?= ?(?P<items>\d{1,15}))? ?"
)
_LONGEST = 200  # characters of it


def prepare(options, bench):
    """Examine printed numbers."""
    frame = pd.DataFrame([_parsed(text) for text in options.summary])
    names, metric = frame.system.tolist(), options.metric or "score"
    if len(set(names)) < len(names) or len(names) < 2:
        raise ValueError(f"summary must name each system once, two at least; got {examples(names)}")
    if options.baseline not in names:
        raise no_baseline(options.baseline, names)
    higher = _direction(metric, options, bench) == "higher"
    _common.names(frame, bench)
    _common.scale(frame, metric, higher, bench)
    by_items = frame["items"].notna().all() and frame.spread.isna().all()
    _possible(frame, bench)
    if by_items:
        bench.fine("spread", "No \u00b1 is printed: the items are what varies.")
        bench.say("one-run", "note", "One accuracy each: the answer is about these fitted models.")
        if frame["items"].nunique() >= 2:
            raise ValueError(f"summary must give all systems the same items, got {examples(frame['items'])}")
    else:
        _spread(frame, options, bench)
    for code, words in _UNCHECKED.items():
        bench.unchecked(code, words)
    return Evidence.of(bench, frame, metric, higher, {"by_items": by_items, "spread": options.spread})


def _direction(metric, options, bench):
    way = options.direction or (options.metric and direction(metric))
    if way:
        how = "as you said" if options.direction else f"by its name, {shown(metric)}"
        bench.fine("direction", f"{shown(metric)}: {way} is better, {how}.")
    else:
        what = f"Nothing says whether a higher or a lower {shown(metric)} is better."
        why = "With losses every sentence would say the opposite."
        bench.found("direction", what, why, "--direction higher", "--direction lower")
    return way or "higher"


_UNCHECKED = {
    "few": "What was run is known from these numbers alone.",
    "train-items": "The training data are not in the file.",
    "test-chose": "A printed number does not show what chose it.",
    "tuned": "Printed numbers do not say how many settings of each system were tried.",
    "told": "Other metrics, data sets and variants that were tried belong to the family.",
}


def _parsed(text):
    name, _, rest = text.partition("=")
    found = _FORM.fullmatch(one_spaced(rest)) if len(rest) <= _LONGEST else None
    if not found or not name.strip():
        form = '"NAME=91.3\u00b10.4 n=5" or "NAME=91.3 items=1000"'
        raise ValueError(f"summary must read {form}, got {shown(text)!r}")
    mean, spread = (text and text.replace(",", ".") for text in (found["mean"], found["spread"]))
    if spread and not float(spread):
        rounded = "a \u00b1 of 0 is a rounded one; write it with more digits"
        raise ValueError(f"summary: {rounded}, got {shown(text)!r}")
    row = {"system": name.strip(), "score": float(mean), "printed": mean + found["percent"]}
    row["spread"] = float(spread) if spread else None
    return row | {name: int(found[name]) if found[name] else None for name in ("n", "items")}


def _spread(frame, options, bench):
    lacking = frame.system[frame.spread.isna() | frame.n.isna() | (frame.n < 2)].tolist()
    if lacking:
        bench.refuse(
            "one-run",
            f"{examples(lacking)}: without a \u00b1 and a number of runs of at least two.",
            "A mean alone does not show how far another run would lie.",
            '--summary "NAME=91.3\u00b10.4 n=5"',
            '--summary "NAME=91.3 items=1000", if it is an accuracy on one test set',
        )
    bench.fine("one-run", f"{each(frame.set_index('system').n.astype(int))} runs.")
    if options.spread:
        words = {"sd": "a standard deviation of runs", "se": "a standard error of the mean"}[options.spread]
        bench.say("spread", "decided", f"You said --spread {options.spread}: the \u00b1 is {words}.")
    else:
        words = "A \u00b1 may be a standard deviation or a standard error, which is smaller by the root of n."
        words += " The page shows both ways, and both must hold: --spread sd or se."
        bench.say("spread", "open", words)


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
        scores = count(len(impossible), "printed score")
        what = f"{scores} cannot come from that many items: {examples(impossible)}."
        why = "The number of items is another, or the score is a mean over runs, or a slip of the pen."
        bench.found("possible", what, why, "look the number of items up.")
    else:
        bench.fine("possible", "Each is a whole number of right answers.")
