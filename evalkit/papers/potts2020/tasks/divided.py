"""What one division of the data says, what many do, and what tests make of them."""

import warnings

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer, TfidfTransformer
from sklearn.metrics import f1_score
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from evalkit import datasets
from evalkit.papers.potts2020.tasks import systems
from evalkit.papers.potts2020.tasks.data import divide, generator, load
from evalkit.recorded import pack
from evalkit.splits import tokenize

TEST_SHARE = 0.2
SAMPLE, HELD_OUT = 150, 8000
TINY = (20, 30)
SMALL, SMALL_TEST = 100, 8000
# The lines of each sample that the tests are held against, and what is drawn of it.
TESTED, TEST_SPLITS = 300, 20
FOLDINGS = ((3, 10), (10, 3))
TUNED = (1.0, 3.0, 10.0, 30.0)
STRATEGIES = ("most_frequent", "prior", "stratified", "uniform")


def _pair(items, train, test):
    """Return the accuracies of naive Bayes and of the linear model on one division."""
    return [
        float(np.mean(systems.predict(name, items, train, test)[0] == items.labels[test]))
        for name in ("naive_bayes", "linear")
    ]


def splits(data, scheme, split, system):
    """Score a system on one division of the standard sizes.

    Parameters
    ----------
    data : str
    scheme : {"stratified", "random", "standard"}
    split : int
        Also the seed of the shallow classifier; under "standard" it is nothing else.
    system : {"dummy", "naive_bayes", "linear", "shallow"}

    Returns
    -------
    dict
        And how far, in items, a class is at most from its share of the test part.
    """
    items = load(data)
    if scheme == "standard":
        train, test = np.flatnonzero(~items.standard), np.flatnonzero(items.standard)
    else:
        size = TEST_SHARE if items.standard is None else int(items.standard.sum())
        rng = generator("splits", data, scheme, split)
        train, test = divide(items, size, rng, stratify=scheme == "stratified")
    predicted = systems.predict(system, items, train, test, seed=split)[0]
    counts = np.bincount(items.labels[test], minlength=items.labels.max() + 1)
    expected = np.bincount(items.labels) * len(test) / len(items)
    return {
        "n_test": len(test),
        "off_share": round(float(np.abs(counts - expected).max()), 3),
        **systems.scores(items, test, predicted),
    }


def sizes(data, size, split):
    """Score the linear model where it has so many items in all, four in five of them to train on.

    Parameters
    ----------
    data : str
    size, split : int

    Returns
    -------
    dict
        `accuracy`; and `tuned`, with the strength of regularisation chosen on a fifth of the training part.
    """
    items, rng = load(data), generator("sizes", data, size, split)
    among = np.arange(len(items))
    if size < len(items):
        among = divide(items, size, rng)[1]
    train, test = divide(items, TEST_SHARE, rng, among=among)
    (seen, asked), true = systems.features(items, train, test), items.labels
    accuracy = systems.linear().fit(seen, true[train]).score(asked, true[test])
    fit, dev = divide(items, TEST_SHARE, rng, among=train)
    part, held = systems.features(items, fit, dev)
    on_dev = [systems.linear(C=c).fit(part, true[fit]).score(held, true[dev]) for c in TUNED]
    chosen = TUNED[int(np.argmax(on_dev))]
    tuned = accuracy
    if chosen != systems.C:
        tuned = systems.linear(C=chosen).fit(seen, true[train]).score(asked, true[test])
    return {"accuracy": round(accuracy, 6), "tuned": round(tuned, 6), "chosen": chosen}


def small(data, draw):
    """Train the linear model on 100 items drawn anew, and score it on 100 others and on thousands.

    Parameters
    ----------
    data : str
    draw : int

    Returns
    -------
    dict
    """
    items = load("all_docstrings" if data == "docstrings" else data)
    order = generator("small", data, draw).permutation(len(items))
    train, few, many = np.split(order[: 2 * SMALL + SMALL_TEST], [SMALL, 2 * SMALL])
    on_few, on_many = systems.predict("linear", items, train, few, many)
    return {
        "few": round(float(np.mean(on_few == items.labels[few])), 6),
        "many": round(float(np.mean(on_many == items.labels[many])), 6),
        "n_many": len(many),
    }


