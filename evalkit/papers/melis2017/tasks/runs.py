"""The units: a function for each table, from the parameters of a unit to its results.

A unit that stands around a setting holds it, as `settings.write` does: what a later stage runs depends on an
earlier one, what a unit gives does not.
"""

import time

import numpy as np

from evalkit.papers.melis2017.tasks import ngrams, settings
from evalkit.papers.melis2017.tasks.search import guided as search
from evalkit.papers.melis2017.tasks.training import (
    PARAMETERS,
    TOKENS,
    UPDATES,
    Plan,
    cut,
    losses,
    rates_of,
    run,
)
from evalkit.recorded import pack

# The highway network has the paper's depth; the LSTM and NAS have one layer.
CELLS = {"lstm": {"cell": "lstm"}, "rhn": {"cell": "rhn", "depth": 5}, "nas": {"cell": "nas"}}
# By as much as the paper's second budget exceeds its first.
LARGER = round(2.4 * PARAMETERS)
# Name of a variant to what changes in the architecture, and in the dropout rates.
VARIANTS = {
    "base": ({}, {}),
    "untied embeddings": ({"tied": False}, {}),
    "no projection": ({}, {"input_embedding_ratio": 1.0}),
    "no state dropout": ({}, {"state_dropout": 0.0}),
    "recurrent dropout": ({"state": "recurrent"}, {}),
    "untied gates": ({"gates": "untied"}, {}),
    "tied gates": ({"gates": "tied"}, {}),
    "none between layers": ({}, {"intra_layer_dropout": 0.0}),
}
# Of each range: where a variant is tuned.
AROUND = 0.6
DROPOUTS = ("input_dropout", "state_dropout", "output_dropout")
PASSES_WHOLE = 4
SEQUENCES, MASKS = 64, (1, 10, 100)
# How long the cache remembers, and which weights are tried.
REMEMBERED, WEIGHTS = 500, np.arange(31) / 100
# As late as the last masks are drawn in training.
STEPS = Plan().steps
UNREGULARISED = {
    "learning_rate": 0.01,
    "input_embedding_ratio": 0.7,
    **dict.fromkeys(DROPOUTS, 0.0),
    "weight_decay": 0.0,
}


def _documents(found):
    """Write the mean loss of each document."""
    return pack([part.mean() for part in found], ".5f")


def overfits(cell, seed):
    """Train without any regularisation: the slice must be small enough that this overfits within a trial.

    Parameters
    ----------
    cell : str
    seed : int

    Returns
    -------
    dict
        As `training.run` gives it, and packed the losses since the last checkpoint, `training`, and at each,
        `curve`; the learning rate never falls.
    """
    plan = Plan(patience=Plan().checkpoints + 1)
    trained, result = run(plan, CELLS[cell], UNREGULARISED, settings.seed_of("overfits", cell, seed))
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
    return run(plan, CELLS[cell], setting, settings.seed_of("elsewhere", cell, trial))[1]


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
    from evalkit.papers.melis2017.tasks import networks

    plan, setting, seed = Plan(), settings.drawn(trial), settings.seed_of("widths", cell, trial)
    size, ratio = plan.encoded.vocabulary, setting["input_embedding_ratio"]
    wide = networks.widths(networks.Architecture(), size, plan.parameters, ratio)
    _, result = run(plan, CELLS[cell], setting, seed, widths=wide)
    return {**result, "parameters": networks.parameters_of(networks.Architecture(**CELLS[cell]), size, *wide)}


def two(names, trial):
    """Run the LSTM with two hyperparameters drawn, the rest as released.

    Parameters
    ----------
    names : str
        Of the two.
    trial : int

    Returns
    -------
    dict
        As `training.run` gives it.
    """
    setting = settings.two_of(names.split(), trial)
    return run(Plan(), CELLS["lstm"], setting, settings.seed_of("two", trial))[1]


def grid(place):
    """Run the LSTM at a random place of a grid of five values for each hyperparameter.

    Parameters
    ----------
    place : int
        Its number in the order in which the grid is visited.

    Returns
    -------
    dict
        As `training.run` gives it, and the setting.
    """
    setting = settings.gridded(place)
    return {**run(Plan(), CELLS["lstm"], setting, settings.seed_of("grid", place))[1], **setting}


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
        Packed, trial by trial, `validations`, `tests` and `processors`; the `best` setting, with its
        `validation` and `test` loss.
    """
    results = []

    def objective(setting):
        seed = settings.seed_of("guided", cell, search_number, len(results))
        results.append(run(Plan(), CELLS[cell], setting, seed)[1])
        return results[-1]["validation"]

    tried, values = search(objective, trials, settings.seed_of("tuner", cell, search_number))
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
        As `training.run` gives it, and packed the mean loss of each test document, `documents`.
    """
    plan = Plan(text=text)
    trained, result = run(
        plan, CELLS[cell], settings.read(setting), settings.seed_of("seeds", cell, text, setting, seed)
    )
    return {**result, "documents": _documents(losses(trained.model, plan.encoded.test))}


