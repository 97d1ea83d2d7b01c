"""Where "Which test do I need?" ends for someone who has scores of runs, printed
numbers or nothing yet.
"""

from evalkit._ways import Way

SEEDS = Way(
    key="seeds",
    title="One score for each run; the runs differ in the seed",
    varies="the seed, and nothing else",
    data="""\
a, b = (seeds.test[seeds.system == system] for system in ("mlp", "lstm"))
""",
    needs={"a": "A's scores: one for each run", "b": "B's scores"},
    call="""\
print(ek.difference_interval(a, b, paired=False))
""",
    answers=(
        "Whether the mean over seeds, or starts, differs *on these test items*. Seed 7"
        " of one system has nothing to do with seed 7 of the other, so these are two"
        " samples: Welch's t. Of run times, start A and B in turn; `seeds_needed` says"
        ' how many starts it takes. If a few are huge, see "How long requests took: two'
        ' separate samples".'
    ),
    cannot=(
        "Whether the method is better on other items. All runs share one test set,"
        " and the more seeds you add, the more often this test declares two equally"
        ' good methods different. Save the answers, and see "Several trained models'
        ' of each, with their answers".'
    ),
    write=(
        "The mean accuracies over S seeds differed by D (95 % interval L to H,"
        " Welch; one test set of N items)."
    ),
    section="sec-difference",
)
SIZES = Way(
    key="sizes",
    title="One score for each run; the runs differ in size",
    varies="the seed, and whatever else differs between runs of one size",
    data="""\
runs = search[search.system == "mlp"]  # 16 to 128 hidden units
sizes, scores = runs.hidden, runs.test
""",
    needs={
        "sizes": "the size of each run: a Series",
        "scores": "its score, in the same order",
    },
    call="""\
from scipy import stats

trend = stats.kendalltau(sizes, scores)
print(f"tau {trend.statistic:+.2f}, p = {trend.pvalue:.2f}")
small, large = scores[sizes < sizes.median()], scores[sizes > sizes.median()]
print(ek.difference_interval(large, small, paired=False))
""",
    answers=(
        "Whether scores rise with size (of the model, of the training data), in"
        " whatever shape. Kendall's tau looks at the pairs of runs of two sizes: it"
        " is 1 if the larger one always wins, and 0 if it wins as often as it loses."
        " With a few sizes and several seeds each, its test is Jonckheere's. The"
        " second line says by how much the large ones are ahead. If you have several"
        " data sets, give `scipy.stats.page_trend_test` a row for each, and a column"
        " for each size in order."
    ),
    cannot=(
        "That size is the cause, if something else grows with it, such as the time"
        " spent on training or on the search. Nor anything about larger sizes, or"
        " other test items. With one run of each of four sizes, no p is below 0.08."
        " The test takes the runs to be independent, which those that share a split"
        " or a fold are not."
    ),
    write=(
        "With S seeds at each of K sizes, scores rose with size (Kendall's tau T, p"
        " = P); from the smallest to the largest by D (95 % interval L to H)."
    ),
    section="sec-difference",
)
SPLITS = Way(
    key="splits",
    title="One score for each random split of one data set",
    varies="the data set, judged from overlapping splits of one",
    data="""\
ours = splits[splits.scheme == "stratified"]
table = ours.pivot(index="split", columns="system", values="accuracy")
a, b = table.linear, table.naive_bayes
n_train, n_test = int(ours.n_train.iloc[0]), int(ours.n_test.iloc[0])
""",
    needs={
        "a": "A's scores: one for each split or fold",
        "b": "B's scores on the same splits",
        "n_train": "how many items a split trains on",
        "n_test": "how many it tests on",
    },
    call="""\
print(ek.corrected_t(a, b, n_train=n_train, n_test=n_test))
""",
    answers=(
        "Whether the systems would differ on other data of this kind and size, as"
        " far as the correction for the overlap is right. That makes the p-value a"
        " heuristic: the correlation of two splits is assumed, not estimated, and for"
        " the folds of a cross-validation it is a cruder guess still. There,"
        " `n_train` and `n_test` are the sizes for one fold. If there are several"
        " seeds in each split, average them first: one mean per split."
    ),
    cannot=(
        "What data of another kind would give. Beyond a point, more splits do not help."
        " If the same folds also chose the settings, the scores are too good: choose"
        " within each training part. There is no interval here: none is known to hold"
        " for overlapping splits. If every run was tested on one fixed test set, this"
        ' test is not for them: save the answers, and see "Several trained models of'
        ' each, with their answers".'
    ),
    write=(
        "Over J random splits (N items to train, M to test), A was D points better"
        " (corrected resampled t-test, a heuristic, p = P)."
    ),
    section="sec-dependent",
)
SETTINGS = Way(
    key="settings",
    title="One score for each run; the runs differ in their settings",
    varies="settings and seeds, as a random search draws them",
    data="""\
of_a, of_b = (search[search.system == system] for system in ("mlp", "lstm"))
budgets = (1, 5, 20)  # runs
""",
    needs={
        "of_a": "A's trials: a table with columns validation and test",
        "of_b": "B's trials",
        "budgets": "the numbers of runs for which you ask",
    },
    call="""\
pools = of_a.validation, of_a.test, of_b.validation, of_b.test
gaps = {n: ek.budget_difference(*pools, n) for n in budgets}
adjusted = ek.holm([gap.pvalue for gap in gaps.values()])
for (n, gap), p in zip(gaps.items(), adjusted):
    ends = f"{gap.low:+.3f} to {gap.high:+.3f}"
    print(f"{n} runs: {gap.difference:+.3f} ({ends}), adjusted p = {p:.2g}")
""",
    answers=(
        "Which system is better when both get the same budget, in runs or in"
        " seconds: the difference in the expected test score of the run that is best"
        " on validation."
    ),
    cannot=(
        "Anything about a grid, a guided search or pruned runs, whose trials are not"
        " independent draws (`Trials` of them are refused), or about budgets above a"
        " fifth of the runs you have. Fix the budget beforehand: if you look at"
        " several, adjust their p-values by Holm, and count all the looks. Those"
        " above count these three budgets; this book has looked at eleven of the same"
        " two searches. With all of them counted, no p at equal runs stays below"
        " 0.05."
    ),
    write=(
        "Of n random settings each, the best on validation scored D points higher on"
        " test for A than for B (95 % interval L to H)."
    ),
    section="chapter-tuning",
)
ONE_RUN = Way(
    key="one-run",
    title="One run of each, and one number",
    varies="nothing that was repeated",
    data="""\
right_a, right_b = int(right_mlp[0].sum()), int(right_lstm[0].sum())
n = len(gold)
""",
    needs={
        "right_a": "how many items A has right",
        "right_b": "how many B has right",
        "n": "of how many, the same for both",
    },
    call="""\
for right in (right_a, right_b):
    print(ek.proportion_interval(right, n))
print(ek.mcnemar_range(right_a, right_b, n))
""",
    answers=(
        "How far off each accuracy could be on other items, and between which two"
        " p-values McNemar's test must lie. With the answers saved, it would be a"
        " single p-value."
    ),
    cannot=(
        "Anything about the method, since no other seed was tried. It also takes the"
        " items to be independent: lines of one module, as in this example, are not,"
        " and the right intervals are longer. If you can afford one more run, train the"
        " *baseline* with another seed first. One model run twice shows the noise of"
        " its answers: report the mean of several runs and their SD, and to compare two"
        ' models see "Two fitted models, several answers to each item".'
    ),
    write=(
        "One run each: A% and B% of N items (95 % intervals L to H and L to H);"
        " seeds were not varied."
    ),
    section="sec-mcnemar",
)
TWO_ON_DATA_SETS = Way(
    key="datasets",
    title="Two systems on several data sets, or benchmarks",
    varies="the data set",
    data="""\
a, b = nine["linear"], nine["tree"]
""",
    needs={
        "a": "A's scores: one for each data set",
        "b": "B's scores on the same data sets",
    },
    call="""\
print(ek.wilcoxon(a, b))
print(ek.difference_interval(a, b, paired=True))
""",
    answers=(
        "Whether one of them is better on other data sets like these. Several runs"
        " on a data set count once, by their mean. The interval is for the mean"
        " difference. The p is for one pair that was named beforehand. If it is one"
        ' of several, adjust it, as in "Three systems or more on several data sets":'
        " there this same pair gets a larger p."
    ),
    cannot=(
        "On which data sets it is better: test each on its own items, and adjust by"
        " Holm. With five data sets or fewer, no two-sided p of the signed-rank test"
        " is below 0.0625; the t interval can show more, if you can defend it."
    ),
    write=(
        "On K data sets, A was better on W (signed-rank test, p = P); mean"
        " difference D (95 % interval L to H)."
    ),
    section="sec-datasets",
)
MANY_ON_DATA_SETS = Way(
    key="systems",
    title="Three systems or more on several data sets",
    varies="the data set",
    data="""\
table, control = nine, "linear"
""",
    needs={
        "table": "a row for each data set, a column for each system",
        "control": "the name of the system that was chosen beforehand",
    },
    call="""\
print(ek.compare_systems(table, control=control))
""",
    answers=(
        "Whether the systems differ at all (Friedman's test), and which of them"
        " differ from one that was named beforehand (`control=`), or from each other."
        " Thirty systems make 435 pairs, and hardly any p-value survives that many:"
        " name a control."
    ),
    cannot=(
        "Which is best. With five data sets or fewer no pair can have a two-sided p"
        " below 0.05: test within each data set, on its items. A missing score is"
        " refused rather than ranked."
    ),
    write=(
        "On K data sets (Friedman, p = P), A was better than B on W and worse on L"
        " (signed-rank test, Holm over M, p = Q)."
    ),
    section="sec-datasets",
)
PUBLISHED = Way(
    key="published",
    title="Printed: mean, spread and number of runs",
    varies="whatever the authors varied; find out",
    data="""\
a, b = (91.3, 0.4, 5), (90.5, 0.5, 5)
""",
    needs={"a": "(mean, spread, number of runs) of A", "b": "the same of B"},
    call="""\
for spread in ("sd", "se"):
    difference = ek.from_summary(a, b, spread=spread)
    print(f"if the spread is an {spread.upper()}: {difference}")
""",
    answers=(
        "Welch's interval and test for the difference of the two means, if the runs"
        " were independent. Find out whether the spread is a standard deviation (SD) or"
        " a standard error (SE): that alone can turn the verdict. Of a printed interval"
        " the SE is the width over 3.92."
    ),
    cannot=(
        "Whether the runs were splits of one data set, or each the best of several:"
        " then nothing follows from it."
    ),
    write=(
        "From the printed means, standard deviations and numbers of runs: D (95 %"
        " interval L to H, Welch)."
    ),
    section="sec-difference",
)
PUBLISHED_ACCURACIES = Way(
    key="accuracies",
    title="Printed: two accuracies on the same items",
    varies="the test items",
    data="""\
a, b, n = "91.3", "90.8", 1000
""",
    needs={
        "a": "A's accuracy in per cent, as it is printed, in quotes",
        "b": "B's accuracy",
        "n": "the number of items",
    },
    call="""\
for printed in (a, b):
    print(list(ek.possible_counts(printed, n)), "of", n, "are", printed, "%")
print(ek.mcnemar_range(a, b, n))
""",
    answers=(
        "Between which two p-values McNemar's test must lie, whatever the answers"
        " were; and whether a printed score is possible at all."
    ),
    cannot=(
        "How many runs each number is the best of, which may matter more. And a mean"
        " over several runs is not a count."
    ),
    write=("From the printed accuracies on N items, McNemar's p lies between P and Q."),
    section="sec-mcnemar",
)
AGAINST_PRINTED = Way(
    key="own-printed",
    title="Your own runs against one printed number",
    varies="your seed; from them you have a single number",
    data="""\
printed = 0.61
ours = seeds.test[seeds.system == "mlp"]
""",
    needs={"printed": "the number that is printed", "ours": "the scores of your runs"},
    call="""\
next_run = ek.prediction_interval(ours)
print(next_run)
print(f"{printed} inside: {printed in next_run}")
""",
    answers=(
        "Where one more run of yours would lie. If the printed number lies inside,"
        " it could be a run of your own system, and no difference is shown. If it"
        ' comes with a spread and a number of runs, see "Printed: mean, spread and'
        ' number of runs".'
    ),
    cannot=(
        "That a number outside belongs to another system: it may be the best of"
        " several runs, or come from another split."
    ),
    write=(
        "The published score lies inside (outside) the 95 % prediction interval of"
        " our S runs, L to H."
    ),
    section="sec-next-run",
)
POWER = Way(
    key="power",
    title="Nothing has been run yet",
    varies="what you decide to draw",
    data="""\
n, rate, correlation, sd = 1000, 0.9, 0.45, 0.01
""",
    needs={
        "n": "how many test items",
        "rate": "the share that the systems get right",
        "correlation": "how their answers correlate, 0 to 1",
        "sd": "the standard deviation of a score over seeds",
    },
    call="""\
gap = ek.detectable_difference(n, rate=rate, correlation=correlation)
print(f"{gap:.3f} is found four times in five")
print(ek.seeds_needed(sd, sd=sd), "seeds of each for a gap of one SD")
""",
    answers=(
        "Which difference would be found in 80 % of cases, if both models are right so"
        " often, and their answers correlate so. The last line says how many seeds it"
        " takes to find a difference of one standard deviation. For games write"
        " `seeds_needed(lead, sd=sd, paired=True)`, lead and SD both of A's points"
        " minus B's."
    ),
    cannot=(
        "Which difference matters. If the power is far below 80 %, get more items or"
        " more seeds before you run."
    ),
    write="With N items, a difference of D would be found in P % of cases.",
    section="sec-power",
)
EQUAL = Way(
    key="equal",
    title="To claim that two systems are as good as each other",
    varies="whatever varied in the difference",
    data="""\
difference = ek.crossed_difference(right_mlp, right_lstm, items.module)
margin = 0.02
""",
    needs={
        "difference": "what the call of your case gave",
        "margin": "the largest difference that does not matter",
    },
    call="""\
print(ek.equivalence(difference, margin))
""",
    answers=(
        "Whether the difference lies inside a margin that was fixed beforehand, and the"
        " chances that A is better by more than the margin, the same within it, or"
        " worse. (These chances are Bayesian, with a flat prior: every difference"
        " counts as equally likely beforehand.) A large p of a test for a difference"
        " does not say this. That A is merely not worse, whatever it gains, is asked by"
        " `alternative='greater'`."
    ),
    cannot=(
        "Which margin does not matter: that is for you to argue. An interval without a"
        " test (of an AUC, of F1) shows that A is not worse if its lower end lies above"
        " minus the margin."
    ),
    write=(
        "A and B were equivalent within M points (the 90 % interval L to H lies"
        " inside the margin; two one-sided tests, p = P)."
    ),
    section="sec-equivalence",
)
MANY = Way(
    key="many",
    title="More than one comparison: variants, data sets, a leaderboard",
    varies="whatever varies in the individual tests",
    data="""\
pvalues = [0.004, 0.012, 0.030, 0.200, 0.650]
""",
    needs={"pvalues": "of all comparisons that were made"},
    call="""\
print(ek.holm(pvalues).round(3))
""",
    answers=(
        "Which differences remain when everything that was tested is counted. They are"
        " as good as the p-values that go in: those of the corrected resampled t-test"
        " are a heuristic, adjusted or not. For the ranks of a whole board there is"
        " `rank_intervals` (chapter 9). A segment is different if its *gain* is:"
        " compare the two gains."
    ),
    cannot=(
        "How much was gained by a choice that is not in the list, such as ten variants"
        " that were tried and not reported. Nor whether two choices, such as optimiser"
        " and model, help each other: for that compare the gain from one with either"
        " value of the other, or fit both and their interaction. What was found by"
        " looking needs new data."
    ),
    write="The p-values are adjusted by Holm's method for the M comparisons made.",
    section="sec-many",
)
FOUR_COUNTS = Way(
    key="counts",
    title="Four counts: who is right where",
    varies="the test items",
    data="""\
n11, n10, n01, n00 = ek.contingency(gold, says_mlp[0], says_lstm[0])
""",
    needs={
        "n11": "on how many items both are right",
        "n10": "on how many A alone is right",
        "n01": "on how many B alone is right",
        "n00": "on how many both are wrong",
    },
    call="""\
print(ek.paired_proportion_interval(n11, n10, n01, n00))
print(ek.mcnemar(n10, n01))
""",
    answers=(
        "Whether these two fitted models would be right equally often on other items"
        " like these. Only the items on which one alone is right tell them apart."
    ),
    cannot=(
        "What another training seed would give. It also takes the items to be"
        " independent."
    ),
    write=(
        "Of N items, A alone got n10 right and B alone n01: a difference of D points"
        " (95 % interval L to H; exact McNemar test, p = P)."
    ),
    section="sec-mcnemar",
)
PUBLISHED_SHARES = Way(
    key="printed-shares",
    title="Printed: two accuracies, each on items of its own",
    varies="the items of both, drawn separately",
    data="""\
right_a, n_a, right_b, n_b = 913, 1000, 452, 500
""",
    needs={
        "right_a": "how many items A has right",
        "n_a": "of how many",
        "right_b": "how many B has right",
        "n_b": "of how many others",
    },
    call="""\
print(ek.proportion_difference(right_a, n_a, right_b, n_b))
""",
    answers=(
        "How far apart the two accuracies could be on other items. One interval for"
        " the difference: that two intervals overlap does not show that there is"
        " none."
    ),
    cannot=(
        "Which of more than two differ: test all at once first (chi-squared), then"
        " the pairs by Holm. Nor whether the two sets of items were equally hard. On"
        ' the same items, whatever the answers were, see "Printed: two accuracies on'
        ' the same items".'
    ),
    write=(
        "A was right on N of M items and B on K of L others: a difference of D"
        " points (95 % interval L to H, Newcombe)."
    ),
    section="sec-difference",
)
BEST_OF = Way(
    key="best-of",
    title="Printed: the best of several runs",
    varies="the runs, if they are independent and about normal",
    data="""\
best, n, sd = 91.3, 10, 0.4
""",
    needs={
        "best": "the score that is printed",
        "n": "of how many runs it is the best",
        "sd": "the standard deviation of one run: theirs, or that of yours",
    },
    call="""\
import numpy as np
from scipy import stats

luck = sd * ek.gaussian_expected_max(n)
print(f"the best of {n} lies {luck:.2f} above the mean: {best - luck:.2f}")
# The 95 % interval of the mean, if the SD is right.
print(best - sd * stats.norm.ppf(np.array([0.975, 0.025]) ** (1 / n)))
""",
    answers=(
        "How much of a printed score is expected from choosing the best run alone,"
        " and what a typical run would score."
    ),
    cannot=(
        "Anything about a search by hand, or trials that learn from each other. If"
        " the best was chosen on validation and the score is from test, less of it is"
        " luck."
    ),
    write=(
        "The printed score is the best of N runs; with an SD of S, a typical run is"
        " expected D lower."
    ),
    section="chapter-expected-maximum",
)
BAR = Way(
    key="bar",
    title="One system against a fixed limit",
    varies="the test items",
    data="""\
right, n = int(right_mlp[0].sum()), len(gold)
""",
    needs={"right": "on how many items it is right, or fails", "n": "of how many"},
    call="""\
print(ek.proportion_interval(right, n))
# Each end alone, with 95 % confidence.
print(ek.proportion_interval(right, n, confidence_level=0.9))
""",
    answers=(
        "Which shares are compatible with what was counted. If the whole interval lies"
        " on one side of the limit, so does the system, on items like these. None in n"
        " failing leaves room for about 3.7 in n; where one side alone matters (at most"
        " 1 % may fail), for 3 in n, the rule of three."
    ),
    cannot=(
        "Anything about items of another kind, or chosen to be hard. It takes the"
        " items to be independent: for groups give `group_interval` the items."
    ),
    write=(
        "Of N items, K failed (95 % Clopper-Pearson interval L to H; the limit was M)."
    ),
    section="sec-what-varies",
)
