"""How often a small network fails to learn XOR, over many initialisations.

All seeds of a cell are trained at once, as one batch of independent networks: Adam
works entry by entry, so each network takes the very steps that it would take alone.
"""

from evalkit._checks import check_choice, check_int
from lab import _extras
from lab.record.experiment import Experiment

INPUTS = ((1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0))
LABELS = {"xor": (0, 1, 1, 0), "same": (1, 0, 0, 1)}  # "same" is what logic calls XNOR
ACTIVATIONS = ("tanh", "relu")

HIDDEN = (2, 3, 4, 8)
CHECKPOINTS = (500, 1000, 2000, 5000)
SEEDS = {"recorded": 1000, "full": 10_000}


def initial_weights(hidden, seeds):
    """Initialise one network for each seed, as torch's `nn.Linear` does it.

    Parameters
    ----------
    hidden : int
    seeds : iterable of int

    Returns
    -------
    list of torch.Tensor
        Weights and biases of the two layers, the seed first: (s, hidden, 2), (s,
        hidden), (s, 2, hidden) and (s, 2).
    """
    check_int(hidden, "hidden")
    _extras.need("run", "training a network")
    import torch
    from torch import nn

    networks = []
    with torch.random.fork_rng(devices=[]):
        for seed in seeds:
            torch.manual_seed(seed)
            layers = nn.Linear(2, hidden), nn.Linear(hidden, 2)
            networks.append(
                [p.detach() for layer in layers for p in layer.parameters()]
            )
    return [torch.stack(group) for group in zip(*networks, strict=True)]


def train(weights, activation, labels, iterations, *, learning_rate=0.01):
    """Train a batch of networks on the four rows of the truth table.

    Parameters
    ----------
    weights : list of torch.Tensor
        As `initial_weights` returns them; they are not changed.
    activation : {"tanh", "relu"}
    labels : {"xor", "same"}
        Whether the two inputs differ, or are the same.
    iterations : iterable of int
        When to look.
    learning_rate : float, default 0.01
        Of Adam.

    Returns
    -------
    dict of int to ndarray of bool, shape (s,)
        After each number of iterations, whether a network answers all four rows
        correctly.
    """
    check_choice(activation, "activation", ACTIVATIONS)
    check_choice(labels, "labels", tuple(LABELS))
    import torch
    from torch.nn.functional import cross_entropy

    inputs, target = torch.tensor(INPUTS), torch.tensor(LABELS[labels])
    weights = [w.clone().requires_grad_() for w in weights]
    targets = target.expand(len(weights[0]), 4)
    bend = getattr(torch, activation)
    optimizer = torch.optim.Adam(weights, lr=learning_rate)

    def logits():
        w_1, b_1, w_2, b_2 = weights
        layer = bend(inputs @ w_1.transpose(1, 2) + b_1[:, None])
        return layer @ w_2.transpose(1, 2) + b_2[:, None]

    learned = {}
    for iteration in range(1, max(iterations) + 1):
        optimizer.zero_grad()
        # The mean over the four rows, as for one network; the sum over networks keeps
        # them apart.
        (
            cross_entropy(logits().flatten(0, 1), targets.flatten(), reduction="sum")
            / 4
        ).backward()
        optimizer.step()
        if iteration in iterations:
            with torch.no_grad():
                learned[iteration] = (
                    (logits().argmax(dim=2) == targets).all(dim=1).numpy()
                )
    return learned


def _plan(scale, rows):
    """Return the units: one for each size, activation and labelling."""
    return [
        {
            "table": "learned",
            "labels": labels,
            "activation": activation,
            "hidden": hidden,
            "seeds": SEEDS[scale],
        }
        for labels in LABELS
        for activation in ACTIVATIONS
        for hidden in HIDDEN
    ]


def _learned(labels, activation, hidden, seeds):
    """Return the share of networks that has learned it after each number of
    iterations.
    """
    learned = train(
        initial_weights(hidden, range(seeds)), activation, labels, CHECKPOINTS
    )
    return {
        f"learned_{iterations}": float(solved.mean())
        for iterations, solved in learned.items()
    }


EXPERIMENT = Experiment(
    name="xor",
    # Another kind of CPU rounds differently; a few of a thousand networks sit on the
    # fence.
    compared={f"learned_{iterations}": 0.02 for iterations in CHECKPOINTS},
    plan=_plan,
    tables={"learned": _learned},
    seconds="clock",
)
