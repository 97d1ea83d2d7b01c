"""Where the decision "Which test do I need?" ends for someone who has answers to items.

Each way ends in a call, and says what it is worth; `_ways_of_runs` and `_ways_of_order`
have the others.

`evalkit.decision` leads to them.
"""

import re
from dataclasses import dataclass, field
from textwrap import fill, indent


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
    data : str
        Code that makes what the call needs of the book's own results, which the page
        loads.
    needs : dict of str to str
        What is to be put in place of it: for each name, what it is.
    call : str
        Code that needs nothing else but evalkit as `ek`.
    answers, cannot : str
        What it says, and what it does not. A title in double quotes refers to another
        way.
    write : str
        How to write it down: A, B and C are systems, other capital letters numbers.
    section : str
        The label of the section that explains it.
    then : Way, optional
        What more than one look adds.
    """

    key: str
    title: str
    varies: str
    data: str
    needs: dict = field(hash=False)
    call: str
    answers: str
    cannot: str
    write: str
    section: str
    then: "Way | None" = None

    @property
    def calls(self):
        """The public functions of the call, in order."""
        return tuple(dict.fromkeys(re.findall(r"\bek\.(\w+)\(", self.call)))

    @property
    def code(self):
        """The call as a reader fills it in: what it needs is said, and left open."""
        given = []
        for name, what in self.needs.items():
            line = f"{name} = ...  # {what}"
            given += [line] if len(line) <= 78 else [f"# {what}", f"{name} = ..."]
        lines, imported = self.call.strip().splitlines(), ("import ", "from ")
        imports = [line for line in lines if line.startswith(imported)]
        call = "\n".join(
            line for line in lines if not line.startswith(imported)
        ).strip()
        gap = [""] * (1 + call.startswith("def "))
        first = [*imports, ""] if imports else []
        return "\n".join([*first, "import evalkit as ek", "", *given, *gap, call, ""])

    def __str__(self):
        said = {
            "What varies": f"{self.varies}.",
            "It says": self.answers,
            "It cannot say": self.cannot,
            "Write": self.write,
        }
        told = [fill(f"{name}: {text}", 88) for name, text in said.items()]
        parts = [self.title, told[0], indent(self.code.rstrip(), "    "), *told[1:]]
        if self.then:
            parts += [f"And then. {self.then}"]
        return "\n\n".join(parts)


# What the examples that take items to be independent say of their own.
OF_MODULES = (
    "The lines of this example come from modules, so the right way for them is "
    '"Two fitted models, items in groups"'
)

MODELS = Way(
    key="models",
    title="Two fitted models, right or wrong on each item",
    varies="the test items",
    data="""\
correct, a, b = gold, says_mlp[0], says_lstm[0]
""",
    needs={
        "correct": "the right answer to each item",
        "a": "A's answers, item by item",
        "b": "B's answers, in the same order",
    },
    call="""\
table = ek.contingency(correct, a, b)
print(table)
print(ek.paired_proportion_interval(*table))
print(ek.mcnemar(table.n10, table.n01))
""",
    answers=(
        "Whether these two fitted models would be right equally often on other items"
        " like these. If the answers come from two files, give `ids=`: if they are"
        " joined by row, a file in another order pairs the wrong answers."
    ),
    cannot=(
        "What another training seed would give. It also takes the items to be"
        f" independent. {OF_MODULES}."
    ),
    write=(
        "Of N items, A alone got n10 right and B alone n01: a difference of D points"
        " (95 % interval L to H; exact McNemar test, p = P)."
    ),
    section="sec-mcnemar",
)
SCORES = Way(
    key="scores",
    title="Two fitted models, a score for each item",
    varies="the test items",
    data="""\
# The score of an item: the share of the networks that are right.
# They stand in for one model of each kind whose answers get a graded score.
a, b = right_mlp.mean(axis=0), right_lstm.mean(axis=0)
""",
    needs={
        "a": "A's score on each item",
        "b": "B's scores, in the same order",
    },
    call="""\
print(ek.crossed_difference(a, b))
print(ek.sign_flip(a, b, rng=0))
""",
    answers=(
        "How far apart the mean scores are, with an interval, and a test that needs no"
        " normal distribution. For perplexity compare the mean log losses of the same"
        " chunks: the exponential of the difference is the ratio. A person who answered"
        " a form about both has one score, the mean over its questions; let half of"
        " them meet B first. A Brier score mixes calibration with sharpness: for"
        ' calibration alone put a calibration error into "Two fitted models, one number'
        ' for the whole set".'
    ),
    cannot=(
        "What another training seed would give. With fewer than about twenty items,"
        " trust the test more than the interval. It also takes the items to be"
        f" independent. {OF_MODULES}."
    ),
    write=(
        "A scored D higher than B per item (95 % interval L to H over N items;"
        " sign-flip test, p = P)."
    ),
    section="sec-what-varies",
)
GROUPS = Way(
    key="groups",
    title="Two fitted models, items in groups",
    varies="the groups: documents, speakers, modules",
    data="""\
