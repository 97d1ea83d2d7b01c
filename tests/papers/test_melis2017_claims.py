"""What printed tables decide, what several judges compute, and that each claim of Melis et al. has one."""

import itertools

import numpy as np
import pandas as pd
import pytest
from melis_rows import normal, places, row, trials
from scipy import stats

from evalkit import scorecard
from evalkit._data import DATA
from evalkit.expected_maximum import boo
from evalkit.papers.judging import MissingRunsError
from evalkit.papers.melis2017 import EXPERIMENT, audit
from evalkit.papers.melis2017.claims import JUDGES, computed, printed
from evalkit.papers.melis2017.claims import statistics as some
from evalkit.papers.rows import Rows

REPLICATED, NOT, OPEN, OUT = "replicated", "not replicated", "inconclusive", "out of reach"
NOTHING = Rows([])


@pytest.fixture
def put(monkeypatch):
    """A function that puts other numbers in the place of printed ones."""

    def change(**changed):
        table = audit.published().copy()
        changed = {name.replace("__", "/").replace("_of_", ", "): str(x) for name, x in changed.items()}
        assert set(changed) <= set(table.index), changed
        table.update(changed)
        monkeypatch.setattr(audit, "published", lambda: table)

    return change


# ---------------------------------------------------------------------------------------------
# The claims, all of them
# ---------------------------------------------------------------------------------------------


def test_each_claim_has_a_judge_that_follows_its_latest_rule():
    claims = pd.read_csv(DATA / "published" / "claims.csv", dtype=str, keep_default_na=False)
    claims = claims[claims.paper == "melis2017"].id
    amendments = pd.read_csv(DATA / "published" / "amendments.csv", dtype=str, keep_default_na=False)
    amendments = amendments.set_index("id")
    wanted = {}
    for claim in claims:
        status = amendments.status.get(claim, "")
        if status not in scorecard.SET_ASIDE:
            date = amendments.date[claim] if status == "amended" else ""
            wanted[claim.removeprefix("melis2017/")] = date
    assert {claim: JUDGES._criteria[claim] for claim in JUDGES} == wanted


def test_what_asks_for_no_run_is_judged_without_one():
    found = EXPERIMENT.extras([])["verdicts"]
    asked = {f"melis2017/{claim}" for claim in (*printed.JUDGES, "not-only-language-models")}
    assert set(found.id) == asked
    assert set(found.verdict) <= set(scorecard.CLAIM_VERDICTS)
    assert set(found.data) <= set(scorecard.JUDGED_ON)


@pytest.mark.parametrize(
    "claim", [c for c in JUDGES if c not in (*printed.JUDGES, "not-only-language-models")]
)
def test_what_asks_for_runs_waits_for_them(claim):
    with pytest.raises(MissingRunsError):
        JUDGES[claim](NOTHING)


# ---------------------------------------------------------------------------------------------
# The printed tables
# ---------------------------------------------------------------------------------------------

# Claim, word, and which printed numbers are changed.


def of_both(rhn, nas):
    """Two test perplexities that the newer cells have at 10M, and 59.0 for both at 24M."""
    of = {
        "RHN__10M__depth5": rhn,
        "NAS__10M__depth1": nas,
        "RHN__24M__depth5": 59.0,
        "NAS__24M__depth1": 59.0,
    }
    return {f"ptb__{name}__test": value for name, value in of.items()}


