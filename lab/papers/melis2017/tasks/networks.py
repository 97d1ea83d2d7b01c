"""The language models: an LSTM, a recurrent highway network and the NAS cell, matched
by parameters.

Each cell reads the inputs of all steps through one product, and then takes a step at a
time, for a mask that stays the same over the steps of a sequence must lie on the state.
Import this module where it is used: torch comes with it.
"""

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.functional import linear, log_softmax

# With a forget gate's bias of 1, and a highway's of -1, a state is kept at first.
KEPT = 1.0


@dataclass(frozen=True)
class Architecture:
    """What a model is, but for its widths.

    Attributes
    ----------
    cell : {"lstm", "rhn", "nas"}
    depth : int
        Layers of the LSTM or of the NAS cell, each with its own state; of the highway
        network the steps within a step.
    """

    cell: str = "lstm"
    depth: int = 1


def _mask(shape, rate, like):
    """Draw a dropout mask."""
    return torch.empty(shape, dtype=like.dtype).bernoulli_(1 - rate).div_(1 - rate)


class LSTMLayer(nn.Module):
    """One layer of an LSTM whose input gate is capped: at most 1 minus the forget gate.

    Parameters
    ----------
    inputs, hidden : int
        Widths.
    """

    def __init__(self, inputs, hidden):
        super().__init__()
        self.hidden = hidden
        self.read = nn.Linear(inputs, 4 * hidden)  # forget, input, output, candidate
        self.recur = nn.Parameter(torch.empty(4 * hidden, hidden))
        _initialise(self.read.weight, self.recur)
        nn.init.zeros_(self.read.bias)
        with torch.no_grad():
            self.read.bias[:hidden] = KEPT

    def start(self, like):
        """Return the state before anything is read.

        Parameters
        ----------
        like : torch.Tensor, shape (any, sequences)
            Of the same type, and on the same device.

        Returns
        -------
        tuple of torch.Tensor, each of shape (sequences, hidden)
            Zeros.
        """
        nothing = like.new_zeros(like.shape[1], self.hidden)
        return nothing, nothing

    def forward(self, inputs, state, mask):
        """Read a piece of each sequence.

        Parameters
        ----------
        inputs : torch.Tensor, shape (steps, sequences, width)
        state : tuple of torch.Tensor, each of shape (sequences, hidden)
        mask : torch.Tensor or None
            Of dropout on the state.

        Returns
        -------
        torch.Tensor, shape (steps, sequences, hidden)
            The outputs.
        tuple of torch.Tensor
            The last state.
        """
        cell, hidden = state
        outputs, n = [], self.hidden
        for read in self.read(inputs).unbind():
            summed = torch.addmm(
                read, hidden if mask is None else hidden * mask, self.recur.t()
            )
            gates = summed[:, :-n].sigmoid()
            update = summed[:, -n:].tanh()
            forget, admit, output = gates[:, :n], gates[:, n : 2 * n], gates[:, -n:]
            cell = forget * cell + torch.minimum(admit, 1 - forget) * update
            hidden = output * cell.tanh()
            outputs.append(hidden)
        return torch.stack(outputs), (cell, hidden)


