"""What stands below the result: the data, what was checked, what cannot be said, the checklist."""

import math

from evalkit.reports import _paper, _speaks
from evalkit.reports._document import block
from evalkit.reports._faults import count, placed, shown

OUTCOMES = {"fine": "nothing found", "decided": "found, decided"}
# Each check stands in one place of the page: at its top, among what cannot be said, or among what was seen.
CANNOT, SEEN = "What cannot be said", "What was checked"
TOP = {"accepted": "Read this first", "note": "Note", "open": "Open"}
WHERE = {"unchecked": CANNOT, **TOP}


def placed_checks(bench):
    """Return each check with its place, those of the top of the page in their order."""
    places = [
        "accepted" if check.outcome == "decided" and "--accept" in check.words else check.outcome
        for check in bench.checks
    ]
    order = [*TOP]
    pairs = zip(bench.checks, places, strict=True)
    return sorted(pairs, key=lambda pair: order.index(pair[1]) if pair[1] in order else len(order))


def cannot(findings, bench):
    rows = [f"Nothing about {words}" for words in findings.cannot]
    rows += [f"{c.question} Not checked: {c.words}" for c in bench.checks if c.outcome == "unchecked"]
    return block("list", rows=rows)


def checks(bench):
    rows = [
        (check.question, OUTCOMES[place], check.words)
        for check, place in placed_checks(bench)
        if place in OUTCOMES
    ]
    caption = (
        f"What was found and decided, or looked for and not found; the notes at the top, and "
        f"\u201c{CANNOT}\u201d, have the rest"
    )
    return block("table", caption, rows, ("question", "outcome", "what was seen"))


def data(report):
    """Return what came in, how it was understood, and what each system cost.

    Parameters
    ----------
    report : Report

    Returns
    -------
    list of Block
    """
    bench, evidence = report.bench, report.evidence
    files = [(placed(r.place), r.format, f"{len(r.frame):,}", r.sha256[:16]) for r in report.readings[:12]]
    if len(report.readings) > 12:
        rest = report.readings[12:]
        files.append((f"and {len(rest):,} more", "", f"{sum(len(r.frame) for r in rest):,}", ""))
    parts = (
        [block("table", "Files", files, ("file", "read as", "rows", "SHA-256, its beginning"))]
        if files
        else []
    )
    lines = [f"{count(evidence.n_read, 'row')} came in, {count(len(evidence.used), 'score')} are compared."]
    lines += [f"Averaged: {words}." for words in bench.merged]
    lines += [f"{count(n, 'row')} left out: {why}." for n, why in bench.left_out]
    lines += [f"Not read, for no reader knows it: {placed(place)}." for place in report.ignored[:10]]
    lines += costs(report)
    lines += report.notes
    parts.append(block("list", rows=lines))
    if report.columns:
        parts.append(
            block("table", "How the columns were understood", report.columns, ("for", "column", "because"))
        )
    return parts


def costs(report):
    """Say what each system cost, where that is known.

    Parameters
    ----------
    report : Report

    Returns
    -------
    list of str
        One sentence, or none.
    """
    evidence = report.evidence
    if "cost" not in evidence.used:
        return []
    means = evidence.used.groupby("system").cost.mean()
    each = [f"{shown(name)} {means[name]:,.4g}" for name in (evidence.baseline, *evidence.systems)]
    what = {"search": "a trial", "items": "an answer", "datasets": "a run on a data set"}.get(
        evidence.kind, "a run"
    )
    name = report.roles.get("cost", ("cost",))[0]
    return [f"Mean {shown(name)} of {what}: {', '.join(dict.fromkeys(each))}."]


def checklist(report):
    """Return the lines of the reporting checklist, ticked as far as the file tells.

    Parameters
    ----------
    report : Report

    Returns
    -------
    list of (bool, str)
    """
    evidence, findings, bench = report.evidence, report.findings, report.bench
    seen, found, margin = {c.code: c for c in bench.checks}, findings.contrasts, bench.options.margin
    where = {check.code: WHERE.get(place, SEEN) for check, place in placed_checks(bench)}

    def refer(code):
        return f"see \u201c{where[code]}\u201d." if code in where else "nothing is known of them."

    def is_(code, *outcomes):
        return code in seen and seen[code].outcome in outcomes

    lacks, is_labels = is_("seeds", "note"), evidence.kind == "agreement"
    test = "the share of equal labels, and Cohen's kappa" if is_labels else found[0].test
    holm = ", adjusted by Holm." if len(found) > 1 and not is_labels else "; more that were made belong here."
    said = (
        f"{margin:g}; whether it was said before the result is for you to say."
        if margin
        else "--margin says it."
    )
    metric = f"{shown(evidence.metric)}, {findings.quantity}" + f"; {evidence.direction} is better" * (
        not is_labels
    )
    return [
        (
            True,
            f"How many runs a number rests on, and what varies between them: {_paper.sizes(found)}; "
            f"{findings.varies}.",
        ),
        (
            is_("failed", "fine", "decided") and not lacks,
            f"Failures: {refer('failed')}" + f" Runs that are missing: {refer('seeds')}" * lacks,
        ),
        (True, f"The metric, defined: {metric}. Computed by which program?"),
        (not math.isnan(found[0].low), "The difference with its interval: in the table."),
        (True, f"The independent unit: {_speaks.unit(evidence)}."),
        (True, f"The test, its form, and why this one: {test}, for {findings.way.title.lower()}."),
        (True, f"How many comparisons were made, and the correction: {len(found)}{holm}"),
        # An earlier call may have shown the result: no page can tell.
        (False, f"How large a difference matters, said before the result is known: {said}"),
        (is_("train-items", "fine"), f"What keeps the parts of the data apart: {refer('train-items')}"),
        (is_("test-chose", "fine"), f"How often the test set was looked at: {refer('test-chose')}"),
        (False, f"What was tuned, for the baseline as well: {refer('tuned')}"),
        (False, "The floor: the best dummy under this metric."),
        (
            False,
            "The environment: versions, machine, code; one command that makes a slice of the table again.",
        ),
    ]
