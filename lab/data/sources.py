"""Upstream data: what it is, where it lies, and how it is opened with care.

`data/registry.csv` holds the facts about each file. A file is looked for in the folder
that `EVALKIT_MIRROR` names, then in the user's cache, then at its address; wherever it
comes from, it is used only if it is the file that the book was computed from.

Most files are known by the SHA-256 of their bytes. Two archives are packed in more than
one way, so there it is the content that counts: `content_sha256` is the SHA-256 over
the members whose names match `members`, sorted by name, each as its name in UTF-8, a
zero byte, and the 32 bytes of the SHA-256 of what is in it.
"""

import contextlib
import functools
import gzip
import hashlib
import io
import lzma
import os
import pickle
import re
import stat
import tarfile
import zipfile
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

import numpy as np
import pandas as pd

from lab.data import DATA, DataError, cache_folder
from lab.data.files import read_csv


class SourceError(DataError):
    """An upstream file cannot be had, or is not what it should be."""


# --------------------------------------------------------------------------------------
# What there is, and where
# --------------------------------------------------------------------------------------


_REGISTERED = [
    "key",
    "url",
    "bytes",
    "sha256",
    "content_sha256",
    "members",
    "licence",
    "description",
    "cite",
    "reduced",
]


def registry():
    """Return the facts about each upstream file.

    Returns
    -------
    pandas.DataFrame
        One row per file: `key`, `url`, `bytes`, `sha256`, `content_sha256`, `members`,
        `licence`, `description`, `cite` and `reduced`. Archives that are known by their
        content have `content_sha256` and `members` (a regular expression for the names
        that count), and no `bytes` and `sha256`. `reduced` says what was left out of a
        copy that is not what lies at `url`, and so can only be had from a mirror.
    """
    path = DATA / "registry.csv"
    table = read_csv(path, _REGISTERED)
    try:
        return table.assign(bytes=pd.to_numeric(table.bytes).astype("Int64"))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{path} must have whole numbers as bytes, or nothing: {error}"
        ) from None


def _facts(key):
    table = registry()
    rows = table[table.key == key]
    if rows.empty:
        raise SourceError(
            f"no upstream file is called {key!r}; `lab data list` names them"
        )
    return next(rows.itertuples(index=False))


def _places(facts):
    """Yield (place, path) wherever a file may lie, in the order of looking."""
    try:
        upstream_name = PurePosixPath(urlsplit(facts.url).path).name
        as_upstream = PurePosixPath(facts.key).with_name(upstream_name)
    except ValueError as error:
        raise SourceError(
            f"{facts.key} has an address in the registry that names no file,"
            f" {facts.url!r} ({error})"
        ) from None
    if folder := os.environ.get("EVALKIT_MIRROR"):
        if not Path(folder).is_dir():
            raise SourceError(
                f"EVALKIT_MIRROR is set to {folder}, which is not a folder"
            )
        for name in dict.fromkeys([facts.key, str(as_upstream)]):
            yield "mirror", Path(folder, name)
    yield "cache", cache_folder() / "upstream" / as_upstream


def location(key):
    """Say where a file lies, without a look at the network or into the file.

    Parameters
    ----------
    key : str

    Returns
    -------
    {"mirror", "cache"} or None
    """
    return next((name for name, path in _places(_facts(key)) if path.is_file()), None)


def available(*keys):
    """Say whether files can be had without a network.

    Parameters
    ----------
    *keys : str

    Returns
    -------
    bool
        Whether each lies in the mirror or the cache; `fetch` still verifies them.
    """
    return all(location(key) for key in keys)


