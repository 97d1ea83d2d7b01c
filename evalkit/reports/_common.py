"""Checks of every kind of table: the direction, names, failed runs, what is there twice."""

import numpy as np
import pandas as pd

from evalkit._limits import FEWEST_TRIALS
from evalkit.reports import _gather
from evalkit.reports._columns import is_nameless, score_direction, unknown_direction
from evalkit.reports._faults import Fault, RefusedError, an, count, examples, shown
from evalkit.reports._words import HIGHER, LOWER, parts
from evalkit.reports._words import direction as said_by_name

_FAILED = frozenset(["crashed", "failed", "fail", "failure", "error", "killed", "preempted", "diverged"])
_FAILED |= {"nan", "oom", "timeout", "true", "1"}
_UNFINISHED = frozenset(["running", "pending", "scheduled", "waiting", "queued", "unfinished", "started"])
_ENDED = frozenset(
    ["finished", "done", "complete", "completed", "success", "succeeded", "ok", "false", "0", "pruned"]
)
_SHARES = frozenset(
    [
        "acc",
        "accuracy",
        "f1",
        "em",
        "match",
        "auc",
        "auroc",
        "precision",
        "recall",
        "correct",
        "score",
        "includes",
    ]
)
_SHARES_OF_ERRORS = (LOWER & {"err", "error", "errors", "wer", "cer", "misclassification", "ece"}) - {"mse"}
_LARGEST = 1e100
_TELLING = 5  # different scores
DROPPED = "{what}s that failed, as you said"


def tidy(table):
    """Return a table with a standard name for each role, numbers where numbers belong.

    Parameters
    ----------
    table : Table
        With its score, or with a label and a prediction.

    Returns
    -------
    pandas.DataFrame
    """
    frame, roles = table.frame, table.roles
    out = {"system": frame[roles["system"]]}
    for role in (
        "seed",
        "fold",
        "item",
        "repeat",
        "dataset",
        "status",
        "label",
        "prediction",
        "filter",
        "text",
    ):
        if role in roles:
            out[role] = frame[roles[role]]
    for role in ("score", "validation", "cost"):
        if role in roles:
            out[role] = _numbers(frame[roles[role]], roles[role])
    tidied = pd.DataFrame(out)
    if "item" in tidied:  # 7 and 7.0 and "7" are one item
        tidied["item"] = _gather._as_text(tidied["item"])
    if nameless := int(tidied.system.isna().sum()):
        raise RefusedError(
            Fault(
                "names",
                f"{count(nameless, 'row')} of {len(tidied):,} name no system.",
                "Nobody can say whose scores they are.",
                ("fill the names in, or take the rows out.",),
            )
        )
    return tidied


def _numbers(values, name):
    if values.dtype.kind == "f":
        return values
    words = values.map(lambda v: str(v).strip().lower(), na_action="ignore")
    known = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0, "correct": 1.0, "incorrect": 0.0, "wrong": 0.0}
    numbers = pd.to_numeric(words.map(known).fillna(pd.to_numeric(words, errors="coerce")))
    strange = values[numbers.isna() & values.notna() & ~words.isin(["nan", "none", "null", "inf", "-inf"])]
    if len(strange):
        raise RefusedError(
            Fault(
                "scale",
                f"The scores in {shown(name)} are no numbers in {count(len(strange), 'row')}: "
                f"{examples(strange.unique())}.",
                "A word has no place among scores: is it another column that is compared?",
                ("--metric COLUMN names the scores.",),
            )
        )
    return numbers


def direction(table, bench):
    """Check the direction of the metric, and return it."""
    found, how = score_direction(table, bench.options)
    name = table.roles.get("score", "accuracy")
    by_name = None if is_nameless(table, bench.options) else said_by_name(name)
    name = shown(name)
    if found and by_name not in (None, found):
        words = f"{name}: {found} is better, {how}; by its name one would think that {by_name} is."
        bench.say("direction", "note", words)
        return found
    is_said = bench.options.direction and "direction" not in bench.options.guessed
    is_called = not is_said and "score" in table.roles and name not in table.facts.get("higher", {})
    if found and is_called and parts(name) & (HIGHER | LOWER) == {"score"}:
        words = (
            f"{name}: {found} is taken to be better, for it is called a score; --direction says otherwise."
        )
        bench.say("direction", "note", words)
        return found
    if found:
        bench.fine("direction", f"{name}: {found} is better, {how}.")
        return found
    raise RefusedError(*bench.faults, unknown_direction(table))


