"""Parquet, by pyarrow where it is installed: at most 5 million cells, and 256 MiB
unpacked.
"""

import importlib

from evalkit.reports._faults import RefusedError, count, examples, shown, unreadable
from evalkit.reports._formats import _limits

_UNPACKED = 2**28
# As pyarrow's are.
_BROKEN = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    MemoryError,
    NotImplementedError,
)


def read(path):
    """Return the table of a file, and its columns of bytes."""
    try:
        parquet, types = (
            importlib.import_module(f"pyarrow.{name}") for name in ("parquet", "types")
        )
    except ImportError as error:
        ways = ("python -m pip install pyarrow", "or save the table as CSV.")
        what = f"a Parquet file needs the package pyarrow to be opened ({shown(error)})"
        raise unreadable(path, what, *ways) from None
    try:
        about = parquet.read_metadata(path)
        _limits.check_table(path, about.num_rows, about.num_columns)
        if (
            sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
            > _UNPACKED
        ):
            raise unreadable(
                path,
                f"unpacked it has more than {_UNPACKED / 2**20:g} MiB",
                _limits.LESS,
            )
        kinds = {field.name: field.type for field in parquet.read_schema(path)}
        others = [n for n, kind in kinds.items() if types.is_binary(kind)]
        if nested := [n for n, kind in kinds.items() if types.is_nested(kind)]:
            hold = count(len(nested), "column holds", "columns hold")
            what = f"{hold} lists or objects: {examples(nested)}"
            raise unreadable(
                path,
                what,
                "give each value a column of its own, or leave the column out.",
            )
        texts = [name for name, kind in kinds.items() if types.is_string(kind)]
        with parquet.ParquetFile(
            path, read_dictionary=texts
        ) as file:  # a text that comes again is held once
            kept = [name for name in kinds if name not in others]
            whole = file.read(columns=kept)
    except RefusedError:
        raise
    except _BROKEN as error:
        raise unreadable(
            path, f"it is not a whole Parquet file ({shown(error)})"
        ) from None
    try:
        frame = whole.to_pandas(ignore_metadata=True).rename(columns=str)
    except _BROKEN as error:
        what = f"it holds a value that is none in a table ({shown(error)})"
        raise unreadable(
            path, what, "leave that column out, or write its values as text."
        ) from None
    for _, values in frame.select_dtypes("category").items():
        lengths = values.cat.categories.astype(str).str.len().to_numpy()
        _limits.check_bytes(path, int(lengths[values.cat.codes[values.notna()]].sum()))
    return frame, others
