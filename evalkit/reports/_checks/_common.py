"""Checks of every kind of table: numbers where numbers belong, the direction, names,
the scale.
"""

import re

import numpy as np
import pandas as pd

from evalkit.reports import schema
from evalkit.reports._checks._failed import status_of
from evalkit.reports._checks._twice import NUMBERS
from evalkit.reports._faults import an, argument, count, each, examples, refusal, shown
from evalkit.reports._recognition import _metrics
from evalkit.reports._recognition._compared import is_nameless, score_direction
from evalkit.reports._recognition._seen import as_shown
from evalkit.reports._recognition._table import as_text

_SHARES = frozenset({
    "acc", "accuracy", "f1", "em", "match", "auc", "auroc", "precision", "recall", "correct", "score",
    "includes",
})  # fmt: skip
_SHARES_OF_ERRORS = frozenset(
    ["err", "error", "errors", "wer", "cer", "misclassification", "ece"]
)
_AS_THEY_ARE = (
    "seed", "fold", "item", "repeat", "dataset", "status", "label", "prediction", "filter", "text", "rater",
    "run", "trial",
)  # fmt: skip
_WORDS = {
    "true": 1.0,
    "false": 0.0,
    "yes": 1.0,
    "no": 0.0,
    "correct": 1.0,
    "incorrect": 0.0,
    "wrong": 0.0,
}
_LARGEST = 1e100
_GAP = 50  # times as far as all others
_OFF = 10  # times beyond all others
_FEW = 20  # items, each perhaps of its own kind
# Of a name; the point in 1.0 tells it from 10.
_TELLING = re.compile(r"(?<=\d)\.(?=\d)|[^\W_]|\+")


def tidy(table):
    """Return a table with a standard name for each role, numbers where numbers
    belong.
    """
    frame, roles = table.frame, table.roles
    # Both are parts of one data set that overlap.
    if "fold" not in roles and "split" in roles:
        roles = {**roles, "fold": roles["split"]}
    out = {"system": frame[roles["system"]]}
    out |= {role: frame[roles[role]] for role in _AS_THEY_ARE if role in roles}
    out |= {
        role: _numbers(frame[roles[role]], roles[role])
        for role in NUMBERS
        if role in roles
    }
    tidied = pd.DataFrame(out)
    _check_whole(tidied, roles)
    for name in {"item", "rater"} & set(tidied):  # 7 and 7.0 and "7" are one item
        tidied[name] = as_text(tidied[name])
    return tidied


_TELL_APART = ("item", "dataset", "seed", "fold", "run", "trial", "repeat", "rater")


def _check_whole(tidied, roles):
    """Refuse rows that lack what tells others of their system apart; a system may have
    no seeds at all.
    """
    for role in (role for role in _TELL_APART if role in tidied):
        empty = tidied[role].isna()
        by_system = empty.groupby(tidied.system)
        is_part = empty & (by_system.transform("sum") < by_system.transform("size"))
        if n := int((empty if role == "item" else is_part).sum()):
            column = roles[role]
            name = shown(column)
            what = (
                f"{count(n, 'row')} of {len(tidied):,} {'has' if n == 1 else 'have'} no"
                f" {name}."
            )
            why = (
                f"Nobody can say which {role} they are, and a row that is compared must"
                " be one."
            )
            ways = [
                f"--where {argument(f'{column}!=empty')} leaves them out, if the rest"
                " of the file is meant."
            ]
            if "score" in tidied and tidied.score[empty].isna().all():
                what = f"{what} Nor {'has it' if n == 1 else 'have they'} a score."
            else:
                ways.insert(0, "fill the cells in.")
            raise refusal("names", what, why, *ways)


