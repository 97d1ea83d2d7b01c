"""The cache of executed pages, keyed by all that a page can see.

By evalkit, the data, the requirements, Python and the upstream files at hand, and not by the cells alone:
a changed estimator changes the numbers of a page that was not touched.
"""

import hashlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def fingerprint(root=ROOT):
    """Return a hash of all that the cells of a page can see, besides the cells."""
    files = [root / "requirements.txt", root / "constraints.txt"]
    for folder, pattern in (("evalkit", "*.py"), ("data", "*"), ("book", "*.bib")):
        files += (root / folder).rglob(pattern)
    return _hash_of(files, root, sys.version + " ".join(_upstream_here(root)))


def _upstream_here(root):
    """Name the upstream files that are on this machine: a page shows more where it has them."""
    if not (root / "data" / "registry.csv").is_file():
        return []
    from evalkit import sources

    return [key for key in sources.registry().key if sources.place(key)]


def _hash_of(files, root, start=""):
    digest = hashlib.sha256(start.encode())
    for file in sorted(f for f in files if f.is_file() and "__pycache__" not in f.parts):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _key_the_cache(app, config):
    # A new value also makes Sphinx read every page again: myst-nb declares it as part of the environment.
    config.nb_execution_cache_path = str(ROOT / "_build" / "jupyter_cache" / fingerprint())


def _notice_assets(app, config):
    # Sphinx copies a changed style sheet only if it writes a page; a new value makes it write them all.
    config.book_assets = _hash_of((ROOT / "book" / "_assets").rglob("*"), ROOT)


def _drop_old_caches(app, exception):
    if exception is None:
        current = Path(app.config.nb_execution_cache_path)
        for other in current.parent.iterdir():
            if other != current:
                for file in sorted(other.rglob("*"), reverse=True):
                    file.rmdir() if file.is_dir() else file.unlink()
                other.rmdir()


def setup(app):
    """Register with Sphinx."""
    app.add_config_value("book_assets", "", "html", str)
    app.connect("config-inited", _key_the_cache)
    app.connect("config-inited", _notice_assets)
    app.connect("build-finished", _drop_old_caches)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
