"""The addresses of the distribution; all else stands in pyproject.toml.

No address is written down: the publishing workflow sets it, as it does for the book's
links.
"""

import os

from setuptools import setup

repository = os.environ.get("EVALKIT_REPOSITORY")
setup(
    project_urls=(
        {"Source": repository, "Issues": f"{repository}/issues"} if repository else {}
    )
)
