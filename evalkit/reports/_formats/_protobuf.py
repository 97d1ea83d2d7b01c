"""Protocol buffers without their schema, in a log of the form of LevelDB: blocks of 32 KiB.

A log is read once from its beginning to its end, in time and memory in proportion to it.
"""

import struct

_BLOCK = 32768
_WHOLE, _LAST = 1, 4  # kinds of parts: a record, or the end of one
_LONGEST = 2**24  # bytes of one record
_DIGITS = 10  # bytes of a number of 64 bits
_FIXED = {1: 8, 5: 4}  # bytes by wire type


def records(data):
    """Yield the messages of a log of LevelDB's form; the last one may have been cut off.

    Parameters
    ----------
    data : bytes

    Yields
    ------
    bytes

    Raises
    ------
    ValueError
        Where it is no such log.
    """
    place, parts, length = 7, [], 0
    while place + 7 <= len(data):
        if (left := _BLOCK - place % _BLOCK) < 7:
            place += left
            continue
        _, size, kind = struct.unpack("<IHB", data[place : place + 7])
        if not kind:  # the rest of the block was never written
            place += left
            continue
        if kind > _LAST or size > left - 7:
            raise ValueError(f"byte {place:,} begins no part of a record")
        if place + 7 + size > len(data):
            return
        parts.append(data[place + 7 : place + 7 + size])
        place, length = place + 7 + size, length + size
        if length > _LONGEST:
            raise ValueError(f"a record is longer than {_LONGEST / 2**20:g} MiB")
        if kind in (_WHOLE, _LAST):
            yield b"".join(parts)
            parts, length = [], 0


def _varint(data, place):
    value = 0
    for k in range(_DIGITS):
        if place + k >= len(data):
            raise ValueError("a number is cut off")
        byte = data[place + k]
        value |= (byte & 127) << 7 * k
        if byte < 128:
            return value, place + k + 1
    raise ValueError("a number is longer than 64 bits")


def fields(data):
    """Return the fields of a message by number.

    Parameters
    ----------
    data : bytes

    Returns
    -------
    dict of int to list of int or bytes

    Raises
    ------
    ValueError
        Where it is no message.
    """
    out, place = {}, 0
    while place < len(data):
        tag, place = _varint(data, place)
        wire = tag & 7
        if wire == 0:
            value, place = _varint(data, place)
        else:
            if wire != 2 and wire not in _FIXED:
                raise ValueError(f"there is no wire type {wire} in it")
            size, place = _varint(data, place) if wire == 2 else (_FIXED[wire], place)
            if place + size > len(data):
                raise ValueError("a field is cut off")
            value, place = data[place : place + size], place + size
        out.setdefault(tag >> 3, []).append(value)
    return out


def message(value):
    """Return the fields of a field that must be a message."""
    return fields(as_bytes(value))


def as_bytes(value):
    """Return a field that must be bytes."""
    if not isinstance(value, bytes):
        raise ValueError("a number stands where text or a message belongs")
    return value