a, b, groups = right_mlp[0], right_lstm[0], items.module
""",
    needs={
        "a": "A's score on each item, or 1 where it is right and 0 where it is wrong",
        "b": "the same for B, in the same order",
        "groups": "the group of each item",
    },
    call="""\
found = ek.crossed_difference(a, b, groups)
print(found)
print(f"they say as much as {found.effective_groups:.0f} equal groups")
""",
    answers=(
        "Whether these two models would differ on items from other groups. The"
        " interval (CR2) allows for few and unequal groups; where no interval is"
        " known to be valid, none is given."
    ),
    cannot="What another training seed would give.",
    write=(
        "A was D points better than B (95 % interval L to H over G groups, worth E"
        " equal ones; CR2 with Bell and McCaffrey's degrees of freedom)."
    ),
    section="sec-few-groups",
)
SUMS = Way(
    key="sums",
    title="Two fitted models, a ratio of two sums over the whole set",
    varies="the groups: speakers, documents, modules",
    data="""\
positive = datasets.PACKAGES.index("matplotlib")  # F1 of this class


def sums(says):  # what each item adds to 2 TP, and to 2 TP + FP + FN
    called, true = says == positive, gold == positive
    return 2 * (called & true), 1 * called + true


top_a, bottom_a = sums(says_mlp[0])
top_b, bottom_b = sums(says_lstm[0])
groups = items.module
""",
    needs={
        "top_a": "what each item adds above the line for A: its errors (F1: 2 TP)",
        "bottom_a": "what it adds below: its words (F1: 2 TP + FP + FN)",
        "top_b": "the same for B",
        "bottom_b": "the same for B",
        "groups": "the group of each item, or None where items are independent",
    },
    call="""\
print(ek.ratio_difference(top_a, bottom_a, top_b, bottom_b, groups))
""",
    answers=(
        "Whether a word error rate differs (errors over words), an accuracy per"
        " token, or F1 of one class or of all (micro). A long sentence counts for"
        " more than a short one, as it does in the measure. The mean of the items'"
        " own rates is another number, and may point the other way."
    ),
    cannot=(
        "What another training seed would give. Macro F1, BLEU and a correlation are"
        ' not ratios of two sums: for them see "Two fitted models, one number for the'
        ' whole set".'
    ),
    write=(
        "Over N items in G groups, A's F1 was D higher than B's (95 % interval L to"
        " H over groups; CR2 of the linearised ratios)."
    ),
    section="sec-interval-of-f1",
)
WHOLE = Way(
    key="whole",
    title="Two fitted models, one number for the whole set",
    varies="the test items, in whole groups",
    data="""\
correct, a, b = gold, says_mlp[0], says_lstm[0]
groups = items.module.to_numpy()
""",
    needs={
        "correct": "the right answers, an array",
        "a": "A's answers, an array",
        "b": "B's answers, in the same order",
        "groups": "the group of each item; np.arange(len(a)) if they are independent",
    },
    call="""\
import numpy as np
from sklearn.metrics import f1_score

n = len(correct)
members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
of_a = np.arange(len(members))
of_b = of_a + len(members)  # the same groups, answered by B
members += [rows + n for rows in members]
truth, says = np.tile(correct, 2), np.concatenate([a, b])


def measure(drawn):  # any measure of the answers in some groups
    rows = np.concatenate([members[int(i)] for i in drawn])
    return f1_score(truth[rows], says[rows], average="macro")


def gap(drawn):  # the same groups for both
    return measure(drawn) - measure(drawn + len(of_a))


few = {"n_resamples": 199, "rng": 0}  # 9999 for a paper
print(ek.bootstrap_interval(of_a, gap, method="percentile", **few))
print(ek.sign_flip(of_a, of_b, statistic=measure, **few))
""",
    answers=(
        "Whether macro F1 differs, or corpus BLEU, RMSE, a correlation, the area under"
        " a curve: put it in place of `f1_score`. The test swaps the answers of A and"
        " B, and so they need one scale: for a correlation or a curve turn the scores"
        " of each into ranks, or into standard scores, first. The interval draws the"
        " same groups for both systems; the test swaps the answers of whole groups."
    ),
    cannot=(
        "What another training seed would give. With few groups the percentile"
        " interval is too short."
    ),
    write=(
        "A's F1 was D higher than B's (95 % percentile interval L to H over G groups"
        " of N items; answers swapped group by group, p = P)."
    ),
    section="sec-interval-of-f1",
)
ANSWERS = Way(
    key="answers",
    title="Two fitted models, several answers to each item",
    varies="the test items; the answers to one item are nested in it",
    data="""\
