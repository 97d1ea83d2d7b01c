"""The right answers to items: one for each, and written as the predictions are."""

import pandas as pd

from evalkit.reports._faults import Fault, RefusedError, count, examples, shown


def check(frame, table, bench):
    name = "label" if "label" in frame else None
    values = frame.label if name else table.frame[table.roles["key"]] if "key" in table.roles else None
    if values is None:
        bench.unchecked("key", "The right answers are not in the file.")
        return
    pairs = pd.DataFrame({"item": frame["item"], "answer": values}).drop_duplicates()
    differ = pairs["item"][pairs["item"].duplicated()].unique().tolist()
    nearly = _nearly_right(frame)
    if nearly.any():
        systems = ", ".join(f"{shown(s)} {n:,}" for s, n in frame.system[nearly].value_counts().items())
        bench.found(
            "key",
            f"{count(int(nearly.sum()), 'prediction differs', 'predictions differ')} from the right answer "
            f"in case alone ({systems}): {examples(frame.prediction[nearly].unique())} for "
            f"{examples(frame.label[nearly].unique())}.",
            "They would count as wrong.",
            ("write predictions and answers in one way.",),
        )
    elif differ:
        bench.found(
            "key",
            f"The right answer of {count(len(differ), 'item')} differs from system to system: "
            f"{examples(differ)}.",
            "They are different questions under one name, or one key was mended and the other not.",
            ("evaluate all systems with one answer key.",),
        )
    else:
        bench.fine("key", f"{count(len(pairs), 'item')}, one answer each.")


def _nearly_right(frame):
    """Tell which predictions are the right answer but for case."""
    if "prediction" not in frame or "label" not in frame or "score" in frame:
        return pd.Series(False, index=frame.index)
    said, right = (frame[name].map(_as_word) for name in ("prediction", "label"))
    return (said != right) & (said.str.casefold() == right.str.casefold())


def marked(frame):
    """Score predictions as right or wrong."""
    if "prediction" not in frame or "label" not in frame:
        raise RefusedError(
            Fault(
                "metric",
                "The items have neither a score nor both a prediction and a right answer.",
                "Without them nobody knows which answers are right.",
                (
                    "--map label=COLUMN, and --map prediction=COLUMN.",
                    "--metric COLUMN, if one holds the scores.",
                ),
            )
        )
    missing = frame.prediction.isna()
    if frame.label.isna().any():
        n = int(frame.label.isna().sum())
        raise RefusedError(
            Fault(
                "key",
                f"{count(n, 'row')} have no right answer.",
                "They can be neither right nor wrong.",
                ("fill the answers in, or take the items out.",),
            )
        )
    said, right = (frame[name].map(_as_word) for name in ("prediction", "label"))
    known = set(right)
    is_number = frame.label.dtype.kind == "f" and frame.prediction.dtype.kind == "f"
    if is_number and said.isin(known).mean() < 0.5:
        raise RefusedError(
            Fault(
                "metric",
                f"Predictions such as {examples(said.unique())} are numbers, and few are one of the "
                f"right answers, {examples(right.unique())}.",
                "Of numbers that are predicted, or of probabilities, none is right or wrong.",
                (
                    "write the error or the score of each item beside it, and name it: --metric abs_error.",
                    "or write the class that each system chose.",
                ),
            )
        )
    if not (said.isin(known)).any():
        raise RefusedError(
            Fault(
                "key",
                f"No prediction is one of the right answers: predictions are {examples(said.unique())}, "
                f"answers {examples(right.unique())}.",
                "They are written in two ways: class numbers and names, perhaps.",
                ("write both in one way.",),
            )
        )
    return frame.assign(score=(said == right).astype(float).mask(missing))


def _as_word(value):
    if isinstance(value, float):
        return "" if value != value else f"{value:g}"
    return "" if value is None else str(value).strip()
