"""What is drawn, and how often: the script's draws against their twin in Python, its
tallies and the points of its chart against evalkit and exact calculation.
"""

import json

import numpy as np
import pytest
from bs4 import BeautifulSoup
from chapter_explorers import OWN_ANSWERS, chapter_explorer, plays
from scipy import stats

import evalkit as ek
from evalkit import explore
from evalkit.explore._play import ASSETS, LONG, LONG_SEED, SCRIPTS
from lab import pages
from lab.record import tables

DRAWN = """
const [page, setting, seed, draws] = arguments;
const game = evalkitGames.games[page.game](page.data, setting);
const tally = evalkitPictures.emptyTally(game), marks = [];
for (let i = 1; i <= draws; i++) {
  const drawn = game.draw(evalkitGames.chance(seed, i));
  evalkitPictures.count(game, tally, drawn);
  marks.push(drawn.marks.map(({ value, kind, low, high }) => [value, kind, low, high].filter((part) => part !== undefined)));
}
return { marks, cells: tally.cells, exact: game.exact?.() ?? null, note: game.note ?? null,
         axis: game.axis, bins: game.bins, x: game.x ?? null, results: evalkitPictures.results(page, game, tally) };
"""
# For each game settings at its edges, too.
SETTINGS = [
    ("papers", {"a": 1, "b": 40}),
    ("tuning", {}),
    ("tuning", {"trials": 40, "unit": "trials"}),
    ("own tuning", {"trials": 10, "unit": "seconds"}),
    ("splits", {"splits": 20, "scheme": "grouped"}),
    ("splits", {"pair": "SVM, logistic"}),
    ("baselines", {}),
    ("baselines", {"share": 99, "common": 100, "rare": 0}),
    ("own baselines", {"share": 50, "rare": 100}),
    ("intervals", {}),
    ("intervals", {"kind": "t"}),
    ("intervals", {"size": 2, "kind": "t0", "shape": "skewed"}),
    ("intervals", {"size": 5, "kind": "percentile", "shape": "some runs fail"}),
    ("mcnemar", {"a_only": 40, "b_only": 3}),
    ("no difference", {}),
    ("repeated_splits", {}),
    ("repeated_splits", {"splits": 30, "effect": 0.5}),
    ("repeated_splits", {"splits": 2, "effect": 2.0}),
    ("seeds", {}),
    ("seeds", {"pair": "MLP and MLP", "count": 1, "gain": 0.5}),
    ("seeds", {"count": 5, "items": "300"}),
    ("expected_maximum", {}),
    ("expected_maximum", {"size": 5, "n": 7}),
    ("leaderboards", {}),
    ("leaderboards", {"systems": 2, "items": 50, "gap": 5.0, "shared": 90}),
    ("leaderboards", {"systems": 50, "items": 500, "gap": 2.0, "shared": 20}),
    ("leaderboards", {"systems": 25, "items": 50, "gap": 0.0, "shared": 0}),
    ("jkfold", {}),
    ("jkfold", {"j": 16, "k": "20", "task": "handwritten digits"}),
    ("own jkfold", {"j": 3}),
    ("templates", {}),
    ("own leaderboards", {"items": 320}),
    ("own expected_maximum", {"size": 10, "n": 10}),
    ("own intervals", {}),
    ("own seeds", {}),
]


@pytest.fixture(scope="module")
def browser(chromium, tmp_path_factory):
    """Return a function from a play and a setting to what the script makes of it."""
    blank = tmp_path_factory.mktemp("play") / "blank.html"
    scripts = "".join(
        f"<script src='{(ASSETS / s).as_uri()}'></script>" for s in SCRIPTS[:4]
    )
    blank.write_text(
        f"<!doctype html><meta charset='utf-8'>{scripts}", encoding="utf-8"
    )

    def drawn(play, setting, draws, seed=3):
        chromium.get(blank.as_uri())
        page = BeautifulSoup(play.page(), "html.parser")
        held = json.loads(page.find("script", type="application/json").string)
        setting = play.start | setting
        return chromium.execute_script(DRAWN, held, setting, seed, draws)

    return drawn


@pytest.fixture(scope="module")
def draw(browser):
    """Return a function from a play and a setting to the marks of its draws."""
    return lambda play, setting, draws: browser(play, setting, draws)["marks"]


