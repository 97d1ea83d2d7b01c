"""Where the decision "Which test do I need?" ends for someone who has answers to items.

Each way ends in a call, and says what it is worth; `_ways_of_runs` has the others.

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
        Code that runs on the book's own results, which the page loads.
    answers, cannot : str
        What it says, and what it does not. A title in double quotes refers to another
        way.
    write : str
        How to write it down: A, B and C are systems, other capital letters numbers.
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


# What the examples that take items to be independent say of their own.
OF_MODULES = (
    "The lines of this example come from modules, so the right way for them is "
    '"Two fitted models, items in groups"'
)

MODELS = Way(
    "models",
    "Two fitted models, right or wrong on each item",
    "the test items",
    """\
table = ek.contingency(gold, says_mlp[0], says_lstm[0])
print(table)
print(ek.crossed_difference(right_mlp[0], right_lstm[0]))
print(ek.mcnemar(table.n10, table.n01))
""",
    "Whether these two fitted models would be right equally often on other items like"
    " these. If the answers come from two files, give `ids=`: if they are joined by"
    " row, a file in another order pairs the wrong answers.",
    "What another training seed would give. It also takes the items to be independent."
    f" {OF_MODULES}.",
    "Of N items, A alone got n10 right and B alone n01: a difference of D points (95 %"
    " interval L to H; exact McNemar test, p = P).",
    "sec-mcnemar",
)
SCORES = Way(
    "scores",
    "Two fitted models, a score for each item",
    "the test items",
    """\
# The score of an item: the share of the networks that are right.
# They stand in for one model of each kind whose answers get a graded score.
score_mlp, score_lstm = right_mlp.mean(axis=0), right_lstm.mean(axis=0)
print(ek.crossed_difference(score_mlp, score_lstm))
print(ek.sign_flip(score_mlp, score_lstm, rng=0))
""",
    "How far apart the mean scores are, with an interval, and a test that needs no"
    " normal distribution.",
    "What another training seed would give. With fewer than about twenty items, trust"
    " the test more than the interval. It also takes the items to be independent."
    f" {OF_MODULES}.",
    "A scored D higher than B per item (95 % interval L to H over N items; sign-flip"
    " test, p = P).",
    "sec-what-varies",
)
GROUPS = Way(
    "groups",
    "Two fitted models, items in groups",
    "the groups: documents, speakers, modules",
    """\
difference = ek.crossed_difference(right_mlp[0], right_lstm[0], items.module)
print(difference)
equal = f"{difference.effective_groups:.0f} of equal size"
print(f"the {items.module.nunique()} modules say as much as {equal}")
right = pd.DataFrame({"a": right_mlp[0], "b": right_lstm[0]})
sums = right.groupby(items.module).sum()
print("right lines per module:", ek.sign_flip(sums.a, sums.b, rng=0))
""",
    "Whether these two models would differ on items from other groups. The interval"
    " (CR2) allows for few and unequal groups; where no interval is known to be valid,"
    " none is given.",
    "What another training seed would give.",
    "A was D points better than B (95 % interval L to H over G groups, worth E equal"
    " ones; CR2 with Bell and McCaffrey's degrees of freedom).",
    "sec-few-groups",
)
SUMS = Way(
    "sums",
    "Two fitted models, a ratio of two sums over the whole set",
    "the groups: speakers, documents, modules",
    """\
positive = datasets.PACKAGES.index("matplotlib")  # F1 of this class


def sums(says):  # what each item adds to 2 TP, and to 2 TP + FP + FN
    called, true = says == positive, gold == positive
    return 2 * (called & true), 1 * called + true


a, b = sums(says_mlp[0]), sums(says_lstm[0])
print(ek.ratio_difference(*a, *b, items.module))
""",
    "Whether a word error rate differs (errors over words), an accuracy per token, or"
    " F1 of one class or of all (micro). A long sentence counts for more than a short"
    " one, as it does in the measure. The mean of the items' own rates is another"
    " number, and may point the other way. Give `None` in place of the groups if the"
    " items are independent.",
    "What another training seed would give. Macro F1, BLEU and a correlation are not"
    ' ratios of two sums: for them see "Two fitted models, one number for the whole'
    ' set".',
    "Over N items in G groups, A's F1 was D higher than B's (95 % interval L to H over"
    " groups; CR2 of the linearised ratios).",
    "sec-interval-of-f1",
)
WHOLE = Way(
    "whole",
    "Two fitted models, one number for the whole set",
    "the test items, in whole groups",
    """\
module = np.unique(items.module, return_inverse=True)[1]


def counts(says):  # right, true and called, of each class: module by module
    table = np.zeros((module.max() + 1, 3, 6))
    np.add.at(table, (module, 0, gold), says == gold)
    np.add.at(table, (module, 1, gold), 1)
    np.add.at(table, (module, 2, says), 1)
    return table


both = np.concatenate([counts(says_mlp[0]), counts(says_lstm[0])])
of_mlp, of_lstm = np.split(np.arange(len(both)), 2)


def f1(rows):  # macro F1 of some rows
    right, true, called = both[np.asarray(rows, dtype=int)].sum(axis=0)
    return np.mean(2 * right / (true + called))


def gap(rows):  # the same modules for both
    return f1(rows) - f1(np.asarray(rows) + len(of_mlp))


