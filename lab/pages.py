"""What pages share: the book-keeping of their sentences, and checks of answers."""

import hashlib
import re

import numpy as np


def keep(values=None, /, **named):
    """Keep values for the sentences of a page, under the names by which the text asks
    for them.

    Where nothing glues them into a text, in a plain notebook, there is nothing to do.

    Parameters
    ----------
    values : dict of str to object, optional
        For names that are computed.
    **named
        Numbers, or words that are laid out already.
    """
    try:
        from myst_nb import glue
    except ModuleNotFoundError:
        return
    for name, value in {**(values or {}), **named}.items():
        # NumPy writes its numbers with their type, which is nothing for a sentence.
        glue(
            name,
            value.item() if isinstance(value, np.generic) else value,
            display=False,
        )


def check_answer(answer, sealed, *, hint, within=None):
    """Say whether an answer is right, and not which answer would be.

    The seal keeps an answer from being read. It is not a lock: numbers can be tried
    until one fits.

    Parameters
    ----------
    answer : float or str
    sealed : str
        What `seal` makes of the right one.
    hint : str
        A sentence that helps after a wrong answer.
    within : float, optional
        How far off a number may be: up to this it passes, from twice as far on it does
        not.

    Raises
    ------
    AssertionError
        With the hint.
    """
    near = (
        [answer] if within is None else [answer + step * within for step in (-1, 0, 1)]
    )
    if sealed not in [seal(one, within) for one in near]:
        raise AssertionError(f"Not yet. {hint}")
    print("Right.")


def seal(answer, within=None):
    """Return what a page may show of an answer, for `check_answer`.

    Parameters
    ----------
    answer : float or str
    within : float, optional
        As `check_answer` has it.

    Returns
    -------
    str
    """
    # No "-0".
    steps = (
        answer if within is None else f"{np.round(float(answer) / within) + 0.0:.0f}"
    )
    return hashlib.sha256(f"{steps} {within}".encode()).hexdigest()[:8]


def recorded_row(experiment, table, **where):
    """Return the one row of a recorded table that a sentence is about.

    Parameters
    ----------
    experiment, table : str
    **where
        Values of columns.

    Returns
    -------
    pandas.Series

    Raises
    ------
    ValueError
        If none or several rows have these values.
    """
    from lab.record import tables

    rows = tables.load_recorded(experiment, table)
    for column, value in where.items():
        rows = rows[rows[column] == value]
    if len(rows) != 1:
        raise ValueError(f"{table}: {len(rows)} rows have {where}; name one")
    return rows.iloc[0]


def right_of_seeds():
    """Return which test items each recorded seed of the two networks has right.

    Returns
    -------
    dict of str to ndarray of bool, shape (n_seeds, n_items)
        By network, "mlp" and "lstm"; items as in the recorded table `test_items`.
    """
    from lab.data import datasets  # other pages need none of this
    from lab.experiments import pools
    from lab.record import tables

    runs, items = (
        tables.load_recorded("pools", table) for table in ("seeds", "test_items")
    )
    labels = items.package.map(datasets.PACKAGES.index).to_numpy()
    return {
        system: (
            np.array(
                [
                    pools.unpack_predictions(p, len(labels))
                    for p in of_system.test_predictions
                ]
            )
            == labels
        )
        for system, of_system in runs.groupby("system")
    }


# What runs the whole of an experiment, on every page that shows a slice of it.
RUN = "lab run {} --export --folder again"
CHECK = "lab scorecard --check --paper {}"


def command(paper):
    """Return the commands that run a whole experiment again and check its record, to be
    displayed.

    Parameters
    ----------
    paper : str

    Returns
    -------
    IPython.display.Markdown
    """
    from IPython.display import Markdown

    return Markdown(f"```bash\n{RUN.format(paper)}\n{CHECK.format(paper)}\n```")


def right_of_models():
    """Return which of 900 inputs each of the twelve language models judges rightly, by
    template.

    Returns
    -------
    dict of str to DataFrame
        By a short name of the model; a column for each of four templates, named by
        what it asks for. A verdict that could not be read is wrong.
    """
    from lab.data import boards

    asked = {
        "1": "T1: \u201cerror\u201d or \u201cno error\u201d",
        "2": "T2: \u201cno error\u201d or \u201cerror\u201d",
        "3": "T3: \u201cnot valid\u201d or \u201cvalid\u201d",
        "4": "T4: \u201cvalid\u201d or \u201cnot valid\u201d",
    }
    rows = boards.realmistake()
    rows = rows[rows.template.isin(asked)]
    table = (
        rows.assign(right=rows.verdict.eq(rows.label))
        .pivot(index=["model", "item"], columns="template", values="right")
        .rename(columns=asked)
    )
    ends = "-Instruct.*|-(?i:chat).*|-preview|-2024.*|-001|-it|-0125$"
    return {
        re.sub(ends, "", model): of_model.droplevel("model")
        for model, of_model in table.groupby("model")
    }
