"""One trial: a language model trained on a slice of a text, with the paper's rules in
proportion.

What is kept of a trial is its checkpoint with the best validation loss. Losses are in
nats per token.
"""

import functools
import itertools
import time
from dataclasses import dataclass

import numpy as np

from lab import _extras
from lab.models import _one_seeded_thread
from lab.papers.melis2017.tasks.text import encoded, slice_of

# As in the paper: Adam without a mean of the gradients; at random a batch begins with
# the zero state, as the test does; the learning rate falls to a tenth where validation
# has not improved for long.
BETAS, CLIPPED, ZERO_STATE, FALL, FALLS = (0.0, 0.999), 10.0, 0.01, 0.1, 2
# The slice, and the passes over it, were chosen on a few runs of the LSTM so that
# without dropout its validation loss turns after half of a trial, and a trial takes
# some ten seconds.
TOKENS, UPDATES, PARAMETERS, VOCABULARY = 25_000, 400, 150_000, 1000


@dataclass(frozen=True)
class Plan:
    """On what and for how long a model is trained.

    Attributes
    ----------
    text : {"brown", "docstrings"}
    vocabulary : int
        Of the subwords.
    tokens : int or None
        Of the text to train on; None for all.
    parameters : int
        At most so many.
    updates : int
    sequences, steps : int
        Of one update.
    checkpoints : int
        At equal distances.
    patience : int
        Checkpoints without a better validation loss, after which the learning rate
        falls; after the last fall they end the trial.
    """

    text: str = "brown"
    vocabulary: int = VOCABULARY
    tokens: int | None = TOKENS
    parameters: int = PARAMETERS
    updates: int = UPDATES
    sequences: int = 16
    steps: int = 30
    checkpoints: int = 10
    patience: int = 2

    @functools.cached_property
    def encoded(self):
        """The text as numbers."""
        return encoded(self.text, self.vocabulary)

    @functools.cached_property
    def slice(self):
        """The tokens to train on."""
        return slice_of(self.encoded.train, self.tokens)

    def passes(self, updates):
        """Return how often the text has been read after some updates.

        Parameters
        ----------
        updates : int

        Returns
        -------
        float
        """
        return updates * self.steps * self.sequences / len(self.slice)


@dataclass(frozen=True, eq=False)
class Trained:
    """What a trial leaves behind.

    Attributes
    ----------
    model : torch.nn.Module
        At its best checkpoint.
    validation : float
        Its loss there.
    passes : float
        Over the text, until then.
    updates : int
        That were made.
    diverged : bool
        Whether the training loss was no number, or validation ended worse than guessing
        evenly.
    curves : tuple of list of float
        Training loss since the checkpoint before, and validation loss.
    seconds : float
        Of the processor, for the updates alone.
    """

    model: object
    validation: float
    passes: float
    updates: int
    diverged: bool
    curves: tuple
    seconds: float


def streams(tokens, count):
    """Cut a text into sequences of equal length; fewer tokens than there are sequences
    are left over.

    Parameters
    ----------
    tokens : ndarray of int
    count : int

    Returns
    -------
    ndarray of int, shape (steps, count)
    """
    length = len(tokens) // count
    return np.ascontiguousarray(tokens[: length * count].reshape(count, length).T)


def cut(tokens, count):
    """Cut a text into pieces, each of which begins with the last token of the one
    before.

    Parameters
    ----------
    tokens : ndarray of int
    count : int

    Returns
    -------
    list of ndarray of int
        All but the very first token are predicted once, however many pieces there are.
    """
    ends = np.linspace(0, len(tokens) - 1, count + 1).astype(int)
    return [tokens[a : b + 1] for a, b in itertools.pairwise(ends)]


def losses(model, documents, at_once=100, together=50):
    """Return the loss of each token but the first of each document, which begins with
    the zero state.

    Parameters
    ----------
    model : torch.nn.Module
    documents : list of ndarray of int
    at_once : int, default 100
        Steps; neither this nor the next one matters but for memory.
    together : int, default 50
        Documents.

    Returns
    -------
    list of ndarray of float
    """
    import torch
    from torch.nn.utils.rnn import pad_sequence

    by_document = []
    for begin in range(0, len(documents), together):
        some = documents[begin : begin + together]
        padded = pad_sequence([torch.as_tensor(document) for document in some])
        state, parts = model.start(len(some)), []
        with torch.no_grad():
            for first in range(0, len(padded) - 1, at_once):
                tokens = padded[first : first + at_once + 1]
                predicted, state = model(tokens[:-1], state)
                parts.append(-predicted.gather(2, tokens[1:, :, None])[..., 0])
        table = torch.cat(parts).double().numpy().T
        # What follows the end of a document is padding.
        by_document += [
            row[: len(document) - 1] for row, document in zip(table, some, strict=True)
        ]
    return by_document