print(ek.bootstrap_interval(of_mlp, gap, method="percentile", rng=0))
print(ek.sign_flip(of_mlp, of_lstm, statistic=f1, rng=0))
""",
    "Whether macro F1 differs, or RMSE, a correlation, the area under a curve. The"
    " interval draws the same groups for both systems; the test swaps the answers of"
    " whole groups. If the items are independent, let each be a group of its own:"
    " `module = np.arange(len(gold))`. A measure that does not follow from sums, such"
    " as the area, takes the items of the drawn groups instead of `counts`.",
    "What another training seed would give. With few groups the percentile interval is"
    " too short.",
    "A's F1 was D higher than B's (95 % percentile interval L to H over G groups of N"
    " items; answers swapped group by group, p = P).",
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
    "Whether the models would differ on other items like these, when each item counts"
    " by the mean of its answers. More answers make that mean more precise; they do not"
    " make more items.",
    "Anything about the best of several answers: see `pass_at_k` and `pass_hat_k` in"
    " chapter 9.",
    "Over N items with K sampled answers each (temperature T), A was right D points"
    " more often than B (95 % interval L to H).",
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
    "Whether more items go to A than to B, each by the majority of its judges (a sign"
    " test, which leaves ties out), and whether A gets more votes per item.",
    "How much the tied items matter: print how many there are. Nor what other judges"
    ' would say: if the same few judged every item, see "Several raters score both'
    " models' answers\".",
    "Of N items, the judges preferred A on W and B on L; T were tied (sign test, p"
    " = P).",
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
    "Whether other raters would give A more points on other items. Points are treated"
    " as numbers: from 1 to 2 is as far as from 3 to 4.",
    "How well the raters agree: report Krippendorff's alpha (1 if they agree fully, 0"
    " if only as by chance) or another measure as well. For labels from two of them,"
    ' see "Do two judges agree?". For this interval two raters are too few.',
    "R raters gave A's answers D points more than B's (95 % interval L to H over raters"
    " and N items).",
    "sec-seeds-and-modules",
)
SEEDS_AND_ITEMS = Way(
    "seeds-items",
    "Several trained models of each, with their answers",
    "the training seeds and the test items, both at once",
    """\
print(ek.crossed_difference(right_mlp, right_lstm, items.module))
""",
    "Whether one *method* is better on this kind of item: with other seeds, on other"
    " items. Leave out the groups if the items are independent. Say `rows='paired'` if"
    " run i of both systems shares a split or a prompt. With three methods or more, run"
    ' it for each pair, and go on to "More than one comparison: variants, metrics, a'
    ' leaderboard".',
    "What other training data would give, or another search for settings. Two models of"
    " each hardly show how much seeds differ, and are refused: train a third. If you"
    ' cannot, take the mean of the two on each item, and go to "Two fitted models, a'
    ' score for each item" or "Two fitted models, items in groups". The answer is then'
    " about these trained models alone.",
    "Over S seeds of each and N items in G groups, A was D points better (95 % interval"
    " L to H, seeds and items crossed).",
    "sec-seeds-and-modules",
)
SEVERAL_MODELS = Way(
    "several-models",
    "Three models or more on one test set",
    "the test items",
    """\
gaps, pvalues = [], []
for says, right in zip(says_lstm[:3], right_lstm):
    table = ek.contingency(gold, says, says_mlp[0])
    gaps.append(ek.crossed_difference(right, right_mlp[0]))
    pvalues.append(ek.mcnemar(table.n10, table.n01).pvalue)
for i, (gap, p) in enumerate(zip(gaps, ek.holm(pvalues)), 1):
    ends = f"{gap.low:+.3f} to {gap.high:+.3f}"
    print(f"LSTM {i} minus MLP: {gap.difference:+.3f} ({ends}), "
          f"adjusted p = {p:.3f}")
""",
    "Which of them differ from one that was named beforehand, with every comparison"
    " counted. If the items come in groups, take each p-value from"
    " `crossed_difference`, and give it the groups.",
    "Which is the best of all that were tried, unless the list contains every one of"
    " them: then `rank_intervals` says which ranks each may have (chapter 9). It also"
    f" takes the items to be independent. {OF_MODULES}, once for each pair.",
    "Compared with A, B and C score D and E points more (95 % intervals, each for one"
    " comparison; exact McNemar tests, Holm over M models, p = P and Q).",
    "sec-many",
)
JUDGES = Way(
    "judges",
    "Do two judges agree?",
    "the items, in whole groups; the two judges stay the same",
    """\
# Made up: a person and a language model call 200 answers good or bad, ten
# from each of twenty systems. They agree more often than by chance.
rng = np.random.default_rng(0)
person, other = rng.random((2, 200)) < 0.8
judge = np.where(rng.random(200) < 0.7, person, other)
system = np.arange(200) // 10
print(ek.agreement(judge, person, system))
""",
    "How often two people, or a person and a language model, give an item the same"
    " label, and how far they beat two who draw their labels at random (Cohen's kappa:"
    " 0 if they agree as often as by chance, 1 if always). Leave out the groups if the"
    " items are independent, and give `ids=` if the labels come from two files.",
    "What other judges would do: the answer is about these two. A high share says"
    " little where nearly every item has one label, and kappa says little where a label"
    " is rare, as its wide interval shows. For points, which have an order, or for more"
    " judges, report Krippendorff's alpha. Where a judge scored all items and people"
    " some, `judged_difference` compares two models as people would. To compare models"
    " by what judges say, see"
    ' "Several raters score both models\' answers".',
    "The judge and the person gave the same label to P % of N items (95 % interval L to"
    " H over G groups; Cohen's kappa K, L to H).",
    "sec-judges",
)
