"""Tests that read upstream files skip, with a reason, where there are none."""

import pytest

from evalkit import sources


def needs(*keys):
    """Mark a test as needing some files of the registry."""
    missing = [key for key in keys if not sources.available(key)]
    return pytest.mark.skipif(
        bool(missing), reason=f"{', '.join(missing)}: neither in EVALKIT_MIRROR nor in the cache"
    )
