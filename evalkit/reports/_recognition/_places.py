"""From places on a disk to tables: which reader knows a file, and what it said.

A reader is a module of `evalkit.reports._formats` with `FORMAT` (its name in words),
`recognise(path, head)` and `read(path)`, which returns a `Reading`, or for a format
that is a table `shape(reading, path)`; for a format that fills a folder, `PATTERNS` are
the names of its files, of which `chosen(paths)` keeps those that are read; where more
than the file itself is opened, `beside(path)` returns the rest. None of them runs
anything that is in a file: no pickles, no YAML tags, no formulas.
"""

import glob
import hashlib
import itertools
import os
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from evalkit._files import no_file
from evalkit._program import meant
from evalkit.reports import schema
from evalkit.reports._faults import argument, examples, refusal, shown, unreadable
from evalkit.reports._faults import listed as listed_of
from evalkit.reports._formats import READERS, _limits, tables
from evalkit.reports._formats._values import names_systems, one_form
from evalkit.reports._recognition import _named

_HEAD = 4096  # bytes by which a format is recognised
_LARGEST = 2**30
_PICKLES = (
    ".pkl",
    ".pickle",
    ".joblib",
    ".npy",
    ".npz",
    ".pt",
    ".pth",
    ".rds",
    ".rdata",
)
_DOWNLOAD = (
    "save each tag as CSV in TensorBoard (Show data download links), and give these"
    " files."
)
_AS_CSV = "save the sheet as CSV (UTF-8), and give that."
_SHEETS = (".xlsx", ".xls", ".ods", ".numbers")
_OF_SQLITE = ("-journal", "-wal", "-shm")  # what SQLite opens beside a database


@dataclass(frozen=True)
class Source:
    """A file that will be read.

    Attributes
    ----------
    path : pathlib.Path
    reader : module
    names : dict of str to str
        What its place says that its system is called.
    opened : tuple of str
        Every file that is opened for it, this one first, by their real paths.
    """

    path: Path
    reader: object
    names: dict
    opened: tuple


def find(places, within=None):
    """Find what reads each file, before any is read.

    Parameters
    ----------
    places : list of (str or None, str)
        The name of a system, if whoever calls gave one, and a file or a folder.
    within : path-like, optional
        The folder outside which nothing is opened.

    Returns
    -------
    sources : list of Source
    ignored : list of str
        Files of a folder that no reader knows.
    """
    sources, ignored = [], []
    places = [(name, path) for name, place in places for path in _spelled_out(place)]
    parents = [
        Path(place).absolute().parts[:-1]
        for _, place in places
        if not Path(place).is_dir()
    ]
    n_same = sum(
        1
        for _ in itertools.takewhile(
            lambda parts: len({*parts}) == 1, zip(*parents, strict=False)
        )
    )
    for name, place in places:
        files, unknown = _files(Path(place), within)
        ignored += unknown
        _limits.check_files(place, len(files))
        for path in files:
            reader, opened = _reader(path, within)
            given = {"given": name} if name else {}
            is_inside = Path(place).is_dir()
            inside = (
                path.relative_to(place).parts[:-1]
                if is_inside
                else path.absolute().parts[n_same:-1]
            )
            outside = (
                Path(place).resolve().name if is_inside else path.absolute().parent.name
            )
            folders = {
                f"folder {depth}": part
                for depth, part in enumerate(inside or [outside])
            }
            names = {**given, **folders, "file": path.stem}
            # A name that is no UTF-8 has bytes in it that no text may have.
            names = {
                kind: one_form(own.encode(errors="backslashreplace").decode())
                for kind, own in names.items()
            }
            sources.append(
                Source(path, reader, names, tuple(map(os.path.realpath, opened)))
            )
    counts = Counter(source.opened for source in sources)
    if again := [source.path for source in sources if counts[source.opened] > 1]:
        what = f"{shown(str(again[0]))} is given twice."
        why = "What it holds would be counted twice."
        raise refusal("files", what, why, "give each file once.")
    opened = {path for source in sources for path in source.opened}
    return sources, [path for path in ignored if os.path.realpath(path) not in opened]


