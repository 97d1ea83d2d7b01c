"""Baselines, and what is learned from systems at one setting each."""

import functools
import itertools

import numpy as np
from scipy import special, stats
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evalkit import datasets, recorded
from evalkit.papers.judging import (
    INCONCLUSIVE,
    Finding,
    Judges,
    Resampled,
    either,
    everywhere,
    held,
)
from evalkit.papers.potts2020.claims.statistics import NAMES, mean, words
from evalkit.papers.potts2020.tasks.data import TABLES, TEXTS
from evalkit.papers.potts2020.tasks.divided import PARTS, STRATEGIES
from evalkit.proportions import proportion_interval
from evalkit.recorded import unpack

JUDGES = Judges("potts2020")

NETWORKS = {"mlp": "MLP", "lstm": "LSTM"}
DUMMY_DATA, DUMMY_SPLITS = (*TEXTS, *TABLES), 20
METRICS = ("accuracy", "macro F1", "weighted F1")
# All strategies of scikit-learn's two dummies, with what some of them need besides.
CLASSIFIER = {name: {} for name in STRATEGIES} | {"constant": {"constant": 0}}
REGRESSOR = {"mean": {}, "median": {}, "quantile": {"quantile": 0.5}, "constant": {"constant": 0.0}}


# ---------------------------------------------------------------------------------------------
# What a score says alone
# ---------------------------------------------------------------------------------------------


@functools.cache
def easy_scores():
    """Score two kinds of simple tasks by accuracy, each with what can hardly be called a system.

    Returns
    -------
    dict of str to float
        By what is scored: on breast cancer and wine, over five folds, a logistic regression on the one
        feature by which its training part differs most; on digits, the commoner answer to "is it this one?".
    """
    found = {}
    for name in ("breast-cancer", "wine"):
        X, y = datasets.load_bundled(name)
        model = make_pipeline(StandardScaler(), SelectKBest(k=1), LogisticRegression())
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        score = cross_val_score(model, X, y, cv=folds, scoring="accuracy").mean()
        found[f"one feature on {NAMES[name]}"] = float(score)
    shares = datasets.load_bundled("digits")[1].value_counts(normalize=True, sort=False)
    found[f"a dummy on whether a digit is {shares.idxmin()}"] = float(1 - shares.min())
    return found


@JUDGES.judge("numbers-need-context")
def _context(record):
    table = recorded.load_recorded("nine_datasets", "scores")
    scores = table.pivot_table(index="dataset", columns="system", values="accuracy")
    # Where whole modules change sides, a guess among all classes may beat the commonest class.
    guess = 1 / table.groupby("dataset").classes.first()
    dummy = np.maximum(scores.pop("dummy"), guess)
    best = scores.max(axis=1)
    gain = best - dummy
    easy = {name: score for name, score in easy_scores().items() if score >= 0.9}
    hard = best.index[(best < 0.7) & (gain > 0.2)]
    correlation = stats.spearmanr(best, gain).statistic
    pair = bool(easy) and len(hard) > 0
    lines = [f"{name} {best[name]:.3f} against {dummy[name]:.3f}" for name in hard]
    reached = (
        " and ".join(f"{name} reaches {score:.3f}" for name, score in easy.items()) or "none reaches 0.9"
    )
    return Finding(
        either(pair, not pair and correlation > 0.9),
        "own run",
        f"Of the easy tasks, {reached or 'none reaches 0.9'}; on {len(hard)} of the nine data sets of the "
        f"book the best of {scores.shape[1]} systems stays below 0.7 and beats the dummy by more than 0.2 "
        f"({'; '.join(lines) or 'none'}). Rank correlation of score and gain {correlation:.2f}. Means "
        "over ten shuffles into five folds, without an interval. The human score is out of reach: nobody "
        "labelled these data.",
    )


def _pools():
    """Return the test scores of the pools' baselines, chosen on validation, and their whole table."""
    table = recorded.load_recorded("pools", "baselines")
    chosen = {
        system: rows.test.iloc[int(rows.validation.to_numpy().argmax())]
        for system, rows in table.groupby("system")
    }
    return chosen["dummy"], chosen["linear"], table


