"""The right answers to items: one for each, and written as the predictions are."""

import numpy as np
import pandas as pd

from evalkit._numbers import percent
from evalkit.reports._faults import argument, count, examples, shown
from evalkit.reports._recognition._seen import as_shown

_MOSTLY = 0.75  # of the predictions: classes are right more often
_CLASSES = 20  # whole numbers that are predicted are more
_NUMBERS = (
    "Of numbers that are predicted, or of probabilities, none is right or wrong.",
    (
        "write the error or the score of each item beside it, and name it: --metric"
        " abs_error."
    ),
    "or write the class that each system chose.",
)
_TWO_WAYS = "They are written in two ways: class numbers and names, perhaps."


def check(frame, table, bench):
    """Check that each item has one right answer, and that no prediction misses it by
    how it is written.
    """
    values = frame.label if "label" in frame else table.column("key")
    if values is None:
        bench.unchecked("key", "No column is known to hold the right answers.")
        return
    pairs = (
        pd.DataFrame({"item": frame["item"], "answer": values})
        .dropna()
        .drop_duplicates()
    )
    differ = pairs["item"][pairs["item"].duplicated()].unique().tolist()
    is_asked = {"prediction", "label"} <= {*frame} and "score" not in frame
    read = frame.reindex(columns=["system", "prediction", "label"])[
        : len(frame) * is_asked
    ]
    nearly = _nearly_right(read)
    if nearly.any():
        systems = ", ".join(
            f"{shown(s)} {n:,}" for s, n in read.system[nearly].value_counts().items()
        )
        said, right = (
            examples(read[name][nearly].unique()) for name in ("prediction", "label")
        )
        differ = count(int(nearly.sum()), "prediction differs", "predictions differ")
        how = (
            f"{differ} from the right answer in case, a full stop or the order of parts"
        )
        what = f"{how} ({systems}): {said} for {right}."
        bench.found(
            "key",
            what,
            "They would count as wrong.",
            "write predictions and answers in one way.",
        )
    elif two := _two_marks(read):
        name = table.roles["prediction"]
        right = examples(sorted(set(_words(read.label))))
        what = f"{shown(name)} says {examples(two)}, and the right answers are {right}."
        way = f"--metric {argument(name)}, if it says whether an answer is right."
        bench.found(
            "key", what, "Perhaps it marks answers, and is not an answer itself.", way
        )
    elif (strange := _strange(read)).any():
        of, said, right = (
            examples(read[name][strange].unique())
            for name in ("system", "prediction", "label")
        )
        what = (
            f"No prediction of {of} is one of the right answers: predictions are"
            f" {said}, answers {right}."
        )
        bench.found("key", what, _TWO_WAYS, "write both in one way.")
    elif (against := _against(frame, table, bench.options.direction)) > 0.5:
        what = (
            f"In {percent(against)} of the rows {shown(table.roles['correct'])} says"
            " the opposite of what "
        )
        what += "the prediction and the right answer say."
        why = (
            "It may count the errors; then the worse system would be called the better."
        )
        turned = (
            f"--metric {argument(table.roles['correct'])} --direction lower, if 1 is an"
            " error."
        )
        bench.refuse("key", what, why, "mend one of the columns.", turned)
    elif (wrong := _wrong_numbers(read)).nunique().max() > _CLASSES and _go_together(
        wrong, len(read)
    ):
        what = (
            f"Predictions such as {examples(wrong.prediction.map(as_shown))} are"
            " numbers, and the wrong "
        )
        what += (
            f"ones lie near the right answers, {examples(wrong.label.map(as_shown))}."
        )
        is_class = 2 * read.prediction.isin(set(read.label)).sum() >= len(read)
        (bench.found if is_class else bench.refuse)("key", what, *_NUMBERS)
    elif differ:
        what = (
            f"The right answer of {count(len(differ), 'item')} differs from system to"
            " system"
        )
        why = (
            "They are different questions under one name, or one key was mended and the"
            " other not."
        )
        bench.found(
            "key",
            f"{what}: {examples(differ)}.",
            why,
            "evaluate all systems with one answer key.",
        )
    elif against:
        words = (
            f"{shown(table.roles['correct'])} is compared: in {percent(against, 1)} of"
            " the rows it says "
        )
        words += "otherwise than the prediction beside the right answer."
        bench.say("key", "note", words)
    else:
        bench.fine("key", f"{count(len(pairs), 'item')}, one answer each.")


