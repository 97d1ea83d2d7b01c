"""What a file cannot say, said by whoever asks for the report; kept in `evalkit.toml`
for the next time.
"""

import json
import os
import tomllib
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from evalkit._arguments import REPORT_CHOICES
from evalkit._checks import check_choice, check_number
from evalkit._files import write_atomically
from evalkit._program import meant
from evalkit.reports import schema
from evalkit.reports._faults import examples, shown, typed, unreadable
from evalkit.reports._formats._values import one_form
from evalkit.reports._recognition import _named
from evalkit.reports._recognition._places import check_file

FILE = "evalkit.toml"
_HEAD = (
    "# What `evalkit report` knows of these files, and was told. Change what is wrong"
    " and call it again:\n# `evalkit report` alone reads this file. It writes it anew;"
    " comments are not kept.\n"
)
# Faults that somebody may look at and go on with; every other needs an option, or other
# data.
ACCEPTABLE = (
    "names", "scale", "copies", "settings", "search", "pruned", "key", "texts", "mean-row", "sizes", "chosen",
    "train-items", "test-chose", "direction", "steps", "seeds",
)  # fmt: skip
ROLES = tuple(schema.ROLES)
_WORDS = ("baseline", "metric", "unit", "names", "right", "gold")


@dataclass(frozen=True)
class Options:
    """The options of a report, all but the files.

    Attributes
    ----------
    baseline : str or None
    metric, direction : str or None
    columns : dict of str to tuple of str
        By role; only "setting", "note" and "group" take more than one column.
    where : dict of str to str
        Only rows with these values are compared.
    unit : str or None
    margin : float or None
    n_train, n_test : int or None
    failed : str or None
        "drop", "worst" or a number.
    unmatched, missing, duplicates, search : str or None
    accepted : tuple of str
        Codes of faults that somebody has looked at and goes on with.
    names : str or None
        The form of names that hold a system and a run: "{system}_seed{seed}".
    right : str or None
        The word among the scores that counts as 1, every other as 0.
    gold : str or None
        The file of the right answers.
    as_proposed : bool
        Whether all that is proposed is confirmed.
    kept : dict
        Which of them settings said, and not this call: by name, and by role or column,
        the settings.
    """

    baseline: str | None = None
    metric: str | None = None
    direction: str | None = None
    columns: dict = field(default_factory=dict)
    where: dict = field(default_factory=dict)
    unit: str | None = None
    margin: float | None = None
    n_train: int | None = None
    n_test: int | None = None
    failed: str | None = None
    unmatched: str | None = None
    missing: str | None = None
    duplicates: str | None = None
    search: str | None = None
    accepted: tuple = ()
    names: str | None = None
    right: str | None = None
    gold: str | None = None
    as_proposed: bool = False
    kept: dict = field(default_factory=dict, compare=False)

    def __post_init__(self):
        for name in _WORDS:
            value = getattr(self, name)
            # A file is called as the disk has it.
            value = value if name == "gold" else _name(value)
            if not isinstance(value, (str, type(None))):
                raise TypeError(f"{name} must be a word, got {shown(repr(value))}")
            if value is not None and not _is_word(value):
                raise ValueError(f"{name} must be a word, got {shown(repr(value))}")
            object.__setattr__(self, name, value)
        of = {role: tuple(map(_name, names)) for role, names in self.columns.items()}
        object.__setattr__(self, "columns", of)
        object.__setattr__(
            self, "where", {_name(k): _name(v) for k, v in self.where.items()}
        )
        if not isinstance(self.as_proposed, bool):
            raise TypeError(
                "as_proposed must be true or false, got"
                f" {shown(repr(self.as_proposed))}"
            )
        if self.names is not None:
            _named.compiled(self.names)
        for name, choices in REPORT_CHOICES.items():
            if (value := getattr(self, name)) is not None:
                check_choice(value, name, choices)
        for code in self.accepted:
            if code not in ACCEPTABLE:
                near = meant(str(code), ACCEPTABLE)
                raise ValueError(
                    f"accept: {shown(code)!r} is not a fault to go on with; {near}"
                )
        for role in self.columns:
            if role not in ROLES:
                raise ValueError(
                    f"columns: {shown(role)!r} is not a role; {meant(str(role), ROLES)}"
                )
        twice = [
            r
            for r in ("validation", "seed", "item", "cost")
            if self.metric in self.columns.get(r, ())
        ]
        for role in twice:
            only = (
                "; if there is no other, --accept test-chose compares it all the same"
                * (role == "validation")
            )
            raise ValueError(
                f"metric: {shown(self.metric)!r} is called the {role} as well: say"
                f" one{only}"
            )
        if self.unit in self.named("note", "setting"):
            raise ValueError(
                f"unit: {shown(self.unit)!r} is called a note or a setting as well"
            )
        if self.margin is not None and not check_number(self.margin, "margin") > 0:
            raise ValueError(f"margin must be above 0, got {self.margin}")
        for name in ("n_train", "n_test"):
            value = getattr(self, name)
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int) or value < 1
            ):
                raise ValueError(f"{name} must be a whole number from 1, got {value!r}")
        if self.failed not in (None, "drop", "worst"):
            try:
                check_number(float(self.failed), "failed")
            except ValueError:
                raise ValueError(
                    f"failed must be 'drop', 'worst' or a score, got {self.failed!r}"
                ) from None

    def given(self):
        """Return the options that were set, by name."""
        return {
            f.name: getattr(self, f.name)
            for f in fields(self)
            if f.compare and getattr(self, f.name) not in (None, {}, (), False)
        }

    def answers(self):
        """Tell whether anything is said of the columns or of what a row is."""
        of_rows = self.unit, self.where, self.search, self.right
        return any((self.columns, self.metric, self.direction, *of_rows))

    def named(self, *roles):
        """Return the columns that were named for some roles, or for any, each of
        several with commas too.
        """
        names = [
            n
            for role, names in self.columns.items()
            if not roles or role in roles
            for n in names
        ]
        return {*names, *(part for name in names for part in name.split(","))}

    def whose(self, name, key=None):
        """Say who said something: whoever asks now, or settings from before."""
        return (
            f"as {self.kept[name, key]} says"
            if (name, key) in self.kept
            else "as you said"
        )


