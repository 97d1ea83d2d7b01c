"""Labels of several raters, no system among them: how far they agree with one of them."""

from dataclasses import replace

from evalkit.reports import _common, _units
from evalkit.reports._bench import Evidence
from evalkit.reports._faults import count, examples, shown
from evalkit.reports._joined import matched


def prepare(table, _, bench):
    """Examine the labels of raters.

    Parameters
    ----------
    table : Table
        With the roles item, label and rater; the baseline is one of the raters.
    _ : pandas.DataFrame
    bench : Bench

    Returns
    -------
    Evidence
    """
    names = {"system": ("rater", "system"), "item": ("item",), "label": ("label", "prediction", "score")}
    roles = {role: table.roles[role] for role in ("group", "setting", "note") if role in table.roles}
    for role, possible in names.items():
        found = [table.roles[name] for name in possible if name in table.roles]
        roles |= {role: found[0]} if found else {}
    if "item" not in roles:
        bench.refuse(
            "unmatched",
            f"No column names the items; there are: {examples(table.frame.columns, 12)}.",
            "Labels are compared item by item, and joined by the name of the item.",
            "--map item=COLUMN, if a column does.",
        )
    table = replace(table, roles=roles)
    frame = _common.tidy(table)
    columns = [name for name in _units.group_columns(table, bench.options.unit) if name not in frame]
    frame = frame.assign(**{name: table.frame[name] for name in columns})
    _common.names(frame, bench)
    if empty := int(frame.label.isna().sum()):
        bench.drop(empty, "no label")
        frame = frame[frame.label.notna()]
    if twice := int(frame.duplicated(["system", "item"]).sum()):
        bench.refuse(
            "duplicates",
            f"{count(twice, 'label comes', 'labels come')} again of the same rater and item.",
            "A rater has one label for an item.",
            "--where COLUMN=VALUE keeps one of them.",
            "or take the second ones out of the file.",
        )
    bench.fine("duplicates", "No two rows share the rater and the item.")
    frame = matched(frame.reset_index(drop=True), bench)
    group = _units.groups(frame, table, columns, bench)
    _units.enough(frame, group, bench)
    bench.unchecked("told", "Other raters, labels and items that were tried belong into the family.")
    raters = tuple(name for name in frame.system.unique() if name != bench.options.baseline)
    facts, baseline = {"group": group}, bench.options.baseline
    return Evidence("agreement", frame, baseline, raters, roles["label"], "higher", len(table.frame), facts)


def answer(one, evidence):
    """Return what was found of one rater, and what to make of it.

    Parameters
    ----------
    one : Contrast
    evidence : Evidence

    Returns
    -------
    (str, str)
    """
    found, names = one.more, f"{shown(one.system)} and {shown(evidence.baseline)}"
    share = f"{_percent(found.share)} % of {one.sizes} (95 % interval {_ends(found.share_interval, 100)} %)"
    if found.kappa is None:
        return f"{names} gave the same label to {share}.", f"{found.note[0].upper()}{found.note[1:]}."
    kappa = f"Cohen's kappa is {found.kappa:.2f}"
    if found.kappa_interval is None:
        return (
            f"{names} gave the same label to {share}; {kappa}.",
            f"{found.note[0].upper()}{found.note[1:]}.",
        )
    ends = _ends(found.kappa_interval)
    words = (
        "more often than by chance"
        if found.kappa_interval.low > 0
        else "no more often, perhaps, than by chance"
    )
    return f"{names} gave the same label to {share}; {kappa} ({ends}).", f"They agree {words}."


def _percent(share):
    return f"{100 * share:.1f}"


def _ends(interval, times=1):
    low, high = (end * times for end in interval)
    return f"{low:.{1 if times > 1 else 2}f} to {high:.{1 if times > 1 else 2}f}"


HEAD = ("rater", "same label", "95 % interval", "kappa", "95 % interval of kappa", "items")


def row(one):
    """Return a rater's row of the table.

    Parameters
    ----------
    one : Contrast

    Returns
    -------
    tuple of str
    """
    found = one.more
    kappa = "not known" if found.kappa is None else f"{found.kappa:.2f}"
    ends = "none" if found.kappa_interval is None else _ends(found.kappa_interval)
    share = f"{_percent(found.share)} %", f"{_ends(found.share_interval, 100)} %"
    return shown(one.system), *share, kappa, ends, one.sizes