def _spelled_out(place):
    """Return the files that a pattern such as runs/*/metrics.json names: not every
    shell does it.
    """
    found = (
        sorted(glob.glob(place)) if "*" in place and not Path(place).exists() else []
    )
    _limits.check_files(place, len(found))
    return found or [place]


def check_file(path, within=None):
    """Refuse what a report does not open: what is not a file, or lies outside a
    folder.
    """
    _check_inside(path, within)
    if what := no_file(path):
        raise unreadable(
            path,
            f"it is {what}, and no file",
            "save what it gives as a file, and give that.",
        )


def _check_inside(path, within):
    if within is not None and not Path(os.path.realpath(path)).is_relative_to(
        os.path.realpath(within)
    ):
        what = (
            "it lies outside the folder of the settings, or leads there, and a check"
            " reads nothing there"
        )
        raise unreadable(path, what, "put the file beside the settings.")


def _files(path, within):
    _check_inside(path, within)
    if not path.exists():
        near = examples(sorted(p.name for p in path.parent.glob("*") if p.is_file()), 5)
        what = (
            f"there is no such file or folder; in {shown(path.parent)} there is:"
            f" {near or 'nothing'}"
        )
        raise unreadable(path, what, "give the file that was meant.")
    if not path.is_dir():
        return [path], []
    for reader in READERS:
        if found := _of_format(reader, path, within):
            return found, []
    inside = [Path(top) / name for top, _, names in os.walk(path) for name in names]
    inside = sorted(
        p
        for p in inside
        if not any(part.startswith(".") for part in p.relative_to(path).parts)
    )
    known = [
        p
        for p in inside
        if p.suffix.lower() in (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
    ]
    known = known or [p for p in inside if p.suffix.lower() == ".json"]
    if not known:
        names = examples([p.relative_to(path) for p in inside]) or "it is empty"
        what = f"the folder holds no file of a known kind ({names})"
        is_of_tensorboard = any("tfevents" in file.name for file in inside)
        way = (
            _AS_CSV
            if any(file.suffix.lower() in _SHEETS for file in inside)
            else "name the files themselves."
        )
        raise unreadable(path, what, _DOWNLOAD if is_of_tensorboard else way)
    kinds = {*known}
    return known, [str(p) for p in inside if p not in kinds]


def _of_format(reader, folder, within):
    """Return the files of a format in a folder, however deep; a link to one of them is
    no other file.
    """
    paths = [
        path
        for pattern in getattr(reader, "PATTERNS", ())
        for path in folder.rglob(pattern)
    ]
    paths = {
        os.path.realpath(path): path
        for path in sorted(paths, key=os.path.islink, reverse=True)
    }.values()
    # These names other files have too.
    are_shared = (".json", ".yaml", ".csv", ".eval")
    known = [
        p
        for p in paths
        if p.suffix not in are_shared or reader.recognise(p, _head(p, within))
    ]
    return sorted(reader.chosen(known) if hasattr(reader, "chosen") else known)


def _head(path, within):
    """Return the first bytes of a file; nothing of what is not a file."""
    _check_inside(path, within)
    # Of the system's own files some never begin.
    if no_file(path) or not path.stat().st_size:
        return b""
    with open(path, "rb") as file:
        return file.read(_HEAD)


def _reader(path, within):
    """Return what reads a file, and all that is opened for it."""
    check_file(path, within)
    suffix = path.suffix.lower()
    if suffix in _PICKLES:
        what = (
            f"a {suffix} file runs or needs a program to be opened, and a report runs"
            " nothing in a file"
        )
        raise unreadable(
            path,
            what,
            "write its table as CSV: pandas.DataFrame(results).to_csv('results.csv').",
        )
    if suffix in _SHEETS:
        raise unreadable(path, "it is a spreadsheet", _AS_CSV)
    head = _head(path, within)
    if not head.strip():
        raise unreadable(path, "the file is empty")
    if (
        head.lstrip()[:9]
        .lower()
        .startswith((b"<!doctype", b"<html", b"<table", b"<?xml"))
    ):
        way = (
            "save the table as CSV: pandas.read_html(file)[0].to_csv('results.csv',"
            " index=False)."
        )
        raise unreadable(path, "it is HTML or XML", way)
    opened = [
        path,
        *_checked([Path(f"{path.resolve()}{end}") for end in _OF_SQLITE], within),
    ]
    reader = the_one((r for r in READERS if r.recognise(path, head)), path)
    if reader is None:
        what = "it is none of the formats that a report reads"
        way = "export it as CSV, one row a run or one row an item."
        way = "unpack it." if head[:2] == b"\x1f\x8b" else way
        raise unreadable(path, what, way)
    opened += _checked(reader.beside(path), within) if hasattr(reader, "beside") else []
    if (size := sum(other.stat().st_size for other in opened)) > _LARGEST:
        what = (
            f"it has {size / 2**20:,.0f} MiB, and a report reads at most"
            f" {_LARGEST / 2**20:,.0f}"
        )
        raise unreadable(path, what, "export only the columns that are compared.")
    return reader, opened


def _checked(paths, within):
    """Return those files that are there, after all of them were found to be what may be
    opened.
    """
    paths = [path for path in paths if path.exists()]
    for path in paths:
        check_file(path, within)
    return paths


def the_one(readers, place):
    """Return the one reader of those that know something; a table is what no other
    knows.

    Parameters
    ----------
    readers : iterable of module
    place : path-like
        What they know.

    Returns
    -------
    module or None
    """
    found = list(readers)
    particular = [reader for reader in found if reader is not tables]
    if len(particular) > 1:
        what = (
            f"it has what tells {listed_of([reader.FORMAT for reader in particular])}:"
            " it may be either"
        )
        raise unreadable(
            place, what, "keep the columns or the tables of one tool in it."
        )
    return next(iter(particular or found), None)


def read(source, is_name=names_systems):
    """Read a file.

    Parameters
    ----------
    source : Source
    is_name : callable, optional
        As `_values.columns` takes it.

    Returns
    -------
    Reading
    """
    path, digest = source.path, hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(2**20):
            digest.update(block)
    try:
        if hasattr(source.reader, "read"):
            reading = source.reader.read(path)
        else:
            reading = source.reader.shape(tables.table(path, is_name), path)
    except RecursionError:
        raise unreadable(
            path, "its values are nested deeper than any results are"
        ) from None
    except (
        UnicodeEncodeError
    ) as error:  # where pyarrow is installed pandas holds words as UTF-8
        what = (
            f"it holds half of a sign, {shown(error.object[error.start])}, which no"
            " text has"
        )
        raise unreadable(path, what, "write the sign whole, or leave it out.") from None
    except UnicodeDecodeError as error:
        what = f"byte {error.start:,} is not UTF-8 text"
        raise unreadable(
            path, what, "save it as UTF-8 (in a spreadsheet: CSV UTF-8)."
        ) from None
    if reading.frame.empty:
        left = "; ".join(f"{n:,} left out: {why}" for n, why in reading.left_out)
        raise unreadable(
            path,
            f"it was read as {reading.format}, and has no rows"
            + (f" ({left})" * bool(left)),
        )
    names = {**reading.names, **source.names}
    return replace(
        reading,
        names=names,
        place=str(path),
        inputs=source.opened,
        sha256=digest.hexdigest(),
    )


def by_kind(readings):
    """Return the names of files by kind: those given, of folders, of files; None where
    there is none.

    Parameters
    ----------
    readings : list of Reading

    Returns
    -------
    dict of str to list of str
    """
    kinds = dict.fromkeys(kind for reading in readings for kind in reading.names)
    return {kind: [reading.names.get(kind) for reading in readings] for kind in kinds}


def named(readings, baseline):
    """Give every reading that is one system its name.

    Which names are meant, those in the files, of the files or of their folders, is
    decided by the baseline: it is among them.

    Parameters
    ----------
    readings : list of Reading
    baseline : str

    Returns
    -------
    dict of str to list of str, or None
        For each kind of name what the readings are called; the chosen one alone, if
        there is one.
    """
    # A name that somebody gave holds even beside files that have none.
    if any("given" in reading.names for reading in readings):
        found = [
            reading.names.get("given", reading.names.get("file"))
            for reading in readings
        ]
        return {"given": found}
    found = by_kind(readings)
    whole = {kind: names for kind, names in found.items() if None not in names}
    chosen = [
        kind
        for kind, names in whole.items()
        if baseline in names and len(set(names)) > 1
    ]
    return {chosen[0]: whole[chosen[0]]} if chosen else whole


def no_baseline(baseline, seen):
    """Return the refusal when no system has the name of the baseline.

    Parameters
    ----------
    baseline : str
    seen : dict of str to list, or iterable of str
        The names that there are; where several kinds may be systems, by where they
        stand.

    Returns
    -------
    RefusedError
    """
    seen = seen if isinstance(seen, dict) else {"": list(seen)}
    baseline = baseline or ""  # nobody has named one
    names = [
        shown(name) for found in seen.values() for name in found if name != baseline
    ]
    there = listed(seen) or " none: nothing in the file, nor its name, names a system"
    near = meant(
        baseline, dict.fromkeys(names) if baseline else (), f"there are{there}."
    )
    if near.startswith("did you mean") and len(names) > 1:
        near += f" There are{there}."
    what = (
        f"No system is called {shown(baseline)!r}: {near}"
        if baseline
        else f"No baseline is named: {near}"
    )
    if where := [where for where, found in seen.items() if where and baseline in found]:
        what = (
            f"{shown(baseline)!r} stands {where[0]}, and nothing says that it names"
            " systems."
        )
    by_files = any(where.startswith("by their ") for where in seen)
    return refusal(
        "baseline",
        what,
        "Every other system is compared with the baseline, and the column, the file or"
        " the folder in which its name stands tells which names are systems.",
        "--baseline NAME, as it is written in the file.",
        "--map system=COLUMN, if the file names it.",
        *[
            "NAME=FILE or NAME=FOLDER says whose it is; the same name, of several runs"
            " of one system."
        ]
        * by_files,
        *([_form(baseline, seen)] if baseline else ()),
    )


def _form(baseline, seen):
    """Return the option that takes names such as base_seed0 apart, if all have one
    form.
    """
    forms = []
    for where, found in seen.items():
        ends = [
            str(name).removeprefix(baseline)
            for name in found
            if str(name).startswith(baseline)
        ]
        ends = [end for end in ends if not {*"{*}"} & {*end}]
        at = [
            (
                max((k for k, sign in enumerate(end) if sign.isdigit()), default=-1)
                + 1,
                end,
            )
            for end in ends
        ]
        stems = dict.fromkeys(
            (end[:k].rstrip("0123456789"), end[k:]) for k, end in at if k
        )
        for before, behind in stems:
            role = (
                "fold"
                if schema.role_of(before.strip("_-. ")) in ("fold", "split")
                else "seed"
            )
            form = f"{{system}}{before}{{{role}}}{behind}"
            parts = _named.parsed(found, form)
            if parts and all(part[role].isdigit() for part in parts):
                other = (
                    "; {run} for {seed}, if it only counts runs; {fold}, if folds"
                    * (role == "seed")
                )
                return (
                    f"--names {argument(form)}, if the number in these names is that of"
                    f" a {role}{other}."
                )
        names = [str(name) for name in found]
        around = dict.fromkeys(
            name.partition(baseline)[::2] for name in names if baseline in name
        )
        around = [
            (a, b)
            for a, b in around
            if (a or b) and not {*"{*}0123456789"} & {*b} | {*"{*}"} & {*a}
        ]
        apart = [
            (a, b)
            for a, b in around
            if sum(n.startswith(a) and n.endswith(b) for n in names) > 1
        ]
        apart = [f"{a}{{system}}{b}" for a, b in apart]
        forms += [
            form
            for form in apart
            if where == "as columns" or _named.parsed(found, form)
        ]
    if forms:
        ways = " or ".join(f"--names {argument(form)}" for form in forms[:6])
        return f"{ways}, if the rest of these names is that of a system."
    return (
        "or say the form of the names of files or runs: --names '{system}_seed{seed}',"
        " say."
    )


def listed(seen):
    """Return names that may be systems as the end of a sentence.

    Parameters
    ----------
    seen : dict of str to list
        By where they stand; "" where that needs no saying.

    Returns
    -------
    str
    """
    groups = [
        (where, list(dict.fromkeys(names)))
        for where, names in seen.items()
        if len(names)
    ]
    return "; or".join(
        f"{where and ', ' + where}: {examples(names, 8)}" for where, names in groups
    )