DEEPER = "ptb__LSTM__24M__depth2"
EQUAL = {"ptb__LSTM__24M__depth4__test": 58.6}
CASES = [
    ("lstm-beats-newer-ptb", REPLICATED, {}),
    ("lstm-beats-newer-ptb", NOT, {"ptb__NAS__24M__depth1__test": 58.2}),
    ("lstm-beats-newer-ptb", OPEN, {"ptb__NAS__24M__depth1__test": 59.0}),
    # The depth is chosen by validation, not by the test.
    ("lstm-beats-newer-ptb", NOT, {f"{DEEPER}__validation": 60.0, f"{DEEPER}__test": 65.0}),
    ("lstm-beats-newer-wikitext2", OUT, {}),
    ("lstm-beats-newer-wikitext2", NOT, {"wikitext2__LSTM__24M__depth2__test": 68.0}),
    ("more-parameters-help-rhn", REPLICATED, {}),
    ("more-parameters-help-rhn", NOT, {"ptb__RHN__24M__depth5__validation": 66.0}),
    ("more-parameters-help-rhn", OPEN, {"ptb__RHN__24M__depth5__test": 62.9}),
    ("small-lstm-beats-large-rhn", REPLICATED, {}),
    ("small-lstm-beats-large-rhn", NOT, {"ptb__RHN__24M__depth5__validation": 61.0}),
    ("small-lstm-beats-large-rhn", OPEN, {"ptb__RHN__24M__depth5__test": 61.0}),
    ("depths-close-at-10m", OPEN, {}),
    ("depths-close-at-10m", REPLICATED, {"ptb__LSTM__10M__depth2__test": 60.6}),
    ("depths-close-at-10m", NOT, {"ptb__LSTM__10M__depth2__test": 62.0}),
    ("depths-close-at-10m", NOT, {"ptb__LSTM__10M__depth4__test": 59.0}),
    ("depths-equal-at-24m", NOT, {}),
    ("depths-equal-at-24m", OPEN, EQUAL),
    ("depths-equal-at-24m", REPLICATED, {**EQUAL, f"{DEEPER}__validation": 61.5}),
    ("nas-nearly-as-good", OPEN, {}),
    ("nas-nearly-as-good", REPLICATED, {"ptb__NAS__24M__depth1__test": 59.0}),
    ("nas-nearly-as-good", NOT, {"ptb__NAS__24M__depth1__test": 60.6}),
    ("closely-matched-everywhere", NOT, {}),
    ("closely-matched-everywhere", OPEN, of_both(61.0, 61.0)),
    ("closely-matched-everywhere", REPLICATED, of_both(60.0, 60.0)),
    ("rhn-needs-variational-dropout", REPLICATED, {}),
    ("rhn-needs-variational-dropout", NOT, {"ablation__RHN_of_no variational dropout__10M__test": 65.0}),
    ("rhn-needs-variational-dropout", OPEN, {"ablation__RHN_of_no variational dropout__10M__test": 67.0}),
    ("recurrent-or-variational", REPLICATED, {}),
    ("recurrent-or-variational", NOT, {"ablation__RHN_of_recurrent dropout__24M__test": 61.5}),
    ("headline-model-is-best", OPEN, {}),
    ("headline-model-is-best", NOT, {"ablation__LSTM_of_tied gates__24M__test": 57.0}),
    ("headline-model-is-best", REPLICATED, {
        f"ablation__LSTM_of_{gates} gates__{budget}__{part}": 70
        for gates in ("tied", "untied") for budget in ("10M", "24M") for part in ("validation", "test")
    }),
    ("gap-is-stable", REPLICATED, {}),
    ("gap-is-stable", NOT, {"ptb__NAS__10M__depth1__test": 60.0}),
    ("gap-is-stable", OPEN, {"ptb__NAS__10M__depth1__test": 62.1}),
    ("effects-are-small-now", REPLICATED, {}),
    ("effects-are-small-now", NOT, {"tuner__neighbourhood": 1.0}),
    ("six-remain", REPLICATED, {}),
    ("grid-size-arithmetic", NOT, {}),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "verdict", "changed"), CASES)
def test_each_word_of_a_judge_of_printed_tables(put, claim, verdict, changed):
    put(**changed)
    finding = JUDGES[claim](NOTHING)
    assert finding.verdict == verdict, finding.evidence
    assert finding.data in ("printed figures", "exact")
    assert finding.evidence.endswith((".", ")"))


def test_every_judge_of_printed_tables_has_its_words():
    said = {claim: {verdict for other, verdict, _ in CASES if other == claim} for claim in printed.JUDGES}
    assert {claim for claim, words in said.items() if not words} == set(printed.OUT)
    assert {claim for claim, words in said.items() if len(words) == 1} == {
        "six-remain",
        "grid-size-arithmetic",
    }


def test_the_arithmetic_can_come_out_otherwise(monkeypatch):
    monkeypatch.setattr(audit, "GRID_VALUES", 6)
    monkeypatch.setattr(audit, "GRID_HYPERPARAMETERS", 5)
    finding = JUDGES["grid-size-arithmetic"](NOTHING)
    assert finding.verdict == REPLICATED
    assert "6 to the power 5 is 7,776" in finding.evidence
    assert JUDGES["six-remain"](NOTHING).verdict == NOT


def test_chances_of_a_gap_by_simulation():
    rng = np.random.default_rng(0)
    seed, finite = rng.normal(0, 0.5, (2, 400_000)), rng.normal(0, np.sqrt(0.3), (2, 400_000))
    share = (abs(np.diff(seed + finite, axis=0)) > 1).mean()
    chances = audit.chances_of_a_gap()
    assert chances["0.5 as SD, 0.3 as variance"] == pytest.approx(share, abs=0.004)
    # A mean absolute difference of 0.5 of two runs is a smaller SD.
    assert chances["0.5 as difference, 0.3 as variance"] < chances["0.5 as SD, 0.3 as variance"]


