"""`evalkit init FOLDER`: what a laboratory needs from the first day, as files of its
own.
"""

import os
from importlib import resources
from pathlib import Path

from evalkit._files import write_atomically
from evalkit.reports._refused import shown


def _templates():
    """Yield the place of each file and its content; a folder that begins with a point
    cannot be packaged.
    """
    root = resources.files("evalkit.reports") / "folder"
    open_folders = [(root, Path())]
    while open_folders:
        folder, place = open_folders.pop()
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
            inside = place / (".github" if entry.name == "github" else entry.name)
            if entry.is_dir() and entry.name != "__pycache__":
                open_folders.append((entry, inside))
            elif entry.is_file():
                yield inside, entry.read_bytes()


def _check_folders(folders):
    """Refuse, before anything is written, a folder that is none, or a link to somewhere
    else.
    """
    for folder in folders:
        if folder.is_symlink():
            raise ValueError(
                f"FOLDER must be no link, and {shown(folder)} is one; name the place"
                " itself"
            )
        if folder.exists() and not folder.is_dir():
            raise ValueError(
                f"FOLDER must be a folder, and {shown(folder)} is a file; name another"
                " place"
            )


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
    contents = sorted(_templates())
    _check_folders(
        [folder / inside for place, _ in contents for inside in place.parents]
    )
    for place, content in contents:
        path = folder / place
        if os.path.lexists(path):
            lines.append(f"left as it is: {shown(path)}")
        else:
            write_atomically(path, content)
            lines.append(f"wrote {shown(path)}")
    return [
        *lines,
        (
            f"Read {shown(folder / 'README.md')}: four agreements to fill in, and the"
            " first commands."
        ),
    ]
