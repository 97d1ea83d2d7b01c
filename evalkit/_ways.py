"""The ends of the decision which test someone needs: each a call, and what it is worth.

`evalkit.which_test` leads to them.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Way:
    """An end of the decision: a call, and what it is worth.

    Attributes
    ----------
    key : str
        Its label on the page, behind "which-".
    title : str
    varies : str
        What is drawn at random: the answer is about other draws of it.
    example : str
        Code that runs after `SETUP`.
    answers, cannot : str
        What it says, and what it does not.
    write : str
        How to write it down; capital letters stand for numbers.
    section : str
        The label of the section that explains it.
    """

    key: str
    title: str
    varies: str
    example: str
    answers: str
    cannot: str
    write: str
    section: str

    @property
    def calls(self):
        """The public functions of the example, in order."""
        return tuple(dict.fromkeys(re.findall(r"\bek\.(\w+)\(", self.example)))


SETUP = '''\
import numpy as np
import pandas as pd

import evalkit as ek
from evalkit import datasets, recorded
from evalkit.experiments.pools import unpack_predictions

items = recorded.load_recorded("pools", "test_items")
seeds = recorded.load_recorded("pools", "seeds")
search = recorded.load_recorded("pools", "search")
splits = recorded.load_recorded("resplits", "splits")
nine = recorded.load_recorded("nine_datasets", "scores")
nine = nine.pivot(index="dataset", columns="system", values="accuracy")
gold = items.package.map(datasets.PACKAGES.index).to_numpy()


def predictions(system, n=5):
    """The answers of n networks of one kind: a row for each."""
    packed = seeds.test_predictions[seeds.system == system][:n]
    return np.array([unpack_predictions(p, len(gold)) for p in packed])


says_mlp, says_lstm = predictions("mlp"), predictions("lstm")
right_mlp, right_lstm = says_mlp == gold, says_lstm == gold
'''

MODELS = Way(
    "models",
    "Two fitted models, right or wrong on each item",
    "the test items",
    """\
table = ek.contingency(gold, says_mlp[0], says_lstm[0])
print(table)
print(ek.mcnemar(table.n10, table.n01))
""",
    "Whether these two fitted models would be right equally often on other items like these. Two files "
    "are joined by `ids=`, never by row.",
    "What another training seed would give; and it takes the items for independent. These come from "
    "modules, so the next way but one is the right one here.",
    "On N items A alone was right on n10 and B alone on n01 (exact McNemar, p = P).",
    "sec-mcnemar",
)
SCORES = Way(
    "scores",
    "Two fitted models, a score for each item",
    "the test items",
    """\
# The score of an item: the share of the five networks that are right.
score_mlp, score_lstm = right_mlp.mean(axis=0), right_lstm.mean(axis=0)
print(ek.crossed_difference(score_mlp, score_lstm))
print(ek.sign_flip(score_mlp, score_lstm, rng=0))
""",
    "How far apart the mean scores are (errors, a sentence's BLEU, a rating), with an interval, and a "
    "test that assumes no shape.",
    "What another training seed would give. Below some twenty items trust the test more than the interval.",
    "A scored D more than B per item (95 % interval L to H over N items; sign-flip test, p = P).",
    "sec-what-varies",
)
GROUPS = Way(
    "groups",
    "Two fitted models, items in groups",
    "the groups: documents, speakers, modules",
    """\
found = ek.crossed_difference(right_mlp[0], right_lstm[0], items.module)
print(found)
print(f"modules: {items.module.nunique()}, as {found.effective_groups:.0f}")
right = pd.DataFrame({"a": right_mlp[0], "b": right_lstm[0]})
sums = right.groupby(items.module).sum()
print(ek.sign_flip(sums.a, sums.b, rng=0))
""",
    "Whether these two models would differ on items of other groups. With few or unequal groups the "
    "interval has its own degrees of freedom, and is refused where none is known to hold.",
    "What another training seed would give.",
    "A was D points better than B (95 % interval L to H over G groups, effectively E; CR2, Bell and "
    "McCaffrey).",
    "sec-what-varies",
)
WHOLE = Way(
    "whole",
    "Two fitted models, one number for the whole set",
    "the test items",
    """\
from sklearn.metrics import f1_score


def f1(says, gold=gold):
    return f1_score(gold, says, average="macro")


