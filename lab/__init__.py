"""lab: what ran for the book. It records runs, judges what papers claim by them, and
feeds the pages.
"""

from pathlib import Path

import evalkit

if not (Path(__file__).resolve().parents[1] / "data" / "registry.csv").is_file():
    raise ImportError(
        "lab works on the book's files, which lie beside it in a checkout, and not"
        f" beside {__path__[0]}: install it there, by python -m pip install -e . -e"
        " ./lab"
    )
if not Path(evalkit.__file__).with_name("_api.py").is_file():
    raise ImportError(
        "lab needs the evalkit of this book, and found another project of that name"
        f" ({evalkit.__file__}): pip uninstall evalkit, then python -m pip install -e ."
        " -e ./lab in the checkout"
    )
