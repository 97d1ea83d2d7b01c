"""Claims that ask for runs of our own: a digits network and a reader, and the recorded guided searches."""

import numpy as np
from scipy import stats

from evalkit import recorded
from evalkit.expected_maximum import expected_max
from evalkit.intervals import t_interval
from evalkit.papers.bajgar2018 import audit
from evalkit.papers.bajgar2018.audit import SEARCH, Runs, boo_pairs, spearman
from evalkit.papers.bajgar2018.claims.statistics import by_pool, words
from evalkit.papers.bajgar2018.tasks.training import RUNS, unpack_answers
from evalkit.papers.judging import Finding, Jackknifed, Judges, Resampled, either, sized
from evalkit.recorded import unpack

JUDGES = Judges("bajgar2018")

NETWORKS = ("digits", "reader")
BLOCK = {"digits": 20, "reader": 5}
# Of five intervals that must all hold zero, so that together they err by chance in one case of twenty.
TOGETHER, TOGETHER_DRAWS = 0.99, 20_000


def own(record, network, hyperparameters):
    """Return our own runs of a network in the order in which they were drawn, in percent.

    Parameters
    ----------
    record : evalkit.papers.bajgar2018.tasks.Record
    network : {"digits", "reader"}
    hyperparameters : {"fixed", "random"}

    Returns
    -------
    pandas.DataFrame
        `validation`, `test`, and whatever else was recorded; an error if too few are there.
    """
    where = {"network": network, "hyperparameters": hyperparameters}
    table = record.table("trained", RUNS[network, hyperparameters], **where).sort_values("run")
    return table.assign(validation=100 * table.validation, test=100 * table.test)


def _pairs(table):
    return Runs.of(table.validation, table.test).pairs


def _right(table):
    """Return which items each run gets right, shape (runs, items)."""
    return np.array([unpack_answers(cell) for cell in table.right], dtype=float)


def _sd_by_items(right):
    """Return the SD over seeds of an accuracy that the luck of independent items alone would make.

    Two seeds that are equally good differ on a share d of the n items, each in either direction by a
    coin: the difference has variance d / n, and each of the two scores half of it.
    """
    n_runs, n_items = right.shape
    by_item = right.sum(axis=0)
    disagree = 2 * (by_item * (n_runs - by_item)).sum() / (n_runs * (n_runs - 1) * n_items)
    return np.sqrt(disagree / (2 * n_items))


@JUDGES.judge("others-find-the-same", criterion="2026-11-22")
def _others_find(record):
    sds = {
        name: Resampled(lambda test: test.std(ddof=1), _pairs(own(record, name, "fixed"))[:, 1])
        for name in NETWORKS
    }
    for found in sds.values():
        found.settle(0.5)
    by_items = [f"{100 * _sd_by_items(_right(own(record, name, 'fixed'))):.2f}" for name in NETWORKS]
    return Finding(
        either(all(x.low > 0.5 for x in sds.values()), all(x.high < 0.5 for x in sds.values())),
        "own run",
        f"SD of test accuracy over seeds, in points: {by_pool(sds)}. If all seeds were equally good and the "
        f"items independent, the test items alone would make it {' and '.join(by_items)}.",
        tuple(sds.values()),
    )


@JUDGES.judge("larger-validation-set", criterion="2026-11-22")
def _larger_validation(record):
    table = own(record, "reader", "fixed").sort_values(["test", "validation"])
    nested = np.array([unpack(cell) for cell in table.nested])  # from the smallest set to the largest
    scores = np.c_[nested, table.test]

    def rises(drawn):
        return spearman(drawn[:, [-2, -1]]) - spearman(drawn[:, [0, -1]])

    found = Resampled(rises, scores)
    found.settle(0, 0.1)
    at = ", ".join(f"{spearman(scores[:, [i, -1]]):.2f}" for i in range(nested.shape[1]))
    return Finding(
        sized(found.low > 0, found.high < 0.1),
        "own run",
        f"Spearman's correlation with test, from the smallest validation set to the largest: {at}; it rises "
        f"by "
        f"{words(found)}.",
        (found,),
    )


def _correlation(pairs):
    v, t = (pairs - pairs.mean(axis=0)).T
    return v @ t / np.sqrt((v @ v) * (t @ t))