class HighwayLayer(nn.Module):
    """A recurrent highway network (Zilly et al., 2017): several steps in depth from one
    word to the next.

    Parameters
    ----------
    inputs, hidden : int
        Widths.
    depth : int
    """

    def __init__(self, inputs, hidden, depth):
        super().__init__()
        self.hidden = hidden
        self.read = nn.Linear(inputs, 2 * hidden)  # candidate, transform gate
        self.recur = nn.ParameterList(
            torch.empty(2 * hidden, hidden) for _ in range(depth)
        )
        self.bias = nn.ParameterList(torch.zeros(2 * hidden) for _ in range(depth - 1))
        _initialise(self.read.weight, *self.recur)
        nn.init.zeros_(self.read.bias)
        with torch.no_grad():
            for bias in (self.read.bias, *self.bias):
                bias[hidden:] = -KEPT

    def start(self, like):
        """Return the state before anything is read.

        Parameters
        ----------
        like : torch.Tensor, shape (any, sequences)
            Of the same type, and on the same device.

        Returns
        -------
        tuple of torch.Tensor, each of shape (sequences, hidden)
            Zeros.
        """
        return (like.new_zeros(like.shape[1], self.hidden),)

    def forward(self, inputs, state, mask):
        """Read a piece of each sequence.

        Parameters
        ----------
        inputs : torch.Tensor, shape (steps, sequences, width)
        state : tuple of torch.Tensor, each of shape (sequences, hidden)
        mask : torch.Tensor or None
            Of dropout on the state.

        Returns
        -------
        torch.Tensor, shape (steps, sequences, hidden)
            The outputs.
        tuple of torch.Tensor
            The last state.
        """
        (hidden,) = state
        outputs, n = [], self.hidden
        recur = [weight.t() for weight in self.recur]
        for read in self.read(inputs).unbind():
            for added, weight in zip((read, *self.bias), recur, strict=True):
                summed = torch.addmm(
                    added, hidden if mask is None else hidden * mask, weight
                )
                update, gate = summed[:, :n].tanh(), summed[:, n:].sigmoid()
                hidden = hidden + gate * (update - hidden)
            outputs.append(hidden)
        return torch.stack(outputs), (hidden,)


class NASLayer(nn.Module):
    """The cell that an architecture search found (Zoph and Le, 2017).

    Parameters
    ----------
    inputs, hidden : int
        Widths.
    """

    def __init__(self, inputs, hidden):
        super().__init__()
        self.hidden = hidden
        # Four sigmoids, two tanh, a rectified sum and a rectified product; the cell has
        # no bias.
        self.read = nn.Linear(inputs, 8 * hidden, bias=False)
        self.recur = nn.Parameter(torch.empty(8 * hidden, hidden))
        _initialise(self.read.weight, self.recur)

    def start(self, like):
        """Return the state before anything is read.

        Parameters
        ----------
        like : torch.Tensor, shape (any, sequences)
            Of the same type, and on the same device.

        Returns
        -------
        tuple of torch.Tensor, each of shape (sequences, hidden)
            Zeros.
        """
        nothing = like.new_zeros(like.shape[1], self.hidden)
        return nothing, nothing

    def forward(self, inputs, state, mask):
        """Read a piece of each sequence.

        Parameters
        ----------
        inputs : torch.Tensor, shape (steps, sequences, width)
        state : tuple of torch.Tensor, each of shape (sequences, hidden)
        mask : torch.Tensor or None
            Of dropout on the state.

        Returns
        -------
        torch.Tensor, shape (steps, sequences, hidden)
            The outputs.
        tuple of torch.Tensor
            The last state.
        """
        cell, hidden = state
        outputs, n = [], self.hidden
        recur = self.recur.t()
        for read in self.read(inputs).unbind():
            given = (hidden if mask is None else hidden * mask) @ recur
            summed = read[:, : 7 * n] + given[:, : 7 * n]
            a, b, c, d = summed[:, : 4 * n].sigmoid().chunk(4, 1)
            e, f = summed[:, 4 * n : 6 * n].tanh().chunk(2, 1)
            rectified = summed[:, 6 * n :].relu()
            product = (read[:, 7 * n :] * given[:, 7 * n :]).relu()
            first = ((a * rectified).tanh() + cell).tanh()
            cell = first * (b + product).tanh()
            other = ((e * c).tanh() + (f + d).sigmoid()).tanh()
            hidden = (cell * other).tanh()
            outputs.append(hidden)
        return torch.stack(outputs), (cell, hidden)


def _initialise(*weights):
    for weight in weights:
        nn.init.normal_(weight, std=weight.shape[1] ** -0.5)