def _sample_and_rest(items, size, rng):
    rest, sample = divide(items, size, rng)
    return sample, rest[:HELD_OUT]


def _folds_right(items, sample, folds):
    """Return the share of a sample that cross-validation answers rightly."""
    right = 0
    for train, test in folds:
        predicted = systems.predict("linear", items, sample[train], sample[test])[0]
        right += int(np.sum(predicted == items.labels[sample[test]]))
    return right / len(sample)


def _truth(items, sample, rest):
    predicted = systems.predict("linear", items, sample, rest)[0]
    return float(np.mean(predicted == items.labels[rest]))


def _five(items, sample, state):
    labels = items.labels[sample]
    if np.bincount(labels).max() < 5:
        # scikit-learn refuses where no class has an item for each fold: dealt out, class by class.
        order = np.random.default_rng(state).permutation(len(sample))
        order = order[np.argsort(labels[order], kind="stable")]
        return [(np.setdiff1d(order, order[i::5]), np.sort(order[i::5])) for i in range(5)]
    with warnings.catch_warnings():
        # Of twenty items, some class has fewer than there are folds; the claim is about just that.
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        return list(StratifiedKFold(5, shuffle=True, random_state=state).split(sample, labels))


def estimated(data, sample):
    """Estimate the linear model on 150 items by one split and by five folds, and measure what is true.

    Parameters
    ----------
    data : str
    sample : int

    Returns
    -------
    dict
        `one_split`, `five_folds`, and the `truth`: the accuracy on up to 8,000 others of the model that was
        fitted to all 150.
    """
    items, rng = (
        load("all_docstrings" if data == "docstrings" else data),
        generator("estimated", data, sample),
    )
    chosen, rest = _sample_and_rest(items, SAMPLE, rng)
    train, test = divide(items, TEST_SHARE, rng, among=chosen)
    predicted = systems.predict("linear", items, train, test)[0]
    folds = _five(items, chosen, int(rng.integers(2**32)))
    return {
        "one_split": round(float(np.mean(predicted == items.labels[test])), 6),
        "five_folds": round(_folds_right(items, chosen, folds), 6),
        "truth": round(_truth(items, chosen, rest), 6),
    }


def tiny(data, size, sample):
    """Estimate the linear model on 20 or 30 items by leaving one out and by five folds.

    Parameters
    ----------
    data : str
    size, sample : int

    Returns
    -------
    dict
        And the `truth`, and what the `dummy` that knows the commonest class of the sample gets there.
    """
    items, rng = (
        load("all_docstrings" if data == "docstrings" else data),
        generator("tiny", data, size, sample),
    )
    # Drawn until there are two classes: a model needs them.
    while True:
        order = rng.permutation(len(items))
        chosen, rest = order[:size], order[size:][:HELD_OUT]
        counts = np.bincount(items.labels[chosen])
        if (counts > 0).sum() > 1 and counts.max() < size - 1:
            break
    return {
        "leave_one_out": round(_folds_right(items, chosen, LeaveOneOut().split(chosen)), 6),
        "five_folds": round(_folds_right(items, chosen, _five(items, chosen, int(rng.integers(2**32)))), 6),
        "truth": round(_truth(items, chosen, rest), 6),
        "dummy": round(float(np.mean(items.labels[rest] == counts.argmax())), 6),
    }


def folds(data, size, k, partition):
    """Cross-validate the linear model with K folds.

    Parameters
    ----------
    data : str
    size : int
        How many items are drawn, once; 0 for all.
    k, partition : int

    Returns
    -------
    dict
    """
    items = load(data)
    chosen = np.arange(len(items))
    if size:
        chosen = divide(items, size, generator("folds", data, size))[1]
    splitter = StratifiedKFold(k, shuffle=True, random_state=partition)
    right = _folds_right(items, chosen, splitter.split(chosen, items.labels[chosen]))
    return {"items": len(chosen), "accuracy": round(right, 6)}


def _tested(data, sample):
    items = load("all_docstrings" if data == "docstrings" else data)
    return items, divide(items, TESTED, generator("tested", data, sample))[1]


