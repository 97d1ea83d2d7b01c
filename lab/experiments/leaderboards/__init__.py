"""What a place on a leaderboard is worth: simulations with a known truth, and what
boards released.

- `ranks`: how often sets of ranks hold every system's true rank at once, by way of
  making them, at the sizes of boards;
- `families`: how often intervals of one score, and of a paired difference, hold the
  truth where items come in families, by way of making them;
- what boards released, and what follows from it: see `_released`.

Of 1,000 samples a share near 95 % has a standard error of 0.7 points, and one near 50 %
of 1.6.
"""

import functools

import numpy as np
from scipy import optimize, special, stats

from evalkit.intervals import group_interval
from evalkit.leaderboards import rank_intervals
from evalkit.seeds import crossed_difference
from lab.experiments.leaderboards import _released
from lab.experiments.leaderboards._released import paired_pvalues, released
from lab.record.experiment import Experiment

SAMPLES = {"ranks": 1000, "families": 1000}

REPOSITORIES = {
    "SWE-bench": (231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1),
    "SWE-bench Pro": (96, 91, 85, 79, 76, 65, 62, 57, 55, 44, 20),
}
# How alike systems find the items: the correlation of what makes them fail, of a normal
# distribution.
ALIKE = 0.5
EQUALS = 25
# From 35 to 75 % right, 1.7 points between neighbours.
UNEQUAL = np.linspace(0.75, 0.35, EQUALS)
RELEASED = ("generation", "execution")
REPOSITORY_SHARES = {f"12 repositories, ICC {icc}": icc for icc in (0, 0.02, 0.1)}
EQUAL_BOARDS = {
    f"{EQUALS} equals, {n} items, {rate} right": (n, rate)
    for n in (50, 200, 500)
    for rate in (0.5, 0.95)
}
BOARDS = (*RELEASED, *REPOSITORY_SHARES, *EQUAL_BOARDS)
WAYS = ("rank_intervals", "rank_intervals, groups", "unadjusted")

FAMILIES = (*REPOSITORIES, "LiveCodeBench")
RESEMBLANCES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3)
INTERVALS = ("items", "miller", "t", "cr2", "bootstrap")


# --------------------------------------------------------------------------------------
# Samples with a known truth
# --------------------------------------------------------------------------------------


def both_below(thresholds, correlation):
    """Return how often two normal numbers that correlate are both below their
    thresholds.

    Parameters
    ----------
    thresholds : (float, float)
    correlation : float
        From 0 to below 1.

    Returns
    -------
    float
    """
    nodes, weights = special.roots_hermitenorm(200)
    shared = np.sqrt(correlation) * nodes
    below = [special.ndtr((t - shared) / np.sqrt(1 - correlation)) for t in thresholds]
    return float(weights @ (below[0] * below[1]) / weights.sum())


def family_share(rate, icc, kind):
    """Return how much of what makes a system fail is its family's, for an intraclass
    correlation.

    Parameters
    ----------
    rate : float
        Of right answers.
    icc : float
        Of a system's answers in a family, or of the differences of two systems that are
        equally good.
    kind : {"score", "difference"}

    Returns
    -------
    float
        Of a variance of 1.
    """
    t = special.ndtri(rate)
    alike = ALIKE if kind == "difference" else 0.0
    variance = rate - (both_below((t, t), alike) if alike else rate**2)

    def excess(share):
        return both_below((t, t), share) - rate**2 - icc * variance

    return optimize.brentq(excess, 0.0, 0.99 - alike) if icc else 0.0


def draw_answers(rates, sizes, share, rng, alike=ALIKE):
    """Draw right and wrong answers of systems to items in families, each system with
    strong and weak ones.

    Parameters
    ----------
    rates : array_like of float, shape (n_systems,)
        How often each is right, over all items and families that could be drawn.
    sizes : sequence of int
        Items of each family.
    share : float
        As `family_share` returns it.
    rng : numpy.random.Generator
    alike : float, default ALIKE
        How much of what makes a system fail is the item's, for all systems alike.

    Returns
    -------
    right : ndarray of float, shape (n_items, n_systems)
    members : ndarray of int, shape (n_items,)
    """
    members = np.repeat(np.arange(len(sizes)), sizes)
    n_items, n_systems = members.size, len(rates)
    cause = np.sqrt(1 - alike - share) * rng.standard_normal((n_items, n_systems))
    cause += np.sqrt(alike) * rng.standard_normal((n_items, 1))
    cause += np.sqrt(share) * rng.standard_normal((len(sizes), n_systems))[members]
    return (cause < special.ndtri(np.asarray(rates))).astype(float), members


