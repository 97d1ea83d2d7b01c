"""Chapter 5: coins against McNemar's p; splits of one data set against the stars of
three tests.
"""

from evalkit._checks import check_int
from evalkit.explore._controls import Control
from evalkit.explore._play import Guess, Play

__all__ = ["mcnemar", "repeated_splits"]

METHODS = ("exact", "mid-p", "chi2", "chi2-corrected")
TESTS = {"wilcoxon": "Wilcoxon", "paired": "paired t", "corrected": "corrected t"}
SPLITS = (2, 3, 5, 7, 10, 15, 20, 30)
EFFECTS = (0.0, 0.25, 0.5, 1.0, 2.0)
TEST_SHARE = (
    0.1  # by Nadeau and Bengio's rule of thumb also the correlation of two splits
)
_MOST_ITEMS = 1000


def mcnemar(a_only=15, b_only=6):
    """Explore McNemar's test: throw a coin for each item on which two systems differ.

    Parameters
    ----------
    a_only, b_only : int, default 15 and 6
        Items that only A has right, and only B; at most 1,000 each.

    Returns
    -------
    Play
    """
    counts = {"a_only": a_only, "b_only": b_only}
    labels = {
        "a_only": "Items that only A has right",
        "b_only": "Items that only B has right",
    }
    controls = tuple(
        Control(
            name,
            labels[name],
            range(_MOST_ITEMS + 1),
            check_int(count, name, low=0, high=_MOST_ITEMS),
            typed=True,
        )
        for name, count in counts.items()
    )
    return Play(
        "mcnemar",
        "Fair coins against an uneven result",
        "coins",
        controls,
        {"methods": METHODS},
        {
            "axis": [
                "items that A wins, if coins decide",
                "(dashed: your count; drag it)",
            ],
            "digits": 0,
            "lanes": {"coins": ""},
            "kinds": {"uneven": "as uneven as yours, or more", "even": "less uneven"},
            "tally": ["uneven"],
            "drag": ["a_only", "b_only"],
            "p_values": True,
            "sentence": (
                "A fair coin is thrown for each item that only one has right: {a_only}"
                " and {b_only}."
            ),
            "later": (
                "For these, p is {exact} by the exact test, {mid-p} by mid-p, {chi2} by"
                " chi-squared, and {chi2-corrected} with its continuity correction."
                " Pale: what coins come to in the long run. In brackets: 95 %, for more"
                " such rounds."
            ),
        },
        {"uneven": "two", "even": "one"},
        Guess(
            "Guess first: in how many of 100 rounds are fair coins as uneven as that?",
            "uneven",
        ),
        {"Throw once": 1, "100 times": 100},
    )


def repeated_splits():
    """Explore tests over repeated splits of one data set: false stars pile up.

    Returns
    -------
    Play
    """
    controls = (
        Control("splits", "Number of splits", SPLITS, 10),
        Control("effect", "True difference, in SDs of a split", EFFECTS, 0.0),
    )
    return Play(
        "repeated-splits",
        "How often tests call two systems different",
        "stars",
        controls,
        {"correlation": TEST_SHARE, "share": TEST_SHARE, "axis": [-3, 4]},
        {
            "axis": [
                "difference, in SDs of a split; below: their mean",
                "(the ends hold the rest)",
            ],
            "digits": 2,
            "lanes": TESTS,
            "kinds": {"star": "called different", "none": "not told apart"},
            "strip": {"differences": "the splits of the last experiment"},
            "tally": ["star"],
            "sentence": (
                "Each experiment makes {splits} random splits of one data set, whose"
                " truth is a difference of {effect}. Brown: p below 0.05."
            ),
            "notes": {
                "few": (
                    "Of five differences or fewer, Wilcoxon's p cannot fall below 0.05."
                )
            },
            "later": (
                "At a true difference of 0, 5 of 100 are allowed. In brackets: 95 %,"
                " for more such experiments."
            ),
        },
        {"star": "two", "none": "one"},
        Guess(
            "Guess first: of 100 experiments, in how many does Wilcoxon's test find a"
            " difference?",
            "star",
        ),
        {"One experiment": 1, "100 more": 100},
    )
