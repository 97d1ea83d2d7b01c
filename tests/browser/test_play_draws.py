"""What is drawn, and how often: the script's draws against NumPy's, its tallies against
evalkit.
"""

import json

import numpy as np
import play_twin
import pytest
from chapter_explorers import OWN_ANSWERS, chapter_explorer, plays
from scipy import stats

import evalkit as ek
from evalkit import explore
from evalkit.explore._play import ASSETS, SCRIPTS
from lab import pages
from lab.record import tables

DRAWN = """
const [name, data, setting, seed, draws] = arguments;
const { games, chance } = evalkitGames, game = games[name](data, setting);
game.begin?.(chance(seed, 0));
const marks = Array.from({ length: draws }, (_, i) => game.draw(chance(seed, i + 1), i + 1).marks);
const listed = ({ value, kind, low, high }) => [value, kind, low, high].filter((part) => part !== undefined);
return marks.map((lanes) => lanes.map(listed));
"""
# For each game settings at its edges, too.
SETTINGS = [
    ("papers", {}),
    ("papers", {"a": 1, "b": 40}),
    ("intervals", {}),
    ("intervals", {"size": 2, "kind": "t0", "shape": "skewed"}),
    ("intervals", {"size": 5, "kind": "percentile", "shape": "some runs fail"}),
    ("mcnemar", {}),
    ("mcnemar", {"a_only": 400, "b_only": 3}),
    ("no difference", {}),
    ("repeated_splits", {}),
    ("repeated_splits", {"splits": 30, "effect": 0.5}),
    ("repeated_splits", {"splits": 2, "effect": 2.0}),
    ("seeds", {}),
    ("seeds", {"network": "bag-of-words MLP", "count": 1, "gain": 0.0}),
    ("seeds", {"count": 5, "items": "300"}),
    ("expected_maximum", {}),
    ("expected_maximum", {"size": 5, "n": 7}),
    ("leaderboards", {}),
    ("leaderboards", {"systems": 2, "items": 50, "gap": 5.0, "shared": 90}),
    ("leaderboards", {"systems": 50, "items": 2000, "gap": 2.0, "shared": 20}),
    ("leaderboards", {"systems": 25, "items": 50, "gap": 0.0, "shared": 0}),
    ("own leaderboards", {}),
    ("own leaderboards", {"items": 320}),
    ("own expected_maximum", {"size": 10, "n": 10}),
    ("own intervals", {}),
    ("own seeds", {}),
]


@pytest.fixture(scope="module")
def draw(chromium, tmp_path_factory):
    """Return a function from a play and a setting to what the script draws."""
    blank = tmp_path_factory.mktemp("play") / "blank.html"
    scripts = "".join(
        f"<script src='{(ASSETS / s).as_uri()}'></script>" for s in SCRIPTS[:3]
    )
    blank.write_text(
        f"<!doctype html><meta charset='utf-8'>{scripts}", encoding="utf-8"
    )

    def marks(play, setting, draws, seed=3):
        chromium.get(blank.as_uri())
        data = json.loads(json.dumps(play.data))  # as the page has it
        return chromium.execute_script(
            DRAWN, play.game, data, play.start | setting, seed, draws
        )

    return marks


@pytest.mark.parametrize(("name", "setting"), SETTINGS)
def test_a_thousand_draws_are_those_of_numpy_and_evalkit(name, setting, draw):
    play = plays(name)
    data = json.loads(json.dumps(play.data))
    if name == "seeds":
        right = pages.right_of_seeds()
        (
            data["networks"]["LSTM"]["right"],
            data["networks"]["bag-of-words MLP"]["right"],
        ) = (
            right["lstm"],
            right["mlp"],
        )
    if name == "own leaderboards":
        data["own"]["table"] = OWN_ANSWERS[
            :, np.lexsort((-np.arange(5), OWN_ANSWERS.sum(axis=0)))
        ]
    twin = getattr(play_twin, play.game)
    kinds = set()
    for i, drawn in enumerate(draw(play, setting, 1000), start=1):
        wanted = twin(data, play.start | setting, play_twin.Chance(3, i))
        for (value, kind, *ends), (wanted_value, wanted_kind, *wanted_ends) in zip(
            drawn, wanted, strict=True
        ):
            assert [value, *ends] == pytest.approx(
                [wanted_value, *map(float, wanted_ends)], rel=1e-9, abs=1e-9
            )
            assert kind == wanted_kind
            kinds.add(kind)
    assert kinds - {"over"} <= set(play.colours)  # a mean in words alone


