"""Every judge of Moss et al. on made-up rows whose verdict is known, for each word that
it can say.
"""

import numpy as np
import pytest
from grids import grid
from made_up import choosing, estimates, partitions, spread, torn, truth

from lab.data import released
from lab.papers import judging, published
from lab.papers.moss2018 import audit, groups, tasks
from lab.papers.moss2018.claims import JUDGES
from lab.papers.moss2018.claims import spread as of_spread
from lab.papers.moss2018.claims import worth as of_worth

YES, NO, OPEN = "replicated", "not replicated", "inconclusive"
ADVICE = {YES: "supported", NO: "not supported", OPEN: "cannot say"}
SIZES = {"rf": 49, "imdb": 49, "pos": 11, "treebank": 11, "lstm-reg": 9, "twitter": 5}


def size_of(task):
    return SIZES.get(task, 81)


@pytest.fixture
def asked(monkeypatch):
    """Ask a judge about made-up rows and files, with few draws of few groups; return
    what is recorded.
    """

    def few(*arguments, draws=0, **kinds):
        return judging.Resampled(*arguments, draws=10, **kinds)

    def fewer_groups(n_groups, *samples):
        return means_of(min(n_groups, 500), *samples)

    def ask(claim, rows, files, worth=None):
        monkeypatch.setattr(audit, "scores", lambda task, k: files[task, k])
        monkeypatch.setattr(released, "moss2018_truth", lambda: worth / 100)
        identity = f"moss2018/{claim}"
        evidence = JUDGES[claim](tasks.Record(rows, tasks.GRIDS))
        return judging.judged(
            published.claims()[identity], published.limits()[identity], evidence
        )

    means_of = groups.means_of
    for module in (of_spread, of_worth):
        monkeypatch.setattr(module, "Resampled", few)
    for module in (of_spread, groups):
        monkeypatch.setattr(module, "means_of", fewer_groups)
    monkeypatch.setattr(groups, "MANY", 500)
    monkeypatch.setattr(judging, "MOST_DRAWS", 2)
    # Straight lines stay as they are, whatever the reach.
    monkeypatch.setattr(audit, "smoothed", lambda values, reach=8: np.asarray(values))
    return ask


def joined(*tables):
    return [row for table in tables for row in table]


# --------------------------------------------------------------------------------------
# Estimates of one setting
# --------------------------------------------------------------------------------------

FOREST = estimates([("folds", 5), ("folds", 10), ("folds", 20), ("strata", 5)])


def fixed(width):
    """Estimates of one forest, evenly over so many points: their middle 95 % is 95 % of
    that.
    """
    return FOREST[200:] + estimates(
        [("folds", 5)], folds_5=0.5 + width / 100 * np.linspace(0, 1, 200)
    )


def alone(task, values):
    """Scores of a task whose first setting is always the best."""
    return np.c_[values, np.full((len(values), size_of(task) - 1), 0.1)]


VARIED = spread(0.7, 0.01, 60)
ALONE = {
    (task, k): alone(task, VARIED)
    for task in ("rf", "pos", "reuters", "lstm-reg")
    for k in (5, 10, 20)
}


@pytest.mark.parametrize(("word", "width"), [(YES, 2), (NO, 0.9), (OPEN, 1.06)])
def test_estimates_vary(asked, word, width):
    verdict, analyses = asked("estimates-vary", fixed(width), ALONE)
    assert (verdict["verdict"], verdict["first_verdict"]) == (word, word)
    spans = {line["analysis"]: line["estimate"] for line in analyses}
    assert spans["as judged"] == pytest.approx(0.95 * width, abs=0.01)
    assert spans["ten folds"] == pytest.approx(3.9, abs=0.1)
    assert spans["3.92 SDs, as if they were normal"] == pytest.approx(
        3.92 * width / np.sqrt(12), rel=0.02
    )


