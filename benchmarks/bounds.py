"""Hold each function to the time and memory of its "Size:" sentence: `python
benchmarks/bounds.py`.

Each row of `ROWS` is a call at its stated limit and, where a call can be too large, the
same one step beyond. Every call runs in a process of its own, which may use three times
the time that is stated (of the processor, so that other work does not count; three
times, for slower machines) and the memory, and not more. One step beyond must be a
ValueError within a second. Give names of functions to run only theirs.
"""

import resource
import subprocess
import sys
import time
from typing import NamedTuple

import numpy as np
import pandas as pd

import evalkit as ek
from evalkit import baselines, explore, splits, tuning
from lab.experiments import percentile

SLOWER = 3  # machines than the one that the sentences were measured on


class Row(NamedTuple):
    """One promise: `call` takes at most `seconds` and `megabytes`, and `beyond` is
    refused.
    """

    name: str
    call: object
    seconds: float
    megabytes: float
    beyond: object = None


def scores(*shape, kind=float):
    return np.random.default_rng(0).random(shape).astype(kind)


def labels(n, n_classes):
    return np.arange(n) % n_classes


def texts(n, n_words=8, vocabulary=30_000):
    words = np.random.default_rng(0).integers(vocabulary, size=(n, n_words))
    return [" ".join(f"w{word}" for word in some) for some in words]


def alike(n):
    """Texts that are all compared with each other, and none is alike: half of 30
    words.
    """
    rng = np.random.default_rng(0)
    return [
        " ".join(f"w{i}" for i in rng.choice(60, 25, replace=False)) for _ in range(n)
    ]


