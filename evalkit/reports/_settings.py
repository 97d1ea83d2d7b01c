"""What a table cannot say, said by whoever asks for the report; kept in `evalkit.toml`
for the next time.
"""

import json
import os
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path

from evalkit._checks import check_choice, check_int, check_number
from evalkit._limits import DIRECTIONS
from evalkit._program import meant
from evalkit.reports import schema
from evalkit.reports._files import check_place
from evalkit.reports._refused import examples, shown, unreadable

FILE = "evalkit.toml"
_HEAD = (
    "# What `evalkit report` was told of these files: `evalkit report` alone reads it,"
    " and writes it anew; comments are not kept.\n"
)
VERDICTS = ("better", "equivalent", "not_worse")


@dataclass(frozen=True)
class Options:
    """The arguments of `evalkit.report`, but for the table."""

    baseline: str
    metric: str | None = None
    direction: str | None = None
    columns: dict = field(default_factory=dict)
    ignore: tuple = ()
    margin: float | None = None
    n_train: int | None = None
    n_test: int | None = None
    random: bool = False
    n: int | None = None
    confirm: tuple = ()

    def given(self):
        """Return what was said, by name, as plain values."""
        said = {f.name: getattr(self, f.name) for f in fields(self)}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in said.items()
            if value not in (None, {}, (), False)
        }

    def in_python(self):
        """Return what was said as arguments of a call."""
        return ", ".join(f"{name}={value!r}" for name, value in self.given().items())


def checked(said):
    """Return options that are what they must be; what is not is refused."""
    said = {k: v for k, v in said.items() if v is not None or k == "baseline"}
    for name in {"baseline", "metric"} & {*said}:
        if not (isinstance(said[name], str) and said[name]):
            raise TypeError(f"{name} must be a name, got {said[name]!r}")
    for name in ("ignore", "confirm"):
        value = said.get(name, ())
        value = (value,) if isinstance(value, str) else value
        if not isinstance(value, (list, tuple)) or not all(
            isinstance(one, str) for one in value
        ):
            raise TypeError(f"{name} must be a name or a list of names, got {value!r}")
        said[name] = tuple(value)
    for code in said["confirm"]:
        check_choice(code, "confirm", schema.SUSPICIONS)
    if "direction" in said:
        check_choice(said["direction"], "direction", DIRECTIONS)
    columns = said.get("columns", {})
    is_word = isinstance(columns, dict) and all(
        isinstance(value, str)
        or (role in schema.SEVERAL and isinstance(value, (list, tuple)))
        for role, value in columns.items()
    )
    if not is_word:
        raise TypeError(f"columns must be a dict of role to column, got {columns!r}")
    if "margin" in said and not check_number(said["margin"], "margin") > 0:
        raise ValueError(f"margin must be above 0, got {said['margin']}")
    for name in {"n_train", "n_test", "n"} & {*said}:
        check_int(said[name], name)
    if not isinstance(said.get("random", False), bool):
        raise TypeError(f"random must be True or False, got {said['random']!r}")
    return Options(**said)


def _toml(value):
    """Return a value as TOML, which is JSON's but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def dump(settings):
    """Return settings, a dict of plain values and of dicts of them, as TOML."""
    plain = {k: v for k, v in settings.items() if not isinstance(v, dict)}
    lines = [_HEAD.rstrip("\n"), *(f"{k} = {_toml(v)}" for k, v in plain.items())]
    for name, table in settings.items():
        if isinstance(table, dict) and table:
            own = [f"{_toml(str(k))} = {_toml(v)}" for k, v in table.items()]
            lines += ["", f"[{name}]", *own]
    return "\n".join(lines) + "\n"


def load(path, within=None):
    """Read the settings of an earlier report, as they stand."""
    check_place(path, within)
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        way = "evalkit report FILE... --baseline NAME writes it."
        raise unreadable(path, "there is no such file", way) from None
    except (ValueError, RecursionError) as error:
        raise unreadable(path, f"it is not TOML ({error})") from None


def parsed(settings, folder, place=FILE):
    """Return the files, the options and the claim that settings name; what they do not
    know is refused.

    Parameters
    ----------
    settings : dict
    folder : path-like
        Beside what the files are named.
    place : path-like, default "evalkit.toml"
        Where they were read.

    Returns
    -------
    files : list of str
    options : Options
    claim : dict
    """
    said = dict(settings)
    files, claim = said.pop("files", []), said.pop("claim", {})
    known = sorted(f.name for f in fields(Options))
    try:
        for name in said:
            if name not in known:
                raise ValueError(f"{shown(name)!r} is unknown; {meant(name, known)}")
        if not isinstance(files, list) or not all(map(_is_word, files)):
            raise ValueError(f"files must be a list of names, got {shown(files)}")
        if "baseline" not in said:
            raise ValueError("no baseline is named")
        _check_claim(claim)
        options = checked(said)
    except (TypeError, ValueError) as error:
        raise unreadable(place, str(error), "mend it, or take it away.") from None
    return [os.path.normpath(Path(folder) / file) for file in files], options, claim


def _is_word(value):
    return isinstance(value, str) and value != "" and "\0" not in value


def _check_claim(claim):
    """Refuse a claim that is not in the form in which a report writes one."""
    if not isinstance(claim, dict):
        raise ValueError(f"claim must be a table, got {shown(claim)}")
    if unknown := {*claim} - {*VERDICTS, "kind", "systems"}:
        by = " or ".join(VERDICTS)
        raise ValueError(
            f"under [claim] stand systems, by {by}; got {examples(sorted(unknown))}"
        )
    for name, value in claim.items():
        words = [value] if name == "kind" else value
        if not isinstance(words, list) or not words or not all(map(_is_word, words)):
            raise ValueError(
                f"[claim] {name} must name what was compared, got {shown(value)}"
            )


def settings_of(files, options, claim, folder):
    """Return what `parsed` reads."""

    def beside(place):
        return place if os.path.isabs(place) else os.path.relpath(place, folder)

    said = {"files": [beside(place) for place in files], **options.given()}
    columns = said.pop("columns", {})
    return {**said, "columns": columns, **({"claim": claim} if claim else {})}