@pytest.mark.parametrize(
    ("word", "of_tweets"),
    [
        (YES, spread(0.7, 0.0007, 60)),
        (NO, spread(0.7, 0.0003, 60)),
        (OPEN, np.append(np.full(59, 0.7), 0.71)),
    ],
)
def test_partitions_are_random(asked, word, of_tweets):
    rows = joined(
        FOREST,
        *(
            partitions(t, k, alone(t, VARIED))
            for t in ("imdb", "treebank", "reuters")
            for k in (5, 10)
        ),
        partitions("twitter", 5, alone("twitter", of_tweets)),
    )
    verdict, analyses = asked("partitions-random", rows, ALONE)
    assert verdict["verdict"] == word
    assert analyses[0]["estimate"] == pytest.approx(1, rel=1e-3)


@pytest.mark.parametrize(("word", "apart"), [(YES, 3), (OPEN, 0.7), (NO, 0)])
def test_training_sets_differ(asked, word, apart):
    """Four partitions of each of five sets, of the setting of the one forest; sets lie
    so many SDs apart.
    """
    rows = []
    for sample, place in enumerate(spread(0, 1, 5)):
        scores = np.full((4, 49), 0.1)
        scores[:, 9] = spread(0.7 + 0.01 * apart * place, 0.01, 4)
        rows += partitions("imdb", 5, scores, sample=sample)
    verdict, analyses = asked("one-training-set", rows, {})
    assert verdict["verdict"] == word
    ratio = analyses[1]["estimate"]
    assert ratio == pytest.approx(np.sqrt(max(0, apart**2 - 1 / 4)), abs=0.01)


# --------------------------------------------------------------------------------------
# What is chosen
# --------------------------------------------------------------------------------------

RELEASED = ("rf", "pos", "reuters", "lstm-reg")


def chosen_evenly(task, settings, count=1000):
    return choosing(np.resize(settings, count), size_of(task))


@grid(
    ("word", "settings", "quarters", "commonest"),
    [
        (YES, [0, 10, 20, 30, 40], YES, 0.2),
        (YES, [0, 8, 16, 24, 32], NO, 0.2),
        (OPEN, [0, 6, 12, 18, 24], NO, 0.2),  # half of the grid, and no more
        (NO, [0, 16, 32], NO, 1 / 3),
        (NO, [20, 21, 22, 23, 24], NO, 0.2),  # a twelfth of the grid
        # Six in 25 may be a quarter of all.
        (OPEN, [0] * 6 + [40, 48] * 2 + [*range(15, 30)], OPEN, 0.24),
    ],
)
def test_choices_scatter(asked, word, settings, quarters, commonest):
    files = {
        (task, k): chosen_evenly(task, [0, 1]) for task in RELEASED for k in (5, 10, 20)
    }
    files["rf", 5] = chosen_evenly("rf", settings)
    own = partitions("imdb", 5, chosen_evenly("imdb", [20, 21], 60))
    verdict, analyses = asked("choice-scatters", own, files)
    # By the first rule our own forest was asked, of which all choose from two
    # neighbours.
    assert (verdict["verdict"], verdict["first_verdict"]) == (word, NO)
    found = {
        (line["analysis"], line["quantity"]): line["estimate"] for line in analyses
    }
    assert found["as judged", "reach"] == pytest.approx(np.ptp(settings) / 48)
    assert found["as judged", "commonest"] == pytest.approx(commonest, abs=0.01)
    assert found["our own forest", "reach"] == pytest.approx(1 / 48)
    words = {line["analysis"]: line["verdict"] for line in analyses}
    assert words["three quarters of the grid, not half"] == quarters


@pytest.mark.parametrize(
    ("word", "share"),
    [("consistent", 0.7), ("not consistent", 0.1), ("cannot say", 0.5)],
)
def test_the_majority_of_penalties(asked, word, share):
    grid = released.moss2018_grid("lstm-reg", as_run=True)
    (both,) = np.flatnonzero((grid == 1e-3).all(axis=1))
    rows = np.random.default_rng(0).permutation(
        torn(share, 60, both, 0, 9, margins=(0.0101, 0.01))
    )
    assert asked("lstm-reg-choice", [], {("lstm-reg", 5): rows})[0]["verdict"] == word