def answers(n):
    """Return right and wrong answers of two systems to n / 2 items."""
    return pd.DataFrame(
        {
            "system": np.repeat(["a", "b"], n // 2),
            "item": np.tile([f"q{i}" for i in range(n // 2)], 2),
            "correct": np.random.default_rng(0).integers(2, size=n),
        }
    )


def pools(n):
    return {"a": scores(n), "b": scores(n) + 0.01}


def searched(method, n_trials):
    space = {f"x{i}": range(1000) for i in range(10)}
    return ek.search(
        lambda setting: setting["x0"], space, method=method, n_trials=n_trials, rng=0
    )


def crossed(n):
    return ek.variance_components(
        scores(n * n), np.repeat(range(n), n), np.tile(range(n), n)
    )


def divided(n):
    return np.arange(n // 2), np.arange(n // 2, n)


def seed_block():
    with ek.seeded(0):
        return


ROWS = [
    Row(
        "mcnemar",
        lambda: ek.mcnemar(2**52, 2**52),
        1,
        200,
        lambda: ek.mcnemar(2**53 + 1, 0),
    ),
    Row("contingency", lambda: ek.contingency(*[labels(1_000_000, 5)] * 3), 10, 1000),
    Row(
        "wilcoxon, exact",
        lambda: ek.wilcoxon(*scores(2, 4000), method="exact"),
        20,
        300,
        lambda: ek.wilcoxon(scores(4001), np.zeros(4001), method="exact"),
    ),
    Row(
        "wilcoxon, approx",
        lambda: ek.wilcoxon(scores(1_000_000), np.zeros(1_000_000)),
        2,
        300,
    ),
    Row(
        "sign_flip",
        lambda: ek.sign_flip(scores(200_000), np.zeros(200_000), rng=0),
        20,
        500,
        lambda: ek.sign_flip(scores(200_100), np.zeros(200_100)),
    ),
    Row(
        "sign_flip, many",
        lambda: ek.sign_flip(scores(200), np.zeros(200), n_resamples=10_000_000, rng=0),
        20,
        500,
        lambda: ek.sign_flip(scores(2), np.zeros(2), n_resamples=10_000_001),
    ),
    Row(
        "corrected_t",
        lambda: ek.corrected_t(*scores(2, 10_000_000), n_train=9, n_test=1),
        3,
        1500,
    ),
    Row(
        "rank_intervals",
        lambda: ek.rank_intervals(scores(10_000, 300)),
        60,
        500,
        lambda: ek.rank_intervals(scores(10_000, 900)),
    ),
    Row("pass_at_k", lambda: ek.pass_at_k(labels(1_000_000, 11), 10, 3), 2, 500),
    Row("pass_hat_k", lambda: ek.pass_hat_k(labels(1_000_000, 11), 10, 3), 2, 500),
    Row(
        "spending_bounds",
        lambda: ek.spending_bounds(1 - np.arange(99, -1, -1) / 1000, spending="pocock"),
        5,
        500,
        lambda: ek.spending_bounds(np.arange(1, 102) / 101),
    ),
    Row(
        "proportion_difference",
        lambda: ek.proportion_difference(2**52, 2**53, 2**51, 2**53),
        1,
        200,
        lambda: ek.proportion_difference(1, 2**53 + 1, 1, 2),
    ),
    Row("time_blocks", lambda: ek.time_blocks(scores(10_000_000)), 10, 2500),
    Row("holm", lambda: ek.holm(scores(1_000_000)), 1, 200),
    Row(
        "compare_systems, systems",
        lambda: ek.compare_systems(scores(1000, 30)),
        100,
        500,
        lambda: ek.compare_systems(scores(1000, 34)),
    ),
    Row(
        "compare_systems, data sets",
        lambda: ek.compare_systems(scores(1_000_000, 3)),
        100,
        1500,
    ),
    Row("t_interval", lambda: ek.t_interval(scores(10_000_000)), 1, 500),
    Row(
        "bootstrap_interval",
        lambda: ek.bootstrap_interval(scores(100_000), rng=0),
        20,
        500,
        lambda: ek.bootstrap_interval(scores(100_020)),
    ),
    Row(
        "bootstrap_interval, median",
        lambda: ek.bootstrap_interval(
            scores(20_000), np.median, n_resamples=999, rng=0
        ),
        20,
        500,
        lambda: ek.bootstrap_interval(scores(20_001), np.median, n_resamples=999),
    ),
    Row(
        "group_interval",
        lambda: ek.group_interval(
            scores(100_000), np.arange(100_000), method="bca", rng=0
        ),
        20,
        500,
        lambda: ek.group_interval(scores(100_020), np.arange(100_020), method="bca"),
    ),
    Row(
        "group_interval, t",
        lambda: ek.group_interval(scores(10_000_000), labels(10_000_000, 9)),
        20,
        2000,
    ),
    Row(
        "difference_interval",
        lambda: ek.difference_interval(*scores(2, 10_000_000), paired=True),
        3,
        2000,
    ),
    Row(
        "prediction_interval",
        lambda: ek.prediction_interval(scores(10_000_000)),
        2,
        500,
    ),
    Row(
        "crossed_difference",
        lambda: ek.crossed_difference(*scores(2, 5, 1_000_000)),
        20,
        2000,
    ),
    Row(
        "ratio_difference",
        lambda: ek.ratio_difference(*scores(4, 1_000_000), labels(1_000_000, 1000)),
        1,
        500,
    ),
    Row(
        "agreement",
        lambda: ek.agreement(*[labels(1_000_000, 5)] * 2, labels(1_000_000, 1000)),
        2,
        500,
        lambda: ek.agreement(*[labels(4000, 4000)] * 3),
    ),
    Row(
        "detectable_difference",
        lambda: ek.detectable_difference(2**53, rate=0.5),
        0.1,
        500,
    ),
    Row("mcnemar_range", lambda: ek.mcnemar_range("91.3", "90.8", 2**53), 1, 200),
    Row(
        "expected_max",
        lambda: ek.expected_max(scores(2_000_000), np.arange(1, 2_000_001)),
        70,
        500,
        lambda: ek.expected_max(scores(2_000_001), 1),
    ),
    Row(
        "expected_max, v",
        lambda: ek.expected_max(scores(20_000_000), 5, estimator="v"),
        10,
        1500,
    ),
    Row(
        "expected_max, budgets",
        lambda: ek.expected_max(scores(10_000), np.ones(1_000_000, int)),
        1,
        300,
    ),
    Row(
        "gaussian_expected_max",
        lambda: ek.gaussian_expected_max(np.arange(1, 50_001)),
        50,
        100,
        lambda: ek.gaussian_expected_max(np.arange(1, 50_002)),
    ),
    Row(
        "expected_max_interval",
        lambda: ek.expected_max_interval(scores(2_000_000), 400_000),
        30,
        1000,
        lambda: ek.expected_max_interval(scores(2_000_001), 1),
    ),
    Row("boo_gaussian", lambda: ek.boo_gaussian(*scores(2, 10_000_000), n=5), 6, 1500),
    Row(
        "expected_max_band",
        lambda: ek.expected_max_band(scores(10_000_000), [1, 9], bounds=(0, 1)),
        5,
        1000,
    ),
    Row(
        "expected_max_bootstrap",
        lambda: percentile.expected_max_bootstrap(scores(10_000), np.arange(1, 10_001)),
        100,
        3000,
        lambda: percentile.expected_max_bootstrap(scores(10_002), 1),
    ),
    Row(
        "train_dev_test",
        lambda: ek.train_dev_test(labels(1_000_000, 10), rng=0),
        10,
        1000,
    ),
    Row(
        "train_dev_test, groups",
        lambda: ek.train_dev_test(
            labels(1_000_000, 10), groups=labels(1_000_000, 100_000), rng=0
        ),
        20,
        1000,
        lambda: ek.train_dev_test(labels(30_000, 5000), groups=labels(30_000, 5000)),
    ),
    Row("report", lambda: ek.report(answers(100_000), baseline="a"), 5, 500),
    Row(
        "split_report",
        lambda: ek.split_report(divided(1_000_000), labels(1_000_000, 10)),
        10,
        1000,
    ),
    Row(
        "near_duplicate_groups",
        lambda: splits.near_duplicate_groups(texts(100_000)),
        15,
        500,
    ),
    Row(
        "near_duplicate_groups, alike",
        lambda: splits.near_duplicate_groups(alike(5000)),
        60,
        500,
        lambda: splits.near_duplicate_groups(alike(10_000)),
    ),
    Row(
        "dummy_table, classes",
        lambda: ek.dummy_table(labels(1500, 150), labels(1500, 150), rng=0),
        90,
        1000,
        lambda: ek.dummy_table(labels(1500, 151), labels(1500, 151)),
    ),
    Row(
        "dummy_table, items",
        lambda: ek.dummy_table(labels(440_000, 2), labels(440_000, 2), rng=0),
        90,
        2000,
        lambda: ek.dummy_table(labels(450_000, 2), labels(450_000, 2)),
    ),
    Row(
        "dummy_table, targets",
        lambda: ek.dummy_table(scores(50_000), scores(50_000), rng=0),
        90,
        1000,
        lambda: ek.dummy_table(scores(50_001), scores(50_001)),
    ),
    Row(
        "duplicate_ceiling",
        lambda: baselines.duplicate_ceiling(range(1_000_000), labels(1_000_000, 10)),
        5,
        1000,
    ),
    Row(
        "search, random",
        lambda: searched("random", 100_000),
        30,
        500,
        lambda: searched("random", 100_001),
    ),
    Row(
        "search, grid",
        lambda: searched("grid", 100_000),
        30,
        500,
        lambda: searched("grid", None),
    ),
    Row(
        "search, guided",
        lambda: searched("guided", 1000),
        60,
        500,
        lambda: searched("guided", 1001),
    ),
    Row(
        "winner_by_budget",
        lambda: tuning.winner_by_budget(pools(5000), range(1, 1001)),
        120,
        500,
        lambda: tuning.winner_by_budget(pools(5001), range(1, 1001)),
    ),
    Row(
        "winner_by_budget, pools",
        lambda: tuning.winner_by_budget(pools(1_000_000), [1, 10, 100, 1000]),
        90,
        500,
    ),
    Row("seeded", seed_block, 1, 1),
    Row("failure_rate", lambda: ek.failure_rate(scores(10_000_000), 0.5), 1, 500),
    Row("variance_components", lambda: crossed(1000), 2, 500),
    Row(
        "seeds_needed",
        lambda: ek.seeds_needed(1e-3, 1),
        0.1,
        50,
        lambda: ek.seeds_needed(0.999e-3, 1),
    ),
    Row(
        "jk_fold",
        lambda: ek.jk_fold(1_000_000, 5, rng=0),
        1,
        100,
        lambda: ek.jk_fold(1_000_001, 5),
    ),
    Row(
        "choice_variability",
        lambda: ek.choice_variability(scores(1000, 500), 1000, n_groups=10_000, rng=0),
        60,
        2000,
        lambda: ek.choice_variability(scores(1000, 501), 1000, n_groups=10_000),
    ),
    Row(
        "choice_variability, groups",
        lambda: ek.choice_variability(scores(1000, 2), 1000, n_groups=10_000, rng=0),
        60,
        2000,
        lambda: ek.choice_variability(scores(1000, 2), 1000, n_groups=10_001),
    ),
    Row(
        "explore.expected_maximum",
        lambda: explore.expected_maximum(scores(5000)).page(),
        1,
        100,
        lambda: explore.expected_maximum(scores(5001)),
    ),
    Row(
        "explore.intervals",
        lambda: explore.intervals(scores(5000)).page(),
        1,
        100,
        lambda: explore.intervals(scores(5001)),
    ),
    Row(
        "explore.leaderboards",
        lambda: explore.leaderboards(np.ones((20_000, 10))).page(),
        1,
        100,
        lambda: explore.leaderboards(np.ones((20_001, 10))),
    ),
    Row(
        "explore.seeds",
        lambda: explore.seeds(scores(5000)).page(),
        1,
        100,
        lambda: explore.seeds(scores(5001)),
    ),
    Row(
        "explore.tuning",
        lambda: explore.tuning(pools(5000), seconds={"a": 1, "b": 1}).page(),
        1,
        100,
        lambda: explore.tuning(pools(5001)),
    ),
    Row(
        "explore.jkfold",
        lambda: explore.jkfold(scores(100, 1000)).page(),
        5,
        300,
        lambda: explore.jkfold(scores(101, 1000)),
    ),
]


def used():
    """Return (seconds of the processor, megabytes at most) of this process."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime, own.ru_maxrss / 1024


def run(row):
    """In a process of its own: keep to the limits, and say what was used."""
    seconds, megabytes = used()
    limit = int(seconds + SLOWER * row.seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    row.call()
    after = used()
    print(f"{after[0] - seconds:.2f} {max(0.0, after[1] - megabytes):.0f}")
    if row.beyond is not None:
        start = time.process_time()
        try:
            row.beyond()
        except ValueError as error:
            seconds = time.process_time() - start
            assert seconds < 1, f"refused only after {seconds:.1f} s"
            print(f"  refused: {error}", file=sys.stderr)
        else:
            raise AssertionError("one step beyond is not refused")


def main(wanted):
    """Run the rows whose names begin with one of those wanted, or all; return how many
    are broken.
    """
    broken = 0
    print(f"{'function':<32}{'seconds':>9}{'stated':>8}{'MB':>8}{'stated':>8}")
    for i, row in enumerate(ROWS):
        if wanted and not row.name.startswith(tuple(wanted)):
            continue
        done = subprocess.run(
            [sys.executable, __file__, "--row", str(i)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            broken += 1
            print(
                f"{row.name:<32} broken:"
                f" {(done.stderr.strip().splitlines() or [done.returncode])[-1]}",
                flush=True,
            )
            continue
        seconds, megabytes = map(float, done.stdout.split()[-2:])
        kept = seconds <= SLOWER * row.seconds and megabytes <= row.megabytes
        broken += not kept
        told = f"{row.name:<32}{seconds:9.2f}{row.seconds:8g}{megabytes:8.0f}{row.megabytes:8g}"
        print(told + "  broken" * (not kept), flush=True)
    return broken


if __name__ == "__main__":
    if sys.argv[1:2] == ["--row"]:
        run(ROWS[int(sys.argv[2])])
    else:
        sys.exit(main(sys.argv[1:]) > 0)
