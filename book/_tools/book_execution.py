"""The pages are executed before Sphinx reads them, one on each core and the longest
first; and so written. Without it a book from nothing takes twice as long.

Sphinx reads a page at a time, and myst-nb executes it then. Here myst-nb's own client
does so for several at once, and leaves each in the cache, where it is found when the
page is read.

Leans on `create_client`, `create_nb_reader` and `SphinxDocLogger` of `myst_nb.core`,
none of them documented.
"""

from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path
from types import SimpleNamespace

import joblib
from book_cache import drop_halves
from book_launch import in_binder
from myst_nb.core.execute import ExecutionError, create_client
from myst_nb.core.loggers import SphinxDocLogger
from myst_nb.core.read import create_nb_reader

MOST = 4  # kernels at a time: one may take 0.8 GiB


def _execute(app, env, docnames):
    if env.mystnb_config.execution_mode != "cache":
        return
    took = {page: float(row["kernel_seconds"]) for page, row in in_binder().items()}
    pages = sorted(docnames, key=lambda page: took.get(page, 0.0), reverse=True)
    # Threads: each waits for a kernel. Two processes could give two kernels one port.
    with ThreadPoolExecutor(min(joblib.cpu_count(), MOST)) as pool:
        executions = [pool.submit(_execute_page, env, page) for page in pages]
        ended, others = wait(executions, return_when=FIRST_EXCEPTION)
        for execution in others:
            execution.cancel()
    for execution in ended:
        execution.result()  # raises what the page did


def _execute_page(env, page):
    """Execute a page whose cells are not in the cache."""
    path = env.doc2path(page)
    text = Path(path).read_text(encoding="utf-8")
    reader = create_nb_reader(path, env.myst_config, env.mystnb_config, text)
    if reader is None:  # it has no cells
        return
    notebook = reader.read(text)
    if "execution_mode" in notebook.metadata.get("mystnb", {}):
        return  # it is executed when it is read
    document = SimpleNamespace(
        settings=SimpleNamespace(env=SimpleNamespace(docname=page))
    )
    logger = SphinxDocLogger(document)
    folder = env.book_caches[page]
    drop_halves(folder)
    config = env.mystnb_config.copy(execution_cache_path=str(folder))
    try:
        create_client(notebook, path, config, logger, reader.read_fmt).start_client()
    except ExecutionError:
        raise  # the page has said why
    except Exception as error:  # its kernel died, for want of memory say
        logger.warning(
            f"Executing notebook failed: {type(error).__name__}: {error}",
            subtype="exec",
        )
        raise


def _write_on_each_core(app, env):
    # Not earlier: Jupyter Book's numbering of parts does not say whether pages can be
    # read so.
    app.parallel = joblib.cpu_count()


def setup(app):
    """Register with Sphinx."""
    app.connect("env-before-read-docs", _execute)
    app.connect("env-updated", _write_on_each_core)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