def arithmetic(setting, order):
    """Train the LSTM with one seed, the sequences of each batch in another order.

    Parameters
    ----------
    setting : str
    order : int
        0 is as they come.

    Returns
    -------
    dict
        As `training.run` gives it.
    """
    plan = Plan()
    places = settings.generator("order", order).permutation(plan.sequences) if order else None
    seed = settings.seed_of("seeds", "lstm", "brown", setting, 0)
    return run(plan, CELLS["lstm"], settings.read(setting), seed, places)[1]


def neighbours(setting, share, draw):
    """Run the LSTM at a random setting from a part of each range around a good one.

    Parameters
    ----------
    setting : str
    share : float
    draw : int

    Returns
    -------
    dict
        As `training.run` gives it.
    """
    drawn = settings.near(settings.read(setting), share, draw)
    return run(Plan(), CELLS["lstm"], drawn, settings.seed_of("neighbours", share, draw))[1]


def ablations(cell, depth, variant, setting, draw):
    """Run a variant of a cell at a random setting around a good one, the same for each variant.

    Parameters
    ----------
    cell : {"lstm", "rhn"}
    depth : int
    variant : str
        A key of `VARIANTS`.
    setting : str
    draw : int

    Returns
    -------
    dict
        As `training.run` gives it.
    """
    architecture, changed = VARIANTS[variant]
    stacked = cell == "lstm" and depth > 1
    ranges = settings.DEEP if stacked else settings.RANGES
    drawn = settings.near(settings.read(setting), AROUND, draw, ranges) | changed
    seed = settings.seed_of("ablations", cell, depth, variant, draw)
    return run(Plan(), {"cell": cell, "depth": depth, **architecture}, drawn, seed)[1]


def factorial(setting, tied, state, capped, seed):
    """Train the LSTM at a good setting with three features on or off.

    Parameters
    ----------
    setting : str
    tied, state, capped : int
        1 or 0: tied embeddings, dropout on states, capped gates or untied ones.
    seed : int

    Returns
    -------
    dict
        As `training.run` gives it.
    """
    chosen = settings.read(setting)
    if not state:
        chosen["state_dropout"] = 0.0
    architecture = {**CELLS["lstm"], "tied": bool(tied), "gates": "capped" if capped else "untied"}
    return run(Plan(), architecture, chosen, settings.seed_of("factorial", tied, state, capped, seed))[1]


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
    return run(plan, CELLS[cell], chosen, settings.seed_of("lengths", cell, tokens, dropout, seed))[1]


def vocabularies(setting, vocabulary, ratio, seed):
    """Train the LSTM with another vocabulary, and with another ratio of the widths.

    Parameters
    ----------
    setting : str
    vocabulary : int
    ratio : float
    seed : int

    Returns
    -------
    dict
        As `training.run` gives it, and how many `tokens` and `words` of the test a loss is of.
    """
    plan = Plan(vocabulary=vocabulary)
    chosen = settings.read(setting) | {"input_embedding_ratio": ratio}
    _, result = run(plan, CELLS["lstm"], chosen, settings.seed_of("vocabularies", vocabulary, ratio, seed))
    text = plan.encoded
    return {**result, "tokens": sum(len(d) - 1 for d in text.test), "words": text.words["test"]}


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
    return run(Plan(), architecture, setting, settings.seed_of("released", model, seed))[1]


def remembered(document):
    """Return how often each token but the first is among the last ones of its document, as a share.

    Parameters
    ----------
    document : ndarray of int

    Returns
    -------
    ndarray of float
    """
    return np.array(
        [(document[max(0, i - REMEMBERED) : i] == document[i]).mean() for i in range(1, len(document))]
    )


def with_cache(found, documents, weight):
    """Return the mean loss when a cache of recent tokens is mixed in.

    Parameters
    ----------
    found : list of ndarray of float
        As `losses` gives them.
    documents : list of ndarray of int
    weight : float

    Returns
    -------
    float
    """
    model = np.exp(-np.concatenate(found))
    cache = np.concatenate([remembered(document) for document in documents])
    return float(-np.log((1 - weight) * model + weight * cache).mean())


