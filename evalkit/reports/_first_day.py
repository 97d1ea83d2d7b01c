"""`evalkit init FOLDER`: what a laboratory needs from the first day, as files of its
own.
"""

import os
from importlib import resources
from pathlib import Path

from evalkit._files import write_atomically
from evalkit.reports._refused import shown

# A folder that begins with a point cannot be packaged.
_FILES = {
    "README.md": "README.md",
    "train.py": "train.py",
    ".github/pull_request_template.md": "github/pull_request_template.md",
    ".github/workflows/results.yml": "github/workflows/results.yml",
}


def make(folder):
    """Make the folder; what is there, a link too, is left as it is.

    Parameters
    ----------
    folder : path-like

    Returns
    -------
    list of str
        A line for each file, and what to do next.
    """
    folder, lines = Path(folder), []
    for place in (folder, folder / ".github", folder / ".github" / "workflows"):
        # Before anything is written, and not by way of a link to somewhere else.
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            what = "a link" if place.is_symlink() else "a file"
            raise ValueError(
                f"FOLDER must be a folder, and {shown(place)} is {what}; name another"
                " place"
            )
    for inside, source in _FILES.items():
        if os.path.lexists(path := folder / inside):
            lines.append(f"left as it is: {shown(path)}")
        else:
            template = resources.files("evalkit.reports") / "folder" / source
            write_atomically(path, template.read_bytes())
            lines.append(f"wrote {shown(path)}")
    read = f"Read {shown(folder / 'README.md')}: four agreements to fill in, and the"
    return [*lines, f"{read} first commands."]
