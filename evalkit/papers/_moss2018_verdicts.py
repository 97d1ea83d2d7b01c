"""What the released matrices and our own runs say of each claim of Moss et al. (2018).

The claims, with what would confirm and what would refute each, stand in `data/published/claims.csv`
and were committed before our runs. A claim whose runs are not there yet has no line here.
"""

import functools
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from evalkit import released, runs
from evalkit.papers import _moss2018_released as audit
from evalkit.seeds import variance_components

DRAWS = 2000
PAIRS = audit.PAIRS


class MissingRunsError(LookupError):
    """The runs that would judge a claim are not recorded yet."""


@dataclass(frozen=True, eq=False)
class Runs:
    """The recorded rows, by table.

    Attributes
    ----------
    tables : dict of str to pandas.DataFrame
    grids : dict of str to pandas.DataFrame
        Task to its settings, in the order of the counts.
    """

    tables: dict
    grids: dict

    def scores(self, task, k, *, sample=0, at_least=2):
        """Return the accuracies of a task, partitions by settings; an error if too few are there."""
        table = self.tables.get("partitions", pd.DataFrame(columns=["task", "k", "sample"]))
        rows = table[(table.task == task) & (table.k == k) & (table["sample"] == sample)]
        if len(rows) < at_least:
            raise MissingRunsError(f"{len(rows)} of {at_least} partitions of {task}, K = {k}")
        return runs.accuracies(rows.sort_values("partition"))

    def truth(self, task, *, sample=0):
        """Return the held-out accuracy of each setting, a mean over fits."""
        table = self.tables.get("truth", pd.DataFrame(columns=["task", "sample"]))
        rows = table[(table.task == task) & (table["sample"] == sample)]
        if rows.empty:
            raise MissingRunsError(f"the truth of {task}")
        return runs.accuracies(rows).mean(axis=0)

    def held_out(self, task):
        """Return how many items play the truth."""
        table = self.table("truth", 1)
        return int(table["items"][table.task == task].iloc[0])

    def table(self, name, at_least):
        """Return a table with enough rows."""
        table = self.tables.get(name, ())
        if len(table) < at_least:
            raise MissingRunsError(f"{len(table)} of {at_least} rows of {name}")
        return table


def verdicts(rows, grids):
    """Judge each claim whose runs are there.

    Parameters
    ----------
    rows : list of dict
        As `evalkit.runs.Store.rows` returns them.
    grids : dict of str to pandas.DataFrame

    Returns
    -------
    pandas.DataFrame
        Columns `id`, `verdict`, `data`, `evidence`.
    """
    flat = [{**row["unit"], **row["result"]} for row in rows]
    tables = {name: group.dropna(axis="columns", how="all")
              for name, group in pd.DataFrame(flat).groupby("table")} if flat else {}  # fmt: skip
    of = Runs(tables, grids)
    lines = []
    for name, judge in JUDGES.items():
        try:
            verdict, data, evidence = judge(of)
        except MissingRunsError:
            continue
        lines.append((f"moss2018/{name}", verdict, data, evidence))
    return pd.DataFrame(lines, columns=["id", "verdict", "data", "evidence"])


JUDGES = {}


def _judges(name, *arguments):
    def add(function):
        JUDGES[name] = functools.partial(function, *arguments) if arguments else function
        return function

    return add


def _either(confirmed, refuted):
    return "replicated" if confirmed else "not replicated" if refuted else "inconclusive"


def _decide(low, high, limit, *, above=True):
    """Return the verdict on "above a limit" (or below it) from an interval."""
    if above:
        return "replicated" if low > limit else "not replicated" if high < limit else "inconclusive"
    return "replicated" if high < limit else "not replicated" if low > limit else "inconclusive"


def _worst(verdict_list):
    """Return the verdict on a claim that must hold everywhere."""
    for verdict in ("not replicated", "inconclusive"):
        if verdict in verdict_list:
            return verdict
    return "replicated"


def _resampled(statistic, *samples, draws=DRAWS, seed=2018):
    """Return a statistic, and its 95 % percentile interval over resampled partitions."""
    rng = np.random.default_rng(seed)
    values = [
        statistic(*(sample[rng.integers(len(sample), size=len(sample))] for sample in samples))
        for _ in range(draws)
    ]
    low, high = np.quantile(values, [0.025, 0.975])
    return float(statistic(*samples)), float(low), float(high)


