"""The printed figures, what they were computed from, and what the released material cannot decide."""

import numpy as np
import pandas as pd
from scipy import stats

from evalkit import released
from evalkit.expected_maximum import boo, gaussian_expected_max
from evalkit.papers.bajgar2018 import audit
from evalkit.papers.bajgar2018.audit import FIXED, PAPERS, SEARCH, Runs, matches, published, rounds_to
from evalkit.papers.bajgar2018.claims.statistics import NAMES
from evalkit.papers.bajgar2018.claims.variation import null
from evalkit.papers.judging import (
    OUT_OF_REACH,
    REPLICATED,
    Finding,
    Judges,
    MissingRunsError,
    either,
    held,
)
from evalkit.recorded import LACKING

JUDGES = Judges("bajgar2018")

NOT_RELEASED = {
    "prevalence-cbt": "The papers on that data set would have to be collected and read.",
    "prevalence-squad": "The four papers would have to be read.",
    "survey-is-rough": "The texts of the 194 papers were not released, and each match would have to be read.",
    "n-will-converge": "Later papers of several tasks, with the n that each reports, would be needed.",
    "mean-focus-explains-neglect": "It is about the motives of authors: a survey of them would be needed.",
}
for _claim, _missing in NOT_RELEASED.items():
    JUDGES.judge(_claim, _missing)(lambda record, missing: Finding(OUT_OF_REACH, "released data", missing))


@JUDGES.judge("points-are-best-epochs", criterion="2026-11-22")
def _points_are_best(record):
    table = audit.evaluations()
    by_score = table.sort_values(["validation", "steps"], ascending=[True, True])
    best = by_score.groupby("number").tail(1)
    earliest = table.sort_values(["validation", "steps"], ascending=[True, False]).groupby("number").tail(1)
    last = table.groupby("number").tail(1)
    asked = ("mean", "sd", "spearman")
    fits = {}
    for name, rows in (("best", best), ("last", last)):
        found = matches(SEARCH, Runs.of(rows.validation, rows.test))
        fits[name] = all(found[quantity] for quantity in asked)
    moved = abs(best.test.mean() - earliest.test.mean())
    return Finding(
        either(fits["best"] and not fits["last"] and moved < 0.01, not fits["best"] or fits["last"]),
        "released data",
        f"At the best validation accuracy of each of {len(best)} runs the printed mean, SD and correlation "
        f"{'come' if fits['best'] else 'do not come'} out, at its last evaluation they "
        f"{'do too' if fits['last'] else 'do not'} (mean {last.test.mean():.2f}); ties within a run move "
        f"the mean "
        f"by {moved:.4f} points.",
    )


@JUDGES.judge("range-is-lowest-to-highest")
def _range(record):
    good = [
        rounds_to(value, published()[f"{pool}/range_{end}"])
        for pool in PAPERS
        for end, value in (("low", audit.runs(pool).test.min()), ("high", audit.runs(pool).test.max()))
    ]
    name, off = audit.named_range()
    ends = [
        f"{NAMES[pool]} {low:.2f} to {high:.2f}"
        for pool in PAPERS
        for low, high in [audit.range_candidates(pool)[name]]
    ]
    farthest = ", ".join(f"{x:.2f}" for x in off.values())
    return Finding(
        held(all(good)),
        "released data",
        f"{sum(good)} of {len(good)} printed ends are a lowest or a highest score. Closest to all comes: "
        f"{name}, "
        f"{'; '.join(ends)}; off by at most {farthest} points.",
    )


@JUDGES.judge("released-pool-is-the-printed-one")
def _released_pool(record):
    found = {pool: matches(pool, audit.runs(pool)) for pool in PAPERS}
    lines = [f"{NAMES[pool]} {sum(fits.values())} of {len(fits)}" for pool, fits in found.items()]
    others = audit.other_pools()
    fit = {name: sum(matches("resnet", other).values()) for name, other in others.items()}
    most = max(fit.values())
    return Finding(
        held(all(all(fits.values()) for fits in found.values())),
        "released data",
        f"Count, mean, SD, interquartile range and correlation match: {'; '.join(lines)}. Of {len(others)} "
        f"other "
        f"ways to make the ResNet's pool from its file none matches more than {most}.",
    )


@JUDGES.judge("expected-best-is-equation-7")
def _expected_best(record):
    pool, good, lines = audit.runs(SEARCH), [], []
    for n in (1, 5, 20):
        printed = published()[f"{SEARCH}/expected_best/{n}"]
        values = [boo(pool.validation, pool.test, n=n, estimator=name) for name in ("v", "u")]
        good.append(all(rounds_to(value, printed) for value in values))
        lines.append(
            f"n = {n}: {values[0]:.2f} and {values[1]:.2f} (printed {printed}, which "
            f"{_list(audit.budgets_that_give(printed))} gives)"
        )
    return Finding(
        held(all(good)),
        "released data",
        f"Equation 7, and exactly without replacement: {'; '.join(lines)}.",
    )


