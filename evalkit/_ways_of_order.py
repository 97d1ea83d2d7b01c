"""Where "Which test do I need?" ends for items that are not paired, not independent or
not all there: separate groups, order in time, games, times, families, early looks.
"""

from evalkit._ways import Way

TWO_SHARES = Way(
    key="separate",
    title="Two groups of items, right or wrong",
    varies="the items of both groups, drawn separately",
    data="""\
# The MLP answered the first half of the test lines, the LSTM the second.
half = len(gold) // 2
a, b = right_mlp[0, :half], right_lstm[0, half:]
""",
    needs={
        "a": "1 or 0: whether A is right on each of its items",
        "b": "the same for B, on items of its own",
    },
    call="""\
print(ek.proportion_difference(sum(a), len(a), sum(b), len(b)))
""",
    answers=(
        "Whether A is right more often than B on items like these, when each had its"
        " own. McNemar's test is not for this: there are no pairs."
    ),
    cannot=(
        "Whether the two groups were alike before. If items were not assigned by lot,"
        " the difference may be that of the items. If both systems could answer the"
        " same items, let them: pairs say more. A user who comes back is a group: see"
        ' "Two groups of items, which come in groups themselves". Users who came late'
        " had less time: count those who did it within so many days, among all who were"
        " seen that long."
    ),
    write=(
        "A was right on N of M items and B on K of L others: a difference of D"
        " points (95 % interval L to H; Newcombe's hybrid score interval)."
    ),
    section="sec-difference",
)
TWO_MEANS = Way(
    key="separate-scores",
    title="Two groups of items, each with a score",
    varies="the items of both groups, drawn separately",
    data="""\
# The score of a line is the share of the networks that are right.
half = len(gold) // 2
a, b = right_mlp[:, :half].mean(axis=0), right_lstm[:, half:].mean(axis=0)
""",
    needs={
        "a": "A's score on each of its items",
        "b": "B's scores on items of its own",
    },
    call="""\
print(ek.difference_interval(a, b, paired=False))
""",
    answers=(
        "How far apart the means are: Welch's t, for which the two groups may differ"
        " in size and in spread."
    ),
    cannot=(
        "Whether the two groups were alike before. If items were not assigned by"
        " lot, the difference may be that of the items. Before and after a change are"
        " not two systems: with a control that did not change, take each unit's change"
        " as its score; without one, anything else may have changed. A time"
        " that has not ended (a user who is still there, a request that was cut off)"
        " is not a score, and leaving it out misleads: compare the shares that ended"
        " by a fixed day, or use a log-rank test. With a few huge scores (money,"
        " tokens) a mean needs many items: look at the picture first."
    ),
    write=(
        "The mean over N items of A and M others of B differed by D (95 % interval L"
        " to H, Welch)."
    ),
    section="sec-difference",
)
SEPARATE_GROUPS = Way(
    key="separate-groups",
    title="Two groups of items, which come in groups themselves",
    varies="the users, documents or modules of both sides",
    data="""\
# Every second module is the MLP's, the others are the LSTM's.
module = pd.factorize(items.module)[0]
to_a = module % 2 == 0
scores_a, groups_a = pd.Series(right_mlp[0][to_a]), module[to_a]
scores_b, groups_b = pd.Series(right_lstm[0][~to_a]), module[~to_a]
""",
    needs={
        "scores_a": "A's score on each of its items: a pandas Series",
        "groups_a": "the group of each",
        "scores_b": "B's scores on items of its own: a Series",
        "groups_b": "the group of each",
    },
    call="""\
means_a = scores_a.groupby(groups_a).mean()
means_b = scores_b.groupby(groups_b).mean()
print(ek.difference_interval(means_a, means_b, paired=False))
""",
    answers=(
        "Whether A scores higher than B with other users, or on other documents."
        " Each group counts once, by its mean, so that a user with a thousand items"
        " weighs no more than one with three."
    ),
    cannot=(
        "The difference per item, if large groups score otherwise than small ones: for"
        ' that see "Two groups of users, and a ratio of two sums: clicks over views".'
        " A group that met both systems is a pair: see"
        ' "Two fitted models, items in groups". With fewer than about ten groups a'
        " side the interval is too wide to decide much."
    ),
    write=(
        "Over N groups of A and M others of B, the mean of the group means differed"
        " by D (95 % interval L to H, Welch)."
    ),
    section="sec-few-groups",
)
SEPARATE_SUMS = Way(
    key="separate-sums",
    title="Two groups of users, and a ratio of two sums: clicks over views",
    varies="the users, or documents, of both sides",
    data="""\
# Every second module is the MLP's; it has right answers, and lines.
of = pd.DataFrame({"a": right_mlp[0], "b": right_lstm[0], "lines": 1})
of = of.groupby(pd.factorize(items.module)[0]).sum()
top_a, bottom_a = of.a[::2].to_numpy(), of.lines[::2].to_numpy()
top_b, bottom_b = of.b[1::2].to_numpy(), of.lines[1::2].to_numpy()
""",
    needs={
        "top_a": "the clicks of each of A's users: an array",
        "bottom_a": "the views of each",
        "top_b": "the same for B's users",
        "bottom_b": "the same for B's users",
    },
    call="""\
import numpy as np

# Users of the other side add nothing.
zero_a, zero_b = np.zeros(len(top_a)), np.zeros(len(top_b))
sums_a = np.append(top_a, zero_b), np.append(bottom_a, zero_b)
sums_b = np.append(zero_a, top_b), np.append(zero_a, bottom_b)
print(ek.ratio_difference(*sums_a, *sums_b, None))
""",
    answers=(
        "How far all clicks over all views would differ with other users. A user with"
        " a thousand views weighs more than one with three, as in the ratio itself."
    ),
    cannot=(
        "Whether users were assigned by lot. Where few users have most of the views,"
        " no such interval is known to hold: compare each user's own ratio, as in"
        ' "Two groups of items, which come in groups themselves".'
    ),
    write=(
        "Clicks over views of N users of A and M others of B differed by D (95 %"
        " interval L to H over users; CR2 of the linearised ratios)."
    ),
    section="sec-few-groups",
)
ORDERED = Way(
    key="ordered",
    title="Scores in the order of time",
    varies="stretches of time that are long enough to be independent",
    data="""\
# Two models on the problems of LiveCodeBench, from the oldest to the newest.
order = problems.date.argsort(kind="stable")
a = solved["GPT-4-Turbo-1106"].to_numpy()[order]
b = solved["GPT-4-0613"].to_numpy()[order]
""",
    needs={
        "a": "A's scores in the order of time: an array",
        "b": "B's scores at the same times",
    },
    call="""\
blocks = ek.time_blocks(a - b)
print(ek.crossed_difference(a, b, blocks))
""",
    answers=(
        "Whether A is better than B in other stretches of time like this one."
        " Neighbours may be alike: the blocks are several times as long as"
        " differences stay alike, and each counts as a group. Where the window is too"
        " short for eight such blocks, none are given."
    ),
    cannot=(
        "What comes after a change: if the difference drifts, its mean is about a past"
        " that does not return. A slow change under much noise shows in no short"
        " window, and makes the interval too short. Before and after one change are not"
        " two systems: subtract a control that did not change. All steps ahead of one"
        " forecast count once, by their mean. Scores of overlapping windows repeat each"
        " other's data: take the items or days that they are made of. Fewer than 40"
        " values are refused: for those the test of Diebold and Mariano, with Harvey's"
        " correction, finds large differences only."
    ),
    write=(
        "Over N days in K blocks of L, A scored D higher than B (95 % interval L to"
        " H over blocks)."
    ),
    section="sec-grouped-items",
)
RELATED = Way(
    key="related",
    title="Tasks, templates or judges in families",
    varies="the families: benchmarks of one source, judges of one maker",
    data="""\
# Twelve language models find errors under two templates; some have one maker.
right = mistakes.verdict.eq(mistakes.label).astype(float)
of_model = right.groupby([mistakes.template, mistakes.model]).mean()
a, b = of_model["1"], of_model["2"]
of_one_maker = {"Mixtral": "Mistral", "gemini": "google", "gemma": "google"}
families = a.index.str.extract(r"^([a-zA-Z]+)")[0].replace(of_one_maker)
""",
    needs={
        "a": "A's score on each task, or from each judge",
        "b": "B's scores, in the same order",
        "families": "the family of each task or judge",
    },
    call="""\
print(ek.crossed_difference(a, b, families))
""",
    answers=(
        "Whether A is better than B on tasks of other families, or with judges of"
        " other families. Three versions of one benchmark are not three benchmarks:"
        " taken as separate, they make a test err several times as often as it says."
    ),
    cannot=(
        "Much with very few families: then no interval is given, or one that excludes"
        " little. Which family each is of is for you to say, and to print."
    ),
    write=(
        "On N tasks in G families, A was D points better (95 % interval L to H over"
        " families, CR2)."
    ),
    section="sec-grouped-items",
)
TIMES = Way(
    key="times",
    title="How long requests took: two separate samples",
    varies="the requests of both systems, drawn separately",
    data="""\
# The training times of the networks stand in for requests: seconds.
a, b = (seeds.seconds[seeds.system == system] for system in ("lstm", "mlp"))
""",
    needs={
        "a": "how long each request to A took",
        "b": "how long each of the others, to B, took",
    },
    call="""\
import numpy as np


def p90(times):
    return np.quantile(times, 0.9)


print(ek.difference_interval(a, b, np.median, paired=False, rng=0))
print(ek.difference_interval(a, b, p90, paired=False, rng=0))
""",
    answers=(
        "How far apart the medians are, and the times that nine requests in ten stay"
        " below. A request that was cut off took longer than its limit: a quantile"
        " below that limit can still be read. Put the quantile that you promised in its"
        " place. How often A is the quicker one is asked by"
        " `scipy.stats.brunnermunzel`."
    ),
    cannot=(
        "What another start or machine would give: requests of a few runs are not"
        ' independent, so take the quantile of each run, and see "One score for each'
        ' run; the runs differ in the seed". Much about p99 with fewer than a thousand'
        " requests of each: it hangs on the ten slowest. Nor anything under another"
        ' load. If a slow request slows the next, see "How long requests took, one'
        ' after another". Start A and B in turn; `seeds_needed` says how many starts it'
        " takes. Before and after a change are not two systems. These intervals have no"
        " p for Holm: for many benchmarks repeat each, and take its runs."
    ),
    write=(
        "The 90 % quantile of N requests to A was D seconds above that of M to B (95"
        " % BCa bootstrap interval L to H)."
    ),
    section="sec-latency",
)
TIMES_PAIRED = Way(
    key="times-paired",
    title="How long the same requests took on both",
    varies="the requests; both systems get each of them",
    data="""\
# Training times again, as if the same seed made the same request.
a, b = (
    seeds[seeds.system == system].set_index("seed").seconds.sort_index()
    for system in ("lstm", "mlp")
)
""",
    needs={
        "a": "how long each request took on A",
        "b": "how long it took on B, in the same order",
    },
    call="""\
import numpy as np


def p90(times):
    return np.quantile(times, 0.9)


print(ek.difference_interval(a, b, p90, paired=True, rng=0))
print(ek.difference_interval(np.log(a), np.log(b), paired=True))  # a ratio
""",
    answers=(
        "How far apart the two quantiles are, when the same requests are drawn for"
        " both; and by which factor one is slower than the other on a typical request"
        " (the exponential of the second line)."
    ),
    cannot=(
        "Which requests are slower: the difference of two quantiles is not the quantile"
        " of the differences. Nor anything under another load. A time that was cut off,"
        " left out or set to its limit, biases the ratio. Compare which finished, as"
        " right or wrong; among the rest, who was quicker."
    ),
    write=(
        "On the same N requests, A took D % longer (geometric mean of the ratios; 95"
        " % interval L to H)."
    ),
    section="sec-latency",
)
TIMES_ORDERED = Way(
    key="times-ordered",
    title="How long requests took, one after another",
    varies="stretches of time that are long enough to be independent",
    data="""\
# The training times of a search, in the order of its trials, and a limit.
of_a, of_b = (
    search[search.system == system].sort_values("finished").seconds
    for system in ("lstm", "mlp")
)
limit = 4  # seconds
""",
    needs={
        "of_a": "how long A's requests took, in their order",
        "of_b": "the same for B",
        "limit": "the time that was fixed beforehand",
    },
    call="""\
import pandas as pd

late = [pd.Series([float(time > limit) for time in times])
        for times in (of_a, of_b)]
by_block = [one.groupby(ek.time_blocks(one)).mean() for one in late]
print(ek.difference_interval(*by_block, paired=False))
""",
    answers=(
        "How far apart the shares of late requests are, when stretches of time vary"
        " and not single requests. A queue makes neighbours alike, and counting them"
        " as independent makes every interval too short."
    ),
    cannot=(
        "Anything under another load. If both ran at the same time of the same day,"
        ' the blocks are pairs: see "Scores in the order of time".'
    ),
    write=(
        "Of A's requests, D points more were late than of B's (limit T; 95 %"
        " interval L to H over blocks of N requests)."
    ),
    section="sec-latency",
)
GAMES = Way(
    key="games",
    title="Two players, game by game",
    varies="the games, each of them independent",
    data="""\
# A game is a problem of LiveCodeBench: more right answers of ten win. One
# problem of each contest is taken, so that the games are independent.
one_each = ~problems.duplicated(["platform", "date"])
edge = solved["GPT-4-Turbo-1106"] - solved["GPT-4-0613"]
a = (edge[one_each] > 0) + 0.5 * (edge[one_each] == 0)
b = 1 - a
""",
    needs={
        "a": "A's points in each game: 1, 0.5 for a draw, 0",
        "b": "B's points",
    },
    call="""\
print(ek.crossed_difference(a, b))
print(ek.mcnemar(int((a > b).sum()), int((b > a).sum())))  # without draws
""",
    answers=(
        "How many more points a game A takes than B, draws counted as halves; and"
        " whether it wins more of the games that were decided (a sign test)."
    ),
    cannot=(
        'Anything about other players: see "Three players or more". If each opening'
        ' was played twice with sides changed, its two games are a pair: see "Two'
        ' players, games in pairs".'
    ),
    write=(
        "Of N games A won W, lost L and drew D: G points a game more than B (95 %"
        " interval L to H)."
    ),
    section="sec-ratings",
)
GAME_PAIRS = Way(
    key="game-pairs",
    title="Two players, games in pairs",
    varies="the openings or prompts, each with its games",
    data="""\
# A game is a problem, and a contest stands in for an opening.
edge = solved["GPT-4-Turbo-1106"] - solved["GPT-4-0613"]
a = (edge > 0) + 0.5 * (edge == 0)
b = 1 - a
openings = problems.platform + " " + problems.date.astype(str)
""",
    needs={
        "a": "A's points in each game: 1, 0.5 for a draw, 0",
        "b": "B's points",
        "openings": "the opening, or the prompt, of each game",
    },
    call="""\
print(ek.crossed_difference(a, b, openings))
""",
    answers=(
        "How many more points a game A takes than B with other openings. Two games"
        " of one opening lean the same way or, with sides changed, opposite ways:"
        " either makes games that are counted one by one say too much or too little."
    ),
    cannot=(
        "What happens from openings of another kind. With fewer than about ten"
        " openings the interval excludes little."
    ),
    write=(
        "Over N games from K openings, A took G points a game more than B (95 %"
        " interval L to H over openings)."
    ),
    section="sec-ratings",
)
RATINGS = Way(
    key="ratings",
    title="Three players or more",
    varies="the prompts or openings, each with all its games",
    data="""\
# Four models meet at each problem of LiveCodeBench; contests are openings.
from itertools import combinations

names = ["GPT-4-Turbo-1106", "GPT-4-0613", "Claude-3-Opus", "Mistral-Large"]
contest = problems.platform + " " + problems.date.astype(str)
games = pd.concat([
    pd.DataFrame({"opening": contest, "first": one, "second": other,
                  "points": (1 + np.sign(solved[one] - solved[other])) / 2})
    for one, other in combinations(names, 2)
])
a, b = names[:2]
""",
    needs={
        "games": "a table: opening, first, second, points of the first (1, 0.5 or 0)",
        "a": "the name of one player, chosen beforehand",
        "b": "the name of the other",
    },
    call="""\
import numpy as np
from sklearn.linear_model import LogisticRegression

players = sorted({*games["first"], *games["second"]})
pairs = ["first", "second"]
by = games.groupby(["opening", *pairs]).points.agg(["sum", "count"])
place, n = by.index.codes[0], len(by.index.levels[0])


def lead(drawn):  # a's rating minus b's, by Bradley and Terry's model
    times = np.bincount(np.asarray(drawn, dtype=int), minlength=n)
    met = by.mul(times[place], axis=0).groupby(pairs).sum()
    one, other = (met.index.get_level_values(i) for i in (0, 1))
    sides = np.array([1.0 * (one == p) - (other == p) for p in players]).T
    won = met["sum"].to_numpy()
    model = LogisticRegression(C=np.inf, fit_intercept=False)
    model.fit(np.tile(sides, (2, 1)), np.repeat([1, 0], len(met)),
              sample_weight=np.concatenate([won, met["count"] - won]))
    rating = dict(zip(players, 400 / np.log(10) * model.coef_[0]))
    return rating[a] - rating[b]


print(ek.bootstrap_interval(np.arange(n), lead, method="percentile",
                            n_resamples=999, rng=0))
""",
    answers=(
        "How far one player is ahead of another, from all games, those against third"
        " players too; 400 points are ten wins to one. Draws count as halves. Elo's"
        " rating, updated game by game, depends on the order of the games."
    ),
    cannot=(
        "Anything about players who did not meet, even through others. A model in which"
        " a beats b, b beats c and c beats a has no ratings: look at the pairs. And a"
        " pair that was picked after looking is one of many: adjust. Voters who come"
        " back vote alike: put the voter in place of the opening. For the ranks of all,"
        " draw once for all players, and count in how many draws each order holds."
    ),
    write=(
        "By Bradley and Terry's model of N games, A was rated G points above B (95 %"
        " bootstrap interval L to H over openings)."
    ),
    section="sec-ratings",
)
METRICS = Way(
    key="metrics",
    title="Several metrics of the same answers",
    varies="the test items, or their groups",
    data="""\
# Ten answers to each problem of LiveCodeBench, scored in three ways.
def scored(name):
    share = solved[name]
    return {"right on average": share, "right once": 1.0 * (share > 0),
            "right always": 1.0 * (share == 1)}


a, b = scored("GPT-4-Turbo-1106"), scored("GPT-4-0613")
groups = problems.platform + " " + problems.date.astype(str)
""",
    needs={
        "a": '{"metric": A\'s score on each item, ...}',
        "b": "the same for B, items in the same order",
        "groups": "the group of each item, or None where items are independent",
    },
    call="""\
gaps = {name: ek.crossed_difference(a[name], b[name], groups) for name in a}
adjusted = ek.holm([gap.pvalue for gap in gaps.values()])
for (name, gap), p in zip(gaps.items(), adjusted):
    ends = f"{gap.low:+.3f} to {gap.high:+.3f}"
    print(f"{name}: {gap.difference:+.3f} ({ends}), adjusted p = {p:.3f}")
""",
    answers=(
        "Which metrics differ, when all that were computed are counted. If one was"
        " named before the scores were seen, it needs no adjustment, and the others"
        " are extra."
    ),
    cannot=(
        "Which metric is the right one. Metrics of the same answers move together, so"
        " Holm's method is careful here rather than exact. A metric that was chosen"
        " because it came out best tests nothing. A metric that no single item has"
        " (AUC) takes the call of its own way, and so do separate users: put their"
        " p-values into `holm` here. Sensitivity is right or wrong on the ill alone,"
        " specificity on the healthy alone."
    ),
    write=(
        "Of M metrics (Holm), A was better on K; accuracy differed by D (95 %"
        " interval L to H, p = P)."
    ),
    section="sec-many",
)
EARLY = Way(
    key="early",
    title="You looked before all was in",
    varies="whatever varies in the test, at each of the looks",
    data="""\
# Five looks at two lists of networks: after 20, 40, 60, 80 and 100 of each.
looks = [0.2, 0.4, 0.6, 0.8, 1]
a, b = (seeds.test[seeds.system == system] for system in ("mlp", "lstm"))
pvalues = [
    ek.difference_interval(a[: round(100 * part)], b[: round(100 * part)],
                           paired=False).pvalue
    for part in looks
]
""",
    needs={
        "looks": "the share of the planned data that was in at each look: 1 is all",
        "pvalues": "the two-sided p-value at each look",
    },
    call="""\
plan = ek.spending_bounds(looks)
for look, p, bound in zip(looks, pvalues, plan.pvalue):
    print(f"{look:.0%} of the data: p = {p:.2g}, stop if at most {bound:.2g}")
""",
    answers=(
        "At which p-value each look may stop, so that all of them together err in 5"
        " % of cases. The early looks get little (O'Brien and Fleming's way), and the"
        " last nearly all."
    ),
    cannot=(
        "Anything where the end was not planned: to go on until p is small has no such"
        " bound. Then call the result exploratory, and run it again on new data. For"
        " looks without a planned end there are sequential tests (SPRT) and intervals"
        " that are always valid. Nor may the interval be read as usual after an early"
        " stop: the difference is then too large on average. To stop by hand because it"
        " looks bad makes no false gain likelier, but misses true ones."
    ),
    write=(
        "We planned K looks (O'Brien-Fleming spending, 5 % in all) and stopped at"
        " the one after N of M items (p = P, bound Q)."
    ),
    section="sec-optional-stopping",
)
