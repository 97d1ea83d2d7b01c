"""Runs that failed, and runs that are not there."""

import numpy as np
import pandas as pd

from evalkit._limits import FEWEST_TRIALS
from evalkit.reports import schema
from evalkit.reports._faults import an, count, examples, shown
from evalkit.reports._recognition import _where
from evalkit.reports._recognition._seen import as_shown
from evalkit.reports._recognition._table import RUN_BY_FILE

_FAILED, _ENDED = schema.FAILED | {"nan"}, schema.ENDED | {""}
DROPPED = "s that failed", "s that failed or had not ended", "s without a score"
_AGAIN = " that did not end with a score, as another try of them did"
_AWAY = "without a score)"  # ends why a condition leaves rows out


def failed(frame, higher, bench, what="run", n_empty=0):
    """Decide about the rows that failed, once."""
    if any(found.code == "failed" for found in (*bench.checks, *bench.faults)):
        return frame
    status = status_of(frame)
    is_search = bench.kind == "search" and "validation" in frame
    bad = ~_has_ended(frame).to_numpy()
    if is_search:  # a trial without it can be neither chosen nor passed over
        bad |= ~np.isfinite(frame.validation.to_numpy())
    if not bad.any():
        _none_failed(frame, status, bench, what, n_empty)
        return frame
    good = frame[~bad]
    if good.empty:
        none = f"None of {len(frame):,} rows ended with a score."
        way = "--metric COLUMN, if another column holds the scores."
        bench.refuse("failed", none, "There is nothing to compare.", way)
    low = _where.worst(good.score, "higher" if higher else "lower")
    if is_search:  # behind every trial that ended: a search takes a failed one last
        least = _where.worst(good.validation, "higher" if higher else "lower")
        last = np.nextafter(least, -np.inf if higher else np.inf)
        frame = frame.assign(validation=frame.validation.mask(bad, last))
    unfinished = status.isin(schema.UNFINISHED) & bad
    how = bench.options.failed  # undecided, what follows sees every row
    used = frame.assign(
        score=frame.score.mask(
            bad, low if how in (None, "worst", "drop") else float(how)
        )
    )
    bench.n_filled = int(bad.sum()) * (how != "drop")
    if how == "drop":
        used = good
        bench.drop(
            bad.sum(), what + DROPPED[int(unfinished.any()) if "status" in frame else 2]
        )
    _say_failed(frame, good, bad, unfinished, low, what, bench)
    return used.reset_index(drop=True)


def before_means(frame, keys, higher, bench, what="row"):
    """Decide about what failed now, if rows without a score would vanish in a mean of
    several.
    """
    ended, told = ~status_of(frame).isin(_FAILED | schema.UNFINISHED), keys
    if {"run", "seed"} <= {*keys}:  # the second try has a name of its own
        ended, told = ended & frame.score.notna(), [key for key in keys if key != "run"]
    n_ended = ended.groupby([frame[key] for key in told], dropna=False).transform("sum")
    again = ~ended & (n_ended == 1)  # of more nobody can say which of them it became
    # Without a name it is another run.
    named = [key for key in ("seed", "fold", "item") if key in keys]
    again &= frame[named].notna().all(axis=1) & bool(named)
    bench.drop(again.sum(), f"{what}s{_AGAIN}")
    frame = frame[~again].reset_index(drop=True)
    is_in_mean = frame.duplicated(keys, keep=False) & frame.score.isna()
    return failed(frame, higher, bench, what) if is_in_mean.any() else frame


def _has_ended(frame):
    """Tell which rows ended with a score."""
    return np.isfinite(frame.score) & ~status_of(frame).isin(
        _FAILED | schema.UNFINISHED
    )


def status_of(frame):
    """Return how each row ended, in plain words; nothing where no column says it."""
    if "status" not in frame:
        return pd.Series("", frame.index)
    return frame.status.map(lambda v: str(v).lower().strip()).str.removesuffix(".0")


def _none_failed(frame, status, bench, what, n_empty):
    strange = sorted(set(status[~status.isin(_FAILED | schema.UNFINISHED | _ENDED)]))
    if n_empty:
        are = "cell is" if n_empty == 1 else "cells are"
        bench.unchecked(
            "failed",
            f"{n_empty:,} {are} empty; no column is known to say whether a run crashed"
            " there.",
        )
    elif again := sum(n for n, why in bench.left_out if why.endswith(_AGAIN)):
        bench.fine(
            "failed", f"{count(again, 'row')} had no score; of each another try ended."
        )
    elif away := [
        f"{count(n, 'row')} left out: {why}"
        for n, why in bench.left_out
        if why.endswith(_AWAY)
    ]:
        bench.say(
            "failed",
            "decided",
            f"All {len(frame):,} that are left have a score; {'; '.join(away)}.",
        )
    elif "status" not in frame:
        words = (
            f"Every row that is left has a score; {an(what)} that crashed and left none"
            " cannot be seen."
        )
        bench.unchecked("failed", words)
    elif strange:
        bench.unchecked("failed", f"Nothing says what these mean: {examples(strange)}.")
    else:
        bench.fine("failed", f"All {len(frame):,} ended.")