def test_what_is_printed_and_what_follows_from_it():
    table = computed(NOTHING, pd.DataFrame()).set_index("id")
    # All but what the authors chose.
    amended = scorecard.printed().query("paper == 'melis2017'")
    assert set(table.index) == set(amended.id[amended.verdict != "setting"])
    assert (table.note != "").all()
    found = table.value.dropna()
    assert found.to_dict() == {
        "tuner/grid": 0,
        "features/untied_embeddings": pytest.approx((5.6 + 4.9 + 6.0 + 2.4) / 4),
    }
    words = audit.published()
    assert {name: scorecard.judge(words[name], value) for name, value in found.items()} == {
        "tuner/grid": "differs",
        "features/untied_embeddings": "last digit",
    }
    assert table.note["headline/ptb"] == "exp(4.065) is 58.26; the table has 58.3"
    assert "variance of the gap is 0.077" in table.note["noise/gap_low"]


# ---------------------------------------------------------------------------------------------
# Searches drawn from a pool
# ---------------------------------------------------------------------------------------------


@pytest.fixture
def small():
    validation = np.array([3.0, 1.0, 2.0, 2.0, 5.0])
    return some.Pool(validation, np.array([2.0, 4.0, 1.0, 3.0, 6.0]), np.ones(5))


def searches(pool, n):
    """The test loss that each search of n finds, of all that there are."""
    order = np.lexsort((pool.test, pool.validation))
    rank = order.argsort()
    return np.array(
        [
            pool.test[min(drawn, key=lambda i: rank[i])]
            for drawn in itertools.product(range(len(pool)), repeat=n)
        ]
    )


@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_pool_is_asked_for_all_searches_at_once(small, n):
    found, evenly = searches(small, n), np.ones(5)
    assert small.chosen(evenly, n) == pytest.approx(found.mean())
    assert small.scatter(evenly, n) == pytest.approx(found.std())
    other = some.Pool(small.validation[::-1].copy(), small.test + 0.5, np.ones(5))
    against = searches(other, n)
    worse = (found[:, None] > against).mean() + (found[:, None] == against).mean() / 2
    assert small.beaten(evenly, n, other, evenly) == pytest.approx(worse)
    assert small.beaten(evenly, n, small, evenly) == pytest.approx(0.5)


def test_counts_stand_for_trials_that_were_drawn_again(small):
    index = np.array([1, 1, 4, 0, 0])
    drawn = some.Pool(small.validation[index], small.test[index], np.ones(5))
    counts = some.counted(index, 5)
    for n in (1, 3, 2.5):
        assert small.chosen(counts, n) == pytest.approx(drawn.chosen(np.ones(5), n))
        assert small.best(counts, n) == pytest.approx(drawn.best(np.ones(5), n))


def test_the_expected_best_is_that_of_the_package(small):
    validation, test = np.array([3.0, 1.0, 2.0, 2.1, 5.0]), small.test
    pool = some.Pool(validation, test, np.ones(5))
    expected = boo(validation, test, n=3, minimize=True, estimator="v")
    assert pool.chosen(np.ones(5), 3) == pytest.approx(expected)


def test_a_pool_has_the_first_trials_in_their_order():
    rows = Rows(trials("pool", np.arange(10.0), cell="lstm"))
    assert some.pool(rows, "pool", 4, cell="lstm").validation.tolist() == [0, 1, 2, 3]
    some_missing = Rows([r for r in rows.rows if r["unit"]["trial"] != 2])
    with pytest.raises(MissingRunsError, match="3 of the first 4 rows of pool"):
        some.pool(some_missing, "pool", 4, cell="lstm")
    places_of_a_grid = [row("grid", {"validation": 1.0, "test": 2.0, "processor": 3.0}, place=0)]
    assert some.pool(Rows(places_of_a_grid), "grid", 1).seconds.tolist() == [3.0]


@pytest.mark.parametrize(("share", "count"), [(1.0, 1), (0.5, 1), (0.05, 13.51), (0.0, np.inf)])
def test_median_trials(share, count):
    assert some.median_trials(share) == pytest.approx(count, abs=0.01)


# ---------------------------------------------------------------------------------------------
# Intervals of few runs
# ---------------------------------------------------------------------------------------------


def ends(found):
    return found.low, found.high


def test_a_contrast_is_welch_s():
    one, other = normal(6, 5, 0.1), normal(9, 5.2, 0.3, seed=1)
    welch = stats.ttest_ind(other, one, equal_var=False).confidence_interval(0.95)
    found = some.contrast([one, other], [-1, 1])
    assert ends(found) == pytest.approx((welch.low, welch.high))
    alone = stats.ttest_1samp(one, 0).confidence_interval(0.95)
    assert ends(some.mean_of(one)) == pytest.approx((alone.low, alone.high))
    assert ends(some.mean_of([1.0, 1.0, 1.0])) == (1, 1)


