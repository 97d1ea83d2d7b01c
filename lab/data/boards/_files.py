"""Where the extracts are, and how a registered file is read for them."""

import csv
import io
import json

import pandas as pd

from lab.data import DATA
from lab.data.sources import opened

FOLDER = DATA / "boards"


def recorded(name, **options):
    """Return an extract as a table."""
    return pd.read_csv(FOLDER / f"{name}.csv", **options)


def upstream(key, parse, folder="leaderboards"):
    """Return what a registered file of a board holds, as `parse` reads its text."""
    with opened(f"{folder}/{key}") as path:
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


def json_lines(text):
    """Parse a JSON object a line."""
    return [unique_json(line) for line in text.splitlines() if line]


def tabs(text, **options):
    """Parse a table with tabs, in which quotation marks are text: a reader that takes
    them for CSV's loses rows.
    """
    options = {
        "sep": "\t",
        "quoting": csv.QUOTE_NONE,
        "keep_default_na": False,
    } | options
    return pd.read_csv(io.StringIO(text), **options)


def no_doubles(table, columns):
    """Return a table, unless two of its rows are about the same thing."""
    if (double := table.duplicated(columns)).any():
        raise ValueError(
            f"a row is there twice: {table.loc[double, columns].iloc[0].to_dict()}"
        )
    return table