def gap(i):  # on a draw of items, the same for both
    i = i.astype(int)
    return f1(says_mlp[0][i], gold[i]) - f1(says_lstm[0][i], gold[i])


numbers = np.arange(len(gold))
options = {"n_resamples": 199, "rng": 0}
print(ek.bootstrap_interval(numbers, gap, method="percentile", **options))
print(ek.sign_flip(says_mlp[0], says_lstm[0], statistic=f1, **options))
""",
    "Whether F1, RMSE, a correlation or an area under a curve differs. The interval draws items, the same "
    "for both; the test exchanges the two answers item by item.",
    "What another training seed would give. Items in groups: draw whole groups.",
    "A's F1 was D higher than B's (N items; answers exchanged item by item, p = P).",
    "sec-mcnemar",
)
ANSWERS = Way(
    "answers",
    "Two fitted models, several answers to each item",
    "the test items; answers to one item are nested in it",
    """\
# Made up: 500 items, five sampled answers of each model.
chances = np.random.default_rng(0).beta([[3], [4]], 1, size=(2, 500))
a, b = np.random.default_rng(1).random((2, 5, 500)) < chances[:, None]
print(ek.crossed_difference(a, b, rows="answers"))
""",
    "Whether the models would differ on other items like these, each item by the mean of its answers. "
    "More answers make each mean surer; they are no more items.",
    "Anything about the best of several answers: that is pass@k, and has its own estimate.",
    "Over N items with K sampled answers each (temperature T), A was right D points more often (95 % "
    "interval L to H).",
    "sec-what-varies",
)
PREFERENCES = Way(
    "preferences",
    "Two models judged side by side",
    "the test items; several judges of an item are nested in it",
    """\
# Made up: of three annotators, how many preferred A, how many B, how many
# neither, on 120 items.
rng = np.random.default_rng(1)
votes = rng.multinomial(3, [0.42, 0.36, 0.22], size=120)
for_a, for_b = votes[:, 0], votes[:, 1]
wins, losses = np.sum(for_a > for_b), np.sum(for_b > for_a)
print(ek.mcnemar(int(wins), int(losses)))
print(ek.sign_flip(for_a, for_b, rng=0))
""",
    "Whether A is preferred on more items than B (the majority of each item: a sign test, ties apart), "
    "or gets more votes an item.",
    "How often the tied items matter: print their share. Nor what other annotators would say: with the "
    "same few judges throughout, take the way for raters.",
    "Of N items annotators preferred A on W, B on L, and neither on T (sign test, p = P).",
    "sec-mcnemar",
)
RATERS = Way(
    "raters",
    "Several raters score both models' answers",
    "the raters and the items, both at once",
    """\
# Made up: four raters give 80 answers of each model 1 to 5 points.
rng = np.random.default_rng(0)
strict, hard = rng.normal(size=(4, 1)), rng.normal(size=80)
points = 3 + strict + hard + rng.normal(size=(2, 4, 80))
points[0] += 0.3
a, b = np.clip(points.round(), 1, 5)
print(ek.crossed_difference(a, b, rows="paired"))
""",
    "Whether other raters would prefer A on other items. Points are taken for numbers: a rater's 4 is one "
    "better than a 3.",
    "How well raters agree: report Krippendorff's alpha or another measure beside it. Two raters are too "
    "few.",
    "R raters gave A's answers D points more (95 % interval L to H over raters and N items).",
    "sec-what-varies",
)
SEEDS_AND_ITEMS = Way(
    "seeds-items",
    "Several trained models of each, with their answers",
    "the training seeds and the test items, both at once",
    """\
print(ek.crossed_difference(right_mlp, right_lstm, items.module))
""",
    "Whether one *method* is better on this kind of items: other seeds, other items. Leave the groups out "
    "where items are independent; say `rows='paired'` if run i of both shares a split or a prompt.",
    "What other training data, or another search for settings, would give.",
    "Over S seeds of each and N items in G groups A was D points better (95 % interval L to H, seeds and "
    "items crossed).",
    "sec-seeds-and-modules",
)
SEVERAL_MODELS = Way(
    "several-models",
    "Three models or more on one test set",
    "the test items",
    """\
rivals = {f"lstm {i}": says_lstm[i] for i in range(3)}
pvalues = []
for name, says in rivals.items():
    table = ek.contingency(gold, says_mlp[0], says)
    pvalues.append(ek.mcnemar(table.n10, table.n01).pvalue)