class LanguageModel(nn.Module):
    """Embedding, layers whose outputs are added up, an optional down-projection, and a
    softmax.

    Input and output share their embedding.

    Parameters
    ----------
    architecture : Architecture
    vocabulary : int
    hidden, embedding : int
        Widths of the state and of the embedding. Where they differ, what the layers
        give is projected.
    """

    def __init__(self, architecture, vocabulary, hidden, embedding):
        super().__init__()
        self.hidden = hidden
        cell, depth = architecture.cell, architecture.depth
        self.embed = nn.Embedding(vocabulary, embedding)
        nn.init.normal_(self.embed.weight, std=embedding**-0.5)
        if cell == "rhn":
            layers = [HighwayLayer(embedding, hidden, depth)]
        else:
            widths = [embedding] + [hidden] * (depth - 1)
            kind = NASLayer if cell == "nas" else LSTMLayer
            layers = [kind(width, hidden) for width in widths]
        self.layers = nn.ModuleList(layers)
        self.project = (
            nn.Linear(hidden, embedding, bias=False) if embedding != hidden else None
        )
        if self.project is not None:
            nn.init.orthogonal_(self.project.weight)
        self.bias = nn.Parameter(torch.zeros(vocabulary))

    def start(self, sequences):
        """Return the state of some sequences before anything is read.

        Parameters
        ----------
        sequences : int

        Returns
        -------
        list of tuple of torch.Tensor, shape (sequences, hidden)
        """
        like = self.bias.new_empty(0, sequences)
        return [layer.start(like) for layer in self.layers]

    def forward(self, tokens, state, dropout=None):
        """Predict what follows each token.

        Parameters
        ----------
        tokens : torch.Tensor of int, shape (steps, sequences)
        state : list
            As `start` gives it, or an earlier call.
        dropout : dict of str to float, optional
            Rates of "input", "between" (layers), "state" and "output"; None drops
            nothing.

        Returns
        -------
        torch.Tensor, shape (steps, sequences, vocabulary)
            Log probabilities.
        list
            The state, to go on from.
        """
        rates = dropout or {}

        def dropped(values, name):
            rate = rates.get(name, 0.0)
            return values * _mask(values.shape, rate, values) if rate else values

        given = dropped(self.embed(tokens), "input")
        mask = None
        if rate := rates.get("state", 0.0):
            # One mask for all steps, and for all layers.
            mask = _mask((tokens.shape[1], self.hidden), rate, self.bias)
        summed, left = 0.0, []
        for i, (layer, before) in enumerate(zip(self.layers, state, strict=True)):
            if i:
                given = dropped(given, "between")
            given, after = layer(given, before, mask)
            summed = summed + given
            left.append(after)
        summed = dropped(summed, "output")
        if self.project is not None:
            summed = dropped(self.project(summed), "output")
        return log_softmax(linear(summed, self.embed.weight, self.bias), dim=-1), left


def parameters_of(architecture, vocabulary, hidden, embedding):
    """Count the parameters of a model.

    Parameters
    ----------
    architecture : Architecture
    vocabulary, hidden, embedding : int

    Returns
    -------
    int
    """
    h, e, depth = hidden, embedding, architecture.depth
    if architecture.cell == "rhn":
        cell = 2 * h * e + depth * (2 * h * h + 2 * h)
    else:
        blocks, bias = (8, 0) if architecture.cell == "nas" else (4, 1)
        cell = sum(blocks * h * (width + h + bias) for width in [e] + [h] * (depth - 1))
    projection = h * e if e != h else 0
    return vocabulary * e + vocabulary + cell + projection


def widths(architecture, vocabulary, budget, ratio):
    """Return the widest state and embedding that a budget of parameters allows.

    Parameters
    ----------
    architecture : Architecture
    vocabulary : int
    budget : int
        At most so many parameters.
    ratio : float
        Of the embedding's width to the state's; from 1 on they are equal, and nothing
        is projected.

    Returns
    -------
    hidden, embedding : int
    """

    def embedding(hidden):
        return max(1, math.floor(min(ratio, 1.0) * hidden + 0.5))

    def cost(hidden):
        return parameters_of(architecture, vocabulary, hidden, embedding(hidden))

    hidden = 1
    while cost(hidden + 1) <= budget:
        hidden += 1
    if cost(hidden) > budget:
        raise ValueError(
            f"budget must be at least {cost(1)}, for a state of width 1; got {budget}"
        )
    return hidden, embedding(hidden)