def fetch(key):
    """Return the path of a verified file, downloading it if it is not here.

    Parameters
    ----------
    key : str
        As in `registry`.

    Returns
    -------
    pathlib.Path
        In the folder `EVALKIT_MIRROR`, where it is read in place, or in the user's
        cache.

    Raises
    ------
    SourceError
        If there is no such file, if it cannot be reached, or if it is not the
        registered one. A file in the mirror that differs is refused, not replaced;
        nothing unverified stays in the cache.
    """
    facts = _facts(key)
    for name, path in _places(facts):
        if not os.path.lexists(path):
            continue
        try:
            _verify(facts, path, path)
            return path
        except OSError as error:
            raise SourceError(
                f"{path} cannot be read: {error.strerror}; allow it, or remove it"
            ) from None
        except SourceError as error:
            if name == "mirror":
                raise SourceError(
                    f"{error}; replace it, or unset EVALKIT_MIRROR"
                ) from None
            if not path.is_file():
                raise SourceError(f"{error}; remove it") from None
            path.unlink()  # a damaged copy in the cache is of no use
    _download(facts, path)  # the cache comes last
    return path


@contextlib.contextmanager
def opened(key):
    """Fetch a file, and name it whatever its reader stumbles over.

    Parameters
    ----------
    key : str
        As in `registry`.

    Yields
    ------
    pathlib.Path
        To be read inside the `with`.

    Raises
    ------
    SourceError
        As `fetch` does, and for whatever is raised inside.
    """
    path = fetch(key)
    try:
        yield path
    except SourceError:
        raise
    except Exception as error:
        raise SourceError(
            f"{path} cannot be read as {key} ({error!r}); remove it, and it is fetched"
            " again"
        ) from error


