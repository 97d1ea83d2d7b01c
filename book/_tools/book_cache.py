"""What is kept from one build to the next: pages as they were executed, and as Sphinx
read them.

The cache of executed pages is keyed by all that a page can see: by both packages, the
data, the files beside the pages, the requirements, what is installed of them, Python,
the upstream files at hand and the kernels' settings, and not by the cells alone: a
changed estimator changes the numbers of a page that was not touched. Pages are read
again by what is in their files, and not by the files' times.
"""

import hashlib
import os
import re
import shutil
import sqlite3
import sys
from contextlib import closing
from importlib import metadata
from pathlib import Path

from jupyter_cache import get_cache
from myst_nb.sphinx_ import NbMetadataCollector

ROOT = Path(__file__).resolve().parents[2]
_PINS = ("requirements.txt", "constraints.txt")


def fingerprint(root=ROOT):
    """Return a hash of all that the cells of a page can see, besides the cells."""
    files = [
        *(root / name for name in _PINS),
        root / "book" / "_tools" / "book_kernels.py",
    ]
    for folder, pattern in (("evalkit", "*.py"), ("lab", "*.py"), ("data", "*")):
        files += (root / folder).rglob(pattern)
    files += _beside_the_pages(root)
    facts = [sys.version, *_installed(root), *_upstream_here()]
    return _hash_of(files, root, "\n".join(facts))


_NOT_READ = ("_assets", "_tools", "handouts")  # folders of book/


def _beside_the_pages(root):
    """List the files that a cell may read or import where it runs: no style sheet, no
    tool, no hand-out.
    """
    pages = set(
        re.findall(
            r"(?:file|root): *(\S+)", (root / "_toc.yml").read_text(encoding="utf-8")
        )
    )
    for folder in ("book", "notebooks"):
        for file in (root / folder).rglob("*"):
            place = file.relative_to(root)
            elsewhere = place.parts[1] in _NOT_READ or re.search(
                r"(^|/)\.", place.as_posix()
            )
            if not elsewhere and place.with_suffix("").as_posix() not in pages:
                yield file


def _installed(root):
    """Name each requirement with the version that is installed, whatever the pin
    says.
    """
    text = "".join((root / name).read_text(encoding="utf-8") for name in _PINS)
    for name in sorted(set(re.findall(r"^([\w.-]+)==", text, re.MULTILINE))):
        found = [
            distribution.version for distribution in metadata.distributions(name=name)
        ]
        yield f"{name} {found}"


def _upstream_here():
    """Name the upstream files that are on this machine: a page shows more where it has
    them.
    """
    from lab.data import sources

    return [key for key in sources.registry().key if sources.location(key)]


def _hash_of(files, root, start=""):
    digest = hashlib.sha256(start.encode())
    for file in sorted(
        f for f in files if f.is_file() and "__pycache__" not in f.parts
    ):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _key_the_cache(app, config):
    folder = ROOT / "_build" / "jupyter_cache" / fingerprint()
    if folder.exists() and not _is_whole(folder):
        shutil.rmtree(folder)
    # A new value also makes Sphinx read every page again: myst-nb declares it as part
    # of the environment.
    config.nb_execution_cache_path = str(folder)


def _is_whole(folder):
    """Read all that is in a cache: a full disk, or a machine that stopped, leaves
    halves of files.
    """
    try:
        with closing(sqlite3.connect(folder / "global.db")) as database:
            if database.execute("PRAGMA quick_check").fetchall() != [("ok",)]:
                return False
        cache = get_cache(folder)
        for record in cache.list_cache_records():
            cache.get_cache_bundle(record.pk)
    except (
        Exception
    ):  # of SQLite, of JSON, of a notebook's form: whichever it is, the pages run again
        return False
    return True


def _pages_to_read(app, env, added, changed, removed):
    """Name the pages whose files are others; Sphinx looks at times, and an older file
    may take the place.
    """
    before = getattr(env, "book_files", {})
    kept = NbMetadataCollector.get_doc_data(env)
    return [
        page
        for page in env.found_docs
        if before.get(page) != _files_of(env, page)
        or kept[page].get("exec_data", {}).get("method")
        == "force"  # it speaks of its build
    ]


def _read_one(app, env, docnames):
    """Where a page is built alone, read no other but in a first build, and execute no
    other.
    """
    alone = os.environ.get("EVALKIT_PAGE")
    if alone and env.all_docs:
        docnames[:] = [alone]
    elif alone:
        others = [
            str(env.doc2path(page))
            for page in docnames
            if page not in (alone, app.config.root_doc)
        ]
        env.mystnb_config = env.mystnb_config.copy(execution_excludepatterns=others)
        app.builder.search = False  # Sphinx warns of an index that lacks them
        # Their sentences have no numbers yet.
        app.config.suppress_warnings.append("mystnb.glue")


def _note_pages(app, env):
    env.book_files = {page: _files_of(env, page) for page in env.found_docs}
    return list(env.found_docs)  # all are written


def _files_of(env, page):
    """Hash a page's source, what it includes, and what Sphinx keeps of it, which may be
    damaged.
    """
    needed = {(env.srcdir / name).resolve() for name in env.dependencies.get(page, ())}
    # For its sentences.
    glued = Path(env.mystnb_config.output_folder, f"{page}.glue.json")
    files = {
        Path(env.doc2path(page)),
        env.doctreedir / f"{page}.doctree",
        glued,
        *needed,
    }
    return _hash_of(files, Path(env.srcdir.anchor))


def _drop_old_caches(app, exception):
    # A build that runs every page itself has made no cache, and another's is not for it
    # to drop.
    alone = os.environ.get("EVALKIT_PAGE")
    if exception is None and app.config.nb_execution_mode == "cache" and not alone:
        current = Path(app.config.nb_execution_cache_path)
        for other in current.parent.iterdir():
            if other != current:
                shutil.rmtree(other)


def setup(app):
    """Register with Sphinx."""
    app.connect("config-inited", _key_the_cache)
    app.connect("env-get-outdated", _pages_to_read)
    # Before they are executed.
    app.connect("env-before-read-docs", _read_one, priority=100)
    app.connect("env-updated", _note_pages)
    app.connect("build-finished", _drop_old_caches)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