print(pd.Series(ek.holm(pvalues), index=rivals).round(3).to_string())
""",
    "Which of them differ from one that was named beforehand, all errors counted together.",
    "Which is the best of many that were tried: the list must hold all of them.",
    "Compared with A (exact McNemar, Holm over M models), B and C differ (p = P, Q).",
    "sec-many",
)
SEEDS = Way(
    "seeds",
    "One score for each run; the runs differ in the seed",
    "the seed, and nothing else",
    """\
a, b = (seeds.test[seeds.system == system][:5] for system in ("mlp", "lstm"))
print(ek.difference_interval(a, b, paired=False))
""",
    "Whether the mean over seeds differs *on these test items*. Seed 7 of one system has nothing in "
    "common with seed 7 of the other: two samples, Welch's t.",
    "Whether the method is better on other items: all runs share the same test set, and with twenty seeds "
    "this test calls equal methods different about every other time. Save the answers, and take the way "
    "before.",
    "Mean accuracy over S seeds differed by D (95 % interval L to H, Welch; one test set of N items).",
    "sec-difference",
)
SPLITS = Way(
    "splits",
    "One score for each random split of one data set",
    "which items train and which test; the splits overlap",
    """\
ours = splits[splits.scheme == "stratified"]
table = ours.pivot(index="split", columns="system", values="accuracy")[:10]
sizes = {name: int(ours[name].iloc[0]) for name in ("n_train", "n_test")}
print(ek.corrected_t(table.linear, table.naive_bayes, **sizes))
""",
    "Whether the systems differ on this data set, the overlap of the splits allowed for. Several seeds in "
    "each split: average them first, one mean a split. Cross-validation: a heuristic, but no worse one; "
    "`n_train` and `n_test` are those of a fold.",
    "What another data set would give. More splits do not help for ever. Folds that also chose the "
    "settings flatter: choose inside each training part.",
    "Over J random splits (N items to train, M to test) A was D points better (corrected resampled t, p = "
    "P).",
    "sec-dependent",
)
SETTINGS = Way(
    "settings",
    "One score for each run; the runs differ in their settings",
    "settings and seeds, as a random search draws them",
    """\
a, b = (search[search.system == system] for system in ("mlp", "lstm"))
pools = a.validation, a.test, b.validation, b.test
for n in (1, 5, 20):
    print(ek.budget_difference(*pools, n))
costs = a.seconds.mean(), b.seconds.mean()
print(ek.budget_difference(*pools, 50, seconds=costs))
""",
    "Which system is better once each gets the same budget, in runs or in seconds: the expected test "
    "score of the run that is best on validation.",
    "Anything about a grid, a guided search or pruned runs, which are no independent draws (`Trials` of "
    "them are refused); or about budgets above a fifth of the runs you have.",
    "Of N random settings each, the best of n by validation tested D points better for A (95 % interval L "
    "to H).",
    "chapter-tuning",
)
ONE_RUN = Way(
    "one-run",
    "One run of each, and one number",
    "nothing that you can see",
    """\
print(ek.proportion_interval(1789, 3000))
print(ek.mcnemar_range(1789, 1771, 3000))
""",
    "How far off each accuracy could be on other items, and between which p-values a test of the two "
    "models must lie. Save the answers, and it is one p-value.",
    "Anything about the method: another seed was not tried. If one more run can be paid for, run another "
    "seed of the *baseline* first.",
    "One run each, A% and B% of N items (95 % intervals L to H and L to H); seeds were not varied.",
    "sec-mcnemar",
)
TWO_ON_DATA_SETS = Way(
    "datasets",
    "Two systems on several data sets, or benchmarks",
    "the data set",
    """\
print(ek.wilcoxon(nine["linear"], nine["tree"]))
print(ek.difference_interval(nine["linear"], nine["tree"], paired=True))
""",
    "Whether one of them is better on other data sets like these. Several runs on a data set count once, "
    "by their mean; an interval is of the mean difference.",
    "Which data set shows it: for that test each by its items, and adjust by Holm. With five or fewer no "
    "two-sided p of this test is below 0.0625; the t interval can do better, if it may be trusted.",
    "On K data sets A was better on W (signed-rank, p = P); mean difference D (95 % interval L to H).",
    "sec-datasets",
)
MANY_ON_DATA_SETS = Way(
    "systems",
    "Three systems or more, or thirty, on several data sets",
    "the data set",
    """\