@pytest.mark.parametrize(("name", "setting"), SETTINGS)
def test_a_thousand_draws_are_those_of_their_twin(name, setting, browser):
    play = plays(name)
    setting = play.start | setting
    found = browser(play, setting, 1000)
    wanted = play.drawn(setting, seed=3, draws=1000)
    for i, (values, kinds) in enumerate(wanted.piles.values()):
        lane = [marks[i] for marks in found["marks"]]
        assert [mark[0] for mark in lane] == pytest.approx(list(values), abs=1e-7)
        assert [mark[1] for mark in lane] == list(kinds)
    if wanted.ends is not None:
        ends = [marks[0][2:] for marks in found["marks"]]
        assert np.array(ends) == pytest.approx(wanted.ends, abs=1e-7)
    if wanted.cells is not None:
        assert found["cells"] == list(wanted.cells)
    else:
        assert found["axis"] == pytest.approx(wanted.axis)
        assert found["bins"] == wanted.bins
    assert found["note"] == wanted.note
    # The point that it leaves, and the formula of its curve.
    point = play.point(setting, seed=3, draws=1000)
    assert found["results"].keys() == point.keys()
    for key, ends in point.items():
        assert [found["results"][key][end] for end in ("y", "low", "high")] == (
            pytest.approx(ends, abs=1e-7)
        )
    assert bool(found["exact"]) == bool(play.exact and play.exact(setting))
    if found["exact"]:
        exact = {key: found["exact"][key] for key in point}
        assert exact == pytest.approx(
            {key: play.exact(setting)[key] for key in point}, abs=1e-9
        )
    if play.law.x is None:
        assert found["x"] == play.place(setting)


EXACT = ["papers", "tuning", "baselines", "mcnemar", "expected_maximum"]


@pytest.mark.parametrize("name", EXACT)
def test_ten_thousand_draws_come_to_the_curve(name, browser):
    play = plays(name)
    rng = np.random.default_rng(len(name))
    for _ in range(3):
        setting = {
            c.name: (
                int(rng.integers(3, 30))
                if c.typed
                else c.values[rng.integers(len(c.values))]
            )
            for c in play.controls
        }
        found = browser(play, setting, 10_000)["results"]
        for key, (_, low, high) in play.point(setting, seed=3, draws=10_000).items():
            error = max((high - low) / (2 * 1.96), 1e-9)
            assert abs(found[key]["y"] - play.exact(setting)[key]) <= 4 * error


def test_the_curve_that_has_no_formula_is_the_scripts(browser):
    for name in ("splits", "intervals", "seeds", "leaderboards", "jkfold", "templates"):
        play = plays(name)
        place, ends = play.curve(play.start)[1]
        found = browser(play, {play.law.x: place}, LONG, LONG_SEED)["results"]
        assert {key: one["y"] for key, one in found.items()} == pytest.approx(ends)


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


def test_searches_choose_as_often_the_same_as_evalkit_counts(draw):
    recorded = tables.load_recorded("grids", "partitions").query(
        "task == 'docstrings' and k == 10 and sample == 0"
    )
    scores = tables.accuracies(recorded)
    table = ek.choice_variability(scores, [4], n_groups=20_000, rng=0).table
    drawn = draw(chapter_explorer("jkfold"), {"j": 4, "k": "10"}, 10_000)
    check_rate(share(drawn, "same"), table.agreement[4], others=5000)
    check_rate(share(drawn, "tied", 1), table.tied[4], others=5000)


def test_templates_favour_a_model_as_often_as_resampled_answers(draw):
    play = chapter_explorer("templates")
    right = pages.right_of_models()
    gap = (
        right["Qwen1.5-14B"].astype(int) - right["gpt-4-0613"].astype(int)
    ).to_numpy()
    rng = np.random.default_rng(0)
    wanted = [gap[rng.integers(900, size=20)].sum(axis=0) > 0 for _ in range(10_000)]
    drawn = draw(play, {"items": 20}, 10_000)
    for lane, one in enumerate(np.mean(wanted, axis=0)):
        check_rate(share(drawn, "a", lane), one, others=10_000)


def test_an_average_of_splits_is_ahead_as_often_as_resampled_ones(draw):
    accuracy = tables.load_recorded("resplits", "splits").pivot(
        index=["scheme", "split"], columns="system", values="accuracy"
    )
    gap = (accuracy.svm - accuracy.linear).round(6)["grouped"].to_numpy()
    rng = np.random.default_rng(0)
    wanted = np.mean(
        [gap[rng.integers(100, size=5)].mean() > 1e-9 for _ in range(10_000)]
    )
    setting = {"splits": 5, "pair": "SVM, logistic", "scheme": "grouped"}
    drawn = draw(chapter_explorer("splits"), setting, 10_000)
    check_rate(share(drawn, "b"), wanted, others=10_000)


@pytest.mark.parametrize("counts", [(15, 6), (6, 5), (100, 70)])
def test_coins_are_uneven_as_often_as_the_exact_p_says(counts, draw):
    drawn = draw(explore.mcnemar(*counts), {}, 10_000)
    check_rate(share(drawn, "uneven"), ek.mcnemar(*counts).pvalue)


def test_the_worse_of_two_is_ahead_as_often_as_all_pairs_of_seeds_say(draw):
    play = chapter_explorer("seeds")
    scores = np.array(play.data["pools"]["LSTM"]["scores"])
    setting = {"pair": "LSTM and LSTM", "count": 1, "gain": 0.5}
    drawn = draw(play, setting, 10_000)
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
