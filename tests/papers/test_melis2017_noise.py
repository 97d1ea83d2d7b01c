"""Every judge of Melis et al. that reads seeds, or scored files, on made-up rows, for each of its words."""

import numpy as np
import pytest
from melis_rows import CELLS, normal, of_each_cell, row, seeds
from scipy import stats

from evalkit.papers.judging import MissingRunsError
from evalkit.papers.melis2017.claims import evaluation, noise
from evalkit.papers.rows import Rows
from evalkit.recorded import pack

REPLICATED, NOT, OPEN = "replicated", "not replicated", "inconclusive"
JUDGES = noise.JUDGES | evaluation.JUDGES
CASES = []


def add(claim, verdict, shown, rows):
    CASES.append(pytest.param(claim, verdict, shown, rows, id=f"{claim}-{verdict}-{len(CASES)}"))


# ---------------------------------------------------------------------------------------------
# Seeds and arithmetic
# ---------------------------------------------------------------------------------------------


def orders(sd, first=None):
    again = normal(20)
    losses = [again[0] if first is None else first, *normal(20, 5.0, sd, seed=1)]
    return (
        seeds(again)
        + [
            row("arithmetic", {"validation": v, "test": v}, setting="0.01", order=i)
            for i, v in enumerate(losses)
        ][::-1]
    )


ARITHMETIC = "arithmetic-as-noisy-as-seeds"
add(ARITHMETIC, REPLICATED, "run twice gives the same loss again", orders(0.01))
add(ARITHMETIC, NOT, "over 20 orders of addition 0.0010, over 20 seeds 0.0100", orders(0.001))
add(ARITHMETIC, OPEN, "", orders(0.005))
# The order that is run beside them is not one of them.
add(ARITHMETIC, REPLICATED, "does not give the same loss", orders(0.01, first=9.0))


def by_seed(brown, docstrings=None):
    """Reruns of three cells on two texts, from a function of cell and number to losses."""
    return of_each_cell(lambda cell: seeds(brown(cell), cell=cell)) + of_each_cell(
        lambda cell: seeds((docstrings or brown)(cell), "docstrings", cell)
    )


def with_sd(**sd):
    return lambda cell: normal(20, 5.0, sd.get(cell, 0.004), seed=CELLS.index(cell))


add("seed-noise-small", REPLICATED, "NAS on docstrings 0.0040", by_seed(with_sd()))
add("seed-noise-small", NOT, "RHN on docstrings 0.0300", by_seed(with_sd(), with_sd(rhn=0.03)))
add("seed-noise-small", OPEN, "", by_seed(with_sd(), with_sd(rhn=0.01)))


def lucky(*cells):
    """Losses of which one seed in five is far off; the rest have a like SD."""

    def losses(cell):
        if cell not in cells:
            return normal(20, 5.0, 0.004)
        values = np.where(np.arange(20) < 4, 1.0, 0.0) + normal(20, 0, 0.05)
        return 5 + 0.004 * values / values.std(ddof=1)

    return losses


NORMAL = "normal-with-equal-variance"
add(NORMAL, REPLICATED, "largest", by_seed(with_sd()))
add(NORMAL, REPLICATED, "", by_seed(with_sd(), lucky("nas")))
add(NORMAL, NOT, "LSTM on docstrings 0.000", by_seed(with_sd(), lucky(*CELLS)))
add(NORMAL, NOT, "Brown 5.00", by_seed(with_sd(lstm=0.02)))
add(NORMAL, OPEN, "", by_seed(lucky("lstm"), lucky("nas")))
# Twice as large by estimate, and not surely.
add(NORMAL, OPEN, "", by_seed(with_sd(lstm=0.0084)))


# ---------------------------------------------------------------------------------------------
# Texts that end somewhere
# ---------------------------------------------------------------------------------------------

FILES = 380


def scored(apart, within=4.0, size=None, own=0.0, gaps=0.01):
    """Files whose mean losses differ by an SD, tokens by a variance; each model has something of its own.

    `gaps` is the SD over seeds of the gap between validation and test.
    """
    size = np.full(FILES, 3000) if size is None else size
    rows = of_each_cell(
        lambda cell: seeds(normal(20, 5.0, gaps, CELLS.index(cell)), cell=cell, test=np.full(20, 5.0))
    )
    means = normal(FILES, 5.0, apart) if apart else np.full(FILES, 5.0)
    for i, cell in enumerate(CELLS):
        for seed in range(3):
            found = means + normal(FILES, 0, own, seed=10 * i + seed + 1) if own else means
            result = {
                "tokens": pack(size),
                "means": pack(found, ".5f"),
                "variances": pack(np.full(FILES, within), ".5f"),
            }
            rows.append(row("unseen", result, cell=cell, setting="0.01", seed=seed))
    return rows


