"""Where "Which test do I need?" ends for someone who has scores of runs, printed
numbers or nothing yet.
"""

from evalkit._ways import Way

SEEDS = Way(
    "seeds",
    "One score for each run; the runs differ in the seed",
    "the seed, and nothing else",
    """\
a, b = (seeds.test[seeds.system == system] for system in ("mlp", "lstm"))
print(ek.difference_interval(a, b, paired=False))
""",
    "Whether the mean over seeds differs *on these test items*. Seed 7 of one system"
    " has nothing to do with seed 7 of the other, so these are two samples: Welch's t.",
    "Whether the method is better on other items. All runs share one test set, and the"
    " more seeds you add, the more often this test declares two equally good methods"
    ' different. Save the answers, and see "Several trained models of each, with their'
    ' answers".',
    "The mean accuracies over S seeds differed by D (95 % interval L to H, Welch; one"
    " test set of N items).",
    "sec-difference",
)
SIZES = Way(
    "sizes",
    "One score for each run; the runs differ in size",
    "the seed, and whatever else differs between runs of one size",
    """\
from scipy import stats

runs = search[search.system == "mlp"]  # 16 to 128 hidden units
trend = stats.kendalltau(runs.hidden, runs.test)
print(f"tau {trend.statistic:+.2f}, p = {trend.pvalue:.2f}")
small, large = runs.test[runs.hidden <= 32], runs.test[runs.hidden >= 64]
print(ek.difference_interval(large, small, paired=False))
""",
    "Whether scores rise with size (of the model, of the training data), in whatever"
    " shape. Kendall's tau looks at the pairs of runs of two sizes: it is 1 if the"
    " larger one always wins, and 0 if it wins as often as it loses. With a few sizes"
    " and several seeds each, its test is Jonckheere's. The second line says by how"
    " much the large ones are ahead. If you have several data sets, give"
    " `scipy.stats.page_trend_test` a row for each, and a column for each size in"
    " order.",
    "That size is the cause, if something else grows with it, such as the time spent on"
    " training or on the search. Nor anything about larger sizes, or other test items."
    " With one run of each of four sizes, no p is below 0.08. The test takes the runs"
    " to be independent, which those that share a split or a fold are not.",
    "With S seeds at each of K sizes, scores rose with size (Kendall's tau T, p = P);"
    " from the smallest to the largest by D (95 % interval L to H).",
    "sec-difference",
)
SPLITS = Way(
    "splits",
    "One score for each random split of one data set",
    "the data set, judged from overlapping splits of one",
    """\
ours = splits[splits.scheme == "stratified"]
table = ours.pivot(index="split", columns="system", values="accuracy")
sizes = {name: int(ours[name].iloc[0]) for name in ("n_train", "n_test")}
print((table.linear - table.naive_bayes).mean())
print(ek.corrected_t(table.linear, table.naive_bayes, **sizes))
""",
    "Whether the systems would differ on other data of this kind and size, as far as"
    " the correction for the overlap is right. That makes the p-value a heuristic: the"
    " correlation of two splits is assumed, not estimated, and for the folds of a"
    " cross-validation it is a cruder guess still. There, `n_train` and `n_test` are"
    " the sizes for one fold. If there are several seeds in each split, average them"
    " first: one mean per split.",
    "What data of another kind would give. Beyond a point, more splits do not help. If"
    " the same folds also chose the settings, the scores are too good: choose within"
    " each training part. There is no interval here: none is known to hold for"
    " overlapping splits.",
    "Over J random splits (N items to train, M to test), A was D points better"
    " (corrected resampled t-test, a heuristic, p = P).",
    "sec-dependent",
)
SETTINGS = Way(
    "settings",
    "One score for each run; the runs differ in their settings",
    "settings and seeds, as a random search draws them",
    """\
a, b = (search[search.system == system] for system in ("mlp", "lstm"))
pools = a.validation, a.test, b.validation, b.test
gaps = {f"{n} runs": ek.budget_difference(*pools, n) for n in (1, 5, 20)}
costs = a.seconds.mean(), b.seconds.mean()
gaps["50 s"] = ek.budget_difference(*pools, 50, seconds=costs)
adjusted = ek.holm([gap.pvalue for gap in gaps.values()])
for (budget, gap), p in zip(gaps.items(), adjusted):
    ends = f"{gap.low:+.3f} to {gap.high:+.3f}"
    print(f"{budget}: {gap.difference:+.3f} ({ends}), adjusted p = {p:.2g}")
""",
    "Which system is better when both get the same budget, in runs or in seconds: the"
    " difference in the expected test score of the run that is best on validation.",
    "Anything about a grid, a guided search or pruned runs, whose trials are not"
    " independent draws (`Trials` of them are refused), or about budgets above a fifth"
    " of the runs you have. Fix the budget beforehand: if you look at several, adjust"
    " their p-values by Holm, and count all the looks. The p-values above count these"
    " four. This book has looked at more budgets of the same two searches. With eleven"
    " counted, no p at equal runs stays below 0.05 by Holm; a correction that knows how"
    " the budgets hang together leaves some.",
    "Of n random settings each, the best on validation scored D points higher on test"
    " for A than for B (95 % interval L to H).",
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
    "How far off each accuracy could be on other items, and between which two p-values"
    " McNemar's test must lie. With the answers saved, it would be a single p-value.",
    "Anything about the method, since no other seed was tried. It also takes the items"
    " to be independent: lines of one module, as in this example, are not, and the"
    " right intervals are longer. If you can afford one more run, train the *baseline*"
    " with another seed first.",
    "One run each: A% and B% of N items (95 % intervals L to H and L to H); seeds were"
    " not varied.",
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
    "Whether one of them is better on other data sets like these. Several runs on a"
    " data set count once, by their mean. The interval is for the mean difference. The"
    " p is for one pair that was named beforehand. If it is one of several, adjust it,"
    ' as in "Three systems or more on several data sets": there this same pair gets a'
    " larger p.",
    "On which data sets it is better: test each on its own items, and adjust by Holm."
    " With five data sets or fewer, no two-sided p of the signed-rank test is below"
    " 0.0625; the t interval can show more, if you can defend it.",
    "On K data sets, A was better on W (signed-rank test, p = P); mean difference D (95"
    " % interval L to H).",
    "sec-datasets",
)
MANY_ON_DATA_SETS = Way(
    "systems",
    "Three systems or more on several data sets",
    "the data set",
    """\
print(ek.compare_systems(nine, control="linear"))
""",
    "Whether the systems differ at all (Friedman's test), and which of them differ from"
    " one that was named beforehand (`control=`), or from each other. Thirty systems"
    " make 435 pairs, and hardly any p-value survives that many: name a control.",
    "Which is best. A missing score is refused rather than ranked.",
    "On K data sets (Friedman, p = P), A was better than B on W and worse on L"
    " (signed-rank test, Holm over M, p = Q).",
    "sec-datasets",
)
PUBLISHED = Way(
    "published",
    "Printed: mean, spread and number of runs",
    "whatever the authors varied; find out",
    """\
a, b = (91.3, 0.4, 5), (90.5, 0.5, 5)
for spread in ("sd", "se"):
    difference = ek.from_summary(a, b, spread=spread)
    print(f"if the spread is an {spread.upper()}: {difference}")
""",
    "Welch's interval and test for the difference of the two means, if the runs were"
    " independent. Find out whether the spread is a standard deviation (SD) or a"
    " standard error (SE): here the verdict depends on it.",
    "Anything, if the runs were splits of one data set, or if each is the best of"
    " several.",
    "From the printed means, standard deviations and numbers of runs: D (95 % interval"
    " L to H, Welch).",
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
    "Between which two p-values McNemar's test must lie, whatever the answers were; and"
    " whether a printed score is possible at all.",
    "How many runs each number is the best of, which may matter more. And a mean over"
    " several runs is not a count.",
    "From the printed accuracies on N items, McNemar's p lies between P and Q.",
    "sec-mcnemar",
)
AGAINST_PRINTED = Way(
    "own-printed",
    "Your own runs against one printed number",
    "your seed; from them you have a single number",
    """\
printed = 0.61
ours = seeds.test[seeds.system == "mlp"]
next_run = ek.prediction_interval(ours)
print(next_run)
print(f"{printed} inside: {printed in next_run}")
""",
    "Where one more run of yours would lie. If the printed number lies inside, it could"
    " be a run of your own system, and no difference is shown. If it comes with a"
    ' spread and a number of runs, see "Printed: mean, spread and number of runs".',
    "That a number outside belongs to another system: it may be the best of several"
    " runs, or come from another split.",
    "The published score lies inside (outside) the 95 % prediction interval of our S"
    " runs, L to H.",
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
print(ek.detectable_difference(1000, rate=0.9, correlation=0.45))
print(ek.seeds_needed(0.01, sd=0.01), "seeds of each")
""",
    "How often the test would find the difference that matters to you: here, two points"
    " of accuracy on 1,000 items, where the models disagree on 10 %, by the exact test."
    " The second line turns the question round: which difference would be found in 80 %"
    " of cases, if both models are right on nine items in ten? The last says how many"
    " seeds it takes to find a difference of one standard deviation.",
    "Which difference matters. If the power is far below 80 %, get more items or more"
    " seeds before you run.",
    "With N items, a difference of D would be found in P % of cases.",
    "sec-power",
)
EQUAL = Way(
    "equal",
    "To claim that two systems are as good as each other",
    "whatever varied in the difference",
    """\
difference = ek.crossed_difference(right_mlp, right_lstm, items.module)
print(ek.equivalence(difference, 0.02))
""",
    "Whether the difference lies inside a margin that was fixed beforehand, and the"
    " chances that A is better by more than the margin, the same within it, or worse."
    " (These chances are Bayesian, with a flat prior: every difference counts as"
    " equally likely beforehand.) A large p of a test for a difference does not say"
    " this.",
    "Which margin does not matter: that is for you to argue.",
    "A and B were equivalent within M points (the 90 % interval L to H lies inside the"
    " margin; two one-sided tests, p = P).",
    "sec-equivalence",
)
MANY = Way(
    "many",
    "More than one comparison: variants, metrics, a leaderboard",
    "whatever varies in the individual tests",
    """\
print(ek.holm([0.004, 0.012, 0.030, 0.200, 0.650]).round(3))
""",
    "Which differences remain when everything that was tested is counted. They are as"
    " good as the p-values that go in: those of the corrected resampled t-test are a"
    " heuristic, adjusted or not.",
    "How much was gained by a choice that is not in the list, such as ten variants that"
    " were tried and not reported.",
    "The p-values are adjusted by Holm's method for the M comparisons made.",
    "sec-many",
)
