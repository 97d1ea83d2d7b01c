"""What code the results of an experiment come from, so that rows of changed code are
told apart.

A hash only says when to ask. That other code gives the same results is shown by running
a slice of the rows again, and kept in data/same_code.csv.

The commit is too coarse for that, for most commits change nothing of an experiment, and
so is its module: what judges the rows is in it too. So it is the definitions that the
functions of its tables reach, by name, through our modules, and which names of other
packages they use. What draws nothing and computes nothing is left out: comments,
docstrings, messages of errors, the modules that only move rows and files, and in which
module a definition stands.
"""

import ast
import functools
import hashlib
import importlib.util
import inspect
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from evalkit._files import write_atomically
from lab.data import DATA
from lab.data.files import read_csv
from lab.record.environment import same_machine_kind

SAME_CODE = DATA / "same_code.csv"
_COLUMNS = ["experiment", "table", "recorded", "now", "units", "equal", "date"]

# Packages whose definitions are followed, besides that of the experiment; of others the
# version is recorded.
_OURS = ("evalkit", "lab")
_MOVERS = {
    "evalkit._checks",
    "evalkit._extras",
    "evalkit._files",
    "lab._extras",
    "lab.clusters",
    "lab.data",
    "lab.data.docstrings",  # what it gives is held to a hash
    "lab.data.sources",
    "lab.data.files",
    "lab.record.environment",
    "lab.record.experiment",
    "lab.record.runs",
    "lab.record.store",
}


def code_hash(experiment):
    """Return a hash of the definitions that an experiment's results come from.

    Parameters
    ----------
    experiment : Experiment

    Returns
    -------
    str or None
        12 hexadecimal digits; None if a function of it is in no file, or not at the top
        of one.
    """
    functions = []
    for _, function in sorted(experiment.tables.items()):
        function = _unwrapped(function)
        if (
            not inspect.isfunction(function)
            or function.__qualname__ != function.__name__
        ):
            return None
        functions.append(
            (function.__module__, inspect.getsourcefile(function), function.__name__)
        )
    if any(path is None or name == "<lambda>" for _, path, name in functions):
        return None
    return _hash_of(tuple(functions))


def reached_by(functions):
    """Return the definitions that functions reach.

    Parameters
    ----------
    functions : iterable of callable
        Each at the top of a module, or a partial of such a one.

    Returns
    -------
    dict of (str, str) to tuple
        By module and name, in the order in which they are met, the statements that
        define it; of what is imported from another package, where it comes from.
    """
    reached = {}
    for function in map(_unwrapped, functions):
        _follow(
            function.__module__,
            _definitions(function.__module__),
            function.__name__,
            reached,
        )
    return reached


def made_by(experiment, environment):
    """Add to an environment which version of the experiment's own code it was, where
    that can be known.

    Parameters
    ----------
    experiment : Experiment
    environment : dict

    Returns
    -------
    dict
    """
    source = code_hash(experiment)
    return {**environment, "source": source} if source else environment


def version_of(row):
    """Return the table of a row, and the hash of the code that made it: empty where it
    is older than such hashes.

    Parameters
    ----------
    row : dict
        Of a store: with its `unit` and its `environment`.

    Returns
    -------
    tuple of str
    """
    return row["unit"]["table"], row["environment"].get("source", "")


def of_other_code(experiment, rows):
    """Return the rows of other code than today's that nobody has run again by it.

    Parameters
    ----------
    experiment : Experiment
    rows : list of dict
        Of a store.

    Returns
    -------
    list of dict
    """
    here = code_hash(experiment) or ""
    known = {
        (line["table"], line["recorded"])
        for line in _same_code()
        if (line["experiment"], line["now"]) == (experiment.name, here)
    }
    return [
        row
        for row in rows
        if version_of(row)[1] != here and version_of(row) not in known
    ]


def other_code(experiment, rows):
    """Say how many rows come from another version of an experiment's code.

    Parameters
    ----------
    experiment : Experiment
    rows : list of dict
        Of a store.

    Returns
    -------
    str
        Empty if none is known to.
    """
    others = of_other_code(experiment, rows)
    if not others:
        return ""
    commits = ", ".join(sorted({row["environment"]["code"] for row in others}))
    return (
        f"{len(others)} of the {len(rows)} rows of {experiment.name} come from another"
        f" version of its code (commits {commits}); `lab check {experiment.name}"
        " --settle` says whether today's gives the same"
    )