def with_means(means, size=None):
    """Files of which each model has these mean losses, and little variance within."""
    rows = scored(0.0, 0.01, size)
    for found in rows:
        if found["unit"]["table"] == "unseen":
            found["result"]["means"] = pack(means, ".5f")
    return rows


# A few files are as long as all others and unlike them: most test sets have none of them.
LONG = np.arange(FILES) % 40 == 0
SKEWED = 5 + 0.3 * stats.expon.ppf((np.arange(FILES) + 0.5) / FILES)
BOOTSTRAP = "no-bootstrap-on-one-text"
add(
    BOOTSTRAP,
    REPLICATED,
    "of 20 of 380 files, on average over 9 models",
    with_means(np.where(LONG, 7.0, 5.0) + normal(FILES, 0), np.where(LONG, 60_000, 1500)),
)
add(BOOTSTRAP, NOT, "cover in 100.0%", scored(0.01, 400.0))
add(BOOTSTRAP, NOT, "", scored(0.3))
add(BOOTSTRAP, OPEN, "", with_means(SKEWED))

GAP = "gap-measures-sampling-noise"
# The difference of two models has an SD of 0.1 over files, and of its root of a tenth over ten files.
add(GAP, REPLICATED, "over 38 test sets of 10 files", scored(0.3, own=0.03, gaps=0.01))
add(GAP, NOT, "", scored(0.3, own=0.3, gaps=0.01))
add(GAP, NOT, "", scored(0.3, own=0.03, gaps=0.1))
add(GAP, OPEN, "", scored(0.3, own=0.062, gaps=0.01))


# ---------------------------------------------------------------------------------------------
# How a model is scored, and what it costs
# ---------------------------------------------------------------------------------------------


def evaluated(gains, sd=0.001, excess=0.01, tenth=0.05, sd_of_excess=0.001):
    rows = []
    for i, (cell, gain) in enumerate(zip(CELLS, gains, strict=True)):
        found = zip(
            normal(10, gain, sd, seed=i) if sd else np.full(10, gain),
            normal(10, excess, sd_of_excess, seed=i + 5),
            normal(10, tenth, sd_of_excess, seed=i + 9),
            strict=True,
        )
        for seed, (more, whole, part) in enumerate(found):
            result = {"test": 5.0, "cached": 5 - more, "one": 5.0, "many": 5 + whole}
            result |= {"one_tenth": 5.1, "many_tenth": 5.1 + part}
            rows.append(row("evaluated", result, cell=cell, setting="0.01", seed=seed))
    return rows


TRICKS, BATCH = "tricks-orthogonal", "test-batch-size"
add(TRICKS, REPLICATED, "RHN minus LSTM 0.0050", evaluated([0.1, 0.105, 0.11]))
add(TRICKS, NOT, "", evaluated([0.1, 0.105, 0.2]))
add(TRICKS, NOT, "", evaluated([0.2, 0.105, 0.1]))  # in the other direction too
add(TRICKS, OPEN, "", evaluated([0.1, 0.105, 0.11], sd=0.05))
add(TRICKS, OPEN, "", evaluated([0.0, 0.0, 0.0], sd=0.0))  # a cache that no model uses

add(BATCH, REPLICATED, "higher by 0.0100", evaluated([0.1] * 3))
add(BATCH, NOT, "", evaluated([0.1] * 3, excess=-0.01))
add(BATCH, NOT, "", evaluated([0.1] * 3, excess=0.04))
add(BATCH, OPEN, "", evaluated([0.1] * 3, excess=0.0247))
add(BATCH, OPEN, "", evaluated([0.1] * 3, sd_of_excess=0.05))


def masked(gain, sd=0.001, times=10):
    return [
        row(
            "masks",
            {
                "test": 5.0,
                "counts": pack([1, 10, 100]),
                "averaged": pack([5.2, 5.02, 5 - more], ".6f"),
                "took": pack([0.5, 5, 5 * times], ".4g"),
            },
            setting="0.01",
            seed=i,
        )
        for i, more in enumerate(normal(5, gain, sd))
    ]