@grid(("tie", "chosen"), [("first", [1, 0]), ("last", [2, 3])])
def test_ties_are_broken_as_said_though_sums_are_rounded(tie, chosen):
    means = np.array([[0.1, 0.1 + 0.2, 0.3, 0.2], [0.5, 0.5, 0.5, 0.5 + 1e-16]])
    assert groups.choose(means, tie).tolist() == chosen


def test_any_of_equals_is_taken_as_often():
    found = groups.choose(np.tile([0.3, 0.2, 0.3], (3000, 1)), "any")
    assert np.bincount(found) / 3000 == pytest.approx([0.5, 0, 0.5], abs=0.03)


# --------------------------------------------------------------------------------------
# Repetitions, and fewer folds
# --------------------------------------------------------------------------------------


def between(share, margins):
    """Return a maker of partitions: a share prefers one setting, the rest another, by
    these margins.
    """

    def made(count, first, other, n_settings):
        scores = torn(share, count, first, other, n_settings, margins)
        return np.random.default_rng(0).permutation(scores)

    return made


def as_before(count, first, other, n_settings):
    """Partitions, and groups of any size, of which half prefer either setting."""
    scores = choosing(np.full(count, other), n_settings, best=0.5, rest=0.1)
    scores[:, first] = 0.5 + np.random.default_rng(0).permutation(
        spread(0, 0.01, count)
    )
    return scores


# Seven in ten prefer the first, which wins ties, so that eight partitions choose it
# nearly always; or one in ten prefers it by so much that it decides for all.
STEADIER = between(0.7, (0.0101, 0.01))
UNSTEADIER = between(0.1, (0.3, 0.01))


def searched(forest):
    """Our own searches, and the released ones; that of our forest is given."""
    kinds = dict.fromkeys(("reuters", "reuters-once", "reuters-words"), STEADIER) | {
        "imdb": forest
    }
    rows = joined(
        *(
            partitions(task, 5, kind(200, 0, size_of(task) - 1, size_of(task)))
            for task, kind in kinds.items()
        ),
        *(
            partitions("treebank", 5, STEADIER(12, 0, 10, 11), sample=s)
            for s in range(5)
        ),
        partitions("twitter", 5, as_before(6, 0, 4, 5)),
    )
    return rows, {
        (task, 5): STEADIER(200, 0, size_of(task) - 1, size_of(task))
        for task in RELEASED
    }


@pytest.mark.parametrize(
    ("word", "forest"), [(YES, STEADIER), (OPEN, as_before), (NO, UNSTEADIER)]
)
def test_repetitions_steady_the_choice(asked, word, forest):
    verdict, analyses = asked("choice-steadier", *searched(forest))
    assert verdict["verdict"] == word
    released_says = {
        line["verdict"] for line in analyses if line["analysis"] == "the released files"
    }
    assert released_says == {YES}
    # By its first rule the tweets count, which say nothing.
    assert verdict["first_verdict"] == (NO if word == NO else OPEN)
    line = next(line for line in analyses if line["quantity"] == "ratio, SVM C")
    # Of eight at least five prefer the second setting in 5.8 % of groups, of one 30 %.
    assert line["estimate"] == pytest.approx(np.sqrt(0.058 * 0.942 / 0.21), abs=0.08)


WIDE = {"rf": 48, "pos": 10, "lstm-reg": 8, "reuters": 80, "treebank": 10}
NARROW = {"rf": 1, "pos": 1, "lstm-reg": 3, "reuters": 10, "treebank": 1}


def at_equal_cost(task, k, place, count=200):
    kind = "reuters" if task.startswith("reuters") else task
    return as_before(count, 0, place[kind], size_of(kind))


