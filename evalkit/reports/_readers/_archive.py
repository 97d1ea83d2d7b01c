"""inspect's .eval: an archive of JSON files, which newer versions pack by zstd."""

import importlib
import json
import struct
import zipfile

from evalkit.reports._faults import unreadable

_ZSTANDARD, _MOST = 93, 2**30


def log(path):
    """Return what a .eval archive holds, as the JSON form of the log has it.

    Parameters
    ----------
    path : pathlib.Path

    Returns
    -------
    dict
    """
    try:
        with zipfile.ZipFile(path) as archive:
            infos = {info.filename: info for info in archive.infolist()}
            if sum(info.file_size for info in infos.values()) > _MOST:
                raise unreadable(path, "unpacked it has more than a GiB")
            if "header.json" not in infos:
                raise unreadable(path, "the log was never finished (it has no header)", "run it to its end.")
            whole = json.loads(_member(path, archive, infos["header.json"]))
            names = [name for name in infos if name.startswith("samples/") and name.endswith(".json")]
            return whole | {"samples": [json.loads(_member(path, archive, infos[name])) for name in names]}
    except (zipfile.BadZipFile, json.JSONDecodeError, KeyError) as error:
        raise unreadable(path, f"it is no whole .eval archive ({error})") from None


def _member(path, archive, info):
    if info.compress_type != _ZSTANDARD:
        return archive.read(info)
    try:
        zstandard = importlib.import_module("zstandard")
    except ModuleNotFoundError:
        ways = ("python -m pip install zstandard", "or inspect log convert --to json --output-dir DIR LOG.")
        raise unreadable(path, "it is packed by zstd, which the package zstandard opens", *ways) from None
    with open(path, "rb") as file:
        file.seek(info.header_offset)
        head = file.read(30)
        file.seek(sum(struct.unpack("<HH", head[26:])), 1)
        packed = file.read(info.compress_size)
    return zstandard.ZstdDecompressor().decompress(packed, info.file_size)
