"""How often the corrected t-test errs, by how splits overlap: a table of `error_rates`,
with a known truth.

- `resampled`: scores from overlapping parts of one sample, where their long-run mean is
  known: how often the corrected t rejects it at 5 %, and how far two such scores are
  correlated. On two texts they are the differences of naive Bayes and a linear model
  that `potts2020` recorded, held against their own mean. On digits the truth is the
  mean accuracy of models trained on as many items of other samples.
"""

from functools import partial

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from evalkit.significance import corrected_t
from lab.data import datasets
from lab.record import tables

SAMPLES = 1000  # of digits

# How often a sample is divided, into how many parts, and whether each part is tested
# (folds) or just one.
DESIGNS = {
    "10 splits, a fifth": (10, 5, False),
    "20 splits, a fifth": (20, 5, False),
    "20 splits, a tenth": (20, 10, False),
    "3 x 10 folds": (3, 10, True),
    "10 x 3 folds": (10, 3, True),
    "10 x 10 folds": (10, 10, True),
}
TEXTS = ("docstrings", "sst2")
TEXT_ITEMS = 300
DIGITS = (100, 300)


def _tree(depth, digits, names, train, test):
    model = DecisionTreeClassifier(max_depth=depth, random_state=0)
    fitted = model.fit(digits[train], names[train], check_input=False)
    return np.mean(fitted.predict(digits[test], check_input=False) == names[test])


def _nearest_mean(digits, names, train, test):
    members = np.eye(10)[names[train]]
    sizes = members.sum(axis=0)
    there = sizes > 0  # of a few items, a digit may be missing
    means = (members.T @ digits[train])[there] / sizes[there][:, None]
    far = (means**2).sum(axis=1) - 2 * digits[test] @ means.T
    return np.mean(np.flatnonzero(there)[far.argmin(axis=1)] == names[test])


MODELS = {
    "nearest mean": _nearest_mean,
    "tree of depth 4": partial(_tree, 4),
    "tree of any depth": partial(_tree, None),
}
# One score of a model, or by how much the first of two is ahead.
SCORES = (*TEXTS, *MODELS, "tree of depth 4 minus nearest mean")


def divisions(items, design, rng):
    """Divide a sample again and again.

    Parameters
    ----------
    items : ndarray of int, shape (n,)
    design : str
        Of `DESIGNS`.
    rng : numpy.random.Generator

    Yields
    ------
    train, test : ndarray of int
    """
    times, parts, folds = DESIGNS[design]
    for _ in range(times):
        pieces = np.array_split(rng.permutation(items), parts)
        for tested in range(parts if folds else 1):
            others = [piece for at, piece in enumerate(pieces) if at != tested]
            yield np.concatenate(others), pieces[tested]


def correlation(scores):
    """Estimate how far two scores of one sample are correlated, over samples.

    Parameters
    ----------
    scores : ndarray of float, shape (samples, J)

    Returns
    -------
    float
        The intraclass correlation, by the analysis of variance.
    """
    n = scores.shape[1]
    between, within = (
        n * scores.mean(axis=1).var(ddof=1),
        scores.var(axis=1, ddof=1).mean(),
    )
    return float((between - within) / (between + (n - 1) * within))


def _of_text(data, items, design):
    times, parts, folds = DESIGNS[design]
    tested = items // parts
    table = tables.load_recorded("potts2020", "over_folds" if folds else "over_splits")
    table = table[table.data == data].sort_values("sample")
    if folds:
        differences = np.array(
            [tables.unpack(cell) for cell in table[f"folds_{parts}"]]
        )
    else:
        linear, bayes = (
            np.array([tables.unpack(cell) for cell in table[name]])[:, :times]
            for name in ("linear", "naive_bayes")
        )
        differences = linear - bayes
    # Whole items: equal differences are equal, whatever six digits of an accuracy make
    # of them.
    differences = np.round(tested * differences) / tested
    return differences, float(differences.mean()), items - tested, tested


def _of_digits(scores, items, design):
    digits, names = datasets.load_bundled("digits")
    digits, names = (
        np.ascontiguousarray(digits, dtype=np.float32),
        names.to_numpy().astype(int),
    )
    models = [MODELS[name] for name in scores.split(" minus ")]
    rng = np.random.default_rng(
        [41, SCORES.index(scores), items, list(DESIGNS).index(design)]
    )
    tested = items // DESIGNS[design][1]
    differences, fresh = [], []

    def ahead(*parts):
        first, *second = (model(digits, names, *parts) for model in models)
        return first - sum(second)

    for _ in range(SAMPLES):
        order = rng.permutation(len(digits))
        drawn, others = order[:items], order[items:]
        differences.append([ahead(*parts) for parts in divisions(drawn, design, rng)])
        fresh.append(ahead(drawn[tested:], others))
    return np.array(differences), float(np.mean(fresh)), items - tested, tested


def _resampled(scores, items, design):
    make = _of_text if scores in TEXTS else _of_digits
    differences, truth, n_train, n_test = make(scores, items, design)
    pvalues = [
        corrected_t(
            row, np.full(row.size, truth), n_train=n_train, n_test=n_test
        ).pvalue
        for row in differences
    ]
    return {
        "samples": len(differences),
        "n_train": n_train,
        "n_test": n_test,
        "truth": round(truth, 6),
        "rejected": int(np.sum(np.array(pvalues) <= 0.05)),
        "correlation": round(correlation(differences), 4),
    }


TABLES = {"resampled": _resampled}


def plan():
    """Return the units; none depends on another.

    Returns
    -------
    list of dict
    """
    of_texts = ("10 splits, a fifth", "20 splits, a fifth")
    by_splits = ("20 splits, a fifth", "20 splits, a tenth")
    wanted = [
        *((name, TEXT_ITEMS, design) for name in TEXTS for design in of_texts),
        *(
            ("docstrings", TEXT_ITEMS, design)
            for design in ("3 x 10 folds", "10 x 3 folds")
        ),
        *(
            (name, items, design)
            for name in SCORES[len(TEXTS) :]
            for items in DIGITS
            for design in by_splits
        ),
        *(
            (name, items, "10 x 10 folds")
            for name in SCORES[len(TEXTS) :][:2]
            for items in DIGITS
        ),
    ]
    return [
        {"table": "resampled", "scores": name, "items": items, "design": design}
        for name, items, design in wanted
    ]
