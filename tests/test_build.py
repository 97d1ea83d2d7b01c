"""The build of the book: when a page runs again, and what a failing cell leaves
behind.
"""

import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import joblib
import nbformat
import psutil
import pytest
import yaml
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document
from grids import grid
from jupyter_client.manager import start_new_kernel
from matplotlib import font_manager
from packaging.specifiers import SpecifierSet
from sphinx import addnodes

from lab import pages
from lab.data import cache_folder

ROOT = Path(__file__).resolve().parents[1]

PAGE = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
    format_version: 0.13
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# {title}

```{{code-cell}} ipython3
{code}
```
"""


def load_extension(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"book/_tools/{name}.py")
    module = importlib.util.module_from_spec(spec)
    # They import one another, as Sphinx lets them.
    with pytest.MonkeyPatch.context() as path:
        path.syspath_prepend(ROOT / "book/_tools")
        spec.loader.exec_module(module)
    return module


def make_checkout(tmp_path):
    """Make a small copy of the repository: two pages, the real package, tools and
    settings.
    """
    for name in ("_config.yml", "requirements-light.txt", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    for folder in ("evalkit", "lab", "book/_tools", "book/_assets"):
        shutil.copytree(
            ROOT / folder,
            tmp_path / folder,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    shutil.copy(ROOT / "book/references.bib", tmp_path / "book")
    (tmp_path / "data").mkdir()
    for name in ("docstrings.csv", "registry.csv"):
        shutil.copy(ROOT / "data" / name, tmp_path / "data")
    for beside in ("data/facts.csv", "book/facts.csv", "book/helper.py"):
        (tmp_path / beside).write_text("a = 1\n")
    (tmp_path / "_toc.yml").write_text(
        "format: jb-book\nroot: book/first\nchapters:\n  - file: book/second\n",
        encoding="utf-8",
    )
    write(tmp_path, "first", "print(1)")
    write(tmp_path, "second", "print(2)")
    return tmp_path


@pytest.fixture
def unbuilt(tmp_path):
    """A small repository whose book was never built."""
    return make_checkout(tmp_path)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    made = make_checkout(tmp_path_factory.mktemp("built"))
    status, ran, said = build(made)
    assert (status, ran) == (0, {"first", "second"}), said
    return made


@pytest.fixture
def checkout(built, tmp_path):
    """A copy of a small repository and its book."""
    return shutil.copytree(built, tmp_path / "checkout")


def write(checkout, name, code):
    page = PAGE.format(title=f"The {name} page", code=code)
    (checkout / f"book/{name}.md").write_text(page, encoding="utf-8")


def build(checkout, *arguments, **environment):
    """Build and return (exit status, names of the pages whose cells were run, all
    output).
    """
    done = subprocess.run(
        [sys.executable, "book/_tools/build.py", *arguments],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    log = (checkout / "_build/build.log").read_text(encoding="utf-8")
    return (
        done.returncode,
        set(re.findall(r"book/(\w+)\.md: Executed notebook", log)),
        done.stdout + done.stderr,
    )


MODULES = {
    "evalkit/near.py": """\
        from evalkit import far

        def near(x):
            \"\"\"Nearly.\"\"\"
            return far.far(x) + 1

        def aside():
            return 1
        """,
    "evalkit/far.py": """\
        import scipy

        from evalkit import _deep

        def far(x):
            return _deep.TABLE[0] + scipy.special.expit(x)
        """,
    "evalkit/_deep.py": "TABLE = [0]\nTABLE[0] = 2\n",
    "lab/told.py": """\
        def told():
            \"\"\"So.\"\"\"
            return 1

        def words():
            return told.__doc__
        """,
    "lab/listed/__init__.py": "from lab.listed.table import MAKERS\n",
    "lab/listed/table.py": "MAKERS = {}\n",
    "lab/listed/one.py": "from lab.listed.table import MAKERS\nMAKERS['a'] = 1\n",
    "lab/named.py": "def main():\n    return 1\n",
    "data/recorded/pool/runs.csv": "a\n1\n",
    "data/recorded/unread/runs.csv": "a\n1\n",
    "book/beside.csv": "a\n1\n",
}
CELLS = """\
import evalkit as ek
from evalkit.near import near
from lab import listed, told
from lab.record import tables

near(1), listed, ek.holm, told.words()
tables.load_recorded("pool", "runs"), open("beside.csv"), "lab.named"
"""


@pytest.fixture
def keyed(unbuilt):
    """A small repository, with modules and data of which its first page uses some."""
    for name, text in MODULES.items():
        (unbuilt / name).parent.mkdir(parents=True, exist_ok=True)
        (unbuilt / name).write_text(textwrap.dedent(text), encoding="utf-8")
    write(unbuilt, "first", CELLS)
    return unbuilt


def keys(checkout):
    page_key = load_extension("page_keys").page_key
    return [page_key(f"book/{page}", checkout) for page in ("first", "second")]


@grid(
    "changed, before, after, runs_again",
    [
        ("evalkit/near.py", "+ 1", "+ 2", True),
        ("evalkit/_deep.py", "TABLE[0] = 2", "TABLE[0] = 3", True),  # two imports deep
        ("evalkit/significance.py", "def holm(", "def holm(extra=None, *, ", True),
        ("lab/told.py", '"""So.', '"""So?', True),  # the page shows it
        ("lab/listed/one.py", "= 1", "= 2", True),  # which is imported by nobody
        ("lab/named.py", "return 1", "return 2", True),
        ("data/recorded/pool/runs.csv", "1", "2", True),
        ("book/beside.csv", "1", "2", True),
        ("book/first.md", "near(1)", "near(2)", True),
        ("evalkit/near.py", '"""Nearly.', '# A comment.\n    """Almost.', False),
        ("evalkit/near.py", "return 1", "return 2", False),  # which nothing calls
        ("evalkit/raters.py", "def agreement(", "def agreement(extra=None, *, ", False),
        ("data/recorded/unread/runs.csv", "1", "2", False),
        ("book/first.md", "# The first page", "# Other prose", False),
        ("constraints.txt", "numpy==", "numpy==1", False),  # what is installed counts
    ],
)
def test_a_page_runs_again_for_what_it_reaches_and_for_nothing_else(
    keyed, changed, before, after, runs_again
):
    first, second = keys(keyed)
    text = text_of(keyed / changed)
    assert before in text
    (keyed / changed).write_text(text.replace(before, after), encoding="utf-8")
    now = keys(keyed)
    (keyed / changed).write_text(text, encoding="utf-8")
    assert (now[0] != first, now[1] != second) == (runs_again, False)