# Two models, 198 questions of GPQA, five answers to each.
a, b = (
    of.pivot(index="epoch", columns="item", values="right").to_numpy()
    for _, of in boards.gpqa().groupby("model", sort=True)
)
""",
    needs={
        "a": "1 or 0: a row for each sample of A's answers, a column for each item",
        "b": "the same for B, its columns in the same order",
    },
    call="""\
print(ek.crossed_difference(a, b, rows="answers"))
""",
    answers=(
        "Whether the models would differ on other items like these, when each item"
        " counts by the mean of its answers. More answers make that mean more"
        " precise; they do not make more items."
    ),
    cannot=(
        "Anything about the best of several answers: see `pass_at_k` and"
        " `pass_hat_k` in chapter 9."
    ),
    write=(
        "Over N items with K sampled answers each (temperature T), A was right D"
        " points more often than B (95 % interval L to H)."
    ),
    section="sec-second-answer",
)
PREFERENCES = Way(
    key="preferences",
    title="Two models judged side by side",
    varies="the test items; the judges of one item are nested in it",
    data="""\
# How many of twelve language models find an error in one answer alone.
# A is Llama 2, B is GPT-4, and both answered the same inputs.
asked = mistakes[mistakes.template == "2"]
shared = asked.groupby("input").item.transform("nunique") == 2
found = asked[shared].pivot(
    index="input", columns=["system", "model"], values="verdict"
)
in_a, in_b = found["Llama-2-70b-chat-hf"], found["gpt-4-0613"]
for_a, for_b = (in_b > in_a).sum(axis=1), (in_a > in_b).sum(axis=1)
""",
    needs={
        "for_a": "how many of an item's judges preferred A: an array",
        "for_b": "how many preferred B, in the same order",
    },
    call="""\
wins, losses = int((for_a > for_b).sum()), int((for_b > for_a).sum())
print(f"{wins} for A, {losses} for B, {len(for_a) - wins - losses} tied")
print(ek.mcnemar(wins, losses))
print(ek.crossed_difference(for_a, for_b))
""",
    answers=(
        "Whether more items go to A than to B, each by the majority of its judges (a"
        " sign test, which leaves ties out), and how many more votes A gets per item."
    ),
    cannot=(
        "Whether the side decided: show each judge both orders. How much the tied items"
        " matter: print how many there are. Nor what other judges would say: if the"
        " same few judged every item, see \"Several raters score both models'"
        ' answers". If each was judged against a third model, give every item 1, 0.5 or'
        ' 0 points, and see "Two fitted models, a score for each item".'
    ),
    write=(
        "Of N items, the judges preferred A on W and B on L; T were tied (sign test,"
        " p = P)."
    ),
    section="sec-sixty-judges",
)
RATERS = Way(
    key="raters",
    title="Several raters score both models' answers",
    varies="the raters and the items, both at once",
    data="""\
# Seven language models as raters: 1 where they find no error, else 0.
# A is GPT-4, B is Llama 2, and both answered the same inputs.
asked = mistakes[mistakes.template == "4"]
shared = asked.groupby("input").item.transform("nunique") == 2
fine = 1 - asked[shared].pivot(
    index="model", columns=["system", "input"], values="verdict"
).dropna().sort_index(axis=1)
a, b = fine["gpt-4-0613"], fine["Llama-2-70b-chat-hf"]
""",
    needs={
        "a": "the points of A's answers: a row for each rater, a column for each item",
        "b": "the points of B's answers, raters and items in the same order",
    },
    call="""\
print(ek.crossed_difference(a, b, rows="paired"))
""",
    answers=(
        "Whether other raters would give A more points on other items. Points are"
        " treated as numbers: from 1 to 2 is as far as from 3 to 4."
    ),
    cannot=(
        "How well the raters agree: report Krippendorff's alpha (1 if they agree fully,"
        " 0 if only as by chance) or another measure as well. For labels from two of"
        ' them, see "Do two judges agree?". For this interval two raters are too few,'
        ' and raters of one family do not count as separate: see "Tasks, templates or'
        ' judges in families". Items are answers here, not the questions of a form.'
    ),
    write=(
        "R raters gave A's answers D points more than B's (95 % interval L to H over"
        " raters and N items)."
    ),
    section="sec-seeds-and-modules",
)
SEEDS_AND_ITEMS = Way(
    key="seeds-items",
    title="Several trained models of each, with their answers",
    varies="the training seeds and the test items, both at once",
    data="""\