@JUDGES.judge("baselines-central")
def _central(record):
    dummy, linear, _ = _pools()
    seeds = recorded.load_recorded("pools", "seeds")
    verdicts, lines, drawn = [], [], []
    for system, name in NETWORKS.items():
        test = 100 * seeds[seeds.system == system].sort_values("seed").test
        over_dummy, over_linear = (mean(test - 100 * baseline) for baseline in (dummy, linear))
        # Both gains come from the same seeds, and so does what one exceeds a share of the other by.
        quarter, half = (mean((test - 100 * linear) - share * (test - 100 * dummy)) for share in (0.25, 0.5))
        for found, limit in ((over_dummy, 20), (quarter, 0), (half, 0)):
            found.settle(limit)
        verdicts.append(either(over_dummy.low > 20 and quarter.high < 0, half.low > 0))
        lines.append(
            f"the {name} gains {words(over_dummy)} points over the dummy and {words(over_linear)} over the "
            "linear model"
        )
        drawn += [over_dummy, quarter, half]
    return Finding(
        everywhere(verdicts),
        "own run",
        f"Docstrings, {len(test)} seeds of each network's best setting: {'; '.join(lines)}. The intervals "
        f"vary the seed alone, on the same {_n_items():,} test items. That planning ahead helps is out of "
        "reach.",
        tuple(drawn),
    )


def _n_items():
    return len(recorded.load_recorded("pools", "test_items"))


# ---------------------------------------------------------------------------------------------
# Dummies and parts of the input
# ---------------------------------------------------------------------------------------------


def random_strategies():
    """Try which strategies of scikit-learn's dummies answer otherwise with another random state.

    Returns
    -------
    dict of str to list of str
        By class; of both classes all are tried.
    """
    X, y, found = np.zeros((200, 1)), np.arange(200) % 2, {}
    for kind, strategies in ((DummyClassifier, CLASSIFIER), (DummyRegressor, REGRESSOR)):
        states = [{"random_state": i} for i in (0, 1)] if "random_state" in kind().get_params() else [{}, {}]
        found[kind.__name__] = [
            name
            for name, needs in strategies.items()
            if len({kind(strategy=name, **needs, **s).fit(X, y).predict(X).tobytes() for s in states}) > 1
        ]
    return found


@JUDGES.judge("random-baselines-useful", criterion="2026-11-23")
def _random_baselines(record):
    table = record.table("dummies", DUMMY_SPLITS * len(DUMMY_DATA))
    by_data = {name: rows.sort_values("split") for name, rows in table.groupby("data")}
    scores = {
        system: np.array([np.mean([unpack(c) for c in by_data[d][system]], axis=0) for d in DUMMY_DATA])
        for system in (*STRATEGIES, "linear")
    }
    dummies = np.stack([scores[name] for name in STRATEGIES])  # by strategy, data set and metric
    best = dummies.max(axis=0)
    behind = 100 * (best - dummies).max(axis=(1, 2))
    shares = best / scores["linear"]
    largest = np.unravel_index(shares.argmax(), shares.shape)
    random = random_strategies()
    one_best, halves = behind.min() < 1e-9, int((shares > 0.5).sum())
    count = {"classifier": random["DummyClassifier"], "regressor": random["DummyRegressor"]}
    lag = ", ".join(f"{name} {points:.1f}" for name, points in zip(STRATEGIES, behind, strict=True))
    drawing = [
        f"{len(count[name])} of {len(strategies)} strategies of the {name}"
        for name, strategies in (("classifier", CLASSIFIER), ("regressor", REGRESSOR))
    ]
    return Finding(
        held(not one_best and halves > 0 and sum(map(len, random.values())) > 1),
        "own run",
        f"Means over {DUMMY_SPLITS} splits, {len(DUMMY_DATA)} data sets by {len(METRICS)} metrics. Each "
        f"strategy is somewhere behind the best one, at most by so many points: {lag}. The best dummy takes "
        f"more than half of the linear model's score in {halves} of {shares.size} cases, at most "
        f"{shares[largest]:.0%} ({METRICS[largest[1]]}, {NAMES[DUMMY_DATA[largest[0]]]}). Random numbers are "
        "drawn by "
        f"{' and '.join(drawing)} ({', '.join(itertools.chain(*random.values()))}).",
    )


