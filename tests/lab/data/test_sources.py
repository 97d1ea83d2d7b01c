"""Upstream files: the right bytes or one clear sentence, and nothing dangerous is
opened.
"""

import ast
import decimal
import gzip
import hashlib
import http.server
import io
import lzma
import os
import pickle
import re
import stat
import struct
import tarfile
import threading
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from grids import grid
from upstream import needs

from lab import cli
from lab.data import sources
from lab.data.sources import SourceError, archive_members, fetch, load_pickle

REGISTRY = sources.registry()

# --------------------------------------------------------------------------------------
# The registry
# --------------------------------------------------------------------------------------


def test_registry_has_a_row_per_file():
    assert REGISTRY.key.is_unique
    assert not REGISTRY.key.str.contains(r"\.\.|^/", regex=True).any()
    assert REGISTRY.url.str.match(r"https?://[\w.-]+/\S+$").all()
    for column in ("licence", "description", "cite"):
        assert (REGISTRY[column] != "").all()


def test_registry_knows_each_file_by_its_bytes_or_by_its_content():
    by_bytes = REGISTRY.sha256 != ""
    assert (by_bytes != (REGISTRY.content_sha256 != "")).all()
    assert (by_bytes == REGISTRY.bytes.notna()).all()
    assert (by_bytes == (REGISTRY.members == "")).all()
    assert (
        (REGISTRY.sha256 + REGISTRY.content_sha256).str.fullmatch("[0-9a-f]{64}").all()
    )


def of_registry(key):
    large = [pytest.mark.slow] if key == "imdb/aclImdb_labeled.tar.xz" else []
    return pytest.param(key, marks=[needs(key), *large])


@pytest.mark.parametrize("key", [of_registry(key) for key in REGISTRY.key])
def test_registered_file_is_what_it_should_be(key):
    assert fetch(key).is_file()


# --------------------------------------------------------------------------------------
# Fetching, from a server of our own
# --------------------------------------------------------------------------------------

GOOD = b"system,score\n" + b"a,0.5\n" * 1000