def of_call(*, columns=None, where=None, failed=None, gold=None, accept=(), **plain):
    """Return the options of a call of `evalkit.report`, or of the settings of one.

    Parameters
    ----------
    **plain : object
        With those before them, the arguments of `evalkit.report`.

    Returns
    -------
    Options
    """
    for name, value in {"columns": columns, "where": where}.items():
        if not isinstance(value, (dict, type(None))):
            raise TypeError(f"{name} must be a dict, got {shown(repr(value))}")
    return Options(
        columns={
            role: words(names, "columns") for role, names in (columns or {}).items()
        },
        where={
            str(name): (
                value if _is_word(value) else f"{check_number(value, 'where'):.15g}"
            )
            for name, value in (where or {}).items()
        },
        failed=None if failed is None else str(failed),
        gold=str(gold) if isinstance(gold, Path) else gold,
        accepted=words(accept, "accept") if accept != () else (),
        **plain,
    )


def _name(text):
    """Return a name as the names in files are read."""
    return one_form(typed(text))


class SettingsError(ValueError):
    """Settings that are not in the form of those that a report writes."""


def _is_word(value):
    return isinstance(value, str) and value != "" and "\0" not in value


def words(value, name):
    """Return one word or several as a tuple.

    Parameters
    ----------
    value : str or sequence of str
    name : str
        Of the argument, for the error.

    Returns
    -------
    tuple of str
    """
    found = (value,) if isinstance(value, str) else value
    if (
        not isinstance(found, (list, tuple))
        or not found
        or not all(map(_is_word, found))
    ):
        raise TypeError(f"{name} must be words, got {shown(repr(value))}")
    return tuple(found)


def _toml(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):  # a basic string of TOML is one of JSON, but for DEL
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return "[" + ", ".join(map(_toml, value)) + "]"


def dump(settings):
    """Return settings as TOML.

    Parameters
    ----------
    settings : dict
        Of plain values, and of dicts of plain values.

    Returns
    -------
    str
    """
    plain = {k: v for k, v in settings.items() if not isinstance(v, dict)}
    lines = [_HEAD.rstrip("\n"), *(f"{k} = {_toml(v)}" for k, v in plain.items())]
    for name, table in settings.items():
        if isinstance(table, dict) and table:
            lines += [
                "",
                f"[{name}]",
                *(f"{_toml(str(k))} = {_toml(v)}" for k, v in table.items()),
            ]
    return "\n".join(lines) + "\n"


