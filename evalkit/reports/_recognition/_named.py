"""Names that hold a system and the number of a run, "base_seed3" say, by a pattern."""

import re
from dataclasses import replace

from evalkit.reports.schema import ROLES

_FIELD = re.compile(r"\{(\w+)\}|(\*)")
_FORMS = {"system": r".+?", "dataset": r".+?"}
_LONGEST = 200  # characters of a name that is looked at
_MOST = 3  # fields and stars of a form: each more is tried at every place of a name


def compiled(pattern):
    """Return the regular expression of a pattern such as "{system}_seed{seed}"; *
    stands for anything.
    """
    fields = [found[1] for found in _FIELD.finditer(pattern) if found[1]]
    if wrong := [
        name for name in fields if name not in ROLES or fields.count(name) > 1
    ]:
        raise ValueError(
            f"names: {wrong[0]!r} must be a role, and stand once; got {pattern!r}"
        )
    if len(_FIELD.findall(pattern)) > _MOST:
        raise ValueError(f"names: at most {_MOST} fields and stars, got {pattern!r}")
    if "system" not in fields:
        raise ValueError(
            'names must hold {system}, as "{system}_seed{seed}" does, got'
            f" {pattern!r}"
        )
    out, place = [], 0
    for found in _FIELD.finditer(pattern):
        out.append(re.escape(pattern[place : found.start()]))
        form = _FORMS.get(found[1], r"\w+?")
        out.append(".*?" if found[2] else f"(?P<{found[1]}>{form})")
        place = found.end()
    return re.compile("".join(out) + re.escape(pattern[place:]))


def beside(pattern):
    """Return what stands beside the fields and stars of a pattern: "f1" of
    "{system}_f1".
    """
    return _FIELD.sub("", pattern).strip("_-–—.~: /|")


def parsed(names, pattern):
    """Return what a pattern finds in each of some names; None where one does not have
    its form.
    """
    form = compiled(pattern)
    found = [
        form.fullmatch(str(name)[:_LONGEST]) if name is not None else None
        for name in names
    ]
    return [match.groupdict() for match in found] if all(found) else None


def split_column(table, column, pattern):
    """Return a table with the systems, and what else a pattern finds, as columns of
    their own.
    """
    values = table.frame[column]
    found = dict(zip(values.unique(), parsed(values.unique(), pattern), strict=True))
    for role in found[values.iloc[0]]:
        name = f"{role} (in {column})"
        table = replace(
            table,
            frame=table.frame.assign(
                **{name: values.map(lambda v, r=role: found[v][r])}
            ),
        )
        table = table.having(role, name, f"by the form of the names in {column}")
    return table.having("note", column, "it holds the names")