def names(frame, bench):
    """Check that no system is written in two ways."""
    found = frame.system.unique()
    alike = {}
    for name in found:
        alike.setdefault("".join(ch for ch in str(name).lower() if ch.isalnum() or ch == "+"), []).append(
            name
        )
    twice = [written for written in alike.values() if len(written) > 1]
    if twice:
        bench.found(
            "names",
            "Names that differ in spaces, case or signs alone: "
            + "; ".join(" and ".join(map(repr, map(shown, written))) for written in twice[:3])
            + ".",
            "If they are one system, its runs would be compared with each other.",
            ("write each system in one way.",),
        )
    else:
        bench.fine("names", f"{count(len(found), 'name')}: {examples(found, 8)}.")


def scale(frame, metric, higher, bench):
    """Check that no score is in per cent where another is a share, nor outside what the metric can be."""
    scores = frame.score[np.isfinite(frame.score)].to_numpy()
    is_share = bool(parts(metric) & (_SHARES if higher else _SHARES_OF_ERRORS))
    small, large = scores[(scores > 0) & (scores <= 1)], scores[scores > 1.5]
    mixed = small.size and large.size and np.median(large) > 20 * np.median(small)
    if not is_share:  # whole systems apart, by about a hundred
        levels = frame[np.isfinite(frame.score) & (frame.score > 0)].groupby("system").score.median()
        far = np.median(large) / np.median(small) if mixed else 0
        mixed = 30 < far < 300 and not levels.between(1, 1.5, inclusive="neither").any()
        mixed = mixed and set(levels.index[levels <= 1]).isdisjoint(frame.system[frame.score > 1.5])
    beyond = scores[(scores < 0) | (scores > 100)] if is_share and parts(metric) - {"score"} & _SHARES else []
    if scores.size and np.abs(scores).max() > _LARGEST:
        bench.found(
            "scale",
            f"{count(int((np.abs(scores) > _LARGEST).sum()), 'score is', 'scores are')} beyond "
            f"{_LARGEST:g}: {_few_of(scores[np.abs(scores) > _LARGEST])}.",
            "No difference of such numbers can be computed, and hardly a metric has them.",
            ("mend them, or name another column with --metric.",),
            may_stay=False,
        )
        bench.stop_if_faulty()
    elif mixed:
        bench.found(
            "scale",
            f"{count(small.size, 'score')} lie between 0 and 1 ({_few_of(small)}), {large.size:,} above 1.5 "
            f"({_few_of(large)}).",
            "Shares and per cents in one column: their difference means nothing.",
            ("write all of them as shares, or all in per cent.",),
        )
    elif len(beyond):
        bench.found(
            "scale",
            f"{count(len(beyond), 'score lies', 'scores lie')} outside 0 to 100 ({shown(metric)}): "
            f"{_few_of(beyond)}.",
            "No share is below 0 or above 100 %.",
            ("mend them, or name another column with --metric.",),
        )
    elif scores.size:
        bench.fine("scale", f"From {scores.min():.4g} to {scores.max():.4g}.")
    else:
        bench.fine("scale", "No score is a number.")


def _few_of(numbers):
    return examples([f"{value:.4g}" for value in numbers])


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


def duplicates(frame, keys, bench, *, what, raw, is_repeat=False):
    """Check that nothing is there twice, and average or drop what is.

    Parameters
    ----------
    frame : pandas.DataFrame
    keys : list of str
        The columns that tell rows apart.
    bench : Bench
    what : str
        What they tell apart: "run", "item".
    raw : pandas.DataFrame
        The table as it came: to find rows that are the same in everything.
    is_repeat : bool, default False
        Whether what is there twice may be answers to one item.

    Returns
    -------
    pandas.DataFrame
    """
    apart = [key for key in keys if key != "system"]
    twice = frame.duplicated(keys, keep=False) if apart else np.zeros(len(frame), bool)
    whole = int(raw.duplicated().sum())
    if not twice.any():
        if apart:
            bench.fine("duplicates", f"No two rows share {' and '.join(['the system', *apart])}.")
        elif whole and _is_told_apart(raw, frame.system.nunique()):
            bench.found(
                "duplicates",
                f"{count(whole, 'row is a copy', 'rows are copies')} of another, in every column.",
                "A run that is counted twice makes the interval too short.",
                ("take the copies out of the file.",),
            )
        else:
            bench.unchecked(
                "duplicates", f"No column tells one {what} of a system from another (a seed, say)."
            )
        return frame
    first = frame[twice].drop_duplicates(keys)
    shown_rows = examples(first[keys].map(as_text).agg(" ".join, axis=1))
    n_more = int(frame.duplicated(keys).sum())
    how = bench.options.duplicates
    done = {"mean": "are averaged", "first": "give their first row alone"}.get(how)
    copies = f" ({whole:,} of them the same in every column)" if whole else ""
    ways = ["--duplicates mean: they are repetitions, and are averaged."]
    if is_repeat:
        ways += ["--map repeat=COLUMN names the column that counts the answers."]
        ways += ["--where COLUMN=VALUE keeps one filter, prompt or scorer, if that is what differs."]
    else:
        ways += ["--duplicates first: the first of them counts."]
    bench.found(
        "duplicates",
        f"{count(n_more, 'row comes', 'rows come')} again with the same {' and '.join(keys)}{copies}: "
        f"{shown_rows}.",
        f"Counted twice, {an(what)} makes the interval too short; two "
        "filters in one file compare two metrics.",
        ways,
        decided=done and f"You said --duplicates {how}: rows that share these {done}.",
    )
    if how == "first" or not how:
        bench.drop(n_more if how else 0, "rows that come again")
        return frame.drop_duplicates(keys).reset_index(drop=True)
    bench.merged.append(f"rows that come again with the same {' and '.join(keys)}, by their mean")
    return averaged(frame, keys)


