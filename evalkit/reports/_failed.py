"""Runs that failed, and runs that are not there."""

import numpy as np

from evalkit._limits import FEWEST_TRIALS
from evalkit.reports import _gather
from evalkit.reports._faults import Fault, RefusedError, an, count, examples, shown
from evalkit.reports._twice import as_text

_FAILED = frozenset(["crashed", "failed", "fail", "failure", "error", "killed", "preempted", "diverged"])
_FAILED |= {"nan", "oom", "timeout", "true", "1"}
_UNFINISHED = frozenset(["running", "pending", "scheduled", "waiting", "queued", "unfinished", "started"])
_ENDED = frozenset(
    ["finished", "done", "complete", "completed", "success", "succeeded", "ok", "false", "0", "pruned"]
)
DROPPED = "{what}s that failed, as you said"


def failed(frame, higher, bench, what="run", n_empty=0):
    """Decide about the rows that failed.

    Parameters
    ----------
    frame : pandas.DataFrame
        As `tidy` returns it.
    higher : bool
    bench : Bench
    what : str, default "run"
        What a row is.
    n_empty : int, default 0
        Cells of a table without a score.

    Returns
    -------
    frame : pandas.DataFrame
    ways : dict of str to pandas.DataFrame
        The same with the failed rows left out, and with the worst score for them.
    """
    status = frame.status.map(lambda v: str(v).lower().strip()) if "status" in frame else None
    bad = ~np.isfinite(frame.score.to_numpy())
    chosen_by = frame.get("validation") if bench.kind == "search" else None
    if chosen_by is not None:  # a trial without it can be neither chosen nor passed over
        bad |= ~np.isfinite(chosen_by.to_numpy())
    unfinished = np.zeros(len(frame), dtype=bool)
    if status is not None:
        status = status.str.removesuffix(".0")
        unfinished = status.isin(_UNFINISHED).to_numpy()
        bad |= status.isin(_FAILED).to_numpy() | unfinished
        strange = sorted(set(status[~status.isin(_FAILED | _UNFINISHED | _ENDED)]))
    if not bad.any():
        if n_empty:
            are = "cell is" if n_empty == 1 else "cells are"
            words = f"{n_empty:,} {are} empty, and nothing says whether a run crashed there."
            bench.unchecked("failed", words)
        elif status is None:
            words = f"Every row has a score; {an(what)} that crashed and left no row cannot be seen."
            bench.unchecked("failed", words)
        elif strange:
            bench.unchecked("failed", f"Nothing says what these mean: {examples(strange)}.")
        else:
            bench.fine("failed", f"All {len(frame):,} ended.")
        return frame, {}
    good = frame[~bad]
    if good.empty:
        raise RefusedError(
            Fault(
                "failed",
                f"None of {len(frame):,} rows ended with a score.",
                "There is nothing to compare.",
                ("--metric COLUMN, if another column holds the scores.",),
            )
        )
    of_system = frame.system[bad].value_counts()
    counts = ", ".join(
        f"{shown(name)} {of_system.get(name, 0):,} of {n:,}"
        for name, n in frame.system.value_counts(sort=False).items()
    )
    running = f" ({unfinished.sum():,} of them still running)" if unfinished.any() else ""
    low = _gather.worst(good.score, "higher" if higher else "lower")
    if chosen_by is not None:  # behind every trial that ended: a search takes a failed one last
        least = _gather.worst(good.validation, "higher" if higher else "lower")
        last = np.nextafter(least, -np.inf if higher else np.inf)
        frame = frame.assign(validation=chosen_by.mask(bad, last))
    ways = {
        f"failed {what}s left out": good,
        f"failed {what}s score {low:.4g}, the worst seen": frame.assign(score=frame.score.mask(bad, low)),
    }
    how, used = bench.options.failed, frame
    if how == "drop" and (gone := [n for n in frame.system.unique() if n not in set(good.system)]):
        raise RefusedError(
            Fault(
                "failed",
                f"No {what} of {examples(gone)} ended with a score.",
                "With them left out there is nothing to compare.",
                ("--failed worst, or --failed SCORE: what a failure scores.",),
            )
        )
    if how == "drop":
        decided, used = "You said --failed drop: they are left out.", good
        bench.drop(bad.sum(), DROPPED.format(what=what))
    elif how == "worst":
        decided, used = f"You said --failed worst: each scores {low:.4g}.", [*ways.values()][1]
    elif how is not None:
        decided = f"You said --failed {how}: each scores {float(how):g}."
        used = frame.assign(score=frame.score.mask(bad, float(how)))
    else:
        decided, used = None, [*ways.values()][1]  # so that what follows sees every row
    if chosen_by is not None and decided and how != "drop":
        decided += " On validation it stands behind every trial that ended: it is chosen last."
    left = good.system.value_counts().reindex(frame.system.unique(), fill_value=0)
    fewest = FEWEST_TRIALS if bench.kind == "search" else 1
    ways_on = [
        f"--failed worst: each scores the worst that was seen, {low:.4g}.",
        "--failed SCORE: each scores what you name, such as that of guessing.",
    ]
    if left.min() >= fewest:
        ways_on.append("--failed drop: they are left out, and the page says so.")
    bench.found(
        "failed",
        f"{count(int(bad.sum()), what)} did not end with a score{running}: {counts}.",
        f"Leaving failed {what}s out flatters the system that fails more often.",
        ways_on,
        decided=decided,
    )
    return used.reset_index(drop=True), ways


def gaps(frame, bench):
    """Check that no system lacks a seed that others have, where systems share their seeds.

    Parameters
    ----------
    frame : pandas.DataFrame
        With the runs that failed: these are there.
    bench : Bench
    """
    if "seed" not in frame:
        bench.unchecked("seeds", "No column names the seeds.")
        return
    seeds = frame.groupby("system", sort=False).seed.agg(set)
    every = set.union(*seeds)
    if not set.intersection(*seeds):
        bench.unchecked("seeds", "The systems have no seed in common.")
        return
    words = []
    for name, own in seeds.items():
        lacking = sorted(every - own, key=lambda seed: (isinstance(seed, str), seed))
        if lacking:
            seed = "seed" if len(lacking) == 1 else "seeds"
            words.append(f"{shown(name)} has no run with {seed} {examples(map(as_text, lacking))}")
    if words:
        lacks = "; ".join(words)
        bench.say("seeds", "note", f"{lacks}, which others have. Did it crash, or was it never started?")
    else:
        bench.fine("seeds", f"The same {count(len(every), 'seed')} for every system.")
