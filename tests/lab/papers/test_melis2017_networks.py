"""The cells against slow, plain ones, and the model around them."""

import numpy as np
import pytest
from grids import grid
from scipy.special import expit as sigmoid

torch = pytest.importorskip("torch")

from lab.papers.melis2017.tasks import networks  # noqa: E402

STEPS, SEQUENCES, INPUTS, HIDDEN = 7, 3, 4, 5


@pytest.fixture(autouse=True)
def _seeded():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def given():
    return torch.randn(STEPS, SEQUENCES, INPUTS)


def numbers(tensor):
    return tensor.detach().double().numpy()


def plain_lstm(layer, inputs, mask):
    """One unit of one sequence at a time, from the equations."""
    W, U, b = (
        numbers(part) for part in (layer.read.weight, layer.recur, layer.read.bias)
    )
    rows = {name: slice(k * HIDDEN, (k + 1) * HIDDEN) for k, name in enumerate("fioj")}
    found = np.zeros((STEPS, SEQUENCES, HIDDEN))
    for s in range(SEQUENCES):
        c, h = np.zeros(HIDDEN), np.zeros(HIDDEN)
        for t in range(STEPS):
            z = {
                n: W[r] @ numbers(inputs[t, s]) + U[r] @ (h * mask[s]) + b[r]
                for n, r in rows.items()
            }
            f, o, j = sigmoid(z["f"]), sigmoid(z["o"]), np.tanh(z["j"])
            c = f * c + np.minimum(sigmoid(z["i"]), 1 - f) * j
            h = o * np.tanh(c)
            found[t, s] = h
    return found


def plain_highway(layer, inputs, mask):
    W, b = numbers(layer.read.weight), numbers(layer.read.bias)
    found = np.zeros((STEPS, SEQUENCES, HIDDEN))
    for s in range(SEQUENCES):
        h = np.zeros(HIDDEN)
        for t in range(STEPS):
            for k, U in enumerate(map(numbers, layer.recur)):
                z = U @ (h * mask[s]) + (
                    W @ numbers(inputs[t, s]) + b
                    if k == 0
                    else numbers(layer.bias[k - 1])
                )
                update, gate = np.tanh(z[:HIDDEN]), sigmoid(z[HIDDEN:])
                h = gate * update + (1 - gate) * h
            found[t, s] = h
    return found


def plain_nas(layer, inputs, mask):
    """From the tree of the search: eight leaves, four pairs, then the cell."""
    W, U = numbers(layer.read.weight), numbers(layer.recur)
    found = np.zeros((STEPS, SEQUENCES, HIDDEN))
    for s in range(SEQUENCES):
        c, m = np.zeros(HIDDEN), np.zeros(HIDDEN)
        for t in range(STEPS):
            x, h = (
                np.split(v, 8) for v in (W @ numbers(inputs[t, s]), U @ (m * mask[s]))
            )
            gate = [sigmoid(x[k] + h[k]) for k in range(4)]
            curve = [np.tanh(x[k] + h[k]) for k in (4, 5)]
            added, multiplied = np.maximum(x[6] + h[6], 0), np.maximum(x[7] * h[7], 0)
            pairs = (
                np.tanh(gate[0] * added),
                np.tanh(gate[1] + multiplied),
                np.tanh(curve[0] * gate[2]),
                sigmoid(curve[1] + gate[3]),
            )
            c = np.tanh(pairs[0] + c) * pairs[1]
            m = np.tanh(c * np.tanh(pairs[2] + pairs[3]))
            found[t, s] = m
    return found


CELLS = {
    "lstm": (lambda: networks.LSTMLayer(INPUTS, HIDDEN), plain_lstm),
    "rhn": (lambda: networks.HighwayLayer(INPUTS, HIDDEN, 3), plain_highway),
    "nas": (lambda: networks.NASLayer(INPUTS, HIDDEN), plain_nas),
}