def test_each_division_is_drawn_once(draw):
    play = chapter_explorer("splits")
    recorded = tables.load_recorded("explorers", "divided").set_index(
        ["scheme", "folds"]
    )
    rows = recorded.loc[("grouped", 10)]
    first, second = (
        draw(play, {"scheme": "grouped", "folds": 10}, len(rows), seed)
        for seed in (0, 1)
    )
    for lane, column in enumerate(("one_split", "accuracy")):
        values = [marks[lane][0] for marks in first]
        assert sorted(values) == pytest.approx(sorted(100 * rows[column]), abs=0.006)
        assert values != [marks[lane][0] for marks in second]


def share(draws, kind, lane=0):
    return np.mean([marks[lane][1] == kind for marks in draws])


def recorded_rate(table, column, **line):
    rows = tables.load_recorded("explorers", table)
    (row,) = rows[
        np.all([rows[key] == value for key, value in line.items()], axis=0)
    ].to_dict("records")
    return row[column] / row["samples"], row["samples"]


def check_rate(found, wanted, others=np.inf, draws=10_000):
    """Within four Monte Carlo errors, of both where the other was drawn as well."""
    assert abs(found - wanted) <= 4 * np.sqrt(
        wanted * (1 - wanted) * (1 / draws + 1 / others)
    )


@pytest.mark.parametrize(
    ("kind", "column"),
    [("t", "held_t"), ("t0", "held_t0"), ("percentile", "held_percentile")],
)
@pytest.mark.parametrize("shape", ["normal", "skewed", "some runs fail"])
def test_intervals_hold_the_mean_as_often_as_those_of_evalkit(
    shape, kind, column, draw
):
    drawn = draw(
        chapter_explorer("intervals"), {"size": 5, "shape": shape, "kind": kind}, 10_000
    )
    check_rate(
        share(drawn, "held"), *recorded_rate("intervals", column, shape=shape, size=5)
    )


@pytest.mark.parametrize("effect", [0.0, 0.5])
def test_stars_are_as_frequent_as_those_of_the_tests(effect, draw):
    drawn = draw(
        chapter_explorer("repeated_splits"), {"splits": 20, "effect": effect}, 10_000
    )
    for lane, test in enumerate(("wilcoxon", "paired_t", "corrected_t")):
        check_rate(
            share(drawn, "star", lane),
            *recorded_rate("repeated", f"rejected_{test}", splits=20, effect=effect),
        )


@pytest.mark.parametrize("counts", [(15, 6), (6, 5), (100, 70)])
def test_coins_are_uneven_as_often_as_the_exact_p_says(counts, draw):
    drawn = draw(explore.mcnemar(*counts), {}, 10_000)
    check_rate(share(drawn, "uneven"), ek.mcnemar(*counts).pvalue)


def test_the_worse_of_two_is_ahead_as_often_as_all_pairs_of_seeds_say(draw):
    play = chapter_explorer("seeds")
    scores = np.array(play.data["networks"]["LSTM"]["scores"])
    drawn = draw(play, {"count": 1, "gain": 0.5}, 10_000)
    check_rate(share(drawn, "a"), np.mean(scores[:, np.newaxis] + 0.5 < scores - 1e-9))


def test_more_items_and_more_seeds_scatter_less(draw):
    play = chapter_explorer("seeds")
    spread = {
        items: np.std([marks[0][0] for marks in draw(play, {"items": items}, 2000)])
        for items in ("", "100", "1000")
    }
    assert spread[""] < spread["1000"] < spread["100"] / 1.5


def check_mean(values, wanted):
    assert abs(np.mean(values) - wanted) < 4 * stats.sem(values)


def test_papers_report_the_expected_best_on_validation(draw):
    play = chapter_explorer("papers")
    setting = {"a": 4, "b": 40}
    expected = {
        side: ek.boo(pool["validation"], pool["test"], n=setting[side], estimator="v")
        for side, pool in play.data["pools"].items()
    }
    values = [marks[0][0] for marks in draw(play, setting, 10_000)]
    check_mean(values, expected["b"] - expected["a"])


