"""The units: a function for each table, from the parameters of a unit to its results.

A unit that stands around a setting holds it, as `settings.write` does: what a later
stage runs depends on an earlier one, what a unit gives does not.
"""

import numpy as np

from lab.papers.melis2017.tasks import ngrams, settings
from lab.papers.melis2017.tasks.search import guided as search
from lab.papers.melis2017.tasks.training import (
    PARAMETERS,
    TOKENS,
    UPDATES,
    Plan,
    cut,
    losses,
    run,
)
from lab.record.tables import pack

# The highway network has the paper's depth; the LSTM and NAS have one layer.
CELLS = {
    "lstm": {"cell": "lstm"},
    "rhn": {"cell": "rhn", "depth": 5},
    "nas": {"cell": "nas"},
}
# By as much as the paper's second budget exceeds its first.
LARGER = round(2.4 * PARAMETERS)
DROPOUTS = ("input_dropout", "state_dropout", "output_dropout")
PASSES_WHOLE = 4
SEQUENCES = 64
# How long the cache remembers, and which weights are tried.
REMEMBERED, WEIGHTS = 500, np.arange(31) / 100
UNREGULARISED = {
    "learning_rate": 0.01,
    "input_embedding_ratio": 0.7,
    **dict.fromkeys(DROPOUTS, 0.0),
    "weight_decay": 0.0,
}


def _documents(by_document):
    """Write the mean loss of each document."""
    return pack([part.mean() for part in by_document], ".5f")


def overfits(cell, seed):
    """Train without any regularisation: the slice must be small enough that this
    overfits within a trial.

    Parameters
    ----------
    cell : str
    seed : int

    Returns
    -------
    dict
        As `training.run` gives it, and packed the losses since the last checkpoint,
        `training`, and at each, `curve`; the learning rate never falls.
    """
    plan = Plan(patience=Plan().checkpoints + 1)
    trained, result = run(
        plan, CELLS[cell], UNREGULARISED, settings.seed_of("overfits", cell, seed)
    )
    training, validation = (pack(curve, ".4f") for curve in trained.curves)
    return {**result, "training": training, "curve": validation}


def pool(cell, trial):
    """Run a random setting on the slice of Brown.

    Parameters
    ----------
    cell : str
    trial : int

    Returns
    -------
    dict
        As `training.run` gives it, and the setting.
    """
    setting = settings.drawn(trial)
    _, result = run(Plan(), CELLS[cell], setting, settings.seed_of("pool", cell, trial))
    return {**result, **setting}


def budget(cell, trial):
    """Run a random setting with 2.4 times the parameters.

    Parameters
    ----------
    cell : str
    trial : int

    Returns
    -------
    dict
        As `training.run` gives it.
    """
    plan, setting = Plan(parameters=LARGER), settings.drawn(trial)
    return run(plan, CELLS[cell], setting, settings.seed_of("budget", cell, trial))[1]


def elsewhere(cell, trial):
    """Run a random setting on docstrings.

    Parameters
    ----------
    cell : str
    trial : int

    Returns
    -------
    dict
        As `training.run` gives it.
    """
    plan, setting = Plan(text="docstrings"), settings.drawn(trial)
    return run(plan, CELLS[cell], setting, settings.seed_of("elsewhere", cell, trial))[
        1
    ]


def widths(cell, trial):
    """Run a random setting with the LSTM's widths, whatever the parameters.

    Parameters
    ----------
    cell : str
    trial : int

    Returns
    -------
    dict
        As `training.run` gives it, and the `parameters` that this takes.
    """
    from lab.papers.melis2017.tasks import networks

    plan, setting, seed = (
        Plan(),
        settings.drawn(trial),
        settings.seed_of("widths", cell, trial),
    )
    size, ratio = plan.encoded.vocabulary, setting["input_embedding_ratio"]
    wide = networks.widths(networks.Architecture(), size, plan.parameters, ratio)
    _, result = run(plan, CELLS[cell], setting, seed, widths=wide)
    return {
        **result,
        "parameters": networks.parameters_of(
            networks.Architecture(**CELLS[cell]), size, *wide
        ),
    }


def guided(cell, search_number, trials):
    """Search for a setting with a guided tuner.

    Parameters
    ----------
    cell : str
    search_number : int
    trials : int

    Returns
    -------
    dict
        Packed, trial by trial, `validations`, `tests` and `processors`; the `best`
        setting, with its `validation` and `test` loss.
    """
    results = []

    def objective(setting):
        seed = settings.seed_of("guided", cell, search_number, len(results))
        results.append(run(Plan(), CELLS[cell], setting, seed)[1])
        return results[-1]["validation"]

    tried, values = search(
        objective, trials, settings.seed_of("tuner", cell, search_number)
    )
    best = int(values.argmin())
    return {
        **{
            f"{name}s": pack([result[name] for result in results], ".6g")
            for name in ("validation", "test", "processor")
        },
        "best": settings.write(tried[best]),
        "validation": results[best]["validation"],
        "test": results[best]["test"],
    }


def seeds(cell, text, of, setting, seed):
    """Train a chosen setting from scratch.

    Parameters
    ----------
    cell : str
    text : {"brown", "docstrings"}
    of : str
        Who chose it.
    setting : str
    seed : int

    Returns
    -------
    dict
        As `training.run` gives it, and packed the mean loss of each test document,
        `documents`.
    """
    plan = Plan(text=text)
    trained, result = run(
        plan,
        CELLS[cell],
        settings.read(setting),
        settings.seed_of("seeds", cell, text, setting, seed),
    )
    return {**result, "documents": _documents(losses(trained.model, plan.encoded.test))}


