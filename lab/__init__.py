"""lab: what ran for the book. It records runs, judges what papers claim by them, and feeds the pages."""

import evalkit

if "boo" not in getattr(evalkit, "__all__", ()):
    raise ImportError(
        f"lab needs the evalkit of this book, and found another project of that name ({evalkit.__file__}): "
        "pip uninstall evalkit, then python -m pip install -e . -e ./lab in the checkout"
    )
