"""Chapter 3: two searches with the same number of trials, or the same time."""

import functools
from collections.abc import Mapping

import numpy as np

from evalkit._checks import _show, as_array, check_scores, check_work
from evalkit._limits import MOST_PLAYED
from evalkit._ties import coarsest
from evalkit.explore._controls import Control
from evalkit.explore._play import Guess, Law, Play, Series
from evalkit.explore._searches import draw_searches, searches_in_the_end
from evalkit.explore._tables import NETWORKS, check_recorded, runs_of_networks
from evalkit.explore._words import decimals
from evalkit.tuning import winner_by_budget

__all__ = ["tuning"]

UNITS = ("trials", "seconds")
TRIALS = (1, 2, 3, 5, 7, 10, 14, 20, 28, 40)


def tuning(pools=None, *, recorded=None, seconds=None, minimize=False):
    """Explore the budget of a search: give two searches as many trials or as much time,
    and see who is ahead.

    Parameters
    ----------
    pools : dict of str to array_like of float, optional
        The validation scores of two random searches of your own, by name.
    recorded : DataFrame, optional
        The book's table instead: `validation`, `test` and `seconds` of each run of each
        network, its `system`.
    seconds : dict of str to float, optional
        What a trial of each of your own searches costs.
    minimize : bool, default False
        Whether lower is better in your scores.

    Returns
    -------
    Play

    Notes
    -----
    Size: up to 5,000 scores in a pool, a page of them in 1 s and 100 MB.
    """
    recorded = check_recorded(
        recorded, ("system", "validation", "test", "seconds"), pools, "pools"
    )
    if recorded is not None:
        if seconds is not None:
            raise ValueError(
                "seconds are those of your own pools; the book's table has its own"
            )
        networks = runs_of_networks(recorded)
        of = {NETWORKS[name].upper(): runs for name, runs in networks.items()}
        price = {name: float(runs.seconds.mean()) for name, runs in of.items()}
        tables = {
            name: {
                part: (100 * runs[part]).round(4).tolist()
                for part in ("validation", "test")
            }
            for name, runs in of.items()
        }
        return _play(
            tables,
            price,
            1,
            [-12, 18],
            [10, 70],
            (-3, 13),
            " points",
            1,
            {name: name.lower() for name in of},
        )
    pools = _check_pools(pools)
    if isinstance(seconds, Mapping) and len(set(map(str, seconds))) == len(seconds):
        seconds = {str(name): seconds[name] for name in seconds}
    # Complains of what it cannot take.
    winner_by_budget(pools, [1], seconds=seconds, minimize=minimize)
    price = seconds and {name: float(seconds[name]) for name in pools}
    sign = -1 if minimize else 1
    both = np.concatenate([*pools.values()])
    spread = float(np.std(both)) or 1.0
    tables = {
        name: {part: scores.tolist() for part in ("validation", "test")}
        for name, scores in pools.items()
    }
    margin = 0.05 * float(np.ptp(both)) or 1.0
    strip = [float(both.min()) - margin, float(both.max()) + margin]
    reach = 3 * spread
    colours = dict(zip(pools, ("one", "two"), strict=True))
    return _play(
        tables,
        price,
        sign,
        [-reach, reach],
        strip,
        (-2 * spread, 2 * spread),
        "",
        decimals(spread),
        colours,
    )


def _check_pools(pools):
    if not isinstance(pools, Mapping) or len({str(name) for name in pools}) != 2:
        raise ValueError(
            'pools must be a dict of two searches, like {"old": scores, "new": scores},'
            f" with names that differ in print; got {_show(pools)}"
        )
    kind = coarsest(
        *(as_array(scores, f"pools[{name!r}]") for name, scores in pools.items())
    )
    checked = {
        str(name): check_scores(scores, f"pools[{name!r}]").astype(kind)
        for name, scores in pools.items()
    }
    most = max(map(len, checked.values()))
    check_work(
        most,
        MOST_PLAYED,
        f"pools hold up to {most:,} scores",
        "take a random part of them",
    )
    return checked


def _play(tables, price, sign, axis, strip, reach, unit, digits, colours):
    """Return the figure of two searches; A is the one whose trials are counted."""
    # The dearer is counted, so that the other can pay for as many.
    names = sorted(tables, key=price.get, reverse=True) if price else list(tables)
    a, b = names
    data = {
        "pools": {"a": tables[a], "b": tables[b]},
        "axis": axis,
        "strip": strip,
        "ratio": price[a] / price[b] if price else 1.0,
        "sign": sign,
    }
    trials = Control(
        "trials", f"Trials of {a}", TRIALS, 3, live=(1, 100, 1), short="trials"
    )
    same = Control("unit", "Both get the same", UNITS, "seconds", short="same")
    controls = (trials, same) if price else (trials,)
    same = " (same {unit})" if price else ""
    step = 0.5 if unit else float(f"{(reach[1] - reach[0]) / 40:.1g}")
    return Play(
        "tuning",
        f"Searches that compare {b} with {a}",
        "Let both search longer. Who is ahead, and does it last?",
        "papers",
        controls,
        data,
        {
            "axis": [f"{b} minus {a}{unit and ',' + unit} (ends: and beyond)"],
            "digits": digits,
            "unit": unit,
            "signed": True,
            "means": True,
            "lanes": {"difference": ""},
            "kinds": {
                "a": f"{a} is ahead",
                "b": f"{b} is ahead",
                "tie": "neither is ahead",
                "mean": f"{b} leads, on average, by",
            },
            "strip": {
                "a": f"{a}: {{n_a}} (filled: best on validation)",
                "b": f"{b}: {{n_b}}",
            },
            "strip_axis": "test" if unit else "score",
            "tally": ["mean", "b", "a", "tie"],
            "told": 4,
            "sentence": (
                f"Each time, {{n_a}} of {a}'s recorded trials and {{n_b}} of {b}'s are"
                " drawn, with replacement, and those that are best on validation are"
                " compared."
            ),
        },
        {"b": colours[b], "a": colours[a], "tie": "dummy"},
        Law(
            "trials",
            (f"Lead of {b},", f"on average{unit and ', in' + unit}"),
            f"trials of {a}",
            TRIALS,
            reach,
            (Series("lead", "difference"),),
            by="unit" if price else None,
            by_names=tuple(f"same {unit}" for unit in UNITS) if price else (),
            log=True,
            line=0,
        ),
        Guess(
            f"Guess: with 40 trials of {a}, what is the lead of {b}?",
            40,
            reach,
            step=step,
            says=f"With 40 trials the lead of {b} comes to {{truth}}{unit}{same}.",
        ),
        functools.partial(draw_searches, data),
        functools.partial(searches_in_the_end, data),
        draws={"Search once": 1, "100 times": 100},
    )