@pytest.mark.parametrize(
    ("word", "ten", "five", "odd"),
    [
        (YES, WIDE, NARROW, "rf"),
        (OPEN, WIDE, WIDE, "rf"),
        (NO, NARROW, WIDE, "rf"),
        (NO, NARROW, WIDE, "reuters"),
    ],
)
def test_fewer_folds_at_equal_cost(asked, word, ten, five, odd):
    """With ten folds the choice is between settings far apart, with five between near
    ones; but for one.
    """

    def places(task, k):
        narrow = {5: NARROW, 10: WIDE, 20: WIDE}[k]
        return {5: five, 10: ten, 20: ten}[k] if task == odd else narrow

    files = {
        (t, k): at_equal_cost(t, k, places(t, k)) for t in RELEASED for k in (5, 10, 20)
    }
    rows = joined(
        *(
            partitions(task, k, at_equal_cost(task, k, places(task, k)))
            for task in ("reuters", "reuters-once", "reuters-words")
            for k in (5, 10)
        ),
        *(
            partitions(
                "treebank",
                k,
                at_equal_cost("treebank", k, places("treebank", k), count),
                sample=s,
            )
            for s in range(5)
            for k, count in ((5, 12), (10, 8))
        ),
    )
    files["reuters", 10] = files["reuters", 5]  # it is asked of our own runs
    verdict, analyses = asked("lower-k", rows, files)
    each = [line for line in analyses if line["analysis"] == "each of the 17"]
    # One search that goes the other way does not outweigh four.
    assert (each[0]["verdict"], verdict["verdict"]) == (ADVICE[word], ADVICE[YES])
    pairs = [line["quantity"] for line in each]
    assert len(pairs) == 2 + 3 + 3 + 6 + 3
    assert not any("input" in pair for pair in pairs)


# --------------------------------------------------------------------------------------
# Worth
# --------------------------------------------------------------------------------------


def line(task, step):
    """What settings are worth, in percent: better from each to the next."""
    return 60 + step * np.arange(size_of(task))


def systems(step, five, ten, steps=None):
    """The released forest, our own and the tagger choose between the worst setting and
    the best.
    """
    steps = {"rf": step, "imdb": step, "treebank": step} | (steps or {})

    def chosen(task, kind, count):
        return kind(count, 0, size_of(task) - 1, size_of(task))

    rows = joined(
        partitions("imdb", 5, chosen("imdb", five, 600)),
        partitions("imdb", 10, chosen("imdb", ten, 600)),
        *(
            partitions("treebank", k, chosen("treebank", kind, count), sample=sample)
            for sample in range(5)
            for k, kind, count in ((5, five, 12), (10, ten, 8))
        ),
        truth("imdb", line("imdb", steps["imdb"]) / 100, items=10**6),
        *(
            truth(
                "treebank",
                line("treebank", steps["treebank"]) / 100,
                items=10**6,
                sample=s,
            )
            for s in range(5)
        ),
    )
    files = {
        ("rf", k): chosen("rf", kind, 600)
        for k, kind in ((5, five), (10, ten), (20, ten))
    }
    return rows, files, line("rf", steps["rf"])


# What is worth least is chosen by half; by three in ten, and by few eights; by one in
# ten; or by few, and many tens.
HALF = between(0.5, (0.01, 0.0101))
THREE_IN_TEN = between(0.3, (0.01, 0.0101))
ONE_IN_TEN = between(0.1, (0.01, 0.0101))
DECIDES = between(0.02, (0.9, 0.01))


