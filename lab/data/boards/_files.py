"""Where the extracts are, and how a registered file is read for them."""

import json

import pandas as pd

from lab.data import DATA
from lab.data.sources import opened

FOLDER = DATA / "boards"


def recorded(name, **options):
    """Return an extract as a table."""
    return pd.read_csv(FOLDER / f"{name}.csv", **options)


def upstream(key, parse):
    """Return what a registered file of a board holds, as `parse` reads its text."""
    with opened(f"leaderboards/{key}") as path:
        # HANS' runs begin with a byte-order mark.
        return parse(path.read_text(encoding="utf-8-sig"))


def unique_json(text):
    """Parse JSON, but not an object that has a name twice: `json` keeps the last and
    says nothing.
    """

    def checked(pairs):
        if len(names := dict(pairs)) < len(pairs):
            raise ValueError(
                f"an object has {len(pairs)} names, of which {len(names)} are different"
            )
        return names

    return json.loads(text, object_pairs_hook=checked)


def no_doubles(table, columns):
    """Return a table, unless two of its rows are about the same thing."""
    if (double := table.duplicated(columns)).any():
        raise ValueError(
            f"a row is there twice: {table.loc[double, columns].iloc[0].to_dict()}"
        )
    return table
