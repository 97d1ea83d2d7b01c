"""What an answer speaks of: the quantity that is compared, what varies, and what it
says nothing about.
"""

from evalkit import _ways as to
from evalkit import _ways_of_runs as of_runs
from evalkit.reports._compare import ALPHA, budget
from evalkit.reports._refused import count, shown

_HEURISTIC = "Whether the systems would differ on "


def way_to_test(evidence):
    """Return where the answers to "Which test do I need?" lead that some evidence
    gives.
    """
    several = len(evidence.systems) > 1
    if evidence.kind == "items":
        if "seed" in evidence.keys:
            return to.SEEDS_AND_ITEMS
        if evidence.group:
            return to.GROUPS
        if "attempt" in evidence.keys:
            return to.ANSWERS
        if not evidence.is_binary:
            return to.SCORES
        return to.SEVERAL_MODELS if several else to.MODELS
    if evidence.kind == "datasets":
        return of_runs.MANY_ON_DATA_SETS if several else of_runs.TWO_ON_DATA_SETS
    return {
        "seeds": of_runs.SEEDS,
        "folds": of_runs.SPLITS,
        "search": of_runs.SETTINGS,
    }[evidence.kind]


def quantity(evidence):
    """Return the name of what is compared: over what the metric is averaged."""
    if evidence.kind == "items":
        over = {"seed": "runs and items", "attempt": "items, each of several answers"}
        return f"mean over {over.get(evidence.keys[-1], 'items')}"
    if evidence.kind == "datasets":
        n_sets = count(evidence.used["dataset"].nunique(), "data set")
        return f"mean over {n_sets}, each counting alike"
    if evidence.kind == "search":
        trials, chooser = count(budget(evidence), "trial"), evidence.names["validation"]
        return f"expected best of {trials}, chosen by {shown(chooser)}"
    return {"seeds": "mean over runs", "folds": "mean over splits"}[evidence.kind]


def scope(evidence):
    """Return what varies, and what the answer does not speak of."""
    if evidence.kind == "items":
        return _of_items(evidence)
    if evidence.kind == "search":
        trials = count(budget(evidence), "trial")
        return (
            f"other searches of {trials} each, in these ranges, scored as these were",
            (
                "other ranges of the settings.",
                "other test items or data.",
                "the seeds of one chosen setting.",
            ),
        )
    return _SCOPES[evidence.kind]


def _lower(words):
    return words[0].lower() + words[1:]


# Of splits the page says what "Which test do I need?" says.
_OF_SPLITS = of_runs.SPLITS.answers.removeprefix(_HEURISTIC).split(". ")[0]
_SCOPES = {
    "seeds": (
        "other runs with other seeds, trained and scored as these were",
        (
            "other test items, if all runs were scored on the same ones; if each seed"
            " drew training and test part anew, a seed is a fold.",
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
}


def _of_items(evidence):
    group = evidence.group
    items = f"other values of {shown(group)}" if group else "other items of this kind"
    if "seed" in evidence.keys:
        varies, cannot = f"other training seeds and {items}, at once", ()
    else:
        varies = f"{items}, answered by these models"
        cannot = (
            "other seeds, prompts or versions of the same systems: they were not"
            " varied, or too little.",
        )
    equal = (
        f"{shown(group)} of equal weight: each item counts alike, so large ones count"
        " more."
    )
    more = () if group is None else (equal,)
    return varies, (*cannot, "other tasks.", "items of another kind.", *more)


def floor(evidence):
    """Return the smallest p-value that is possible on so few data sets, or 0."""
    if evidence.kind != "datasets":
        return 0
    return len(evidence.systems) * 2 / 2 ** evidence.used["dataset"].nunique()


# What no table can show; each question is a reviewer's.
NEVER_SHOWN = (
    "Was the baseline tuned as much as the others?",
    "Is everything that was tried in the table?",
    "Was nothing chosen by these test scores?",
)
_SEEN = "Are the test items in no training data?"


def cannot_see(evidence):
    """Return in sentences what the table cannot show."""
    is_plain = evidence.kind == "items" and evidence.group is None
    out = [*NEVER_SHOWN, *[_SEEN] * ("part" not in evidence.names)]
    out += ["Do items come in groups, such as documents or speakers?"] * is_plain
    if (least := floor(evidence)) > ALPHA:
        out.append(
            f"With so few data sets no p-value can be below {min(least, 1):.3g},"
            " whatever the scores are."
        )
    return out