def _numbers(values, name):
    if values.dtype.kind == "f":
        return values
    words = values.map(lambda v: str(v).strip().lower(), na_action="ignore")
    numbers = pd.to_numeric(
        words.map(_WORDS).fillna(pd.to_numeric(words, errors="coerce"))
    )
    strange = values[
        numbers.isna()
        & values.notna()
        & ~words.isin(["nan", "none", "null", "inf", "-inf"])
    ]
    if len(strange):
        of = (
            f"The scores in {shown(name)} are not numbers in"
            f" {count(len(strange), 'row')}"
        )
        why = (
            "A word has no place among scores: another column may hold them, or these"
            " rows are none."
        )
        what = f"{of}: {examples(strange.unique())}."
        mark = (
            "--right WORD, if it is the word, or the mark, of a right answer; every"
            " other is wrong then."
        )
        ways = [
            "--metric COLUMN names the scores.",
            *[mark] * bool(numbers.isna().all()),
        ]
        raise refusal(
            "scale", what, why, *ways, "mend these rows, or take them out of the file."
        )
    return numbers


def direction(table, bench):
    """Check the direction of the metric, and return it."""
    found, how = score_direction(table, bench.options)
    name = table.roles.get("score", "accuracy")
    known = table.facts.get("higher", {}).get(name)
    if known is not None and bench.options.direction and known != (found == "higher"):
        better = "higher" if known else "lower"
        what = (
            f"Of {shown(name)} the {better} is better, as the format has it, and you"
            f" say the {found}."
        )
        why = "Read the wrong way, the worse system would be called the better."
        raise refusal("direction", what, why, f"--direction {better}, or none.")
    if found == "lower" and "score" not in table.roles:
        what = (
            "Of predictions the right ones are counted, and --direction lower says that"
            " fewer are better."
        )
        own = "--metric COLUMN, a column with the error of each item."
        raise refusal(
            "direction",
            what,
            "Errors of items are another number.",
            "--direction higher",
            own,
        )
    by_name = None if is_nameless(table, bench.options) else _metrics.direction(name)
    if by_name in (None, found):
        bench.fine("direction", f"{shown(name)}: {found} is better, {how}.")
    else:
        words = (
            f"{shown(name)}: {found} is better, {how}; by its name one would think that"
            f" {by_name} is."
        )
        bench.say("direction", "note", words)
    return found


# Letters of Cyrillic and of Greek that look as Latin ones do.
_LOOK_ALIKE = str.maketrans(
    "АВЕКМНОРСТХаеорсухΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEKMHOPCTXaeopcyxABEZHIKMNOPTYXo"
)


def names(frame, bench):
    """Check that no system is written in two ways."""
    found = frame.system.unique()
    alike = {}
    for name in found:
        key = "".join(_TELLING.findall(str(name).translate(_LOOK_ALIKE).lower()))
        alike.setdefault(key, []).append(name)
    twice = [
        " and ".join(map(repr, map(shown, written)))
        for written in alike.values()
        if len(written) > 1
    ]
    if twice:
        what = (
            "Names that differ in spaces, case, signs or the alphabet alone:"
            f" {'; '.join(twice[:3])}."
        )
        why = "If they are one system, its runs would be compared with each other."
        bench.found("names", what, why, "write each system in one way.")
    else:
        bench.fine("names", f"{count(len(found), 'name')}: {examples(found, 8)}.")