def over_splits(data, sample):
    """Compare naive Bayes with the linear model over 20 random splits of a sample of 300 items.

    Parameters
    ----------
    data : str
    sample : int

    Returns
    -------
    dict
        The accuracies of both, split by split.
    """
    items, chosen = _tested(data, sample)
    rng = generator("over_splits", data, sample)
    pairs = [_pair(items, *divide(items, TEST_SHARE, rng, among=chosen)) for _ in range(TEST_SPLITS)]
    first, second = np.array(pairs).T
    return {"naive_bayes": pack(first, ".6f"), "linear": pack(second, ".6f")}


def over_folds(data, sample):
    """Compare the same two over ten partitions into 3 folds and over three into 10.

    Parameters
    ----------
    data : str
    sample : int

    Returns
    -------
    dict
        The differences, linear model minus naive Bayes, fold by fold.
    """
    items, chosen = _tested(data, sample)
    found = {}
    for k, times in FOLDINGS:
        differences = []
        for partition in range(times):
            splitter = StratifiedKFold(k, shuffle=True, random_state=partition)
            for train, test in splitter.split(chosen, items.labels[chosen]):
                bayes, linear = _pair(items, chosen[train], chosen[test])
                differences.append(linear - bayes)
        found[f"folds_{k}"] = pack(differences, ".6f")
    return found


def splitters(data):
    """Cross-validate with five folds by the four splitters that one may mean, items in stored order.

    Parameters
    ----------
    data : {"wine", "docstrings", "tweets"}

    Returns
    -------
    dict
        Mean accuracy by `cv=5` as an integer, `KFold`, `KFold` shuffled and `StratifiedKFold` shuffled; and
        the share of macro F1 by `scoring="f1_macro"` under the first.
    """
    items = load(data)
    X = systems.features(items, np.arange(len(items)))[0]
    shuffled = {"shuffle": True, "random_state": 0}
    splitter = {
        "integer": 5,
        "plain": KFold(5),
        "shuffled": KFold(5, **shuffled),
        "stratified": StratifiedKFold(5, **shuffled),
    }
    found = {
        name: round(float(cross_val_score(systems.linear(), X, items.labels, cv=cv).mean()), 6)
        for name, cv in splitter.items()
    }
    scored = cross_val_score(systems.linear(), X, items.labels, cv=splitter["integer"], scoring="f1_macro")
    return {**found, "f1_macro": round(float(scored.mean()), 6)}


def dummies(data, split):
    """Score every strategy of scikit-learn's dummy, and the linear model, by three metrics.

    Parameters
    ----------
    data : str
    split : int

    Returns
    -------
    dict
        For each strategy, and "linear", its accuracy, macro F1 and weighted F1, packed.
    """
    items = load(data)
    train, test = divide(items, TEST_SHARE, generator("dummies", data, split))
    true = items.labels[test]
    answers = {
        strategy: DummyClassifier(strategy=strategy, random_state=split)
        .fit(np.zeros((len(train), 1)), items.labels[train])
        .predict(np.zeros((len(test), 1)))
        for strategy in STRATEGIES
    }
    answers["linear"] = systems.predict("linear", items, train, test)[0]
    return {
        name: pack(
            [
                np.mean(a == true),
                systems.macro_f1(true, a),
                f1_score(true, a, average="weighted", zero_division=0),
            ],
            ".6f",
        )
        for name, a in answers.items()
    }


# What a partial input keeps of a line.
PARTS = {
    "whole": lambda words: words,
    "first_word": lambda words: words[:1],
    "last_word": lambda words: [word for word in words if word.isalnum()][-1:],
    "function_words": lambda words: [word for word in words if word in ENGLISH_STOP_WORDS],
    "length": lambda words: [f"words_{len(words)}"],
}


def partial(part):
    """Let the linear model see a part of each line of the package task that should not suffice.

    Parameters
    ----------
    part : str
        One of `PARTS`.

    Returns
    -------
    dict
        Its right answers, those of the best dummy, and how many items were asked.
    """
    task = datasets.package_task()
    keep = PARTS[part]
    count = CountVectorizer(analyzer=lambda text: keep(tokenize(text)))
    weigh = make_pipeline(count, TfidfTransformer(sublinear_tf=True))
    model = systems.linear().fit(weigh.fit_transform(task.train.text), task.train.label)
    right = model.predict(weigh.transform(task.test.text)) == task.test.label
    commonest = task.train.label.value_counts().index[0]
    return {
        "right": int(right.sum()),
        "dummy": int((task.test.label == commonest).sum()),
        "items": len(right),
    }
