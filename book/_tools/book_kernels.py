"""The kernels that run the cells: the same for every reader, and strict. Without it a
user's own settings change the figures, and a warning passes unseen.

As an extension of Sphinx this gives the kernels settings of their own, in _build: what
a user has set for IPython, Jupyter or Matplotlib does not reach a page, and nothing of
HOME is needed. As an extension of IPython, which each kernel loads, it makes warnings
errors and bounds what a cell may show.
"""

import io
import os
import shutil
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# characters that one cell may print: what looks at each line takes its length squared
PRINTED = 50_000
# characters that one cell may show besides: ten times what an explorer takes
SHOWN = 3_000_000

_CONFIG = """\
import sys

sys.path.append({tools!r})  # at the end: a page's own imports come first
get_config().IPKernelApp.extensions = [{name!r}]
"""


def _settle_kernels(app, config):
    home = ROOT / "_build" / "kernels"
    profile = home / "ipython" / "profile_default"
    shutil.rmtree(home, ignore_errors=True)
    profile.mkdir(parents=True)
    tools, name = str(Path(__file__).parent), Path(__file__).stem
    settings = _CONFIG.format(tools=tools, name=name)
    (profile / "ipython_kernel_config.py").write_text(settings, encoding="utf-8")
    _settle_font(home / "public-sans.ttf")
    os.environ |= {  # the kernels inherit it
        "EVALKIT_BOOK": "1",  # explorers show their form for a page
        # Figures have the type of the page.
        "EVALKIT_FONT": str(home / "public-sans.ttf"),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        # Kept: it looks at every font of the machine.
        "MPLCONFIGDIR": str(ROOT / "_build" / "matplotlib"),
    }


def _settle_font(target):
    import matplotlib as mpl  # the kernels, which load this file too, need none of it
    from keep import write_kept

    letters = ROOT / "book" / "_assets" / "fonts" / "public-sans.woff2"
    signs = Path(mpl.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")
    parts = [path.read_bytes() for path in (letters, signs, Path(__file__))]
    write_kept(target, parts, lambda path: _write_font(path, letters, signs))


def _write_font(target, letters, signs):
    """Write the pages' sans-serif in the form and the weight that Matplotlib reads.

    It has no signs and no Greek, and within a text with a formula Matplotlib looks at
    one font alone: they come from Matplotlib's own.
    """
    from fontTools import merge, subset
    from fontTools.ttLib import TTFont, scaleUpem
    from fontTools.varLib import instancer

    letters, signs = TTFont(letters), TTFont(signs)
    instancer.instantiateVariableFont(letters, {"wght": 400}, inplace=True)
    scaleUpem.scale_upem(signs, letters["head"].unitsPerEm)
    wanted = {
        code
        for code in signs.getBestCmap()
        if 0x370 <= code < 0x400 or 0x2000 <= code < 0x2800
    }
    options = subset.Options(layout_features=[], hinting=False)
    options.drop_tables += ["GDEF", "GPOS", "GSUB", "STAT", "kern"]
    parts = []
    for font, codes in (
        (letters, {*letters.getBestCmap()}),
        (signs, wanted - {*letters.getBestCmap()}),
    ):
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=codes)
        subsetter.subset(font)
        font.flavor = None
        parts.append(io.BytesIO())
        font.save(parts[-1])
    merged = merge.Merger().merge(parts)
    for record in merged["name"].names:
        if record.nameID in (1, 2, 4):
            record.string = "Regular" if record.nameID == 2 else "Public Sans"
    merged.save(target)


def setup(app):
    """Register with Sphinx."""
    app.connect("config-inited", _settle_kernels)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


class TooMuchShownError(RuntimeError):
    """A cell shows more than a page can carry."""


class _Allowance:
    """What each cell may still write."""

    def __init__(self, shell, most):
        self.most = self.left = most
        shell.events.register("pre_run_cell", self.renew)

    def renew(self, info):
        self.left = self.most

    def spend(self, size):
        self.left -= size
        if self.left < 0:
            raise TooMuchShownError(
                f"a cell may show {self.most:,} characters of this kind, and this one"
                " shows more; show a part, or a summary"
            )


def _bound(stream, allowance):
    write = stream.write

    def write_within(text):
        allowance.spend(len(text))
        return write(text)

    stream.write = write_within


def load_ipython_extension(shell):
    """Make a kernel strict.

    A page that expects a warning says so in its own cells, with
    `warnings.catch_warnings`.
    """
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", module=r"ipykernel\.")  # its own, at its end
    # Sphinx's; the processes that a cell starts may warn.
    os.environ.pop("PYTHONWARNINGS", None)
    printed, shown = _Allowance(shell, PRINTED), _Allowance(shell, SHOWN)
    for stream in (sys.stdout, sys.stderr):
        _bound(stream, printed)

    def weigh(message):
        data = message["content"].get("data", {})  # what clears a cell has none
        shown.spend(sum(len(str(shape)) for shape in data.values()))
        return message

    for place in (shell.display_pub, shell.displayhook):
        place.register_hook(weigh)
