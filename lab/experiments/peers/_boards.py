"""Leaderboards: many equal systems on one test set, and two of them on issues from few repositories."""

import pandas as pd

from evalkit.leaderboards import rank_intervals
from lab.experiments import leaderboards
from lab.experiments.leaderboards import REPOSITORIES, draw_answers, family_share
from lab.experiments.peers import _packages, _people
from lab.experiments.peers._registry import GROUPS, SLOW, USUAL, Comparison, Method


def draw_equals(number, rng, systems, items):
    table, _ = draw_answers([0.5] * systems, [1] * items, 0.0, rng)
    return {"table": table, "truth": 0.0}


def draw_repositories(number, rng, icc):
    share = family_share(0.5, icc, "difference")
    right, members = draw_answers([0.5, 0.5], REPOSITORIES["SWE-bench"], share, rng)
    return {"a": right[:, 0], "b": right[:, 1], "groups": members, "truth": 0.0}


def every_pair(s, rng):
    return leaderboards.paired_pvalues(s["table"])[0].min(), None


def statsmodels_holm(s, rng):
    from statsmodels.stats.multitest import multipletests

    return multipletests(leaderboards.paired_pvalues(s["table"])[0], method="holm")[1].min(), None


def evalstats_board(s, rng):
    frame = pd.DataFrame(s["table"]).add_prefix("system ").rename_axis("item").reset_index()
    return _packages.compare_by_evalstats(frame.melt("item", var_name="model", value_name="score"))


def evalkit_ranks(s, rng):
    return bool(rank_intervals(s["table"], n_resamples=999, rng=rng).apart.to_numpy().any()), None


COMPARISONS = {
    "board": Comparison(
        "equal systems on a leaderboard",
        draw_equals,
        {"8 systems": (8, 200), "25 systems": (25, 200)},
        {
            "usual": Method("scipy.stats.ttest_rel of each pair, unadjusted", every_pair, samples=USUAL),
            "SciPy": Method("scipy.stats.friedmanchisquare(*columns)", _people.scipy_friedman, samples=USUAL),
            "statsmodels": Method(
                "statsmodels.stats.multitest.multipletests(pvalues_of_ttest_rel, method='holm')",
                statsmodels_holm,
                ("statsmodels",),
                USUAL,
            ),
            "evalstats": Method(
                "evalstats.compare(evalstats.load_from(scores), factors='model')",
                evalstats_board,
                ("evalstats",),
                SLOW,
                designs=("8 systems",),
            ),
            "evalkit": Method("ek.rank_intervals(scores)", evalkit_ranks, samples=USUAL),
        },
    ),
    "repositories": Comparison(
        "items from few families, nearly half in one (issues of twelve repositories)",
        draw_repositories,
        {"12 repositories, not alike": (0.0,), "12 repositories, alike": (0.05,)},
        GROUPS,
    ),
}