def load(path, within=None):
    """Read the settings of an earlier report.

    Parameters
    ----------
    path : path-like
    within : path-like, optional
        The folder outside which nothing is opened.

    Returns
    -------
    dict
    """
    check_file(path, within)
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise unreadable(
            path,
            "there is no such file",
            "evalkit report FILE... --baseline NAME writes it.",
        ) from None
    except (
        ValueError,
        RecursionError,
    ) as error:  # of tomllib, of the text, of a number without end
        raise unreadable(path, f"it is not TOML ({error})") from None


def from_settings(settings, folder, place=FILE):
    """Return the files and the options that settings name; what they do not know is
    refused.

    Parameters
    ----------
    settings : dict
    folder : path-like
        Beside what the files are named.
    place : path-like, default "evalkit.toml"
        Where they were read.

    Returns
    -------
    files : list of (str or None, str)
    options : Options
    claim : dict

    Raises
    ------
    SettingsError
    """
    name = shown(Path(place).name)
    try:
        files, options, claim = _checked(dict(settings), folder)
    except (TypeError, ValueError) as error:
        raise SettingsError(f"{name}: {error}") from None
    kept = {
        (role, key): name
        for role, value in options.given().items()
        for key in _keys(value)
    }
    return files, replace(options, kept=kept), claim


def _keys(value):
    return value if isinstance(value, dict) else (None,)


def _checked(settings, folder):
    files, claim = settings.pop("files", []), settings.pop("claim", {})
    known = sorted(f.name for f in fields(Options) if f.compare)
    for name in settings:
        if name not in known:
            raise ValueError(f"{shown(name)!r} is unknown; {meant(name, known)}")
    if not isinstance(files, list) or not all(map(_is_word, files)):
        raise ValueError(f"files must be a list of names, got {shown(files)}")
    _check_claim(claim)
    if _is_word(settings.get("gold")):
        settings["gold"] = os.path.normpath(Path(folder) / settings["gold"])
    options = of_call(accept=settings.pop("accepted", ()), **settings)
    files = [split_name(file, folder) for file in files]
    files = [(name, os.path.normpath(Path(folder) / file)) for name, file in files]
    return files, options, claim


VERDICTS = ("better", "equivalent", "not_worse")


def _check_claim(claim):
    """Refuse a claim that is not in the form in which a report writes one."""
    if not isinstance(claim, dict):
        raise ValueError(f"claim must be a table, got {shown(claim)}")
    if unknown := set(claim) - {*VERDICTS, "kind", "systems"}:
        by = " or ".join(VERDICTS)
        raise ValueError(
            f"under [claim] stand systems, by {by}; got {examples(sorted(unknown))}"
        )
    for name, value in claim.items():
        is_word = name == "kind" or (name in VERDICTS and isinstance(value, str))
        if (
            not _is_word(value)
            if is_word
            else not isinstance(value, list) or not words(value, name)
        ):
            raise ValueError(
                f"[claim] {name} must name what was compared, got {shown(value)}"
            )


def split_name(place, folder="."):
    """Return the name of a system and its file, from "NAME=FILE" or "FILE".

    Parameters
    ----------
    place : str
    folder : path-like, default "."
        Beside what a file is named.

    Returns
    -------
    (str or None, str)
    """
    name, mark, file = place.partition("=")
    return (
        (name, file)
        if mark and file and not (Path(folder) / place).exists()
        else (None, place)
    )


def to_settings(files, options, claim, folder):
    """Return what `from_settings` reads.

    Parameters
    ----------
    files : list of (str or None, str)
    options : Options
    claim : dict
    folder : path-like
        Beside what the files are named.

    Returns
    -------
    dict
    """

    def beside(place):
        return place if os.path.isabs(place) else os.path.relpath(place, folder)

    places = [
        f"{name}={beside(place)}" if name else beside(place) for name, place in files
    ]
    options = replace(options, gold=options.gold and beside(options.gold))
    plain = {
        k: list(v) if isinstance(v, tuple) else v
        for k, v in options.given().items()
        if k != "columns"
    }
    columns = {
        role: names[0] if len(names) == 1 else list(names)
        for role, names in options.columns.items()
    }
    return {
        "files": places,
        **plain,
        "columns": columns,
        **({"claim": claim} if claim else {}),
    }


def write(path, settings):
    """Write settings, if they are not there already."""
    write_atomically(path, dump(settings).encode())
