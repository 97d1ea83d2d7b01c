"""Tables that an explorer is given: the book's, of what was simulated or trained
beforehand.
"""

from collections.abc import Mapping

import pandas as pd

from evalkit._checks import _show
from evalkit.plots import NAMES

# Of the chapters, by the name on a page.
NETWORKS = {NAMES[key]: key for key in ("lstm", "mlp")}


def check_recorded(recorded, needed, own=None, own_name=None):
    """Return the book's table, or tables, that an explorer shows where it has no data
    of a reader.

    Parameters
    ----------
    recorded : DataFrame or dict of str to DataFrame, or None
    needed : sequence of str or dict of str to sequence of str
        The columns of the table, or of each table by name.
    own : object, optional
        The reader's data.
    own_name : str, optional
        The explorer's argument for them; without one it takes none.

    Returns
    -------
    DataFrame or dict of str to DataFrame, or None
        None if the reader's data are there instead.

    Raises
    ------
    ValueError
        If there is neither or both, a table lacks columns, or it has no rows.
    """
    if own is not None:
        if recorded is not None:
            raise ValueError(
                f"give either {own_name} or recorded: a figure shows your data or the"
                " book's"
            )
        return None
    several = isinstance(needed, Mapping)
    if recorded is None:
        kind = (
            f"tables {', '.join(needed)}"
            if several
            else f"table with columns {', '.join(needed)}"
        )
        instead = f", where {own_name} of your own are not given" if own_name else ""
        raise ValueError(
            f"recorded must be the {kind}, as the chapter's page loads it{instead}"
        )
    if not several:
        return _check_table(recorded, needed, "recorded")
    if not isinstance(recorded, Mapping) or not needed.keys() <= recorded.keys():
        names = ", ".join(needed)
        raise ValueError(
            f"recorded must be a dict with the tables {names}, got {_show(recorded)}"
        )
    return {
        name: _check_table(recorded[name], columns, f"recorded[{name!r}]")
        for name, columns in needed.items()
    }


def _check_table(table, columns, name):
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"{name} must be a DataFrame, got {_show(table)}")
    if missing := [column for column in columns if column not in table]:
        raise ValueError(
            f"{name} must have the columns {', '.join(columns)}; it lacks"
            f" {', '.join(missing)}"
        )
    if table.empty:
        raise ValueError(f"{name} must have rows, got none")
    return table


def runs_of_networks(recorded):
    """Return the rows of each network of the chapters.

    Parameters
    ----------
    recorded : DataFrame
        With the column `system`.

    Returns
    -------
    dict of str to DataFrame
        By the name on a page.
    """
    runs = {name: recorded[recorded.system == key] for name, key in NETWORKS.items()}
    if any(of_network.empty for of_network in runs.values()):
        there = ", ".join(map(str, recorded.system.unique()))
        raise ValueError(
            f"recorded must have the systems {' and '.join(NETWORKS.values())}, got"
            f" {there}"
        )
    return runs
