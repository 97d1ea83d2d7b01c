"""JupyterLab, started in this folder, opens the list of all pages as notebooks that `make book` makes."""

from pathlib import Path

MADE = Path(__file__).parent / "_build" / "html" / "_sources" / "index.ipynb"
if MADE.exists():
    get_config().LabApp.default_url = "/lab/tree/_build/html/_sources/index.ipynb"  # noqa: F821
