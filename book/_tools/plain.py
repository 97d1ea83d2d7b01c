"""Build the book without Jupyter Book: plain Sphinx, with what is newest of it and of
its theme.

    python book/_tools/plain.py            build into _build/plain/html

Jupyter Book 1 is only maintained, and this shows each week that the book can leave it.
`jupyter-book config sphinx` writes the settings. The extensions that they name are
installed as the package index has them today, beside what requirements.txt pins, in an
environment of its own; every cell is run there. Nothing of the normal build is read or
changed. A warning is a fault here too.
"""

import os
import re
import runpy
import shutil
import subprocess
import sys
import time
from pathlib import Path

from build import WARM
from filelock import FileLock

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(__file__).resolve().parent
PLAIN = ROOT / "_build" / "plain"
PYTHON = (
    ROOT / "_build" / "plain-env" / ("Scripts" if os.name == "nt" else "bin") / "python"
)

# What Jupyter Book adds for itself, and no page uses.
_ADDED = ("jupyter_book", "sphinx_comments", "sphinx_jupyterbook_latex", "sphinx_thebe")
_CONFIG = "from jupyter_book.cli.main import main; main()"
_VERSIONS = """
import sys
from importlib import metadata
for name in sys.argv[1:]:
    print(f"  {name} {metadata.version(name)}")
"""


def settle():
    """Write conf.py, and name the extensions that it needs installed."""
    PLAIN.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "_config.yml", PLAIN)  # conf.py is written beside it
    command = [
        sys.executable,
        "-c",
        _CONFIG,
        "config",
        "sphinx",
        "--config",
        PLAIN / "_config.yml",
        ROOT,
    ]
    subprocess.run(command, check=True)
    given = runpy.run_path(str(PLAIN / "conf.py"))
    changed = {
        "extensions": [name for name in given["extensions"] if name not in _ADDED],
        "nb_execution_mode": "force",
        # Sphinx seeks these beside conf.py, and Jupyter Book where the book is.
        "bibtex_bibfiles": [str(ROOT / file) for file in given["bibtex_bibfiles"]],
        "html_static_path": [
            str(ROOT / folder) for folder in given["html_static_path"]
        ],
        "html_favicon": str(ROOT / given["html_favicon"]),
    }
    with open(PLAIN / "conf.py", "a", encoding="utf-8") as file:
        # And it does not say where a local extension is.
        file.write(f"import sys\nsys.path.append({str(TOOLS)!r})\n")
        file.writelines(f"{name} = {value!r}\n" for name, value in changed.items())
    own = {path.stem for path in TOOLS.glob("*.py")}
    return [
        n for n in changed["extensions"] if n not in own and not n.startswith("sphinx.")
    ]


def install(extensions):
    """Install the newest Sphinx with these extensions, and the pinned packages that the
    cells need.
    """
    files = ("requirements-light.txt", "requirements.txt")
    pinned = "".join((ROOT / file).read_text(encoding="utf-8") for file in files)
    wanted = PLAIN / "requirements.txt"
    lines = re.findall(r"^(?!jupyter-book)[\w.-]+==\S+", pinned, re.MULTILINE)
    lines += ["sphinx", *(re.sub(r"[._]", "-", name) for name in extensions)]
    wanted.write_text("\n".join(lines), encoding="utf-8")
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", PYTHON.parents[1]], check=True)
    pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    newest = ["--upgrade", "--upgrade-strategy", "eager"]
    subprocess.run([*pip, *newest, "-r", wanted], check=True)
    subprocess.run([*pip, "--no-deps", "-e", ROOT, "-e", ROOT / "lab"], check=True)


def build():
    """Build the book and return the exit status."""
    for folder in ("html", "doctrees"):
        shutil.rmtree(PLAIN / folder, ignore_errors=True)
    environment = {
        **os.environ,
        "PYTHONWARNINGS": "ignore",  # of the tools; in the kernels warnings are errors
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "2"),
        "NO_COLOR": "1",
    }
    subprocess.run([PYTHON, "-c", WARM], check=True, env=environment)
    strict = ["-n", "-W", "--keep-going", "-w", PLAIN / "warnings.txt"]
    places = ["-c", PLAIN, "-d", PLAIN / "doctrees", ROOT, PLAIN / "html"]
    command = [PYTHON, "-m", "sphinx", *strict, *places]
    return subprocess.run(command, check=False, env=environment, cwd=ROOT).returncode


def main():
    """Make the environment, build in it, and say with what and how long."""
    start = time.perf_counter()
    extensions = settle()
    install(extensions)
    # A build gives the kernels their settings, so there is one at a time.
    with FileLock(ROOT / "_build" / "build.lock"):
        status = build()
    packages = ["sphinx", "docutils", "myst-parser", "pydata-sphinx-theme"]
    packages += [re.sub(r"[._]", "-", name) for name in extensions]
    print(f"\n{time.perf_counter() - start:.0f} s, with", flush=True)
    subprocess.run([PYTHON, "-c", _VERSIONS, *packages], check=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