def draw_board(board, rng):
    """Draw the items of a board, and say what is true of its systems.

    Parameters
    ----------
    board : str
        Of `BOARDS`.
    rng : numpy.random.Generator

    Returns
    -------
    scores : ndarray of float, shape (n_items, n_systems)
    members : ndarray of int, shape (n_items,)
        The group of each item.
    truth : ndarray of float, shape (n_systems,)
    """
    if board in RELEASED:
        scores, problems = released(board)
        parts = [
            np.flatnonzero(problems == number) for number in range(problems.max() + 1)
        ]
        parts = [parts[number] for number in rng.integers(len(parts), size=len(parts))]
        members = np.repeat(np.arange(len(parts)), [part.size for part in parts])
        # The last bits of a mean are no difference.
        return scores[np.concatenate(parts)], members, scores.mean(axis=0).round(9)
    if board in REPOSITORY_SHARES:
        share = _shares_of_boards()[board]
        return *draw_answers(UNEQUAL, REPOSITORIES["SWE-bench"], share, rng), UNEQUAL
    n, rate = EQUAL_BOARDS[board]
    rates = np.full(EQUALS, rate)
    return *draw_answers(rates, [1] * n, 0.0, rng), rates


@functools.cache
def _shares_of_boards():
    middle = float(np.median(UNEQUAL))
    return {
        name: family_share(middle, icc, "difference")
        for name, icc in REPOSITORY_SHARES.items()
    }


# --------------------------------------------------------------------------------------
# Ranks
# --------------------------------------------------------------------------------------


def sets_of_ranks(scores, members, way):
    """Return the best and the worst rank that each system may have.

    Parameters
    ----------
    scores : ndarray of float, shape (n_items, n_systems)
    members : ndarray of int, shape (n_items,)
    way : str
        Of `WAYS`.

    Returns
    -------
    best, worst : ndarray of int, shape (n_systems,)
    """
    if way.startswith("rank_intervals"):
        groups = members if way.endswith("groups") else None
        table = rank_intervals(scores, groups).table
        return table.best.to_numpy(), table.worst.to_numpy()
    pvalues, first, second = paired_pvalues(scores)
    apart = pvalues <= 0.05
    better = scores.mean(axis=0)[first] > scores.mean(axis=0)[second]
    n_systems = scores.shape[1]
    worse, winners = (
        np.where(better, second, first)[apart],
        np.where(better, first, second)[apart],
    )
    return 1 + np.bincount(worse, minlength=n_systems), n_systems - np.bincount(
        winners, minlength=n_systems
    )


def _ranks(board, way):
    place = BOARDS.index(board)
    # Every way sees the same samples.
    draws = np.random.default_rng([91, place])
    held = alone = 0
    size = 0.0
    for _ in range(SAMPLES["ranks"]):
        scores, members, truth = draw_board(board, draws)
        best, worst = sets_of_ranks(scores, members, way)
        true_rank = 1 + (truth[:, None] < truth).sum(axis=1)
        held += bool(np.all((best <= true_rank) & (true_rank <= worst)))
        alone += bool(worst.min() == 1)
        size += float(np.mean(worst - best + 1))
    return {
        "samples": SAMPLES["ranks"],
        "held": int(held),
        "mean_size": round(size / SAMPLES["ranks"], 4),
        "first_alone": int(alone),
    }


# --------------------------------------------------------------------------------------
# Families of items
# --------------------------------------------------------------------------------------


def family_sizes(families):
    """Return how many items there are in each family of a board.

    Parameters
    ----------
    families : str
        Of `FAMILIES`.

    Returns
    -------
    tuple of int
    """
    if families in REPOSITORIES:
        return REPOSITORIES[families]
    return tuple(np.bincount(released("execution")[1]).tolist())


