"""LiveCodeBench: of ten answers that a language model gave to an item, how many were
right.
"""

import functools

import pandas as pd

from evalkit._checks import check_choice
from lab.data.boards._files import recorded, unique_json, upstream

_ANSWERS = 10
_KEY = {"generation": ["question_id"], "execution": ["question_id", "sample_id"]}
_FACTS = {"generation": ["date", "platform", "difficulty"], "execution": ["date"]}
# For each table, its task and what the file calls the share of answers that are right,
# in percent.
_TABLES = {
    "generation": ("generation", "pass@1"),
    "execution": ("execution", "Pass@1"),
    "execution_cot": ("execution", "Pass@1-COT"),
}
TABLES = tuple(_TABLES)


def livecodebench(table):
    """Return how often each model answers each item of LiveCodeBench correctly.

    Parameters
    ----------
    table : {"generation", "execution", "execution_cot"}
        400 problems to be solved by a program; 479 programs, from 92 problems, whose
        output is to be told; the same with a chain of thought before the answer.

    Returns
    -------
    items : pandas.DataFrame
        One row an item: `question_id` (the problem), `date` on which it was published,
        and more.
    shares : pandas.DataFrame of float, shape (n_items, n_models)
        The share of right answers, of ten with few exceptions ("(n=1)" in a name: of
        one); a column for each model.

    References
    ----------
    Jain et al. (2024), "LiveCodeBench: Holistic and contamination free evaluation of
    large language models for code".
    """
    check_choice(table, "table", TABLES)
    task, _ = _TABLES[table]
    answers = recorded(f"livecodebench_{table}", dtype={"question_id": str})
    facts = [*_KEY[task], *_FACTS[task]]
    items = answers[facts].assign(date=pd.to_datetime(answers.date))
    return items, answers.drop(columns=facts) / _ANSWERS


def cutoffs():
    """Return until when each model may have seen the problems that were published, as
    the board takes it.

    Returns
    -------
    pandas.Series of datetime64
        By the name of the model. (The board's file calls it the date of release; of
        several models it lies months before that, near the end of their training data.)
    """
    return (
        recorded("livecodebench_models", parse_dates=["cutoff"])
        .set_index("model")
        .cutoff
    )


def _upstream(task):
    return upstream(f"livecodebench.github.io/performances_{task}.json", unique_json)


def _models():
    models = pd.DataFrame(_upstream("generation")["models"])
    days = pd.to_datetime(models.release_date, unit="ms").dt.date
    return pd.DataFrame({"model": models.model_repr, "cutoff": days}).to_csv(
        index=False
    )


def _answers(table):
    task, column = _TABLES[table]
    rows = pd.DataFrame(_upstream(task)["performances"])
    # Five problems have two dates a day apart: the earlier one.
    rows["date"] = pd.to_datetime(
        rows.groupby(_KEY[task]).date.transform("min"), unit="ms"
    ).dt.date
    rows["right"] = (rows[column] * _ANSWERS / 100).round(4)
    rows = rows[rows.right >= 0]  # -1 where there is none: such a model is left out
    wide = rows.pivot_table(
        index=_KEY[task] + _FACTS[task], columns="model", values="right"
    )
    if wide.isna().any(axis=None):
        raise ValueError(f"{table}: a model has answers to some items only")
    return wide.reset_index().to_csv(index=False, float_format="%.5g")


MAKERS = {
    f"livecodebench_{table}": functools.partial(_answers, table) for table in TABLES
}
MAKERS["livecodebench_models"] = _models
