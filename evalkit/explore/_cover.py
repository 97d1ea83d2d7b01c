"""The cover: papers that compare the same two networks, each after a search of so many
settings.
"""

import functools

from evalkit.explore._controls import Control
from evalkit.explore._play import Guess, Law, Play, Series
from evalkit.explore._searches import draw_searches, searches_in_the_end
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
    data = {"pools": pools, "axis": [-12, 12], "strip": [10, 70]}
    live = (1, 100, 1)
    controls = (
        Control(
            "b", "Settings tried for the LSTM", BUDGETS, 5, live=live, short="LSTM"
        ),
        Control("a", "Settings tried for the MLP", BUDGETS, 5, live=live, short="MLP"),
    )
    return Play(
        "papers",
        "Papers that compare two networks",
        "Let the LSTM try more settings; then the MLP. Who wins the papers?",
        "papers",
        controls,
        data,
        {
            "axis": ["LSTM minus MLP, points (ends: and beyond)"],
            "digits": 1,
            "unit": " points",
            "means": True,
            "lanes": {"difference": ""},
            "kinds": {"a": "the MLP wins", "b": "the LSTM wins", "tie": "neither wins"},
            "strip": {
                "a": "MLPs of the last paper (filled: reported)",
                "b": "its LSTMs",
            },
            "strip_axis": "test accuracy",
            "tally": ["a", "b", "tie"],
            "told": 3,
            "sentence": (
                "Each paper tries {b} of the LSTM's settings and {a} of the MLP's, and"
                " reports the one that is best on validation."
            ),
        },
        {"b": "lstm", "a": "mlp", "tie": "dummy"},
        Law(
            "b",
            ("The LSTM wins, papers in 100",),
            "settings of the LSTM",
            BUDGETS,
            (0, 100),
            (Series("wins", "difference", "b"),),
            log=True,
            line=50,
        ),
        Guess(
            "Guess: if the LSTM may try 40, in how many papers of 100 does it win?",
            40,
            says="With 40 settings against {a} the LSTM wins {truth} in 100.",
        ),
        functools.partial(draw_searches, data),
        functools.partial(searches_in_the_end, data),
        draws={"One paper": 1, "100 papers": 100},
    )
