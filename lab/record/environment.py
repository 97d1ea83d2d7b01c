"""What a number depends on besides its unit: Python, packages, machine and the version
of our own code.
"""

import contextlib
import functools
import hashlib
import platform
import subprocess
from importlib import metadata
from pathlib import Path

# What decides a number, besides our own code; recorded with every run.
_VERSIONED = ("numpy", "scipy", "pandas", "scikit-learn", "torch", "joblib")


def _cpu_model():
    """Return the model of the processor, with its family and number: a name alone
    covers unlike machines.
    """
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        facts = {}
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            facts.setdefault(name.strip(), value.strip())
        if name := facts.get("model name"):
            more = [
                f"{key} {facts[key]}" for key in ("cpu family", "model") if key in facts
            ]
            return f"{name} ({', '.join(more).removeprefix('cpu ')})" if more else name
    return platform.processor() or platform.machine()


_CHECKOUT = Path(__file__).resolve().parents[2]
_PACKAGES = ("evalkit", "lab")


@functools.cache
def source_hash():
    """Return a hash of all code of both packages, for a checkout that has no git."""
    files = (
        file for name in _PACKAGES for file in sorted((_CHECKOUT / name).rglob("*.py"))
    )
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[
        :12
    ]


def _code_version():
    """Return the commit, with a mark if a package differs from it; outside git, a hash
    of the source.
    """

    def git(*arguments):
        command = ["git", "-C", _CHECKOUT, *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        # Results that were just written do not make the code another one: only the
        # packages are asked.
        changed = git("status", "--porcelain", *_PACKAGES)
        return git("describe", "--always", "--abbrev=12") + (
            "-dirty" if changed else ""
        )
    except (OSError, subprocess.CalledProcessError):
        return "source-" + source_hash()


def _installed():
    for name in _VERSIONED:
        # A page without torch asks, too.
        with contextlib.suppress(metadata.PackageNotFoundError):
            yield name, metadata.version(name)


@functools.cache
def environment():
    """Describe what a number computed here depends on.

    Returns
    -------
    dict
        `python`, `packages` (name to version), `cpu`, `system`, `code`, and `seconds`:
        of which clock.
    """
    return {
        "python": platform.python_version(),
        "packages": dict(_installed()),
        "cpu": _cpu_model(),
        "system": f"{platform.system()} {platform.machine()}",
        "code": _code_version(),
        "seconds": "processor",
    }


def same_machine_kind(a, b):
    """Tell whether two environments should give equal numbers: same CPU, system and
    packages.

    Parameters
    ----------
    a, b : dict
        As `environment` returns them.

    Returns
    -------
    bool
    """
    return all(a[k] == b[k] for k in ("cpu", "system", "packages")) and (
        a["python"].rsplit(".", 1)[0] == b["python"].rsplit(".", 1)[0]
    )