@JUDGES.judge("partial-input-baselines")
def _partial(record):
    table = record.table("partial", len(PARTS)).set_index("part")
    gains, lines = {}, []
    for part, row in table.drop(index="whole").sort_index().iterrows():
        found = proportion_interval(int(row.right), int(row["items"]))
        gains[part] = [100 * (x - row.dummy / row["items"]) for x in (found.low, found.high)]
        gain = 100 * (row.right - row.dummy) / row["items"]
        lines.append(f"{part.replace('_', ' ')} {gain:.1f} ({gains[part][0]:.1f} to {gains[part][1]:.1f})")
    whole = table.loc["whole"]
    return Finding(
        either(any(low > 5 for low, _ in gains.values()), all(high < 5 for _, high in gains.values())),
        "own run",
        "SNLI and the story task are out of reach: neither data set is at hand. Package of a docstring line, "
        f"points of the linear model over the best dummy by what it sees: {'; '.join(lines)}; the whole line "
        f"{100 * (whole.right - whole.dummy) / whole['items']:.1f}. Clopper-Pearson over test items, as if "
        "those of a module did not go alike; the dummy's share is fixed, for all classes have as many items.",
        intervals=len(gains),
    )


# ---------------------------------------------------------------------------------------------
# Systems at one setting each, and after searches
# ---------------------------------------------------------------------------------------------


def searches():
    """Return validation and test accuracy of the recorded random searches, in percent.

    Returns
    -------
    dict of str to ndarray of float, shape (draws, 2)
        By network, in the order in which they were drawn.
    """
    table = recorded.load_recorded("pools", "search").sort_values("draw")
    return {name: _percent(table[table.system == name]) for name in NETWORKS}


def _percent(table):
    return 100 * table[["validation", "test"]].to_numpy()


def orders_that_occur(scores, floor, width):
    """Find which orders of three systems occur among their settings.

    Parameters
    ----------
    scores : dict of str to ndarray of float
        Of the settings of each system.
    floor : float
        The last one is above it, too.
    width : callable
        From two scores to what one must exceed the other by.

    Returns
    -------
    list of tuple of str
    """

    def above(a, b):
        return a - b > width(a, b)

    found = []
    for order in itertools.permutations(scores):
        first, second, third = (scores[name] for name in order)
        third = third[above(third, floor)]
        up, down = above(first[:, None], second).any(axis=0), above(second[:, None], third).any(axis=1)
        if (up & down).any():
            found.append(order)
    return found


@JUDGES.judge("defaults-tell-nothing")
def _defaults(record):
    dummy, _, baselines = _pools()
    scores = {NETWORKS[name]: pairs[:, 1] / 100 for name, pairs in searches().items()}
    scores["linear model"] = baselines[baselines.system == "linear"].test.to_numpy()
    n_items = _n_items()

    def reach(a, b):
        return stats.norm.ppf(0.975) * np.sqrt((a * (1 - a) + b * (1 - b)) / n_items)

    clear, bare = (orders_that_occur(scores, dummy, width) for width in (reach, lambda a, b: 0))
    n_orders = len(list(itertools.permutations(scores)))
    unclear = [" > ".join(order) for order in bare if order not in clear]
    rest = f", all but {'; '.join(unclear)}" if unclear else ""
    ranges = ", ".join(f"{name} {100 * x.min():.1f} to {100 * x.max():.1f}" for name, x in scores.items())
    return Finding(
        either(len(clear) == n_orders, len(bare) < n_orders),
        "own run",
        f"Docstrings, test accuracy in percent, {ranges}, dummy {100 * dummy:.1f}: {len(bare)} of {n_orders} "
        f"orders occur, {len(clear)} of them by more than the interval{rest}. The interval is over "
        f"{n_items:,} test items as if two systems' answers were independent, which is too wide: the "
        "answers of the searches are not recorded.",
        intervals=2 * n_orders,
    )


def _chances(validation, n):
    """Return how likely each run is the best of n different ones on validation; equals share."""
    _, level, counts = np.unique(validation, return_inverse=True, return_counts=True)
    up_to = special.comb(np.cumsum(counts), n) / special.comb(len(validation), n)
    return (np.diff(up_to, prepend=0) / counts)[level]