def _verify(facts, path, described):
    """Raise a SourceError unless the file at `path` is the registered one."""
    if not path.is_file():
        raise SourceError(f"{described} is not a regular file")
    status = path.stat()
    if facts.content_sha256:
        try:
            digest = _content_hash(
                path, facts.members, status.st_size, status.st_mtime_ns
            )
        except SourceError as error:
            raise SourceError(str(error).replace(str(path), str(described))) from None
        if digest != facts.content_sha256:
            raise SourceError(
                f"{described} is altered: its content is not that of {facts.key}"
            )
        return
    if status.st_size < facts.bytes:
        raise SourceError(
            f"{described} is truncated: {status.st_size:,} bytes of {facts.bytes:,}"
        )
    with open(path, "rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != facts.sha256:
            raise SourceError(
                f"{described} is altered: its SHA-256 is not that of {facts.key}"
            )


# unpacking takes seconds, and a file that has not changed need not be read twice
@functools.cache
def _content_hash(path, members, size, mtime_ns):
    digests = sorted(
        (name.encode(), hashlib.sha256(content).digest())
        for name, content in archive_members(path, re.compile(members).fullmatch)
    )
    return hashlib.sha256(
        b"".join(name + b"\0" + digest for name, digest in digests)
    ).hexdigest()


# The most bytes of an archive that is known by its content, and so in no one size.
_LARGEST = 2**28


def _receive(url, file, limit):
    """Write what an address sends to a file, unless it is more than `limit` bytes."""
    import requests

    # Bytes as they lie on the server: a transparent gzip would change what is hashed.
    identity, received = {"Accept-Encoding": "identity"}, 0
    with requests.get(url, timeout=30, stream=True, headers=identity) as answer:
        answer.raise_for_status()
        with open(file, "wb") as out:
            for block in answer.raw.stream(2**16, decode_content=False):
                received += len(block)
                if received > limit:
                    raise SourceError(
                        f"what {url} sent is altered: it goes on after {limit:,} bytes"
                    )
                out.write(block)


def _download(facts, target):
    """Download to a temporary name, verify, and only then rename."""
    if facts.reduced:
        raise SourceError(
            f"{facts.key} is not here: it is a copy of {facts.url} without"
            f" {facts.reduced}, which cannot be downloaded. Pages read its extract in"
            " data/boards/ instead; to make that again, set EVALKIT_MIRROR to a folder"
            " that has the copy"
        )
    # with requests it takes half a second, and most readers download nothing
    import pooch
    import requests
    import urllib3

    def download_and_verify(url, file, _):
        _receive(url, file, _LARGEST if facts.content_sha256 else facts.bytes)
        _verify(facts, Path(file), f"what {url} sent")
        os.chmod(file, 0o644)

    pooch.get_logger().setLevel("WARNING")
    url, host = facts.url, urlsplit(facts.url).netloc
    elsewhere = "or set EVALKIT_MIRROR to a folder that has it"
    try:
        pooch.retrieve(
            url,
            None,
            fname=target.name,
            path=target.parent,
            downloader=download_and_verify,
        )
    except requests.HTTPError as error:
        answer = f"{error.response.status_code} {error.response.reason}"
        raise SourceError(
            f"{facts.key} cannot be had: {url} answers {answer}; try later, {elsewhere}"
        ) from None
    except (requests.ConnectionError, requests.Timeout):
        raise SourceError(
            f"{facts.key} is not here, and {host} cannot be reached; connect to the"
            f" network, {elsewhere}"
        ) from None
    except (
        requests.RequestException,
        ValueError,
    ) as error:  # an address that cannot be parsed is either
        raise SourceError(
            f"{facts.key} cannot be downloaded from {url}: {error}"
        ) from None
    except urllib3.exceptions.HTTPError:
        raise SourceError(
            f"what {url} sent is truncated: the connection broke off; try again"
        ) from None
    except OSError as error:
        raise SourceError(
            f"{facts.key} cannot be saved as {target}: {error.strerror or error}; make"
            " room or allow it, or set EVALKIT_CACHE to another folder"
        ) from None


# --------------------------------------------------------------------------------------
# Opening what others packed
# --------------------------------------------------------------------------------------


class _Dtype:
    """Stands for `numpy.dtype` while a pickle is read, for a real one can hold
    anything.
    """

    def __init__(self, code, *_):
        if not isinstance(code, str) or not re.fullmatch(r"[biufc]\d{1,2}", code):
            raise SourceError("it asks for a dtype that is not a number's")
        self.number = np.dtype(code)

    def __setstate__(self, state):
        _, order, subdtype, names, fields, *_ = state
        if not subdtype is names is fields is None:
            raise SourceError("it asks for a dtype with fields")
        self.number = self.number.newbyteorder(order)


def _scalar(dtype, content):
    """Stand for NumPy's function of this name: a scalar from its bytes."""
    if not isinstance(dtype, _Dtype) or len(content) != dtype.number.itemsize:
        raise SourceError("a number in it is not whole")
    return np.frombuffer(content, dtype.number)[0]


# What a pickled NumPy number asks for, under its names in NumPy 1 and 2.
_NUMBER = {
    ("numpy", "dtype"): _Dtype,
    ("numpy.core.multiarray", "scalar"): _scalar,
    ("numpy._core.multiarray", "scalar"): _scalar,
}
_PLAIN = (str, bytes, int, float, complex, type(None), np.number, np.bool_)


# The one in C makes room for whatever position in its memory a file names, up to 64 GB;
# this one does not.
class _NumberUnpickler(pickle._Unpickler):
    def find_class(self, module, name):
        if (module, name) not in _NUMBER:
            raise SourceError(f"it asks for {module}.{name}")
        return _NUMBER[module, name]


def _check_plain(value):
    left, seen = [value], set()  # a list may hold itself
    while left:
        value = left.pop()
        if isinstance(value, (list, tuple, set, frozenset, dict)):
            if id(value) not in seen:
                seen.add(id(value))
                left += [*value, *value.values()] if isinstance(value, dict) else value
        elif not isinstance(value, _PLAIN):
            raise SourceError(f"it holds a {type(value).__name__}")


def load_pickle(path):
    """Load a pickle of plain containers and numbers; anything else is refused.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    object
        Lists, tuples, dicts, sets, strings, numbers and NumPy scalars.

    Raises
    ------
    SourceError
        If the pickle asks for anything but NumPy's scalars of numbers, before it gets
        it; or if it is damaged.
    """
    content = Path(path).read_bytes()
    try:
        value = _NumberUnpickler(io.BytesIO(content)).load()
        _check_plain(value)
    except SourceError as error:
        raise SourceError(
            f"{path} is refused: {error}, and a pickle may hold numbers only"
        ) from None
    except Exception as error:  # a damaged pickle raises almost anything
        raise SourceError(
            f"{path} cannot be read as a pickle of numbers: {error!r}"
        ) from None
    return value


_UNPACK = {b"\x1f\x8b": gzip.open, b"\xfd7zXZ\0": lzma.open}


def archive_members(
    path, wanted=lambda name: True, *, max_bytes=2**30, max_member=2**27
):
    """Yield the files of an archive one by one, without writing any of them.

    Parameters
    ----------
    path : path-like
        A zip, tar.gz or tar.xz file, told apart by its first bytes.
    wanted : callable, optional
        Takes a member's name and says whether to yield it; by default all are.
    max_bytes : int, default 2**30
        The most bytes that may be unpacked; of a tar, which is unpacked from end to
        end, this includes what is passed over.
    max_member : int, default 2**27
        The most bytes that a single yielded file may have.

    Yields
    ------
    name : str
        Without a leading "./".
    content : bytes

    Raises
    ------
    SourceError
        If the archive is damaged or too large, or if any of its members is a link, a
        device, or has a name that leads out of the archive.
    """
    with open(path, "rb") as file:
        try:
            yield from _members(file, wanted, max_bytes, max_member)
        except SourceError as error:
            raise SourceError(f"{path} is refused: {error}") from None
        except Exception as error:  # damaged archives raise almost anything
            raise SourceError(f"{path} is damaged: {error!r}") from None


def _members(file, wanted, max_bytes, max_member):
    start = file.read(6)
    file.seek(0)
    if start.startswith(b"PK"):
        yield from _zip_members(file, wanted, max_bytes, max_member)
        return
    unpack = next(
        (opener for magic, opener in _UNPACK.items() if start.startswith(magic)), None
    )
    if unpack is None:
        raise SourceError("it is no zip, tar.gz or tar.xz")
    with unpack(file) as stream:
        limited = _Limited(stream, max_bytes)
        yield from _tar_members(limited, wanted, max_member)
        # A damaged header looks like the end; the checksum of the whole, which comes
        # last, does not.
        while limited.read(2**20):
            pass


def _clean_name(name, plain):
    """Return a member's name, if it stays inside the archive and the member is a file
    or folder.
    """
    if not plain:
        raise SourceError(f"{name!r} in it is a link or a device")
    if (
        name.startswith("/")
        or "\\" in name
        or ":" in name.split("/")[0]
        or ".." in name.split("/")
    ):
        raise SourceError(f"the name {name!r} in it leads out of it")
    return name.removeprefix("./")


def _check_size(name, size, limit):
    if size > limit:
        raise SourceError(
            f"{name!r} in it has {size:,} bytes, and {limit:,} are allowed"
        )


class _Limited:
    """A stream that gives up once it has been read too far: headers can claim
    anything.
    """

    def __init__(self, stream, limit):
        self.stream, self.limit, self.left = stream, limit, limit

    def read(self, size):
        data = self.stream.read(min(size, self.left + 1))
        self.left -= len(data)
        if self.left < 0:
            raise SourceError(f"it unpacks to more than {self.limit:,} bytes")
        return data


def _tar_members(stream, wanted, max_member):
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            name = _clean_name(member.name, member.isreg() or member.isdir())
            if member.isreg() and wanted(name):
                _check_size(name, member.size, max_member)
                yield name, archive.extractfile(member).read()


def _zip_members(file, wanted, max_bytes, max_member):
    left = max_bytes
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            kind = stat.S_IFMT(member.external_attr >> 16)
            name = _clean_name(member.filename, kind in (0, stat.S_IFREG, stat.S_IFDIR))
            if member.is_dir() or not wanted(name):
                continue
            if member.flag_bits & 1 or member.compress_type not in (
                zipfile.ZIP_STORED,
                zipfile.ZIP_DEFLATED,
            ):
                raise SourceError(
                    f"{name!r} in it is encrypted, or packed in an uncommon way"
                )
            _check_size(name, member.file_size, max_member)
            left -= member.file_size
            if left < 0:
                raise SourceError(f"it unpacks to more than {max_bytes:,} bytes")
            with archive.open(member) as content:
                # With a size, so that one that is larger than it says is not unpacked
                # whole.
                yield name, content.read(member.file_size + 1)
