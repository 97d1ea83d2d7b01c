"""inspect's .eval: an archive of JSON files, which newer versions pack by zstd.

Its members are at most 65,534, each of 128 MiB, and a GiB in all, unpacked: about a
minute and 4 GiB of memory.
"""

import importlib
import struct
import zipfile
import zlib

from evalkit.reports._faults import shown, unreadable
from evalkit.reports._formats import _limits, _values

_ZSTANDARD, _MOST, _MEMBERS = 93, 2**30, 65_534
# Of the list of members, and the longest comment after it.
_END, _COMMENT = (
    b"PK\x05\x06",
    2**16,
)
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    RuntimeError,
    OSError,
    OverflowError,
)


def log(path):
    """Return what a .eval archive holds, as the JSON form of the log has it.

    Parameters
    ----------
    path : pathlib.Path

    Returns
    -------
    dict
        Its samples as an iterator.
    """
    _check_members(path)
    try:
        with zipfile.ZipFile(path) as archive:
            infos = {info.filename: info for info in archive.infolist()}
    except (*_BROKEN, ValueError) as error:
        raise unreadable(
            path, f"it is not a whole .eval archive ({shown(error)})"
        ) from None
    if sum(info.file_size for info in infos.values()) > _MOST:
        raise unreadable(path, "unpacked it has more than a GiB", _limits.LESS)
    if "header.json" not in infos:
        raise unreadable(
            path, "the log was never finished (it has no header)", "run it to its end."
        )
    whole = _values.as_object(path, _member(path, infos["header.json"]), "header.json")
    names = [
        name for name in infos if name.startswith("samples/") and name.endswith(".json")
    ]
    return whole | {"samples": (_member(path, infos[name]) for name in names)}


def _check_members(path):
    """Refuse a list of members that is long, before it is read."""
    with open(path, "rb") as file:
        file.seek(max(0, path.stat().st_size - _COMMENT - 22))
        end = file.read().rpartition(_END)[2]
    if len(end) >= 12 and (n := struct.unpack("<H", end[6:8])[0]) > _MEMBERS:
        raise unreadable(
            path,
            f"it has more than {n - 1:,} members",
            "convert the log to JSON, by inspect.",
        )
    if len(end) >= 12 and struct.unpack("<I", end[8:12])[0] > 1000 * _MEMBERS:
        raise unreadable(
            path,
            "it is not a whole .eval archive (the list of its members is too long)",
        )


def _member(path, info):
    """Return what one JSON file of the archive holds."""
    what = f"{shown(info.filename)} in it"
    _limits.check_bytes(path, info.file_size)
    try:
        content = _unpacked(path, info)
    except (*_BROKEN, NotImplementedError) as error:
        raise unreadable(path, f"{what} cannot be unpacked ({shown(error)})") from None
    return _values.json_text(path, content, f"{what} is not whole JSON")


def _unpacked(path, info):
    if info.compress_type != _ZSTANDARD:
        with zipfile.ZipFile(path) as archive:
            return archive.read(info)
    try:
        zstandard = importlib.import_module("zstandard")
    except ModuleNotFoundError:
        ways = (
            "python -m pip install zstandard",
            "or inspect log convert --to json --output-dir DIR LOG.",
        )
        raise unreadable(
            path, "it is packed by zstd, which the package zstandard opens", *ways
        ) from None
    with open(path, "rb") as file:
        file.seek(info.header_offset)
        head = file.read(30)
        file.seek(sum(struct.unpack("<HH", head[26:])), 1)
        packed = file.read(info.compress_size)
    try:  # never more than was said, whatever the packed bytes claim
        content = (
            zstandard.ZstdDecompressor(max_window_size=2**27)
            .stream_reader(packed)
            .read(info.file_size + 1)
        )
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(error) from None
    if len(content) != info.file_size:
        raise zipfile.BadZipFile("it has another size than it says")
    return content
