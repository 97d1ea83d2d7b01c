"""Protocol buffers without their schema, in a log of the form of LevelDB: blocks of 32 KiB."""

import struct

_BLOCK = 32768


def records(data):
    """Yield the messages of a log of LevelDB's form.

    Parameters
    ----------
    data : bytes

    Yields
    ------
    bytes
    """
    place, parts = 7, b""
    while place + 7 <= len(data):
        if (left := _BLOCK - place % _BLOCK) < 7:
            place += left
            continue
        _, size, kind = struct.unpack("<IHB", data[place : place + 7])
        parts += data[place + 7 : place + 7 + size]
        place += 7 + size
        if kind in (1, 4):  # whole, or the last part of one
            yield parts
            parts = b""


def _varint(data, place):
    value = shift = 0
    while True:
        byte = data[place]
        value, shift, place = value | (byte & 127) << shift, shift + 7, place + 1
        if byte < 128:
            return value, place


def fields(data):
    """Return the fields of a message by number.

    Parameters
    ----------
    data : bytes

    Returns
    -------
    dict of int to list of int or bytes
    """
    out, place = {}, 0
    while place < len(data):
        tag, place = _varint(data, place)
        wire = tag & 7
        if wire == 0:
            value, place = _varint(data, place)
        else:
            size, place = _varint(data, place) if wire == 2 else ({1: 8, 5: 4}[wire], place)
            value, place = data[place : place + size], place + size
        out.setdefault(tag >> 3, []).append(value)
    return out