def _list(budgets):
    if not budgets:
        return "no n to 200"
    if budgets == list(range(budgets[0], budgets[-1] + 1)) and len(budgets) > 2:
        return f"every n from {budgets[0]} to {budgets[-1]}"
    return "n = " + " or ".join(map(str, budgets))


# ---------------------------------------------------------------------------------------------
# What is printed
# ---------------------------------------------------------------------------------------------

# Statements that the verdict on a claim holds up.
STATEMENTS = {
    "boo/less_variable": "boo-less-variable-than-mean",
    "estimator/parametric": "parametric-varies-less",
}
SURVEY = "the texts of the papers were not released with the counts"


def _of_pool(pool, quantity):
    """Return a printed figure of a pool, and a note."""
    found = audit.runs(pool)
    if quantity == "median_gap":
        return audit.median_gap(pool), "from the published scores that the released notebook lists"
    if quantity in audit.QUANTITIES:
        value = float(audit.QUANTITIES[quantity](found))
        if quantity.startswith("range"):
            name, _ = audit.named_range()
            end = audit.range_candidates(pool)[name][quantity == "range_high"]
            return (
                value,
                f"the {'lowest' if quantity == 'range_low' else 'highest'} score; by {name}: {end:.2f}",
            )
        if quantity == "n_runs":
            return value, _counted(pool)
        return value, "the released pool is not quite the printed one" if pool == "resnet" else ""
    n = int(quantity.rpartition("/")[2])
    printed, free = (boo(found.validation, found.test, n=n, estimator=name) for name in ("v", "u"))
    return printed, f"Equation 7; without replacement {free:.2f}"


def _counted(pool):
    """Say by which rule of the authors the runs of a pool are counted."""
    rows = released.bajgar2018_rows(PAPERS[pool])
    if pool == "resnet":
        below, above = (
            rows.steps[rows.steps < audit.STEPS].max(),
            rows.steps[rows.steps >= audit.STEPS].min(),
        )
        return (
            f"by the authors' rule those of {audit.STEPS:,} steps or more, of {len(rows)} in the file; any "
            f"limit from {below + 1:,.0f} to {above:,.0f} leaves as many"
        )
    if pool == SEARCH:
        return f"by the authors' rule those with an iteration done, of {rows.run.nunique()} that were begun"
    begun = rows.run.str.contains("/cbt-dist/").sum()
    return f"by the authors' rule those with an epoch done, of {begun} that were begun"


def _normality(record, name):
    pool = name.partition("/")[2]
    if pool == SEARCH:
        skewness = float(stats.skew(audit.runs(pool).test))
        trials, statistic, _ = null(record, pool, 0.05)
        holds = skewness < 0 and trials.cases / trials.count < 0.05
        return float(holds), f"skewness {skewness:.2f}, A-squared {statistic:.2f}"
    trials, statistic, _ = null(record, pool, 0.05)
    share = trials.cases / trials.count
    tables = audit.critical_values(len(audit.runs(pool)))
    beyond = " and ".join(year for year, value in tables.items() if statistic >= value) or "neither"
    note = f"A-squared {statistic:.4f}, p = {share:.4f} of {trials.count:,} simulated samples"
    return float(share >= 0.05), f"{note}; beyond the tabled 5 % value of {beyond}"


def computed(record, verdicts):
    """Compute what the paper prints.

    Parameters
    ----------
    record : evalkit.papers.bajgar2018.tasks.Record
    verdicts : pandas.DataFrame
        As `JUDGES.findings` returns them.

    Returns
    -------
    pandas.DataFrame
        Columns `id`, `value` (absent for what is out of reach) and `note`. What the authors took over from
        other papers is not among them.
    """
    found, judged, lacking = {}, verdicts.set_index("id"), {}
    for name in published().index:
        first, _, quantity = name.partition("/")
        if first.endswith("_published"):
            continue
        if first in PAPERS:
            found[name] = _of_pool(first, quantity)
        elif first == "gaussian":
            found[name] = gaussian_expected_max(int(quantity.removeprefix("boo"))), "by integration"
        elif first == "iclr2017":
            found[name] = None, SURVEY
        elif first == "normality":
            try:
                found[name] = _normality(record, name)
            except MissingRunsError as error:
                lacking[name] = str(error)
        elif name in STATEMENTS:
            claim = f"bajgar2018/{STATEMENTS[name]}"
            if claim in judged.index:
                verdict = judged.verdict[claim]
                found[name] = float(verdict == REPLICATED), f"{verdict}: {judged.evidence[claim]}"
            else:
                lacking[name] = verdicts.attrs[LACKING].get(claim, "its draws are not recorded yet")
        else:
            fits = {pool: 1 + np.floor(4 * audit.runs(pool).sd / audit.median_gap(pool)) for pool in FIXED}
            lines = ", ".join(f"{NAMES[pool]} {count:.0f}" for pool, count in fits.items())
            found[name] = float(min(fits.values())), f"within four SDs, a median gap apart: {lines}"
    table = pd.DataFrame(
        [(name, value, note) for name, (value, note) in found.items()], columns=["id", "value", "note"]
    )
    table.attrs[LACKING] = lacking
    return table