def miller_error(scores, members):
    """Return the clustered standard error of a mean, as Miller prints it.

    Parameters
    ----------
    scores : ndarray of float, shape (n,)
    members : ndarray of int, shape (n,)

    Returns
    -------
    float
        The variance for independent items, plus the products of all pairs of different
        items of a cluster.
    """
    n, around = scores.size, scores - scores.mean()
    pairs = (np.bincount(members, weights=around) ** 2).sum() - (around**2).sum()
    return float(np.sqrt(scores.var(ddof=1) / n + pairs / n**2))


def intervals(right, members, rng):
    """Return the intervals of a score, or of the difference of two, by way of making
    them.

    Parameters
    ----------
    right : ndarray of float, shape (n_items, 1) or (n_items, 2)
    members : ndarray of int, shape (n_items,)
    rng : numpy.random.Generator

    Returns
    -------
    dict of str to (float, float)
        By the names of `INTERVALS`.
    """
    scores = right[:, 0] - right[:, 1] if right.shape[1] == 2 else right[:, 0]
    mean, miller = scores.mean(), miller_error(scores, members)
    normal = special.ndtri(0.975)
    half = {
        "items": normal * scores.std(ddof=1) / np.sqrt(scores.size),
        "miller": normal * miller,
        "t": stats.t.isf(0.025, members.max()) * miller,
    }
    cr2 = (
        group_interval(scores, members)
        if right.shape[1] == 1
        else crossed_difference(*right.T, members)
    )
    drawn = group_interval(
        scores, members, method="percentile", n_resamples=999, rng=rng
    )
    found = {name: (mean - width, mean + width) for name, width in half.items()}
    return found | {
        name: (one.low, one.high) for name, one in (("cr2", cr2), ("bootstrap", drawn))
    }


def _families(families, kind, rate, icc):
    place = [FAMILIES.index(families), len(kind), int(100 * rate), int(100 * icc)]
    rng = np.random.default_rng([93, *place])
    sizes, share = family_sizes(families), family_share(rate, icc, kind)
    single = kind == "score"
    rates, alike, truth = ([rate], 0.0, rate) if single else ([rate, rate], ALIKE, 0.0)
    held, width = dict.fromkeys(INTERVALS, 0), dict.fromkeys(INTERVALS, 0.0)
    for _ in range(SAMPLES["families"]):
        right, members = draw_answers(rates, sizes, share, rng, alike)
        for name, (low, high) in intervals(right, members, rng).items():
            held[name] += bool(low <= truth <= high)
            width[name] += float(high - low)
    return {
        "samples": SAMPLES["families"],
        **{f"held_{name}": held[name] for name in INTERVALS},
        **{
            f"width_{name}": round(width[name] / SAMPLES["families"], 5)
            for name in INTERVALS
        },
    }


def _plan(scale, rows):
    """Return the units; none depends on another."""
    return [
        *_released.plan(),
        *(
            {"table": "ranks", "board": board, "way": way}
            for board in BOARDS
            for way in WAYS
            if not way.endswith("groups")
            or board == "execution"
            or board in REPOSITORY_SHARES
        ),
        *(
            {
                "table": "families",
                "families": families,
                "kind": kind,
                "rate": rate,
                "icc": icc,
            }
            for families in FAMILIES
            for kind in ("score", "difference")
            for rate in (0.5, 0.9)
            for icc in RESEMBLANCES
        ),
    ]


EXPERIMENT = Experiment(
    name="leaderboards",
    # Another machine's last bits may turn a decision or two.
    compared={
        **dict.fromkeys(("held", "first_alone"), 3),
        **{f"held_{name}": 3 for name in INTERVALS},
        **dict.fromkeys(
            ("best", "worst", "best_repositories", "worst_repositories"), 1
        ),
        **dict.fromkeys(("right", "pairs_apart", "neighbours_apart"), 0),
        **dict.fromkeys(("score_median", "difference_median"), 0.01),
        "mean_size": 0.01,
    },
    plan=_plan,
    tables={
        "ranks": _ranks,
        "families": _families,
        **_released.TABLES,
    },
)
