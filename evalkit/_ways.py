"""Where the decision "Which test do I need?" ends: each time in a call, and in what it is worth.

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
        What it says, and what it does not. A title in double quotes refers to another way.
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
    "Whether these two fitted models would be right equally often on other items like these. If the answers "
    "come from two files, give `ids=`: joined by row, a file in another order pairs the wrong answers.",
    "What another training seed would give. It also takes the items to be independent. The lines of this "
    'example come from modules, so the right way for them is "Two fitted models, items in groups".',
    "Of N items, A alone got n10 right and B alone n01 (exact McNemar test, p = P).",
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
    "How far apart the mean scores are, with an interval, and a test that needs no normal distribution.",
    "What another training seed would give. With fewer than about twenty items, trust the test more than "
    "the interval.",
    "A scored D higher than B per item (95 % interval L to H over N items; sign-flip test, p = P).",
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
    "Whether these two models would differ on items from other groups. The interval allows for few and "
    "unequal groups; where none is known to hold, it is refused.",
    "What another training seed would give.",
    "A was D points better than B (95 % interval L to H over G groups, worth E equal ones; CR2 with Bell and "
    "McCaffrey's degrees of freedom).",
    "sec-few-groups",
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
    "Whether F1, RMSE, a correlation or the area under a curve differs. The interval draws the same items "
    "for both systems; the test swaps their answers, item by item.",
    "What another training seed would give. It takes the items to be independent: if they come in groups, "
    "draw whole groups with `group_interval`.",
    "A's F1 was D higher than B's (95 % percentile interval L to H over N items; answers swapped item by "
    "item, p = P).",
    "sec-interval-of-f1",
)
ANSWERS = Way(
    "answers",
    "Two fitted models, several answers to each item",
    "the test items; the answers to one item are nested in it",
    """\
# Made up: 500 items, five sampled answers from each model.
chances = np.random.default_rng(0).beta([[3], [4]], 1, size=(2, 500))
a, b = np.random.default_rng(1).random((2, 5, 500)) < chances[:, None]
print(ek.crossed_difference(a, b, rows="answers"))
""",
    "Whether the models would differ on other items like these, when each item counts by the mean of its "
    "answers. More answers make that mean more precise; they do not make more items.",
    "Anything about the best of several answers: see pass@k in the chapter on the expected maximum.",
    "Over N items with K sampled answers each (temperature T), A was right D points more often than B (95 % "
    "interval L to H).",
    "sec-seeds-and-modules",
)
PREFERENCES = Way(
    "preferences",
    "Two models judged side by side",
    "the test items; the judges of one item are nested in it",
    """\
# Made up: of three annotators, how many preferred A, how many B, how many
# neither, on 120 items.
rng = np.random.default_rng(1)
votes = rng.multinomial(3, [0.42, 0.36, 0.22], size=120)
for_a, for_b = votes[:, 0], votes[:, 1]
wins, losses = np.sum(for_a > for_b), np.sum(for_b > for_a)
print(f"{wins} for A, {losses} for B, {np.sum(for_a == for_b)} tied")
print(ek.mcnemar(int(wins), int(losses)))
print(ek.sign_flip(for_a, for_b, rng=0))
""",
    "Whether more items go to A than to B, each by the majority of its judges (a sign test, which leaves "
    "ties out), and whether A gets more votes per item.",
    "How much the tied items matter: print how many there are. Nor what other judges would say: if the same "
    'few judged every item, see "Several raters score both models\' answers".',
    "Of N items, the judges preferred A on W and B on L; T were tied (sign test, p = P).",
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
    "Whether other raters would give A more points on other items. Points are treated as numbers: from 1 to "
    "2 is as far as from 3 to 4.",
    "How well the raters agree: report Krippendorff's alpha or another measure as well. Two raters are too "
    "few.",
    "R raters gave A's answers D points more than B's (95 % interval L to H over raters and N items).",
    "sec-seeds-and-modules",
)
SEEDS_AND_ITEMS = Way(
    "seeds-items",
    "Several trained models of each, with their answers",
    "the training seeds and the test items, both at once",
    """\
print(ek.crossed_difference(right_mlp, right_lstm, items.module))
""",
    "Whether one *method* is better on this kind of item: with other seeds, on other items. Leave out the "
    "groups if the items are independent. Say `rows='paired'` if run i of both systems shares a split or a "
    "prompt.",
    "What other training data would give, or another search for settings.",
    "Over S seeds of each and N items in G groups, A was D points better (95 % interval L to H, seeds and "
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
    "Which of them differ from one that was named beforehand, with every comparison counted. If the items "
    "come in groups, take each p-value from `crossed_difference`.",
    "Which is the best of all that were tried, unless the list holds every one of them.",
    "Compared with A (exact McNemar tests, Holm over M models), B and C differ (p = P and Q).",
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
    "Whether the mean over seeds differs *on these test items*. Seed 7 of one system has nothing to do with "
    "seed 7 of the other, so these are two samples: Welch's t.",
    "Whether the method is better on other items. All runs share one test set, and the more seeds you add, "
    "the more often this test calls two equally good methods different. Save the answers, and see "
    '"Several trained models of each, with their answers".',
    "The mean accuracies over S seeds differed by D (95 % interval L to H, Welch; one test set of N items).",
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
    "Whether the systems differ on this data set, with the overlap of the splits allowed for. If there are "
    "several seeds in each split, average them first: one mean per split. For a cross-validation, `n_train` "
    "and `n_test` are the sizes for one fold, and the correction is a heuristic.",
    "What another data set would give. Beyond a point, more splits do not help. If the same folds also chose "
    "the settings, the scores are too good: choose within each training part.",
    "Over J random splits (N items to train, M to test), A was D points better (corrected resampled t-test, "
    "p = P).",
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
    "Which system is better when both get the same budget, in runs or in seconds: the difference in the "
    "expected test score of the run that is best on validation.",
    "Anything about a grid, a guided search or pruned runs, whose trials are not independent draws (`Trials` "
    "of them are refused), or about budgets above a fifth of the runs you have.",
    "Of n random settings each, the best on validation scored D points higher on test for A than for B (95 % "
    "interval L to H).",
    "chapter-tuning",
)
ONE_RUN = Way(
    "one-run",
    "One run of each, and one number",
    "nothing that was repeated",
    """\