@grid("cells", ["help(near)", "%timeit near(1)", "print(near.__doc__)"])
def test_a_page_that_shows_docstrings_runs_again_for_one(keyed, cells):
    write(keyed, "first", f"from evalkit.near import near\n{cells}")
    first, _ = keys(keyed)
    module = keyed / "evalkit/near.py"
    text = text_of(module)
    module.write_text(text.replace("Nearly", "Almost"), encoding="utf-8")
    now, _ = keys(keyed)
    module.write_text(text, encoding="utf-8")
    assert now != first


@pytest.fixture
def versions(monkeypatch):
    """Return the versions that packages seem to have; what has none is not there."""
    found, versions = metadata.distribution, {}

    def distribution(name):
        if name not in versions:
            return found(name)
        if versions[name] is None:
            raise metadata.PackageNotFoundError(name)
        needed = () if name == "torch" else found(name).requires
        return SimpleNamespace(version=versions[name], requires=needed)

    monkeypatch.setattr(metadata, "distribution", distribution)
    return versions


def test_a_page_runs_again_for_another_version_of_what_it_uses(versions, keyed):
    """Of scipy, which a module two imports deep uses, and of what that needs."""
    first, second = keys(keyed)
    for name, runs_again in [("scipy", True), ("numpy", True), ("optuna", False)]:
        versions[name] = "0.1"
        assert (keys(keyed)[0] != first) is runs_again
        assert keys(keyed)[1] == second
        versions.clear()


def test_torch_counts_for_pages_that_use_it_alone(versions, keyed):
    for cells, counts in [
        ("from lab.models import train_texts", False),
        ("import torch", True),
        ("from lab.light import use_record\nuse_record('splits')\nimport torch", True),
    ]:
        write(keyed, "first", cells)
        versions["torch"] = "2"
        first, _ = keys(keyed)
        versions["torch"] = None
        assert (keys(keyed)[0] != first) is counts


# The first is Debian 12's own.
@grid("python", ["3.11.2", "3.12.1", "3.13.0"])
def test_each_pin_can_be_installed(python):
    pins = re.findall(
        r"^([\w.-]+)==", (ROOT / "constraints.txt").read_text(), re.MULTILINE
    )
    needs = {pin: metadata.metadata(pin).get("Requires-Python") for pin in pins}
    assert [
        pin
        for pin, need in needs.items()
        if not SpecifierSet(need or "").contains(python)
    ] == []


def test_a_page_that_is_mended_already_stays_as_it_is(tmp_path):
    page = tmp_path / "page.html"
    formula = '<span class="math"><math><mi>n</mi></math></span>'
    page.write_text(
        f"<p>if ({formula}), {formula}, and {formula} too</p><th>&nbsp;</th>",
        encoding="utf-8",
    )
    app = SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html"))
    mend = load_extension("book_pages")._mend_html
    mend(app, None)
    once = page.read_text(encoding="utf-8")
    assert once.count('<span class="together">') == 2
    mend(app, None)
    assert page.read_text(encoding="utf-8") == once


