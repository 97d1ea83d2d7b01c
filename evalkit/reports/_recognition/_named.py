"""Names that hold a system and the number of a run, "base_seed3" say, by a pattern."""

import re
from dataclasses import replace

from evalkit.reports._faults import argument
from evalkit.reports._recognition._metrics import tokens
from evalkit.reports.schema import ROLES

_FIELD = re.compile(r"\{(\w+)\}|(\*)")
_FORMS = {"system": r".+?", "dataset": r".+?"}
# What may stand between a system and the number of its run; top5, epoch2 and part1 number other things, and
# r1 may be a rater.
_RUNS = frozenset(["seed", "s", "run", "trial", "rep", "rng", "replicate"])
_NUMBER = re.compile(r"\d+")
_LONGEST = 200  # characters of a name that is looked at
_MOST = 3  # fields and stars of a form: each more is tried at every place of a name


def compiled(pattern):
    """Return the regular expression of a pattern such as "{system}_seed{seed}"; * stands for anything."""
    fields = [found[1] for found in _FIELD.finditer(pattern) if found[1]]
    if wrong := [name for name in fields if name not in ROLES or fields.count(name) > 1]:
        raise ValueError(f"names: {wrong[0]!r} must be a role, and stand once; got {pattern!r}")
    if len(_FIELD.findall(pattern)) > _MOST:
        raise ValueError(f"names: at most {_MOST} fields and stars, got {pattern!r}")
    if "system" not in fields:
        raise ValueError(f'names must hold {{system}}, as "{{system}}_seed{{seed}}" does, got {pattern!r}')
    out, place = [], 0
    for found in _FIELD.finditer(pattern):
        out.append(re.escape(pattern[place : found.start()]))
        form = _FORMS.get(found[1], r"\w+?")
        out.append(".*?" if found[2] else f"(?P<{found[1]}>{form})")
        place = found.end()
    return re.compile("".join(out) + re.escape(pattern[place:]))


def parsed(names, pattern):
    """Return what a pattern finds in each of some names; None where one does not have its form."""
    form = compiled(pattern)
    found = [form.fullmatch(str(name)[:_LONGEST]) if name is not None else None for name in names]
    return [match.groupdict() for match in found] if all(found) else None


def suggested(names, baseline):
    """Return the pattern by which names are a system and a number, the baseline among them, or None."""
    names = list(dict.fromkeys(str(name) for name in names if isinstance(name, str)))
    if len(names) < 2 or max(map(len, names)) > _LONGEST:
        return None
    for name in names:
        start = name.find(baseline)
        end = start + len(baseline)
        if start < 0 or (end < len(name) and name[end].isalnum()) or (start and name[start - 1].isalnum()):
            continue
        for number in _NUMBER.finditer(name, end):
            between, after = name[end : number.start()], name[number.end() :]
            if not between or {*tokens(between)} - _RUNS or "*" in name or "{" in name:
                continue
            for rest in dict.fromkeys((after, _NUMBER.sub("*", after))):
                pattern = f"{name[:start]}{{system}}{between}{{seed}}{rest}"
                found = parsed(names, pattern)
                if found and _is_sensible(found, baseline):
                    return pattern
    return None


def of_runs(names, baseline):
    """Return the options by which names of columns are systems and numbers of runs; None if they are not.

    Parameters
    ----------
    names : list of str
    baseline : str
        One of them.

    Returns
    -------
    str or None
    """
    system = baseline.rstrip("0123456789").rstrip(" _-")
    if (word := tokens(system)[-1:]) and word[0] in _RUNS and system.lower().endswith(word[0]):
        system = system[: -len(word[0])].rstrip(" _-")
    form = suggested(names, system) if system and system != baseline else None
    return f"--baseline {argument(system)} --names {argument(form)}" if form else None


def _is_sensible(found, baseline):
    """Tell whether a pattern finds the baseline and another system, and no run of one twice."""
    systems = {one["system"] for one in found}
    runs = {(one["system"], one["seed"]) for one in found}
    numbered = all(one["seed"].isdigit() for one in found)
    return numbered and baseline in systems and len(systems) > 1 and len(runs) == len(found)


def split_column(table, column, pattern):
    """Return a table with the systems, and what else a pattern finds, as columns of their own."""
    values = table.frame[column]
    found = dict(zip(values.unique(), parsed(values.unique(), pattern), strict=True))
    for role in found[values.iloc[0]]:
        name = f"{role} (in {column})"
        table = replace(table, frame=table.frame.assign(**{name: values.map(lambda v, r=role: found[v][r])}))
        table = table.having(role, name, f"by the form of the names in {column}")
    return table.having("note", column, "it holds the names")