@pytest.mark.parametrize(("size", "n"), [(20, 10), (50, 50)])
def test_u_is_right_on_average_and_v_off_by_its_bias(size, n, draw):
    play = chapter_explorer("expected_maximum")
    drawn = draw(play, {"size": size, "n": n}, 10_000)
    scores = np.array(play.data["pools"]["LSTM"]["scores"])
    samples = np.random.default_rng(0).choice(scores, (4000, size))
    truth = ek.expected_max(scores, n, estimator="v")
    bias = np.array(
        [ek.expected_max(sample, n, estimator="v") - truth for sample in samples]
    )
    u, v = ([marks[lane][0] for marks in drawn] for lane in (0, 1))
    check_mean(u, 0)
    assert abs(np.mean(v) - bias.mean()) < 4 * np.hypot(stats.sem(v), stats.sem(bias))
    assert np.mean(v) < -4 * stats.sem(v)


def board(draw, **setting):
    """Of 10,000 benchmarks the true rank of number one, and its score minus its true
    score.
    """
    drawn = draw(explore.leaderboards(), setting, 10_000)
    return np.array([[rank, over] for (rank, _), (over, _) in drawn]).T


def test_each_of_equal_systems_is_first_as_often(draw):
    ranks, _ = board(draw, gap=0.0, items=50)
    for rank in range(1, 11):
        check_rate(np.mean(ranks == rank), 0.1)


@pytest.mark.parametrize(("items", "gap"), [(50, 5.0), (500, 0.5)])
def test_independent_systems_are_first_as_often_as_their_binomials_say(
    items, gap, draw
):
    ranks, overs = board(draw, systems=5, items=items, gap=gap, shared=0)
    true, counts = (80 - gap * np.arange(5)) / 100, np.arange(items + 1)
    exactly = stats.binom.pmf(counts[:, np.newaxis], items, true)
    fewer = stats.binom.cdf(counts[:, np.newaxis] - 1, items, true)
    # The highest lot wins: a polynomial of degree four.
    lots, weights = np.polynomial.legendre.leggauss(8)
    chances, over = [], 0
    for i in range(5):
        lower = [
            fewer[:, j, np.newaxis] + exactly[:, j, np.newaxis] * (lots + 1) / 2
            for j in range(5)
            if j != i
        ]
        first = exactly[:, i] * (np.prod(lower, axis=0) @ weights / 2)
        chances.append(first.sum())
        over += first @ (100 * counts / items - 100 * true[i])
    assert sum(chances) == pytest.approx(1)
    for rank, chance in enumerate(chances, start=1):
        check_rate(np.mean(ranks == rank), chance)
    check_mean(overs, over)


@pytest.mark.parametrize("shared", [20, 90])
def test_the_better_of_two_is_first_as_often_as_its_binomials_say(shared, draw):
    ranks, _ = board(draw, systems=2, items=200, gap=2.0, shared=shared)
    alone = 200 - 2 * shared
    better, worse = (
        stats.binom.pmf(np.arange(alone + 1), alone, true) for true in (0.80, 0.78)
    )
    # From -alone on; where luck is shared, only the better gains.
    ahead = np.convolve(better, worse[::-1])
    ahead = np.convolve(
        ahead, stats.binom.pmf(np.arange(2 * shared + 1), 2 * shared, 0.02)
    )
    check_rate(np.mean(ranks == 1), ahead[alone + 1 :].sum() + ahead[alone] / 2)


def test_a_board_is_as_one_that_answers_item_by_item(draw):
    ranks, overs = board(draw)
    rng, true = np.random.default_rng(0), 80 - 0.5 * np.arange(10)
    wanted = []
    for _ in range(5000):
        luck = rng.uniform(0, 100, (500, 10))
        luck[:250] = luck[:250, :1]
        right = np.sum(luck < true, axis=0)
        first = np.argmax(right + rng.random(10))
        wanted.append((first == 0, right[first] / 5 - true[first]))
    first, over = np.transpose(wanted)
    check_rate(np.mean(ranks == 1), np.mean(first), others=5000)
    assert abs(np.mean(overs) - np.mean(over)) < 4 * np.hypot(
        stats.sem(overs), stats.sem(over)
    )


def test_the_number_one_of_a_table_is_first_again_as_often_as_in_resamples(draw):
    drawn = draw(explore.leaderboards(OWN_ANSWERS), {}, 10_000)
    rng, best = np.random.default_rng(0), np.argmax(OWN_ANSWERS.mean(axis=0))
    counts = np.array(
        [OWN_ANSWERS[rng.integers(80, size=80)].sum(axis=0) for _ in range(10_000)]
    )
    again = np.argmax(counts + rng.random(counts.shape), axis=1) == best
    check_rate(share(drawn, "best"), again.mean(), others=10_000)
