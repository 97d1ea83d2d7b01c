"""The XOR experiment: a batch of networks learns what each would learn alone."""

import pytest

from lab.experiments import xor

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.slow  # it trains


def learned_alone(hidden, activation, labels, seed, iterations):
    """One network by torch's own modules, without a batch."""
    torch.manual_seed(seed)
    bend = {"tanh": torch.nn.Tanh(), "relu": torch.nn.ReLU()}[activation]
    network = torch.nn.Sequential(
        torch.nn.Linear(2, hidden), bend, torch.nn.Linear(hidden, 2)
    )
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    inputs, target = torch.tensor(xor.INPUTS), torch.tensor(xor.LABELS[labels])
    for _ in range(iterations):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(network(inputs), target).backward()
        optimizer.step()
    return bool((network(inputs).argmax(dim=1) == target).all())


@pytest.mark.parametrize(
    ("hidden", "activation", "labels"), [(2, "tanh", "xor"), (3, "relu", "same")]
)
def test_a_batch_learns_what_each_network_learns_alone(hidden, activation, labels):
    seeds = range(8)
    batch = xor.train(xor.initial_weights(hidden, seeds), activation, labels, [150])[
        150
    ]
    with torch.random.fork_rng(devices=[]):
        alone = [learned_alone(hidden, activation, labels, seed, 150) for seed in seeds]
    assert batch.tolist() == alone
    assert 0 < sum(alone) < 8


def test_weights_are_as_torch_draws_them_and_leave_its_state_alone():
    before = torch.get_rng_state()
    w_1, b_1, w_2, b_2 = xor.initial_weights(4, [7, 9])
    assert (torch.get_rng_state() == before).all()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(9)
        first, second = torch.nn.Linear(2, 4), torch.nn.Linear(4, 2)
    for found, layer, kind in [
        (w_1, first, "weight"),
        (b_1, first, "bias"),
        (w_2, second, "weight"),
        (b_2, second, "bias"),
    ]:
        assert (found[1] == getattr(layer, kind)).all()


def test_labels_turned_round_are_outputs_turned_round():
    """Why XOR and its opposite are learned equally often: swapping the two outputs maps
    one to the other.
    """
    weights = xor.initial_weights(2, range(40))
    swapped = [*weights[:2], weights[2].flip(1), weights[3].flip(1)]
    one, other = (
        xor.train(w, "tanh", labels, [200])[200]
        for w, labels in ((weights, "xor"), (swapped, "same"))
    )
    assert (one == other).all()
    assert 0 < one.sum() < 40


def test_training_changes_no_weights_and_looks_when_it_is_told():
    weights = xor.initial_weights(2, range(5))
    copies = [w.clone() for w in weights]
    found = xor.train(weights, "relu", "xor", [1, 10])
    assert sorted(found) == [1, 10]
    assert all((w == c).all() for w, c in zip(weights, copies, strict=True))
    assert found[10].tolist() == xor.train(weights, "relu", "xor", [10])[10].tolist()


def test_labels_are_what_they_say():
    for (a, b), differ, same in zip(
        xor.INPUTS, xor.LABELS["xor"], xor.LABELS["same"], strict=True
    ):
        assert differ == (a != b)
        assert same == (a == b)


def test_a_unit_reports_shares(monkeypatch):
    monkeypatch.setattr(xor, "CHECKPOINTS", (5, 50))
    unit = {
        "table": "learned",
        "labels": "xor",
        "activation": "tanh",
        "hidden": 2,
        "seeds": 4,
    }
    result = xor.EXPERIMENT.run(unit)
    learned = xor.train(xor.initial_weights(2, range(4)), "tanh", "xor", (5, 50))
    assert result["learned_50"] == learned[50].mean()
    assert set(result) == {"learned_5", "learned_50", "seconds"}
