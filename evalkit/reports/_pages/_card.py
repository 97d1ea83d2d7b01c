"""What stands below the result: the data, what was checked, what cannot be said, the checklist."""

import math

from evalkit.reports._faults import count, placed, shown
from evalkit.reports._pages import _paper, _speaks
from evalkit.reports._pages._document import block

OUTCOMES = {"fine": "in order", "decided": "found, decided"}
# Each check stands in one place of the page: at its top, among what cannot be said, or among what was seen.
CANNOT, SEEN = "What cannot be said", "What was checked"
TOP = {"accepted": "Read this first", "note": "Note", "open": "Open"}
WHERE = {"unchecked": CANNOT, **TOP}


def placed_checks(bench):
    """Return each check with its place, those of the top of the page in their order."""

    def place(check):
        is_accepted = check.outcome == "decided" and "--accept" in check.words
        return "accepted" if is_accepted else check.outcome

    pairs = [(check, place(check)) for check in bench.checks]
    return sorted(pairs, key=lambda pair: [*TOP, pair[1]].index(pair[1]))


def cannot(findings, bench):
    rows = [f"Nothing about {words}" for words in findings.cannot]
    rows += [f"{c.question} Not checked: {c.words}" for c in bench.checks if c.outcome == "unchecked"]
    return block("list", rows=rows)


def checks(bench):
    """Return the table of what was found and decided, or looked for and not found."""
    seen = [(check, place) for check, place in placed_checks(bench) if place in OUTCOMES]
    rows = [(check.question, OUTCOMES[place], check.words) for check, place in seen]
    rest = f"the notes at the top, and \u201c{CANNOT}\u201d, have the rest"
    caption = f"What was found and decided, or looked for and not found; {rest}"
    return block("table", caption, rows, ("question", "outcome", "what was seen"))


def data(report):
    """Return what came in, how it was understood, and what each system cost."""
    bench, evidence = report.bench, report.evidence
    files = [(placed(r.place), r.format, f"{len(r.frame):,}", r.sha256[:16]) for r in report.readings[:12]]
    if rest := report.readings[12:]:
        files.append((f"and {len(rest):,} more", "", f"{sum(len(r.frame) for r in rest):,}", ""))
    head = "file", "read as", "rows", "SHA-256, its beginning"
    parts = [block("table", "Files", files, head)] if files else []
    lines = [f"{count(evidence.n_read, 'row')} came in, {count(len(evidence.used), 'score')} are compared."]
    lines += [f"Averaged: {words}." for words in bench.merged]
    lines += [f"{count(n, 'row')} left out: {why}." for n, why in bench.left_out]
    lines += [f"Not read, for no reader knows it: {placed(place)}." for place in report.ignored[:10]]
    parts.append(block("list", rows=[*lines, *costs(report), *report.notes]))
    head = "for", "column", "because"
    columns = [block("table", "How the columns were understood", report.columns, head)]
    return parts + (columns if report.columns else [])


def costs(report):
    """Say in one sentence what each system cost, where that is known."""
    evidence = report.evidence
    if "cost" not in evidence.used:
        return []
    means = evidence.used.groupby("system").cost.mean()
    names = dict.fromkeys((evidence.baseline, *evidence.systems))
    of = {"search": "a trial", "items": "an answer", "datasets": "a run on a data set"}
    name = shown(report.roles.get("cost", ("cost",))[0])
    costs = ", ".join(f"{shown(system)} {means[system]:,.4g}" for system in names)
    return [f"Mean {name} of {of.get(evidence.kind, 'a run')}: {costs}."]


def checklist(report):
    """Return the lines of the reporting checklist, ticked as far as the file tells."""
    evidence, findings, bench = report.evidence, report.findings, report.bench
    outcome, found = {c.code: c.outcome for c in bench.checks}, findings.contrasts
    where = {check.code: WHERE.get(place, SEEN) for check, place in placed_checks(bench)}

    def refer(code):
        return f"see \u201c{where[code]}\u201d." if code in where else "nothing is known of them."

    is_labels, lacks = evidence.kind == "agreement", outcome.get("seeds") == "note"
    test = "the share of equal labels, and Cohen's kappa" if is_labels else found[0].test
    holm = ", adjusted by Holm." if len(found) > 1 and not is_labels else "; more that were made belong here."
    said = "--margin says it."
    if margin := bench.options.margin:
        said = f"{margin:g}; whether it was said before the result is for you to say."
    better = "" if is_labels else f"; {evidence.direction} is better"
    rests = f"{_paper.sizes(found)}; {findings.varies}"
    missing = f" Runs that are missing: {refer('seeds')}" * lacks
    ended = outcome.get("failed") in ("fine", "decided") and not lacks
    interval = "none is given" if math.isnan(found[0].low) else "in the table"
    apart, looked = (outcome.get(code) == "fine" for code in ("train-items", "test-chose"))
    metric = f"{shown(evidence.metric)}, {findings.quantity}{better}"
    machine = "versions, machine, code; one command that makes a slice of the table again"
    return [
        (True, f"How many runs a number rests on, and what varies between them: {rests}."),
        (ended, f"Failures: {refer('failed')}{missing}"),
        (True, f"The metric, defined: {metric}. Computed by which program?"),
        (interval != "none is given", f"The difference with its interval: {interval}."),
        (True, f"The independent unit: {_speaks.unit(evidence)}."),
        (True, f"The test, its form, and why this one: {test}, for {findings.way.title.lower()}."),
        (True, f"How many comparisons were made, and the correction: {len(found)}{holm}"),
        # An earlier call may have shown the result: no page can tell.
        (False, f"How large a difference matters, said before the result is known: {said}"),
        (apart, f"What keeps the parts of the data apart: {refer('train-items')}"),
        (looked, f"How often the test set was looked at: {refer('test-chose')}"),
        (False, f"What was tuned, for the baseline as well: {refer('tuned')}"),
        (False, "The floor: is the best dummy under this metric among the systems?"),
        (False, f"The environment: {machine}."),
    ]