def _is_told_apart(raw, n_systems):
    """Tell whether rows have more than one number: of accuracies alone two may be equal by chance."""
    return sum(raw[n].dtype.kind == "f" and raw[n].nunique() > n_systems for n in raw) > 1


def as_text(value):
    """Return a value of a column that tells rows apart, as it is printed.

    Parameters
    ----------
    value : object

    Returns
    -------
    str
    """
    return f"{value:g}" if isinstance(value, float) else shown(value)


def averaged(frame, keys):
    """Return a frame with one row for each combination of keys, the scores averaged.

    Parameters
    ----------
    frame : pandas.DataFrame
    keys : list of str

    Returns
    -------
    pandas.DataFrame
    """
    numbers = [name for name in ("score", "validation", "cost") if name in frame]
    rest = [name for name in frame.columns if name not in (*keys, *numbers)]
    grouped = frame.groupby(keys, sort=False, dropna=False)
    parts_ = [grouped[numbers].mean(), grouped[rest].first()] if rest else [grouped[numbers].mean()]
    return pd.concat(parts_, axis=1).reset_index()


def copies(frame, unit, bench, again=""):
    """Check that no two systems have the same scores throughout, and that the seeds of one differ.

    Parameters
    ----------
    frame : pandas.DataFrame
    unit : str
        The column that pairs scores of different systems, or "" where none does.
    bench : Bench
    again : str, default ""
        Which runs are copies of others, as `_copies.again` says it.
    """
    seen, same = {}, []
    for name, part in frame.groupby("system", sort=False):
        # So many scores are the same in no two systems, whichever seeds they are said to have.
        by = "" if unit == "seed" and part.score.nunique() >= _TELLING else unit
        ordered = part.sort_values(by) if by in part else part.sort_values("score")
        columns = [c for c in ("prediction", by, "score", "validation") if c in ordered]
        key = pd.util.hash_pandas_object(ordered[columns], index=False).to_numpy().tobytes()
        if len(ordered) > 2 and np.ptp(ordered.score) > 0:
            same += [(seen[key], name)] if key in seen else []
            seen.setdefault(key, name)
    still = [
        f"{shown(name)} scores {part.score.iloc[0]:.6g} with {count(len(part), 'seed')}"
        for name, part in frame.groupby("system", sort=False)
        if unit == "seed" and _is_still(part)
    ]
    if unit in ("fold", "dataset"):
        same_gap = _shifted(frame, unit, bench.options.baseline)
        still += [f"{shown(name)} is {gap:+.6g} from the baseline on every {unit}" for name, gap in same_gap]
    if same or still or again:
        pairs = "; ".join(f"{shown(a)} and {shown(b)} have the same scores throughout" for a, b in same[:3])
        bench.found(
            "copies",
            "; ".join(filter(None, [pairs, again, *still[:3]])) + ".",
            "One file may have been read twice, a run copied, or the seed was never used. (A system without "
            "chance has no seeds to vary: accept it, and say so.)",
            ("give the file that was meant, or run again with seeds that are used.",),
        )
    else:
        bench.fine("copies", "No two systems have the same scores throughout.")


def _shifted(frame, unit, baseline):
    """Return the systems whose scores are those of the baseline, all moved by as much."""
    keys = [name for name in (unit, "repeat", "seed") if name in frame]
    wide = frame.pivot_table(index=keys, columns="system", values="score", aggfunc="first").dropna()
    if baseline not in wide or len(wide) < 5:
        return []
    gaps = wide.drop(columns=baseline).sub(wide[baseline], axis=0)
    return [
        (name, gap.iloc[0]) for name, gap in gaps.items() if abs(gap.iloc[0]) > 1e-9 > gap.max() - gap.min()
    ]


def _is_still(part):
    """Tell whether the runs of a system do not differ; accuracies of a few runs may be equal by chance."""
    columns = [name for name in ("score", "validation") if name in part]
    return len(part) >= 5 - len(columns) and not np.ptp(part[columns].to_numpy(), axis=0).any()