print(ek.compare_systems(nine, control="linear").pairs.round(3).to_string())
""",
    "Whether the systems differ at all (Friedman), and which differ from one that was named beforehand "
    "(`control=`), or each from each. With thirty systems there are 435 pairs, and hardly a p-value "
    "survives: name a control.",
    "Which is best. A missing score is refused, not ranked.",
    "On K data sets (Friedman, p = P) A was better than B on W and worse on L (signed-rank, Holm over M, "
    "p = Q).",
    "sec-datasets",
)
PUBLISHED = Way(
    "published",
    "Printed: mean, spread and number of runs",
    "what the authors varied; look for it",
    """\
a, b = (91.3, 0.4, 5), (90.6, 0.5, 5)
for spread in ("sd", "se"):
    print(spread, ek.from_summary(a, b, spread=spread))
""",
    "Welch's interval and test of the two means, if the runs were independent. Find out whether the "
    "spread is a standard deviation or a standard error: it turns the verdict here.",
    "Anything if the runs were splits of one data set, or the best of several.",
    "From the printed means, standard deviations and numbers of runs: D (95 % interval L to H, Welch).",
    "sec-difference",
)
PUBLISHED_ACCURACIES = Way(
    "accuracies",
    "Printed: two accuracies on the same items",
    "the test items",
    """\
print(ek.mcnemar_range("91.3", "90.8", 1000))
print(list(ek.possible_counts("91.37", 300)) or "no count of 300 is 91.37 %")
""",
    "Between which p-values McNemar's test must lie, whatever the predictions were; and whether a printed "
    "score is possible at all.",
    "How many runs each number is the best of, which may matter more. A mean over runs is no count.",
    "From the printed accuracies on N items McNemar's p lies between P and Q.",
    "sec-mcnemar",
)
AGAINST_PRINTED = Way(
    "own-printed",
    "Your own runs against one printed number",
    "your seed; of theirs you have one draw",
    """\
ours = seeds.test[seeds.system == "mlp"]
print(ek.prediction_interval(ours))
print(0.61 in ek.prediction_interval(ours))
""",
    "Where one more of your runs would lie. A printed number inside it could be a run of your system: no "
    "difference is shown. Printed with a spread and a number of runs, take the way for printed means.",
    "That a number outside it is another system: it may be the best of several, or of another split.",
    "The published score lies inside (outside) the 95 % prediction interval of our S runs, L to H.",
    "chapter-intervals",
)
POWER = Way(
    "power",
    "Nothing has been run yet",
    "what you decide to draw",
    """\
def disagreements(rng):
    n10, n01, _ = rng.multinomial(1000, [0.06, 0.04, 0.90])
    return int(n10), int(n01)


def test(counts):
    return ek.mcnemar(*counts)


print(ek.power(test, disagreements, n_simulations=500, rng=0))
print(ek.seeds_needed(0.01, sd=0.01), "seeds of each")
""",
    "How often the test would find the difference that you care about: here two points of accuracy on "
    "1,000 items, and one standard deviation of the seeds.",
    "Which difference would matter. Much below 80 %, get more items, or more seeds, before you run.",
    "A difference of D would be found with N items in P % of cases.",
    "sec-power",
)
EQUAL = Way(
    "equal",
    "To claim that two systems are as good as each other",
    "whatever varied in the difference",
    """\
found = ek.crossed_difference(right_mlp, right_lstm, items.module)
print(ek.equivalence(found, 0.02))
""",
    "Whether the difference lies inside a margin fixed beforehand, and the chances of better, same and "
    "worse. A large p of a test of no difference does not say this.",
    "Which margin would not matter: that is yours to argue.",
    "A and B were equivalent up to M points (90 % interval L to H inside the margin, two one-sided tests, "
    "p = P).",
    "sec-power",
)
MANY = Way(
    "many",
    "More than one comparison: variants, metrics, a leaderboard",
    "whatever the single tests say",
    """\
print(ek.holm([0.004, 0.012, 0.030, 0.200, 0.650]).round(3))
""",
    "Which differences remain when all that were tested are counted.",
    "It cannot undo a choice that is not in the list, such as ten variants that were tried and not reported.",
    "The p-values are adjusted by Holm for the M comparisons made.",
    "sec-many",
)