a, b, groups = right_mlp, right_lstm, items.module
""",
    needs={
        "a": "A's scores: a row for each trained model, a column for each item",
        "b": "the same for B, its columns in the same order",
        "groups": "the group of each item, or None where items are independent",
    },
    call="""\
print(ek.crossed_difference(a, b, groups))
""",
    answers=(
        "Whether one *method* is better on this kind of item: with other seeds, on"
        " other items. Say `rows='paired'` if run i of both systems shares a split or"
        " a prompt. With three methods or more, run it for each pair, and go on to"
        ' "More than one comparison: variants, data sets, a leaderboard".'
    ),
    cannot=(
        "What other training data would give, or another search for settings. Two"
        " models of each hardly show how much seeds differ, and are refused: train a"
        ' third. If you cannot, take the mean of the two on each item, and go to "Two'
        ' fitted models, a score for each item" or "Two fitted models, items in'
        ' groups". The answer is then about these trained models alone. One system'
        " against several people is compared in the same way: by the people's mean on"
        " each item."
    ),
    write=(
        "Over S seeds of each and N items in G groups, A was D points better (95 %"
        " interval L to H, seeds and items crossed)."
    ),
    section="sec-seeds-and-modules",
)
SEVERAL_MODELS = Way(
    key="several-models",
    title="Three models or more on one test set",
    varies="the test items",
    data="""\
base = right_mlp[0]
others = {f"LSTM {i + 1}": right_lstm[i] for i in range(3)}
groups = items.module
""",
    needs={
        "base": "1 or 0 on each item, or its score: the model named beforehand",
        "others": '{"name": the same of another model, ...}',
        "groups": "the group of each item, or None where items are independent",
    },
    call="""\
gaps = {name: ek.crossed_difference(scores, base, groups)
        for name, scores in others.items()}
adjusted = ek.holm([gap.pvalue for gap in gaps.values()])
for (name, gap), p in zip(gaps.items(), adjusted):
    ends = f"{gap.low:+.3f} to {gap.high:+.3f}"
    print(f"{name}: {gap.difference:+.3f} ({ends}), adjusted p = {p:.3f}")
""",
    answers=(
        "Which of them differ from one that was named beforehand, with every"
        " comparison counted."
    ),
    cannot=(
        "Which is the best of all that were tried, unless the list contains every one"
        " of them: then `rank_intervals` says which ranks each may have (chapter 9)."
        " Folds, runs, a corpus BLEU or an AUC have no score for each item: test each"
        " pair by its own way, and put the p-values into `holm`."
    ),
    write=(
        "Compared with A, B and C score D and E points more (95 % intervals, each"
        " for one comparison; Holm over M models, p = P and Q)."
    ),
    section="sec-many",
)
JUDGES = Way(
    key="judges",
    title="Do two judges agree?",
    varies="the items, in whole groups; the two judges stay the same",
    data="""\
# GPT-4 and people say which answers of ten systems are right.
both = boards.openqa().dropna(subset=["people", "gpt4"])
judge, person, groups = both.gpt4, both.people, both.question
""",
    needs={
        "judge": "the label that one judge gives to each item",
        "person": "the label that the other gives, in the same order",
        "groups": "the group of each item, or None where items are independent",
    },
    call="""\
print(ek.agreement(judge, person, groups))
""",
    answers=(
        "How often two people, or a person and a language model, give an item the same"
        " label, and how far they beat two who draw their labels at random (Cohen's"
        " kappa: 0 if they agree as often as by chance, 1 if always). Give `ids=` if"
        " the labels come from two files. Two judges held to one person are two models,"
        " and the person's labels the right answers."
    ),
    cannot=(
        "What other judges would do: the answer is about these two. A high share says"
        " little where nearly every item has one label, and kappa says little where a"
        " label is rare, as its wide interval shows. For points, which have an order,"
        " `sklearn.metrics.cohen_kappa_score` with `weights='quadratic'` counts how far"
        " apart they are; for more judges, report Krippendorff's alpha. Where a judge"
        " scored all items and people some, `judged_difference` compares two models as"
        ' people would. To compare models by what judges say, see "Several raters score'
        " both models' answers\". Whether a judge is as good as a person: for that give"
        " each item 1 or 0 where the judge, and where a second person, matches the"
        ' first, and see "Two fitted models, a score for each item".'
    ),
    write=(
        "The judge and the person gave the same label to P % of N items (95 %"
        " interval L to H over G groups; Cohen's kappa K, L to H)."
    ),
    section="sec-judges",
)