def _against(frame, table, direction):
    """Return the share of rows whose column of right and wrong contradicts prediction
    and right answer.
    """
    is_said = (
        "correct" in table.roles and table.roles.get("score") == table.roles["correct"]
    )
    if (
        not is_said
        or not {"prediction", "label"} <= {*frame}
        or not set(frame.score.dropna()) <= {0.0, 1.0}
    ):
        return 0.0
    there = frame[["prediction", "label", "score"]].dropna()
    is_right = (
        _words(there.prediction).str.casefold() == _words(there.label).str.casefold()
    )
    return (
        float((is_right != (there.score == (direction != "lower"))).mean())
        if len(there)
        else 0.0
    )


def _wrong_numbers(frame):
    """Return predictions that are numbers, and wrong, beside the right answers."""
    are_numbers = frame.prediction.dtype.kind == frame.label.dtype.kind == "f"
    return frame.loc[
        (frame.prediction != frame.label) & are_numbers, ["prediction", "label"]
    ]


def _go_together(wrong, n):
    """Tell whether wrong predictions lie near the right answers; of mostly wrong ones,
    go with them.
    """
    return wrong.corr().iloc[0, 1] > (0.9 if len(wrong) < _MOSTLY * n else 0.3)


def _nearly_right(frame):
    """Tell which predictions are the right answer but for case, a full stop and the
    order of parts.
    """
    said, right = (_words(frame[name]) for name in ("prediction", "label"))
    differ = said != right
    alike = [
        words[differ].str.casefold().str.removesuffix(".").map(_parts)
        for words in (said, right)
    ]
    return (alike[0] == alike[1]).reindex(differ.index, fill_value=False)


def _two_marks(frame):
    """Return the two words of which all predictions are one, where answers have more
    and lack one.
    """
    said, right = (
        set(_words(frame[name].dropna())) for name in ("prediction", "label")
    )
    return sorted(said) if len(said) == 2 < len(right) and not said <= right else ()


def _parts(words):
    return sorted(
        part.strip() for part in words.replace(",", ";").replace("|", ";").split(";")
    )


def _strange(frame):
    """Tell which predictions are of a system that gives none of the right answers,
    where another does.
    """
    if frame.prediction.dtype.kind == frame.label.dtype.kind == "f":
        return pd.Series(False, index=frame.index)
    is_known = (
        _words(frame.prediction).isin(set(_words(frame.label)))
        | frame.prediction.isna()
    )
    return ~is_known.groupby(frame.system).transform("any") & is_known.any()


def marked(frame, bench):
    """Score predictions as right or wrong."""
    if "prediction" not in frame or "label" not in frame:
        bench.refuse(
            "metric",
            "The items have neither a score nor both a prediction and a right answer.",
            "Without them nobody knows which answers are right.",
            "--map label=COLUMN, and --map prediction=COLUMN.",
            "--metric COLUMN, if one holds the scores.",
        )
    if n := int(frame.label.isna().sum()):
        what, mend = (
            count(n, "row has", "rows have"),
            "fill the answers in, or take the items out.",
        )
        gold = "--gold FILE names the one of these files that holds the right answers."
        bench.refuse(
            "key",
            f"{what} no right answer.",
            "They can be neither right nor wrong.",
            mend,
            gold,
        )
    said, right = (_words(frame[name]) for name in ("prediction", "label"))
    is_known, seen, key = (
        said.isin(set(right)),
        examples(said.unique()),
        examples(right.unique()),
    )
    if (
        frame.label.dtype.kind == frame.prediction.dtype.kind == "f"
        and is_known.mean() < 0.5
    ):
        bench.refuse(
            "metric",
            f"Predictions such as {seen} are numbers, and few are one of the right"
            f" answers, {key}.",
            *_NUMBERS,
        )
    if any(
        (words.str.startswith("[") & words.str.endswith("]")).any()
        for words in (said, right)
    ):
        bench.refuse(
            "metric",
            f"Predictions or right answers are lists: predictions are {seen}, answers"
            f" {key}.",
            "Whether one of several answers is enough, or all are needed, nothing"
            " says.",
            "write beside each prediction whether it is right, 1 or 0, in a column"
            " `correct`.",
        )
    if not is_known.any():
        what = (
            f"No prediction is one of the right answers: predictions are {seen},"
            f" answers {key}."
        )
        bench.refuse("key", what, _TWO_WAYS, "write both in one way.")
    return frame.assign(
        score=(said == right).astype(float).mask(frame.prediction.isna())
    )


def _words(values):
    """Return values as text: 7 and 7.0 and "7" are one, and an empty cell is none."""
    codes, different = pd.factorize(values)
    words = [
        f"{value:g}" if isinstance(value, float) else str(value).strip()
        for value in different
    ]
    return pd.Series(np.array([*words, ""], dtype=object)[codes], index=values.index)
