"""Parquet, by pyarrow where it is installed: at most 10 million cells, and 1 GiB unpacked."""

import importlib

from evalkit.reports._faults import RefusedError, shown, unreadable
from evalkit.reports._readers import _limits

_UNPACKED = 2**30
_BROKEN = (OSError, ValueError, TypeError, LookupError, MemoryError, NotImplementedError)  # as pyarrow's are


def read(path):
    """Return the table of a file.

    Parameters
    ----------
    path : pathlib.Path

    Returns
    -------
    pandas.DataFrame
    """
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        ways = ("python -m pip install pyarrow", "or save the table as CSV.")
        what = f"a Parquet file needs the package pyarrow to be opened ({shown(error)})"
        raise unreadable(path, what, *ways) from None
    try:
        with parquet.ParquetFile(path) as file:
            about = file.metadata
            _limits.check_table(path, about.num_rows, about.num_columns)
            sizes = [about.row_group(k).total_byte_size for k in range(about.num_row_groups)]
            if sum(sizes) > _UNPACKED:
                raise unreadable(path, "unpacked it has more than a GiB", _limits.LESS)
            return file.read().to_pandas(ignore_metadata=True).rename(columns=str)
    except RefusedError:
        raise
    except _BROKEN as error:
        raise unreadable(path, f"it is no whole Parquet file ({shown(error)})") from None