def rates_of(setting):
    """Return the dropout rates of a setting, as a model takes them.

    Parameters
    ----------
    setting : dict of str to float

    Returns
    -------
    dict of str to float
    """
    return {
        "input": setting["input_dropout"],
        "state": setting["state_dropout"],
        "output": setting["output_dropout"],
        "between": setting.get("intra_layer_dropout", 0.0),
    }


def fit(model, plan, setting):
    """Train a model, and rewind it to its best checkpoint.

    Parameters
    ----------
    model : torch.nn.Module
    plan : Plan
    setting : dict of str to float

    Returns
    -------
    Trained
    """
    import torch
    from torch.nn.functional import nll_loss

    given = torch.as_tensor(streams(plan.slice, plan.sequences))
    optimizer = torch.optim.Adam(
        model.parameters(),
        lr=setting["learning_rate"],
        betas=BETAS,
        weight_decay=setting["weight_decay"],
    )
    dropout, documents = rates_of(setting), plan.encoded.validation
    even = np.log(plan.encoded.vocabulary)

    def score():
        loss = np.concatenate(losses(model, documents)).mean()
        return float(loss) if np.isfinite(loss) else np.inf

    def kept():
        return {name: value.clone() for name, value in model.state_dict().items()}

    # The untrained model is a checkpoint too: a trial that diverges at once has
    # something to rewind to.
    best, at, weights = score(), 0, kept()
    stale = falls = update = 0
    training, validation, since = [], [], []
    place, state = 0, model.start(plan.sequences)
    every = max(1, plan.updates // plan.checkpoints)
    seconds = 0.0
    while update < plan.updates:
        begun = time.process_time()
        if place + 1 >= len(given):
            place = 0
        if place == 0 or torch.rand(()).item() < ZERO_STATE:
            state = model.start(plan.sequences)
        tokens = given[place : place + plan.steps + 1]
        place += plan.steps
        optimizer.zero_grad()
        predicted, state = model(tokens[:-1], state, dropout)
        state = [tuple(part.detach() for part in layer) for layer in state]
        loss = nll_loss(predicted.flatten(0, 1), tokens[1:].flatten())
        since.append(loss.item())
        if not np.isfinite(since[-1]):
            break
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIPPED)
        optimizer.step()
        update += 1
        seconds += time.process_time() - begun
        if update % every:
            continue
        training.append(float(np.mean(since)))
        since = []
        validation.append(score())
        if validation[-1] < best:
            best, at, weights, stale = validation[-1], update, kept(), 0
            continue
        stale += 1
        if stale == plan.patience:
            if falls == FALLS:
                break
            stale, falls = 0, falls + 1
            for group in optimizer.param_groups:
                group["lr"] *= FALL
    model.load_state_dict(weights)
    diverged = not np.isfinite(since or 0).all() or (validation or [best])[-1] > even
    return Trained(
        model,
        best,
        plan.passes(at),
        update,
        bool(diverged),
        (training, validation),
        seconds,
    )


def run(plan, architecture, setting, seed, widths=None):
    """Build and train a model, and score it on the test.

    Parameters
    ----------
    plan : Plan
    architecture : dict
        What `Architecture` takes.
    setting : dict of str to float
    seed : int
        Decides the first weights, the masks and where a batch begins with the zero
        state.
    widths : tuple of int, optional
        Of state and embedding; by default what the parameters allow.

    Returns
    -------
    Trained
    dict
        `validation` and `test` loss, `passes`, `updates` and `diverged` (0 or 1), the
        widths `hidden` and `embedding`, and seconds of the processor: `learning`, for
        the updates alone, and `processor`, for all of this, without the making of the
        text.
    """
    _extras.need("run", "training a network")
    from lab.papers.melis2017.tasks import networks

    built = networks.Architecture(**architecture)
    text, _ = plan.encoded, plan.slice
    start = time.process_time()
    if widths is None:
        ratio = setting["input_embedding_ratio"]
        widths = networks.widths(built, text.vocabulary, plan.parameters, ratio)
    with _one_seeded_thread(seed):
        model = networks.LanguageModel(built, text.vocabulary, *widths)
        trained = fit(model, plan, setting)
        test = np.concatenate(losses(trained.model, text.test)).mean()
    return trained, {
        "validation": round(trained.validation, 6),
        "test": round(float(test), 6),
        "passes": round(trained.passes, 3),
        "updates": trained.updates,
        "diverged": int(trained.diverged),
        "hidden": widths[0],
        "embedding": widths[1],
        "learning": round(trained.seconds, 2),
        "processor": round(time.process_time() - start, 2),
    }