SOLUTION = "```{admonition} Solution\n:class: dropdown\nBy hand.\n```"
IMAGE = {"image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg"/>'}


def cell_of(code, *tags, shows=None):
    outputs = [nbformat.v4.new_output("display_data", shows)] if shows else []
    return nbformat.v4.new_code_cell(
        code, metadata={"tags": list(tags)}, outputs=outputs
    )


def fold(folder, *cells):
    """Build cells, which have outputs, into a page; return its text, the warnings and
    the status.
    """
    cells = [
        nbformat.v4.new_markdown_cell(cell) if isinstance(cell, str) else cell
        for cell in cells
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata.language_info = {"name": "python", "pygments_lexer": "ipython3"}
    nbformat.write(notebook, folder / "index.ipynb")
    conf = f"import sys; sys.path.append({str(ROOT / 'book/_tools')!r})\n"
    conf += "extensions = ['myst_nb', 'book_folds']; nb_execution_mode = 'off'"
    (folder / "conf.py").write_text(conf, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        folder,
        folder / "html",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    page = (folder / "html/index.html").read_text(encoding="utf-8")
    return (
        BeautifulSoup(page, "html.parser").select_one("div.body"),
        done.stderr,
        done.returncode,
    )


@pytest.fixture(scope="module")
def folded(tmp_path_factory):
    page, said, status = fold(
        tmp_path_factory.mktemp("folded"),
        "# A page",
        cell_of("import this", "hide-input", "setup"),
        cell_of("print(this)"),
        cell_of("a", "hide-input", shows=IMAGE),
        cell_of("b", "hide-input", shows={"text/html": "<b>"}),
        cell_of("c", "hide-input"),
        cell_of("d", "hide-cell", shows=IMAGE),
        SOLUTION,
        cell_of("one = 1", "solution"),
        cell_of("two = 2", "hide-input", "solution", shows=IMAGE),
        "## Further reading\n\nThe end.",
    )
    assert (status, said) == (0, "")
    return page


@pytest.mark.slow
def test_the_code_of_a_solution_is_in_its_fold(folded):
    solution = folded.select_one(".admonition.dropdown")
    assert [code.get_text().strip() for code in solution.select(".cell_input")] == [
        "one = 1",
        "two = 2",
    ]
    assert len(solution.select(".cell_output img")) == 1
    assert solution.select("details") == []  # it is the one fold


def test_the_set_up_is_folded_at_the_end_of_the_page(folded):
    words = folded.get_text()
    assert (
        words.index("print(this)")
        < words.index("The end.")
        < words.index("import this")
    )
    set_up = folded.select("details")[-1]
    assert set_up.summary.get_text().split() == ["Set-up"] * 2  # closed, and open
    assert (
        set_up.select_one("p:not(.admonition-title)")
        .get_text()
        .startswith("Run this first")
    )
    assert set_up.find_parent("section").find(recursive=False).name == "h1"
    # What the copy button looks for.
    assert len(set_up.select("div.cell_input div.highlight pre")) == 1


def test_what_is_folded_says_what_it_is_after_what_it_makes(folded):
    labels = [details.p.get_text() for details in folded.select("details")]
    assert labels == [
        "Code of this figure",
        "Code",
        "Code",
        "Code and result",
        "Set-up",
    ]
    cells = folded.select(
        "div.cell.tag_hide-input:not(.tag_solution):has(> .cell_output)"
    )
    assert [
        [child.name for child in cell.find_all(recursive=False)] for cell in cells
    ] == [["div", "details"]] * 2


@pytest.mark.slow
def test_code_that_cannot_be_placed_fails_the_build(tmp_path):
    alone = [cell_of("one = 1", "solution") for _ in range(4)]
    plain, other = (
        SOLUTION.replace(":class: dropdown\n", ""),
        SOLUTION.replace("Sol", "Ev"),
    )
    page, said, status = fold(
        tmp_path,
        *("# A page", cell_of("import this", "setup", shows=IMAGE)),
        *(alone[0], plain, alone[1], SOLUTION, "A word.", alone[2], other, alone[3]),
    )
    assert status != 0
    assert said.count("must show nothing") == 1
    assert (
        said.count("must follow an admonition 'Solution'")
        == page.get_text().count("one = 1")
        == 4
    )


def test_a_page_without_torch_says_once_what_is_recorded(monkeypatch, tmp_path):
    folds = load_extension("book_folds")
    monkeypatch.setattr(folds.light, "PAGES", tmp_path)
    key = folds.light.cell_key("needs()")
    (tmp_path / "page.json").write_text(json.dumps({"cells": {key: []}}))
    cells = [
        nodes.container(
            "",
            nodes.container(
                "", nodes.literal_block(text=code), nb_element="cell_code_source"
            ),
            nodes.container("", nb_element="cell_code_output"),
        )
        for code in ("needs()", "runs()", "needs()")
    ]
    page = nodes.section("", nodes.title(text="A page"), *cells)
    document = new_document("page")
    document += page
    folds._mark_recorded(document, "book/other", cells)
    assert len(page) == 4
    folds._mark_recorded(document, "book/page", cells)
    assert [cell["classes"] for cell in cells] == [["recorded"], [], ["recorded"]]
    assert [node.astext() for node in page[:2]] == ["A page", folds.RECORDED]
    assert len(page) == 5


def test_type_is_set_in_what_is_read_and_nowhere_else():
    mend = load_extension("book_pages").mend_type
    for written, wanted in [
        (
            "<p>95 % of <span>76</span> %, 5\n%, 9%</p>",
            "<p>95\xa0% of <span>76</span>\xa0%, 5\xa0%, 9\xa0%</p>",
        ),
        (
            "<td>-0.3</td> (-2) ±-.5 10<sup>-6</sup>",
            "<td>−0.3</td> (−2) ±−.5 10<sup>−6</sup>",
        ),
        ("<p>t with G - 1; Fig. 7.4</p>", "<p>t with G\xa0−\xa01; Fig.\xa07.4</p>"),
        ("<p>Fig. Mo.2 is a figure.</p>", "<p>Fig.\xa0Mo.2 is a figure.</p>"),
    ]:
        assert mend(written) == mend(wanted) == wanted
    for kept in (
        (
            "<p>2 to 3, 1-3, 2026-11-05, GPT-4, <span>3</span>-5, 10.1007/978-3,"
            " f(x)-1, a - but, %, 5%20</p>"
        ),
        (
            "<pre>x = -1 % 3</pre><code>a - 1</code><math><mo>-1</mo></math><p"
            " title='-1 %'></p>"
        ),
        (
            '<script>-1 %</script><svg><text>-1</text></svg><dt class="sig'
            ' py">n=<span>-1</span></dt>'
        ),
    ):
        assert mend(kept) == kept


def test_figures_are_drawn_in_the_type_of_the_pages(tmp_path):
    sources = (
        ROOT / "book/_assets/fonts/public-sans.woff2",
        font_manager.findfont("DejaVu Sans"),
    )
    load_extension("book_kernels")._write_font(tmp_path / "font.ttf", *sources)
    font = font_manager.get_font(str(tmp_path / "font.ttf"))
    assert (font.family_name, font.style_name) == ("Public Sans", "Regular")
    assert all(font.get_char_index(ord(sign)) for sign in "aZ09é−≥μσ∞→✓")


def test_a_file_is_made_again_when_what_it_is_made_of_changes(tmp_path):
    write_kept = load_extension("keep").write_kept
    made = []

    def make(path):
        made.append(len(made))
        path.write_text(f"made {len(made)}", encoding="utf-8")

    target, kept = tmp_path / "page" / "font.ttf", tmp_path / "kept"
    for parts, wanted in [
        ([b"a", b"b"], "1"),
        ([b"a", b"b"], "1"),
        ([b"ab"], "2"),
        ([b"a", b"b"], "3"),
    ]:
        target.unlink(missing_ok=True)
        write_kept(target, parts, make, kept)
        assert target.read_text(encoding="utf-8") == f"made {wanted}"
        assert len(list(kept.iterdir())) == 1


def test_a_page_runs_again_where_more_upstream_files_are_here(monkeypatch, tmp_path):
    key = "tang2020/hedwig.tsv"
    monkeypatch.setenv("EVALKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("EVALKIT_MIRROR", str(tmp_path))
    pages = ("notebooks/tang2020", "book/twelve_models")
    reads, does_not = map(load_extension("page_keys").page_key, pages)
    (tmp_path / key).parent.mkdir()
    (tmp_path / key).touch()
    now = [*map(load_extension("page_keys").page_key, pages)]
    assert now[0] != reads
    assert now[1] == does_not


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("notebooks/*.ipynb")), ids=lambda path: path.stem
)
def test_notebooks_in_git_have_no_outputs(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [
        cell["source"]
        for cell in code
        if cell["outputs"] or cell["execution_count"] is not None
    ] == []


REPOSITORY = "https://github.com/example/evalkit-book"


def test_a_chapter_as_a_notebook_is_valid_and_empty_of_outputs():
    source = ROOT / "book/splits.md"
    notebook = load_extension("book_notebooks").notebook_of(source)
    assert notebook.metadata.kernelspec.name == "python3"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) > 5
    assert not any(cell.outputs or cell.execution_count for cell in code)
    _, *code = code  # what it needs
    folded = [
        cell for cell in code if cell.metadata.get("jupyter", {}).get("source_hidden")
    ]
    assert folded == [
        cell
        for cell in code
        if {"hide-input", "hide-cell", "setup"} & {*cell.metadata.get("tags", ())}
    ]
    assert 0 < len(folded) < len(code)
    assert notebook == load_extension("book_notebooks").notebook_of(source), (
        "each build writes the same"
    )


def first_cell_of(page):
    return load_extension("book_notebooks").notebook_of(ROOT / page).cells[0].source


def test_a_notebook_says_first_how_to_get_what_it_imports(tmp_path, monkeypatch):
    monkeypatch.delenv("EVALKIT_REPOSITORY", raising=False)
    code = first_cell_of("book/splits.md")
    assert all(len(line) <= 78 for line in code.splitlines())
    # A file of the reader's is not taken for the laboratory, and can be imported too.
    (tmp_path / "lab.py").write_text("raise SystemExit('shadowed')")
    (tmp_path / "own.py").write_text("")
    (tmp_path / "cell.py").write_text(f"{code}\nimport own, lab.pages")
    run = [sys.executable, "-c", "exec(open('cell.py').read())"]
    where = {"cwd": tmp_path, "capture_output": True, "text": True}
    installed = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(run, env=installed, **where, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    alone = [sys.executable, "-I", "-S", *run[1:]]
    done = subprocess.run(alone, **where, check=False)
    said = done.stderr.splitlines()
    assert "ModuleNotFoundError: evalkit is not installed here." in said[-2]
    assert said[-1].endswith("-r requirements-light.txt -e . -e ./lab")


def test_a_notebook_for_colab_fetches_evalkit_from_the_repository(monkeypatch):
    monkeypatch.delenv("EVALKIT_REPOSITORY", raising=False)
    source = ROOT / "notebooks/tang2020.ipynb"
    plain = load_extension("book_notebooks").notebook_of(source)
    assert "git clone" not in str(plain)
    monkeypatch.setenv("EVALKIT_REPOSITORY", REPOSITORY + "/")
    monkeypatch.setenv("EVALKIT_BRANCH", "next")
    first, *rest = load_extension("book_notebooks").notebook_of(source).cells
    assert (
        f"git clone --quiet --depth 1 --branch next {REPOSITORY} evalkit-book"
        in first.source
    )
    assert "-e evalkit-book -e evalkit-book/lab\n" in first.source
    assert [cell.source for cell in rest] == [cell.source for cell in plain.cells[1:]]


def test_dois_are_asked_where_no_publisher_answers():
    ask = load_extension("book_launch")._ask_the_handle_system
    assert (
        ask(None, "https://doi.org/10.1007/BF02295996")
        == "https://doi.org/api/handles/10.1007/BF02295996"
    )
    assert ask(None, "https://arxiv.org/abs/1707.05589") is None


def test_colab_is_offered_on_github_alone(monkeypatch):
    for address, offered in (
        (REPOSITORY, True),
        ("https://gitlab.com/example/book", False),
        ("", None),
    ):
        monkeypatch.setenv("EVALKIT_REPOSITORY", address)
        config = SimpleNamespace(html_theme_options={})
        load_extension("book_launch")._set_repository(None, config)
        assert (
            "colab_url" in config.html_theme_options.get("launch_buttons", ())
        ) == bool(offered)
        assert bool(config.html_theme_options) == (offered is not None)


def test_an_entry_of_the_index_leads_to_the_section_after_it_or_around_it():
    def mark(name):
        return addnodes.index(entries=[("single", name, name, "", None)])

    inner = nodes.section("", nodes.title(), mark("within"), nodes.paragraph())
    after = nodes.section("", nodes.title(), ids=["after"])
    inner["ids"] = ["inner"]
    inner += [mark("before"), nodes.target(refid="label")]
    whole = nodes.section("", nodes.title(), inner, after, ids=["whole"])
    entries = {"page": [("single", n, n, "", None) for n in ("within", "before")]}
    env = SimpleNamespace(
        docname="page", get_domain=lambda _: SimpleNamespace(entries=entries)
    )
    load_extension("book_index")._lead_to_sections(SimpleNamespace(env=env), whole)
    assert [entry[2] for entry in entries["page"]] == ["inner", "after"]


def test_a_reader_can_survey_the_contents():
    toc = yaml.safe_load(text_of(ROOT / "_toc.yml"))
    pages = {*re.findall(r"(?:file|root): *(\S+)", text_of(ROOT / "_toc.yml"))}
    assert len(pages) <= 56, "56 pages at most: let two that are read together be one"
    (first, *_) = toc["parts"]
    before = {entry["file"] for entry in first["chapters"]}
    assert len(before) <= 8, "eight doors at most before the chapters"
    assert not any("sections" in entry for entry in first["chapters"])


def test_each_page_with_cells_was_run_in_binder():
    names = re.findall(
        r"(?:file|root): *(\S+)", (ROOT / "_toc.yml").read_text(encoding="utf-8")
    )
    with_cells = {
        name
        for name in names
        for file in (ROOT / f"{name}.md", ROOT / f"{name}.ipynb")
        if file.exists() and "kernelspec" in file.read_text(encoding="utf-8")
    }
    measured = set(load_extension("book_launch").in_binder())
    assert measured == with_cells, (
        "`make binder` measures the pages of _toc.yml that have cells"
    )


def buttons(checkout, page):
    """Return the address of each link in the menus above a page, by its words."""
    soup = BeautifulSoup(
        (checkout / f"_build/html/{page}.html").read_text(encoding="utf-8"),
        "html.parser",
    )
    return {
        link.get_text(strip=True): link["href"]
        for link in soup.select(".article-header-buttons li a")
    }


@pytest.mark.slow
def test_what_is_offered_above_a_page(checkout):
    """With a repository, and without one: on a chapter, on a notebook, and on a page
    without cells.
    """
    toc = checkout / "_toc.yml"
    toc.write_text(
        toc.read_text() + "  - file: book/plain\n  - file: notebooks/paper\n",
        encoding="utf-8",
    )
    (checkout / "book/plain.md").write_text("# Notation & words\n", encoding="utf-8")
    (checkout / "notebooks").mkdir()
    cells = [
        nbformat.v4.new_markdown_cell("# Paper"),
        nbformat.v4.new_code_cell("print(4)"),
    ]
    kernel = {
        "kernelspec": {
            "display_name": "Python 3",
            "language": "python",
            "name": "python3",
        }
    }
    nbformat.write(
        nbformat.v4.new_notebook(cells=cells, metadata=kernel),
        checkout / "notebooks/paper.ipynb",
    )

    assert build(checkout, EVALKIT_REPOSITORY="")[0] == 0
    assert set(buttons(checkout, "book/second")) == {".ipynb", ".md"}
    assert set(buttons(checkout, "notebooks/paper")) == {".ipynb"}
    assert set(buttons(checkout, "book/plain")) == {".md"}

    assert build(checkout, EVALKIT_REPOSITORY=REPOSITORY)[0] == 0
    always = {"Repository", "Show source", "Open issue"}
    assert set(buttons(checkout, "book/second")) == {".ipynb", ".md", "Binder", *always}
    assert set(buttons(checkout, "notebooks/paper")) == {
        ".ipynb",
        "Binder",
        "Colab",
        *always,
    }
    assert set(buttons(checkout, "book/plain")) == {".md", *always}
    for page in ("book/second", "notebooks/paper"):
        links = buttons(checkout, page)
        binder = urlsplit(links["Binder"])
        assert binder.path == "/v2/gh/example/evalkit-book/notebooks"
        assert parse_qs(binder.query) == {"urlpath": [f"notebooks/{page}.ipynb"]}
    colab = (
        "https://colab.research.google.com/github/example/evalkit-book/blob/notebooks"
    )
    assert links["Colab"] == f"{colab}/notebooks/paper.ipynb"
    listed = (
        nbformat.read(checkout / "_build/html/_sources/index.ipynb", as_version=4)
        .cells[0]
        .source
    )
    assert listed.splitlines()[2:] == [
        "- [The first page](book/first.ipynb)",
        "- [The second page](book/second.ipynb)",
        "- [Paper](notebooks/paper.ipynb)",
    ]
    issue = urlsplit(buttons(checkout, "book/plain")["Open issue"])
    assert issue.path == "/example/evalkit-book/issues/new"
    assert "book/plain" in issue.query


WITH_ROLES = """
```{index} roles
```

(second-start)=
## A start

The *mean* is {glue:text}`mean:.2f` for {glue:text}`who`; a {term}`seed` and {term}`seeds <seed>`,
{numref}`fig-two`, {doc}`first`, {doc}`the other <first>`, {ref}`second-start`, {cite:t}`potts2020evaluation`
and {cite:p}`potts2020evaluation,melis2017state`.

```{admonition} Before you start
:class: note
**You need** {doc}`first`.
- one
```

$$
a = b
$$ (same)

By {eq}`same`.

% Nobody reads this.

:::{div} list
- [ ] [**A line**]{#line .must}: see [](first.md#the-first-page), [that](first.md) and [](second.md).
:::

```{raw} html
<script></script>
```

```{code-cell} ipython3
---
mystnb:
  figure:
    name: fig-two
    caption: >-
      One line, of a {term}`seed`.
  image:
    alt: A line.
---
from matplotlib import pyplot as plt
from myst_nb import glue

plt.plot([1, 2])
plt.show()
glue("mean", 0.12345, display=False)
glue("who", "two words", display=False)
```

```{glossary}
seed
  A number.
```

```{bibliography}
```
"""


@pytest.mark.slow
def test_the_notebook_of_a_page_says_in_words_what_the_page_says(checkout):
    page = checkout / "book/second.md"
    page.write_text(page.read_text(encoding="utf-8") + WITH_ROLES, encoding="utf-8")
    status, _, said = build(checkout, EVALKIT_REPOSITORY="")
    assert status == 0, said
    notebook = nbformat.read(
        checkout / "_build/html/_sources/book/second.ipynb", as_version=4
    )
    prose = "\n\n".join(
        cell.source for cell in notebook.cells if cell.cell_type == "markdown"
    )
    assert "The *mean* is 0.12 for two words; a seed and seeds," in prose
    assert (
        "Fig. 1, [The first page](first.ipynb), [the other](first.ipynb), A start,"
        " Potts [2020]\nand" in prose
    )
    assert "and [Melis et al., 2017, Potts, 2020]." in prose
    assert (
        "> **Before you start**\n>\n> **You need** [The first page](first.ipynb).\n>"
        " - one" in prose
    )
    assert "$$\na = b\n$$\n\nBy (1)." in prose
    assert "*Fig. 1. One line, of a seed.*" in prose
    assert (
        "- [ ] **A line**: see [The first page](first.ipynb), [that](first.ipynb) and"
        " [The second" in prose
    )
    assert not re.search(
        r"\{[\w#.]|^\(.*\)=$|^%|^:::|<script",
        prose.partition("```{glossary}")[0],
        re.MULTILINE,
    )


EXERCISES = """
**1. What follows?** Why?

```{admonition} Solution
:class: dropdown
Because quokkas sleep, by {glue:text}`naps`.
```

**2. Compute.** How much? We had {glue:text}`start`.

````{admonition} Solution
:class: dropdown
About {glue:text}`naps`, as every wombat knows.
````

```{code-cell} ipython3
---
tags: [solution]
mystnb:
  image:
    alt: A numbat, drawn.
---
from matplotlib import pyplot as plt

bilby = 41 + 1
plt.plot([bilby])
plt.show()
print("potoroo", bilby)
```

```{code-cell} ipython3
:tags: [remove-cell]

from myst_nb import glue
assert bilby == 42
glue("naps", "kultarr", display=False)
glue("start", "a start", display=False)
```

```{code-cell} ipython3
:tags: [remove-cell, check]

# `bilby`: how much.
check_answer(bilby, "SEAL", within=1, hint="More.")
```

**3. Run it.** And on?

```{code-cell} ipython3
print("and on")
```
"""
OF_SOLUTIONS = "quokka|wombat|numbat|bilby = |plot|potoroo|kultarr"


def read_all(folder):
    """Return all text under a folder, by the name of its file."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes().decode("utf-8", "ignore")
        for file in folder.rglob("*")
        if file.is_file()
    }


@pytest.mark.slow
def test_an_edition_is_written_for_its_readers_and_not_run_again(checkout):
    seal = f'"{pages.seal(42, 1)}"'
    write(checkout, "second", "from lab.pages import check_answer")
    source = checkout / "book/second.md"
    source.write_text(
        text_of(source) + EXERCISES.replace('"SEAL"', seal), encoding="utf-8"
    )
    key = "handouts/print/keys/best-key.html"
    fold = f"```{{admonition}} Keys\n:class: dropdown\n{{download}}`1 <{key}>`\n```\n"
    source.write_text(f"{text_of(source)}\n{fold}", encoding="utf-8")
    (checkout / "book" / key).parent.mkdir(parents=True)
    (checkout / "book" / key).write_text("what was wrong", encoding="utf-8")
    status, ran, said = build(checkout)
    assert (status, ran) == (0, {"second"}), said
    for edition in ("student", "teacher"):
        status, ran, said = build(checkout, "--edition", edition)
        assert (status, ran) == (0, set()), said
        assert (checkout / f"_build/{edition}/html/index.html").as_uri() in said
    assert (checkout / "_build/html/index.html").exists()

    book, student, teacher = (
        read_all(checkout / "_build" / name) for name in ("html", "student", "teacher")
    )
    found = {name: re.findall(OF_SOLUTIONS, text) for name, text in student.items()}
    assert {
        name: words for name, words in found.items() if words and "_static" not in name
    } == {}
    assert "a start" in student["html/book/second.html"]
    assert "Numbers in the text" in book["book/second.html"]
    words = set(OF_SOLUTIONS.split("|"))
    assert words <= set(
        re.findall(OF_SOLUTIONS, teacher["notebooks/book/second.ipynb"] + "numbat")
    )
    assert {"quokka", "numbat", "kultarr"} <= set(
        re.findall(OF_SOLUTIONS, book["book/second.html"])
    )
    assert "quokka" in book["searchindex.js"]
    # Those to hand out are to be run: they have no outputs.
    to_read, to_run = (
        json.loads(text)["cells"]
        for text in (
            book["_sources/book/second.ipynb"],
            student["notebooks/book/second.ipynb"],
        )
    )
    assert any(cell.get("outputs") for cell in to_read)
    for cell in to_read:
        if "outputs" in cell:
            cell["outputs"] = []
    assert to_read == to_run
    assert (
        student["html/_sources/book/second.ipynb"]
        == student["notebooks/book/second.ipynb"]
    )
    assert "_sources/book/second.md" in book

    assert any(file.endswith("best-key.html") for file in book)
    assert "best-key" in book["book/second.html"]
    assert not [file for file in student if "best-key" in file]
    assert any(file.endswith("best-key.html") for file in teacher)
    assert "best-key" not in student["html/book/second.html"]


READS = "from pathlib import Path\nprint(Path('../data/facts.csv').read_text())"


@pytest.mark.slow
def test_pages_run_again_when_they_must_and_only_then(checkout):
    write(checkout, "second", READS)
    assert build(checkout)[:2] == (0, {"second"})
    with open(checkout / "book/_assets/book.css", "a", encoding="utf-8") as sheet:
        sheet.write("/* changed */\n")
    assert build(checkout)[:2] == (0, set())
    assert "/* changed */" in (checkout / "_build/html/_static/book.css").read_text(
        encoding="utf-8"
    )
    (checkout / "data/facts.csv").write_text("a\n2\n")
    assert build(checkout)[:2] == (0, {"second"})


@pytest.mark.slow
@pytest.mark.skipif(joblib.cpu_count() < 2, reason="one core")
def test_pages_are_executed_at_the_same_time(checkout):
    meet = (
        "import pathlib, time\npathlib.Path('{here}').touch()\nfor _ in range(300):\n  "
        "  time.sleep(0.1 * (not pathlib.Path('{there}').exists()))\nassert"
        " pathlib.Path('{there}').exists()"
    )
    write(checkout, "first", meet.format(here="one", there="two"))
    write(checkout, "second", meet.format(here="two", there="one"))
    assert build(checkout)[:2] == (0, {"first", "second"})


def text_of(page):
    return page.read_text(encoding="utf-8")


def shown(page):
    """Return the words that a reader sees, code among them."""
    return BeautifulSoup(text_of(page), "html.parser").select_one("article").get_text()


@pytest.mark.slow
def test_a_page_alone_is_built_beside_the_others_of_the_last_book(unbuilt):
    write(unbuilt, "third", f"print('of the third page')\n{READS}")
    toc, source = unbuilt / "_toc.yml", unbuilt / "book/second.md"
    toc.write_text(text_of(toc) + "  - file: book/third\n", encoding="utf-8")
    write(unbuilt, "second", "print('first of all')")
    source.write_text(text_of(source) + "\nSee {doc}`third`.\n", encoding="utf-8")
    alone, book = unbuilt / "_build/page/_build/html/book", unbuilt / "_build/html/book"
    status, ran, said = build(unbuilt, "--page", "second")
    assert (status, ran) == (0, {"first", "second"}), said
    assert (alone / "second.html").as_uri() in said
    assert "first of all" in text_of(alone / "second.html")
    assert "The third page" in text_of(alone / "second.html")

    assert build(unbuilt)[:2] == (0, {"third"})
    for page, code in (
        ("first", "print('of today')"),
        ("second", "print('last of all')"),
    ):
        write(unbuilt, page, code)
    (unbuilt / "data/facts.csv").write_text("a\n2\n")
    status, ran, said = build(unbuilt, "--page", "book/second.md")
    assert (status, ran) == (0, {"second"}), said
    assert "last of all" in text_of(alone / "second.html")
    assert "of the third page" in text_of(alone / "third.html")
    assert "of today" not in text_of(alone / "first.html")
    assert "first of all" in text_of(book / "second.html")

    assert build(unbuilt)[:2] == (0, {"first", "third"})
    assert "of today" in text_of(book / "first.html")
    assert "last of all" in text_of(book / "second.html")


def test_a_page_that_is_none_gets_the_nearest_ones():
    find_page = load_extension("build").find_page
    assert find_page("splits") == find_page("book/splits.md") == "book/splits"
    assert (
        find_page("more/splits")
        == find_page("book/more/splits.md")
        == "book/more/splits"
    )
    assert find_page("notebooks/tang2020.ipynb") == "notebooks/tang2020"
    with pytest.raises(
        ValueError, match="There is no page 'tang202'; there is tang2020."
    ):
        find_page("tang202")
    with pytest.raises(ValueError, match="about, api, api/baselines, "):
        find_page("")


@pytest.mark.slow
def test_a_failing_cell_is_named_and_leaves_the_last_good_book(checkout):
    write(checkout, "second", "nonsense = 1 / 0")
    status, _, output = build(checkout)
    assert status != 0
    assert "book/second.md" in output
    assert "nonsense = 1 / 0" in output
    assert "ZeroDivisionError" in output
    assert "the last good book is still in _build/html" in output
    assert "print(2)" in shown(checkout / "_build/html/book/second.html")


@pytest.mark.slow
def test_a_broken_reference_fails_the_build_and_leaves_the_last_good_book(checkout):
    page = checkout / "book/second.md"
    page.write_text(
        page.read_text(encoding="utf-8") + "\nSee {ref}`nowhere`.\n", encoding="utf-8"
    )
    status, _, output = build(checkout)
    assert status != 0
    assert "nowhere" in output
    assert "nowhere" not in (checkout / "_build/html/book/second.html").read_text(
        encoding="utf-8"
    )


@pytest.mark.slow
def test_a_cell_that_warns_fails_the_build_unless_it_says_so(checkout):
    write(
        checkout,
        "first",
        "import warnings\nwith warnings.catch_warnings():\n   "
        " warnings.simplefilter('ignore')\n    import numpy as np; print(np.log(0.0))",
    )
    write(checkout, "second", "import numpy as np\nnp.log(0.0)")
    status, _, output = build(checkout)
    assert status != 0
    assert "book/first.md: Executing notebook failed" not in output
    assert "book/second.md" in output
    assert "RuntimeWarning: divide by zero" in output


@pytest.mark.slow
def test_a_cell_may_show_so_much_and_no_more(tmp_path):
    """In a kernel with the settings of the book's."""
    profile = tmp_path / "profile_default"
    profile.mkdir()
    settings = load_extension("book_kernels")._CONFIG.format(
        tools=str(ROOT / "book/_tools"), name="book_kernels"
    )
    (profile / "ipython_kernel_config.py").write_text(settings, encoding="utf-8")
    manager, client = start_new_kernel(env={**os.environ, "IPYTHONDIR": str(tmp_path)})
    try:
        ended = [
            client.execute_interactive(code, output_hook=lambda message: None)[
                "content"
            ].get("ename")
            for code in (
                "print('x' * 45_000)",
                "print('x' * 200_000)",
                "'x' * 30_000_000",
                (
                    "from IPython.display import HTML, display\ndisplay(HTML('x' *"
                    " 30_000_000))"
                ),
                "'x' * 2_000_000",
            )
        ]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert ended == [None, *3 * ["TooMuchShownError"], None]


@pytest.mark.slow
def test_nothing_of_what_a_page_was_is_left(checkout):
    """A page that is gone, one that was replaced by an older file, and one that speaks
    of its build.
    """
    toc = checkout / "_toc.yml"
    toc.write_text(toc.read_text() + "  - file: book/now\n", encoding="utf-8")
    write(checkout, "now", "import time\nprint('built at', time.time_ns())")
    page = checkout / "book/now.md"
    page.write_text(
        page.read_text().replace(
            "---\n\n#", "mystnb: {execution_mode: force}\n---\n\n#"
        )
    )
    html = checkout / "_build/html/book"

    assert build(checkout)[:2] == (0, {"now"})
    before = re.search(
        r"built at \d+", (html / "now.html").read_text(encoding="utf-8")
    ).group(0)
    toc.write_text(
        toc.read_text().replace("  - file: book/second\n", ""), encoding="utf-8"
    )
    (checkout / "book/second.md").unlink()
    page = checkout / "book/first.md"
    page.write_text(
        page.read_text(encoding="utf-8") + "\nAn older text.\n", encoding="utf-8"
    )
    os.utime(page, (0, 0))

    assert build(checkout)[:2] == (0, {"now"})
    assert not list((checkout / "_build/html").rglob("second*"))
    assert "An older text." in (html / "first.html").read_text(encoding="utf-8")
    after = re.search(
        r"built at \d+", (html / "now.html").read_text(encoding="utf-8")
    ).group(0)
    assert after != before


def test_the_files_of_tests_that_workflows_name_are_there():
    named = set()
    for file in [
        *ROOT.glob(".github/workflows/*.yml"),
        ROOT / ".ci/run",
        ROOT / "Makefile",
    ]:
        for path in re.findall(
            r"\btests/[\w/{},.]+", text_of(file).replace(r"tests/test_\1.py", "")
        ):
            start, names, end = re.fullmatch(
                r"([^{]*)(?:\{(.*)\})?([^}]*)", path
            ).groups()
            named |= {f"{start}{name}{end}" for name in (names or "").split(",")}
    assert "tests/test_bad_input.py" in named
    # And a test of each module that offers a public name.
    offering = re.findall(
        r"(?m)^from evalkit\.(\w+) import", text_of(ROOT / "evalkit/_api.py")
    )
    named |= {f"tests/test_{module}.py" for module in offering}
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_workflows_run_actions_by_their_hash_and_one_hash_of_each():
    pinned = {}
    for file in ROOT.glob(".github/workflows/*.yml"):
        for used in re.findall(r"uses: (.*)", text_of(file)):
            action, commit, version = re.fullmatch(
                r"([\w./-]+)@([0-9a-f]{40}) # (v[\d.]+)", used
            ).groups()
            pinned.setdefault(action, set()).add((commit, version))
    assert len(pinned) > 5
    assert [action for action, commits in pinned.items() if len(commits) > 1] == []


def test_what_publishes_builds_nothing_and_runs_for_a_tag_alone():
    jobs = yaml.safe_load(text_of(ROOT / ".github/workflows/release.yml"))["jobs"]
    may = {
        name: job
        for name, job in jobs.items()
        if "write" in job.get("permissions", {}).values()
    }
    assert set(may) == {"index", "attach"}
    for job in may.values():
        assert job["if"] == "github.ref_type == 'tag'"
        assert not [
            step for step in job["steps"] if "actions/checkout" in step.get("uses", "")
        ]


@pytest.mark.skipif(not shutil.which("make"), reason="no make on this machine")
def test_make_alone_lists_the_targets_and_builds_nothing():
    done = subprocess.run(
        ["make", "-C", ROOT, "--no-print-directory"], capture_output=True, text=True
    )
    targets = re.search(r"^\.PHONY: (.*)$", text_of(ROOT / "Makefile"), re.MULTILINE)[
        1
    ].split()
    listed = [line.split(None, 2) for line in done.stdout.splitlines()]
    assert sorted(target for _, target, words in listed if words) == sorted(targets)


def test_the_page_about_the_book_speaks_of_its_own_build():
    front = (ROOT / "book/about.md").read_text(encoding="utf-8").split("---")[1]
    assert "execution_mode: force" in front


@pytest.mark.slow
def test_a_damaged_file_in_build_is_made_again(checkout):
    kept = [
        f
        for f in (checkout / "_build").rglob("*")
        if f.is_file() and "html" not in f.parts
    ]
    assert any(f.name == "global.db" for f in kept)
    for size in (0, 5000):
        for file in kept:
            if file.exists():
                os.truncate(file, min(size, file.stat().st_size))
        assert build(checkout)[0] == 0


@pytest.mark.slow
def test_the_book_needs_no_home(unbuilt):
    """Here it is no folder; what takes half a minute to read is copied to where it is
    kept instead.
    """
    (unbuilt / "_build/cache").mkdir(parents=True)
    for file in cache_folder().glob("docstrings-*"):
        shutil.copy(file, unbuilt / "_build/cache")
    write(
        unbuilt,
        "second",
        "from matplotlib import pyplot as plt\nfig, ax = plt.subplots()",
    )
    status, _, output = build(
        unbuilt, HOME=os.devnull, XDG_CACHE_HOME=os.devnull, EVALKIT_CACHE=""
    )
    assert status == 0, output


def members(checkout):
    """List the processes that work in a checkout."""
    found = []
    for process in psutil.process_iter():
        try:
            if (
                Path(process.cwd()).is_relative_to(checkout)
                and process.status() != psutil.STATUS_ZOMBIE
            ):
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied, OSError):
            continue  # it ended while we looked
    return found


def wait_until(true, seconds=60):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)


def answer_signals():
    """Stop at those that jobs in the background of a shell are deaf to, as is what they
    start.
    """
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.slow
def test_a_stopped_build_leaves_no_process_and_the_last_good_book(checkout):
    write(
        checkout,
        "second",
        "import pathlib, time\npathlib.Path('here').touch()\ntime.sleep(100)",
    )
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        with subprocess.Popen(
            [sys.executable, "book/_tools/build.py"],
            cwd=checkout,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=answer_signals,
        ) as process:
            wait_until((checkout / "book/here").exists)
            assert len(members(checkout)) >= 3  # the build, Sphinx, a kernel
            process.send_signal(number)
            said = process.communicate(timeout=10)[1]
        wait_until(lambda: not members(checkout), seconds=5)
        if number != signal.SIGKILL:
            assert process.returncode == 130
            assert (
                "The build was stopped; the last good book is still in _build/html"
                in said
            )
        assert "print(2)" in shown(checkout / "_build/html/book/second.html")
        (checkout / "book/here").unlink()
    write(checkout, "second", "print(4)")
    assert build(checkout)[:2] == (0, {"second"})


@pytest.mark.slow
def test_a_build_that_was_killed_between_its_renames_has_lost_no_book(checkout):
    html = checkout / "_build/html"
    html.rename(html.with_name("html.old"))
    write(checkout, "second", "1 / 0")
    status, _, output = build(checkout)
    assert status != 0
    assert "the last good book is still in _build/html" in output
    assert (html / "index.html").exists()


@pytest.mark.slow
def test_two_builds_at_once_both_end_well(checkout):
    command = [sys.executable, "book/_tools/build.py"]
    with subprocess.Popen(command, cwd=checkout, stdout=subprocess.DEVNULL) as other:
        assert build(checkout)[0] == 0
    assert other.returncode == 0


@grid(
    "there, is_near",
    [("test 5.613, r 1e-05", True), ("test 5.62, r 1e-05", False), ("test 5.612, r 1e-04", False),
     ("best 5.612, r 1e-05", False), ("test 5.612", False), ("test -5.612, r 1e-05", False)],
)  # fmt: skip
def test_a_page_recorded_on_another_kind_of_machine_may_differ_by_a_thousandth(
    there, is_near
):
    assert load_extension("without_torch").near("test 5.612, r 1e-05", there) is is_near


def test_what_leans_on_private_parts_of_the_tools_says_on_which():
    """`make plain` builds with the newest of them, once a week."""
    private = re.compile(r"myst_nb|nb_element|header_buttons|pydata-sphinx|bd-links")
    silent = []
    for path in (ROOT / "book/_tools").glob("book_*.py"):
        text = path.read_text(encoding="utf-8")
        leans = private.search(text.partition('"""')[2].partition('"""')[2])
        silent += [path.name] * bool(leans and "\nLeans on " not in text)
    assert not silent