@grid("cell", CELLS)
def test_a_cell_is_its_equations(cell):
    made, plain = CELLS[cell]
    layer, inputs = made(), given()
    with torch.no_grad():
        for bias in getattr(layer, "bias", ()):
            bias.normal_()
    mask = (torch.rand(SEQUENCES, HIDDEN) < 0.6) / 0.6
    outputs, _ = layer(inputs, layer.start(inputs), mask)
    expected = plain(layer, inputs, numbers(mask))
    assert numbers(outputs) == pytest.approx(expected, abs=1e-5)


ARCHITECTURES = [
    networks.Architecture(cell, depth)
    for cell, depth in (("lstm", 1), ("lstm", 4), ("rhn", 5), ("nas", 1), ("nas", 2))
]


@grid("architecture", ARCHITECTURES)
@grid("ratio", [0.3, 1.0, 1.2])
def test_a_budget_buys_the_widest_model(architecture, ratio):
    hidden, embedding = networks.widths(architecture, 50, 4000, ratio)
    model = networks.LanguageModel(architecture, 50, hidden, embedding)
    counted = sum(weight.numel() for weight in model.parameters())
    assert (
        counted == networks.parameters_of(architecture, 50, hidden, embedding) <= 4000
    )
    assert embedding == round(min(ratio, 1) * hidden)
    assert (model.project is None) == (ratio >= 1)
    wider = networks.parameters_of(
        architecture, 50, hidden + 1, round(min(ratio, 1) * (hidden + 1))
    )
    assert wider > 4000


def test_a_budget_too_small_for_anything():
    with pytest.raises(ValueError, match="budget must be at least 110, .* got 100"):
        networks.widths(networks.Architecture(), 49, 100, 1.0)


def tokens(steps=STEPS):
    return torch.randint(50, (steps, SEQUENCES))


@grid("architecture", ARCHITECTURES)
def test_reading_on_is_reading_at_once(architecture):
    model, text = networks.LanguageModel(architecture, 50, 6, 4), tokens()
    at_once, _ = model(text, model.start(SEQUENCES))
    first, state = model(text[:3], model.start(SEQUENCES))
    then, _ = model(text[3:], state)
    torch.testing.assert_close(torch.cat([first, then]), at_once)
    assert numbers(at_once.exp().sum(dim=-1)) == pytest.approx(
        np.ones((STEPS, SEQUENCES)), abs=1e-5
    )


def test_what_all_layers_give_is_added_up_and_projected():
    model, text = (
        networks.LanguageModel(networks.Architecture(depth=3), 50, 6, 4),
        tokens(),
    )
    found, _ = model(text, model.start(SEQUENCES))
    values, summed = model.embed(text), 0
    for layer in model.layers:
        values, _ = layer(values, layer.start(values), None)
        summed = summed + values
    logits = summed @ model.project.weight.T @ model.embed.weight.T + model.bias
    torch.testing.assert_close(found, logits.log_softmax(dim=-1))


RATES = {"input": 0.3, "between": 0.3, "state": 0.3, "output": 0.3}


@grid("name", RATES)
def test_each_rate_drops_something_of_its_own(name):
    model, text = (
        networks.LanguageModel(networks.Architecture(depth=2), 50, 6, 4),
        tokens(),
    )
    whole, _ = model(text, model.start(SEQUENCES), dict.fromkeys(RATES, 0.0))
    some, _ = model(text, model.start(SEQUENCES), {name: 0.5})
    assert not torch.allclose(whole, some)
    # A mask on the state has nothing to drop before the first step, whose state is
    # zero.
    assert torch.allclose(whole[0], some[0]) == (name == "state")


def test_a_mask_keeps_the_mean_and_is_of_the_given_rate():
    mask = networks._mask((200, 10, 50), 0.3, torch.zeros(1))
    assert (mask == 0).float().mean().item() == pytest.approx(0.3, abs=0.01)
    assert mask.mean().item() == pytest.approx(1, abs=0.01)