def scale(frame, metric, higher, bench):
    """Check that no score is in per cent where another is a share, nor outside what the
    metric can be.
    """
    scores, words = (
        frame.score[np.isfinite(frame.score)].to_numpy(),
        {*_metrics.tokens(metric)},
    )
    is_share = bool(words & (_SHARES if higher else _SHARES_OF_ERRORS))
    small, large = scores[(scores > 0) & (scores <= 1)], scores[scores > 1.5]
    is_of_shares = is_share and words - {"score"} & _SHARES
    beyond = scores[(scores < 0) | (scores > 100)] if is_of_shares else scores[:0]
    huge, mend = (
        scores[np.abs(scores) > _LARGEST],
        "mend them, or name another column with --metric.",
    )
    if huge.size:
        what = (
            f"{count(huge.size, 'score is', 'scores are')} beyond {_LARGEST:g}:"
            f" {_few_of(huge)}."
        )
        why = (
            "No difference of such numbers can be computed, and hardly a metric has"
            " them."
        )
        bench.refuse("scale", what, why, mend)
    elif found := _code(scores, "item" in frame, higher):
        code, n, low, high = found
        what = f"{count(n, 'score is', 'scores are')} {code:.10g}, far from all others "
        what += (
            f"({low:.4g} to {high:.4g}): a code for what failed or is missing, perhaps."
        )
        of_each = (frame.score == code).groupby(frame.system, sort=False).sum()
        leave = (
            f"--where {argument(f'{metric}!={code:.15g}')} leaves"
            f" {'it' if n == 1 else 'them'} out, "
        )
        leave += "if it has nothing to do with the system."
        empty = (
            "empty such cells, if a system failed there: --failed then says what that"
            " scores."
        )
        why = (
            "As a score it would outweigh all others; left out, a failure flatters the"
            " system that failed."
        )
        bench.found("scale", f"{what} By system: {each(of_each)}.", why, leave, empty)
    elif _is_mixed(frame, small, large, is_share):
        lie = (
            f"{count(small.size, 'score lies', 'scores lie')} between 0 and 1"
            f" ({_few_of(small)})"
        )
        what = f"{lie}, {large.size:,} above 1.5 ({_few_of(large)})."
        why = "Shares and per cents in one column: their difference means nothing."
        bench.found(
            "scale", what, why, "write all of them as shares, or all in per cent."
        )
    elif far := _beyond(scores):
        what = (
            f"{count(len(far[1]), 'score is', 'scores are')} more than {_GAP} times all"
            " others, which go "
        )
        what += f"to {far[0]:.4g}: {_few_of(far[1])}."
        why = (
            "They decide the mean: perhaps errors, codes for what is missing, or runs"
            " that diverged."
        )
        bench.found("scale", what, why, mend)
    elif beyond.size:
        lie = f"{count(beyond.size, 'score lies', 'scores lie')} outside 0 to 100"
        what = f"{lie} ({shown(metric)}): {_few_of(beyond)}."
        bench.found("scale", what, "No share is below 0 or above 100 %.", mend)
    elif (
        (margin := bench.options.margin)
        and scores.size
        and margin >= np.abs(scores).max()
    ):
        seen = (
            f"The scores go from {scores.min():.4g} to {scores.max():.4g}, and the"
            f" margin is {margin:g}."
        )
        why = "Within it any two systems are as good as each other."
        bench.refuse(
            "margin",
            seen,
            why,
            "--margin NUMBER, on the scale of the scores, such as 0.01 of shares.",
        )
    elif not _sets_apart(frame, higher, bench):
        failed = status_of(frame).isin(schema.FAILED) & np.isfinite(frame.score)
        among = ", with the scores of failed rows" * bool(failed.any())
        ends = (
            f"From {scores.min():.4g} to {scores.max():.4g}{among}."
            if scores.size
            else ""
        )
        if "dataset" in frame and len({*frame.dataset}) > 1 and not is_share:
            return bench.unchecked(
                "scale", f"{ends} Whether all data sets have one unit, nothing says."
            )
        bench.fine("scale", ends or "No score is a number.")


def _sets_apart(frame, higher, bench):
    """Ask about data sets, or few items, on scales of their own; tell whether there are
    any.
    """
    role, noun = ("dataset", "data set") if "dataset" in frame else ("item", "item")
    if role not in frame or (role == "item" and frame[role].nunique() > _FEW):
        return False
    levels = (
        frame[np.isfinite(frame.score)]
        .groupby(role)
        .score.median()
        .sort_values(key=np.abs)
    )
    if off := _off(levels, higher):
        name, level, others = off
        what = (
            f"Of {as_shown(name)} the median is {level:.4g}, of all others"
            f" {others.min():.4g} to "
        )
        what += f"{others.max():.4g}."
        why = (
            f"Is it a sum, a count or a rank? If it is of {an(noun)}, it may decide the"
            " mean alone."
        )
        ways = [f"--where {argument(f'{role}!={as_shown(name)}')} leaves it out."]
    elif _are_far(levels):
        low, high = (f"{shown(levels.index[k])} {levels.iloc[k]:.4g}" for k in (0, -1))
        what = f"Medians of the {noun}s go from {low} to {high}."
        why = "If each has a scale of its own, the largest decides the mean over them."
        ways = [
            f"--where COLUMN=VALUE keeps the {noun}s of one scale, or of one metric."
        ]
        if levels.min() >= 0:  # else a ratio may turn them
            ways.append(
                f"divide the scores of each {noun} by those of one reference, a person"
                " or chance."
            )
    else:
        return False
    bench.found("scale", what, why, *ways)
    return True


