"""Chapter 5: coins against McNemar's p; splits of one data set against the stars of
three tests.
"""

import numpy as np
from scipy import stats

from evalkit._checks import check_int
from evalkit.explore._controls import Control
from evalkit.explore._drawn import Drawn, Row
from evalkit.explore._play import Guess, Law, Play, Series
from evalkit.significance import corrected_t, wilcoxon
from evalkit.significance import mcnemar as mcnemar_test

__all__ = ["mcnemar", "repeated_splits"]

METHODS = ("exact", "mid-p", "chi2", "chi2-corrected")
TESTS = {"wilcoxon": "Wilcoxon", "paired": "paired t", "corrected": "corrected t"}
SPLITS = (2, 3, 5, 7, 10, 15, 20, 30)
EFFECTS = (0.0, 0.25, 0.5, 1.0, 2.0)
_EQUAL = "The two are equal, so 5 of 100 are allowed."
_FEW = "With five splits or fewer, Wilcoxon's p cannot fall below 0.05."
TEST_SHARE = (
    0.1  # by Nadeau and Bengio's rule of thumb also the correlation of two splits
)
_MOST_ITEMS = 1000
_TYPICAL = 3  # the first seed whose hundred rounds have as many as p says
_LEADS = (0, 10, 20, 30, 40, 50, 60)


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
            short=f"only {name[0].upper()}",
        )
        for name, count in counts.items()
    )
    n = a_only + b_only
    lead = n % 2 + 2 * (abs(a_only - b_only) // 4)  # about half
    nearer = f"{(n + lead) // 2} to {(n - lead) // 2}"
    return Play(
        "mcnemar",
        "Fair coins against an uneven result",
        "Drag the dashed line, or type two counts. How often would coins do that?",
        "coins",
        controls,
        {"methods": METHODS},
        {
            "axis": ["items that A wins, if coins decide"],
            "digits": 0,
            "lanes": {"coins": ""},
            "kinds": {"uneven": "as uneven as yours, or more", "even": "less uneven"},
            "tally": ["uneven"],
            "notes": {"none": "No item tells the two apart: there is nothing to test."},
            "drag": ["a_only", "b_only"],
            "p_values": True,
            "sentence": (
                "A coin is thrown for each item that only one has right. In the long"
                " run a share {exact} of the rounds is at least as uneven as {a_only}"
                " to {b_only}: that is p by the exact test. It is {mid-p} by mid-p,"
                " {chi2} by chi-squared, and {chi2-corrected} with its continuity"
                " correction."
            ),
        },
        {"uneven": "lstm", "even": "dummy"},
        Law(
            None,
            ("Coins at least as uneven,", "rounds in 100"),
            "lead, in items",
            _LEADS,
            (0, 100),
            (Series("uneven", "coins", "uneven"),),
            line=5,
            free=("a_only", "b_only"),
        ),
        Guess(
            f"Guess: how many of 100 rounds are at least as uneven as {nearer}?",
            lead,
            says=f"At least as uneven as {nearer} are {{truth}} rounds in 100.",
            group=n,
            elsewhere=f"The guess was about {n} items, and here are more or fewer.",
        ),
        _throw,
        _throws_in_the_end,
        _lead,
        _leads,
        seed=_TYPICAL if (a_only, b_only) == (15, 6) else 0,
        draws={"Throw once": 1, "100 times": 100},
    )


def _lead(setting):
    return abs(setting["a_only"] - setting["b_only"])


def _leads(setting):
    n = setting["a_only"] + setting["b_only"]
    return [
        (lead, {"a_only": (n + lead) // 2, "b_only": (n - lead) // 2})
        for lead in range(n % 2, min(_LEADS[-1], n) + 1, 2)
    ]


def _throws_in_the_end(setting):
    found = mcnemar_test(int(setting["a_only"]), int(setting["b_only"]))
    return {"uneven": 100 * found.pvalue}


def _throw(setting, luck):
    a, b = int(setting["a_only"]), int(setting["b_only"])
    n = a + b
    reach = max(3, np.ceil(5 * np.sqrt(n) / 2), abs(a - b) / 2 + 1)
    low = max(0, int(np.floor(n / 2 - reach)))
    high = max(low + 4, min(n, int(np.ceil(n / 2 + reach))))
    value = np.sum(luck.take(n) < 0.5, axis=1) if n else np.zeros(luck.draws, int)
    uneven = np.abs(2 * value - n) >= abs(a - b)
    words = {
        method: f"{mcnemar_test(a, b, method=method).pvalue:.3g}" for method in METHODS
    }
    return Drawn(
        {"coins": (value, np.where(uneven, "uneven", "even").astype(object))},
        (low - 0.5, high + 0.5),
        bins=high - low + 1,
        mark=a,
        words=words,
        note=None if n else "none",
    )


def repeated_splits():
    """Explore tests over repeated splits of one data set: false stars pile up.

    Returns
    -------
    Play
    """
    controls = (
        Control(
            "splits", "Number of splits", SPLITS, 5, live=(2, 60, 1), short="splits"
        ),
        Control(
            "effect",
            "True difference, in SDs of a split",
            EFFECTS,
            0.0,
            live=(0.0, 2.0, 0.05),
            text="{:g}".format,
            short="true difference",
        ),
    )
    lanes = {key: Series(key, key, "star", label) for key, label in TESTS.items()}
    return Play(
        "repeated-splits",
        "How often tests call two systems different",
        "Add splits of the same data. How often do tests call the two different?",
        "stars",
        controls,
        {"correlation": TEST_SHARE, "share": TEST_SHARE, "axis": [-3, 4]},
        {
            "axis": ["mean difference, in SDs of a split"],
            "digits": 2,
            "lanes": TESTS,
            "kinds": {"star": "called different", "none": "not told apart"},
            "strip": {"differences": "the splits of the last experiment"},
            "tally": ["star"],
            "told": 3,
            "sentence": (
                "Each experiment makes {splits} random splits of one data set; the"
                " truth is a difference of {effect}, in SDs of a split. In colour: p"
                " below 0.05."
            ),
            "notes": {
                "equal": _EQUAL,
                "few": _FEW,
                "equal_few": f"{_EQUAL} {_FEW}",
            },
        },
        {
            "star": "lstm",
            "none": "dummy",
            "wilcoxon": "one",
            "paired": "two",
            "corrected": "four",
        },
        Law(
            "splits",
            ("Called different,", "experiments in 100"),
            "number of splits",
            SPLITS,
            (0, 100),
            tuple(lanes.values()),
            log=True,
            line=5,
        ),
        Guess(
            "Guess: with 30 splits, how many of 100 does Wilcoxon's test call"
            " different?",
            30,
            series="wilcoxon",
            says="With 30 splits Wilcoxon's test calls {truth} of 100 different.",
        ),
        _experiments,
        draws={"One experiment": 1, "100 more": 100},
    )


def _experiments(setting, luck):
    n, effect = int(setting["splits"]), setting["effect"]
    shared = np.sqrt(TEST_SHARE) * luck.normals(1)
    differences = effect + shared + np.sqrt(1 - TEST_SHARE) * luck.normals(n)
    value, zeros = differences.mean(axis=1), np.zeros(n)
    sizes = {
        "n_train": round(100 * (1 - TEST_SHARE)),
        "n_test": round(100 * TEST_SHARE),
    }
    pvalues = {
        "wilcoxon": [wilcoxon(row, zeros).pvalue for row in differences],
        "paired": stats.ttest_1samp(differences, 0, axis=1).pvalue,
        "corrected": [corrected_t(row, zeros, **sizes).pvalue for row in differences],
    }
    piles = {
        test: (value, np.where(np.array(p) < 0.05, "star", "none").astype(object))
        for test, p in pvalues.items()
    }
    return Drawn(
        piles,
        (-3, 4),
        bins=70,
        mark=0,
        rows=(Row("differences", differences[-1]),),
        note="_".join(["equal"] * (effect == 0) + ["few"] * (n < 6)) or None,
    )
