"""What the cells of a page see: without it a page keeps old numbers, or every page runs
again for a word in a docstring.

The key of a page is a hash of its cells and of what these reach: the definitions of
evalkit and lab that they name, and those that these name in turn, without comments and
docstrings; the data, and the files beside the pages, of which a name is in a string of
these; the versions of other packages that they use, and of what those need; Python; the
upstream files at hand, and the kernels' settings.

What cannot be told is taken whole: a module that is passed on; a package whose modules
write into one another when they are imported; everything, for a cell that is not plain
Python. A module that looks at docstrings or at source is taken as it stands, and where
a cell does so, every module is.
"""

import ast
import functools
import hashlib
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import jupytext
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
_OURS = ("evalkit", "lab")
_LOOKS = {"__doc__", "getdoc", "getsource", "getsourcelines", "help", "pydoc"}
# A page that has none of these in its cells shows the same without torch.
_WITH_TORCH = {"torch", "use_record", "run_again"}
_NOT_READ = ("_assets", "_tools", "handouts")  # folders of book/, unless named
# A page into which an extension puts words of evalkit.
_WORDS = {"book/which_test": "book/_tools/book_which_form.py"}


class Module(NamedTuple):
    """What a piece of code has at its top."""

    definitions: dict  # by name, the statements that make it or change it
    imports: dict  # by name, "numpy" or "lab.record.tables.load_recorded"
    registers: bool  # whether importing it changes another


@functools.cache
def parse(source, name="a cell"):
    """Return the statements of a piece of code, without docstrings.

    Parameters
    ----------
    source : str
    name : str, optional
        Of the file, for its errors.

    Returns
    -------
    list of ast.stmt
    """
    tree = ast.parse(source, name)
    for node in ast.walk(tree):
        if isinstance(getattr(node, "body", None), list):
            node.body = [part for part in node.body if not _is_text(part)]
    return tree.body


