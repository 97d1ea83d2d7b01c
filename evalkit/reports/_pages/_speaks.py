"""What an answer speaks of: the quantity that is compared, what varies, and what it
says nothing about.
"""

from evalkit import _ways as to
from evalkit import _ways_of_runs as of_runs
from evalkit._limits import FEWEST_SEEDS
from evalkit.reports._contrasts import budget
from evalkit.reports._faults import count, shown
from evalkit.reports._recognition._table import BEGINNING
from evalkit.reports.schema import role_of

_HEURISTIC = "Whether the systems would differ on "


def way_to_test(evidence):
    """Return where the answers to "Which test do I need?" lead that some evidence
    gives.
    """
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
    return {
        "seeds": of_runs.SEEDS,
        "folds": of_runs.SPLITS,
        "search": of_runs.SETTINGS,
        "sizes": of_runs.SIZES,
        "agreement": to.JUDGES,
    }[evidence.kind]


def quantity(evidence):
    """Return the name of what is compared: over what the metric is averaged, or which
    sums are divided.
    """
    facts = evidence.facts
    if evidence.kind == "items" and facts["ratio"]:
        above, below = map(shown, facts["ratio"])
        return f"sum of {above} over sum of {below}"
    if evidence.kind == "items":
        over = (
            f"{count(facts['raters'], 'rater')} and items"
            if facts["raters"]
            else "runs and items"
        )
        over = over if facts["raters"] or facts["runs"] else "items"
        return f"mean over {over}" + f" of up to {facts['answers']:,} answers" * (
            facts["answers"] > 1
        )
    if evidence.kind == "datasets":
        n_sets = count(evidence.used.dataset.nunique(), "data set")
        return f"mean over {n_sets}, each counting alike"
    if evidence.kind == "search":
        trials, chooser = count(budget(evidence.used), "trial"), facts["chooser"]
        return f"expected best of {trials}" + (
            f", chosen by {shown(chooser)}" if chooser else ""
        )
    each = evidence.facts.get("each")
    return {
        "seeds": f"mean over values of {shown(each)}" if each else "mean over runs",
        "folds": "mean over splits",
        "sizes": "mean over the runs of larger sizes, and of smaller ones",
        "agreement": "share of items with the same label",
    }[evidence.kind]


def scope(evidence):
    """Return what varies, and what the answer does not speak of."""
    if evidence.kind in ("items", "agreement"):
        group = evidence.facts["group"]
        items = (
            f"other values of {shown(group)}" if group else "other items of this kind"
        )
        items = (
            "other groups of items that begin alike" if group == BEGINNING else items
        )
        if evidence.kind == "items":
            return _of_items(items, evidence.facts)
        return f"{items}, labelled by these raters", (_lower(to.JUDGES.cannot),)
    if evidence.kind == "search":
        trials = count(budget(evidence.used), "trial")
        varies = (
            f"other searches of {trials} each, in these ranges, scored as these were"
        )
        cannot = "other ranges of the settings.", "other test items or data."
        return varies, (*cannot, "the seeds of one chosen setting.")
    if each := evidence.kind == "seeds" and evidence.facts["each"]:
        what = (
            "whether the systems make the difference, unless chance decided which"
            f" value of {shown(each)} "
        )
        return f"other values of {shown(each)}", (f"{what}met which of them.",)
    varies, cannot = _SCOPES[evidence.kind]
    if evidence.kind == "seeds" and not evidence.facts["has_seed"]:
        varies = "other runs, made and scored as these were"
    over = evidence.kind == "datasets" and evidence.facts["runs"] > 1
    return varies, (
        *cannot,
        *["other runs, or folds: of several scores on a data set the mean counts."]
        * over,
    )


def _lower(words):
    return words[0].lower() + words[1:]


# Of splits the page says what "Which test do I need?" says.
_OF_SPLITS = of_runs.SPLITS.answers.removeprefix(_HEURISTIC).split(". ")[0]
_SCOPES = {
    "seeds": (
        "other runs with other seeds, trained and scored as these were",
        (
            (
                "other test items, if all runs were scored on the same ones; if each"
                " seed drew training and test part anew, runs share data: say --map"
                " split=COLUMN."
            ),
            "other data, tasks or settings.",
        ),
    ),
    "folds": (
        f"{_OF_SPLITS}: the p-value is a heuristic",
        (_lower(of_runs.SPLITS.cannot), "models trained on all of the data."),
    ),
    "datasets": (
        "other data sets like these",
        ("any one of the data sets.", "kinds of data that are not among them."),
    ),
    "sizes": (
        "other runs of these sizes, scored as these were",
        (
            "whether size is the cause, if something else grows with it.",
            "larger sizes.",
            "other test items.",
        ),
    ),
}


def _of_items(items, facts):
    varies = f"{items}, answered by these models"
    cannot = [
        "other seeds, prompts or versions of the same systems: they were not varied, or"
        " too little."
    ]
    if facts["raters"]:
        varies = f"other raters and {items}, at once, for these models"
        cannot.append(_lower(to.RATERS.cannot))
    elif facts["rows"] == "nested" and facts["runs"]:
        varies, cannot = f"other training seeds and {items}, at once", []
    if facts["these raters"]:
        n = facts["these raters"]
        varies = (
            f"{items}, judged by"
            f" {'this one rater' if n == 1 else f'these {n:,} raters'} alone"
        )
        cannot.append(
            "other raters: the interval is over items, for these raters only."
        )
    is_of_tasks = facts["group"] and role_of(facts["group"]) == "dataset"
    cannot += [*["other tasks."] * (not is_of_tasks), "items of another kind."]
    if facts["ratio"]:
        cannot.append(
            "the mean of the items' own rates: it is another number, and may point the"
            " other way."
        )
    elif facts["group"]:
        equal = (
            f"{'groups' if facts['group'] == BEGINNING else shown(facts['group'])} of"
            " equal weight"
        )
        cannot.append(f"{equal}: each item counts alike, so large ones count more.")
    return varies, tuple(cannot)
