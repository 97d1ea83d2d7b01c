"""What stands below the result: the data, what was checked, what cannot be said."""

from evalkit.reports._faults import placed, shown
from evalkit.reports._pages._document import block

OUTCOMES = {"fine": "in order", "decided": "found, decided"}
# Each check stands in one place of the page: at its top, among what cannot be said, or
# among what was seen.
CANNOT, SEEN = "What cannot be said", "What was checked"
TOP = {"accepted": "Read this first", "note": "Note"}


def placed_checks(bench):
    """Return each check with its place, those of the top of the page in their order."""

    def place(check):
        is_accepted = check.outcome == "decided" and "--accept" in check.words
        return "accepted" if is_accepted else check.outcome

    pairs = [(check, place(check)) for check in bench.checks]
    return sorted(pairs, key=lambda pair: [*TOP, pair[1]].index(pair[1]))


def top(bench):
    """Return what stands at the top of the page, in lines."""
    return [
        f"{TOP[place]}: {check.words}"
        for check, place in placed_checks(bench)
        if place in TOP
    ]


def cannot(findings, bench):
    rows = [f"Nothing about {words}" for words in findings.cannot]
    rows += [
        f"{c.question} Not checked: {c.words}"
        for c in bench.checks
        if c.outcome == "unchecked"
    ]
    return block("list", rows=rows)


def checks(bench):
    """Return the table of what was found and decided, or looked for and not found."""
    seen = [
        (check, place) for check, place in placed_checks(bench) if place in OUTCOMES
    ]
    rows = [(check.question, OUTCOMES[place], check.words) for check, place in seen]
    rest = f"the notes at the top, and \u201c{CANNOT}\u201d, have the rest"
    caption = f"What was found and decided, or looked for and not found; {rest}"
    return block("table", caption, rows, ("question", "outcome", "what was seen"))


def data(report):
    """Return what came in, how it was understood, and what each system cost."""
    bench, evidence = report.bench, report.evidence
    files = [
        (placed(r.place), r.format, f"{r.n_rows:,}", r.sha256[:16])
        for r in report.readings[:12]
    ]
    if rest := report.readings[12:]:
        files.append(
            (f"and {len(rest):,} more", "", f"{sum(r.n_rows for r in rest):,}", "")
        )
    head = "file", "read as", "rows", "SHA-256, its beginning"
    parts = [block("table", "Files", files, head)] if files else []
    lines = [
        f"{bench.came(evidence.n_read)} came in, {bench.compared(evidence.used)} are"
        " compared."
    ]
    lines += [f"Averaged: {words}." for words in bench.merged]
    lines += [f"{rows} left out: {why}." for rows, why in bench.without()]
    lines += [
        f"Not read, for no reader knows it: {placed(place)}."
        for place in report.ignored[:10]
    ]
    lines += [f"And {len(report.ignored) - 10:,} more files."] * (
        len(report.ignored) > 10
    )
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
    if means.nunique() < 2:  # as the length of what all of them heard
        return []
    names = dict.fromkeys((evidence.baseline, *evidence.systems))
    of = {"search": "a trial", "items": "an answer", "datasets": "a run on a data set"}
    name = shown(report.roles.get("cost", ("cost",))[0])
    costs = ", ".join(f"{shown(system)} {means[system]:,.4g}" for system in names)
    return [f"Mean {name} of {of.get(evidence.kind, 'a run')}: {costs}."]