def _is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _imports(body):
    """Return what imports bind, within functions too."""
    found = {}
    for node in (part for statement in body for part in ast.walk(statement)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                found[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


@functools.cache
def read(path):
    """Read a module.

    Parameters
    ----------
    path : Path

    Returns
    -------
    Module
    """
    body = parse(path.read_text("utf-8"), str(path))
    definitions, registers = {}, False
    imports = _imports(body)
    for node in body:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.If(test=ast.Compare()):
                continue  # the last asks whether it is run
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names = [name]
                made_by = [use for part in node.decorator_list for use in _uses(part)]
                own = (imports.get(u.partition(".")[0], "lab") for u in made_by)
                registers |= any(name.partition(".")[0] in _OURS for name in own)
            case _:
                targets = getattr(node, "targets", None) or [
                    getattr(node, "target", node)
                ]
                parts = [part for target in targets for part in ast.walk(target)]
                names = [part.id for part in parts if isinstance(part, ast.Name)]
                registers |= not names or bool({*names} & imports.keys())
                registers |= not isinstance(
                    node, ast.Assign | ast.AnnAssign | ast.AugAssign
                )
        for name in names:
            definitions.setdefault(name, []).append(node)
    return Module(definitions, imports, registers)


def _uses(node):
    """Yield the dotted names in a piece of code: "tables.load_recorded"."""
    parts, owner = [], node
    while isinstance(owner, ast.Attribute):
        parts.append(owner.attr)
        owner = owner.value
    if isinstance(owner, ast.Name):
        yield ".".join([owner.id, *reversed(parts)])
    else:
        yield from parts  # of what a call returns
        for child in ast.iter_child_nodes(owner):
            yield from _uses(child)


class Code(NamedTuple):
    """What some statements are, and what they name."""

    text: str
    uses: frozenset
    strings: frozenset


def _code(nodes):
    strings = frozenset(
        part.value
        for node in nodes
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )
    uses = frozenset(use for node in nodes for use in _uses(node))
    return Code(repr([ast.dump(node) for node in nodes]), uses, strings)


@functools.cache
def _definition(path, name):
    return _code(read(path).definitions[name])


class Reach:
    """What a piece of code reaches.

    Parameters
    ----------
    source : str
    root : Path
        The checkout.
    """

    def __init__(self, source, root):
        self.root, self.others, self.strings = root, set(), set()
        self.code, self.paths = {}, set()  # definitions as they run; the files
        self.as_they_stand = set()  # of these, those that look at themselves
        self.todo, asked = [], set()
        self.made_in = read(root / "evalkit" / "_api.py").imports
        body = parse(source)
        imports, own = _imports(body), _code(body)
        self.names = self._take(own, Module({}, imports, False)) | imports.keys()
        self.others |= {name.partition(".")[0] for name in imports.values()} - {*_OURS}
        while self.todo:
            if (target := self.todo.pop()) not in asked:
                asked.add(target)
                self._follow(target)

    def _take(self, code, module, path=None):
        """Note what code names; return the names."""
        for use in code.uses:
            first, _, rest = use.partition(".")
            if first in module.imports:
                self.todo.append(f"{module.imports[first]}.{rest}".rstrip("."))
            elif first in module.definitions:
                self.todo.append((path, first))
        self.strings |= code.strings
        self.todo += [text for text in code.strings if _is_module(text, self.root)]
        return {name for use in code.uses for name in use.split(".")}

    def _follow(self, target):
        if isinstance(target, tuple):
            path, name = target
            code = _definition(path, name)
            self.code[path.relative_to(self.root).as_posix(), name] = code.text
            if self._take(code, read(path), path) & _LOOKS:
                self.as_they_stand.add(path)
            return
        if target.partition(".")[0] not in _OURS:
            self.others.add(target.partition(".")[0])
            return
        module, path, rest = _find(target, self.root)
        name, _, further = rest.partition(".")
        self.paths.add(path)
        for file in _together(path):
            self._take_whole(file)
        if module == "evalkit" and name.startswith("__"):
            return  # its version, say
        if module == "evalkit" and name in self.made_in:
            self.todo.append(self.made_in[name])
        elif name in read(path).definitions and module != "evalkit":
            self.todo.append((path, name))
        elif name in read(path).imports:
            self.todo.append(f"{read(path).imports[name]}.{further}".rstrip("."))
        elif path.name == "__init__.py" and module != "lab":
            for file in path.parent.rglob("*.py"):
                self._take_whole(file)
        else:
            self._take_whole(path)

    def _take_whole(self, path):
        self.paths.add(path)
        self.todo += [(path, name) for name in read(path).definitions]


@functools.cache
def _find(name, root):
    """Return the module that has a name, its file, and what is left of the name."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        place = root.joinpath(*parts[:end])
        for path in (place / "__init__.py", place.with_name(f"{place.name}.py")):
            if path.is_file():
                return ".".join(parts[:end]), path, ".".join(parts[end:])
    raise ValueError(f"no module of this checkout has the name {name}")


@functools.cache
def _is_module(text, root):
    """Tell whether a string is the name of a module, which may be imported by it."""
    is_name = re.fullmatch(rf"({'|'.join(_OURS)})(\.\w+)+", text)
    return bool(is_name) and not _find(text, root)[2]


@functools.cache
def _together(path):
    """List the modules that a module is taken with: all beside it, where one writes
    into another.
    """
    is_at_top = path.parent.name in _OURS
    files = [path] if is_at_top else sorted(path.parent.glob("*.py"))
    if is_at_top and path.name == "__init__.py":
        return []
    return files if any(read(file).registers for file in files) else []


_packages = functools.cache(metadata.packages_distributions)  # half a second each time


@functools.cache
def _installed(name):
    """Return the version of a package, or None, and what it needs."""
    try:
        package = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None, ()
    needs = map(Requirement, package.requires or ())
    return package.version, [
        need.name
        for need in needs
        if not need.marker or need.marker.evaluate({"extra": ""})
    ]


def versions(names, *, with_torch):
    """Say which version is installed of packages, and of what each needs.

    Parameters
    ----------
    names : iterable of str
        By which they are imported.
    with_torch : bool
        Whether torch counts.

    Returns
    -------
    list of (str, str)
    """
    asked = [p for name in names for p in _packages().get(name, [name])]
    found, asked = {}, [*asked, "ipykernel"]
    while asked:
        name = re.sub(r"[-_.]+", "-", asked.pop()).lower()
        if name not in found and (name != "torch" or with_torch):
            found[name], needs = _installed(name)
            asked += needs
    return sorted(found.items())


@functools.cache
def _upstream_here():
    """Name the upstream files that are on this machine: a page shows more where it has
    them.
    """
    from lab.data import sources

    return [key for key in sources.registry().key if sources.location(key)]


def _named(root, words, *, reads_pages):
    """Yield the files of data/, and beside the pages, that words may name."""
    for file in (root / "data").rglob("*"):
        _, first, *further = file.relative_to(root).parts
        within = further[0] if first == "recorded" and further else first
        if words is None or within.partition(".")[0] in words:
            yield file
    for folder in ("book", "notebooks", *_OURS):
        for file in (root / folder).rglob("*"):
            first = file.relative_to(root).parts[1]
            if first in _NOT_READ and (words is None or first not in words):
                continue
            if file.suffix == ".py" and folder in _OURS:
                continue
            is_page = file.suffix in (".md", ".ipynb")
            if reads_pages if is_page else words is None or file.stem in words:
                yield file


def hash_of(files, root, start=""):
    """Return a hash of files, with their places, and of a text."""
    digest = hashlib.sha256(start.encode())
    for file in sorted(
        f for f in files if f.is_file() and "__pycache__" not in f.parts
    ):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _cells(page, root):
    """Return the code of a page."""
    words = (root / _WORDS[page]).read_text("utf-8") if page in _WORDS else ""
    file = next(f for f in (root / f"{page}.md", root / f"{page}.ipynb") if f.exists())
    text = file.read_text("utf-8")
    if "kernelspec" not in text:
        return words
    cells = jupytext.reads(text, file.suffix[1:]).cells
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    return "\n".join([*code, words])


def page_key(page, root=ROOT):
    """Return the key of a page; an empty one, if it has no cells.

    Parameters
    ----------
    page : str
        book/splits, say.
    root : Path, optional
        The checkout.

    Returns
    -------
    str
    """
    source = _cells(page, root)
    if not source:
        return ""
    kernels = (root / "book" / "_tools" / "book_kernels.py").read_text("utf-8")
    facts = [sys.version, page, _code(parse(kernels)).text]
    try:
        facts.append(_code(parse(source)).text)
    except SyntaxError:  # a magic, say: everything
        facts.append(source)
        source = "import evalkit, lab.cli\n_ = evalkit, lab.cli, help"
    reach = Reach(source, root)
    looks = reach.names & _LOOKS
    stands = reach.paths if looks else reach.as_they_stand
    words = {word for text in reach.strings for word in re.findall(r"[\w-]+", text)}
    words |= {path.stem for path in reach.paths} | reach.names
    if looks or any("recorded/*" in text for text in reach.strings):
        words = None
    with_torch = bool(looks or reach.names & _WITH_TORCH)
    others = reach.others - sys.stdlib_module_names
    facts += [
        repr(sorted(reach.code.items())),
        repr(versions(others, with_torch=with_torch)),
    ]
    if any(path.match("lab/data/sources.py") for path in reach.paths):
        facts += _upstream_here()
    reads_pages = words is None or bool(re.search(r"\.(md|ipynb)\b", source))
    files = [*stands, *_named(root, words, reads_pages=reads_pages)]
    return hash_of(files, root, "\n".join(facts))