def covers(interval, truth, draw, repeats=1500):
    rng = np.random.default_rng(0)
    found = [interval(draw(rng)) for _ in range(repeats)]
    return np.mean([x.low <= truth <= x.high for x in found])


def test_intervals_of_spreads_cover():
    assert covers(some.sd_of, 2.0, lambda rng: rng.normal(0, 2, 6)) == pytest.approx(0.95, abs=0.02)

    def two(rng):
        return rng.normal(0, 2, 8), rng.normal(0, 1, 5)

    assert covers(lambda x: some.sd_ratio(*x), 2.0, two) == pytest.approx(0.95, abs=0.02)

    def groups(rng):
        return [rng.normal(c, 1, (6, 1)) + rng.normal(0, 2, (6, 3)) for c in (0, 5, 9)]

    within = covers(some.searches_over_seeds, 0.5, groups)
    assert within == pytest.approx(0.95, abs=0.02)
    # Searches that differ by nothing but seeds.
    none = some.searches_over_seeds([[normal(3, 5.0, 0.1)] * 6] * 3)
    assert (none.estimate, none.low, none.high) == (0, 0, 0)


def test_searches_over_seeds_takes_out_what_seeds_add():
    means = normal(6, 5.0, 1.0)
    found = some.searches_over_seeds([[normal(3, m, 2.0) for m in means]])
    # The variance of means of three is that of searches and a third of that of seeds.
    assert found.estimate == pytest.approx(0.0)
    large = some.searches_over_seeds([[normal(3, m, 2.0) for m in 4 * (means - 5)]])
    assert large.estimate == pytest.approx(np.sqrt(16 - 4 / 3) / 2)


def test_a_median_of_few_lies_between_the_lowest_and_the_highest():
    found = some.log_median([4, 9, 1, 16, 25, 36])
    assert (found.estimate, found.low, found.high) == pytest.approx((np.log([9, 16]).mean(), 0, np.log(36)))
    with pytest.raises(ValueError, match="values must be at least 6"):
        some.log_median([1, 2, 3, 4, 5])
    within = covers(some.log_median, 0.0, lambda rng: np.exp(rng.normal(0, 1, 9)))
    assert 0.95 <= within < 0.99


def test_trials_until_a_success():
    found = some.log_trials_until(5, 100)
    assert np.exp(found.estimate) == pytest.approx(np.log(0.5) / np.log(0.95))
    # The share is from 1.64 to 11.28 %, by Clopper and Pearson.
    assert (np.exp(found.low), np.exp(found.high)) == pytest.approx((5.79, 41.8), rel=1e-2)
    never = some.log_trials_until(0, 100)
    assert never.estimate == never.low
    assert never.high == np.inf
    always = some.log_trials_until(100, 100)
    assert (always.estimate, always.low, always.high) == (0, 0, 0)


def test_sums_of_estimates_whose_intervals_are_not_even():
    one, other = some.Interval(1, 0, 3), some.Interval(5, 2, np.inf)
    found = some.combined([one, other], (1, -1))
    assert (found.estimate, found.low) == (-4, -np.inf)
    assert found.high == pytest.approx(-4 + np.sqrt(2**2 + 3**2))
    half = some.combined([one], (0.5,))
    assert (half.estimate, half.low, half.high) == (0.5, 0, 1.5)
    assert some.ratio(found).low == 0


def test_the_difference_of_two_shares_is_newcombe_s():
    one, other = np.arange(70) < 56, np.arange(80) < 48
    found = some.share_difference(one, other)
    # As in Newcombe (1998), Table II.
    assert (found.estimate, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)
    same = some.share_difference(np.ones(60, dtype=bool), np.ones(60, dtype=bool))
    assert same.low < 0 < same.high


def test_words():
    found = some.Interval(1.23456, 1.0, 2.0)
    assert some.words(found) == "1.235 (1.000 to 2.000)"
    assert some.listed({("lstm", "rhn"): found, "nas": found, "Brown": found}, 1) == (
        "RHN minus LSTM 1.2 (1.0 to 2.0); NAS 1.2 (1.0 to 2.0); Brown 1.2 (1.0 to 2.0)"
    )
    assert np.exp(some.percent(5)) == pytest.approx(1.05)


def test_settings_are_resampled_together():
    one = 5 + places(50)
    rows = trials("pool", one, cell="lstm") + trials("pool", one + 0.5, cell="rhn")
    found = some.pools(Rows(rows), "pool", 50, ("lstm", "rhn"))
    x = some.differences(found, 10, (("lstm", "rhn"),))["lstm", "rhn"]
    assert (x.low, x.high) == pytest.approx((0.5, 0.5))