# ---------------------------------------------------------------------------------------------
# One setting, many estimates
# ---------------------------------------------------------------------------------------------


def _fixed(of):
    from evalkit.papers.moss2018 import FIXED

    grid = of.grids["imdb"]
    return int(np.flatnonzero(np.isclose(grid.max_features, FIXED))[0])


@_judges("estimates-vary")
def _estimates_vary(of):
    estimates = of.scores("imdb", 5, at_least=60)[:, _fixed(of)]
    span, low, high = _resampled(lambda x: 100 * np.subtract(*np.quantile(x, [0.975, 0.025])), estimates)
    return _decide(low, high, 1), "own run", (
        f"95 % of {len(estimates)} estimates by 5-fold cross-validation span {span:.1f} points ({low:.1f} "
        f"to {high:.1f})."
    )  # fmt: skip


def _estimates(of, by, k):
    table = of.table("estimates", 1600)
    return table.estimate[(table.by == by) & (table.k == k)].to_numpy()


@_judges("splits-vary-more")
def _splits_vary_more(of):
    told, found = [], []
    for k in (2, 5, 10, 20):
        ratio, low, high = _resampled(
            lambda a, b: a.std(ddof=1) / b.std(ddof=1), _estimates(of, "split", k), _estimates(of, "folds", k)
        )
        found.append(_decide(low, high, 1))
        told.append(f"K = {k}: {ratio:.1f} ({low:.1f} to {high:.1f})")
    return _worst(found), "own run", f"SD of single splits over that of cross-validation: {'; '.join(told)}."


@_judges("k5-enough")
def _k5_enough(of):
    five, twenty = _estimates(of, "folds", 5), _estimates(of, "folds", 20)
    gain, low, high = _resampled(lambda a, b: 100 * (b.mean() - a.mean()), five, twenty)
    ratio, r_low, r_high = _resampled(lambda a, b: b.std(ddof=1) / a.std(ddof=1), five, twenty)
    within = low > -0.5 and high < 0.5 and r_low > 0.75 and r_high < 1.25
    beyond = high < -0.5 or low > 0.5 or r_high < 0.75 or r_low > 1.25
    return (
        _either(within, beyond),
        "own run",
        (
            f"From K = 5 to 20 the mean moves by {gain:+.2f} points ({low:+.2f} to {high:+.2f}), and the SD "
            f"by a factor of "
            f"{ratio:.2f} ({r_low:.2f} to {r_high:.2f})."
        ),
    )


# ---------------------------------------------------------------------------------------------
# The choice, and what it is worth
# ---------------------------------------------------------------------------------------------


@_judges("choice-scatters")
def _choice_scatters(of):
    scores = of.scores("imdb", 5, at_least=60)
    chosen = scores.argmax(axis=1)
    reach = (chosen.max() - chosen.min()) / (scores.shape[1] - 1)
    often = np.bincount(chosen).max() / len(chosen)
    middle = np.subtract(*np.quantile(chosen, [0.95, 0.05])) / (scores.shape[1] - 1)
    verdict = _either(reach > 0.5 and often <= 0.25, middle < 0.1)
    values = of.grids["imdb"].max_features.to_numpy()[chosen]
    return (
        verdict,
        "own run",
        (
            f"{len(chosen)} partitions choose from {values.min():.2f} to {values.max():.2f}, {reach:.0%} of "
            f"the grid; the "
            f"commonest choice has {often:.0%}."
        ),
    )


@_judges("choice-costs")
def _choice_costs(of):
    worth = 100 * of.truth("imdb")[of.scores("imdb", 5, at_least=60).argmax(axis=1)]
    span = np.ptp(worth)
    verdict = _either(span >= 1, span < 0.5)
    return (
        verdict,
        "own run",
        (
            f"The chosen forests are worth {worth.min():.1f} to {worth.max():.1f} % on "
            f"{of.held_out('imdb'):,} other reviews."
        ),
    )


