"""The judges of Bajgar et al. on made-up pools and rows whose verdict is known, for
each of their words.
"""

import functools
import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from grids import grid
from scipy import stats

from evalkit import boo
from lab.data import released
from lab.papers import judging, published
from lab.papers.bajgar2018 import audit, claims
from lab.papers.bajgar2018.audit import POOLS, SEARCH, Runs
from lab.papers.bajgar2018.claims import JUDGES, RUNS
from lab.papers.bajgar2018.tasks import FIGURE_3
from lab.papers.judging import MissingRunsError, Resampled
from lab.papers.rows import Rows
from lab.record import tables
from lab.record.tables import pack

YES, NO, OPEN = "replicated", "not replicated", "inconclusive"
SUPPORTED, UNSUPPORTED, UNSURE = "supported", "not supported", "cannot say"
CONSISTENT, INCONSISTENT = "consistent", "not consistent"
PAPERS = ("resnet", "asreader_fixed", SEARCH)

# --------------------------------------------------------------------------------------
# Made-up pools and rows
# --------------------------------------------------------------------------------------


@functools.cache
def normal(size=300, correlation=0.1, sd=1.0, mean=60.0, seed=0):
    """Scores like those of a bivariate normal, with these moments to the digit."""
    rng = np.random.default_rng(seed)
    quantiles = stats.norm.ppf((np.arange(size) + 0.5) / size)
    v, e = rng.permutation(quantiles), rng.permutation(quantiles)
    v = v / v.std(ddof=1)
    e = e - v * (e @ v) / (v @ v)
    e = e / e.std(ddof=1)
    return Runs.of(v, mean + sd * (correlation * v + np.sqrt(1 - correlation**2) * e))


DEFAULT = {
    "resnet": normal(74),
    "asreader_fixed": normal(370),
    SEARCH: normal(197, 0.8, 3.0),
    "deberta": normal(300, 0.95, 5.0),
    "deberta_v3": normal(300, 0.95, 5.0),
}


def cell(estimate, low, high):
    """A statistic as `keep` writes it, whose ends are known."""
    return pack([estimate, low, high, 1000, 0.05, low, low, high, high], ".8g")


LESS, MORE, UNCLEAR = cell(-2, -2.5, -1.5), cell(2, 1.5, 2.5), cell(0.1, -1, 1)
HALF = cell(0.5, 0.4, 0.6)


def row(table, result, **unit):
    return {"unit": {"table": table, **unit}, "result": result}


def own_runs(count=40):
    """A few runs of each of our networks, which no verdict but those of other analyses
    hangs on.
    """
    rows = []
    for (network, kind), pool in zip(
        RUNS, (normal(count, 0.5, seed=s) for s in range(4)), strict=True
    ):
        for run, (v, t) in enumerate(pool.pairs):
            result = {"validation": v / 100, "test": t / 100, "right": f"x{run}"}
            rows.append(
                row("trained", result, network=network, hyperparameters=kind, run=run)
            )
    return rows


def deployed(pool="", column="", value=LESS):
    """Every prediction that is claimed to be better is so, but for one."""
    names = ("boo_less_mean", "boo_less_median")
    return [
        row(
            "deployed",
            {name: value if (p, name) == (pool, column) else LESS for name in names},
            pool=p,
        )
        for p in POOLS
    ]


def errors(share=0.3, ratio=2.0, kind="plain"):
    """Errors from 20 runs as shares of the SD of a run, and those from 5 over them; the
    same everywhere but for one pool and kind.
    """
    rows = []
    for pool, k, m in itertools.product(PAPERS, ("plain", "normal"), (5, 20)):
        here = (pool, k) == (SEARCH, kind)
        few = (ratio if here else 2.0) if m == 5 else 1.0
        error = few * (share if here else 0.3) * DEFAULT[pool].sd
        values = error**2 + 0.001 * np.resize([-1, 1], 40)
        cells = {"square": pack(values, ".12g")}
        rows.append(row("errors", cells, pool=pool, m=m, kind=k))
    return rows


def estimators(variance=LESS):
    """Ratios of the estimators by the number of runs, that for 20 runs given."""
    return [
        row(
            "estimators",
            {
                "variance_ratio": variance if m == 20 else cell(0.8, 0.7, 0.9),
                "square_ratio": LESS,
            },
            pool="asreader_fixed",
            m=m,
        )
        for m in FIGURE_3
    ]


