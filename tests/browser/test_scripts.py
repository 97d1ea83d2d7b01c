"""The book's scripts as a whole: linted, and few enough to be read."""

import re
import subprocess

import pytest
from conftest import AXE

from evalkit.explore._play import ASSETS

ROOT = AXE.parents[4]
SCRIPTS = sorted([*ASSETS.glob("*.js"), *(ROOT / "book" / "_assets").glob("*.js")])
ESLINT = AXE.parents[1] / ".bin" / "eslint"


def test_the_linter_finds_nothing():
    if not ESLINT.exists():
        pytest.skip(
            "ESLint is not installed: npm install --prefix _build/axe eslint@9.39.1"
            " globals@16.5.0"
        )
    command = [ESLINT, "--config", "book/_tools/eslint.config.mjs", *SCRIPTS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_all_scripts_together_are_small():
    text = [
        re.sub(r"/\*.*?\*/", "", script.read_text("utf-8"), flags=re.DOTALL)
        for script in SCRIPTS
    ]
    lines = [line.strip() for script in text for line in script.splitlines()]
    code = sum(bool(line) and not line.startswith("//") for line in lines)
    assert 1000 < code <= 2600  # of the 3,000 that the design allows, with comments