@_judges("worst-improves")
def _worst_improves(of):
    scores, truth = of.scores("imdb", 5, at_least=60), 100 * of.truth("imdb")
    worst = {j: truth[audit.grouped(scores, j, len(scores) // j).argmax(axis=1)].min() for j in (1, 10)}
    verdict = "replicated" if worst[10] > worst[1] else "not replicated"
    return (
        verdict,
        "own run",
        (
            f"The worst choice is worth {worst[1]:.1f} % at J = 1 (of {len(scores)}) and {worst[10]:.1f} % "
            f"at J = 10 (of {len(scores) // 10}); fewer draws have a better worst one in any case."
        ),
    )


def _random_groups(scores, j, rng, n_groups=1000):
    # With replacement, so that J of few partitions vary as J of endlessly many would.
    return scores[rng.integers(len(scores), size=(n_groups, j))].mean(axis=1)


@_judges("stable-is-better")
def _stable_is_better(of):
    return _worth_of(of, (1, 5), (8, 5), "From J = 1 to J = 8 at K = 5")


@_judges("recommendation-jk")
def _recommendation(of):
    return _worth_of(of, (1, 10), (2, 5), "From 1-10-fold to 2-5-fold, at equal cost")


def _worth_of(of, before, after, told):
    """Judge whether the held-out accuracy of the choice rises from one procedure to another."""
    found, lines = [], []
    for task in ("imdb", "treebank"):
        truth = 100 * of.truth(task)

        def gain(*samples, truth=truth):
            rng = np.random.default_rng(0)
            worth = [truth[_random_groups(x, j, rng, 300).argmax(axis=1)].mean()
                     for x, j in ((samples[0], before[0]), (samples[-1], after[0]))]  # fmt: skip
            return worth[1] - worth[0]

        folds = dict.fromkeys((before[1], after[1]))  # one sample of partitions where K is the same
        rise, low, high = _resampled(gain, *(of.scores(task, k, at_least=10) for k in folds), draws=300)
        found.append(_decide(low, high, 0))
        lines.append(f"{task} {rise:+.2f} points ({low:+.2f} to {high:+.2f})")
    return _worst(found), "own run", f"{told} the choice gains on held-out items: {'; '.join(lines)}."


@_judges("variance-first")
def _variance_first(of):
    found, lines = [], []
    for task in ("imdb", "treebank"):
        truth = 100 * of.truth(task)

        def lost(rows, j, truth=truth):
            chosen = _random_groups(rows, j, np.random.default_rng(0), 300).argmax(axis=1)
            return truth.max() - truth[chosen].mean()

        five, ten = (of.scores(task, k, at_least=10) for k in (5, 10))
        _, low, high = _resampled(lambda a, b, lost=lost: lost(b, 1) - lost(a, 8), five, ten, draws=300)
        found.append(_decide(low, high, 0))
        lines.append(
            f"{task}: {lost(five, 1):.2f} points lost at 1-5, {lost(five, 8):.2f} at 8-5, {lost(ten, 1):.2f} "
            f"at 1-10 (the last two differ by {low:+.2f} to {high:+.2f})"
        )
    return _worst(found), "own run", f"{'; '.join(lines)}."


@_judges("tagger-safe")
def _tagger_safe(of):
    truth = 100 * of.truth("treebank")
    lost = truth.max() - truth[of.scores("treebank", 10, at_least=30).argmax(axis=1)]
    verdict = _either(lost.max() <= 0.1, lost.max() > 0.5)
    return (
        verdict,
        "own run",
        (
            f"The worst choice of {len(lost)} 10-fold cross-validations loses {lost.max():.2f} points on "
            f"{of.held_out('treebank'):,} other words."
        ),
    )


@_judges("tagger-choices")
def _tagger_choices(of):
    chosen = of.grids["treebank"].C.to_numpy()[of.scores("treebank", 10, at_least=30).argmax(axis=1)]
    shares = pd.Series(chosen).value_counts(normalize=True)
    three = all(shares.get(c, 0) > 0 for c in (10, 50, 100))
    verdict = _either(three, len(shares) == 1 or shares[shares.index < 10].sum() > 0.1)
    told = ", ".join(f"{c:g} by {share:.0%}" for c, share in shares.items())
    return verdict, "own run", f"Single 10-fold cross-validations choose C as {told}."


@_judges("bias-constant")
def _bias_constant(of):
    found, lines = [], []
    for task in ("imdb", "treebank"):
        bias = 100 * (of.scores(task, 5, at_least=30).mean(axis=0) - of.truth(task))
        ratio = bias.std(ddof=1) / abs(bias.mean())
        found.append(_either(ratio < 0.25, ratio > 1))
        lines.append(f"{task}: mean {bias.mean():+.2f}, SD over the grid {bias.std(ddof=1):.2f} points")
    return _worst(found), "own run", f"Estimate less truth, {'; '.join(lines)}."


# ---------------------------------------------------------------------------------------------
# J
# ---------------------------------------------------------------------------------------------


@_judges("law-fixed")
def _law_fixed(of):
    found = audit.computed("law/one_over_j")
    own = {task: audit.law_of(of.scores(task, 5, at_least=60)) for task in ("reuters", "imdb")}
    told = ", ".join(f"{task} {ratio:.2f} (p {pvalue:.2f})" for task, (ratio, pvalue) in own.items())
    holds = found["value"] and min(pvalue for _, pvalue in own.values()) > 0.05 / len(own)
    note = found["note"][0].upper() + found["note"][1:]
    return _either(holds, True), "own run", f"{note}. Own runs: {told}."


@_judges("law-maximum")
def _law_maximum(of):
    verdict_list, lines = [], []
    for name, task in audit.TASKS.items():
        if task == "lstm":  # whose neighbouring rows are alike
            continue
        rows = audit.scores(task, 5)

        def fall(rows):
            eights = audit.grouped(rows, 8, len(rows) // 8)
            return rows.max(axis=1).std(ddof=1) / eights.max(axis=1).std(ddof=1)

        ratio, low, high = _resampled(fall, rows, draws=1000)
        limit = np.sqrt(8)
        inside = low <= limit <= high and abs(ratio / limit - 1) < 0.1
        verdict_list.append(_either(inside, not low <= limit <= high))
        lines.append(f"{name} {ratio:.2f} ({low:.2f} to {high:.2f})")
    return (
        _worst(verdict_list),
        "released data",
        (
            f"SD of the best mean at J = 1 over that at J = 8, where a fixed setting has "
            f"{np.sqrt(8):.2f}: {'; '.join(lines)}."
        ),
    )


@_judges("no-bias-from-j")
def _no_bias_from_j(of):
    verdict_list, lines = [], []
    for name, task in audit.TASKS.items():
        if task == "lstm":  # whose neighbouring rows are alike
            continue
        rows = 100 * audit.scores(task, 5)

        def fall(rows):
            return rows.max(axis=1).mean() - audit.grouped(rows, 8, len(rows) // 8).max(axis=1).mean()

        drop, low, high = _resampled(fall, rows, draws=1000)
        verdict_list.append(_decide(low, high, 0.1, above=False))
        lines.append(f"{name} {drop:.2f} ({low:.2f} to {high:.2f})")
    for task in ("reuters", "treebank", "imdb"):

        def fall_of_own(rows):
            rng = np.random.default_rng(0)
            return rows.max(axis=1).mean() - _random_groups(rows, 8, rng, 300).max(axis=1).mean()

        drop, low, high = _resampled(fall_of_own, 100 * of.scores(task, 5, at_least=30), draws=300)
        verdict_list.append(_decide(low, high, 0.1, above=False))
        lines.append(f"own {task} {drop:.2f} ({low:.2f} to {high:.2f})")
    return (
        _worst(verdict_list),
        "own run",
        (
            f"The mean estimate of the tuned setting falls from J = 1 to 8, in points: {'; '.join(lines)}. "
            f"That of a fixed "
            "setting cannot."
        ),
    )


OWN = {"rf": "imdb", "pos": "treebank", "reuters": "reuters"}


def _own_orderings(task, quantity, pairs, of):
    """Return, for each pair, the ratio of the SDs in our own run with its interval; none if not trained."""
    name = OWN.get(task)
    try:
        by_k = {k: of.scores(name, k, at_least=20) for k in (5, 10)}
    except MissingRunsError:
        return []
    column = quantity.removeprefix("sd_chosen").removeprefix("_") or next(iter(of.grids.get(name, ())), None)
    ratios = []
    for a, b in pairs:
        (j_a, k_a), (j_b, k_b) = (map(int, side.split("-")) for side in (a, b))

        def ratio(before, after, j_a=j_a, j_b=j_b):
            rng = np.random.default_rng(0)
            sds = []
            for rows, j in ((before, j_a), (after, j_b)):
                means = _random_groups(rows, j, rng, 300)
                if quantity == "sd_accuracy":
                    values = means.max(axis=1)
                else:
                    values = of.grids[name][column].to_numpy()[means.argmax(axis=1)]
                sds.append(values.std(ddof=1))
            return sds[1] / sds[0]

        ratios.append(_resampled(ratio, by_k[k_a], by_k[k_b], draws=200))
    return ratios


def _lower_k(task, quantity, pairs, of):
    found, lines = [], []
    for a, b in pairs:
        result = audit.ordering(task, quantity, a, b)
        found.append(_decide(result["low"], result["high"], 1, above=False))
        lines.append(f"{b} over {a} {result['ratio']:.2f} ({result['low']:.2f} to {result['high']:.2f})")
    trained = [pair for pair in PAIRS if pair in pairs]
    own = _own_orderings(task, quantity, trained, of)
    for (a, b), (ratio, low, high) in zip(trained, own, strict=False):
        found.append(_decide(low, high, 1, above=False))
        lines.append(f"own {b} over {a} {ratio:.2f} ({low:.2f} to {high:.2f})")
    return _worst(found), "own run" if own else "released data", f"Ratio of SDs, {'; '.join(lines)}."


for _name, _task, _quantity, _pairs in (
    ("forest", "rf", "sd_chosen", audit.FOREST_PAIRS[:2]), ("tagger", "pos", "sd_chosen", PAIRS),
    ("reuters-c", "reuters", "sd_chosen_C", PAIRS), ("reuters-gamma", "reuters", "sd_chosen_gamma", PAIRS),
    ("lstm", "lstm", "sd_chosen", PAIRS),
):  # fmt: skip
    JUDGES[f"lower-k-{_name}"] = functools.partial(_lower_k, _task, _quantity, _pairs)


@_judges("lower-k-estimate")
def _lower_k_estimate(of):
    found, lines, kinds = [], [], set()
    for name, task in audit.TASKS.items():
        verdict, kind, evidence = _lower_k(
            task, "sd_accuracy", audit.FOREST_PAIRS[:2] if task == "rf" else PAIRS, of
        )
        found.append(verdict)
        kinds.add(kind)
        lines.append(f"{name}: {evidence.removeprefix('Ratio of SDs, ').rstrip('.')}")
    return _worst(found), min(kinds), f"Ratio of SDs of the best mean. {'. '.join(lines)}."


@_judges("k-adds-range")
def _k_adds_range(of):
    return _lower_k("rf", "sd_chosen", audit.FOREST_PAIRS[2:], of)


@_judges("choice-gains")
def _choice_gains(of):
    tasks_of = {"reuters": ("C", "gamma"), "treebank": ("C",), "imdb": ("max_features",)}
    found, lines = [], []
    for task, names in tasks_of.items():
        scores = of.scores(task, 5, at_least=30)
        for name in names:
            values = of.grids[task][name].to_numpy()

            def fall(rows, values=values):
                rng = np.random.default_rng(0)
                one, eight = (values[_random_groups(rows, j, rng, 300).argmax(axis=1)] for j in (1, 8))
                return eight.std(ddof=1) / one.std(ddof=1)

            ratio, low, high = _resampled(fall, scores, draws=200)
            found.append(_decide(low, high, 1, above=False))
            lines.append(f"{task} {name} {ratio:.2f} ({low:.2f} to {high:.2f})")
    return _worst(found), "own run", f"SD of the choice at J = 8 over that at J = 1: {'; '.join(lines)}."


# ---------------------------------------------------------------------------------------------
# By task
# ---------------------------------------------------------------------------------------------


@_judges("k-variance-not-general")
def _k_variance(of):
    lines, good = [], True
    for task in ("pos", "reuters"):
        spread = released.moss2018_by_folds(task).groupby("folds").accuracy.std()
        rho = stats.spearmanr(spread.index, spread).statistic
        good &= rho < -0.5
        lines.append(f"{task}: rank correlation of SD and K {rho:.2f}")
    table = released.moss2018_by_folds("lstm")
    groups = [group.to_numpy() for k, group in table.groupby("folds").accuracy if k >= 4]
    pvalue = stats.levene(*groups).pvalue
    lines.append(f"LSTM, K of 4 to 15: Levene's test p = {pvalue:.2f}")
    verdict = _either(good and pvalue > 0.05, True)
    return verdict, "released data", f"{'; '.join(lines)}."


@_judges("reuters-worse")
def _reuters_worse(of):
    ratios, lines = [], []
    own = {"reuters": of.scores("reuters", 10, at_least=500), "pos": of.scores("treebank", 10, at_least=30)}
    for name, of_task in (("released", {t: audit.scores(t, 10) for t in own}), ("own", own)):
        document, tag = (100 * of_task[t].max(axis=1).std(ddof=1) for t in ("reuters", "pos"))
        ratios.append(document / tag)
        lines.append(f"{name}: {document:.2f} points against {tag:.2f}, {document / tag:.1f} times")
    verdict = "replicated" if min(ratios) > 3 else "not replicated"
    return verdict, "own run", f"SD of the estimate at 1-10, {'; '.join(lines)}."


def _entropy(values):
    shares = pd.Series(values).value_counts(normalize=True)
    return float(-(shares * np.log(shares)).sum())


@_judges("reuters-gamma-c")
def _reuters_gamma_c(of):
    found, lines = [], []
    grid = released.moss2018_grid("reuters")
    sources = {"released": audit.scores("reuters", 5), "own": of.scores("reuters", 5, at_least=500)}
    for name, scores in sources.items():
        fall = {}
        for quantity in ("C", "gamma"):
            values = grid[quantity].to_numpy()
            one, eight = (audit.grouped(scores, j, len(scores) // 8).argmax(axis=1) for j in (1, 8))
            fall[quantity] = _entropy(values[one]) - _entropy(values[eight])
        found.append("replicated" if fall["gamma"] > fall["C"] else "not replicated")
        lines.append(f"{name}: gamma {fall['gamma']:.2f}, C {fall['C']:.2f} nats")
    return (
        _worst(found),
        "own run",
        (f"Entropy of the choice falls from J = 1 to 8 at K = 5, {'; '.join(lines)}."),
    )


@_judges("reuters-close-models")
def _reuters_close(of):
    found, lines = [], []
    sources = {"released": audit.scores("reuters", 10), "own": of.scores("reuters", 10, at_least=500)}
    for name, scores in sources.items():
        span = 100 * np.subtract(*np.quantile(scores.max(axis=1), [0.975, 0.025]))
        found.append(_either(span > 2, span < 1))
        lines.append(f"{name}: {span:.1f} points")
    return _worst(found), "own run", f"95 % of the estimates at 1-10 span, {'; '.join(lines)}."


@_judges("lstm-uniform")
def _lstm_uniform(of):
    chosen = audit.scores("lstm", 10).argmax(axis=1)
    counts = np.bincount(chosen, minlength=9)[2:]
    pvalue, share = stats.chisquare(counts).pvalue, counts.sum() / len(chosen)
    return (
        ("replicated" if pvalue > 0.01 and share >= 0.9 else "not replicated"),
        "released data",
        (
            f"Widths of 30 to 90 are {share:.0%} of the choices, chosen {counts.min()} to {counts.max()} "
            f"times each; "
            f"uniform: p = {pvalue:.2g}."
        ),
    )


def _share_of_column(rows, j, columns):
    rng = np.random.default_rng(0)
    return float(np.isin(_random_groups(rows, j, rng, 300).argmax(axis=1), columns).mean())


@_judges("lstm-seventy")
def _lstm_seventy(of):
    share, low, high = _resampled(lambda x: _share_of_column(x, 8, [6]), audit.scores("lstm", 5), draws=300)
    return (
        _decide(low, high, 0.5),
        "released data",
        (
            f"Over random groups of eight partitions a width of 70 has {share:.0%} of the choices ({low:.0%} "
            f"to {high:.0%})."
        ),
    )


@_judges("lstm-reg-choice")
def _lstm_reg(of):
    grid = released.moss2018_grid("lstm-reg", as_run=True)
    columns = np.flatnonzero((grid["bias"] == 1e-3) & (grid["input"] == 1e-3))
    share, low, high = _resampled(
        lambda x: _share_of_column(x, 8, columns), audit.scores("lstm-reg", 5), draws=300
    )
    return (
        _decide(low, high, 0.5),
        "released data",
        (f"(0.001, 0.001) has {share:.0%} of the choices at 8-5 ({low:.0%} to {high:.0%})."),
    )


@_judges("forest-seed")
def _forest_seed(of):
    table = of.table("forests", 400)
    parts = variance_components(table.estimate, table.forest, table.partition)
    told = 100 * np.sqrt([parts.seed, parts.split, parts.rest])
    by_partition = table.pivot_table(index="partition", columns="forest", values="estimate").to_numpy()
    fixed = 100 * by_partition.std(axis=0, ddof=1).mean()
    shifted = (np.roll(by_partition, shift, axis=1) for shift in range(by_partition.shape[1]))
    free = 100 * np.mean([np.diag(square).std(ddof=1) for square in shifted])
    return (
        _either(fixed > 0.95 * free, True),
        "own run",
        (
            f"The seed can be fixed. Over partitions the SD is {fixed:.2f} points with one seed and "
            f"{free:.2f} with another each time; in a crossed design, SD of the seed {told[0]:.2f}, of the "
            f"partition {told[1]:.2f}, of both together {told[2]:.2f}."
        ),
    )


@_judges("one-training-set")
def _one_training_set(of):
    n, fixed = 4, _fixed(of)
    of_samples = [100 * of.scores("imdb", 5, sample=s, at_least=n)[:n, fixed] for s in range(5)]
    within = np.sqrt(np.mean([scores.var(ddof=1) for scores in of_samples]))
    between = np.std([scores.mean() for scores in of_samples], ddof=1)
    noise = within / np.sqrt(n)
    return (
        ("replicated" if between > 3 * noise else "inconclusive"),
        "own run",
        (
            f"Between five training sets the estimate varies by an SD of {between:.2f} points, between "
            f"partitions of one by "
            f"{within:.2f}."
        ),
    )


@_judges("early-stopping")
def _early_stopping(of):
    table = of.table("partitions", 1)
    hours = 60 * table.seconds[table.task == "twitter"].mean() / 3600
    if np.isnan(hours):
        raise MissingRunsError("partitions of twitter")
    told = "Thirty partitions with the set for stopping fixed, and thirty with it redrawn, were not run"
    return "out of reach", "own run", f"{told}: about {hours:.0f} core-hours by our Twitter runs."


@_judges("stratification-not-enough")
def _stratification(of):
    ratio, low, high = _resampled(
        lambda a, b: b.std(ddof=1) / a.std(ddof=1), _estimates(of, "folds", 5), _estimates(of, "strata", 5)
    )
    return (
        _either(low > 0.75, high < 0.5),
        "own run",
        (f"SD of 5-fold estimates with strata over that without: {ratio:.2f} ({low:.2f} to {high:.2f})."),
    )


@_judges("single-grid")
def _single_grid(of):
    scores, grid = of.scores("reuters", 5, at_least=500), of.grids["reuters"]
    rng = np.random.default_rng(0)
    tried = np.array([rng.permutation(len(grid))[:30] for _ in scores])
    searched = tried[np.arange(len(scores)), np.take_along_axis(scores, tried, axis=1).argmax(axis=1)]
    choices = np.c_[searched, scores.argmax(axis=1)]
    found, lines = [], []
    for name in grid:
        values = np.log10(grid[name].to_numpy())[choices]
        ratio, low, high = _resampled(lambda x: np.divide(*x.std(axis=0, ddof=1)), values)
        found.append(_decide(low, high, 1))
        lines.append(f"log10 {name} {ratio:.2f} ({low:.2f} to {high:.2f})")
    told = f"SD of the choice, random search over {tried.shape[1]} settings over the grid's: "
    return _worst(found), "own run", f"{told}{'; '.join(lines)}."


@_judges("adaptive-j")
def _adaptive(of):
    table = of.table("adaptive", 20)
    half = table[table.tolerance == 0.5]
    fewer = (half.mean_j < 8) & (half.beyond <= half.beyond_eight)
    told = "; ".join(
        f"{row.task}: J of {row.mean_j:.1f}, {row.beyond:.0%} of choices lack more than half a point "
        f"(always eight: {row.beyond_eight:.0%})"
        for row in half.itertuples()
    )
    return _either(fewer.all(), not fewer.any()), "released data", f"{told}."