def _say_failed(frame, good, bad, unfinished, low, what, bench):
    """Say how many failed, of which system, and what is done about it."""
    how, left = bench.options.failed, good.system.value_counts()
    left = left.reindex(frame.system.unique(), fill_value=0)
    if how == "drop" and (left == 0).any():
        none = f"No {what} of {examples(left.index[left == 0])} ended with a score."
        way = "--failed worst, or --failed SCORE: what a failure scores."
        bench.refuse(
            "failed", none, "With them left out there is nothing to compare.", way
        )
    done = (
        "they are left out"
        if how == "drop"
        else f"each scores {f'{low:.4g}' if how == 'worst' else how}"
    )
    decided = how and f"You said --failed {how}: {done}."
    if bench.kind == "search" and "validation" in frame and decided and how != "drop":
        decided += (
            " On validation it stands behind every trial that ended: it is chosen last."
        )
    may_drop = bool(left.min() >= (FEWEST_TRIALS if bench.kind == "search" else 1))
    gone = frame.system[bad].value_counts()
    running = f" ({unfinished.sum():,} of them still running)" * bool(unfinished.any())
    each = frame.system.value_counts(sort=False).items()
    counts = ", ".join(
        f"{shown(name)} {gone.get(name, 0):,} of {n:,}" for name, n in each
    )
    has = (
        "did not end with a"
        if "status" in frame
        else f"{'has' if bad.sum() == 1 else 'have'} no"
    )
    why = "leaving them out flatters the system that fails more often."
    bench.found(
        "failed",
        f"{count(int(bad.sum()), what)} {has} score{running}: {counts}.",
        why.capitalize() if "status" in frame else f"If they failed, {why}",
        f"--failed worst: each scores the worst that was seen, {low:.4g}.",
        "--failed SCORE: each scores what you name, such as that of guessing.",
        *["--failed drop: they are left out, and the page says so."] * may_drop,
        decided=decided,
    )


def _named_after_several(seeds):
    """Return the beginnings of names of seeds that end in numbers, if there are several
    with some each.
    """
    names = pd.Series([str(seed) for seed in seeds])
    stems = names.str.rstrip("0123456789").str.rstrip("_-. ")
    is_told = (
        (stems != "").all()
        and (stems != names).all()
        and stems.value_counts().min() > 1
    )
    return sorted({*stems}) if is_told and len({*stems}) > 1 else []


def gaps(frame, table, bench):
    """Check that no system lacks a seed that others have, where systems share their
    seeds.
    """
    if "seed" not in frame or table.roles.get("seed") == RUN_BY_FILE:
        bench.unchecked("seeds", "No column names the seeds.")
        return
    seeds = frame.groupby("system", sort=False).seed.agg(set)
    left = frame[_has_ended(frame)] if bench.options.failed == "drop" else frame
    every = set(left.seed)
    if not set.intersection(*seeds):
        bench.unchecked("seeds", "The systems have no seed in common.")
        return
    words = []
    for name, own in seeds.items():
        lacking = sorted(every - own, key=lambda seed: (isinstance(seed, str), seed))
        seed = f"seed{'s' * (len(lacking) > 1)} {examples(map(as_shown, lacking))}"
        words += [f"{shown(name)} has no compared run with {seed}"] * bool(lacking)
    if words:
        asked = (
            "which others have. Did it crash, was it never started, or is it left out?"
        )
        bench.say("seeds", "note", f"{'; '.join(words)}, {asked}")
    elif apart := _named_after_several(every):
        what = (
            f"The names of seeds begin with one of {len(apart)} words:"
            f" {examples(apart)}."
        )
        why = (
            "If these are tasks or data sets, a mean over all of them is not one over"
            " runs."
        )
        way = (
            "--names '{system}/{dataset}_{seed}', or the like, if these are data sets"
            " in names of files."
        )
        bench.found("seeds", what, why, way, "--where COLUMN=VALUE keeps one of them.")
    else:
        among = ", with or without a score" * (not _has_ended(frame).all())
        bench.fine(
            "seeds", f"Every system has rows of {count(len(every), 'seed')}{among}."
        )
