"""Where "Which test do I need?" leads with what a file holds: the same decision, walked by the program."""

from evalkit import _ways as to
from evalkit import _ways_of_runs as of_runs
from evalkit._limits import FEWEST_SEEDS
from evalkit.which_test import DECISION


def of(evidence):
    """Return the way of the decision that belongs to some evidence."""
    wanted = _wanted(evidence)
    return next((answers, way) for answers, way in DECISION.ways() if way is wanted)


def _wanted(evidence):
    facts, several = evidence.facts, len(evidence.systems) > 1
    if evidence.kind == "items":
        if facts["ratio"]:
            return to.SUMS
        if facts["raters"]:
            return to.RATERS
        if facts["runs"] and min(facts["runs"].values()) >= FEWEST_SEEDS:
            return to.SEEDS_AND_ITEMS
        if facts["group"]:
            return to.GROUPS
        if facts["runs"] or facts["answers"] > 1:
            return to.ANSWERS
        if not facts["binary"]:
            return to.SCORES
        return to.SEVERAL_MODELS if several else to.MODELS
    if evidence.kind == "datasets":
        return of_runs.MANY_ON_DATA_SETS if several else of_runs.TWO_ON_DATA_SETS
    if evidence.kind == "summary":
        return of_runs.PUBLISHED_ACCURACIES if facts["by_items"] else of_runs.PUBLISHED
    return {
        "seeds": of_runs.SEEDS,
        "folds": of_runs.SPLITS,
        "search": of_runs.SETTINGS,
        "sizes": of_runs.SIZES,
        "agreement": to.JUDGES,
    }[evidence.kind]
