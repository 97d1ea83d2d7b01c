"""The cover: papers that compare the same two networks, each after a search of so many
settings.
"""

from evalkit.explore._controls import Control
from evalkit.explore._play import Guess, Play
from evalkit.explore._tables import NETWORKS, check_recorded, runs_of_networks

__all__ = ["papers"]

BUDGETS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40)


def papers(*, recorded=None):
    """Explore papers: give two networks a search each, and see how often which of them
    wins.

    Parameters
    ----------
    recorded : DataFrame
        The book's table: `validation` and `test`, shares, of each run of each network,
        its `system`.

    Returns
    -------
    Play
    """
    recorded = check_recorded(recorded, ("system", "validation", "test"))
    named = {NETWORKS[name]: runs for name, runs in runs_of_networks(recorded).items()}
    pools = {
        side: {
            part: (100 * named[key][part]).round(4).tolist()
            for part in ("validation", "test")
        }
        for side, key in (("a", "mlp"), ("b", "lstm"))
    }
    controls = (
        Control("a", "Settings tried for the MLP", BUDGETS, 5),
        Control("b", "Settings tried for the LSTM", BUDGETS, 5),
    )
    return Play(
        "papers",
        "Papers that compare two networks",
        "papers",
        controls,
        {"pools": pools, "axis": [-12, 12]},
        {
            "axis": [
                "reported test accuracy: LSTM minus MLP,",
                "in points (the ends hold the rest)",
            ],
            "digits": 1,
            "unit": " points",
            "lanes": {"difference": ""},
            "kinds": {"a": "the MLP wins", "b": "the LSTM wins", "tie": "neither wins"},
            "strip": {
                "a": "the last paper's MLPs (filled: reported)",
                "b": "its LSTMs",
            },
            "strip_axis": ["test accuracy, of 100 lines"],
            "tally": ["a", "b", "tie"],
            "sentence": (
                "Settings that each paper tries: {a} of the MLP, {b} of the LSTM. It"
                " reports the one that is best on validation. In brackets: 95 % for"
                " more papers from these same runs. With other runs the truth may lie"
                " well outside."
            ),
        },
        {"a": "mlp", "b": "lstm", "tie": "dummy"},
        Guess("Guess first: of 100 such papers, in how many does the LSTM win?", "b"),
        {"One paper": 1, "Ten more papers": 10},
    )