def _code(scores, is_items, higher):
    """Return what may be no score, how often it is there, and the range of all others;
    or None.
    """
    values, counts = np.unique(scores, return_counts=True)
    for k, rest in ((-1, values[:-1]), (0, values[1:])) if values.size > 1 else ():
        code, n = values[k], int(counts[k])
        is_nines = abs(code) > 9 and {*f"{abs(code):.15g}"} == {"9"}
        is_code = is_nines or (
            rest.size > 1 and (code == -1 or (code == 0 and not is_items))
        )
        gap, span = min(abs(code - rest[0]), abs(code - rest[-1])), np.ptp(rest)
        # Below scores that are never negative; or one value again and again, apart from
        # ones that are not.
        is_below = (
            code < 0 <= rest[0] and rest.size > 2 and (is_nines or code in (-1, -9))
        )
        is_often = (
            n > 1 and rest.size > 20 and n == counts.max() and (counts == n).sum() == 1
        )
        is_alone = is_often and 4 * gap > span and (code != 0 or not higher)
        if (is_code and gap > span) or is_below or is_alone:
            return code, n, rest[0], rest[-1]
    return None


def _beyond(scores):
    """Return the largest of nearly all scores, and the few far beyond them; or None."""
    n, size = len(scores), np.sort(np.abs(scores))
    few = max(1, n // 20)
    low, high = size[-few - 1 : -1], size[-few:]
    gaps = np.flatnonzero(high > _GAP * low) if n > 20 and low[0] > 0 else []
    return (low[gaps[0]], high[gaps[0] :]) if len(gaps) else None


def _off(levels, higher):
    """Return the name and the level of what lies far beyond all others, if these are on
    one scale.
    """
    for k, others in (
        ((-1, levels.iloc[:-1]), (0, levels.iloc[1:])) if len(levels) > 2 else ()
    ):
        level = levels.iloc[k]
        is_one = others.min() > 0 and others.max() < _OFF * others.min()
        is_off = (
            level > _OFF * others.max()
            or 0 < level * _OFF < others.min()
            or (higher and others.max() <= 1 < level)
        )
        if is_one and is_off:
            return levels.index[k], level, others
    return ()


def _are_far(levels):
    """Tell whether the ends of sorted levels are far apart."""
    low, high = (abs(levels.iloc[k]) if len(levels) else 0 for k in (0, -1))
    # Shares and per cents are seldom.
    return high > 10 * low and (high > 100 or high > 50 * low > 0)


def _is_mixed(frame, small, large, is_share):
    """Tell whether some scores are shares and others per cents."""
    far = np.median(large) / np.median(small) if small.size and large.size else 0
    far *= not large.size or np.median(large) <= 100  # more is no per cent
    if is_share or far <= 20:
        return far > 20
    # Whole systems apart, by about a hundred; or runs, of which none lies between.
    good = frame[np.isfinite(frame.score) & (frame.score > 0)]
    levels = good.groupby("system").score.median()
    low = {*levels.index[levels <= 1]}
    is_apart = bool(low) and low.isdisjoint(frame.system[frame.score > 1.5])
    is_apart &= not levels.between(1, 1.5, inclusive="neither").any()
    spans = [np.ptp(np.log(part)) for part in (small, large)]
    are_runs = not {"item", "dataset"} & {*frame} and small.size + large.size == len(
        good
    )
    is_split = are_runs and max(spans) < np.log(large.min() / small.max())
    return 30 < far < 300 and (is_apart or is_split)


def _few_of(numbers):
    return examples([f"{value:.4g}" for value in numbers])