def tar_of(files, compress=gzip.compress, **attributes):
    """A tar of (name, content) pairs; the attributes go to every member."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            for attribute, value in attributes.items():
                setattr(member, attribute, value)
            archive.addfile(member, io.BytesIO(content))
    return compress(buffer.getvalue())


REVIEWS = [("set/2.txt", b"good"), ("set/1.txt", b"bad")]
CONTENT_SHA256 = hashlib.sha256(
    b"set/1.txt\0"
    + hashlib.sha256(b"bad").digest()
    + b"set/2.txt\0"
    + hashlib.sha256(b"good").digest()
).hexdigest()

# What the server sends, by path: the body, and how long it says that the body is.
BODIES = {
    "/good.csv": (GOOD, len(GOOD)),
    "/broken-off.csv": (GOOD[:4000], len(GOOD)),
    "/short.csv": (GOOD[:4000], 4000),
    "/empty.csv": (b"", 0),
    "/altered.csv": (GOOD.replace(b"0.5", b"0.6"), len(GOOD)),
    "/longer.csv": (GOOD + b"b,0.5\n", len(GOOD) + 6),
    "/reviews.tar.gz": (tar_of([("set/README", b"more"), *REVIEWS]),) * 2,
    "/page.tar.gz": (b"<html>moved</html>",) * 2,
    "/other.tar.gz": (tar_of([("set/1.txt", b"bad"), ("set/2.txt", b"good!")]),) * 2,
}


# Where the server leads to.
LEADS = {
    "/round.csv": "/round.csv",
    "/to-nowhere.csv": "http://[::1",
    "/to-a-file.csv": "file:///etc/hostname",
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path in LEADS:
            self.send_response(302)
            self.send_header("Location", LEADS[self.path])
            return self.end_headers()
        if self.path not in BODIES:
            return self.send_error(404)
        # Other bytes than the registered ones.
        if self.headers["Accept-Encoding"] != "identity":
            return self.send_error(406)
        body, length = BODIES[self.path]
        self.send_response(200)
        self.send_header(
            "Content-Length", str(length if isinstance(length, int) else len(body))
        )
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, no mirror, and a registry of files that are all meant to be
    GOOD.
    """
    monkeypatch.setenv("EVALKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("EVALKIT_MIRROR", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path / "cache"


@pytest.fixture
def registered(cache, address, tmp_path, monkeypatch):
    rows = []
    for path in [*BODIES, *LEADS, "/missing.csv"]:
        archive = path.endswith("tar.gz")
        rows.append(
            {
                "key": "set" + path.replace("tar.gz", "tar.xz"),
                "url": address + path,
                "bytes": None if archive else len(GOOD),
                "sha256": "" if archive else hashlib.sha256(GOOD).hexdigest(),
                "content_sha256": CONTENT_SHA256 if archive else "",
                "members": r"set/\d\.txt" if archive else "",
                "licence": "MIT",
                "description": "",
                "cite": "",
                "reduced": "",
            }
        )
    # A port that nothing listens on.
    rows.append(
        rows[0] | {"key": "set/refused.csv", "url": "http://127.0.0.1:1/refused.csv"}
    )
    rows.append(rows[0] | {"key": "set/copy.csv", "reduced": "its texts"})
    data = tmp_path / "data"
    data.mkdir()
    pd.DataFrame(rows).astype({"bytes": "Int64"}).to_csv(
        data / "registry.csv", index=False
    )
    monkeypatch.setattr(sources, "DATA", data)
    return cache


@pytest.fixture
def mirror(registered, tmp_path, monkeypatch):
    folder = tmp_path / "mirror" / "set"
    folder.mkdir(parents=True)
    monkeypatch.setenv("EVALKIT_MIRROR", str(folder.parent))
    return folder


def files(folder):
    return sorted(
        str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()
    )


def test_good_file_is_downloaded_once(registered, monkeypatch):
    assert not sources.available("set/good.csv")
    path = fetch("set/good.csv")
    assert path.read_bytes() == GOOD
    assert files(registered) == ["upstream/set/good.csv"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o644 or os.name == "nt"
    assert sources.available("set/good.csv")
    monkeypatch.setattr(sources, "_download", None)  # a second time there is no need
    assert fetch("set/good.csv") == path


BAD = {
    "broken-off.csv": "broken-off.csv sent is truncated: the connection broke off",
    "short.csv": "short.csv sent is truncated: 4,000 bytes of 6,013",
    "empty.csv": "empty.csv sent is truncated: 0 bytes of 6,013",
    "altered.csv": (
        "altered.csv sent is altered: its SHA-256 is not that of set/altered.csv"
    ),
    "longer.csv": "longer.csv sent is altered: it goes on after 6,013 bytes",
    "missing.csv": "answers 404 Not Found; try later, or set EVALKIT_MIRROR",
    "refused.csv": (
        "set/refused.csv is not here, and 127.0.0.1:1 cannot be reached; connect to"
    ),
    "round.csv": "set/round.csv cannot be downloaded from .*: Exceeded 30 redirects",
    "to-nowhere.csv": "set/to-nowhere.csv cannot be downloaded from",
    "to-a-file.csv": "set/to-a-file.csv cannot be downloaded from",
    "page.tar.xz": "page.tar.gz sent is refused: it is no zip, tar.gz or tar.xz",
    "other.tar.xz": (
        "other.tar.gz sent is altered: its content is not that of set/other.tar.xz"
    ),
}


def test_a_reduced_copy_is_not_looked_for_where_it_cannot_be(registered):
    with pytest.raises(SourceError, match=r"without its texts, .*EVALKIT_MIRROR"):
        fetch("set/copy.csv")
    assert not registered.exists()


@pytest.mark.parametrize("name", BAD)
def test_bad_download_is_one_sentence_and_leaves_nothing(registered, capsys, name):
    with pytest.raises(SourceError) as caught:
        fetch(f"set/{name}")
    message = str(caught.value)
    assert re.search(BAD[name], message)
    assert "\n" not in message
    # The temporary name means nothing to the reader.
    assert str(registered) not in message
    assert files(registered) == []
    assert cli.main(["data", "fetch", f"set/{name}"]) == 1
    assert capsys.readouterr() == ("", f"lab: {message}\n")


@pytest.mark.parametrize(
    "url", ["", "http://[::1/x.csv", "http://127.0.0.1/", "http://127.0.0.1:port/x.csv"]
)
def test_address_that_cannot_be_used_is_named(registered, url):
    table = sources.registry()
    table.loc[table.key == "set/good.csv", "url"] = url
    table.to_csv(sources.DATA / "registry.csv", index=False)
    with pytest.raises(
        SourceError, match="^set/good.csv (has an address|cannot be downloaded)"
    ):
        fetch("set/good.csv")


@pytest.mark.parametrize(
    "make", [Path.mkdir, *([os.mkfifo] if hasattr(os, "mkfifo") else [])]
)
def test_what_is_no_file_is_named_and_left(registered, mirror, monkeypatch, make):
    in_cache = registered / "upstream" / "set" / "good.csv"
    in_cache.parent.mkdir(parents=True)
    for path, advice in (
        (in_cache, "remove it"),
        (mirror / "good.csv", "replace it, or unset"),
    ):
        make(path)
        assert sources.location("set/good.csv") is None
        with pytest.raises(
            SourceError, match=f"{path} is not a regular file; {advice}"
        ):
            fetch("set/good.csv")
        assert os.path.lexists(path)


def test_cache_that_cannot_be_written(registered):
    registered.write_text("a file where the folder should be")
    with pytest.raises(
        SourceError, match="set/good.csv cannot be saved as .*make room .*EVALKIT_CACHE"
    ):
        fetch("set/good.csv")


@grid(
    "content",
    [
        b"",
        b"key,url\n",
        b'key\n"',
        b"\xff\xfe",
        f"{','.join(sources._REGISTERED)}\na,b,c".encode(),
    ],
)
def test_damaged_registry_is_named(registered, content):
    (sources.DATA / "registry.csv").write_bytes(content)
    with pytest.raises(ValueError, match=r"registry\.csv"):
        fetch("set/good.csv")


def test_interrupt_leaves_nothing(registered, monkeypatch, capsys):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(sources, "_verify", interrupt)
    assert cli.main(["data", "fetch", "set/good.csv"]) == 130
    assert (
        capsys.readouterr().err
        == "stopped; the files that are whole are kept; the same command goes on\n"
    )
    assert files(registered) == []


def test_damaged_cache_is_fetched_again(registered):
    path = fetch("set/good.csv")
    path.write_bytes(GOOD[:10])
    assert fetch("set/good.csv") == path
    assert path.read_bytes() == GOOD


def test_unknown_key(registered):
    with pytest.raises(
        SourceError, match="no upstream file is called 'set/../x'; `lab data list`"
    ):
        fetch("set/../x")


def test_mirror_comes_first_and_is_read_in_place(registered, mirror):
    # What it lacks is downloaded.
    assert fetch("set/good.csv") == registered / "upstream" / "set" / "good.csv"
    (mirror / "refused.csv").write_bytes(GOOD)
    (mirror / "good.csv").write_bytes(GOOD)
    before = files(registered)
    assert fetch("set/good.csv") == mirror / "good.csv"
    assert fetch("set/refused.csv") == mirror / "refused.csv"
    assert sources.location("set/good.csv") == "mirror"
    assert files(registered) == before
    assert files(mirror) == ["good.csv", "refused.csv"]


@pytest.mark.parametrize("content", [GOOD[:-1], GOOD.replace(b"0.5", b"0.6")])
def test_altered_mirror_is_refused_and_not_replaced(registered, mirror, content):
    (mirror / "good.csv").write_bytes(content)
    with pytest.raises(
        SourceError, match="replace it, or unset EVALKIT_MIRROR"
    ) as caught:
        fetch("set/good.csv")
    assert str(mirror / "good.csv") in str(caught.value)
    assert (mirror / "good.csv").read_bytes() == content
    assert files(registered) == []


def test_mirror_that_is_no_folder(registered, monkeypatch, tmp_path):
    monkeypatch.setenv("EVALKIT_MIRROR", str(tmp_path / "nowhere"))
    with pytest.raises(SourceError, match="nowhere, which is not a folder"):
        fetch("set/good.csv")


def test_archive_is_known_by_its_content(registered, mirror):
    upstream = fetch("set/reviews.tar.xz")
    assert upstream.name == "reviews.tar.gz"  # the name that it has at its address
    repacked = mirror / "reviews.tar.xz"
    repacked.write_bytes(tar_of(REVIEWS[::-1], lzma.compress, mtime=1))
    assert fetch("set/reviews.tar.xz") == repacked
    repacked.write_bytes(b"altered after it was verified")
    with pytest.raises(SourceError, match="reviews.tar.xz is refused"):
        fetch("set/reviews.tar.xz")
    repacked.unlink()
    same = mirror / "reviews.tar.gz"
    same.write_bytes(upstream.read_bytes())
    assert fetch("set/reviews.tar.xz") == same


@pytest.mark.parametrize(
    "members",
    [
        REVIEWS[:1],
        [*REVIEWS, ("set/3.txt", b"")],
        [*REVIEWS, REVIEWS[0]],
        [("set/2.txt", b"bad"), REVIEWS[1]],
    ],
)
def test_archive_with_other_content_is_refused(mirror, members):
    (mirror / "reviews.tar.xz").write_bytes(tar_of(members, lzma.compress))
    with pytest.raises(
        SourceError, match="its content is not that of set/reviews.tar.xz"
    ):
        fetch("set/reviews.tar.xz")


def test_list(registered, mirror, capsys):
    (mirror / "short.csv").write_bytes(GOOD)
    fetch("set/good.csv")
    assert cli.main(["data", "list"]) == 0
    lines = dict(
        line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()
    )
    assert set(lines) == set(sources.registry().key)
    assert lines["set/good.csv"].split() == ["6", "kB", "cache", "MIT"]
    assert lines["set/short.csv"].split() == ["6", "kB", "mirror", "MIT"]
    assert lines["set/reviews.tar.xz"].split() == ["?", "kB", "not", "here", "MIT"]


def test_fetch_prints_the_paths(registered, mirror, capsys):
    (mirror / "short.csv").write_bytes(GOOD)
    assert cli.main(["data", "fetch", "set/good.csv", "set/short.csv"]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        str(registered / "upstream" / "set" / "good.csv"),
        str(mirror / "short.csv"),
    ]
    assert printed.err == ""


# --------------------------------------------------------------------------------------
# Pickles
# --------------------------------------------------------------------------------------


class Calls:
    """Pickles to a call of anything."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def refused(tmp_path, content, message):
    path = tmp_path / "file.pickle"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=message) as caught:
        load_pickle(path)
    assert str(path) in str(caught.value)


@grid("protocol", range(6))
def test_pickle_that_runs_a_command_is_refused(tmp_path, protocol):
    evil = pickle.dumps(
        [np.float64(1), Calls(os.system, f"touch {tmp_path / 'ran'}")], protocol
    )
    refused(
        tmp_path,
        evil,
        r"it asks for (posix|nt)\.system" if protocol > 2 else "it asks for",
    )
    assert not (tmp_path / "ran").exists()


@grid(
    "value",
    [
        Calls(eval, "1"),
        Calls(getattr, 1, "real"),
        np.arange(3),
        decimal.Decimal(1),
        np.float64,
        ast.parse("1"),
    ],
)
def test_pickle_of_anything_but_numbers_is_refused(tmp_path, value):
    refused(tmp_path, pickle.dumps(value), "a pickle may hold numbers only")


def crafted_dtype(code, state):
    """A NumPy scalar whose dtype is made from `code` and then set to `state`."""
    dtype = Calls(np.dtype, code, False, True)
    dtype.call += (state,)
    return Calls(np.float64(0).__reduce__()[0], dtype, bytes(8))


OBJECT = np.dtype("O")
FIELDS = {"a": (OBJECT, 0)}


@grid(
    "value",
    [
        crafted_dtype("O", (3, "|", None, None, None, -1, -1, 63)),
        crafted_dtype("O8", (3, "|", None, None, None, -1, -1, 63)),
        crafted_dtype("V8", (3, "|", None, ("a",), FIELDS, 8, 1, 63)),
        crafted_dtype("f8", (3, "|", None, ("a",), FIELDS, 8, 1, 63)),
        crafted_dtype("f8", (3, "|", (OBJECT, (1,)), None, None, 8, 1, 63)),
        crafted_dtype("f8", (3, "<", None, (), {}, 8, 1, 63)),
        crafted_dtype([("a", "O")], None),
        crafted_dtype("f8,O", None),
        np.dtype([("a", "O")]),
        np.dtype("f8"),
        np.datetime64("2020-02-02"),
        np.str_("a"),
        np.bytes_(b"a"),
        np.void(b"abc"),
    ],
)
def test_dtype_that_is_not_a_number_is_refused(tmp_path, value):
    refused(tmp_path, pickle.dumps([1.0, value]), "a pickle may hold numbers only")


@grid("size", [0, 7, 9, 16])
def test_number_of_more_or_fewer_bytes_is_refused(tmp_path, size):
    scalar = Calls(np.float64(0).__reduce__()[0], np.dtype("f8"), bytes(size))
    refused(
        tmp_path,
        pickle.dumps(scalar),
        "a number in it is not whole, and a pickle may hold numbers only",
    )


@grid("content", [b"cnumpy\ndtype\n.", b"(lcnumpy._core.multiarray\nscalar\na."])
def test_what_makes_numbers_is_no_number(tmp_path, content):
    refused(tmp_path, content, "a pickle may hold numbers only")


def test_pickled_numbers_of_every_kind_are_read(tmp_path):
    kinds = [np.dtype(c).newbyteorder(o) for c in "?bhilBHILefdgFDG" for o in "<>"]
    numbers = [np.array(i % 2, kind)[()] for i, kind in enumerate(kinds)]
    itself = [numbers, 2**70, -0.0]
    itself.append(itself)
    written = [pickle.dumps(itself, protocol) for protocol in (3, 4, 5)]
    # As NumPy 1 named it.
    old = written[0].replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    for content in (*written, old):
        (tmp_path / "file").write_bytes(content)
        found = load_pickle(tmp_path / "file")
        assert found[0] == numbers
        assert list(map(type, found[0])) == list(map(type, numbers))
        assert found[1:3] == [2**70, -0.0]
        assert found[3] is found


def test_pickle_that_names_a_far_place_in_its_memory(tmp_path):
    # Python's reader in C makes room for 4e9 objects here.
    (tmp_path / "file").write_bytes(b"]r\xff\xff\xff\x7f.")
    assert load_pickle(tmp_path / "file") == []


@grid("content", [b"", b"text", pickle.dumps([np.float64(1)] * 9)[:-20]])
def test_damaged_pickle(tmp_path, content):
    refused(tmp_path, content, "cannot be read as a pickle of numbers")


PICKLES = list(REGISTRY.key[REGISTRY.description.str.startswith("pickle")])


@pytest.mark.parametrize(
    "key", [pytest.param(key, marks=needs(key)) for key in PICKLES]
)
def test_released_pickle_holds_numbers(key):
    assert np.array(load_pickle(fetch(key)), dtype=float).ndim in (1, 2)


def test_which_files_are_pickles():
    assert len(PICKLES) == 8


# --------------------------------------------------------------------------------------
# Archives
# --------------------------------------------------------------------------------------


def zip_of(members, compression=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def xz_of(members):
    return tar_of(members, lzma.compress)


PACKERS = [zip_of, tar_of, xz_of]


@pytest.fixture
def write(tmp_path):
    def write_archive(content):
        path = tmp_path / "archive"
        path.write_bytes(content)
        return path

    return write_archive


@grid("pack", PACKERS)
def test_members_come_one_by_one(write, tmp_path, pack):
    path = write(
        pack([("a.txt", b"1"), ("b/c.txt", b"2"), ("./d.txt", b""), ("e..txt", b"3")])
    )
    members = archive_members(path)
    assert next(members) == ("a.txt", b"1")
    assert list(members) == [("b/c.txt", b"2"), ("d.txt", b""), ("e..txt", b"3")]
    assert [name for name, _ in archive_members(path, lambda name: "/" in name)] == [
        "b/c.txt"
    ]
    assert files(tmp_path) == ["archive"]


def test_folders_are_passed_over(write):
    zipped = write(zip_of([("a/", b""), ("a/b", b"x")]))
    assert list(archive_members(zipped)) == [("a/b", b"x")]
    assert (
        list(archive_members(write(tar_of([("a", b"")], type=tarfile.DIRTYPE)))) == []
    )


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", "../up.txt", "a/../../up.txt", "C:/x.txt", "..", r"..\up.txt"],
)
def test_names_that_lead_out_are_refused(write, pack, name):
    path = write(pack([(name, b"x")]))
    with pytest.raises(SourceError, match="leads out of it"):
        list(archive_members(path, lambda name: False))


@grid(
    "kind",
    [
        tarfile.SYMTYPE,
        tarfile.LNKTYPE,
        tarfile.CHRTYPE,
        tarfile.BLKTYPE,
        tarfile.FIFOTYPE,
    ],
)
def test_links_and_devices_in_a_tar_are_refused(write, kind):
    path = write(tar_of([("a", b"")], type=kind, linkname="/etc/passwd"))
    with pytest.raises(SourceError, match="'a' in it is a link or a device"):
        list(archive_members(path))


@grid("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO])
def test_links_and_devices_in_a_zip_are_refused(write, kind):
    member = zipfile.ZipInfo("a")
    member.create_system, member.external_attr = 3, (kind | 0o644) << 16
    path = write(zip_of([(member, b"/etc/passwd")]))
    with pytest.raises(SourceError, match="'a' in it is a link or a device"):
        list(archive_members(path))


@grid("pack", PACKERS)
def test_large_members_are_refused(write, pack):
    path = write(pack([("a", b"x"), ("b", bytes(10**6))]))
    with pytest.raises(
        SourceError, match="'b' in it has 1,000,000 bytes, and 999,999 are allowed"
    ):
        list(archive_members(path, max_member=999_999))
    assert len(list(archive_members(path, max_member=10**6))) == 2


@grid("pack", PACKERS)
def test_as_much_as_is_allowed_is_unpacked(write, pack):
    members = [("a", bytes(3000)), ("b", b"x" * 70)]
    path = write(pack(members))
    unpack = {tar_of: gzip.decompress, xz_of: lzma.decompress}.get(pack)
    size = len(unpack(path.read_bytes())) if unpack else 3070
    assert list(archive_members(path, max_bytes=size)) == members
    with pytest.raises(
        SourceError, match=f"it unpacks to more than {size - 1:,} bytes"
    ):
        list(archive_members(path, max_bytes=size - 1))


def test_bomb_in_what_is_passed_over_is_refused(write):
    path = write(tar_of([("a", bytes(10**7)), ("b", b"")]))
    with pytest.raises(SourceError, match="it unpacks to more than 5,000,000 bytes"):
        list(archive_members(path, lambda name: name == "b", max_bytes=5 * 10**6))


def test_zip_that_is_larger_than_it_says_is_refused(write):
    content = bytearray(zip_of([("a", bytes(10**6))]))
    # The directory: that is where readers take sizes from.
    start = content.index(b"PK\x01\x02")
    struct.pack_into("<L", content, start + 24, 10)
    with pytest.raises(SourceError, match="is damaged"):
        list(archive_members(write(bytes(content)), max_bytes=100))


def test_encrypted_zip_is_refused(write):
    content = bytearray(zip_of([("a", b"x")]))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(SourceError, match="encrypted, or packed in an uncommon way"):
        list(archive_members(write(bytes(content))))


def test_zip_packed_in_an_uncommon_way_is_refused(write):
    path = write(zip_of([("a", bytes(100))], zipfile.ZIP_BZIP2))
    with pytest.raises(SourceError, match="encrypted, or packed in an uncommon way"):
        list(archive_members(path))


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize("keep", [0.3, 0.97, 0.9999])
def test_truncated_archive_is_an_error(write, pack, keep):
    whole = pack([(str(i), os.urandom(2000)) for i in range(10)])
    path = write(whole[: int(keep * len(whole))])
    with pytest.raises(SourceError, match=re.escape(str(path)) + " is damaged"):
        list(archive_members(path))


@grid("content", [b"", b"text", b"\x1f\x8bnot gzip", b"PKnot zip", b"\xfd7zXZ\0not xz"])
def test_other_files_are_no_archives(write, content):
    with pytest.raises(SourceError, match="is refused|is damaged"):
        list(archive_members(write(content)))