of_mlp, of_lstm = right_mlp[0].sum(), right_lstm[0].sum()
for right in (of_mlp, of_lstm):
    print(ek.proportion_interval(right, len(gold)))
print(ek.mcnemar_range(of_mlp, of_lstm, len(gold)))
""",
    "How far off each accuracy could be on other items, and between which two p-values McNemar's test must "
    "lie. With the answers saved, it would be a single p-value.",
    "Anything about the method, since no other seed was tried. If you can afford one more run, train the "
    "*baseline* with another seed first.",
    "One run each: A% and B% of N items (95 % intervals L to H and L to H); seeds were not varied.",
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
    "Whether one of them is better on other data sets like these. Several runs on a data set count once, by "
    "their mean. The interval is for the mean difference.",
    "On which data sets it is better: test each by its own items, and adjust by Holm. With five data sets or "
    "fewer, no two-sided p of the signed-rank test is below 0.0625; the t interval can show more, if you can "
    "defend it.",
    "On K data sets, A was better on W (signed-rank test, p = P); mean difference D (95 % interval L to H).",
    "sec-datasets",
)
MANY_ON_DATA_SETS = Way(
    "systems",
    "Three systems or more, or thirty, on several data sets",
    "the data set",
    """\
print(ek.compare_systems(nine, control="linear"))
""",
    "Whether the systems differ at all (Friedman's test), and which of them differ from one that was named "
    "beforehand (`control=`), or from each other. Thirty systems make 435 pairs, and hardly any p-value "
    "survives that many: name a control.",
    "Which is best. A missing score is refused rather than ranked.",
    "On K data sets (Friedman, p = P), A was better than B on W and worse on L (signed-rank test, Holm over "
    "M, p = Q).",
    "sec-datasets",
)
PUBLISHED = Way(
    "published",
    "Printed: mean, spread and number of runs",
    "whatever the authors varied; find out",
    """\
a, b = (91.3, 0.4, 5), (90.6, 0.5, 5)
for spread in ("sd", "se"):
    print(spread, ek.from_summary(a, b, spread=spread))
""",
    "Welch's interval and test for the difference of the two means, if the runs were independent. Find out "
    "whether the spread is a standard deviation or a standard error: here the verdict depends on it.",
    "Anything, if the runs were splits of one data set, or if each is the best of several.",
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
    "Between which two p-values McNemar's test must lie, whatever the answers were; and whether a printed "
    "score is possible at all.",
    "How many runs each number is the best of, which may matter more. And a mean over several runs is not a "
    "count.",
    "From the printed accuracies on N items, McNemar's p lies between P and Q.",
    "sec-mcnemar",
)
AGAINST_PRINTED = Way(
    "own-printed",
    "Your own runs against one printed number",
    "your seed; of theirs you have a single number",
    """\
printed = 0.61
ours = seeds.test[seeds.system == "mlp"]
print(ek.prediction_interval(ours))
print(printed in ek.prediction_interval(ours))
""",
    "Where one more run of yours would lie. If the printed number lies inside, it could be a run of your own "
    "system, and no difference is shown. If it comes with a spread and a number of runs, see "
    '"Printed: mean, spread and number of runs".',
    "That a number outside belongs to another system: it may be the best of several runs, or come from "
    "another split.",
    "The published score lies inside (outside) the 95 % prediction interval of our S runs, L to H.",
    "sec-next-run",
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
    "How often the test would find the difference that matters to you: here, two points of accuracy on 1,000 "
    "items. The last line says how many seeds it takes to find a difference of one standard deviation.",
    "Which difference matters. If the power is far below 80 %, get more items or more seeds before you run.",
    "With N items, a difference of D would be found in P % of cases.",
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
    "Whether the difference lies inside a margin that was fixed beforehand, and the chances that A is better "
    "by more than the margin, the same within it, or worse. A large p of a test for a difference does not "
    "say this.",
    "Which margin does not matter: that is for you to argue.",
    "A and B were equivalent within M points (the 90 % interval L to H lies inside the margin; two one-sided "
    "tests, p = P).",
    "sec-equivalence",
)
MANY = Way(
    "many",
    "More than one comparison: variants, metrics, a leaderboard",
    "whatever varies in the single tests",
    """\
print(ek.holm([0.004, 0.012, 0.030, 0.200, 0.650]).round(3))
""",
    "Which differences remain when everything that was tested is counted.",
    "It cannot undo a choice that is not in the list, such as ten variants that were tried and not reported.",
    "The p-values are adjusted by Holm's method for the M comparisons made.",
    "sec-many",
)