def spreads(best=HALF, mean=HALF, m=50, kind="plain"):
    """SDs of Boo_5 half as large as others, but for one number of runs of the
    random-search pool.
    """
    rows = []
    for pool in ("resnet", SEARCH):
        for size in (10, 20, 50, 100, 197):
            for k in ("plain", "smoothed"):
                here = (pool, size, k) == (SEARCH, m, kind)
                result = {
                    "boo_over_best": best if here else HALF,
                    "boo_over_mean": mean if here else HALF,
                }
                rows.append(row("spreads", result, pool=pool, m=size, kind=k))
    return rows


def intervals(share=0.95, m=20):
    """How many of 10,000 intervals hold the truth, of one pool and size given."""
    rows = []
    for pool in PAPERS:
        for size in (5, 10, 20, 40, 50):
            held = share if (pool, size) == (SEARCH, m) else 0.95
            for block in (0, 1):
                result = {
                    "samples": 5000,
                    "held_boo": int(5000 * held),
                    "held_mean": 4750,
                }
                rows.append(row("intervals", result, pool=pool, m=size, block=block))
    return rows


def orders(apart=MORE):
    result = {
        "mean": cell(0.9, 0.8, 1.0),
        "best": cell(0.9, 0.8, 1.0),
        "mean_less_best": apart,
    }
    return [row("orders", result, pool="asreader_fixed")]


