"""Chapter 7: samples of runs are drawn, and the errors of U and V pile up around the
truth.
"""

import numpy as np

from evalkit._checks import check_bool, check_scores, check_work
from evalkit._limits import MOST_PLAYED
from evalkit._ties import levels, rounding
from evalkit.explore._controls import Control
from evalkit.explore._play import Play
from evalkit.explore._tables import NETWORKS, check_recorded, runs_of_networks
from evalkit.explore._words import decimals
from evalkit.plots import NAMES

__all__ = ["expected_maximum"]

SIZES = (5, 10, 20, 50, 100)
BUDGETS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)


def expected_maximum(scores=None, *, recorded=None, minimize=False):
    """Explore the expected maximum: draw samples, and see by how much U and V miss the
    truth.

    Parameters
    ----------
    scores : array_like of float, shape (n_runs,), optional
        Your own runs, taken as if they were all there are.
    recorded : DataFrame, optional
        The chapter's table instead: `validation`, a share, of each run of each network,
        its `system`.
    minimize : bool, default False
        Whether lower is better in your scores.

    Returns
    -------
    Play

    Notes
    -----
    Size: up to 5,000 runs of your own, a page of them in 1 s and 100 MB.
    """
    recorded = check_recorded(recorded, ("system", "validation"), scores, "scores")
    controls = (
        Control("size", "N, runs in a sample", SIZES, 20),
        Control("n", "n, runs of which the best is taken", BUDGETS, 10),
    )
    if recorded is not None:
        controls = (Control("pool", "Network", tuple(NETWORKS), "LSTM"), *controls)
        pools = {
            name: _describe(100 * runs.validation.to_numpy().round(6), end=5.0)
            for name, runs in runs_of_networks(recorded).items()
        }
        digits, unit, source = 2, " points", "of the network's {runs} runs"
    else:
        own = levels(check_scores(scores, "scores", squared=True), rounding(scores))
        check_work(
            len(own),
            MOST_PLAYED,
            f"scores has {len(own):,} values",
            "take a random part of them",
        )
        spread = float(np.std(own)) if np.ptp(own) else 0.0
        pools = {
            "": _describe(
                own, end=0.4 * spread or 1.0, minimize=check_bool(minimize, "minimize")
            )
        }
        digits, unit, source = (
            decimals(spread),
            "",
            "of your {runs} runs, as if those were all there is",
        )
    n_runs = len(next(iter(pools.values()))["scores"])
    return Play(
        "expected-maximum",
        "Errors of U and V, sample by sample",
        "best",
        controls,
        {"pools": pools},
        {
            "axis": [
                f"estimate minus truth{unit and ', in'}{unit}",
                "(the ends hold the rest)",
            ],
            "digits": digits,
            "unit": unit,
            "signed": True,
            "lanes": {key: NAMES[key] for key in ("u", "v")},
            "strip": {"sample": "the runs of the last sample"},
            "strip_axis": [
                (
                    "validation score of a run"
                    if recorded is not None
                    else "score of a run"
                )
            ],
            "sentence": (
                f"Each sample is {{size}} {source.format(runs=f'{n_runs:,}')}. "
                "The expected best of {n} of all of those is {truth}."
            ),
            "notes": {"few": "U has no answer for an n above N."},
            "later": (
                "In brackets: where the mean error of many more samples lies (95 %)."
            ),
        },
        {"u": "u", "v": "v"},
    )


def _describe(scores, *, end, minimize=False):
    """Return what the game draws from: the runs, their direction, and where the axes
    end.
    """
    margin = 0.05 * float(np.ptp(scores)) or 1.0
    return {
        "scores": scores.tolist(),
        "sign": -1 if minimize else 1,
        "axis": [-end, end],
        "strip": [float(np.min(scores)) - margin, float(np.max(scores)) + margin],
    }