def lengths(cell, setting, tokens, dropout, seed):
    """Train on more or less text, passing over it as often, with dropout and without.

    Parameters
    ----------
    cell : str
    setting : str
    tokens : int
    dropout : int
        1 or 0.
    seed : int

    Returns
    -------
    dict
        As `training.run` gives it.
    """
    chosen = settings.read(setting)
    if not dropout:
        chosen |= dict.fromkeys(DROPOUTS, 0.0)
    plan = Plan(tokens=tokens, updates=round(UPDATES * tokens / TOKENS))
    return run(
        plan,
        CELLS[cell],
        chosen,
        settings.seed_of("lengths", cell, tokens, dropout, seed),
    )[1]


def released(model, seed):
    """Train the LSTM as small as ours, at a setting that the authors' tuner chose.

    Parameters
    ----------
    model : str
        A key of `settings.RELEASED`.
    seed : int

    Returns
    -------
    dict
        As `training.run` gives it.
    """
    setting = dict(zip(settings.DEEP, settings.RELEASED[model], strict=True))
    architecture = {"cell": "lstm", "depth": settings.RELEASED_DEPTHS[model]}
    return run(
        Plan(), architecture, setting, settings.seed_of("released", model, seed)
    )[1]


def remembered(document):
    """Return how often each token but the first is among the last ones of its document,
    as a share.

    Parameters
    ----------
    document : ndarray of int

    Returns
    -------
    ndarray of float
    """
    return np.array(
        [
            (document[max(0, i - REMEMBERED) : i] == document[i]).mean()
            for i in range(1, len(document))
        ]
    )


def with_cache(by_document, documents, weight):
    """Return the mean loss when a cache of recent tokens is mixed in.

    Parameters
    ----------
    by_document : list of ndarray of float
        As `losses` gives them.
    documents : list of ndarray of int
    weight : float

    Returns
    -------
    float
    """
    model = np.exp(-np.concatenate(by_document))
    cache = np.concatenate([remembered(document) for document in documents])
    return float(-np.log((1 - weight) * model + weight * cache).mean())


def evaluated(cell, setting, seed):
    """Train a good setting, and evaluate it in other ways: with a cache, and cut into
    many sequences.

    Parameters
    ----------
    cell : str
    setting : str
    seed : int

    Returns
    -------
    dict
        As `training.run` gives it; the `cached` test loss and the `weight` of the
        cache; the test text as one sequence and as 64, `one` and `many`, and its first
        tenth likewise, `one_tenth`, `many_tenth`.
    """
    plan, chosen = Plan(), settings.read(setting)
    trained, result = run(
        plan, CELLS[cell], chosen, settings.seed_of("evaluated", cell, seed)
    )
    text = plan.encoded
    validation, test = (
        losses(trained.model, part) for part in (text.validation, text.test)
    )
    weight = min(
        WEIGHTS, key=lambda weight: with_cache(validation, text.validation, weight)
    )
    whole = np.concatenate(text.test)
    for name, tokens in {"": whole, "_tenth": whole[: len(whole) // 10]}.items():
        for kind, count in {"one": 1, "many": SEQUENCES}.items():
            by_document = losses(
                trained.model, cut(tokens, count), at_once=1000, together=count
            )
            result[kind + name] = round(float(np.concatenate(by_document).mean()), 6)
    return {
        **result,
        "cached": round(with_cache(test, text.test, weight), 6),
        "weight": float(weight),
    }


def final(cell, setting, seed):
    """Train the larger models on the whole training part of Brown.

    Parameters
    ----------
    cell : str
    setting : str
    seed : int

    Returns
    -------
    dict
        As `training.run` gives it, and packed the mean loss of each test document,
        `documents`.
    """
    plan = Plan(tokens=None, parameters=LARGER)
    updates = PASSES_WHOLE * len(plan.slice) // (plan.sequences * plan.steps)
    plan = Plan(tokens=None, parameters=LARGER, updates=updates)
    trained, result = run(
        plan, CELLS[cell], settings.read(setting), settings.seed_of("final", cell, seed)
    )
    return {**result, "documents": _documents(losses(trained.model, plan.encoded.test))}


def baselines(text, tokens):
    """Score the unigram and the n-gram, whose order is chosen on validation.

    Parameters
    ----------
    text : {"brown", "docstrings"}
    tokens : int
        Of the training text; 0 for all.

    Returns
    -------
    dict
        The test losses `unigram` and `ngram`, and of each document, packed, `unigrams`
        and `ngrams`; the `order`; how many `tokens_scored` each document has, packed;
        and the different tokens, `vocabulary`.
    """
    plan = Plan(text=text, tokens=tokens or None)
    train, encoded = plan.slice, plan.encoded
    models = [
        ngrams.KneserNey(train, encoded.vocabulary, order) for order in ngrams.ORDERS
    ]
    best = min(
        models,
        key=lambda model: np.concatenate(model.losses(encoded.validation)).mean(),
    )
    by_model = {
        "unigram": ngrams.unigram(train, encoded.test, encoded.vocabulary),
        "ngram": best.losses(encoded.test),
    }
    return {
        **{
            name: round(float(np.concatenate(parts).mean()), 6)
            for name, parts in by_model.items()
        },
        **{f"{name}s": _documents(parts) for name, parts in by_model.items()},
        "order": best.order,
        "tokens_scored": pack([len(document) - 1 for document in encoded.test]),
        "vocabulary": encoded.vocabulary,
    }