MASKS = "mean-field-enough"
add(MASKS, REPLICATED, "take 10.0 times as long", masked(0.01))
add(MASKS, NOT, "", masked(0.04))
add(MASKS, NOT, "100 masks -0.0100", masked(-0.01))
add(MASKS, OPEN, "", masked(0.002, sd=0.003))
add(MASKS, OPEN, "", masked(0.01, times=3))


def timed(slope, sd=0.02, stopped=1.0):
    rows = []
    for i, tokens in enumerate((15_000, 60_000, 240_000)):
        updates = round(400 * tokens / 25_000 * stopped)
        for dropout in (0, 1):
            noise_of = normal(3, 0, sd, seed=i)
            for seed in range(3):
                one = 0.5 * (tokens / 15_000) ** slope * np.exp(noise_of[seed])
                learning = one * updates * 480 / tokens
                if not dropout:
                    learning = 1.0
                result = {"learning": learning, "updates": updates, "test": 5.0}
                rows.append(
                    row("lengths", result, cell="lstm", tokens=tokens, dropout=dropout, seed=seed, setting="")
                )
    return rows


DEAR = "translation-too-dear"
add(DEAR, REPLICATED, "0.50 at 15,000, 2.00 at 60,000, 8.00 at 240,000", timed(1.0))
add(DEAR, REPLICATED, "slope of the logarithms 1.000", timed(1.0, stopped=0.5))
add(DEAR, NOT, "", timed(0.5))
add(DEAR, OPEN, "", timed(0.92, sd=0.3))


@pytest.mark.parametrize(("claim", "verdict", "shown", "rows"), CASES)
def test_each_word_of_a_judge(claim, verdict, shown, rows):
    finding = JUDGES[claim](Rows(rows))
    assert finding.verdict == verdict, finding.evidence
    assert shown.lower() in finding.evidence.lower(), finding.evidence
    assert finding.evidence.endswith((".", ")"))
    assert finding.data == "own run"
    assert finding.intervals > 0 or finding.draws


def test_every_judge_has_its_words():
    said = {claim: {case.values[1] for case in CASES if case.values[0] == claim} for claim in JUDGES}
    assert all(words == {REPLICATED, NOT, OPEN} for words in said.values())


@pytest.mark.parametrize("claim", list(JUDGES))
def test_a_judge_without_all_of_its_rows_waits(claim):
    rows = next(case.values[3] for case in CASES if case.values[0] == claim)
    tables = {"no-bootstrap-on-one-text": {"unseen"}}.get(claim, {row["unit"]["table"] for row in rows})
    for table in tables:
        places = [
            i
            for i, row in enumerate(rows)
            if row["unit"]["table"] == table and row["unit"].get("dropout", 1) == 1
        ]
        first = places[0]
        with pytest.raises(MissingRunsError):
            JUDGES[claim](Rows(rows[:first] + rows[first + 1 :]))


# ---------------------------------------------------------------------------------------------
# What an interval over files is
# ---------------------------------------------------------------------------------------------


def test_the_intervals_of_a_test_set_are_those_of_the_tokens_and_of_resampled_files():
    rng = np.random.default_rng(0)
    losses = [rng.exponential(5, size=size) for size in (40, 25, 60, 33)]
    tokens, means, variances = (
        np.array([f(x) for x in losses]) for f in (len, np.mean, lambda x: x.var(ddof=1))
    )
    sets = np.array([[0, 1, 1], [2, 3, 0]])
    resamples = rng.multinomial(3, np.full(3, 1 / 3), size=500)
    found = noise.covered(tokens, means, variances, sets, resamples)
    truth = np.concatenate(losses).mean()
    for i, chosen in enumerate(sets):
        whole = np.concatenate([losses[j] for j in chosen])
        reach = 1.959964 * whole.std(ddof=1) / np.sqrt(len(whole))
        assert found["tokens"][i] == (abs(whole.mean() - truth) <= reach)
        drawn = [
            np.concatenate([losses[j] for j, n in zip(chosen, counts, strict=True) for _ in range(n)]).mean()
            for counts in resamples
        ]
        # The level that has Student's t with two degrees of freedom, times the root of 3 / 2.
        tail = stats.norm.cdf(-4.302653 * np.sqrt(1.5))
        low, high = np.quantile(drawn, [tail, 1 - tail])
        assert found["files"][i] == (low <= truth <= high)