def settle(experiment, rows, compared):
    """Write into data/same_code.csv that what was run again came out as recorded; if
    one result did not, write nothing, for a few units see little of a change.

    Rows are never stamped anew: beside the hash of the recorded code stands that of
    today's, how many units were run, and how many of their results were equal to the
    last bit. On the same kind of machine all must be.

    Parameters
    ----------
    experiment : Experiment
    rows : list of dict
        All that are recorded: the lines of others go.
    compared : list of tuple
        Recorded row, fresh row, and whether they agree as `lab check` asks.
    """
    here, equal = code_hash(experiment), {}
    for row, again, agrees in compared:
        results = row["result"].items()
        bits = [again["result"].get(k) == v for k, v in results if k != "seconds"]
        same_kind = same_machine_kind(row["environment"], again["environment"])
        if not (all(bits) if same_kind else agrees):
            return
        equal.setdefault(version_of(row), []).append(bits)
    kept, today = set(map(version_of, rows)) - equal.keys(), datetime.now(UTC).date()
    lines = [
        list(line.values())
        for line in _same_code()
        if line["experiment"] != experiment.name
        or (line["now"] == here and (line["table"], line["recorded"]) in kept)
    ]
    for version, units in equal.items():
        bits = [bit for unit in units for bit in unit]
        line = [experiment.name, *version, here, len(units)]
        lines.append([*line, f"{sum(bits)} of {len(bits)}", today.isoformat()])
    table = pd.DataFrame(sorted(lines, key=lambda line: line[:3]), columns=_COLUMNS)
    write_atomically(SAME_CODE, table.to_csv(index=False, lineterminator="\n").encode())


def _same_code():
    return read_csv(SAME_CODE, _COLUMNS).to_dict("records")


def _unwrapped(function):
    while isinstance(function, functools.partial):
        function = function.func
    return function


@functools.cache
def _hash_of(functions):
    reached = {}
    for module, path, name in functions:
        _follow(module, _definitions(module, path), name, reached)
    # In the order in which they are met, not by module: a module that moves changes
    # nothing, and yet two definitions of one name cannot change places unnoticed.
    met = [(name, definition) for (_, name), definition in reached.items()]
    return hashlib.sha256(repr(met).encode()).hexdigest()[:12]


def _follow(module, definitions, name, reached):
    """Add to `reached`, by module and name, a definition and each that it names."""
    if (module, name) in reached or name not in definitions:
        return
    definition = definitions[name]
    if isinstance(definition, str):  # imported: "module" or "module:name"
        source, _, original = definition.partition(":")
        if not _is_ours(source, module):
            reached[definition, name] = definition
        elif original and source not in _MOVERS:
            _follow(source, _definitions(source), original, reached)
        return
    reached[module, name] = tuple(_canonical(node) for node in definition)
    for part in (part for node in definition for part in ast.walk(node)):
        match part:
            case ast.Name(id=used):
                _follow(module, definitions, used, reached)
            case ast.Attribute(ast.Name(owner), attr=used):
                source = definitions.get(owner)
                if (
                    isinstance(source, str)
                    and _is_ours(source, module)
                    and source not in _MOVERS
                ):
                    _follow(source, _definitions(source), used, reached)


def _is_ours(source, module):
    """Tell whether the definitions of what is imported are followed from a module."""
    return source.partition(".")[0] in (*_OURS, module.partition(".")[0])


@functools.cache
def _definitions(module, path=None):
    """Return, by name, the statements of a module that define it, or as text what it is
    imported from.
    """
    if path is None:
        spec = importlib.util.find_spec(module)
        path = spec.origin if spec else None
    if path is None or not path.endswith(".py"):
        return {}
    tree = ast.parse(Path(path).read_bytes())
    definitions = {}
    for node in tree.body:
        for name in _names(node):
            definitions.setdefault(name, []).append(node)
    imported = {}
    for node in ast.walk(tree):  # in functions too
        for alias in (
            node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ()
        ):
            imported[alias.asname or alias.name.partition(".")[0]] = _origin(
                node, alias, module
            )
    return {**imported, **definitions}


def _origin(node, alias, module):
    """Return what an import binds: "module", or "module:name"."""
    if isinstance(node, ast.Import):
        return alias.name if alias.asname else alias.name.partition(".")[0]
    if _is_ours(node.module, module):
        is_package = importlib.util.find_spec(node.module).submodule_search_locations
        if is_package and importlib.util.find_spec(f"{node.module}.{alias.name}"):
            return f"{node.module}.{alias.name}"
    return f"{node.module}:{alias.name}"


def _names(node):
    """Return the names that a statement at the top of a module or class defines, or may
    change.
    """
    if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return set()
    # TABLE["a"] = 1 changes what TABLE is; so may any statement that is no assignment.
    targets = getattr(node, "targets", None) or [getattr(node, "target", node)]
    return {
        part.id
        for target in targets
        for part in ast.walk(target)
        if isinstance(part, ast.Name)
    }


def _canonical(node):
    """Return a syntax tree as tuples, the same by every version of Python; `ast.dump`
    is not.
    """
    if isinstance(node, list):
        return tuple(_canonical(part) for part in node if not _is_left_out(part))
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.Raise):
        return ("Raise",)
    if isinstance(node, ast.JoinedStr):
        # Python 3.12.0 and 3.12.1 end the width or precision of a field, as in
        # f"{score:{spec}}", with an empty text.
        node = ast.JoinedStr([part for part in node.values if part.value != ""])
    fields = [
        (name, value)
        for name, value in ast.iter_fields(node)
        if value not in (None, [])
    ]
    return (type(node).__name__, *((name, _canonical(value)) for name, value in fields))


def _is_left_out(node):
    """Tell a docstring, another text that stands on its own, or an import: that is
    followed by its name.
    """
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, (ast.Import, ast.ImportFrom))