def _neighbours(scores):
    """Return the autocorrelation of ranks at lag 1, resampled over pairs of neighbours."""
    ranks = stats.rankdata(scores)  # a few runs that fail would make the interval of the scores far too short
    # The ends of an interval of 99 % rest on few draws.
    return Resampled(_correlation, np.c_[ranks[:-1], ranks[1:]], draws=TOGETHER_DRAWS)


def _block_errors(table, size):
    """Return, for each block of draws, the test score of its best minus what the other draws predict."""
    validation, test = table.validation.to_numpy(), table.test.to_numpy()
    found = []
    for first in range(0, len(test) - size + 1, size):
        inside = np.zeros(len(test), dtype=bool)
        inside[first : first + size] = True
        best = validation[inside] == validation[inside].max()
        predicted = boo_pairs(Runs.of(validation[~inside], test[~inside]).pairs, size)
        found.append(test[inside][best].mean() - predicted)
    return np.array(found) / test.std(ddof=1)


@JUDGES.judge("valid-for-random-search", criterion="2026-11-22")
def _valid_for_random(record):
    searches = {name: own(record, name, "random") for name in NETWORKS}
    errors = {
        name: t_interval(_block_errors(table, BLOCK[name]), confidence_level=TOGETHER)
        for name, table in searches.items()
    }
    drawn = {name: _neighbours(table.test.to_numpy()) for name, table in searches.items()}
    log = audit.evaluations().sort_values(["validation", "steps"]).groupby("number").tail(1)
    drawn["released log"] = _neighbours(log.sort_values("number").test.to_numpy())
    tails = (1 - TOGETHER) / 2, (1 + TOGETHER) / 2
    lags = {name: tuple(np.quantile(lag.values, tails)) for name, lag in drawn.items()}
    hold = [low <= 0 <= high for low, high in (*errors.values(), *lags.values())]
    near = all(low > -1 and high < 1 for low, high in errors.values())
    blocks = "; ".join(f"{name} {low:.2f} to {high:.2f}" for name, (low, high) in errors.items())
    neighbours = "; ".join(
        f"{name} {drawn[name].estimate:.2f} ({low:.2f} to {high:.2f})" for name, (low, high) in lags.items()
    )
    return Finding(
        either(all(hold) and near, not all(hold)),
        "own run",
        f"Five intervals of {TOGETHER:.0%}. Best of a block of draws minus Equation 7 from the others, in "
        f"SDs: {blocks}. Autocorrelation of ranks at lag 1: {neighbours}.",
        tuple(drawn.values()),
        intervals=len(hold),
    )


def told_apart(right, families):
    """Return which pairs of runs an interval over test items tells apart.

    Parameters
    ----------
    right : ndarray of float, shape (N, items)
        1 where a run is right on an item.
    families : ndarray of int, shape (items,)
        Which items stand together, from 0: the interval is over families, for the items of one may go alike.

    Returns
    -------
    ndarray of float, shape (N, N)
        1 where the 95 % interval of the difference excludes 0.
    """
    sizes = np.bincount(families)
    n, count = len(families), len(sizes)
    sums = np.zeros((len(right), count))
    np.add.at(sums, (slice(None), families), right)
    total, together, weighted = right.sum(axis=1), sums @ sums.T, sums @ sizes
    difference = (total[:, None] - total) / n
    own = np.diag(together)
    # Of D, the difference of the sums of a family: the sum over families of (D - size x mean difference)^2.
    squares = own[:, None] + own - 2 * together
    squares += difference**2 * (sizes @ sizes) - 2 * difference * (weighted[:, None] - weighted)
    error = np.sqrt(np.maximum(squares, 0) * count / (count - 1)) / n
    return (np.abs(difference) > stats.t.ppf(0.975, count - 1) * error).astype(float)


@JUDGES.judge("repeats-are-needed", criterion="2026-11-22")
def _repeats(record):
    shares = {}
    for name in NETWORKS:
        table = own(record, name, "fixed").sort_values(["test", "validation", "run"])
        sizes = unpack(record.one("baselines", network=name)["families"]).astype(int)
        apart = told_apart(_right(table), np.repeat(np.arange(len(sizes)), sizes))

        def share(index, apart=apart):
            counts = np.bincount(index, minlength=len(apart)).astype(float)
            return counts @ apart @ counts / (counts.sum() ** 2 - (counts**2).sum())

        shares[name] = Resampled(share, np.arange(len(apart)))
        shares[name].settle(0.05)
    return Finding(
        either(all(x.low > 0.05 for x in shares.values()), all(x.high <= 0.05 for x in shares.values())),
        "own run",
        f"Share of pairs of seeds whose interval over test items excludes 0: {by_pool(shares)}.",
        tuple(shares.values()),
    )


