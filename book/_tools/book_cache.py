"""What is kept from one build to the next: pages as they were executed, and as Sphinx
read them. Without it each build executes every page.

A page as it was executed is kept under its key (page_keys.py), which changes with the
numbers of the page and with no prose. Pages are read again by their key and by what is
in their files, and not by the files' times.

Leans on `myst_nb.sphinx_.NbMetadataCollector` and on what Sphinx's environment keeps,
none of it documented.
"""

import os
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from jupyter_cache import get_cache
from myst_nb.sphinx_ import NbMetadataCollector
from page_keys import ROOT, hash_of, page_key, versions

CACHE = ROOT / "_build" / "jupyter_cache"


def cache_of(page):
    """Return the folder in which a page is kept as it was executed.

    Parameters
    ----------
    page : str
        book/splits, say.

    Returns
    -------
    Path
    """
    return CACHE / (page_key(page) or "none")


def _read_again_with_other_tools(app, config):
    """Make Sphinx read every page again after a change to what reads them: myst-nb
    declares this setting as part of the environment.
    """
    tools = (ROOT / "book" / "_tools").glob("*.py")
    reader = repr([sys.version, *versions({"jupyter_book"}, with_torch=False)])
    config.nb_execution_cache_path = str(CACHE / hash_of(tools, ROOT, reader))


def drop_halves(folder):
    """Remove a cache that is not whole: a full disk, or a machine that stopped, leaves
    halves of files.

    Parameters
    ----------
    folder : Path
    """
    if folder.exists() and not _is_whole(folder):
        shutil.rmtree(folder)


def _is_whole(folder):
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
    """Name the pages whose files or keys are others; Sphinx looks at times, and an
    older file may take the place.
    """
    before = getattr(env, "book_files", {})
    env.book_caches = {page: cache_of(page) for page in env.found_docs}
    kept = NbMetadataCollector.get_doc_data(env)
    return [
        page
        for page in env.found_docs
        if before.get(page) != _files_of(env, page)
        or kept[page].get("exec_data", {}).get("method")
        == "force"  # it speaks of its build
    ]


def _find_page(app, docname, source):
    """Let myst-nb look for the page that it reads next where that is kept."""
    env = app.env
    folder = str(env.book_caches[docname])
    env.mystnb_config = env.mystnb_config.copy(execution_cache_path=folder)


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
    return hash_of(files, Path(env.srcdir.anchor), env.book_caches[page].name)


def _drop_old_caches(app, exception):
    if exception is None and CACHE.exists() and not os.environ.get("EVALKIT_PAGE"):
        for folder in {*CACHE.iterdir()} - {*app.env.book_caches.values()}:
            shutil.rmtree(folder)


def setup(app):
    """Register with Sphinx."""
    app.connect("config-inited", _read_again_with_other_tools)
    app.connect("env-get-outdated", _pages_to_read)
    # Before they are executed.
    app.connect("env-before-read-docs", _read_one, priority=100)
    app.connect("source-read", _find_page)
    app.connect("env-updated", _note_pages)
    app.connect("build-finished", _drop_old_caches)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
