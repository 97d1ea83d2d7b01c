"""Labels of several raters, no system among them: how far they agree with one of
them.
"""

from dataclasses import replace

from evalkit.reports._bench import Evidence
from evalkit.reports._checks import _common, _units
from evalkit.reports._checks._joined import matched
from evalkit.reports._faults import RefusedError, count, shown
from evalkit.reports._recognition import _seen


def prepare(table, _, bench):
    """Examine the labels of raters."""
    names = {
        "system": ("rater", "system"),
        "item": ("item",),
        "label": ("label", "prediction", "score"),
    }
    roles = {
        role: table.roles[role]
        for role in ("group", "setting", "note")
        if role in table.roles
    }
    for role, possible in names.items():
        found = [table.roles[name] for name in possible if name in table.roles]
        roles |= {role: found[0]} if found else {}
    if "item" not in roles:
        raise RefusedError(_seen.no_unit(table, "item", "items"))
    table = replace(table, roles=roles)
    frame = _common.tidy(table)
    frame = _units.with_groups(frame, table, bench.options.unit)
    _common.names(frame, bench)
    bench.drop(frame.label.isna().sum(), "no label")
    frame = frame[frame.label.notna()]
    if twice := int(frame.duplicated(["system", "item"]).sum()):
        again = (
            f"{count(twice, 'label comes', 'labels come')} again of the same rater and"
            " item."
        )
        keep = "--where COLUMN=VALUE keeps one of them."
        mend = "or take the second ones out of the file."
        bench.refuse(
            "duplicates", again, "A rater has one label for an item.", keep, mend
        )
    bench.fine("duplicates", "No two rows share the rater and the item.")
    frame = matched(frame.reset_index(drop=True), bench)
    group = _units.groups(frame, table, bench)
    _units.enough(frame, group, bench)
    bench.unchecked(
        "told", "Other raters, labels and items that were tried belong to the family."
    )
    return Evidence.of(bench, frame, roles["label"], True, {"group": group})


def answer(one, evidence):
    """Return what was found of one rater, and what to make of it."""
    found, names = one.more, f"{shown(one.system)} and {shown(evidence.baseline)}"
    _, same, ends, kappa, of_kappa, _ = row(one)
    lead = (
        f"{names} gave the same label to {same} of {one.sizes} (95 % interval {ends})"
    )
    if found.kappa is not None:
        lead += f"; Cohen's kappa is {kappa}"
    if found.kappa_interval is None:
        return f"{lead}.", f"{found.note[0].upper()}{found.note[1:]}."
    chance = (
        "more often than"
        if found.kappa_interval.low > 0
        else "no more often, perhaps, than"
    )
    return f"{lead} ({of_kappa}).", f"They agree {chance} by chance."


HEAD = (
    "rater",
    "same label",
    "95 % interval",
    "kappa",
    "95 % interval of kappa",
    "items",
)


def row(one):
    """Return a rater's row of the table."""
    found, (low, high) = one.more, one.more.share_interval
    kappa = "not known" if found.kappa is None else f"{found.kappa:.2f}"
    ends = (
        "none"
        if found.kappa_interval is None
        else "{:.2f} to {:.2f}".format(*found.kappa_interval)
    )
    share = f"{100 * found.share:.1f} %", f"{100 * low:.1f} to {100 * high:.1f} %"
    return shown(one.system), *share, kappa, ends, one.sizes
