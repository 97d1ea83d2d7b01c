"""Small text classifiers to run experiments with: a bag-of-words MLP, an LSTM, two
baselines.

torch is imported where it is used, so that reading a recorded pool does not need it.
Every network trains on one thread with its own seed and leaves torch's global state as
it found it.
"""

import contextlib
import functools
from collections import Counter
from dataclasses import dataclass

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from evalkit._checks import check_choice, check_int
from evalkit.splits import tokenize
from lab import _extras

MAX_TOKENS = 32  # nine of ten summary lines are shorter than 25
MIN_COUNT = 2  # rarer tokens share one vector: a vector seen once is noise
PADDING, UNKNOWN = 0, 1

MAX_EPOCHS = 20
PATIENCE = 3

SYSTEMS = ("mlp", "lstm")
_SHARED = (
    "embedding",
    "hidden",
    "dropout",
    "learning_rate",
    "weight_decay",
    "batch_size",
)
SETTINGS = {
    "mlp": _SHARED,
    "lstm": (*_SHARED, "bidirectional", "pooling"),
    "dummy": ("strategy",),
    "linear": ("C",),
}


@dataclass(frozen=True)
class TrainingRun:
    """What one training run leaves behind.

    Attributes
    ----------
    validation, test : float
        Accuracy at the epoch with the best validation accuracy, in [0, 1].
    validation_curve : tuple of float
        Validation accuracy after each epoch.
    best_epoch : int
        The epoch that was kept, from 1.
    predictions : ndarray of uint8, shape (test items,)
        The predicted class of each test item.
    """

    validation: float
    test: float
    validation_curve: tuple
    best_epoch: int
    predictions: np.ndarray


def _check_settings(settings, system):
    if not isinstance(settings, dict) or set(settings) != set(SETTINGS[system]):
        got = (
            ", ".join(map(str, settings))
            if isinstance(settings, dict)
            else repr(settings)
        )
        raise ValueError(
            f"settings of {system} must be a dict of {', '.join(SETTINGS[system])}; got"
            f" {got}"
        )


@functools.lru_cache(maxsize=2)
def _encode(task):
    """Return the vocabulary size and, per part, (list of token id tensors, label
    tensor).
    """
    import torch

    def tokens(text):
        return tokenize(text)[:MAX_TOKENS]

    counts = Counter(token for text in task.train.text for token in tokens(text))
    # Sorted by count, then by name: the same ids whatever the order of the rows.
    kept = sorted(
        (t for t, c in counts.items() if c >= MIN_COUNT), key=lambda t: (-counts[t], t)
    )
    ids = {token: i for i, token in enumerate(kept, start=2)}

    def part(frame):
        texts = [
            torch.tensor([ids.get(t, UNKNOWN) for t in tokens(text)])
            for text in frame.text
        ]
        return texts, torch.tensor(frame.label.to_numpy())

    return len(kept) + 2, {
        p: part(getattr(task, p)) for p in ("train", "validation", "test")
    }


def _build(system, vocabulary, n_classes, settings):
    from torch import nn

    class BagOfWordsMLP(nn.Module):
        """The mean of the word vectors, then one hidden layer."""

        def __init__(self, embedding, hidden, dropout):
            super().__init__()
            self.words = nn.EmbeddingBag(vocabulary, embedding, padding_idx=PADDING)
            self.classify = nn.Sequential(
                nn.Dropout(dropout),
                nn.Linear(embedding, hidden),
                nn.ReLU(),
                nn.Dropout(dropout),
                nn.Linear(hidden, n_classes),
            )

        def forward(self, ids, lengths):
            return self.classify(self.words(ids))

    class LSTMClassifier(nn.Module):
        """An LSTM over the words; the classifier sees its last state, or its maximum
        over time.
        """

        def __init__(self, embedding, hidden, dropout, bidirectional, pooling):
            super().__init__()
            self.words = nn.Embedding(vocabulary, embedding, padding_idx=PADDING)
            self.lstm = nn.LSTM(
                embedding, hidden, batch_first=True, bidirectional=bidirectional
            )
            self.dropout = nn.Dropout(dropout)
            self.pooling = pooling
            self.classify = nn.Linear(hidden * (1 + bidirectional), n_classes)

        def forward(self, ids, lengths):
            vectors = self.dropout(self.words(ids))
            packed = nn.utils.rnn.pack_padded_sequence(
                vectors, lengths, batch_first=True, enforce_sorted=False
            )
            outputs, (last, _) = self.lstm(packed)
            if self.pooling == "max":
                # -inf where a line has ended: padding can never be the maximum.
                states, _ = nn.utils.rnn.pad_packed_sequence(
                    outputs, batch_first=True, padding_value=float("-inf")
                )
                pooled = states.max(dim=1).values
            else:
                pooled = last.transpose(0, 1).flatten(1)
            return self.classify(self.dropout(pooled))

    shared = {name: settings[name] for name in ("embedding", "hidden", "dropout")}
    if system == "mlp":
        return BagOfWordsMLP(**shared)
    return LSTMClassifier(
        **shared, bidirectional=settings["bidirectional"], pooling=settings["pooling"]
    )