def evaluated(cell, setting, seed):
    """Train a good setting, and evaluate it in other ways: with a cache, and cut into many sequences.

    Parameters
    ----------
    cell : str
    setting : str
    seed : int

    Returns
    -------
    dict
        As `training.run` gives it; the `cached` test loss and the `weight` of the cache; the test text as
        one sequence and as 64, `one` and `many`, and its first tenth likewise, `one_tenth`, `many_tenth`.
    """
    plan, chosen = Plan(), settings.read(setting)
    trained, result = run(plan, CELLS[cell], chosen, settings.seed_of("evaluated", cell, seed))
    text = plan.encoded
    validation, test = (losses(trained.model, part) for part in (text.validation, text.test))
    weight = min(WEIGHTS, key=lambda weight: with_cache(validation, text.validation, weight))
    whole = np.concatenate(text.test)
    for name, tokens in {"": whole, "_tenth": whole[: len(whole) // 10]}.items():
        for kind, count in {"one": 1, "many": SEQUENCES}.items():
            found = losses(trained.model, cut(tokens, count), at_once=1000, together=count)
            result[kind + name] = round(float(np.concatenate(found).mean()), 6)
    return {**result, "cached": round(with_cache(test, text.test, weight), 6), "weight": float(weight)}


def masks(setting, seed):
    """Train the LSTM, and average its test probabilities over dropout masks.

    Parameters
    ----------
    setting : str
    seed : int

    Returns
    -------
    dict
        As `training.run` gives it; packed the `counts` of masks, the test loss of the average over so many,
        `averaged`, and the seconds that this takes, `took`.
    """
    from evalkit.models import _one_seeded_thread

    plan, chosen = Plan(), settings.read(setting)
    trained, result = run(plan, CELLS["lstm"], chosen, settings.seed_of("masks", seed))
    averaged, took, summed = [], [], 0.0
    with _one_seeded_thread(settings.seed_of("drawn masks", seed)):
        start = time.process_time()
        for count in range(1, max(MASKS) + 1):
            found = losses(trained.model, plan.encoded.test, rates_of(chosen), at_once=STEPS)
            summed = summed + np.exp(-np.concatenate(found))
            if count in MASKS:
                averaged.append(-np.log(summed / count).mean())
                took.append(time.process_time() - start)
    return {**result, "counts": pack(MASKS), "averaged": pack(averaged, ".6f"), "took": pack(took, ".4g")}


def unseen(cell, setting, seed):
    """Train a good setting, and score every training document that is not in the slice.

    Parameters
    ----------
    cell : str
    setting : str
    seed : int

    Returns
    -------
    dict
        As `training.run` gives it; packed, of each document, how many `tokens` are predicted, their mean
        loss, `means`, and its variance, `variances`.
    """
    plan = Plan()
    trained, result = run(plan, CELLS[cell], settings.read(setting), settings.seed_of("unseen", cell, seed))
    ends = np.cumsum([len(document) for document in plan.encoded.train])
    # The first document that begins after the slice.
    first = int(np.searchsorted(ends, plan.tokens)) + 1
    found = losses(trained.model, plan.encoded.train[first:])
    return {
        **result,
        "tokens": pack([len(part) for part in found]),
        "means": _documents(found),
        "variances": pack([part.var(ddof=1) for part in found], ".5f"),
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
        As `training.run` gives it, and packed the mean loss of each test document, `documents`.
    """
    plan = Plan(tokens=None, parameters=LARGER)
    updates = PASSES_WHOLE * len(plan.slice) // (plan.sequences * plan.steps)
    plan = Plan(tokens=None, parameters=LARGER, updates=updates)
    trained, result = run(plan, CELLS[cell], settings.read(setting), settings.seed_of("final", cell, seed))
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
        The test losses `unigram` and `ngram`, and of each document, packed, `unigrams` and `ngrams`; the
        `order`; how many `tokens_scored` each document has, packed; and the different tokens, `vocabulary`.
    """
    plan = Plan(text=text, tokens=tokens or None)
    train, encoded = plan.slice, plan.encoded
    models = [ngrams.KneserNey(train, encoded.vocabulary, order) for order in ngrams.ORDERS]
    best = min(models, key=lambda model: np.concatenate(model.losses(encoded.validation)).mean())
    found = {
        "unigram": ngrams.unigram(train, encoded.test, encoded.vocabulary),
        "ngram": best.losses(encoded.test),
    }
    return {
        **{name: round(float(np.concatenate(parts).mean()), 6) for name, parts in found.items()},
        **{f"{name}s": _documents(parts) for name, parts in found.items()},
        "order": best.order,
        "tokens_scored": pack([len(document) - 1 for document in encoded.test]),
        "vocabulary": encoded.vocabulary,
    }