@pytest.mark.parametrize(
    ("claim", "word", "step", "five"),
    [
        ("tuning-unreliable", YES, 0.6 / 48, THREE_IN_TEN),
        ("tuning-unreliable", OPEN, 0.5 / 48, THREE_IN_TEN),
        ("tuning-unreliable", NO, 0.3 / 48, THREE_IN_TEN),
        ("often-suboptimal", YES, 0.11 / 48, STEADIER),
        ("often-suboptimal", OPEN, 0.11 / 48, HALF),
        ("often-suboptimal", NO, 0.11 / 48, THREE_IN_TEN),
        ("often-suboptimal", NO, 0.09 / 48, STEADIER),
        ("often-suboptimal", NO, 0.11 / 48, DECIDES),
        ("stable-is-better", YES, 0.1, THREE_IN_TEN),
        ("stable-is-better", OPEN, 0.0, THREE_IN_TEN),
        ("stable-is-better", NO, -0.1, THREE_IN_TEN),
        ("recommendation-jk", YES, 0.1, ONE_IN_TEN),
        ("recommendation-jk", OPEN, 0.0, ONE_IN_TEN),
        ("recommendation-jk", NO, -0.1, ONE_IN_TEN),
        ("variance-first", YES, 0.1, ONE_IN_TEN),
        ("variance-first", OPEN, 0.0, ONE_IN_TEN),
        ("variance-first", NO, -0.1, ONE_IN_TEN),
    ],
)
def test_what_choices_are_worth(asked, claim, word, step, five):
    verdict, analyses = asked(claim, *systems(step, five, THREE_IN_TEN))
    assert verdict["verdict"] == (
        ADVICE[word] if claim == "recommendation-jk" else word
    )
    # Nothing is tied and nothing is smoothed here.
    first = [
        other["estimate"] for other in analyses if other["analysis"] == "as judged"
    ]
    for name in of_worth.OTHER_WAYS:
        assert [
            other["estimate"] for other in analyses if other["analysis"] == name
        ] == pytest.approx(first)


@pytest.mark.parametrize(
    ("claim", "odd", "now", "first"),
    [
        ("stable-is-better", "rf", NO, YES),  # the first rule asked our own runs
        ("stable-is-better", "treebank", YES, NO),
        ("recommendation-jk", "rf", "not supported", "supported"),
        ("recommendation-jk", "imdb", "supported", "not supported"),
        ("recommendation-jk", "treebank", "not supported", "not supported"),
        ("variance-first", "rf", NO, YES),
        ("variance-first", "imdb", NO, NO),
        ("variance-first", "treebank", NO, NO),
    ],
)
def test_one_system_that_goes_the_other_way(asked, claim, odd, now, first):
    five = ONE_IN_TEN if claim != "stable-is-better" else THREE_IN_TEN
    found, lines = asked(claim, *systems(0.1, five, THREE_IN_TEN, {odd: -0.1}))
    assert (found["verdict"], found["first_verdict"]) == (now, first)
    # With twenty folds, at eight-fold cost or by themselves the files are alone.
    alone = {
        line["quantity"]
        for line in lines
        if line["analysis"].startswith(("twenty", "at equal", "8-5", "the released"))
    }
    pairs = {
        "variance-first": [""],
        "recommendation-jk": [
            f", {pair}"
            for pair in ("2-5 after 1-10", "4-5 after 1-20", "8-5 after 1-5")
        ],
    }
    assert alone == {f"gain, released forest{pair}" for pair in pairs.get(claim, [])}


def test_an_error_of_the_truth_is_in_the_interval(asked):
    rows, files, worth = systems(0.1, THREE_IN_TEN, THREE_IN_TEN)
    rows = [
        row
        for row in rows
        if row["unit"].get("table") != "truth" or row["unit"]["task"] != "imdb"
    ]
    rows += truth("imdb", worth / 100, items=10**6, variance=200.0)
    assert asked("stable-is-better", rows, files, worth)[0]["verdict"] == OPEN


def test_a_claim_whose_runs_are_not_there_has_no_finding(asked):
    for claim in (
        "estimates-vary",
        "one-training-set",
        "often-suboptimal",
        "choice-steadier",
    ):
        with pytest.raises(judging.MissingRunsError):
            asked(
                claim,
                [],
                {key: alone(key[0], VARIED) for key in ALONE},
                line("rf", 0.1),
            )
