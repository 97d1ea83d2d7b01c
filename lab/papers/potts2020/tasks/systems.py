"""The systems: a dummy, naive Bayes, linear models, and the course's shallow
classifier.

The shallow classifier is that of the course notebook in all that its text tells: one
hidden layer, tanh, Adam over batches, dev predictions at regular steps. It sees the
1,000 commonest words of its training part, weighted by tf-idf. Its setting, in
`SETTING`, is of the course where its text has a value (50 hidden units, learning rate
0.01, 1,028 items a batch are the defaults of its code) and was not chosen on these
data.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.metrics import f1_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from lab import _extras
from lab.models import _one_seeded_thread
from lab.papers.potts2020.tasks.data import counted, weighted

SYSTEMS = ("dummy", "naive_bayes", "linear", "shallow")
WORDS = 1000
# Inverse regularisation of the linear model where it is not tuned.
C = 10.0
SETTING = {
    "hidden": 50,
    "learning_rate": 0.01,
    "batch_size": 1028,
    "weight_decay": 0.0,
    "dropout": 0.0,
}
EPOCHS = 30


def linear(system="linear", *, C=C, seed=0, **settings):
    """Return an unfitted linear model on weighted words or scaled numbers.

    Parameters
    ----------
    system : {"linear", "svm", "perceptron", "sgd"}
    C : float, default 10.0
        Inverse regularisation of the logistic regression.
    seed : int, default 0
    **settings
        What else scikit-learn's class takes.

    Returns
    -------
    scikit-learn estimator
    """
    if system == "linear":
        return LogisticRegression(**{"C": C, "max_iter": 2000, **settings})
    kind = {"svm": LinearSVC, "perceptron": Perceptron, "sgd": SGDClassifier}[system]
    return kind(random_state=seed, **settings)


def features(items, train, *tests):
    """Return what a linear model sees of the training items and of others.

    Parameters
    ----------
    items : Items
    train : ndarray of int
    *tests : ndarray of int

    Returns
    -------
    list of array
    """
    if items.is_text:
        return weighted(items, train, *tests)
    if items.as_is:
        return [items.features[part] for part in (train, *tests)]
    scaler = StandardScaler().fit(items.features[train])
    return [scaler.transform(items.features[part]) for part in (train, *tests)]


def predict(system, items, train, *tests, seed=0):
    """Fit a system to training items and let it answer others.

    Parameters
    ----------
    system : str
        One of `SYSTEMS`, or what `linear` takes.
    items : Items
    train : ndarray of int
        Of "shallow", one item in eight is its dev part.
    *tests : ndarray of int
    seed : int, default 0

    Returns
    -------
    list of ndarray of int
        The predicted class of each item.
    """
    labels = items.labels[train]
    if system == "dummy":
        model = DummyClassifier(strategy="most_frequent").fit(
            np.zeros((len(train), 1)), labels
        )
        return [model.predict(np.zeros((len(part), 1))) for part in tests]
    if system == "naive_bayes":
        if items.is_text:
            seen, *others = counted(items, train, *tests)
            model = MultinomialNB(alpha=0.1).fit(seen, labels)
            return [model.predict(part) for part in others]
        model = make_pipeline(StandardScaler(), GaussianNB()).fit(
            items.features[train], labels
        )
        return [model.predict(items.features[part]) for part in tests]
    if system == "shallow":
        order = np.random.default_rng([seed, len(train)]).permutation(train)
        dev, rest = order[: len(train) // 8], order[len(train) // 8 :]
        run = Shallow(items, rest, dev, *tests).train(seed)
        return run.kept
    seen, *others = features(items, train, *tests)
    model = linear(system, seed=seed).fit(seen, labels)
    return [model.predict(part) for part in others]


def scores(items, test, predicted):
    """Return accuracy and macro F1, as they are recorded.

    Parameters
    ----------
    items : Items
    test, predicted : ndarray of int

    Returns
    -------
    dict of str to float
    """
    true = items.labels[test]
    return {
        "accuracy": round(float(np.mean(predicted == true)), 6),
        "macro_f1": round(macro_f1(true, predicted), 6),
    }


def macro_f1(true, predicted):
    """Return the mean of the F1 of the classes that are there; 0 for a class that is
    never answered.

    Parameters
    ----------
    true, predicted : ndarray of int, shape (n,)

    Returns
    -------
    float
    """
    return float(
        f1_score(
            true, predicted, average="macro", labels=np.unique(true), zero_division=0
        )
    )


@dataclass(frozen=True, eq=False)
class ShallowRun:
    """What one training run of the shallow classifier leaves behind.

    Attributes
    ----------
    error : ndarray of float, shape (epochs,)
        Training error: cross-entropy, mean over the items of an epoch, in nats.
    curves : ndarray of float, shape (parts, 2, epochs)
        Accuracy and macro F1 after each epoch, on the dev part and on each test part.
    train_accuracy : float
        After the last epoch.
    best_epoch : int
        The first with the best macro F1 on the dev part, from 1.
    kept : list of ndarray of int
        The answers of that epoch on each test part.
    """

    error: np.ndarray
    curves: np.ndarray
    train_accuracy: float
    best_epoch: int
    kept: list


class Shallow:
    """The course's shallow classifier on one division of the items.

    Parameters
    ----------
    items : Items
    train, dev : ndarray of int
    *tests : ndarray of int
    """

    def __init__(self, items, train, dev, *tests):
        _extras.need("run", "training a network")
        import torch

        if items.is_text:
            parts = [
                part.toarray()
                for part in weighted(items, train, dev, *tests, most=WORDS)
            ]
        else:
            parts = features(items, train, dev, *tests)
        self._train, *self._others = [
            torch.tensor(part, dtype=torch.float32) for part in parts
        ]
        self._labels = torch.tensor(items.labels[train])
        self._true = [items.labels[part] for part in (dev, *tests)]
        self._classes = int(items.labels.max()) + 1

    def train(self, seed, *, epochs=EPOCHS, **settings):
        """Train once.

        Parameters
        ----------
        seed : int
            Of the first weights, the order of the items, and dropout.
        epochs : int, default 30
        **settings
            In place of those in `SETTING`.

        Returns
        -------
        ShallowRun
        """
        import torch
        from torch import nn

        setting = {**SETTING, **settings}
        errors, curves, best, kept = [], [], -1.0, None
        with _one_seeded_thread(seed):
            network = nn.Sequential(
                nn.Linear(self._train.shape[1], setting["hidden"]),
                nn.Tanh(),
                nn.Dropout(setting["dropout"]),
                nn.Linear(setting["hidden"], self._classes),
            )
            optimizer = torch.optim.Adam(
                network.parameters(),
                lr=setting["learning_rate"],
                weight_decay=setting["weight_decay"],
            )
            for epoch in range(1, epochs + 1):
                network.train()
                total = 0.0
                for chosen in torch.randperm(len(self._labels)).split(
                    setting["batch_size"]
                ):
                    optimizer.zero_grad()
                    loss = nn.functional.cross_entropy(
                        network(self._train[chosen]), self._labels[chosen]
                    )
                    loss.backward()
                    optimizer.step()
                    total += loss.item() * len(chosen)
                errors.append(total / len(self._labels))
                network.eval()
                answers = [self._answers(network, part) for part in self._others]
                pairs = zip(answers, self._true, strict=True)
                curves.append(
                    [
                        (float(np.mean(a == true)), macro_f1(true, a))
                        for a, true in pairs
                    ]
                )
                if curves[-1][0][1] > best:
                    best, best_epoch, kept = curves[-1][0][1], epoch, answers[1:]
            return ShallowRun(
                np.array(errors),
                np.array(curves).transpose(1, 2, 0),
                self._train_accuracy(network),
                best_epoch,
                kept,
            )

    @staticmethod
    def _answers(network, part):
        import torch

        with torch.no_grad():
            return network(part).argmax(dim=1).numpy()

    def _train_accuracy(self, network):
        network.eval()
        return float(
            np.mean(self._answers(network, self._train) == self._labels.numpy())
        )