def _batches(part, order, batch_size):
    import torch

    texts, labels = part
    for chosen in order.split(batch_size):
        batch = [texts[i] for i in chosen]
        ids = torch.nn.utils.rnn.pad_sequence(
            batch, batch_first=True, padding_value=PADDING
        )
        yield ids, torch.tensor([len(b) for b in batch]), labels[chosen]


def _predict(network, part):
    import torch

    network.eval()
    with torch.no_grad():
        order = torch.arange(len(part[1]))
        return torch.cat(
            [network(i, n).argmax(dim=1) for i, n, _ in _batches(part, order, 256)]
        )


@contextlib.contextmanager
def _one_seeded_thread(seed):
    """Seed torch on one thread; give the thread count and the random state back
    afterwards.
    """
    import torch

    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        try:
            # Sums over several threads depend on how work was shared out.
            torch.set_num_threads(1)
            torch.manual_seed(seed)
            yield
        finally:
            torch.set_num_threads(threads)


def train_network(
    task,
    system,
    settings,
    seed,
    *,
    order_seed=None,
    max_epochs=MAX_EPOCHS,
    patience=PATIENCE,
):
    """Train one network and score it at its best epoch on validation.

    Parameters
    ----------
    task : lab.data.datasets.TextTask
    system : {"mlp", "lstm"}
    settings : dict
        `embedding`, `hidden` (units), `dropout`, `learning_rate`, `weight_decay`,
        `batch_size`; for "lstm" also `bidirectional` (bool) and `pooling` ("last" or
        "max").
    seed : int
        Decides initialisation, data order and dropout, and nothing else does.
    order_seed : int, optional
        Decides data order and dropout instead, so that `seed` is left with the
        initialisation.
    max_epochs : int, default 20
    patience : int, default 3
        Epochs without a better validation accuracy, after which training stops.

    Returns
    -------
    TrainingRun

    Notes
    -----
    Adam; when training stops, the network is rewound to its best epoch (the first, on a
    tie).
    """
    check_choice(system, "system", SYSTEMS)
    check_int(seed, "seed", low=0)
    if order_seed is not None:
        check_int(order_seed, "order_seed", low=0)
    check_int(max_epochs, "max_epochs")
    check_int(patience, "patience")
    _check_settings(settings, system)
    _extras.need("run", "training a network")
    import torch
    from torch.nn.functional import cross_entropy

    vocabulary, parts = _encode(task)
    labels = {p: parts[p][1] for p in ("validation", "test")}
    with _one_seeded_thread(seed):
        network = _build(system, vocabulary, len(task.classes), settings)
        if order_seed is not None:
            torch.manual_seed(order_seed)
        optimizer = torch.optim.Adam(
            network.parameters(),
            lr=settings["learning_rate"],
            weight_decay=settings["weight_decay"],
        )
        curve, best_state = [], None
        while len(curve) < max_epochs:
            network.train()
            order = torch.randperm(len(task.train))
            for ids, lengths, target in _batches(
                parts["train"], order, settings["batch_size"]
            ):
                optimizer.zero_grad()
                cross_entropy(network(ids, lengths), target).backward()
                optimizer.step()
            predicted = _predict(network, parts["validation"])
            accuracy = (predicted == labels["validation"]).double().mean().item()
            if not curve or accuracy > max(curve):
                best_epoch = len(curve) + 1
                best_state = {
                    name: value.clone() for name, value in network.state_dict().items()
                }
            curve.append(accuracy)
            if len(curve) - best_epoch >= patience:
                break
        network.load_state_dict(best_state)
        predictions = _predict(network, parts["test"])
    return TrainingRun(
        validation=curve[best_epoch - 1],
        test=(predictions == labels["test"]).double().mean().item(),
        validation_curve=tuple(curve),
        best_epoch=best_epoch,
        predictions=predictions.numpy().astype(np.uint8),
    )


def train_baseline(task, system, settings, seed):
    """Fit a dummy or a linear model on the same task.

    Parameters
    ----------
    task : lab.data.datasets.TextTask
    system : {"dummy", "linear"}
    settings : dict
        For "dummy" `strategy` (scikit-learn's), for "linear" `C`, the inverse of its
        regularisation.
    seed : int

    Returns
    -------
    TrainingRun
        Its `validation_curve` has one entry.
    """
    check_choice(system, "system", ("dummy", "linear"))
    check_int(seed, "seed", low=0)
    _check_settings(settings, system)
    if system == "dummy":
        model = DummyClassifier(strategy=settings["strategy"], random_state=seed)
    else:
        model = make_pipeline(
            TfidfVectorizer(analyzer=tokenize, sublinear_tf=True),
            LogisticRegression(C=settings["C"], max_iter=2000),
        )
    model.fit(task.train.text, task.train.label)
    validation = float(model.score(task.validation.text, task.validation.label))
    predictions = model.predict(task.test.text)
    return TrainingRun(
        validation=validation,
        test=float(np.mean(predictions == task.test.label)),
        validation_curve=(validation,),
        best_epoch=1,
        predictions=predictions.astype(np.uint8),
    )
