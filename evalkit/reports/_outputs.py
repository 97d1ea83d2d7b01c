"""Where a report may be written: never over what it reads, nor through a link that
nobody named.
"""

import os
from pathlib import Path

from evalkit._files import identities, no_file
from evalkit.reports._faults import placed

_FORMS = {".html": "html", ".htm": "html", ".md": "markdown", ".py": "code"}


def form(path):
    """Return the form in which a report is written to a file, by its ending."""
    path = Path(path)
    if path.suffix.lower() not in _FORMS:
        raise ValueError(f"path must end in {', '.join(_FORMS)}, got {path.name!r}")
    return _FORMS[path.suffix.lower()]


FORMS = tuple(sorted({*_FORMS.values()}))


def check(outputs, inputs):
    """Refuse places that cannot be written to without a loss."""
    taken = {
        key: (place, "the report reads")
        for place in inputs
        for key in identities(place)
    }
    for place in outputs:
        if what := no_file(place):
            raise ValueError(
                f"{placed(place)} is {what}, where a file should be; name another place"
            )
        keys = identities(place)
        for other, why in [taken[key] for key in keys if key in taken][:1]:
            over = f"{placed(place)} would be written over {placed(other)}"
            raise ValueError(f"{over}, which {why}; name another place")
        taken |= dict.fromkeys(keys, (place, "is to be written as well"))


def check_unnamed(place, option):
    """Refuse a default that is a link: whoever calls has not named what it leads to."""
    if os.path.islink(place):
        link = (
            f"{placed(place)} is a link, and nothing is written through a link that"
            " nobody named"
        )
        raise ValueError(f"{link}; take it away, or name a place by {option}")
