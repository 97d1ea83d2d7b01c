"""Chapter 7: samples of runs are drawn, and the errors of U and V pile up around the
truth.
"""

import functools

import numpy as np

from evalkit._checks import check_bool, check_scores, check_work
from evalkit._limits import MOST_PLAYED
from evalkit._ties import levels, rounding
from evalkit.expected_maximum import expected_max
from evalkit.explore._controls import Control
from evalkit.explore._drawn import Drawn, Row
from evalkit.explore._play import Guess, Law, Play, Series
from evalkit.explore._tables import NETWORKS, check_recorded, runs_of_networks
from evalkit.explore._words import decimals

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
        Control(
            "n",
            "n, of which the best is taken",
            BUDGETS,
            3,
            live=(1, 200, 1),
            short="n",
        ),
        Control("size", "N, runs in a sample", SIZES, 10, live=(2, 100, 1), short="N"),
    )
    if recorded is not None:
        pool = Control("pool", "Network", tuple(NETWORKS), "LSTM")
        controls = (*controls, pool)
        pools = {
            name: _describe(100 * runs.validation.to_numpy().round(6), end=8.0)
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
    reach = (-8.0, 2.0) if unit else (-2 * (spread or 1.0), 0.5 * (spread or 1.0))
    data = {"pools": pools, "digits": digits}
    step = 0.1 if unit else float(f"{(reach[1] - reach[0]) / 50:.1g}")
    return Play(
        "expected-maximum",
        "Errors of U and V, sample by sample",
        "Raise n past what N runs can tell. How wrong are U and V, on average?",
        "best",
        controls,
        data,
        {
            "axis": [f"estimate minus truth{unit and ','}{unit} (ends: and beyond)"],
            "digits": digits,
            "unit": unit,
            "signed": True,
            "means": True,
            "lanes": {"u": "U: n different runs", "v": "V: a run may come twice"},
            "kinds": {"u": "", "v": ""},
            "strip": {"sample": "the runs of the last sample"},
            "strip_axis": "score of a run",
            "told": 2,
            "sentence": (
                f"Each sample is {{size}} {source.format(runs=f'{n_runs:,}')}. "
                "The expected best of {n} of all of them is {truth}."
            ),
            "notes": {"few": "U has no answer for an n above N."},
        },
        {"u": "u", "v": "v"},
        Law(
            "n",
            (f"Error on average{unit and ', in'}{unit}",),
            "n, of which the best is taken",
            BUDGETS,
            reach,
            (Series("u", "u", label="U"), Series("v", "v", label="V")),
            log=True,
            line=0,
            colours=("u", "v"),
        ),
        Guess(
            "Guess: by how much is V wrong, on average, at n = 100?",
            100,
            reach,
            "v",
            step,
            says="At n = 100 and N = {size} V is off by {truth} on average.",
        ),
        functools.partial(_draw, data),
        functools.partial(_in_the_end, data),
    )


def _draw(data, setting, luck):
    pool = data["pools"][setting.get("pool", "")]
    scores, sign = np.array(pool["scores"]), pool["sign"]
    size, n = int(setting["size"]), int(setting["n"])
    samples = scores[luck.places(size, len(scores))]
    truth = _truth(pool, n)
    keys = ("u", "v") if n <= size else ("v",)
    piles = {}
    for key in keys:
        found = [
            expected_max(sample, n, estimator=key, minimize=sign < 0)
            for sample in samples
        ]
        kinds = np.full(luck.draws, key, object)
        piles[key] = (np.array(found) - truth, kinds)
    return Drawn(
        piles,
        tuple(pool["axis"]),
        bins=40,
        mark=0,
        rows=(Row("sample", samples[-1]),),
        words={"truth": f"{truth:,.{data['digits']}f}", "strip": pool["strip"]},
        note="few" if n > size else None,
    )


def _truth(pool, n):
    return expected_max(pool["scores"], n, estimator="v", minimize=pool["sign"] < 0)


def _in_the_end(data, setting):
    """Return the bias: U has none, V takes the best of those that are different."""
    pool = data["pools"][setting.get("pool", "")]
    size, n = int(setting["size"]), int(setting["n"])
    shares = np.ones(1)
    for _ in range(n):
        met = np.arange(len(shares) + 1)
        stay = np.append(shares, 0) * met
        shares = (stay + np.append(0, shares) * (size - met + 1)) / size
    met = [share * _truth(pool, d) for d, share in enumerate(shares) if d and share > 0]
    bias = {"v": float(sum(met) - _truth(pool, n))}
    return {"u": 0.0, **bias} if n <= size else bias


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