def _noise_ratio(pairs):
    """Return the SD of Boo_5 over that of the best-validation run, of samples of 20 runs."""
    pool, rng = Runs.of(*pairs.T), np.random.default_rng(2018)
    index = rng.integers(len(pool), size=(400, 20))
    return audit.boo_of(*pool.tally(index), 5).std() / pool.best(index, rng).std()


@JUDGES.judge("models-representative", criterion="2026-11-22")
def _representative(record):
    found, good, reversed_ = {}, [], []
    for name in NETWORKS:
        fixed, searched = (_pairs(own(record, name, kind)) for kind in ("fixed", "random"))
        orders = {
            "SD, random over fixed": (
                Resampled(lambda a, b: b[:, 1].std(ddof=1) / a[:, 1].std(ddof=1), fixed, searched),
                1,
                1,
            ),
            "correlation, random minus fixed": (
                Resampled(lambda a, b: spearman(b) - spearman(a), fixed, searched),
                0,
                1,
            ),
            **{
                f"SD of Boo_5 over best of 20, {kind}": (Resampled(_noise_ratio, pairs, draws=500), 1, -1)
                for kind, pairs in (("fixed", fixed), ("random", searched))
            },
        }
        for label, (x, limit, side) in orders.items():
            x.settle(limit)
            found[f"{name}, {label}"] = x
            good.append(x.low > limit if side > 0 else x.high < limit)
            reversed_.append(x.high < limit if side > 0 else x.low > limit)
    return Finding(either(all(good), any(reversed_)), "own run", f"{by_pool(found)}.", tuple(found.values()))


@JUDGES.judge("n-can-be-cherry-picked", criterion="2026-11-22")
def _cherry_picked(record):
    places = {"AS Reader": [audit.runs(pool).pairs for pool in ("asreader_fixed", SEARCH)]}
    for name in NETWORKS:
        places[name] = [_pairs(own(record, name, kind)) for kind in ("fixed", "random")]
    surely, seems, lines, drawn = {}, {}, [], []
    for name, pairs in places.items():
        one, fifty = (Resampled(lambda a, b, n=n: boo_pairs(b, n) - boo_pairs(a, n), *pairs) for n in (1, 50))
        for found in (one, fifty):
            found.settle(0)
        drawn += [one, fifty]
        lines.append(f"{name} {words(one)} at n = 1, {words(fifty)} at n = 50")
        surely[name] = one.high < 0 < fifty.low or fifty.high < 0 < one.low
        seems[name] = one.estimate * fifty.estimate < 0
    return Finding(
        either(any(surely.values()), not any(seems.values())),
        "released data" if surely["AS Reader"] else "own run",
        f"Boo_n under random search minus that with fixed hyperparameters, in points: {'; '.join(lines)}.",
        tuple(drawn),
    )


@JUDGES.judge("not-for-guided-search")
def _not_guided(record):
    table = recorded.load_recorded("searches", "guided").sort_values("restart")
    restarts = [100 * unpack(cell) for cell in table.validations]
    apart = {}
    for n in (5, 10, 20):
        apart[f"n = {n}"] = Jackknifed(
            lambda groups, n=n: (
                expected_max(np.concatenate(groups), n) - np.mean([g[:n].max() for g in groups])
            ),
            restarts,
        )
    excluded = [not x.low <= 0 <= x.high for x in apart.values()]
    close = [x.low >= -0.5 and x.high <= 0.5 for x in apart.values()]
    return Finding(
        either(any(excluded), not any(excluded) and all(close)),
        "own run",
        f"Expected best of n from the pooled trials of {len(restarts)} guided searches minus the mean best "
        f"so far, "
        f"in points: {by_pool(apart)}. (t over restarts.) Of the five sources two draw such a curve, from "
        f"settings that they drew at random: this paper and Tang et al.; Melis et al. search with a guide, "
        f"and print its best without a curve.",
        intervals=len(apart),
    )