def normality(**shares):
    """How many of 100,000 normal samples have a statistic as large, by pool; and the
    statistics.
    """
    return [
        row(
            "normality",
            {"statistic": a, "draws": 50_000, "beyond": b // 2},
            pool=pool,
            block=block,
        )
        for pool, (a, b) in shares.items()
        for block in (0, 1)
    ]


REST = [
    own_runs(),
    deployed(),
    errors(),
    estimators(),
    spreads(),
    intervals(),
    orders(),
]


def record(rows):
    """Rows of one table given, and of the others those that confirm."""
    given = {line["unit"]["table"] for line in rows}
    return Rows(
        [
            *rows,
            *(
                line
                for table in REST
                for line in table
                if line["unit"]["table"] not in given
            ),
        ]
    )


# --------------------------------------------------------------------------------------
# Cases: claim, word, what the evidence shows, rows and pools
# --------------------------------------------------------------------------------------

ALIKE = Runs.of(np.repeat([1.0, 2.0], [3, 7]), np.repeat([1.0, 2.0], [3, 7]))
WIDE, NARROW = normal(sd=3.0), normal(sd=0.1)
# A quarter of the pairs are farther apart.
EDGE = 0.86 / (np.sqrt(2) * stats.norm.ppf(0.875))
RISE = 1.15 / (0.9 * 1.8675)  # the best of twenty gains the published gap
# With a correlation of 0.8 ten runs are off by more than 0.1 SD.
STEADY = {SEARCH: normal(197, 0.5, 3.0)}
CASES = [
    ("training-is-stochastic", YES, "ResNet 0.00%; AS Reader 0.00%", [], {}),
    ("training-is-stochastic", NO, "AS Reader 53.33%", [], {"asreader_fixed": ALIKE}),
    (
        "population-variance",
        YES,
        "ResNet",
        [],
        {"resnet": WIDE, "asreader_fixed": WIDE},
    ),
    (
        "population-variance",
        NO,
        "AS Reader",
        [],
        {"resnet": WIDE, "asreader_fixed": NARROW},
    ),
    (
        "population-variance",
        OPEN,
        "",
        [],
        {"resnet": normal(74, 0.1, EDGE), "asreader_fixed": WIDE},
    ),
    ("search-adds-variance", YES, "ratio of the SDs 3.00 (", [], {}),
    ("search-adds-variance", NO, "", [], {SEARCH: normal(197, 0.8, 0.3)}),
    ("search-adds-variance", OPEN, "SDs 1.00 (", [], {SEARCH: normal(197, 0.8, 1.0)}),
    ("budgets-not-comparable", YES, "", [], {SEARCH: normal(500, 0.9, 3.0)}),
    ("budgets-not-comparable", NO, "", [], {SEARCH: normal(500, 0.9, 0.2)}),
    (
        "budgets-not-comparable",
        OPEN,
        "gap is 1.15",
        [],
        {SEARCH: normal(100, 0.9, RISE)},
    ),
    ("search-raises-correlation", YES, "DeBERTa V3 0.9", [], {}),
    ("search-raises-correlation", NO, "", [], {"asreader_fixed": normal(370, 0.8)}),
    ("search-raises-correlation", NO, "", [], {"deberta": normal(300, 0.2)}),
    ("search-raises-correlation", OPEN, "", [], {"deberta_v3": normal(300, 0.52)}),
    ("keep-validation-and-test-apart", SUPPORTED, "", [], {SEARCH: normal(500, 0.9)}),
    ("keep-validation-and-test-apart", UNSUPPORTED, "", [], {SEARCH: normal(197, 1.0)}),
    ("keep-validation-and-test-apart", UNSURE, "", [], {SEARCH: normal(60, 0.96)}),
    (
        "boo-corrects-the-flaws",
        YES,
        "at most 0.70 (0.50 to 0.90) of that",
        spreads(cell(0.7, 0.5, 0.9), m=10),
        STEADY,
    ),
    (
        "boo-corrects-the-flaws",
        NO,
        "",
        spreads(cell(1.2, 1.1, 1.3), m=10, kind="smoothed"),
        STEADY,
    ),
    (
        "boo-corrects-the-flaws",
        NO,
        "at most 0.13 SDs from",
        [],
        STEADY | {"resnet": normal(74, 1.0)},
    ),
    ("boo-corrects-the-flaws", OPEN, "", spreads(cell(0.7, 0.5, 1.1), m=10), STEADY),
    (
        "boo-less-variable-than-mean",
        YES,
        "197 runs, AS Reader under search, plain 0.90",
        spreads(mean=cell(0.9, 0.8, 0.99), m=197),
        {},
    ),
    (
        "boo-less-variable-than-mean",
        NO,
        "",
        spreads(mean=cell(1.2, 1.1, 1.3), m=197),
        {},
    ),
    (
        "boo-less-variable-than-mean",
        OPEN,
        "",
        spreads(mean=cell(1.0, 0.9, 1.1), m=100),
        {},
    ),
    ("boo-predicts-deployed", YES, "DeBERTa V3, boo minus median -2.000", [], {}),
    ("boo-predicts-deployed", NO, "", deployed("deberta", "boo_less_median", MORE), {}),
    (
        "boo-predicts-deployed",
        OPEN,
        "",
        deployed("resnet", "boo_less_mean", UNCLEAR),
        {},
    ),
    ("run-more-than-n", CONSISTENT, "search 0.49", errors(0.49), {}),
    ("run-more-than-n", INCONSISTENT, "search 0.51", errors(0.51), {}),
    ("plug-in-with-test-set", INCONSISTENT, "rising, 10 runs -0.110", [], {}),
    ("equation-7-exact", CONSISTENT, f"In {5 * 31} of {5 * 31} cases", [], {}),
    (
        "parametric-varies-less",
        YES,
        "20 runs 0.90",
        estimators(cell(0.9, 0.85, 0.95)),
        {},
    ),
    ("parametric-varies-less", NO, "20 runs 1.20", estimators(cell(1.2, 1.1, 1.3)), {}),
    ("parametric-varies-less", OPEN, "", estimators(cell(1.0, 0.9, 1.1)), {}),
]


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Few draws, none of them added, and few runs of our own: each verdict is a clear
    one.
    """
    drawn = Resampled._draw
    monkeypatch.setattr(
        Resampled, "_draw", lambda self, count: drawn(self, min(count, 100))
    )
    monkeypatch.setattr(judging, "MOST_DRAWS", 0)
    monkeypatch.setattr(claims, "RUNS", dict.fromkeys(RUNS, 40))


@pytest.fixture
def made_up(monkeypatch):
    """A function that puts made-up pools in the place of the released ones."""

    def put(pools):
        monkeypatch.setattr(audit, "runs", lambda pool: (DEFAULT | pools)[pool])
        names = [
            f"/{experiment}/{i}"
            for i, experiment in enumerate(["cbt-dist"] * 3 + ["big"])
        ]
        steps = pd.DataFrame(
            {"run": names, "steps": [0.0, 34_000.0, 36_000.0, 50_000.0]}
        )
        monkeypatch.setattr(released, "bajgar2018_rows", lambda pool: steps)

    return put


def judged(claim, rows=()):
    """What the engine says of a claim, and of it by the first rule and under other
    analyses.
    """
    name = f"bajgar2018/{claim}"
    evidence = JUDGES[claim](record(list(rows)[::-1]))
    return judging.judged(published.claims()[name], published.limits()[name], evidence)


@pytest.mark.parametrize(("claim", "verdict", "shown", "rows", "pools"), CASES)
def test_each_word_of_a_judge(made_up, claim, verdict, shown, rows, pools):
    made_up(pools)
    found, _ = judged(claim, rows)
    assert found["verdict"] == verdict, found["evidence"]
    assert shown in found["evidence"]


def test_every_judge_has_its_words_and_every_rule_its_quantities():
    said = {
        claim: {verdict for other, verdict, *_ in CASES if other == claim}
        for claim in JUDGES
    }
    assert {claim for claim, words in said.items() if len(words) < 2} == {
        "both-factors-count",  # below
        "equation-7-exact",
        "plug-in-with-test-set",
    }


def test_first_rules_that_another_word_follows(made_up):
    """A surplus that is surely there, and surely below half an SD, refutes by the first
    rule alone; on the correlation that rule asked for one search.
    """
    made_up({SEARCH: normal(500, 0.9)})
    found, _ = judged("keep-validation-and-test-apart")
    assert (found["first_verdict"], found["verdict"]) == (UNSUPPORTED, SUPPORTED)
    made_up({"deberta": normal(300, 0.2)})
    found, _ = judged("search-raises-correlation")
    assert (found["first_verdict"], found["verdict"]) == (YES, NO)


@grid(
    "ratio, kind, first",
    [
        (1.6, "plain", CONSISTENT),
        (1.4, "plain", UNSURE),
        (1.2, "plain", INCONSISTENT),
        (1.2, "normal", UNSURE),
    ],
)
def test_four_times_the_runs_were_asked_to_halve_an_error(made_up, ratio, kind, first):
    """As it is of any estimate; what is asked now is the error, of pools alone."""
    made_up({})
    share = {"plain": 0.3, "normal": 0.51}[kind]
    found, lines = judged("run-more-than-n", errors(share, ratio, kind))
    assert (found["first_verdict"], found["verdict"]) == (first, CONSISTENT)
    words = {line["analysis"]: line["verdict"] for line in lines}
    assert words["from 5 runs, as many as n"] == INCONSISTENT
    assert (words["normal scores"] == INCONSISTENT) == (kind == "normal")


def test_what_turns_a_verdict_is_named(made_up):
    failing = np.r_[np.full(75, 33.0), normal(225).test]
    made_up(STEADY | {"deberta": Runs.of(np.arange(300), failing)})
    found, lines = judged("boo-corrects-the-flaws", spreads(cell(1.2, 1.1, 1.3)))
    # With fifty runs the ratio is above 1, with ten half.
    assert (found["first_verdict"], found["verdict"]) == (NO, YES)
    words = {line["analysis"]: line["verdict"] for line in lines}
    assert {name: word for name, word in words.items() if word != YES} == {
        "SD at most half of it": OPEN,
        "a drift of 0.05 SD, not a tenth": NO,
        "20 and 50 runs, beyond a fifth of the pool": NO,
        "DeBERTa's searches": NO,
    }
    names = {line["quantity"] for line in lines if line["analysis"] == "our four pools"}
    assert {"noise, digits, fixed", "drift, reader, random"} <= names


def test_rise_and_surplus_are_those_of_draws_without_replacement(made_up):
    """By U; of a pool of sixty the surplus is that of the best of twelve, in SDs."""
    made_up({SEARCH: normal(60, 0.9, 3.0)})
    pool = audit.runs(SEARCH).pairs.T

    def best(by, n):
        return boo(pool[by], pool[1], n=n, estimator="u")

    for claim, name, expected in (
        ("budgets-not-comparable", "rise", best(0, 20) - best(0, 1)),
        (
            *("keep-validation-and-test-apart", "AS Reader under search"),
            (best(1, 12) - best(0, 12)) / 3,
        ),
    ):
        found = next(line for line in judged(claim)[1] if line["quantity"] == name)
        assert found["estimate"] == pytest.approx(expected)


def test_what_is_printed_and_what_is_enumerated_can_differ(made_up, monkeypatch):
    made_up({})
    monkeypatch.setattr(audit, "published", lambda: {f"{SEARCH}/spearman": "0.5"})
    assert judged("plug-in-with-test-set")[0]["verdict"] == CONSISTENT
    monkeypatch.setattr(
        claims, "listed_weights", lambda level, n: [Fraction(1, 9)] * len(level)
    )
    assert judged("equation-7-exact")[0]["verdict"] == INCONSISTENT


@pytest.mark.parametrize(
    ("init", "order", "verdict"), [(1, 1, YES), (1, 0, NO), (0, 1, NO)]
)
def test_each_word_on_both_factors(made_up, monkeypatch, init, order, verdict):
    made_up({})
    rng = np.random.default_rng(0)
    seeds, orders = (x.ravel() for x in np.meshgrid(np.arange(12), np.arange(12)))
    scores = (
        init * rng.standard_normal(12)[seeds] + order * rng.standard_normal(12)[orders]
    )
    table = pd.DataFrame(
        {"seed": seeds, "order_seed": orders, "validation": scores, "test": scores}
    )
    table["test_predictions"] = scores.astype(str)
    monkeypatch.setattr(tables, "load_recorded", lambda *names: table)
    effects = {
        f"effect of {name}": judging.Quantity(1, 0.5, 2)
        for name in ("initialisation", "data order")
    }
    # Nothing is left to divide by.
    monkeypatch.setattr(claims, "_main_effects", lambda *given: effects)
    assert judged("both-factors-count")[0]["verdict"] == verdict


def test_effects_of_factors_have_the_intervals_of_f():
    """Of twelve levels each, of which one factor alone has an effect: its variance over
    that of the rest.
    """
    rng, seeds = np.random.default_rng(0), np.repeat(np.arange(12), 12)
    found = []
    for _ in range(200):
        scores = rng.standard_normal(12)[seeds] + rng.standard_normal(144)
        table = pd.DataFrame(
            {"seed": seeds, "order_seed": np.tile(np.arange(12), 12), "test": scores}
        )
        effects = claims._main_effects(table, "test").values()
        found.append(
            [q.low <= truth <= q.high for q, truth in zip(effects, (1, 0), strict=True)]
        )
    assert np.mean(found, axis=0) == pytest.approx([0.95, 0.95], abs=0.04)


@pytest.mark.parametrize(
    "claim",
    ["boo-predicts-deployed", "training-is-stochastic"],
)
def test_a_judge_without_rows_waits(made_up, claim):
    made_up({})
    with pytest.raises(MissingRunsError):
        JUDGES[claim](Rows([]))


# --------------------------------------------------------------------------------------
# The printed figures
# --------------------------------------------------------------------------------------

PRINTED = {
    "resnet": normal(74, 0.1, 0.67, 68.41),
    "asreader_fixed": normal(370, 0.1, 0.94, 63.16),
    SEARCH: normal(197, 0.8, 2.48, 61.26),
}
JUDGED = [
    ("bajgar2018/boo-less-variable-than-mean", YES, "It is so."),
    ("bajgar2018/parametric-varies-less", OPEN, "It may be so."),
]


def computed(rows, judged):
    verdicts = pd.DataFrame(judged, columns=["id", "verdict", "evidence"])
    verdicts.attrs[tables.LACKING] = {}
    return audit.computed(Rows(rows), verdicts)


def test_computed_figures_are_those_of_the_pools(made_up):
    made_up(PRINTED)
    rows = normality(
        resnet=(0.3, 60_000), asreader_fixed=(0.76, 4_000), asreader_random=(5.0, 0)
    )
    table = computed(rows, JUDGED)
    found = table.set_index("id")
    assert table.id.tolist() == [
        name for name in audit.published().index if "_published" not in name
    ]
    rule = (
        "of 35,000 steps or more, of 4 in the file; any limit from 34,001 to 36,000"
        " leaves as many"
    )
    assert found.note["resnet/n_runs"].endswith(rule)
    assert found.note["asreader_fixed/n_runs"].endswith("of 3 that were begun")
    assert found.note["asreader_random/n_runs"].endswith("of 4 that were begun")
    expected = {
        "resnet/mean": 68.41,
        "asreader_random/sd": 2.48,
        "gaussian/boo5": 1.1629645,
        "normality/resnet": 1,
        "normality/asreader_fixed": 0,
        "normality/asreader_random": float(stats.skew(PRINTED[SEARCH].test) < 0),
        "gap/three": 4,  # 4 x 0.67 / 0.86 and 4 x 0.94 / 1.15 are a little above 3
        "boo/less_variable": 1,
        "estimator/parametric": 0,
    }
    assert found.value[list(expected)].astype(float).to_dict() == pytest.approx(
        expected
    )
    assert "p = 0.0400" in found.note["normality/asreader_fixed"]
    assert found.note["normality/asreader_fixed"].endswith("5 % value of 1986")
    assert found.note["normality/resnet"].endswith("of neither")
    assert found.note["estimator/parametric"] == "inconclusive: It may be so."
    assert pd.isna(found.value["iclr2017/papers"])
    assert table.attrs == {tables.LACKING: {}}


def test_figures_whose_draws_are_missing_are_not_computed(made_up):
    made_up(PRINTED)
    missing = {
        "normality/resnet",
        "normality/asreader_fixed",
        "normality/asreader_random",
    }
    found = computed([], []).attrs[tables.LACKING]
    assert set(found) == missing | {"boo/less_variable", "estimator/parametric"}
