"""Make the extracts again from the registered files: `python -m lab.data.boards`."""

from evalkit._files import write_atomically
from lab.data.boards import EXTRACTS, extract
from lab.data.boards._files import FOLDER

if __name__ == "__main__":
    for name in EXTRACTS:
        write_atomically(FOLDER / f"{name}.csv", extract(name).encode())