def _top(pairs, n=None):
    """Return the expected test score of the best of n on validation; by default of all."""
    return _chances(pairs[:, 0], n or len(pairs)) @ pairs[:, 1]


def _ahead(first, second, p, q):
    """Return how often the first is larger, where the scores come with these chances."""
    order = np.argsort(second)
    below = np.append(0, np.cumsum(q[order]))
    return float(p @ below[np.searchsorted(second[order], first)])


def _even(scores):
    return np.full(len(scores), 1 / len(scores))


def agreement(first, second, n):
    """Return how often the order of two searches of n trials is that of the whole ones.

    Parameters
    ----------
    first, second : ndarray of float, shape (draws, 2)
        Validation, which chooses, and test, which is compared.
    n : int

    Returns
    -------
    share : float
    order : float
        The sign of first minus second after all trials. Equal scores have no order and agree with none.
    """
    order = np.sign(_top(first) - _top(second))
    chances = _chances(first[:, 0], n), _chances(second[:, 0], n)
    return _ahead(order * first[:, 1], order * second[:, 1], *chances), order


@JUDGES.judge("tune-every-system")
def _tune_every(record):
    pools = searches()
    table = recorded.load_recorded("searches", "defaults").sort_values("seed")
    defaults = {
        name: [100 * rows.test.to_numpy() for _, rows in table[table.system == name].groupby("default")]
        for name in NETWORKS
    }

    def shares(first, second, *fixed):
        tuned, order = agreement(first, second, 20)
        pairs = itertools.product(fixed[: len(defaults["mlp"])], fixed[len(defaults["mlp"]) :])
        ahead = [_ahead(order * a, order * b, _even(a), _even(b)) for a, b in pairs]
        return tuned, np.mean(ahead)

    samples = (*pools.values(), *defaults["mlp"], *defaults["lstm"])
    found = Resampled(lambda *drawn: np.subtract(*shares(*drawn)), *samples)
    verdict = found.beyond(0)
    tuned, fixed = shares(*samples)
    seeds = " or ".join(str(len(of[0])) for of in defaults.values())
    return Finding(
        verdict,
        "own run",
        f"Docstrings: after {len(pools['mlp'])} trials each the MLP has {_top(pools['mlp']):.1f} % and the "
        f"LSTM {_top(pools['lstm']):.1f} % on test. With 20 trials each the order is that one in "
        f"{tuned:.1%}, with a default setting each in {fixed:.1%} of cases: {100 * found.estimate:+.1f} "
        f"points ({100 * found.low:+.1f} to {100 * found.high:+.1f}). The interval varies the draws, with "
        f"them the order after all, and the {seeds} seeds of each of {len(defaults['mlp'])} defaults, which "
        "are few; neither the defaults nor the test items.",
        (found,),
    )


@JUDGES.judge("space-is-the-last-doubt")
def _space(record):
    wide, lstm = searches().values()
    narrow = _percent(recorded.load_recorded("searches", "narrow").sort_values("draw"))

    def apart(a, b):
        return Resampled(lambda x, y: _top(x, 50) - _top(y, 50), a, b)

    change, of_narrow, of_wide = apart(narrow, wide), apart(narrow, lstm), apart(wide, lstm)
    change.settle(-1, 0, 1)
    sides = [found.beyond(0) for found in (of_narrow, of_wide)]
    differ = abs(change.estimate) > 1 and (change.low > 0 or change.high < 0)
    turned = INCONCLUSIVE not in sides and sides[0] != sides[1]
    stays = np.sign(of_narrow.estimate) == np.sign(of_wide.estimate)
    return Finding(
        either(differ or turned, change.low > -1 and change.high < 1 and stays),
        "own run",
        "Docstrings, MLP, expected test accuracy of the best-validation run of 50: a search over the "
        f"learning rate alone ({len(narrow)} draws) minus one over all six hyperparameters ({len(wide)} "
        f"draws), {words(change)} points. Minus the LSTM's they are {words(of_narrow)} and {words(of_wide)}: "
        f"by the estimates the order {'stays' if stays else 'turns'}. The intervals vary the draws, on the "
        "same test items.",
        (change, of_narrow, of_wide),
    )
