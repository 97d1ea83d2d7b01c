"""Tests that read upstream files skip, with a reason, where there are none."""

import pytest

from lab.data import sources


def needs(*keys):
    """Mark a test as needing some files of the registry."""
    missing = [key for key in keys if not sources.available(key)]
    return pytest.mark.skipif(
        bool(missing),
        reason=f"{', '.join(missing)}: neither in EVALKIT_MIRROR nor in the cache",
    )


def damaged(content, rng):
    """Damage bytes somewhere: other bytes, lost ones, doubled ones, or ones from
    elsewhere.
    """
    content = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        at, to = sorted(rng.integers(0, len(content) + 1, 2))
        match rng.integers(6):
            case 0:
                content[at : at + 1] = rng.bytes(1)
            case 1:
                content[at : at + 1] = bytes(
                    [content[at % len(content)] ^ 1 << rng.integers(8)]
                )
            case 2:
                content[at : at + rng.integers(1, 9)] = rng.bytes(4)
            case 3:
                del content[at:to]
            case 4:
                content[at:at] = content[at:to]
            case 5:
                del content[at:]
        content = content or bytearray(b"?")
    return bytes(content)
